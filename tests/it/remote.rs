//! Tests of requests to other servers over TLS. Those without TLS are next to the client.

use std::io::ErrorKind;
use std::io::Read;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustls::ServerConfig;
use rustls::ServerConnection;
use rustls::StreamOwned;
use rustls::pki_types::PrivatePkcs8KeyDer;
use serde_json::json;

use chartroom_platform::remote::ClientOptions;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::DnsResolver;
use chartroom_platform::remote::NetworkRules;
use chartroom_platform::remote::NetworkScope;
use chartroom_platform::remote::RemoteClient;
use chartroom_platform::remote::RemoteFailure;
use chartroom_platform::remote::RemoteRequest;

use crate::server_process::ServerProcess;

/// Starts a server with a self-signed certificate that sends `response` to each request. Returns its
/// address.
fn start_tls_server(response: String) -> SocketAddr {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = rcgen::CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    let certificate = certificate.self_signed(&key).unwrap().der().clone();
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    let config = ServerConfig::builder().with_no_client_auth();
    let config = Arc::new(config.with_single_cert(vec![certificate], key.into()).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(config.clone()).unwrap();
            let mut stream = StreamOwned::new(connection, stream.unwrap());
            // The handshake fails if the client does not trust the certificate.
            if stream.read(&mut [0; 4096]).is_ok() {
                let _ = stream.write_all(response.as_bytes());
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    address
}

/// Requests `https://ADDRESS/` with a client that may reach this machine.
fn get(address: SocketAddr, verify_certificates: bool) -> Result<Vec<u8>, RemoteFailure> {
    let rules = NetworkRules { allows_private: true, ..NetworkRules::default() };
    let options = ClientOptions {
        scope: NetworkScope::Restricted(rules),
        timeout: Duration::from_secs(20),
        verify_certificates,
    };
    let client = RemoteClient::new(DnsResolver::new(Vec::new()).unwrap(), &options).unwrap();
    let url = format!("https://{address}/");
    let deadline = Deadline::after(Duration::from_secs(20));
    Ok(client.send(&RemoteRequest::get(&url, 100), deadline)?.body.to_vec())
}

#[test]
fn a_certificate_must_be_trusted() {
    let response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".to_owned();
    let address = start_tls_server(response);
    assert_eq!(get(address, false).unwrap(), b"hello");
    let failure = get(address, true).unwrap_err();
    assert!(matches!(failure, RemoteFailure::Failed(_)), "{failure:?}");
    assert!(failure.to_string().contains("certificate"), "{failure}");
}

#[test]
fn a_failed_check_of_a_certificate_is_told_in_the_language_of_the_page() {
    let address = start_tls_server("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".to_owned());
    let server = ServerProcess::with_settings(&[("remote_private", "yes")]);
    let check = |language: &str| {
        let ann = server.ann().with_header("accept-language", language);
        let body = json!({ "url": format!("https://{address}/a.csv") });
        let checked = ann.post("/api/v1/sync/document/check", body).expect(200).json();
        checked["source_error"]["message"].as_str().unwrap().to_owned()
    };
    let wanted = "the remote source failed: its certificate is not from a trusted authority";
    assert_eq!(check("en"), wanted);
    let wanted =
        "Fehler der externen Quelle: ihr Zertifikat stammt von keiner vertrauenswürdigen Stelle";
    assert_eq!(check("de"), wanted);
}

#[test]
fn a_redirect_from_https_to_http_is_not_followed() {
    let target = TcpListener::bind("127.0.0.1:0").unwrap();
    let location = format!("http://{}/", target.local_addr().unwrap());
    let response =
        format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
    let failure = get(start_tls_server(response), false).unwrap_err();
    assert_eq!(failure.to_string(), "the server redirects from https to http");
    target.set_nonblocking(true).unwrap();
    assert_eq!(target.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
}
