//! Renders charts of more than 60 kinds as SVG, PNG and PDF, without a browser.
//!
//! Rendering is pure: it uses no files, no clock and no randomness. The same chart gives the same
//! bytes, so that a caller can cache images by their input. Rendering has three steps:
//!
//! 1. A [`Chart`] names the [`Kind`] and borrows the records, the settings of the kind, a [`Theme`]
//!    and a [`Style`]. Records and settings are JSON values.
//! 2. [`draw()`] fills a [`Scene`] with resolved shapes: rectangles, lines, paths and texts in
//!    points. Unusable data never cause an error. They give an emptier image and entries in
//!    [`Scene::warnings`].
//! 3. [`svg::write`], [`png::encode`] or [`pdf::write`] turns the scene into bytes. No writer depends on a kind,
//!    and no kind depends on a writer.
//!
//! ```
//! use chartroom_charts::{Chart, draw, find_kind, svg};
//! use serde_json::json;
//!
//! let records = [
//!     json!({ "label": "North", "value": 12 }),
//!     json!({ "label": "South", "value": 7.5 }),
//! ];
//! let kind = find_kind("bar").expect("\"bar\" is one of the kinds");
//! let chart = Chart { title: "Sales by region", ..Chart::new(kind, &records) };
//! let image = svg::write(&draw(&chart), &svg::Options::default());
//! assert!(image.starts_with("<svg") && image.contains("Sales by region"));
//! ```
//!
//! Main types:
//!
//! | Type | Purpose |
//! |---|---|
//! | [`Kind`] | A chart kind, such as `bar` or `gantt`. [`kinds()`] lists all of them, [`find_kind`] finds one by name. |
//! | [`Chart`] | The complete input of [`draw()`]. [`Chart::new`] sets the defaults. |
//! | [`Theme`] | Colors, fonts, background and logo of an organization, parsed from JSON. |
//! | [`Style`] | Subtitle, footer, annotations, size and margins of one chart, parsed from JSON. |
//! | [`Locale`] | Language and number format. |
//! | [`FontCollection`] | The built-in Noto Sans and the fonts that the caller adds. |
//! | [`Scene`] | The drawn chart: shapes, marks for tooltips, title and description for screen readers, warnings. |
//!
//! The example `render` of this crate writes an SVG and a PNG file.

#![warn(missing_docs)]

mod amounts;
pub mod bitmap;
mod category_dates;
mod chart;
mod class_text;
mod clock_values;
pub mod color;
mod color_names;
mod columns;
pub mod data;
mod date_columns;
pub mod date_text;
mod date_words;
mod dense_marks;
mod differences;
pub mod durations;
pub mod fiscal_periods;
mod fitting_height;
pub mod format;
pub mod frame;
mod geo;
mod graph_layers;
pub mod kinds;
pub mod logo;
mod logo_colors;
pub mod mixed_units;
pub mod name_order;
mod number_columns;
pub mod number_text;
mod omissions;
mod orientation;
mod other_names;
mod overlapping_texts;
mod parents;
mod percentages;
pub mod pdf;
pub mod png;
pub mod running_total;
pub mod scale;
pub mod scene;
pub mod shape;
mod slices;
mod spread;
mod steps;
mod style;
pub mod svg;
pub mod text;
mod theme;
mod tiles;
pub mod time_limit;
pub mod time_order;
mod time_periods;
mod time_zones;
mod times_of_day;
pub mod total_names;
mod tree;
mod two_sided;
mod uneven_times;
mod unit_texts;
mod value_classes;
mod value_labels;
mod value_tree;
mod vector_image;
pub mod xml_limits;

pub use chart::{Chart, MAX_SERIES, Series};
pub use fitting_height::{MAX_FITTING_RECORDS, fitting_height};
pub use format::{Locale, Omission};
pub use kinds::{Kind, find_kind, kinds};
pub use scene::Scene;
pub use style::{
    Annotation, AnnotationPosition, AnnotationShape, DEFAULT_SIZE_PT, DifferenceDisplay, Margin,
    MarkRef, Style,
};
pub use text::FontCollection;
pub use theme::{DEFAULT_COLORS, Theme, ThemeFont, ThemeResources};
pub use value_tree::PATH_SEPARATOR;
pub use vector_image::VectorImage;

use frame::Frame;
use number_columns::MixedUnits;
use omissions::NoteArea;

/// Version of the rendering code.
///
/// It increases whenever the same chart gives other bytes, so that no cache serves an old image.
pub const RENDERER_VERSION: u32 = 24;

