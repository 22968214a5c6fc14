//! Tests of pairing: a screen shows a code, and a user enters it on another device.

use std::net::IpAddr;
use std::time::Duration;

use chartroom_platform::crypto;
use serde_json::Value;
use serde_json::json;

use super::SESSIONS_PATH;
use super::join_keys;
use crate::teams::OrgFixture;
use crate::test_server::Response;

/// Lifetime of a pairing code.
const LIFETIME: Duration = Duration::from_secs(600);

impl OrgFixture {
    /// Starts a pairing as a screen and returns the response.
    fn start_pairing(&self) -> Value {
        let response = self.server.send("POST", "/api/v1/cast/pair", &[], "");
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()
    }

    /// Polls the state of a pairing as its screen.
    fn poll_pairing(&self, pairing: &Value) -> Response {
        let path = format!("/api/v1/cast/pair/{}", pairing["poll_token"].as_str().unwrap());
        self.server.send("GET", &path, &[], "")
    }

    /// Creates a cast session for the screen that shows a code.
    fn redeem_code(&self, name: &str, document: &str, code: &str) -> Response {
        let body = json!({ "document_id": document, "device_name": "Lobby", "code": code });
        self.request(name, "POST", SESSIONS_PATH, body)
    }

    /// Sends a GET as the browser of a signed-in user.
    fn get_page(&self, name: &str, path: &str) -> Response {
        let headers = [("authorization", self.authorization(name)), ("accept", "text/html")];
        self.server.send("GET", path, &headers, "")
    }

    /// Sends a form as the browser of a signed-in user.
    fn send_form(&self, name: &str, path: &str, body: &str) -> Response {
        let headers = [
            ("authorization", self.authorization(name)),
            ("content-type", "application/x-www-form-urlencoded"),
            ("accept", "text/html"),
        ];
        self.server.send("POST", path, &headers, body)
    }
}

#[test]
fn pairing_code_connects_a_screen_to_a_document() {
    let fixture = OrgFixture::new();
    let document = fixture.create_chart("Ben", "me");
    let pairing = fixture.start_pairing();
    assert_eq!(join_keys(&pairing), "code poll_token expires_at url qr");
    let code = pairing["code"].as_str().unwrap();
    assert_eq!((code.len(), code.chars().nth(4)), (9, Some('-')));
    let bare_code = code.replace('-', "");
    assert_eq!(pairing["url"], format!("http://127.0.0.1:8080/pair/{bare_code}"));
    assert!(pairing["qr"].as_str().unwrap().starts_with("<svg "));
    assert_eq!(fixture.poll_pairing(&pairing).json()["paired"], false);

    // Case and surrounding spaces do not matter.
    let created = fixture.redeem_code("Ben", &document, &format!(" {} ", code.to_lowercase()));
    assert_eq!(created.status, 200, "{}", created.text);
    let paired = fixture.poll_pairing(&pairing).json();
    assert_eq!(join_keys(&paired), "paired expires_at token cast_url");
    assert_eq!((&paired["paired"], &paired["token"]), (&json!(true), &created.json()["token"]));
    // The screen can repeat the request if the response was lost.
    assert_eq!(fixture.poll_pairing(&pairing).json(), paired);
    assert!(fixture.is_valid(&paired));
}

#[test]
fn pairing_code_works_once_and_for_ten_minutes() {
    let fixture = OrgFixture::new();
    let document = fixture.create_chart("Ben", "me");
    let refused = |code: &str| {
        let response = fixture.redeem_code("Ben", &document, code);
        assert_eq!(response.status, 400, "{}", response.text);
        assert!(response.text.starts_with("code: no screen shows this code"), "{}", response.text);
    };
    let pairing = fixture.start_pairing();
    let code = pairing["code"].as_str().unwrap();
    assert_eq!(fixture.redeem_code("Ben", &document, code).status, 200);
    refused(code);
    refused("BCDF-GHJK");
    refused("not a code");
    let expired = fixture.start_pairing();
    fixture.server.execute_sql("update cast_pairing set expires = expires - 600000");
    assert_eq!(fixture.poll_pairing(&expired).status, 404);
    refused(expired["code"].as_str().unwrap());
    assert_eq!(fixture.list_casts("Ben", &document).as_array().unwrap().len(), 1);
    let unknown = json!({ "poll_token": "none" });
    assert_eq!(fixture.poll_pairing(&unknown).status, 404);
}

