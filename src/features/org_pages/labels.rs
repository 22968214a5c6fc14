//! Texts for people: roles, counts, prices and sizes.

use askama::Template;

use crate::features::orgs::PeriodUnit;
use crate::features::orgs::Role;
use crate::features::people::UpdateInfo;
use chartroom_charts::Locale;
use chartroom_charts::format::FormatRules;
use chartroom_charts::format::NumberFormat;
use chartroom_platform::language;
use chartroom_platform::language::Language;
use chartroom_platform::text;

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
        let price = |hundredths| {
            format_periodic_price(hundredths, &info.currency, info.period, info.period_interval)
        };
        let rows = [
            ("organization.seatsToAdd", info.additional_seats.to_string()),
            ("organization.seatsAfterwards", info.max_member_count.to_string()),
            ("organization.priceOfAllSeats", price(info.price_per_period)),
            ("organization.priceOfSeat", price(info.price_per_user_and_period)),
            ("organization.priceOfAddedSeats", price(info.due_now)),
        ];
        Self { rows: rows.into_iter().map(|(term, value)| (language::text(term), value)).collect() }
    }
}

/// Returns the name of a role for people.
pub fn role_label(role: Role) -> &'static str {
    language::text(match role {
        Role::Member => "organization.roleMember",
        Role::BrandManager => "organization.roleBrandManager",
        Role::Admin => "organization.roleAdmin",
    })
}

/// Returns the roles, lowest first.
pub fn list_roles() -> [RoleOption; 3] {
    let roles = [
        (Role::Member, "organization.rightsMember"),
        (Role::BrandManager, "organization.rightsBrandManager"),
        (Role::Admin, "organization.rightsAdmin"),
    ];
    roles.map(|(role, rights)| RoleOption {
        value: role.as_str(),
        label: role_label(role),
        rights: language::text(rights),
    })
}

/// Returns the number of entries of a list, at most `u32::MAX`.
pub fn length<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

/// Formats a price in hundredths of a currency: `42.00 EUR per month` or `42.00 EUR per 3 months`.
pub fn format_periodic_price(
    hundredths: u64,
    currency: &str,
    unit: PeriodUnit,
    interval: u32,
) -> String {
    let text = match unit {
        PeriodUnit::Month => language::fill("organization.pricePerMonth"),
        PeriodUnit::Year => language::fill("organization.pricePerYear"),
    };
    text.with("price", format_price(hundredths, currency)).with("count", interval).into()
}

/// Formats hundredths of a currency: `1234.00 EUR`, in German `1.234,00 €`.
fn format_price(hundredths: u64, currency: &str) -> String {
    match language::current() {
        Language::English => format!("{}.{:02} {currency}", hundredths / 100, hundredths % 100),
        Language::German => {
            let rules = FormatRules { grouped: true, ..FormatRules::default() };
            let format = NumberFormat::with_fixed_decimals(2, &rules, Locale::parse("de"));
            #[expect(clippy::cast_precision_loss, reason = "prices are far below 2^53 hundredths")]
            let number = format.text(hundredths as f64 / 100.0);
            // U+00A0 keeps number and currency on one line.
            format!("{number}\u{a0}{}", if currency == "EUR" { "€" } else { currency })
        }
    }
}

/// Returns a number with a decimal point as a text with the decimal sign of the current language.
pub fn localize_decimal(number: &str) -> String {
    match language::current() {
        Language::English => number.to_owned(),
        Language::German => number.replace('.', ","),
    }
}

/// Formats a size in bytes in the largest unit that fits: `1.5 MiB` or `1023 bytes`.
pub fn format_bytes(bytes: u64) -> String {
    let size = text::format_bytes(bytes);
    match language::current() {
        Language::English => size,
        Language::German => localize_decimal(&size).replace("bytes", "Byte"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_and_sizes_follow_the_language() {
        let price =
            |hundredths, unit, interval| format_periodic_price(hundredths, "EUR", unit, interval);
        assert_eq!(price(123_405, PeriodUnit::Month, 1), "1234.05 EUR per month");
        assert_eq!(price(4200, PeriodUnit::Year, 2), "42.00 EUR per 2 years");
        assert_eq!(format_bytes(1536), "1.5 KiB");
        language::set_current(Language::German);
        assert_eq!(price(123_405, PeriodUnit::Month, 1), "1.234,05\u{a0}€ pro Monat");
        assert_eq!(price(4200, PeriodUnit::Year, 2), "42,00\u{a0}€ je 2 Jahre");
        assert_eq!(format_price(123_456_789, "EUR"), "1.234.567,89\u{a0}€");
        assert_eq!(format_price(50, "USD"), "0,50\u{a0}USD");
        assert_eq!(
            (format_bytes(1536), format_bytes(7)),
            ("1,5 KiB".to_owned(), "7 Byte".to_owned())
        );
    }
}
