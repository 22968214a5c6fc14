//! Positions of curves on the canvas: the x axis below the plot area and the points of each curve.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::frame::category::ColumnLabels;
use crate::frame::curves;
use crate::frame::curves::{AreaBand, Curve, XValues};
use crate::frame::style::ChartStyle;
use crate::frame::time::TimeAxis;
use crate::scale::{BandScale, ValueScale};

/// X axis below the plot area.
pub enum XAxis {
    /// Categories at equal distances.
    Categories(ColumnLabels, BandScale),
    /// A time axis, or one of numbers.
    Time(TimeAxis),
}

impl XAxis {
    /// Plans the axis of timestamps or categories. The first and the last point lie on `sides`, the
    /// left and right edge of the plot area. A single point lies in the middle. The first category
    /// is farther right if its rotated label would leave the canvas.
    ///
    /// Category names take at most `max_height` points.
    pub fn new(
        chart: &Chart,
        style: &ChartStyle,
        x_values: &XValues,
        sides: (f64, f64),
        max_height: f64,
    ) -> XAxis {
        match x_values {
            XValues::Timestamps(timestamps) => {
                let (precision, locale) = (curves::find_precision(chart), chart.locale());
                let axis = TimeAxis::for_timestamps(timestamps, precision, sides, style, locale);
                XAxis::Time(axis)
            }
            XValues::Numbers(numbers) => {
                let rules = curves::number_rules(numbers, chart);
                let axis = TimeAxis::for_numbers(numbers, sides, &rules, style, chart.locale());
                XAxis::Time(axis)
            }
            XValues::Categories(names) => {
                // The first and the last point lie on the edges of the plot area.
                let count = names.len().max(1);
                let scale_from = |left: f64| {
                    let step = (sides.1 - left) / (count.max(2) - 1) as f64;
                    let half = if count == 1 { 0.0 } else { step / 2.0 };
                    let range = (left - half, sides.1 + half);
                    BandScale { count, range, padding: 0.0, max_width: f64::INFINITY }
                };
                let scale = scale_from(sides.0);
                let first = scale.center(0);
                let (_, moved) = ColumnLabels::plan_for_band(names, scale, max_height, style);
                let scale = scale_from(sides.0 + (moved.center(0) - first).max(0.0));
                let labels = ColumnLabels::plan_below(names, &scale, max_height, style);
                XAxis::Categories(labels, scale)
            }
        }
    }

    /// Returns the height of the labels below the plot area in points, including the gap above
    /// them.
    pub fn height(&self, style: &ChartStyle) -> f64 {
        match self {
            XAxis::Categories(labels, _) => labels.height,
            XAxis::Time(axis) => axis.height(style),
        }
    }

    /// Draws the labels below `plot`, and on a time axis also tick marks.
    pub fn draw(&self, scene: &mut Scene, style: &ChartStyle, plot: Rect) {
        match self {
            XAxis::Categories(labels, scale) => labels.draw(scene, style, plot, scale),
            XAxis::Time(axis) => {
                axis.draw_tick_marks(scene, style, plot.y1);
                axis.draw_labels(scene, style, plot.y1);
            }
        }
    }

    /// Returns the x coordinate in points of the x value at `index`, which counts points from the
    /// left.
    pub fn position(&self, x_values: &XValues, index: usize) -> f64 {
        match (self, x_values) {
            (XAxis::Categories(_, scale), _) => scale.center(index),
            (XAxis::Time(axis), XValues::Timestamps(values) | XValues::Numbers(values)) => {
                axis.x.at(values[index])
            }
            (XAxis::Time(axis), XValues::Categories(_)) => axis.x.at(0.0),
        }
    }
}

/// A curve with the coordinates of its points.
pub struct PlacedCurve<'a> {
    /// Curve with its values.
    pub curve: &'a Curve,
    /// Points of the line; None where the curve has a gap.
    pub tops: Vec<Option<Point>>,
    /// Drawn parts of a stacked area; empty for other curves.
    pub bands: Vec<PlacedBand>,
}

/// A part of a stacked area with the coordinates of its edges, from left to right.
pub struct PlacedBand {
    /// Points of the edge on the side of zero.
    pub inner: Vec<Point>,
    /// Points of the other edge.
    pub outer: Vec<Point>,
}

impl PlacedCurve<'_> {
    /// Computes the coordinates of the points of `curve`. Points beyond the value axis are not
    /// clamped to it.
    pub fn new<'a>(
        curve: &'a Curve,
        x_axis: &XAxis,
        x_values: &XValues,
        y: &ValueScale,
    ) -> PlacedCurve<'a> {
        let place = |index: usize, y_value: f64| {
            Point::new(x_axis.position(x_values, index), y.at_unclamped(y_value))
        };
        let top =
            |(index, value): (usize, &Option<f64>)| value.map(|y_value| place(index, y_value));
        let place_band = |band: &AreaBand| {
            let edges = || (band.start..).zip(&band.edges);
            PlacedBand {
                inner: edges().map(|(index, (inner, _))| place(index, *inner)).collect(),
                outer: edges().map(|(index, (_, outer))| place(index, *outer)).collect(),
            }
        };
        PlacedCurve {
            curve,
            tops: curve.tops.iter().enumerate().map(top).collect(),
            bands: join_bands(curve.bands.iter().map(place_band).collect()),
        }
    }
}

/// Joins bands on the same side of zero over holes that are narrower than half a point, and orders
/// them by their left ends. Otherwise very many narrow bands would disappear, because each of them
/// covers too little of a pixel.
fn join_bands(bands: Vec<PlacedBand>) -> Vec<PlacedBand> {
    let mut joined: Vec<PlacedBand> = Vec::with_capacity(bands.len());
    // Index of the last band below and above zero.
    let mut last = [None, None];
    let mut bands: Vec<(f64, PlacedBand)> =
        bands.into_iter().filter_map(|band| Some((band.inner.first()?.x, band))).collect();
    bands.sort_by(|one, two| one.0.total_cmp(&two.0));
    for (start, mut band) in bands {
        let is_above = band.inner.iter().zip(&band.outer).any(|(inner, outer)| outer.y < inner.y);
        let side = &mut last[usize::from(is_above)];
        let previous = side.and_then(|index: usize| joined.get_mut(index));
        match previous {
            Some(previous)
                if previous.inner.last().is_some_and(|end| is_invisible_gap(end.x, start)) =>
            {
                previous.inner.append(&mut band.inner);
                previous.outer.append(&mut band.outer);
            }
            _ => {
                *side = Some(joined.len());
                joined.push(band);
            }
        }
    }
    joined
}

/// Returns whether `start` is to the right of `end` by less than half a point. False for bands that
/// touch or overlap.
fn is_invisible_gap(end: f64, start: f64) -> bool {
    start > end && start - end < 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_joined_over_invisible_holes_on_their_side_of_zero() {
        let band = |from: f64, to: f64, height: f64| PlacedBand {
            inner: vec![Point::new(from, 50.0), Point::new(to, 50.0)],
            outer: vec![Point::new(from, 50.0 - height), Point::new(to, 50.0 - height)],
        };
        let bands = vec![
            band(0.0, 1.0, 9.0),
            band(1.2, 2.0, 9.0),
            band(1.1, 3.0, -9.0),
            band(4.0, 5.0, 9.0),
        ];
        let starts: Vec<(f64, usize)> =
            join_bands(bands).iter().map(|band| (band.inner[0].x, band.outer.len())).collect();
        assert_eq!(starts, [(0.0, 4), (1.1, 2), (4.0, 2)]);
    }
}
