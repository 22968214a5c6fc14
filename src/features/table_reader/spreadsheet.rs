//! The files of spreadsheet programs behind one interface. The content tells the format.

use super::cell_sink::CellSink;
use super::compound_file::OLE_MARK;
use super::limits::Limits;
use super::limits::body_error;
use super::ods;
use super::ods::OdsWorkbook;
use super::relations::Relations;
use super::report::TableFormat;
use super::sheet_list;
use super::sheet_list::SheetEntry;
use super::workbook::PartsWorkbook;
use super::xls::XlsWorkbook;
use super::xlsb;
use super::xlsx;
use super::zip_archive::ZIP_MARK;
use super::zip_archive::ZipArchive;
use chartroom_platform::error::Result;

/// An open file of a spreadsheet program.
pub(super) struct Spreadsheet<'a> {
    reader: Reader<'a>,
    /// Visible worksheets in order, or all if all are hidden. At least one.
    pub sheets: Vec<SheetEntry>,
}

/// Reader of a format.
enum Reader<'a> {
    Parts(PartsWorkbook<'a>),
    Xls(XlsWorkbook),
    Ods(OdsWorkbook<'a>),
}

impl<'a> Spreadsheet<'a> {
    /// Opens a ZIP or OLE file and reads the list of worksheets. The other content of xlsx, xlsb and
    /// ods files is read later. None for other files. Names replace the ids of
    /// worksheets if `ids_are_names`.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the file is no spreadsheet, is damaged, has no worksheets or
    /// exceeds a limit.
    pub fn open(bytes: &'a [u8], ids_are_names: bool, limits: Limits) -> Result<Option<Self>> {
        let mut reader = match bytes {
            _ if bytes.starts_with(ZIP_MARK) => open_zip(ZipArchive::open(bytes, limits)?)?,
            _ if bytes.starts_with(OLE_MARK) => Reader::Xls(XlsWorkbook::open(bytes)?),
            _ => return Ok(None),
        };
        let mut sheets = match &mut reader {
            Reader::Parts(workbook) => workbook.take_sheets(),
            Reader::Xls(workbook) => workbook.take_sheets(),
            Reader::Ods(workbook) => workbook.list_sheets()?,
        };
        for sheet in sheets.iter_mut().filter(|_| ids_are_names) {
            sheet.id.clone_from(&sheet.name);
        }
        Ok(Some(Self { reader, sheets: sheet_list::keep_visible(sheets)? }))
    }

    /// Returns the format of the file.
    pub fn format(&self) -> TableFormat {
        match &self.reader {
            Reader::Parts(workbook) => workbook.format(),
            Reader::Xls(_) => TableFormat::Xls,
            Reader::Ods(_) => TableFormat::Ods,
        }
    }

    /// Returns whether dates count from 1904.
    pub fn is_1904(&self) -> bool {
        match &self.reader {
            Reader::Parts(workbook) => workbook.is_1904(),
            Reader::Xls(workbook) => workbook.is_1904(),
            Reader::Ods(_) => false,
        }
    }

    /// Reads some of the worksheets in order, and the content that they share once.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the file is damaged, and the errors of `sink`.
    pub fn read_sheets(&self, sheets: &[SheetEntry], sink: &mut dyn CellSink) -> Result<()> {
        match &self.reader {
            Reader::Parts(workbook) => workbook.read_sheets(sheets, sink),
            Reader::Xls(workbook) => workbook.read_sheets(sheets, sink),
            Reader::Ods(workbook) => workbook.read_sheets(sheets, sink),
        }
    }
}

/// Opens an xlsx, xlsm, xlsb or ods file. The paths of the parts in the ZIP file decide the format.
///
/// # Errors
/// `InvalidFields` about `body` if there is no spreadsheet, or its list of worksheets is damaged.
fn open_zip(archive: ZipArchive<'_>) -> Result<Reader<'_>> {
    let relations = Relations::read(&archive, "")?;
    let workbook = relations.find_type("officeDocument").unwrap_or("xl/workbook.xml");
    if archive.has_part(workbook) {
        let parts = match workbook.rsplit('/').next().unwrap_or_default() {
            "document.xml" => return Err(body_error("is a text document, not a spreadsheet")),
            "presentation.xml" => return Err(body_error("is a presentation, not a spreadsheet")),
            name if name.ends_with(".bin") => &xlsb::PARTS,
            _ => &xlsx::PARTS,
        };
        return Ok(Reader::Parts(PartsWorkbook::open(parts, archive, workbook)?));
    }
    if archive.has_part(ods::CONTENT_PATH) {
        return Ok(Reader::Ods(OdsWorkbook::new(archive)));
    }
    Err(body_error("is a ZIP file without a spreadsheet"))
}
