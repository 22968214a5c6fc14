//! Tests of mails about mentions with the real program and a real mail server.

use std::io::BufReader;
use std::process::ChildStdout;
use std::time::Duration;
use std::time::Instant;

use chartroom_platform::db::DATABASE_FILE_NAME;
use rusqlite::Connection;
use serde_json::Value;
use serde_json::json;

use super::comment_body;
use super::text_part;
use super::thread_body;
use crate::cli::external_servers;
use crate::client::Client;
use crate::idempotency::wait_until;
use crate::server_process::ServerProcess;

/// Creates a document of Ann that Ben may read. Returns its path and the fields that name it in a
/// body for `/share`.
fn create_shared_document(server: &ServerProcess) -> (String, Value) {
    let ann = server.ann();
    let created =
        ann.post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200).json();
    let path = format!("/api/v1/users/{}/documents/{}", ann.id, created["id"].as_str().unwrap());
    ann.patch(&path, json!({ "title": "Sales <2026>" })).expect(200);
    let document_fields = json!({ "owner": ann.id, "document": created["id"] });
    let ben = share_body(&document_fields, &server.ben());
    ann.post("/api/v1/share", ben).expect(200);
    (path, document_fields)
}

/// Returns a body for `/share` that names a user.
fn share_body(document_fields: &Value, client: &Client<'_>) -> Value {
    let mut body = document_fields.clone();
    body["user_id"] = client.id.as_str().into();
    body
}

/// Returns a mention of the user of a client.
fn mention_part(client: &Client<'_>) -> Value {
    json!({ "type": "user", "id": client.id.parse::<u64>().unwrap() })
}

/// Starts a server that sends mail to this port, whether or not a mail server listens there.
fn start_with_mail_port(port: &str, more_settings: &[(&str, &str)]) -> ServerProcess {
    let mut settings = vec![("smtp_host", "127.0.0.1"), ("smtp_port", port), ("smtp_tls", "none")];
    settings.extend(more_settings);
    ServerProcess::with_settings(&settings)
}

/// Starts a mail server and a server that uses it. Returns the mail server, its output, and the
/// server.
fn start_with_mail_server()
-> (external_servers::ExternalProcess, BufReader<ChildStdout>, ServerProcess) {
    let (mail_server, mail_output, port) = external_servers::start_mail_server(None);
    (mail_server, mail_output, start_with_mail_port(&port.to_string(), &[]))
}

/// Returns the output of `chartroom mail list`.
fn list_failed_mails(server: &ServerProcess) -> Vec<Value> {
    server.run_json(&["mail", "list"])["mails"].as_array().unwrap().clone()
}

/// Waits until no mail is in the queue. The mail server has a mail some milliseconds before the database
/// records that it was sent, and until then an edit that removes the mention drops it.
fn wait_until_mails_are_recorded(server: &ServerProcess) {
    let database = Connection::open(server.data_dir().join(DATABASE_FILE_NAME)).unwrap();
    let is_empty = "select count(*) = 0 from task where name = 'comments.mail'";
    wait_until("all mails are recorded", || {
        database.query_row(is_empty, [], |row| row.get(0)).unwrap()
    });
}