#[test]
fn guessing_codes_is_rate_limited_per_user() {
    let fixture = OrgFixture::new();
    let (bens_chart, cids_chart) =
        (fixture.create_chart("Ben", "me"), fixture.create_chart("Cid", "me"));
    let pairing = fixture.start_pairing();
    let code = pairing["code"].as_str().unwrap();
    let statuses = (0..20).map(|_| fixture.redeem_code("Ben", &bens_chart, "BCDF-GHJK").status);
    let statuses: Vec<u16> = statuses.collect();
    assert_eq!(statuses[..10], [400; 10]);
    assert_eq!(statuses[10..], [429; 10]);
    let with_right_code = fixture.redeem_code("Ben", &bens_chart, code);
    assert_eq!(with_right_code.status, 429, "the right code is not tried either");
    assert!(!with_right_code.header("retry-after").is_empty());
    assert_eq!(fixture.get_page("Ben", &format!("/pair/{code}")).status, 429);
    assert_eq!(
        fixture.redeem_code("Cid", &cids_chart, code).status,
        200,
        "other users are not limited"
    );
}

#[test]
fn request_without_access_does_not_consume_the_code() {
    let fixture = OrgFixture::new();
    let (bens_chart, cids_chart) =
        (fixture.create_chart("Ben", "me"), fixture.create_chart("Cid", "me"));
    let pairing = fixture.start_pairing();
    let code = pairing["code"].as_str().unwrap();
    assert_eq!(fixture.redeem_code("Dan", &bens_chart, code).status, 404);
    assert_eq!(fixture.poll_pairing(&pairing).json()["paired"], false);
    assert_eq!(fixture.redeem_code("Cid", &cids_chart, code).status, 200);
}

#[test]
fn repeated_pairing_with_an_idempotency_key_creates_one_session() {
    let fixture = OrgFixture::new();
    let document = fixture.create_chart("Ben", "me");
    let code = fixture.start_pairing()["code"].as_str().unwrap().to_owned();
    let body = json!({ "document_id": document, "device_name": "Lobby", "code": code });
    let headers = [
        ("authorization", fixture.authorization("Ben")),
        ("content-type", "application/json"),
        ("idempotency-key", "k-1"),
    ];
    let send = || fixture.server.send("POST", SESSIONS_PATH, &headers, &body.to_string());
    let first = send();
    assert_eq!(first.status, 200, "{}", first.text);
    assert_eq!(send().json(), first.json());
    assert_eq!(fixture.list_casts("Ben", &document).as_array().unwrap().len(), 1);
}

#[test]
fn pairing_page_lists_charts_and_starts_the_cast() {
    let fixture = OrgFixture::new();
    let document = fixture.create_chart("Ben", "me");
    fixture.set_title("Ben", &document, "Sales <2026>");
    let pairing = fixture.start_pairing();
    let code = pairing["code"].as_str().unwrap();
    let path = format!("/pair/{}", code.replace('-', ""));

    // A guest is redirected to sign in and then back.
    let guest = fixture.server.send("GET", &path, &[("accept", "text/html")], "");
    assert_eq!(guest.status, 303);
    let encoded_path = path.replace('/', "%2F");
    assert_eq!(guest.header("location"), format!("/sign-in?next={encoded_path}"));
    let entered = fixture.get_page("Ben", &format!("/pair?code={}", code.to_lowercase()));
    assert_eq!((entered.status, entered.header("location")), (303, path.clone()));
    assert_eq!(fixture.get_page("Ben", "/pair?code=nonsense").status, 400);
    assert_eq!(fixture.get_page("Ben", "/pair").status, 200);

    let chart_page = fixture.get_page("Ben", &path);
    assert_eq!((chart_page.status, chart_page.header("cache-control").as_str()), (200, "no-store"));
    assert!(chart_page.body.contains(code) && chart_page.body.contains(&document));
    assert!(chart_page.body.contains("Sales &#60;2026&#62;"), "titles are escaped");
    assert!(!fixture.get_page("Dan", &path).body.contains(&document));
    let without_chart = fixture.send_form("Ben", &path, "device_name=Lobby");
    assert_eq!(without_chart.status, 400);
    assert!(without_chart.body.contains("Choose a chart."));
    assert_eq!(fixture.send_form("Dan", &path, &format!("document={document}")).status, 400);
    let form = format!("document={document}&device_name=Lobby");
    let accepted = fixture.send_form("Ben", &path, &form);
    assert_eq!(accepted.status, 200, "{}", accepted.text);
    assert!(accepted.body.contains("Lobby shows Sales"));
    assert!(fixture.is_valid(&fixture.poll_pairing(&pairing).json()));
    let used = fixture.send_form("Ben", &path, &form);
    assert_eq!(used.status, 404);
    assert!(used.body.contains("No screen shows this code."));
}

