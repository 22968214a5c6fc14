//! Records of a beeswarm with their groups.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use crate::Chart;
use crate::color::Color;
use crate::data;
use crate::format::{NumberFormat, Term};

/// A record with a value.
pub struct Dot {
    /// Index of the record in the data.
    pub row: usize,
    /// Name of the record. Empty without a name.
    pub label: String,
    /// Value on the axis.
    pub value: f64,
    /// Size value. 0 if absent or negative.
    pub size: f64,
    /// Index of the group.
    pub group: usize,
    /// Whether the dot is highlighted.
    pub highlighted: bool,
    /// Color of the record itself.
    pub color: Option<Color>,
}

/// All dots with the names of their groups.
pub struct Swarm {
    /// Dots in the order of the data.
    pub dots: Vec<Dot>,
    /// Names of the groups in order of appearance. One empty name without groups.
    pub groups: Vec<String>,
    /// Largest size. 0 without sizes.
    pub max_size: f64,
    /// Values of each group, ascending.
    values: Vec<Vec<f64>>,
}

/// Reads the records with a value, and their groups. If only some have a group, the others belong
/// to the group "Other", in the language of the chart.
pub fn read(chart: &Chart) -> Swarm {
    let mut swarm =
        Swarm { dots: Vec::new(), groups: Vec::new(), max_size: 0.0, values: Vec::new() };
    let mut indexes: HashMap<String, usize> = HashMap::new();
    let has_groups = chart.data.iter().any(|record| !read_group(record).is_empty());
    let other_name = chart.locale().translate(Term::Other);
    for (row, record) in chart.data.iter().enumerate() {
        let Some(value) = data::number(data::field(record, "value")) else { continue };
        let name = match read_group(record) {
            name if name.is_empty() && has_groups => other_name.to_owned(),
            name => name.into_owned(),
        };
        let group = *indexes.entry(name).or_insert_with_key(|name| {
            swarm.groups.push(name.clone());
            swarm.values.push(Vec::new());
            swarm.groups.len() - 1
        });
        let size = data::number(data::field(record, "size")).unwrap_or(0.0).max(0.0);
        swarm.max_size = swarm.max_size.max(size);
        swarm.values.get_mut(group).into_iter().for_each(|values| values.push(value));
        swarm.dots.push(Dot {
            row,
            label: data::record_label(record).into_owned(),
            value,
            size,
            group,
            highlighted: data::is_true(data::field(record, "highlighted")),
            color: data::field(record, "color").as_str().and_then(Color::parse),
        });
    }
    swarm.values.iter_mut().for_each(|values| values.sort_by(f64::total_cmp));
    swarm
}

/// Returns the name of the group of a record. Empty without one.
fn read_group(record: &Value) -> Cow<'_, str> {
    data::display_text(data::field(record, "group"))
}

impl Swarm {
    /// Returns the format for some of the values.
    pub fn format(&self, values: impl Iterator<Item = f64> + Clone, chart: &Chart) -> NumberFormat {
        NumberFormat::for_values(values, &chart.format_rules("value"), chart.locale())
    }

    /// Returns the median of a group. None with fewer than three values.
    pub fn median(&self, group: usize) -> Option<f64> {
        let values = self.values.get(group).filter(|values| values.len() >= 3)?;
        let (low, high) = (values.get((values.len() - 1) / 2)?, values.get(values.len() / 2)?);
        Some(low / 2.0 + high / 2.0)
    }

    /// Returns the medians of all groups with at least three values.
    pub fn medians(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        (0..self.groups.len()).filter_map(|group| self.median(group))
    }
}

impl Dot {
    /// Returns the tooltip, such as "Name: value (size)". Leaves out an empty name and a size of 0.
    pub fn tooltip(&self, format: &NumberFormat, chart: &Chart) -> String {
        let value = format.text(self.value);
        let name = match self.label.as_str() {
            "" => value,
            label => format!("{label}: {value}"),
        };
        if self.size <= 0.0 {
            return name;
        }
        let rules = chart.format_rules("size");
        let size = NumberFormat::for_values([self.size].into_iter(), &rules, chart.locale());
        format!("{name} ({})", size.text(self.size))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::find_kind;

    fn group_names(data: &[Value]) -> Vec<String> {
        read(&Chart::new(find_kind("beeswarm").unwrap(), data)).groups
    }

    #[test]
    fn a_record_without_a_group_has_a_named_row_if_others_have_one() {
        let grouped = json!({"value": 1, "group": "North"});
        let without = json!({"value": 2});
        assert_eq!(group_names(&[grouped, without.clone()]), ["North", "Other"]);
        assert_eq!(group_names(&[without]), [""]);
    }
}
