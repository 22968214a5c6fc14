//! Title, subtitle and footer of a chart.

use std::sync::Arc;

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
/// a gap, or None if neither is drawn. A low canvas has no subtitle. Warns about texts that are cut
/// or left out.
pub fn draw_title(chart: &Chart, style: &ChartStyle, scene: &mut Scene, area: Rect) -> Option<f64> {
    let font = chart.theme.title_font;
    let face = Face::from_family(font.family, font.bold, false);
    // At most a third of the height, so that space for the chart remains.
    let line_height = style.title_size * 1.25;
    let max_lines = ((chart.height / 3.0 / line_height) as usize).clamp(1, 3);
    let title = text::sanitize(chart.title);
    let mut top = area.y0;
    begin_text_mark("title", scene);
    let parted = text::part_long_words(&title, area.width(), style.title_size, face);
    let lines = text::wrap_balanced(&parted, area.width(), max_lines, style.title_size, face);
    let full = (!text::is_whole(&lines, &title)).then_some(&title);
    match (title.is_empty(), lines.is_empty(), full) {
        (false, true, _) => scene.warn("The title is left out because the image is too small."),
        (false, false, Some(_)) => scene.warn("The title is shortened to fit the image."),
        _ => {}
    }
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
    let has_title = !lines.is_empty();
    let gap = if has_title { style.unit * 1.0 } else { 0.0 };
    let bottom = draw_subtitle(chart, style, scene, area, top + gap);
    scene.end_mark();
    bottom.or(has_title.then_some(top)).map(|bottom| bottom + style.unit * 9.0)
}

/// Draws the subtitle from `top` down. Returns the y coordinate in points of its lower end, or None if
/// there is none or it is left out.
fn draw_subtitle(
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
    area: Rect,
    top: f64,
) -> Option<f64> {
    let lines = wrap_balanced_markup(&chart.style.subtitle, area.width(), style.subtitle_size);
    let has_space = chart.height >= style::MIN_HEIGHT_FOR_SUBTITLE && !lines.is_empty();
    if !has_space {
        if has_text(&chart.style.subtitle) {
            scene.warn("The subtitle is left out because the image is too small.");
        }
        return None;
    }
    if is_cut(&lines, &chart.style.subtitle) {
        scene.warn("The subtitle is shortened to fit the image.");
    }
    begin_text_mark("subtitle", scene);
    let text = MarkupText { source: &chart.style.subtitle, lines, size: style.subtitle_size };
    Some(text.draw(style.label_color, style, scene, area, top))
}

/// Draws the footer at the bottom of `area`. Returns the y coordinate in points at which the chart
/// above must end, with a gap, or None if the chart has no footer or is too low for it. Warns about a
/// footer that is cut or left out.
pub fn draw_footer(
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
    area: Rect,
) -> Option<f64> {
    let lines = wrap_balanced_markup(&chart.style.footer, area.width(), style.small_size);
    if chart.height < style::MIN_HEIGHT_FOR_FOOTER || lines.is_empty() {
        if has_text(&chart.style.footer) {
            scene.warn("The footer is left out because the image is too small.");
        }
        return None;
    }
    if is_cut(&lines, &chart.style.footer) {
        scene.warn("The footer is shortened to fit the image.");
    }
    let height = lines.len() as f64 * style.small_size * LINE_HEIGHT;
    let top = area.y1 - height + style.small_size * 0.3;
    begin_text_mark("footer", scene);
    let text = MarkupText { source: &chart.style.footer, lines, size: style.small_size };
    text.draw(style.muted_color, style, scene, area, top);
    scene.end_mark();
    Some(top - style.unit * 10.0)
}

/// Returns whether text with markup has a visible character.
fn has_text(source: &str) -> bool {
    !text::wrap_markup(source, f64::INFINITY, 1, 10.0).is_empty()
}

/// Begins the mark of a text around the chart, so that an editor finds it. It has no record and no
/// tip. Does nothing if the scene is not interactive.
fn begin_text_mark(part: &'static str, scene: &mut Scene) {
    scene.begin_mark(part, None, || (None, String::new()));
}

/// Text with markup, wrapped into lines.
struct MarkupText<'a> {
    source: &'a str,
    lines: Vec<Vec<text::Span>>,
    /// Font size in points.
    size: f64,
}

impl MarkupText<'_> {
    /// Draws the lines from `top` down. Shortened ones have the whole text as tooltip. Returns the y
    /// coordinate of the lower end in points.
    fn draw(
        self,
        color: Color,
        style: &ChartStyle,
        scene: &mut Scene,
        area: Rect,
        mut top: f64,
    ) -> f64 {
        let full = is_cut(&self.lines, self.source).then(|| {
            let join = |line: &Vec<text::Span>| line.iter().map(|span| &*span.text).collect();
            unlimited_lines(self.source).iter().map(join).collect::<Vec<String>>().join(" ")
        });
        for mut line in self.lines {
            // A mirrored canvas shows the spans from right to left.
            if style.is_mirrored && !line.first().is_some_and(|span| text::is_rtl(&span.text)) {
                line.reverse();
            }
            let mut x = area.x0;
            for span in line {
                let baseline = top + ASCENT_EM * self.size;
                let plain =
                    style.label_text(x, baseline, Anchor::Start, self.size, span.text.trim_end());
                let text = Text { face: span.face, color, full: full.clone(), ..plain };
                draw_span(text, span.link.as_ref(), scene);
                x += span.width;
            }
            top += self.size * LINE_HEIGHT;
        }
        top
    }
}

