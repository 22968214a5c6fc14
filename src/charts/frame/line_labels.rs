//! Series names at the ends of lines (or a legend if they do not fit), and value labels at points.

use kurbo::{Point, Rect, Vec2};

use crate::Chart;
use crate::Scene;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::curve_layout::PlacedCurve;
use crate::frame::curves::{AreaFill, Curve};
use crate::frame::early_ends;
use crate::frame::legend;
use crate::frame::line_pattern::LinePattern;
use crate::frame::style::ChartStyle;
use crate::scale::ValueScale;
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::shape::curve::Interpolation;
use crate::spread;
use crate::text;

/// The choice between names at line ends and a legend, made before the plot area has its width.
pub struct SeriesNaming {
    /// Remaining area for the plot; smaller if a legend was drawn.
    pub area: Rect,
    /// Width in points reserved for names right of the plot area.
    pub gutter: f64,
    /// Distance in points between the plot area and the names.
    gap: f64,
    /// Font size of the names in points.
    size: f64,
    /// Whether the names are at the line ends.
    is_direct: bool,
}

/// Maximum number of lines with names at their ends. More lines get a legend.
const MAX_DIRECT_NAMES: usize = 16;
/// Number of lines up to which their names have the usual size and take a part of the height. More
/// names are smaller, and farther from the plot area, because many of them need leader lines.
const MAX_ROOMY_NAMES: usize = 8;

/// Chooses between names at the line ends and a legend, and draws the legend if chosen. Does not
/// draw the names. A single line gets neither, and no line does if the setting `showLegend` is
/// false.
///
/// Names at the ends require that they are few and short enough. The legend has the order of the
/// last values, the highest first.
pub fn plan(
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
    area: Rect,
    (curves, patterns): (&[Curve], &[LinePattern]),
    fill: AreaFill,
) -> SeriesNaming {
    let is_roomy = curves.len() <= MAX_ROOMY_NAMES;
    let (size, gap, line_height, max_share) = match is_roomy {
        true => (style.label_size, 8.0 * style.unit, 1.25, 0.6),
        false => (style.small_size, 18.0 * style.unit, 1.15, 0.75),
    };
    let no_names = SeriesNaming { area, gutter: 0.0, gap, size, is_direct: false };
    if !frame::needs_series_names(chart, curves.len()) {
        return no_names;
    }
    let widest =
        curves.iter().map(|curve| style.text_width(&curve.series.title, size)).fold(0.0, f64::max);
    let gutter = widest + gap + 4.0 * style.unit;
    let height = curves.len() as f64 * size * line_height;
    // The end of a stacked area below others is not at its name.
    let last = |curve: &Curve| curve.tops.last().is_some_and(Option::is_some);
    if curves.len() <= MAX_DIRECT_NAMES
        && (fill != AreaFill::Stacked || curves.iter().all(last))
        && gutter <= area.width() * 0.27
        && height <= area.height() * max_share
    {
        return SeriesNaming { gutter, is_direct: true, ..no_names };
    }
    // In the order of the last values: from top to bottom at the right edge of the plot area.
    let mut order: Vec<(&Curve, &LinePattern)> = curves.iter().zip(patterns).collect();
    let last_top =
        |curve: &Curve| curve.tops.iter().rev().flatten().next().copied().unwrap_or(f64::MIN);
    order.sort_by(|one, two| last_top(two.0).total_cmp(&last_top(one.0)));
    let legend_color = |curve: &Curve| match fill {
        AreaFill::Stacked => curve.series.color,
        _ => style.readable_line_color(curve.series.color),
    };
    let entries =
        order.iter().map(|(curve, pattern)| (&*curve.series.title, legend_color(curve), **pattern));
    let area = legend::draw_for_lines(scene, style, area, entries);
    SeriesNaming { area, ..no_names }
}

