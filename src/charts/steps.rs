//! Steps and levels: records of a name and a description, and their texts set in boxes.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::frame::Look;
use crate::scene::{ASCENT, Anchor, DESCENT, Text};
use crate::text;
use crate::text::Face;

/// Height of a line as a share of its size.
const LEADING: f64 = 1.22;
/// Between name and description as a share of the name's size.
const GAP: f64 = 0.2;
/// Descriptions have at most so many lines.
const MOST_LINES: usize = 5;

/// A record with a name, a description or both.
pub struct Step {
    /// Place of its record.
    pub row: usize,
    /// Its name.
    pub label: String,
    /// What is said about it; may be empty.
    pub description: String,
    /// Whether it stands out.
    pub highlighted: bool,
}

impl Step {
    /// Names and describes the mark for a pointer.
    pub fn tip(&self) -> String {
        if self.description.is_empty() {
            return self.label.clone();
        }
        format!("{}: {}", self.label, self.description)
    }
}

/// The records that say something.
pub fn read(chart: &Chart) -> Vec<Step> {
    let step = |(row, record)| {
        let label = data::label(record).into_owned();
        let description = data::words(data::field(record, "description")).into_owned();
        let highlighted = data::flag(data::field(record, "highlighted"));
        let said = !label.is_empty() || !description.is_empty();
        said.then_some(Step { row, label, description, highlighted })
    };
    chart.data.iter().enumerate().filter_map(step).collect()
}

/// The fill of a step: its usual one, or accent and grey when `any` step is highlighted.
pub fn fill(chart: &Chart, look: &Look, any: bool, step: &Step, usual: Color) -> Color {
    match (any, step.highlighted) {
        (false, _) => usual,
        (true, true) => chart.theme.highlight,
        (true, false) => look.faded(),
    }
}

/// Keeps the first `most` steps and says how many there are besides, at the lower right of `area`;
/// returns what is left of it.
pub fn limit(
    steps: &mut Vec<Step>,
    most: usize,
    area: Rect,
    look: &Look,
    scene: &mut Scene,
) -> Rect {
    let more = steps.len().saturating_sub(most.max(1));
    steps.truncate(most.max(1));
    note_more(more, area, look, scene)
}

/// Says how many records have no room, at the lower right of `area`; returns what is left of it.
pub fn note_more(more: usize, area: Rect, look: &Look, scene: &mut Scene) -> Rect {
    if more == 0 {
        return area;
    }
    scene.warn(format!("Records without room: {more}."));
    scene.text(look.more((area.x1, area.y1 - DESCENT * look.small), Anchor::End, more, ""));
    Rect { y1: area.y1 - note_height(look), ..area }
}

/// Height that [`note_more`] may take at the foot.
pub fn note_height(look: &Look) -> f64 {
    look.small * 1.6
}

/// A name over its description, set in lines.
pub struct Block {
    head: Vec<String>,
    body: Vec<String>,
    /// The whole texts, where they were shortened.
    full: (Option<String>, Option<String>),
    sizes: (f64, f64),
}

/// Sets the texts of all steps in boxes of this width and height, alike: in one size, and with
/// descriptions only when each has a line or two to tell something.
pub fn blocks(steps: &[Step], (width, height): (f64, f64), look: &Look) -> Vec<Block> {
    let set = |sizes: (f64, f64), described: bool| -> Vec<Block> {
        let body = |it: &Step| if described { it.description.clone() } else { String::new() };
        steps.iter().map(|it| Block::new(&it.label, &body(it), (width, height), sizes)).collect()
    };
    let named = |blocks: &[Block]| !blocks.iter().any(Block::is_cut);
    let large = set((look.subtitle, look.label), true);
    if large.iter().all(Block::is_whole) {
        return large;
    }
    let size = if named(&set((look.label, look.small), false)) { look.label } else { look.small };
    let told = set((size, look.small), true);
    let plain = set((size, look.small), false);
    let telling = |it: (&Block, &Step)| it.1.description.is_empty() || it.0.is_telling();
    if told.iter().zip(steps).all(telling) && (named(&told) || !named(&plain)) {
        told
    } else {
        plain
    }
}

