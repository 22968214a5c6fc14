//! Positions of curves on the canvas: the x axis below the plot area and the points of each curve.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::frame::category::ColumnLabels;
use crate::frame::curves::{Curve, XValues};
use crate::frame::style::ChartStyle;
use crate::frame::time::TimeAxis;
use crate::scale::{BandScale, ValueScale};

/// X axis below the plot area.
pub enum XAxis {
    /// Categories at equal distances.
    Categories(ColumnLabels, BandScale),
    /// A time axis.
    Time(TimeAxis),
}

impl XAxis {
    /// Plans the axis of timestamps or categories. The first and the last point lie on `sides`, the
    /// left and right edge of the plot area. A single point lies in the middle.
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
                XAxis::Time(TimeAxis::for_timestamps(timestamps, sides, style, chart.locale()))
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

    /// Returns the height of the labels below the plot area in points.
    pub fn height(&self, style: &ChartStyle) -> f64 {
        match self {
            XAxis::Categories(labels, _) => labels.height,
            XAxis::Time(axis) => axis.height(style),
        }
    }

    /// Draws labels and tick marks below `plot`.
    pub fn draw(&self, scene: &mut Scene, style: &ChartStyle, plot: Rect) {
        match self {
            XAxis::Categories(labels, scale) => labels.draw(scene, style, plot, scale),
            XAxis::Time(axis) => {
                axis.draw_tick_marks(scene, style, plot.y1);
                axis.draw_labels(scene, style, plot.y1);
            }
        }
    }

    /// Returns the x coordinate in points of the x value at `index`.
    pub fn position(&self, x_values: &XValues, index: usize) -> f64 {
        match (self, x_values) {
            (XAxis::Categories(_, scale), _) => scale.center(index),
            (XAxis::Time(axis), XValues::Timestamps(timestamps)) => axis.x.at(timestamps[index]),
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
    /// Points of the lower edge of a stacked area; empty for other curves.
    pub bottoms: Vec<Point>,
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
        let top = |(index, value): (usize, &Option<f64>)| {
            value.map(|y_value| {
                Point::new(x_axis.position(x_values, index), y.at_unclamped(y_value))
            })
        };
        let bottom = |(index, value): (usize, &f64)| {
            Point::new(x_axis.position(x_values, index), y.at_unclamped(*value))
        };
        let tops = curve.tops.iter().enumerate().map(top).collect();
        PlacedCurve { curve, tops, bottoms: curve.bottoms.iter().enumerate().map(bottom).collect() }
    }
}
