//! A synthesiser for tests: 10 ms of audio per character, one chunk per word, without delay.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};

use shruti_backend::marks::WordMark;
use shruti_lang::Language;

use super::command::{TurnId, TurnSettings};
use super::synthesizer::Synthesizer;
use crate::chunk::{Chunk, StreamItem};
use crate::error::{Fault, PushError, SpeakError};
use crate::source::SpeechSource;
use crate::speech::Speech;

/// Samples per character: 10 ms.
pub(super) const SAMPLES: usize = 240;

/// Scripted synthesiser.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    /// Number of active streams.
    pub(super) active: Arc<AtomicUsize>,
    /// Whether every stream is refused.
    pub(super) closed: bool,
    /// Whether the synthesiser is slow: it yields nothing while the flag is `true`.
    pub(super) busy: Arc<AtomicBool>,
    /// Argument `whole_text` of each call to `speak`.
    pub(super) whole_texts: Arc<Mutex<Vec<Option<String>>>>,
}

/// A stream of the scripted synthesiser. A word that contains `\u{7}` fails, and one that contains `\u{8}` lasts 11 s.
struct ScriptedSpeech {
    progress: Mutex<Progress>,
    active: Arc<AtomicUsize>,
    busy: Arc<AtomicBool>,
}

#[derive(Default)]
struct Progress {
    text: Vec<char>,
    spoken: usize,
    output: VecDeque<Result<StreamItem, Fault>>,
    finished: bool,
}

/// Returns the samples of a text.
pub(super) fn sound(text: &str) -> Vec<i16> {
    text.chars().flat_map(|c| [c as u32 as i16; SAMPLES]).collect()
}

impl Synthesizer for Script {
    fn speak(
        &self,
        _turn: &TurnId,
        _settings: &TurnSettings,
        whole_text: Option<&str>,
    ) -> Result<Speech, SpeakError> {
        if self.closed {
            return Err(SpeakError::Draining);
        }
        self.active.fetch_add(1, Ordering::SeqCst);
        self.whole_texts.lock().unwrap().push(whole_text.map(str::to_owned));
        let (active, busy) = (Arc::clone(&self.active), Arc::clone(&self.busy));
        Ok(Speech::new(
            Arc::new(ScriptedSpeech { progress: Mutex::default(), active, busy }),
            "Script".into(),
        ))
    }
}

impl ScriptedSpeech {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap()
    }
}

impl Progress {
    /// Speaks all words up to a position in the text.
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
            };
            let chunk = Chunk {
                samples: if word.contains('\u{8}') { vec![1; 1_100 * SAMPLES] } else { sound(&word) },
                start: (self.spoken * SAMPLES) as u64,
                marks: if letters > 0 { vec![mark] } else { Vec::new() },
                clauses: Vec::new(),
                extra_chars: 10 * word.matches('+').count() as u32,
                first_audible: (self.spoken == 0).then_some(0),
            };
            self.output.push_back(Ok(StreamItem::Chunk(chunk)));
            self.spoken += letters + spaces;
        }
    }

    fn speak_to_last(&mut self, is_end: impl Fn(char) -> bool) {
        let end = self.text.iter().rposition(|&c| is_end(c)).map_or(0, |place| place + 1);
        self.speak_to(end);
    }
}

impl SpeechSource for ScriptedSpeech {
    fn push(&self, text: &str) -> Result<(), PushError> {
        let mut progress = self.progress();
        assert!(!progress.finished, "text after the end");
        progress.text.extend(text.chars());
        progress.speak_to_last(|c| c == '.');
        Ok(())
    }

    fn release(&self) {
        self.progress().speak_to_last(char::is_whitespace);
    }

    fn flush(&self) {
        let mut progress = self.progress();
        let end = progress.text.len();
        progress.speak_to(end);
        progress.output.push_back(Ok(StreamItem::Flushed));
    }

    fn finish(&self) {
        let mut progress = self.progress();
        assert!(!progress.finished, "finished twice");
        progress.finished = true;
        let end = progress.text.len();
        progress.speak_to(end);
    }

    fn wants_text(&self) -> bool {
        let progress = self.progress();
        progress.output.is_empty() && !progress.finished
    }

    fn language(&self) -> Option<Language> {
        Some(Language::English)
    }

    fn engine(&self) -> Option<String> {
        Some("script".to_owned())
    }

    fn poll_item(&self, _context: &mut Context<'_>) -> Poll<Option<Result<StreamItem, Fault>>> {
        if self.busy.load(Ordering::SeqCst) {
            return Poll::Pending;
        }
        let mut progress = self.progress();
        match progress.output.pop_front() {
            Some(sound) => Poll::Ready(Some(sound)),
            None if progress.finished => Poll::Ready(None),
            None => Poll::Pending,
        }
    }

    fn cancel(&self) {
        self.active.fetch_sub(1, Ordering::SeqCst);
    }
}
