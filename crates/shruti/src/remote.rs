//! Options of a running server: its URL, its API key, and the certificates to trust.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use shruti_client::{Client, ClientBuilder, Error};
use shruti_protocol::ErrorCode;

/// Environment variable with the API key, used if no key file is given. The key is never an argument, since every user
/// of the machine can read arguments.
const API_KEY: &str = "SHRUTI_API_KEY";

/// Server and credentials, flattened into the arguments of a command.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Remote {
    /// Use a running server: http://127.0.0.1:8080, https://speech.example; its key comes from SHRUTI_API_KEY or
    /// --key-file
    #[arg(long, env = "SHRUTI_SERVER", value_name = "URL")]
    pub(crate) server: Option<String>,

    /// Read the API key from this file instead of SHRUTI_API_KEY
    #[arg(long, env = "SHRUTI_KEY_FILE", value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// Trust the certificates in this file (PEM), in addition to those that the system trusts
    #[arg(long, env = "SHRUTI_CA_CERT", value_name = "FILE")]
    ca_cert: Option<PathBuf>,
}

impl Remote {
    /// Returns the URL of the server, or `None` if it is not given or is empty.
    pub(crate) fn server(&self) -> Option<&str> {
        self.server.as_deref().map(str::trim).filter(|url| !url.is_empty())
    }

    /// Creates a client for the server, without connecting.
    pub(crate) fn client(&self) -> anyhow::Result<Client> {
        self.builder()?.build().map_err(advise)
    }

    /// Returns a client builder for the server.
    pub(crate) fn builder(&self) -> anyhow::Result<ClientBuilder> {
        let server = self.server().context("no server is set; set one with --server URL or SHRUTI_SERVER")?;
        let builder = Client::builder(server, &self.key()?);
        let Some(path) = &self.ca_cert else { return Ok(builder) };
        let pem = std::fs::read(path).with_context(|| format!("--ca-cert {}", path.display()))?;
        builder.trust(&pem).with_context(|| format!("--ca-cert {}", path.display()))
    }

    /// Returns the API key from the key file if one is named, otherwise from the environment.
    pub(crate) fn key(&self) -> anyhow::Result<String> {
        if let Some(path) = &self.key_file {
            return key_in(path);
        }
        let key = std::env::var(API_KEY).unwrap_or_default().trim().to_owned();
        if key.is_empty() {
            bail!(
                "no API key; set {API_KEY}, or put the key into a file and use --key-file FILE; the server's first \
                 start prints a key, `shruti keys create` creates more"
            );
        }
        Ok(key)
    }
}

/// Reads the key from a file. In addition to the key, the file may contain only the sign-in link that the first start
/// of a server creates.
fn key_in(path: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| format!("--key-file {}", path.display()))?;
    let words = text.split_whitespace().filter(|word| !word.contains("/studio/link#"));
    match words.collect::<Vec<_>>()[..] {
        [key] => Ok(key.to_owned()),
        [] => bail!("--key-file {} is empty; it should contain the API key", path.display()),
        _ => bail!("--key-file {} contains more than an API key", path.display()),
    }
}

/// Converts an error of the client library, and appends advice, if any.
pub(crate) fn advise(error: Error) -> anyhow::Error {
    let advice = match &error {
        Error::Connect { cause, .. } if cause.contains("signed by an unknown authority") => {
            "set it with --ca-cert FILE"
        }
        Error::Connect { cause, .. } if cause.contains("TLS") || cause.contains("certificate") => "",
        Error::Connect { .. } => "check that the server is running; `shruti serve` starts one",
        Error::Refused { detail, .. } => match detail.code {
            ErrorCode::InvalidApiKey | ErrorCode::MissingApiKey => "check SHRUTI_API_KEY or --key-file",
            ErrorCode::InsufficientScope => "`shruti keys create --scopes` creates a key with other scopes",
            ErrorCode::ExpiredApiKey | ErrorCode::RevokedApiKey => "`shruti keys create` creates another key",
            _ => "",
        },
        _ => "",
    };
    if advice.is_empty() { error.into() } else { anyhow!("{error}; {advice}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_contains_one_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        for (content, expected) in [
            ("sk_abc\n", Ok("sk_abc")),
            ("sk_abc\nhttp://localhost:8080/studio/link#link_a\n", Ok("sk_abc")),
            ("\n", Err("is empty")),
            ("sk_a sk_b", Err("more")),
        ] {
            std::fs::write(&path, content).unwrap();
            match (key_in(&path), expected) {
                (Ok(key), Ok(expected)) => assert_eq!(key, expected),
                (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
                (key, _) => panic!("{content:?}: {key:?}"),
            }
        }
        let error = key_in(Path::new("/nowhere/key")).unwrap_err();
        assert!(error.to_string().contains("/nowhere/key"), "{error}");
    }

    #[test]
    fn an_empty_variable_is_ignored() {
        let remote = Remote { server: Some(" ".to_owned()), ..Remote::default() };
        assert_eq!(remote.server(), None);
        assert!(remote.client().unwrap_err().to_string().contains("--server"));
    }
}
