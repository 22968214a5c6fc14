//! Positions of the values and of the threshold's label in a Pareto chart.

use kurbo::Rect;

use crate::frame::ChartStyle;
use crate::kinds::pareto::Plot;
use crate::kinds::pareto::records::{Bar, Bars, Threshold};
use crate::scene::{ASCENT_EM, Anchor, Text};

/// Plans the values of all bars in one font size: above the bar, or in it where the line passes
/// above. Returns None if one of them fits in neither place. Draws nothing.
pub fn plan_values(bars: &Bars, plot: &Plot, style: &ChartStyle) -> Option<Vec<Text>> {
    let widest = |size: f64| {
        bars.bars.iter().map(|bar| style.text_width(&bar.value_text, size)).fold(0.0, f64::max)
    };
    let size = [style.label_size, style.small_size]
        .into_iter()
        .find(|size| widest(*size) + size * 0.3 <= plot.band.step())?;
    let place = |(index, bar): (usize, &Bar)| {
        let rect = plot.bar_rect(index, bar.value);
        let (x, gap) = (rect.center().x, size * 0.35);
        let at = |y| style.label_text(x, y, Anchor::Middle, size, &bar.value_text);
        let above = at(rect.y0 - gap);
        if above.bounds().y0 >= plot.area.y0 - size && !plot.line_passes(above.bounds()) {
            return Some(Text { color: style.value_color, ..above });
        }
        let mut inside = at(rect.y0 + plot.point_radius + gap + ASCENT_EM * size);
        let threshold_y = bars.threshold.map(|threshold| plot.share_scale.at(threshold.share));
        let bounds = inside.bounds().inflate(0.0, gap);
        if let Some(y) = threshold_y.filter(|y| (bounds.y0..bounds.y1).contains(y)) {
            inside.y = y + gap + ASCENT_EM * size;
        }
        let fits = inside.bounds().y1 + gap <= rect.y1 && inside.width + 2.0 <= rect.width();
        fits.then(|| Text { color: bar.fill.readable_text_color(), ..inside })
    };
    bars.bars.iter().enumerate().map(place).collect()
}

/// Returns the label of the threshold at the first free place: above the threshold line at the
/// left, below it at the right, above it at the right. Tries these places in normal, then in small
/// text. None if all are occupied by columns, the cumulative line or the texts `occupied`.
pub fn place_threshold_label(
    text: &str,
    threshold: Threshold,
    bars: &Bars,
    plot: &Plot,
    occupied: &[Text],
    style: &ChartStyle,
) -> Option<Text> {
    let y = plot.share_scale.at(threshold.share);
    let gap = style.unit * 4.0;
    let (left, right) = (plot.area.x0 + gap, plot.area.x1 - gap);
    let candidate = |size: f64, x: f64, anchor: Anchor, is_above: bool| {
        let baseline = if is_above { y - gap } else { y + gap + ASCENT_EM * size };
        let label = style.label_text(x, baseline, anchor, size, text);
        Text { color: style.text_color, halo: Some(style.background), ..label }
    };
    let is_free = |label: &Text| {
        let bounds = label.bounds().inflate(gap / 2.0, 0.0);
        let limits = Rect { y0: plot.area.y0 - label.size, ..plot.area };
        let hits_bar =
            |(index, bar): (usize, &Bar)| plot.bar_rect(index, bar.value).overlaps(bounds);
        limits.contains_rect(label.bounds())
            && !plot.line_passes(bounds)
            && !bars.bars.iter().enumerate().any(hits_bar)
            && !occupied.iter().any(|other| other.bounds().overlaps(bounds))
    };
    let sizes = [style.label_size, style.small_size];
    let places = sizes.into_iter().flat_map(|size| {
        [(left, Anchor::Start, true), (right, Anchor::End, false), (right, Anchor::End, true)]
            .map(|(x, anchor, is_above)| candidate(size, x, anchor, is_above))
    });
    places.into_iter().find(is_free)
}
