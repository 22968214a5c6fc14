//! Tests of mails about mentions with the real program and a real mail server.

use std::io::BufReader;
use std::process::ChildStdout;
use std::time::Duration;
use std::time::Instant;

use chartroom_platform::db::DATABASE_FILE_NAME;
use rusqlite::Connection;
use serde_json::Value;
use serde_json::json;

use super::comment;
use super::said;
use super::thread;
use crate::cli::outside;
use crate::client::Client;
use crate::world::World;

/// Creates a document of Ann that Ben may read. Returns its path and the fields that name it in a
/// body for `/share`.
fn document(world: &World) -> (String, Value) {
    let ann = world.ann();
    let made = ann.post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200).json();
    let path = format!("/api/v1/users/{}/documents/{}", ann.id, made["id"].as_str().unwrap());
    ann.patch(&path, json!({ "title": "Sales <2026>" })).expect(200);
    let thing = json!({ "owner": ann.id, "document": made["id"] });
    let ben = with(&thing, &world.ben());
    ann.post("/api/v1/share", ben).expect(200);
    (path, thing)
}

/// Returns a body for `/share` that names a person.
fn with(thing: &Value, who: &Client<'_>) -> Value {
    let mut body = thing.clone();
    body["user_id"] = who.id.as_str().into();
    body
}

fn mention(who: &Client<'_>) -> Value {
    json!({ "type": "user", "id": who.id.parse::<u64>().unwrap() })
}

/// Starts a world that sends mail to this port, whether or not a server listens there.
fn with_port(port: &str, more: &[(&str, &str)]) -> World {
    let mut settings = vec![("smtp_host", "127.0.0.1"), ("smtp_port", port), ("smtp_tls", "none")];
    settings.extend(more);
    World::with(&settings)
}

/// Starts a world with a mail server, and returns the output of that server.
fn with_mail() -> (outside::Peer, BufReader<ChildStdout>, World) {
    let (peer, out, port) = outside::mail_server(None);
    (peer, out, with_port(&port.to_string(), &[]))
}

/// Returns the output of `chartroom mail list`.
fn failed(world: &World) -> Vec<Value> {
    world.json(&["mail", "list"])["mails"].as_array().unwrap().clone()
}

