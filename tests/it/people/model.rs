//! Property test: after any sequence of changes of people, themes and assets, every list, access and
//! image of the organization is as a model says, and each change has its events.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::Strategy;
use proptest::prelude::any;
use proptest::prop_oneof;
use proptest::test_runner::Config;
use proptest::test_runner::TestRunner;
use serde_json::Value;
use serde_json::json;

use super::create_managed;
use super::new_token;
use super::start_with_verified_domain;
use crate::teams::OrgFixture;

/// Names of the managed accounts.
const PEOPLE: [&str; 3] = ["Moe", "Nia", "Oli"];
/// Number of names of themes, and of assets.
const NAMES: usize = 2;
/// Roles of members in the API.
const ROLES: [&str; 3] = ["member", "brand_manager", "admin"];

/// A change of the organization. Numbers are indices of names.
#[derive(Debug, Clone)]
enum OrgStep {
    /// Ann creates a managed account, or restores it.
    Create(usize),
    /// Ann removes a managed account.
    Remove(usize),
    /// Ann gives a managed account a role.
    SetRole(usize, usize),
    /// Ann adds a managed account to the team, or removes it from there.
    SetTeam(usize, bool),
    /// Bea creates or replaces a theme. It may have an asset as its logo, which may not exist.
    PutTheme(usize, Option<usize>),
    /// Bea deletes a theme.
    DeleteTheme(usize),
    /// Bea uploads an asset.
    PutAsset(usize),
    /// Bea deletes an asset.
    DeleteAsset(usize),
    /// Ann sets the theme of the document.
    UseTheme(usize),
}

/// A managed account that is a member.
struct Account {
    id: String,
    token: String,
    role: &'static str,
    is_in_team: bool,
}

/// A theme.
struct Theme {
    background: String,
    logo: Option<usize>,
}

/// The expected state of the organization.
struct OrgModel {
    fixture: OrgFixture,
    /// Path of a document of the organization in the team's folder.
    document: String,
    /// Path of the team below the organization.
    team: String,
    people: [Option<Account>; PEOPLE.len()],
    /// Tokens of accounts that were removed later.
    ended_tokens: Vec<String>,
    themes: [Option<Theme>; NAMES],
    /// Color of each asset.
    assets: [Option<String>; NAMES],
    /// Theme of the document.
    used_theme: Option<usize>,
    /// Number of colors so far. Each is used once.
    color_count: u32,
    /// Number of events of each action.
    events: BTreeMap<&'static str, i64>,
    /// Entity tag and content of the image at the last check.
    image: (String, String),
}

fn step_strategy() -> impl Strategy<Value = OrgStep> {
    let (person, name) = (|| 0..PEOPLE.len(), || 0..NAMES);
    prop_oneof![
        4 => person().prop_map(OrgStep::Create),
        2 => person().prop_map(OrgStep::Remove),
        2 => (person(), 0..ROLES.len()).prop_map(|(who, role)| OrgStep::SetRole(who, role)),
        3 => (person(), any::<bool>()).prop_map(|(who, member)| OrgStep::SetTeam(who, member)),
        3 => (name(), proptest::option::of(name())).prop_map(|(it, logo)| OrgStep::PutTheme(it, logo)),
        1 => name().prop_map(OrgStep::DeleteTheme),
        2 => name().prop_map(OrgStep::PutAsset),
        1 => name().prop_map(OrgStep::DeleteAsset),
        2 => name().prop_map(OrgStep::UseTheme),
    ]
}

