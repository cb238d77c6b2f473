//! `shruti voices`: who speaks what.

use std::io::{Write, stdout};

use shruti_protocol::Language;
use shruti_voice::Voice;

/// The voice of commands that name none.
pub(crate) const DEFAULT: &str = Voice::ALL[0].name();

/// List the voices and the languages
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "voices (both speak every language):")?;
    for voice in Voice::ALL {
        writeln!(out, "  {:8} {}", voice.name(), voice.gender().as_str())?;
    }
    writeln!(out, "\nlanguages:")?;
    for language in Language::ALL {
        let (code, name, native) = (language.code(), language.name(), language.native_name());
        writeln!(out, "  {code}  {name:15} {native:12} {} script", language.script())?;
    }
    Ok(())
}
