//! The identity providers for which the page about single sign-on has steps.

/// An identity provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Okta.
    Okta,
    /// Microsoft Entra ID.
    Entra,
    /// Google Workspace.
    Google,
    /// OneLogin.
    OneLogin,
    /// Keycloak.
    Keycloak,
    /// Active Directory Federation Services.
    Adfs,
}

/// A link to the steps for an identity provider.
pub struct ProviderLink {
    /// Name of the product.
    pub label: &'static str,
    /// Address of the page with the steps.
    pub href: String,
    /// Whether the page shows these steps.
    pub is_current: bool,
}

impl Provider {
    /// All providers, in the order of the page.
    const ALL: [Self; 6] =
        [Self::Okta, Self::Entra, Self::Google, Self::OneLogin, Self::Keycloak, Self::Adfs];

    /// Returns the provider with this name in addresses, or None.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }

    /// Returns the links to the steps of all providers. `home` is the path of the pages of the
    /// organization.
    pub fn list_links(home: &str, current: Option<Self>) -> Vec<ProviderLink> {
        let links = Self::ALL.into_iter().map(|provider| ProviderLink {
            label: provider.label(),
            href: format!("{home}/sso?provider={}#steps", provider.name()),
            is_current: current == Some(provider),
        });
        links.collect()
    }

    /// Returns the name in addresses.
    fn name(self) -> &'static str {
        match self {
            Self::Okta => "okta",
            Self::Entra => "entra",
            Self::Google => "google",
            Self::OneLogin => "onelogin",
            Self::Keycloak => "keycloak",
            Self::Adfs => "adfs",
        }
    }

    /// Returns the name of the product.
    pub fn label(self) -> &'static str {
        match self {
            Self::Okta => "Okta",
            Self::Entra => "Entra ID",
            Self::Google => "Google Workspace",
            Self::OneLogin => "OneLogin",
            Self::Keycloak => "Keycloak",
            Self::Adfs => "AD FS",
        }
    }
}
