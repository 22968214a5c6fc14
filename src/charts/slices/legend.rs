//! List of slices beside a circle, for slices without space for their labels around it.

use kurbo::{Circle, Point, Rect};

use crate::frame::list_columns;
use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Primitive, Scene, Text};
use crate::slices::{CircleExtent, Slice};
use crate::text;
use crate::text::Face;

/// Line height as a multiple of the font size.
const LINE_HEIGHT: f64 = 1.28;
/// Width of the color of a slice as a multiple of the font size.
const SWATCH_EM: f64 = 0.8;
/// Space between the parts of an entry as a multiple of the font size.
const GAP_EM: f64 = 0.45;
/// Maximum number of columns.
const MAX_COLUMNS: usize = 4;
/// Maximum number of lines of a name.
const MAX_NAME_LINES: usize = 3;
/// Maximum width of the list as a share of the area.
const MAX_WIDTH_SHARE: f64 = 0.68;
/// Maximum width as a share of the area of a list with shorter lines, which leaves more space for the
/// circle.
const NARROW_WIDTH_SHARE: f64 = 0.5;
/// Minimum radius of the circle as a share of the shorter side of the area.
const MIN_RADIUS_SHARE: f64 = 0.2;

/// A numbered list of slices. The numbers are also at the slices.
pub struct SliceLegend {
    /// Font size in points.
    size: f64,
    /// Width of the numbers in points.
    number_width: f64,
    /// Whether the amounts contain the values besides the percentages.
    with_values: bool,
    /// Entries in the order of the slices.
    entries: Vec<Entry>,
}

/// A form of the list.
#[derive(Clone, Copy)]
struct ListForm {
    /// Font size in points.
    size: f64,
    /// Whether the amounts contain the values besides the percentages.
    with_values: bool,
    /// Maximum width as a share of the area.
    width_share: f64,
}

/// An entry of the list.
struct Entry {
    /// Lines of the name.
    lines: Vec<String>,
    /// Upper left corner in points.
    origin: Point,
}

impl SliceLegend {
    /// Returns the list in the largest text in which all names are whole, with values if they have
    /// space in it, and center and radius of the circle beside it. Returns None if there is no such
    /// list.
    pub fn lay_out(
        slices: &[Slice],
        area: Rect,
        style: &ChartStyle,
        extent: CircleExtent,
    ) -> Option<(SliceLegend, Point, f64)> {
        let sizes = [style.label_size, style.small_size, MIN_TEXT_SIZE.min(style.small_size)];
        let forms = sizes.into_iter().flat_map(|size| {
            let wide = ListForm { size, with_values: true, width_share: MAX_WIDTH_SHARE };
            let narrow = ListForm { width_share: NARROW_WIDTH_SHARE, ..wide };
            [wide, narrow, ListForm { with_values: false, ..wide }]
        });
        forms.into_iter().find_map(|form| {
            let size = form.size;
            (1..=MAX_COLUMNS).find_map(|columns| {
                let (legend, width) = SliceLegend::fill(slices, columns, form, area, style)?;
                // The numbers of the slices are around the circle.
                let margin = size * 2.2;
                let space = area.width() - width - size * 1.5;
                let max_height = match extent {
                    CircleExtent::Full => area.height() / 2.0,
                    CircleExtent::Half => area.height() - size,
                };
                let radius = (space / 2.0).min(max_height) - margin;
                let min_radius = MIN_RADIUS_SHARE * area.width().min(area.height());
                let y = match extent {
                    CircleExtent::Full => area.center().y,
                    CircleExtent::Half => area.center().y + radius / 2.0,
                };
                let center = Point::new(area.x0 + space / 2.0, y);
                (radius >= min_radius).then_some((legend, center, radius))
            })
        })
    }

    /// Returns the list with a number of columns at the right of the area, and its width. None if a
    /// name is not whole or not all entries have space.
    fn fill(
        slices: &[Slice],
        columns: usize,
        form: ListForm,
        area: Rect,
        style: &ChartStyle,
    ) -> Option<(SliceLegend, f64)> {
        let ListForm { size, with_values, width_share } = form;
        let (face, gap) = (style.label_face(), size * GAP_EM);
        let number_width =
            text::width(&style.locale.format_integer(slices.len()), size, Face::BOLD);
        let column_gap = size * 1.5;
        let max_pitch = (area.width() * width_share + column_gap) / columns as f64;
        let before_name = number_width + gap + size * SWATCH_EM + gap;
        let detail_width = |slice: &Slice| match choose_amount(slice, with_values) {
            "" => 0.0,
            amount => gap + style.text_width(amount, size),
        };
        let wrap = |slice: &Slice| {
            let max_width = max_pitch - column_gap - before_name - detail_width(slice);
            match max_width > size {
                true => text::wrap_whole(&slice.label, max_width, MAX_NAME_LINES, size, face),
                false => None,
            }
        };
        let names: Vec<Vec<String>> = slices.iter().map(wrap).collect::<Option<_>>()?;
        let entry_width = |(lines, slice): (&Vec<String>, &Slice)| {
            let widest = lines.iter().map(|line| style.text_width(line, size)).fold(0.0, f64::max);
            before_name + widest + detail_width(slice)
        };
        let column_width = names.iter().zip(slices).map(entry_width).fold(0.0, f64::max);
        let line_height = size * LINE_HEIGHT;
        let heights: Vec<f64> =
            names.iter().map(|lines| lines.len().max(1) as f64 * line_height).collect();
        let positions = list_columns::fill_columns(&heights, columns, line_height, area.height())?;
        let height = positions.iter().zip(&heights).map(|((_, top), height)| top + height);
        let top = area.center().y - height.fold(0.0, f64::max) / 2.0;
        let pitch = column_width + column_gap;
        let width = pitch * columns as f64 - column_gap;
        let entries = names.into_iter().zip(positions).map(|(lines, (column, offset))| Entry {
            lines,
            origin: Point::new(area.x1 - width + pitch * column as f64, top + offset),
        });
        let entries = entries.collect();
        Some((SliceLegend { size, number_width, with_values, entries }, width))
    }

