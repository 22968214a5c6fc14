//! Tests of teams as sequences of requests. Ann is the admin of the organization. Ben is in the
//! team. Cid is another member. Dan is a stranger.

use chartroom::features::orgs;
use chartroom::features::orgs::Org;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use serde_json::Value;
use serde_json::json;

use crate::orgs::add;
use crate::orgs::make;
use crate::orgs::remove;
use crate::talk::Answer;
use crate::talk::Server;

/// The organization `acme` and its people.
pub struct World {
    pub server: Server,
    pub org: Org,
    /// Name, id and credentials of each person.
    people: Vec<(&'static str, String, String)>,
}

impl World {
    pub fn new() -> Self {
        let server = Server::new();
        let org = make(&server, "acme", Seats::Unlimited);
        let roles = [
            ("Ann", Some(Role::Admin)),
            ("Ben", Some(Role::Member)),
            ("Cid", Some(Role::Member)),
            ("Bea", Some(Role::BrandManager)),
            ("Dan", None),
        ];
        let people = roles.map(|(name, role)| {
            let id = server.person(name).id;
            if let Some(role) = role {
                add(&server, &org, &id, role).unwrap();
            }
            (name, id.to_string(), server.token(&id))
        });
        Self { server, org, people: people.into() }
    }

    pub fn id(&self, name: &str) -> &str {
        &self.people.iter().find(|it| it.0 == name).unwrap().1
    }

    /// Returns the credentials of a person.
    pub fn token(&self, name: &str) -> &str {
        &self.people.iter().find(|it| it.0 == name).unwrap().2
    }

    /// Sends a request about the organization and returns the response.
    pub fn ask(&self, name: &str, method: &str, path: &str, body: Value) -> Answer {
        self.anything(name, method, &format!("/api/v1/orgs/acme{path}"), body)
    }

    pub fn anything(&self, name: &str, method: &str, path: &str, body: Value) -> Answer {
        let token = self.token(name);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.server.ask(token, method, path, &body)
    }

    /// Creates a team as Ann. Returns its path below the organization, and the team.
    fn team(&self, body: Value) -> (String, Value) {
        let made = self.ask("Ann", "POST", "/teams", body);
        assert_eq!(made.status, 200, "{}", made.text);
        let team = made.json();
        (format!("/team/{}", team["id"].as_str().unwrap()), team)
    }

