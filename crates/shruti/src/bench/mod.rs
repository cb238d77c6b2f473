//! `shruti bench`: what a server does, measured from outside with the means of any client.

mod audible;
mod latency;
mod load;
mod times;

use std::fmt::Display;
use std::io::{Write, stdout};
use std::path::Path;

use anyhow::Context;
use serde::Serialize;

/// Measure a server: how soon it sounds, how many it serves
///
///   shruti bench latency --server http://127.0.0.1:8080
///   shruti bench load --server http://127.0.0.1:8080 --conversations 500
///
/// The API key comes from SHRUTI_API_KEY or from --key-file.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Latency(latency::Args),
    Load(load::Args),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.what {
        What::Latency(args) => latency::run(args),
        What::Load(args) => load::run(args),
    }
}

/// Writes a report for programs.
fn write_json(path: &Path, report: &impl Serialize) -> anyhow::Result<()> {
    let mut json = serde_json::to_vec_pretty(report)?;
    json.push(b'\n');
    std::fs::write(path, json).with_context(|| format!("cannot write {}", path.display()))
}

/// Prints a report for people.
fn show(report: &impl Display) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    write!(out, "{report}")?;
    Ok(out.flush()?)
}
