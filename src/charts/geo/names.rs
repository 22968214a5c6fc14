//! Names and codes of countries and regions, for lookups and for labels in the language of a chart.
//!
//! `assets/maps/countries.tsv` has a line per country: two-letter code, three-letter code, number,
//! continent, names in the languages of [`Locale`], and further names between `|`. A question mark
//! precedes a further name that several countries share, and an exclamation mark a code that is one in
//! capital letters only.
//! `assets/maps/regions.tsv` has a line per region: code, name in its own language, further names.

use std::collections::HashMap;
use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::region_names::RegionNames;
use crate::format::Locale;

static COUNTRIES: &str = include_str!("../../../assets/maps/countries.tsv");
static REGIONS: &str = include_str!("../../../assets/maps/regions.tsv");

/// Number of columns with names of countries.
const LANGUAGE_COUNT: usize = 16;
/// Maximum length of a name in bytes. Longer texts are no names.
const MAX_NAME_BYTES: usize = 120;

/// Maximum number of letters of the code of a region with digits, such as `GB-E12`.
const MAX_LETTERS_OF_CODE: usize = 5;

/// A country.
#[derive(Debug)]
pub struct Country {
    /// Two-letter code of ISO 3166-1, such as `DE`, or `XK` for Kosovo.
    pub code: &'static str,
    /// Code of the continent: AF, AN, AS, EU, NA, OC or SA.
    pub continent: &'static str,
    names: [&'static str; LANGUAGE_COUNT],
}

/// A first-level region of a country.
#[derive(Debug)]
pub struct Region {
    /// Code of ISO 3166-2, such as `DE-BY`. The regions of England have `GB-` and the code of the
    /// British statistics.
    pub code: &'static str,
    /// Name in the language of the region, or the English one.
    pub name: &'static str,
}

/// All names with the places that have them.
#[derive(Default)]
struct Index {
    countries: Vec<Country>,
    /// Indices of countries by comparable names and codes.
    countries_by_name: HashMap<String, usize>,
    /// Indices of the countries that share a comparable name.
    shared_names: HashMap<String, Vec<usize>>,
    /// Indices of countries by codes that are words in small letters, such as `SUD`.
    codes_in_capitals: HashMap<&'static str, usize>,
    regions: Vec<Region>,
    region_names: RegionNames,
}

/// Returns the country with a name in one of the languages of [`Locale`], or with a code of ISO
/// 3166-1. Ignores case, accents, spaces and punctuation. None for a name that several countries
/// share.
///
/// Also finds the codes `UK` and `EL`, common short names, the names in tables of the World Bank, the
/// OECD, the United Nations and Eurostat, and codes of the International Olympic Committee.
pub fn find_country(text: &str) -> Option<&'static Country> {
    let key = comparable_name(text)?;
    let index = index();
    let is_shared = index.shared_names.contains_key(&key);
    let by_name = index.countries_by_name.get(&key).filter(|_| !is_shared);
    index.countries.get(*by_name.or_else(|| index.codes_in_capitals.get(text.trim()))?)
}

/// Returns the countries that share a name, such as `Congo`. Empty for the name of one country.
pub fn countries_of_shared_name(text: &str) -> impl Iterator<Item = &'static Country> {
    let index = index();
    let found = comparable_name(text).and_then(|key| index.shared_names.get(&key));
    found.into_iter().flatten().filter_map(|position| index.countries.get(*position))
}

/// Returns the country of a shared name in a table that names all the others that share it. None if
/// two or more of them, or none, are missing in the table. `is_named` returns whether the table has
/// the country with a code.
pub fn find_shared_country(
    text: &str,
    is_named: impl Fn(&str) -> bool,
) -> Option<&'static Country> {
    let mut others = countries_of_shared_name(text).filter(|country| !is_named(country.code));
    others.next().filter(|_| others.next().is_none())
}

/// Returns the country with exactly this two-letter code in upper case. None for other texts, also
/// names.
pub fn country(code: &str) -> Option<&'static Country> {
    let countries = &index().countries;
    let position = countries.binary_search_by(|country| country.code.cmp(code)).ok()?;
    countries.get(position)
}

/// Returns the region of a country (`DE`) with a name or a code (`DE-BY` or `BY`). Ignores case,
/// accents, spaces and punctuation of the text, but not of the country. None for an unknown country
/// or region.
pub fn find_region(country: &str, text: &str) -> Option<&'static Region> {
    let country = self::country(country)?.code;
    let key = comparable_name(text)?;
    let index = index();
    let mut regions = index.region_names.find(&key).filter_map(|row| index.regions.get(row));
    regions.find(|region| region.country() == country)
}

/// Returns the region with a code such as `DE-BY`. None for unknown codes and for codes without a
/// hyphen.
pub fn region(code: &str) -> Option<&'static Region> {
    find_region(code.split_once('-')?.0, code)
}

