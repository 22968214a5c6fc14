//! Point map: places as circles with areas proportional to their values.
//!
//! Record: `latitude` and `longitude` in degrees, or `region` (name or code of a country or
//! region), `value`, `label`, `group`, `highlighted`. Settings: `map` (`auto`, `world`, a
//! continent, or the code of a country), `projection` of the world, `showLabels`, `showLegend`,
//! `regionTitle` (heading of the places), `valueTitle`.
//!
//! Circles of values below zero have another color. Without any value, all circles are equal.

mod places;
pub(super) mod size_legend;

use kurbo::{BezPath, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{NumberFormat, Omission};
use crate::frame;
use crate::frame::ChartStyle;
use crate::frame::Frame;
use crate::frame::legend;
use crate::geo::map_view::MapView;
use crate::geo::territory::Territory;
use crate::kinds::Kind;
use crate::kinds::choropleth;
use crate::kinds::scatter;
use crate::kinds::scatter::PlacedDot;
use crate::kinds::scatter::ground::Ground;
use crate::kinds::scatter::groups;
use crate::kinds::scatter::names;
use crate::scene::{Primitive, Stroke};

use places::{Place, Places};

/// The point map.
pub const KIND: Kind = Kind { slug: "point-map", draw };

/// Share of the map that circles cover at most.
const MAX_COVERED_SHARE: f64 = 0.1;
/// Radius in points of the circle of a value near zero.
const MIN_RADIUS: f64 = 1.5;
/// Number of circles from which they are drawn in batches.
const MAX_INDIVIDUAL_CIRCLES: usize = 2500;

/// Radii of the circles of values.
struct RadiusScale {
    /// Radius in points of the largest magnitude.
    max_radius: f64,
    /// 0 without values.
    max_magnitude: f64,
}

/// Draws the legends, the land, the circles and the names. Draws a note instead if no record has a
/// place. Draws only the legends if they leave almost no space.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let places = places::read(chart, scene);
    if places.all.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let values: Vec<f64> = places.all.iter().filter_map(|place| place.value).collect();
    let format = NumberFormat::for_values(
        values.iter().copied(),
        &chart.format_rules("value"),
        chart.locale(),
    );
    let colors = choose_colors(chart, &places, scene);
    groups::note_joined(chart, &places.joined_groups, scene);
    let shows_legend = chart.bool_setting("showLegend", true);
    let mut area = frame.area;
    if shows_legend && places.groups.len() > 1 && !places.has_negative {
        let entries = places.groups.iter().map(String::as_str).zip(colors.iter().copied());
        area = legend::draw(scene, style, area, entries);
    }
    let radii = RadiusScale::new(&places, area, style);
    if shows_legend && radii.max_magnitude > 0.0 {
        let radius = |value: f64| radii.radius(Some(value));
        let sizes =
            size_legend::Sizes { values: &values, radius: &radius, column: "value", title: "" };
        area = size_legend::draw(chart, &sizes, &colors, style, area, scene);
    }
    if area.width() < 10.0 || area.height() < 10.0 {
        return;
    }
    let mut view = MapView::new(places.territory, chart.str_setting("projection"), area, false);
    let is_cut = |placed: &PlacedDot| !area.inset(-placed.radius).contains(placed.center);
    if place_circles(&places, &view, &radii).iter().any(is_cut) {
        view.fit(radii.max_radius + 1.0);
    }
    draw_land(places.territory, &mut view, style, scene);
    let placed = place_circles(&places, &view, &radii);
    for place in places.all.iter().filter(|place| view.place(place.coordinates).is_none()) {
        let label = place.dot.label(chart);
        let name = if label.is_empty() { place.region_name.unwrap_or("") } else { &label };
        scene.omit_named(Omission::OffMap, name);
    }
    scene.push(Primitive::BeginClip(area));
    draw_circles(chart, &places, &placed, &colors, &format, style, scene);
    scene.push(Primitive::EndClip);
    draw_names(chart, &places, &placed, &colors, area, style, scene);
    describe(chart, &places, &format, scene);
}

/// Returns the color of each group, at least one. If a value is below zero, returns the colors of
/// values above and below zero instead, in this order, with a warning if there are groups.
fn choose_colors(chart: &Chart, places: &Places, scene: &mut Scene) -> Vec<Color> {
    if places.has_negative {
        if places.groups.len() > 1 {
            scene.warn("Colors show the signs of the values instead of the groups.");
        }
        return vec![chart.series_color(0), chart.series_color(2)];
    }
    (0..places.groups.len().max(1)).map(|group| chart.series_color(group)).collect()
}

impl RadiusScale {
    /// Creates a scale with a largest circle that is small enough for `area`, so that all circles
    /// together cover a small share of it. Without values, all circles have one radius, smaller if
    /// there are many.
    fn new(places: &Places, area: Rect, style: &ChartStyle) -> RadiusScale {
        let magnitudes = || places.all.iter().filter_map(|place| place.value).map(f64::abs);
        let max_magnitude = magnitudes().fold(0.0, f64::max);
        if max_magnitude <= 0.0 {
            let shrink = (60.0 / places.all.len() as f64).sqrt().clamp(0.35, 1.0);
            return RadiusScale { max_radius: 5.0 * style.unit * shrink, max_magnitude: 0.0 };
        }
        let shares: f64 = magnitudes().map(|magnitude| magnitude / max_magnitude).sum();
        // A map of the world is twice as wide as high.
        let height = area.height().min(area.width() * 0.5);
        let covered = area.width() * height * MAX_COVERED_SHARE;
        let max_radius = (covered / std::f64::consts::PI / shares.max(1.0)).sqrt();
        let max_radius = max_radius.min(height * 0.065);
        RadiusScale { max_radius: max_radius.max(2.0 * MIN_RADIUS), max_magnitude }
    }

