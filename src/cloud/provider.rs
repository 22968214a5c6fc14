//! The cloud storage providers.

/// A cloud storage provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    Box,
    Dropbox,
    GoogleDrive,
    OneDrive,
    Smartsheet,
}

impl Provider {
    /// All providers, in the order of the API.
    pub const ALL: [Self; 5] =
        [Self::Box, Self::Dropbox, Self::GoogleDrive, Self::OneDrive, Self::Smartsheet];

    /// Returns the provider with this name in the API. None if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.as_str() == name)
    }

    /// Returns the name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Box => "box",
            Self::Dropbox => "dropbox",
            Self::GoogleDrive => "googledrive",
            Self::OneDrive => "onedrive",
            Self::Smartsheet => "smartsheet",
        }
    }

    /// Returns the name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Box => "Box",
            Self::Dropbox => "Dropbox",
            Self::GoogleDrive => "Google Drive",
            Self::OneDrive => "OneDrive",
            Self::Smartsheet => "Smartsheet",
        }
    }
}
