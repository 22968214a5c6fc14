//! Choice of the part of the world for the names or codes of places.
//!
//! Short codes mean countries and regions: `CA` is Canada and California, and `BE` is Belgium,
//! Berlin and Bern. All places of a column have the same meaning, so the territory that knows most
//! of them is chosen.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use crate::geo::borders;
use crate::geo::names;
use crate::geo::names::comparable_name;
use crate::geo::territory::Territory;

/// Share of the places that a country must have as regions so that its map is chosen.
const MIN_REGION_SHARE: f64 = 0.5;
/// Minimum number of places with a single letter or digit that are codes of regions. Fewer are
/// rarely codes.
const MIN_SHORT_CODES: usize = 3;
/// Share of the regions of a country from which the places are certainly its regions, although
/// other countries have regions with the same codes.
const CERTAIN_COVERAGE: f64 = 0.8;

/// Words of headings for regions, with the countries that have such regions.
#[rustfmt::skip]
static REGION_WORDS: [(&str, &[&str]); 36] = [
    ("bundesland", &["DE", "AT"]), ("bundeslander", &["DE", "AT"]), ("bundesstaat", &["US", "BR", "MX"]),
    ("canton", &["CH"]), ("cantone", &["CH"]), ("cantons", &["CH"]), ("ccaa", &["ES"]),
    ("comunidad", &["ES"]), ("comunidades", &["ES"]), ("departement", &["FR"]), ("estado", &["BR", "MX"]),
    ("estados", &["BR", "MX"]), ("fips", &["US"]), ("fylke", &["NO"]), ("il", &["TR"]),
    ("judet", &["RO"]), ("kanton", &["CH"]), ("kantone", &["CH"]), ("kantonskurzel", &["CH"]),
    ("kraj", &["CZ"]), ("lan", &["SE"]), ("prafektur", &["JP"]), ("prefecture", &["JP"]),
    ("province", &["CA", "CN", "NL", "BE", "ZA", "TR"]), ("provincia", &["AR", "ES", "IT"]),
    ("provincie", &["NL", "BE"]), ("provinz", &["CA", "CN", "NL", "BE", "ZA", "TR"]),
    ("regione", &["IT"]), ("state", &["US", "AU", "IN", "BR", "MX"]),
    ("states", &["US", "AU", "IN", "BR", "MX"]), ("uf", &["BR"]), ("voivodeship", &["PL"]),
    ("wojewodztwo", &["PL"]), ("woiwodschaft", &["PL"]), ("都道府県", &["JP"]), ("시도", &["KR"]),
];
/// Words of headings for countries.
static COUNTRY_WORDS: [&str; 9] =
    ["countries", "country", "iso", "nation", "paese", "pais", "pays", "staat", "staaten"];

/// The part of the world for a column of places.
#[derive(Debug, PartialEq, Eq)]
pub struct TerritoryChoice {
    pub territory: Territory,
    /// Other territories that know as many of the places.
    pub others: Vec<Territory>,
}

/// Regions of a country among the places of a column.
struct RegionCount {
    country: &'static str,
    count: usize,
    /// Position of the country among those of the heading. The maximum for other countries.
    rank: usize,
    /// Share of the regions of the country that the places name.
    coverage: f64,
    /// Whether most of the regions are numbers.
    are_numbers: bool,
}

/// Chooses the territory for the names or codes of places: the country with most of them as
/// regions, or else the surroundings of one or two countries, the continent of more, or the world.
/// A country must know half of the places.
///
/// `heading` is the heading of the column, or empty. A word for regions in it prefers regions and
/// their countries if equally many places are countries. Below a word for countries, places are
/// regions only if fewer than half are countries. Numbers are regions only of a country that the heading
/// means, or that knows the most places and has nearly all of its regions among them. `others` is empty if
/// the choice is certain.
pub fn choose<'a>(places: impl Iterator<Item = &'a str>, heading: &str) -> TerritoryChoice {
    let places: BTreeSet<&str> = places.collect();
    let codes: BTreeSet<&str> = places
        .iter()
        .filter_map(|place| names::find_country(place))
        .map(|country| country.code)
        .collect();
    let country_count = places.iter().filter(|place| names::find_country(place).is_some()).count();
    let meaning = HeadingMeaning::of(heading);
    let mut counts = count_regions(&places, meaning.region_countries());
    counts.sort_by(|a, b| {
        let key = |count: &RegionCount| (Reverse(count.count), count.rank);
        let by_coverage = || b.coverage.total_cmp(&a.coverage);
        key(a).cmp(&key(b)).then_with(by_coverage).then_with(|| a.country.cmp(b.country))
    });
    // Numbers are codes in many countries, and also of regions that no map has.
    let max_count = counts.first().map_or(0, |first| first.count);
    let is_meant = |best: &RegionCount| {
        let is_complete = best.coverage >= CERTAIN_COVERAGE && best.count == max_count;
        !best.are_numbers || best.rank != usize::MAX || is_complete
    };
    let has_share =
        |best: &RegionCount| best.count as f64 >= MIN_REGION_SHARE * places.len() as f64;
    let best = counts.iter().find(|best| has_share(best) && is_meant(best));
    let codes: Vec<&'static str> = codes.into_iter().collect();
    let of_countries = Territory::of_countries(&codes);
    let Some(best) = best else {
        // The author can choose a country that has regions with such numbers.
        let may_be_meant = |count: &&RegionCount| {
            count.are_numbers && has_share(count) && count.count == max_count
        };
        let others = counts.iter().filter(may_be_meant);
        let others = others.filter(|count| count.count > country_count);
        let others = others.map(|count| Territory::Regions(count.country)).collect();
        return TerritoryChoice { territory: of_countries, others };
    };
    let are_regions = match meaning {
        HeadingMeaning::Regions(_) => best.count >= country_count,
        HeadingMeaning::Countries => country_count * 2 < places.len(),
        HeadingMeaning::Unknown => best.count > country_count,
    };
    let territory = if are_regions { Territory::Regions(best.country) } else { of_countries };
    let chosen_count = if are_regions { best.count } else { country_count };
    let is_certain = are_regions && best.coverage >= CERTAIN_COVERAGE;
    let is_equal = |other: &&RegionCount| {
        other.count == chosen_count && other.rank == best.rank && other.count > 1
    };
    let equal = counts.iter().filter(is_equal).map(|other| Territory::Regions(other.country));
    let others: Vec<Territory> = equal.filter(|other| *other != territory).collect();
    let is_told = is_certain || meaning == HeadingMeaning::Countries;
    TerritoryChoice { territory, others: if is_told { Vec::new() } else { others } }
}

