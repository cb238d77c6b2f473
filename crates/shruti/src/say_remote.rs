//! `shruti say --server`: speak a text by a server.

use std::io::{Read, stdin};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use bytes::Bytes;
use shruti_client::{Client, Conversation, Error, Event};
use shruti_protocol::limits::MAX_TEXT_CHARS;
use shruti_protocol::stream::{ConfigPatch, Timestamps};
use shruti_protocol::{ErrorCode, SAMPLE_RATE, SynthesisRequest};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::remote::advise;
use crate::say::{Args, NOTHING_TO_SAY, audible};
use crate::sink::Sink;

/// Characters of one message; the server takes 5,000.
const PIECE: usize = 1_000;
/// Characters that may wait on the server to be spoken; it takes 20,000.
const UNSPOKEN: usize = 10_000;
/// How long more than that waits for a word mark: text in which nothing can be spoken never has one.
const UNMARKED: Duration = Duration::from_secs(2);

/// Speaks what the arguments ask for.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let client = args.remote.client()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = runtime.block_on(async {
        match (&args.list, &args.out_dir, args.text.as_deref()) {
            (Some(list), Some(directory), _) => say_list(&client, args, list, directory).await,
            (_, _, Some("-")) => say_text(&client, args, pieces_of_standard_input()).await,
            (_, _, Some(text)) => {
                ensure!(!text.trim().is_empty(), "the text is empty: there is nothing to say");
                say_text(&client, args, Pieces::Whole(text.to_owned())).await
            }
            _ => bail!("nothing to say: give a text, or --list FILE --out-dir DIR"),
        }
    });
    // a read of the standard input cannot be called back, and is not waited for
    runtime.shutdown_background();
    outcome
}

/// Says a text whose pieces may still be on their way.
async fn say_text(client: &Client, args: &Args, pieces: Pieces) -> anyhow::Result<()> {
    let mut output = Output::new(args);
    speak(client, args, pieces, &mut output).await?;
    ensure!(output.samples > 0, NOTHING_TO_SAY);
    output.finish()
}

async fn say_list(client: &Client, args: &Args, list: &Path, directory: &Path) -> anyhow::Result<()> {
    let lines = std::fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
    std::fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    for (number, line) in lines.lines().enumerate() {
        let path = directory.join(format!("{number:03}.wav"));
        let mut output = Output { sink: Some(Sink::file(&path)?), ..Output::new(args) };
        // the server calls an empty text an error; a list may have empty lines
        if !line.trim().is_empty() {
            speak(client, args, Pieces::Whole(line.to_owned()), &mut output).await?;
        }
        if output.samples == 0 {
            eprintln!("shruti: line {} of {} says nothing", number + 1, list.display());
        }
        output.finish()?;
    }
    Ok(())
}

/// Has a text spoken: a whole one over HTTP, unless it is too long for that.
async fn speak(client: &Client, args: &Args, pieces: Pieces, output: &mut Output<'_>) -> anyhow::Result<()> {
    match pieces {
        Pieces::Whole(text) if text.trim().chars().count() <= MAX_TEXT_CHARS => {
            clip(client, args, text, output).await
        }
        Pieces::Whole(text) => {
            let pieces = split(&text);
            let (send, receive) = mpsc::channel(pieces.len());
            for piece in pieces {
                send.send(Ok(piece)).await?;
            }
            drop(send);
            converse(client, args, receive, output).await
        }
        Pieces::Coming(pieces) => converse(client, args, pieces, output).await,
    }
}

