//! Tests of the list and the revocation of sessions, and of the last uses of sessions and tokens.

use std::sync::Arc;
use std::thread;

use chartroom::app::App;
use chartroom::features::accounts;
use chartroom::features::accounts::UserChanges;
use chartroom::features::orgs::Role;
use chartroom_platform::config::Config;
use chartroom_platform::db::WriteTx;
use chartroom_platform::id::AccountId;
use serde_json::Value;
use serde_json::json;

use crate::orgs::add_member;
use crate::server_process::ServerProcess;
use crate::teams::OrgFixture;
use crate::test_server::PASSWORD;
use crate::test_server::Response;
use crate::test_server::TestServer;

const PATH: &str = "/api/v1/user/sessions";

/// Signs a user in with a browser and returns the cookie.
fn sign_in(server: &TestServer, name: &str, user_agent: &str) -> String {
    let body = json!({ "email": name, "password": PASSWORD }).to_string();
    let headers = [("content-type", "application/json"), ("user-agent", user_agent)];
    let response = server.send("POST", "/api/v1/session", &headers, &body);
    assert_eq!(response.status, 200, "{}", response.text);
    response.cookie()
}

/// Sends a request of a page with a session cookie.
fn send(server: &TestServer, cookie: &str, method: &str, path: &str) -> Response {
    server.send(method, path, &[("cookie", cookie), ("sec-fetch-site", "same-origin")], "")
}

/// Returns the sessions that the user of a cookie sees.
fn list(server: &TestServer, cookie: &str) -> Vec<Value> {
    let response = send(server, cookie, "GET", PATH);
    assert_eq!(response.status, 200, "{}", response.text);
    response.json().as_array().unwrap().clone()
}

/// Returns whether the cookie still signs in.
fn is_signed_in(server: &TestServer, cookie: &str) -> bool {
    send(server, cookie, "GET", "/api/v1/user").status == 200
}

/// Stores all marks of recent requests, as the activity thread does when the server stops.
fn store_marks(app: &Arc<App>) {
    accounts::start_activity_writer(app.clone()).unwrap().stop();
}

