//! Tests of organizations and their members.

use chartroom::features::orgs;
use chartroom::features::orgs::NewOrg;
use chartroom::features::orgs::Org;
use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use serde_json::json;

use crate::server_process::ServerProcess;
use crate::test_server::TestServer;

/// Creates an organization of the plan `team` without members.
pub fn create_org(server: &TestServer, slug: &str, seats: Seats) -> Org {
    let (name, slug) = (format!("The {slug}"), slug.to_owned());
    let new_org = NewOrg { name, slug, plan: Plan::Team, seats };
    server.app.db.write(move |tx| orgs::create_org(tx, &new_org)).unwrap()
}

/// Adds a member, or changes the role of a member.
pub fn add_member(server: &TestServer, org: &Org, user: &AccountId, role: Role) -> Result<()> {
    let (org, user) = (org.clone(), user.clone());
    server.app.db.write(move |tx| orgs::put_member(tx, &org, &user, role))
}

/// Removes a member.
pub fn remove_member(server: &TestServer, org: &Org, user: &AccountId) -> Result<()> {
    let (org, user) = (org.clone(), user.clone());
    server.app.db.write(move |tx| orgs::remove_member(tx, &org, &user))
}

#[test]
fn members_see_their_organization_and_strangers_do_not() {
    let server = TestServer::new();
    let (ann, ben, cid) =
        (server.create_user("Ann"), server.create_user("Ben"), server.create_user("Cid"));
    let org = create_org(&server, "acme", Seats::Limited(5));
    add_member(&server, &org, &ann.id, Role::Admin).unwrap();
    add_member(&server, &org, &ben.id, Role::Member).unwrap();
    let by_id = format!("/api/v1/orgs/{}", org.id);

    let (ann, ben) = (server.create_bearer_token(&ann.id), server.create_bearer_token(&ben.id));
    let org_json = server.request(&ben, "GET", &by_id, "").json();
    let expected = json!({
        "id": org.id,
        "slug": "acme",
        "name": "The acme",
        "urls": {
            "endpoint": format!("http://127.0.0.1:8080{by_id}"),
            "view": "http://127.0.0.1:8080/orgs/acme",
        },
        "role": "member",
        "default_theme": "light",
        "avatar_url": format!("http://127.0.0.1:8080/api/v1/users/{}/avatar.svg", org.id),
        "plan": "team",
        "created": org.created,
        "member_count": 2,
    });
    assert_eq!(org_json, expected);

    let org_json = server.request(&ann, "GET", "/api/v1/orgs/acme", "").json();
    let subscription = &org_json["org_subscription"];
    assert_eq!(org_json["role"], "admin");
    assert_eq!(org_json["storage_used_bytes"], 0);
    assert_eq!(org_json["storage_limit_bytes"], 20_i64 << 30);
    assert_eq!(subscription["current_member_count"], 2);
    assert_eq!(subscription["max_member_count"], 5);
    assert_eq!(subscription["unlimited"], false);
    assert_eq!(subscription["suspended"], false);

    let cid = server.create_bearer_token(&cid.id);
    let hidden = server.request(&cid, "GET", &by_id, "");
    let absent = server.request(&cid, "GET", "/api/v1/orgs/nothing", "");
    assert_eq!((hidden.status, absent.status), (404, 404));
    assert_eq!(
        hidden.text, absent.text,
        "a stranger cannot distinguish a hidden organization from an absent one"
    );
    assert_eq!(server.send("GET", &by_id, &[], "").status, 401);
}

#[test]
fn unlimited_seats_have_no_maximum_member_count() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let org = create_org(&server, "acme", Seats::Unlimited);
    add_member(&server, &org, &ann.id, Role::Admin).unwrap();
    let id = org.id.clone();
    server.app.db.write(move |tx| orgs::set_suspended(tx, &id, true)).unwrap();

    let org_json =
        server.request(&server.create_bearer_token(&ann.id), "GET", "/api/v1/orgs/acme", "").json();
    let subscription = &org_json["org_subscription"];
    assert_eq!(subscription["unlimited"], true);
    assert_eq!(subscription.get("max_member_count"), None);
    assert_eq!(subscription["suspended"], true);
}

