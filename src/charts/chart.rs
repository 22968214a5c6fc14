//! The input of a rendering: records, settings, theme, style and size.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::LazyLock;

use serde_json::Value;

use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::date_text;
use crate::date_text::DateOrder;
use crate::format::{FormatRules, Locale, Omission, date};
use crate::kinds::Kind;
use crate::style::DEFAULT_SIZE_PT;
use crate::style::Style;
use crate::text;
use crate::theme::Theme;

/// The complete input of [`draw`](crate::draw). Equal charts give equal bytes.
#[derive(Clone, Copy)]
pub struct Chart<'a> {
    /// Chart kind.
    pub kind: &'static Kind,
    /// Title above the chart.
    pub title: &'a str,
    /// Settings of the kind, a JSON object. Invalid settings are ignored one by one.
    pub settings: &'a Value,
    /// Records, JSON objects with one field per column.
    pub data: &'a [Value],
    /// Colors, fonts, background and logo.
    pub theme: &'a Theme,
    /// Subtitle, footer, annotations, custom colors and margins.
    pub style: &'a Style,
    /// Width of the canvas in points.
    pub width: f64,
    /// Height of the canvas in points.
    pub height: f64,
    /// Language of numbers and dates, unless `settings.locale` names another.
    pub default_locale: Locale,
    /// Whether the scene contains marks with tooltips. Off for downloads.
    pub interactive: bool,
    /// Prefix of every id in the SVG, so that one page can contain two SVGs.
    pub id_prefix: &'a str,
}

/// A column of numbers that is drawn as one series.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Key of the column in the records.
    pub key: String,
    /// Display name.
    pub title: String,
    /// Color of the series in the whole chart.
    pub color: Color,
}

/// Maximum number of series. The rest is left out, because readers cannot tell more apart.
pub const MAX_SERIES: usize = 24;

/// Number of records in which texts can make a column a series. Later ones only count if they are
/// numbers.
const RECORDS_WITH_NUMBERS_IN_TEXTS: usize = 50;
/// Share by which the first shade of a color differs from it. Further shades differ more.
const SHADE_STEP: f64 = 0.45;

/// Minimum contrast of a shade to the background, below which `ChartStyle::readable_line_color`
/// changes it.
const MIN_LINE_CONTRAST: f64 = 2.4;

static NO_SETTINGS: Value = Value::Null;
static DEFAULT_THEME: LazyLock<Theme> = LazyLock::new(Theme::default);
static DEFAULT_STYLE: LazyLock<Style> = LazyLock::new(Style::default);

impl<'a> Chart<'a> {
    /// Creates a chart of 720 by 405 points with default settings, theme, style and locale.
    ///
    /// It has no title, is not interactive, and its SVG ids have no prefix. Replace single fields
    /// with struct update syntax: `Chart { title: "Sales", ..Chart::new(kind, &records) }`.
    pub fn new(kind: &'static Kind, data: &'a [Value]) -> Chart<'a> {
        Chart {
            kind,
            title: "",
            settings: &NO_SETTINGS,
            data,
            theme: &DEFAULT_THEME,
            style: &DEFAULT_STYLE,
            width: DEFAULT_SIZE_PT.0,
            height: DEFAULT_SIZE_PT.1,
            default_locale: Locale::default(),
            interactive: false,
            id_prefix: "",
        }
    }
}

