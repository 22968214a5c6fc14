//! Writer of ZIP files for tests. An entry may declare any size.

use std::io::Write;

use flate2::Compression;
use flate2::Crc;
use flate2::write::DeflateEncoder;

/// A ZIP file under construction.
#[derive(Default)]
pub struct ZipFile {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

impl ZipFile {
    /// Adds a part.
    pub fn add(self, path: &str, content: &[u8]) -> Self {
        let size = u32::try_from(content.len()).unwrap();
        self.add_with_size(path, content, size)
    }

    /// Adds a part that declares another size than it has.
    pub fn add_with_size(mut self, path: &str, content: &[u8], declared: u32) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(content).unwrap();
        let data = encoder.finish().unwrap();
        let mut crc = Crc::new();
        crc.update(content);
        let offset = u32::try_from(self.bytes.len()).unwrap();
        let mut fields = Vec::new();
        fields.extend([20, 0, 0, 0, 8, 0, 0, 0, 0, 0]);
        fields.extend(crc.sum().to_le_bytes());
        fields.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
        fields.extend(declared.to_le_bytes());
        fields.extend(u16::try_from(path.len()).unwrap().to_le_bytes());
        fields.extend([0, 0]);
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&fields);
        self.bytes.extend(path.as_bytes());
        self.bytes.extend(data);
        self.directory.extend(b"PK\x01\x02\x14\x00");
        self.directory.extend(&fields);
        self.directory.extend([0; 10]);
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(path.as_bytes());
        self.count += 1;
        self
    }

    /// Returns the file.
    pub fn finish(mut self) -> Vec<u8> {
        let offset = u32::try_from(self.bytes.len()).unwrap();
        let size = u32::try_from(self.directory.len()).unwrap();
        self.bytes.extend(&self.directory);
        self.bytes.extend(b"PK\x05\x06\x00\x00\x00\x00");
        self.bytes.extend(self.count.to_le_bytes());
        self.bytes.extend(self.count.to_le_bytes());
        self.bytes.extend(size.to_le_bytes());
        self.bytes.extend(offset.to_le_bytes());
        self.bytes.extend([0, 0]);
        self.bytes
    }
}

/// Returns a workbook with these parts: worksheet, shared texts, styles.
pub fn xlsx(sheet: &str, strings: &str, styles: &str) -> Vec<u8> {
    let sheets = r#"<sheets><sheet name="S" sheetId="7" r:id="r1"/></sheets>"#;
    xlsx_with_sheets(sheets, sheet, strings, styles)
}

/// Returns a workbook like [`xlsx`]. `sheets` is the content of the part with the list of worksheets, all
/// of which have the cells of `sheet`.
pub fn xlsx_with_sheets(sheets: &str, sheet: &str, strings: &str, styles: &str) -> Vec<u8> {
    let relation = |id: &str, kind: &str, target: &str| {
        format!(r#"<Relationship Id="{id}" Type="http://x/{kind}" Target="{target}"/>"#)
    };
    let relations = [
        relation("r1", "worksheet", "sheet1.xml"),
        relation("r2", "sharedStrings", "strings.xml"),
        relation("r3", "styles", "styles.xml"),
    ];
    ZipFile::default()
        .add("xl/workbook.xml", format!("<workbook>{sheets}</workbook>").as_bytes())
        .add(
            "xl/_rels/workbook.xml.rels",
            format!("<Relationships>{}</Relationships>", relations.concat()).as_bytes(),
        )
        .add("xl/sheet1.xml", sheet.as_bytes())
        .add("xl/strings.xml", strings.as_bytes())
        .add("xl/styles.xml", styles.as_bytes())
        .finish()
}

/// Returns an OpenDocument spreadsheet with the content of one worksheet.
pub fn ods(table: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:body><office:spreadsheet><table:table table:name=\"S\">\
         {table}</table:table></office:spreadsheet></office:body></office:document-content>"
    );
    ZipFile::default().add("content.xml", content.as_bytes()).finish()
}

/// Returns a workbook with worksheets of these ids and names. The name of each is in its first row.
pub fn workbook(sheets: &[(u32, &str)]) -> Vec<u8> {
    let list = sheets
        .iter()
        .map(|(id, name)| format!("<sheet name=\"{name}\" sheetId=\"{id}\" r:id=\"r{id}\"/>"));
    let list = format!("<workbook><sheets>{}</sheets></workbook>", list.collect::<String>());
    let relations = sheets.iter().map(|(id, _)| {
        let kind = "http://x/worksheet";
        format!("<Relationship Id=\"r{id}\" Type=\"{kind}\" Target=\"{id}.xml\"/>")
    });
    let relations = format!("<Relationships>{}</Relationships>", relations.collect::<String>());
    let file = ZipFile::default()
        .add("xl/workbook.xml", list.as_bytes())
        .add("xl/_rels/workbook.xml.rels", relations.as_bytes());
    let text = |text: &str| format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let add_sheet = |file: ZipFile, (id, name): &(u32, &str)| {
        let (titles, name) = (text("City") + &text("Sales"), text(name));
        let rows = format!("<row>{titles}</row><row>{name}<c><v>4</v></c></row>");
        let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
        file.add(&format!("xl/{id}.xml"), sheet.as_bytes())
    };
    sheets.iter().fold(file, add_sheet).finish()
}
