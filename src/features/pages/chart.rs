//! `/d/{owner}/{doc}`: the page of one chart. The server renders everything that can be read,
//! including the image and the data. Scripts add the actions.

use askama::Template;
use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use super::templates;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::documents;
use crate::features::documents::DocumentDetails;
use crate::features::documents::InlineChart;
use crate::features::listing::display_title;
use crate::features::tree;
use crate::features::tree::FolderPath;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Characters to percent-encode in a query value: all except the unreserved ones of RFC 3986.
const QUERY_VALUE_ESCAPES: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The page of one chart.
#[derive(Template)]
#[template(path = "chart.html")]
struct ChartTemplate {
    /// Name of the signed-in user. Empty if nobody is signed in.
    user_name: String,
    /// Account id of the signed-in user. Empty if nobody is signed in.
    user: String,
    id: String,
    owner: String,
    owner_name: String,
    title: String,
    kind: &'static str,
    /// Breadcrumbs: the account and the folders down to the document. Empty if the caller may not
    /// see the folder.
    crumbs: Vec<Crumb>,
    /// Absolute URL of this page, for printing.
    address: String,
    /// API path of the document.
    endpoint: String,
    /// Query parameter with the share token, ending in `&`, for requests to the API. Empty without
    /// a share link.
    share: String,
    /// Time of the last change, for programs and for people.
    updated: (String, String),
    may_change: bool,
    in_trash: bool,
    is_public: bool,
    rendered: InlineChart,
    /// Width and height in points.
    size: (f64, f64),
    /// URL of the image for link previews. Empty unless the document is public.
    preview: String,
}

/// One breadcrumb.
struct Crumb {
    title: String,
    view: String,
}

/// Handles `GET /d/{owner}/{doc}`: the page of a document that the caller may read, also through a
/// share link. It may be in the trash if the caller may change it.
pub fn page(request: &RequestContext, caller: &Caller, (): ()) -> Result<Response> {
    let id: NodeId = request.param("doc")?;
    let owner: String = request.param("owner")?;
    let details = request.app.db.read(|tx| documents::load_details(tx, caller, &owner, &id))?;
    let rendered = details.render_inline(request.app)?;
    let share = match caller.share_token_hash {
        Some(_) => request.query_value("share").unwrap_or_default(),
        None => String::new(),
    };
    let share = match share.as_str() {
        "" => share,
        token => format!("share={}&", utf8_percent_encode(token, QUERY_VALUE_ESCAPES)),
    };
    let user = caller.user.as_ref();
    let DocumentDetails {
        summary,
        can_write: may_change,
        in_trash,
        can_read_folder: sees_folder,
        ..
    } = details;
    let endpoint = documents::endpoint_url("", &summary.owner, &id);
    let preview = match summary.is_public {
        true => format!("{}{endpoint}.png?width=1200", request.app.config.base_url),
        false => String::new(),
    };
    templates::render_html(&ChartTemplate {
        user_name: user.map(|user| user.name.clone()).unwrap_or_default(),
        user: user.map(|user| user.id.to_string()).unwrap_or_default(),
        id: id.to_string(),
        crumbs: if sees_folder { build_breadcrumbs(&summary)? } else { Vec::new() },
        owner: summary.owner.to_string(),
        title: display_title(&summary.title).to_owned(),
        address: documents::page_url(&request.app.config.base_url, &summary.owner, &id),
        kind: summary.kind,
        endpoint,
        share,
        owner_name: summary.owner_name,
        updated: (summary.updated.to_string(), summary.updated.format_to_minute()),
        may_change,
        in_trash,
        is_public: summary.is_public,
        rendered,
        size: summary.size,
        preview,
    })
}

/// Returns the breadcrumbs to a document: its account, then each folder down to the one that
/// contains the document. The document itself is not one of them.
fn build_breadcrumbs(summary: &documents::DocumentSummary) -> Result<Vec<Crumb>> {
    let path = FolderPath::parse(&summary.folder).map_err(Error::internal)?;
    let mut steps = vec![build_crumb(&summary.owner, &FolderPath::default(), &summary.owner_name)];
    let mut folders = Vec::new();
    let mut next = Some(path);
    while let Some(folder) = next.filter(|folder| !folder.segments().is_empty()) {
        folders.push(build_crumb(&summary.owner, &folder, folder.name()));
        next = folder.parent();
    }
    steps.extend(folders.into_iter().rev());
    Ok(steps)
}

/// Returns the breadcrumb with this title that links to the page of `folder`.
fn build_crumb(owner: &AccountId, folder: &FolderPath, title: &str) -> Crumb {
    Crumb { title: title.to_owned(), view: tree::folder_page_url("", owner, folder) }
}
