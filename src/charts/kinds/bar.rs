//! Bars, one a record, on a common zero line; level or upright.
//!
//! Records and settings are those of [`amounts`](crate::amounts), and `benchmark` with
//! `benchmarkTitle`.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::amounts::{Amount, Amounts, Shape};
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::Frame;
use crate::frame::Look;
use crate::frame::bands::Bands;
use crate::kinds::Kind;
use crate::scene::{ASCENT, Anchor, CENTER, Text};
use crate::text;
use crate::text::Face;

/// The bar chart.
pub const KIND: Kind = Kind { slug: "bar", draw };

/// A value to compare with, and its name where that has room.
struct Benchmark {
    value: f64,
    title: String,
    lines: Vec<String>,
    /// Room that the name takes, above level bars or right of upright ones.
    room: Rect,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let benchmark = benchmark(chart, frame);
    let mut frame = frame.clone();
    if let Some(Benchmark { room, .. }) = &benchmark {
        match chart.word("orientation") {
            "vertical" => frame.area.x1 -= room.width(),
            _ => frame.area.y0 += room.height(),
        }
    }
    let frame = &frame;
    let Some(bars) = Amounts::read(chart, frame) else { return frame::no_data(frame, scene) };
    bars.describe("Bar chart", scene);
    let look = &frame.look;
    let shape = Shape {
        beyond: 0.0,
        padding: if bars.all.len() > 60 { 0.1 } else { 0.3 },
        most: if bars.upright { 72.0 } else { 44.0 } * look.unit,
        also: chart.number("benchmark"),
    };
    let ground = bars.ground(chart, frame, &shape, scene);
    marks(&bars, &ground, scene);
    ground.base_line(look, scene);
    let crossed = benchmark.is_some();
    if let Some(benchmark) = benchmark {
        ground.benchmark(look, scene, benchmark.value);
        name(&benchmark, &ground, frame, scene);
    }
    values(&bars, &ground, (look, crossed), scene);
}

/// Reads the benchmark and keeps room for its name and value.
fn benchmark(chart: &Chart, frame: &Frame) -> Option<Benchmark> {
    let value = chart.number("benchmark")?;
    let (look, area) = (&frame.look, frame.area);
    let rules = chart.rules("value");
    let format = NumberFormat::for_values([value].into_iter(), &rules, chart.language());
    let words = format.text(value);
    let title = text::clean(chart.word("benchmarkTitle"));
    let upright = chart.word("orientation") == "vertical";
    let mut lines = if upright {
        let mut lines = text::wrap(&title, area.width() * 0.2, 2, look.label, Face::Bold);
        lines.push(words);
        lines
    } else {
        let words = if title.is_empty() { words } else { format!("{title}: {words}") };
        vec![text::fit(&words, area.width(), look.label, Face::Bold).into_owned()]
    };
    if area.height() < look.label * 8.0 {
        lines.clear();
    }
    let widths = lines.iter().map(|it| text::width(it, look.label, Face::Bold));
    let widest = widths.fold(0.0, f64::max);
    let room = match (lines.is_empty(), upright) {
        (true, _) => Rect::ZERO,
        (false, true) => Rect { x0: area.x1 - widest - look.unit * 8.0, ..area },
        (false, false) => Rect { y1: area.y0 + look.label * 1.5, ..area },
    };
    Some(Benchmark { value, title: title.into_owned(), lines, room })
}

/// Writes the name of the benchmark at the end of its line.
fn name(benchmark: &Benchmark, ground: &Bands, frame: &Frame, scene: &mut Scene) {
    let (look, size) = (&frame.look, frame.look.label);
    let at = ground.value.at(benchmark.value);
    let above = (benchmark.lines.len() as f64 - 1.0) * size * 1.2;
    let (low, high) = (benchmark.room.y0, benchmark.room.y1);
    for (index, words) in benchmark.lines.iter().enumerate() {
        let width = text::width(words, size, Face::Bold);
        let set = if ground.upright {
            let middle = at.clamp(low + size * 0.6 + above / 2.0, high - size * 0.6 - above / 2.0);
            let y = middle - above / 2.0 + index as f64 * size * 1.2 + CENTER * size;
            look.text(benchmark.room.x0 + look.unit * 8.0, y, Anchor::Start, size, words)
        } else {
            let (left, right) = (benchmark.room.x0 + width / 2.0, benchmark.room.x1 - width / 2.0);
            let x = at.clamp(left, right.max(left));
            look.text(x, low + ASCENT * size, Anchor::Middle, size, words)
        };
        let full = words.ends_with('…').then(|| benchmark.title.clone());
        scene.text(Text { face: Face::Bold, width, color: look.ink, full, ..set });
    }
}

fn marks(bars: &Amounts, ground: &Bands, scene: &mut Scene) {
    for (index, bar) in bars.all.iter().enumerate() {
        let Some(rect) = place(bar, index, ground) else { continue };
        bar.tag("bar", scene);
        scene.rect(rect, bar.color);
    }
    scene.untag();
}

fn place(bar: &Amount, index: usize, ground: &Bands) -> Option<Rect> {
    let start = ground.band.start(index);
    Some(ground.rect((start, start + ground.band.width()), (0.0, bar.value?)))
}

/// The values beyond the ends of their bars, with a rim where a benchmark may cross them.
fn values(bars: &Amounts, ground: &Bands, (look, crossed): (&Look, bool), scene: &mut Scene) {
    let Some(size) = bars.size else { return };
    for (index, bar) in bars.all.iter().enumerate() {
        let Some(rect) = place(bar, index, ground) else { continue };
        bar.tag("bar", scene);
        let negative = bar.value.is_some_and(|it| it < 0.0);
        let set = ground.end_label(look, rect, negative, size, &bar.words);
        scene.text(Text { halo: crossed.then_some(look.background), ..set });
    }
    scene.untag();
}
