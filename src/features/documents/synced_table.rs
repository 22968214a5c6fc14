//! The table of a source that keeps the data of a document up to date.

use super::actions;
use super::actions::DocumentTarget;
use super::actions::precompression;
use super::actions::precompression::SaveContext;
use super::actions::save;
use super::actions::save::DataReplacement;
use super::content_memory;
use super::document_locale;
use super::history::Channel;
use super::history::writer::Precompression;
use super::mapped_settings::MappedSettings;
use super::records::RecordLimits;
use super::store::Document;
use super::table_profiles;
use super::table_records;
use crate::app::App;
use crate::features::access::Caller;
use crate::features::portfolio;
use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType;
use crate::features::table_reader;
use crate::features::table_reader::BudgetedTable;
use crate::features::table_reader::Cell;
use crate::features::table_reader::CellKind;
use crate::features::table_reader::Limits;
use crate::features::table_reader::ReadDeadline;
use crate::features::table_reader::ReadOptions;
use crate::features::table_reader::Table;
use crate::features::tables;
use crate::features::tables::ColumnProfile;
use crate::features::tables::KeptColumn;
use crate::features::tables::TableColumnType;
use crate::features::tables::TableMapping;
use chartroom_charts::date_text::DateOrder;
use chartroom_charts::format::Locale;
use chartroom_charts::number_text;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::conditional::IfMatch;
use chartroom_platform::id::NodeId;
use chartroom_platform::memory_budget::Reservation;
use chartroom_platform::remote::Deadline;

/// A table that was mapped to the chart kind of a document, and not stored yet.
pub struct SyncedTable<'a> {
    /// Memory of the records.
    memory: Option<Reservation<'a>>,
    replacement: DataReplacement,
    /// Mapping of the columns, for the next table of the same source.
    pub kept: Vec<KeptColumn>,
    /// Whether the first row of the table has the headings.
    pub has_headings: bool,
    /// Decimal separator that the numbers need, if some need one.
    pub separator: Option<DecimalSeparator>,
    /// Order of day and month that the dates need, if some need one.
    pub date_order: Option<DateOrder>,
    /// Name of the worksheet. None if the file has none.
    pub sheet: Option<String>,
    /// Whether the file has no other visible worksheet.
    pub is_only_sheet: bool,
    /// Headings of the columns.
    pub columns: Vec<String>,
}

impl SyncedTable<'_> {
    /// Returns the records as a JSON array.
    pub fn records_json(&self) -> Vec<u8> {
        self.replacement.data.to_json()
    }
}

/// Returns a document that the caller may change and that is not in the trash.
///
/// # Errors
/// `NotFound` if it does not exist or the caller may not read it, `Forbidden` if the caller may only
/// read it, `PaymentRequired` while the owning organization is suspended, `Conflict` in the trash.
pub fn find_synced_document(tx: &Tx<'_>, caller: &Caller, id: &NodeId) -> Result<Document> {
    actions::find_writable(tx, caller, &target_of_owner(tx, id)?)
}

/// Returns a document that the caller may change. It may be in the trash.
///
/// # Errors
/// As [`find_synced_document`], except for the trash.
pub fn find_changeable_document(tx: &Tx<'_>, caller: &Caller, id: &NodeId) -> Result<Document> {
    actions::find_changeable(tx, caller, &target_of_owner(tx, id)?)
}

/// Returns the address of a document with its owner, so that guests with a share link find it, too.
fn target_of_owner(tx: &Tx<'_>, id: &NodeId) -> Result<DocumentTarget> {
    let owner = actions::find_owner(tx, id)?;
    // Without an owner the response is the same as for a hidden document.
    let user = owner.map(|owner| owner.to_string()).unwrap_or_default();
    Ok(DocumentTarget { user, ..synced_target(id) })
}

/// Returns the address of a document for the saves of a source.
fn synced_target(id: &NodeId) -> DocumentTarget {
    DocumentTarget {
        user: "me".to_owned(),
        id: id.clone(),
        if_match: IfMatch::default(),
        channel: Channel::Sync,
    }
}

/// Reads the table of a source for a document. Its language decides how numbers and dates are read if
/// no cell tells it. Ends at `deadline`.
///
/// # Errors
/// As [`table_reader::read_within_budget`].
pub fn read_synced_table<'a, 'b>(
    app: &'b App,
    document: &Document,
    bytes: &'a [u8],
    options: &ReadOptions<'_>,
    deadline: Deadline,
) -> Result<BudgetedTable<'a, 'b>> {
    let locale = document_locale::read_locale(&document.settings)?;
    let options = ReadOptions { locale: locale.as_deref().map(Locale::parse), ..*options };
    read_table(app, bytes, &options, deadline)
}

