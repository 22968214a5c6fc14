//! Fields of a SWOT analysis and their texts, read from settings and records.

use std::borrow::Cow;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{Omission, Term};

/// Names of the fields in data and settings, row by row.
const FIELD_NAMES: [&str; 4] = ["strengths", "weaknesses", "opportunities", "threats"];
/// Prefixes of the names, common to singular and plural.
const NAME_PREFIXES: [&str; 4] = ["strength", "weakness", "opportunit", "threat"];

/// Further names of the fields in several languages, in lower case.
const OTHER_NAMES: [&[&str]; 4] = [
    &[
        "stärke",
        "force",
        "point fort",
        "points forts",
        "fortaleza",
        "força",
        "sterkte",
        "styrka",
        "styrke",
        "优点",
    ],
    &[
        "schwäche",
        "faiblesse",
        "point faible",
        "points faibles",
        "debilidad",
        "debolezze",
        "fraqueza",
        "zwakte",
        "svaghet",
        "svaghed",
    ],
    &[
        "chance",
        "möglichkeiten",
        "opportunité",
        "oportunidad",
        "oportunidade",
        "kans",
        "möjlighet",
        "mulighed",
    ],
    &[
        "risiko",
        "gefahren",
        "gefahr",
        "bedrohungen",
        "bedrohung",
        "risks",
        "risk",
        "menace",
        "amenaza",
        "minaccia",
        "rischi",
        "ameaça",
        "bedreiging",
        "risico's",
        "trussel",
        "risker",
    ],
];
/// Terms of the fields.
const FIELD_TERMS: [Term; 4] =
    [Term::Strengths, Term::Weaknesses, Term::Opportunities, Term::Threats];

/// A field with its texts.
pub struct Field<'a> {
    /// Title of the field, from the settings or translated.
    pub title: Cow<'a, str>,
    /// Color of the upper edge. The background is a pale shade of it.
    pub color: Color,
    /// Texts in the order of the data.
    pub items: Vec<Item<'a>>,
}

/// A text of a field.
pub struct Item<'a> {
    /// Index of the record in the data.
    pub row: usize,
    /// Text of the record. Not empty.
    pub text: Cow<'a, str>,
    /// Whether the text is bold.
    pub highlighted: bool,
}

/// Returns the index of a field (0 strengths, 1 weaknesses, 2 opportunities, 3 threats) by its name in one
/// of the known languages. None for other texts. Case and surrounding spaces do not matter.
///
/// A text in English matches if it starts with the common prefix of singular and plural, such as
/// `strength`.
pub fn find_named_field(name: &str) -> Option<usize> {
    let name = name.trim().to_lowercase();
    let by_prefix = || NAME_PREFIXES.iter().position(|prefix| name.starts_with(prefix));
    let by_term = || FIELD_TERMS.iter().position(|term| term.is_translation(&name));
    let by_other = || OTHER_NAMES.iter().position(|names| names.contains(&name.as_str()));
    by_prefix().or_else(by_term).or_else(by_other)
}

/// Returns the index of a field by its title, its name in any language, the first letter of its
/// English name, or its number from 1 to 4. A title takes precedence. None if nothing matches.
///
/// Case does not matter. Decimals of a number are ignored.
fn find_field(value: &Value, titles: &[Cow<str>; 4]) -> Option<usize> {
    let name = data::display_text(value);
    let name = name.trim().to_lowercase();
    if name.is_empty() {
        return None;
    }
    let by_title = titles.iter().position(|title| title.to_lowercase() == name);
    let is_letter = |prefix: &str| prefix.get(..1) == Some(name.as_str());
    let by_letter = || NAME_PREFIXES.iter().position(|prefix| is_letter(prefix));
    let by_name = || find_named_field(&name).or_else(by_letter);
    let by_number = || {
        let number = data::number(value).filter(|number| (1.0..5.0).contains(number));
        number.map(|number| number as usize - 1)
    };
    by_title.or_else(by_name).or_else(by_number)
}

/// Reads the titles and colors of the fields from the settings, or uses defaults, and assigns the
/// texts to the fields: strengths, weaknesses, opportunities, threats. Skips records without a text.
/// Omits texts without a known field, which the scene counts.
pub fn read_fields<'a>(chart: &Chart<'a>, scene: &mut Scene) -> [Field<'a>; 4] {
    let settings = chart.settings;
    let titles: [Cow<'a, str>; 4] = std::array::from_fn(|index| {
        let title = FIELD_NAMES
            .get(index)
            .map_or(Cow::Borrowed(""), |name| data::display_text(&settings["fieldTitles"][*name]));
        if title.is_empty() {
            let default = FIELD_TERMS.get(index);
            Cow::Borrowed(default.map_or("", |term| chart.locale().translate(*term)))
        } else {
            title
        }
    });
    // Strengths and opportunities have the first series color, weaknesses and threats the highlight
    // color.
    let choose_default_color = |index: usize| {
        if index.is_multiple_of(2) { chart.series_color(0) } else { chart.theme.highlight_color }
    };
    let mut fields: [Field<'a>; 4] = std::array::from_fn(|index| Field {
        title: titles.get(index).cloned().unwrap_or_default(),
        color: FIELD_NAMES
            .get(index)
            .and_then(|name| settings["fieldColors"][*name].as_str())
            .and_then(Color::parse)
            .unwrap_or_else(|| choose_default_color(index)),
        items: Vec::new(),
    });
    let mut unknown_count = 0;
    for (row, record) in chart.data.iter().enumerate() {
        let text = data::display_text(data::field(record, "text"));
        if text.is_empty() {
            continue;
        }
        let highlighted = data::is_true(data::field(record, "highlighted"));
        let field_index = find_field(data::field(record, "field"), &titles);
        match field_index.and_then(|index| fields.get_mut(index)) {
            Some(field) => field.items.push(Item { row, text, highlighted }),
            None => unknown_count += 1,
        }
    }
    scene.omit(Omission::Unknown, unknown_count);
    fields
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_found_by_title_name_first_letter_and_number() {
        let titles: [Cow<str>; 4] = ["Stärken", "b", "c", "d"].map(Cow::Borrowed);
        let find = |value: Value| find_field(&value, &titles);
        assert_eq!(find(json!("Strengths")), Some(0));
        assert_eq!(find(json!("stärken")), Some(0));
        assert_eq!(find(json!("weakness")), Some(1));
        assert_eq!(find(json!("T")), Some(3));
        assert_eq!(find(json!("opportunity")), Some(2));
        assert_eq!(find(json!(3)), Some(2));
        for (index, names) in [
            ["Stärke", "Mocne strony", "強み"],
            ["Schwächen", "FAIBLESSES", "Debilidades"],
            ["Chancen", "Opportunità", "Kansen"],
            ["Risiken", "Gefahren", "Minacce"],
        ]
        .into_iter()
        .enumerate()
        {
            names.iter().for_each(|name| assert_eq!(find(json!(name)), Some(index), "{name}"));
        }
        assert_eq!(find(json!("other")), None);
        assert_eq!(find(json!(null)), None);
    }
}
