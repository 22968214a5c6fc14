//! Rasterization of a scene. Only this file generates coverage, with `vello_common`.

use std::time::Duration;

use kurbo::{Affine, BezPath, Cap, Circle, Line, Point, Rect, Shape};
use vello_common::fearless_simd::Level;
use vello_common::peniko::Fill;
use vello_common::strip_generator::{StripGenerator, StripStorage};

use crate::bitmap::Bitmap;
use crate::color::Color;
use crate::png::dot_stamps;
use crate::png::glyph_masks::GlyphMasks;
use crate::png::line_coverage::LineCoverage;
use crate::png::pool::Pool;
use crate::png::surface::{PixelRect, Pixels, Surface};
use crate::scene::{PlacedGlyph, Primitive, Scene, Stroke, Text};
use crate::shape::curve;
use crate::shape::curve::Interpolation;
use crate::time_limit;

/// Minimum number of dots that are stamped instead of drawn as circles.
const MIN_DOTS_TO_STAMP: usize = 200;

/// Reusable buffers. Creating them takes longer than drawing.
struct Canvas {
    generator: StripGenerator,
    strips: StripStorage,
    surface: Surface,
    glyphs: GlyphMasks,
    lines: LineCoverage,
    path: BezPath,
    points: Vec<Point>,
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

/// Frees the canvases that no image has used for `time`.
pub fn release_idle_canvases(time: Duration) {
    SMALL_CANVASES.drop_idle(time);
    LARGE_CANVASES.drop_idle(time);
}

/// Draws a scene at `scale` pixels per point, passes the pixels to `use_pixels` and returns its
/// result. `(width, height)` is the size of the image in pixels, to which the scene is not scaled.
///
/// `transparent` leaves out the background and its shapes.
pub fn rasterize<T>(
    scene: &Scene,
    (width, height): (u16, u16),
    scale: f64,
    transparent: bool,
    use_pixels: impl FnOnce(Pixels) -> T,
) -> T {
    let pixels = usize::from(width) * usize::from(height);
    let pool = if pixels <= MAX_SMALL_PIXELS { &SMALL_CANVASES } else { &LARGE_CANVASES };
    let mut canvas = pool.acquire().unwrap_or_else(|| Canvas {
        generator: StripGenerator::new(width, height, Level::new()),
        strips: StripStorage::default(),
        surface: Surface::default(),
        glyphs: GlyphMasks::new(),
        lines: LineCoverage::default(),
        path: BezPath::new(),
        points: Vec::new(),
    });
    canvas.generator.reset(width, height);
    canvas.surface.reset((width, height), (!transparent).then_some(scene.background));
    Painter { canvas: &mut canvas, scale }.draw_scene(scene, !transparent);
    let result = use_pixels(canvas.surface.pixels());
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
}

impl Painter<'_> {
    /// Draws the background shapes (if there is a background) and all shapes of a scene.
    fn draw_scene(&mut self, scene: &Scene, has_background: bool) {
        if has_background {
            scene.background_shapes.iter().for_each(|primitive| self.draw_primitive(primitive));
        }
        for shape in &scene.shapes {
            self.draw_primitive(&shape.primitive);
        }
    }

    /// Draws a primitive over those drawn before, or begins or ends a clip. Square-cornered
    /// rectangles, images and clips are rounded to whole pixels, at least one.
    fn draw_primitive(&mut self, primitive: &Primitive) {
        time_limit::check();
        match primitive {
            Primitive::Rect { rect, radius, fill } if *radius > 0.0 => {
                let rounded =
                    rect.scale_from_origin(self.scale).to_rounded_rect(radius * self.scale);
                self.fill_path(&rounded.to_path(0.1), Affine::IDENTITY, *fill);
            }
            Primitive::Rect { rect, fill, .. } => {
                let rect = snap_to_pixels(rect.scale_from_origin(self.scale));
                self.canvas.surface.fill_rect(rect, *fill);
            }
            Primitive::Line { from, to, stroke } => self.draw_line(*from, *to, stroke),
            Primitive::Circle { center, radius, fill, stroke } => {
                let path = Circle::new(*center, *radius).to_path(0.02);
                self.draw_path(&path, *fill, stroke.as_ref());
            }
            Primitive::Path { path, fill, stroke } => self.draw_path(path, *fill, stroke.as_ref()),
            Primitive::Polyline { points, stroke } => self.draw_polyline(points, stroke),
            Primitive::Dots { points, radius, fill } => self.draw_dots(points, *radius, *fill),
            Primitive::Text(text) => self.draw_text(text),
            Primitive::Image { rect, bitmap } => self.draw_image(*rect, bitmap),
            Primitive::BeginClip(rect) => {
                let rect = snap_to_pixels(rect.scale_from_origin(self.scale));
                self.canvas.surface.begin_clip(rect);
            }
            Primitive::EndClip => self.canvas.surface.end_clip(),
            Primitive::BeginLink(_) | Primitive::EndLink => {}
        }
    }

    /// Fills a path in points, and then strokes it. Leaves out the part that is None.
    fn draw_path(&mut self, path: &BezPath, fill: Option<Color>, stroke: Option<&Stroke>) {
        let transform = Affine::scale(self.scale);
        if let Some(fill) = fill {
            self.fill_path(path, transform, fill);
        }
        if let Some(stroke) = stroke {
            let Canvas { generator, strips, surface, .. } = &mut *self.canvas;
            strips.clear();
            generator.generate_stroked_path(
                path,
                &to_kurbo_stroke(stroke),
                transform,
                None,
                strips,
                None,
            );
            surface.fill_strips(strips, stroke.color);
        }
    }

