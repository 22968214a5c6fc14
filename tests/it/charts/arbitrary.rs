//! Random chart documents: any JSON at all, but with the words that kinds look for, and those of a
//! kind's own columns and settings by what its `kind.json` says.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::strategy::BoxedStrategy;
use serde_json::{Map, Value, json};

use chartroom_charts::Kind;

use super::read_json;

/// A random document and the canvas it is to be drawn on.
#[derive(Debug, Clone)]
pub struct Document {
    pub title: String,
    pub settings: Value,
    pub data: Vec<Value>,
    pub style: Value,
    pub theme: Value,
    pub width: f64,
    pub height: f64,
}

const COLUMNS: [&str; 20] = [
    "label",
    "value",
    "highlighted",
    "s1",
    "s2",
    "date",
    "x",
    "y",
    "size",
    "group",
    "id",
    "start",
    "end",
    "progress",
    "milestone",
    "dependsOn",
    "isTotal",
    "color",
    "",
    "__proto__",
];

const SETTINGS: [&str; 40] = [
    "orientation",
    "benchmark",
    "benchmarkTitle",
    "sort",
    "sortBy",
    "showValues",
    "showLegend",
    "showGrid",
    "axis",
    "xAxis",
    "series",
    "mode",
    "rulesets",
    "interpolation",
    "showPoints",
    "area",
    "stacked",
    "percent",
    "otherAfter",
    "startAngle",
    "innerRadius",
    "centerLabel",
    "centerValue",
    "showTotal",
    "showPercentages",
    "showConnectors",
    "positiveColor",
    "negativeColor",
    "totalColor",
    "xTitle",
    "yTitle",
    "trendLine",
    "quadrants",
    "showLabels",
    "unit",
    "showToday",
    "showDependencies",
    "workingDays",
    "columns",
    "locale",
];

const STYLE: [&str; 11] = [
    "no_title",
    "no_branding",
    "no_footnote",
    "subtitle",
    "footer",
    "description",
    "annotations",
    "custom_colors",
    "width",
    "height",
    "margin",
];

const THEME: [&str; 9] = [
    "colors",
    "highlight_color",
    "text_color",
    "axis_color",
    "grid_color",
    "background_color",
    "background_svg",
    "fonts",
    "logo",
];

const INNER: [&str; 24] = [
    "min",
    "max",
    "title",
    "titles",
    "key",
    "color",
    "displayAsPercentage",
    "decimals",
    "prefix",
    "suffix",
    "thousandsSeparator",
    "dateFormat",
    "align",
    "bar",
    "x",
    "y",
    "type",
    "position",
    "size",
    "text",
    "top",
    "left",
    "family",
    "weight",
];

const TEXTS: [&str; 36] = [
    "",
    " ",
    "a",
    "North",
    "NaN",
    "inf",
    "-Infinity",
    "1e309",
    "12",
    "-3,5",
    "2024-02-29",
    "2024-02-30",
    "2024-01-01T10:00:00Z",
    "9999-12-31",
    "-9999-01-01",
    "12:00",
    "horizontal",
    "vertical",
    "stacked",
    "percent",
    "smooth",
    "step",
    "desc",
    "auto",
    "quarter",
    "#fff",
    "rgb(1,2,3)",
    "url(#x)",
    "<b>bold</b> & \"quoted\"",
    "\u{0}\u{1b}\u{fffe}",
    "مرحبا بالعالم",
    "日本語のとても長い名前",
    "👩‍👩‍👧 e\u{301}",
    "line\nbreak\ttab",
    "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen",
    "</title><script>",
];

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => (-1000.0..1000.0f64).prop_map(Value::from),
        4 => (0..100i64).prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => prop_oneof![Just(1e308), Just(-1e308), Just(1e-308), Just(5e-324), Just(0.0), Just(-0.0)]
            .prop_map(Value::from),
    ]
}

fn text() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => (0..TEXTS.len()).prop_map(|it| Value::from(TEXTS[it])),
        1 => ".{0,12}".prop_map(Value::from),
        2 => (1990..2040, 1..13, 1..29)
            .prop_map(|(y, m, d)| Value::from(format!("{y}-{m:02}-{d:02}"))),
    ]
}

pub fn leaf() -> BoxedStrategy<Value> {
    prop_oneof![
        1 => Just(Value::Null),
        2 => any::<bool>().prop_map(Value::from),
        6 => number(),
        5 => text(),
    ]
    .boxed()
}

fn object(names: &[&str], value: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let names: Vec<String> = names.iter().map(|it| (*it).to_owned()).collect();
    vec((0..names.len(), value), 0..8)
        .prop_map(move |pairs| {
            let pairs = pairs.into_iter().map(|(it, value)| (names[it].clone(), value));
            Value::Object(pairs.collect::<Map<_, _>>())
        })
        .boxed()
}

