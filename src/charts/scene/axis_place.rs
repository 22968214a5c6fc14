//! Places of value axes, for handles at their ends.

use crate::scale::ValueScale;
use crate::scene::Scene;

/// A drawn value axis with the setting that moves its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisPlace {
    /// Key of the setting: an object with `min` and `max`.
    pub setting: &'static str,
    /// Values at the ends of the axis, and their coordinates along it in points.
    pub scale: ValueScale,
    /// Coordinate across the axis in points: x of a vertical one, y of a horizontal one.
    pub across: f64,
    /// Whether the axis is vertical.
    pub is_vertical: bool,
    /// Lowest and highest value that the axis includes, whatever the setting says. None if the
    /// setting may cut off values.
    pub required: Option<(f64, f64)>,
}

impl Scene {
    /// Records a value axis. Does nothing if the scene is not interactive, or if it already has an
    /// axis with the same setting, like the first one of several small charts.
    pub(crate) fn record_axis(&mut self, place: AxisPlace) {
        if self.interactive && self.axes.iter().all(|axis| axis.setting != place.setting) {
            self.axes.push(place);
        }
    }
}