/// Draws the names right of `plot`, each at the end of its line or area, moved apart where they
/// would overlap. A leader line joins a moved name to its line. A line that ends earlier has its
/// name beside its last point, or a dashed leader line to its name. Draws nothing if a legend was
/// chosen.
pub fn draw_names(
    (style, interpolation): (&ChartStyle, Interpolation),
    scene: &mut Scene,
    plot: Rect,
    placed_curves: &[PlacedCurve],
    naming: &SeriesNaming,
    y: &ValueScale,
) {
    if !naming.is_direct {
        return;
    }
    let size = naming.size;
    let mut ends: Vec<EndName> = Vec::new();
    for (index, placed) in placed_curves.iter().enumerate() {
        let Some(last) = placed.tops.iter().rposition(Option::is_some) else { continue };
        let Some(top) = placed.tops[last] else { continue };
        // A stacked area has its name at its middle, a line at its end.
        let lower_edge = placed.curve.bottoms.get(last);
        let height = lower_edge.map_or(top.y, |bottom| (top.y + y.at(*bottom)) / 2.0);
        let height = height.clamp(plot.y0, plot.y1);
        let end = Point::new(top.x, height);
        let is_early = early_ends::is_early(end, plot, style);
        let all = (placed_curves, index);
        if is_early && early_ends::draw_name(style, scene, plot, all, end, interpolation) {
            continue;
        }
        ends.push(EndName { end, is_early, index });
    }
    let order = |one: &EndName, two: &EndName| one.end.y.total_cmp(&two.end.y);
    ends.sort_by(|one, two| order(one, two).then(one.is_early.cmp(&two.is_early)));
    let preferred_ys: Vec<f64> = ends.iter().map(|name| name.end.y).collect();
    let half = size * 0.575;
    let heights = vec![2.0 * half; ends.len()];
    let ys = spread::spread_apart(&preferred_ys, &heights, plot.y0 - half, plot.y1 + half);
    let gap = naming.gap;
    // Crowded names are farther away, so that also short distances are ambiguous.
    let is_roomy = placed_curves.len() <= MAX_ROOMY_NAMES;
    let max_unmarked = size * if is_roomy { 0.9 } else { 0.25 };
    for (EndName { end, is_early, index }, name_y) in ends.into_iter().zip(ys) {
        let series = &placed_curves[index].curve.series;
        let color = series.color;
        let stroke = Stroke::new(color.mix(style.background, 0.4), 1.0);
        let leader_end = Point::new(plot.x1 + gap - 2.0, name_y);
        if is_early {
            let stroke = Stroke::new(style.readable_line_color(color), 1.0).dashed(2.0, 2.0);
            scene.line(end + Vec2::new(2.0, 0.0), leader_end, stroke);
        } else if (end.y - name_y).abs() > max_unmarked {
            scene.line(Point::new(plot.x1 + 2.0, end.y), leader_end, stroke);
        }
        let max_width = naming.gutter - gap;
        let name = text::ellipsize(&series.title, max_width + 0.1, size, style.label_face());
        let text = style.label_text(
            plot.x1 + gap,
            name_y + HALF_CAP_HEIGHT_EM * size,
            Anchor::Start,
            size,
            &name,
        );
        scene.text(Text { color: color.readable_on(style.background, 4.5), ..text });
    }
}

/// The name of a curve right of the plot area. Coordinates are in points.
struct EndName {
    /// End of the line, or middle of the end of the area.
    end: Point,
    /// Whether the line ends before the right edge of the plot.
    is_early: bool,
    /// Index of the curve.
    index: usize,
}

