//! The worker's side of a speech stream: a value that renders the next block of samples on demand.

use std::any::Any;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::mem;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::time::Duration;

use shruti_backend::marks::{Transcript, closes};
use shruti_backend::{Backend, Job, Rendered, Style};
use shruti_lang::{Clarity, Language, SAMPLE_RATE};
use shruti_text::utterance::{Pause, Spoken, Utterance};
use shruti_text::{Reader, Settings};

use crate::chunk::{Chunk, Chunker};
use crate::error::{Fault, SpeakError};
use crate::panics::contained;
use crate::queue::Step;
use crate::routes::{LanguageRoute, Routes};
use crate::step_times::Stopwatch;

/// Input from the listener's side, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Text to append, at most [`TEXT_CHUNK_BYTES`] bytes.
    Text(String),
    /// Speak the pending text up to the last whitespace.
    Release,
    /// Speak all pending text and acknowledge the flush.
    Flush,
    /// No more text follows.
    Finish,
}

/// Maximum amount of text that is passed to the text front end in one piece, in bytes: a few sentences. The result does
/// not depend on how a text is split, and a long text starts as fast as a short one.
const TEXT_CHUNK_BYTES: usize = 1_024;

/// Appends text to the input, in pieces of at most [`TEXT_CHUNK_BYTES`].
pub(crate) fn append(input: &mut VecDeque<Input>, mut text: &str) {
    /// Maximum length of a character in bytes.
    const CHARACTER: usize = 4;
    while !text.is_empty() {
        match input.back_mut() {
            Some(Input::Text(open)) if open.len() + CHARACTER <= TEXT_CHUNK_BYTES => {
                let (now, later) = text.split_at(text.floor_char_boundary(TEXT_CHUNK_BYTES - open.len()));
                open.push_str(now);
                text = later;
            }
            _ => input.push_back(Input::Text(String::new())),
        }
    }
}

/// Drops a stream's task and catches a panic of its render state.
pub(crate) fn discard(task: Box<SpeechTask>) {
    if contained(|| drop(task)).is_err() {
        tracing::error!("panic while dropping a stream");
    }
}

/// Result of a step.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The next step can run immediately.
    More,
    /// The back end has no more audio until it wakes the stream.
    Pending,
    /// All text before a flush has been spoken; the next step may be able to run immediately.
    Flushed,
    /// Nothing can be spoken until more text arrives.
    NeedsText,
    /// All text has been spoken.
    Ended,
}

/// An active stream: unread text, the state of the utterance that is being rendered, and uncut audio.
///
/// It belongs to one worker at a time and shares nothing with other streams. Between two steps it may move to another
/// back end: one back end reads its text, and each utterance is prepared and rendered by the back end of its route.
pub(crate) struct SpeechTask {
    style: Style,
    routes: Arc<Routes>,
    /// Back ends that are not used if others provide the voice: those that the conversation is not bound to, and those
    /// without capacity for the stream.
    excluded: Vec<usize>,
    /// Back end of the last utterance.
    spoken_by: Option<usize>,
    stage: Stage,
    /// Parts of the utterance after the part that is being rendered.
    parts: VecDeque<Utterance>,
    input: VecDeque<Input>,
    reader: Reader,
    transcript: Transcript,
    finished: bool,
    /// Whether nothing more can be spoken until new input arrives.
    dry: bool,
    chunker: Chunker,
    /// Time at which the listener will have heard all rendered audio; `None` before the first audio.
    dry_at: Option<Duration>,
    /// End of the text that has been read into utterances, in Unicode scalar values.
    spoken: u32,
    /// Whether the text that is being read precedes a flush.
    flushing: bool,
    /// Records the times of the steps, if the caller requested it.
    stopwatch: Option<Stopwatch>,
}

