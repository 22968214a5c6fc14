//! Tests of the second factor: set up, sign-in, recovery codes and removal.

mod external;
mod limits;
mod links;
mod pages;
mod required;
mod reset;
mod security_mails;

use std::sync::Barrier;
use std::thread;

use chartroom::features::accounts::User;
use chartroom_platform::config::Config;
use serde_json::Value;
use serde_json::json;

use crate::accounts::totp_app::TotpApp;
use crate::test_server::PASSWORD;
use crate::test_server::Response;
use crate::test_server::TestServer;
use crate::test_server::basic_auth;

/// Path of the second factor of the caller.
const PATH: &str = "/api/v1/user/second-factor";

/// A server on which Ann has a second factor. Each code of the app works again after
/// [`Self::forget_used_codes`].
pub struct FactorFixture {
    pub server: TestServer,
    pub ann: User,
    /// `Authorization` header with an API token of Ann.
    pub token: String,
    pub app: TotpApp,
    pub recovery_codes: Vec<String>,
}

impl FactorFixture {
    /// Starts the server and sets the second factor up.
    pub fn new() -> Self {
        Self::with_config(Config::default())
    }

    /// Starts a server like [`Self::new`] with these settings.
    pub fn with_config(config: Config) -> Self {
        let server = TestServer::with_config(config);
        let ann = server.create_user("Ann");
        let token = server.create_bearer_token(&ann.id);
        let (app, recovery_codes) = set_up(&server, &[("authorization", &token)]);
        let fixture = Self { server, ann, token, app, recovery_codes };
        fixture.forget_used_codes();
        fixture
    }

    /// Lets all codes of the app work again, because a test cannot wait for the next one.
    pub fn forget_used_codes(&self) {
        self.server.execute_sql("update second_factor set last_step = 0");
    }

    /// Signs Ann in with the password and a code.
    pub fn sign_in(&self, code: &str) -> Response {
        sign_in(&self.server, PASSWORD, Some(code))
    }

    /// Sends a request with Ann's token.
    pub fn request(&self, method: &str, path: &str, body: &Value) -> Response {
        self.server.request(&self.token, method, path, &body.to_string())
    }

    /// Returns the state of Ann's second factor.
    pub fn state(&self) -> Value {
        self.server.request(&self.token, "GET", PATH, "").json()
    }
}

/// Sets up a second factor with the credentials in `headers`. Returns the app and the recovery codes.
pub fn set_up(server: &TestServer, headers: &[(&str, &str)]) -> (TotpApp, Vec<String>) {
    let mut all = vec![("content-type", "application/json"), ("sec-fetch-site", "same-origin")];
    all.extend(headers);
    let body = json!({ "current_password": PASSWORD }).to_string();
    let created = server.send("POST", PATH, &all, &body);
    assert_eq!(created.status, 200, "{}", created.text);
    let app = TotpApp::new(created.json()["secret"].as_str().unwrap());
    let body = json!({ "code": app.code(0) }).to_string();
    let confirmed = server.send("POST", &format!("{PATH}/confirm"), &all, &body);
    assert_eq!(confirmed.status, 200, "{}", confirmed.text);
    let codes = confirmed.json()["recovery_codes"].clone();
    (app, serde_json::from_value(codes).unwrap())
}

/// Signs Ann in.
pub fn sign_in(server: &TestServer, password: &str, code: Option<&str>) -> Response {
    let mut body = json!({ "email": "ann@example.org", "password": password });
    if let Some(code) = code {
        body["code"] = code.into();
    }
    server.sign_in(&body.to_string())
}

/// Panics unless a sign-in was refused with this code of the problem, and sets no cookie.
#[track_caller]
pub fn assert_refused(response: &Response, code: &str) {
    let facts = (response.status, response.problem_code(), response.header("set-cookie"));
    assert_eq!(facts, (401, code.to_owned(), String::new()), "{}", response.text);
}

