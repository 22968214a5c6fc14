//! Reads the sets of a Venn diagram and the amounts of their overlaps.

use std::borrow::Cow;

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::NumberFormat;
use crate::kinds::venn::ovals::is_member;

/// Maximum number of sets. The overlaps of more ellipses would be too small for their texts.
pub const MAX_SETS: usize = 4;

/// Members of some sets and of no other set.
#[derive(Clone, Default)]
pub struct Region {
    /// Index of the record in the data, if there is one.
    pub row: Option<usize>,
    /// Label of the record.
    pub label: String,
    /// Value in the record. None if it is negative.
    given: Option<f64>,
    /// Amount that belongs to exactly these sets.
    pub amount: f64,
    /// Formatted amount. Empty if no value is given or if values are switched off.
    pub words: String,
    /// Whether the region is highlighted.
    pub highlighted: bool,
}

impl Region {
    /// Returns amount and label in one line, without the parts that are empty.
    pub fn told(&self) -> String {
        let told = [self.words.as_str(), self.label.as_str()];
        told.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// A set as a whole.
pub struct Set {
    /// Name in the records.
    key: String,
    /// Name in the image.
    pub name: String,
    /// Amount that belongs to the set, including members of other sets.
    pub total: f64,
    /// Formatted total. Empty if the total is 0 or if values are switched off.
    pub words: String,
}

/// Sets and regions. The index of a region is the bit set of its members.
pub struct Sets {
    /// Sets in order of appearance.
    pub all: Vec<Set>,
    /// One region per combination of sets. The first one is outside of all sets.
    pub regions: Vec<Region>,
    /// Whether every set has a total, so that areas can follow the amounts.
    pub measured: bool,
}

/// Reads the records. Invalid records are left out with a warning.
pub fn read(chart: &Chart, scene: &mut Scene) -> Sets {
    let mut sets = Sets { all: Vec::new(), regions: Vec::new(), measured: false };
    let mut members: Vec<(usize, usize)> = Vec::new();
    let (mut beyond, mut nowhere) = (0, 0);
    for (row, record) in chart.data.iter().enumerate() {
        let names = names(data::field(record, "sets"));
        if names.is_empty() {
            nowhere += 1;
            continue;
        }
        match sets.place(&names, chart) {
            Some(region) => members.push((row, region)),
            None => beyond += 1,
        }
    }
    sets.regions = vec![Region::default(); 1 << sets.all.len()];
    sets.fill(chart, &members, scene);
    if nowhere > 0 {
        scene.warn(format!("Records without sets: {nowhere}."));
    }
    if beyond > 0 {
        let most = MAX_SETS;
        scene.warn(format!("Only {most} sets are drawn; records of further ones: {beyond}."));
    }
    sets.count(chart, scene);
    sets.write(chart);
    sets
}

/// Returns the names in an array, or in one text with separators such as commas.
fn names(value: &Value) -> Vec<Cow<'_, str>> {
    let mut names: Vec<Cow<str>> = match value {
        Value::Array(list) => list.iter().map(data::display_text).collect(),
        Value::String(joined) => joined
            .split([',', ';', '|', '∩'])
            .flat_map(|it| it.split(" & "))
            .flat_map(|it| it.split(" + "))
            .map(|it| Cow::Owned(data::display_text(&Value::from(it)).trim().to_owned()))
            .collect(),
        other => vec![data::display_text(other)],
    };
    names.retain(|it| !it.is_empty());
    names
}

impl Sets {
    /// Returns the region of these names. New names are added as sets. None if there would be too
    /// many sets.
    fn place(&mut self, names: &[Cow<str>], chart: &Chart) -> Option<usize> {
        let known = self.all.len();
        let mut region = 0;
        for name in names {
            let found = self.all.iter().position(|it| it.key == **name);
            let at = found.unwrap_or(self.all.len());
            if at == MAX_SETS {
                // New names of a rejected record are removed again.
                self.all.truncate(known);
                return None;
            }
            if found.is_none() {
                let title = data::display_text(&chart.setting("setTitles")[&**name]).into_owned();
                let shown = if title.is_empty() { name.clone().into_owned() } else { title };
                let key = name.clone().into_owned();
                self.all.push(Set { key, name: shown, total: 0.0, words: String::new() });
            }
            region |= 1 << at;
        }
        Some(region)
    }

    /// Assigns the records to their regions. If several records have the same region, the first one
    /// is used.
    fn fill(&mut self, chart: &Chart, members: &[(usize, usize)], scene: &mut Scene) {
        let (mut twice, mut below) = (0, 0);
        for (row, place) in members {
            let Some(record) = chart.data.get(*row) else { continue };
            let Some(region) = self.regions.get_mut(*place) else { continue };
            if region.row.is_some() {
                twice += 1;
                continue;
            }
            region.row = Some(*row);
            region.label = data::display_text(data::field(record, "label")).into_owned();
            region.highlighted = data::is_true(data::field(record, "highlighted"));
            let value = data::number(data::field(record, "value"));
            region.given = value.filter(|it| *it >= 0.0);
            below += usize::from(value.is_some_and(|it| it < 0.0));
        }
        if twice > 0 {
            scene.warn(format!("Records of sets that have one already: {twice}."));
        }
        if below > 0 {
            scene.warn(format!("Records below zero, which have no area: {below}."));
        }
    }

