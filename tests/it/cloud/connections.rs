//! Connections: consent, tokens and their refresh, removal.

use std::fs;
use std::thread;
use std::thread::ScopedJoinHandle;
use std::time::Duration;
use std::time::Instant;

use chartroom_stand_ins::http::Response;
use chartroom_stand_ins::oauth::Rotation;
use serde_json::Value;
use serde_json::json;

use super::PROVIDERS;
use super::Setup;
use super::code_of;

/// Returns the entry of a provider in the list.
fn provider_entry(setup: &Setup, name: &str) -> Value {
    let list = setup.server.ann().get("/api/v1/sync/providers").expect(200).json();
    let names: Vec<&str> =
        list.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!(names, PROVIDERS);
    list.as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap().clone()
}

#[test]
fn an_account_of_each_provider_is_connected_and_removed() {
    for provider in PROVIDERS {
        let setup = Setup::start(provider);
        let before = provider_entry(&setup, provider);
        assert_eq!(before["access"], "none", "{provider}");
        let auth_url = before["auth_url"].as_str().unwrap();
        assert!(auth_url.ends_with(&format!("/cloud/oauth/{provider}/start")), "{auth_url}");
        assert!(before.get("connections").is_none());
        for other in PROVIDERS.into_iter().filter(|other| *other != provider) {
            let entry = provider_entry(&setup, other);
            assert_eq!(entry["access"], "none");
            assert!(entry.get("auth_url").is_none(), "{other} is not set up");
            assert!(entry["description"].as_str().unwrap().contains("operator"), "{entry}");
        }
        let id = setup.connect();
        let connection = setup.connections()[0].clone();
        assert_eq!(connection["provider"], provider);
        assert_eq!(connection["state"], "active");
        assert!(connection["email_address"].as_str().unwrap().contains('@'), "{connection}");
        assert_eq!(connection["email_address"], connection["email"]);
        assert!(!connection.to_string().contains("access-"), "no token leaves the server");
        let entry = provider_entry(&setup, provider);
        assert!(matches!(entry["access"].as_str(), Some("full" | "partial")), "{entry}");
        assert_eq!(entry["connections"][0]["id"], id.as_str());
        // The same account again replaces the tokens.
        assert_eq!(setup.connect(), id);
        assert_eq!(setup.connections().len(), 1);
        // Another user does not see it.
        let ben = setup.server.ben();
        assert_eq!(ben.get("/api/v1/sync/connections").expect(200).json(), json!([]));
        for path in [setup.path(&id, ""), format!("/api/v1/sync/connections/{id}")] {
            assert_eq!(code_of(&ben.delete(&path), 404), "not_found");
        }
        let ann = setup.server.ann();
        let renamed = ann.post(&setup.path(&id, "/rename"), json!({ "title": " Numbers " }));
        assert_eq!(renamed.expect(200).json()["title"], "Numbers");
        let empty = ann.post(&setup.path(&id, "/rename"), json!({ "title": " " }));
        assert_eq!(empty.expect(400).json()["errors"][0]["field"], "title");
        ann.delete(&format!("/api/v1/sync/connections/{id}")).expect(204);
        assert_eq!(setup.connections(), Vec::<Value>::new());
        assert_eq!(code_of(&ann.delete(&setup.path(&id, "")), 404), "not_found");
        if provider != "onedrive" {
            wait_until_revoked(&setup);
        }
    }
}

