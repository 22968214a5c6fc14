//! A stored document as a picture.

use serde_json::Value;

use super::annotations;
use super::download::Format;
use super::history::Version;
use super::page;
use super::page::Page;
use super::rules;
use super::store;
use super::store::Head;
use super::texts;
use crate::app::Picture;
use crate::features::portfolio;
use crate::features::portfolio::KindInfo;
use chartroom_charts::Chart;
use chartroom_charts::Locale;
use chartroom_charts::Scene;
use chartroom_charts::Style;
use chartroom_charts::Theme;
use chartroom_charts::png;
use chartroom_charts::svg;
use chartroom_charts::svg::Lettering;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;

/// Largest side of a raster in pixels.
const MAX_PIXELS: f64 = 8192.0;
/// Pixels a point of a PNG unless asked otherwise: sharp on today's screens.
const USUAL_SCALE: f64 = 2.0;

/// How a caller wants the picture.
#[derive(Debug, Clone)]
pub struct Options {
    /// Points; none is the document's own.
    pub width: Option<f64>,
    /// Points; none is the document's own.
    pub height: Option<f64>,
    /// Pixels a point, 0.5 to 4.
    pub scale: f64,
    /// Without background.
    pub transparent: bool,
    /// A named theme in place of the document's.
    pub theme: Option<String>,
    /// Whether marks carry what pointers need: `data-part`, `data-row`, `data-field`. A page's do.
    pub interactive: bool,
    /// How an SVG carries its text. In a page only outlines differ: it always carries its fonts.
    pub text: Lettering,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            width: None,
            height: None,
            scale: USUAL_SCALE,
            transparent: false,
            theme: None,
            interactive: false,
            text: Lettering::Letters,
        }
    }
}

impl Options {
    /// Refuses what no picture can be.
    ///
    /// # Errors
    /// `Fields` with the query parameter.
    pub fn check(&self) -> Result<()> {
        for (name, side) in [("width", self.width), ("height", self.height)] {
            if let Some(side) = side {
                rules::check_side(name, side)?;
            }
        }
        if !(0.5..=4.0).contains(&self.scale) {
            return Err(Error::field("scale", "must be from 0.5 to 4"));
        }
        self.theme.as_deref().map_or(Ok(()), |theme| rules::check_theme("theme", theme))
    }
}

/// A document with its records as JSON text, an array.
pub struct Source {
    pub head: Head,
    pub data: Vec<u8>,
}

/// Reads what is drawn.
pub fn load(tx: &Tx<'_>, head: Head) -> Result<Source> {
    let mut data = Vec::with_capacity(usize::try_from(head.data_bytes).unwrap_or(0) + 2);
    data.push(b'[');
    store::append_records(tx, &head.id, &mut data)?;
    data.push(b']');
    Ok(Source { head, data })
}

impl From<Version> for Source {
    fn from(version: Version) -> Self {
        let data = format!("[{}]", version.records).into_bytes();
        Self { head: version.head, data }
    }
}

/// What makes two pictures the same: document, revision (or `older`, the number of a version that
/// is not the newest), renderer, form and options. It is the entity tag and the key of the cache.
pub fn key(head: &Head, older: Option<i64>, form: &str, options: &Options) -> Hash {
    let state = match older {
        None => head.revision.to_string(),
        Some(number) => format!("v{number}"),
    };
    let renderer = format!("{} {}", chartroom_charts::RENDERER_VERSION, portfolio::fonts_mark());
    let text = format!("{} {state} {renderer} {form} {options:?}", head.id);
    crypto::sha256(text.as_bytes())
}

/// Width and height in points, as asked or as the document's style has them.
pub fn size(head: &Head, options: &Options) -> Result<(f64, f64)> {
    let style = Style::parse(&value(head.style.as_deref())?);
    let (width, height) = style.size();
    Ok((options.width.unwrap_or(width), options.height.unwrap_or(height)))
}

