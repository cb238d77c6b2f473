//! `shruti say`: speak a text, in this process or by a server.

mod local;
mod output;
mod pieces;
mod remote;

use std::path::PathBuf;

use shruti_engine::AUDIBLE;
use shruti_protocol::{Clarity, Language, VoiceId};

use crate::data_dir::DataDir;
use crate::lexicon::Readings;
use crate::remote::Remote;
use crate::sink::FileKind;

/// Why a text of emoji alone is an error.
pub(crate) const NOTHING_TO_SAY: &str =
    "the text holds nothing that can be spoken, only markup, emoji or signs";

/// Speak a text: to a player, to a file, or as raw samples to a pipe
///
///   shruti say "The meeting is at 3 PM."
///   shruti say -l bn --voice Arjun --speed 1.2 "আমি ভালো আছি।"
///   shruti say -o kavita.wav - < kavita.txt
///   shruti say -l hi -o book.wav - < book.txt
///   shruti say -l hi "नमस्ते" | aplay -t raw -f S16_LE -r 24000 -c 1
///   shruti say -l te --list words.txt --out-dir words/
///
/// `-` is spoken while it is read, however long it is. With --server a running server speaks instead of this process:
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

    /// Who speaks: Ananya, Arjun, or a voice of a pack
    #[arg(long, default_value = crate::voices::DEFAULT)]
    pub(crate) voice: VoiceId,

    /// How fast, from 0.5 to 2.0
    #[arg(long, default_value_t = 1.0, value_parser = in_range("speed", 0.5, 2.0))]
    pub(crate) speed: f32,

    /// How much higher or lower, from -6 to 6 semitones
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true, value_parser = in_range("pitch", -6.0, 6.0))]
    pub(crate) pitch: f32,

    /// For whom the sound is shaped: off, phone, or room (where others talk)
    #[arg(long, default_value_t, value_name = "MODE")]
    pub(crate) clarity: Clarity,

    #[command(flatten)]
    pub(crate) readings: Readings,

    /// Write to this file: WAV, MP3 (.mp3), Opus (.opus, .ogg), or bare samples (.raw, .pcm)
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
    pub(crate) data: DataDir,

    #[command(flatten)]
    pub(crate) remote: Remote,
}

/// Whether something of these samples can be heard.
pub(crate) fn audible(samples: &[i16]) -> bool {
    samples.iter().any(|sample| sample.unsigned_abs() >= AUDIBLE)
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    // before anything is read or spoken
    if let Some(path) = &args.output {
        FileKind::of(path)?;
    }
    if args.remote.server().is_some() { remote::run(args) } else { local::run(args) }
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
