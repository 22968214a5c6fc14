//! Tables as people have them, in the shape that each kind reads. None of them is a sample.

use serde_json::{Map, Value, json};

/// A difficulty of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difficulty {
    /// 40 records.
    Forty,
    /// Values from 0.0004 to 2.3 billion in one column.
    WideRange,
    /// Every fourth value is missing: null, an empty text or a mark such as "n/a".
    Gaps,
    /// Values on both sides of zero.
    Signs,
    /// Values with several decimals, shares that do not add up to 100.
    Decimals,
    /// Names of about 60 characters.
    LongNames,
    /// The same value in all records.
    Equal,
    /// Values written as in a German spreadsheet.
    German,
    /// Only one record.
    Single,
    /// Some values are zero.
    Zeros,
    /// Twelve series or, in kinds without series, twelve groups.
    TwelveSeries,
}

impl Difficulty {
    pub const ALL: [Difficulty; 11] = [
        Difficulty::Forty,
        Difficulty::WideRange,
        Difficulty::Gaps,
        Difficulty::Signs,
        Difficulty::Decimals,
        Difficulty::LongNames,
        Difficulty::Equal,
        Difficulty::German,
        Difficulty::Single,
        Difficulty::Zeros,
        Difficulty::TwelveSeries,
    ];

    /// Returns the number of records.
    fn record_count(self) -> usize {
        match self {
            Difficulty::Forty => 40,
            Difficulty::Single => 1,
            Difficulty::TwelveSeries => 6,
            _ => 11,
        }
    }

    /// Returns the number of series in kinds with series.
    fn series_count(self) -> usize {
        if self == Difficulty::TwelveSeries { 12 } else { 3 }
    }

    /// Returns the number of a cell.
    fn number(self, row: usize, column: usize) -> f64 {
        let index = row * 7 + column * 3;
        let base = ((index * 37 + 11) % 89 + 8) as f64;
        match self {
            Difficulty::WideRange => {
                let powers = [-3, 5, 1, 8, 0, 3, -2, 6, 2, 7, 4];
                base * 0.1 * 10f64.powi(powers[(row + column) % powers.len()]) * 0.9
            }
            Difficulty::Signs if (row + column) % 2 == 1 => -base,
            Difficulty::Decimals => base * 1.2345 / 3.0,
            Difficulty::Equal => 25.0,
            Difficulty::German => base * 117.35,
            Difficulty::Zeros if (row + column) % 3 == 1 => 0.0,
            _ => base * 13.0,
        }
    }

    /// Returns the cell of a column of numbers.
    fn cell(self, row: usize, column: usize) -> Value {
        let number = self.number(row, column);
        match self {
            Difficulty::Gaps if (row + column) % 4 == 1 => {
                [json!(null), json!(""), json!("n/a"), json!("–")][row / 2 % 4].clone()
            }
            Difficulty::German => json!(write_german(number)),
            _ => json!((number * 1e6).round() / 1e6),
        }
    }
}

/// Writes a number with two decimals as in a German spreadsheet, such as `1.234,50`.
fn write_german(number: f64) -> String {
    let cents = (number * 100.0).round() as i64;
    let (whole, rest) = (cents / 100, cents % 100);
    match whole >= 1000 {
        true => format!("{}.{:03},{rest:02}", whole / 1000, whole % 1000),
        false => format!("{whole},{rest:02}"),
    }
}

/// Names of districts, towns and organizations.
const NAMES: [&str; 40] = [
    "Maxvorstadt",
    "Neuhausen-Nymphenburg",
    "Laim",
    "Trudering-Riem",
    "Schwabing West",
    "Au-Haidhausen",
    "Sendling",
    "Berg am Laim",
    "Milbertshofen",
    "Obergiesing",
    "Hadern",
    "Pasing",
    "Allach",
    "Feldmoching",
    "Bogenhausen",
    "Ramersdorf",
    "Thalkirchen",
    "Moosach",
    "Aubing",
    "Untergiesing",
    "Freimann",
    "Solln",
    "Fürstenried",
    "Lochhausen",
    "Giesing Süd",
    "Isarvorstadt",
    "Westend",
    "Lehel",
    "Altstadt",
    "Perlach",
    "Waldtrudering",
    "Daglfing",
    "Harlaching",
    "Menzing",
    "Langwied",
    "Nordhaide",
    "Am Hart",
    "Hasenbergl",
    "Messestadt",
    "Olympiapark",
];

const LONG_NAMES: [&str; 11] = [
    "Federal Ministry for Economic Affairs and Climate Action",
    "Staatsministerium für Wohnen, Bau und Verkehr des Freistaats",
    "Union of Employees in Trade, Transport and Public Services",
    "Association of Independent Booksellers and Publishers",
    "Verkehrsverbund der Gemeinden im oberen Donautal",
    "Regional Agency for Water Supply and Flood Protection",
    "University Hospital for Children and Young People",
    "Society for the Preservation of Historic Railways",
    "Landesamt für Digitalisierung, Breitband und Vermessung",
    "Foundation for Research into Renewable Materials",
    "Cooperative of Farmers and Winegrowers of the Valley",
];

