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

use super::errors;
use super::fresh;
use crate::world::json_of;
use crate::world::run;

/// An external program that ends with the test.
pub struct Peer(Child);

impl Peer {
    /// Waits until the program accepts connections at this port. Fails at once if it exits instead.
    fn listening(mut self, port: u16) -> Self {
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = self.0.try_wait().unwrap();
            assert!(ended.is_none(), "the other program ended: {ended:?}");
            assert!(began.elapsed() < Duration::from_secs(60), "the other program did not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        self
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns a port that is free for TCP and UDP. It is below the range of ephemeral ports so that no
/// client of another test and no probe of this one can take it first.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let of_process = u16::try_from(std::process::id() % 1_000).unwrap() * 10;
    let free = |port: &u16| {
        TcpListener::bind(("127.0.0.1", *port)).is_ok()
            && UdpSocket::bind(("127.0.0.1", *port)).is_ok()
    };
    std::iter::repeat_with(|| 20_000 + (of_process + NEXT.fetch_add(1, Relaxed)) % 10_000)
        .take(10_000)
        .find(free)
        .expect("a free port")
}

/// Starts dnsmasq with these names and returns its address.
fn name_server(names: &[(&str, &str)]) -> (Peer, String) {
    let port = free_port();
    let mut command = Command::new("dnsmasq");
    command.args(["--keep-in-foreground", "--no-resolv", "--no-hosts", "--bind-interfaces"]);
    command.args(["--listen-address=127.0.0.1", "--conf-file=/dev/null", "--pid-file="]);
    command.args([format!("--port={port}"), "--local=/test/".to_owned()]);
    for (name, address) in names {
        command.arg(format!("--address=/{name}/{address}"));
    }
    let peer = Peer(command.spawn().unwrap()).listening(port);
    (peer, format!("127.0.0.1:{port}"))
}

/// Starts an aiosmtpd that prints the mails that it accepts (`mail_server.py`). If a certificate
/// for `mail.test` is given, the server offers STARTTLS.
pub fn mail_server(certificate: Option<(&Path, &Path)>) -> (Peer, BufReader<ChildStdout>, u16) {
    let port = free_port();
    let (peer, out) = mail_server_at(certificate, port);
    (peer, out, port)
}

/// Starts the same server at a given port.
pub fn mail_server_at(
    certificate: Option<(&Path, &Path)>,
    port: u16,
) -> (Peer, BufReader<ChildStdout>) {
    letterbox(["--tlscert", "--tlskey"], certificate, port)
}

/// Starts the same server with implicit TLS only.
fn tls_mail_server(certificate: (&Path, &Path)) -> (Peer, BufReader<ChildStdout>, u16) {
    let port = free_port();
    let (peer, out) = letterbox(["--smtpscert", "--smtpskey"], Some(certificate), port);
    (peer, out, port)
}

fn letterbox(
    flags: [&str; 2],
    certificate: Option<(&Path, &Path)>,
    port: u16,
) -> (Peer, BufReader<ChildStdout>) {
    let mut command = Command::new("aiosmtpd");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/cli");
    command.env("PYTHONUNBUFFERED", "1").env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("PYTHONPATH", folder).args(["-n", "-l", &format!("127.0.0.1:{port}")]);
    if let Some((certificate, key)) = certificate {
        command.arg(flags[0]).arg(certificate).arg(flags[1]).arg(key);
    }
    command.args(["-c", "mail_server.Letterbox", "stdout"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    (Peer(child).listening(port), out)
}

/// Creates a self-signed certificate for `mail.test` with openssl.
fn certificate(dir: &Path) -> (std::path::PathBuf, std::path::PathBuf) {
    let (certificate, key) = (dir.join("mail.pem"), dir.join("mail.key"));
    let made = Command::new("openssl")
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
    assert!(made.success());
    (certificate, key)
}

/// Runs `chartroom mail test` with a trusted certificate.
fn send_trusting(certificate: &Path, data: &Path, settings: &[(&str, &str)]) -> Output {
    let mut command = crate::world::program(data, settings);
    command.args(["mail", "test", "ann@example.org"]).env("SSL_CERT_FILE", certificate);
    command.output().unwrap()
}

/// Returns the lines of the next mail that the server accepted.
pub fn next_mail(out: &mut impl BufRead) -> Vec<String> {
    let lines = out.lines().map(Result::unwrap);
    lines.take_while(|it| !it.contains("END MESSAGE")).collect()
}

#[test]
#[ignore = "needs dnsmasq"]
fn names_are_asked_of_the_name_server() {
    let (_peer, server) = name_server(&[("charts.test", "192.0.2.7")]);
    let names = DnsResolver::new(vec![server.parse().unwrap()]).unwrap();
    let ask = |name: &str| names.resolve(name, Duration::from_secs(5));
    assert_eq!(ask("charts.test").unwrap(), ["192.0.2.7".parse::<std::net::IpAddr>().unwrap()]);
    assert!(matches!(ask("nothing.test"), Err(Error::RemoteRefused(_))));
}

#[test]
#[ignore = "needs dnsmasq, openssl and aiosmtpd"]
fn a_test_mail_arrives_encrypted_at_a_server_found_by_name() {
    let (dir, data) = fresh();
    let (certificate, key) = certificate(dir.path());
    let (_names, dns) = name_server(&[("mail.test", "127.0.0.1")]);
    let (_mail, mut out, port) = mail_server(Some((&certificate, &key)));
    let port = port.to_string();
    let settings = [
        ("dns", dns.as_str()),
        ("smtp_host", "mail.test"),
        ("smtp_port", &port),
        ("smtp_from", "Charts <charts@example.org>"),
    ];
    let test = ["mail", "test", "ann@example.org"];
    // Nothing here trusts that certificate.
    let refused = errors(&run(&data, &settings, &test, ""), 1);
    assert!(refused[0].contains("certificate"), "{refused:?}");

    let trusted = |settings: &[(&str, &str)]| send_trusting(&certificate, &data, settings);
    json_of(&trusted(&settings));
    let mail = next_mail(&mut out).join("\n");
    assert!(mail.contains("From: Charts <charts@example.org>"), "{mail}");
    assert!(mail.contains("To: ann@example.org"), "{mail}");
    assert!(mail.contains("Subject: Chartroom test mail"), "{mail}");

    // The certificate is for another name than the requested one.
    let mut other = settings;
    other[1].1 = "127.0.0.1";
    let refused = errors(&trusted(&other), 1);
    assert!(refused[0].contains("certificate"), "{refused:?}");
}

#[test]
#[ignore = "needs dnsmasq, openssl and aiosmtpd"]
fn a_test_mail_arrives_at_a_server_that_speaks_nothing_but_tls() {
    let (dir, data) = fresh();
    let (certificate, key) = certificate(dir.path());
    let (_names, dns) = name_server(&[("mail.test", "127.0.0.1")]);
    let (_mail, mut out, port) = tls_mail_server((&certificate, &key));
    let url = format!("smtps://mail.test:{port}");
    json_of(&send_trusting(&certificate, &data, &[("dns", &dns), ("smtp_url", &url)]));
    assert!(next_mail(&mut out).join("\n").contains("To: ann@example.org"));
}

#[test]
#[ignore = "needs dnsmasq, openssl and aiosmtpd"]
fn a_mail_server_is_signed_in_to() {
    let (dir, data) = fresh();
    let (certificate, key) = certificate(dir.path());
    let (_names, dns) = name_server(&[("mail.test", "127.0.0.1")]);
    let (_mail, mut out, port) = mail_server(Some((&certificate, &key)));
    let send = |password: &str| {
        let url = format!("smtp://charts:{password}@mail.test:{port}");
        send_trusting(&certificate, &data, &[("dns", &dns), ("smtp_url", &url)])
    };
    let refused = errors(&send("guessed"), 1);
    assert!(refused[0].contains("credentials invalid"), "{refused:?}");
    assert!(!refused[0].contains("guessed"), "{refused:?}");
    json_of(&send("secret"));
    let mail = next_mail(&mut out).join("\n");
    assert!(mail.starts_with("signed in as charts\n"), "{mail}");
    assert!(mail.contains("To: ann@example.org"), "{mail}");
}

#[test]
#[ignore = "needs aiosmtpd"]
fn a_test_mail_arrives_in_clear_when_so_wanted() {
    let (_dir, data) = fresh();
    let (_mail, mut out, port) = mail_server(None);
    let url_port = port.to_string();
    let settings = [("smtp_host", "127.0.0.1"), ("smtp_port", &url_port), ("smtp_tls", "none")];
    let sent = json_of(&run(&data, &settings, &["mail", "test", "ann@example.org"], ""));
    assert_eq!(sent["server"], "127.0.0.1");
    assert!(next_mail(&mut out).join("\n").contains("chartroom@localhost"));

    let starttls = [("smtp_host", "127.0.0.1"), ("smtp_port", &url_port)];
    let refused = errors(&run(&data, &starttls, &["mail", "test", "ann@example.org"], ""), 1);
    assert!(refused[0].contains("refused"), "{refused:?}");
    let _ = fs::remove_dir_all(&data);
}
