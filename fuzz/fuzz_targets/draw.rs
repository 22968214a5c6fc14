//! Draws what the bytes say as SVG and PNG: no panic, no number that is none, nothing over 2 s.
//!
//! Bytes that are a JSON document (`kind`, `title`, `settings`, `data`, `style`, `theme`, `width`,
//! `height`) are drawn as such; all others change the sample of a kind here and there. See
//! CONTRIBUTING.md for how it is run.

#![no_main]

#[path = "../../tests/it/charts/finite.rs"]
mod finite;
mod sample;

use chartroom_charts::{Chart, Locale, Style, Theme};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// Maximum CPU time in milliseconds of this thread to render an image.
const MAX_MS: f64 = 2000.0;

fuzz_target!(|bytes: &[u8]| {
    let document = match serde_json::from_slice(bytes) {
        Ok(Value::Object(document)) => Value::Object(document),
        _ => sample::changed(bytes),
    };
    draw(&document);
});

fn draw(document: &Value) {
    let text = |key: &str| document[key].as_str().unwrap_or_default();
    let Some(kind) = chartroom_charts::find_kind(text("kind")) else { return };
    let side = |key: &str, usual: f64| document[key].as_f64().unwrap_or(usual);
    let none = Vec::new();
    let scene = |interactive: bool| {
        chartroom_charts::draw(&Chart {
            kind,
            title: text("title"),
            settings: &document["settings"],
            data: document["data"].as_array().unwrap_or(&none),
            theme: &Theme::parse(&document["theme"]),
            style: &Style::parse(&document["style"]),
            width: side("width", 720.0),
            height: side("height", 405.0),
            default_locale: Locale::parse(text("locale")),
            interactive,
            id_prefix: "c",
        })
    };
    within_time(&format!("{} as SVG", kind.slug), || {
        let scene = scene(true);
        finite::check(kind.slug, &scene);
        chartroom_charts::svg::write(&scene, &chartroom_charts::svg::Options::default())
    });
    within_time(&format!("{} as PNG", kind.slug), || {
        let scene = scene(false);
        // Two pixels a point as usual, but no more pixels than a canvas of 1,280 x 720 has.
        let scale = (1280.0 * 720.0 * 4.0 / (scene.width * scene.height)).sqrt().min(2.0);
        chartroom_charts::png::encode(
            &scene,
            &chartroom_charts::png::Options { scale, transparent: false },
        )
    });
}

fn within_time<T>(what: &str, draw: impl FnOnce() -> T) {
    let before = worked();
    std::hint::black_box(draw());
    let took = worked() - before;
    assert!(took < MAX_MS, "{what}: {took} ms");
}

/// How long this thread has worked so far, in milliseconds: what other programs take is no matter.
fn worked() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|it| it.parse::<f64>().ok()).unwrap_or_default() / 1e6
}
