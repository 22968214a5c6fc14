//! Names of stacked parts right of the last column, or a legend where they have no room.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::color::Color;
use crate::frame::Look;
use crate::frame::legend;
use crate::scene::{Anchor, CENTER, Stroke, Text};
use crate::slices::spread;

/// More parts than this get a legend: names beside them would crowd.
const MOST: usize = 9;
/// Space between the column and the names, in units.
const GAP: f64 = 8.0;
/// Height of a name as a share of its font size.
const LINE: f64 = 1.2;

/// How the parts are named, decided before the plot has its width.
pub struct SideNames {
    /// What is left for the plot.
    pub area: Rect,
    direct: bool,
}

/// Chooses between names beside the last column and a legend, and draws the latter. `direct` is
/// whether the last column has a part for every series.
pub fn plan(
    chart: &Chart,
    look: &Look,
    scene: &mut Scene,
    area: Rect,
    (series, direct): (&[Series], bool),
) -> SideNames {
    if series.len() < 2 || !chart.flag("showLegend", true) {
        return SideNames::none(area);
    }
    let widest = series.iter().map(|it| look.width(&it.title, look.label)).fold(0.0, f64::max);
    let gutter = widest + GAP * look.unit;
    let height = series.len() as f64 * look.label * LINE;
    let fits = gutter <= area.width() * 0.27 && height <= area.height() * 0.7;
    if direct && fits && series.len() <= MOST {
        let x1 = area.x1 - gutter;
        return SideNames { area: Rect { x1, ..area }, direct: true };
    }
    // In the order in which the parts are seen, from the top.
    let entries = series.iter().rev().map(|it| (&*it.title, it.color));
    SideNames::none(legend::draw(scene, look, area, entries))
}

impl SideNames {
    /// No names beside the column.
    pub fn none(area: Rect) -> SideNames {
        SideNames { area, direct: false }
    }

    /// Whether names stand beside the column.
    pub fn is_direct(&self) -> bool {
        self.direct
    }

    /// Writes the names right of `column`, each beside its part, pushed apart. Parts come as the
    /// places of their middles in points with their series, from the bottom up.
    pub fn draw<'a>(
        &self,
        look: &Look,
        scene: &mut Scene,
        column: Rect,
        parts: impl DoubleEndedIterator<Item = (f64, &'a Series)>,
    ) {
        if !self.direct {
            return;
        }
        let size = look.label;
        let parts: Vec<(f64, &Series)> = parts.rev().collect();
        let wanted: Vec<f64> = parts.iter().map(|it| it.0).collect();
        let heights = vec![size * LINE; parts.len()];
        let places = spread::spread(&wanted, &heights, column.y0 - size * 0.3, column.y1);
        let x = column.x1 + GAP * look.unit;
        for ((wanted, series), place) in parts.into_iter().zip(places) {
            if (wanted - place).abs() > size * 0.8 {
                let stroke = Stroke::new(series.color.mix(look.background, 0.4), 1.0);
                let from = Point::new(column.x1 + 1.0, wanted);
                scene.line(from, Point::new(x - 2.0, place), stroke);
            }
            let color: Color = series.color.readable_on(look.background, 4.5);
            let set = look.text(x, place + CENTER * size, Anchor::Start, size, &series.title);
            // Rules of the plot may run on under the names.
            scene.text(Text { color, halo: Some(look.background), ..set });
        }
    }
}
