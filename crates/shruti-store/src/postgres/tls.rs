//! TLS connections to the database, with certificates that are always verified.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::PostgresAddress;
use crate::error::StoreError;

/// Returns the TLS connector for an address. The address determines whether TLS is used.
pub(super) fn connector(address: &PostgresAddress) -> Result<MakeRustlsConnect, StoreError> {
    let mut roots = RootCertStore::empty();
    if let Some(file) = &address.root_certificates {
        let unusable = |why: String| StoreError::RootCertificates { path: file.display().to_string(), why };
        let certificates =
            CertificateDer::pem_file_iter(file).map_err(|error| unusable(error.to_string()))?;
        for certificate in certificates {
            let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
            roots.add(certificate).map_err(|error| unusable(error.to_string()))?;
        }
        if roots.is_empty() {
            return Err(unusable("it contains no certificate".to_owned()));
        }
    } else if address.is_encrypted() {
        // certificates of the operating system that cannot be parsed are skipped
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Database(Box::new(error)))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
