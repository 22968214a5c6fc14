//! Tests of the password reset by mail.

use std::io::BufReader;
use std::process::ChildStdout;

use chartroom_platform::config::Config;
use chartroom_platform::db::DATABASE_FILE_NAME;
use rusqlite::Connection;
use serde_json::Value;
use serde_json::json;

use crate::cli::external_servers;
use crate::cli::external_servers::ExternalProcess;
use crate::client::Client;
use crate::server_process::PASSWORD;
use crate::server_process::ServerProcess;
use crate::test_server::TestServer;

const PATH: &str = "/forgot-password";
const NEW_PASSWORD: &str = "another horse battery";

/// Starts a server in this process that has a mail server in its settings.
fn start_with_mail() -> TestServer {
    TestServer::with_config(Config { smtp_host: "127.0.0.1".to_owned(), ..Config::default() })
}

#[test]
fn response_does_not_reveal_whether_an_address_has_an_account() {
    let server = start_with_mail();
    server.create_user("Ann");
    assert!(server.send("GET", "/sign-in", &[], "").body.contains(r#"href="/forgot-password""#));
    assert_eq!(server.send("GET", PATH, &[], "").status, 200);
    let page = |address: &str| {
        let response = server.submit_form(PATH, &format!("email={address}%40example.org"));
        assert_eq!(response.status, 200, "{}", response.text);
        assert!(response.body.contains("a mail with a link follows"), "{}", response.body);
        response.body.replace(address, "[address]")
    };
    assert_eq!(page("ann"), page("eve"));
    // Both have the same task, so that the work of both requests is the same.
    let sql = "select subject, payload from task where name = 'accounts.reset-request' order by 1";
    let tasks: Vec<(String, String)> =
        server.app.db.read(|tx| tx.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))).unwrap();
    let subjects: Vec<&str> = tasks.iter().map(|task| task.0.as_str()).collect();
    assert_eq!(subjects, ["ann@example.org", "eve@example.org"]);
    let client = |task: &(String, String)| {
        let mut payload: Value = serde_json::from_str(&task.1).unwrap();
        assert!(payload["requested"].take().is_number());
        payload
    };
    assert_eq!(client(&tasks[0]), client(&tasks[1]));

    let invalid = server.submit_form(PATH, "email=ann");
    assert_eq!(invalid.status, 400);
    assert!(invalid.body.contains("The address must be an e-mail address"), "{}", invalid.body);
    let headers =
        [("content-type", "application/x-www-form-urlencoded"), ("origin", "https://evil.example")];
    assert_eq!(server.send("POST", PATH, &headers, "email=ann%40example.org").status, 403);
}

#[test]
fn requests_beyond_the_limit_of_an_address_look_like_others_and_send_nothing() {
    for address in ["ann", "eve"] {
        let server = start_with_mail();
        server.create_user("Ann");
        let send = || server.submit_form(PATH, &format!("email={address}%40Example.org"));
        let clear = "delete from task where name = 'accounts.reset-request'";
        let sql = "select count(*) from task where name = 'accounts.reset-request'";
        let count = || -> i64 {
            let found = server.app.db.read(|tx| tx.one(sql, [], |row| row.get(0))).unwrap();
            server.execute_sql(clear);
            found
        };
        for number in 0..5 {
            assert_eq!((send().status, count()), (200, 1), "{address} {number}");
        }
        let last = send();
        assert_eq!((last.status, count()), (200, 0), "{address}");
        assert!(last.body.contains("a mail with a link follows"), "{}", last.body);
        assert_eq!(server.submit_form(PATH, "email=other%40example.org").status, 200);
        assert_eq!(count(), 1);
    }
}

