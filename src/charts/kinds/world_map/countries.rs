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
    /// Three-letter code, such as `DEU`.
    pub long_code: &'static str,
    /// English name.
    pub name: &'static str,
    /// Column and row of its tile, counted from 0 at the top left.
    pub tile: (u8, u8),
}

/// All countries, sorted by code.
pub static COUNTRIES: &[Country] = &[
    country("AD", "AND", "Andorra", (11, 5)),
    country("AE", "ARE", "United Arab Emirates", (22, 9)),
    country("AF", "AFG", "Afghanistan", (22, 5)),
    country("AG", "ATG", "Antigua and Barbuda", (7, 5)),
    country("AL", "ALB", "Albania", (15, 7)),
    country("AM", "ARM", "Armenia", (19, 5)),
    country("AO", "AGO", "Angola", (14, 13)),
    country("AR", "ARG", "Argentina", (3, 12)),
    country("AT", "AUT", "Austria", (14, 4)),
    country("AU", "AUS", "Australia", (28, 12)),
    country("AZ", "AZE", "Azerbaijan", (20, 5)),
    country("BA", "BIH", "Bosnia and Herzegovina", (14, 6)),
    country("BB", "BRB", "Barbados", (7, 7)),
    country("BD", "BGD", "Bangladesh", (24, 7)),
    country("BE", "BEL", "Belgium", (11, 3)),
    country("BF", "BFA", "Burkina Faso", (11, 9)),
    country("BG", "BGR", "Bulgaria", (17, 5)),
    country("BH", "BHR", "Bahrain", (21, 8)),
    country("BI", "BDI", "Burundi", (15, 12)),
    country("BJ", "BEN", "Benin", (12, 10)),
    country("BN", "BRN", "Brunei", (27, 9)),
    country("BO", "BOL", "Bolivia", (3, 11)),
    country("BR", "BRA", "Brazil", (4, 10)),
    country("BS", "BHS", "Bahamas", (4, 4)),
    country("BT", "BTN", "Bhutan", (24, 6)),
    country("BW", "BWA", "Botswana", (15, 14)),
    country("BY", "BLR", "Belarus", (15, 3)),
    country("BZ", "BLZ", "Belize", (1, 5)),
    country("CA", "CAN", "Canada", (1, 2)),
    country("CD", "COD", "DR Congo", (15, 11)),
    country("CF", "CAF", "Central African Republic", (14, 10)),
    country("CG", "COG", "Congo", (14, 11)),
    country("CH", "CHE", "Switzerland", (12, 4)),
    country("CI", "CIV", "Côte d’Ivoire", (11, 11)),
    country("CL", "CHL", "Chile", (2, 12)),
    country("CM", "CMR", "Cameroon", (13, 11)),
    country("CN", "CHN", "China", (24, 4)),
    country("CO", "COL", "Colombia", (2, 9)),
    country("CR", "CRI", "Costa Rica", (1, 8)),
    country("CU", "CUB", "Cuba", (3, 5)),
    country("CV", "CPV", "Cabo Verde", (8, 9)),
    country("CY", "CYP", "Cyprus", (18, 7)),
    country("CZ", "CZE", "Czechia", (13, 3)),
    country("DE", "DEU", "Germany", (13, 2)),
    country("DJ", "DJI", "Djibouti", (17, 10)),
    country("DK", "DNK", "Denmark", (13, 1)),
    country("DM", "DMA", "Dominica", (6, 6)),
    country("DO", "DOM", "Dominican Republic", (5, 5)),
    country("DZ", "DZA", "Algeria", (11, 8)),
    country("EC", "ECU", "Ecuador", (2, 10)),
    country("EE", "EST", "Estonia", (16, 1)),
    country("EG", "EGY", "Egypt", (14, 8)),
    country("ER", "ERI", "Eritrea", (15, 9)),
    country("ES", "ESP", "Spain", (10, 5)),
    country("ET", "ETH", "Ethiopia", (16, 10)),
    country("FI", "FIN", "Finland", (16, 0)),
    country("FJ", "FJI", "Fiji", (31, 12)),
    country("FM", "FSM", "Micronesia", (30, 9)),
    country("FR", "FRA", "France", (11, 4)),
    country("GA", "GAB", "Gabon", (14, 12)),
    country("GB", "GBR", "United Kingdom", (11, 1)),
    country("GD", "GRD", "Grenada", (6, 8)),
    country("GE", "GEO", "Georgia", (19, 4)),
    country("GH", "GHA", "Ghana", (12, 11)),
    country("GL", "GRL", "Greenland", (7, 0)),
    country("GM", "GMB", "Gambia", (8, 10)),
    country("GN", "GIN", "Guinea", (10, 10)),
    country("GQ", "GNQ", "Equatorial Guinea", (13, 12)),
    country("GR", "GRC", "Greece", (16, 7)),
    country("GT", "GTM", "Guatemala", (0, 5)),
    country("GW", "GNB", "Guinea-Bissau", (8, 11)),
    country("GY", "GUY", "Guyana", (4, 9)),
    country("HN", "HND", "Honduras", (1, 6)),
    country("HR", "HRV", "Croatia", (15, 5)),
    country("HT", "HTI", "Haiti", (4, 5)),
    country("HU", "HUN", "Hungary", (15, 4)),
    country("ID", "IDN", "Indonesia", (27, 10)),
    country("IE", "IRL", "Ireland", (10, 1)),
    country("IL", "ISR", "Israel", (18, 8)),
    country("IN", "IND", "India", (23, 7)),
    country("IQ", "IRQ", "Iraq", (20, 6)),
    country("IR", "IRN", "Iran", (21, 6)),
    country("IS", "ISL", "Iceland", (10, 0)),
    country("IT", "ITA", "Italy", (13, 5)),
    country("JM", "JAM", "Jamaica", (3, 6)),
    country("JO", "JOR", "Jordan", (20, 7)),
    country("JP", "JPN", "Japan", (28, 4)),
    country("KE", "KEN", "Kenya", (17, 11)),
    country("KG", "KGZ", "Kyrgyzstan", (22, 3)),
    country("KH", "KHM", "Cambodia", (26, 8)),
    country("KI", "KIR", "Kiribati", (31, 10)),
    country("KM", "COM", "Comoros", (18, 13)),
    country("KN", "KNA", "Saint Kitts and Nevis", (6, 5)),
    country("KP", "PRK", "North Korea", (26, 4)),
    country("KR", "KOR", "South Korea", (26, 5)),
    country("KW", "KWT", "Kuwait", (21, 7)),
    country("KZ", "KAZ", "Kazakhstan", (21, 3)),
    country("LA", "LAO", "Laos", (26, 7)),
    country("LB", "LBN", "Lebanon", (19, 7)),
    country("LC", "LCA", "Saint Lucia", (7, 6)),
    country("LI", "LIE", "Liechtenstein", (13, 4)),
    country("LK", "LKA", "Sri Lanka", (24, 8)),
    country("LR", "LBR", "Liberia", (10, 11)),
    country("LS", "LSO", "Lesotho", (16, 15)),
    country("LT", "LTU", "Lithuania", (15, 2)),
    country("LU", "LUX", "Luxembourg", (12, 3)),
    country("LV", "LVA", "Latvia", (16, 2)),
    country("LY", "LBY", "Libya", (13, 8)),
    country("MA", "MAR", "Morocco", (10, 8)),
    country("MC", "MCO", "Monaco", (12, 5)),
    country("MD", "MDA", "Moldova", (17, 4)),
    country("ME", "MNE", "Montenegro", (15, 6)),
    country("MG", "MDG", "Madagascar", (18, 14)),
    country("MH", "MHL", "Marshall Islands", (31, 9)),
    country("MK", "MKD", "North Macedonia", (17, 6)),
    country("ML", "MLI", "Mali", (10, 9)),
    country("MM", "MMR", "Myanmar", (25, 7)),
    country("MN", "MNG", "Mongolia", (24, 3)),
    country("MR", "MRT", "Mauritania", (9, 9)),
    country("MT", "MLT", "Malta", (13, 6)),
    country("MU", "MUS", "Mauritius", (19, 14)),
    country("MV", "MDV", "Maldives", (23, 9)),
    country("MW", "MWI", "Malawi", (16, 13)),
    country("MX", "MEX", "Mexico", (0, 4)),
    country("MY", "MYS", "Malaysia", (26, 9)),
    country("MZ", "MOZ", "Mozambique", (17, 13)),
    country("NA", "NAM", "Namibia", (14, 14)),
    country("NE", "NER", "Niger", (12, 9)),
    country("NG", "NGA", "Nigeria", (13, 10)),
    country("NI", "NIC", "Nicaragua", (1, 7)),
    country("NL", "NLD", "Netherlands", (12, 2)),
    country("NO", "NOR", "Norway", (14, 0)),
    country("NP", "NPL", "Nepal", (23, 6)),
    country("NR", "NRU", "Nauru", (30, 10)),
    country("NZ", "NZL", "New Zealand", (30, 14)),
    country("OM", "OMN", "Oman", (21, 9)),
    country("PA", "PAN", "Panama", (2, 8)),
    country("PE", "PER", "Peru", (3, 10)),
    country("PG", "PNG", "Papua New Guinea", (29, 10)),
    country("PH", "PHL", "Philippines", (29, 7)),
    country("PK", "PAK", "Pakistan", (22, 6)),
    country("PL", "POL", "Poland", (14, 2)),
    country("PS", "PSE", "Palestine", (19, 8)),
    country("PT", "PRT", "Portugal", (9, 5)),
    country("PW", "PLW", "Palau", (29, 9)),
    country("PY", "PRY", "Paraguay", (4, 11)),
    country("QA", "QAT", "Qatar", (22, 8)),
    country("RO", "ROU", "Romania", (16, 4)),
    country("RS", "SRB", "Serbia", (16, 5)),
    country("RU", "RUS", "Russia", (19, 1)),
    country("RW", "RWA", "Rwanda", (16, 12)),
    country("SA", "SAU", "Saudi Arabia", (20, 8)),
    country("SB", "SLB", "Solomon Islands", (30, 11)),
    country("SC", "SYC", "Seychelles", (19, 12)),
    country("SD", "SDN", "Sudan", (14, 9)),
    country("SE", "SWE", "Sweden", (15, 0)),
    country("SG", "SGP", "Singapore", (26, 10)),
    country("SI", "SVN", "Slovenia", (14, 5)),
    country("SK", "SVK", "Slovakia", (14, 3)),
    country("SL", "SLE", "Sierra Leone", (9, 11)),
    country("SM", "SMR", "San Marino", (11, 6)),
    country("SN", "SEN", "Senegal", (9, 10)),
    country("SO", "SOM", "Somalia", (18, 11)),
    country("SR", "SUR", "Suriname", (5, 9)),
    country("SS", "SSD", "South Sudan", (15, 10)),
    country("ST", "STP", "São Tomé and Príncipe", (12, 12)),
    country("SV", "SLV", "El Salvador", (0, 6)),
    country("SY", "SYR", "Syria", (19, 6)),
    country("SZ", "SWZ", "Eswatini", (17, 15)),
    country("TD", "TCD", "Chad", (13, 9)),
    country("TG", "TGO", "Togo", (11, 10)),
    country("TH", "THA", "Thailand", (25, 8)),
    country("TJ", "TJK", "Tajikistan", (22, 4)),
    country("TL", "TLS", "Timor-Leste", (28, 10)),
    country("TM", "TKM", "Turkmenistan", (21, 5)),
    country("TN", "TUN", "Tunisia", (12, 8)),
    country("TO", "TON", "Tonga", (32, 13)),
    country("TR", "TUR", "Türkiye", (18, 6)),
    country("TT", "TTO", "Trinidad and Tobago", (5, 8)),
    country("TV", "TUV", "Tuvalu", (31, 11)),
    country("TW", "TWN", "Taiwan", (26, 6)),
    country("TZ", "TZA", "Tanzania", (17, 12)),
    country("UA", "UKR", "Ukraine", (16, 3)),
    country("UG", "UGA", "Uganda", (16, 11)),
    country("US", "USA", "United States", (1, 3)),
    country("UY", "URY", "Uruguay", (4, 12)),
    country("UZ", "UZB", "Uzbekistan", (21, 4)),
    country("VA", "VAT", "Vatican City", (12, 6)),
    country("VC", "VCT", "Saint Vincent and the Grenadines", (6, 7)),
    country("VE", "VEN", "Venezuela", (3, 9)),
    country("VN", "VNM", "Vietnam", (27, 7)),
    country("VU", "VUT", "Vanuatu", (30, 12)),
    country("WS", "WSM", "Samoa", (32, 12)),
    country("XK", "XKX", "Kosovo", (16, 6)),
    country("YE", "YEM", "Yemen", (20, 9)),
    country("ZA", "ZAF", "South Africa", (15, 15)),
    country("ZM", "ZMB", "Zambia", (15, 13)),
    country("ZW", "ZWE", "Zimbabwe", (16, 14)),
];

/// Creates a country. The constructor keeps the table above in one line per country.
const fn country(
    code: &'static str,
    long_code: &'static str,
    name: &'static str,
    tile: (u8, u8),
) -> Country {
    Country { code, long_code, name, tile }
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
