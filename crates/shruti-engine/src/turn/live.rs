//! A turn while it is queued and while it is spoken.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use super::command::{TurnId, TurnSettings};
use super::event::{CutUnit, Event, Failure};
use super::finished::{Cut, Record};
use super::heard::TextEnds;
use super::sound_limit::SoundLimit;
use crate::chunk::{self, Chunk, ClauseMark};
use crate::error::PushError;
use crate::speech::Speech;

/// State of the text input of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TextInput {
    /// The turn accepts text.
    #[default]
    Open,
    /// The text is complete.
    Ended,
    /// Text arrived after the end; the client has been warned once.
    LateTextWarned,
}

impl TextInput {
    pub(super) fn is_open(self) -> bool {
        self == Self::Open
    }

    /// Records that text arrived too late. Returns whether the client must be warned.
    pub(super) fn late_text(&mut self) -> bool {
        std::mem::replace(self, Self::LateTextWarned) != Self::LateTextWarned
    }
}

/// A turn that waits for the live turn: its text and the positions of the flushes in that text.
#[derive(Debug)]
pub(super) struct QueuedTurn {
    pub(super) turn: TurnId,
    pub(super) settings: TurnSettings,
    pub(super) text: String,
    /// Flushes: byte position in the text, and ID that the client gave the flush.
    pub(super) flushes: Vec<(usize, Option<String>)>,
    pub(super) text_input: TextInput,
}

impl QueuedTurn {
    pub(super) fn new(turn: TurnId, settings: TurnSettings) -> Self {
        Self { turn, settings, text: String::new(), flushes: Vec::new(), text_input: TextInput::Open }
    }

    /// Converts this turn to the record of a turn that ended before it was spoken.
    pub(super) fn into_record(self) -> Record {
        Record {
            turn: self.turn,
            text: self.text,
            begins: None,
            sent: Duration::ZERO,
            text_ends: TextEnds::default(),
            cut_at: CutUnit::Word,
            complete: false,
            cut: Some(Cut::NOTHING_HEARD),
            warned: self.text_input == TextInput::LateTextWarned,
        }
    }
}

/// The turn that is being spoken.
pub(super) struct Live {
    pub(super) turn: TurnId,
    pub(super) settings: TurnSettings,
    pub(super) speech: Speech,
    /// Original text, and its length in characters.
    text: String,
    text_chars: u32,
    /// Range of the text without leading and trailing whitespace, in characters; the whitespace is not charged.
    trimmed_range: Range<u32>,
    pub(super) text_input: TextInput,
    /// Flushes that have not been acknowledged.
    pub(super) flushes: VecDeque<Option<String>>,
    /// Time at which text last arrived, and whether pending words have been released since then.
    pub(super) last_text: Duration,
    pub(super) released: bool,
    /// Time at which the stream ran out of audio; `None` while it has audio.
    pub(super) dry: Option<Duration>,
    /// Start of the latest period in which there was continuously something to speak.
    pub(super) busy: Duration,
    first_audio: Option<Duration>,
    /// Position at which the audio begins for the listener; `None` before the first audio.
    pub(super) begins: Option<Duration>,
    pub(super) sent: Duration,
    text_ends: TextEnds,
    /// Clauses without word times that end in rendered but unsent audio: their ends in milliseconds and in the text.
    made_clauses: Vec<(u32, u32)>,
    /// Whether audio of clauses without word times was rendered, and the unit at whose end the text can therefore be
    /// cut.
    has_clauses: bool,
    cut_at: CutUnit,
    /// End in the text of the words and clauses whose audio was rendered, and of those whose audio was sent.
    made_chars: u32,
    spoken_chars: u32,
    /// Extra charge for lexicon replacements in the words whose audio was rendered, and in those whose audio was sent.
    made_extra: u32,
    spoken_extra: u32,
    /// Amount of rendered audio, and its limit. The limit is determined when the first audio arrives.
    made: Duration,
    sound_limit: Option<SoundLimit>,
    /// Events of the next chunk, in order.
    pub(super) ready: VecDeque<Event>,
}

