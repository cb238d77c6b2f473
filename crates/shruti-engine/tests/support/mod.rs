//! Test texts in eleven languages, and functions that speak texts and collect the audio and marks.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each test binary uses its own part")]

mod texts;

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use shruti_engine::turn::{Command, Conversation, DoneReason, Event, TurnSettings};
use shruti_engine::{Chunk, Engine, Request, WordMark};
use shruti_lang::{Clarity, Language};
use shruti_voice::ParametricBackend;
use shruti_voice::Voice;

pub use texts::TEXTS;

/// Samples per millisecond.
pub const PER_MS: usize = 24;

pub fn engine(threads: usize) -> Arc<Engine> {
    let built =
        Engine::builder().backend(ParametricBackend::with_threads(threads)).max_speeches(1_000).build();
    Arc::new(built.unwrap())
}

pub fn request(language: Option<Language>, voice: Voice, speed: f32) -> Request {
    Request { language, speed, ..Request::new(voice.name()) }
}

/// Audio and marks of a text.
#[derive(Debug, Default, PartialEq)]
pub struct Spoken {
    pub samples: Vec<i16>,
    pub marks: Vec<WordMark>,
}

impl Spoken {
    fn hear(&mut self, chunk: Chunk) {
        assert_eq!(chunk.start, self.samples.len() as u64);
        for mark in &chunk.marks {
            self.comes_before_its_sound(mark);
        }
        self.marks.extend(chunk.marks);
        self.samples.extend(chunk.samples);
    }

    /// Asserts that a mark arrives before its audio.
    fn comes_before_its_sound(&self, mark: &WordMark) {
        let duration_ms = self.samples.len() / PER_MS;
        assert!(mark.start_ms as usize >= duration_ms, "{mark:?} arrives after {duration_ms} ms of audio");
    }

    /// Returns a description of the difference from another result, without the samples; `None` if there is no
    /// difference.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let samples = self.samples.iter().zip(&other.samples).position(|(a, b)| a != b);
        let samples = samples.or_else(|| {
            let (a, b) = (self.samples.len(), other.samples.len());
            (a != b).then_some(a.min(b))
        });
        let mut marks = self.marks.iter().zip(&other.marks);
        let marks = marks.find(|(a, b)| settled(a) != settled(b));
        match (samples, marks) {
            (None, None) if self.marks.len() == other.marks.len() => None,
            (samples, marks) => Some(format!(
                "from sample {samples:?} of {} and {}; {} and {} marks, the first others {marks:?}",
                self.samples.len(),
                other.samples.len(),
                self.marks.len(),
                other.marks.len()
            )),
        }
    }
}

/// Returns a mark without closing punctuation. A mark includes only the closing punctuation that had arrived when the
/// mark was created, so its punctuation depends on how the text is split.
fn settled(mark: &WordMark) -> WordMark {
    let text = mark.text.trim_end_matches(|c: char| ".,;:?!…।॥۔\"'”’»)]}*_~`".contains(c)).to_owned();
    let closing = (mark.text.chars().count() - text.chars().count()) as u32;
    WordMark { text, char_end: mark.char_end - closing, ..mark.clone() }
}

/// Speaks a text in one piece, as `POST /v1/tts` does.
pub fn whole(engine: &Engine, request: Request, text: &str) -> Spoken {
    let mut speech = engine.speak_text(request, text).unwrap();
    let mut spoken = Spoken::default();
    while let Some(chunk) = speech.blocking_next() {
        spoken.hear(chunk.unwrap());
    }
    spoken
}

/// Speaks a text in pieces; each piece is processed as far as possible before the next one is pushed.
pub fn pieces<'a>(engine: &Engine, request: Request, pieces: impl IntoIterator<Item = &'a str>) -> Spoken {
    let mut speech = engine.speak(request).unwrap();
    let mut spoken = Spoken::default();
    let mut context = Context::from_waker(Waker::noop());
    for piece in pieces {
        speech.push(piece).unwrap();
        while !speech.wants_text() {
            match speech.poll_next(&mut context) {
                Poll::Ready(chunk) => spoken.hear(chunk.unwrap().unwrap()),
                Poll::Pending => std::thread::yield_now(),
            }
        }
    }
    speech.finish();
    while let Some(chunk) = speech.blocking_next() {
        spoken.hear(chunk.unwrap());
    }
    spoken
}

/// Speaks a text that is sent in messages as one turn of a conversation. The time that is passed to the conversation
/// does not advance.
pub fn turn<'a>(
    engine: &Arc<Engine>,
    request: &Request,
    messages: impl IntoIterator<Item = &'a str>,
) -> Spoken {
    let settings = TurnSettings {
        voice: request.voice.clone().expect("the request has a voice"),
        language: request.language,
        speed: request.speed,
        pitch: request.pitch,
        clarity: Clarity::Off,
        lexicon: request.lexicon.clone(),
        engine: None,
        words: true,
        max_lead: None,
    };
    let mut conversation = Conversation::new(Arc::clone(engine), settings);
    let mut spoken = Spoken::default();
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    for message in messages {
        let (turn, text) = (Some(Arc::from("turn")), message.to_owned());
        let text = Command::Text { turn, text, last: false, preempt: false, settings: None };
        conversation.handle(text, Duration::ZERO);
        // how much audio is available at this point depends on the timing of the worker threads
        while let Poll::Ready(event) = conversation.poll(&mut context, Duration::ZERO) {
            assert!(!heard(&mut spoken, event), "the turn ended before the end of its text");
        }
    }
    conversation.handle(Command::End { turn: None }, Duration::ZERO);
    loop {
        match conversation.poll(&mut context, Duration::ZERO) {
            Poll::Ready(event) => {
                if heard(&mut spoken, event) {
                    return spoken;
                }
            }
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Processes an event. Returns whether it is the last event of the turn.
fn heard(spoken: &mut Spoken, event: Event) -> bool {
    match event {
        Event::Started { .. } => assert!(spoken.samples.is_empty()),
        Event::Words { words, .. } => {
            assert!(!words.is_empty());
            for mark in &words {
                spoken.comes_before_its_sound(mark);
            }
            spoken.marks.extend(words);
        }
        Event::Audio { samples, .. } => spoken.samples.extend(samples),
        Event::Done { reason, .. } => {
            assert_eq!(reason == DoneReason::NothingToSay, spoken.samples.is_empty());
            return true;
        }
        other => panic!("unexpected: {other:?}"),
    }
    false
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Splits a text at the given character positions, each taken modulo the length of the text.
pub fn cut<'a>(text: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| places[cut % places.len()]).collect();
    cuts.sort_unstable();
    let mut from = 0;
    cuts.into_iter().chain([text.len()]).map(|to| &text[std::mem::replace(&mut from, to)..to]).collect()
}

/// Splits a text into characters.
pub fn letters(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()])
}

/// Returns the reference sentences of a language if `SHRUTI_SENTENCES` is set.
pub fn reference_sentences(language: Language) -> Vec<String> {
    let Ok(folder) = std::env::var("SHRUTI_SENTENCES") else { return Vec::new() };
    let file = std::path::Path::new(&folder).join(format!("{language}.txt"));
    std::fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect()
}
