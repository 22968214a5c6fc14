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

/// Names of the columns of a table, for the settings of the chart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnNames {
    /// Setting that lists the repeated columns: `series` or `columns`. `None` if the kind has none.
    list_setting: Option<&'static str>,
    /// Key and name of each repeated column.
    repeated: Vec<(String, String)>,
    /// Name of a setting such as `xTitle`, and its value.
    titles: Vec<(String, String)>,
}

impl ColumnNames {
    /// Collects the names of a mapped table. `repeated` contains keys and names of the repeated
    /// columns. A heading that is the key is not a name.
    pub fn new(
        kind: &KindInfo,
        mapping: &TableMapping<'_>,
        repeated: Vec<(String, String)>,
    ) -> Self {
        let list_setting = kind
            .columns
            .iter()
            .find(|column| column.repeats)
            .map(|column| if column.role == "column" { "columns" } else { "series" });
        let titles = mapping.columns.iter().filter_map(|mapped| {
            let (column, reason) = mapped.target?;
            let is_name = reason != MatchReason::Key && !mapped.heading.is_empty();
            let setting = column.title_setting.clone().filter(|_| is_name)?;
            Some((setting, mapped.heading.clone()))
        });
        Self { list_setting, titles: titles.collect(), repeated }
    }

    /// Returns the settings with these names, so that charts show the headings of the table.
    ///
    /// Listed columns with the same key keep their name and color. A name such as `xTitle` is set only
    /// if it is absent or empty, so that a name that the user chose stays.
    ///
    /// # Errors
    /// `Internal` if the settings are not a JSON object.
    pub fn add_to_settings(&self, settings: &str) -> Result<String> {
        let mut object = RawObject::parse(settings)?;
        if let Some(setting) = self.list_setting {
            list_repeated_columns(&mut object, setting, &self.repeated)?;
        }
        for (setting, title) in &self.titles {
            let present = read_member(&object, setting)?;
            if present.is_null() || present.as_str() == Some("") {
                let title = Value::from(title.as_str());
                object.set(setting, RawValue::from_string(title.to_string())?);
            }
        }
        Ok(object.to_json()?)
    }
}

/// Replaces the list of repeated columns in a setting. Does nothing if `repeated` is empty, or the
/// setting lists the same keys in the same order already.
fn list_repeated_columns(
    settings: &mut RawObject,
    setting: &str,
    repeated: &[(String, String)],
) -> Result<()> {
    let present = read_member(settings, setting)?;
    let entries = present.as_array().map_or(&[][..], |list| &list[..]);
    let is_same = entries.len() == repeated.len()
        && entries.iter().zip(repeated).all(|(entry, (key, _))| entry["key"] == **key);
    if is_same || repeated.is_empty() {
        return Ok(());
    }
    let known: HashMap<&str, &Value> =
        entries.iter().filter_map(|entry| Some((entry["key"].as_str()?, entry))).collect();
    let to_entry = |(key, title): &(String, String)| match known.get(key.as_str()) {
        Some(entry) => (*entry).clone(),
        None => json!({ "key": key, "title": title }),
    };
    let list: Vec<Value> = repeated.iter().map(to_entry).collect();
    settings.set(setting, RawValue::from_string(serde_json::to_string(&list)?)?);
    Ok(())
}

/// Returns a member of the settings, or null.
fn read_member(settings: &RawObject, key: &str) -> Result<Value> {
    let member = settings.0.iter().find(|(name, _)| name == key);
    Ok(member.map_or(Ok(Value::Null), |(_, value)| serde_json::from_str(value.get()))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::documents::table_records;
    use crate::features::portfolio;
    use crate::features::table_reader;
    use crate::features::table_reader::Limits;
    use crate::features::table_reader::ReadOptions;
    use crate::features::tables;

    /// Returns the settings after a table is mapped to a kind.
    fn update(kind: &str, text: &str, settings: &str) -> String {
        let kind = portfolio::find_kind(kind).unwrap();
        let limits = Limits { max_rows: 100, max_text_bytes: 1 << 20 };
        let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
        let table = table_reader::read(text.as_bytes(), &options, limits).unwrap();
        let profiles = table_records::profile_columns(&table).unwrap();
        let mapping = tables::map_table(&profiles, kind);
        let repeated = mapping
            .columns
            .iter()
            .filter(|mapped| mapped.column().is_some_and(|column| column.repeats))
            .map(|mapped| (mapped.key.clone(), mapped.heading.clone()))
            .collect();
        ColumnNames::new(kind, &mapping, repeated).add_to_settings(settings).unwrap()
    }

    #[test]
    fn repeated_columns_are_listed_in_the_settings() {
        let text = "Year,Shops,Online,Note\n2020,48.2,21.5,x\n";
        let settings = r#"{"mode":"grouped","series":[{"key":"a"}],"axis":{"max":1.50}}"#;
        let series = r#"[{"key":"Shops","title":"Shops"},{"key":"Online","title":"Online"}]"#;
        let want = format!(r#"{{"mode":"grouped","series":{series},"axis":{{"max":1.50}}}}"#);
        assert_eq!(update("grouped-column", text, settings), want);
        assert_eq!(update("grouped-column", text, &want), want);
        let named = r##"{"series":[{"key":"Online","title":"Web","color":"#123456"}]}"##;
        let series = update("grouped-column", text, named);
        let kept = r##"{"key":"Online","title":"Web","color":"#123456"}"##;
        assert!(series.contains(kept), "{series}");
        assert!(update("radar", "Kriterium,A\nx,1\n", "{}").starts_with(r#"{"series":"#));
        assert!(update("table", "Kriterium,A\nx,1\n", "{}").starts_with(r#"{"columns":"#));
    }

    #[test]
    fn names_of_columns_are_set_unless_the_user_has_chosen_them() {
        let text = "Stadt,Umsatz 2022,Umsatz 2023\nA,1,2\nB,2,3\n";
        let want = r#"{"beforeTitle":"Umsatz 2022","afterTitle":"Umsatz 2023"}"#;
        assert_eq!(update("slope", text, "{}"), want);
        let own = r#"{"beforeTitle":"Then","afterTitle":""}"#;
        let want = r#"{"beforeTitle":"Then","afterTitle":"Umsatz 2023"}"#;
        assert_eq!(update("slope", text, own), want);
        assert_eq!(update("slope", "label,before,after\nA,1,2\n", "{}"), "{}");
    }
}
