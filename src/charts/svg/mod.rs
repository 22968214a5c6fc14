//! Scene to SVG text, with presentation attributes only: no style, script or outside reference.

mod embed;
mod options;
mod outlines;
mod words;
mod write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kurbo::{BezPath, PathEl, Point, Rect};

use crate::color::Color;
use crate::logo::Bitmap;
use crate::scene::{Form, Scene, Shape, Stroke, Tag};
use crate::svg::outlines::Glyphs;
use crate::svg::write::Writer;

pub use embed::font_faces;
pub use options::{Lettering, Options};

/// From this many shapes on, equal neighbours are joined into one path: browsers slow down.
const JOIN_FROM: usize = 2500;

/// Writes the picture. The same scene gives the same bytes.
pub fn write(scene: &Scene, options: &Options) -> String {
    let mut out =
        Writer::with_capacity(2048 + scene.shapes.iter().map(size_of_shape).sum::<usize>());
    let glyphs = (options.text == Lettering::Outlines).then(|| Glyphs::of(scene));
    head(scene, options, glyphs.is_some(), &mut out);
    match (&glyphs, options.text) {
        (Some(glyphs), _) => glyphs.define(&mut out),
        (None, Lettering::Embedded) => {
            out.raw("<style>").raw(&font_faces(scene)).raw("</style>");
        }
        (None, _) => {}
    }
    out.raw("<g font-family=\"");
    words::families([scene.family].into_iter(), &mut out);
    out.raw("\">");
    let glyphs = glyphs.as_ref();
    let join = scene.shapes.len() >= JOIN_FROM && !scene.interactive;
    let mut clips = 0;
    if !options.transparent {
        scene.ground.iter().for_each(|it| form(scene, it, None, glyphs, &mut clips, &mut out));
    }
    let mut index = 0;
    while index < scene.shapes.len() {
        let shape = &scene.shapes[index];
        let used = if shape.tag == 0 { joined(&scene.shapes[index..], join, &mut out) } else { 0 };
        if used > 0 {
            index += used;
            continue;
        }
        let tag = (shape.tag as usize).checked_sub(1).and_then(|at| scene.tags.get(at));
        form(scene, &shape.form, tag, glyphs, &mut clips, &mut out);
        index += 1;
    }
    out.raw("</g></svg>\n");
    out.finish()
}

/// About how many bytes a shape takes, so that the text grows once.
fn size_of_shape(shape: &Shape) -> usize {
    match &shape.form {
        Form::Path { path, .. } => 96 + path.elements().len() * 15,
        Form::Marks { points, .. } | Form::Polyline { points, .. } => 96 + points.len() * 15,
        Form::Image { bitmap, .. } => 96 + bitmap.png.len() * 4 / 3,
        _ => 112,
    }
}

