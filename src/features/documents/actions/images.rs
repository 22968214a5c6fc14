//! Rendered images of documents: load the input, render it and cache the result.

use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::GuardResult;

use crate::app::App;
use crate::app::RenderedImage;
use crate::features::access::Caller;
use crate::features::documents::document_theme;
use crate::features::documents::download_token::OutputFormat;
use crate::features::documents::draft::Draft;
use crate::features::documents::image;
use crate::features::documents::image::InlineChart;
use crate::features::documents::image::RenderInput;
use crate::features::documents::render_memory;
use crate::features::documents::render_options::RenderOptions;
use crate::features::documents::store::Document;
use crate::features::orgs::themes;
use crate::features::orgs::themes::LoadedTheme;
use crate::features::orgs::themes::OrgTheme;
use chartroom_charts::svg::TextMode;
use chartroom_charts::time_limit;
use chartroom_charts::time_limit::TimeLimitExceeded;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::threads;

/// Minimum size of the records in bytes for which an SVG with text elements is cached.
const MIN_CACHED_DATA_BYTES: usize = 64 << 10;
/// Maximum time to wait for another thread that renders the same image.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Reads the records of a document for rendering. The function that calls it must have checked
/// access, and must have read `document` in the same transaction.
///
/// `org_theme` is the theme of an organization to render it in, if any.
pub fn load_render_input(
    tx: &Tx<'_>,
    document: Document,
    org_theme: Option<&OrgTheme>,
) -> Result<RenderInput> {
    image::load_render_input_with_theme(tx, document, org_theme)
}

/// Reads the theme of an organization that a draft is rendered in: that of the draft, or the one
/// that `options` name instead. None if it is rendered in another theme.
///
/// # Errors
/// `InvalidFields` about `theme` if there is no such theme in an organization of the caller.
pub fn load_draft_theme(
    app: &App,
    caller: &Caller,
    draft: &Draft,
    options: &RenderOptions,
) -> Result<Option<LoadedTheme>> {
    let theme = match options.theme.as_deref() {
        Some(theme) => theme,
        None if draft.has_custom_theme() => return Ok(None),
        None => draft.theme(),
    };
    if !themes::is_theme_id(theme) {
        return Ok(None);
    }
    app.db.read(|tx| document_theme::find_chosen_theme(tx, caller, theme)?.load(tx).map(Some))
}

/// Renders a document within the memory budget of the server: first reserves the estimated memory.
/// Does not use the cache.
///
/// Call it without an open transaction, because it may wait for other renders.
///
/// # Errors
/// The errors of [`image::render_document`]. `TooLarge` if the render would take too much memory or
/// time. `Busy` if other renders hold the memory for too long.
pub fn render(
    app: &App,
    input: &RenderInput,
    options: &RenderOptions,
    format: OutputFormat,
) -> Result<RenderedImage> {
    let bytes = image::estimate_memory(input, options, format)?;
    let _reservation = render_memory::reserve(app, bytes)?;
    load_fonts(app, input)?;
    limit_time(app, || image::render_document(input, options, format))
}

/// Renders a document for one of the built-in pages with default options, within the memory budget
/// of the server. May wait for other renders.
///
/// # Errors
/// As [`render`].
pub fn render_inline(app: &App, input: &RenderInput) -> Result<InlineChart> {
    let bytes = image::estimate_memory(input, &RenderOptions::default(), OutputFormat::Html)?;
    let _reservation = render_memory::reserve(app, bytes)?;
    load_fonts(app, input)?;
    limit_time(app, || image::render_inline(input))
}

/// Renders a document that is not stored on this server for one of the built-in pages, with the themes that
/// `user` may use. Also returns its width and height in points.
///
/// # Errors
/// As `render`, and those of [`Draft::into_document`].
pub fn render_draft_inline(
    app: &App,
    user: &AccountId,
    draft: Draft,
) -> Result<(InlineChart, (f64, f64))> {
    let (input, size) = load_tolerant_input(app, user, draft)?;
    Ok((render_inline(app, &input)?, size))
}

