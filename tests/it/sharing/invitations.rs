//! Tests of invitations by mail: the real program, with and without a mail server.

use std::io::BufReader;
use std::process::ChildStdout;
use std::time::Duration;
use std::time::Instant;

use chartroom_platform::db::DATABASE_FILE_NAME;
use rusqlite::Connection;
use serde_json::Value;
use serde_json::json;

use crate::cli::external_servers;
use crate::client::Client;
use crate::idempotency::wait_until;
use crate::server_process::ServerProcess;
use crate::server_process::TestUser;

/// Creates a document of Ann. Returns the fields that name it in a body for `/share`, and its path.
fn create_document(server: &ServerProcess) -> (Value, String) {
    let ann = server.ann();
    let body = json!({ "widget": "bar", "title": "Sales" });
    let created = ann.post("/api/v1/create-document", body).expect(200).json();
    let path =
        created["endpoint"].as_str().unwrap().strip_prefix(&server.base_url).unwrap().to_owned();
    ann.patch(&path, json!({ "title": "Sales" })).expect(200);
    (json!({ "owner": ann.id, "document": created["id"] }), path)
}

/// Invites an address to a document as Ann and returns the access entry.
fn invite(server: &ServerProcess, document_fields: &Value, email: &str) -> Value {
    let mut body = document_fields.clone();
    body["email"] = email.into();
    server.ann().post("/api/v1/share", body).expect(200).json()
}

/// Returns the path of a link of this server.
fn local_path(server: &ServerProcess, link: &str) -> String {
    link.strip_prefix(&server.base_url).unwrap().to_owned()
}

/// Creates a user by the command line while the server runs.
fn create_user(server: &ServerProcess, name: &str) -> TestUser {
    let email = format!("{}@example.org", name.to_lowercase());
    let user = server.run_json(&["user", "create", "--email", &email, "--name", name]);
    let token = server.run_json(&["user", "token", &email, "--name", "test"]);
    let to_string = |value: &Value| value.as_str().unwrap().to_owned();
    TestUser { id: to_string(&user["id"]), token: to_string(&token["token"]) }
}

