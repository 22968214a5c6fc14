//! Managed accounts: creation with confirmation, changes, removal and restoration.

use std::time::Duration;

use chartroom::features::accounts::PasswordLink;
use chartroom::tasks;
use chartroom_platform::config::Config;
use chartroom_platform::id::AccountId;
use serde_json::Value;
use serde_json::json;

use super::create_managed;
use super::field_values;
use super::member_names;
use super::new_token;
use super::set_plan;
use super::start_with_config;
use super::start_with_verified_domain;
use crate::teams::OrgFixture;

#[test]
fn creation_needs_the_confirmation_of_a_check_once() {
    let fixture = start_with_verified_domain();
    let post = |body: Value| fixture.request_org("Ann", "POST", "/users", body);
    let new = json!({ "name": "Man", "email": "man@acme.example", "role": "brand_manager" });

    let unconfirmed = post(new.clone());
    assert_eq!(unconfirmed.status, 409, "{}", unconfirmed.text);
    let problem: Value = serde_json::from_str(&unconfirmed.body).unwrap();
    assert_eq!(problem["code"], "confirmation_required");
    assert!(problem.get("update_info").is_none(), "the seats suffice: {problem}");
    assert_eq!(member_names(&fixture), ["Ann", "Ben", "Cid", "Bea"]);

    // A confirmation is bound to address and role.
    let checked = fixture.request_org("Ann", "POST", "/users/check", new.clone());
    assert_eq!(checked.status, 200, "{}", checked.text);
    let confirmation = checked.json()["confirmation"].clone();
    assert_eq!(checked.json()["org_subscription"]["current_member_count"], 4);
    let with = |changes: &[(&str, Value)]| {
        let mut body = new.clone();
        body["confirmation"] = confirmation.clone();
        for (field, value) in changes {
            body[*field] = value.clone();
        }
        body
    };
    for change in [("email", json!("other@acme.example")), ("role", json!("admin"))] {
        let refused = post(with(&[change]));
        assert_eq!(refused.status, 409, "{}", refused.text);
    }
    let forged = format!("9{}", confirmation.as_str().unwrap());
    assert_eq!(post(with(&[("confirmation", json!(forged))])).status, 409);
    assert_eq!(post(with(&[("confirmation", json!("nonsense"))])).status, 409);

    let created = post(with(&[]));
    assert_eq!(created.status, 200, "{}", created.text);
    let user = created.json();
    assert_eq!(user["role"], "brand_manager");
    assert_eq!(user["managed"], true);
    assert_eq!(user["sso_id"], Value::Null);
    // The same confirmation again, for an account that was removed meanwhile.
    let path = format!("/users/{}", user["id"].as_str().unwrap());
    assert_eq!(fixture.request_org("Ann", "DELETE", &path, Value::Null).status, 204);
    let again = post(with(&[]));
    assert_eq!(again.status, 409);
    assert!(again.text.contains("was used before"), "{}", again.text);
}

#[test]
fn the_expiry_of_a_confirmation_is_signed_and_a_flat_fee_needs_none() {
    let fixture = start_with_verified_domain();
    let mut body = json!({ "name": "Man", "email": "man@acme.example" });
    let checked = fixture.request_org("Ann", "POST", "/users/check", body.clone()).json();
    let confirmation = checked["confirmation"].as_str().unwrap();
    // The first part is the time of expiry in milliseconds, and signed.
    let expires: i64 = confirmation.split('.').next().unwrap().parse().unwrap();
    let now = chartroom_platform::time::Timestamp::now().0;
    assert!((14 * 60_000..=15 * 60_000).contains(&(expires - now)), "{}", expires - now);
    let earlier = confirmation.replace(&expires.to_string(), &(now - 1).to_string());
    body["confirmation"] = json!(earlier);
    assert_eq!(fixture.request_org("Ann", "POST", "/users", body.clone()).status, 409);

    let org = fixture.org.id.clone();
    let set_flat_fee = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        let mut terms = chartroom::features::orgs::SubscriptionTerms::new(tx.now);
        terms.price = chartroom::features::orgs::Price::FlatFee(90_000);
        chartroom::features::orgs::set_grants(tx, &org, None, Some(Some(terms)))
    };
    fixture.server.app.db.write(set_flat_fee).unwrap();
    body.as_object_mut().unwrap().remove("confirmation");
    let checked = fixture.request_org("Ann", "POST", "/users/check", body.clone()).json();
    assert!(checked.get("confirmation").is_none(), "{checked}");
    let created = fixture.request_org("Ann", "POST", "/users", body);
    assert_eq!(created.status, 200, "{}", created.text);
}