impl OrgModel {
    /// Starts a server with the organization, a team and a document in its folder.
    fn new() -> Self {
        let fixture = start_with_verified_domain();
        let team =
            fixture.request_org("Ann", "POST", "/teams", json!({ "name": "Core", "members": [] }));
        assert_eq!(team.status, 200, "{}", team.text);
        let team = format!("/team/{}", team.json()["id"].as_str().unwrap());
        let body = json!({ "widget": "bar", "owner": "acme", "folder": "/Core" });
        let created = fixture.request("Ann", "POST", "/api/v1/create-document", body);
        let id = created.json()["id"].as_str().unwrap().to_owned();
        let mut model = Self {
            document: format!("/api/v1/users/{}/documents/{id}", fixture.org.id),
            fixture,
            team,
            people: Default::default(),
            ended_tokens: Vec::new(),
            themes: Default::default(),
            assets: Default::default(),
            used_theme: None,
            color_count: 0,
            events: BTreeMap::new(),
            image: Default::default(),
        };
        for (action, count) in model.count_events() {
            model.events.insert(action, count);
        }
        model.image = model.read_image();
        model
    }

    /// Returns a color that no other theme or asset has.
    fn next_color(&mut self) -> String {
        self.color_count += 1;
        format!("#{:06x}", 0x0070_1350 + self.color_count * 0x0001_0103)
    }

    /// Adds an event of an action.
    fn expect_event(&mut self, action: &'static str) {
        *self.events.entry(action).or_default() += 1;
    }

    /// Sends a request below the organization and checks the status.
    #[track_caller]
    fn send(&self, name: &str, method: &str, path: &str, body: Value, status: u16) -> Value {
        let response = self.fixture.request_org(name, method, path, body);
        assert_eq!(response.status, status, "{method} {path}: {}", response.text);
        if response.status == 200 { response.json() } else { Value::Null }
    }

    /// Performs a step on the server, and updates the expected state.
    fn apply_step(&mut self, step: &OrgStep) {
        match *step {
            OrgStep::Create(who) => self.create_account(who),
            OrgStep::Remove(who) => self.remove_account(who),
            OrgStep::SetRole(who, role) => self.set_role(who, ROLES[role]),
            OrgStep::SetTeam(who, is_in_team) => self.set_team(who, is_in_team),
            OrgStep::PutTheme(it, logo) => self.put_theme(it, logo),
            OrgStep::DeleteTheme(it) => {
                let status = if self.themes[it].is_some() { 204 } else { 404 };
                self.send("Bea", "DELETE", &format!("/themes/t{it}"), Value::Null, status);
                if self.themes[it].take().is_some() {
                    self.expect_event("theme.delete");
                }
            }
            OrgStep::PutAsset(it) => {
                let color = self.next_color();
                let file = format!(
                    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 40 10'>\
                     <rect width='40' height='10' fill='{color}'/></svg>"
                );
                let response =
                    self.fixture.put_asset("Bea", &format!("a{it}.svg"), file.as_bytes());
                assert_eq!(response.status, 200, "{}", response.text);
                let is_new = self.assets[it].replace(color).is_none();
                self.expect_event(if is_new { "asset.create" } else { "asset.change" });
            }
            OrgStep::DeleteAsset(it) => {
                let status = if self.assets[it].is_some() { 204 } else { 404 };
                self.send("Bea", "DELETE", &format!("/assets/a{it}.svg"), Value::Null, status);
                if self.assets[it].take().is_some() {
                    self.expect_event("asset.delete");
                }
            }
            OrgStep::UseTheme(it) => self.use_theme(it),
        }
    }

    /// Gives a managed account a role.
    fn set_role(&mut self, who: usize, role: &'static str) {
        let Some(account) = &mut self.people[who] else { return };
        let path = format!("/users/{}", account.id);
        let is_changed = std::mem::replace(&mut account.role, role) != role;
        self.send("Ann", "PATCH", &path, json!({ "role": role }), 204);
        if is_changed {
            self.expect_event("member.change");
        }
    }

    /// Sets the theme of the document.
    fn use_theme(&mut self, it: usize) {
        let mut body = self.fixture.request("Ann", "GET", &self.document, Value::Null).json();
        body["theme"] = json!(format!("{}/t{it}", self.fixture.org.id));
        let response = self.fixture.request("Ann", "PUT", &self.document, body);
        // A theme that does not exist is refused, unless the document has it already.
        let is_allowed = self.themes[it].is_some() || self.used_theme == Some(it);
        assert_eq!(response.status, if is_allowed { 200 } else { 400 }, "{}", response.text);
        if is_allowed {
            self.used_theme = Some(it);
        }
    }