/// Waits up to 30 seconds until the given number of mails has failed, and returns them.
fn wait_for_failed_mails(server: &ServerProcess, count: usize) -> Vec<Value> {
    let started = Instant::now();
    loop {
        let failed = list_failed_mails(server);
        if failed.len() == count {
            return failed;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "{failed:?}\n{}", server.log());
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Panics unless a mail tells Ben about the mention with the given link.
fn assert_mention_mail(mail: &str, link: &str) {
    for part in [
        "To: ben@example.org",
        "Auto-Submitted: auto-generated",
        "Subject: Ann mentioned you in =?utf-8?",
        "Content-Type: multipart/alternative",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Type: text/html; charset=utf-8",
    ] {
        assert!(mail.contains(part), "no {part:?}: {mail}");
    }
    let decoded = mail.replace("=\n", "").replace("=3D", "=").replace("=E2=80=A6", "…");
    for part in [
        "Ann mentioned you in a comment on the chart \"Sales <2026>\":",
        "> @Ben, why is\n> <b>2019</b> red? @Ann @… @Ben",
        link,
        &format!("href=\"{link}\""),
        "on the chart <strong>Sales &#60;2026&#62;</strong>",
        "&#60;b&#62;2019&#60;/b&#62; red?",
        "Open the comment",
    ] {
        assert!(decoded.contains(part), "no {part:?}: {decoded}");
    }
}

#[test]
#[ignore = "needs aiosmtpd"]
fn mention_sends_one_mail_regardless_of_edits() {
    let (_mail_server, mut mail_output, server) = start_with_mail_server();
    let (path, document_fields) = create_shared_document(&server);
    let (ann, ben, cid) = (server.ann(), server.ben(), server.cid());
    let comments = format!("{path}/comments");
    // Neither the author nor a user without access gets a mail.
    let parts = [
        mention_part(&ben),
        text_part(", why is\r\n<b>2019</b> red? "),
        mention_part(&ann),
        text_part(" "),
        mention_part(&cid),
        text_part(" "),
        mention_part(&ben),
    ];
    let created = ann.post(&comments, thread_body(&parts)).expect(200).json();
    let mail = external_servers::read_next_mail(&mut mail_output).join("\n");
    let link = format!(
        "{}/d/{}/{}#comment-{}",
        server.base_url,
        ann.id,
        document_fields["document"].as_str().unwrap(),
        created["id"].as_str().unwrap()
    );
    assert_mention_mail(&mail, &link);
    wait_until_mails_are_recorded(&server);

    // Ben was notified before the edits removed and restored the mention. Cid has access now and
    // gets a mail.
    let comment_path = format!(
        "{comments}/{}/{}",
        created["id"].as_str().unwrap(),
        created["comments"][0]["id"].as_str().unwrap()
    );
    ann.post("/api/v1/share", share_body(&document_fields, &cid)).expect(200);
    ann.put(&comment_path, comment_body(&[text_part("Why red?")])).expect(200);
    ann.put(
        &comment_path,
        comment_body(&[mention_part(&ben), text_part(" and "), mention_part(&cid)]),
    )
    .expect(200);
    let mail = external_servers::read_next_mail(&mut mail_output).join("\n");
    assert!(mail.contains("To: cid@example.org"), "{mail}");
    // A mention in another comment sends another mail. No mail was sent in between.
    let thread_path = format!("{comments}/{}", created["id"].as_str().unwrap());
    cid.post(&thread_path, comment_body(&[mention_part(&ann), text_part(" It is not red")]))
        .expect(200);
    let mail = external_servers::read_next_mail(&mut mail_output).join("\n");
    assert!(mail.contains("To: ann@example.org") && mail.contains("Cid mentioned you"), "{mail}");
    assert_eq!(list_failed_mails(&server), Vec::<Value>::new());
}

#[test]
#[ignore = "needs aiosmtpd"]
fn queued_mail_is_dropped_if_access_or_mention_is_removed() {
    // No mail server responds at first, so the mails wait in the queue.
    let port = external_servers::free_port();
    let server = start_with_mail_port(&port.to_string(), &[]);
    let (path, document_fields) = create_shared_document(&server);
    let (ann, ben, cid) = (server.ann(), server.ben(), server.cid());
    let comments = format!("{path}/comments");
    ann.post("/api/v1/share", share_body(&document_fields, &cid)).expect(200);
    let start_thread = |parts: &[Value]| ann.post(&comments, thread_body(parts)).expect(200).json();
    let first_comment_path = |created: &Value| {
        let id_of = |value: &Value| value["id"].as_str().unwrap().to_owned();
        format!("{comments}/{}/{}", id_of(created), id_of(&created["comments"][0]))
    };
    let first = start_thread(&[mention_part(&ben), text_part(" first")]);
    let second = start_thread(&[mention_part(&cid), text_part(" second")]);
    let third = start_thread(&[mention_part(&cid), text_part(" third")]);
    let failed = wait_for_failed_mails(&server, 3);
    let recipients: Vec<&str> = failed.iter().map(|mail| mail["to"].as_str().unwrap()).collect();
    assert_eq!(recipients, ["ben@example.org", "cid@example.org", "cid@example.org"]);
    assert_eq!((&failed[0]["kind"], &failed[0]["given_up"]), (&json!("mention"), &json!(false)));
    assert!(failed[0]["error"].as_str().unwrap().contains("could not be reached"), "{}", failed[0]);
    // Ben loses access, and an edit removes the second mention.
    ann.send_with_body("DELETE", "/api/v1/share", share_body(&document_fields, &ben)).expect(204);
    ann.put(&first_comment_path(&second), comment_body(&[text_part("second")])).expect(200);
    assert_eq!(list_failed_mails(&server)[0]["to"], Value::Null);

    let (_mail_server, mut mail_output) = external_servers::start_mail_server_at(None, port);
    assert_eq!(server.run_json(&["mail", "retry"])["retried"], 3);
    let mail = external_servers::read_next_mail(&mut mail_output).join("\n");
    assert!(mail.contains("To: cid@example.org") && mail.contains("third"), "{mail}");
    wait_for_failed_mails(&server, 0);
    // A mention that was removed before its mail was sent causes a mail when it is restored.
    ann.put(&first_comment_path(&second), comment_body(&[mention_part(&cid), text_part(" again")]))
        .expect(200);
    let mail = external_servers::read_next_mail(&mut mail_output).join("\n");
    assert!(mail.contains("To: cid@example.org") && mail.contains("again"), "{mail}");
    ann.put(
        &first_comment_path(&first),
        comment_body(&[mention_part(&cid), text_part(" instead")]),
    )
    .expect(200);
    assert!(external_servers::read_next_mail(&mut mail_output).join("\n").contains("instead"));
    ann.put(&first_comment_path(&third), comment_body(&[mention_part(&cid), text_part(" edited")]))
        .expect(200);
    start_thread(&[mention_part(&cid), text_part(" last")]);
    assert!(
        external_servers::read_next_mail(&mut mail_output).join("\n").contains("last"),
        "the third mention was sent twice"
    );
}

#[test]
#[ignore = "needs aiosmtpd"]
fn failed_mail_is_reported_by_doctor_and_can_be_retried_or_discarded() {
    let (_mail_server, mut mail_output, server) = start_with_mail_server();
    let (path, _) = create_shared_document(&server);
    let (ann, ben) = (server.ann(), server.ben());
    let comments = format!("{path}/comments");
    server.run_json(&["user", "edit", "ben@example.org", "--email", "refused@example.org"]);
    ann.post(&comments, thread_body(&[mention_part(&ben), text_part(" one")])).expect(200);
    ann.post(&comments, thread_body(&[mention_part(&ben), text_part(" two")])).expect(200);
    let failed = wait_for_failed_mails(&server, 2);
    let reason = failed[0]["error"].as_str().unwrap();
    assert!(reason.contains("there is no such mailbox"), "{reason}");
    assert_eq!(
        (&failed[0]["attempts"], &failed[0]["to"]),
        (&json!(1), &json!("refused@example.org"))
    );
    assert_eq!(
        server.run_command(&["doctor"]).status.code(),
        Some(0),
        "a waiting mail is not a problem"
    );

    // Set the state to a failed last attempt, three hours after the first.
    let give_up = "update task set dead = 1, attempts = 8, created = created - 10800000
                 where name = 'comments.mail'";
    Connection::open(server.data_dir().join(DATABASE_FILE_NAME))
        .unwrap()
        .execute_batch(give_up)
        .unwrap();
    let doctor = server.run_command(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(4));
    let checks: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let check =
        checks["checks"].as_array().unwrap().iter().find(|check| check["name"] == "tasks.dead");
    let detail = check.unwrap()["detail"].as_str().unwrap();
    for part in ["comments.mail of ", ", 3 h old, given up after 8 attempts: ", "no such mailbox"] {
        assert!(detail.contains(part), "no {part:?}: {detail}");
    }
    let ids: Vec<Value> =
        list_failed_mails(&server).iter().map(|mail| mail["id"].clone()).collect();
    let [first, second] = [0, 1].map(|index| ids[index].as_str().unwrap());
    assert_eq!(server.run_json(&["mail", "discard", first])["discarded"], 1);
    let unknown = server.run_command(&["mail", "retry", first]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no failed mail has this id"));
    // Ben has another address now.
    server.run_json(&["user", "edit", "ben", "--email", "ben@example.org"]);
    assert_eq!(server.run_json(&["mail", "retry", second])["retried"], 1);
    let mail = external_servers::read_next_mail(&mut mail_output).join("\n");
    assert!(mail.contains("To: ben@example.org") && mail.contains(" two"), "{mail}");
    wait_for_failed_mails(&server, 0);
    assert_eq!(server.run_command(&["doctor"]).status.code(), Some(0));
}

#[test]
#[ignore = "needs aiosmtpd"]
fn disabled_user_gets_no_mail() {
    let port = external_servers::free_port();
    let server = start_with_mail_port(&port.to_string(), &[]);
    let (path, document_fields) = create_shared_document(&server);
    let (ann, ben, cid) = (server.ann(), server.ben(), server.cid());
    let comments = format!("{path}/comments");
    ann.post("/api/v1/share", share_body(&document_fields, &cid)).expect(200);
    ann.post(&comments, thread_body(&[mention_part(&ben)])).expect(200);
    ann.post(&comments, thread_body(&[mention_part(&cid)])).expect(200);
    wait_for_failed_mails(&server, 2);
    server.run_json(&["user", "disable", "ben@example.org"]);
    let again = ann.post(&comments, thread_body(&[mention_part(&ben)])).expect(200).json();
    assert_eq!(again["comments"][0]["content"], json!([text_part("@…")]));
    let (_mail_server, mut mail_output) = external_servers::start_mail_server_at(None, port);
    server.run_json(&["mail", "retry"]);
    assert!(
        external_servers::read_next_mail(&mut mail_output)
            .join("\n")
            .contains("To: cid@example.org")
    );
    wait_for_failed_mails(&server, 0);
}

#[test]
fn mention_mails_are_rate_limited() {
    // No server listens there, so the mails wait in the queue.
    let port = external_servers::free_port().to_string();
    let server = start_with_mail_port(&port, &[("mail_burst", "2"), ("mail_every", "60 min")]);
    let (path, document_fields) = create_shared_document(&server);
    let (ann, ben, cid) = (server.ann(), server.ben(), server.cid());
    let comments = format!("{path}/comments");
    ann.post("/api/v1/share", share_body(&document_fields, &cid)).expect(200);
    let both = thread_body(&[mention_part(&ben), mention_part(&cid)]);
    // The author and repeated mentions of a user do not count.
    ann.post(&comments, thread_body(&[mention_part(&ann), mention_part(&ben), mention_part(&ben)]))
        .expect(200);
    let refused = ann.post(&comments, both.clone());
    assert_eq!(refused.status, 429, "{}", refused.text());
    assert!((1..=3600).contains(&refused.header("retry-after").parse::<u32>().unwrap()));
    // The refused request changed nothing. Ann may still send the second mail, but then no
    // invitation.
    assert_eq!(ann.get(&comments).json()["threads"].as_array().unwrap().len(), 1);
    ann.post(&comments, thread_body(&[mention_part(&cid)])).expect(200);
    let mut invitation = document_fields.clone();
    invitation["email"] = "dora@example.org".into();
    assert_eq!(ann.post("/api/v1/share", invitation).status, 429);
    ann.post(&comments, thread_body(&[text_part("Without a mention")])).expect(200);
    // A request above the maximum burst gets an error that says so.
    server.run_json(&["user", "create", "--email", "dora@example.org", "--name", "Dora"]);
    let dora = server.run_json(&["user", "show", "dora@example.org"])["id"].clone();
    let mut dora_access = document_fields.clone();
    dora_access["user_id"] = dora.clone();
    ann.post("/api/v1/share", dora_access).expect(200);
    let dora = json!({ "type": "user", "id": dora });
    let three = thread_body(&[mention_part(&ann), mention_part(&cid), dora]);
    let added = ben.post(&comments, three);
    // Ben only has read access and knows only Ann, the owner.
    added.expect(200);
    let dora = server.run_json(&["user", "show", "dora@example.org"]);
    let dora_mention = json!({ "type": "user", "id": dora["id"] });
    let too_many =
        ann.post(&comments, thread_body(&[mention_part(&ben), mention_part(&cid), dora_mention]));
    assert_eq!(too_many.status, 400, "{}", too_many.text());
    assert!(too_many.text().contains("mail_burst"), "{}", too_many.text());
}
