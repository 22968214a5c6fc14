//! Formats of dates and times in OpenDocument spreadsheets, as format codes of Excel.
//!
//! OpenDocument describes a format with elements such as `<number:day>`. A cell refers to its style by
//! name, and the style or one of its parents to a format.

use std::collections::HashMap;

use super::limits::body_error;
use super::number_format::CellFormat;
use super::number_format::NumberFormat;
use super::xml_reader::XmlElement;
use super::xml_reader::XmlNode;
use chartroom_platform::error::Result;

/// Maximum number of styles of cells, and of formats, that of Excel.
const MAX_STYLES: usize = 65_490;
/// Maximum length of a code in bytes. The format of a longer one is unknown.
const MAX_CODE_BYTES: usize = 255;
/// Maximum number of styles from a style to its last parent.
const MAX_PARENTS: usize = 8;

/// The formats of dates and times, and the styles that refer to them.
#[derive(Default)]
pub(super) struct OdsFormats {
    /// Code of each format of dates and times by its name.
    codes: HashMap<String, String>,
    /// Styles of cells by name.
    styles: HashMap<String, CellStyle>,
    open: Option<OpenFormat>,
}

/// A style of cells.
struct CellStyle {
    /// Name of its format. Empty if the parent has the format.
    format: String,
    /// Name of the style that this one extends. Empty without one.
    parent: String,
}

/// A format while its elements are read.
struct OpenFormat {
    name: String,
    code: String,
    /// Whether the next hours, minutes or seconds may exceed a day.
    is_elapsed: bool,
    /// Whether the text of the open element is a part of the code.
    in_text: bool,
}

impl OdsFormats {
    /// Reads an event of a part with styles. Ignores elements other than styles and formats.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if there are too many styles or formats.
    pub fn read_node(&mut self, node: &XmlNode<'_>) -> Result<()> {
        match node {
            XmlNode::Start(element) => self.start_element(element),
            XmlNode::Text(text) => {
                if let Some(open) = self.open.as_mut().filter(|open| open.in_text) {
                    open.push_text(text);
                }
                Ok(())
            }
            XmlNode::End(element) => match element.name() {
                "date-style" | "time-style" => self.end_format(),
                "text" => {
                    if let Some(open) = &mut self.open {
                        open.in_text = false;
                    }
                    Ok(())
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Returns the format of the cells with a style. Without a code if the style is unknown or has no
    /// format of dates or times.
    pub fn get(&self, style: &str) -> CellFormat<'_> {
        let mut name = style;
        for _ in 0..MAX_PARENTS {
            let Some(style) = self.styles.get(name) else { break };
            if let Some(code) = self.codes.get(&style.format) {
                let meaning = NumberFormat::from_code(code);
                return CellFormat { meaning, has_plus_sign: false, code };
            }
            name = &style.parent;
        }
        CellFormat::default()
    }

    /// Handles the start of an element.
    fn start_element(&mut self, element: &XmlElement<'_>) -> Result<()> {
        let attribute = |name| element.attribute(name).unwrap_or_default().into_owned();
        match element.name() {
            "date-style" | "time-style" => {
                self.open = Some(OpenFormat {
                    name: attribute("style:name"),
                    code: String::new(),
                    is_elapsed: attribute("number:truncate-on-overflow") == "false",
                    in_text: false,
                });
            }
            "style" if attribute("style:family") == "table-cell" => {
                if self.styles.len() == MAX_STYLES {
                    return Err(body_error(format!("has more than {MAX_STYLES} cell styles")));
                }
                let style = CellStyle {
                    format: attribute("style:data-style-name"),
                    parent: attribute("style:parent-style-name"),
                };
                self.styles.insert(attribute("style:name"), style);
            }
            _ => {
                if let Some(open) = &mut self.open {
                    open.push_element(element);
                }
            }
        }
        Ok(())
    }

    /// Keeps the open format.
    fn end_format(&mut self) -> Result<()> {
        let Some(OpenFormat { name, code, .. }) = self.open.take() else { return Ok(()) };
        if self.codes.len() == MAX_STYLES {
            return Err(body_error(format!("has more than {MAX_STYLES} cell formats")));
        }
        if code.len() <= MAX_CODE_BYTES {
            self.codes.insert(name, code);
        }
        Ok(())
    }
}

impl OpenFormat {
    /// Appends the code of an element such as `<number:day number:style="long"/>`.
    fn push_element(&mut self, element: &XmlElement<'_>) {
        let is_long = element.attribute("number:style").is_some_and(|style| style == "long");
        let is_textual = element.attribute("number:textual").is_some_and(|value| value == "true");
        let code = match (element.name(), is_long) {
            ("day", true) => "dd",
            ("day", false) => "d",
            ("month", true) if is_textual => "mmmm",
            ("month", false) if is_textual => "mmm",
            ("month", true) => "mm",
            ("month", false) => "m",
            ("year", true) => "yyyy",
            ("year", false) => "yy",
            ("day-of-week", true) => "dddd",
            ("day-of-week", false) => "ddd",
            ("hours", true) => "hh",
            ("hours", false) => "h",
            ("minutes", true) => "mm",
            ("minutes", false) => "m",
            ("seconds", true) => "ss",
            ("seconds", false) => "s",
            ("am-pm", _) => "AM/PM",
            ("text", _) => {
                self.in_text = true;
                return;
            }
            _ => return,
        };
        if self.code.len() > MAX_CODE_BYTES {
            return;
        }
        let is_time = matches!(element.name(), "hours" | "minutes" | "seconds");
        if is_time && std::mem::take(&mut self.is_elapsed) {
            self.code.push_str(&format!("[{code}]"));
        } else {
            self.code.push_str(code);
        }
        let decimals = element.attribute("number:decimal-places");
        let decimals = decimals.and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
        if element.name() == "seconds" && decimals > 0 {
            self.code.push('.');
            self.code.push_str(&"0".repeat(decimals.min(3)));
        }
    }

    /// Appends a text, in quotes unless it has only characters that need none.
    fn push_text(&mut self, text: &str) {
        if self.code.len() + text.len() > MAX_CODE_BYTES {
            // Makes the code too long, so that it is not kept.
            self.code.push_str(&" ".repeat(MAX_CODE_BYTES + 1));
        } else if text.chars().all(|character| " /-:,.".contains(character)) {
            self.code.push_str(text);
        } else {
            self.code.push_str(&format!("\"{}\"", text.replace('"', "")));
        }
    }
}
