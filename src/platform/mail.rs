//! Sends mail over SMTP, to the server's address as our own resolver found it.
//!
//! The certificate is checked against the configured name, not the address.

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
use crate::error::Error;
use crate::error::Result;
use crate::remote::Names;
use crate::remote::Roots;

/// Longest wait for each step of the conversation with the mail server.
const STEP_TIMEOUT: Duration = Duration::from_secs(15);

/// One mail.
#[derive(Debug, Clone)]
pub struct Mail {
    /// To whom: an address, or a name and the address in angle brackets.
    pub to: String,
    /// The subject line.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The same as HTML, for programs that show it; they choose.
    pub html: Option<String>,
}

impl Mail {
    /// A mail of templates.
    pub fn of(
        to: &str,
        subject: String,
        text: &impl Template,
        html: &impl Template,
    ) -> Result<Self> {
        let broken = |error: askama::Error| Error::internal(error.to_string());
        let (text, html) = (text.render().map_err(broken)?, html.render().map_err(broken)?);
        Ok(Self { to: to.to_owned(), subject, text, html: Some(html) })
    }
}

/// Sends a mail by the settings; false when no mail server is set.
///
/// # Errors
/// As [`Mailer::new`] and [`Mailer::send`].
pub fn send(config: &Config, mail: &Mail) -> Result<bool> {
    let Some(mailer) = Mailer::new(config, Names::new(config.dns.clone())?)? else {
        return Ok(false);
    };
    mailer.send(mail)?;
    Ok(true)
}

/// Sends mails by the settings.
#[derive(Debug, Clone)]
pub struct Mailer {
    host: String,
    port: u16,
    tls: MailTls,
    credentials: Option<Credentials>,
    from: Mailbox,
    names: Names,
}

impl Mailer {
    /// The mailer for these settings; `None` when no mail server is set.
    ///
    /// # Errors
    /// `Invalid` when the sender is not a mail address.
    pub fn new(config: &Config, names: Names) -> Result<Option<Self>> {
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
            from: sender(config)?,
            names,
        }))
    }

    /// Sends a mail; when this returns, the mail server has taken it.
    ///
    /// # Errors
    /// `Invalid` when the mail cannot be written down, `RemoteTimeout` and `RemoteRefused` when
    /// the mail server does not take it.
    pub fn send(&self, mail: &Mail) -> Result<()> {
        let to: Mailbox = mail
            .to
            .parse()
            .map_err(|_| Error::Invalid(format!("{} is not a mail address", mail.to)))?;
        // RFC 3834: nobody's absence note comes back.
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
        for ip in self.names.lookup(&self.host, STEP_TIMEOUT)? {
            let Err(error) = self.transport(ip)?.send(&message) else { return Ok(()) };
            failure = self.error(&error);
            if answered(&error) {
                // It said no, or may have taken the mail: another address of the same server would
                // not know better.
                break;
            }
        }
        Err(failure)
    }

    fn transport(&self, ip: IpAddr) -> Result<SmtpTransport> {
        let tls = match self.tls {
            MailTls::None => Tls::None,
            MailTls::Starttls => Tls::Required(self.tls_parameters()?),
            MailTls::Tls => Tls::Wrapper(self.tls_parameters()?),
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

    fn tls_parameters(&self) -> Result<TlsParameters> {
        let mut builder = TlsParameters::builder(self.host.clone());
        match Roots::load()? {
            Roots::Some { ders, .. } => {
                builder = builder.certificate_store(CertificateStore::None);
                for der in ders {
                    let certificate = Certificate::from_der(der)
                        .map_err(|error| Error::internal(error.to_string()))?;
                    builder = builder.add_root_certificate(certificate);
                }
            }
            Roots::Compiled => builder = builder.certificate_store(CertificateStore::WebpkiRoots),
        }
        builder.build().map_err(|error| Error::Invalid(error.to_string()))
    }

    fn error(&self, error: &lettre::transport::smtp::Error) -> Error {
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
        let what = if answered(error) { "refused" } else { "could not be reached" };
        Error::RemoteRefused(format!("the mail server {}:{} {what}: {text}", self.host, self.port))
    }
}

/// Whether there was a mail server at the other end.
fn answered(error: &lettre::transport::smtp::Error) -> bool {
    error.status().is_some() || error.is_response() || error.is_tls() || error.is_client()
}

/// The configured sender, else `chartroom@` and the host of the base URL if it is a name.
fn sender(config: &Config) -> Result<Mailbox> {
    let wrong = |text: &str| Error::Invalid(format!("smtp_from: {text} is not a mail address"));
    if !config.smtp_from.is_empty() {
        return config.smtp_from.parse().map_err(|_| wrong(&config.smtp_from));
    }
    let uri: hyper::Uri = config.base_url.parse().unwrap_or_default();
    // lettre cannot write mails from an address literal (RFC 5321, 4.1.3), which few take anyway.
    let named = |host: &&str| host.trim_matches(['[', ']']).parse::<IpAddr>().is_err();
    let host = uri.host().filter(named).unwrap_or("localhost");
    let address = Address::new("chartroom", host).map_err(|_| wrong(host))?;
    Ok(Mailbox::new(Some("Chartroom".to_owned()), address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sender_is_set_or_follows_from_the_base_url() {
        let check = |from: &str, base_url: &str, want: &str| {
            let config = Config {
                smtp_from: from.to_owned(),
                base_url: base_url.to_owned(),
                ..Config::default()
            };
            assert_eq!(sender(&config).unwrap().to_string(), want);
        };
        check("", "https://charts.example.org", "Chartroom <chartroom@charts.example.org>");
        check("", "http://127.0.0.1:8080", "Chartroom <chartroom@localhost>");
        check("Ann <ann@example.org>", "http://[::1]:80", "Ann <ann@example.org>");
    }

    #[test]
    fn without_a_mail_server_there_is_no_mailer() {
        let names = Names::new(Vec::new()).unwrap();
        assert!(Mailer::new(&Config::default(), names).unwrap().is_none());
    }
}
