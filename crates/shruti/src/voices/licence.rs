//! Display and acceptance of the licence of a pack, before anything is installed.

use std::io::{BufRead, IsTerminal, Write, stderr, stdin};

use anyhow::{bail, ensure};
use shruti_packs::{Commercial, Licence};
use shruti_store::PackEvent;

use super::setting::write_down;
use crate::data_dir::Data;
use crate::printable::{printable, printable_lines};

/// Options for accepting a licence.
#[derive(clap::Args)]
pub(super) struct Acceptance {
    /// Accept this licence (SPDX name), which must be that of the pack, without a prompt
    #[arg(long, value_name = "SPDX")]
    accept: Option<String>,

    /// Confirm that the use is not commercial; required if the licence forbids commercial use or its terms are unknown
    #[arg(long)]
    non_commercial: bool,
}

impl Acceptance {
    /// Checks that the user accepts the licence of a pack, and records this in the audit log. Without `--accept`, shows
    /// the terms and asks the user.
    pub(super) fn ask(&self, data: &Data, id: &str, licence: &Licence, text: &[u8]) -> anyhow::Result<()> {
        if licence.commercial != Commercial::Yes && !self.non_commercial {
            let says = match licence.commercial {
                Commercial::No => "forbids commercial use",
                _ => "does not say whether commercial use is allowed",
            };
            bail!(
                "the licence of {id} ({}) {says}; if your use is not commercial, add --non-commercial",
                licence.spdx
            );
        }
        match &self.accept {
            Some(accepted) => ensure!(
                *accepted == licence.spdx,
                "the licence of {id} is {}, not {accepted} as in --accept",
                licence.spdx
            ),
            None => ask(id, licence, text)?,
        }
        let uses = if self.non_commercial { " non-commercial" } else { "" };
        write_down(data, PackEvent::LicenceAccepted, &format!("{id} {}{uses}", licence.spdx))
    }
}

/// Shows the terms, and waits until the user types the name of the licence.
fn ask(id: &str, licence: &Licence, text: &[u8]) -> anyhow::Result<()> {
    ensure!(
        stdin().is_terminal() && stderr().is_terminal(),
        "the licence of {id} must be accepted; run this command in a terminal, or read the licence ({}) and add \
         --accept {}",
        licence.source,
        licence.spdx
    );
    let mut out = stderr().lock();
    writeln!(out, "{}\n", printable_lines(&String::from_utf8_lossy(text)).trim_end())?;
    writeln!(
        out,
        "pack: {id}\nlicence: {}\nby: {}\nfrom: {}",
        printable(&licence.spdx),
        printable(&licence.attribution),
        printable(&licence.source)
    )?;
    write!(out, "Type {} to accept the licence, anything else to stop: ", printable(&licence.spdx))?;
    out.flush()?;
    let mut typed = String::new();
    stdin().lock().read_line(&mut typed)?;
    ensure!(typed.trim() == licence.spdx, "the licence was not accepted; nothing was installed");
    Ok(())
}