/// Draws a part of a line. A link is underlined.
fn draw_span(text: Text, link: Option<&Arc<str>>, scene: &mut Scene) {
    let width = text::width(&text.text, text.size, text.face);
    let text = Text { width, ..text };
    let Some(address) = link else { return scene.text(text) };
    let y = text.y + UNDERLINE_OFFSET_EM * text.size;
    let (x, stroke) = (text.x, Stroke::new(text.color, text.size * UNDERLINE_WIDTH_EM));
    scene.push(Primitive::BeginLink(address.clone()));
    scene.text(text);
    scene.line((x, y), (x + width, y), stroke);
    scene.push(Primitive::EndLink);
}

/// Distance of the middle of an underline to the baseline, and its width, relative to the font size.
const UNDERLINE_OFFSET_EM: f64 = 0.14;
const UNDERLINE_WIDTH_EM: f64 = 0.06;

/// Wraps text with markup into at most two lines of at most `width` points. Two lines get about
/// the same length.
fn wrap_balanced_markup(source: &str, width: f64, size: f64) -> Vec<Vec<text::Span>> {
    let mut lines = text::wrap_markup(source, width, 2, size);
    if lines.len() < 2 || is_cut(&lines, source) {
        return lines;
    }
    let (mut low, mut high) = (width * 0.3, width);
    for _ in 0..5 {
        let middle = low.midpoint(high);
        let narrower = text::wrap_markup(source, middle, 2, size);
        if narrower.len() == lines.len() && !is_cut(&narrower, source) {
            (lines, high) = (narrower, middle);
        } else {
            low = middle;
        }
    }
    lines
}

/// Returns whether lines of `source` are shortened: a part of them ends with an ellipsis, and their text is
/// another one than that of lines without limits.
fn is_cut(lines: &[Vec<text::Span>], source: &str) -> bool {
    // Spaces and hyphens depend on the ends of lines.
    let letters = |lines: &[Vec<text::Span>]| -> String {
        let letters = lines.iter().flatten().flat_map(|span| span.text.chars());
        letters.filter(|letter| !letter.is_whitespace() && !"-\u{2010}".contains(*letter)).collect()
    };
    let has_ellipsis = lines.iter().flatten().any(|span| span.text.trim_end().ends_with('…'));
    has_ellipsis && letters(lines) != letters(&unlimited_lines(source))
}

/// Returns the lines of a text with markup that is broken only where it has breaks.
fn unlimited_lines(source: &str) -> Vec<Vec<text::Span>> {
    text::wrap_markup(source, f64::INFINITY, usize::MAX, 1.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Draws a chart with texts around it. Returns the warnings, and the drawn texts with the whole texts
    /// of shortened ones.
    fn draw(
        title: &str,
        texts: serde_json::Value,
        (width, height): (f64, f64),
    ) -> (Vec<String>, Vec<(String, Option<String>)>) {
        let kind = crate::find_kind("bar").unwrap();
        let data = [json!({"label": "A", "value": 1})];
        let style = crate::style::Style::parse(&texts);
        let chart = Chart { title, style: &style, width, height, ..Chart::new(kind, &data) };
        let scene = crate::draw(&chart);
        let texts = scene.shapes.into_iter().filter_map(|shape| match shape.primitive {
            Primitive::Text(text) => Some((text.text, text.full)),
            _ => None,
        });
        (scene.warnings, texts.collect())
    }

    #[test]
    fn texts_that_a_low_image_leaves_out_or_cuts_are_reported() {
        let title = "Heating demand of municipal buildings in the districts of the city, adjusted \
                     for weather, compared with the demand of the reference years 2008 to 2012";
        let texts = json!({"subtitle": "In <b>MWh</b>", "footer": "Source: city"});
        let (warnings, drawn) = draw(title, texts, (320.0, 120.0));
        let expected = [
            "The title is shortened to fit the image.",
            "The subtitle is left out because the image is too small.",
            "The footer is left out because the image is too small.",
        ];
        assert_eq!(warnings, expected);
        let cut = drawn.iter().filter(|(text, _)| text.ends_with('…')).collect::<Vec<_>>();
        assert!(matches!(cut[..], [(_, Some(full))] if full == title), "{drawn:?}");
        let (warnings, drawn) = draw("", json!({"subtitle": "<p> </p>"}), (320.0, 120.0));
        assert!(warnings.is_empty(), "{warnings:?} {drawn:?}");
    }

    #[test]
    fn subtitles_and_footers_that_are_cut_are_reported_and_have_their_whole_text() {
        let long = "The <i>number</i> of passengers on working days ".repeat(6);
        let texts = json!({"subtitle": long, "footer": format!("Note: {long}")});
        let (warnings, drawn) = draw("Passengers", texts.clone(), (320.0, 240.0));
        let expected = [
            "The subtitle is shortened to fit the image.",
            "The footer is shortened to fit the image.",
        ];
        assert_eq!(warnings, expected);
        let whole = long.replace("<i>", "").replace("</i>", "");
        let cut = drawn.iter().filter(|(text, _)| text.ends_with('…'));
        let fulls: Vec<&str> = cut.filter_map(|(_, full)| full.as_deref()).map(str::trim).collect();
        assert_eq!(fulls, [whole.trim(), &*format!("Note: {}", whole.trim())]);
        let (warnings, _) = draw("Passengers", json!({"subtitle": "Per day"}), (320.0, 240.0));
        assert_eq!(warnings, [""; 0]);
        let own =
            json!({"subtitle": "Passengers <i>per day</i> and so on …", "footer": "And more…"});
        let (warnings, drawn) = draw("Passengers", own, (320.0, 240.0));
        assert_eq!(warnings, [""; 0]);
        assert!(drawn.iter().all(|(_, full)| full.is_none()), "{drawn:?}");
    }
}
