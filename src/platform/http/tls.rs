//! The TLS certificate and its private key, loaded from PEM files and reloaded on SIGHUP.

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

/// The TLS configuration of the server and the files it was loaded from.
pub struct Tls {
    cert_path: PathBuf,
    key_path: PathBuf,
    current: RwLock<Arc<ServerConfig>>,
}

impl Tls {
    /// Loads the configured files. Returns None if neither file is configured.
    ///
    /// # Errors
    /// `InvalidFields` if a file is missing or invalid, if the key does not belong to the
    /// certificate, or if only one of the two is configured.
    pub fn load(config: &Config) -> Result<Option<Self>> {
        match (&config.tls_cert, &config.tls_key) {
            (None, None) => Ok(None),
            (Some(cert), Some(key)) => {
                let current = RwLock::new(load_server_config(cert, key)?);
                Ok(Some(Self { cert_path: cert.clone(), key_path: key.clone(), current }))
            }
            (Some(_), None) => {
                Err(Error::invalid_field("tls_key", "is required if tls_cert is set"))
            }
            (None, Some(_)) => {
                Err(Error::invalid_field("tls_cert", "is required if tls_key is set"))
            }
        }
    }

    /// Returns the configuration for new connections.
    pub fn current(&self) -> Arc<ServerConfig> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Loads the files again. If they are invalid, keeps the old certificate and logs the error.
    pub fn reload(&self) {
        match load_server_config(&self.cert_path, &self.key_path) {
            Ok(config) => {
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = config;
                tracing::info!(file = %self.cert_path.display(), "certificate reloaded");
            }
            Err(error) => {
                tracing::error!(%error, "cannot reload the certificate; the old one stays in use");
            }
        }
    }
}

/// Loads a certificate chain and its key for HTTP/2 and HTTP/1.1.
///
/// # Errors
/// `InvalidFields` about `tls_cert` or `tls_key` if a file is missing or invalid; about `tls_cert`
/// if the key does not belong to the certificate.
fn load_server_config(cert: &Path, key: &Path) -> Result<Arc<ServerConfig>> {
    let field_error = |field: &'static str, path: &Path, error: &dyn std::fmt::Display| {
        Error::invalid_field(field, format!("{}: {error}", path.display()))
    };
    let chain = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>)
        .map_err(|error| field_error("tls_cert", cert, &error))?;
    if chain.is_empty() {
        return Err(field_error("tls_cert", cert, &"contains no certificate"));
    }
    let key_der =
        PrivateKeyDer::from_pem_file(key).map_err(|error| field_error("tls_key", key, &error))?;
    // `with_single_cert` also checks that the key belongs to the certificate.
    let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key_der))
        .map_err(|error| field_error("tls_cert", cert, &error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
