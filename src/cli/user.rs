//! `chartroom user …`: makes, lists, changes and removes people, with the server up or down.

use clap::Subcommand;
use serde_json::Value;
use serde_json::json;

use super::shell;
use super::shell::print;
use crate::app::App;
use crate::features::accounts;
use crate::features::accounts::Change;
use crate::features::accounts::NewUser;
use crate::features::accounts::Profile;
use crate::features::orgs;
use crate::features::tree;
use chartroom_platform::error::Result;

/// What to do with people. WHO is an id, an e-mail address or a username.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Make a user
    Create {
        /// The e-mail address
        #[arg(long)]
        email: String,
        /// The full name
        #[arg(long)]
        name: String,
        /// The word that names the user in addresses [default: from the e-mail address]
        #[arg(long)]
        username: Option<String>,
        /// The user runs the server
        #[arg(long)]
        operator: bool,
        /// Read a password of 10 to 1024 characters from the standard input
        #[arg(long)]
        password_stdin: bool,
    },
    /// List all users, oldest first
    List,
    /// Show a user
    Show { who: String },
    /// Change a user
    Edit {
        who: String,
        /// The full name
        #[arg(long)]
        name: Option<String>,
        /// The e-mail address
        #[arg(long)]
        email: Option<String>,
        /// The word that names the user in addresses
        #[arg(long)]
        username: Option<String>,
        /// Whether the user runs the server
        #[arg(long, value_name = "true|false")]
        operator: Option<bool>,
    },
    /// Refuse a user everywhere; nothing of the user's is removed
    Disable { who: String },
    /// Let a disabled user in again
    Enable { who: String },
    /// Remove a user who owns no documents
    Delete { who: String },
    /// Set a user's password and end the user's sessions
    Password {
        who: String,
        /// Read the password, of 10 to 1024 characters, from the standard input
        #[arg(long, required = true)]
        password_stdin: bool,
    },
    /// Make an API token for a user; it is printed this once
    Token {
        who: String,
        /// What to call it
        #[arg(long)]
        name: String,
    },
}

impl UserCommand {
    /// Does it, and prints what came of it: JSON when `json`.
    pub fn run(self, app: &App, json: bool) -> Result<()> {
        match self {
            Self::Create { email, name, username, operator, password_stdin } => {
                let password_hash = password_stdin.then(|| read_password(app)).transpose()?;
                let new = NewUser { email, name, username, operator, password_hash };
                let user = app.db.write(move |tx| accounts::create(tx, &new))?;
                print_user(&user, json)
            }
            Self::List => {
                let users = app.db.read(accounts::list)?;
                let entries: Vec<Value> = users.iter().map(entry).collect();
                print(json, &json!(entries), lines(users.iter().map(line)))
            }
            Self::Show { who } => show(app, &who, json),
            Self::Edit { who, name, email, username, operator } => {
                let change = Change { name, email, username, operator, ..Change::default() };
                let user = app.db.write(move |tx| {
                    let id = accounts::find(tx, &who)?.id;
                    accounts::edit(tx, &id, change.clone())
                })?;
                print_user(&user, json)
            }
            Self::Disable { who } => set_disabled(app, who, true, json),
            Self::Enable { who } => set_disabled(app, who, false, json),
            Self::Delete { who } => delete(app, who, json),
            Self::Password { who, password_stdin: _ } => {
                let hash = read_password(app)?;
                let user = app.db.write(move |tx| {
                    let user = accounts::find(tx, &who)?;
                    accounts::set_password(tx, &user.id, &hash)?;
                    Ok(user)
                })?;
                print_user(&user, json)
            }
            Self::Token { who, name } => make_token(app, who, name, json),
        }
    }
}

fn show(app: &App, who: &str, json: bool) -> Result<()> {
    let (user, memberships) = app.db.read(|tx| {
        let user = accounts::find(tx, who)?;
        let memberships = orgs::memberships(tx, &user.id)?;
        Ok((user, memberships))
    })?;
    let roles = memberships.iter().map(|it| (it.org.slug.as_str(), it.role.as_str()));
    let mut value = entry(&user);
    value["orgs"] =
        roles.clone().map(|(slug, role)| json!({ "slug": slug, "role": role })).collect();
    let facts = [
        ("id", user.id.to_string()),
        ("email", user.email.clone()),
        ("username", user.username.clone()),
        ("name", user.name.clone()),
        ("operator", user.operator.to_string()),
        ("disabled", user.disabled.to_string()),
        ("password", if user.password_hash.is_some() { "set" } else { "none" }.to_owned()),
        ("created", user.created.to_string()),
        ("updated", user.updated.to_string()),
    ];
    let facts = facts.into_iter().map(|(fact, value)| format!("{fact:<10}{value}"));
    let orgs = roles.map(|(slug, role)| format!("{:<10}{slug} ({role})", "org"));
    print(json, &value, lines(facts.chain(orgs)))
}

fn set_disabled(app: &App, who: String, disabled: bool, json: bool) -> Result<()> {
    let user = app.db.write(move |tx| {
        let id = accounts::find(tx, &who)?.id;
        accounts::set_disabled(tx, &id, disabled)
    })?;
    print_user(&user, json)
}

fn delete(app: &App, who: String, json: bool) -> Result<()> {
    let user = app.db.write(move |tx| {
        let user = accounts::find(tx, &who)?;
        orgs::check_may_leave(tx, &user.id)?;
        accounts::delete(tx, &user.id, tree::owned_count)?;
        Ok(user)
    })?;
    print(json, &json!({ "id": user.id, "deleted": true }), format!("{} is removed", user.email))
}

fn make_token(app: &App, who: String, name: String, json: bool) -> Result<()> {
    let (token, secret) = app.db.write(move |tx| {
        let user = accounts::find(tx, &who)?;
        accounts::make_token(tx, &user.id, &name, None)
    })?;
    print(json, &json!({ "id": token.id, "name": token.name, "token": secret }), secret)
}

fn entry(user: &Profile) -> Value {
    json!({
        "id": user.id,
        "email": user.email,
        "username": user.username,
        "name": user.name,
        "operator": user.operator,
        "disabled": user.disabled,
        "created": user.created,
        "updated": user.updated,
    })
}

fn line(user: &Profile) -> String {
    let operator = if user.operator { " operator" } else { "" };
    let disabled = if user.disabled { " disabled" } else { "" };
    format!("{:<16} {:<32} {}{operator}{disabled}", user.id, user.email, user.name)
}

fn print_user(user: &Profile, json: bool) -> Result<()> {
    print(json, &entry(user), line(user))
}

/// Reads a password from the standard input and hashes it.
fn read_password(app: &App) -> Result<String> {
    accounts::new_password_hash(app, &shell::read_input()?)
}

/// Joins lines.
pub(super) fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}