/// Draws value labels over the points of the curves, or below points near the top, if the setting
/// `showValues` is true. A series gets all its labels, or none if one of them would overlap another
/// text or leave the canvas.
///
/// Draws nothing if a curve has more than 60 points.
pub fn draw_values(
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
    plot: Rect,
    placed_curves: &[PlacedCurve],
    format: &NumberFormat,
) {
    let point_count = placed_curves.iter().map(|placed| placed.tops.len()).max().unwrap_or(0);
    if !chart.bool_setting("showValues", false) || point_count > 60 {
        return;
    }
    let size = style.small_size;
    let mut occupied: Vec<Rect> = scene.text_boxes().map(|(_, bounds)| bounds).collect();
    for PlacedCurve { curve, tops, .. } in placed_curves {
        let mut labels = Vec::with_capacity(point_count);
        for (point, value) in tops.iter().zip(&curve.values) {
            let (Some(point), Some(value)) = (point, value) else { continue };
            // Points beyond the ends that the settings give the axis are not visible.
            if point.y < plot.y0 - 1.0 || point.y > plot.y1 + 1.0 {
                continue;
            }
            let label = format.text(*value);
            let half = style.text_width(&label, size) / 2.0;
            let x = point.x.clamp(plot.x0 + half, (plot.x1 - half).max(plot.x0 + half));
            let above = point.y - size * 0.6;
            let y = if above - ASCENT_EM * size < plot.y0 - size {
                point.y + size * 1.5
            } else {
                above
            };
            let text = style.label_text(x, y, Anchor::Middle, size, &label);
            let color = curve.series.color.readable_on(style.background, 4.5);
            labels.push(Text { color, halo: Some(style.background), ..text });
        }
        let boxes: Vec<Rect> = labels.iter().map(Text::bounds).collect();
        let overlaps = |one: &Rect, two: &Rect| one.inflate(1.0, 0.0).overlaps(*two);
        let fits = boxes.windows(2).all(|pair| !overlaps(&pair[0], &pair[1]))
            && boxes.iter().all(|one| !occupied.iter().any(|two| overlaps(one, two)))
            && boxes.iter().all(|one| one.y1 <= scene.height);
        if fits {
            occupied.extend(boxes);
            labels.into_iter().for_each(|label| scene.text(label));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Series;

    #[test]
    fn values_and_lines_beyond_the_axis_have_no_texts() {
        let record =
            |year: i32| json!({"label": year.to_string(), "low": year - 2008, "high": year});
        let data: Vec<serde_json::Value> = (2010..2020).map(record).collect();
        let settings = json!({"axis": {"max": 8}, "showValues": true});
        let kind = crate::find_kind("line").unwrap();
        let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) });
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        assert!(texts.contains(&"5") && !texts.contains(&"9"), "{texts:?}");
        assert!(!texts.contains(&"high") && !texts.contains(&"2,010"), "{texts:?}");
        assert_eq!(scene.omissions, [(crate::Omission::OutOfRange, 13)]);
    }

    #[test]
    fn value_labels_may_end_at_the_edge_of_the_canvas() {
        let settings = json!({"showValues": true});
        let kind = crate::find_kind("line").unwrap();
        let chart = Chart { settings: &settings, ..Chart::new(kind, &[]) };
        let style = ChartStyle::new(&chart);
        let series =
            Series { key: "a".to_owned(), title: "A".to_owned(), color: chart.series_color(0) };
        let curve = Curve {
            series,
            rows: vec![0],
            values: vec![Some(7.0)],
            tops: vec![Some(7.0)],
            bottoms: Vec::new(),
            bands: Vec::new(),
        };
        let tops = vec![Some(Point::new(50.0, 80.0))];
        let placed = [PlacedCurve { curve: &curve, tops, bands: Vec::new() }];
        let plot = Rect::new(0.0, 0.0, 100.0, 90.0);
        let rules = chart.format_rules("a");
        let format = NumberFormat::for_values([7.0].into_iter(), &rules, chart.locale());
        let draw = |height: f64| {
            let mut scene = Scene::new(100.0, height, style.background);
            draw_values(&chart, &style, &mut scene, plot, &placed, &format);
            scene.text_boxes().map(|(_, bounds)| bounds).next()
        };
        let bottom = draw(200.0).unwrap().y1;
        assert!(draw(bottom + 0.1).is_some());
        assert!(draw(bottom - 0.1).is_none());
    }
}