impl Live {
    /// Starts a turn with all text that has arrived for it so far.
    pub(super) fn new(waiting: QueuedTurn, speech: Speech, now: Duration) -> Self {
        let mut live = Self {
            turn: waiting.turn,
            settings: waiting.settings,
            speech,
            text: String::new(),
            text_chars: 0,
            trimmed_range: 0..0,
            text_input: TextInput::Open,
            flushes: VecDeque::new(),
            last_text: now,
            released: false,
            dry: None,
            busy: now,
            first_audio: None,
            begins: None,
            sent: Duration::ZERO,
            text_ends: TextEnds::default(),
            made_clauses: Vec::new(),
            has_clauses: false,
            cut_at: CutUnit::Word,
            made_chars: 0,
            spoken_chars: 0,
            made_extra: 0,
            spoken_extra: 0,
            made: Duration::ZERO,
            sound_limit: None,
            ready: VecDeque::new(),
        };
        let mut offset = 0;
        for (position, id) in waiting.flushes {
            // this cannot fail, because queued text does not exceed the limit of unspoken characters
            let _ = live.push(&waiting.text[offset..position], now);
            live.flush(id, now);
            offset = position;
        }
        let _ = live.push(&waiting.text[offset..], now);
        if !waiting.text_input.is_open() {
            live.finish(now);
            live.text_input = waiting.text_input;
        }
        live
    }

    pub(super) fn push(&mut self, text: &str, now: Duration) -> Result<(), PushError> {
        if !text.is_empty() {
            self.mark_busy(now);
            self.speech.push(text)?;
            self.text.push_str(text);
            for c in text.chars() {
                if !c.is_whitespace() {
                    let start = if self.trimmed_range.is_empty() {
                        self.text_chars
                    } else {
                        self.trimmed_range.start
                    };
                    self.trimmed_range = start..self.text_chars + 1;
                }
                self.text_chars += 1;
            }
        }
        self.last_text = now;
        self.released = false;
        Ok(())
    }

    pub(super) fn flush(&mut self, id: Option<String>, now: Duration) {
        self.mark_busy(now);
        self.speech.flush();
        self.flushes.push_back(id);
    }

    pub(super) fn finish(&mut self, now: Duration) {
        self.mark_busy(now);
        self.text_input = TextInput::Ended;
        self.speech.finish();
    }

    pub(super) fn release(&mut self, now: Duration) {
        self.mark_busy(now);
        self.released = true;
        self.speech.release();
    }

    /// Records that the stream is about to get something to speak.
    fn mark_busy(&mut self, now: Duration) {
        if self.is_dry() {
            self.busy = now;
        }
        self.dry = None;
    }

    /// Returns whether all audio that could be rendered so far has been sent.
    pub(super) fn is_dry(&self) -> bool {
        self.ready.is_empty() && self.speech.wants_text()
    }

    /// Returns whether the text so far is empty or contains only whitespace.
    pub(super) fn is_blank(&self) -> bool {
        self.trimmed_range.is_empty()
    }

    /// Returns the number of characters of the text so far.
    pub(super) fn text_chars(&self) -> usize {
        self.text_chars as usize
    }

    /// Returns the number of unspoken characters.
    pub(super) fn unspoken(&self) -> usize {
        (self.text_chars - self.spoken_chars.min(self.text_chars)) as usize
    }

