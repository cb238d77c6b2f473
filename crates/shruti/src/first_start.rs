//! The output of the first start: an API key, and a sign-in link to the Studio.

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

/// What becomes of the first key and the link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum FirstKey {
    /// They are printed on standard output.
    #[default]
    Print,
    /// Neither is made.
    None,
    /// They are written to a file that its owner alone may read.
    File(PathBuf),
}

impl FromStr for FirstKey {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "print" => Ok(Self::Print),
            "none" => Ok(Self::None),
            // so that a mistyped word is no file
            path if path.contains('/') => Ok(Self::File(path.into())),
            _ => Err("first-key must be print, none or a file with a / in its name, such as ./first-key"),
        }
    }
}

impl TryFrom<String> for FirstKey {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// Creates the first key if there is none, and a link that signs the operator in to the Studio; prints them, each on a
/// line of its own, or writes them to a file. Neither is logged.
pub(crate) async fn welcome(store: &dyn Store, base: &str, first_key: &FirstKey) -> anyhow::Result<()> {
    match first_key {
        FirstKey::Print => print(store, base).await,
        FirstKey::None => Ok(()),
        FirstKey::File(path) => {
            let context = || format!("the file of the first key, {}", path.display());
            write(store, base, path).await.with_context(context)
        }
    }
}

async fn print(store: &dyn Store, base: &str) -> anyhow::Result<()> {
    let now_ms = calendar::now_ms();
    let Some(first) = store.ensure_first_key(now_ms).await? else { return Ok(()) };
    print_line(first.secret.reveal()).map_err(|error| {
        anyhow!("{error}: the first key could not be printed; make one with `shruti keys create`")
    })?;
    let Some(link) = link(store, base, now_ms).await? else { return Ok(()) };
    // with `| head -n 1` the reader has gone after the key; the server runs all the same
    if let Err(error) = print_line(&link) {
        tracing::warn!(%error, "the link could not be printed; make one with `shruti accounts link`");
        return Ok(());
    }
    tracing::info!(
        "this is the first start: the first line on standard output is your API key, the second is a link that signs \
         you in to the Studio once, within an hour; both are shown only now"
    );
    Ok(())
}

/// The file is made first: a key that could not be written would be lost.
async fn write(store: &dyn Store, base: &str, path: &Path) -> anyhow::Result<()> {
    let mut file = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(file) => file,
        // of an earlier start, or of one whose folder is gone: where a key was made, none is written
        Err(_) if store.key_revision().await? > 0 => return Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!(
                "it is there already, and this store has no key yet; remove the file, and a new one is written"
            )
        }
        Err(error) => return Err(error.into()),
    };
    match write_into(store, base, &mut file).await {
        Ok(true) => {
            tracing::info!(file = %path.display(), "this is the first start: an API key and a link into the Studio are in this file");
            Ok(())
        }
        Ok(false) => Ok(fs::remove_file(path)?),
        Err(error) => {
            // left empty, it would keep the next start from writing a key
            if file.metadata().is_ok_and(|found| found.len() == 0) {
                let _ = fs::remove_file(path);
            }
            Err(error)
        }
    }
}

/// Whether there was something to write.
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

/// A link that signs the operator in.
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

/// The URL of the server for a browser on this machine: its address, or `localhost` where that reaches it, which
/// browsers trust most.
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

    #[test]
    fn a_browser_on_this_machine_finds_it() {
        for (is_tls, address, expected) in [
            (false, "127.0.0.1:8080", "http://localhost:8080"),
            (false, "0.0.0.0:80", "http://localhost"),
            (true, "0.0.0.0:80", "https://localhost:80"),
            (true, "[::]:443", "https://localhost"),
            (false, "[::1]:8080", "http://localhost:8080"),
            (false, "192.0.2.7:8080", "http://192.0.2.7:8080"),
            (true, "[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
            // localhost leads to the first of the loopback addresses alone
            (false, "127.0.0.2:8080", "http://127.0.0.2:8080"),
        ] {
            assert_eq!(base_url(is_tls, address.parse().unwrap()), expected, "{address}");
        }
    }
}
