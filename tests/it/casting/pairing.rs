//! Pairing: a screen shows a code, and somebody enters it elsewhere.

use serde_json::Value;
use serde_json::json;

use super::SESSIONS;
use super::keys;
use crate::talk::Answer;
use crate::teams::World;

impl World {
    /// A screen that begins to wait.
    fn waiting(&self) -> Value {
        let answer = self.server.send("POST", "/api/v1/cast/pair", &[], "");
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    fn poll(&self, waiting: &Value) -> Answer {
        let path = format!("/api/v1/cast/pair/{}", waiting["poll_token"].as_str().unwrap());
        self.server.send("GET", &path, &[], "")
    }

    fn redeem(&self, name: &str, document: &str, code: &str) -> Answer {
        let body = json!({ "document_id": document, "device_name": "Lobby", "code": code });
        self.anything(name, "POST", SESSIONS, body)
    }

    /// A page as a signed-in browser gets it.
    fn page(&self, name: &str, path: &str) -> Answer {
        let headers = [("authorization", self.token(name)), ("accept", "text/html")];
        self.server.send("GET", path, &headers, "")
    }

    fn send_form(&self, name: &str, path: &str, body: &str) -> Answer {
        let headers = [
            ("authorization", self.token(name)),
            ("content-type", "application/x-www-form-urlencoded"),
            ("accept", "text/html"),
        ];
        self.server.send("POST", path, &headers, body)
    }
}

#[test]
fn a_code_leads_a_screen_to_the_document() {
    let world = World::new();
    let document = world.chart("Ben", "me");
    let waiting = world.waiting();
    assert_eq!(keys(&waiting), "code poll_token expires_at url qr");
    let code = waiting["code"].as_str().unwrap();
    assert_eq!((code.len(), code.chars().nth(4)), (9, Some('-')));
    let plain = code.replace('-', "");
    assert_eq!(waiting["url"], format!("http://127.0.0.1:8080/pair/{plain}"));
    assert!(waiting["qr"].as_str().unwrap().starts_with("<svg "));
    assert_eq!(world.poll(&waiting).json()["paired"], false);

    // However it is typed.
    let made = world.redeem("Ben", &document, &format!(" {} ", code.to_lowercase()));
    assert_eq!(made.status, 200, "{}", made.text);
    let paired = world.poll(&waiting).json();
    assert_eq!(keys(&paired), "paired expires_at token cast_url");
    assert_eq!((&paired["paired"], &paired["token"]), (&json!(true), &made.json()["token"]));
    // An answer that was lost on its way comes again.
    assert_eq!(world.poll(&waiting).json(), paired);
    assert!(world.is_valid(&paired));
}

#[test]
fn a_code_works_once_and_for_ten_minutes() {
    let world = World::new();
    let document = world.chart("Ben", "me");
    let refused = |code: &str| {
        let answer = world.redeem("Ben", &document, code);
        assert_eq!(answer.status, 400, "{}", answer.text);
        assert!(answer.text.starts_with("code: no screen shows this code"), "{}", answer.text);
    };
    let waiting = world.waiting();
    let code = waiting["code"].as_str().unwrap();
    assert_eq!(world.redeem("Ben", &document, code).status, 200);
    refused(code);
    refused("BCDF-GHJK");
    refused("not a code");
    let late = world.waiting();
    world.server.sql("update cast_pairing set expires = expires - 600000");
    assert_eq!(world.poll(&late).status, 404);
    refused(late["code"].as_str().unwrap());
    assert_eq!(world.casts("Ben", &document).as_array().unwrap().len(), 1);
    let unknown = json!({ "poll_token": "none" });
    assert_eq!(world.poll(&unknown).status, 404);
}

#[test]
fn who_guesses_codes_has_to_wait() {
    let world = World::new();
    let (bens, cids) = (world.chart("Ben", "me"), world.chart("Cid", "me"));
    let waiting = world.waiting();
    let code = waiting["code"].as_str().unwrap();
    let guesses = (0..20).map(|_| world.redeem("Ben", &bens, "BCDF-GHJK").status);
    let guesses: Vec<u16> = guesses.collect();
    assert_eq!(guesses[..10], [400; 10]);
    assert_eq!(guesses[12..], [429; 8]);
    let right = world.redeem("Ben", &bens, code);
    assert_eq!(right.status, 429, "nor is the right one tried");
    assert!(!right.header("retry-after").is_empty());
    assert_eq!(world.page("Ben", &format!("/pair/{code}")).status, 429);
    assert_eq!(world.redeem("Cid", &cids, code).status, 200, "others are not concerned");
}

#[test]
fn a_code_is_not_used_up_by_a_document_of_somebody_else() {
    let world = World::new();
    let (bens, cids) = (world.chart("Ben", "me"), world.chart("Cid", "me"));
    let waiting = world.waiting();
    let code = waiting["code"].as_str().unwrap();
    assert_eq!(world.redeem("Dan", &bens, code).status, 404);
    assert_eq!(world.poll(&waiting).json()["paired"], false);
    assert_eq!(world.redeem("Cid", &cids, code).status, 200);
}

#[test]
fn the_same_pairing_sent_twice_happens_once() {
    let world = World::new();
    let document = world.chart("Ben", "me");
    let code = world.waiting()["code"].as_str().unwrap().to_owned();
    let body = json!({ "document_id": document, "device_name": "Lobby", "code": code });
    let headers = [
        ("authorization", world.token("Ben")),
        ("content-type", "application/json"),
        ("idempotency-key", "k-1"),
    ];
    let send = || world.server.send("POST", SESSIONS, &headers, &body.to_string());
    let first = send();
    assert_eq!(first.status, 200, "{}", first.text);
    assert_eq!(send().json(), first.json());
    assert_eq!(world.casts("Ben", &document).as_array().unwrap().len(), 1);
}

#[test]
fn a_phone_chooses_a_chart_for_a_screen() {
    let world = World::new();
    let document = world.chart("Ben", "me");
    world.retitle("Ben", &document, "Sales <2026>");
    let waiting = world.waiting();
    let code = waiting["code"].as_str().unwrap();
    let path = format!("/pair/{}", code.replace('-', ""));

    // Without a session one is led to sign in and back.
    let nobody = world.server.send("GET", &path, &[("accept", "text/html")], "");
    assert_eq!(nobody.status, 303);
    let next = path.replace('/', "%2F");
    assert_eq!(nobody.header("location"), format!("/sign-in?next={next}"));
    let typed = world.page("Ben", &format!("/pair?code={}", code.to_lowercase()));
    assert_eq!((typed.status, typed.header("location")), (303, path.clone()));
    assert_eq!(world.page("Ben", "/pair?code=nonsense").status, 400);
    assert_eq!(world.page("Ben", "/pair").status, 200);

    let choice = world.page("Ben", &path);
    assert_eq!((choice.status, choice.header("cache-control").as_str()), (200, "no-store"));
    assert!(choice.body.contains(code) && choice.body.contains(&document));
    assert!(choice.body.contains("Sales &#60;2026&#62;"), "titles are escaped");
    assert!(!world.page("Dan", &path).body.contains(&document));
    let again = world.send_form("Ben", &path, "device_name=Lobby");
    assert_eq!(again.status, 400);
    assert!(again.body.contains("Choose a chart."));
    assert_eq!(world.send_form("Dan", &path, &format!("document={document}")).status, 400);
    let sent = format!("document={document}&device_name=Lobby");
    let done = world.send_form("Ben", &path, &sent);
    assert_eq!(done.status, 200, "{}", done.text);
    assert!(done.body.contains("Lobby shows Sales"));
    assert!(world.is_valid(&world.poll(&waiting).json()));
    let used = world.send_form("Ben", &path, &sent);
    assert_eq!(used.status, 404);
    assert!(used.body.contains("No screen shows this code."));
}
