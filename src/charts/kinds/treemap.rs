//! Treemap: a rectangle divided into tiles, one per record, with areas proportional to the values.
//!
//! Record: `label`, `parent` (name of its group), `value` (greater than 0), `highlighted`, `color`.
//! Tiles of a group are placed together below a heading, and groups inside of groups as well. Settings:
//! `showValues`, `showPercentages`, `showHeadings`, `valueTitle`.

mod layout;
mod squarify;
mod tiles;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::Omission;
use crate::frame;
use crate::frame::key_list::KeyList;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{ASCENT_EM, Anchor, Text};
use crate::slices;
use crate::slices::AmountText;
use crate::text;
use crate::value_labels::ValueLabelCount;
use crate::value_tree::ValueTree;

use layout::{GroupPlace, TilePlace};
use tiles::Tile;

/// The treemap.
pub const KIND: Kind = Kind { slug: "treemap", draw };

/// Maximum number of siblings. The smallest ones beyond it are merged, because their tiles would be
/// too small.
const MAX_SIBLINGS: usize = 120;
/// Maximum height of a list of names as a share of the area.
const MAX_LIST_SHARE: f64 = 0.4;
/// Minimum height of an area with a list of names, as a multiple of the label size.
const MIN_HEIGHT_WITH_LIST_EM: f64 = 11.0;
/// Maximum number of layouts that are tried for a list of names.
const MAX_LIST_ROUNDS: usize = 6;

/// Tiles, and the list of the names that have no space in them.
struct NamedTiles<'a> {
    groups: Vec<Group<'a>>,
    tiles: Vec<Tile<'a>>,
    /// Indices of the tiles with a number and a name in the list.
    listed: Vec<usize>,
    list: Option<TileList>,
    /// Number of parts without a tile.
    hidden_parts: usize,
}

/// The list of names of tiles.
struct TileList {
    list: KeyList,
    /// Whether the amounts are in the list. Otherwise they are on the tiles, as far as they fit.
    has_amounts: bool,
}

/// A group with its heading.
struct Group<'a> {
    place: GroupPlace<'a>,
    /// Formatted value and share.
    amount: AmountText,
}

/// Draws the tiles, the headings of their groups, and the list of names without space in their tiles. The
/// scene counts and names groups that are too small for a heading. Draws a note instead if there are no values.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let tree = ValueTree::read(chart, scene, MAX_SIBLINGS);
    if tree.top_level.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let is_grouped = tree.nodes_at(&tree.top_level).any(|node| !node.children.is_empty());
    let NamedTiles { groups, tiles, listed, list, hidden_parts } =
        lay_out_names(chart, &tree, frame, is_grouped);
    let mut value_labels = ValueLabelCount::default();
    for (index, tile) in tiles.iter().enumerate() {
        scene.begin_mark("tile", tile.node.row, || {
            let label = &tile.label;
            (Some("value".to_owned()), format!("{label}: {}", tile.amount.detail()))
        });
        match listed.contains(&index) {
            true => tile.draw_blank(scene),
            false => value_labels.add(tile.node.value, tile.draw(style, scene)),
        }
    }
    scene.end_mark();
    for group in &groups {
        if let Some(rect) = group.place.heading {
            draw_heading(group, rect, style, scene);
        }
    }
    let listed = listed.iter().filter_map(|index| tiles.get(*index));
    for (position, tile) in listed.enumerate() {
        tile.draw_number(position + 1, style, scene);
        let is_in_list = list.as_ref().is_some_and(|list| list.has_amounts);
        let is_labeled = is_in_list || tile.draw_amount_below_number(position + 1, style, scene);
        value_labels.add(tile.node.value, is_labeled);
    }
    if let Some(TileList { list, .. }) = list {
        let area = frame.area;
        list.draw(Rect { y0: area.y1 - list.height, ..area }, style, scene);
    }
    value_labels.report_segments(false, scene);
    // The tiles of a group inside of another one have its name if it has no heading.
    let lacks_heading = |group: &&Group| group.place.heading.is_none() && group.place.depth == 0;
    if chart.bool_setting("showHeadings", true) {
        for group in groups.iter().filter(lacks_heading) {
            scene.omit_named(Omission::Name, &group.place.node.label);
        }
    }
    scene.omit(Omission::Name, hidden_parts);
    set_description(&tree, &tiles, is_grouped, scene);
}