/// Waits until the tokens of a connection are revoked at the provider.
fn wait_until_revoked(setup: &Setup) {
    let end = Instant::now() + Duration::from_secs(10);
    let is_revoked = || setup.stand_in.lock().oauth.grants.iter().any(|grant| grant.is_revoked);
    while !is_revoked() {
        assert!(Instant::now() < end, "{}: the tokens were not revoked", setup.provider);
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_tokens_of_a_deleted_user_are_revoked() {
    let setup = Setup::start("dropbox");
    setup.connect();
    setup.server.run_json(&["user", "delete", "ann@example.org"]);
    wait_until_revoked(&setup);
}

#[test]
fn consent_belongs_to_one_session_and_is_used_once() {
    let setup = Setup::start("dropbox");
    let ann = setup.browser("ann");
    let back = setup.visit_provider(&ann);
    // Another person, and another session of the same person, cannot use it.
    for other in [setup.browser("ben"), setup.browser("ann")] {
        assert_eq!(other.get(&back).status, 400);
    }
    assert_eq!(setup.connections().len(), 0);
    assert_eq!(ann.get(&back.replace("state=", "state=x")).status, 400);
    ann.get(&back).expect(303);
    assert_eq!(setup.connections().len(), 1);
    assert_eq!(ann.get(&back).status, 400, "used before");
    // An API token has no browser session.
    assert_eq!(setup.server.ann().get("/cloud/oauth/dropbox/start").status, 403);
    for unknown in ["box", "nobody"] {
        assert_eq!(ann.get(&format!("/cloud/oauth/{unknown}/start")).status, 404);
    }
}

#[test]
fn refused_and_failed_consent_is_told_on_the_page() {
    let setup = Setup::start("dropbox");
    let browser = setup.browser("ann");
    setup.stand_in.lock().oauth.refuses = true;
    let back = setup.visit_provider(&browser);
    let arrived = browser.get(&back).expect(303);
    assert_eq!(arrived.header("location"), "/account/connections?done=connection-denied");
    setup.stand_in.lock().oauth.refuses = false;
    setup.stand_in.lock().oauth.failures = vec![500];
    let back = setup.visit_provider(&browser);
    let arrived = browser.get(&back).expect(303);
    assert_eq!(arrived.header("location"), "/account/connections?done=connection-failed");
    // A code that is too old.
    let back = setup.visit_provider(&browser);
    setup.stand_in.lock().oauth.clock += 100_000;
    let arrived = browser.get(&back).expect(303);
    assert_eq!(arrived.header("location"), "/account/connections?done=connection-failed");
    assert_eq!(setup.connections().len(), 0);
}

#[test]
fn the_target_after_consent_is_a_path_of_this_server() {
    let setup = Setup::start("dropbox");
    let browser = setup.browser("ann");
    for (next, target) in [
        ("%2Fd%2F1%2F2%3Fa%3Db", "/d/1/2?a=b&done=connected"),
        ("%2Fc%2Fdropbox%2F1%23folder%3Dabc", "/c/dropbox/1?done=connected#folder=abc"),
        ("%2F%2Fevil.example", "/account/connections?done=connected"),
        ("https%3A%2F%2Fevil.example", "/account/connections?done=connected"),
    ] {
        let begun = browser.get(&format!("/cloud/oauth/dropbox/start?next={next}")).expect(303);
        let page = begun.header("location").to_owned();
        let agent = ureq::Agent::new_with_config(
            ureq::config::Config::builder().max_redirects(0).http_status_as_error(false).build(),
        );
        let response = agent.get(&page).call().unwrap();
        let location = response.headers()["location"].to_str().unwrap().to_owned();
        let back = location.strip_prefix(&setup.server.base_url).unwrap();
        assert_eq!(browser.get(back).expect(303).header("location"), target);
    }
}

#[test]
fn expired_tokens_are_refreshed_once_by_concurrent_requests() {
    for provider in PROVIDERS {
        let setup = Setup::start(provider);
        let id = setup.connect();
        let refreshes = setup.stand_in.lock().oauth.refreshes;
        setup.stand_in.lock().oauth.expire_access();
        thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| setup.server.ann().get(&setup.path(&id, "/folders")).expect(200));
            }
        });
        let state = setup.stand_in.lock();
        assert_eq!(state.oauth.refreshes - refreshes, 1, "{provider}");
        drop(state);
        // The new refresh token works, too.
        setup.stand_in.lock().oauth.expire_access();
        setup.server.ann().get(&setup.path(&id, "/folders")).expect(200);
        assert_eq!(setup.connections()[0]["state"], "active");
    }
}

