//! Ways of ribbons around the nodes between their ends.

use std::collections::HashMap;

use kurbo::{BezPath, Point, Rect};

use crate::kinds::sankey::flows::{Flow, FlowGraph, Node};
use crate::kinds::sankey::layout::Layout;

/// Maximum number of passages. With more, ribbons lead straight to their target.
const MAX_PASSAGES: usize = 300;

/// A graph with passages: nodes without a name, which keep space for a ribbon in the layers between its
/// ends.
pub struct RoutedGraph {
    /// The nodes of the original graph, then the passages. Each flow is a part of an original one.
    pub graph: FlowGraph,
    /// Indices of the parts of each original flow in `graph.flows`, from source to target.
    pub parts: Vec<Vec<usize>>,
}

impl RoutedGraph {
    /// Returns the graph as it is, without passages.
    pub fn direct(graph: &FlowGraph) -> RoutedGraph {
        let parts = (0..graph.flows.len()).map(|index| vec![index]).collect();
        RoutedGraph { graph: graph.clone(), parts }
    }

    /// Returns the graph with a passage in each layer between the ends of a flow. Flows with the same ends
    /// share them. None if there would be too many.
    pub fn with_passages(graph: &FlowGraph) -> Option<RoutedGraph> {
        let mut nodes: Vec<Node> = graph.nodes.iter().map(Node::without_flows).collect();
        let mut flows: Vec<Flow> = Vec::new();
        let mut parts = Vec::with_capacity(graph.flows.len());
        let mut first_passages: HashMap<(usize, usize), usize> = HashMap::new();
        for flow in &graph.flows {
            let layer_of = |node: usize| graph.nodes.get(node).map_or(0, |node| node.layer);
            let inner_layers = layer_of(flow.source) + 1..layer_of(flow.target);
            let first = *first_passages.entry((flow.source, flow.target)).or_insert(nodes.len());
            if first == nodes.len() {
                nodes.extend(inner_layers.clone().map(Node::passage));
            }
            if nodes.len() > graph.nodes.len() + MAX_PASSAGES {
                return None;
            }
            let passages = (0..inner_layers.len()).map(|offset| first + offset);
            let stops: Vec<usize> =
                [flow.source].into_iter().chain(passages).chain([flow.target]).collect();
            let start = flows.len();
            for (source, target) in stops.iter().zip(stops.iter().skip(1)) {
                flows.push(Flow { source: *source, target: *target, ..flow.clone() });
            }
            parts.push((start..flows.len()).collect());
        }
        for (index, flow) in flows.iter().enumerate() {
            nodes.get_mut(flow.source)?.outgoing.push(index);
            nodes.get_mut(flow.target)?.incoming.push(index);
        }
        for passage in nodes.iter_mut().skip(graph.nodes.len()) {
            let incoming = passage.incoming.iter().filter_map(|index| flows.get(*index));
            passage.value = incoming.map(|flow| flow.value).sum();
        }
        let graph = FlowGraph { flows, nodes, layer_count: graph.layer_count };
        Some(RoutedGraph { graph, parts })
    }

    /// Returns the closed path of the ribbon of an original flow, horizontal at both ends and in its
    /// passages, with a constant vertical `thickness` in points.
    pub fn ribbon_path(&self, flow: usize, layout: &Layout, thickness: f64) -> BezPath {
        let mut curves = Vec::new();
        for part in self.parts.get(flow).into_iter().flatten() {
            curves.extend(self.upper_edge(*part, layout));
        }
        let mut path = BezPath::new();
        for (index, (start, end)) in curves.iter().enumerate() {
            if index == 0 {
                path.move_to(*start)
            } else {
                path.line_to(*start)
            }
            curve_horizontally(&mut path, *start, *end);
        }
        for (start, end) in curves.iter().rev() {
            let lower = |point: Point| Point::new(point.x, point.y + thickness);
            path.line_to(lower(*end));
            curve_horizontally(&mut path, lower(*end), lower(*start));
        }
        path.close_path();
        path
    }

