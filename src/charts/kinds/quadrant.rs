//! Items by two measures in four named fields of equal size.
//!
//! Record: `label`, `x`, `y`, `size`, `highlighted`. Settings: `fieldTitles` (top left, top right,
//! bottom left, bottom right), `middle` (`x`, `y`: where the fields meet), `accent` (the tinted
//! field), `xTitle`, `yTitle`, `xAxis`, `axis`, `showValues` (figures along the axes),
//! `showLabels`.

use kurbo::{BezPath, Point, Rect};
use serde_json::{Value, json};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{Values, Zero};
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::kinds::scatter;
use crate::kinds::scatter::names;
use crate::kinds::scatter::points;
use crate::kinds::scatter::points::Dots;
use crate::scale::Linear;
use crate::scene::{ASCENT, Anchor, Stroke, Text};
use crate::text;
use crate::text::Face;

/// The quadrant chart.
pub const KIND: Kind = Kind { slug: "quadrant", draw };

/// The fields in the order of their titles.
const FIELDS: [&str; 4] = ["topLeft", "topRight", "bottomLeft", "bottomRight"];

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let dots = points::read(chart);
    if dots.all.is_empty() {
        return frame::no_data(frame, scene);
    }
    let look = &frame.look;
    let x = domain(chart.setting("xAxis"), dots.range(|it| it.x), &chart.setting("middle")["x"]);
    let y = domain(chart.setting("axis"), dots.range(|it| it.y), &chart.setting("middle")["y"]);
    describe(chart, &dots, (x, y), scene);
    let plot = lay(chart, look, frame.area, (x, y), scene);
    fields(chart, plot.area, look, scene);
    axes(chart, &plot, frame.area, look, scene);
    let placed = scatter::place(&dots, &plot, look);
    if placed.len() < dots.all.len() {
        scene.warn(format!("Points beyond the axes: {}.", dots.all.len() - placed.len()));
    }
    let colors = [chart.color(0)];
    scatter::marks(chart, &placed, &colors, dots.sized, look, scene);
    let titles = titles(chart, plot.area, look);
    let taken = titles.iter().map(Text::bounds).collect();
    titles.into_iter().for_each(|it| scene.text(it));
    // Names lie on the fields: their rims take that colour.
    let tinted = Look { background: plain(look), ..look.clone() };
    let fields = boxes(plot.area, look).map(|it| it.inflate(-4.0 * look.unit, 0.0));
    let ground = names::Ground { taken, fields: fields.to_vec(), ..names::Ground::default() };
    names::draw(chart, &placed, (&colors, &ground), plot.area, &tinted, scene);
}

/// A range with the middle of the settings, or of the range itself, exactly in its middle.
fn domain(axis: &Value, (low, high): (f64, f64), middle: &Value) -> (f64, f64) {
    let end = |key: &str| data::number(&axis[key]);
    let (from, to) = (end("min").unwrap_or(low), end("max").unwrap_or(high));
    let (from, to) = if from < to { (from, to) } else { (low, high) };
    let fixed = end("min").is_some() && end("max").is_some();
    let middle = data::number(middle).unwrap_or(from / 2.0 + to / 2.0);
    let half = (middle - from).max(to - middle);
    // Points on the border of the data keep clear of the border of the plot.
    let half = if fixed { half } else { half * 1.12 };
    let half = if half > 0.0 { half } else { middle.abs().max(1.0) * 0.1 };
    (middle - half, middle + half)
}

/// Finds the plot and writes figures along both axes, if the settings ask for them.
fn lay(
    chart: &Chart,
    look: &Look,
    area: Rect,
    (x, y): ((f64, f64), (f64, f64)),
    scene: &mut Scene,
) -> scatter::Plot {
    let above = if scatter::axis_name(chart, "yTitle").is_empty() { 0.0 } else { look.label * 1.6 };
    let below = if scatter::axis_name(chart, "xTitle").is_empty() { 0.0 } else { look.label * 1.6 };
    let low = area.height() < look.label * 9.0;
    let (above, below) = if low { (0.0, 0.0) } else { (above, below) };
    let told = chart.flag("showValues", false) && !low;
    let air = 5.0 * look.unit;
    let foot = below + if told { Values::height(look) } else { 0.0 };
    let (top, bottom) = (area.y0 + above, area.y1 - foot - air);
    let plot = Rect::new(area.x0 + air, top, area.x1, bottom.max(top + 1.0));
    let along = |ends: (f64, f64), spacing: f64, length: f64, column: &str| {
        let settings = json!({"axis": {"min": ends.0, "max": ends.1}});
        let fixed = Chart { settings: &settings, ..*chart };
        let lengths = (length, spacing);
        let (rules, locale) = (chart.rules(column), chart.language());
        let fixed = Chart { locale, ..fixed };
        Values::new(&fixed, look, ends, Zero::WhenTouched, lengths, &rules)
    };
    let rows = along(y, axis::row_spacing(look), plot.height(), "y");
    let left = if told { area.x0 + rows.width(look).min(area.width() * 0.4) } else { plot.x0 };
    let plot = Rect { x0: left, x1: plot.x1.max(left + 1.0), ..plot };
    let (side, strip) = (7.0 * look.unit, strip(chart, plot, look));
    let x = Linear { domain: x, range: (plot.x0 + side, plot.x1 - side) };
    let y = Linear { domain: y, range: (plot.y1 - strip, plot.y0 + strip) };
    if told {
        let quiet = Look { grid: look.background, ..look.clone() };
        let columns = along(x.domain, axis::column_spacing(look), plot.width(), "x");
        rows.draw_left(scene, &quiet, plot, &y);
        columns.draw_bottom(scene, &quiet, plot, &x);
    }
    scatter::Plot { area: plot, x, y }
}

