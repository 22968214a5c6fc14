//! Labels of a radar chart with many criteria: moved apart on both sides, and joined to their
//! spokes by lines.

use kurbo::{Line, Point, Rect, Vec2};

use crate::frame::ChartStyle;
use crate::kinds::radar::layout;
use crate::kinds::radar::layout::{CriterionLabel, RadarLayout, SpreadLabel};
use crate::kinds::radar::web::spoke_direction;
use crate::scene::Text;
use crate::spread;

/// Returns whether a spoke, given by its unit vector, points about up or down, so that its label is above or
/// below the web instead of beside it.
fn is_polar(direction: &Vec2) -> bool {
    direction.x.abs() <= 0.12
}

/// Returns the indices of the spokes on the right side (`is_right`) or the left side, from top to
/// bottom. Spokes that point up or down belong to no side.
fn list_members(directions: &[Vec2], is_right: bool) -> Vec<usize> {
    let is_member = |direction: &Vec2| !is_polar(direction) && (direction.x > 0.0) == is_right;
    let members = directions.iter().enumerate().filter(|(_, direction)| is_member(direction));
    let mut members: Vec<(usize, &Vec2)> = members.collect();
    members.sort_by(|(_, one), (_, other)| one.y.total_cmp(&other.y));
    members.into_iter().map(|(index, _)| index).collect()
}

/// Lays out the web and its labels in `area`: most labels in a column on each side, moved apart
/// vertically so that they do not overlap, and those of vertical spokes above and below.
///
/// The radius is the largest for which the widest label still fits. Returns None if the labels of a
/// side are too high together, or no space is left for the web. `gap` is the space between a spoke and
/// its label in points.
pub fn lay_out(
    labels: Vec<CriterionLabel>,
    area: Rect,
    gap: f64,
    style: &ChartStyle,
) -> Option<RadarLayout> {
    let directions: Vec<Vec2> =
        (0..labels.len()).map(|spoke| spoke_direction(spoke, labels.len())).collect();
    let polar_height = |is_top: bool| {
        let polar = labels.iter().zip(&directions);
        let polar =
            polar.filter(|(_, direction)| is_polar(direction) && (direction.y < 0.0) == is_top);
        polar.map(|(label, _)| label.height() + gap).fold(0.0, f64::max)
    };
    let (top, bottom) = (area.y0 + polar_height(true), area.y1 - polar_height(false));
    let sides = labels.iter().zip(&directions).filter(|(_, direction)| !is_polar(direction));
    let widest = sides.map(|(label, _)| label.width).fold(0.0, f64::max);
    // A distance of a third of a line remains above and below the web.
    let radius =
        (area.width() / 2.0 - gap - widest).min((bottom - top) / 2.0 - style.label_size * 0.3);
    let center = Point::new(area.center().x, (top + bottom) / 2.0);
    let mut placed: Vec<Option<SpreadLabel>> = labels.iter().map(|_| None).collect();
    for is_right in [true, false] {
        let members = list_members(&directions, is_right);
        let y_of = |index: &usize| directions.get(*index).map_or(0.0, |direction| direction.y);
        let preferred = |index: &usize| center.y + y_of(index) * (radius + gap);
        let middles =
            spread_members(&labels, &members, preferred, (top, bottom)).filter(|_| radius > 0.0)?;
        for (index, middle) in members.into_iter().zip(middles) {
            let (Some(label), Some(direction)) = (labels.get(index), directions.get(index)) else {
                continue;
            };
            let at = place_beside(label, *direction, middle, (center, radius, gap), style);
            if let Some(slot) = placed.get_mut(index) {
                *slot = Some(at);
            }
        }
    }
    // Above or below the web and all labels of the sides, so that no line to a label is long.
    let side_bounds = || {
        let lines = placed.iter().flatten().flat_map(|label| &label.lines);
        lines.map(Text::bounds).collect::<Vec<Rect>>()
    };
    let above = side_bounds().iter().map(|rect| rect.y0).fold(center.y - radius, f64::min);
    let below = side_bounds().iter().map(|rect| rect.y1).fold(center.y + radius, f64::max);
    let at_pole = |(index, slot): (usize, Option<SpreadLabel>)| {
        slot.or_else(|| {
            let (label, direction) = (labels.get(index)?, *directions.get(index)?);
            let y = match direction.y < 0.0 {
                true => (above - gap * 0.5).max(top - gap * 0.5),
                false => (below + gap * 0.5).min(bottom + gap * 0.5),
            };
            Some(place_at_pole(label, direction, y, (center, radius, gap), style))
        })
    };
    let spread: Vec<SpreadLabel> = placed.into_iter().enumerate().filter_map(at_pole).collect();
    Some(RadarLayout { labels, center, radius, spread: Some(spread) })
}

