//! Five typical charts without randomness, W1 to W5, at 800 x 500 points.
//!
//! Shared by the benchmark `charts` and by `examples/chart_times.rs`, which
//! `benches/peers/charts.py` compares with other libraries.

use chartroom_charts::{Chart, Locale, Style, Theme};
use serde_json::{Value, json};

/// A chart document with data from a fixed sequence.
pub struct Workload {
    /// Name such as `W1`.
    pub name: &'static str,
    /// Slug of the chart kind.
    pub kind: &'static str,
    settings: Value,
    /// Records.
    pub data: Vec<Value>,
    theme: Theme,
    style: Style,
    /// Width of the canvas in points.
    pub width: f64,
    /// Height of the canvas in points.
    pub height: f64,
}

/// Returns the next number of a fixed pseudo-random sequence, at least 0 and below 1 (Knuth's MMIX
/// constants).
fn next_random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 40) as f64 / (1u64 << 24) as f64
}

/// Creates a workload with the default theme on a canvas of 800 x 500 points.
fn create_workload(name: &'static str, kind: &'static str, data: Vec<Value>) -> Workload {
    let style = json!({"subtitle": "Measure and unit", "footer": "Source: sample figures"});
    Workload {
        name,
        kind,
        settings: json!({}),
        data,
        theme: Theme::default(),
        style: Style::parse(&style),
        width: 800.0,
        height: 500.0,
    }
}

/// Creates twelve records with five series of values from 60 to 200.
fn create_bar_records(seed: &mut u64) -> Vec<Value> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let record = |month: &&str| {
        let mut value = || (next_random(seed) * 140.0 + 60.0).round();
        json!({"label": month, "North": value(), "South": value(), "East": value(),
            "West": value(), "Online": value()})
    };
    MONTHS.iter().map(record).collect()
}

/// Creates a thousand records with three random walks.
fn create_line_records(seed: &mut u64) -> Vec<Value> {
    let mut current_values = [100.0, 120.0, 140.0];
    let record = |index: u32| {
        for value in &mut current_values {
            *value += next_random(seed) * 4.0 - 2.0;
        }
        let round = |value: f64| (value * 100.0).round() / 100.0;
        let [alpha, beta, gamma] = current_values.map(round);
        json!({"label": index.to_string(), "Alpha": alpha, "Beta": beta, "Gamma": gamma})
    };
    (0..1000).map(record).collect()
}

/// Creates twelve records with one value each.
fn create_slice_records(seed: &mut u64) -> Vec<Value> {
    let record = |index: u32| {
        let value = (next_random(seed) * 90.0 + 10.0).round();
        json!({"label": format!("Slice {index}"), "value": value})
    };
    (1..=12).map(record).collect()
}

/// Creates ten thousand points with approximately normal distribution.
fn create_point_records(seed: &mut u64) -> Vec<Value> {
    let mut normal_deviate = || (0..6).map(|_| next_random(seed)).sum::<f64>() - 3.0;
    (0..10_000)
        .map(|_| {
            let x = normal_deviate();
            json!({"x": x, "y": x * 0.6 + normal_deviate()})
        })
        .collect()
}

/// Creates sixty tasks with dates and progress.
fn create_task_records(seed: &mut u64) -> Vec<Value> {
    let record = |index: u32| {
        let start = f64::from(index) * 5.0 + next_random(seed) * 20.0;
        let end = start + 5.0 + next_random(seed) * 40.0;
        let date = |days: f64| {
            let civil_date =
                chartroom_charts::format::date::to_civil((19_723.0 + days.floor()) * 86_400.0);
            format!("{:04}-{:02}-{:02}", civil_date.year, civil_date.month, civil_date.day)
        };
        json!({"id": format!("t{index}"), "label": format!("Task {index}"),
            "start": date(start), "end": date(end), "progress": next_random(seed)})
    };
    (1..=60).map(record).collect()
}

/// Creates all workloads. Their data is the same in every run.
pub fn create_workloads() -> Vec<Workload> {
    let mut seed = 7;
    let seed = &mut seed;
    // Sixty labels of three digits do not fit above sixty columns, so the kind omits all of them.
    // Thirty labels fit.
    let mut labeled = create_workload("W1-with-labels", "grouped-column", create_bar_records(seed));
    labeled.data.truncate(6);
    vec![
        create_workload("W1", "grouped-column", create_bar_records(seed)),
        labeled,
        create_workload("W2", "line", create_line_records(seed)),
        create_workload("W3", "pie", create_slice_records(seed)),
        create_workload("W4", "scatter", create_point_records(seed)),
        create_workload("W5", "gantt", create_task_records(seed)),
    ]
}

impl Workload {
    fn render_scene(&self) -> Option<chartroom_charts::Scene> {
        Some(chartroom_charts::draw(&Chart {
            kind: chartroom_charts::find_kind(self.kind)?,
            title: "A title as people write them",
            settings: &self.settings,
            data: &self.data,
            theme: &self.theme,
            style: &self.style,
            width: self.width,
            height: self.height,
            default_locale: Locale::default(),
            interactive: false,
            id_prefix: "c",
        }))
    }

    /// Renders the workload as SVG text. Returns None if the kind does not exist.
    pub fn render_svg(&self) -> Option<String> {
        Some(chartroom_charts::svg::write(
            &self.render_scene()?,
            &chartroom_charts::svg::Options::default(),
        ))
    }

    /// Renders the workload as a PNG that is `width` pixels wide. Returns None if the kind does not
    /// exist or the image is too large.
    pub fn render_png(&self, width: f64) -> Option<Vec<u8>> {
        let options =
            chartroom_charts::png::Options { scale: width / self.width, transparent: false };
        chartroom_charts::png::encode(&self.render_scene()?, &options).ok()
    }
}
