//! Rendering of documents to SVG, PNG, HTML and PDF.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use super::annotations;
use super::document_theme;
use super::download_token::OutputFormat;
use super::history::Version;
use super::page;
use super::page::HtmlPage;
use super::render_memory;
use super::render_options::RenderOptions;
use super::search_text;
use super::store;
use super::store::Document;
use crate::app::RenderedImage;
use crate::features::orgs::themes::LoadedTheme;
use crate::features::orgs::themes::OrgTheme;
use crate::features::portfolio;
use crate::features::portfolio::KindInfo;
use chartroom_charts::Chart;
use chartroom_charts::Locale;
use chartroom_charts::Scene;
use chartroom_charts::Style;
use chartroom_charts::Theme;
use chartroom_charts::pdf;
use chartroom_charts::png;
use chartroom_charts::svg;
use chartroom_charts::svg::TextMode;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;

/// Maximum width and height of a PNG in pixels.
const MAX_SIDE_PIXELS: f64 = 8192.0;

/// Content security policy of a PDF. The viewers of some browsers show it as an object with inline
/// styles, which the policy of the built-in pages forbids.
pub const PDF_POLICY: &str = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; \
                              base-uri 'none'; frame-ancestors 'none'";

/// Memory of the scene as a share of that of the parsed JSON. For 80,000 records of two to nine
/// values, it is 0.5 to 0.75.
const SCENE_MEMORY_SHARE: f64 = 0.75;

/// Memory in bytes that decoding and shrinking the largest PNG logo takes: 4 million pixels with two times
/// 4 bytes, and 512 x 4,096 pixels with 16 bytes. A file of a few KiB can be that large.
const LOGO_BYTES: u64 = 66 << 20;

/// A document with its records, ready for rendering.
pub struct RenderInput {
    pub document: Document,
    /// Records as JSON array.
    pub data: Vec<u8>,
    /// Theme of an organization to render the document in, instead of a built-in or custom one.
    pub org_theme: Option<LoadedTheme>,
}

/// Reads the records of a document for rendering, as a JSON array, and the theme of an organization
/// that it is rendered with. Does not check access.
///
/// `document` must come from the same transaction, because a change of the document can replace its
/// content.
pub fn load_render_input(tx: &Tx<'_>, document: Document) -> Result<RenderInput> {
    let org_theme = document_theme::find_document_theme(tx, &document)?;
    load_render_input_with_theme(tx, document, org_theme.as_ref())
}

/// Does the same as [`load_render_input`] with a theme that is found already.
pub fn load_render_input_with_theme(
    tx: &Tx<'_>,
    document: Document,
    org_theme: Option<&OrgTheme>,
) -> Result<RenderInput> {
    let mut data = Vec::with_capacity(usize::try_from(document.data_bytes).unwrap_or(0) + 2);
    data.push(b'[');
    store::read_joined_records(tx, &document.content, &mut data)?;
    data.push(b']');
    let org_theme = org_theme.map(|theme| theme.load(tx)).transpose()?;
    Ok(RenderInput { document, data, org_theme })
}

impl From<Version> for RenderInput {
    /// Returns the document and records of an older version for rendering, without a theme of an
    /// organization.
    fn from(version: Version) -> Self {
        let data = format!("[{}]", version.records).into_bytes();
        Self { document: version.document, data, org_theme: None }
    }
}

/// Returns a hash of everything that determines a rendered image. It is the cache key and the
/// entity tag.
///
/// `older` is the number of a version that is not the newest. `None` stands for the current
/// revision. `theme` is the fingerprint of the theme of an organization that the image uses, if any.
pub fn cache_key(
    document: &Document,
    older: Option<i64>,
    format: &str,
    options: &RenderOptions,
    theme: Option<Sha256Hash>,
) -> Sha256Hash {
    let revision = match older {
        None => document.revision.to_string(),
        Some(number) => format!("v{number}"),
    };
    let renderer =
        format!("{} {}", chartroom_charts::RENDERER_VERSION, portfolio::fonts_fingerprint());
    // A stored page must not run under the policy of a release with another script or style sheet.
    let assets = if format == "html" { page::assets_fingerprint() } else { "" };
    let text =
        format!("{} {revision} {renderer} {format}{assets} {options:?} {theme:?}", document.id);
    crypto::sha256(text.as_bytes())
}

/// Returns width and height in points: each from the options, else from the style of the document,
/// else the default.
///
/// # Errors
/// `Internal` if the style cannot be parsed.
pub fn document_size(document: &Document, options: &RenderOptions) -> Result<(f64, f64)> {
    /// The size in a style. Reading only these fields takes no memory for the others.
    #[derive(Deserialize, Serialize, Default)]
    struct StyleSize {
        width: Option<f64>,
        height: Option<f64>,
    }
    let size = match document.style.as_deref() {
        None | Some("null") => StyleSize::default(),
        Some(style) => serde_json::from_str(style)?,
    };
    Ok(image_size(&Style::parse(&serde_json::to_value(size)?), options))
}

