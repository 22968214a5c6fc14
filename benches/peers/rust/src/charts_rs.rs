//! The five workloads in charts-rs, created from JSON documents as in its guide.

use charts_rs::{BarChart, GanttChart, LineChart, PieChart, ScatterChart, svg_to_png_with_size};
use serde_json::{Map, Value, json};

use crate::PIXELS;
use crate::Result;
use crate::SIZE;
use crate::SUBTITLE;
use crate::TITLE;

/// A parsed chart. Only rendering is timed.
pub enum Chart {
    Bar(BarChart),
    Line(LineChart),
    Pie(PieChart),
    Scatter(ScatterChart),
    Gantt(GanttChart),
}

impl Chart {
    /// Renders the chart as SVG text.
    pub fn render_svg(&self) -> Result<String> {
        Ok(match self {
            Chart::Bar(chart) => chart.svg()?,
            Chart::Line(chart) => chart.svg()?,
            Chart::Pie(chart) => chart.svg()?,
            Chart::Scatter(chart) => chart.svg()?,
            Chart::Gantt(chart) => chart.svg()?,
        })
    }

    /// Renders the chart as PNG bytes, from its SVG.
    pub fn render_png(&self) -> Result<Vec<u8>> {
        Ok(svg_to_png_with_size(&self.render_svg()?, Some(PIXELS.0), Some(PIXELS.1))?)
    }
}

/// Creates the chart of a workload (`W1` to `W5`) with its records.
pub fn create_chart(name: &str, data: &[Value]) -> Result<Chart> {
    let mut document = json!({ "width": SIZE.0, "height": SIZE.1, "title_text": TITLE,
        "sub_title_text": SUBTITLE, "margin": { "left": 10, "top": 10, "right": 10, "bottom": 10 } });
    let extra = match name {
        "W1" => {
            json!({ "x_axis_data": collect_labels(data), "series_list": collect_series(data, true),
            "series_label_font_size": 10, "legend_margin": { "top": 60, "bottom": 8 } })
        }
        "W2" => {
            json!({ "x_axis_data": collect_labels(data), "series_list": collect_series(data, false),
            "series_symbol": null, "legend_margin": { "top": 60, "bottom": 8 } })
        }
        "W3" => json!({ "rose_type": false, "radius": 150, "inner_radius": 0,
            "legend_show": false, "series_list": collect_slices(data) }),
        "W4" => json!({ "series_symbol_sizes": [2], "series_list": collect_points(data) }),
        _ => json!({ "tasks": collect_tasks(data) }),
    };
    let fields = document.as_object_mut().ok_or("no object")?;
    fields.extend(extra.as_object().cloned().unwrap_or_default());
    let text = document.to_string();
    Ok(match name {
        "W1" => Chart::Bar(BarChart::from_json(&text)?),
        "W2" => Chart::Line(LineChart::from_json(&text)?),
        "W3" => Chart::Pie(PieChart::from_json(&text)?),
        "W4" => Chart::Scatter(ScatterChart::from_json(&text)?),
        _ => Chart::Gantt(GanttChart::from_json(&text)?),
    })
}

fn collect_labels(data: &[Value]) -> Vec<&Value> {
    data.iter().map(|record| &record["label"]).collect()
}

fn collect_series(data: &[Value], show_labels: bool) -> Vec<Value> {
    let none = Map::new();
    let first = data.first().and_then(Value::as_object).unwrap_or(&none);
    let column = |key: &String| {
        let values: Vec<&Value> = data.iter().map(|record| &record[key]).collect();
        json!({ "name": key, "data": values, "label_show": show_labels })
    };
    first.keys().filter(|key| *key != "label").map(column).collect()
}

fn collect_slices(data: &[Value]) -> Vec<Value> {
    data.iter()
        .map(|record| json!({ "name": record["label"], "data": [record["value"]] }))
        .collect()
}

fn collect_points(data: &[Value]) -> Value {
    let coordinates: Vec<&Value> =
        data.iter().flat_map(|record| [&record["x"], &record["y"]]).collect();
    json!([{ "name": "Points", "data": coordinates }])
}

fn collect_tasks(data: &[Value]) -> Vec<Value> {
    let task = |record: &Value| {
        json!({ "name": record["label"], "start": record["start"],
        "end": record["end"], "progress": record["progress"] })
    };
    data.iter().map(task).collect()
}
