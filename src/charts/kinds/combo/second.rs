//! The axis of the lines, with ticks on the rules of the left one, and the values at the points.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::frame::Look;
use crate::frame::axis::Values;
use crate::kinds::combo::{Part, Plot};
use crate::scale;
use crate::scale::Ticks;
use crate::scene::{ASCENT, Anchor, Form, Text};
use crate::text;

/// The right axis and the ink of its labels: that of the line, when there is one only.
pub struct Second {
    pub values: Values,
    pub ink: Color,
}

/// An axis for lines between both ends whose ticks stand on the same heights as those of `left`.
pub fn values(
    chart: &Chart,
    look: &Look,
    (low, high): (f64, f64),
    left: &Values,
    parts: &[Part],
) -> Second {
    let mut lines = parts.iter().filter(|it| it.line);
    let first = lines.next();
    let ink = match (first, lines.next()) {
        (Some(only), None) => only.series.color.readable_on(look.background, 4.5),
        _ => look.muted,
    };
    let wanted = &chart.setting("lineAxis");
    // Beside columns that start at zero, a cut axis would make any change look like a collapse.
    let near = low >= 0.0 && (low <= 0.6 * high || low == high);
    let near_below = high <= 0.0 && (high >= 0.6 * low || low == high);
    let with_zero = near || near_below || low < 0.0 && high > 0.0;
    let low = data::number(&wanted["min"]).unwrap_or(if near { 0.0 } else { low }).min(low);
    let high = data::number(&wanted["max"]).unwrap_or(high).max(high);
    let (start, step) = match left.ticks.values.as_slice() {
        [one, two, ..] => (*one, two - one),
        _ => (left.domain.0, left.domain.1 - left.domain.0),
    };
    let ends = ((left.domain.0 - start) / step, (left.domain.1 - start) / step);
    // Columns on both sides of zero: the lines have theirs at the same height.
    let shared = (with_zero && left.domain.0 < 0.0 && left.domain.1 >= 0.0)
        .then(|| sharing((low, high), (left.domain.0 / step, left.domain.1 / step), start / step));
    let (first_tick, own) = shared.flatten().unwrap_or_else(|| fitting(low, high, ends));
    let at = |value: &f64| first_tick + (value - start) / step * own;
    let ticks: Vec<f64> = left.ticks.values.iter().map(at).map(|it| tidy(it, own)).collect();
    let ticks = Ticks { step: own, values: ticks };
    let rules = first.map(|it| chart.rules(&it.series.key)).unwrap_or_default();
    let format = NumberFormat::for_axis(ticks.largest(), own, &rules, chart.language());
    let labels: Vec<String> = ticks.values.iter().map(|it| format.text(*it)).collect();
    let widest = labels.iter().map(|it| look.width(it, look.label)).fold(0.0, f64::max);
    let domain = (first_tick + ends.0 * own, first_tick + ends.1 * own);
    Second { values: Values { domain, ticks, labels, widest }, ink }
}

/// A whole multiple of the step, so that no rounding error shows.
fn tidy(value: f64, step: f64) -> f64 {
    let it = (value / step).round() * step;
    if it == 0.0 { 0.0 } else { it }
}

/// The first tick and the finest round step with which an axis from `ends.0` to `ends.1` steps
/// beyond that tick holds both values.
fn fitting(low: f64, high: f64, ends: (f64, f64)) -> (f64, f64) {
    let reach = low.abs().max(high.abs());
    let span = if high - low > reach * 1e-9 { high - low } else { reach.max(1.0) };
    let mut wanted = span / (ends.1 - ends.0).max(0.1);
    for _ in 0..24 {
        let step = scale::nice(0.0, wanted * 12.0, 12).1.step;
        let first = ((low / step - ends.0 + 1e-9).floor()) * step;
        if first + ends.1 * step >= high - step * 1e-6 {
            return (first, step);
        }
        wanted *= 1.3;
    }
    let step = span.max(reach);
    ((low / step - ends.0).floor() * step, step)
}

