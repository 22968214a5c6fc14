//! Tests of accounts that get another identifier at the identity provider.

use chartroom::features::accounts;
use chartroom::features::accounts::NewApiToken;
use chartroom::features::people::managed;
use chartroom::features::people::managed::SsoOutcome;
use chartroom_platform::id::AccountId;
use serde_json::Value;
use serde_json::json;

use super::events;
use super::linking::identity;
use super::linking::read_user;
use super::linking::refusal;
use super::linking::sign_in_ok;
use super::linking::sign_in_to;
use crate::people::new_token;
use crate::people::start_with_verified_domain;
use crate::teams::OrgFixture;

/// Returns the numbers of rows of an account in the tables of its credentials.
fn count_credentials(fixture: &OrgFixture) -> (u32, u32, u32) {
    let sql = "select (select count(*) from session where method = 'sso'),
                      (select count(*) from api_token where name = 'mine'),
                      (select count(*) from user where password_hash = 'hash')";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    fixture.server.app.db.read(|tx| tx.one(sql, [], read)).unwrap()
}

#[test]
fn another_identifier_ends_all_credentials_and_tells_the_admins() {
    let fixture = start_with_verified_domain();
    let (id, _) = sign_in_ok(&fixture, &identity("00u1", "Mia"));
    let user = AccountId::from_text(id.as_str());
    let created = fixture.server.app.db.write(move |tx| {
        accounts::set_password(tx, &user, "hash")?;
        accounts::create_token(tx, &user, &NewApiToken::unlimited("mine"))
    });
    created.unwrap();
    fixture.server.execute_sql(
        "insert into session (hash, id, user_id, created, last_used, expires, method, ip_address,
                              user_agent)
         select x'01', 's1', id, 1, 1, 9000000000000, 'sso', '', '' from user where name = 'Mia'",
    );
    assert_eq!(count_credentials(&fixture), (1, 1, 1));
    let (other, outcome) = sign_in_ok(&fixture, &identity("00u2", "Mia"));
    assert_eq!((other, outcome), (id.clone(), SsoOutcome::Relinked));
    assert_eq!(count_credentials(&fixture), (0, 0, 0));
    assert_eq!(read_user(&fixture, &id)["sso_id"], "00u2");
    let event = &events(&fixture, "user.relink")[0];
    let details =
        json!({ "email": "mia@acme.example", "sso_id": { "from": "00u1", "to": "00u2" } });
    assert_eq!(event["details"], details);
    // One mail for the only admin.
    let app = &fixture.server.app;
    let subjects: Vec<String> = app
        .db
        .read(|tx| {
            tx.all("select subject from task where name = 'people.relink-mail'", [], |row| {
                row.get(0)
            })
        })
        .unwrap();
    assert_eq!(subjects.len(), 1, "{subjects:?}");
    let recipient =
        |subject: &str| app.db.read(|tx| managed::relink_mail_recipient(tx, app, subject)).unwrap();
    assert_eq!(recipient(&subjects[0]).as_deref(), Some("ann@example.org"));
    assert_eq!(recipient("a b c"), None);
    fixture.server.execute_sql("update user set disabled = 1 where name = 'Ann'");
    assert_eq!(recipient(&subjects[0]), None);
    // The earlier identifier belongs to nobody, and its person has the same address.
    fixture.server.execute_sql("update user set disabled = 0");
    let (back, outcome) = sign_in_ok(&fixture, &identity("00u1", "Mia"));
    assert_eq!((back, outcome), (id, SsoOutcome::Relinked));
}

#[test]
fn another_identifier_ends_the_second_factor_and_the_cast_sessions() {
    let fixture = start_with_verified_domain();
    let (id, _) = sign_in_ok(&fixture, &identity("00u1", "Mia"));
    let (token, server) = (new_token(&fixture, &id), &fixture.server);
    let body = r#"{"widget":"bar","folder":"/"}"#;
    let document = server.request(&token, "POST", "/api/v1/create-document", body).json();
    let cast = json!({ "document_id": document["id"], "device_name": "Lobby" }).to_string();
    let cast = server.request(&token, "POST", "/api/v1/cast/sessions", &cast).json();
    let screen = format!("/api/v1/cast/{}/check", cast["token"].as_str().unwrap());
    server.execute_sql(
        "insert into second_factor (user_id, secret, confirmed, last_step, created)
         select id, x'00', 1, 0, 0 from user where name = 'Mia'",
    );
    let state = || {
        let sql = "select count(*) from second_factor";
        let factors: u32 = server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap();
        (factors, server.send("GET", &screen, &[], "").json()["valid"].as_bool().unwrap())
    };
    assert_eq!(state(), (1, true));
    // The known identifier changes neither.
    sign_in_ok(&fixture, &identity("00u1", "Mia"));
    assert_eq!(state(), (1, true));
    assert_eq!(sign_in_ok(&fixture, &identity("00u2", "Mia")).1, SsoOutcome::Relinked);
    assert_eq!(state(), (0, false));
}

#[test]
fn relinking_can_be_switched_off() {
    let fixture = start_with_verified_domain();
    let (id, _) = sign_in_ok(&fixture, &identity("00u1", "Mia"));
    let refused = refusal(sign_in_to(&fixture, "acme", false, &identity("00u2", "Mia")));
    assert_eq!(refused.0, "account");
    assert!(refused.1.contains("has another SSO id, 00u1, and relinking is off"), "{}", refused.1);
    assert_eq!(read_user(&fixture, &id)["sso_id"], "00u1");
    assert!(events(&fixture, "user.relink").is_empty());
    // An administrator removes the identifier, and the next sign-in links the account.
    let path = format!("/users/{id}");
    let cleared = fixture.request_org("Ann", "PATCH", &path, json!({ "sso_id": null }));
    assert_eq!(cleared.status, 204);
    let linked = sign_in_to(&fixture, "acme", false, &identity("00u2", "Mia")).unwrap();
    assert_eq!((linked.user.id.to_string(), linked.outcome), (id, SsoOutcome::Linked));
    let taken = json!({ "sso_id": "00u2" });
    let (other, _) = sign_in_ok(&fixture, &identity("00u3", "Nina"));
    let refused = fixture.request_org("Ann", "PATCH", &format!("/users/{other}"), taken);
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_eq!(fixture.request_org("Ann", "GET", "/users/0", Value::Null).status, 404);
}

#[test]
fn relinking_needs_a_verified_domain() {
    let fixture = start_with_verified_domain();
    sign_in_ok(&fixture, &identity("00u1", "Mia"));
    fixture.server.execute_sql("update domain set status = 'failed'");
    let (code, _) = refusal(sign_in_to(&fixture, "acme", true, &identity("00u2", "Mia")));
    assert_eq!(code, "domain");
}