#[test]
fn forms_without_credentials_are_small() {
    let server = start_with_mail();
    let ann = server.create_user("Ann");
    let body = "a&".repeat(9 << 10);
    for path in [PATH, "/sign-in", "/setup/t", "/set-password/t", "/invite/t", "/s/t"] {
        assert_eq!(server.submit_form(path, &body).status, 413, "{path}");
    }
    // Fields without a meaning are not stored.
    let form = format!("email=ann%40example.org{}", "&a".repeat(8000));
    assert_eq!(server.submit_form(PATH, &form).status, 200);
    let headers = [
        ("authorization", &*server.create_bearer_token(&ann.id)),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let send = |fields: usize| {
        server.send("POST", "/account", &headers, &format!("name=Ann{}", "&a".repeat(fields)))
    };
    assert_eq!(send(9_999).status, 303);
    let refused = send(10_000);
    assert_eq!(
        (refused.status, refused.text.as_str()),
        (400, "the form must have at most 10000 fields")
    );
}

#[test]
fn server_without_mail_names_the_command() {
    let server = TestServer::new();
    server.create_user("Ann");
    let command = "chartroom user password ADDRESS";
    assert!(server.send("GET", PATH, &[], "").body.contains(command));
    let page = server.submit_form(PATH, "email=ann%40example.org");
    assert!(page.body.contains(command) && !page.body.contains("follows"), "{}", page.body);
    let count = "select count(*) from task where name = 'accounts.reset-request'";
    assert_eq!(server.app.db.read(|tx| tx.one(count, [], |row| row.get::<_, i64>(0))).unwrap(), 0);
}

/// A server with a real mail server.
struct ResetFixture {
    server: ServerProcess,
    output: BufReader<ChildStdout>,
    _mail_server: ExternalProcess,
}

impl ResetFixture {
    /// Starts both servers.
    fn start() -> Self {
        let (mail_server, output, port) = external_servers::start_mail_server(None);
        let server = ServerProcess::with_settings(&[
            ("smtp_host", "127.0.0.1"),
            ("smtp_port", &port.to_string()),
            ("smtp_tls", "none"),
        ]);
        Self { server, output, _mail_server: mail_server }
    }

    /// Returns a client that sends forms.
    fn form_client(&self) -> Client<'_> {
        self.server.guest().with_header("content-type", "application/x-www-form-urlencoded")
    }

    /// Asks for a link for an address.
    fn request_link(&self, address: &str) {
        let form = format!("email={}", address.replace('@', "%40"));
        self.form_client().send("POST", PATH, Some(&form)).expect(200);
    }

    /// Returns the recipient of the next mail and the path of its link.
    fn read_mail(&mut self) -> (String, String) {
        let mail = external_servers::read_next_mail(&mut self.output);
        let start = format!("{}/set-password/", self.server.base_url);
        let link = mail.iter().find(|line| line.starts_with(&start)).expect("a link");
        let text = mail.join("\n");
        for part in ["Content-Type: text/plain", "Content-Type: text/html", "within an hour"] {
            assert!(text.contains(part), "no {part:?}: {text}");
        }
        let to = mail.iter().find_map(|line| line.strip_prefix("To: ")).unwrap();
        (to.to_owned(), link.strip_prefix(&self.server.base_url).unwrap().to_owned())
    }

    /// Asserts that the next mail tells Ann about the new password.
    fn expect_notice(&mut self) {
        let mail = external_servers::read_next_mail(&mut self.output).join("\n");
        for part in [
            "To: ann@example.org",
            "Subject: Your password was changed",
            "All other sessions have ended.",
            "/account/security",
            "Content-Type: text/html",
        ] {
            assert!(mail.contains(part), "no {part:?}: {mail}");
        }
    }

    /// Sets the password with a link and returns the status.
    fn set_password(&self, link: &str, password: &str) -> u16 {
        let form = format!("password={password}");
        self.form_client().send("POST", link, Some(&form)).status
    }

    /// Signs Ann in and returns the status and the cookie.
    fn sign_in(&self, password: &str) -> (u16, String) {
        let body = json!({ "email": "ann@example.org", "password": password });
        let response = self.server.guest().post("/api/v1/session", body);
        if response.status != 200 {
            return (response.status, String::new());
        }
        let cookie = response.header("set-cookie").split(';').next().unwrap().to_owned();
        (200, cookie)
    }

    /// Executes SQL on the database of the running server.
    fn execute_sql(&self, sql: &str) {
        let database = Connection::open(self.server.data_dir().join(DATABASE_FILE_NAME)).unwrap();
        database.execute_batch(sql).unwrap();
    }
}

