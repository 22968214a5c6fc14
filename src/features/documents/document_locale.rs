//! The language of a document, which its settings contain.

use serde::Deserialize;
use serde_json::Map;
use serde_json::Value;

use chartroom_platform::error::Result;

/// Returns the language tag `locale` in the settings of a document, given as JSON. None if it is
/// absent, empty or no string. The tag is not checked.
pub fn read_locale(settings: &str) -> Result<Option<String>> {
    /// The only setting that is read.
    #[derive(Deserialize)]
    struct LocaleSetting {
        #[serde(default)]
        locale: Value,
    }
    let LocaleSetting { locale } = serde_json::from_str(settings)?;
    Ok(locale.as_str().filter(|tag| !tag.is_empty()).map(str::to_owned))
}

/// Returns the settings of a document, given as JSON, with another language tag `locale`.
pub fn with_locale(settings: &str, tag: &str) -> Result<String> {
    let mut members: Map<String, Value> = serde_json::from_str(settings)?;
    members.insert("locale".to_owned(), Value::from(tag));
    Ok(serde_json::to_string(&members)?)
}
