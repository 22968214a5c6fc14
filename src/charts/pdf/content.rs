//! Content stream of the page: the drawing operators of all shapes.

use std::collections::BTreeSet;

use kurbo::{BezPath, Circle, PathEl, Point, Rect, Shape};
use pdf_writer::Content;
use pdf_writer::Name;
use pdf_writer::types::{LineCapStyle, LineJoinStyle};

use crate::color::Color;
use crate::pdf::fonts::FontSubsets;
use crate::pdf::images::PageImages;
use crate::pdf::links::PageLink;
use crate::pdf::text_line;
use crate::pdf::values::to_number;
use crate::scene::{Primitive, Scene, Stroke, Text};
use crate::time_limit;

/// Maximum distance of a curve from the circle that it stands for, in points.
const CURVE_TOLERANCE: f64 = 0.005;
/// Width of the halo of a text in points, as in the SVG and PNG writers.
const HALO_WIDTH: f64 = 3.0;

/// Parameters of the graphics state that the writer sets. A value is written only if it changes.
#[derive(Clone, Copy)]
struct GraphicsState {
    fill: Color,
    stroke: Color,
    line_width: f64,
    dash: Option<(f64, f64)>,
    round_caps: bool,
}

/// State while the content stream is written.
pub struct ContentWriter {
    content: Content,
    state: GraphicsState,
    /// States outside of the open clips.
    saved: Vec<GraphicsState>,
    resources: PageResources,
    /// Link that is open, to which all texts belong.
    open_link: Option<PageLink>,
    links: Vec<PageLink>,
}

/// The objects that the content stream refers to by name.
#[derive(Default)]
pub struct PageResources {
    pub fonts: FontSubsets,
    pub images: PageImages,
    /// Radii of the dots, each of which is a form that many shapes use.
    pub dot_radii: Vec<f64>,
    /// Opacities of fills.
    pub fill_alphas: BTreeSet<u8>,
    /// Opacities of strokes.
    pub stroke_alphas: BTreeSet<u8>,
}

/// A written page.
pub struct PageContent {
    /// Uncompressed content stream.
    pub stream: Vec<u8>,
    pub resources: PageResources,
    /// Links in the order of their texts.
    pub links: Vec<PageLink>,
}

impl ContentWriter {
    /// Creates the writer of an empty page. All coordinates are as in the scene, with the origin at the
    /// top left.
    pub fn new(scene: &Scene) -> ContentWriter {
        let mut content = Content::new();
        // The page is one figure with an alternate text.
        content.begin_marked_content_with_properties(Name(b"Figure")).properties().identify(0);
        content.transform([1.0, 0.0, 0.0, -1.0, 0.0, to_number(scene.height)]);
        content.set_line_join(LineJoinStyle::RoundJoin);
        let black = Color::hex(0);
        let state = GraphicsState {
            fill: black,
            stroke: black,
            line_width: 1.0,
            dash: None,
            round_caps: false,
        };
        ContentWriter {
            content,
            state,
            saved: Vec::new(),
            resources: PageResources::default(),
            open_link: None,
            links: Vec::new(),
        }
    }

    /// Fills the canvas with the background color and draws the background shapes.
    pub fn write_background(&mut self, scene: &Scene) {
        let canvas = Rect::new(0.0, 0.0, scene.width, scene.height);
        self.fill_rect(canvas, scene.background);
        scene.background_shapes.iter().for_each(|primitive| self.write_primitive(primitive));
    }

    /// Writes a primitive above those before, or begins or ends a clip or a link.
    pub fn write_primitive(&mut self, primitive: &Primitive) {
        time_limit::check();
        match primitive {
            Primitive::Rect { rect, radius, fill } if *radius > 0.0 => {
                let path = rect.to_rounded_rect(*radius).to_path(CURVE_TOLERANCE);
                self.write_path(&path, Some(*fill), None);
            }
            Primitive::Rect { rect, fill, .. } => self.fill_rect(*rect, *fill),
            Primitive::Line { from, to, stroke } => self.write_polyline(&[*from, *to], stroke),
            Primitive::Circle { center, radius, fill, stroke } => {
                let path = Circle::new(*center, *radius).to_path(CURVE_TOLERANCE);
                self.write_path(&path, *fill, stroke.as_ref());
            }
            Primitive::Path { path, fill, stroke } => {
                self.write_path(path, *fill, stroke.as_ref());
            }
            Primitive::Polyline { points, stroke } => self.write_polyline(points, stroke),
            Primitive::Dots { points, radius, fill } => self.write_dots(points, *radius, *fill),
            Primitive::Text(text) => self.write_text(text),
            Primitive::Image { rect, bitmap } => {
                let name = self.resources.images.add(bitmap);
                let (width, height) = (to_number(rect.width()), to_number(rect.height()));
                let (left, bottom) = (to_number(rect.x0), to_number(rect.y1));
                self.content.save_state();
                self.content.transform([width, 0.0, 0.0, -height, left, bottom]);
                self.set_fill_alpha(255);
                self.content.x_object(Name(name.as_bytes()));
                self.content.restore_state();
            }
            Primitive::BeginClip(rect) => {
                self.content.save_state();
                self.saved.push(self.state);
                self.append_rect(*rect);
                self.content.clip_nonzero().end_path();
            }
            Primitive::EndClip => self.end_clip(),
            Primitive::BeginLink(address) => self.open_link = Some(PageLink::new(address)),
            Primitive::EndLink => self.links.extend(self.open_link.take()),
        }
    }

