//! Cells that depend on other cells: groups that are named only in their first row, as in merged
//! cells, amounts with a currency in a column of its own, and numbers of weeks below `KW`.

use std::collections::HashSet;

use super::cell_grid::Cell;
use super::cell_grid::CellKind;
use super::currency_format::CurrencyFormat;
use super::report::TableReport;
use crate::features::tables;
use chartroom_charts::number_text;
use chartroom_charts::number_text::CURRENCIES;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_charts::number_text::NumberUnit;
use chartroom_platform::text;

/// Parts of folded headings of currencies.
const CURRENCY_WORDS: [&str; 12] = [
    "currency", "ccy", "curr", "wahrung", "waehrung", "devise", "moneda", "divisa", "valuta",
    "moeda", "waluta", "wkz",
];
/// Words of folded headings of amounts of money.
const MONEY_WORDS: [&str; 37] = [
    "amount", "amounts", "betrag", "umsatz", "preis", "price", "total", "net", "gross", "netto",
    "brutto", "sales", "revenue", "fee", "gebuhr", "cost", "costs", "kosten", "wert", "saldo",
    "balance", "debit", "credit", "soll", "haben", "importe", "montant", "importo", "kwota",
    "belopp", "bedrag", "belob", "paid", "refunded", "tax", "steuer", "value",
];
/// Ends of folded words for amounts of money, as in `Rechnungsbetrag`.
const MONEY_ENDINGS: [&str; 6] = ["betrag", "umsatz", "preis", "kosten", "gebuhr", "steuer"];
/// Words of folded headings of numbers that are no amounts of money.
const OTHER_WORDS: [&str; 16] = [
    "units",
    "count",
    "qty",
    "quantity",
    "anzahl",
    "menge",
    "stunden",
    "hours",
    "rate",
    "kurs",
    "share",
    "anteil",
    "population",
    "einwohner",
    "percent",
    "prozent",
];
/// Words of folded headings of columns in which an empty cell means something.
const SINGLE_CELL_WORDS: [&str; 15] = [
    "comment",
    "comments",
    "note",
    "notes",
    "remark",
    "bemerkung",
    "kommentar",
    "code",
    "closed",
    "end",
    "ende",
    "due",
    "respondent",
    "email",
    "discount",
];
/// Folded headings of weeks of the calendar, with the word before a number. The numbers below `Week`
/// may count from any start.
const WEEK_HEADINGS: [(&str, &str); 4] =
    [("kw", "KW"), ("kalenderwoche", "KW"), ("cw", "CW"), ("calendar week", "CW")];
/// Maximum number of names of groups that are compared.
const MAX_GROUPS: usize = 10_000;