/// Returns the input for rendering a document that is not stored on this server, with the themes that `user`
/// may use, and its width and height in points. As in a stored document, invalid settings and a theme that
/// the user may not use are warnings.
///
/// # Errors
/// Those of [`Draft::into_document`]. `TooLarge` and `Busy` as in `render`.
pub fn load_tolerant_input(
    app: &App,
    user: &AccountId,
    draft: Draft,
) -> Result<(RenderInput, (f64, f64))> {
    let _reservation = render_memory::reserve(app, draft.estimate_memory())?;
    let mut input = draft.into_tolerant_input(user, app.config.max_records)?;
    input.org_theme = app.db.read(|tx| {
        let theme = document_theme::find_document_theme(tx, &input.document)?;
        theme.map(|theme| theme.load(tx)).transpose()
    })?;
    let size = image::document_size(&input.document, &RenderOptions::default())?;
    Ok((input, size))
}

/// Loads the fonts of the theme that are not in memory. The caller must have reserved the memory.
fn load_fonts(app: &App, input: &RenderInput) -> Result<()> {
    input.org_theme.as_ref().map_or(Ok(()), |theme| theme.load_fonts(app))
}

/// Returns the height that a document needs, see [`image::find_fitting_height`], within the memory
/// budget and the time limit of the server. May wait for renders.
///
/// # Errors
/// As [`render`].
pub fn find_fitting_height(app: &App, input: &RenderInput) -> Result<Option<f64>> {
    let options = RenderOptions::default();
    let bytes = image::estimate_memory(input, &options, OutputFormat::Svg)?;
    let _reservation = render_memory::reserve(app, bytes)?;
    load_fonts(app, input)?;
    limit_time(app, || image::find_fitting_height(input, &options))
}

/// Runs a render within the time limit of the server, counted as processor time of this thread.
///
/// # Errors
/// The errors of `render`. `TooLarge` if it takes longer.
fn limit_time<T>(app: &App, render: impl FnOnce() -> Result<T>) -> Result<T> {
    let limit = app.config.max_render_time;
    time_limit::run_with_time_limit(limit, threads::thread_processor_time, render).unwrap_or_else(
        |TimeLimitExceeded| {
            Err(Error::TooLarge(format!(
                "rendering would take more than {} s; use fewer records or another chart kind",
                limit.as_secs_f64()
            )))
        },
    )
}

/// Validates a draft of a user within the memory budget of the server, without rendering it.
///
/// # Errors
/// The errors of [`Draft::into_render_input`]. `TooLarge` and `Busy` as in `render`.
pub fn check_draft(app: &App, draft: Draft) -> Result<()> {
    let _reservation = render_memory::reserve(app, draft.estimate_memory())?;
    draft.into_render_input(app.config.max_records).map(drop)
}

/// Validates and renders a draft within the memory budget of the server. Returns the image and the
/// title of the draft. Stores and caches nothing. `org_theme` is the theme of an organization that
/// it is rendered in, if any.
///
/// # Errors
/// The errors of [`Draft::into_render_input`] and of [`render`].
pub fn render_draft(
    app: &App,
    draft: Draft,
    org_theme: Option<LoadedTheme>,
    options: &RenderOptions,
    format: OutputFormat,
) -> Result<(RenderedImage, String)> {
    let reservation = render_memory::reserve(app, draft.estimate_memory())?;
    let mut input = draft.into_render_input(app.config.max_records)?;
    input.org_theme = org_theme;
    // The values parsed for validation are dropped. The render reserves its own memory.
    drop(reservation);
    Ok((render(app, &input, options, format)?, input.document.title))
}

/// Returns the image of a document from the cache or renders it, and caches it under `key`. An SVG
/// or HTML page is neither looked up nor cached if it is fast to render: with few records, text
/// elements and a built-in theme. Also returns the document. Concurrent calls with the same cached
/// key render the image once.
///
/// Call it without an open transaction.
///
/// # Errors
/// As [`render`]. `Busy` also if another thread renders the same image for too long.
pub fn render_and_cache(
    app: &App,
    input: RenderInput,
    key: Sha256Hash,
    options: &RenderOptions,
    format: OutputFormat,
) -> Result<(Arc<RenderedImage>, Document)> {
    // A small SVG with text elements is rendered faster than it is found in the cache, unless a theme has
    // a background or a logo.
    let is_cached = matches!(format, OutputFormat::Png | OutputFormat::Pdf)
        || input.document.custom_theme.is_some()
        || input.org_theme.is_some()
        || options.text == TextMode::Outlines
        || input.data.len() >= MIN_CACHED_DATA_BYTES;
    let image = match is_cached {
        true => find_or_render(app, key, || render(app, &input, options, format))?,
        false => Arc::new(render(app, &input, options, format)?),
    };
    Ok((image, input.document))
}

