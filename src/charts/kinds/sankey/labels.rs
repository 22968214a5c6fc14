//! Labels of the nodes with name and amount: left of the first layer, right of all others.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::sankey::flows::Flows;
use crate::kinds::sankey::layout::Layout;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Text};
use crate::spread;
use crate::text;

/// Line height as a share of the font size.
const LEADING: f64 = 1.2;

/// Layout of the labels, and the rectangle that they leave for the ribbons.
pub struct Labels {
    /// Rectangle between the labels of the first and the last layer.
    pub plot: Rect,
    amounts: Vec<String>,
    /// Whether the amount is below the name instead of in the same line.
    stacked: bool,
    size: f64,
    /// Distance in points between node and label.
    gap: f64,
    /// Maximum label width in points: left of the plot, between the layers, and right of the plot.
    rooms: (f64, f64, f64),
}

impl Labels {
    /// Chooses the layout of the labels. `width` is the width of a node in points.
    pub fn plan(
        chart: &Chart,
        flows: &Flows,
        rows: &[Vec<usize>],
        format: &NumberFormat,
        frame: &Frame,
        width: f64,
    ) -> Labels {
        let style = &frame.style;
        let area = frame.area;
        let shown = chart.bool_setting("showValues", true);
        let amount = |it: f64| if shown { format.text(it) } else { String::new() };
        let amounts: Vec<String> = flows.nodes.iter().map(|it| amount(it.value)).collect();
        let most = rows.iter().map(Vec::len).max().unwrap_or(1) as f64;
        let stacked = shown && area.height() / most >= style.label_size * LEADING * 2.6;
        let size = if area.height() / most >= style.label_size * 1.3 {
            style.label_size
        } else {
            style.small_size
        };
        let gap = style.unit * 5.0;
        let widest = |row: Option<&Vec<usize>>, share: f64| {
            let widths = row.into_iter().flatten().map(|it| {
                let (name, amount) = (&flows.nodes[*it].name, &amounts[*it]);
                whole_width(name, amount, stacked, size, style)
            });
            widths.fold(0.0, f64::max).min(area.width() * share)
        };
        let share = if flows.layers > 2 { 0.24 } else { 0.32 };
        let (left, right) = (widest(rows.first(), share), widest(rows.last(), share));
        let plot = Rect { x0: area.x0 + left + gap, x1: area.x1 - right - gap, ..area };
        let layers = (flows.layers.max(2) - 1) as f64;
        let between = (plot.width() - width) / layers - width - 2.5 * gap;
        Labels { plot, amounts, stacked, size, gap, rooms: (left, between, right) }
    }

    /// Draws the labels of all layers. If not all labels of a layer fit, the labels of its smallest
    /// nodes are left out with a warning.
    pub fn draw(
        &self,
        flows: &Flows,
        rows: &[Vec<usize>],
        layout: &Layout,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let line = self.size * LEADING;
        let tall = if self.stacked { line * 2.0 } else { line };
        let most = (self.plot.height() / tall) as usize;
        let height = |it: &usize| match self.stacked {
            true => self.lines(flows, *it, true, style).len().max(2) as f64 * line,
            false => line,
        };
        // Amounts below names of two lines are kept only if every layer has space for them.
        let roomy =
            rows.iter().all(|row| row.iter().map(height).sum::<f64>() <= self.plot.height());
        let mut dropped = 0;
        for row in rows {
            let mut kept = row.clone();
            if kept.len() > most {
                let value = |it: &usize| flows.nodes[*it].value;
                kept.sort_by(|one, two| value(two).total_cmp(&value(one)));
                dropped += kept.len() - most;
                kept.truncate(most);
            }
            let middle = |it: &usize| layout.nodes[*it].center().y;
            kept.sort_by(|one, two| middle(one).total_cmp(&middle(two)));
            let wanted: Vec<f64> = kept.iter().map(middle).collect();
            let height = |it: &usize| if roomy { height(it) } else { tall };
            let heights: Vec<f64> = kept.iter().map(height).collect();
            let places = spread::spread_apart(&wanted, &heights, self.plot.y0, self.plot.y1);
            for (node, y) in kept.iter().zip(places) {
                let at = (layout.nodes[*node], y);
                if self.stacked {
                    self.stack(flows, *node, at, roomy, style, scene);
                } else {
                    self.line(flows, *node, at, style, scene);
                }
            }
        }
        if dropped > 0 {
            scene.warn(format!("Places without room for their name: {dropped}."));
        }
    }

    /// Returns the x coordinate of a label, its text anchor and its maximum width.
    fn side(&self, flows: &Flows, index: usize, rect: Rect) -> (f64, Anchor, f64) {
        match flows.nodes.get(index).map_or(0, |it| it.layer) {
            0 => (rect.x0 - self.gap, Anchor::End, self.rooms.0),
            it if it + 1 == flows.layers => (rect.x1 + self.gap, Anchor::Start, self.rooms.2),
            _ => (rect.x1 + self.gap, Anchor::Start, self.rooms.1),
        }
    }

