//! Documents in a request or a file that are rendered without being stored.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;

use super::annotations;
use super::image::RenderInput;
use super::records::Records;
use super::render_memory;
use super::rules;
use super::store::Document;
use crate::features::portfolio;
use crate::features::portfolio::KindInfo;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// Fields of a document that affect its rendering, with the names of the document resource. Other
/// fields are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Draft {
    /// UUID or slug of the chart kind. `widget`, the name in create-document, is an alias.
    #[serde(alias = "widget")]
    plugin_id: String,
    #[serde(default)]
    title: String,
    /// Default settings of the chart kind when absent.
    #[schemars(with = "Option<Map<String, Value>>")]
    settings: Option<Box<RawValue>>,
    /// Records.
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    data: Option<Box<RawValue>>,
    /// Theme: a built-in name, or `{org id}/{name}` for a theme of an organization of the caller;
    /// empty for the default one.
    #[serde(default)]
    theme: String,
    #[schemars(with = "Option<Map<String, Value>>")]
    custom_theme: Option<Box<RawValue>>,
    #[schemars(with = "Option<Map<String, Value>>")]
    style: Option<Box<RawValue>>,
}

impl Draft {
    /// Parses a draft from JSON. Ignores text after the JSON object.
    ///
    /// # Errors
    /// `InvalidFields` with the path of the first invalid field.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let mut reader = serde_json::Deserializer::from_slice(text);
        serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            Error::invalid_field(error.path().to_string(), error.inner().to_string())
        })
    }

    /// Returns the name of the theme that the draft is rendered in unless a custom theme replaces it.
    pub fn theme(&self) -> &str {
        &self.theme
    }

    /// Returns whether the draft has a custom theme.
    pub fn has_custom_theme(&self) -> bool {
        self.custom_theme.is_some()
    }

    /// Validates the draft and returns the input for rendering, with records as compact JSON.
    /// Absent settings are those of the chart kind, and absent records are empty. The input has no
    /// theme of an organization.
    ///
    /// Unlike in a stored document, an invalid setting is an error and not only a warning.
    ///
    /// # Errors
    /// `InvalidFields` about `plugin_id`, `theme` or `style`, about `data` if there are more than
    /// `max_records` records, or about invalid settings and annotations together.
    pub fn into_render_input(self, max_records: usize) -> Result<RenderInput> {
        let input = self.into_tolerant_input(&AccountId::from_text(""), max_records)?;
        let kind = portfolio::find_kind(&input.document.kind).or_not_found("chart kind")?;
        let settings = serde_json::from_str(&input.document.settings)?;
        let mut problems = portfolio::validate_settings(kind, &settings);
        if let Some(style) = &input.document.style {
            problems.extend(annotations::find_problems(&serde_json::from_str(style)?));
        }
        if !problems.is_empty() {
            return Err(Error::InvalidFields(problems));
        }
        Ok(input)
    }

    /// Returns the input for rendering as [`Draft::into_render_input`] does, for an account. Invalid settings
    /// and annotations are warnings, as in a stored document.
    ///
    /// # Errors
    /// Those of [`Draft::into_document`].
    pub fn into_tolerant_input(self, owner: &AccountId, max_records: usize) -> Result<RenderInput> {
        let (document, records) = self.into_document(owner, max_records)?;
        let kind = portfolio::find_kind(&document.kind).or_not_found("chart kind")?;
        let style = Some(add_default_layout(document.style, kind)?);
        Ok(RenderInput {
            data: records.to_json(),
            org_theme: None,
            document: Document { style, ..document },
        })
    }

    /// Returns the draft as an unsaved document of `owner`, and its records. Absent settings are those of the
    /// chart kind, and absent records are empty. Invalid settings and annotations stay, as in a stored
    /// document.
    ///
    /// # Errors
    /// `InvalidFields` about `plugin_id`, `theme`, `settings`, `custom_theme` or `style`, or about `data` if
    /// there are more than `max_records` records.
    pub fn into_document(
        self,
        owner: &AccountId,
        max_records: usize,
    ) -> Result<(Document, Records)> {
        let kind = portfolio::find_kind(&self.plugin_id)
            .ok_or_else(|| Error::invalid_field("plugin_id", "there is no such chart kind"))?;
        rules::check_theme("theme", &self.theme)?;
        let records = match &self.data {
            Some(data) => Records::parse(data.get(), max_records)?,
            None => Records::default(),
        };
        let settings = match &self.settings {
            Some(settings) => rules::compact_object("settings", settings.get())?,
            None => kind.default_settings.to_string(),
        };
        let compact_theme =
            |theme: Box<RawValue>| rules::compact_object("custom_theme", theme.get());
        let document = Document {
            kind: kind.id.clone(),
            owner: owner.clone(),
            title: self.title,
            settings,
            theme: self.theme,
            custom_theme: self.custom_theme.map(compact_theme).transpose()?,
            style: self.style.map(|style| rules::compact_style(style.get())).transpose()?,
            record_count: records.count,
            data_bytes: records.bytes,
            ..Document::empty(Timestamp(0))
        };
        Ok((document, records))
    }

    /// Returns an upper estimate of the memory in bytes of the JSON values that
    /// `Draft::into_render_input` parses: settings, style and custom theme, but not the records.
    pub fn estimate_memory(&self) -> u64 {
        let texts = [&self.settings, &self.custom_theme, &self.style].into_iter().flatten();
        texts.map(|text| render_memory::estimate_parsed_json(text.get().as_bytes())).sum()
    }
}

