//! Removal of the texts of the sample when a new document gets its first own data.
//!
//! A new document contains the sample of its chart kind. Its title, notes and settings describe the
//! data of the sample, so that they would be wrong above other data.

use std::collections::HashMap;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::OnceLock;

use serde_json::Value;
use serde_json::value::RawValue;

use super::content;
use super::sample::KindSample;
use super::sample::kind_sample;
use crate::features::documents::json::RawObject;
use crate::features::documents::records;
use crate::features::documents::records::Chunk;
use crate::features::documents::records::Records;
use crate::features::documents::store;
use crate::features::documents::store::Document;
use crate::features::portfolio;
use crate::features::portfolio::KindInfo;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;

/// Maximum size in bytes of records that are searched for those of a sample. The samples are much
/// smaller.
const MAX_SEARCHED_BYTES: i64 = 256 << 10;

/// Minimum number of successive records with one field each that tell a sample.
const MIN_EQUAL_RECORDS: usize = 5;

/// Reads the records that a document has before a change.
pub type ReadChunks<'a> = &'a dyn Fn() -> Result<Vec<Chunk>>;

/// Removes title, style and settings of the sample from `new`, if `old` still shows the sample of
/// its kind or of an earlier one and `data`, the new records, is no sample. Members of style and
/// settings that equal the sample get their default, or are removed without one. Members that
/// differ from the sample stay. The title becomes empty. Changes only `new` in memory.
///
/// # Errors
/// `Internal` if the stored settings or style are not valid JSON.
pub(super) fn remove_sample_texts(
    old_chunks: ReadChunks<'_>,
    old: &Document,
    new: &mut Document,
    data: &Records,
) -> Result<()> {
    if is_sample(data)? {
        return Ok(());
    }
    remove_texts_of_samples(old_chunks, old, new)
}

/// Removes title, style and settings of the sample from `new`, if `old` still shows the sample of
/// its kind or of an earlier one. Does the same as `remove_sample_texts`, but without new records
/// to check, for a record that is appended to those of `old`. Does nothing if the kind of `new`
/// does not exist.
///
/// # Errors
/// As [`remove_sample_texts`].
pub(super) fn remove_texts(tx: &Tx<'_>, old: &Document, new: &mut Document) -> Result<()> {
    remove_texts_of_samples(&|| store::list_chunks(tx, &old.content), old, new)
}

/// See [`remove_texts`].
fn remove_texts_of_samples(
    old_chunks: ReadChunks<'_>,
    old: &Document,
    new: &mut Document,
) -> Result<()> {
    let Some(kind) = portfolio::find_kind(&new.kind) else { return Ok(()) };
    change_for_shown_samples(old_chunks, old, new, |new, shown| {
        let sample = shown.sample();
        let has_title = new.title == sample.title && !new.title.is_empty();
        let settings = replace_members(&new.settings, &sample.settings, &kind.default_settings)?;
        let style = style_without_sample(new, kind, shown)?;
        if !has_title && settings.is_none() && style.is_none() {
            return Ok(None);
        }
        let mut changed = new.clone();
        if has_title {
            changed.title.clear();
        }
        changed.settings = settings.unwrap_or(changed.settings);
        changed.style = style.or(changed.style);
        Ok(Some(changed))
    })
}

/// Removes only the style of the sample from `new` as `remove_sample_texts` does. For a request
/// that sets the title and the settings itself. Does nothing if `data`, the new records, is empty.
///
/// # Errors
/// As [`remove_sample_texts`].
pub(super) fn remove_sample_style(
    tx: &Tx<'_>,
    old: &Document,
    new: &mut Document,
    data: &Records,
) -> Result<()> {
    let Some(kind) = portfolio::find_kind(&new.kind) else { return Ok(()) };
    // A request without data leaves nothing that the texts could contradict.
    if new.style.is_none() || data.count == 0 || is_sample(data)? {
        return Ok(());
    }
    let old_chunks = || store::list_chunks(tx, &old.content);
    change_for_shown_samples(&old_chunks, old, new, |new, shown| {
        let style = style_without_sample(new, kind, shown)?;
        Ok(style.map(|style| Document { style: Some(style), ..new.clone() }))
    })
}

