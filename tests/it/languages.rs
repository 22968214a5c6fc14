//! Tests of the language of the pages: the choice of the user counts, otherwise the browser decides.

use serde_json::Value;
use serde_json::json;

use crate::test_server::PASSWORD;
use crate::test_server::Response;
use crate::test_server::TestServer;

/// Header in which a browser asks for a page.
const ACCEPT_HTML: (&str, &str) = ("accept", "text/html,*/*;q=0.8");

/// Sends a GET and returns the response.
fn get(server: &TestServer, path: &str, headers: &[(&str, &str)]) -> Response {
    server.send("GET", path, headers, "")
}

/// Checks that a page is in a language, and that it contains these texts.
#[track_caller]
fn check_page(page: &Response, language: &str, texts: &[&str]) {
    let start = format!("<html lang=\"{language}\"");
    for text in texts.iter().copied().chain([start.as_str()]) {
        assert!(page.body.contains(text), "{text}: {}", page.body);
    }
    assert!(page.headers("vary").contains(&"accept-language".to_owned()), "{}", page.body);
}

/// Signs a user in and returns the cookie of the session.
fn sign_in(server: &TestServer, name: &str) -> String {
    server.sign_in(&json!({ "email": name, "password": PASSWORD }).to_string()).cookie()
}

/// Sets the language of the user of a session.
fn choose_language(server: &TestServer, cookie: &str, language: &Value) -> Response {
    let headers = [("cookie", cookie), ("sec-fetch-site", "same-origin")];
    server.send("PATCH", "/api/v1/user", &headers, &json!({ "language": language }).to_string())
}

#[test]
fn pages_without_a_session_have_the_language_of_the_browser() {
    let server = TestServer::new();
    server.create_user("Ann");
    let english = ["<h1>Sign in</h1>", ">Password<", "Forgot your password?", "Skip to content"];
    let german = ["<h1>Anmelden</h1>", ">Passwort<", "Passwort vergessen?", "Zum Inhalt springen"];
    let sign_in_page = |header: &str| get(&server, "/sign-in", &[("accept-language", header)]);
    check_page(&get(&server, "/sign-in", &[]), "en", &english);
    check_page(&sign_in_page("fr, en;q=0.5"), "en", &english);
    let page = sign_in_page("de-AT,de;q=0.9,en;q=0.8");
    check_page(&page, "de", &german);
    assert!(page.body.contains("/i18n/de.js\""), "{}", page.body);
    for path in
        ["/forgot-password", "/set-password/unknown", "/pair", "/cast/receiver", "/s/unknown"]
    {
        check_page(&get(&server, path, &[("accept-language", "de")]), "de", &[]);
        check_page(&get(&server, path, &[]), "en", &[]);
    }
}

/// Pages of a user with their texts in English and in German.
const PAGES: [(&str, [&str; 2], [&str; 2]); 6] = [
    ("/", [">All charts<", "0 in total"], [">Alle Diagramme<", "0 insgesamt"]),
    (
        "/trash",
        ["<h1>Trash</h1>", "The trash is empty."],
        ["<h1>Papierkorb</h1>", "Der Papierkorb ist leer."],
    ),
    (
        "/search",
        ["<h1>Search</h1>", "Enter words to find"],
        ["<h1>Suche</h1>", "Geben Sie Wörter ein"],
    ),
    ("/account", [">Full name<", "<h1>Profile</h1>"], [">Vollständiger Name<", "<h1>Profil</h1>"]),
    (
        "/account?done=profile-saved",
        ["The profile is saved.", ">Top margin<"],
        ["Das Profil ist gespeichert.", ">Oberer Rand<"],
    ),
    (
        "/account/security",
        [">Current password<", "Unknown browser"],
        [">Aktuelles Passwort<", "Unbekannter Browser"],
    ),
];

