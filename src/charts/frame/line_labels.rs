//! Series names at the ends of lines (or a legend if they do not fit), and value labels at points.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::format::NumberFormat;
use crate::frame::curve_layout::PlacedCurve;
use crate::frame::curves::{AreaFill, Curve};
use crate::frame::legend;
use crate::frame::style::ChartStyle;
use crate::scale::LinearScale;
use crate::scene::{ASCENT_EM, Anchor, DESCENT_EM, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;

/// The choice between names at line ends and a legend, made before the plot area has its width.
pub struct SeriesNaming {
    /// Remaining area for the plot; smaller if a legend was drawn.
    pub area: Rect,
    /// Width in points reserved for names right of the plot area.
    pub gutter: f64,
    /// Whether the names stand at the line ends.
    direct: bool,
}

/// Maximum number of lines with names at their ends. More lines get a legend.
const MAX_DIRECT: usize = 8;

/// Chooses between names at the line ends and a legend, and draws the legend if chosen. A single
/// line gets neither.
pub fn plan(
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
    area: Rect,
    curves: &[Curve],
    fill: AreaFill,
) -> SeriesNaming {
    let none = SeriesNaming { area, gutter: 0.0, direct: false };
    if curves.len() < 2 || !chart.bool_setting("showLegend", true) {
        return none;
    }
    let widest = curves
        .iter()
        .map(|it| style.text_width(&it.series.title, style.label_size))
        .fold(0.0, f64::max);
    let gutter = widest + 12.0 * style.unit;
    let height = curves.len() as f64 * style.label_size * 1.25;
    if curves.len() <= MAX_DIRECT && gutter <= area.width() * 0.27 && height <= area.height() * 0.6
    {
        return SeriesNaming { area, gutter, direct: true };
    }
    // In the order of the last values: from top to bottom at the right edge of the plot area.
    let mut order: Vec<&Curve> = curves.iter().collect();
    let last = |it: &Curve| it.tops.iter().rev().flatten().next().copied().unwrap_or(f64::MIN);
    order.sort_by(|one, two| last(two).total_cmp(&last(one)));
    let color = |it: &Curve| match fill {
        AreaFill::Stacked => it.series.color,
        _ => style.readable_line_color(it.series.color),
    };
    let area =
        legend::draw(scene, style, area, order.iter().map(|it| (&*it.series.title, color(it))));
    SeriesNaming { area, ..none }
}

/// Draws the names right of `plot`, each at the end of its line or area, moved apart where they
/// would overlap. A leader line joins a moved name to its line. Draws nothing if a legend was
/// chosen.
pub fn draw_names(
    style: &ChartStyle,
    scene: &mut Scene,
    plot: Rect,
    placed_curves: &[PlacedCurve],
    naming: &SeriesNaming,
    y: &LinearScale,
) {
    if !naming.direct {
        return;
    }
    let size = style.label_size;
    let mut ends: Vec<(f64, f64, usize)> = Vec::new();
    for (index, placed) in placed_curves.iter().enumerate() {
        let Some(at) = placed.tops.iter().rposition(Option::is_some) else { continue };
        let Some(top) = placed.tops[at] else { continue };
        // A stacked area has its name at its middle, a line at its end.
        let height = placed.curve.bottoms.get(at).map_or(top.y, |it| (top.y + y.at(*it)) / 2.0);
        let height = height.clamp(plot.y0, plot.y1);
        ends.push((height, height, index));
    }
    ends.sort_by(|one, two| one.0.total_cmp(&two.0));
    push_apart(&mut ends, size * 1.15, (plot.y0, plot.y1));
    let gap = 8.0 * style.unit;
    for (preferred, place, index) in ends {
        let series = &placed_curves[index].curve.series;
        let color = series.color;
        if (preferred - place).abs() > size * 0.9 {
            let stroke = Stroke::new(color.mix(style.background, 0.4), 1.0);
            scene.line(
                Point::new(plot.x1 + 2.0, preferred),
                Point::new(plot.x1 + gap - 2.0, place),
                stroke,
            );
        }
        let max_width = naming.gutter - gap;
        let name = text::ellipsize(&series.title, max_width + 0.1, size, style.label_face());
        let set = style.label_text(
            plot.x1 + gap,
            place + HALF_CAP_HEIGHT_EM * size,
            Anchor::Start,
            size,
            &name,
        );
        scene.text(Text { color: color.readable_on(style.background, 4.5), ..set });
    }
}

/// Moves positions so that neighbors are at least `distance` apart, within `low` and `high` if
/// possible.
///
/// Each entry has its preferred position, its position (which is changed) and an index. Entries
/// are sorted by the preferred position.
fn push_apart(places: &mut [(f64, f64, usize)], distance: f64, (low, high): (f64, f64)) {
    let mut min = low;
    for place in places.iter_mut() {
        place.1 = place.1.max(min);
        min = place.1 + distance;
    }
    let mut max = high;
    for place in places.iter_mut().rev() {
        place.1 = place.1.min(max);
        max = place.1 - distance;
    }
}

/// Draws value labels over the points of the curves (setting `showValues`). A series gets all its
/// labels, or none if one of them would overlap another text or leave the canvas.
pub fn draw_values(
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
    plot: Rect,
    placed_curves: &[PlacedCurve],
    format: &NumberFormat,
) {
    let points = placed_curves.iter().map(|it| it.tops.len()).max().unwrap_or(0);
    if !chart.bool_setting("showValues", false) || points > 60 {
        return;
    }
    let size = style.small_size;
    let mut taken: Vec<Rect> = scene.text_boxes().map(|it| it.1).collect();
    for PlacedCurve { curve, tops, .. } in placed_curves {
        let mut labels = Vec::with_capacity(points);
        for (point, value) in tops.iter().zip(&curve.values) {
            let (Some(point), Some(value)) = (point, value) else { continue };
            let words = format.text(*value);
            let half = style.text_width(&words, size) / 2.0;
            let x = point.x.clamp(plot.x0 + half, (plot.x1 - half).max(plot.x0 + half));
            let above = point.y - size * 0.6;
            let y = if above - ASCENT_EM * size < plot.y0 - size {
                point.y + size * 1.5
            } else {
                above
            };
            let set = style.label_text(x, y, Anchor::Middle, size, &words);
            let color = curve.series.color.readable_on(style.background, 4.5);
            labels.push(Text { color, halo: Some(style.background), ..set });
        }
        let boxes: Vec<Rect> = labels.iter().map(Text::bounds).collect();
        let overlaps = |one: &Rect, two: &Rect| one.inflate(1.0, 0.0).overlaps(*two);
        let free = boxes.windows(2).all(|pair| !overlaps(&pair[0], &pair[1]))
            && boxes.iter().all(|it| !taken.iter().any(|other| overlaps(it, other)))
            && boxes.iter().all(|it| it.y1 + DESCENT_EM <= scene.height);
        if free {
            taken.extend(boxes);
            labels.into_iter().for_each(|it| scene.text(it));
        }
    }
}
