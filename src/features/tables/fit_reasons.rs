//! Explanations of the properties of tables that decide the scores of chart kinds.

use crate::features::portfolio::TableProperty;

/// Returns the explanation, a short clause in English, for a table without a property that the kind
/// needs.
pub(super) fn describe_lack(property: TableProperty) -> &'static str {
    match property {
        TableProperty::ClosingTotal => "the last value is not the total of the others",
        TableProperty::Descending => "the values do not fall from record to record",
        TableProperty::DifferentScales => "the numbers are on one scale",
        TableProperty::FilledGrid => "most pairs of names have no value",
        TableProperty::Measurements => "there are few different values",
        TableProperty::NamedLabel => "no heading names the label",
        TableProperty::NamedTotal => "no heading names totals",
        TableProperty::NamedValues => "no headings name the values",
        TableProperty::NestedNames => "the names are in no groups",
        TableProperty::NoValues => "the table has numbers that the kind does not show",
        TableProperty::Parts => "there are negative values",
        TableProperty::Places => "the names are no countries or regions",
        TableProperty::PeriodHeadings => "the headings are not periods",
        TableProperty::Ranks => "the values are not ranks",
        TableProperty::RowShares => "the rows do not add up to 100 %",
        TableProperty::SameScale => "the numbers are on different scales",
        TableProperty::ScaleOfFour => "the values are not whole numbers from 0 to 4",
        TableProperty::Shares => "the values do not add up to 100 %",
        TableProperty::Signs => "there are no gains and losses",
        TableProperty::SurveyHeadings => "the headings are not steps of an answer scale",
        TableProperty::Time => "the labels are not dates or periods",
        TableProperty::Texts => "the table has numbers that the kind does not show",
        TableProperty::Spans => "there are no ends or durations",
        TableProperty::TwoPeriods => "the headings are not two periods",
    }
}

/// Returns the explanation, a short clause in English, for a table with a property that the kind
/// prefers.
pub(super) fn describe_presence(property: TableProperty) -> &'static str {
    match property {
        TableProperty::ClosingTotal => "the last value is the total of the others",
        TableProperty::Descending => "the values fall from record to record",
        TableProperty::DifferentScales => "the numbers are on different scales",
        TableProperty::FilledGrid => "most pairs of names have a value",
        TableProperty::Measurements => "there are many different values",
        TableProperty::NamedLabel => "the heading of the label is typical of this kind",
        TableProperty::NamedTotal => "a heading names totals",
        TableProperty::NamedValues => "the headings of the values are typical of this kind",
        TableProperty::NestedNames => "the names are in groups",
        TableProperty::NoValues | TableProperty::Texts => "the table consists of texts",
        TableProperty::Parts => "no value is negative",
        TableProperty::Places => "the names are countries or regions",
        TableProperty::PeriodHeadings => "the headings are periods",
        TableProperty::Ranks => "the values are ranks",
        TableProperty::RowShares => "the rows add up to 100 %",
        TableProperty::SameScale => "the numbers are on one scale",
        TableProperty::ScaleOfFour => "the values are whole numbers from 0 to 4",
        TableProperty::Shares => "the values are shares of a whole",
        TableProperty::Signs => "there are gains and losses",
        TableProperty::SurveyHeadings => "the headings are steps of an answer scale",
        TableProperty::Time => "the labels are dates or periods",
        TableProperty::Spans => "there are ends or durations",
        TableProperty::TwoPeriods => "the headings are two periods",
    }
}
