//! The input of a drawing: what a document, its theme and the caller ask for.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use crate::color::Color;
use crate::data;
use crate::format::Locale;
use crate::format::Rules;
use crate::kinds::Kind;
use crate::style::Style;
use crate::text;
use crate::theme::Theme;

/// Everything that decides how a picture looks. Equal charts give equal bytes.
#[derive(Clone, Copy)]
pub struct Chart<'a> {
    /// How it is drawn.
    pub kind: &'static Kind,
    /// Title of the document.
    pub title: &'a str,
    /// Settings object of the document; odd ones are ignored one by one.
    pub settings: &'a Value,
    /// Records.
    pub data: &'a [Value],
    /// Colours and sizes.
    pub theme: &'a Theme,
    /// The document's own wishes.
    pub style: &'a Style,
    /// Width of the canvas in points.
    pub width: f64,
    /// Height of the canvas in points.
    pub height: f64,
    /// Language of numbers and dates, unless `settings.locale` names another.
    pub locale: Locale,
    /// Whether marks carry what pointers need; off for downloads.
    pub interactive: bool,
    /// Starts every id in the SVG.
    pub id_prefix: &'a str,
}

/// A column of numbers drawn as one series.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Key of the column in the records.
    pub key: String,
    /// Name for people.
    pub title: String,
    /// Its colour, the same everywhere in the chart.
    pub color: Color,
}

/// More series than this are not told apart by anyone; the rest is left out with a warning.
pub const MOST_SERIES: usize = 24;

impl Chart<'_> {
    /// A setting, or null.
    pub fn setting(&self, key: &str) -> &Value {
        &self.settings[key]
    }

    /// A flag among the settings.
    pub fn flag(&self, key: &str, default: bool) -> bool {
        self.settings[key].as_bool().unwrap_or(default)
    }

    /// A word among the settings; empty when absent.
    pub fn word(&self, key: &str) -> &str {
        self.settings[key].as_str().unwrap_or("")
    }

    /// A number among the settings.
    pub fn number(&self, key: &str) -> Option<f64> {
        data::number(&self.settings[key])
    }

    /// Language of numbers and dates.
    pub fn language(&self) -> Locale {
        self.settings["locale"].as_str().map_or(self.locale, Locale::parse)
    }

    /// How the numbers of a column are shown.
    pub fn rules(&self, column: &str) -> Rules {
        Rules::read(self.settings, column)
    }

    /// Colour of the series or group at this place; they repeat when there are more.
    pub fn color(&self, index: usize) -> Color {
        let own = &self.style.custom_colors;
        let list = if own.is_empty() { &self.theme.colors } else { own };
        list[index % list.len().max(1)]
    }

    /// The wanted end of the value axis: `axis.min` or `axis.max`.
    pub fn axis_end(&self, key: &str) -> Option<f64> {
        data::number(&self.settings["axis"][key])
    }

    /// The records' places in drawing order: as given, or sorted by `sort` (`asc`, `desc`).
    /// Records without a value come last; equal ones keep their order.
    pub fn order(&self, values: &[Option<f64>]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..values.len()).collect();
        let by = |one: &usize, two: &usize| match (values[*one], values[*two]) {
            (Some(a), Some(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        match self.word("sort") {
            "asc" => order.sort_by(by),
            "desc" => order.sort_by(|one, two| match (values[*one], values[*two]) {
                (Some(_), Some(_)) => by(two, one),
                _ => by(one, two),
            }),
            _ => {}
        }
        order
    }

    /// The series: those of `settings.series`, else every column that holds a number somewhere
    /// in the first records, in the order in which the records name them.
    pub fn series(&self) -> Vec<Series> {
        let listed = self.settings["series"].as_array().map_or(&[][..], |it| it.as_slice());
        let mut series: Vec<Series> = Vec::new();
        for entry in listed.iter().take(MOST_SERIES) {
            let Some(key) = entry["key"].as_str().or(entry.as_str()) else { continue };
            let title = entry["title"].as_str().map_or(Cow::Borrowed(""), text::clean);
            let color = entry["color"].as_str().and_then(Color::parse);
            series.push(Series {
                key: key.to_owned(),
                title: if title.is_empty() {
                    text::clean(key).into_owned()
                } else {
                    title.into_owned()
                },
                color: color.unwrap_or_else(|| self.color(series.len())),
            });
        }
        if series.is_empty() { self.found_series() } else { series }
    }

    fn found_series(&self) -> Vec<Series> {
        const NOT_SERIES: [&str; 8] =
            ["label", "name", "category", "date", "highlighted", "color", "id", "group"];
        let mut keys: Vec<&str> = Vec::new();
        for record in self.data.iter().take(50).filter_map(Value::as_object) {
            for (key, value) in record {
                let known = NOT_SERIES.contains(&key.as_str()) || keys.contains(&key.as_str());
                if !known && keys.len() < MOST_SERIES && data::number(value).is_some() {
                    keys.push(key);
                }
            }
        }
        let named = |(index, key): (usize, &&str)| Series {
            key: (*key).to_owned(),
            title: text::clean(key).into_owned(),
            color: self.color(index),
        };
        keys.iter().enumerate().map(named).collect()
    }
}
