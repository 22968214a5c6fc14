//! Access to the audit log, filters, pages, exports and the end of events.

use chartroom::features::orgs::Plan;
use chartroom_platform::db::WriteTx;
use chartroom_platform::time::Timestamp;
use serde_json::Value;
use serde_json::json;

use super::AuditFixture;
use super::text;
use crate::idempotency::wait_until;

const DAY_MILLIS: i64 = 86_400_000;

/// Inserts an event of the organization `acme`, `age_days` days old.
fn insert_event(fixture: &AuditFixture, age_days: i64, action: &str, user: &str, title: &str) {
    let org = fixture.fixture.org.id.clone();
    let values = [action.to_owned(), user.to_owned(), title.to_owned()];
    let write = move |tx: &WriteTx<'_>| {
        let created = Timestamp(tx.now.0 - age_days * DAY_MILLIS);
        let [action, user, title] = &values;
        tx.execute(
            "insert into audit_event (org_id, created, action, actor_type, actor_id, actor_name,
                                      actor_email, target_type, target_id, target_name, ip_address,
                                      user_agent, details)
             values (?, ?, ?, 'user', ?, 'Eve', 'eve@example.org', 'document', 'd1', ?,
                     '192.0.2.7', '=agent', '{\"a\":1}')",
            (&org, created, action, user, title),
        )
        .map(|_| ())
    };
    fixture.fixture.server.app.db.write(write).unwrap();
}

#[test]
fn only_admins_of_enterprise_organizations_and_operators_read_the_log() {
    let fixture = AuditFixture::new();
    let status = |name: &str, org: &str| {
        let path = format!("/orgs/{org}/audit-log");
        let response = fixture.request(name, "GET", &path, &Value::Null);
        (response.status, response.text)
    };
    assert_eq!(status("Ann", "acme").0, 200);
    assert_eq!(status("Ann", fixture.fixture.org.id.as_str()).0, 200);
    for name in ["Ben", "Bea"] {
        assert_eq!(status(name, "acme").0, 403, "{name}");
    }
    assert_eq!(status("", "acme").0, 401);
    assert_eq!((status("Dan", "acme"), status("Dan", "acme").0), (status("Dan", "nothing"), 404));
    for plan in [Plan::Team, Plan::Education] {
        fixture.set_plan(plan);
        let (code, text) = status("Ann", "acme");
        assert_eq!(code, 403);
        assert!(text.contains("needs the plan enterprise"), "{text}");
    }
    // Operators are not members.
    fixture.fixture.server.execute_sql("update user set operator = 1 where name = 'Dan'");
    assert_eq!(status("Dan", "acme").0, 200);
    assert_eq!(status("Dan", "nothing").0, 404);
    // Members of a suspended organization can still read.
    fixture.set_plan(Plan::Enterprise);
    fixture.fixture.set_suspended(true);
    assert_eq!(status("Ann", "acme").0, 200);
}

#[test]
fn filters_select_events() {
    let fixture = AuditFixture::new();
    fixture.fixture.server.execute_sql("delete from audit_event");
    insert_event(&fixture, 5, "document.share", "7", "Sales 100%");
    insert_event(&fixture, 4, "document.move", "7", "Costs");
    insert_event(&fixture, 3, "document.share", "8", "Costs 1000");
    insert_event(&fixture, 2, "team.create", "8", "SALES");
    let check = |query: &str, expected: &[&str]| {
        let events = fixture.read_log("acme", query);
        let found: Vec<&str> = events.iter().map(|event| text(event, "/target/name")).collect();
        assert_eq!(found, expected, "{query}");
    };
    check("", &["SALES", "Costs 1000", "Costs", "Sales 100%"]);
    check("?action=document.share", &["Costs 1000", "Sales 100%"]);
    check("?action=document", &[]);
    check("?user_id=7", &["Costs", "Sales 100%"]);
    check("?user_id=7&action=document.share", &["Sales 100%"]);
    check("?q=sales", &["SALES", "Sales 100%"]);
    check("?q=100%25", &["Sales 100%"]);
    check("?q=eve@example.org&action=team.create", &["SALES"]);
    check("?q=192.0.2.7&user_id=8", &["SALES", "Costs 1000"]);
    check("?q=nothing", &[]);
    check("?q=&action=&user_id=&from=&to=", &["SALES", "Costs 1000", "Costs", "Sales 100%"]);
    let days_ago = |days: i64| Timestamp(Timestamp::now().0 - days * DAY_MILLIS).to_string();
    // Half a day apart from the events.
    let (from, to) = (Timestamp(Timestamp::now().0 - 9 * DAY_MILLIS / 2).to_string(), days_ago(3));
    check(&format!("?from={from}"), &["SALES", "Costs 1000", "Costs"]);
    check(&format!("?from={from}&to={to}"), &["Costs 1000", "Costs"]);
    check(&format!("?to={to}&action=document.share"), &["Costs 1000", "Sales 100%"]);
    check("?to=2020-01-01", &[]);
    for (query, field) in [
        ("?from=yesterday", "from"),
        ("?to=1", "to"),
        ("?limit=-1", "limit"),
        ("?format=xml", "format"),
    ] {
        let path = format!("/orgs/acme/audit-log{query}");
        let response = fixture.request("Ann", "GET", &path, &Value::Null);
        assert_eq!(response.status, 400, "{query}");
        assert!(response.text.starts_with(&format!("{field}: ")), "{query}: {}", response.text);
    }
}

