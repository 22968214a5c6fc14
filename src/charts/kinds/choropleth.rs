//! Choropleth map: countries or regions with their borders, filled by value.
//!
//! Record: `region` (name in one of 16 languages, or code of ISO 3166), `value`, `label`,
//! `highlighted`. Settings: `map` (`auto`, `world`, a continent, or the code of a country),
//! `projection` of the world, `classes` (method for the limits), `classCount`, `scale` (colors from
//! low to high), `labels`, `showLegend`, `regionTitle` (heading of the places), `valueTitle`.
//!
//! A region without a number has the color of the legend entry "No data", and an area without a
//! record is paler.

mod callouts;
mod labels;
pub(super) mod regions;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::Term;
use crate::frame;
use crate::frame::ChartStyle;
use crate::frame::Frame;
use crate::frame::legend;
use crate::geo::continents::ANTARCTICA;
use crate::geo::map_view::{AreaShape, MapView};
use crate::kinds::Kind;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Primitive, Stroke, Text};
use crate::value_classes::{Method, ValueClasses};

use regions::RegionRecord;

/// The choropleth map.
pub const KIND: Kind = Kind { slug: "choropleth", draw };

/// Maximum area in square points of a country that is shown as a dot, for canvases of the default
/// size.
const MAX_DOT_AREA: f64 = 5.0;
/// Radius in points of the dot of a tiny country, for canvases of the default size.
const DOT_RADIUS: f64 = 2.2;
/// Number of rectangles of the legend of a continuous scale. Enough to look continuous.
const LEGEND_STEPS: usize = 40;

/// An area of the map with its record.
struct Region<'a> {
    record: &'a RegionRecord,
    shape: &'a AreaShape,
    fill: Color,
    /// Whether a dot shows the area because it is tiny.
    is_dot: bool,
}

/// Draws the legend, the areas and their labels. Draws a note instead if no known region has a
/// value. Draws only the legend if it leaves almost no space.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let (territory, mut records) = regions::read(chart, scene);
    if records.iter().all(|record| record.value.is_none()) {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let values: Vec<f64> = records.iter().filter_map(|record| record.value).collect();
    let count = chart.number_setting("classCount").unwrap_or(5.0).clamp(3.0, 7.0) as usize;
    let method = Method::parse(chart.str_setting("classes"));
    let classes = ValueClasses::by_method(chart, style, &values, (method, count));
    let missing_fill = missing_color(style);
    let has_missing = records.iter().any(|record| record.value.is_none());
    let mut area = frame.area;
    if chart.bool_setting("showLegend", true) {
        area = draw_legend(chart, &classes, has_missing, style, area, scene);
    }
    if area.width() < 10.0 || area.height() < 10.0 {
        return;
    }
    let with_antarctica = records.iter().any(|record| record.code == ANTARCTICA);
    let projection = chart.str_setting("projection");
    let mut view = MapView::new(territory, projection, area, with_antarctica);
    let shapes = view.shapes();
    regions::drop_outside(&mut records, &shapes, scene);
    regions::describe(&records, territory, scene);
    let find_region = |record| region_of(record, &shapes, &classes, missing_fill, style);
    let regions: Vec<Region> = records.iter().filter_map(find_region).collect();
    scene.push(Primitive::BeginClip(area));
    draw_land(&shapes, &regions, style, scene);
    draw_regions(&regions, chart, style, scene);
    if let Some(inset) = view.inset {
        let outline = kurbo::Shape::to_path(&inset, 0.1);
        scene.stroke(outline, Stroke::new(style.axis_color, 0.5 * style.unit));
    }
    scene.push(Primitive::EndClip);
    labels::draw(chart, territory, &regions, (&shapes, area), style, scene);
}

/// Joins a record with its shape and color. None if its place is not on the map.
fn region_of<'a>(
    record: &'a RegionRecord,
    shapes: &'a [AreaShape],
    classes: &ValueClasses,
    missing_fill: Color,
    style: &ChartStyle,
) -> Option<Region<'a>> {
    let shape = shapes.iter().find(|shape| shape.code == record.code)?;
    let fill = record.value.map_or(missing_fill, |value| classes.color_of(value));
    let is_dot = shape.largest_area < MAX_DOT_AREA * style.unit * style.unit;
    Some(Region { record, shape, fill, is_dot })
}

/// Returns the color of areas without a record.
pub fn land_color(style: &ChartStyle) -> Color {
    style.muted_color.mix(style.background, 0.84)
}

/// Returns the color of regions without a value.
fn missing_color(style: &ChartStyle) -> Color {
    style.muted_color.mix(style.background, 0.55)
}

/// Returns the line between neighboring areas.
pub fn border_stroke(style: &ChartStyle) -> Stroke {
    Stroke::new(style.background, 0.5 * style.unit)
}

