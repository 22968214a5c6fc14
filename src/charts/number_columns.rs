//! Columns of numbers that are texts, as they come from spreadsheets and CSV files.
//!
//! The texts of a column are read together, because one of them can tell the decimal separator of
//! all. The kinds then see numbers.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use crate::data;
use crate::format::Locale;
use crate::number_text;
use crate::number_text::{ColumnReading, DecimalSeparator, SeparatorVotes};
use crate::text;

/// Columns that contain names, dates or other texts. They keep their texts even if all of them look
/// like numbers.
pub(crate) const TEXT_COLUMNS: [&str; 18] = [
    "label",
    "name",
    "category",
    "date",
    "start",
    "end",
    "id",
    "group",
    "source",
    "parent",
    "text",
    "title",
    "description",
    "color",
    "status",
    "owner",
    "next",
    "dependsOn",
];
/// Maximum number of columns with a warning.
const MAX_REPORTS: usize = 8;
/// Number of fields at the start of a record for which the search remembers the column.
const MAX_DECIDED_POSITIONS: usize = 32;
/// Maximum number of bytes of a text that a warning quotes.
const MAX_QUOTED_BYTES: usize = 40;

/// Columns that [`read_numbers`] leaves unchanged, besides those of [`TEXT_COLUMNS`].
#[derive(Clone, Copy, Default)]
pub(crate) struct ReadOptions<'a> {
    /// Keys of columns.
    pub kept: &'a [&'a str],
    /// Reading of columns with different currencies or percent signs.
    pub mixed_units: MixedUnits,
}

/// Reading of columns with different currencies or percent signs.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum MixedUnits {
    /// Numbers with another sign than most are missing, because all have one scale.
    #[default]
    LeaveOut,
    /// All cells keep their texts, also those of a column with a code such as `01067` or a unit of
    /// measure.
    KeepTexts,
    /// All cells are numbers, each with a scale of its own.
    ReadAll,
}

impl MixedUnits {
    /// Returns the reading for the kind with this slug: tables keep texts, scorecards and bullet charts
    /// read all numbers, and all other kinds leave out numbers with another sign than most.
    pub fn of_kind(slug: &str) -> Self {
        match slug {
            "table" => Self::KeepTexts,
            "scorecard" | "bullet" => Self::ReadAll,
            _ => Self::LeaveOut,
        }
    }
}

/// Returns the records with numbers instead of texts in columns of numbers. Borrows them if nothing
/// changes. Amounts with another currency or percent sign than most of their column may become null.
///
/// Calls `warn` for texts with two readings and for texts in a column of numbers that are none, at most
/// once per column and `MAX_REPORTS` times in all. Columns in `TEXT_COLUMNS` keep their texts.
///
/// A column is one of numbers if it has more numbers than other texts. Its decimal separator is
/// that of the texts with only one reading, and that of `locale` without such texts. The time is
/// linear in the number of fields.
pub(crate) fn read_numbers<'a>(
    records: &'a [Value],
    options: ReadOptions<'_>,
    locale: Locale,
    warn: impl FnMut(String),
) -> Cow<'a, [Value]> {
    let mut columns = find_columns_with_texts(records);
    columns.retain(|key, _| !options.kept.contains(key));
    if columns.is_empty() {
        return Cow::Borrowed(records);
    }
    for (_, key, value) in fields(records) {
        columns.entry(key).and_modify(|column| column.add(value));
    }
    let default = DecimalSeparator::of_locale(locale);
    let mut columns: HashMap<&str, NumberColumn> = columns
        .into_iter()
        .filter_map(|(key, column)| Some((key, column.decide(default, options.mixed_units)?)))
        .collect();
    report(records, &mut columns, warn);
    if columns.values().all(|column| column.reading.numbers == 0) {
        return Cow::Borrowed(records);
    }
    let mut replaced = records.to_vec();
    for (key, value) in replaced.iter_mut().filter_map(Value::as_object_mut).flatten() {
        if let Some(column) = columns.get(key.as_str())
            && let Some(number) = column.read(value)
        {
            *value = number;
        }
    }
    Cow::Owned(replaced)
}

/// Returns whether `values`, the cells of the column `key`, are mainly numbers: at least one, and
/// more than other texts. Empty cells and texts that stand for a missing value, such as `n/a`, do
/// not count. In a column of names or other texts, all of them must be numbers. False for amounts
/// in different currencies, and for a column with a code such as `01067`.
pub(crate) fn has_numbers(key: &str, values: &[&Value]) -> bool {
    let is_missing = |value: &Value| match value {
        Value::String(text) => number_text::is_missing(text.trim()),
        value => value.is_null(),
    };
    let (mut numbers, mut others, mut has_code) = (0, 0, false);
    let mut votes = SeparatorVotes::default();
    for value in values.iter().filter(|value| !is_missing(value)) {
        if let Value::String(text) = value {
            votes.add(text.trim());
            has_code |= is_code(text.trim());
        }
        match data::number(value) {
            Some(_) => numbers += 1,
            None => others += 1,
        }
    }
    let has_mixed_units = votes.decide(DecimalSeparator::Point).left_out > 0
        || votes.decide(DecimalSeparator::Comma).left_out > 0;
    let are_texts = has_mixed_units || has_code;
    !are_texts && numbers > others && (others == 0 || !TEXT_COLUMNS.contains(&key))
}