fn head(scene: &Scene, options: &Options, links: bool, out: &mut Writer) {
    let id = &scene.id_prefix;
    out.raw("<svg xmlns=\"http://www.w3.org/2000/svg\"");
    if links {
        // Drawing programs know this older way to point at a definition; browsers know both.
        out.raw(" xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
    }
    out.number(" width", scene.width).number(" height", scene.height);
    out.raw(" viewBox=\"0 0 ").value(scene.width).raw(" ").value(scene.height);
    out.raw("\" role=\"img\" lang=\"").escaped(&scene.lang);
    out.raw("\" aria-labelledby=\"").raw(id).raw("t ").raw(id).raw("d\">");
    out.raw("<title id=\"").raw(id).raw("t\">").escaped(&scene.title);
    out.raw("</title><desc id=\"").raw(id).raw("d\">").escaped(&scene.desc).raw("</desc>");
    if !options.transparent {
        out.raw("<rect width=\"100%\" height=\"100%\"").color(" fill", scene.background).raw("/>");
    }
}

/// Joins equal neighbours into one path: lines always (a grid is one thing), other marks when
/// there are very many. Returns how many shapes were written, 0 for none.
fn joined(shapes: &[Shape], many: bool, out: &mut Writer) -> usize {
    let same = |shape: &&Shape| shape.tag == 0;
    match &shapes[0].form {
        Form::Line { stroke, .. } => {
            let run = shapes.iter().take_while(same);
            let equal = |it: &&Shape| matches!(&it.form, Form::Line { stroke: other, .. } if other == stroke);
            let count = run.take_while(equal).count();
            if count < 2 {
                return 0;
            }
            out.raw("<path d=\"");
            for shape in &shapes[..count] {
                if let Form::Line { from, to, .. } = &shape.form {
                    out.raw("M").point(*from);
                    match () {
                        () if from.y == to.y => out.raw("H").value(to.x),
                        () if from.x == to.x => out.raw("V").value(to.y),
                        () => out.raw("L").point(*to),
                    };
                }
            }
            out.raw("\" fill=\"none\"");
            stroke_attributes(stroke, out);
            out.raw("/>");
            count
        }
        Form::Rect { fill, radius, .. } if many && *radius == 0.0 => {
            let equal = |it: &&Shape| matches!(&it.form, Form::Rect { fill: other, radius, .. } if other == fill && *radius == 0.0);
            let count = shapes.iter().take_while(same).take_while(equal).count();
            if count < 2 {
                return 0;
            }
            out.raw("<path d=\"");
            for shape in &shapes[..count] {
                if let Form::Rect { rect, .. } = &shape.form {
                    out.raw("M").point(rect.origin()).raw("h").value(rect.width());
                    out.raw("v").value(rect.height()).raw("h").value(-rect.width()).raw("z");
                }
            }
            out.raw("\"").color(" fill", *fill).raw("/>");
            count
        }
        _ => 0,
    }
}

fn form(
    scene: &Scene,
    form: &Form,
    tag: Option<&Tag>,
    glyphs: Option<&Glyphs>,
    clips: &mut usize,
    out: &mut Writer,
) {
    match form {
        Form::Rect { rect, radius, fill } => {
            out.raw("<rect");
            rect_attributes(rect, out);
            if *radius > 0.0 {
                out.number(" rx", *radius);
            }
            out.color(" fill", *fill);
            end("rect", tag, out);
        }
        Form::Line { from, to, stroke } => {
            out.raw("<line").number(" x1", from.x).number(" y1", from.y);
            out.number(" x2", to.x).number(" y2", to.y);
            stroke_attributes(stroke, out);
            end("line", tag, out);
        }
        Form::Circle { center, radius, fill, stroke } => {
            out.raw("<circle")
                .number(" cx", center.x)
                .number(" cy", center.y)
                .number(" r", *radius);
            paint(*fill, stroke.as_ref(), out);
            end("circle", tag, out);
        }
        Form::Path { path, fill, stroke } => {
            out.raw("<path d=\"");
            path_data(path, out);
            out.raw("\"");
            paint(*fill, stroke.as_ref(), out);
            end("path", tag, out);
        }
        Form::Polyline { points, stroke } => polyline(points, stroke, tag, out),
        Form::Marks { points, radius, fill } => marks(points, *radius, *fill, out),
        Form::Text(words) => match glyphs {
            Some(glyphs) => glyphs.text(words, tag, out),
            None => words::element(words, scene.family, tag, out),
        },
        Form::Image { rect, bitmap } => image(rect, bitmap, tag, out),
        Form::Clip(rect) => {
            *clips += 1;
            clip(rect, &format!("{}c{clips}", scene.id_prefix), out);
        }
        Form::EndClip => {
            out.raw("</g>");
        }
    }
}

/// A picture of pixels, which stand in the text itself.
fn image(rect: &Rect, bitmap: &Bitmap, tag: Option<&Tag>, out: &mut Writer) {
    out.raw("<image");
    rect_attributes(rect, out);
    out.raw(" preserveAspectRatio=\"none\" href=\"data:image/png;base64,");
    out.raw(&STANDARD.encode(&bitmap.png)).raw("\"");
    end("image", tag, out);
}

/// Begins a group that shows inside a box only.
fn clip(rect: &Rect, id: &str, out: &mut Writer) {
    out.raw("<clipPath id=\"").raw(id).raw("\"><rect");
    rect_attributes(rect, out);
    out.raw("/></clipPath><g clip-path=\"url(#").raw(id).raw(")\">");
}

/// Ends an element; a mark gets its names and its tip.
fn end(name: &str, tag: Option<&Tag>, out: &mut Writer) {
    let Some(tag) = tag else {
        out.raw("/>");
        return;
    };
    tag_attributes(tag, out);
    out.raw("><title>").escaped(&tag.tip).raw("</title></").raw(name).raw(">");
}

fn tag_attributes(tag: &Tag, out: &mut Writer) {
    out.raw(" data-part=\"").escaped(tag.part).raw("\"");
    if let Some(row) = tag.row {
        out.raw(" data-row=\"").raw(&row.to_string()).raw("\"");
    }
    if let Some(field) = &tag.field {
        out.raw(" data-field=\"").escaped(field).raw("\"");
    }
}

fn rect_attributes(rect: &Rect, out: &mut Writer) {
    out.number(" x", rect.x0).number(" y", rect.y0);
    out.number(" width", rect.width()).number(" height", rect.height());
}

fn paint(fill: Option<Color>, stroke: Option<&Stroke>, out: &mut Writer) {
    match fill {
        Some(fill) => out.color(" fill", fill),
        None => out.raw(" fill=\"none\""),
    };
    if let Some(stroke) = stroke {
        stroke_attributes(stroke, out);
    }
}

fn stroke_attributes(stroke: &Stroke, out: &mut Writer) {
    out.color(" stroke", stroke.color).number(" stroke-width", stroke.width);
    if let Some((dash, gap)) = stroke.dash {
        out.raw(" stroke-dasharray=\"").value(dash).raw(" ").value(gap).raw("\"");
    }
    if stroke.round {
        out.raw(" stroke-linecap=\"round\"");
    }
    if stroke.width > 1.0 && stroke.dash.is_none() {
        out.raw(" stroke-linejoin=\"round\"");
    }
}

fn polyline(points: &[Point], stroke: &Stroke, tag: Option<&Tag>, out: &mut Writer) {
    out.raw("<polyline points=\"");
    for (index, point) in points.iter().enumerate() {
        out.raw(if index == 0 { "" } else { " " }).point(*point);
    }
    out.raw("\" fill=\"none\"");
    stroke_attributes(stroke, out);
    end("polyline", tag, out);
}

/// Dots as lines without length and with round ends: the shortest way to write many.
/// See-through dots are dealt over several paths, because one path does not darken itself.
fn marks(points: &[Point], radius: f64, fill: Color, out: &mut Writer) {
    let piles = if fill.a == 255 { 1 } else { 6 };
    for pile in 0..piles {
        out.raw("<path d=\"");
        for point in points.iter().skip(pile).step_by(piles) {
            out.raw("M").point(*point).raw("h0");
        }
        out.raw("\" fill=\"none\" stroke-linecap=\"round\"");
        out.color(" stroke", fill).number(" stroke-width", radius * 2.0).raw("/>");
    }
}

fn path_data(path: &BezPath, out: &mut Writer) {
    let mut last = Point::ZERO;
    for element in path.elements() {
        match *element {
            PathEl::MoveTo(to) => drop(out.raw("M").point(to)),
            PathEl::LineTo(to) if to.y == last.y => drop(out.raw("H").value(to.x)),
            PathEl::LineTo(to) if to.x == last.x => drop(out.raw("V").value(to.y)),
            PathEl::LineTo(to) => drop(out.raw("L").point(to)),
            PathEl::QuadTo(a, to) => drop(out.raw("Q").point(a).raw(" ").point(to)),
            PathEl::CurveTo(a, b, to) => {
                out.raw("C").point(a).raw(" ").point(b).raw(" ").point(to);
            }
            PathEl::ClosePath => drop(out.raw("Z")),
        }
        last = element.end_point().unwrap_or(last);
    }
}

#[cfg(test)]
mod tests;
