//! The templates of the pages and their data.

use askama::Template;

use crate::features::listing::Card;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;

/// A page of the library.
#[derive(Template)]
#[template(path = "library.html")]
pub struct LibraryTemplate {
    /// Name of the signed-in user, for the bar at the top.
    pub user_name: String,
    /// Name of the page in the scripts: `all`, `recent`, `starred`, `folder`, `shared`, `trash` or `search`.
    pub view: &'static str,
    pub title: String,
    /// Breadcrumbs to the folder, without the folder itself.
    pub crumbs: Vec<Link>,
    /// URL of this page without a query.
    pub here: String,
    /// Choice of the order and of filters. None on pages with a fixed order.
    pub arrangement: Option<Arrangement>,
    /// Link to the user's root folder.
    pub mine: Link,
    /// Links to the root folders of the user's organizations.
    pub orgs: Vec<Link>,
    /// Links to the pages of the user's organizations.
    pub org_pages: Vec<Link>,
    /// Links to the user's folders at providers of cloud storage.
    pub clouds: Vec<Link>,
    /// Trash only: the trash of each account from which the user may restore. Empty if there is one.
    pub tabs: Vec<TrashTab>,
    /// Number of entries on all pages.
    pub count: u64,
    pub cards: Vec<Card>,
    /// Text for a page without entries.
    pub empty: String,
    /// Why no charts can be added. Empty if they can.
    pub storage_notice: String,
    /// URL of the previous page. Empty on the first page.
    pub previous: String,
    /// URL of the next page. Empty on the last page.
    pub next: String,
    /// URL of the previous page of folders that have pages of their own. Empty on the first page.
    pub previous_folders: String,
    /// URL of the next page of these folders. Empty on the last page.
    pub next_folders: String,
    /// Initial data of the script, as JSON that is safe inside a script element.
    pub boot: String,
}

/// The form for the order and the filters of a page.
pub struct Arrangement {
    /// URL of the page without a query.
    pub path: String,
    pub sorts: Vec<Choice>,
    pub kinds: Vec<Choice>,
    /// Empty if the page has documents of one owner.
    pub owners: Vec<Choice>,
}

/// An option of a choice.
pub struct Choice {
    pub value: String,
    pub label: String,
    /// UUID of a chart kind; empty for other options.
    pub kind_id: String,
    pub is_selected: bool,
}

/// A link to the trash of an account.
pub struct TrashTab {
    /// Name of the account, or `Mine` in the language of the page.
    pub label: String,
    pub href: String,
    /// Number of entries in this trash.
    pub count: u64,
    /// Whether the page shows this trash.
    pub is_current: bool,
}

/// A link with its label.
pub struct Link {
    pub label: String,
    pub href: String,
}

/// The page of an error.
#[derive(Template)]
#[template(path = "error.html")]
pub struct ErrorTemplate<'a> {
    /// Name of the signed-in user. Empty if nobody is signed in, or the request failed before its
    /// credentials were verified.
    pub user_name: &'a str,
    pub title: String,
    /// Message of this error.
    pub text: String,
    /// General explanation of the error code.
    pub explanation: &'static str,
    /// Whether what the user looks for may be in the trash.
    pub has_trash_link: bool,
    /// Request id, by which the operator finds the request in the log.
    pub request_id: String,
    /// Chart at the address that the user cannot open. None for other addresses, and without a user.
    pub lost_chart: Option<LostChart>,
}

/// A chart that a user cannot open.
pub struct LostChart {
    /// Id of the document on this server, or of the connection and the file at a provider, as on the
    /// page of the chart.
    pub id: String,
    /// Id of the user.
    pub user_id: String,
}

/// The page of an error at an address for embedding.
#[derive(Template)]
#[template(path = "embed-error.html")]
pub struct EmbedErrorTemplate {
    /// One sentence.
    pub text: String,
}

/// The API routes in groups.
#[derive(Template)]
#[template(path = "api.html")]
pub struct ApiTemplate<'a> {
    /// Name of the signed-in user. Empty if nobody is signed in.
    pub user_name: &'a str,
    pub groups: &'a [RouteGroup],
}

/// Routes of the same subject.
pub struct RouteGroup {
    pub name: String,
    pub rows: Vec<RouteRow>,
}

/// One route.
pub struct RouteRow {
    pub method: &'static str,
    pub path: String,
    pub summary: &'static str,
}

/// Renders a template as an HTML response with the status 200.
///
/// # Errors
/// `Internal` if the template fails.
pub fn render_html(page: &impl Template) -> Result<Response> {
    let text = page.render().map_err(|error| Error::internal(error.to_string()))?;
    Ok(Response::html(text))
}
