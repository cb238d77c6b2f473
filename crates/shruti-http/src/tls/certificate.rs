//! Server certificate and the files that contain it.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use sha2::{Digest as _, Sha256};

use super::{TlsError, TlsFiles};
use crate::files::read_file;

/// Maximum size of a certificate file or a key file.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Certificate for all new connections.
#[derive(Debug)]
pub(super) struct CurrentCertificate(RwLock<Arc<CertifiedKey>>);

impl CurrentCertificate {
    pub(super) fn new(certified: CertifiedKey) -> Self {
        Self(RwLock::new(Arc::new(certified)))
    }

    pub(super) fn set(&self, certified: CertifiedKey) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(certified);
    }
}

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// Digest of the certificate and key files, used to detect changes. Modification times are not reliable: their
/// resolution is the kernel's tick, and copies preserve them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digest([u8; 32]);

/// Contents of the certificate file and the key file.
pub(super) struct Contents<'a> {
    files: &'a TlsFiles,
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl<'a> Contents<'a> {
    pub(super) fn read(files: &'a TlsFiles) -> Result<Self, TlsError> {
        Ok(Self { files, certificate: read(&files.certificate)?, key: read(&files.key)? })
    }

    pub(super) fn digest(&self) -> Digest {
        let length = (self.certificate.len() as u64).to_le_bytes();
        let digest =
            Sha256::new().chain_update(length).chain_update(&self.certificate).chain_update(&self.key);
        Digest(digest.finalize().into())
    }

    /// Parses the certificate and its key, and checks that they match.
    pub(super) fn parse(&self) -> Result<CertifiedKey, TlsError> {
        let Self { files, certificate, key } = self;
        let certificates = certificates(&files.certificate, certificate)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| TlsError::Content {
            file: files.key.clone(),
            what: format!(
                "it contains no usable key ({error}); it should contain '-----BEGIN PRIVATE KEY-----', without a \
                 password"
            ),
        })?;
        let provider = rustls::crypto::ring::default_provider();
        CertifiedKey::from_der(certificates, key, &provider)
            .map_err(|cause| TlsError::Unusable { files: (*files).clone(), cause })
    }
}

fn certificates(file: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let wrong = |what: String| TlsError::Content { file: file.to_owned(), what };
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let certificates = certificates.map_err(|error| wrong(format!("it is damaged ({error})")))?;
    if certificates.is_empty() {
        let what = "it contains no certificate; it should contain '-----BEGIN CERTIFICATE-----'";
        return Err(wrong(what.to_owned()));
    }
    Ok(certificates)
}

fn read(file: &Path) -> Result<Vec<u8>, TlsError> {
    read_file(file, MAX_FILE_BYTES).map_err(|error| TlsError::Unreadable { file: file.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::SystemTime;

    use super::super::{Tls, self_signed};
    use super::*;

    /// Creates certificate files for localhost in a temporary folder.
    fn files() -> (tempfile::TempDir, TlsFiles) {
        let folder = tempfile::tempdir().unwrap();
        let made = self_signed(folder.path(), &["localhost".to_owned()], SystemTime::now()).unwrap();
        (folder, made.files)
    }

    fn shown(tls: &Tls) -> CertificateDer<'static> {
        tls.presented.0.read().unwrap().cert[0].clone()
    }

    #[test]
    fn invalid_files_are_named_and_change_nothing() {
        let (_folder, files) = files();
        let tls = Tls::load(files.clone()).unwrap();
        let (certificate, key) = (shown(&tls), fs::read(&files.key).unwrap());
        let (_other_folder, other) = self::files();
        let pem = fs::read(&files.certificate).unwrap();
        let in_certificate = files.certificate.display().to_string();
        let in_key = files.key.display().to_string();
        let half = "-----BEGIN CERTIFICATE-----\nMIIB";
        for (written, content, named) in [
            (&files.certificate, &b"no certificate"[..], &in_certificate),
            (&files.certificate, half.as_bytes(), &in_certificate),
            (&files.certificate, &key, &in_certificate),
            (&files.key, &pem, &in_key),
            (&files.key, b"", &in_key),
            (&files.key, &fs::read(&other.key).unwrap(), &in_key),
        ] {
            let before = fs::read(written).unwrap();
            fs::write(written, content).unwrap();
            let error = tls.reload().unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
            assert!(Tls::load(files.clone()).is_err());
            assert_eq!(shown(&tls), certificate);
            fs::write(written, before).unwrap();
        }
        fs::remove_file(&files.key).unwrap();
        assert!(tls.reload().unwrap_err().to_string().contains(&in_key));
    }

    #[test]
    fn reloads_only_changed_files() {
        let (_folder, files) = files();
        let tls = Tls::load(files.clone()).unwrap();
        let before = shown(&tls);
        assert!(!tls.reload().unwrap());
        let (_other_folder, other) = self::files();
        fs::rename(&other.certificate, &files.certificate).unwrap();
        assert!(tls.reload().is_err(), "half of the change");
        fs::rename(&other.key, &files.key).unwrap();
        assert!(tls.reload().unwrap());
        assert_ne!(shown(&tls), before);
        assert!(!tls.reload().unwrap());
    }
}
