//! The ground of everything that stands on a zero line: names, value axis, plot; upright or level.

use std::borrow::Cow;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::Rules;
use crate::frame::Look;
use crate::frame::axis;
use crate::frame::axis::{Values, Zero};
use crate::frame::category::{Names, Rows};
use crate::scale::{Band, Linear};
use crate::scene::{ASCENT, Anchor, CENTER, Stroke, Text};

/// What a kind wants of the ground under its bars.
pub struct Wish<'a> {
    /// Names of the categories.
    pub names: &'a [Cow<'a, str>],
    /// Columns when true, level bars when false.
    pub upright: bool,
    /// Lowest and highest value; zero is added.
    pub range: (f64, f64),
    /// How the axis writes its numbers.
    pub rules: &'a Rules,
    /// Points kept free beyond the lowest and the highest value, for labels.
    pub room: (f64, f64),
    /// Whether ticks and rules are drawn; without them the scale fits the data tightly.
    pub axis: bool,
    /// Share of a step that stays empty.
    pub padding: f64,
    /// Thickest mark in points.
    pub most: f64,
    /// Whether names stand right of the last column: it ends with the plot, and so do the rules.
    pub flush: bool,
}

/// A laid-out ground; marks are placed on it by category and value.
pub struct Bands {
    /// Columns when true, level bars when false.
    pub upright: bool,
    /// Where marks may stand.
    pub plot: Rect,
    /// Along the categories.
    pub band: Band,
    /// Along the values.
    pub value: Linear,
}

impl Bands {
    /// Lays out and draws rules, tick labels and names.
    pub fn new(chart: &Chart, look: &Look, scene: &mut Scene, area: Rect, wish: &Wish) -> Bands {
        if wish.upright {
            upright(chart, look, scene, area, wish)
        } else {
            level(chart, look, scene, area, wish)
        }
    }

    /// A box from `start` to `end` along the categories and from one value to another.
    pub fn rect(&self, (start, end): (f64, f64), (from, to): (f64, f64)) -> Rect {
        let (one, two) = (self.value.at(from), self.value.at(to));
        let (near, far) = (one.min(two), one.max(two));
        if self.upright {
            Rect::new(start, near, end, far)
        } else {
            Rect::new(near, start, far, end)
        }
    }

    /// A label beyond the end of a bar in `rect`, on the far or (for negative values) near side.
    pub fn end_label(
        &self,
        look: &Look,
        rect: Rect,
        negative: bool,
        size: f64,
        words: &str,
    ) -> Text {
        let middle = rect.center();
        let gap = size * 0.35;
        let text = match (self.upright, negative) {
            (true, false) => look.text(middle.x, rect.y0 - gap, Anchor::Middle, size, words),
            (true, true) => {
                look.text(middle.x, rect.y1 + gap + ASCENT * size, Anchor::Middle, size, words)
            }
            (false, false) => {
                look.text(rect.x1 + gap, middle.y + CENTER * size, Anchor::Start, size, words)
            }
            (false, true) => {
                look.text(rect.x0 - gap, middle.y + CENTER * size, Anchor::End, size, words)
            }
        };
        Text { color: look.value_ink, ..text }
    }

    /// The zero line.
    pub fn base_line(&self, look: &Look, scene: &mut Scene) {
        self.rule(0.0, Stroke::new(look.axis, 1.0), scene);
    }

    /// A dashed line at a value to compare with.
    pub fn benchmark(&self, look: &Look, scene: &mut Scene, value: f64) {
        self.rule(value, Stroke::new(look.ink, 1.25 * look.unit).dashed(4.0, 3.0), scene);
    }

    fn rule(&self, value: f64, stroke: Stroke, scene: &mut Scene) {
        let at = self.value.at(value);
        let (from, to) = if self.upright {
            (Point::new(self.plot.x0, at), Point::new(self.plot.x1, at))
        } else {
            (Point::new(at, self.plot.y0), Point::new(at, self.plot.y1))
        };
        scene.line(from, to, stroke);
    }
}

/// Room in points that labels of these widths need beyond a bar's end.
pub fn label_room(upright: bool, size: f64, widest: f64) -> f64 {
    if upright { size * 1.3 } else { widest + size * 0.5 }
}

