//! Long flows in several columns, each of which continues the one before it.
//!
//! A flow can be broken between two layers if only one arrow without a label connects them.

use kurbo::{Point, Rect};

use crate::Scene;
use crate::frame::{ChartStyle, Frame, MIN_TEXT_SIZE};
use crate::graph_layers;
use crate::kinds::flow_chart::arrows;
use crate::kinds::flow_chart::graph::{FlowGraph, Link, NodeShape};
use crate::kinds::flow_chart::{FlowPart, lay_out_in_best_direction};

/// Maximum number of columns.
const MAX_COLUMNS: usize = 8;
/// Width of the space between two columns in em.
const GUTTER_EM: f64 = 2.4;
/// Height of the space above and below a column in em, for the arrow to the next column.
const OUTER_CHANNEL_EM: f64 = 1.3;
/// Height of a layer with a decision, compared to other layers.
const DECISION_WEIGHT: f64 = 1.6;

/// Returns possible layouts of the whole flow, each a list of columns: those with the largest text
/// first, and of these those with the fewest columns. Their labels may be shortened or hidden.
/// `direction` is the setting of that name. A flow to the right has only one column.
pub fn list_layouts(
    direction: &str,
    graph: &FlowGraph,
    frame: &Frame,
) -> impl Iterator<Item = Vec<FlowPart>> {
    let style = &frame.style;
    let small = ChartStyle { label_size: style.small_size, ..style.clone() };
    let minimal =
        ChartStyle { label_size: MIN_TEXT_SIZE, small_size: MIN_TEXT_SIZE, ..style.clone() };
    let max_columns = if direction == "right" { 1 } else { MAX_COLUMNS };
    let styles = [style.clone(), small, minimal];
    styles.into_iter().flat_map(move |style| {
        (1..=max_columns).filter_map(move |columns| match columns {
            1 => Some(vec![lay_out_part(direction, graph.clone(), frame.area, &style)]),
            _ => lay_out_columns(graph, columns, frame.area, &style),
        })
    })
}

/// Draws the arrow from the last step of a column to the first step of the next one, through the
/// space between both columns. Does nothing if `before` has no exit or `after` no entry.
pub fn draw_connector(before: &FlowPart, after: &FlowPart, scene: &mut Scene) {
    let style = &before.labelled.style;
    let rects = |part: &FlowPart| -> Vec<Rect> {
        (0..part.graph.nodes.len()).map(|index| part.labelled.layout.rect(index)).collect()
    };
    let (from_rects, to_rects) = (rects(before), rects(after));
    let is_exit = |index: &usize| before.exit == Some(*index);
    let from = (0..from_rects.len()).find(is_exit).and_then(|index| from_rects.get(index));
    let to = after.entry.and_then(|index| to_rects.get(index));
    let (Some(from), Some(to)) = (from, to) else { return };
    let bottom = from_rects.iter().map(|rect| rect.y1).fold(from.y1, f64::max);
    let top = to_rects.iter().map(|rect| rect.y0).fold(to.y0, f64::min);
    let channel = style.label_size * OUTER_CHANNEL_EM;
    let gutter = after.left - style.label_size * GUTTER_EM * 0.5;
    let route = [
        Point::new(from.center().x, from.y1),
        Point::new(from.center().x, bottom + channel * 0.5),
        Point::new(gutter, bottom + channel * 0.5),
        Point::new(gutter, top - channel * 0.75),
        Point::new(to.center().x, top - channel * 0.75),
        Point::new(to.center().x, to.y0),
    ];
    let row = before.exit.and_then(|exit| before.graph.nodes.get(exit)).map(|node| node.row);
    scene.begin_mark("arrow", row, || (Some("next".to_owned()), String::new()));
    arrows::draw_arrow(&route, style, scene);
    scene.end_mark();
}

/// Lays out all of `graph` in `area` as one part, without arrows to other parts. `direction` is the
/// setting of that name.
fn lay_out_part(direction: &str, graph: FlowGraph, area: Rect, style: &ChartStyle) -> FlowPart {
    let labelled = lay_out_in_best_direction(direction, &graph, area, style);
    FlowPart { graph, labelled, left: area.x0, entry: None, exit: None }
}

