//! The texts of chart kinds in German.
//!
//! The English texts are those of `kind.json` and `setting_ui.json`. The files in
//! `assets/web/i18n/de/kinds` are objects from an English text to the German one: `common.json` for
//! all kinds, and a file per kind, which wins. `aliases.json` has a list of German names for each kind.
//! Texts without a letter are the same in all languages.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::setting_ui::SettingHints;
use super::setting_ui::SettingUi;
use chartroom_platform::assets;

/// Translations by the English text.
type Texts = HashMap<String, String>;

/// The texts that all kinds share.
static COMMON: LazyLock<Texts> = LazyLock::new(|| read_file("common"));

/// German names of kinds by the slug of the kind.
static ALIASES: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| read_file("aliases"));

/// Reads a file. It counts as empty if it is missing or invalid; a test checks the files.
fn read_file<T: DeserializeOwned + Default>(name: &str) -> T {
    let file = assets::embedded_file(&format!("web/i18n/de/kinds/{name}.json"));
    file.and_then(|content| serde_json::from_slice(content).ok()).unwrap_or_default()
}

/// The German texts of a kind.
pub struct GermanTexts {
    own: Texts,
    /// Names of the kind apart from its title.
    pub aliases: &'static [String],
}

impl GermanTexts {
    /// Reads the texts of the kind with this slug.
    pub fn read(slug: &str) -> Self {
        Self { own: read_file(slug), aliases: ALIASES.get(slug).map_or(&[][..], Vec::as_slice) }
    }

    /// Returns the German text for an English one, or the English one if there is none.
    pub fn translate(&self, english: &str) -> String {
        let german = self.own.get(english).or_else(|| COMMON.get(english));
        german.map_or(english, String::as_str).to_owned()
    }

    /// Returns the German texts for English ones, in the same order.
    pub fn translate_all(&self, english: &[String]) -> Vec<String> {
        english.iter().map(|text| self.translate(text)).collect()
    }

    /// Translates a member of an object if it is a text.
    fn translate_member(&self, object: &mut Value, name: &str) {
        if let Some(Value::String(text)) = object.get_mut(name) {
            *text = self.translate(text);
        }
    }

    /// Translates the titles in a list of objects, such as columns or the groups of a form.
    pub fn translate_titles(&self, list: &mut Value) {
        for item in list.as_array_mut().into_iter().flatten() {
            self.translate_member(item, "title");
        }
    }

    /// Translates the titles and descriptions of a schema and of its members.
    pub fn translate_schema(&self, schema: &mut Value) {
        for name in ["title", "description"] {
            self.translate_member(schema, name);
        }
        for name in ["items", "additionalProperties"] {
            if let Some(member) = schema.get_mut(name).filter(|member| member.is_object()) {
                self.translate_schema(member);
            }
        }
        let members = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (_, member) in members.into_iter().flatten() {
            self.translate_schema(member);
        }
    }

    /// Translates the texts of hints.
    pub fn translate_hints(&self, hints: &mut SettingHints) {
        hints.values_mut().for_each(|hint| self.translate_hint(hint));
    }

    /// Translates the texts of a hint.
    fn translate_hint(&self, hint: &mut SettingUi) {
        let single = [&mut hint.help, &mut hint.unit, &mut hint.placeholder];
        let texts = single
            .into_iter()
            .flatten()
            .chain(hint.choices.values_mut().map(|choice| &mut choice.label))
            .chain(hint.suggestions.values_mut())
            .chain(&mut hint.item_labels)
            .chain(hint.formats.iter_mut().filter_map(|card| card.title.as_mut()));
        for text in texts {
            *text = self.translate(text);
        }
    }
}