/// The document in one of its forms. Settings that its kind cannot follow are ignored, and told among
/// the warnings.
///
/// # Errors
/// `Fields` about `scale` when a PNG would have too many pixels.
pub fn draw(source: &Source, options: &Options, format: Format) -> Result<Picture> {
    if format == Format::Png {
        check_pixels(source, options)?;
    }
    let kind = portfolio::find(&source.head.kind).found("chart kind")?;
    let settings = value(Some(&source.head.settings))?;
    let interactive = options.interactive || format == Format::Html;
    let scene = scene(source, &Options { interactive, ..options.clone() }, kind, &settings)?;
    let (bytes, policy) = match format {
        Format::Svg => {
            let embeds = options.text == Lettering::Embedded;
            let policy = embeds.then(|| page::svg_policy(&svg::font_faces(&scene)));
            (svg(&scene, options, options.text).into_bytes(), policy)
        }
        Format::Png => (raster(&scene, options)?, None),
        Format::Html => html(source, options, kind, &settings, &scene)?,
    };
    let ignored = portfolio::problems(kind, &settings).into_iter();
    let style = value(source.head.style.as_deref())?;
    let ignored = ignored.chain(annotations::problems(&style));
    let ignored = ignored.map(|it| format!("{} is ignored: {}", it.field, it.message));
    Ok(Picture { bytes, warnings: ignored.chain(scene.warnings).collect(), policy })
}

/// The picture as SVG text.
fn svg(scene: &Scene, options: &Options, text: Lettering) -> String {
    svg::write(scene, &svg::Options { transparent: options.transparent, text })
}

/// The picture as a page, and its policy.
fn html(
    source: &Source,
    options: &Options,
    kind: &KindInfo,
    settings: &Value,
    scene: &Scene,
) -> Result<(Vec<u8>, Option<String>)> {
    let (text, fonts) = match options.text {
        Lettering::Outlines | Lettering::Letters => (options.text, String::new()),
        // They stand in the page's own style, not in the picture's.
        Lettering::Embedded => (Lettering::Letters, svg::font_faces(scene)),
    };
    let page = Page {
        title: &source.head.title,
        scene,
        svg: &svg(scene, options, text),
        fonts: &fonts,
        theme: &theme(&source.head, options)?,
        transparent: options.transparent,
        kind,
        settings,
        records: &records(source, page::MAX_ROWS)?,
        total: source.head.record_count,
    };
    let (page, policy) = page.write();
    Ok((page.into_bytes(), Some(policy)))
}

/// A document as a part of our own pages.
pub struct Inline {
    /// The picture, in letters: the page brings the fonts.
    pub svg: String,
    /// The picture in a sentence; empty when nothing is known of it.
    pub description: String,
    /// The records as an HTML table; empty when there are none.
    pub table: String,
    /// Where the figures are from, as plain text: the footer.
    pub source: String,
}

/// Draws a document for one of our own pages.
pub fn inline(source: &Source) -> Result<Inline> {
    let options = Options::default();
    let kind = portfolio::find(&source.head.kind).found("chart kind")?;
    let settings = value(Some(&source.head.settings))?;
    let style = value(source.head.style.as_deref())?;
    let scene = scene(source, &options, kind, &settings)?;
    let page = Page {
        title: &source.head.title,
        scene: &scene,
        svg: "",
        fonts: "",
        theme: &theme(&source.head, &options)?,
        transparent: false,
        kind,
        settings: &settings,
        records: &records(source, page::MAX_ROWS)?,
        total: source.head.record_count,
    };
    Ok(Inline {
        svg: svg(&scene, &options, Lettering::Letters),
        table: page.table(),
        source: texts::plain(style["footer"].as_str().unwrap_or_default()),
        description: scene.desc,
    })
}

/// Refuses a PNG of too many pixels.
fn check_pixels(source: &Source, options: &Options) -> Result<()> {
    let (width, height) = size(&source.head, options)?;
    if width.max(height) * options.scale <= MAX_PIXELS {
        return Ok(());
    }
    Err(Error::field("scale", format!("gives more than {MAX_PIXELS} pixels a side")))
}

/// The picture as PNG bytes.
fn raster(scene: &Scene, options: &Options) -> Result<Vec<u8>> {
    let options = png::Options { scale: options.scale, transparent: options.transparent };
    png::encode(scene, &options).map_err(|error| match error {
        png::Error::TooLarge { .. } => Error::field("scale", error.to_string()),
        png::Error::Encoding(_) => Error::Internal(Box::new(error)),
    })
}

