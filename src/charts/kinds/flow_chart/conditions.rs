//! Labels of arrows from the column `condition` of a flow chart.

use std::borrow::Cow;

use crate::Chart;
use crate::data;

/// A successor of a step, as given in the column `next`.
pub struct Successor {
    /// Id of the successor.
    pub id: String,
    /// Label of the arrow to the successor. Empty if there is none.
    pub arrow_label: String,
}

/// Returns the condition of the record at index `row`. Empty without one.
pub fn read<'a>(chart: &Chart<'a>, row: usize) -> Cow<'a, str> {
    let record = chart.data.get(row);
    record.map_or(Cow::Borrowed(""), |record| data::display_text(data::field(record, "condition")))
}

/// Labels the arrows to successors that have no label in the column `next`.
///
/// As many parts between semicolons or commas as there are successors, such as `yes; no` for two of
/// them, label one each, in their order. Otherwise each arrow has the whole condition.
pub fn add_labels(successors: &mut [Successor], condition: &str) {
    let split = |separator: char| -> Option<Vec<&str>> {
        let parts: Vec<&str> = condition.split(separator).map(str::trim).collect();
        (parts.len() == successors.len()).then_some(parts)
    };
    let parts = split(';').or_else(|| split(','));
    for (index, successor) in successors.iter_mut().enumerate() {
        if successor.arrow_label.is_empty() {
            let part = parts.as_ref().and_then(|parts| parts.get(index));
            successor.arrow_label = part.map_or(condition, |part| *part).trim().to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Scene;
    use crate::kinds::flow_chart::graph;

    use super::*;

    #[test]
    fn conditions_are_labels_of_arrows() {
        let labels = |data: &[Value]| -> Vec<String> {
            let chart = Chart::new(crate::find_kind("flow-chart").unwrap(), data);
            let mut scene = Scene::new(100.0, 100.0, crate::color::WHITE);
            let (graph, _) = graph::read_graph(&chart, &mut scene);
            assert_eq!(scene.warnings, Vec::<String>::new());
            graph.links.into_iter().map(|link| link.label).collect()
        };
        let arrow = |next: &str, condition: &str| json!({ "label": "Check", "next": next, "condition": condition });
        assert_eq!(labels(&[arrow("Ship", "yes"), arrow("Reject", "no")]), ["yes", "no"]);
        assert_eq!(labels(&[arrow("Ship; Reject", "yes; no")]), ["yes", "no"]);
        assert_eq!(labels(&[arrow("Ship", "paid, in stock")]), ["paid, in stock"]);
        assert_eq!(labels(&[arrow("later: Ship, Reject", "else")]), ["later", "else"]);
        let steps = [arrow("", "paid"), json!({ "label": "Ship" })];
        assert_eq!(labels(&steps), ["paid"]);
        let reversed =
            [json!({ "label": "Check", "next": "Ship: yes; no: End" }), json!({ "label": "Ship" })];
        assert_eq!(labels(&reversed), ["yes", "no"]);
    }
}
