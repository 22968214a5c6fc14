//! The subscription of an organization: prices and dates that the operator sets. The server sells
//! nothing.

use rusqlite::ToSql;
use rusqlite::types::FromSql;
use rusqlite::types::FromSqlError;
use rusqlite::types::FromSqlResult;
use rusqlite::types::ToSqlOutput;
use rusqlite::types::ValueRef;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::Org;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// Unit of the payment period.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum PeriodUnit {
    /// Calendar months.
    Month,
    /// Calendar years.
    Year,
}

/// The price of a subscription, in hundredths of the currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Price {
    /// Price of each seat for a period.
    PerSeat(u32),
    /// Price of all seats together for a period.
    FlatFee(u32),
}

/// Prices and dates of a subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionTerms {
    /// Price for one period.
    pub price: Price,
    /// Currency as a code of ISO 4217.
    pub currency: String,
    /// Unit of the payment period.
    pub period: PeriodUnit,
    /// Number of units in a payment period, at least 1.
    pub period_interval: u32,
    /// Start of the subscription.
    pub started_at: Timestamp,
    /// End of the current payment period.
    pub current_period_end: Option<Timestamp>,
    /// Whether the subscription ends with the current period.
    pub cancel_at_period_end: bool,
    /// End of the trial.
    pub trial_ends_at: Option<Timestamp>,
}

impl SubscriptionTerms {
    /// Returns the terms of a new subscription: free, in euros, per month.
    pub fn new(started_at: Timestamp) -> Self {
        Self {
            price: Price::PerSeat(0),
            currency: "EUR".to_owned(),
            period: PeriodUnit::Month,
            period_interval: 1,
            started_at,
            current_period_end: None,
            cancel_at_period_end: false,
            trial_ends_at: None,
        }
    }

    /// Checks currency and period.
    ///
    /// # Errors
    /// `InvalidFields` for `currency` or `period_interval`.
    pub fn check(&self) -> Result<()> {
        if self.currency.len() != 3 || !self.currency.bytes().all(|byte| byte.is_ascii_uppercase())
        {
            return Err(Error::invalid_field(
                "currency",
                "must be a code of ISO 4217, such as EUR",
            ));
        }
        if !(1..=120).contains(&self.period_interval) {
            return Err(Error::invalid_field("period_interval", "must be from 1 to 120"));
        }
        Ok(())
    }

    /// Returns whether the price does not depend on the number of seats.
    pub fn is_flat_fee(&self) -> bool {
        matches!(self.price, Price::FlatFee(_))
    }

    /// Returns the price of `seats` seats for a period, in hundredths of the currency.
    pub fn price_of(&self, seats: u32) -> u64 {
        match self.price {
            Price::PerSeat(price) => u64::from(price) * u64::from(seats),
            Price::FlatFee(price) => u64::from(price),
        }
    }
}

impl ToSql for SubscriptionTerms {
    /// Stores the terms as a JSON object.
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = serde_json::to_string(self)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        Ok(text.into())
    }
}

impl FromSql for SubscriptionTerms {
    /// Reads the JSON object.
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?).map_err(|error| FromSqlError::Other(error.into()))
    }
}

/// The subscription summary. Prices are those that the operator set, in hundredths of the currency,
/// and zero without a subscription.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Subscription {
    /// Name, with the plan.
    pub name: String,
    /// Seats taken.
    pub current_member_count: u32,
    /// Seats granted. Absent if unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_member_count: Option<u32>,
    /// Whether the number of seats is not limited.
    pub unlimited: bool,
    /// Whether the organization works without a subscription.
    pub free: bool,
    /// Number of units in a payment period.
    pub period_interval: u32,
    /// Unit of the payment period.
    pub period: PeriodUnit,
    /// Currency as a code of ISO 4217.
    pub currency: String,
    /// Price of all seats for a period.
    pub price_per_period: u64,
    /// Average price of a seat for a period.
    pub price_per_user_and_period: u64,
    /// Page of the organization.
    pub management_url: String,
    /// Whether the operator has suspended the organization.
    pub suspended: bool,
}

impl Subscription {
    /// Returns the summary for an organization with `member_count` members.
    pub fn new(org: &Org, member_count: u32, base_url: &str) -> Self {
        let terms = org.terms.clone().unwrap_or_else(|| SubscriptionTerms::new(org.created));
        let paid_seats = org.seats.limit().unwrap_or(member_count);
        let price = terms.price_of(paid_seats);
        Self {
            name: format!("Chartroom {}", org.plan),
            current_member_count: member_count,
            max_member_count: org.seats.limit(),
            unlimited: org.seats.limit().is_none(),
            free: org.terms.is_none(),
            period_interval: terms.period_interval,
            period: terms.period,
            currency: terms.currency,
            price_per_period: price,
            price_per_user_and_period: price / u64::from(paid_seats.max(1)),
            management_url: format!("{base_url}/orgs/{}", org.slug),
            suspended: org.suspended,
        }
    }
}

/// State of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SubscriptionStatus {
    /// In a paid period.
    Active,
    /// In the trial.
    Trialing,
    /// Suspended by the operator.
    Suspended,
    /// Canceled, and its last period is over.
    Ended,
}

/// A subscription with all its fields.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SubscriptionDetails {
    /// Seats and prices.
    #[serde(flatten)]
    pub summary: Subscription,
    /// `team`, `education` or `enterprise`.
    pub plan: &'static str,
    /// Current state.
    pub status: SubscriptionStatus,
    /// Whether the price does not depend on the number of seats.
    pub flat_fee: bool,
    /// Start of the subscription.
    pub started_at: Timestamp,
    /// End of the current payment period.
    pub current_period_end: Option<Timestamp>,
    /// Whether the subscription ends with the current period.
    pub cancel_at_period_end: bool,
    /// End of the trial.
    pub trial_ends_at: Option<Timestamp>,
    /// Open invites. Each holds a seat.
    pub pending_invite_count: u32,
}

impl SubscriptionDetails {
    /// Returns the subscription of an organization at the time `now`, or None without one.
    pub fn new(
        org: &Org,
        summary: Subscription,
        pending_invite_count: u32,
        now: Timestamp,
    ) -> Option<Self> {
        let terms = org.terms.clone()?;
        let is_over = |end: Option<Timestamp>| end.is_some_and(|end| end <= now);
        let status = match () {
            () if org.suspended => SubscriptionStatus::Suspended,
            () if terms.cancel_at_period_end && is_over(terms.current_period_end) => {
                SubscriptionStatus::Ended
            }
            () if terms.trial_ends_at.is_some() && !is_over(terms.trial_ends_at) => {
                SubscriptionStatus::Trialing
            }
            () => SubscriptionStatus::Active,
        };
        Some(Self {
            summary,
            plan: org.plan.as_str(),
            status,
            flat_fee: terms.is_flat_fee(),
            started_at: terms.started_at,
            current_period_end: terms.current_period_end,
            cancel_at_period_end: terms.cancel_at_period_end,
            trial_ends_at: terms.trial_ends_at,
            pending_invite_count,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn price_depends_on_seats_unless_it_is_a_flat_fee() {
        let mut terms = SubscriptionTerms::new(Timestamp(0));
        terms.price = Price::PerSeat(u32::MAX);
        assert_eq!(terms.price_of(u32::MAX), u64::from(u32::MAX) * u64::from(u32::MAX));
        terms.price = Price::FlatFee(900);
        assert_eq!((terms.price_of(1), terms.price_of(7)), (900, 900));
        assert!(terms.is_flat_fee() && terms.check().is_ok());
        terms.currency = "Euro".to_owned();
        assert!(terms.check().is_err());
    }
}
