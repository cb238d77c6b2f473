//! A speech on the side of its worker: a value that makes the next block of samples on demand.

use std::any::Any;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::mem;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use shruti_backend::{Backend, Job, Rendered, Style};
use shruti_lang::{Clarity, Language, SAMPLE_RATE};
use shruti_text::utterance::{Pause, Spoken, Utterance};
use shruti_text::{Reader, Settings};

use crate::channel::Channel;
use crate::chunk::{Chunk, Chunker};
use crate::marks::{Transcript, closes};
use crate::queue::Step;
use crate::routes::{LanguageRoute, Routes};
use crate::speech::{Fault, Refused};
use crate::step_times::Stopwatch;

/// What the listener's side gives to be spoken, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Text to append, at most [`TEXT_CHUNK_BYTES`] bytes of it.
    Text(String),
    /// Speak what ends at white space.
    Release,
    /// Speak what is held back, and say when that has been done.
    Flush,
    /// No more text follows.
    Finish,
}

/// How much text the front end is given at once, in bytes: a few sentences. It makes the same of a text however it
/// is cut, and so a long text costs no more than a short one before its first sound.
const TEXT_CHUNK_BYTES: usize = 1_024;

/// Appends text to what is to be spoken, in pieces that are neither large nor many.
pub(crate) fn append(input: &mut VecDeque<Input>, mut text: &str) {
    /// The most bytes that a character takes.
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

/// What became of a step.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// There is more to do at once.
    More,
    /// The back end has nothing before it wakes the speech.
    NotYet,
    /// All text before a flush has been spoken; there may be more to do at once.
    Flushed,
    /// Nothing can be spoken until there is more text.
    NeedsText,
    /// All has been spoken.
    Ended,
}

/// A speech in progress: text not yet read, the state of the utterance that is being rendered, and sound not yet cut.
///
/// It belongs to one worker at a time and shares nothing with other speeches. Between two steps it may go to another
/// back end: its text is read by one, and each utterance is prepared and rendered by that of its route.
pub(crate) struct SpeechTask {
    style: Style,
    routes: Arc<Routes>,
    /// The back ends that do not speak, where others have the voice: those that its conversation is not bound to, and those that
    /// had no room for it.
    excluded: Vec<usize>,
    /// The back end that the last utterance was for.
    spoken_by: Option<usize>,
    stage: Stage,
    /// Parts of the utterance behind the one that is being rendered.
    parts: VecDeque<Utterance>,
    input: VecDeque<Input>,
    reader: Reader,
    transcript: Transcript,
    finished: bool,
    /// Whether all text that has been taken in is spoken or held back.
    dry: bool,
    chunker: Chunker,
    /// When the listener will have heard all that has been made; `None` before the first sound.
    dry_at: Option<Duration>,
    /// Up to where the text has been taken to be spoken, in Unicode scalar values.
    spoken: u32,
    /// Whether what is being read comes before a flush.
    flushing: bool,
    /// Writes down when steps were done, where somebody wants to know.
    stopwatch: Option<Stopwatch>,
}

/// How far the current utterance is, and the number of the back end whose it is.
enum Stage {
    /// There is none; the next is to be read.
    Reading,
    /// It has been read and is to be prepared by another back end than the one that reads.
    HandedOver(usize, Utterance),
    /// A part of it has been rendered; the next is to be prepared.
    Between(usize, Utterance),
    /// So many samples of silence are to follow that the text asks for; no back end makes them.
    Pausing(u64),
    /// It is being rendered: the back end's render state, whose type the back end alone knows.
    Rendering(usize, Box<dyn Any + Send>),
}

/// What the text has to give next.
enum Next {
    Utterance(Utterance),
    Pause(Pause),
    /// All text before a flush has been read.
    Flushed,
    /// Nothing without more text.
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

    /// The same, whose steps are timed where there is a stopwatch.
    pub(crate) fn timed(self, stopwatch: Option<Stopwatch>) -> Self {
        Self { stopwatch, ..self }
    }

    /// The same, without some back ends where others have the voice.
    pub(crate) fn without(self, excluded: Vec<usize>) -> Self {
        Self { excluded, ..self }
    }

    /// Whether it is to be told when its steps were done.
    pub(crate) fn is_timed(&self) -> bool {
        self.stopwatch.is_some()
    }