/// Waits up to 30 seconds until a client may read a document.
fn wait_until_readable(client: &Client<'_>, path: &str) {
    let started = Instant::now();
    while client.get(path).status != 200 {
        assert!(started.elapsed() < Duration::from_secs(30), "{path} stayed unreadable");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn invitation_without_a_mail_server_returns_a_link() {
    let mut server = ServerProcess::new();
    let (document_fields, doc) = create_document(&server);
    let ace = invite(&server, &document_fields, "Somebody@Example.org");
    assert_eq!(
        (&ace["type"], &ace["email"], &ace["pending"]),
        (&json!("email"), &json!("Somebody@Example.org"), &json!(true))
    );
    let link = local_path(&server, ace["link"].as_str().unwrap());
    let started = Instant::now();
    while !server.log().contains("smtp_host is not set") {
        assert!(started.elapsed() < Duration::from_secs(30), "{}", server.log());
        std::thread::sleep(Duration::from_millis(50));
    }
    // A second invitation of the address changes the existing entry.
    assert_eq!(invite(&server, &document_fields, "somebody@example.org")["id"], ace["id"]);

    // The link alone opens nothing.
    let token = link.rsplit('/').next().unwrap();
    assert_eq!(server.guest().get(&format!("{doc}?share={token}")).status, 404);
    let page = server.guest().get(&link).expect(200).text();
    assert!(page.contains("Ann shared this chart with you"), "{page}");
    let sign_in = format!(
        "/sign-in?next={}",
        link.replace('/', "%2F").replace('-', "%2D").replace('_', "%5F")
    );
    assert!(page.contains(&sign_in), "{page}");
    assert_eq!(server.guest().send("POST", &link, Some("")).status, 404);
    // The link creates no account, because it was not sent to the invited address.
    assert!(page.contains("ask an operator of this server"), "{page}");
    let registration = "name=Somebody&password=a%20long%20password";
    assert_eq!(form_client(&server).send("POST", &link, Some(registration)).status, 404);

    // The first signed-in user who opens the link accepts the invitation.
    let page = server.ben().get(&link).expect(200).text();
    assert!(page.contains("Accept as Ben"), "{page}");
    assert_eq!(server.ben().get(&doc).status, 404);
    let accepted = server.ben().send("POST", &link, Some("")).expect(303);
    assert!(accepted.header("location").starts_with("/d/"), "{}", accepted.header("location"));
    assert_eq!(server.ben().get(accepted.header("location")).status, 200);
    assert_eq!(server.ben().get(&doc).expect(200).json()["mode"], "r");
    let acl = server.ann().get(&doc).json()["acl"].clone();
    assert_eq!(
        (&acl[0]["type"], &acl[0]["user_id"], &acl[0]["pending"], &acl[0]["link"]),
        (&json!("user"), &json!(server.ben().id), &json!(false), &Value::Null)
    );
    assert_eq!(server.ben().get(&link).status, 303);
    let page = server.cid().get(&link).expect(200).text();
    assert!(page.contains("for another account"), "{page}");
    assert_eq!(server.cid().send("POST", &link, Some("")).status, 404);
    assert_eq!(server.cid().get(&doc).status, 404);
    // The log is complete when the server has stopped.
    server.stop();
    assert!(server.log().contains("smtp_host is not set"), "{}", server.log());
    assert!(!server.log().contains(token), "{}", server.log());
}

#[test]
fn invitation_of_a_known_address_is_a_user_entry() {
    let server = ServerProcess::new();
    let (document_fields, doc) = create_document(&server);
    let ace = invite(&server, &document_fields, "CID@example.org");
    assert_eq!((&ace["type"], &ace["user_id"]), (&json!("user"), &json!(server.cid().id)));
    assert_eq!(server.cid().get(&doc).status, 200);
    // A link that Ann passes on leads to the chart and grants access to nobody else.
    let link = local_path(&server, ace["link"].as_str().unwrap());
    assert_eq!(server.cid().get(&link).status, 200);
    assert_eq!(server.guest().get(&link).status, 401);
    let mut recipient = document_fields.clone();
    recipient["email"] = "cid@example.org".into();
    server.ann().send_with_body("DELETE", "/api/v1/share", recipient).expect(204);
    assert_eq!(server.cid().get(&doc).status, 404);
}

#[test]
fn pending_invitation_becomes_a_user_entry_when_the_account_is_created() {
    let server = ServerProcess::new();
    let (document_fields, doc) = create_document(&server);
    let ace = invite(&server, &document_fields, "dora@example.org");
    let dora = create_user(&server, "Dora");
    wait_until_readable(&Client::for_user(&server, &dora), &doc);
    let acl = server.ann().get(&doc).json()["acl"].clone();
    assert_eq!(
        (&acl[0]["id"], &acl[0]["type"], &acl[0]["user_id"]),
        (&ace["id"], &json!("user"), &json!(dora.id))
    );
    let shared_documents =
        Client::for_user(&server, &dora).get("/api/v1/users/me/foreign-documents");
    assert_eq!(shared_documents.expect(200).json()["count"], 1);
    // A user who changes the address receives the pending invitations of the new one.
    let (document_fields, doc) = create_document(&server);
    invite(&server, &document_fields, "eve@example.org");
    server.run_json(&["user", "edit", "dora@example.org", "--email", "eve@example.org"]);
    wait_until_readable(&Client::for_user(&server, &dora), &doc);
}

#[test]
fn invitation_can_be_rotated_and_revoked() {
    let server = ServerProcess::new();
    let (document_fields, _) = create_document(&server);
    let ace = invite(&server, &document_fields, "somebody@example.org");
    let first_link = local_path(&server, ace["link"].as_str().unwrap());
    let mut renew = document_fields.clone();
    renew["email"] = "somebody@example.org".into();
    renew["rotate"] = true.into();
    let renewed = server.ann().patch("/api/v1/share", renew.clone()).expect(200).json();
    let second_link = local_path(&server, renewed["link"].as_str().unwrap());
    assert_eq!(server.ben().get(&first_link).status, 404);
    assert_eq!(server.ben().get(&second_link).status, 200);
    server.ann().send_with_body("DELETE", "/api/v1/share", renew).expect(204);
    assert_eq!(server.ben().get(&second_link).status, 404);
}

#[test]
fn invitation_mails_are_rate_limited() {
    // No server listens there, so the mails wait in the queue.
    let port = external_servers::free_port().to_string();
    let server = ServerProcess::with_settings(&[
        ("smtp_host", "127.0.0.1"),
        ("smtp_port", &port),
        ("smtp_tls", "none"),
        ("mail_burst", "2"),
        ("mail_every", "60 min"),
    ]);
    let (document_fields, path) = create_document(&server);
    let share_body = |email: &str| {
        let mut body = document_fields.clone();
        body["email"] = email.into();
        body
    };
    invite(&server, &document_fields, "first@example.org");
    // A withdrawn and repeated invitation sends another mail. A changed invitation sends none.
    server
        .ann()
        .send_with_body("DELETE", "/api/v1/share", share_body("first@example.org"))
        .expect(204);
    invite(&server, &document_fields, "first@example.org");
    invite(&server, &document_fields, "first@example.org");
    let refused = server.ann().post("/api/v1/share", share_body("second@example.org"));
    assert_eq!(refused.status, 429, "{}", refused.text());
    assert!((1..=3600).contains(&refused.header("retry-after").parse::<u32>().unwrap()));
    let mut again = share_body("first@example.org");
    again["rotate"] = true.into();
    assert_eq!(server.ann().patch("/api/v1/share", again).status, 429);
    // The refused request changed nothing. Requests without a mail still succeed.
    let acl = server.ann().get(&path).json()["acl"].clone();
    assert_eq!(acl.as_array().unwrap().len(), 1, "{acl}");
    let mut by_id = document_fields.clone();
    by_id["user_id"] = server.ben().id.as_str().into();
    server.ann().post("/api/v1/share", by_id).expect(200);
}

/// Starts a mail server and a server that uses it. Returns the mail server, its output, and the
/// server.
fn start_with_mail_server()
-> (external_servers::ExternalProcess, BufReader<ChildStdout>, ServerProcess) {
    let (mail_server, mail_output, port) = external_servers::start_mail_server(None);
    let server = ServerProcess::with_settings(&[
        ("smtp_host", "127.0.0.1"),
        ("smtp_port", &port.to_string()),
        ("smtp_tls", "none"),
        ("smtp_from", "Charts <charts@example.org>"),
    ]);
    (mail_server, mail_output, server)
}

/// Returns a client without credentials that sends forms.
fn form_client(server: &ServerProcess) -> Client<'_> {
    server.guest().with_header("content-type", "application/x-www-form-urlencoded")
}

/// Returns the path of the link in the lines of a mail. Panics if there is none.
fn find_link(server: &ServerProcess, mail: &[String]) -> String {
    let start = format!("{}/s/", server.base_url);
    let line = mail.iter().find(|line| line.starts_with(&start));
    local_path(server, line.unwrap_or_else(|| panic!("no link: {mail:#?}")))
}

#[test]
#[ignore = "needs aiosmtpd"]
fn link_in_an_invitation_mail_signs_in_once() {
    let (_mail_server, mut mail_output, mut server) = start_with_mail_server();
    let (document_fields, doc) = create_document(&server);
    let ace = invite(&server, &document_fields, "dora@example.org");
    assert_eq!((&ace["pending"], &ace["link"]), (&json!(true), &Value::Null));
    let mail = external_servers::read_next_mail(&mut mail_output);
    let text = mail.join("\n");
    for part in [
        "From: Charts <charts@example.org>",
        "To: dora@example.org",
        "Content-Type: multipart/alternative",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Type: text/html; charset=utf-8",
        "Ann shared the chart \"Sales\" with you.",
        "You may read it:",
        "<strong>Sales</strong>",
    ] {
        assert!(text.contains(part), "no {part:?}: {text}");
    }
    let link = find_link(&server, &mail);
    // The recipient has no account yet.
    let page = server.guest().get(&link).expect(200).text();
    assert!(page.contains("Create account and open it"), "{page}");
    let dora = create_user(&server, "Dora");
    wait_until_readable(&Client::for_user(&server, &dora), &doc);
    let page = server.guest().get(&link).expect(200).text();
    assert!(page.contains("Continue as Dora"), "{page}");
    // The server refuses a form from another site.
    let form = form_client(&server);
    let cross_origin = form.with_header("origin", "https://elsewhere.example");
    assert_eq!(cross_origin.send("POST", &link, Some("")).status, 403);
    let signed_in = form.send("POST", &link, Some("")).expect(303);
    let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
    let browser = server.guest().with_header("cookie", &cookie);
    assert_eq!(browser.get(signed_in.header("location")).status, 200);
    assert_eq!(browser.get("/api/v1/user").expect(200).json()["id"], dora.id);
    assert_eq!(form.send("POST", &link, Some("")).status, 404);
    assert_eq!(browser.get(&link).status, 303);
    server.stop();
    assert!(!server.log().contains(link.rsplit('/').next().unwrap()), "{}", server.log());
}

#[test]
#[ignore = "needs aiosmtpd"]
fn link_in_an_invitation_mail_does_not_replace_a_second_factor() {
    let (_mail_server, mut mail_output, server) = start_with_mail_server();
    let (document_fields, doc) = create_document(&server);
    invite(&server, &document_fields, "dora@example.org");
    let link = find_link(&server, &external_servers::read_next_mail(&mut mail_output));
    let dora = create_user(&server, "Dora");
    wait_until_readable(&Client::for_user(&server, &dora), &doc);
    let offers_sign_in = || server.guest().get(&link).text().contains("Continue as Dora");
    assert!(offers_sign_in());
    let database = Connection::open(server.data_dir().join(DATABASE_FILE_NAME)).unwrap();
    let sql = "insert into second_factor (user_id, secret, confirmed, last_step, created)
               values (?1, x'00', 1, 0, 1)";
    database.execute(sql, [&dora.id]).unwrap();
    wait_until("the server sees the second factor", || !offers_sign_in());
    let refused = form_client(&server).send("POST", &link, Some(""));
    assert_eq!((refused.status, refused.header("set-cookie")), (404, ""), "{refused}");
}

#[test]
#[ignore = "needs aiosmtpd"]
fn link_in_an_invitation_mail_creates_an_account_once() {
    let (_mail_server, mut mail_output, server) = start_with_mail_server();
    let (document_fields, doc) = create_document(&server);
    invite(&server, &document_fields, "Dora@Example.org");
    let link = find_link(&server, &external_servers::read_next_mail(&mut mail_output));
    let form = form_client(&server);
    let valid = "name=Dora+Dew&password=a+long+password";
    let cross_origin = form.with_header("origin", "https://elsewhere.example");
    assert_eq!(cross_origin.send("POST", &link, Some(valid)).status, 403);
    for (fields, message) in [
        ("name=&password=a+long+password", "Name must"),
        ("name=Dora+Dew&password=short", "Password must"),
    ] {
        let page = form.send("POST", &link, Some(fields)).expect(400).text();
        assert!(page.contains(message) && page.contains("Dora@Example.org"), "{page}");
    }
    let signed_in = form.send("POST", &link, Some(valid)).expect(303);
    let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
    let browser = server.guest().with_header("cookie", &cookie);
    let user = browser.get("/api/v1/user").expect(200).json();
    assert_eq!((&user["name"], &user["email"]), (&json!("Dora Dew"), &json!("Dora@Example.org")));
    assert_eq!(browser.get(signed_in.header("location")).status, 200);
    assert_eq!(browser.get(&doc).expect(200).json()["mode"], "r");
    // The link works once, and creates no second account.
    assert_eq!(form.send("POST", &link, Some(valid)).status, 404);
    let page = server.guest().get(&link).expect(200).text();
    assert!(page.contains("Sign in to open it"), "{page}");
}

#[test]
#[ignore = "needs aiosmtpd"]
fn invitation_creates_no_account_at_a_domain_with_managed_accounts_only() {
    let (_mail_server, mut mail_output, server) = start_with_mail_server();
    let (document_fields, _) = create_document(&server);
    let plan = ["--plan", "enterprise", "--seats", "9"];
    server.run_json(&[&["org", "create", "--name", "Acme", "--slug", "acme"][..], &plan].concat());
    let database = rusqlite::Connection::open(server.data_dir().join("chartroom.db")).unwrap();
    let add_domain = "insert into domain (org_id, name, status, record_value, created)
                      select id, 'acme.example', 'verified', 'x', 0 from org";
    database.execute(add_domain, []).unwrap();
    let set_managed_only = |is_on: bool| {
        let settings = json!({ "disable_unmanaged_accounts": is_on }).to_string();
        database.execute("update org set settings = ?1", [settings]).unwrap();
    };
    set_managed_only(true);
    invite(&server, &document_fields, "dora@acme.example");
    let link = find_link(&server, &external_servers::read_next_mail(&mut mail_output));
    let registration = "name=Dora&password=a+long+password";
    assert_eq!(form_client(&server).send("POST", &link, Some(registration)).status, 404);
    set_managed_only(false);
    assert_eq!(form_client(&server).send("POST", &link, Some(registration)).status, 303);
}

#[test]
#[ignore = "needs aiosmtpd"]
fn operator_can_turn_registration_by_invitation_off() {
    let (_mail_server, mut mail_output, port) = external_servers::start_mail_server(None);
    let server = ServerProcess::with_settings(&[
        ("smtp_host", "127.0.0.1"),
        ("smtp_port", &port.to_string()),
        ("smtp_tls", "none"),
        ("register_by_invitation", "false"),
    ]);
    let (document_fields, _) = create_document(&server);
    invite(&server, &document_fields, "dora@example.org");
    let link = find_link(&server, &external_servers::read_next_mail(&mut mail_output));
    let page = server.guest().get(&link).expect(200).text();
    assert!(page.contains("ask an operator of this server"), "{page}");
    let registration = "name=Dora&password=a+long+password";
    assert_eq!(form_client(&server).send("POST", &link, Some(registration)).status, 404);
}

#[test]
#[ignore = "needs aiosmtpd"]
fn link_in_a_mail_does_not_sign_in_an_operator() {
    let (_mail_server, mut mail_output, server) = start_with_mail_server();
    let (document_fields, _) = create_document(&server);
    invite(&server, &document_fields, "ben@example.org");
    let mail = external_servers::read_next_mail(&mut mail_output);
    assert!(mail.join("\n").contains("This link signs you in once"), "{mail:#?}");
    let link = find_link(&server, &mail);
    server.run_json(&["user", "edit", "ben@example.org", "--operator", "true"]);
    let page = server.guest().get(&link).expect(200).text();
    assert!(page.contains("Sign in to open it"), "{page}");
    assert_eq!(form_client(&server).send("POST", &link, Some("")).status, 404);
    assert_eq!(server.ben().get(&link).status, 303);
}

#[test]
#[ignore = "needs aiosmtpd"]
fn mail_of_a_revoked_invitation_is_not_sent() {
    // No mail server responds at first, so the mail waits in the queue.
    let port = external_servers::free_port().to_string();
    let server = ServerProcess::with_settings(&[
        ("smtp_host", "127.0.0.1"),
        ("smtp_port", &port),
        ("smtp_tls", "none"),
    ]);
    let (document_fields, _) = create_document(&server);
    invite(&server, &document_fields, "first@example.org");
    invite(&server, &document_fields, "second@example.org");
    let mut recipient = document_fields.clone();
    recipient["email"] = "first@example.org".into();
    server.ann().send_with_body("DELETE", "/api/v1/share", recipient).expect(204);
    let (_mail_server, mut mail_output) =
        external_servers::start_mail_server_at(None, port.parse().unwrap());
    let mail = external_servers::read_next_mail(&mut mail_output).join("\n");
    assert!(mail.contains("To: second@example.org"), "{mail}");
}
