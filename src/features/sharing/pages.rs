//! The page of a share link: a chart, a folder or an invitation. It works without scripts and loads
//! nothing from other sites.

use askama::Template;
use hyper::StatusCode;
use hyper::header::CACHE_CONTROL;
use hyper::header::CONTENT_SECURITY_POLICY;
use hyper::header::SET_COOKIE;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::redeem;
use super::redeem::Invitation;
use super::redeem::LinkTarget;
use super::register;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::accounts::field_errors;
use crate::features::accounts::pages::MessagePage;
use crate::features::documents;
use crate::features::documents::DocumentDetails;
use crate::features::documents::DocumentOrder;
use crate::features::documents::DocumentSummary;
use crate::features::documents::InlineChart;
use crate::features::listing;
use crate::features::listing::Card;
use crate::features::listing::ListRequest;
use crate::features::listing::Listing;
use crate::features::listing::ListingEntry;
use crate::features::listing::display_title;
use crate::features::tree;
use crate::features::tree::Node;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::id::NodeId;
use chartroom_platform::language;

/// Number of thumbnails on one page of a folder.
const PAGE_SIZE: u32 = 48;

/// Content security policy of pages with a chart or a folder: our own styles, images and forms, and
/// data URLs for images inside a chart (the logo of a theme).
const CONTENT_CSP: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Content security policy of pages with a message. Also allows our own scripts.
const MESSAGE_CSP: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; \
    img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Query of `GET /s/{token}`.
#[derive(Deserialize, JsonSchema)]
pub struct LinkQuery {
    /// Id of a node in the shared folder.
    item: Option<NodeId>,
    /// Number of entries to skip.
    #[serde(default)]
    offset: u32,
}

/// Page of a chart.
#[derive(Template)]
#[template(path = "shared-chart.html")]
struct ChartPage {
    user_name: String,
    title: String,
    kind: &'static str,
    owner_name: String,
    /// Time of the last change as RFC 3339 and as readable text.
    updated: (String, String),
    /// API path of the document.
    endpoint: String,
    /// Query prefix that gives access through the link: empty, or a parameter with a trailing `&`.
    share: String,
    rendered: InlineChart,
    /// Path of the shared folder; empty if the chart itself is shared.
    up: String,
    /// Address of this page, for print.
    address: String,
    /// Address of the chart's page for signed-in users.
    view: String,
    /// Whether the caller may change the chart.
    can_write: bool,
    /// Address of the image for link previews.
    preview: String,
}

/// Page of a folder.
#[derive(Template)]
#[template(path = "shared-folder.html")]
struct FolderPage {
    user_name: String,
    title: String,
    count: u64,
    cards: Vec<Card>,
    up: String,
    /// Address of the previous page; empty on the first.
    previous: String,
    /// Address of the next page; empty on the last.
    next: String,
}

/// Page of an invitation.
#[derive(Template)]
#[template(path = "invitation.html")]
struct InvitationPage<'a> {
    user_name: String,
    invitation: &'a Invitation,
    title: &'a str,
    /// Path of this page, for the form.
    here: &'a str,
    sign_in: String,
    /// Name that was entered for a new account.
    name: &'a str,
    name_error: Option<String>,
    password_error: Option<String>,
    error: Option<String>,
}

/// Fields of the form for a new account. The form that accepts an invitation has none.
#[derive(Deserialize, Default)]
struct NewAccountForm {
    #[serde(default)]
    name: String,
    password: Option<String>,
}

/// Content of the page, read in one transaction.
enum PageContent {
    Chart(Box<DocumentDetails>),
    Folder(Box<Node>, Listing),
    Invitation(Invitation),
    Redirect(String),
}

/// Handles `GET /s/{token}`: shows a chart, a folder or an invitation. Redirects to the page of the
/// chart if the user has accepted the invitation to it. Records the use of a share link. If the
/// link is not valid, or the requested item does not exist or is hidden from the caller, the
/// response is a page that says so, with status 404.
pub fn link_page(
    request: &RequestContext,
    user: Option<&User>,
    Query(query): Query<LinkQuery>,
) -> Result<Response> {
    let token: String = request.param("token")?;
    let user_name = user_name(user);
    let here = link_path(&token);
    let content = request.app.db.read(|tx| load_content(tx, request.app, user, &token, &query));
    let (caller, content) = match content {
        Err(Error::NotFound(_)) => return render_invalid_link_page(user_name),
        other => other?,
    };
    access::record_link_use(request, &caller)?;
    let share = match caller.share_token_hash {
        Some(_) => format!("share={token}&"),
        None => String::new(),
    };
    let up = if query.item.is_some() { here.clone() } else { String::new() };
    match content {
        PageContent::Redirect(to) => Response::see_other(&to),
        PageContent::Chart(details) => {
            let rendered = details.render_inline(request.app)?;
            let can_write = details.can_write;
            let base_url = &request.app.config.base_url;
            render_content_page(&build_chart_page(
                base_url,
                user_name,
                details.summary,
                rendered,
                ChartPageLinks { here, share, up, can_write },
            ))
        }
        PageContent::Folder(node, listing) => {
            let (previous, next) = requested_page(&query).adjacent_pages(listing.count);
            let page_url = |page: Page| folder_page_url(&here, &query, page.offset);
            let cards = listing.results.iter().map(|entry| build_card(entry, &here, &share));
            render_content_page(&FolderPage {
                user_name,
                title: display_title(&node.title).to_owned(),
                count: listing.count,
                previous: previous.map(page_url).unwrap_or_default(),
                next: next.map(page_url).unwrap_or_default(),
                cards: cards.collect(),
                up,
            })
        }
        PageContent::Invitation(invitation) => render_message_page(&build_invitation_page(
            user_name,
            &invitation,
            &here,
            &NewAccountForm::default(),
        )),
    }
}