    pub fn suspend(&self, suspended: bool) {
        let id = self.org.id.clone();
        self.server.app.db.write(move |tx| orgs::set_suspended(tx, &id, suspended)).unwrap();
    }
}

fn names(team: &Value) -> Vec<&str> {
    team["members"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect()
}

#[test]
fn an_admin_makes_a_team_and_members_see_it() {
    let world = World::new();
    let (path, team) = world.team(json!({ "name": " Sales ", "members": [world.id("Ben")] }));
    let ben = world.id("Ben");
    let want = json!({
        "id": team["id"],
        "name": "Sales",
        "member_count": 1,
        "members": [{
            "id": ben,
            "name": "Ben",
            "email": "ben@example.org",
            "avatar_url": format!("http://127.0.0.1:8080/api/v1/users/{ben}/avatar.svg"),
        }],
        "folder": "/Sales",
        "created": team["created"],
        "urls": { "endpoint": format!("http://127.0.0.1:8080/api/v1/orgs/{}{path}", world.org.id) },
    });
    assert_eq!(team, want);
    for name in ["Ann", "Ben", "Cid", "Bea"] {
        assert_eq!(world.ask(name, "GET", &path, Value::Null).json(), want, "{name}");
    }
    let mut listed = want;
    listed.as_object_mut().unwrap().remove("members");
    let all = world.ask("Cid", "GET", "/teams", Value::Null).json();
    assert_eq!(all, json!({ "teams": [listed] }));

    // For a stranger, the organization does not exist.
    for (method, path) in [("GET", "/teams"), ("POST", "/teams"), ("GET", &path), ("DELETE", &path)]
    {
        let body = if method == "POST" { json!({ "name": "Mine" }) } else { Value::Null };
        let answer = world.ask("Dan", method, path, body);
        assert_eq!((answer.status, answer.text.as_str()), (404, "no such organization"), "{path}");
    }
    assert_eq!(world.server.send("GET", "/api/v1/orgs/acme/teams", &[], "").status, 401);
    // A team belongs to one organization only.
    make(&world.server, "other", Seats::Unlimited);
    let other = world.anything("Ann", "GET", &format!("/api/v1/orgs/other{path}"), Value::Null);
    assert_eq!(other.status, 404);
}

#[test]
fn only_admins_change_teams() {
    let world = World::new();
    let (path, _) = world.team(json!({ "name": "Sales", "members": ["ben"] }));
    let member = format!("{path}/member/{}", world.id("Cid"));
    for name in ["Ben", "Cid", "Bea"] {
        for (method, path, body) in [
            ("POST", "/teams", json!({ "name": "Mine" })),
            ("PUT", &path, json!({ "name": "Mine" })),
            ("DELETE", &path, Value::Null),
            ("PUT", &member, Value::Null),
            ("DELETE", &member, Value::Null),
        ] {
            let answer = world.ask(name, method, path, body);
            assert_eq!(answer.status, 403, "{name} {method} {path}");
            assert_eq!(answer.text, "this needs the role admin");
        }
    }
    world.suspend(true);
    let answer = world.ask("Ann", "POST", "/teams", json!({ "name": "New" }));
    assert_eq!(answer.status, 402, "{}", answer.text);
    assert_eq!(world.ask("Ann", "PUT", &member, Value::Null).status, 402);
    assert_eq!(world.ask("Ann", "GET", &path, Value::Null).status, 200);
    world.suspend(false);
    assert_eq!(world.ask("Ann", "PUT", &member, Value::Null).status, 204);
}

#[test]
fn put_renames_and_sets_the_whole_list() {
    let world = World::new();
    let (path, team) = world.team(json!({ "name": "Sales", "members": ["ben"] }));
    let same = world.ask("Ann", "PUT", &path, team.clone());
    assert_eq!(same.json(), team, "an answer sent back changes nothing");

    let ann = world.id("Ann").parse::<u64>().unwrap();
    let body = json!({ "name": "Markets", "members": [ann, "cid@example.org", "cid"] });
    let changed = world.ask("Ann", "PUT", &path, body).json();
    assert_eq!(changed["name"], "Markets");
    assert_eq!(names(&changed), ["Ann", "Cid"]);
    assert_eq!(changed["folder"], "/Sales", "the folder keeps its name");
    let renamed = world.ask("Ann", "PUT", &path, json!({ "name": "Sales" })).json();
    assert_eq!(names(&renamed), ["Ann", "Cid"]);
    let nobody = world.ask("Ann", "PUT", &path, json!({ "members": [] })).json();
    assert_eq!(nobody["member_count"], 0);

    let refused = |method: &str, path: &str, body: Value, status: u16, want: &str| {
        let answer = world.ask("Ann", method, path, body.clone());
        assert_eq!((answer.status, answer.text.as_str()), (status, want), "{body}");
    };
    refused("POST", "/teams", json!({}), 400, "name: is required");
    refused("POST", "/teams", json!({ "name": " " }), 400, "name: must not be empty");
    refused(
        "POST",
        "/teams",
        json!({ "name": "a/b" }),
        400,
        "name: must not contain a slash, because the folder of the team has the same name",
    );
    let strangers = "members[1]: is not a member of the organization; \
                     members[2]: is not a member of the organization";
    refused("PUT", &path, json!({ "members": ["ben", "dan", "nobody"] }), 400, strangers);
    world.team(json!({ "name": "Finance" }));
    let taken = "name: a team named \"Finance\" already exists";
    refused("PUT", &path, json!({ "name": "Finance" }), 409, taken);
    refused("POST", "/teams", json!({ "name": "Finance" }), 409, taken);
    let unchanged = world.ask("Ann", "GET", &path, Value::Null).json();
    assert_eq!((&unchanged["name"], &unchanged["member_count"]), (&json!("Sales"), &json!(0)));
}

#[test]
fn members_come_and_go_by_id() {
    let world = World::new();
    let (path, _) = world.team(json!({ "name": "Sales" }));
    let member = |who: &str| format!("{path}/member/{who}");
    let ben = member(world.id("Ben"));
    let count = || world.ask("Ann", "GET", &path, Value::Null).json()["member_count"].clone();
    for _ in 0..2 {
        assert_eq!(world.ask("Ann", "PUT", &ben, Value::Null).status, 204);
        assert_eq!(count(), 1);
    }
    for _ in 0..2 {
        assert_eq!(world.ask("Ann", "DELETE", &ben, Value::Null).status, 204);
        assert_eq!(count(), 0);
    }
    let stranger = world.ask("Ann", "PUT", &member(world.id("Dan")), Value::Null);
    let absent = world.ask("Ann", "PUT", &member("1"), Value::Null);
    assert_eq!((stranger.status, absent.status), (404, 404));
    assert_eq!(stranger.text, absent.text);
    assert_eq!(world.ask("Ann", "DELETE", &member("1"), Value::Null).status, 204);
    assert_eq!(world.ask("Ann", "PUT", "/team/none/member/ben", Value::Null).status, 404);
}

#[test]
fn the_folder_is_the_teams_until_the_team_is_gone() {
    let world = World::new();
    let (path, _) = world.team(json!({ "name": "Sales", "members": ["ben"] }));
    let create = json!({ "widget": "bar", "owner": "acme", "folder": "/Sales/North" });
    let made = world.anything("Ben", "POST", "/api/v1/create-document", create.clone());
    assert_eq!(made.status, 200, "{}", made.text);
    let document = made.json()["endpoint"].as_str().unwrap().to_owned();
    let document = document.strip_prefix("http://127.0.0.1:8080").unwrap();
    let status = |name: &str| world.anything(name, "GET", document, Value::Null).status;

    assert_eq!([status("Ann"), status("Ben"), status("Cid"), status("Dan")], [200, 200, 404, 404]);
    let refused = world.anything("Cid", "POST", "/api/v1/create-document", create);
    assert_eq!(refused.status, 400, "{}", refused.text);

    // A new team member sees it at once. A user who leaves the organization no longer sees it.
    let cid = format!("{path}/member/{}", world.id("Cid"));
    assert_eq!(world.ask("Ann", "PUT", &cid, Value::Null).status, 204);
    assert_eq!(status("Cid"), 200);
    assert_eq!(world.ask("Ann", "DELETE", &cid, Value::Null).status, 204);
    assert_eq!(status("Cid"), 404);
    let ben = chartroom_platform::id::AccountId::from_text(world.id("Ben"));
    remove(&world.server, &world.org, &ben).unwrap();
    assert_eq!(status("Ben"), 404);
    assert_eq!(world.ask("Ann", "GET", &path, Value::Null).json()["member_count"], 0);
    add(&world.server, &world.org, &ben, Role::Member).unwrap();
    assert_eq!(status("Ben"), 404, "the new membership does not restore the team");

    assert_eq!(world.ask("Ann", "DELETE", &path, Value::Null).status, 204);
    assert_eq!(world.ask("Ann", "DELETE", &path, Value::Null).status, 404);
    assert_eq!([status("Ben"), status("Cid"), status("Dan")], [200, 200, 404]);
    let seen = world.anything("Cid", "GET", document, Value::Null).json();
    assert_eq!(seen["folder"], "/Sales/North");
}

#[test]
fn a_folder_that_is_there_already_stays_everybodys() {
    let world = World::new();
    let create = json!({ "widget": "bar", "owner": "acme", "folder": "/Sales" });
    let made = world.anything("Cid", "POST", "/api/v1/create-document", create);
    let document = made.json()["endpoint"].as_str().unwrap().to_owned();
    let document = document.strip_prefix("http://127.0.0.1:8080").unwrap();
    let (_, team) = world.team(json!({ "name": "Sales", "members": ["ben"] }));
    assert_eq!(team["folder"], "/Sales 2");
    assert_eq!(world.anything("Cid", "GET", document, Value::Null).status, 200);
}
