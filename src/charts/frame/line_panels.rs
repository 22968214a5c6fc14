//! Panels of a line chart, one above the other, for series with values of very different magnitude,
//! such as prices and traded volumes.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::format::Omission;
use crate::frame::curves::{AreaFill, Curve};
use crate::frame::style::ChartStyle;
use crate::number_columns::quote;

/// Ratio of the largest values of two series from which they do not share a panel. A line would have
/// less than a fiftieth of the height of the plot.
const MIN_RATIO: f64 = 50.0;
/// Maximum number of panels.
const MAX_PANELS: usize = 3;
/// Height of the first panel as a multiple of that of another one.
const FIRST_PANEL_SHARE: f64 = 1.6;
/// Minimum height of the chart area for each panel as a multiple of the font size.
const MIN_PANEL_HEIGHT_EM: f64 = 7.0;

/// Settings of a panel, so that the plots of all panels have the same sides.
#[derive(Clone, Copy, Debug)]
pub struct Panel {
    /// Minimum width in points left of the plot.
    pub min_left: f64,
    /// Minimum width in points right of the plot.
    pub min_gutter: f64,
    /// Whether the labels of the x axis are below the plot.
    pub has_x_labels: bool,
    /// Whether the title of the value axis is above the plot.
    pub has_title: bool,
}

impl Panel {
    /// The panel of a chart with only one.
    pub const WHOLE: Panel =
        Panel { min_left: 0.0, min_gutter: 0.0, has_x_labels: true, has_title: true };
}

/// Returns the panel of each curve. All are in panel 0 if their magnitudes are similar, if areas are
/// stacked, if all have the same unit, so that readers compare them, or if the settings have ends or a
/// scale for the value axis.
///
/// The panel of the first curve is 0, that of the next curve with another magnitude 1.
pub fn assign(chart: &Chart, curves: &[Curve], fill: AreaFill) -> Vec<usize> {
    let one_panel = vec![0; curves.len()];
    let axis = chart.setting("axis");
    let has_axis_settings = ["min", "max", "scale"].iter().any(|key| !axis[*key].is_null());
    if fill == AreaFill::Stacked || has_axis_settings || have_same_unit(chart, curves) {
        return one_panel;
    }
    let magnitude = |curve: &Curve| {
        let magnitudes = curve.values.iter().flatten().map(|value| value.abs());
        magnitudes.fold(0.0, f64::max)
    };
    let magnitudes: Vec<f64> = curves.iter().map(magnitude).collect();
    let mut sorted = magnitudes.clone();
    sorted.retain(|magnitude| *magnitude > 0.0);
    sorted.sort_by(f64::total_cmp);
    let limits: Vec<f64> = (sorted.windows(2))
        .filter(|pair| pair[1] >= pair[0] * MIN_RATIO)
        .map(|pair| pair[1])
        .collect();
    if limits.is_empty() || limits.len() >= MAX_PANELS {
        return one_panel;
    }
    let class = |magnitude: &f64| limits.iter().filter(|limit| magnitude >= limit).count();
    let mut order: Vec<usize> = Vec::new();
    let classes = magnitudes.iter().map(class);
    classes
        .map(|class| {
            order.iter().position(|known| *known == class).unwrap_or_else(|| {
                order.push(class);
                order.len() - 1
            })
        })
        .collect()
}

/// Returns whether all curves have the same unit in the settings: a currency, a percent sign or another
/// text beside the numbers. False for numbers without a unit.
fn have_same_unit(chart: &Chart, curves: &[Curve]) -> bool {
    let unit = |curve: &Curve| {
        let rules = chart.format_rules(&curve.series.key);
        (rules.prefix, rules.suffix, rules.percent)
    };
    let first = curves.first().map(unit);
    let has_unit =
        |unit: &(String, String, bool)| unit.2 || !(unit.0.is_empty() && unit.1.is_empty());
    first.filter(has_unit).is_some_and(|first| curves.iter().all(|curve| unit(curve) == first))
}

