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

pub use actions::check_content;
pub use actions::delete_asset;
pub use actions::find_asset;
pub use actions::put_asset;
pub use content::AssetContent;
pub use content::IMAGE_MEMORY_BYTES;
pub use http::asset_url;
pub use http::encode_filename;
pub use http::list_uses;
pub use rules::AssetType;
pub use rules::MAX_ASSET_BYTES;
pub use rules::MAX_ASSETS;
pub use rules::normalize_filename;
pub use rules::parse_filename;
pub use store::Asset;
pub use store::list_assets;
pub use store::read_body;
pub use svg_sanitizer::sanitize_svg;
