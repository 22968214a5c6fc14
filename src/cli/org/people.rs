//! `chartroom org member` and `chartroom org invite`.

use clap::Subcommand;
use serde_json::Value;
use serde_json::json;

use crate::app::App;
use crate::cli::context::print;
use crate::cli::user::join_lines;
use crate::features::accounts;
use crate::features::orgs;
use crate::features::orgs::Role;
use crate::features::people;
use crate::features::people::Invite;
use crate::features::people::invites;
use crate::features::people::invites::InviteView;
use crate::features::people::invites::NewInvites;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::InviteId;

/// Subcommands of `chartroom org member`. ORG is an id or a slug, and EMAIL an e-mail address, an id or a username.
#[derive(Debug, Subcommand)]
pub enum MemberCommand {
    /// List the members
    List { org: String },
    /// Add a user, or change the role of a member
    Add {
        org: String,
        #[arg(value_name = "EMAIL")]
        user: String,
        /// Role: member, brand_manager, admin
        #[arg(long, default_value = "member")]
        role: Role,
    },
    /// Print a new link with which a managed account sets a password, valid for a week
    PasswordLink {
        org: String,
        #[arg(value_name = "EMAIL")]
        user: String,
    },
    /// Remove a member, with teams, shares and casts. A managed account is disabled, and its
    /// documents move to the organization
    Remove {
        org: String,
        #[arg(value_name = "EMAIL")]
        user: String,
    },
}

/// Subcommands of `chartroom org invite`. ORG is an id or a slug, and ID the id of an invite.
#[derive(Debug, Subcommand)]
pub enum InviteCommand {
    /// List the open invites with their links
    List { org: String },
    /// Invite people, and list the open invites with their links
    Add {
        org: String,
        #[arg(value_name = "EMAIL", required = true)]
        emails: Vec<String>,
        /// Role: member, brand_manager, admin
        #[arg(long, default_value = "member")]
        role: Role,
        /// Text for the mail
        #[arg(long, default_value = "")]
        message: String,
    },
    /// Send an open invite again, with a new link
    Send { org: String, id: InviteId },
    /// Delete an open invite
    Delete { org: String, id: InviteId },
}

impl MemberCommand {
    /// Runs the command and prints the result, as JSON if `json` is set.
    pub fn run(self, app: &App, json: bool) -> Result<()> {
        match self {
            Self::List { org } => list_members(app, &org, json),
            Self::Add { org, user, role } => add_member(app, org, user, role, json),
            Self::PasswordLink { org, user } => print_password_link(app, org, user, json),
            Self::Remove { org, user } => remove_member(app, org, user, json),
        }
    }
}

impl InviteCommand {
    /// Runs the command and prints the result, as JSON if `json` is set.
    pub fn run(self, app: &App, json: bool) -> Result<()> {
        match self {
            Self::List { org } => list_invites(app, &org, json),
            Self::Add { org, emails, role, message } => {
                add_invites(app, org, NewInvites { emails, role, message }, json)
            }
            Self::Send { org, id } => send_invite(app, org, id, json),
            Self::Delete { org, id } => {
                let deleted = id.clone();
                app.db.write_with_reserve(move |tx| {
                    let org = orgs::find_org(tx, &org)?;
                    invites::delete_invite(tx, &org, &deleted)
                })?;
                print(json, &json!({ "id": id, "deleted": true }), format!("{id} is deleted"))
            }
        }
    }
}

/// Prints the members of an organization.
fn list_members(app: &App, org: &str, json: bool) -> Result<()> {
    let people = app.db.read(|tx| people::list_members(tx, &orgs::find_org(tx, org)?.id))?;
    let lines = people.iter().map(|person| {
        let managed = if person.is_managed { " managed" } else { "" };
        format!("{} {:<13} {} ({}){managed}", person.id, person.role, person.email, person.name)
    });
    let text = join_lines(lines);
    let entries = people.iter().map(|person| {
        json!({
            "id": person.id, "email": person.email, "name": person.name,
            "role": person.role.as_str(), "managed": person.is_managed,
            "last_seen": person.last_seen,
        })
    });
    print(json, &entries.collect::<Value>(), text)
}

