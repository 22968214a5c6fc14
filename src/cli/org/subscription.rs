//! `chartroom org subscription`.

use clap::Args;
use serde_json::json;

use crate::app::App;
use crate::cli::context::parse_yes_no;
use crate::cli::context::print;
use crate::features::orgs;
use crate::features::orgs::PeriodUnit;
use crate::features::orgs::Price;
use crate::features::orgs::SubscriptionTerms;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// Arguments of `chartroom org subscription`. An absent one keeps the stored value. ORG is an id or
/// a slug.
#[derive(Debug, Args)]
pub struct SubscriptionCommand {
    org: String,
    /// Price of each seat for a period, in hundredths of the currency
    #[arg(long, value_name = "AMOUNT", conflicts_with = "flat_fee")]
    price_per_seat: Option<u32>,
    /// Price of all seats together for a period, in hundredths of the currency
    #[arg(long, value_name = "AMOUNT")]
    flat_fee: Option<u32>,
    /// Currency as a code of ISO 4217 [default: EUR]
    #[arg(long)]
    currency: Option<String>,
    /// Unit of the payment period [default: month]
    #[arg(long)]
    period: Option<PeriodUnit>,
    /// Number of units in a payment period [default: 1]
    #[arg(long)]
    period_interval: Option<u32>,
    /// Start of the subscription, RFC 3339 [default: now]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    started: Option<Timestamp>,
    /// End of the current period, RFC 3339
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    period_end: Option<Timestamp>,
    /// End of the trial, RFC 3339
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    trial_end: Option<Timestamp>,
    /// Whether the subscription ends with the current period
    #[arg(long, value_name = "yes|no", value_parser = parse_yes_no)]
    cancel_at_period_end: Option<bool>,
    /// Remove the subscription; the organization keeps its plan and seats
    #[arg(long)]
    remove: bool,
}

impl SubscriptionCommand {
    /// Runs the command and prints the result, as JSON if `json` is set.
    pub fn run(self, app: &App, json: bool) -> Result<()> {
        let org = app.db.write(move |tx| {
            let org = orgs::find_org(tx, &self.org)?;
            let terms = (!self.remove).then(|| self.apply(org.terms.clone(), tx.now));
            orgs::set_grants(tx, &org.id, None, Some(terms))
        })?;
        let text = match &org.terms {
            None => format!("{} has no subscription", org.name),
            Some(terms) => {
                let SubscriptionTerms { price, currency, period, period_interval, .. } = terms;
                let (amount, basis) = match price {
                    Price::PerSeat(amount) => (amount, "for each seat"),
                    Price::FlatFee(amount) => (amount, "for all seats"),
                };
                let unit = match period {
                    PeriodUnit::Month => "months",
                    PeriodUnit::Year => "years",
                };
                format!(
                    "{} pays {}.{:02} {currency} {basis} every {period_interval} {unit}",
                    org.name,
                    amount / 100,
                    amount % 100
                )
            }
        };
        print(json, &json!({ "org": org.id, "subscription": org.terms }), text)
    }

    /// Returns the stored terms, or those of a subscription that starts now, with the given values.
    fn apply(&self, stored: Option<SubscriptionTerms>, now: Timestamp) -> SubscriptionTerms {
        let mut terms = stored.unwrap_or_else(|| SubscriptionTerms::new(now));
        let per_seat = self.price_per_seat.map(Price::PerSeat);
        terms.price = per_seat.or(self.flat_fee.map(Price::FlatFee)).unwrap_or(terms.price);
        terms.currency = self.currency.clone().unwrap_or(terms.currency);
        terms.period = self.period.unwrap_or(terms.period);
        terms.period_interval = self.period_interval.unwrap_or(terms.period_interval);
        terms.started_at = self.started.unwrap_or(terms.started_at);
        terms.current_period_end = self.period_end.or(terms.current_period_end);
        terms.trial_ends_at = self.trial_end.or(terms.trial_ends_at);
        terms.cancel_at_period_end =
            self.cancel_at_period_end.unwrap_or(terms.cancel_at_period_end);
        terms
    }
}

/// Parses a time in RFC 3339.
fn parse_time(text: &str) -> std::result::Result<Timestamp, String> {
    Timestamp::parse_rfc3339(text)
        .ok_or_else(|| "must be a time such as 2026-01-31T00:00:00Z".to_owned())
}
