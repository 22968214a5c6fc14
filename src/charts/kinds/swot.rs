//! SWOT analysis: four fields of short texts for strengths, weaknesses, opportunities and threats.
//!
//! Record: `field` (`strengths`, `weaknesses`, `opportunities`, `threats`, the first letter, or a
//! number from 1), `text`, `highlighted`. Settings: `fieldTitles` (a title per field),
//! `fieldColors` (a color per field), `showBullets`.

mod fields;

pub(super) use fields::find_named_field;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::frame;
use crate::frame::list_columns;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;

use fields::{Field, Item};

/// The SWOT analysis.
pub const KIND: Kind = Kind { slug: "swot", draw };

/// Line height as a share of the font size.
const LINE_HEIGHT_EM: f64 = 1.3;
/// The same where texts would have no space otherwise.
const TIGHT_LINE_HEIGHT_EM: f64 = 1.12;
/// Space between two texts as a share of the font size.
const ITEM_GAP_EM: f64 = 0.45;
/// The same where texts would have no space otherwise.
const TIGHT_ITEM_GAP_EM: f64 = 0.2;
/// Space between two columns of texts as a share of the font size.
const COLUMN_GAP_EM: f64 = 0.8;
/// Maximum number of lines of a text in one of several columns.
const MAX_LINES_IN_COLUMNS: usize = 2;
/// Maximum number of texts of a field that are measured. More would not fit, and wrapping them
/// takes time.
const MAX_MEASURED_ITEMS: usize = 60;
/// Maximum number of remaining texts that are measured while a field is drawn.
const MAX_MEASURED_REMAINING_ITEMS: usize = 40;
/// Tolerance in points for comparisons of heights.
const TOLERANCE: f64 = 0.01;

/// Text layout, the same in all fields.
struct TextLayout {
    /// Font size of the texts in points.
    size: f64,
    /// Font size of the titles in points.
    title_size: f64,
    /// Padding of a field in points.
    padding: f64,
    /// Width in points reserved for the bullets. 0 without bullets.
    indent: f64,
    /// Maximum number of lines of a text.
    max_lines: usize,
    /// Number of columns of texts in a field. Several columns have space for all texts.
    columns: usize,
    /// Line height as a share of the font size.
    line_height_em: f64,
    /// Space between two texts as a share of the font size.
    item_gap_em: f64,
}

impl TextLayout {
    /// Returns the distance of two columns of texts in a field of this width, all in points.
    fn column_pitch(&self, field_width: f64) -> f64 {
        let gap = self.size * COLUMN_GAP_EM;
        (field_width - self.padding * 2.0 + gap) / self.columns as f64
    }

    /// Returns the positions in points of all texts of a field relative to its first text, in columns
    /// of about equal height. None if the layout has one column, if the texts do not fit into a field of
    /// this width and height in points, if there are more than `MAX_MEASURED_ITEMS`, or if one would
    /// be shortened or have more than `MAX_LINES_IN_COLUMNS` lines.
    fn fill_columns(
        &self,
        field: &Field,
        width: f64,
        height: f64,
        style: &ChartStyle,
    ) -> Option<Vec<(f64, f64)>> {
        if self.columns < 2 || field.items.len() > MAX_MEASURED_ITEMS {
            return None;
        }
        // A narrow column that shortens a text is worse than a note, and one with many lines is
        // hard to read.
        let measure = |item: &Item| {
            let lines = wrap_item(item, width, self, style);
            let is_cut = lines.iter().any(|line| line.ends_with('…'));
            let height_em = lines.len() as f64 * self.line_height_em + self.item_gap_em;
            (!is_cut && lines.len() <= MAX_LINES_IN_COLUMNS).then_some(height_em * self.size)
        };
        let heights: Vec<f64> = field.items.iter().map(measure).collect::<Option<_>>()?;
        let free_height = height - self.title_height() + self.item_gap_em * self.size;
        let line_height = self.line_height_em * self.size;
        let places = list_columns::fill_columns(&heights, self.columns, line_height, free_height)?;
        let pitch = self.column_pitch(width);
        Some(places.into_iter().map(|(column, top)| (column as f64 * pitch, top)).collect())
    }

    /// Returns the height in points of the title of a field, including the padding above it.
    fn title_height(&self) -> f64 {
        self.padding + self.title_size * 1.45
    }
}

/// Positions of the fields, and the layout of their texts.
struct Layout {
    /// Rectangle of each field.
    rects: [Rect; 4],
    /// Layout of the texts in all fields.
    texts: TextLayout,
}

