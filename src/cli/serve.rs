//! `chartroom serve`: runs the server until it is stopped.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::CommandContext;
use super::Failure;
use super::demo;
use crate::app::App;
use crate::features::accounts::setup;
use crate::features::pages;
use crate::features::portfolio;
use crate::routes;
use crate::tasks;
use chartroom_platform::config::Config;
use chartroom_platform::db::lock;
use chartroom_platform::error::Error;
use chartroom_platform::http::Service;
use chartroom_platform::http::server;
use chartroom_platform::log;

/// File in the data directory with the local address of the running server.
pub const ADDRESS_FILE: &str = "address";

/// Arguments of `chartroom serve`.
#[derive(Args)]
pub struct ServeArguments {
    /// Address to listen on; port 0 selects a free port [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// Base URL of the addresses in responses [default: the listen address]
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Serve sample users and charts from a temporary data directory
    #[arg(long, conflicts_with = "data_dir")]
    demo: bool,
}

impl ServeArguments {
    /// Returns names and values of the settings that the flags `--listen` and `--base-url` set.
    /// `--demo` is not a setting.
    pub(super) fn settings(&self) -> Vec<(&'static str, String)> {
        let listen = self.listen.iter().map(|listen| ("listen", listen.clone()));
        listen.chain(self.base_url.iter().map(|base_url| ("base_url", base_url.clone()))).collect()
    }
}

/// Runs `chartroom serve`: locks the data directory, binds the socket and serves requests until the
/// process is stopped. While there are no users, prints a new setup link. Returns after a clean
/// stop, or with an error if the start or the server fails.
///
/// With `--demo`, uses a temporary data directory, which is deleted at the end.
pub fn run(context: &CommandContext, arguments: &ServeArguments) -> Result<(), Failure> {
    let loaded = context.load_settings()?;
    let follows_listen = loaded.is_default_or_derived("base_url");
    let mut config = loaded.config;
    let directory = arguments.demo.then(demo::TemporaryDataDir::create).transpose()?;
    if let Some(directory) = &directory {
        directory.path().clone_into(&mut config.data_dir);
    }
    let _log = log::start(&config.log, config.log_format)?;
    config.create_data_dir()?;
    let _serving = lock::lock_as_server(&config.data_dir)?;
    // The socket is bound first, so that links contain the real port.
    let listener = server::bind(config.listen)?;
    config.listen = listener.local_addr()?;
    if follows_listen {
        config.base_url = config.listen_url(config.listen);
    }
    portfolio::check_catalogue()?;
    for problem in portfolio::load_fonts(&config.data_dir)? {
        tracing::warn!("cannot load a font: {problem}");
    }
    let app = App::open(config)?;
    app.db.keep_reserve();
    let start_message = StartMessage {
        sign_in: arguments.demo.then(|| demo::create_sample_data(&app)).transpose()?,
        setup_link: if arguments.demo { None } else { setup::renew_setup_link(&app)? },
    };
    let work = tasks::start_background_work(&app)?;
    let mut startup = Ok(());
    let service = Service {
        app: app.clone(),
        routes: routes::bind_app(routes::all_routes(), &app),
        error_page: Some(pages::error_page),
    };
    let result = server::run(listener, service, |address| {
        // Only other commands on this computer need the file, so a full disk must not prevent the
        // start.
        if let Err(error) = write_address(&app.config, address) {
            tracing::warn!(error = %error.operator_message(), "the address cannot be stored");
        }
        startup = start_message.print(context, &app);
    });
    work.stop();
    let _ = fs::remove_file(app.config.data_dir.join(ADDRESS_FILE));
    let closed = app.db.close();
    startup.and(result.map_err(Failure::from)).and(closed.map_err(Failure::from))
}

/// The message at start.
struct StartMessage {
    sign_in: Option<demo::DemoCredentials>,
    setup_link: Option<String>,
}

impl StartMessage {
    /// Prints the address of the server, and the setup link or the credentials of the demonstration
    /// if there are any. JSON has null for those that are absent.
    fn print(&self, context: &CommandContext, app: &Arc<App>) -> Result<(), Failure> {
        let Config { base_url, listen, data_dir, .. } = &app.config;
        let mut text = format!("Chartroom is running at {base_url}\n");
        if let Some(link) = &self.setup_link {
            text.push_str(&format!(
                "There is no user yet. Open this link within 30 minutes to create the first user:\n\
                 {link}\n"
            ));
        }
        if let Some(credentials) = &self.sign_in {
            text.push_str(&format!(
                "Sign in as {} with the password {}\n\
                 API token: {}\n\
                 This is a demonstration. Its data are deleted when the program ends.\n",
                credentials.email, credentials.password, credentials.token
            ));
        }
        let sign_in = self.sign_in.as_ref().map(|credentials| {
            json!({
                "email": credentials.email,
                "password": credentials.password,
                "token": credentials.token,
            })
        });
        let value = json!({
            "base_url": base_url,
            "listen": listen,
            "data_dir": data_dir,
            "setup_link": self.setup_link,
            "sign_in": sign_in,
        });
        context.print(&value, text)
    }
}

/// Writes the local URL of the server to `ADDRESS_FILE`, for other commands on the same data
/// directory. Writes a temporary file and renames it, so that readers never see a partial address.
fn write_address(config: &Config, address: SocketAddr) -> Result<(), Error> {
    let path = config.data_dir.join(ADDRESS_FILE);
    let temporary_path = path.with_extension("new");
    fs::write(&temporary_path, format!("{}\n", config.listen_url(address)))?;
    Ok(fs::rename(&temporary_path, Path::new(&path))?)
}