/// Builds the page of an invitation. `here` is its path, `form` has the entered values.
fn build_invitation_page<'a>(
    user_name: String,
    invitation: &'a Invitation,
    here: &'a str,
    form: &'a NewAccountForm,
) -> InvitationPage<'a> {
    InvitationPage {
        user_name,
        title: display_title(&invitation.title),
        invitation,
        sign_in: format!("/sign-in?next={}", utf8_percent_encode(here, NON_ALPHANUMERIC)),
        here,
        name: &form.name,
        name_error: None,
        password_error: None,
        error: None,
    }
}

/// Renders the page of an invitation again, with the values and the error of the form for a new
/// account.
///
/// # Errors
/// `error` itself if it is not about the values of the form, or the link shows no invitation.
fn render_invitation_errors(
    request: &RequestContext,
    token: &str,
    form: &NewAccountForm,
    error: Error,
) -> Result<Response> {
    let query = LinkQuery { item: None, offset: 0 };
    let content = request.app.db.read(|tx| load_content(tx, request.app, None, token, &query))?.1;
    let (Error::InvalidFields(fields), PageContent::Invitation(invitation)) = (&error, content)
    else {
        return Err(error);
    };
    let here = link_path(token);
    let mut page = build_invitation_page(String::new(), &invitation, &here, form);
    for field in fields {
        let message = Some(field_errors::describe_field(field));
        match field.field.as_str() {
            "name" => page.name_error = message,
            "password" => page.password_error = message,
            _ => page.error = message,
        }
    }
    let mut response = render_message_page(&page)?;
    response.status = StatusCode::BAD_REQUEST;
    Ok(response)
}

/// Handles `POST /s/{token}`: accepts the invitation as the signed-in user and redirects. If nobody
/// is signed in, signs in with the invitation, or creates an account if the form has a password. If
/// its values are invalid, shows the page again with the errors. If the link is not valid, the
/// response is a page that says so, with status 404.
pub fn accept(request: &RequestContext, user: Option<&User>, (): ()) -> Result<Response> {
    let token: String = request.param("token")?;
    let form: NewAccountForm = serde_urlencoded::from_bytes(&request.body)
        .map_err(|_| Error::Invalid("the form is not valid".to_owned()))?;
    let accepted = match user {
        Some(user) => {
            let (user, token) = (user.id.clone(), token.clone());
            let to = request.app.db.write(move |tx| redeem::accept_invitation(tx, &user, &token));
            to.map(|to| (to, None))
        }
        None => match &form.password {
            Some(password) => {
                register::register_by_invitation(request, &token, &form.name, password)
            }
            None => redeem::sign_in_by_invitation(request, &token),
        }
        .map(|(signed_in, to)| (to, Some(signed_in))),
    };
    match accepted {
        Ok((to, None)) => Response::see_other(&to),
        Ok((to, Some(signed_in))) => {
            Response::see_other(&to)?.append_header(SET_COOKIE, &signed_in.cookie)
        }
        Err(Error::NotFound(_)) => render_invalid_link_page(user_name(user)),
        Err(error) => render_invitation_errors(request, &token, &form, error),
    }
}

