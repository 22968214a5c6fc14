//! Tests of the domains of organizations. Ann is the admin of `acme` and of `zenith`, Ben and Bea
//! are other members of `acme`, and Dan is a stranger.

mod daily_check;
mod external;
mod lookups;
pub mod name_server;

use chartroom::features::orgs;
use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom::features::orgs::domains;
use chartroom_platform::config::Config;
use chartroom_platform::id::AccountId;
use serde_json::Value;
use serde_json::json;

use crate::orgs::add_member;
use crate::orgs::create_org;
use crate::server_process::ServerProcess;
use crate::teams::OrgFixture;
use crate::test_server::Response;
use name_server::Answer;
use name_server::NameServer;

/// A server with the organizations `acme` and `zenith`, and its name server.
struct DomainFixture {
    orgs: OrgFixture,
    names: NameServer,
}

impl DomainFixture {
    /// Starts the servers. Both organizations have the plan `enterprise`.
    fn new() -> Self {
        Self::with_config(Config::default())
    }

    /// Starts the servers with these settings, except the name server.
    fn with_config(config: Config) -> Self {
        let names = NameServer::start();
        let orgs = OrgFixture::with_config(Config { dns: vec![names.address], ..config });
        let zenith = create_org(&orgs.server, "zenith", Seats::Unlimited);
        let ann = AccountId::from_text(orgs.user_id("Ann"));
        add_member(&orgs.server, &zenith, &ann, Role::Admin).unwrap();
        let fixture = Self { orgs, names };
        fixture.set_plan("acme", Plan::Enterprise);
        fixture.set_plan("zenith", Plan::Enterprise);
        fixture
    }

    /// Changes the plan of an organization.
    fn set_plan(&self, org: &'static str, plan: Plan) {
        let work = move |tx: &chartroom_platform::db::WriteTx<'_>| {
            let id = orgs::find_org(tx, org)?.id;
            orgs::set_plan(tx, &id, Some(plan), None)
        };
        self.orgs.server.app.db.write(work).unwrap();
    }

    /// Sends a request of Ann to a path below `/orgs`.
    fn request(&self, method: &str, path: &str, body: Value) -> Response {
        self.orgs.request("Ann", method, &format!("/api/v1/orgs/{path}"), body)
    }

    /// Sends a request of Ann that must succeed with a JSON response.
    #[track_caller]
    fn request_ok(&self, method: &str, path: &str, body: Value) -> Value {
        let response = self.request(method, path, body);
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()
    }

    /// Registers a domain of an organization and returns it.
    #[track_caller]
    fn register(&self, org: &str, domain: &str) -> Value {
        self.request_ok("POST", &format!("{org}/domains"), json!({ "domain": domain }))
    }

    /// Looks up a domain of an organization.
    fn verify(&self, org: &str, domain: &str) -> Response {
        self.request("POST", &format!("{org}/domains/{domain}/verify"), Value::Null)
    }

    /// Publishes the record of a registered domain.
    fn publish(&self, domain: &Value) {
        self.names.set(text(&domain["domain"]), Answer::texts(&[text(&domain["record_value"])]));
    }

    /// Registers a domain, publishes its record and verifies it.
    #[track_caller]
    fn register_verified(&self, org: &str, domain: &str) -> Value {
        self.publish(&self.register(org, domain));
        let verified = self.verify(org, domain);
        assert_eq!(verified.json()["status"], "verified", "{}", verified.text);
        verified.json()
    }

    /// Returns the domains of `acme`.
    fn list(&self) -> Vec<Value> {
        let listed = self.request_ok("GET", "acme/domains", Value::Null);
        listed["verifications"].as_array().unwrap().clone()
    }

    /// Returns the actions in the audit log about a domain, oldest first.
    fn list_events(&self, domain: &str) -> Vec<String> {
        let sql = "select action from audit_event
                   where target_type = 'domain' and target_id = ?1 and target_name = ?1
                   order by id";
        self.orgs.server.app.db.read(|tx| tx.all(sql, [domain], |row| row.get(0))).unwrap()
    }
}

