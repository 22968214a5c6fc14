//! A kind's example as the texts that a new document begins with.

use std::sync::Arc;
use std::sync::LazyLock;

use quick_cache::sync::Cache;
use serde_json::Value;

use super::layout;
use crate::features::documents::records::Records;
use crate::features::portfolio::KindInfo;
use chartroom_platform::error::Result;

/// What each new document of a kind begins with.
pub struct Sample {
    /// JSON object.
    pub settings: String,
    /// JSON object, with the kind's usual sides and margins.
    pub style: String,
    pub records: Records,
}

/// The texts are the same each time, and the one thread that writes does not write them out again.
/// More kinds than this are not at hand.
static SAMPLES: LazyLock<Cache<String, Arc<Sample>>> = LazyLock::new(|| Cache::new(256));

/// The example of a kind.
///
/// # Errors
/// When it is no proper JSON, which the tests rule out.
pub fn sample(kind: &'static KindInfo) -> Result<Arc<Sample>> {
    SAMPLES.get_or_insert_with(&kind.id, || make(kind).map(Arc::new))
}

/// The example's settings go over the default ones: they name the columns of the example's data.
fn make(kind: &KindInfo) -> Result<Sample> {
    let mut settings = kind.default_settings.clone();
    if let (Some(all), Some(sample)) = (settings.as_object_mut(), kind.sample.settings.as_object())
    {
        all.extend(sample.clone());
    }
    let style = match &kind.sample.style {
        Value::Object(style) => serde_json::to_string(style)?,
        _ => "{}".to_owned(),
    };
    let mut records = Records::default();
    for record in &kind.sample.data {
        records.push(&serde_json::to_string(record)?);
    }
    Ok(Sample {
        settings: serde_json::to_string(&settings)?,
        style: layout::put(&style, &serde_json::to_string(&kind.default_layout)?)?,
        records,
    })
}
