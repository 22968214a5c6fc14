//! Labels of the criteria around a radar chart. They determine how large the web can be.

use kurbo::{Point, Rect, Vec2};

use crate::Scene;
use crate::format::NumberFormat;
use crate::frame::ChartStyle;
use crate::kinds::radar::web::Web;
use crate::kinds::radar::web::spoke_direction;
use crate::scene::{Anchor, Text};
use crate::text;

/// The label of a criterion: its name, and the value if there is a single series.
pub struct CriterionLabel {
    /// Lines of the name and the value.
    pub lines: Vec<String>,
    /// Full name, if it is shortened.
    full: Option<String>,
    /// Width of the widest line in points.
    width: f64,
}

/// Labels of all criteria, and center and radius of the web.
pub struct RadarLayout {
    /// One label per criterion.
    pub labels: Vec<CriterionLabel>,
    /// Center of the web.
    pub center: Point,
    /// Length of the spokes in points.
    pub radius: f64,
}

/// Wraps the labels and chooses center and radius of the web.
///
/// The radius is the largest at which all labels are inside the area. If it is too small, the
/// labels are omitted.
pub fn lay_out(
    criteria: &[String],
    values: Option<(&Vec<Option<f64>>, &NumberFormat)>,
    (area, is_circular): (Rect, bool),
    style: &ChartStyle,
) -> RadarLayout {
    let desired_radius = area.height().min(area.width()) * 0.3;
    let mut best: Option<RadarLayout> = None;
    for width_share in [0.3, 0.24, 0.18, 0.12] {
        let labels = wrap_labels(criteria, values, area.width() * width_share, style);
        let (center, radius) = fit_web(&labels, (area, is_circular), style);
        let better = best.as_ref().is_none_or(|best| radius > best.radius * 1.15);
        if better {
            best = Some(RadarLayout { labels, center, radius });
        }
        if radius >= desired_radius {
            break;
        }
    }
    match best {
        Some(best) if best.radius >= 12.0 => best,
        _ => {
            let empty = criteria
                .iter()
                .map(|_| CriterionLabel { lines: Vec::new(), full: None, width: 0.0 })
                .collect();
            RadarLayout {
                labels: empty,
                center: area.center(),
                radius: area.width().min(area.height()) / 2.0 - 4.0,
            }
        }
    }
}

/// Returns the labels: each name in at most two lines of `max_width`, and the value below it.
fn wrap_labels(
    criteria: &[String],
    values: Option<(&Vec<Option<f64>>, &NumberFormat)>,
    max_width: f64,
    style: &ChartStyle,
) -> Vec<CriterionLabel> {
    let name = |(index, name): (usize, &String)| {
        let mut lines = text::wrap(name, max_width, 2, style.label_size, style.label_face());
        let full = lines.last().filter(|line| line.ends_with('…')).map(|_| name.clone());
        if let Some((series_values, format)) = values {
            lines.extend(
                series_values.get(index).copied().flatten().map(|value| format.text(value)),
            );
        }
        let width =
            lines.iter().map(|line| style.text_width(line, style.label_size)).fold(0.0, f64::max);
        CriterionLabel { lines, full, width }
    };
    criteria.iter().enumerate().map(name).collect()
}

/// Returns the distance of two baselines of a label in points.
fn line_step(style: &ChartStyle) -> f64 {
    style.label_size * 1.2
}

/// Returns the space between the end of a spoke and its label in points.
fn spoke_gap(style: &ChartStyle) -> f64 {
    style.label_size * 0.6
}

