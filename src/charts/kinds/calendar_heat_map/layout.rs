//! Arrangement of the days: blocks of years, of parts of a year or of single months.

use std::collections::BTreeSet;

use kurbo::{Point, Rect, Size};

use crate::format::WeekStart;
use crate::format::date;
use crate::format::date::{CivilDateTime, DAY_SECONDS};
use crate::frame::ChartStyle;

/// Maximum number of months of a calendar with a block for each month.
const MAX_MONTHS: i64 = 4;
/// Maximum number of days from the first to the last day of a calendar with a block for each month.
const MAX_MONTH_DAYS: i64 = 100;
/// Maximum number of months from the first to the last day of years that are shown in parts.
const MAX_SPLIT_MONTHS: usize = 18;
/// Minimum side of a cell in points.
const MIN_CELL: f64 = 2.0;
/// Factor by which the cells must grow for a year to be split into more parts.
const SPLIT_GAIN: f64 = 1.2;

/// Direction of the weeks in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weeks {
    /// Each week is a column, each weekday a row.
    Columns,
    /// Each week is a row, each weekday a column.
    Rows,
}

/// Consecutive whole months of one year.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Year of all months.
    pub year: i32,
    /// First month, 1 to 12.
    pub month: i32,
    /// Number of months.
    pub months: i32,
}

/// Blocks with their positions on the canvas.
pub struct Layout {
    /// Blocks in order of time.
    pub blocks: Vec<Block>,
    /// Direction of the weeks.
    pub weeks: Weeks,
    /// Width and height of a day in points, with the gap to the next day.
    pub cell: Size,
    /// Width left of the days of a block for weekday letters or the year.
    pub gutter: f64,
    /// Height above the days of a block for names. Zero if only the first blocks have names.
    pub header: f64,
    /// Height above all blocks for the names of months.
    pub top_header: f64,
    /// First day of a week.
    pub week_start: WeekStart,
    columns: usize,
    /// Distance between the origins of two neighboring blocks.
    step: Size,
    area: Rect,
}

/// Returns the calendar date of a day since 1970-01-01.
pub fn to_date(day: i64) -> CivilDateTime {
    date::to_civil(day as f64 * DAY_SECONDS)
}

impl Block {
    /// Returns the first day of the block and the first day after it, as days since 1970-01-01.
    pub fn days(&self) -> (i64, i64) {
        let start = |month: i32| date::days_from_civil(self.year, month, 1);
        (start(self.month), start(self.month + self.months))
    }
}

/// Returns the place of a day in its week: 0 is the first day of a week, 6 the last. `day` counts
/// from 1970-01-01.
fn weekday(day: i64, week_start: WeekStart) -> i64 {
    // 1970-01-01 was a Thursday.
    (day + 3 + week_start.days_to_monday() as i64).rem_euclid(7)
}

/// Returns the number of calendar weeks, whole or in part, of the longest block. 1 without blocks.
fn count_weeks(blocks: &[Block], week_start: WeekStart) -> i64 {
    let count = |block: &Block| {
        let (first, end) = block.days();
        (weekday(first, week_start) + end - first + 6) / 7
    };
    blocks.iter().map(count).max().unwrap_or(1)
}

/// Returns the blocks of all years with a day. `days` ascend and are not empty. `parts` (a divisor
/// of 12) is the number of blocks of each year.
///
/// A single year without a day between two others is included, so that its absence is not overlooked.
/// Longer gaps are left out, because they would take the space of the days.
fn list_years(days: &[i64], parts: i32) -> Vec<Block> {
    let mut years: BTreeSet<i32> = days.iter().map(|day| to_date(*day).year).collect();
    let is_single_gap = |year: &i32| !years.contains(&(year + 1)) && years.contains(&(year + 2));
    let gaps: Vec<i32> = years.iter().copied().filter(is_single_gap).map(|year| year + 1).collect();
    years.extend(gaps);
    let months = 12 / parts;
    let split = |year| (0..parts).map(move |part| Block { year, month: part * months + 1, months });
    years.into_iter().flat_map(split).collect()
}

/// Returns the blocks of [`list_years`] without those before the first and after the last day.
fn list_parts(days: &[i64], parts: i32) -> Vec<Block> {
    let (first, last) = (days.first().copied().unwrap_or(0), days.last().copied().unwrap_or(0));
    let mut blocks = list_years(days, parts);
    blocks.retain(|block| block.days().1 > first && block.days().0 <= last);
    blocks
}