/// Waits until the given number of mails has failed.
fn until_failed(world: &World, count: usize) -> Vec<Value> {
    let began = Instant::now();
    loop {
        let all = failed(world);
        if all.len() == count {
            return all;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{all:?}\n{}", world.log());
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Checks the mail that tells Ben about a mention.
fn look_at(mail: &str, link: &str) {
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
    let plain = mail.replace("=\n", "").replace("=3D", "=").replace("=E2=80=A6", "…");
    for part in [
        "Ann mentioned you in a comment on the chart \"Sales <2026>\":",
        "> @Ben, why is\n> <b>2019</b> red? @Ann @… @Ben",
        link,
        &format!("href=\"{link}\""),
        "on the chart <strong>Sales &#60;2026&#62;</strong>",
        "&#60;b&#62;2019&#60;/b&#62; red?",
        "Open the comment",
    ] {
        assert!(plain.contains(part), "no {part:?}: {plain}");
    }
}

#[test]
#[ignore = "needs aiosmtpd"]
fn ben_is_mentioned_and_gets_one_mail_whatever_is_edited() {
    let (_server, mut out, world) = with_mail();
    let (path, thing) = document(&world);
    let (ann, ben, cid) = (world.ann(), world.ben(), world.cid());
    let comments = format!("{path}/comments");
    // Neither the author nor a user without access gets a mail.
    let parts = [
        mention(&ben),
        said(", why is\r\n<b>2019</b> red? "),
        mention(&ann),
        said(" "),
        mention(&cid),
        said(" "),
        mention(&ben),
    ];
    let begun = ann.post(&comments, thread(&parts)).expect(200).json();
    let mail = outside::next_mail(&mut out).join("\n");
    let link = format!(
        "{}/d/{}/{}#comment-{}",
        world.base,
        ann.id,
        thing["document"].as_str().unwrap(),
        begun["id"].as_str().unwrap()
    );
    look_at(&mail, &link);

    // Ben was notified before the edits removed and restored the mention. Cid has access now and
    // gets a mail.
    let suffix = format!(
        "{comments}/{}/{}",
        begun["id"].as_str().unwrap(),
        begun["comments"][0]["id"].as_str().unwrap()
    );
    ann.post("/api/v1/share", with(&thing, &cid)).expect(200);
    ann.put(&suffix, comment(&[said("Why red?")])).expect(200);
    ann.put(&suffix, comment(&[mention(&ben), said(" and "), mention(&cid)])).expect(200);
    let mail = outside::next_mail(&mut out).join("\n");
    assert!(mail.contains("To: cid@example.org"), "{mail}");
    // A mention in another comment sends another mail. No mail was sent in between.
    let answer = format!("{comments}/{}", begun["id"].as_str().unwrap());
    cid.post(&answer, comment(&[mention(&ann), said(" It is not red")])).expect(200);
    let mail = outside::next_mail(&mut out).join("\n");
    assert!(mail.contains("To: ann@example.org") && mail.contains("Cid mentioned you"), "{mail}");
    assert_eq!(failed(&world), Vec::<Value>::new());
}

#[test]
#[ignore = "needs aiosmtpd"]
fn who_lost_access_or_was_taken_out_before_the_mail_went_gets_none() {
    // No mail server responds at first, so the mails wait in the queue.
    let port = outside::free_port();
    let world = with_port(&port.to_string(), &[]);
    let (path, thing) = document(&world);
    let (ann, ben, cid) = (world.ann(), world.ben(), world.cid());
    let comments = format!("{path}/comments");
    ann.post("/api/v1/share", with(&thing, &cid)).expect(200);
    let begin = |parts: &[Value]| ann.post(&comments, thread(parts)).expect(200).json();
    let comment_of = |begun: &Value| {
        let text = |it: &Value| it["id"].as_str().unwrap().to_owned();
        format!("{comments}/{}/{}", text(begun), text(&begun["comments"][0]))
    };
    let first = begin(&[mention(&ben), said(" first")]);
    let second = begin(&[mention(&cid), said(" second")]);
    let third = begin(&[mention(&cid), said(" third")]);
    let all = until_failed(&world, 3);
    let to: Vec<&str> = all.iter().map(|it| it["to"].as_str().unwrap()).collect();
    assert_eq!(to, ["ben@example.org", "cid@example.org", "cid@example.org"]);
    assert_eq!((&all[0]["kind"], &all[0]["given_up"]), (&json!("mention"), &json!(false)));
    assert!(all[0]["error"].as_str().unwrap().contains("could not be reached"), "{}", all[0]);
    // Ben loses access, and an edit removes the second mention.
    ann.send_body("DELETE", "/api/v1/share", with(&thing, &ben)).expect(204);
    ann.put(&comment_of(&second), comment(&[said("second")])).expect(200);
    assert_eq!(failed(&world)[0]["to"], Value::Null);

    let (_server, mut out) = outside::mail_server_at(None, port);
    assert_eq!(world.json(&["mail", "retry"])["retried"], 3);
    let mail = outside::next_mail(&mut out).join("\n");
    assert!(mail.contains("To: cid@example.org") && mail.contains("third"), "{mail}");
    until_failed(&world, 0);
    // A mention that was removed before its mail was sent causes a mail when it is restored.
    ann.put(&comment_of(&second), comment(&[mention(&cid), said(" again")])).expect(200);
    let mail = outside::next_mail(&mut out).join("\n");
    assert!(mail.contains("To: cid@example.org") && mail.contains("again"), "{mail}");
    ann.put(&comment_of(&first), comment(&[mention(&cid), said(" instead")])).expect(200);
    assert!(outside::next_mail(&mut out).join("\n").contains("instead"));
    ann.put(&comment_of(&third), comment(&[mention(&cid), said(" edited")])).expect(200);
    begin(&[mention(&cid), said(" last")]);
    assert!(outside::next_mail(&mut out).join("\n").contains("last"), "the third was told twice");
}

#[test]
#[ignore = "needs aiosmtpd"]
fn a_mail_that_was_given_up_stands_in_doctor_and_is_tried_again_or_dropped() {
    let (_server, mut out, world) = with_mail();
    let (path, _) = document(&world);
    let (ann, ben) = (world.ann(), world.ben());
    let comments = format!("{path}/comments");
    world.json(&["user", "edit", "ben@example.org", "--email", "refused@example.org"]);
    ann.post(&comments, thread(&[mention(&ben), said(" one")])).expect(200);
    ann.post(&comments, thread(&[mention(&ben), said(" two")])).expect(200);
    let all = until_failed(&world, 2);
    let reason = all[0]["error"].as_str().unwrap();
    assert!(reason.contains("there is no such mailbox"), "{reason}");
    assert_eq!((&all[0]["attempts"], &all[0]["to"]), (&json!(1), &json!("refused@example.org")));
    assert_eq!(world.run(&["doctor"]).status.code(), Some(0), "a mail that waits is no harm");

    // Set the state to a failed last attempt, three hours after the first.
    let later = "update task set dead = 1, attempts = 8, created = created - 10800000
                 where name = 'comments.mail'";
    Connection::open(world.path().join(DATABASE_FILE_NAME)).unwrap().execute_batch(later).unwrap();
    let doctor = world.run(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(4));
    let checks: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let check = checks["checks"].as_array().unwrap().iter().find(|it| it["name"] == "tasks.dead");
    let detail = check.unwrap()["detail"].as_str().unwrap();
    for part in ["comments.mail of ", ", 3 h old, given up after 8 attempts: ", "no such mailbox"] {
        assert!(detail.contains(part), "no {part:?}: {detail}");
    }
    let ids: Vec<Value> = failed(&world).iter().map(|it| it["id"].clone()).collect();
    let [one, two] = [0, 1].map(|at| ids[at].as_str().unwrap());
    assert_eq!(world.json(&["mail", "discard", one])["discarded"], 1);
    let unknown = world.run(&["mail", "retry", one]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no failed mail has this id"));
    // Ben has another address now.
    world.json(&["user", "edit", "ben", "--email", "ben@example.org"]);
    assert_eq!(world.json(&["mail", "retry", two])["retried"], 1);
    let mail = outside::next_mail(&mut out).join("\n");
    assert!(mail.contains("To: ben@example.org") && mail.contains(" two"), "{mail}");
    until_failed(&world, 0);
    assert_eq!(world.run(&["doctor"]).status.code(), Some(0));
}

#[test]
#[ignore = "needs aiosmtpd"]
fn a_disabled_user_gets_no_mail() {
    let port = outside::free_port();
    let world = with_port(&port.to_string(), &[]);
    let (path, thing) = document(&world);
    let (ann, ben, cid) = (world.ann(), world.ben(), world.cid());
    let comments = format!("{path}/comments");
    ann.post("/api/v1/share", with(&thing, &cid)).expect(200);
    ann.post(&comments, thread(&[mention(&ben)])).expect(200);
    ann.post(&comments, thread(&[mention(&cid)])).expect(200);
    until_failed(&world, 2);
    world.json(&["user", "disable", "ben@example.org"]);
    let again = ann.post(&comments, thread(&[mention(&ben)])).expect(200).json();
    assert_eq!(again["comments"][0]["content"], json!([said("@…")]));
    let (_server, mut out) = outside::mail_server_at(None, port);
    world.json(&["mail", "retry"]);
    assert!(outside::next_mail(&mut out).join("\n").contains("To: cid@example.org"));
    until_failed(&world, 0);
}

#[test]
fn nobody_has_mails_of_mentions_sent_without_end() {
    // No server listens there, so the mails wait in the queue.
    let port = outside::free_port().to_string();
    let world = with_port(&port, &[("mail_burst", "2"), ("mail_every", "60 min")]);
    let (path, thing) = document(&world);
    let (ann, ben, cid) = (world.ann(), world.ben(), world.cid());
    let comments = format!("{path}/comments");
    ann.post("/api/v1/share", with(&thing, &cid)).expect(200);
    let both = thread(&[mention(&ben), mention(&cid)]);
    // The author and repeated mentions of a user do not count.
    ann.post(&comments, thread(&[mention(&ann), mention(&ben), mention(&ben)])).expect(200);
    let refused = ann.post(&comments, both.clone());
    assert_eq!(refused.status, 429, "{}", refused.text());
    assert!((1..=3600).contains(&refused.header("retry-after").parse::<u32>().unwrap()));
    // The refused request changed nothing. Ann may still send the second mail, but then no
    // invitation.
    assert_eq!(ann.get(&comments).json()["threads"].as_array().unwrap().len(), 1);
    ann.post(&comments, thread(&[mention(&cid)])).expect(200);
    let mut invitation = thing.clone();
    invitation["email"] = "dora@example.org".into();
    assert_eq!(ann.post("/api/v1/share", invitation).status, 429);
    ann.post(&comments, thread(&[said("Without a mention")])).expect(200);
    // A request above the maximum burst gets an error that says so.
    world.json(&["user", "create", "--email", "dora@example.org", "--name", "Dora"]);
    let dora = world.json(&["user", "show", "dora@example.org"])["id"].clone();
    let mut dora_reads = thing.clone();
    dora_reads["user_id"] = dora.clone();
    ann.post("/api/v1/share", dora_reads).expect(200);
    let dora = json!({ "type": "user", "id": dora });
    let three = thread(&[mention(&ann), mention(&cid), dora]);
    let told = ben.post(&comments, three);
    // Ben only has read access and knows only Ann, the owner.
    told.expect(200);
    let everybody =
        json!({ "type": "user", "id": world.json(&["user", "show", "dora@example.org"])["id"] });
    let too_many = ann.post(&comments, thread(&[mention(&ben), mention(&cid), everybody]));
    assert_eq!(too_many.status, 400, "{}", too_many.text());
    assert!(too_many.text().contains("mail_burst"), "{}", too_many.text());
}
