//! Strategies for random chart documents: arbitrary JSON with keys and values that kinds read, and
//! records and settings that follow the `kind.json` of a kind.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::strategy::BoxedStrategy;
use serde_json::{Map, Value, json};

use chartroom_charts::Kind;

use super::read_json;

/// A random document and the size of its canvas.
#[derive(Debug, Clone)]
pub struct RandomDocument {
    pub title: String,
    pub settings: Value,
    pub data: Vec<Value>,
    pub style: Value,
    pub theme: Value,
    /// Width of the canvas in points.
    pub width: f64,
    /// Height of the canvas in points.
    pub height: f64,
}

const COLUMN_KEYS: [&str; 20] = [
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

const SETTING_KEYS: [&str; 40] = [
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

const STYLE_KEYS: [&str; 11] = [
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

const THEME_KEYS: [&str; 9] = [
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

const NESTED_KEYS: [&str; 24] = [
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

fn number_strategy() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => (-1000.0..1000.0f64).prop_map(Value::from),
        4 => (0..100i64).prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => prop_oneof![Just(1e308), Just(-1e308), Just(1e-308), Just(5e-324), Just(0.0), Just(-0.0)]
            .prop_map(Value::from),
    ]
}

fn text_strategy() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => (0..TEXTS.len()).prop_map(|index| Value::from(TEXTS[index])),
        1 => ".{0,12}".prop_map(Value::from),
        2 => (1990..2040, 1..13, 1..29)
            .prop_map(|(y, m, d)| Value::from(format!("{y}-{m:02}-{d:02}"))),
    ]
}

/// Returns a strategy for null, booleans, numbers and texts.
pub fn leaf_strategy() -> BoxedStrategy<Value> {
    prop_oneof![
        1 => Just(Value::Null),
        2 => any::<bool>().prop_map(Value::from),
        6 => number_strategy(),
        5 => text_strategy(),
    ]
    .boxed()
}

/// Returns a strategy for objects with up to seven of the given keys.
fn object_strategy(keys: &[&str], value: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let keys: Vec<String> = keys.iter().map(|name| (*name).to_owned()).collect();
    vec((0..keys.len(), value), 0..8)
        .prop_map(move |pairs| {
            let pairs = pairs.into_iter().map(|(index, value)| (keys[index].clone(), value));
            Value::Object(pairs.collect::<Map<_, _>>())
        })
        .boxed()
}

/// Returns a strategy for leaves, and for arrays and objects with up to three levels.
fn tree_strategy() -> BoxedStrategy<Value> {
    leaf_strategy()
        .prop_recursive(3, 24, 5, |inner| {
            prop_oneof![
                vec(inner.clone(), 0..5).prop_map(Value::from),
                object_strategy(&NESTED_KEYS, inner.clone()),
                object_strategy(&COLUMN_KEYS, inner),
            ]
        })
        .boxed()
}

/// Returns a strategy for records of a kind: valid, almost valid, with other columns, or arbitrary.
fn record_strategy(description: &Value) -> BoxedStrategy<Value> {
    let loose_value = prop_oneof![12 => leaf_strategy(), 1 => tree_strategy()].boxed();
    let common_record = (
        text_strategy(),
        number_strategy(),
        text_strategy(),
        text_strategy(),
        number_strategy(),
        number_strategy(),
    )
        .prop_map(|(label, value, start, end, x, y)| {
            json!({"label": label, "value": value, "s1": x, "s2": y, "x": x, "y": y,
                   "size": value, "date": start, "start": start, "end": end, "group": end})
        });
    let columns = description["data_columns"].as_array().cloned().unwrap_or_default();
    let own_keys: Vec<String> =
        columns.iter().filter_map(|column| column["key"].as_str().map(str::to_owned)).collect();
    let key_refs: Vec<&str> = own_keys.iter().map(String::as_str).collect();
    let loose_record = object_strategy(&key_refs, loose_value.clone());
    let valid = columns.iter().map(cell_strategy).collect::<Vec<_>>().prop_map(move |cells| {
        own_keys.iter().cloned().zip(cells).filter(|(_, value)| !value.is_null()).collect::<Value>()
    });
    prop_oneof![
        4 => valid,
        2 => common_record,
        2 => loose_record,
        2 => object_strategy(&COLUMN_KEYS, loose_value),
        1 => tree_strategy()
    ]
    .boxed()
}

/// Returns a strategy for values of a column: mostly of its type, sometimes null or of any type.
fn cell_strategy(column: &Value) -> BoxedStrategy<Value> {
    // Few distinct ids, so that references match them.
    let id = (0..9).prop_map(|number| Value::from(format!("n{number}")));
    let valid = match (column["type"].as_str(), column["role"].as_str()) {
        (Some("number"), _) => number_strategy().boxed(),
        (Some("boolean"), _) => any::<bool>().prop_map(Value::from).boxed(),
        (_, Some("id" | "parent" | "link" | "source" | "target")) => id.boxed(),
        (_, Some("label")) => prop_oneof![3 => text_strategy(), 1 => id].boxed(),
        _ => text_strategy().boxed(),
    };
    prop_oneof![10 => valid, 1 => Just(Value::Null), 1 => leaf_strategy()].boxed()
}

/// Returns a strategy for settings of a kind: its own settings with valid or arbitrary values, or
/// other settings.
fn settings_strategy(description: &Value) -> BoxedStrategy<Value> {
    let properties =
        description["settings_schema"]["properties"].as_object().cloned().unwrap_or_default();
    let setting = |(key, schema): (&String, &Value)| {
        let valid_value = match schema["enum"].as_array().cloned() {
            Some(values) => (0..values.len()).prop_map(move |index| values[index].clone()).boxed(),
            None if schema["type"] == "boolean" => any::<bool>().prop_map(Value::from).boxed(),
            None => tree_strategy(),
        };
        let value = prop_oneof![4 => valid_value, 1 => tree_strategy()];
        let key = key.clone();
        prop_oneof![1 => Just(None), 1 => value.prop_map(move |value| Some((key.clone(), value)))]
            .boxed()
    };
    let valid: Vec<_> = properties.iter().map(setting).collect();
    let valid = valid.prop_map(|pairs| pairs.into_iter().flatten().collect::<Value>());
    let other = object_strategy(&SETTING_KEYS, tree_strategy());
    prop_oneof![5 => valid, 4 => other, 1 => tree_strategy()].boxed()
}

/// Returns a strategy for documents of a kind. Each side of the canvas is from 1 to 2,000 points.
pub fn document_strategy(kind: &Kind) -> impl Strategy<Value = RandomDocument> {
    let description = read_json(&format!("assets/kinds/{}/kind.json", kind.slug));
    let title = text_strategy().prop_map(|title| title.as_str().unwrap_or_default().to_owned());
    let style =
        prop_oneof![9 => object_strategy(&STYLE_KEYS, tree_strategy()), 1 => tree_strategy()];
    let theme =
        prop_oneof![9 => object_strategy(&THEME_KEYS, tree_strategy()), 1 => tree_strategy()];
    let record = record_strategy(&description);
    let data = prop_oneof![8 => vec(record.clone(), 0..14), 1 => vec(record, 60..90)];
    let side = || prop_oneof![4 => 200.0..1000.0f64, 1 => 1.0..200.0f64, 1 => 1000.0..2000.0f64];
    (title, settings_strategy(&description), data, style, theme, side(), side()).prop_map(
        |(title, settings, data, style, theme, width, height)| RandomDocument {
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
