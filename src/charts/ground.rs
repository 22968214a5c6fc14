//! The picture under a chart: an SVG that a theme brings, reduced to filled and stroked outlines.
//!
//! Nothing of its text reaches a picture. What is understood (groups, transforms and the basic
//! shapes in plain colours) becomes shapes of ours; everything else (text, images, gradients,
//! filters, masks, styles, scripts, references) is left out.

use kurbo::{Affine, BezPath, Circle, Ellipse, Line, Rect, RoundedRect, Shape, Vec2};
use roxmltree::{Document, Node, ParsingOptions};

use crate::color::Color;
use crate::scene::{Form, Stroke};

/// Longest text that is read, in bytes; more is no background.
const MAX_BYTES: usize = 65_536;
/// Most elements, attributes and texts.
const MAX_NODES: u32 = 5_000;
/// Deepest nesting of groups.
const MAX_DEPTH: usize = 32;
/// Largest coordinate; beyond it, numbers are no places in a picture.
const MAX_COORDINATE: f64 = 1e6;
/// How exactly curves follow circles, in points.
const TOLERANCE: f64 = 0.05;
/// Size of an SVG that does not say its own, in points.
const USUAL: Rect = Rect::new(0.0, 0.0, 720.0, 405.0);

/// A background, in its own coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Ground {
    /// What of it covers the canvas.
    view: Rect,
    outlines: Vec<Outline>,
}

#[derive(Clone, Debug, PartialEq)]
struct Outline {
    path: BezPath,
    fill: Option<Color>,
    stroke: Option<Stroke>,
}

/// What an element has from those around it.
#[derive(Clone, Copy)]
struct Paint {
    transform: Affine,
    fill: Option<Color>,
    stroke: Option<Color>,
    width: f64,
    opacity: f64,
}

impl Ground {
    /// Reads an SVG. None when it is not one, or nothing of it can be drawn.
    pub fn parse(text: &str) -> Option<Ground> {
        if text.is_empty() || text.len() > MAX_BYTES {
            return None;
        }
        // Without document types there are no entities, so nothing grows.
        let options =
            ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..Default::default() };
        let document = Document::parse_with_options(text, options).ok()?;
        let root = document.root_element();
        if root.tag_name().name() != "svg" {
            return None;
        }
        let black = Color::hex(0);
        let paint = Paint {
            transform: Affine::IDENTITY,
            fill: Some(black),
            stroke: None,
            width: 1.0,
            opacity: 1.0,
        };
        let mut ground = Ground { view: view(root), outlines: Vec::new() };
        ground.children(root, paint.within(root)?, 0);
        (!ground.outlines.is_empty()).then_some(ground)
    }

    /// Width as a multiple of the height.
    pub fn ratio(&self) -> f64 {
        self.view.width() / self.view.height()
    }

    /// Its shapes on a canvas, which it covers from edge to edge, its middle in the middle.
    pub fn forms(&self, width: f64, height: f64) -> Vec<Form> {
        let scale = (width / self.view.width()).max(height / self.view.height());
        let place = Affine::translate(Vec2::new(width / 2.0, height / 2.0))
            * Affine::scale(scale)
            * Affine::translate(-self.view.center().to_vec2());
        let form = |outline: &Outline| Form::Path {
            path: place * &outline.path,
            fill: outline.fill,
            stroke: outline.stroke.map(|it| Stroke { width: it.width * scale, ..it }),
        };
        self.outlines.iter().map(form).collect()
    }

    fn children(&mut self, parent: Node<'_, '_>, paint: Paint, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        for node in parent.children().filter(Node::is_element) {
            let Some(paint) = paint.within(node) else { continue };
            match node.tag_name().name() {
                "g" => self.children(node, paint, depth + 1),
                _ => self.outlines.extend(outline(node, &paint)),
            }
        }
    }
}

impl Paint {
    /// With what an element says itself. None when it is hidden or drawn in a way that we cannot.
    fn within(self, node: Node<'_, '_>) -> Option<Paint> {
        let odd = ["clip-path", "mask", "filter"];
        let is = |name: &str, value: &str| property(node, name) == Some(value);
        if odd.iter().any(|name| property(node, name).is_some_and(|it| it != "none"))
            || is("display", "none")
            || is("visibility", "hidden")
        {
            return None;
        }
        let number = |name: &str| property(node, name).and_then(number);
        let share = |name: &str| number(name).map_or(1.0, |it| it.clamp(0.0, 1.0));
        let color = |name: &str, inherited: Option<Color>| match property(node, name) {
            None | Some("inherit") => inherited,
            Some(text) => Color::parse(text),
        };
        let faded = |color: Option<Color>, name: &str| {
            color.map(|it| it.with_opacity(it.opacity() * share(name)))
        };
        let transform = match node.attribute("transform") {
            None => Affine::IDENTITY,
            Some(text) => transform(text)?,
        };
        Some(Paint {
            transform: self.transform * transform,
            fill: faded(color("fill", self.fill), "fill-opacity"),
            stroke: faded(color("stroke", self.stroke), "stroke-opacity"),
            width: number("stroke-width").map_or(self.width, |it| it.max(0.0)),
            opacity: self.opacity * share("opacity"),
        })
    }
}

