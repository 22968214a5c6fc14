//! Names that follow one another, such as dates and numbers, and which of them stand for all.

use std::borrow::Cow;

use crate::data;

/// Whether the names count up (dates, years, numbers), so that one may be guessed from others.
pub fn counts_up(names: &[Cow<str>]) -> bool {
    let counts = |name: &str| {
        name.ends_with(|it: char| it.is_ascii_digit()) || data::number_in(name).is_some()
    };
    names.iter().all(|it| it.is_empty() || counts(it))
}

/// A step at which names of a cycle (quarters, months, with their year) begin anew or show even
/// parts of it; for others one that people count in.
pub fn every(names: &[Cow<str>], least: usize) -> usize {
    let first = |at: usize| names.get(at).and_then(|it| it.split(' ').next());
    let cycle = (2..=12).find(|it| first(*it).is_some() && first(*it) == first(0));
    match cycle.filter(|it| first(*it - 1) != first(0)) {
        Some(cycle) if least <= cycle => {
            (least..=cycle).find(|it| cycle % it == 0).unwrap_or(cycle)
        }
        Some(cycle) => cycle * round_up(least.div_ceil(cycle)),
        None => round_up(least),
    }
}

/// A step that people count in.
fn round_up(every: usize) -> usize {
    [1, 2, 5, 10, 20, 25, 50, 100].into_iter().find(|it| *it >= every).unwrap_or(every)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_of(names: &[&str], least: usize) -> usize {
        let names: Vec<Cow<str>> = names.iter().map(|it| Cow::Borrowed(*it)).collect();
        every(&names, least)
    }

    #[test]
    fn quarters_are_thinned_to_halves_and_years() {
        let quarters = ["Q1 23", "Q2 23", "Q3 23", "Q4 23", "Q1 24", "Q2 24", "Q3 24", "Q4 24"];
        assert_eq!([2, 3, 4, 5, 9].map(|it| every_of(&quarters, it)), [2, 4, 4, 8, 20]);
    }

    #[test]
    fn other_names_are_thinned_to_steps_that_people_count_in() {
        let hours = ["5:00", "6:00", "7:00", "8:00", "9:00", "10:00"];
        assert_eq!([2, 3, 6, 11].map(|it| every_of(&hours, it)), [2, 5, 10, 20]);
        assert_eq!(every_of(&["Week 1", "Week 2", "Week 3"], 3), 5, "one word is no cycle");
    }
}
