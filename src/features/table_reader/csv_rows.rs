//! Reader of CSV text (RFC 4180), row by row, with a limited number of cells.
//!
//! Uses `csv-core`, because the reader of the crate `csv` allocates memory for
//! all cells of a row before it returns the row.

use csv_core::ReadRecordResult;

/// Rows of a CSV text. One row at a time is in memory.
pub struct CsvRows<'a> {
    core: csv_core::Reader,
    /// Text that is not yet read.
    rest: &'a [u8],
    /// Last byte before `rest`, or 0 at the start.
    last_byte: u8,
    /// Unescaped text of all cells of the row, without separators.
    text: Vec<u8>,
    /// End of each cell in `text`. One longer than the largest number of cells.
    ends: Vec<usize>,
    /// Number of cells of the current row.
    count: usize,
}

/// A row of a CSV text.
pub struct CsvRow<'a> {
    text: &'a [u8],
    ends: &'a [usize],
}

/// Error of [`CsvRows::next_row`]: the row that starts in `line` has too many cells.
#[derive(Debug, PartialEq, Eq)]
pub struct TooManyCells {
    pub line: u64,
}

/// Returns the line, from 1, in which a quoted cell starts that does not end. None if all cells end.
///
/// A quotation mark starts a quoted cell only at the start of a cell, as in [`CsvRows`].
pub fn find_unclosed_quote(text: &str, delimiter: u8) -> Option<usize> {
    let (mut line, mut start_line) = (1, 1);
    let (mut is_quoted, mut is_cell_start) = (false, true);
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        line += usize::from(byte == b'\n');
        if !is_quoted {
            (is_quoted, start_line) = (is_cell_start && byte == b'"', line);
            is_cell_start = byte == delimiter || matches!(byte, b'\r' | b'\n');
        } else if byte == b'"' && bytes.next_if_eq(&b'"').is_none() {
            is_quoted = false;
        }
    }
    is_quoted.then_some(start_line)
}

impl<'a> CsvRows<'a> {
    /// Creates a reader of rows with at most `max_cells` cells.
    pub fn new(text: &'a str, delimiter: u8, max_cells: usize) -> Self {
        Self {
            core: csv_core::ReaderBuilder::new().delimiter(delimiter).build(),
            rest: text.as_bytes(),
            last_byte: 0,
            text: vec![0; 1024],
            ends: vec![0; max_cells + 1],
            count: 0,
        }
    }

    /// Returns the number of the line of the next row, from 1. Skips blank lines before it.
    pub fn line(&self) -> u64 {
        let blank = self.rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
        self.core.line() + blank.filter(|byte| **byte == b'\n').count() as u64
    }

    /// Returns the number of blank lines before the next row, which `next_row` skips.
    pub fn count_blank_lines(&self) -> usize {
        let mut before = self.last_byte;
        let mut count = 0;
        for byte in self.rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')) {
            // A line feed after a carriage return belongs to the same line break.
            count += usize::from(!(*byte == b'\n' && before == b'\r'));
            before = *byte;
        }
        count
    }

    /// Returns the number of bytes at the end of the text that are not yet read.
    pub fn unread_bytes(&self) -> usize {
        self.rest.len()
    }

    /// Returns whether only blank lines follow.
    pub fn is_at_end(&self) -> bool {
        self.rest.iter().all(|byte| matches!(byte, b'\r' | b'\n'))
    }

    /// Reads the next row. Skips empty lines. `None` at the end of the text.
    ///
    /// # Errors
    /// If the row has more cells than allowed. The rest of the row is not read.
    pub fn next_row(&mut self) -> Result<Option<CsvRow<'_>>, TooManyCells> {
        Ok(if self.advance()? { Some(self.current()) } else { None })
    }

    /// Returns the row that was read last. It has no cells before the first row.
    pub fn current(&self) -> CsvRow<'_> {
        let ends = &self.ends[..self.count];
        CsvRow { text: &self.text[..ends.last().copied().unwrap_or(0)], ends }
    }

    /// Reads the next row like [`Self::next_row`]. Returns false at the end of the text.
    ///
    /// # Errors
    /// Those of [`Self::next_row`].
    pub fn advance(&mut self) -> Result<bool, TooManyCells> {
        let line = self.line();
        let (mut text_end, mut count) = (0, 0);
        loop {
            let (text, ends) = (&mut self.text[text_end..], &mut self.ends[count..]);
            let (result, read, written, ended) = self.core.read_record(self.rest, text, ends);
            self.last_byte = self.rest[..read].last().copied().unwrap_or(self.last_byte);
            self.rest = &self.rest[read..];
            text_end += written;
            count += ended;
            match result {
                // The next call, with an empty rest, ends the last row.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.text.resize(self.text.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => return Err(TooManyCells { line }),
                ReadRecordResult::Record if count == self.ends.len() => {
                    return Err(TooManyCells { line });
                }
                ReadRecordResult::Record => break,
                ReadRecordResult::End => return Ok(false),
            }
        }
        self.count = count;
        Ok(true)
    }
}

