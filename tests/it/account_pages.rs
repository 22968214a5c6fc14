//! Tests of the account pages: content, forms and errors, without scripts.

use serde_json::Value;
use serde_json::json;

use crate::org_assets::encode_png;
use crate::test_server::PASSWORD;
use crate::test_server::Response;
use crate::test_server::TestServer;
use crate::test_server::basic_auth;

/// A browser in which a user is signed in.
struct Browser<'a> {
    server: &'a TestServer,
    cookie: String,
}

impl<'a> Browser<'a> {
    /// Signs a user in.
    fn sign_in(server: &'a TestServer, name: &str) -> Self {
        let body = json!({ "email": name, "password": PASSWORD }).to_string();
        let headers = [
            ("content-type", "application/json"),
            ("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"),
        ];
        let signed_in = server.send("POST", "/api/v1/session", &headers, &body);
        assert_eq!(signed_in.status, 200, "{}", signed_in.text);
        Self { server, cookie: signed_in.cookie() }
    }

    /// Requests a page or a path of the API.
    fn get(&self, path: &str) -> Response {
        self.server.send("GET", path, &[("cookie", &self.cookie)], "")
    }

    /// Sends a form from a page.
    fn submit(&self, path: &str, form: &str) -> Response {
        let content_type = "application/x-www-form-urlencoded";
        self.submit_as(path, content_type, form.as_bytes())
    }

    /// Sends a body of any type from a page.
    fn submit_as(&self, path: &str, content_type: &str, body: &[u8]) -> Response {
        let headers = [
            ("cookie", self.cookie.as_str()),
            ("content-type", content_type),
            ("origin", "http://127.0.0.1:8080"),
        ];
        self.server.send_bytes("POST", path, &headers, body)
    }

    /// Sends a form and expects a redirect to a page, which must show this notice.
    fn submit_with_notice(&self, path: &str, form: &str, notice: &str) {
        let response = self.submit(path, form);
        assert_eq!(response.status, 303, "{}", response.text);
        let page = self.get(&response.header("location"));
        assert_eq!(page.status, 200);
        assert!(page.body.contains(notice), "{}", page.body);
    }

    /// Sends a form and expects the page again with a status and this text.
    fn submit_with_error(&self, path: &str, form: &str, (status, text): (u16, &str)) {
        let response = self.submit(path, form);
        assert_eq!(response.status, status, "{}", response.text);
        assert!(response.body.contains(text), "no {text:?}: {}", response.body);
    }

    /// Returns the current user.
    fn user(&self) -> Value {
        self.get("/api/v1/user").json()
    }
}

const PAGES: [&str; 4] =
    ["/account", "/account/security", "/account/tokens", "/account/notifications"];

