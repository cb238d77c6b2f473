//! Output of the first start: an API key, and a sign-in link to the Studio.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write, stdout};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;
use shruti_store::{Actor, Store};

use crate::accounts::link_path;
use crate::calendar;

/// Destination of the first API key and the sign-in link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum FirstKey {
    /// Print them on standard output.
    #[default]
    Print,
    /// Create neither.
    None,
    /// Write them to a file that only its owner can read.
    File(PathBuf),
}

impl FromStr for FirstKey {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "print" => Ok(Self::Print),
            "none" => Ok(Self::None),
            // a file name must contain a slash, so that a mistyped word is not used as a file name
            path if path.contains('/') => Ok(Self::File(path.into())),
            _ => Err("first-key must be print, none or a file path that contains a /, such as ./first-key"),
        }
    }
}

impl TryFrom<String> for FirstKey {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// Information that the operator receives when the server starts.
#[derive(Debug, Default)]
pub(crate) struct Welcome {
    /// First key, if this start created it.
    key: Option<String>,
    /// One-time link that signs the operator in to the Studio.
    link: Option<String>,
    /// File to which this start wrote the key and the link. If set, `key` and `link` are `None`.
    file: Option<PathBuf>,
}

/// Path of the self-signed certificate, if the server uses one. `curl` needs this file to trust the server.
pub(crate) type CaFile<'a> = Option<&'a Path>;

/// Creates the first key if there is none, and a link that signs the operator in to the Studio. Writes them to a file
/// if `first_key` names one. Neither is logged.
///
/// On a terminal, each start creates a link until an operator has signed in. Without a terminal, only the first start
/// creates a link, because the output may be stored in a log.
pub(crate) async fn welcome(
    store: &dyn Store,
    base: &str,
    first_key: &FirstKey,
    is_terminal: bool,
) -> anyhow::Result<Welcome> {
    match first_key {
        FirstKey::Print => make(store, base, is_terminal).await,
        FirstKey::None => Ok(Welcome::default()),
        FirstKey::File(path) => {
            let context = || format!("file for the first key, {}", path.display());
            let is_written = write(store, base, path).await.with_context(context)?;
            Ok(Welcome { file: is_written.then(|| path.clone()), ..Welcome::default() })
        }
    }
}

async fn make(store: &dyn Store, base: &str, is_terminal: bool) -> anyhow::Result<Welcome> {
    let now_ms = calendar::now_ms();
    let first = store.ensure_first_key(now_ms).await?;
    let key = first.map(|first| first.secret.reveal().to_owned());
    let wants_link = key.is_some() || (is_terminal && !store.can_operator_sign_in(now_ms).await?);
    let link = if wants_link { link(store, base, now_ms).await? } else { None };
    Ok(Welcome { key, link, file: None })
}

impl Welcome {
    /// Prints the key and the link for programs, each on its own line.
    pub(crate) fn print_lines(&self) -> anyhow::Result<()> {
        let Some(key) = &self.key else { return Ok(()) };
        print_line(key).map_err(|error| {
            anyhow!("{error}: the first key could not be printed; create another with `shruti keys create`")
        })?;
        let Some(link) = &self.link else { return Ok(()) };
        // with `| head -n 1`, the reader exits after the line with the key, but the server keeps running
        if let Err(error) = print_line(link) {
            tracing::warn!(%error, "the link could not be printed; create another with `shruti open`");
            return Ok(());
        }
        tracing::info!(
            "first start: your API key and a link that signs you in to the Studio once, within an hour, were written \
             to standard output; neither is shown again"
        );
        Ok(())
    }

    /// Prints the next steps for people: the Studio, the API key, a first request and the documentation.
    pub(crate) fn print_block(&self, base: &str, ca_file: CaFile<'_>) {
        // a closed terminal does not stop the server
        if let Err(error) = print_line(&self.block(base, ca_file)) {
            tracing::warn!(
                %error,
                "the welcome text could not be printed; `shruti keys create` and `shruti open` create a key and a link"
            );
        }
    }

    /// Formats the text that [`Self::print_block`] prints. There are horizontal lines above and below the text, but no
    /// frame at its sides, so that lines can be copied.
    fn block(&self, base: &str, ca_file: CaFile<'_>) -> String {
        let rule = "─".repeat(78);
        let mut lines = vec![rule.clone(), format!(" Shruti is ready: {base}"), String::new()];
        if let Some(file) = &self.file {
            lines.push(format!(" Start    Studio link and API key are in {}", file.display()));
        } else {
            match &self.link {
                Some(link) => lines.extend([
                    format!(" Studio   {link}"),
                    "          signs you in once, within an hour; `shruti open` creates another".to_owned(),
                ]),
                None => lines.push(format!(" Studio   {base}/studio (`shruti open` signs you in)")),
            }
            match &self.key {
                Some(key) => lines.extend([
                    format!(" API key  {key}"),
                    "          not shown again; `shruti keys create` creates another".to_owned(),
                ]),
                None => lines.push(" API key  `shruti keys create` creates one".to_owned()),
            }
        }
        lines.extend([
            format!(" Docs     {base}/docs"),
            String::new(),
            " Try it in another terminal:".to_owned(),
        ]);
        let key = self.key.as_deref().unwrap_or("$SHRUTI_API_KEY");
        let ca = ca_file.map(|file| format!(" --cacert '{}'", file.display())).unwrap_or_default();
        lines.extend([
            String::new(),
            format!("curl -sS --fail-with-body{ca} {base}/v1/tts -o hello.wav \\"),
            format!("  -H \"Authorization: Bearer {key}\" \\"),
            "  -H 'content-type: application/json' -H 'accept: audio/wav' \\".to_owned(),
            "  -d '{\"text\": \"नमस्ते! आपका order कल तक पहुँच जाएगा।\"}'".to_owned(),
            String::new(),
            " Ctrl-C stops the server.".to_owned(),
            rule,
        ]);
        lines.join("\n")
    }
}

/// Creates the file, then the key and the link, and writes both. The file is created first, because a key that could
/// not be written would be lost. Returns whether anything was written.
async fn write(store: &dyn Store, base: &str, path: &Path) -> anyhow::Result<bool> {
    let mut file = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(file) => file,
        // the file may belong to an earlier start, or its folder may not exist: if the store already has a key, nothing
        // is written
        Err(_) if store.key_revision().await? > 0 => return Ok(false),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!(
                "the file exists already, but this store has no key yet; remove the file, and the next start writes \
                 a new one"
            )
        }
        Err(error) => return Err(error.into()),
    };
    match write_into(store, base, &mut file).await {
        Ok(true) => {
            tracing::info!(
                file = %path.display(),
                "first start: an API key and a link to the Studio were written to this file"
            );
            Ok(true)
        }
        Ok(false) => {
            fs::remove_file(path)?;
            Ok(false)
        }
        Err(error) => {
            // an empty file would prevent the next start from writing a key
            if file.metadata().is_ok_and(|found| found.len() == 0) {
                let _ = fs::remove_file(path);
            }
            Err(error)
        }
    }
}

