//! `chartroom org sso`: shows single sign-on of an organization, and ends its requirement, so that an
//! operator can always let people in again.

use clap::Args;
use clap::Subcommand;
use serde_json::Value;
use serde_json::json;

use crate::app::App;
use crate::cli::context::print;
use crate::cli::user::join_lines;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::sso::protocol;
use crate::features::sso::settings;
use crate::features::sso::settings::SsoSettings;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;

/// Arguments of `chartroom org sso`. ORG is an id or a slug.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct SsoArguments {
    #[arg(required = true)]
    org: Option<String>,
    /// Stop requiring single sign-on, so that passwords work again
    #[arg(long)]
    off: bool,
    #[command(subcommand)]
    action: Option<SsoAction>,
}

/// Actions of `chartroom org sso`.
#[derive(Debug, Subcommand)]
enum SsoAction {
    /// Stop requiring single sign-on, like --off
    Disable { org: String },
}

/// Single sign-on of an organization.
struct SsoState {
    org: Org,
    /// Whether the settings of the organization require single sign-on.
    is_required: bool,
    /// Identity provider. None if none is set up.
    provider: Option<SsoSettings>,
}

impl SsoArguments {
    /// Runs the command and prints the state, as JSON if `json` is set.
    ///
    /// # Errors
    /// `NotFound` without such an organization.
    pub fn run(self, app: &App, json: bool) -> Result<()> {
        let (org, off) = match self.action {
            Some(SsoAction::Disable { org }) => (org, true),
            None => (self.org.unwrap_or_default(), self.off),
        };
        let state = if off {
            app.db.write_with_reserve(move |tx| {
                orgs::settings::stop_enforcing_sso(tx, &orgs::find_org(tx, &org)?)?;
                SsoState::load(tx, &org)
            })?
        } else {
            app.db.read(|tx| SsoState::load(tx, &org))?
        };
        print(json, &state.to_json()?, state.format()?)
    }
}

impl SsoState {
    /// Loads the state of an organization with this id or slug.
    fn load(tx: &Tx<'_>, org: &str) -> Result<Self> {
        let org = orgs::find_org(tx, org)?;
        let is_required = orgs::find_settings(tx, &org.id)?.requires_sso();
        let provider = settings::find(tx, &org.id)?;
        Ok(Self { org, is_required, provider })
    }

    /// Returns the JSON object.
    fn to_json(&self) -> Result<Value> {
        let provider = self.provider.as_ref().map(provider_to_json).transpose()?;
        Ok(json!({
            "id": self.org.id,
            "slug": self.org.slug,
            "enforce_sso": self.is_required,
            "provider": provider,
        }))
    }

    /// Returns the lines of the text output.
    fn format(&self) -> Result<String> {
        let mut facts = vec![
            ("org", self.org.slug.clone()),
            ("required", if self.is_required { "yes" } else { "no" }.to_owned()),
        ];
        match &self.provider {
            None => facts.push(("provider", "none".to_owned())),
            Some(provider) => {
                facts.push(("provider", provider.entity_id.clone()));
                facts.push(("sign-in", provider.sign_in_url.clone()));
                for certificate in protocol::parse_certificates(&provider.certificate)? {
                    let end = certificate.not_after;
                    facts.push(("valid", format!("until {end} (certificate)")));
                }
                let last = provider.last_sign_in.map(|time| time.to_string());
                facts.push(("last", last.unwrap_or_else(|| "never signed in".to_owned())));
            }
        }
        Ok(join_lines(facts.into_iter().map(|(fact, value)| format!("{fact:<10}{value}"))))
    }
}

/// Returns the JSON object of an identity provider, with the names of the API.
fn provider_to_json(provider: &SsoSettings) -> Result<Value> {
    let certificates = protocol::parse_certificates(&provider.certificate)?;
    Ok(json!({
        "entity_id": provider.entity_id,
        "sign_in_url": provider.sign_in_url,
        "allow_idp_initiated": provider.allow_idp_initiated,
        "allow_relink": provider.allow_relink,
        "certificates": certificates,
        "last_sign_in": provider.last_sign_in,
    }))
}
