//! Venn diagram: sets as circles or ellipses that overlap where the sets have elements in common.
//!
//! Record: `sets` (an array of names, or names in one text), `value`, `label` (drawn where exactly
//! these sets overlap), `highlighted`. Settings: `counts` (`total`: a value counts all elements
//! of these sets, `exact`: a value counts elements of no other set), `setTitles`, `proportional`,
//! `showValues`, `valueTitle`.
//!
//! Up to three sets are circles, with areas proportional to the values. Four sets are ellipses,
//! with areas that have no meaning. Numbers in the image count the elements that belong to exactly
//! the sets that overlap there.

mod arrange;
mod callouts;
mod names;
mod ovals;
mod sets;

use kurbo::{Point, Rect, Size};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::Omission;
use crate::frame;
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{Anchor, Stroke};
use crate::steps::StepText;

use arrange::Arrangement;
use callouts::{Callout, RegionContent, Surroundings};
use names::{NamedOvals, SetName};
use ovals::{Oval, RegionGrid, is_member};
use sets::{MAX_SETS, Region, Set, SetData};

/// The Venn diagram.
pub const KIND: Kind = Kind { slug: "venn", draw };

/// Share of the background color in the fill of a region, by the number of sets that overlap there.
const BACKGROUND_SHARES: [f64; MAX_SETS] = [0.7, 0.45, 0.2, 0.1];
/// Maximum widths of the text in a region that are tried, as multiples of the body's font size.
const MAX_TEXT_WIDTHS: [f64; 4] = [6.0, 9.0, 14.0, 24.0];

/// Ovals and texts on the canvas.
struct DiagramLayout {
    named_ovals: NamedOvals,
    region_texts: RegionTexts,
}

/// Texts of all regions.
struct RegionTexts {
    /// Texts that fit.
    texts: Vec<RegionText>,
    /// Texts outside of the ovals.
    callouts: Vec<Callout>,
    /// Number of omitted texts of regions with an amount, or with a label but no value.
    omitted: usize,
    /// Whether no omitted text contains the name of a set.
    has_all_names: bool,
}

/// Text of a region with its position.
struct RegionText {
    /// Index of the region.
    region: usize,
    block: StepText,
    /// Center of the text in points.
    center: Point,
    /// Font sizes of head and body in points.
    sizes: (f64, f64),
}

/// Name of a set inside other sets.
struct InnerName {
    /// Index of the region in which the name is drawn.
    region: usize,
    name: String,
}

/// Minimum width in points of the oval of a set. A smaller one counts as not shown.
const MIN_VISIBLE_WIDTH: f64 = 0.75;

/// Draws regions, outlines, names and texts. Draws a note instead if there are no sets.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let set_data = sets::read_sets(chart, scene);
    if set_data.sets.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    scene.description = set_data.describe();
    let style = &frame.style;
    let arrangement = arrange::arrange_ovals(&set_data, chart.bool_setting("proportional", true));
    warn_about_areas(chart, &set_data, &arrangement, scene);
    let DiagramLayout { named_ovals, region_texts } =
        layout_diagram(chart, &set_data, &arrangement, frame, scene);
    draw_regions(chart, &set_data, &named_ovals, style, scene);
    for (set, oval) in named_ovals.ovals.iter().enumerate() {
        let color = choose_set_color(chart, style, set).mix(style.text_color, 0.15);
        scene.stroke(oval.path(), Stroke::new(color, 1.5 * style.unit));
    }
    for (set, name) in named_ovals.names.iter().enumerate() {
        let Some(SetName { block, position, anchor }) = name else { continue };
        let name_color = choose_set_color(chart, style, set)
            .mix(style.text_color, 0.35)
            .readable_on(style.background, 4.5);
        let colors = (name_color, style.label_color);
        block.draw(scene, style, (position.x, position.y), *anchor, colors);
    }
    for RegionText { region, block, center, .. } in &region_texts.texts {
        let (_, text_color) = choose_region_colors(chart, &set_data, *region, style);
        let top = center.y - block.height() / 2.0;
        let colors = (text_color, text_color);
        block.draw(scene, style, (center.x, top), Anchor::Middle, colors);
    }
    region_texts.callouts.iter().for_each(|callout| callout.draw(style, scene));
}

