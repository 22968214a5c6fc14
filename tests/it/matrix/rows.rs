//! One row for every route of the server: the request, and the targets of the route.

/// Kind of target of a route, which determines its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteTarget {
    /// A document.
    Document,
    /// A folder.
    Folder,
    /// The folder in an account that contains the documents and folders.
    Place,
    /// All nodes of a person or an organization.
    Account,
    /// An organization, which only its members may know.
    Org,
    /// A team of the organization.
    Team,
    /// Data of the caller or public data. There is nothing to hide.
    NotHidden,
}

/// A route as the route table spells it, and a request to it. `{owner}` is the account, `{doc}` the
/// document, `{folder}` the path of the folder without its first slash, `{inside}` that of the
/// place with it, `{org}` the organization, `{team}` its team, and `{managed}` its managed account.
/// `{thread}` and `{comment}` are on the document. `{new}` is the name of the caller, and `{slug}`
/// the same with hyphens.
pub struct Row {
    /// Method and path in the route table.
    pub route: &'static str,
    pub target: RouteTarget,
    /// Path and query of the request, with placeholders.
    pub path_template: &'static str,
    /// JSON, a form, or an empty text, with placeholders.
    pub body: &'static str,
}

/// Creates a row.
const fn row(
    route: &'static str,
    target: RouteTarget,
    path_template: &'static str,
    body: &'static str,
) -> Row {
    Row { route, target, path_template, body }
}

