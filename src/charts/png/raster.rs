//! Rasterization of a scene with `vello_cpu`. Only this file depends on that crate.

use kurbo::{Affine, BezPath, Cap, Circle, Line, Point, Rect, Shape};
use vello_cpu::color::{AlphaColor, Srgb};
use vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};

use crate::bitmap::Bitmap;
use crate::color::Color;
use crate::png::dot_stamps;
use crate::png::pool::Pool;
use crate::scene::{Primitive, Scene, Stroke, Text};
use crate::shape::curve;
use crate::shape::curve::Interpolation;

/// Minimum number of dots that are stamped instead of drawn as circles.
const MIN_DOTS_TO_STAMP: usize = 200;

/// Reusable buffers. Creating them takes longer than drawing.
struct Canvas {
    context: RenderContext,
    resources: Resources,
    pixmap: Pixmap,
    path: BezPath,
}

/// Maximum number of pixels of an image that uses a small canvas.
///
/// Thumbnails have canvases of their own. They are drawn at the same time as large images, and in
/// one pool every canvas would grow to the size of the large images.
const MAX_SMALL_PIXELS: usize = 500_000;
static SMALL_CANVASES: Pool<Canvas> = Pool::new();
static LARGE_CANVASES: Pool<Canvas> = Pool::new();

/// Maximum number of pixels of a canvas that is kept, so that a huge image does not hold its
/// memory.
const MAX_POOLED_PIXELS: usize = 4_000_000;

/// Draws a scene at `scale` pixels per point and passes its pixels to `use_pixels`.
///
/// The pixels are premultiplied RGBA, row by row. `transparent` leaves out the background and its
/// shapes.
pub fn rasterize<T>(
    scene: &Scene,
    (width, height): (u16, u16),
    scale: f64,
    transparent: bool,
    use_pixels: impl FnOnce(&[u8]) -> T,
) -> T {
    let pixels = usize::from(width) * usize::from(height);
    let pool = if pixels <= MAX_SMALL_PIXELS { &SMALL_CANVASES } else { &LARGE_CANVASES };
    let mut canvas = pool.acquire().unwrap_or_else(|| Canvas {
        context: RenderContext::new(width, height),
        resources: Resources::new(),
        pixmap: Pixmap::new(width, height),
        path: BezPath::new(),
    });
    canvas.context.reset_and_resize(width, height);
    canvas.pixmap.resize(width, height);
    let background = if transparent { None } else { Some(scene.background) };
    Painter { canvas: &mut canvas, scale, background, has_layer: false, open_clips: 0 }
        .draw_scene(scene);
    let result = use_pixels(canvas.pixmap.data_as_u8_slice());
    if pixels <= MAX_POOLED_PIXELS {
        pool.release(canvas);
    }
    result
}

/// State while a scene is drawn.
struct Painter<'a> {
    canvas: &'a mut Canvas,
    /// Pixels per point.
    scale: f64,
    /// Background color. Transparent if None.
    background: Option<Color>,
    /// Whether the pixmap contains a first layer. Further layers are composited over it.
    has_layer: bool,
    /// Number of clips that are not ended yet.
    open_clips: usize,
}