#[test]
fn a_sign_in_replaces_a_password_hash_with_weaker_parameters() {
    // Of argon2-cffi, an independent implementation.
    const WEAKER: &str = "update user set password_hash = '$argon2id$v=19$m=9216,t=2,p=1$\
        OpWbidfB9ztlDIMIkRxq8w$1LMi60v9OeX/GxrLZ3dvjqJSxQKHUA0N9NYuPlsOiCE'";
    let server = TestServer::new();
    let ann = server.create_user("Ann").id;
    let hash = || {
        let read = |tx: &chartroom_platform::db::Tx<'_>| accounts::load_profile(tx, &ann);
        server.app.db.read(read).unwrap().password_hash.unwrap()
    };
    server.execute_sql(WEAKER);
    let weaker = hash();
    let wrong = json!({ "email": "ann", "password": "incorrect horse battery" }).to_string();
    let headers = [("content-type", "application/json")];
    assert_eq!(server.send("POST", "/api/v1/session", &headers, &wrong).status, 401);
    assert_eq!(hash(), weaker);
    let first = sign_in(&server, "ann", "Firefox");
    let renewed = hash();
    assert!(renewed.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{renewed}");
    let second = sign_in(&server, "ann", "Safari");
    assert_eq!(hash(), renewed, "a hash with the parameters of today stays");
    assert!(is_signed_in(&server, &first) && is_signed_in(&server, &second));
    // Sign-ins at the same time all succeed.
    server.execute_sql(WEAKER);
    thread::scope(|threads| {
        let sign_ins: Vec<_> =
            (0..8).map(|_| threads.spawn(|| sign_in(&server, "ann", "Firefox"))).collect();
        for cookie in sign_ins {
            assert!(is_signed_in(&server, &cookie.join().unwrap()));
        }
    });
    assert!(hash() != renewed && hash() != weaker);
}

#[test]
fn with_tls_the_name_of_the_cookie_binds_it_to_the_host() {
    let base_url = "https://charts.example".to_owned();
    let server = TestServer::with_config(Config { base_url, ..Config::default() });
    server.create_user("Ann");
    let cookie = sign_in(&server, "ann", "Firefox");
    assert!(cookie.starts_with("__Host-chartroom_session="), "{cookie}");
    assert!(is_signed_in(&server, &cookie));
    // Another subdomain can set the name without the prefix.
    assert!(!is_signed_in(&server, cookie.trim_start_matches("__Host-")));
    let plain = TestServer::new();
    plain.create_user("Ann");
    let cookie = sign_in(&plain, "ann", "Firefox");
    assert!(cookie.starts_with("chartroom_session="), "{cookie}");
    assert!(!is_signed_in(&plain, &format!("__Host-{cookie}")));
}

#[test]
fn sessions_are_listed_with_browser_address_and_method() {
    let server = TestServer::new();
    server.create_user("Ann");
    server.create_user("Ben");
    let first = sign_in(&server, "ann", "Firefox");
    // The case of a username does not matter.
    let second = sign_in(&server, " Ann ", "Safari");
    sign_in(&server, "ben", "Chrome");
    let sessions = list(&server, &second);
    let facts = |session: &Value| {
        ["user_agent", "ip_address", "method", "current"].map(|key| session[key].clone())
    };
    let facts: Vec<[Value; 4]> = sessions.iter().map(facts).collect();
    let expected = [
        [json!("Safari"), json!("127.0.0.1"), json!("password"), json!(true)],
        [json!("Firefox"), json!("127.0.0.1"), json!("password"), json!(false)],
    ];
    assert_eq!(facts, expected);
    assert_eq!(list(&server, &first)[1]["current"], true);
    let text = json!(sessions).to_string();
    for cookie in [&first, &second] {
        let secret = cookie.split_once('=').unwrap().1;
        assert!(!text.contains(secret), "the list contains no cookie");
    }
    server.execute_sql(
        "update session set ip_address = '', expires = 1 where user_agent <> 'Safari'",
    );
    assert_eq!(list(&server, &second).len(), 1, "expired sessions are not listed");
}

#[test]
fn ended_session_is_refused_immediately_and_others_stay() {
    let server = TestServer::new();
    server.create_user("Ann");
    server.create_user("Ben");
    let cookies = ["A", "B", "C"].map(|agent| sign_in(&server, "ann", agent));
    let ben = sign_in(&server, "ben", "D");
    let id = list(&server, &cookies[0])[1]["id"].as_str().unwrap().to_owned();
    let path = format!("{PATH}/{id}");
    assert_eq!(send(&server, &ben, "DELETE", &path).status, 404, "another user");
    assert_eq!(
        server.send("DELETE", &path, &[("cookie", &cookies[0])], "").status,
        403,
        "not from a page of this server"
    );
    assert!(is_signed_in(&server, &cookies[1]));
    assert_eq!(send(&server, &cookies[0], "DELETE", &path).status, 204);
    assert_eq!(send(&server, &cookies[1], "GET", "/api/v1/user").status, 401);
    assert_eq!(send(&server, &cookies[0], "DELETE", &path).status, 404);
    assert!(is_signed_in(&server, &cookies[0]) && is_signed_in(&server, &cookies[2]));

    assert_eq!(send(&server, &cookies[0], "DELETE", PATH).status, 204);
    assert!(!is_signed_in(&server, &cookies[2]));
    assert!(is_signed_in(&server, &cookies[0]) && is_signed_in(&server, &ben));
    assert_eq!(list(&server, &cookies[0]).len(), 1);
}

#[test]
fn a_changed_role_replaces_the_cookies_of_all_sessions() {
    let fixture = OrgFixture::new();
    let server = &fixture.server;
    let ben = AccountId::from_text(fixture.user_id("Ben"));
    let first = sign_in(server, "ben", "Firefox");
    let second = sign_in(server, "ben", "Safari");
    let change = |role: Role| add_member(server, &fixture.org, &ben, role).unwrap();
    change(Role::Member);
    assert_eq!(
        send(server, &first, "GET", "/api/v1/user").header("set-cookie"),
        "",
        "the same role"
    );
    let before = list(server, &first);
    change(Role::BrandManager);
    let unsafe_request = send(server, &first, "DELETE", "/api/v1/portfolio/favorites/bar");
    assert_eq!(unsafe_request.header("set-cookie"), "");
    let response = send(server, &first, "GET", "/api/v1/user");
    let (new, header) = (response.cookie(), response.header("set-cookie"));
    assert_ne!(new, first);
    assert!(header.contains("HttpOnly") && header.contains("SameSite=Lax"), "{header}");
    assert_eq!(response.header("cache-control"), "no-store");
    // Requests that were sent before still work, and get no further cookie.
    for cookie in [&first, &new] {
        let response = send(server, cookie, "GET", "/api/v1/user");
        assert_eq!((response.status, response.header("set-cookie")), (200, String::new()));
    }
    let facts = |sessions: &[Value]| -> Vec<Value> {
        sessions.iter().map(|session| json!([session["id"], session["created"]])).collect()
    };
    assert_eq!(facts(&list(server, &new)), facts(&before), "the list is the same");
    assert_eq!(list(server, &new)[1]["current"], true);
    server.execute_sql("update session set expires = expires - 60001 where cookie = 'replaced'");
    assert!(!is_signed_in(server, &first) && is_signed_in(server, &new));
    // The end of a session is also the end of its replaced cookie.
    let response = send(server, &second, "GET", "/");
    let replaced = response.cookie();
    assert!(is_signed_in(server, &second) && is_signed_in(server, &replaced));
    assert_eq!(send(server, &replaced, "DELETE", "/api/v1/session").status, 204);
    assert!(!is_signed_in(server, &second) && !is_signed_in(server, &replaced));
    let become_operator = move |tx: &WriteTx<'_>| {
        let change = UserChanges { operator: Some(true), ..UserChanges::default() };
        accounts::update_user(tx, &ben, change)
    };
    server.app.db.write(become_operator).unwrap();
    assert_ne!(send(server, &new, "GET", "/api/v1/user").header("set-cookie"), "");
}

