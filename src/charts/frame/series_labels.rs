//! Series names right of the last stacked column, or a legend if they do not fit there.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::color::Color;
use crate::frame;
use crate::frame::legend;
use crate::frame::style::ChartStyle;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::spread;

/// Maximum number of series with names beside the column. More series get a legend.
const MAX_DIRECT_NAMES: usize = 9;
/// Space between the column and the names, in [`ChartStyle::unit`]s.
const NAME_GAP: f64 = 8.0;
/// Height of a name as a multiple of its font size.
const LINE_HEIGHT: f64 = 1.2;

/// The choice between names beside the column and a legend, made before the plot area has its
/// width.
pub struct SeriesLabels {
    /// Remaining area for the plot.
    pub area: Rect,
    /// Whether the names are beside the column.
    is_direct: bool,
}

/// Chooses between names beside the last column and a legend, and draws the legend if chosen.
/// Reserves space for the names, but does not draw them.
///
/// Names beside the column require that they fit and that the last column has a part for every
/// series (`all_in_last_column`). A single series gets neither, and no series does if the setting
/// `showLegend` is false.
pub fn plan(
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
    area: Rect,
    series: &[Series],
    all_in_last_column: bool,
) -> SeriesLabels {
    if !frame::needs_series_names(chart, series.len()) {
        return SeriesLabels::without_labels(area);
    }
    let widest = series
        .iter()
        .map(|entry| style.text_width(&entry.title, style.label_size))
        .fold(0.0, f64::max);
    let gutter = widest + NAME_GAP * style.unit;
    let height = series.len() as f64 * style.label_size * LINE_HEIGHT;
    let fits = gutter <= area.width() * 0.27 && height <= area.height() * 0.7;
    if all_in_last_column && fits && series.len() <= MAX_DIRECT_NAMES {
        let x1 = area.x1 - gutter;
        return SeriesLabels { area: Rect { x1, ..area }, is_direct: true };
    }
    // From top to bottom, as the parts are stacked.
    let entries = series.iter().rev().map(|entry| (&*entry.title, entry.color));
    SeriesLabels::without_labels(legend::draw(scene, style, area, entries))
}

impl SeriesLabels {
    /// Returns the choice of no names beside the column, with all of `area` for the plot.
    pub fn without_labels(area: Rect) -> SeriesLabels {
        SeriesLabels { area, is_direct: false }
    }

    /// Returns whether the names are beside the column.
    pub fn is_direct(&self) -> bool {
        self.is_direct
    }

    /// Draws the names right of `column`, each beside its part, moved apart where they would
    /// overlap. A leader line joins a moved name to its part. Draws nothing unless names beside the
    /// column were chosen.
    ///
    /// `parts` are the y coordinates of the middles of the parts with their series, from bottom to
    /// top.
    pub fn draw<'a>(
        &self,
        style: &ChartStyle,
        scene: &mut Scene,
        column: Rect,
        parts: impl DoubleEndedIterator<Item = (f64, &'a Series)>,
    ) {
        if !self.is_direct {
            return;
        }
        let size = style.label_size;
        let parts: Vec<(f64, &Series)> = parts.rev().collect();
        let preferred_ys: Vec<f64> = parts.iter().map(|(y, _)| *y).collect();
        let heights = vec![size * LINE_HEIGHT; parts.len()];
        let ys = spread::spread_apart(&preferred_ys, &heights, column.y0 - size * 0.3, column.y1);
        let x = column.x1 + NAME_GAP * style.unit;
        for ((preferred_y, series), y) in parts.into_iter().zip(ys) {
            if (preferred_y - y).abs() > size * 0.8 {
                let stroke = Stroke::new(series.color.mix(style.background, 0.4), 1.0);
                let from = Point::new(column.x1 + 1.0, preferred_y);
                scene.line(from, Point::new(x - 2.0, y), stroke);
            }
            let color: Color = series.color.readable_on(style.background, 4.5);
            let text = style.label_text(
                x,
                y + HALF_CAP_HEIGHT_EM * size,
                Anchor::Start,
                size,
                &series.title,
            );
            // The halo keeps the name readable over gridlines that continue below it.
            scene.text(Text { color, halo: Some(style.background), ..text });
        }
    }
}