#[test]
#[ignore = "needs aiosmtpd"]
fn link_sets_a_password_once_and_ends_all_sessions() {
    let mut fixture = ResetFixture::start();
    let (status, cookie) = fixture.sign_in(PASSWORD);
    assert_eq!(status, 200);
    // Ann is an operator or not: the link works for accounts that no organization manages.
    fixture.server.run_json(&["user", "edit", "ann", "--operator", "true"]);
    fixture.request_link("nobody@example.org");
    fixture.request_link("Ann@Example.org");
    let (to, link) = fixture.read_mail();
    assert_eq!(to, "ann@example.org");
    let page = fixture.server.guest().get(&link).expect(200).text();
    assert!(page.contains("ann@example.org"), "{page}");
    assert_eq!(fixture.sign_in(PASSWORD).0, 200, "the old password works until then");
    assert_eq!(fixture.set_password(&link, "short"), 400);
    assert_eq!(fixture.set_password(&link, NEW_PASSWORD), 303);
    assert_eq!(fixture.set_password(&link, "a third pass phrase"), 404, "used");
    assert_eq!((fixture.sign_in(PASSWORD).0, fixture.sign_in(NEW_PASSWORD).0), (401, 200));
    let browser = fixture.server.guest().with_header("cookie", &cookie);
    assert_eq!(browser.get("/api/v1/user").status, 401, "the old session has ended");
    assert_eq!(fixture.server.ann().get("/api/v1/user").status, 200, "API tokens stay");
    fixture.expect_notice();
    fixture.server.stop();
    assert!(!fixture.server.log().contains(link.rsplit('/').next().unwrap()));
}

#[test]
#[ignore = "needs aiosmtpd"]
fn link_expires_and_ends_with_a_change_of_the_password() {
    let mut fixture = ResetFixture::start();
    let mut new_link = || {
        fixture.request_link("ann@example.org");
        fixture.read_mail().1
    };
    let links = [new_link(), new_link(), new_link()];
    let status = |link: &str| fixture.server.guest().get(link).status;
    assert_eq!(links.each_ref().map(|link| status(link)), [200, 200, 200]);
    let body = json!({ "password": NEW_PASSWORD, "current_password": PASSWORD });
    fixture.server.ann().patch("/api/v1/user", body).expect(200);
    assert_eq!(status(&links[2]), 404, "the password was changed");
    fixture.expect_notice();
    fixture.request_link("ann@example.org");
    let link = fixture.read_mail().1;
    let lifetime = "update password_link set expires = expires - 3590000";
    fixture.execute_sql(lifetime);
    assert_eq!(fixture.server.guest().get(&link).status, 200);
    fixture.execute_sql("update password_link set expires = expires - 10001");
    assert_eq!(fixture.server.guest().get(&link).status, 404, "an hour has passed");
    assert_eq!(fixture.set_password(&link, "a third pass phrase"), 404);
}

#[test]
#[ignore = "needs aiosmtpd"]
fn accounts_that_must_not_use_a_link_get_no_mail() {
    let mut fixture = ResetFixture::start();
    let create = [
        "org",
        "create",
        "--name",
        "Acme",
        "--slug",
        "acme",
        "--plan",
        "enterprise",
        "--seats",
        "unlimited",
    ];
    fixture.server.run_json(&create);
    let manage = |name: &str| {
        format!(
            "insert into managed_user (user_id, org_id, created)
             select user.id, org.id, 1 from user, org where user.name = '{name}'"
        )
    };
    fixture.execute_sql(
        "insert into sso (org_id, entity_id, certificate, sign_in_url, allow_idp_initiated,
                          allow_relink, created, updated)
         select id, 'urn:idp', '', 'https://idp.example/', 1, 1, 0, 0 from org",
    );
    // Disabled; managed with single sign-on; managed operator.
    fixture.server.run_json(&["user", "disable", "cid"]);
    fixture.execute_sql(&manage("Ben"));
    fixture
        .execute_sql("update org set settings = json_set(settings, '$.enforce_sso', json('true'))");
    fixture.execute_sql("update user set password_hash = null where name = 'Ben'");
    for address in ["cid@example.org", "ben@example.org"] {
        fixture.request_link(address);
    }
    fixture.request_link("ann@example.org");
    assert_eq!(fixture.read_mail().0, "ann@example.org", "the others got none");
    fixture.execute_sql(
        "update org set settings = '{}'; update user set operator = 1 where name = 'Ben'",
    );
    fixture.request_link("ben@example.org");
    fixture.request_link("ann@example.org");
    assert_eq!(fixture.read_mail().0, "ann@example.org", "a managed operator got none");
    fixture.execute_sql("update user set operator = 0 where name = 'Ben'");
    fixture.request_link("ben@example.org");
    let (to, link) = fixture.read_mail();
    assert_eq!(to, "ben@example.org");
    assert_eq!(fixture.set_password(&link, NEW_PASSWORD), 303);
    let events = fixture.server.run_json(&["org", "audit", "acme"]);
    let text = events.to_string();
    assert!(text.contains("user.request_password_reset"), "{text}");
    assert!(text.contains("user.change_password"), "{text}");
}
