//! `chartroom serve`: runs the server until it is told to stop.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::Failure;
use super::Shell;
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
use chartroom_platform::http::server;
use chartroom_platform::http::server::Service;
use chartroom_platform::log;

/// The file in the data directory that holds the running server's own address.
pub const ADDRESS_FILE: &str = "address";

/// How to serve.
#[derive(Args)]
pub struct Arguments {
    /// Where to listen; port 0 takes a free one [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
    /// What addresses in answers start with [default: where the server listens]
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Serve sample people and charts from a temporary data directory
    #[arg(long, conflicts_with = "data_dir")]
    demo: bool,
}

impl Arguments {
    /// The flags that are settings.
    pub(super) fn settings(&self) -> Vec<(&'static str, String)> {
        let listen = self.listen.iter().map(|it| ("listen", it.clone()));
        listen.chain(self.base_url.iter().map(|it| ("base_url", it.clone()))).collect()
    }
}

/// Runs `chartroom serve`; returns after a clean stop.
pub fn run(shell: &Shell, arguments: &Arguments) -> Result<(), Failure> {
    let loaded = shell.settings()?;
    let own_url = loaded.follows("base_url");
    let mut config = loaded.config;
    let directory = arguments.demo.then(demo::Directory::make).transpose()?;
    if let Some(directory) = &directory {
        directory.path().clone_into(&mut config.data_dir);
    }
    let _log = log::start(&config.log, config.log_format)?;
    config.make_data_dir()?;
    let _serving = lock::serve(&config.data_dir)?;
    // Bound before anything else, so that the address in links is the real one.
    let listener = server::bind(config.listen)?;
    config.listen = listener.local_addr()?;
    if own_url {
        config.base_url = config.own_url(config.listen);
    }
    portfolio::check()?;
    for odd in portfolio::load_fonts(&config.data_dir)? {
        tracing::warn!("a font is left out: {odd}");
    }
    let app = App::open(config)?;
    let welcome = Welcome {
        sign_in: arguments.demo.then(|| demo::fill(&app)).transpose()?,
        setup_link: if arguments.demo { None } else { setup::offer(&app)? },
    };
    let work = tasks::start(&app)?;
    let mut said = Ok(());
    let service = Service {
        app: app.clone(),
        routes: routes::bind(routes::all(), &app),
        error_page: Some(pages::error_page),
    };
    let result = server::run(listener, service, |address| {
        said = write_address(&app.config, address)
            .map_err(Failure::from)
            .and_then(|()| welcome.say(shell, &app));
    });
    work.stop();
    let _ = fs::remove_file(app.config.data_dir.join(ADDRESS_FILE));
    let closed = app.db.close();
    said.and(result.map_err(Failure::from)).and(closed.map_err(Failure::from))
}

/// What the operator must know at the start.
struct Welcome {
    sign_in: Option<demo::SignIn>,
    setup_link: Option<String>,
}

impl Welcome {
    fn say(&self, shell: &Shell, app: &Arc<App>) -> Result<(), Failure> {
        let Config { base_url, listen, data_dir, .. } = &app.config;
        let mut text = format!("Chartroom is at {base_url}\n");
        if let Some(link) = &self.setup_link {
            text.push_str(&format!(
                "There is no user yet. Whoever opens this link within 30 minutes makes the first:\n\
                 {link}\n"
            ));
        }
        if let Some(it) = &self.sign_in {
            text.push_str(&format!(
                "Sign in as {} with the password {}\n\
                 API token: {}\n\
                 This is a demonstration: its data end with the program.\n",
                it.email, it.password, it.token
            ));
        }
        let sign_in = self
            .sign_in
            .as_ref()
            .map(|it| json!({ "email": it.email, "password": it.password, "token": it.token }));
        let value = json!({
            "base_url": base_url,
            "listen": listen,
            "data_dir": data_dir,
            "setup_link": self.setup_link,
            "sign_in": sign_in,
        });
        shell.print(&value, text)
    }
}

/// Writes down where the server is, for commands on the same data directory. Written aside and
/// renamed, so that nobody reads half of it.
fn write_address(config: &Config, address: SocketAddr) -> Result<(), Error> {
    let path = config.data_dir.join(ADDRESS_FILE);
    let aside = path.with_extension("new");
    fs::write(&aside, format!("{}\n", config.own_url(address)))?;
    Ok(fs::rename(&aside, Path::new(&path))?)
}