/// Height at the upper and the lower end that titles keep free of points.
fn strip(chart: &Chart, plot: Rect, look: &Look) -> f64 {
    let titled = (0..4).any(|it| !data::words(&chart.setting("fieldTitles")[it]).is_empty());
    let height = look.label * 2.1;
    let side = 7.0 * look.unit;
    if titled && plot.height() > height * 4.5 { height } else { side.min(plot.height() * 0.1) }
}

/// The four boxes of a plot in the order of their titles, with a gap between them.
fn boxes(plot: Rect, look: &Look) -> [Rect; 4] {
    let (middle, gap) = (plot.center(), 1.25 * look.unit);
    let (left, right) = ((plot.x0, middle.x - gap), (middle.x + gap, plot.x1));
    let (top, bottom) = ((plot.y0, middle.y - gap), (middle.y + gap, plot.y1));
    [(left, top), (right, top), (left, bottom), (right, bottom)]
        .map(|(x, y)| Rect::new(x.0, y.0, x.1.max(x.0), y.1.max(y.0)))
}

/// The ground of a field that does not stand out.
fn plain(look: &Look) -> Color {
    look.background.mix(look.grid, 0.5)
}

fn fields(chart: &Chart, plot: Rect, look: &Look, scene: &mut Scene) {
    for (rect, name) in boxes(plot, look).into_iter().zip(FIELDS) {
        let accented = chart.word("accent") == name;
        let fill = if accented { look.background.mix(chart.color(0), 0.16) } else { plain(look) };
        scene.rect(rect, fill);
    }
}

/// The title of each field in its outer corner.
fn titles(chart: &Chart, plot: Rect, look: &Look) -> Vec<Text> {
    let (size, pad) = (look.label, look.label * 0.6);
    if strip(chart, plot, look) < size * 2.0 {
        return Vec::new();
    }
    let mut set = Vec::new();
    for (index, rect) in boxes(plot, look).into_iter().enumerate() {
        let title = data::words(&chart.setting("fieldTitles")[index]);
        let fitted = text::fit(&title, rect.width() - 2.0 * pad, size, Face::Bold);
        if fitted.is_empty() {
            continue;
        }
        let (right, low) = (index % 2 == 1, index >= 2);
        let (x, anchor) =
            if right { (rect.x1 - pad, Anchor::End) } else { (rect.x0 + pad, Anchor::Start) };
        let y = if low { rect.y1 - pad } else { rect.y0 + pad + ASCENT * size };
        let width = text::width(&fitted, size, Face::Bold);
        let full = (fitted != title).then(|| title.to_string());
        let words = look.text(x, y, anchor, size, &fitted);
        set.push(Text { face: Face::Bold, width, full, ..words });
    }
    set
}

/// Two arrows along the plot, each with its name at the end.
fn axes(chart: &Chart, plot: &scatter::Plot, area: Rect, look: &Look, scene: &mut Scene) {
    let rect = plot.area;
    let (size, off) = (look.label, 3.0 * look.unit);
    let (x, y) = (rect.x0 - off, rect.y1 + off);
    let told = chart.flag("showValues", false);
    if !told {
        arrow((x, y), (x, rect.y0), look, scene);
        arrow((x, y), (rect.x1, y), look, scene);
    }
    let mut name = |words: &str, (x, base): (f64, f64), anchor| {
        let words = text::clean(words);
        let fitted = text::fit(&words, area.width(), size, look.face());
        let full = (fitted != words).then(|| words.to_string());
        let set = look.text(x, base, anchor, size, &fitted);
        scene.text(Text { color: look.muted, full, ..set });
    };
    if rect.y0 > area.y0 {
        name(
            scatter::axis_name(chart, "yTitle"),
            (area.x0, area.y0 + ASCENT * size),
            Anchor::Start,
        );
    }
    if area.y1 - rect.y1 > size * 1.5 && !scatter::axis_name(chart, "xTitle").is_empty() {
        name(scatter::axis_name(chart, "xTitle"), (area.x1, area.y1 - 0.25 * size), Anchor::End);
    }
}

fn arrow(from: (f64, f64), to: (f64, f64), look: &Look, scene: &mut Scene) {
    scene.line(from, to, Stroke::new(look.axis, 1.0));
    let (from, to) = (Point::from(from), Point::from(to));
    let back = (from - to).normalize() * 5.0 * look.unit;
    let aside = kurbo::Vec2::new(-back.y, back.x) * 0.42;
    let mut path = BezPath::new();
    path.move_to(to);
    path.line_to(to + back + aside);
    path.line_to(to + back - aside);
    path.close_path();
    scene.fill(path, look.axis);
}

/// Says in words how many items each field holds.
fn describe(chart: &Chart, dots: &Dots, (x, y): ((f64, f64), (f64, f64)), scene: &mut Scene) {
    let middle = |ends: (f64, f64)| ends.0 / 2.0 + ends.1 / 2.0;
    let mut counts = [0; 4];
    for dot in &dots.all {
        let place = usize::from(dot.x >= middle(x)) + 2 * usize::from(dot.y < middle(y));
        if let Some(count) = counts.get_mut(place) {
            *count += 1;
        }
    }
    let usual = ["top left", "top right", "bottom left", "bottom right"];
    let parts: Vec<String> = (counts.iter().zip(usual).enumerate())
        .map(|(index, (count, usual))| match data::words(&chart.setting("fieldTitles")[index]) {
            it if it.is_empty() => format!("{count} {usual}"),
            it => format!("{count} in “{it}”"),
        })
        .collect();
    scene.desc = format!("Quadrant chart of {} items: {}.", dots.all.len(), parts.join(", "));
}