#[test]
fn creation_is_refused_with_a_reason() {
    let fixture = start_with_verified_domain();
    let check = |body: Value, want: (u16, &str)| {
        let response = fixture.request_org("Ann", "POST", "/users/check", body);
        assert_eq!(response.status, want.0, "{}", response.text);
        assert!(response.text.contains(want.1), "{}", response.text);
    };
    check(
        json!({ "name": "Man", "email": "man@other.example" }),
        (400, "email: must be on a domain"),
    );
    check(json!({ "name": "Man", "email": "man@sub.acme.example" }), (400, "email: "));
    check(json!({ "name": "Man", "email": "nothing" }), (400, "email: "));
    check(json!({ "name": " ", "email": "man@acme.example" }), (400, "name: "));
    check(json!({ "name": "Man", "email": "man@acme.example", "role": "boss" }), (400, "role: "));
    check(json!({ "email": "man@acme.example" }), (400, "name"));

    // A personal account on the domain is not taken over.
    fixture.server.execute_sql("update user set email = 'dan@acme.example', email_key = 'dan@acme.example' where username = 'dan'");
    check(json!({ "name": "Dan", "email": "DAN@acme.example" }), (409, "email: an account"));
    // An unverified domain counts as none.
    fixture.server.execute_sql("update domain set status = 'failed'");
    check(json!({ "name": "Man", "email": "man@acme.example" }), (400, "email: "));
    let id = fixture.org.id.clone();
    let plan = Some(chartroom::features::orgs::Plan::Team);
    let set = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        chartroom::features::orgs::set_plan(tx, &id, plan, None)
    };
    fixture.server.app.db.write(set).unwrap();
    check(json!({ "name": "Man", "email": "man@acme.example" }), (403, "managed accounts"));
    fixture.set_suspended(true);
    check(json!({ "name": "Man", "email": "man@acme.example" }), (402, "suspended"));
}