    /// A step was done between these times. One that prepared nothing does not count.
    pub(crate) fn note(&self, step: Step, began: Duration, ended: Duration) {
        let has_nothing = matches!(self.stage, Stage::Reading | Stage::Pausing(_));
        match &self.stopwatch {
            Some(stopwatch) if step == Step::Render || !has_nothing => stopwatch.note(step, began, ended),
            _ => {}
        }
    }

    /// Takes what the listener's side has given meanwhile.
    pub(crate) fn take_input(&mut self, input: &mut VecDeque<Input>) {
        self.input.append(input);
    }

    /// The step to do next; `None` when there is nothing to do without more text.
    pub(crate) fn next_step(&self, input_waits: bool) -> Option<Step> {
        match self.stage {
            Stage::Rendering(..) => Some(Step::Render),
            Stage::HandedOver(..) | Stage::Between(..) | Stage::Pausing(_) => Some(Step::Prepare),
            Stage::Reading => (input_waits || !self.dry).then_some(Step::Prepare),
        }
    }

    /// The number of the back end that does the next step.
    pub(crate) fn backend(&self) -> usize {
        match self.stage {
            Stage::Reading | Stage::Pausing(_) => self.routes.reader(),
            Stage::HandedOver(backend, _) | Stage::Between(backend, _) | Stage::Rendering(backend, _) => {
                backend
            }
        }
    }

    /// The language that the text is spoken in, as soon as it is known: Hindi for Hindi in Latin letters.
    pub(crate) fn language(&self) -> Option<Language> {
        let spoken = self.reader.spoken_language().map(|spoken| spoken.language);
        spoken.or_else(|| self.reader.language())
    }

    /// Up to where the text has been taken to be spoken.
    pub(crate) fn spoken(&self) -> u32 {
        self.spoken
    }