/// Iterates over the codes of the countries that have a region with this name or code. Empty for a
/// single letter or digit, which is a code in many countries.
pub fn countries_of_region(text: &str) -> impl Iterator<Item = &'static str> {
    let is_short = comparable_name(text).is_some_and(|key| key.chars().count() < 2);
    countries_of_region_code(text).filter(move |_| !is_short)
}

/// Iterates over the codes of the countries that have a region with this name or code, also for a
/// single letter or digit.
pub fn countries_of_region_code(text: &str) -> impl Iterator<Item = &'static str> {
    let index = index();
    let mut countries: Vec<&'static str> = Vec::new();
    for row in comparable_name(text).iter().flat_map(|key| index.region_names.find(key)) {
        let country = index.regions.get(row).map(Region::country);
        countries.extend(country.filter(|country| !countries.contains(country)));
    }
    countries.into_iter()
}

impl Region {
    /// Returns the code of the country, such as `DE`.
    fn country(&self) -> &'static str {
        self.code.split_once('-').map_or(self.code, |(country, _)| country)
    }
}

impl Country {
    /// Returns the name in the language of a locale, or in English if the table lacks the language.
    pub fn name(&self, locale: Locale) -> &'static str {
        let name = self.names.get(locale.language_index()).or(self.names.first());
        name.copied().unwrap_or(self.code)
    }
}

/// Returns the index of all names of countries and regions, which the first call builds.
fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index = Index::default();
        COUNTRIES.lines().for_each(|line| index.add_country(line));
        REGIONS.lines().for_each(|line| index.add_region(line));
        // Further names do not hide the codes and main names of other places.
        COUNTRIES.lines().enumerate().for_each(|(row, line)| index.add_country_names(row, line));
        REGIONS.lines().enumerate().for_each(|(row, line)| index.add_region_names(row, line));
        index.region_names.sort();
        index
    })
}

impl Index {
    /// Adds the country in a line of the table of countries, with its codes and main names. A key
    /// that another country has already stays with it.
    fn add_country(&mut self, line: &'static str) {
        let fields: Vec<&'static str> = line.split('\t').collect();
        let [code, long_code, number, continent, rest @ ..] = fields.as_slice() else { return };
        let Some((names, _)) = rest.split_first_chunk::<LANGUAGE_COUNT>() else { return };
        let position = self.countries.len();
        let codes = [*code, *long_code, *number, number.trim_start_matches('0')];
        for key in codes.into_iter().chain(names.iter().copied()).filter_map(comparable_name) {
            self.countries_by_name.entry(key).or_insert(position);
        }
        self.countries.push(Country { code, continent, names: *names });
    }

    /// Adds the further names of the country in a row of the table.
    fn add_country_names(&mut self, row: usize, line: &'static str) {
        let names = line.rsplit('\t').next().unwrap_or("").split('|');
        for name in names {
            let Some(key) = comparable_name(name) else { continue };
            if name.starts_with('?') {
                self.shared_names.entry(key).or_default().push(row);
            } else if let Some(code) = name.strip_prefix('!') {
                self.codes_in_capitals.insert(code, row);
            } else {
                self.countries_by_name.entry(key).or_insert(row);
            }
        }
    }

    /// Adds the region in a line of the table of regions, with its codes and its main name.
    fn add_region(&mut self, line: &'static str) {
        let mut fields = line.split('\t');
        let (Some(code), Some(name)) = (fields.next(), fields.next()) else { return };
        let Some((_, short_code)) = code.split_once('-') else { return };
        let position = self.regions.len();
        for key in [code, short_code, name].into_iter().filter_map(comparable_name) {
            self.region_names.add(&key, position);
        }
        self.regions.push(Region { code, name });
    }

    /// Adds the further names of the region in a row of the table.
    fn add_region_names(&mut self, row: usize, line: &'static str) {
        let names = line.rsplit('\t').next().unwrap_or("").split('|');
        for key in names.filter_map(comparable_name) {
            self.region_names.add(&key, row);
        }
    }
}

/// Removes the marks of notes at the end of a name, as in `India[a]`.
fn without_references(text: &str) -> &str {
    let mut name = text.trim_end();
    while let Some((before, _)) = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
        name = before.trim_end();
    }
    name
}

/// Removes a number of up to three digits before a name, such as the code in `01 Andalucía` or the
/// rank in `3. Germany`. Returns texts without more than three letters after it unchanged, except
/// for spaces at the start.
fn without_number(text: &str) -> &str {
    let text = text.trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let name = rest.trim_start_matches(['.', ')', '-', '–', ' ', '\u{a0}']);
    let is_number = (1..=3).contains(&(text.len() - rest.len())) && name.len() < rest.len();
    // Short texts such as `4-BY` are codes.
    let is_name = name.chars().filter(|c| c.is_alphabetic()).count() > 3;
    if is_number && is_name { name } else { text }
}

