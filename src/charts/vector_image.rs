//! A vector image: an SVG reduced to filled and stroked paths.
//!
//! Themes use it for backgrounds and logos. No text of the SVG reaches a rendered image. Groups,
//! transforms and basic shapes in plain colors are supported. Everything else is left out: text,
//! images, gradients, filters, masks, style sheets, scripts and references.

mod attributes;
mod shapes;

use kurbo::{Affine, BezPath, Rect, Shape, Vec2};
use roxmltree::{Document, Node, ParsingOptions};

use crate::color::Color;
use crate::scene::{Primitive, Stroke};
use crate::xml_limits;
use attributes::{MAX_COORDINATE, find_property, parse_number, parse_transform, parse_view_box};
use shapes::{build_shape_path, measure_control_polygon};

/// Maximum length of an SVG, in bytes.
const MAX_BYTES: usize = 65_536;
/// Maximum number of XML nodes: elements, texts, comments and instructions.
const MAX_NODES: u32 = 5_000;
/// Maximum nesting depth of groups.
const MAX_DEPTH: usize = 32;
/// Maximum length of all outlines, as a multiple of the diagonal of the view box. Rasterizing an
/// outline takes time in proportion to its length, also outside of the canvas.
const MAX_OUTLINE_DIAGONALS: f64 = 2_000.0;
/// Maximum painted area of all shapes, as a multiple of the area of the view box.
const MAX_PAINTED_AREAS: f64 = 32.0;

/// An SVG reduced to filled and stroked paths, in its own coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorImage {
    /// Visible area.
    view_box: Rect,
    /// Paths from bottom to top.
    paths: Vec<PaintedPath>,
    /// Cost of drawing the paths.
    cost: DrawingCost,
    /// Whether shapes are left out because drawing them would take too long.
    is_reduced: bool,
    /// Colors of gradients, in the order of the text. Gradients are not drawn.
    gradient_colors: Vec<Color>,
}

/// Cost of drawing paths, in the coordinates of the image.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct DrawingCost {
    /// Length of all outlines.
    outline: f64,
    /// Painted area within the view box. Areas of overlapping shapes are added.
    area: f64,
}

/// A path with resolved transform and colors.
#[derive(Clone, Debug, PartialEq)]
struct PaintedPath {
    path: BezPath,
    fill: Option<Color>,
    stroke: Option<Stroke>,
}

/// Properties that an element inherits from its ancestors.
#[derive(Clone, Copy)]
struct InheritedPaint {
    transform: Affine,
    fill: Option<Color>,
    stroke: Option<Color>,
    stroke_width: f64,
    opacity: f64,
}

impl VectorImage {
    /// Parses an SVG.
    ///
    /// Returns None if the text is not an SVG, has a document type, exceeds 65,536 bytes, 5,000
    /// nodes or [`xml_limits`], or contains nothing that can be drawn. Unsupported elements are left out, and so are
    /// shapes that would take too long to draw together with those below them.
    pub fn parse(text: &str) -> Option<VectorImage> {
        if text.is_empty() || text.len() > MAX_BYTES || !xml_limits::has_limited_cost(text) {
            return None;
        }
        // Without a document type there are no custom entities, so the text cannot expand.
        let options =
            ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..Default::default() };
        let document = Document::parse_with_options(text, options).ok()?;
        let root = document.root_element();
        if root.tag_name().name() != "svg" {
            return None;
        }
        let black = Color::hex(0);
        let paint = InheritedPaint {
            transform: Affine::IDENTITY,
            fill: Some(black),
            stroke: None,
            stroke_width: 1.0,
            opacity: 1.0,
        };
        let mut image = VectorImage {
            view_box: parse_view_box(root),
            paths: Vec::new(),
            cost: DrawingCost::default(),
            is_reduced: false,
            gradient_colors: list_gradient_colors(&document),
        };
        image.collect_paths(root, paint.with_properties(root)?, 0);
        (!image.paths.is_empty() || image.is_reduced).then_some(image)
    }

    /// Returns whether shapes are left out because drawing them would take too long.
    pub fn is_reduced(&self) -> bool {
        self.is_reduced
    }

    /// Returns the colors of gradients, which are not drawn.
    pub fn gradient_colors(&self) -> &[Color] {
        &self.gradient_colors
    }

    /// Returns the colors of fills and strokes, each with the share of the view box that it covers at
    /// most, from bottom to top.
    pub fn painted_colors(&self) -> Vec<(Color, f64)> {
        let mut colors = Vec::new();
        for painted in &self.paths {
            for (fill, stroke) in [(painted.fill, None), (None, painted.stroke)] {
                let Some(color) = fill.or(stroke.map(|stroke| stroke.color)) else { continue };
                let part = PaintedPath { path: painted.path.clone(), fill, stroke };
                let area = part.drawing_cost(self.view_box).area;
                colors.push((color, (area / self.view_box.area()).min(1.0)));
            }
        }
        colors
    }

    /// Returns the width of the view box divided by its height.
    pub fn aspect_ratio(&self) -> f64 {
        self.view_box.width() / self.view_box.height()
    }

    /// Returns the paths scaled to cover a canvas of the given size in points.
    ///
    /// The image is centered, keeps its aspect ratio, and may exceed the canvas in one direction.
    pub fn covering_primitives(&self, width: f64, height: f64) -> Vec<Primitive> {
        let scale = (width / self.view_box.width()).max(height / self.view_box.height());
        let transform = Affine::translate(Vec2::new(width / 2.0, height / 2.0))
            * Affine::scale(scale)
            * Affine::translate(-self.view_box.center().to_vec2());
        let to_primitive = |painted: &PaintedPath| Primitive::Path {
            path: transform * &painted.path,
            fill: painted.fill,
            stroke: painted.stroke.map(|stroke| Stroke { width: stroke.width * scale, ..stroke }),
        };
        self.paths.iter().map(to_primitive).collect()
    }

    /// Adds the paths of the shapes in `parent` and in its nested groups, except those nested
    /// deeper than [`MAX_DEPTH`] groups.
    ///
    /// Skips an element for which [`InheritedPaint::with_properties`] returns None, with its
    /// content, and any element that is neither a group nor a basic shape.
    fn collect_paths(&mut self, parent: Node<'_, '_>, paint: InheritedPaint, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        for node in parent.children().filter(Node::is_element) {
            let Some(paint) = paint.with_properties(node) else { continue };
            match node.tag_name().name() {
                "g" => self.collect_paths(node, paint, depth + 1),
                _ => parse_shape(node, &paint).into_iter().for_each(|path| self.add_path(path)),
            }
        }
    }

    /// Adds a path above the others. If the image would then take too long to draw, leaves the path
    /// out and sets `is_reduced`.
    fn add_path(&mut self, path: PaintedPath) {
        let added = path.drawing_cost(self.view_box);
        let cost = DrawingCost {
            outline: self.cost.outline + added.outline,
            area: self.cost.area + added.area,
        };
        let diagonal = self.view_box.width().hypot(self.view_box.height());
        if cost.outline <= MAX_OUTLINE_DIAGONALS * diagonal
            && cost.area <= MAX_PAINTED_AREAS * self.view_box.area()
        {
            self.cost = cost;
            self.paths.push(path);
        } else {
            self.is_reduced = true;
        }
    }
}

