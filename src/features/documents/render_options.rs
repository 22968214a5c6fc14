//! Options of a rendered image.

use super::download_token::OutputFormat;
use super::rules;
use chartroom_charts::svg::TextMode;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Default number of pixels per point of a PNG, for high-density screens.
const DEFAULT_SCALE: f64 = 2.0;

/// Options of a rendered image.
#[derive(Debug, Clone)]
pub struct RenderOptions {
    /// Width in points. `None` uses that of the document.
    pub width: Option<f64>,
    /// Height in points. `None` uses that of the document.
    pub height: Option<f64>,
    /// Pixels per point of a PNG, 0.5 to 4.
    pub scale: f64,
    /// Whether the background is omitted.
    pub transparent: bool,
    /// Name of a theme that overrides the document's theme.
    pub theme: Option<String>,
    /// Whether marks have the attributes `data-part`, `data-row` and `data-field` for pointer
    /// events. Always true for HTML.
    pub interactive: bool,
    /// Representation of text in SVG and HTML.
    pub text: TextMode,
}

impl Default for RenderOptions {
    /// Returns the options for the size and theme of the document, with background, the default
    /// scale and text elements, and without interaction.
    fn default() -> Self {
        Self {
            width: None,
            height: None,
            scale: DEFAULT_SCALE,
            transparent: false,
            theme: None,
            interactive: false,
            text: TextMode::Letters,
        }
    }
}

impl RenderOptions {
    /// Checks sizes, scale and theme, and returns the options for an image in `format`.
    ///
    /// Rounds width and height to whole points and the scale to hundredths, so that nearly equal
    /// requests share one cached image. An SVG, HTML page or PDF has the default scale, because it
    /// has no pixels.
    ///
    /// # Errors
    /// `InvalidFields` with the name of the query parameter.
    pub fn normalize(self, format: OutputFormat) -> Result<Self> {
        for (name, side) in [("width", self.width), ("height", self.height)] {
            if let Some(side) = side {
                rules::check_side(name, side)?;
            }
        }
        if !(0.5..=4.0).contains(&self.scale) {
            return Err(Error::invalid_field("scale", "must be from 0.5 to 4"));
        }
        self.theme.as_deref().map_or(Ok(()), |theme| rules::check_theme("theme", theme))?;
        Ok(Self {
            width: self.width.map(f64::round),
            height: self.height.map(f64::round),
            scale: match format {
                OutputFormat::Png => (self.scale * 100.0).round() / 100.0,
                OutputFormat::Svg | OutputFormat::Html | OutputFormat::Pdf => DEFAULT_SCALE,
            },
            ..self
        })
    }
}
