//! Handlers that answer documents, as JSON and drawn.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::StatusCode;
use hyper::header::CACHE_CONTROL;
use schemars::JsonSchema;
use serde::Deserialize;

use super::drawn::answer;
use super::drawn::lettering;
use super::flag;
use super::target;
use super::token;
use crate::app::Picture;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::documents::actions;
use crate::features::documents::actions::Target;
use crate::features::documents::actions::history;
use crate::features::documents::actions::lend;
use crate::features::documents::actions::lend::Wish;
use crate::features::documents::download::Format;
use crate::features::documents::history::read::Stored;
use crate::features::documents::picture;
use crate::features::documents::picture::Options;
use crate::features::documents::picture::Source;
use crate::features::documents::store::Head;
use crate::features::documents::thumbnails;
use crate::features::documents::view;
use crate::features::documents::view::DocumentView;
use crate::features::documents::view::Extras;
use chartroom_charts::svg::Lettering;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::conditional;
use chartroom_platform::http::endpoint::Raw;

/// Pictures may be kept by the browser of the caller, who asks each time whether they are current.
pub(super) const KEEP: &str = "private, no-cache";

/// Query of a document's GET.
#[derive(Deserialize, JsonSchema)]
pub struct GetQuery {
    /// `png` or `svg`: adds an address that opens the picture for an hour without credentials.
    include_download_url: Option<String>,
    /// `1`: adds the background, which the picture of that address then does not have.
    transparent: Option<String>,
}

/// Query of the drawn forms.
#[derive(Deserialize, JsonSchema)]
pub struct PictureQuery {
    /// A download token, in place of credentials.
    token: Option<String>,
    /// Points, 40 to 4,096; the document's own when absent.
    width: Option<f64>,
    /// Points, 40 to 4,096; the document's own when absent.
    height: Option<f64>,
    /// Pixels a point of a PNG, 0.5 to 4; 2 when absent.
    scale: Option<f64>,
    /// `1`: without background.
    transparent: Option<String>,
    /// A named theme in place of the document's.
    theme: Option<String>,
    /// Number of a version; the newest when absent.
    history_version: Option<i64>,
    /// How an SVG carries its text: `letters`; `outlines`, for programs without the fonts;
    /// `embedded`, letters with the part of the fonts that they need, in a `<style>`. `letters`
    /// when absent, and `embedded` in a file to keep. A page knows all three.
    text: Option<String>,
    /// `1`: as a file to keep.
    download: Option<String>,
}

/// `GET /users/{user_id}/documents/{doc}`.
pub fn get(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<GetQuery>,
) -> Result<Raw<DocumentView>> {
    let target = target(request, caller)?;
    let transparent = flag("transparent", query.transparent.as_deref())?;
    let format = match query.include_download_url.as_deref() {
        None => None,
        Some("png") => Some(Format::Png),
        Some("svg") => Some(Format::Svg),
        Some(_) => return Err(Error::field("include_download_url", "must be png or svg")),
    };
    let response = request.app.db.read(|tx| {
        let (head, level) = actions::readable(tx, caller, &target)?;
        let mut extras = Extras::default();
        if transparent {
            extras.background = Some(picture::background(&head)?);
        }
        if let Some(format) = format {
            let wish = Wish { format: Some(format), transparent, ..Wish::default() };
            let grant = lend::grant(tx, caller, &head, wish);
            let mut url = token::address(&request.app, &head, &grant, format);
            if format == Format::Svg {
                // What is kept as a file is read where the fonts are not.
                url = url.replacen('?', "?text=embedded&", 1);
            }
            extras.download = Some((url, grant.expires));
        }
        view::response(tx, &request.app, &head, (caller, level), &extras)
    })?;
    Ok(Raw::new(response))
}

/// Query of the drawn forms of a version.
#[derive(Deserialize, JsonSchema)]
pub struct VersionPictureQuery {
    /// Points, 40 to 4,096; the document's own when absent.
    width: Option<f64>,
    /// Points, 40 to 4,096; the document's own when absent.
    height: Option<f64>,
    /// Pixels a point of a PNG, 0.5 to 4; 2 when absent.
    scale: Option<f64>,
    /// `1`: without background.
    transparent: Option<String>,
    /// A named theme in place of the document's.
    theme: Option<String>,
    /// How an SVG carries its text: `letters`; `outlines`, for programs without the fonts;
    /// `embedded`, letters with the part of the fonts that they need, in a `<style>`. `letters`
    /// when absent, and `embedded` in a file to keep. A page knows all three.
    text: Option<String>,
    /// `1`: as a file to keep.
    download: Option<String>,
}