    /// Returns the radius of a value in points, the maximum for None. Areas of circles are
    /// proportional to the magnitudes of the values, except that no circle is smaller than
    /// `MIN_RADIUS`.
    fn radius(&self, value: Option<f64>) -> f64 {
        match value {
            Some(value) if self.max_magnitude > 0.0 => {
                let share = value.abs() / self.max_magnitude;
                (self.max_radius * share.sqrt()).max(MIN_RADIUS)
            }
            _ => self.max_radius,
        }
    }
}

/// Draws all countries or regions of the map, and the outline of the inset of moved parts. The
/// country that the map shows is darker than its neighbors.
fn draw_land(territory: Territory, view: &mut MapView, style: &ChartStyle, scene: &mut Scene) {
    let (mut land, mut country) = (BezPath::new(), BezPath::new());
    for shape in view.shapes() {
        let is_country = territory == Territory::Country(shape.code);
        if is_country { &mut country } else { &mut land }.extend(shape.path());
    }
    scene.push(Primitive::BeginClip(view.area));
    let land_color = choropleth::land_color(style);
    let country_color = land_color.mix(style.muted_color, 0.09);
    for (path, fill) in [(land, land_color), (country, country_color)] {
        if !path.elements().is_empty() {
            let (fill, stroke) = (Some(fill), Some(choropleth::border_stroke(style)));
            scene.push(Primitive::Path { path, fill, stroke });
        }
    }
    if let Some(inset) = view.inset {
        let outline = kurbo::Shape::to_path(&inset, 0.1);
        scene.stroke(outline, Stroke::new(style.axis_color, 0.5 * style.unit));
    }
    scene.push(Primitive::EndClip);
}

/// Returns the circles of the places, the largest first, so that smaller ones are drawn above them.
/// Leaves out places outside the map.
fn place_circles<'a>(
    places: &'a Places,
    view: &MapView,
    radii: &RadiusScale,
) -> Vec<PlacedDot<'a>> {
    let place = |place: &'a Place| {
        let center = view.place(place.coordinates)?;
        Some(PlacedDot { dot: &place.dot, center, radius: radii.radius(place.value) })
    };
    let mut placed: Vec<PlacedDot> = places.all.iter().filter_map(place).collect();
    placed.sort_by(|a, b| b.radius.total_cmp(&a.radius));
    placed
}

/// Draws a circle per place, in the order of `placed`. If there are very many, draws them in
/// batches, in which only records that need a mark get one.
fn draw_circles(
    chart: &Chart,
    places: &Places,
    placed: &[PlacedDot],
    colors: &[Color],
    format: &NumberFormat,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let opacity = scatter::choose_opacity(placed.len(), true);
    let any_highlighted = placed.iter().any(|placed_dot| placed_dot.dot.highlighted);
    let choose_color = |placed_dot: &PlacedDot| {
        scatter::choose_fill(chart, placed_dot.dot, colors, any_highlighted, style)
            .with_opacity(opacity)
    };
    if placed.len() > MAX_INDIVIDUAL_CIRCLES {
        return scatter::draw_point_batches(chart, placed, choose_color, true, scene);
    }
    for placed_dot in placed {
        let (dot, color) = (placed_dot.dot, choose_color(placed_dot));
        let outline_color = Color { a: 255, ..color }.mix(style.text_color, 0.3);
        let outline = (placed_dot.radius > 3.0).then(|| Stroke::new(outline_color, 0.75));
        scene.begin_mark("point", Some(dot.row), || {
            let place = places.all.iter().find(|place| place.dot.row == dot.row);
            let tip = place.map_or(String::new(), |place| place.tip(chart, format));
            (Some("value".to_owned()), tip)
        });
        scene.circle(placed_dot.center, placed_dot.radius, color, outline);
    }
    scene.end_mark();
}

/// Writes the names beside the circles where they have space. A record without a label has the name
/// of its country or region.
fn draw_names(
    chart: &Chart,
    places: &Places,
    placed: &[PlacedDot],
    colors: &[Color],
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let ground = Ground::default();
    let unnamed: Vec<(usize, &str)> = (places.all.iter())
        .filter(|place| place.dot.label(chart).is_empty())
        .filter_map(|place| Some((place.dot.row, place.region_name?)))
        .collect();
    if unnamed.is_empty() {
        return names::draw(chart, placed, (colors, &ground), area, style, scene);
    }
    let mut data = chart.data.to_vec();
    for (row, name) in unnamed {
        if let Some(serde_json::Value::Object(fields)) = data.get_mut(row) {
            fields.insert("label".to_owned(), name.into());
        }
    }
    let named = Chart { data: &data, ..*chart };
    names::draw(&named, placed, (colors, &ground), area, style, scene);
}

/// Sets the text description of the scene: number of places, and the places with the highest and
/// lowest value if there are values.
fn describe(chart: &Chart, places: &Places, format: &NumberFormat, scene: &mut Scene) {
    let count = places.all.len();
    let noun = if count == 1 { "place" } else { "places" };
    let mut description = format!("Map of {count} {noun}.");
    let with_values = || places.all.iter().filter(|place| place.value.is_some());
    let compare = |a: &&Place, b: &&Place| {
        a.value.unwrap_or_default().total_cmp(&b.value.unwrap_or_default())
    };
    if let (Some(low), Some(high)) = (with_values().min_by(compare), with_values().max_by(compare))
    {
        let (low, high) = (low.tip(chart, format), high.tip(chart, format));
        description += &format!(" Highest: {high}. Lowest: {low}.");
    }
    scene.description = description;
}
