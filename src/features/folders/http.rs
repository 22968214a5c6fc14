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
use crate::features::access::Caller;
use crate::features::access::Links;
use crate::features::accounts::User;
use crate::features::documents::Channel;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::features::tree::Node;
use crate::platform::crypto;
use crate::platform::error::Error;
use crate::platform::error::Result;
use crate::platform::http::Call;
use crate::platform::http::IdempotencyKey;
use crate::platform::http::IfMatch;
use crate::platform::http::Json;
use crate::platform::http::NoContent;
use crate::platform::http::Query;
use crate::platform::http::Reply;
use crate::platform::http::endpoint::Bare;
use crate::platform::http::endpoint::Perhaps;
use crate::platform::http::endpoint::Raw;
use crate::platform::id::NodeId;
use crate::platform::time::Timestamp;

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
pub fn root(call: &Call, caller: &Caller, (): ()) -> Result<Raw<FolderContent>> {
    read(call, caller, &target(call, FolderPath::default())?)
}

/// `GET /users/{user_id}/folders/{path}`.
pub fn get(call: &Call, caller: &Caller, (): ()) -> Result<Raw<FolderContent>> {
    read(call, caller, &existing(call, caller)?)
}

fn read(call: &Call, caller: &Caller, target: &Target) -> Result<Raw<FolderContent>> {
    let links = Links { base_url: &call.app.config.base_url, key: &call.app.key };
    let (tag, text) = call.app.db.read(|tx| {
        let (node, folder, folders) = actions::get(tx, Viewer { links, caller }, target)?;
        let tag = match &node {
            Some(node) => actions::tag(node),
            None => folder.owner.to_string(),
        };
        Ok((tag, serde_json::to_string(&FolderContent { folder, folders })?))
    })?;
    // What is in it changes the answer, not the folder.
    let tag = format!("{tag}+{}", crypto::checksum62(&text, 11));
    Ok(Raw::new(Reply::json_text(text).tagged(&tag)?))
}

/// `PUT /users/{user_id}/folders/{path}`.
pub fn put(call: &Call, caller: &Caller, Json(body): Json<PutBody>) -> Result<Raw<Put>> {
    let path = path(call)?.map_err(|text| Error::field("path", text))?;
    let (target, wish, caller) = (target(call, path)?, body.read()?, caller.clone());
    let (node, path) = call.app.db.write(move |tx| change::put(tx, &caller, &target, &wish))?;
    let urls = view::urls(&call.app.config.base_url, &node.owner, &path);
    let name = path.to_string();
    tagged(&Put { name, endpoint: urls.endpoint, view: urls.view, timestamp: node.updated }, &node)
        .map(Raw::new)
}

/// `POST /users/{user_id}/folders/{path}`: what `action` says.
pub fn act(
    call: &Call,
    caller: &Caller,
    (key, Json(body)): (IdempotencyKey, Json<ActionBody>),
) -> Result<Perhaps<Duplicate>> {
    let (caller, who) = (caller.clone(), caller.scope());
    let reply = match body.action.as_str() {
        "restore" => {
            let target = existing(call, &caller)?;
            key.write(call, &who, move |tx| {
                let tag = bin::restore(tx, &caller, &target)?;
                Reply::no_content().tagged(&tag)
            })
        }
        "duplicate" => {
            let target = existing(call, &caller)?;
            let channel = Channel::of(call, caller.user.is_some());
            let base_url = call.app.config.base_url.clone();
            key.write(call, &who, move |tx| {
                let (node, path) = copy::duplicate(tx, &caller, &target, channel)?;
                let urls = view::urls(&base_url, &node.owner, &path);
                let name = path.to_string();
                let answer = Duplicate { name, endpoint: urls.endpoint, view: urls.view };
                tagged(&answer, &node)
            })
        }
        _ => Err(Error::field("action", "must be duplicate or restore")),
    };
    reply.map(Perhaps::new)
}

/// `DELETE /users/{user_id}/folders/{path}`.
pub fn delete(call: &Call, caller: &Caller, Query(query): Query<DeleteQuery>) -> Result<Bare> {
    let (target, caller) = (existing(call, caller)?, caller.clone());
    match query.expunge.as_deref() {
        None | Some("0" | "false") => {
            let tag = call.app.db.write(move |tx| bin::trash(tx, &caller, &target))?;
            Reply::no_content().tagged(&tag).map(Bare)
        }
        Some("" | "1" | "true") => {
            call.app.db.write(move |tx| bin::expunge(tx, &caller, &target))?;
            Ok(Bare(Reply::no_content()))
        }
        Some(_) => Err(Error::field("expunge", "must be 1 or 0")),
    }
}

/// `DELETE /users/{user_id}/trash`.
pub fn empty_trash(call: &Call, caller: &User, (): ()) -> Result<NoContent> {
    let user: String = call.param("user_id")?;
    let mut after: Option<NodeId> = None;
    // In several transactions: nobody else waits long, and nothing depends on their being one.
    loop {
        let (caller, user) = (caller.clone(), user.clone());
        after =
            call.app.db.write(move |tx| bin::empty(tx, &caller, &user, after.as_ref(), BATCH))?;
        if after.is_none() {
            return Ok(NoContent);
        }
    }
}

/// The path that the address has, or what is wrong with it.
fn path(call: &Call) -> Result<std::result::Result<FolderPath, String>> {
    let path: String = call.param("path")?;
    Ok(FolderPath::parse(&format!("/{path}")))
}

fn target(call: &Call, path: FolderPath) -> Result<Target> {
    Ok(Target { user: call.param("user_id")?, path, if_match: IfMatch::of(call) })
}

/// The folder that the address speaks of. What cannot be a path is no folder's.
fn existing(call: &Call, caller: &Caller) -> Result<Target> {
    match path(call)? {
        Ok(path) => target(call, path),
        Err(_) => Err(caller.hide(Error::NotFound("folder"))),
    }
}

/// An answer with the entity tag that the folder now has.
fn tagged<T: Serialize>(answer: &T, node: &Node) -> Result<Reply> {
    Reply::json(answer)?.tagged(&actions::tag(node))
}
