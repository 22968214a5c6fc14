//! Time series: lines over dates, one per series. Distances along the axis are proportional to
//! time.
//!
//! Record: `date`, also a time of day, and one number per series. Records without a valid date are
//! left out. Settings: those of the line chart, and `area` (fills down to zero).

use crate::Chart;
use crate::Scene;
use crate::frame;
use crate::frame::Frame;
use crate::frame::curves::AreaFill;
use crate::frame::lines;
use crate::frame::lines::LineChart;
use crate::kinds::Kind;

/// The time series.
pub const KIND: Kind = Kind { slug: "time-series", draw };

/// Draws axes and one line per series, with an area down to zero if the setting `area` is true, and sets
/// the description of the scene. Draws a note instead if no series has a value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let fill = if chart.bool_setting("area", false) { AreaFill::ToZero } else { AreaFill::None };
    match LineChart::read(chart, scene, "Time series", true, |_| fill) {
        Some(content) => lines::draw(chart, frame, scene, content),
        None => frame::draw_no_data(frame, scene),
    }
}
