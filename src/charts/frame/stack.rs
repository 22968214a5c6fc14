//! Stacks of areas: the edges of the band of each curve.
//!
//! Positive and negative parts are stacked apart, above and below zero. A missing value between two
//! values of a curve leaves a hole in its band. The curves around the hole keep their distance, as
//! if the value were on the straight line between its neighbors, so that the stack does not fall. A
//! band starts and ends with a vertical edge at the first and the last value of its curve. Shares
//! need the total of a point, so that a hole in one curve of a stack of shares is a hole in all.

use std::collections::BTreeSet;

use crate::frame::curves::{AreaBand, Curve, XValues};
use crate::shape::curve::Interpolation;

/// Stacks the curves in their order, the first nearest to zero: sets their bands, and their edges
/// at each value. Each curve must have a value.
///
/// With `is_percent` the values of each point are scaled so that their absolute values add up to
/// 100. `interpolation` is that of the edges.
pub fn stack_curves(
    curves: &mut [Curve],
    x_values: &XValues,
    is_percent: bool,
    interpolation: Interpolation,
) {
    let stack = Stack::new(curves, x_values, is_percent);
    for curve in curves.iter_mut() {
        curve.tops = vec![None; stack.point_count];
        curve.bottoms = vec![0.0; stack.point_count];
    }
    for point in 0..stack.point_count {
        for layer in stack.layers(point, (point, point)) {
            let (inner, outer) = layer.value_side();
            let curve = &mut curves[layer.index];
            curve.bottoms[point] = inner;
            curve.tops[point] = stack.is_visible(layer.index, point).then_some(outer);
            if stack.is_alone(layer.index, point) && inner != outer {
                curve.bands.push(AreaBand { start: point, edges: vec![(inner, outer)] });
            }
        }
    }
    for section in stack.sections(interpolation) {
        add_bands(&stack, section, curves);
    }
    // A smooth edge has its shape from the points of its section, so that it ends with the section.
    if interpolation != Interpolation::Smooth {
        for curve in curves.iter_mut() {
            join_touching_bands(&mut curve.bands);
        }
    }
}

/// Joins bands that end and start with the same edge, so that no rim separates them: the start of
/// one curve changes nothing in the curves below it.
fn join_touching_bands(bands: &mut Vec<AreaBand>) {
    let mut joined: Vec<AreaBand> = Vec::with_capacity(bands.len());
    for band in bands.drain(..) {
        let touches = |previous: &&mut AreaBand| {
            let ends_here = previous.start + previous.edges.len() == band.start + 1;
            ends_here && previous.edges.len() > 1 && previous.edges.last() == band.edges.first()
        };
        match joined.iter_mut().rev().take(2).find(touches) {
            Some(previous) if band.edges.len() > 1 => {
                previous.edges.extend(band.edges.into_iter().skip(1));
            }
            _ => joined.push(band),
        }
    }
    *bands = joined;
}

/// Adds to the curves their bands from the point `start` to the point `end`, both inclusive. No
/// curve may start or end between them.
fn add_bands(stack: &Stack, (start, end): (usize, usize), curves: &mut [Curve]) {
    // The band of each curve that is not complete yet, below and above zero.
    let mut open: Vec<[Option<AreaBand>; 2]> = curves.iter().map(|_| [None, None]).collect();
    let mut previous = stack.layers(start, (start, end));
    for point in start + 1..=end {
        let layers = stack.layers(point, (start, end));
        for (before, after) in previous.iter().zip(&layers) {
            let index = before.index;
            let is_visible = stack.is_visible(index, point - 1) && stack.is_visible(index, point);
            for (side, open) in open[index].iter_mut().enumerate() {
                let edges = [before.sides[side], after.sides[side]];
                if is_visible && edges.iter().any(|(inner, outer)| inner != outer) {
                    let band = open.get_or_insert_with(|| AreaBand {
                        start: point - 1,
                        edges: vec![edges[0]],
                    });
                    band.edges.push(edges[1]);
                } else {
                    curves[index].bands.extend(open.take());
                }
            }
        }
        previous = layers;
    }
    for (curve, bands) in curves.iter_mut().zip(open) {
        curve.bands.extend(bands.into_iter().flatten());
    }
}

/// The heights of all curves.
struct Stack {
    point_count: usize,
    parts: Vec<Part>,
    /// Whether the heights are scaled to shares of the total.
    is_percent: bool,
    /// Points at which the total is unknown, because a curve has a hole.
    holes: Vec<bool>,
}

/// The heights of one curve.
struct Part {
    /// Index of the first value.
    first: usize,
    /// Index of the last value.
    last: usize,
    /// Whether each point has a value.
    known: Vec<bool>,
    /// Value of each point, in a hole on the straight line between its neighbors. Zero before the
    /// first and after the last value.
    heights: Vec<f64>,
}

