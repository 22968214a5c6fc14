//! Dashes of lines with similar colors.

use crate::color::Color;
use crate::scene::Stroke;

/// Minimum difference (CIEDE2000) of the colors of two lines with the same dashes.
pub const MIN_DIFFERENCE: f64 = 10.0;

/// Dashes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinePattern {
    /// No dashes.
    Solid,
    /// Dashes of about twice the length of their gaps.
    Dashes,
    /// Dots.
    Dots,
    /// Long dashes with short gaps.
    LongDashes,
}

impl LinePattern {
    const ALL: [LinePattern; 4] =
        [LinePattern::Solid, LinePattern::Dashes, LinePattern::Dots, LinePattern::LongDashes];

    /// Returns the stroke with these dashes, which are proportional to its width. Dashes have flat
    /// caps, because round ones would fill the gaps. A solid line keeps its stroke.
    pub fn apply(self, stroke: Stroke) -> Stroke {
        let (dash, gap) = match self {
            LinePattern::Solid => return stroke,
            LinePattern::Dashes => (3.5, 1.75),
            LinePattern::Dots => (1.0, 1.25),
            LinePattern::LongDashes => (8.0, 1.75),
        };
        let stroke = Stroke { round: false, ..stroke };
        stroke.dashed(dash * stroke.width, gap * stroke.width)
    }
}

/// Chooses the dashes of lines with these colors, in the same order, so that two lines differ in
/// color or dashes.
///
/// A line is solid unless its color is similar to that of an earlier solid line. Equal colors do
/// not count, because only the settings of a document give two series the same color. If all dashes
/// are taken by similar colors, a line gets those with the least similar color.
pub fn choose(colors: &[Color]) -> Vec<LinePattern> {
    let mut chosen: Vec<(Color, LinePattern)> = Vec::with_capacity(colors.len());
    for color in colors {
        let nearest = |pattern: LinePattern| {
            let others = chosen.iter().filter(|(other, own)| *own == pattern && other != color);
            others.map(|(other, _)| color.difference(*other)).fold(f64::INFINITY, f64::min)
        };
        let free = LinePattern::ALL.into_iter().find(|pattern| nearest(*pattern) >= MIN_DIFFERENCE);
        let farthest = || {
            let compare = |a: &LinePattern, b: &LinePattern| nearest(*a).total_cmp(&nearest(*b));
            LinePattern::ALL.into_iter().max_by(compare).unwrap_or(LinePattern::Solid)
        };
        let pattern = free.unwrap_or_else(farthest);
        chosen.push((*color, pattern));
    }
    chosen.into_iter().map(|(_, pattern)| pattern).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::Chart;
    use crate::MAX_SERIES;
    use crate::find_kind;
    use crate::scene::Primitive;

    /// Draws a chart with a number of series and eight records. Returns color and dashes of each
    /// line, and the texts of the image.
    fn draw(slug: &str, count: usize, size: (f64, f64)) -> (Vec<Stroke>, Vec<String>) {
        let record = |row: usize| {
            let mut record = Map::new();
            record.insert("label".to_owned(), json!(format!("{}", 2010 + row)));
            for series in 0..count {
                let value = 10 + series * 7 + row * (series % 5);
                record.insert(format!("Land {}", series + 1), json!(value));
            }
            Value::Object(record)
        };
        let data: Vec<Value> = (0..8).map(record).collect();
        let (width, height) = size;
        let chart = Chart { width, height, ..Chart::new(find_kind(slug).unwrap(), &data) };
        let scene = crate::draw(&chart);
        let lines = scene.shapes.iter().filter_map(|shape| match &shape.primitive {
            Primitive::Polyline { stroke, .. } => Some(*stroke),
            Primitive::Path { stroke: Some(stroke), .. } if stroke.width >= 1.5 => Some(*stroke),
            _ => None,
        });
        (lines.collect(), scene.text_boxes().map(|(text, _)| text.to_owned()).collect())
    }

    #[test]
    fn two_lines_differ_in_color_or_dashes() {
        for (slug, count) in [("line", MAX_SERIES), ("line", 15), ("radar", 16)] {
            let (lines, _) = draw(slug, count, (720.0, 405.0));
            assert_eq!(lines.len(), count, "{slug}");
            for (one, two) in (0..count).flat_map(|one| (0..one).map(move |two| (one, two))) {
                let difference = lines[one].color.difference(lines[two].color);
                let differ = lines[one].dash != lines[two].dash;
                assert!(differ || difference >= MIN_DIFFERENCE, "{slug} {one} {two} {difference}");
            }
        }
    }

    #[test]
    fn sixteen_lines_have_names_at_their_ends() {
        let (_, texts) = draw("line", 16, (720.0, 405.0));
        for series in 1..=16 {
            let name = format!("Land {series}");
            assert_eq!(texts.iter().filter(|text| **text == name).count(), 1, "{texts:?}");
        }
    }

    #[test]
    fn lines_with_the_same_color_are_solid() {
        let (red, gray) = (Color::hex(0xcc0000), Color::hex(0x999999));
        assert_eq!(choose(&[red, gray, gray, gray]), [LinePattern::Solid; 4]);
        let similar = Color::hex(0x9b9b9b);
        assert_eq!(choose(&[gray, similar])[1], LinePattern::Dashes);
    }
}
