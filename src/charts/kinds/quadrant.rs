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
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::kinds::scatter;
use crate::kinds::scatter::names;
use crate::kinds::scatter::points;
use crate::kinds::scatter::points::Dots;
use crate::scale::LinearScale;
use crate::scene::{ASCENT_EM, Anchor, Stroke, Text};
use crate::text;
use crate::text::Face;

/// The quadrant chart.
pub const KIND: Kind = Kind { slug: "quadrant", draw };

/// The fields in the order of their titles.
const FIELDS: [&str; 4] = ["topLeft", "topRight", "bottomLeft", "bottomRight"];

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let dots = points::read(chart);
    if dots.all.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let x = domain(chart.setting("xAxis"), dots.range(|it| it.x), &chart.setting("middle")["x"]);
    let y = domain(chart.setting("axis"), dots.range(|it| it.y), &chart.setting("middle")["y"]);
    describe(chart, &dots, (x, y), scene);
    let plot = lay(chart, style, frame.area, (x, y), scene);
    fields(chart, plot.area, style, scene);
    axes(chart, &plot, frame.area, style, scene);
    let placed = scatter::place(&dots, &plot, style);
    if placed.len() < dots.all.len() {
        scene.warn(format!("Points beyond the axes: {}.", dots.all.len() - placed.len()));
    }
    let colors = [chart.series_color(0)];
    scatter::marks(chart, &placed, &colors, dots.sized, style, scene);
    let titles = titles(chart, plot.area, style);
    let taken = titles.iter().map(Text::bounds).collect();
    titles.into_iter().for_each(|it| scene.text(it));
    // Names lie on the fields: their rims take that colour.
    let tinted = ChartStyle { background: plain(style), ..style.clone() };
    let fields = boxes(plot.area, style).map(|it| it.inflate(-4.0 * style.unit, 0.0));
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
    style: &ChartStyle,
    area: Rect,
    (x, y): ((f64, f64), (f64, f64)),
    scene: &mut Scene,
) -> scatter::Plot {
    let above =
        if scatter::axis_name(chart, "yTitle").is_empty() { 0.0 } else { style.label_size * 1.6 };
    let below =
        if scatter::axis_name(chart, "xTitle").is_empty() { 0.0 } else { style.label_size * 1.6 };
    let low = area.height() < style.label_size * 9.0;
    let (above, below) = if low { (0.0, 0.0) } else { (above, below) };
    let told = chart.bool_setting("showValues", false) && !low;
    let air = 5.0 * style.unit;
    let foot = below + if told { ValueAxis::bottom_height(style) } else { 0.0 };
    let (top, bottom) = (area.y0 + above, area.y1 - foot - air);
    let plot = Rect::new(area.x0 + air, top, area.x1, bottom.max(top + 1.0));
    let along = |ends: (f64, f64), spacing: f64, length: f64, column: &str| {
        let settings = json!({"axis": {"min": ends.0, "max": ends.1}});
        let fixed = Chart { settings: &settings, ..*chart };
        let lengths = (length, spacing);
        let (rules, locale) = (chart.format_rules(column), chart.locale());
        let fixed = Chart { default_locale: locale, ..fixed };
        ValueAxis::new(&fixed, style, ends, IncludeZero::WhenAdjacent, lengths, &rules)
    };
    let rows = along(y, axis::y_tick_spacing(style), plot.height(), "y");
    let left =
        if told { area.x0 + rows.left_width(style).min(area.width() * 0.4) } else { plot.x0 };
    let plot = Rect { x0: left, x1: plot.x1.max(left + 1.0), ..plot };
    let (side, strip) = (7.0 * style.unit, strip(chart, plot, style));
    let x = LinearScale { domain: x, range: (plot.x0 + side, plot.x1 - side) };
    let y = LinearScale { domain: y, range: (plot.y1 - strip, plot.y0 + strip) };
    if told {
        let quiet = ChartStyle { grid_color: style.background, ..style.clone() };
        let columns = along(x.domain, axis::x_tick_spacing(style), plot.width(), "x");
        rows.draw_left(scene, &quiet, plot, &y);
        columns.draw_bottom(scene, &quiet, plot, &x);
    }
    scatter::Plot { area: plot, x, y }
}

/// Height at the upper and the lower end that titles keep free of points.
fn strip(chart: &Chart, plot: Rect, style: &ChartStyle) -> f64 {
    let titled = (0..4).any(|it| !data::display_text(&chart.setting("fieldTitles")[it]).is_empty());
    let height = style.label_size * 2.1;
    let side = 7.0 * style.unit;
    if titled && plot.height() > height * 4.5 { height } else { side.min(plot.height() * 0.1) }
}