    /// Closes all clips and returns the page.
    pub fn finish(mut self) -> PageContent {
        while !self.saved.is_empty() {
            self.end_clip();
        }
        self.content.end_marked_content();
        let stream = self.content.finish().into_vec();
        PageContent { stream, resources: self.resources, links: self.links }
    }

    /// Ends the innermost clip. Does nothing if no clip is open.
    fn end_clip(&mut self) {
        if let Some(state) = self.saved.pop() {
            self.content.restore_state();
            self.state = state;
        }
    }

    /// Fills a rectangle with square corners.
    fn fill_rect(&mut self, rect: Rect, fill: Color) {
        self.set_fill(fill);
        self.append_rect(rect);
        self.content.fill_nonzero();
    }

    /// Fills a path with the nonzero rule, and then strokes it. Leaves out the part that is None.
    fn write_path(&mut self, path: &BezPath, fill: Option<Color>, stroke: Option<&Stroke>) {
        if path.is_empty() {
            return;
        }
        fill.into_iter().for_each(|fill| self.set_fill(fill));
        stroke.into_iter().for_each(|stroke| self.set_stroke(stroke));
        self.append_path(path);
        match (fill, stroke) {
            // One operator would hide the fill below a translucent stroke.
            (Some(_), Some(stroke)) if stroke.color.a < 255 => {
                self.content.fill_nonzero();
                self.append_path(path);
                self.content.stroke();
            }
            (Some(_), Some(_)) => drop(self.content.fill_nonzero_and_stroke()),
            (Some(_), None) => drop(self.content.fill_nonzero()),
            (None, Some(_)) => drop(self.content.stroke()),
            (None, None) => drop(self.content.end_path()),
        }
    }

    /// Strokes straight lines between points.
    fn write_polyline(&mut self, points: &[Point], stroke: &Stroke) {
        let [first, rest @ ..] = points else { return };
        self.set_stroke(stroke);
        self.content.move_to(to_number(first.x), to_number(first.y));
        for point in rest {
            self.content.line_to(to_number(point.x), to_number(point.y));
        }
        self.content.stroke();
    }

    /// Writes each dot as a use of one form, so that overlapping translucent dots darken each other and
    /// the circle is in the file only once.
    fn write_dots(&mut self, points: &[Point], radius: f64, fill: Color) {
        let radii = &mut self.resources.dot_radii;
        let number = radii.iter().position(|known| *known == radius).unwrap_or_else(|| {
            radii.push(radius);
            radii.len() - 1
        });
        let name = format!("D{number}");
        self.set_fill(fill);
        for point in points {
            time_limit::check();
            self.content.save_state();
            self.content.transform([1.0, 0.0, 0.0, 1.0, to_number(point.x), to_number(point.y)]);
            self.content.x_object(Name(name.as_bytes()));
            self.content.restore_state();
        }
    }

    /// Writes the halo of a text as a path, so that it is no second text, and the text above it.
    fn write_text(&mut self, text: &Text) {
        if let Some(halo) = text.halo {
            let mut path = BezPath::new();
            text.append_outline(&mut path);
            let path = round_to_tenths(&path);
            self.write_path(&path, None, Some(&Stroke::new(halo, HALO_WIDTH)));
        }
        if let Some(link) = &mut self.open_link {
            link.add(&text.text, text.bounds());
        }
        self.set_fill(text.color);
        text_line::write(text, &mut self.resources.fonts, &mut self.content);
    }

    /// Appends a rectangle to the current path.
    fn append_rect(&mut self, rect: Rect) {
        let (width, height) = (to_number(rect.width()), to_number(rect.height()));
        self.content.rect(to_number(rect.x0), to_number(rect.y0), width, height);
    }

    /// Appends a path to the current path. Quadratic curves become cubic ones.
    fn append_path(&mut self, path: &BezPath) {
        append_path(path, &mut self.content);
    }

    /// Sets color and opacity of fills and text.
    fn set_fill(&mut self, color: Color) {
        self.set_fill_alpha(color.a);
        if (self.state.fill.r, self.state.fill.g, self.state.fill.b) != (color.r, color.g, color.b)
        {
            let [r, g, b] = to_components(color);
            self.content.set_fill_rgb(r, g, b);
        }
        self.state.fill = color;
    }

