//! Settings of a document that follow from its table: names, units and axes of the columns.

use std::collections::HashMap;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use super::axis_choice::AxisChoice;
use super::column_titles;
use super::column_units;
use super::json::RawObject;
use super::rule_sets;
use crate::features::portfolio::KindInfo;
use crate::features::tables::ColumnProfile;
use crate::features::tables::TableMapping;
use chartroom_charts::number_text::NumberUnit;
use chartroom_platform::error::Result;

/// Setting that contains the values of other settings that come from the table. The next table
/// replaces these values, and keeps values that the user has set or changed.
const FROM_TABLE: &str = "fromTable";

/// Settings that a mapped table implies: names and units of columns, and whether columns need axes
/// of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MappedSettings {
    /// Setting that lists the repeated columns: `series` or `columns`. `None` if the kind has none.
    list_setting: Option<&'static str>,
    /// Key and name of each repeated column.
    repeated: Vec<(String, String)>,
    /// Name of a setting such as `xTitle`, and its value.
    titles: Vec<(String, String)>,
    /// Key and unit of each column of numbers with a unit.
    units: Vec<(String, NumberUnit)>,
    /// Keys of the columns of a table chart with plus signs.
    signed: Vec<String>,
    /// Choice between a common axis and axes of their own. `None` if the kind has no such setting.
    axis_choice: Option<AxisChoice>,
}

impl MappedSettings {
    /// Collects the settings that a mapped table implies. [`Self::add_to_settings`] writes them.
    ///
    /// `profiles` has the profile of each column of the table, in the same order. `repeated` has
    /// the key and the name of each repeated column.
    ///
    /// A heading becomes a name only if the kind has a setting for the title of the column. These
    /// headings are no names: the key of the column, its title without a unit, a word such as
    /// `Value`, and the headings of a wide table, because they name records. Nevertheless, both columns of
    /// a pair such as actual and plan get their headings if one of them does, so that a legend has the
    /// language of the table. The steps of a Likert chart are listed from rejection to approval. Columns
    /// that may share an axis get their units only if each of them has one.
    pub fn from_mapping(
        kind: &KindInfo,
        mapping: &TableMapping<'_>,
        profiles: &[ColumnProfile],
        repeated: Vec<(String, String)>,
    ) -> Self {
        let mut repeated = repeated;
        if repeated.len() > 1 {
            repeated.iter_mut().for_each(|(key, name)| column_titles::number_column(key, name));
        }
        let names: Vec<&str> = repeated.iter().map(|(_, name)| name.as_str()).collect();
        if kind.slug == "likert" && chartroom_charts::runs_to_rejection(&names) {
            repeated.reverse();
        }
        let list_setting =
            kind.columns.iter().find(|column| column.repeats).map(|column| {
                if column_units::is_table_column(column) { "columns" } else { "series" }
            });
        let titles = column_titles::list_titles(mapping);
        let axis_choice = AxisChoice::new(kind, mapping, profiles);
        let units = match kind.settings_schema["properties"]["rulesets"].is_object() {
            true => column_units::list_units(mapping, profiles, &repeated, axis_choice),
            false => Vec::new(),
        };
        let signed = column_units::list_signed_columns(mapping, profiles);
        Self { list_setting, titles, units, signed, repeated, axis_choice }
    }

