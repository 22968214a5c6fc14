//! Tests of the pages of an organization: content, forms, errors and permissions, without scripts.
//!
//! Ann is the admin of `acme`, Bea its brand manager, Ben and Cid are members, and Dan is a stranger.

mod assets;
mod audit_log;
mod domains;
mod german;
mod invites;
mod members;
mod scim;
mod settings;
mod teams;
mod themes;

use chartroom::features::orgs;
use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Price;
use chartroom::features::orgs::Seats;
use chartroom::features::orgs::SubscriptionTerms;
use chartroom_platform::config::Config;
use serde_json::Value;
use serde_json::json;

use crate::teams::OrgFixture;
use crate::test_server::PASSWORD;
use crate::test_server::Response;

/// A server with the organization `acme` and the plan `enterprise`.
struct PagesFixture {
    orgs: OrgFixture,
}

impl PagesFixture {
    /// Starts the server.
    fn new() -> Self {
        Self::with_config(Config::default())
    }

    /// Starts the server with these settings.
    fn with_config(config: Config) -> Self {
        let fixture = Self { orgs: OrgFixture::with_config(config) };
        fixture.set_plan(Plan::Enterprise, Seats::Unlimited);
        fixture
    }

    /// Sets plan and seats.
    fn set_plan(&self, plan: Plan, seats: Seats) {
        let id = self.orgs.org.id.clone();
        let work = move |tx: &chartroom_platform::db::WriteTx<'_>| {
            orgs::set_plan(tx, &id, Some(plan), Some(seats))
        };
        self.orgs.server.app.db.write(work).unwrap();
    }

    /// Sets a subscription with a price of each seat in hundredths of a euro per month.
    fn set_price(&self, price: u32) {
        let id = self.orgs.org.id.clone();
        let work = move |tx: &chartroom_platform::db::WriteTx<'_>| {
            let mut terms = SubscriptionTerms::new(tx.now);
            terms.price = Price::PerSeat(price);
            orgs::set_grants(tx, &id, None, Some(Some(terms)))
        };
        self.orgs.server.app.db.write(work).unwrap();
    }

    /// Adds the verified domain `acme.example`.
    fn verify_domain(&self) {
        self.orgs.server.execute_sql(
            "insert into domain (org_id, name, status, record_value, created)
             select id, 'acme.example', 'verified', 'x', 0 from org",
        );
    }

    /// Requests a page below `/orgs/acme` as a browser does.
    fn get(&self, name: &str, path: &str) -> Response {
        let headers = [("authorization", self.orgs.authorization(name)), ("accept", "text/html")];
        self.orgs.server.send("GET", &format!("/orgs/acme{path}"), &headers, "")
    }

    /// Requests a page as Ann that must exist, and returns its HTML.
    #[track_caller]
    fn page(&self, path: &str) -> String {
        let response = self.get("Ann", path);
        assert_eq!(response.status, 200, "{path}: {}", response.text);
        response.body
    }

    /// Sends a form to a path below `/orgs/acme`.
    fn submit(&self, name: &str, path: &str, fields: &[(&str, &str)]) -> Response {
        let headers = [
            ("authorization", self.orgs.authorization(name)),
            ("accept", "text/html"),
            ("content-type", "application/x-www-form-urlencoded"),
            ("origin", "http://127.0.0.1:8080"),
        ];
        self.orgs.server.send("POST", &format!("/orgs/acme{path}"), &headers, &encode(fields))
    }

    /// Sends a form as Ann that must succeed. Checks that the page after the redirect shows the
    /// notice, and returns that page.
    #[track_caller]
    fn submit_ok(&self, path: &str, fields: &[(&str, &str)], notice: &str) -> String {
        let response = self.submit("Ann", path, fields);
        assert_eq!(response.status, 303, "{path}: {}", response.text);
        let page = self.page(response.header("location").strip_prefix("/orgs/acme").unwrap());
        let shown = page.contains(&format!("role=\"status\">{notice}"));
        assert!(shown, "{path}: no notice {notice:?} in {page}");
        page
    }

    /// Sends a request of Ann to the API, below the organization, that must succeed.
    #[track_caller]
    fn api(&self, method: &str, path: &str, body: Value) -> Value {
        let response = self.orgs.request_org("Ann", method, path, body);
        assert!((200..300).contains(&response.status), "{method} {path}: {}", response.text);
        if response.body.is_empty() { Value::Null } else { response.json() }
    }

    /// Returns name and role of all members.
    fn list_roles(&self) -> Vec<String> {
        let members = self.api("GET", "/members", Value::Null);
        let text = |member: &Value, field: &str| member[field].as_str().unwrap().to_owned();
        let members = members["members"].as_array().unwrap().iter();
        members.map(|member| format!("{} {}", text(member, "name"), text(member, "role"))).collect()
    }
}