impl Block {
    /// A name in two lines at most, and as much of the description as fits below it.
    pub fn new(
        label: &str,
        description: &str,
        (width, height): (f64, f64),
        sizes: (f64, f64),
    ) -> Block {
        let lines = |height: f64, size: f64| {
            let more = (height - (ASCENT + DESCENT) * size) / (size * LEADING);
            if more < -0.01 { 0 } else { 1 + (more + 0.01).max(0.0) as usize }
        };
        let head = text::balanced(label, width, lines(height, sizes.0).min(2), sizes.0, Face::Bold);
        let gap = if head.is_empty() { 0.0 } else { sizes.0 * GAP };
        let used = head.len() as f64 * sizes.0 * LEADING + gap;
        let most = lines(height - used, sizes.1).min(MOST_LINES);
        let body = text::balanced(description, width, most, sizes.1, Face::Regular);
        let cut = |lines: &[String], whole: &str| {
            let short = lines.iter().any(|it| it.ends_with('…')) && !whole.ends_with('…');
            (short || lines.is_empty() && !whole.is_empty()).then(|| whole.to_owned())
        };
        let full = (cut(&head, label), cut(&body, description));
        Block { head, body, full, sizes }
    }

    /// Whether the name had to be shortened.
    pub fn is_cut(&self) -> bool {
        self.full.0.is_some()
    }

    /// Font size of the name in points.
    pub fn size(&self) -> f64 {
        self.sizes.0
    }

    /// Whether nothing is shortened.
    pub fn is_whole(&self) -> bool {
        self.full == (None, None)
    }

    /// Whether the description is shown, whole or in more than two lines.
    pub fn is_telling(&self) -> bool {
        !self.body.is_empty() && (self.full.1.is_none() || self.body.len() > 2)
    }

    /// Height in points, from the first line's top to the last one's foot.
    pub fn height(&self) -> f64 {
        let (head, body) = (self.head.len() as f64, self.body.len() as f64);
        let gap = if head > 0.0 && body > 0.0 { self.sizes.0 * GAP } else { 0.0 };
        let last = if body > 0.0 { self.sizes.1 } else { self.sizes.0 };
        let all = head * self.sizes.0 * LEADING + gap + body * self.sizes.1 * LEADING;
        (all - last * (LEADING - ASCENT - DESCENT)).max(0.0)
    }

    /// Width in points of the widest line.
    pub fn width(&self) -> f64 {
        let widest = |lines: &[String], size: f64, face: Face| {
            lines.iter().map(|it| text::width(it, size, face)).fold(0.0, f64::max)
        };
        let head = widest(&self.head, self.sizes.0, Face::Bold);
        head.max(widest(&self.body, self.sizes.1, Face::Regular))
    }

    /// Draws the lines from `top` down, with inks for name and description.
    pub fn draw(
        &self,
        scene: &mut Scene,
        look: &Look,
        (x, mut top): (f64, f64),
        anchor: Anchor,
        inks: (Color, Color),
    ) {
        let mut part =
            |lines: &[String], size: f64, face: Face, color: Color, full: &Option<String>| {
                for line in lines {
                    let width = text::width(line, size, face);
                    let full = full.clone().filter(|_| line.ends_with('…'));
                    let set = look.text(x, top + ASCENT * size, anchor, size, line);
                    scene.text(Text { face, width, color, full, ..set });
                    top += size * LEADING;
                }
                if !lines.is_empty() {
                    top += size * GAP;
                }
            };
        part(&self.head, self.sizes.0, Face::Bold, inks.0, &self.full.0);
        part(&self.body, self.sizes.1, Face::Regular, inks.1, &self.full.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(height: f64) -> Block {
        let words = "A description of some length that needs lines";
        Block::new("A name", words, (90.0, height), (12.0, 10.0))
    }

    #[test]
    fn texts_keep_to_their_height() {
        for height in [0.0, 9.0, 13.0, 26.0, 40.0, 80.0, 500.0] {
            let block = block(height);
            assert!(block.height() <= height.max(0.1), "{height}: {}", block.height());
        }
        assert!(block(5.0).is_cut());
    }

    #[test]
    fn descriptions_need_room_below_the_name() {
        assert!(!block(14.0).is_telling());
        assert!(block(80.0).is_telling());
    }
}
