//! A speaker for tests: ten milliseconds of sound for each character, a chunk a word, all at once.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use shruti_protocol::{Language, VoiceId};

use super::command::Settings;
use super::speaker::{Speaker, Utterer};
use crate::chunk::{Chunk, Sound};
use crate::marks::WordMark;
use crate::speech::{Fault, Refused, TextRefused};

/// Samples of a character: ten milliseconds.
pub(super) const SAMPLES: usize = 240;

/// Speaks by the script.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    /// Speeches in progress.
    pub(super) active: Arc<AtomicUsize>,
    /// Refuses every speech.
    pub(super) closed: bool,
    /// Takes its time: gives nothing while this is set.
    pub(super) busy: Arc<AtomicBool>,
}

/// A speech by the script. A word that holds `\u{7}` breaks it.
pub(super) struct ScriptedSpeech {
    voice: VoiceId,
    text: Vec<char>,
    spoken: usize,
    output: VecDeque<Result<Sound, Fault>>,
    finished: bool,
    active: Arc<AtomicUsize>,
    busy: Arc<AtomicBool>,
}

/// The samples of a text.
pub(super) fn sound(text: &str) -> Vec<i16> {
    text.chars().flat_map(|c| [c as u32 as i16; SAMPLES]).collect()
}

impl Speaker for Script {
    type Speech = ScriptedSpeech;

    fn speak(&self, _settings: &Settings) -> Result<ScriptedSpeech, Refused> {
        if self.closed {
            return Err(Refused::Draining);
        }
        self.active.fetch_add(1, Ordering::SeqCst);
        Ok(ScriptedSpeech {
            voice: "Script".into(),
            text: Vec::new(),
            spoken: 0,
            output: VecDeque::new(),
            finished: false,
            active: Arc::clone(&self.active),
            busy: Arc::clone(&self.busy),
        })
    }
}

impl Drop for ScriptedSpeech {
    fn drop(&mut self) {
        self.active.fetch_sub(1, Ordering::SeqCst);
    }
}

impl ScriptedSpeech {
    /// Speaks all words up to a place in the text.
    fn speak_to(&mut self, end: usize) {
        while self.spoken < end {
            let rest = &self.text[self.spoken..end];
            let letters = rest.iter().take_while(|c| !c.is_whitespace()).count();
            let spaces = rest[letters..].iter().take_while(|c| c.is_whitespace()).count();
            let word: String = rest[..letters + spaces].iter().collect();
            if word.contains('\u{7}') {
                self.output.push_back(Err(Fault::Internal));
                self.spoken = end;
                return;
            }
            let (begin, end) = (self.spoken as u32, (self.spoken + letters) as u32);
            let mark = WordMark {
                text: word.trim_end().to_owned(),
                start_ms: begin * 10,
                end_ms: end * 10,
                char_start: begin,
                char_end: end,
                spoken: None,
                extra_chars: 10 * word.matches('+').count() as u32,
            };
            let chunk = Chunk {
                samples: sound(&word),
                start: (self.spoken * SAMPLES) as u64,
                marks: if letters > 0 { vec![mark] } else { Vec::new() },
                first_audible: (self.spoken == 0).then_some(0),
            };
            self.output.push_back(Ok(Sound::Chunk(chunk)));
            self.spoken += letters + spaces;
        }
    }

    fn speak_to_last(&mut self, is_end: impl Fn(char) -> bool) {
        let end = self.text.iter().rposition(|&c| is_end(c)).map_or(0, |place| place + 1);
        self.speak_to(end);
    }
}

impl Utterer for ScriptedSpeech {
    fn push(&mut self, text: &str) -> Result<(), TextRefused> {
        assert!(!self.finished, "text after the end");
        self.text.extend(text.chars());
        self.speak_to_last(|c| c == '.');
        Ok(())
    }

    fn release(&mut self) {
        self.speak_to_last(char::is_whitespace);
    }

    fn flush(&mut self) {
        self.speak_to(self.text.len());
        self.output.push_back(Ok(Sound::Flushed));
    }

    fn finish(&mut self) {
        assert!(!self.finished, "finished twice");
        self.finished = true;
        self.speak_to(self.text.len());
    }

    fn wants_text(&self) -> bool {
        self.output.is_empty() && !self.finished
    }

    fn voice(&self) -> &VoiceId {
        &self.voice
    }

    fn language(&self) -> Option<Language> {
        Some(Language::English)
    }

    fn poll_sound(&mut self, _context: &mut Context<'_>) -> Poll<Option<Result<Sound, Fault>>> {
        if self.busy.load(Ordering::SeqCst) {
            return Poll::Pending;
        }
        match self.output.pop_front() {
            Some(sound) => Poll::Ready(Some(sound)),
            None if self.finished => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}