/// Returns width and height in points: each from the options, else from the style.
fn image_size(style: &Style, options: &RenderOptions) -> (f64, f64) {
    let (width, height) = style.canvas_size();
    (options.width.unwrap_or(width), options.height.unwrap_or(height))
}

/// Returns the height in points at which a document shows its names and records, see
/// [`chartroom_charts::fitting_height`]. None if the document is at least that high.
///
/// # Errors
/// `NotFound` if the chart kind does not exist. `Internal` if a JSON text cannot be parsed.
pub fn find_fitting_height(input: &RenderInput, options: &RenderOptions) -> Result<Option<f64>> {
    let kind = portfolio::find_kind(&input.document.kind).or_not_found("chart kind")?;
    let parsed = ParsedDocument::parse(input, options)?;
    let style = Style::parse(&parsed.style);
    let chart = parsed.to_chart(&input.document.title, kind, &style, options);
    let height = chartroom_charts::fitting_height(&chart);
    Ok((height > chart.height).then_some(height))
}

/// Returns an upper estimate of the memory in bytes that [`render_document`] takes.
///
/// # Errors
/// `Internal` if the style cannot be parsed.
pub fn estimate_memory(
    input: &RenderInput,
    options: &RenderOptions,
    format: OutputFormat,
) -> Result<u64> {
    let document = &input.document;
    let texts = [document.style.as_deref(), document.custom_theme.as_deref()].into_iter().flatten();
    let texts = texts.chain([document.settings.as_str()]).map(str::as_bytes).chain([&*input.data]);
    let parsed: u64 = texts.map(render_memory::estimate_parsed_json).sum();
    let pixels = match format {
        OutputFormat::Png => {
            render_memory::estimate_pixels(document_size(document, options)?, options.scale)
        }
        OutputFormat::Svg | OutputFormat::Html | OutputFormat::Pdf => 0,
    };
    let has_logo =
        document.custom_theme.as_deref().is_some_and(|theme| theme.contains("data:image/png"));
    let logo = if has_logo { LOGO_BYTES } else { 0 };
    let logo = input.org_theme.as_ref().map_or(logo, LoadedTheme::estimate_memory);
    Ok(parsed + (parsed as f64 * SCENE_MEMORY_SHARE) as u64 + pixels + logo)
}

/// The parsed JSON texts of a document. They take many times the memory of the texts, so that they
/// are parsed only once.
struct ParsedDocument {
    settings: Value,
    style: Value,
    records: Vec<Value>,
    theme: Theme,
}

impl ParsedDocument {
    /// Parses the texts of `input`. The theme is that of `options`, if they have one.
    ///
    /// # Errors
    /// `Internal` if a text cannot be parsed.
    fn parse(input: &RenderInput, options: &RenderOptions) -> Result<Self> {
        Ok(Self {
            settings: parse_json(Some(&input.document.settings))?,
            style: parse_json(input.document.style.as_deref())?,
            records: serde_json::from_slice(&input.data)?,
            theme: document_theme::resolve_theme(
                &input.document,
                options,
                input.org_theme.as_ref(),
            )?,
        })
    }

    /// Returns the first records, at most `page::MAX_ROWS`, for the table of a page.
    fn table_records(&self) -> &[Value] {
        &self.records[..self.records.len().min(page::MAX_ROWS)]
    }

    /// Draws the chart as a scene of shapes and texts, which is not yet in an output format. Of the
    /// options, only the size and `interactive` count.
    fn build_scene(&self, title: &str, kind: &KindInfo, options: &RenderOptions) -> Scene {
        let style = Style::parse(&self.style);
        chartroom_charts::draw(&self.to_chart(title, kind, &style, options))
    }

    /// Returns the input for drawing the chart: parsed texts, and the size from the options, else
    /// from `style`. English is the locale if the settings have none. Draws nothing.
    fn to_chart<'a>(
        &'a self,
        title: &'a str,
        kind: &KindInfo,
        style: &'a Style,
        options: &RenderOptions,
    ) -> Chart<'a> {
        let (width, height) = image_size(style, options);
        Chart {
            kind: kind.kind,
            title,
            settings: &self.settings,
            data: &self.records,
            theme: &self.theme,
            style,
            width,
            height,
            default_locale: Locale::parse("en"),
            interactive: options.interactive,
            id_prefix: "",
        }
    }
}

