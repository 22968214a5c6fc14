//! Steps and decisions of a procedure, and arrows to what follows from each.
//!
//! Record: `id`, `label`, `type` (`start`, `step`, `decision`, `end`), `next` (an id, several parted
//! by commas, or a list; each with words at its arrow: `Yes: id`, or an object with `to` and
//! `label`), `highlighted`. Settings: `direction` (`auto`, `down`, `right`).

mod arrows;
mod graph;
mod plan;
mod routes;

use kurbo::{BezPath, Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::frame;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::layers;
use crate::scene::{Anchor, Form, Stroke};
use crate::steps;
use crate::steps::Block;

use graph::{Graph, Node, Shape};
use plan::Plan;

/// The flow chart.
pub const KIND: Kind = Kind { slug: "flow-chart", draw };

/// A laid-out chart with the names in its boxes.
struct Picture {
    plan: Plan,
    names: Vec<Block>,
    /// The look, with larger letters where all have room.
    look: Look,
    /// How many names are shortened.
    cut: usize,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let (graph, picture, gone) = fit(chart, frame, scene);
    if graph.nodes.is_empty() {
        return frame::no_data(frame, scene);
    }
    let area = steps::note_more(gone, frame.area, &frame.look, scene);
    let look = &picture.look;
    let decisions = graph.nodes.iter().filter(|it| it.shape == Shape::Decision).count();
    scene.desc = format!(
        "Flow chart of {} steps, {decisions} of them decisions, and {} arrows, starting with {}.",
        graph.nodes.len(),
        graph.links.len(),
        graph.nodes.first().map_or("", |it| it.label.as_str()),
    );
    let plan = &picture.plan;
    let turned = |route: Vec<Point>| route.into_iter().map(|it| plan.turn(it)).collect();
    let routes: Vec<Vec<Point>> = routes::routes(&graph, plan).into_iter().map(turned).collect();
    for (link, route) in graph.links.iter().zip(&routes) {
        let row = graph.nodes.get(link.from).map(|it| it.row);
        scene.tag("arrow", row, || {
            let name = |it: usize| graph.nodes.get(it).map_or("", |it| it.label.as_str());
            (Some("next".to_owned()), format!("{} – {}", name(link.from), name(link.to)))
        });
        arrows::arrow(route, look, scene);
    }
    scene.untag();
    let any = graph.nodes.iter().any(|it| it.highlighted);
    for (index, (node, name)) in graph.nodes.iter().zip(&picture.names).enumerate() {
        scene.tag("step", Some(node.row), || (Some("label".to_owned()), node.label.clone()));
        mark(chart, node, name, plan.rect(index), any, look, scene);
    }
    scene.untag();
    let boxes = graph.nodes.iter().enumerate().flat_map(|(index, node)| {
        let rect = plan.rect(index);
        // What is not drawn of a diamond's box is free for words.
        let stairs = if node.shape == Shape::Decision { 5 } else { 1 };
        (0..stairs).map(move |it| {
            let part = |count: i32| f64::from(count) / f64::from(stairs);
            let size = (rect.width() * part(stairs - it), rect.height() * part(it + 1));
            let size = if stairs == 1 { (rect.width(), rect.height()) } else { size };
            Rect::from_center_size(rect.center(), size)
        })
    });
    let boxes: Vec<Rect> = boxes.collect();
    arrows::words(&graph, &routes, &boxes, area, look, scene);
}

/// Reads and lays out as many steps as have room for a box; returns also how many have none.
fn fit(chart: &Chart, frame: &Frame, scene: &mut Scene) -> (Graph, Picture, usize) {
    let (look, area) = (&frame.look, frame.area);
    let (wide, high) = (area.width().max(area.height()), area.height().min(area.width()));
    let deep = (wide / (look.label * 4.0)).max(high / (look.label * 2.2));
    let across = high / (look.label * 2.2);
    let mut share = 1.0;
    loop {
        let (mut graph, mut gone) = graph::read(chart, scene);
        gone += limit(&mut graph, (deep * share) as usize, (across * share) as usize);
        let foot = if gone > 0 { steps::note_height(look) } else { 0.0 };
        let picture = arrange(chart, &graph, Rect { y1: area.y1 - foot, ..area }, look);
        let rect = picture.plan.rect(0);
        let roomy = rect.width() >= look.label * 4.0 && rect.height() >= look.small * 1.1;
        let nameless = |it: (&Block, &Node)| it.0.height() == 0.0 && !it.1.label.is_empty();
        let named = !picture.names.iter().zip(&graph.nodes).any(nameless);
        if roomy && named || share < 0.1 {
            return (graph, picture, gone);
        }
        share *= 0.75;
    }
}

/// Keeps so many layers, and so many steps of each.
fn limit(graph: &mut Graph, deep: usize, across: usize) -> usize {
    let of = layers::arrange(graph.nodes.len(), &graph.pairs()).of;
    let mut counts = vec![0; of.len().max(1)];
    let keep = |it: &usize| {
        counts[*it] += 1;
        *it < deep.max(1) && counts[*it] <= across.max(1)
    };
    let kept: Vec<bool> = of.iter().map(keep).collect();
    let gone = kept.iter().filter(|it| !**it).count();
    if gone > 0 {
        graph.keep(&kept);
    }
    gone
}

/// Most steps for which larger letters are tried.
const FEW: usize = 24;

/// In letters as large as all names have room for.
fn arrange(chart: &Chart, graph: &Graph, area: Rect, look: &Look) -> Picture {
    let larger = |share: &f64| arranged(chart, graph, area, &look.larger(*share));
    let shares: &[f64] = if graph.nodes.len() > FEW { &[] } else { &[1.3, 1.15] };
    let fitting = |it: &Picture| it.cut == 0 && it.plan.channel > it.look.label * 2.0;
    let found = shares.iter().map(larger).find(fitting);
    found.unwrap_or_else(|| arranged(chart, graph, area, look))
}

/// Down or to the right: as asked, else as fewer names are shortened and boxes are larger.
fn arranged(chart: &Chart, graph: &Graph, area: Rect, look: &Look) -> Picture {
    let words = graph.links.iter().map(|it| look.width(&it.label, look.small));
    let words = words.fold(0.0, f64::max).min(look.label * 6.0);
    let wide = |down: bool, ease: f64| {
        let plan = plan::plan(graph, area, (down, ease), words, look);
        let (names, cut) = names(graph, &plan, look);
        Picture { plan, names, cut, look: look.clone() }
    };
    // Long names get wider boxes than look best.
    let try_out = |down: bool| {
        let usual = wide(down, 1.0);
        let wider = if usual.cut > 0 { Some(wide(down, 1.8)) } else { None };
        wider.filter(|it| it.cut < usual.cut).unwrap_or(usual)
    };
    match chart.word("direction") {
        "down" => try_out(true),
        "right" => try_out(false),
        _ => {
            let (right, down) = (try_out(false), try_out(true));
            let size = |it: &Picture| {
                let rect = it.plan.rect(0);
                rect.width().min(look.label * 8.0) * rect.height().min(look.label * 3.0)
            };
            if (down.cut, -size(&down)) < (right.cut, -size(&right)) { down } else { right }
        }
    }
}

/// The names, in one size that suits all, and how far they are from whole names in the usual size.
fn names(graph: &Graph, plan: &Plan, look: &Look) -> (Vec<Block>, usize) {
    let set = |size: f64| -> Vec<Block> {
        let name = |(index, node): (usize, &Node)| name(node, plan.rect(index), size);
        graph.nodes.iter().enumerate().map(name).collect()
    };
    let large = set(look.label);
    let small = !large.iter().all(Block::is_whole);
    let all = if small { set(look.small) } else { large };
    let cut = all.iter().filter(|it| !it.is_whole()).count() * 2 + usize::from(small);
    (all, cut)
}

/// A name in its box; between the slopes of a decision lines are the shorter the more there are.
fn name(node: &Node, rect: Rect, size: f64) -> Block {
    let block = |room: (f64, f64)| Block::new("", &node.label, room, (size, size));
    match node.shape {
        Shape::Decision => {}
        // The outer lines of a name keep clear of the round ends.
        Shape::Terminal => {
            let height = (rect.height() - size * 0.6).max(size * 1.05).min(rect.height() - 1.0);
            return block((rect.width() - size * 0.9, height));
        }
        _ => return block((rect.width() - size * 0.9, rect.height() - 1.0)),
    }
    let lines = |count: f64| {
        let height = size * (count * 1.22 - 0.2);
        // Letters at the ends of the outer lines may come near the slopes.
        let share = 1.0 - (height - size * 0.35) / rect.height().max(1.0);
        block((rect.width() * share - size * 0.6, height.min(rect.height())))
    };
    let tries = [lines(1.0), lines(2.0), lines(3.0)];
    let [one, two, three] = tries;
    if one.is_whole() {
        one
    } else if two.is_whole() || !three.is_whole() {
        two
    } else {
        three
    }
}

fn mark(
    chart: &Chart,
    node: &Node,
    name: &Block,
    rect: Rect,
    any: bool,
    look: &Look,
    scene: &mut Scene,
) {
    let (usual, solid) = match node.shape {
        Shape::Terminal => (chart.color(0), true),
        Shape::Step => (chart.color(0), false),
        Shape::Decision => (chart.color(1), false),
    };
    let (color, solid) = match (any, node.highlighted) {
        (false, _) => (usual, solid),
        (true, true) => (chart.theme.highlight, true),
        (true, false) => (look.faded(), solid),
    };
    let fill = if solid { color } else { color.mix(look.background, 0.8) };
    let fill = fill.carrying().0;
    let ink = if solid { fill.ink() } else { look.ink.readable_on(fill, 4.5) };
    shape(node.shape, rect, fill, Stroke::new(color, look.unit), scene);
    let at = (rect.center().x, rect.center().y - name.height() / 2.0);
    name.draw(scene, look, at, Anchor::Middle, (ink, ink));
}

fn shape(shape: Shape, rect: Rect, fill: Color, rim: Stroke, scene: &mut Scene) {
    if shape == Shape::Terminal {
        let radius = rect.width().min(rect.height()) / 2.0;
        return scene.push(Form::Rect { rect, radius, fill });
    }
    let path = if shape == Shape::Step {
        kurbo::Shape::to_path(&rect.to_rounded_rect(2.0), 0.1)
    } else {
        let middle = rect.center();
        let mut path = BezPath::new();
        path.move_to((middle.x, rect.y0));
        path.line_to((rect.x1, middle.y));
        path.line_to((middle.x, rect.y1));
        path.line_to((rect.x0, middle.y));
        path.close_path();
        path
    };
    scene.push(Form::Path { path, fill: Some(fill), stroke: Some(rim) });
}
