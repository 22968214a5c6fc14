//! The routes of folders, and of emptying the trash.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::actions;
use super::actions::Target;
use super::actions::bin;
use super::actions::change;
use super::actions::change::Wish;
use super::actions::copy;
use super::view;
use super::view::FolderView;
use super::view::Viewer;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::access::Links;
use crate::features::accounts::User;
use crate::features::documents::Channel;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Node;
use chartroom_platform::crypto;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::IfMatch;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Bare;
use chartroom_platform::http::endpoint::Perhaps;
use chartroom_platform::http::endpoint::Raw;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// How much one transaction takes out of the trash when it is emptied.
const BATCH: u32 = 50;

/// A folder as GET answers it.
#[derive(Serialize, JsonSchema)]
pub struct FolderContent {
    #[serde(flatten)]
    folder: FolderView,
    /// The folders directly in it that the caller may read, by title.
    folders: Vec<FolderView>,
}

/// Body of PUT. What is absent stays; what else an answer has is ignored.
#[derive(Deserialize, JsonSchema)]
pub struct PutBody {
    /// Another last name, of 1 to 255 characters.
    title: Option<String>,
    /// Another absolute path: moves the folder. Those above it are made when missing.
    name: Option<String>,
    /// Another account: moves the folder there, into the root when there is no `name`.
    owner: Option<String>,
}

/// Answer of PUT.
#[derive(Serialize, JsonSchema)]
pub struct Put {
    /// Absolute path.
    name: String,
    endpoint: String,
    /// For the browser.
    view: String,
    /// When the folder was changed.
    timestamp: Timestamp,
}

/// Body of POST.
#[derive(Deserialize, JsonSchema)]
pub struct ActionBody {
    /// `duplicate` or `restore`.
    #[schemars(extend("enum" = ["duplicate", "restore"]))]
    action: String,
}

/// Answer of `duplicate`.
#[derive(Serialize, JsonSchema)]
pub struct Duplicate {
    /// Absolute path.
    name: String,
    endpoint: String,
    /// For the browser.
    view: String,
}

/// Query of DELETE.
#[derive(Deserialize, JsonSchema)]
pub struct DeleteQuery {
    /// `1`: gone for good, not into the trash.
    expunge: Option<String>,
}

impl PutBody {
    fn read(self) -> Result<Wish> {
        let title = self.title.as_deref().map(tree::clean_name).transpose();
        let path = self.name.as_deref().map(FolderPath::parse).transpose();
        Ok(Wish {
            title: title.map_err(|text| Error::field("title", text))?,
            path: path.map_err(|text| Error::field("name", text))?,
            owner: self.owner,
        })
    }
}

/// `GET /users/{user_id}/folders`: the root.
pub fn root(request: &RequestContext, caller: &Caller, (): ()) -> Result<Raw<FolderContent>> {
    read(request, caller, &target(request, FolderPath::default())?)
}

/// `GET /users/{user_id}/folders/{path}`.
pub fn get(request: &RequestContext, caller: &Caller, (): ()) -> Result<Raw<FolderContent>> {
    read(request, caller, &existing(request, caller)?)
}

fn read(request: &RequestContext, caller: &Caller, target: &Target) -> Result<Raw<FolderContent>> {
    let links = Links { base_url: &request.app.config.base_url, key: &request.app.key };
    let (tag, text) = request.app.db.read(|tx| {
        let (node, folder, folders) = actions::get(tx, Viewer { links, caller }, target)?;
        let tag = match &node {
            Some(node) => actions::tag(node),
            None => folder.owner.to_string(),
        };
        Ok((tag, serde_json::to_string(&FolderContent { folder, folders })?))
    })?;
    // What is in it changes the answer, not the folder.
    let tag = format!("{tag}+{}", crypto::checksum62(&text, 11));
    Ok(Raw::new(Response::json_text(text).tagged(&tag)?))
}