/// Draws the four fields with their texts. Warns about texts without space. Draws a note instead if there
/// are no texts.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let fields = fields::read_fields(chart, scene);
    if fields.iter().all(|field| field.items.is_empty()) {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let layout = choose_layout(chart, &fields, frame.area, style);
    let mut omitted_count = 0;
    for (field, rect) in fields.iter().zip(layout.rects) {
        omitted_count += draw_field(field, rect, &layout.texts, style, scene);
    }
    scene.end_mark();
    if omitted_count > 0 {
        scene.warn(format!("Texts without room: {omitted_count}."));
    }
    let counts: Vec<String> = fields
        .iter()
        .map(|field| format!("{} {}", field.items.len(), field.title.to_lowercase()))
        .collect();
    scene.description = format!("SWOT analysis: {}.", counts.join(", "));
}

/// Returns the layout with the first form of `list_candidates` in which the texts of all fields fit,
/// which has the largest font size. If there is none, returns the last form, in which texts are
/// shortened to one line, even if the texts do not fit.
///
/// The fields are in two columns, in one column on narrow canvases, or in one row on low and wide ones.
/// Ignores the texts of a field beyond `MAX_MEASURED_ITEMS`.
fn choose_layout(chart: &Chart, fields: &[Field], area: Rect, style: &ChartStyle) -> Layout {
    let gap = (8.0 * style.unit).round();
    // Narrow canvases have one column, low and wide canvases one row.
    let (width, height) = (area.width(), area.height());
    let column_count = match width / height.max(1.0) {
        ratio if ratio < 0.83 && width < style.label_size * 26.0 => 1,
        ratio if ratio > 5.0 && width > style.label_size * 60.0 => 4,
        _ => 2,
    };
    let shows_bullets = chart.bool_setting("showBullets", true);
    // The texts stay smaller than the title of the chart.
    let max_size = (style.label_size * 1.5).min(style.title_size * 0.85).max(style.label_size);
    let create_text_layout =
        |size: f64, max_lines: usize, columns: usize, is_tight: bool| TextLayout {
            size,
            max_lines,
            columns,
            line_height_em: if is_tight { TIGHT_LINE_HEIGHT_EM } else { LINE_HEIGHT_EM },
            item_gap_em: if is_tight { TIGHT_ITEM_GAP_EM } else { ITEM_GAP_EM },
            title_size: (size * 1.12).max(style.label_size).min(style.title_size * 0.95),
            padding: (size * 0.9).min(area.height() * 0.03),
            indent: if shows_bullets { size } else { 0.0 },
        };
    let mut best = None;
    for (size, max_lines, columns, is_tight) in list_candidates(max_size, style) {
        let texts = create_text_layout(size, max_lines, columns, is_tight);
        let field_width = (area.width() - gap * (column_count - 1) as f64) / column_count as f64;
        let needed_heights: Vec<f64> = fields
            .iter()
            .map(|field| measure_field_height(field, field_width, &texts, style))
            .collect();
        let rects = lay_out_fields(area, gap, column_count, &needed_heights);
        let fits =
            rects.iter().zip(fields.iter().zip(&needed_heights)).all(|(rect, (field, needed))| {
                rect.height() + TOLERANCE >= *needed
                    || texts.fill_columns(field, rect.width(), rect.height(), style).is_some()
            });
        best = Some(Layout { rects, texts });
        if fits {
            break;
        }
    }
    best.unwrap_or_else(|| Layout {
        rects: lay_out_fields(area, gap, column_count, &[1.0; 4]),
        texts: create_text_layout(style.small_size, 1, 1, true),
    })
}

/// Lists the forms of the texts, the most readable first: font size in points (`max_size` in the first one),
/// maximum number of lines of a text, columns of texts in a field, and whether the lines are tight.
fn list_candidates(max_size: f64, style: &ChartStyle) -> [(f64, usize, usize, bool); 12] {
    let large_size = (style.label_size * 1.3).min(max_size);
    let (label_size, small_size) = (style.label_size, style.small_size);
    [
        (max_size, 6, 1, false),
        (large_size, 6, 1, false),
        (label_size * 1.15, 6, 1, false),
        (label_size, 6, 1, false),
        (label_size, 6, 2, false),
        (small_size, 6, 1, false),
        (small_size, 6, 1, true),
        (small_size, 6, 2, false),
        (small_size, 6, 2, true),
        (small_size, 6, 3, true),
        (small_size, 2, 1, true),
        (small_size, 1, 1, true),
    ]
}