/// Adds a member to an organization or changes their role, and prints the result. `org` is an id or
/// a slug, and `user` an e-mail address, an id or a username.
fn add_member(app: &App, org: String, user: String, role: Role, json: bool) -> Result<()> {
    let (org, user) = app.db.write(move |tx| {
        let (org, user) = (orgs::find_org(tx, &org)?, accounts::find_user(tx, &user)?);
        people::add_member(tx, &org, &user.id, role)?;
        Ok((org, user))
    })?;
    let value = json!({
        "org": org.id, "id": user.id, "email": user.email, "role": role.as_str(),
    });
    print(json, &value, format!("{} is {role} of {}", user.email, org.name))
}

/// Removes a member from an organization, and prints the result. The account of the user stays
/// unless the organization manages it.
fn remove_member(app: &App, org: String, user: String, json: bool) -> Result<()> {
    let (org, user) = app.db.write_with_reserve(move |tx| {
        let (org, user) = (orgs::find_org(tx, &org)?, accounts::find_user(tx, &user)?);
        match people::managing_org(tx, &user.id)? {
            Some(managing) if managing == org.id => {
                people::managed::remove_user(tx, &org, &user.id, &org.id)?;
            }
            _ => people::remove_member(tx, &org, &user.id)?,
        }
        Ok((org, user))
    })?;
    let value = json!({ "org": org.id, "id": user.id, "removed": true });
    print(json, &value, format!("{} is no longer a member of {}", user.email, org.name))
}

/// Prints the open invites of an organization with their links, which only the operator sees.
fn list_invites(app: &App, org: &str, json: bool) -> Result<()> {
    let invites = app.db.read(|tx| invites::list_invites(tx, &orgs::find_org(tx, org)?))?;
    let lines = join_lines(invites.iter().map(|invite| format_invite(app, invite)));
    let entries = invites.into_iter().map(|invite| invite_json(app, invite));
    print(json, &entries.collect::<Result<Value>>()?, lines)
}

/// Returns the JSON object of an invite, with its link.
fn invite_json(app: &App, invite: Invite) -> Result<Value> {
    let link = invites::invite_url(&app.server_key, &app.config.base_url, &invite);
    let mut value = serde_json::to_value(InviteView::new(invite))?;
    value["link"] = link.into();
    Ok(value)
}

/// Returns the line of an invite in the text output: id, role, expiry, address and link.
fn format_invite(app: &App, invite: &Invite) -> String {
    let link = invites::invite_url(&app.server_key, &app.config.base_url, invite);
    let Invite { id, email, role, expires, .. } = invite;
    format!("{id} {role:<13} until {}  {email}  {link}", expires.format_to_minute())
}

/// Invites people and prints the open invites of the organization.
fn add_invites(app: &App, org: String, new: NewInvites, json: bool) -> Result<()> {
    let (key, name) = (app.server_key.clone(), org.clone());
    app.db.write(move |tx| {
        let org = orgs::find_org(tx, &name)?;
        let confirmation = invites::confirm_seats(tx, &key, &org, &new)?;
        let author = AccountId::from_text("");
        invites::create_invites(tx, &key, org, &author, &new, confirmation.as_deref())
    })?;
    list_invites(app, &org, json)
}

/// Sends an invite again and prints it.
fn send_invite(app: &App, org: String, id: InviteId, json: bool) -> Result<()> {
    let key = app.server_key.clone();
    let invite = app.db.write(move |tx| {
        let org = orgs::find_org(tx, &org)?;
        invites::send_again(tx, &key, &org, &id)
    })?;
    let line = format_invite(app, &invite);
    print(json, &invite_json(app, invite)?, line)
}

/// Prints a new link with which a managed account sets a password, for an operator who passes it on.
fn print_password_link(app: &App, org: String, user: String, json: bool) -> Result<()> {
    let (key, base_url) = (app.server_key.clone(), app.config.base_url.clone());
    let (user, url) = app.db.write(move |tx| {
        let (org, user) = (orgs::find_org(tx, &org)?, accounts::find_user(tx, &user)?);
        let link = people::managed::create_password_link(tx, &key, &org, &user.id)?;
        Ok((user, link.url(&key, &base_url)))
    })?;
    print(json, &json!({ "id": user.id, "email": user.email, "link": url }), &url)
}
