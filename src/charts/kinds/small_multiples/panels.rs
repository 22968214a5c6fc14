//! Content of small multiples: the points of each panel and the common x values.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::color::Color;
use crate::data;
use crate::format::{Omission, date};
use crate::frame::axis;
use crate::frame::curves;
use crate::frame::curves::{Curve, XValues};
use crate::name_order;

/// A point of a panel.
pub struct PanelPoint {
    /// Index of the record in the data.
    pub row: usize,
    /// Seconds since 1970, or the index of a category.
    pub x: f64,
    /// Value. None for a gap.
    pub value: Option<f64>,
}

/// A series or group with at least one value.
pub struct Panel {
    /// Key of the column with the values.
    pub key: String,
    /// Name of the series or group.
    pub title: String,
    /// Color of the marks.
    pub color: Color,
    /// Points in ascending order of x, with at most one for each x.
    pub points: Vec<PanelPoint>,
}

/// The panels in drawing order, with their common x values.
pub struct Content<'a> {
    pub panels: Vec<Panel>,
    /// Category names without repetitions, or the timestamps of all records.
    pub x_values: XValues<'a>,
}

impl Panel {
    /// Returns the values in ascending order of x, without the gaps.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = f64> + Clone + '_ {
        self.points.iter().filter_map(|point| point.value)
    }

    /// Returns the value with the greatest x that is no gap. None without values.
    pub fn last_value(&self) -> Option<f64> {
        self.values().next_back()
    }
}

/// Reads one panel per group if any record has a group, otherwise one per series. Sorts the panels by
/// their last value if the setting `sort` asks for it. Panels without a value are left out.
///
/// The scene counts records without a group or date, repeated records, and panels without a value.
pub fn read<'a>(chart: &Chart<'a>, scene: &mut Scene) -> Content<'a> {
    let has_groups = chart.data.iter().any(|record| !read_group(record).is_empty());
    let mut content =
        if has_groups { read_groups(chart, scene) } else { read_columns(chart, scene) };
    let last_values: Vec<Option<f64>> = content.panels.iter().map(Panel::last_value).collect();
    let mut panels: Vec<Option<Panel>> = content.panels.into_iter().map(Some).collect();
    let order = chart.sorted_indices(&last_values).into_iter();
    content.panels = order.filter_map(|index| panels.get_mut(index)?.take()).collect();
    content
}

/// Returns whether the value axis is logarithmic: the setting `axis.scale` is `log` and a value is above
/// zero. If it is, values that are not above zero become gaps, which the scene counts, and panels
/// without other values are removed.
pub fn apply_log_axis(chart: &Chart, panels: &mut Vec<Panel>, scene: &mut Scene) -> bool {
    if !axis::choose_log(chart, panels.iter().flat_map(Panel::values), scene) {
        return false;
    }
    let mut count = 0;
    for point in panels.iter_mut().flat_map(|panel| &mut panel.points) {
        if point.value.is_some_and(|value| value <= 0.0) {
            point.value = None;
            count += 1;
        }
    }
    scene.omit(Omission::NotOnLogAxis, count);
    panels.retain(|panel| panel.last_value().is_some());
    true
}

/// Returns the name of the group of a record. Empty without a group.
fn read_group(record: &Value) -> Cow<'_, str> {
    data::display_text(data::field(record, "group"))
}

