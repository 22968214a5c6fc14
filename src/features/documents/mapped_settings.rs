//! Settings of a document that name the columns of its table.

use std::collections::HashMap;

use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use super::json::RawObject;
use crate::features::portfolio::KindInfo;
use crate::features::tables::MatchReason;
use crate::features::tables::TableMapping;
use chartroom_platform::error::Result;

/// Returns the settings with the names of the columns of a table, so that charts show the headings:
/// the list of repeated columns, and names such as `xTitle`.
///
/// `repeated` contains keys and names of the repeated columns. Listed columns with the same key keep
/// their name and color. A name such as `xTitle` is replaced only if it is absent, empty, or that of
/// the sample. Returns `None` without a change.
///
/// # Errors
/// `Internal` if the settings are not a JSON object.
pub fn update_settings(
    settings: &str,
    kind: &KindInfo,
    mapping: &TableMapping<'_>,
    repeated: &[(String, String)],
) -> Result<Option<String>> {
    let mut object = RawObject::parse(settings)?;
    let is_list_changed = update_repeated_columns(&mut object, kind, repeated)?;
    let are_titles_changed = update_titles(&mut object, kind, mapping)?;
    if !is_list_changed && !are_titles_changed {
        return Ok(None);
    }
    Ok(Some(object.to_json()?))
}

/// Replaces the list of repeated columns. Returns whether that changed the settings.
///
/// Does nothing if `repeated` is empty, the settings list the same keys in the same order already, or
/// the kind has no repeated column.
fn update_repeated_columns(
    settings: &mut RawObject,
    kind: &KindInfo,
    repeated: &[(String, String)],
) -> Result<bool> {
    let Some(column) = kind.columns.iter().find(|column| column.repeats) else { return Ok(false) };
    let setting = if column.role == "column" { "columns" } else { "series" };
    let present = read_member(settings, setting)?;
    let entries = present.as_array().map_or(&[][..], |list| &list[..]);
    let is_same = entries.len() == repeated.len()
        && entries.iter().zip(repeated).all(|(entry, (key, _))| entry["key"] == **key);
    if is_same || repeated.is_empty() {
        return Ok(false);
    }
    let known: HashMap<&str, &Value> =
        entries.iter().filter_map(|entry| Some((entry["key"].as_str()?, entry))).collect();
    let to_entry = |(key, title): &(String, String)| match known.get(key.as_str()) {
        Some(entry) => (*entry).clone(),
        None => json!({ "key": key, "title": title }),
    };
    let list: Vec<Value> = repeated.iter().map(to_entry).collect();
    settings.set(setting, RawValue::from_string(serde_json::to_string(&list)?)?);
    Ok(true)
}

/// Sets the names of columns that have a setting for it. Returns whether that changed the settings.
fn update_titles(
    settings: &mut RawObject,
    kind: &KindInfo,
    mapping: &TableMapping<'_>,
) -> Result<bool> {
    let mut is_changed = false;
    for mapped in &mapping.columns {
        let Some((column, reason)) = mapped.target else { continue };
        let Some(setting) = &column.title_setting else { continue };
        let present = read_member(settings, setting)?;
        let is_own = !matches!(&present, Value::Null)
            && present.as_str() != Some("")
            && kind.sample.settings.get(setting) != Some(&present);
        if reason == MatchReason::Key || mapped.heading.is_empty() || is_own {
            continue;
        }
        let title = Value::from(mapped.heading.as_str());
        if title != present {
            settings.set(setting, RawValue::from_string(title.to_string())?);
            is_changed = true;
        }
    }
    Ok(is_changed)
}

/// Returns a member of the settings, or null.
fn read_member(settings: &RawObject, key: &str) -> Result<Value> {
    let member = settings.0.iter().find(|(name, _)| name == key);
    Ok(member.map_or(Ok(Value::Null), |(_, value)| serde_json::from_str(value.get()))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::documents::csv::CsvTable;
    use crate::features::portfolio;
    use crate::features::tables;

    fn update(kind: &str, text: &str, settings: &str) -> Option<String> {
        let kind = portfolio::find_kind(kind).unwrap();
        let table = CsvTable::parse(text.as_bytes(), None, 100).unwrap();
        let mapping = tables::map_table(&table.profile_columns().unwrap(), kind);
        let repeated: Vec<(String, String)> = mapping
            .columns
            .iter()
            .filter(|mapped| mapped.column().is_some_and(|column| column.repeats))
            .map(|mapped| (mapped.key.clone(), mapped.heading.clone()))
            .collect();
        update_settings(settings, kind, &mapping, &repeated).unwrap()
    }

    #[test]
    fn repeated_columns_are_listed_in_the_settings() {
        let text = "Year,Shops,Online,Note\n2020,48.2,21.5,x\n";
        let settings = r#"{"mode":"grouped","series":[{"key":"a"}],"axis":{"max":1.50}}"#;
        let series = r#"[{"key":"Shops","title":"Shops"},{"key":"Online","title":"Online"}]"#;
        let want = format!(r#"{{"mode":"grouped","series":{series},"axis":{{"max":1.50}}}}"#);
        assert_eq!(update("grouped-column", text, settings), Some(want.clone()));
        assert_eq!(update("grouped-column", text, &want), None);
        let named = r##"{"series":[{"key":"Online","title":"Web","color":"#123456"}]}"##;
        let series = update("grouped-column", text, named).unwrap();
        assert!(
            series.contains(r##"{"key":"Online","title":"Web","color":"#123456"}"##),
            "{series}"
        );
        assert!(update("radar", "Kriterium,A\nx,1\n", "{}").unwrap().starts_with(r#"{"series":"#));
    }

    #[test]
    fn names_of_columns_are_set_unless_the_user_has_chosen_them() {
        let text = "Stadt,Umsatz 2022,Umsatz 2023\nA,1,2\nB,2,3\n";
        let want = r#"{"beforeTitle":"Umsatz 2022","afterTitle":"Umsatz 2023"}"#;
        assert_eq!(update("slope", text, "{}").as_deref(), Some(want));
        assert_eq!(update("slope", text, want), None);
        let own = r#"{"beforeTitle":"Then","afterTitle":""}"#;
        let want = r#"{"beforeTitle":"Then","afterTitle":"Umsatz 2023"}"#;
        assert_eq!(update("slope", text, own).as_deref(), Some(want));
        assert_eq!(update("slope", "label,before,after\nA,1,2\n", "{}"), None);
    }
}