/// Returns one block with the months from the first to the last of the days in ascending order. None if
/// they are in different years.
fn join_months(days: &[i64]) -> Option<Block> {
    let (first, last) = (to_date(*days.first()?), to_date(*days.last()?));
    let (month, last_month) = (first.month as i32, last.month as i32);
    let block = Block { year: first.year, month, months: last_month - month + 1 };
    (first.year == last.year).then_some(block)
}

/// Returns a block for each month from the first to the last of the days in ascending order.
fn list_months(days: &[i64]) -> Vec<Block> {
    let index = |day: Option<&i64>| {
        let date = to_date(day.copied().unwrap_or(0));
        date.year * 12 + date.month as i32 - 1
    };
    (index(days.first())..=index(days.last()))
        .map(|index| Block {
            year: index.div_euclid(12),
            month: index.rem_euclid(12) + 1,
            months: 1,
        })
        .collect()
}

impl Layout {
    /// Arranges the days, which ascend and are not empty, in `area`.
    ///
    /// `setting` is `years` or `months`; `auto` or empty means months up to about three of them,
    /// otherwise years. Up to `MAX_SPLIT_MONTHS` in one or two years may then be shown without the
    /// months before the first and after the last day, or in halves, thirds or quarters of years, where
    /// this makes the days larger. More than about three years are never shown as months. The earliest
    /// blocks without space are left out.
    pub fn new(
        days: &[i64],
        setting: &str,
        week_start: WeekStart,
        area: Rect,
        style: &ChartStyle,
    ) -> Layout {
        let (first, last) = (days.first().copied().unwrap_or(0), days.last().copied().unwrap_or(0));
        let months = (last - first <= MAX_MONTH_DAYS * 12).then(|| list_months(days));
        let month_count = months.as_ref().map_or(usize::MAX, Vec::len);
        let is_short = last - first <= MAX_MONTH_DAYS
            && months.as_ref().is_some_and(|months| months.len() as i64 <= MAX_MONTHS);
        let arrange = |blocks, weeks| Layout::arrange(blocks, weeks, week_start, area, style);
        match (setting, months) {
            ("months", Some(months)) => return arrange(months, Weeks::Rows),
            ("auto" | "", Some(months)) if is_short => return arrange(months, Weeks::Rows),
            _ => {}
        }
        let years = list_years(days, 1);
        let can_split = years.len() <= 2 && month_count <= MAX_SPLIT_MONTHS && setting != "years";
        let mut best = arrange(years, Weeks::Columns);
        let joined = join_months(days).map(|block| vec![block]);
        let parts = [2, 3, 4].into_iter().map(|parts| list_parts(days, parts));
        for blocks in joined.into_iter().chain(parts).filter(|_| can_split) {
            let split = arrange(blocks, Weeks::Columns);
            if split.min_side() >= best.min_side() * SPLIT_GAIN {
                best = split;
            }
        }
        best
    }

    /// Arranges blocks in the number of columns with the most space for the texts of the days.
    /// Removes the earliest blocks until the days are at least `MIN_CELL` points wide and high. At
    /// least one block stays.
    fn arrange(
        mut blocks: Vec<Block>,
        weeks: Weeks,
        week_start: WeekStart,
        area: Rect,
        style: &ChartStyle,
    ) -> Layout {
        loop {
            let count = blocks.len();
            let candidates = (1..=count.min(12)).flat_map(|columns| {
                [false, true].map(|is_compact| {
                    Layout::in_columns(&blocks, columns, is_compact, weeks, week_start, area, style)
                })
            });
            let fitting = candidates.flatten().reduce(|best, layout| {
                if layout.text_space() > best.text_space() * 1.001 { layout } else { best }
            });
            match fitting {
                Some(layout) if layout.min_side() >= MIN_CELL || count <= 1 => {
                    return Layout { blocks, ..layout };
                }
                // The latest blocks stay. Many blocks are removed in large steps, so that the time
                // is bounded.
                _ => drop(blocks.drain(..(count / 20).max(1))),
            }
        }
    }