/// Ends of the scale when no axis shows it: the data's own, or those asked for.
pub fn tight(chart: &Chart, (low, high): (f64, f64)) -> (f64, f64) {
    let (low, high) = (low.min(0.0), high.max(0.0));
    let low = chart.axis_end("min").map_or(low, |it| it.min(low));
    let high = chart.axis_end("max").map_or(high, |it| it.max(high));
    if low == high { (low, low + 1.0) } else { (low, high) }
}

fn upright(chart: &Chart, look: &Look, scene: &mut Scene, mut area: Rect, wish: &Wish) -> Bands {
    area.y0 += axis::title(chart, look, scene, area);
    // Half of a tick label stands over the plot.
    let top = area.y0 + if wish.axis { look.label * 0.4 } else { 0.0 };
    let lengths = (area.height(), axis::row_spacing(look));
    let values = Values::new(chart, look, wish.range, Zero::Always, lengths, wish.rules);
    let left = if wish.axis { values.width(look).min(area.width() * 0.4) } else { 0.0 };
    let count = wish.names.len();
    // What would be empty right of the last column.
    let free = (area.width() - left).max(1.0);
    // A few columns of the greatest width stand in the middle of their steps instead.
    let flush = wish.flush && free / count.max(1) as f64 * (1.0 - wish.padding) <= wish.most;
    let share = if flush { 1.0 - wish.padding / 2.0 / count.max(1) as f64 } else { 1.0 };
    let range = (area.x0 + left, area.x0 + left + free / share);
    let band = Band { count, range, padding: wish.padding, most: wish.most };
    let (names, band) = Names::under(wish.names, band, area.height() * 0.4, look);
    let last = band.start(count.saturating_sub(1)) + band.width() + 3.0 * look.unit;
    let right = if flush { last.min(area.x1) } else { range.1 };
    let plot = Rect::new(range.0, top, right.max(range.0), (area.y1 - names.height).max(top + 1.0));
    let domain = if wish.axis { values.domain } else { tight(chart, wish.range) };
    let (low, high) = kept(wish, domain, plot.height());
    let value = Linear { domain, range: (plot.y1 - low, plot.y0 + high) };
    if wish.axis {
        values.draw_left(scene, look, plot, &value);
    }
    names.draw(scene, look, plot, &band);
    Bands { upright: true, plot, band, value }
}

fn level(chart: &Chart, look: &Look, scene: &mut Scene, mut area: Rect, wish: &Wish) -> Bands {
    area.y0 += axis::title(chart, look, scene, area);
    let below = if wish.axis { Values::height(look) } else { 0.0 };
    let bottom = (area.y1 - below).max(area.y0 + 1.0);
    let range = (area.y0, bottom);
    let band = Band { count: wish.names.len(), range, padding: wish.padding, most: wish.most };
    let rows = Rows::plan(wish.names, band.step(), area.width() * 0.36, look);
    let left = area.x0 + rows.width;
    let plot = Rect::new(left, area.y0, area.x1.max(left + 1.0), bottom);
    let lengths = (plot.width(), axis::column_spacing(look));
    let values = Values::new(chart, look, wish.range, Zero::Always, lengths, wish.rules);
    let domain = if wish.axis { values.domain } else { tight(chart, wish.range) };
    let (low, high) = kept(wish, domain, plot.width());
    let value = Linear { domain, range: (plot.x0 + low, plot.x1 - high) };
    if wish.axis {
        values.draw_bottom(scene, look, plot, &value);
    }
    rows.draw(scene, look, area.x0, &band);
    Bands { upright: false, plot, band, value }
}

/// The room for labels that is still missing when the scale reaches beyond the data.
fn kept(wish: &Wish, domain: (f64, f64), length: f64) -> (f64, f64) {
    let span = domain.1 - domain.0;
    let (low, high) = (wish.range.0.min(0.0), wish.range.1.max(0.0));
    let beyond = |reach: f64, room: f64| (room - reach / span * length).clamp(0.0, length * 0.3);
    let low = if low < 0.0 { beyond(low - domain.0, wish.room.0) } else { 0.0 };
    let high = if high > 0.0 { beyond(domain.1 - high, wish.room.1) } else { 0.0 };
    (low, high)
}

/// The ink for a label inside a mark, if the contrast suffices (4.5:1).
pub fn inner_ink(fill: Color) -> Option<Color> {
    let ink = fill.ink();
    if ink.contrast(fill) >= 4.5 { Some(ink) } else { None }
}