/// Reads one panel per series with a value. The scene counts the other series, if any panel is left,
/// and repeated records.
fn read_columns<'a>(chart: &Chart<'a>, scene: &mut Scene) -> Content<'a> {
    let (rows, x_values) = curves::read_x_values(chart, has_date_column(chart), scene);
    let curves = curves::read_curves(chart, &rows, scene);
    let to_panel = |curve: Curve| {
        let xs = (0..curve.rows.len()).map(|index| match &x_values {
            XValues::Timestamps(values) | XValues::Numbers(values) => {
                values.get(index).copied().unwrap_or(0.0)
            }
            XValues::Categories(_) => index as f64,
        });
        let points = xs.zip(curve.rows.iter().zip(&curve.values));
        Panel {
            color: choose_color(chart, &curve.series),
            points: points
                .map(|(x, (row, value))| PanelPoint { row: *row, x, value: *value })
                .collect(),
            key: curve.series.key,
            title: curve.series.title,
        }
    };
    let mut panels: Vec<Panel> = curves.into_iter().map(to_panel).collect();
    // Several records of the same time would be points above each other.
    let repeated: usize =
        panels.iter_mut().map(|panel| remove_repeated(&mut panel.points)).max().unwrap_or(0);
    scene.omit(Omission::Duplicate, repeated);
    Content { panels, x_values }
}

/// Reads one panel per group, with the values of the series `value`, or of the first series if there is none.
/// Reports to the scene as omitted: all other series, records with the group and the x value of another
/// record, records without a group, and the records of groups that have no value at all.
fn read_groups<'a>(chart: &Chart<'a>, scene: &mut Scene) -> Content<'a> {
    let series = chart.series_for(scene);
    let column = series.iter().find(|series| series.key == "value").or(series.first());
    let Some(column) = column else {
        return Content { panels: Vec::new(), x_values: XValues::Categories(Vec::new()) };
    };
    scene.omit(Omission::Series, series.len() - 1);
    let dates_only = has_date_column(chart) || has_only_years(chart);
    let (rows, x_values) = curves::read_x_values(chart, dates_only, scene);
    let groups = rows.iter().map(|row| chart.data.get(*row).map_or(Cow::Borrowed(""), read_group));
    let (xs, x_values) = number_categories(x_values, groups);
    let mut panels: Vec<Panel> = Vec::new();
    let mut indexes: HashMap<Cow<str>, usize> = HashMap::new();
    let mut without_group = 0;
    for (row, x) in rows.into_iter().zip(xs) {
        let Some(record) = chart.data.get(row) else { continue };
        let group = read_group(record);
        if group.is_empty() {
            without_group += usize::from(!data::is_blank(record));
            continue;
        }
        let index = *indexes.entry(group).or_insert_with_key(|group| {
            let by_series = chart.bool_setting("colorBySeries", false);
            panels.push(Panel {
                key: column.key.clone(),
                title: group.to_string(),
                color: chart.series_color(if by_series { panels.len() } else { 0 }),
                points: Vec::new(),
            });
            panels.len() - 1
        });
        let value = data::number(data::field(record, &column.key));
        panels.get_mut(index).into_iter().for_each(|panel| {
            panel.points.push(PanelPoint { row, x, value });
        });
    }
    let repeated: usize = panels.iter_mut().map(|panel| remove_repeated(&mut panel.points)).sum();
    scene.omit(Omission::Duplicate, repeated);
    scene.omit(Omission::Incomplete, without_group);
    let is_empty = |panel: &&Panel| panel.last_value().is_none();
    let without_value = panels.iter().filter(is_empty).map(|panel| panel.points.len()).sum();
    scene.omit(Omission::NoValue, without_value);
    panels.retain(|panel| panel.last_value().is_some());
    Content { panels, x_values }
}

/// Returns the color of the panel of a series: the color of the series if the settings give it one or
/// `colorBySeries` is set, otherwise the first series color, which all panels share.
fn choose_color(chart: &Chart, series: &Series) -> Color {
    let entries = chart.setting("series").as_array().into_iter().flatten();
    let has_own_color = |entry: &Value| {
        entry["key"].as_str() == Some(&*series.key)
            && entry["color"].as_str().and_then(Color::parse).is_some()
    };
    if chart.bool_setting("colorBySeries", false) || entries.into_iter().any(has_own_color) {
        return series.color;
    }
    chart.series_color(0)
}