/// The position of one curve in the stack at a point.
struct Layer {
    /// Index of the curve.
    index: usize,
    /// Edge on the side of zero and other edge of the part below and of the part above zero.
    sides: [(f64, f64); 2],
}

impl Stack {
    /// Reads the heights of all curves, and finds the points at which a curve has a hole. With
    /// `is_percent`, the layers are scaled to shares later.
    fn new(curves: &[Curve], x_values: &XValues, is_percent: bool) -> Stack {
        let parts: Vec<Part> = curves.iter().map(|curve| Part::new(curve, x_values)).collect();
        let point_count = curves.first().map_or(0, |curve| curve.values.len());
        let has_hole =
            |point| parts.iter().any(|part| part.covers((point, point)) && !part.known[point]);
        let holes = (0..point_count).map(has_hole).collect();
        Stack { point_count, parts, is_percent, holes }
    }

    /// Returns whether the value of a curve at a point is drawn. False for missing values, and in a
    /// stack of shares for all curves at a hole.
    fn is_visible(&self, index: usize, point: usize) -> bool {
        self.parts[index].known[point] && !(self.is_percent && self.holes[point])
    }

    /// Returns whether the value of a curve at a point is drawn, but not the values at the points
    /// before and after it.
    fn is_alone(&self, index: usize, point: usize) -> bool {
        let is_visible_at =
            |point: usize| point < self.point_count && self.is_visible(index, point);
        is_visible_at(point)
            && !is_visible_at(point + 1)
            && !point.checked_sub(1).is_some_and(is_visible_at)
    }

    /// Returns the first and the last point of each section in which no curve starts or ends. The
    /// last point of a section is the first of the next.
    ///
    /// Smooth edges also end at the holes, because the shape of an edge depends on the points
    /// around it, so that the edges of a band and of its neighbors would differ.
    fn sections(&self, interpolation: Interpolation) -> Vec<(usize, usize)> {
        let ends = self.parts.iter().flat_map(|part| [part.first, part.last]);
        let mut ends: BTreeSet<usize> = ends.collect();
        if interpolation == Interpolation::Smooth {
            let is_change = |point: &usize| {
                let is_hole = |point: usize| self.holes.get(point).copied().unwrap_or(false);
                !is_hole(*point) && (is_hole(point + 1) || *point > 0 && is_hole(point - 1))
            };
            ends.extend((0..self.point_count).filter(is_change));
        }
        let ends: Vec<usize> = ends.into_iter().collect();
        ends.windows(2).map(|pair| (pair[0], pair[1])).collect()
    }

    /// Returns the layers at a point, from the curve nearest to zero outwards, of the curves that
    /// have values from the first to the last point of `section`. Holes have interpolated heights.
    fn layers(&self, point: usize, section: (usize, usize)) -> Vec<Layer> {
        let members = || self.parts.iter().enumerate().filter(|(_, part)| part.covers(section));
        let total: f64 = members().map(|(_, part)| part.heights[point].abs()).sum();
        let scale = if self.is_percent && total > 0.0 { 100.0 / total } else { 1.0 };
        let mut ends = [0.0; 2];
        let mut add_layer = |(index, part): (usize, &Part)| {
            let height = part.heights[point] * scale;
            let starts = ends;
            ends[0] += height.min(0.0);
            ends[1] += height.max(0.0);
            Layer { index, sides: [(starts[0], ends[0]), (starts[1], ends[1])] }
        };
        members().map(&mut add_layer).collect()
    }
}

impl Part {
    /// Reads the heights of one curve, which are interpolated in its holes by the distances of the
    /// x values.
    fn new(curve: &Curve, x_values: &XValues) -> Part {
        let known: Vec<bool> = curve.values.iter().map(Option::is_some).collect();
        let first = known.iter().position(|known| *known).unwrap_or(0);
        let last = known.iter().rposition(|known| *known).unwrap_or(0);
        let mut heights: Vec<f64> = curve.values.iter().map(|value| value.unwrap_or(0.0)).collect();
        let x_at = |point: usize| match x_values {
            XValues::Categories(_) => point as f64,
            XValues::Timestamps(values) | XValues::Numbers(values) => values[point],
        };
        let values: Vec<usize> = (first..=last).filter(|point| known[*point]).collect();
        for pair in values.windows(2) {
            let (left, right) = (pair[0], pair[1]);
            let width = (x_at(right) - x_at(left)).max(f64::MIN_POSITIVE);
            for point in left + 1..right {
                let share = (x_at(point) - x_at(left)) / width;
                heights[point] = heights[left] * (1.0 - share) + heights[right] * share;
            }
        }
        Part { first, last, known, heights }
    }

    /// Returns whether the curve has values at or before the first and at or after the last point
    /// of a section.
    fn covers(&self, (start, end): (usize, usize)) -> bool {
        self.first <= start && self.last >= end
    }
}