/// The four boxes of a plot in the order of their titles, with a gap between them.
fn boxes(plot: Rect, style: &ChartStyle) -> [Rect; 4] {
    let (middle, gap) = (plot.center(), 1.25 * style.unit);
    let (left, right) = ((plot.x0, middle.x - gap), (middle.x + gap, plot.x1));
    let (top, bottom) = ((plot.y0, middle.y - gap), (middle.y + gap, plot.y1));
    [(left, top), (right, top), (left, bottom), (right, bottom)]
        .map(|(x, y)| Rect::new(x.0, y.0, x.1.max(x.0), y.1.max(y.0)))
}

/// The ground of a field that does not stand out.
fn plain(style: &ChartStyle) -> Color {
    style.background.mix(style.grid_color, 0.5)
}

fn fields(chart: &Chart, plot: Rect, style: &ChartStyle, scene: &mut Scene) {
    for (rect, name) in boxes(plot, style).into_iter().zip(FIELDS) {
        let accented = chart.str_setting("accent") == name;
        let fill =
            if accented { style.background.mix(chart.series_color(0), 0.16) } else { plain(style) };
        scene.rect(rect, fill);
    }
}

/// The title of each field in its outer corner.
fn titles(chart: &Chart, plot: Rect, style: &ChartStyle) -> Vec<Text> {
    let (size, pad) = (style.label_size, style.label_size * 0.6);
    if strip(chart, plot, style) < size * 2.0 {
        return Vec::new();
    }
    let mut set = Vec::new();
    for (index, rect) in boxes(plot, style).into_iter().enumerate() {
        let title = data::display_text(&chart.setting("fieldTitles")[index]);
        let fitted = text::ellipsize(&title, rect.width() - 2.0 * pad, size, Face::BOLD);
        if fitted.is_empty() {
            continue;
        }
        let (right, low) = (index % 2 == 1, index >= 2);
        let (x, anchor) =
            if right { (rect.x1 - pad, Anchor::End) } else { (rect.x0 + pad, Anchor::Start) };
        let y = if low { rect.y1 - pad } else { rect.y0 + pad + ASCENT_EM * size };
        let width = text::width(&fitted, size, Face::BOLD);
        let full = (fitted != title).then(|| title.to_string());
        let words = style.label_text(x, y, anchor, size, &fitted);
        set.push(Text { face: Face::BOLD, width, full, ..words });
    }
    set
}

/// Two arrows along the plot, each with its name at the end.
fn axes(chart: &Chart, plot: &scatter::Plot, area: Rect, style: &ChartStyle, scene: &mut Scene) {
    let rect = plot.area;
    let (size, off) = (style.label_size, 3.0 * style.unit);
    let (x, y) = (rect.x0 - off, rect.y1 + off);
    let told = chart.bool_setting("showValues", false);
    if !told {
        arrow((x, y), (x, rect.y0), style, scene);
        arrow((x, y), (rect.x1, y), style, scene);
    }
    let mut name = |words: &str, (x, base): (f64, f64), anchor| {
        let words = text::sanitize(words);
        let fitted = text::ellipsize(&words, area.width(), size, style.label_face());
        let full = (fitted != words).then(|| words.to_string());
        let set = style.label_text(x, base, anchor, size, &fitted);
        scene.text(Text { color: style.muted_color, full, ..set });
    };
    if rect.y0 > area.y0 {
        name(
            scatter::axis_name(chart, "yTitle"),
            (area.x0, area.y0 + ASCENT_EM * size),
            Anchor::Start,
        );
    }
    if area.y1 - rect.y1 > size * 1.5 && !scatter::axis_name(chart, "xTitle").is_empty() {
        name(scatter::axis_name(chart, "xTitle"), (area.x1, area.y1 - 0.25 * size), Anchor::End);
    }
}

fn arrow(from: (f64, f64), to: (f64, f64), style: &ChartStyle, scene: &mut Scene) {
    scene.line(from, to, Stroke::new(style.axis_color, 1.0));
    let (from, to) = (Point::from(from), Point::from(to));
    let back = (from - to).normalize() * 5.0 * style.unit;
    let aside = kurbo::Vec2::new(-back.y, back.x) * 0.42;
    let mut path = BezPath::new();
    path.move_to(to);
    path.line_to(to + back + aside);
    path.line_to(to + back - aside);
    path.close_path();
    scene.fill(path, style.axis_color);
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
        .map(|(index, (count, usual))| {
            match data::display_text(&chart.setting("fieldTitles")[index]) {
                it if it.is_empty() => format!("{count} {usual}"),
                it => format!("{count} in “{it}”"),
            }
        })
        .collect();
    scene.description =
        format!("Quadrant chart of {} items: {}.", dots.all.len(), parts.join(", "));
}
