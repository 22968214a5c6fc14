//! Properties of columns that follow from their profiles.

use chartroom_charts::date_text;
use chartroom_platform::text;

use super::column_profile::ColumnProfile;
use super::column_profile::ColumnType;
use super::column_profile::OTHER_UNIT_MESSAGE;
use super::heading;
use super::heading_words;
use crate::features::portfolio::Column;
use crate::features::portfolio::KindInfo;

/// Folded words that make a heading one of percentages.
const PERCENT_WORDS: [&str; 6] =
    ["percent", "percentage", "prozent", "pourcentage", "porcentaje", "procent"];
/// Length of a short code of a country in bytes.
const MAX_CODE_BYTES: usize = 2;
/// Maximum number of columns beside a statistic that are compared with it.
const MAX_COMPARED_COLUMNS: usize = 64;
/// Role of the value, the target and the change of a record with its own unit.
const FIGURE_ROLE: &str = "figure";

/// Returns whether a chart kind shows a unit for each record, so that the cells of a column may have
/// different units.
pub fn shows_own_units(kind: &KindInfo) -> bool {
    kind.columns.iter().any(|column| column.role == FIGURE_ROLE)
}

/// Returns whether a column holds words for steps of a risk, such as `Likely`, and `column` of the kind
/// has such steps. A percentage or a number may stand between them.
pub fn holds_risk_steps(column: &Column, profile: &ColumnProfile) -> bool {
    let words = profile.examples.iter().filter(|text| chartroom_charts::is_risk_step(text)).count();
    has_risk_steps(column)
        && profile.column_type == ColumnType::Text
        && words * 2 > profile.examples.len()
}

/// Returns whether the cells of a column of the kind may be words for steps of a risk.
pub fn has_risk_steps(column: &Column) -> bool {
    ["probability", "impact"].contains(&column.key.as_str())
}

/// Returns whether the cells of a column keep their units in the records, because the chart kind shows
/// a unit for each record, and the numbers have no common one, or one of them has another one.
pub fn keeps_own_units(column: &Column, profile: &ColumnProfile) -> bool {
    let has_other_unit =
        profile.problems.iter().any(|problem| problem.message == OTHER_UNIT_MESSAGE);
    column.role == FIGURE_ROLE && (profile.unit.is_none() || has_other_unit)
}

impl ColumnProfile {
    /// Returns whether the column has numbers that are amounts: neither ids, coordinates nor years.
    /// Percentages are amounts.
    pub fn is_amount(&self) -> bool {
        self.column_type == ColumnType::Number && !self.is_ids && !self.is_years
    }

    /// Returns whether the column has durations by the clock, such as `2:06:39`, that are read as numbers.
    pub fn has_durations(&self) -> bool {
        self.is_clock && self.column_type == ColumnType::Number
    }

    /// Returns whether the column has texts in at most half of the records, as one of remarks does.
    pub fn has_remarks(&self) -> bool {
        self.column_type == ColumnType::Text && self.empty * 2 >= self.records
    }

    /// Returns whether the cells are steps in time without a date: 1, 2, 3, numbered texts such as
    /// `Day 1` and `Sprint 2`, or weekdays.
    pub fn has_steps(&self) -> bool {
        let numbered = |texts: &[String]| {
            let numbers: Option<Vec<u32>> =
                texts.iter().map(|text| heading_words::period_number(text)).collect();
            numbers.is_some_and(|numbers| numbers.is_sorted_by(|one, two| one < two))
        };
        let are_weekdays =
            |texts: &[String]| texts.iter().all(|text| date_text::is_weekday_name(text));
        let texts = &self.examples;
        let is_text = self.column_type == ColumnType::Text && texts.len() > 1;
        self.is_numbering() || is_text && (numbered(texts) || are_weekdays(texts))
    }

    /// Returns whether the column can name records: it has texts, dates or years. Ids that are texts
    /// count too.
    pub fn is_name(&self) -> bool {
        matches!(self.column_type, ColumnType::Text | ColumnType::Date(_)) || self.is_years
    }

    /// Returns whether the numbers can be years: they are, or all are whole numbers from 1000 to 2200.
    /// The caller knows from a heading or from the kind that they are times.
    pub fn may_be_years(&self) -> bool {
        let is_in_range = self.range.is_some_and(|(low, high)| low >= 1000.0 && high <= 2200.0);
        self.is_years || self.column_type == ColumnType::Number && self.is_whole && is_in_range
    }

    /// Returns whether the numbers count the records, from 0 or 1 on in any order.
    pub fn is_numbering(&self) -> bool {
        let is_dense = self.range.is_some_and(|(low, high)| {
            (low == 0.0 || low == 1.0) && high - low + 1.0 == self.records as f64
        });
        self.column_type == ColumnType::Number
            && self.is_whole
            && is_dense
            && self.empty == 0
            && self.records > 1
            && !self.has_repeated
    }

    /// Returns whether the numbers count periods, as under `Month` or `Spieltag`.
    pub fn is_numbered_period(&self) -> bool {
        self.is_numbering() && heading_words::is_period_word(&heading::normalize(&self.heading))
    }

