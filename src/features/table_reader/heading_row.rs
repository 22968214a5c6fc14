//! Decision whether the first row of a table has headings or is a record.

use super::cell_findings;
use super::cell_grid::Cell;
use super::cell_grid::CellKind;
use super::headings::read_number;
use chartroom_charts::date_text;
use chartroom_charts::number_text;
use chartroom_charts::time_order;
use chartroom_platform::text;

/// Minimum number of equally spaced numbers that can be headings, such as the hours of a day.
const MIN_STEPS: usize = 3;

/// Maximum difference between successive years that are headings of other years.
const MAX_YEAR_STEP: i64 = 10;

/// Folded headings of columns of names and dates in several languages, which are no names themselves.
const NAME_HEADINGS: [&str; 90] = [
    "abteilung",
    "age",
    "alter",
    "altersgruppe",
    "annee",
    "anno",
    "ano",
    "art",
    "artikel",
    "bereich",
    "bezeichnung",
    "branche",
    "bundesland",
    "canton",
    "categoria",
    "categorie",
    "category",
    "cidade",
    "citta",
    "city",
    "ciudad",
    "client",
    "cliente",
    "company",
    "country",
    "customer",
    "data",
    "date",
    "datum",
    "day",
    "department",
    "dia",
    "empresa",
    "entreprise",
    "fecha",
    "firma",
    "frage",
    "geschaftsjahr",
    "giorno",
    "group",
    "groupe",
    "grupo",
    "gruppe",
    "id",
    "item",
    "jahr",
    "jour",
    "kanton",
    "kategorie",
    "kunde",
    "kw",
    "label",
    "land",
    "libelle",
    "mes",
    "mese",
    "mois",
    "monat",
    "month",
    "name",
    "nom",
    "nombre",
    "nome",
    "nr",
    "ort",
    "paese",
    "pais",
    "partei",
    "party",
    "pays",
    "periode",
    "prodotto",
    "product",
    "producto",
    "produit",
    "produkt",
    "produto",
    "quartal",
    "quarter",
    "question",
    "region",
    "semaine",
    "stadt",
    "state",
    "tag",
    "title",
    "trimestre",
    "ville",
    "woche",
    "year",
];

/// Whether the first row of a table has the headings of its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HeadingRow {
    /// The cells decide.
    #[default]
    Detect,
    Present,
    Absent,
}

impl HeadingRow {
    /// Returns whether a table has no headings. `is_record` tells whether its first row seems to be a record.
    pub(super) fn is_absent(self, is_record: bool) -> bool {
        match self {
            Self::Detect => is_record,
            Self::Present => false,
            Self::Absent => true,
        }
    }
}

/// Content of a cell, or of most cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Empty, or a placeholder.
    Missing,
    Number,
    /// A date, time or duration, or a period other than a year, such as `Q1`.
    Time,
    Text,
}

impl Content {
    fn of(cell: Cell<'_>) -> Self {
        match cell.kind {
            CellKind::Number | CellKind::Percentage | CellKind::Currency(_) => Self::Number,
            CellKind::Date => Self::Time,
            CellKind::Boolean => Self::Text,
            CellKind::Text if number_text::is_missing(cell.text) => Self::Missing,
            CellKind::Text if is_time(cell.text) => Self::Time,
            CellKind::Text if is_number(cell.text) => Self::Number,
            CellKind::Text => Self::Text,
        }
    }
}

/// Returns whether the first row of a table is a record, so that the table has no headings. `below` are
/// some rows below it, without blank ones.
///
/// A number in it tells a record, but the first column counts only if it is the only one. So do a date
/// above dates and a placeholder such as `n/a` above numbers. Numbers that can be headings do not count:
/// years, equally spaced numbers such as hours and ages, and percentages above other numbers. A text above
/// numbers tells headings, and so do an empty first cell, a first cell such as `Country`, and a text of
/// digits above typed numbers.
pub(super) fn is_record(first: &[Cell<'_>], below: &[Vec<Cell<'_>>]) -> bool {
    let first = trim_end(first);
    let columns: Vec<Column<'_>> =
        (0..first.len()).map(|index| Column::new(first[index], below, index)).collect();
    let Some((names, others)) = columns.split_first() else { return false };
    if columns.len() == 1 {
        return !names.has_heading(true) && names.is_record() && !names.is_year_above_others();
    }
    let has_name_heading = names.has_heading(true) || names.has_corner() || names.has_known_name();
    if has_name_heading || others.iter().any(|column| column.has_heading(false)) {
        return false;
    }
    let numbers: Vec<&Column<'_>> =
        others.iter().filter(|column| column.content == Content::Number).collect();
    if others.iter().any(|column| column.has_placeholder() || column.has_time()) {
        return true;
    }
    !numbers.is_empty() && (names.has_periods() || !are_headings(&numbers))
}

/// Returns the cells up to the last one that is not empty.
fn trim_end<'c, 'a>(row: &'c [Cell<'a>]) -> &'c [Cell<'a>] {
    let end = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
    &row[..end]
}

/// A cell of the first row, and the cells below it that are not missing.
struct Column<'a> {
    cell: Cell<'a>,
    content: Content,
    below: Vec<Cell<'a>>,
    below_contents: Vec<Content>,
}

