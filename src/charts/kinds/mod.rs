//! The chart kinds, one module each.
//!
//! A new kind needs a module here, a folder in `assets/kinds`, and its name in the list below.

use crate::Chart;
use crate::Scene;
use crate::frame::Frame;

/// A chart kind: its id and the function that draws it.
pub struct Kind {
    /// Id in file names, URLs and documents, such as `grouped-column`.
    pub slug: &'static str,
    /// Draws everything inside the frame (axes, marks, labels, legend) into the scene and sets its
    /// description. Warns about omitted content. If the data has nothing to draw, draws a note
    /// instead.
    pub draw: fn(&Chart, &Frame, &mut Scene),
}

/// Returns whether `name` names one of the four fields of a SWOT analysis in any supported
/// language.
pub(crate) fn is_swot_field(name: &str) -> bool {
    swot::find_named_field(name).is_some()
}

/// Returns whether answers run from approval to rejection, such as `Agree`, `Neutral`, `Disagree`.
pub(crate) fn runs_to_rejection(answers: &[&str]) -> bool {
    likert::runs_to_rejection(answers)
}

/// Returns whether a text is a word for a step of probability or impact, such as `Likely` and `hoch`.
pub(crate) fn is_risk_step(text: &str) -> bool {
    risk_matrix::is_step_word(text)
}

/// Declares the modules of the kinds and collects their `KIND` constants, so that each name is
/// written only once.
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
    pareto
    dumbbell
    variance
    projection
    bar_mekko
    calendar_heat_map
    beeswarm
    choropleth
    point_map
    small_multiples
}

/// Returns all kinds, in the order in which this file declares them.
pub fn kinds() -> &'static [Kind] {
    KINDS
}

/// Returns the kind with this slug. None if there is no such kind.
pub fn find_kind(slug: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.slug == slug)
}
