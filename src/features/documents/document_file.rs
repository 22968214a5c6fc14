//! Documents as files: the format of documents that are kept at a provider of cloud storage.
//!
//! A file is one JSON object in UTF-8 with `format`, `format_version` and the writable fields of a document.
//! Other members of a file stay when it is saved again.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;

use super::actions::create;
use super::actions::create::InitialContent;
use super::draft::Draft;
use super::json::RawObject;
use super::records::Records;
use super::rules;
use crate::features::accounts::User;
use crate::features::portfolio;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Value of `format`.
const FORMAT: &str = "chartroom";
/// Value of `format_version` that this server writes, and the newest one that it reads.
const FORMAT_VERSION: u64 = 1;
/// Members of a file that a representation of the document contains, besides `plugin_id`.
const CONTENT_FIELDS: [&str; 9] =
    ["title", "settings", "data", "theme", "custom_theme", "style", "svg", "isPublic", "version"];

/// Key in a file for the mark of the request that has created it.
const CREATION_MARK: &str = "created_by_request";

/// A document as a file.
#[derive(Debug, Default)]
pub struct DocumentFile(RawObject);

/// The fields of a file that the server reads.
#[derive(Deserialize)]
struct FileHead {
    format: String,
    format_version: u64,
    plugin_id: String,
}

/// Changes of a document that is a file.
///
/// An omitted field is reset to its zero value, except `plugin_id`, `custom_theme` and `style`, which stay.
/// Other keys are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FileChanges {
    /// Id or slug of the new chart kind.
    plugin_id: Option<String>,
    /// At most 500 characters.
    title: Option<String>,
    #[schemars(with = "Option<Map<String, Value>>")]
    settings: Option<Box<RawValue>>,
    /// Records.
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    data: Option<Box<RawValue>>,
    /// Theme: a built-in name, or `{org id}/{name}` for a theme of an organization of the caller.
    theme: Option<String>,
    /// Overrides `theme`.
    #[schemars(with = "Option<Map<String, Value>>")]
    custom_theme: Option<Box<RawValue>>,
    /// Style and layout.
    #[schemars(with = "Option<Map<String, Value>>")]
    style: Option<Box<RawValue>>,
    /// SVG image to store with the document.
    svg: Option<String>,
    /// Kept for programs that read the file; the server shares no files of providers.
    #[serde(rename = "isPublic")]
    is_public: Option<bool>,
    /// Schema version, assigned by clients.
    version: Option<u64>,
    /// Revision that the changes are based on. The document is not saved if it has another one.
    pub revision: Option<String>,
}

