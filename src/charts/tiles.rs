//! Equal tiles in rows, for kinds that show one small picture a record.

use kurbo::Rect;

use crate::Scene;
use crate::frame::Look;
use crate::scene::{ASCENT, Anchor};

/// What a kind wants of its tiles.
pub struct Wish {
    /// Number of tiles.
    pub count: usize,
    /// Smallest width and height of a tile in points.
    pub least: (f64, f64),
    /// Space between tiles in points, level and upright.
    pub gap: (f64, f64),
    /// Width of a tile as a multiple of its height that looks best.
    pub aspect: f64,
    /// Tiles in a row when the document asks for a number.
    pub columns: Option<usize>,
}

/// Laid-out tiles, filled row by row.
pub struct Tiles {
    /// Number of tiles that have room.
    pub shown: usize,
    area: Rect,
    gap: (f64, f64),
    columns: usize,
    rows: usize,
}

/// Height in points of the line that counts what has no room.
pub fn note_height(look: &Look) -> f64 {
    look.small * 2.1
}

impl Tiles {
    /// Lays tiles into `area`. Where not all have room, a line for [`note`] stays free below.
    pub fn new(area: Rect, look: &Look, wish: &Wish) -> Tiles {
        let all = fill(area, wish);
        if all.shown >= wish.count {
            return all;
        }
        let bottom = (area.y1 - note_height(look)).max(area.y0 + 1.0);
        fill(Rect { y1: bottom, ..area }, wish)
    }

    /// The box of a tile.
    pub fn cell(&self, index: usize) -> Rect {
        let (width, height) = cell_size(self.area, self.gap, self.columns, self.rows);
        let (column, row) = (index % self.columns.max(1), index / self.columns.max(1));
        let x = self.area.x0 + column as f64 * (width + self.gap.0);
        let y = self.area.y0 + row as f64 * (height + self.gap.1);
        Rect::new(x, y, x + width, y + height)
    }
}

fn fill(area: Rect, wish: &Wish) -> Tiles {
    let fitting =
        |length: f64, least: f64, gap: f64| ((length + gap) / (least + gap)).max(1.0) as usize;
    let most_columns = fitting(area.width(), wish.least.0, wish.gap.0);
    let most_rows = fitting(area.height(), wish.least.1, wish.gap.1);
    let columns = wish.columns.map(|it| it.clamp(1, most_columns));
    let shown = wish.count.min(columns.unwrap_or(most_columns) * most_rows).max(1);
    let rows = |columns: usize| shown.div_ceil(columns);
    let score = |columns: usize| {
        let (width, height) = cell_size(area, wish.gap, columns, rows(columns));
        let empty = 1.0 - shown as f64 / (columns * rows(columns)) as f64;
        (width / height / wish.aspect).ln().abs() + 3.0 * empty
    };
    let able = (1..=most_columns.min(shown)).filter(|it| rows(*it) <= most_rows);
    let best = able.min_by(|one, two| score(*one).total_cmp(&score(*two)));
    let columns = columns.map(|it| it.min(shown)).or(best).unwrap_or(1);
    Tiles { shown, area, gap: wish.gap, columns, rows: rows(columns) }
}

/// Width and height of one tile in points.
fn cell_size(area: Rect, gap: (f64, f64), columns: usize, rows: usize) -> (f64, f64) {
    let part = |length: f64, gap: f64, count: usize| {
        let count = count.max(1) as f64;
        ((length - gap * (count - 1.0)) / count).max(1.0)
    };
    (part(area.width(), gap.0, columns), part(area.height(), gap.1, rows))
}

/// Says at the foot of `area` that `count` more of what `noun` names have no room.
pub fn note(area: Rect, look: &Look, count: usize, noun: &str, scene: &mut Scene) {
    if count == 0 {
        return;
    }
    let plural = if count == 1 { "" } else { "s" };
    scene.warn(format!("Without room: {count} {noun}{plural}."));
    let base = area.y1 - note_height(look) + look.small * (1.0 + ASCENT);
    let set = look.more((area.x0, base), Anchor::Start, count, noun);
    if set.width <= area.width() {
        scene.text(set);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(count: usize) -> Wish {
        Wish { count, least: (90.0, 60.0), gap: (10.0, 10.0), aspect: 1.6, columns: None }
    }

    #[test]
    fn tiles_fill_their_area_without_holes() {
        let area = Rect::new(0.0, 0.0, 600.0, 300.0);
        for (count, columns) in [(1, 1), (3, 3), (4, 2), (6, 3), (12, 4)] {
            let tiles = fill(area, &wish(count));
            assert_eq!((tiles.shown, tiles.columns), (count, columns), "{count}");
            let last = tiles.cell(count - 1);
            assert!((last.x1 - 600.0).abs() < 1e-6 && (last.y1 - 300.0).abs() < 1e-6, "{last:?}");
        }
    }

    #[test]
    fn what_has_no_room_is_not_shown() {
        let tiles = fill(Rect::new(0.0, 0.0, 200.0, 130.0), &wish(50));
        assert_eq!(tiles.shown, 4);
        assert_eq!(fill(Rect::new(0.0, 0.0, 5.0, 5.0), &wish(50)).shown, 1);
    }
}
