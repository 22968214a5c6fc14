//! Tests of the lifetime of password links, without a mail server.

use std::time::Duration;

use chartroom::features::accounts;
use chartroom::features::accounts::PasswordLink;
use chartroom::features::accounts::User;
use chartroom::features::accounts::UserChanges;
use chartroom::features::orgs::Seats;
use chartroom::tasks::BackgroundWork;
use chartroom_platform::config::Config;
use chartroom_platform::tasks;
use chartroom_platform::time::Timestamp;

use crate::idempotency::wait_until;
use crate::orgs::create_org;
use crate::test_server::TestServer;

/// A server that cannot send mail, so that all mails stay in the queue. It has the user Ann.
struct LinkFixture {
    server: TestServer,
    ann: User,
    _tasks: BackgroundWork,
}

impl LinkFixture {
    /// Starts the server and its tasks.
    fn start() -> Self {
        let config =
            Config { smtp_host: "127.0.0.1".to_owned(), smtp_port: Some(1), ..Config::default() };
        let server = TestServer::with_config(config);
        let ann = server.create_user("Ann");
        let tasks = chartroom::tasks::start_background_work(&server.app).unwrap();
        Self { server, ann, _tasks: tasks }
    }

    /// Returns the integer of a query.
    fn read_number(&self, sql: &str) -> i64 {
        self.server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap()
    }

    /// Asks for a link for Ann and waits until the request is handled and the server has tried to send the
    /// mail. The next attempt comes after the test. A later first one could drop a mail that is not needed
    /// any more.
    fn request_link(&self) {
        let response = self.server.submit_form("/forgot-password", "email=ann%40example.org");
        assert_eq!(response.status, 200, "{}", response.text);
        let open = "select count(*) from task where name = 'accounts.reset-request'";
        wait_until("the request is handled", || self.read_number(open) == 0);
        let untried =
            "select count(*) from task where name = 'accounts.reset-mail' and attempts = 0";
        wait_until("the mail cannot be sent", || self.read_number(untried) == 0);
    }

    /// Returns the subjects of the mails in the queue, oldest first.
    fn mails(&self) -> Vec<String> {
        let sql =
            "select subject from task where name = 'accounts.reset-mail' order by created, id";
        self.server.app.db.read(|tx| tx.all(sql, [], |row| row.get(0))).unwrap()
    }

    /// Returns the path of the link in a mail.
    fn path(&self, mail: &str) -> String {
        let link = PasswordLink { nonce: mail.split_once('.').unwrap().1.to_owned() };
        link.url(&self.server.app.server_key, "")
    }

    /// Returns whether a link works.
    fn works(&self, path: &str) -> bool {
        self.server.send("GET", path, &[], "").status == 200
    }

    /// Returns whether a mail would still be sent.
    fn is_needed(&self, mail: &str) -> bool {
        let app = &self.server.app;
        app.db.read(|tx| accounts::reset_mail_recipient(tx, app, mail)).unwrap().is_some()
    }

    /// Creates the link of a managed account for Ann and returns its path.
    fn create_account_link(&self) -> String {
        let (key, ann) = (self.server.app.server_key.clone(), self.ann.id.clone());
        let lifetime = Duration::from_secs(600);
        let link =
            self.server.app.db.write(move |tx| PasswordLink::create(tx, &key, &ann, lifetime));
        link.unwrap().url(&self.server.app.server_key, "")
    }

    /// Creates a link for a forgotten password of Ann and returns its path.
    fn create_reset_link(&self, lifetime: Duration) -> String {
        let (key, ann) = (self.server.app.server_key.clone(), self.ann.id.clone());
        let link = self.server.app.db.write(move |tx| {
            PasswordLink::create_for_reset(tx, &key, &ann, tx.now.saturating_add(lifetime))
        });
        link.unwrap().url(&self.server.app.server_key, "")
    }

    /// Changes the account of Ann, as the command line does.
    fn update_ann(&self, change: UserChanges) {
        let ann = self.ann.id.clone();
        self.server
            .app
            .db
            .write(move |tx| accounts::update_user(tx, &ann, change.clone()).map(drop))
            .unwrap();
    }
}

#[test]
fn request_keeps_earlier_links_until_one_is_used() {
    let fixture = LinkFixture::start();
    let account_link = fixture.create_account_link();
    fixture.request_link();
    fixture.request_link();
    let mails = fixture.mails();
    assert_eq!(mails.len(), 2);
    let links = [&mails[0], &mails[1]].map(|mail| fixture.path(mail));
    assert!(fixture.works(&account_link), "a request does not replace the link of an organization");
    assert!(fixture.works(&links[0]) && fixture.works(&links[1]));
    assert!(fixture.is_needed(&mails[0]) && fixture.is_needed(&mails[1]));
    let used = fixture.server.submit_form(&links[0], "password=another+horse+battery");
    assert_eq!(used.status, 303, "{}", used.text);
    assert!(!fixture.works(&account_link) && !fixture.works(&links[0]));
    assert!(!fixture.works(&links[1]));
    assert!(!fixture.is_needed(&mails[1]), "a mail after a change of the password is not sent");
}

