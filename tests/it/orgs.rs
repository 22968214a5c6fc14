//! Organizations: who sees them, and who may be in them.

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

use crate::talk::Server;
use crate::world::World;

pub fn make(server: &Server, slug: &str, seats: Seats) -> Org {
    let (name, slug) = (format!("The {slug}"), slug.to_owned());
    let new = NewOrg { name, slug, plan: Plan::Team, seats };
    server.app.db.write(move |tx| orgs::create_org(tx, &new)).unwrap()
}

pub fn add(server: &Server, org: &Org, user: &AccountId, role: Role) -> Result<()> {
    let (org, user) = (org.clone(), user.clone());
    server.app.db.write(move |tx| orgs::put_member(tx, &org, &user, role))
}

pub fn remove(server: &Server, org: &Org, user: &AccountId) -> Result<()> {
    let (org, user) = (org.clone(), user.clone());
    server.app.db.write(move |tx| orgs::remove_member(tx, &org, &user))
}

#[test]
fn members_see_their_organization_and_strangers_do_not() {
    let server = Server::new();
    let (ann, ben, cid) = (server.person("Ann"), server.person("Ben"), server.person("Cid"));
    let org = make(&server, "acme", Seats::Limited(5));
    add(&server, &org, &ann.id, Role::Admin).unwrap();
    add(&server, &org, &ben.id, Role::Member).unwrap();
    let by_id = format!("/api/v1/orgs/{}", org.id);

    let (ann, ben) = (server.token(&ann.id), server.token(&ben.id));
    let seen = server.ask(&ben, "GET", &by_id, "").json();
    let want = json!({
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
    assert_eq!(seen, want);

    let seen = server.ask(&ann, "GET", "/api/v1/orgs/acme", "").json();
    let subscription = &seen["org_subscription"];
    assert_eq!(seen["role"], "admin");
    assert_eq!(subscription["current_member_count"], 2);
    assert_eq!(subscription["max_member_count"], 5);
    assert_eq!(subscription["unlimited"], false);
    assert_eq!(subscription["suspended"], false);

    let cid = server.token(&cid.id);
    let hidden = server.ask(&cid, "GET", &by_id, "");
    let absent = server.ask(&cid, "GET", "/api/v1/orgs/nothing", "");
    assert_eq!((hidden.status, absent.status), (404, 404));
    assert_eq!(hidden.text, absent.text, "a stranger cannot tell a hidden one from none");
    assert_eq!(server.send("GET", &by_id, &[], "").status, 401);
}

#[test]
fn unlimited_seats_have_no_number() {
    let server = Server::new();
    let ann = server.person("Ann");
    let org = make(&server, "acme", Seats::Unlimited);
    add(&server, &org, &ann.id, Role::Admin).unwrap();
    let id = org.id.clone();
    server.app.db.write(move |tx| orgs::set_suspended(tx, &id, true)).unwrap();

    let seen = server.ask(&server.token(&ann.id), "GET", "/api/v1/orgs/acme", "").json();
    let subscription = &seen["org_subscription"];
    assert_eq!(subscription["unlimited"], true);
    assert_eq!(subscription.get("max_member_count"), None);
    assert_eq!(subscription["suspended"], true);
}

#[test]
fn the_last_admin_stays() {
    let server = Server::new();
    let (ann, ben) = (server.person("Ann").id, server.person("Ben").id);
    let org = make(&server, "acme", Seats::Unlimited);
    add(&server, &org, &ann, Role::Admin).unwrap();
    add(&server, &org, &ben, Role::BrandManager).unwrap();

    let is_refused = |result: Result<()>| match result {
        Err(Error::Conflict(text)) => assert!(text.contains("The acme must keep an admin")),
        other => panic!("{other:?}"),
    };
    is_refused(add(&server, &org, &ann, Role::Member));
    is_refused(remove(&server, &org, &ann));
    is_refused(server.app.db.read(|tx| orgs::check_not_last_admin(tx, &ann)));
    server.app.db.read(|tx| orgs::check_not_last_admin(tx, &ben)).unwrap();

    add(&server, &org, &ben, Role::Admin).unwrap();
    add(&server, &org, &ann, Role::Member).unwrap();
    let role =
        |user: &AccountId| server.app.db.read(|tx| orgs::find_role(tx, &org.id, user)).unwrap();
    assert_eq!((role(&ann), role(&ben)), (Some(Role::Member), Some(Role::Admin)));
    remove(&server, &org, &ann).unwrap();
    assert_eq!(role(&ann), None);
    assert!(matches!(remove(&server, &org, &ann), Err(Error::NotFound("member"))));
}

#[test]
fn members_need_seats() {
    let server = Server::new();
    let (ann, ben) = (server.person("Ann").id, server.person("Ben").id);
    let org = make(&server, "acme", Seats::Limited(1));
    add(&server, &org, &ann, Role::Admin).unwrap();
    match add(&server, &org, &ben, Role::Member) {
        Err(Error::PaymentRequired(text)) => assert_eq!(text, "all 1 seats of The acme are taken"),
        other => panic!("{other:?}"),
    }
    // A member who is there already needs no further seat.
    add(&server, &org, &ann, Role::Admin).unwrap();

    let set = |seats: Seats| {
        let id = org.id.clone();
        server.app.db.write(move |tx| orgs::set_plan(tx, &id, None, Some(seats)))
    };
    let org = set(Seats::Limited(2)).unwrap();
    add(&server, &org, &ben, Role::Member).unwrap();
    let error = set(Seats::Limited(1)).unwrap_err().to_string();
    assert_eq!(error, "seats: The acme has 2 members, more than 1");
}

#[test]
fn a_slug_is_taken_once() {
    let server = Server::new();
    make(&server, "acme", Seats::Unlimited);
    let create = |slug: &str| {
        let (name, slug) = ("Other".to_owned(), slug.to_owned());
        let new = NewOrg { name, slug, plan: Plan::Team, seats: Seats::Unlimited };
        server.app.db.write(move |tx| orgs::create_org(tx, &new)).unwrap_err()
    };
    assert_eq!(create("acme").to_string(), "slug: acme is taken");
    assert_eq!(create("Acme").status(), 400);
}

#[test]
fn the_operator_makes_organizations_beside_a_running_server() {
    let world = World::new();
    let create = ["org", "create", "--name", "Acme", "--slug", "acme", "--plan", "team"];
    let made = world.json(&[&create[..], &["--seats", "1"]].concat());
    assert_eq!((&made["slug"], &made["seats"]), (&json!("acme"), &json!(1)));
    let add =
        |who: &str, role: &str| world.run(&["org", "member", "add", "acme", who, "--role", role]);
    assert!(add("ann@example.org", "admin").status.success());
    let seen = world.ann().get("/api/v1/orgs/acme").expect(200).json();
    assert_eq!((&seen["id"], &seen["role"]), (&made["id"], &json!("admin")));

    let refused = |output: std::process::Output, want: &str| {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(want), "{text}");
    };
    refused(add("ben@example.org", "member"), "all 1 seats of Acme are taken");
    refused(add("ann@example.org", "member"), "Acme must keep an admin");
    refused(world.run(&["user", "delete", "ann"]), "Acme must keep an admin");
    assert_eq!(add("ann@example.org", "boss").status.code(), Some(2));
    assert_eq!(world.run(&["org", "plan", "acme"]).status.code(), Some(2));

    let changed =
        world.json(&["org", "plan", "acme", "--plan", "enterprise", "--seats", "unlimited"]);
    assert_eq!((&changed["plan"], &changed["seats"]), (&json!("enterprise"), &json!(null)));
    assert!(add("ben@example.org", "member").status.success());
    assert_eq!(world.json(&["org", "suspend", "acme"])["suspended"], true);
    assert_eq!(world.ann().get("/api/v1/user").json()["is_premium"], false);
    assert_eq!(world.json(&["org", "resume", "acme"])["suspended"], false);
    let shown = world.json(&["org", "show", "acme"]);
    assert_eq!(shown["members"].as_array().unwrap().len(), 2);
    world.json(&["org", "member", "remove", "acme", "ben"]);
    assert_eq!(world.ben().get("/api/v1/orgs/acme").status, 404);
}
