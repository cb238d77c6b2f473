//! Synthesis of a text in this process. The text is divided into the same turns as a text that is sent to a server.

use std::collections::VecDeque;
use std::future::{pending, poll_fn};
use std::task::Poll;

use anyhow::bail;
use shruti_client::{Spoken, TurnCutter, language_of_the_rest};
use shruti_engine::{Chunk, Engine, MAX_UNSPOKEN, PushError, Request, Speech, StreamItem, WordMark};
use shruti_lang::{Language, SAMPLE_RATE};
use shruti_protocol::stream::WordTime;

use super::args::Args;
use super::pieces::end_of_piece;

/// Size of buffered text, in bytes, at which no more text is accepted.
const READ_AHEAD: usize = 16 * 1_024;
/// Samples per millisecond.
const SAMPLES_PER_MS: u64 = SAMPLE_RATE as u64 / 1_000;

/// Speaker for a text that is still being read. Its methods correspond to those of [`shruti_client::LongText`].
pub(super) struct LocalText<'a> {
    engine: &'a Engine,
    request: Request,
    cutter: TurnCutter,
    /// Buffered text that does not belong to a turn yet.
    waiting: String,
    finished: bool,
    turn: Option<Turn>,
    turns: u64,
    told: VecDeque<Spoken>,
    language: Option<Language>,
    /// Characters (including the white space between turns) and samples of the finished turns.
    chars: u64,
    samples: u64,
}

struct Turn {
    speech: Speech,
    /// Text that the synthesis stream has not accepted yet.
    pending: String,
    text: TurnText,
    flushed: bool,
    is_document: bool,
    chars: u64,
    samples: u64,
    /// Number of characters up to the last word that has started.
    spoken_chars: u64,
}

/// State of the text of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TurnText {
    Coming,
    /// All of the text has been received.
    Whole,
    /// All of the text has been received and passed to the synthesis stream.
    Finished,
}

/// Result of polling a [`Speech`].
enum Heard {
    Sound(Option<anyhow::Result<StreamItem>>),
    /// The text buffer of the stream is full, and contains nothing that can be spoken.
    Nothing,
}

impl<'a> LocalText<'a> {
    pub(super) fn new(engine: &'a Engine, args: &Args, in_one_turn: bool) -> anyhow::Result<Self> {
        let request = Request {
            voice: Some(args.voice.clone()),
            language: args.language,
            speed: args.speed,
            pitch: args.pitch,
            clarity: args.clarity,
            binding: None,
            lexicon: args.readings.lexicon()?,
            times: None,
        };
        Ok(Self {
            engine,
            language: request.language,
            request,
            cutter: if in_one_turn { TurnCutter::that_never_cuts() } else { TurnCutter::default() },
            waiting: String::new(),
            finished: false,
            turn: None,
            turns: 0,
            told: VecDeque::new(),
            chars: 0,
            samples: 0,
        })
    }

    pub(super) fn takes_text(&self) -> bool {
        let pending = self.turn.as_ref().map_or(0, |turn| turn.pending.len());
        !self.finished && self.waiting.len() < READ_AHEAD && pending < READ_AHEAD
    }

    pub(super) fn push(&mut self, piece: &str) {
        self.waiting.push_str(piece);
    }

    pub(super) fn finish(&mut self) {
        self.finished = true;
    }

    pub(super) fn spoken_chars(&self) -> u64 {
        let of_turn = self.turn.as_ref().filter(|turn| !turn.is_document);
        self.chars + of_turn.map_or(0, |turn| turn.spoken_chars)
    }

    pub(super) async fn next(&mut self) -> Option<anyhow::Result<Spoken>> {
        let took_text = self.takes_text();
        loop {
            if let Some(told) = self.told.pop_front() {
                return Some(Ok(told));
            }
            if let Err(error) = self.fill() {
                return Some(Err(error));
            }
            if self.finished && self.turn.is_none() && self.waiting.is_empty() {
                return None;
            }
            if !took_text && self.takes_text() {
                return Some(Ok(Spoken::WantsText));
            }
            if let Err(error) = self.hear().await {
                return Some(Err(error));
            }
        }
    }

