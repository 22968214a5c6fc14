//! SVG writer.
//!
//! The SVG has presentation attributes only: no script, nothing that is loaded from elsewhere, and a
//! style sheet only for embedded fonts.

mod attributes;
mod embedded_fonts;
mod joined_shapes;
mod options;
mod text_elements;
mod text_outlines;
mod xml_writer;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kurbo::{Point, Rect};

use crate::bitmap::Bitmap;
use crate::color::Color;
use crate::scene::{AxisPlace, Mark, Primitive, Scene, Shape, Stroke};
use crate::svg::attributes::write_mark_attributes;
use crate::svg::attributes::write_paint_attributes;
use crate::svg::attributes::write_path_data;
use crate::svg::attributes::write_rect_attributes;
use crate::svg::attributes::write_stroke_attributes;
use crate::svg::text_outlines::SharedGlyphs;
use crate::svg::xml_writer::XmlWriter;
use crate::time_limit;

pub use embedded_fonts::{font_face_rules, subset_font_ranges};
pub use options::{Options, TextMode};

/// Minimum number of elements for joining marks of equal style. Browsers become slow with more
/// elements.
const MIN_ELEMENTS_TO_JOIN: usize = 2500;

/// Returns a scene as a complete SVG document. Equal scenes and options give equal bytes.
pub fn write(scene: &Scene, options: &Options) -> String {
    let mut out = XmlWriter::with_capacity(
        2048 + scene.shapes.iter().map(estimate_shape_bytes).sum::<usize>(),
    );
    let glyphs = (options.text == TextMode::Outlines).then(|| SharedGlyphs::collect(scene));
    write_head(scene, options, glyphs.is_some(), &mut out);
    match (&glyphs, options.text) {
        (Some(glyphs), _) => glyphs.write_definitions(&mut out),
        (None, TextMode::Embedded) => {
            out.raw("<style>").raw(&font_face_rules(scene)).raw("</style>");
        }
        (None, _) => {}
    }
    out.raw("<g font-family=\"");
    text_elements::write_family_list([scene.font_family].into_iter(), &mut out);
    out.raw("\">");
    let mut body = BodyWriter { scene, glyphs: glyphs.as_ref(), clip_count: 0, out: &mut out };
    if !options.transparent {
        scene.background_shapes.iter().for_each(|primitive| body.write_primitive(primitive, None));
    }
    body.write_shapes();
    scene.axes.iter().for_each(|axis| write_axis(axis, &mut out));
    out.raw("</g></svg>\n");
    out.finish()
}

/// Estimates the bytes that a shape takes, so that the output is allocated once.
fn estimate_shape_bytes(shape: &Shape) -> usize {
    match &shape.primitive {
        Primitive::Path { path, .. } => 96 + path.elements().len() * 15,
        Primitive::Dots { points, .. } | Primitive::Polyline { points, .. } => {
            96 + points.len() * 15
        }
        Primitive::Image { bitmap, .. } => 96 + bitmap.png.len() * 4 / 3,
        _ => 112,
    }
}

/// Writes the start tag, title and description, and the background color unless the image is
/// transparent. `has_links` declares `xlink`. The `svg` element stays open.
fn write_head(scene: &Scene, options: &Options, has_links: bool, out: &mut XmlWriter) {
    let id = &scene.id_prefix;
    out.raw("<svg xmlns=\"http://www.w3.org/2000/svg\"");
    if has_links {
        // Drawing programs support only `xlink:href`, browsers support it and `href`.
        out.raw(" xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
    }
    out.number(" width", scene.width).number(" height", scene.height);
    out.raw(" viewBox=\"0 0 ").value(scene.width).raw(" ").value(scene.height);
    // A single image would hide its links from screen readers.
    let is_link = |shape: &Shape| matches!(shape.primitive, Primitive::BeginLink(_));
    let role = if scene.shapes.iter().any(is_link) { "group" } else { "img" };
    out.raw("\" role=\"").raw(role).raw("\" lang=\"").escaped(&scene.lang);
    out.raw("\" aria-labelledby=\"").raw(id).raw("t ").raw(id).raw("d\">");
    out.raw("<title id=\"").raw(id).raw("t\">").escaped(&scene.title);
    out.raw("</title><desc id=\"").raw(id).raw("d\">").escaped(&scene.description);
    out.raw("</desc>");
    if !options.transparent {
        out.raw("<rect width=\"100%\" height=\"100%\"").color(" fill", scene.background).raw("/>");
    }
}

/// Writes the first shapes as one path if they are equal lines without a mark, because a grid is one
/// object. Returns the number of shapes written, 0 if there are not two such lines.
fn write_joined_lines(shapes: &[Shape], out: &mut XmlWriter) -> usize {
    let Some(Primitive::Line { stroke, .. }) = shapes.first().map(|shape| &shape.primitive) else {
        return 0;
    };
    let is_equal = |shape: &&Shape| {
        matches!(&shape.primitive, Primitive::Line { stroke: other, .. } if other == stroke)
            && shape.mark == 0
    };
    let count = shapes.iter().take_while(is_equal).count();
    if count < 2 {
        return 0;
    }
    out.raw("<path d=\"");
    for shape in &shapes[..count] {
        joined_shapes::write_subpath(&shape.primitive, out);
    }
    out.raw("\" fill=\"none\"");
    write_stroke_attributes(stroke, out);
    out.raw("/>");
    count
}

/// State while the shapes of a scene are written.
struct BodyWriter<'a> {
    scene: &'a Scene,
    /// Shared glyphs if text is written as outlines.
    glyphs: Option<&'a SharedGlyphs>,
    /// Number of clips so far. Part of the ids of clip paths.
    clip_count: usize,
    out: &'a mut XmlWriter,
}

