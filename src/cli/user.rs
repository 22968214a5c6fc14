//! `chartroom user`: creates, lists, changes and deletes users, with or without a running server.

use clap::Subcommand;
use serde_json::Value;
use serde_json::json;

use super::context;
use super::context::print;
use crate::app::App;
use crate::features::accounts;
use crate::features::accounts::NewApiToken;
use crate::features::accounts::NewUser;
use crate::features::accounts::Profile;
use crate::features::accounts::TokenScope;
use crate::features::accounts::UserChanges;
use crate::features::cloud;
use crate::features::orgs;
use crate::features::people;
use crate::features::tree;
use chartroom_platform::error::Result;

/// Subcommands of `chartroom user`. USER is an id, an e-mail address or a username.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Create a user
    Create {
        /// The e-mail address
        #[arg(long)]
        email: String,
        /// The full name
        #[arg(long)]
        name: String,
        /// Name in URLs [default: derived from the e-mail address]
        #[arg(long)]
        username: Option<String>,
        /// Make the user an operator of the server
        #[arg(long)]
        operator: bool,
        /// Read a password of 10 to 1024 characters from the standard input
        #[arg(long)]
        password_stdin: bool,
    },
    /// List all users, oldest first
    List,
    /// Show a user
    Show { user: String },
    /// Change a user
    Edit {
        user: String,
        /// The full name
        #[arg(long)]
        name: Option<String>,
        /// The e-mail address
        #[arg(long)]
        email: Option<String>,
        /// Name in URLs
        #[arg(long)]
        username: Option<String>,
        /// Whether the user is an operator of the server
        #[arg(long, value_name = "true|false")]
        operator: Option<bool>,
    },
    /// Disable a user; the user's data are kept
    Disable { user: String },
    /// Enable a disabled user
    Enable { user: String },
    /// Delete a user who owns no documents
    Delete { user: String },
    /// Set a user's password and end the user's sessions
    Password {
        user: String,
        /// Read the password, of 10 to 1024 characters, from the standard input
        #[arg(long, required = true)]
        password_stdin: bool,
    },
    /// End all browser sessions of a user; passwords and API tokens keep working
    SignOut { user: String },
    /// Remove the second factor of a user who has lost it; the password stays
    SecondFactor {
        user: String,
        /// Remove the second factor
        #[arg(long, required = true)]
        off: bool,
    },
    /// Create an API token for a user; it is printed only once
    Token {
        user: String,
        /// Name of the token
        #[arg(long)]
        name: String,
        /// The requests that the token permits: `full`, `read`, `write` (documents and folders) or `scim`
        #[arg(long, default_value = "full", value_parser = parse_scope)]
        scope: TokenScope,
    },
}

/// Parses the name of the scope of an API token.
fn parse_scope(name: &str) -> std::result::Result<TokenScope, String> {
    TokenScope::parse(Some(name)).map_err(|_| "is not full, read, write or scim".to_owned())
}

impl UserCommand {
    /// Runs the command and prints the result, as JSON if `json` is set.
    pub fn run(self, app: &App, json: bool) -> Result<()> {
        match self {
            Self::Create { email, name, username, operator, password_stdin } => {
                let password_hash = password_stdin.then(|| read_password(app)).transpose()?;
                let new = NewUser { email, name, username, operator, password_hash };
                let user = app.db.write(move |tx| accounts::create_user(tx, &new))?;
                print_user(&user, json)
            }
            Self::List => {
                let users = app.db.read(accounts::list_users)?;
                let entries: Vec<Value> = users.iter().map(to_json).collect();
                print(json, &json!(entries), join_lines(users.iter().map(format_line)))
            }
            Self::Show { user } => show(app, &user, json),
            Self::Edit { user, name, email, username, operator } => {
                let change =
                    UserChanges { name, email, username, operator, ..UserChanges::default() };
                let user = app.db.write_with_reserve(move |tx| {
                    let old = accounts::find_user(tx, &user)?;
                    let new = accounts::update_user(tx, &old.id, change.clone())?;
                    accounts::record_user_change(tx, &old, &new)?;
                    Ok(new)
                })?;
                print_user(&user, json)
            }
            Self::Disable { user } => set_disabled(app, user, true, json),
            Self::Enable { user } => set_disabled(app, user, false, json),
            Self::Delete { user } => delete(app, user, json),
            Self::Password { user, password_stdin: _ } => {
                let hash = read_password(app)?;
                let user = app.db.write_with_reserve(move |tx| {
                    let user = accounts::find_user(tx, &user)?;
                    accounts::set_password(tx, &user.id, &hash)?;
                    accounts::record_user_event(tx, &user, "user.change_password", &json!({}))?;
                    accounts::enqueue_password_mail(tx, &user)?;
                    Ok(user)
                })?;
                print_user(&user, json)
            }
            Self::SignOut { user } => sign_out(app, user, json),
            Self::SecondFactor { user, off: _ } => reset_second_factor(app, user, json),
            Self::Token { user, name, scope } => make_token(app, user, name, scope, json),
        }
    }
}

