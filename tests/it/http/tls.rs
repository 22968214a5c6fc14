//! Tests of TLS with certificates that are replaced while the server runs.
//!
//! The two certificates under `certificates/` are self-signed, valid until 2126, and used only
//! here: `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500`.

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

use super::HttpTestServer;
use super::ReceivedResponse;
use super::create_route;
use super::process::send_signal;
use super::read_response;

/// Certificate and key as PEM.
const FIRST_CERTIFICATE: [&str; 2] =
    [include_str!("certificates/first.cert.pem"), include_str!("certificates/first.key.pem")];
/// Certificate and key as PEM.
const SECOND_CERTIFICATE: [&str; 2] =
    [include_str!("certificates/second.cert.pem"), include_str!("certificates/second.key.pem")];

/// A verifier that accepts any certificate and records it.
#[derive(Debug)]
struct RecordingVerifier {
    certificate: Mutex<Vec<u8>>,
    provider: CryptoProvider,
}

impl ServerCertVerifier for RecordingVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        *self.certificate.lock().unwrap() = certificate.to_vec();
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

/// Sends GET / over TLS. Returns the response (None for HTTP/2), the negotiated protocol, and the
/// certificate of the server.
fn get_over_tls(
    server: &HttpTestServer,
    protocols: &[&str],
) -> (Option<ReceivedResponse>, Option<String>, Vec<u8>) {
    let provider = aws_lc_rs::default_provider();
    let verifier = Arc::new(RecordingVerifier {
        certificate: Mutex::new(Vec::new()),
        provider: provider.clone(),
    });
    let mut config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(verifier.clone())
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(client, server.connect());
    stream.conn.complete_io(&mut stream.sock).unwrap();
    let protocol =
        stream.conn.alpn_protocol().map(|protocol| String::from_utf8(protocol.to_vec()).unwrap());
    let response = (protocol.as_deref() != Some("h2")).then(|| {
        std::io::Write::write_all(&mut stream, b"GET / HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
        read_response(&mut stream, false)
    });
    let certificate = verifier.certificate.lock().unwrap().clone();
    (response, protocol, certificate)
}

/// Writes a certificate and a key to the configured files.
fn write_certificate([certificate, key]: [&str; 2], dir: &Path) {
    fs::write(dir.join("cert.pem"), certificate).unwrap();
    fs::write(dir.join("key.pem"), key).unwrap();
}

/// Returns the first certificate in a PEM text as DER.
fn pem_to_der(pem: &str) -> Vec<u8> {
    CertificateDer::from_pem_slice(pem.as_bytes()).unwrap().to_vec()
}

#[test]
fn tls_negotiates_the_protocol_and_reloads_certificates_on_hangup() {
    let dir = tempfile::tempdir().unwrap();
    write_certificate(FIRST_CERTIFICATE, dir.path());
    let server = HttpTestServer::with_config(
        vec![create_route("GET", "/", |_| Ok(Response::bytes("text/plain", "safe")))],
        |config| {
            config.tls_cert = Some(dir.path().join("cert.pem"));
            config.tls_key = Some(dir.path().join("key.pem"));
        },
    );
    let (response, protocol, certificate) = get_over_tls(&server, &["http/1.1"]);
    let response = response.unwrap();
    assert_eq!((response.text(), protocol.as_deref()), ("safe", Some("http/1.1")));
    assert_eq!(response.header("strict-transport-security"), Some("max-age=31536000"));
    assert_eq!(certificate, pem_to_der(FIRST_CERTIFICATE[0]));
    assert_eq!(get_over_tls(&server, &["h2", "http/1.1"]).1.as_deref(), Some("h2"));
    // The key does not match the certificate, so the server keeps the old pair.
    write_certificate([SECOND_CERTIFICATE[0], FIRST_CERTIFICATE[1]], dir.path());
    send_signal("-HUP", std::process::id());
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(get_over_tls(&server, &[]).2, pem_to_der(FIRST_CERTIFICATE[0]));
    write_certificate(SECOND_CERTIFICATE, dir.path());
    send_signal("-HUP", std::process::id());
    let started = Instant::now();
    while get_over_tls(&server, &[]).2 != pem_to_der(SECOND_CERTIFICATE[0]) {
        assert!(started.elapsed() < Duration::from_secs(30), "the new certificate is not used");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn invalid_certificate_fails_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let start_error = |cert: Option<&str>, key: Option<&str>| {
        let data = tempfile::tempdir().unwrap();
        let app = App::open(Config {
            data_dir: data.path().to_owned(),
            listen: ([127, 0, 0, 1], 0).into(),
            tls_cert: cert.map(|name| dir.path().join(name)),
            tls_key: key.map(|name| dir.path().join(name)),
            ..Config::default()
        });
        let service = Service { app: app.unwrap(), routes: Vec::new(), error_page: None };
        server::run_until(service, ShutdownSignal::default(), |_| panic!()).unwrap_err().to_string()
    };
    write_certificate(FIRST_CERTIFICATE, dir.path());
    fs::write(dir.path().join("other.pem"), SECOND_CERTIFICATE[1]).unwrap();
    fs::write(dir.path().join("empty.pem"), "").unwrap();
    let check = |cert, key, field: &str| {
        let error = start_error(cert, key);
        assert!(error.starts_with(field), "{error}");
    };
    check(Some("cert.pem"), None, "tls_key: is required");
    check(None, Some("key.pem"), "tls_cert: is required");
    check(Some("absent.pem"), Some("key.pem"), "tls_cert: /");
    check(Some("empty.pem"), Some("key.pem"), "tls_cert: /");
    check(Some("cert.pem"), Some("empty.pem"), "tls_key: /");
    check(Some("cert.pem"), Some("other.pem"), "tls_cert: /");
}