impl<'a> Column<'a> {
    fn new(cell: Cell<'a>, below: &[Vec<Cell<'a>>], index: usize) -> Self {
        let cells = below.iter().filter_map(|row| row.get(index).copied());
        let below: Vec<Cell<'a>> =
            cells.filter(|cell| Content::of(*cell) != Content::Missing).collect();
        let below_contents = below.iter().map(|cell| Content::of(*cell)).collect();
        Self { cell, content: Content::of(cell), below, below_contents }
    }

    /// Returns whether more than half of the cells below have a content, or all of them.
    fn are_below(&self, wanted: Content, needs_all: bool) -> bool {
        let count = self.below_contents.iter().filter(|content| **content == wanted).count();
        let all = self.below_contents.len();
        if needs_all { count == all && count > 0 } else { count * 2 > all }
    }

    /// Returns whether the first cell is a heading whatever the other columns have. In a column of names,
    /// all cells below it have to differ from it.
    fn has_heading(&self, is_name: bool) -> bool {
        let are_below = |wanted| self.are_below(wanted, is_name);
        let is_text_of_digits = self.cell.kind == CellKind::Text
            && !self.below.is_empty()
            && self.below.iter().all(|cell| cell.kind.is_number());
        match self.content {
            Content::Missing => false,
            Content::Text => {
                let is_number = cell_findings::is_number_with_marks(self.cell.text);
                !is_number && (are_below(Content::Number) || are_below(Content::Time))
            }
            Content::Time => are_below(Content::Number),
            Content::Number => {
                is_text_of_digits
                    || !is_name && (are_below(Content::Text) || are_below(Content::Time))
            }
        }
    }

    /// Returns whether the first cell is empty above texts, as in the corner of a cross table.
    fn has_corner(&self) -> bool {
        self.cell.text.is_empty() && !self.below.is_empty()
    }

    /// Returns whether the first cell is a usual heading of names or dates.
    fn has_known_name(&self) -> bool {
        let folded = text::fold_words(self.cell.text).join(" ");
        NAME_HEADINGS.contains(&folded.as_str())
    }

    /// Returns whether the first cell stands for a missing number, such as `n/a`.
    fn has_placeholder(&self) -> bool {
        self.content == Content::Missing
            && !self.cell.text.is_empty()
            && !self.below.is_empty()
            && self.are_below(Content::Number, false)
    }

    /// Returns whether the first cell is a date or a time as those below.
    fn has_time(&self) -> bool {
        self.content == Content::Time && self.is_record()
    }

    /// Returns whether the first cell is a number or a date as those below.
    fn is_record(&self) -> bool {
        let is_same = self.below.is_empty() || self.are_below(self.content, false);
        matches!(self.content, Content::Number | Content::Time) && is_same
    }

    /// Returns whether the first cell and all below are years, dates or other periods.
    fn has_periods(&self) -> bool {
        let mut cells = std::iter::once(&self.cell).chain(&self.below);
        !self.below.is_empty()
            && cells.all(|cell| Content::of(*cell) == Content::Time || is_year(cell.text))
    }

    /// Returns whether the first cell and the one below it differ by less than a factor of two.
    fn is_like_below(&self) -> bool {
        let numbers = [Some(&self.cell), self.below.first()]
            .map(|cell| cell.and_then(|cell| read_number(cell.text)));
        matches!(numbers, [Some(one), Some(other)] if one < other * 2.0 && other < one * 2.0)
    }

    /// Returns whether the first cell is a year and not all cells below are.
    fn is_year_above_others(&self) -> bool {
        is_year(self.cell.text) && !self.below.iter().all(|cell| is_year(cell.text))
    }
}

/// Returns whether numbers of the first row can be headings of numbers below.
fn are_headings(numbers: &[&Column<'_>]) -> bool {
    let is_percentage =
        |cell: &Cell<'_>| cell.kind == CellKind::Percentage || cell.text.contains('%');
    let are_percentages = numbers.iter().all(|column| {
        is_percentage(&column.cell)
            && !column.below.is_empty()
            && !column.below.iter().any(is_percentage)
    });
    let first: Vec<&str> = numbers.iter().map(|column| column.cell.text).collect();
    let second = numbers.iter().filter_map(|column| column.below.first().map(|cell| cell.text));
    let second: Vec<&str> = second.collect();
    let are_years = || {
        let are_near = find_step(&first).is_some_and(|step| step.abs() <= MAX_YEAR_STEP);
        let has_other = |column: &&Column<'_>| !column.below.iter().all(|cell| is_year(cell.text));
        first.iter().all(|text| is_year(text))
            && (are_near || second.is_empty() || numbers.iter().any(has_other))
    };
    let are_steps = || match find_step(&first).filter(|_| numbers.len() >= MIN_STEPS) {
        Some(step) if find_step(&second) == Some(step) => false,
        Some(1 | -1) => true,
        Some(_) => !numbers.iter().all(|column| column.is_like_below()),
        None => false,
    };
    are_percentages || are_years() || are_steps()
}

/// Returns the difference between successive whole numbers if it is always the same and not 0. None with
/// fewer than two numbers.
fn find_step(texts: &[&str]) -> Option<i64> {
    let numbers: Vec<i64> = texts.iter().map(|text| text.parse().ok()).collect::<Option<_>>()?;
    let mut steps = numbers.windows(2).map(|pair| pair[1] - pair[0]);
    let first = steps.next().filter(|step| *step != 0)?;
    steps.all(|step| step == first).then_some(first)
}

/// Returns whether a text is a year of four digits.
fn is_year(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit()) && time_order::is_period(text)
}

/// Returns whether a text is a date, a time, a duration or a period that is no plain number.
fn is_time(text: &str) -> bool {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let readings = date_text::read_date(text);
    readings.day_first
        || readings.month_first
        || time_order::is_period(text)
        || chartroom_charts::clock_value(text).is_some()
}

/// Returns whether a text is a number with either decimal separator, also with a unit of measure.
fn is_number(text: &str) -> bool {
    read_number(text).is_some() || number_text::has_unit(text)
}

#[cfg(test)]
mod tests;
