//! `shruti say --server`: speak a text by a server.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use bytes::Bytes;
use shruti_client::{Client, Conversation, Error, Event};
use shruti_engine::MAX_UNSPOKEN;
use shruti_protocol::limits::MAX_TEXT_CHARS;
use shruti_protocol::stream::{ConfigPatch, Timestamps};
use shruti_protocol::{ErrorCode, SynthesisRequest};
use tokio::time::timeout;

use super::output::{Output, Progress};
use super::pieces::{self, NOT_TEXT, PIECE, Pieces};
use super::{Args, NOTHING_TO_SAY};
use crate::remote::advise;

/// The most unspoken characters to send ahead: with the next piece and the one at which a turn is cut, they are as many
/// as the server buffers.
const UNSPOKEN: usize = MAX_UNSPOKEN - 2 * PIECE;
/// Characters after which a text continues in a new turn; the server takes 500,000 in one.
const TURN: usize = 400_000;
/// How long to wait for an event when [`UNSPOKEN`] characters are unspoken. After that they are taken for text without
/// anything to speak, such as thousands of blank lines, and the rest continues in a new turn.
const UNHEARD: Duration = Duration::from_secs(4);

/// Runs `shruti say --server`.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let client = args.remote.client()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = runtime.block_on(async {
        match (&args.list, &args.out_dir, args.text.as_deref()) {
            (Some(list), Some(directory), _) => say_list(&client, args, list, directory).await,
            (_, _, Some("-")) => {
                let progress = Progress::of(pieces::standard_input_bytes());
                say_text(&client, args, Text::Coming(pieces::of_standard_input()), &progress).await
            }
            (_, _, Some(text)) => {
                ensure!(!text.trim().is_empty(), "the text is empty: there is nothing to say");
                let progress = Progress::of(Some(text.len() as u64));
                say_text(&client, args, Text::Whole(text.to_owned()), &progress).await
            }
            _ => bail!("nothing to say: give a text, or --list FILE --out-dir DIR"),
        }
    });
    // a blocked read of the standard input cannot be cancelled, and is not waited for
    runtime.shutdown_background();
    outcome
}

/// A text, whole or still being read.
enum Text {
    Whole(String),
    Coming(Pieces),
}

/// Speaks a text whose pieces may still be arriving.
async fn say_text(client: &Client, args: &Args, text: Text, progress: &Progress) -> anyhow::Result<()> {
    let mut output = Output::new(args.output.as_deref(), args.verbose, progress);
    speak(client, args, text, &mut output, progress).await?;
    ensure!(output.samples > 0, NOTHING_TO_SAY);
    progress.clear();
    output.finish()
}

async fn say_list(client: &Client, args: &Args, list: &Path, directory: &Path) -> anyhow::Result<()> {
    let (lines, bytes) = pieces::lines(list)?;
    std::fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let progress = Progress::of(Some(bytes));
    for (number, line) in lines.enumerate() {
        let line = line?;
        let path = directory.join(format!("{number:03}.wav"));
        let mut output = Output::new(Some(&path), false, &progress);
        // the server calls an empty text an error; a list may have empty lines
        if !line.trim().is_empty() {
            speak(client, args, Text::Whole(line), &mut output, &progress).await?;
        }
        if output.samples == 0 {
            progress.print(&format!("line {} of {} says nothing", number + 1, list.display()));
        }
        output.finish_file()?;
    }
    Ok(())
}

/// Sends a text to the server: over HTTP if it is whole and short enough, else over WebSocket.
async fn speak(
    client: &Client,
    args: &Args,
    text: Text,
    output: &mut Output<'_>,
    progress: &Progress,
) -> anyhow::Result<()> {
    match text {
        Text::Whole(text) if text.trim().chars().count() <= MAX_TEXT_CHARS => {
            progress.given(&text);
            clip(client, args, text, output).await?;
        }
        Text::Whole(text) => converse(client, args, pieces::of(&text), output, progress).await?,
        Text::Coming(pieces) => converse(client, args, pieces, output, progress).await?,
    }
    progress.text_ends();
    Ok(())
}

/// Speaks a whole text over HTTP.
async fn clip(client: &Client, args: &Args, text: String, output: &mut Output<'_>) -> anyhow::Result<()> {
    let request = SynthesisRequest {
        voice: Some(args.voice.clone()),
        language: args.language,
        speed: f64::from(args.speed),
        pitch: f64::from(args.pitch),
        clarity: Some(args.clarity),
        lexicon: args.readings.for_server(args.language)?,
        ..SynthesisRequest::new(text)
    };
    output.begin();
    let mut clip = match client.speak(&request).await {
        Ok(clip) => clip,
        // such as emoji alone: no sound, as without a server
        Err(Error::Refused { detail, .. }) if detail.code == ErrorCode::EmptyText => return Ok(()),
        Err(error) => return Err(advise(error)),
    };
    let mut by_the_server = clip.server_first_audio;
    while let Some(bytes) = clip.next().await {
        output.write(&samples(&bytes.map_err(advise)?), |here| match by_the_server.take() {
            Some(there) => format!(
                "first audio after {here:.1} ms, connecting included; the server took {:.1} ms",
                there.as_secs_f64() * 1_000.0
            ),
            None => first_audio(here),
        })?;
    }
    Ok(())
}