/// Returns a string in a JSON value.
fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn a_domain_is_verified_by_its_record() {
    let fixture = DomainFixture::new();
    let created = fixture.register("acme", " Example.ORG. ");
    let record = text(&created["record_value"]).to_owned();
    assert!(record.starts_with("chartroom-domain-verification="), "{record}");
    let pending = json!({
        "domain": "example.org", "status": "pending", "record_value": record, "found": [],
    });
    assert_eq!(created, pending);
    assert_eq!(fixture.register("acme", "example.org"), pending, "it is registered once");
    assert_eq!(fixture.list(), [pending]);

    let failed = fixture.verify("acme", "example.org");
    assert_eq!(failed.status, 200, "{}", failed.text);
    let failed = failed.json();
    let mut expected = json!({
        "domain": "example.org", "status": "failed", "record_value": record,
        "last_checked": failed["last_checked"], "found": [],
    });
    assert_eq!(failed, expected);
    assert!(failed["last_checked"].is_string());

    fixture.names.set("example.org", Answer::texts(&["v=spf1 -all", &record]));
    let verified = fixture.verify("acme", "EXAMPLE.org.").json();
    expected["status"] = "verified".into();
    expected["last_checked"] = verified["last_checked"].clone();
    expected["verified_at"] = verified["last_checked"].clone();
    // The values that resemble a record come first.
    expected["found"] = json!([record, "v=spf1 -all"]);
    assert_eq!(verified, expected);
    assert_eq!(fixture.list(), std::slice::from_ref(&verified));
    assert_eq!(fixture.register("acme", "example.org"), verified);

    // Another lookup keeps the time of the verification.
    let again = fixture.verify("acme", "example.org").json();
    assert_eq!(again["verified_at"], verified["verified_at"]);
    // An explicit lookup without the record ends the verification.
    fixture.names.set("example.org", Answer::NoRecords);
    let lost = fixture.verify("acme", "example.org").json();
    assert_eq!((&lost["status"], lost.get("verified_at")), (&json!("failed"), None));
    let actions = ["domain.create", "domain.fail", "domain.verify", "domain.fail"];
    assert_eq!(fixture.list_events("example.org"), actions);
}

#[test]
fn an_internationalized_domain_is_stored_in_ascii() {
    let fixture = DomainFixture::new();
    let created = fixture.register_verified("acme", "Bücher.example");
    assert_eq!(created["domain"], "xn--bcher-kva.example");
    let path = "acme/domains/b%C3%BCcher.example/verify";
    assert_eq!(fixture.request_ok("POST", path, Value::Null)["status"], "verified");
    let org = fixture.orgs.org.id.clone();
    let is_verified = |email: &str| {
        let db = &fixture.orgs.server.app.db;
        let owner = db.read(|tx| domains::find_verified_org(tx, email)).unwrap();
        let is_verified = db.read(|tx| domains::is_address_verified(tx, &org, email)).unwrap();
        assert_eq!(is_verified, owner.as_ref() == Some(&org), "{email}");
        is_verified
    };
    assert!(is_verified("ann@bücher.example"));
    assert!(is_verified("Ann@XN--BCHER-KVA.example"));
    assert!(!is_verified("ann@mail.bücher.example"));
    assert!(!is_verified("ann@bucher.example"));
    assert!(!is_verified("bücher.example"));
    assert!(!is_verified("ann@"));

    let zenith = fixture.orgs.server.app.db.read(|tx| orgs::find_org(tx, "zenith")).unwrap().id;
    let is_zenith = |tx: &chartroom_platform::db::Tx<'_>| {
        domains::is_address_verified(tx, &zenith, "ann@bücher.example")
    };
    assert!(!fixture.orgs.server.app.db.read(is_zenith).unwrap());
    fixture.names.set("xn--bcher-kva.example", Answer::NoRecords);
    assert_eq!(fixture.request_ok("POST", path, Value::Null)["status"], "failed");
    assert!(!is_verified("ann@bücher.example"), "the domain is no longer verified");
}

#[test]
fn names_that_cannot_be_verified_are_refused() {
    let fixture = DomainFixture::new();
    for name in ["", "localhost", "192.0.2.1", "*.example.org", "co.uk", "gmail.com", "a b.org"] {
        let response = fixture.request("POST", "acme/domains", json!({ "domain": name }));
        assert_eq!(response.status, 400, "{name}: {}", response.text);
        let problem: Value = serde_json::from_str(&response.body).unwrap();
        assert_eq!(problem["errors"][0]["field"], "domain", "{name}: {problem}");
    }
    assert_eq!(fixture.request("POST", "acme/domains", json!({})).status, 400);
    assert_eq!(fixture.list(), [] as [Value; 0]);
    assert_eq!(fixture.list_events("co.uk"), [] as [String; 0]);
}

