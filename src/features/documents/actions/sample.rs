//! Sample of a chart kind, as the JSON texts of a new document.

use std::sync::Arc;
use std::sync::LazyLock;

use quick_cache::sync::Cache;
use serde_json::Value;

use super::layout;
use crate::features::documents::records::Records;
use crate::features::portfolio::KindInfo;
use chartroom_platform::error::Result;

/// Initial content of each new document of a chart kind.
pub struct KindSample {
    /// JSON object: the default settings, overridden by the settings of the sample.
    pub settings: String,
    /// JSON object, with the default size and margins of the kind.
    pub style: String,
    pub records: Records,
}

/// Cache by kind id. It saves the single writer thread from serializing the same sample again.
///
/// The capacity exceeds the number of chart kinds.
static SAMPLES: LazyLock<Cache<String, Arc<KindSample>>> = LazyLock::new(|| Cache::new(256));

/// Returns the sample of a chart kind, from the cache or built and cached.
///
/// # Errors
/// `Internal` if the sample is not valid. Tests ensure that all samples are valid.
pub fn kind_sample(kind: &'static KindInfo) -> Result<Arc<KindSample>> {
    SAMPLES.get_or_insert_with(&kind.id, || build_sample(kind).map(Arc::new))
}

/// Serializes the sample of a kind: settings, style and records. The default size and margins of
/// the kind override those in the sample's style.
///
/// The sample's settings override the default settings, because they name the columns of its data.
fn build_sample(kind: &KindInfo) -> Result<KindSample> {
    let mut settings = kind.default_settings.clone();
    if let (Some(all), Some(sample)) =
        (settings.as_object_mut(), kind.sample().settings.as_object())
    {
        all.extend(sample.clone());
    }
    let style = match &kind.sample().style {
        Value::Object(style) => serde_json::to_string(style)?,
        _ => "{}".to_owned(),
    };
    let mut records = Records::default();
    for record in &kind.sample().data {
        records.push(&serde_json::to_string(record)?);
    }
    Ok(KindSample {
        settings: serde_json::to_string(&settings)?,
        style: layout::apply_layout(&style, &serde_json::to_string(&kind.default_layout)?)?,
        records,
    })
}