#[test]
fn last_use_of_sessions_and_tokens_is_stored_later_and_never_moves_back() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let cookie = sign_in(&server, "ann", "Firefox");
    let newer = sign_in(&server, "ann", "Safari");
    let token = server.create_bearer_token(&ann.id);
    let last_use = |column: &str| {
        let sql = format!("select {column} as time");
        let read = |row: &rusqlite::Row<'_>| row.get::<_, Option<i64>>("time");
        server.app.db.read(|tx| tx.one(&sql, [], read)).unwrap()
    };
    let of_token = "(select last_used from api_token)";
    let of_firefox = "(select last_used from session where user_agent = 'Firefox')";
    let of_safari = "(select last_used from session where user_agent = 'Safari')";
    server.execute_sql("update session set last_used = 1000");
    let tokens = server.request(&token, "GET", "/api/v1/user/tokens", "").json();
    let listed = tokens[0]["last_used"].as_str().unwrap();
    assert!(listed > "2020", "the list includes uses in memory: {listed}");
    assert!(is_signed_in(&server, &cookie) && is_signed_in(&server, &newer));
    let stored = (last_use(of_firefox), last_use(of_token));
    assert_eq!(stored, (Some(1000), None), "a request does not write");
    let listed = list(&server, &cookie)[1]["last_used"].as_str().unwrap().to_owned();
    assert!(listed.as_str() > "2020", "the list includes uses in memory: {listed}");

    let future = 9_999_999_999_999;
    server.execute_sql("update session set last_used = 9999999999999 where user_agent = 'Safari'");
    store_marks(&server.app);
    let (session_use, token_use) = (last_use(of_firefox).unwrap(), last_use(of_token).unwrap());
    assert!(session_use > 1_600_000_000_000 && token_use > 1_600_000_000_000);
    assert_eq!(last_use(of_safari), Some(future), "a later use is stored already");
    let tokens = server.request(&token, "GET", "/api/v1/user/tokens", "").json();
    assert!(tokens[0]["last_used"].is_string(), "{tokens}");
}

