//! Charts of tables as people have them: numbers in the notations of spreadsheets, large and small
//! numbers in one column, and cells that are no numbers.

use chartroom_charts::scene::Primitive;
use chartroom_charts::{Chart, find_kind};
use serde_json::{Value, json};

use super::{ChartCase, read_json};

/// A way to write numbers.
struct Notation {
    name: &'static str,
    /// Setting `locale` of the document.
    locale: &'static str,
    group: &'static str,
    decimal: &'static str,
    /// Texts before and after the digits of a positive number.
    positive: (&'static str, &'static str),
    /// The same for a negative number.
    negative: (&'static str, &'static str),
}

const NOTATIONS: [Notation; 8] = [
    Notation {
        name: "English",
        locale: "en",
        group: ",",
        decimal: ".",
        positive: ("", ""),
        negative: ("-", ""),
    },
    Notation {
        name: "dollars",
        locale: "en-US",
        group: ",",
        decimal: ".",
        positive: ("$", ""),
        negative: ("($", ")"),
    },
    Notation {
        name: "German",
        locale: "de",
        group: ".",
        decimal: ",",
        positive: ("", ""),
        negative: ("\u{2212}", ""),
    },
    Notation {
        name: "German euros",
        locale: "de",
        group: ".",
        decimal: ",",
        positive: ("", " €"),
        negative: ("-", " €"),
    },
    Notation {
        name: "Swiss",
        locale: "de-CH",
        group: "’",
        decimal: ".",
        positive: ("CHF ", ""),
        negative: ("CHF -", ""),
    },
    Notation {
        name: "French",
        locale: "fr",
        group: "\u{202f}",
        decimal: ",",
        positive: ("+", ""),
        negative: ("-", ""),
    },
    Notation {
        name: "Swedish",
        locale: "sv",
        group: " ",
        decimal: ",",
        positive: ("", " kr"),
        negative: ("\u{2212}", " kr"),
    },
    Notation {
        name: "Brazilian",
        locale: "pt",
        group: ".",
        decimal: ",",
        positive: ("R$ ", ""),
        negative: ("R$ ", "-"),
    },
];

impl Notation {
    /// Writes a JSON number in this notation.
    fn write(&self, number: &serde_json::Number) -> String {
        let text = number.to_string();
        let (is_negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.as_str()),
        };
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
        let mut grouped = String::new();
        for (index, digit) in whole.chars().enumerate() {
            if index > 0 && (whole.len() - index).is_multiple_of(3) {
                grouped.push_str(self.group);
            }
            grouped.push(digit);
        }
        if !decimals.is_empty() {
            grouped = format!("{grouped}{}{decimals}", self.decimal);
        }
        let (before, after) = if is_negative { self.negative } else { self.positive };
        format!("{before}{grouped}{after}")
    }
}

/// Returns the keys of the columns of numbers of a case: those of the kind, and its series.
fn number_columns(case: &ChartCase) -> Vec<String> {
    let description = read_json(&format!("assets/kinds/{}/kind.json", case.kind.slug));
    let columns = description["data_columns"].as_array().unwrap();
    let of_type = |repeats: bool| {
        columns
            .iter()
            .filter(move |column| column["type"] == "number" && column["repeats"] == json!(repeats))
    };
    let mut keys: Vec<String> =
        of_type(false).map(|column| column["key"].as_str().unwrap().to_owned()).collect();
    if of_type(true).next().is_some() {
        let known: Vec<&str> =
            columns.iter().map(|column| column["key"].as_str().unwrap()).collect();
        for (key, value) in case.data.iter().filter_map(Value::as_object).flatten() {
            if value.is_number() && !known.contains(&key.as_str()) && !keys.contains(key) {
                keys.push(key.clone());
            }
        }
    }
    keys
}

#[test]
fn numbers_in_texts_are_drawn_like_numbers() {
    let mut differences = Vec::new();
    let mut compared = 0;
    for kind in chartroom_charts::kinds() {
        for notation in &NOTATIONS {
            let mut numbers = ChartCase::sample(kind);
            numbers.settings["locale"] = json!(notation.locale);
            let mut texts = ChartCase::sample(kind);
            texts.settings = numbers.settings.clone();
            let mut has_changed = false;
            for key in number_columns(&numbers) {
                for value in texts.data.iter_mut().filter_map(|record| record.get_mut(&key)) {
                    if let Value::Number(number) = value {
                        *value = json!(notation.write(number));
                        has_changed = true;
                    }
                }
            }
            // Scorecards and bullet charts show the currency of each text.
            let shows_unit =
                ["scorecard", "bullet"].contains(&kind.slug) && notation.positive != ("", "");
            if has_changed && !shows_unit {
                compared += 1;
                if texts.render_svg() != numbers.render_svg() {
                    differences.push(format!("{}: {}", kind.slug, notation.name));
                }
            }
        }
    }
    assert!(compared > 300, "{compared}");
    assert_eq!(differences, Vec::<String>::new(), "of {compared}");
}

/// Returns the texts of a chart with these values, which have the labels A, B and so on.
fn draw_values(slug: &str, values: &[Value]) -> (Vec<String>, Vec<String>) {
    let records: Vec<Value> = values
        .iter()
        .zip('A'..)
        .map(|(value, label)| json!({ "label": label.to_string(), "value": value }))
        .collect();
    let settings = json!({ "showValues": true });
    let kind = find_kind(slug).unwrap();
    let scene =
        chartroom_charts::draw(&Chart { settings: &settings, ..Chart::new(kind, &records) });
    let texts = scene.shapes.iter().filter_map(|shape| match &shape.primitive {
        Primitive::Text(text) => Some(text.text.clone()),
        _ => None,
    });
    (texts.collect(), scene.warnings)
}

