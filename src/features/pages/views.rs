//! The templates of the pages and what each is given.

use askama::Template;

use crate::features::listing::Card;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;

/// A page of the library.
#[derive(Template)]
#[template(path = "library.html")]
pub struct Library {
    pub who: String,
    /// The word for the page: `all`, `recent`, `folder`, `shared`, `trash` or `search`.
    pub view: &'static str,
    pub title: String,
    /// The way to a folder, without itself.
    pub crumbs: Vec<Link>,
    /// Address of this page.
    pub here: String,
    /// The top of one's own folders.
    pub mine: Link,
    /// Those of one's organizations.
    pub orgs: Vec<Link>,
    /// Entries on all pages.
    pub count: u64,
    pub cards: Vec<Card>,
    /// What is said when there are none.
    pub empty: String,
    /// Address of the page before; empty on the first.
    pub previous: String,
    /// Address of the page after; empty on the last.
    pub next: String,
    /// What the script begins with, as JSON that may stand in a script element.
    pub boot: String,
}

/// A place to go to.
pub struct Link {
    pub label: String,
    pub href: String,
}

/// An error, for people.
#[derive(Template)]
#[template(path = "error.html")]
pub struct ErrorPage {
    pub title: &'static str,
    /// What is wrong in this case.
    pub text: String,
    /// What that means.
    pub explanation: &'static str,
    /// By which the operator finds it in the log.
    pub request_id: String,
}

/// The routes, grouped by their first word.
#[derive(Template)]
#[template(path = "api.html")]
pub struct Api<'a> {
    /// The name of who is signed in; empty for nobody.
    pub who: &'a str,
    pub groups: &'a [Group],
}

/// Routes that begin alike.
pub struct Group {
    pub name: String,
    pub rows: Vec<Row>,
}

/// One route.
pub struct Row {
    pub method: &'static str,
    pub path: String,
    pub summary: &'static str,
}

/// The page as an answer.
pub fn response(page: &impl Template) -> Result<Response> {
    let text = page.render().map_err(|error| Error::internal(error.to_string()))?;
    Ok(Response::html(text))
}
