//! Texts of regions without space for them, outside of the ovals with lines to their regions.

use kurbo::{Line, Point, Rect, Size};

use crate::Scene;
use crate::frame::ChartStyle;
use crate::frame::callouts;
use crate::kinds::venn::names::SetName;
use crate::kinds::venn::ovals::{Oval, RegionGrid};
use crate::scene::{Anchor, Stroke};
use crate::steps::StepText;

/// Words of a region's text.
pub(super) struct RegionContent {
    /// Index of the region.
    pub region: usize,
    /// First lines: names of sets inside other sets, or else the formatted amount.
    pub head: String,
    /// Lines below. May be empty.
    pub body: String,
}

/// Maximum width of a text as a multiple of its font size.
const MAX_WIDTH: f64 = 14.0;

/// A text outside of the ovals.
pub struct Callout {
    block: StepText,
    rect: Rect,
    /// Line from the region to the text.
    line: Line,
}

/// The canvas around the ovals.
pub struct Surroundings<'a> {
    /// Area of the diagram in points, without a legend.
    pub area: Rect,
    /// Ovals on the canvas.
    pub ovals: &'a [Oval],
    /// Bounds of the texts that are already placed.
    pub occupied: Vec<Rect>,
}

impl Surroundings<'_> {
    /// Places the text of a region as near to it as possible, outside of all ovals and other texts.
    /// Returns None without space, or if the region has no point.
    pub fn place(
        &mut self,
        content: &RegionContent,
        grid: &RegionGrid,
        style: &ChartStyle,
    ) -> Option<Callout> {
        let start = grid.find_point(content.region)?;
        let small = style.small_size;
        [(style.label_size, small), (small, small)].into_iter().find_map(|sizes| {
            let max_size = (MAX_WIDTH * sizes.1, 8.0 * sizes.1);
            let block = StepText::new(&content.head, &content.body, max_size, sizes);
            if !block.is_uncut() || block.height() < 1.0 {
                return None;
            }
            let (rect, line) = self.find_position(start, &block, style)?;
            self.occupied.push(rect);
            Some(Callout { block, rect, line })
        })
    }

    /// Returns the free rectangle for a text with the shortest line from `start`, and this line.
    fn find_position(
        &self,
        start: Point,
        block: &StepText,
        style: &ChartStyle,
    ) -> Option<(Rect, Line)> {
        let gap = style.small_size * 0.3;
        let callout = callouts::Callout {
            start,
            size: Size::new(block.width(), block.height()),
            max_length: self.area.width().hypot(self.area.height()),
            gap: gap * 0.5,
            taken: &self.occupied,
            lines: &[],
        };
        callout.find_place(|rect| self.is_free(rect, gap))
    }

    /// Returns whether a rectangle is in the area, and with a margin of `gap` outside of all ovals and
    /// texts.
    fn is_free(&self, rect: Rect, gap: f64) -> bool {
        let clearance = rect.inflate(gap, gap);
        self.area.contains_rect(rect)
            && self.ovals.iter().all(|oval| oval.is_disjoint_from(clearance))
            // More distance to texts, so that the number is not read as a part of them.
            && !self.occupied.iter().any(|other| other.overlaps(rect.inflate(gap * 3.0, gap * 2.5)))
    }
}

impl Callout {
    /// Draws the line with a dot in the region, and the text at its end.
    pub fn draw(&self, style: &ChartStyle, scene: &mut Scene) {
        let color = style.text_color;
        scene.line(self.line.p0, self.line.p1, Stroke::new(color, 0.75 * style.unit));
        scene.circle(self.line.p0, 1.5 * style.unit, color, None);
        let position = (self.rect.center().x, self.rect.y0);
        self.block.draw(scene, style, position, Anchor::Middle, (color, color));
    }
}

/// Returns the bounds of the name of a set.
pub fn bounds_of_name(name: &SetName) -> Rect {
    let SetName { block, position, anchor } = name;
    let left = match anchor {
        Anchor::Start => position.x,
        Anchor::Middle => position.x - block.width() / 2.0,
        Anchor::End => position.x - block.width(),
    };
    Rect::from_origin_size((left, position.y), (block.width(), block.height()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Chart;

    #[test]
    fn numbers_without_space_in_their_regions_are_beside_the_ovals() {
        let record = |(sets, value): (&str, i32)| json!({"sets": sets, "value": value});
        let three = [("A", 120), ("B", 80), ("C", 60), ("A & B", 20), ("A & C", 10)];
        let mut three: Vec<Value> = three.map(record).into();
        three.extend([("B & C", 8), ("A & B & C", 3)].map(record));
        let two: Vec<Value> =
            [("Newsletter", 12_000), ("App", 300), ("Newsletter & App", 250)].map(record).into();
        let kind = crate::find_kind("venn").unwrap();
        for (data, numbers) in [(three, ["3", "5"]), (two, ["50", "250"])] {
            for (width, height) in [(320.0, 180.0), (720.0, 405.0)] {
                let scene = crate::draw(&Chart { width, height, ..Chart::new(kind, &data) });
                let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
                assert_eq!(scene.omissions, [], "{width}: {texts:?}");
                assert!(numbers.iter().all(|number| texts.contains(number)), "{texts:?}");
            }
        }
    }
}