#[test]
fn pages_are_linked() {
    let fixture = AuditFixture::new();
    fixture.fixture.server.execute_sql("delete from audit_event");
    for number in 0..5 {
        insert_event(&fixture, 0, "document.move", "7", &number.to_string());
    }
    let base = "http://127.0.0.1:8080/api/v1/orgs/acme/audit-log";
    let check = |query: &str, expected: &[&str], links: &[&str]| {
        let path = format!("/orgs/acme/audit-log?{query}");
        let response = fixture.request("Ann", "GET", &path, &Value::Null);
        let log = response.json();
        let events = log["events"].as_array().unwrap();
        let found: Vec<&str> = events.iter().map(|event| text(event, "/target/name")).collect();
        assert_eq!(found, expected, "{query}");
        let links: Vec<String> = links.iter().map(|link| format!("<{base}?{link}")).collect();
        assert_eq!(response.headers("link"), links, "{query}");
        log
    };
    let log = check(
        "limit=2&action=document.move",
        &["4", "3"],
        &["action=document.move&offset=2&limit=2>; rel=\"next\""],
    );
    assert_eq!((&log["offset"], &log["limit"]), (&json!(0), &json!(2)));
    check(
        "offset=2&limit=2",
        &["2", "1"],
        &["offset=0&limit=2>; rel=\"prev\"", "offset=4&limit=2>; rel=\"next\""],
    );
    check("offset=4&limit=2", &["0"], &["offset=2&limit=2>; rel=\"prev\""]);
    check("offset=3&limit=2", &["1", "0"], &["offset=1&limit=2>; rel=\"prev\""]);
    check("limit=5", &["4", "3", "2", "1", "0"], &[]);
    assert_eq!(check("limit=5000", &["4", "3", "2", "1", "0"], &[])["limit"], 100);
    assert_eq!(check("", &["4", "3", "2", "1", "0"], &[])["limit"], 50);
}

#[test]
fn exports_contain_all_columns() {
    let fixture = AuditFixture::new();
    fixture.fixture.server.execute_sql("delete from audit_event");
    insert_event(&fixture, 1, "document.move", "7", "=HYPERLINK(\"x\")");
    insert_event(&fixture, 0, "document.share", "7", "Sales, EU");
    let events = fixture.read_log("acme", "");
    let export = |query: &str| {
        let path = format!("/orgs/acme/audit-log?{query}");
        let response = fixture.request("Ann", "GET", &path, &Value::Null);
        assert_eq!(response.status, 200, "{}", response.text);
        response
    };
    let csv = export("format=csv");
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(csv.header("content-disposition"), "attachment; filename=\"audit-log-acme.csv\"");
    let line = |index: usize, action: &str, title: &str| {
        let (id, created) = (text(&events[index], "/id"), text(&events[index], "/created"));
        format!(
            "{id},{created},{action},user,7,Eve,eve@example.org,document,d1,{title},192.0.2.7,'=agent,\"{{\"\"a\"\":1}}\"\r\n"
        )
    };
    let expected = format!(
        "id,created,action,actor_type,actor_id,actor_name,actor_email,target_type,target_id,target_name,ip_address,user_agent,details\r\n{}{}",
        line(0, "document.share", "\"Sales, EU\""),
        line(1, "document.move", "\"'=HYPERLINK(\"\"x\"\")\""),
    );
    assert_eq!(csv.text, expected);

    let lines = export("format=jsonl&action=document.share");
    assert_eq!(lines.header("content-type"), "application/jsonl");
    let parsed: Vec<Value> =
        lines.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(parsed, [events[0].clone()]);
    let page = export("format=jsonl&limit=1&offset=1");
    assert_eq!(page.text.lines().count(), 1);
    assert_eq!(page.text, format!("{}\n", events[1]));
    assert!(page.header("link").contains("format=jsonl&offset=0&limit=1"));
    let denied = fixture.request("Ben", "GET", "/orgs/acme/audit-log?format=csv", &Value::Null);
    assert_eq!(denied.status, 403);
}

