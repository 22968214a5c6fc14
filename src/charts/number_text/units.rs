//! Units of measure after a number, such as `km` in `12.5 km`.

use super::affixes::has_currency;

/// Units that may stand after a number. Symbols are those of the International System of Units and
/// of everyday use. Letters with several meanings are absent, such as `B` and `a`.
pub(super) const UNITS: [&str; 194] = [
    // Lengths, areas and volumes
    "nm", "µm", "μm", "mm", "cm", "dm", "m", "km", "in", "ft", "yd", "mi", "nmi", "mm²", "cm²",
    "m²", "km²", "m2", "km2", "qm", "qkm", "ha", "ac", "sqft", "m³", "m3", "cm³", "km³", "fm",
    "ml", "mL", "cl", "dl", "l", "L", "hl", "gal", "bbl", // Masses
    "µg", "μg", "mg", "g", "kg", "t", "kt", "Mt", "Gt", "oz", "lb", "lbs", "Ztr.",
    // Temperatures and angles
    "°", "°C", "°F", "º", "ºC", // Times
    "ns", "µs", "ms", "s", "sec", "Sek", "Sek.", "min", "Min", "Min.", "h", "hr", "hrs", "Std",
    "Std.", "Stunden", "hours", "d", "days", "Tage", "Tagen", "weeks", "Wochen", "months",
    "Monate", "years", "yrs", "Jahre", "jours", "heures", "mois", "ans", "días", "horas", "meses",
    "años", "giorni", "ore", // Energy and power
    "J", "kJ", "MJ", "GJ", "TJ", "PJ", "EJ", "cal", "kcal", "Wh", "kWh", "MWh", "GWh", "TWh", "W",
    "kW", "MW", "GW", "TW", "kWp", "MWp", "PS", "hp",
    // Electricity, frequency, pressure and force
    "V", "kV", "A", "mA", "mAh", "Ah", "Hz", "kHz", "MHz", "GHz", "dB", "Pa", "hPa", "kPa", "mbar",
    "bar", "N", "kN", "Nm", // Data
    "kB", "KB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB", "Mbit", "px", "pt",
    // Ratios and counts
    "x", "×", "pp", "ppm", "ppb", "mph", "rpm", "kn", "Stk", "Stk.", "Stück", "pcs",
    // Quotients
    "km/h", "m/s", "U/min", "l/min", "m³/s", "m³/h", "Mbit/s", "Gbit/s", "MB/s", "g/km", "kg/ha",
    "t/ha", "g/l", "mg/l", "mg/dl", "µg/m³", "μg/m³", "kg/m³", "kWh/m²", "W/m²", "€/m²", "EUR/m²",
    "€/kWh", "€/MWh", "ct/kWh", "Ct/kWh", "€/t", "$/t", "€/kg", "€/l", "€/h", "$/h", "$/bbl",
];
/// Splits a unit of measure off the end of a text. Returns the text before it without spaces at its end,
/// and the unit. `None` if there is no known unit, or neither a digit nor `)` before it.
///
/// A unit of one letter needs a space before it: `12 m` is a length, while `12m` may be 12 million.
pub fn split_unit(text: &str) -> Option<(&str, &'static str)> {
    let start = text.rfind(char::is_whitespace).map_or_else(
        || text.find(|letter: char| letter.is_alphabetic() || "°º×µ€$£".contains(letter)),
        |space| Some(space + text[space..].chars().next().map_or(1, char::len_utf8)),
    )?;
    let (number, word) = text.split_at(start);
    let unit = UNITS.into_iter().find(|unit| *unit == word)?;
    let has_space = number.ends_with(char::is_whitespace);
    let number = number.trim_end();
    let is_short = unit.chars().count() == 1 && !["°", "º", "x", "×"].contains(&unit);
    let follows_number = number.ends_with(|end: char| end.is_numeric() || end == ')');
    // Amounts of reais have millions as `mi`, those of other currencies as `m`.
    let is_magnitude = unit == "mi" && number.contains("R$") || unit == "m" && has_currency(number);
    (follows_number && (has_space || !is_short) && !is_magnitude).then_some((number, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_a_number() {
        assert_eq!(split_unit("12,3 km"), Some(("12,3", "km")));
        assert_eq!(split_unit("25km"), Some(("25", "km")));
        assert_eq!(split_unit("-3.5 °C"), Some(("-3.5", "°C")));
        assert_eq!(split_unit("1.250\u{a0}m2"), Some(("1.250", "m2")));
        assert_eq!(split_unit("18,4 €/m²"), Some(("18,4", "€/m²")));
        assert_eq!(split_unit("2.5x"), Some(("2.5", "x")));
        assert_eq!(split_unit("5 t"), Some(("5", "t")));
        for text in ["", "km", "12", "12 €", "5t", "3 Zimmer", "1. m", "12 Main", "a km", "12 k"]
        {
            assert_eq!(split_unit(text), None, "{text}");
        }
    }
}
