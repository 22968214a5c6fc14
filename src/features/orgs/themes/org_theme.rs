//! Themes of organizations, ready for rendering.

use std::sync::Arc;
use std::sync::OnceLock;

use serde_json::Value;

use super::rules;
use super::store;
use super::theme_assets;
use crate::app::App;
use crate::features::orgs::assets;
use crate::features::orgs::assets::Asset;
use crate::features::orgs::store as orgs;
use crate::features::portfolio;
use chartroom_charts::Theme;
use chartroom_charts::ThemeResources;
use chartroom_charts::bitmap::Bitmap;
use chartroom_charts::text::Font;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// A theme of an organization and the assets that it names.
#[derive(Debug, Clone)]
pub struct OrgTheme {
    org: AccountId,
    /// JSON object with all fields.
    content: String,
    /// Asset that the theme names as its logo, if it exists and is no font.
    logo: Option<Asset>,
    /// Font files that texts in the families of the theme use.
    fonts: Vec<FontFile>,
}

/// A font file of a theme.
#[derive(Debug, Clone)]
struct FontFile {
    asset: Asset,
    /// Whether the file would take too much memory, so that the theme is rendered without it.
    is_refused: bool,
}

/// A theme of an organization with its logo. Its fonts are loaded before rendering.
#[derive(Debug, Clone)]
pub struct LoadedTheme {
    org: AccountId,
    value: Value,
    logo: Option<Vec<u8>>,
    fonts: Vec<FontFile>,
    fingerprint: Sha256Hash,
    /// The theme after the first use. Clones share it, because decoding the logo takes long.
    parsed: Arc<OnceLock<Theme>>,
}

/// Returns the theme with the id `{org id}/{name}` if it exists and `account` may use it. None for
/// any other text. An account may use the themes of an organization if it is the organization or
/// one of its members.
pub fn find_usable_theme(tx: &Tx<'_>, account: &AccountId, id: &str) -> Result<Option<OrgTheme>> {
    let Some((org, name)) = id.split_once('/').filter(|_| rules::is_theme_id(id)) else {
        return Ok(None);
    };
    let Some(org) = orgs::find_org(tx, org)? else { return Ok(None) };
    if org.id != *account && orgs::find_role(tx, &org.id, account)?.is_none() {
        return Ok(None);
    }
    let Some(content) = store::find_content(tx, &org.id, name)? else { return Ok(None) };
    OrgTheme::new(tx, &org.id, content).map(Some)
}

/// Returns a hash that changes with any theme and any asset that `account` may use.
pub fn fingerprint_account(tx: &Tx<'_>, account: &AccountId) -> Result<Sha256Hash> {
    let mut state = Vec::new();
    for org in &list_usable_orgs(tx, account)? {
        for theme in store::list_themes(tx, org)? {
            let part = format!("{org}/{} {}\n", theme.name, theme.content);
            state.extend(crypto::sha256(part.as_bytes()));
        }
        for asset in assets::list_assets(tx, org)? {
            let part = format!("{org}/{} {:?}\n", asset.filename, asset.hash);
            state.extend(crypto::sha256(part.as_bytes()));
        }
    }
    Ok(crypto::sha256(&state))
}