/// Returns for each country how many of the places are its regions. Leaves out countries with none.
/// Places of a single letter or digit count only if all places are regions of the country.
/// `preferred` are the countries of the heading.
fn count_regions(places: &BTreeSet<&str>, preferred: &[&str]) -> Vec<RegionCount> {
    // Numbers of places with longer names, with a single letter or digit, and with a digit at the start.
    let mut counts: HashMap<&'static str, (usize, usize, usize)> = HashMap::new();
    for place in places {
        let is_short = comparable_name(place).is_some_and(|key| key.chars().count() == 1);
        let is_number = place.trim_start().starts_with(|c: char| c.is_ascii_digit());
        for country in names::countries_of_region_code(place) {
            let (long, short, numbers) = counts.entry(country).or_default();
            *(if is_short { short } else { long }) += 1;
            *numbers += usize::from(is_number);
        }
    }
    let to_count = |(country, (long, short, numbers)): (&'static str, (usize, usize, usize))| {
        // Single letters are codes in many countries.
        let counts_short = long + short == places.len() && places.len() >= MIN_SHORT_CODES;
        let count = if counts_short { long + short } else { long };
        let regions = borders::regions(country)?.areas.len();
        let rank = preferred.iter().position(|code| *code == country).unwrap_or(usize::MAX);
        let coverage = count as f64 / regions.max(1) as f64;
        let are_numbers = numbers * 2 > long + short;
        (count > 0).then_some(RegionCount { country, count, rank, coverage, are_numbers })
    };
    counts.into_iter().filter_map(to_count).collect()
}

/// Kind of the places below a heading.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeadingMeaning {
    /// Regions of one of these countries, or of any country if there is none.
    Regions(&'static [&'static str]),
    Countries,
    Unknown,
}

impl HeadingMeaning {
    /// Returns the meaning of a heading by its words. The first word for regions decides, also
    /// after a word for countries.
    fn of(heading: &str) -> HeadingMeaning {
        let words = heading.split(|c: char| !c.is_alphanumeric()).filter_map(comparable_name);
        let mut meaning = HeadingMeaning::Unknown;
        for word in words {
            if let Some((_, countries)) = REGION_WORDS.iter().find(|(known, _)| *known == word) {
                return HeadingMeaning::Regions(countries);
            }
            if COUNTRY_WORDS.contains(&word.as_str()) {
                meaning = HeadingMeaning::Countries;
            }
        }
        meaning
    }