/// Progress of the current utterance, with the number of its back end.
enum Stage {
    /// There is no utterance; the next one must be read.
    Reading,
    /// The utterance has been read; a back end other than the reader must prepare it.
    HandedOver(usize, Utterance),
    /// A part of the utterance has been rendered; the next part must be prepared.
    NextPart(usize, Utterance),
    /// A pause in the text is in progress; the value is the number of its remaining samples. No back end renders them.
    Pausing(u64),
    /// The utterance is being rendered; only the back end knows the type of the render state.
    Rendering(usize, Box<dyn Any + Send>),
}

/// Next item of the text.
enum Next {
    Utterance(Utterance),
    Pause(Pause),
    /// All text before a flush has been read.
    Flushed,
    /// Nothing can be read until more text arrives.
    Nothing,
}

impl SpeechTask {
    pub(crate) fn new(settings: Settings, style: Style, clarity: Clarity, routes: Arc<Routes>) -> Self {
        Self {
            style,
            routes,
            excluded: Vec::new(),
            spoken_by: None,
            stage: Stage::Reading,
            parts: VecDeque::new(),
            input: VecDeque::new(),
            reader: Reader::new(settings),
            transcript: Transcript::default(),
            finished: false,
            dry: true,
            chunker: Chunker::new(SAMPLE_RATE).with_clarity(clarity),
            dry_at: None,
            spoken: 0,
            flushing: false,
            stopwatch: None,
        }
    }

    /// Returns the task with an optional stopwatch for recording the times of its steps.
    pub(crate) fn timed(self, stopwatch: Option<Stopwatch>) -> Self {
        Self { stopwatch, ..self }
    }

    /// Returns the task with a list of excluded back ends. An excluded back end is not used if others provide the
    /// voice.
    pub(crate) fn without(self, excluded: Vec<usize>) -> Self {
        Self { excluded, ..self }
    }

    /// Returns whether the steps are timed.
    pub(crate) fn is_timed(&self) -> bool {
        self.stopwatch.is_some()
    }

    /// Records the times of a step. A prepare step that prepared nothing does not count.
    pub(crate) fn note(&self, step: Step, began: Duration, ended: Duration) {
        let has_nothing = matches!(self.stage, Stage::Reading | Stage::Pausing(_));
        match &self.stopwatch {
            Some(stopwatch) if step == Step::Render || !has_nothing => stopwatch.note(step, began, ended),
            _ => {}
        }
    }

    /// Moves new input from the listener's side to the task.
    pub(crate) fn take_input(&mut self, input: &mut VecDeque<Input>) {
        self.input.append(input);
    }

    /// Returns the next step; `None` if there is nothing to do without more text. `input_waits` indicates
    /// whether the listener's side has new input.
    pub(crate) fn next_step(&self, input_waits: bool) -> Option<Step> {
        match self.stage {
            Stage::Rendering(..) => Some(Step::Render),
            Stage::HandedOver(..) | Stage::NextPart(..) | Stage::Pausing(_) => Some(Step::Prepare),
            Stage::Reading => (input_waits || !self.dry).then_some(Step::Prepare),
        }
    }

    /// Returns the number of the back end that runs the next step.
    pub(crate) fn backend(&self) -> usize {
        match self.stage {
            Stage::Reading | Stage::Pausing(_) => self.routes.reader(),
            Stage::HandedOver(backend, _) | Stage::NextPart(backend, _) | Stage::Rendering(backend, _) => {
                backend
            }
        }
    }

    /// Returns the language of the speech as soon as it is known: Hindi for romanised Hindi.
    pub(crate) fn language(&self) -> Option<Language> {
        let spoken = self.reader.spoken_language().map(|spoken| spoken.language);
        spoken.or_else(|| self.reader.language())
    }

    /// Returns the end of the text that has been read into utterances, in Unicode scalar values.
    pub(crate) fn spoken(&self) -> u32 {
        self.spoken
    }

