//! A requested image: its theme, its key, its source and its response.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::image_response::build_image_response;
use super::image_response::build_not_modified_response;
use super::image_response::text_mode_for_own_fonts;
use crate::app::App;
use crate::app::RenderedImage;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::documents::Document;
use crate::features::documents::actions::images;
use crate::features::documents::document_theme;
use crate::features::documents::download_token::OutputFormat;
use crate::features::documents::history::reader::StoredVersion;
use crate::features::documents::image;
use crate::features::documents::image::RenderInput;
use crate::features::documents::render_options::RenderOptions;
use crate::features::orgs::themes;
use crate::features::orgs::themes::LoadedTheme;
use crate::features::orgs::themes::OrgTheme;
use chartroom_charts::svg::TextMode;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::http::conditional;

/// A requested image.
#[derive(Clone)]
pub struct ImageRequest {
    /// Identifies the image in the cache and in its entity tag.
    key: Sha256Hash,
    options: RenderOptions,
    format: OutputFormat,
    /// Whether browsers save the image instead of showing it.
    download: bool,
    /// Theme of an organization that the image uses. For an older version, only one that the
    /// options name.
    org_theme: Option<OrgTheme>,
    /// Fingerprint of all themes that the owner of the document may use, if the image shows an older
    /// version in its own theme, which is compressed with its content.
    account_themes: Option<Sha256Hash>,
    /// Whether an older version embeds fonts if its own theme has some.
    may_embed_fonts: bool,
}

/// Result of looking up a requested image.
pub enum ImageLookup {
    /// The client has the current image.
    NotModified {
        document: Document,
        /// None if the policy of the built-in pages is sufficient.
        content_security_policy: Option<String>,
    },
    /// The image is in the cache.
    Cached(Arc<RenderedImage>, Document),
    /// The current document must be rendered.
    Current(RenderInput),
    /// An older version must be decoded and rendered, in the theme of the options if they have one.
    OlderVersion(StoredVersion, Option<LoadedTheme>),
}

/// Determines how to provide an image: the client has it, the cache has it, or it must be rendered.
/// Then returns `version` or else loads the records of the current document. Renders nothing. The
/// caller must have checked access.
pub fn look_up_image(
    request: &RequestContext,
    tx: &Tx<'_>,
    document: Document,
    version: Option<StoredVersion>,
    image: &ImageRequest,
) -> Result<ImageLookup> {
    let tag = entity_tag_text(tx.restore_epoch, &image.key);
    Ok(if client_has_current(request, &tag) && image.has_known_headers(version.is_some()) {
        let content_security_policy = match image.format {
            OutputFormat::Html => {
                Some(image::page_policy(&document, &image.options, image.org_theme.as_ref())?)
            }
            OutputFormat::Pdf => Some(image::PDF_POLICY.to_owned()),
            OutputFormat::Svg | OutputFormat::Png => None,
        };
        ImageLookup::NotModified { document, content_security_policy }
    } else if let Some(image) = request.app.rendered_images.get(&image.key) {
        ImageLookup::Cached(image, document)
    } else if let Some(version) = version {
        let theme = image.org_theme.as_ref().map(|theme| theme.load(tx)).transpose()?;
        ImageLookup::OlderVersion(version, theme)
    } else {
        let org_theme = image.org_theme.as_ref();
        ImageLookup::Current(images::load_render_input(tx, document, org_theme)?)
    })
}

impl ImageRequest {
    /// Creates a request for an image without a theme of an organization. Its key is not set.
    pub fn new(options: RenderOptions, format: OutputFormat, download: bool) -> Self {
        Self {
            key: Sha256Hash::default(),
            options,
            format,
            download,
            org_theme: None,
            account_themes: None,
            may_embed_fonts: false,
        }
    }

    /// Creates a request for the current revision of a document on a screen, in the theme of the
    /// document.
    pub fn for_screen(
        tx: &Tx<'_>,
        document: &Document,
        options: RenderOptions,
        format: OutputFormat,
    ) -> Result<Self> {
        let org_theme = document_theme::find_document_theme(tx, document)?;
        let mut image = Self { org_theme, ..Self::new(options, format, false) };
        image.set_key(document, None);
        Ok(image)
    }

