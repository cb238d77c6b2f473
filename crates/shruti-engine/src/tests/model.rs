//! Model test with random listeners: regardless of their actions and languages, and of the interleaving of the steps of
//! two back ends, each listener receives exactly its own audio.

use std::collections::HashMap;
use std::task::Poll;
use std::time::Duration;

use proptest::prelude::*;
use shruti_lang::Language;

use super::{Call, Counting, ManualEngine, counted, poll};
use crate::channel::CHUNKS_AHEAD;
use crate::speech::{Request, Speech};

#[derive(Clone, Debug)]
enum Action {
    Speak(Option<Language>),
    Push(usize, u8, Language),
    Flush(usize),
    Finish(usize),
    Take(usize),
    Drop(usize),
    Advance(u16),
    Step(usize),
}

/// Generates a language of one of the two back ends.
fn language() -> impl Strategy<Value = Language> {
    prop::sample::select(vec![Language::Hindi, Language::Telugu])
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let who = 0..8_usize;
    let action = prop_oneof![
        2 => prop::option::of(language()).prop_map(Action::Speak),
        4 => (who.clone(), 1..5_u8, language())
            .prop_map(|(who, words, language)| Action::Push(who, words, language)),
        1 => who.clone().prop_map(Action::Flush),
        1 => who.clone().prop_map(Action::Finish),
        8 => who.clone().prop_map(Action::Take),
        1 => who.prop_map(Action::Drop),
        2 => (0..300_u16).prop_map(Action::Advance),
        12 => (0..2_usize).prop_map(Action::Step),
    ];
    prop::collection::vec(action, 0..400)
}

/// A listener, the text that it has pushed, and the audio that it has received.
struct Listener {
    speech: Speech,
    voice: &'static str,
    /// Number of words and language of each sentence.
    sentences: Vec<(usize, Language)>,
    finished: bool,
    heard: Vec<i16>,
    marked: Vec<(u32, u32)>,
}

const VOICES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

impl Listener {
    fn take(&mut self) -> bool {
        match poll(&mut self.speech) {
            Poll::Ready(Some(chunk)) => {
                let chunk = chunk.unwrap();
                assert!(!chunk.samples.is_empty());
                assert_eq!(chunk.start as usize, self.heard.len());
                self.heard.extend(&chunk.samples);
                let end_ms = (self.heard.len() / 24) as u32;
                for mark in chunk.marks {
                    assert!(mark.start_ms < end_ms, "the mark precedes its audio");
                    self.marked.push((mark.char_start, mark.char_end));
                }
                true
            }
            Poll::Ready(None) | Poll::Pending => false,
        }
    }
}

/// Creates a back end that renders batches of blocks of one size, or single blocks of any size.
fn backend(in_batches: bool) -> Counting {
    if in_batches { Counting::new(4, BATCH_BLOCK..=BATCH_BLOCK) } else { Counting::new(1, 1..=2_400) }
}

/// Samples per block of a back end that renders in batches.
const BATCH_BLOCK: usize = 12_000;

fn run(in_batches: [bool; 2], actions: &[Action]) {
    let is_telugu = |_: &str, language| language == Language::Telugu;
    let reader = backend(in_batches[0]).with_only(move |voice, language| !is_telugu(voice, language));
    let manual = ManualEngine::with([reader, backend(in_batches[1]).negative().with_only(is_telugu)]);
    let mut listeners: Vec<Option<Listener>> = VOICES.iter().map(|_| None).collect();
    let mut gone: Vec<&str> = Vec::new();
    for action in actions {
        match *action {
            Action::Speak(language) => {
                let Some(free) = listeners.iter().position(Option::is_none) else { continue };
                let voice = VOICES[free];
                let speech = manual.engine.speak(Request { language, ..Request::new(voice) }).unwrap();
                gone.retain(|&name| name != voice);
                let (sentences, heard, marked) = (Vec::new(), Vec::new(), Vec::new());
                listeners[free] = Some(Listener { speech, voice, sentences, finished: false, heard, marked });
            }
            Action::Push(who, words, language) => {
                let Some(listener) = &mut listeners[who] else { continue };
                let word = if language == Language::Telugu { "పదం " } else { "शब्द " };
                let sentence = word.repeat(words.into()).trim_end().to_owned() + ". ";
                if listener.speech.push(&sentence).is_ok() {
                    listener.sentences.push((words.into(), language));
                }
            }
            Action::Flush(who) => {
                if let Some(listener) = &mut listeners[who] {
                    listener.speech.flush();
                }
            }
            Action::Finish(who) => {
                if let Some(listener) = &mut listeners[who] {
                    listener.speech.finish();
                    listener.finished = true;
                }
            }
            Action::Take(who) => {
                if let Some(listener) = &mut listeners[who] {
                    listener.take();
                }
            }
            Action::Drop(who) => {
                if let Some(listener) = listeners[who].take() {
                    gone.push(listener.voice);
                }
            }
            Action::Advance(ms) => manual.clock.advance(Duration::from_millis(ms.into())),
            Action::Step(backend) => {
                manual.engine.step_of(backend);
            }
        }
        let stats = manual.engine.stats();
        let active = listeners.iter().flatten().count();
        assert!(stats.waiting <= active, "{} steps wait for {active} streams", stats.waiting);
        for call in manual.calls() {
            let served = match call {
                Call::Prepared(voice) => vec![voice],
                Call::Rendered(voices) => voices,
            };
            assert!(served.iter().all(|voice| !gone.contains(&voice.as_str())), "{served:?} had gone");
        }
    }
    finish(&manual, listeners);
}

/// Returns the audio of a sentence.
fn spoken(&(words, language): &(usize, Language)) -> Vec<i16> {
    let sign = if language == Language::Telugu { -1 } else { 1 };
    counted(&[words]).iter().map(|sample| sign * sample).collect()
}

/// Reads all streams to the end and verifies their audio.
fn finish(manual: &ManualEngine, mut listeners: Vec<Option<Listener>>) {
    for listener in listeners.iter_mut().flatten() {
        listener.speech.finish();
    }
    manual.run_dry();
    let chunks_ahead = CHUNKS_AHEAD - 1 + BATCH_BLOCK.div_ceil(480) + 1;
    for listener in listeners.iter_mut().flatten() {
        let ahead = std::iter::from_fn(|| listener.take().then_some(())).count();
        assert!(ahead <= chunks_ahead, "{ahead} chunks lay ahead of {}", listener.voice);
        while manual.run_dry() > 0 {
            while listener.take() {}
        }
        let expected: Vec<i16> = listener.sentences.iter().flat_map(spoken).collect();
        assert_eq!(listener.heard.len(), expected.len(), "{}", listener.voice);
        assert!(listener.heard == expected, "{} heard another's samples", listener.voice);
        let words: usize = listener.sentences.iter().map(|(words, _)| words).sum();
        assert_eq!(listener.marked.len(), words, "one mark per word");
        assert!(listener.marked.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{:?}", listener.marked);
        assert_eq!(poll(&mut listener.speech), Poll::Ready(None));
    }
    let stats = manual.engine.stats();
    let by_voice: HashMap<_, _> = listeners.iter().flatten().map(|l| (l.voice, l.finished)).collect();
    assert_eq!((stats.active, stats.faults, stats.refused), (0, 0, 0), "{by_voice:?}");
    assert_eq!([0, 1].map(|backend| manual.stats_of(backend).active), [0, 0], "{by_voice:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_listener_receives_its_complete_speech(actions in actions(), in_batches in any::<[bool; 2]>()) {
        run(in_batches, &actions);
    }
}