/// Lays out a flow in `columns` columns that run down. Returns None if it cannot be broken so
/// often, or if the columns would be too narrow or too low.
fn lay_out_columns(
    graph: &FlowGraph,
    columns: usize,
    area: Rect,
    style: &ChartStyle,
) -> Option<Vec<FlowPart>> {
    let layers = graph_layers::assign_layers(graph.nodes.len(), &graph.pairs());
    let mut weights = vec![1.0; layers.count];
    for (node, layer) in graph.nodes.iter().zip(&layers.layer_of) {
        if node.shape == NodeShape::Decision {
            weights.get_mut(*layer).into_iter().for_each(|weight| *weight = DECISION_WEIGHT);
        }
    }
    let breaks = find_breaks(graph, &layers.layer_of, layers.count);
    let starts = divide(&weights, &breaks, columns)?;
    let gutter = style.label_size * GUTTER_EM;
    let pitch = (area.width() + gutter) / columns as f64;
    let channel = style.label_size * OUTER_CHANNEL_EM;
    let height = area.height() - 2.0 * channel;
    if pitch - gutter < style.label_size * 5.0 || height < style.label_size * 4.0 {
        return None;
    }
    let ends = starts.iter().skip(1).copied().chain([layers.count]);
    let ranges: Vec<(usize, usize)> = starts.iter().copied().zip(ends).collect();
    let weight = |(start, end): &(usize, usize)| -> f64 {
        weights.get(*start..*end).unwrap_or_default().iter().sum()
    };
    let max_weight = ranges.iter().map(weight).fold(1.0, f64::max);
    let lay_out = |(column, range): (usize, &(usize, usize))| {
        let is_inside = |layer: &usize| *layer >= range.0 && *layer < range.1;
        let kept: Vec<bool> = layers.layer_of.iter().map(is_inside).collect();
        let mut part = graph.clone();
        part.retain_nodes(&kept);
        let left = area.x0 + pitch * column as f64;
        let top = area.y0 + channel;
        let bottom = top + height * weight(range) / max_weight;
        let column_area = Rect::new(left, top, left + pitch - gutter, bottom);
        let new_index = |node: usize| kept.iter().take(node).filter(|kept| **kept).count();
        let link_at = |layer: usize| breaks.get(layer).copied().flatten();
        let entry = link_at(range.0).and_then(|link| graph.links.get(link));
        let exit = link_at(range.1).and_then(|link| graph.links.get(link));
        FlowPart {
            entry: entry.map(|link| new_index(link.to)),
            exit: exit.map(|link| new_index(link.from)),
            ..lay_out_part("down", part, column_area, style)
        }
    };
    Some(ranges.iter().enumerate().map(lay_out).collect())
}

/// Returns for each layer, and for the end of the flow, the index of the only link between earlier
/// and later layers. None where the flow cannot be broken: if no link or several links pass, or if
/// the link has a label, skips a layer or leads backward.
fn find_breaks(graph: &FlowGraph, layer_of: &[usize], layer_count: usize) -> Vec<Option<usize>> {
    let layer = |node: usize| layer_of.get(node).copied().unwrap_or(0);
    let find_break = |start: usize| {
        let crosses = |link: &Link| (layer(link.from) < start) != (layer(link.to) < start);
        let mut crossing = graph.links.iter().enumerate().filter(|(_, link)| crosses(link));
        let (Some((index, link)), None) = (crossing.next(), crossing.next()) else { return None };
        let is_next = layer(link.from) + 1 == start && layer(link.to) == start;
        (is_next && link.label.is_empty()).then_some(index)
    };
    (0..=layer_count).map(find_break).collect()
}

/// Divides layers into `count` parts at `breaks`, so that the largest sum of the `weights` of a
/// part is about as small as possible. Returns the first layer of each part. None if there are not
/// enough breaks for parts lighter than the whole.
fn divide(weights: &[f64], breaks: &[Option<usize>], count: usize) -> Option<Vec<usize>> {
    let total: f64 = weights.iter().sum();
    let step = 0.3;
    let limits = (0..).map(|index| total / count as f64 + step * f64::from(index));
    limits.take_while(|limit| *limit < total).find_map(|limit| {
        let mut starts = vec![0];
        let (mut weight, mut weight_at_break, mut last_break) = (0.0, 0.0, None);
        for (layer, layer_weight) in weights.iter().enumerate() {
            if layer > 0 && breaks.get(layer).is_some_and(Option::is_some) {
                (last_break, weight_at_break) = (Some(layer), weight);
            }
            if weight + layer_weight > limit + 1e-9 {
                starts.push(last_break.take()?);
                weight -= weight_at_break;
                weight_at_break = 0.0;
            }
            weight += layer_weight;
        }
        (starts.len() == count).then_some(starts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_divided_at_breaks_only() {
        let breaks = [None, Some(0), Some(1), None, None, Some(4), Some(5), None];
        assert_eq!(divide(&[1.0; 7], &breaks, 2), Some(vec![0, 5]));
        assert_eq!(divide(&[1.0; 7], &breaks, 3), Some(vec![0, 2, 5]));
        assert_eq!(divide(&[1.0; 7], &[None; 8], 2), None);
    }
}
