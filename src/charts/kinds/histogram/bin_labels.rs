//! Labels of the bins of a histogram: counts above the bars, and edges below them.

use kurbo::Rect;

use crate::Scene;
use crate::format::NumberFormat;
use crate::frame::ChartStyle;
use crate::frame::axis::ValueAxis;
use crate::kinds::histogram::bins::{Bin, Bins};
use crate::kinds::histogram::{Labels, Plot, locate_marker_line};
use crate::scale::{LinearScale, Ticks};
use crate::scene::{Anchor, Text};

/// Draws labels of the edges of the bins below the bars.
pub fn draw_edges(
    style: &ChartStyle,
    plot: Rect,
    bins: &Bins,
    labels: &Labels,
    x: &LinearScale,
    scene: &mut Scene,
) {
    let edges = bins.edges();
    if bins.single_numbers {
        // A bin of a single whole number has that number as its label, centered below its bar.
        let domain = (x.domain.0 - 0.5, x.domain.1 - 0.5);
        let numbers = edges.split_last().map_or(edges.as_slice(), |(_, numbers)| numbers);
        let x = LinearScale { domain, ..*x };
        draw_edge_labels(style, plot, numbers, &labels.edge_format, &x, scene);
    } else if !bins.equal_widths || bins.open_ends() != (false, false) {
        draw_uneven_edge_labels(style, plot, bins, &labels.edge_format, x, scene);
    } else {
        draw_edge_labels(style, plot, &edges, &labels.edge_format, x, scene);
    }
}

/// Draws the values `edges` below the bars. If they would overlap, only every 2nd, 4th, 5th, 10th
/// or 20th is drawn, or even fewer, at multiples of their distance. There are no grid lines,
/// because the bars show the edges.
fn draw_edge_labels(
    style: &ChartStyle,
    plot: Rect,
    edges: &[f64],
    format: &NumberFormat,
    x: &LinearScale,
    scene: &mut Scene,
) {
    let labels: Vec<String> = edges.iter().map(|edge| format.text(*edge)).collect();
    let widest =
        labels.iter().map(|label| style.text_width(label, style.label_size)).fold(0.0, f64::max);
    let narrowest = edges
        .windows(2)
        .filter_map(|pair| Some(x.at(*pair.last()?) - x.at(*pair.first()?)))
        .fold(f64::INFINITY, f64::min);
    let min_interval =
        ((widest + style.label_size) / narrowest.max(0.1)).ceil().clamp(1.0, 1e6) as usize;
    let interval = [1, 2, 4, 5, 10, 20].into_iter().find(|interval| *interval >= min_interval);
    let interval = interval.unwrap_or(min_interval);
    let first = find_first_label(edges, interval);
    let values = edges.iter().copied().skip(first).step_by(interval).collect();
    let ticks = Ticks { step: narrowest, values };
    let labels = labels.into_iter().skip(first).step_by(interval).collect();
    let values = ValueAxis::linear(style, x.domain, ticks, labels);
    let no_grid = ChartStyle { grid_color: style.background, ..style.clone() };
    // 2 units lower, so that the first labels of both axes do not touch in the corner.
    let lowered = Rect { y0: plot.y1, y1: plot.y1 + 2.0 * style.unit, ..plot };
    values.draw_bottom(scene, &no_grid, lowered, x);
}

/// Draws those of the edges of bins of unequal width that have space, from left to right, below the
/// bars. The last edge takes precedence over those before it. An open end has no label, and the edge
/// before an open last bin has a plus sign.
fn draw_uneven_edge_labels(
    style: &ChartStyle,
    plot: Rect,
    bins: &Bins,
    format: &NumberFormat,
    x: &LinearScale,
    scene: &mut Scene,
) {
    let size = style.label_size;
    let edges = bins.edges();
    let (is_open_below, is_open_above) = bins.open_ends();
    let edges = if is_open_below { edges.get(1..).unwrap_or_default() } else { &edges };
    let edges =
        if is_open_above { edges.split_last().map_or(edges, |split| split.1) } else { edges };
    let open_edge = if is_open_above { edges.last().copied() } else { None };
    // As low as the labels of bins of equal width.
    let baseline = plot.y1 + style.unit * 8.0 + size * 0.76;
    let label = |edge: &f64| {
        let sign = if open_edge == Some(*edge) { "+" } else { "" };
        let text = format.text(*edge) + sign;
        let half = style.text_width(&text, size) / 2.0;
        let max_center = (scene.width - 4.0 - half).max(4.0 + half);
        let center = x.at(*edge).clamp(4.0 + half, max_center);
        style.label_text(center, baseline, Anchor::Middle, size, &text)
    };
    let Some((last, others)) = edges.split_last() else { return };
    let last = label(last);
    let are_apart = |left: &Text, right: &Text| right.bounds().x0 - left.bounds().x1 >= size * 0.7;
    let mut chosen: Vec<Text> = Vec::new();
    for text in others.iter().map(label) {
        let has_space = chosen.last().is_none_or(|previous| are_apart(previous, &text));
        if has_space && are_apart(&text, &last) {
            chosen.push(text);
        }
    }
    for text in chosen.into_iter().chain([last]) {
        scene.text(Text { color: style.muted_color, ..text });
    }
}

