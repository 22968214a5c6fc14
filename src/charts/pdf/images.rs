//! The bitmaps of a page.

use std::sync::Arc;

use pdf_writer::Filter;
use pdf_writer::Finish;
use pdf_writer::Pdf;
use pdf_writer::Ref;

use crate::bitmap::Bitmap;
use crate::pdf::values::compress;

/// The bitmaps that a page shows, each once.
#[derive(Default)]
pub struct PageImages {
    bitmaps: Vec<Arc<Bitmap>>,
}

impl PageImages {
    /// Adds a bitmap unless it is known. Returns its name.
    pub fn add(&mut self, bitmap: &Arc<Bitmap>) -> String {
        let known = self.bitmaps.iter().position(|known| Arc::ptr_eq(known, bitmap));
        image_name(known.unwrap_or_else(|| {
            self.bitmaps.push(bitmap.clone());
            self.bitmaps.len() - 1
        }))
    }

    /// Writes the objects of all bitmaps. Returns their names and references.
    pub fn write(&self, pdf: &mut Pdf, next: &mut Ref) -> Vec<(String, Ref)> {
        let bitmaps = self.bitmaps.iter().enumerate();
        bitmaps.map(|(index, bitmap)| (image_name(index), write_image(bitmap, pdf, next))).collect()
    }
}

/// Returns the name of the bitmap with an index.
fn image_name(index: usize) -> String {
    format!("I{index}")
}

/// Writes a bitmap as its colors, and its opacity as a mask unless it is opaque. Returns its reference.
fn write_image(bitmap: &Bitmap, pdf: &mut Pdf, next: &mut Ref) -> Ref {
    let (width, height) = (bitmap.width as i32, bitmap.height as i32);
    let colors: Vec<u8> = bitmap.pixels.chunks_exact(4).flat_map(unpremultiply).collect();
    let alphas: Vec<u8> = bitmap.pixels.chunks_exact(4).map(|pixel| pixel[3]).collect();
    let is_opaque = alphas.iter().all(|alpha| *alpha == 255);
    let mask_id = (!is_opaque).then(|| next.bump());
    if let Some(mask_id) = mask_id {
        let data = compress(&alphas);
        let mut mask = pdf.image_xobject(mask_id, &data);
        mask.filter(Filter::FlateDecode);
        mask.width(width).height(height).bits_per_component(8).interpolate(true);
        mask.color_space().device_gray();
        mask.finish();
    }
    let id = next.bump();
    let data = compress(&colors);
    let mut image = pdf.image_xobject(id, &data);
    image.filter(Filter::FlateDecode);
    image.width(width).height(height).bits_per_component(8).interpolate(true);
    image.color_space().device_rgb();
    if let Some(mask_id) = mask_id {
        image.s_mask(mask_id);
    }
    image.finish();
    id
}

/// Returns red, green and blue of a premultiplied RGBA pixel.
fn unpremultiply(pixel: &[u8]) -> [u8; 3] {
    let alpha = u16::from(pixel[3]);
    let divide = |channel: u8| {
        let value = (u16::from(channel) * 255 + alpha / 2).checked_div(alpha).unwrap_or(0);
        value.min(255) as u8
    };
    [divide(pixel[0]), divide(pixel[1]), divide(pixel[2])]
}
