//! Arrangement of the ovals in their own coordinate system: proportional to the amounts, or all
//! equal.

use std::f64::consts::PI;

use kurbo::{Affine, Point, Shape as _};

use crate::kinds::venn::ovals;
use crate::kinds::venn::ovals::Oval;
use crate::kinds::venn::sets::Sets;

/// Number of rounds in which the distances of the circles are reconciled. Each round reduces the
/// remaining error.
const ROUNDS: usize = 400;
/// Distance between circles without overlap, as a share of the smaller radius.
const APART: f64 = 0.12;
/// Maximum deviation of an area that is not visible, as a share of the area of the whole diagram.
const NOT_SEEN: f64 = 0.015;

/// The ovals of a diagram.
pub struct Arrangement {
    /// One oval per set.
    pub ovals: Vec<Oval>,
    /// Whether the areas follow the amounts.
    pub by_amounts: bool,
}

/// Returns circles with areas by amount if `wanted`, for at most three sets with known amounts.
/// Otherwise returns equal ovals.
pub fn arrange(sets: &Sets, wanted: bool) -> Arrangement {
    let by_amounts = wanted && sets.measured && sets.all.len() <= 3;
    let ovals = match sets.all.len() {
        1..=3 if by_amounts => measured(sets),
        1..=3 => alike(sets.all.len()),
        _ => ellipses(),
    };
    Arrangement { ovals, by_amounts }
}

/// Returns equal circles. Each one passes near the centers of the others.
fn alike(count: usize) -> Vec<Oval> {
    let away = if count == 2 { 0.62 } else { 0.64 };
    let place = |it: usize| match count {
        1 => Point::ORIGIN,
        2 => Point::new(away * (2.0 * it as f64 - 1.0), 0.0),
        _ => {
            let angle = PI * (7.0 / 6.0 + 2.0 / 3.0 * it as f64);
            Point::new(angle.cos() * away, angle.sin() * away)
        }
    };
    (0..count).map(|it| Oval::new(place(it), (1.0, 1.0), 0.0)).collect()
}

/// Returns four ellipses that form all fifteen regions, each in one piece. The numbers come from a
/// search for the largest text box in the smallest region.
fn ellipses() -> Vec<Oval> {
    let (outer, inner) = ((1.112, 0.689), (1.328, 0.577));
    let one =
        |x: f64, y: f64, radii: (f64, f64), turn: f64| Oval::new(Point::new(x, y), radii, turn);
    vec![
        one(-0.357, 0.055, outer, 1.102),
        one(-0.06, -0.471, inner, 0.961),
        one(0.06, -0.471, inner, -0.961),
        one(0.357, 0.055, outer, -1.102),
    ]
}

/// Returns circles with areas proportional to the totals. Their distances are chosen so that each
/// pair shares its amount.
fn measured(sets: &Sets) -> Vec<Oval> {
    let largest = sets.all.iter().map(|it| it.total).fold(0.0, f64::max);
    let radii: Vec<f64> = sets.all.iter().map(|it| (it.total / largest).sqrt()).collect();
    // The initial positions form a triangle: the first two circles are level, above the third.
    let start = [(-0.7, -0.4), (0.7, -0.4), (0.0, 0.8)];
    let mut places: Vec<Point> = start.iter().take(radii.len()).map(|it| (*it).into()).collect();
    let mut pairs: Vec<(usize, usize, (f64, f64))> = Vec::new();
    for two in 0..radii.len() {
        for one in 0..two {
            let shared = sets.shared(1 << one | 1 << two) / largest;
            pairs.push((one, two, distances((radii[one], radii[two]), shared * PI)));
        }
    }
    for _ in 0..ROUNDS {
        for (one, two, (least, most)) in &pairs {
            let between = places[*two] - places[*one];
            let length = between.hypot().max(1e-12);
            let missing = length.clamp(*least, *most) - length;
            let step = between * (missing / length / 2.0);
            places[*one] -= step;
            places[*two] += step;
        }
    }
    places.iter().zip(&radii).map(|(at, radius)| Oval::new(*at, (*radius, *radius), 0.0)).collect()
}