impl Chart<'_> {
    /// Returns a setting of the kind, or null if it is absent.
    pub fn setting(&self, key: &str) -> &Value {
        &self.settings[key]
    }

    /// Returns a boolean setting, or `default` if it is absent or not a boolean.
    pub fn bool_setting(&self, key: &str, default: bool) -> bool {
        self.settings[key].as_bool().unwrap_or(default)
    }

    /// Returns a text setting, or an empty text if it is absent or not a text.
    pub fn str_setting(&self, key: &str) -> &str {
        self.settings[key].as_str().unwrap_or("")
    }

    /// Returns a numeric setting, which may also be a number in a text. None if it is absent or no
    /// number.
    pub fn number_setting(&self, key: &str) -> Option<f64> {
        data::number(&self.settings[key])
    }

    /// Returns a setting that is a date or a year, in seconds since 1970, see [`data::timestamp`].
    /// Day and month of a text such as `3/5/2024` have the order of the locale. None if it is
    /// absent or no date.
    pub fn timestamp_setting(&self, key: &str) -> Option<f64> {
        let value = &self.settings[key];
        data::timestamp(value).or_else(|| {
            let order = DateOrder::of_locale(self.locale());
            date::parse(&date_text::to_iso_date(value.as_str()?, order)?)
        })
    }

    /// Returns the language of numbers and dates: `settings.locale`, which gives English if it is
    /// unknown, or the default locale without that setting.
    pub fn locale(&self) -> Locale {
        self.settings["locale"].as_str().map_or(self.default_locale, Locale::parse)
    }

    /// Returns whether the chart is mirrored, because its language is written from right to left.
    ///
    /// The language is that of `settings.locale`. Without it, the script of the title decides, and
    /// not the default locale. Maps are never mirrored.
    pub(crate) fn is_right_to_left(&self) -> bool {
        /// Languages with right-to-left scripts, by their codes in ISO 639.
        const LANGUAGES: [&str; 12] =
            ["ar", "arc", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi"];
        const MAPS: [&str; 3] = ["choropleth", "point-map", "world-map"];
        let language =
            self.settings["locale"].as_str().and_then(|tag| tag.split(['-', '_']).next());
        let is_right_to_left = match language {
            Some(language) if !language.is_empty() => {
                LANGUAGES.iter().any(|known| known.eq_ignore_ascii_case(language))
            }
            _ => text::is_rtl(self.title),
        };
        is_right_to_left && !MAPS.contains(&self.kind.slug)
    }

    /// Returns the number format of a column from `settings.rulesets`. Without rules for the
    /// column, all fields have their defaults.
    pub fn format_rules(&self, column: &str) -> FormatRules {
        FormatRules::from_settings(self.settings, column)
    }

    /// Returns the number format of columns with a common value axis: that of the first column with
    /// rules. If another column with rules has another prefix, suffix or percent setting, the
    /// format has none of the three. Columns without rules are ignored. Without any rules, returns
    /// the defaults.
    pub fn shared_format_rules<'b>(
        &self,
        columns: impl IntoIterator<Item = &'b str>,
    ) -> FormatRules {
        let mut columns = columns.into_iter().filter(|key| self.has_format_rules(key));
        // Without rules, each column has the default format.
        let mut shared = self.format_rules(columns.next().unwrap_or_default());
        for key in columns {
            let rules = self.format_rules(key);
            let has_other_unit = [&rules.prefix, &rules.suffix] != [&shared.prefix, &shared.suffix];
            if has_other_unit || rules.percent != shared.percent {
                shared.prefix.clear();
                shared.suffix.clear();
                shared.percent = false;
                break;
            }
        }
        shared
    }

    /// Returns the number format of series with a common value axis: like
    /// [`shared_format_rules`](Chart::shared_format_rules), but without a unit if a series has no
    /// rules, because its numbers have no unit.
    pub(crate) fn series_format_rules<'b>(
        &self,
        keys: impl Iterator<Item = &'b str> + Clone,
    ) -> FormatRules {
        let mut shared = self.shared_format_rules(keys.clone());
        if !keys.clone().all(|key| self.has_format_rules(key)) {
            shared.prefix.clear();
            shared.suffix.clear();
            shared.percent = false;
        }
        shared
    }

    /// Returns the number format of a column, or `default` if `settings.rulesets` has no rules for
    /// it. Does not combine both.
    pub(crate) fn format_rules_or(&self, column: &str, default: &FormatRules) -> FormatRules {
        if self.has_format_rules(column) { self.format_rules(column) } else { default.clone() }
    }

    /// Returns whether `settings.rulesets` has rules for a column.
    pub(crate) fn has_format_rules(&self, column: &str) -> bool {
        self.settings["rulesets"][column].is_object()
    }

    /// Returns the color of the series or group with this index, from 0.
    ///
    /// Custom colors of the style replace the colors of the theme. If there are more series than
    /// colors, further series have shades of the same colors: mixed with the background and with
    /// the text color in turn, more in each round.
    pub fn series_color(&self, index: usize) -> Color {
        let custom = &self.style.custom_colors;
        let colors = if custom.is_empty() { &self.theme.colors } else { custom };
        let count = colors.len().max(1);
        let (color, round) = (colors[index % count], index / count);
        let step = SHADE_STEP * (round.div_ceil(2) as f64) / (1.0 + round as f64 / 8.0);
        if round == 0 {
            return color;
        }
        let (background, text) = (self.theme.background_color, self.theme.text_color);
        // A line in a paler shade would get back the contrast of the first color, and with it its
        // look.
        let paler = color.mix(background, step);
        let starts_paler = paler.contrast(background) >= MIN_LINE_CONTRAST;
        let is_paler = (round % 2 == 1) == starts_paler;
        if is_paler { paler } else { color.mix(text, step) }
    }

    /// Returns a fixed limit of the value axis from `settings.axis`. `key` is `min` or `max`. None
    /// if the setting is absent or not a number.
    pub fn axis_limit(&self, key: &str) -> Option<f64> {
        data::number(&self.settings["axis"][key])
    }

    /// Returns the indices of the records in drawing order.
    ///
    /// The setting `sort` (`asc` or `desc`) sorts by `values`, which has one entry per record.
    /// Records without a value come last in both orders. Records with equal values keep their
    /// order. Without the setting, all records keep their order.
    pub fn sorted_indices(&self, values: &[Option<f64>]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..values.len()).collect();
        let compare = |one: &usize, two: &usize| match (values[*one], values[*two]) {
            (Some(a), Some(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        match self.str_setting("sort") {
            "asc" => order.sort_by(compare),
            "desc" => order.sort_by(|one, two| match (values[*one], values[*two]) {
                (Some(_), Some(_)) => compare(two, one),
                _ => compare(one, two),
            }),
            _ => {}
        }
        order
    }

    /// Returns the number of records that are not blank (see [`data::is_blank`]).
    pub(crate) fn record_count(&self) -> usize {
        self.data.iter().filter(|record| !data::is_blank(record)).count()
    }

    /// Returns the number of records that are not blank and have no number in the column `key`.
    pub(crate) fn count_missing(&self, key: &str) -> usize {
        let is_missing = |record: &&Value| {
            data::number(data::field(record, key)).is_none() && !data::is_blank(record)
        };
        self.data.iter().filter(is_missing).count()
    }

    /// Counts the records that are not blank and have no number in the column `key` as omissions, and keeps
    /// their names for the note.
    pub(crate) fn omit_missing(&self, key: &str, scene: &mut Scene) {
        self.omit_numbers(key, Omission::NoValue, scene, |number| number.is_none());
    }

    /// Counts the records with a number below zero in the column `key` as omissions, and keeps their names
    /// for the note.
    pub(crate) fn omit_negative(&self, key: &str, scene: &mut Scene) {
        let is_negative = |number: Option<f64>| number.is_some_and(|number| number < 0.0);
        self.omit_numbers(key, Omission::BelowZero, scene, is_negative);
    }

    /// Counts the records with a zero in the column `key` as omissions, and keeps their names for the note.
    pub(crate) fn omit_zeros(&self, key: &str, scene: &mut Scene) {
        self.omit_numbers(key, Omission::Zero, scene, |number| number == Some(0.0));
    }

    /// Counts the records that are not blank and have a number in the column `key` for which `is_omitted`
    /// returns true as omissions, and keeps their names for the note. The number is None if it is missing.
    fn omit_numbers(
        &self,
        key: &str,
        omission: Omission,
        scene: &mut Scene,
        is_omitted: impl Fn(Option<f64>) -> bool,
    ) {
        for record in self.data.iter().filter(|record| !data::is_blank(record)) {
            if is_omitted(data::number(data::field(record, key))) {
                let label = data::record_label(record);
                let region = || data::display_text(data::field(record, "region"));
                scene
                    .omit_named(omission, if label.is_empty() { region() } else { label }.as_ref());
            }
        }
    }

    /// Returns the sum of the missing values of these columns in records that are not blank.
    /// Columns without a number in any record do not count.
    pub(crate) fn count_gaps<'k>(&self, keys: impl IntoIterator<Item = &'k str>) -> usize {
        let record_count = self.record_count();
        let counts = keys.into_iter().map(|key| self.count_missing(key));
        counts.filter(|count| *count < record_count).sum()
    }

    /// Returns the number of missing values of these series in records that have a value of any of
    /// them.
    pub(crate) fn count_missing_values(&self, series: &[Series]) -> usize {
        let count_in = |record: &Value| {
            let is_missing =
                |series: &&Series| data::number(data::field(record, &series.key)).is_none();
            series.iter().filter(is_missing).count()
        };
        self.data.iter().map(count_in).filter(|count| *count < series.len()).sum()
    }

    /// Returns the series: those of `settings.series`, else those inferred from the records.
    ///
    /// At most [`MAX_SERIES`]. An entry of the setting is an object or only a key. An entry without
    /// a key is skipped. The title defaults to the key, and the color to that of the index.
    pub fn series(&self) -> Vec<Series> {
        let mut series: Vec<Series> = Vec::new();
        for (key, entry) in self.listed_series().take(MAX_SERIES) {
            let title = entry["title"].as_str().map_or(Cow::Borrowed(""), text::sanitize);
            let color = entry["color"].as_str().and_then(Color::parse);
            series.push(Series {
                key: key.to_owned(),
                title: if title.is_empty() {
                    text::sanitize(key).into_owned()
                } else {
                    title.into_owned()
                },
                color: color.unwrap_or_else(|| self.series_color(series.len())),
            });
        }
        if series.is_empty() { self.infer_series() } else { series }
    }

    /// Iterates over the entries of `settings.series` that are or have a key, each with its key, in
    /// their order and without a maximum.
    fn listed_series(&self) -> impl Iterator<Item = (&str, &Value)> {
        let entries = self.settings["series"].as_array().into_iter().flatten();
        entries.filter_map(|entry| Some((entry["key"].as_str().or(entry.as_str())?, entry)))
    }

    /// Returns the series like `Chart::series`, and counts in the scene the series beyond
    /// `MAX_SERIES` as omitted.
    pub(crate) fn series_for(&self, scene: &mut Scene) -> Vec<Series> {
        let series = self.series();
        if series.len() == MAX_SERIES {
            let listed = self.listed_series().count();
            let count = if listed > 0 { listed } else { self.find_series_keys().len() };
            scene.omit(Omission::Series, count.saturating_sub(MAX_SERIES));
        }
        series
    }

    /// Returns the keys of all columns with a number, in the order of the columns, also if the
    /// first records have no number in some of them.
    ///
    /// Numbers in texts count in the first [`RECORDS_WITH_NUMBERS_IN_TEXTS`] records only. Columns
    /// with another meaning, such as `label` and `date`, are skipped.
    fn find_series_keys(&self) -> Vec<&str> {
        const NOT_SERIES: [&str; 8] =
            ["label", "name", "category", "date", "highlighted", "color", "id", "group"];
        let mut keys: Vec<&str> = Vec::new();
        let mut first_row = usize::MAX;
        for (row, record) in self.data.iter().enumerate() {
            for (position, (key, value)) in record.as_object().into_iter().flatten().enumerate() {
                let is_number = match value {
                    Value::Number(_) => true,
                    // Reading a number in a text takes longer than all other steps.
                    Value::String(_) if row < RECORDS_WITH_NUMBERS_IN_TEXTS => {
                        !NOT_SERIES.contains(&key.as_str()) && data::number(value).is_some()
                    }
                    _ => false,
                };
                // Most records have the same columns in the same order, the first of them a name.
                let is_known = |keys: &[&str]| {
                    position.checked_sub(1).and_then(|before| keys.get(before)) == Some(&&**key)
                        || keys.contains(&key.as_str())
                };
                if is_number && !is_known(&keys) && !NOT_SERIES.contains(&key.as_str()) {
                    let is_late = row > first_row && keys.len() < MAX_SERIES;
                    let index =
                        if is_late { find_insertion_index(&keys, record, position) } else { None };
                    keys.insert(index.unwrap_or(keys.len()), key);
                    first_row = first_row.min(row);
                }
            }
        }
        keys
    }

    /// Returns a series for each of the first [`MAX_SERIES`] columns with a number.
    fn infer_series(&self) -> Vec<Series> {
        let mut keys = self.find_series_keys();
        keys.truncate(MAX_SERIES);
        let to_series = |(index, key): (usize, &&str)| Series {
            key: (*key).to_owned(),
            title: text::sanitize(key).into_owned(),
            color: self.series_color(index),
        };
        keys.iter().enumerate().map(to_series).collect()
    }
}

