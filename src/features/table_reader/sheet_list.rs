//! The worksheets in the directory of a file, and the choice of one of them.

use super::limits::body_error;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Maximum number of worksheets of a file.
const MAX_SHEETS: usize = 200;
/// Maximum length of the name of a worksheet. Excel allows 31 characters, other programs more.
const MAX_SHEET_NAME_CHARACTERS: usize = 255;
/// Maximum length of the id of a worksheet. Excel writes numbers, and other files have their names.
const MAX_SHEET_ID_CHARACTERS: usize = MAX_SHEET_NAME_CHARACTERS;

/// Id of the worksheet of a text file.
pub(super) const TEXT_SHEET_ID: &str = "0";
/// Name of the worksheet of a text file, as spreadsheet programs call their first one.
pub(super) const TEXT_SHEET_NAME: &str = "Sheet1";

/// A worksheet in the directory of a file.
#[derive(Debug)]
pub(super) struct SheetEntry {
    /// Id that the file gives to the worksheet, or its name.
    pub id: String,
    pub name: String,
    pub is_hidden: bool,
    /// Position among all sheets of the file, from 1. Sheets that are left out count too. 0 if the id is the
    /// name.
    pub number: usize,
    /// Place of the worksheet in the file, which the reader of the format defines.
    pub place: usize,
}

/// A worksheet that was read from an earlier file of the same source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownSheet<'a> {
    pub name: &'a str,
    /// Id that was chosen. None if the choice was by name.
    pub id: Option<&'a str>,
    /// Whether the only visible worksheet is the same under any name, because the earlier file had no
    /// other one.
    pub was_only: bool,
}

