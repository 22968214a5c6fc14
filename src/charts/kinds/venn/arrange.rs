//! Arrangement of the ovals in their own coordinate system: proportional to the amounts, or all
//! equal.

use std::f64::consts::PI;

use kurbo::{Affine, Point, Shape as _};

use crate::kinds::venn::ovals;
use crate::kinds::venn::ovals::Oval;
use crate::kinds::venn::sets::SetData;

/// Number of rounds in which the distances of the circles are reconciled. Each round reduces the
/// remaining error.
const RECONCILE_ROUNDS: usize = 400;
/// Gap between circles without overlap, as a share of the smaller radius.
const SEPARATE_CIRCLE_GAP: f64 = 0.12;
/// Maximum deviation of an area that is not visible, as a share of the area of the whole diagram.
const MAX_AREA_ERROR: f64 = 0.015;
/// Maximum number of sets that are drawn as circles. More sets are drawn as four ellipses.
const MAX_CIRCLES: usize = 3;

/// The ovals of a diagram.
pub struct Arrangement {
    /// One oval per set.
    pub ovals: Vec<Oval>,
    /// Whether the areas follow the amounts.
    pub is_proportional: bool,
}

/// A rotation of an arrangement.
pub struct RotatedOvals {
    /// One oval per set.
    pub ovals: Vec<Oval>,
    /// Preference, 1 for the default rotation and less for others. The scale of the diagram is
    /// multiplied by it when rotations are compared.
    pub weight: f64,
}

/// Returns circles with areas by amount if `proportional`, for at most three sets that all have a total
/// above zero. Otherwise returns equal circles, or four ellipses if there are more than three sets.
///
/// The coordinates are not those of the canvas. The largest circle has the radius 1.
pub fn arrange_ovals(set_data: &SetData, proportional: bool) -> Arrangement {
    let count = set_data.sets.len();
    let is_proportional = proportional && set_data.has_all_totals && count <= MAX_CIRCLES;
    let ovals = match count {
        1..=MAX_CIRCLES if is_proportional => build_proportional_circles(set_data),
        1..=MAX_CIRCLES => build_equal_circles(count),
        _ => build_ellipses(),
    };
    Arrangement { ovals, is_proportional }
}

/// Returns one to three equal circles with the radius 1, side by side or in a triangle. They overlap, but
/// none contains the center of another.
fn build_equal_circles(count: usize) -> Vec<Oval> {
    let center_distance = if count == 2 { 0.62 } else { 0.64 };
    let center = |index: usize| match count {
        1 => Point::ORIGIN,
        2 => Point::new(center_distance * (2.0 * index as f64 - 1.0), 0.0),
        _ => {
            let angle = PI * (7.0 / 6.0 + 2.0 / 3.0 * index as f64);
            Point::new(angle.cos() * center_distance, angle.sin() * center_distance)
        }
    };
    (0..count).map(|index| Oval::circle(center(index), 1.0)).collect()
}

/// Returns four ellipses that form all fifteen regions, each in one piece. The numbers come from a
/// search for the largest text box in the smallest region.
fn build_ellipses() -> Vec<Oval> {
    let (outer, inner) = ((1.112, 0.689), (1.328, 0.577));
    let ellipse =
        |x: f64, y: f64, radii: (f64, f64), angle: f64| Oval::new(Point::new(x, y), radii, angle);
    vec![
        ellipse(-0.357, 0.055, outer, 1.102),
        ellipse(-0.06, -0.471, inner, 0.961),
        ellipse(0.06, -0.471, inner, -0.961),
        ellipse(0.357, 0.055, outer, -1.102),
    ]
}

/// Distances that a pair of circles should keep.
struct PairDistance {
    /// Index of the first circle.
    first: usize,
    /// Index of the second circle.
    second: usize,
    /// Allowed distances of the centers.
    allowed: DistanceRange,
}