/// Returns the number in a printed text, and half of its last digit.
fn parse_printed(text: &str) -> Option<(f64, f64)> {
    let text = text.replace('\u{2212}', "-").replace([',', '\u{a0}', '+'], "");
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    let factor = match unit.trim() {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "bn" => 1e9,
        "tn" => 1e12,
        _ => return None,
    };
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let number: f64 = digits.parse().ok()?;
    Some((number * factor, 0.5 * factor * 10f64.powi(-(decimals as i32))))
}

#[test]
fn every_value_is_printed_within_its_precision_and_never_as_zero() {
    const TABLES: [&[f64]; 7] = [
        &[2_500_000.0, 340_000.0, 45_200.0],
        &[2.5e9, 1.25e6, 3.0],
        &[98.7, 0.0012, 14.25],
        &[1234.5, 0.25, 80.0],
        &[0.5, 0.04, 0.0003],
        &[4_999.6, 5_000.4, 12.5],
        &[1e12, 999.0, 1e6],
    ];
    for slug in ["bar", "lollipop", "waterfall", "radial-bar", "funnel", "table", "scorecard"] {
        for values in TABLES {
            let cells: Vec<Value> = values.iter().map(|value| json!(value)).collect();
            let (texts, _) = draw_values(slug, &cells);
            let printed: Vec<(f64, f64)> =
                texts.iter().filter_map(|text| parse_printed(text)).collect();
            for value in values {
                let is_printed = printed.iter().any(|(number, precision)| {
                    let is_exact = (number - value).abs() <= value * 1e-9;
                    let is_close = (number - value).abs() <= precision * 1.0001;
                    is_exact || is_close && *precision <= value * 0.06
                });
                assert!(is_printed, "{slug}: {value} of {values:?} is not in {texts:?}");
            }
        }
    }
}

#[test]
fn cells_that_are_no_numbers_are_reported_with_their_record() {
    let values = [json!("12,5"), json!("n/a"), json!("#DIV/0!"), json!("7,25"), json!("1.000")];
    let (texts, warnings) = draw_values("bar", &values);
    let unreadable = "“#DIV/0!” in column “value”, record 3, is not a number.";
    assert_eq!(warnings, [unreadable, "Missing values: 2."]);
    for printed in ["12.5", "7.25", "1,000"] {
        let start = printed.split('.').next().unwrap();
        assert!(texts.iter().any(|text| text.starts_with(start)), "{printed} is not in {texts:?}");
    }
}

/// Returns the texts of a chart of 720 x 405 points with default settings.
fn draw_texts(slug: &str, settings: &Value, records: &[Value]) -> Vec<String> {
    let chart = Chart { settings, ..Chart::new(find_kind(slug).unwrap(), records) };
    chartroom_charts::draw(&chart).text_boxes().map(|(text, _)| text.to_owned()).collect()
}

#[test]
fn a_record_that_denies_to_be_a_total_is_a_step() {
    let steps = |is_total: Value| {
        let step = |(label, value): (&str, i32)| json!({ "label": label, "value": value });
        let mut records = [("Sales", 900), ("Costs", -400), ("Taxes", -200)].map(step).to_vec();
        records.push(json!({ "label": "Result", "value": 300, "isTotal": is_total }));
        draw_texts("waterfall", &Value::Null, &records)
    };
    assert!(steps(Value::Null).contains(&"300".to_owned()), "{:?}", steps(Value::Null));
    assert!(steps(json!(false)).contains(&"+300".to_owned()), "{:?}", steps(json!(false)));
}

#[test]
fn percentages_of_a_whole_have_no_total() {
    let settings = json!({ "rulesets": { "value": { "displayAsPercentage": true } } });
    let texts = |last: f64| {
        let shares = [("A", 60.4), ("B", 25.2), ("C", last)];
        let records = shares.map(|(label, value)| json!({ "label": label, "value": value }));
        draw_texts("donut", &settings, &records)
    };
    assert!(!texts(14.3).iter().any(|text| text.starts_with("99.9")), "{:?}", texts(14.3));
    assert!(texts(4.0).contains(&"89.6%".to_owned()), "{:?}", texts(4.0));
}

#[test]
fn missing_records_of_a_regular_series_interrupt_the_line() {
    let count_lines = |is_off: &dyn Fn(usize) -> bool| {
        let hours = (0..72).filter(|hour| !is_off(*hour));
        let records: Vec<Value> = hours
            .map(|hour| {
                let date = format!("2026-07-{:02}T{:02}:00", hour / 24 + 1, hour % 24);
                json!({ "date": date, "Temperature": 20 + hour % 7 })
            })
            .collect();
        let kind = find_kind("time-series").unwrap();
        let scene = chartroom_charts::draw(&Chart::new(kind, &records));
        let is_line = |primitive: &Primitive| matches!(primitive, Primitive::Polyline { points, .. } if points.len() > 2);
        scene.shapes.iter().filter(|shape| is_line(&shape.primitive)).count()
    };
    assert_eq!(count_lines(&|_| false), 1);
    assert_eq!(count_lines(&|hour| (30..40).contains(&hour)), 2);
}