/// Returns the style of a document with the members reset that equal those of the sample of `shown`: to
/// the default layout of `kind`, or removed if it has none. `None` if nothing changes.
fn style_without_sample(
    document: &Document,
    kind: &KindInfo,
    shown: &KindInfo,
) -> Result<Option<String>> {
    let Some(style) = &document.style else { return Ok(None) };
    replace_members(style, &shown.sample().style, &kind.default_layout)
}

/// Samples by their number of records and of bytes.
type SamplesBySize = HashMap<(i64, i64), Vec<Arc<KindSample>>>;

/// Returns the samples of all chart kinds, so that a save finds those of the size of its records without
/// a look at each kind.
fn samples_by_size() -> Result<&'static SamplesBySize> {
    static SAMPLES: OnceLock<SamplesBySize> = OnceLock::new();
    if let Some(samples) = SAMPLES.get() {
        return Ok(samples);
    }
    let mut by_size = SamplesBySize::new();
    for kind in portfolio::kinds() {
        let sample = kind_sample(kind)?;
        let size = (sample.records.count, sample.records.bytes);
        by_size.entry(size).or_default().push(sample);
    }
    Ok(SAMPLES.get_or_init(|| by_size))
}

/// Returns whether records are exactly those of the sample of any chart kind, in the same order.
fn is_sample(data: &Records) -> Result<bool> {
    let samples = samples_by_size()?.get(&(data.count, data.bytes));
    let is_same =
        |sample: &Arc<KindSample>| content::have_same_text(&data.chunks, &sample.records.chunks);
    Ok(samples.is_some_and(|samples| samples.iter().any(is_same)))
}

/// Changes `new` by `change` for each sample that `old` shows: `old` has the kind, the title or a
/// text of the style of the sample, and a record of the sample or no records. Does nothing for
/// large records.
///
/// `change` returns the changed document, or `None` if it changes nothing. It is also called for other
/// samples, and its result is then dropped. The records are read only if it changes something, because most
/// documents show no sample.
fn change_for_shown_samples(
    old_chunks: ReadChunks<'_>,
    old: &Document,
    new: &mut Document,
    change: impl Fn(&Document, &KindInfo) -> Result<Option<Document>>,
) -> Result<()> {
    if old.data_bytes > MAX_SEARCHED_BYTES {
        return Ok(());
    }
    let mut chunks = None;
    let own_kind = portfolio::find_kind(&old.kind);
    for kind in list_named_samples(old)?.into_iter().chain(own_kind) {
        let Some(changed) = change(new, kind)? else { continue };
        if chunks.is_none() {
            chunks = Some(old_chunks()?);
        }
        let stored = chunks.as_deref().unwrap_or_default();
        if old.record_count == 0 || has_record_of_sample(stored, kind)? {
            *new = changed;
        }
    }
    Ok(())
}

/// Returns whether a document has the title, or a text of the style such as the subtitle, of the
/// sample of any chart kind. Does not look at the records.
///
/// # Errors
/// `Internal` if the stored style is not valid JSON.
pub(super) fn has_text_of_sample(document: &Document) -> Result<bool> {
    Ok(!list_named_samples(document)?.is_empty())
}

/// Returns the kinds with a sample that has the title of a document, or the same text in a member
/// of the style. An empty title does not count.
fn list_named_samples(document: &Document) -> Result<Vec<&'static KindInfo>> {
    let style = document.style.as_deref().map(serde_json::from_str::<Value>).transpose()?;
    let style = style.unwrap_or_default();
    let of_document = list_texts(&document.title, &style);
    if !of_document.iter().any(|text| TEXTS_OF_SAMPLES.contains(text)) {
        return Ok(Vec::new());
    }
    let has_text = |kind: &&KindInfo| {
        let mut of_sample = list_texts(&kind.sample().title, &kind.sample().style).into_iter();
        of_sample.any(|text| of_document.contains(&text))
    };
    Ok(portfolio::kinds().iter().filter(has_text).collect())
}

