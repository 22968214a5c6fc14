//! Countries as equal tiles in a readable order of the world, filled by value or with bubbles.
//!
//! Record: `region` (ISO code of two or three letters, or English name), `value`, `label`,
//! `highlighted`. Settings: `mode` (`choropleth`, `bubble`: circles whose area is the value),
//! `scale` (colours from low to high), `showValues`, `showLegend`.
//!
//! Equal tiles show small countries as well as large ones, which a map of areas does not.

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
use crate::frame::Frame;
use crate::frame::Look;
use crate::frame::SMALLEST_TEXT;
use crate::frame::legend;
use crate::kinds::Kind;
use crate::scene::{Anchor, CENTER, Stroke, Text};
use crate::text;
use crate::text::Face;
use classes::Classes;
use countries::{COLUMNS, COUNTRIES, ROWS};

/// The world map.
pub const KIND: Kind = Kind { slug: "world-map", draw };

/// A country's record.
#[derive(Clone)]
struct Entry {
    row: usize,
    value: f64,
    name: String,
    words: String,
    highlighted: bool,
}

/// Where tiles stand, and how text is set on them.
struct Grid {
    origin: Point,
    step: (f64, f64),
    gap: f64,
    /// Font size of codes, if they fit.
    size: Option<f64>,
    /// Whether the value stands under the code.
    values: bool,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let entries = read(chart, scene);
    let given: Vec<&Entry> = entries.iter().flatten().collect();
    if given.is_empty() {
        return frame::no_data(frame, scene);
    }
    describe(&given, scene);
    let look = &frame.look;
    let bubbles = chart.word("mode") == "bubble";
    let classes = Classes::new(chart, look, given.iter().map(|it| it.value), bubbles);
    let mut area = frame.area;
    if chart.flag("showLegend", true) && !bubbles {
        let entries = classes.names.iter().zip(&classes.colors).map(|it| (it.0.as_str(), *it.1));
        area = legend::draw(scene, look, area, entries);
    }
    let grid = lay(chart, look, area, &given, bubbles);
    if bubbles {
        return bubbles::draw(chart, &entries, &grid, frame, scene);
    }
    for (at, entry) in entries.iter().enumerate() {
        let Some(country) = COUNTRIES.get(at) else { continue };
        let rect = grid.rect(country.place);
        match entry {
            None => {
                // Quieter than any class: nothing is known here.
                let fill = look.grid.mix(look.background, 0.4);
                tile(rect, country.code, (fill, look), &grid, None, scene);
            }
            Some(entry) => {
                scene.tag("country", Some(entry.row), || {
                    (Some("value".to_owned()), format!("{}: {}", entry.name, entry.words))
                });
                let fill = classes.color(entry.value);
                tile(rect, country.code, (fill, look), &grid, Some(entry), scene);
                scene.untag();
            }
        }
    }
}

/// The records by country; of two for one country the first counts.
fn read(chart: &Chart, scene: &mut Scene) -> Vec<Option<Entry>> {
    let mut entries: Vec<Option<Entry>> = vec![None; COUNTRIES.len()];
    let (mut unknown, mut twice) = (0, 0);
    let values = chart.data.iter().filter_map(|it| data::number(data::field(it, "value")));
    let values: Vec<f64> = values.collect();
    let format =
        NumberFormat::for_values(values.iter().copied(), &chart.rules("value"), chart.language());
    for (row, record) in chart.data.iter().enumerate() {
        let region = data::words(data::field(record, "region"));
        let Some(value) = data::number(data::field(record, "value")) else { continue };
        let Some(at) = countries::find(&region) else {
            unknown += 1;
            continue;
        };
        let label = data::label(record);
        let name = COUNTRIES.get(at).map_or("", |it| it.name);
        let name = if label.is_empty() { name.to_owned() } else { label.into_owned() };
        let highlighted = data::flag(data::field(record, "highlighted"));
        let entry = Entry { row, value, name, words: format.text(value), highlighted };
        match entries.get_mut(at) {
            Some(place @ None) => *place = Some(entry),
            _ => twice += 1,
        }
    }
    if unknown > 0 {
        scene.warn(format!("Records whose region is no country of the map: {unknown}."));
    }
    if twice > 0 {
        scene.warn(format!("Records of a country that has one already: {twice}."));
    }
    entries
}