/// A basic shape as an outline; none when it is no shape, or nothing of it shows.
fn outline(node: Node<'_, '_>, paint: &Paint) -> Option<Outline> {
    let path = paint.transform * own_path(node)?;
    let shown = |color: Option<Color>| {
        let color = color?.with_opacity(color?.opacity() * paint.opacity);
        (color.a > 0).then_some(color)
    };
    let is_line = node.tag_name().name() == "line";
    let fill = shown(paint.fill).filter(|_| !is_line);
    let width = paint.width * paint.transform.determinant().abs().sqrt();
    let stroke = shown(paint.stroke).filter(|_| width > 0.0).map(|it| Stroke::new(it, width));
    let bounds = path.bounding_box();
    let fits = [bounds.x0, bounds.y0, bounds.x1, bounds.y1, width]
        .iter()
        .all(|it| it.is_finite() && it.abs() <= MAX_COORDINATE);
    (fits && (fill.is_some() || stroke.is_some())).then_some(Outline { path, fill, stroke })
}

/// The outline of a basic shape in its own coordinates.
fn own_path(node: Node<'_, '_>) -> Option<BezPath> {
    // A share of the whole, such as the usual `width="100%"`, is of the picture.
    let whole = || view(node.document().root_element());
    let at = |name: &str| match node.attribute(name).map(|it| it.trim().strip_suffix('%')) {
        None => Some(0.0),
        Some(None) => number(node.attribute(name)?),
        Some(Some(share)) => {
            let side = match name {
                "x" | "cx" | "rx" | "x1" | "x2" | "width" => whole().width(),
                _ => whole().height(),
            };
            Some(number(share)? / 100.0 * side)
        }
    };
    match node.tag_name().name() {
        "rect" => {
            let (x, y, width, height) = (at("x")?, at("y")?, at("width")?, at("height")?);
            let rect = Rect::new(x, y, x + width, y + height);
            let radius = at("rx")?.max(at("ry")?);
            (width > 0.0 && height > 0.0).then(|| match radius > 0.0 {
                true => RoundedRect::from_rect(rect, radius).to_path(TOLERANCE),
                false => rect.to_path(TOLERANCE),
            })
        }
        "circle" => {
            let radius = at("r")?;
            let circle = Circle::new((at("cx")?, at("cy")?), radius);
            (radius > 0.0).then(|| circle.to_path(TOLERANCE))
        }
        "ellipse" => {
            let radii = (at("rx")?, at("ry")?);
            let ellipse = Ellipse::new((at("cx")?, at("cy")?), radii, 0.0);
            (radii.0 > 0.0 && radii.1 > 0.0).then(|| ellipse.to_path(TOLERANCE))
        }
        "line" => {
            let line = Line::new((at("x1")?, at("y1")?), (at("x2")?, at("y2")?));
            Some(line.to_path(TOLERANCE))
        }
        "polyline" => corners(node, false),
        "polygon" => corners(node, true),
        "path" => BezPath::from_svg(node.attribute("d")?).ok().filter(|it| !it.is_empty()),
        _ => None,
    }
}

fn corners(node: Node<'_, '_>, closed: bool) -> Option<BezPath> {
    let numbers = numbers(node.attribute("points")?)?;
    let mut path = BezPath::new();
    for (index, point) in numbers.chunks_exact(2).enumerate() {
        match index {
            0 => path.move_to((point[0], point[1])),
            _ => path.line_to((point[0], point[1])),
        }
    }
    if closed {
        path.close_path();
    }
    (numbers.len() >= 4).then_some(path)
}

/// What of an SVG covers the canvas: its view box, or its size.
fn view(root: Node<'_, '_>) -> Rect {
    let boxed = root.attribute("viewBox").and_then(numbers);
    let rect = match boxed.as_deref() {
        Some(&[x, y, width, height]) => Rect::new(x, y, x + width, y + height),
        _ => {
            let side = |name: &str| root.attribute(name).and_then(number);
            let (width, height) = (side("width"), side("height"));
            Rect::new(0.0, 0.0, width.unwrap_or(USUAL.x1), height.unwrap_or(USUAL.y1))
        }
    };
    if rect.width() > 0.0 && rect.height() > 0.0 { rect } else { USUAL }
}

/// The value of a property, in `style` or as an attribute.
fn property<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let in_style = node.attribute("style").and_then(|style| {
        let entries = style.split(';').filter_map(|it| it.split_once(':'));
        entries.map(|(key, value)| (key.trim(), value.trim())).find(|(key, _)| *key == name)
    });
    in_style.map(|(_, value)| value).or_else(|| node.attribute(name).map(str::trim))
}

fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let text = text.strip_suffix("px").or_else(|| text.strip_suffix("pt")).unwrap_or(text);
    text.trim().parse().ok().filter(|it: &f64| it.abs() <= MAX_COORDINATE)
}