/// Returns the index in `keys` at which the key at `position` of a record belongs: that of the
/// first later key of the record that is known. None if no later key is known.
fn find_insertion_index(keys: &[&str], record: &Value, position: usize) -> Option<usize> {
    let later = record.as_object()?.keys().skip(position + 1);
    later.into_iter().find_map(|later| keys.iter().position(|key| key == later))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn series_have_the_order_of_the_columns_if_the_first_records_have_gaps() {
        let data = [
            json!({"label": "Laim", "2013": 4, "2014": null, "2015": 7, "2016": "n/a"}),
            json!({"label": "Pasing", "2013": 5, "2014": 3, "2015": null, "2016": 2}),
        ];
        let kind = crate::find_kind("grouped-column").unwrap();
        let keys: Vec<String> =
            Chart::new(kind, &data).series().into_iter().map(|series| series.key).collect();
        assert_eq!(keys, ["2013", "2014", "2015", "2016"]);
    }

    #[test]
    fn the_lines_of_sixteen_series_have_distinct_colors() {
        let theme = Theme::default();
        let kind = crate::find_kind("line").unwrap();
        let chart = Chart { theme: &theme, ..Chart::new(kind, &[]) };
        let line_color = |index: usize| {
            let color = chart.series_color(index);
            color.readable_on(theme.background_color, MIN_LINE_CONTRAST)
        };
        for (one, two) in (0..16).flat_map(|one| (0..one).map(move |two| (one, two))) {
            let (a, b) = (line_color(one), line_color(two));
            let channels = [(a.r, b.r), (a.g, b.g), (a.b, b.b)];
            let distance: u32 = channels.iter().map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
            assert!(distance >= 40, "{one} {a}, {two} {b}");
        }
    }

    #[test]
    fn entries_without_a_key_do_not_count_as_series() {
        let entry = |index: usize| match index {
            3 | 7 => json!({"title": "No key"}),
            _ => json!({"key": format!("S{index}")}),
        };
        let entries: Vec<Value> = (0..30).map(entry).collect();
        let settings = json!({"series": entries});
        let kind = crate::find_kind("grouped-column").unwrap();
        let chart = Chart { settings: &settings, ..Chart::new(kind, &[]) };
        let mut scene = Scene::new(720.0, 405.0, crate::color::WHITE);
        let series = chart.series_for(&mut scene);
        assert_eq!((series.len(), series[23].key.as_str()), (MAX_SERIES, "S25"));
        assert_eq!(scene.omissions, [(Omission::Series, 4)]);
    }
}