/// Minimum and maximum distance between the centers of two circles.
#[derive(Clone, Copy)]
struct DistanceRange {
    min: f64,
    /// `f64::MAX` if the distance is unlimited.
    max: f64,
}

/// Returns circles with areas proportional to the totals; the largest has the radius 1. Their
/// distances are chosen so that each pair shares its amount. For three circles, this is an
/// approximation if the distances contradict each other.
///
/// There must be one to three sets, each with a total above zero.
fn build_proportional_circles(set_data: &SetData) -> Vec<Oval> {
    let sets = &set_data.sets;
    let largest = sets.iter().map(|set| set.total).fold(0.0, f64::max);
    let radii: Vec<f64> = sets.iter().map(|set| (set.total / largest).sqrt()).collect();
    // The initial centers form a triangle: the first two circles are level, above the third.
    let start = [(-0.7, -0.4), (0.7, -0.4), (0.0, 0.8)];
    let mut centers: Vec<Point> =
        start.iter().take(radii.len()).map(|center| (*center).into()).collect();
    let mut pairs: Vec<PairDistance> = Vec::new();
    for second in 0..radii.len() {
        for first in 0..second {
            let shared = set_data.shared_amount(1 << first | 1 << second) / largest;
            let allowed = find_distances(radii[first], radii[second], shared * PI);
            pairs.push(PairDistance { first, second, allowed });
        }
    }
    for _ in 0..RECONCILE_ROUNDS {
        for PairDistance { first, second, allowed } in &pairs {
            let offset = centers[*second] - centers[*first];
            let distance = offset.hypot().max(1e-12);
            let missing = distance.clamp(allowed.min, allowed.max) - distance;
            let step = offset * (missing / distance / 2.0);
            centers[*first] -= step;
            centers[*second] += step;
        }
    }
    centers.iter().zip(&radii).map(|(center, radius)| Oval::circle(*center, *radius)).collect()
}

/// Returns the distances of the centers at which two circles share this area. Minimum and maximum are
/// equal, unless the area is that of the smaller circle, which is then inside, or about 0, so that the
/// circles are apart with a gap.
fn find_distances(first_radius: f64, second_radius: f64, area: f64) -> DistanceRange {
    let smaller = first_radius.min(second_radius);
    let larger = first_radius.max(second_radius);
    let smaller_area = PI * smaller * smaller;
    if area <= 1e-6 * smaller_area {
        let min = first_radius + second_radius + SEPARATE_CIRCLE_GAP * smaller;
        return DistanceRange { min, max: f64::MAX };
    }
    if area >= smaller_area * (1.0 - 1e-6) {
        return DistanceRange { min: 0.0, max: (larger - smaller) * 0.85 };
    }
    let (mut near, mut far) = (larger - smaller, larger + smaller);
    for _ in 0..60 {
        let middle = f64::midpoint(near, far);
        if compute_lens_area(first_radius, second_radius, middle) > area {
            near = middle;
        } else {
            far = middle;
        }
    }
    DistanceRange { min: near, max: near }
}

/// Returns the area shared by two circles. `distance` is that of their centers, at which their outlines
/// must intersect.
fn compute_lens_area(first_radius: f64, second_radius: f64, distance: f64) -> f64 {
    // Area of the circular segment that the common chord cuts off a circle.
    let segment_area = |own: f64, other: f64| {
        let chord_distance = (distance * distance + own * own - other * other) / (2.0 * distance);
        let cosine = (chord_distance / own).clamp(-1.0, 1.0);
        own * own * (cosine.acos() - cosine * (1.0 - cosine * cosine).max(0.0).sqrt())
    };
    segment_area(first_radius, second_radius) + segment_area(second_radius, first_radius)
}

