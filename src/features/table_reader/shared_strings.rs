//! The texts of a workbook that its cells refer to, in little memory.

use super::limits::MAX_CELLS;
use super::limits::body_error;
use super::limits::damaged;
use chartroom_platform::error::Result;

/// Maximum size of all shared texts in bytes.
const MAX_BYTES: usize = 64 << 20;

/// Texts with consecutive numbers.
#[derive(Default)]
pub(super) struct SharedStrings {
    text: String,
    /// End of each text.
    ends: Vec<u32>,
}

impl SharedStrings {
    /// Appends to the current text, which `end_text` ends.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the texts are too large.
    pub fn append(&mut self, text: &str) -> Result<()> {
        if self.text.len() + text.len() > MAX_BYTES {
            return Err(body_error(format!("has more than {MAX_BYTES} bytes of text")));
        }
        self.text.push_str(text);
        Ok(())
    }

    /// Ends the current text, which gets the next number from 0. It is empty if nothing was appended.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the texts are too many.
    pub fn end_text(&mut self) -> Result<()> {
        if self.ends.len() == MAX_CELLS {
            return Err(body_error(format!("has more than {MAX_CELLS} texts")));
        }
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        Ok(())
    }

    /// Returns a text by its number, from 0.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if there is no such text.
    pub fn get(&self, index: usize) -> Result<&str> {
        let start = match index {
            0 => Some(0),
            _ => self.ends.get(index - 1).map(|end| *end as usize),
        };
        let end = self.ends.get(index).map(|end| *end as usize);
        match (start, end) {
            (Some(start), Some(end)) => Ok(&self.text[start..end]),
            _ => Err(damaged(format_args!("there is no shared text {index}"))),
        }
    }
}