#[test]
fn second_factor_is_set_up_with_password_and_code() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let token = server.create_bearer_token(&ann.id);
    let send = |path: &str, body: Value| {
        server.request(&token, "POST", &format!("{PATH}{path}"), &body.to_string())
    };
    let state = || server.request(&token, "GET", PATH, "").json();
    let off =
        json!({ "enabled": false, "confirmed": null, "recovery_codes": 0, "required": false });
    assert_eq!(state(), off);
    let refused = send("", json!({ "current_password": "not the password" }));
    let expected = "current_password: is not the current password";
    assert_eq!((refused.status, refused.text.as_str()), (400, expected));
    let refused = send("/confirm", json!({ "code": "123456" }));
    assert_eq!(refused.status, 409, "{}", refused.text);

    let created = send("", json!({ "current_password": PASSWORD })).json();
    let secret = created["secret"].as_str().unwrap();
    assert_eq!(secret.len(), 32, "160 bits in base 32");
    let url = format!(
        "otpauth://totp/Chartroom:ann%40example%2Eorg?secret={secret}&issuer=Chartroom\
         &algorithm=SHA1&digits=6&period=30"
    );
    assert_eq!(created["otpauth_url"], url);
    assert!(created["qr_svg"].as_str().unwrap().starts_with("<svg "), "{created}");
    let app = TotpApp::new(secret);
    assert_eq!(state(), off, "the secret has no effect yet");
    assert_eq!(sign_in(&server, PASSWORD, None).status, 200);
    let refused = send("/confirm", json!({ "code": app.wrong_code() }));
    let expected = "code: is wrong, has expired or was used before";
    assert_eq!((refused.status, refused.text.as_str()), (400, expected));

    let other = sign_in(&server, PASSWORD, None).cookie();
    let confirmed = send("/confirm", json!({ "code": app.code(0) }));
    assert_eq!(confirmed.status, 200, "{}", confirmed.text);
    assert_eq!(confirmed.json()["recovery_codes"].as_array().unwrap().len(), 10);
    let on = state();
    assert_eq!((&on["enabled"], &on["recovery_codes"]), (&json!(true), &json!(10)));
    let old_session = server.send("GET", "/api/v1/user", &[("cookie", &other)], "");
    assert_eq!(old_session.status, 401, "sessions without a second factor end");
    for (path, body) in [
        ("", json!({ "current_password": PASSWORD })),
        ("/confirm", json!({ "code": app.code(1) })),
    ] {
        assert_eq!(send(path, body).status, 409);
    }
}

#[test]
fn session_that_confirms_the_second_factor_stays() {
    let server = TestServer::new();
    server.create_user("Ann");
    let cookie = sign_in(&server, PASSWORD, None).cookie();
    let other = sign_in(&server, PASSWORD, None).cookie();
    set_up(&server, &[("cookie", &cookie)]);
    let status =
        |cookie: &str| server.send("GET", "/api/v1/user", &[("cookie", cookie)], "").status;
    assert_eq!((status(&cookie), status(&other)), (200, 401));
}

#[test]
fn secret_expires_unless_it_is_confirmed() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let token = server.create_bearer_token(&ann.id);
    let body = json!({ "current_password": PASSWORD }).to_string();
    let created = server.request(&token, "POST", PATH, &body).json();
    let app = TotpApp::new(created["secret"].as_str().unwrap());
    server.execute_sql("update second_factor set created = created - 3600001");
    let body = json!({ "code": app.code(0) }).to_string();
    let refused = server.request(&token, "POST", &format!("{PATH}/confirm"), &body);
    assert_eq!(refused.status, 409, "{}", refused.text);
}

#[test]
fn account_without_password_has_no_second_factor() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let token = server.create_bearer_token(&ann.id);
    server.execute_sql("update user set password_hash = null");
    let body = json!({ "current_password": PASSWORD }).to_string();
    assert_eq!(server.request(&token, "POST", PATH, &body).status, 409);
}

