//! `/d/{owner}/{doc}`: the page of one chart. The server writes what there is to read, picture and
//! data included; scripts add what there is to do.

use askama::Template;
use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use super::views;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::documents;
use crate::features::documents::Inline;
use crate::features::documents::Whole;
use crate::features::listing::shown_title;
use crate::features::tree;
use crate::features::tree::FolderPath;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// What a value in a query may carry as it is (RFC 3986, unreserved).
const VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// One chart.
#[derive(Template)]
#[template(path = "chart.html")]
struct ChartPage {
    who: String,
    /// Account id of who is signed in; empty for nobody.
    user: String,
    id: String,
    owner: String,
    owner_name: String,
    title: String,
    kind: &'static str,
    /// The account and the folders from the top down to where it is; empty when the caller may not
    /// see the folder.
    crumbs: Vec<Crumb>,
    /// The whole address of this page, for paper.
    address: String,
    /// Path of the document in the interface.
    endpoint: String,
    /// What belongs behind a question mark to read it; empty or with an `&` at the end.
    share: String,
    /// For programs and for people.
    updated: (String, String),
    may_change: bool,
    in_trash: bool,
    is_public: bool,
    drawn: Inline,
    /// Points.
    size: (f64, f64),
    /// Where the picture can be had by programs that show a preview of the page, when it is public.
    preview: String,
}

/// A step on the way from the top.
struct Crumb {
    title: String,
    view: String,
}

/// `GET /d/{owner}/{doc}`: one chart.
pub fn page(request: &RequestContext, caller: &Caller, (): ()) -> Result<Response> {
    let id: NodeId = request.param("doc")?;
    let owner: String = request.param("owner")?;
    let whole = request.app.db.read(|tx| documents::show_whole(tx, caller, &owner, &id))?;
    let drawn = whole.draw()?;
    let share = match caller.share {
        Some(_) => request.query_value("share").unwrap_or_default(),
        None => String::new(),
    };
    let share = match share.as_str() {
        "" => share,
        token => format!("share={}&", utf8_percent_encode(token, VALUE)),
    };
    let user = caller.user.as_ref();
    let Whole { shown, may_change, in_trash, sees_folder, .. } = whole;
    let endpoint = documents::endpoint("", &shown.owner, &id);
    let preview = match shown.is_public {
        true => format!("{}{endpoint}.png?width=1200", request.app.config.base_url),
        false => String::new(),
    };
    views::response(&ChartPage {
        who: user.map(|it| it.name.clone()).unwrap_or_default(),
        user: user.map(|it| it.id.to_string()).unwrap_or_default(),
        id: id.to_string(),
        crumbs: if sees_folder { crumbs(&shown)? } else { Vec::new() },
        owner: shown.owner.to_string(),
        title: shown_title(&shown.title).to_owned(),
        address: documents::view(&request.app.config.base_url, &shown.owner, &id),
        kind: shown.kind,
        endpoint,
        share,
        owner_name: shown.owner_name,
        updated: (shown.updated.to_string(), shown.updated.readable()),
        may_change,
        in_trash,
        is_public: shown.is_public,
        drawn,
        size: shown.size,
        preview,
    })
}

/// The way to a document: its account, then each folder.
fn crumbs(shown: &documents::Shown) -> Result<Vec<Crumb>> {
    let path = FolderPath::parse(&shown.folder).map_err(Error::internal)?;
    let mut steps = vec![crumb(&shown.owner, &FolderPath::default(), &shown.owner_name)];
    let mut folders = Vec::new();
    let mut at = Some(path);
    while let Some(folder) = at.filter(|it| !it.segments().is_empty()) {
        folders.push(crumb(&shown.owner, &folder, folder.title()));
        at = folder.parent();
    }
    steps.extend(folders.into_iter().rev());
    Ok(steps)
}

fn crumb(owner: &AccountId, folder: &FolderPath, title: &str) -> Crumb {
    Crumb { title: title.to_owned(), view: tree::folder_view("", owner, folder) }
}
