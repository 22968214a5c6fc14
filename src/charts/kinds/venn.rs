//! Venn diagram: sets as circles or ellipses that overlap where the sets have members in common.
//!
//! Record: `sets` (an array of names, or names in one text), `value`, `label` (drawn where exactly
//! these sets overlap), `highlighted`. Settings: `counts` (`total`: a value counts all members of
//! these sets, `exact`: a value counts members of no other set), `setTitles`, `proportional`,
//! `showValues`.
//!
//! Up to three sets are circles, with areas proportional to the values. Four sets are ellipses,
//! with areas that have no meaning. Numbers in the image count the members of exactly the sets that
//! overlap there.

mod arrange;
mod names;
mod ovals;
mod sets;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::frame;
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{Anchor, Stroke};
use crate::steps::StepText;

use arrange::Arrangement;
use names::{Name, Plan};
use ovals::{Room, is_member};
use sets::{MAX_SETS, Region, Sets};

/// The Venn diagram.
pub const KIND: Kind = Kind { slug: "venn", draw };

/// Share of the background color in the fill of a region, by the number of sets that overlap there.
const PAPER: [f64; MAX_SETS] = [0.7, 0.45, 0.2, 0.1];

/// Text of a region with the position of its center.
struct Note {
    region: usize,
    block: StepText,
    middle: (f64, f64),
    /// Font sizes of head and body in points.
    size: (f64, f64),
}

/// Draws regions, outlines, names and texts.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let sets = sets::read(chart, scene);
    if sets.all.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    scene.description = sets.describe();
    let style = &frame.style;
    let arrangement = arrange::arrange(&sets, chart.bool_setting("proportional", true));
    warn(chart, &sets, &arrangement, scene);
    let (plan, notes) = lay_out(chart, &sets, &arrangement, frame, scene);
    regions(chart, &sets, &plan, style, scene);
    for (set, oval) in plan.ovals.iter().enumerate() {
        let color = hue(chart, style, set).mix(style.text_color, 0.15);
        scene.stroke(oval.path(), Stroke::new(color, 1.5 * style.unit));
    }
    for (set, Name { block, at, anchor }) in
        plan.names.iter().enumerate().filter_map(|it| Some((it.0, it.1.as_ref()?)))
    {
        let ink =
            hue(chart, style, set).mix(style.text_color, 0.35).readable_on(style.background, 4.5);
        block.draw(scene, style, *at, *anchor, (ink, style.label_color));
    }
    let any = sets.regions.iter().any(|it| it.highlighted);
    for note in &notes {
        let ink = fill(chart, &sets, note.region, any, style).1;
        let top = note.middle.1 - note.block.height() / 2.0;
        note.block.draw(scene, style, (note.middle.0, top), Anchor::Middle, (ink, ink));
    }
}

/// Warns about areas that do not follow the values.
fn warn(chart: &Chart, sets: &Sets, arrangement: &Arrangement, scene: &mut Scene) {
    let wanted = chart.bool_setting("proportional", true) && sets.all.len() < MAX_SETS;
    if wanted && !sets.measured && sets.regions.iter().any(|it| it.amount > 0.0) {
        scene.warn("Not every set has a value over zero, so that all circles are equal.");
    }
    let unmet = arrange::unmet(arrangement, sets);
    if !unmet.is_empty() {
        let names: Vec<String> = unmet.iter().map(|it| sets.named(*it)).collect();
        let names = names.join("; ");
        scene.warn(format!("Circles cannot show these overlaps in their exact areas: {names}."));
    }
}

/// Lays out ovals, names and texts. Names are beside the ovals, or in a legend if they do not fit
/// there.
fn lay_out(
    chart: &Chart,
    sets: &Sets,
    arrangement: &Arrangement,
    frame: &Frame,
    scene: &mut Scene,
) -> (Plan, Vec<Note>) {
    let style = &frame.style;
    let turned = arrange::turned(arrangement);
    let direct = names::plan(&turned, sets, frame.area, style).and_then(|plan| {
        let (notes, dropped, all_named) = notes(sets, &plan, style);
        all_named.then_some((plan, notes, dropped))
    });
    let (plan, notes, dropped) = direct.unwrap_or_else(|| {
        let named = sets.all.iter().enumerate();
        let entries = named.map(|(at, it)| (it.name.as_str(), hue(chart, style, at)));
        let area = legend::draw(scene, style, frame.area, entries);
        if area == frame.area {
            scene.warn("The names of the sets have no room.");
        }
        let plan = names::without_names(&turned, area);
        let (notes, dropped, _) = notes(sets, &plan, style);
        (plan, notes, dropped)
    });
    if dropped > 0 {
        scene.warn(format!("Overlaps too small for their texts: {dropped}."));
    }
    (plan, notes)
}

