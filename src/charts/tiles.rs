//! Grids of equal tiles, for chart kinds that draw one small chart per record.

use kurbo::Rect;

use crate::Scene;
use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::scene::{ASCENT_EM, Anchor};
use crate::text;

/// Maximum number of lines of the name of a tile.
const MAX_NAME_LINES: usize = 4;

/// Requirements of a chart kind for its grid of tiles.
pub struct TileSpec {
    /// Number of tiles.
    pub count: usize,
    /// Minimum width and height of a tile in points.
    pub min_size: (f64, f64),
    /// Horizontal and vertical space between tiles in points.
    pub gap: (f64, f64),
    /// Preferred ratio of width to height of a tile.
    pub aspect_ratio: f64,
    /// Number of tiles per row, if the settings of the document fix it.
    pub columns: Option<usize>,
}

/// A grid of tiles, filled row by row.
pub struct TileGrid {
    /// Number of tiles that fit in the area.
    pub visible_count: usize,
    area: Rect,
    gap: (f64, f64),
    columns: usize,
    rows: usize,
}

/// Returns the height in points at the bottom of an area that `draw_overflow_note` needs, with the
/// space above the note.
pub fn overflow_note_height(style: &ChartStyle) -> f64 {
    style.small_size * 2.1
}

/// Returns the font sizes in points at which all names are whole in tiles of `width` points, the
/// largest size first, each with the number of lines of the longest name. Empty if some name needs
/// more than `MAX_NAME_LINES` at every size.
pub fn fit_names<'a>(
    names: impl Iterator<Item = &'a str> + Clone,
    width: f64,
    style: &ChartStyle,
) -> Vec<(f64, usize)> {
    let face = style.label_face();
    let mut sizes = vec![style.label_size, style.small_size, MIN_TEXT_SIZE.min(style.small_size)];
    sizes.dedup();
    let fit = |size: f64| {
        let lines = |name| text::wrap_whole(name, width, MAX_NAME_LINES, size, face);
        let mut counts = names.clone().map(|name| lines(name).map(|lines| lines.len()));
        let count = counts.try_fold(1, |most, count| Some(count?.max(most)));
        count.map(|count: usize| (size, count))
    };
    sizes.into_iter().filter_map(fit).collect()
}

impl TileGrid {
    /// Computes the grid in `area`. If not all tiles fit, it reserves the space of
    /// [`draw_overflow_note`] at the bottom. At least one tile is visible, even if `area` is too
    /// small for it.
    pub fn new(area: Rect, style: &ChartStyle, spec: &TileSpec) -> TileGrid {
        let all = arrange(area, spec);
        if all.visible_count >= spec.count {
            return all;
        }
        let bottom = (area.y1 - overflow_note_height(style)).max(area.y0 + 1.0);
        arrange(Rect { y1: bottom, ..area }, spec)
    }

    /// Returns the rectangle in points of the tile at the zero-based `index`, row by row. An index
    /// beyond the last row gives a rectangle below the area.
    pub fn tile_rect(&self, index: usize) -> Rect {
        let (width, height) = compute_tile_size(self.area, self.gap, self.columns, self.rows);
        let (column, row) = (index % self.columns.max(1), index / self.columns.max(1));
        let x = self.area.x0 + column as f64 * (width + self.gap.0);
        let y = self.area.y0 + row as f64 * (height + self.gap.1);
        Rect::new(x, y, x + width, y + height)
    }
}

/// Arranges the tiles in `area`, at least one.
///
/// Unless `spec` fixes the number of columns, weighs the preferred aspect ratio of tiles against
/// the number of empty places. A fixed number is reduced to the columns that fit and to the number
/// of visible tiles.
fn arrange(area: Rect, spec: &TileSpec) -> TileGrid {
    let count_fitting =
        |length: f64, min: f64, gap: f64| ((length + gap) / (min + gap)).max(1.0) as usize;
    let max_columns = count_fitting(area.width(), spec.min_size.0, spec.gap.0);
    let max_rows = count_fitting(area.height(), spec.min_size.1, spec.gap.1);
    let columns = spec.columns.map(|fixed| fixed.clamp(1, max_columns));
    let visible_count = spec.count.min(columns.unwrap_or(max_columns) * max_rows).max(1);
    let rows = |columns: usize| visible_count.div_ceil(columns);
    let score = |columns: usize| {
        let (width, height) = compute_tile_size(area, spec.gap, columns, rows(columns));
        let empty = 1.0 - visible_count as f64 / (columns * rows(columns)) as f64;
        (width / height / spec.aspect_ratio).ln().abs() + 3.0 * empty
    };
    let possible = (1..=max_columns.min(visible_count)).filter(|n| rows(*n) <= max_rows);
    let best = possible.min_by(|one, two| score(*one).total_cmp(&score(*two)));
    let columns = columns.map(|fixed| fixed.min(visible_count)).or(best).unwrap_or(1);
    TileGrid { visible_count, area, gap: spec.gap, columns, rows: rows(columns) }
}