/// Choice of a worksheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SheetChoice<'a> {
    Id(&'a str),
    Name(&'a str),
    /// The worksheet with this name, or else the one with this id. Excel keeps the id of a worksheet, so that
    /// it finds a renamed one. Other programs number the worksheets again at each save, so that the name
    /// counts first. If the ids are the positions of the worksheets, an id tells nothing about a worksheet
    /// that was renamed, moved or deleted, so that only the name counts.
    NameOrId {
        name: &'a str,
        id: &'a str,
    },
    /// The worksheet of an earlier file, as [`SheetChoice::NameOrId`].
    Again(KnownSheet<'a>),
    /// The first visible worksheet.
    First,
}

/// Appends a worksheet to the list of worksheets of a file.
///
/// # Errors
/// `InvalidFields` about `body` if there are too many worksheets, or the name or the id is too long.
pub(super) fn add_sheet(sheets: &mut Vec<SheetEntry>, sheet: SheetEntry) -> Result<()> {
    if sheets.len() == MAX_SHEETS {
        return Err(body_error(format!("has more than {MAX_SHEETS} worksheets")));
    }
    if sheet.name.chars().count() > MAX_SHEET_NAME_CHARACTERS {
        let message =
            format!("has a worksheet name of more than {MAX_SHEET_NAME_CHARACTERS} characters");
        return Err(body_error(message));
    }
    if sheet.id.chars().count() > MAX_SHEET_ID_CHARACTERS {
        let message =
            format!("has a worksheet id of more than {MAX_SHEET_ID_CHARACTERS} characters");
        return Err(body_error(message));
    }
    sheets.push(sheet);
    Ok(())
}

/// Returns the visible worksheets in order. If all are hidden, all count as visible.
///
/// # Errors
/// `InvalidFields` about `body` if there are no worksheets.
pub(super) fn keep_visible(mut sheets: Vec<SheetEntry>) -> Result<Vec<SheetEntry>> {
    if sheets.iter().any(|sheet| !sheet.is_hidden) {
        sheets.retain(|sheet| !sheet.is_hidden);
    }
    if sheets.is_empty() {
        return Err(body_error("has no worksheets"));
    }
    Ok(sheets)
}

/// Returns the position of the chosen one of the visible worksheets. Ids and names must be equal, also
/// in their case. The first of several equal ones counts.
///
/// # Errors
/// `InvalidFields` about `sheet` or `sheet_id` if there is no such worksheet.
pub(super) fn find_sheet(sheets: &[SheetEntry], choice: SheetChoice<'_>) -> Result<usize> {
    let with_id = |id: &str| sheets.iter().position(|sheet| sheet.id == id);
    let with_name = |name: &str| sheets.iter().position(|sheet| sheet.name == name);
    let with_kept_id = |id: &str| with_id(id).filter(|_| !are_ids_positions(sheets));
    let only = |known: KnownSheet<'_>| (known.was_only && sheets.len() == 1).then_some(0);
    let found = match choice {
        SheetChoice::Id(id) => with_id(id),
        SheetChoice::Name(name) => with_name(name),
        SheetChoice::NameOrId { name, id } => with_name(name).or_else(|| with_kept_id(id)),
        SheetChoice::Again(known) => with_name(known.name)
            .or_else(|| known.id.and_then(with_kept_id))
            .or_else(|| only(known)),
        SheetChoice::First => Some(0).filter(|_| !sheets.is_empty()),
    };
    found.ok_or_else(|| absent_sheet(sheets, choice))
}

/// Returns whether the ids are the positions of the worksheets, as of programs that number them again at
/// each save. A program that keeps ids writes such ones too, until a worksheet is deleted or moved.
fn are_ids_positions(sheets: &[SheetEntry]) -> bool {
    sheets.iter().all(|sheet| sheet.id == sheet.number.to_string())
}

/// Creates the error about a worksheet that the file lacks. The message lists the visible ones.
fn absent_sheet(sheets: &[SheetEntry], choice: SheetChoice<'_>) -> Error {
    let names: Vec<String> = sheets.iter().map(|sheet| format!("{:?}", sheet.name)).collect();
    let names = names.join(", ");
    match choice {
        SheetChoice::Id(id) => {
            let message =
                format!("there is no visible worksheet with the id {id:?}; there are {names}");
            Error::invalid_field("sheet_id", message)
        }
        SheetChoice::Name(name) | SheetChoice::NameOrId { name, .. } => {
            let message = format!("there is no visible worksheet {name:?}; there are {names}");
            Error::invalid_field("sheet", message)
        }
        SheetChoice::Again(KnownSheet { name, .. }) => {
            let message =
                format!("the worksheet {name:?} is not there any more; there are {names}");
            Error::invalid_field("sheet", message)
        }
        SheetChoice::First => body_error("has no worksheets"),
    }
}

/// Checks that the only worksheet of a text file is chosen.
///
/// # Errors
/// `InvalidFields` about `sheet` or `sheet_id` if another one is chosen.
pub(super) fn check_text_sheet(choice: SheetChoice<'_>) -> Result<()> {
    let (field, wanted, known) = match choice {
        SheetChoice::First => return Ok(()),
        SheetChoice::Id(id) | SheetChoice::NameOrId { id, .. } => ("sheet_id", id, TEXT_SHEET_ID),
        SheetChoice::Name(name) => ("sheet", name, TEXT_SHEET_NAME),
        SheetChoice::Again(KnownSheet { name, .. }) => {
            let message = format!(
                "the worksheet {name:?} is not there any more, because the file has no worksheets"
            );
            return Err(Error::invalid_field("sheet", message));
        }
    };
    if wanted == known {
        return Ok(());
    }
    let message = format!("must be {known:?} or absent, because the file has no worksheets");
    Err(Error::invalid_field(field, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns worksheets with these ids and names.
    fn sheets(list: &[(&str, &str)]) -> Vec<SheetEntry> {
        let entry = |(number, (id, name)): (usize, &(&str, &str))| SheetEntry {
            id: (*id).to_owned(),
            name: (*name).to_owned(),
            is_hidden: false,
            number,
            place: 0,
        };
        (1..).zip(list).map(entry).collect()
    }

    #[test]
    fn a_name_counts_before_an_id() {
        let choice = SheetChoice::NameOrId { name: "Sales", id: "2" };
        let find = |list: &[(&str, &str)]| find_sheet(&sheets(list), choice).ok();
        assert_eq!(find(&[("1", "Costs"), ("2", "Sales")]), Some(1));
        // Another program has numbered the worksheets again.
        assert_eq!(find(&[("1", "Sales"), ("2", "Costs")]), Some(0));
        // Excel has renamed the worksheet.
        assert_eq!(find(&[("1", "Costs"), ("5", "Plan"), ("2", "Sales 2026")]), Some(2));
        // It was renamed, or deleted by a program that numbers worksheets again.
        assert_eq!(find(&[("1", "Costs"), ("2", "Sales 2026")]), None);
        assert_eq!(find(&[("1", "Costs"), ("3", "Plan")]), None);
    }
}
