//! Ways in: API tokens, basic credentials, session cookies and the sign-in page.

mod setup;
mod verbs;

use chartroom::features::accounts;
use chartroom::features::accounts::NewUser;
use chartroom::features::accounts::UserChanges;
use chartroom_platform::error::Error;
use serde_json::json;

use crate::talk::PASSWORD;
use crate::talk::Server;
use crate::talk::basic;

#[test]
fn a_token_is_shown_once_and_works_until_it_is_removed() {
    let server = Server::new();
    let ann = basic(&server.person("Ann").id.to_string(), PASSWORD);

    let made = server.ask(&ann, "POST", "/api/v1/user/tokens", r#"{"name":" laptop "}"#);
    assert_eq!(made.status, 200, "{}", made.text);
    let made = made.json();
    let token = made["token"].as_str().unwrap();
    assert!(token.starts_with("chartroom_") && token.len() == 50, "{token}");
    assert!(token.starts_with(made["hint"].as_str().unwrap()));

    let bearer = format!("Bearer {token}");
    assert_eq!(server.ask(&bearer, "GET", "/api/v1/user", "").status, 200);
    assert_eq!(server.ask(&bearer.to_lowercase(), "GET", "/api/v1/user", "").status, 401);

    let listed = server.ask(&bearer, "GET", "/api/v1/user/tokens", "");
    assert!(!listed.text.contains(token), "{}", listed.text);
    let listed = listed.json();
    assert_eq!(listed[0]["name"], "laptop");
    assert_eq!(listed[0]["id"], made["id"]);
    assert_eq!(listed[0].get("expires_at"), None);

    let path = format!("/api/v1/user/tokens/{}", made["id"].as_str().unwrap());
    let ben = server.token(&server.person("Ben").id);
    assert_eq!(server.ask(&ben, "DELETE", &path, "").status, 404);
    assert_eq!(server.ask(&ann, "DELETE", &path, "").status, 204);
    assert_eq!(server.ask(&ann, "DELETE", &path, "").status, 404);
    let refused = server.ask(&bearer, "GET", "/api/v1/user", "");
    assert_eq!((refused.status, refused.text.as_str()), (401, "this API token is not valid"));
}

#[test]
fn a_token_needs_a_name_and_may_expire() {
    let server = Server::new();
    let ann = server.token(&server.person("Ann").id);
    let check = |body: &str, want: &str| {
        let answer = server.ask(&ann, "POST", "/api/v1/user/tokens", body);
        assert_eq!(answer.status, 400, "{}", answer.text);
        assert!(answer.text.starts_with(want), "{}", answer.text);
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
    let made = server.ask(&ann, "POST", "/api/v1/user/tokens", body).json();
    assert_eq!(made["expires_at"], "2998-12-31T23:00:00.000Z");
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    assert_eq!(server.ask(&bearer, "GET", "/api/v1/user", "").status, 200);
    server.sql("update api_token set expires = 1 where expires is not null");
    let refused = server.ask(&bearer, "GET", "/api/v1/user", "");
    assert_eq!((refused.status, refused.text.as_str()), (401, "this API token has expired"));
}

#[test]
fn basic_takes_id_username_or_address_and_one_answer_for_every_wrong_pair() {
    let server = Server::new();
    let ann = server.person("Ann");
    let check = |who: &str, password: &str, want: u16| {
        let answer = server.ask(&basic(who, password), "GET", "/api/v1/user", "");
        assert_eq!(answer.status, want, "{who}: {}", answer.text);
        if want == 401 {
            assert_eq!(answer.text, "wrong name or password");
        }
    };
    check(ann.id.as_str(), PASSWORD, 200);
    check("ann", PASSWORD, 200);
    check("Ann@Example.ORG", PASSWORD, 200);
    check("ann", "wrong horse battery", 401);
    check("nobody", PASSWORD, 401);
    check("nobody@example.org", PASSWORD, 401);
    check("12345", PASSWORD, 401);

    // A user without a password has no way in by one, not even by an empty one.
    let new = NewUser {
        email: "cid@example.org".to_owned(),
        name: "Cid".to_owned(),
        ..NewUser::default()
    };
    server.app.db.write(move |tx| accounts::create_user(tx, &new)).unwrap();
    check("cid@example.org", "", 401);

    for bad in ["Basic !!!", "Basic YW5u", "Digest x", "Bearer", "Bearer x"] {
        assert_eq!(server.ask(bad, "GET", "/api/v1/user", "").status, 401, "{bad}");
    }
    let none = server.send("GET", "/api/v1/user", &[], "");
    assert_eq!((none.status, none.text.as_str()), (401, "sign-in required"));
}

#[test]
fn a_changed_password_takes_effect_at_once() {
    let server = Server::new();
    let ann = server.person("Ann");
    let (old, new) = (basic("ann", PASSWORD), basic("ann", "another horse battery"));
    assert_eq!(server.ask(&old, "GET", "/api/v1/user", "").status, 200);

    let hash = accounts::hash_new_password(&server.app, "another horse battery").unwrap();
    server.app.db.write(move |tx| accounts::set_password(tx, &ann.id, &hash)).unwrap();
    assert_eq!(server.ask(&old, "GET", "/api/v1/user", "").status, 401);
    assert_eq!(server.ask(&new, "GET", "/api/v1/user", "").status, 200);
}

#[test]
fn a_disabled_user_is_refused_everywhere() {
    let server = Server::new();
    let ann = server.person("Ann");
    let (id, token) = (ann.id.clone(), server.token(&ann.id));
    let body = json!({ "email": "ann", "password": PASSWORD }).to_string();
    let cookie = server.ask_session(&body).cookie();

    server.app.db.write(move |tx| accounts::set_disabled(tx, &id, true)).unwrap();
    let refused = server.ask(&token, "GET", "/api/v1/user", "");
    assert_eq!((refused.status, refused.text.as_str()), (401, "this account is disabled"));
    assert_eq!(server.ask(&basic("ann", PASSWORD), "GET", "/api/v1/user", "").status, 401);
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").status, 401);
    assert_eq!(server.ask_session(&body).status, 401);

    server.app.db.write(move |tx| accounts::set_disabled(tx, &ann.id, false)).unwrap();
    assert_eq!(server.ask(&token, "GET", "/api/v1/user", "").status, 200);
    // The session was ended, not suspended.
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").status, 401);
}

#[test]
fn a_session_changes_things_only_from_its_own_pages() {
    let server = Server::new();
    server.person("Ann");
    let body = json!({ "email": "ann@example.org", "password": PASSWORD }).to_string();
    let begun = server.ask_session(&body);
    assert_eq!((begun.status, begun.json()["name"].as_str()), (200, Some("Ann")));
    assert!(begun.header("set-cookie").contains("; Path=/; HttpOnly; SameSite=Lax; Max-Age="));
    let cookie = begun.cookie();

    let check = |headers: &[(&str, &str)], want: u16| {
        let mut all = vec![("cookie", cookie.as_str()), ("content-type", "application/json")];
        all.extend(headers);
        let answer = server.send("POST", "/api/v1/user/tokens", &all, r#"{"name":"x"}"#);
        assert_eq!(answer.status, want, "{headers:?}: {}", answer.text);
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

    let own = [("cookie", cookie.as_str()), ("sec-fetch-site", "same-origin")];
    let ended = server.send("DELETE", "/api/v1/session", &own, "");
    assert_eq!(ended.status, 204);
    assert!(ended.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").status, 401);
}

#[test]
fn a_session_slides_while_it_is_used_and_then_ends() {
    let server = Server::new();
    server.person("Ann");
    let body = json!({ "email": "ann", "password": PASSWORD }).to_string();
    let cookie = server.ask_session(&body).cookie();
    let days_left = || {
        let read = |row: &rusqlite::Row<'_>| row.get::<_, i64>("expires");
        let left = |tx: &chartroom_platform::db::Tx<'_>| {
            Ok(tx.one("select expires from session", [], read)? - tx.now.0)
        };
        server.app.db.read(left).unwrap() as f64 / 86_400_000.0
    };
    assert!((29.9..=30.0).contains(&days_left()), "{}", days_left());

    server.sql("update session set expires = expires - 86400000 * 20");
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").status, 200);
    assert!((29.9..=30.0).contains(&days_left()), "{}", days_left());

    server.sql("update session set expires = expires - 3600000");
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").status, 200);
    assert!(days_left() < 29.99, "an hour is not worth a write: {}", days_left());

    server.sql("update session set expires = expires - 86400000 * 30");
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").status, 401);
}

#[test]
fn the_sign_in_page_goes_on_to_local_paths_only() {
    let server = Server::new();
    server.person("Ann");
    let page = server.send("GET", "/sign-in?next=%2Fd%2F1", &[], "");
    assert_eq!(page.status, 200);
    assert!(page.text.contains(r#"name="next" value="/d/1""#), "{}", page.text);

    let check = |next: &str, want: &str| {
        let body = format!("email=ann&password=correct+horse+battery&next={next}");
        let answer = server.form("/sign-in", &body);
        assert_eq!((answer.status, answer.header("location").as_str()), (303, want));
        assert!(answer.header("set-cookie").starts_with("chartroom_session="));
    };
    check("/d/1", "/d/1");
    check("", "/");
    check("https://evil.example/", "/");
    check("//evil.example/", "/");
    check("%2F%5Cevil.example/", "/");
    check("%2Fa%0D%0ASet-Cookie:x", "/");

    let wrong = server.form("/sign-in", "email=%3Cb%3E&password=x&next=/");
    assert_eq!(wrong.status, 401);
    assert!(wrong.text.contains("Wrong name or password."), "{}", wrong.text);
    assert!(!wrong.text.contains("<b>"), "what was typed is escaped: {}", wrong.text);

    let foreign =
        [("content-type", "application/x-www-form-urlencoded"), ("origin", "https://evil.example")];
    let body = "email=ann&password=correct+horse+battery";
    let refused = server.send("POST", "/sign-in", &foreign, body);
    assert_eq!((refused.status, refused.header("set-cookie").as_str()), (403, ""));
}

#[test]
fn signing_out_ends_the_session() {
    let server = Server::new();
    server.person("Ann");
    let signed_in = server.form("/sign-in", "email=ann&password=correct+horse+battery");
    let cookie = signed_in.cookie();
    let own = [("cookie", cookie.as_str()), ("sec-fetch-site", "same-origin")];
    let already = server.send("GET", "/sign-in?next=/d/1", &own, "");
    assert_eq!((already.status, already.header("location").as_str()), (303, "/d/1"));

    let out = server.send("POST", "/sign-out", &own, "");
    assert_eq!((out.status, out.header("location").as_str()), (303, "/sign-in"));
    assert!(out.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(server.send("GET", "/api/v1/user", &own, "").status, 401);
    assert_eq!(server.send("POST", "/sign-out", &own, "").status, 303);
}

#[test]
fn addresses_and_usernames_are_unique() {
    let server = Server::new();
    let ann = server.person("Ann");
    let make = |email: &str, username: Option<&str>| {
        let new = NewUser {
            email: email.to_owned(),
            name: "Other".to_owned(),
            username: username.map(str::to_owned),
            ..NewUser::default()
        };
        server.app.db.write(move |tx| accounts::create_user(tx, &new))
    };
    let check = |made: Result<accounts::Profile, Error>, want: &str| match made {
        Err(Error::Conflict(text)) => assert_eq!(text, want),
        other => panic!("{other:?}"),
    };
    check(make("ANN@example.org", None), "email: ANN@example.org already has an account");
    check(make("other@example.org", Some("ann")), "username: ann is taken");
    assert_eq!(make("ann@example.com", None).unwrap().username, "ann2");
    assert_eq!(make("ann@example.net", None).unwrap().username, "ann3");

    let edit = |change: UserChanges| {
        let id = ann.id.clone();
        server.app.db.write(move |tx| accounts::update_user(tx, &id, change.clone()))
    };
    let to = |email: &str| UserChanges { email: Some(email.to_owned()), ..UserChanges::default() };
    check(edit(to("ann@example.com")), "email: ann@example.com already has an account");
    assert_eq!(edit(to("Ann@Example.org")).unwrap().email, "Ann@Example.org");
}

#[test]
fn accounts_are_found_by_id_me_username_and_address() {
    let server = Server::new();
    let (ann, ben) = (server.person("Ann"), server.person("Ben"));
    let find = |who: &str| server.app.db.read(|tx| accounts::resolve_account(tx, Some(&ann), who));
    assert_eq!(find("me").unwrap(), ann.id);
    assert_eq!(find(ben.id.as_str()).unwrap(), ben.id);
    assert_eq!(find("ben").unwrap(), ben.id);
    assert_eq!(find("BEN@example.org").unwrap(), ben.id);
    for nobody in ["", "cid", "1", "cid@example.org", "Ben"] {
        assert!(matches!(find(nobody), Err(Error::NotFound(_))), "{nobody}");
    }
    let anonymous = server.app.db.read(|tx| accounts::resolve_account(tx, None, "me"));
    assert!(matches!(anonymous, Err(Error::NotFound(_))));
}

#[test]
fn a_user_who_owns_something_is_not_removed() {
    let server = Server::new();
    let (ann, ben) = (server.person("Ann"), server.person("Ben"));
    let token = server.token(&ben.id);
    server.sql(
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
    assert_eq!(server.ask(&token, "GET", "/api/v1/user", "").status, 401);
    assert!(matches!(delete(&ben.id, 0), Err(Error::NotFound("user"))));
}

#[test]
fn too_many_wrong_passwords_make_a_client_wait() {
    let server = Server::new();
    let ann = server.person("Ann");
    server.person("Ben");
    let (token, remembered) = (server.token(&ann.id), basic("ann", PASSWORD));
    assert_eq!(server.ask(&remembered, "GET", "/api/v1/user", "").status, 200);
    let wrong = basic("nobody", PASSWORD);
    let refused: Vec<u16> =
        (0..14).map(|_| server.ask(&wrong, "GET", "/api/v1/user", "").status).collect();
    assert!(refused.starts_with(&[401; 10]) && refused.ends_with(&[429; 2]), "{refused:?}");

    let waits = server.ask(&basic("ben", PASSWORD), "GET", "/api/v1/user", "");
    assert_eq!(waits.status, 429, "{}", waits.text);
    assert!((1..=30).contains(&waits.header("retry-after").parse().unwrap()));
    let page = server.form("/sign-in", "email=ben&password=correct+horse+battery");
    assert_eq!(page.status, 429);
    assert!(page.header("retry-after").parse::<u64>().is_ok());
    assert!(page.text.contains("try again in"), "{}", page.text);
    // What needs no password to be verified goes on.
    assert_eq!(server.ask(&token, "GET", "/api/v1/user", "").status, 200);
    assert_eq!(server.ask(&remembered, "GET", "/api/v1/user", "").status, 200);
}
