//! Measurements of a server over its public interface: latency, and the number of concurrent conversations.
//!
//! A command implements [`Server`] for the arguments that give the server's URL and key, embeds [`Args`] with that
//! type, and calls [`run`].
#![allow(
    clippy::doc_markdown,
    rustdoc::bare_urls,
    reason = "doc comments of arguments are the help texts, shown verbatim"
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

/// Server to measure, as given by the arguments of a command.
pub trait Server: clap::Args + Clone + Send + Sync + 'static {
    /// Returns the URL of the server as the user gave it, or `None` if the user gave none.
    fn url(&self) -> Option<&str>;

    /// Returns a client builder for the server.
    fn builder(&self) -> anyhow::Result<ClientBuilder>;

    /// Creates a client for the server, without connecting.
    fn client(&self) -> anyhow::Result<Client>;
}

/// Measure the latency or the capacity of a server
///
/// The API key comes from SHRUTI_API_KEY or --key-file.
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

/// Runs the measurement and prints the report.
pub fn run<S: Server>(args: &Args<S>) -> anyhow::Result<()> {
    match &args.what {
        What::Latency(args) => latency::run(args),
        What::Load(args) => load::run(args),
    }
}

/// Writes a report as JSON.
fn write_json(path: &Path, report: &impl Serialize) -> anyhow::Result<()> {
    let mut json = serde_json::to_vec_pretty(report)?;
    json.push(b'\n');
    std::fs::write(path, json).with_context(|| format!("cannot write {}", path.display()))
}

/// Prints a report as text.
fn show(report: &impl Display) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    write!(out, "{report}")?;
    Ok(out.flush()?)
}