#[test]
fn last_admin_cannot_be_removed_or_demoted() {
    let server = TestServer::new();
    let (ann, ben) = (server.create_user("Ann").id, server.create_user("Ben").id);
    let org = create_org(&server, "acme", Seats::Unlimited);
    add_member(&server, &org, &ann, Role::Admin).unwrap();
    add_member(&server, &org, &ben, Role::BrandManager).unwrap();

    let check_refused = |result: Result<()>| match result {
        Err(Error::Conflict(text)) => assert!(text.contains("The acme must keep an admin")),
        other => panic!("{other:?}"),
    };
    check_refused(add_member(&server, &org, &ann, Role::Member));
    check_refused(remove_member(&server, &org, &ann));
    check_refused(server.app.db.read(|tx| orgs::check_not_last_admin(tx, &ann)));
    server.app.db.read(|tx| orgs::check_not_last_admin(tx, &ben)).unwrap();

    add_member(&server, &org, &ben, Role::Admin).unwrap();
    add_member(&server, &org, &ann, Role::Member).unwrap();
    let role =
        |user: &AccountId| server.app.db.read(|tx| orgs::find_role(tx, &org.id, user)).unwrap();
    assert_eq!((role(&ann), role(&ben)), (Some(Role::Member), Some(Role::Admin)));
    remove_member(&server, &org, &ann).unwrap();
    assert_eq!(role(&ann), None);
    assert!(matches!(remove_member(&server, &org, &ann), Err(Error::NotFound("member"))));
}

#[test]
fn members_require_seats() {
    let server = TestServer::new();
    let (ann, ben) = (server.create_user("Ann").id, server.create_user("Ben").id);
    let org = create_org(&server, "acme", Seats::Limited(1));
    add_member(&server, &org, &ann, Role::Admin).unwrap();
    match add_member(&server, &org, &ben, Role::Member) {
        Err(Error::PaymentRequired(text)) => assert_eq!(text, "all 1 seats of The acme are taken"),
        other => panic!("{other:?}"),
    }
    // An existing member needs no additional seat.
    add_member(&server, &org, &ann, Role::Admin).unwrap();

    let set_seats = |seats: Seats| {
        let id = org.id.clone();
        server.app.db.write(move |tx| orgs::set_plan(tx, &id, None, Some(seats)))
    };
    let org = set_seats(Seats::Limited(2)).unwrap();
    add_member(&server, &org, &ben, Role::Member).unwrap();
    let error = set_seats(Seats::Limited(1)).unwrap_err().to_string();
    assert_eq!(error, "seats: The acme has 2 members, more than 1");
}

#[test]
fn org_slug_is_unique() {
    let server = TestServer::new();
    create_org(&server, "acme", Seats::Unlimited);
    let create = |slug: &str| {
        let (name, slug) = ("Other".to_owned(), slug.to_owned());
        let new_org = NewOrg { name, slug, plan: Plan::Team, seats: Seats::Unlimited };
        server.app.db.write(move |tx| orgs::create_org(tx, &new_org)).unwrap_err()
    };
    assert_eq!(create("acme").to_string(), "slug: acme is taken");
    assert_eq!(create("Acme").status(), 400);
}

#[test]
fn org_command_manages_organizations_while_a_server_runs() {
    let server = ServerProcess::new();
    let create = ["org", "create", "--name", "Acme", "--slug", "acme", "--plan", "team"];
    let created = server.run_json(&[&create[..], &["--seats", "1"]].concat());
    assert_eq!((&created["slug"], &created["seats"]), (&json!("acme"), &json!(1)));
    let add_member = |user: &str, role: &str| {
        server.run_command(&["org", "member", "add", "acme", user, "--role", role])
    };
    assert!(add_member("ann@example.org", "admin").status.success());
    let org_json = server.ann().get("/api/v1/orgs/acme").expect(200).json();
    assert_eq!((&org_json["id"], &org_json["role"]), (&created["id"], &json!("admin")));

    let check_failure = |output: std::process::Output, expected: &str| {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(expected), "{text}");
    };
    check_failure(add_member("ben@example.org", "member"), "all 1 seats of Acme are taken");
    check_failure(add_member("ann@example.org", "member"), "Acme must keep an admin");
    check_failure(server.run_command(&["user", "delete", "ann"]), "Acme must keep an admin");
    assert_eq!(add_member("ann@example.org", "boss").status.code(), Some(2));
    assert_eq!(server.run_command(&["org", "plan", "acme"]).status.code(), Some(2));

    let changed =
        server.run_json(&["org", "plan", "acme", "--plan", "enterprise", "--seats", "unlimited"]);
    assert_eq!((&changed["plan"], &changed["seats"]), (&json!("enterprise"), &json!(null)));
    assert!(add_member("ben@example.org", "member").status.success());
    assert_eq!(server.run_json(&["org", "suspend", "acme"])["suspended"], true);
    assert_eq!(server.ann().get("/api/v1/user").json()["is_premium"], false);
    assert_eq!(server.run_json(&["org", "resume", "acme"])["suspended"], false);
    let shown = server.run_json(&["org", "show", "acme"]);
    assert_eq!(shown["members"].as_array().unwrap().len(), 2);
    server.run_json(&["org", "member", "remove", "acme", "ben"]);
    assert_eq!(server.ben().get("/api/v1/orgs/acme").status, 404);
}
