//! Settings that must agree with each other, and those that follow from others.

use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::Ipv6Addr;
use std::net::SocketAddr;

use percent_encoding::percent_decode_str;

use super::Config;
use super::form::Secret;
use super::layers::Loaded;
use super::layers::Origin;
use super::layers::Problem;
use super::words::MailTls;

/// Fills in what follows from other settings and checks what must agree.
pub(super) fn resolve(loaded: &mut Loaded) -> Vec<Problem> {
    let mut problems = Vec::new();
    if loaded.origin("base_url") == &Origin::Default {
        loaded.config.base_url = loaded.config.own_url(loaded.config.listen);
        loaded.set_origin("base_url", Origin::From("listen"));
    }
    if !loaded.config.smtp_url.is_empty() {
        problems.extend(apply_smtp_url(loaded).err());
    }
    problems.extend(disagreements(&loaded.config));
    problems
}

fn disagreements(config: &Config) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut check = |broken: bool, name: &str, message: &str| {
        if broken {
            problems.push(Problem { place: name.to_owned(), message: message.to_owned() });
        }
    };
    check(
        config.tls_cert.is_some() && config.tls_key.is_none(),
        "tls_key",
        "is missing: a certificate needs its private key",
    );
    check(
        config.tls_key.is_some() && config.tls_cert.is_none(),
        "tls_cert",
        "is missing: a private key needs its certificate",
    );
    check(
        config.max_body_bytes > config.max_document_bytes,
        "max_body_bytes",
        "is larger than max_document_bytes",
    );
    check(
        config.log.parse::<tracing_subscriber::EnvFilter>().is_err(),
        "log",
        "is not a level, nor a list such as info,access=off",
    );
    let mail = !config.smtp_host.is_empty();
    check(
        !mail && !config.smtp_user.is_empty(),
        "smtp_host",
        "is missing: there is a name to sign in with",
    );
    check(
        config.smtp_user.is_empty() && !config.smtp_password.is_empty(),
        "smtp_user",
        "is missing: there is a password to sign in with",
    );
    check(
        mail && config.smtp_tls == MailTls::None && !config.smtp_password.is_empty(),
        "smtp_tls",
        "is none: the password would cross the network in clear",
    );
    let from = &config.smtp_from;
    check(
        !from.is_empty() && from.parse::<lettre::message::Mailbox>().is_err(),
        "smtp_from",
        "is not a mail address",
    );
    problems
}

/// Takes `smtp_url` apart into the settings it stands for.
fn apply_smtp_url(loaded: &mut Loaded) -> Result<(), Problem> {
    let problem = |message: &str| Problem {
        place: "smtp_url".to_owned(),
        message: format!("{message}; expected smtps://user:password@host:465"),
    };
    let parts = ["smtp_host", "smtp_port", "smtp_tls", "smtp_user", "smtp_password"];
    if let Some(other) = parts.iter().find(|it| loaded.origin(it) != &Origin::Default) {
        return Err(problem(&format!("{other} is set too; set one of them")));
    }
    let uri: hyper::Uri =
        (loaded.config.smtp_url.reveal()).parse().map_err(|_| problem("is not an address"))?;
    let config = &mut loaded.config;
    config.smtp_tls = match uri.scheme_str() {
        Some("smtp") => MailTls::Starttls,
        Some("smtps") => MailTls::Tls,
        _ => return Err(problem("must begin with smtp:// or smtps://")),
    };
    let authority = uri.authority().ok_or_else(|| problem("names no host"))?;
    config.smtp_host = authority.host().trim_matches(['[', ']']).to_owned();
    config.smtp_port = authority.port_u16();
    if let Some((sign_in, _)) = authority.as_str().rsplit_once('@') {
        let (user, password) = sign_in.split_once(':').unwrap_or((sign_in, ""));
        let decode = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
        config.smtp_user = decode(user);
        config.smtp_password = Secret::from(decode(password));
    }
    for part in parts {
        loaded.set_origin(part, Origin::From("smtp_url"));
    }
    Ok(())
}

/// The address at which this machine reaches a server that listens on `listen`: "every address"
/// becomes the loopback address.
pub fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

#[cfg(test)]
mod tests {
    use super::super::Sources;
    use super::super::layers::load;
    use super::*;

    fn with(flags: &[(&'static str, &str)]) -> Result<Loaded, Vec<Problem>> {
        let flags = flags.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        load(&Sources { flags, ..Sources::default() })
    }

    #[test]
    fn the_base_url_follows_from_the_address_and_the_certificate() {
        let check = |flags: &[(&'static str, &str)], want: &str| {
            assert_eq!(with(flags).unwrap().config.base_url, want);
        };
        check(&[], "http://127.0.0.1:8080");
        check(&[("listen", "0.0.0.0:80")], "http://127.0.0.1:80");
        check(&[("listen", "[::]:80")], "http://[::1]:80");
        check(&[("tls_cert", "a"), ("tls_key", "b")], "https://127.0.0.1:8080");
        check(&[("base_url", "https://example.org/")], "https://example.org");
    }

    #[test]
    fn a_mail_url_stands_for_its_parts() {
        let loaded = with(&[("smtp_url", "smtps://ann%40x:p%3Aw@mail.example.org:2465")]).unwrap();
        let config = &loaded.config;
        assert_eq!(config.smtp_host, "mail.example.org");
        assert_eq!(config.smtp_port, Some(2465));
        assert_eq!(config.smtp_tls, MailTls::Tls);
        assert_eq!(config.smtp_user, "ann@x");
        assert_eq!(config.smtp_password.reveal(), "p:w");
        assert_eq!(loaded.origin("smtp_host"), &Origin::From("smtp_url"));
    }

    #[test]
    fn settings_that_disagree_are_named() {
        let check = |flags: &[(&'static str, &str)], want: &str| {
            assert_eq!(with(flags).unwrap_err()[0].place, want, "{flags:?}");
        };
        check(&[("tls_cert", "a")], "tls_key");
        check(&[("tls_key", "a")], "tls_cert");
        check(&[("max_body_bytes", "1 GiB")], "max_body_bytes");
        check(&[("log", "a=b=c")], "log");
        check(&[("smtp_host", "a"), ("smtp_password", "b")], "smtp_user");
        check(&[("smtp_user", "a")], "smtp_host");
        check(&[("smtp_url", "smtp://a"), ("smtp_host", "b")], "smtp_url");
        check(&[("smtp_url", "https://a")], "smtp_url");
        check(&[("smtp_from", "nobody")], "smtp_from");
    }
}