    /// Finds the theme of an organization for the image. With `has_default_text`, the image embeds
    /// the fonts of the theme.
    ///
    /// # Errors
    /// As [`document_theme::find_image_theme`].
    pub fn set_theme(
        &mut self,
        tx: &Tx<'_>,
        caller: &Caller,
        document: &Document,
        is_older: bool,
        has_default_text: bool,
    ) -> Result<()> {
        if is_older && self.options.theme.is_none() {
            self.account_themes = Some(themes::fingerprint_account(tx, &document.owner)?);
            self.may_embed_fonts = has_default_text && themes::has_fonts(tx, &document.owner)?;
            return Ok(());
        }
        self.org_theme = document_theme::find_image_theme(tx, caller, document, &self.options)?;
        if has_default_text && self.org_theme.as_ref().is_some_and(OrgTheme::has_fonts) {
            self.options.text = text_mode_for_own_fonts(self.format);
        }
        Ok(())
    }

    /// Sets the key. `older` is the number of a version that is not the newest.
    pub fn set_key(&mut self, document: &Document, older: Option<i64>) {
        // An image that may embed fonts differs from one with the letters that a query names.
        let account_themes = self.account_themes.map(|themes| match self.may_embed_fonts {
            true => crypto::sha256(&themes),
            false => themes,
        });
        let theme = self.org_theme.as_ref().map(OrgTheme::fingerprint).or(account_themes);
        let format = self.format.extension();
        self.key = image::cache_key(document, older, format, &self.options, theme);
    }

    /// Renders an older version. `theme` is that of the options.
    fn render_version(
        &self,
        app: &App,
        version: StoredVersion,
        theme: Option<LoadedTheme>,
    ) -> Result<(Arc<RenderedImage>, Document)> {
        let mut input = RenderInput { org_theme: theme, ..RenderInput::from(version.decode()?) };
        let Self { mut options, format, .. } = (*self).clone();
        let mut is_current = true;
        if let Some(known) = self.account_themes {
            let document = &input.document;
            (input.org_theme, is_current) = app.db.read(|tx| {
                let theme = document_theme::find_document_theme(tx, document)?;
                let is_current = themes::fingerprint_account(tx, &document.owner)? == known;
                Ok((theme.map(|theme| theme.load(tx)).transpose()?, is_current))
            })?;
        }
        if self.may_embed_fonts && input.org_theme.as_ref().is_some_and(LoadedTheme::has_fonts) {
            options.text = text_mode_for_own_fonts(format);
        }
        if is_current {
            return images::render_and_cache(app, input, self.key, &options, format);
        }
        // The key stands for the image in the former themes.
        let image = images::render(app, &input, &options, format)?;
        Ok((Arc::new(RenderedImage { is_incomplete: true, ..image }), input.document))
    }

    /// Returns whether the headers of the image are known without rendering it. `is_older` means
    /// that the image shows an older version.
    ///
    /// The content security policy of embedded fonts contains their hash. The policy of a page
    /// depends on the theme, and the name of a file on the title. Older versions store both in
    /// compressed form.
    fn has_known_headers(&self, is_older: bool) -> bool {
        let embeds_fonts = matches!(self.format, OutputFormat::Svg | OutputFormat::Html)
            && (self.options.text == TextMode::Embedded || self.may_embed_fonts);
        let needs_content = self.format == OutputFormat::Html || self.download;
        !(embeds_fonts || is_older && needs_content)
    }
}

impl ImageLookup {
    /// Renders the image if necessary and builds the response. Call it without an open transaction.
    pub fn into_response(self, app: &App, request: &ImageRequest) -> Result<Response> {
        let &ImageRequest { key, ref options, format, download, .. } = request;
        let tag = entity_tag_text(app.db.restore_epoch(), &key);
        let (image, document) = match self {
            Self::NotModified { document, content_security_policy } => {
                let policy = content_security_policy.as_deref();
                return build_not_modified_response(policy, &document.title, format, download)?
                    .with_etag(&tag);
            }
            Self::Cached(image, document) => (image, document),
            Self::OlderVersion(version, theme) => request.render_version(app, version, theme)?,
            Self::Current(input) => images::render_and_cache(app, input, key, options, format)?,
        };
        let response = build_image_response(&image, &document.title, format, download)?;
        // The tag stands for the complete image.
        if image.is_incomplete { Ok(response) } else { response.with_etag(&tag) }
    }
}

/// Returns true if `If-None-Match` contains the entity tag `tag` (given without quotes).
pub fn client_has_current(request: &RequestContext, tag: &str) -> bool {
    conditional::find_matching_tag(&request.headers, &format!("\"{tag}\"")).is_some()
}

/// Returns the text of an entity tag, without quotes: the first 128 bits of a hash in base64url,
/// then a hyphen and the restore epoch of the database unless that is empty.
pub fn entity_tag_text(restore_epoch: &str, key: &Sha256Hash) -> String {
    let separator = if restore_epoch.is_empty() { "" } else { "-" };
    [&URL_SAFE_NO_PAD.encode(&key[..16]), separator, restore_epoch].concat()
}
