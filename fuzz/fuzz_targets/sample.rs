//! Creates documents from fuzzer input: the sample of a kind with changed settings, cells, records,
//! style, theme and canvas.

use std::fs;
use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

/// Description of a kind, and its sample.
struct KindSample {
    slug: &'static str,
    /// Content of `kind.json`.
    kind: Value,
    /// Content of `sample.json`.
    sample: Value,
}

static KINDS: LazyLock<Vec<KindSample>> = LazyLock::new(|| {
    let read = |slug: &str, file: &str| {
        let path = format!("{}/../assets/kinds/{slug}/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(&path).expect("the assets are there");
        serde_json::from_str(&text).expect("an asset is JSON")
    };
    let about = |kind: &chartroom_charts::Kind| KindSample {
        slug: kind.slug,
        kind: read(kind.slug, "kind.json"),
        sample: read(kind.slug, "sample.json"),
    };
    chartroom_charts::kinds().iter().map(about).collect()
});

/// Texts that some setting or column accepts, and texts that none accepts.
const TEXTS: [&str; 22] = [
    "",
    " ",
    "auto",
    "none",
    "NaN",
    "-inf",
    "1e309",
    "12,5 %",
    "2024-02-29",
    "2024-02-30T25:00",
    "9999-12-31",
    "-0001-01-01",
    "#12345678",
    "color(display-p3 1 NaN 0)",
    "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen",
    "a name of many short words that does not fit beside anything in a small picture",
    "مرحبا بالعالم",
    "日本語のとても長い名前",
    "👩‍👩‍👧 e\u{301}\u{ad}",
    "\u{0}\u{1b}\u{fffe}\u{202e}",
    "line\nbreak\ttab",
    "</title><script>&",
];

const NUMBERS: [f64; 14] =
    [0.0, -0.0, 1.0, -1.0, 0.5, 100.0, 1e-9, 5e-324, 1e15, -1e15, 1e308, -1e308, 4096.0, 31.4159];

/// Creates a document from any bytes. Empty input gives the sample of the first kind.
pub fn create_document(bytes: &[u8]) -> Value {
    let mut input = Unstructured::new(bytes);
    let kind_index = usize::from(input.arbitrary::<u8>().unwrap_or_default()) % KINDS.len();
    let kind_sample = &KINDS[kind_index];
    let mut document = kind_sample.sample.clone();
    document["kind"] = json!(kind_sample.slug);
    // The end of the input leaves the rest of the sample unchanged.
    let _ = apply_changes(&mut document, kind_sample, &mut input);
    document
}

/// Changes the document until the input is used up.
fn apply_changes(
    document: &mut Value,
    kind_sample: &KindSample,
    input: &mut Unstructured,
) -> Result<()> {
    while !input.is_empty() {
        match input.int_in_range(0..=9)? {
            0..=2 => change_setting(document, kind_sample, input)?,
            3..=5 => change_cell(document, kind_sample, input)?,
            6 => change_records(document, input)?,
            7 => change_style(document, input)?,
            8 => {
                document["width"] = json!(input.int_in_range(0..=2100u32)?);
                document["height"] = json!(input.int_in_range(0..=2100u32)?);
            }
            _ => change_theme(document, input)?,
        }
    }
    Ok(())
}

/// Sets one setting of the kind, mostly to a valid value.
fn change_setting(
    document: &mut Value,
    kind_sample: &KindSample,
    input: &mut Unstructured,
) -> Result<()> {
    let Some(properties) = kind_sample.kind["settings_schema"]["properties"].as_object() else {
        return Ok(());
    };
    let index = input.choose_index(properties.len().max(1))?;
    let Some((key, schema)) = properties.iter().nth(index) else { return Ok(()) };
    let value = match (&schema["enum"], &schema["type"]) {
        (Value::Array(words), _) if input.ratio(3, 4)? => input.choose(words)?.clone(),
        (_, Value::String(kind)) if kind == "boolean" && input.ratio(3, 4)? => {
            json!(input.arbitrary::<bool>()?)
        }
        _ => random_value(input, 2)?,
    };
    set_field(&mut document["settings"], key, value);
    Ok(())
}

/// Sets one cell of one record.
fn change_cell(
    document: &mut Value,
    kind_sample: &KindSample,
    input: &mut Unstructured,
) -> Result<()> {
    let columns = kind_sample.kind["data_columns"].as_array().map_or(&[][..], Vec::as_slice);
    let Some(data) = document["data"].as_array_mut() else { return Ok(()) };
    if data.is_empty() {
        return Ok(());
    }
    let row = input.choose_index(data.len())?;
    let record_keys: Vec<String> =
        data[row].as_object().into_iter().flat_map(Map::keys).cloned().collect();
    let column_keys = columns.iter().filter_map(|column| column["key"].as_str().map(str::to_owned));
    let keys: Vec<String> = record_keys.into_iter().chain(column_keys).collect();
    let key = input.choose(&keys)?;
    // Often copies a value of another record, so that references to ids match.
    let chosen = match input.int_in_range(0..=3)? {
        0 => data[input.choose_index(data.len())?].get(input.choose(&keys)?).cloned(),
        1 => Some(json!(input.arbitrary::<i32>()? as f64 / 100.0)),
        _ => None,
    };
    let value = chosen.map_or_else(|| random_value(input, 1), Ok)?;
    set_field(&mut data[row], key, value);
    Ok(())
}

/// Sets a field. Replaces a value that is not an object by an empty object first.
fn set_field(object: &mut Value, key: &str, value: Value) {
    if !object.is_object() {
        *object = json!({});
    }
    object[key] = value;
}

/// Removes, adds or repeats records. A repetition multiplies them by up to 1,024, optionally with
/// distinct numbers and texts.
fn change_records(document: &mut Value, input: &mut Unstructured) -> Result<()> {
    let Some(data) = document["data"].as_array_mut() else { return Ok(()) };
    match input.int_in_range(0..=4)? {
        0 if !data.is_empty() => data.truncate(input.choose_index(data.len())?),
        1 => data.push(random_value(input, 2)?),
        2 if !data.is_empty() => drop(data.swap_remove(input.choose_index(data.len())?)),
        _ if !data.is_empty() && data.len() < 100 => {
            let exponent = input.int_in_range(1..=10u32)?;
            let originals = std::mem::take(data);
            let make_distinct = input.arbitrary::<bool>()?;
            data.extend((0..originals.len() << exponent).map(|index| {
                let mut record = originals[index % originals.len()].clone();
                let cells = record.as_object_mut().into_iter().flat_map(Map::values_mut);
                for value in cells.filter(|_| make_distinct && index >= originals.len()) {
                    match value {
                        Value::Number(number) => {
                            *value = json!(number.as_f64().unwrap_or(0.0) + index as f64)
                        }
                        Value::String(text) if !text.contains('-') => {
                            text.push_str(&format!(" {index}"))
                        }
                        _ => {}
                    }
                }
                record
            }));
        }
        _ => {}
    }
    Ok(())
}

/// Sets one field of the style, and sometimes a margin.
fn change_style(document: &mut Value, input: &mut Unstructured) -> Result<()> {
    let keys = ["no_title", "no_branding", "no_footnote", "subtitle", "footer", "annotations"];
    let key = *input.choose(&keys)?;
    let value = match key {
        "annotations" => {
            let kinds = ["text", "line", "rect", "arrow", "circle", "note"];
            let mut annotation =
                json!({ "type": input.choose(&kinds)?, "text": input.choose(&TEXTS)? });
            for key in ["x", "y", "x2", "y2", "width", "height", "size"] {
                if input.arbitrary()? {
                    annotation[key] = random_value(input, 0)?;
                }
            }
            json!([annotation])
        }
        _ => random_value(input, 0)?,
    };
    set_field(&mut document["style"], key, value);
    if input.ratio(1, 4)? {
        let side = *input.choose(&["top", "right", "bottom", "left"])?;
        let margin = json!({ side: input.int_in_range(0..=600u32)? });
        set_field(&mut document["style"], "margin", margin);
    }
    Ok(())
}

/// Sets one color of the theme, the locale and the title.
fn change_theme(document: &mut Value, input: &mut Unstructured) -> Result<()> {
    let keys = ["colors", "highlight_color", "text_color", "grid_color", "background_color"];
    let color = json!(format!("#{:06x}", input.int_in_range(0..=0xff_ffffu32)?));
    let key = *input.choose(&keys)?;
    let value = if key == "colors" { json!([color]) } else { color };
    set_field(&mut document["theme"], key, value);
    document["locale"] = json!(*input.choose(&["en", "de", "fr", "ar", "hi", "xx"])?);
    document["title"] = json!(*input.choose(&TEXTS)?);
    Ok(())
}

/// Returns any JSON value with at most `depth` levels of nesting.
fn random_value(input: &mut Unstructured, depth: u32) -> Result<Value> {
    Ok(match input.int_in_range(0..=if depth > 0 { 7 } else { 5 })? {
        0 => Value::Null,
        1 => json!(input.arbitrary::<bool>()?),
        2 => json!(*input.choose(&NUMBERS)?),
        3 => json!(input.arbitrary::<i16>()?),
        4 => json!(*input.choose(&TEXTS)?),
        5 => json!(input.arbitrary::<f64>()?),
        6 => {
            let count = input.int_in_range(0..=3u32)?;
            Value::from(
                (0..count).map(|_| random_value(input, depth - 1)).collect::<Result<Vec<_>>>()?,
            )
        }
        _ => {
            const KEYS: [&str; 8] =
                ["min", "max", "title", "decimals", "prefix", "dateFormat", "color", "value"];
            let mut object = Map::new();
            for _ in 0..input.int_in_range(0..=3u32)? {
                object.insert((*input.choose(&KEYS)?).to_owned(), random_value(input, depth - 1)?);
            }
            Value::Object(object)
        }
    })
}