/// Returns width and height of a tile in points, each at least 1, so that the tiles and their gaps
/// fill the area.
fn compute_tile_size(area: Rect, gap: (f64, f64), columns: usize, rows: usize) -> (f64, f64) {
    let part = |length: f64, gap: f64, count: usize| {
        let count = count.max(1) as f64;
        ((length - gap * (count - 1.0)) / count).max(1.0)
    };
    (part(area.width(), gap.0, columns), part(area.height(), gap.1, rows))
}

/// Draws the note "and 3 more dials" at the bottom of `area`, for `count` tiles that do not fit,
/// and adds a warning. Does nothing if `count` is 0.
///
/// `noun` is the English singular of one item. Omits the note, but not the warning, if the note is
/// wider than `area`.
pub fn draw_overflow_note(
    area: Rect,
    style: &ChartStyle,
    count: usize,
    noun: &str,
    scene: &mut Scene,
) {
    if count == 0 {
        return;
    }
    let plural = if count == 1 { "" } else { "s" };
    scene.warn(format!("The canvas has no space for {count} {noun}{plural}."));
    let base = area.y1 - overflow_note_height(style) + style.small_size * (1.0 + ASCENT_EM);
    let note = style.overflow_note((area.x0, base), Anchor::Start, count, noun);
    if note.width <= area.width() {
        scene.text(note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(count: usize) -> TileSpec {
        TileSpec {
            count,
            min_size: (90.0, 60.0),
            gap: (10.0, 10.0),
            aspect_ratio: 1.6,
            columns: None,
        }
    }

    #[test]
    fn tiles_fill_their_area() {
        let area = Rect::new(0.0, 0.0, 600.0, 300.0);
        for (count, columns) in [(1, 1), (3, 3), (4, 2), (6, 3), (12, 4)] {
            let tiles = arrange(area, &spec(count));
            assert_eq!((tiles.visible_count, tiles.columns), (count, columns), "{count}");
            let last = tiles.tile_rect(count - 1);
            assert!((last.x1 - 600.0).abs() < 1e-6 && (last.y1 - 300.0).abs() < 1e-6, "{last:?}");
        }
    }

    #[test]
    fn long_names_are_wrapped_and_smaller_before_they_are_cut() {
        let omissions = |slug: &str, (width, height): (f64, f64), count: usize| {
            let names = ["Neuhausen-Nymphenburg", "Schwabing West", "Trudering-Riem", "Laim"];
            let record =
                |index: usize| serde_json::json!({"label": names[index % 4], "value": 143 + index});
            let data: Vec<_> = (0..count).map(record).collect();
            let kind = crate::find_kind(slug).unwrap();
            crate::draw(&crate::Chart { width, height, ..crate::Chart::new(kind, &data) }).omissions
        };
        assert_eq!(omissions("scorecard", (320.0, 180.0), 11), []);
        assert_eq!(omissions("scorecard", (720.0, 405.0), 40), []);
        assert_eq!(omissions("gauge", (320.0, 180.0), 8), []);
        assert_eq!(omissions("gauge", (720.0, 405.0), 24), []);
    }

    #[test]
    fn tiles_that_do_not_fit_are_not_visible() {
        let tiles = arrange(Rect::new(0.0, 0.0, 200.0, 130.0), &spec(50));
        assert_eq!(tiles.visible_count, 4);
        assert_eq!(arrange(Rect::new(0.0, 0.0, 5.0, 5.0), &spec(50)).visible_count, 1);
    }
}
