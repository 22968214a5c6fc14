//! The command line: one file per subcommand. All subcommands work with and without a running
//! server, unless their help says otherwise.
//!
//! Exit codes: 0 success, 1 failure, 2 usage error, 3 invalid configuration, 4 the data needs
//! attention.

mod failure;
mod context;
mod backup;
mod cloud;
mod config;
mod demo;
mod doctor;
mod healthcheck;
mod mail;
mod migrate;
mod org;
mod reindex;
mod render;
mod serve;
mod user;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use clap::Subcommand;

pub use context::CommandContext;
pub use failure::Failure;

use crate::app::App;
use chartroom_platform::db::OriginScope;
use chartroom_platform::db::WriteOrigin;
use chartroom_platform::error;

/// A self-hosted server for chart documents: one static binary, one SQLite file.
#[derive(Parser)]
#[command(name = "chartroom", version, about, disable_help_subcommand = true)]
struct Arguments {
    /// Data directory [default: ./chartroom-data]
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Settings file [default: chartroom.toml in the data directory]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON instead of text
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

/// A subcommand.
#[derive(Subcommand)]
enum Command {
    /// Run the server
    Serve(serve::ServeArguments),
    /// Upgrade the database to the version of this program
    #[command(subcommand)]
    Migrate(migrate::MigrateCommand),
    /// Return to the database before the last upgrade
    Rollback(migrate::RollbackArguments),
    /// Create, verify and restore backups
    #[command(subcommand)]
    Backup(backup::BackupCommand),
    /// Create and manage users
    #[command(subcommand)]
    User(user::UserCommand),
    /// Create and manage organizations
    #[command(subcommand)]
    Org(org::OrgCommand),
    /// Rebuild the search index
    Reindex,
    /// Check the data directory for damage
    Doctor(doctor::DoctorArguments),
    /// Check whether the running server is ready
    Healthcheck,
    /// Show or check the settings
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Render a document from a file, without a server
    Render(render::RenderArguments),
    /// Test the mail settings and manage failed mails
    #[command(subcommand)]
    Mail(mail::MailCommand),
    /// Test the settings of cloud storage
    #[command(subcommand)]
    Cloud(cloud::CloudCommand),
}

/// Runs the program with command line arguments and returns its exit code. The first argument is
/// the program name. Prints an error to the standard error instead of returning it.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version output also arrive here, with exit code 0. A closed pipe is not a
            // failure.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let json = arguments.json;
    match dispatch(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(json),
    }
}

/// Opens the application, runs `work` on it and waits until a running server sees its changes. Does
/// not wait if `work` fails. The operator is the origin of all writes of `work`.
fn run_on_database(
    context: &CommandContext,
    work: impl FnOnce(&App) -> error::Result<()>,
) -> Result<(), Failure> {
    let app = context.open_app()?;
    let _origin = OriginScope::begin(WriteOrigin::of_command());
    work(&app)?;
    app.db.wait_until_server_sees_commits();
    Ok(())
}

/// Runs the subcommand and returns its failure without printing it. Installs the TLS provider of
/// the process first.
fn dispatch(arguments: Arguments) -> Result<(), Failure> {
    // TLS provider of the process. A second installation fails, which is harmless because it is the
    // same provider.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let Arguments { data_dir, config, json, command } = arguments;
    let mut flags = Vec::new();
    if let Some(dir) = data_dir {
        flags.push(("data_dir", dir.display().to_string()));
    }
    if let Command::Serve(serve) = &command {
        flags.extend(serve.settings());
    }
    let context = CommandContext::new(config, flags, json);
    match command {
        Command::Serve(arguments) => serve::run(&context, &arguments),
        Command::Migrate(command) => migrate::run(&context, &command),
        Command::Rollback(arguments) => migrate::rollback(&context, &arguments),
        Command::Backup(command) => backup::run(&context, command),
        Command::User(command) => run_on_database(&context, |app| command.run(app, context.json)),
        Command::Org(command) => run_on_database(&context, |app| command.run(app, context.json)),
        Command::Render(arguments) => render::run(&context, &arguments),
        Command::Reindex => reindex::run(&context),
        Command::Doctor(arguments) => doctor::run(&context, &arguments),
        Command::Healthcheck => healthcheck::run(&context),
        Command::Config(command) => config::run(&context, &command),
        Command::Mail(command) => mail::run(&context, &command),
        Command::Cloud(command) => cloud::run(&context, &command),
    }
}
