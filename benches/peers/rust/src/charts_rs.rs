//! The five works in charts-rs, from JSON documents as its guide writes them.

use charts_rs::{BarChart, GanttChart, LineChart, PieChart, ScatterChart, svg_to_png_with_size};
use serde_json::{Map, Value, json};

use crate::PIXELS;
use crate::Result;
use crate::SIZE;
use crate::SUBTITLE;
use crate::TITLE;

/// A chart, read once: only drawing is timed.
pub enum Chart {
    Bar(BarChart),
    Line(LineChart),
    Pie(PieChart),
    Scatter(ScatterChart),
    Gantt(GanttChart),
}

impl Chart {
    /// As SVG text.
    pub fn svg(&self) -> Result<String> {
        Ok(match self {
            Chart::Bar(it) => it.svg()?,
            Chart::Line(it) => it.svg()?,
            Chart::Pie(it) => it.svg()?,
            Chart::Scatter(it) => it.svg()?,
            Chart::Gantt(it) => it.svg()?,
        })
    }

    /// As PNG bytes, by way of the SVG.
    pub fn png(&self) -> Result<Vec<u8>> {
        Ok(svg_to_png_with_size(&self.svg()?, Some(PIXELS.0), Some(PIXELS.1))?)
    }
}

/// A work with this data.
pub fn chart(name: &str, data: &[Value]) -> Result<Chart> {
    let mut document = json!({ "width": SIZE.0, "height": SIZE.1, "title_text": TITLE,
        "sub_title_text": SUBTITLE, "margin": { "left": 10, "top": 10, "right": 10, "bottom": 10 } });
    let extra = match name {
        "W1" => json!({ "x_axis_data": labels(data), "series_list": series(data, true),
            "series_label_font_size": 10, "legend_margin": { "top": 60, "bottom": 8 } }),
        "W2" => json!({ "x_axis_data": labels(data), "series_list": series(data, false),
            "series_symbol": null, "legend_margin": { "top": 60, "bottom": 8 } }),
        "W3" => json!({ "rose_type": false, "radius": 150, "inner_radius": 0,
            "legend_show": false, "series_list": slices(data) }),
        "W4" => json!({ "series_symbol_sizes": [2], "series_list": points(data) }),
        _ => json!({ "tasks": tasks(data) }),
    };
    let all = document.as_object_mut().ok_or("no object")?;
    all.extend(extra.as_object().cloned().unwrap_or_default());
    let text = document.to_string();
    Ok(match name {
        "W1" => Chart::Bar(BarChart::from_json(&text)?),
        "W2" => Chart::Line(LineChart::from_json(&text)?),
        "W3" => Chart::Pie(PieChart::from_json(&text)?),
        "W4" => Chart::Scatter(ScatterChart::from_json(&text)?),
        _ => Chart::Gantt(GanttChart::from_json(&text)?),
    })
}

fn labels(data: &[Value]) -> Vec<&Value> {
    data.iter().map(|it| &it["label"]).collect()
}

fn series(data: &[Value], labelled: bool) -> Vec<Value> {
    let none = Map::new();
    let first = data.first().and_then(Value::as_object).unwrap_or(&none);
    let column = |key: &String| {
        let values: Vec<&Value> = data.iter().map(|it| &it[key]).collect();
        json!({ "name": key, "data": values, "label_show": labelled })
    };
    first.keys().filter(|it| *it != "label").map(column).collect()
}

fn slices(data: &[Value]) -> Vec<Value> {
    data.iter().map(|it| json!({ "name": it["label"], "data": [it["value"]] })).collect()
}

fn points(data: &[Value]) -> Value {
    let flat: Vec<&Value> = data.iter().flat_map(|it| [&it["x"], &it["y"]]).collect();
    json!([{ "name": "Points", "data": flat }])
}

fn tasks(data: &[Value]) -> Vec<Value> {
    let task = |it: &Value| json!({ "name": it["label"], "start": it["start"], "end": it["end"], "progress": it["progress"] });
    data.iter().map(task).collect()
}
