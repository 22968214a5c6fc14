//! The list of all settings: name, type, value format, default and description.

use std::fs;
use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::Ipv6Addr;
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;

use super::keywords::GoogleScope;
use super::keywords::LogFormat;
use super::keywords::MailTls;
use super::value_format;
use super::value_format::Secret;
use crate::db::CheckpointMode;
use crate::error::Result;

/// Description of a setting, with functions to access its value in a [`Config`].
pub struct Setting {
    /// Key in the settings file. The environment variable is `CHARTROOM_` and the key in capitals.
    pub name: &'static str,
    /// Description for operators.
    pub description: &'static str,
    /// Returns the description of valid values for error messages: `a whole number`.
    pub expected_format: fn() -> String,
    /// Whether the value is never shown. The variable `…_FILE` can name a file with the value.
    pub is_secret: bool,
    /// Parses a text and sets the value.
    pub set: fn(&mut Config, &str) -> std::result::Result<(), String>,
    /// Formats the value. For a secret, returns only whether it is set.
    pub format: fn(&Config) -> String,
}

/// Generates [`Config`], its defaults and [`SETTINGS`] from one list.
///
/// Each entry is `name: type, value format = default`. Its doc comment is the text for operators.
macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty, $format:ty = $default:expr;)+) => {
        /// The values of all settings.
        #[derive(Debug, Clone)]
        pub struct Config {
            $($(#[doc = $doc])+ pub $name: $type,)+
        }

        impl Default for Config {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        /// All settings, in the order of `config show`.
        pub static SETTINGS: &[Setting] = &[$(
            Setting {
                name: stringify!($name),
                description: concat!($($doc),+),
                expected_format: <$format as value_format::ValueFormat<$type>>::expected_format,
                is_secret: <$format as value_format::ValueFormat<$type>>::IS_SECRET,
                set: |config, text| {
                    config.$name = <$format as value_format::ValueFormat<$type>>::parse(text)?;
                    Ok(())
                },
                format: |config| <$format as value_format::ValueFormat<$type>>::format(&config.$name),
            },
        )+];
    };
}

settings! {
    /// Directory of all data: database, server key, thumbnails, backups.
    data_dir: PathBuf, value_format::Path = PathBuf::from("./chartroom-data");
    /// Address and port on which the server listens.
    listen: SocketAddr, value_format::SocketAddress = SocketAddr::from(([127, 0, 0, 1], 8080));
    /// Base of the URLs in responses, without a trailing slash. The default is derived from
    /// `listen`.
    base_url: String, value_format::BaseUrl = "http://127.0.0.1:8080".to_owned();
    /// PEM file with the server's certificate chain; read again on SIGHUP.
    tls_cert: Option<PathBuf>, value_format::Optional<value_format::Path> = None;
    /// PEM file with the private key of `tls_cert`.
    tls_key: Option<PathBuf>, value_format::Optional<value_format::Path> = None;
    /// Maximum number of open connections. Further ones take the place of idle ones, or wait. One
    /// client may have a quarter of them, but not a trusted proxy or, without
    /// `rate_limit_loopback`, a client on this machine.
    max_connections: u32, value_format::Number = 4096;
    /// Networks of proxies in front of the server. Only their `X-Forwarded-For` headers are
    /// trusted.
    trusted_proxies: Vec<IpNet>, value_format::IpNetworks = Vec::new();
    /// Maximum number of requests that wait for a thread of a pool. Further ones get status 503.
    /// One caller may have three quarters of them.
    max_queue: usize, value_format::Number = 1024;

    /// Maximum size of the JSON body of a document.
    max_document_bytes: usize, value_format::ByteSize = 16 << 20;
    /// Maximum size of a JSON body that is not a document.
    max_body_bytes: usize, value_format::ByteSize = 1 << 20;
    /// Maximum number of records in the `data` of a document.
    max_records: usize, value_format::Number = 100_000;
    /// Maximum length of a comment in characters.
    max_comment_chars: usize, value_format::Number = 10_000;
    /// Maximum processor time that rendering a chart may take. Rendering stops after it, and the
    /// request gets status 413.
    max_render_time: Duration, value_format::TimeSpan = Duration::from_secs(10);
    /// Maximum number of comments on a document, in all its threads.
    max_comments: usize, value_format::Number = 2_000;
    /// Maximum size of the cache of rendered images in memory.
    picture_cache_bytes: u64, value_format::ByteSize = 16 << 20;
    /// Maximum size of the thumbnails stored in the data directory. Other thumbnails are rendered
    /// on request.
    thumbnail_bytes: u64, value_format::ByteSize = 1 << 30;

    /// Minimum of free space on the disk of the data directory. Below it, changes that add data get
    /// status 507, but reading, deleting and signing in work. 0 means no minimum and no reserve.
    min_free: u64, value_format::ByteSize = 64 << 20;
    /// Maximum size of all documents of a user with their versions and comments. A copy counts in
    /// full, although it shares its records with its source. 0 means no limit.
    max_user_bytes: u64, value_format::ByteSize = 2 << 30;
    /// Maximum size of all documents of an organization with their versions and comments. Copies
    /// count in full. 0 means no limit.
    max_org_bytes: u64, value_format::ByteSize = 20 << 30;

    /// Maximum time for a client to send the headers of a request, and for the TLS handshake.
    header_timeout: Duration, value_format::TimeSpan = Duration::from_secs(10);
    /// Maximum time for a client to send the body of a request, plus 1 s for each 64 KiB received.
    body_timeout: Duration, value_format::TimeSpan = Duration::from_secs(30);
    /// Maximum time for which a connection may be idle between requests or stall while it receives
    /// a response.
    idle_timeout: Duration, value_format::TimeSpan = Duration::from_secs(75);
    /// Maximum time that the server waits for running requests when it stops.
    stop_timeout: Duration, value_format::TimeSpan = Duration::from_secs(8);

    /// Time for which documents and folders stay in the trash before they are deleted permanently.
    trash_retention: Duration, value_format::TimeSpan = Duration::from_secs(30 * 86_400);

    /// Sustained requests per second that one client may send. 0 means no limit.
    rate_per_second: u32, value_format::Number = 500;
    /// Number of requests that one client may send in a burst.
    rate_burst: u32, value_format::Number = 5000;
    /// Whether the limit also applies to clients on the same machine. A local proxy sends the
    /// requests of all clients.
    rate_limit_loopback: bool, value_format::Keyword = false;
    /// Number of failed sign-ins that one client may make in a burst.
    sign_in_burst: u32, value_format::Number = 10;
    /// Number of wrong passwords or codes for one account after which the next attempts must wait, first
    /// 10 s and then longer, up to 15 minutes. Sessions and API tokens are not affected.
    sign_in_account_burst: u32, value_format::Number = 5;
    /// Time after which one more failed sign-in is allowed.
    sign_in_every: Duration, value_format::TimeSpan = Duration::from_secs(30);
    /// Whether a person without an account can create one with the link in the mail of an invitation
    /// to a chart or a folder. Invites to organizations always permit it.
    register_by_invitation: bool, value_format::Keyword = true;
    /// Number of mails that one user may cause in a burst, by invitations and mentions.
    mail_burst: u32, value_format::Number = 100;
    /// Time after which one more mail is allowed.
    mail_every: Duration, value_format::TimeSpan = Duration::from_secs(60);

    /// Minimum level of log messages: error, warn, info, debug or trace. Parts of the program can
    /// have their own level: `info,access=off`.
    log: String, value_format::Text = "info".to_owned();
    /// Format of log lines. `auto` means text on a terminal and JSON otherwise.
    log_format: LogFormat, value_format::Keyword = LogFormat::Auto;

    /// Program that copies the write-ahead log into the database: the server (`self`), or a
    /// replication program such as Litestream (`external`).
    checkpoint: CheckpointMode, value_format::Keyword = CheckpointMode::Internal;

    /// Short form of the settings below: `smtps://user:password@host:465`, or `smtp://…` for
    /// STARTTLS.
    smtp_url: Secret, value_format::SecretText = Secret::default();
    /// Host name or address of the mail server. If empty, the server sends no mail.
    smtp_host: String, value_format::Text = String::new();
    /// Port of the mail server. The default is 587 with STARTTLS, 465 with TLS and 25 without.
    smtp_port: Option<u16>, value_format::Optional<value_format::Number> = None;
    /// Encryption of the connection to the mail server.
    smtp_tls: MailTls, value_format::Keyword = MailTls::Starttls;
    /// User name for the mail server.
    smtp_user: String, value_format::Text = String::new();
    /// Password for the mail server.
    smtp_password: Secret, value_format::SecretText = Secret::default();
    /// Sender of mails: an address, or a name followed by the address in angle brackets.
    smtp_from: String, value_format::Text = String::new();

    /// Name servers (addresses, optionally with ports) to use instead of those in
    /// `/etc/resolv.conf`.
    dns: Vec<SocketAddr>, value_format::NameServers = Vec::new();
    /// Whether users may load tables from servers in private networks and on this machine, too.
    remote_private: bool, value_format::Keyword = false;
    /// Networks that users may load tables from in addition to the public internet. Addresses at
    /// which clouds offer credentials, and the address of this server, are only allowed by an entry
    /// with one address.
    remote_networks: Vec<IpNet>, value_format::IpNetworks = Vec::new();
    /// Ports that users may load tables from in addition to 80, 443 and those from 1024.
    remote_ports: Vec<u16>, value_format::Ports = Vec::new();
    /// Minimum time between two downloads of a source that keeps a chart up to date.
    sync_min_interval: Duration, value_format::TimeSpan = Duration::from_secs(60);
    /// Maximum time by which downloads with the same schedule are spread. Those with an interval below 40
    /// minutes are spread over a twentieth of it.
    sync_spread: Duration, value_format::TimeSpan = Duration::from_secs(120);
    /// Maximum number of sources that are downloaded at the same time.
    sync_threads: u32, value_format::Number = 16;
    /// Maximum number of sources that one user may set up.
    max_sync_jobs: u32, value_format::Number = 200;

    /// Maximum number of connections to cloud storage of one user.
    max_cloud_connections: u32, value_format::Number = 20;

    /// Client id of this server at Box. If empty, nobody can connect Box.
    box_client_id: String, value_format::Text = String::new();
    /// Client secret of this server at Box.
    box_client_secret: Secret, value_format::SecretText = Secret::default();
    /// URL of the page of Box where people permit the access.
    box_auth_url: String, value_format::EndpointUrl = "https://account.box.com/api/oauth2/authorize".to_owned();
    /// URL of the token endpoint of Box.
    box_token_url: String, value_format::EndpointUrl = "https://api.box.com/oauth2/token".to_owned();
    /// Scheme and host of the API of Box.
    box_api_url: String, value_format::BaseUrl = "https://api.box.com".to_owned();
    /// Scheme and host for uploads to Box.
    box_upload_url: String, value_format::BaseUrl = "https://upload.box.com".to_owned();

    /// Client id of this server at Dropbox. If empty, nobody can connect Dropbox.
    dropbox_client_id: String, value_format::Text = String::new();
    /// Client secret of this server at Dropbox.
    dropbox_client_secret: Secret, value_format::SecretText = Secret::default();
    /// URL of the page of Dropbox where people permit the access.
    dropbox_auth_url: String, value_format::EndpointUrl = "https://www.dropbox.com/oauth2/authorize".to_owned();
    /// URL of the token endpoint of Dropbox.
    dropbox_token_url: String, value_format::EndpointUrl = "https://api.dropboxapi.com/oauth2/token".to_owned();
    /// Scheme and host of the API of Dropbox.
    dropbox_api_url: String, value_format::BaseUrl = "https://api.dropboxapi.com".to_owned();
    /// Scheme and host for contents of files at Dropbox.
    dropbox_content_url: String, value_format::BaseUrl = "https://content.dropboxapi.com".to_owned();

    /// Client id of this server at Google Drive. If empty, nobody can connect Google Drive.
    googledrive_client_id: String, value_format::Text = String::new();
    /// Client secret of this server at Google Drive.
    googledrive_client_secret: Secret, value_format::SecretText = Secret::default();
    /// Files of Google Drive that connections reach: those that this server has created (`file`), which
    /// needs no verification by Google, or all (`full`).
    googledrive_scope: GoogleScope, value_format::Keyword = GoogleScope::File;
    /// URL of the page of Google Drive where people permit the access.
    googledrive_auth_url: String, value_format::EndpointUrl = "https://accounts.google.com/o/oauth2/v2/auth".to_owned();
    /// URL of the token endpoint of Google Drive.
    googledrive_token_url: String, value_format::EndpointUrl = "https://oauth2.googleapis.com/token".to_owned();
    /// Scheme and host of the API of Google Drive.
    googledrive_api_url: String, value_format::BaseUrl = "https://www.googleapis.com".to_owned();
    /// Scheme and host for uploads to Google Drive.
    googledrive_upload_url: String, value_format::BaseUrl = "https://www.googleapis.com".to_owned();
    /// Scheme and host of the links to spreadsheets of Google. The host exports single worksheets, and
    /// spreadsheets above the limit of the API.
    googledrive_link_url: String, value_format::BaseUrl = "https://docs.google.com".to_owned();

    /// Client id of this server at OneDrive. If empty, nobody can connect OneDrive.
    onedrive_client_id: String, value_format::Text = String::new();
    /// Client secret of this server at OneDrive.
    onedrive_client_secret: Secret, value_format::SecretText = Secret::default();
    /// Microsoft accounts that can connect: `common`, `organizations`, `consumers`, or the id of a tenant.
    onedrive_tenant: String, value_format::Text = "common".to_owned();
    /// URL of the page of OneDrive where people permit the access. `{tenant}` stands for `onedrive_tenant`.
    onedrive_auth_url: String, value_format::EndpointUrl = "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize".to_owned();
    /// URL of the token endpoint of OneDrive. `{tenant}` stands for `onedrive_tenant`.
    onedrive_token_url: String, value_format::EndpointUrl = "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token".to_owned();
    /// Scheme and host of the API of OneDrive.
    onedrive_api_url: String, value_format::BaseUrl = "https://graph.microsoft.com".to_owned();

    /// Client id of this server at Smartsheet. If empty, nobody can connect Smartsheet.
    smartsheet_client_id: String, value_format::Text = String::new();
    /// Client secret of this server at Smartsheet.
    smartsheet_client_secret: Secret, value_format::SecretText = Secret::default();
    /// URL of the page of Smartsheet where people permit the access.
    smartsheet_auth_url: String, value_format::EndpointUrl = "https://app.smartsheet.com/b/authorize".to_owned();
    /// URL of the token endpoint of Smartsheet.
    smartsheet_token_url: String, value_format::EndpointUrl = "https://api.smartsheet.com/2.0/token".to_owned();
    /// Scheme and host of the API of Smartsheet.
    smartsheet_api_url: String, value_format::BaseUrl = "https://api.smartsheet.com".to_owned();
}

/// Returns the setting with exactly this name, which is its key in the settings file. None if there is
/// none.
pub fn find_setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

impl Config {
    /// Creates the data directory and its missing parents with mode 0700. Does nothing if it exists.
    pub fn create_data_dir(&self) -> Result<()> {
        Ok(fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.data_dir)?)
    }

    /// Returns whether the server itself encrypts connections, because `tls_cert` is set.
    pub fn has_tls(&self) -> bool {
        self.tls_cert.is_some()
    }

    /// Returns the URL of a server that listens on `listen`, which is the default of `base_url`.
    /// The loopback address replaces an unspecified address.
    pub fn listen_url(&self, listen: SocketAddr) -> String {
        let scheme = if self.has_tls() { "https" } else { "http" };
        format!("{scheme}://{}", loopback_if_unspecified(listen))
    }
}

/// Returns `listen` with the loopback address in place of an unspecified address such as `0.0.0.0`,
/// because clients cannot connect to that.
fn loopback_if_unspecified(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}
