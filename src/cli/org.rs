//! `chartroom org`: creates organizations, grants plans and seats, manages people, themes,
//! domains and single sign-on, and shows the audit log.

mod audit;
mod domain;
mod people;
mod sso;
mod subscription;
mod theme;

use clap::ArgGroup;
use clap::Subcommand;
use serde_json::Value;
use serde_json::json;

use super::context::parse_yes_no;
use super::context::print;
use super::user::join_lines;
use crate::app::App;
use crate::features::accounts;
use crate::features::orgs;
use crate::features::orgs::NewOrg;
use crate::features::orgs::Org;
use crate::features::orgs::Plan;
use crate::features::orgs::Seats;
use audit::AuditArguments;
use chartroom_platform::error::Result;
use domain::DomainCommand;
use people::InviteCommand;
use people::MemberCommand;
use sso::SsoArguments;
use subscription::SubscriptionCommand;
use theme::ThemeCommand;

/// Subcommands of `chartroom org`. ORG is an id or a slug.
#[derive(Debug, Subcommand)]
pub enum OrgCommand {
    /// Create an organization without members
    Create {
        /// Full name
        #[arg(long)]
        name: String,
        /// Name in URLs
        #[arg(long)]
        slug: String,
        /// Plan: team, education, enterprise
        #[arg(long)]
        plan: Plan,
        /// Maximum number of members: a number, or unlimited
        #[arg(long)]
        seats: Seats,
    },
    /// List all organizations, oldest first
    List,
    /// Show an organization and its members
    Show { org: String },
    /// Change plan, seats or grants
    #[command(group = ArgGroup::new("change").required(true).multiple(true))]
    Plan {
        org: String,
        /// Plan: team, education, enterprise
        #[arg(long, group = "change")]
        plan: Option<Plan>,
        /// Maximum number of members: a number, or unlimited
        #[arg(long, group = "change")]
        seats: Option<Seats>,
        /// Whether addresses outside the verified domains may be invited
        #[arg(long, value_name = "yes|no", value_parser = parse_yes_no, group = "change")]
        external_invites: Option<bool>,
    },
    /// Set prices and dates of the subscription, which members see. The server sells nothing
    Subscription(SubscriptionCommand),
    /// List, add and remove members
    #[command(subcommand)]
    Member(MemberCommand),
    /// List, create, send and delete invites
    #[command(subcommand)]
    Invite(InviteCommand),
    /// Register, verify and remove domains
    #[command(subcommand)]
    Domain(DomainCommand),
    /// Show single sign-on of an organization, or stop requiring it
    Sso(SsoArguments),
    /// List, save and delete themes, and choose the default theme
    #[command(subcommand)]
    Theme(ThemeCommand),
    /// Suspend an organization: its members can read and export but not change anything
    Suspend { org: String },
    /// Resume a suspended organization
    Resume { org: String },
    /// Show the changes of an organization and of what it owns, newest first
    Audit(AuditArguments),
}

impl OrgCommand {
    /// Runs the command and prints the result, as JSON if `json` is set.
    pub fn run(self, app: &App, json: bool) -> Result<()> {
        match self {
            Self::Create { name, slug, plan, seats } => {
                let new = NewOrg { name, slug, plan, seats };
                let org = app.db.write(move |tx| orgs::create_org(tx, &new))?;
                print(json, &to_json(&org), format_line(&org))
            }
            Self::List => {
                let all = app.db.read(orgs::list_orgs)?;
                let entries: Vec<Value> = all.iter().map(to_json).collect();
                print(json, &json!(entries), join_lines(all.iter().map(format_line)))
            }
            Self::Show { org } => show(app, &org, json),
            Self::Plan { org, plan, seats, external_invites } => {
                let org = app.db.write(move |tx| {
                    let id = orgs::find_org(tx, &org)?.id;
                    orgs::set_plan(tx, &id, plan, seats)?;
                    orgs::set_grants(tx, &id, external_invites, None)
                })?;
                print(json, &to_json(&org), format_line(&org))
            }
            Self::Subscription(command) => command.run(app, json),
            Self::Member(command) => command.run(app, json),
            Self::Invite(command) => command.run(app, json),
            Self::Domain(command) => command.run(app, json),
            Self::Sso(arguments) => arguments.run(app, json),
            Self::Theme(command) => command.run(app, json),
            Self::Suspend { org } => set_suspended(app, org, true, json),
            Self::Resume { org } => set_suspended(app, org, false, json),
            Self::Audit(arguments) => arguments.run(app, json),
        }
    }
}

/// Prints an organization with its members. `org` is an id or a slug.
fn show(app: &App, org: &str, json: bool) -> Result<()> {
    let (org, members) = app.db.read(|tx| {
        let org = orgs::find_org(tx, org)?;
        let mut members = Vec::new();
        for member in orgs::list_members(tx, &org.id)? {
            members.push((accounts::load_profile(tx, &member.user)?, member.role));
        }
        Ok((org, members))
    })?;
    let mut value = to_json(&org);
    value["members"] = members
        .iter()
        .map(|(user, role)| {
            let (id, role) = (&user.id, role.as_str());
            json!({ "id": id, "email": user.email, "name": user.name, "role": role })
        })
        .collect();
    let facts = [
        ("id", org.id.to_string()),
        ("slug", org.slug.clone()),
        ("name", org.name.clone()),
        ("plan", org.plan.to_string()),
        ("seats", format!("{} ({} taken)", org.seats, members.len())),
        ("suspended", org.suspended.to_string()),
        (
            "external",
            format!("invites {}", if org.external_invites { "allowed" } else { "disabled" }),
        ),
        ("created", org.created.to_string()),
    ];
    let facts = facts.into_iter().map(|(fact, value)| format!("{fact:<10}{value}"));
    let people = members
        .iter()
        .map(|(user, role)| format!("{:<10}{} ({}, {role})", "member", user.email, user.name));
    print(json, &value, join_lines(facts.chain(people)))
}

/// Suspends an organization if `suspended`, otherwise resumes it, and prints it.
fn set_suspended(app: &App, org: String, suspended: bool, json: bool) -> Result<()> {
    let org = app.db.write_with_reserve(move |tx| {
        let id = orgs::find_org(tx, &org)?.id;
        orgs::set_suspended(tx, &id, suspended)
    })?;
    print(json, &to_json(&org), format_line(&org))
}

/// Returns the JSON object of an organization, without its members. `seats` is null if they are
/// unlimited.
fn to_json(org: &Org) -> Value {
    json!({
        "id": org.id,
        "slug": org.slug,
        "name": org.name,
        "plan": org.plan.as_str(),
        // Null is unlimited.
        "seats": org.seats.limit(),
        "suspended": org.suspended,
        "external_invites": org.external_invites,
        "subscription": org.terms,
        "created": org.created,
    })
}

/// Returns the line of an organization in the text output: id, slug, plan, seats, name, and
/// ` suspended` if it is.
fn format_line(org: &Org) -> String {
    let suspended = if org.suspended { " suspended" } else { "" };
    let Org { id, slug, plan, seats, name, .. } = org;
    format!(
        "{id} {slug:<20} {:<10} {:>9} seats  {name}{suspended}",
        plan.as_str(),
        seats.to_string()
    )
}
