//! Conversions to values of PDF objects.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use kurbo::{Affine, Point};

use crate::scene::Text;

/// Rounds a coordinate or length in points to two decimals, as the SVG writer does. Numbers that are not
/// finite become 0, because a PDF cannot contain them.
pub fn to_number(points: f64) -> f32 {
    let rounded = (points * 100.0).round() / 100.0;
    // Adding 0 turns -0 into 0.
    if rounded.is_finite() { rounded.clamp(-1e6, 1e6) as f32 + 0.0 } else { 0.0 }
}

/// Returns the matrix that places a text: rotated about its anchor point, with letters upright although
/// the y axis points down.
pub fn text_matrix(text: &Text, start: f64) -> [f32; 6] {
    let rotation = Affine::translate((text.x, text.y)) * Affine::rotate(text.angle.to_radians());
    let [a, b, c, d, ..] = rotation.as_coeffs();
    let origin = rotation * Point::new(start, 0.0);
    let direction = |value: f64| match value.is_finite() {
        // Adding 0 turns -0 into 0.
        true => (value * 1e5).round() as f32 / 1e5 + 0.0,
        false => 0.0,
    };
    let [a, b, c, d] = [a, b, -c, -d].map(direction);
    [a, b, c, d, to_number(origin.x), to_number(origin.y)]
}

/// Compresses the content of a stream. The level is fixed, so that equal scenes give equal bytes.
pub fn compress(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(data.len() / 2), Compression::new(6));
    encoder.write_all(data).and_then(|()| encoder.finish()).expect("writing to memory cannot fail")
}