/// Minimum side of a canvas, in points. [`draw()`] enlarges a smaller canvas.
pub const MIN_CANVAS_SIDE_PT: f64 = 40.0;
/// Maximum side of a canvas, in points. [`draw()`] reduces a larger canvas.
pub const MAX_CANVAS_SIDE_PT: f64 = 4096.0;
/// Minimum side of the area that title, footer and margins leave, in points. A smaller area stays
/// empty.
pub const MIN_PLOT_SIDE_PT: f64 = 30.0;
/// Maximum number of records. [`draw()`] leaves out the rest with a warning, so that the drawing
/// time is bounded.
pub const MAX_RECORDS: usize = 100_000;
/// Maximum number of records of an interactive chart. With more records, the marks are smaller than
/// a pointer can hit.
const MAX_INTERACTIVE_RECORDS: usize = 5000;

/// Returns whether one map shows more than half of these places. `heading` is the heading of their column.
/// Cities such as Tokyo and Delhi, which are also regions of different countries, have no common map.
pub fn have_common_map(places: &[impl AsRef<str>], heading: &str) -> bool {
    let names = places.iter().map(AsRef::as_ref);
    let territory = geo::place_territory::choose(names, heading).territory;
    let known = territory.find_areas(places).into_iter().flatten().count();
    known * 2 > places.len()
}

/// Returns whether the maps know a place: a country, or a region of a country with known regions,
/// by its name in one of 16 languages or its code. Names that several countries share count, too.
pub fn is_place(name: &str) -> bool {
    geo::names::find_country(name).is_some()
        || geo::names::countries_of_shared_name(name).next().is_some()
        || geo::names::countries_of_region(name).next().is_some()
}

/// Returns whether a text is the name of a field of a SWOT analysis in one of the known languages, such as
/// `Strengths` or `Risiken`.
pub fn is_swot_field(name: &str) -> bool {
    kinds::is_swot_field(name)
}

/// Returns whether answers run from approval to rejection by their words, such as `Agree`, `Neutral`,
/// `Disagree`. Likert charts show rejection first.
pub fn runs_to_rejection(answers: &[&str]) -> bool {
    kinds::runs_to_rejection(answers)
}

/// Returns whether a text is a word for a step of probability or impact in a risk matrix, such as `Likely`,
/// `hoch` and `4 - Major`.
pub fn is_risk_step(text: &str) -> bool {
    kinds::is_risk_step(text)
}

/// Returns whether a text is a time of day, such as `06:15`, `9:30 AM` or `14.30 Uhr`.
pub fn is_time_of_day(text: &str) -> bool {
    times_of_day::parse(text).is_some()
}

/// Returns a duration in the unit of its last part: `2:06:39` in seconds, `7:45` in minutes or seconds, and
/// `1 h 45 min` in minutes. None for other texts.
pub fn clock_value(text: &str) -> Option<f64> {
    format::parse_clock(text)
}

/// Returns whether a text is a duration with parts of a second, such as `2:04.11`. Numbers in the same column
/// are seconds.
pub fn has_parts_of_seconds(text: &str) -> bool {
    format::has_parts_of_seconds(text)
}

/// Returns whether a text is a class of values for a histogram, such as `18–29`, `65+` or `under 18`.
pub fn is_value_class(text: &str) -> bool {
    class_text::is_class(text)
}

/// Draws a chart.
///
/// There is no error: unusable data or settings give an emptier image and entries in
/// [`Scene::warnings`]. The canvas has sides from `MIN_CANVAS_SIDE_PT` to `MAX_CANVAS_SIDE_PT`, whatever
/// the size of the chart. Records beyond `MAX_RECORDS` are left out. [`time_limit`] can
/// bound the time.
pub fn draw(chart: &Chart) -> Scene {
    text::with_current_family(chart.theme.body_font.family, || draw_with_current_family(chart))
}

/// Draws a chart. The caller has set the body font of its theme as the current family.
///
/// Limits the canvas size and the number of records, and converts texts in the records to numbers, dates
/// and times.
fn draw_with_current_family(chart: &Chart) -> Scene {
    let limit_side = |length: f64, default: f64| {
        if length.is_finite() {
            length.clamp(MIN_CANVAS_SIDE_PT, MAX_CANVAS_SIDE_PT)
        } else {
            default
        }
    };
    let records_over_limit = chart.data.len().saturating_sub(MAX_RECORDS);
    let limited = Chart {
        width: limit_side(chart.width, DEFAULT_SIZE_PT.0),
        height: limit_side(chart.height, DEFAULT_SIZE_PT.1),
        data: &chart.data[..chart.data.len().min(MAX_RECORDS)],
        ..*chart
    };
    let clock = clock_values::read_durations(limited.data, limited.settings, limited.kind.slug);
    let limited = match &clock {
        Some(columns) => Chart { data: &columns.records, settings: &columns.settings, ..limited },
        None => limited,
    };
    let mut warnings = Vec::new();
    let locale = limited.locale();
    let slug = limited.kind.slug;
    let kept: &[&str] = match slug {
        // A column may have words, percentages and steps.
        "risk-matrix" => &["probability", "impact"],
        _ => durations::columns_of(slug),
    };
    let options = number_columns::ReadOptions { kept, mixed_units: MixedUnits::of_kind(slug) };
    let records = unit_texts::split_units(limited.data, slug);
    let records =
        number_columns::read_numbers(&records, options, locale, |text| warnings.push(text));
    color_names::report_unknown(limited.data, slug, |text| warnings.push(text));
    let records = date_columns::read_dates(records, slug, locale, |text| warnings.push(text));
    let (records, is_utc) = time_zones::convert_to_utc(records);
    let records = durations::fill_ends(records, slug, locale, |text| warnings.push(text));
    let records = times_of_day::read_times(records, slug);
    let records = time_periods::place_periods(records, slug);
    let records = category_dates::format_names(records, slug, locale);
    let chart = Chart { data: &records, ..limited };
    let omissions =
        [(Omission::NoSpace, records_over_limit), (Omission::TimeZones, usize::from(is_utc))];
    draw_with_note(&chart, &omissions, &warnings)
}