/// Draws all areas without a record as one path.
fn draw_land(shapes: &[AreaShape], regions: &[Region], style: &ChartStyle, scene: &mut Scene) {
    let mut land = kurbo::BezPath::new();
    for shape in shapes {
        if !regions.iter().any(|region| region.shape.code == shape.code) {
            land.extend(shape.path());
        }
    }
    if !land.elements().is_empty() {
        let stroke = Some(border_stroke(style));
        scene.push(Primitive::Path { path: land, fill: Some(land_color(style)), stroke });
    }
}

/// Draws a path per region, the outlines of highlighted ones above them, and then a dot of fixed
/// size for each tiny one.
fn draw_regions(regions: &[Region], chart: &Chart, style: &ChartStyle, scene: &mut Scene) {
    let no_data = chart.locale().translate(Term::NoData);
    let begin_mark = |region: &Region, scene: &mut Scene| {
        scene.begin_mark("region", Some(region.record.row), || {
            let value = region.record.value_text.as_deref().unwrap_or(no_data);
            (Some("value".to_owned()), format!("{}: {value}", region.record.name))
        });
    };
    for region in regions.iter().filter(|region| !region.is_dot) {
        begin_mark(region, scene);
        let (fill, stroke) = (Some(region.fill), Some(border_stroke(style)));
        scene.push(Primitive::Path { path: region.shape.path(), fill, stroke });
    }
    scene.end_mark();
    for region in regions.iter().filter(|region| !region.is_dot && region.record.highlighted) {
        scene.stroke(region.shape.path(), Stroke::new(style.text_color, 1.25 * style.unit));
    }
    for region in regions.iter().filter(|region| region.is_dot) {
        begin_mark(region, scene);
        let outline = match region.record.highlighted {
            true => Stroke::new(style.text_color, style.unit),
            false => border_stroke(style),
        };
        let radius = DOT_RADIUS * style.unit;
        scene.circle(region.shape.center(), radius, region.fill, Some(outline));
    }
    scene.end_mark();
}

/// Draws the legend of the classes, or of a continuous scale from the lowest to the highest value.
/// Adds the color "No data" if `has_missing`. Returns the area below the legend.
fn draw_legend(
    chart: &Chart,
    classes: &ValueClasses,
    has_missing: bool,
    style: &ChartStyle,
    area: Rect,
    scene: &mut Scene,
) -> Rect {
    let no_data = chart.locale().translate(Term::NoData);
    let missing = has_missing.then(|| (no_data, missing_color(style)));
    if classes.is_continuous() && classes.ends.0 < classes.ends.1 {
        return draw_continuous_legend(chart, classes, missing, style, area, scene);
    }
    let entries = classes.names.iter().map(String::as_str).zip(classes.colors.iter().copied());
    legend::draw(scene, style, area, entries.chain(missing))
}

/// Draws a strip of the colors between the texts of the lowest and the highest value, and the name
/// and color of `missing` values after it. Returns the area below, or all of `area` if it is too
/// small for a legend.
fn draw_continuous_legend(
    chart: &Chart,
    classes: &ValueClasses,
    missing: Option<(&str, Color)>,
    style: &ChartStyle,
    area: Rect,
    scene: &mut Scene,
) -> Rect {
    let size = style.label_size;
    let (low, high) = classes.ends;
    let format = regions::value_format([low, high].into_iter(), chart);
    let (low_text, high_text) = (format.text(low), format.text(high));
    let gap = size * 0.5;
    let length = (150.0 * style.unit).min(area.width() * 0.36);
    let missing_width = missing.map_or(0.0, |(name, _)| style.text_width(name, size) + size * 2.6);
    let text_width = style.text_width(&low_text, size) + style.text_width(&high_text, size);
    if area.height() < size * 7.0 || text_width + length + missing_width + gap * 2.0 > area.width()
    {
        return area;
    }
    let middle = area.y0 + size * 0.5;
    let baseline = middle + HALF_CAP_HEIGHT_EM * size;
    let mut x = area.x0;
    let write = |x: f64, text: &str, scene: &mut Scene| -> f64 {
        let label = style.label_text(x, baseline, Anchor::Start, size, text);
        let end = x + label.width;
        scene.text(Text { color: style.label_color, ..label });
        end
    };
    x = write(x, &low_text, scene) + gap;
    for step in 0..LEGEND_STEPS {
        let share = |step: usize| step as f64 / LEGEND_STEPS as f64;
        let value = low + (high - low) * step as f64 / (LEGEND_STEPS - 1) as f64;
        let (left, right) = (x + length * share(step), x + length * share(step + 1));
        let strip = Rect::new(left, middle - size * 0.4, right, middle + size * 0.4);
        scene.rect(strip, classes.color_of(value));
    }
    x = write(x + length + gap, &high_text, scene);
    if let Some((name, color)) = missing {
        x += size * 1.35;
        let square = (size * 0.8).round();
        scene.rect(Rect::new(x, middle - square / 2.0, x + square, middle + square / 2.0), color);
        write(x + square + size * 0.45, name, scene);
    }
    Rect { y0: area.y0 + size * 1.55 + style.unit * 5.0, ..area }
}
