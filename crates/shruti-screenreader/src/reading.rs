//! A text that is being read.

use std::collections::VecDeque;
use std::ops::Range;
use std::task::{Context, Poll};

use shruti_engine::{Chunk, Speech};
use shruti_lang::SAMPLE_RATE;
use shruti_text::verbosity::{IndexMark, ReadOut};

use crate::error::ReadError;
use crate::stopper::Stopper;
use crate::time_scale::TimeScale;

/// The most samples of a piece of audio: 20 ms.
pub const MAX_PIECE: usize = 480;

/// What happens next, in the order of the sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Samples, 24,000 a second, from 1 to [`MAX_PIECE`] of them; and how many come before them.
    Audio(Vec<i16>, u64),
    /// A word or a sign begins.
    Word {
        /// Where it stands in the text, in bytes.
        source: Range<usize>,
        /// How many samples come before it.
        sample: u64,
    },
    /// A `<mark>` is reached: the word behind it begins, or the sound ends.
    Mark {
        /// Its name.
        name: String,
        /// How many samples come before it.
        sample: u64,
    },
}

/// A text that is being read. Dropping it stops it.
#[derive(Debug)]
pub struct Reading {
    speech: Speech,
    read_out: ReadOut,
    marks: VecDeque<IndexMark>,
    scale: TimeScale,
    /// The factor of the amplitude, of 4,096.
    gain: i32,
    /// Words that have not begun, by the sample of the unscaled sound.
    words: VecDeque<(u64, Range<usize>)>,
    /// Scaled samples that are in no event yet.
    scaled: Vec<i16>,
    /// How many samples are in events.
    sample: u64,
    events: VecDeque<Event>,
    has_ended: bool,
    stopper: Stopper,
}

impl Reading {
    pub(crate) fn new(
        speech: Speech,
        mut read_out: ReadOut,
        scale: TimeScale,
        volume: f32,
        stopper: Stopper,
    ) -> Self {
        let marks = std::mem::take(&mut read_out.marks).into();
        Self {
            speech,
            read_out,
            marks,
            scale,
            gain: (volume * 4_096.0) as i32,
            words: VecDeque::new(),
            scaled: Vec::new(),
            sample: 0,
            events: VecDeque::new(),
            has_ended: false,
            stopper,
        }
    }

    /// The next event; waits for it. `None` when the text has been read, or was stopped.
    pub fn next_event(&mut self) -> Option<Result<Event, ReadError>> {
        loop {
            if self.stopper.is_stopped() {
                return None;
            }
            if let Some(event) = self.events.pop_front() {
                return Some(Ok(event));
            }
            if self.has_ended {
                return None;
            }
            // the waker stands before the flag is looked at again, so that no stop is missed
            let waker = self.stopper.waker();
            if self.stopper.is_stopped() {
                return None;
            }
            match self.speech.poll_next(&mut Context::from_waker(&waker)) {
                Poll::Pending => std::thread::park(),
                Poll::Ready(Some(Ok(chunk))) => self.take(&chunk),
                Poll::Ready(Some(Err(fault))) => {
                    self.has_ended = true;
                    return Some(Err(fault.into()));
                }
                Poll::Ready(None) => self.end(),
            }
        }
    }

    fn take(&mut self, chunk: &Chunk) {
        for mark in &chunk.marks {
            let sample = u64::from(mark.start_ms) * u64::from(SAMPLE_RATE) / 1_000;
            self.words.push_back((sample, self.read_out.source(mark.char_start..mark.char_end)));
        }
        self.scale.push(&chunk.samples, &mut self.scaled);
        self.hand_on();
    }

    fn end(&mut self) {
        self.has_ended = true;
        self.scale.finish(&mut self.scaled);
        self.hand_on();
        self.pass_marks(usize::MAX);
    }

    /// Makes events of what has been scaled.
    fn hand_on(&mut self) {
        let scaled = std::mem::take(&mut self.scaled);
        let mut rest = scaled.as_slice();
        while let Some(&(sample, _)) = self.words.front()
            && (self.scale.has_passed(sample) || self.has_ended)
            && let Some((_, source)) = self.words.pop_front()
        {
            let before = self.scale.position(sample).saturating_sub(self.sample);
            let (audio, behind) = rest.split_at(usize::try_from(before).unwrap_or(0).min(rest.len()));
            rest = behind;
            self.add_audio(audio);
            self.pass_marks(source.start);
            self.events.push_back(Event::Word { source, sample: self.sample });
        }
        self.add_audio(rest);
    }

    /// Reports the marks that stand before a place in the text.
    fn pass_marks(&mut self, byte: usize) {
        while let Some(mark) = self.marks.pop_front_if(|mark| mark.byte <= byte) {
            self.events.push_back(Event::Mark { name: mark.name, sample: self.sample });
        }
    }

    fn add_audio(&mut self, audio: &[i16]) {
        let gain = self.gain;
        let loud = |&sample: &i16| {
            let loud = (i32::from(sample) * gain) >> 12;
            loud.clamp(i16::MIN.into(), i16::MAX.into()) as i16
        };
        for piece in audio.chunks(MAX_PIECE) {
            self.events.push_back(Event::Audio(piece.iter().map(loud).collect(), self.sample));
            self.sample += piece.len() as u64;
        }
    }
}