#[test]
fn sign_in_needs_password_and_code() {
    let fixture = FactorFixture::new();
    let server = &fixture.server;
    assert_refused(&sign_in(server, PASSWORD, None), "second_factor_required");
    assert_refused(&sign_in(server, PASSWORD, Some(" ")), "second_factor_required");
    assert_refused(&fixture.sign_in(&fixture.app.wrong_code()), "second_factor_wrong");
    assert_refused(&fixture.sign_in("no code"), "second_factor_wrong");
    // The code is right, but that must not show before the password is.
    let code = fixture.app.code(0);
    let right = sign_in(server, "not the password", Some(&code));
    assert_refused(&right, "sign_in_required");
    let wrong = sign_in(server, "not the password", Some(&fixture.app.wrong_code()));
    assert_eq!(right.text, wrong.text);
    let signed_in = fixture.sign_in(&code);
    assert_eq!(signed_in.status, 200, "{}", signed_in.text);
    assert_eq!(signed_in.json()["id"], json!(fixture.ann.id));
    assert_refused(&fixture.sign_in(&code), "second_factor_wrong");
}

#[test]
fn codes_of_the_window_work_in_their_order_only() {
    let fixture = FactorFixture::new();
    let now = fixture.app.code(0);
    assert_refused(&fixture.sign_in(&fixture.app.code(3)), "second_factor_wrong");
    assert_refused(&fixture.sign_in(&fixture.app.code(-3)), "second_factor_wrong");
    assert_eq!(fixture.sign_in(&fixture.app.code(1)).status, 200);
    assert_refused(&fixture.sign_in(&now), "second_factor_wrong");
    fixture.forget_used_codes();
    let spaced = format!("{} {}", &now[..3], &now[3..]);
    assert_eq!(fixture.sign_in(&spaced).status, 200);
}

