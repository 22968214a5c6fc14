//! Workbooks of Excel 2007 and newer: a ZIP file with parts in XML or in the binary format.

use super::cell_sink::CellSink;
use super::number_format::CellFormats;
use super::relations::Relations;
use super::report::TableFormat;
use super::shared_strings::SharedStrings;
use super::sheet_list::SheetEntry;
use super::zip_archive::ZipArchive;
use chartroom_platform::error::Result;

/// The worksheets of a workbook.
#[derive(Default)]
pub(super) struct SheetList {
    /// Worksheets. `place` is the index in `paths`.
    pub sheets: Vec<SheetEntry>,
    /// Paths of the parts of the worksheets.
    pub paths: Vec<String>,
    /// Whether dates count from 1904.
    pub is_1904: bool,
}

/// The content of a workbook that all worksheets share.
#[derive(Default)]
pub(super) struct SharedContent {
    pub strings: SharedStrings,
    pub formats: CellFormats,
}

/// Readers of the parts of a workbook. The parts are those of the paths that the functions get.
///
/// All of them return `InvalidFields` about `body` for damaged parts and beyond a limit.
pub(super) struct WorkbookParts {
    pub format: TableFormat,
    /// Reads the list of worksheets.
    pub read_workbook: fn(&ZipArchive<'_>, &str, &Relations) -> Result<SheetList>,
    /// Reads the texts that cells refer to.
    pub read_shared_strings: fn(&ZipArchive<'_>, &str) -> Result<SharedStrings>,
    /// Reads the formats of the cells.
    pub read_formats: fn(&ZipArchive<'_>, &str) -> Result<CellFormats>,
    /// Reads the cells of a worksheet.
    pub read_sheet: fn(&ZipArchive<'_>, &str, &SharedContent, &mut dyn CellSink) -> Result<()>,
}

/// A workbook with its list of worksheets. The other parts are read when they are needed.
pub(super) struct PartsWorkbook<'a> {
    parts: &'static WorkbookParts,
    archive: ZipArchive<'a>,
    relations: Relations,
    list: SheetList,
}

impl<'a> PartsWorkbook<'a> {
    /// Reads the list of worksheets in the part `path`.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the part is damaged or exceeds a limit.
    pub fn open(
        parts: &'static WorkbookParts,
        archive: ZipArchive<'a>,
        path: &str,
    ) -> Result<Self> {
        let relations = Relations::read(&archive, path)?;
        let list = (parts.read_workbook)(&archive, path, &relations)?;
        Ok(Self { parts, archive, relations, list })
    }

    /// Moves the list of worksheets out of the workbook.
    pub fn take_sheets(&mut self) -> Vec<SheetEntry> {
        std::mem::take(&mut self.list.sheets)
    }

    /// Returns the format of the file, which depends on whether it has macros.
    pub fn format(&self) -> TableFormat {
        match (self.parts.format, self.relations.find_type("vbaProject")) {
            (TableFormat::Xlsx, Some(_)) => TableFormat::Xlsm,
            (format, _) => format,
        }
    }

    /// Returns whether dates count from 1904.
    pub fn is_1904(&self) -> bool {
        self.list.is_1904
    }

    /// Reads some worksheets in order. Reads the shared texts and the formats once for all of them.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if a part is damaged, and the errors of `sink`.
    pub fn read_sheets(&self, sheets: &[SheetEntry], sink: &mut dyn CellSink) -> Result<()> {
        let mut shared = SharedContent::default();
        if let Some(path) = self.relations.find_type("sharedStrings") {
            shared.strings = (self.parts.read_shared_strings)(&self.archive, path)?;
        }
        if let Some(path) = self.relations.find_type("styles") {
            shared.formats = (self.parts.read_formats)(&self.archive, path)?;
        }
        for sheet in sheets {
            sink.start_sheet(sheet)?;
            if let Some(path) = self.list.paths.get(sheet.place) {
                (self.parts.read_sheet)(&self.archive, path, &shared, sink)?;
            }
        }
        Ok(())
    }
}
