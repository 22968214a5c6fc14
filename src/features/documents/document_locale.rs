//! The language of a document, which its settings contain.

use serde::Deserialize;
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