    /// Arranges blocks in rows of `columns` blocks, as large as `area` permits. The result has
    /// sizes, but still no blocks. None if a compact arrangement is not possible, which needs at
    /// least four rows.
    ///
    /// In a compact arrangement only the first row of blocks has the names of the months, and the
    /// year is left of its days.
    fn in_columns(
        blocks: &[Block],
        columns: usize,
        is_compact: bool,
        weeks: Weeks,
        week_start: WeekStart,
        area: Rect,
        style: &ChartStyle,
    ) -> Option<Layout> {
        let rows = blocks.len().div_ceil(columns);
        if is_compact && (weeks == Weeks::Rows || rows < 4) {
            return None;
        }
        let size = style.label_size;
        let week_count = count_weeks(blocks, week_start);
        let (across, down, max_ratio) = match weeks {
            Weeks::Columns => (week_count as f64, 7.0, 1.4),
            // All months have the same height.
            Weeks::Rows => (7.0, 6.0, 2.5),
        };
        let gutter = match weeks {
            Weeks::Columns => style.text_width("2000", size) + size * 0.6,
            Weeks::Rows => 0.0,
        };
        let name_height = size * 1.5;
        let (header, top_header) = match (weeks, is_compact) {
            (Weeks::Rows, _) => (size * 3.1, 0.0),
            (Weeks::Columns, false) => (name_height, 0.0),
            (Weeks::Columns, true) => (0.0, name_height),
        };
        let gap = Size::new(size * 1.8, if is_compact { size * 0.35 } else { size });
        let share = |count: usize, length: f64, gap: f64| (length + gap) / count as f64 - gap;
        let width = share(columns, area.width(), gap.width) - gutter;
        let height = share(rows, area.height() - top_header, gap.height) - header;
        let (cell_width, cell_height) = (width / across, height / down);
        let is_too_low_for_year = height < size * 1.15;
        if is_compact && is_too_low_for_year && rows > 1 {
            return None;
        }
        let max_side = style.unit * if weeks == Weeks::Rows { 56.0 } else { 40.0 };
        let limited_width = cell_width.min(cell_height * max_ratio).min(max_side * max_ratio);
        let limited_height = cell_height.min(cell_width * 1.4).min(max_side);
        let cell = Size::new(limited_width.max(0.1), limited_height.max(0.1));
        let step = Size::new(
            gutter + cell.width * across + gap.width,
            header + cell.height * down + gap.height,
        );
        let layout = Layout {
            blocks: Vec::new(),
            weeks,
            cell,
            gutter,
            header,
            top_header,
            week_start,
            columns,
            step,
            area,
        };
        Some(layout)
    }

    /// Returns the shorter side of a day in points.
    fn min_side(&self) -> f64 {
        self.cell.width.min(self.cell.height)
    }

    /// Returns a measure in points of the space of a day for its texts, to compare layouts. Numbers
    /// are wider than high, so that the days of months, which have numbers in two lines, need more
    /// width than height.
    fn text_space(&self) -> f64 {
        match self.weeks {
            Weeks::Columns => self.min_side(),
            Weeks::Rows => self.cell.width.min(self.cell.height * 1.4),
        }
    }

    /// Returns the number of years between the first and the last block that have no block.
    pub fn count_missing_years(&self) -> usize {
        let gaps = self.blocks.windows(2).map(|pair| pair[1].year - pair[0].year - 1);
        gaps.map(|years| usize::try_from(years).unwrap_or(0)).sum()
    }

    /// Returns whether the block at `index` is in the first row of blocks.
    pub fn is_in_first_row(&self, index: usize) -> bool {
        index < self.columns
    }

    /// Returns the top left corner of the days of the block at `index`, below and right of its
    /// names.
    pub fn origin(&self, index: usize) -> Point {
        let (row, column) = (index / self.columns, index % self.columns);
        Point::new(
            self.area.x0 + self.gutter + column as f64 * self.step.width,
            self.area.y0 + self.top_header + self.header + row as f64 * self.step.height,
        )
    }

    /// Returns the column and the row of a day in its block, both from 0. `day` counts from
    /// 1970-01-01.
    fn position(&self, block: &Block, day: i64) -> (f64, f64) {
        let first = block.days().0;
        let offset = day - first + weekday(first, self.week_start);
        let (week, weekday) = (offset.div_euclid(7) as f64, offset.rem_euclid(7) as f64);
        match self.weeks {
            Weeks::Columns => (week, weekday),
            Weeks::Rows => (weekday, week),
        }
    }

