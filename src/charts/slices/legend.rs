//! List of slices beside a circle, for slices without space for their labels around it.

use kurbo::{Circle, Point, Rect, Vec2};

use crate::frame::list_columns;
use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Primitive, Scene, Text};
use crate::slices::{CircleExtent, Slice};
use crate::text;
use crate::text::Face;

/// Line height as a multiple of the font size.
const LINE_HEIGHT: f64 = 1.28;
/// Line height of a list of shortened names, which is used where little space is left.
const TIGHT_LINE_HEIGHT: f64 = 1.15;
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
/// The same for a list of shortened names, which would always be that wide.
const MAX_WIDTH_SHARE_OF_SHORTENED: f64 = 0.6;
/// Minimum radius of the circle as a share of the shorter side of the area.
const MIN_RADIUS_SHARE: f64 = 0.2;

/// Space around the circle for the numbers of the slices as a multiple of the font size.
const NUMBER_MARGIN_EM: f64 = 2.2;
/// Minimum ratio of the radius above a list to that beside a list, for a list below a half circle.
const MIN_GAIN_BELOW: f64 = 1.15;

/// Appearance of a list.
#[derive(Clone, Copy)]
struct ListForm {
    /// Font size in points.
    size: f64,
    /// Whether the amounts contain the values besides the percentages.
    with_values: bool,
    /// Whether names are whole. Otherwise each has one line.
    is_whole: bool,
}

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

/// An entry of the list.
struct Entry {
    /// Lines of the name.
    lines: Vec<String>,
    /// Upper left corner in points.
    origin: Point,
}

impl SliceLegend {
    /// Returns the list in the largest text in which all names are whole, with values if they have
    /// space in it, and center and radius of the circle beside it, or above it if a half circle is larger
    /// there. Returns None if there is no such list.
    pub fn lay_out(
        slices: &[Slice],
        area: Rect,
        style: &ChartStyle,
        extent: CircleExtent,
    ) -> Option<(SliceLegend, Point, f64)> {
        let sizes = [style.label_size, style.small_size, MIN_TEXT_SIZE.min(style.small_size)];
        let forms = sizes.into_iter().flat_map(|size| {
            [true, false].map(|with_values| ListForm { size, with_values, is_whole: true })
        });
        forms.into_iter().find_map(|form| {
            let beside = (1..=MAX_COLUMNS).find_map(|columns| {
                SliceLegend::lay_out_beside(slices, columns, form, area, extent, style)
            });
            // Larger text is not worth the values.
            if extent == CircleExtent::Full || !form.with_values {
                return beside;
            }
            let below = (1..=MAX_COLUMNS)
                .filter_map(|columns| {
                    SliceLegend::lay_out_below(slices, columns, form, area, style)
                })
                .max_by(|one, two| one.2.total_cmp(&two.2));
            let beside_radius = beside.as_ref().map_or(0.0, |(_, _, radius)| *radius);
            below.filter(|(_, _, radius)| *radius > beside_radius * MIN_GAIN_BELOW).or(beside)
        })
    }

    /// Returns a list in the smallest text beside the circle, in which names are shortened to one line.
    /// Returns None if the list is too high.
    pub fn lay_out_shortened(
        slices: &[Slice],
        area: Rect,
        style: &ChartStyle,
        extent: CircleExtent,
    ) -> Option<(SliceLegend, Point, f64)> {
        let size = MIN_TEXT_SIZE.min(style.small_size);
        let form = ListForm { size, with_values: false, is_whole: false };
        SliceLegend::lay_out_beside(slices, 1, form, area, extent, style)
    }

    /// Returns the list with a number of columns at the right of the area, and center and radius of
    /// the circle left of it. None if the names do not fit, or the circle is too small. Returns the
    /// center in points.
    fn lay_out_beside(
        slices: &[Slice],
        columns: usize,
        form: ListForm,
        area: Rect,
        extent: CircleExtent,
        style: &ChartStyle,
    ) -> Option<(SliceLegend, Point, f64)> {
        let size = form.size;
        let share = if form.is_whole { MAX_WIDTH_SHARE } else { MAX_WIDTH_SHARE_OF_SHORTENED };
        let limits = (area.width() * share, area.height());
        let (legend, (width, height)) = SliceLegend::fill(slices, columns, form, limits, style)?;
        // The numbers of the slices are around the circle.
        let margin = size * NUMBER_MARGIN_EM;
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
        let origin = Vec2::new(area.x1 - width, area.center().y - height / 2.0);
        (radius >= min_radius).then(|| (legend.shifted(origin), center, radius))
    }

