//! Checks of settings against each other, and settings derived from others.

use percent_encoding::percent_decode_str;

use super::keywords::MailTls;
use super::loaded::ConfigProblem;
use super::loaded::LoadedConfig;
use super::loaded::ValueOrigin;
use super::settings::Config;
use super::value_format::Secret;

/// Sets the values that are derived from `listen` and `smtp_url`, and returns the problems: an
/// invalid `smtp_url` and the results of `find_conflicts`.
pub(super) fn derive_and_validate(loaded: &mut LoadedConfig) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    if loaded.origin("base_url") == &ValueOrigin::Default {
        loaded.config.base_url = loaded.config.listen_url(loaded.config.listen);
        loaded.set_origin("base_url", ValueOrigin::DerivedFrom("listen"));
    }
    if !loaded.config.smtp_url.is_empty() {
        problems.extend(apply_smtp_url(loaded).err());
    }
    problems.extend(find_conflicts(&loaded.config));
    problems
}

/// Returns a problem for each setting that conflicts with others or lacks a required other setting,
/// and for an invalid `log` or `smtp_from`.
fn find_conflicts(config: &Config) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    let mut report_if = |is_conflict: bool, name: &str, message: &str| {
        if is_conflict {
            problems.push(ConfigProblem { place: name.to_owned(), message: message.to_owned() });
        }
    };
    report_if(
        config.tls_cert.is_some() && config.tls_key.is_none(),
        "tls_key",
        "must be set, because tls_cert is set",
    );
    report_if(
        config.tls_key.is_some() && config.tls_cert.is_none(),
        "tls_cert",
        "must be set, because tls_key is set",
    );
    report_if(
        config.max_body_bytes > config.max_document_bytes,
        "max_body_bytes",
        "must not exceed max_document_bytes",
    );
    report_if(
        config.log.parse::<tracing_subscriber::EnvFilter>().is_err(),
        "log",
        "must be a level or a list such as info,access=off",
    );
    let has_mail = !config.smtp_host.is_empty();
    report_if(
        !has_mail && !config.smtp_user.is_empty(),
        "smtp_host",
        "must be set, because smtp_user is set",
    );
    report_if(
        config.smtp_user.is_empty() && !config.smtp_password.is_empty(),
        "smtp_user",
        "must be set, because smtp_password is set",
    );
    report_if(
        has_mail && config.smtp_tls == MailTls::None && !config.smtp_password.is_empty(),
        "smtp_tls",
        "must not be none, because the password would be sent unencrypted",
    );
    let from = &config.smtp_from;
    report_if(
        !from.is_empty() && from.parse::<lettre::message::Mailbox>().is_err(),
        "smtp_from",
        "must be a mail address",
    );
    problems.extend(find_missing_client_secrets(config));
    problems
}

/// Returns a problem for each provider of cloud storage that has a client id without a client secret.
fn find_missing_client_secrets(config: &Config) -> Vec<ConfigProblem> {
    let clients = [
        ("box_client_secret", &config.box_client_id, &config.box_client_secret),
        ("dropbox_client_secret", &config.dropbox_client_id, &config.dropbox_client_secret),
        (
            "googledrive_client_secret",
            &config.googledrive_client_id,
            &config.googledrive_client_secret,
        ),
        ("onedrive_client_secret", &config.onedrive_client_id, &config.onedrive_client_secret),
        (
            "smartsheet_client_secret",
            &config.smartsheet_client_id,
            &config.smartsheet_client_secret,
        ),
    ];
    let is_missing =
        |(_, id, secret): &(&str, &String, &Secret)| !id.is_empty() && secret.is_empty();
    let problem = |(name, _, _): (&str, &String, &Secret)| ConfigProblem {
        place: name.to_owned(),
        message: "must be set, because the client id is set".to_owned(),
    };
    clients.into_iter().filter(is_missing).map(problem).collect()
}

/// Parses `smtp_url` and sets host, port, encryption, user and password of the mail server. `smtp://`
/// means STARTTLS, and `smtps://` means TLS. Without credentials in the URL, user and password stay
/// empty. Without a port, the default port applies.
///
/// # Errors
/// The URL is invalid, or one of these settings is also set.
fn apply_smtp_url(loaded: &mut LoadedConfig) -> Result<(), ConfigProblem> {
    let problem = |message: &str| ConfigProblem {
        place: "smtp_url".to_owned(),
        message: format!("{message}; expected smtps://user:password@host:465"),
    };
    let parts = ["smtp_host", "smtp_port", "smtp_tls", "smtp_user", "smtp_password"];
    if let Some(other) = parts.iter().find(|part| loaded.origin(part) != &ValueOrigin::Default) {
        return Err(problem(&format!("{other} is also set; set only one of them")));
    }
    let uri: hyper::Uri =
        (loaded.config.smtp_url.reveal()).parse().map_err(|_| problem("is not a valid URL"))?;
    let config = &mut loaded.config;
    config.smtp_tls = match uri.scheme_str() {
        Some("smtp") => MailTls::Starttls,
        Some("smtps") => MailTls::Tls,
        _ => return Err(problem("must start with smtp:// or smtps://")),
    };
    let authority = uri.authority().ok_or_else(|| problem("must contain a host"))?;
    config.smtp_host = authority.host().trim_matches(['[', ']']).to_owned();
    config.smtp_port = authority.port_u16();
    if let Some((credentials, _)) = authority.as_str().rsplit_once('@') {
        let (user, password) = credentials.split_once(':').unwrap_or((credentials, ""));
        let decode = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
        config.smtp_user = decode(user);
        config.smtp_password = Secret::from(decode(password));
    }
    for part in parts {
        loaded.set_origin(part, ValueOrigin::DerivedFrom("smtp_url"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::layers::ConfigSources;
    use super::super::layers::load;
    use super::*;

    fn load_flags(flags: &[(&'static str, &str)]) -> Result<LoadedConfig, Vec<ConfigProblem>> {
        let flags = flags.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        load(&ConfigSources { flags, ..ConfigSources::default() })
    }

    #[test]
    fn the_base_url_is_derived_from_listen_and_tls() {
        let check = |flags: &[(&'static str, &str)], want: &str| {
            assert_eq!(load_flags(flags).unwrap().config.base_url, want);
        };
        check(&[], "http://127.0.0.1:8080");
        check(&[("listen", "0.0.0.0:80")], "http://127.0.0.1:80");
        check(&[("listen", "[::]:80")], "http://[::1]:80");
        check(&[("tls_cert", "a"), ("tls_key", "b")], "https://127.0.0.1:8080");
        check(&[("base_url", "https://example.org/")], "https://example.org");
    }

    #[test]
    fn smtp_url_sets_the_other_smtp_settings() {
        let loaded =
            load_flags(&[("smtp_url", "smtps://ann%40x:p%3Aw@mail.example.org:2465")]).unwrap();
        let config = &loaded.config;
        assert_eq!(config.smtp_host, "mail.example.org");
        assert_eq!(config.smtp_port, Some(2465));
        assert_eq!(config.smtp_tls, MailTls::Tls);
        assert_eq!(config.smtp_user, "ann@x");
        assert_eq!(config.smtp_password.reveal(), "p:w");
        assert_eq!(loaded.origin("smtp_host"), &ValueOrigin::DerivedFrom("smtp_url"));
    }

    #[test]
    fn conflicting_settings_are_reported() {
        let check = |flags: &[(&'static str, &str)], want: &str| {
            assert_eq!(load_flags(flags).unwrap_err()[0].place, want, "{flags:?}");
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