#[test]
fn an_organization_has_a_limited_number_of_domains() {
    let fixture = DomainFixture::new();
    fixture.orgs.server.execute_sql(
        "with recursive number (n) as (select 1 union all select n + 1 from number where n < 99)
         insert into domain (org_id, name, status, record_value, created)
         select org.id, n || '.example.org', 'pending', 'x', 1
         from number join org on org.slug = 'acme'",
    );
    fixture.register("acme", "last.example.org");
    let refused = fixture.request("POST", "acme/domains", json!({ "domain": "more.example.org" }));
    assert_eq!((refused.status, fixture.list().len()), (409, 100), "{}", refused.text);
    fixture.register("acme", "last.example.org");
    fixture.register("zenith", "more.example.org");
}

#[test]
fn only_one_organization_verifies_a_domain() {
    let fixture = DomainFixture::new();
    let (acme, zenith) =
        (fixture.register("acme", "example.org"), fixture.register("zenith", "example.org"));
    assert_ne!(acme["record_value"], zenith["record_value"]);
    let both = [text(&acme["record_value"]), text(&zenith["record_value"])];
    fixture.names.set("example.org", Answer::texts(&both));
    assert_eq!(fixture.verify("zenith", "example.org").json()["status"], "verified");
    let refused = fixture.verify("acme", "example.org");
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_eq!(fixture.list(), [acme], "the failed request changed nothing");
    let refused = fixture.request("POST", "acme/domains", json!({ "domain": "example.org" }));
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_eq!(fixture.request("DELETE", "acme/domains/example.org", Value::Null).status, 204);
    let refused = fixture.request("POST", "acme/domains", json!({ "domain": "example.org" }));
    assert_eq!((refused.status, fixture.list().len()), (409, 0), "{}", refused.text);
    // A subdomain is another domain.
    fixture.register_verified("acme", "mail.example.org");

    assert_eq!(fixture.request("DELETE", "zenith/domains/example.org", Value::Null).status, 204);
    fixture.register_verified("acme", "example.org");
}

#[test]
fn a_removed_domain_needs_a_new_record() {
    let fixture = DomainFixture::new();
    let first = fixture.register_verified("acme", "example.org");
    assert_eq!(fixture.request("DELETE", "acme/domains/Example.org.", Value::Null).status, 204);
    assert_eq!(fixture.list(), [] as [Value; 0]);
    for name in ["example.org", "never.example.org", "..", "%20", "*.example.org"] {
        let path = format!("acme/domains/{name}");
        assert_eq!(fixture.request("DELETE", &path, Value::Null).status, 404, "{name}");
        assert_eq!(fixture.verify("acme", name).status, 404, "{name}");
    }
    assert_eq!(fixture.names.query_counts(), (1, 0), "an unknown domain is never looked up");
    let second = fixture.register("acme", "example.org");
    assert_ne!(first["record_value"], second["record_value"]);
    assert_eq!(fixture.verify("acme", "example.org").json()["status"], "failed");
    let actions =
        ["domain.create", "domain.verify", "domain.delete", "domain.create", "domain.fail"];
    assert_eq!(fixture.list_events("example.org"), actions);
}

#[test]
fn only_admins_of_a_suitable_plan_manage_domains() {
    let fixture = DomainFixture::new();
    let existing = fixture.register("acme", "example.org");
    fixture.publish(&existing);
    // The body is invalid, so that a response other than 400 shows that access is checked first.
    let requests = [
        ("GET", "/domains", Value::Null),
        ("POST", "/domains", json!({ "domain": 5 })),
        ("POST", "/domains/example.org/verify", Value::Null),
        ("DELETE", "/domains/example.org", Value::Null),
    ];
    let check = |name: &str, statuses: [u16; 4]| {
        for ((method, path, body), status) in requests.iter().zip(statuses) {
            let response = fixture.orgs.request_org(name, method, path, body.clone());
            assert_eq!(response.status, status, "{name} {method} {path}: {}", response.text);
        }
    };
    check("Ben", [403; 4]);
    check("Bea", [403; 4]);
    check("Dan", [404; 4]);
    for (method, path, body) in &requests {
        let path = format!("/api/v1/orgs/acme{path}");
        assert_eq!(fixture.orgs.server.send(method, &path, &[], &body.to_string()).status, 401);
    }
    fixture.set_plan("acme", Plan::Education);
    fixture.orgs.set_suspended(true);
    check("Ann", [200, 402, 402, 402]);
    check("Ben", [403; 4]);
    check("Dan", [404; 4]);
    fixture.orgs.set_suspended(false);
    assert_eq!(fixture.list(), [existing], "no refused request changed the domain");
    assert_eq!(fixture.names.query_counts(), (0, 0), "no refused request caused a lookup");
    check("Ann", [200, 400, 200, 204]);
    fixture.register("acme", "example.org");
    fixture.set_plan("acme", Plan::Team);
    // A domain can be given up, so that another organization can verify it.
    check("Ann", [403, 403, 403, 204]);
}