/// Returns whether at least half of the records that are not blank have a readable date in the column
/// `date`. False without such a date.
fn has_date_column(chart: &Chart) -> bool {
    let is_dated = |record: &&Value| data::timestamp(data::field(record, "date")).is_some();
    let count = chart.data.iter().filter(is_dated).count();
    count > 0 && count * 2 >= chart.record_count()
}

/// Returns whether the labels of all records are dates (such as years) from 1500 to 2199. Blank records
/// do not count.
fn has_only_years(chart: &Chart) -> bool {
    let mut records = chart.data.iter().filter(|record| !data::is_blank(record));
    records.all(|record| {
        let date = data::timestamp(data::field(record, "label"));
        date.is_some_and(|seconds| (1500..2200).contains(&date::to_civil(seconds).year))
    })
}

/// Returns the x value of each record, and the x values with each category name only once, in the order
/// of [`name_order::order_names`] for records with these `groups`. The x value of a category is its index
/// there. Timestamps stay as they are.
fn number_categories<'a>(
    x_values: XValues<'a>,
    groups: impl Iterator<Item = Cow<'a, str>>,
) -> (Vec<f64>, XValues<'a>) {
    let names = match x_values {
        XValues::Timestamps(timestamps) => {
            return (timestamps.clone(), XValues::Timestamps(timestamps));
        }
        XValues::Numbers(numbers) => return (numbers.clone(), XValues::Numbers(numbers)),
        XValues::Categories(names) => names,
    };
    let mut distinct: Vec<Cow<str>> = Vec::new();
    let mut indexes: HashMap<Cow<str>, usize> = HashMap::new();
    let mut group_indexes: HashMap<Cow<str>, usize> = HashMap::new();
    let records = groups.zip(names).map(|(group, name)| {
        let next_group = group_indexes.len();
        let group = *group_indexes.entry(group).or_insert(next_group);
        let name = *indexes.entry(name).or_insert_with_key(|name| {
            distinct.push(name.clone());
            distinct.len() - 1
        });
        (group, name)
    });
    let records: Vec<(usize, usize)> = records.collect();
    let order = name_order::order_names(&distinct, &records);
    let mut ranks = vec![0.0; distinct.len()];
    for (rank, index) in order.iter().enumerate() {
        ranks.get_mut(*index).into_iter().for_each(|place| *place = rank as f64);
    }
    let xs = records.iter().map(|(_, name)| ranks.get(*name).copied().unwrap_or_default());
    let ordered = order.iter().filter_map(|index| distinct.get(*index).cloned());
    (xs.collect(), XValues::Categories(ordered.collect()))
}

/// Sorts the points by x and keeps one point per x, the first with a value if there is one. Returns the
/// number of removed points with a value.
fn remove_repeated(points: &mut Vec<PanelPoint>) -> usize {
    points.sort_by(|one, two| one.x.total_cmp(&two.x));
    let mut removed = 0;
    points.dedup_by(|later, kept| {
        if later.x != kept.x {
            return false;
        }
        match (kept.value, later.value) {
            (None, Some(_)) => std::mem::swap(later, kept),
            (Some(_), Some(_)) => removed += 1,
            (_, None) => {}
        }
        true
    });
    removed
}

