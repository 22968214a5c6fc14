//! Labels of the criteria around a radar chart. They determine how large the web can be.

use kurbo::{Point, Rect, Vec2};

use crate::Scene;
use crate::format::{NumberFormat, Omission};
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

/// The values of a chart with a single series, which are shown in the labels.
#[derive(Clone, Copy)]
pub struct SingleSeries<'a> {
    /// Value for each criterion.
    pub values: &'a [Option<f64>],
    /// Format of the values.
    pub format: &'a NumberFormat,
}

impl RadarLayout {
    /// Returns whether the rectangle `other` keeps its distance from the circle around the web and
    /// from the labels.
    ///
    /// The distance is one label size from the circle. From the labels it is one label size
    /// horizontally and half of it vertically.
    pub fn is_clear_of(&self, other: Rect, style: &ChartStyle) -> bool {
        let RadarLayout { labels, center, radius } = self;
        let nearest =
            Point::new(center.x.clamp(other.x0, other.x1), center.y.clamp(other.y0, other.y1));
        let with_margin = other.inflate(style.label_size, style.label_size * 0.5);
        let is_clear = |(spoke, label): (usize, &CriterionLabel)| {
            let direction = spoke_direction(spoke, labels.len());
            let end = *center + direction * (radius + spoke_gap(style));
            layout_lines(label, direction, end, style)
                .iter()
                .all(|text| !text.bounds().overlaps(with_margin))
        };
        (nearest - *center).hypot() > radius + style.label_size
            && labels.iter().enumerate().all(is_clear)
    }
}

/// Wraps the labels and chooses center and radius of the web, so that the labels are inside `area`.
///
/// Prefers wide labels. Narrower ones are used if the radius is otherwise small and they enlarge it
/// by more than 15 %. If the radius is less than 12 points, the labels are omitted and the web
/// takes their space. `is_circular` says whether the gridlines are circles.
pub fn lay_out(
    criteria: &[String],
    series: Option<SingleSeries>,
    area: Rect,
    is_circular: bool,
    style: &ChartStyle,
) -> RadarLayout {
    let desired_radius = area.height().min(area.width()) * 0.3;
    let mut best: Option<RadarLayout> = None;
    for width_share in [0.3, 0.24, 0.18, 0.12] {
        let labels = wrap_labels(criteria, series, area.width() * width_share, style);
        let (center, radius) = fit_web(&labels, area, is_circular, style);
        let is_better = best.as_ref().is_none_or(|best| radius > best.radius * 1.15);
        if is_better {
            best = Some(RadarLayout { labels, center, radius });
        }
        if radius >= desired_radius {
            break;
        }
    }
    match best {
        Some(best) if best.radius >= 12.0 => best,
        _ => {
            let empty_labels = criteria
                .iter()
                .map(|_| CriterionLabel { lines: Vec::new(), full: None, width: 0.0 })
                .collect();
            RadarLayout {
                labels: empty_labels,
                center: area.center(),
                radius: area.width().min(area.height()) / 2.0 - 4.0,
            }
        }
    }
}

/// Returns the labels: each name in at most two lines of `max_width` points, and the value below
/// it.
fn wrap_labels(
    criteria: &[String],
    series: Option<SingleSeries>,
    max_width: f64,
    style: &ChartStyle,
) -> Vec<CriterionLabel> {
    let wrap_label = |(index, name): (usize, &String)| {
        let mut lines = text::wrap(name, max_width, 2, style.label_size, style.label_face());
        let full = lines.last().filter(|line| line.ends_with('…')).map(|_| name.clone());
        if let Some(SingleSeries { values, format }) = series {
            lines.extend(values.get(index).copied().flatten().map(|value| format.text(value)));
        }
        let width =
            lines.iter().map(|line| style.text_width(line, style.label_size)).fold(0.0, f64::max);
        CriterionLabel { lines, full, width }
    };
    criteria.iter().enumerate().map(wrap_label).collect()
}

/// Returns the distance of two baselines of a label in points.
fn line_step(style: &ChartStyle) -> f64 {
    style.label_size * 1.2
}

/// Returns the space between the end of a spoke and its label in points.
fn spoke_gap(style: &ChartStyle) -> f64 {
    style.label_size * 0.6
}

/// Returns center and radius (in points) of the largest web that fits into the area with its
/// labels. The radius is negative if the labels need more than the area.
fn fit_web(
    labels: &[CriterionLabel],
    area: Rect,
    is_circular: bool,
    style: &ChartStyle,
) -> (Point, f64) {
    let gap = spoke_gap(style);
    let mut max_radius_by_width = area.width() / 2.0;
    // A polygon can extend less far down than up. A circle extends equally in all directions.
    let (mut reach_up, mut reach_down) = if is_circular { (1.0f64, 1.0f64) } else { (0.0, 0.0) };
    let (mut top_overhang, mut bottom_overhang) = (0.0f64, 0.0f64);
    for (spoke, label) in labels.iter().enumerate() {
        let Vec2 { x, y } = spoke_direction(spoke, labels.len());
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

/// Returns the lines of a label, placed outside the point `end` of a spoke. `direction` is the unit
/// vector of the spoke.
fn layout_lines(
    label: &CriterionLabel,
    direction: Vec2,
    end: Point,
    style: &ChartStyle,
) -> Vec<Text> {
    let size = style.label_size;
    let anchor = match direction.x {
        x if x.abs() <= 0.12 => Anchor::Middle,
        x if x > 0.0 => Anchor::Start,
        _ => Anchor::End,
    };
    let height = (label.lines.len() as f64 - 1.0) * line_step(style) + size * 0.72;
    let top = end.y - height * (1.0 - direction.y) / 2.0;
    let to_text = |(line, line_text): (usize, &String)| {
        let baseline = top + size * 0.72 + line as f64 * line_step(style);
        Text {
            full: label.full.clone(),
            ..style.label_text(end.x, baseline, anchor, size, line_text)
        }
    };
    label.lines.iter().enumerate().map(to_text).collect()
}

/// Draws the labels around the web. Labels that would overlap an earlier one or leave the canvas
/// are omitted, with a warning. `radius` is the length of the spokes in points.
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
        let lines = layout_lines(label, web.spoke_direction(spoke), end, style);
        let Some(bounds) = lines.iter().map(Text::bounds).reduce(|a, b| a.union(b)) else {
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
        lines.into_iter().for_each(|text| scene.text(text));
    }
    scene.omit(Omission::Name, omitted);
}
