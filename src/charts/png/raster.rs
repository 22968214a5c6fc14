//! Scene to pixels with `vello_cpu`, which no other file names.

use kurbo::{Affine, BezPath, Cap, Circle, Line, Point, Rect, Shape};
use vello_cpu::color::{AlphaColor, Srgb};
use vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};

use crate::color::Color;
use crate::logo;
use crate::logo::Bitmap;
use crate::png::spare::Spare;
use crate::png::stamp;
use crate::scene::{Form, Scene, Stroke, Text};
use crate::shape::curve;
use crate::shape::curve::Join;
use crate::text;

/// Marks from this many on are stamped instead of drawn one by one.
const STAMP_FROM: usize = 200;

/// What is kept between pictures: making these anew would cost more than drawing.
struct Canvas {
    context: RenderContext,
    resources: Resources,
    pixmap: Pixmap,
    path: BezPath,
}

/// Thumbnails, of up to so many pixels, have canvases of their own: they are drawn beside whole
/// pictures, and one canvas after the other would grow to the size of those.
const SMALL_PIXELS: usize = 500_000;
static SMALL: Spare<Canvas> = Spare::new();
static LARGE: Spare<Canvas> = Spare::new();

/// A canvas is kept up to this many pixels, so that one huge picture does not hold memory for good.
const KEPT_PIXELS: usize = 4_000_000;

/// Draws the scene and hands its pixels (premultiplied RGBA, row by row) to `then`.
pub fn with_pixels<T>(
    scene: &Scene,
    (width, height): (u16, u16),
    scale: f64,
    transparent: bool,
    then: impl FnOnce(&[u8]) -> T,
) -> T {
    let pixels = usize::from(width) * usize::from(height);
    let spare = if pixels <= SMALL_PIXELS { &SMALL } else { &LARGE };
    let mut canvas = spare.take().unwrap_or_else(|| Canvas {
        context: RenderContext::new(width, height),
        resources: Resources::new(),
        pixmap: Pixmap::new(width, height),
        path: BezPath::new(),
    });
    canvas.context.reset_and_resize(width, height);
    canvas.pixmap.resize(width, height);
    let ground = if transparent { None } else { Some(scene.background) };
    Painter { canvas: &mut canvas, scale, ground, drawn: false, clips: 0 }.paint(scene);
    let result = then(canvas.pixmap.data_as_u8_slice());
    if pixels <= KEPT_PIXELS {
        spare.give(canvas);
    }
    result
}

struct Painter<'a> {
    canvas: &'a mut Canvas,
    /// Pixels a point.
    scale: f64,
    ground: Option<Color>,
    /// Whether the pixmap holds a first layer, which further ones go over.
    drawn: bool,
    clips: usize,
}

