//! TLS with certificates that are replaced while the server runs.
//!
//! The two certificates under `certificates/` sign themselves, are valid until 2126 and protect
//! nothing: `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500`.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;
use std::time::Instant;

use chartroom::app::App;
use chartroom_platform::config::Config;
use chartroom_platform::http::Response;
use chartroom_platform::http::Service;
use chartroom_platform::http::ShutdownSignal;
use chartroom_platform::http::server;
use rustls::ClientConfig;
use rustls::ClientConnection;
use rustls::DigitallySignedStruct;
use rustls::SignatureScheme;
use rustls::StreamOwned;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::client::danger::ServerCertVerified;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::ServerName;
use rustls::pki_types::UnixTime;
use rustls::pki_types::pem::PemObject;

use super::Answer;
use super::Server;
use super::answer;
use super::process::signal;
use super::route;

const FIRST: [&str; 2] =
    [include_str!("certificates/first.cert.pem"), include_str!("certificates/first.key.pem")];
const SECOND: [&str; 2] =
    [include_str!("certificates/second.cert.pem"), include_str!("certificates/second.key.pem")];

/// Takes any certificate and remembers it.
#[derive(Debug)]
struct Witness {
    seen: Mutex<Vec<u8>>,
    provider: CryptoProvider,
}

impl ServerCertVerifier for Witness {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        *self.seen.lock().unwrap() = certificate.to_vec();
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// The answer to GET /, the protocol agreed upon and the server's certificate.
fn get(server: &Server, protocols: &[&str]) -> (Option<Answer>, Option<String>, Vec<u8>) {
    let provider = aws_lc_rs::default_provider();
    let witness = Arc::new(Witness { seen: Mutex::new(Vec::new()), provider: provider.clone() });
    let mut config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(witness.clone())
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|it| it.as_bytes().to_vec()).collect();
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(client, server.connect());
    stream.conn.complete_io(&mut stream.sock).unwrap();
    let protocol = stream.conn.alpn_protocol().map(|it| String::from_utf8(it.to_vec()).unwrap());
    let answer = (protocol.as_deref() != Some("h2")).then(|| {
        std::io::Write::write_all(&mut stream, b"GET / HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
        answer(&mut stream, false)
    });
    let seen = witness.seen.lock().unwrap().clone();
    (answer, protocol, seen)
}

fn put([cert, key]: [&str; 2], dir: &Path) {
    fs::write(dir.join("cert.pem"), cert).unwrap();
    fs::write(dir.join("key.pem"), key).unwrap();
}

fn der(pem: &str) -> Vec<u8> {
    CertificateDer::from_pem_slice(pem.as_bytes()).unwrap().to_vec()
}

#[test]
fn tls_agrees_on_a_protocol_and_takes_new_certificates_on_hangup() {
    let dir = tempfile::tempdir().unwrap();
    put(FIRST, dir.path());
    let server = Server::with(
        vec![route("GET", "/", |_| Ok(Response::bytes("text/plain", "safe")))],
        |config| {
            config.tls_cert = Some(dir.path().join("cert.pem"));
            config.tls_key = Some(dir.path().join("key.pem"));
        },
    );
    let (answer, protocol, seen) = get(&server, &["http/1.1"]);
    let answer = answer.unwrap();
    assert_eq!((answer.text(), protocol.as_deref()), ("safe", Some("http/1.1")));
    assert_eq!(answer.header("strict-transport-security"), Some("max-age=31536000"));
    assert_eq!(seen, der(FIRST[0]));
    assert_eq!(get(&server, &["h2", "http/1.1"]).1.as_deref(), Some("h2"));
    // A key that does not belong to the certificate: the old pair stays.
    put([SECOND[0], FIRST[1]], dir.path());
    signal("-HUP", std::process::id());
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(get(&server, &[]).2, der(FIRST[0]));
    put(SECOND, dir.path());
    signal("-HUP", std::process::id());
    let begin = Instant::now();
    while get(&server, &[]).2 != der(SECOND[0]) {
        assert!(begin.elapsed() < Duration::from_secs(5), "the new certificate is not used");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_wrong_certificate_is_told_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let start = |cert: Option<&str>, key: Option<&str>| {
        let data = tempfile::tempdir().unwrap();
        let app = App::open(Config {
            data_dir: data.path().to_owned(),
            listen: ([127, 0, 0, 1], 0).into(),
            tls_cert: cert.map(|it| dir.path().join(it)),
            tls_key: key.map(|it| dir.path().join(it)),
            ..Config::default()
        });
        let service = Service { app: app.unwrap(), routes: Vec::new(), error_page: None };
        server::run_until(service, ShutdownSignal::default(), |_| panic!()).unwrap_err().to_string()
    };
    put(FIRST, dir.path());
    fs::write(dir.path().join("other.pem"), SECOND[1]).unwrap();
    fs::write(dir.path().join("empty.pem"), "").unwrap();
    let check = |cert, key, field: &str| {
        let error = start(cert, key);
        assert!(error.starts_with(field), "{error}");
    };
    check(Some("cert.pem"), None, "tls_key: is required");
    check(None, Some("key.pem"), "tls_cert: is required");
    check(Some("absent.pem"), Some("key.pem"), "tls_cert: /");
    check(Some("empty.pem"), Some("key.pem"), "tls_cert: /");
    check(Some("cert.pem"), Some("empty.pem"), "tls_key: /");
    check(Some("cert.pem"), Some("other.pem"), "tls_cert: /");
}