#[test]
fn many_codes_of_other_clients_do_not_prevent_a_screen_from_getting_one() {
    let fixture = OrgFixture::new();
    let insert_codes = "with recursive number (n) as (
                            select 1 union all select n + 1 from number where n < 10000
                        )
                        insert into cast_pairing (code_hash, poll_hash, created, expires)
                        select cast('c' || n as blob), cast('p' || n as blob), 0, 9999999999999
                        from number";
    fixture.server.execute_sql(insert_codes);
    fixture.start_pairing();

    // One client holds all slots. Its oldest code is deleted for the screen of another client.
    let fixture = OrgFixture::new();
    let first = fixture.start_pairing();
    let limits = &fixture.server.app.rate_limits;
    let flood = |ip: IpAddr, count: u32| {
        for number in 0..count {
            let hash = crypto::sha256(format!("{ip} {number}").as_bytes());
            limits.reserve_pairing_code(ip, hash, LIFETIME).unwrap();
        }
    };
    flood(IpAddr::from([192, 0, 2, 1]), 9_999);
    let second = fixture.start_pairing();
    for pairing in [&first, &second] {
        assert_eq!(fixture.poll_pairing(pairing).status, 200);
    }
    // Screens of the client with the most codes lose their codes first.
    flood(IpAddr::from([192, 0, 2, 2]), 4_990);
    assert_eq!(fixture.poll_pairing(&second).status, 200);
}

#[test]
fn repeated_request_for_a_code_takes_no_second_slot() {
    let fixture = OrgFixture::new();
    let headers = [("idempotency-key", "k-1")];
    let send = || fixture.server.send("POST", "/api/v1/cast/pair", &headers, "");
    let first = send();
    assert_eq!(first.status, 200, "{}", first.text);
    let limits = &fixture.server.app.rate_limits;
    let reserve = |last: u8, number: u32| {
        let ip = IpAddr::from([192, 0, 2, last]);
        limits.reserve_pairing_code(ip, crypto::sha256(&number.to_be_bytes()), LIFETIME).unwrap()
    };
    for number in 0..9_999 {
        assert_eq!(reserve(1, number), None);
    }
    assert_eq!(send().json(), first.json());
    // The repeated request has not taken the slot of the oldest code.
    assert_eq!(reserve(2, 10_000), Some(crypto::sha256(&0_u32.to_be_bytes())));
}

#[test]
fn screen_that_loses_its_slot_loses_its_code() {
    let fixture = OrgFixture::new();
    let (first, second) = (fixture.start_pairing(), fixture.start_pairing());
    let limits = &fixture.server.app.rate_limits;
    // Every other client has one code, so that the two codes of this client are the most.
    let evicted = (0..9_999_u32).find_map(|number| {
        let [_, high, middle, low] = number.to_be_bytes();
        let hash = crypto::sha256(&number.to_be_bytes());
        let ip = IpAddr::from([10, high, middle, low]);
        limits.reserve_pairing_code(ip, hash, LIFETIME).unwrap()
    });
    assert!(evicted.is_some());
    // The handler of the other client deletes the code that it gets from this call.
    fixture
        .server
        .app
        .db
        .write(move |tx| {
            tx.execute("delete from cast_pairing where code_hash = ?1", [evicted.unwrap()])
        })
        .unwrap();
    assert_eq!(fixture.poll_pairing(&first).status, 404);
    assert_eq!(fixture.poll_pairing(&second).status, 200);
}