    /// Returns the list with a number of columns at the bottom of the area, and center and radius of the
    /// half circle above it. None if the names do not fit, or the half circle is too small.
    fn lay_out_below(
        slices: &[Slice],
        columns: usize,
        form: ListForm,
        area: Rect,
        style: &ChartStyle,
    ) -> Option<(SliceLegend, Point, f64)> {
        let limits = (area.width(), area.height());
        let (legend, (width, height)) = SliceLegend::fill(slices, columns, form, limits, style)?;
        let margin = form.size * NUMBER_MARGIN_EM;
        let bottom = area.y1 - height - form.size * 1.5;
        let radius = (area.width() / 2.0).min(bottom - area.y0) - margin;
        let min_radius = MIN_RADIUS_SHARE * area.width().min(area.height());
        // In a high area, both are in the middle.
        let rise = (bottom - area.y0 - margin - radius) / 2.0;
        let center = Point::new(area.center().x, bottom - rise);
        let origin = Vec2::new(area.center().x - width / 2.0, area.y1 - height - rise);
        (radius >= min_radius).then(|| (legend.shifted(origin), center, radius))
    }

    /// Returns the list, moved by `offset`.
    fn shifted(self, offset: Vec2) -> SliceLegend {
        let shift = |entry: Entry| Entry { origin: entry.origin + offset, ..entry };
        SliceLegend { entries: self.entries.into_iter().map(shift).collect(), ..self }
    }

    /// Returns the list with a number of columns, filled from top to bottom, with its upper left
    /// corner at the origin, and its width and height in points. None if a whole name is required
    /// and does not fit, or not all entries have space within `limits` (width and height).
    fn fill(
        slices: &[Slice],
        columns: usize,
        form: ListForm,
        limits: (f64, f64),
        style: &ChartStyle,
    ) -> Option<(SliceLegend, (f64, f64))> {
        let ListForm { size, with_values, is_whole } = form;
        let (face, gap) = (style.label_face(), size * GAP_EM);
        let number_width =
            text::width(&style.locale.format_integer(slices.len()), size, Face::BOLD);
        let column_gap = size * 1.5;
        let max_pitch = (limits.0 + column_gap) / columns as f64;
        let before_name = number_width + gap + size * SWATCH_EM + gap;
        let detail_width = |slice: &Slice| match choose_amount(slice, with_values) {
            "" => 0.0,
            amount => gap + style.text_width(amount, size),
        };
        let wrap = |slice: &Slice| {
            let max_width = max_pitch - column_gap - before_name - detail_width(slice);
            match (max_width > size, is_whole) {
                (false, _) => None,
                (true, true) => {
                    text::wrap_whole(&slice.label, max_width, MAX_NAME_LINES, size, face)
                }
                (true, false) => {
                    Some(vec![text::ellipsize(&slice.label, max_width, size, face).into_owned()])
                }
            }
        };
        let names: Vec<Vec<String>> = slices.iter().map(wrap).collect::<Option<_>>()?;
        let entry_width = |(lines, slice): (&Vec<String>, &Slice)| {
            let widest = lines.iter().map(|line| style.text_width(line, size)).fold(0.0, f64::max);
            before_name + widest + detail_width(slice)
        };
        let entry_widths: Vec<f64> = names.iter().zip(slices).map(entry_width).collect();
        let line_height = size * if is_whole { LINE_HEIGHT } else { TIGHT_LINE_HEIGHT };
        let heights: Vec<f64> =
            names.iter().map(|lines| lines.len().max(1) as f64 * line_height).collect();
        let positions = list_columns::fill_columns(&heights, columns, line_height, limits.1)?;
        let height = positions.iter().zip(&heights).map(|((_, top), height)| top + height);
        let height = height.fold(0.0, f64::max);
        // Each column is as wide as its entries.
        let mut starts = vec![0.0; columns + 1];
        for column in 0..columns {
            let of_column = positions.iter().zip(&entry_widths);
            let of_column = of_column.filter(|((index, _), _)| *index == column);
            let widest = of_column.map(|(_, width)| *width).fold(0.0, f64::max);
            starts[column + 1] = starts[column] + widest + column_gap;
        }
        let width = starts[columns] - column_gap;
        let entries = names.into_iter().zip(positions).map(|(lines, (column, offset))| Entry {
            lines,
            origin: Point::new(starts[column], offset),
        });
        let entries = entries.collect();
        Some((SliceLegend { size, number_width, with_values, entries }, (width, height)))
    }

