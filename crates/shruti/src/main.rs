//! The `shruti` command: the service and its tools in one binary.
#![allow(
    clippy::doc_markdown,
    rustdoc::bare_urls,
    reason = "doc comments of arguments are the help texts, shown verbatim"
)]

mod accounts;
mod ask;
mod audit;
#[cfg(feature = "bench")]
mod bench;
mod calendar;
mod chat;
mod clips;
mod data_dir;
mod data_folder;
mod database;
mod doctor;
mod embedded;
mod examples;
mod explain;
mod failure;
mod files;
mod first_start;
mod keys;
mod lexicon;
mod listen_address;
mod log;
mod mail;
mod manual;
mod mcp;
mod normalize;
mod open;
mod packs;
mod phones;
mod pid_file;
mod player;
mod printable;
mod promo;
mod ready;
mod reload;
mod remote;
mod running;
mod runtime;
mod say;
mod serve;
mod settings;
mod sign;
mod sink;
mod store;
mod tls;
mod traces;
mod usage;
mod values;
mod voices;
mod wyoming;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use mimalloc::MiMalloc;
use rustix::fs::Mode;

/// Allocator that returns memory to the system after a burst of connections. The glibc allocator keeps the memory,
/// because its arenas shrink only from their ends. Huge pages are disabled, since they double the memory of an idle
/// server.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Version, with credits for the third-party data that the binary contains.
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

/// Streaming text-to-speech for eleven languages of India
///
/// `shruti serve` starts the service. `shruti say` and `shruti chat` work without it.
#[derive(Parser)]
#[command(name = "shruti", version, long_version = CREDITED_VERSION, propagate_version = true, max_term_width = 80)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Serve(serve::Args),
    Open(open::Args),
    Say(say::Args),
    Sign(sign::Args),
    Chat(chat::Args),
    Mcp(mcp::Args),
    /// Create, list and revoke API keys, even while the server is running
    Keys(keys::Args),
    /// Manage Studio accounts, even while the server is running
    Accounts(accounts::Args),
    /// Create, list and disable promo codes, even while the server is running
    Promo(promo::Args),
    Audit(audit::Args),
    /// Back up, copy or migrate the database
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
    Completions(manual::Completions),
    Man(manual::Man),
}

impl Command {
    /// Returns whether the command writes to the store, whose files are secret. The other commands write only voice
    /// packs and the files that the user names. A server that runs as another user may need to read the packs.
    fn writes_secrets(&self) -> bool {
        matches!(
            self,
            Self::Serve(_)
                | Self::Open(_)
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

/// Returns the command line definition with its examples.
fn command() -> clap::Command {
    examples::add(Cli::command())
}

fn main() -> ExitCode {
    let matches = command().get_matches();
    let command = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()).command;
    if command.writes_secrets() {
        // the file mode mask must be set before other threads start
        rustix::process::umask(Mode::from_raw_mode(0o077));
    }
    let outcome = match command {
        Command::Serve(args) => serve::run(args),
        Command::Open(args) => open::run(&args),
        Command::Say(args) => say::run(&args),
        Command::Sign(args) => sign::run(&args),
        Command::Chat(args) => chat::run(&args),
        Command::Mcp(args) => mcp::run(args),
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
        Command::Completions(args) => manual::complete(&args),
        Command::Man(args) => manual::write_pages(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // if the reader of the output has exited (`| head`), the command has not failed
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // `eprintln!` would panic if standard error is closed
            let _ = writeln!(std::io::stderr(), "shruti: {}", failure::describe(&error));
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
    fn arguments_of_a_command_have_unique_names() {
        Cli::command().debug_assert();
    }
}
