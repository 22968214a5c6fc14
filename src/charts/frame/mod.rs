//! What all kinds share: title, subtitle, footer, margins, axes, legend, annotations.

mod annotations;
pub mod axis;
pub mod bands;
mod brand;
pub mod category;
pub mod curves;
pub mod legend;
mod line_labels;
pub mod lines;
mod look;
mod sequence;
pub mod side_names;
pub mod time;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::format::Word;
use crate::scene::{ASCENT, Anchor, Text};
use crate::text;
use crate::text::Face;

use brand::Brand;

pub use annotations::{annotate, wanted_rows};
pub use look::{Look, SMALLEST_TEXT};

/// The space that a kind may draw in, and the look it shares with the rest of the picture.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Between title and footer, within the margins; legend and axes go in here too.
    pub area: Rect,
    /// Sizes and inks.
    pub look: Look,
}

/// Draws title, subtitle and footer, and hands back what is left.
pub fn open(chart: &Chart, scene: &mut Scene) -> Frame {
    let look = Look::of(chart);
    let mut area = margins(chart, &look);
    let brand = Brand::of(chart, &look, area);
    if !chart.style.no_title {
        let head = brand.as_ref().map_or(area, |it| it.head(area));
        area.y0 = title(chart, &look, scene, head).unwrap_or(area.y0);
    }
    if !chart.style.no_footnote && chart.height >= look::FOOTER_FROM {
        let foot = brand.as_ref().map_or(area, |it| it.foot(area));
        area.y1 = footer(chart, &look, scene, foot).unwrap_or(area.y1);
    }
    if let Some(brand) = &brand {
        area = brand.rest(area);
        brand.draw(scene);
    }
    if area.height() < 1.0 {
        area.y1 = area.y0 + 1.0;
    }
    Frame { area, look }
}

/// Margins as asked, at most a quarter of a side, never under 4 points.
fn margins(chart: &Chart, look: &Look) -> Rect {
    let usual = look.margin;
    // The default margins of a document are those of a full canvas: smaller ones get less.
    let side = |wanted: Option<f64>, length: f64| {
        let wanted = wanted.map_or(usual, |it| it * look.shrink);
        wanted.clamp(4.0, length / 4.0)
    };
    let margin = &chart.style.margin;
    Rect::new(
        side(margin.left, chart.width),
        side(margin.top, chart.height),
        chart.width - side(margin.right, chart.width),
        chart.height - side(margin.bottom, chart.height),
    )
}

/// Draws title and subtitle; returns where what follows may begin, if there are any.
fn title(chart: &Chart, look: &Look, scene: &mut Scene, area: Rect) -> Option<f64> {
    let font = chart.theme.title_font;
    let face = font.faces.face(font.bold, false);
    // A title takes at most a third of the height, so that a chart stays below it.
    let line_height = look.title * 1.25;
    let most = ((chart.height / 3.0 / line_height) as usize).clamp(1, 3);
    let words = text::clean(chart.title);
    let mut top = area.y0;
    let lines = text::balanced(&words, area.width(), most, look.title, face);
    let full = if lines.last().is_some_and(|it| it.ends_with('…')) { Some(&words) } else { None };
    for line in &lines {
        scene.text(Text {
            face,
            color: look.ink,
            width: text::width(line, look.title, face),
            full: full.map(|it| it.clone().into_owned()),
            ..look.text(area.x0, top + ASCENT * look.title, Anchor::Start, look.title, line)
        });
        top += line_height;
    }
    let mut drawn = !lines.is_empty();
    if chart.height >= look::SUBTITLE_FROM && !chart.style.subtitle.is_empty() {
        top += if drawn { look.unit * 1.0 } else { 0.0 };
        let before = top;
        top = rich_lines(
            &chart.style.subtitle,
            look.subtitle,
            look.label_ink,
            look,
            (scene, area),
            top,
        );
        drawn |= top > before;
    }
    drawn.then_some(top + look.unit * 9.0)
}

/// Draws the footer; returns where what stands above must end, if there is one.
fn footer(chart: &Chart, look: &Look, scene: &mut Scene, area: Rect) -> Option<f64> {
    if chart.style.footer.is_empty() {
        return None;
    }
    let lines = text::lines(&chart.style.footer, area.width(), 2, look.small).len();
    if lines == 0 {
        return None;
    }
    let top = area.y1 - lines as f64 * look.small * 1.35 + look.small * 0.3;
    rich_lines(&chart.style.footer, look.small, look.muted, look, (scene, area), top);
    Some(top - look.unit * 10.0)
}

/// Sets text with markup in two lines at most; returns where it ends.
fn rich_lines(
    source: &str,
    size: f64,
    color: crate::color::Color,
    look: &Look,
    (scene, area): (&mut Scene, Rect),
    mut top: f64,
) -> f64 {
    for line in even_lines(source, area.width(), size) {
        let mut x = area.x0;
        for span in line {
            let end = x + span.width;
            scene.text(Text {
                face: span.face,
                color,
                width: text::width(span.text.trim_end(), size, span.face),
                ..look.text(x, top + ASCENT * size, Anchor::Start, size, span.text.trim_end())
            });
            x = end;
        }
        top += size * 1.35;
    }
    top
}

/// Text with markup in two lines at most, and then of about equal length.
fn even_lines(source: &str, room: f64, size: f64) -> Vec<Vec<text::Span>> {
    let mut lines = text::lines(source, room, 2, size);
    let cut = |lines: &[Vec<text::Span>]| {
        lines.iter().flatten().any(|it| it.text.trim_end().ends_with('…'))
    };
    if lines.len() < 2 || cut(&lines) {
        return lines;
    }
    let (mut low, mut high) = (room * 0.3, room);
    for _ in 0..5 {
        let middle = low.midpoint(high);
        let tried = text::lines(source, middle, 2, size);
        if tried.len() == lines.len() && !cut(&tried) {
            (lines, high) = (tried, middle);
        } else {
            low = middle;
        }
    }
    lines
}

/// Says that there is nothing to draw, calmly, in the middle of the area.
pub fn no_data(frame: &Frame, scene: &mut Scene) {
    let look = &frame.look;
    let middle = frame.area.center();
    let half = frame.area.width().min(look.label * 8.0);
    if frame.area.height() > look.label * 1.4
        && half > text::width(look.locale.word(Word::NoData), look.label, Face::Regular)
    {
        let y = middle.y + look.label * 0.36;
        let words = look.locale.word(Word::NoData);
        let words = look.text(middle.x, y, Anchor::Middle, look.label, words);
        scene.text(Text { color: look.muted, ..words });
    }
    scene.warn("No record holds a value that this kind of chart can draw.");
    if scene.desc.is_empty() {
        scene.desc = "No data.".to_owned();
    }
}
