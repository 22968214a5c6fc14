//! Names and values on the areas of a map, where they fit.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::format::Omission;
use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::geo::map_view::AreaShape;
use crate::geo::territory::Territory;
use crate::kinds::choropleth::Region;
use crate::kinds::choropleth::callouts;
use crate::kinds::choropleth::callouts::LandGrid;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Text};
use crate::text;
use crate::text::Face;

/// Height of a line as a multiple of the font size.
const LINE_HEIGHT: f64 = 1.15;
/// Side of the square in points around the dot of an area through which no line of another area passes.
const DOT_SPACE: f64 = 6.0;
/// Space in points on each side of a label.
const PADDING: f64 = 2.0;

/// Contents of the labels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    None,
    Names,
    Values,
    Both,
}

/// Writes names and values (by the setting `labels`) into the areas, the largest first, without
/// overlaps. A label that does not fit gets smaller text, then the code of the region instead of its
/// name. A value never stands without both if the labels have names, because readers could take it for
/// that of a neighbor. The smallest areas without a label get it beside the land, except on maps of the
/// world. The scene counts the missing labels of records, but not the names of places, because the map
/// shows which places they are.
pub fn draw(
    chart: &Chart,
    territory: Territory,
    regions: &[Region],
    (shapes, area): (&[AreaShape], Rect),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let content = match (chart.str_setting("labels"), territory) {
        ("none", _) => Content::None,
        ("names", _) => Content::Names,
        ("values", _) => Content::Values,
        ("both", _) => Content::Both,
        (_, Territory::World) => Content::Values,
        _ => Content::Both,
    };
    let mut ordered: Vec<&Region> = regions.iter().collect();
    ordered.sort_by(|a, b| b.shape.largest_area.total_cmp(&a.shape.largest_area));
    let dots = regions.iter().filter(|region| region.is_dot);
    let mut taken: Vec<Rect> =
        dots.map(|region| Rect::from_center_size(region.shape.center(), (5.0, 5.0))).collect();
    let mut missing_labels = 0;
    let mut unlabeled: Vec<&Region> = Vec::new();
    for region in ordered {
        let lines = draw_label(region, content, area, &mut taken, style, scene);
        let shows_name = lines.contains(&region.record.name);
        match lines.is_empty() {
            true => unlabeled.push(region),
            false => missing_labels += usize::from(region.record.has_label && !shows_name),
        }
    }
    let has_callouts = content != Content::None && territory != Territory::World;
    let callouts = if has_callouts { unlabeled.len().min(callouts::MAX_CALLOUTS) } else { 0 };
    let callouts = unlabeled.split_off(unlabeled.len() - callouts);
    if !callouts.is_empty() {
        let mut land = LandGrid::new(shapes, area);
        // A line through the dot of another area would seem to start there.
        let dots = callouts.iter().map(|region| region.shape.center());
        taken.extend(dots.map(|center| Rect::from_center_size(center, (DOT_SPACE, DOT_SPACE))));
        for region in callouts.into_iter().rev() {
            if !draw_callout(region, content, &mut land, &mut taken, style, scene) {
                unlabeled.push(region);
            }
        }
    }
    missing_labels += unlabeled.iter().filter(|region| region.record.has_label).count();
    scene.omit(Omission::Name, missing_labels);
}

/// Draws the label of a region beside the land. Returns false without space.
fn draw_callout(
    region: &Region,
    content: Content,
    land: &mut LandGrid,
    taken: &mut Vec<Rect>,
    style: &ChartStyle,
    scene: &mut Scene,
) -> bool {
    let value = region.record.value_text.as_deref().unwrap_or_default();
    let (name, value) = match content {
        Content::None => return true,
        Content::Names => (region.record.name.as_str(), ""),
        Content::Values => ("", value),
        Content::Both => (region.record.name.as_str(), value),
    };
    if name.is_empty() && value.is_empty() {
        return true;
    }
    callouts::draw((name, value), region.shape.center(), land, taken, style, scene)
}

/// Draws the label of a region if there is space, and adds its rectangle to `taken`. Returns the
/// drawn lines, followed by the whole name if it is split into two lines. Empty if nothing is
/// drawn.
fn draw_label(
    region: &Region,
    content: Content,
    area: Rect,
    taken: &mut Vec<Rect>,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Vec<String> {
    if region.is_dot || content == Content::None {
        return Vec::new();
    }
    let name = region.record.name.clone();
    let value = region.record.value_text.clone();
    let candidates: Vec<Vec<String>> = match (content, value) {
        (Content::Values, value) => vec![value.into_iter().collect()],
        (Content::Names, _) | (_, None) => split_name(&name),
        (_, Some(value)) => {
            let with_names = split_name(&name).into_iter();
            let with_names = with_names.map(|mut lines| {
                lines.push(value.clone());
                lines
            });
            let code = find_letter_code(region);
            let two_lines = code.map(|code| vec![code.to_owned(), value.clone()]);
            let one_line = code.map(|code| vec![format!("{code} {value}")]);
            with_names.chain(two_lines).chain(one_line).collect()
        }
    };
    for lines in candidates.into_iter().filter(|lines| !lines.is_empty()) {
        for size in [style.label_size, style.small_size, MIN_TEXT_SIZE] {
            let width =
                lines.iter().map(|line| text::width(line, size, line_face(line, region, style)));
            let width = width.fold(0.0, f64::max) + 2.0 * PADDING;
            let height = lines.len() as f64 * size * LINE_HEIGHT + PADDING;
            let Some(place) = region.shape.find_text_place(width, height) else { continue };
            let bounds = Rect::from_center_size(place, (width, height));
            let is_free =
                area.contains_rect(bounds) && !taken.iter().any(|other| other.overlaps(bounds));
            if is_free {
                taken.push(bounds);
                write_lines(&lines, place, size, region, style, scene);
                return if lines.first() == Some(&name) {
                    lines
                } else {
                    append_whole_name(lines, &name)
                };
            }
        }
    }
    Vec::new()
}

/// Returns the last part of the code of a region, such as `ZH` of `CH-ZH`. None for codes with digits,
/// which would look like values, and for records with a label, which is no name of a place.
fn find_letter_code(region: &Region) -> Option<&'static str> {
    let code = region.record.code.rsplit('-').next()?;
    let has_letters_only = code.bytes().all(|byte| byte.is_ascii_uppercase());
    (has_letters_only && !region.record.has_label).then_some(code)
}

