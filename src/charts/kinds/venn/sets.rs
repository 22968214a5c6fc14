//! Reads the sets of a Venn diagram and the amounts of their overlaps.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::{NumberFormat, Omission};
use crate::kinds::venn::ovals::is_member;

/// Maximum number of sets. The overlaps of more ellipses would be too small for their texts.
pub const MAX_SETS: usize = 4;

/// Elements that belong to exactly these sets.
#[derive(Clone, Default)]
pub struct Region {
    /// Index of the record in the data, if there is one.
    pub row: Option<usize>,
    /// Label of the record.
    pub label: String,
    /// Value in the record. None if it is missing or negative.
    value: Option<f64>,
    /// Amount that belongs to exactly these sets. 0 if the values imply a negative amount.
    pub amount: f64,
    /// Formatted amount. Empty if no value is given or if values are switched off.
    pub amount_text: String,
    /// Whether the region is highlighted.
    pub highlighted: bool,
    /// Whether one of its sets has overlaps that are larger than the set or than each other, so
    /// that no amount of exactly these sets can be computed.
    is_contradictory: bool,
}

impl Region {
    /// Returns the formatted amount and the label with a space between them, without the parts that are
    /// empty.
    pub fn to_single_line(&self) -> String {
        let parts = [self.amount_text.as_str(), self.label.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// A set as a whole.
pub struct Set {
    /// Name in the records.
    key: String,
    /// Name in the image.
    pub name: String,
    /// Amount that belongs to the set, including elements that also belong to other sets.
    pub total: f64,
    /// Formatted total. Empty if the total is 0 or if values are switched off.
    pub total_text: String,
}

/// Sets and regions.
///
/// The index of a region is the bit set of its members.
#[derive(Default)]
pub struct SetData {
    /// Sets in order of appearance.
    pub sets: Vec<Set>,
    /// One region per combination of sets. The first one is outside of all sets.
    pub regions: Vec<Region>,
    /// Whether there are sets and every set has a total above zero, so that areas can follow the
    /// amounts.
    pub has_all_totals: bool,
    /// Whether the labels of the records name a second set.
    labels_are_sets: bool,
}

/// A record with the region that its sets form.
struct RegionRecord {
    /// Index of the record in the data.
    row: usize,
    /// Index of the region.
    region: usize,
}

/// Reads the sets and regions with their amounts and formatted texts. The scene counts the records that
/// are left out: those without sets, those with a set beyond the first `MAX_SETS`, and further ones of
/// the same sets. Blank records do not count.
pub fn read_sets(chart: &Chart, scene: &mut Scene) -> SetData {
    let mut set_data = SetData::default();
    let mut region_records: Vec<RegionRecord> = Vec::new();
    let (mut with_further_sets, mut without_sets) = (0, 0);
    let mut names_of_records: Vec<Vec<Cow<str>>> =
        chart.data.iter().map(|record| read_names(data::field(record, "sets"))).collect();
    split_joined_names(&mut names_of_records);
    set_data.labels_are_sets = add_second_names(chart.data, &mut names_of_records);
    for (row, (record, names)) in chart.data.iter().zip(names_of_records).enumerate() {
        if names.is_empty() {
            without_sets += usize::from(!data::is_blank(record));
            continue;
        }
        match set_data.find_or_add_region(&names, chart) {
            Some(region) => region_records.push(RegionRecord { row, region }),
            None => with_further_sets += 1,
        }
    }
    set_data.regions = vec![Region::default(); 1 << set_data.sets.len()];
    set_data.assign_records(chart, &region_records, scene);
    scene.omit(Omission::Incomplete, without_sets);
    scene.omit(Omission::NoSpace, with_further_sets);
    set_data.compute_amounts(chart, scene);
    set_data.format_amounts(chart);
    set_data
}

/// Returns the names in an array, or in one text with separators: `,`, `;`, `|`, `∩`, and `&` and
/// `+` between spaces. Another value, such as a number, is one name. Omits empty names.
fn read_names(value: &Value) -> Vec<Cow<'_, str>> {
    let mut names: Vec<Cow<str>> = match value {
        Value::Array(list) => list.iter().map(data::display_text).collect(),
        Value::String(joined) => joined
            .split([',', ';', '|', '∩'])
            .flat_map(|part| part.split(" & "))
            .flat_map(|part| part.split(" + "))
            .map(|part| Cow::Owned(data::display_text(&Value::from(part)).trim().to_owned()))
            .collect(),
        other => vec![data::display_text(other)],
    };
    names.retain(|name| !name.is_empty());
    names
}

/// Splits a name such as `A&B`, `A+B`, `A/B` or `A and B` if each part is the only name of some record.
/// Other names with such signs, such as `R&D`, remain whole.
fn split_joined_names(names_of_records: &mut [Vec<Cow<str>>]) {
    const SEPARATORS: [&str; 8] = ["&", "+", "/", "×", " and ", " und ", " et ", " y "];
    let single: HashSet<String> = names_of_records
        .iter()
        .filter_map(|names| match names.as_slice() {
            [name] => Some(name.to_string()),
            _ => None,
        })
        .collect();
    for names in names_of_records {
        let split = names.iter().flat_map(|name| {
            let parts = SEPARATORS.into_iter().map(|separator| {
                name.split(separator).map(str::trim).map(str::to_owned).collect::<Vec<_>>()
            });
            let are_known = |parts: &Vec<String>| {
                parts.len() > 1 && parts.iter().all(|part| single.contains(part))
            };
            let parts = parts.into_iter().find(are_known);
            parts.unwrap_or_else(|| vec![name.to_string()]).into_iter().map(Cow::Owned)
        });
        *names = split.collect();
    }
}

/// Adds the labels of the records as names of a second set, if the records are pairs such as `A`, `B`, 12.
/// Returns whether they are.
///
/// They are pairs if a label is the name of another set that has a record, all records have one set, and
/// there are at most `MAX_SETS` different names. Without such labels, the records of `A` and `B` and of
/// `A` and `C` would be repetitions of `A`. A pair of a set with itself is the total of the set.
fn add_second_names(records: &[Value], names_of_records: &mut [Vec<Cow<str>>]) -> bool {
    let labels: Vec<Cow<str>> =
        records.iter().map(|record| data::display_text(data::field(record, "label"))).collect();
    let sets: HashSet<&str> = names_of_records.iter().flatten().map(|name| name.as_ref()).collect();
    let given = || labels.iter().map(|label| label.trim()).filter(|label| !label.is_empty());
    let is_other = |(label, names): (&Cow<str>, &Vec<Cow<str>>)| {
        sets.contains(label.trim()) && names.iter().all(|name| name != label.trim())
    };
    let lacks_single_set =
        |(label, names): (&Cow<str>, &Vec<Cow<str>>)| !label.trim().is_empty() && names.len() != 1;
    let all: HashSet<&str> = sets.iter().copied().chain(given()).collect();
    let are_pairs = labels.iter().zip(&*names_of_records).any(is_other)
        && !labels.iter().zip(&*names_of_records).any(lacks_single_set)
        && all.len() <= MAX_SETS;
    let pairs = labels.iter().zip(names_of_records).filter(|(label, _)| !label.trim().is_empty());
    for (label, names) in pairs.filter(|_| are_pairs) {
        names.push(Cow::Owned(label.trim().to_owned()));
    }
    are_pairs
}

impl SetData {
    /// Returns the index of the region of these names. New names are added as sets. Returns None and adds
    /// no name if there would be more than `MAX_SETS` sets.
    fn find_or_add_region(&mut self, names: &[Cow<str>], chart: &Chart) -> Option<usize> {
        let known_count = self.sets.len();
        let mut region = 0;
        for name in names {
            let found = self.sets.iter().position(|set| set.key == **name);
            let index = found.unwrap_or(self.sets.len());
            if index == MAX_SETS {
                // New names of a rejected record are removed again.
                self.sets.truncate(known_count);
                return None;
            }
            if found.is_none() {
                let title = data::display_text(&chart.setting("setTitles")[&**name]).into_owned();
                self.sets.push(Set {
                    key: name.clone().into_owned(),
                    name: if title.is_empty() { name.clone().into_owned() } else { title },
                    total: 0.0,
                    total_text: String::new(),
                });
            }
            region |= 1 << index;
        }
        Some(region)
    }

    /// Copies value, label and highlighting of the records to their regions. If several records have the
    /// same region, the first one is used. The scene counts the others, and negative values, which
    /// are ignored.
    fn assign_records(
        &mut self,
        chart: &Chart,
        region_records: &[RegionRecord],
        scene: &mut Scene,
    ) {
        let (mut duplicate, mut negative) = (0, 0);
        for region_record in region_records {
            let Some(record) = chart.data.get(region_record.row) else { continue };
            let Some(region) = self.regions.get_mut(region_record.region) else { continue };
            if region.row.is_some() {
                duplicate += 1;
                continue;
            }
            region.row = Some(region_record.row);
            if !self.labels_are_sets {
                region.label = data::display_text(data::field(record, "label")).into_owned();
            }
            region.highlighted = data::is_true(data::field(record, "highlighted"));
            let value = data::number(data::field(record, "value"));
            region.value = value.filter(|value| *value >= 0.0);
            negative += usize::from(value.is_some_and(|value| value < 0.0));
        }
        if duplicate > 0 {
            scene.omit(Omission::Duplicate, duplicate);
        }
        if negative > 0 {
            scene.omit(Omission::BelowZero, negative);
        }
    }

    /// Returns the amount that belongs to exactly the members of this region, by inclusion and
    /// exclusion. `shared_amount` returns the amount shared by all members of a region.
    fn compute_exact_amount(&self, region: usize, shared_amount: impl Fn(&Region) -> f64) -> f64 {
        let signed_amount = |(index, superset): (usize, &Region)| {
            let has_odd_difference = (index ^ region).count_ones() % 2 == 1;
            let sign = if has_odd_difference { -1.0 } else { 1.0 };
            sign * shared_amount(superset)
        };
        self.supersets(region).map(signed_amount).sum()
    }

    /// Returns all regions that include all members of this region, with their indexes.
    fn supersets(&self, region: usize) -> impl Iterator<Item = (usize, &Region)> {
        self.regions.iter().enumerate().filter(move |(index, _)| index & region == region)
    }

    /// Computes the amount of each region and the total of each set, and whether all sets have a total
    /// above zero. Warns about values that imply negative amounts. These amounts are set to 0, and all
    /// regions with one of their sets have no number, because it would be wrong. A set without a value of
    /// its own implies no negative amount.
    ///
    /// With the setting `counts` = `exact`, the values are the amounts. Otherwise a value is the
    /// amount shared by its sets, including elements of other sets.
    fn compute_amounts(&mut self, chart: &Chart, scene: &mut Scene) {
        let value = |region: &Region| region.value.unwrap_or(0.0);
        let has_exact_values = chart.str_setting("counts") == "exact";
        let largest = self.regions.iter().map(value).fold(0.0, f64::max);
        let amounts: Vec<f64> = match has_exact_values {
            true => self.regions.iter().map(value).collect(),
            false => (0..self.regions.len())
                .map(|region| self.compute_exact_amount(region, value))
                .collect(),
        };
        // The first region is outside of all sets.
        let is_negative = |region: usize| {
            let is_below = amounts.get(region).is_some_and(|amount| *amount < -1e-9 * largest);
            region > 0 && is_below && !self.lacks_total(region)
        };
        let negative = (0..amounts.len()).filter(|region| is_negative(*region));
        let (count, contradictory_sets) =
            negative.fold((0, 0), |(count, sets), region| (count + 1, sets | region));
        if count > 0 {
            scene.warn(format!("Overlaps that are larger than what they are part of: {count}."));
        }
        let mut hidden_count = 0;
        for (index, (region, amount)) in self.regions.iter_mut().zip(&amounts).enumerate() {
            region.is_contradictory = index & contradictory_sets != 0;
            hidden_count += usize::from(region.is_contradictory && region.value.is_some());
            region.amount = if *amount > 1e-9 * largest { *amount } else { 0.0 };
        }
        scene.omit(Omission::Contradiction, hidden_count);
        let total = |set: usize| match has_exact_values {
            true => self.shared_amount(1 << set),
            false => self.regions.get(1 << set).and_then(|region| region.value).unwrap_or(0.0),
        };
        let totals: Vec<f64> = (0..self.sets.len()).map(total).collect();
        self.has_all_totals = !totals.is_empty() && totals.iter().all(|total| *total > 0.0);
        for (set, total) in self.sets.iter_mut().zip(totals) {
            set.total = total;
        }
    }

    /// Returns whether a region is a single set without a value of its own.
    fn lacks_total(&self, region: usize) -> bool {
        let is_single = region.count_ones() == 1;
        is_single && self.regions.get(region).is_some_and(|region| region.value.is_none())
    }

    /// Formats the amounts of regions with a value and the totals above zero, unless the setting
    /// `showValues` is false. The other texts stay empty.
    fn format_amounts(&mut self, chart: &Chart) {
        if !chart.bool_setting("showValues", true) {
            return;
        }
        let amounts = self.regions.iter().map(|region| region.amount);
        let totals = self.sets.iter().map(|set| set.total);
        let format = NumberFormat::for_values(
            amounts.chain(totals),
            &chart.format_rules("value"),
            chart.locale(),
        );
        let is_known = |region: &&mut Region| region.value.is_some() && !region.is_contradictory;
        for region in self.regions.iter_mut().filter(is_known) {
            region.amount_text = format.text(region.amount);
        }
        for set in self.sets.iter_mut().filter(|set| set.total > 0.0) {
            set.total_text = format.text(set.total);
        }
    }

    /// Returns the computed amount shared by all members of a region, including elements that also belong
    /// to other sets.
    pub fn shared_amount(&self, region: usize) -> f64 {
        self.supersets(region).map(|(_, superset)| superset.amount).sum()
    }

    /// Returns the names of a region's members, separated by commas.
    pub fn join_member_names(&self, region: usize) -> String {
        let members = self.sets.iter().enumerate().filter(|(set, _)| is_member(region, *set));
        members.map(|(_, set)| set.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Returns the description of the diagram: the sets with their totals, and each region that has
    /// a label or a formatted amount, with the amount of exactly its sets.
    ///
    /// Totals and amounts are left out if the setting `showValues` is false.
    pub fn describe(&self) -> String {
        let count = self.sets.len();
        let noun = if count == 1 { "set" } else { "sets" };
        let describe_set = |set: &Set| match set.total_text.is_empty() {
            true => set.name.clone(),
            false => format!("{} ({})", set.name, set.total_text),
        };
        let names: Vec<String> = self.sets.iter().map(describe_set).collect();
        let mut description = format!("Venn diagram of {count} {noun}: {}.", names.join(", "));
        for (index, region) in self.regions.iter().enumerate().skip(1) {
            let content = match (region.amount_text.as_str(), region.label.as_str()) {
                ("", "") => continue,
                (text, "") | ("", text) => text.to_owned(),
                (amount, label) => format!("{amount} ({label})"),
            };
            let members = self.join_member_names(index);
            description.push_str(&format!(" Only {members}: {content}."));
        }
        description
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn joined_names_without_spaces_are_split_if_each_is_a_set() {
        let texts = ["R&D", "Sales", "IT", "R&D&Sales", "Sales+IT", "IT and Sales", "IT/HR"];
        let mut names: Vec<Vec<Cow<str>>> = texts.map(|text| vec![Cow::Borrowed(text)]).to_vec();
        split_joined_names(&mut names);
        assert_eq!(names[0], ["R&D"]);
        assert_eq!(names[4], ["Sales", "IT"]);
        assert_eq!(names[5], ["IT", "Sales"]);
        assert_eq!(names[6], ["IT/HR"], "HR is no set");
        let records =
            ["A", "B", "C", "A&B", "A&C", "B&C"].map(|sets| json!({"sets": sets, "value": 9}));
        let chart = Chart::new(crate::find_kind("venn").unwrap(), &records);
        let set_data = read_sets(&chart, &mut Scene::new(100.0, 100.0, crate::color::WHITE));
        let names: Vec<&str> = set_data.sets.iter().map(|set| set.name.as_str()).collect();
        assert_eq!(names, ["A", "B", "C"]);
    }

    #[test]
    fn pairs_of_sets_in_two_columns_are_overlaps() {
        let record = |set: &str, label: &str, value: f64| json!({"sets": set, "label": label, "value": value});
        let read = |records: &[Value]| {
            let chart = Chart::new(crate::find_kind("venn").unwrap(), records);
            let mut scene = Scene::new(100.0, 100.0, crate::color::WHITE);
            let set_data = read_sets(&chart, &mut scene);
            assert_eq!(scene.omissions, []);
            let given = set_data.regions.into_iter().filter(|region| region.row.is_some());
            given.map(|region| (region.label, region.amount)).collect::<Vec<_>>()
        };
        let totals = [record("A", "", 100.0), record("B", "", 80.0), record("C", " ", 60.0)];
        let pairs = [record("A", "B", 12.0), record("A", "C", 20.0), record("B", "C", 8.0)];
        let amounts = [68.0, 60.0, 12.0, 32.0, 20.0, 8.0];
        let regions = amounts.map(|amount| (String::new(), amount));
        assert_eq!(read(&[totals, pairs].concat()), regions);
        let diagonal = [record("A", "A", 100.0), record("B", "B", 80.0), record("A", "B", 20.0)];
        let amounts = [80.0, 60.0, 20.0].map(|amount| (String::new(), amount));
        assert_eq!(read(&diagonal), amounts);
        // Texts of regions, also if one of them is the name of its set.
        let texts = [record("A", "B only", 3.0), record("B", "B", 4.0)];
        assert_eq!(read(&texts), [("B only".to_owned(), 3.0), ("B".to_owned(), 4.0)]);
    }

    #[test]
    fn overlaps_without_totals_have_their_values_and_a_warning() {
        let data = json!([{"sets": "A", "label": "B", "value": 51},
            {"sets": "A", "label": "C", "value": 62}, {"sets": "B", "label": "C", "value": 23}]);
        let chart = Chart::new(crate::find_kind("venn").unwrap(), data.as_array().unwrap());
        let scene = crate::draw(&chart);
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        assert!(["51", "62", "23"].iter().all(|text| texts.contains(text)), "{texts:?}");
        assert!(scene.omissions.is_empty(), "{:?}", scene.omissions);
        assert!(scene.warnings[0].starts_with("Not every set has a value"), "{:?}", scene.warnings);
    }

    #[test]
    fn names_come_in_an_array_or_joined() {
        assert_eq!(read_names(&json!(["A, b", " ", 3])), ["A, b", "3"]);
        assert_eq!(read_names(&json!("R&D, Sales")), ["R&D", "Sales"]);
        assert_eq!(read_names(&json!("A & B ∩ C")), ["A", "B", "C"]);
        assert!(read_names(&json!(null)).is_empty());
    }

    #[test]
    fn contradictory_overlaps_have_no_number_and_are_counted() {
        let data = json!([{"sets": "A", "value": 100}, {"sets": "B", "value": 80},
            {"sets": "C", "value": 60}, {"sets": "A, B", "value": 120}]);
        let chart = Chart::new(crate::find_kind("venn").unwrap(), data.as_array().unwrap());
        let scene = crate::draw(&chart);
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        assert!(!texts.contains(&"0") && !texts.contains(&"120"), "{texts:?}");
        assert!(texts.contains(&"100") && texts.contains(&"60"), "{texts:?}");
        assert!(scene.omissions.contains(&(Omission::Contradiction, 3)), "{:?}", scene.omissions);
        assert!(texts.iter().any(|text| text.contains("contradict")), "{texts:?}");
    }

    #[test]
    fn blank_records_are_not_counted() {
        let data = [
            json!({"sets": "A", "value": 100}),
            json!({"sets": "", "label": " ", "value": null}),
            json!({"sets": "", "value": 3}),
        ];
        let scene = crate::draw(&Chart::new(crate::find_kind("venn").unwrap(), &data));
        assert_eq!(scene.omissions, [(Omission::Incomplete, 1)]);
    }
}