/// Returns whether an area is high enough for `count` panels.
pub fn fit(area: Rect, count: usize, style: &ChartStyle) -> bool {
    area.height() >= count as f64 * style.label_size * MIN_PANEL_HEIGHT_EM
}

/// Returns the areas of `count` panels, from top to bottom. The first one is higher. The last one has
/// the labels of the x axis in addition.
pub fn split_area(area: Rect, count: usize, style: &ChartStyle) -> Vec<Rect> {
    let gap = style.label_size * 1.2;
    let axis_height = style.label_size * 1.8;
    let shares = FIRST_PANEL_SHARE + count.saturating_sub(1) as f64;
    let height = (area.height() - gap * count.saturating_sub(1) as f64 - axis_height) / shares;
    let mut top = area.y0;
    (0..count)
        .map(|index| {
            let own = if index == 0 { height * FIRST_PANEL_SHARE } else { height };
            let bottom = if index + 1 == count { area.y1 } else { top + own };
            let panel = Rect { y0: top, y1: bottom, ..area };
            top = bottom + gap;
            panel
        })
        .collect()
}

/// Adds a note and a warning that the curves of the panels after the first have their own value axes.
pub fn warn(curves: &[Curve], panels: &[usize], scene: &mut Scene) {
    let pairs = curves.iter().zip(panels).filter(|(_, panel)| **panel > 0);
    scene.omit(Omission::OwnAxes, 1);
    let names: Vec<String> = pairs.map(|(curve, _)| quote(&curve.series.title)).collect();
    scene.warn(format!(
        "Values of very different magnitude have panels with value axes of their own: {}. \
         With `axis.scale`: \"linear\" all series share one axis.",
        names.join(", ")
    ));
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::kinds::find_kind;

    /// Draws a time series of three prices and volumes.
    fn draw(volume: f64, settings: &Value) -> Scene {
        let day = |day: f64| {
            json!({
                "date": format!("2024-03-0{day}"), "Price": 180.0 + day, "Volume": volume * day,
            })
        };
        let records = [1.0, 2.0, 3.0].map(day);
        let kind = find_kind("time-series").unwrap();
        crate::draw(&Chart { settings, ..Chart::new(kind, &records) })
    }

    /// Returns the lower ends in points of the texts for which `is_wanted` is true.
    fn heights(scene: &Scene, is_wanted: fn(&str) -> bool) -> Vec<f64> {
        let texts = scene.text_boxes().filter(|(text, _)| is_wanted(text));
        texts.map(|(_, bounds)| bounds.y1).collect()
    }

    #[test]
    fn a_series_of_another_magnitude_has_a_panel() {
        let scene = draw(500_000.0, &json!({}));
        assert!(scene.warnings.iter().any(|text| text.contains("their own: “Volume”")));
        assert!(!scene.warnings.iter().any(|text| text.contains("more than 1000 times")));
        assert!(scene.text_boxes().any(|(text, _)| text == "Panels have different scales"));
        // The axis of prices ends above that of volumes.
        let prices = heights(&scene, |text| text.starts_with("18"));
        let volumes = heights(&scene, |text| text.ends_with('M'));
        assert!(prices.len() > 1 && volumes.len() > 1, "{prices:?} {volumes:?}");
        let is_below = |volume: &f64| prices.iter().all(|price| price < volume);
        assert!(volumes.iter().all(is_below), "{prices:?} {volumes:?}");
    }

    #[test]
    fn similar_magnitudes_and_settings_of_the_axis_keep_one_panel() {
        let own_panel = |scene: Scene| scene.warnings.iter().any(|text| text.contains("their own"));
        assert!(!own_panel(draw(2_000.0, &json!({}))));
        let euros = json!({ "suffix": " €" });
        let rules = json!({ "rulesets": { "Price": euros, "Volume": euros } });
        assert!(!own_panel(draw(500_000.0, &rules)), "readers compare amounts of one unit");
        for axis in [json!({"scale": "linear"}), json!({"scale": "log"}), json!({"min": 0})] {
            assert!(!own_panel(draw(500_000.0, &json!({ "axis": axis }))));
        }
    }
}
