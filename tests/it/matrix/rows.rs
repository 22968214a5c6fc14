//! One row for every route of the server: the request, and the targets of the route.

/// Target of a route, which determines its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// A document.
    Document,
    /// A folder.
    Folder,
    /// The folder in an account that contains both.
    Place,
    /// All nodes of a person or an organization.
    Account,
    /// An organization, which only its members may know.
    Org,
    /// A team of the organization.
    Team,
    /// Data of the caller or public data. There is nothing to hide.
    Plain,
}

/// A route as the route table spells it, and a request to it. `{owner}` is the account, `{doc}` the
/// document, `{folder}` the path of the folder without its first slash, `{inside}` that of the
/// place with it, `{org}` the organization, and `{team}` its team. `{thread}` and `{comment}` are
/// on the document.
pub struct Row {
    pub route: &'static str,
    pub about: About,
    /// Path and query.
    pub ask: &'static str,
    /// JSON, a form, or an empty text.
    pub body: &'static str,
}

const fn row(route: &'static str, about: About, ask: &'static str, body: &'static str) -> Row {
    Row { route, about, ask, body }
}

/// Every route, in the order of the snapshot.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    // documents
    row("POST /api/v1/create-document", About::Place, "/api/v1/create-document", r#"{"widget":"bar","owner":"{owner}","folder":"{inside}"}"#),
    row("POST /api/v1/render", About::Plain, "/api/v1/render", r#"{"plugin_id":"bar"}"#),
    row("GET /api/v1/users/{user_id}/documents/{doc}", About::Document, "/api/v1/users/{owner}/documents/{doc}", ""),
    row("PUT /api/v1/users/{user_id}/documents/{doc}", About::Document, "/api/v1/users/{owner}/documents/{doc}", r#"{"title":"New"}"#),
    row("PUT /api/v1/users/{user_id}/documents/{doc}/data", About::Document, "/api/v1/users/{owner}/documents/{doc}/data", "[]"),
    row("PATCH /api/v1/users/{user_id}/documents/{doc}", About::Document, "/api/v1/users/{owner}/documents/{doc}", r#"{"title":"New"}"#),
    row("DELETE /api/v1/users/{user_id}/documents/{doc}", About::Document, "/api/v1/users/{owner}/documents/{doc}", ""),
    row("DELETE /api/v1/users/{user_id}/documents/{doc}", About::Document, "/api/v1/users/{owner}/documents/{doc}?expunge=1", ""),
    row("POST /api/v1/users/{user_id}/documents/{doc}", About::Document, "/api/v1/users/{owner}/documents/{doc}", r#"{"action":"close"}"#),
    row("POST /api/v1/users/{user_id}/documents/{doc}", About::Document, "/api/v1/users/{owner}/documents/{doc}", r#"{"action":"fork"}"#),
    row("POST /api/v1/users/{user_id}/documents/{doc}", About::Document, "/api/v1/users/{owner}/documents/{doc}", r#"{"action":"restore"}"#),
    row("POST /api/v1/users/{user_id}/documents/{doc}/move", About::Document, "/api/v1/users/{owner}/documents/{doc}/move", r#"{"folder":"{inside}/Moved"}"#),
    row("POST /api/v1/users/{user_id}/documents/{doc}/add-record", About::Document, "/api/v1/users/{owner}/documents/{doc}/add-record", r#"{"label":"a","value":1}"#),
    row("GET /api/v1/users/{user_id}/documents/{doc}/history", About::Document, "/api/v1/users/{owner}/documents/{doc}/history", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}/history/{n}", About::Document, "/api/v1/users/{owner}/documents/{doc}/history/1", ""),
    row("PATCH /api/v1/users/{user_id}/documents/{doc}/history/{n}", About::Document, "/api/v1/users/{owner}/documents/{doc}/history/1", r#"{"name":"N"}"#),
    row("POST /api/v1/users/{user_id}/documents/{doc}/history/{n}/restore", About::Document, "/api/v1/users/{owner}/documents/{doc}/history/1/restore", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}/history/{n}/diff", About::Document, "/api/v1/users/{owner}/documents/{doc}/history/1/diff?against=1", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}/history/{n}.svg", About::Document, "/api/v1/users/{owner}/documents/{doc}/history/1.svg", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}/history/{n}.png", About::Document, "/api/v1/users/{owner}/documents/{doc}/history/1.png", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}/token", About::Document, "/api/v1/users/{owner}/documents/{doc}/token", ""),
    row("POST /api/v1/users/{user_id}/documents/{doc}/token", About::Document, "/api/v1/users/{owner}/documents/{doc}/token", "{}"),
    row("GET /api/v1/users/{user_id}/documents/{doc}.svg", About::Document, "/api/v1/users/{owner}/documents/{doc}.svg", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}.png", About::Document, "/api/v1/users/{owner}/documents/{doc}.png", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}.html", About::Document, "/api/v1/users/{owner}/documents/{doc}.html", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}/thumbnail.png", About::Document, "/api/v1/users/{owner}/documents/{doc}/thumbnail.png", ""),
    row("GET /d/{owner}/{doc}", About::Document, "/d/{owner}/{doc}", ""),

    // lists
    row("GET /api/v1/users/{user_id}/list", About::Account, "/api/v1/users/{owner}/list", ""),
    row("GET /api/v1/users/{user_id}/list/{*path}", About::Folder, "/api/v1/users/{owner}/list/{folder}", ""),
    row("GET /f/{owner}", About::Account, "/f/{owner}", ""),
    row("GET /f/{owner}/{*path}", About::Folder, "/f/{owner}/{folder}", ""),
    row("GET /api/v1/users/{user_id}/recent", About::Account, "/api/v1/users/{owner}/recent", ""),
    row("GET /api/v1/users/{user_id}/trash", About::Account, "/api/v1/users/{owner}/trash", ""),
    row("GET /api/v1/search", About::Plain, "/api/v1/search?query=bar", ""),
    row("DELETE /api/v1/users/{user_id}/trash", About::Account, "/api/v1/users/{owner}/trash", ""),

    // folders
    row("GET /api/v1/users/{user_id}/folders", About::Account, "/api/v1/users/{owner}/folders", ""),
    row("GET /api/v1/users/{user_id}/folders/{*path}", About::Folder, "/api/v1/users/{owner}/folders/{folder}", ""),
    row("PUT /api/v1/users/{user_id}/folders/{*path}", About::Folder, "/api/v1/users/{owner}/folders/{folder}", r#"{"title":"New {new}"}"#),
    row("PUT /api/v1/users/{user_id}/folders/{*path}", About::Folder, "/api/v1/users/{owner}/folders/{folder}", r#"{"name":"{inside}/Moved {new}"}"#),
    row("POST /api/v1/users/{user_id}/folders/{*path}", About::Folder, "/api/v1/users/{owner}/folders/{folder}", r#"{"action":"duplicate"}"#),
    row("POST /api/v1/users/{user_id}/folders/{*path}", About::Folder, "/api/v1/users/{owner}/folders/{folder}", r#"{"action":"restore"}"#),
    row("DELETE /api/v1/users/{user_id}/folders/{*path}", About::Folder, "/api/v1/users/{owner}/folders/{folder}", ""),
    row("DELETE /api/v1/users/{user_id}/folders/{*path}", About::Folder, "/api/v1/users/{owner}/folders/{folder}?expunge=1", ""),

    // sharing
    row("POST /api/v1/share", About::Document, "/api/v1/share", r#"{"owner":"{owner}","document":"{doc}"}"#),
    row("POST /api/v1/share", About::Folder, "/api/v1/share", r#"{"owner":"{owner}","folder":"{path}"}"#),
    row("POST /api/v1/share", About::Document, "/api/v1/share", r#"{"owner":"{owner}","document":"{doc}","email":"new@example.org"}"#),
    row("PATCH /api/v1/share", About::Document, "/api/v1/share", r#"{"owner":"{owner}","document":"{doc}","link":"none"}"#),
    row("DELETE /api/v1/share", About::Document, "/api/v1/share", r#"{"owner":"{owner}","document":"{doc}","link":"none"}"#),

    row("GET /api/v1/users/{user_id}/shares", About::Account, "/api/v1/users/{owner}/shares", ""),
    row("GET /api/v1/users/{user_id}/foreign-folders", About::Account, "/api/v1/users/{owner}/foreign-folders", ""),
    row("GET /api/v1/users/{user_id}/foreign-folders", About::Plain, "/api/v1/users/me/foreign-folders", ""),
    row("DELETE /api/v1/users/{user_id}/foreign-folders/{owner}/{*path}", About::Folder, "/api/v1/users/me/foreign-folders/{owner}/{folder}", ""),
    row("GET /api/v1/users/{user_id}/foreign-documents", About::Account, "/api/v1/users/{owner}/foreign-documents", ""),
    row("GET /api/v1/users/{user_id}/foreign-documents", About::Plain, "/api/v1/users/me/foreign-documents", ""),
    row("DELETE /api/v1/users/{user_id}/foreign-documents/{owner}/{doc}", About::Document, "/api/v1/users/me/foreign-documents/{owner}/{doc}", ""),
    row("GET /api/v1/users/{user_id}/visible-folders", About::Account, "/api/v1/users/{owner}/visible-folders", ""),
    row("GET /api/v1/users/{user_id}/visible-folders", About::Plain, "/api/v1/users/me/visible-folders", ""),
    row("GET /s/{token}", About::Plain, "/s/none", ""),
    row("POST /s/{token}", About::Plain, "/s/none", "a=b"),

    // comments
    row("GET /api/v1/users/{user_id}/documents/{doc}/comments", About::Document, "/api/v1/users/{owner}/documents/{doc}/comments", ""),
    row("POST /api/v1/users/{user_id}/documents/{doc}/comments", About::Document, "/api/v1/users/{owner}/documents/{doc}/comments", r#"{"position":{"x":10,"y":20},"content":[{"type":"text","text":"Why?"}]}"#),
    row("GET /api/v1/users/{user_id}/documents/{doc}/comments/{thread}", About::Document, "/api/v1/users/{owner}/documents/{doc}/comments/{thread}", ""),
    row("POST /api/v1/users/{user_id}/documents/{doc}/comments/{thread}", About::Document, "/api/v1/users/{owner}/documents/{doc}/comments/{thread}", r#"{"content":[{"type":"text","text":"Why?"}]}"#),
    row("PUT /api/v1/users/{user_id}/documents/{doc}/comments/{thread}", About::Document, "/api/v1/users/{owner}/documents/{doc}/comments/{thread}", r#"{"position":{"x":1,"y":2}}"#),
    row("PUT /api/v1/users/{user_id}/documents/{doc}/comments/{thread}", About::Document, "/api/v1/users/{owner}/documents/{doc}/comments/{thread}", r#"{"resolved":true}"#),
    row("DELETE /api/v1/users/{user_id}/documents/{doc}/comments/{thread}", About::Document, "/api/v1/users/{owner}/documents/{doc}/comments/{thread}", ""),
    row("PUT /api/v1/users/{user_id}/documents/{doc}/comments/{thread}/{comment}", About::Document, "/api/v1/users/{owner}/documents/{doc}/comments/{thread}/{comment}", r#"{"content":[{"type":"text","text":"Why?"}]}"#),
    row("DELETE /api/v1/users/{user_id}/documents/{doc}/comments/{thread}/{comment}", About::Document, "/api/v1/users/{owner}/documents/{doc}/comments/{thread}/{comment}", ""),

    // casting
    row("POST /api/v1/cast/sessions", About::Document, "/api/v1/cast/sessions", r#"{"document_id":"{doc}","device_name":"Lobby"}"#),
    row("GET /api/v1/cast/sessions/{documentId}", About::Document, "/api/v1/cast/sessions/{doc}", ""),
    row("DELETE /api/v1/cast/sessions/{sessionId}", About::Plain, "/api/v1/cast/sessions/01900000-0000-7000-8000-000000000000", ""),
    row("POST /api/v1/cast/pair", About::Plain, "/api/v1/cast/pair", ""),
    row("GET /api/v1/cast/pair/{poll_token}", About::Plain, "/api/v1/cast/pair/none", ""),
    row("GET /api/v1/cast/{token}/check", About::Plain, "/api/v1/cast/none/check", ""),
    row("GET /api/v1/cast/{token}/document", About::Plain, "/api/v1/cast/none/document", ""),
    row("GET /api/v1/cast/{token}/document.svg", About::Plain, "/api/v1/cast/none/document.svg", ""),
    row("GET /api/v1/cast/{token}/document.png", About::Plain, "/api/v1/cast/none/document.png", ""),
    row("GET /api/v1/cast/{token}/events", About::Plain, "/api/v1/cast/none/events", ""),
    row("POST /api/v1/cast/{token}/seen", About::Plain, "/api/v1/cast/none/seen", r#"{"revision":1}"#),
    row("GET /cast/receiver", About::Plain, "/cast/receiver", ""),
    row("GET /cast/{token}", About::Plain, "/cast/none", ""),
    row("GET /pair", About::Plain, "/pair", ""),
    row("GET /pair/{code}", About::Plain, "/pair/BCDFGHJK", ""),
    row("POST /pair/{code}", About::Plain, "/pair/BCDFGHJK", "document=none&device_name=Lobby"),
    row("GET /assets/cast/{file}", About::Plain, "/assets/cast/cast.js", ""),

    // organizations
    row("GET /api/v1/orgs/{org}", About::Org, "/api/v1/orgs/{org}", ""),
    row("PATCH /api/v1/orgs/{org}", About::Org, "/api/v1/orgs/{org}", r#"{"default_theme":"light"}"#),
    row("GET /api/v1/orgs/{org}/settings", About::Org, "/api/v1/orgs/{org}/settings", ""),
    row("PUT /api/v1/orgs/{org}/settings", About::Org, "/api/v1/orgs/{org}/settings", "{}"),
    row("PATCH /api/v1/orgs/{org}/settings", About::Org, "/api/v1/orgs/{org}/settings", "{}"),
    row("POST /api/v1/orgs/{org}/settings/layouts", About::Org, "/api/v1/orgs/{org}/settings/layouts", r#"{"name":"Wide","width":800,"height":400}"#),
    row("DELETE /api/v1/orgs/{org}/settings/layouts/{name}", About::Org, "/api/v1/orgs/{org}/settings/layouts/none", ""),
    row("DELETE /api/v1/orgs/{org}/settings/layouts", About::Org, "/api/v1/orgs/{org}/settings/layouts", ""),
    row("DELETE /api/v1/orgs/{org}/settings/{key}", About::Org, "/api/v1/orgs/{org}/settings/enforce_sso", ""),
    row("GET /api/v1/orgs/{org}/teams", About::Org, "/api/v1/orgs/{org}/teams", ""),
    row("POST /api/v1/orgs/{org}/teams", About::Org, "/api/v1/orgs/{org}/teams", r#"{"name":"New {new}"}"#),
    row("GET /api/v1/orgs/{org}/team/{team}", About::Org, "/api/v1/orgs/{org}/team/{team}", ""),
    row("GET /api/v1/orgs/{org}/team/{team}", About::Team, "/api/v1/orgs/{org}/team/{team}", ""),
    row("PUT /api/v1/orgs/{org}/team/{team}", About::Team, "/api/v1/orgs/{org}/team/{team}", r#"{"members":[]}"#),
    row("DELETE /api/v1/orgs/{org}/team/{team}", About::Team, "/api/v1/orgs/{org}/team/{team}", ""),
    row("PUT /api/v1/orgs/{org}/team/{team}/member/{id}", About::Team, "/api/v1/orgs/{org}/team/{team}/member/me", ""),
    row("DELETE /api/v1/orgs/{org}/team/{team}/member/{id}", About::Team, "/api/v1/orgs/{org}/team/{team}/member/me", ""),

    // the caller's account
    row("POST /api/v1/session", About::Plain, "/api/v1/session", r#"{"email":"nobody@example.org","password":"not the password"}"#),
    row("DELETE /api/v1/session", About::Plain, "/api/v1/session", ""),
    row("GET /api/v1/user", About::Plain, "/api/v1/user", ""),
    row("PATCH /api/v1/user", About::Plain, "/api/v1/user", "{}"),
    row("GET /api/v1/user/tokens", About::Plain, "/api/v1/user/tokens", ""),
    row("POST /api/v1/user/tokens", About::Plain, "/api/v1/user/tokens", r#"{"name":"new"}"#),
    row("DELETE /api/v1/user/tokens/{id}", About::Plain, "/api/v1/user/tokens/01900000-0000-7000-8000-000000000000", ""),
    row("GET /api/v1/users/{user_id}/avatar.svg", About::Plain, "/api/v1/users/{owner}/avatar.svg", ""),

    // public
    row("GET /api/v1/portfolio", About::Plain, "/api/v1/portfolio", ""),
    row("GET /api/v1/portfolio/search", About::Plain, "/api/v1/portfolio/search?query=bar", ""),
    row("GET /api/v1/portfolio/widgets/{id}", About::Plain, "/api/v1/portfolio/widgets/bar", ""),
    row("GET /api/v1/portfolio/widgets/{id}/thumbnail.svg", About::Plain, "/api/v1/portfolio/widgets/bar/thumbnail.svg", ""),
    row("GET /api/v1/portfolio/widgets/{id}/icon.svg", About::Plain, "/api/v1/portfolio/widgets/bar/icon.svg", ""),
    row("PUT /api/v1/portfolio/favorites/{id}", About::Plain, "/api/v1/portfolio/favorites/bar", ""),
    row("DELETE /api/v1/portfolio/favorites/{id}", About::Plain, "/api/v1/portfolio/favorites/bar", ""),
    row("GET /api/v1/widgets/{id}", About::Plain, "/api/v1/widgets/bar", ""),
    row("GET /api/v1/widgets/{id}/reviews", About::Plain, "/api/v1/widgets/bar/reviews", ""),
    row("POST /api/v1/widgets/{id}/reviews", About::Plain, "/api/v1/widgets/bar/reviews", r#"{"rating":5}"#),
    row("GET /api/v1/openapi.json", About::Plain, "/api/v1/openapi.json", ""),

    // pages and health
    row("GET /", About::Plain, "/", ""),
    row("GET /recent", About::Plain, "/recent", ""),
    row("GET /shared", About::Plain, "/shared", ""),
    row("GET /trash", About::Account, "/trash?owner={owner}", ""),
    row("GET /search", About::Plain, "/search?q=bar", ""),
    row("GET /sign-in", About::Plain, "/sign-in", ""),
    row("POST /sign-in", About::Plain, "/sign-in", "email=nobody%40example.org&password=not+the+password"),
    row("POST /sign-out", About::Plain, "/sign-out", "a=b"),
    row("GET /setup/{token}", About::Plain, "/setup/none", ""),
    row("POST /setup/{token}", About::Plain, "/setup/none", "email=a%40example.org&name=A&password=correct+horse+battery"),
    row("GET /help/errors/{code}", About::Plain, "/help/errors/not_found", ""),
    row("GET /help/api", About::Plain, "/help/api", ""),
    row("GET /assets/{*path}", About::Plain, "/assets/none", ""),
    row("GET /livez", About::Plain, "/livez", ""),
    row("GET /readyz", About::Plain, "/readyz", ""),
];