    /// Creates or restores a managed account. A member is refused.
    fn create_account(&mut self, who: usize) {
        let created = create_managed(&self.fixture, PEOPLE[who]);
        if self.people[who].is_some() {
            assert_eq!(created.status, 409, "{}", created.text);
            return;
        }
        assert_eq!(created.status, 200, "{}", created.text);
        let id = created.json()["id"].as_str().unwrap().to_owned();
        let token = new_token(&self.fixture, &id);
        let is_known = self.ended_tokens.iter().any(|known| known.ends_with(&format!(" {who}")));
        self.expect_event("member.add");
        self.expect_event(if is_known { "user.restore" } else { "user.create" });
        self.expect_event("token.create");
        self.people[who] = Some(Account { id, token, role: "member", is_in_team: false });
    }

    /// Removes a managed account.
    fn remove_account(&mut self, who: usize) {
        let Some(account) = self.people[who].take() else { return };
        self.send("Ann", "DELETE", &format!("/users/{}", account.id), Value::Null, 204);
        // The event about the member names the team.
        self.expect_event("member.remove");
        self.expect_event("user.remove");
        self.ended_tokens.push(format!("{} {who}", account.token));
    }

    /// Adds an account to the team, or removes it from there.
    fn set_team(&mut self, who: usize, is_in_team: bool) {
        let Some(account) = &mut self.people[who] else { return };
        let was_in_team = std::mem::replace(&mut account.is_in_team, is_in_team);
        let members = self.people.iter().flatten().filter(|account| account.is_in_team);
        let members: Vec<Value> = members.map(|account| json!(account.id)).collect();
        let body = json!({ "name": "Core", "members": members });
        self.send("Ann", "PUT", &self.team, body, 200);
        match (was_in_team, is_in_team) {
            (false, true) => self.expect_event("team.add_member"),
            (true, false) => self.expect_event("team.remove_member"),
            _ => {}
        }
    }

    /// Creates or replaces a theme.
    fn put_theme(&mut self, it: usize, logo: Option<usize>) {
        let background = self.next_color();
        let mut body = json!({ "name": format!("t{it}"), "background_color": background });
        if let Some(asset) = logo {
            body["logo"] = json!(format!("a{asset}.svg"));
        }
        let is_new = self.themes[it].is_none();
        let (method, path) =
            if is_new { ("POST", "/themes".to_owned()) } else { ("PUT", format!("/themes/t{it}")) };
        self.send("Bea", method, &path, body, 200);
        self.expect_event(if is_new { "theme.create" } else { "theme.change" });
        self.themes[it] = Some(Theme { background, logo });
    }

    /// Returns the entity tag and the content of the image of the document.
    fn read_image(&self) -> (String, String) {
        let path = format!("{}.svg", self.document);
        let image = self.fixture.request("Ann", "GET", &path, Value::Null);
        assert_eq!(image.status, 200, "{}", image.text);
        (image.header("etag"), image.body)
    }

    /// Compares the server with the expected state.
    fn check(&mut self) {
        self.check_people();
        self.check_lists();
        self.check_image();
        assert_eq!(self.count_events(), self.events);
    }

    /// Checks roles, and the access of each account to the organization and to the team's document.
    fn check_people(&self) {
        let members = self.send("Ann", "GET", "/members?limit=100", Value::Null, 200);
        let members = members["members"].as_array().unwrap();
        let role_of = |name: &str| {
            let found = members.iter().find(|member| member["name"] == name);
            found.map(|member| member["role"].as_str().unwrap().to_owned())
        };
        let status =
            |token: &str, path: &str| self.fixture.server.request(token, "GET", path, "").status;
        for (name, account) in PEOPLE.iter().zip(&self.people) {
            assert_eq!(role_of(name).as_deref(), account.as_ref().map(|account| account.role));
            let Some(account) = account else { continue };
            assert_eq!(status(&account.token, "/api/v1/orgs/acme"), 200, "{name}");
            let may_read = account.is_in_team || account.role == "admin";
            let expected = if may_read { 200 } else { 404 };
            assert_eq!(status(&account.token, &self.document), expected, "{name}");
        }
        for token in &self.ended_tokens {
            let token = token.rsplit_once(' ').unwrap().0;
            assert_eq!(status(token, "/api/v1/orgs/acme"), 401);
        }
    }