/// Returns the indices of the regions with an area that visibly differs from their amount. Empty if the
/// arrangement is not meant to be proportional.
pub fn find_inexact_regions(arrangement: &Arrangement, set_data: &SetData) -> Vec<usize> {
    if !arrangement.is_proportional {
        return Vec::new();
    }
    let count = set_data.regions.len();
    let shared_areas: Vec<f64> = (0..count)
        .map(|region| match region {
            0 => 0.0,
            _ => ovals::intersect_members(&arrangement.ovals, region).area().abs(),
        })
        .collect();
    // Area that belongs to exactly the members of a region, by inclusion and exclusion.
    let area = |region: usize| -> f64 {
        let supersets =
            shared_areas.iter().enumerate().filter(|(superset, _)| superset & region == region);
        let sign = |superset: usize| match (superset ^ region).count_ones() % 2 {
            1 => -1.0,
            _ => 1.0,
        };
        supersets.map(|(superset, shared_area)| sign(superset) * shared_area).sum()
    };
    let largest = set_data.sets.iter().map(|set| set.total).fold(0.0, f64::max);
    let expected_area = |region: usize| set_data.regions[region].amount / largest * PI;
    let total_area: f64 = (1..count).map(expected_area).sum();
    let error = |region: usize| (area(region) - expected_area(region)).abs();
    (1..count).filter(|region| error(*region) > MAX_AREA_ERROR * total_area).collect()
}

/// Returns rotations of an arrangement, the default first: two circles side by side or one above the other,
/// three circles with each pair in turn above the third. Other arrangements have only the given rotation.
pub fn rotate_arrangement(arrangement: &Arrangement) -> Vec<RotatedOvals> {
    let ovals = &arrangement.ovals;
    let center =
        |index: usize| ovals.get(index).map_or(Point::ORIGIN, |oval| oval.bounds().center());
    let rotated = |angle: f64, weight: f64| {
        let rotation = Affine::rotate(angle);
        RotatedOvals {
            ovals: ovals.iter().map(|oval| oval.transformed(rotation)).collect(),
            weight,
        }
    };
    match ovals.len() {
        2 => {
            let level = -(center(1) - center(0)).atan2();
            vec![rotated(level, 1.0), rotated(level + PI / 2.0, 0.85)]
        }
        // Each pair of circles in turn is level, above the third circle.
        3 => {
            let level = |index: usize| -(center((index + 1) % 3) - center(index)).atan2();
            vec![rotated(level(0), 1.0), rotated(level(1), 0.87), rotated(level(2), 0.87)]
        }
        _ => vec![RotatedOvals { ovals: ovals.clone(), weight: 1.0 }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_share_the_requested_area() {
        for (first, second) in [(1.0, 1.0), (1.0, 0.6), (0.3, 1.0)] {
            let smaller_area = PI * f64::min(first, second).powi(2);
            for share in [0.02, 0.3, 0.7, 0.97] {
                let DistanceRange { min, max } =
                    find_distances(first, second, share * smaller_area);
                assert_eq!(min, max);
                let pair = [
                    Oval::circle(Point::ORIGIN, first),
                    Oval::circle(Point::new(min, 0.0), second),
                ];
                let area = ovals::intersect_members(&pair, 3).area().abs();
                let error = (area - share * smaller_area).abs();
                assert!(error < 2e-3 * smaller_area, "{first} {second} {share}: {area}");
            }
        }
    }

    #[test]
    fn circles_may_be_apart_or_within_each_other() {
        let apart = find_distances(1.0, 0.5, 0.0);
        assert!(apart.min > 1.5 && apart.max == f64::MAX);
        let nested = find_distances(1.0, 0.5, PI / 4.0);
        assert!(nested.min == 0.0 && nested.max < 0.5);
    }

    #[test]
    fn equal_circles_and_ellipses_have_every_region_in_one_piece() {
        for ovals in [build_equal_circles(2), build_equal_circles(3), build_ellipses()] {
            let grid = ovals::RegionGrid::new(&ovals);
            for region in 1..1 << ovals.len() {
                let count = grid.point_count(region);
                assert!(count > 8, "{region:b}: {count}");
                assert_eq!(grid.connected_point_count(region), count, "{region:b} is in pieces");
            }
        }
    }
}