impl DocumentFile {
    /// Parses a file.
    ///
    /// # Errors
    /// `Invalid` if it is no document, or a newer program has written it. The message is complete.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let invalid = || Error::Invalid("the file is no chart document".to_owned());
        let text = str::from_utf8(bytes).map_err(|_| invalid())?;
        let text = text.trim_start_matches('\u{feff}');
        let head: FileHead = serde_json::from_str(text).map_err(|_| invalid())?;
        if head.format != FORMAT || portfolio::find_kind(&head.plugin_id).is_none() {
            return Err(invalid());
        }
        if head.format_version > FORMAT_VERSION {
            let message = "a newer version of this program has written the file";
            return Err(Error::Invalid(message.to_owned()));
        }
        Ok(Self(RawObject::parse(text).map_err(|_| invalid())?))
    }

    /// Creates the file of a new document with the sample of a chart kind or the content of another
    /// document.
    ///
    /// # Errors
    /// `InvalidFields` about `template`.
    pub fn create(
        tx: &Tx<'_>,
        caller: &User,
        content: &InitialContent,
        layout: Option<&str>,
    ) -> Result<Self> {
        let (document, records) = create::build_content(tx, caller, content, layout)?;
        let records = String::from_utf8(records)
            .map_err(|_| Error::internal("stored records are not UTF-8"))?;
        let mut file = Self::default();
        file.set("format", &Value::from(FORMAT))?;
        file.set("format_version", &Value::from(FORMAT_VERSION))?;
        file.set("plugin_id", &Value::from(document.kind))?;
        file.set("title", &Value::from(document.title))?;
        file.0.set("settings", RawValue::from_string(document.settings)?);
        file.0.set("data", RawValue::from_string(records)?);
        file.set("theme", &Value::from(document.theme))?;
        for (name, text) in [("custom_theme", document.custom_theme), ("style", document.style)] {
            if let Some(text) = text {
                file.0.set(name, RawValue::from_string(text)?);
            }
        }
        Ok(file)
    }

    /// Replaces the fields of a document, which may have at most `max_records` records.
    ///
    /// # Errors
    /// `InvalidFields` about the first invalid field.
    pub fn apply(&mut self, changes: &FileChanges, max_records: usize) -> Result<()> {
        let title = changes.title.as_deref().map(tree::parse_title).transpose();
        let title = title.map_err(|message| Error::invalid_field("title", message))?;
        let theme = changes.theme.as_deref().unwrap_or_default();
        rules::check_theme("theme", theme)?;
        if let Some(id) = &changes.plugin_id {
            let kind = portfolio::find_kind(id)
                .ok_or_else(|| Error::invalid_field("plugin_id", "there is no such chart kind"))?;
            self.set("plugin_id", &Value::from(kind.id.as_str()))?;
        }
        let settings = match &changes.settings {
            Some(settings) => rules::compact_object("settings", settings.get())?,
            None => "{}".to_owned(),
        };
        let records = match &changes.data {
            Some(data) => Records::parse(data.get(), max_records)?,
            None => Records::default(),
        };
        let records = String::from_utf8(records.to_json())
            .map_err(|_| Error::internal("records are not UTF-8"))?;
        if let Some(theme) = &changes.custom_theme {
            let text = rules::compact_object("custom_theme", theme.get())?;
            self.0.set("custom_theme", RawValue::from_string(text)?);
        }
        if let Some(style) = &changes.style {
            self.0.set("style", RawValue::from_string(rules::compact_style(style.get())?)?);
        }
        self.set("format", &Value::from(FORMAT))?;
        self.set("format_version", &Value::from(FORMAT_VERSION))?;
        self.set("title", &Value::from(title.unwrap_or_default()))?;
        self.0.set("settings", RawValue::from_string(settings)?);
        self.0.set("data", RawValue::from_string(records)?);
        self.set("theme", &Value::from(theme))?;
        self.set_or_remove("svg", changes.svg.as_deref().map(Value::from))?;
        self.set_or_remove("isPublic", changes.is_public.map(Value::from))?;
        self.set_or_remove("version", changes.version.map(Value::from))
    }

    /// Returns the title. Empty if the file has none.
    pub fn title(&self) -> String {
        self.text("title")
    }

    /// Returns the id or the slug of the chart kind.
    pub fn kind(&self) -> String {
        self.text("plugin_id")
    }

    /// Returns the text of a member. Empty if it is absent or no text.
    fn text(&self, member: &str) -> String {
        let found = self.0.0.iter().find(|(name, _)| name == member);
        found.and_then(|(_, value)| serde_json::from_str(value.get()).ok()).unwrap_or_default()
    }

    /// Sets the title, which must be one of [`tree::parse_title`].
    pub fn set_title(&mut self, title: &str) -> Result<()> {
        self.set("title", &Value::from(title))
    }

    /// Sets the mark of the request that creates the file.
    pub fn set_creation_mark(&mut self, mark: &str) -> Result<()> {
        self.set(CREATION_MARK, &Value::from(mark))
    }

    /// Returns the mark of the request that has created the file. None without one.
    pub fn creation_mark(&self) -> Option<String> {
        Some(self.text(CREATION_MARK)).filter(|mark| !mark.is_empty())
    }

    /// Returns the document for rendering.
    ///
    /// # Errors
    /// `InvalidFields` about an invalid field.
    pub fn to_draft(&self) -> Result<Draft> {
        Draft::parse(self.to_bytes()?.as_slice())
    }

    /// Returns the file as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        Ok(self.0.to_json()?.into_bytes())
    }

    /// Returns the representation of the document: `head`, followed by the fields of the file.
    pub fn to_representation(&self, head: &Map<String, Value>) -> Result<Vec<u8>> {
        let mut object = RawObject::default();
        for (name, value) in head {
            object.set(name, serde_json::value::to_raw_value(value)?);
        }
        let own = self
            .0
            .0
            .iter()
            .filter(|(name, _)| name == "plugin_id" || CONTENT_FIELDS.contains(&name.as_str()));
        for (name, value) in own {
            object.set(name, value.clone());
        }
        let absent = [("settings", "{}"), ("data", "[]"), ("theme", "\"\""), ("isPublic", "false")];
        for (name, text) in absent {
            if !object.0.iter().any(|(known, _)| known == name) {
                object.set(name, RawValue::from_string(text.to_owned())?);
            }
        }
        Ok(object.to_json()?.into_bytes())
    }

    /// Sets a member.
    fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        self.0.set(name, serde_json::value::to_raw_value(value)?);
        Ok(())
    }

    /// Sets a member, or removes it without a value.
    fn set_or_remove(&mut self, name: &str, value: Option<Value>) -> Result<()> {
        match value {
            Some(value) => self.set(name, &value),
            None => {
                self.0.remove(name);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with a member that this program does not know.
    const FILE: &str = r#"{"format":"chartroom","format_version":1,"x":[1, 2],"plugin_id":"bar",
        "title":"Sales","data":[{"label":"a","value":1}],"style":{"width":300}}"#;

    #[test]
    fn unknown_members_and_omitted_style_stay() {
        let mut file = DocumentFile::parse(FILE.as_bytes()).unwrap();
        let changes =
            serde_json::from_str(r#"{"title":"New","data":[{"label":"b","value":2}]}"#).unwrap();
        file.apply(&changes, 10).unwrap();
        let saved: Value = serde_json::from_slice(&file.to_bytes().unwrap()).unwrap();
        assert_eq!(saved["x"], serde_json::json!([1, 2]));
        assert_eq!(saved["style"]["width"], 300);
        assert_eq!(saved["title"], "New");
        assert_eq!(saved["data"][0]["label"], "b");
        assert_eq!(file.title(), "New");
    }

    #[test]
    fn only_documents_of_known_versions_are_read() {
        let newer = FILE.replace("\"format_version\":1", "\"format_version\":2");
        let other_kind = FILE.replace("\"bar\"", "\"no-such-kind\"");
        for text in ["", "[]", "{}", "\u{ff}", r#"{"format":"other","format_version":1}"#] {
            assert!(DocumentFile::parse(text.as_bytes()).is_err(), "{text}");
        }
        for text in [newer, other_kind] {
            assert!(DocumentFile::parse(text.as_bytes()).is_err(), "{text}");
        }
        let marked = format!("\u{feff}{FILE}");
        assert_eq!(DocumentFile::parse(marked.as_bytes()).unwrap().title(), "Sales");
    }

    #[test]
    fn invalid_fields_are_named() {
        let check = |text: &str, max_records: usize| {
            let draft = DocumentFile::parse(text.as_bytes())?.to_draft()?;
            draft.into_render_input(max_records)
        };
        let wrong = FILE.replace("\"width\":300", "\"width\":\"wide\"");
        let error = check(&wrong, 10).err().unwrap();
        assert!(
            matches!(&error, Error::InvalidFields(fields) if fields[0].field == "style.width"),
            "{error}"
        );
        let error = check(FILE, 0).err().unwrap();
        assert!(
            matches!(&error, Error::InvalidFields(fields) if fields[0].field == "data"),
            "{error}"
        );
    }
}