/// The same with zero where the left axis has its own: `sides` steps from its ends, the first tick
/// `first` steps from it. None where the left axis has no room on a side that is needed.
fn sharing((low, high): (f64, f64), sides: (f64, f64), first: f64) -> Option<(f64, f64)> {
    let mut wanted = (low.min(0.0) / sides.0.min(-1e-9)).max(high.max(0.0) / sides.1.max(1e-9));
    let most = 4.0 * low.abs().max(high.abs());
    for _ in 0..24 {
        let step = scale::nice(0.0, wanted * 12.0, 12).1.step;
        let slack = step * 1e-6;
        if sides.0 * step <= low + slack && sides.1 * step >= high - slack {
            return (step <= most).then_some((first * step, step));
        }
        wanted *= 1.3;
    }
    None
}

/// The name of the right axis over its labels, right-aligned; returns the height it took.
pub fn title(chart: &Chart, look: &Look, scene: &mut Scene, area: Rect, ink: Color) -> f64 {
    let words = data::words(&chart.setting("lineAxis")["title"]);
    let fitted = text::fit(&words, area.width() * 0.47, look.label, look.face());
    if fitted.is_empty() || area.height() < look.label * 6.0 {
        return 0.0;
    }
    let set = look.text(area.x1, area.y0 + ASCENT * look.label, Anchor::End, look.label, &fitted);
    scene.text(Text { color: ink, ..set });
    look.label * 1.5
}

/// Writes a line's values over its points: all of them, or none where one would touch another text.
pub fn values_at(
    part: &Part,
    points: &[Option<Point>],
    plot: &Plot,
    look: &Look,
    scene: &mut Scene,
) {
    if points.len() > 60 {
        return;
    }
    let size = look.small;
    let mut labels: Vec<Text> = Vec::with_capacity(points.len());
    for (point, value) in points.iter().zip(&part.values) {
        let (Some(point), Some(value)) = (point, value) else { continue };
        let y = point.y - look.unit * 4.0 - size * 0.45;
        let y =
            if y - ASCENT * size < plot.area.y0 - size * 0.5 { point.y + size * 1.7 } else { y };
        let set = look.text(point.x, y, Anchor::Middle, size, &part.format.text(*value));
        let color = part.series.color.readable_on(look.background, 4.5);
        labels.push(Text { color, ..set });
    }
    let taken: Vec<Rect> = scene.text_boxes().map(|it| it.1).collect();
    let free = labels.windows(2).all(|pair| {
        let [one, two] = pair else { return true };
        !one.bounds().inflate(1.0, 0.0).overlaps(two.bounds())
    });
    let clear = |it: &Text| !taken.iter().any(|other| other.overlaps(it.bounds()));
    if free && labels.iter().all(clear) {
        for label in labels {
            // A plate keeps the figures readable on columns, where a halo would be too thin.
            let rect = label.bounds().inflate(look.unit * 1.5, 0.0);
            scene.push(Form::Rect { rect, radius: look.unit * 2.0, fill: look.background });
            scene.text(label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_holds_both_values_with_a_round_step() {
        for (low, high, ends) in [
            (0.0, 4.7, (0.0, 5.0)),
            (31.0, 38.0, (0.0, 4.0)),
            (-3.0, 12.0, (-2.0, 4.0)),
            (5.0, 5.0, (-0.4, 3.3)),
            (-1e290, 1e290, (0.0, 5.0)),
        ] {
            let (first, step) = fitting(low, high, ends);
            let slack = step * 1e-6;
            assert!(first + ends.0 * step <= low + slack, "{low} {first} {step}");
            assert!(first + ends.1 * step >= high - slack, "{high} {first} {step}");
        }
        assert_eq!(fitting(0.0, 4.7, (0.0, 5.0)), (0.0, 1.0));
    }

    #[test]
    fn zero_stands_at_the_same_height_on_both_axes() {
        assert_eq!(sharing((-19.0, 21.0), (-2.0, 2.0), -2.0), Some((-40.0, 20.0)));
        assert_eq!(sharing((0.0, 4.0), (-2.0, 0.0), -2.0), None);
    }
}