/// Warns if circles should be proportional but are all equal because a set has no total above zero, and
/// names the overlaps with inexact areas in another warning.
fn warn_about_areas(
    chart: &Chart,
    set_data: &SetData,
    arrangement: &Arrangement,
    scene: &mut Scene,
) {
    let wants_proportional =
        chart.bool_setting("proportional", true) && set_data.sets.len() < MAX_SETS;
    let has_amounts = set_data.regions.iter().any(|region| region.amount > 0.0);
    if wants_proportional && !set_data.has_all_totals && has_amounts {
        scene.warn("Not every set has a value over zero, so that all circles are equal.");
    }
    let inexact = arrange::find_inexact_regions(arrangement, set_data);
    if !inexact.is_empty() {
        let names: Vec<String> =
            inexact.iter().map(|region| set_data.join_member_names(*region)).collect();
        let names = names.join("; ");
        scene.warn(format!("Circles cannot show these overlaps in their exact areas: {names}."));
    }
}

/// Lays out ovals, names and texts. A name is beside its oval, or in it if the set lies inside other
/// sets. If not all names fit, draws a legend with the names and lays out the ovals below it.
///
/// Reports to the scene as omitted: texts without space, all names if there is no space for the legend, and
/// sets with ovals that are too small to be visible.
fn layout_diagram(
    chart: &Chart,
    set_data: &SetData,
    arrangement: &Arrangement,
    frame: &Frame,
    scene: &mut Scene,
) -> DiagramLayout {
    let style = &frame.style;
    let rotations = arrange::rotate_arrangement(arrangement);
    let with_names = names::layout_with_names(&rotations, set_data, frame.area, style)
        .map(|named_ovals| {
            let region_texts = layout_region_texts(set_data, &named_ovals, frame.area, style);
            DiagramLayout { named_ovals, region_texts }
        })
        .filter(|layout| layout.region_texts.has_all_names);
    let layout = with_names.unwrap_or_else(|| {
        // The names with their totals, which have no other place.
        let name = |set: &Set| format!("{} {}", set.name, set.total_text).trim_end().to_owned();
        let names: Vec<String> = set_data.sets.iter().map(name).collect();
        let entries = names.iter().enumerate();
        let entries =
            entries.map(|(index, name)| (name.as_str(), choose_set_color(chart, style, index)));
        let area = legend::draw(scene, style, frame.area, entries);
        if area == frame.area {
            scene.omit(Omission::Name, set_data.sets.len());
        }
        let named_ovals = names::layout_without_names(&rotations, area);
        let region_texts = layout_region_texts(set_data, &named_ovals, area, style);
        DiagramLayout { named_ovals, region_texts }
    });
    scene.omit(Omission::Name, layout.region_texts.omitted);
    let is_invisible = |oval: &&Oval| oval.bounds().width() < MIN_VISIBLE_WIDTH;
    scene.omit(Omission::TooSmall, layout.named_ovals.ovals.iter().filter(is_invisible).count());
    layout
}

