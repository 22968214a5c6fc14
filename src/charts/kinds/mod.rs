//! The chart kinds, one file each.
//!
//! A new kind is a file here, a folder among the assets, and its word in the list below.

use crate::Chart;
use crate::Scene;
use crate::frame::Frame;

/// A way of drawing records.
pub struct Kind {
    /// Its name in files and addresses, such as `grouped-column`.
    pub slug: &'static str,
    /// Fills the scene with everything inside the frame.
    pub draw: fn(&Chart, &Frame, &mut Scene),
}

/// Declares the module of each kind and lists them, so that no name is written twice.
macro_rules! kinds {
    ($($name:ident)*) => {
        $(mod $name;)*
        static KINDS: &[Kind] = &[$($name::KIND),*];
    };
}

kinds! {
    bar
    grouped_column
    stacked_column
    line
    time_series
    area
    pie
    donut
    waterfall
    scatter
    gantt
    table
    percent_column
    butterfly
    tornado
    population_pyramid
    bullet
    marimekko
    scorecard
    gauge
    likert
    swot
    risk_matrix
    harvey_balls
    pictogram
    combo
    histogram
    lollipop
    slope
    candlestick
    bump
    treemap
    waffle
    radial_bar
    half_donut
    sunburst
    parliament
    heat_map
    timeline
    radar
    box_plot
    roadmap
    burndown
    quadrant
    sankey
    funnel
    process
    pyramid
    cycle
    flow_chart
    org_chart
    world_map
    word_cloud
    mind_map
    venn
}

/// All kinds, in the order of the list.
pub fn kinds() -> &'static [Kind] {
    KINDS
}

/// The kind of a slug.
pub fn find_kind(slug: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|it| it.slug == slug)
}