/// Returns the colors of the stops of all gradients in a document, each once, without opacity.
fn list_gradient_colors(document: &Document<'_>) -> Vec<Color> {
    /// Maximum number of colors. A gradient of a logo has few stops.
    const MAX_STOPS: usize = 32;
    let stops = document.descendants().filter(|node| node.tag_name().name() == "stop");
    let mut colors: Vec<Color> = Vec::new();
    for color in stops.filter_map(|stop| Color::parse(find_property(stop, "stop-color")?)) {
        let color = color.with_opacity(1.0);
        if !colors.contains(&color) && colors.len() < MAX_STOPS {
            colors.push(color);
        }
    }
    colors
}

impl PaintedPath {
    /// Estimates the cost of drawing the path, from above.
    fn drawing_cost(&self, view_box: Rect) -> DrawingCost {
        let length = measure_control_polygon(&self.path);
        let bounds = self.path.bounding_box();
        let visible_area = |rect: Rect| {
            let visible = rect.intersect(view_box);
            visible.width().max(0.0) * visible.height().max(0.0)
        };
        let mut cost = DrawingCost::default();
        if self.fill.is_some() {
            cost.outline += length;
            cost.area += visible_area(bounds);
        }
        if let Some(stroke) = &self.stroke {
            // Both sides of the line, and a round join at each point.
            let join = std::f64::consts::PI * stroke.width;
            cost.outline += length * 2.0 + join * self.path.elements().len() as f64;
            let stroked = bounds.inflate(stroke.width / 2.0, stroke.width / 2.0);
            cost.area += visible_area(stroked).min((length + stroke.width) * stroke.width);
        }
        cost
    }
}

impl InheritedPaint {
    /// Returns these properties, combined with those of an element.
    ///
    /// Colors and stroke width of the element replace the inherited ones. An unsupported color is
    /// none. Transforms and opacities are multiplied. Returns None if the element is hidden or uses
    /// an unsupported effect or transform.
    fn with_properties(self, node: Node<'_, '_>) -> Option<InheritedPaint> {
        let unsupported = ["clip-path", "mask", "filter"];
        let has_value = |name: &str, value: &str| find_property(node, name) == Some(value);
        if unsupported
            .iter()
            .any(|name| find_property(node, name).is_some_and(|value| value != "none"))
            || has_value("display", "none")
            || has_value("visibility", "hidden")
        {
            return None;
        }
        let number = |name: &str| find_property(node, name).and_then(parse_number);
        let opacity = |name: &str| number(name).map_or(1.0, |share| share.clamp(0.0, 1.0));
        let color = |name: &str, inherited: Option<Color>| match find_property(node, name) {
            None | Some("inherit") => inherited,
            Some(text) => Color::parse(text),
        };
        let fade = |color: Option<Color>, name: &str| {
            color.map(|base| base.with_opacity(base.opacity() * opacity(name)))
        };
        let transform = match node.attribute("transform") {
            None => Affine::IDENTITY,
            Some(text) => parse_transform(text)?,
        };
        Some(InheritedPaint {
            transform: self.transform * transform,
            fill: fade(color("fill", self.fill), "fill-opacity"),
            stroke: fade(color("stroke", self.stroke), "stroke-opacity"),
            stroke_width: number("stroke-width").map_or(self.stroke_width, |width| width.max(0.0)),
            opacity: self.opacity * opacity("opacity"),
        })
    }
}