/// Renders a document in `format`, and returns the bytes with warnings and content security policy.
/// Reserves no memory and does not use the cache. Invalid settings and annotations are ignored and
/// reported as warnings. HTML is always interactive.
///
/// # Errors
/// `InvalidFields` about `scale` if a PNG would have too many pixels. `NotFound` if the chart kind
/// does not exist. `Internal` if a JSON text cannot be parsed.
pub fn render_document(
    input: &RenderInput,
    options: &RenderOptions,
    format: OutputFormat,
) -> Result<RenderedImage> {
    if format == OutputFormat::Png {
        check_png_size(input, options)?;
    }
    let kind = portfolio::find_kind(&input.document.kind).or_not_found("chart kind")?;
    let parsed = ParsedDocument::parse(input, options)?;
    let interactive = options.interactive || format == OutputFormat::Html;
    let scene = parsed.build_scene(
        &input.document.title,
        kind,
        &RenderOptions { interactive, ..options.clone() },
    );
    let (bytes, policy) = match format {
        OutputFormat::Svg => {
            let embeds = options.text == TextMode::Embedded;
            let policy = embeds.then(|| page::svg_policy(&svg::font_face_rules(&scene)));
            (write_svg(&scene, options, options.text).into_bytes(), policy)
        }
        OutputFormat::Png => (encode_png(&scene, options)?, None),
        OutputFormat::Html => write_html(input, options, kind, &parsed, &scene),
        OutputFormat::Pdf => {
            let options = pdf::Options { transparent: options.transparent };
            (pdf::write(&scene, &options), Some(PDF_POLICY.to_owned()))
        }
    };
    let ignored = portfolio::validate_settings(kind, &parsed.settings).into_iter();
    let ignored = ignored.chain(annotations::find_problems(&parsed.style));
    let ignored =
        ignored.map(|problem| format!("{} is ignored: {}", problem.field, problem.message));
    Ok(RenderedImage {
        bytes: bytes.into(),
        warnings: ignored.chain(scene.warnings).collect(),
        content_security_policy: policy,
        is_incomplete: input.org_theme.as_ref().is_some_and(LoadedTheme::lacks_font),
    })
}

/// Returns the scene as SVG with this representation of text. Ignores `options.text`.
fn write_svg(scene: &Scene, options: &RenderOptions, text: TextMode) -> String {
    svg::write(scene, &svg::Options { transparent: options.transparent, text })
}

/// Returns the scene as a self-contained HTML page with an SVG and a table of the first records,
/// and the content security policy of the page, which is never None.
fn write_html(
    input: &RenderInput,
    options: &RenderOptions,
    kind: &KindInfo,
    parsed: &ParsedDocument,
    scene: &Scene,
) -> (Vec<u8>, Option<String>) {
    let (text, fonts) = match options.text {
        TextMode::Outlines | TextMode::Letters => (options.text, String::new()),
        // The fonts are in the style element of the page, not of the SVG.
        TextMode::Embedded => (TextMode::Letters, svg::font_face_rules(scene)),
    };
    let page = HtmlPage {
        title: &input.document.title,
        scene,
        svg: &write_svg(scene, options, text),
        fonts: &fonts,
        theme: &parsed.theme,
        transparent: options.transparent,
        kind,
        settings: &parsed.settings,
        records: parsed.table_records(),
        total: input.document.record_count,
    };
    let (page, policy) = page.to_html();
    (page.into_bytes(), Some(policy))
}

/// A rendered document for one of the built-in pages.
pub struct InlineChart {
    /// SVG with text elements. The page must load the fonts.
    pub svg: String,
    /// Description of the image in words. Empty if none is available.
    pub description: String,
    /// Records as HTML table. Empty if there are none.
    pub table: String,
    /// Footer of the document as plain text, usually the source of the data.
    pub source: String,
}

impl InlineChart {
    /// Names the image as a part of its shadow tree, so that the style sheet of a page with tools on the image
    /// gives it its final size before the scripts run.
    pub fn mark_image(&mut self) {
        self.svg = self.svg.replacen("<svg ", "<svg part=\"image\" ", 1);
    }
}

/// Renders a document for one of the built-in pages, with default options: an SVG, and a table in
/// HTML with at most `page::MAX_ROWS` records, in the language of the request. Reserves no memory.
///
/// # Errors
/// `NotFound` if the chart kind does not exist. `Internal` if a JSON text cannot be parsed.
pub fn render_inline(input: &RenderInput) -> Result<InlineChart> {
    let options = RenderOptions::default();
    let kind = portfolio::find_kind(&input.document.kind).or_not_found("chart kind")?;
    let parsed = ParsedDocument::parse(input, &options)?;
    let scene = parsed.build_scene(&input.document.title, kind, &options);
    let kind = kind.localized();
    let page = HtmlPage {
        title: &input.document.title,
        scene: &scene,
        svg: "",
        fonts: "",
        theme: &parsed.theme,
        transparent: false,
        kind,
        settings: &parsed.settings,
        records: parsed.table_records(),
        total: input.document.record_count,
    };
    // The page has the fonts of the server, but not those of an organization.
    let text = if parsed.theme.has_own_fonts { TextMode::Outlines } else { TextMode::Letters };
    Ok(InlineChart {
        svg: write_svg(&scene, &options, text),
        table: page.table_html(),
        source: search_text::html_to_text(parsed.style["footer"].as_str().unwrap_or_default()),
        description: scene.description,
    })
}