#[test]
fn export_of_large_events_continues_on_the_next_page() {
    const EVENTS: usize = 2500;
    let fixture = AuditFixture::new();
    fixture.fixture.server.execute_sql("delete from audit_event");
    insert_event(&fixture, 0, "document.move", "7", "Sales");
    // Five texts with the maximum length of 500 characters, of four bytes each.
    let text = "\u{1f600}".repeat(500);
    let details = json!({ "a": text, "b": text, "c": text, "d": text, "e": text });
    let copy = format!(
        "with recursive number (n) as (select 2 union all select n + 1 from number where n < {EVENTS})
         insert into audit_event (org_id, created, action, actor_type, actor_id, actor_name,
                                  actor_email, target_type, target_id, target_name, ip_address,
                                  user_agent, details)
         select org_id, created, action, actor_type, actor_id, actor_name, actor_email, target_type,
                target_id, target_name, ip_address, user_agent, '{details}'
         from audit_event, number"
    );
    let copy = move |tx: &WriteTx<'_>| tx.execute(&copy, []);
    assert_eq!(fixture.fixture.server.app.db.write(copy).unwrap(), EVENTS - 1);
    for format in ["csv", "jsonl"] {
        let mut path = format!("/orgs/acme/audit-log?format={format}");
        let (mut ids, mut pages) = (Vec::new(), 0);
        loop {
            let response = fixture.request("Ann", "GET", &path, &Value::Null);
            assert_eq!(response.status, 200, "{}", response.text);
            assert!(response.body.len() < (16 << 20) + 20_000, "{}", response.body.len());
            pages += 1;
            for line in response.text.lines().skip(usize::from(format == "csv")) {
                let line = line.trim_start_matches("{\"id\":\"");
                ids.push(line.split(['"', ',']).next().unwrap().parse::<i64>().unwrap());
            }
            let links = response.headers("link");
            let Some(next) = links.iter().find(|link| link.ends_with("rel=\"next\"")) else {
                break;
            };
            path =
                next.split(['<', '>']).nth(1).unwrap().split("/api/v1").nth(1).unwrap().to_owned();
        }
        assert_eq!((ids.len(), pages), (EVENTS, 2), "{format}");
        assert!(ids.is_sorted_by(|one, other| one > other), "each event once, newest first");
    }
}

#[test]
fn events_end_after_90_days() {
    let fixture = AuditFixture::new();
    fixture.fixture.server.execute_sql("delete from audit_event");
    for _ in 0..3 {
        insert_event(&fixture, 91, "document.move", "7", "old");
    }
    insert_event(&fixture, 89, "document.move", "7", "young");
    let names = |query: &str| -> Vec<String> {
        let events = fixture.read_log("acme", query);
        events.iter().map(|event| text(event, "/target/name").to_owned()).collect()
    };
    // Hidden before the task deletes them.
    assert_eq!(names(""), ["young"]);
    assert_eq!(names("?from=2000-01-01"), ["young"]);
    let server = &fixture.fixture.server;
    let count = || {
        let sql = "select count(*) from audit_event";
        server.app.db.read(|tx| tx.one(sql, [], |row| row.get::<_, i64>(0))).unwrap()
    };
    assert_eq!(count(), 4);
    let _tasks = chartroom::tasks::start_background_work(&server.app).unwrap();
    wait_until("old events are deleted", || count() == 1);
    assert_eq!(names(""), ["young"]);
}
