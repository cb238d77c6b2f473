//! Chunking of rendered blocks. Chunks grow in size and contain marks; silence at the start of the stream is trimmed.

use std::collections::VecDeque;
use std::time::Duration;

use shruti_audio::{ClarityFilter, is_audible};
use shruti_backend::marks::{TimedMark, WordMark};
use shruti_lang::Clarity;

/// A piece of audio of a stream, ready to play.
///
/// The first chunk of a stream lasts 20 ms, the following ones 40, 60 and 80 ms, all others 100 ms. A chunk may be
/// shorter if no more audio is available for now. The concatenation of all chunks is the audio of the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// Samples, never empty.
    pub samples: Vec<i16>,
    /// Number of samples of the stream that precede the chunk.
    pub start: u64,
    /// Marks of the words that begin in the chunk, in text order.
    pub marks: Vec<WordMark>,
    /// Marks of the clauses without word times that begin or end in the chunk, in order.
    pub clauses: Vec<ClauseMark>,
    /// Number of characters that are charged for the words that begin in the chunk, in addition to the text: the amount
    /// by which lexicon replacements are longer than the words they replace.
    pub extra_chars: u32,
    /// Index in `samples` of the first audible sample of the stream; `None` if the chunk does not contain it.
    pub first_audible: Option<usize>,
}

/// Beginning or end of a clause in the audio, for back ends that do not report word times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseMark {
    /// The audio of the clause begins in the chunk.
    Begins {
        /// End of the clause in the text, in Unicode scalar values.
        char_end: u32,
    },
    /// The audio of the clause ends in the chunk.
    Ends {
        /// End of the clause in the audio of the stream, in milliseconds, rounded down.
        end_ms: u32,
        /// End of the clause in the text, in Unicode scalar values.
        char_end: u32,
    },
}

/// Output of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamItem {
    /// A piece of audio.
    Chunk(Chunk),
    /// All audio of the text before a flush has been delivered.
    Flushed,
}

impl StreamItem {
    /// Returns the number of samples.
    pub(crate) fn samples(&self) -> usize {
        match self {
            Self::Chunk(chunk) => chunk.samples.len(),
            Self::Flushed => 0,
        }
    }
}

/// Returns the duration of a number of samples.
pub(crate) fn length(samples: usize) -> Duration {
    Duration::from_nanos(samples as u64 * 1_000_000_000 / u64::from(shruti_lang::SAMPLE_RATE))
}

/// Duration of the first chunk, and increase from one chunk to the next up to [`LONGEST_MS`], in milliseconds.
const FIRST_MS: u32 = 20;
/// Maximum duration of a chunk, in milliseconds.
const LONGEST_MS: u32 = 100;
/// Maximum silence before the first audible sample, in milliseconds, unless the text requests silence.
const LEADING_SILENCE_MS: u32 = 20;

/// Buffer that collects rendered blocks and cuts them into chunks.
#[derive(Debug)]
pub(crate) struct Chunker {
    sample_rate: u32,
    /// Filter that is applied when a chunk is cut. Marks, the length of the leading silence and other data are computed
    /// earlier, from the unfiltered samples.
    clarity: Option<ClarityFilter>,
    /// Samples that have been rendered but not yet cut into chunks.
    pending: Vec<i16>,
    /// Number of samples in the chunks that have been cut.
    cut: u64,
    /// Size of the next chunk, in samples.
    size: usize,
    leading_silence: LeadingSilence,
    /// Number of inaudible samples at the end of the rendered samples.
    quiet: u64,
    marks: VecDeque<TimedMark>,
    clauses: VecDeque<TimedClause>,
    /// Positions of samples, each with the number of extra characters to charge with this sample.
    extras: VecDeque<(u64, u32)>,
}