    /// Adds the events of a chunk to `ready`. Returns an error if the turn has more audio than its charged characters
    /// allow.
    pub(super) fn take(&mut self, chunk: Chunk, now: Duration) -> Result<(), Failure> {
        self.dry = None;
        self.made_extra = self.made_extra.saturating_add(chunk.extra_chars);
        self.made += chunk::length(chunk.samples.len());
        let (settings, text, chars) = (&self.settings, &self.text, self.chargeable());
        let limit = self.sound_limit.get_or_insert_with(|| SoundLimit::new(settings, text)).of(chars);
        if self.made > limit {
            return Err(Failure::TooMuchSound { chars, limit });
        }
        if self.first_audio.is_none() && chunk.first_audible.is_some() {
            self.first_audio = Some(now.saturating_sub(self.busy));
        }
        if self.begins.is_none()
            && self.ready.is_empty()
            && let Some(language) = self.speech.language()
        {
            let (turn, voice) = (self.turn.clone(), self.speech.voice().clone());
            let engine = self.speech.engine().unwrap_or_default();
            self.ready.push_back(Event::Started { turn, voice, language, engine });
        }
        let made = chunk.marks.iter().map(|mark| mark.char_end).max().unwrap_or(0);
        self.made_chars = self.made_chars.max(made);
        for clause in chunk.clauses {
            match clause {
                ClauseMark::Begins { char_end } => {
                    self.has_clauses = true;
                    self.made_chars = self.made_chars.max(char_end);
                }
                ClauseMark::Ends { end_ms, char_end } => self.made_clauses.push((end_ms, char_end)),
            }
        }
        if chunk.extra_chars > 0 {
            self.ready.push_back(Event::ChargeIncreased { turn: self.turn.clone() });
        }
        if !chunk.marks.is_empty() {
            self.ready.push_back(Event::Words { turn: self.turn.clone(), words: chunk.marks });
        }
        self.ready.push_back(Event::Audio {
            turn: self.turn.clone(),
            samples: chunk.samples,
            first_audible: chunk.first_audible,
            chars: self.charge_up_to(self.made_chars).saturating_add(self.made_extra),
        });
        Ok(())
    }

    /// Records an event that is being delivered. Returns the duration of its audio.
    pub(super) fn handed_out(&mut self, event: &Event) -> Duration {
        match event {
            Event::Words { words, .. } => {
                for word in words {
                    self.text_ends.push(word.end_ms, word.char_end);
                }
                Duration::ZERO
            }
            Event::Audio { samples, .. } => {
                // a chunk is only taken when all preceding events have been delivered
                self.spoken_chars = self.made_chars;
                self.spoken_extra = self.made_extra;
                for (end_ms, char_end) in self.made_clauses.drain(..) {
                    self.text_ends.push(end_ms, char_end);
                }
                if self.has_clauses {
                    self.cut_at = CutUnit::Clause;
                }
                chunk::length(samples.len())
            }
            _ => Duration::ZERO,
        }
    }

    /// Returns the number of characters to charge: for the whole text if the turn is `complete`, otherwise for the
    /// words whose audio was sent.
    pub(super) fn charged(&self, complete: bool) -> u32 {
        if complete {
            self.chargeable()
        } else {
            self.charge_up_to(self.spoken_chars).saturating_add(self.spoken_extra)
        }
    }

    /// Returns the number of characters to charge if all text so far were spoken, including the lexicon replacements
    /// known so far.
    pub(super) fn chargeable(&self) -> u32 {
        (self.trimmed_range.end - self.trimmed_range.start).saturating_add(self.made_extra)
    }

    /// Returns the number of characters to charge for the text up to a position.
    fn charge_up_to(&self, place: u32) -> u32 {
        place.min(self.trimmed_range.end).saturating_sub(self.trimmed_range.start)
    }

    pub(super) const fn first_audio(&self) -> Option<Duration> {
        self.first_audio
    }

    /// Converts this turn to the record of an ended turn.
    pub(super) fn into_record(self, complete: bool) -> Record {
        Record {
            turn: self.turn,
            text: self.text,
            begins: self.begins,
            sent: self.sent,
            text_ends: self.text_ends,
            cut_at: self.cut_at,
            complete,
            cut: None,
            warned: self.text_input == TextInput::LateTextWarned,
        }
    }
}
