//! Assets: images and fonts of an organization, which its themes use by name.
//!
//! They are stored in the database, so that one backup contains everything. The content of a file
//! decides about its type, not its name. SVG is stored without unsafe content.

mod actions;
mod content;
pub mod http;
mod rules;
mod store;
mod svg_sanitizer;

pub use content::IMAGE_MEMORY_BYTES;
pub use rules::AssetType;
pub use rules::normalize_filename;
pub use rules::parse_filename;
pub use store::Asset;
pub use store::list_assets;
pub use store::read_body;
pub use svg_sanitizer::sanitize_svg;
