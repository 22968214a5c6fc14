//! Tests of the accounts that an identity provider signs in: known, linked and created ones, and
//! refusals.

use chartroom::features::orgs;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom::features::people::managed;
use chartroom::features::people::managed::SsoAccount;
use chartroom::features::people::managed::SsoIdentity;
use chartroom::features::people::managed::SsoOutcome;
use chartroom::features::people::managed::SsoRefusal;
use serde_json::Value;
use serde_json::json;

use super::events;
use crate::orgs::add_member;
use crate::orgs::create_org;
use crate::people::create_managed;
use crate::people::set_plan;
use crate::people::start_with_verified_domain;
use crate::teams::OrgFixture;

/// Returns an identity with an id and an address on the verified domain.
pub fn identity(sso_id: &str, name: &str) -> SsoIdentity {
    SsoIdentity {
        sso_id: sso_id.to_owned(),
        email: format!("{}@acme.example", name.to_lowercase()),
        name: Some(name.to_owned()),
        ..SsoIdentity::default()
    }
}

/// Signs an identity in to the organization with this slug.
pub fn sign_in_to(
    fixture: &OrgFixture,
    org: &'static str,
    allow_relink: bool,
    identity: &SsoIdentity,
) -> Result<SsoAccount, SsoRefusal> {
    let identity = identity.clone();
    let work = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        managed::sign_in_with_sso(tx, orgs::find_org(tx, org)?, allow_relink, &identity)
    };
    fixture.server.app.db.write(work).unwrap()
}

/// Signs an identity in to `acme`.
pub fn sign_in(fixture: &OrgFixture, identity: &SsoIdentity) -> Result<SsoAccount, SsoRefusal> {
    sign_in_to(fixture, "acme", true, identity)
}

/// Signs an identity in that must succeed. Returns the account id and the outcome.
#[track_caller]
pub fn sign_in_ok(fixture: &OrgFixture, identity: &SsoIdentity) -> (String, SsoOutcome) {
    let account = sign_in(fixture, identity).unwrap();
    (account.user.id.to_string(), account.outcome)
}

/// Returns code and reason of a refused sign-in.
#[track_caller]
pub fn refusal(result: Result<SsoAccount, SsoRefusal>) -> (&'static str, String) {
    match result.unwrap_err() {
        SsoRefusal::Domain(reason) => ("domain", reason),
        SsoRefusal::Seat(reason) => ("seat", reason),
        SsoRefusal::Account(reason) => ("account", reason),
        SsoRefusal::Address(reason) => ("address", reason),
    }
}

/// Returns the managed account, as Ann sees it.
pub fn read_user(fixture: &OrgFixture, id: &str) -> Value {
    fixture.request_org("Ann", "GET", &format!("/users/{id}"), Value::Null).json()
}

#[test]
fn unknown_person_gets_an_account() {
    let fixture = start_with_verified_domain();
    let mia = SsoIdentity {
        given_name: Some("Mia".to_owned()),
        family_name: Some("Moss".to_owned()),
        name: None,
        avatar_url: Some("https://idp.example/mia.png".to_owned()),
        ..identity("00u1", "Mia")
    };
    let (id, outcome) = sign_in_ok(&fixture, &mia);
    assert_eq!(outcome, SsoOutcome::Created);
    let user = read_user(&fixture, &id);
    let values = ["name", "email", "role", "managed", "sso_id", "avatar_url"];
    let values = values.map(|field| user[field].clone());
    let expected: [Value; 6] = [
        json!("Mia Moss"),
        json!("mia@acme.example"),
        json!("member"),
        json!(true),
        json!("00u1"),
        json!("https://idp.example/mia.png"),
    ];
    assert_eq!(values, expected);
    let created = &events(&fixture, "user.create")[0];
    assert_eq!(created["actor"]["id"], json!(id), "the user is the actor");
    assert_eq!(created["details"]["sso_id"], "00u1");
    assert_eq!(events(&fixture, "member.add")[0]["actor"]["id"], json!(id));
    // The same person signs in to the same account.
    assert_eq!(sign_in_ok(&fixture, &mia), (id, SsoOutcome::Known));
    assert!(events(&fixture, "user.change").is_empty(), "nothing changed");
    // Without any name, the address is the name.
    let nameless = SsoIdentity { name: None, ..identity("00u2", "Nina") };
    let (nina, _) = sign_in_ok(&fixture, &nameless);
    assert_eq!(read_user(&fixture, &nina)["name"], "nina@acme.example");
}