/// Returns whether a text consists of digits and begins with a zero, such as `01067`, so that it is a
/// code: programs write no number like that. False for `0`.
fn is_code(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Iterates over the fields of all records: index of the record, key and value. Skips records that are not
/// objects.
fn fields(records: &[Value]) -> impl Iterator<Item = (usize, &str, &Value)> {
    records.iter().enumerate().flat_map(|(row, record)| {
        let fields = record.as_object().into_iter().flatten();
        fields.map(move |(key, value)| (row, key.as_str(), value))
    })
}

/// Returns the columns by key that have a text for which `is_certain` is false, except those of
/// `TEXT_COLUMNS`. Their counts are still 0.
fn find_columns_with_texts(records: &[Value]) -> HashMap<&str, Column> {
    let mut columns = HashMap::new();
    // The decided column at each position of a record. Records mostly have the same field order, so
    // that one comparison tells that a text needs no look.
    let mut decided: [Option<&str>; MAX_DECIDED_POSITIONS] = [None; MAX_DECIDED_POSITIONS];
    for fields in records.iter().filter_map(Value::as_object) {
        for (position, (key, value)) in fields.iter().enumerate() {
            let Value::String(text) = value else { continue };
            if decided.get(position).is_some_and(|known| *known == Some(key)) {
                continue;
            }
            let is_text_column = TEXT_COLUMNS.contains(&key.as_str());
            if !is_text_column && is_certain(text) {
                continue;
            }
            if !is_text_column {
                columns.entry(key.as_str()).or_default();
            }
            if let Some(known) = decided.get_mut(position) {
                *known = Some(key);
            }
        }
    }
    columns
}

/// Returns whether kinds read a text as the right number without its column: it consists of characters of
/// a JSON number, and its point cannot be a separator of groups, as it could in `1.234`.
fn is_certain(text: &str) -> bool {
    number_text::is_plain(text)
        && !(text.contains('.') && number_text::read(text, DecimalSeparator::Comma).is_some())
}

/// Counts of the values of a column.
#[derive(Default)]
struct Column {
    /// Number of values that are JSON numbers.
    numbers: usize,
    /// Number of texts that do not stand for a missing value.
    texts: usize,
    /// Whether a text is a code.
    has_code: bool,
    votes: SeparatorVotes,
}

impl Column {
    /// Counts a value as a number or a text, and lets a text vote on the decimal separator. Ignores texts
    /// that stand for a missing value, null, Booleans, arrays and objects.
    fn add(&mut self, value: &Value) {
        match value {
            Value::Number(_) => self.numbers += 1,
            Value::String(text) if !number_text::is_missing(text.trim()) => {
                self.texts += 1;
                self.has_code |= is_code(text.trim());
                self.votes.add(text.trim());
            }
            _ => {}
        }
    }

    /// Returns how to read the column. `default` is the separator for a column in which all texts have two
    /// readings. `None` if the column has no more numbers than other texts, or if its amounts have
    /// different signs, a number has a unit of measure or a text is a code, and `mixed_units` keeps their
    /// texts.
    fn decide(&self, default: DecimalSeparator, mixed_units: MixedUnits) -> Option<NumberColumn> {
        let mut reading = self.votes.decide(default);
        match mixed_units {
            MixedUnits::LeaveOut => {}
            MixedUnits::KeepTexts
                if reading.left_out > 0 || self.has_code || self.votes.has_units() =>
            {
                return None;
            }
            MixedUnits::KeepTexts => {}
            MixedUnits::ReadAll => reading.include_all_signs(),
        }
        let unreadable = self.texts - reading.numbers;
        // Amounts in many currencies are no texts, but only those in one of them can be compared.
        let numbers = self.numbers + reading.numbers + reading.left_out;
        (numbers > unreadable - reading.left_out).then_some(NumberColumn {
            reading,
            unreadable,
            is_reported: false,
        })
    }
}

/// A column of numbers.
struct NumberColumn {
    reading: ColumnReading,
    /// Number of texts that are neither numbers nor missing.
    unreadable: usize,
    is_reported: bool,
}

impl NumberColumn {
    /// Returns whether a text has two readings, and the column has no better reason for the chosen one
    /// than its other numbers.
    fn has_doubt(&self, text: &str) -> bool {
        [&self.reading.ambiguous, &self.reading.millions]
            .iter()
            .any(|doubtful| doubtful.as_deref() == Some(text))
    }

    /// Returns the value to store in place of a text: its number, or null for an amount with another
    /// currency or percent sign, which kinds would read as a number of the column. `None` for values
    /// that stay as they are: other texts, and values that are no texts.
    fn read(&self, value: &Value) -> Option<Value> {
        let text = value.as_str()?.trim();
        let notation = self.reading.notation;
        match notation.read_as_json(text) {
            Some(number) => serde_json::from_str(&number).ok(),
            None => notation.has_other_sign(text).then_some(Value::Null),
        }
    }
}

/// Calls `warn` with a message about the first text of each column that is not a number of the column, or,
/// in a column without such texts, about one that could be read differently.
///
/// Sends at most `MAX_REPORTS` messages. Records are numbered from 1.
fn report(
    records: &[Value],
    columns: &mut HashMap<&str, NumberColumn>,
    mut warn: impl FnMut(String),
) {
    let mut reports = 0;
    for (row, key, value) in fields(records) {
        let Some(column) = columns.get_mut(key).filter(|column| !column.is_reported) else {
            continue;
        };
        let Some(text) =
            value.as_str().map(str::trim).filter(|text| !number_text::is_missing(text))
        else {
            continue;
        };
        let number = column.reading.notation.read_as_json(text);
        let (name, quoted) = (quote(key), quote(text));
        let message = match number {
            None => {
                let others = count_others(column.unreadable - 1);
                let record = row + 1;
                // The kinds read a text with the other separator by itself.
                let fault = match data::parse_number(text) {
                    _ if column.reading.notation.has_other_unit(text) => {
                        "has another unit".to_owned()
                    }
                    Some(number) => {
                        format!("uses another decimal separator and is read as {number}")
                    }
                    None => "is not a number".to_owned(),
                };
                format!("{quoted} in column {name}, record {record}, {fault}.{others}")
            }
            // Without unreadable texts, which are more important.
            Some(number) if column.unreadable == 0 && column.has_doubt(text) => {
                format!("{quoted} in column {name} is read as {number}.")
            }
            Some(_) => continue,
        };
        column.is_reported = true;
        warn(message);
        reports += 1;
        if reports == MAX_REPORTS {
            return;
        }
    }
}

/// Returns a sentence about `count` further unreadable texts of a column, with a space before it. Empty if
/// `count` is 0.
pub(crate) fn count_others(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => " The column has another such text.".to_owned(),
        count => format!(" The column has {count} more such texts."),
    }
}

