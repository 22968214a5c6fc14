//! Lines and bands of a projection chart.

use kurbo::{BezPath, Point};

use crate::Scene;
use crate::color::Color;
use crate::frame::ChartStyle;
use crate::frame::lines;
use crate::kinds::projection::Plot;
use crate::kinds::projection::records::{BAND_KEYS, Moment};
use crate::scene::Stroke;
use crate::shape::curve;
use crate::shape::curve::Interpolation;

/// Opacity of the inner and of the outer band.
const BAND_OPACITIES: [f64; 2] = [0.26, 0.14];

/// Returns the opaque color of the band at an index (0 is the inner one): `color`, pale on the
/// background.
pub fn band_color(color: Color, index: usize, style: &ChartStyle) -> Color {
    let opacity = BAND_OPACITIES.get(index).copied().unwrap_or(0.1);
    color.with_opacity(opacity).over(style.background)
}

/// Fills the bands, the outer one first. A band starts as a point at the known value of the record
/// before its first forecast, if that record has no band.
pub fn draw_bands(moments: &[Moment], plot: &Plot, color: Color, scene: &mut Scene) {
    for (index, opacity) in BAND_OPACITIES.into_iter().enumerate().rev() {
        let band_of = |moment: &Moment| moment.bands.get(index).copied().flatten();
        let mut ends: Vec<Option<(f64, f64)>> = moments.iter().map(band_of).collect();
        for position in 1..moments.len() {
            let (Some(before), Some(moment)) = (moments.get(position - 1), moments.get(position))
            else {
                continue;
            };
            if moment.is_forecast() && band_of(moment).is_some() && band_of(before).is_none() {
                let anchor = before.actual.map(|actual| (actual, actual));
                if let Some(end) = ends.get_mut(position - 1) {
                    *end = anchor;
                }
            }
        }
        let edge = |pick: fn((f64, f64)) -> f64| -> Vec<Option<Point>> {
            let point = |(position, ends): (usize, &Option<(f64, f64)>)| {
                ends.map(|ends| plot.point(position, pick(ends)))
            };
            ends.iter().enumerate().map(point).collect()
        };
        let (lows, highs) = (edge(|ends| ends.0), edge(|ends| ends.1));
        let (low_key, _) = BAND_KEYS.get(index).copied().unwrap_or_default();
        scene.begin_mark("band", None, || {
            (Some(low_key.to_owned()), plot.band_titles.get(index).cloned().unwrap_or_default())
        });
        for (low, high) in curve::split_at_gaps(&lows).into_iter().zip(curve::split_at_gaps(&highs))
        {
            fill_band(low, high, color.with_opacity(opacity), plot, scene);
        }
    }
    scene.end_mark();
}

/// Fills the area between the points of the lower and of the upper edge, both from left to right. A
/// band of a single point becomes a narrow bar.
fn fill_band(low: Vec<Point>, high: Vec<Point>, fill: Color, plot: &Plot, scene: &mut Scene) {
    let (low, high) = (curve::decimate(low), curve::decimate(high));
    let mut path = BezPath::new();
    if let ([low], [high]) = (low.as_slice(), high.as_slice()) {
        let half = plot.line_width * 2.0;
        let corners = [
            (high.x - half, high.y),
            (high.x + half, high.y),
            (low.x + half, low.y),
            (low.x - half, low.y),
        ];
        for (index, corner) in corners.into_iter().enumerate() {
            if index == 0 { path.move_to(corner) } else { path.line_to(corner) }
        }
    } else {
        curve::append_curve(&mut path, &high, Interpolation::Linear, true);
        let reversed: Vec<Point> = low.into_iter().rev().collect();
        curve::append_curve(&mut path, &reversed, Interpolation::Linear, false);
    }
    path.close_path();
    scene.fill(path, fill);
}

/// Draws the known values as a solid and the expected ones as a dashed line, with gaps at records
/// without a value. The dashed line starts at the last known value, if no record is between them.
/// `titles` are the tooltips of the known and of the expected values.
pub fn draw_lines(
    moments: &[Moment],
    plot: &Plot,
    color: Color,
    titles: [&str; 2],
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let points = |value: &dyn Fn(usize, &Moment) -> Option<f64>| -> Vec<Option<Point>> {
        let point = |(position, moment): (usize, &Moment)| {
            value(position, moment).map(|value| plot.point(position, value))
        };
        moments.iter().enumerate().map(point).collect()
    };
    let expected = points(&|position, moment| {
        let next = moments.get(position + 1);
        let joins = next.is_some_and(|next| next.actual.is_none() && next.expected.is_some());
        moment.expected.or(moment.actual.filter(|_| joins))
    });
    let actual = points(&|_, moment| moment.actual);
    let solid = Stroke::new(color, plot.line_width).rounded();
    let dash = 4.5 * style.unit;
    let dashed = Stroke::new(color, plot.line_width).dashed(dash, dash * 0.8);
    let [actual_title, expected_title] = titles;
    for (points, stroke, key, title) in
        [(expected, dashed, "projected", expected_title), (actual, solid, "value", actual_title)]
    {
        scene.begin_mark("line", None, || (Some(key.to_owned()), title.to_owned()));
        for run in curve::split_at_gaps(&points) {
            let run = curve::decimate(run);
            lines::draw_unbroken_line(scene, run, Interpolation::Linear, stroke);
        }
    }
    scene.end_mark();
}