/// Returns the rectangles of the fields, row by row, in `column_count` columns (1, 2 or 4). Rows have equal
/// heights if `needed_heights`, one per field, fit into them, otherwise heights in proportion to the
/// highest field of the row. All sizes are in points.
fn lay_out_fields(area: Rect, gap: f64, column_count: usize, needed_heights: &[f64]) -> [Rect; 4] {
    let row_count = 4 / column_count;
    let needed_row_height = |row: usize| {
        let heights = needed_heights.iter().skip(row * column_count).take(column_count);
        heights.copied().fold(1.0, f64::max)
    };
    let available_height = (area.height() - gap * (row_count - 1) as f64).max(row_count as f64);
    let equal_height = available_height / row_count as f64;
    let needed_height: f64 = (0..row_count).map(needed_row_height).sum();
    let has_equal_rows = (0..row_count).all(|row| needed_row_height(row) <= equal_height);
    let row_height = |row: usize| {
        if has_equal_rows {
            equal_height
        } else {
            needed_row_height(row) / needed_height * available_height
        }
    };
    let width = (area.width() - gap * (column_count - 1) as f64) / column_count as f64;
    std::array::from_fn(|index| {
        let (column, row) = (index % column_count, index / column_count);
        let height_above: f64 = (0..row).map(|row| row_height(row) + gap).sum();
        let x = area.x0 + column as f64 * (width + gap);
        let y = area.y0 + height_above;
        Rect::new(x, y, x + width, y + row_height(row))
    })
}

/// Returns the face of a text: bold if it is highlighted, otherwise that of labels.
fn choose_face(item: &Item, style: &ChartStyle) -> Face {
    if item.highlighted { Face::BOLD } else { style.label_face() }
}

/// Returns the lines of a text in a column of a field that is `field_width` points wide, shortened to the
/// maximum number of lines of the layout.
fn wrap_item(
    item: &Item,
    field_width: f64,
    layout: &TextLayout,
    style: &ChartStyle,
) -> Vec<String> {
    let gap = layout.size * COLUMN_GAP_EM;
    let max_width = (layout.column_pitch(field_width) - gap - layout.indent).max(1.0);
    text::wrap(&item.text, max_width, layout.max_lines, layout.size, choose_face(item, style))
}

/// Returns the height of a text with the space below it, as a multiple of its font size.
fn measure_item_em(item: &Item, field_width: f64, layout: &TextLayout, style: &ChartStyle) -> f64 {
    let lines = wrap_item(item, field_width, layout, style);
    lines.len() as f64 * layout.line_height_em + layout.item_gap_em
}

/// Returns the height in points that a field with its title needs if its texts are in one sequence below
/// each other. Ignores texts beyond `MAX_MEASURED_ITEMS`. `field_width` is in points.
fn measure_field_height(
    field: &Field,
    field_width: f64,
    layout: &TextLayout,
    style: &ChartStyle,
) -> f64 {
    let items = field.items.iter().take(MAX_MEASURED_ITEMS);
    let items_em: f64 = items.map(|item| measure_item_em(item, field_width, layout, style)).sum();
    layout.title_height() + items_em * layout.size + layout.padding * 0.5
}

/// Returns the height in points of the texts of a field from the index `first` on, without a gap after
/// the last one. Measures only `MAX_MEASURED_REMAINING_ITEMS` texts.
fn measure_remaining_height(
    field: &Field,
    first: usize,
    field_width: f64,
    layout: &TextLayout,
    style: &ChartStyle,
) -> f64 {
    let items = field.items.iter().skip(first).take(MAX_MEASURED_REMAINING_ITEMS);
    let items_em = items.map(|item| measure_item_em(item, field_width, layout, style));
    (items_em.sum::<f64>() - layout.item_gap_em) * layout.size
}

