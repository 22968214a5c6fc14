//! Sets the names of criteria round the web, which is as large as they allow.

use kurbo::{Point, Rect, Vec2};

use crate::Scene;
use crate::format::NumberFormat;
use crate::frame::ChartStyle;
use crate::kinds::radar::Web;
use crate::kinds::radar::direction;
use crate::scene::{Anchor, Text};
use crate::text;

/// A criterion's name in lines, with the value when there is one series.
pub struct Name {
    /// The lines.
    pub lines: Vec<String>,
    full: Option<String>,
    width: f64,
}

/// Sets the names and finds the largest radius at which all of them stay inside the area.
pub fn place(
    names: &[String],
    told: Option<(&Vec<Option<f64>>, &NumberFormat)>,
    (area, round): (Rect, bool),
    style: &ChartStyle,
) -> (Vec<Name>, Point, f64) {
    let wanted = area.height().min(area.width()) * 0.3;
    let mut best: Option<(Vec<Name>, Point, f64)> = None;
    for share in [0.3, 0.24, 0.18, 0.12] {
        let set = set(names, told, area.width() * share, style);
        let (center, radius) = largest(&set, (area, round), style);
        let better = best.as_ref().is_none_or(|it| radius > it.2 * 1.15);
        if better {
            best = Some((set, center, radius));
        }
        if radius >= wanted {
            break;
        }
    }
    match best {
        Some(best) if best.2 >= 12.0 => best,
        _ => {
            let bare =
                names.iter().map(|_| Name { lines: Vec::new(), full: None, width: 0.0 }).collect();
            (bare, area.center(), area.width().min(area.height()) / 2.0 - 4.0)
        }
    }
}

/// Names in at most two lines of this width, and the value under each.
fn set(
    names: &[String],
    told: Option<(&Vec<Option<f64>>, &NumberFormat)>,
    room: f64,
    style: &ChartStyle,
) -> Vec<Name> {
    let name = |(index, name): (usize, &String)| {
        let mut lines = text::wrap(name, room, 2, style.label_size, style.label_face());
        let full = lines.last().filter(|it| it.ends_with('…')).map(|_| name.clone());
        if let Some((values, format)) = told {
            lines.extend(values.get(index).copied().flatten().map(|it| format.text(it)));
        }
        let width =
            lines.iter().map(|it| style.text_width(it, style.label_size)).fold(0.0, f64::max);
        Name { lines, full, width }
    };
    names.iter().enumerate().map(name).collect()
}

/// Distance of baselines within a name.
fn leading(style: &ChartStyle) -> f64 {
    style.label_size * 1.2
}

/// Space between the end of a spoke and its name.
fn gap(style: &ChartStyle) -> f64 {
    style.label_size * 0.6
}

/// Centre and radius for which the names round the web fit the area.
fn largest(names: &[Name], (area, round): (Rect, bool), style: &ChartStyle) -> (Point, f64) {
    let gap = gap(style);
    let mut wide = area.width() / 2.0;
    // A polygon may reach less far down than up; a circle reaches everywhere.
    let (mut up, mut down) = if round { (1.0f64, 1.0f64) } else { (0.0, 0.0) };
    let (mut top, mut bottom) = (0.0f64, 0.0f64);
    for (spoke, name) in names.iter().enumerate() {
        let (x, y) = direction(spoke, names.len());
        let height = name.lines.len() as f64 * leading(style);
        if x.abs() > 0.12 {
            wide = wide.min((area.width() / 2.0 - gap - name.width) / x.abs());
        }
        // A name beside its spoke reaches half its height beyond it, one at the pole all of it.
        let beyond = gap * y.abs() + height * (0.5 + 0.5 * y.abs());
        if y < 0.0 {
            (up, top) = (up.max(-y), top.max(beyond * y.abs()));
        } else {
            (down, bottom) = (down.max(y), bottom.max(beyond * y.abs().max(0.5)));
        }
    }
    let tall = (area.height() - top - bottom) / (up + down).max(0.5);
    let radius = wide.min(tall);
    let slack = area.height() - top - bottom - radius * (up + down);
    let center = Point::new(area.center().x, area.y0 + top + radius * up + slack.max(0.0) / 2.0);
    (center, radius)
}

/// Whether web and names stand apart from `other`.
pub fn keep_clear(
    (names, center, radius): &(Vec<Name>, Point, f64),
    other: Rect,
    style: &ChartStyle,
) -> bool {
    let near = Point::new(center.x.clamp(other.x0, other.x1), center.y.clamp(other.y0, other.y1));
    let air = other.inflate(style.label_size, style.label_size * 0.5);
    let beside = |(spoke, name): (usize, &Name)| {
        let way = direction(spoke, names.len());
        let end = *center + Vec2::new(way.0, way.1) * (radius + gap(style));
        texts(name, way, end, style).iter().all(|it| !it.bounds().overlaps(air))
    };
    (near - *center).hypot() > radius + style.label_size && names.iter().enumerate().all(beside)
}

/// The lines of a name that stands at the end of a spoke in this direction.
fn texts(name: &Name, (x, y): (f64, f64), end: Point, style: &ChartStyle) -> Vec<Text> {
    let size = style.label_size;
    let anchor = match x {
        it if it.abs() <= 0.12 => Anchor::Middle,
        it if it > 0.0 => Anchor::Start,
        _ => Anchor::End,
    };
    let height = (name.lines.len() as f64 - 1.0) * leading(style) + size * 0.72;
    let top = end.y - height * (1.0 - y) / 2.0;
    let line = |(line, words): (usize, &String)| {
        let base = top + size * 0.72 + line as f64 * leading(style);
        Text { full: name.full.clone(), ..style.label_text(end.x, base, anchor, size, words) }
    };
    name.lines.iter().enumerate().map(line).collect()
}

/// Writes the criteria round the web; those that would touch an earlier one are left out.
pub fn write(names: &[Name], web: &Web, radius: f64, style: &ChartStyle, scene: &mut Scene) {
    let mut taken: Vec<Rect> = Vec::new();
    let mut left_out = 0;
    for (spoke, name) in names.iter().enumerate() {
        let end = web.at(spoke, radius + gap(style));
        let texts = texts(name, web.direction(spoke), end, style);
        let Some(bounds) = texts.iter().map(Text::bounds).reduce(|one, two| one.union(two)) else {
            continue;
        };
        let canvas = Rect::new(2.0, 2.0, scene.width - 2.0, scene.height - 2.0);
        if taken.iter().any(|it| it.overlaps(bounds.inflate(2.0, 1.0)))
            || !canvas.contains_rect(bounds)
        {
            left_out += 1;
            continue;
        }
        taken.push(bounds);
        texts.into_iter().for_each(|it| scene.text(it));
    }
    if left_out > 0 {
        scene
            .warn(format!("Criteria without room for their names: {left_out} of {}.", names.len()));
    }
}
