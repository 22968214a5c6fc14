//! Labels of points, placed without overlap: beside, above or below the point, or inside a large
//! bubble.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::frame::ChartStyle;
use crate::kinds::scatter::Placed;
use crate::scene::{ASCENT_EM, Anchor, DESCENT_EM, HALF_CAP_HEIGHT_EM, Text};
use crate::text;

/// With more points than this, only highlighted points are labelled.
const MAX_POINTS: usize = 300;
/// Maximum number of points that are tried for a label. Bounds the time.
const MAX_NAMES: usize = 200;
/// Maximum label width in points at font size 12. Wider labels are ellipsized.
const MAX_LABEL_WIDTH: f64 = 150.0;

/// Areas that labels avoid or prefer.
#[derive(Default)]
pub struct Ground {
    /// Rectangles that no label may overlap.
    pub taken: Vec<Rect>,
    /// Rectangles in which labels should be. Without any, labels may be anywhere.
    pub fields: Vec<Rect>,
    /// Rectangles that labels avoid if possible, along the trend line.
    pub line: Vec<Rect>,
}

/// Labels the points in order of priority: highlighted points, then the largest, then those
/// farthest from the center.
pub fn draw(
    chart: &Chart,
    placed: &[Placed],
    (colors, ground): (&[Color], &Ground),
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    if !chart.bool_setting("showLabels", true) || area.width() < style.label_size * 8.0 {
        return;
    }
    let few = placed.len() <= MAX_POINTS;
    let accented = placed.iter().any(|it| it.dot.highlighted);
    let mut wanted: Vec<&Placed> = placed.iter().filter(|it| few || it.dot.highlighted).collect();
    let center = area.center();
    let weight = |it: &Placed| {
        let away = (it.at - center).hypot() / area.width();
        f64::from(u8::from(it.dot.highlighted)) * 1e6 + it.radius * 10.0 + away
    };
    wanted.sort_by(|one, two| weight(two).total_cmp(&weight(one)));
    let (mut taken, fields, line) = (ground.taken.clone(), &ground.fields, &ground.line);
    let dots = if few { placed } else { &[] };
    for it in wanted.into_iter().take(MAX_NAMES) {
        let name = it.dot.label(chart);
        let fitted = text::ellipsize(
            &name,
            MAX_LABEL_WIDTH * style.label_size / 12.0,
            style.label_size,
            style.label_face(),
        );
        if fitted.is_empty() {
            continue;
        }
        let fill = super::fill(chart, it.dot, colors, accented, style);
        let fill = fill.with_opacity(super::opacity(placed.len(), true)).over(style.background);
        let full = (fitted != name).then(|| name.clone());
        let clear = |set: &Text| {
            let bounds = set.bounds();
            let own = set.halo.is_none();
            area.contains_rect(bounds)
                && !taken.iter().any(|other| touch(bounds, *other, 2.0))
                && (own || !dots.iter().any(|dot| covers(bounds, dot)))
        };
        let places = || candidates(it, &fitted, fill, style);
        let within = |set: &Text| {
            let bounds = set.bounds().inflate(2.0, 0.0);
            let crossed = || line.iter().any(|it| touch(bounds, *it, 0.0));
            (fields.is_empty() || fields.iter().any(|it| it.contains_rect(bounds))) && !crossed()
        };
        let choosy = !fields.is_empty() || !line.is_empty();
        let inside = places().find(|it| choosy && within(it) && clear(it));
        let found = inside.or_else(|| places().find(clear));
        if let Some(set) = found {
            taken.push(set.bounds());
            scene.text(Text { full, ..set });
        }
    }
}

/// Returns whether a label would overlap a point.
fn covers(bounds: Rect, dot: &Placed) -> bool {
    let x = dot.at.x.clamp(bounds.x0, bounds.x1) - dot.at.x;
    let y = dot.at.y.clamp(bounds.y0, bounds.y1) - dot.at.y;
    // The halo of the label extends beyond its bounds.
    x.hypot(y) < dot.radius + 1.5
}

/// Returns whether the distance of two rectangles is less than `apart` points in both directions.
fn touch(one: Rect, other: Rect, apart: f64) -> bool {
    one.x0 < other.x1 + apart
        && other.x0 < one.x1 + apart
        && one.y0 < other.y1 + apart
        && other.y0 < one.y1 + apart
}

/// Returns the candidate positions of a label, the best first.
fn candidates<'a>(
    it: &'a Placed,
    name: &'a str,
    fill: Color,
    style: &'a ChartStyle,
) -> impl Iterator<Item = Text> + 'a {
    let size = style.label_size;
    let width = style.text_width(name, size);
    let (x, y, away) = (it.at.x, it.at.y, it.radius + 3.0);
    let ink = fill.text_color();
    let inside =
        (width < it.radius * 1.7 && it.radius > size && ink.contrast(fill) >= 4.5).then(|| Text {
            color: ink,
            ..style.label_text(x, y + HALF_CAP_HEIGHT_EM * size, Anchor::Middle, size, name)
        });
    let diagonal = away * 0.72;
    let places = [
        (x + away, y + HALF_CAP_HEIGHT_EM * size, Anchor::Start),
        (x - away, y + HALF_CAP_HEIGHT_EM * size, Anchor::End),
        (x, y - away - DESCENT_EM * size * 0.5, Anchor::Middle),
        (x, y + away + ASCENT_EM * size, Anchor::Middle),
        (x + diagonal, y - diagonal, Anchor::Start),
        (x - diagonal, y - diagonal, Anchor::End),
        (x + diagonal, y + diagonal + ASCENT_EM * size, Anchor::Start),
        (x - diagonal, y + diagonal + ASCENT_EM * size, Anchor::End),
    ];
    let beside = places.into_iter().map(move |(x, y, anchor)| Text {
        halo: Some(style.background),
        ..style.label_text(x, y, anchor, size, name)
    });
    inside.into_iter().chain(beside)
}