/// Lays out the tiles above a list of the names that have no space in their tiles. There is no list
/// if all names have space, if the list would take too much of the area, or if the area is low.
///
/// If not all of these names have space in the list, it has those of the largest tiles. Tiles that are
/// too small for a number are not in the list.
fn lay_out_names<'a>(
    chart: &Chart,
    tree: &'a ValueTree,
    frame: &Frame,
    is_grouped: bool,
) -> NamedTiles<'a> {
    let style = &frame.style;
    let lay_out = |frame: &Frame| {
        let places = layout::lay_out(chart, tree, frame.area, style, is_grouped);
        let hidden_parts = places.hidden_parts;
        let groups = make_groups(chart, tree, places.groups);
        let tiles = make_tiles(chart, places.tiles, style, is_grouped);
        NamedTiles { groups, tiles, listed: Vec::new(), list: None, hidden_parts }
    };
    let mut named = lay_out(frame);
    if frame.area.height() < style.label_size * MIN_HEIGHT_WITH_LIST_EM {
        return named;
    }
    // The list makes the tiles smaller, so that further names lose their space.
    let (mut listed, mut unlisted) = (Vec::new(), Vec::new());
    for round in 0.. {
        let lost = find_lost_names(&named.tiles, style);
        let new = lost.into_iter().filter(|index| !listed.contains(index));
        let new: Vec<usize> = new.filter(|index| !unlisted.contains(index)).collect();
        let is_too_small = |(position, index): &(usize, &usize)| {
            let tile = named.tiles.get(**index);
            tile.is_some_and(|tile| !tile.has_number_space(position + 1, style))
        };
        let numbered = listed.iter().enumerate().filter(is_too_small);
        let too_small: Vec<usize> = numbered.map(|(_, index)| *index).collect();
        if too_small.is_empty() && (new.is_empty() || round >= MAX_LIST_ROUNDS) {
            break;
        }
        if round < MAX_LIST_ROUNDS {
            listed.extend(new);
            listed.sort_unstable();
        }
        // A number in the list without a number on a tile would lead nowhere.
        listed.retain(|index| !too_small.contains(index));
        unlisted.extend(too_small);
        let (kept, Some(list)) = plan_longest_list(&named.tiles, &listed, frame.area, style) else {
            return lay_out(frame);
        };
        unlisted.extend(listed.iter().filter(|index| !kept.contains(index)));
        listed = kept;
        let mut above_list = frame.clone();
        above_list.area.y1 -= list.list.height + style.label_size * 0.6;
        named = NamedTiles { listed: listed.clone(), list: Some(list), ..lay_out(&above_list) };
    }
    named
}

/// Returns the indices of the tiles without space for their whole name at any font size, in ascending
/// order. Tiles without a name do not count.
fn find_lost_names(tiles: &[Tile], style: &ChartStyle) -> Vec<usize> {
    let is_lost = |tile: &Tile| !tile.label.is_empty() && tile.wrap_whole_label(style).is_none();
    tiles.iter().enumerate().filter(|(_, tile)| is_lost(tile)).map(|(index, _)| index).collect()
}

/// Lays out the list of as many of the largest `listed` tiles as have space. Returns their indices in
/// ascending order and the list, or no indices and None if none has space. `listed` are indices of `tiles`.
fn plan_longest_list(
    tiles: &[Tile],
    listed: &[usize],
    area: Rect,
    style: &ChartStyle,
) -> (Vec<usize>, Option<TileList>) {
    let value_of = |index: &usize| tiles.get(*index).map_or(0.0, |tile| tile.node.value);
    let mut by_value = listed.to_vec();
    by_value.sort_by(|one, two| value_of(two).total_cmp(&value_of(one)));
    let plan = |count: usize| {
        let mut kept = by_value[..count].to_vec();
        kept.sort_unstable();
        let tiles: Vec<&Tile> = kept.iter().filter_map(|index| tiles.get(*index)).collect();
        let list = plan_list(&tiles, area, style);
        (kept, list)
    };
    let all = plan(by_value.len());
    if all.1.is_some() {
        return all;
    }
    // The number of the largest tiles that have space, and one that is too large.
    let (mut fitting, mut too_many) = (0, by_value.len());
    while fitting + 1 < too_many {
        let count = usize::midpoint(fitting, too_many);
        match plan(count).1 {
            Some(_) => fitting = count,
            None => too_many = count,
        }
    }
    plan(fitting)
}