/// Reads the table of a source with the limits of documents. Ends at `deadline`.
fn read_table<'a, 'b>(
    app: &'b App,
    bytes: &'a [u8],
    options: &ReadOptions<'_>,
    deadline: Deadline,
) -> Result<BudgetedTable<'a, 'b>> {
    let limits = Limits {
        max_rows: app.config.max_records,
        max_text_bytes: app.config.max_document_bytes,
        deadline: Some(ReadDeadline::of_request(deadline)),
    };
    table_reader::read_within_budget(&app.work_memory, bytes, options, limits)
}

/// Checks that a source has a table with rows, for a chart of any kind.
///
/// # Errors
/// As [`read_synced_table`], and `InvalidFields` about `data` without rows.
pub fn check_synced_table(
    app: &App,
    bytes: &[u8],
    options: &ReadOptions<'_>,
    deadline: Deadline,
) -> Result<()> {
    let table = read_table(app, bytes, options, deadline)?;
    let has_rows = table.rows()?.next_row()?.is_some();
    if has_rows { Ok(()) } else { Err(no_rows()) }
}

/// Returns the error about a table without rows.
fn no_rows() -> Error {
    Error::invalid_field("data", "has no rows below the headings")
}

/// Maps a table to the chart kind of a document. Headings keep the columns of the kind that they have in
/// `kept`. `settings` is a JSON object of settings that the save sets. `bytes` is the size of the file.
///
/// # Errors
/// `InvalidFields` about `data` if a heading is missing that a required column had in `kept`, if the
/// table has no rows or no numbers for a required column (see `check_numbers` and
/// `check_readable_numbers`), and as the upload of a table. `NotFound` if the server does not have
/// the kind. `TooLarge` for too many bytes.
pub fn map_synced_table<'a>(
    app: &'a App,
    document: &Document,
    table: &Table<'_>,
    bytes: usize,
    (kept, settings): (&[KeptColumn], Option<String>),
) -> Result<SyncedTable<'a>> {
    let limits = RecordLimits {
        max_records: app.config.max_records,
        max_bytes: app.config.max_document_bytes,
    };
    let kind = portfolio::find_kind(&document.kind).or_not_found("chart kind")?;
    let profiles = table_profiles::profile_columns(table)?;
    let kept = &respell_headings(kept, &table.headings);
    let required =
        |key: &str| kind.columns.iter().any(|column| column.key == key && column.required);
    let lost =
        kept.iter().find(|kept| required(&kept.key) && !table.headings.contains(&kept.heading));
    if let Some(lost) = lost {
        let heading = &lost.heading;
        let message = format!("has no column {heading:?} any more");
        return Err(Error::invalid_field("data", message));
    }
    let memory = content_memory::reserve_records(app, table, bytes)?;
    let mapping = tables::map_table_again(&profiles, kind, kept);
    check_numbers(&mapping)?;
    let mapped = table_records::convert_table(table, &profiles, &mapping, limits)?;
    if mapped.records.count == 0 {
        // Programs write the headings first. The chart keeps its data.
        return Err(no_rows());
    }
    check_readable_numbers(table, &profiles, &mapping)?;
    mapped.records.check_size(limits.max_bytes)?;
    let mapped_settings = MappedSettings::from_mapping(kind, &mapping, &profiles, mapped.repeated);
    // Columns that are absent get their place back when they return. They are optional ones: an absent
    // required one is the error above (`lost`).
    let mut now_kept = mapping.kept_columns();
    let is_absent = |old: &&KeptColumn| {
        !table.headings.contains(&old.heading) && mapping.find(&old.key).is_none()
    };
    now_kept.extend(kept.iter().filter(is_absent).cloned());
    Ok(SyncedTable {
        memory,
        kept: now_kept,
        has_headings: table.report.header_row > 0,
        separator: table.certain_separator,
        date_order: table_profiles::find_agreed_date_order(&profiles),
        sheet: table.report.sheet.clone(),
        is_only_sheet: table.report.other_sheets.is_empty(),
        columns: table.headings.to_vec(),
        replacement: DataReplacement {
            mapped_settings: Some(mapped_settings),
            settings,
            ..DataReplacement::of_records(mapped.records)
        },
    })
}