impl Layer {
    /// Returns the edges (on the side of zero, other) of the part with the value: the part below
    /// zero if it has a height, otherwise the part above.
    fn value_side(&self) -> (f64, f64) {
        let [below, above] = self.sides;
        if below.0 != below.1 { below } else { above }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Series;
    use crate::color;

    /// Returns stacked curves with these values at equal distances.
    fn stack(values: &[&[Option<f64>]], is_percent: bool) -> Vec<Curve> {
        let to_curve = |values: &&[Option<f64>]| Curve {
            series: Series { key: "a".to_owned(), title: "A".to_owned(), color: color::WHITE },
            rows: (0..values.len()).collect(),
            values: values.to_vec(),
            tops: values.to_vec(),
            bottoms: Vec::new(),
            bands: Vec::new(),
        };
        let mut curves: Vec<Curve> = values.iter().map(to_curve).collect();
        let names = vec!["".into(); values[0].len()];
        stack_curves(&mut curves, &XValues::Categories(names), is_percent, Interpolation::Linear);
        curves
    }

    /// Returns the first point and the edges of each band.
    fn bands(curve: &Curve) -> Vec<(usize, &[(f64, f64)])> {
        curve.bands.iter().map(|band| (band.start, &*band.edges)).collect()
    }

    #[test]
    fn a_missing_value_is_a_hole_and_the_stack_does_not_fall() {
        let curves = stack(
            &[
                &[Some(10.0), Some(10.0), None, Some(20.0), Some(20.0)],
                &[Some(5.0), Some(5.0), Some(6.0), Some(5.0), Some(5.0)],
            ],
            false,
        );
        let lower = [(0.0, 10.0); 2];
        assert_eq!(bands(&curves[0]), [(0, &lower[..]), (3, &[(0.0, 20.0); 2])]);
        let upper = [(10.0, 15.0), (10.0, 15.0), (15.0, 21.0), (20.0, 25.0), (20.0, 25.0)];
        assert_eq!(bands(&curves[1]), [(0, &upper[..])]);
        assert_eq!((curves[0].tops[2], curves[1].tops[2]), (None, Some(21.0)));
    }

    #[test]
    fn a_curve_starts_and_ends_with_a_vertical_edge() {
        let curves = stack(
            &[
                &[None, Some(4.0), Some(4.0), None],
                &[Some(1.0), Some(1.0), Some(1.0), Some(1.0)],
                &[None, None, None, Some(7.0)],
            ],
            false,
        );
        assert_eq!(bands(&curves[0]), [(1, &[(0.0, 4.0); 2][..])]);
        let low = [(0.0, 1.0); 2];
        let expected = [(0, &low[..]), (1, &[(4.0, 5.0); 2]), (2, &low[..])];
        assert_eq!(bands(&curves[1]), expected);
        assert_eq!(bands(&curves[2]), [(3, &[(1.0, 8.0)][..])], "a narrow bar");
    }

    #[test]
    fn the_start_of_a_curve_does_not_split_the_curves_below_it() {
        let curves = stack(
            &[
                &[Some(3.0), Some(2.0), Some(-1.0), Some(4.0)],
                &[None, Some(5.0), Some(5.0), None],
                &[None, None, Some(1.0), Some(1.0)],
            ],
            false,
        );
        let below = [(0.0, 0.0), (0.0, -1.0), (0.0, 0.0)];
        let above = [(0.0, 3.0), (0.0, 2.0), (0.0, 0.0), (0.0, 4.0)];
        assert_eq!(bands(&curves[0]), [(0, &above[..]), (1, &below[..])]);
        assert_eq!(bands(&curves[1]), [(1, &[(2.0, 7.0), (0.0, 5.0)][..])]);
    }

    #[test]
    fn positive_and_negative_parts_are_on_their_side_of_zero() {
        let curves = stack(&[&[Some(4.0), Some(-2.0)], &[Some(3.0), Some(5.0)]], false);
        let expected = [(0, &[(0.0, 0.0), (0.0, -2.0)][..]), (0, &[(0.0, 4.0), (0.0, 0.0)])];
        assert_eq!(bands(&curves[0]), expected);
        assert_eq!(bands(&curves[1]), [(0, &[(4.0, 7.0), (0.0, 5.0)][..])]);
        assert_eq!(curves[0].tops, [Some(4.0), Some(-2.0)]);
    }

    #[test]
    fn shares_are_unknown_without_the_total() {
        let curves =
            stack(&[&[Some(1.0), None, Some(1.0)], &[Some(3.0), Some(3.0), Some(3.0)]], true);
        assert_eq!(curves[1].tops, [Some(100.0), None, Some(100.0)]);
        assert_eq!(bands(&curves[1]), [(0, &[(25.0, 100.0)][..]), (2, &[(25.0, 100.0)])]);
    }
}