impl BodyWriter<'_> {
    /// Writes all shapes of the scene in drawing order. Runs of equal lines without a mark become one
    /// element, and in scenes with very many elements all shapes of equal style that nothing
    /// separates.
    fn write_shapes(&mut self) {
        let scene = self.scene;
        // A mark has a second element for its tip.
        let marked_count = scene.shapes.iter().filter(|shape| shape.mark > 0).count();
        let joins_all = scene.shapes.len() + marked_count >= MIN_ELEMENTS_TO_JOIN;
        let mut index = 0;
        while let Some(rest) = scene.shapes.get(index..).filter(|rest| !rest.is_empty()) {
            let run_length = match joins_all {
                true => joined_shapes::count_joinable(scene, rest),
                false => 0,
            };
            if run_length > 1 {
                self.write_run(&rest[..run_length]);
                index += run_length;
                continue;
            }
            let joined = write_joined_lines(rest, self.out);
            if joined > 0 {
                index += joined;
                continue;
            }
            self.write_shape(&rest[0]);
            index += 1;
        }
    }

    /// Writes a run of joinable shapes, those of equal style as one path where that does not change
    /// the picture.
    fn write_run(&mut self, run: &[Shape]) {
        for path in joined_shapes::join_run(self.scene, run) {
            match path.members.as_slice() {
                [single] => self.write_shape(&run[*single]),
                _ => path.write(self.scene, run, self.out),
            }
        }
    }

    /// Writes a shape as an element of its own, with the attributes of its mark.
    fn write_shape(&mut self, shape: &Shape) {
        let mark = (shape.mark as usize).checked_sub(1);
        let mark = mark.and_then(|index| self.scene.marks.get(index));
        self.write_primitive(&shape.primitive, mark);
    }

    /// Writes a primitive. `mark` adds the attributes of a data mark, except to dots and clips.
    fn write_primitive(&mut self, primitive: &Primitive, mark: Option<&Mark>) {
        time_limit::check();
        let out = &mut *self.out;
        match primitive {
            Primitive::Rect { rect, radius, fill } => {
                out.raw("<rect");
                write_rect_attributes(rect, out);
                if *radius > 0.0 {
                    out.number(" rx", *radius);
                }
                out.color(" fill", *fill);
                end_element("rect", mark, out);
            }
            Primitive::Line { from, to, stroke } => {
                out.raw("<line").number(" x1", from.x).number(" y1", from.y);
                out.number(" x2", to.x).number(" y2", to.y);
                write_stroke_attributes(stroke, out);
                end_element("line", mark, out);
            }
            Primitive::Circle { center, radius, fill, stroke } => {
                out.raw("<circle").number(" cx", center.x).number(" cy", center.y);
                out.number(" r", *radius);
                write_paint_attributes(*fill, stroke.as_ref(), out);
                end_element("circle", mark, out);
            }
            Primitive::Path { path, fill, stroke } => {
                out.raw("<path d=\"");
                write_path_data(path, out);
                out.raw("\"");
                write_paint_attributes(*fill, stroke.as_ref(), out);
                end_element("path", mark, out);
            }
            Primitive::Polyline { points, stroke } => write_polyline(points, stroke, mark, out),
            Primitive::Dots { points, radius, fill } => write_dots(points, *radius, *fill, out),
            Primitive::Text(text) => match self.glyphs {
                Some(glyphs) => glyphs.write_text(text, mark, out),
                None => text_elements::write_text(text, self.scene.font_family, mark, out),
            },
            Primitive::Image { rect, bitmap } => write_image(rect, bitmap, mark, out),
            Primitive::BeginClip(rect) => {
                self.clip_count += 1;
                begin_clip(rect, &format!("{}c{}", self.scene.id_prefix, self.clip_count), out);
            }
            Primitive::EndClip => drop(out.raw("</g>")),
            Primitive::BeginLink(address) => begin_link(address, out),
            Primitive::EndLink => drop(out.raw("</a>")),
        }
    }
}

