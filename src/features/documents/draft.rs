//! A document that is drawn without being stored.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;
use serde_json::Value;

use super::annotations;
use super::picture::Source;
use super::rules;
use super::store::Head;
use crate::features::portfolio;
use crate::features::portfolio::KindInfo;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// The parts of a document that its picture depends on, as GET of a document answers them; what else
/// an answer has is ignored.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Draft {
    /// UUID or slug of the chart kind. `widget`, as create-document calls it, is taken too.
    #[serde(alias = "widget")]
    plugin_id: String,
    #[serde(default)]
    title: String,
    /// The kind's own default settings when absent.
    #[serde(default)]
    settings: Option<Map<String, Value>>,
    /// Records.
    #[serde(default)]
    data: Vec<Map<String, Value>>,
    /// Name of a theme; empty for the default one.
    #[serde(default)]
    theme: String,
    #[serde(default)]
    custom_theme: Option<Map<String, Value>>,
    #[serde(default)]
    style: Option<Map<String, Value>>,
}

impl Draft {
    /// Reads one from a file.
    ///
    /// # Errors
    /// `Fields` with the path of what cannot be read.
    pub fn read(text: &[u8]) -> Result<Self> {
        let mut reader = serde_json::Deserializer::from_slice(text);
        serde_path_to_error::deserialize(&mut reader)
            .map_err(|error| Error::field(error.path().to_string(), error.inner().to_string()))
    }

    /// What is drawn. In a draft, unlike in a document that is stored already, a setting that the
    /// kind cannot follow is an error.
    ///
    /// # Errors
    /// `Fields` about `plugin_id`, `theme`, `style`, each bad setting and annotation; about `data` when there are
    /// more than `most` records.
    pub fn source(self, most: usize) -> Result<Source> {
        let kind = portfolio::find(&self.plugin_id)
            .ok_or_else(|| Error::field("plugin_id", "there is no such chart kind"))?;
        rules::check_theme("theme", &self.theme)?;
        if self.data.len() > most {
            return Err(Error::field("data", format!("holds more than {most} records")));
        }
        let settings = self.settings.map_or_else(|| kind.default_settings.clone(), Value::Object);
        let mut problems = portfolio::problems(kind, &settings);
        if let Some(style) = &self.style {
            problems.extend(annotations::problems(&Value::Object(style.clone())));
        }
        if !problems.is_empty() {
            return Err(Error::Fields(problems));
        }
        let style = match self.style {
            None => None,
            Some(style) => Some(rules::style(&serde_json::to_string(&style)?)?),
        };
        let custom_theme = self.custom_theme.map(|it| serde_json::to_string(&it)).transpose()?;
        Ok(Source {
            data: serde_json::to_vec(&self.data)?,
            head: Head {
                kind: kind.id.clone(),
                title: self.title,
                settings: settings.to_string(),
                theme: self.theme,
                custom_theme,
                style: Some(with_usual_sides(style, kind)?),
                record_count: i64::try_from(self.data.len()).unwrap_or(i64::MAX),
                ..Head::empty(Timestamp(0))
            },
        })
    }
}

/// A style with the kind's usual layout where it has none of its own.
fn with_usual_sides(style: Option<String>, kind: &KindInfo) -> Result<String> {
    let mut all = kind.default_layout.as_object().cloned().unwrap_or_default();
    if let Some(style) = style {
        // What is null is left out, as it is in a stored style.
        let own = serde_json::from_str::<Map<String, Value>>(&style)?;
        all.extend(own.into_iter().filter(|(_, value)| !value.is_null()));
    }
    Ok(serde_json::to_string(&all)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Vec<String> {
        let draft = Draft::read(text.as_bytes()).and_then(|it| it.source(2));
        match draft.err() {
            Some(Error::Fields(fields)) => fields.into_iter().map(|it| it.field).collect(),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_path() {
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
            assert_eq!(fields(text), [want], "{text}");
        }
        let both = r#"{"widget":"bar","settings":{"orientation":1,"showValues":1}}"#;
        assert_eq!(fields(both).len(), 2);
    }

    #[test]
    fn what_is_left_out_is_as_in_a_new_document() {
        let source = Draft::read(br#"{"widget":"bar","own":1,"settings":{"mine":[]}}"#).unwrap();
        let source = source.source(2).unwrap();
        assert!(source.head.style.unwrap().contains("\"width\":720"));
        let null = Draft::read(br#"{"widget":"bar","style":{"width":null,"height":300}}"#).unwrap();
        let style = null.source(2).unwrap().head.style.unwrap();
        assert!(style.contains("\"width\":720") && style.contains("\"height\":300"), "{style}");
        assert_eq!(source.head.settings, r#"{"mine":[]}"#);
        assert_eq!(source.data, b"[]");
    }
}
