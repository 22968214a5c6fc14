//! The logo of the theme, beside the title or beside the footer.

use kurbo::{Rect, Vec2};

use crate::Chart;
use crate::Scene;
use crate::frame::style;
use crate::frame::style::ChartStyle;
use crate::logo::{Logo, LogoImage};
use crate::scene::Primitive;

/// Height of the logo in points on a canvas of 720 × 405.
const LOGO_HEIGHT: f64 = 24.0;
/// Maximum width of the logo as a share of the width between the margins, 0 to 1.
const MAX_WIDTH_SHARE: f64 = 0.22;
/// Minimum height of the logo in points. A smaller one is not legible and is omitted.
const MIN_LOGO_HEIGHT: f64 = 6.0;
/// Space around the logo in points on a canvas of 720 × 405.
const LOGO_GAP: f64 = 8.0;

/// The position of the logo on the canvas, decided before title and footer are placed.
pub struct LogoPlacement<'a> {
    logo: &'a Logo,
    /// Whether the canvas is mirrored afterwards.
    is_mirrored: bool,
    /// Whether the logo is on the left side of the canvas before it is mirrored.
    is_left: bool,
    rect: Rect,
    /// Space around the logo in points.
    gap: f64,
}

impl<'a> LogoPlacement<'a> {
    /// Places the logo in its corner of `area`, the canvas within the margins. Returns None if the
    /// theme has no logo, the document hides it, or the canvas or the logo is too small.
    pub fn new(chart: &Chart<'a>, style: &ChartStyle, area: Rect) -> Option<LogoPlacement<'a>> {
        let logo = chart.theme.logo.as_ref()?;
        let min_canvas_height =
            if logo.is_top { style::MIN_HEIGHT_FOR_SUBTITLE } else { style::MIN_HEIGHT_FOR_FOOTER };
        if chart.style.no_branding || chart.height < min_canvas_height {
            return None;
        }
        let ratio = logo.aspect_ratio();
        let height = (LOGO_HEIGHT * style.unit).min(area.width() * MAX_WIDTH_SHARE / ratio);
        if height < MIN_LOGO_HEIGHT || !ratio.is_finite() {
            return None;
        }
        let width = height * ratio;
        let is_mirrored = chart.is_right_to_left();
        let is_left = logo.is_left != is_mirrored;
        let x = if is_left { area.x0 } else { area.x1 - width };
        let y = if logo.is_top { area.y0 } else { area.y1 - height };
        let rect = Rect::new(x, y, x + width, y + height);
        Some(LogoPlacement { logo, is_mirrored, is_left, rect, gap: LOGO_GAP * style.unit })
    }

    /// Returns the part of `area` for the title: left of a logo at the top right, below a logo at
    /// the top left. All of `area` for a logo at the bottom. Sides are those before the canvas is
    /// mirrored.
    pub fn cut_title_area(&self, area: Rect) -> Rect {
        match (self.logo.is_top, self.is_left) {
            (true, true) => Rect { y0: self.rect.y1 + self.gap, ..area },
            (true, false) => Rect { x1: self.rect.x0 - 2.0 * self.gap, ..area },
            _ => area,
        }
    }

    /// Returns the part of `area` for the footer, beside a logo at the bottom. All of `area` for a
    /// logo at the top.
    pub fn cut_footer_area(&self, area: Rect) -> Rect {
        match (self.logo.is_top, self.is_left) {
            (false, true) => Rect { x0: self.rect.x1 + 2.0 * self.gap, ..area },
            (false, false) => Rect { x1: self.rect.x0 - 2.0 * self.gap, ..area },
            _ => area,
        }
    }

    /// Returns the part of `area` for the chart: below a logo at the top, above one at the bottom,
    /// with a gap. Its height can be negative.
    pub fn cut_chart_area(&self, area: Rect) -> Rect {
        match self.logo.is_top {
            true => Rect { y0: area.y0.max(self.rect.y1 + self.gap), ..area },
            false => Rect { y1: area.y1.min(self.rect.y0 - self.gap), ..area },
        }
    }

    /// Draws the logo at its place. If the canvas is mirrored afterwards, draws it mirrored, so
    /// that the finished image shows it in its own direction.
    pub fn draw(&self, scene: &mut Scene) {
        let first_shape = scene.shapes.len();
        match &self.logo.image {
            LogoImage::Bitmap(bitmap) => {
                scene.push(Primitive::Image { rect: self.rect, bitmap: bitmap.clone() });
            }
            LogoImage::Vector(drawing) => {
                let size = self.rect.size();
                let primitives = drawing.covering_primitives(size.width, size.height);
                scene.push(Primitive::BeginClip(self.rect));
                for primitive in primitives {
                    scene.push(translate_path(primitive, self.rect.origin().to_vec2()));
                }
                scene.push(Primitive::EndClip);
            }
        }
        if self.is_mirrored {
            // The drawing itself must not be mirrored.
            scene.mirror(first_shape, self.rect.x0 + self.rect.x1);
        }
    }
}

/// Moves a path by `offset` points. Returns other primitives unchanged, because vector logos
/// consist of paths only.
fn translate_path(primitive: Primitive, offset: Vec2) -> Primitive {
    match primitive {
        Primitive::Path { mut path, fill, stroke } => {
            path.apply_affine(kurbo::Affine::translate(offset));
            Primitive::Path { path, fill, stroke }
        }
        other => other,
    }
}