#[test]
fn concurrent_requests_use_a_code_once() {
    for takes_recovery_code in [false, true] {
        let config = Config { sign_in_burst: 1000, ..Config::default() };
        let fixture = FactorFixture::with_config(config);
        let code = match takes_recovery_code {
            true => fixture.recovery_codes[0].clone(),
            false => fixture.app.code(0),
        };
        let barrier = Barrier::new(20);
        let statuses: Vec<u16> = thread::scope(|scope| {
            let send = || {
                barrier.wait();
                fixture.sign_in(&code).status
            };
            let threads: Vec<_> = (0..20).map(|_| scope.spawn(send)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        let sql = "select count(*) from session";
        let count: i64 =
            fixture.server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap();
        assert_eq!(count, 1);
    }
}

#[test]
fn recovery_codes_work_once_and_can_be_replaced() {
    let fixture = FactorFixture::new();
    let codes = &fixture.recovery_codes;
    assert_eq!(fixture.sign_in(&codes[0]).status, 200);
    assert_refused(&fixture.sign_in(&codes[0]), "second_factor_wrong");
    assert_eq!(fixture.sign_in(&codes[1].replace('-', "")).status, 200);
    assert_eq!(fixture.state()["recovery_codes"], 8);

    let path = format!("{PATH}/recovery-codes");
    let body = |password: &str, code: &str| json!({ "current_password": password, "code": code });
    let refused = fixture.request("POST", &path, &body("not the password", &codes[2]));
    assert_eq!(refused.status, 400, "{}", refused.text);
    let refused = fixture.request("POST", &path, &body(PASSWORD, &codes[0]));
    assert_eq!(refused.status, 400, "{}", refused.text);
    let renewed = fixture.request("POST", &path, &body(PASSWORD, &codes[2]));
    assert_eq!(renewed.status, 200, "{}", renewed.text);
    let new: Vec<String> =
        serde_json::from_value(renewed.json()["recovery_codes"].clone()).unwrap();
    assert_eq!((new.len(), fixture.state()["recovery_codes"].as_u64()), (10, Some(10)));
    assert_refused(&fixture.sign_in(&codes[3]), "second_factor_wrong");
    assert_eq!(fixture.sign_in(&new[0]).status, 200);
}

#[test]
fn second_factor_is_turned_off_with_password_and_code() {
    let fixture = FactorFixture::new();
    let off = |password: &str, code: &str| {
        let body = json!({ "current_password": password, "code": code });
        fixture.request("DELETE", PATH, &body).status
    };
    let code = fixture.app.code(0);
    assert_eq!(off("not the password", &code), 400);
    assert_eq!(off(PASSWORD, &fixture.app.wrong_code()), 400);
    assert_refused(&sign_in(&fixture.server, PASSWORD, None), "second_factor_required");
    assert_eq!(off(PASSWORD, &code), 204);
    assert_eq!(fixture.state()["enabled"], false);
    assert_eq!(fixture.state()["recovery_codes"], 0);
    assert_eq!(sign_in(&fixture.server, PASSWORD, None).status, 200);
    assert_eq!(off(PASSWORD, &code), 409);
}

#[test]
fn basic_credentials_with_the_password_are_refused_immediately() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let token = server.create_bearer_token(&ann.id);
    let get = |authorization: &str| server.request(authorization, "GET", "/api/v1/user", "");
    let basic = basic_auth("ann", PASSWORD);
    assert_eq!(get(&basic).status, 200, "the credentials are now remembered");
    set_up(&server, &[("authorization", &token)]);
    let refused = get(&basic);
    let expected = "the account has a second factor: use an API token instead of the password";
    assert_eq!((refused.status, refused.text.as_str()), (401, expected));
    let wrong = get(&basic_auth("ann", "not the password"));
    assert_eq!((wrong.status, wrong.text.as_str()), (401, "wrong name or password"));
}

#[test]
fn api_token_is_accepted_as_the_basic_password_of_its_user() {
    let fixture = FactorFixture::new();
    let ben = fixture.server.create_user("Ben");
    let get = |name: &str, token: &str| {
        let token = token.trim_start_matches("Bearer ");
        fixture.server.request(&basic_auth(name, token), "GET", "/api/v1/user", "")
    };
    for name in ["ann", "ann@example.org", fixture.ann.id.as_str()] {
        assert_eq!(get(name, &fixture.token).json()["id"], json!(fixture.ann.id), "{name}");
    }
    for name in ["ben", "nobody", ""] {
        let refused = get(name, &fixture.token);
        let expected = "the API token does not belong to this user";
        assert_eq!((refused.status, refused.text.as_str()), (401, expected), "{name}");
    }
    let bens = fixture.server.create_bearer_token(&ben.id);
    assert_eq!(get("ann", &bens).status, 401);
    fixture.server.execute_sql("update api_token set expires = 1");
    assert_eq!(get("ann", &fixture.token).text, "this API token has expired");
    fixture.server.execute_sql("delete from api_token");
    assert_eq!(get("ann", &fixture.token).text, "this API token is not valid");
}

#[test]
fn password_change_keeps_the_second_factor() {
    let fixture = FactorFixture::new();
    let body = json!({ "password": "another horse battery", "current_password": PASSWORD });
    assert_eq!(fixture.request("PATCH", "/api/v1/user", &body).status, 200);
    let server = &fixture.server;
    assert_refused(&sign_in(server, "another horse battery", None), "second_factor_required");
    let code = fixture.app.code(0);
    assert_eq!(sign_in(server, "another horse battery", Some(&code)).status, 200);
}

#[test]
fn database_contains_no_secret_in_plain_text() {
    let fixture = FactorFixture::new();
    let sql = "select secret from second_factor";
    let secret: Vec<u8> =
        fixture.server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap();
    // Nonce of 12 bytes, 20 bytes, tag of 16 bytes.
    assert_eq!(secret.len(), 48);
    let sql = "select hash from recovery_code";
    let hashes: Vec<Vec<u8>> =
        fixture.server.app.db.read(|tx| tx.all(sql, [], |row| row.get(0))).unwrap();
    assert_eq!(hashes.len(), 10);
    assert!(hashes.iter().all(|hash| hash.len() == 32));
}