/// Numbers parted by spaces or commas.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let words = text.split([' ', ',', '\t', '\n', '\r']).filter(|it| !it.is_empty());
    words.map(number).collect()
}

/// The value of `transform`; none when it is not understood.
fn transform(text: &str) -> Option<Affine> {
    let mut all = Affine::IDENTITY;
    for part in text.split(')').map(|it| it.trim_matches([' ', ',', '\n', '\t', '\r'])) {
        if part.is_empty() {
            continue;
        }
        let (name, values) = part.split_once('(')?;
        all *= match (name.trim(), numbers(values)?.as_slice()) {
            ("translate", &[x]) => Affine::translate((x, 0.0)),
            ("translate", &[x, y]) => Affine::translate((x, y)),
            ("scale", &[both]) => Affine::scale(both),
            ("scale", &[x, y]) => Affine::scale_non_uniform(x, y),
            ("rotate", &[angle]) => Affine::rotate(angle.to_radians()),
            ("rotate", &[angle, x, y]) => Affine::rotate_about(angle.to_radians(), (x, y)),
            ("skewX", &[angle]) => Affine::skew(angle.to_radians().tan(), 0.0),
            ("skewY", &[angle]) => Affine::skew(0.0, angle.to_radians().tan()),
            ("matrix", &[a, b, c, d, e, f]) => Affine::new([a, b, c, d, e, f]),
            _ => return None,
        };
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bounds, fill and stroke of each shape on a canvas of 100 by 50.
    fn shapes(inside: &str) -> Vec<(Rect, Option<Color>, Option<Stroke>)> {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 50\">{inside}</svg>"
        );
        let forms = Ground::parse(&svg).map_or(Vec::new(), |it| it.forms(100.0, 50.0));
        let face = |form: Form| match form {
            Form::Path { path, fill, stroke } => (path.bounding_box(), fill, stroke),
            other => panic!("not an outline: {other:?}"),
        };
        forms.into_iter().map(face).collect()
    }

    #[test]
    fn shapes_take_their_paint_from_the_groups_around_them() {
        let found = shapes(
            "<g fill=\"#f00\" opacity=\"0.5\" transform=\"translate(10 5)\">\
             <rect width=\"20\" height=\"10\" style=\"stroke: blue; stroke-width: 2px\"/>\
             <circle cx=\"4\" cy=\"4\" r=\"4\" fill=\"none\"/></g>\
             <rect width=\"100%\" height=\"50%\"/><polygon points=\"0,0 10,0 10,10\" fill=\"lime\"/>",
        );
        let (bounds, fill, stroke) = &found[0];
        assert_eq!(*bounds, Rect::new(10.0, 5.0, 30.0, 15.0));
        assert_eq!(*fill, Some(Color { a: 128, ..Color::hex(0xff0000) }));
        assert_eq!(*stroke, Some(Stroke::new(Color { a: 128, ..Color::hex(0x0000ff) }, 2.0)));
        assert_eq!(found[1], (Rect::new(0.0, 0.0, 100.0, 25.0), Some(Color::hex(0)), None));
        assert_eq!(found[2].1, Some(Color::hex(0x00ff00)));
        assert_eq!(found.len(), 3, "what has no paint is left out");
    }

    #[test]
    fn it_covers_the_canvas_from_edge_to_edge() {
        let svg = "<svg viewBox='0 0 10 10'><rect width='10' height='10'/></svg>";
        let forms = Ground::parse(svg).unwrap().forms(300.0, 100.0);
        let Form::Path { path, .. } = &forms[0] else { panic!("no path") };
        assert_eq!(path.bounding_box(), Rect::new(0.0, -100.0, 300.0, 200.0));
    }

    #[test]
    fn what_is_not_understood_is_left_out() {
        for inside in [
            "<script>alert(1)</script>",
            "<text x='1' y='1'>words</text>",
            "<image href='http://192.0.2.1/x.png' width='9' height='9'/>",
            "<use href='#a'/>",
            "<foreignObject><rect width='9' height='9'/></foreignObject>",
            "<defs><rect width='9' height='9'/></defs>",
            "<rect width='9' height='9' fill='url(#a)'/>",
            "<rect width='9' height='9' clip-path='url(#a)'/>",
            "<rect width='9' height='9' display='none'/>",
            "<rect width='9' height='9' transform='spin(3)'/>",
            "<rect width='1e300' height='9'/>",
            "<rect width='NaN' height='9'/>",
            "<circle r='-1'/>",
            "<path d='M0 0 X'/>",
        ] {
            assert_eq!(shapes(inside), [], "{inside}");
        }
        for text in
            ["", "x", "<p/>", "<svg/>", "<!DOCTYPE svg><svg><rect width='9' height='9'/></svg>"]
        {
            assert_eq!(Ground::parse(text), None, "{text}");
        }
        let deep = format!("{}<rect width='9' height='9'/>{}", "<g>".repeat(60), "</g>".repeat(60));
        assert_eq!(shapes(&deep), []);
        assert_eq!(shapes(&"<circle r='1'/>".repeat(6000)), []);
    }
}
