//! Marks and texts in the panels of a variance chart: values, absolute and relative differences.

use kurbo::{Point, Rect, Shape};

use crate::Scene;
use crate::color::Color;
use crate::frame::ChartStyle;
use crate::frame::bands;
use crate::kinds::variance::records::{RelativeDifference, Row};
use crate::kinds::variance::{Colors, Plot};
use crate::scale::LinearScale;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text, ValueEnd};

/// Share of a row that the bar of an actual value takes within the outline of the planned value.
const ACTUAL_HEIGHT: f64 = 0.62;
/// Sign instead of a percentage that has no meaning.
const UNDEFINED: &str = "–";

/// Draws the bar and the text of the actual value of the row `index`, and over it the outline of the
/// planned value, which is a line if it has no width. A missing value has no mark. The text is left out if
/// the plot has no value size.
pub fn draw_values(
    row: &Row,
    index: usize,
    plot: &Plot,
    colors: &Colors,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let scale = &plot.values.scale;
    let (top, height, middle) =
        (plot.band.start(index), plot.band.width(), plot.band.center(index));
    let span = |value: f64, height: f64| {
        let (zero, end) = (scale.at(0.0), bands::visible_end(scale, (0.0, value)));
        Rect::new(zero.min(end), middle - height / 2.0, zero.max(end), middle + height / 2.0)
    };
    if let Some(actual) = row.actual {
        scene.begin_mark("bar", Some(row.row), || {
            (Some("actual".to_owned()), format!("{}: {}", row.label, row.actual_text))
        });
        let end = ValueEnd::new(false, middle, scale.at(actual), height * ACTUAL_HEIGHT / 2.0);
        scene.record_value(row.row, Some("actual"), actual, end);
        let fill = fade(if row.is_forecast { colors.forecast } else { colors.actual }, row, style);
        scene.rect(span(actual, height * ACTUAL_HEIGHT), fill);
        if let Some(size) = plot.value_size {
            let bar = span(actual, height * ACTUAL_HEIGHT);
            scene.text(place_actual(row, actual, scale, (bar, fill), size, style));
        }
    }
    if let Some(plan) = row.plan {
        scene.begin_mark("outline", Some(row.row), || {
            (Some("plan".to_owned()), format!("{}: {}", row.label, row.plan_text))
        });
        let end = ValueEnd::new(false, middle, scale.at(plan), height / 2.0);
        scene.record_value(row.row, Some("plan"), plan, end);
        let stroke = Stroke::new(fade(colors.plan, row, style), 1.25 * style.unit);
        let outline = Rect { y0: top, y1: top + height, ..span(plan, height) };
        if outline.width() > 0.0 && height > stroke.width * 2.0 {
            scene.stroke(outline.inset(-stroke.width / 2.0).to_path(0.1), stroke);
        } else {
            let x = scale.at(plan);
            scene.line((x, outline.y0), (x, outline.y1), stroke);
        }
    }
    scene.end_mark();
}

/// Returns the label of an actual value at the end of its bar, where readers do not take it for the
/// planned value: beside the bar, also within the outline of the planned value, or in the bar. A
/// label without space in both is beyond the outline. `size` is the font size in points.
fn place_actual(
    row: &Row,
    actual: f64,
    scale: &LinearScale,
    (bar, fill): (Rect, Color),
    size: f64,
    style: &ChartStyle,
) -> Text {
    let is_negative = actual < 0.0;
    let middle = bar.center().y;
    let is_beyond = |plan: &f64| *plan != 0.0 && (*plan < 0.0) == is_negative;
    let end = if is_negative { bar.x0 } else { bar.x1 };
    let outline_end = row.plan.filter(is_beyond).map_or(end, |plan| scale.at(plan));
    let distance = if is_negative { end - outline_end } else { outline_end - end };
    let needed = style.text_width(&row.actual_text, size) + size * 0.8;
    let beside = |x: f64| {
        let label = label_beside(x, middle, is_negative, size, &row.actual_text, style);
        Text { color: style.value_color, ..label }
    };
    if distance <= 0.0 || distance >= needed {
        return beside(end);
    }
    if bar.width() >= needed && bar.height() >= size {
        let inside = label_beside(end, middle, !is_negative, size, &row.actual_text, style);
        return Text { color: fill.over(style.background).readable_text_color(), ..inside };
    }
    beside(outline_end)
}

/// Draws the bar from zero and the text of the absolute difference of the row `index`, as a mark. The text
/// is left out if the plot has no value size. Draws nothing without such a panel or difference.
pub fn draw_absolute(
    row: &Row,
    index: usize,
    plot: &Plot,
    colors: &Colors,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let (Some(panel), Some(difference)) = (&plot.absolute, &row.absolute) else { return };
    let (middle, height) = (plot.band.center(index), plot.band.width() * ACTUAL_HEIGHT);
    let zero = panel.scale.at(0.0);
    let end = bands::visible_end(&panel.scale, (0.0, difference.value));
    let rect =
        Rect::new(zero.min(end), middle - height / 2.0, zero.max(end), middle + height / 2.0);
    begin_mark(row, &difference.text, "bar", scene);
    scene.rect(rect, fade(colors.of_difference(difference.value), row, style));
    scene.end_mark();
    if let Some(size) = plot.value_size {
        let is_negative = difference.value < 0.0;
        let label = label_beside(end, middle, is_negative, size, &difference.text, style);
        scene.text(Text { color: style.value_color, halo: Some(style.background), ..label });
    }
}