fn scene(source: &Source, options: &Options, kind: &KindInfo, settings: &Value) -> Result<Scene> {
    let head = &source.head;
    let data: Vec<Value> = serde_json::from_slice(&source.data)?;
    let style = value(head.style.as_deref())?;
    let (width, height) = size(head, options)?;
    Ok(chartroom_charts::draw(&Chart {
        kind: kind.kind,
        title: &head.title,
        settings,
        data: &data,
        theme: &theme(head, options)?,
        style: &Style::parse(&style),
        width,
        height,
        locale: Locale::parse("en"),
        interactive: options.interactive,
        id_prefix: "",
    }))
}

/// The theme that applies: the one asked for, else the document's own, else the one that it names.
fn theme(head: &Head, options: &Options) -> Result<Theme> {
    if let (None, Some(custom)) = (&options.theme, &head.custom_theme) {
        return Ok(Theme::parse_with(&serde_json::from_str(custom)?, portfolio::fonts()));
    }
    let name = options.theme.as_deref().unwrap_or(&head.theme);
    let named = portfolio::theme(name)
        .or_else(|| portfolio::theme(portfolio::DEFAULT_THEME))
        .found("theme")?;
    Ok(named.theme.clone())
}

/// Colour and picture that lie behind the drawing: what a transparent one leaves out. The picture is
/// an SVG of the document's size; there is none when the colour is all.
pub fn background(head: &Head) -> Result<(String, Option<String>)> {
    let theme = theme(head, &Options::default())?;
    let color = theme.background.to_string();
    let Some(ground) = theme.ground else { return Ok((color, None)) };
    let (width, height) = size(head, &Options::default())?;
    let mut scene = Scene::new(width, height, theme.background);
    "ground".clone_into(&mut scene.id_prefix);
    ground.forms(width, height).into_iter().for_each(|it| scene.push(it));
    let options = svg::Options { transparent: true, ..svg::Options::default() };
    Ok((color, Some(svg::write(&scene, &options))))
}

/// The records as values, at most so many of them.
fn records(source: &Source, most: usize) -> Result<Vec<Value>> {
    let mut data: Vec<Value> = serde_json::from_slice(&source.data)?;
    data.truncate(most);
    Ok(data)
}

fn value(text: Option<&str>) -> Result<Value> {
    Ok(text.map_or(Ok(Value::Null), serde_json::from_str)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chartroom_platform::time::Timestamp;

    #[test]
    fn pictures_have_one_key_exactly_when_they_are_the_same() {
        let head = Head::empty(Timestamp(0));
        let usual = Options::default();
        let first = key(&head, None, "png", &usual);
        assert_eq!(first, key(&head.clone(), None, "png", &usual.clone()));
        let others = [
            key(&Head::empty(Timestamp(0)), None, "png", &usual),
            key(&Head { revision: head.revision + 1, ..head.clone() }, None, "png", &usual),
            key(&head, Some(0), "png", &usual),
            key(&head, Some(1), "png", &usual),
            key(&head, None, "svg", &usual),
            key(&head, None, "png", &Options { width: Some(500.0), ..usual.clone() }),
            key(&head, None, "png", &Options { height: Some(500.0), ..usual.clone() }),
            key(&head, None, "png", &Options { scale: 1.0, ..usual.clone() }),
            key(&head, None, "png", &Options { transparent: true, ..usual.clone() }),
            key(&head, None, "png", &Options { theme: Some("dark".to_owned()), ..usual.clone() }),
            key(&head, None, "png", &Options { interactive: true, ..usual }),
        ];
        let all: std::collections::BTreeSet<Hash> = others.iter().copied().chain([first]).collect();
        assert_eq!(all.len(), others.len() + 1);
    }

    #[test]
    fn odd_sizes_are_refused_by_name() {
        let check = |options: Options, want: &str| {
            let error = options.check().unwrap_err().to_string();
            assert!(error.starts_with(want), "{error}");
        };
        assert!(Options::default().check().is_ok());
        check(Options { width: Some(5000.0), ..Options::default() }, "width: ");
        check(Options { height: Some(f64::NAN), ..Options::default() }, "height: ");
        check(Options { height: Some(-1.0), ..Options::default() }, "height: ");
        check(Options { scale: 4.5, ..Options::default() }, "scale: ");
        check(Options { theme: Some("neon".to_owned()), ..Options::default() }, "theme: ");
    }
}