/// Returns center and radius of the largest web that fits into the area with its labels.
fn fit_web(
    labels: &[CriterionLabel],
    (area, is_circular): (Rect, bool),
    style: &ChartStyle,
) -> (Point, f64) {
    let gap = spoke_gap(style);
    let mut max_radius_by_width = area.width() / 2.0;
    // A polygon can extend less far down than up. A circle extends equally in all directions.
    let (mut reach_up, mut reach_down) = if is_circular { (1.0f64, 1.0f64) } else { (0.0, 0.0) };
    let (mut top_overhang, mut bottom_overhang) = (0.0f64, 0.0f64);
    for (spoke, label) in labels.iter().enumerate() {
        let (x, y) = spoke_direction(spoke, labels.len());
        let height = label.lines.len() as f64 * line_step(style);
        if x.abs() > 0.12 {
            max_radius_by_width =
                max_radius_by_width.min((area.width() / 2.0 - gap - label.width) / x.abs());
        }
        // A label beside its spoke extends beyond it by half its height, a label at the top or the
        // bottom by its full height.
        let overhang = gap * y.abs() + height * (0.5 + 0.5 * y.abs());
        if y < 0.0 {
            (reach_up, top_overhang) = (reach_up.max(-y), top_overhang.max(overhang * y.abs()));
        } else {
            (reach_down, bottom_overhang) =
                (reach_down.max(y), bottom_overhang.max(overhang * y.abs().max(0.5)));
        }
    }
    let max_radius_by_height =
        (area.height() - top_overhang - bottom_overhang) / (reach_up + reach_down).max(0.5);
    let radius = max_radius_by_width.min(max_radius_by_height);
    let slack = area.height() - top_overhang - bottom_overhang - radius * (reach_up + reach_down);
    let center = Point::new(
        area.center().x,
        area.y0 + top_overhang + radius * reach_up + slack.max(0.0) / 2.0,
    );
    (center, radius)
}

/// Returns whether web and labels do not touch the rectangle `other`.
pub fn is_clear_of(
    RadarLayout { labels, center, radius }: &RadarLayout,
    other: Rect,
    style: &ChartStyle,
) -> bool {
    let nearest =
        Point::new(center.x.clamp(other.x0, other.x1), center.y.clamp(other.y0, other.y1));
    let with_margin = other.inflate(style.label_size, style.label_size * 0.5);
    let is_clear = |(spoke, label): (usize, &CriterionLabel)| {
        let direction = spoke_direction(spoke, labels.len());
        let end = *center + Vec2::new(direction.0, direction.1) * (radius + spoke_gap(style));
        line_texts(label, direction, end, style)
            .iter()
            .all(|text| !text.bounds().overlaps(with_margin))
    };
    (nearest - *center).hypot() > radius + style.label_size
        && labels.iter().enumerate().all(is_clear)
}

/// Returns the lines of a label at the end of a spoke with the direction `(x, y)`.
fn line_texts(
    label: &CriterionLabel,
    (x, y): (f64, f64),
    end: Point,
    style: &ChartStyle,
) -> Vec<Text> {
    let size = style.label_size;
    let anchor = match x {
        x if x.abs() <= 0.12 => Anchor::Middle,
        x if x > 0.0 => Anchor::Start,
        _ => Anchor::End,
    };
    let height = (label.lines.len() as f64 - 1.0) * line_step(style) + size * 0.72;
    let top = end.y - height * (1.0 - y) / 2.0;
    let line = |(line, line_text): (usize, &String)| {
        let baseline = top + size * 0.72 + line as f64 * line_step(style);
        Text {
            full: label.full.clone(),
            ..style.label_text(end.x, baseline, anchor, size, line_text)
        }
    };
    label.lines.iter().enumerate().map(line).collect()
}

/// Draws the labels around the web. Labels that would overlap an earlier one are omitted.
pub fn draw_labels(
    labels: &[CriterionLabel],
    web: &Web,
    radius: f64,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let mut occupied: Vec<Rect> = Vec::new();
    let mut omitted = 0;
    for (spoke, label) in labels.iter().enumerate() {
        let end = web.point(spoke, radius + spoke_gap(style));
        let line_texts = line_texts(label, web.spoke_direction(spoke), end, style);
        let Some(bounds) = line_texts.iter().map(Text::bounds).reduce(|a, b| a.union(b)) else {
            continue;
        };
        let canvas = Rect::new(2.0, 2.0, scene.width - 2.0, scene.height - 2.0);
        if occupied.iter().any(|other| other.overlaps(bounds.inflate(2.0, 1.0)))
            || !canvas.contains_rect(bounds)
        {
            omitted += 1;
            continue;
        }
        occupied.push(bounds);
        line_texts.into_iter().for_each(|text| scene.text(text));
    }
    if omitted > 0 {
        scene.warn(format!(
            "Criteria without space for their labels: {omitted} of {}.",
            labels.len()
        ));
    }
}
