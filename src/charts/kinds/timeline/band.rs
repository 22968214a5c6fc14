//! Calendar band of a timeline: a time axis with a background, between the texts of the events.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::format::date;
use crate::frame::ChartStyle;
use crate::frame::time::TimeAxis;

/// Calendar band, and the side of the texts.
pub struct CalendarBand {
    /// Time axis of the band.
    pub axis: TimeAxis,
    /// Y coordinate of the upper edge in points.
    pub top: f64,
    /// Y coordinate of the lower edge in points.
    pub bottom: f64,
    /// Whether all texts are above the band. Otherwise they alternate between above and below.
    pub has_texts_above_only: bool,
}

impl CalendarBand {
    /// Lays out the band of events between two dates in seconds since 1970. Its time axis begins before
    /// the first and ends after the last date. Draws nothing.
    ///
    /// `has_times` means that events have times of day, so that the axis may be shorter than a day.
    /// The band is in the middle of the area, or at its lower end if all texts are above (setting
    /// `layout`). In a low area, the band is only a line without tick labels.
    pub fn new(
        chart: &Chart,
        (first, last): (f64, f64),
        has_times: bool,
        area: Rect,
        style: &ChartStyle,
    ) -> CalendarBand {
        let min_margin = if has_times && last > first { 0.0 } else { date::DAY_SECONDS };
        let margin_seconds = (0.03 * (last - first)).max(min_margin);
        // Tick labels extend beyond their ticks, but must stay within the band.
        let inset = 1.9 * style.label_size;
        let range = (area.x0 + inset, (area.x1 - inset).max(area.x0 + inset + 1.0));
        // The texts contain the exact dates. So ticks are years or more for long spans, and months
        // or more for medium ones, if there are at least three of them.
        let min_step_days = match (last - first) / date::DAY_SECONDS {
            days if days > 1100.0 => 365.0,
            days if days > 90.0 => 28.0,
            _ if has_times => 0.0,
            _ => 1.0,
        };
        let domain = (first - margin_seconds, last + margin_seconds);
        let min_step_seconds = min_step_days * date::DAY_SECONDS;
        let axis = TimeAxis::with_min_step(domain, range, min_step_seconds, style, chart.locale());
        let labelled_height = axis.height(style) + 4.0 * style.unit;
        // On low canvases the band is only a line, because the texts contain the dates.
        let height = if area.height() < labelled_height + style.label_size * 6.0 {
            5.0 * style.unit
        } else {
            labelled_height
        };
        let has_texts_above_only = chart.str_setting("layout") == "line";
        let top = if has_texts_above_only {
            area.y1 - height - 5.0 * style.unit
        } else {
            area.center().y - height / 2.0
        };
        CalendarBand { axis, top, bottom: top + height, has_texts_above_only }
    }

    /// Draws the band over the whole width of the area, and its ticks and tick labels unless the
    /// band is only a line.
    pub fn draw(&self, area: Rect, style: &ChartStyle, scene: &mut Scene) {
        let rect = Rect::new(area.x0, self.top, area.x1, self.bottom);
        scene.rect(rect, style.background.mix(style.grid_color, 0.55));
        if rect.height() > style.label_size {
            let label_style = ChartStyle { muted_color: style.label_color, ..style.clone() };
            self.axis.draw_tick_marks(scene, style, self.top);
            self.axis.draw_labels(scene, &label_style, self.top - 1.5 * style.unit);
        }
    }
}
