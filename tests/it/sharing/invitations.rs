//! Tests of invitations by mail: the real program, with and without a mail server.

use std::io::BufReader;
use std::process::ChildStdout;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use crate::cli::outside;
use crate::client::Client;
use crate::world::Person;
use crate::world::World;

/// Creates a document of Ann. Returns the fields that name it in a body for `/share`, and its path.
fn document(world: &World) -> (Value, String) {
    let ann = world.ann();
    let body = json!({ "widget": "bar", "title": "Sales" });
    let made = ann.post("/api/v1/create-document", body).expect(200).json();
    let path = made["endpoint"].as_str().unwrap().strip_prefix(&world.base).unwrap().to_owned();
    ann.patch(&path, json!({ "title": "Sales" })).expect(200);
    (json!({ "owner": ann.id, "document": made["id"] }), path)
}

fn invite(world: &World, thing: &Value, email: &str) -> Value {
    let mut body = thing.clone();
    body["email"] = email.into();
    world.ann().post("/api/v1/share", body).expect(200).json()
}

/// Returns the path of a link of this server.
fn path(world: &World, link: &str) -> String {
    link.strip_prefix(&world.base).unwrap().to_owned()
}

/// Creates a user by the command line while the server runs.
fn arrive(world: &World, name: &str) -> Person {
    let email = format!("{}@example.org", name.to_lowercase());
    let user = world.json(&["user", "create", "--email", &email, "--name", name]);
    let token = world.json(&["user", "token", &email, "--name", "test"]);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    Person { id: text(&user["id"]), token: text(&token["token"]) }
}

