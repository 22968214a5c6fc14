//! Tests of the delays after wrong passwords and codes, by account.

use chartroom_platform::config::Config;
use serde_json::json;

use super::FactorFixture;
use super::PATH;
use super::sign_in;
use crate::accounts::second_factor::assert_refused;
use crate::test_server::PASSWORD;
use crate::test_server::Response;
use crate::test_server::TestServer;
use crate::test_server::basic_auth;

/// Panics unless the response asks to wait for the first delay.
#[track_caller]
fn assert_delayed(response: &Response) {
    assert_eq!(response.status, 429, "{}", response.text);
    assert!((1..=10).contains(&response.header("retry-after").parse().unwrap()));
}

/// Returns the settings of a server that trusts the header with the address of a client.
fn behind_proxy() -> Config {
    let trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    Config { trusted_proxies, sign_in_burst: 1000, ..Config::default() }
}

#[test]
fn fifth_wrong_password_delays_the_account_for_all_strangers() {
    let server = TestServer::with_config(behind_proxy());
    let ann = server.create_user("Ann");
    server.create_user("Ben");
    let token = server.create_bearer_token(&ann.id);
    let send = |ip: &str, name: &str, password: &str| {
        let body = json!({ "email": name, "password": password }).to_string();
        let headers = [("content-type", "application/json"), ("x-forwarded-for", ip)];
        server.send("POST", "/api/v1/session", &headers, &body)
    };
    let cookie = send("192.0.2.9", "ann", PASSWORD).cookie();
    // Otherwise the password counts as verified for a minute.
    server.app.verified_credentials.clear();
    for name in ["ann", "nobody"] {
        for number in 1..=5 {
            let response = send(&format!("192.0.2.{number}"), name, "not the password");
            assert_eq!(response.status, 401, "{}", response.text);
        }
        assert_delayed(&send("192.0.2.6", name, PASSWORD));
        assert_delayed(&send("192.0.2.6", &name.to_uppercase(), PASSWORD));
    }
    assert_eq!(send("192.0.2.6", "ben", PASSWORD).status, 200, "others are not delayed");
    // Ann has a session in this network.
    assert_eq!(send("192.0.2.9", "ann", PASSWORD).status, 200);
    let get = |name: &str, value: &str| server.send("GET", "/api/v1/user", &[(name, value)], "");
    assert_eq!(get("authorization", &token).status, 200);
    assert_eq!(
        get("authorization", &basic_auth("ann", token.trim_start_matches("Bearer "))).status,
        200
    );
    assert_eq!(get("cookie", &cookie).status, 200);
}

#[test]
fn wrong_codes_delay_the_account() {
    let fixture = FactorFixture::with_config(Config { sign_in_burst: 1000, ..Config::default() });
    let wrong = fixture.app.wrong_code();
    for _ in 0..5 {
        assert_refused(&fixture.sign_in(&wrong), "second_factor_wrong");
    }
    assert_delayed(&fixture.sign_in(&fixture.app.code(0)));
    assert_delayed(&fixture.sign_in(&fixture.recovery_codes[0]));
    assert_refused(&sign_in(&fixture.server, PASSWORD, None), "second_factor_required");
    // Callers with a token have delays of their own.
    let body = |code: &str| json!({ "current_password": PASSWORD, "code": code });
    for _ in 0..5 {
        assert_eq!(fixture.request("DELETE", PATH, &body(&wrong)).status, 400);
    }
    assert_delayed(&fixture.request("DELETE", PATH, &body(&fixture.app.code(0))));
    assert_eq!(fixture.state()["enabled"], true);
}

#[test]
fn wrong_codes_count_for_the_client() {
    let fixture = FactorFixture::with_config(Config { sign_in_burst: 3, ..Config::default() });
    let wrong = fixture.app.wrong_code();
    for _ in 0..3 {
        assert_refused(&fixture.sign_in(&wrong), "second_factor_wrong");
    }
    assert_eq!(fixture.sign_in(&fixture.app.code(0)).status, 429);
}