#[test]
fn a_revoked_connection_must_be_renewed_and_then_works_again() {
    for provider in PROVIDERS {
        let setup = Setup::start(provider);
        let id = setup.connect();
        setup.stand_in.lock().oauth.grants.iter_mut().for_each(|grant| grant.is_revoked = true);
        let ann = setup.server.ann();
        let refused = ann.get(&setup.path(&id, "/folders"));
        assert_eq!(code_of(&refused, 403), "reconnect_required", "{provider}");
        assert_eq!(setup.connections()[0]["state"], "needs_reauth");
        assert_eq!(provider_entry(&setup, provider)["access"], "partial");
        // Without a request to the provider.
        let requests = setup.stand_in.lock().log.len();
        assert_eq!(code_of(&ann.get(&setup.path(&id, "/folders")), 403), "reconnect_required");
        assert_eq!(setup.stand_in.lock().log.len(), requests);
        assert_eq!(setup.connect(), id);
        ann.get(&setup.path(&id, "/folders")).expect(200);
    }
}

#[test]
fn a_failing_token_endpoint_keeps_the_tokens() {
    let setup = Setup::start("box");
    let id = setup.connect();
    let ann = setup.server.ann();
    for status in [500, 503, 429] {
        setup.stand_in.lock().oauth.expire_access();
        setup.stand_in.lock().oauth.failures = vec![status];
        let failed = ann.get(&setup.path(&id, "/folders"));
        let code = code_of(&failed, 502);
        assert!(matches!(code.as_str(), "remote_failed" | "remote_busy"), "{status}: {code}");
        ann.get(&setup.path(&id, "/folders")).expect(200);
    }
}

/// A refresh with a response that this server never stores: the process is killed while the response is on
/// its way. `keeps` tells whether the provider still accepts the refresh token that is stored.
fn kill_during_refresh(provider: &'static str) -> (u16, Rotation) {
    let mut setup = Setup::start(provider);
    let id = setup.connect();
    {
        let mut state = setup.stand_in.lock();
        state.oauth.expire_access();
        state.oauth.token_delay = Duration::from_secs(3);
    }
    let refreshes = setup.stand_in.lock().oauth.refreshes;
    let path = setup.path(&id, "/folders");
    let address = setup.server.base_url.clone();
    let token = crate::server_process::test_users()[0].token.clone();
    let request = {
        let path = path.clone();
        thread::spawn(move || {
            let request = ureq::get(format!("{address}{path}"));
            drop(request.header("authorization", format!("Bearer {token}")).call());
        })
    };
    let end = Instant::now() + Duration::from_secs(10);
    while setup.stand_in.lock().oauth.refreshes == refreshes {
        assert!(Instant::now() < end, "no refresh");
        thread::sleep(Duration::from_millis(10));
    }
    setup.server.kill();
    request.join().unwrap();
    setup.stand_in.lock().oauth.token_delay = Duration::ZERO;
    setup.server.start();
    setup.server.wait_until_ready();
    let status = setup.server.ann().get(&path).status;
    let rotation = setup.stand_in.lock().oauth.rules.rotation;
    (status, rotation)
}

#[test]
fn documents_of_this_server_are_created_while_a_provider_is_slow() {
    const DELAY: Duration = Duration::from_secs(4);
    let setup = Setup::start("dropbox");
    let id = setup.connect();
    let before = {
        let mut state = setup.stand_in.lock();
        state.oauth.expire_access();
        state.oauth.token_delay = DELAY;
        state.oauth.refreshes
    };
    let body = json!({ "widget": "pie", "provider": "dropbox", "connection_id": id });
    thread::scope(|scope| {
        // Twice as many as a caller may have at the same time
        let waiting: Vec<_> = (0..8)
            .map(|_| {
                let (ann, body) = (setup.server.ann(), body.clone());
                scope.spawn(move || ann.post("/api/v1/create-document", body).expect(200))
            })
            .collect();
        let end = Instant::now() + DELAY;
        while setup.stand_in.lock().oauth.refreshes == before {
            assert!(Instant::now() < end, "no refresh");
            thread::sleep(Duration::from_millis(10));
        }
        let body = json!({ "widget": "bar", "folder": "/Local" });
        setup.server.ann().post("/api/v1/create-document", body).expect(200);
        assert!(!waiting.iter().any(ScopedJoinHandle::is_finished), "it waited for the provider");
        // Escaped characters could hide a provider, but do not change the place.
        let body = json!({ "widget": "bar", "folder": "/Local \"provider\"" });
        setup.server.ann().post("/api/v1/create-document", body).expect(200);
    });
    assert_eq!(setup.stand_in.lock().tree.children("root").len(), 8);
}