    /// Moves buffered text into the current turn until the turn is complete, and passes the text to the synthesis
    /// stream. Starts a turn if none is in progress.
    fn fill(&mut self) -> anyhow::Result<()> {
        while !self.waiting.is_empty() && self.turn.as_ref().is_none_or(|turn| turn.text == TurnText::Coming)
        {
            let cut = self.cutter.take(&self.waiting);
            let behind = self.waiting.len() - cut.rest.len();
            self.chars += cut.skipped as u64;
            if !cut.text.is_empty() {
                let turn = match &mut self.turn {
                    Some(turn) => turn,
                    none => {
                        self.turns += 1;
                        let request = Request { language: self.language, ..self.request.clone() };
                        none.insert(Turn::new(self.engine.speak(request)?))
                    }
                };
                turn.pending.push_str(cut.text);
                turn.chars += cut.text.chars().count() as u64;
                turn.is_document = self.cutter.is_document();
                if cut.ends {
                    turn.text = TurnText::Whole;
                }
            }
            self.waiting.drain(..behind);
        }
        if let Some(turn) = &mut self.turn {
            if turn.text == TurnText::Coming && self.finished && self.waiting.is_empty() {
                turn.text = TurnText::Whole;
            }
            turn.push();
        }
        Ok(())
    }

    async fn hear(&mut self) -> anyhow::Result<()> {
        let Some(turn) = &mut self.turn else {
            // no turn is in progress, so this future stays pending until the caller adds text
            return pending().await;
        };
        match turn.hear().await {
            Heard::Sound(Some(Ok(StreamItem::Chunk(chunk)))) => self.on_chunk(chunk),
            Heard::Sound(Some(Ok(StreamItem::Flushed))) => {}
            Heard::Sound(Some(Err(error))) => return Err(error),
            Heard::Sound(None) => {
                self.chars += turn.chars;
                self.samples += turn.samples;
                self.turn = None;
            }
            Heard::Nothing if turn.flushed => {
                bail!("the text contains {MAX_UNSPOKEN} consecutive characters of markup without a word")
            }
            Heard::Nothing => {
                turn.speech.flush();
                turn.flushed = true;
            }
        }
        Ok(())
    }

    fn on_chunk(&mut self, chunk: Chunk) {
        let Some(turn) = &mut self.turn else { return };
        turn.samples += chunk.samples.len() as u64;
        turn.flushed = false;
        if let Some(mark) = chunk.marks.last() {
            turn.spoken_chars = mark.char_end.into();
        }
        if self.turns == 1
            && self.language.is_none()
            && !turn.is_document
            && let Some(found) = turn.speech.language()
        {
            self.language = language_of_the_rest(found);
        }
        self.told.push_back(Spoken::Audio(chunk.samples));
        if !chunk.marks.is_empty() {
            let (chars, ms) = (self.chars as u32, (self.samples / SAMPLES_PER_MS) as u32);
            let words = chunk.marks.into_iter().map(|mark| word_time(mark, chars, ms)).collect();
            self.told.push_back(Spoken::Words(words));
        }
    }
}

/// Converts a word mark of a turn to positions in the whole text. The turn starts `chars` characters and `ms`
/// milliseconds after the start of the text.
fn word_time(mark: WordMark, chars: u32, ms: u32) -> WordTime {
    let WordMark { text, start_ms, end_ms, char_start, char_end, spoken, .. } = mark;
    WordTime {
        text,
        start_ms: start_ms.saturating_add(ms),
        end_ms: end_ms.saturating_add(ms),
        char_start: char_start.saturating_add(chars),
        char_end: char_end.saturating_add(chars),
        spoken,
    }
}

impl Turn {
    fn new(speech: Speech) -> Self {
        Self {
            speech,
            pending: String::new(),
            text: TurnText::Coming,
            flushed: false,
            is_document: false,
            chars: 0,
            samples: 0,
            spoken_chars: 0,
        }
    }

    /// Passes as much of the pending text to the synthesis stream as it accepts. Finishes the stream after the last
    /// text.
    fn push(&mut self) {
        let mut consumed = 0;
        while consumed < self.pending.len() {
            let rest = &self.pending[consumed..];
            let end = end_of_piece(rest);
            if let Err(PushError::TooMuch { .. }) = self.speech.push(&rest[..end]) {
                break;
            }
            consumed += end;
        }
        self.pending.drain(..consumed);
        if self.text == TurnText::Whole && self.pending.is_empty() {
            self.speech.finish();
            self.text = TurnText::Finished;
        }
    }

    async fn hear(&mut self) -> Heard {
        let is_full = !self.pending.is_empty();
        poll_fn(|context| match self.speech.poll_item(context) {
            Poll::Ready(sound) => {
                Poll::Ready(Heard::Sound(sound.map(|sound| sound.map_err(anyhow::Error::from))))
            }
            Poll::Pending if is_full && self.speech.wants_text() => Poll::Ready(Heard::Nothing),
            Poll::Pending => Poll::Pending,
        })
        .await
    }
}