/// Returns the minimum and maximum distance at which two circles share an area. Both are equal,
/// unless one circle is inside the other or the circles are apart.
fn distances((one, two): (f64, f64), area: f64) -> (f64, f64) {
    let (smaller, larger) = (one.min(two), one.max(two));
    let whole = PI * smaller * smaller;
    if area <= 1e-6 * whole {
        return (one + two + APART * smaller, f64::MAX);
    }
    if area >= whole * (1.0 - 1e-6) {
        return (0.0, (larger - smaller) * 0.85);
    }
    let (mut near, mut far) = (larger - smaller, larger + smaller);
    for _ in 0..60 {
        let middle = f64::midpoint(near, far);
        if lens((one, two), middle) > area { near = middle } else { far = middle }
    }
    (near, near)
}

/// Returns the area shared by two circles, at a distance at which their outlines intersect.
fn lens((one, two): (f64, f64), distance: f64) -> f64 {
    let part = |own: f64, other: f64| {
        let along = (distance * distance + own * own - other * other) / (2.0 * distance);
        let share = (along / own).clamp(-1.0, 1.0);
        own * own * (share.acos() - share * (1.0 - share * share).max(0.0).sqrt())
    };
    part(one, two) + part(two, one)
}

/// Returns the regions with an area that visibly differs from their amount.
pub fn unmet(arrangement: &Arrangement, sets: &Sets) -> Vec<usize> {
    if !arrangement.by_amounts {
        return Vec::new();
    }
    let regions = 1..sets.regions.len();
    let common: Vec<f64> = (0..sets.regions.len())
        .map(|it| if it == 0 { 0.0 } else { ovals::common(&arrangement.ovals, it).area().abs() })
        .collect();
    let area = |place: usize| -> f64 {
        let within = common.iter().enumerate().filter(|it| it.0 & place == place);
        let sign = |it: usize| if (it ^ place).count_ones() % 2 == 1 { -1.0 } else { 1.0 };
        within.map(|it| sign(it.0) * it.1).sum()
    };
    let largest = sets.all.iter().map(|it| it.total).fold(0.0, f64::max);
    let wanted = |place: usize| sets.regions[place].amount / largest * PI;
    let whole: f64 = regions.clone().map(wanted).sum();
    let off = |place: &usize| (area(*place) - wanted(*place)).abs();
    regions.filter(|it| off(it) > NOT_SEEN * whole).collect()
}

/// Returns rotations of an arrangement, the default first. Each has a weight that is greater if the
/// rotation is preferred.
pub fn turned(arrangement: &Arrangement) -> Vec<(Vec<Oval>, f64)> {
    let ovals = &arrangement.ovals;
    let place = |it: usize| ovals.get(it).map_or(Point::ORIGIN, |it| it.bounds().center());
    let by = |turn: f64| ovals.iter().map(|it| it.moved(Affine::rotate(turn))).collect();
    match ovals.len() {
        2 => {
            let level = -(place(1) - place(0)).atan2();
            vec![(by(level), 1.0), (by(level + PI / 2.0), 0.85)]
        }
        // Each pair of circles in turn is level, above the third circle.
        3 => {
            let level = |it: usize| -(place((it + 1) % 3) - place(it)).atan2();
            vec![(by(level(0)), 1.0), (by(level(1)), 0.87), (by(level(2)), 0.87)]
        }
        _ => vec![(ovals.clone(), 1.0)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_share_the_area_that_is_asked_for() {
        for (one, two) in [(1.0, 1.0), (1.0, 0.6), (0.3, 1.0)] {
            let whole = PI * f64::min(one, two).powi(2);
            for share in [0.02, 0.3, 0.7, 0.97] {
                let (distance, most) = distances((one, two), share * whole);
                assert_eq!(distance, most);
                let pair = [(0.0, one), (distance, two)]
                    .map(|it| Oval::new(Point::new(it.0, 0.0), (it.1, it.1), 0.0));
                let area = ovals::common(&pair, 3).area().abs();
                assert!((area - share * whole).abs() < 2e-3 * whole, "{one} {two} {share}: {area}");
            }
        }
    }

    #[test]
    fn circles_may_be_apart_or_within_each_other() {
        let (least, most) = distances((1.0, 0.5), 0.0);
        assert!(least > 1.5 && most == f64::MAX);
        let (least, most) = distances((1.0, 0.5), PI / 4.0);
        assert!(least == 0.0 && most < 0.5);
    }

    #[test]
    fn equal_circles_and_ellipses_have_every_region_in_one_piece() {
        for ovals in [alike(2), alike(3), ellipses()] {
            let room = ovals::Room::new(&ovals);
            for region in 1..1 << ovals.len() {
                let extent = room.extent(region);
                assert!(extent > 8, "{region:b}: {extent}");
                assert_eq!(room.piece(region), extent, "{region:b} is in pieces");
            }
        }
    }
}