/// Returns whether a theme that `account` may use can have fonts that viewers do not have.
pub fn has_fonts(tx: &Tx<'_>, account: &AccountId) -> Result<bool> {
    for org in &list_usable_orgs(tx, account)? {
        if assets::list_assets(tx, org)?.iter().any(|asset| asset.asset_type.is_font()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the accounts with themes that `account` may use: itself and its organizations.
fn list_usable_orgs(tx: &Tx<'_>, account: &AccountId) -> Result<Vec<AccountId>> {
    let memberships = orgs::list_memberships(tx, account)?.into_iter();
    Ok(memberships.map(|member| member.org.id).chain([account.clone()]).collect())
}

impl OrgTheme {
    /// Finds the assets that the content of a theme names.
    pub(super) fn new(tx: &Tx<'_>, org: &AccountId, content: String) -> Result<Self> {
        let value: Value = serde_json::from_str(&content)?;
        let assets = assets::list_assets(tx, org)?;
        let to_file = |asset: &Asset| FontFile {
            is_refused: portfolio::is_theme_font_refused(org.as_str(), &asset.hash),
            asset: asset.clone(),
        };
        let fonts = theme_assets::choose_fonts(&assets, &value["fonts"]);
        let fonts = fonts.into_iter().map(to_file).collect();
        let logo = theme_assets::find_logo(&assets, &value).cloned();
        Ok(Self { org: org.clone(), content, logo, fonts })
    }

    /// Returns a hash of everything that determines how the theme looks.
    pub fn fingerprint(&self) -> Sha256Hash {
        let mut state = crypto::sha256(self.content.as_bytes()).to_vec();
        self.logo.iter().for_each(|asset| state.extend(asset.hash));
        // A missing logo and a missing font differ.
        state.push(b'/');
        for font in &self.fonts {
            state.extend(font.asset.hash);
            state.push(u8::from(font.is_refused));
        }
        crypto::sha256(&state)
    }

    /// Returns whether the theme has fonts that viewers do not have.
    pub fn has_fonts(&self) -> bool {
        !self.fonts.is_empty()
    }

    /// Parses the theme without its logo and fonts, for its colors and its background.
    ///
    /// # Errors
    /// `Internal` if the stored content is not JSON.
    pub fn to_theme_without_assets(&self) -> Result<Theme> {
        Ok(Theme::parse(&serde_json::from_str(&self.content)?))
    }

    /// Reads the logo. [`LoadedTheme::load_fonts`] reads the fonts.
    ///
    /// # Errors
    /// `Internal` if the stored content is not JSON.
    pub fn load(&self, tx: &Tx<'_>) -> Result<LoadedTheme> {
        let read = |asset: &Asset| assets::read_body(tx, &self.org, &asset.filename);
        Ok(LoadedTheme {
            org: self.org.clone(),
            value: serde_json::from_str(&self.content)?,
            logo: self.logo.as_ref().map(read).transpose()?.flatten(),
            fonts: self.fonts.clone(),
            fingerprint: self.fingerprint(),
            parsed: Arc::default(),
        })
    }
}

impl LoadedTheme {
    /// Returns a hash of everything that determines how the theme looks.
    pub fn fingerprint(&self) -> Sha256Hash {
        self.fingerprint
    }

    /// Returns whether the theme has fonts that viewers do not have.
    pub fn has_fonts(&self) -> bool {
        !self.fonts.is_empty()
    }

    /// Returns the memory in bytes that loading the fonts and parsing the theme take besides its
    /// JSON.
    pub fn estimate_memory(&self) -> u64 {
        // One font is read and decoded at a time. Loaded fonts have a limit of their own.
        let files = self.missing_fonts().map(|font| u64::try_from(font.asset.size).unwrap_or(0));
        let font = files.max().map_or(0, |bytes| bytes + portfolio::MAX_THEME_FONT_BYTES as u64);
        let logo = self.logo.as_deref().map_or(0, Bitmap::estimate_memory);
        logo.min(assets::IMAGE_MEMORY_BYTES) + font
    }

    /// Returns the fonts that are not in memory and that were not refused.
    fn missing_fonts(&self) -> impl Iterator<Item = &FontFile> {
        let is_loaded = |font: &FontFile| portfolio::find_theme_font(&font.asset.hash).is_some();
        self.fonts.iter().filter(move |font| !font.is_refused && !is_loaded(font))
    }

    /// Reads and loads the fonts that are not in memory. Leaves out a file that was replaced
    /// meanwhile.
    ///
    /// Call it without an open transaction, and reserve the memory of
    /// [`LoadedTheme::estimate_memory`] before.
    ///
    /// # Errors
    /// `Internal` if the database cannot be read.
    pub fn load_fonts(&self, app: &App) -> Result<()> {
        for FontFile { asset, .. } in self.missing_fonts() {
            let file = app.db.read(|tx| assets::read_body(tx, &self.org, &asset.filename))?;
            if let Some(file) = file.filter(|file| crypto::sha256(file) == asset.hash) {
                portfolio::load_theme_font(self.org.as_str(), asset.hash, &file);
            }
        }
        Ok(())
    }

    /// Returns whether the theme lacks a font that [`LoadedTheme::load_fonts`] could not load.
    /// An image without the font must not be stored under the fingerprint of the theme. The next
    /// fingerprint takes account of the font.
    pub fn lacks_font(&self) -> bool {
        self.missing_fonts().next().is_some()
    }

    /// Returns the theme with its logo and the fonts that were loaded at the first use. Problems
    /// become warnings of the theme.
    pub fn to_theme(&self) -> Theme {
        self.parsed.get_or_init(|| self.parse()).clone()
    }

    /// Parses the theme with its logo and its loaded fonts.
    fn parse(&self) -> Theme {
        let mut own_fonts: Vec<&'static Font> = Vec::new();
        let mut lacks_memory = false;
        for FontFile { asset, .. } in &self.fonts {
            match portfolio::find_theme_font(&asset.hash) {
                Some(fonts) => own_fonts.extend(fonts),
                None => {
                    lacks_memory |=
                        portfolio::is_theme_font_refused(self.org.as_str(), &asset.hash);
                }
            }
        }
        let resources = ThemeResources {
            fonts: portfolio::fonts(),
            own_fonts: &own_fonts,
            logo: self.logo.as_deref(),
        };
        let mut theme = Theme::parse_with_resources(&self.value, &resources);
        if lacks_memory {
            let text = "Too many fonts were changed since the server started, so that a font of \
                        the theme cannot be loaded before the next start.";
            theme.warnings.push(text.to_owned());
        }
        theme
    }
}
