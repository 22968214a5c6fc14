//! The identity providers for which the pages about single sign-on and user provisioning have steps.

use crate::app::RequestContext;

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

    /// Returns the provider that the query of a page selects with `provider`, or None.
    pub fn from_query(request: &RequestContext) -> Option<Self> {
        let name = request.query_value("provider")?;
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }

    /// Returns the links to the steps of all providers on the page with this path.
    pub fn list_links(path: &str, current: Option<Self>) -> Vec<ProviderLink> {
        let links = Self::ALL.into_iter().map(|provider| ProviderLink {
            label: provider.label(),
            href: provider.steps_path(path),
            is_current: current == Some(provider),
        });
        links.collect()
    }

    /// Returns whether the product provisions users of any application with SCIM, without an extension.
    pub fn has_scim(self) -> bool {
        match self {
            Self::Okta | Self::Entra | Self::OneLogin => true,
            Self::Google | Self::Keycloak | Self::Adfs => false,
        }
    }

    /// Returns the address of the steps for this provider on the page with this path.
    pub fn steps_path(self, path: &str) -> String {
        format!("{path}?provider={}#steps", self.name())
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
            Self::Entra => "Microsoft Entra ID",
            Self::Google => "Google Workspace",
            Self::OneLogin => "OneLogin",
            Self::Keycloak => "Keycloak",
            Self::Adfs => "AD FS",
        }
    }
}