#[test]
fn a_managed_account_is_read_and_changed() {
    let fixture = start_with_verified_domain();
    let created = create_managed(&fixture, "Man").json();
    let path = format!("/users/{}", created["id"].as_str().unwrap());
    assert_eq!(fixture.request_org("Ann", "GET", &path, Value::Null).json(), created);
    assert_eq!(fixture.request_org("Ben", "GET", &path, Value::Null).status, 403);
    let ben = format!("/users/{}", fixture.user_id("Ben"));
    assert_eq!(fixture.request_org("Ann", "GET", &ben, Value::Null).status, 404, "not managed");
    let listed = fixture.request_org("Ann", "GET", "/users", Value::Null).json();
    assert_eq!(field_values(&listed["users"], "name"), ["Man"]);
    assert!(listed["org_subscription"].is_object());
    let none = fixture.request_org("Ann", "GET", "/users?filter_role=admin", Value::Null).json();
    assert!(none.get("users").is_none(), "{none}");

    let patch = |body: Value| fixture.request_org("Ann", "PATCH", &path, body);
    let changed = patch(
        json!({ "name": "Mano", "email": "mano@acme.example", "role": "admin", "sso_id": "00u1" }),
    );
    assert_eq!(changed.status, 204, "{}", changed.text);
    let user = fixture.request_org("Ann", "GET", &path, Value::Null).json();
    assert_eq!(
        [&user["name"], &user["email"], &user["role"], &user["sso_id"]],
        ["Mano", "mano@acme.example", "admin", "00u1"]
    );
    let check = |body: Value, want: u16| {
        let response = patch(body);
        assert_eq!(response.status, want, "{}", response.text);
    };
    check(json!({ "email": "mano@other.example" }), 400);
    check(json!({ "email": "ann@example.org" }), 400);
    check(json!({ "shoe_size": 43 }), 400);
    check(json!({ "role": "boss" }), 400);
    check(json!({ "sso_id": "" }), 400);
    let other = create_managed(&fixture, "Other").json();
    let other = format!("/users/{}", other["id"].as_str().unwrap());
    let taken = fixture.request_org("Ann", "PATCH", &other, json!({ "sso_id": "00u1" }));
    assert_eq!(taken.status, 409, "{}", taken.text);
    check(json!({ "email": "other@acme.example" }), 409);
    check(json!({ "sso_id": null }), 204);
    let taken = fixture.request_org("Ann", "PATCH", &other, json!({ "sso_id": "00u1" }));
    assert_eq!(taken.status, 204, "{}", taken.text);
    let token = new_token(&fixture, created["id"].as_str().unwrap());
    let user = fixture.server.request(&token, "GET", "/api/v1/user", "").json();
    assert_eq!(user["managed"], true);

    // The last admin cannot be demoted.
    let ann = fixture.user_id("Ann");
    let removed =
        fixture.request_org("Ann", "POST", &format!("/members/remove?id={ann}"), Value::Null);
    assert_eq!(removed.status, 204, "{}", removed.text);
    let path = format!("/api/v1/orgs/acme{path}");
    let demoted = fixture.server.request(&token, "PATCH", &path, r#"{"role":"member"}"#);
    assert_eq!(demoted.status, 409, "{}", demoted.text);
    assert_eq!(fixture.server.request(&token, "DELETE", &path, "").status, 409);
}

/// Returns the paths of all password links that a mail to this account contains or will contain,
/// oldest first.
fn mailed_links(fixture: &OrgFixture, id: &str) -> Vec<String> {
    let app = &fixture.server.app;
    // The task of the mail has the number from which the token is derived.
    let sql = "select subject from task where name = 'people.account-mail' order by id";
    let subjects: Vec<String> = app.db.read(|tx| tx.all(sql, [], |row| row.get(0))).unwrap();
    let nonces = subjects.iter().filter_map(|subject| subject.strip_prefix(&format!("{id}.")));
    nonces.map(|nonce| PasswordLink { nonce: nonce.to_owned() }.url(&app.server_key, "")).collect()
}

#[test]
fn the_link_of_the_mail_sets_a_password_once() {
    let fixture = start_with_verified_domain();
    let id = create_managed(&fixture, "Man").json()["id"].as_str().unwrap().to_owned();
    let url = mailed_links(&fixture, &id).pop().unwrap();
    let page = fixture.server.send("GET", &url, &[], "");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("man@acme.example"), "{}", page.body);
    assert_eq!(page.header("cache-control"), "no-store");
    let cross_site = fixture.server.send(
        "POST",
        &url,
        &[
            ("origin", "https://evil.example"),
            ("content-type", "application/x-www-form-urlencoded"),
        ],
        "password=correct+horse+battery",
    );
    assert_eq!(cross_site.status, 403);
    let short = fixture.server.submit_form(&url, "password=short");
    assert_eq!(short.status, 400);
    assert!(short.body.contains("Password must have"), "{}", short.body);
    let german = [("content-type", "application/x-www-form-urlencoded"), ("accept-language", "de")];
    let short = fixture.server.send("POST", &url, &german, "password=short");
    assert_eq!(short.status, 400);
    assert!(short.body.contains("Passwort muss"), "{}", short.body);
    let set = fixture.server.submit_form(&url, "password=correct+horse+battery");
    assert_eq!((set.status, set.header("location").as_str()), (303, "/"));
    let user = fixture.server.send("GET", "/api/v1/user", &[("cookie", &set.cookie())], "");
    assert_eq!(user.json()["id"], id.as_str());
    let headers = [("cookie", &*set.cookie())];
    let sessions = fixture.server.send("GET", "/api/v1/user/sessions", &headers, "").json();
    assert_eq!(sessions[0]["method"], "password_link");
    assert_eq!(fixture.server.submit_form(&url, "password=another+long+one").status, 404);
    assert_eq!(fixture.server.send("GET", &url, &[], "").status, 404);
    let body = r#"{"email":"man@acme.example","password":"correct horse battery"}"#;
    assert_eq!(fixture.server.sign_in(body).status, 200);
}

#[test]
fn the_last_request_of_a_member_is_shown() {
    let fixture = start_with_verified_domain();
    let background = tasks::start_background_work(&fixture.server.app).unwrap();
    assert_eq!(fixture.request("Ben", "GET", "/api/v1/user", Value::Null).status, 200);
    // The end of the server stores what is only in memory.
    background.stop();
    let members = fixture.request_org("Ann", "GET", "/members", Value::Null).json();
    let seen = |index: usize| members["members"][index].get("last_seen").cloned();
    let ben = seen(1).unwrap();
    let time = chartroom_platform::time::Timestamp::parse_rfc3339(ben.as_str().unwrap()).unwrap();
    assert!(chartroom_platform::time::Timestamp::now().0 - time.0 < 600_000, "{ben}");
    assert_eq!(seen(2), None, "Cid has sent no request");
    let stored = AccountId::from_text(fixture.user_id("Ben"));
    assert_eq!(members["members"][1]["id"], stored.as_str());
}

#[test]
fn seats_bound_managed_accounts() {
    let fixture = start_with_verified_domain();
    set_plan(&fixture, chartroom::features::orgs::Seats::Limited(5));
    assert_eq!(create_managed(&fixture, "Man").status, 200);
    let refused = create_managed(&fixture, "Mon");
    assert_eq!(refused.status, 402, "{}", refused.text);
    assert!(refused.text.contains("0 free seats of 5"), "{}", refused.text);
}

/// Sets the password of a managed account by the newest mailed link.
fn set_password(fixture: &OrgFixture, id: &str) {
    let url = mailed_links(fixture, id).pop().unwrap();
    let set = fixture.server.submit_form(&url, "password=correct+horse+battery");
    assert_eq!(set.status, 303, "{}", set.body);
}

