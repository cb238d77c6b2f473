//! The `shruti bench load` command, which measures many concurrent conversations from the listeners' point of view.

mod chart;
mod listener;
mod plan;
mod player;
mod process;
mod progress;
mod report;
mod script;
mod search;
mod tally;
mod trial;

use std::path::PathBuf;
use std::time::Duration;

use shruti_lang::{Language, VoiceId};

use crate::{Server, show, write_json};
use progress::Progress;
use script::Cast;
use search::Length;
use trial::Trial;

/// Default number of conversations that open per second.
const OPENINGS_PER_SECOND: f64 = 100.0;
/// Maximum duration of the short runs of a search.
const SHORT: Duration = Duration::from_secs(15);

/// Run many concurrent conversations and report what their listeners hear
///
/// In each conversation, speech plays for about half of the time, by default in eleven languages and two voices. Its
/// text is sent in pieces of four characters, 40 per second, like the output of a language model. Its player starts 200
/// ms after the first audio arrives and plays in real time; an underrun occurs when the player runs out of audio while
/// the turn continues. Some turns are interrupted. The schedule is fixed before the run: delays are measured from the
/// scheduled time.
#[derive(clap::Args)]
pub(crate) struct Args<S: Server> {
    #[command(flatten)]
    server: S,

    /// Number of conversations; with --find, the maximum number to try
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=20_000))]
    conversations: u32,

    /// Duration of the measurement in seconds, after all conversations have opened
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds)]
    seconds: f64,

    /// Duration of the ramp-up in seconds [default: one second per 100 conversations]
    #[arg(long, value_name = "S", value_parser = seconds)]
    ramp: Option<f64>,

    /// Voices, comma-separated [default: both built-in voices]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    voice: Vec<VoiceId>,

    /// Languages, comma-separated [default: all]
    #[arg(short, long, value_name = "LANGS", value_delimiter = ',')]
    language: Vec<Language>,

    /// Fraction of the turns that are interrupted, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, value_parser = share)]
    barge_in_share: f64,

    /// Search for the largest number of conversations without an underrun or a refusal
    #[arg(long)]
    find: bool,

    /// Server process whose resource usage is reported [default: the process that listens on the port]
    #[arg(long, value_name = "PID")]
    pid: Option<i32>,

    /// Report progress on standard error every ten seconds; a terminal shows it every second by default
    #[arg(long)]
    progress: bool,

    /// Write the report as JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Draw a chart of latencies and underruns over time (with --find: over the number of conversations)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.1..=86_400.0).contains(number));
    number.ok_or_else(|| "must be a number of seconds from 0.1 to 86400".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "must be a number from 0 to 1".to_owned())
}

pub(super) fn run<S: Server>(args: &Args<S>) -> anyhow::Result<()> {
    let client = args.server.client()?;
    let cast = Cast { voices: args.voice.clone(), languages: args.language.clone() };
    let trial = |conversations: usize, measured: Duration| {
        let ramp = args.ramp.unwrap_or_else(|| (conversations as f64 / OPENINGS_PER_SECOND).max(1.0));
        let trial = Trial {
            conversations,
            measured,
            ramp: Duration::from_secs_f64(ramp),
            barge_in_share: args.barge_in_share,
            server: args.pid.or_else(|| local_port(args).and_then(process::listens_on)),
            client: client.clone(),
            cast: cast.clone(),
            progress: Progress::suiting(args.progress),
        };
        trial::run(&trial)
    };
    let full = Duration::from_secs_f64(args.seconds);
    if !args.find {
        let report = trial(args.conversations as usize, full)?;
        if let Some(path) = &args.json {
            write_json(path, &report)?;
        }
        if let Some(path) = &args.svg {
            chart::draw_run(path, &report)?;
        }
        return show(&report);
    }
    let found = search::search(args.conversations as usize, |conversations, length| {
        let measured = if length == Length::Full { full } else { SHORT.min(full) };
        let report = trial(conversations, measured)?;
        eprintln!("{}", report.line());
        anyhow::Ok(report)
    })?;
    if let Some(path) = &args.json {
        write_json(path, &found)?;
    }
    if let Some(path) = &args.svg {
        chart::draw_runs(path, &found.runs)?;
    }
    let largest = found.largest;
    show(&format_args!("largest number of conversations without an underrun or a refusal: {largest}\n\n"))?;
    found.runs.last().map_or(Ok(()), show)
}

/// Returns the server's port if the server's host is `localhost` or a loopback address.
fn local_port<S: Server>(args: &Args<S>) -> Option<u16> {
    let url: http::Uri = args.server.url()?.parse().ok()?;
    let host = url.host()?.trim_start_matches('[').trim_end_matches(']');
    let is_local = host == "localhost" || host.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
    is_local.then(|| url.port_u16().unwrap_or(if url.scheme_str() == Some("https") { 443 } else { 80 }))
}