/// Returns the columns with the headings of a table where only the case of their letters has changed. A heading
/// with several such columns stays.
fn respell_headings(kept: &[KeptColumn], headings: &[String]) -> Vec<KeptColumn> {
    let respell = |column: &KeptColumn| {
        let lower = column.heading.to_lowercase();
        let mut similar = headings.iter().filter(|heading| heading.to_lowercase() == lower);
        match (headings.contains(&column.heading), similar.next(), similar.next()) {
            (false, Some(heading), None) => {
                KeptColumn { heading: heading.clone(), ..column.clone() }
            }
            _ => column.clone(),
        }
    };
    kept.iter().map(respell).collect()
}

/// Checks that each required column of numbers has a match. Without one, the chart would be empty: the table may
/// be a message of the server, or that of another chart.
///
/// # Errors
/// `InvalidFields` about `data` with the first such column.
fn check_numbers(mapping: &TableMapping<'_>) -> Result<()> {
    let lacking = mapping.missing.iter().find(|column| column.column_type == ColumnType::Number);
    lacking.map_or(Ok(()), |column| {
        let title = &column.title;
        let message = format!("has no column with numbers for {title:?}, which the chart needs");
        Err(Error::invalid_field("data", message))
    })
}

/// Checks that the columns with the values of each required column of numbers have at least one number.
/// Otherwise the source is not ready, as with cells such as `Loading…` and `#REF!`, and the chart would
/// be empty.
///
/// # Errors
/// `InvalidFields` about `data` with the first column that has no number.
fn check_readable_numbers(
    table: &Table<'_>,
    profiles: &[ColumnProfile],
    mapping: &TableMapping<'_>,
) -> Result<()> {
    let is_required =
        |column: &&Column| column.required && column.column_type == ColumnType::Number;
    let columns = mapping.columns.iter().enumerate();
    // Columns without a number so far.
    let mut unread: Vec<(usize, &str)> = columns
        .filter_map(|(index, mapped)| {
            Some((index, mapped.column().filter(is_required)?.key.as_str()))
        })
        .collect();
    let type_of = |index: usize| profiles.get(index).map(|profile| profile.column_type);
    let has_type = |index: usize| {
        !matches!(type_of(index), Some(TableColumnType::Empty | TableColumnType::Text))
    };
    let typed: Vec<&str> =
        unread.iter().filter(|(index, _)| has_type(*index)).map(|(_, key)| *key).collect();
    unread.retain(|(_, key)| !typed.contains(key));
    let mut rows = table.rows()?;
    while !unread.is_empty()
        && let Some(row) = rows.next_row()?
    {
        let has_number = |index: usize| index < row.cell_count() && is_number(row.cell(index));
        let read = unread.iter().find(|(index, _)| has_number(*index)).map(|(_, key)| *key);
        unread.retain(|(_, key)| read != Some(*key));
    }
    let Some((index, _)) = unread.first() else { return Ok(()) };
    let heading = &mapping.columns[*index].heading;
    let message = format!("has no numbers in the column {heading:?}, which the chart needs");
    Err(Error::invalid_field("data", message))
}

/// Returns whether a cell in a column of texts is a number, with any decimal separator, or a clock time.
fn is_number(cell: Cell<'_>) -> bool {
    let reads = |separator| number_text::read(cell.text, separator).is_some();
    match cell.kind {
        CellKind::Number | CellKind::Percentage | CellKind::Currency(_) => true,
        CellKind::Text => {
            reads(DecimalSeparator::Point)
                || reads(DecimalSeparator::Comma)
                || chartroom_charts::clock_value(cell.text).is_some()
        }
        CellKind::Date | CellKind::Boolean => false,
    }
}

/// Stores a table in a document as a version with the channel `sync`, unless it changes nothing. Runs
/// `finish` with the saved document in the same transaction; an error of it undoes everything.
///
/// # Errors
/// Those of `finish` and of [`find_synced_document`]. `QuotaExceeded` if the owner may not store so much,
/// `Busy` if other requests do not release memory in time.
pub fn save_synced_table(
    app: &App,
    caller: &Caller,
    document: &NodeId,
    table: SyncedTable<'_>,
    finish: impl Fn(&WriteTx<'_>, &Document) -> Result<()> + Send + Sync + 'static,
) -> Result<()> {
    let SyncedTable { memory, replacement, .. } = table;
    let save = move |tx: &WriteTx<'_>, context: &SaveContext, precompression: &Precompression| {
        let SaveContext { caller, target, .. } = context;
        let saved = save::replace_data(tx, caller, target, &replacement, precompression)?;
        // Without a document, the transaction changes nothing and is repeated.
        saved.map(|saved| finish(tx, &saved)).transpose()
    };
    let context = SaveContext::new(caller, synced_target(document));
    precompression::write_with_precompression(app, memory.as_ref(), context, save)
}
