//! QR codes as SVG images.

use std::fmt::Write;

use qrcode::Color;
use qrcode::EcLevel;
use qrcode::QrCode;

use crate::error::Error;
use crate::error::Result;

/// Width of the quiet zone in modules (ISO/IEC 18004).
const QUIET_ZONE_MODULES: usize = 4;

/// Returns the QR code of a text as SVG, black on white, with the quiet zone around it.
///
/// A module is one unit wide. The SVG has no width and height, so that the page sets its size. Uses
/// error correction level M (15 %), because screens are clean and a lower level keeps the modules
/// large enough to scan from a distance.
///
/// # Errors
/// If the text is too long for a QR code.
pub fn render_svg(text: &str) -> Result<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M)
        .map_err(|error| Error::internal(format!("cannot create the QR code: {error}")))?;
    let (width, colors) = (code.width(), code.to_colors());
    let side = width + 2 * QUIET_ZONE_MODULES;
    let mut path = String::new();
    for (row, modules) in colors.chunks(width).enumerate() {
        let mut column = 0;
        for run in modules.chunk_by(|module, next| module == next) {
            if run.first() == Some(&Color::Dark) {
                let (x, y, length) =
                    (column + QUIET_ZONE_MODULES, row + QUIET_ZONE_MODULES, run.len());
                // Writing to a String cannot fail.
                let _ = write!(path, "M{x} {y}h{length}v1h-{length}z");
            }
            column += run.len();
        }
    }
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" \
         shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h{side}v{side}h-{side}z\"/>\
         <path fill=\"#000\" d=\"{path}\"/></svg>"
    ))
}
