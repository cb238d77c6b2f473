//! `shruti say`: speak a text, in this process or by a server.

use std::io::{IsTerminal, Read, stderr, stdin};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use shruti_engine::{AUDIBLE, Engine, ParametricBackend, Request};
use shruti_protocol::{Language, SAMPLE_RATE, Voice};

use crate::lexicon::Readings;
use crate::remote::Remote;
use crate::say_remote;
use crate::sink::Sink;

/// Texts longer than this get a progress line, in characters.
const LONG_TEXT: usize = 300;
/// Why a text of emoji alone is an error.
pub(crate) const NOTHING_TO_SAY: &str =
    "the text holds nothing that can be spoken, only markup, emoji or signs";

/// Speak a text: to a player, to a file, or as raw samples to a pipe
///
///   shruti say "The meeting is at 3 PM."
///   shruti say -l bn --voice Arjun --speed 1.2 "আমি ভালো আছি।"
///   shruti say -o kavita.wav - < kavita.txt
///   shruti say -l hi "नमस्ते" | aplay -t raw -f S16_LE -r 24000 -c 1
///   shruti say -l te --list words.txt --out-dir words/
///
/// With --server a running server speaks instead of this process, and `-` is spoken while it comes:
///
///   tail -f notes.txt | shruti say --server http://127.0.0.1:8080 -v -
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// What to say; `-` reads it from the standard input
    #[arg(required_unless_present = "list")]
    pub(crate) text: Option<String>,

    /// The language of the text: hi bn ta te gu kn ml mr pa or en (default: found from its script)
    #[arg(short, long, value_name = "LANG")]
    pub(crate) language: Option<Language>,

    /// Who speaks: Ananya or Arjun
    #[arg(long, default_value_t = Voice::default())]
    pub(crate) voice: Voice,

    /// How fast, from 0.5 to 2.0
    #[arg(long, default_value_t = 1.0, value_parser = in_range("speed", 0.5, 2.0))]
    pub(crate) speed: f32,

    /// How much higher or lower, from -6 to 6 semitones
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true, value_parser = in_range("pitch", -6.0, 6.0))]
    pub(crate) pitch: f32,

    #[command(flatten)]
    pub(crate) readings: Readings,

    /// Write to this file: WAV, or bare samples if it ends in .raw or .pcm
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Say each line of this file into a file of its own: 000.wav, 001.wav, …
    #[arg(long, value_name = "FILE", requires = "out_dir", conflicts_with_all = ["text", "output"])]
    pub(crate) list: Option<PathBuf>,

    /// The folder for --list; made if it does not exist
    #[arg(long, value_name = "DIR", requires = "list")]
    pub(crate) out_dir: Option<PathBuf>,

    /// Tell on standard error how soon the first sound came, and how much there is
    #[arg(short, long)]
    pub(crate) verbose: bool,

    #[command(flatten)]
    pub(crate) remote: Remote,
}

impl Args {
    /// Where the sound of a text goes.
    pub(crate) fn sink(&self) -> anyhow::Result<Sink> {
        match &self.output {
            Some(path) => Sink::file(path),
            None => Sink::listener(),
        }
    }
}

/// Whether something of these samples can be heard.
pub(crate) fn audible(samples: &[i16]) -> bool {
    samples.iter().any(|sample| sample.unsigned_abs() >= AUDIBLE)
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if args.remote.server().is_some() {
        return say_remote::run(args);
    }
    let engine = Engine::builder().backend(ParametricBackend::new()).build()?;
    match (&args.list, &args.out_dir, &args.text) {
        (Some(list), Some(directory), _) => say_list(&engine, args, list, directory),
        (_, _, Some(text)) => say_text(&engine, args, text),
        _ => anyhow::bail!("nothing to say: give a text, or --list FILE --out-dir DIR"),
    }
}

fn say_text(engine: &Engine, args: &Args, text: &str) -> anyhow::Result<()> {
    let text = if text == "-" { standard_input()? } else { text.to_owned() };
    anyhow::ensure!(!text.trim().is_empty(), "the text is empty: there is nothing to say");
    let mut sink = args.sink()?;
    let samples = speak(engine, args, &text, &mut sink)?;
    anyhow::ensure!(samples > 0, NOTHING_TO_SAY);
    sink.finish()
}

fn say_list(engine: &Engine, args: &Args, list: &Path, directory: &Path) -> anyhow::Result<()> {
    let lines = std::fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
    std::fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    for (number, line) in lines.lines().enumerate() {
        let path = directory.join(format!("{number:03}.wav"));
        let mut sink = Sink::file(&path)?;
        let samples = speak(engine, args, line, &mut sink)?;
        sink.finish()?;
        if samples == 0 {
            eprintln!("shruti: line {} of {} says nothing", number + 1, list.display());
        }
    }
    Ok(())
}

/// Speaks a text into a sink and returns how many samples it had.
fn speak(engine: &Engine, args: &Args, text: &str, sink: &mut Sink) -> anyhow::Result<u64> {
    let request = Request {
        voice: args.voice.name().into(),
        language: args.language,
        speed: args.speed,
        pitch: args.pitch,
        lexicon: args.readings.lexicon()?,
    };
    let progress = progress_line(text);
    let begun = Instant::now();
    let mut is_audible = false;
    let mut speech = engine.speak_text(request, text)?;
    let mut samples = 0;
    while let Some(chunk) = speech.blocking_next() {
        let chunk = chunk?;
        if args.verbose && !is_audible && audible(&chunk.samples) {
            is_audible = true;
            progress.suspend(|| {
                eprintln!("shruti: first audio after {:.1} ms", begun.elapsed().as_secs_f64() * 1_000.0);
            });
        }
        sink.write(&chunk.samples)?;
        samples += chunk.samples.len() as u64;
        if let Some(mark) = chunk.marks.last() {
            progress.set_position(u64::from(mark.char_end));
        }
        progress.set_message(format!("{:.1} s of speech", samples as f64 / f64::from(SAMPLE_RATE)));
    }
    progress.finish_and_clear();
    Ok(samples)
}

fn progress_line(text: &str) -> ProgressBar {
    let length = text.chars().count();
    if length <= LONG_TEXT || !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let line = ProgressBar::new(length as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}") {
        line.set_style(style);
    }
    line.enable_steady_tick(Duration::from_millis(100));
    line
}

fn standard_input() -> anyhow::Result<String> {
    let mut text = String::new();
    stdin().read_to_string(&mut text).context("the standard input is not UTF-8 text")?;
    Ok(text)
}

fn in_range(name: &'static str, low: f32, high: f32) -> impl Fn(&str) -> Result<f32, String> + Clone {
    move |given| {
        let value: f32 = given.parse().map_err(|_| format!("{name} is a number from {low} to {high}"))?;
        if (low..=high).contains(&value) {
            Ok(value)
        } else {
            Err(format!("{name} goes from {low} to {high}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_out_of_range_are_told_the_range() {
        let speed = in_range("speed", 0.5, 2.0);
        assert_eq!(speed("1.5"), Ok(1.5));
        assert_eq!(speed("3"), Err("speed goes from 0.5 to 2".to_owned()));
        assert_eq!(speed("NaN"), Err("speed goes from 0.5 to 2".to_owned()));
        assert!(speed("fast").is_err());
    }
}
