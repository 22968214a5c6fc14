//! The catalogue of chart kinds (texts, search, samples, favorites, reviews), the built-in themes,
//! and the fonts.
//!
//! Routes: `/portfolio…`, `/widgets/…`. Tables: `favorite`, `review`.
//!
//! The catalogue is embedded from the folders `assets/kinds` and `assets/themes`.
//! [`check_catalogue`] compares it at startup with the kinds that can be rendered. Further fonts
//! come from the data directory.

mod actions;
mod catalogue;
mod font_file;
mod fonts;
pub mod http;
mod kind_texts;
mod rules;
mod setting_ui;
mod settings;
mod store;
mod synonyms;
mod system_fonts;
mod theme_fonts;
mod themes;
mod view;

pub use catalogue::Column;
pub use catalogue::ColumnType;
pub use catalogue::KindInfo;
pub use catalogue::TableFit;
pub use catalogue::TableProperty;
pub use catalogue::check_catalogue;
pub use catalogue::find_kind;
pub use catalogue::kinds;
pub use catalogue::localized_kinds;
pub use fonts::fonts;
pub use fonts::fonts_fingerprint;
pub use fonts::list_scripts_without_font;
pub use fonts::load_fonts;
pub use settings::validate_settings;
pub use theme_fonts::MAX_THEME_FONT_BYTES;
pub use theme_fonts::decode_font;
pub use theme_fonts::find_theme_font;
pub use theme_fonts::is_theme_font_refused;
pub use theme_fonts::load_theme_font;
pub use themes::BuiltinTheme;
pub use themes::DEFAULT_THEME;
pub use themes::find_theme;
pub use view::FavoritesAndRatings;
pub use view::Plugin;
pub use view::build_plugin;