/// Prints a user with organizations and roles. `user` is an id, an e-mail address or a username.
fn show(app: &App, user: &str, json: bool) -> Result<()> {
    let (user, memberships) = app.db.read(|tx| {
        let user = accounts::find_user(tx, user)?;
        let memberships = orgs::list_memberships(tx, &user.id)?;
        Ok((user, memberships))
    })?;
    let roles = memberships
        .iter()
        .map(|membership| (membership.org.slug.as_str(), membership.role.as_str()));
    let mut value = to_json(&user);
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
    print(json, &value, join_lines(facts.chain(orgs)))
}

/// Disables a user if `disabled`, otherwise enables them, and prints the user. `user` is an id, an
/// e-mail address or a username.
fn set_disabled(app: &App, user: String, disabled: bool, json: bool) -> Result<()> {
    let user = app.db.write_with_reserve(move |tx| {
        let old = accounts::find_user(tx, &user)?;
        let new = accounts::set_disabled(tx, &old.id, disabled)?;
        accounts::record_user_change(tx, &old, &new)?;
        Ok(new)
    })?;
    print_user(&user, json)
}

/// Deletes a user and prints the result. Fails if the user owns documents or folders, or is the
/// last admin of an organization.
fn delete(app: &App, user: String, json: bool) -> Result<()> {
    let user = app.db.write_with_reserve(move |tx| {
        let user = accounts::find_user(tx, &user)?;
        accounts::record_user_deletion(tx, &user)?;
        people::remove_from_all_orgs(tx, &user.id)?;
        cloud::delete_connections(tx, &user.id)?;
        accounts::delete_user(tx, &user.id, tree::count_owned_nodes)?;
        Ok(user)
    })?;
    print(json, &json!({ "id": user.id, "deleted": true }), format!("{} is deleted", user.email))
}

/// Ends all sessions of a user and prints their number. `user` is an id, an e-mail address or a
/// username.
fn sign_out(app: &App, user: String, json: bool) -> Result<()> {
    let (user, count) = app.db.write_with_reserve(move |tx| {
        let user = accounts::find_user(tx, &user)?;
        let count = accounts::end_sessions(tx, &user.id, None)?;
        Ok((user, count))
    })?;
    let text = match count {
        1 => format!("{} is signed out of 1 session", user.email),
        _ => format!("{} is signed out of {count} sessions", user.email),
    };
    print(json, &json!({ "id": user.id, "sessions": count }), text)
}

/// Removes the second factor of a user and prints whether there was one. `user` is an id, an e-mail
/// address or a username.
fn reset_second_factor(app: &App, user: String, json: bool) -> Result<()> {
    let (user, had_one) = app.db.write_with_reserve(move |tx| {
        let user = accounts::find_user(tx, &user)?;
        let had_one = accounts::second_factor::reset(tx, &user)?;
        Ok((user, had_one))
    })?;
    let text = match had_one {
        true => format!("the second factor of {} is removed", user.email),
        false => format!("{} has no second factor", user.email),
    };
    print(json, &json!({ "id": user.id, "removed": had_one }), text)
}

/// Creates an API token that does not expire, and prints its secret. `user` is an id, an e-mail
/// address or a username, and `name` the name of the token.
fn make_token(app: &App, user: String, name: String, scope: TokenScope, json: bool) -> Result<()> {
    let (token, secret) = app.db.write(move |tx| {
        let user = accounts::find_user(tx, &user)?;
        accounts::create_token(tx, &user.id, &NewApiToken { name: &name, expires: None, scope })
    })?;
    let report = json!({ "id": token.id, "name": token.name, "scope": scope, "token": secret });
    print(json, &report, secret)
}

/// Returns the JSON object of a user, without password hash and organizations.
fn to_json(user: &Profile) -> Value {
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

/// Returns the line of a user in the text output: id, e-mail address, name, and ` operator` and
/// ` disabled` if the user is.
fn format_line(user: &Profile) -> String {
    let operator = if user.operator { " operator" } else { "" };
    let disabled = if user.disabled { " disabled" } else { "" };
    format!("{:<16} {:<32} {}{operator}{disabled}", user.id, user.email, user.name)
}

/// Prints a user, as JSON if `json` is set.
fn print_user(user: &Profile, json: bool) -> Result<()> {
    print(json, &to_json(user), format_line(user))
}

/// Reads a new password from the standard input, checks its length and returns its hash.
fn read_password(app: &App) -> Result<String> {
    accounts::hash_new_password(app, None, &context::read_password_input()?)
}

/// Joins lines with line feeds, without one at the end.
pub(super) fn join_lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}