/// Lays out the texts in the regions. All have the largest font size if at least their heads fit at
/// it. Otherwise each has the largest of the other sizes at which its head fits. A body that does not
/// fit below its head is left out and does not count as omitted. A body without a head counts as the
/// head.
///
/// A text with a head that fits at no size is outside of the ovals in `area`, or omitted without space there.
fn layout_region_texts(
    set_data: &SetData,
    named_ovals: &NamedOvals,
    area: Rect,
    style: &ChartStyle,
) -> RegionTexts {
    let grid = RegionGrid::new(&named_ovals.ovals);
    let inner_names = list_inner_names(set_data, named_ovals, &grid);
    let contents: Vec<RegionContent> = (1..set_data.regions.len())
        .map(|region| compose_content(set_data, region, &inner_names))
        .filter(|content| !(content.head.is_empty() && content.body.is_empty()))
        .collect();
    let texts = fit_texts(&contents, &grid, style);
    let has_no_text = |(content, text): (&RegionContent, &Option<RegionText>)| {
        text.is_none().then_some(content.region)
    };
    let omitted_regions: Vec<usize> = contents.iter().zip(&texts).filter_map(has_no_text).collect();
    let has_all_names =
        !inner_names.iter().any(|inner_name| omitted_regions.contains(&inner_name.region));
    // An omitted text counts only if its region has an amount, or a label without a value.
    let is_relevant = |region: &Region| {
        region.amount > 0.0 && !region.amount_text.is_empty()
            || region.amount_text.is_empty() && !region.label.is_empty()
    };
    let texts: Vec<RegionText> = texts.into_iter().flatten().collect();
    let bounds_of_text = |text: &RegionText| {
        Rect::from_center_size(text.center, (text.block.width(), text.block.height()))
    };
    let names = named_ovals.names.iter().flatten().map(callouts::bounds_of_name);
    let occupied = names.chain(texts.iter().map(bounds_of_text)).collect();
    let mut surroundings = Surroundings { area, ovals: &named_ovals.ovals, occupied };
    let (mut callouts, mut omitted) = (Vec::new(), 0);
    for content in contents.iter().filter(|content| omitted_regions.contains(&content.region)) {
        if set_data.regions.get(content.region).is_some_and(is_relevant) {
            match surroundings.place(content, &grid, style) {
                Some(callout) => callouts.push(callout),
                None => omitted += 1,
            }
        }
    }
    RegionTexts { texts, callouts, omitted, has_all_names }
}

/// Fits each text into its region. None for a text that fits at no size. If not all texts fit at the
/// largest size, none has it.
fn fit_texts(
    contents: &[RegionContent],
    grid: &RegionGrid,
    style: &ChartStyle,
) -> Vec<Option<RegionText>> {
    let large = (style.subtitle_size * 1.15, style.label_size);
    let font_sizes =
        [large, (style.label_size, style.small_size), (style.small_size, style.small_size)];
    let fit_all = |first_size: usize| -> Vec<Option<RegionText>> {
        let fit = |content: &RegionContent| {
            let mut tried_sizes = font_sizes.iter().skip(first_size);
            tried_sizes.find_map(|sizes| fit_text(grid, content, *sizes))
        };
        contents.iter().map(fit).collect()
    };
    let is_large =
        |text: &Option<RegionText>| text.as_ref().is_some_and(|text| text.sizes == large);
    Some(fit_all(0)).filter(|texts| texts.iter().all(is_large)).unwrap_or_else(|| fit_all(1))
}

/// Returns head and body of a region's text: amount and label, or if names of sets are drawn in the
/// region, these names and below them amount and label in one line. Both may be empty.
fn compose_content(set_data: &SetData, region: usize, inner_names: &[InnerName]) -> RegionContent {
    let Some(details) = set_data.regions.get(region) else {
        return RegionContent { region, head: String::new(), body: String::new() };
    };
    let names: Vec<&str> = inner_names
        .iter()
        .filter(|inner_name| inner_name.region == region)
        .map(|inner_name| inner_name.name.as_str())
        .collect();
    if names.is_empty() {
        let (head, body) = (details.amount_text.clone(), details.label.clone());
        return RegionContent { region, head, body };
    }
    RegionContent { region, head: names.join(", "), body: details.to_single_line() }
}

/// Returns the names of the sets that have no name beside their oval, because they lie inside others. Each
/// has the index of the largest region of its set, in which it is drawn. Empty if a legend names the sets.
fn list_inner_names(
    set_data: &SetData,
    named_ovals: &NamedOvals,
    grid: &RegionGrid,
) -> Vec<InnerName> {
    // If a legend names the sets, `named_ovals.names` is empty, and so is the iterator.
    let sets = set_data.sets.iter().zip(&named_ovals.names).enumerate();
    sets.filter(|(_, (_, name_outside))| name_outside.is_none())
        .map(|(index, (set, _))| {
            let regions = (1..set_data.regions.len()).filter(|region| is_member(*region, index));
            let largest = regions.max_by_key(|region| grid.point_count(*region)).unwrap_or(0);
            InnerName { region: largest, name: set.name.clone() }
        })
        .collect()
}

