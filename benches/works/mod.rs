//! Five typical charts without randomness, W1 to W5, at 800 x 500 points.
//!
//! Shared by the criterion benchmark and by the example that is compared with other libraries.

use chartroom_charts::{Chart, Locale, Style, Theme};
use serde_json::{Value, json};

/// A document without randomness: the figures come from a fixed sequence.
pub struct Work {
    /// `W1` and so on.
    pub name: &'static str,
    /// Slug of the kind.
    pub kind: &'static str,
    settings: Value,
    /// Records.
    pub data: Vec<Value>,
    theme: Theme,
    style: Style,
    /// Points.
    pub width: f64,
    /// Points.
    pub height: f64,
}

/// The next of a fixed pseudo-random sequence, from 0 to 1 (Knuth's MMIX constants).
fn next(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 40) as f64 / (1u64 << 24) as f64
}

fn work(name: &'static str, kind: &'static str, data: Vec<Value>) -> Work {
    let style = json!({"subtitle": "Measure and unit", "footer": "Source: sample figures"});
    Work {
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

fn grouped_bars(seed: &mut u64) -> Vec<Value> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let record = |month: &&str| {
        let mut value = || (next(seed) * 140.0 + 60.0).round();
        json!({"label": month, "North": value(), "South": value(), "East": value(),
            "West": value(), "Online": value()})
    };
    MONTHS.iter().map(record).collect()
}

fn lines(seed: &mut u64) -> Vec<Value> {
    let mut at = [100.0, 120.0, 140.0];
    let record = |index: u32| {
        for value in &mut at {
            *value += next(seed) * 4.0 - 2.0;
        }
        let round = |it: f64| (it * 100.0).round() / 100.0;
        json!({"label": index.to_string(), "Alpha": round(at[0]), "Beta": round(at[1]),
            "Gamma": round(at[2])})
    };
    (0..1000).map(record).collect()
}

fn slices(seed: &mut u64) -> Vec<Value> {
    let record = |index: u32| {
        let value = (next(seed) * 90.0 + 10.0).round();
        json!({"label": format!("Slice {index}"), "value": value})
    };
    (1..=12).map(record).collect()
}

fn points(seed: &mut u64) -> Vec<Value> {
    let mut normal = || (0..6).map(|_| next(seed)).sum::<f64>() - 3.0;
    (0..10_000)
        .map(|_| {
            let x = normal();
            json!({"x": x, "y": x * 0.6 + normal()})
        })
        .collect()
}

fn plan(seed: &mut u64) -> Vec<Value> {
    let record = |index: u32| {
        let start = f64::from(index) * 5.0 + next(seed) * 20.0;
        let end = start + 5.0 + next(seed) * 40.0;
        let date = |days: f64| {
            let it = chartroom_charts::format::date::to_civil((19_723.0 + days.floor()) * 86_400.0);
            format!("{:04}-{:02}-{:02}", it.year, it.month, it.day)
        };
        json!({"id": format!("t{index}"), "label": format!("Task {index}"),
            "start": date(start), "end": date(end), "progress": next(seed)})
    };
    (1..=60).map(record).collect()
}

/// All of them, the same each time.
pub fn works() -> Vec<Work> {
    let mut seed = 7;
    let seed = &mut seed;
    // Sixty labels of three digits do not fit above sixty columns, and are left out as a set;
    // thirty do.
    let mut labelled = work("W1-with-labels", "grouped-column", grouped_bars(seed));
    labelled.data.truncate(6);
    vec![
        work("W1", "grouped-column", grouped_bars(seed)),
        labelled,
        work("W2", "line", lines(seed)),
        work("W3", "pie", slices(seed)),
        work("W4", "scatter", points(seed)),
        work("W5", "gantt", plan(seed)),
    ]
}

impl Work {
    fn draw(&self) -> Option<chartroom_charts::Scene> {
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

    /// From data to SVG text.
    pub fn svg(&self) -> Option<String> {
        Some(chartroom_charts::svg::write(
            &self.draw()?,
            &chartroom_charts::svg::Options::default(),
        ))
    }

    /// From data to PNG bytes, so many pixels wide.
    pub fn png(&self, width: f64) -> Option<Vec<u8>> {
        let options =
            chartroom_charts::png::Options { scale: width / self.width, transparent: false };
        chartroom_charts::png::encode(&self.draw()?, &options).ok()
    }
}
