//! Title, subtitle and footer of a chart.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::frame::style;
use crate::frame::style::ChartStyle;
use crate::scene::{ASCENT_EM, Anchor, Primitive, Stroke, Text};
use crate::text;
use crate::text::Face;

/// Line height of subtitle and footer as a multiple of the font size.
const LINE_HEIGHT: f64 = 1.35;

/// Draws title and subtitle at the top of `area`. Returns the y coordinate in points below them and
/// a gap, or None if neither is drawn. A low canvas has no subtitle.
pub fn draw_title(chart: &Chart, style: &ChartStyle, scene: &mut Scene, area: Rect) -> Option<f64> {
    let font = chart.theme.title_font;
    let face = Face::from_family(font.family, font.bold, false);
    // At most a third of the height, so that space for the chart remains.
    let line_height = style.title_size * 1.25;
    let max_lines = ((chart.height / 3.0 / line_height) as usize).clamp(1, 3);
    let title = text::sanitize(chart.title);
    let mut top = area.y0;
    begin_text_mark("title", scene);
    let lines = text::wrap_balanced(&title, area.width(), max_lines, style.title_size, face);
    let full =
        if lines.last().is_some_and(|line| line.ends_with('…')) { Some(&title) } else { None };
    for line in &lines {
        scene.text(Text {
            face,
            color: style.text_color,
            width: text::width(line, style.title_size, face),
            full: full.map(|title| title.clone().into_owned()),
            ..style.label_text(
                area.x0,
                top + ASCENT_EM * style.title_size,
                Anchor::Start,
                style.title_size,
                line,
            )
        });
        top += line_height;
    }
    let mut has_text = !lines.is_empty();
    if chart.height >= style::MIN_HEIGHT_FOR_SUBTITLE && !chart.style.subtitle.is_empty() {
        top += if has_text { style.unit * 1.0 } else { 0.0 };
        let subtitle_top = top;
        begin_text_mark("subtitle", scene);
        top = draw_markup(
            &chart.style.subtitle,
            style.subtitle_size,
            style.label_color,
            style,
            scene,
            area,
            top,
        );
        has_text |= top > subtitle_top;
    }
    scene.end_mark();
    has_text.then_some(top + style.unit * 9.0)
}

/// Draws the footer at the bottom of `area`. Returns the y coordinate in points at which the chart
/// above must end, with a gap, or None if the chart has no footer.
pub fn draw_footer(
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
    area: Rect,
) -> Option<f64> {
    if chart.style.footer.is_empty() {
        return None;
    }
    let lines = text::wrap_markup(&chart.style.footer, area.width(), 2, style.small_size).len();
    if lines == 0 {
        return None;
    }
    let top = area.y1 - lines as f64 * style.small_size * LINE_HEIGHT + style.small_size * 0.3;
    begin_text_mark("footer", scene);
    draw_markup(&chart.style.footer, style.small_size, style.muted_color, style, scene, area, top);
    scene.end_mark();
    Some(top - style.unit * 10.0)
}

/// Begins the mark of a text around the chart, so that an editor finds it. It has no record and no
/// tip. Does nothing if the scene is not interactive.
fn begin_text_mark(part: &'static str, scene: &mut Scene) {
    scene.begin_mark(part, None, || (None, String::new()));
}

/// Draws text with markup in at most two lines from `top` down. Returns the y coordinate of the
/// lower end in points.
fn draw_markup(
    source: &str,
    size: f64,
    color: Color,
    style: &ChartStyle,
    scene: &mut Scene,
    area: Rect,
    mut top: f64,
) -> f64 {
    for mut line in wrap_balanced_markup(source, area.width(), size) {
        // A mirrored canvas shows the spans from right to left.
        if style.is_mirrored && !line.first().is_some_and(|span| text::is_rtl(&span.text)) {
            line.reverse();
        }
        let mut x = area.x0;
        for span in line {
            draw_span(&span, color, (x, top + ASCENT_EM * size), size, style, scene);
            x += span.width;
        }
        top += size * LINE_HEIGHT;
    }
    top
}

/// Draws a part of a line with its start at `x` and on a baseline, both in points. A link is
/// underlined.
fn draw_span(
    span: &text::Span,
    color: Color,
    (x, baseline): (f64, f64),
    size: f64,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let shown = span.text.trim_end();
    let width = text::width(shown, size, span.face);
    if let Some(address) = &span.link {
        scene.push(Primitive::BeginLink(address.clone()));
    }
    let plain = style.label_text(x, baseline, Anchor::Start, size, shown);
    scene.text(Text { face: span.face, color, width, ..plain });
    if span.link.is_some() {
        let y = baseline + UNDERLINE_OFFSET_EM * size;
        let stroke = Stroke::new(color, size * UNDERLINE_WIDTH_EM);
        scene.line((x, y), (x + width, y), stroke);
        scene.push(Primitive::EndLink);
    }
}

/// Distance of the middle of an underline to the baseline, and its width, relative to the font size.
const UNDERLINE_OFFSET_EM: f64 = 0.14;
const UNDERLINE_WIDTH_EM: f64 = 0.06;

/// Wraps text with markup into at most two lines of at most `width` points. Two lines get about
/// the same length.
fn wrap_balanced_markup(source: &str, width: f64, size: f64) -> Vec<Vec<text::Span>> {
    let mut lines = text::wrap_markup(source, width, 2, size);
    let is_cut = |lines: &[Vec<text::Span>]| {
        lines.iter().flatten().any(|span| span.text.trim_end().ends_with('…'))
    };
    if lines.len() < 2 || is_cut(&lines) {
        return lines;
    }
    let (mut low, mut high) = (width * 0.3, width);
    for _ in 0..5 {
        let middle = low.midpoint(high);
        let narrower = text::wrap_markup(source, middle, 2, size);
        if narrower.len() == lines.len() && !is_cut(&narrower) {
            (lines, high) = (narrower, middle);
        } else {
            low = middle;
        }
    }
    lines
}