/// Returns the lowest and the highest value of all panels. Without a value, returns positive and negative
/// infinity.
pub(super) fn find_range(panels: &[Panel]) -> (f64, f64) {
    let values = panels.iter().flat_map(Panel::values);
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::color;

    /// Name and values of a panel.
    type NamedValues = (String, Vec<Option<f64>>);

    fn read_panels(settings: Value, data: &[Value]) -> (Vec<NamedValues>, Scene) {
        let kind = crate::find_kind("small-multiples").unwrap();
        let mut scene = Scene::new(720.0, 405.0, color::WHITE);
        let chart = Chart { settings: &settings, ..Chart::new(kind, data) };
        let content = read(&chart, &mut scene);
        let values = |panel: &Panel| panel.points.iter().map(|point| point.value).collect();
        (content.panels.iter().map(|panel| (panel.title.clone(), values(panel))).collect(), scene)
    }

    #[test]
    fn panels_with_own_axes_have_a_note_also_in_a_preview() {
        let record = |year: usize| json!({"label": format!("{year}"), "A": 90_000 + year, "B": year - 2_000, "C": year - 2_010});
        let data = [2_020, 2_021, 2_022].map(record);
        let has_note = |settings: Value, height: f64| {
            let kind = crate::find_kind("small-multiples").unwrap();
            let chart = Chart { settings: &settings, height, ..Chart::new(kind, &data) };
            let scene = crate::draw(&chart);
            scene.text_boxes().any(|(text, _)| text == "Panels have different scales")
        };
        assert!(has_note(json!({}), 405.0) && has_note(json!({}), 180.0));
        assert!(has_note(json!({"sharedAxis": false}), 405.0));
        assert!(!has_note(json!({"sharedAxis": true}), 405.0));
    }

    #[test]
    fn own_axes_have_a_warning_unless_the_author_has_chosen_them() {
        let data = [2_020, 2_021].map(|year| json!({"label": year.to_string(), "A": 9, "B": year}));
        let warnings = |settings: Value| {
            let kind = crate::find_kind("small-multiples").unwrap();
            let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) });
            assert_eq!(scene.omissions, [(Omission::OwnAxes, 1)]);
            scene.warnings
        };
        assert_eq!(warnings(json!({"sharedAxis": false})), [""; 0]);
        let of_table = warnings(json!({"sharedAxis": false, "fromTable": {"sharedAxis": false}}));
        assert!(of_table[0].contains("`sharedAxis` is false"), "{of_table:?}");
    }

    #[test]
    fn series_and_groups_give_the_same_panels() {
        let wide = [
            json!({"date": "2024-03-01", "North": 3, "South": 7}),
            json!({"date": "2024-01-01", "North": 1, "South": null}),
        ];
        let long = [
            json!({"date": "2024-03-01", "group": "North", "value": 3}),
            json!({"date": "2024-01-01", "group": "North", "value": 1}),
            json!({"date": "2024-03-01", "group": "South", "value": 7}),
            json!({"date": "2024-01-01", "group": "South", "value": null}),
        ];
        let expected = [
            ("North".to_owned(), vec![Some(1.0), Some(3.0)]),
            ("South".to_owned(), vec![None, Some(7.0)]),
        ];
        assert_eq!(read_panels(json!({}), &wide).0, expected);
        assert_eq!(read_panels(json!({}), &long).0, expected);
        let sorted = read_panels(json!({"sort": "desc"}), &long).0;
        assert_eq!(
            sorted.iter().map(|(title, _)| title.as_str()).collect::<Vec<_>>(),
            ["South", "North"]
        );
    }

    #[test]
    fn records_that_no_panel_shows_are_counted() {
        let data = [
            json!({"label": "2020", "group": "a", "value": 1}),
            json!({"label": "2020", "group": "a", "value": 2}),
            json!({"label": "2021", "group": "", "value": 3}),
            json!({"label": "2021", "group": "b", "value": "n/a"}),
        ];
        let (panels, scene) = read_panels(json!({}), &data);
        assert_eq!(panels, [("a".to_owned(), vec![Some(1.0)])]);
        let expected =
            [(Omission::NoValue, 1), (Omission::Incomplete, 1), (Omission::Duplicate, 1)];
        assert_eq!(scene.omissions, expected);
    }

    #[test]
    fn series_without_a_panel_are_counted_beside_groups() {
        let values = (0..30).map(|index| (format!("S{index}"), json!(index)));
        let names = [("label", "a"), ("group", "b")];
        let names = names.map(|(key, name)| (key.to_owned(), json!(name)));
        let (panels, scene) = read_panels(json!({}), &[values.chain(names).collect()]);
        assert_eq!(panels.len(), 1);
        assert_eq!(scene.omissions, [(Omission::Series, 29)]);
    }
}
