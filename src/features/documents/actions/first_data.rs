//! Removal of the texts of the sample when a new document gets its first own data.
//!
//! A new document contains the sample of its chart kind. Its title, notes and settings describe the
//! data of the sample, so that they would be wrong above other data.

use serde_json::Value;
use serde_json::value::RawValue;

use super::content;
use super::sample::KindSample;
use super::sample::kind_sample;
use crate::features::documents::json::RawObject;
use crate::features::documents::records::Records;
use crate::features::documents::store;
use crate::features::documents::store::Document;
use crate::features::portfolio;
use crate::features::portfolio::KindInfo;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;

/// Removes title, style and settings of the sample from `new`, if `old` has the records of the sample
/// of its kind and `data` contains others. Keeps the size, the margins, and everything that differs
/// from the sample. Settings get their default values.
///
/// # Errors
/// `Internal` if the stored settings or style are not valid JSON.
pub(super) fn remove_sample_texts(
    tx: &Tx<'_>,
    old: &Document,
    new: &mut Document,
    data: &Records,
) -> Result<()> {
    let Some(kind) = portfolio::find_kind(&new.kind) else { return Ok(()) };
    let KindSample { records, .. } = &*kind_sample(kind)?;
    let may_be_sample = (old.record_count, old.data_bytes) == (records.count, records.bytes);
    if !may_be_sample
        || !content::have_same_text(&store::list_chunks(tx, &old.content)?, &records.chunks)
        || content::have_same_text(&data.chunks, &records.chunks)
    {
        return Ok(());
    }
    let KindInfo { default_settings, default_layout, .. } = kind;
    let sample = kind.sample();
    if new.title == sample.title {
        new.title.clear();
    }
    new.settings = replace_members(&new.settings, &sample.settings, default_settings)?;
    if let Some(style) = &new.style {
        new.style = Some(replace_members(style, &sample.style, default_layout)?);
    }
    Ok(())
}

/// Replaces the members of a JSON object that equal those of `sample` by those of `defaults`, and
/// removes them if there is no default.
fn replace_members(text: &str, sample: &Value, defaults: &Value) -> Result<String> {
    let mut object = RawObject::parse(text)?;
    let Some(sample) = sample.as_object() else { return Ok(text.to_owned()) };
    for (key, of_sample) in sample {
        let Some(stored) = object.0.iter().find(|(name, _)| name == key) else { continue };
        let is_equal = serde_json::from_str::<Value>(stored.1.get())? == *of_sample;
        match defaults.get(key) {
            _ if !is_equal => {}
            Some(default) => {
                object.set(key, RawValue::from_string(serde_json::to_string(default)?)?);
            }
            None => object.0.retain(|(name, _)| name != key),
        }
    }
    Ok(object.to_json()?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_of_the_sample_get_their_defaults_and_others_stay() {
        let stored =
            r#"{"sort":"asc","series":[{"key":"a"}],"width":1.50,"axis":{"min":0},"own":1}"#;
        let sample = json!({ "sort": "desc", "series": [{ "key": "a" }], "axis": { "min": 0 } });
        let replaced = replace_members(stored, &sample, &json!({ "series": [] })).unwrap();
        assert_eq!(replaced, r#"{"sort":"asc","series":[],"width":1.50,"own":1}"#);
    }
}
