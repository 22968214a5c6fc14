//! World map: countries as equal tiles, arranged roughly as on a map, filled by value or with
//! bubbles.
//!
//! Record: `region` (ISO code of two or three letters, or English name), `value`, `label`,
//! `highlighted`. Settings: `mode` (`choropleth`, or `bubble` for circles with areas proportional
//! to the values), `scale` (colors from low to high), `showValues`, `showLegend`.
//!
//! Equal tiles make small countries as visible as large ones, unlike a map with true areas.

mod bubbles;
mod classes;
mod countries;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::ChartStyle;
use crate::frame::Frame;
use crate::frame::MIN_TEXT_SIZE;
use crate::frame::legend;
use crate::kinds::Kind;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;
use classes::Classes;
use countries::{COLUMNS, COUNTRIES, ROWS};

/// The world map.
pub const KIND: Kind = Kind { slug: "world-map", draw };

/// Record of a country.
#[derive(Clone)]
struct Entry {
    row: usize,
    value: f64,
    name: String,
    words: String,
    highlighted: bool,
}

/// Layout of the tiles and of the text on them.
struct Grid {
    origin: Point,
    step: (f64, f64),
    gap: f64,
    /// Font size of the codes in points. None if they do not fit.
    size: Option<f64>,
    /// Whether the value is drawn below the code.
    values: bool,
}

/// Draws legend and tiles, or tiles and bubbles.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let entries = read(chart, scene);
    let given: Vec<&Entry> = entries.iter().flatten().collect();
    if given.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    describe(&given, scene);
    let style = &frame.style;
    let bubbles = chart.str_setting("mode") == "bubble";
    let classes = Classes::new(chart, style, given.iter().map(|it| it.value), bubbles);
    let mut area = frame.area;
    if chart.bool_setting("showLegend", true) && !bubbles {
        let entries = classes.names.iter().zip(&classes.colors).map(|it| (it.0.as_str(), *it.1));
        area = legend::draw(scene, style, area, entries);
    }
    let grid = lay(chart, style, area, &given, bubbles);
    if bubbles {
        return bubbles::draw(chart, &entries, &grid, frame, scene);
    }
    for (at, entry) in entries.iter().enumerate() {
        let Some(country) = COUNTRIES.get(at) else { continue };
        let rect = grid.rect(country.place);
        match entry {
            None => {
                // Countries without a value are paler than any class.
                let fill = style.grid_color.mix(style.background, 0.4);
                tile(rect, country.code, (fill, style), &grid, None, scene);
            }
            Some(entry) => {
                scene.begin_mark("country", Some(entry.row), || {
                    (Some("value".to_owned()), format!("{}: {}", entry.name, entry.words))
                });
                let fill = classes.color(entry.value);
                tile(rect, country.code, (fill, style), &grid, Some(entry), scene);
                scene.end_mark();
            }
        }
    }
}

/// Reads the records by country. If several records have the same country, the first one is used.
fn read(chart: &Chart, scene: &mut Scene) -> Vec<Option<Entry>> {
    let mut entries: Vec<Option<Entry>> = vec![None; COUNTRIES.len()];
    let (mut unknown, mut twice) = (0, 0);
    let values = chart.data.iter().filter_map(|it| data::number(data::field(it, "value")));
    let values: Vec<f64> = values.collect();
    let format = NumberFormat::for_values(
        values.iter().copied(),
        &chart.format_rules("value"),
        chart.locale(),
    );
    for (row, record) in chart.data.iter().enumerate() {
        let region = data::display_text(data::field(record, "region"));
        let Some(value) = data::number(data::field(record, "value")) else { continue };
        let Some(at) = countries::find(&region) else {
            unknown += 1;
            continue;
        };
        let label = data::record_label(record);
        let name = COUNTRIES.get(at).map_or("", |it| it.name);
        let name = if label.is_empty() { name.to_owned() } else { label.into_owned() };
        let highlighted = data::is_true(data::field(record, "highlighted"));
        let entry = Entry { row, value, name, words: format.text(value), highlighted };
        match entries.get_mut(at) {
            Some(place @ None) => *place = Some(entry),
            _ => twice += 1,
        }
    }
    if unknown > 0 {
        scene.warn(format!(
            "Records with a region that is not a country of the map are left out: {unknown}."
        ));
    }
    if twice > 0 {
        scene.warn(format!("Records of a country that has one already: {twice}."));
    }
    entries
}