/// Speaks a text over WebSocket while it is read.
async fn converse(
    client: &Client,
    args: &Args,
    mut pieces: Pieces,
    output: &mut Output<'_>,
    progress: &Progress,
) -> anyhow::Result<()> {
    let mut speaker = Speaker::new(client.converse_with(config(args)?).await.map_err(advise)?);
    let mut is_coming = true;
    while is_coming || speaker.turn.is_some() || speaker.next.is_some() {
        tokio::select! {
            piece = pieces.recv(), if is_coming && speaker.takes_text() => {
                if let Some(piece) = piece {
                    let piece = piece.context(NOT_TEXT)?;
                    output.begin();
                    progress.given(&piece);
                    speaker.append(&piece).await?;
                } else {
                    is_coming = false;
                    speaker.end().await?;
                }
            }
            event = timeout(UNHEARD, speaker.conversation.next()) => match event {
                Ok(Some(event)) => {
                    speaker.hear(event.map_err(advise)?, output, progress)?;
                    speaker.go_on().await?;
                }
                Ok(None) => bail!("the server ended the conversation"),
                Err(_) => speaker.is_stuck = speaker.is_full(),
            },
        }
    }
    speaker.conversation.finish().await.map_err(advise)
}

/// The settings of the conversation.
fn config(args: &Args) -> anyhow::Result<ConfigPatch> {
    Ok(ConfigPatch {
        voice: Some(args.voice.clone()),
        language: args.language.map(Some),
        speed: Some(f64::from(args.speed)),
        pitch: Some(f64::from(args.pitch)),
        clarity: Some(Some(args.clarity)),
        lexicon: Some(args.readings.for_server(args.language)?),
        timestamps: Some(Timestamps::Word),
        // as fast as it is written; a player takes it at its own pace
        max_lead_ms: Some(0),
        output_format: None,
    })
}

/// A conversation in which one text is spoken: in one turn, or in more where it pauses for so long that the server
/// ends one.
struct Speaker {
    conversation: Conversation,
    turn: Option<String>,
    /// Characters of the turn that were sent, and up to which word marks have come.
    sent: usize,
    marked: usize,
    /// Whether [`UNHEARD`] passed without an event while full: the turn ends at the first blank of the next piece.
    is_stuck: bool,
    /// Text for the next turn, which begins when this one, which is long enough, has ended.
    next: Option<String>,
}

impl Speaker {
    fn new(conversation: Conversation) -> Self {
        Self { conversation, turn: None, sent: 0, marked: 0, is_stuck: false, next: None }
    }

    /// Whether as many characters are unspoken as may be.
    fn is_full(&self) -> bool {
        self.sent - self.marked.min(self.sent) >= UNSPOKEN
    }

    /// Whether more text may be sent.
    fn takes_text(&self) -> bool {
        self.next.is_none() && (self.is_stuck || !self.is_full())
    }

    async fn append(&mut self, piece: &str) -> anyhow::Result<()> {
        let cut = if self.is_stuck {
            Some(piece.find(char::is_whitespace).unwrap_or(0))
        } else {
            piece.rfind(char::is_whitespace).filter(|_| self.sent > TURN)
        };
        let (now, later) = piece.split_at(cut.unwrap_or(piece.len()));
        if !now.is_empty() {
            self.send(now).await?;
        }
        if cut.is_some() {
            self.next = Some(later.to_owned());
            self.end().await?;
        }
        Ok(())
    }

    /// Begins the next turn where one has become long enough and has ended. Its end has not come yet: while text for a
    /// next turn waits, no more is taken.
    async fn go_on(&mut self) -> anyhow::Result<()> {
        if self.turn.is_none()
            && let Some(text) = self.next.take()
        {
            self.send(&text).await?;
        }
        Ok(())
    }

    async fn send(&mut self, piece: &str) -> anyhow::Result<()> {
        self.sent += piece.chars().count();
        match &self.turn {
            Some(turn) => self.conversation.append(turn, piece).await.map_err(advise)?,
            None => self.turn = Some(self.conversation.begin(piece).await.map_err(advise)?),
        }
        Ok(())
    }

    async fn end(&mut self) -> anyhow::Result<()> {
        match &self.turn {
            Some(turn) => self.conversation.end(turn).await.map_err(advise),
            None => Ok(()),
        }
    }

    fn hear(&mut self, event: Event, output: &mut Output<'_>, progress: &Progress) -> anyhow::Result<()> {
        self.is_stuck = false;
        match event {
            Event::Audio { samples: bytes, .. } => output.write(&samples(&bytes), first_audio)?,
            Event::Words(words) => {
                let last = words.words.last().map_or(0, |word| word.char_end as usize);
                self.marked = self.marked.max(last);
                progress.spoken(self.marked as u64);
            }
            Event::Done(done) if self.turn.as_ref() == Some(&done.turn) => {
                (self.turn, self.sent, self.marked) = (None, 0, 0);
                progress.text_ends();
                // it comes with the turn's end
                if let Some(there) = done.first_audio_ms {
                    output.tell(&format!("the server took {there:.1} ms to the first audio of the turn"));
                }
            }
            Event::Failed(failed) => bail!("{} ({})", failed.error.message, failed.error.code),
            Event::Lost(lost) => return Err(advise(lost.cause)),
            Event::Rejected { error, .. } => bail!("{} ({})", error.message, error.code),
            Event::Cancelled(_) => bail!("the server cancelled the turn"),
            Event::Warning { message, .. } => progress.print(&message),
            Event::Started { .. }
            | Event::Flushed { .. }
            | Event::Done(_)
            | Event::Reconnected
            | Event::Config(_) => {}
        }
        Ok(())
    }
}

fn first_audio(ms: f64) -> String {
    format!("first audio after {ms:.1} ms from the first text")
}

fn samples(bytes: &Bytes) -> Vec<i16> {
    bytes.chunks_exact(2).map(|sample| i16::from_le_bytes([sample[0], sample[1]])).collect()
}
