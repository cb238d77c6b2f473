//! The `shruti open` command, which opens the Studio of the running server and signs the operator in.

use std::fs::OpenOptions;
use std::io::{IsTerminal, Write, stdout};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use shruti_store::Actor;

use crate::accounts::link_path;
use crate::calendar;
use crate::data_dir::{Data, block_on};
use crate::pid_file;

/// File name, in the data folder, of the page that redirects the browser to the link.
const PAGE: &str = "shruti-open.html";

/// Open the Studio of the running server in a browser, signed in as the operator
///
/// Also prints the link, which works once and expires after an hour. It replaces any earlier link. Without a terminal
/// or a desktop, the link is only printed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the link without opening a browser
    #[arg(long)]
    print: bool,

    #[command(flatten)]
    data: Data,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let base = pid_file::url(args.data.path())?;
    block_on(async {
        let now_ms = calendar::now_ms();
        let store = args.data.existing().await?;
        let operator = store.ensure_operator(now_ms).await?;
        let Some(link) = store.create_sign_in_link(operator.id, Actor::Operator, now_ms).await? else {
            let email = operator.email;
            bail!("the account {email} is locked; `shruti accounts unlock {email}` unlocks it");
        };
        let link = format!("{base}{}", link_path(&link));
        let mut out = stdout().lock();
        writeln!(out, "{link}")?;
        out.flush()?;
        if args.print || !out.is_terminal() {
            return Ok(());
        }
        if let Some(opener) = opener() {
            open(&opener, &link, args.data.path())
        } else {
            eprintln!("no desktop found: open the link in a browser");
            Ok(())
        }
    })
}

/// Returns the program that opens a file in the browser, or `None` without a desktop.
fn opener() -> Option<PathBuf> {
    if cfg!(target_os = "macos") {
        return Some("open".into());
    }
    let has_desktop = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    has_desktop.then(|| "xdg-open".into())
}

/// Writes a page that redirects to the link, and opens the page in the browser. The link itself is not passed as a
/// command-line argument, because every user of this machine can read such arguments.
fn open(opener: &Path, link: &str, data_dir: &Path) -> anyhow::Result<()> {
    let page = data_dir.canonicalize()?.join(PAGE);
    write_page(&page, link).with_context(|| page.display().to_string())?;
    let started = Command::new(opener)
        .arg(&page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !started.is_ok_and(|status| status.success()) {
        eprintln!("no browser could be started: open the link manually");
    }
    Ok(())
}

fn write_page(page: &Path, link: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(page)?;
    // the link consists of letters, digits and URL punctuation, so nothing needs escaping
    writeln!(
        file,
        "<!doctype html><meta charset=utf-8><title>Shruti</title><meta name=referrer content=no-referrer>\
         <meta http-equiv=refresh content=\"0;url={link}\"><a href=\"{link}\">Open the Studio</a>"
    )
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_page_redirects_to_the_link_and_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let link = "http://localhost:8080/studio/link#link_abc";
        // `cat` stands in for a browser that reads the page
        open(Path::new("cat"), link, folder.path()).unwrap();
        let page = folder.path().join(PAGE);
        assert!(std::fs::read_to_string(&page).unwrap().contains(&format!("url={link}\"")));
        assert_eq!(std::fs::metadata(&page).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
