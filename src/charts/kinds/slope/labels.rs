//! Labels with name and value at both ends of the lines, spread so that they do not overlap.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::format::NumberFormat;
use crate::frame::ChartStyle;
use crate::kinds::slope::Slope;
use crate::scale::LinearScale;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::spread;
use crate::text;
use crate::text::Face;

/// Labels and the space they need, computed before the width of the plot is known.
pub struct Texts {
    /// Width in points reserved left of the plot.
    pub left: f64,
    /// Width in points reserved right of the plot.
    pub right: f64,
    size: f64,
    /// Whether the left side shows names, too. On narrow canvases it shows only values.
    both: bool,
    words: Vec<(String, String)>,
    values: bool,
    shown: bool,
}

/// Height of a label as a share of the font size.
const LINE: f64 = 1.2;

impl Texts {
    /// Formats the values and measures the labels.
    pub fn new(
        chart: &Chart,
        slopes: &[Slope],
        format: &NumberFormat,
        area: Rect,
        style: &ChartStyle,
    ) -> Texts {
        let values = chart.bool_setting("showValues", true);
        let words = |it: Option<f64>| match it {
            Some(it) if values => format.text(it),
            _ => String::new(),
        };
        let words: Vec<(String, String)> =
            slopes.iter().map(|it| (words(it.before), words(it.after))).collect();
        let fits = |size: f64| slopes.len() as f64 * size * LINE <= area.height();
        let size = if fits(style.label_size) { style.label_size } else { style.small_size };
        let gap = style.unit * 9.0;
        let widest = |all: &mut dyn Iterator<Item = f64>| all.fold(0.0, f64::max);
        let numbers = widest(&mut words.iter().flat_map(|it| {
            [text::width(&it.0, size, Face::BOLD), text::width(&it.1, size, Face::BOLD)]
        }));
        let between = if numbers > 0.0 { size * 0.5 } else { 0.0 };
        let names = widest(&mut slopes.iter().map(|it| style.text_width(&it.label, size)));
        let full = gap + numbers + between + names;
        let both = area.width() >= style.label_size * 34.0;
        let most = area.width() * if both { 0.3 } else { 0.44 };
        let left = if both { full.min(most) } else { gap + numbers };
        let right = full.min(most);
        let shown = left + right <= area.width() * 0.85;
        // Without labels, half of the end points still needs space.
        let (left, right) =
            if shown { (left, right) } else { (style.unit * 6.0, style.unit * 6.0) };
        Texts { left, right, size, both, words, values, shown }
    }

    /// Draws the labels of both sides, if they fit.
    pub fn draw(
        &self,
        slopes: &[Slope],
        plot: Rect,
        y: &LinearScale,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        if !self.shown {
            return;
        }
        if self.both || self.values {
            let ends = slopes.iter().map(|it| it.before).collect::<Vec<_>>();
            self.side(slopes, &ends, (plot, y), style, true, scene);
        }
        let ends = slopes.iter().map(|it| it.after).collect::<Vec<_>>();
        self.side(slopes, &ends, (plot, y), style, false, scene);
    }

    /// Draws the labels of one side, spread apart. If not all fit, only the most important ones are
    /// drawn.
    fn side(
        &self,
        slopes: &[Slope],
        ends: &[Option<f64>],
        (plot, y): (Rect, &LinearScale),
        style: &ChartStyle,
        left: bool,
        scene: &mut Scene,
    ) {
        let mut places: Vec<(f64, usize)> = (ends.iter().enumerate())
            .filter_map(|(index, end)| Some((y.at((*end)?), index)))
            .collect();
        let height = self.size * LINE;
        if places.len() as f64 * height > plot.height() {
            places = weightiest(slopes, places, height);
        }
        places.sort_by(|one, two| one.0.total_cmp(&two.0));
        let wanted: Vec<f64> = places.iter().map(|it| it.0).collect();
        let heights = vec![height; wanted.len()];
        let middles = spread::spread_apart(&wanted, &heights, plot.y0, plot.y1);
        for ((wanted, index), middle) in places.into_iter().zip(middles) {
            let (Some(slope), Some(words)) = (slopes.get(index), self.words.get(index)) else {
                continue;
            };
            let value = if left { &words.0 } else { &words.1 };
            self.label(slope, value, (plot, wanted, middle), style, left, scene);
        }
    }

    /// Draws a label, with a leader line if it is not at the height of its end point.
    fn label(
        &self,
        slope: &Slope,
        value: &str,
        (plot, wanted, middle): (Rect, f64, f64),
        style: &ChartStyle,
        left: bool,
        scene: &mut Scene,
    ) {
        let (size, gap) = (self.size, style.unit * 9.0);
        let toward = if left { -1.0 } else { 1.0 };
        let (edge, room) = if left { (plot.x0, self.left) } else { (plot.x1, self.right) };
        let anchor = if left { Anchor::End } else { Anchor::Start };
        let quiet = slope.color == style.faded_color();
        let ink =
            if quiet { style.label_color } else { slope.color.readable_on(style.background, 4.5) };
        if (wanted - middle).abs() > size * 0.5 {
            let stroke = Stroke::new(slope.color.mix(style.background, 0.4), 1.0);
            let at = |share: f64, y: f64| Point::new(edge + toward * gap * share, y);
            scene.line(at(0.35, wanted), at(0.85, middle), stroke);
        }
        let baseline = middle + HALF_CAP_HEIGHT_EM * size;
        let width = text::width(value, size, Face::BOLD);
        let set = style.label_text(edge + toward * gap, baseline, anchor, size, value);
        scene.text(Text { face: Face::BOLD, width, color: ink, ..set });
        if left && !self.both {
            return;
        }
        let used = gap + width + if width > 0.0 { size * 0.5 } else { 0.0 };
        let name = text::ellipsize(&slope.label, room - used + 0.1, size, style.label_face());
        let full = (name != slope.label).then(|| slope.label.to_string());
        let face = if slope.highlighted { Face::BOLD } else { style.label_face() };
        let width = text::width(&name, size, face);
        // A bold name may be wider than the space measured for a regular one.
        let (face, width) = if width <= room - used + 0.1 {
            (face, width)
        } else {
            (style.label_face(), style.text_width(&name, size))
        };
        let set = style.label_text(edge + toward * used, baseline, anchor, size, &name);
        scene.text(Text { full, face, width, color: ink, ..set });
    }
}

/// Returns the labels that do not overlap at their original positions. Highlighted records have
/// priority, then large changes.
fn weightiest(slopes: &[Slope], mut places: Vec<(f64, usize)>, height: f64) -> Vec<(f64, usize)> {
    let weight = |index: usize| {
        let Some(it) = slopes.get(index) else { return (false, 0.0) };
        let change =
            it.before.zip(it.after).map_or(0.0, |(from, to)| (to / 2.0 - from / 2.0).abs());
        (it.highlighted, change)
    };
    places.sort_by(|one, two| {
        let (a, b) = (weight(one.1), weight(two.1));
        b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(one.1.cmp(&two.1))
    });
    let mut kept: Vec<(f64, usize)> = Vec::new();
    // Only the first 400 are checked, because hardly any more would fit and the time is quadratic.
    for place in places.into_iter().take(400) {
        if kept.iter().all(|it| (it.0 - place.0).abs() >= height) {
            kept.push(place);
        }
    }
    kept
}