    /// Runs a prepare step on `backend`: prepares the utterance or the part that waits for this back end, continues a
    /// pause, or reads the next utterance. A new utterance is prepared if its route leads to `backend`; otherwise it is
    /// kept for the back end of its route. If nothing can be read, adds the remaining audio to `chunks`.
    pub(crate) fn prepare<B: Backend>(
        &mut self,
        backend: &B,
        chunks: &mut Vec<Chunk>,
    ) -> Result<Progress, Fault> {
        let own = self.backend();
        let mut utterance = match mem::replace(&mut self.stage, Stage::Reading) {
            Stage::HandedOver(_, utterance) => {
                self.prepare_utterance(backend, own, utterance)?;
                return Ok(Progress::More);
            }
            Stage::NextPart(_, part) => {
                self.prepare_part(backend, own, &part)?;
                return Ok(Progress::More);
            }
            Stage::Pausing(missing) => {
                self.pause(missing, chunks);
                return Ok(Progress::More);
            }
            Stage::Rendering(..) | Stage::Reading => match self.read() {
                Next::Utterance(utterance) => utterance,
                Next::Pause(pause) => {
                    self.dry = false;
                    self.spoken = self.spoken.max(pause.char_end);
                    self.pause(self.chunker.missing_silence(pause.silence_ms), chunks);
                    return Ok(Progress::More);
                }
                Next::Flushed => {
                    self.dry = self.input.is_empty();
                    chunks.extend(self.chunker.remaining(false));
                    return Ok(Progress::Flushed);
                }
                Next::Nothing => {
                    self.dry = true;
                    chunks.extend(self.chunker.remaining(self.finished));
                    return Ok(if self.finished { Progress::Ended } else { Progress::NeedsText });
                }
            },
        };
        self.dry = false;
        self.spoken = self.spoken.max(utterance.source.end);
        let is_shifted = self.style.pitch != 0.0;
        let speaker = self.routes.of(&mut utterance, is_shifted, &self.excluded);
        let speaker =
            speaker.map_err(|language| Fault::Rejected(SpeakError::UnsupportedLanguage(language)))?;
        if is_shifted && !speaker.pitch {
            return Err(Fault::Rejected(SpeakError::UnsupportedPitch));
        }
        let speaker = speaker.backend;
        self.spoken_by = Some(speaker);
        if speaker == own {
            self.prepare_utterance(backend, own, utterance)?;
        } else {
            self.stage = Stage::HandedOver(speaker, utterance);
        }
        Ok(Progress::More)
    }

    /// Generates the next piece of a pause of which `missing` samples remain, up to the end of the open chunk.
    fn pause(&mut self, missing: u64, chunks: &mut Vec<Chunk>) {
        let left = if missing > 0 { missing - self.chunker.append_silence(missing) } else { 0 };
        chunks.extend(std::iter::from_fn(|| self.chunker.next_full_chunk()));
        self.stage = if left > 0 { Stage::Pausing(left) } else { Stage::Reading };
    }

    /// Excludes the back end of a route because it has no capacity, and returns its fallback. Returns `None` if there
    /// is no fallback, or if the refusal had a reason other than the lack of capacity.
    pub(crate) fn fall_back(&mut self, route: &LanguageRoute, refused: &SpeakError) -> Option<usize> {
        if !matches!(refused, SpeakError::Overloaded { .. }) {
            return None;
        }
        let full = route.speaker(&self.excluded).backend;
        self.excluded.push(full);
        let fallback = route.speaker(&self.excluded).backend;
        (!self.excluded.contains(&fallback)).then_some(fallback)
    }

    /// Variant of [`fall_back`](Self::fall_back) for an utterance that has been handed over. The fallback, if there is
    /// one, runs the next step.
    pub(crate) fn hand_over_to_fallback(&mut self, refused: &SpeakError) -> Option<usize> {
        let Stage::HandedOver(backend, utterance) = &self.stage else { return None };
        let (backend, language) = (*backend, utterance.language);
        let routes = Arc::clone(&self.routes);
        let route = routes.find(language).filter(|route| route.speaker(&self.excluded).backend == backend)?;
        let fallback = self.fall_back(route, refused)?;
        if let Stage::HandedOver(backend, _) = &mut self.stage {
            *backend = fallback;
        }
        self.spoken_by = Some(fallback);
        Some(fallback)
    }