/// Resolves the token and reads the content of its page.
///
/// Returns it with the caller of the access check: the guest of a share link or the invited user of
/// a folder. For an invitation or a redirect this is a caller without rights.
fn load_content(
    tx: &Tx<'_>,
    app: &App,
    user: Option<&User>,
    token: &str,
    query: &LinkQuery,
) -> Result<(Caller, PageContent)> {
    let (caller, node) = match redeem::resolve_token(tx, app, user, token, query.item.as_ref())? {
        LinkTarget::Redirect(to) => return Ok((Caller::default(), PageContent::Redirect(to))),
        LinkTarget::Invitation(invitation) => {
            return Ok((Caller::default(), PageContent::Invitation(invitation)));
        }
        LinkTarget::Node(caller, node) => (caller, *node),
    };
    if !node.is_folder {
        let details = documents::load_details(tx, &caller, node.owner.as_str(), &node.id)?;
        return Ok((caller, PageContent::Chart(Box::new(details))));
    }
    let list_request = ListRequest {
        user: node.owner.to_string(),
        path: tree::folder_path(tx, Some(&node.id))?,
        matching: String::new(),
        order: DocumentOrder::default(),
        page: requested_page(query),
    };
    let listing = listing::list_folder(tx, &app.config.base_url, &caller, &list_request)?;
    Ok((caller, PageContent::Folder(Box::new(node), listing)))
}

/// Links of the page of a chart.
struct ChartPageLinks {
    /// Path of this page.
    here: String,
    /// Query prefix that gives access through the link.
    share: String,
    /// Path of the shared folder; empty if the chart itself is shared.
    up: String,
    /// Whether the link, or the caller's own access, permits changes.
    can_write: bool,
}

/// Builds the page of a chart. `user_name` is the name of the signed-in user and empty without
/// one. `base_url`, without a slash at its end, is for absolute addresses.
fn build_chart_page(
    base_url: &str,
    user_name: String,
    summary: DocumentSummary,
    rendered: InlineChart,
    links: ChartPageLinks,
) -> ChartPage {
    let ChartPageLinks { here, share, up, can_write } = links;
    let endpoint = documents::endpoint_url("", &summary.owner, &summary.id);
    let view = documents::page_url("", &summary.owner, &summary.id);
    ChartPage {
        user_name,
        title: display_title(&summary.title).to_owned(),
        kind: summary.kind,
        owner_name: summary.owner_name,
        updated: (summary.updated.to_string(), summary.updated.format_to_minute()),
        preview: format!("{base_url}{endpoint}.png?{share}width=1200"),
        view: format!("{view}?{}", share.trim_end_matches('&')),
        address: format!("{base_url}{here}"),
        endpoint,
        share,
        rendered,
        up,
        can_write,
    }
}

/// Builds the card of an entry in a shared folder. It links to the page of the item under the share
/// link, at the path `here`.
fn build_card(entry: &ListingEntry, here: &str, share: &str) -> Card {
    let view = entry.id().map(|id| format!("{here}?item={id}")).unwrap_or_default();
    Card::from_entry(entry, view, share)
}

/// Returns the name of the signed-in user; empty without one.
fn user_name(user: Option<&User>) -> String {
    user.map(|user| user.name.clone()).unwrap_or_default()
}

/// Returns the path of a link's page on this server. Valid tokens need no escaping, and `token` is
/// not checked.
fn link_path(token: &str) -> String {
    format!("/s/{token}")
}

/// Returns the address of the page of the same folder that begins at `offset`. `here` is the path
/// of the share link.
fn folder_page_url(here: &str, query: &LinkQuery, offset: u32) -> String {
    match &query.item {
        Some(item) => format!("{here}?item={item}&offset={offset}"),
        None => format!("{here}?offset={offset}"),
    }
}

/// Returns the requested page of a folder. It has up to `PAGE_SIZE` entries.
fn requested_page(query: &LinkQuery) -> Page {
    Page { offset: query.offset, limit: PAGE_SIZE }
}

/// Renders the page of an invalid link. It is the same for every reason, so that it reveals
/// nothing. Its status is 404.
fn render_invalid_link_page(user_name: String) -> Result<Response> {
    let page = MessagePage {
        user_name: &user_name,
        title: language::text("sharing-page.invalidLinkTitle"),
        text: language::text("sharing-page.invalidLink"),
        link: "/",
        action: match user_name.is_empty() {
            true => language::text("shell.signIn"),
            false => language::text("common.myCharts"),
        },
    };
    let mut response = render_message_page(&page)?;
    response.status = StatusCode::NOT_FOUND;
    Ok(response)
}

/// Renders a page with a chart or a folder, with a content security policy that allows no scripts.
fn render_content_page(page: &impl Template) -> Result<Response> {
    render_uncached_page(page, CONTENT_CSP)
}

/// Renders a page with a message, with a content security policy that allows scripts of this
/// server.
fn render_message_page(page: &impl Template) -> Result<Response> {
    render_uncached_page(page, MESSAGE_CSP)
}

/// Renders a page that must not be cached, because its address is a secret. `policy` is its content
/// security policy.
fn render_uncached_page(page: &impl Template, policy: &'static str) -> Result<Response> {
    let text = page.render().map_err(|error| Error::internal(error.to_string()))?;
    Response::html(text)
        .with_header(CACHE_CONTROL, "no-store")?
        .with_header(CONTENT_SECURITY_POLICY, policy)
}