#[test]
fn a_kill_during_a_refresh_loses_only_tokens_of_one_use() {
    for provider in PROVIDERS {
        let (status, rotation) = kill_during_refresh(provider);
        // A provider with tokens of one use has forgotten the old one; the connection says so.
        let wanted = if rotation == Rotation::OneUse { 403 } else { 200 };
        assert_eq!(status, wanted, "{provider}");
        println!("{provider}: {rotation:?}, status {status} after the kill");
    }
}

#[test]
fn no_token_is_in_the_log_or_readable_in_the_database() {
    for provider in PROVIDERS {
        let mut setup = Setup::start_with(provider, &[("log", "debug")]);
        let id = setup.connect();
        setup.stand_in.lock().oauth.expire_access();
        setup.server.ann().get(&setup.path(&id, "/folders")).expect(200);
        setup.stand_in.lock().faults = vec![Response::text(500, "access-000001 refresh-000001")];
        setup.server.ann().get(&setup.path(&id, "/folders"));
        setup.server.stop();
        let log = setup.server.log();
        assert!(!log.is_empty());
        let mut files = vec![("log".to_owned(), log.into_bytes())];
        for file in fs::read_dir(setup.server.data_dir()).unwrap() {
            let path = file.unwrap().path();
            if path.is_file() {
                files.push((path.display().to_string(), fs::read(&path).unwrap()));
            }
        }
        for (name, bytes) in files {
            for secret in ["access-0000", "refresh-0000", "code-0000", "client-secret"] {
                let is_there =
                    bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
                assert!(!is_there, "{provider}: {secret} is in {name}");
            }
        }
    }
}

#[test]
fn a_user_has_a_limited_number_of_connections() {
    let setup = Setup::start_with("dropbox", &[("max_cloud_connections", "0")]);
    let browser = setup.browser("ann");
    let back = setup.visit_provider(&browser);
    let arrived = browser.get(&back).expect(303);
    assert_eq!(arrived.header("location"), "/account/connections?done=too-many-connections");
    assert_eq!(setup.connections().len(), 0);
}

#[test]
fn the_command_tests_the_settings_of_a_provider() {
    for provider in PROVIDERS {
        let setup = Setup::start(provider);
        let before = setup.server.run_json(&["cloud", "check", provider]);
        let results = |check: &Value| -> Vec<String> {
            let steps = check["steps"].as_array().unwrap().iter();
            steps.map(|step| step["result"].as_str().unwrap().to_owned()).collect()
        };
        let client = if provider == "smartsheet" { "skipped" } else { "passed" };
        assert_eq!(results(&before), ["passed", client, "skipped"], "{before}");
        setup.connect();
        let after = setup.server.run_json(&["cloud", "check", provider]);
        assert_eq!(results(&after), ["passed", client, "passed"], "{after}");
        if provider == "smartsheet" {
            // It responds to a wrong secret as to a wrong token.
            continue;
        }
        setup.stand_in.lock().oauth.client_secret = "another".to_owned();
        let wrong = setup.server.run_command(&["cloud", "check", provider]);
        assert_eq!(wrong.status.code(), Some(1), "{provider}");
        let text = String::from_utf8(wrong.stdout).unwrap();
        assert!(text.contains("\"client\"") && text.contains("failed"), "{provider}: {text}");
    }
}
