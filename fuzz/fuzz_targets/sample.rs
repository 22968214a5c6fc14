//! The sample of a kind, changed where the bytes say so: settings, cells, records, style and canvas.

use std::fs;
use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

/// Description of a kind, and its sample.
struct About {
    slug: &'static str,
    kind: Value,
    sample: Value,
}

static KINDS: LazyLock<Vec<About>> = LazyLock::new(|| {
    let read = |slug: &str, file: &str| {
        let path = format!("{}/../assets/kinds/{slug}/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(&path).expect("the assets are there");
        serde_json::from_str(&text).expect("an asset is JSON")
    };
    let about = |kind: &chartroom_charts::Kind| About {
        slug: kind.slug,
        kind: read(kind.slug, "kind.json"),
        sample: read(kind.slug, "sample.json"),
    };
    chartroom_charts::kinds().iter().map(about).collect()
});

/// Words that are something to some setting or column, or nothing to any.
const WORDS: [&str; 22] = [
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

/// Any bytes give a document; no bytes give the sample of the first kind.
pub fn changed(bytes: &[u8]) -> Value {
    let mut from = Unstructured::new(bytes);
    let place = usize::from(from.arbitrary::<u8>().unwrap_or_default()) % KINDS.len();
    let about = &KINDS[place];
    let mut document = about.sample.clone();
    document["kind"] = json!(about.slug);
    // Bytes that come to an end leave the rest of the sample as it is.
    let _ = change(&mut document, about, &mut from);
    document
}

fn change(document: &mut Value, about: &About, from: &mut Unstructured) -> Result<()> {
    while !from.is_empty() {
        match from.int_in_range(0..=9)? {
            0..=2 => setting(document, about, from)?,
            3..=5 => cell(document, about, from)?,
            6 => records(document, from)?,
            7 => style(document, from)?,
            8 => {
                document["width"] = json!(from.int_in_range(0..=2100u32)?);
                document["height"] = json!(from.int_in_range(0..=2100u32)?);
            }
            _ => theme(document, from)?,
        }
    }
    Ok(())
}

fn setting(document: &mut Value, about: &About, from: &mut Unstructured) -> Result<()> {
    let Some(all) = about.kind["settings_schema"]["properties"].as_object() else { return Ok(()) };
    let at = from.choose_index(all.len().max(1))?;
    let Some((key, schema)) = all.iter().nth(at) else { return Ok(()) };
    let value = match (&schema["enum"], &schema["type"]) {
        (Value::Array(words), _) if from.ratio(3, 4)? => from.choose(words)?.clone(),
        (_, Value::String(kind)) if kind == "boolean" && from.ratio(3, 4)? => {
            json!(from.arbitrary::<bool>()?)
        }
        _ => value(from, 2)?,
    };
    put(&mut document["settings"], key, value);
    Ok(())
}

fn cell(document: &mut Value, about: &About, from: &mut Unstructured) -> Result<()> {
    let columns = about.kind["data_columns"].as_array().map_or(&[][..], Vec::as_slice);
    let Some(data) = document["data"].as_array_mut() else { return Ok(()) };
    if data.is_empty() {
        return Ok(());
    }
    let row = from.choose_index(data.len())?;
    let own: Vec<String> = data[row].as_object().into_iter().flat_map(Map::keys).cloned().collect();
    let named = columns.iter().filter_map(|it| it["key"].as_str().map(str::to_owned));
    let keys: Vec<String> = own.into_iter().chain(named).collect();
    let key = from.choose(&keys)?;
    // Often what another record has, so that ids and parents meet.
    let taken = match from.int_in_range(0..=3)? {
        0 => data[from.choose_index(data.len())?].get(from.choose(&keys)?).cloned(),
        1 => Some(json!(from.arbitrary::<i32>()? as f64 / 100.0)),
        _ => None,
    };
    let value = taken.map_or_else(|| value(from, 1), Ok)?;
    put(&mut data[row], key, value);
    Ok(())
}

fn put(object: &mut Value, key: &str, value: Value) {
    if !object.is_object() {
        *object = json!({});
    }
    object[key] = value;
}

/// Fewer records, or the same ones up to 100,000 times with numbers that go on.
fn records(document: &mut Value, from: &mut Unstructured) -> Result<()> {
    let Some(data) = document["data"].as_array_mut() else { return Ok(()) };
    match from.int_in_range(0..=4)? {
        0 if !data.is_empty() => data.truncate(from.choose_index(data.len())?),
        1 => data.push(value(from, 2)?),
        2 if !data.is_empty() => drop(data.swap_remove(from.choose_index(data.len())?)),
        _ if !data.is_empty() && data.len() < 100 => {
            let exponent = from.int_in_range(1..=10u32)?;
            let few = std::mem::take(data);
            let apart = from.arbitrary::<bool>()?;
            data.extend((0..few.len() << exponent).map(|at| {
                let mut record = few[at % few.len()].clone();
                let cells = record.as_object_mut().into_iter().flat_map(Map::values_mut);
                for value in cells.filter(|_| apart && at >= few.len()) {
                    match value {
                        Value::Number(it) => *value = json!(it.as_f64().unwrap_or(0.0) + at as f64),
                        Value::String(it) if !it.contains('-') => it.push_str(&format!(" {at}")),
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

fn style(document: &mut Value, from: &mut Unstructured) -> Result<()> {
    let keys = ["no_title", "no_branding", "no_footnote", "subtitle", "footer", "annotations"];
    let key = *from.choose(&keys)?;
    let value = match key {
        "annotations" => {
            let kinds = ["text", "line", "rect", "arrow", "circle", "note"];
            let mut annotation =
                json!({ "type": from.choose(&kinds)?, "text": from.choose(&WORDS)? });
            for key in ["x", "y", "x2", "y2", "width", "height", "size"] {
                if from.arbitrary()? {
                    annotation[key] = value(from, 0)?;
                }
            }
            json!([annotation])
        }
        _ => value(from, 0)?,
    };
    put(&mut document["style"], key, value);
    if from.ratio(1, 4)? {
        let side = *from.choose(&["top", "right", "bottom", "left"])?;
        let margin = json!({ side: from.int_in_range(0..=600u32)? });
        put(&mut document["style"], "margin", margin);
    }
    Ok(())
}

fn theme(document: &mut Value, from: &mut Unstructured) -> Result<()> {
    let keys = ["colors", "highlight_color", "text_color", "grid_color", "background_color"];
    let color = json!(format!("#{:06x}", from.int_in_range(0..=0xff_ffffu32)?));
    let key = *from.choose(&keys)?;
    let value = if key == "colors" { json!([color]) } else { color };
    put(&mut document["theme"], key, value);
    document["locale"] = json!(*from.choose(&["en", "de", "fr", "ar", "hi", "xx"])?);
    document["title"] = json!(*from.choose(&WORDS)?);
    Ok(())
}

/// Any JSON, so deep at most.
fn value(from: &mut Unstructured, depth: u32) -> Result<Value> {
    Ok(match from.int_in_range(0..=if depth > 0 { 7 } else { 5 })? {
        0 => Value::Null,
        1 => json!(from.arbitrary::<bool>()?),
        2 => json!(*from.choose(&NUMBERS)?),
        3 => json!(from.arbitrary::<i16>()?),
        4 => json!(*from.choose(&WORDS)?),
        5 => json!(from.arbitrary::<f64>()?),
        6 => {
            let count = from.int_in_range(0..=3u32)?;
            Value::from((0..count).map(|_| value(from, depth - 1)).collect::<Result<Vec<_>>>()?)
        }
        _ => {
            const KEYS: [&str; 8] =
                ["min", "max", "title", "decimals", "prefix", "dateFormat", "color", "value"];
            let mut object = Map::new();
            for _ in 0..from.int_in_range(0..=3u32)? {
                object.insert((*from.choose(&KEYS)?).to_owned(), value(from, depth - 1)?);
            }
            Value::Object(object)
        }
    })
}
