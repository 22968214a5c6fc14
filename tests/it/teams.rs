//! Tests of teams as sequences of requests. Ann is the admin of the organization. Ben is in the
//! team. Cid is another member. Dan is a stranger.

use std::thread;
use std::time::Duration;

use chartroom::features::orgs;
use chartroom::features::orgs::Org;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom_platform::config::Config;
use serde_json::Value;
use serde_json::json;

use crate::orgs::add_member;
use crate::orgs::create_org;
use crate::orgs::remove_member;
use crate::test_server::Response;
use crate::test_server::TestServer;

/// A server with the organization `acme`, its users, and a stranger.
pub struct OrgFixture {
    pub server: TestServer,
    /// The organization `acme`.
    pub org: Org,
    /// Name, account id and `Authorization` header of each user.
    users: Vec<(&'static str, String, String)>,
}

impl OrgFixture {
    /// Starts a server with the organization and its users: the admin Ann, the members Ben and Cid,
    /// the brand manager Bea, and the stranger Dan.
    pub fn new() -> Self {
        Self::with_config(Config::default())
    }

    /// Starts a server like [`Self::new`] with these settings.
    pub fn with_config(config: Config) -> Self {
        let server = TestServer::with_config(config);
        let org = create_org(&server, "acme", Seats::Unlimited);
        let roles = [
            ("Ann", Some(Role::Admin)),
            ("Ben", Some(Role::Member)),
            ("Cid", Some(Role::Member)),
            ("Bea", Some(Role::BrandManager)),
            ("Dan", None),
        ];
        let users = roles.map(|(name, role)| {
            let id = server.create_user(name).id;
            if let Some(role) = role {
                add_member(&server, &org, &id, role).unwrap();
                // Members are listed by the millisecond in which they were added.
                thread::sleep(Duration::from_millis(2));
            }
            (name, id.to_string(), server.create_bearer_token(&id))
        });
        Self { server, org, users: users.into() }
    }

    /// Returns the account id of a user.
    pub fn user_id(&self, name: &str) -> &str {
        &self.users.iter().find(|user| user.0 == name).unwrap().1
    }

    /// Returns the `Authorization` header of a user.
    pub fn authorization(&self, name: &str) -> &str {
        &self.users.iter().find(|user| user.0 == name).unwrap().2
    }

    /// Sends a request to a path below the organization.
    pub fn request_org(&self, name: &str, method: &str, path: &str, body: Value) -> Response {
        self.request(name, method, &format!("/api/v1/orgs/acme{path}"), body)
    }

    /// Sends a request as a user. A null body is sent as an empty one.
    pub fn request(&self, name: &str, method: &str, path: &str, body: Value) -> Response {
        let token = self.authorization(name);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.server.request(token, method, path, &body)
    }

    /// Creates a team as Ann. Returns its path below the organization, and the team.
    fn create_team(&self, body: Value) -> (String, Value) {
        let created = self.request_org("Ann", "POST", "/teams", body);
        assert_eq!(created.status, 200, "{}", created.text);
        let team = created.json();
        (format!("/team/{}", team["id"].as_str().unwrap()), team)
    }

    /// Gives the organization the plan `enterprise` and an identity provider without a usable certificate.
    pub fn set_up_sso(&self) {
        self.server.execute_sql("update org set plan = 'enterprise'");
        self.server.execute_sql(
            "insert into sso (org_id, entity_id, certificate, sign_in_url, allow_idp_initiated,
                              allow_relink, created, updated)
             select id, 'urn:idp:' || slug, '', 'https://idp.example/', 1, 1, 0, 0 from org",
        );
    }

    /// Suspends or resumes the organization.
    pub fn set_suspended(&self, suspended: bool) {
        let id = self.org.id.clone();
        self.server.app.db.write(move |tx| orgs::set_suspended(tx, &id, suspended)).unwrap();
    }
}

fn member_names(team: &Value) -> Vec<&str> {
    team["members"]
        .as_array()
        .unwrap()
        .iter()
        .map(|member| member["name"].as_str().unwrap())
        .collect()
}