/// A leaf, or arrays and objects up to three deep.
fn tree() -> BoxedStrategy<Value> {
    leaf()
        .prop_recursive(3, 24, 5, |inner| {
            prop_oneof![
                vec(inner.clone(), 0..5).prop_map(Value::from),
                object(&INNER, inner.clone()),
                object(&COLUMNS, inner),
            ]
        })
        .boxed()
}

/// A record of a kind: its own columns as they should be or nearly so, or any others.
fn record(about: &Value) -> BoxedStrategy<Value> {
    let near = prop_oneof![12 => leaf(), 1 => tree()].boxed();
    let full = (text(), number(), text(), text(), number(), number()).prop_map(
        |(label, value, start, end, x, y)| {
            json!({"label": label, "value": value, "s1": x, "s2": y, "x": x, "y": y,
                   "size": value, "date": start, "start": start, "end": end, "group": end})
        },
    );
    let columns = about["data_columns"].as_array().cloned().unwrap_or_default();
    let own: Vec<String> =
        columns.iter().filter_map(|it| it["key"].as_str().map(str::to_owned)).collect();
    let names: Vec<&str> = own.iter().map(String::as_str).collect();
    let near_own = object(&names, near.clone());
    let sound = columns.iter().map(cell).collect::<Vec<_>>().prop_map(move |cells| {
        own.iter().cloned().zip(cells).filter(|(_, it)| !it.is_null()).collect::<Value>()
    });
    prop_oneof![
        4 => sound,
        2 => full,
        2 => near_own,
        2 => object(&COLUMNS, near),
        1 => tree()
    ]
    .boxed()
}

/// A value for a column: mostly of its type, sometimes none, sometimes another one's.
fn cell(column: &Value) -> BoxedStrategy<Value> {
    // Few ids, so that parents and links find theirs.
    let id = (0..9).prop_map(|it| Value::from(format!("n{it}")));
    let sound = match (column["type"].as_str(), column["role"].as_str()) {
        (Some("number"), _) => number().boxed(),
        (Some("boolean"), _) => any::<bool>().prop_map(Value::from).boxed(),
        (_, Some("id" | "parent" | "link" | "source" | "target")) => id.boxed(),
        (_, Some("label")) => prop_oneof![3 => text(), 1 => id].boxed(),
        _ => text().boxed(),
    };
    prop_oneof![10 => sound, 1 => Just(Value::Null), 1 => leaf()].boxed()
}

/// Settings of a kind: its own with values that its schema knows or any, or any others.
fn settings(about: &Value) -> BoxedStrategy<Value> {
    let own = about["settings_schema"]["properties"].as_object().cloned().unwrap_or_default();
    let one = |(key, schema): (&String, &Value)| {
        let known = match schema["enum"].as_array().cloned() {
            Some(words) => (0..words.len()).prop_map(move |it| words[it].clone()).boxed(),
            None if schema["type"] == "boolean" => any::<bool>().prop_map(Value::from).boxed(),
            None => tree(),
        };
        let value = prop_oneof![4 => known, 1 => tree()];
        let key = key.clone();
        prop_oneof![1 => Just(None), 1 => value.prop_map(move |it| Some((key.clone(), it)))].boxed()
    };
    let sound: Vec<_> = own.iter().map(one).collect();
    let sound = sound.prop_map(|all| all.into_iter().flatten().collect::<Value>());
    prop_oneof![5 => sound, 4 => object(&SETTINGS, tree()), 1 => tree()].boxed()
}

/// Any document of a kind; the canvas is from 1 to 2,000 points a side.
pub fn document(kind: &Kind) -> impl Strategy<Value = Document> {
    let about = read_json(&format!("assets/kinds/{}/kind.json", kind.slug));
    let title = text().prop_map(|it| it.as_str().unwrap_or_default().to_owned());
    let style = prop_oneof![9 => object(&STYLE, tree()), 1 => tree()];
    let theme = prop_oneof![9 => object(&THEME, tree()), 1 => tree()];
    let record = record(&about);
    let data = prop_oneof![8 => vec(record.clone(), 0..14), 1 => vec(record, 60..90)];
    let side = || prop_oneof![4 => 200.0..1000.0f64, 1 => 1.0..200.0f64, 1 => 1000.0..2000.0f64];
    (title, settings(&about), data, style, theme, side(), side()).prop_map(
        |(title, settings, data, style, theme, width, height)| Document {
            title,
            settings,
            data,
            style,
            theme,
            width,
            height,
        },
    )
}
