//! The settings: one table that the file, the environment, the flags and `config show` all read.
//!
//! Each layer overrides the one before: default < `chartroom.toml` < `CHARTROOM_…` < flag.
//! [`layers`] reads them, [`form`] knows how a value is written, [`check`] knows which settings
//! must agree with each other.

pub mod check;
pub mod form;
pub mod layers;
pub mod words;

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;

pub use form::Secret;
pub use layers::Loaded;
pub use layers::Origin;
pub use layers::Problem;
pub use layers::Sources;
pub use words::LogFormat;
pub use words::MailTls;

use crate::db::Checkpoint;
use crate::error::Result;

/// One row of the table of settings.
pub struct Setting {
    /// Its key in the file; in the environment `CHARTROOM_` and the key in capitals.
    pub name: &'static str,
    /// What it is, for people.
    pub doc: &'static str,
    /// What a value looks like, for error messages: `a number`.
    pub expects: fn() -> String,
    /// Whether its value is never shown, and may come from a file that `…_FILE` names.
    pub secret: bool,
    /// Takes a value as it is written.
    pub set: fn(&mut Config, &str) -> std::result::Result<(), String>,
    /// The value as it would be written; a secret shows only whether it is set.
    pub show: fn(&Config) -> String,
}

/// Makes the struct of all settings, its defaults and the table from one list.
macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty, $form:ty = $default:expr;)+) => {
        /// All settings, resolved.
        #[derive(Debug, Clone)]
        pub struct Config {
            $($(#[doc = $doc])+ pub $name: $type,)+
        }

        impl Default for Config {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        /// The table of settings, in the order in which `config show` prints them.
        pub static SETTINGS: &[Setting] = &[$(
            Setting {
                name: stringify!($name),
                doc: concat!($($doc),+),
                expects: <$form as form::Form<$type>>::expects,
                secret: <$form as form::Form<$type>>::SECRET,
                set: |config, text| {
                    config.$name = <$form as form::Form<$type>>::parse(text)?;
                    Ok(())
                },
                show: |config| <$form as form::Form<$type>>::show(&config.$name),
            },
        )+];
    };
}

settings! {
    /// Where the state lives: database, server key, thumbnails, backups.
    data_dir: PathBuf, form::Path = PathBuf::from("./chartroom-data");
    /// The address to listen on.
    listen: SocketAddr, form::Address = SocketAddr::from(([127, 0, 0, 1], 8080));
    /// What addresses in answers start with, without a trailing slash. By default it follows
    /// from the address to listen on.
    base_url: String, form::Url = "http://127.0.0.1:8080".to_owned();
    /// PEM file with the server's certificate chain; read again on SIGHUP.
    tls_cert: Option<PathBuf>, form::Maybe<form::Path> = None;
    /// PEM file with the private key of `tls_cert`.
    tls_key: Option<PathBuf>, form::Maybe<form::Path> = None;
    /// Most connections at a time; more wait in the system's backlog.
    max_connections: u32, form::Number = 4096;
    /// Proxies in front of the server, whose word in `X-Forwarded-For` about the client counts.
    trusted_proxies: Vec<IpNet>, form::Networks = Vec::new();
    /// Most requests that wait for a thread of their pool; more are told to come back (503).
    max_queue: usize, form::Number = 1024;

    /// Most bytes of a document's JSON body.
    max_document_bytes: usize, form::Size = 16 << 20;
    /// Most bytes of any other JSON body.
    max_body_bytes: usize, form::Size = 1 << 20;
    /// Most records in a document's `data`.
    max_records: usize, form::Number = 100_000;
    /// Most characters of a comment.
    max_comment_chars: usize, form::Number = 10_000;
    /// Most comments on a document, in all its threads.
    max_comments: usize, form::Number = 2_000;
    /// Most bytes of finished pictures kept in memory.
    picture_cache_bytes: u64, form::Size = 16 << 20;
    /// Most bytes of thumbnails kept in the data directory; others are drawn when they are wanted.
    thumbnail_bytes: u64, form::Size = 1 << 30;

    /// Longest wait for the headers of a request, and for the TLS handshake.
    header_timeout: Duration, form::Time = Duration::from_secs(10);
    /// Longest wait for the body of a request; a second more for each 64 KiB that came.
    body_timeout: Duration, form::Time = Duration::from_secs(30);
    /// How long a connection may rest between requests, or stall while it takes an answer.
    idle_timeout: Duration, form::Time = Duration::from_secs(75);
    /// Longest time that a stop waits for requests under way.
    stop_timeout: Duration, form::Time = Duration::from_secs(8);

    /// How long documents and folders stay in the trash before they are removed for good.
    trash_retention: Duration, form::Time = Duration::from_secs(30 * 86_400);

    /// Requests a second that one client may send for long; 0 is without limit.
    rate_per_second: u32, form::Number = 500;
    /// Requests that one client may send at once.
    rate_burst: u32, form::Number = 5000;
    /// Whether clients on this machine are limited too (a proxy here stands for everybody).
    rate_limit_loopback: bool, form::Word = false;
    /// Failed sign-ins that one client may make at once.
    sign_in_burst: u32, form::Number = 10;
    /// How long it takes until one more failed sign-in is forgiven.
    sign_in_every: Duration, form::Time = Duration::from_secs(30);
    /// Mails that one person may have sent to others at once, as invitations and by mentions.
    mail_burst: u32, form::Number = 50;
    /// How long it takes until one more may be sent.
    mail_every: Duration, form::Time = Duration::from_secs(60);

    /// Longest time for a remote source to answer.
    remote_timeout: Duration, form::Time = Duration::from_secs(45);
    /// Whether users may have sources asked in private networks; no keeps them from the server's
    /// neighbours.
    remote_private: bool, form::Word = false;

    /// The least important messages that are logged: error, warn, info, debug or trace. Parts of
    /// the program may have their own: `info,access=off`.
    log: String, form::Text = "info".to_owned();
    /// How log lines are written; `auto` is text on a terminal and JSON otherwise.
    log_format: LogFormat, form::Word = LogFormat::Auto;

    /// Who moves the write-ahead log into the database: the server, or a replication program
    /// such as Litestream.
    checkpoint: Checkpoint, form::Word = Checkpoint::Own;

    /// Shorthand for the settings below: `smtps://user:password@host:465`, or `smtp://…` for
    /// STARTTLS.
    smtp_url: Secret, form::Hidden = Secret::default();
    /// The mail server's name or address; empty: no mail is sent.
    smtp_host: String, form::Text = String::new();
    /// The mail server's port; by default 587 with STARTTLS, 465 with TLS, 25 without.
    smtp_port: Option<u16>, form::Maybe<form::Number> = None;
    /// How the connection to the mail server is encrypted.
    smtp_tls: MailTls, form::Word = MailTls::Starttls;
    /// The name to sign in to the mail server with.
    smtp_user: String, form::Text = String::new();
    /// The password to sign in to the mail server with.
    smtp_password: Secret, form::Hidden = Secret::default();
    /// The sender of mails: an address, or a name and the address in angle brackets.
    smtp_from: String, form::Text = String::new();

    /// Name servers (address, or address and port) instead of those of `/etc/resolv.conf`.
    dns: Vec<SocketAddr>, form::Servers = Vec::new();
}

/// The setting of this name.
pub fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|it| it.name == name)
}

impl Config {
    /// Makes the data directory (0700) when it is absent.
    pub fn make_data_dir(&self) -> Result<()> {
        Ok(fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.data_dir)?)
    }

    /// Whether connections are encrypted by the server itself.
    pub fn tls(&self) -> bool {
        self.tls_cert.is_some()
    }

    /// What `base_url` is when nobody set it: the address at which the server listens.
    pub fn own_url(&self, listen: SocketAddr) -> String {
        let scheme = if self.tls() { "https" } else { "http" };
        format!("{scheme}://{}", check::reachable(listen))
    }
}
