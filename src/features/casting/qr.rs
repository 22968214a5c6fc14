//! QR codes as pictures.

use std::fmt::Write;

use qrcode::Color;
use qrcode::EcLevel;
use qrcode::QrCode;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Modules of white around a code that readers need (ISO/IEC 18004).
const QUIET: usize = 4;

/// The QR code of a text, black on white, a unit a module. A screen is read across a room, undisturbed
/// by dirt: the second of the four levels of correction keeps the modules large.
///
/// # Errors
/// When the text is longer than the largest code holds.
pub fn svg(text: &str) -> Result<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M)
        .map_err(|error| Error::internal(format!("no QR code: {error}")))?;
    let (width, colors) = (code.width(), code.to_colors());
    let side = width + 2 * QUIET;
    let mut path = String::new();
    for (row, modules) in colors.chunks(width).enumerate() {
        let mut at = 0;
        for run in modules.chunk_by(|one, other| one == other) {
            if run.first() == Some(&Color::Dark) {
                let (x, y, long) = (at + QUIET, row + QUIET, run.len());
                // Writing to a text cannot fail.
                let _ = write!(path, "M{x} {y}h{long}v1h-{long}z");
            }
            at += run.len();
        }
    }
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" \
         shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h{side}v{side}h-{side}z\"/>\
         <path fill=\"#000\" d=\"{path}\"/></svg>"
    ))
}