/// Rules for the cells of a table.
#[derive(Debug, Default)]
pub(super) struct RowRules {
    /// Whether an empty cell of the first column has the text of the cell above.
    fills_groups: bool,
    /// Whether the heading of the first column says that its empty cells mean something.
    keeps_empty_cells: bool,
    /// Columns of amounts, each with the column of its currency.
    currencies: Vec<(usize, usize)>,
    /// Columns with numbers of weeks, and the word before them.
    weeks: Vec<(usize, &'static str)>,
}

impl RowRules {
    /// Finds the currencies and weeks of a table with these headings. `samples` are the cells of its
    /// first rows. A single column of currencies belongs to all amounts with a heading such as `Price`.
    /// Otherwise, each column of currencies belongs to the amount directly before it, or else after it.
    /// Does not fill groups: `GroupCheck::finish` decides that.
    pub fn new(headings: &[String], samples: &[Vec<String>]) -> Self {
        let all = |index: usize, is_valid| are_all(samples, index, is_valid);
        let is_currency = |index: &usize| {
            let folded = text::fold_words(&headings[*index]).join(" ");
            let codes: HashSet<Option<&str>> = samples
                .iter()
                .map(|row| find_code(row.get(*index).map_or("", |cell| cell)))
                .collect();
            // Rows with a currency each are about the currencies themselves, as rates are.
            let differ = samples.len() > 2 && codes.len() == samples.len();
            CURRENCY_WORDS.iter().any(|word| folded.contains(word))
                && all(*index, |cell| find_code(cell).is_some())
                && !differ
        };
        let is_amount =
            |index: &usize| all(*index, is_plain_number) && !is_other_number(&headings[*index]);
        let columns = 0..headings.len();
        let found: Vec<usize> = columns.clone().filter(is_currency).collect();
        let mut currencies = Vec::new();
        if let [only] = found.as_slice() {
            let is_money = |index: &usize| is_amount(index) && is_money_heading(&headings[*index]);
            currencies.extend(columns.filter(is_money).map(|amount| (amount, *only)));
        }
        if currencies.is_empty() {
            let is_unnamed = |index: &usize| {
                let heading = headings[*index].trim();
                heading.chars().count() < 2 || is_money_heading(heading)
            };
            let is_beside = |index: &usize| is_amount(index) && is_unnamed(index);
            for currency in &found {
                let is_free = |index: &usize| currencies.iter().all(|(paired, _)| paired != index);
                let before = currency.checked_sub(1).filter(is_beside).filter(is_free);
                let after = Some(currency + 1).filter(|next| *next < headings.len());
                let amount = before.or(after.filter(is_beside));
                currencies.extend(amount.map(|amount| (amount, *currency)));
            }
        }
        let weeks = find_weeks(headings, samples);
        let keeps_empty_cells = headings.first().is_some_and(|heading| {
            let words = text::fold_words(heading);
            words.iter().any(|word| SINGLE_CELL_WORDS.contains(&word.as_str()))
        });
        Self { fills_groups: false, keeps_empty_cells, currencies, weeks }
    }
}

/// Texts of the current row that are not in its cells.
#[derive(Debug, Default)]
pub(super) struct RowTexts {
    /// Last text of the first column.
    group: String,
    /// Whether the first cell of the row has the text `group`.
    uses_group: bool,
    /// Amounts with their currency, and names of weeks, by the index of the column.
    replaced: Vec<(usize, String, CellKind)>,
}

impl RowTexts {
    /// Reads the next row, with `count` cells that `cell` returns by index. Stores the texts that
    /// replace its cells: amounts with the currency of another cell, and names of weeks. If the rules
    /// fill groups, an empty first cell gets the last text of the first column, but not in blank rows
    /// and rows of totals.
    pub fn read_row<'a>(
        &mut self,
        rules: &RowRules,
        count: usize,
        cell: impl Fn(usize) -> Cell<'a>,
    ) {
        self.replaced.clear();
        for (amount, currency) in &rules.currencies {
            let (number, code) = (cell(*amount), cell(*currency).text.trim());
            let Some(code) = find_code(code) else {
                // An unknown currency, which is not that of the other rows.
                if !code.is_empty() && !number.text.is_empty() {
                    let text = format!("{} {code}", number.text);
                    self.replaced.push((*amount, text, CellKind::Text));
                }
                continue;
            };
            let kind = CurrencyFormat::find("", &format!(" {code}")).map(CellKind::Currency);
            match (number.kind, kind) {
                (CellKind::Number, Some(kind)) => {
                    self.replaced.push((*amount, number.text.to_owned(), kind));
                }
                (CellKind::Text, _) if is_plain_number(number.text) => {
                    let text = format!("{} {code}", number.text);
                    self.replaced.push((*amount, text, CellKind::Text));
                }
                _ => {}
            }
        }
        for (index, word) in &rules.weeks {
            if let Some(week) = read_week(cell(*index).text, word) {
                self.replaced.push((*index, week, CellKind::Text));
            }
        }
        self.uses_group = false;
        if !rules.fills_groups || count == 0 {
            return;
        }
        match cell(0).text {
            "" => {
                let first = (1..count).map(|index| cell(index).text).find(|text| !text.is_empty());
                self.uses_group = first.is_some_and(|text| !tables::may_name_total(text));
            }
            text => {
                self.group.clear();
                self.group.push_str(text);
            }
        }
    }

    /// Returns the cell at `index` of the current row with the text that the rules gave it. None if the
    /// stored cell stays as it is, which is the usual case.
    pub fn find(&self, index: usize) -> Option<Cell<'_>> {
        if index == 0 && self.uses_group {
            return Some(Cell::from_text(&self.group));
        }
        let found = self.replaced.iter().find(|(column, _, _)| *column == index);
        found.map(|(_, text, kind)| Cell { text, kind: *kind })
    }
}

/// Finds out whether the first column names groups only in their first rows.
#[derive(Debug, Default)]
pub(super) struct GroupCheck {
    names: HashSet<String>,
    /// Number of rows without a name.
    unnamed: usize,
    /// Whether a row cannot belong to a group.
    is_other: bool,
}

