//! The `shruti say` command, which speaks a text in this process or through a server.

mod args;
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

use std::path::Path;

use anyhow::{Context, anyhow, ensure};

use crate::runtime::block_on;
use crate::sink::FileKind;
pub(crate) use args::{Args, format_name, in_range};
use output::Output;
pub(crate) use output::audible;
use pieces::{NOT_TEXT, Text};
use progress::Progress;
use speaker::{Speaker, Voice};
use subtitles::{SubtitleKind, Subtitles};

/// Error message for a text without words, for example only emoji.
pub(crate) const NOTHING_TO_SAY: &str =
    "the text contains nothing that can be spoken, only markup, emoji or symbols";

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    // file names are checked before anything is read or spoken
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
    // a blocked read of standard input cannot be cancelled, so shutdown does not wait for it
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
        // without a file, there is nothing to complete, because the player or the pipe ends with this process
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

/// Speaks a text while it is read, with backpressure, after skipping its first `from` characters. Returns whether the
/// rest of the text was blank.
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
            // available text is sent first, because a turn whose text arrives with a pause may be spoken differently
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