/// Waits until a person may read a document.
fn reads_soon(who: &Client<'_>, path: &str) {
    let began = Instant::now();
    while who.get(path).status != 200 {
        assert!(began.elapsed() < Duration::from_secs(30), "{path} never opened");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn without_a_mail_server_ann_passes_the_link_on() {
    let mut world = World::new();
    let (thing, doc) = document(&world);
    let ace = invite(&world, &thing, "Somebody@Example.org");
    assert_eq!(
        (&ace["type"], &ace["email"], &ace["pending"]),
        (&json!("email"), &json!("Somebody@Example.org"), &json!(true))
    );
    let link = path(&world, ace["link"].as_str().unwrap());
    let began = Instant::now();
    while !world.log().contains("smtp_host is not set") {
        assert!(began.elapsed() < Duration::from_secs(30), "{}", world.log());
        std::thread::sleep(Duration::from_millis(50));
    }
    // A second invitation of the address changes the existing entry.
    assert_eq!(invite(&world, &thing, "somebody@example.org")["id"], ace["id"]);

    // The link alone opens nothing.
    let token = link.rsplit('/').next().unwrap();
    assert_eq!(world.nobody().get(&format!("{doc}?share={token}")).status, 404);
    let page = world.nobody().get(&link).expect(200).text();
    assert!(page.contains("Ann shared this chart with you"), "{page}");
    let sign_in = format!(
        "/sign-in?next={}",
        link.replace('/', "%2F").replace('-', "%2D").replace('_', "%5F")
    );
    assert!(page.contains(&sign_in), "{page}");
    assert_eq!(world.nobody().send("POST", &link, Some("")).status, 404);

    // The first signed-in user who opens the link accepts the invitation.
    let page = world.ben().get(&link).expect(200).text();
    assert!(page.contains("Accept as Ben"), "{page}");
    assert_eq!(world.ben().get(&doc).status, 404);
    let accepted = world.ben().send("POST", &link, Some("")).expect(303);
    assert!(accepted.header("location").starts_with("/d/"), "{}", accepted.header("location"));
    assert_eq!(world.ben().get(accepted.header("location")).status, 200);
    assert_eq!(world.ben().get(&doc).expect(200).json()["mode"], "r");
    let acl = world.ann().get(&doc).json()["acl"].clone();
    assert_eq!(
        (&acl[0]["type"], &acl[0]["user_id"], &acl[0]["pending"], &acl[0]["link"]),
        (&json!("user"), &json!(world.ben().id), &json!(false), &Value::Null)
    );
    assert_eq!(world.ben().get(&link).status, 303);
    let page = world.cid().get(&link).expect(200).text();
    assert!(page.contains("for another account"), "{page}");
    assert_eq!(world.cid().send("POST", &link, Some("")).status, 404);
    assert_eq!(world.cid().get(&doc).status, 404);
    // The log is complete when the server has stopped.
    world.stop();
    assert!(world.log().contains("smtp_host is not set"), "{}", world.log());
    assert!(!world.log().contains(token), "{}", world.log());
}

#[test]
fn an_address_of_a_user_is_that_user() {
    let world = World::new();
    let (thing, doc) = document(&world);
    let ace = invite(&world, &thing, "CID@example.org");
    assert_eq!((&ace["type"], &ace["user_id"]), (&json!("user"), &json!(world.cid().id)));
    assert_eq!(world.cid().get(&doc).status, 200);
    // A link that Ann passes on leads to the chart and grants access to nobody else.
    let link = path(&world, ace["link"].as_str().unwrap());
    assert_eq!(world.cid().get(&link).status, 200);
    assert_eq!(world.nobody().get(&link).status, 401);
    let mut recipient = thing.clone();
    recipient["email"] = "cid@example.org".into();
    world.ann().send_body("DELETE", "/api/v1/share", recipient).expect(204);
    assert_eq!(world.cid().get(&doc).status, 404);
}

#[test]
fn what_waits_for_an_address_is_its_owners_when_he_arrives() {
    let world = World::new();
    let (thing, doc) = document(&world);
    let ace = invite(&world, &thing, "dora@example.org");
    let dora = arrive(&world, "Dora");
    reads_soon(&Client::of(&world, &dora), &doc);
    let acl = world.ann().get(&doc).json()["acl"].clone();
    assert_eq!(
        (&acl[0]["id"], &acl[0]["type"], &acl[0]["user_id"]),
        (&ace["id"], &json!("user"), &json!(dora.id))
    );
    let foreign = Client::of(&world, &dora).get("/api/v1/users/me/foreign-documents");
    assert_eq!(foreign.expect(200).json()["count"], 1);
    // A user who changes the address receives the pending invitations of the new one.
    let (thing, doc) = document(&world);
    invite(&world, &thing, "eve@example.org");
    world.json(&["user", "edit", "dora@example.org", "--email", "eve@example.org"]);
    reads_soon(&Client::of(&world, &dora), &doc);
}

#[test]
fn an_invitation_is_revoked_and_renewed() {
    let world = World::new();
    let (thing, _) = document(&world);
    let ace = invite(&world, &thing, "somebody@example.org");
    let first = path(&world, ace["link"].as_str().unwrap());
    let mut renew = thing.clone();
    renew["email"] = "somebody@example.org".into();
    renew["rotate"] = true.into();
    let renewed = world.ann().patch("/api/v1/share", renew.clone()).expect(200).json();
    let second = path(&world, renewed["link"].as_str().unwrap());
    assert_eq!(world.ben().get(&first).status, 404);
    assert_eq!(world.ben().get(&second).status, 200);
    world.ann().send_body("DELETE", "/api/v1/share", renew).expect(204);
    assert_eq!(world.ben().get(&second).status, 404);
}

#[test]
fn nobody_has_mails_sent_without_end() {
    // No server listens there, so the mails wait in the queue.
    let port = outside::free_port().to_string();
    let world = World::with(&[
        ("smtp_host", "127.0.0.1"),
        ("smtp_port", &port),
        ("smtp_tls", "none"),
        ("mail_burst", "2"),
        ("mail_every", "60 min"),
    ]);
    let (thing, path) = document(&world);
    let with = |who: &str| {
        let mut body = thing.clone();
        body["email"] = who.into();
        body
    };
    invite(&world, &thing, "first@example.org");
    // A withdrawn and repeated invitation sends another mail. A changed invitation sends none.
    world.ann().send_body("DELETE", "/api/v1/share", with("first@example.org")).expect(204);
    invite(&world, &thing, "first@example.org");
    invite(&world, &thing, "first@example.org");
    let refused = world.ann().post("/api/v1/share", with("second@example.org"));
    assert_eq!(refused.status, 429, "{}", refused.text());
    assert!((1..=3600).contains(&refused.header("retry-after").parse::<u32>().unwrap()));
    let mut again = with("first@example.org");
    again["rotate"] = true.into();
    assert_eq!(world.ann().patch("/api/v1/share", again).status, 429);
    // The refused request changed nothing. Requests without a mail still succeed.
    let acl = world.ann().get(&path).json()["acl"].clone();
    assert_eq!(acl.as_array().unwrap().len(), 1, "{acl}");
    let mut by_id = thing.clone();
    by_id["user_id"] = world.ben().id.as_str().into();
    world.ann().post("/api/v1/share", by_id).expect(200);
}

/// Starts a world with a mail server and returns the output of that server.
fn with_mail() -> (outside::Peer, BufReader<ChildStdout>, World) {
    let (peer, out, port) = outside::mail_server(None);
    let world = World::with(&[
        ("smtp_host", "127.0.0.1"),
        ("smtp_port", &port.to_string()),
        ("smtp_tls", "none"),
        ("smtp_from", "Charts <charts@example.org>"),
    ]);
    (peer, out, world)
}

/// Sends a form as a guest.
fn form(world: &World) -> Client<'_> {
    world.nobody().with("content-type", "application/x-www-form-urlencoded")
}

/// Returns the path of the link in a mail.
fn link_in(world: &World, mail: &[String]) -> String {
    let start = format!("{}/s/", world.base);
    let line = mail.iter().find(|it| it.starts_with(&start));
    path(world, line.unwrap_or_else(|| panic!("no link: {mail:#?}")))
}

#[test]
#[ignore = "needs aiosmtpd"]
fn a_mail_tells_dora_and_its_link_signs_her_in_once() {
    let (_server, mut out, mut world) = with_mail();
    let (thing, doc) = document(&world);
    let ace = invite(&world, &thing, "dora@example.org");
    assert_eq!((&ace["pending"], &ace["link"]), (&json!(true), &Value::Null));
    let mail = outside::next_mail(&mut out);
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
    let link = link_in(&world, &mail);
    // The recipient has no account yet.
    let page = world.nobody().get(&link).expect(200).text();
    assert!(page.contains("Sign in to open it"), "{page}");
    let dora = arrive(&world, "Dora");
    reads_soon(&Client::of(&world, &dora), &doc);
    let page = world.nobody().get(&link).expect(200).text();
    assert!(page.contains("Continue as Dora"), "{page}");
    // The server refuses a form from another site.
    let form = form(&world);
    let elsewhere = form.with("origin", "https://elsewhere.example");
    assert_eq!(elsewhere.send("POST", &link, Some("")).status, 403);
    let signed_in = form.send("POST", &link, Some("")).expect(303);
    let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
    let browser = world.nobody().with("cookie", &cookie);
    assert_eq!(browser.get(signed_in.header("location")).status, 200);
    assert_eq!(browser.get("/api/v1/user").expect(200).json()["id"], dora.id);
    assert_eq!(form.send("POST", &link, Some("")).status, 404);
    assert_eq!(browser.get(&link).status, 303);
    world.stop();
    assert!(!world.log().contains(link.rsplit('/').next().unwrap()), "{}", world.log());
}

#[test]
#[ignore = "needs aiosmtpd"]
fn a_user_gets_a_mail_as_well_but_none_signs_in_who_runs_the_server() {
    let (_server, mut out, world) = with_mail();
    let (thing, _) = document(&world);
    invite(&world, &thing, "ben@example.org");
    let mail = outside::next_mail(&mut out);
    assert!(mail.join("\n").contains("this link signs you in, once"), "{mail:#?}");
    let link = link_in(&world, &mail);
    world.json(&["user", "edit", "ben@example.org", "--operator", "true"]);
    let page = world.nobody().get(&link).expect(200).text();
    assert!(page.contains("Sign in to open it"), "{page}");
    assert_eq!(form(&world).send("POST", &link, Some("")).status, 404);
    assert_eq!(world.ben().get(&link).status, 303);
}

#[test]
#[ignore = "needs aiosmtpd"]
fn a_revoked_invitation_is_not_sent() {
    // No mail server responds at first, so the mail waits in the queue.
    let port = outside::free_port().to_string();
    let world =
        World::with(&[("smtp_host", "127.0.0.1"), ("smtp_port", &port), ("smtp_tls", "none")]);
    let (thing, _) = document(&world);
    invite(&world, &thing, "first@example.org");
    invite(&world, &thing, "second@example.org");
    let mut recipient = thing.clone();
    recipient["email"] = "first@example.org".into();
    world.ann().send_body("DELETE", "/api/v1/share", recipient).expect(204);
    let (_server, mut out) = outside::mail_server_at(None, port.parse().unwrap());
    let mail = outside::next_mail(&mut out).join("\n");
    assert!(mail.contains("To: second@example.org"), "{mail}");
}
