//! Files around the bytes of a worksheet: ZIP and compound files. Random changes would only destroy their
//! checksums and chains.

/// Returns an xlsx file. The same bytes are its worksheet, shared texts and styles.
pub fn xlsx(sheet: &[u8]) -> Vec<u8> {
    zip(&[
        ("xl/workbook.xml", b"<a><sheet name=\"S\" r:id=\"r1\"/></a>"),
        ("xl/_rels/workbook.xml.rels", relations("xml").as_bytes()),
        ("xl/s.xml", sheet),
    ])
}

/// Returns an ods file with the content.
pub fn ods(content: &[u8]) -> Vec<u8> {
    zip(&[("content.xml", content)])
}

/// Returns an xlsb file. The same bytes are its worksheet, shared texts and styles.
pub fn xlsb(sheet: &[u8]) -> Vec<u8> {
    let wide = |text: &str| {
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        [u32::try_from(units.len() / 2).unwrap_or(0).to_le_bytes().to_vec(), units].concat()
    };
    let entry = [vec![0; 8], wide("r1"), wide("S")].concat();
    let length = u8::try_from(entry.len()).unwrap_or(0);
    let workbook = [vec![0x9c, 0x01, length], entry].concat();
    let root =
        "<a><Relationship Id=\"r\" Type=\"x/officeDocument\" Target=\"xl/workbook.bin\"/></a>";
    zip(&[
        ("_rels/.rels", root.as_bytes()),
        ("xl/workbook.bin", &workbook),
        ("xl/_rels/workbook.bin.rels", relations("bin").as_bytes()),
        ("xl/s.bin", sheet),
    ])
}

/// Returns the relations of a workbook to its parts, which are one file.
fn relations(extension: &str) -> String {
    format!(
        "<a><Relationship Id=\"r1\" Type=\"x/worksheet\" Target=\"s.{extension}\"/>\
         <Relationship Id=\"r2\" Type=\"x/sharedStrings\" Target=\"s.{extension}\"/>\
         <Relationship Id=\"r3\" Type=\"x/styles\" Target=\"s.{extension}\"/></a>"
    )
}

/// Returns a compound file (MS-CFB) with the records as the stream `Workbook`. At most 65,000 sectors
/// of 512 bytes.
pub fn xls(records: &[u8]) -> Vec<u8> {
    const SECTOR: usize = 512;
    // Smaller streams would be in the sectors of the small stream.
    let stream_bytes = records.len().max(4096);
    let sectors = stream_bytes.div_ceil(SECTOR);
    // One number of the allocation table per sector of the stream, and one for the directory.
    let table_sectors = (sectors + 1).div_ceil(SECTOR / 4);
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes();
    let end_of_chain = 0xffff_fffe_u32.to_le_bytes();

    let mut header = vec![0; SECTOR];
    header[..8].copy_from_slice(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1");
    header[26..34].copy_from_slice(&[3, 0, 0xfe, 0xff, 9, 0, 6, 0]);
    header[44..48].copy_from_slice(&number(table_sectors));
    header[48..52].copy_from_slice(&number(0));
    header[56..60].copy_from_slice(&number(4096));
    header[60..64].copy_from_slice(&end_of_chain);
    header[68..72].copy_from_slice(&end_of_chain);
    for index in 0..109 {
        let sector = if index < table_sectors { 1 + sectors + index } else { usize::MAX };
        header[76 + 4 * index..80 + 4 * index].copy_from_slice(&number(sector));
    }

    let mut directory = vec![0; SECTOR];
    for (entry, name, kind) in [(0, "Root Entry", 5), (128, "Workbook", 2)] {
        let units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        directory[entry..entry + units.len()].copy_from_slice(&units);
        directory[entry + 64] = u8::try_from(units.len() + 2).unwrap_or(0);
        directory[entry + 66] = kind;
        directory[entry + 68..entry + 80].fill(0xff);
    }
    directory[76..80].copy_from_slice(&number(1));
    directory[116..120].copy_from_slice(&end_of_chain);
    directory[128 + 116..128 + 120].copy_from_slice(&number(1));
    directory[128 + 120..128 + 124].copy_from_slice(&number(stream_bytes));

    let mut stream = records.to_vec();
    stream.resize(sectors * SECTOR, 0);
    let mut table = end_of_chain.to_vec();
    for sector in 1..sectors {
        table.extend(number(sector + 1));
    }
    table.extend(end_of_chain);
    table.resize(table_sectors * SECTOR, 0xff);
    [header, directory, stream, table].concat()
}

/// Returns a ZIP file with stored parts and their checksums.
fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    let number = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
    for (path, content) in parts {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let path_bytes = u16::try_from(path.len()).unwrap_or(0).to_le_bytes();
        let fields = [
            &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
            &crc.sum().to_le_bytes(),
            &number(content.len()),
            &number(content.len()),
            &path_bytes,
            &[0, 0],
        ]
        .concat();
        let offset = number(bytes.len());
        let local = [b"PK\x03\x04", &fields[..], path.as_bytes(), content].concat();
        bytes.extend(local);
        directory.extend(
            [b"PK\x01\x02\x14\x00", &fields[..], &[0; 10], &offset, path.as_bytes()].concat(),
        );
    }
    let count = u16::try_from(parts.len()).unwrap_or(0).to_le_bytes();
    let end = [
        b"PK\x05\x06\x00\x00\x00\x00",
        &count[..],
        &count,
        &number(directory.len()),
        &number(bytes.len()),
        &[0, 0],
    ]
    .concat();
    [bytes, directory, end].concat()
}