/// Draws the relative difference of the row `index` as a dot at the end of a line from zero with its text,
/// or only a dash as text if a percentage has no meaning. Texts are left out if the plot has no value
/// size. Draws nothing without such a panel or difference.
pub fn draw_relative(
    row: &Row,
    index: usize,
    plot: &Plot,
    colors: &Colors,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let (Some(panel), Some(relative)) = (&plot.relative, &row.relative) else { return };
    let (zero, middle) = (panel.scale.at(0.0), plot.band.center(index));
    let RelativeDifference::Percent(difference) = relative else {
        if let Some(size) = plot.value_size {
            let label = label_beside(zero, middle, false, size, UNDEFINED, style);
            scene.text(Text { color: style.muted_color, ..label });
        }
        return;
    };
    let end = panel.scale.at(difference.value);
    let color = fade(colors.of_difference(difference.value), row, style);
    let radius = dot_radius(plot.band.width(), style);
    begin_mark(row, &difference.text, "point", scene);
    scene.line((zero, middle), (end, middle), Stroke::new(color, 1.5 * style.unit));
    scene.circle(Point::new(end, middle), radius, color, None);
    scene.end_mark();
    if let Some(size) = plot.value_size {
        let is_negative = difference.value < 0.0;
        let x = if is_negative { end - radius } else { end + radius };
        let label = label_beside(x, middle, is_negative, size, &difference.text, style);
        scene.text(Text { color: style.value_color, halo: Some(style.background), ..label });
    }
}

/// Returns the radius of the dot of a relative difference in points, limited to four units of the style.
/// `row_height` is the height of the marks of a row in points.
pub fn dot_radius(row_height: f64, style: &ChartStyle) -> f64 {
    (row_height * 0.28).min(4.0 * style.unit)
}

/// Draws the vertical zero line of a panel over the height of `area`.
pub fn draw_zero_line(scale: &LinearScale, area: Rect, style: &ChartStyle, scene: &mut Scene) {
    let zero = scale.at(0.0);
    scene.line((zero, area.y0), (zero, area.y1), Stroke::new(style.axis_color, 1.0));
}

/// Begins the mark of a difference. It belongs to the record, and to the key `variance`, which is no column
/// of the data. `part` is the kind of mark.
fn begin_mark(row: &Row, difference_text: &str, part: &'static str, scene: &mut Scene) {
    scene.begin_mark(part, Some(row.row), || {
        (Some("variance".to_owned()), format!("{}: {difference_text}", row.label))
    });
}

/// Returns a label beside the end of a mark at `x`: at its right, for a negative value at its left. It is
/// vertically centered at `middle`. `size` is the font size in points.
fn label_beside(
    x: f64,
    middle: f64,
    is_negative: bool,
    size: f64,
    text: &str,
    style: &ChartStyle,
) -> Text {
    let gap = size * 0.4;
    let (x, anchor) = if is_negative { (x - gap, Anchor::End) } else { (x + gap, Anchor::Start) };
    style.label_text(x, middle + HALF_CAP_HEIGHT_EM * size, anchor, size, text)
}

/// Returns `color`, or a paler shade of it if other rows are highlighted and this one is not.
fn fade(color: Color, row: &Row, style: &ChartStyle) -> Color {
    if row.is_faded { color.mix(style.background, 0.6) } else { color }
}

#[cfg(test)]
mod tests {
    use kurbo::Rect;
    use serde_json::json;

    use crate::Chart;

    /// Draws actual values with the plan 150 and returns the bounds of the label of each of them.
    fn find_labels(actuals: &[i32]) -> Vec<Rect> {
        let records: Vec<_> = actuals
            .iter()
            .map(|actual| json!({"label": "Nord", "actual": actual, "plan": 150}))
            .collect();
        let settings = json!({"variance": "absolute"});
        let kind = crate::find_kind("variance").unwrap();
        let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &records) });
        let find = |actual: &i32| {
            let text = actual.to_string();
            scene.text_boxes().find(|(label, _)| *label == text).map(|(_, bounds)| bounds)
        };
        actuals.iter().filter_map(find).collect()
    }

    #[test]
    fn long_amounts_get_a_wider_panel_instead_of_an_axis() {
        let record = |label: &str, actual: f64, plan: f64| json!({"label": label, "actual": actual, "plan": plan});
        let records = [
            record("Ost", 309_900.0, 310_000.0),
            record("Süd", 2_287_000.0, 2_400_000.0),
            record("DACH gesamt (ohne Liechtenstein)", 6_043_650.0, 5_800_000.0),
        ];
        let rules = json!({"suffix": "\u{a0}€"});
        let settings = json!({"locale": "de", "rulesets": {"actual": rules, "plan": rules}});
        let kind = crate::find_kind("variance").unwrap();
        let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &records) });
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        for wanted in ["+243.650\u{a0}€", "\u{2212}113.000\u{a0}€", "+4,2\u{a0}%"] {
            assert!(texts.contains(&wanted), "{wanted}: {texts:?}");
        }
    }

    #[test]
    fn the_label_of_an_actual_value_is_at_the_end_of_its_bar() {
        let labels = find_labels(&[75, 149, 151]);
        let outline_end = labels[2].x0;
        assert!(labels[0].x1 < outline_end - 60.0, "beside the bar: {labels:?}");
        assert!(labels[1].x1 < outline_end, "in the bar: {labels:?}");
        assert!(labels[1].x0 > labels[0].x1, "{labels:?}");
    }
}
