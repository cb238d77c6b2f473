//! TLS certificates that the client trusts.

use std::sync::Arc;

use rustls::client::Resumption;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::Error;

/// Returns a TLS configuration that trusts the certificates of the system.
pub fn machine_trust() -> Result<ClientConfig, Error> {
    Trust::default().into_config()
}

/// TLS settings: the certificates that are trusted in addition to those of the system, and whether sessions are
/// resumed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trust {
    certificates: Vec<CertificateDer<'static>>,
    pub(crate) never_resumes: bool,
}

impl Trust {
    /// Adds certificates in PEM.
    pub(crate) fn add(&mut self, pem: &[u8]) -> Result<(), Error> {
        let before = self.certificates.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| Error::Certificates(error.to_string()))?;
            self.certificates.push(certificate);
        }
        if self.certificates.len() == before {
            return Err(Error::Certificates(
                "no certificate found; the file should contain '-----BEGIN CERTIFICATE-----'".to_owned(),
            ));
        }
        Ok(())
    }

    /// Returns a TLS configuration that trusts the certificates of the system and the added ones.
    pub(crate) fn into_config(self) -> Result<ClientConfig, Error> {
        let mut roots = RootCertStore::empty();
        // system certificates that this library cannot parse are skipped
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        for certificate in self.certificates {
            roots.add(certificate).map_err(|error| Error::Certificates(error.to_string()))?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let versions = versions.map_err(|error| Error::Certificates(error.to_string()))?;
        let mut config = versions.with_root_certificates(roots).with_no_client_auth();
        if self.never_resumes {
            config.resumption = Resumption::disabled();
        }
        Ok(config)
    }
}
