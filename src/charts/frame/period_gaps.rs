//! Order of, and missing periods between categories that are fiscal years, seasons, halves of a year or fiscal
//! quarters, such as `FY23` between `FY22` and `FY24`. Calendar dates have a time axis instead.

use std::borrow::Cow;

use crate::fiscal_periods::FiscalPeriod;

/// Sorts records by the periods that are their names, if all names are different periods of
/// the same form, and neither rise nor fall. A line in the order of the records would go back in time.
pub fn sort_periods(rows: &mut [usize], names: &mut [Cow<'_, str>]) {
    let Some(periods) =
        names.iter().map(|name| FiscalPeriod::parse(name)).collect::<Option<Vec<_>>>()
    else {
        return;
    };
    let Some(first) = periods.first() else { return };
    let numbers: Vec<i64> = periods.iter().map(|period| period.number).collect();
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by_key(|index| numbers[*index]);
    let are_different = order.windows(2).all(|pair| numbers[pair[0]] != numbers[pair[1]]);
    let is_falling = numbers.windows(2).all(|pair| pair[0] > pair[1]);
    if !are_different || is_falling || !periods.iter().all(|period| period.has_form_of(first)) {
        return;
    }
    let sorted_rows: Vec<usize> = order.iter().map(|index| rows[*index]).collect();
    let sorted_names: Vec<Cow<str>> = order.iter().map(|index| names[*index].clone()).collect();
    rows.copy_from_slice(&sorted_rows);
    names.clone_from_slice(&sorted_names);
}

/// Inserts a name without a record for each missing period between periods in ascending order, so that
/// lines end before it. The row of such a name is `blank_row`.
///
/// Changes nothing unless all names that are not blank are periods of the same form, at least half of the
/// steps between them go to the next period, and fewer periods are missing than there are.
pub fn insert_missing_periods(
    rows: &mut Vec<usize>,
    names: &mut Vec<Cow<'_, str>>,
    blank_row: usize,
) {
    let Some(missing) = find_missing(names) else { return };
    // From the end, so that the positions before stay the same.
    for (position, inserted) in missing.into_iter().rev() {
        rows.splice(position..position, inserted.iter().map(|_| blank_row));
        names.splice(position..position, inserted.into_iter().map(Cow::Owned));
    }
}

/// Returns the names of the missing periods before the names at these positions.
fn find_missing(names: &[Cow<str>]) -> Option<Vec<(usize, Vec<String>)>> {
    let named = names.iter().enumerate().filter(|(_, name)| !name.trim().is_empty());
    let (positions, named): (Vec<usize>, Vec<&Cow<str>>) = named.unzip();
    let periods: Vec<FiscalPeriod> =
        named.iter().map(|name| FiscalPeriod::parse(name)).collect::<Option<_>>()?;
    let (first, last) = (periods.first()?, periods.last()?);
    let is_same = |period: &FiscalPeriod| period.has_form_of(first);
    let steps: Vec<i64> = periods.windows(2).map(|pair| pair[1].number - pair[0].number).collect();
    let next_count = steps.iter().filter(|step| **step == 1).count();
    let missing_count = last.number.checked_sub(first.number)? - steps.len() as i64;
    let has_gaps = periods.iter().all(is_same)
        && steps.iter().all(|step| *step > 0)
        && next_count * 2 >= steps.len()
        && (1..periods.len() as i64).contains(&missing_count);
    let gaps = periods.windows(2).zip(positions.into_iter().skip(1)).map(|(pair, position)| {
        let between = (pair[0].number + 1)..pair[1].number;
        (position, between.map(|number| pair[0].name_of(number)).collect())
    });
    has_gaps.then(|| gaps.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names after the insertion, separated by commas. Inserted ones have a question mark.
    fn insert(names: &str) -> String {
        let mut names: Vec<Cow<str>> = names.split(", ").map(Cow::Borrowed).collect();
        let mut rows: Vec<usize> = (0..names.len()).collect();
        insert_missing_periods(&mut rows, &mut names, usize::MAX);
        let mark = |row: &usize| if *row == usize::MAX { "?" } else { "" };
        let marked = rows.iter().zip(&names).map(|(row, name)| format!("{name}{}", mark(row)));
        marked.collect::<Vec<String>>().join(", ")
    }

    #[test]
    fn missing_periods_are_inserted_in_the_form_of_their_neighbors() {
        for (names, want) in [
            ("FY21, FY22, FY24", "FY21, FY22, FY23?, FY24"),
            ("FY98, FY99, FY01", "FY98, FY99, FY00?, FY01"),
            ("GJ 2019, GJ 2020, GJ 2023", "GJ 2019, GJ 2020, GJ 2021?, GJ 2022?, GJ 2023"),
            ("2019/20, 2020/21, 2022/23", "2019/20, 2020/21, 2021/22?, 2022/23"),
            ("FY2023/24, FY2024/25, FY2026/27", "FY2023/24, FY2024/25, FY2025/26?, FY2026/27"),
            ("H1 2022, H2 2022, H2 2023", "H1 2022, H2 2022, H1 2023?, H2 2023"),
            ("2022 H2, 2023 H1, 2024 H1", "2022 H2, 2023 H1, 2023 H2?, 2024 H1"),
            (
                "2022/23 FY, 2023/24 FY, 2025/26 FY",
                "2022/23 FY, 2023/24 FY, 2024/25 FY?, 2025/26 FY",
            ),
            ("FY21, FY22, , FY24, ", "FY21, FY22, , FY23?, FY24, "),
            ("Q3 FY23, Q4 FY23, Q2 FY24", "Q3 FY23, Q4 FY23, Q1 FY24?, Q2 FY24"),
        ] {
            assert_eq!(insert(names), want);
        }
    }

    #[test]
    fn periods_that_go_forth_and_back_are_sorted() {
        let sort = |names: &str| {
            let mut names: Vec<Cow<str>> = names.split(", ").map(Cow::Borrowed).collect();
            let mut rows: Vec<usize> = (0..names.len()).collect();
            sort_periods(&mut rows, &mut names);
            (rows, names.join(", "))
        };
        assert_eq!(
            sort("FY21, FY24, FY22, FY23"),
            (vec![0, 2, 3, 1], "FY21, FY22, FY23, FY24".to_owned())
        );
        for names in
            ["FY24, FY23, FY21", "FY21, FY22, FY21", "FY21, GJ20, FY22", "FY22, Total, FY21"]
        {
            assert_eq!(sort(names).1, names);
        }
    }

    #[test]
    fn other_names_and_complete_or_irregular_periods_stay() {
        for names in [
            "FY21, FY22, FY23",
            "FY15, FY18, FY22",
            "FY22, FY24, FY23",
            "FY24, FY23, FY21",
            "FY21, FY22, GJ24",
            "FY21, FY22, Total",
            "2019/20, 2021/22, 2023/24",
            "Q1 2022, Q2 2022, Q4 2022",
            "H1 2022, H2 2022, H4 2022",
            "A1, A2, A4",
            "10 GJ, 11 GJ, 13 GJ",
            "1/2, 2/3, 4/5",
            "Team 2021, Team 2022, Team 2024",
            "",
        ] {
            assert_eq!(insert(names), names);
        }
    }
}