/// Returns the image with the cache key `key`. If it is not cached, calls `render` and caches the
/// result. Concurrent calls wait for the first one. If that fails or panics, the next one renders,
/// except after `TooLarge`, which is cached too. An incomplete image is not cached.
///
/// # Errors
/// The errors of `render`. `Busy` if another thread renders the image for more than [`MAX_WAIT`].
pub fn find_or_render(
    app: &App,
    key: Sha256Hash,
    render: impl FnOnce() -> Result<RenderedImage>,
) -> Result<Arc<RenderedImage>> {
    match app.rendered_images.get_value_or_guard(&key, Some(MAX_WAIT)) {
        GuardResult::Value(image) => Ok(image),
        GuardResult::Timeout => Err(Error::Busy),
        GuardResult::Guard(guard) => {
            if let Some(message) = app.unrenderable_images.get(&key) {
                return Err(Error::TooLarge(message));
            }
            let rendered = render();
            if let Err(Error::TooLarge(message)) = &rendered {
                app.unrenderable_images.insert(key, message.clone());
            }
            let image = Arc::new(rendered?);
            if image.is_incomplete {
                return Ok(image);
            }
            // Fails if the cache has dropped the entry meanwhile. Waiting threads get the image.
            drop(guard.insert(image.clone()));
            Ok(image)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::AssertUnwindSafe;
    use std::panic::catch_unwind;
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::SeqCst;

    use chartroom_platform::config::Config;

    use super::*;

    /// Requests an image from eight threads at once. `render` gets the number of the attempt, from
    /// 0. Returns the number of attempts and of threads that got the image.
    fn request_at_once(render: impl Fn(usize) -> Result<RenderedImage> + Sync) -> (usize, usize) {
        let dir = tempfile::tempdir().unwrap();
        let config = Config { data_dir: dir.path().to_owned(), ..Config::default() };
        let app = App::open(config).unwrap();
        let (attempts, images, start) = (AtomicUsize::new(0), AtomicUsize::new(0), Barrier::new(8));
        std::thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    start.wait();
                    let attempt = || render(attempts.fetch_add(1, SeqCst));
                    let image =
                        catch_unwind(AssertUnwindSafe(|| find_or_render(&app, [7; 32], attempt)));
                    if image.is_ok_and(|image| image.is_ok_and(|image| &image.bytes[..] == b"x")) {
                        images.fetch_add(1, SeqCst);
                    }
                });
            }
        });
        (attempts.into_inner(), images.into_inner())
    }

    fn slow_image() -> Result<RenderedImage> {
        std::thread::sleep(Duration::from_millis(20));
        Ok(RenderedImage { bytes: "x".into(), ..RenderedImage::default() })
    }

    #[test]
    fn concurrent_requests_render_an_image_once() {
        assert_eq!(request_at_once(|_| slow_image()), (1, 8));
    }

    #[test]
    fn after_an_error_or_a_panic_the_next_request_renders() {
        let failing = |attempt| match attempt {
            0 => Err(Error::Busy),
            1 => panic!("on purpose"),
            _ => slow_image(),
        };
        assert_eq!(request_at_once(failing), (3, 6));
    }

    #[test]
    fn an_image_that_is_too_large_to_render_is_tried_once() {
        assert_eq!(request_at_once(|_| Err(Error::TooLarge("takes too long".to_owned()))), (1, 0));
    }

    #[test]
    fn an_incomplete_image_is_not_cached() {
        let incomplete = |_| Ok(RenderedImage { is_incomplete: true, ..slow_image()? });
        assert_eq!(request_at_once(incomplete), (8, 8));
    }

    #[test]
    fn an_image_larger_than_the_cache_is_rendered_once_for_waiting_requests() {
        let large = |_| {
            std::thread::sleep(Duration::from_millis(200));
            Ok(RenderedImage {
                warnings: vec!["w".repeat(20 << 20)],
                bytes: "x".into(),
                ..RenderedImage::default()
            })
        };
        assert_eq!(request_at_once(large), (1, 8));
    }
}
