//! Texts for people: roles, counts and prices.

use askama::Template;

use crate::features::orgs::PeriodUnit;
use crate::features::orgs::Role;
use crate::features::people::UpdateInfo;

/// A role in a list of options.
#[derive(Debug, Clone, Copy)]
pub struct RoleOption {
    /// Name in the API.
    pub value: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Rights in a few words.
    pub rights: &'static str,
}

/// The roles, lowest first.
pub const ROLES: [RoleOption; 3] = [
    RoleOption { value: "member", label: "Member", rights: "works with documents" },
    RoleOption {
        value: "brand_manager",
        label: "Brand manager",
        rights: "also changes settings and themes",
    },
    RoleOption {
        value: "admin",
        label: "Admin",
        rights: "also manages members, teams and domains",
    },
];

/// The change of a subscription, as a list of terms and values.
#[derive(Template)]
#[template(path = "org-offer.html")]
pub struct Offer {
    /// Terms and values.
    rows: Vec<(&'static str, String)>,
}

impl Offer {
    /// Describes a change of the subscription.
    pub fn new(info: &UpdateInfo) -> Self {
        let price = |hundredths| format_price(hundredths, &info.currency);
        let period = format_period(info.period, info.period_interval);
        Self {
            rows: vec![
                ("Seats to add", info.additional_seats.to_string()),
                ("Seats afterwards", info.max_member_count.to_string()),
                ("Price of all seats", format!("{} per {period}", price(info.price_per_period))),
                (
                    "Price of a seat",
                    format!("{} per {period}", price(info.price_per_user_and_period)),
                ),
                ("Price of the added seats", format!("{} per {period}", price(info.due_now))),
            ],
        }
    }
}

/// Returns the name of a role for people.
pub fn role_label(role: Role) -> &'static str {
    match role {
        Role::Member => "Member",
        Role::BrandManager => "Brand manager",
        Role::Admin => "Admin",
    }
}

/// Formats a number with its noun: `1 person`, `3 people`.
pub fn count(number: u32, singular: &str, plural: &str) -> String {
    format!("{number} {}", if number == 1 { singular } else { plural })
}

/// Returns the number of entries of a list, at most `u32::MAX`.
pub fn length<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

/// Formats hundredths of a currency: `42.00 EUR`.
pub fn format_price(hundredths: u64, currency: &str) -> String {
    format!("{}.{:02} {currency}", hundredths / 100, hundredths % 100)
}

/// Formats a payment period: `month` or `3 months`.
pub fn format_period(unit: PeriodUnit, interval: u32) -> String {
    let name = match unit {
        PeriodUnit::Month => "month",
        PeriodUnit::Year => "year",
    };
    if interval == 1 { name.to_owned() } else { format!("{interval} {name}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_prices_and_periods_are_readable() {
        assert_eq!(count(1, "person", "people"), "1 person");
        assert_eq!(count(0, "person", "people"), "0 people");
        assert_eq!(format_price(4205, "EUR"), "42.05 EUR");
        assert_eq!(format_period(PeriodUnit::Month, 1), "month");
        assert_eq!(format_period(PeriodUnit::Year, 2), "2 years");
    }
}