#[test]
fn pages_are_for_signed_in_people_and_linked_from_the_menu() {
    let server = TestServer::new();
    server.create_user("Ann");
    let ann = Browser::sign_in(&server, "ann");
    for path in PAGES {
        let headers = [("accept", "text/html")];
        let guest = server.send("GET", path, &headers, "");
        assert_ne!(guest.status, 200, "{path}");
        assert!(!guest.body.contains("Password and sessions"), "{path}: {}", guest.body);
        let page = ann.get(path);
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        assert_eq!(page.header("cache-control"), "no-store", "{path}");
        assert!(page.body.contains(&format!(r#"href="{path}" aria-current="page""#)), "{path}");
    }
    assert!(ann.get("/").body.contains(r#"href="/account""#));
}

#[test]
fn forms_from_other_sites_are_refused() {
    let server = TestServer::new();
    server.create_user("Ann");
    let ann = Browser::sign_in(&server, "ann");
    let paths = [
        "/account",
        "/account/layout",
        "/account/avatar",
        "/account/avatar/remove",
        "/account/security",
        "/account/sessions/end",
        "/account/sessions/1/end",
        "/account/tokens",
        "/account/tokens/1/revoke",
        "/account/notifications",
    ];
    for path in paths {
        for origin in ["https://evil.example", "null"] {
            let headers = [
                ("cookie", ann.cookie.as_str()),
                ("content-type", "application/x-www-form-urlencoded"),
                ("origin", origin),
            ];
            let refused = server.send("POST", path, &headers, "name=Eve");
            assert_eq!(refused.status, 403, "{path} {origin}");
        }
    }
    assert_eq!(ann.user()["name"], "Ann");
}

#[test]
fn profile_stores_the_name() {
    let server = TestServer::new();
    server.create_user("Ann");
    let ann = Browser::sign_in(&server, "ann");
    ann.submit_with_notice("/account", "name=Ann+%3Cb%3E", "The profile is saved.");
    assert_eq!(ann.user()["name"], "Ann <b>");
    assert!(!ann.get("/account").body.contains("<b>"), "the name is escaped");
    ann.submit_with_error("/account", "name=+", (400, "Full name must not be empty."));
}

#[test]
fn profile_stores_the_language() {
    let server = TestServer::new();
    server.create_user("Ann");
    let ann = Browser::sign_in(&server, "ann");
    // A form without a language keeps the stored one.
    for form in ["name=Ann&language=de", "name=Ann+A"] {
        ann.submit_with_notice("/account", form, "Das Profil ist gespeichert.");
        assert_eq!(ann.user()["language"], "de", "{form}");
    }
    let refusal = (400, "Sprache muss `en`, `de` oder null sein.");
    ann.submit_with_error("/account", "name=Ann&language=fr", refusal);
    assert_eq!((&ann.user()["language"], &ann.user()["name"]), (&json!("de"), &json!("Ann A")));
    ann.submit_with_notice("/account", "name=Ann&language=", "The profile is saved.");
    assert_eq!(ann.user()["language"], Value::Null);
}

#[test]
fn profile_stores_the_layout() {
    let server = TestServer::new();
    server.create_user("Ann");
    let ann = Browser::sign_in(&server, "ann");
    let margins = "margin.top=10&margin.right=10&margin.bottom=10&margin.left=12.5";
    let form = format!("width=297&height=210&display_unit=mm&{margins}");
    ann.submit_with_notice("/account/layout", &form, "New documents get this layout.");
    let layout = &ann.user()["default_layout"];
    assert!((layout["width"].as_f64().unwrap() - 841.89).abs() < 0.01, "{layout}");
    assert_eq!((&layout["display_unit"], layout.get("name")), (&json!("mm"), None));
    let page = ann.get("/account").body;
    assert!(page.contains(r#"name="width" type="text" inputmode="decimal""#), "{page}");
    assert!(page.contains(r#"value="297""#) && page.contains(r#"value="12.5""#), "{page}");

    let wrong = form.replace("width=297", "width=1");
    ann.submit_with_error(
        "/account/layout",
        &wrong,
        (400, "Width must be from 40 to 4096 points."),
    );
    let wrong = form.replace("height=210", "height=tall");
    ann.submit_with_error("/account/layout", &wrong, (400, "Height must be a number."));
    ann.submit_with_notice("/account/layout", "step=remove", "get the default layout again.");
    assert_eq!(ann.user()["default_layout"], Value::Null);
    let exact = json!({
        "name": "A4", "width": 841.889_763, "height": 595.275_591, "display_unit": "mm",
        "margin": { "top": 28.346_457, "right": 28.346_457, "bottom": 28.346_457, "left": 28.346_457 },
    });
    let (token, patch) =
        (basic_auth("ann", PASSWORD), json!({ "default_layout": exact }).to_string());
    let patched = server.request(&token, "PATCH", "/api/v1/user", &patch);
    assert_eq!(patched.status, 200, "{}", patched.text);
    let stored = ann.user()["default_layout"].clone();
    let form = |width: u32| {
        let margins = "margin.top=10&margin.right=10&margin.bottom=10&margin.left=10";
        format!("width={width}&height=210&display_unit=mm&{margins}")
    };
    ann.submit_with_notice("/account/layout", &form(297), "New documents get this layout.");
    assert_eq!(ann.user()["default_layout"], stored, "an unchanged form keeps the exact values");
    ann.submit_with_notice("/account/layout", &form(300), "New documents get this layout.");
    assert_eq!(ann.user()["default_layout"]["name"], "A4");
    assert_ne!(ann.user()["default_layout"]["width"], stored["width"]);
}

#[test]
fn changed_password_signs_out_other_browsers_but_keeps_tokens() {
    let server = TestServer::new();
    let id = server.create_user("Ann").id;
    let token = server.create_bearer_token(&id);
    let (ann, other) = (Browser::sign_in(&server, "ann"), Browser::sign_in(&server, "ann"));
    let new = "another horse battery";
    let check = |current: &str, new: &str, error: &str| {
        let form = format!("current_password={current}&password={new}");
        ann.submit_with_error("/account/security", &form, (400, error));
    };
    check("wrong", new, "This is not the current password.");
    check("", new, "This is required to change the password.");
    check(PASSWORD, "short", "The new password must have at least 10 characters.");
    assert_eq!(other.get("/api/v1/user").status, 200);

    let form = format!("current_password={PASSWORD}&password={new}");
    ann.submit_with_notice("/account/security", &form, "The password is changed.");
    assert_eq!((ann.get("/api/v1/user").status, other.get("/api/v1/user").status), (200, 401));
    assert_eq!(server.request(&token, "GET", "/api/v1/user", "").status, 200);
    assert_eq!(server.request(&basic_auth("ann", PASSWORD), "GET", "/api/v1/user", "").status, 401);
}

#[test]
fn sessions_are_shown_in_words_and_ended() {
    let server = TestServer::new();
    server.create_user("Ann");
    let [ann, second, third] = [(); 3].map(|()| Browser::sign_in(&server, "ann"));
    let page = ann.get("/account/security").body;
    assert_eq!(page.matches(">Firefox on Linux").count(), 3, "{page}");
    assert_eq!(page.matches(">This browser<").count(), 1);
    let sessions = second.get("/api/v1/user/sessions").json();
    let is_current = |session: &&Value| session["current"] == true;
    let current = sessions.as_array().unwrap().iter().find(is_current).unwrap();
    let path = format!("/account/sessions/{}/end", current["id"].as_str().unwrap());
    assert!(page.contains(&path), "{page}");
    ann.submit_with_notice(&path, "", "The session is signed out.");
    assert_eq!(second.get("/api/v1/user").status, 401);
    assert_eq!(third.get("/api/v1/user").status, 200);
    ann.submit_with_notice(&path, "", "The session is signed out.");
    ann.submit_with_notice("/account/sessions/end", "", "All other sessions are signed out.");
    assert_eq!((third.get("/api/v1/user").status, ann.get("/api/v1/user").status), (401, 200));
    assert!(!ann.get("/account/security").body.contains("Sign out all other browsers"));
}

#[test]
fn token_is_shown_once_and_revoked() {
    let server = TestServer::new();
    server.create_user("Ann");
    let ann = Browser::sign_in(&server, "ann");
    let error = (400, "Name must not be empty.");
    ann.submit_with_error("/account/tokens", "name=", error);
    let error = (400, "Last day must be a day such as 2027-01-31.");
    ann.submit_with_error("/account/tokens", "name=ci&expires_at=soon", error);
    let error = (400, "Last day must be in the future.");
    ann.submit_with_error("/account/tokens", "name=ci&expires_at=2020-01-31", error);

    let created = ann.submit("/account/tokens", "name=ci&expires_at=2999-01-31");
    assert_eq!((created.status, created.header("cache-control").as_str()), (200, "no-store"));
    let start = created.body.find("chartroom_").unwrap();
    let secret = created.body[start..start + 50].to_owned();
    let command = format!("Authorization: Bearer {secret}");
    assert!(created.body.replace("&#34;", "\"").contains(&command), "{}", created.body);
    let bearer = format!("Bearer {secret}");
    assert_eq!(server.request(&bearer, "GET", "/api/v1/user", "").status, 200);
    let page = ann.get("/account/tokens").body;
    assert!(!page.contains(&secret), "the secret is shown only once");
    assert!(page.contains("2999-01-31"), "{page}");

    let tokens = ann.get("/api/v1/user/tokens").json();
    assert_eq!(tokens[0]["expires_at"], "2999-01-31T23:59:59.999Z");
    let path = format!("/account/tokens/{}/revoke", tokens[0]["id"].as_str().unwrap());
    ann.submit_with_notice(&path, "", "The API token is revoked.");
    assert_eq!(server.request(&bearer, "GET", "/api/v1/user", "").status, 401);
    ann.submit_with_notice(&path, "", "You have no API tokens.");
}

#[test]
fn notifications_are_switched_off_and_on() {
    let server = TestServer::new();
    server.create_user("Ann");
    let ann = Browser::sign_in(&server, "ann");
    let choices = || ann.get("/api/v1/user/notifications").json();
    assert_eq!(choices(), json!({ "mentions": true, "shares": true }));
    let path = "/account/notifications";
    ann.submit_with_notice(path, "mentions=on", "The notifications are saved.");
    assert_eq!(choices(), json!({ "mentions": true, "shares": false }));
    ann.submit_with_notice(path, "shares=on", "The notifications are saved.");
    assert_eq!(choices(), json!({ "mentions": false, "shares": true }));
    ann.submit_with_notice(path, "mentions=on&shares=on", "The notifications are saved.");
    assert_eq!(choices(), json!({ "mentions": true, "shares": true }));
}

#[test]
fn avatar_is_uploaded_and_removed_with_forms() {
    let server = TestServer::new();
    server.create_user("Ann");
    let ann = Browser::sign_in(&server, "ann");
    let upload = |file: &[u8]| {
        let head =
            "--xYz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n";
        let body = [head.as_bytes(), file, b"\r\n--xYz--\r\n"].concat();
        ann.submit_as("/account/avatar", "multipart/form-data; boundary=xYz", &body)
    };
    let is_image = || ann.get("/api/v1/users/me/avatar.svg").body.contains("<image");
    let refused = upload(b"no image");
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("The image must be an intact PNG"), "{}", refused.body);
    let empty = upload(b"");
    assert!(empty.body.contains("The image must be chosen first."), "{}", empty.body);
    assert!(!is_image() && !ann.get("/account").body.contains("Remove the avatar"));
    let saved = upload(&encode_png(6, 3, [200, 0, 0]));
    assert_eq!(
        (saved.status, saved.header("location").as_str()),
        (303, "/account?done=avatar-saved")
    );
    assert!(is_image() && ann.get("/account").body.contains("Remove the avatar"));
    for size in [(5 << 20) + 1, 12 << 20] {
        let large = upload(&vec![0; size]);
        assert_eq!(large.status, 413);
        assert!(large.body.contains("An avatar may have at most 5 MiB."), "{}", large.body);
        assert!(large.body.contains(r#"action="/account/avatar""#));
    }
    ann.submit_with_notice("/account/avatar/remove", "", "The avatar is removed.");
    assert!(!is_image());
}

#[test]
fn form_of_an_ended_session_leads_back_to_its_page() {
    let server = TestServer::new();
    let location = |path: &str, referer: &str| {
        let headers = [
            ("accept", "text/html"),
            ("content-type", "application/x-www-form-urlencoded"),
            ("referer", referer),
            ("host", "charts.example:8080"),
        ];
        let response = server.send("POST", path, &headers, "name=Ann");
        assert_eq!(response.status, 303, "{}", response.text);
        response.header("location")
    };
    let page = "https://charts.example:8080/account?done=x";
    assert_eq!(location("/account/avatar", page), "/sign-in?next=%2Faccount%3Fdone%3Dx");
    let page = "https://charts.example:8080/orgs/acme/invites";
    assert_eq!(
        location("/orgs/acme/invites/1/send", page),
        "/sign-in?next=%2Forgs%2Facme%2Finvites"
    );
    for page in ["", "https://evil.example/account", "/account", "https://charts.example:8080"] {
        assert_eq!(location("/account/avatar", page), "/sign-in?next=%2F", "{page}");
    }
    let shown = server.send("GET", "/account?a=b", &[("accept", "text/html")], "");
    assert_eq!(shown.header("location"), "/sign-in?next=%2Faccount%3Fa%3Db");
}