    /// Returns `settings` with the names and units of this table, so that charts show its headings.
    ///
    /// Listed columns with the same key keep their name and color. A name such as `xTitle` is set
    /// only if it is absent, empty or from an earlier table, so that a name that the user chose
    /// stays. The same is true of a unit. Names and units of an earlier table that this one lacks
    /// are removed. If the list of columns changes, also adds axes of their own if they need them,
    /// or removes those of an earlier table.
    ///
    /// # Errors
    /// `Internal` if `settings` is not a JSON object.
    pub fn add_to_settings(&self, settings: &str) -> Result<String> {
        let mut object = RawObject::parse(settings)?;
        let earlier = read_member(&object, FROM_TABLE)?;
        let mut from_table = self.set_titles(&mut object, &earlier)?;
        if let Some(setting) = self.list_setting {
            let is_new = set_repeated_columns(&mut object, setting, &self.repeated)?;
            if let Some(AxisChoice { setting, own_value, needs_own, .. }) = self.axis_choice {
                let was_added = earlier[setting] == own_value;
                if is_new && (needs_own || was_added) {
                    let value = Value::from(needs_own == own_value);
                    object.set(setting, to_raw(&value)?);
                }
                let is_added = if is_new { needs_own } else { was_added };
                if is_added {
                    from_table.insert(setting.to_owned(), Value::from(own_value));
                }
            }
        }
        let units = self.set_units(&mut object, &earlier["rulesets"])?;
        if !units.is_empty() {
            from_table.insert("rulesets".to_owned(), Value::from(units));
        }
        match from_table.is_empty() {
            true => object.remove(FROM_TABLE),
            false => object.set(FROM_TABLE, to_raw(&Value::from(from_table))?),
        }
        Ok(object.to_json()?)
    }

    /// Sets the names of columns, and removes those of an earlier table. `earlier` is the stored
    /// value of [`FROM_TABLE`]. Returns the names from this table by their setting, without those
    /// that the user chose.
    fn set_titles(&self, settings: &mut RawObject, earlier: &Value) -> Result<Map<String, Value>> {
        let mut set = Map::new();
        for (setting, title) in &self.titles {
            let present = read_title(settings, setting)?;
            if present.is_null() || present.as_str() == Some("") || present == earlier[setting] {
                let title = Value::from(title.as_str());
                set_title(settings, setting, Some(&title))?;
                set.insert(setting.clone(), title);
            }
        }
        for (setting, title) in earlier.as_object().into_iter().flatten() {
            let is_title = title.is_string() && !set.contains_key(setting);
            if is_title && read_title(settings, setting)? == *title {
                set_title(settings, setting, None)?;
            }
        }
        Ok(set)
    }

    /// Adds the units and plus signs of this table to the rule sets of the columns, and removes those of an
    /// earlier table, which `earlier` has by the key of the column. Returns those from this table in the same
    /// form.
    fn set_units(&self, settings: &mut RawObject, earlier: &Value) -> Result<Map<String, Value>> {
        let mut rule_sets = match read_member(settings, "rulesets")? {
            Value::Object(rule_sets) => rule_sets,
            _ => Map::new(),
        };
        let before = rule_sets.clone();
        let set = rule_sets::update(&mut rule_sets, earlier, &self.units, &self.signed);
        match rule_sets.is_empty() && !before.is_empty() {
            true => settings.remove("rulesets"),
            false if rule_sets != before => {
                settings.set("rulesets", to_raw(&Value::from(rule_sets))?);
            }
            false => {}
        }
        Ok(set)
    }
}

/// Returns the value of a setting such as `xTitle` or `axis.title`, or null. Returns null also if
/// `axis` is not an object.
fn read_title(settings: &RawObject, setting: &str) -> Result<Value> {
    match setting.split_once('.') {
        Some((group, name)) => {
            Ok(read_member(settings, group)?.get_mut(name).map_or(Value::Null, Value::take))
        }
        None => read_member(settings, setting),
    }
}

/// Sets a setting such as `xTitle` or `axis.title`, or removes it if `title` is `None`. Removes
/// `axis` if it becomes empty. Does nothing if `axis` is not an object.
fn set_title(settings: &mut RawObject, setting: &str, title: Option<&Value>) -> Result<()> {
    let Some((group, name)) = setting.split_once('.') else {
        match title {
            Some(title) => settings.set(setting, to_raw(title)?),
            None => settings.remove(setting),
        }
        return Ok(());
    };
    let mut members = match read_member(settings, group)? {
        Value::Object(members) => members,
        Value::Null => Map::new(),
        _ => return Ok(()),
    };
    match title {
        Some(title) => members.insert(name.to_owned(), title.clone()),
        None => members.shift_remove(name),
    };
    match members.is_empty() {
        true => settings.remove(group),
        false => settings.set(group, to_raw(&Value::from(members))?),
    }
    Ok(())
}