    /// Returns the halo color of a label. Only labels between the first and the last layer have a
    /// halo, because they are drawn over ribbons.
    fn halo(&self, flows: &Flows, index: usize, style: &ChartStyle) -> Option<Color> {
        let layer = flows.nodes.get(index).map_or(0, |it| it.layer);
        (layer > 0 && layer + 1 < flows.layers).then_some(style.background)
    }

    /// Returns the lines of a label: the name, then the amount.
    ///
    /// A name that needs two lines has priority over the amount. It keeps the amount only if
    /// `roomy`.
    fn lines(&self, flows: &Flows, index: usize, roomy: bool, style: &ChartStyle) -> Vec<String> {
        let (Some(node), Some(amount)) = (flows.nodes.get(index), self.amounts.get(index)) else {
            return Vec::new();
        };
        let (_, _, room) = self.side(flows, index, Rect::ZERO);
        let two = two_lines(&node.name, room, self.size, style);
        let amount_too = roomy || two.is_none();
        let mut lines = two.unwrap_or_else(|| {
            vec![text::ellipsize(&node.name, room, self.size, style.label_face()).into_owned()]
        });
        if amount_too && !amount.is_empty() && style.text_width(amount, self.size) <= room {
            lines.push(amount.clone());
        }
        lines
    }

    /// Draws a label with the amount below the name.
    fn stack(
        &self,
        flows: &Flows,
        index: usize,
        (rect, middle): (Rect, f64),
        roomy: bool,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let Some(node) = flows.nodes.get(index) else { return };
        let (x, anchor, _) = self.side(flows, index, rect);
        let halo = self.halo(flows, index, style);
        let lines = self.lines(flows, index, roomy, style);
        let above = lines.len().saturating_sub(1) as f64 / 2.0;
        for (place, line) in lines.iter().enumerate() {
            let y = middle
                + HALF_CAP_HEIGHT_EM * self.size
                + (place as f64 - above) * self.size * LEADING;
            let amount = place > 0 && place + 1 == lines.len() && !node.name.ends_with(line);
            let color = if amount && halo.is_none() { style.label_color } else { style.text_color };
            let full = line.ends_with('…').then(|| node.name.clone());
            let set = style.label_text(x, y, anchor, self.size, line);
            scene.text(Text { color, halo, full, ..set });
        }
    }

    /// Draws a label with name and amount in one line.
    fn line(
        &self,
        flows: &Flows,
        index: usize,
        (rect, middle): (Rect, f64),
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let (Some(node), Some(amount)) = (flows.nodes.get(index), self.amounts.get(index)) else {
            return;
        };
        let size = self.size;
        let (x, anchor, room) = self.side(flows, index, rect);
        let halo = self.halo(flows, index, style);
        // If both do not fit into the line, only the name is drawn.
        let whole = whole_width(&node.name, amount, false, size, style) <= room + 0.01;
        let amount = if whole { amount.as_str() } else { "" };
        let name = text::ellipsize(&node.name, room, size, style.label_face());
        let full = (name.len() != node.name.len()).then(|| node.name.clone());
        let base = middle + HALF_CAP_HEIGHT_EM * size;
        let space = if amount.is_empty() { 0.0 } else { size * 0.4 };
        let (name_x, amount_x) = match anchor {
            Anchor::End => (x - style.text_width(amount, size) - space, x),
            _ => (x, x + style.text_width(&name, size) + space),
        };
        let name = style.label_text(name_x, base, anchor, size, &name);
        scene.text(Text { color: style.text_color, halo, full, ..name });
        let color = if halo.is_some() { style.text_color } else { style.label_color };
        scene.text(Text { color, halo, ..style.label_text(amount_x, base, anchor, size, amount) });
    }
}

/// Wraps a name that needs two lines. Returns None if it fits into one line, or if it does not fit
/// into two.
fn two_lines(name: &str, room: f64, size: f64, style: &ChartStyle) -> Option<Vec<String>> {
    if style.text_width(name, size) <= room {
        return None;
    }
    let lines = text::wrap(name, room, 2, size, style.label_face());
    let fits = |it: &String| !it.ends_with('…') && style.text_width(it, size) <= room;
    (lines.len() == 2 && lines.iter().all(fits)).then_some(lines)
}

/// Returns the width of a label without shortening.
fn whole_width(name: &str, amount: &str, stacked: bool, size: f64, style: &ChartStyle) -> f64 {
    let (name, amount) = (style.text_width(name, size), style.text_width(amount, size));
    match (stacked, amount > 0.0) {
        (true, _) => name.max(amount),
        (false, true) => name + size * 0.4 + amount,
        (false, false) => name,
    }
}
