//! Workbooks of Excel 2007 and newer: a ZIP file with parts in XML or in the binary format.

use super::limits::Limits;
use super::number_format::CellFormats;
use super::relations::Relations;
use super::report::TableFormat;
use super::shared_strings::SharedStrings;
use super::sheet_cells;
use super::sheet_cells::SheetCells;
use super::sheet_cells::SheetEntry;
use super::table::Table;
use super::zip_archive::ZipArchive;
use chartroom_platform::error::Result;

/// The worksheets of a workbook.
pub(super) struct SheetList {
    /// Worksheets with the paths of their parts.
    pub sheets: Vec<SheetEntry<String>>,
    /// Whether dates count from 1904.
    pub is_1904: bool,
}

/// Readers of the parts of a workbook. The parts are those of the paths that the functions get.
///
/// All of them return `InvalidFields` about `body` or `data` for damaged parts and beyond a limit.
pub(super) struct WorkbookParts {
    pub format: TableFormat,
    /// Reads the list of worksheets.
    pub read_workbook: fn(&ZipArchive<'_>, &str, &Relations) -> Result<SheetList>,
    /// Reads the texts that cells refer to.
    pub read_shared_strings: fn(&ZipArchive<'_>, &str) -> Result<SharedStrings>,
    /// Reads the formats of the cells.
    pub read_formats: fn(&ZipArchive<'_>, &str) -> Result<CellFormats>,
    /// Reads the cells of a worksheet.
    pub read_sheet:
        fn(&ZipArchive<'_>, &str, &SharedStrings, &CellFormats, &mut SheetCells) -> Result<()>,
}

impl WorkbookParts {
    /// Reads the worksheet with the name `sheet`, or the first visible one if
    /// None, of the workbook in the part `workbook_path`.
    ///
    /// # Errors
    /// `InvalidFields` about `body`, `data` or `sheet`.
    pub fn read<'a>(
        &self,
        archive: &ZipArchive<'_>,
        workbook_path: &str,
        sheet: Option<&str>,
        limits: Limits,
    ) -> Result<Table<'a>> {
        let relations = Relations::read(archive, workbook_path)?;
        let SheetList { sheets, is_1904 } =
            (self.read_workbook)(archive, workbook_path, &relations)?;
        let (sheet, others) = sheet_cells::choose_sheet(sheets, sheet)?;
        let strings = match relations.find_type("sharedStrings") {
            Some(path) => (self.read_shared_strings)(archive, path)?,
            None => SharedStrings::default(),
        };
        let formats = match relations.find_type("styles") {
            Some(path) => (self.read_formats)(archive, path)?,
            None => CellFormats::default(),
        };
        let format = match (self.format, relations.find_type("vbaProject")) {
            (TableFormat::Xlsx, Some(_)) => TableFormat::Xlsm,
            (format, _) => format,
        };
        let mut cells = SheetCells::new(format, limits, is_1904);
        cells.set_sheet(sheet.name, others);
        (self.read_sheet)(archive, &sheet.place, &strings, &formats, &mut cells)?;
        cells.finish()
    }
}
