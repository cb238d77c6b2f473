//! TLS configuration. Its certificate files are reloaded when they change.

mod certificate;
mod facts;
mod self_signed;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustls::ServerConfig;
use shruti_clock::Clock;

use certificate::{Contents, CurrentCertificate, Digest};
pub use facts::CertificateFacts;
pub use self_signed::{SelfSigned, self_signed};

/// Interval between two checks of the files.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Paths of the certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// Certificate of the server, followed by the intermediate certificates, in PEM.
    pub certificate: PathBuf,
    /// Private key of the certificate, in PEM, without a password.
    pub key: PathBuf,
}

/// Error that prevents the use of a certificate. A message about a file contains the path of the file.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{}: {error}", file.display())]
    Unreadable {
        /// Path of the file.
        file: PathBuf,
        /// Cause.
        error: std::io::Error,
    },
    /// A file cannot be written.
    #[error("{} cannot be written: {error}", file.display())]
    Unwritable {
        /// Path of the file.
        file: PathBuf,
        /// Cause.
        error: std::io::Error,
    },
    /// A file has unexpected content.
    #[error("{}: {what}", file.display())]
    Content {
        /// Path of the file.
        file: PathBuf,
        /// Description of the fault and of a valid file.
        what: String,
    },
    /// The certificate and the key do not match, or their type is not supported.
    #[error(
        "the key {} and the certificate {} cannot be used together: {cause}",
        files.key.display(), files.certificate.display()
    )]
    Unusable {
        /// Paths of the files.
        files: TlsFiles,
        /// Cause.
        cause: rustls::Error,
    },
    /// A certificate cannot be created.
    #[error("a certificate cannot be created: {0}")]
    CreationFailed(String),
    /// TLS cannot be initialised.
    #[error("TLS cannot be initialized: {0}")]
    Setup(rustls::Error),
}

/// TLS configuration of a server: HTTPS and WSS, with HTTP/1.1 and HTTP/2. Clones share the certificate.
///
/// A running server checks the files every two seconds. New connections use the new certificate, open connections
/// continue, and earlier sessions can still be resumed. If the files cannot be used, the old certificate stays in use
/// and the error is logged.
#[derive(Clone)]
pub struct Tls {
    files: TlsFiles,
    presented: Arc<CurrentCertificate>,
    /// Digest of the files from which the certificate in use was read.
    used: Arc<Mutex<Digest>>,
    config: Arc<ServerConfig>,
}

impl Tls {
    /// Reads the files and creates a TLS configuration with their certificate.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let contents = Contents::read(&files)?;
        let presented = Arc::new(CurrentCertificate::new(contents.parse()?));
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

    /// Reads the files, and replaces the certificate if they have changed. Returns whether they had changed. If the
    /// files are invalid, the old certificate stays in use, and the next call tries again.
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

    /// Checks the files every two seconds, forever, and reloads them when they have changed.
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
