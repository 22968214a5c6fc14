//! Hints for the form of a kind's settings: words for choices, conditions, units and controls.
//!
//! The settings schema of a kind says which values are valid. The member `ui` of `kind.json` adds
//! only the facts that a schema cannot tell. Hints that many kinds share are in
//! `assets/setting_ui.json`. Both are objects by the path of a setting, such as `axis.min`. The
//! path of a member of each list item is `series[].color`, and that of a member with any name is
//! `rulesets.*.decimals`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Deserializer;
use serde::Serialize;
use serde_json::Value;

use chartroom_platform::assets;

/// Hints by the path of a setting.
pub type SettingHints = BTreeMap<String, SettingUi>;

/// Hints for the control of one setting.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SettingUi {
    /// Control, if the schema does not determine it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// Text for people, instead of the description in the schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Words for each value of an `enum`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub choices: BTreeMap<String, Choice>,
    /// Names of common values of a text. Other values are allowed too.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub suggestions: BTreeMap<String, String>,
    /// Unit of a number, such as `%` or `°`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Lowest value of a slider. The schema may allow lower ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<f64>,
    /// Highest value of a slider. The schema may allow higher ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<f64>,
    /// Distance of two values of a number, above zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Text in an empty field. It says which value is used without the setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// Whether an empty text differs from an absent one.
    #[serde(skip_serializing_if = "is_false")]
    pub keeps_empty: bool,
    /// Names of the items of a list with a fixed meaning for each position.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub item_labels: Vec<String>,
    /// Data column with the names of the members of an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys_from: Option<String>,
    /// Cards of the control `format`. Without them, each column of numbers has a card.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub formats: Vec<FormatCard>,
    /// Conditions, all of which must hold. Otherwise a form hides the setting and keeps its value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub show_if: Vec<Condition>,
}

/// Returns whether a flag is off, so that it is left out of the response.
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Columns that share one format, such as those of one axis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FormatCard {
    /// Title. The title of the column when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Keys of data columns. `*` stands for the columns of numbers that repeat.
    pub columns: Vec<String>,
    /// Rules that affect the image. All rules for the type of the column when absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

/// A control for a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Control {
    /// A CSS color.
    Color,
    /// A list of CSS colors.
    Palette,
    /// The key of a data column.
    ColumnReference,
    /// A list of keys of data columns.
    ColumnReferences,
    /// Number formats by data column.
    Format,
    /// Number and date formats by data column, for kinds that use the rule `dateFormat`.
    DateFormat,
    /// A text with several lines.
    TextArea,
    /// A date such as 2026-03-20.
    Date,
    /// A number with a slider between `minimum` and `maximum`.
    Slider,
    /// No control, because the kind does not use the setting.
    None,
}

/// Words for one value of an `enum`. In a file, a text is short for a label without an icon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Choice {
    /// Name of the value.
    pub label: String,
    /// Icon of the pages, from `assets/web/icons.svg`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
}

/// A choice as it is written in a file.
#[derive(Deserialize)]
#[serde(untagged)]
enum ChoiceInFile {
    /// Only the label.
    Label(String),
    /// Label and icon.
    WithIcon(ChoiceWithIcon),
}

/// A choice with an icon, as it is written in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoiceWithIcon {
    label: String,
    icon: String,
}

impl<'de> Deserialize<'de> for Choice {
    /// Parses both spellings.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let choice = match ChoiceInFile::deserialize(deserializer)? {
            ChoiceInFile::Label(label) => Self { label, icon: None },
            ChoiceInFile::WithIcon(choice) => Self { label: choice.label, icon: Some(choice.icon) },
        };
        Ok(choice)
    }
}

/// A condition on the settings or the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Condition {
    /// A setting has one of some values.
    SettingIs(SettingIs),
    /// A setting has a value.
    SettingIsSet(SettingIsSet),
    /// A data column has values.
    ColumnHasValues(ColumnHasValues),
    /// At least one of several conditions holds.
    Any(AnyCondition),
}

/// Condition that a setting has one of some values. An absent setting has its default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingIs {
    /// Path of the setting.
    pub setting: String,
    /// Values for which the condition holds.
    #[serde(rename = "is")]
    pub values: Vec<Value>,
}

/// Condition that a setting is neither absent nor an empty text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingIsSet {
    /// Path of the setting.
    pub setting: String,
    /// Whether it must be set.
    pub is_set: bool,
}

/// Condition that at least one record has a value in a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnHasValues {
    /// Key of the data column.
    pub column: String,
    /// Whether there must be a value.
    pub has_values: bool,
}

/// Condition that at least one of several conditions holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnyCondition {
    /// The conditions.
    pub any: Vec<Condition>,
}

/// Hints that many kinds share. A message if `assets/setting_ui.json` is missing or invalid.
static COMMON_HINTS: LazyLock<std::result::Result<SettingHints, String>> = LazyLock::new(|| {
    let path = "setting_ui.json";
    let file = assets::embedded_file(path).ok_or("assets/setting_ui.json is missing")?;
    serde_json::from_slice(file).map_err(|error| format!("{path}: {error}"))
});

/// Returns the hints of a kind: the common ones for its settings, replaced member by member by
/// those in `own`.
///
/// # Errors
/// A message if the common hints are invalid.
pub fn merge_common_hints(
    schema: &Value,
    own: SettingHints,
) -> std::result::Result<SettingHints, String> {
    let mut merged = own;
    for (path, common) in COMMON_HINTS.as_ref().map_err(Clone::clone)? {
        let Some(setting) = find_setting(schema, path) else { continue };
        let hint = merged.entry(path.clone()).or_default();
        add_common_hint(hint, common, setting);
        if *hint == SettingUi::default() {
            merged.remove(path);
        }
    }
    Ok(merged)
}

/// Adds the members of a common hint that `hint` lacks and that suit the schema of the setting.
fn add_common_hint(hint: &mut SettingUi, common: &SettingUi, setting: &Value) {
    let values = setting.get("enum").and_then(Value::as_array);
    let is_choice =
        |value: &Value| value.as_str().is_some_and(|key| common.choices.contains_key(key));
    if !common.choices.is_empty() && !values.is_some_and(|values| values.iter().any(is_choice)) {
        // Another setting with the same name.
        return;
    }
    for value in values.into_iter().flatten().filter_map(Value::as_str) {
        if let Some(choice) = common.choices.get(value) {
            hint.choices.entry(value.to_owned()).or_insert_with(|| choice.clone());
        }
    }
    hint.control = hint.control.or(common.control);
    hint.step = hint.step.or(common.step);
    hint.minimum = hint.minimum.or(common.minimum);
    hint.maximum = hint.maximum.or(common.maximum);
    for (own, other) in [
        (&mut hint.help, &common.help),
        (&mut hint.unit, &common.unit),
        (&mut hint.placeholder, &common.placeholder),
    ] {
        *own = own.take().or_else(|| other.clone());
    }
    if hint.formats.is_empty() {
        hint.formats.clone_from(&common.formats);
    }
    if hint.suggestions.is_empty() && values.is_none() {
        hint.suggestions.clone_from(&common.suggestions);
    }
}

/// Returns the schema of the setting with this path, or None if the kind has none.
fn find_setting<'s>(schema: &'s Value, path: &str) -> Option<&'s Value> {
    path.split('.').try_fold(schema, |schema, part| {
        let name = part.strip_suffix("[]");
        let member = match part {
            "*" => schema.get("additionalProperties")?,
            _ => schema.get("properties")?.get(name.unwrap_or(part))?,
        };
        if name.is_some() { member.get("items") } else { Some(member) }
    })
}

#[cfg(test)]
mod tests;