impl Painter<'_> {
    /// Draws the background shapes (if there is a background) and all shapes of a scene. Ends the
    /// clips that the scene does not end.
    fn draw_scene(&mut self, scene: &Scene) {
        if self.background.is_some() {
            scene.background_shapes.iter().for_each(|primitive| self.draw_primitive(primitive));
        }
        for shape in &scene.shapes {
            self.draw_primitive(&shape.primitive);
        }
        while self.open_clips > 0 {
            self.end_clip();
        }
        self.flush();
    }

    /// Draws a primitive over those drawn before.
    fn draw_primitive(&mut self, primitive: &Primitive) {
        match primitive {
            Primitive::Rect { rect, radius, fill } if *radius > 0.0 => {
                self.set_color(*fill);
                let rounded =
                    rect.scale_from_origin(self.scale).to_rounded_rect(radius * self.scale);
                self.canvas.context.fill_path(&rounded.to_path(0.1));
            }
            Primitive::Rect { rect, fill, .. } => {
                self.set_color(*fill);
                let rect = snap_to_pixels(rect.scale_from_origin(self.scale));
                self.canvas.context.fill_rect(&rect);
            }
            Primitive::Line { from, to, stroke } => self.draw_line(*from, *to, stroke),
            Primitive::Circle { center, radius, fill, stroke } => {
                let path = Circle::new(*center, *radius).to_path(0.02);
                self.draw_path(&path, *fill, stroke.as_ref());
            }
            Primitive::Path { path, fill, stroke } => self.draw_path(path, *fill, stroke.as_ref()),
            Primitive::Polyline { points, stroke } => {
                let mut path = std::mem::take(&mut self.canvas.path);
                path.truncate(0);
                curve::append_curve(&mut path, points, Interpolation::Linear, true);
                self.draw_path(&path, None, Some(stroke));
                self.canvas.path = path;
            }
            Primitive::Dots { points, radius, fill } => self.draw_dots(points, *radius, *fill),
            Primitive::Text(text) => self.draw_text(text),
            Primitive::Image { rect, bitmap } => self.draw_image(*rect, bitmap),
            Primitive::BeginClip(rect) => {
                self.open_clips += 1;
                self.canvas.context.push_clip_rect(&rect.scale_from_origin(self.scale));
            }
            Primitive::EndClip => self.end_clip(),
        }
    }

    /// Ends the innermost clip. Does nothing if no clip is open.
    fn end_clip(&mut self) {
        if self.open_clips > 0 {
            self.open_clips -= 1;
            self.canvas.context.pop_clip();
        }
    }

    /// Sets the color of the next fills and strokes.
    fn set_color(&mut self, color: Color) {
        self.canvas.context.set_paint(to_vello_color(color));
    }

    /// Fills and strokes a path in points.
    fn draw_path(&mut self, path: &BezPath, fill: Option<Color>, stroke: Option<&Stroke>) {
        self.canvas.context.set_transform(Affine::scale(self.scale));
        if let Some(fill) = fill {
            self.set_color(fill);
            self.canvas.context.fill_path(path);
        }
        if let Some(stroke) = stroke {
            self.set_color(stroke.color);
            self.canvas.context.set_stroke(to_kurbo_stroke(stroke));
            self.canvas.context.stroke_path(path);
        }
        self.canvas.context.reset_transform();
    }

    /// Draws a line. Horizontal and vertical solid lines with flat caps are rectangles on whole
    /// pixels, which are sharp and fast to fill. They are at least one pixel thick.
    fn draw_line(&mut self, from: Point, to: Point, stroke: &Stroke) {
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
            self.set_color(stroke.color);
            self.canvas.context.fill_rect(&rect);
            return;
        }
        self.draw_path(&Line::new(from, to).to_path(0.1), None, Some(stroke));
    }

    /// Draws dots: as stamps if they are many and no clip is open, otherwise as circles.
    fn draw_dots(&mut self, points: &[Point], radius: f64, fill: Color) {
        // Stamps write to the pixels directly and ignore clips.
        if points.len() < MIN_DOTS_TO_STAMP || self.open_clips > 0 {
            self.canvas.context.set_transform(Affine::scale(self.scale));
            self.set_color(fill);
            for point in points {
                self.canvas.context.fill_path(&Circle::new(*point, radius).to_path(0.02));
            }
            self.canvas.context.reset_transform();
            return;
        }
        self.flush();
        let (width, height) = (self.canvas.pixmap.width(), self.canvas.pixmap.height());
        let pixels = self.canvas.pixmap.data_as_u8_slice_mut();
        dot_stamps::blend_dots(pixels, (width, height), points, radius, self.scale, fill);
    }

    /// Blends a bitmap directly over the pixels, on whole pixels. Ignores clips.
    fn draw_image(&mut self, rect: Rect, bitmap: &Bitmap) {
        self.flush();
        let rect = snap_to_pixels(rect.scale_from_origin(self.scale));
        let size = (rect.width() as u32, rect.height() as u32);
        let image = bitmap.resampled(size.0, size.1);
        let (width, height) = (self.canvas.pixmap.width(), self.canvas.pixmap.height());
        let (row_length, left, top) = (usize::from(width), rect.x0 as i64, rect.y0 as i64);
        let pixels = self.canvas.pixmap.data_as_u8_slice_mut();
        for (index, source) in image.chunks_exact(4).enumerate() {
            let x = left + (index as u32 % size.0) as i64;
            let y = top + (index as u32 / size.0) as i64;
            if (0..i64::from(width)).contains(&x) && (0..i64::from(height)).contains(&y) {
                let offset = (y as usize * row_length + x as usize) * 4;
                let transparency = 255 - u16::from(source[3]);
                for (below, above) in pixels[offset..offset + 4].iter_mut().zip(source) {
                    let visible = (u16::from(*below) * transparency + 127) / 255;
                    *below = above.saturating_add(visible as u8);
                }
            }
        }
    }

    /// Draws the halo of a text, if it has one, and its glyphs above it.
    fn draw_text(&mut self, text: &Text) {
        let mut path = std::mem::take(&mut self.canvas.path);
        path.truncate(0);
        text.append_outline(&mut path);
        if let Some(halo) = text.halo {
            // As in the SVG: 3 points wide, half of it below the characters.
            self.draw_path(&path, None, Some(&Stroke::new(halo, 3.0)));
        }
        self.draw_path(&path, Some(text.color), None);
        self.canvas.path = path;
    }

    /// Renders the recorded commands over the pixels of the earlier layers.
    fn flush(&mut self) {
        let background = self.background.map_or(AlphaColor::TRANSPARENT, to_vello_color);
        let target_init =
            if self.has_layer { TargetInit::SrcOver } else { TargetInit::Clear(background) };
        let settings = RasterizerSettings { target_init, ..RasterizerSettings::default() };
        let canvas = &mut *self.canvas;
        canvas.context.flush();
        canvas.context.render_with(&mut canvas.pixmap, &mut canvas.resources, settings);
        canvas.context.reset();
        self.has_layer = true;
    }
}

/// Converts a color to the type of vello.
fn to_vello_color(color: Color) -> AlphaColor<Srgb> {
    AlphaColor::from_rgba8(color.r, color.g, color.b, color.a)
}

/// Converts a stroke to the type of kurbo, with round joins.
fn to_kurbo_stroke(stroke: &Stroke) -> kurbo::Stroke {
    let cap = if stroke.round { Cap::Round } else { Cap::Butt };
    let kurbo_stroke =
        kurbo::Stroke::new(stroke.width).with_caps(cap).with_join(kurbo::Join::Round);
    match stroke.dash {
        Some((dash, gap)) => kurbo_stroke.with_dashes(0.0, [dash, gap]),
        None => kurbo_stroke,
    }
}

/// Rounds a rectangle to whole pixels, at least one pixel wide and high.
fn snap_to_pixels(rect: Rect) -> Rect {
    let (x0, y0) = (rect.x0.round(), rect.y0.round());
    Rect::new(x0, y0, rect.x1.round().max(x0 + 1.0), rect.y1.round().max(y0 + 1.0))
}
