//! Link annotations of the page, and their elements in the structure for screen readers.

use std::sync::Arc;

use kurbo::Rect;
use pdf_writer::Finish;
use pdf_writer::Pdf;
use pdf_writer::Ref;
use pdf_writer::Str;
use pdf_writer::TextStr;
use pdf_writer::types::{ActionType, AnnotationFlags, AnnotationType, StructRole};

use crate::pdf::values::to_number;

/// A part of the page that leads to an address.
pub struct PageLink {
    /// Address with a scheme that [`wrap_markup`](crate::text::wrap_markup) permits.
    pub address: Arc<str>,
    /// Text of the link.
    pub text: String,
    /// Bounds in points, as in the scene. None without a shape.
    pub bounds: Option<Rect>,
}

impl PageLink {
    /// Starts a link without a shape.
    pub fn new(address: &Arc<str>) -> PageLink {
        PageLink { address: address.clone(), text: String::new(), bounds: None }
    }

    /// Extends the link by a text.
    pub fn add(&mut self, text: &str, bounds: Rect) {
        self.text.push_str(text);
        self.bounds = Some(self.bounds.map_or(bounds, |known| known.union(bounds)));
    }
}

/// References of the objects of a link.
pub struct LinkRefs {
    pub annotation: Ref,
    /// Element of the structure.
    pub element: Ref,
}

/// Writes the annotation and the structure element of each link with bounds. `height` is that of the page
/// in points, and `parent` is the element of the structure around all others. The key of a link in the
/// parent tree is its index plus 1.
pub fn write(
    links: &[PageLink],
    height: f64,
    (page, parent): (Ref, Ref),
    pdf: &mut Pdf,
    next: &mut Ref,
) -> Vec<LinkRefs> {
    let mut all = Vec::new();
    for (link, bounds) in links.iter().filter_map(|link| Some((link, link.bounds?))) {
        let refs = LinkRefs { annotation: next.bump(), element: next.bump() };
        let (left, right) = (to_number(bounds.x0), to_number(bounds.x1));
        let (bottom, top) = (to_number(height - bounds.y1), to_number(height - bounds.y0));
        let mut annotation = pdf.annotation(refs.annotation);
        annotation.subtype(AnnotationType::Link);
        annotation.rect(pdf_writer::Rect::new(left, bottom, right, top));
        annotation.border(0.0, 0.0, 0.0, None).flags(AnnotationFlags::PRINT);
        annotation.contents(TextStr(&link.text)).struct_parent(all.len() as i32 + 1);
        let address = to_ascii(&link.address);
        annotation.action().action_type(ActionType::Uri).uri(Str(address.as_bytes()));
        annotation.finish();
        let mut element = pdf.struct_element(refs.element);
        element.kind(StructRole::Link).parent(parent).page(page).alt(TextStr(&link.text));
        element.object_child().object(refs.annotation);
        element.finish();
        all.push(refs);
    }
    all
}

/// Returns an address with percent encoding in place of characters beyond ASCII, which an address of a PDF
/// cannot contain.
fn to_ascii(address: &str) -> String {
    let encode = |byte: u8| match byte.is_ascii() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    address.bytes().map(encode).collect()
}