/// Encodes the fields of a form.
fn encode(fields: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

/// Returns the value of a hidden field.
#[track_caller]
fn hidden_value(page: &str, name: &str) -> String {
    let start = format!("<input type=\"hidden\" name=\"{name}\" value=\"");
    let (_, rest) = page.split_once(&start).unwrap_or_else(|| panic!("no field {name} in {page}"));
    rest.split('"').next().unwrap().to_owned()
}

/// Fails if the page lacks one of the texts.
#[track_caller]
fn assert_contains(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "no {text:?} in {page}");
    }
}

#[test]
fn each_role_gets_the_pages_that_it_may_see() {
    let fixture = PagesFixture::new();
    let check = |path: &str, statuses: [u16; 4]| {
        let found = ["Ann", "Bea", "Ben", "Dan"].map(|name| fixture.get(name, path).status);
        assert_eq!(found, statuses, "{path}");
    };
    check("", [200, 200, 200, 404]);
    for path in ["/teams", "/themes", "/assets"] {
        check(path, [200, 200, 200, 404]);
    }
    check("/themes/_new", [200, 200, 403, 404]);
    check("/settings", [200, 200, 403, 404]);
    for path in ["/invites", "/domains", "/subscription", "/members/new"] {
        check(path, [200, 403, 403, 404]);
    }
    let refused = fixture.get("Ben", "/invites").body;
    assert_contains(&refused, &["Only admins can open this page.", "href=\"/orgs/acme/teams\""]);
    assert!(!refused.contains("href=\"/orgs/acme/invites\""), "{refused}");
    assert_contains(
        &fixture.get("Ben", "/settings").body,
        &["Only brand managers and admins can open this page."],
    );
    // The page for a stranger is that of an organization that does not exist.
    let stranger = fixture.get("Dan", "").body;
    let headers = [("authorization", fixture.orgs.authorization("Dan")), ("accept", "text/html")];
    let absent = fixture.orgs.server.send("GET", "/orgs/zork", &headers, "").body;
    let without_id = |page: &str| page.split("Request ").next().unwrap().to_owned();
    assert_eq!(without_id(&stranger), without_id(&absent));
    assert!(!stranger.contains("acme"), "{stranger}");
    let guest = fixture.orgs.server.send("GET", "/orgs/acme/teams", &[("accept", "text/html")], "");
    assert_eq!(guest.header("location"), "/sign-in?next=%2Forgs%2Facme%2Fteams");
}

#[test]
fn the_navigation_marks_the_current_page() {
    let fixture = PagesFixture::new();
    for path in
        ["", "/invites", "/teams", "/themes", "/assets", "/domains", "/settings", "/subscription"]
    {
        let page = fixture.page(path);
        let current = format!("<a href=\"/orgs/acme{path}\" aria-current=\"page\">");
        assert_contains(&page, &[&current]);
        assert_eq!(page.matches("aria-current").count(), 1, "{path}");
    }
    let unknown = fixture.page("?done=%3Cb%3E");
    assert!(!unknown.contains("role=\"status\""), "{unknown}");
}

#[test]
fn only_roles_with_the_rights_change_anything() {
    let fixture = PagesFixture::new();
    let ben = fixture.orgs.user_id("Ben").to_owned();
    let member = format!("/members/{ben}");
    let forms: [(&str, &[(&str, &str)]); 6] = [
        (&member, &[("role", "admin")]),
        ("/members/remove", &[("id", &ben)]),
        ("/invites", &[("step", "invite"), ("emails", "new@example.com")]),
        ("/teams", &[("name", "Sales")]),
        ("/domains", &[("domain", "acme.example")]),
        ("/settings", &[("name", "New"), ("disable_public_documents", "on")]),
    ];
    for (path, fields) in forms {
        assert_eq!(fixture.submit("Ben", path, fields).status, 403, "{path}");
        assert_eq!(fixture.submit("Dan", path, fields).status, 404, "{path}");
    }
    assert_eq!(
        fixture.list_roles(),
        ["Ann admin", "Ben member", "Cid member", "Bea brand_manager"]
    );
    assert_eq!(fixture.api("GET", "/invites", Value::Null)["invites"], json!([]));
    assert_eq!(fixture.api("GET", "/teams", Value::Null)["teams"], json!([]));
    assert_eq!(fixture.api("GET", "/domains", Value::Null)["verifications"], json!([]));
    assert_eq!(fixture.api("GET", "", Value::Null)["name"], "The acme");
}

