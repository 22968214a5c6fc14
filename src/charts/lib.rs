//! From data to picture: pure, and imports nothing else of ours.
//!
//! A [`Chart`] goes in, [`draw`] fills a [`Scene`] with resolved shapes, and the two writers
//! [`svg`] and [`png`] turn that into bytes. No writer knows a kind, no kind knows a writer.

mod amounts;
mod chart;
mod clear;
pub mod color;
pub mod data;
mod dense;
pub mod format;
pub mod frame;
mod ground;
mod hierarchy;
pub mod kinds;
mod layers;
pub mod logo;
mod parents;
pub mod png;
pub mod scale;
pub mod scene;
pub mod shape;
mod slices;
mod steps;
mod style;
pub mod svg;
pub mod text;
mod theme;
mod two_sided;
mod tiles;
mod tree;

pub use chart::{Chart, Series};
pub use format::Locale;
pub use ground::Ground;
pub use kinds::{Kind, find_kind, kinds};
pub use scene::Scene;
pub use style::{Style, USUAL_SIZE};
pub use text::Fonts;
pub use theme::Theme;

/// Grows whenever the same chart gives other bytes, so that no cache serves an old picture.
pub const RENDERER_VERSION: u32 = 5;

/// Smallest side of a canvas in points; less holds no chart.
pub const SMALLEST_SIDE: f64 = 40.0;
/// Smallest side of what title and margins leave, in points; less shows no marks.
pub const SMALLEST_PLOT: f64 = 30.0;
/// Largest side of a canvas in points.
pub const LARGEST_SIDE: f64 = 4096.0;
/// Records beyond this are left out with a warning, so that drawing time has a bound.
pub const MOST_RECORDS: usize = 100_000;
/// Records up to which marks are named for pointers: beyond, they are finer than a pointer.
const MOST_POINTED: usize = 5000;

/// Draws a chart. Odd data give an emptier picture and warnings, never an error.
pub fn draw(chart: &Chart) -> Scene {
    chart.theme.body_font.faces.during(|| draw_in(chart))
}

/// Draws a chart, while the usual faces are those of its theme.
fn draw_in(chart: &Chart) -> Scene {
    let side = |it: f64, usual: f64| {
        if it.is_finite() { it.clamp(SMALLEST_SIDE, LARGEST_SIDE) } else { usual }
    };
    let left_out = chart.data.len() > MOST_RECORDS;
    let chart = &Chart {
        width: side(chart.width, USUAL_SIZE.0),
        height: side(chart.height, USUAL_SIZE.1),
        data: &chart.data[..chart.data.len().min(MOST_RECORDS)],
        ..*chart
    };
    let mut scene = Scene::new(chart.width, chart.height, chart.theme.background);
    if let Some(ground) = &chart.theme.ground {
        scene.ground = ground.forms(chart.width, chart.height);
    }
    let pointed = chart.interactive && chart.data.len() <= MOST_POINTED;
    // Annotations find their marks by what pointers would.
    scene.interactive = pointed || chart.style.has_anchors();
    scene.wanted = frame::wanted_rows(chart);
    scene.id_prefix = chart.id_prefix.chars().filter(char::is_ascii_alphanumeric).collect();
    scene.family = chart.theme.body_font.faces.family();
    chart.theme.warnings.iter().for_each(|it| scene.warn(it));
    scene.lang = chart.language().tag.to_owned();
    scene.title = text::clean(chart.title).into_owned();
    if left_out {
        scene.warn(format!("Only the first {MOST_RECORDS} records are drawn."));
    }
    let frame = frame::open(chart, &mut scene);
    if frame.area.width() < SMALLEST_PLOT || frame.area.height() < SMALLEST_PLOT {
        scene.warn("The canvas has no room for a chart.");
    } else {
        (chart.kind.draw)(chart, &frame, &mut scene);
        scene.untag();
    }
    dense::thin(&mut scene);
    clear::drop_crowded(&mut scene);
    frame::annotate(chart, &frame.look, &mut scene);
    if !pointed {
        scene.forget_marks();
    }
    if !chart.style.description.is_empty() {
        scene.desc = text::clean(&chart.style.description).into_owned();
    }
    scene
}
