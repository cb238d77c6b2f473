//! The server that a command talks to, and the key it signs in with.

use std::path::PathBuf;

use anyhow::{Context, bail};
use shruti_client::{Client, ClientBuilder};

/// Where the API key is if no file is named.
const KEY_VARIABLE: &str = "SHRUTI_API_KEY";

/// Where the server is. The key is never on the command line, where other users of the machine could read it.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Remote {
    /// The server: http://127.0.0.1:8080 or https://speech.example
    #[arg(long, env = "SHRUTI_SERVER", value_name = "URL")]
    pub(crate) server: Option<String>,

    /// A file that holds the API key [default: the environment's SHRUTI_API_KEY]
    #[arg(long, env = "SHRUTI_KEY_FILE", value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,

    /// Certificates to trust beside those that the machine trusts (PEM)
    #[arg(long, env = "SHRUTI_CA_CERT", value_name = "FILE")]
    pub(crate) ca_cert: Option<PathBuf>,
}

impl Remote {
    /// A client of the server.
    pub(crate) fn client(&self) -> anyhow::Result<Client> {
        Ok(self.builder()?.build()?)
    }

    /// The same, for those who want it otherwise.
    pub(crate) fn builder(&self) -> anyhow::Result<ClientBuilder> {
        let server = self.server.as_deref().context("which server? name it with --server URL")?;
        let mut builder = Client::builder(server, &self.key()?);
        if let Some(path) = &self.ca_cert {
            let named = || format!("certificates {}", path.display());
            let pem = std::fs::read(path).with_context(named)?;
            builder = builder.trust(&pem).with_context(named)?;
        }
        Ok(builder)
    }

    fn key(&self) -> anyhow::Result<String> {
        let text = match &self.key_file {
            Some(path) => {
                std::fs::read_to_string(path).with_context(|| format!("key file {}", path.display()))?
            }
            None => std::env::var(KEY_VARIABLE).unwrap_or_default(),
        };
        let key = text.trim();
        if key.is_empty() {
            bail!("there is no API key: set {KEY_VARIABLE} or name a file with --key-file");
        }
        Ok(key.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_from_a_file_without_the_line_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, "sk_abc\n").unwrap();
        let remote = Remote { key_file: Some(path.clone()), ..Remote::default() };
        assert_eq!(remote.key().unwrap(), "sk_abc");
        std::fs::write(&path, " \n").unwrap();
        assert!(remote.key().unwrap_err().to_string().contains("--key-file"));
        assert!(remote.client().unwrap_err().to_string().contains("--server"));
    }
}