impl GroupCheck {
    /// Adds the cells of the next row below the headings, which may be blank. Some rows decide against
    /// groups: one that repeats a name or has a number as name, and one without a name that comes
    /// before the first name, has no name in the second column, or has no further cell.
    pub fn add_row<'a>(&mut self, mut cells: impl Iterator<Item = Cell<'a>>) {
        let Some(first) = cells.next().filter(|_| !self.is_other) else { return };
        let (second, has_others) = (cells.next(), cells.any(|cell| !cell.text.is_empty()));
        let second_text = second.map_or("", |cell| cell.text);
        if first.text.is_empty() {
            let is_blank = second_text.is_empty() && !has_others;
            // A number is not the name of a row in a group.
            let is_member = has_others && !second_text.is_empty() && !is_number(second_text);
            self.unnamed += usize::from(is_member);
            self.is_other |= !is_blank && (!is_member || self.names.is_empty());
            return;
        }
        let is_name = first.kind == CellKind::Text
            && !is_number(first.text)
            && first.text.chars().any(char::is_alphabetic);
        self.is_other |=
            !is_name || self.names.len() == MAX_GROUPS || !self.names.insert(first.text.to_owned());
    }

    /// Sets `fills_groups` of the rules. This needs at least two names of groups, at least half as many
    /// rows without a name as names, no row that decided against groups, and no heading such as
    /// `Comment`, below which empty cells mean something. If it is true, adds a problem at the heading
    /// of the first column to the report.
    pub fn finish(self, rules: &mut RowRules, report: &mut TableReport) {
        rules.fills_groups = !rules.keeps_empty_cells
            && !self.is_other
            && self.names.len() > 1
            && self.unnamed * 2 >= self.names.len();
        if rules.fills_groups {
            let message = format!(
                "names groups only in their first rows: {} empty cells are read as the cell above",
                self.unnamed
            );
            report.add_problem_in_table(report.header_row.saturating_sub(1), 0, message);
        }
    }
}

/// Returns whether `is_valid` accepts the trimmed cell of each sample row in the column `index`. A cell
/// beyond the end of its row is empty. False without rows.
fn are_all(samples: &[Vec<String>], index: usize, is_valid: fn(&str) -> bool) -> bool {
    let cells = samples.iter().map(|row| row.get(index).map_or("", |cell| cell.trim()));
    let mut cells = cells.peekable();
    cells.peek().is_some() && cells.all(is_valid)
}

/// Returns the indexes of the columns with numbers of weeks, each with the word to put before them,
/// such as `KW`. The heading must be one of `WEEK_HEADINGS` other than `kW`, all samples must be weeks,
/// and no two successive ones may be equal.
fn find_weeks(headings: &[String], samples: &[Vec<String>]) -> Vec<(usize, &'static str)> {
    let week_word = |index: usize| {
        let heading = text::fold_words(&headings[index]).join(" ");
        let (_, word) = WEEK_HEADINGS.iter().find(|(known, _)| *known == heading)?;
        // Kilowatts.
        let is_power = headings[index].trim() == "kW";
        let is_repeated = samples.windows(2).any(|rows| rows[0].get(index) == rows[1].get(index));
        let are_weeks = are_all(samples, index, |cell| read_week(cell, "").is_some());
        (are_weeks && !is_power && !is_repeated).then_some((index, *word))
    };
    (0..headings.len()).filter_map(week_word).collect()
}

/// Returns whether a word of the heading names an amount of money, such as `Price` or
/// `Rechnungsbetrag`.
fn is_money_heading(heading: &str) -> bool {
    text::fold_words(heading).iter().any(|word| {
        MONEY_WORDS.contains(&word.as_str()) || MONEY_ENDINGS.iter().any(|end| word.ends_with(end))
    })
}

/// Returns whether a heading names numbers that need no currency from another column: numbers that are
/// no money, such as `Quantity`, or amounts with a currency in the heading, such as `Amount in EUR`.
fn is_other_number(heading: &str) -> bool {
    let mut codes = heading.split(|c: char| c.is_whitespace() || "()[]/-".contains(c));
    codes.any(|word| CURRENCIES.contains(&word))
        || text::fold_words(heading).iter().any(|word| OTHER_WORDS.contains(&word.as_str()))
}

/// Returns the known currency that is the whole trimmed text, as a sign or as a code in any case. None
/// for other texts, such as `5 EUR`.
fn find_code(text: &str) -> Option<&'static str> {
    let upper = text.trim().to_uppercase();
    CURRENCIES.iter().find(|known| **known == text.trim() || **known == upper).copied()
}

