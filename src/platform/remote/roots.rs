//! Whose certificates are trusted: what `SSL_CERT_FILE` names, else the distribution's list, else
//! Mozilla's list as it was when the program was built.
//!
//! The system's own list comes first so that a private authority, which an operator has added to
//! it, is honoured.

use std::fs;
use std::path::Path;
use std::path::PathBuf;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::error::Error;
use crate::error::Result;

/// Where distributions keep their list.
const BUNDLES: [&str; 5] = [
    // Debian, Ubuntu, Arch, Gentoo, Alpine.
    "/etc/ssl/certs/ca-certificates.crt",
    // Fedora, RHEL.
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    // openSUSE.
    "/etc/ssl/ca-bundle.pem",
    // Alpine, BSDs.
    "/etc/ssl/cert.pem",
];

/// Trusted certificates.
#[derive(Debug)]
pub enum Roots {
    /// Those in a file.
    Some {
        /// The file.
        path: PathBuf,
        /// The certificates, DER.
        ders: Vec<Vec<u8>>,
    },
    /// Those compiled into the program.
    Compiled,
}

impl Roots {
    /// Finds them.
    ///
    /// # Errors
    /// `Invalid` when `SSL_CERT_FILE` names a file that cannot be read or has no certificate: what
    /// somebody asked for is not silently replaced.
    pub fn load() -> Result<Self> {
        if let Some(path) = std::env::var_os("SSL_CERT_FILE") {
            return Self::read(Path::new(&path));
        }
        let found = BUNDLES.iter().find_map(|path| Self::read(Path::new(path)).ok());
        Ok(found.unwrap_or(Self::Compiled))
    }

    fn read(path: &Path) -> Result<Self> {
        let wrong = |what: &str| Error::Invalid(format!("{}: {what}", path.display()));
        let pem = fs::read(path).map_err(|error| wrong(&error.to_string()))?;
        // A list may hold an entry that nobody understands any more; the others still count.
        let ders: Vec<Vec<u8>> =
            CertificateDer::pem_slice_iter(&pem).flatten().map(|it| it.to_vec()).collect();
        if ders.is_empty() {
            return Err(wrong("has no certificate"));
        }
        Ok(Self::Some { path: path.to_owned(), ders })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("roots.pem");
        let error = Roots::read(&path).unwrap_err();
        assert!(error.to_string().contains("roots.pem"), "{error}");
        fs::write(&path, "no certificate").unwrap();
        let error = Roots::read(&path).unwrap_err();
        assert!(error.to_string().ends_with("has no certificate"), "{error}");
    }
}