#[test]
fn a_restored_account_needs_a_new_password() {
    let fixture = start_with_verified_domain();
    let id = create_managed(&fixture, "Man").json()["id"].as_str().unwrap().to_owned();
    set_password(&fixture, &id);
    let sign_in = || {
        let body = r#"{"email":"man@acme.example","password":"correct horse battery"}"#;
        fixture.server.sign_in(body).status
    };
    assert_eq!(sign_in(), 200);
    let path = format!("/users/{id}");
    assert_eq!(fixture.request_org("Ann", "DELETE", &path, Value::Null).status, 204);
    assert_eq!(sign_in(), 401);
    assert_eq!(create_managed(&fixture, "Man").json()["id"], id.as_str());
    assert_eq!(sign_in(), 401, "the old password");
    set_password(&fixture, &id);
    assert_eq!(sign_in(), 200);
}

#[test]
fn a_link_mailed_to_a_former_address_does_not_work() {
    let fixture = start_with_verified_domain();
    let id = create_managed(&fixture, "Bob").json()["id"].as_str().unwrap().to_owned();
    let path = format!("/users/{id}");
    let get = |url: &str| fixture.server.send("GET", url, &[], "").status;
    let patch = |body: Value| {
        let changed = fixture.request_org("Ann", "PATCH", &path, body);
        assert_eq!(changed.status, 204, "{}", changed.text);
    };
    patch(json!({ "name": "Robert" }));
    let first = mailed_links(&fixture, &id);
    assert_eq!(first.len(), 1);
    assert_eq!(get(&first[0]), 200);
    patch(json!({ "email": "rob@acme.example" }));
    let second = mailed_links(&fixture, &id);
    assert_eq!((get(&first[0]), get(&second[1])), (404, 200));
    // Sent again by the administrator: only the newest link works.
    let send = format!("{path}/send");
    assert_eq!(fixture.request_org("Ben", "POST", &send, Value::Null).status, 403);
    assert_eq!(fixture.request_org("Ann", "POST", &send, Value::Null).status, 204);
    let third = mailed_links(&fixture, &id);
    assert_eq!((get(&second[1]), get(&third[2])), (404, 200));
    set_password(&fixture, &id);
    // With a password, a new address needs no link.
    patch(json!({ "email": "robert@acme.example" }));
    assert_eq!(mailed_links(&fixture, &id).len(), 3);
}

#[test]
fn mails_to_new_addresses_count_against_the_mail_limit() {
    let config = Config { mail_burst: 2, mail_every: Duration::from_hours(1), ..Config::default() };
    let fixture = start_with_config(config);
    let id = create_managed(&fixture, "Man").json()["id"].as_str().unwrap().to_owned();
    let path = format!("/users/{id}");
    let patch =
        |email: &str| fixture.request_org("Ann", "PATCH", &path, json!({ "email": email })).status;
    assert_eq!(patch("second@acme.example"), 204);
    assert_eq!(patch("third@acme.example"), 429);
    let user = fixture.request_org("Ann", "GET", &path, Value::Null).json();
    assert_eq!(user["email"], "second@acme.example", "a refused change changes nothing");
    assert_eq!(patch("second@acme.example"), 204, "without a mail");
}

#[test]
fn an_operator_and_a_banned_account_are_out_of_reach_of_an_organization() {
    let fixture = start_with_verified_domain();
    let id = create_managed(&fixture, "Man").json()["id"].as_str().unwrap().to_owned();
    let path = format!("/users/{id}");
    let link = mailed_links(&fixture, &id).pop().unwrap();
    fixture.server.execute_sql("update user set operator = 1 where username = 'man'");
    let requests = [
        ("DELETE", path.clone(), Value::Null),
        ("PATCH", path.clone(), json!({ "email": "mine@acme.example" })),
        ("POST", format!("{path}/send"), Value::Null),
    ];
    for (method, path, body) in requests {
        let refused = fixture.request_org("Ann", method, &path, body);
        assert_eq!(refused.status, 409, "{method} {}", refused.text);
    }
    assert_eq!(fixture.server.send("GET", &link, &[], "").status, 404);
    fixture.server.execute_sql("update user set operator = 0, disabled = 1 where username = 'man'");
    assert_eq!(fixture.request_org("Ann", "DELETE", &path, Value::Null).status, 204);
    let banned = create_managed(&fixture, "Man");
    assert_eq!(banned.status, 409, "{}", banned.text);
    assert!(banned.text.contains("the operator has disabled"), "{}", banned.text);
    let body = json!({ "emails": ["man@acme.example"] });
    let checked = fixture.request_org("Ann", "POST", "/invites/check", body).json();
    assert_eq!(checked["emails"][0]["status"], "disabled");
}