impl From<VersionPictureQuery> for PictureQuery {
    fn from(query: VersionPictureQuery) -> Self {
        let VersionPictureQuery { width, height, scale, transparent, theme, text, download } =
            query;
        Self {
            token: None,
            history_version: None,
            width,
            height,
            scale,
            transparent,
            theme,
            text,
            download,
        }
    }
}

/// `GET /users/{user_id}/documents/{doc}/history/{n}.svg`.
pub fn version_svg(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<VersionPictureQuery>,
) -> Result<Response> {
    drawn(request, caller, query.into(), Format::Svg, Some(request.param("n")?))
}

/// `GET /users/{user_id}/documents/{doc}/history/{n}.png`.
pub fn version_png(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<VersionPictureQuery>,
) -> Result<Response> {
    drawn(request, caller, query.into(), Format::Png, Some(request.param("n")?))
}

/// `GET /users/{user_id}/documents/{doc}.svg`.
pub fn svg(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<PictureQuery>,
) -> Result<Response> {
    drawn(request, caller, query, Format::Svg, None)
}

/// `GET /users/{user_id}/documents/{doc}.png`.
pub fn png(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<PictureQuery>,
) -> Result<Response> {
    drawn(request, caller, query, Format::Png, None)
}

/// `GET /users/{user_id}/documents/{doc}.html`.
pub fn html(
    request: &RequestContext,
    caller: &Caller,
    Query(query): Query<PictureQuery>,
) -> Result<Response> {
    drawn(request, caller, query, Format::Html, None)
}

/// What one request for a drawn form comes to.
enum Lookup {
    /// The caller has it.
    Unchanged,
    /// It was drawn before.
    Kept(Arc<Picture>, Head),
    /// It must be drawn.
    Fresh(Source),
    /// An older version must be unpacked and drawn.
    Older(Stored),
}

/// Draws a document, or its version `number` for whoever may read its history.
fn drawn(
    request: &RequestContext,
    caller: &Caller,
    query: PictureQuery,
    format: Format,
    number: Option<i64>,
) -> Result<Response> {
    let target = target(request, caller)?;
    let download = flag("download", query.download.as_deref())?;
    let mut options = Options {
        width: query.width,
        height: query.height,
        scale: query.scale.unwrap_or(Options::default().scale),
        transparent: flag("transparent", query.transparent.as_deref())?,
        theme: query.theme.clone(),
        interactive: false,
        text: lettering(query.text.as_deref(), format, download)?,
    };
    options.check()?;
    let (found, key) = request.app.db.read(|tx| {
        let head = match &query.token {
            Some(token) => {
                let (head, grant) = lend::opened(tx, &request.app.key, &target, token, format)?;
                options.transparent |= grant.transparent;
                head
            }
            None => actions::readable(tx, caller, &target)?.0,
        };
        let version = older(tx, caller, &target, &head, &query, number)?;
        let past = version.as_ref().map(Stored::number);
        let key = picture::key(&head, past, format.suffix(), &options);
        Ok((lookup(request, tx, head, version, &key)?, key))
    })?;
    found.draw(request, key, &options, format, download)
}