#[test]
fn session_ends_90_days_after_the_sign_in() {
    let server = TestServer::new();
    server.create_user("Ann");
    let cookie = sign_in(&server, "ann", "Firefox");
    let lifetime_days = || {
        let sql = "select (expires - created) / 86400000.0 as days from session";
        let read = |row: &rusqlite::Row<'_>| row.get::<_, f64>("days");
        server.app.db.read(|tx| tx.one(sql, [], read)).unwrap()
    };
    server.execute_sql(
        "update session set created = created - 86400000 * 80, expires = expires - 86400000 * 28",
    );
    assert!(is_signed_in(&server, &cookie));
    assert!((lifetime_days() - 90.0).abs() < 0.001, "{}", lifetime_days());
    server.execute_sql("update session set user_agent = 'before'");
    assert!(is_signed_in(&server, &cookie));
    assert!((lifetime_days() - 90.0).abs() < 0.001, "no further extension");
    server.execute_sql(
        "update session set created = created - 864000001, expires = expires - 864000001",
    );
    assert!(!is_signed_in(&server, &cookie));
}

#[test]
fn account_has_at_most_100_sessions() {
    let server = TestServer::new();
    server.create_user("Ann");
    server.create_user("Ben");
    let others = sign_in(&server, "ben", "C");
    let cookies = ["A", "B"].map(|agent| sign_in(&server, "ann", agent));
    server.execute_sql(
        "with recursive number (n) as (select 1 union all select n + 1 from number where n < 98)
         insert into session
         select randomblob(32), 'id' || n, user_id, created, last_used - 1000 * n, expires, method,
                '', 'old', latest_end, cookie
         from session, number
         where user_agent = 'B'",
    );
    assert_eq!(list(&server, &cookies[0]).len(), 100);
    server.execute_sql("update session set last_used = last_used - 50500 where user_agent = 'A'");
    sign_in(&server, "ann", "D");
    assert_eq!(list(&server, &cookies[1]).len(), 100);
    let oldest = "select count(*) from session where id = 'id98'";
    let count =
        |sql: &str| -> i64 { server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap() };
    assert_eq!(count(oldest), 0, "the least recently used session has ended");
    assert!(is_signed_in(&server, &cookies[0]) && is_signed_in(&server, &others));
}

#[test]
fn sign_in_ends_the_earlier_session_of_the_browser() {
    let server = TestServer::new();
    server.create_user("Ann");
    let (other, old) = (sign_in(&server, "ann", "A"), sign_in(&server, "ann", "B"));
    let body = json!({ "email": "ann", "password": PASSWORD }).to_string();
    let headers = [
        ("content-type", "application/json"),
        ("cookie", old.as_str()),
        ("sec-fetch-site", "same-origin"),
    ];
    let new = server.send("POST", "/api/v1/session", &headers, &body);
    assert_eq!(new.status, 200, "{}", new.text);
    assert!(!is_signed_in(&server, &old));
    assert!(is_signed_in(&server, &other) && is_signed_in(&server, &new.cookie()));
}

#[test]
fn sign_out_command_ends_all_sessions_of_a_running_server() {
    let server = ServerProcess::new();
    let body = json!({ "email": "ann@example.org", "password": crate::server_process::PASSWORD });
    let cookie = || {
        let response = server.guest().post("/api/v1/session", body.clone()).expect(200);
        response.header("set-cookie").split(';').next().unwrap().to_owned()
    };
    let cookies = [cookie(), cookie()];
    let status =
        |cookie: &str| server.guest().with_header("cookie", cookie).get("/api/v1/user").status;
    assert_eq!((status(&cookies[0]), status(&cookies[1])), (200, 200));
    let ended = server.run_json(&["user", "sign-out", "ann"]);
    assert_eq!((&ended["sessions"], ended["id"].is_string()), (&json!(2), true));
    assert_eq!((status(&cookies[0]), status(&cookies[1])), (401, 401));
    assert_eq!(server.ann().get("/api/v1/user").status, 200, "other credentials keep working");
    assert_eq!(server.run_json(&["user", "sign-out", "ann"])["sessions"], 0);
}