#[test]
fn a_repeated_registration_has_one_effect() {
    let fixture = DomainFixture::new();
    let register = |name: &str, domain: &str| {
        let headers = [
            ("authorization", fixture.orgs.authorization(name)),
            ("content-type", "application/json"),
            ("idempotency-key", "k"),
        ];
        let body = json!({ "domain": domain }).to_string();
        fixture.orgs.server.send("POST", "/api/v1/orgs/acme/domains", &headers, &body)
    };
    let first = register("Ann", "example.org");
    assert_eq!(first.status, 200, "{}", first.text);
    assert_eq!(fixture.request("DELETE", "acme/domains/example.org", Value::Null).status, 204);
    // The repeated request returns the stored response and registers nothing.
    assert_eq!(register("Ann", "example.org").body, first.body);
    assert_eq!(fixture.list(), [] as [Value; 0]);
    assert_eq!(register("Ann", "example.com").status, 409);
    assert_eq!(register("Ben", "example.org").status, 403);
    fixture.set_plan("acme", Plan::Team);
    assert_eq!(register("Ann", "example.org").status, 403, "the stored response needs access too");
}

/// Returns the error messages of a command that must fail.
#[track_caller]
fn expect_failure(server: &ServerProcess, arguments: &[&str]) -> String {
    let output = server.run_command(arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn operators_manage_domains_on_the_command_line() {
    let names = NameServer::start();
    let dns = names.address.to_string();
    let server = ServerProcess::prepare(&[("dns", &dns)], crate::server_process::Launch::default());
    let create = ["org", "create", "--name", "Acme", "--slug", "acme", "--seats", "5", "--plan"];
    server.run_json(&[&create[..], &["team"]].concat());
    fn domain<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
        [&["org", "domain"], arguments].concat()
    }
    let refused = expect_failure(&server, &domain(&["add", "acme", "example.org"]));
    assert!(refused.contains("plan"), "{refused}");
    server.run_json(&["org", "plan", "acme", "--plan", "enterprise"]);

    let added = server.run_json(&domain(&["add", "acme", "Example.org"]));
    let record = text(&added["record_value"]).to_owned();
    let pending = json!({
        "domain": "example.org", "status": "pending", "record_value": record,
        "last_checked": null, "verified_at": null, "found": [],
    });
    assert_eq!(added, pending);
    assert_eq!(server.run_json(&domain(&["list", "acme"])), json!([pending]));
    let refused = expect_failure(&server, &domain(&["add", "acme", "gmail.com"]));
    assert!(refused.contains("public mail provider"), "{refused}");

    names.set("example.org", Answer::texts(&["other"]));
    let failed = server.run_json(&domain(&["verify", "acme", "example.org"]));
    assert_eq!((&failed["status"], &failed["found"]), (&json!("failed"), &json!(["other"])));
    names.set("example.org", Answer::texts(&[&record]));
    let verified = server.run_json(&domain(&["verify", "acme", "example.org"]));
    assert_eq!(verified["status"], "verified");
    assert!(verified["verified_at"].is_string());
    names.set("example.org", Answer::ServerFailure);
    let refused = expect_failure(&server, &domain(&["verify", "acme", "example.org"]));
    assert!(refused.contains("Server Failure"), "{refused}");
    assert_eq!(server.run_json(&domain(&["list", "acme"])), json!([verified]));

    let removed = server.run_json(&domain(&["remove", "acme", "example.org"]));
    assert_eq!(removed, json!({ "domain": "example.org", "removed": true }));
    assert_eq!(server.run_json(&domain(&["list", "acme"])), json!([]));
    expect_failure(&server, &domain(&["remove", "acme", "example.org"]));
    expect_failure(&server, &domain(&["list", "nothing"]));
}