impl Grid {
    /// Returns the rectangle of the tile in this column and row.
    fn rect(&self, (column, row): (u8, u8)) -> Rect {
        let x = self.origin.x + f64::from(column) * self.step.0;
        let y = self.origin.y + f64::from(row) * self.step.1;
        Rect::new(x, y, x + self.step.0 - self.gap, y + self.step.1 - self.gap)
    }
}

/// Lays out the tiles as large as the area allows. Columns are at most 1.35 times as wide as rows
/// are high, and rows at most 1.15 times as high as columns are wide.
fn lay(chart: &Chart, style: &ChartStyle, area: Rect, given: &[&Entry], bubbles: bool) -> Grid {
    let (wide, high) = (area.width() / COLUMNS as f64, area.height() / ROWS as f64);
    let step = (wide.min(high * 1.35), high.min(wide * 1.15));
    let gap = (step.0.min(step.1) * 0.08).clamp(0.4, 2.0 * style.unit);
    let left = (area.width() - step.0 * COLUMNS as f64) / 2.0;
    let origin = Point::new(area.x0 + left, area.y0);
    let widest = |size: f64| {
        let width = |code: &str| text::width(code, size, style.label_face());
        COUNTRIES.iter().map(|it| width(it.code)).fold(0.0, f64::max)
    };
    let fits = |size: &f64| widest(*size) + 1.5 <= step.0 - gap && size * 1.15 <= step.1 - gap;
    let sizes = [style.label_size, style.small_size, MIN_TEXT_SIZE];
    let size = sizes.into_iter().find(fits);
    let values = chart.bool_setting("showValues", true) && !bubbles;
    let values = values
        && size.is_some_and(|size| {
            let room = |it: &&Entry| style.text_width(&it.words, size) + 3.0 <= step.0 - gap;
            size * 2.5 <= step.1 - gap && given.iter().all(room)
        });
    Grid { origin, step, gap, size, values }
}

/// Draws a tile with its code, and with its value if values are shown.
fn tile(
    rect: Rect,
    code: &str,
    (fill, style): (Color, &ChartStyle),
    grid: &Grid,
    entry: Option<&Entry>,
    scene: &mut Scene,
) {
    let (fill, ink) = fill.with_readable_text();
    scene.rect(rect, fill);
    if entry.is_some_and(|it| it.highlighted) {
        let width = (grid.step.1 * 0.1).clamp(1.0, 2.5);
        let inner = rect.inset(-width / 2.0);
        scene.stroke(kurbo::Shape::to_path(&inner, 0.1), Stroke::new(style.text_color, width));
    }
    let Some(size) = grid.size else { return };
    let middle = rect.center();
    let words = entry.filter(|_| grid.values).map_or("", |it| it.words.as_str());
    let lift = if words.is_empty() { 0.0 } else { size * 0.62 };
    let ink = if entry.is_none() { style.muted_color.readable_on(fill, 4.5) } else { ink };
    let face = if words.is_empty() { style.label_face() } else { Face::BOLD };
    let set = style.label_text(
        middle.x,
        middle.y - lift + HALF_CAP_HEIGHT_EM * size,
        Anchor::Middle,
        size,
        code,
    );
    scene.text(Text { face, width: text::width(code, size, face), color: ink, ..set });
    let y = middle.y + size * 0.6 + HALF_CAP_HEIGHT_EM * size;
    scene.text(Text { color: ink, ..style.label_text(middle.x, y, Anchor::Middle, size, words) });
}

/// Sets the text description of the scene: number of countries, and the highest and lowest value.
fn describe(given: &[&Entry], scene: &mut Scene) {
    let lowest = given.iter().min_by(|one, two| one.value.total_cmp(&two.value));
    let highest = given.iter().max_by(|one, two| one.value.total_cmp(&two.value));
    if let (Some(low), Some(high)) = (lowest, highest) {
        let (count, is) = (given.len(), if given.len() == 1 { "country" } else { "countries" });
        scene.description = format!(
            "World map of {count} {is}, each an equal tile. Highest: {}, {}. Lowest: {}, {}.",
            high.name, high.words, low.name, low.words,
        );
    }
}
