//! Labels of the criteria around a radar chart. They determine how large the web can be.

use kurbo::{Point, Rect, Vec2};

use crate::Scene;
use crate::format::{NumberFormat, Omission};
use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::kinds::radar::layout;
use crate::kinds::radar::layout::{CriterionLabel, RadarLayout, SpreadLabel};
use crate::kinds::radar::spread;
use crate::kinds::radar::web::Web;
use crate::kinds::radar::web::spoke_direction;
use crate::scene::Text;
use crate::text;

/// The values of a chart with a single series, which are shown in the labels.
#[derive(Clone, Copy)]
pub struct SingleSeries<'a> {
    /// Value for each criterion.
    pub values: &'a [Option<f64>],
    /// Format of the values.
    pub format: &'a NumberFormat,
}

/// Wraps the labels and chooses center and radius of the web, so that the labels are inside `area`.
///
/// Prefers wide labels. Narrower ones are used if the radius is otherwise small and they enlarge it
/// by more than 15 %. If labels would be lost, tries smaller text and labels moved apart. If no
/// layout leaves space for the web, there are no labels and the web takes their space.
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
        let form = (area.width() * width_share, 2, style.label_size);
        let labels = wrap_labels(criteria, series, form, style);
        let (center, radius) = fit_web(&labels, area, is_circular, style);
        let is_better = best.as_ref().is_none_or(|best| radius > best.radius * 1.15);
        if is_better {
            best = Some(RadarLayout { labels, center, radius, spread: None });
        }
        if radius >= desired_radius {
            break;
        }
    }
    let best = best.filter(|best| best.radius >= 12.0);
    let lost = best.as_ref().map_or(criteria.len(), |best| count_lost(best, style));
    if lost == 0 {
        return best.unwrap_or_else(|| without_labels(criteria, area));
    }
    let dense = lay_out_dense(criteria, series, area, is_circular, style);
    match (best, dense) {
        (_, Some((dense, fewer))) if fewer <= lost => dense,
        (Some(best), _) => best,
        _ => without_labels(criteria, area),
    }
}

/// Returns the layout with empty labels and the largest web in the middle of `area`.
fn without_labels(criteria: &[String], area: Rect) -> RadarLayout {
    let label = |name: &String| CriterionLabel {
        name: name.clone(),
        lines: Vec::new(),
        size: 0.0,
        full: None,
        width: 0.0,
    };
    RadarLayout {
        labels: criteria.iter().map(label).collect(),
        center: area.center(),
        radius: area.width().min(area.height()) / 2.0 - 4.0,
        spread: None,
    }
}

/// Returns the layout that loses the fewest labels, and the number of lost labels. Tries smaller
/// text, one to three lines, and labels that are moved apart. Of equal layouts, the one with the
/// most letters is chosen. None if no such layout leaves space for the web.
fn lay_out_dense(
    criteria: &[String],
    series: Option<SingleSeries>,
    area: Rect,
    is_circular: bool,
    style: &ChartStyle,
) -> Option<(RadarLayout, usize)> {
    let min_radius = (area.height().min(area.width()) * 0.2).max(12.0);
    let mut sizes = vec![style.label_size, style.small_size, MIN_TEXT_SIZE];
    sizes.dedup();
    let shares = [0.3, 0.24, 0.34, 0.4];
    let forms = sizes.iter().flat_map(|size| {
        let with_lines = |lines: usize| shares.map(|share| (area.width() * share, lines, *size));
        [1, 2, 3].into_iter().flat_map(with_lines)
    });
    // Of layouts that lose equally many labels, the one with the longest labels is the best.
    let count_letters = |layout: &RadarLayout| -> usize {
        let lines = layout.labels.iter().flat_map(|label| &label.lines);
        lines.map(|line| line.chars().count()).sum()
    };
    let mut best: Option<(RadarLayout, usize)> = None;
    for form in forms {
        let labels = wrap_labels(criteria, series, form, style);
        let (center, radius) = fit_web(&labels, area, is_circular, style);
        let beside_spokes = RadarLayout { labels, center, radius, spread: None };
        let labels = wrap_labels(criteria, series, form, style);
        let layouts =
            [Some(beside_spokes), spread::lay_out(labels, area, layout::spoke_gap(style), style)];
        for layout in layouts.into_iter().flatten().filter(|layout| layout.radius >= min_radius) {
            let lost = count_lost(&layout, style);
            let is_better = best.as_ref().is_none_or(|(other, fewest)| {
                let has_more_letters = count_letters(&layout) > count_letters(other);
                lost < *fewest || lost == *fewest && has_more_letters
            });
            if is_better {
                best = Some((layout, lost));
            }
        }
        if best.as_ref().is_some_and(|(_, lost)| *lost == 0) {
            break;
        }
    }
    best
}

