//! Mail over SMTP.
//!
//! The host name of the mail server is resolved by [`DnsResolver`]. Its certificate is checked
//! against the configured name, not against the address.

use std::net::IpAddr;
use std::time::Duration;

use askama::Template;
use lettre::Address;
use lettre::Message;
use lettre::SmtpTransport;
use lettre::Transport;
use lettre::message::Mailbox;
use lettre::message::MultiPart;
use lettre::message::header::ContentType;
use lettre::message::header::HeaderName;
use lettre::message::header::HeaderValue;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::Certificate;
use lettre::transport::smtp::client::CertificateStore;
use lettre::transport::smtp::client::Tls;
use lettre::transport::smtp::client::TlsParameters;

use crate::config::Config;
use crate::config::MailTls;
use crate::db::Db;
use crate::db::Tx;
use crate::error::Error;
use crate::error::Result;
use crate::remote::DnsResolver;
use crate::remote::TrustedRoots;

/// Maximum time for the name lookup and for each SMTP command.
const STEP_TIMEOUT: Duration = Duration::from_secs(15);

/// A mail.
#[derive(Debug, Clone)]
pub struct Mail {
    /// Recipient: an address, or a name and the address in angle brackets.
    pub to: String,
    /// Subject line.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// The same content as HTML. The mail program of the recipient chooses one of the two.
    pub html: Option<String>,
}

impl Mail {
    /// Renders a mail to `to` from a template for its plain text and one for its HTML. Sends
    /// nothing.
    ///
    /// # Errors
    /// `Internal` if a template cannot be rendered.
    pub fn render(
        to: &str,
        subject: String,
        text: &impl Template,
        html: &impl Template,
    ) -> Result<Self> {
        let template_error = |error: askama::Error| Error::internal(error.to_string());
        let (text, html) =
            (text.render().map_err(template_error)?, html.render().map_err(template_error)?);
        Ok(Self { to: to.to_owned(), subject, text, html: Some(html) })
    }
}

/// Sends a mail with the configured mail server. Returns false if none is configured.
///
/// # Errors
/// The errors of [`DnsResolver::new`], [`Mailer::new`] and [`Mailer::send`].
pub fn send(config: &Config, mail: &Mail) -> Result<bool> {
    let Some(mailer) = Mailer::new(config, DnsResolver::new(config.dns.clone())?)? else {
        return Ok(false);
    };
    mailer.send(mail)?;
    Ok(true)
}