/// `PUT /users/{user_id}/folders/{path}`.
pub fn put(
    request: &RequestContext,
    caller: &Caller,
    Json(body): Json<PutBody>,
) -> Result<Raw<Put>> {
    let path = path(request)?.map_err(|text| Error::field("path", text))?;
    let (target, wish, caller) = (target(request, path)?, body.read()?, caller.clone());
    let (node, path) = request.app.db.write(move |tx| change::put(tx, &caller, &target, &wish))?;
    let urls = view::urls(&request.app.config.base_url, &node.owner, &path);
    let name = path.to_string();
    tagged(&Put { name, endpoint: urls.endpoint, view: urls.view, timestamp: node.updated }, &node)
        .map(Raw::new)
}

/// `POST /users/{user_id}/folders/{path}`: what `action` says.
pub fn act(
    request: &RequestContext,
    caller: &Caller,
    (key, Json(body)): (IdempotencyKey, Json<ActionBody>),
) -> Result<Perhaps<Duplicate>> {
    let (caller, who) = (caller.clone(), caller.scope());
    let response = match body.action.as_str() {
        "restore" => {
            let target = existing(request, &caller)?;
            request.write_once(&key, &who, move |tx| {
                let tag = bin::restore(tx, &caller, &target)?;
                Response::no_content().tagged(&tag)
            })
        }
        "duplicate" => {
            let target = existing(request, &caller)?;
            let channel = Channel::of(request, caller.user.is_some());
            let base_url = request.app.config.base_url.clone();
            request.write_once(&key, &who, move |tx| {
                let (node, path) = copy::duplicate(tx, &caller, &target, channel)?;
                let urls = view::urls(&base_url, &node.owner, &path);
                let name = path.to_string();
                let answer = Duplicate { name, endpoint: urls.endpoint, view: urls.view };
                tagged(&answer, &node)
            })
        }
        _ => Err(Error::field("action", "must be duplicate or restore")),
    };
    response.map(Perhaps::new)
}

/// `DELETE /users/{user_id}/folders/{path}`.
pub fn delete(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<DeleteQuery>,
) -> Result<Bare> {
    let (target, caller) = (existing(request, caller)?, caller.clone());
    match query.expunge.as_deref() {
        None | Some("0" | "false") => {
            let tag = request.app.db.write(move |tx| bin::trash(tx, &caller, &target))?;
            Response::no_content().tagged(&tag).map(Bare)
        }
        Some("" | "1" | "true") => {
            request.app.db.write(move |tx| bin::expunge(tx, &caller, &target))?;
            Ok(Bare(Response::no_content()))
        }
        Some(_) => Err(Error::field("expunge", "must be 1 or 0")),
    }
}

/// `DELETE /users/{user_id}/trash`.
pub fn empty_trash(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let user: String = request.param("user_id")?;
    let mut after: Option<NodeId> = None;
    // In several transactions: nobody else waits long, and nothing depends on their being one.
    loop {
        let (caller, user) = (caller.clone(), user.clone());
        after = request
            .app
            .db
            .write(move |tx| bin::empty(tx, &caller, &user, after.as_ref(), BATCH))?;
        if after.is_none() {
            return Ok(NoContent);
        }
    }
}

/// The path that the address has, or what is wrong with it.
fn path(request: &RequestContext) -> Result<std::result::Result<FolderPath, String>> {
    let path: String = request.param("path")?;
    Ok(FolderPath::parse(&format!("/{path}")))
}

fn target(request: &RequestContext, path: FolderPath) -> Result<Target> {
    Ok(Target { user: request.param("user_id")?, path, if_match: IfMatch::of(request) })
}

/// The folder that the address speaks of. What cannot be a path is no folder's.
fn existing(request: &RequestContext, caller: &Caller) -> Result<Target> {
    match path(request)? {
        Ok(path) => target(request, path),
        Err(_) => Err(caller.hide(Error::NotFound("folder"))),
    }
}

/// An answer with the entity tag that the folder now has.
fn tagged<T: Serialize>(answer: &T, node: &Node) -> Result<Response> {
    Response::json(answer)?.tagged(&actions::tag(node))
}