/// Returns the number of labels that are shortened, have no lines, or would overlap an earlier one.
fn count_lost(layout: &RadarLayout, style: &ChartStyle) -> usize {
    let RadarLayout { labels, center, radius, spread } = layout;
    let cut = labels.iter().filter(|label| label.full.is_some() || label.lines.is_empty()).count();
    if spread.is_some() {
        return cut;
    }
    let mut occupied: Vec<Rect> = Vec::new();
    let mut overlapping = 0;
    for (spoke, label) in labels.iter().enumerate() {
        let direction = spoke_direction(spoke, labels.len());
        let end = *center + direction * (radius + layout::spoke_gap(style));
        let lines = layout::layout_lines(label, direction, end, style);
        let Some(bounds) = join_bounds(&lines) else { continue };
        if is_occupied(&occupied, bounds) {
            overlapping += 1;
        } else {
            occupied.push(bounds);
        }
    }
    cut + overlapping
}

/// Returns the rectangle around all lines of a label. None without lines.
fn join_bounds(lines: &[Text]) -> Option<Rect> {
    lines.iter().map(Text::bounds).reduce(|a, b| a.union(b))
}

/// Returns whether a label with these bounds would touch one of the rectangles `occupied` or come
/// very near.
fn is_occupied(occupied: &[Rect], bounds: Rect) -> bool {
    occupied.iter().any(|other| other.overlaps(bounds.inflate(2.0, 1.0)))
}

/// Returns the labels: each name in at most `max_lines` lines of `max_width` points in the font
/// size `size`, and with `series` its value as a further line.
fn wrap_labels(
    criteria: &[String],
    series: Option<SingleSeries>,
    (max_width, max_lines, size): (f64, usize, f64),
    style: &ChartStyle,
) -> Vec<CriterionLabel> {
    let wrap_label = |(index, name): (usize, &String)| {
        let mut lines = text::wrap(name, max_width, max_lines, size, style.label_face());
        let full = lines.iter().find(|line| line.ends_with('…')).map(|_| name.clone());
        if let Some(SingleSeries { values, format }) = series {
            lines.extend(values.get(index).copied().flatten().map(|value| format.text(value)));
        }
        let width = lines.iter().map(|line| style.text_width(line, size)).fold(0.0, f64::max);
        CriterionLabel { name: name.clone(), lines, size, full, width }
    };
    criteria.iter().enumerate().map(wrap_label).collect()
}

/// Returns center and radius (in points) of the largest web that fits into the area with its labels
/// at the ends of the spokes. The radius is negative if the labels need more than the area. Ignores
/// overlaps between labels.
fn fit_web(
    labels: &[CriterionLabel],
    area: Rect,
    is_circular: bool,
    style: &ChartStyle,
) -> (Point, f64) {
    let gap = layout::spoke_gap(style);
    let mut max_radius_by_width = area.width() / 2.0;
    // A polygon can extend less far down than up. A circle extends equally in all directions.
    let (mut reach_up, mut reach_down) = if is_circular { (1.0f64, 1.0f64) } else { (0.0, 0.0) };
    let (mut top_overhang, mut bottom_overhang) = (0.0f64, 0.0f64);
    for (spoke, label) in labels.iter().enumerate() {
        let Vec2 { x, y } = spoke_direction(spoke, labels.len());
        let height = label.height();
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

/// Draws the labels around the web: those of `spread` at their positions, or without it each at the
/// end of its spoke. There, labels that would overlap an earlier one or leave the canvas are
/// omitted. The scene counts them. `radius` is the length of the spokes in points.
pub fn draw_labels(
    labels: &[CriterionLabel],
    spread: Option<Vec<SpreadLabel>>,
    web: &Web,
    radius: f64,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    if let Some(spread) = spread {
        return spread.into_iter().for_each(|label| label.draw(style, scene));
    }
    let mut occupied: Vec<Rect> = Vec::new();
    let mut omitted = 0;
    for (spoke, label) in labels.iter().enumerate() {
        let end = web.point(spoke, radius + layout::spoke_gap(style));
        let lines = layout::layout_lines(label, web.spoke_direction(spoke), end, style);
        let Some(bounds) = join_bounds(&lines) else {
            omitted += usize::from(!label.name.is_empty());
            continue;
        };
        let canvas = Rect::new(2.0, 2.0, scene.width - 2.0, scene.height - 2.0);
        if is_occupied(&occupied, bounds) || !canvas.contains_rect(bounds) {
            omitted += 1;
            continue;
        }
        occupied.push(bounds);
        lines.into_iter().for_each(|text| scene.text(text));
    }
    scene.omit(Omission::Name, omitted);
}
