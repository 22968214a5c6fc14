//! Countries with their ISO 3166-1 codes and the positions of their tiles.
//!
//! All tiles have the same size, and neighbors are near each other. The tiles make no statement
//! about borders.

/// Number of columns of tiles.
pub const COLUMNS: usize = 33;
/// Number of rows of tiles.
pub const ROWS: usize = 16;

/// A country with its tile.
pub struct Country {
    /// Two-letter code, such as `DE`.
    pub code: &'static str,
    /// Column and row of its tile, counted from 0 at the top left.
    pub tile: (u8, u8),
}

/// All countries, sorted by code.
pub static COUNTRIES: &[Country] = &[
    country("AD", (11, 5)),
    country("AE", (22, 9)),
    country("AF", (22, 5)),
    country("AG", (7, 5)),
    country("AL", (15, 7)),
    country("AM", (19, 5)),
    country("AO", (14, 13)),
    country("AR", (3, 12)),
    country("AT", (14, 4)),
    country("AU", (28, 12)),
    country("AZ", (20, 5)),
    country("BA", (14, 6)),
    country("BB", (7, 7)),
    country("BD", (24, 7)),
    country("BE", (11, 3)),
    country("BF", (11, 9)),
    country("BG", (17, 5)),
    country("BH", (21, 8)),
    country("BI", (15, 12)),
    country("BJ", (12, 10)),
    country("BN", (27, 9)),
    country("BO", (3, 11)),
    country("BR", (4, 10)),
    country("BS", (4, 4)),
    country("BT", (24, 6)),
    country("BW", (15, 14)),
    country("BY", (15, 3)),
    country("BZ", (1, 5)),
    country("CA", (1, 2)),
    country("CD", (15, 11)),
    country("CF", (14, 10)),
    country("CG", (14, 11)),
    country("CH", (12, 4)),
    country("CI", (11, 11)),
    country("CL", (2, 12)),
    country("CM", (13, 11)),
    country("CN", (24, 4)),
    country("CO", (2, 9)),
    country("CR", (1, 8)),
    country("CU", (3, 5)),
    country("CV", (8, 9)),
    country("CY", (18, 7)),
    country("CZ", (13, 3)),
    country("DE", (13, 2)),
    country("DJ", (17, 10)),
    country("DK", (13, 1)),
    country("DM", (6, 6)),
    country("DO", (5, 5)),
    country("DZ", (11, 8)),
    country("EC", (2, 10)),
    country("EE", (16, 1)),
    country("EG", (14, 8)),
    country("ER", (15, 9)),
    country("ES", (10, 5)),
    country("ET", (16, 10)),
    country("FI", (16, 0)),
    country("FJ", (31, 12)),
    country("FM", (30, 9)),
    country("FR", (11, 4)),
    country("GA", (14, 12)),
    country("GB", (11, 1)),
    country("GD", (6, 8)),
    country("GE", (19, 4)),
    country("GH", (12, 11)),
    country("GL", (7, 0)),
    country("GM", (8, 10)),
    country("GN", (10, 10)),
    country("GQ", (13, 12)),
    country("GR", (16, 7)),
    country("GT", (0, 5)),
    country("GW", (8, 11)),
    country("GY", (4, 9)),
    country("HN", (1, 6)),
    country("HR", (15, 5)),
    country("HT", (4, 5)),
    country("HU", (15, 4)),
    country("ID", (27, 10)),
    country("IE", (10, 1)),
    country("IL", (18, 8)),
    country("IN", (23, 7)),
    country("IQ", (20, 6)),
    country("IR", (21, 6)),
    country("IS", (10, 0)),
    country("IT", (13, 5)),
    country("JM", (3, 6)),
    country("JO", (20, 7)),
    country("JP", (28, 4)),
    country("KE", (17, 11)),
    country("KG", (22, 3)),
    country("KH", (26, 8)),
    country("KI", (31, 10)),
    country("KM", (18, 13)),
    country("KN", (6, 5)),
    country("KP", (26, 4)),
    country("KR", (26, 5)),
    country("KW", (21, 7)),
    country("KZ", (21, 3)),
    country("LA", (26, 7)),
    country("LB", (19, 7)),
    country("LC", (7, 6)),
    country("LI", (13, 4)),
    country("LK", (24, 8)),
    country("LR", (10, 11)),
    country("LS", (16, 15)),
    country("LT", (15, 2)),
    country("LU", (12, 3)),
    country("LV", (16, 2)),
    country("LY", (13, 8)),
    country("MA", (10, 8)),
    country("MC", (12, 5)),
    country("MD", (17, 4)),
    country("ME", (15, 6)),
    country("MG", (18, 14)),
    country("MH", (31, 9)),
    country("MK", (17, 6)),
    country("ML", (10, 9)),
    country("MM", (25, 7)),
    country("MN", (24, 3)),
    country("MR", (9, 9)),
    country("MT", (13, 6)),
    country("MU", (19, 14)),
    country("MV", (23, 9)),
    country("MW", (16, 13)),
    country("MX", (0, 4)),
    country("MY", (26, 9)),
    country("MZ", (17, 13)),
    country("NA", (14, 14)),
    country("NE", (12, 9)),
    country("NG", (13, 10)),
    country("NI", (1, 7)),
    country("NL", (12, 2)),
    country("NO", (14, 0)),
    country("NP", (23, 6)),
    country("NR", (30, 10)),
    country("NZ", (30, 14)),
    country("OM", (21, 9)),
    country("PA", (2, 8)),
    country("PE", (3, 10)),
    country("PG", (29, 10)),
    country("PH", (29, 7)),
    country("PK", (22, 6)),
    country("PL", (14, 2)),
    country("PS", (19, 8)),
    country("PT", (9, 5)),
    country("PW", (29, 9)),
    country("PY", (4, 11)),
    country("QA", (22, 8)),
    country("RO", (16, 4)),
    country("RS", (16, 5)),
    country("RU", (19, 1)),
    country("RW", (16, 12)),
    country("SA", (20, 8)),
    country("SB", (30, 11)),
    country("SC", (19, 12)),
    country("SD", (14, 9)),
    country("SE", (15, 0)),
    country("SG", (26, 10)),
    country("SI", (14, 5)),
    country("SK", (14, 3)),
    country("SL", (9, 11)),
    country("SM", (11, 6)),
    country("SN", (9, 10)),
    country("SO", (18, 11)),
    country("SR", (5, 9)),
    country("SS", (15, 10)),
    country("ST", (12, 12)),
    country("SV", (0, 6)),
    country("SY", (19, 6)),
    country("SZ", (17, 15)),
    country("TD", (13, 9)),
    country("TG", (11, 10)),
    country("TH", (25, 8)),
    country("TJ", (22, 4)),
    country("TL", (28, 10)),
    country("TM", (21, 5)),
    country("TN", (12, 8)),
    country("TO", (32, 13)),
    country("TR", (18, 6)),
    country("TT", (5, 8)),
    country("TV", (31, 11)),
    country("TW", (26, 6)),
    country("TZ", (17, 12)),
    country("UA", (16, 3)),
    country("UG", (16, 11)),
    country("US", (1, 3)),
    country("UY", (4, 12)),
    country("UZ", (21, 4)),
    country("VA", (12, 6)),
    country("VC", (6, 7)),
    country("VE", (3, 9)),
    country("VN", (27, 7)),
    country("VU", (30, 12)),
    country("WS", (32, 12)),
    country("XK", (16, 6)),
    country("YE", (20, 9)),
    country("ZA", (15, 15)),
    country("ZM", (15, 13)),
    country("ZW", (16, 14)),
];

/// Creates a country. The constructor keeps the table above in one line per country.
const fn country(code: &'static str, tile: (u8, u8)) -> Country {
    Country { code, tile }
}

/// Returns the index in `COUNTRIES` of a two-letter code in upper case. None if the map has no such country.
pub fn find_index(code: &str) -> Option<usize> {
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
    fn countries_are_sorted_by_code() {
        assert!(COUNTRIES.is_sorted_by_key(|country| country.code));
    }
}