/// Checks that no side of a PNG would exceed [`MAX_SIDE_PIXELS`].
///
/// # Errors
/// `InvalidFields` about `scale` otherwise.
fn check_png_size(input: &RenderInput, options: &RenderOptions) -> Result<()> {
    let (width, height) = document_size(&input.document, options)?;
    if width.max(height) * options.scale <= MAX_SIDE_PIXELS {
        return Ok(());
    }
    Err(Error::invalid_field(
        "scale",
        format!("results in more than {MAX_SIDE_PIXELS} pixels per side"),
    ))
}

/// Renders the scene as PNG with the scale and transparency of the options.
///
/// # Errors
/// `InvalidFields` about `scale` if the image has too many pixels. `Internal` if the encoding
/// fails.
fn encode_png(scene: &Scene, options: &RenderOptions) -> Result<Vec<u8>> {
    let options = png::Options { scale: options.scale, transparent: options.transparent };
    png::encode(scene, &options).map_err(|error| match error {
        png::Error::TooLarge { .. } => Error::invalid_field("scale", error.to_string()),
        png::Error::Encoding(_) => Error::Internal(Box::new(error)),
    })
}

/// Returns the content security policy of a document's HTML page without embedded fonts. Does not
/// render the document.
pub fn page_policy(
    document: &Document,
    options: &RenderOptions,
    org_theme: Option<&OrgTheme>,
) -> Result<String> {
    let theme = document_theme::resolve_colors(document, options, org_theme)?;
    Ok(page::page_policy(&theme, options.transparent))
}

/// Parses a JSON text. `None` gives null. A text that is not JSON is an internal error.
fn parse_json(text: Option<&str>) -> Result<Value> {
    Ok(text.map_or(Ok(Value::Null), serde_json::from_str)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chartroom_platform::time::Timestamp;

    #[test]
    fn cache_keys_are_equal_only_for_equal_images() {
        let document = Document::empty(Timestamp(0));
        let newer = Document { revision: document.revision + 1, ..document.clone() };
        let usual = RenderOptions::default();
        let with = |change: fn(&mut RenderOptions)| {
            let mut options = RenderOptions::default();
            change(&mut options);
            cache_key(&document, None, "png", &options, None)
        };
        let first = cache_key(&document, None, "png", &usual, None);
        assert_eq!(first, cache_key(&document.clone(), None, "png", &usual.clone(), None));
        let others = [
            cache_key(&Document::empty(Timestamp(0)), None, "png", &usual, None),
            cache_key(&newer, None, "png", &usual, None),
            cache_key(&document, Some(0), "png", &usual, None),
            cache_key(&document, Some(1), "png", &usual, None),
            cache_key(&document, None, "svg", &usual, None),
            cache_key(&document, None, "pdf", &usual, None),
            cache_key(&document, None, "png", &usual, Some([1; 32])),
            cache_key(&document, None, "png", &usual, Some([2; 32])),
            with(|options| options.width = Some(500.0)),
            with(|options| options.height = Some(500.0)),
            with(|options| options.scale = 1.0),
            with(|options| options.transparent = true),
            with(|options| options.theme = Some("dark".to_owned())),
            with(|options| options.interactive = true),
        ];
        let all: std::collections::BTreeSet<Sha256Hash> =
            others.iter().copied().chain([first]).collect();
        assert_eq!(all.len(), others.len() + 1);
    }

    #[test]
    fn invalid_options_are_rejected_with_their_name() {
        let check = |options: RenderOptions, want: &str| {
            let error = options.normalize(OutputFormat::Png).unwrap_err().to_string();
            assert!(error.starts_with(want), "{error}");
        };
        assert!(RenderOptions::default().normalize(OutputFormat::Svg).is_ok());
        check(RenderOptions { width: Some(5000.0), ..RenderOptions::default() }, "width: ");
        check(RenderOptions { height: Some(f64::NAN), ..RenderOptions::default() }, "height: ");
        check(RenderOptions { height: Some(-1.0), ..RenderOptions::default() }, "height: ");
        check(RenderOptions { scale: 4.5, ..RenderOptions::default() }, "scale: ");
        check(
            RenderOptions { theme: Some("neon".to_owned()), ..RenderOptions::default() },
            "theme: ",
        );
    }
}