impl<'a> CsvRow<'a> {
    /// Returns the number of cells, including empty ones.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the row without the cells from the index `count` on. A shorter row is unchanged.
    pub fn first_cells(self, count: usize) -> Self {
        Self { ends: &self.ends[..count.min(self.ends.len())], ..self }
    }

    /// Returns the number of line breaks within cells. Also counts those in cells that
    /// `first_cells` has removed.
    pub fn count_line_breaks(&self) -> usize {
        self.text.iter().filter(|byte| **byte == b'\n').count()
    }

    /// Iterates over the cells, without whitespace around them.
    pub fn cells(&self) -> impl Iterator<Item = &'a str> {
        (0..self.len()).map(|index| self.cell(index))
    }

    /// Returns a cell, without whitespace around it. It is empty if the row ends before it.
    pub fn cell(&self, index: usize) -> &'a str {
        let start = if index == 0 { Some(&0) } else { self.ends.get(index - 1) };
        let (Some(start), Some(end)) = (start, self.ends.get(index)) else { return "" };
        // Cannot fail: the text is valid UTF-8, and cells start and end at ASCII characters.
        std::str::from_utf8(&self.text[*start..*end]).unwrap_or_default().trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the cells of each row.
    fn read_all(text: &str, max_cells: usize) -> Result<Vec<Vec<String>>, TooManyCells> {
        let mut rows = CsvRows::new(text, b',', max_cells);
        let mut all = Vec::new();
        while let Some(row) = rows.next_row()? {
            assert_eq!(row.len(), row.cells().count());
            all.push(row.cells().map(str::to_owned).collect());
        }
        Ok(all)
    }

    #[test]
    fn rows_are_read_with_quotes_and_long_cells() {
        let long = "é".repeat(5000);
        let text = format!("a,\"b,\"\"c\n\" ,\r\n{long},x\n\n,");
        let found = read_all(&text, 3).unwrap();
        assert_eq!(found[0], ["a", "b,\"c", ""]);
        assert_eq!(found[1], [long.as_str(), "x"]);
        assert_eq!(found[2..], [["", ""]]);
        assert!(read_all("", 1).unwrap().is_empty());
    }

    #[test]
    fn an_unclosed_quote_is_found_in_the_line_where_its_cell_starts() {
        for (text, line) in [
            ("a,b\n1,2\n", None),
            ("a,\"b\"\n1,\"2\n3\"", None),
            ("a,\"say \"\"b\"\"\"\n", None),
            ("size,5\"\n6\",7", None),
            ("a,\"b\" c\n1,2", None),
            ("a,b\n1,\"2\n3,4\n", Some(2)),
            ("\"a\n\n\nb", Some(1)),
            ("a,b\n1,\"2\"\"\n", Some(2)),
            ("\"a\nb\",c\n\"", Some(3)),
        ] {
            assert_eq!(find_unclosed_quote(text, b','), line, "{text}");
        }
        assert_eq!(find_unclosed_quote("a;b\n1,\"2;3\n", b';'), None);
    }

    #[test]
    fn reading_stops_at_the_first_row_with_too_many_cells() {
        assert_eq!(read_all("a,b\n1,2\n", 2).unwrap().len(), 2);
        assert_eq!(read_all("a,b\n1,2", 2).unwrap().len(), 2);
        assert_eq!(read_all("a,b\n1,2,3", 2), Err(TooManyCells { line: 2 }));
        assert_eq!(read_all("a,b\n1,2,\n", 2), Err(TooManyCells { line: 2 }));
        let wide = ",".repeat(1 << 20);
        let mut rows = CsvRows::new(&wide, b',', 1000);
        assert_eq!(rows.next_row().err(), Some(TooManyCells { line: 1 }));
        assert!(rows.rest.len() > wide.len() - 2000);
    }
}
