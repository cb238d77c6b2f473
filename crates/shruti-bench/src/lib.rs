//! Measures a server from outside, with the means of any client: how soon it sounds, how many conversations it holds.
//!
//! A library for the command that has the server's address and key: it gives [`Args`] its own [`Server`] arguments and
//! calls [`run`].
#![allow(
    clippy::doc_markdown,
    rustdoc::bare_urls,
    reason = "doc comments of arguments are the help, shown as they are"
)]

mod latency;
mod load;
mod times;

use std::fmt::Display;
use std::io::{Write, stdout};
use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use shruti_client::{Client, ClientBuilder};

/// The server that is measured, as the arguments of a command name it.
pub trait Server: clap::Args + Clone + Send + Sync + 'static {
    /// Its address as it was given, if it was.
    fn url(&self) -> Option<&str>;

    /// Begins to put a client of it together.
    fn builder(&self) -> anyhow::Result<ClientBuilder>;

    /// A client of it. Nothing is connected yet.
    fn client(&self) -> anyhow::Result<Client>;
}

/// Measure a server: how soon it sounds, how many it serves
///
/// The API key comes from SHRUTI_API_KEY or from --key-file.
#[derive(clap::Args)]
pub struct Args<S: Server> {
    #[command(subcommand)]
    what: What<S>,
}

#[derive(clap::Subcommand)]
enum What<S: Server> {
    Latency(latency::Args<S>),
    Load(load::Args<S>),
}

/// Measures, and prints the report.
pub fn run<S: Server>(args: &Args<S>) -> anyhow::Result<()> {
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
