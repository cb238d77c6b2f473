//! Arguments of the `shruti say` command.

use std::path::PathBuf;

use shruti_audio::Format;
use shruti_lang::suggestion::did_you_mean;
use shruti_lang::{Clarity, Language, VoiceEngine, VoiceId};

use crate::data_dir::DataDir;
use crate::lexicon::Readings;
use crate::remote::Remote;
use crate::values;

/// Speak a text to an audio player, to a file, or as raw samples to a pipe
///
/// A text of any length read with `-` is spoken as it arrives. With --server, a running server speaks instead of this
/// process.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Text to speak; `-` reads it from standard input
    #[arg(required_unless_present_any = ["list", "file"])]
    pub(crate) text: Option<String>,

    /// Speak the content of this file (UTF-8)
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["text", "list"])]
    pub(crate) file: Option<PathBuf>,

    /// Skip this many characters of the text, to resume at the position that an interrupted command reported
    #[arg(long, value_name = "CHARS", default_value_t = 0, conflicts_with = "list")]
    pub(crate) from: u64,

    /// Language of the text, by code or name: hi, ta-IN, bangla, मराठी [default: detected from the script]
    #[arg(short, long, value_name = "LANG")]
    pub(crate) language: Option<Language>,

    /// Voice: Ananya, Arjun, or a voice of a pack
    #[arg(long, default_value = crate::voices::DEFAULT)]
    pub(crate) voice: VoiceId,

    /// Engine of the built-in voices: auto, learned or rules [default: learned, or the server's setting]
    #[arg(long, env = "SHRUTI_VOICE_ENGINE", value_name = "ENGINE", value_parser = values::voice_engine())]
    pub(crate) voice_engine: Option<VoiceEngine>,

    /// Speaking rate, from 0.5 to 2.0
    #[arg(long, default_value_t = 1.0, value_parser = in_range("speed", 0.5, 2.0))]
    pub(crate) speed: f32,

    /// Pitch shift, from -6 to 6 semitones
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true, value_parser = in_range("pitch", -6.0, 6.0))]
    pub(crate) pitch: f32,

    /// Optimise the audio for the listening conditions: off, phone, or room (where other people talk)
    #[arg(long, default_value_t, value_name = "MODE", value_parser = values::clarity())]
    pub(crate) clarity: Clarity,

    #[command(flatten)]
    pub(crate) readings: Readings,

    /// Write to this file: WAV, MP3 (.mp3), Opus (.opus, .ogg), or raw samples (.raw, .pcm)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Output format of the file or pipe, from docs/http.md: mp3, opus, wav_8000, ulaw, mp3_44100_128, …
    #[arg(long, value_name = "NAME", conflicts_with = "list", value_parser = format_name)]
    pub(crate) format: Option<Format>,

    /// Write subtitles from the word timestamps: WebVTT (.vtt) or SubRip (.srt)
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    pub(crate) subtitles: Option<PathBuf>,

    /// Speak each line of this file into its own WAV file: 000.wav, 001.wav, …
    #[arg(long, value_name = "FILE", requires = "out_dir", conflicts_with_all = ["text", "output"])]
    pub(crate) list: Option<PathBuf>,

    /// Folder for the files of --list; created if it does not exist
    #[arg(long, value_name = "DIR", requires = "list")]
    pub(crate) out_dir: Option<PathBuf>,

    /// Report progress on standard error every ten seconds; a terminal shows a progress bar by default
    #[arg(long)]
    pub(crate) progress: bool,

    /// Report the time to first audio and the duration of the speech on standard error
    #[arg(short, long)]
    pub(crate) verbose: bool,

    #[command(flatten)]
    pub(crate) data: DataDir,

    #[command(flatten)]
    pub(crate) remote: Remote,
}

pub(crate) fn format_name(name: &str) -> Result<Format, String> {
    Format::parse_lenient(name)
        .map_err(|error| format!("the format {error}{}", did_you_mean(name, Format::SHORT_NAMES)))
}

pub(crate) fn in_range(
    name: &'static str,
    low: f32,
    high: f32,
) -> impl Fn(&str) -> Result<f32, String> + Clone {
    move |given| {
        let value: f32 =
            given.parse().map_err(|_| format!("{name} must be a number from {low} to {high}"))?;
        if (low..=high).contains(&value) {
            Ok(value)
        } else {
            Err(format!("{name} must be from {low} to {high}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_a_speed_out_of_range_has_the_range() {
        let speed = in_range("speed", 0.5, 2.0);
        assert_eq!(speed("1.5"), Ok(1.5));
        assert_eq!(speed("3"), Err("speed must be from 0.5 to 2".to_owned()));
        assert_eq!(speed("NaN"), Err("speed must be from 0.5 to 2".to_owned()));
        assert!(speed("fast").is_err());
    }
}
