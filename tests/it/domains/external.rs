//! Tests of domains with real servers: dnsmasq as the name server, aiosmtpd as the mail server.

use std::time::Duration;

use chartroom_platform::db::DATABASE_FILE_NAME;
use chartroom_platform::error::Error;
use chartroom_platform::remote::names;
use rusqlite::Connection;
use serde_json::json;

use super::name_server::Answer;
use super::name_server::NameServer;
use super::text;
use crate::cli::external_servers::read_next_mail;
use crate::cli::external_servers::start_dnsmasq_with;
use crate::cli::external_servers::start_mail_server;
use crate::server_process::Launch;
use crate::server_process::ServerProcess;

/// Creates the organization `acme` with Ann as its admin.
fn create_acme(server: &ServerProcess) {
    let create = ["org", "create", "--name", "Acme <1>", "--slug", "acme", "--seats", "5"];
    server.run_json(&[&create[..], &["--plan", "enterprise"]].concat());
    let add = ["org", "member", "add", "acme", "--role"];
    server.run_json(&[&add[..], &["admin", "ann@example.org"]].concat());
    server.run_json(&[&add[..], &["member", "ben@example.org"]].concat());
}

#[test]
#[ignore = "needs dnsmasq"]
fn a_domain_is_verified_among_forty_records_of_a_real_name_server() {
    let mut server = ServerProcess::prepare(&[], Launch::default());
    create_acme(&server);
    let add = ["org", "domain", "add", "acme", "example.test"];
    let record = text(&server.run_json(&add)["record_value"]).to_owned();
    let filler = |number: usize| format!("record-{number}-{}", "x".repeat(180));
    let mut arguments: Vec<String> =
        (0..39).map(|number| format!("--txt-record=example.test,{}", filler(number))).collect();
    // The record has two strings.
    let (first, second) = record.split_at(20);
    arguments.insert(20, format!("--txt-record=example.test,{first},{second}"));
    arguments.push("--cname=alias.test,example.test".to_owned());
    let (_names, dns) = start_dnsmasq_with(&arguments);
    let records = names::lookup_txt(&[dns.parse().unwrap()], "example.test").unwrap();
    assert_eq!((records.len(), records.contains(&record)), (40, true));
    let by_alias = names::lookup_txt(&[dns.parse().unwrap()], "alias.test").unwrap();
    assert_eq!(by_alias.len(), 40, "{by_alias:?}");
    server.set("dns", &dns);
    server.start();
    let verify = "/api/v1/orgs/acme/domains/example.test/verify";
    let verified = server.ann().post(verify, json!({})).expect(200).json();
    assert_eq!(verified["status"], "verified", "{verified}");
    assert_eq!(verified["found"].as_array().unwrap().len(), 10);
    assert_eq!(verified["found"][0], json!(record));
    server.ben().post(verify, json!({})).expect(403);
    server.cid().post(verify, json!({})).expect(404);
}

#[test]
#[ignore = "needs dnsmasq"]
fn a_real_name_server_distinguishes_refusal_from_absence() {
    let arguments = ["--address=/host.test/192.0.2.7".to_owned()];
    let (_names, dns) = start_dnsmasq_with(&arguments);
    let look_up = |name: &str| names::lookup_txt(&[dns.parse().unwrap()], name);
    // The name exists with an address only.
    assert_eq!(look_up("host.test").unwrap(), [] as [&str; 0]);
    assert_eq!(look_up("absent.test").unwrap(), [] as [&str; 0]);
    // dnsmasq has no server that it could ask about other names.
    match look_up("example.org") {
        Err(Error::NameServerFailed(text)) => assert!(text.contains("Refused"), "{text}"),
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "needs aiosmtpd"]
fn admins_get_a_mail_about_a_missing_record() {
    let names = NameServer::start();
    let (_mail, mut mail_output, port) = start_mail_server(None);
    let (dns, port) = (names.address.to_string(), port.to_string());
    let settings = [
        ("dns", dns.as_str()),
        ("smtp_host", "127.0.0.1"),
        ("smtp_port", &port),
        ("smtp_tls", "none"),
    ];
    let mut server = ServerProcess::prepare(&settings, Launch::default());
    create_acme(&server);
    let domain = |verb: &'static str| ["org", "domain", verb, "acme", "example.org"];
    let record = text(&server.run_json(&domain("add"))["record_value"]).to_owned();
    names.set("example.org", Answer::texts(&[&record]));
    assert_eq!(server.run_json(&domain("verify"))["status"], "verified");
    // As if four daily checks had not found the record.
    let database = Connection::open(server.data_dir().join(DATABASE_FILE_NAME)).unwrap();
    database.busy_timeout(Duration::from_secs(10)).unwrap();
    let age = "update domain set last_checked = last_checked - 86400000,
                                 missing_since = last_checked - 259200000";
    assert_eq!(database.execute(age, []).unwrap(), 1);
    names.set("example.org", Answer::texts(&["other"]));
    server.start();
    let mail = read_next_mail(&mut mail_output).join("\n");
    let mail = mail.replace("=\n", "").replace("=3D", "=");
    for part in [
        "To: ann@example.org",
        "Subject: The TXT record of example.org is missing",
        "Content-Type: text/html; charset=utf-8",
        "that proves that Acme <1> owns the domain example.org.",
        "that Acme &#60;1&#62; owns the domain <strong>example.org</strong>",
        "The domain stays verified.",
        &record,
        &format!("{}/orgs/acme", server.base_url),
    ] {
        assert!(mail.contains(part), "no {part:?}: {mail}");
    }
}