/// Creates the first key and the link and writes them. Returns whether there was anything to write.
async fn write_into(store: &dyn Store, base: &str, file: &mut File) -> anyhow::Result<bool> {
    let now_ms = calendar::now_ms();
    let Some(first) = store.ensure_first_key(now_ms).await? else { return Ok(false) };
    writeln!(file, "{}", first.secret.reveal())?;
    if let Some(link) = link(store, base, now_ms).await? {
        writeln!(file, "{link}")?;
    }
    file.sync_all()?;
    Ok(true)
}

/// Creates a link that signs the operator in. Returns `None` if the operator's account is locked.
async fn link(store: &dyn Store, base: &str, now_ms: i64) -> anyhow::Result<Option<String>> {
    let operator = store.ensure_operator(now_ms).await?;
    let made = store.create_sign_in_link(operator.id, Actor::Operator, now_ms).await?;
    Ok(made.map(|link| format!("{base}{}", link_path(&link))))
}

fn print_line(line: &str) -> std::io::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Returns the URL of the server for a browser on this machine. The host is `localhost` if the server can be reached by
/// that name, because browsers treat `localhost` as secure. Otherwise the host is the server's address.
pub(crate) fn base_url(is_tls: bool, address: SocketAddr) -> String {
    let (scheme, usual_port) = if is_tls { ("https", 443) } else { ("http", 80) };
    let is_here = |ip: IpAddr| {
        ip.is_unspecified()
            || ip == IpAddr::from([127, 0, 0, 1])
            || ip == IpAddr::from(std::net::Ipv6Addr::LOCALHOST)
    };
    let host = match address.ip() {
        ip if is_here(ip) => "localhost".to_owned(),
        IpAddr::V6(ip) => format!("[{ip}]"),
        IpAddr::V4(ip) => ip.to_string(),
    };
    match address.port() {
        port if port == usual_port => format!("{scheme}://{host}"),
        port => format!("{scheme}://{host}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "http://localhost:8080";

    #[test]
    fn the_message_fits_a_terminal_and_names_the_created_items() {
        let welcome = Welcome {
            key: Some(format!("sk_{}", "a".repeat(40))),
            link: Some(format!("{BASE}/studio/link#link_{}", "b".repeat(44))),
            file: None,
        };
        let later = Welcome::default();
        let in_file = Welcome { file: Some("/run/first-key".into()), ..Welcome::default() };
        for (welcome, named) in [
            (&welcome, &["#link_bbb", " API key  sk_aaa", "Bearer sk_aaa", "/docs"][..]),
            (&later, &["shruti open", "shruti keys create", "Bearer $SHRUTI_API_KEY"]),
            (&in_file, &["/run/first-key", "Bearer $SHRUTI_API_KEY"]),
        ] {
            let block = welcome.block(BASE, None);
            for name in named {
                assert!(block.contains(name), "{name}: {block}");
            }
            for line in block.lines().filter(|line| !line.contains("#link_")) {
                assert!(unicode_width::UnicodeWidthStr::width(line) <= 80, "{line}");
            }
        }
        let block = later.block(BASE, Some(Path::new("/data/self-signed.pem")));
        assert!(block.contains(" --cacert '/data/self-signed.pem' "), "{block}");
    }

    #[test]
    fn the_link_works_in_a_browser_on_this_machine() {
        for (is_tls, address, expected) in [
            (false, "127.0.0.1:8080", "http://localhost:8080"),
            (false, "0.0.0.0:80", "http://localhost"),
            (true, "0.0.0.0:80", "https://localhost:80"),
            (true, "[::]:443", "https://localhost"),
            (false, "[::1]:8080", "http://localhost:8080"),
            (false, "192.0.2.7:8080", "http://192.0.2.7:8080"),
            (true, "[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
            // localhost resolves to 127.0.0.1 and to no other IPv4 loopback address
            (false, "127.0.0.2:8080", "http://127.0.0.2:8080"),
        ] {
            assert_eq!(base_url(is_tls, address.parse().unwrap()), expected, "{address}");
        }
    }
}
