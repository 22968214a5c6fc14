//! Names below the columns of a bar mekko chart.

use std::borrow::Cow;

use kurbo::Rect;

use crate::Scene;
use crate::frame::ChartStyle;
use crate::frame::category::ColumnLabels;
use crate::scene::Stroke;

use super::staggered::StaggeredNames;

/// Maximum height of the names as a share of the height of the chart.
pub const MAX_NAMES_SHARE: f64 = 0.42;
/// Minimum height of the plot above a list of names, as a share of the height of the chart.
const MIN_PLOT_SHARE: f64 = 0.3;
/// Minimum height of the plot above a list of names, as a multiple of the font size.
const MIN_PLOT_HEIGHT_EM: f64 = 5.0;

/// Names below columns.
pub enum ColumnNames {
    /// Labels below the columns.
    Labels {
        labels: ColumnLabels,
        /// x coordinates of the labels in points.
        centers: Vec<f64>,
        /// Height in points of the lines from the columns to names that are not below them. 0 without
        /// such lines.
        leader_height: f64,
    },
    /// Horizontal names in several rows.
    Staggered(StaggeredNames),
}

impl ColumnNames {
    /// Plans the names below the columns: horizontal, or in several rows, or rotated and moved apart if
    /// they do not all fit, or in a list with numbers if they would be cut and the list leaves enough
    /// space for the plot.
    pub fn plan(
        names: &[Cow<str>],
        spans: &[(f64, f64)],
        limits: (f64, f64),
        max_height: f64,
        style: &ChartStyle,
    ) -> ColumnNames {
        let (labels, centers) = ColumnLabels::plan_uneven(names, spans, limits, max_height, style);
        if labels.is_straight_and_whole() {
            return ColumnNames::Labels { labels, centers, leader_height: 0.0 };
        }
        if let Some(staggered) = StaggeredNames::plan(names, spans, limits, max_height, style) {
            return ColumnNames::Staggered(staggered);
        }
        let leader_height = style.unit * 8.0;
        let rotated_height = max_height - leader_height;
        let spread = ColumnLabels::plan_spread(names, spans, limits, rotated_height, style);
        let is_whole = spread.as_ref().is_some_and(|(labels, xs)| labels.is_whole_at(xs, style));
        if !is_whole
            && let Some(numbered) = plan_list(names, limits, max_height / MAX_NAMES_SHARE, style)
        {
            return ColumnNames::Labels { labels: numbered, centers, leader_height: 0.0 };
        }
        let (labels, centers) = spread.unwrap_or((labels, centers));
        let is_moved = |(span, center): (&(f64, f64), &f64)| is_moved(*span, *center);
        let needs_leaders = spans.iter().zip(&centers).any(is_moved);
        let leader_height = if needs_leaders { leader_height } else { 0.0 };
        ColumnNames::Labels { labels, centers, leader_height }
    }

    /// Returns the height below the plot in points.
    pub fn height(&self) -> f64 {
        match self {
            Self::Labels { labels, leader_height, .. } => labels.height + leader_height,
            Self::Staggered(names) => names.height,
        }
    }

    /// Draws the names below `plot`, with lines from the columns to names that are not below them. `spans`
    /// has the edges of the columns.
    pub fn draw(&self, plot: Rect, spans: &[(f64, f64)], style: &ChartStyle, scene: &mut Scene) {
        let (labels, centers, leader_height) = match self {
            Self::Staggered(names) => return names.draw(plot, style, scene),
            Self::Labels { labels, centers, leader_height } => (labels, centers, *leader_height),
        };
        let bottom = plot.y1 + leader_height;
        if leader_height > 0.0 {
            let stroke = Stroke::new(style.axis_color.mix(style.background, 0.4), 1.0);
            let moved = spans.iter().zip(centers);
            for (span, center) in moved.filter(|(span, center)| is_moved(**span, **center)) {
                let start = ((span.0 + span.1) / 2.0, plot.y1 + style.unit * 2.0);
                scene.line(start, (*center, bottom + style.unit * 4.0), stroke);
            }
        }
        labels.draw_at(scene, style, Rect { y1: bottom, ..plot }, |index| {
            centers.get(index).copied().unwrap_or(plot.x0)
        });
    }
}

/// Plans a list of names with numbers below a chart of `height` points. It may be higher than other labels,
/// because shortened names identify no column. Returns None if the list leaves too little space for the
/// columns and their values.
fn plan_list(
    names: &[Cow<str>],
    limits: (f64, f64),
    height: f64,
    style: &ChartStyle,
) -> Option<ColumnLabels> {
    let max_height = height - (height * MIN_PLOT_SHARE).max(style.label_size * MIN_PLOT_HEIGHT_EM);
    let numbered = ColumnLabels::plan_numbered(names, limits, max_height, style)?;
    (numbered.height <= max_height).then_some(numbered)
}

/// Returns whether `center` is more than 2 points left or right of the middle of a column.
fn is_moved((left, right): (f64, f64), center: f64) -> bool {
    (center - (left + right) / 2.0).abs() > 2.0
}