const SERIES: [&str; 12] = [
    "Revenue 2013",
    "Revenue 2014",
    "Revenue 2015",
    "Revenue 2016",
    "Revenue 2017",
    "Revenue 2018",
    "Revenue 2019",
    "Revenue 2020",
    "Revenue 2021",
    "Revenue 2022",
    "Revenue 2023",
    "Revenue 2024",
];

const REGIONS: [&str; 40] = [
    "DE", "FR", "IT", "ES", "PL", "RO", "NL", "BE", "CZ", "SE", "PT", "GR", "HU", "AT", "CH", "BG",
    "DK", "FI", "SK", "NO", "IE", "HR", "LT", "SI", "LV", "EE", "US", "CA", "MX", "BR", "AR", "CL",
    "CO", "PE", "IN", "CN", "JP", "AU", "ZA", "EG",
];

fn name(difficulty: Difficulty, row: usize) -> &'static str {
    match difficulty {
        Difficulty::LongNames => LONG_NAMES[row % LONG_NAMES.len()],
        _ => NAMES[row % NAMES.len()],
    }
}

/// Returns the day `days` after 2024-01-01 as an ISO date, at most three years later.
fn iso_day(days: usize) -> String {
    let mut left = days;
    for year in 2024..2030 {
        let february = if year % 4 == 0 { 29 } else { 28 };
        let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        for (month, length) in lengths.iter().enumerate() {
            if left < *length {
                return format!("{year}-{:02}-{:02}", month + 1, left + 1);
            }
            left -= length;
        }
    }
    unreachable!("{days} days are too many")
}

/// Returns the records of a table, or None if the kind has no column to which the difficulty
/// applies.
pub fn records(slug: &str, difficulty: Difficulty) -> Option<Vec<Value>> {
    let count = difficulty.record_count();
    (0..count).map(|row| record(slug, difficulty, row)).collect()
}

/// Returns a record, see [`records`].
fn record(slug: &str, difficulty: Difficulty, row: usize) -> Option<Value> {
    use Difficulty::{Decimals, Equal, German, Signs, TwelveSeries, WideRange, Zeros};
    if let Some(record) = record_with_series(slug, difficulty, row) {
        return Some(record);
    }
    if difficulty == TwelveSeries {
        return None;
    }
    let record = record_of_numbers(slug, difficulty, row);
    if let Some(record) = record.or_else(|| record_of_dates(slug, difficulty, row)) {
        return Some(record);
    }
    let needs_numbers = matches!(difficulty, WideRange | Signs | German | Zeros | Decimals | Equal);
    if needs_numbers { None } else { record_of_texts(slug, difficulty, row) }
}

/// Returns a record with a column for each series. None for kinds without series.
fn record_with_series(slug: &str, difficulty: Difficulty, row: usize) -> Option<Value> {
    let label = name(difficulty, row);
    let (key, value) = match slug {
        "grouped-column" | "stacked-column" | "percent-column" | "line" | "area" | "combo"
        | "marimekko" | "bump" | "small-multiples" => ("label", json!(label)),
        "likert" => ("question", json!(label)),
        "radar" => ("criterion", json!(label)),
        "time-series" if difficulty == Difficulty::Gaps && row % 4 == 3 => {
            ("date", json!("not yet known"))
        }
        "time-series" => ("date", json!(start_day(row))),
        _ => return None,
    };
    let mut record = Map::new();
    record.insert(key.to_owned(), value);
    for (column, series) in SERIES.iter().take(difficulty.series_count()).enumerate() {
        record.insert((*series).to_owned(), difficulty.cell(row, column));
    }
    Some(Value::Object(record))
}

