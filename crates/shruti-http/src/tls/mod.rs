//! TLS: a certificate in files that are read again when they change, and handshakes that hold nothing up.

mod certificate;
mod facts;
mod self_signed;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustls::ServerConfig;
use shruti_clock::Clock;

use certificate::{Contents, Digest, Presented};
pub use facts::CertificateFacts;
pub use self_signed::{SelfSigned, self_signed};

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Where the certificate and its key are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, then those that lead from it to one that clients trust, in PEM.
    pub certificate: PathBuf,
    /// Its private key, in PEM, without a password.
    pub key: PathBuf,
}

/// Why a certificate cannot be used. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{}: {error}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file cannot be written.
    #[error("{} cannot be written: {error}", file.display())]
    Unwritable {
        /// The file.
        file: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file holds something else.
    #[error("{}: {what}", file.display())]
    Content {
        /// The file.
        file: PathBuf,
        /// What is wrong and what would be right.
        what: String,
    },
    /// The certificate and the key are not for each other, or are of a kind that cannot be used.
    #[error(
        "the key {} and the certificate {} cannot be used together: {cause}",
        files.key.display(), files.certificate.display()
    )]
    Unusable {
        /// The files.
        files: TlsFiles,
        /// Why.
        cause: rustls::Error,
    },
    /// No certificate can be made.
    #[error("a certificate cannot be made: {0}")]
    NotMade(String),
    /// TLS itself cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Setup(rustls::Error),
}

/// TLS of a server: HTTPS and WSS, with HTTP/1.1 and HTTP/2. Clones share the certificate.
///
/// A running server looks at the files every two seconds. New connections get the new certificate, those that are
/// open go on, and sessions of before can still be resumed. Files that cannot be used leave the old certificate in
/// place and are logged.
#[derive(Clone)]
pub struct Tls {
    files: TlsFiles,
    presented: Arc<Presented>,
    /// What the files held when they were last used.
    used: Arc<Mutex<Digest>>,
    config: Arc<ServerConfig>,
}

impl Tls {
    /// Reads the files.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let contents = Contents::read(&files)?;
        let presented = Arc::new(Presented::new(contents.parse()?));
        let used = Arc::new(Mutex::new(contents.digest()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Setup)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&presented) as Arc<_>);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        config.ticketer = rustls::crypto::ring::Ticketer::new().map_err(TlsError::Setup)?;
        Ok(Self { files, presented, used, config: Arc::new(config) })
    }

    /// Reads the files again if they have changed; tells whether they had. What cannot be used changes nothing and
    /// is tried again at the next call.
    pub fn reload(&self) -> Result<bool, TlsError> {
        let contents = Contents::read(&self.files)?;
        let digest = contents.digest();
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if *used == digest {
            return Ok(false);
        }
        self.presented.set(contents.parse()?);
        *used = digest;
        Ok(true)
    }

    pub(crate) fn config(&self) -> &Arc<ServerConfig> {
        &self.config
    }

    /// Follows the files for ever.
    pub async fn follow(self, clock: Arc<dyn Clock>) {
        let mut complaint = String::new();
        loop {
            clock.wait_until(clock.now().monotonic + LOOK_EVERY).await;
            let tls = self.clone();
            let Ok(reloaded) = tokio::task::spawn_blocking(move || tls.reload()).await else { continue };
            match reloaded {
                Ok(is_new) => {
                    complaint.clear();
                    if is_new {
                        let file = self.files.certificate.display();
                        tracing::info!(%file, "the certificate has changed");
                    }
                }
                Err(error) => {
                    let now = error.to_string();
                    if now != complaint {
                        tracing::error!(%error, "the new certificate cannot be used; the previous one stays in use");
                        complaint = now;
                    }
                }
            }
        }
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("files", &self.files).finish_non_exhaustive()
    }
}