/// Draws a chart with limited size and converted records, twice if a note about omitted data is needed.
/// Returns the image with the note unless the space for it costs texts.
fn draw_with_note(chart: &Chart, omissions: &[(Omission, usize)], warnings: &[String]) -> Scene {
    let (scene, frame) = draw_shapes(chart, omissions, warnings, None);
    if let Some(note) = NoteArea::for_scene(&scene, frame.area, &frame.style)
        && chart.height >= omissions::MIN_CANVAS_HEIGHT
    {
        let (noted, _) = draw_shapes(chart, omissions, warnings, Some(note));
        if !omissions::costs_texts(&scene, &noted) {
            return noted;
        }
    }
    scene
}

/// Draws a chart with limited size and converted records, with the `note` about omitted data at the bottom
/// if there is one. Returns the scene, and the frame that includes the area of the note.
///
/// The scene begins with `warnings` and `omissions`. An area that is too small for the kind stays empty,
/// with a warning.
fn draw_shapes(
    chart: &Chart,
    omissions: &[(Omission, usize)],
    warnings: &[String],
    note: Option<NoteArea>,
) -> (Scene, Frame) {
    let mut scene = Scene::new(chart.width, chart.height, chart.theme.background_color);
    if let Some(image) = &chart.theme.background_image {
        scene.background_shapes = image.covering_primitives(chart.width, chart.height);
    }
    let is_interactive = chart.interactive && chart.data.len() <= MAX_INTERACTIVE_RECORDS;
    // Annotations find their positions through the marks, also in a non-interactive chart.
    scene.interactive = is_interactive || chart.style.has_anchored_annotations();
    scene.required_rows = frame::find_annotated_rows(chart);
    scene.id_prefix = chart.id_prefix.chars().filter(char::is_ascii_alphanumeric).collect();
    scene.font_family = chart.theme.body_font.family.name();
    chart.theme.warnings.iter().for_each(|warning| scene.warn(warning));
    scene.lang = chart.locale().tag.to_owned();
    scene.title = text::sanitize(chart.title).into_owned();
    warnings.iter().for_each(|warning| scene.warn(warning));
    omissions.iter().for_each(|(omission, count)| scene.omit(*omission, *count));
    mixed_units::report(chart, &mut scene);
    let frame = frame::draw_frame(chart, &mut scene);
    let first_shape = scene.shapes.len();
    if frame.area.width() < MIN_PLOT_SIDE_PT || frame.area.height() < MIN_PLOT_SIDE_PT {
        scene.warn("The canvas is too small for a chart.");
    } else {
        let mut chart_frame = frame.clone();
        chart_frame.area.y1 -= note.map_or(0.0, |note| note.height(&frame.style));
        chart_frame.area.y0 +=
            frame::draw_above_chart(chart, &frame.style, &mut scene, chart_frame.area);
        (chart.kind.draw)(chart, &chart_frame, &mut scene);
        frame::axis::warn_about_ignored_scale(chart, &mut scene);
        scene.end_mark();
    }
    dense_marks::merge(&mut scene);
    overlapping_texts::remove(&mut scene);
    omissions::count_shortened_names(&mut scene, first_shape);
    omissions::add_warnings(&mut scene);
    if let Some(note) = note {
        note.draw(frame.area, &frame.style, &mut scene);
    }
    if chart.is_right_to_left() {
        // Before the annotations, because they find their positions through the drawn marks.
        scene.mirror(0, chart.width);
    }
    frame::draw_annotations(chart, &frame.style, &mut scene);
    if !is_interactive {
        scene.remove_marks();
    }
    if !chart.style.description.is_empty() {
        scene.description = text::sanitize(&chart.style.description).into_owned();
    }
    (scene, frame)
}
