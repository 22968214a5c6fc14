//! The settings, their defaults, and how a part of them is changed.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::features::orgs::Layout;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::field::given;

/// Most layout presets of an organization.
const MAX_LAYOUTS: usize = 100;

/// All settings. What is absent has its default: no presets, no limit, everything off.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "OrganizationSettings")]
pub struct Settings {
    /// Layout presets; new documents begin with the first.
    pub layouts: Vec<Layout>,
    /// Invite users who sign up with an address of a verified domain.
    auto_invite_domain_users: bool,
    /// Let the number of seats grow by itself.
    auto_update_seat_count: bool,
    /// How far; without it there is no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    auto_update_seat_count_limit: Option<u32>,
    /// Members must sign in by SSO.
    enforce_sso: bool,
    /// Nobody may have an individual account.
    disable_unmanaged_accounts: bool,
    /// Nothing new is stored for the organization or for its members.
    disable_document_storage: bool,
    /// All documents of the organization are private.
    disable_public_documents: bool,
}

/// Some settings; the others stay.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "OrganizationSettingsPatch")]
pub struct Patch {
    layouts: Option<Vec<Layout>>,
    auto_invite_domain_users: Option<bool>,
    auto_update_seat_count: Option<bool>,
    /// Null takes the bound away.
    #[serde(default, deserialize_with = "given")]
    auto_update_seat_count_limit: Option<Option<u32>>,
    enforce_sso: Option<bool>,
    disable_unmanaged_accounts: Option<bool>,
    disable_document_storage: Option<bool>,
    disable_public_documents: Option<bool>,
}

impl Settings {
    /// Refuses presets that are none.
    ///
    /// # Errors
    /// `Fields` naming the preset and what is wrong with it.
    pub fn check(&self) -> Result<()> {
        if self.layouts.len() > MAX_LAYOUTS {
            return Err(Error::field("layouts", format!("must be at most {MAX_LAYOUTS} presets")));
        }
        for (at, layout) in self.layouts.iter().enumerate() {
            let field = format!("layouts[{at}]");
            layout.check(&field)?;
            let refuse = |text: &str| Err(Error::field(format!("{field}.name"), text));
            match &layout.name {
                None => return refuse("is required"),
                name if self.layouts[..at].iter().any(|it| it.name == *name) => {
                    return refuse("is that of another preset already");
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// With what a patch names.
    pub fn patched(self, patch: Patch) -> Self {
        Self {
            layouts: patch.layouts.unwrap_or(self.layouts),
            auto_invite_domain_users: patch
                .auto_invite_domain_users
                .unwrap_or(self.auto_invite_domain_users),
            auto_update_seat_count: patch
                .auto_update_seat_count
                .unwrap_or(self.auto_update_seat_count),
            auto_update_seat_count_limit: patch
                .auto_update_seat_count_limit
                .unwrap_or(self.auto_update_seat_count_limit),
            enforce_sso: patch.enforce_sso.unwrap_or(self.enforce_sso),
            disable_unmanaged_accounts: patch
                .disable_unmanaged_accounts
                .unwrap_or(self.disable_unmanaged_accounts),
            disable_document_storage: patch
                .disable_document_storage
                .unwrap_or(self.disable_document_storage),
            disable_public_documents: patch
                .disable_public_documents
                .unwrap_or(self.disable_public_documents),
        }
    }

    /// With a preset more, or in place of the one of its name.
    pub fn with_layout(mut self, layout: Layout) -> Self {
        match self.layouts.iter_mut().find(|it| it.name == layout.name) {
            Some(present) => *present = layout,
            None => self.layouts.push(layout),
        }
        self
    }

    /// Without the preset of a name.
    ///
    /// # Errors
    /// `NotFound` when there is none.
    pub fn without_layout(mut self, name: &str) -> Result<Self> {
        let is_it = |layout: &Layout| layout.name.as_deref() == Some(name);
        let at = self.layouts.iter().position(is_it).found("layout preset")?;
        self.layouts.remove(at);
        Ok(self)
    }

    /// With the default of one setting.
    ///
    /// # Errors
    /// `NotFound` when no setting has this name.
    pub fn without(self, key: &str) -> Result<Self> {
        const ABSENT_BY_DEFAULT: &str = "auto_update_seat_count_limit";
        let mut all = self.map()?;
        if all.shift_remove(key).is_none() && key != ABSENT_BY_DEFAULT {
            return Err(Error::NotFound("setting"));
        }
        Ok(serde_json::from_value(Value::Object(all))?)
    }

    /// What is kept: the settings that differ from their defaults, as JSON text.
    pub fn text(&self) -> Result<String> {
        let (mut all, usual) = (self.map()?, Self::default().map()?);
        all.retain(|key, value| usual.get(key) != Some(value));
        Ok(serde_json::to_string(&all)?)
    }

    fn map(&self) -> Result<Map<String, Value>> {
        match serde_json::to_value(self)? {
            Value::Object(all) => Ok(all),
            other => Err(Error::internal(format!("settings are no object: {other}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_from_the_default_is_kept() {
        assert_eq!(Settings::default().text().unwrap(), "{}");
        let text = r#"{"auto_update_seat_count_limit":5,"disable_public_documents":true}"#;
        let settings: Settings = serde_json::from_str(text).unwrap();
        assert_eq!(settings.text().unwrap(), text);
        let settings = settings.without("auto_update_seat_count_limit").unwrap();
        assert_eq!(settings.text().unwrap(), r#"{"disable_public_documents":true}"#);
        assert_eq!(settings.without("disable_public_documents").unwrap(), Settings::default());
        assert!(Settings::default().without("auto_update_seat_count_limit").is_ok());
        assert!(Settings::default().without("colour").is_err());
    }
}
