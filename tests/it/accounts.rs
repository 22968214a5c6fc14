//! Tests of authentication: API tokens, basic credentials, session cookies and the sign-in page.

mod avatars;
mod notifications;
mod password_reset;
mod reset_links;
mod second_factor;
mod sessions;
mod setup;
mod totp_app;
mod user_command;

use std::sync::Barrier;
use std::thread;

use chartroom::features::accounts;
use chartroom::features::accounts::NewUser;
use chartroom::features::accounts::UserChanges;
use chartroom_platform::error::Error;
use serde_json::json;

use crate::test_server::PASSWORD;
use crate::test_server::TestServer;
use crate::test_server::basic_auth;

#[test]
fn api_token_is_shown_once_and_works_until_it_is_removed() {
    let server = TestServer::new();
    let ann = basic_auth(&server.create_user("Ann").id.to_string(), PASSWORD);

    let created = server.request(&ann, "POST", "/api/v1/user/tokens", r#"{"name":" laptop "}"#);
    assert_eq!(created.status, 200, "{}", created.text);
    let created = created.json();
    let token = created["token"].as_str().unwrap();
    assert!(token.starts_with("chartroom_") && token.len() == 50, "{token}");
    assert!(token.starts_with(created["hint"].as_str().unwrap()));

    let bearer = format!("Bearer {token}");
    assert_eq!(server.request(&bearer, "GET", "/api/v1/user", "").status, 200);
    assert_eq!(server.request(&bearer.to_lowercase(), "GET", "/api/v1/user", "").status, 401);

    let listed = server.request(&bearer, "GET", "/api/v1/user/tokens", "");
    assert!(!listed.text.contains(token), "{}", listed.text);
    let listed = listed.json();
    assert_eq!(listed[0]["name"], "laptop");
    assert_eq!(listed[0]["id"], created["id"]);
    assert_eq!(listed[0].get("expires_at"), None);

    let path = format!("/api/v1/user/tokens/{}", created["id"].as_str().unwrap());
    let ben = server.create_bearer_token(&server.create_user("Ben").id);
    assert_eq!(server.request(&ben, "DELETE", &path, "").status, 404);
    assert_eq!(server.request(&ann, "DELETE", &path, "").status, 204);
    assert_eq!(server.request(&ann, "DELETE", &path, "").status, 404);
    let refused = server.request(&bearer, "GET", "/api/v1/user", "");
    assert_eq!((refused.status, refused.text.as_str()), (401, "this API token is not valid"));
}

#[test]
fn api_token_permits_only_the_requests_of_its_scope() {
    let server = TestServer::new();
    let ann = server.create_bearer_token(&server.create_user("Ann").id);
    let create = |scope: &str| {
        let body = json!({ "name": "x", "scope": scope }).to_string();
        server.request(&ann, "POST", "/api/v1/user/tokens", &body)
    };
    let refused = create("reed");
    let expected = "must be `full`, `read`, `write` or `scim`";
    assert_eq!((refused.status, refused.text.contains(expected)), (400, true), "{}", refused.text);
    let status = |scope: &str, as_password: bool| {
        let created = create(scope);
        assert_eq!(created.status, 200, "{}", created.text);
        let created = created.json();
        assert_eq!(created["scope"], scope);
        let secret = created["token"].as_str().unwrap();
        let authorization = match as_password {
            true => basic_auth("ann@example.org", secret),
            false => format!("Bearer {secret}"),
        };
        [
            ("GET", "/api/v1/user", ""),
            ("POST", "/api/v1/create-document", r#"{"widget":"bar"}"#),
            ("POST", "/api/v1/user/tokens", r#"{"name":"y"}"#),
            ("GET", "/account", ""),
        ]
        .map(|(method, path, body)| server.request(&authorization, method, path, body).status)
    };
    assert_eq!(status("full", false), [200; 4]);
    assert_eq!(status("read", false), [200, 403, 403, 200]);
    assert_eq!(status("write", false), [200, 200, 403, 200]);
    assert_eq!(status("scim", false), [403; 4]);
    assert_eq!(status("read", true), [200, 403, 403, 200]);
    let listed = server.request(&ann, "GET", "/api/v1/user/tokens", "").json();
    let scopes = listed.as_array().unwrap().iter().map(|token| token["scope"].as_str().unwrap());
    let mut scopes: Vec<_> = scopes.collect();
    scopes.sort_unstable();
    assert_eq!(scopes, ["full", "full", "full", "read", "read", "scim", "write"]);
}

#[test]
fn api_token_requires_a_name_and_may_expire() {
    let server = TestServer::new();
    let ann = server.create_bearer_token(&server.create_user("Ann").id);
    let check = |body: &str, expected: &str| {
        let response = server.request(&ann, "POST", "/api/v1/user/tokens", body);
        assert_eq!(response.status, 400, "{}", response.text);
        assert!(response.text.starts_with(expected), "{}", response.text);
    };
    check("{}", "body: missing field `name`");
    check(r#"{"name":"  "}"#, "name: must not be empty");
    check(r#"{"name":3}"#, "name: invalid type: integer `3`, expected a string");
    check(
        r#"{"name":"x","expires_at":"soon"}"#,
        "expires_at: must be a time such as 2027-01-31T12:00:00Z",
    );
    check(
        r#"{"name":"x","expires_at":"2020-01-01T00:00:00Z"}"#,
        "expires_at: must be in the future",
    );

    let body = r#"{"name":"x","expires_at":"2999-01-01T00:00:00+01:00"}"#;
    let created = server.request(&ann, "POST", "/api/v1/user/tokens", body).json();
    assert_eq!(created["expires_at"], "2998-12-31T23:00:00.000Z");
    let bearer = format!("Bearer {}", created["token"].as_str().unwrap());
    assert_eq!(server.request(&bearer, "GET", "/api/v1/user", "").status, 200);
    server.execute_sql("update api_token set expires = 1 where expires is not null");
    let refused = server.request(&bearer, "GET", "/api/v1/user", "");
    assert_eq!((refused.status, refused.text.as_str()), (401, "this API token has expired"));
}

#[test]
fn basic_auth_accepts_id_username_or_email_and_reports_every_failure_alike() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let check = |name: &str, password: &str, expected: u16| {
        let response = server.request(&basic_auth(name, password), "GET", "/api/v1/user", "");
        assert_eq!(response.status, expected, "{name}: {}", response.text);
        if expected == 401 {
            assert_eq!(response.text, "wrong name or password");
        }
    };
    check(ann.id.as_str(), PASSWORD, 200);
    check("ann", PASSWORD, 200);
    check("Ann@Example.ORG", PASSWORD, 200);
    check("ann", "wrong horse battery", 401);
    check("nobody", PASSWORD, 401);
    check("nobody@example.org", PASSWORD, 401);
    check("12345", PASSWORD, 401);

    // A user without a password cannot sign in with one, not even with an empty one.
    let new_user = NewUser {
        email: "cid@example.org".to_owned(),
        name: "Cid".to_owned(),
        ..NewUser::default()
    };
    server.app.db.write(move |tx| accounts::create_user(tx, &new_user)).unwrap();
    check("cid@example.org", "", 401);

    for header in ["Basic !!!", "Basic YW5u", "Digest x", "Bearer", "Bearer x"] {
        assert_eq!(server.request(header, "GET", "/api/v1/user", "").status, 401, "{header}");
    }
    let unauthenticated = server.send("GET", "/api/v1/user", &[], "");
    assert_eq!((unauthenticated.status, unauthenticated.text.as_str()), (401, "sign-in required"));
}

#[test]
fn changed_password_takes_effect_immediately() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let (old_credentials, new_credentials) =
        (basic_auth("ann", PASSWORD), basic_auth("ann", "another horse battery"));
    assert_eq!(server.request(&old_credentials, "GET", "/api/v1/user", "").status, 200);

    let hash = accounts::hash_new_password(&server.app, None, "another horse battery").unwrap();
    server.app.db.write(move |tx| accounts::set_password(tx, &ann.id, &hash)).unwrap();
    assert_eq!(server.request(&old_credentials, "GET", "/api/v1/user", "").status, 401);
    assert_eq!(server.request(&new_credentials, "GET", "/api/v1/user", "").status, 200);
}

#[test]
fn disabled_user_is_rejected_with_every_credential() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let (id, token) = (ann.id.clone(), server.create_bearer_token(&ann.id));
    let body = json!({ "email": "ann", "password": PASSWORD }).to_string();
    let cookie = server.sign_in(&body).cookie();

    server.app.db.write(move |tx| accounts::set_disabled(tx, &id, true)).unwrap();
    let refused = server.request(&token, "GET", "/api/v1/user", "");
    assert_eq!((refused.status, refused.text.as_str()), (401, "this account is disabled"));
    assert_eq!(server.request(&basic_auth("ann", PASSWORD), "GET", "/api/v1/user", "").status, 401);
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").status, 401);
    assert_eq!(server.sign_in(&body).status, 401);

    server.app.db.write(move |tx| accounts::set_disabled(tx, &ann.id, false)).unwrap();
    assert_eq!(server.request(&token, "GET", "/api/v1/user", "").status, 200);
    // The session was ended, not suspended.
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").status, 401);
}

#[test]
fn session_cookie_is_rejected_for_cross_site_writes() {
    let server = TestServer::new();
    server.create_user("Ann");
    let body = json!({ "email": "ann@example.org", "password": PASSWORD }).to_string();
    let signed_in = server.sign_in(&body);
    assert_eq!((signed_in.status, signed_in.json()["name"].as_str()), (200, Some("Ann")));
    assert!(signed_in.header("set-cookie").contains("; Path=/; HttpOnly; SameSite=Lax; Max-Age="));
    let cookie = signed_in.cookie();

    let check = |headers: &[(&str, &str)], expected: u16| {
        let mut all_headers =
            vec![("cookie", cookie.as_str()), ("content-type", "application/json")];
        all_headers.extend(headers);
        let response = server.send("POST", "/api/v1/user/tokens", &all_headers, r#"{"name":"x"}"#);
        assert_eq!(response.status, expected, "{headers:?}: {}", response.text);
    };
    check(&[], 403);
    check(&[("origin", "https://evil.example")], 403);
    check(&[("origin", "null")], 403);
    check(&[("sec-fetch-site", "cross-site")], 403);
    check(&[("sec-fetch-site", "same-site")], 403);
    check(&[("sec-fetch-site", "same-origin")], 200);
    check(&[("origin", "http://127.0.0.1:8080")], 200);
    check(&[("origin", "http://charts.lan"), ("host", "charts.lan")], 200);
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").status, 200);

    let same_origin = [("cookie", cookie.as_str()), ("sec-fetch-site", "same-origin")];
    let signed_out = server.send("DELETE", "/api/v1/session", &same_origin, "");
    assert_eq!(signed_out.status, 204);
    assert!(signed_out.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").status, 401);
}

#[test]
fn session_is_extended_while_it_is_used_and_expires_otherwise() {
    let server = TestServer::new();
    server.create_user("Ann");
    let body = json!({ "email": "ann", "password": PASSWORD }).to_string();
    let cookie = server.sign_in(&body).cookie();
    let days_left = || {
        let read = |row: &rusqlite::Row<'_>| row.get::<_, i64>("expires");
        let milliseconds_left = |tx: &chartroom_platform::db::Tx<'_>| {
            Ok(tx.one("select expires from session", [], read)? - tx.now.0)
        };
        server.app.db.read(milliseconds_left).unwrap() as f64 / 86_400_000.0
    };
    assert!((29.9..=30.0).contains(&days_left()), "{}", days_left());

    server.execute_sql("update session set expires = expires - 86400000 * 20");
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").status, 200);
    assert!((29.9..=30.0).contains(&days_left()), "{}", days_left());

    server.execute_sql("update session set expires = expires - 3600000");
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").status, 200);
    assert!(days_left() < 29.99, "a use within an hour does not write: {}", days_left());

    server.execute_sql("update session set expires = expires - 86400000 * 30");
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").status, 401);
}

#[test]
fn sign_in_redirects_to_local_paths_only() {
    let server = TestServer::new();
    server.create_user("Ann");
    let page = server.send("GET", "/sign-in?next=%2Fd%2F1", &[], "");
    assert_eq!(page.status, 200);
    assert!(page.text.contains(r#"name="next" value="/d/1""#), "{}", page.text);

    let check = |next: &str, expected: &str| {
        let body = format!("email=ann&password=correct+horse+battery&next={next}");
        let response = server.submit_form("/sign-in", &body);
        assert_eq!((response.status, response.header("location").as_str()), (303, expected));
        assert!(response.header("set-cookie").starts_with("chartroom_session="));
    };
    check("/d/1", "/d/1");
    check("", "/");
    check("https://evil.example/", "/");
    check("//evil.example/", "/");
    check("%2F%5Cevil.example/", "/");
    check("%2Fa%0D%0ASet-Cookie:x", "/");

    let wrong = server.submit_form("/sign-in", "email=%3Cb%3E&password=x&next=/");
    assert_eq!(wrong.status, 401);
    assert!(wrong.text.contains("Wrong name or password."), "{}", wrong.text);
    assert!(!wrong.text.contains("<b>"), "the entered name is escaped: {}", wrong.text);

    let cross_origin =
        [("content-type", "application/x-www-form-urlencoded"), ("origin", "https://evil.example")];
    let body = "email=ann&password=correct+horse+battery";
    let refused = server.send("POST", "/sign-in", &cross_origin, body);
    assert_eq!((refused.status, refused.header("set-cookie").as_str()), (403, ""));
}

#[test]
fn sign_out_ends_the_session() {
    let server = TestServer::new();
    server.create_user("Ann");
    let signed_in = server.submit_form("/sign-in", "email=ann&password=correct+horse+battery");
    let cookie = signed_in.cookie();
    let same_origin = [("cookie", cookie.as_str()), ("sec-fetch-site", "same-origin")];
    let already = server.send("GET", "/sign-in?next=/d/1", &same_origin, "");
    assert_eq!((already.status, already.header("location").as_str()), (303, "/d/1"));

    let signed_out = server.send("POST", "/sign-out", &same_origin, "");
    assert_eq!((signed_out.status, signed_out.header("location").as_str()), (303, "/sign-in"));
    assert!(signed_out.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(server.send("GET", "/api/v1/user", &same_origin, "").status, 401);
    assert_eq!(server.send("POST", "/sign-out", &same_origin, "").status, 303);
}

#[test]
fn email_addresses_and_usernames_are_unique() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let create_user = |email: &str, username: Option<&str>| {
        let new_user = NewUser {
            email: email.to_owned(),
            name: "Other".to_owned(),
            username: username.map(str::to_owned),
            ..NewUser::default()
        };
        server.app.db.write(move |tx| accounts::create_user(tx, &new_user))
    };
    let check = |created: Result<accounts::Profile, Error>, expected: &str| match created {
        Err(error @ Error::FieldConflict(_)) => assert_eq!(error.to_string(), expected),
        other => panic!("{other:?}"),
    };
    check(create_user("ANN@example.org", None), "email: ANN@example.org already has an account");
    check(create_user("other@example.org", Some("ann")), "username: ann is taken");
    assert_eq!(create_user("ann@example.com", None).unwrap().username, "ann2");
    assert_eq!(create_user("ann@example.net", None).unwrap().username, "ann3");

    let update_user = |change: UserChanges| {
        let id = ann.id.clone();
        server.app.db.write(move |tx| accounts::update_user(tx, &id, change.clone()))
    };
    let email_change =
        |email: &str| UserChanges { email: Some(email.to_owned()), ..UserChanges::default() };
    check(
        update_user(email_change("ann@example.com")),
        "email: ann@example.com already has an account",
    );
    assert_eq!(update_user(email_change("Ann@Example.org")).unwrap().email, "Ann@Example.org");
}

#[test]
fn accounts_are_resolved_by_id_me_username_and_email() {
    let server = TestServer::new();
    let (ann, ben) = (server.create_user("Ann"), server.create_user("Ben"));
    let resolve =
        |name: &str| server.app.db.read(|tx| accounts::resolve_account(tx, Some(&ann), name));
    assert_eq!(resolve("me").unwrap(), ann.id);
    assert_eq!(resolve(ben.id.as_str()).unwrap(), ben.id);
    assert_eq!(resolve("ben").unwrap(), ben.id);
    assert_eq!(resolve("Ben").unwrap(), ben.id);
    assert_eq!(resolve("BEN@example.org").unwrap(), ben.id);
    for unknown in ["", "cid", "1", "cid@example.org", "Benn"] {
        assert!(matches!(resolve(unknown), Err(Error::NotFound(_))), "{unknown}");
    }
    let anonymous = server.app.db.read(|tx| accounts::resolve_account(tx, None, "me"));
    assert!(matches!(anonymous, Err(Error::NotFound(_))));
}

#[test]
fn user_who_owns_nodes_cannot_be_deleted() {
    let server = TestServer::new();
    let (ann, ben) = (server.create_user("Ann"), server.create_user("Ben"));
    let token = server.create_bearer_token(&ben.id);
    server.execute_sql(
        "insert into node (id, type, owner, title, title_key, created, updated, updated_by, revision, change)
         select 'n1', 'document', id, 'Chart', 'chart', 0, 0, id, 1, 1 from user where username = 'ann'",
    );
    let delete = |id: &chartroom_platform::id::AccountId, owned: u32| {
        let id = id.clone();
        server.app.db.write(move |tx| accounts::delete_user(tx, &id, |_, _| Ok(owned)))
    };
    let refused = delete(&ann.id, 3).unwrap_err().to_string();
    assert!(refused.starts_with("ann@example.org still owns 3 documents and folders"), "{refused}");
    let refused = delete(&ann.id, 0).unwrap_err().to_string();
    assert!(refused.starts_with("ann@example.org still owns documents or folders"), "{refused}");
    assert!(server.app.db.read(|tx| accounts::load_profile(tx, &ann.id)).is_ok());

    delete(&ben.id, 0).unwrap();
    assert_eq!(server.request(&token, "GET", "/api/v1/user", "").status, 401);
    assert!(matches!(delete(&ben.id, 0), Err(Error::NotFound("user"))));
}

#[test]
fn too_many_wrong_passwords_return_429() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    server.create_user("Ben");
    let (token, verified) = (server.create_bearer_token(&ann.id), basic_auth("ann", PASSWORD));
    assert_eq!(server.request(&verified, "GET", "/api/v1/user", "").status, 200);
    // Names have limits of their own.
    let wrong = |number: usize| basic_auth(&format!("nobody{number}"), PASSWORD);
    let send = |number| server.request(&wrong(number), "GET", "/api/v1/user", "").status;
    let refused: Vec<u16> = (0..14).map(send).collect();
    assert!(refused.starts_with(&[401; 10]) && refused.ends_with(&[429; 4]), "{refused:?}");

    let limited = server.request(&basic_auth("ben", PASSWORD), "GET", "/api/v1/user", "");
    assert_eq!(limited.status, 429, "{}", limited.text);
    assert!((1..=30).contains(&limited.header("retry-after").parse().unwrap()));
    let page = server.submit_form("/sign-in", "email=ben&password=correct+horse+battery");
    assert_eq!(page.status, 429);
    assert!(page.header("retry-after").parse::<u64>().is_ok());
    assert!(page.text.contains("try again in"), "{}", page.text);
    // Credentials that need no password verification still work: a token, and a verified password.
    assert_eq!(server.request(&token, "GET", "/api/v1/user", "").status, 200);
    assert_eq!(server.request(&verified, "GET", "/api/v1/user", "").status, 200);
}

#[test]
fn concurrent_wrong_passwords_do_not_exceed_the_limit() {
    let server = TestServer::new();
    server.create_user("Ann");
    let statuses = |count: usize, authorization: &dyn Fn(usize) -> String| -> Vec<u16> {
        let headers: Vec<String> = (0..count).map(authorization).collect();
        let barrier = Barrier::new(count);
        thread::scope(|scope| {
            let threads: Vec<_> = headers
                .iter()
                .map(|header| {
                    scope.spawn(|| {
                        barrier.wait();
                        server.request(header, "GET", "/api/v1/user", "").status
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    };
    // Successes do not count, however many there are at once.
    let right = statuses(40, &|_| basic_auth("ann", PASSWORD));
    assert_eq!(right, [200; 40]);
    let check = |authorization: &dyn Fn(usize) -> String, expected: (usize, usize)| {
        let wrong = statuses(100, authorization);
        let count = |status: u16| wrong.iter().filter(|other| **other == status).count();
        assert_eq!((count(401), count(429)), expected, "{wrong:?}");
    };
    check(&|index| basic_auth(&format!("nobody{index}"), PASSWORD), (10, 90));
}

#[test]
fn basic_credentials_are_refused_for_changes_by_pages_of_other_sites() {
    let server = TestServer::new();
    server.create_user("Ann");
    let authorization = basic_auth("ann", PASSWORD);
    let send = |method: &str, more: &[(&str, &str)]| {
        let mut headers =
            vec![("authorization", authorization.as_str()), ("content-type", "application/json")];
        headers.extend(more);
        let path = match method {
            "POST" => "/api/v1/create-document",
            _ => "/api/v1/user",
        };
        server.send(method, path, &headers, r#"{"widget":"bar"}"#).status
    };
    assert_eq!(send("POST", &[]), 200, "a program sends no origin");
    assert_eq!(send("POST", &[("sec-fetch-site", "same-origin")]), 200);
    assert_eq!(send("POST", &[("sec-fetch-site", "none")]), 200);
    assert_eq!(send("POST", &[("sec-fetch-site", "cross-site")]), 403);
    assert_eq!(send("POST", &[("sec-fetch-site", "same-site")]), 403);
    assert_eq!(send("POST", &[("sec-fetch-site", "cross-site"), ("origin", "null")]), 403);
    assert_eq!(send("POST", &[("origin", "https://evil.example")]), 403);
    assert_eq!(send("GET", &[("sec-fetch-site", "cross-site")]), 200);
}

#[test]
fn account_has_at_most_100_api_tokens() {
    let server = TestServer::new();
    let (ann, ben) = (server.create_user("Ann"), server.create_user("Ben"));
    let token = server.create_bearer_token(&ann.id);
    let create = |authorization: &str| {
        let body = r#"{"name":"ci"}"#;
        server.request(authorization, "POST", "/api/v1/user/tokens", body)
    };
    let mut last = create(&token);
    for _ in 2..100 {
        last = create(&token);
        assert_eq!(last.status, 200, "{}", last.text);
    }
    let refused = create(&token);
    let expected = "the account already has 100 API tokens, the maximum; delete one first";
    assert_eq!((refused.status, refused.text.as_str()), (409, expected));
    assert_eq!(create(&server.create_bearer_token(&ben.id)).status, 200);
    let path = format!("/api/v1/user/tokens/{}", last.json()["id"].as_str().unwrap());
    assert_eq!(server.request(&token, "DELETE", &path, "").status, 204);
    assert_eq!(create(&token).status, 200);
}