#[test]
fn known_person_is_updated() {
    let fixture = start_with_verified_domain();
    let (id, _) = sign_in_ok(&fixture, &identity("00u1", "Mia"));
    let changed = SsoIdentity {
        email: "Mia.Moss@acme.example".to_owned(),
        name: Some("Mia Moss".to_owned()),
        avatar_url: Some("https://idp.example/2.png".to_owned()),
        ..identity("00u1", "Mia")
    };
    assert_eq!(sign_in_ok(&fixture, &changed), (id.clone(), SsoOutcome::Known));
    let user = read_user(&fixture, &id);
    assert_eq!([&user["name"], &user["email"]], ["Mia Moss", "Mia.Moss@acme.example"]);
    let change = &events(&fixture, "user.change")[0];
    assert_eq!(change["details"]["email"]["to"], "Mia.Moss@acme.example");
    assert_eq!(change["details"]["avatar_url"]["from"], Value::Null);
    assert_eq!(change["actor"]["id"], json!(id));
    // Absent statements and invalid names change nothing.
    let sparse = SsoIdentity { name: None, ..identity("00u1", "Mia.Moss") };
    sign_in_ok(&fixture, &sparse);
    sign_in_ok(&fixture, &SsoIdentity { name: Some("a\u{7}b".to_owned()), ..sparse.clone() });
    assert_eq!(read_user(&fixture, &id), user);
    // An address on another domain, and the address of another account, are not taken.
    for email in ["mia@elsewhere.example", "ben@example.org"] {
        sign_in_ok(&fixture, &SsoIdentity { email: email.to_owned(), ..sparse.clone() });
        assert_eq!(read_user(&fixture, &id), user, "{email}");
    }
    let (other, _) = sign_in_ok(&fixture, &identity("00u2", "Nina"));
    sign_in_ok(&fixture, &SsoIdentity { email: "nina@acme.example".to_owned(), ..sparse.clone() });
    assert_eq!(read_user(&fixture, &id), user);
    assert_eq!(read_user(&fixture, &other)["email"], "nina@acme.example");
    // A known person signs in after the domain has lost its verification.
    fixture.server.execute_sql("update domain set status = 'failed'");
    assert_eq!(sign_in_ok(&fixture, &sparse), (id, SsoOutcome::Known));
}

#[test]
fn address_of_a_removed_account_is_taken_unless_the_account_is_protected() {
    let fixture = start_with_verified_domain();
    create_org(&fixture.server, "zenith", Seats::Unlimited);
    let (id, _) = sign_in_ok(&fixture, &identity("00u1", "Mia"));
    for name in ["Nina", "Olga", "Dora", "Zed"] {
        let created = create_managed(&fixture, name).json();
        let path = format!("/users/{}", created["id"].as_str().unwrap());
        assert_eq!(fixture.request_org("Ann", "DELETE", &path, Value::Null).status, 204);
    }
    for sql in [
        "update user set operator = 1 where name = 'Olga'",
        "update managed_user set was_disabled = 1
         where user_id = (select id from user where name = 'Dora')",
        "update managed_user set org_id = (select id from org where slug = 'zenith')
         where user_id = (select id from user where name = 'Zed')",
    ] {
        fixture.server.execute_sql(sql);
    }
    for name in ["Olga", "Dora", "Zed"] {
        let moved = SsoIdentity { name: None, ..identity("00u1", name) };
        assert_eq!(sign_in_ok(&fixture, &moved), (id.clone(), SsoOutcome::Known));
        assert_eq!(read_user(&fixture, &id)["email"], "mia@acme.example", "{name}");
    }
    sign_in_ok(&fixture, &identity("00u1", "Nina"));
    assert_eq!(read_user(&fixture, &id)["email"], "nina@acme.example");
}

