//! `chartroom serve --demo`: a temporary data directory with sample people and charts in it.

use std::fs;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::path::PathBuf;

use crate::platform::App;
use crate::platform::crypto;
use crate::platform::error::Result;

/// A data directory that is removed at the end.
pub struct Directory(PathBuf);

impl Directory {
    /// Makes one, readable by its owner only.
    pub fn make() -> Result<Self> {
        let name = format!("chartroom-demo-{}", crypto::random_base62(8)?);
        let path = std::env::temp_dir().join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(path = %self.0.display(), %error, "a demonstration's data remain");
        }
    }
}

/// How to sign in to the demonstration.
pub struct SignIn {
    /// The e-mail address.
    pub email: String,
    /// The password.
    pub password: String,
}

/// Fills an empty database with sample people and charts.
pub fn fill(_: &App) -> Result<SignIn> {
    Err(crate::platform::error::Error::internal("there are no samples yet"))
}