/// Returns the texts in the regions, the number of texts that do not fit, and whether every set is
/// named.
fn notes(sets: &Sets, plan: &Plan, style: &ChartStyle) -> (Vec<Note>, usize, bool) {
    let room = Room::new(&plan.ovals);
    let inner = inner_names(sets, plan, &room);
    let told: Vec<(usize, (String, String))> = (1..sets.regions.len())
        .map(|it| (it, told(sets, it, &inner)))
        .filter(|it| !(it.1.0.is_empty() && it.1.1.is_empty()))
        .collect();
    let large = (style.subtitle_size * 1.15, style.label_size);
    let sizes = [large, (style.label_size, style.small_size), (style.small_size, style.small_size)];
    let set = |from: usize| -> Vec<Option<Note>> {
        let in_size = |place: usize, text: &(String, String)| {
            let mut sizes = sizes.iter().skip(from);
            sizes.find_map(|it| set_text(&room, place, (&text.0, &text.1), *it))
        };
        told.iter().map(|it| in_size(it.0, &it.1)).collect()
    };
    // The largest size is used only if all texts fit at it. Otherwise each text has the largest of
    // the other sizes at which it fits.
    let alike = |it: &Option<Note>| it.as_ref().is_some_and(|it| it.size == large);
    let notes = Some(set(0)).filter(|it| it.iter().all(alike)).unwrap_or_else(|| set(1));
    let missing = || told.iter().zip(&notes).filter(|it| it.1.is_none()).map(|it| it.0.0);
    let all_named = !missing().any(|place| inner.iter().any(|it| it.0 == place));
    // An omitted text is counted only if its region has an amount, or a label without a value.
    let something = |it: &Region| it.amount > 0.0 || it.words.is_empty() && !it.label.is_empty();
    let dropped = missing().filter(|it| sets.regions.get(*it).is_some_and(something)).count();
    (notes.into_iter().flatten().collect(), dropped, all_named)
}

/// Returns head and body of a region's text: names of sets inside other sets, value and label.
fn told(sets: &Sets, place: usize, inner: &[(usize, String)]) -> (String, String) {
    let Some(region) = sets.regions.get(place) else { return Default::default() };
    let names: Vec<&str> =
        inner.iter().filter(|it| it.0 == place).map(|it| it.1.as_str()).collect();
    if names.is_empty() {
        return (region.words.clone(), region.label.clone());
    }
    (names.join(", "), region.told())
}

/// Returns the names of the sets that lie inside others. Each comes with the index of the largest
/// region of its set, in which the name is drawn.
fn inner_names(sets: &Sets, plan: &Plan, room: &Room) -> Vec<(usize, String)> {
    // If a legend names the sets, `plan.names` is empty and so is the result.
    let inside = sets.all.iter().zip(&plan.names).enumerate().filter(|it| it.1.1.is_none());
    inside
        .map(|(set, (it, _))| {
            let own = (1..sets.regions.len()).filter(|place| is_member(*place, set));
            let place = own.max_by_key(|place| room.extent(*place)).unwrap_or(0);
            (place, it.name.clone())
        })
        .collect()
}

/// Lays out a text in its region. Uses the head alone if head and body do not fit. None if the head
/// does not fit either.
fn set_text(
    room: &Room,
    region: usize,
    (head, body): (&str, &str),
    size: (f64, f64),
) -> Option<Note> {
    let pad = size.1 * 0.5;
    for (head, body) in [(head, body), (head, "")].into_iter().filter(|it| *it != ("", "")) {
        let mut best: Option<(f64, Note)> = None;
        for letters in [6.0, 9.0, 14.0, 24.0] {
            let block = StepText::new(head, body, (letters * size.1, 8.0 * size.1), size);
            let extent = (block.width() + pad, block.height() + pad);
            let Some((at, scale)) = room.best(region, extent).filter(|it| it.1 >= 1.0) else {
                continue;
            };
            let better = best.as_ref().is_none_or(|it| scale > it.0);
            if block.is_uncut() && block.height() > 1.0 && better {
                best = Some((scale, Note { region, block, middle: (at.x, at.y), size }));
            }
        }
        if let Some((_, note)) = best {
            return Some(note);
        }
    }
    None
}

/// Fills the regions: first each oval, then the overlaps of two sets, then those of more sets. All
/// fills are opaque, so that the background of a text is known.
fn regions(chart: &Chart, sets: &Sets, plan: &Plan, style: &ChartStyle, scene: &mut Scene) {
    let any = sets.regions.iter().any(|it| it.highlighted);
    let mut order: Vec<usize> = (1..sets.regions.len()).collect();
    order.sort_by_key(|it| it.count_ones());
    for place in order {
        let path = ovals::common(&plan.ovals, place);
        let (true, Some(region)) = (!path.is_empty(), sets.regions.get(place)) else { continue };
        scene.begin_mark("region", region.row, || {
            (Some("value".to_owned()), format!("{}: {}", sets.named(place), region.told()))
        });
        scene.fill(path, fill(chart, sets, place, any, style).0);
    }
    scene.end_mark();
}

/// Returns the opaque color of a set.
fn hue(chart: &Chart, style: &ChartStyle, set: usize) -> Color {
    chart.series_color(set).over(style.background)
}

/// Returns the fill of a region and the text color on it. The fill is an even mix of the colors of
/// its sets, and stronger the more sets overlap. If any region is highlighted, highlighted regions
/// have the accent color and all others a muted color.
fn fill(
    chart: &Chart,
    sets: &Sets,
    place: usize,
    any_highlighted: bool,
    style: &ChartStyle,
) -> (Color, Color) {
    let members: Vec<usize> = (0..sets.all.len()).filter(|it| is_member(place, *it)).collect();
    let paper = PAPER.get(members.len().saturating_sub(1)).copied().unwrap_or(0.0);
    let highlighted = sets.regions.get(place).is_some_and(|it| it.highlighted);
    let plain = match (any_highlighted, highlighted) {
        (true, true) => {
            return chart.theme.highlight_color.over(style.background).with_readable_text();
        }
        (true, false) => style.faded_color(),
        (false, _) => {
            let mut colors = members.iter().map(|it| hue(chart, style, *it));
            let first = colors.next().unwrap_or(style.grid_color);
            let mix = |(count, sum): (f64, Color), it: Color| {
                (count + 1.0, sum.mix(it, 1.0 / (count + 1.0)))
            };
            colors.fold((1.0, first), mix).1
        }
    };
    plain.mix(style.background, paper).with_readable_text()
}
