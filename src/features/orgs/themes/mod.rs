//! Themes of organizations: colors, fonts, background and logo that their charts share.
//!
//! A document names a theme as `{org id}/{name}`. An account may use the themes of an organization
//! if it is the organization or one of its members. A document uses a theme with the rights of its
//! owner, so that everybody who may see the document sees it in its theme, and nobody sees the theme
//! of a foreign organization by naming it.

mod actions;
mod contrast;
pub mod http;
mod org_theme;
mod rules;
mod store;
mod theme_assets;

pub use actions::CheckedTheme;
pub use actions::ThemeWarnings;
pub use actions::create_theme;
pub use actions::delete_theme;
pub use actions::find_loaded_warnings;
pub use actions::find_logo_colors;
pub use actions::find_theme;
pub use actions::find_warnings;
pub use actions::list_themes;
pub use actions::load_theme;
pub use actions::theme_id;
pub use actions::update_theme;
pub use contrast::ContrastProblem;
pub use contrast::ThemeColor;
pub use contrast::find_contrast_problems;
pub use http::ThemeBody;
pub use http::ThemeView;
pub use org_theme::LoadedTheme;
pub use org_theme::OrgTheme;
pub use org_theme::find_usable_theme;
pub use org_theme::fingerprint_account;
pub use org_theme::has_fonts;
pub use rules::LOGO_POSITIONS;
pub use rules::MAX_COLORS;
pub use rules::MAX_THEMES;
pub use rules::ThemeFields;
pub use rules::ThemeFont;
pub use rules::ThemeFonts;
pub use rules::is_theme_id;
pub use rules::missing_theme_message;
pub use rules::parse_theme_name;
pub use store::StoredTheme;
pub use store::ThemeReferences;
pub use store::find_content;
pub use store::list_references;