    /// Reads the next utterance and prepares it, if it is for `backend`, which does this step; else it waits for the
    /// back end of its route. Where there is none, gives what is left of the sound in `chunks`.
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
            Stage::Between(_, part) => {
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
                    chunks.extend(self.chunker.rest(false));
                    return Ok(Progress::Flushed);
                }
                Next::Nothing => {
                    self.dry = true;
                    chunks.extend(self.chunker.rest(self.finished));
                    return Ok(if self.finished { Progress::Ended } else { Progress::NeedsText });
                }
            },
        };
        self.dry = false;
        self.spoken = self.spoken.max(utterance.source.end);
        let is_shifted = self.style.pitch != 0.0;
        let speaker = self.routes.of(&mut utterance, is_shifted, &self.excluded);
        let speaker = speaker.map_err(|language| Fault::Refused(Refused::UnsupportedLanguage(language)))?;
        if is_shifted && !speaker.pitch {
            return Err(Fault::Refused(Refused::UnsupportedPitch));
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

    /// Makes the next chunk of a pause that lacks so many samples.
    fn pause(&mut self, missing: u64, chunks: &mut Vec<Chunk>) {
        let left = if missing > 0 { missing - self.chunker.rest_for(missing) } else { 0 };
        chunks.extend(std::iter::from_fn(|| self.chunker.full()));
        self.stage = if left > 0 { Stage::Pausing(left) } else { Stage::Reading };
    }

    /// A back end of a route had no room: from now on another has its utterances. `None` if there is none, or the refusal
    /// was for another reason.
    pub(crate) fn fall_back(&mut self, route: &LanguageRoute, refused: &Refused) -> Option<usize> {
        if !matches!(refused, Refused::Overloaded { .. }) {
            return None;
        }
        let full = route.speaker(&self.excluded).backend;
        self.excluded.push(full);
        let instead = route.speaker(&self.excluded).backend;
        (!self.excluded.contains(&instead)).then_some(instead)
    }

    /// As [`fall_back`](Self::fall_back), for the utterance that has been handed over: the next step is then of the back
    /// end that speaks instead.
    pub(crate) fn hand_over_instead(&mut self, refused: &Refused) -> Option<usize> {
        let Stage::HandedOver(backend, utterance) = &self.stage else { return None };
        let (backend, language) = (*backend, utterance.language);
        let routes = Arc::clone(&self.routes);
        let route = routes.find(language).filter(|route| route.speaker(&self.excluded).backend == backend)?;
        let instead = self.fall_back(route, refused)?;
        if let Stage::HandedOver(backend, _) = &mut self.stage {
            *backend = instead;
        }
        self.spoken_by = Some(instead);
        Some(instead)
    }

    /// The back end that the last utterance was for.
    pub(crate) fn spoken_by(&self) -> Option<usize> {
        self.spoken_by
    }

    /// The style for a language, with the name that the voice has at the back end that speaks it.
    fn style_of(&self, language: Language) -> Cow<'_, Style> {
        let speaker = self.routes.find(language).map(|route| &route.speaker(&self.excluded).name);
        match speaker.filter(|speaker| **speaker != self.style.voice) {
            Some(speaker) => Cow::Owned(Style { voice: speaker.clone(), ..self.style.clone() }),
            None => Cow::Borrowed(&self.style),
        }
    }

    /// Prepares the first part of an utterance, and keeps the others.
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
                // no tags: the words as they are read
                let words: Vec<&str> = utterance.words.iter().map(|word| word.text.as_str()).collect();
                return words.join(" ");
            }
            self.transcript.text(&utterance.source)
        };
        let prepared = backend.prepare_written(utterance, &written, &style).map_err(Fault::Backend)?;
        let begins = self.chunker.position();
        let last = (prepared.length.samples() as u64).saturating_sub(1);
        for (at, word) in utterance.words.iter().enumerate() {
            // a word whose time is not known is charged with the first sound
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

    /// Reads on. Text is read piece by piece and no sooner than it is needed, so that a long text starts as fast
    /// as a short one.
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
                    // the mark of a word has what closes the word, if that has come
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

    /// Whether a render state of this type is prepared and has not ended.
    pub(crate) fn has_render_state<P: 'static>(&self) -> bool {
        matches!(&self.stage, Stage::Rendering(_, render_state) if render_state.is::<P>())
    }

    /// The render state's part in a call that renders; `None` when nothing is prepared.
    pub(crate) fn job<P: 'static>(
        &mut self,
        blocks: &RangeInclusive<usize>,
        channel: &Arc<Channel>,
    ) -> Option<Job<'_, P>> {
        let Stage::Rendering(_, render_state) = &mut self.stage else { return None };
        let render_state = render_state.downcast_mut()?;
        let length = self.chunker.wanted().clamp(*blocks.start(), *blocks.end());
        let waker = Waker::from(Arc::clone(channel));
        Some(Job { render_state, block: self.chunker.room(length), outcome: Ok(Rendered::Samples(0)), waker })
    }

    /// Takes the outcome of a job whose block had this length.
    pub(crate) fn rendered(
        &mut self,
        length: usize,
        rendered: Rendered,
        chunks: &mut Vec<Chunk>,
    ) -> Progress {
        let (Rendered::Samples(written) | Rendered::NotYet(written)) = rendered;
        let written = written.min(length);
        self.chunker.keep(length, written);
        let goes_on = matches!(rendered, Rendered::NotYet(_));
        if written < length && !goes_on {
            let next = self.parts.pop_front();
            self.stage = match (next, &self.stage) {
                (Some(part), Stage::Rendering(backend, _)) => Stage::Between(*backend, part),
                _ => Stage::Reading,
            };
            self.chunker.end_clause();
        }
        chunks.extend(std::iter::from_fn(|| self.chunker.full()));
        if goes_on { Progress::NotYet } else { Progress::More }
    }

    /// When the listener will run dry; a speech without sound is due at once.
    pub(crate) fn deadline(&self, now: Duration) -> Duration {
        self.dry_at.unwrap_or(now)
    }

    /// Counts sound that has been handed to the listener.
    pub(crate) fn handed_over(&mut self, sound: Duration, now: Duration) {
        self.dry_at = Some(self.dry_at.unwrap_or(now) + sound);
    }

    /// After a wait that was not the worker's fault, for text or for the listener: the listener, who still has
    /// `waiting` to hear, cannot run dry before that.
    pub(crate) fn resumed(&mut self, waiting: Duration, now: Duration) {
        self.dry_at = self.dry_at.map(|dry_at| dry_at.max(now + waiting));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_taken_whole_in_pieces_neither_large_nor_many() {
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