/// Sends the mail of a background task: reads its content with `load` in a read transaction, and
/// afterwards builds the mail with `render` and sends it.
///
/// Returns false if the mail was not sent because no mail server is configured. If `load` returns
/// None, sends nothing and returns true.
///
/// # Errors
/// The errors of `load`, of `render` and of [`send`].
pub fn send_task_mail<T>(
    db: &Db,
    config: &Config,
    load: impl FnOnce(&Tx<'_>) -> Result<Option<T>>,
    render: impl FnOnce(&T) -> Result<Mail>,
) -> Result<bool> {
    match db.read(load)? {
        Some(content) => send(config, &render(&content)?),
        None => Ok(true),
    }
}

/// A client of the configured mail server.
#[derive(Debug, Clone)]
pub struct Mailer {
    host: String,
    port: u16,
    tls: MailTls,
    credentials: Option<Credentials>,
    from: Mailbox,
    resolver: DnsResolver,
}

impl Mailer {
    /// Creates a mailer from the settings. Returns None if no mail server is configured.
    ///
    /// # Errors
    /// `Invalid` if the sender is not a mail address.
    pub fn new(config: &Config, resolver: DnsResolver) -> Result<Option<Self>> {
        if config.smtp_host.is_empty() {
            return Ok(None);
        }
        let default_port = match config.smtp_tls {
            // RFC 6409, RFC 8314, RFC 5321.
            MailTls::Starttls => 587,
            MailTls::Tls => 465,
            MailTls::None => 25,
        };
        let user = &config.smtp_user;
        let credentials = (!user.is_empty())
            .then(|| Credentials::new(user.clone(), config.smtp_password.reveal().to_owned()));
        Ok(Some(Self {
            host: config.smtp_host.clone(),
            port: config.smtp_port.unwrap_or(default_port),
            tls: config.smtp_tls,
            credentials,
            from: build_sender(config)?,
            resolver,
        }))
    }

    /// Sends a mail. On success the mail server has accepted it.
    ///
    /// Tries the addresses of the mail server in their order until one of them responds.
    ///
    /// # Errors
    /// - `Invalid` if the recipient is not an address, the message cannot be built, or the trusted
    ///   root certificates are unusable.
    /// - `RemoteTimeout` or `RemoteRefused` if the mail server cannot be reached or does not accept
    ///   the mail.
    pub fn send(&self, mail: &Mail) -> Result<()> {
        let to: Mailbox = mail
            .to
            .parse()
            .map_err(|_| Error::Invalid(format!("{} is not a mail address", mail.to)))?;
        // RFC 3834: prevents automatic replies, such as absence notes.
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        let message = Message::builder()
            .raw_header(HeaderValue::new(automatic, "auto-generated".to_owned()))
            .from(self.from.clone())
            .to(to)
            .subject(&mail.subject)
            .message_id(None);
        let text = mail.text.clone();
        let message = match &mail.html {
            Some(html) => message.multipart(MultiPart::alternative_plain_html(text, html.clone())),
            None => message.header(ContentType::TEXT_PLAIN).body(text),
        };
        let message = message.map_err(|error| Error::Invalid(error.to_string()))?;
        let mut failure = Error::RemoteTimeout;
        for ip in self.resolver.resolve(&self.host, STEP_TIMEOUT)? {
            let Err(error) = self.build_transport(ip)?.send(&message) else { return Ok(()) };
            failure = self.convert_error(&error);
            if server_responded(&error) {
                // The server refused the mail or may have accepted it. Another address of the same
                // server would refuse it as well, or would send it twice.
                break;
            }
        }
        Err(failure)
    }

    /// Returns a transport to the mail server at `ip`, without connecting yet. STARTTLS is required
    /// if it is configured.
    fn build_transport(&self, ip: IpAddr) -> Result<SmtpTransport> {
        let tls = match self.tls {
            MailTls::None => Tls::None,
            MailTls::Starttls => Tls::Required(self.build_tls_parameters()?),
            MailTls::Tls => Tls::Wrapper(self.build_tls_parameters()?),
        };
        let mut builder = SmtpTransport::builder_dangerous(ip.to_string())
            .port(self.port)
            .tls(tls)
            .timeout(Some(STEP_TIMEOUT));
        if let Some(credentials) = &self.credentials {
            builder = builder.credentials(credentials.clone());
        }
        Ok(builder.build())
    }

    /// Returns TLS parameters that check the certificate of the mail server against the configured
    /// host name and [`TrustedRoots`].
    fn build_tls_parameters(&self) -> Result<TlsParameters> {
        let mut builder = TlsParameters::builder(self.host.clone());
        match TrustedRoots::load()? {
            TrustedRoots::File { ders, .. } => {
                builder = builder.certificate_store(CertificateStore::None);
                for der in ders {
                    let certificate = Certificate::from_der(der)
                        .map_err(|error| Error::internal(error.to_string()))?;
                    builder = builder.add_root_certificate(certificate);
                }
            }
            TrustedRoots::BuiltIn => {
                builder = builder.certificate_store(CertificateStore::WebpkiRoots)
            }
        }
        builder.build().map_err(|error| Error::Invalid(error.to_string()))
    }

    /// Converts an SMTP error: a timeout to `RemoteTimeout`, any other error to `RemoteRefused`
    /// with the texts of the error and its causes.
    fn convert_error(&self, error: &lettre::transport::smtp::Error) -> Error {
        if error.is_timeout() {
            return Error::RemoteTimeout;
        }
        let mut text = error.to_string();
        let mut inner = std::error::Error::source(error);
        while let Some(cause) = inner {
            let more = cause.to_string();
            if !text.contains(&more) {
                text = format!("{text}: {more}");
            }
            inner = cause.source();
        }
        let outcome = if server_responded(error) { "refused" } else { "could not be reached" };
        Error::RemoteRefused(format!(
            "the mail server {}:{} {outcome}: {text}",
            self.host, self.port
        ))
    }
}

/// Returns whether trying another address is useless: a mail server responded at this one, in SMTP
/// or TLS, or the client itself failed.
fn server_responded(error: &lettre::transport::smtp::Error) -> bool {
    error.status().is_some() || error.is_response() || error.is_tls() || error.is_client()
}

/// Returns the configured sender, or `chartroom@` and the host of the base URL.
///
/// If the base URL has no host name, for example because it has an IP address, the host is
/// `localhost`.
///
/// # Errors
/// `Invalid` if the sender is not a mail address.
fn build_sender(config: &Config) -> Result<Mailbox> {
    let invalid = |text: &str| Error::Invalid(format!("smtp_from: {text} is not a mail address"));
    if !config.smtp_from.is_empty() {
        return config.smtp_from.parse().map_err(|_| invalid(&config.smtp_from));
    }
    let uri: hyper::Uri = config.base_url.parse().unwrap_or_default();
    // lettre does not support address literals (RFC 5321, 4.1.3), and few mail servers accept them.
    let is_name = |host: &&str| host.trim_matches(['[', ']']).parse::<IpAddr>().is_err();
    let host = uri.host().filter(is_name).unwrap_or("localhost");
    let address = Address::new("chartroom", host).map_err(|_| invalid(host))?;
    Ok(Mailbox::new(Some("Chartroom".to_owned()), address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sender_is_configured_or_derived_from_the_base_url() {
        let check = |from: &str, base_url: &str, want: &str| {
            let config = Config {
                smtp_from: from.to_owned(),
                base_url: base_url.to_owned(),
                ..Config::default()
            };
            assert_eq!(build_sender(&config).unwrap().to_string(), want);
        };
        check("", "https://charts.example.org", "Chartroom <chartroom@charts.example.org>");
        check("", "http://127.0.0.1:8080", "Chartroom <chartroom@localhost>");
        check("Ann <ann@example.org>", "http://[::1]:80", "Ann <ann@example.org>");
    }

    #[test]
    fn there_is_no_mailer_without_a_configured_mail_server() {
        let resolver = DnsResolver::new(Vec::new()).unwrap();
        assert!(Mailer::new(&Config::default(), resolver).unwrap().is_none());
    }
}
