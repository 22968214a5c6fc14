//! Report of texts in the column `color` that are no colors.

use serde_json::Value;

use crate::color::Color;
use crate::data;
use crate::number_columns;

/// Key of the column with colors.
const KEY: &str = "color";
/// Kinds with a color in each record.
const KINDS: [&str; 17] = [
    "bar",
    "bar-mekko",
    "beeswarm",
    "donut",
    "half-donut",
    "lollipop",
    "mind-map",
    "org-chart",
    "pareto",
    "parliament",
    "pictogram",
    "pie",
    "radial-bar",
    "sunburst",
    "treemap",
    "waffle",
    "word-cloud",
];

/// Calls `warn` once about the first text in the column `color` that is no color, with the number
/// of further ones. Does not call it if all texts are colors or empty, and for kinds without such a
/// column.
pub(crate) fn report_unknown(records: &[Value], slug: &str, warn: impl FnOnce(String)) {
    if !KINDS.contains(&slug) {
        return;
    }
    let unknown = records.iter().enumerate().filter_map(|(row, record)| {
        let text = data::field(record, KEY).as_str()?.trim();
        (!text.is_empty() && Color::parse(text).is_none()).then_some((row, text))
    });
    let mut unknown = unknown.peekable();
    if let Some((row, text)) = unknown.peek().copied() {
        let others = number_columns::count_others(unknown.count() - 1);
        let (quoted, record) = (number_columns::quote(text), row + 1);
        warn(format!(
            "{quoted} in column “{KEY}”, record {record}, is not a color, so that the palette is used.{others}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(slug: &str, colors: &[Value]) -> Vec<String> {
        let records: Vec<Value> = colors.iter().map(|color| json!({ "color": color })).collect();
        let mut warnings = Vec::new();
        report_unknown(&records, slug, |warning| warnings.push(warning));
        warnings
    }

    #[test]
    fn the_first_unknown_color_is_reported() {
        let colors = [json!("red"), json!("bluish"), json!("#0f0"), json!("rot"), json!("")];
        let expected = "“bluish” in column “color”, record 2, is not a color, so that the palette is used. The column has another such text.";
        assert_eq!(report("bar", &colors), [expected]);
        assert_eq!(report("table", &colors), [""; 0]);
        assert_eq!(report("bar", &[json!("red"), json!(null), json!(3)]), [""; 0]);
    }
}
