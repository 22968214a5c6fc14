//! Labels of points, placed without overlap: beside, above or below the point, or inside a large
//! bubble.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::Omission;
use crate::frame::ChartStyle;
use crate::kinds::scatter::PlacedDot;
use crate::scene::{ASCENT_EM, Anchor, DESCENT_EM, HALF_CAP_HEIGHT_EM, Text};
use crate::text;

/// Maximum number of points that are all labeled. With more points, only highlighted ones are.
const MAX_POINTS_FOR_ALL_LABELS: usize = 300;
/// Maximum number of points for which a label position is searched. Bounds the time.
const MAX_SEARCHED_LABELS: usize = 200;
/// Maximum label width in points at font size 12. Wider labels are ellipsized.
const MAX_LABEL_WIDTH: f64 = 150.0;
/// Distance in points that the halo of a label extends beyond its bounds.
const HALO_WIDTH: f64 = 1.5;

/// Areas that labels avoid or prefer.
#[derive(Default)]
pub struct Ground {
    /// Rectangles that no label may overlap.
    pub taken: Vec<Rect>,
    /// Rectangles in which labels should be. Without any, labels may be anywhere.
    pub fields: Vec<Rect>,
    /// Rectangles along the trend line, which labels avoid if possible.
    pub trend_line: Vec<Rect>,
}

/// Labels the points in order of priority: highlighted points, then the largest, then those
/// farthest from the center. Labels only highlighted points if there are more than 300, and no more
/// than 200 points.
///
/// A label without a free position gets small text. A point without a free position for that gets
/// none, and the scene counts it. Nothing is drawn if the setting
/// `showLabels` is false or `area` is narrow.
pub fn draw(
    chart: &Chart,
    placed: &[PlacedDot],
    (colors, ground): (&[Color], &Ground),
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    if !chart.bool_setting("showLabels", true) || area.width() < style.label_size * 8.0 {
        return;
    }
    let labels_all = placed.len() <= MAX_POINTS_FOR_ALL_LABELS;
    let any_highlighted = placed.iter().any(|placed_dot| placed_dot.dot.highlighted);
    let mut labeled: Vec<&PlacedDot> =
        placed.iter().filter(|placed_dot| labels_all || placed_dot.dot.highlighted).collect();
    let center = area.center();
    let priority = |placed_dot: &PlacedDot| {
        let distance = (placed_dot.center - center).hypot() / area.width();
        f64::from(u8::from(placed_dot.dot.highlighted)) * 1e6 + placed_dot.radius * 10.0 + distance
    };
    labeled.sort_by(|a, b| priority(b).total_cmp(&priority(a)));
    let dots = if labels_all { placed } else { &[] };
    let mut space = LabelSpace { area, taken: ground.taken.clone(), dots, ground };
    let over_limit_count = labeled.len().saturating_sub(MAX_SEARCHED_LABELS);
    labeled.truncate(MAX_SEARCHED_LABELS);
    let mut place_label = |placed_dot: &&PlacedDot, size: f64| {
        let name = placed_dot.dot.label(chart);
        let max_width = MAX_LABEL_WIDTH * style.label_size / 12.0;
        let fitted = text::ellipsize(&name, max_width, size, style.label_face());
        if fitted.is_empty() {
            return true;
        }
        let fill = super::choose_fill(chart, placed_dot.dot, colors, any_highlighted, style);
        let opacity = super::choose_opacity(placed.len(), true);
        let visible_fill = fill.with_opacity(opacity).over(style.background);
        let full = (fitted != name).then(|| name.clone());
        let list_candidates =
            || list_candidate_labels(placed_dot, &fitted, visible_fill, size, style);
        let Some(label) = space.choose_label(list_candidates) else { return false };
        space.taken.push(label.bounds());
        scene.text(Text { full, ..label });
        true
    };
    labeled.retain(|placed_dot| !place_label(placed_dot, style.label_size));
    labeled.retain(|placed_dot| !place_label(placed_dot, style.small_size));
    scene.omit(Omission::Name, labeled.len() + over_limit_count);
}

/// Space for the labels.
struct LabelSpace<'a> {
    /// Rectangle that contains all labels.
    area: Rect,
    /// Rectangles that no label may overlap, including the labels drawn so far.
    taken: Vec<Rect>,
    /// Points that labels may not overlap. A label inside a bubble may.
    dots: &'a [PlacedDot<'a>],
    /// Areas that labels avoid or prefer. Its `taken` rectangles are copied to the field above.
    ground: &'a Ground,
}