/// A clause without word times; positions are in samples of the stream.
#[derive(Debug)]
struct TimedClause {
    begins: u64,
    /// End of the clause; `None` while the clause is being rendered.
    ends: Option<u64>,
    char_end: u32,
    /// Whether a chunk has reported the beginning of the clause.
    has_begun: bool,
}

/// State of the silence at the start of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeadingSilence {
    /// No audible sample has been rendered yet.
    Silent,
    /// No audible sample has been rendered yet, but the text requested silence. The silence is not trimmed.
    Requested,
    /// The first audible sample is in `pending`, at this index.
    Sounding(usize),
    /// The first audible sample has been cut.
    Over,
}

impl Chunker {
    pub(crate) fn new(sample_rate: u32) -> Self {
        let size = samples(FIRST_MS, sample_rate);
        Self {
            sample_rate,
            clarity: None,
            pending: Vec::new(),
            cut: 0,
            size,
            leading_silence: LeadingSilence::Silent,
            quiet: 0,
            marks: VecDeque::new(),
            clauses: VecDeque::new(),
            extras: VecDeque::new(),
        }
    }

    /// Sets the speech shaping of the audio. The sample rate must be 24,000 samples per second.
    pub(crate) fn with_clarity(mut self, clarity: Clarity) -> Self {
        self.clarity = match clarity {
            Clarity::Off => None,
            Clarity::Phone => Some(ClarityFilter::phone()),
            Clarity::Room => Some(ClarityFilter::room()),
        };
        self
    }

    /// Returns the number of samples that are missing from the open chunk; at least 1.
    pub(crate) fn missing_samples(&self) -> usize {
        (self.size + self.held_back()).saturating_sub(self.pending.len()).max(1)
    }

    /// Returns the number of samples that are kept back when a chunk is cut: 1 while a clause without word times is
    /// being rendered, so that a later chunk can report the end of the clause, otherwise 0.
    fn held_back(&self) -> usize {
        usize::from(self.clauses.back().is_some_and(|clause| clause.ends.is_none()))
    }

    /// Returns the position of the next sample in the stream.
    pub(crate) fn position(&self) -> u64 {
        self.cut + self.pending.len() as u64
    }

    /// Adds the marks of the audio that will be rendered next.
    pub(crate) fn announce(&mut self, marks: Vec<TimedMark>) {
        self.marks.extend(marks);
    }

    /// Charges extra characters with the chunk that will contain the sample `at`. This sample has not been rendered
    /// yet.
    pub(crate) fn charge(&mut self, at: u64, extra_chars: u32) {
        if extra_chars > 0 {
            self.extras.push_back((at, extra_chars));
        }
    }

    /// Marks the beginning of a clause without word times; the clause is rendered next.
    pub(crate) fn begin_clause(&mut self, char_end: u32) {
        let begins = self.position();
        let clause = TimedClause { begins, ends: None, char_end, has_begun: false };
        self.clauses.push_back(clause);
    }

    /// Marks the end of the open clause, if there is one.
    pub(crate) fn end_clause(&mut self) {
        let ends = self.position();
        if let Some(clause) = self.clauses.back_mut() {
            clause.ends.get_or_insert(ends);
        }
    }

    /// Appends a block of zeros and returns it; the caller must call [`Chunker::commit`] next.
    pub(crate) fn reserve(&mut self, block: usize) -> &mut [i16] {
        let start = self.pending.len();
        self.pending.reserve_exact(block);
        self.pending.resize(start + block, 0);
        &mut self.pending[start..]
    }