/// A document as it is now, drawn for somebody whom `find` lets see it and who gets it as `find`
/// says: a screen.
///
/// # Errors
/// Those of `find`; `Fields` about `scale` when a PNG would have too many pixels.
pub fn lent(
    request: &RequestContext,
    format: Format,
    find: impl FnOnce(&Tx<'_>) -> Result<(Head, Options)>,
) -> Result<Response> {
    let (found, key, options) = request.app.db.read(|tx| {
        let (head, options) = find(tx)?;
        let key = picture::key(&head, None, format.suffix(), &options);
        Ok((lookup(request, tx, head, None, &key)?, key, options))
    })?;
    found.draw(request, key, &options, format, false)
}

/// Where the picture of this key comes from: of the document as it is, or of an older version.
fn lookup(
    request: &RequestContext,
    tx: &Tx<'_>,
    head: Head,
    version: Option<Stored>,
    key: &Hash,
) -> Result<Lookup> {
    Ok(if has_already(request, &text(key)) {
        Lookup::Unchanged
    } else if let Some(kept) = request.app.pictures.get(key) {
        Lookup::Kept(kept, head)
    } else if let Some(version) = version {
        Lookup::Older(version)
    } else {
        Lookup::Fresh(picture::load(tx, head)?)
    })
}

impl Lookup {
    /// The answer. Nothing is drawn while a transaction is open.
    fn draw(
        self,
        request: &RequestContext,
        key: Hash,
        options: &Options,
        format: Format,
        download: bool,
    ) -> Result<Response> {
        let tag = text(&key);
        let (picture, head) = match self {
            Self::Unchanged => {
                let unchanged = Response::empty(StatusCode::NOT_MODIFIED).tagged(&tag)?;
                return unchanged.with(CACHE_CONTROL, KEEP);
            }
            Self::Kept(kept, head) => (kept, head),
            Self::Older(version) => {
                drawn_now(request, version.open()?.into(), key, options, format)?
            }
            Self::Fresh(source) => drawn_now(request, source, key, options, format)?,
        };
        answer(&picture, &head.title, format, download)?.tagged(&tag)
    }
}

/// The version that is asked for, by the path or the query, when it is not the newest.
fn older(
    tx: &Tx<'_>,
    caller: &Caller,
    target: &Target,
    head: &Head,
    query: &PictureQuery,
    number: Option<i64>,
) -> Result<Option<Stored>> {
    let is_newest = |number: i64| number == head.history_version;
    match (number, query.history_version) {
        (Some(number), _) => {
            let version = history::load(tx, caller, target, number)?.2;
            Ok((!is_newest(number)).then_some(version))
        }
        (None, asked) if query.token.is_none() => history::asked(tx, caller, target, head, asked),
        // The maker of a token shows the document as it is, not what it was.
        (None, Some(asked)) if !is_newest(asked) => Err(history::no_such_version()),
        (None, _) => Ok(None),
    }
}

fn drawn_now(
    request: &RequestContext,
    source: Source,
    key: Hash,
    options: &Options,
    format: Format,
) -> Result<(Arc<Picture>, Head)> {
    let picture = Arc::new(picture::draw(&source, options, format)?);
    if format == Format::Png || options.text == Lettering::Outlines {
        // SVG of letters is drawn faster than it is looked up; pixels and outlines are worth keeping.
        request.app.pictures.insert(key, picture.clone());
    }
    Ok((picture, source.head))
}

/// `GET /users/{user_id}/documents/{doc}/thumbnail.png`: the one drawn in the background, or, when
/// the document has changed since, one drawn now.
pub fn thumbnail(request: &RequestContext, caller: &Caller, (): ()) -> Result<Response> {
    let (app, target) = (&request.app, target(request, caller)?);
    let (found, tag) = app.db.read(|tx| {
        let (head, _) = actions::readable(tx, caller, &target)?;
        let tag = text(&thumbnails::key(&head));
        let found = if has_already(request, &tag) {
            Lookup::Unchanged
        } else if let Some(bytes) = thumbnails::stored(app, &head)? {
            Lookup::Kept(Arc::new(Picture { bytes, ..Picture::default() }), head)
        } else {
            Lookup::Fresh(picture::load(tx, head)?)
        };
        Ok((found, tag))
    })?;
    let response = match found {
        Lookup::Unchanged => Response::empty(StatusCode::NOT_MODIFIED),
        Lookup::Kept(picture, _) => Response::bytes("image/png", picture.bytes.clone()),
        Lookup::Older(_) => return Err(Error::internal("a thumbnail is of the newest version")),
        Lookup::Fresh(source) => {
            let bytes = thumbnails::draw(&source)?;
            if let Err(error) = thumbnails::keep(app, &source.head, &bytes) {
                // It is as good without.
                tracing::warn!(error = %error.full(), "a thumbnail cannot be kept");
            }
            Response::bytes("image/png", bytes)
        }
    };
    response.tagged(&tag)?.with(CACHE_CONTROL, KEEP)
}

/// Whether the caller has the answer of this tag (without quotes) already.
fn has_already(request: &RequestContext, tag: &str) -> bool {
    conditional::none_match(&request.headers, &format!("\"{tag}\"")).is_some()
}

/// A hash as an entity tag: 128 bits of it.
fn text(key: &crypto::Hash) -> String {
    URL_SAFE_NO_PAD.encode(&key[..16])
}