#[test]
fn picture_is_the_avatar_unless_one_was_uploaded() {
    let fixture = start_with_verified_domain();
    let picture = "https://idp.example/mia.png";
    let mia = SsoIdentity { avatar_url: Some(picture.to_owned()), ..identity("00u1", "Mia") };
    let (id, _) = sign_in_ok(&fixture, &mia);
    let token = fixture
        .server
        .create_bearer_token(&chartroom_platform::id::AccountId::from_text(id.as_str()));
    let own = format!("http://127.0.0.1:8080/api/v1/users/{id}/avatar.svg");
    let me = || {
        let me = fixture.server.request(&token, "GET", "/api/v1/user", "").json();
        me["avatar_url"].as_str().unwrap().to_owned()
    };
    assert_eq!(me(), picture);
    // Pages load pictures from this server only, so that lists for pages keep the own address.
    let members = fixture.request_org("Ann", "GET", "/members?q=mia", Value::Null).json();
    assert_eq!(members["members"][0]["avatar_url"], json!(own));
    let page = fixture.server.send(
        "GET",
        "/account",
        &[("authorization", &token), ("accept", "text/html")],
        "",
    );
    assert_eq!(page.status, 200);
    assert!(!page.body.contains("idp.example"), "{}", page.body);
    fixture.server.execute_sql(
        "insert into avatar (user_id, body, tag)
         select id, x'00', 't' from user where name = 'Mia'",
    );
    assert_eq!(me(), own);
    assert_eq!(read_user(&fixture, &id)["avatar_url"], json!(own));
}

#[test]
fn managed_account_without_identifier_is_linked() {
    let fixture = start_with_verified_domain();
    let created = create_managed(&fixture, "Mia").json();
    let id = created["id"].as_str().unwrap().to_owned();
    let linked = sign_in_to(&fixture, "acme", false, &identity("00u1", "MIA")).unwrap();
    assert_eq!((linked.user.id.to_string(), linked.outcome), (id.clone(), SsoOutcome::Linked));
    assert_eq!(read_user(&fixture, &id)["sso_id"], "00u1");
    let event = &events(&fixture, "user.link")[0];
    assert_eq!(event["details"]["sso_id"], json!({ "from": null, "to": "00u1" }));
    assert_eq!(event["actor"]["id"], json!(id));
    // The domain must be verified by this organization.
    create_managed(&fixture, "Nina");
    fixture.server.execute_sql("update domain set status = 'failed'");
    let (code, reason) = refusal(sign_in(&fixture, &identity("00u2", "Nina")));
    assert_eq!(code, "domain", "{reason}");
}

#[test]
fn other_accounts_are_refused() {
    let fixture = start_with_verified_domain();
    // A member with an own account, a stranger, and an account of another organization.
    let zenith = create_org(&fixture.server, "zenith", Seats::Unlimited);
    fixture.server.execute_sql("update org set plan = 'enterprise'");
    fixture.server.execute_sql(
        "update user set email = lower(name) || '@acme.example', email_key = lower(name) || '@acme.example'",
    );
    fixture.server.execute_sql(
        "insert into managed_user (user_id, org_id, created, sso_id)
         select user.id, org.id, 1, 'z1' from user, org where user.name = 'Cid' and slug = 'zenith'",
    );
    for name in ["Ben", "Dan", "Cid"] {
        let (code, reason) = refusal(sign_in(&fixture, &identity("00u1", name)));
        assert_eq!(code, "account");
        assert!(reason.contains("its owner can join by invitation"), "{name}: {reason}");
    }
    // An identifier belongs to one organization.
    let (_, outcome) = sign_in_ok(&fixture, &identity("z1", "Zed"));
    assert_eq!(outcome, SsoOutcome::Created);
    // Acme has verified the domain. The answer does not tell which addresses have an account.
    for name in ["Zed", "Someone"] {
        let refused = refusal(sign_in_to(&fixture, "zenith", true, &identity("z2", name)));
        assert_eq!(refused.0, "domain", "{name}");
    }
    assert_eq!(orgs_of(&fixture, &zenith.id), 0);
    let count: u32 = fixture
        .server
        .app
        .db
        .read(|tx| tx.one("select count(*) from user", [], |row| row.get(0)))
        .unwrap();
    assert_eq!(count, 6, "refusals create no account");
}

/// Returns the number of members of an organization.
fn orgs_of(fixture: &OrgFixture, org: &chartroom_platform::id::AccountId) -> u32 {
    fixture.server.app.db.read(|tx| orgs::count_members(tx, org)).unwrap()
}