    /// Sets the opacity of fills, texts and images.
    fn set_fill_alpha(&mut self, alpha: u8) {
        if self.state.fill.a != alpha {
            self.resources.fill_alphas.insert(alpha);
            self.content.set_parameters(Name(fill_alpha_name(alpha).as_bytes()));
        }
    }

    /// Sets color, opacity, width, dashes and caps of strokes.
    fn set_stroke(&mut self, stroke: &Stroke) {
        let (state, color) = (&mut self.state, stroke.color);
        if state.stroke.a != color.a {
            self.resources.stroke_alphas.insert(color.a);
            self.content.set_parameters(Name(stroke_alpha_name(color.a).as_bytes()));
        }
        if (state.stroke.r, state.stroke.g, state.stroke.b) != (color.r, color.g, color.b) {
            let [r, g, b] = to_components(color);
            self.content.set_stroke_rgb(r, g, b);
        }
        state.stroke = color;
        if state.line_width != stroke.width {
            self.content.set_line_width(to_number(stroke.width));
            state.line_width = stroke.width;
        }
        if state.dash != stroke.dash {
            let lengths = stroke.dash.map(|(dash, gap)| [to_number(dash), to_number(gap)]);
            self.content.set_dash_pattern(lengths.into_iter().flatten(), 0.0);
            state.dash = stroke.dash;
        }
        if state.round_caps != stroke.round {
            self.content.set_line_cap(match stroke.round {
                true => LineCapStyle::RoundCap,
                false => LineCapStyle::ButtCap,
            });
            state.round_caps = stroke.round;
        }
    }
}

/// Returns the content of the form that draws a dot around the origin, in the fill color of its user.
pub fn dot_content(radius: f64) -> Vec<u8> {
    let mut content = Content::new();
    append_path(&Circle::new(Point::ORIGIN, radius).to_path(CURVE_TOLERANCE), &mut content);
    content.fill_nonzero();
    content.finish().into_vec()
}

/// Appends a path to the current path of a content stream.
fn append_path(path: &BezPath, content: &mut Content) {
    let mut last = Point::ORIGIN;
    for element in path.elements() {
        match *element {
            PathEl::MoveTo(point) => drop(content.move_to(to_number(point.x), to_number(point.y))),
            PathEl::LineTo(point) => drop(content.line_to(to_number(point.x), to_number(point.y))),
            PathEl::QuadTo(control, point) => {
                let [one, two] = raise_controls(last, control, point);
                append_curve([one, two, point], content);
            }
            PathEl::CurveTo(one, two, point) => append_curve([one, two, point], content),
            PathEl::ClosePath => drop(content.close_path()),
        }
        last = element.end_point().unwrap_or(last);
    }
}

/// Appends a cubic curve from the current point: two control points and the end.
fn append_curve([one, two, end]: [Point; 3], content: &mut Content) {
    let number = to_number;
    content.cubic_to(
        number(one.x),
        number(one.y),
        number(two.x),
        number(two.y),
        number(end.x),
        number(end.y),
    );
}

/// Returns a path with cubic instead of quadratic curves, and with all points rounded to a tenth of a
/// point. A halo is wide, so that the rounding is not visible, and the halos take most of the bytes of a
/// page with many of them.
fn round_to_tenths(path: &BezPath) -> BezPath {
    let round = |point: Point| ((point.to_vec2() * 10.0).round() / 10.0).to_point();
    let mut last = Point::ORIGIN;
    let elements = path.elements().iter().map(|element| {
        let rounded = match *element {
            PathEl::MoveTo(point) => PathEl::MoveTo(round(point)),
            PathEl::LineTo(point) => PathEl::LineTo(round(point)),
            PathEl::QuadTo(control, point) => {
                let [one, two] = raise_controls(last, control, point);
                PathEl::CurveTo(round(one), round(two), round(point))
            }
            PathEl::CurveTo(one, two, point) => {
                PathEl::CurveTo(round(one), round(two), round(point))
            }
            PathEl::ClosePath => PathEl::ClosePath,
        };
        last = element.end_point().unwrap_or(last);
        rounded
    });
    elements.collect()
}

/// Returns the control points of the cubic curve that equals a quadratic one.
fn raise_controls(start: Point, control: Point, end: Point) -> [Point; 2] {
    [start.lerp(control, 2.0 / 3.0), end.lerp(control, 2.0 / 3.0)]
}

/// Returns the name of the graphics state with an opacity of fills.
pub fn fill_alpha_name(alpha: u8) -> String {
    format!("F{alpha}")
}

/// Returns the name of the graphics state with an opacity of strokes.
pub fn stroke_alpha_name(alpha: u8) -> String {
    format!("S{alpha}")
}

/// Returns red, green and blue from 0 to 1, with three decimals, which distinguish all 256 values.
fn to_components(color: Color) -> [f32; 3] {
    [color.r, color.g, color.b].map(|channel| (f32::from(channel) / 255.0 * 1e3).round() / 1e3)
}