    /// Returns the back end of the last utterance.
    pub(crate) fn spoken_by(&self) -> Option<usize> {
        self.spoken_by
    }

    /// Returns the style for a language, with the name that the voice has at the back end for that language.
    fn style_of(&self, language: Language) -> Cow<'_, Style> {
        let speaker = self.routes.find(language).map(|route| &route.speaker(&self.excluded).name);
        match speaker.filter(|speaker| **speaker != self.style.voice) {
            Some(speaker) => Cow::Owned(Style { voice: speaker.clone(), ..self.style.clone() }),
            None => Cow::Borrowed(&self.style),
        }
    }

    /// Prepares the first part of an utterance and stores the other parts.
    fn prepare_utterance<B: Backend>(
        &mut self,
        backend: &B,
        number: usize,
        utterance: Utterance,
    ) -> Result<(), Fault> {
        self.parts = backend.parts(utterance).into();
        match self.parts.pop_front() {
            Some(first) => self.prepare_part(backend, number, &first),
            None => Ok(()),
        }
    }

    fn prepare_part<B: Backend>(
        &mut self,
        backend: &B,
        number: usize,
        utterance: &Utterance,
    ) -> Result<(), Fault> {
        self.transcript.is_ssml = self.reader.is_ssml();
        let style = self.style_of(utterance.language);
        let written = || {
            if self.transcript.is_ssml {
                // the words without the markup
                let words: Vec<&str> = utterance.words.iter().map(|word| word.text.as_str()).collect();
                return words.join(" ");
            }
            self.transcript.text(&utterance.source)
        };
        let prepared = backend.prepare_written(utterance, &written, &style).map_err(Fault::Backend)?;
        let begins = self.chunker.position();
        let last = (prepared.length.samples() as u64).saturating_sub(1);
        for (at, word) in utterance.words.iter().enumerate() {
            // a word without a known time is charged with the first sample of this utterance
            let start = prepared.word_times.get(at).map_or(0, |time| last.min(time.start as u64));
            self.chunker.charge(begins + start, word.extra_chars);
        }
        if prepared.word_times.is_empty() {
            let char_end = self.transcript.end_clause(utterance.source.end);
            self.chunker.begin_clause(char_end);
            self.stage = Stage::Rendering(number, Box::new(prepared.render_state));
            return Ok(());
        }
        let times = prepared
            .word_times
            .iter()
            .map(|time| begins + last.min(time.start as u64)..begins + (last + 1).min(time.end as u64));
        self.chunker.announce(self.transcript.mark(&utterance.words, utterance.source.end, times));
        self.stage = Stage::Rendering(number, Box::new(prepared.render_state));
        Ok(())
    }

    /// Reads the next item of the text. Text is read piece by piece and only when needed, so that a long text starts as
    /// fast as a short one.
    fn read(&mut self) -> Next {
        loop {
            match self.reader.next_spoken() {
                Some(Spoken::Utterance(utterance)) => return Next::Utterance(utterance),
                Some(Spoken::Pause(pause)) => return Next::Pause(pause),
                None => {}
            }
            if mem::take(&mut self.flushing) {
                return Next::Flushed;
            }
            let Some(piece) = self.input.pop_front() else { return Next::Nothing };
            match piece {
                Input::Text(mut text) => {
                    // add closing punctuation that has already arrived, so that the mark of the preceding word includes
                    // it
                    if let Some(Input::Text(next)) = self.input.front_mut() {
                        let closing = next.find(|c| !closes(c)).unwrap_or(next.len());
                        text.extend(next.drain(..closing));
                    }
                    self.transcript.push(&text);
                    self.reader.push(&text);
                }
                Input::Release => self.reader.flush_words(),
                Input::Flush => {
                    self.reader.flush();
                    self.flushing = true;
                }
                Input::Finish => {
                    self.reader.finish();
                    self.finished = true;
                }
            }
        }
    }

    /// Returns whether a render state of this type is prepared and has not ended.
    pub(crate) fn has_render_state<P: 'static>(&self) -> bool {
        matches!(&self.stage, Stage::Rendering(_, render_state) if render_state.is::<P>())
    }

    /// Returns the job of the render state for a render call; `None` if nothing is prepared. `waker` wakes the stream
    /// when the back end has more audio.
    pub(crate) fn job<P: 'static>(
        &mut self,
        blocks: &RangeInclusive<usize>,
        waker: &Arc<impl Wake + Send + Sync + 'static>,
    ) -> Option<Job<'_, P>> {
        let Stage::Rendering(_, render_state) = &mut self.stage else { return None };
        let render_state = render_state.downcast_mut()?;
        let length = self.chunker.missing_samples().clamp(*blocks.start(), *blocks.end());
        let waker = Waker::from(Arc::clone(waker));
        Some(Job {
            render_state,
            block: self.chunker.reserve(length),
            outcome: Ok(Rendered::Samples(0)),
            waker,
        })
    }

    /// Processes the outcome of a job whose block had `length` samples.
    pub(crate) fn rendered(
        &mut self,
        length: usize,
        rendered: Rendered,
        chunks: &mut Vec<Chunk>,
    ) -> Progress {
        let (Rendered::Samples(written) | Rendered::Pending(written)) = rendered;
        let written = written.min(length);
        self.chunker.commit(length, written);
        let goes_on = matches!(rendered, Rendered::Pending(_));
        if written < length && !goes_on {
            let next = self.parts.pop_front();
            self.stage = match (next, &self.stage) {
                (Some(part), Stage::Rendering(backend, _)) => Stage::NextPart(*backend, part),
                _ => Stage::Reading,
            };
            self.chunker.end_clause();
        }
        chunks.extend(std::iter::from_fn(|| self.chunker.next_full_chunk()));
        if goes_on { Progress::Pending } else { Progress::More }
    }

    /// Returns the time at which the listener will run out of audio; a stream without audio is due immediately.
    pub(crate) fn deadline(&self, now: Duration) -> Duration {
        self.dry_at.unwrap_or(now)
    }

    /// Postpones the deadline by the duration of audio that was passed to the listener.
    pub(crate) fn handed_over(&mut self, sound: Duration, now: Duration) {
        self.dry_at = Some(self.dry_at.unwrap_or(now) + sound);
    }

    /// Postpones the deadline after a wait for text or for the listener, so that the wait does not make the stream more
    /// urgent. The listener has `waiting` of audio left to hear and cannot run out of audio earlier.
    pub(crate) fn resumed(&mut self, waiting: Duration, now: Duration) {
        self.dry_at = self.dry_at.map(|dry_at| dry_at.max(now + waiting));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_text_into_few_bounded_pieces() {
        let text = "aé₹𑄌 ".repeat(1_000);
        for size in [1, 2, 3, 5, 100, 5_000] {
            let mut input = VecDeque::new();
            let characters: Vec<char> = text.chars().collect();
            for piece in characters.chunks(size) {
                append(&mut input, &piece.iter().collect::<String>());
            }
            let pieces: Vec<&str> = input
                .iter()
                .map(|piece| match piece {
                    Input::Text(text) => text.as_str(),
                    other => panic!("{other:?}"),
                })
                .collect();
            assert!(pieces.concat() == text, "in pieces of {size}");
            let (last, others) = pieces.split_last().unwrap();
            assert!(
                others.iter().all(|piece| (TEXT_CHUNK_BYTES - 3..=TEXT_CHUNK_BYTES).contains(&piece.len())),
                "in pieces of {size}"
            );
            assert!((1..=TEXT_CHUNK_BYTES).contains(&last.len()));
        }
    }
}
