//! Tests of tables that the server loads from other servers.

use std::io::Read;
use std::io::Write;
use std::net::TcpListener;
use std::thread;

use serde_json::json;

use crate::client::Client;
use crate::server_process::ServerProcess;

/// Starts an HTTP server that sends `response` to each of `count` connections, and returns its address.
fn start_source(response: String, count: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for connection in listener.incoming().take(count) {
            let mut connection = connection.unwrap();
            let _ = connection.read(&mut [0; 4096]);
            let _ = connection.write_all(response.as_bytes());
        }
    });
    format!("http://{address}")
}

/// Builds a response.
fn respond(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

#[test]
fn a_table_is_loaded_from_a_url_and_its_bytes_stay() {
    let settings = [("remote_private", "yes"), ("max_document_bytes", "1MiB")];
    let server = ServerProcess::with_settings(&settings);
    let ann = server.ann();
    let load = |url: &str| ann.post("/api/v1/tables/download", json!({ "url": url }));
    let csv = "Stadt;Umsatz\nKöln;1.234,5\n";
    let html = "content-type: text/html\r\n";
    let found = load(&format!("{}/a.csv", start_source(respond("200 OK", html, csv), 1)));
    assert_eq!((found.status, found.text()), (200, csv.to_owned()));
    assert_eq!(found.header("content-type"), "application/octet-stream");
    assert_eq!(found.header("x-content-type-options"), "nosniff");
    assert_eq!(found.header("content-disposition"), "attachment");

    let missing = load(&start_source(respond("404 Not Found", "", "gone"), 1));
    assert_eq!(missing.status, 400);
    assert!(
        missing.text().contains("cannot be loaded: its server responded with status 404"),
        "{}",
        missing.text()
    );
    let large = load(&start_source(respond("200 OK", "", &"x".repeat((1 << 20) + 1)), 1));
    assert_eq!(large.status, 400);
    assert!(large.text().contains("larger than"), "{}", large.text());
    let to_metadata = "location: http://169.254.169.254/latest\r\n";
    let redirected = load(&start_source(respond("302 Found", to_metadata, ""), 1));
    assert_eq!(redirected.status, 400);
    assert!(redirected.text().contains("169.254.169.254"), "{}", redirected.text());
    let refused = load("file:///etc/passwd");
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("\"field\":\"url\""), "{}", refused.text());
}

#[test]
fn without_the_setting_only_the_public_internet_is_reached() {
    let server = ServerProcess::new();
    let ann = server.ann();
    let source = start_source(respond("200 OK", "", "a,b\n1,2\n"), 1);
    for url in [source.as_str(), "http://localhost/", "http://[::1]/", "http://10.0.0.1/"] {
        let refused = ann.post("/api/v1/tables/download", json!({ "url": url }));
        assert_eq!(refused.status, 400, "{url}: {}", refused.text());
        assert!(refused.text().contains("is not on the public internet"), "{}", refused.text());
    }
    let guest = Client::guest(&server);
    assert_eq!(guest.post("/api/v1/tables/download", json!({ "url": source })).status, 401);
}

#[test]
fn a_server_may_set_a_cookie_before_it_sends_the_table() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/a.csv", listener.local_addr().unwrap());
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let mut request = [0; 4096];
            let length = connection.read(&mut request).unwrap_or_default();
            let has_cookie = String::from_utf8_lossy(&request[..length]).contains("session=7");
            let redirect = "set-cookie: session=7\r\nlocation: /a.csv\r\n";
            let response = match has_cookie {
                true => respond("200 OK", "", "a,b\n1,2\n"),
                false => respond("302 Found", redirect, ""),
            };
            let _ = connection.write_all(response.as_bytes());
        }
    });
    let server = ServerProcess::with_settings(&[("remote_private", "yes")]);
    let found = server.ann().post("/api/v1/tables/download", json!({ "url": address }));
    assert_eq!((found.status, found.text()), (200, "a,b\n1,2\n".to_owned()));
}

#[test]
fn single_networks_and_ports_can_be_added() {
    let settings = [("remote_networks", "127.0.0.1, 10.0.0.0/8"), ("remote_ports", "1")];
    let server = ServerProcess::with_settings(&settings);
    let ann = server.ann();
    let load = |url: &str| ann.post("/api/v1/tables/download", json!({ "url": url }));
    let source = start_source(respond("200 OK", "", "a,b\n1,2\n"), 1);
    assert_eq!(load(&source).text(), "a,b\n1,2\n");
    for (url, want) in [
        ("http://127.0.0.2/", "is not at an address that the server may reach"),
        ("http://127.0.0.1:25/", "may not reach port 25 of 127.0.0.1"),
        // Nothing listens at this port.
        ("http://127.0.0.1:1/", "the remote source failed"),
    ] {
        let refused = load(url);
        assert_eq!(refused.status, 400, "{url}: {}", refused.text());
        assert!(refused.text().contains(want), "{url}: {}", refused.text());
    }
}

#[test]
fn this_server_itself_is_not_reached() {
    let check = |settings: &[(&str, &str)], want: u16| {
        let server = ServerProcess::with_settings(settings);
        let url = format!("{}/readyz", server.base_url);
        let found = server.ann().post("/api/v1/tables/download", json!({ "url": url }));
        assert_eq!(found.status, want, "{settings:?}: {}", found.text());
    };
    check(&[("remote_private", "yes")], 400);
    check(&[("remote_private", "yes"), ("remote_networks", "127.0.0.0/8")], 400);
    check(&[("remote_networks", "127.0.0.1/32")], 200);
}