    /// Draws the list, and the numbers of the slices around `circle` as far as they have space.
    pub fn draw(&self, circle: Circle, slices: &[Slice], style: &ChartStyle, scene: &mut Scene) {
        let (size, gap) = (self.size, self.size * GAP_EM);
        let mut taken: Vec<Rect> = Vec::new();
        for (index, (slice, entry)) in slices.iter().zip(&self.entries).enumerate() {
            let mut number = style.locale.format_integer(index + 1);
            let point = circle.center + slice.label_direction * (circle.radius + size * 0.9);
            let baseline = point.y + HALF_CAP_HEIGHT_EM * size;
            let text = style.label_text(point.x, baseline, Anchor::Middle, size, &number);
            let bounds = text.bounds().inflate(1.0, 0.0);
            if !taken.iter().any(|other| other.overlaps(bounds)) {
                taken.push(bounds);
                scene.text(Text { color: style.value_color, ..text });
            } else {
                // A number in the list that no slice has would lead nowhere; the color remains.
                number.clear();
            }
            self.draw_entry(&number, slice, entry, gap, style, scene);
        }
    }

    /// Draws number, color, name and amount of a slice.
    fn draw_entry(
        &self,
        number: &str,
        slice: &Slice,
        entry: &Entry,
        gap: f64,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let size = self.size;
        let baseline = entry.origin.y + ASCENT_EM * size;
        let number_x = entry.origin.x + self.number_width;
        let text = style.label_text(number_x, baseline, Anchor::End, size, number);
        let width = text::width(number, size, Face::BOLD);
        scene.text(Text { face: Face::BOLD, width, color: style.value_color, ..text });
        let swatch = size * SWATCH_EM;
        let left = number_x + gap;
        let middle = baseline - HALF_CAP_HEIGHT_EM * size;
        let rect = Rect::new(left, middle - swatch / 2.0, left + swatch, middle + swatch / 2.0);
        if let Some(outline) = slice.outline {
            scene.push(Primitive::Rect { rect, radius: 1.5, fill: outline });
        }
        let inset = if slice.outline.is_some() { 0.8 } else { 0.0 };
        scene.push(Primitive::Rect { rect: rect.inset(-inset), radius: 1.5, fill: slice.fill });
        let x = left + swatch + gap;
        for (index, line) in entry.lines.iter().enumerate() {
            let y = baseline + index as f64 * size * LINE_HEIGHT;
            let text = style.label_text(x, y, Anchor::Start, size, line);
            let end = x + text.width;
            scene.text(Text { color: style.value_color, ..text });
            if index + 1 == entry.lines.len() {
                let amount = choose_amount(slice, self.with_values);
                let text = style.label_text(end + gap, y, Anchor::Start, size, amount);
                scene.text(Text { color: style.muted_color, ..text });
            }
        }
    }
}

/// Returns the amount of a slice: value and percentage if `with_values`, or else the short text.
fn choose_amount(slice: &Slice, with_values: bool) -> &str {
    if with_values { &slice.detail } else { &slice.short_text }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Chart;

    #[test]
    fn names_are_wrapped_before_the_values_are_left_out() {
        let names = [
            "Bundesanstalt für Immobilienaufgaben, Niederlassung Nord",
            "Zweckverband Abfallwirtschaft Oberes Donautal-Bodensee",
            "Verkehrsverbund Mittelsachsen, Regionalbüro Freiberg",
            "Landesbetrieb Straßenbau, Straßen.NRW Niederlassung Ville",
            "Gemeinnützige Wohnungsgenossenschaft Altona eingetragen",
            "Staatliche Schlösser und Gärten Baden-Württemberg",
            "Hafenlogistik- und Umschlaggesellschaft Niederrhein",
        ];
        let record = |(name, value): (&str, f64)| json!({"label": name, "value": value});
        let values = [12.5, 8.2, 4.4, 3.1, 0.9, 0.4, 0.04];
        let data: Vec<Value> = names.into_iter().zip(values).map(record).collect();
        let settings = json!({"rulesets": {"value": {"suffix": " Mio. €"}}});
        let kind = crate::find_kind("pie").unwrap();
        let side = 1080.0;
        let chart =
            Chart { settings: &settings, width: side, height: side, ..Chart::new(kind, &data) };
        let scene = crate::draw(&chart);
        let with_value = scene.text_boxes().filter(|(text, _)| text.contains("Mio."));
        assert_eq!(with_value.count(), names.len());
    }
}