/// Returns the sanitized text in curly quotation marks. A longer text is cut at a character
/// boundary to at most `MAX_QUOTED_BYTES` bytes and gets an ellipsis. The limit does not include
/// the quotation marks and the ellipsis.
pub(crate) fn quote(text: &str) -> String {
    let text = text::sanitize(text);
    let short = &text[..text.floor_char_boundary(MAX_QUOTED_BYTES)];
    let dots = if short.len() < text.len() { "…" } else { "" };
    format!("“{short}{dots}”")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the values of the column `value` after reading, and the warnings.
    fn read(texts: &[Value], tag: &str) -> (Vec<Value>, Vec<String>) {
        let records: Vec<Value> =
            texts.iter().map(|text| json!({ "label": "1,5", "value": text })).collect();
        let mut warnings = Vec::new();
        let read = read_numbers(&records, ReadOptions::default(), Locale::parse(tag), |warning| {
            warnings.push(warning)
        });
        assert!(read.iter().all(|record| record["label"] == "1,5"));
        (read.iter().map(|record| record["value"].clone()).collect(), warnings)
    }

    #[test]
    fn a_column_has_one_decimal_separator() {
        let (values, warnings) = read(&[json!("1.234"), json!("95,5"), json!(7)], "en");
        assert_eq!(values, [json!(1234), json!(95.5), json!(7)]);
        assert_eq!(warnings, [""; 0]);
    }

    #[test]
    fn the_locale_decides_if_no_text_does_and_the_reading_is_reported() {
        let (values, warnings) = read(&[json!("1,234"), json!("5")], "en");
        assert_eq!(values, [json!(1234), json!(5)]);
        assert_eq!(warnings, ["“1,234” in column “value” is read as 1234."]);
        let (values, _) = read(&[json!("1,234"), json!("5")], "de");
        assert_eq!(values, [json!(1.234), json!(5)]);
        let (values, _) = read(&[json!("1.284"), json!("952")], "de");
        assert_eq!(values, [json!(1284), json!(952)]);
    }

    #[test]
    fn unreadable_texts_stay_and_are_reported_but_placeholders_are_not() {
        let texts = [json!("1,5"), json!("n/a"), json!("#DIV/0!"), json!(2)];
        let (values, warnings) = read(&texts, "de");
        assert_eq!(values, [json!(1.5), json!("n/a"), json!("#DIV/0!"), json!(2)]);
        assert_eq!(warnings, ["“#DIV/0!” in column “value”, record 3, is not a number."]);
    }

    #[test]
    fn amounts_in_another_currency_are_left_out_and_reported() {
        let (values, warnings) = read(&[json!("12 €"), json!("8 €"), json!("$ 9"), json!(7)], "de");
        assert_eq!(values, [json!(12), json!(8), json!(null), json!(7)]);
        assert_eq!(warnings, ["“$ 9” in column “value”, record 3, has another unit."]);
        let (values, warnings) = read(&[json!("12 €"), json!("8 zł"), json!("9 £")], "de");
        assert_eq!(values, [json!(12), json!(null), json!(null)]);
        assert!(warnings[0].ends_with("has another unit. The column has another such text."));
        let records = [json!({ "value": "12 €" }), json!({ "value": "8 $" })];
        let read_as = |mixed_units| {
            let options = ReadOptions { mixed_units, ..ReadOptions::default() };
            let warn = |text| panic!("{text}");
            read_numbers(&records, options, Locale::parse("en"), warn).into_owned()
        };
        assert_eq!(read_as(MixedUnits::KeepTexts), records);
        let weights = [json!({ "value": "5 kg" }), json!({ "value": "12" })];
        let options = ReadOptions { mixed_units: MixedUnits::KeepTexts, ..ReadOptions::default() };
        assert_eq!(*read_numbers(&weights, options, Locale::parse("en"), |_| ()), weights);
        let numbers = [json!({ "value": 12 }), json!({ "value": 8 })];
        assert_eq!(read_as(MixedUnits::ReadAll), numbers);
        assert!(!has_numbers("value", &[&json!("12 €"), &json!("8 $")]));
    }

    #[test]
    fn a_text_with_another_separator_than_the_rest_is_reported() {
        let (values, warnings) = read(&[json!("1,5"), json!("2,25"), json!("1,234.5")], "de");
        assert_eq!(values, [json!(1.5), json!(2.25), json!("1,234.5")]);
        assert_eq!(
            warnings,
            [
                "“1,234.5” in column “value”, record 3, uses another decimal separator and is read as 1234.5."
            ]
        );
    }

    #[test]
    fn cells_are_numbers_if_most_of_them_are() {
        let check =
            |key: &str, cells: &[Value]| has_numbers(key, &cells.iter().collect::<Vec<&Value>>());
        assert!(check("value", &[json!(1), json!("n/a"), json!("–"), json!("k. A."), json!(null)]));
        assert!(check("value", &[json!(1.5), json!("ca. 3"), json!(""), json!(2)]));
        assert!(!check("value", &[json!(1), json!("see below")]));
        assert!(!check("value", &[json!("n/a"), json!(null)]));
        assert!(!check("value", &[json!("01067"), json!("10178")]));
        assert!(check("value", &[json!("0"), json!("0.5")]));
        assert!(!check("label", &[json!(1), json!(2), json!("Total")]));
    }

    #[test]
    fn the_time_is_linear_in_the_number_of_fields() {
        // One column for each record. A pass for each column would take minutes.
        let records: Vec<Value> =
            (0..100_000).map(|row| json!({ format!("key{row}"): "1,5 €" })).collect();
        let mut warnings = 0;
        let read =
            read_numbers(&records, ReadOptions::default(), Locale::parse("en"), |_| warnings += 1);
        assert_eq!(read[99_999], json!({ "key99999": 1.5 }));
        assert_eq!(warnings, 0);
        let records: Vec<Value> =
            (0..1000).map(|row| json!({ format!("key{row}"): "1,234" })).collect();
        read_numbers(&records, ReadOptions::default(), Locale::parse("en"), |_| warnings += 1);
        assert_eq!(warnings, MAX_REPORTS);
    }

    #[test]
    fn m_beside_other_magnitudes_is_read_as_millions_with_a_warning() {
        let (values, warnings) = read(&[json!("1.2bn"), json!("79.4m"), json!("540k")], "en");
        assert_eq!(values, [json!(1_200_000_000), json!(79_400_000), json!(540_000)]);
        assert_eq!(warnings, ["“79.4m” in column “value” is read as 79400000."]);
    }

    #[test]
    fn a_column_of_texts_stays_as_it_is() {
        let texts = [json!("5 rooms"), json!("1,5"), json!("see below")];
        let (values, warnings) = read(&texts, "de");
        assert_eq!((values.as_slice(), warnings.len()), (&texts[..], 0));
    }
}