#[test]
fn a_suspended_organization_shows_a_banner_and_refuses_changes() {
    let fixture = PagesFixture::new();
    fixture.orgs.set_suspended(true);
    let ben = format!("/members/{}", fixture.orgs.user_id("Ben"));
    let mut paths = vec!["", "/invites", "/teams", "/themes", "/themes/_new", "/assets"];
    paths.extend(["/domains", "/settings", "/subscription", &ben]);
    for path in paths {
        let page = fixture.page(path);
        assert_contains(&page, &["This organization is suspended because of a payment issue."]);
        // All forms that change something are absent or disabled.
        for form in page.split_once("<main").unwrap().1.split("<form").skip(1) {
            let form = form.split("</form>").next().unwrap();
            for button in form.split("<button").skip(1) {
                let is_disabled = button.split('>').next().unwrap().ends_with(" disabled");
                assert!(is_disabled || form.contains("method=\"get\""), "{path}: {form}");
            }
        }
        let can_remove = path.is_empty() || path == ben;
        assert_eq!(page.contains("/members/remove"), can_remove, "{path}");
    }
    // People can still be removed, as with the API.
    let cid = fixture.orgs.user_id("Cid");
    let question = fixture.page(&format!("/members/remove?id={cid}"));
    assert!(!question.contains("type=\"submit\" disabled"), "{question}");
    let removed = fixture.submit("Ann", "/members/remove", &[("id", cid)]);
    assert_eq!(removed.status, 303, "{}", removed.text);
    for (path, fields) in [
        ("/teams", [("name", "Sales")]),
        ("/settings", [("name", "New")]),
        (&*ben, [("role", "admin")]),
    ] {
        let refused = fixture.submit("Ann", path, &fields);
        assert_eq!(refused.status, 402, "{path}");
        assert_contains(&refused.body, &["The organization is suspended"]);
    }
    fixture.orgs.set_suspended(false);
    assert_eq!(fixture.api("GET", "/teams", Value::Null)["teams"], json!([]));
    assert_eq!(fixture.list_roles()[1], "Ben member");
}

#[test]
fn forms_of_other_sites_are_refused() {
    let fixture = PagesFixture::new();
    let credentials = json!({ "email": "ann@example.org", "password": PASSWORD }).to_string();
    let cookie = fixture.orgs.server.sign_in(&credentials).cookie();
    let submit = |origin: &str, name: &str| {
        let headers = [
            ("cookie", cookie.as_str()),
            ("content-type", "application/x-www-form-urlencoded"),
            ("origin", origin),
        ];
        let body = encode(&[("name", name)]);
        fixture.orgs.server.send("POST", "/orgs/acme/teams", &headers, &body).status
    };
    assert_eq!(submit("https://evil.example", "Evil"), 403);
    assert_eq!(submit("http://127.0.0.1:8080", "Good"), 303);
    let teams = fixture.api("GET", "/teams", Value::Null);
    assert_eq!(teams["teams"].as_array().unwrap().len(), 1);
    assert_eq!(teams["teams"][0]["name"], "Good");
}

#[test]
fn the_library_links_to_the_pages() {
    let fixture = PagesFixture::new();
    let library = |name: &str| {
        let headers = [("authorization", fixture.orgs.authorization(name))];
        fixture.orgs.server.send("GET", "/", &headers, "").body
    };
    assert_contains(&library("Ann"), &["<a href=\"/orgs/acme\">", "Manage The acme"]);
    assert_contains(&library("Ben"), &["<a href=\"/orgs/acme\">", "Members of The acme"]);
    assert!(!library("Dan").contains("/orgs/"), "a user without an organization sees no link");
}

#[test]
fn the_subscription_shows_plan_seats_and_prices() {
    let fixture = PagesFixture::new();
    let page = fixture.page("/subscription");
    assert_contains(&page, &["No subscription. This server is not limited.", "without a limit"]);
    fixture.set_plan(Plan::Enterprise, Seats::Limited(10));
    fixture.set_price(705);
    let page = fixture.page("/subscription");
    assert_contains(
        &page,
        &[
            "4 of 10 seats taken",
            "4 members and 0 open invites",
            "<dd>Chartroom enterprise</dd>",
            "<dt>Status</dt><dd>Active</dd>",
            "<dd>70.50 EUR per month</dd>",
            "<dd>7.05 EUR per month</dd>",
            "<dt>Started</dt>",
        ],
    );
    assert!(!page.contains("No subscription"), "{page}");
}