    /// Fills a path with the nonzero rule. `transform` maps its coordinates to pixels.
    fn fill_path(&mut self, path: &BezPath, transform: Affine, fill: Color) {
        let Canvas { generator, strips, surface, .. } = &mut *self.canvas;
        strips.clear();
        generator.generate_filled_path(path, Fill::NonZero, transform, None, strips, None);
        surface.fill_strips(strips, fill);
    }

    /// Draws a line. Horizontal and vertical solid lines with flat caps are rectangles on whole
    /// pixels, which are sharp and fast to fill. They are at least one pixel thick. Other lines are
    /// antialiased.
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
            self.canvas.surface.fill_rect(to_pixel_rect(rect), stroke.color);
            return;
        }
        self.draw_path(&Line::new(from, to).to_path(0.1), None, Some(stroke));
    }

    /// Draws straight lines between `points`, which are in points of the canvas. A solid line with
    /// round caps is drawn by its coverage, and any other one as a stroked path.
    fn draw_polyline(&mut self, points: &[Point], stroke: &Stroke) {
        let Canvas { surface, lines, path, points: pixels, .. } = &mut *self.canvas;
        if stroke.dash.is_none() && stroke.round {
            pixels.clear();
            pixels.extend(points.iter().map(|point| (point.to_vec2() * self.scale).to_point()));
            return lines.draw(surface, pixels, stroke.width * self.scale, stroke.color);
        }
        let mut path = std::mem::take(path);
        path.truncate(0);
        curve::append_curve(&mut path, points, Interpolation::Linear, true);
        self.draw_path(&path, None, Some(stroke));
        self.canvas.path = path;
    }

    /// Draws filled dots: as stamps from `MIN_DOTS_TO_STAMP` dots on, otherwise as circles.
    /// `radius` is in points.
    fn draw_dots(&mut self, points: &[Point], radius: f64, fill: Color) {
        if points.len() >= MIN_DOTS_TO_STAMP {
            dot_stamps::draw_dots(&mut self.canvas.surface, points, radius, self.scale, fill);
            return;
        }
        for point in points {
            let path = Circle::new(*point, radius).to_path(0.02);
            self.fill_path(&path, Affine::scale(self.scale), fill);
        }
    }

    /// Draws a bitmap, resampled to the rectangle, which is rounded to whole pixels.
    fn draw_image(&mut self, rect: Rect, bitmap: &Bitmap) {
        let rect = snap_to_pixels(rect.scale_from_origin(self.scale));
        let image = bitmap.resampled((rect.x1 - rect.x0) as u32, (rect.y1 - rect.y0) as u32);
        self.canvas.surface.draw_pixels(rect, &image);
    }

    /// Draws the halo of a text, if it has one, and its glyphs above it. Only an opaque horizontal
    /// text without a halo is drawn glyph by glyph, others as one outline.
    fn draw_text(&mut self, text: &Text) {
        // The glyphs of a word may overlap, which shows if they are translucent.
        if text.halo.is_none() && text.angle == 0.0 && text.color.a == 255 {
            return self.draw_glyphs(text);
        }
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

    /// Draws the glyphs of a horizontal text one by one without its halo: from cached masks, or as
    /// filled paths if they are too large for a mask.
    fn draw_glyphs(&mut self, text: &Text) {
        let size = text.size * self.scale;
        for PlacedGlyph { outline, x, y } in text.placed_glyphs() {
            let origin = Point::new((text.x + x) * self.scale, (text.y + y) * self.scale);
            let Canvas { glyphs, surface, .. } = &mut *self.canvas;
            if !glyphs.draw(surface, outline, origin, size, text.color) {
                let transform = Affine::translate(origin.to_vec2()) * Affine::scale(size);
                self.fill_path(outline, transform, text.color);
            }
        }
    }
}

/// Converts a stroke to the type of kurbo, with round joins. Lengths stay in points.
fn to_kurbo_stroke(stroke: &Stroke) -> kurbo::Stroke {
    let cap = if stroke.round { Cap::Round } else { Cap::Butt };
    let kurbo_stroke =
        kurbo::Stroke::new(stroke.width).with_caps(cap).with_join(kurbo::Join::Round);
    match stroke.dash {
        Some((dash, gap)) => kurbo_stroke.with_dashes(0.0, [dash, gap]),
        None => kurbo_stroke,
    }
}

/// Rounds the edges of a rectangle in pixels to whole pixels, at least one pixel wide and high.
fn snap_to_pixels(rect: Rect) -> PixelRect {
    let (x0, y0) = (rect.x0.round(), rect.y0.round());
    to_pixel_rect(Rect::new(x0, y0, rect.x1.round().max(x0 + 1.0), rect.y1.round().max(y0 + 1.0)))
}

/// Converts a rectangle with whole coordinates in pixels. Does not round.
fn to_pixel_rect(rect: Rect) -> PixelRect {
    PixelRect { x0: rect.x0 as i64, y0: rect.y0 as i64, x1: rect.x1 as i64, y1: rect.y1 as i64 }
}