#[test]
fn admin_creates_a_team_that_all_members_see() {
    let fixture = OrgFixture::new();
    let (path, team) =
        fixture.create_team(json!({ "name": " Sales ", "members": [fixture.user_id("Ben")] }));
    let ben = fixture.user_id("Ben");
    let expected = json!({
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
        "urls": {
            "endpoint": format!("http://127.0.0.1:8080/api/v1/orgs/{}{path}", fixture.org.id),
        },
    });
    assert_eq!(team, expected);
    for name in ["Ann", "Ben", "Cid", "Bea"] {
        assert_eq!(fixture.request_org(name, "GET", &path, Value::Null).json(), expected, "{name}");
    }
    let mut listed = expected;
    listed.as_object_mut().unwrap().remove("members");
    let all_teams = fixture.request_org("Cid", "GET", "/teams", Value::Null).json();
    assert_eq!(all_teams, json!({ "teams": [listed] }));

    // For a stranger, the organization does not exist.
    for (method, path) in [("GET", "/teams"), ("POST", "/teams"), ("GET", &path), ("DELETE", &path)]
    {
        let body = if method == "POST" { json!({ "name": "Mine" }) } else { Value::Null };
        let response = fixture.request_org("Dan", method, path, body);
        assert_eq!(
            (response.status, response.text.as_str()),
            (404, "no such organization"),
            "{path}"
        );
    }
    assert_eq!(fixture.server.send("GET", "/api/v1/orgs/acme/teams", &[], "").status, 401);
    // A team belongs to one organization only.
    create_org(&fixture.server, "other", Seats::Unlimited);
    let other = fixture.request("Ann", "GET", &format!("/api/v1/orgs/other{path}"), Value::Null);
    assert_eq!(other.status, 404);
}

#[test]
fn only_admins_change_teams() {
    let fixture = OrgFixture::new();
    let (path, _) = fixture.create_team(json!({ "name": "Sales", "members": ["ben"] }));
    let member = format!("{path}/member/{}", fixture.user_id("Cid"));
    for name in ["Ben", "Cid", "Bea"] {
        for (method, path, body) in [
            ("POST", "/teams", json!({ "name": "Mine" })),
            ("PUT", &path, json!({ "name": "Mine" })),
            ("DELETE", &path, Value::Null),
            ("PUT", &member, Value::Null),
            ("DELETE", &member, Value::Null),
        ] {
            let response = fixture.request_org(name, method, path, body);
            assert_eq!(response.status, 403, "{name} {method} {path}");
            assert_eq!(response.text, "this needs the role admin");
        }
    }
    fixture.set_suspended(true);
    let response = fixture.request_org("Ann", "POST", "/teams", json!({ "name": "New" }));
    assert_eq!(response.status, 402, "{}", response.text);
    assert_eq!(fixture.request_org("Ann", "PUT", &member, Value::Null).status, 402);
    assert_eq!(fixture.request_org("Ann", "GET", &path, Value::Null).status, 200);
    fixture.set_suspended(false);
    assert_eq!(fixture.request_org("Ann", "PUT", &member, Value::Null).status, 204);
}