/// Lays out the numbered list of the names of tiles, all with their amounts if there is space. None if
/// there is no space for the names in `MAX_LIST_SHARE` of the height of `area`, or no tile.
fn plan_list(tiles: &[&Tile], area: Rect, style: &ChartStyle) -> Option<TileList> {
    let names: Vec<&str> = tiles.iter().map(|tile| tile.label.as_str()).collect();
    let amounts: Vec<&str> = tiles.iter().map(|tile| tile.amount.main_text()).collect();
    let (width, max_height) = (area.width(), area.height() * MAX_LIST_SHARE);
    if let Some(list) = KeyList::plan_with_amounts(&names, &amounts, width, max_height, style) {
        return Some(TileList { list, has_amounts: true });
    }
    let list = KeyList::plan(&names, width, max_height, style)?;
    Some(TileList { list, has_amounts: false })
}

/// Adds the amounts to groups. The shares are those of the whole.
fn make_groups<'a>(
    chart: &Chart,
    tree: &'a ValueTree,
    places: Vec<GroupPlace<'a>>,
) -> Vec<Group<'a>> {
    let top_level = tree.nodes_at(&tree.top_level);
    let total: f64 = top_level.map(|node| node.value).sum();
    let depth_count = places.iter().map(|place| place.depth + 1).max().unwrap_or(0);
    let mut amounts_of_depths = Vec::with_capacity(depth_count);
    for depth in 0..depth_count {
        let groups = places.iter().filter(|place| place.depth == depth);
        let mut values: Vec<f64> = groups.map(|place| place.node.value).collect();
        // Parts beside the groups complete the whole.
        let rest = total - values.iter().sum::<f64>();
        values.extend((rest > total * 1e-6).then_some(rest));
        amounts_of_depths.push(slices::format_parts(chart, &values).into_iter());
    }
    let make_group = |place: GroupPlace<'a>| {
        let amount = amounts_of_depths.get_mut(place.depth)?.next()?;
        Some(Group { place, amount })
    };
    places.into_iter().filter_map(make_group).collect()
}

/// Adds the colors and amounts to tiles. If any record is highlighted, the tiles without a color of their
/// own show that instead of their group.
fn make_tiles<'a>(
    chart: &Chart,
    places: Vec<TilePlace<'a>>,
    style: &ChartStyle,
    is_grouped: bool,
) -> Vec<Tile<'a>> {
    let any_highlighted = places.iter().any(|place| place.traits.highlighted);
    let values: Vec<f64> = places.iter().map(|place| place.node.value).collect();
    let amounts = slices::format_parts(chart, &values);
    let make_tile = |(place, amount): (TilePlace<'a>, AmountText)| {
        let TilePlace { node, label, rect, traits } = place;
        let default_color =
            choose_default_color(chart, style, traits.top_index, is_grouped, node.is_other);
        let color = match (traits.color, any_highlighted) {
            (Some(own_color), _) => own_color,
            (None, false) => default_color,
            (None, true) if traits.highlighted => chart.theme.highlight_color,
            (None, true) => style.faded_color(),
        };
        let fill = color.over(style.background).with_readable_text().0;
        Tile { node, label, amount, rect, fill }
    };
    places.into_iter().zip(amounts).map(make_tile).collect()
}

/// Returns the color of a tile in a chart without highlighted records: the first series color for all
/// tiles, or with `is_grouped` one per group. Colors are paler if they repeat. Tiles of merged records
/// (`is_other`) are paler too, or gray if the chart has no groups.
fn choose_default_color(
    chart: &Chart,
    style: &ChartStyle,
    group_index: usize,
    is_grouped: bool,
    is_other: bool,
) -> Color {
    if !is_grouped {
        return if is_other { style.faded_color() } else { chart.series_color(0) };
    }
    let color_count = match chart.style.custom_colors.len() {
        0 => chart.theme.colors.len(),
        count => count,
    };
    let repetition = (group_index / color_count.max(1)).min(2);
    let background_share = 0.3 * repetition as f64 + if is_other { 0.3 } else { 0.0 };
    chart.series_color(group_index).mix(style.background, background_share)
}

