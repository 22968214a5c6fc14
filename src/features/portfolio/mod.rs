//! The chart kinds as a catalogue: texts, search, samples, favorites, reviews; and the built-in
//! themes.
//!
//! Routes: `/portfolio…`, `/widgets/…`. Tables: `favorite`, `review`. The catalogue itself is the
//! embedded folders `assets/kinds` and `assets/themes`, beside the fonts of the data directory; [`check`] compares them with what can be
//! drawn when the server starts.

mod catalogue;
mod fonts;
pub mod http;
mod rules;
mod settings;
mod store;
mod themes;
mod view;

pub use catalogue::Column;
pub use catalogue::ColumnType;
pub use catalogue::KindInfo;
pub use catalogue::check;
pub use catalogue::find;
pub use catalogue::kinds;
pub use fonts::fonts;
pub use fonts::fonts_mark;
pub use fonts::load_fonts;
pub use settings::problems;
pub use themes::BuiltinTheme;
pub use themes::DEFAULT_THEME;
pub use themes::theme;
pub use view::Opinions;
pub use view::Plugin;
pub use view::plugin;
