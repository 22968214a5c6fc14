//! Layout of a Harvey balls table: widths of the columns, heights of the rows and font sizes.

use kurbo::Rect;

use crate::Chart;
use crate::Series;
use crate::frame::end_names::EndNames;
use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::kinds::harvey_balls::options::ScoredOption;
use crate::text;
use crate::text::Face;
use crate::tiles;

/// Minimum height of a row as a multiple of the smallest font size.
const MIN_ROW_HEIGHT_EM: f64 = 1.35;
/// Minimum width of the column of a criterion beside long names, as a multiple of the font size.
const MIN_COLUMN_WIDTH_EM: f64 = 4.5;

/// Layout of the table. All lengths are in points.
pub struct TableLayout {
    /// Rectangle of the table. It ends with the last column.
    pub area: Rect,
    /// Left edge of the column of the first criterion.
    pub criteria_left: f64,
    /// Width of the column of a criterion.
    pub column_width: f64,
    /// Number of criteria shown.
    pub column_count: usize,
    /// Font and lines of the column headers.
    pub header: HeaderSize,
    /// Lower edge of the column headers.
    pub header_bottom: f64,
    /// Names of the options.
    pub names: EndNames,
    /// Height of a row.
    pub row_height: f64,
    /// Number of options shown.
    pub row_count: usize,
    /// Radius of a circle.
    pub radius: f64,
    /// Whether there is a column with the sum of the scores.
    pub has_totals: bool,
}

/// Font and lines of the column headers.
#[derive(Clone, Copy)]
pub struct HeaderSize {
    /// Font size in points.
    pub font_size: f64,
    /// Maximum number of lines.
    pub line_count: usize,
    /// Height of all lines and of the space below them, in points.
    height: f64,
    /// Number of headers that are shortened.
    cut_count: usize,
}

/// Widths of the columns, with the names and headers in them.
struct ColumnLayout {
    /// Width of the column of names in points.
    label_width: f64,
    /// Width of the column of a criterion in points.
    width: f64,
    /// Number of columns after that of the names.
    count: usize,
    names: EndNames,
    header: HeaderSize,
}

impl TableLayout {
    /// Returns the x coordinate of the center of a column. 0 is the first criterion. The column of
    /// the sums follows the last shown criterion.
    pub fn column_center(&self, index: usize) -> f64 {
        self.criteria_left + (index as f64 + 0.5) * self.column_width
    }
}

/// Chooses the sizes of labels, columns, rows and circles, the font size of the headers, and how
/// many criteria and options fit, at least one of each.
///
/// With the setting `showTotals`, the last fitting column is that of the sums, unless only one
/// column fits. Leaves space for the note about omitted rows if there are any.
pub fn lay_out(
    chart: &Chart,
    options: &[ScoredOption],
    criteria: &[Series],
    area: Rect,
    style: &ChartStyle,
) -> TableLayout {
    let size = style.label_size;
    let wants_totals = chart.bool_setting("showTotals", false);
    let ColumnLayout { label_width, width: column_width, count: fitting_columns, names, header } =
        lay_out_columns(options, criteria, wants_totals, area, style);
    let has_totals = wants_totals && fitting_columns > 1;
    let column_count = (fitting_columns - usize::from(has_totals)).max(1);
    let min_row_height = MIN_TEXT_SIZE * MIN_ROW_HEIGHT_EM;
    let fitting_rows =
        |bottom: f64| ((bottom - area.y0 - header.height).max(0.0) / min_row_height) as usize;
    let row_count = match fitting_rows(area.y1) {
        all if all >= options.len() => options.len(),
        _ => fitting_rows(area.y1 - tiles::overflow_note_height(style)).clamp(1, options.len()),
    };
    let has_note = row_count < options.len();
    let bottom = area.y1 - if has_note { tiles::overflow_note_height(style) } else { 0.0 };
    let row_height =
        ((bottom - area.y0 - header.height) / row_count as f64).min(size * 5.5).max(1.0);
    let radius = (row_height * 0.36).min(column_width * 0.36).min(size * 1.5);
    let area = Rect { x1: area.x0 + label_width + column_width * fitting_columns as f64, ..area };
    TableLayout {
        area,
        criteria_left: area.x0 + label_width,
        column_width,
        column_count,
        header,
        names,
        header_bottom: area.y0 + header.height,
        row_height,
        row_count,
        radius,
        has_totals,
    }
}