/// Returns the y coordinates of the middles of the labels on one side in points, one per entry of
/// `members`, which are indices of `labels` from top to bottom.
///
/// Labels do not overlap, and are as near as possible to the y coordinates that `preferred` returns
/// for their indices. Returns None if together they are higher than the range from `top` to `bottom`.
fn spread_members(
    labels: &[CriterionLabel],
    members: &[usize],
    preferred: impl Fn(&usize) -> f64,
    (top, bottom): (f64, f64),
) -> Option<Vec<f64>> {
    let heights: Vec<f64> =
        members.iter().filter_map(|index| Some(labels.get(*index)?.height() + 3.0)).collect();
    if heights.iter().sum::<f64>() > bottom - top {
        return None;
    }
    let preferred: Vec<f64> = members.iter().map(preferred).collect();
    Some(spread::spread_apart(&preferred, &heights, top, bottom))
}

/// Places the label of a nearly vertical spoke above or below the web. `y` is its edge that faces the
/// web. It gets a leader only if it is away from the end of the spoke.
///
/// `direction` is the unit vector of the spoke, `radius` and `gap` are in points.
fn place_at_pole(
    label: &CriterionLabel,
    direction: Vec2,
    y: f64,
    (center, radius, gap): (Point, f64, f64),
    style: &ChartStyle,
) -> SpreadLabel {
    let end = Point::new(center.x + direction.x * (radius + gap), y);
    let lines = layout::layout_lines(label, direction, end, style);
    let from = center + direction * (radius + 1.5);
    let is_away = (end - from).hypot() > gap * 1.6;
    let to = end - direction * gap * 0.3;
    SpreadLabel { lines, leader: is_away.then(|| Line::new(from, to)) }
}

/// Places a label right or left of the web, outside its circle, with its middle at the y coordinate
/// `middle`. It gets a leader only if it is away from the end of its spoke.
///
/// `direction` is the unit vector of the spoke, `radius` and `gap` are in points.
fn place_beside(
    label: &CriterionLabel,
    direction: Vec2,
    middle: f64,
    (center, radius, gap): (Point, f64, f64),
    style: &ChartStyle,
) -> SpreadLabel {
    let reach = radius + gap;
    let nearest = ((middle - center.y).abs() - label.height() / 2.0).max(0.0).min(reach);
    let beside_circle = (reach * reach - nearest * nearest).sqrt();
    let distance = beside_circle.max(direction.x.abs() * reach);
    let sideways = Vec2::new(direction.x.signum(), 0.0);
    let end = Point::new(center.x, middle) + sideways * distance;
    let lines = layout::layout_lines(label, sideways, end, style);
    let from = center + direction * (radius + 1.5);
    let to = end - sideways * 2.0;
    let is_away = (to - from).hypot() > gap * 1.6;
    SpreadLabel { lines, leader: is_away.then(|| Line::new(from, to)) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Chart;

    #[test]
    fn twenty_long_names_are_whole() {
        for series in [1, 2] {
            let criterion = |index: usize| {
                let name = format!("Quality of the services of the harbour railway {index}");
                let value = (index * 7 % 11) as f64;
                match series {
                    1 => json!({"criterion": name, "a": value}),
                    _ => json!({"criterion": name, "a": value, "b": 10.0 - value}),
                }
            };
            let data: Vec<Value> = (0..20).map(criterion).collect();
            let scene = crate::draw(&Chart::new(crate::find_kind("radar").unwrap(), &data));
            let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
            assert_eq!(scene.omissions, [], "{series}: {texts:?}");
            assert!(!texts.iter().any(|text| text.ends_with('…')), "{series}: {texts:?}");
        }
    }
}
