//! Renders a document made from the fuzzer's bytes as SVG and PNG. Fails on a panic, on a number
//! that is not finite, and on an image that takes more than two seconds.
//!
//! Bytes that are a JSON object (`kind`, `title`, `settings`, `data`, `style`, `theme`, `width`,
//! `height`) are the document. All other bytes select changes of the sample of a kind.
//! CONTRIBUTING.md describes how to run it.

#![no_main]

#[path = "../../tests/it/charts/finite.rs"]
mod finite;
mod sample;

use chartroom_charts::{Chart, Locale, Style, Theme};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// Maximum CPU time in milliseconds of this thread to render an image.
const MAX_RENDER_MS: f64 = 2000.0;

fuzz_target!(|bytes: &[u8]| {
    let document = match serde_json::from_slice(bytes) {
        Ok(Value::Object(document)) => Value::Object(document),
        _ => sample::create_document(bytes),
    };
    render_document(&document);
});

fn render_document(document: &Value) {
    let text = |key: &str| document[key].as_str().unwrap_or_default();
    let Some(kind) = chartroom_charts::find_kind(text("kind")) else { return };
    let read_side = |key: &str, default: f64| document[key].as_f64().unwrap_or(default);
    let no_records = Vec::new();
    let render_scene = |interactive: bool| {
        chartroom_charts::draw(&Chart {
            kind,
            title: text("title"),
            settings: &document["settings"],
            data: document["data"].as_array().unwrap_or(&no_records),
            theme: &Theme::parse(&document["theme"]),
            style: &Style::parse(&document["style"]),
            width: read_side("width", 720.0),
            height: read_side("height", 405.0),
            default_locale: Locale::parse(text("locale")),
            interactive,
            id_prefix: "c",
        })
    };
    assert_within_time_limit(&format!("{} as SVG", kind.slug), || {
        let scene = render_scene(true);
        finite::assert_finite(kind.slug, &scene);
        chartroom_charts::svg::write(&scene, &chartroom_charts::svg::Options::default())
    });
    assert_within_time_limit(&format!("{} as PNG", kind.slug), || {
        let scene = render_scene(false);
        // Two pixels per point by default, but not more pixels than a canvas of 1,280 x 720 points
        // has.
        let scale = (1280.0 * 720.0 * 4.0 / (scene.width * scene.height)).sqrt().min(2.0);
        chartroom_charts::png::encode(
            &scene,
            &chartroom_charts::png::Options { scale, transparent: false },
        )
    });
    assert_within_time_limit(&format!("{} as PDF", kind.slug), || {
        chartroom_charts::pdf::write(
            &render_scene(false),
            &chartroom_charts::pdf::Options::default(),
        )
    });
}

/// Panics if `draw` takes more than [`MAX_RENDER_MS`] of the processor time of this thread.
fn assert_within_time_limit<T>(description: &str, render: impl FnOnce() -> T) {
    let started = thread_time_ms();
    std::hint::black_box(render());
    let duration_ms = thread_time_ms() - started;
    assert!(duration_ms < MAX_RENDER_MS, "{description}: {duration_ms} ms");
}

/// Returns the processor time of this thread in milliseconds, which does not depend on other
/// programs.
fn thread_time_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ')
        .next()
        .and_then(|nanoseconds| nanoseconds.parse::<f64>().ok())
        .unwrap_or_default()
        / 1e6
}
