//! Tests of the background check of verified domains.

use chartroom::tasks::BackgroundWork;
use chartroom_platform::config::Config;
use serde_json::json;

use super::DomainFixture;
use super::name_server::Answer;
use crate::idempotency::wait_until;

/// A server with its background tasks.
struct CheckFixture {
    domains: DomainFixture,
    _tasks: BackgroundWork,
}

impl CheckFixture {
    /// Starts a server with the verified domain `example.org`. It cannot send mail, so that all
    /// mails stay in the queue. Waits until the first run of the recurring task is over.
    fn new() -> Self {
        let domains = DomainFixture::with_config(Config {
            smtp_host: "127.0.0.1".to_owned(),
            smtp_port: Some(1),
            ..Config::default()
        });
        domains.register_verified("acme", "example.org");
        let tasks = chartroom::tasks::start_background_work(&domains.orgs.server.app).unwrap();
        let fixture = Self { domains, _tasks: tasks };
        fixture.wait_for_checks();
        fixture
    }

    /// Returns the integer of a query.
    fn read_number(&self, sql: &str) -> i64 {
        self.domains.orgs.server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap()
    }

    /// Waits until the recurring task has run and no check of a domain waits.
    fn wait_for_checks(&self) {
        let open = "select count(*) from task
                    where name = 'orgs.domain' or (name = 'orgs.due_domains' and run_at <= created)";
        wait_until("the domains are checked", || self.read_number(open) == 0);
    }

    /// Runs the checks that are due now.
    fn run_checks(&self) {
        let start = "update task set run_at = created where name = 'orgs.due_domains'";
        self.domains.orgs.server.execute_sql(start);
        self.wait_for_checks();
    }

    /// Moves all stored times of the domain one day into the past, and runs the checks.
    fn run_checks_of_next_day(&self) {
        self.domains.orgs.server.execute_sql(
            "update domain set last_checked = last_checked - 86400000,
                               missing_since = missing_since - 86400000",
        );
        self.run_checks();
    }

    /// Returns the subjects of the mail tasks and removes the tasks.
    fn take_mails(&self) -> Vec<String> {
        let sql = "select subject from task where name = 'orgs.domain_mail' order by subject";
        let db = &self.domains.orgs.server.app.db;
        let mails = db.read(|tx| tx.all(sql, [], |row| row.get(0))).unwrap();
        self.domains.orgs.server.execute_sql("delete from task where name = 'orgs.domain_mail'");
        mails
    }

    /// Returns whether the database has a start of a missing period.
    fn is_missing(&self) -> bool {
        self.read_number("select count(*) from domain where missing_since is not null") == 1
    }
}

#[test]
fn admins_are_told_once_after_three_days_without_the_record() {
    let fixture = CheckFixture::new();
    let record = fixture.domains.list()[0].clone();
    assert_eq!(fixture.domains.names.query_counts().0, 1, "a domain is not checked twice a day");

    fixture.domains.names.set("example.org", Answer::texts(&["other"]));
    for day in 0..3 {
        fixture.run_checks_of_next_day();
        assert_eq!(fixture.domains.list()[0]["found"], json!(["other"]));
        assert_eq!(fixture.take_mails(), [] as [&str; 0], "day {day}");
        assert!(fixture.is_missing(), "day {day}");
    }
    fixture.run_checks_of_next_day();
    let ann = fixture.domains.orgs.user_id("Ann");
    let mail = format!("{} example.org {ann}", fixture.domains.orgs.org.id);
    assert_eq!(fixture.take_mails(), [mail.as_str()], "only admins are told");
    fixture.run_checks_of_next_day();
    assert_eq!(fixture.take_mails(), [] as [&str; 0], "they are told once");
    let domain = fixture.domains.list()[0].clone();
    assert_eq!(domain["status"], "verified", "the check never changes the status");
    assert_eq!(domain["verified_at"], record["verified_at"]);

    // After the record was there, a new period begins.
    fixture.domains.publish(&record);
    fixture.run_checks_of_next_day();
    assert!(!fixture.is_missing());
    fixture.domains.names.set("example.org", Answer::NoRecords);
    for _ in 0..3 {
        fixture.run_checks_of_next_day();
        assert_eq!(fixture.take_mails(), [] as [&str; 0]);
    }
    fixture.run_checks_of_next_day();
    assert_eq!(fixture.take_mails(), [mail]);
    let events = fixture.domains.list_events("example.org");
    let expected = ["domain.create", "domain.verify", "domain.missing", "domain.missing"];
    assert_eq!(events, expected);
}

#[test]
fn a_failed_lookup_is_no_missing_record() {
    let fixture = CheckFixture::new();
    let queries = || fixture.domains.names.query_counts().0;
    for answer in [Answer::ServerFailure, Answer::Refused, Answer::Referral] {
        let before = queries();
        fixture.domains.names.set("example.org", answer);
        fixture.run_checks_of_next_day();
        assert!(queries() > before, "the domain was not looked up");
        assert!(!fixture.is_missing());
        // The domain is still due.
        let before = queries();
        fixture.run_checks();
        assert!(queries() > before, "the lookup was not repeated");
    }
    // A failure neither ends nor starts a missing period.
    fixture.domains.names.set("example.org", Answer::NoRecords);
    fixture.run_checks_of_next_day();
    assert!(fixture.is_missing());
    fixture.domains.names.set("example.org", Answer::ServerFailure);
    fixture.run_checks_of_next_day();
    assert!(fixture.is_missing());
    assert_eq!(fixture.take_mails(), [] as [&str; 0]);
    assert_eq!(fixture.domains.list()[0]["status"], "verified");
    assert_eq!(fixture.read_number("select count(*) from task where attempts > 0"), 0);
}

#[test]
fn domains_that_are_not_verified_are_not_checked() {
    let fixture = CheckFixture::new();
    fixture.domains.register("acme", "pending.example.org");
    fixture.domains.names.set("example.org", Answer::NoRecords);
    assert_eq!(fixture.domains.verify("acme", "example.org").json()["status"], "failed");
    let before = fixture.domains.names.query_counts();
    fixture.run_checks_of_next_day();
    assert_eq!(fixture.domains.names.query_counts(), before);
    assert_eq!(fixture.domains.list()[0]["status"], "failed");
}