impl Grid {
    fn rect(&self, (column, row): (u8, u8)) -> Rect {
        let x = self.origin.x + f64::from(column) * self.step.0;
        let y = self.origin.y + f64::from(row) * self.step.1;
        Rect::new(x, y, x + self.step.0 - self.gap, y + self.step.1 - self.gap)
    }
}

/// Tiles as large as the area allows, at most a third wider than high.
fn lay(chart: &Chart, look: &Look, area: Rect, given: &[&Entry], bubbles: bool) -> Grid {
    let (wide, high) = (area.width() / COLUMNS as f64, area.height() / ROWS as f64);
    let step = (wide.min(high * 1.35), high.min(wide * 1.15));
    let gap = (step.0.min(step.1) * 0.08).clamp(0.4, 2.0 * look.unit);
    let left = (area.width() - step.0 * COLUMNS as f64) / 2.0;
    let origin = Point::new(area.x0 + left, area.y0);
    let widest = |size: f64| {
        let width = |code: &str| text::width(code, size, look.face());
        COUNTRIES.iter().map(|it| width(it.code)).fold(0.0, f64::max)
    };
    let fits = |size: &f64| widest(*size) + 1.5 <= step.0 - gap && size * 1.15 <= step.1 - gap;
    let sizes = [look.label, look.small, SMALLEST_TEXT];
    let size = sizes.into_iter().find(fits);
    let values = chart.flag("showValues", true) && !bubbles;
    let values = values
        && size.is_some_and(|size| {
            let room = |it: &&Entry| look.width(&it.words, size) + 3.0 <= step.0 - gap;
            size * 2.5 <= step.1 - gap && given.iter().all(room)
        });
    Grid { origin, step, gap, size, values }
}

/// A filled tile with its code, and with its value where it fits.
fn tile(
    rect: Rect,
    code: &str,
    (fill, look): (Color, &Look),
    grid: &Grid,
    entry: Option<&Entry>,
    scene: &mut Scene,
) {
    let (fill, ink) = fill.carrying();
    scene.rect(rect, fill);
    if entry.is_some_and(|it| it.highlighted) {
        let width = (grid.step.1 * 0.1).clamp(1.0, 2.5);
        let inner = rect.inset(-width / 2.0);
        scene.stroke(kurbo::Shape::to_path(&inner, 0.1), Stroke::new(look.ink, width));
    }
    let Some(size) = grid.size else { return };
    let middle = rect.center();
    let words = entry.filter(|_| grid.values).map_or("", |it| it.words.as_str());
    let lift = if words.is_empty() { 0.0 } else { size * 0.62 };
    let ink = if entry.is_none() { look.muted.readable_on(fill, 4.5) } else { ink };
    let face = if words.is_empty() { look.face() } else { Face::Bold };
    let set = look.text(middle.x, middle.y - lift + CENTER * size, Anchor::Middle, size, code);
    scene.text(Text { face, width: text::width(code, size, face), color: ink, ..set });
    let y = middle.y + size * 0.6 + CENTER * size;
    scene.text(Text { color: ink, ..look.text(middle.x, y, Anchor::Middle, size, words) });
}

fn describe(given: &[&Entry], scene: &mut Scene) {
    let lowest = given.iter().min_by(|one, two| one.value.total_cmp(&two.value));
    let highest = given.iter().max_by(|one, two| one.value.total_cmp(&two.value));
    if let (Some(low), Some(high)) = (lowest, highest) {
        let (count, is) = (given.len(), if given.len() == 1 { "country" } else { "countries" });
        scene.desc = format!(
            "World map of {count} {is}, each an equal tile. Highest: {}, {}. Lowest: {}, {}.",
            high.name, high.words, low.name, low.words,
        );
    }
}
