//! The command line: one file a subcommand, each of which works with the server up or down.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage, 3 bad configuration, 4 the data needs attention.

mod failure;
mod shell;
mod backup;
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

pub use failure::Failure;
pub use shell::Shell;

/// A self-hosted server for chart documents: one static binary, one SQLite file.
#[derive(Parser)]
#[command(name = "chartroom", version, about, disable_help_subcommand = true)]
struct Arguments {
    /// Where the state lives [default: ./chartroom-data]
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// The settings file [default: chartroom.toml in the data directory]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON for programs instead of text for people
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the server
    Serve(serve::Arguments),
    /// Bring the database to this program's version
    #[command(subcommand)]
    Migrate(migrate::Verb),
    /// Go back to the database as it was before the last upgrade
    Rollback(migrate::Rollback),
    /// Make, check and restore backups
    #[command(subcommand)]
    Backup(backup::Verb),
    /// Make and change people
    #[command(subcommand)]
    User(user::UserCommand),
    /// Make and change organizations
    #[command(subcommand)]
    Org(org::OrgCommand),
    /// Build the search index anew
    Reindex,
    /// Look for damage in the data directory
    Doctor(doctor::Arguments),
    /// Ask the running server whether it is ready
    Healthcheck,
    /// Show or check the settings
    #[command(subcommand)]
    Config(config::Verb),
    /// Draw a document from a file, without a server
    Render(render::Arguments),
    /// Try the mail settings, and see to mails that did not go out
    #[command(subcommand)]
    Mail(mail::Verb),
}

/// Runs the program with these arguments, the first of which is its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and the version come this way too, with code 0. A closed pipe is no failure.
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

fn dispatch(arguments: Arguments) -> Result<(), Failure> {
    // One provider for whoever speaks TLS; a second installation is refused, and is the same.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let Arguments { data_dir, config, json, command } = arguments;
    let mut flags = Vec::new();
    if let Some(dir) = data_dir {
        flags.push(("data_dir", dir.display().to_string()));
    }
    if let Command::Serve(serve) = &command {
        flags.extend(serve.settings());
    }
    let shell = Shell::new(config, flags, json);
    match command {
        Command::Serve(arguments) => serve::run(&shell, &arguments),
        Command::Migrate(verb) => migrate::run(&shell, &verb),
        Command::Rollback(arguments) => migrate::rollback(&shell, &arguments),
        Command::Backup(verb) => backup::run(&shell, verb),
        Command::User(command) => Ok(command.run(&*shell.app()?, shell.json)?),
        Command::Org(command) => Ok(command.run(&*shell.app()?, shell.json)?),
        Command::Render(arguments) => render::run(&shell, &arguments),
        Command::Reindex => reindex::run(&shell),
        Command::Doctor(arguments) => doctor::run(&shell, &arguments),
        Command::Healthcheck => healthcheck::run(&shell),
        Command::Config(verb) => config::run(&shell, &verb),
        Command::Mail(verb) => mail::run(&shell, &verb),
    }
}