impl Painter<'_> {
    fn paint(&mut self, scene: &Scene) {
        if self.ground.is_some() {
            scene.ground.iter().for_each(|it| self.form(it));
        }
        for shape in &scene.shapes {
            self.form(&shape.form);
        }
        while self.clips > 0 {
            self.end_clip();
        }
        self.flush();
    }

    fn form(&mut self, form: &Form) {
        match form {
            Form::Rect { rect, radius, fill } if *radius > 0.0 => {
                self.color(*fill);
                let rounded =
                    rect.scale_from_origin(self.scale).to_rounded_rect(radius * self.scale);
                self.canvas.context.fill_path(&rounded.to_path(0.1));
            }
            Form::Rect { rect, fill, .. } => {
                self.color(*fill);
                let rect = snapped(rect.scale_from_origin(self.scale));
                self.canvas.context.fill_rect(&rect);
            }
            Form::Line { from, to, stroke } => self.line(*from, *to, stroke),
            Form::Circle { center, radius, fill, stroke } => {
                let path = Circle::new(*center, *radius).to_path(0.02);
                self.path(&path, *fill, stroke.as_ref());
            }
            Form::Path { path, fill, stroke } => self.path(path, *fill, stroke.as_ref()),
            Form::Polyline { points, stroke } => {
                let mut path = std::mem::take(&mut self.canvas.path);
                path.truncate(0);
                curve::join(&mut path, points, Join::Linear, true);
                self.path(&path, None, Some(stroke));
                self.canvas.path = path;
            }
            Form::Marks { points, radius, fill } => self.marks(points, *radius, *fill),
            Form::Text(words) => self.text(words),
            Form::Image { rect, bitmap } => self.image(*rect, bitmap),
            Form::Clip(rect) => {
                self.clips += 1;
                self.canvas.context.push_clip_rect(&rect.scale_from_origin(self.scale));
            }
            Form::EndClip => self.end_clip(),
        }
    }

    fn end_clip(&mut self) {
        if self.clips > 0 {
            self.clips -= 1;
            self.canvas.context.pop_clip();
        }
    }

    fn color(&mut self, color: Color) {
        self.canvas.context.set_paint(paint(color));
    }

    fn path(&mut self, path: &BezPath, fill: Option<Color>, stroke: Option<&Stroke>) {
        self.canvas.context.set_transform(Affine::scale(self.scale));
        if let Some(fill) = fill {
            self.color(fill);
            self.canvas.context.fill_path(path);
        }
        if let Some(stroke) = stroke {
            self.color(stroke.color);
            self.canvas.context.set_stroke(pen(stroke));
            self.canvas.context.stroke_path(path);
        }
        self.canvas.context.reset_transform();
    }

    /// Level and plumb solid lines are filled boxes on whole pixels: crisp, and quick to fill.
    fn line(&mut self, from: Point, to: Point, stroke: &Stroke) {
        if stroke.dash.is_none() && !stroke.round && (from.x == to.x || from.y == to.y) {
            let scale = self.scale;
            let width = (stroke.width * scale).round().max(1.0);
            let start = |middle: f64| (middle * scale - width / 2.0).round();
            let rect = if from.y == to.y {
                let (left, right) = (from.x.min(to.x) * scale, from.x.max(to.x) * scale);
                Rect::new(left.round(), start(from.y), right.round(), start(from.y) + width)
            } else {
                let (top, bottom) = (from.y.min(to.y) * scale, from.y.max(to.y) * scale);
                Rect::new(start(from.x), top.round(), start(from.x) + width, bottom.round())
            };
            self.color(stroke.color);
            self.canvas.context.fill_rect(&rect);
            return;
        }
        self.path(&Line::new(from, to).to_path(0.1), None, Some(stroke));
    }

    fn marks(&mut self, points: &[Point], radius: f64, fill: Color) {
        // Stamping goes straight to the pixels, which knows no clip.
        if points.len() < STAMP_FROM || self.clips > 0 {
            self.canvas.context.set_transform(Affine::scale(self.scale));
            self.color(fill);
            for point in points {
                self.canvas.context.fill_path(&Circle::new(*point, radius).to_path(0.02));
            }
            self.canvas.context.reset_transform();
            return;
        }
        self.flush();
        let (width, height) = (self.canvas.pixmap.width(), self.canvas.pixmap.height());
        let pixels = self.canvas.pixmap.data_as_u8_slice_mut();
        stamp::dots(pixels, (width, height), points, (radius, self.scale), fill);
    }

    /// Straight to the pixels, on whole ones.
    fn image(&mut self, rect: Rect, bitmap: &Bitmap) {
        self.flush();
        let rect = snapped(rect.scale_from_origin(self.scale));
        let size = (rect.width() as u32, rect.height() as u32);
        let image = logo::scaled(&bitmap.pixels, (bitmap.width, bitmap.height), size);
        let (width, height) = (self.canvas.pixmap.width(), self.canvas.pixmap.height());
        let (wide, left, top) = (usize::from(width), rect.x0 as i64, rect.y0 as i64);
        let pixels = self.canvas.pixmap.data_as_u8_slice_mut();
        for (index, source) in image.chunks_exact(4).enumerate() {
            let x = left + (index as u32 % size.0) as i64;
            let y = top + (index as u32 / size.0) as i64;
            if (0..i64::from(width)).contains(&x) && (0..i64::from(height)).contains(&y) {
                let at = (y as usize * wide + x as usize) * 4;
                let under = 255 - u16::from(source[3]);
                for (below, above) in pixels[at..at + 4].iter_mut().zip(source) {
                    let shows = (u16::from(*below) * under + 127) / 255;
                    *below = above.saturating_add(shows as u8);
                }
            }
        }
    }

    fn text(&mut self, words: &Text) {
        let mut path = std::mem::take(&mut self.canvas.path);
        path.truncate(0);
        text::outline(words, &mut path);
        if let Some(halo) = words.halo {
            // The same rim that the SVG has: 3 points wide, half of it under the letters.
            self.path(&path, None, Some(&Stroke::new(halo, 3.0)));
        }
        self.path(&path, Some(words.color), None);
        self.canvas.path = path;
    }

    /// Turns what was recorded into pixels, over those that are there.
    fn flush(&mut self) {
        let ground = self.ground.map_or(AlphaColor::TRANSPARENT, paint);
        let target_init = if self.drawn { TargetInit::SrcOver } else { TargetInit::Clear(ground) };
        let settings = RasterizerSettings { target_init, ..RasterizerSettings::default() };
        let canvas = &mut *self.canvas;
        canvas.context.flush();
        canvas.context.render_with(&mut canvas.pixmap, &mut canvas.resources, settings);
        canvas.context.reset();
        self.drawn = true;
    }
}

fn paint(color: Color) -> AlphaColor<Srgb> {
    AlphaColor::from_rgba8(color.r, color.g, color.b, color.a)
}

fn pen(stroke: &Stroke) -> kurbo::Stroke {
    let cap = if stroke.round { Cap::Round } else { Cap::Butt };
    let pen = kurbo::Stroke::new(stroke.width).with_caps(cap).with_join(kurbo::Join::Round);
    match stroke.dash {
        Some((dash, gap)) => pen.with_dashes(0.0, [dash, gap]),
        None => pen,
    }
}

/// A box on whole pixels, at least one wide and high.
fn snapped(rect: Rect) -> Rect {
    let (x0, y0) = (rect.x0.round(), rect.y0.round());
    Rect::new(x0, y0, rect.x1.round().max(x0 + 1.0), rect.y1.round().max(y0 + 1.0))
}