    /// Keeps the first `written` of the `block` samples that the last call to [`Chunker::reserve`] added, and drops the
    /// others.
    pub(crate) fn commit(&mut self, block: usize, written: usize) {
        let surplus = block.saturating_sub(written);
        self.pending.truncate(self.pending.len().saturating_sub(surplus));
        let remaining = self.pending.len().saturating_sub(written);
        let block = &self.pending[remaining..];
        let silence = block.iter().rev().take_while(|&&sample| !is_audible(sample)).count();
        self.quiet = if silence == block.len() { self.quiet + silence as u64 } else { silence as u64 };
        match self.leading_silence {
            LeadingSilence::Silent => self.trim_leading_silence(),
            LeadingSilence::Requested => {
                if let Some(audible) = block.iter().position(|&sample| is_audible(sample)) {
                    self.leading_silence = LeadingSilence::Sounding(remaining + audible);
                }
            }
            LeadingSilence::Sounding(_) | LeadingSilence::Over => {}
        }
    }

    /// Returns the number of silent samples to append so that the audio ends with `milliseconds` of silence.
    pub(crate) fn missing_silence(&self, milliseconds: u32) -> u64 {
        let wanted = u64::from(milliseconds) * u64::from(self.sample_rate) / 1_000;
        wanted.saturating_sub(self.quiet.min(self.position()))
    }

    /// Appends up to `most` samples of requested silence, but not beyond the end of the open chunk. Returns the number
    /// of appended samples.
    pub(crate) fn append_silence(&mut self, most: u64) -> u64 {
        if self.leading_silence == LeadingSilence::Silent {
            self.leading_silence = LeadingSilence::Requested;
        }
        let length = self.missing_samples().min(usize::try_from(most).unwrap_or(usize::MAX));
        self.reserve(length);
        self.commit(length, length);
        length as u64
    }

    /// Returns the next chunk if it is complete.
    pub(crate) fn next_full_chunk(&mut self) -> Option<Chunk> {
        (self.leading_silence != LeadingSilence::Silent && self.pending.len() >= self.size + self.held_back())
            .then(|| self.take(self.size))
    }

    /// Returns the remaining samples of a stream that has no more audio for now, or that has `ended`; `None` if there
    /// are none. If the stream so far consists only of silence that the text did not request, the silence is kept back
    /// until the stream ends.
    pub(crate) fn remaining(&mut self, ended: bool) -> Option<Chunk> {
        let speaks = ended || self.leading_silence != LeadingSilence::Silent;
        (speaks && !self.pending.is_empty()).then(|| self.take(self.pending.len()))
    }

    /// Drops all but the last 20 ms of the silence before the first audible sample.
    fn trim_leading_silence(&mut self) {
        let audible = self.pending.iter().position(|&sample| is_audible(sample));
        let silence = audible.unwrap_or(self.pending.len());
        let surplus = silence.saturating_sub(samples(LEADING_SILENCE_MS, self.sample_rate));
        self.pending.drain(..surplus);
        for mark in &mut self.marks {
            let shifted = |sample: u64| sample.saturating_sub(surplus as u64);
            mark.samples = shifted(mark.samples.start)..shifted(mark.samples.end);
        }
        for clause in &mut self.clauses {
            clause.begins = clause.begins.saturating_sub(surplus as u64);
            clause.ends = clause.ends.map(|ends| ends.saturating_sub(surplus as u64));
        }
        for (at, _) in &mut self.extras {
            *at = at.saturating_sub(surplus as u64);
        }
        if let Some(audible) = audible {
            self.leading_silence = LeadingSilence::Sounding(audible - surplus);
        }
    }

    fn take(&mut self, length: usize) -> Chunk {
        let mut samples: Vec<i16> = if length == self.pending.len() {
            std::mem::take(&mut self.pending)
        } else {
            self.pending.drain(..length).collect()
        };
        if let Some(filter) = &mut self.clarity {
            filter.shape(&mut samples);
        }
        let first_audible = match self.leading_silence {
            LeadingSilence::Sounding(at) if at < length => {
                self.leading_silence = LeadingSilence::Over;
                Some(at)
            }
            LeadingSilence::Sounding(at) => {
                self.leading_silence = LeadingSilence::Sounding(at - length);
                None
            }
            LeadingSilence::Silent | LeadingSilence::Requested | LeadingSilence::Over => None,
        };
        let start = self.cut;
        self.cut += length as u64;
        self.size = (self.size + self::samples(FIRST_MS, self.sample_rate))
            .min(self::samples(LONGEST_MS, self.sample_rate));
        let mut marks = Vec::new();
        while let Some(mark) = self.marks.pop_front_if(|mark| mark.samples.start < self.cut) {
            marks.push(mark.finish(self.sample_rate));
        }
        let clauses = self.take_clauses();
        let mut extra_chars: u32 = 0;
        while let Some((_, extra)) = self.extras.pop_front_if(|&mut (at, _)| at < self.cut) {
            extra_chars = extra_chars.saturating_add(extra);
        }
        Chunk { samples, start, marks, clauses, extra_chars, first_audible }
    }

