//! `/d/{owner}/{doc}`: the page of one chart. The server renders everything that can be read,
//! including the image and the data. Scripts add the actions.

use askama::Template;
use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use super::breadcrumbs;
use super::templates;
use super::templates::Link;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::documents;
use crate::features::documents::DocumentDetails;
use crate::features::documents::InlineChart;
use crate::features::listing::display_title;
use crate::features::tree::FolderPath;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::id::NodeId;
use chartroom_platform::language;

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
    /// Breadcrumbs, as [`list_crumbs`] returns them.
    crumbs: Vec<Link>,
    /// Absolute URL of this page, for printing.
    address: String,
    /// API path of the document.
    endpoint: String,
    /// Path of the sign-in page that leads back here.
    sign_in: String,
    /// Query parameter with the share token, ending in `&`, for requests to the API. Empty without
    /// a share link.
    share: String,
    /// Time of the last change, for programs and for people.
    updated: (String, String),
    may_change: bool,
    in_trash: bool,
    is_public: bool,
    /// Whether the image shows the title, so that the heading above it is for screen readers only.
    shows_title: bool,
    rendered: InlineChart,
    /// Width and height in points.
    size: (f64, f64),
    /// URL of the image for link previews. Empty unless the document is public.
    preview: String,
}

/// Handles `GET /d/{owner}/{doc}`: the page of a document that the caller may read, also through a
/// share link. It may be in the trash if the caller may change it.
pub fn page(request: &RequestContext, caller: &Caller, (): ()) -> Result<Response> {
    let id: NodeId = request.param("doc")?;
    let owner: String = request.param("owner")?;
    let (details, crumbs) = request.app.db.read(|tx| {
        let details = documents::load_details(tx, caller, &owner, &id)?;
        let crumbs = list_crumbs(tx, caller, &details)?;
        Ok((details, crumbs))
    })?;
    let mut rendered = details.render_inline(request.app)?;
    rendered.mark_image();
    let share = match caller.share_token_hash {
        Some(_) => request.query_value("share").unwrap_or_default(),
        None => String::new(),
    };
    let share = match share.as_str() {
        "" => share,
        token => format!("share={}&", utf8_percent_encode(token, QUERY_VALUE_ESCAPES)),
    };
    let user = caller.user.as_ref();
    let DocumentDetails { summary, can_write: may_change, in_trash, .. } = details;
    let endpoint = documents::endpoint_url("", &summary.owner, &id);
    let here = match request.query.as_str() {
        "" => request.path.clone(),
        query => format!("{}?{query}", request.path),
    };
    let preview = match summary.is_public {
        true => format!("{}{endpoint}.png?width=1200", request.app.config.base_url),
        false => String::new(),
    };
    templates::render_html(&ChartTemplate {
        user_name: user.map(|user| user.name.clone()).unwrap_or_default(),
        user: user.map(|user| user.id.to_string()).unwrap_or_default(),
        id: id.to_string(),
        crumbs,
        owner: summary.owner.to_string(),
        title: display_title(&summary.title).to_owned(),
        address: documents::page_url(&request.app.config.base_url, &summary.owner, &id),
        kind: summary.kind,
        sign_in: format!("/sign-in?next={}", utf8_percent_encode(&here, NON_ALPHANUMERIC)),
        endpoint,
        share,
        owner_name: summary.owner_name,
        updated: (summary.updated.to_string(), summary.updated.format_to_minute()),
        may_change,
        in_trash,
        is_public: summary.is_public,
        shows_title: !summary.title.trim().is_empty(),
        rendered,
        size: summary.size,
        preview,
    })
}

/// Returns the breadcrumbs above a document: those of its folder, or the list of shared items if the
/// user may not see the folder. Empty for a guest.
fn list_crumbs(tx: &Tx<'_>, caller: &Caller, details: &DocumentDetails) -> Result<Vec<Link>> {
    let Some(user) = &caller.user else { return Ok(Vec::new()) };
    let summary = &details.summary;
    if details.can_read_folder {
        let path = FolderPath::parse(&summary.folder).map_err(Error::internal)?;
        return breadcrumbs::build_breadcrumbs(tx, user, &summary.owner, &path);
    }
    let label = language::text("common.sharedWithMe").to_owned();
    Ok(vec![Link { label, href: "/shared".to_owned() }])
}