/// Returns a value as raw JSON text.
fn to_raw(value: &Value) -> Result<Box<RawValue>> {
    Ok(RawValue::from_string(value.to_string())?)
}

/// Replaces the list of repeated columns in a setting. Entries with the same key stay as they are.
/// Does nothing if `repeated` is empty, or the setting lists the same keys in the same order
/// already. Returns whether the list has changed.
fn set_repeated_columns(
    settings: &mut RawObject,
    setting: &str,
    repeated: &[(String, String)],
) -> Result<bool> {
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
    settings.set(setting, to_raw(&Value::from(list))?);
    Ok(true)
}

/// Returns the parsed value of a member of the settings, or null if it is absent.
fn read_member(settings: &RawObject, key: &str) -> Result<Value> {
    let member = settings.0.iter().find(|(name, _)| name == key);
    Ok(member.map_or(Ok(Value::Null), |(_, value)| serde_json::from_str(value.get()))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::documents::table_profiles;
    use crate::features::portfolio;
    use crate::features::table_reader;
    use crate::features::table_reader::Limits;
    use crate::features::table_reader::ReadOptions;
    use crate::features::tables;

    /// Returns the settings after a table is mapped to a kind.
    fn update(kind: &str, text: &str, settings: &str) -> String {
        let kind = portfolio::find_kind(kind).unwrap();
        let limits = Limits { max_rows: 100, max_text_bytes: 1 << 20, deadline: None };
        let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
        let table = table_reader::read(text.as_bytes(), &options, limits).unwrap();
        let profiles = table_profiles::profile_columns(&table).unwrap();
        let mapping = tables::map_table(&profiles, kind);
        let repeated = mapping
            .columns
            .iter()
            .filter(|mapped| mapped.column().is_some_and(|column| column.repeats))
            .map(|mapped| (mapped.key.clone(), mapped.heading.clone()))
            .collect();
        MappedSettings::from_mapping(kind, &mapping, &profiles, repeated)
            .add_to_settings(settings)
            .unwrap()
    }

    #[test]
    fn ends_and_target_of_a_scale_have_the_unit_of_the_value() {
        let euros = update_visible("gauge", "Value,Max,Target\n12 €,20,15\n", "{}");
        let rules = |key: &str| format!("\"{key}\":{{\"suffix\":\"\u{a0}€\"}}");
        for key in ["value", "max", "target"] {
            assert!(euros.contains(&rules(key)), "{euros}");
        }
        let shares = update_visible("gauge", "Value,Max,Target\n72 %,1,0.8\n", "{}");
        assert!(
            shares.contains(r#""rulesets":{"value":{"displayAsPercentage":true}}"#),
            "{shares}"
        );
        let percentages = update_visible("gauge", "Value,Max,Target\n72 %,100,80\n", "{}");
        assert!(percentages.contains(r#""max":{"displayAsPercentage":true}"#), "{percentages}");
    }

    /// Returns the settings after a table is mapped to a kind, without the record of what it has
    /// set.
    fn update_visible(kind: &str, text: &str, settings: &str) -> String {
        let mut updated = RawObject::parse(&update(kind, text, settings)).unwrap();
        updated.remove(FROM_TABLE);
        updated.to_json().unwrap()
    }

    #[test]
    fn plus_signs_of_a_table_chart_stay_until_the_user_or_another_table_removes_them() {
        let text = "Fund,Return,Change,Balance\nA,+2.8 %,+4,+1\nB,-1.3 %,0,2\nC,+1 %,-2,3\n";
        let rules = r#""rulesets":{"Return":{"displayAsPercentage":true,"plusSign":true},"Change":{"plusSign":true}}"#;
        let found = update("table", text, "{}");
        assert!(found.contains(&format!("{rules},\"fromTable\":{{{rules}")), "{found}");
        let bare = update_visible("table", &text.replace('+', ""), &found);
        assert!(bare.contains(r#""rulesets":{"Return":{"displayAsPercentage":true}}"#), "{bare}");
        let own = r#"{"rulesets":{"Change":{"plusSign":false}}}"#;
        assert!(update("table", text, own).contains(r#""Change":{"plusSign":false}"#));
        assert!(!update("bar", text, "{}").contains("plusSign"));
    }

    #[test]
    fn a_later_table_replaces_names_and_units_of_the_earlier_one() {
        let first = update("scatter", "Preis;Menge (t)\n5 €;1,5\n6 €;2\n", "{}");
        let settings = "\"xTitle\":\"Preis\",\"yTitle\":\"Menge (t)\",\
                        \"rulesets\":{\"x\":{\"suffix\":\"\u{a0}€\"}}";
        assert!(first.starts_with(&format!("{{{settings},\"fromTable\":")), "{first}");
        let second = update("scatter", "Alter;Größe\n5;1,5\n6;2\n", &first);
        let names = r#""xTitle":"Alter","yTitle":"Größe""#;
        assert_eq!(second, format!(r#"{{{names},"fromTable":{{{names}}}}}"#));
        assert_eq!(update("scatter", "Alter;Größe\n5;1,5\n6;2\n", &second), second);
        // What the user has changed stays.
        let own = first.replacen("Preis", "Price", 1).replacen('€', "EUR", 1);
        let kept = update("scatter", "Alter;Größe\n5;1,5\n6;2\n", &own);
        let visible =
            settings.replace("Preis", "Price").replace('€', "EUR").replace("Menge (t)", "Größe");
        assert!(kept.starts_with(&format!("{{{visible},")), "{kept}");
        // A table with the keys as headings names nothing.
        assert_eq!(update("scatter", "x,y\n1,2\n", &first), "{}");
    }

    #[test]
    fn both_columns_of_a_pair_have_the_headings_of_the_table_or_none() {
        let check = |kind: &str, text: &str, want: &str| {
            assert_eq!(update_visible(kind, text, "{}"), want, "{kind} {text}");
        };
        let plans = r#"{"actualTitle":"Ist","planTitle":"Plan"}"#;
        check("variance", "Name;Ist;Plan\nA;48;16\nB;47;15\n", plans);
        let targets = r#"{"valueTitle":"Wert","targetTitle":"Ziel"}"#;
        check("bullet", "Name;Wert;Ziel\nA;48;16\nB;47;15\n", targets);
        let years = r#"{"beforeTitle":"Before","afterTitle":"2024"}"#;
        check("slope", "Name;Before;2024\nA;48;16\nB;47;15\n", years);
        check("variance", "Name;Actual;Plan\nA;48;16\nB;47;15\n", "{}");
        check("bullet", "label,value,target\nA,48,16\nB,47,15\n", "{}");
        check("pie", "Name;Wert\nA;48\nB;47\n", "{}");
    }

    #[test]
    fn several_columns_without_headings_are_numbered() {
        let text = "2020;5;7\n2021;6;8\n";
        let list = r#""series":[{"key":"column2","title":"Column 2"},{"key":"column3","title":"Column 3"}]"#;
        let updated = update("stacked-column", text, "{}");
        assert!(updated.contains(list), "{updated}");
        let single = update("line", "2020;5\n2021;6\n", "{}");
        assert!(single.contains(r#"{"key":"column2","title":""}"#), "{single}");
    }

    #[test]
    fn names_in_groups_of_settings_are_set_and_removed() {
        let mut settings = RawObject::parse(r#"{"axis":{"max":9.5},"mode":"x"}"#).unwrap();
        set_title(&mut settings, "axis.title", Some(&Value::from("t"))).unwrap();
        let want = r#"{"axis":{"max":9.5,"title":"t"},"mode":"x"}"#;
        assert_eq!(settings.to_json().unwrap(), want);
        assert_eq!(read_title(&settings, "axis.title").unwrap(), "t");
        set_title(&mut settings, "axis.title", None).unwrap();
        assert_eq!(settings.to_json().unwrap(), r#"{"axis":{"max":9.5},"mode":"x"}"#);
        let mut odd = RawObject::parse(r#"{"axis":5}"#).unwrap();
        set_title(&mut odd, "axis.title", Some(&Value::from("t"))).unwrap();
        assert_eq!(odd.to_json().unwrap(), r#"{"axis":5}"#);
        let mut empty = RawObject::parse("{}").unwrap();
        set_title(&mut empty, "axis.title", Some(&Value::from("t"))).unwrap();
        set_title(&mut empty, "axis.title", None).unwrap();
        assert_eq!(empty.to_json().unwrap(), "{}");
    }

    #[test]
    fn an_axis_that_a_table_has_added_is_removed_by_the_next_table() {
        let with_axis = update("combo", "Jahr,A,B\n2023,1,900\n2024,2,800\n", "{}");
        assert!(with_axis.contains(r#""secondAxis":true,"#), "{with_axis}");
        let without = update("combo", "Jahr,C,D\n2023,1,9\n2024,2,8\n", &with_axis);
        assert!(without.contains(r#""secondAxis":false"#), "{without}");
    }

    #[test]
    fn a_line_with_another_unit_or_scale_gets_an_axis_of_its_own() {
        let has_axis = |table: &str| {
            update("combo", table, r#"{"secondAxis":false}"#).contains(r#""secondAxis":true"#)
        };
        assert!(has_axis("Jahr;Umsatz (Mio. €);Rendite (%)\n2023;12,4;6,1\n2024;13,1;7\n"));
        assert!(has_axis("Jahr;Umsatz;Kunden\n2023;12,4;6100\n2024;13,1;7000\n"));
        assert!(!has_axis("Jahr;Umsatz;Plan\n2023;12,4;6,1\n2024;13,1;7\n"));
        assert!(!has_axis("Jahr;Anteil A (%);Anteil B (%)\n2023;12,4;6,1\n2024;13,1;7\n"));
        let panels = update("small-multiples", "Tag,kg,Schritte\n1.3.2024,80,9000\n", "{}");
        assert!(panels.contains(r#""sharedAxis":false"#), "{panels}");
        let panels = update("small-multiples", "Tag,A,B\n1.3.2024,80,90\n", &panels);
        assert!(panels.contains(r#""sharedAxis":true"#), "{panels}");
        let units = "Tag,Gewicht,Fett\n1.3.2024,80 kg,20 %\n2.3.2024,81 kg,21 %\n";
        let panels = update("small-multiples", units, "{}");
        let rules =
            "{\"Fett\":{\"displayAsPercentage\":true},\"Gewicht\":{\"suffix\":\"\u{a0}kg\"}}";
        assert!(panels.contains(&format!("\"rulesets\":{rules}")), "{panels}");
        // A later table with the same columns keeps the choice of the user.
        let kept = r#"{"secondAxis":false,"series":[{"key":"A"},{"key":"B"}]}"#;
        assert!(update("combo", "Jahr,A,B\n2023,1,900\n", kept).contains(r#""secondAxis":false"#));
    }

    #[test]
    fn repeated_columns_are_listed_in_the_settings() {
        let text = "Year,Shops,Online,Note\n2020,48.2,21.5,x\n";
        let settings = r#"{"mode":"grouped","series":[{"key":"a"}],"axis":{"max":1.50}}"#;
        let series = r#"[{"key":"Shops","title":"Shops"},{"key":"Online","title":"Online"}]"#;
        let want = format!(r#"{{"mode":"grouped","series":{series},"axis":{{"max":1.50}}}}"#);
        assert_eq!(update_visible("grouped-column", text, settings), want);
        assert_eq!(update_visible("grouped-column", text, &want), want);
        let named = r##"{"series":[{"key":"Online","title":"Web","color":"#123456"}]}"##;
        let series = update_visible("grouped-column", text, named);
        let kept = r##"{"key":"Online","title":"Web","color":"#123456"}"##;
        assert!(series.contains(kept), "{series}");
        assert!(update_visible("radar", "Kriterium,A\nx,1\n", "{}").starts_with(r#"{"series":"#));
        assert!(update_visible("table", "Kriterium,A\nx,1\n", "{}").starts_with(r#"{"columns":"#));
        let answers = "Question,Agree,Neutral,Disagree,No answer\nA,60,30,10,5\n";
        let steps = update_visible("likert", answers, "{}");
        let keys: Vec<usize> =
            ["Disagree", "Neutral", r#""Agree"#].iter().filter_map(|key| steps.find(key)).collect();
        assert!(keys.len() == 3 && keys.is_sorted(), "{steps}");
    }

    #[test]
    fn names_of_columns_are_set_unless_the_user_has_chosen_them() {
        let text = "Stadt,Umsatz 2022,Umsatz 2023\nA,1,2\nB,2,3\n";
        let want = r#"{"beforeTitle":"Umsatz 2022","afterTitle":"Umsatz 2023"}"#;
        assert_eq!(update_visible("slope", text, "{}"), want);
        let own = r#"{"beforeTitle":"Then","afterTitle":""}"#;
        let want = r#"{"beforeTitle":"Then","afterTitle":"Umsatz 2023"}"#;
        assert_eq!(update_visible("slope", text, own), want);
        assert_eq!(update_visible("slope", "label,before,after\nA,1,2\n", "{}"), "{}");
        let named = update_visible("bar", "Ort;Umsatz (Mio. €)\nA;1,5\nB;2\n", "{}");
        assert_eq!(named, r#"{"axis":{"title":"Umsatz (Mio. €)"}}"#);
        let named = update_visible("pie", "Ort;Stimmen\nA;1,5\nB;2\n", "{}");
        assert_eq!(named, r#"{"valueTitle":"Stimmen"}"#);
        // The headings of a wide table are names of records.
        let wide = update_visible("heat-map", "Tag;08 Uhr;09 Uhr\nMo;1,5;4\nDi;2;5\n", "{}");
        assert_eq!(wide, "{}");
    }

    #[test]
    fn units_of_columns_are_set_unless_the_user_has_chosen_one() {
        let text = "Ort;Wert;Anteil\nA;1.284,5 €;12 %\nB;(12 €);7,5 %\nC;0;n/a\n";
        let rules = "{\"rulesets\":{\"value\":{\"suffix\":\"\u{a0}€\"}}}";
        assert_eq!(update_visible("bar", text, "{}"), rules);
        assert_eq!(update_visible("bar", text, rules), rules);
        let own = r#"{"rulesets":{"value":{"prefix":"EUR ","decimals":1}}}"#;
        assert_eq!(update_visible("bar", text, own), own);
        let two_units = "Jahr,A,B\n2020,4%,$5\n2021,5%,$6\n";
        let series = update_visible("combo", two_units, "{}");
        let expected = r#""rulesets":{"A":{"displayAsPercentage":true},"B":{"prefix":"$"}}"#;
        assert!(series.contains(expected), "{series}");
        // A line chart has one axis, so that it leaves out the column with the other unit.
        let series = update_visible("line", two_units, "{}");
        let expected = r#""rulesets":{"A":{"displayAsPercentage":true}}}"#;
        assert!(series.ends_with(expected), "{series}");
        let figures = "Partei;Stimmen 2025 (%);Differenz\nA;28,5;+4,4\nB;16,4;-9,3\n";
        let share = r#""rulesets":{"value":{"displayAsPercentage":true}}"#;
        assert!(update_visible("scorecard", figures, "{}").contains(share));
        for unclear in ["Jahr,A,B\n2020,4 €,5\n2021,5 €,6\n", "Jahr,A\n2020,4%\n2021,$5\n"] {
            assert!(!update_visible("line", unclear, "{}").contains("rulesets"), "{unclear}");
        }
        let axes = update_visible("scatter", "Preis;Menge\n5 €;1,5\n6 €;2\n", "{}");
        assert!(axes.contains("\"rulesets\":{\"x\":{\"suffix\":\"\u{a0}€\"}}"), "{axes}");
        let progress = "Aufgabe;Beginn;Ende;Fortschritt\nA;01.03.2024;15.3.2024;45 %\n";
        assert!(!update_visible("gantt", progress, "{}").contains("rulesets"));
    }
}