/// Chooses the widths of the columns: those at which the most criteria fit, then those that shorten
/// the fewest names and headers, then those with larger names. With `wants_totals` one more column
/// is wanted.
fn lay_out_columns(
    options: &[ScoredOption],
    criteria: &[Series],
    wants_totals: bool,
    area: Rect,
    style: &ChartStyle,
) -> ColumnLayout {
    let size = style.label_size;
    let width = |option: &ScoredOption| text::width(&option.label, size, Face::BOLD);
    let widest_label = options.iter().map(width).fold(0.0, f64::max);
    let usual_width = (widest_label + size * 1.2).min(area.width() * 0.36).max(size);
    let wanted_columns = criteria.len().max(1) + usize::from(wants_totals);
    let labels: Vec<&str> = options.iter().map(|option| &*option.label).collect();
    let lay_out = |label_width: f64, may_widen: bool| {
        let free_width = area.width() - label_width;
        let count = ((free_width / (size * 3.0)).max(1.0) as usize).min(wanted_columns);
        // The maximum keeps the columns of few criteria close together.
        let width = (free_width / count as f64).min(size * 13.0);
        let label_width = if may_widen {
            (area.width() - width * count as f64).min(label_width * 2.2).max(label_width)
        } else {
            label_width
        };
        let header = size_headers(criteria, width, area.height() * 0.35, style);
        let row_height = (area.height() - header.height) / options.len().max(1) as f64;
        let row_height = row_height.max(MIN_TEXT_SIZE * MIN_ROW_HEIGHT_EM);
        let widths = [(label_width - size * 0.6).max(0.0)];
        let names = EndNames::plan(&labels, row_height * 0.9, &widths, style);
        ColumnLayout { label_width, width, count, names, header }
    };
    let cost = |layout: &ColumnLayout| {
        let cut_names = layout.names.full.iter().flatten().count();
        let is_small = layout.names.size < size;
        (wanted_columns - layout.count, cut_names + layout.header.cut_count, is_small)
    };
    let mut best = lay_out(usual_width, widest_label + size * 0.6 <= usual_width);
    for share in [0.36, 0.3, 0.24, 0.42, 0.48, 0.54] {
        if cost(&best) <= (0, 0, false) {
            break;
        }
        let other = lay_out(area.width() * share, false);
        if cost(&other) < cost(&best) {
            best = other;
        }
    }
    if cost(&best).1 > 0 {
        // Columns as narrow as their circles permit.
        let narrow_columns = wanted_columns as f64 * size * MIN_COLUMN_WIDTH_EM;
        let other = lay_out((area.width() - narrow_columns).max(best.label_width), false);
        if cost(&other) <= cost(&best) {
            best = other;
        }
    }
    best
}

/// Chooses font size and lines of the headers of criteria so that the fewest are shortened and they
/// take at most `max_height` points. Prefers large fonts and few lines. Two small lines if no form
/// is low enough. Ignores the header of the sums.
fn size_headers(
    criteria: &[Series],
    column_width: f64,
    max_height: f64,
    style: &ChartStyle,
) -> HeaderSize {
    let measure = |(font_size, line_count): (f64, usize)| {
        let wrap_title = |criterion: &Series| {
            let width = column_width - font_size * 0.5;
            text::wrap(&criterion.title, width, line_count, font_size, Face::BOLD)
        };
        let titles: Vec<Vec<String>> = criteria.iter().map(wrap_title).collect();
        let is_cut =
            |lines: &&Vec<String>| lines.is_empty() || lines.iter().any(|line| line.ends_with('…'));
        let rows = titles.iter().map(Vec::len).max().unwrap_or(1).max(1) as f64;
        let height = font_size * 1.2 * rows + font_size * 0.6;
        HeaderSize {
            font_size,
            line_count,
            height,
            cut_count: titles.iter().filter(is_cut).count(),
        }
    };
    let (label, small) = (style.label_size, style.small_size);
    let middle = (small + MIN_TEXT_SIZE) / 2.0;
    let forms = [
        (label, 2),
        (small, 2),
        (label, 3),
        (small, 3),
        (middle, 3),
        (MIN_TEXT_SIZE, 3),
        (MIN_TEXT_SIZE, 4),
    ];
    let mut sizes: Vec<HeaderSize> = forms.map(measure).into();
    let two_lines = measure((small, 2));
    sizes.retain(|size| size.height <= max_height);
    sizes.into_iter().min_by_key(|size| size.cut_count).unwrap_or(two_lines)
}
