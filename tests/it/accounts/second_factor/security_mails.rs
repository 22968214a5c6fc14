//! Tests of the mails about changes of the credentials of an account.

use chartroom::features::accounts;
use chartroom_platform::db::Tx;
use serde_json::json;

use super::FactorFixture;
use super::PATH;
use crate::test_server::PASSWORD;
use crate::test_server::TestServer;

/// Returns the changes that mails are waiting for, in order, and removes the mails. Each goes to Ann.
fn take_changes(server: &TestServer) -> Vec<String> {
    let sql = "select subject from task where name = 'accounts.security-mail' order by id";
    let subjects: Vec<String> = server.app.db.read(|tx| tx.all(sql, [], |row| row.get(0))).unwrap();
    server.execute_sql("delete from task where name = 'accounts.security-mail'");
    let change = |subject: &String| {
        let recipient = |tx: &Tx<'_>| accounts::security_mail_recipient(tx, &server.app, subject);
        assert_eq!(server.app.db.read(recipient).unwrap().as_deref(), Some("ann@example.org"));
        subject.split(' ').nth(1).unwrap().to_owned()
    };
    subjects.iter().map(change).collect()
}

#[test]
fn users_get_a_mail_about_each_change_of_their_second_factor() {
    let fixture = FactorFixture::new();
    let server = &fixture.server;
    let codes = &fixture.recovery_codes;
    assert_eq!(take_changes(server), ["enabled"]);
    assert_eq!(fixture.sign_in(&fixture.app.code(0)).status, 200);
    assert!(take_changes(server).is_empty(), "a sign-in changes nothing");
    assert_eq!(fixture.sign_in(&codes[0]).status, 200);
    assert_eq!(take_changes(server), ["recovery-code"]);
    assert_eq!(fixture.sign_in(&codes[0]).status, 401);
    assert!(take_changes(server).is_empty());
    fixture.forget_used_codes();
    let body = json!({ "current_password": PASSWORD, "code": fixture.app.code(0) });
    assert_eq!(fixture.request("POST", &format!("{PATH}/recovery-codes"), &body).status, 200);
    assert_eq!(take_changes(server), ["recovery-codes"]);
    fixture.forget_used_codes();
    assert_eq!(fixture.request("DELETE", PATH, &body).status, 204);
    assert_eq!(take_changes(server), ["disabled"]);
}

#[test]
fn users_get_a_mail_about_a_new_password_but_not_about_the_first() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let token = server.create_bearer_token(&ann.id);
    let change = |old: &str, new: &str| {
        let body = json!({ "current_password": old, "password": new }).to_string();
        assert_eq!(server.request(&token, "PATCH", "/api/v1/user", &body).status, 200);
    };
    change(PASSWORD, "another horse battery");
    assert_eq!(take_changes(&server), ["password"]);
    server.execute_sql("update user set password_hash = null");
    change("none", PASSWORD);
    assert!(take_changes(&server).is_empty());
    change(PASSWORD, "another horse battery");
    let sql = "select subject from task where name = 'accounts.security-mail'";
    let subject: String = server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap();
    server.execute_sql("update user set disabled = 1");
    for subject in [&subject, "a b c", ""] {
        let recipient = |tx: &Tx<'_>| accounts::security_mail_recipient(tx, &server.app, subject);
        assert_eq!(server.app.db.read(recipient).unwrap(), None, "{subject:?}");
    }
}
