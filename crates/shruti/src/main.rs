//! `shruti`: the service and its tools in one binary.
#![allow(
    clippy::doc_markdown,
    rustdoc::bare_urls,
    reason = "doc comments of arguments are the help, shown as they are"
)]

mod accounts;
mod ask;
mod audit;
#[cfg(feature = "bench")]
mod bench;
mod calendar;
mod chat;
mod data_dir;
mod database;
mod doctor;
mod explain;
mod files;
mod first_start;
mod keys;
mod lexicon;
mod log;
mod mail;
mod normalize;
mod packs;
mod phones;
mod pid_file;
mod player;
mod printable;
mod promo;
mod ready;
mod reload;
mod remote;
mod say;
mod serve;
mod settings;
mod sink;
mod store;
mod tls;
mod traces;
mod usage;
mod voices;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;
use rustix::fs::Mode;

/// Returns memory to the system after a flood of connections. glibc's allocator keeps it: its arenas shrink from their
/// ends alone. Huge pages are off, as they double the memory of an idle server.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

use printable::printable_lines;

/// The version with what the binary holds under licences of others.
#[cfg(feature = "romanised")]
const CREDITED_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\n\
     Program: MIT OR Apache-2.0\n\
     Tables of romanised words: CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/), adapted from the Dakshina dataset\n\
     (Google LLC, 2020), Wikipedia, Aksharantar (AI4Bharat, 2022) and the works named in crates/shruti-translit/data/NOTICE.md"
);
#[cfg(not(feature = "romanised"))]
const CREDITED_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\nProgram: MIT OR Apache-2.0");

/// Speech in eleven languages of India, streamed while it is being made
///
/// Start the service with `shruti serve`, or hear it at once with `shruti say`:
///
///   shruti say "नमस्ते! आप कैसे हैं?"
///   shruti say -l ta --voice Arjun -o vanakkam.wav "வணக்கம்"
///   echo "ଓଡ଼ିଆରେ କଥା" | shruti say -l or - | ffplay -f s16le -ar 24000 -ch_layout mono -
#[derive(Parser)]
#[command(name = "shruti", version, long_version = CREDITED_VERSION, propagate_version = true, max_term_width = 110, verbatim_doc_comment)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Serve(serve::Args),
    Say(say::Args),
    Chat(chat::Args),
    /// Make, list and revoke API keys, also while the server runs
    Keys(keys::Args),
    /// List, invite, lock and unlock the accounts of the Studio, also while the server runs
    Accounts(accounts::Args),
    /// Make, list and end promo codes, also while the server runs
    Promo(promo::Args),
    Audit(audit::Args),
    /// Copy the database and its tables, also while the server runs
    Store(store::Args),
    Doctor(doctor::Args),
    Ready(ready::Args),
    Reload(reload::Args),
    Usage(usage::Args),
    Voices(voices::Args),
    Phones(phones::Args),
    Normalize(normalize::Args),
    #[cfg(feature = "bench")]
    Bench(bench::Args),
}

impl Command {
    /// Whether it writes to the store, whose files are secret. Others write what their user names, and packs, which the
    /// server of another user may read.
    fn writes_secrets(&self) -> bool {
        matches!(
            self,
            Self::Serve(_)
                | Self::Keys(_)
                | Self::Accounts(_)
                | Self::Promo(_)
                | Self::Audit(_)
                | Self::Store(_)
                | Self::Doctor(_)
                | Self::Usage(_)
        )
    }
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    if command.writes_secrets() {
        // before there are other threads
        rustix::process::umask(Mode::from_raw_mode(0o077));
    }
    let outcome = match command {
        Command::Serve(args) => serve::run(args),
        Command::Say(args) => say::run(&args),
        Command::Chat(args) => chat::run(&args),
        Command::Keys(args) => keys::run(args),
        Command::Accounts(args) => accounts::run(args),
        Command::Promo(args) => promo::run(args),
        Command::Audit(args) => audit::run(&args),
        Command::Store(args) => store::run(&args),
        Command::Doctor(args) => doctor::run(args),
        Command::Ready(args) => ready::run(args),
        Command::Reload(args) => reload::run(&args),
        Command::Usage(args) => usage::run(&args),
        Command::Voices(args) => voices::run(&args),
        Command::Phones(args) => phones::run(&args),
        Command::Normalize(args) => normalize::run(&args),
        #[cfg(feature = "bench")]
        Command::Bench(args) => bench::run(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // a closed output (`| head`) is no failure
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // not by eprintln!, which panics where nobody reads
            let error = printable_lines(&format!("{error:#}"));
            let _ = writeln!(std::io::stderr(), "shruti: {error}");
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn no_command_has_two_arguments_of_one_name() {
        Cli::command().debug_assert();
    }
}