#[test]
fn operators_disabled_and_removed_accounts_are_refused() {
    let fixture = start_with_verified_domain();
    let (id, _) = sign_in_ok(&fixture, &identity("00u1", "Mia"));
    create_managed(&fixture, "Nina");
    let known = || refusal(sign_in(&fixture, &identity("00u1", "Mia"))).1;
    let unknown = || refusal(sign_in(&fixture, &identity("00u2", "Nina"))).1;
    fixture.server.execute_sql("update user set operator = 1");
    for reason in [known(), unknown()] {
        assert!(reason.contains("operates the server"), "{reason}");
    }
    fixture.server.execute_sql("update user set operator = 0, disabled = 1");
    for reason in [known(), unknown()] {
        assert!(reason.contains("is disabled by the operator"), "{reason}");
    }
    fixture.server.execute_sql("update user set disabled = 0");
    let removed = fixture.request_org("Ann", "DELETE", &format!("/users/{id}"), Value::Null);
    assert_eq!(removed.status, 204);
    assert!(known().contains("was removed; provision it again first"));
    // Another person with the address of the removed account gets no account by themselves.
    let (code, reason) = refusal(sign_in(&fixture, &identity("00u3", "Mia")));
    assert_eq!(code, "account");
    assert!(reason.contains("a removed account has the address"), "{reason}");
    // An administrator restores the account, and it signs in again.
    assert_eq!(create_managed(&fixture, "Mia").status, 200);
    assert_eq!(sign_in_ok(&fixture, &identity("00u1", "Mia")), (id, SsoOutcome::Known));
}

#[test]
fn malformed_identities_are_refused() {
    let fixture = start_with_verified_domain();
    for email in ["", "mia", "a@b@acme.example", "mia@acme.example\n", "@acme.example"] {
        let bad = SsoIdentity { email: email.to_owned(), ..identity("00u1", "Mia") };
        let result = sign_in(&fixture, &bad);
        match email.trim() == "mia@acme.example" {
            // White space around an address is not part of it.
            true => assert!(result.is_ok()),
            false => assert_eq!(refusal(result).0, "address", "{email:?}"),
        }
    }
    for sso_id in [String::new(), "a\nb".to_owned(), "a".repeat(257)] {
        let (code, _) = refusal(sign_in(&fixture, &identity(&sso_id, "Nina")));
        assert_eq!(code, "account", "{sso_id:?}");
    }
    let elsewhere = SsoIdentity { email: "a@example.net".to_owned(), ..identity("00u9", "A") };
    assert_eq!(refusal(sign_in(&fixture, &elsewhere)).0, "domain");
}

#[test]
fn new_accounts_need_a_seat() {
    let fixture = start_with_verified_domain();
    let taken = orgs_of(&fixture, &fixture.org.id);
    set_plan(&fixture, Seats::Limited(taken + 1));
    let (id, _) = sign_in_ok(&fixture, &identity("00u1", "Mia"));
    let (code, reason) = refusal(sign_in(&fixture, &identity("00u2", "Nina")));
    assert_eq!(code, "seat");
    assert!(reason.contains("has 0 free seats"), "{reason}");
    assert_eq!(orgs_of(&fixture, &fixture.org.id), taken + 1);
    assert_eq!(sign_in_ok(&fixture, &identity("00u1", "Mia")), (id, SsoOutcome::Known));
}

#[test]
fn concurrent_first_sign_ins_create_one_account() {
    let fixture = start_with_verified_domain();
    let results: Vec<(String, SsoOutcome)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| sign_in_ok(&fixture, &identity("00u1", "Mia"))))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let created = results.iter().filter(|(_, outcome)| *outcome == SsoOutcome::Created).count();
    assert_eq!(created, 1);
    assert!(results.iter().all(|(id, _)| *id == results[0].0), "{results:?}");
    assert_eq!(events(&fixture, "user.create").len(), 1);
}

#[test]
fn open_invite_of_the_address_is_used_up() {
    let fixture = start_with_verified_domain();
    let invite = json!({ "emails": ["mia@acme.example"], "role": "admin" });
    let response = fixture.request_org("Ann", "POST", "/invites", invite);
    assert_eq!(response.status, 204, "{}", response.text);
    let (id, _) = sign_in_ok(&fixture, &identity("00u1", "Mia"));
    assert_eq!(read_user(&fixture, &id)["role"], Role::Member.as_str());
    let open = fixture.request_org("Ann", "GET", "/invites", Value::Null).json();
    assert!(!open.to_string().contains("mia@acme.example"), "{open}");
    // A member that left cannot be signed in by the identifier alone.
    let org = fixture.org.clone();
    let user = chartroom_platform::id::AccountId::from_text(id.as_str());
    add_member(&fixture.server, &org, &user, Role::Member).unwrap();
    fixture
        .server
        .execute_sql("delete from member where user_id in (select user_id from managed_user)");
    let (code, reason) = refusal(sign_in(&fixture, &identity("00u1", "Mia")));
    assert_eq!(code, "account", "{reason}");
}