impl LabelSpace<'_> {
    /// Returns the first free candidate in a preferred position, or else the first free candidate.
    fn choose_label<I: Iterator<Item = Text>>(
        &self,
        list_candidates: impl Fn() -> I,
    ) -> Option<Text> {
        let has_preferences = !self.ground.fields.is_empty() || !self.ground.trend_line.is_empty();
        let preferred = if has_preferences {
            list_candidates().find(|label| self.is_preferred(label) && self.is_free(label))
        } else {
            None
        };
        preferred.or_else(|| list_candidates().find(|label| self.is_free(label)))
    }

    /// Returns whether a label is within the area, at least 2 points from the taken rectangles, and
    /// does not overlap a point. A label inside a bubble may overlap points.
    fn is_free(&self, label: &Text) -> bool {
        let bounds = label.bounds();
        // Only the label inside a bubble has no halo.
        let is_inside_bubble = label.halo.is_none();
        self.area.contains_rect(bounds)
            && !self.taken.iter().any(|other| are_closer_than(2.0, bounds, *other))
            && (is_inside_bubble || !self.dots.iter().any(|dot| overlaps_dot(bounds, dot)))
    }

    /// Returns whether a label is in a field and not on the trend line.
    fn is_preferred(&self, label: &Text) -> bool {
        let bounds = label.bounds().inflate(2.0, 0.0);
        let (fields, trend_line) = (&self.ground.fields, &self.ground.trend_line);
        (fields.is_empty() || fields.iter().any(|field| field.contains_rect(bounds)))
            && !trend_line.iter().any(|part| are_closer_than(0.0, bounds, *part))
    }
}

/// Returns whether a label with its halo would overlap a point.
fn overlaps_dot(bounds: Rect, dot: &PlacedDot) -> bool {
    let x_distance = dot.center.x.clamp(bounds.x0, bounds.x1) - dot.center.x;
    let y_distance = dot.center.y.clamp(bounds.y0, bounds.y1) - dot.center.y;
    x_distance.hypot(y_distance) < dot.radius + HALO_WIDTH
}

/// Returns whether two rectangles are less than `distance` points apart in both directions.
fn are_closer_than(distance: f64, a: Rect, b: Rect) -> bool {
    a.x0 < b.x1 + distance
        && b.x0 < a.x1 + distance
        && a.y0 < b.y1 + distance
        && b.y0 < a.y1 + distance
}

/// Returns the candidate labels of a point, the best position first: inside a large bubble if the
/// name fits and is readable there, beside, above, below, and at the four corners. `fill` is the
/// visible color of the point and `size` the font size in points.
fn list_candidate_labels<'a>(
    placed_dot: &'a PlacedDot,
    name: &'a str,
    fill: Color,
    size: f64,
    style: &'a ChartStyle,
) -> impl Iterator<Item = Text> + 'a {
    let width = style.text_width(name, size);
    let (x, y, radius) = (placed_dot.center.x, placed_dot.center.y, placed_dot.radius);
    let inner_color = fill.text_color();
    let fits_inside = width < radius * 1.7 && radius > size && inner_color.contrast(fill) >= 4.5;
    let inside = fits_inside.then(|| Text {
        color: inner_color,
        ..style.label_text(x, y + HALF_CAP_HEIGHT_EM * size, Anchor::Middle, size, name)
    });
    let distance = radius + 3.0;
    let diagonal = distance * 0.72;
    let positions = [
        (x + distance, y + HALF_CAP_HEIGHT_EM * size, Anchor::Start),
        (x - distance, y + HALF_CAP_HEIGHT_EM * size, Anchor::End),
        (x, y - distance - DESCENT_EM * size * 0.5, Anchor::Middle),
        (x, y + distance + ASCENT_EM * size, Anchor::Middle),
        (x + diagonal, y - diagonal, Anchor::Start),
        (x - diagonal, y - diagonal, Anchor::End),
        (x + diagonal, y + diagonal + ASCENT_EM * size, Anchor::Start),
        (x - diagonal, y + diagonal + ASCENT_EM * size, Anchor::End),
    ];
    let outside = positions.into_iter().map(move |(x, baseline, anchor)| Text {
        halo: Some(style.background),
        ..style.label_text(x, baseline, anchor, size, name)
    });
    inside.into_iter().chain(outside)
}
