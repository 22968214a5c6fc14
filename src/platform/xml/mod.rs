//! Strict XML parsing, exclusive canonicalization and verification of XML signatures.
//!
//! Everything here reads documents of strangers. It knows no product and no protocol: callers pass
//! the names of elements and attributes.

mod c14n;
mod lexical;
mod signature;
mod tree;
mod xml_error;

pub use c14n::canonicalize;
pub use c14n::escape_attribute;
pub use signature::DSIG_NAMESPACE;
pub use signature::KeyError;
pub use signature::RSA_KEY_BITS;
pub use signature::RsaPublicKey;
pub use signature::check_ids;
pub use signature::verify_enveloped;
pub use tree::XmlText;
pub use tree::element_children;
pub use tree::text_content;
pub use xml_error::XmlError;