/// Returns a record with a fixed number of columns of numbers. None for other kinds.
fn record_of_numbers(slug: &str, difficulty: Difficulty, row: usize) -> Option<Value> {
    let cell = |column: usize| difficulty.cell(row, column);
    let label = name(difficulty, row);
    let group = format!("Region {}", row % 4 + 1);
    let is_gap = difficulty == Difficulty::Gaps && row % 4 == 1;
    Some(match slug {
        "bar" | "lollipop" | "pie" | "donut" | "half-donut" | "funnel" | "radial-bar"
        | "waffle" | "pictogram" | "word-cloud" | "waterfall" | "gauge" | "scorecard"
        | "pareto" => {
            json!({"label": label, "value": cell(0)})
        }
        "treemap" | "sunburst" => json!({"label": label, "parent": group, "value": cell(0)}),
        "parliament" => json!({"label": label, "seats": cell(0)}),
        "bullet" => json!({"label": label, "value": cell(0), "target": cell(1)}),
        "butterfly" | "population-pyramid" => {
            json!({"label": label, "left": cell(0), "right": cell(1)})
        }
        "tornado" => json!({"label": label, "low": cell(0), "high": cell(1)}),
        "slope" | "dumbbell" => json!({"label": label, "before": cell(0), "after": cell(1)}),
        "bar-mekko" => json!({"label": label, "value": cell(0), "width": cell(1)}),
        "variance" => json!({"label": label, "actual": cell(0), "plan": cell(1)}),
        "heat-map" => {
            json!({"row": name(difficulty, row / 3), "column": SERIES[row % 3], "value": cell(0)})
        }
        "histogram" => json!({"value": cell(0)}),
        "beeswarm" => json!({"label": label, "group": group, "value": cell(0)}),
        "scatter" | "quadrant" => json!({"label": label, "x": cell(0), "y": cell(1)}),
        "table" => json!({"Organization": label, "Staff": cell(0), "Budget": cell(1)}),
        "sankey" => json!({"source": label, "target": group, "value": cell(0)}),
        "world-map" | "choropleth" => {
            json!({"region": REGIONS[row % REGIONS.len()], "value": cell(0)})
        }
        "point-map" => {
            let (latitude, longitude) = (36 + row * 7 % 23, row * 13 % 40);
            json!({"label": label, "latitude": latitude, "longitude": longitude, "value": cell(0)})
        }
        "box-plot" => {
            let middle = difficulty.number(row, 0);
            let at = |offset: f64| json!(middle + offset * middle.abs() * 0.1);
            let min = if is_gap { json!(null) } else { at(-3.0) };
            json!({"label": label, "min": min, "q1": at(-1.0), "median": at(0.0), "q3": at(1.5),
                   "max": at(4.0)})
        }
        "harvey-balls" => json!({"option": label, "Price": step(row), "Quality": step(row + 2)}),
        "venn" => {
            json!({"sets": [NAMES[row % 3], NAMES[(row + row / 3) % 3]], "value": cell(0)})
        }
        _ => return None,
    })
}

/// Returns a record with a date and columns of numbers. None for other kinds.
fn record_of_dates(slug: &str, difficulty: Difficulty, row: usize) -> Option<Value> {
    let cell = |column: usize| difficulty.cell(row, column);
    let is_gap = difficulty == Difficulty::Gaps && row % 4 == 1;
    Some(match slug {
        "calendar-heat-map" => json!({"date": start_day(row), "value": cell(0)}),
        "projection" => {
            let date = if is_gap { json!("not yet known") } else { json!(start_day(row)) };
            match row {
                0..6 => json!({"date": date, "value": cell(0)}),
                _ => json!({"date": date, "projected": cell(0), "low": cell(1), "high": cell(2)}),
            }
        }
        "burndown" => json!({"date": start_day(row), "planned": cell(0), "actual": cell(1)}),
        "candlestick" => {
            let middle = difficulty.number(row, 0).abs() + 1.0;
            let close = if is_gap { json!("n/a") } else { json!(middle) };
            json!({"date": start_day(row), "open": middle * 0.97, "high": middle * 1.05,
                   "low": middle * 0.9, "close": close})
        }
        _ => return None,
    })
}

/// Returns a record without a column of numbers. None for other kinds.
fn record_of_texts(slug: &str, difficulty: Difficulty, row: usize) -> Option<Value> {
    let label = name(difficulty, row);
    let is_gap = difficulty == Difficulty::Gaps && row % 4 == 1;
    let or_gap = |value: String, gap: &str| if is_gap { gap.to_owned() } else { value };
    Some(match slug {
        "risk-matrix" => {
            let probability = if is_gap { json!("?") } else { step(row) };
            json!({"label": label, "probability": probability, "impact": step(row / 5)})
        }
        "gantt" | "roadmap" => {
            let end = iso_day(row * 9 + 20 + row % 5 * 11);
            json!({"id": format!("t{row}"), "label": label, "start": or_gap(start_day(row), ""),
                   "end": or_gap(end, "to be decided"), "progress": row * 3 % 100,
                   "group": format!("Phase {}", row % 3 + 1),
                   "lane": format!("Team {}", row % 3 + 1)})
        }
        "timeline" => json!({"label": label, "date": or_gap(start_day(row), "soon"),
                             "description": "Decided by the council."}),
        "org-chart" | "mind-map" => {
            let parent = if row == 0 { json!(null) } else { json!(format!("n{}", (row - 1) / 4)) };
            json!({"id": format!("n{row}"), "parent": parent, "label": label})
        }
        "flow-chart" => {
            json!({"id": format!("n{row}"), "label": label, "next": format!("n{}", row + 1)})
        }
        "process" | "cycle" | "pyramid" => {
            json!({"label": label, "description": "Checked twice, then signed."})
        }
        "swot" => {
            let fields = ["strengths", "weaknesses", "opportunities", "threats"];
            json!({"field": fields[row % 4], "text": label})
        }
        _ => return None,
    })
}

/// Returns the first day of a record. The days are not evenly apart.
fn start_day(row: usize) -> String {
    iso_day(row * 9 + row % 3 * 4)
}

/// Returns a step from 1 to 5.
fn step(index: usize) -> Value {
    json!(index % 5 + 1)
}
