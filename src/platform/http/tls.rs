//! The certificate and its key, read from PEM files, and read again when they changed.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;

use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;

use crate::config::Config;
use crate::error::Error;
use crate::error::Result;

/// The files, and what was last read from them.
pub struct Tls {
    cert: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<ServerConfig>>,
}

impl Tls {
    /// Reads the configured files; none when neither is configured.
    ///
    /// # Errors
    /// When one file is missing or wrong, or only one is configured.
    pub fn load(config: &Config) -> Result<Option<Self>> {
        match (&config.tls_cert, &config.tls_key) {
            (None, None) => Ok(None),
            (Some(cert), Some(key)) => {
                let current = RwLock::new(read(cert, key)?);
                Ok(Some(Self { cert: cert.clone(), key: key.clone(), current }))
            }
            (Some(_), None) => Err(Error::field("tls_key", "is missing beside tls_cert")),
            (None, Some(_)) => Err(Error::field("tls_cert", "is missing beside tls_key")),
        }
    }

    /// What new connections use.
    pub fn current(&self) -> Arc<ServerConfig> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the files again. When they are wrong the old certificate stays, and the log says so.
    pub fn reload(&self) {
        match read(&self.cert, &self.key) {
            Ok(fresh) => {
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = fresh;
                tracing::info!(file = %self.cert.display(), "certificate reloaded");
            }
            Err(error) => {
                tracing::error!(%error, "certificate not reloaded, the old one stays in use");
            }
        }
    }
}

fn read(cert: &Path, key: &Path) -> Result<Arc<ServerConfig>> {
    let wrong = |field: &'static str, path: &Path, error: &dyn std::fmt::Display| {
        Error::field(field, format!("{}: {error}", path.display()))
    };
    let chain = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>)
        .map_err(|error| wrong("tls_cert", cert, &error))?;
    if chain.is_empty() {
        return Err(wrong("tls_cert", cert, &"has no certificate"));
    }
    let key_der =
        PrivateKeyDer::from_pem_file(key).map_err(|error| wrong("tls_key", key, &error))?;
    // Also checks that the key belongs to the certificate.
    let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key_der))
        .map_err(|error| wrong("tls_cert", cert, &error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