/// Has a whole text spoken over HTTP.
async fn clip(client: &Client, args: &Args, text: String, output: &mut Output<'_>) -> anyhow::Result<()> {
    let request = SynthesisRequest {
        voice: args.voice,
        language: args.language,
        speed: f64::from(args.speed),
        pitch: f64::from(args.pitch),
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
    while let Some(samples) = clip.next().await {
        output.write(&samples.map_err(advise)?, &mut by_the_server)?;
    }
    Ok(())
}

/// Has a text spoken over WebSocket while it comes.
async fn converse(
    client: &Client,
    args: &Args,
    mut pieces: mpsc::Receiver<std::io::Result<String>>,
    output: &mut Output<'_>,
) -> anyhow::Result<()> {
    let mut speaker = Speaker::new(client.converse_with(config(args)?).await.map_err(advise)?);
    let mut is_coming = true;
    while is_coming || speaker.turn.is_some() {
        tokio::select! {
            piece = pieces.recv(), if is_coming && speaker.unspoken() < UNSPOKEN => {
                if let Some(piece) = piece {
                    output.begin();
                    speaker.append(&piece.context("the standard input is not UTF-8 text")?).await?;
                } else {
                    is_coming = false;
                    speaker.end().await?;
                }
            }
            event = timeout(UNMARKED, speaker.conversation.next()) => match event {
                Ok(Some(event)) => speaker.hear(event.map_err(advise)?, output)?,
                Ok(None) => bail!("the server ended the conversation"),
                Err(_) => speaker.marked = speaker.sent,
            },
        }
    }
    speaker.conversation.finish().await.map_err(advise)
}

/// What a conversation is to speak like.
fn config(args: &Args) -> anyhow::Result<ConfigPatch> {
    Ok(ConfigPatch {
        voice: Some(args.voice),
        language: args.language.map(Some),
        speed: Some(f64::from(args.speed)),
        pitch: Some(f64::from(args.pitch)),
        lexicon: Some(args.readings.for_server(args.language)?),
        timestamps: Some(Timestamps::Word),
        // as fast as it is written; a player takes it at its own pace
        max_lead_ms: Some(0),
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
}

impl Speaker {
    fn new(conversation: Conversation) -> Self {
        Self { conversation, turn: None, sent: 0, marked: 0 }
    }

    fn unspoken(&self) -> usize {
        self.sent - self.marked.min(self.sent)
    }

    async fn append(&mut self, piece: &str) -> anyhow::Result<()> {
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

    fn hear(&mut self, event: Event, output: &mut Output<'_>) -> anyhow::Result<()> {
        match event {
            Event::Audio { samples, .. } => output.write(&samples, &mut None)?,
            Event::Words(words) => {
                let last = words.words.last().map_or(0, |word| word.char_end as usize);
                self.marked = self.marked.max(last);
            }
            Event::Done(done) if self.turn.as_ref() == Some(&done.turn) => {
                (self.turn, self.sent, self.marked) = (None, 0, 0);
                output.told(done.first_audio_ms);
            }
            Event::Failed(failed) => bail!("{} ({})", failed.error.message, failed.error.code),
            Event::Lost(lost) => return Err(advise(lost.cause)),
            Event::Rejected(error) => bail!("{} ({})", error.message, error.code),
            Event::Cancelled(_) => bail!("the server cancelled the turn"),
            Event::Warning { message, .. } => eprintln!("shruti: {message}"),
            Event::Started { .. }
            | Event::Flushed { .. }
            | Event::Done(_)
            | Event::Reconnected
            | Event::Config(_) => {}
        }
        Ok(())
    }
}

/// Where the sound goes, and how soon it came.
struct Output<'a> {
    args: &'a Args,
    /// Opened with the first sound: no error leaves an empty file behind.
    sink: Option<Sink>,
    samples: u64,
    begun: Option<Instant>,
    is_audible: bool,
}

impl<'a> Output<'a> {
    fn new(args: &'a Args) -> Self {
        Self { args, sink: None, samples: 0, begun: None, is_audible: false }
    }

    /// Says that the server is being asked.
    fn begin(&mut self) {
        self.begun.get_or_insert_with(Instant::now);
    }

    /// Takes samples; `by_the_server` is what it said of its own first audio, used once.
    fn write(&mut self, samples: &Bytes, by_the_server: &mut Option<Duration>) -> anyhow::Result<()> {
        let samples: Vec<i16> =
            samples.chunks_exact(2).map(|sample| i16::from_le_bytes([sample[0], sample[1]])).collect();
        if !self.is_audible && audible(&samples) {
            self.is_audible = true;
            self.report(by_the_server.take());
        }
        self.samples += samples.len() as u64;
        let sink = match &mut self.sink {
            Some(sink) => sink,
            None => self.sink.insert(self.args.sink()?),
        };
        sink.write(&samples)
    }

    fn report(&self, by_the_server: Option<Duration>) {
        let (true, Some(begun)) = (self.args.verbose, self.begun) else { return };
        let here = begun.elapsed().as_secs_f64() * 1_000.0;
        match by_the_server {
            Some(there) => eprintln!(
                "shruti: first audio after {here:.1} ms, connecting included; the server took {:.1} ms",
                there.as_secs_f64() * 1_000.0
            ),
            None => eprintln!("shruti: first audio after {here:.1} ms from the first text"),
        }
    }

    /// What the server says of a turn's first audio, which comes with its end.
    fn told(&self, first_audio_ms: Option<f64>) {
        if let (true, Some(there)) = (self.args.verbose, first_audio_ms) {
            eprintln!("shruti: the server took {there:.1} ms to the first audio of the turn");
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        let Some(sink) = self.sink else { return Ok(()) };
        if self.args.verbose {
            let seconds = self.samples as f64 / f64::from(SAMPLE_RATE);
            eprintln!("shruti: {seconds:.2} s of speech");
        }
        sink.finish()
    }
}

/// A text, whole or on its way.
enum Pieces {
    Whole(String),
    Coming(mpsc::Receiver<std::io::Result<String>>),
}

/// Cuts a text into messages.
fn split(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(PIECE).map(|piece| piece.iter().collect()).collect()
}

/// Reads the standard input as it comes.
fn pieces_of_standard_input() -> Pieces {
    let (send, pieces) = mpsc::channel(1);
    std::thread::spawn(move || read_text(stdin().lock(), |piece| send.blocking_send(piece).is_ok()));
    Pieces::Coming(pieces)
}

/// Hands on text as it comes, in whole characters, until the end, an error, or nobody wants more.
fn read_text(mut input: impl Read, mut hand_on: impl FnMut(std::io::Result<String>) -> bool) {
    let mut buffer = vec![0; PIECE];
    // the beginning of a character whose end has not come
    let mut kept = 0;
    loop {
        let read = match input.read(&mut buffer[kept..]) {
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => {
                hand_on(Err(error));
                return;
            }
        };
        let have = kept + read;
        let (whole, is_text) = match std::str::from_utf8(&buffer[..have]) {
            Ok(text) => (text.len(), true),
            // a cut character is completed by what follows, if something does
            Err(error) => (error.valid_up_to(), error.error_len().is_none() && read > 0),
        };
        let text = String::from_utf8_lossy(&buffer[..whole]).into_owned();
        if !text.is_empty() && !hand_on(Ok(text)) {
            return;
        }
        if !is_text {
            hand_on(Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "wrong bytes")));
            return;
        }
        if read == 0 {
            return;
        }
        buffer.copy_within(whole..have, 0);
        kept = have - whole;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a byte at a time.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            buffer[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    fn read(input: &[u8]) -> (String, bool) {
        let (mut text, mut failed) = (String::new(), false);
        read_text(Drip(input), |piece| {
            match piece {
                Ok(piece) => text.push_str(&piece),
                Err(_) => failed = true,
            }
            true
        });
        (text, failed)
    }

    #[test]
    fn text_is_read_in_whole_characters() {
        assert_eq!(read("नमस्ते 🙂!".as_bytes()), ("नमस्ते 🙂!".to_owned(), false));
        assert_eq!(read(b""), (String::new(), false));
        assert_eq!(read(b"abc\xff\xfe"), ("abc".to_owned(), true), "not UTF-8");
        assert_eq!(read(b"abc\xe0\xa4"), ("abc".to_owned(), true), "it ends inside a character");
    }

    #[test]
    fn messages_hold_the_whole_text() {
        let text = "पहला, दूसरा। ".repeat(500);
        let pieces = split(&text);
        assert!(pieces.iter().all(|piece| piece.chars().count() <= PIECE));
        assert_eq!(pieces.concat(), text);
    }
}