    /// Returns the start and the end of the upper edge of a part. None for an unknown one.
    fn upper_edge(&self, part: usize, layout: &Layout) -> Option<(Point, Point)> {
        let (flow, tops) = (self.graph.flows.get(part)?, layout.ribbon_tops.get(part)?);
        let start_x = layout.node_rects.get(flow.source)?.x1;
        let end_x = layout.node_rects.get(flow.target)?.x0;
        Some((Point::new(start_x, tops.at_source), Point::new(end_x, tops.at_target)))
    }

    /// Returns whether a ribbon leads through the rectangle of a node that is not one of its ends.
    pub fn crosses_nodes(&self, layout: &Layout) -> bool {
        let nodes = || self.graph.nodes.iter().zip(&layout.node_rects);
        (0..self.graph.flows.len()).any(|part| {
            let Some((start, end)) = self.upper_edge(part, layout) else { return false };
            let thickness =
                self.graph.flows.get(part).map_or(0.0, |flow| flow.value * layout.scale);
            let is_crossed = |rect: &Rect| {
                let y = height_of_curve(start, end, rect.center().x);
                y < rect.y1 - 1.0 && y + thickness > rect.y0 + 1.0
            };
            nodes().any(|(node, rect)| {
                !node.name.is_empty() && rect.x0 > start.x && rect.x1 < end.x && is_crossed(rect)
            })
        })
    }
}

/// Appends a curve from `start`, which is the end of the path, to `end`. It is horizontal at both.
fn curve_horizontally(path: &mut BezPath, start: Point, end: Point) {
    let middle = f64::midpoint(start.x, end.x);
    path.curve_to((middle, start.y), (middle, end.y), (end.x, end.y));
}

/// Returns the y coordinate at `x` of the curve that `curve_horizontally` appends.
fn height_of_curve(start: Point, end: Point, x: f64) -> f64 {
    /// Number of steps of the search, which halve the range.
    const STEPS: usize = 20;
    let share = (x - start.x) / (end.x - start.x).max(1e-9);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..STEPS {
        let time = f64::midpoint(low, high);
        let at =
            1.5 * time * (1.0 - time).powi(2) + 1.5 * time.powi(2) * (1.0 - time) + time.powi(3);
        if at < share { low = time } else { high = time }
    }
    let weight = 3.0 * low.powi(2) * (1.0 - low) + low.powi(3);
    start.y + (end.y - start.y) * weight
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use kurbo::Point;

    use crate::Chart;
    use crate::scene::Primitive;

    #[test]
    fn ribbons_lead_around_the_nodes_between_their_ends() {
        let flows = [
            ("Solar", "Grid", 30),
            ("Wind", "Grid", 30),
            ("Grid", "Homes", 25),
            ("Grid", "Industry", 20),
            ("Grid", "Storage", 8),
            ("Grid", "Storage", 4),
            ("Industry", "Heat", 5),
        ];
        let data = flows.map(
            |(source, target, value)| json!({"source": source, "target": target, "value": value}),
        );
        let scene = crate::draw(&Chart::new(crate::find_kind("sankey").unwrap(), &data));
        let is_path =
            |shape: &&crate::scene::Shape| matches!(shape.primitive, Primitive::Path { .. });
        assert_eq!(scene.shapes.iter().filter(is_path).count(), flows.len());
        assert_eq!(scene.omissions, []);
        let industry = scene.shapes.iter().find_map(|shape| match &shape.primitive {
            // The only node between the first two layers and the last one.
            Primitive::Rect { rect, .. } if rect.x0 > 300.0 && rect.x1 < 560.0 => Some(*rect),
            _ => None,
        });
        let rect = industry.unwrap();
        let points = [0.05, 0.5, 0.95]
            .map(|share| Point::new(rect.center().x, rect.y0 + rect.height() * share));
        let crossing = scene.shapes.iter().filter(|shape| match &shape.primitive {
            Primitive::Path { path, .. } => {
                points.iter().any(|point| kurbo::Shape::contains(path, *point))
            }
            _ => false,
        });
        assert_eq!(crossing.count(), 0);
    }
}
