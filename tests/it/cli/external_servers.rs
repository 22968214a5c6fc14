//! Tests of the program with a real name server (dnsmasq) and a real mail server (aiosmtpd).
//!
//! Not every machine has these programs. Run the tests where they are installed:
//! `cargo test -- --ignored`.

use std::fs;
use std::io::BufRead;
use std::io::BufReader;
use std::net::TcpListener;
use std::net::TcpStream;
use std::net::UdpSocket;
use std::path::Path;
use std::process::Child;
use std::process::ChildStdout;
use std::process::Command;
use std::process::Output;
use std::process::Stdio;
use std::sync::atomic::AtomicU16;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use std::time::Instant;

use chartroom_platform::error::Error;
use chartroom_platform::remote::DnsResolver;

use super::expect_errors;
use super::new_data_dir;
use crate::server_process::parse_json_output;
use crate::server_process::run_program;

/// An external program that ends with the test.
pub struct ExternalProcess(Child);

impl ExternalProcess {
    /// Waits until the program accepts connections at this port. Fails at once if it exits instead.
    fn wait_until_listening(mut self, port: u16) -> Self {
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let exit_status = self.0.try_wait().unwrap();
            assert!(exit_status.is_none(), "the other program ended: {exit_status:?}");
            assert!(started.elapsed() < Duration::from_secs(60), "the other program did not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        self
    }
}

impl Drop for ExternalProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns a port that is free for TCP and UDP. It is below the range of ephemeral ports so that no
/// client of another test and no probe of this one can take it first.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let process_offset = u16::try_from(std::process::id() % 1_000).unwrap() * 10;
    let is_free = |port: &u16| {
        TcpListener::bind(("127.0.0.1", *port)).is_ok()
            && UdpSocket::bind(("127.0.0.1", *port)).is_ok()
    };
    std::iter::repeat_with(|| 20_000 + (process_offset + NEXT.fetch_add(1, Relaxed)) % 10_000)
        .take(10_000)
        .find(is_free)
        .expect("a free port")
}

/// Starts dnsmasq with these names and returns its address.
fn start_dnsmasq(names: &[(&str, &str)]) -> (ExternalProcess, String) {
    let addresses: Vec<String> =
        names.iter().map(|(name, address)| format!("--address=/{name}/{address}")).collect();
    start_dnsmasq_with(&addresses)
}

/// Starts dnsmasq with these arguments and returns its address. It knows only names below `test`.
pub fn start_dnsmasq_with(arguments: &[String]) -> (ExternalProcess, String) {
    let port = free_port();
    let mut command = Command::new("dnsmasq");
    command.args(["--keep-in-foreground", "--no-resolv", "--no-hosts", "--bind-interfaces"]);
    command.args(["--listen-address=127.0.0.1", "--conf-file=/dev/null", "--pid-file="]);
    command.args([format!("--port={port}"), "--local=/test/".to_owned()]).args(arguments);
    let peer = ExternalProcess(command.spawn().unwrap()).wait_until_listening(port);
    (peer, format!("127.0.0.1:{port}"))
}

/// Starts an aiosmtpd that prints the mails that it accepts (`mail_server.py`). If a certificate
/// for `mail.test` is given, the server offers STARTTLS.
pub fn start_mail_server(
    certificate: Option<(&Path, &Path)>,
) -> (ExternalProcess, BufReader<ChildStdout>, u16) {
    let port = free_port();
    let (peer, stdout) = start_mail_server_at(certificate, port);
    (peer, stdout, port)
}

/// Starts the server of [`start_mail_server`] at a given port.
pub fn start_mail_server_at(
    certificate: Option<(&Path, &Path)>,
    port: u16,
) -> (ExternalProcess, BufReader<ChildStdout>) {
    start_aiosmtpd(["--tlscert", "--tlskey"], certificate, port)
}

/// Starts the server of [`start_mail_server`] with implicit TLS only.
fn start_tls_mail_server(
    certificate: (&Path, &Path),
) -> (ExternalProcess, BufReader<ChildStdout>, u16) {
    let port = free_port();
    let (peer, stdout) = start_aiosmtpd(["--smtpscert", "--smtpskey"], Some(certificate), port);
    (peer, stdout, port)
}