#[test]
fn put_renames_a_team_and_replaces_all_members() {
    let fixture = OrgFixture::new();
    let (path, team) = fixture.create_team(json!({ "name": "Sales", "members": ["ben"] }));
    let unchanged = fixture.request_org("Ann", "PUT", &path, team.clone());
    assert_eq!(unchanged.json(), team, "a response that is sent back changes nothing");

    let ann = fixture.user_id("Ann").parse::<u64>().unwrap();
    let body = json!({ "name": "Markets", "members": [ann, "cid@example.org", "cid"] });
    let changed = fixture.request_org("Ann", "PUT", &path, body).json();
    assert_eq!(changed["name"], "Markets");
    assert_eq!(member_names(&changed), ["Ann", "Cid"]);
    assert_eq!(changed["folder"], "/Sales", "the folder keeps its name");
    let renamed = fixture.request_org("Ann", "PUT", &path, json!({ "name": "Sales" })).json();
    assert_eq!(member_names(&renamed), ["Ann", "Cid"]);
    let emptied = fixture.request_org("Ann", "PUT", &path, json!({ "members": [] })).json();
    assert_eq!(emptied["member_count"], 0);

    let refused = |method: &str, path: &str, body: Value, status: u16, expected: &str| {
        let response = fixture.request_org("Ann", method, path, body.clone());
        assert_eq!((response.status, response.text.as_str()), (status, expected), "{body}");
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
    fixture.create_team(json!({ "name": "Finance" }));
    let taken = "name: a team named \"Finance\" already exists";
    refused("PUT", &path, json!({ "name": "Finance" }), 409, taken);
    refused("POST", "/teams", json!({ "name": "Finance" }), 409, taken);
    let unchanged = fixture.request_org("Ann", "GET", &path, Value::Null).json();
    assert_eq!((&unchanged["name"], &unchanged["member_count"]), (&json!("Sales"), &json!(0)));
}

#[test]
fn members_are_added_and_removed_by_id() {
    let fixture = OrgFixture::new();
    let (path, _) = fixture.create_team(json!({ "name": "Sales" }));
    let member_path = |user: &str| format!("{path}/member/{user}");
    let ben_path = member_path(fixture.user_id("Ben"));
    let member_count =
        || fixture.request_org("Ann", "GET", &path, Value::Null).json()["member_count"].clone();
    for _ in 0..2 {
        assert_eq!(fixture.request_org("Ann", "PUT", &ben_path, Value::Null).status, 204);
        assert_eq!(member_count(), 1);
    }
    for _ in 0..2 {
        assert_eq!(fixture.request_org("Ann", "DELETE", &ben_path, Value::Null).status, 204);
        assert_eq!(member_count(), 0);
    }
    let stranger =
        fixture.request_org("Ann", "PUT", &member_path(fixture.user_id("Dan")), Value::Null);
    let absent = fixture.request_org("Ann", "PUT", &member_path("1"), Value::Null);
    assert_eq!((stranger.status, absent.status), (404, 404));
    assert_eq!(stranger.text, absent.text);
    assert_eq!(fixture.request_org("Ann", "DELETE", &member_path("1"), Value::Null).status, 204);
    assert_eq!(fixture.request_org("Ann", "PUT", "/team/none/member/ben", Value::Null).status, 404);
}

#[test]
fn team_folder_is_restricted_until_the_team_is_deleted() {
    let fixture = OrgFixture::new();
    let (path, _) = fixture.create_team(json!({ "name": "Sales", "members": ["ben"] }));
    let new_document = json!({ "widget": "bar", "owner": "acme", "folder": "/Sales/North" });
    let created = fixture.request("Ben", "POST", "/api/v1/create-document", new_document.clone());
    assert_eq!(created.status, 200, "{}", created.text);
    let document = created.json()["endpoint"].as_str().unwrap().to_owned();
    let document = document.strip_prefix("http://127.0.0.1:8080").unwrap();
    let status = |name: &str| fixture.request(name, "GET", document, Value::Null).status;

    assert_eq!([status("Ann"), status("Ben"), status("Cid"), status("Dan")], [200, 200, 404, 404]);
    let refused = fixture.request("Cid", "POST", "/api/v1/create-document", new_document);
    assert_eq!(refused.status, 400, "{}", refused.text);

    // A new team member sees it immediately. A user who leaves the organization no longer sees it.
    let cid_path = format!("{path}/member/{}", fixture.user_id("Cid"));
    assert_eq!(fixture.request_org("Ann", "PUT", &cid_path, Value::Null).status, 204);
    assert_eq!(status("Cid"), 200);
    assert_eq!(fixture.request_org("Ann", "DELETE", &cid_path, Value::Null).status, 204);
    assert_eq!(status("Cid"), 404);
    let ben = chartroom_platform::id::AccountId::from_text(fixture.user_id("Ben"));
    remove_member(&fixture.server, &fixture.org, &ben).unwrap();
    assert_eq!(status("Ben"), 404);
    assert_eq!(fixture.request_org("Ann", "GET", &path, Value::Null).json()["member_count"], 0);
    add_member(&fixture.server, &fixture.org, &ben, Role::Member).unwrap();
    assert_eq!(status("Ben"), 404, "the new membership does not restore the team");

    assert_eq!(fixture.request_org("Ann", "DELETE", &path, Value::Null).status, 204);
    assert_eq!(fixture.request_org("Ann", "DELETE", &path, Value::Null).status, 404);
    assert_eq!([status("Ben"), status("Cid"), status("Dan")], [200, 200, 404]);
    let read = fixture.request("Cid", "GET", document, Value::Null).json();
    assert_eq!(read["folder"], "/Sales/North");
}

#[test]
fn existing_folder_does_not_become_the_team_folder() {
    let fixture = OrgFixture::new();
    let new_document = json!({ "widget": "bar", "owner": "acme", "folder": "/Sales" });
    let created = fixture.request("Cid", "POST", "/api/v1/create-document", new_document);
    let document = created.json()["endpoint"].as_str().unwrap().to_owned();
    let document = document.strip_prefix("http://127.0.0.1:8080").unwrap();
    let (_, team) = fixture.create_team(json!({ "name": "Sales", "members": ["ben"] }));
    assert_eq!(team["folder"], "/Sales 2");
    assert_eq!(fixture.request("Cid", "GET", document, Value::Null).status, 200);
}

#[test]
fn folder_of_a_team_with_the_longest_name_gets_a_number() {
    let fixture = OrgFixture::new();
    let name = "x".repeat(255);
    let path = format!("/api/v1/users/acme/folders/{name}");
    assert_eq!(fixture.request("Ann", "PUT", &path, Value::Null).status, 200);
    let (_, team) = fixture.create_team(json!({ "name": name }));
    assert_eq!(team["folder"], format!("/{} 2", &name[..253]));
}