    /// Checks the themes and assets of the organization.
    fn check_lists(&self) {
        let themes = self.send("Ann", "GET", "/themes", Value::Null, 200);
        let themes: BTreeMap<&str, &str> = themes["themes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|theme| {
                (theme["name"].as_str().unwrap(), theme["background_color"].as_str().unwrap())
            })
            .collect();
        let names: Vec<String> = (0..NAMES).map(|it| format!("t{it}")).collect();
        let expected = names.iter().zip(&self.themes);
        let expected: BTreeMap<&str, &str> = expected
            .filter_map(|(name, theme)| Some((name.as_str(), theme.as_ref()?.background.as_str())))
            .collect();
        assert_eq!(themes, expected);
        for (it, color) in self.assets.iter().enumerate() {
            let path = format!("/assets/a{it}.svg");
            let file = self.fixture.request_org("Ann", "GET", &path, Value::Null);
            match color {
                Some(color) => assert!(file.body.contains(color.as_str()), "{}", file.body),
                None => assert_eq!(file.status, 404),
            }
        }
    }

    /// Checks that the image has exactly the colors of the theme and of its logo, and a new entity
    /// tag if and only if it is another image.
    fn check_image(&mut self) {
        let (tag, image) = self.read_image();
        let theme = self.used_theme.and_then(|it| self.themes[it].as_ref());
        for known in self.themes.iter().flatten() {
            let is_expected = theme.is_some_and(|used| used.background == known.background);
            assert_eq!(image.contains(&known.background), is_expected, "{image}");
        }
        let logo = theme.and_then(|theme| theme.logo);
        for (it, color) in self.assets.iter().enumerate() {
            let Some(color) = color else { continue };
            assert_eq!(image.contains(color.as_str()), logo == Some(it), "{image}");
        }
        let (old_tag, old_image) = std::mem::replace(&mut self.image, (tag.clone(), image.clone()));
        if image != old_image {
            assert_ne!(tag, old_tag);
        }
        let headers =
            [("authorization", self.fixture.authorization("Ann")), ("if-none-match", tag.as_str())];
        let path = format!("{}.svg", self.document);
        assert_eq!(self.fixture.server.send("GET", &path, &headers, "").status, 304);
    }

    /// Returns the number of events of each action about people, themes and assets.
    fn count_events(&self) -> BTreeMap<&'static str, i64> {
        const ACTIONS: [&str; 14] = [
            "member.add",
            "member.change",
            "member.remove",
            "user.create",
            "user.restore",
            "user.remove",
            "token.create",
            "team.add_member",
            "team.remove_member",
            "theme.create",
            "theme.change",
            "theme.delete",
            "asset.create",
            "asset.delete",
        ];
        let sql = "select action, count(*) from audit_event group by action";
        let counts: Vec<(String, i64)> = self
            .fixture
            .server
            .app
            .db
            .read(|tx| tx.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?))))
            .unwrap();
        let known = ACTIONS.into_iter().chain(["asset.change"]);
        known
            .filter_map(|action| {
                let found = counts.iter().find(|(present, _)| present == action);
                found.map(|(_, count)| (action, *count))
            })
            .collect()
    }
}

#[test]
fn people_themes_and_assets_are_consistent_after_any_sequence_of_changes() {
    let config = Config { cases: 8, max_shrink_iters: 60, ..Config::default() };
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..config });
    let result = runner.run(&vec(step_strategy(), 1..40), |steps| {
        let mut model = OrgModel::new();
        for step in &steps {
            model.apply_step(step);
            model.check();
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}