/// Draws a field: background, upper edge, title, the first texts that fit, and a note with the
/// number of the others if it fits. Returns that number, which is 0 if all texts fit. The mark of the
/// last text stays open.
fn draw_field(
    field: &Field,
    rect: Rect,
    layout: &TextLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) -> usize {
    let background = field.color.mix(style.background, 0.9);
    scene.rect(rect, background);
    scene.rect(Rect { y1: rect.y0 + edge_height(style), ..rect }, field.color);
    let accent_color = field.color.readable_on(background, 4.5);
    draw_title(field, rect, accent_color, layout, style, scene);
    let left = rect.x0 + layout.padding;
    let mut top = rect.y0 + layout.title_height();
    if let Some(offsets) = layout.fill_columns(field, rect.width(), rect.height(), style) {
        for (item, (x, y)) in field.items.iter().zip(offsets) {
            let lines = wrap_item(item, rect.width(), layout, style);
            draw_item(
                item,
                &lines,
                Point::new(left + x, top + y),
                (accent_color, background),
                layout,
                style,
                scene,
            );
        }
        return 0;
    }
    let line_height = layout.size * layout.line_height_em;
    let item_gap = layout.item_gap_em * layout.size;
    for (index, item) in field.items.iter().enumerate() {
        let lines = wrap_item(item, rect.width(), layout, style);
        let remaining_count = field.items.len() - index;
        let is_last = remaining_count == 1;
        // Unless all remaining texts fit, the last line is reserved for the number of omitted
        // texts.
        let bottom = top + lines.len() as f64 * line_height;
        let note_height = if is_last { 0.0 } else { line_height + item_gap };
        let rest_fits = !is_last
            && top + measure_remaining_height(field, index, rect.width(), layout, style) <= rect.y1;
        let limit = rect.y1 + TOLERANCE;
        if bottom > limit || (!rest_fits && bottom + note_height > limit) {
            let area = Rect { x0: left + layout.indent, y0: top, ..rect };
            draw_omitted_note(remaining_count, area, background, layout, style, scene);
            return remaining_count;
        }
        draw_item(
            item,
            &lines,
            Point::new(left, top),
            (accent_color, background),
            layout,
            style,
            scene,
        );
        top = bottom + item_gap;
    }
    0
}

/// Draws the wrapped `lines` of a text with its bullet, and begins its mark. `origin` is the upper left
/// corner. The bullet has the accent color, the text a color that is readable on the background.
fn draw_item(
    item: &Item,
    lines: &[String],
    origin: Point,
    (accent_color, background): (Color, Color),
    layout: &TextLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    scene.begin_mark("text", Some(item.row), || {
        (Some("text".to_owned()), item.text.clone().into_owned())
    });
    let line_height = layout.size * layout.line_height_em;
    draw_bullet(origin.x, origin.y + line_height * 0.5, layout, accent_color, scene);
    for (line_index, line) in lines.iter().enumerate() {
        let middle = origin.y + (line_index as f64 + 0.5) * line_height;
        let baseline = middle + HALF_CAP_HEIGHT_EM * layout.size;
        let x = origin.x + layout.indent;
        let label = style.label_text(x, baseline, Anchor::Start, layout.size, line);
        let full = line.ends_with('…').then(|| item.text.clone().into_owned());
        let color = style.value_color.readable_on(background, 4.5);
        let face = choose_face(item, style);
        let width = text::width(line, layout.size, face);
        scene.text(Text { face, width, color, full, ..label });
    }
}

/// Returns the height in points of the colored upper edge of a field.
fn edge_height(style: &ChartStyle) -> f64 {
    (3.0 * style.unit).round()
}

/// Draws the title at the top of the field in `rect`, shortened to its width. Draws nothing if the field
/// is too low.
fn draw_title(
    field: &Field,
    rect: Rect,
    color: Color,
    layout: &TextLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let size = layout.title_size;
    let baseline = rect.y0 + layout.padding + edge_height(style) * 0.5 + ASCENT_EM * size;
    if baseline + size * 0.3 >= rect.y1 {
        return;
    }
    let max_width = rect.width() - layout.padding * 2.0;
    let title = text::ellipsize(&field.title, max_width, size, Face::BOLD);
    let width = text::width(&title, size, Face::BOLD);
    let full = (title != field.title).then(|| field.title.clone().into_owned());
    let label = style.label_text(rect.x0 + layout.padding, baseline, Anchor::Start, size, &title);
    scene.text(Text { face: Face::BOLD, width, color, full, ..label });
}

/// Draws a bullet at the left edge `x`, if bullets are shown. `middle` is the y coordinate of its
/// center.
fn draw_bullet(x: f64, middle: f64, layout: &TextLayout, color: Color, scene: &mut Scene) {
    if layout.indent > 0.0 {
        let radius = layout.size * 0.17;
        scene.circle(Point::new(x + radius, middle), radius, color, None::<Stroke>);
    }
}

/// Draws a small note with the number of omitted texts at the top left of `area`, if it fits with a
/// margin of half the padding of `layout` at its right. `background` is the color below the note.
fn draw_omitted_note(
    count: usize,
    area: Rect,
    background: Color,
    layout: &TextLayout,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let baseline = area.y0 + style.small_size * ASCENT_EM;
    let note = style.overflow_note((area.x0, baseline), Anchor::Start, count, "");
    let fits_height = baseline + style.small_size * 0.3 <= area.y1;
    let fits_width = area.x0 + note.width <= area.x1 - layout.padding * 0.5;
    if fits_height && fits_width {
        scene.text(Text { color: style.muted_color.readable_on(background, 4.5), ..note });
    }
}