#[test]
fn user_has_at_most_five_links_for_a_forgotten_password() {
    let fixture = LinkFixture::start();
    let account_link = fixture.create_account_link();
    let links: Vec<String> =
        (0..7).map(|n| fixture.create_reset_link(Duration::from_secs(600 + n))).collect();
    let working: Vec<bool> = links.iter().map(|link| fixture.works(link)).collect();
    assert_eq!(working, [false, false, true, true, true, true, true]);
    assert!(fixture.works(&account_link));
}

#[test]
fn changed_address_and_disabled_account_end_links() {
    let fixture = LinkFixture::start();
    let name = || UserChanges { name: Some("Anne".to_owned()), ..UserChanges::default() };
    let email = |text: &str| UserChanges { email: Some(text.to_owned()), ..UserChanges::default() };
    let link = fixture.create_reset_link(Duration::from_secs(600));
    fixture.update_ann(name());
    fixture.update_ann(email("ann@example.org"));
    assert!(fixture.works(&link), "the address is the same");
    fixture.update_ann(email("anne@example.org"));
    assert!(!fixture.works(&link));

    let link = fixture.create_reset_link(Duration::from_secs(600));
    for disabled in [true, false] {
        let ann = fixture.ann.id.clone();
        let set = fixture.server.app.db.write(move |tx| accounts::set_disabled(tx, &ann, disabled));
        assert_eq!(set.unwrap().disabled, disabled);
    }
    assert!(!fixture.works(&link), "the link does not work again after the account is enabled");
}

#[test]
fn failed_mail_is_sent_again_with_the_same_link() {
    let fixture = LinkFixture::start();
    fixture.request_link();
    let attempts = "select max(attempts) from task where name = 'accounts.reset-mail'";
    wait_until("the mail has failed", || fixture.read_number(attempts) == 1);
    let mails = fixture.mails();
    fixture.server.execute_sql("update task set run_at = created where attempts > 0");
    wait_until("the mail has failed again", || fixture.read_number(attempts) == 2);
    assert_eq!(fixture.mails(), mails);
    assert_eq!(fixture.read_number("select count(*) from password_link"), 1);
    assert!(fixture.is_needed(&mails[0]));
    fixture.server.execute_sql("update password_link set expires = expires - 3600000");
    assert!(!fixture.is_needed(&mails[0]), "a mail is not sent after an hour");
    fixture.server.execute_sql("update task set run_at = created where attempts > 0");
    wait_until("the task has ended", || fixture.mails().is_empty());
}

#[test]
fn old_request_creates_no_link() {
    let fixture = LinkFixture::start();
    let payload = |minutes: i64| {
        let requested = Timestamp::now().0 - minutes * 60_000;
        format!(r#"{{"requested":{requested},"ip_address":"127.0.0.1","user_agent":""}}"#)
    };
    let enqueue = |payload: String| {
        let name = accounts::RESET_REQUEST_TASK;
        let enqueued =
            fixture.server.app.db.write(move |tx| {
                tasks::enqueue(tx, name, "ann@example.org", &payload, Timestamp(0))
            });
        enqueued.unwrap();
        let open = "select count(*) from task where name = 'accounts.reset-request'";
        wait_until("the request is handled", || fixture.read_number(open) == 0);
    };
    enqueue(payload(61));
    assert!(fixture.mails().is_empty());
    enqueue(payload(59));
    let remaining = "select max(expires - created) from password_link";
    assert!(fixture.read_number(remaining) <= 60_000, "the hour starts with the request");
    assert_eq!(fixture.mails().len(), 1);
}

#[test]
fn account_that_must_use_single_sign_on_gets_no_link() {
    let fixture = LinkFixture::start();
    create_org(&fixture.server, "acme", Seats::Unlimited);
    fixture.server.execute_sql(
        "insert into managed_user (user_id, org_id, created) select user.id, org.id, 1 from user, org",
    );
    fixture.request_link();
    let mails = fixture.mails();
    assert_eq!(mails.len(), 1);
    assert!(fixture.works(&fixture.path(&mails[0])));
    fixture.server.execute_sql(
        "insert into sso (org_id, entity_id, certificate, sign_in_url, allow_idp_initiated,
                          allow_relink, created, updated)
         select id, 'urn:idp', '', 'https://idp.example/', 1, 1, 0, 0 from org",
    );
    fixture.server.execute_sql("update org set plan = 'enterprise'");
    fixture.server.execute_sql("update org set settings = '{\"enforce_sso\":true}'");
    assert!(!fixture.works(&fixture.path(&mails[0])), "the account must use single sign-on");
    assert!(!fixture.is_needed(&mails[0]));
    fixture.request_link();
    assert_eq!(fixture.mails().len(), 1);
}
