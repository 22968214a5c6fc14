//! Countries with their ISO 3166-1 codes and the positions of their tiles.
//!
//! All tiles have the same size, and neighbors are near each other. The tiles make no statement
//! about borders.

use crate::geo::names;

/// Number of columns of tiles.
pub const COLUMNS: usize = 33;
/// Number of rows of tiles.
pub const ROWS: usize = 16;

/// A country with its tile.
pub struct Country {
    /// Two-letter code, such as `DE`.
    pub code: &'static str,
    /// English name.
    pub name: &'static str,
    /// Column and row of its tile, counted from 0 at the top left.
    pub tile: (u8, u8),
}

/// All countries, sorted by code.
pub static COUNTRIES: &[Country] = &[
    country("AD", "Andorra", (11, 5)),
    country("AE", "United Arab Emirates", (22, 9)),
    country("AF", "Afghanistan", (22, 5)),
    country("AG", "Antigua and Barbuda", (7, 5)),
    country("AL", "Albania", (15, 7)),
    country("AM", "Armenia", (19, 5)),
    country("AO", "Angola", (14, 13)),
    country("AR", "Argentina", (3, 12)),
    country("AT", "Austria", (14, 4)),
    country("AU", "Australia", (28, 12)),
    country("AZ", "Azerbaijan", (20, 5)),
    country("BA", "Bosnia and Herzegovina", (14, 6)),
    country("BB", "Barbados", (7, 7)),
    country("BD", "Bangladesh", (24, 7)),
    country("BE", "Belgium", (11, 3)),
    country("BF", "Burkina Faso", (11, 9)),
    country("BG", "Bulgaria", (17, 5)),
    country("BH", "Bahrain", (21, 8)),
    country("BI", "Burundi", (15, 12)),
    country("BJ", "Benin", (12, 10)),
    country("BN", "Brunei", (27, 9)),
    country("BO", "Bolivia", (3, 11)),
    country("BR", "Brazil", (4, 10)),
    country("BS", "Bahamas", (4, 4)),
    country("BT", "Bhutan", (24, 6)),
    country("BW", "Botswana", (15, 14)),
    country("BY", "Belarus", (15, 3)),
    country("BZ", "Belize", (1, 5)),
    country("CA", "Canada", (1, 2)),
    country("CD", "DR Congo", (15, 11)),
    country("CF", "Central African Republic", (14, 10)),
    country("CG", "Congo", (14, 11)),
    country("CH", "Switzerland", (12, 4)),
    country("CI", "Côte d’Ivoire", (11, 11)),
    country("CL", "Chile", (2, 12)),
    country("CM", "Cameroon", (13, 11)),
    country("CN", "China", (24, 4)),
    country("CO", "Colombia", (2, 9)),
    country("CR", "Costa Rica", (1, 8)),
    country("CU", "Cuba", (3, 5)),
    country("CV", "Cabo Verde", (8, 9)),
    country("CY", "Cyprus", (18, 7)),
    country("CZ", "Czechia", (13, 3)),
    country("DE", "Germany", (13, 2)),
    country("DJ", "Djibouti", (17, 10)),
    country("DK", "Denmark", (13, 1)),
    country("DM", "Dominica", (6, 6)),
    country("DO", "Dominican Republic", (5, 5)),
    country("DZ", "Algeria", (11, 8)),
    country("EC", "Ecuador", (2, 10)),
    country("EE", "Estonia", (16, 1)),
    country("EG", "Egypt", (14, 8)),
    country("ER", "Eritrea", (15, 9)),
    country("ES", "Spain", (10, 5)),
    country("ET", "Ethiopia", (16, 10)),
    country("FI", "Finland", (16, 0)),
    country("FJ", "Fiji", (31, 12)),
    country("FM", "Micronesia", (30, 9)),
    country("FR", "France", (11, 4)),
    country("GA", "Gabon", (14, 12)),
    country("GB", "United Kingdom", (11, 1)),
    country("GD", "Grenada", (6, 8)),
    country("GE", "Georgia", (19, 4)),
    country("GH", "Ghana", (12, 11)),
    country("GL", "Greenland", (7, 0)),
    country("GM", "Gambia", (8, 10)),
    country("GN", "Guinea", (10, 10)),
    country("GQ", "Equatorial Guinea", (13, 12)),
    country("GR", "Greece", (16, 7)),
    country("GT", "Guatemala", (0, 5)),
    country("GW", "Guinea-Bissau", (8, 11)),
    country("GY", "Guyana", (4, 9)),
    country("HN", "Honduras", (1, 6)),
    country("HR", "Croatia", (15, 5)),
    country("HT", "Haiti", (4, 5)),
    country("HU", "Hungary", (15, 4)),
    country("ID", "Indonesia", (27, 10)),
    country("IE", "Ireland", (10, 1)),
    country("IL", "Israel", (18, 8)),
    country("IN", "India", (23, 7)),
    country("IQ", "Iraq", (20, 6)),
    country("IR", "Iran", (21, 6)),
    country("IS", "Iceland", (10, 0)),
    country("IT", "Italy", (13, 5)),
    country("JM", "Jamaica", (3, 6)),
    country("JO", "Jordan", (20, 7)),
    country("JP", "Japan", (28, 4)),
    country("KE", "Kenya", (17, 11)),
    country("KG", "Kyrgyzstan", (22, 3)),
    country("KH", "Cambodia", (26, 8)),
    country("KI", "Kiribati", (31, 10)),
    country("KM", "Comoros", (18, 13)),
    country("KN", "Saint Kitts and Nevis", (6, 5)),
    country("KP", "North Korea", (26, 4)),
    country("KR", "South Korea", (26, 5)),
    country("KW", "Kuwait", (21, 7)),
    country("KZ", "Kazakhstan", (21, 3)),
    country("LA", "Laos", (26, 7)),
    country("LB", "Lebanon", (19, 7)),
    country("LC", "Saint Lucia", (7, 6)),
    country("LI", "Liechtenstein", (13, 4)),
    country("LK", "Sri Lanka", (24, 8)),
    country("LR", "Liberia", (10, 11)),
    country("LS", "Lesotho", (16, 15)),
    country("LT", "Lithuania", (15, 2)),
    country("LU", "Luxembourg", (12, 3)),
    country("LV", "Latvia", (16, 2)),
    country("LY", "Libya", (13, 8)),
    country("MA", "Morocco", (10, 8)),
    country("MC", "Monaco", (12, 5)),
    country("MD", "Moldova", (17, 4)),
    country("ME", "Montenegro", (15, 6)),
    country("MG", "Madagascar", (18, 14)),
    country("MH", "Marshall Islands", (31, 9)),
    country("MK", "North Macedonia", (17, 6)),
    country("ML", "Mali", (10, 9)),
    country("MM", "Myanmar", (25, 7)),
    country("MN", "Mongolia", (24, 3)),
    country("MR", "Mauritania", (9, 9)),
    country("MT", "Malta", (13, 6)),
    country("MU", "Mauritius", (19, 14)),
    country("MV", "Maldives", (23, 9)),
    country("MW", "Malawi", (16, 13)),
    country("MX", "Mexico", (0, 4)),
    country("MY", "Malaysia", (26, 9)),
    country("MZ", "Mozambique", (17, 13)),
    country("NA", "Namibia", (14, 14)),
    country("NE", "Niger", (12, 9)),
    country("NG", "Nigeria", (13, 10)),
    country("NI", "Nicaragua", (1, 7)),
    country("NL", "Netherlands", (12, 2)),
    country("NO", "Norway", (14, 0)),
    country("NP", "Nepal", (23, 6)),
    country("NR", "Nauru", (30, 10)),
    country("NZ", "New Zealand", (30, 14)),
    country("OM", "Oman", (21, 9)),
    country("PA", "Panama", (2, 8)),
    country("PE", "Peru", (3, 10)),
    country("PG", "Papua New Guinea", (29, 10)),
    country("PH", "Philippines", (29, 7)),
    country("PK", "Pakistan", (22, 6)),
    country("PL", "Poland", (14, 2)),
    country("PS", "Palestine", (19, 8)),
    country("PT", "Portugal", (9, 5)),
    country("PW", "Palau", (29, 9)),
    country("PY", "Paraguay", (4, 11)),
    country("QA", "Qatar", (22, 8)),
    country("RO", "Romania", (16, 4)),
    country("RS", "Serbia", (16, 5)),
    country("RU", "Russia", (19, 1)),
    country("RW", "Rwanda", (16, 12)),
    country("SA", "Saudi Arabia", (20, 8)),
    country("SB", "Solomon Islands", (30, 11)),
    country("SC", "Seychelles", (19, 12)),
    country("SD", "Sudan", (14, 9)),
    country("SE", "Sweden", (15, 0)),
    country("SG", "Singapore", (26, 10)),
    country("SI", "Slovenia", (14, 5)),
    country("SK", "Slovakia", (14, 3)),
    country("SL", "Sierra Leone", (9, 11)),
    country("SM", "San Marino", (11, 6)),
    country("SN", "Senegal", (9, 10)),
    country("SO", "Somalia", (18, 11)),
    country("SR", "Suriname", (5, 9)),
    country("SS", "South Sudan", (15, 10)),
    country("ST", "São Tomé and Príncipe", (12, 12)),
    country("SV", "El Salvador", (0, 6)),
    country("SY", "Syria", (19, 6)),
    country("SZ", "Eswatini", (17, 15)),
    country("TD", "Chad", (13, 9)),
    country("TG", "Togo", (11, 10)),
    country("TH", "Thailand", (25, 8)),
    country("TJ", "Tajikistan", (22, 4)),
    country("TL", "Timor-Leste", (28, 10)),
    country("TM", "Turkmenistan", (21, 5)),
    country("TN", "Tunisia", (12, 8)),
    country("TO", "Tonga", (32, 13)),
    country("TR", "Türkiye", (18, 6)),
    country("TT", "Trinidad and Tobago", (5, 8)),
    country("TV", "Tuvalu", (31, 11)),
    country("TW", "Taiwan", (26, 6)),
    country("TZ", "Tanzania", (17, 12)),
    country("UA", "Ukraine", (16, 3)),
    country("UG", "Uganda", (16, 11)),
    country("US", "United States", (1, 3)),
    country("UY", "Uruguay", (4, 12)),
    country("UZ", "Uzbekistan", (21, 4)),
    country("VA", "Vatican City", (12, 6)),
    country("VC", "Saint Vincent and the Grenadines", (6, 7)),
    country("VE", "Venezuela", (3, 9)),
    country("VN", "Vietnam", (27, 7)),
    country("VU", "Vanuatu", (30, 12)),
    country("WS", "Samoa", (32, 12)),
    country("XK", "Kosovo", (16, 6)),
    country("YE", "Yemen", (20, 9)),
    country("ZA", "South Africa", (15, 15)),
    country("ZM", "Zambia", (15, 13)),
    country("ZW", "Zimbabwe", (16, 14)),
];