/// Returns a style, given as a JSON object, with the default layout of the chart kind for fields
/// that it lacks. Null fields count as absent. Without a style, returns the default layout.
fn add_default_layout(style: Option<String>, kind: &KindInfo) -> Result<String> {
    let mut all = kind.default_layout.as_object().cloned().unwrap_or_default();
    if let Some(style) = style {
        // A null field counts as absent.
        let fields = serde_json::from_str::<Map<String, Value>>(&style)?;
        all.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
    }
    Ok(serde_json::to_string(&all)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the paths of the invalid fields of a draft. At most two records are valid.
    fn invalid_fields(text: &str) -> Vec<String> {
        let draft = Draft::parse(text.as_bytes()).and_then(|draft| draft.into_render_input(2));
        match draft.err() {
            Some(Error::InvalidFields(fields)) => {
                fields.into_iter().map(|field| field.field).collect()
            }
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn errors_contain_the_path_of_the_field() {
        for (text, want) in [
            (r#"{"plugin_id":"spiral"}"#, "plugin_id"),
            (r#"{"plugin_id":"bar","theme":"neon"}"#, "theme"),
            (r#"{"plugin_id":"bar","data":[{},{},{}]}"#, "data"),
            (r#"{"plugin_id":"bar","data":[{},7]}"#, "data[1]"),
            (r#"{"plugin_id":"bar","style":{"width":1}}"#, "style.width"),
            (
                r#"{"plugin_id":"bar","style":{"annotations":[{"type":"text","anchor":{}}]}}"#,
                "style.annotations[0].anchor",
            ),
            (r#"{"plugin_id":"bar","settings":{"orientation":"up"}}"#, "settings.orientation"),
            (r#"{"plugin_id":"bar","settings":{"axis":{"min":"a"}}}"#, "settings.axis.min"),
        ] {
            assert_eq!(invalid_fields(text), [want], "{text}");
        }
        let both = r#"{"widget":"bar","settings":{"orientation":1,"showValues":1}}"#;
        assert_eq!(invalid_fields(both).len(), 2);
    }

    #[test]
    fn absent_fields_have_the_defaults_of_a_new_document() {
        let source = Draft::parse(br#"{"widget":"bar","own":1,"settings":{"mine":[]}}"#).unwrap();
        let source = source.into_render_input(2).unwrap();
        assert!(source.document.style.unwrap().contains("\"width\":720"));
        let null =
            Draft::parse(br#"{"widget":"bar","style":{"width":null,"height":300}}"#).unwrap();
        let style = null.into_render_input(2).unwrap().document.style.unwrap();
        assert!(style.contains("\"width\":720") && style.contains("\"height\":300"), "{style}");
        assert_eq!(source.document.settings, r#"{"mine":[]}"#);
        assert_eq!(source.data, b"[]");
    }
}
