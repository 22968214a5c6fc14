//! Numbers below columns without space for their names, and a list of the names below the numbers.

use std::borrow::Cow;

use super::ColumnLabels;
use crate::frame::key_list::KeyList;
use crate::frame::sequence;
use crate::frame::style::ChartStyle;
use crate::scale::BandScale;

/// Maximum height of the list as a multiple of the usual maximum height of labels. With the usual
/// 40 % of the chart, it takes half of the chart.
const EXTENSION: f64 = 1.25;
/// Maximum height of the list with the numbers above it, which would leave no plot on low canvases.
const MAX_EXTENSION_WITH_NUMBERS: f64 = 1.55;

impl ColumnLabels {
    /// Plans labels as [`ColumnLabels::plan_for_band`]. If names would be cut or left out, and all
    /// are whole in a list between `sides` (in points), the columns have numbers instead, and the
    /// list is below them.
    ///
    /// Keeps the first plan for sequences, such as years, and if columns are too narrow for numbers
    /// or the list leaves too little height for the plot.
    pub fn plan_whole_for_band(
        names: &[Cow<str>],
        band: BandScale,
        sides: (f64, f64),
        max_height: f64,
        style: &ChartStyle,
    ) -> (ColumnLabels, BandScale) {
        let (labels, shifted) = ColumnLabels::plan_for_band(names, band, max_height, style);
        if labels.is_whole() || sequence::is_sequence(names) {
            return (labels, shifted);
        }
        // The labels have 40 % of the chart, and values need a part of the rest.
        let is_narrow = |labels: &ColumnLabels| {
            labels.size * 1.5 > band.step()
                || max_height / 0.4 - labels.height < style.label_size * 5.0
        };
        match ColumnLabels::plan_numbered(names, sides, max_height, style) {
            // Without a number below each column, readers could not find its name.
            Some(numbered) if !is_narrow(&numbered) => (numbered, band),
            _ => (labels, shifted),
        }
    }

    /// Plans numbers below columns, and a list of their names between `sides` (in points) below the
    /// numbers. Returns None if not all names are whole in a list of about `max_height` points.
    pub fn plan_numbered(
        names: &[Cow<str>],
        sides: (f64, f64),
        max_height: f64,
        style: &ChartStyle,
    ) -> Option<ColumnLabels> {
        let list = KeyList::plan(names, sides.1 - sides.0, max_height * EXTENSION, style)?;
        let height = list.height_with_numbers(style);
        if height > max_height * MAX_EXTENSION_WITH_NUMBERS {
            return None;
        }
        let labels = ColumnLabels::from_lines(Vec::new(), height, list.size);
        Some(ColumnLabels { list: Some((list, sides.0)), ..labels })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;

    #[test]
    fn columns_of_a_small_chart_have_numbers_instead_of_cut_names() {
        let chart = Chart {
            width: 320.0,
            height: 180.0,
            ..Chart::new(crate::find_kind("bar").unwrap(), &[])
        };
        let style = ChartStyle::new(&chart);
        let plan = |names: &[&'static str]| {
            let names: Vec<Cow<str>> = names.iter().copied().map(Cow::Borrowed).collect();
            let range = (40.0, 310.0);
            let band = BandScale { count: names.len(), range, padding: 0.2, max_width: 100.0 };
            ColumnLabels::plan_whole_for_band(&names, band, (10.0, 310.0), 46.0, &style).0
        };
        let names = [
            "Maxvorstadt",
            "Neuhausen-Nymphenburg",
            "Laim",
            "Trudering-Riem",
            "Schwabing West",
            "Au-Haidhausen",
            "Sendling",
            "Berg am Laim",
            "Milbertshofen",
        ];
        let labels = plan(&names);
        assert!(labels.list.is_some() && labels.is_whole() && labels.height < 80.0, "{labels:?}");
        assert!(plan(&["Laim", "Pasing", "Hadern"]).list.is_none());
        let many: Vec<&str> = names.iter().copied().cycle().take(45).collect();
        assert!(plan(&many).list.is_none(), "no space for a list");
    }
}