/// Returns the index of the first edge with a label, if every `interval`-th edge has one: the first
/// edge that is a multiple of the distance of two labels, so that they are as round as possible. 0
/// if there is none, or if only one edge would have a label.
fn find_first_label(edges: &[f64], interval: usize) -> usize {
    let [first, second, ..] = edges else { return 0 };
    let distance = (second - first) * interval as f64;
    let is_multiple = |edge: &f64| (edge / distance - (edge / distance).round()).abs() < 1e-6;
    let first = edges.iter().take(interval).position(is_multiple);
    // A single label would not show the scale.
    first.filter(|first| first + interval < edges.len()).unwrap_or(0)
}

/// Draws the counts above their bars. A count that the marker line would cross moves beside the
/// line, if the bar is wide enough. Counts of 0 are omitted, and so are those that would touch
/// another bar or count. `size` is the font size in points.
pub fn draw_counts(
    bins: &Bins,
    plot: &Plot,
    labels: &Labels,
    size: f64,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let line_x = labels.marker.map(|marker| locate_marker_line(marker, bins, plot));
    let bar = |bin: &Bin| {
        let top = plot.y.at(bins.height(bin));
        Rect::new(plot.x.at(bin.from), top, plot.x.at(bin.to), plot.area.y1)
    };
    let mut counts: Vec<Rect> = Vec::new();
    for (index, bin) in bins.all.iter().enumerate().filter(|(_, bin)| bin.count > 0.0) {
        let x = (plot.x.at(bin.from) + plot.x.at(bin.to)) / 2.0;
        let y = plot.y.at(bins.height(bin)) - size * 0.35;
        let count_text = labels.count_format.text(bin.count);
        let (from, to) = (plot.x.at(bin.from), plot.x.at(bin.to));
        let half = style.text_width(&count_text, size) / 2.0;
        // The count moves to the side of the marker line if the bar is wide enough.
        let x = match line_x.filter(|line_x| (line_x - x).abs() < half + 2.5) {
            Some(line_x) if line_x <= x && line_x + half * 2.0 + 1.5 <= to => line_x + half + 2.5,
            Some(line_x) if line_x >= x && line_x - half * 2.0 - 1.5 >= from => line_x - half - 2.5,
            _ => x,
        };
        let label_text = style.label_text(x, y, Anchor::Middle, size, &count_text);
        let bounds = label_text.bounds();
        let mut others = bins.all.iter().enumerate().filter(|(other, _)| *other != index);
        let is_blocked = !bins.equal_widths
            && (bounds.x0 < 0.0
                || counts.iter().any(|count| count.overlaps(bounds))
                || others.any(|(_, other)| bar(other).overlaps(bounds)));
        if !is_blocked {
            counts.push(bounds);
            let text =
                Text { color: style.value_color, halo: Some(style.background), ..label_text };
            scene.text(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Chart;

    #[test]
    fn an_open_bin_has_no_last_edge() {
        let bin = |(from, count): (&str, i32)| json!({"from": from, "count": count});
        for classes in [["0–17", "18–29", "65+"], ["0–19", "20–39", "40 and more"]] {
            let data = classes.map(|class| bin((class, 7)));
            let scene = crate::draw(&Chart::new(crate::find_kind("histogram").unwrap(), &data));
            let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
            let edges: Vec<&&str> = texts.iter().filter(|text| **text != "7").collect();
            let last = edges.iter().any(|edge| **edge == "65+" || **edge == "40+");
            assert!(last && !texts.contains(&"60") && !texts.contains(&"77"), "{texts:?}");
            assert_eq!(scene.omissions, []);
        }
    }

    #[test]
    fn bins_of_unequal_width_have_counts_and_edges_where_there_is_space() {
        let bin =
            |(from, to, count): (i32, i32, i32)| json!({"from": from, "to": to, "count": count});
        let bins = [
            (0, 500, 12_300),
            (500, 1_000, 148_200),
            (1_000, 2_000, 812_400),
            (2_000, 4_000, 1_204_800),
            (4_000, 10_000, 640_100),
        ];
        let data = bins.map(bin);
        let scene = crate::draw(&Chart::new(crate::find_kind("histogram").unwrap(), &data));
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        for text in ["1,204,800", "640,100", "0", "2.0k", "4.0k", "10.0k"] {
            assert!(texts.contains(&text), "{text}: {texts:?}");
        }
        let boxes: Vec<kurbo::Rect> = scene.text_boxes().map(|(_, bounds)| bounds).collect();
        for (index, one) in boxes.iter().enumerate() {
            assert!(!boxes[..index].iter().any(|two| two.overlaps(*one)), "{texts:?}");
        }
    }
}