/// Writes the place of a value axis as an empty group: its setting, its direction, the values at its
/// ends, their coordinates along it, and its coordinate across it in points.
fn write_axis(axis: &AxisPlace, out: &mut XmlWriter) {
    let AxisPlace { setting, scale, across, is_vertical, required } = axis;
    out.raw("<g data-part=\"axis\" data-setting=\"").escaped(setting);
    out.raw("\" data-direction=\"").raw(if *is_vertical { "vertical" } else { "horizontal" });
    out.raw("\" data-scale=\"").raw(if scale.is_log { "log" } else { "linear" });
    let pairs =
        [("domain", Some(scale.domain)), ("range", Some(scale.range)), ("required", *required)];
    for (name, pair) in pairs {
        if let Some((first, second)) = pair {
            out.raw("\" data-").raw(name).raw(&format!("=\"{first} {second}"));
        }
    }
    out.raw("\" data-across=\"").value(*across).raw("\"/>");
}

/// Writes a bitmap as a PNG in a data URI, stretched to `rect`.
fn write_image(rect: &Rect, bitmap: &Bitmap, mark: Option<&Mark>, out: &mut XmlWriter) {
    out.raw("<image");
    write_rect_attributes(rect, out);
    out.raw(" preserveAspectRatio=\"none\" href=\"data:image/png;base64,");
    out.raw(&STANDARD.encode(&bitmap.png)).raw("\"");
    end_element("image", mark, out);
}

/// Writes a clip path with the given id, and opens a group that is clipped to it. The caller must
/// close the group.
fn begin_clip(rect: &Rect, id: &str, out: &mut XmlWriter) {
    out.raw("<clipPath id=\"").raw(id).raw("\"><rect");
    write_rect_attributes(rect, out);
    out.raw("/></clipPath><g clip-path=\"url(#").raw(id).raw(")\">");
}

/// Opens a link in a new window. The caller must close the element.
fn begin_link(address: &str, out: &mut XmlWriter) {
    out.raw("<a href=\"").escaped(address);
    out.raw("\" target=\"_blank\" rel=\"noopener noreferrer\">");
}

/// Ends an element with the open start tag `name`. A mark adds its attributes and a `<title>` with
/// its tip.
fn end_element(name: &str, mark: Option<&Mark>, out: &mut XmlWriter) {
    let Some(mark) = mark else {
        out.raw("/>");
        return;
    };
    write_mark_attributes(mark, out);
    out.raw("><title>").escaped(&mark.tip).raw("</title></").raw(name).raw(">");
}

/// Writes a line through many points as one `polyline` element without a fill.
fn write_polyline(points: &[Point], stroke: &Stroke, mark: Option<&Mark>, out: &mut XmlWriter) {
    out.raw("<polyline points=\"");
    for (index, point) in points.iter().enumerate() {
        out.raw(if index == 0 { "" } else { " " }).point(*point);
    }
    out.raw("\" fill=\"none\"");
    write_stroke_attributes(stroke, out);
    end_element("polyline", mark, out);
}

/// Writes dots as lines of length 0 with round caps, which is the shortest form of many dots.
///
/// Translucent dots are distributed over six paths, because overlapping dots of one path do not
/// darken each other.
fn write_dots(points: &[Point], radius: f64, fill: Color, out: &mut XmlWriter) {
    let paths = if fill.a == 255 { 1 } else { 6 };
    for path in 0..paths {
        out.raw("<path d=\"");
        for point in points.iter().skip(path).step_by(paths) {
            out.raw("M").point(*point).raw("h0");
        }
        out.raw("\" fill=\"none\" stroke-linecap=\"round\"");
        out.color(" stroke", fill).number(" stroke-width", radius * 2.0).raw("/>");
    }
}

#[cfg(test)]
mod tests;