    /// Returns the clause marks of the audio that has been cut.
    fn take_clauses(&mut self) -> Vec<ClauseMark> {
        let mut marks = Vec::new();
        while let Some(clause) = self.clauses.front_mut().filter(|clause| clause.begins < self.cut) {
            let char_end = clause.char_end;
            if !std::mem::replace(&mut clause.has_begun, true) {
                marks.push(ClauseMark::Begins { char_end });
            }
            let Some(ends) = clause.ends.filter(|&ends| ends <= self.cut) else { break };
            let end_ms = ends * 1_000 / u64::from(self.sample_rate);
            marks.push(ClauseMark::Ends { end_ms: u32::try_from(end_ms).unwrap_or(u32::MAX), char_end });
            self.clauses.pop_front();
        }
        marks
    }
}

const fn samples(ms: u32, sample_rate: u32) -> usize {
    (ms as usize * sample_rate as usize) / 1000
}

#[cfg(test)]
mod tests {
    use shruti_audio::AUDIBLE;

    use super::*;

    const RATE: u32 = 24_000;

    /// Cuts samples into chunks, adding them in blocks of the given sizes.
    fn cut(all: &[i16], blocks: impl IntoIterator<Item = usize>, marks: Vec<TimedMark>) -> Vec<Chunk> {
        let mut chunker = Chunker::new(RATE);
        chunker.announce(marks);
        let mut rest = all;
        let mut chunks = Vec::new();
        for block in blocks {
            let (now, later) = rest.split_at(block.min(rest.len()));
            chunker.reserve(block)[..now.len()].copy_from_slice(now);
            chunker.commit(block, now.len());
            rest = later;
            chunks.extend(std::iter::from_fn(|| chunker.next_full_chunk()));
        }
        assert!(rest.is_empty(), "some samples are missing");
        chunks.extend(chunker.remaining(true));
        chunks
    }

    fn lengths(chunks: &[Chunk]) -> Vec<usize> {
        chunks.iter().map(|chunk| chunk.samples.len()).collect()
    }

    fn joined(chunks: &[Chunk]) -> Vec<i16> {
        chunks.iter().flat_map(|chunk| chunk.samples.iter().copied()).collect()
    }

    fn mark(samples: std::ops::Range<u64>) -> TimedMark {
        TimedMark { text: "word".to_owned(), source: 0..4, samples, spoken: None }
    }

    #[test]
    fn chunks_grow_to_100_ms_and_contain_all_samples() {
        let all: Vec<i16> = (0..10_000).map(|n| 1000 + n).collect();
        for block in [1, 333, 480, 2400, 12_000] {
            let chunks = cut(&all, std::iter::repeat_n(block, 10_000_usize.div_ceil(block)), Vec::new());
            assert_eq!(lengths(&chunks), [480, 960, 1440, 1920, 2400, 2400, 400], "blocks of {block}");
            assert_eq!(joined(&chunks), all, "blocks of {block}");
            assert_eq!(chunks[0].first_audible, Some(0));
            assert!(chunks[1..].iter().all(|chunk| chunk.first_audible.is_none()));
            let starts: Vec<u64> = chunks.iter().map(|chunk| chunk.start).collect();
            assert_eq!(starts, [0, 480, 1440, 2880, 4800, 7200, 9600]);
        }
    }