    /// Returns the countries that usually have regions with the name in the heading. Empty for
    /// other headings.
    fn region_countries(self) -> &'static [&'static str] {
        match self {
            HeadingMeaning::Regions(countries) => countries,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(places: &[&str]) -> Territory {
        super::choose(places.iter().copied(), "").territory
    }

    fn choose_below(heading: &str, places: &[&str]) -> TerritoryChoice {
        super::choose(places.iter().copied(), heading)
    }

    #[test]
    fn the_territory_follows_from_the_places() {
        assert_eq!(choose(&["DE", "France", "US"]), Territory::World);
        assert_eq!(choose(&["DE", "France", "Polen"]), Territory::parse("europe").unwrap());
        assert_eq!(choose(&["DE", "Türkei", "CY"]), Territory::parse("europe").unwrap());
        assert_eq!(choose(&["DE", "MT", "Russia"]), Territory::parse("europe").unwrap());
        assert_eq!(choose(&["RU", "KZ", "CN"]), Territory::parse("asia").unwrap());
        assert_eq!(choose(&["TR", "IQ", "SY"]), Territory::parse("asia").unwrap());
        assert_eq!(choose(&["Bayern", "Hessen", "Berlin", "?"]), Territory::Regions("DE"));
        assert_eq!(choose(&["California", "Texas", "Georgia"]), Territory::Regions("US"));
        assert_eq!(choose(&["CA-ON", "CA-QC"]), Territory::Regions("CA"));
        assert_eq!(choose(&["x", ""]), Territory::World);
        assert_eq!(choose(&[]), Territory::World);
    }

    #[test]
    fn codes_are_regions_if_a_country_has_more_of_them_than_the_world() {
        assert_eq!(choose(&["CA", "TX", "DE", "AL", "IN", "NY"]), Territory::Regions("US"));
        assert_eq!(choose(&["BY", "NW", "HE", "BE", "SN"]), Territory::Regions("DE"));
        assert_eq!(choose(&["SP", "RJ", "MG", "BA", "PA", "AM"]), Territory::Regions("BR"));
        assert_eq!(choose(&["ZH", "BE", "VD", "GE", "TI", "SG"]), Territory::Regions("CH"));
        // Most countries of Europe are no regions of one country.
        let europe = ["DE", "AT", "CH", "BE", "SE", "NO", "FI", "IT"];
        assert_eq!(choose(&europe), Territory::parse("europe").unwrap());
    }

    #[test]
    fn numbers_of_states_are_no_numbers_of_countries() {
        let numbers: Vec<String> = [1, 2, 4, 5, 6, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 48, 56]
            .iter()
            .map(|number| format!("{number:02}"))
            .collect();
        let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
        let unknown = choose_below("", &numbers);
        assert_eq!(unknown.territory, Territory::World);
        assert!(unknown.others.contains(&Territory::Regions("US")), "{:?}", unknown.others);
        let us = TerritoryChoice { territory: Territory::Regions("US"), others: Vec::new() };
        assert_eq!(choose_below("State FIPS", &numbers), us);
        // Puerto Rico, which is a province of Turkey as a number.
        let with_territory: Vec<&str> = numbers.into_iter().chain(["72"]).collect();
        assert_eq!(choose_below("State FIPS", &with_territory), us);
        assert_eq!(
            choose(&["1", "2", "3", "4", "5", "6", "7", "8", "9"]),
            Territory::Regions("AT")
        );
        assert_eq!(choose(&["004", "276", "840", "392"]), Territory::World);
    }

    #[test]
    fn numbers_below_the_name_of_regions_are_no_regions_of_another_country() {
        let departments = ["75", "13", "2A", "971", "01", "69"];
        let with_name = ["10", "20", "50", "Étranger"];
        for heading in ["", "Département", "Department", "Dépt", "Code", "Gebiet", "PLZ-Bereich"]
        {
            for places in [&departments[..], &["10", "20", "50"], &with_name] {
                let choice = choose_below(heading, places);
                assert_eq!(choice.territory, Territory::World, "{heading} {places:?}");
            }
        }
        assert_eq!(choose_below("il", &departments).territory, Territory::Regions("TR"));
    }

    #[test]
    fn the_heading_decides_between_equally_many_countries_and_regions() {
        let codes = ["CA", "DE", "AL", "IN"];
        let unknown = choose_below("", &codes);
        assert_eq!(unknown.territory, Territory::World);
        assert_eq!(unknown.others, [Territory::Regions("US")]);
        for heading in ["State", "US state", "Bundesstaat"] {
            let choice = choose_below(heading, &codes);
            assert_eq!(choice.territory, Territory::Regions("US"), "{heading}");
        }
        assert_eq!(choose_below("Country code", &codes).others, []);
        assert_eq!(choose_below("Kanton", &["BE", "SG", "SO"]).territory, Territory::Regions("CH"));
        // Member states are countries.
        let members = choose_below("Member state", &["DE", "FR", "IT", "PL", "SE"]);
        assert_eq!(members.territory, Territory::parse("europe").unwrap());
    }

    #[test]
    fn the_map_of_one_or_two_countries_shows_their_surroundings() {
        let ends = |places: &[&str]| match choose(places) {
            Territory::Window(window) => window.rect(),
            other => panic!("{other:?}"),
        };
        let kenya = ends(&["Kenya"]);
        assert!(kenya.width() < 25.0 && kenya.contains((37.9, 0.2)), "{kenya:?}");
        let both = ends(&["DE", "Polen"]);
        assert!(both.width() < 40.0 && both.contains((6.0, 48.0)) && both.contains((24.0, 54.0)));
        assert_eq!(choose(&["RU"]), Territory::Country("RU"));
        assert_eq!(choose(&["DE", "US"]), Territory::World);
        assert_eq!(choose(&["AQ"]), Territory::World);
    }
}