/// Returns the name of a week, `word` before its number and year. With `KW`, `14` becomes `KW 14`, and
/// both `14/2024` and `2024-14` become `KW 14 2024`. Otherwise, `10/2024` would be a month. `None` for
/// other texts and for numbers outside of 1 to 53.
fn read_week(text: &str, word: &str) -> Option<String> {
    let is_number = |part: &str, digits: usize| {
        (1..=digits).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (week, year) = match text.split_once(['/', '-', '.']) {
        None => (text, ""),
        Some((year, week)) if year.len() == 4 => (week, year),
        Some((week, year)) if year.len() == 4 => (week, year),
        Some(_) => return None,
    };
    let number: u32 = if is_number(week, 2) { week.parse().ok()? } else { return None };
    let is_valid = (1..=53).contains(&number) && (year.is_empty() || is_number(year, 4));
    is_valid.then(|| format!("{word} {number} {year}").trim_end().to_owned())
}

/// Returns whether a whole text is a number, with the point or the comma as decimal separator. It may
/// have a unit, currency or percent sign.
fn is_number(text: &str) -> bool {
    let separators = [DecimalSeparator::Point, DecimalSeparator::Comma];
    separators.into_iter().any(|separator| number_text::read(text, separator).is_some())
}

/// Returns whether a whole text is a number without a currency, percent sign or unit.
fn is_plain_number(text: &str) -> bool {
    is_number(text) && NumberUnit::find(text).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::table_reader::report::TableFormat;

    fn check(rows: &[&str]) -> bool {
        let mut groups = GroupCheck::default();
        rows.iter().for_each(|row| groups.add_row(row.split(',').map(Cell::from_text)));
        let (mut rules, mut report) = (RowRules::default(), TableReport::new(TableFormat::Csv));
        groups.finish(&mut rules, &mut report);
        rules.fills_groups
    }

    #[test]
    fn groups_have_a_name_in_their_first_row_and_members_in_all() {
        assert!(check(&["North,Kiel,1", ",Hamburg,2", "South,Munich,3", ",Augsburg,4"]));
        assert!(check(&["North,Kiel,1", ",Bremen,2", ",Hamburg,2", "South,Ulm,3", "Total,,6"]));
        for rows in [
            // A single missing name.
            &["North,Kiel,1", ",Ulm,2", "South,Ulm,3", "East,Jena,4", "West,Bonn,4"][..],
            // The rows have no other name.
            &["North,1,2", ",2,3", "South,3,4", ",1,2"],
            &[",Kiel,1", "South,Ulm,3", ",Augsburg,4"],
            &["North,Kiel,1", ",Ulm,2", "North,Bonn,3", ",Jena,4"],
            &["North,Kiel,1", ",Ulm,2"],
            &["2024-01-01,T1,3", "2024-01-05,T2,4", ",T3,5", ",T4,2"],
        ] {
            assert!(!check(rows), "{rows:?}");
        }
    }

    #[test]
    fn a_currency_belongs_to_the_amounts_of_its_table_or_beside_it() {
        let rules = |headings: &str, row: &str| {
            let split = |text: &str| text.split(';').map(str::to_owned).collect::<Vec<_>>();
            RowRules::new(&split(headings), &[split(row)]).currencies
        };
        assert_eq!(rules("Menge;Betrag;Währung", "3;1,50;EUR"), [(1, 2)]);
        assert_eq!(rules("Amount;Fee;Currency", "3;0.10;usd"), [(0, 2), (1, 2)]);
        assert_eq!(rules("Qty;X;Ccy", "3;5;CHF"), [(1, 2)]);
        assert_eq!(rules("A;Doc. currency;B;Local currency", "1;USD;2;EUR"), [(0, 1), (2, 3)]);
        assert_eq!(rules("Valuta;Betrag", "01.02.2024;5"), []);
        assert_eq!(rules("Betrag;Währung", "5 €;EUR"), []);
        assert_eq!(rules("Country;Currency;Population", "USA;USD;331"), []);
        assert_eq!(rules("Stadt;Internetanschlüsse;Währung", "A;100;EUR"), []);
        assert_eq!(rules("Item;Amount;Currency;Amount in EUR", "A;80;GBP;94"), [(1, 2)]);
        assert_eq!(rules("Rechnungsbetrag;Währung", "80;GBP"), [(0, 1)]);
        let rates = ["USD;331", "GBP;67", "JPY;125"];
        let rows = rates.map(|row| row.split(';').map(str::to_owned).collect::<Vec<_>>());
        let headings = ["Currency".to_owned(), "Price".to_owned()];
        assert_eq!(RowRules::new(&headings, &rows).currencies, []);
    }

    #[test]
    fn numbers_below_a_heading_of_weeks_are_weeks() {
        let week = |text: &str| read_week(text, "KW").unwrap_or_default();
        assert_eq!(["14", "10/2024", "2024-09"].map(week), ["KW 14", "KW 10 2024", "KW 9 2024"]);
        assert_eq!(["54", "1.5", "KW 14", "14/24", ""].map(week), [""; 5]);
        let rules = |heading: &str| RowRules::new(&[heading.to_owned()], &[vec!["14".to_owned()]]);
        assert_eq!((rules("KW").weeks, rules("Week").weeks), (vec![(0, "KW")], vec![]));
        assert_eq!(rules("kW").weeks, [], "kilowatts");
    }
}
