//! Readings of texts and their events.

use std::collections::VecDeque;
use std::ops::Range;
use std::task::{Context, Poll};

use shruti_engine::{Chunk, Speech};
use shruti_lang::SAMPLE_RATE;
use shruti_text::verbosity::{IndexMark, ReadOut};

use crate::error::ReadError;
use crate::stopper::Stopper;
use crate::time_scale::TimeScale;

/// Maximum number of samples in one [`Event::Audio`]; 480 samples are 20 ms.
pub const MAX_PIECE: usize = 480;

/// Event of a reading. Events arrive in playback order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Audio: from 1 to [`MAX_PIECE`] samples at 24,000 Hz, and the number of samples of the reading that precede them.
    Audio(Vec<i16>, u64),
    /// Start of a word, or of a punctuation mark or symbol that is read by name.
    Word {
        /// Byte range of the word in the text.
        source: Range<usize>,
        /// Number of samples of the reading that precede the word.
        sample: u64,
    },
    /// A `<mark>` element. It is reported when the next word starts, or at the end of the audio.
    Mark {
        /// Name of the mark.
        name: String,
        /// Number of samples of the reading that precede the mark.
        sample: u64,
    },
}

/// Reading in progress. Dropping this value stops the reading.
#[derive(Debug)]
pub struct Reading {
    speech: Speech,
    read_out: ReadOut,
    marks: VecDeque<IndexMark>,
    scale: TimeScale,
    /// Amplitude factor, in units of 1/4,096.
    gain: i32,
    /// Words that have not started. Each has its start position in the audio before time scaling, in samples.
    words: VecDeque<(u64, Range<usize>)>,
    /// Time-scaled samples that are not in an event yet.
    scaled: Vec<i16>,
    /// Number of samples in the events so far.
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

    /// Waits for the next event and returns it. Returns `None` after the end of the text or after a stop.
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
            // register the waker before the flag is checked again, so that a stop in between is not missed
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

    /// Adds events for the scaled samples and for the words that start within them.
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

    /// Adds events for the marks at or before a byte position of the text.
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
