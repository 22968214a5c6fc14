//! The settings of an organization, their defaults, and partial changes.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::features::orgs::Layout;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::json_field::deserialize_nullable;

/// Maximum number of layout presets of an organization.
const MAX_LAYOUTS: usize = 100;

/// All settings. An absent field has its default: no presets, no limit, everything off.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "OrganizationSettings")]
pub struct Settings {
    /// Layout presets. The first one is the default for new documents.
    pub layouts: Vec<Layout>,
    /// Invite users who sign up with an address of a verified domain.
    pub auto_invite_domain_users: bool,
    /// Increase the number of seats automatically.
    pub auto_update_seat_count: bool,
    /// Upper bound of the automatic increase. No bound if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_update_seat_count_limit: Option<u32>,
    /// Require single sign-on of managed accounts. Needs an identity provider. Passwords do not work
    /// then, API tokens do. Operators of the server are exempt.
    pub enforce_sso: bool,
    /// Require a second factor of members who have a password. Only admins may change this setting.
    pub require_second_factor: bool,
    /// Disallow individual accounts.
    pub disable_unmanaged_accounts: bool,
    /// Do not store new documents of the organization or its members.
    pub disable_document_storage: bool,
    /// Keep all documents of the organization private.
    pub disable_public_documents: bool,
}

/// Changes to some settings. An absent field keeps its value.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "OrganizationSettingsPatch")]
pub struct SettingsPatch {
    /// All presets.
    pub layouts: Option<Vec<Layout>>,
    /// Invite users who sign up with an address of a verified domain.
    pub auto_invite_domain_users: Option<bool>,
    /// Increase the number of seats automatically.
    pub auto_update_seat_count: Option<bool>,
    /// Null removes the bound.
    #[serde(default, deserialize_with = "deserialize_nullable")]
    pub auto_update_seat_count_limit: Option<Option<u32>>,
    /// Require single sign-on of managed accounts. Needs an identity provider. Passwords do not work
    /// then, API tokens do. Operators of the server are exempt.
    pub enforce_sso: Option<bool>,
    /// Require a second factor of members who have a password. Only admins may change this setting.
    pub require_second_factor: Option<bool>,
    /// Disallow individual accounts.
    pub disable_unmanaged_accounts: Option<bool>,
    /// Do not store new documents of the organization or its members.
    pub disable_document_storage: Option<bool>,
    /// Keep all documents of the organization private.
    pub disable_public_documents: Option<bool>,
}

impl Settings {
    /// Returns the number of seats up to which the organization grows automatically. `u32::MAX`
    /// means no bound. None if it does not grow.
    pub fn automatic_seat_limit(&self) -> Option<u32> {
        self.auto_update_seat_count.then(|| self.auto_update_seat_count_limit.unwrap_or(u32::MAX))
    }

    /// Returns whether only managed accounts may be members.
    pub fn disables_unmanaged_accounts(&self) -> bool {
        self.disable_unmanaged_accounts
    }

    /// Returns whether managed accounts must sign in with single sign-on.
    pub fn requires_sso(&self) -> bool {
        self.enforce_sso
    }

    /// Returns whether users with an address on a verified domain are invited automatically.
    pub fn invites_domain_users(&self) -> bool {
        self.auto_invite_domain_users
    }

    /// Checks the layout presets: number, sizes, margins, and unique names, which are required.
    /// Other settings are not checked.
    ///
    /// # Errors
    /// `InvalidFields` about the first problem, at `layouts` or a path in the preset.
    pub fn check(&self) -> Result<()> {
        if self.layouts.len() > MAX_LAYOUTS {
            return Err(Error::invalid_field(
                "layouts",
                format!("must have at most {MAX_LAYOUTS} presets"),
            ));
        }
        for (index, layout) in self.layouts.iter().enumerate() {
            let field = format!("layouts[{index}]");
            layout.check(&field)?;
            let invalid = |text: &str| Err(Error::invalid_field(format!("{field}.name"), text));
            match &layout.name {
                None => return invalid("is required"),
                name if self.layouts[..index].iter().any(|other| other.name == *name) => {
                    return invalid("must not be the name of another preset");
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Returns the settings after a partial change: each value that is present in the patch
    /// replaces the old one. A present `layouts` replaces all presets. Does not check the result.
    pub fn with_patch(self, patch: SettingsPatch) -> Self {
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
            require_second_factor: patch
                .require_second_factor
                .unwrap_or(self.require_second_factor),
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

    /// Returns the settings with a preset added at the end, or replaced if the name exists. Does
    /// not check the preset.
    pub fn with_layout(mut self, layout: Layout) -> Self {
        match self.layouts.iter_mut().find(|preset| preset.name == layout.name) {
            Some(present) => *present = layout,
            None => self.layouts.push(layout),
        }
        self
    }

    /// Returns the settings without the preset of this name.
    ///
    /// # Errors
    /// `NotFound` if there is no such preset.
    pub fn without_layout(mut self, name: &str) -> Result<Self> {
        let has_name = |layout: &Layout| layout.name.as_deref() == Some(name);
        let index = self.layouts.iter().position(has_name).or_not_found("layout preset")?;
        self.layouts.remove(index);
        Ok(self)
    }

    /// Returns the settings with one setting reset to its default. `key` is the JSON name, and it
    /// is case-sensitive. Other settings keep their value.
    ///
    /// # Errors
    /// `NotFound` if no setting has this name.
    pub fn with_default(self, key: &str) -> Result<Self> {
        const ABSENT_BY_DEFAULT: &str = "auto_update_seat_count_limit";
        let mut all = self.to_map()?;
        if all.shift_remove(key).is_none() && key != ABSENT_BY_DEFAULT {
            return Err(Error::NotFound("setting"));
        }
        Ok(serde_json::from_value(Value::Object(all))?)
    }

    /// Returns the settings that differ from their defaults, as JSON text for the database.
    pub fn to_stored_json(&self) -> Result<String> {
        let (mut all, defaults) = (self.to_map()?, Self::default().to_map()?);
        all.retain(|key, value| defaults.get(key) != Some(value));
        Ok(serde_json::to_string(&all)?)
    }

    /// Returns the names of the layout presets.
    pub fn layout_names(&self) -> Vec<&str> {
        self.layouts.iter().filter_map(|layout| layout.name.as_deref()).collect()
    }

    /// Converts the settings to a JSON object, including those with default values, except an
    /// absent seat limit.
    pub fn to_map(&self) -> Result<Map<String, Value>> {
        match serde_json::to_value(self)? {
            Value::Object(all) => Ok(all),
            other => Err(Error::internal(format!("settings are not an object: {other}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_json_omits_defaults() {
        assert_eq!(Settings::default().to_stored_json().unwrap(), "{}");
        let text = r#"{"auto_update_seat_count_limit":5,"disable_public_documents":true}"#;
        let settings: Settings = serde_json::from_str(text).unwrap();
        assert_eq!(settings.to_stored_json().unwrap(), text);
        let settings = settings.with_default("auto_update_seat_count_limit").unwrap();
        assert_eq!(settings.to_stored_json().unwrap(), r#"{"disable_public_documents":true}"#);
        assert_eq!(settings.with_default("disable_public_documents").unwrap(), Settings::default());
        assert!(Settings::default().with_default("auto_update_seat_count_limit").is_ok());
        assert!(Settings::default().with_default("colour").is_err());
    }
}