    #[test]
    fn leading_silence_is_trimmed_and_marks_shift() {
        let cases = [(0, 0), (100, 100), (480, 480), (481, 480), (5_000, 480)];
        for (silence, kept) in cases {
            for block in [1, 480, 2_000, 12_000] {
                let mut all = vec![5_i16; silence];
                all.extend([AUDIBLE.cast_signed(); 1_000]);
                let word = mark(silence as u64..silence as u64 + 1_000);
                let chunks = cut(&all, std::iter::repeat_n(block, all.len().div_ceil(block)), vec![word]);
                assert_eq!(joined(&chunks).len(), kept + 1_000, "{silence} in blocks of {block}");
                let heard: Vec<u64> = chunks
                    .iter()
                    .filter_map(|chunk| Some(chunk.start + chunk.first_audible? as u64))
                    .collect();
                assert_eq!(heard, [kept as u64], "{silence} in blocks of {block}");
                let marks: Vec<_> = chunks.iter().flat_map(|chunk| &chunk.marks).collect();
                let (kept_ms, marked) = (kept as f64 / 24.0, f64::from(marks[0].start_ms));
                assert!(marks.len() == 1 && (marked - kept_ms).abs() <= 0.5, "{silence}: {marks:?}");
            }
        }
    }

    #[test]
    fn requested_silence_is_kept_and_existing_silence_counts() {
        let mut chunker = Chunker::new(RATE);
        let pause = |chunker: &mut Chunker, milliseconds| {
            let mut missing = chunker.missing_silence(milliseconds);
            while missing > 0 {
                missing -= chunker.append_silence(missing);
            }
        };
        pause(&mut chunker, 100);
        chunker.reserve(1_000)[200..600].fill(1_000);
        chunker.commit(1_000, 1_000);
        pause(&mut chunker, 10);
        assert_eq!(chunker.position(), 2_400 + 1_000, "400 samples of silence exceed 10 ms");
        pause(&mut chunker, 50);
        pause(&mut chunker, 70);
        let chunks: Vec<Chunk> =
            std::iter::from_fn(|| chunker.next_full_chunk().or_else(|| chunker.remaining(true))).collect();
        let all = joined(&chunks);
        assert_eq!(all.len(), 2_400 + 600 + 1_680);
        let heard: Vec<u64> =
            chunks.iter().filter_map(|chunk| Some(chunk.start + chunk.first_audible? as u64)).collect();
        assert_eq!(heard, [2_600]);
        assert_eq!(lengths(&chunks)[..3], [480, 960, 1_440]);
    }

    #[test]
    fn marks_are_in_the_chunk_where_their_word_begins() {
        let all = [1000; 3_000];
        let marks = vec![mark(0..400), mark(479..900), mark(480..2_900), mark(2_880..2_999)];
        let chunks = cut(&all, [3_000], marks);
        let starts: Vec<Vec<u32>> =
            chunks.iter().map(|chunk| chunk.marks.iter().map(|mark| mark.start_ms).collect()).collect();
        assert_eq!(starts, [vec![0, 20], vec![20], vec![], vec![120]]);
    }

    #[test]
    fn remaining_samples_are_sent_but_silence_is_held() {
        let mut chunker = Chunker::new(RATE);
        chunker.reserve(300);
        chunker.commit(300, 300);
        assert_eq!(chunker.remaining(false), None, "300 samples of silence");
        chunker.reserve(10).fill(1000);
        chunker.commit(10, 10);
        let chunk = chunker.remaining(false).unwrap();
        assert_eq!((chunk.samples.len(), chunk.first_audible), (310, Some(300)));
        assert_eq!(chunker.remaining(true), None);
        assert_eq!(chunker.missing_samples(), 960);
    }
}