/// The texts of all samples as of [`list_texts`]. Most documents have none of them, so that a save does
/// not look at each sample.
static TEXTS_OF_SAMPLES: LazyLock<HashSet<(&str, &str)>> = LazyLock::new(|| {
    let samples = portfolio::kinds().iter().map(KindInfo::sample);
    samples.flat_map(|sample| list_texts(&sample.title, &sample.style)).collect()
});

/// Returns the title, unless it is empty, and the texts in members of a style, with the key of the member.
/// The key of the title is empty.
fn list_texts<'a>(title: &'a str, style: &'a Value) -> Vec<(&'a str, &'a str)> {
    let members = style.as_object().into_iter().flatten();
    let texts = members.filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)));
    texts.chain(Some(("", title)).filter(|_| !title.is_empty())).collect()
}

/// Returns whether chunks contain a record of the kind's sample, with exactly the same JSON text.
/// Other data may have the same sample records with fewer than two fields, so that these need
/// [`MIN_EQUAL_RECORDS`] of them in the same order.
///
/// Splits the records once instead of searching the chunks for each record of the sample: each save of a
/// document gets here if a member of its style equals that of the sample.
///
/// # Errors
/// Those of [`kind_sample`].
fn has_record_of_sample(chunks: &[Chunk], kind: &'static KindInfo) -> Result<bool> {
    let sample = kind_sample(kind)?;
    let has_fields = |record: &Value| record.as_object().is_some_and(|fields| fields.len() > 1);
    let of_sample = split_chunks(&sample.records.chunks).zip(&kind.sample().data);
    let (large, small): (Vec<_>, Vec<_>) = of_sample.partition(|(_, record)| has_fields(record));
    let large: HashSet<&str> = large.into_iter().map(|(text, _)| text).collect();
    let small: Vec<&str> = small.into_iter().map(|(text, _)| text).collect();
    let stored: Vec<&str> = split_chunks(chunks).collect();
    if stored.iter().any(|text| large.contains(text)) {
        return Ok(true);
    }
    let is_of_sample = |texts: &[&str]| small.windows(MIN_EQUAL_RECORDS).any(|own| own == texts);
    Ok(!small.is_empty() && stored.windows(MIN_EQUAL_RECORDS).any(is_of_sample))
}

/// Returns the JSON texts of the records in chunks.
fn split_chunks(chunks: &[Chunk]) -> impl Iterator<Item = &str> {
    chunks.iter().flat_map(|chunk| records::split_records(&chunk.body))
}

/// Returns the JSON object `text` with the members that equal those of `sample` replaced by those
/// of `defaults`, or removed if there is no default. Other members stay. `None` if nothing changes or
/// `sample` is not an object.
fn replace_members(text: &str, sample: &Value, defaults: &Value) -> Result<Option<String>> {
    let Some(sample) = sample.as_object() else { return Ok(None) };
    let mut object = RawObject::parse(text)?;
    let mut has_changed = false;
    for (key, of_sample) in sample {
        let default = defaults.get(key);
        let Some(stored) = object.0.iter().find(|(name, _)| name == key) else { continue };
        if default == Some(of_sample)
            || serde_json::from_str::<Value>(stored.1.get())? != *of_sample
        {
            continue;
        }
        has_changed = true;
        match default {
            Some(default) => {
                object.set(key, RawValue::from_string(serde_json::to_string(default)?)?);
            }
            None => object.remove(key),
        }
    }
    Ok(if has_changed { Some(object.to_json()?) } else { None })
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
        let expected = r#"{"sort":"asc","series":[],"width":1.50,"own":1}"#;
        assert_eq!(replaced.as_deref(), Some(expected));
        assert_eq!(replace_members(expected, &sample, &json!({})).unwrap(), None);
    }
}