    /// Sums `value` over all regions that include all members of this region. That is the amount
    /// shared by these members.
    ///
    /// With `signed`, `value` is such a shared amount, and the result is the amount that belongs to
    /// exactly these members (inclusion and exclusion).
    fn sum(&self, place: usize, signed: bool, value: impl Fn(&Region) -> f64) -> f64 {
        let within = self.regions.iter().enumerate().filter(|it| it.0 & place == place);
        let sign = |it: usize| match signed && (it ^ place).count_ones() % 2 == 1 {
            true => -1.0,
            false => 1.0,
        };
        within.map(|(at, it)| sign(at) * value(it)).sum()
    }

    /// Computes the amount of each region and the total of each set.
    fn count(&mut self, chart: &Chart, scene: &mut Scene) {
        let given = |it: &Region| it.given.unwrap_or(0.0);
        let exact = chart.str_setting("counts") == "exact";
        let largest = self.regions.iter().map(given).fold(0.0, f64::max);
        let amounts: Vec<f64> = match exact {
            true => self.regions.iter().map(given).collect(),
            false => (0..self.regions.len()).map(|it| self.sum(it, true, given)).collect(),
        };
        // The first region is outside of all sets.
        let odd = amounts.iter().skip(1).filter(|it| **it < -1e-9 * largest).count();
        if odd > 0 {
            scene.warn(format!("Overlaps that are larger than what they are part of: {odd}."));
        }
        for (region, amount) in self.regions.iter_mut().zip(&amounts) {
            region.amount = if *amount > 1e-9 * largest { *amount } else { 0.0 };
        }
        let total = |set: usize| match exact {
            true => self.sum(1 << set, false, |it| it.amount),
            false => self.regions.get(1 << set).and_then(|it| it.given).unwrap_or(0.0),
        };
        let totals: Vec<f64> = (0..self.all.len()).map(total).collect();
        self.measured = !totals.is_empty() && totals.iter().all(|it| *it > 0.0);
        for (set, total) in self.all.iter_mut().zip(totals) {
            set.total = total;
        }
    }

    /// Formats amounts and totals.
    fn write(&mut self, chart: &Chart) {
        if !chart.bool_setting("showValues", true) {
            return;
        }
        let amounts = self.regions.iter().map(|it| it.amount);
        let totals = self.all.iter().map(|it| it.total);
        let format = NumberFormat::for_values(
            amounts.chain(totals),
            &chart.format_rules("value"),
            chart.locale(),
        );
        for region in self.regions.iter_mut().filter(|it| it.given.is_some()) {
            region.words = format.text(region.amount);
        }
        for set in self.all.iter_mut().filter(|it| it.total > 0.0) {
            set.words = format.text(set.total);
        }
    }

    /// Returns the amount shared by all members of a region, including members of other sets.
    pub fn shared(&self, place: usize) -> f64 {
        self.sum(place, false, |it| it.amount)
    }

    /// Returns the names of a region's members, separated by commas.
    pub fn named(&self, place: usize) -> String {
        let names = self.all.iter().enumerate().filter(|it| is_member(place, it.0));
        names.map(|it| it.1.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Returns the text description of the diagram: sets with totals, and the regions with a value
    /// or label.
    pub fn describe(&self) -> String {
        let count = self.all.len();
        let of = if count == 1 { "set" } else { "sets" };
        let set = |it: &Set| match it.words.is_empty() {
            true => it.name.clone(),
            false => format!("{} ({})", it.name, it.words),
        };
        let names: Vec<String> = self.all.iter().map(set).collect();
        let mut words = format!("Venn diagram of {count} {of}: {}.", names.join(", "));
        for (place, region) in self.regions.iter().enumerate().skip(1) {
            let what = match (region.words.as_str(), region.label.as_str()) {
                ("", "") => continue,
                (one, "") | ("", one) => one.to_owned(),
                (amount, label) => format!("{amount} ({label})"),
            };
            words.push_str(&format!(" Only {}: {what}.", self.named(place)));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_come_in_an_array_or_joined() {
        assert_eq!(names(&json!(["A, b", " ", 3])), ["A, b", "3"]);
        assert_eq!(names(&json!("R&D, Sales")), ["R&D", "Sales"]);
        assert_eq!(names(&json!("A & B ∩ C")), ["A", "B", "C"]);
        assert!(names(&json!(null)).is_empty());
    }
}
