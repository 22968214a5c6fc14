//! Tests that links in mails do not replace the second factor.

use std::time::Duration;

use chartroom::features::accounts;
use chartroom::features::accounts::PasswordLink;
use chartroom::features::accounts::SessionMethod;
use rusqlite::named_params;

use super::FactorFixture;
use super::assert_refused;
use super::sign_in;
use crate::test_server::PASSWORD;

#[test]
fn password_link_does_not_sign_in_and_keeps_the_second_factor() {
    let fixture = FactorFixture::new();
    let (key, ann) = (fixture.server.app.server_key.clone(), fixture.ann.id.clone());
    let lifetime = Duration::from_secs(600);
    let link =
        fixture.server.app.db.write(move |tx| PasswordLink::create(tx, &key, &ann, lifetime));
    let path = link.unwrap().url(&fixture.server.app.server_key, "");
    let page = fixture.server.submit_form(&path, "password=another+horse+battery");
    assert_eq!((page.status, page.header("set-cookie").as_str()), (200, ""), "{}", page.text);
    assert!(page.body.contains("Your new password is set"), "{}", page.body);
    assert!(page.body.contains(r#"href="/sign-in""#), "{}", page.body);
    let server = &fixture.server;
    let sql = "select count(*) from session";
    let count: i64 = server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap();
    assert_eq!(count, 0);
    assert_refused(&sign_in(server, PASSWORD, None), "sign_in_required");
    assert_refused(&sign_in(server, "another horse battery", None), "second_factor_required");
    let code = fixture.app.code(0);
    assert_eq!(sign_in(server, "another horse battery", Some(&code)).status, 200);
    assert_eq!(fixture.state()["recovery_codes"], 10);
}

#[test]
fn only_single_sign_on_begins_a_session_without_a_code() {
    // Each feature that begins sessions calls this function.
    let source = include_str!("../../../../src/features/accounts/credentials.rs");
    assert_eq!(source.matches("insert_session(").count(), 1, "another way to begin a session");
    let setup = include_str!("../../../../src/features/accounts/setup.rs");
    assert_eq!(setup.matches("insert_session(").count(), 1, "the first operator is new");
    let uses_password = [
        (SessionMethod::Password, true),
        (SessionMethod::Setup, true),
        (SessionMethod::Invite, true),
        (SessionMethod::PasswordLink, true),
        (SessionMethod::Sso, false),
    ];
    for (method, expected) in uses_password {
        assert_eq!(method.uses_password(), expected, "{method:?}");
    }
}

#[test]
fn deletion_of_a_user_deletes_the_second_factor() {
    let fixture = FactorFixture::new();
    let ann = fixture.ann.id.clone();
    let delete = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        accounts::delete_user(tx, &ann, |_, _| Ok(0))
    };
    fixture.server.app.db.write(delete).unwrap();
    let count = |sql: &str| -> i64 {
        fixture.server.app.db.read(|tx| tx.one(sql, named_params! {}, |row| row.get(0))).unwrap()
    };
    assert_eq!(count("select count(*) from second_factor"), 0);
    assert_eq!(count("select count(*) from recovery_code"), 0);
}
