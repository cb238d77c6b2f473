//! The `shruti say` command, which speaks a text in this process or through a server.

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod conformance;
mod cues;
mod local;
mod output;
mod pieces;
mod progress;
mod resume;
mod speaker;
mod subtitles;

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};
use shruti_audio::Format;
use shruti_audio::is_audible;
use shruti_lang::suggestion::did_you_mean;
use shruti_lang::{Clarity, Language, VoiceEngine, VoiceId};
use shruti_protocol::limits::MAX_TEXT_CHARS;

use crate::data_dir::DataDir;
use crate::lexicon::Readings;
use crate::remote::Remote;
use crate::runtime::block_on;
use crate::sink::FileKind;
use crate::values;
use output::Output;
use pieces::{NOT_TEXT, Text};
use progress::Progress;
use speaker::{Speaker, Voice};
use subtitles::{SubtitleKind, Subtitles};

/// Error message for a text without words, for example only emoji.
pub(crate) const NOTHING_TO_SAY: &str =
    "the text contains nothing that can be spoken, only markup, emoji or symbols";

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

    /// Skip this many characters of the text, to resume where an interrupted command reports that it stopped
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

    /// Shape the sound for its listeners: off, phone, or room (where others talk)
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

    /// Write each line of this file to its own WAV file: 000.wav, 001.wav, …
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

/// Returns whether any of these samples is audible.
pub(crate) fn audible(samples: &[i16]) -> bool {
    samples.iter().copied().any(is_audible)
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    // checked before anything is read or spoken
    if let Some(path) = &args.output {
        FileKind::of(path, args.format)?;
    }
    if let Some(path) = &args.subtitles {
        SubtitleKind::of(path)?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let voice = Voice::of(args, runtime.handle())?;
    let outcome = block_on(&runtime, async {
        match (&args.list, &args.out_dir) {
            (Some(list), Some(directory)) => say_list(&voice, args, list, directory).await,
            _ => say_text(&voice, args).await,
        }
    });
    // a blocked read of the standard input cannot be cancelled, so shutdown does not wait for it
    runtime.shutdown_background();
    outcome
}

async fn say_text(voice: &Voice, args: &Args) -> anyhow::Result<()> {
    let text = match (&args.file, args.text.as_deref()) {
        (Some(path), _) => Text::of_file(path)?,
        (None, Some("-")) => Text::of_standard_input(),
        (None, given) => Text::of(given.unwrap_or_default()),
    };
    let progress = Progress::of(text.bytes, args.progress);
    let subtitles = args.subtitles.as_deref().map(Subtitles::to_file).transpose()?;
    let mut output = Output::new(args.output.as_deref(), args.format, args.verbose, &progress, subtitles);
    let mut speaker = voice.speaker(args, text.chars).await?;
    let speaking = speak(&mut speaker, text, args.from, &mut output, &progress);
    let spoken = tokio::select! {
        spoken = speaking => spoken,
        // a player and a pipe end with this process and leave nothing to complete
        interrupted = interruption(), if args.output.is_some() => Err(interrupted),
    };
    progress.clear();
    let samples = output.samples;
    match spoken {
        Ok(is_blank) => {
            ensure!(!is_blank, "the text is empty");
            ensure!(samples > 0, NOTHING_TO_SAY);
            output.finish()
        }
        Err(error) if samples > 0 => {
            let chars = args.from + speaker.spoken_chars();
            let name = output.name();
            output.finish().with_context(|| format!("{error:#}"))?;
            let command = resume::command(std::env::args_os(), chars);
            Err(anyhow!(
                "{error:#}; {name} contains the text up to character {chars}; to continue: {command}"
            ))
        }
        Err(error) => Err(error),
    }
}

/// Waits for Ctrl-C, and returns the error that reports it.
async fn interruption() -> anyhow::Error {
    match tokio::signal::ctrl_c().await {
        Ok(()) => anyhow!("interrupted"),
        Err(error) => anyhow!(error).context("cannot wait for Ctrl-C"),
    }
}

async fn say_list(voice: &Voice, args: &Args, list: &Path, directory: &Path) -> anyhow::Result<()> {
    let (lines, bytes) = pieces::lines(list)?;
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let progress = Progress::of(Some(bytes), args.progress);
    for (number, line) in lines.enumerate() {
        let line = line?;
        let path = directory.join(format!("{number:03}.wav"));
        let mut output = Output::new(Some(&path), None, false, &progress, None);
        if !line.trim().is_empty() {
            let text = Text::of(&line);
            let mut speaker = voice.speaker(args, text.chars).await?;
            speak(&mut speaker, text, 0, &mut output, &progress).await?;
        }
        if output.samples == 0 {
            progress.print(&format!(
                "line {} of {} contains nothing that can be spoken",
                number + 1,
                list.display()
            ));
        }
        output.finish_file()?;
    }
    Ok(())
}

/// Speaks a text while it is read, with backpressure, after skipping its first `from` characters. Returns whether it
/// was blank.
async fn speak(
    speaker: &mut Speaker<'_>,
    text: Text,
    from: u64,
    output: &mut Output<'_>,
    progress: &Progress,
) -> anyhow::Result<bool> {
    let mut pieces = text.pieces;
    let (mut is_coming, mut is_blank) = (true, true);
    let mut to_skip = usize::try_from(from).unwrap_or(usize::MAX);
    loop {
        tokio::select! {
            // available text is sent first: a turn with a pause in its text may be spoken differently
            biased;
            piece = pieces.recv(), if is_coming && speaker.takes_text() => {
                if let Some(piece) = piece {
                    let piece = piece.context(NOT_TEXT)?;
                    progress.given(&piece);
                    let new = pieces::behind(&piece, &mut to_skip);
                    is_blank &= new.trim().is_empty();
                    output.begin();
                    speaker.push(new);
                } else {
                    is_coming = false;
                    speaker.finish();
                }
            }
            spoken = speaker.next() => match spoken {
                Some(spoken) => output.take(spoken?, from)?,
                None => break,
            },
        }
    }
    progress.text_ends();
    Ok(is_blank)
}

/// Returns whether a text of this length is spoken in one turn, like a single request.
fn is_short(chars: Option<usize>) -> bool {
    chars.is_some_and(|chars| chars <= MAX_TEXT_CHARS)
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
