//! Themes of organizations, ready for rendering.

use serde_json::Value;

use super::rules;
use super::store;
use crate::features::orgs::assets;
use crate::features::orgs::assets::Asset;
use crate::features::orgs::store as orgs;
use crate::features::portfolio;
use chartroom_charts::Theme;
use chartroom_charts::ThemeResources;
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
    /// Fonts of the families that the theme names.
    fonts: Vec<Asset>,
}

/// A font file of a theme.
#[derive(Debug, Clone)]
enum FontFile {
    /// The fonts are in memory.
    Loaded(&'static [Font]),
    /// Hash and bytes of a file that must be loaded.
    Unloaded(Sha256Hash, Vec<u8>),
}

/// A theme of an organization with the bytes of its assets. Rendering needs no transaction.
#[derive(Debug, Clone)]
pub struct LoadedTheme {
    org: AccountId,
    value: Value,
    logo: Option<Vec<u8>>,
    /// Whether the logo is a raster image, which takes much memory to decode.
    has_raster_logo: bool,
    fonts: Vec<FontFile>,
    fingerprint: Sha256Hash,
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
    let mut orgs = vec![account.clone()];
    orgs.extend(orgs::list_memberships(tx, account)?.into_iter().map(|member| member.org.id));
    let mut state = Vec::new();
    for org in &orgs {
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

impl OrgTheme {
    /// Finds the assets that the content of a theme names.
    pub(super) fn new(tx: &Tx<'_>, org: &AccountId, content: String) -> Result<Self> {
        let value: Value = serde_json::from_str(&content)?;
        let logo_name = value["logo"].as_str().unwrap_or_default();
        let families = ["title", "body"].map(|role| {
            value["fonts"][role]["family"].as_str().unwrap_or_default().trim().to_lowercase()
        });
        let (mut logo, mut fonts) = (None, Vec::new());
        for asset in assets::list_assets(tx, org)? {
            let family = asset.family.as_deref().unwrap_or_default().to_lowercase();
            if asset.asset_type.is_font() && families.contains(&family) {
                fonts.push(asset);
            } else if asset.filename == logo_name && !asset.asset_type.is_font() {
                logo = Some(asset);
            }
        }
        Ok(Self { org: org.clone(), content, logo, fonts })
    }

    /// Returns a hash of everything that determines how the theme looks.
    pub fn fingerprint(&self) -> Sha256Hash {
        let mut state = crypto::sha256(self.content.as_bytes()).to_vec();
        self.logo.iter().for_each(|asset| state.extend(asset.hash));
        // A missing logo and a missing font differ.
        state.push(b'/');
        self.fonts.iter().for_each(|asset| state.extend(asset.hash));
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

    /// Reads the logo and those fonts that are not in memory.
    ///
    /// # Errors
    /// `Internal` if the stored content is not JSON.
    pub fn load(&self, tx: &Tx<'_>) -> Result<LoadedTheme> {
        let read = |asset: &Asset| assets::read_body(tx, &self.org, &asset.filename);
        let mut fonts = Vec::new();
        for asset in &self.fonts {
            match portfolio::find_theme_font(&asset.hash) {
                Some(loaded) => fonts.push(FontFile::Loaded(loaded)),
                None => {
                    let bytes = read(asset)?.unwrap_or_default();
                    fonts.push(FontFile::Unloaded(asset.hash, bytes));
                }
            }
        }
        Ok(LoadedTheme {
            org: self.org.clone(),
            value: serde_json::from_str(&self.content)?,
            logo: self.logo.as_ref().map(read).transpose()?.flatten(),
            has_raster_logo: self.logo.as_ref().is_some_and(|asset| asset.asset_type.is_raster()),
            fonts,
            fingerprint: self.fingerprint(),
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

    /// Returns the memory in bytes that parsing the theme takes besides its JSON.
    pub fn estimate_memory(&self) -> u64 {
        let unloaded = self.fonts.iter().map(|font| match font {
            FontFile::Loaded(_) => 0,
            FontFile::Unloaded(_, bytes) => bytes.len() as u64,
        });
        let unloaded: u64 = unloaded.sum();
        // One font is decoded at a time. Loaded fonts have a limit of their own.
        let decoded = if unloaded > 0 { portfolio::MAX_THEME_FONT_BYTES as u64 } else { 0 };
        let logo = if self.has_raster_logo { assets::IMAGE_MEMORY_BYTES } else { 0 };
        logo + unloaded + decoded
    }

    /// Parses the theme with its logo and fonts. Problems become warnings of the theme.
    pub fn to_theme(&self) -> Theme {
        let mut own_fonts: Vec<&'static Font> = Vec::new();
        let mut lacks_memory = false;
        for file in &self.fonts {
            let fonts = match file {
                FontFile::Loaded(fonts) => Some(*fonts),
                FontFile::Unloaded(hash, bytes) => {
                    portfolio::load_theme_font(self.org.as_str(), *hash, bytes)
                }
            };
            match fonts {
                Some(fonts) => own_fonts.extend(fonts),
                None => lacks_memory = true,
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
