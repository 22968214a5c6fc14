//! `chartroom org domain`: manages the verified domains of organizations.

use clap::Subcommand;
use serde_json::Value;
use serde_json::json;

use crate::app::App;
use crate::cli::context::print;
use crate::cli::user::join_lines;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::domains;
use crate::features::orgs::domains::Domain;
use crate::features::orgs::domains::DomainStatus;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;

/// Subcommands of `chartroom org domain`. ORG is an id or a slug.
#[derive(Debug, Subcommand)]
pub enum DomainCommand {
    /// List the domains of an organization
    List { org: String },
    /// Register a domain and print the TXT record to publish on it
    Add { org: String, domain: String },
    /// Look up the TXT record of a domain and update its status
    Verify { org: String, domain: String },
    /// Remove a domain
    Remove { org: String, domain: String },
}

impl DomainCommand {
    /// Runs the command and prints the result, as JSON if `json` is set.
    ///
    /// # Errors
    /// `NotFound` without such an organization or domain, `Forbidden` if the plan has no domains,
    /// and the errors of the operation. A lookup that does not find the record is no error.
    pub fn run(self, app: &App, json: bool) -> Result<()> {
        match self {
            Self::List { org } => {
                let all =
                    app.db.read(|tx| domains::list_domains(tx, &orgs::find_org(tx, &org)?))?;
                let entries: Vec<Value> = all.iter().map(to_json).collect();
                print(json, &json!(entries), join_lines(all.iter().map(format_line)))
            }
            Self::Add { org, domain } => {
                let domain = app
                    .db
                    .write(move |tx| domains::register_domain(tx, &find_org(tx, &org)?, &domain))?;
                print(json, &to_json(&domain), format_with_record(&domain))
            }
            Self::Verify { org, domain } => verify(app, org, &domain, json),
            Self::Remove { org, domain } => {
                let domain = app.db.write_with_reserve(move |tx| {
                    domains::delete_domain(tx, &orgs::find_org(tx, &org)?, &domain)
                })?;
                let value = json!({ "domain": domain.name, "removed": true });
                print(json, &value, format!("{} is removed", domain.name))
            }
        }
    }
}

/// Looks up a domain of an organization, stores the result and prints the domain. `org` is an id or a
/// slug.
fn verify(app: &App, org: String, name: &str, json: bool) -> Result<()> {
    let domain = app.db.read(|tx| domains::find_domain(tx, &find_org(tx, &org)?, name))?;
    let records = domains::look_up_records(app, &domain)?;
    let domain = app
        .db
        .write(move |tx| domains::record_lookup(tx, &find_org(tx, &org)?, &domain, &records))?;
    let text = match domain.status {
        DomainStatus::Verified => format_line(&domain),
        _ => format_with_record(&domain),
    };
    print(json, &to_json(&domain), text)
}

/// Finds an organization by id or slug that may have domains.
///
/// # Errors
/// `NotFound` if there is none, `Forbidden` if its plan has no domains.
fn find_org(tx: &Tx<'_>, org: &str) -> Result<Org> {
    let org = orgs::find_org(tx, org)?;
    domains::check_plan(&org)?;
    Ok(org)
}

/// Returns the JSON object of a domain, with the fields of the API. Times that are absent are null.
fn to_json(domain: &Domain) -> Value {
    json!({
        "domain": domain.name,
        "status": domain.status.as_str(),
        "record_value": domain.record_value,
        "last_checked": domain.last_checked,
        "verified_at": domain.verified_at,
        "found": domain.found,
    })
}

/// Returns the line of a domain in the text output: status, name, and the time of the last lookup.
fn format_line(domain: &Domain) -> String {
    let checked = match domain.last_checked {
        Some(time) => format!("checked {time}"),
        None => "never checked".to_owned(),
    };
    format!("{:<9} {:<32} {checked}", domain.status.as_str(), domain.name)
}

/// Returns the line of a domain and the TXT record to publish. Lists the records that the last
/// lookup found, with escaped control characters, because they come from elsewhere.
fn format_with_record(domain: &Domain) -> String {
    let record = format!(
        "Publish this TXT record on {}, and then run `org domain verify`:\n{}",
        domain.name, domain.record_value
    );
    let found = domain.found.iter().map(|value| format!("found {value:?}"));
    join_lines([format_line(domain), record].into_iter().chain(found))
}