/// Returns the possible lines of a name: the name in one line, and if it has a space or hyphen also
/// in two lines, split there near the middle. The hyphen stays in the first line, a space is
/// dropped.
fn split_name(name: &str) -> Vec<Vec<String>> {
    let mut splits = vec![vec![name.to_owned()]];
    let middle = name.len() / 2;
    let spaces = name.match_indices([' ', '-']).map(|(index, found)| {
        // A hyphen stays at the end of the first line.
        (index + usize::from(found == "-"), index + 1)
    });
    if let Some((end, start)) = spaces.min_by_key(|(end, _)| end.abs_diff(middle))
        && let (Some(first), Some(second)) = (name.get(..end), name.get(start..))
        && !first.is_empty()
        && !second.is_empty()
    {
        splits.push(vec![first.to_owned(), second.to_owned()]);
    }
    splits
}

/// Appends the whole name as a further line if the first two lines are its parts, so that the
/// caller finds the name in the lines.
fn append_whole_name(mut lines: Vec<String>, name: &str) -> Vec<String> {
    let squeeze = |text: &str| text.replace([' ', '-'], "");
    let starts_with_name = lines.iter().take(2).map(|line| squeeze(line)).collect::<String>();
    if starts_with_name == squeeze(name) {
        lines.push(name.to_owned());
    }
    lines
}

/// Writes lines centered around the point `place`, the value in bold, in a color readable on the
/// region.
fn write_lines(
    lines: &[String],
    place: Point,
    size: f64,
    region: &Region,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let color = region.fill.readable_text_color();
    for (index, line) in lines.iter().enumerate() {
        let offset = index as f64 - (lines.len() as f64 - 1.0) / 2.0;
        let y = place.y + offset * size * LINE_HEIGHT + HALF_CAP_HEIGHT_EM * size;
        let face = line_face(line, region, style);
        let label = style.label_text(place.x, y, Anchor::Middle, size, line);
        let width = text::width(line, size, face);
        scene.text(Text { face, width, color, ..label });
    }
}

/// Returns the face of a line of a label: bold for the value.
fn line_face(line: &str, region: &Region, style: &ChartStyle) -> Face {
    let is_value = region.record.value_text.as_deref() == Some(line);
    if is_value { Face::BOLD } else { style.label_face() }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Returns whether a name is in the block of a value: centered above it in an area, or before it beside
    /// the land.
    fn are_in_block(name: Rect, value: Rect) -> bool {
        let is_centered = (name.center().x - value.center().x).abs() < 0.5;
        let is_above = name.y0 < value.y0 && value.y0 - name.y1 < 3.0;
        let is_same_line = (name.center().y - value.center().y).abs() < 0.5;
        let is_before = name.x1 <= value.x0 + 0.5 && value.x0 - name.x1 < 6.0;
        is_centered && is_above || is_same_line && is_before
    }

    #[test]
    fn values_on_areas_have_a_name_or_a_code() {
        let names = [
            "Zürich",
            "Bern",
            "Luzern",
            "Uri",
            "Schwyz",
            "Obwalden",
            "Nidwalden",
            "Glarus",
            "Zug",
            "Freiburg",
            "Solothurn",
            "Basel-Stadt",
            "Basel-Landschaft",
            "Schaffhausen",
            "Appenzell Ausserrhoden",
            "Appenzell Innerrhoden",
            "St. Gallen",
            "Graubünden",
            "Aargau",
            "Thurgau",
            "Tessin",
            "Waadt",
            "Wallis",
            "Neuenburg",
            "Genf",
            "Jura",
        ];
        let record =
            |(index, name): (usize, &str)| json!({"region": name, "value": 1041.5 + index as f64});
        let data: Vec<Value> = names.into_iter().enumerate().map(record).collect();
        let settings = json!({"map": "CH", "showLegend": false});
        let kind = crate::find_kind("choropleth").unwrap();
        let chart = Chart { settings: &settings, ..Chart::new(kind, &data) };
        let scene = crate::draw(&chart);
        let boxes: Vec<(&str, Rect)> = scene.text_boxes().collect();
        let is_value = |text: &str| text.starts_with("1,0");
        let values: Vec<&(&str, Rect)> = boxes.iter().filter(|(text, _)| is_value(text)).collect();
        assert!(values.len() > 12, "{boxes:?}");
        for (value, bounds) in values {
            let has_name =
                boxes.iter().any(|(text, other)| !is_value(text) && are_in_block(*other, *bounds));
            assert!(has_name, "{value}: {boxes:?}");
        }
        let is_code = |text: &str| {
            let code = text.split(' ').next().unwrap_or_default();
            code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase())
        };
        assert!(boxes.iter().any(|(text, _)| is_code(text)), "{boxes:?}");
    }
}