/// Draws the heading of a group in `rect`: its name, shortened if necessary, and right of it its value and
/// share, or one of them, if that fits.
fn draw_heading(group: &Group, rect: Rect, style: &ChartStyle, scene: &mut Scene) {
    let GroupPlace { node, depth, .. } = group.place;
    let (size, face) = (layout::heading_size(style, depth), layout::heading_face(depth));
    let name = text::ellipsize(&node.label, rect.width(), size, face);
    let baseline = rect.y0 + ASCENT_EM * size + size * 0.12;
    let width = text::width(&name, size, face);
    let full = (*name != *node.label).then(|| node.label.clone());
    let label = style.label_text(rect.x0, baseline, Anchor::Start, size, &name);
    scene.text(Text { face, width, full, color: style.value_color, ..label });
    let detail_x = rect.x0 + width + size * 0.5;
    let fits = |text: &String| detail_x + style.text_width(text, size) <= rect.x1;
    let texts = [group.amount.detail(), group.amount.main_text().to_owned()];
    if let Some(text) = texts.into_iter().find(fits) {
        let label = style.label_text(detail_x, baseline, Anchor::Start, size, &text);
        scene.text(Text { color: style.muted_color, ..label });
    }
}

/// Sets the text description of the scene: the number of tiles (and of groups if `is_grouped`), and the
/// largest and the smallest tile. Does nothing without tiles.
fn set_description(tree: &ValueTree, tiles: &[Tile], is_grouped: bool, scene: &mut Scene) {
    let compare = |first: &&Tile, second: &&Tile| first.node.value.total_cmp(&second.node.value);
    let describe_tile =
        |tile: &Tile| format!("{} {}", tile.label, tile.amount.detail()).trim().to_owned();
    let largest = tiles.iter().max_by(compare);
    let (Some(largest), Some(smallest)) = (largest, tiles.iter().min_by(compare)) else {
        return;
    };
    if let [only] = tiles {
        scene.description = format!("Treemap of 1 tile: {}.", describe_tile(only));
        return;
    }
    let count = tiles.len();
    let group_count = tree.top_level.len();
    let in_groups = if is_grouped { format!(" in {group_count} groups") } else { String::new() };
    let (largest, smallest) = (describe_tile(largest), describe_tile(smallest));
    scene.description =
        format!("Treemap of {count} tiles{in_groups}. Largest: {largest}. Smallest: {smallest}.");
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Returns the texts of a treemap of small and large items of three groups.
    fn draw_texts() -> Vec<String> {
        let values = [121.3, 46.9, 11.6, 2.9, 22.1, 13.6, 5.9, 0.9, 0.3, 14.5, 1.2, 0.4, 0.2, 0.1];
        let record = |(index, value): (usize, &f64)| {
            let label = format!("Zuschuss für Aufgabe {index}");
            json!({"label": label, "parent": format!("Ressort {}", index % 3), "value": value})
        };
        let data: Vec<Value> = values.iter().enumerate().map(record).collect();
        let chart = Chart::new(crate::find_kind("treemap").unwrap(), &data);
        crate::draw(&chart).text_boxes().map(|(text, _)| text.to_owned()).collect()
    }

    #[test]
    fn each_number_is_on_a_tile_and_in_the_list() {
        let texts = draw_texts();
        let count_of =
            |number: &usize| texts.iter().filter(|text| **text == number.to_string()).count();
        let numbers: Vec<usize> = (1..20).filter(|number| count_of(number) > 0).collect();
        assert!(numbers.len() > 2, "{texts:?}");
        assert!(numbers.iter().all(|number| count_of(number) == 2), "{texts:?}");
        assert_eq!(numbers, (1..=numbers.len()).collect::<Vec<_>>(), "{texts:?}");
    }

    #[test]
    fn groups_inside_of_groups_have_headings_or_are_in_the_names_of_their_tiles() {
        let cities = [
            ("Europe › Germany", "Berlin", 36),
            ("Europe › Germany", "Other", 51),
            ("Europe › France", "Paris", 21),
            ("Europe › France", "Other", 30),
            ("Asia › Japan", "Tokyo", 139),
            ("Asia › Japan", "Other", 40),
        ];
        let draw = |width: f64, height: f64, france: &str| {
            let data = cities.map(|(path, city, value)| {
                json!({"parent": path.replace("France", france), "label": city, "value": value})
            });
            let kind = crate::find_kind("treemap").unwrap();
            let scene = crate::draw(&Chart { width, height, ..Chart::new(kind, &data) });
            let texts: Vec<String> = scene.text_boxes().map(|(text, _)| text.to_owned()).collect();
            assert_eq!(scene.omissions, [], "{texts:?}");
            texts
        };
        let texts = draw(720.0, 405.0, "France");
        for expected in ["Asia", "Europe", "Japan", "Germany", "France", "87 · 27%"] {
            assert!(texts.iter().any(|text| text == expected), "{expected}: {texts:?}");
        }
        assert_eq!(texts.iter().filter(|text| *text == "Other").count(), 3, "{texts:?}");
        let narrow = draw(240.0, 300.0, "République française").join(" ");
        for expected in ["République française › Paris", "République française › Other"] {
            assert!(narrow.contains(expected), "{expected}: {narrow}");
        }
    }

    #[test]
    fn the_note_names_tiles_and_groups_without_space_for_a_name() {
        let parts =
            [("Wärmenetz", "mittel", 4800.0), ("LED", "mittel", 30.0), ("Radweg", "gering", 0.4)];
        let record = |(name, group, value): (&str, &str, f64)| json!({"label": name, "parent": group, "value": value});
        let data = parts.map(record);
        let scene = crate::draw(&Chart::new(crate::find_kind("treemap").unwrap(), &data));
        let expected = "Names shortened or left out: 3 (LED, Radweg, gering).";
        assert_eq!(scene.warnings, [expected]);
    }

    #[test]
    fn listed_names_show_their_amount() {
        let texts = draw_texts();
        let name = texts.iter().position(|text| text == "1").unwrap();
        let values = ["2.9", "5.9", "11.6", "13.6", "14.5"];
        assert!(texts[name..].iter().any(|text| values.contains(&&**text)), "{texts:?}");
    }

    #[test]
    fn values_that_neither_tiles_nor_the_list_have_are_counted() {
        let record = |index: usize| json!({"label": format!("Betriebskost {index}"), "value": 100_100 + 7013 * index});
        for (width, height, count) in [(300.0, 300.0, 24), (420.0, 300.0, 36)] {
            let data: Vec<Value> = (0..count).map(record).collect();
            let kind = crate::find_kind("treemap").unwrap();
            let scene = crate::draw(&Chart { width, height, ..Chart::new(kind, &data) });
            let is_counted = |(reason, count): &(Omission, usize)| {
                *reason == Omission::Value && (1..data.len()).contains(count)
            };
            assert!(scene.omissions.iter().any(is_counted), "{width}: {:?}", scene.omissions);
        }
    }

    #[test]
    fn an_amount_takes_two_lines_or_is_the_value_alone() {
        let node_values =
            [json!({"label": "Straße", "value": 13.1}), json!({"label": "Rest", "value": 357})];
        let chart = Chart::new(crate::find_kind("treemap").unwrap(), &node_values);
        let tree = ValueTree::read(&chart, &mut Scene::new(100.0, 100.0, Color::hex(0)), 9);
        let style = ChartStyle::new(&chart);
        let fit = |width: f64, free_lines: usize| {
            let amount = AmountText {
                value: "13.1".to_owned(),
                share: "3.5 %".to_owned(),
                separator: " · ",
            };
            let rect = Rect::new(0.0, 0.0, width, 90.0);
            let node = tree.nodes_at(&tree.top_level).next().unwrap();
            let label = node.label.clone();
            let tile = Tile { node, label, amount, rect, fill: Color::hex(0) };
            tile.fit_amount(style.label_size, free_lines, &style)
        };
        assert_eq!(fit(200.0, 1), ["13.1 · 3.5 %"]);
        assert_eq!(fit(60.0, 2), ["13.1", "3.5 %"]);
        assert_eq!(fit(60.0, 1), ["13.1"]);
        assert!(fit(10.0, 3).is_empty());
    }
}