/// Lays out a text in its region, in the line width that leaves the most space around it. Uses the head
/// alone if head and body do not fit. None if the head does not fit either. Never shortens a text.
///
/// `sizes` are the font sizes of head and body in points.
fn fit_text(grid: &RegionGrid, content: &RegionContent, sizes: (f64, f64)) -> Option<RegionText> {
    let (_, body_size) = sizes;
    let padding = body_size * 0.5;
    let region = content.region;
    let (head, body) = (content.head.as_str(), content.body.as_str());
    for (head, body) in [(head, body), (head, "")].into_iter().filter(|texts| *texts != ("", "")) {
        let mut best: Option<(f64, RegionText)> = None;
        for max_width in MAX_TEXT_WIDTHS {
            let max_size = (max_width * body_size, 8.0 * body_size);
            let block = StepText::new(head, body, max_size, sizes);
            let padded_size = Size::new(block.width() + padding, block.height() + padding);
            let fitted = grid.find_largest_rect(region, padded_size);
            let Some(fitted) = fitted.filter(|rect| rect.scale >= 1.0) else { continue };
            let is_better = best.as_ref().is_none_or(|(scale, _)| fitted.scale > *scale);
            if block.is_uncut() && block.height() > 1.0 && is_better {
                let text = RegionText { region, block, center: fitted.center, sizes };
                best = Some((fitted.scale, text));
            }
        }
        if let Some((_, text)) = best {
            return Some(text);
        }
    }
    None
}

/// Fills the regions, each as a mark: first each whole oval, then over them the overlaps of two sets, then
/// those of more sets. All fills are opaque, so that the background of a text is known.
fn draw_regions(
    chart: &Chart,
    set_data: &SetData,
    named_ovals: &NamedOvals,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let mut order: Vec<usize> = (1..set_data.regions.len()).collect();
    order.sort_by_key(|region| region.count_ones());
    for region in order {
        let path = ovals::intersect_members(&named_ovals.ovals, region);
        let Some(details) = set_data.regions.get(region) else { continue };
        if path.is_empty() {
            continue;
        }
        scene.begin_mark("region", details.row, || {
            let names = set_data.join_member_names(region);
            (Some("value".to_owned()), format!("{names}: {}", details.to_single_line()))
        });
        scene.fill(path, choose_region_colors(chart, set_data, region, style).0);
    }
    scene.end_mark();
}

/// Returns the opaque color of the set with the index `set`, its series color over the background.
fn choose_set_color(chart: &Chart, style: &ChartStyle, set: usize) -> Color {
    chart.series_color(set).over(style.background)
}

/// Returns the fill of a region and the text color on it. The fill is an even mix of the colors of
/// its sets, and stronger the more sets overlap. If any region is highlighted, highlighted regions
/// have the highlight color and all others a gray.
///
/// The fill is changed where necessary, so that the text has a contrast of 4.5:1.
fn choose_region_colors(
    chart: &Chart,
    set_data: &SetData,
    region: usize,
    style: &ChartStyle,
) -> (Color, Color) {
    let members: Vec<usize> =
        (0..set_data.sets.len()).filter(|set| is_member(region, *set)).collect();
    let any_highlighted = set_data.regions.iter().any(|region| region.highlighted);
    let is_highlighted = set_data.regions.get(region).is_some_and(|region| region.highlighted);
    let base_color = match (any_highlighted, is_highlighted) {
        (true, true) => {
            return chart.theme.highlight_color.over(style.background).with_readable_text();
        }
        (true, false) => style.faded_color(),
        (false, _) => {
            let mut colors = members.iter().map(|set| choose_set_color(chart, style, *set));
            let first = colors.next().unwrap_or(style.grid_color);
            let mix_evenly = |(count, sum): (f64, Color), color: Color| {
                (count + 1.0, sum.mix(color, 1.0 / (count + 1.0)))
            };
            colors.fold((1.0, first), mix_evenly).1
        }
    };
    let overlap = members.len().saturating_sub(1);
    let background_share = BACKGROUND_SHARES.get(overlap).copied().unwrap_or(0.0);
    base_color.mix(style.background, background_share).with_readable_text()
}