/// Creates a country. The constructor keeps the table above in one line per country.
const fn country(code: &'static str, name: &'static str, tile: (u8, u8)) -> Country {
    Country { code, name, tile }
}

/// Returns the index in [`COUNTRIES`] of a code of ISO 3166-1 or of a name in one of ten languages.
/// Returns None if no country of the map matches.
pub fn find_country(text: &str) -> Option<usize> {
    let code = names::find_country(text)?.code;
    COUNTRIES.binary_search_by(|country| country.code.cmp(code)).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_country_has_its_own_tile() {
        let tiles: BTreeSet<(u8, u8)> = COUNTRIES.iter().map(|country| country.tile).collect();
        assert_eq!(tiles.len(), COUNTRIES.len());
        let is_inside =
            |(column, row): &(u8, u8)| usize::from(*column) < COLUMNS && usize::from(*row) < ROWS;
        assert!(tiles.iter().all(is_inside));
    }

    #[test]
    fn countries_are_found_by_code_and_name() {
        let code = |text| {
            let country = find_country(text).and_then(|index| COUNTRIES.get(index));
            country.map(|country| country.code)
        };
        assert_eq!(code("deu"), Some("DE"));
        assert_eq!(code("South Africa"), Some("ZA"));
        assert_eq!(code("UK"), Some("GB"));
        assert_eq!(code("Elfenbeinküste"), Some("CI"));
        assert_eq!(code("Atlantis"), None);
    }

    #[test]
    fn countries_are_sorted_by_code() {
        assert!(COUNTRIES.is_sorted_by_key(|country| country.code));
    }
}
