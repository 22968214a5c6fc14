//! The logo of the theme, in the head or on the line of the footer.

use kurbo::{Rect, Vec2};

use crate::Chart;
use crate::Scene;
use crate::frame::Look;
use crate::frame::look;
use crate::logo::{Art, Logo};
use crate::scene::Form;

/// Height in points on a canvas of 720 by 405.
const HEIGHT: f64 = 24.0;
/// Largest width as a share of that between the margins.
const WIDEST: f64 = 0.22;
/// A lower one shows nothing, in points.
const LOWEST: f64 = 6.0;
/// Space to what stands beside, under or above it, in points on a canvas of 720 by 405.
const GAP: f64 = 8.0;

/// Where the logo goes, before anything else has taken room.
pub struct Brand<'a> {
    logo: &'a Logo,
    rect: Rect,
    gap: f64,
}

impl<'a> Brand<'a> {
    /// None when there is no logo, it is hidden, or the canvas is too small for one.
    pub fn of(chart: &Chart<'a>, look: &Look, area: Rect) -> Option<Brand<'a>> {
        let logo = chart.theme.logo.as_ref()?;
        let least = if logo.top { look::SUBTITLE_FROM } else { look::FOOTER_FROM };
        if chart.style.no_branding || chart.height < least {
            return None;
        }
        let ratio = logo.ratio();
        let height = (HEIGHT * look.unit).min(area.width() * WIDEST / ratio);
        if height < LOWEST || !ratio.is_finite() {
            return None;
        }
        let width = height * ratio;
        let x = if logo.left { area.x0 } else { area.x1 - width };
        let y = if logo.top { area.y0 } else { area.y1 - height };
        let rect = Rect::new(x, y, x + width, y + height);
        Some(Brand { logo, rect, gap: GAP * look.unit })
    }

    /// What is left for the title beside it; it takes a row above one that begins where it does.
    pub fn head(&self, area: Rect) -> Rect {
        match (self.logo.top, self.logo.left) {
            (true, true) => Rect { y0: self.rect.y1 + self.gap, ..area },
            (true, false) => Rect { x1: self.rect.x0 - 2.0 * self.gap, ..area },
            _ => area,
        }
    }

    /// What is left for the footer beside it.
    pub fn foot(&self, area: Rect) -> Rect {
        match (self.logo.top, self.logo.left) {
            (false, true) => Rect { x0: self.rect.x1 + 2.0 * self.gap, ..area },
            (false, false) => Rect { x1: self.rect.x0 - 2.0 * self.gap, ..area },
            _ => area,
        }
    }

    /// What is left for the chart.
    pub fn rest(&self, area: Rect) -> Rect {
        match self.logo.top {
            true => Rect { y0: area.y0.max(self.rect.y1 + self.gap), ..area },
            false => Rect { y1: area.y1.min(self.rect.y0 - self.gap), ..area },
        }
    }

    /// Draws it.
    pub fn draw(&self, scene: &mut Scene) {
        match &self.logo.art {
            Art::Pixels(bitmap) => {
                scene.push(Form::Image { rect: self.rect, bitmap: bitmap.clone() });
            }
            Art::Outlines(ground) => {
                let size = self.rect.size();
                let forms = ground.forms(size.width, size.height);
                scene.push(Form::Clip(self.rect));
                for form in forms {
                    scene.push(moved(form, self.rect.origin().to_vec2()));
                }
                scene.push(Form::EndClip);
            }
        }
    }
}

fn moved(form: Form, by: Vec2) -> Form {
    match form {
        Form::Path { mut path, fill, stroke } => {
            path.apply_affine(kurbo::Affine::translate(by));
            Form::Path { path, fill, stroke }
        }
        other => other,
    }
}