/// Returns whether a text has a few letters and digits with punctuation that codes of places do
/// not have, such as the size `6'2"` or the version `2.5.0`. Abbreviations such as `U.S.` are
/// names.
fn has_form_of_other_code(text: &str) -> bool {
    let text = text.trim();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    if letters > MAX_LETTERS_OF_CODE || !text.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let is_part = |part: &str| part.chars().all(char::is_alphanumeric);
    match text.split_once(['-', '_', ' ']) {
        Some((country, region)) => {
            let is_country = country.len() == 2 && country.chars().all(|c| c.is_ascii_alphabetic());
            !(is_country && is_part(region))
        }
        None => !is_part(text),
    }
}

/// Returns a name in a form that differs only if the names are different: lower case, without
/// accents, forms of width, spaces, punctuation, numbers before it and marks of notes. None without
/// letters and digits, for texts of more than `MAX_NAME_BYTES` bytes, and for codes of other
/// things.
pub(super) fn comparable_name(text: &str) -> Option<String> {
    let text = without_number(without_references(text));
    if text.len() > MAX_NAME_BYTES || has_form_of_other_code(text) {
        return None;
    }
    let mut comparable = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase) {
        match c {
            'ß' => comparable.push_str("ss"),
            'ø' => comparable.push('o'),
            'æ' => comparable.push_str("ae"),
            'ł' => comparable.push('l'),
            'ı' => comparable.push('i'),
            'đ' | 'ð' => comparable.push('d'),
            '&' => comparable.push_str("and"),
            c if c.is_alphanumeric() => comparable.push(c),
            _ => {}
        }
    }
    (!comparable.is_empty()).then_some(comparable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<&'static str> {
        find_country(text).map(|country| country.code)
    }

    #[test]
    fn sizes_and_versions_are_no_places() {
        for text in ["6'2\"", "5'11\"", "2.5.0", "3.2.0", "6-2", "7-5", "4.2", "1/2"] {
            assert_eq!(code(text), None, "{text}");
            assert_eq!(countries_of_region(text).next(), None, "{text}");
        }
        assert_eq!(code("U.S."), Some("US"));
        assert_eq!(code("276"), Some("DE"));
        assert!(countries_of_region("IT-62").eq(["IT"]));
    }

    #[test]
    fn codes_of_sport_are_found_in_capital_letters_only() {
        assert_eq!(["NGR", "SUI", " SAM "].map(code), [Some("NG"), Some("CH"), Some("WS")]);
        assert_eq!(["Süd", "Sam", "BER", "MAD"].map(code), [None; 4]);
    }

    #[test]
    fn countries_are_found_by_codes_and_names_in_all_languages() {
        let texts = [
            ("de", "DE"),
            ("DEU", "DE"),
            ("276", "DE"),
            ("Deutschland", "DE"),
            ("Allemagne", "DE"),
            ("alemania", "DE"),
            ("Germania", "DE"),
            ("Alemanha", "DE"),
            ("Duitsland", "DE"),
            ("Niemcy", "DE"),
            ("Tyskland", "DE"),
            ("Österreich", "AT"),
            ("osterreich", "AT"),
            ("  Côte d'Ivoire ", "CI"),
            ("India[a]", "IN"),
            ("China [b][1]", "CN"),
            ("Ivory Coast", "CI"),
            ("UK", "GB"),
            ("EL", "GR"),
            ("Korea, Rep.", "KR"),
            ("Turkey", "TR"),
            ("TÜRKIYE", "TR"),
            ("4", "AF"),
            ("USA", "US"),
            ("ドイツ", "DE"),
            ("ﾄﾞｲﾂ", "DE"),
            ("德国", "DE"),
            ("德國", "DE"),
            ("독일", "DE"),
            ("גרמניה", "DE"),
            ("ألمانيا", "DE"),
            ("المانيا", "DE"),
            ("Kosovo", "XK"),
            ("Bosnia and Herzegovina", "BA"),
        ];
        for (text, expected) in texts {
            assert_eq!(code(text), Some(expected), "{text}");
        }
        assert_eq!(code("Atlantis"), None);
        assert_eq!(code("EU"), None, "the European Union is not the United States in French");
        assert_eq!(code("–"), None);
    }

    #[test]
    fn a_name_of_two_countries_is_none_of_them() {
        for text in
            ["Congo", "Kongo", "CONGO", "コンゴ", "刚果", "剛果", "콩고", "קונגו", "الكونغو"]
        {
            assert_eq!(code(text), None, "{text}");
            let codes = countries_of_shared_name(text).map(|country| country.code);
            assert_eq!(codes.collect::<Vec<_>>(), ["CD", "CG"], "{text}");
        }
        assert_eq!(countries_of_shared_name("Kenya").count(), 0);
        // The images print no name that also means another country.
        for country in &index().countries {
            for name in country.names {
                assert_eq!(code(name), Some(country.code), "{name}");
            }
        }
    }

    #[test]
    fn countries_are_found_by_the_names_of_statistical_offices() {
        let texts = include_str!("../../../tests/it/charts/country_names.tsv");
        let rows = texts.lines().filter_map(|line| line.split_once('\t'));
        let names: Vec<(&str, &str)> =
            rows.flat_map(|(code, names)| names.split('|').map(move |name| (code, name))).collect();
        assert!(names.len() > 200, "{}", names.len());
        let unknown: Vec<_> =
            names.into_iter().filter(|(expected, name)| code(name) != Some(expected)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn countries_have_names_in_the_language_of_a_chart() {
        let name = |code, tag| country(code).unwrap().name(Locale::parse(tag));
        assert_eq!(
            ["en", "de-CH", "pl"].map(|tag| name("DE", tag)),
            ["Germany", "Deutschland", "Niemcy"]
        );
        let others = ["ja", "zh", "zh-TW", "ko", "he", "ar"].map(|tag| name("NZ", tag));
        assert_eq!(
            others,
            ["ニュージーランド", "新西兰", "紐西蘭", "뉴질랜드", "ניו זילנד", "نيوزيلندا"]
        );
        assert_eq!(name("HK", "de"), "Hongkong");
    }

    #[test]
    fn regions_are_found_by_code_and_name() {
        let code = |country, text| find_region(country, text).map(|region| region.code);
        assert_eq!(code("DE", "Bavaria"), Some("DE-BY"));
        assert_eq!(code("DE", "by"), Some("DE-BY"));
        assert_eq!(code("US", "Washington DC"), Some("US-DC"));
        assert_eq!(code("FR", "Ile de France"), Some("FR-IDF"));
        assert_eq!(code("AT", "Wien"), Some("AT-9"));
        assert_eq!(code("PL", "Śląskie"), Some("PL-24"));
        assert_eq!(code("DE", "Texas"), None);
        let exonyms = [
            ("IT-52", "Toskana|Tuscany|Toscana"),
            ("IT-25", "Lombardei|Lombardy"),
            ("ES-CT", "Katalonien|Catalonia|Cataluna"),
            ("PL-14", "Masowien|Mazovia|mazowieckie"),
            ("CZ-JM", "Südmähren|South Moravia|Jihomoravsky"),
            ("FR-20R", "Korsika|Corsica"),
            ("DE-TH", "Thueringen|Thuringia"),
            ("DK-85", "Seeland|Zealand|Sjaelland"),
            ("NL-NH", "Nordholland|North Holland"),
            ("TR-71", "Kırıkkale|Kirikkale"),
            ("CH-GE", "Genf|Geneva|Genève|Canton of Geneva"),
            ("CH-AR", "Appenzell A.Rh.|Appenzell Outer Rhodes"),
            ("CH-BL", "Basel-Country|Basel Land|Bâle-Campagne"),
            ("DE-BY", "Bayern|Free State of Bavaria|09|9"),
            ("ES-AS", "Asturias, Principado de|Asturien"),
            ("ES-RI", "Rioja, La|La Rioja"),
            ("FR-IDF", "Paris Region|Île-de-France"),
            ("IT-23", "Valle d'Aosta/Vallée d'Aoste|Aosta Valley|Aostatal"),
            ("IT-36", "Friuli Venezia Giulia|Friaul-Julisch Venetien|Friaul"),
            ("US-AL", "01|1|AL"),
            ("DE-NW", "DEA|NRW|05 Nordrhein-Westfalen"),
            ("ES-MD", "13 Madrid, Comunidad de|ES30"),
            ("ES-CM", "08 Castilla - La Mancha"),
            ("IT-25", "ITC4|3. Lombardia"),
            ("US-WY", "56|Wyoming"),
        ];
        for (expected, names) in exonyms {
            for name in names.split('|') {
                assert_eq!(code(&expected[..2], name), Some(expected), "{name}");
            }
        }
    }

    #[test]
    fn areas_of_the_world_and_of_some_countries_have_names() {
        use crate::geo::borders;
        for area in &borders::world().areas {
            assert!(country(&area.code).is_some(), "{}", area.code);
        }
        for country in ["DE", "US", "GB", "NO", "PL", "IT"] {
            for area in &borders::regions(country).unwrap().areas {
                assert!(find_region(country, &area.code).is_some(), "{}", area.code);
            }
        }
    }
}
