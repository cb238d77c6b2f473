//! `shruti say` without a server: a text is spoken in this process, while it is read.

use std::future::poll_fn;
use std::path::Path;
use std::task::Poll;

use anyhow::{Context, ensure};
use shruti_engine::{Chunk, Engine, Fault, Request, Speech, TextRefused};

use super::output::{Output, Progress};
use super::pieces::{self, NOT_TEXT, Pieces};
use super::{Args, NOTHING_TO_SAY};
use crate::packs;

/// Runs `shruti say` without a server.
pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let engine = packs::engine_for(&args.voice, args.data.path(), runtime.handle())?;
    let outcome = runtime.block_on(async {
        match (&args.list, &args.out_dir, args.text.as_deref()) {
            (Some(list), Some(directory), _) => say_list(&engine, args, list, directory).await,
            (_, _, Some("-")) => {
                let progress = Progress::of(pieces::standard_input_bytes());
                say_text(&engine, args, pieces::of_standard_input(), &progress).await
            }
            (_, _, Some(text)) => {
                let progress = Progress::of(Some(text.len() as u64));
                say_text(&engine, args, pieces::of(text), &progress).await
            }
            _ => anyhow::bail!("nothing to say: give a text, or --list FILE --out-dir DIR"),
        }
    });
    // a blocked read of the standard input cannot be cancelled, and is not waited for
    runtime.shutdown_background();
    outcome
}

async fn say_text(engine: &Engine, args: &Args, pieces: Pieces, progress: &Progress) -> anyhow::Result<()> {
    let mut output = Output::new(args.output.as_deref(), args.verbose, progress);
    let is_blank = speak(engine, args, pieces, &mut output, progress).await?;
    ensure!(!is_blank, "the text is empty: there is nothing to say");
    ensure!(output.samples > 0, NOTHING_TO_SAY);
    progress.clear();
    output.finish()
}

async fn say_list(engine: &Engine, args: &Args, list: &Path, directory: &Path) -> anyhow::Result<()> {
    let (lines, bytes) = pieces::lines(list)?;
    std::fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let progress = Progress::of(Some(bytes));
    for (number, line) in lines.enumerate() {
        let path = directory.join(format!("{number:03}.wav"));
        let mut output = Output::new(Some(&path), false, &progress);
        speak(engine, args, pieces::of(&line?), &mut output, &progress).await?;
        if output.samples == 0 {
            progress.print(&format!("line {} of {} says nothing", number + 1, list.display()));
        }
        output.finish_file()?;
    }
    Ok(())
}

/// Speaks a text as its pieces arrive, with back-pressure. Returns whether it was blank.
async fn speak(
    engine: &Engine,
    args: &Args,
    mut pieces: Pieces,
    output: &mut Output<'_>,
    progress: &Progress,
) -> anyhow::Result<bool> {
    let request = Request {
        voice: Some(args.voice.clone()),
        language: args.language,
        speed: args.speed,
        pitch: args.pitch,
        clarity: args.clarity,
        lexicon: args.readings.lexicon()?,
    };
    let mut speech = engine.speak(request.clone())?;
    let (mut is_coming, mut is_blank) = (true, true);
    // a piece for which there was no room yet
    let mut waiting: Option<String> = None;
    loop {
        if let Some(piece) = waiting.take()
            && let Err(TextRefused::TooMuch { .. }) = speech.push(&piece)
        {
            waiting = Some(piece);
        }
        tokio::select! {
            piece = pieces.recv(), if is_coming && waiting.is_none() => {
                if let Some(piece) = piece {
                    let piece = piece.context(NOT_TEXT)?;
                    is_blank &= piece.trim().is_empty();
                    output.begin();
                    progress.given(&piece);
                    waiting = Some(piece);
                } else {
                    is_coming = false;
                    speech.finish();
                }
            }
            heard = next(&mut speech, waiting.is_some()) => match heard {
                Heard::Chunk(chunk) => hear(chunk, output, progress)?,
                Heard::End => break,
                Heard::Nothing => {
                    // nothing in the buffer can be spoken (thousands of blanks): what follows starts another speech
                    rest(&mut speech, output, progress).await?;
                    progress.text_ends();
                    speech = engine.speak(request.clone())?;
                }
            },
        }
    }
    progress.text_ends();
    Ok(is_blank)
}

/// A step of a speech.
enum Heard {
    Chunk(Result<Chunk, Fault>),
    End,
    /// The buffer is full, and nothing in it can be spoken.
    Nothing,
}

async fn next(speech: &mut Speech, is_full: bool) -> Heard {
    poll_fn(|context| match speech.poll_next(context) {
        Poll::Ready(Some(chunk)) => Poll::Ready(Heard::Chunk(chunk)),
        Poll::Ready(None) => Poll::Ready(Heard::End),
        Poll::Pending if is_full && speech.wants_text() => Poll::Ready(Heard::Nothing),
        Poll::Pending => Poll::Pending,
    })
    .await
}

/// Speaks a text to its end.
async fn rest(speech: &mut Speech, output: &mut Output<'_>, progress: &Progress) -> anyhow::Result<()> {
    speech.finish();
    while let Some(chunk) = speech.next().await {
        hear(chunk, output, progress)?;
    }
    Ok(())
}

fn hear(chunk: Result<Chunk, Fault>, output: &mut Output<'_>, progress: &Progress) -> anyhow::Result<()> {
    let chunk = chunk?;
    output.write(&chunk.samples, |ms| format!("first audio after {ms:.1} ms"))?;
    if let Some(mark) = chunk.marks.last() {
        progress.spoken(mark.char_end.into());
    }
    Ok(())
}