#[test]
fn choice_of_a_user_has_priority_over_the_browser() {
    let server = TestServer::new();
    server.create_user("Ann");
    let cookie = sign_in(&server, "ann");
    let check = |language: &str, header: Option<&str>| {
        let mut headers = vec![("cookie", cookie.as_str())];
        headers.extend(header.map(|value| ("accept-language", value)));
        for (path, english, german) in &PAGES {
            let texts = if language == "de" { german } else { english };
            check_page(&get(&server, path, &headers), language, texts);
        }
    };
    check("en", None);
    check("de", Some("de"));

    let chosen = choose_language(&server, &cookie, &json!("de"));
    assert_eq!((chosen.status, &chosen.json()["language"]), (200, &json!("de")));
    check("de", None);
    check("de", Some("en"));

    let refused = choose_language(&server, &cookie, &json!("fr"));
    assert_eq!(refused.status, 400);
    assert_eq!(refused.text, "language: muss `en`, `de` oder null sein");
    check("de", Some("en"));

    let chosen = choose_language(&server, &cookie, &Value::Null);
    assert_eq!((chosen.status, &chosen.json()["language"]), (200, &Value::Null));
    check("en", None);
    check("de", Some("de"));
}

#[test]
fn page_of_an_error_has_the_language_of_the_request() {
    let server = TestServer::new();
    server.create_user("Ann");
    let english = ["<h1>Not found</h1>", "No such page. There is nothing at this address"];
    let german = ["<h1>Nicht gefunden</h1>", "Diese Seite gibt es nicht. Unter dieser Adresse"];
    check_page(&get(&server, "/none", &[ACCEPT_HTML]), "en", &english);
    check_page(&get(&server, "/none", &[ACCEPT_HTML, ("accept-language", "de")]), "de", &german);
    let cookie = sign_in(&server, "ann");
    choose_language(&server, &cookie, &json!("de"));
    let headers = [ACCEPT_HTML, ("cookie", cookie.as_str()), ("accept-language", "en")];
    let page = get(&server, "/none", &headers);
    assert_eq!(page.status, 404);
    check_page(&page, "de", &german);
    // The chart of a signed-in user may be in the trash.
    check_page(
        &page,
        "de",
        &["Vielleicht wurde es verschoben oder gelöscht.", "href=\"/trash\">Papierkorb</a>"],
    );
    assert!(!get(&server, "/none", &[ACCEPT_HTML]).body.contains("/trash"));
    check_page(&get(&server, "/d/none/none", &headers), "de", &["Dieses Dokument gibt es nicht."]);
    let embedded = get(&server, "/embed/none", &[ACCEPT_HTML, ("accept-language", "de")]);
    check_page(&embedded, "de", &["Dieses Diagramm ist nicht mehr freigegeben."]);
    // A problem document is for programs.
    let problem = get(&server, "/api/v1/none", &headers);
    assert!(problem.body.contains("\"Not found\""), "{}", problem.body);
}

#[test]
fn choice_of_a_user_does_not_concern_requests_with_a_token() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let token = server.create_bearer_token(&ann.id);
    let changed = server.request(&token, "PATCH", "/api/v1/user", "{\"language\": \"de\"}");
    assert_eq!(changed.json()["language"], "de");
    let authorization = ("authorization", token.as_str());
    check_page(&get(&server, "/", &[authorization]), "en", &[">All charts<"]);
    let headers = [authorization, ACCEPT_HTML];
    check_page(&get(&server, "/none", &headers), "en", &["<h1>Not found</h1>"]);
    let headers = [authorization, ("accept-language", "de")];
    check_page(&get(&server, "/", &headers), "de", &[">Alle Diagramme<"]);
}

#[test]
fn refused_sign_in_says_so_in_the_language_of_the_browser() {
    let server = TestServer::new();
    server.create_user("Ann");
    let submit = |language: &str| {
        let headers = [
            ("content-type", "application/x-www-form-urlencoded"),
            ("origin", "http://127.0.0.1:8080"),
            ("accept-language", language),
        ];
        server.send("POST", "/sign-in", &headers, "email=ann&password=wrong")
    };
    let page = submit("de");
    assert_eq!(page.status, 401);
    check_page(&page, "de", &["Name oder Passwort ist falsch."]);
    check_page(&submit("en"), "en", &["Wrong name or password."]);
}