    /// Draws the list, and the numbers of the slices around `circle`. A number that would overlap
    /// an earlier one is left out at the slice and in the list.
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

    /// Draws number, color, name and amount of a slice. An empty `number` leaves its space empty.
    /// `gap` is the space in points between the parts.
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
            let is_cut = line.ends_with('…') && *line != slice.label;
            let full = is_cut.then(|| slice.label.clone());
            scene.text(Text { color: style.value_color, full, ..text });
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
    use crate::Scene;
    use crate::scene::Primitive;

    /// Draws slices with long names.
    fn draw(slug: &str, (width, height): (f64, f64)) -> Scene {
        let names = [
            "Staatsministerium für Wohnen, Bau und Verkehr des Freistaats",
            "Landesamt für Digitalisierung, Breitband und Vermessung",
        ];
        let record = |index: usize| json!({"label": format!("{} {index}", names[index % 2]), "value": 20 + index});
        let data: Vec<Value> = (0..11).map(record).collect();
        crate::draw(&Chart { width, height, ..Chart::new(crate::find_kind(slug).unwrap(), &data) })
    }

    #[test]
    fn half_circles_are_above_a_list_of_long_names() {
        let scene = draw("half-donut", (720.0, 405.0));
        let bounds = |primitive: &Primitive| match primitive {
            Primitive::Path { path, fill: Some(_), .. } => Some(kurbo::Shape::bounding_box(path)),
            _ => None,
        };
        let slices = scene.shapes.iter().filter_map(|shape| bounds(&shape.primitive));
        let ring = slices.reduce(|one, two| one.union(two)).unwrap();
        assert!(ring.width() > 180.0 && (ring.center().x - 360.0).abs() < 5.0, "{ring:?}");
        assert_eq!(
            scene.omissions.iter().filter(|(reason, _)| *reason == crate::Omission::Name).count(),
            0
        );
    }

    #[test]
    fn a_half_circle_and_its_list_are_in_the_middle_of_a_high_area() {
        let scene = draw("half-donut", (1080.0, 1600.0));
        let bounds = |primitive: &Primitive| match primitive {
            Primitive::Path { path, fill: Some(_), .. } => Some(kurbo::Shape::bounding_box(path)),
            _ => None,
        };
        let slices = scene.shapes.iter().filter_map(|shape| bounds(&shape.primitive));
        let texts = scene.text_boxes().map(|(_, bounds)| bounds);
        let all = slices.chain(texts).reduce(|one, two| one.union(two)).unwrap();
        assert!((all.center().y - 800.0).abs() < 60.0, "{all:?}");
    }

    #[test]
    fn values_in_percent_have_no_second_percentage() {
        let shares = [("Gas", 48.3), ("Oil", 23.4), ("Heat", 15.2), ("Other", 13.1)];
        let data = shares.map(|(label, value)| json!({"label": label, "value": value}));
        let texts = |title: &str| {
            let settings = json!({ "valueTitle": title });
            let kind = crate::find_kind("half-donut").unwrap();
            let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) });
            scene.text_boxes().map(|(text, _)| text.to_owned()).collect::<Vec<String>>()
        };
        let with_unit = texts("Share in %");
        assert!(with_unit.iter().any(|text| text.contains("48.3%")), "{with_unit:?}");
        assert!(!with_unit.iter().any(|text| text.contains("100")), "{with_unit:?}");
        let without = texts("Sites");
        assert!(without.iter().any(|text| text.contains("48%")), "{without:?}");
    }

    #[test]
    fn small_pies_shorten_names_in_a_list_with_more_letters() {
        let scene = draw("pie", (320.0, 180.0));
        assert!(scene.omissions.contains(&(crate::Omission::Name, 11)));
        let shortest = scene.text_boxes().map(|(text, _)| text).filter(|text| text.ends_with('…'));
        assert!(shortest.map(|text| text.chars().count()).min() >= Some(18));
    }
}
