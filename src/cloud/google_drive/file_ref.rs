//! A reference to a file of Google Drive.

/// A file and the key that some shared files need.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileRef<'a> {
    pub(super) id: &'a str,
    pub(super) key: Option<&'a str>,
}

impl<'a> FileRef<'a> {
    /// Returns a reference without key.
    pub(super) fn new(id: &'a str) -> Self {
        Self { id, key: None }
    }

    /// Returns the value of the header with the key. None without a key, and for texts that no key has.
    pub(super) fn header(&self) -> Option<String> {
        let is_token = |text: &str| {
            text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        };
        let key = self.key.filter(|key| is_token(key) && is_token(self.id))?;
        Some(format!("{}/{key}", self.id))
    }
}