/// Every route, in the order of the snapshot.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    // documents
    row("POST /api/v1/create-document", RouteTarget::Place, "/api/v1/create-document", r#"{"widget":"bar","owner":"{owner}","folder":"{inside}"}"#),
    row("POST /api/v1/render", RouteTarget::NotHidden, "/api/v1/render", r#"{"plugin_id":"bar"}"#),
    row("POST /api/v1/tables", RouteTarget::NotHidden, "/api/v1/tables", r#"[{"Name":"A","Sales":1}]"#),
    row("GET /api/v1/users/{user_id}/documents/{doc}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}", ""),
    row("PUT /api/v1/users/{user_id}/documents/{doc}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}", r#"{"title":"New"}"#),
    row("PUT /api/v1/users/{user_id}/documents/{doc}/data", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/data", "[]"),
    row("PATCH /api/v1/users/{user_id}/documents/{doc}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}", r#"{"title":"New"}"#),
    row("DELETE /api/v1/users/{user_id}/documents/{doc}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}", ""),
    row("DELETE /api/v1/users/{user_id}/documents/{doc}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}?expunge=1", ""),
    row("POST /api/v1/users/{user_id}/documents/{doc}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}", r#"{"action":"close"}"#),
    row("POST /api/v1/users/{user_id}/documents/{doc}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}", r#"{"action":"fork"}"#),
    row("POST /api/v1/users/{user_id}/documents/{doc}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}", r#"{"action":"restore"}"#),
    row("POST /api/v1/users/{user_id}/documents/{doc}/move", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/move", r#"{"folder":"{inside}/Moved"}"#),
    row("POST /api/v1/users/{user_id}/documents/{doc}/add-record", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/add-record", r#"{"label":"a","value":1}"#),
    row("GET /api/v1/users/{user_id}/documents/{doc}/history", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/history", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}/history/{n}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/history/1", ""),
    row("PATCH /api/v1/users/{user_id}/documents/{doc}/history/{n}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/history/1", r#"{"name":"N"}"#),
    row("POST /api/v1/users/{user_id}/documents/{doc}/history/{n}/restore", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/history/1/restore", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}/history/{n}/diff", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/history/1/diff?against=1", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}/history/{n}.svg", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/history/1.svg", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}/history/{n}.png", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/history/1.png", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}/token", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/token", ""),
    row("POST /api/v1/users/{user_id}/documents/{doc}/token", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/token", "{}"),
    row("GET /api/v1/users/{user_id}/documents/{doc}.svg", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}.svg", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}.png", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}.png", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}.html", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}.html", ""),
    row("GET /api/v1/users/{user_id}/documents/{doc}/thumbnail.png", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/thumbnail.png", ""),
    row("GET /d/{owner}/{doc}", RouteTarget::Document, "/d/{owner}/{doc}", ""),

    // lists
    row("GET /api/v1/users/{user_id}/list", RouteTarget::Account, "/api/v1/users/{owner}/list", ""),
    row("GET /api/v1/users/{user_id}/list/{*path}", RouteTarget::Folder, "/api/v1/users/{owner}/list/{folder}", ""),
    row("GET /f/{owner}", RouteTarget::Account, "/f/{owner}", ""),
    row("GET /f/{owner}/{*path}", RouteTarget::Folder, "/f/{owner}/{folder}", ""),
    row("GET /api/v1/users/{user_id}/recent", RouteTarget::Account, "/api/v1/users/{owner}/recent", ""),
    row("GET /api/v1/users/{user_id}/trash", RouteTarget::Account, "/api/v1/users/{owner}/trash", ""),
    row("GET /api/v1/search", RouteTarget::NotHidden, "/api/v1/search?query=bar", ""),
    row("DELETE /api/v1/users/{user_id}/trash", RouteTarget::Account, "/api/v1/users/{owner}/trash", ""),

    // folders
    row("GET /api/v1/users/{user_id}/folders", RouteTarget::Account, "/api/v1/users/{owner}/folders", ""),
    row("GET /api/v1/users/{user_id}/folders/{*path}", RouteTarget::Folder, "/api/v1/users/{owner}/folders/{folder}", ""),
    row("PUT /api/v1/users/{user_id}/folders/{*path}", RouteTarget::Folder, "/api/v1/users/{owner}/folders/{folder}", r#"{"title":"New {new}"}"#),
    row("PUT /api/v1/users/{user_id}/folders/{*path}", RouteTarget::Folder, "/api/v1/users/{owner}/folders/{folder}", r#"{"name":"{inside}/Moved {new}"}"#),
    row("POST /api/v1/users/{user_id}/folders/{*path}", RouteTarget::Folder, "/api/v1/users/{owner}/folders/{folder}", r#"{"action":"duplicate"}"#),
    row("POST /api/v1/users/{user_id}/folders/{*path}", RouteTarget::Folder, "/api/v1/users/{owner}/folders/{folder}", r#"{"action":"restore"}"#),
    row("DELETE /api/v1/users/{user_id}/folders/{*path}", RouteTarget::Folder, "/api/v1/users/{owner}/folders/{folder}", ""),
    row("DELETE /api/v1/users/{user_id}/folders/{*path}", RouteTarget::Folder, "/api/v1/users/{owner}/folders/{folder}?expunge=1", ""),

    // sharing
    row("POST /api/v1/share", RouteTarget::Document, "/api/v1/share", r#"{"owner":"{owner}","document":"{doc}"}"#),
    row("POST /api/v1/share", RouteTarget::Folder, "/api/v1/share", r#"{"owner":"{owner}","folder":"{path}"}"#),
    row("POST /api/v1/share", RouteTarget::Document, "/api/v1/share", r#"{"owner":"{owner}","document":"{doc}","email":"new@example.org"}"#),
    row("PATCH /api/v1/share", RouteTarget::Document, "/api/v1/share", r#"{"owner":"{owner}","document":"{doc}","link":"none"}"#),
    row("DELETE /api/v1/share", RouteTarget::Document, "/api/v1/share", r#"{"owner":"{owner}","document":"{doc}","link":"none"}"#),

    row("GET /api/v1/users/{user_id}/shares", RouteTarget::Account, "/api/v1/users/{owner}/shares", ""),
    row("GET /api/v1/users/{user_id}/foreign-folders", RouteTarget::Account, "/api/v1/users/{owner}/foreign-folders", ""),
    row("GET /api/v1/users/{user_id}/foreign-folders", RouteTarget::NotHidden, "/api/v1/users/me/foreign-folders", ""),
    row("DELETE /api/v1/users/{user_id}/foreign-folders/{owner}/{*path}", RouteTarget::Folder, "/api/v1/users/me/foreign-folders/{owner}/{folder}", ""),
    row("GET /api/v1/users/{user_id}/foreign-documents", RouteTarget::Account, "/api/v1/users/{owner}/foreign-documents", ""),
    row("GET /api/v1/users/{user_id}/foreign-documents", RouteTarget::NotHidden, "/api/v1/users/me/foreign-documents", ""),
    row("DELETE /api/v1/users/{user_id}/foreign-documents/{owner}/{doc}", RouteTarget::Document, "/api/v1/users/me/foreign-documents/{owner}/{doc}", ""),
    row("GET /api/v1/users/{user_id}/visible-folders", RouteTarget::Account, "/api/v1/users/{owner}/visible-folders", ""),
    row("GET /api/v1/users/{user_id}/visible-folders", RouteTarget::NotHidden, "/api/v1/users/me/visible-folders", ""),
    row("GET /s/{token}", RouteTarget::NotHidden, "/s/none", ""),
    row("POST /s/{token}", RouteTarget::NotHidden, "/s/none", "a=b"),

    // comments
    row("GET /api/v1/users/{user_id}/documents/{doc}/comments", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/comments", ""),
    row("POST /api/v1/users/{user_id}/documents/{doc}/comments", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/comments", r#"{"position":{"x":10,"y":20},"content":[{"type":"text","text":"Why?"}]}"#),
    row("GET /api/v1/users/{user_id}/documents/{doc}/comments/{thread}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/comments/{thread}", ""),
    row("POST /api/v1/users/{user_id}/documents/{doc}/comments/{thread}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/comments/{thread}", r#"{"content":[{"type":"text","text":"Why?"}]}"#),
    row("PUT /api/v1/users/{user_id}/documents/{doc}/comments/{thread}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/comments/{thread}", r#"{"position":{"x":1,"y":2}}"#),
    row("PUT /api/v1/users/{user_id}/documents/{doc}/comments/{thread}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/comments/{thread}", r#"{"resolved":true}"#),
    row("DELETE /api/v1/users/{user_id}/documents/{doc}/comments/{thread}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/comments/{thread}", ""),
    row("PUT /api/v1/users/{user_id}/documents/{doc}/comments/{thread}/{comment}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/comments/{thread}/{comment}", r#"{"content":[{"type":"text","text":"Why?"}]}"#),
    row("DELETE /api/v1/users/{user_id}/documents/{doc}/comments/{thread}/{comment}", RouteTarget::Document, "/api/v1/users/{owner}/documents/{doc}/comments/{thread}/{comment}", ""),

    // casting
    row("POST /api/v1/cast/sessions", RouteTarget::Document, "/api/v1/cast/sessions", r#"{"document_id":"{doc}","device_name":"Lobby"}"#),
    row("GET /api/v1/cast/sessions/{documentId}", RouteTarget::Document, "/api/v1/cast/sessions/{doc}", ""),
    row("DELETE /api/v1/cast/sessions/{sessionId}", RouteTarget::NotHidden, "/api/v1/cast/sessions/01900000-0000-7000-8000-000000000000", ""),
    row("POST /api/v1/cast/pair", RouteTarget::NotHidden, "/api/v1/cast/pair", ""),
    row("GET /api/v1/cast/pair/{poll_token}", RouteTarget::NotHidden, "/api/v1/cast/pair/none", ""),
    row("GET /api/v1/cast/{token}/check", RouteTarget::NotHidden, "/api/v1/cast/none/check", ""),
    row("GET /api/v1/cast/{token}/document", RouteTarget::NotHidden, "/api/v1/cast/none/document", ""),
    row("GET /api/v1/cast/{token}/document.svg", RouteTarget::NotHidden, "/api/v1/cast/none/document.svg", ""),
    row("GET /api/v1/cast/{token}/document.png", RouteTarget::NotHidden, "/api/v1/cast/none/document.png", ""),
    row("GET /api/v1/cast/{token}/events", RouteTarget::NotHidden, "/api/v1/cast/none/events", ""),
    row("POST /api/v1/cast/{token}/seen", RouteTarget::NotHidden, "/api/v1/cast/none/seen", r#"{"revision":1}"#),
    row("GET /cast/receiver", RouteTarget::NotHidden, "/cast/receiver", ""),
    row("GET /cast/{token}", RouteTarget::NotHidden, "/cast/none", ""),
    row("GET /pair", RouteTarget::NotHidden, "/pair", ""),
    row("GET /pair/{code}", RouteTarget::NotHidden, "/pair/BCDFGHJK", ""),
    row("POST /pair/{code}", RouteTarget::NotHidden, "/pair/BCDFGHJK", "document=none&device_name=Lobby"),
    row("GET /assets/cast/{file}", RouteTarget::NotHidden, "/assets/cast/cast.js", ""),

    // organizations
    row("GET /api/v1/orgs/{org}", RouteTarget::Org, "/api/v1/orgs/{org}", ""),
    row("PATCH /api/v1/orgs/{org}", RouteTarget::Org, "/api/v1/orgs/{org}", r#"{"default_theme":"light"}"#),
    row("GET /api/v1/orgs/{org}/settings", RouteTarget::Org, "/api/v1/orgs/{org}/settings", ""),
    row("PUT /api/v1/orgs/{org}/settings", RouteTarget::Org, "/api/v1/orgs/{org}/settings", "{}"),
    row("PATCH /api/v1/orgs/{org}/settings", RouteTarget::Org, "/api/v1/orgs/{org}/settings", "{}"),
    row("POST /api/v1/orgs/{org}/settings/layouts", RouteTarget::Org, "/api/v1/orgs/{org}/settings/layouts", r#"{"name":"Wide","width":800,"height":400}"#),
    row("DELETE /api/v1/orgs/{org}/settings/layouts/{name}", RouteTarget::Org, "/api/v1/orgs/{org}/settings/layouts/none", ""),
    row("DELETE /api/v1/orgs/{org}/settings/layouts", RouteTarget::Org, "/api/v1/orgs/{org}/settings/layouts", ""),
    row("DELETE /api/v1/orgs/{org}/settings/{key}", RouteTarget::Org, "/api/v1/orgs/{org}/settings/enforce_sso", ""),
    row("GET /api/v1/orgs/{org}/teams", RouteTarget::Org, "/api/v1/orgs/{org}/teams", ""),
    row("POST /api/v1/orgs/{org}/teams", RouteTarget::Org, "/api/v1/orgs/{org}/teams", r#"{"name":"New {new}"}"#),
    row("GET /api/v1/orgs/{org}/team/{team}", RouteTarget::Org, "/api/v1/orgs/{org}/team/{team}", ""),
    row("GET /api/v1/orgs/{org}/team/{team}", RouteTarget::Team, "/api/v1/orgs/{org}/team/{team}", ""),
    row("PUT /api/v1/orgs/{org}/team/{team}", RouteTarget::Team, "/api/v1/orgs/{org}/team/{team}", r#"{"members":[]}"#),
    row("DELETE /api/v1/orgs/{org}/team/{team}", RouteTarget::Team, "/api/v1/orgs/{org}/team/{team}", ""),
    row("PUT /api/v1/orgs/{org}/team/{team}/member/{id}", RouteTarget::Team, "/api/v1/orgs/{org}/team/{team}/member/me", ""),
    row("DELETE /api/v1/orgs/{org}/team/{team}/member/{id}", RouteTarget::Team, "/api/v1/orgs/{org}/team/{team}/member/me", ""),
    row("GET /api/v1/orgs/{org}/members", RouteTarget::Org, "/api/v1/orgs/{org}/members", ""),
    row("POST /api/v1/orgs/{org}/members/remove", RouteTarget::Org, "/api/v1/orgs/{org}/members/remove?id=7", ""),
    row("GET /api/v1/orgs/{org}/users", RouteTarget::Org, "/api/v1/orgs/{org}/users", ""),
    row("POST /api/v1/orgs/{org}/users/check", RouteTarget::Org, "/api/v1/orgs/{org}/users/check", r#"{"name":"New","email":"new@acme.example"}"#),
    row("POST /api/v1/orgs/{org}/users", RouteTarget::Org, "/api/v1/orgs/{org}/users", r#"{"name":"New","email":"new@acme.example"}"#),
    row("GET /api/v1/orgs/{org}/users/{id}", RouteTarget::Org, "/api/v1/orgs/{org}/users/{managed}", ""),
    row("PATCH /api/v1/orgs/{org}/users/{id}", RouteTarget::Org, "/api/v1/orgs/{org}/users/{managed}", r#"{"name":"Man"}"#),
    row("DELETE /api/v1/orgs/{org}/users/{id}", RouteTarget::Org, "/api/v1/orgs/{org}/users/7", ""),
    row("POST /api/v1/orgs/{org}/users/{id}/send", RouteTarget::Org, "/api/v1/orgs/{org}/users/{managed}/send", ""),
    row("GET /api/v1/orgs/{org}/invites", RouteTarget::Org, "/api/v1/orgs/{org}/invites", ""),
    row("POST /api/v1/orgs/{org}/invites/check", RouteTarget::Org, "/api/v1/orgs/{org}/invites/check", r#"{"emails":["new@example.com"]}"#),
    row("POST /api/v1/orgs/{org}/invites", RouteTarget::Org, "/api/v1/orgs/{org}/invites", r#"{"emails":["new@example.com"]}"#),
    row("DELETE /api/v1/orgs/{org}/invite/{id}", RouteTarget::Org, "/api/v1/orgs/{org}/invite/01900000-0000-7000-8000-000000000000", ""),
    row("POST /api/v1/orgs/{org}/invites/{id}/send", RouteTarget::Org, "/api/v1/orgs/{org}/invites/01900000-0000-7000-8000-000000000000/send", ""),
    row("GET /api/v1/orgs/{org}/subscription", RouteTarget::Org, "/api/v1/orgs/{org}/subscription", ""),
    row("GET /invite/{token}", RouteTarget::NotHidden, "/invite/none", ""),
    row("POST /invite/{token}", RouteTarget::NotHidden, "/invite/none", "name=A&password=correct+horse+battery"),
    row("GET /api/v1/orgs/{org}/domains", RouteTarget::Org, "/api/v1/orgs/{org}/domains", ""),
    row("POST /api/v1/orgs/{org}/domains", RouteTarget::Org, "/api/v1/orgs/{org}/domains", r#"{"domain":"example.org"}"#),
    row("POST /api/v1/orgs/{org}/domains/{domain}/verify", RouteTarget::Org, "/api/v1/orgs/{org}/domains/absent.example.org/verify", ""),
    row("DELETE /api/v1/orgs/{org}/domains/{domain}", RouteTarget::Org, "/api/v1/orgs/{org}/domains/absent.example.org", ""),
    row("GET /api/v1/orgs/{org}/audit-log", RouteTarget::Org, "/api/v1/orgs/{org}/audit-log", ""),
    row("GET /api/v1/orgs/{org}/themes", RouteTarget::Org, "/api/v1/orgs/{org}/themes", ""),
    row("POST /api/v1/orgs/{org}/themes", RouteTarget::Org, "/api/v1/orgs/{org}/themes", r#"{"name":"{slug}"}"#),
    row("GET /api/v1/orgs/{org}/themes/{name}", RouteTarget::Org, "/api/v1/orgs/{org}/themes/owner", ""),
    row("PUT /api/v1/orgs/{org}/themes/{name}", RouteTarget::Org, "/api/v1/orgs/{org}/themes/owner", r#"{"title":"New"}"#),
    row("DELETE /api/v1/orgs/{org}/themes/{name}", RouteTarget::Org, "/api/v1/orgs/{org}/themes/{slug}", ""),
    row("GET /api/v1/orgs/{org}/assets", RouteTarget::Org, "/api/v1/orgs/{org}/assets", ""),
    row("POST /api/v1/orgs/{org}/assets", RouteTarget::Org, "/api/v1/orgs/{org}/assets", "not a form with a file"),
    row("PUT /api/v1/orgs/{org}/assets/{filename}", RouteTarget::Org, "/api/v1/orgs/{org}/assets/{slug}.svg", r#"<svg xmlns="http://www.w3.org/2000/svg"/>"#),
    row("GET /api/v1/orgs/{org}/assets/{filename}", RouteTarget::Org, "/api/v1/orgs/{org}/assets/owner.svg", ""),
    row("DELETE /api/v1/orgs/{org}/assets/{filename}", RouteTarget::Org, "/api/v1/orgs/{org}/assets/{slug}.svg", ""),

    // pages of an organization
    row("GET /orgs/{org}", RouteTarget::Org, "/orgs/{org}", ""),
    row("GET /orgs/{org}/members/new", RouteTarget::Org, "/orgs/{org}/members/new", ""),
    row("POST /orgs/{org}/members/new", RouteTarget::Org, "/orgs/{org}/members/new", "name=&email=a%40acme.example"),
    row("GET /orgs/{org}/members/remove", RouteTarget::Org, "/orgs/{org}/members/remove?id={managed}", ""),
    row("POST /orgs/{org}/members/remove", RouteTarget::Org, "/orgs/{org}/members/remove", "id=7"),
    row("GET /orgs/{org}/members/{id}", RouteTarget::Org, "/orgs/{org}/members/{managed}", ""),
    row("POST /orgs/{org}/members/{id}", RouteTarget::Org, "/orgs/{org}/members/{managed}", "name=Man&email=man%40example.org&role=member"),
    row("GET /orgs/{org}/invites", RouteTarget::Org, "/orgs/{org}/invites", ""),
    row("POST /orgs/{org}/invites", RouteTarget::Org, "/orgs/{org}/invites", "step=check&emails=new%40example.com"),
    row("POST /orgs/{org}/invites/{id}/send", RouteTarget::Org, "/orgs/{org}/invites/01900000-0000-7000-8000-000000000000/send", "a=b"),
    row("GET /orgs/{org}/invites/{id}/delete", RouteTarget::Org, "/orgs/{org}/invites/01900000-0000-7000-8000-000000000000/delete", ""),
    row("POST /orgs/{org}/invites/{id}/delete", RouteTarget::Org, "/orgs/{org}/invites/01900000-0000-7000-8000-000000000000/delete", "a=b"),
    row("GET /orgs/{org}/teams", RouteTarget::Org, "/orgs/{org}/teams", ""),
    row("POST /orgs/{org}/teams", RouteTarget::Org, "/orgs/{org}/teams", "name=Page+{new}"),
    row("GET /orgs/{org}/teams/{team}", RouteTarget::Team, "/orgs/{org}/teams/{team}", ""),
    row("POST /orgs/{org}/teams/{team}", RouteTarget::Team, "/orgs/{org}/teams/{team}", "name=Named+{new}"),
    row("GET /orgs/{org}/teams/{team}/delete", RouteTarget::Team, "/orgs/{org}/teams/{team}/delete", ""),
    row("POST /orgs/{org}/teams/{team}/delete", RouteTarget::Team, "/orgs/{org}/teams/{team}/delete", "a=b"),
    row("GET /orgs/{org}/themes", RouteTarget::Org, "/orgs/{org}/themes", ""),
    row("POST /orgs/{org}/settings/default-theme", RouteTarget::Org, "/orgs/{org}/settings/default-theme", "theme=light"),
    row("GET /orgs/{org}/themes/_new", RouteTarget::Org, "/orgs/{org}/themes/_new", ""),
    row("POST /orgs/{org}/themes/_new", RouteTarget::Org, "/orgs/{org}/themes/_new", "title=Page+{slug}&colors=red"),
    row("GET /orgs/{org}/themes/{name}", RouteTarget::Org, "/orgs/{org}/themes/page-owner", ""),
    row("POST /orgs/{org}/themes/{name}", RouteTarget::Org, "/orgs/{org}/themes/page-owner", "title=Old&colors=red&updated=then"),
    row("POST /orgs/{org}/themes/{name}/preview", RouteTarget::Org, "/orgs/{org}/themes/page-owner/preview", "title=New&colors=red"),
    row("GET /orgs/{org}/themes/{name}/sample.svg", RouteTarget::Org, "/orgs/{org}/themes/page-owner/sample.svg", ""),
    row("GET /orgs/{org}/themes/{name}/delete", RouteTarget::Org, "/orgs/{org}/themes/page-owner/delete", ""),
    row("POST /orgs/{org}/themes/{name}/delete", RouteTarget::Org, "/orgs/{org}/themes/page-{slug}/delete", "a=b"),
    row("GET /orgs/{org}/assets", RouteTarget::Org, "/orgs/{org}/assets", ""),
    row("POST /orgs/{org}/assets", RouteTarget::Org, "/orgs/{org}/assets", "not=a+form+with+a+file"),
    row("GET /orgs/{org}/assets/{filename}/delete", RouteTarget::Org, "/orgs/{org}/assets/owner.svg/delete", ""),
    row("POST /orgs/{org}/assets/{filename}/delete", RouteTarget::Org, "/orgs/{org}/assets/{slug}.svg/delete", "a=b"),
    row("GET /orgs/{org}/domains", RouteTarget::Org, "/orgs/{org}/domains", ""),
    row("POST /orgs/{org}/domains", RouteTarget::Org, "/orgs/{org}/domains", "domain=example.org"),
    row("POST /orgs/{org}/domains/{domain}/check", RouteTarget::Org, "/orgs/{org}/domains/absent.example.org/check", "a=b"),
    row("GET /orgs/{org}/domains/{domain}/delete", RouteTarget::Org, "/orgs/{org}/domains/acme.example/delete", ""),
    row("POST /orgs/{org}/domains/{domain}/delete", RouteTarget::Org, "/orgs/{org}/domains/absent.example.org/delete", "a=b"),
    row("GET /orgs/{org}/settings", RouteTarget::Org, "/orgs/{org}/settings", ""),
    row("POST /orgs/{org}/settings", RouteTarget::Org, "/orgs/{org}/settings", "name=The+acme"),
    row("POST /orgs/{org}/settings/layouts", RouteTarget::Org, "/orgs/{org}/settings/layouts", "name=Wide&width=800&height=400&display_unit=pt&margin.top=0&margin.right=0&margin.bottom=0&margin.left=0"),
    row("GET /orgs/{org}/settings/layouts/delete", RouteTarget::Org, "/orgs/{org}/settings/layouts/delete?name=none", ""),
    row("POST /orgs/{org}/settings/layouts/delete", RouteTarget::Org, "/orgs/{org}/settings/layouts/delete", "name=none"),
    row("GET /orgs/{org}/subscription", RouteTarget::Org, "/orgs/{org}/subscription", ""),
    row("GET /orgs/{org}/audit", RouteTarget::Org, "/orgs/{org}/audit", ""),

    // the caller's account
    row("POST /api/v1/session", RouteTarget::NotHidden, "/api/v1/session", r#"{"email":"nobody@example.org","password":"not the password"}"#),
    row("DELETE /api/v1/session", RouteTarget::NotHidden, "/api/v1/session", ""),
    row("GET /api/v1/user", RouteTarget::NotHidden, "/api/v1/user", ""),
    row("PATCH /api/v1/user", RouteTarget::NotHidden, "/api/v1/user", "{}"),
    row("GET /api/v1/user/tokens", RouteTarget::NotHidden, "/api/v1/user/tokens", ""),
    row("POST /api/v1/user/tokens", RouteTarget::NotHidden, "/api/v1/user/tokens", r#"{"name":"new"}"#),
    row("DELETE /api/v1/user/tokens/{id}", RouteTarget::NotHidden, "/api/v1/user/tokens/01900000-0000-7000-8000-000000000000", ""),
    row("GET /api/v1/users/{user_id}/avatar.svg", RouteTarget::NotHidden, "/api/v1/users/{owner}/avatar.svg", ""),

    // public
    row("GET /api/v1/portfolio", RouteTarget::NotHidden, "/api/v1/portfolio", ""),
    row("GET /api/v1/portfolio/search", RouteTarget::NotHidden, "/api/v1/portfolio/search?query=bar", ""),
    row("GET /api/v1/portfolio/widgets/{id}", RouteTarget::NotHidden, "/api/v1/portfolio/widgets/bar", ""),
    row("GET /api/v1/portfolio/widgets/{id}/thumbnail.svg", RouteTarget::NotHidden, "/api/v1/portfolio/widgets/bar/thumbnail.svg", ""),
    row("GET /api/v1/portfolio/widgets/{id}/icon.svg", RouteTarget::NotHidden, "/api/v1/portfolio/widgets/bar/icon.svg", ""),
    row("PUT /api/v1/portfolio/favorites/{id}", RouteTarget::NotHidden, "/api/v1/portfolio/favorites/bar", ""),
    row("DELETE /api/v1/portfolio/favorites/{id}", RouteTarget::NotHidden, "/api/v1/portfolio/favorites/bar", ""),
    row("GET /api/v1/widgets/{id}", RouteTarget::NotHidden, "/api/v1/widgets/bar", ""),
    row("GET /api/v1/widgets/{id}/reviews", RouteTarget::NotHidden, "/api/v1/widgets/bar/reviews", ""),
    row("POST /api/v1/widgets/{id}/reviews", RouteTarget::NotHidden, "/api/v1/widgets/bar/reviews", r#"{"rating":5}"#),
    row("GET /api/v1/openapi.json", RouteTarget::NotHidden, "/api/v1/openapi.json", ""),

    // pages and health
    row("GET /", RouteTarget::NotHidden, "/", ""),
    row("GET /recent", RouteTarget::NotHidden, "/recent", ""),
    row("GET /shared", RouteTarget::NotHidden, "/shared", ""),
    row("GET /trash", RouteTarget::Account, "/trash?owner={owner}", ""),
    row("GET /search", RouteTarget::NotHidden, "/search?q=bar", ""),
    row("GET /sign-in", RouteTarget::NotHidden, "/sign-in", ""),
    row("POST /sign-in", RouteTarget::NotHidden, "/sign-in", "email=nobody%40example.org&password=not+the+password"),
    row("POST /sign-out", RouteTarget::NotHidden, "/sign-out", "a=b"),
    row("GET /setup/{token}", RouteTarget::NotHidden, "/setup/none", ""),
    row("POST /setup/{token}", RouteTarget::NotHidden, "/setup/none", "email=a%40example.org&name=A&password=correct+horse+battery"),
    row("GET /set-password/{token}", RouteTarget::NotHidden, "/set-password/none", ""),
    row("POST /set-password/{token}", RouteTarget::NotHidden, "/set-password/none", "password=correct+horse+battery"),
    row("GET /help/errors/{code}", RouteTarget::NotHidden, "/help/errors/not_found", ""),
    row("GET /help/api", RouteTarget::NotHidden, "/help/api", ""),
    row("GET /assets/{*path}", RouteTarget::NotHidden, "/assets/none", ""),
    row("GET /livez", RouteTarget::NotHidden, "/livez", ""),
    row("GET /readyz", RouteTarget::NotHidden, "/readyz", ""),
];
