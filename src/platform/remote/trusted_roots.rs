//! Trusted root certificates for outbound TLS connections.
//!
//! Order: the file in `SSL_CERT_FILE`, the list of the Linux distribution, Mozilla's list at build
//! time. The list of the distribution has precedence over the built-in one, because operators add
//! private certificate authorities to it.

use std::fs;
use std::path::Path;
use std::path::PathBuf;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::error::Error;
use crate::error::Result;

/// Paths of the list in common distributions.
const BUNDLE_PATHS: [&str; 5] = [
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

/// The trusted root certificates.
#[derive(Debug)]
pub enum TrustedRoots {
    /// Certificates from a file.
    File {
        /// Path of the file.
        path: PathBuf,
        /// Certificates in DER format.
        ders: Vec<Vec<u8>>,
    },
    /// Certificates compiled into the program.
    BuiltIn,
}

impl TrustedRoots {
    /// Loads the first available list. A list of the distribution that is unusable is skipped.
    ///
    /// # Errors
    /// `Invalid` if `SSL_CERT_FILE` is set and the file cannot be read or contains no certificate.
    /// An explicit setting is never silently replaced.
    pub fn load() -> Result<Self> {
        if let Some(path) = std::env::var_os("SSL_CERT_FILE") {
            return Self::read(Path::new(&path));
        }
        let found = BUNDLE_PATHS.iter().find_map(|path| Self::read(Path::new(path)).ok());
        Ok(found.unwrap_or(Self::BuiltIn))
    }

    /// Reads the certificates of a PEM file. Skips entries that cannot be parsed.
    ///
    /// # Errors
    /// `Invalid` if the file cannot be read or contains no certificate.
    fn read(path: &Path) -> Result<Self> {
        let error = |reason: &str| Error::Invalid(format!("{}: {reason}", path.display()));
        let pem = fs::read(path).map_err(|cause| error(&cause.to_string()))?;
        // Skips entries that cannot be parsed, because lists may contain obsolete ones.
        let ders: Vec<Vec<u8>> =
            CertificateDer::pem_slice_iter(&pem).flatten().map(|der| der.to_vec()).collect();
        if ders.is_empty() {
            return Err(error("contains no certificate"));
        }
        Ok(Self::File { path: path.to_owned(), ders })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_and_a_file_without_certificates_are_errors() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("roots.pem");
        let error = TrustedRoots::read(&path).unwrap_err();
        assert!(error.to_string().contains("roots.pem"), "{error}");
        fs::write(&path, "no certificate").unwrap();
        let error = TrustedRoots::read(&path).unwrap_err();
        assert!(error.to_string().ends_with("contains no certificate"), "{error}");
    }
}