/// Starts aiosmtpd at a port with the handler of `mail_server.py`. `flags` are the names of the
/// arguments for the certificate and its key.
fn start_aiosmtpd(
    flags: [&str; 2],
    certificate: Option<(&Path, &Path)>,
    port: u16,
) -> (ExternalProcess, BufReader<ChildStdout>) {
    let mut command = Command::new("aiosmtpd");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/cli");
    command.env("PYTHONUNBUFFERED", "1").env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("PYTHONPATH", folder).args(["-n", "-l", &format!("127.0.0.1:{port}")]);
    if let Some((certificate, key)) = certificate {
        command.arg(flags[0]).arg(certificate).arg(flags[1]).arg(key);
    }
    command.args(["-c", "mail_server.Letterbox", "stdout"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    (ExternalProcess(child).wait_until_listening(port), stdout)
}

/// Creates a self-signed certificate for `mail.test` with openssl.
fn create_certificate(dir: &Path) -> (std::path::PathBuf, std::path::PathBuf) {
    let (certificate, key) = (dir.join("mail.pem"), dir.join("mail.key"));
    let status = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=mail.test", "-addext", "subjectAltName=DNS:mail.test"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-out")
        .arg(&certificate)
        .arg("-keyout")
        .arg(&key)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    (certificate, key)
}

/// Runs `chartroom mail test` with a trusted certificate.
fn send_test_mail_trusting(certificate: &Path, data: &Path, settings: &[(&str, &str)]) -> Output {
    let mut command = crate::server_process::program_command(data, settings);
    command.args(["mail", "test", "ann@example.org"]).env("SSL_CERT_FILE", certificate);
    command.output().unwrap()
}

/// Returns the lines of the next mail that the server accepted.
pub fn read_next_mail(stdout: &mut impl BufRead) -> Vec<String> {
    let lines = stdout.lines().map(Result::unwrap);
    lines.take_while(|line| !line.contains("END MESSAGE")).collect()
}

#[test]
#[ignore = "needs dnsmasq"]
fn names_are_resolved_by_the_configured_name_server() {
    let (_peer, server) = start_dnsmasq(&[("charts.test", "192.0.2.7")]);
    let resolver = DnsResolver::new(vec![server.parse().unwrap()]).unwrap();
    let resolve = |name: &str| resolver.resolve(name, Duration::from_secs(5));
    assert_eq!(resolve("charts.test").unwrap(), ["192.0.2.7".parse::<std::net::IpAddr>().unwrap()]);
    assert!(matches!(resolve("nothing.test"), Err(Error::RemoteRefused(_))));
}

#[test]
#[ignore = "needs dnsmasq, openssl and aiosmtpd"]
fn test_mail_is_sent_with_starttls_and_checks_the_certificate() {
    let (dir, data) = new_data_dir();
    let (certificate, key) = create_certificate(dir.path());
    let (_names, dns) = start_dnsmasq(&[("mail.test", "127.0.0.1")]);
    let (_mail, mut mail_output, port) = start_mail_server(Some((&certificate, &key)));
    let port = port.to_string();
    let settings = [
        ("dns", dns.as_str()),
        ("smtp_host", "mail.test"),
        ("smtp_port", &port),
        ("smtp_from", "Charts <charts@example.org>"),
    ];
    let send_test_mail = ["mail", "test", "ann@example.org"];
    // The certificate is not trusted by default.
    let refused = expect_errors(&run_program(&data, &settings, &send_test_mail, ""), 1);
    assert!(refused[0].contains("certificate"), "{refused:?}");

    let send_trusted =
        |settings: &[(&str, &str)]| send_test_mail_trusting(&certificate, &data, settings);
    parse_json_output(&send_trusted(&settings));
    let mail = read_next_mail(&mut mail_output).join("\n");
    assert!(mail.contains("From: Charts <charts@example.org>"), "{mail}");
    assert!(mail.contains("To: ann@example.org"), "{mail}");
    assert!(mail.contains("Subject: Chartroom test mail"), "{mail}");

    // The certificate is for another name than the requested one.
    let mut other = settings;
    other[1].1 = "127.0.0.1";
    let refused = expect_errors(&send_trusted(&other), 1);
    assert!(refused[0].contains("certificate"), "{refused:?}");
}

#[test]
#[ignore = "needs dnsmasq, openssl and aiosmtpd"]
fn test_mail_is_sent_with_implicit_tls() {
    let (dir, data) = new_data_dir();
    let (certificate, key) = create_certificate(dir.path());
    let (_names, dns) = start_dnsmasq(&[("mail.test", "127.0.0.1")]);
    let (_mail, mut mail_output, port) = start_tls_mail_server((&certificate, &key));
    let url = format!("smtps://mail.test:{port}");
    parse_json_output(&send_test_mail_trusting(
        &certificate,
        &data,
        &[("dns", &dns), ("smtp_url", &url)],
    ));
    assert!(read_next_mail(&mut mail_output).join("\n").contains("To: ann@example.org"));
}

#[test]
#[ignore = "needs dnsmasq, openssl and aiosmtpd"]
fn test_mail_is_sent_with_credentials() {
    let (dir, data) = new_data_dir();
    let (certificate, key) = create_certificate(dir.path());
    let (_names, dns) = start_dnsmasq(&[("mail.test", "127.0.0.1")]);
    let (_mail, mut mail_output, port) = start_mail_server(Some((&certificate, &key)));
    let send = |password: &str| {
        let url = format!("smtp://charts:{password}@mail.test:{port}");
        send_test_mail_trusting(&certificate, &data, &[("dns", &dns), ("smtp_url", &url)])
    };
    let refused = expect_errors(&send("guessed"), 1);
    assert!(refused[0].contains("credentials invalid"), "{refused:?}");
    assert!(!refused[0].contains("guessed"), "{refused:?}");
    parse_json_output(&send("secret"));
    let mail = read_next_mail(&mut mail_output).join("\n");
    assert!(mail.starts_with("signed in as charts\n"), "{mail}");
    assert!(mail.contains("To: ann@example.org"), "{mail}");
}

#[test]
#[ignore = "needs aiosmtpd"]
fn test_mail_is_sent_unencrypted_if_configured() {
    let (_dir, data) = new_data_dir();
    let (_mail, mut mail_output, port) = start_mail_server(None);
    let url_port = port.to_string();
    let settings = [("smtp_host", "127.0.0.1"), ("smtp_port", &url_port), ("smtp_tls", "none")];
    let sent =
        parse_json_output(&run_program(&data, &settings, &["mail", "test", "ann@example.org"], ""));
    assert_eq!(sent["server"], "127.0.0.1");
    assert!(read_next_mail(&mut mail_output).join("\n").contains("chartroom@localhost"));

    let starttls = [("smtp_host", "127.0.0.1"), ("smtp_port", &url_port)];
    let refused =
        expect_errors(&run_program(&data, &starttls, &["mail", "test", "ann@example.org"], ""), 1);
    assert!(refused[0].contains("refused"), "{refused:?}");
    let _ = fs::remove_dir_all(&data);
}
