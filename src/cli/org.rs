//! `chartroom org …`: makes organizations, grants plans and seats, and places people in them.

use clap::Subcommand;
use serde_json::Value;
use serde_json::json;

use super::shell::print;
use super::user::lines;
use crate::app::App;
use crate::features::accounts;
use crate::features::orgs;
use crate::features::orgs::NewOrg;
use crate::features::orgs::Org;
use crate::features::orgs::Plan;
use crate::features::orgs::Role;
use crate::features::orgs::Seats;
use chartroom_platform::error::Result;

/// What to do with organizations. ORG is an id or a slug.
#[derive(Debug, Subcommand)]
pub enum OrgCommand {
    /// Make an organization, without members yet
    Create {
        /// The full name
        #[arg(long)]
        name: String,
        /// The word that names it in addresses
        #[arg(long)]
        slug: String,
        /// What it is granted: team, education, enterprise
        #[arg(long)]
        plan: Plan,
        /// How many members it may have: a number, or unlimited
        #[arg(long)]
        seats: Seats,
    },
    /// List all organizations, oldest first
    List,
    /// Show an organization and its members
    Show { org: String },
    /// Grant a plan or seats
    Plan {
        org: String,
        /// What it is granted: team, education, enterprise
        #[arg(long, required_unless_present = "seats")]
        plan: Option<Plan>,
        /// How many members it may have: a number, or unlimited
        #[arg(long)]
        seats: Option<Seats>,
    },
    /// Add and remove members
    #[command(subcommand)]
    Member(MemberCommand),
    /// Stop an organization from changing anything; its members still read and export
    Suspend { org: String },
    /// Let a suspended organization work again
    Resume { org: String },
}

/// What to do with members. WHO is a user's e-mail address, id or username.
#[derive(Debug, Subcommand)]
pub enum MemberCommand {
    /// Add a user, or give a member another role
    Add {
        org: String,
        #[arg(value_name = "EMAIL")]
        who: String,
        /// What the member may do: member, brand_manager, admin
        #[arg(long, default_value = "member")]
        role: Role,
    },
    /// Take a user out
    Remove {
        org: String,
        #[arg(value_name = "EMAIL")]
        who: String,
    },
}

impl OrgCommand {
    /// Does it, and prints what came of it: JSON when `json`.
    pub fn run(self, app: &App, json: bool) -> Result<()> {
        match self {
            Self::Create { name, slug, plan, seats } => {
                let new = NewOrg { name, slug, plan, seats };
                let org = app.db.write(move |tx| orgs::create(tx, &new))?;
                print(json, &entry(&org), line(&org))
            }
            Self::List => {
                let all = app.db.read(orgs::all)?;
                let entries: Vec<Value> = all.iter().map(entry).collect();
                print(json, &json!(entries), lines(all.iter().map(line)))
            }
            Self::Show { org } => show(app, &org, json),
            Self::Plan { org, plan, seats } => {
                let org = app.db.write(move |tx| {
                    let id = orgs::find(tx, &org)?.id;
                    orgs::set_plan(tx, &id, plan, seats)
                })?;
                print(json, &entry(&org), line(&org))
            }
            Self::Member(MemberCommand::Add { org, who, role }) => {
                add_member(app, org, who, role, json)
            }
            Self::Member(MemberCommand::Remove { org, who }) => remove_member(app, org, who, json),
            Self::Suspend { org } => set_suspended(app, org, true, json),
            Self::Resume { org } => set_suspended(app, org, false, json),
        }
    }
}

fn show(app: &App, org: &str, json: bool) -> Result<()> {
    let (org, members) = app.db.read(|tx| {
        let org = orgs::find(tx, org)?;
        let mut members = Vec::new();
        for member in orgs::members(tx, &org.id)? {
            members.push((accounts::profile(tx, &member.user)?, member.role));
        }
        Ok((org, members))
    })?;
    let mut value = entry(&org);
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
        ("created", org.created.to_string()),
    ];
    let facts = facts.into_iter().map(|(fact, value)| format!("{fact:<10}{value}"));
    let people = members
        .iter()
        .map(|(user, role)| format!("{:<10}{} ({}, {role})", "member", user.email, user.name));
    print(json, &value, lines(facts.chain(people)))
}

fn add_member(app: &App, org: String, who: String, role: Role, json: bool) -> Result<()> {
    let (org, user) = app.db.write(move |tx| {
        let (org, user) = (orgs::find(tx, &org)?, accounts::find(tx, &who)?);
        orgs::add_member(tx, &org, &user.id, role)?;
        Ok((org, user))
    })?;
    let value = json!({
        "org": org.id, "id": user.id, "email": user.email, "role": role.as_str(),
    });
    print(json, &value, format!("{} is {role} of {}", user.email, org.name))
}

fn remove_member(app: &App, org: String, who: String, json: bool) -> Result<()> {
    let (org, user) = app.db.write(move |tx| {
        let (org, user) = (orgs::find(tx, &org)?, accounts::find(tx, &who)?);
        orgs::remove_member(tx, &org, &user.id)?;
        Ok((org, user))
    })?;
    let value = json!({ "org": org.id, "id": user.id, "removed": true });
    print(json, &value, format!("{} is no longer in {}", user.email, org.name))
}

fn set_suspended(app: &App, org: String, suspended: bool, json: bool) -> Result<()> {
    let org = app.db.write(move |tx| {
        let id = orgs::find(tx, &org)?.id;
        orgs::set_suspended(tx, &id, suspended)
    })?;
    print(json, &entry(&org), line(&org))
}

fn entry(org: &Org) -> Value {
    json!({
        "id": org.id,
        "slug": org.slug,
        "name": org.name,
        "plan": org.plan.as_str(),
        // Null is unlimited.
        "seats": org.seats.limit(),
        "suspended": org.suspended,
        "created": org.created,
    })
}

fn line(org: &Org) -> String {
    let suspended = if org.suspended { " suspended" } else { "" };
    let Org { id, slug, plan, seats, name, .. } = org;
    format!(
        "{id} {slug:<20} {:<10} {:>9} seats  {name}{suspended}",
        plan.as_str(),
        seats.to_string()
    )
}
