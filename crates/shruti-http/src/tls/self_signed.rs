//! Self-signed certificate, for evaluation.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::{Certificate, CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose};
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use sha2::{Digest, Sha256};

use super::certificate::Contents;
use super::{TlsError, TlsFiles};

const DAY: Duration = Duration::from_hours(24);
/// Lifetime of a certificate; browsers reject certificates with a much longer lifetime.
const LIFETIME: Duration = DAY.saturating_mul(397);
/// Minimum remaining lifetime; a certificate that expires sooner is replaced.
const MIN_REMAINING: Duration = DAY.saturating_mul(30);

/// A self-signed certificate and the paths of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfSigned {
    /// Paths of `self-signed.pem` and `self-signed.key`. Only the owner may read them.
    pub files: TlsFiles,
    /// SHA-256 of the certificate, in the format of `openssl x509 -fingerprint -sha256`.
    pub fingerprint: String,
    /// Whether this call to [`self_signed`] created the certificate.
    pub is_new: bool,
}

/// Returns the self-signed certificate in `folder`, valid for all `names` (host names and IP addresses). Names that a
/// certificate cannot contain are omitted.
///
/// The certificate is reused as long as possible, so that clients that trust it need no update. A new certificate is
/// created if there is none, if the existing one lacks a name or its key, or if the existing one expires in less than
/// 30 days.
pub fn self_signed(folder: &Path, names: &[String], now: SystemTime) -> Result<SelfSigned, TlsError> {
    let files = TlsFiles::self_signed_in(folder);
    let names: Vec<(String, ServerName<'static>)> = names
        .iter()
        .filter_map(|name| Some((name.clone(), ServerName::try_from(name.clone()).ok()?)))
        .collect();
    if let Some(fingerprint) = reusable_fingerprint(&files, &names, now) {
        return Ok(SelfSigned { files, fingerprint, is_new: false });
    }
    let (certificate, key) = create(names.into_iter().map(|(name, _)| name).collect(), now)
        .map_err(|error| TlsError::CreationFailed(error.to_string()))?;
    // the key is written first: a running server keeps the old pair until both files match
    write(&files.key, &key, 0o600)?;
    write(&files.certificate, &certificate.pem(), 0o600)?;
    let fingerprint = fingerprint(certificate.der());
    Ok(SelfSigned { files, fingerprint, is_new: true })
}

impl TlsFiles {
    /// Returns the paths that [`self_signed`] uses in a folder.
    pub fn self_signed_in(folder: &Path) -> Self {
        Self { certificate: folder.join("self-signed.pem"), key: folder.join("self-signed.key") }
    }
}

/// Returns the fingerprint of the existing certificate if it is still suitable.
fn reusable_fingerprint(
    files: &TlsFiles,
    names: &[(String, ServerName<'static>)],
    now: SystemTime,
) -> Option<String> {
    let certified = Contents::read(files).ok()?.parse().ok()?;
    let certificate = certified.end_entity_cert().ok()?;
    // checks the certificate in the same way as a client that trusts it
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).ok()?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let client = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build().ok()?;
    let is_good = |name: &ServerName<'_>, at: SystemTime| {
        let at = UnixTime::since_unix_epoch(at.duration_since(UNIX_EPOCH).unwrap_or_default());
        client.verify_server_cert(certificate, &[], name, &[], at).is_ok()
    };
    let is_suitable = names.iter().all(|(_, name)| is_good(name, now) && is_good(name, now + MIN_REMAINING));
    is_suitable.then(|| fingerprint(certificate))
}

/// Creates a certificate and returns it with its key in PEM.
fn create(names: Vec<String>, now: SystemTime) -> Result<(Certificate, String), rcgen::Error> {
    let mut parameters = CertificateParams::new(names)?;
    parameters.distinguished_name.push(DnType::CommonName, "Shruti, self-signed");
    // valid from one day before now, because the clocks of clients may be slow
    parameters.not_before = (now - DAY).into();
    parameters.not_after = (now + LIFETIME).into();
    parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let key = KeyPair::generate()?;
    Ok((parameters.self_signed(&key)?, key.serialize_pem()))
}

/// Writes a file atomically.
fn write(file: &Path, content: &str, mode: u32) -> Result<(), TlsError> {
    let failed = |error| TlsError::Unwritable { file: file.to_owned(), error };
    let unfinished = file.with_extension("new");
    // an earlier call that was interrupted may have left this file behind
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    let mut open = options.open(&unfinished).map_err(failed)?;
    open.write_all(content.as_bytes()).and_then(|()| open.sync_all()).map_err(failed)?;
    fs::rename(&unfinished, file).map_err(failed)
}

fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(certificate) {
        let colon = if text.is_empty() { "" } else { ":" };
        // writing to a string cannot fail
        let _ = write!(text, "{colon}{byte:02X}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn certificate_is_reused_while_suitable() {
        let folder = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let get = |names: &[String], at: SystemTime| self_signed(folder.path(), names, at).unwrap();
        let one = names(&["localhost", "127.0.0.1", "::1", "a host no certificate can name"]);
        let first = get(&one, now);
        assert!(first.is_new);
        assert_eq!(first.fingerprint.len(), 32 * 3 - 1);
        assert_eq!(get(&one, now + 366 * DAY), SelfSigned { is_new: false, ..first.clone() });
        assert!(!get(&names(&["localhost"]), now).is_new, "an address was removed");

        let renewed = get(&one, now + 368 * DAY);
        assert!(renewed.is_new && renewed.fingerprint != first.fingerprint, "it ends in less than 30 days");
        let more = get(&names(&["localhost", "192.0.2.7"]), now + 368 * DAY);
        assert!(more.is_new && more.fingerprint != renewed.fingerprint, "an address was added");
        assert!(get(&one, now).is_new, "it is not good yet");
    }

    #[test]
    fn replaces_a_broken_pair() {
        let folder = tempfile::tempdir().unwrap();
        let get = || self_signed(folder.path(), &names(&["localhost"]), SystemTime::now()).unwrap();
        let files = get().files;
        for file in [&files.certificate, &files.key] {
            fs::remove_file(file).unwrap();
            assert!(get().is_new);
            fs::write(file, "nothing").unwrap();
            assert!(get().is_new);
        }
        assert!(!get().is_new);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_the_key() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let made = self_signed(folder.path(), &names(&["localhost"]), SystemTime::now()).unwrap();
        assert_eq!(fs::metadata(&made.files.key).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