/// Converts a basic shape to a painted path. `paint` already contains the properties of the
/// element. A line has no fill.
///
/// Returns None if the element is not a basic shape, is invisible, or has an invalid coordinate or
/// one beyond [`MAX_COORDINATE`].
fn parse_shape(node: Node<'_, '_>, paint: &InheritedPaint) -> Option<PaintedPath> {
    let path = paint.transform * build_shape_path(node)?;
    let visible = |color: Option<Color>| {
        let color = color?.with_opacity(color?.opacity() * paint.opacity);
        (color.a > 0).then_some(color)
    };
    let is_line = node.tag_name().name() == "line";
    let fill = visible(paint.fill).filter(|_| !is_line);
    let width = paint.stroke_width * paint.transform.determinant().abs().sqrt();
    let stroke =
        visible(paint.stroke).filter(|_| width > 0.0).map(|color| Stroke::new(color, width));
    let bounds = path.bounding_box();
    let fits = [bounds.x0, bounds.y0, bounds.x1, bounds.y1, width]
        .iter()
        .all(|coordinate| coordinate.is_finite() && coordinate.abs() <= MAX_COORDINATE);
    (fits && (fill.is_some() || stroke.is_some())).then_some(PaintedPath { path, fill, stroke })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns bounds, fill and stroke of each shape on a canvas of 100 by 50.
    fn shapes(inside: &str) -> Vec<(Rect, Option<Color>, Option<Stroke>)> {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 50\">{inside}</svg>"
        );
        let primitives = VectorImage::parse(&svg)
            .map_or(Vec::new(), |image| image.covering_primitives(100.0, 50.0));
        let parts = |primitive: Primitive| match primitive {
            Primitive::Path { path, fill, stroke } => (path.bounding_box(), fill, stroke),
            other => panic!("not a path: {other:?}"),
        };
        primitives.into_iter().map(parts).collect()
    }

    #[test]
    fn shapes_inherit_paint_from_their_groups() {
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
        assert_eq!(found.len(), 3, "shapes without paint are left out");
    }

    #[test]
    fn paths_cover_the_canvas() {
        let svg = "<svg viewBox='0 0 10 10'><rect width='10' height='10'/></svg>";
        let primitives = VectorImage::parse(svg).unwrap().covering_primitives(300.0, 100.0);
        let Primitive::Path { path, .. } = &primitives[0] else { panic!("no path") };
        assert_eq!(path.bounding_box(), Rect::new(0.0, -100.0, 300.0, 200.0));
    }

    #[test]
    fn shapes_that_take_too_long_to_draw_are_left_out() {
        let count = |inside: &str| shapes(inside).len();
        assert_eq!(count(&"<rect width='100' height='50'/>".repeat(40)), 32);
        assert_eq!(count(&"<rect width='9' height='5'/>".repeat(2000)), 2000);
        let far = "<path d='M0 0C9e5 0 0 9e5 0 0' fill='none' stroke='red'/>";
        let near = "<path d='M0 0L100 50' stroke='red'/>";
        assert_eq!(shapes(&[far, near].concat()).len(), 1);
        let zigzag = format!("<path d='M0 0{}' fill='red'/>", "L100 50L0 0".repeat(5000));
        assert_eq!(count(&zigzag), 0);
        let wide = format!("<path d='M0 0{}' stroke-width='1e5' stroke='red'/>", "h1".repeat(99));
        assert_eq!(count(&wide), 0);
        let svg = format!("<svg viewBox='0 0 100 50'>{far}</svg>");
        assert!(VectorImage::parse(&svg).is_some_and(|image| image.is_reduced()));
    }

    #[test]
    fn unsupported_elements_are_left_out() {
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
            assert_eq!(VectorImage::parse(text), None, "{text}");
        }
        let deep = format!("{}<rect width='9' height='9'/>{}", "<g>".repeat(60), "</g>".repeat(60));
        assert_eq!(shapes(&deep), []);
        assert_eq!(shapes(&"<circle r='1'/>".repeat(6000)), []);
        // Each inner element would copy the namespaces of the outer one.
        let namespaces: String = (0..150).map(|name| format!(" xmlns:n{name}='n'")).collect();
        let inside = "<rect width='9' height='9'/>";
        assert_eq!(shapes(&format!("<g{namespaces}>{inside}</g>")), []);
    }
}