    /// Returns the rectangle of a day, including the gap to its neighbors. `index` is the position
    /// of `block` in the layout, and `day` counts from 1970-01-01.
    pub fn cell_rect(&self, index: usize, block: &Block, day: i64) -> Rect {
        let (column, row) = self.position(block, day);
        let origin = self.origin(index);
        let corner =
            Point::new(origin.x + column * self.cell.width, origin.y + row * self.cell.height);
        Rect::from_origin_size(corner, self.cell)
    }

    /// Returns the index of the block that contains a day. None if no block does, for example
    /// because it was left out.
    pub fn find_block(&self, day: i64) -> Option<usize> {
        let index = self.blocks.partition_point(|block| block.days().1 <= day);
        self.blocks.get(index).filter(|block| block.days().0 <= day).map(|_| index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;

    #[test]
    fn weeks_start_on_monday_or_sunday() {
        // 2025-06-01 was a Sunday.
        let sunday = date::days_from_civil(2025, 6, 1);
        assert_eq!(
            (weekday(sunday, WeekStart::Monday), weekday(sunday, WeekStart::Sunday)),
            (6, 0)
        );
        assert_eq!(
            (weekday(sunday + 1, WeekStart::Monday), weekday(sunday, WeekStart::Saturday)),
            (0, 1)
        );
    }

    #[test]
    fn months_are_listed_across_the_end_of_a_year() {
        let days = [date::days_from_civil(2024, 11, 30), date::days_from_civil(2025, 1, 1)];
        let months: Vec<(i32, i32)> =
            list_months(&days).iter().map(|block| (block.year, block.month)).collect();
        assert_eq!(months, [(2024, 11), (2024, 12), (2025, 1)]);
    }

    #[test]
    fn parts_of_years_before_the_first_and_after_the_last_day_have_no_space() {
        let chart = Chart::new(crate::find_kind("calendar-heat-map").unwrap(), &[]);
        let style = ChartStyle::new(&chart);
        let area = Rect::new(0.0, 0.0, 672.0, 330.0);
        let blocks = |(year, month), count: i64, setting: &str| -> Vec<(i32, i32, i32)> {
            let first = date::days_from_civil(year, month, 3);
            let days: Vec<i64> = (first..first + count).collect();
            let layout = Layout::new(&days, setting, WeekStart::Monday, area, &style);
            layout.blocks.iter().map(|block| (block.year, block.month, block.months)).collect()
        };
        assert_eq!(blocks((2025, 9), 115, "auto"), [(2025, 9, 4)]);
        assert_eq!(blocks((2025, 1), 170, "auto"), [(2025, 1, 6)]);
        let across_years = blocks((2024, 10), 150, "auto");
        assert!(across_years.first().is_some_and(|block| block.0 == 2024 && block.1 > 6));
        assert!(across_years.last().is_some_and(|block| block.1 + block.2 <= 7));
        assert_eq!(blocks((2025, 9), 115, "years"), [(2025, 1, 12)]);
        assert_eq!(blocks((2023, 1), 1000, "auto").len(), 3);
    }

    #[test]
    fn short_gaps_between_years_are_blocks() {
        let day = |year| date::days_from_civil(year, 3, 1);
        let years = |days: &[i64]| -> Vec<i32> {
            list_years(days, 1).iter().map(|block| block.year).collect()
        };
        assert_eq!(years(&[day(2020), day(2022)]), [2020, 2021, 2022]);
        assert_eq!(years(&[day(1900), day(2022)]), [1900, 2022]);
        assert_eq!(years(&[day(2018), day(2019), day(2023)]), [2018, 2019, 2023]);
        let data = [2018, 2019, 2023]
            .map(|year| serde_json::json!({ "date": format!("{year}-03-01"), "value": year }));
        let scene = crate::draw(&Chart::new(crate::find_kind("calendar-heat-map").unwrap(), &data));
        assert_eq!(scene.warnings, ["Years without values that are not shown: 3."]);
    }

    #[test]
    fn four_months_are_arranged_so_that_their_days_have_space_for_numbers() {
        let chart = Chart::new(crate::find_kind("calendar-heat-map").unwrap(), &[]);
        let style = ChartStyle::new(&chart);
        let days: Vec<i64> = (0..90).map(|day| date::days_from_civil(2024, 1, 4) + day).collect();
        let area = Rect::new(0.0, 0.0, 690.0, 300.0);
        let layout = Layout::new(&days, "auto", WeekStart::Monday, area, &style);
        assert_eq!((layout.blocks.len(), layout.columns), (4, 2));
        assert!(layout.cell.width > style.text_width("1,196", style.label_size));
    }
}