    /// Returns whether the cells stand for times: dates, years, or mostly periods such as `Jan`.
    pub fn is_time(&self) -> bool {
        matches!(self.column_type, ColumnType::Date(_)) || self.is_years || self.is_periods
    }

    /// Returns whether the numbers are percentages: most have a percent sign, or the heading has a sign
    /// without a number or a word such as `Prozent`. Does not check the type of the column.
    pub fn is_percentage(&self) -> bool {
        let has_word = || {
            let words = text::fold_words(&self.heading);
            words.iter().any(|word| PERCENT_WORDS.contains(&word.as_str()))
        };
        // The sign in `Lower 95% CI` is a level of confidence.
        let mut parts = self.heading.split('%');
        parts.next_back();
        let has_sign = parts.any(|before| !before.ends_with(|c: char| c.is_ascii_digit()));
        self.has_percent_signs || has_sign || has_word()
    }

    /// Returns whether the amounts of two columns can share an axis. Percentages can
    /// only with percentages. Other units must be equal, or one of them unknown. Counts of people or
    /// things have no unit.
    pub fn may_share_unit(&self, other: &Self) -> bool {
        if self.has_durations() != other.has_durations() {
            return false;
        }
        match (self.is_percentage(), other.is_percentage()) {
            (false, false) => match (self.unit_or_scale_text(), other.unit_or_scale_text()) {
                (Some(unit), Some(other)) => unit == other,
                (Some(_), None) => !heading_words::is_count(&other.heading),
                (None, Some(_)) => !heading_words::is_count(&self.heading),
                (None, None) => true,
            },
            (is_percentage, is_other) => is_percentage == is_other,
        }
    }

    /// Returns whether the amounts are a statistic such as `Min` of the quantity of `others`, so that the
    /// ratio of their sizes tells nothing: a minimum, or another statistic within the range of a column that
    /// is none.
    pub fn is_statistic_of<'a>(&self, others: impl IntoIterator<Item = &'a Self>) -> bool {
        let is_around = |other: &Self| match (self.range, other.range) {
            (Some((low, high)), Some((other_low, other_high))) => {
                low >= other_low
                    && high <= other_high
                    && !heading_words::is_statistic(&other.heading)
            }
            _ => false,
        };
        let is_of_other = || others.into_iter().take(MAX_COMPARED_COLUMNS).any(is_around);
        heading_words::is_minimum(&self.heading)
            || heading_words::is_statistic(&self.heading) && is_of_other()
    }

    /// Returns whether this is a column of texts, and more than half of its few examples are countries
    /// or regions that maps know, most of them on one map. Days of the week such as `Mo` and `So`, and other abbreviations in mixed
    /// case such as `Li`, are no codes of countries, and neither is `IT` beside `Sales`.
    pub fn has_places(&self) -> bool {
        let is_abbreviation = |name: &str| {
            let has_case = |is_case: fn(char) -> bool| name.chars().any(is_case);
            name.len() <= MAX_CODE_BYTES
                && has_case(char::is_uppercase)
                && has_case(char::is_lowercase)
        };
        let is_place = |name: &&String| !is_abbreviation(name) && chartroom_charts::is_place(name);
        let known: Vec<&String> = self.examples.iter().filter(is_place).collect();
        let has_names = known.iter().any(|name| name.len() > MAX_CODE_BYTES);
        let is_week = self.examples.iter().all(|name| date_text::is_weekday_name(name));
        self.column_type == ColumnType::Text
            && !is_week
            && known.len() * 2 > self.examples.len()
            && (has_names || known.len() == self.examples.len())
            && chartroom_charts::have_common_map(&self.examples, &self.heading)
    }

    /// Returns the unit of most cells, or else the one in brackets or at the end of the heading, as in
    /// `Weight (kg)` and `Temperature °C`. None if neither has one.
    pub fn unit_text(&self) -> Option<&str> {
        let of_cells = self.unit.as_ref().map(|unit| unit.text.trim());
        of_cells
            .or_else(|| heading::unit_in_brackets(&self.heading))
            .or_else(|| heading::unit_after_name(&self.heading))
    }

    /// Returns the result of `unit_text`, or else the text in brackets at the end of the heading if it
    /// has a power of ten, as in `Population (millions)`.
    pub fn unit_or_scale_text(&self) -> Option<&str> {
        self.unit_text().or_else(|| heading::scale_in_brackets(&self.heading))
    }

    /// Returns the number of cells that are neither empty nor placeholders such as `n/a`.
    pub fn filled(&self) -> usize {
        self.records - self.empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::tables::profile::CellType;

    #[test]
    fn places_have_a_common_map() {
        let has_places =
            |names: &[&str]| ColumnProfile::of_cells("City", CellType::Texts, names).has_places();
        assert!(has_places(&["Germany", "France", "Poland"]));
        assert!(has_places(&["California", "Texas", "Florida"]));
        // Regions of Japan, India and France.
        assert!(!has_places(&["Tokyo", "Delhi", "Paris"]));
    }
}
