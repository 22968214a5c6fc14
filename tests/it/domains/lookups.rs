//! Tests of lookups against a name server that sends every kind of response.

use std::sync::Arc;

use chartroom_platform::error::Error;
use chartroom_platform::remote::names;
use serde_json::Value;
use serde_json::json;

use super::DomainFixture;
use super::name_server::Answer;
use super::name_server::NameServer;
use super::text;

/// Looks up a name at a server.
fn look_up(server: &NameServer, name: &str) -> Result<Vec<String>, Error> {
    names::lookup_txt(&[server.address], name)
}

#[test]
fn the_strings_of_a_record_are_joined_without_a_space() {
    let server = NameServer::start();
    let long = vec!["a".repeat(255), "b c".to_owned(), String::new(), "d".to_owned()];
    server.set("example.org", Answer::Records(vec![long, vec!["second".to_owned()]]));
    let joined = format!("{}b cd", "a".repeat(255));
    assert_eq!(look_up(&server, "example.org").unwrap(), [joined.as_str(), "second"]);
    assert_eq!(look_up(&server, "example.org.").unwrap(), [joined.as_str(), "second"]);
    // Each lookup queries the server, although the records may be cached for an hour.
    server.set("example.org", Answer::texts(&["third"]));
    assert_eq!(look_up(&server, "example.org").unwrap(), ["third"]);
}

#[test]
fn a_truncated_response_is_completed_over_tcp() {
    let server = NameServer::start();
    let texts: Vec<String> =
        (0..40).map(|number| format!("record {number} {}", "x".repeat(200))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    server.set("example.org", Answer::texts(&texts));
    assert_eq!(look_up(&server, "example.org").unwrap(), texts);
    assert_eq!(server.query_counts(), (1, 1));
}

#[test]
fn an_alias_is_followed() {
    let server = NameServer::start();
    server.set("alias.example.org", Answer::Alias("next.example.org".to_owned()));
    server.set("next.example.org", Answer::Alias("target.example.net".to_owned()));
    assert_eq!(look_up(&server, "alias.example.org").unwrap(), [] as [&str; 0]);
    server.set("target.example.net", Answer::texts(&["found"]));
    assert_eq!(look_up(&server, "alias.example.org").unwrap(), ["found"]);
    server.set("target.example.net", Answer::ServerFailure);
    look_up(&server, "alias.example.org").unwrap_err();
}

#[test]
fn absent_names_and_names_without_records_have_no_records() {
    let server = NameServer::start();
    server.set("empty.example.org", Answer::NoRecords);
    assert_eq!(look_up(&server, "empty.example.org").unwrap(), [] as [&str; 0]);
    assert_eq!(look_up(&server, "absent.example.org").unwrap(), [] as [&str; 0]);
}

#[test]
fn failures_are_distinguished_from_missing_records() {
    let server = NameServer::start();
    let check = |answer: Answer, part: &str| {
        server.set("example.org", answer);
        match look_up(&server, "example.org") {
            Err(Error::NameServerFailed(text)) => assert!(text.contains(part), "{text}"),
            other => panic!("{part}: {other:?}"),
        }
    };
    check(Answer::ServerFailure, "could not look up example.org: Server Failure");
    check(Answer::Refused, "Query Refused");
    check(Answer::Referral, "refer to other servers");
    // Nobody listens at the address any more.
    let address = server.address;
    drop(server);
    let result = names::lookup_txt(&[address], "example.org");
    assert!(matches!(result, Err(Error::RemoteTimeout)), "{result:?}");
}

#[test]
fn a_failed_lookup_changes_nothing() {
    let fixture = DomainFixture::new();
    fixture.register_verified("acme", "verified.example.org");
    fixture.register("acme", "pending.example.org");
    let before = fixture.list();
    for (answer, code) in [
        (Answer::ServerFailure, "name_server_failed"),
        (Answer::Refused, "name_server_failed"),
        (Answer::Referral, "name_server_failed"),
        (Answer::Silence, "remote_timeout"),
    ] {
        for name in ["verified.example.org", "pending.example.org"] {
            fixture.names.set(name, answer.clone());
            let response = fixture.verify("acme", name);
            assert_eq!(response.status, 504, "{code}: {}", response.text);
            let problem: Value = serde_json::from_str(&response.body).unwrap();
            assert_eq!(problem["code"], code, "{problem}");
        }
        assert_eq!(fixture.list(), before, "{code}");
    }
    assert_eq!(fixture.list_events("pending.example.org"), ["domain.create"]);
}

#[test]
fn no_transaction_is_open_during_a_lookup() {
    let fixture = Arc::new(DomainFixture::new());
    let created = fixture.register("acme", "example.org");
    let records = Answer::texts(&[text(&created["record_value"])]);
    let during_lookup = |run: fn(&DomainFixture)| {
        let shared = Arc::downgrade(&fixture);
        let run = move || run(&shared.upgrade().unwrap());
        fixture.names.set("example.org", Answer::After(Arc::new(run), Box::new(records.clone())));
    };
    // The domain is removed while the server waits for the name server.
    during_lookup(|fixture| {
        let removed = fixture.request("DELETE", "acme/domains/example.org", Value::Null);
        assert_eq!(removed.status, 204, "{}", removed.text);
    });
    assert_eq!(fixture.verify("acme", "example.org").status, 404);
    assert_eq!(fixture.list(), [] as [Value; 0]);

    // It is removed and registered again, with another record.
    fixture.register("acme", "example.org");
    during_lookup(|fixture| {
        fixture.request("DELETE", "acme/domains/example.org", Value::Null);
        fixture.register("acme", "example.org");
    });
    let response = fixture.verify("acme", "example.org");
    assert_eq!(response.status, 409, "{}", response.text);
    assert_eq!(fixture.list()[0]["status"], json!("pending"));

    // The caller loses access.
    during_lookup(|fixture| fixture.set_plan("acme", chartroom::features::orgs::Plan::Team));
    assert_eq!(fixture.verify("acme", "example.org").status, 403);
}
