//! From rendered blocks to chunks for the listener: growing in size, marked, with little silence before the first.

use std::collections::VecDeque;
use std::time::Duration;

use shruti_audio::{ClarityFilter, is_audible};
use shruti_lang::Clarity;

use crate::marks::{TimedMark, WordMark};

/// A piece of a speech, ready to be heard.
///
/// The first chunk of a speech lasts 20 ms, the following 40, 60 and 80, all others 100 ms; one that ends what
/// there is to say for now may be shorter. Joined, the chunks are the speech.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The samples, never empty.
    pub samples: Vec<i16>,
    /// How many samples of the speech came before it.
    pub start: u64,
    /// The marks of the words that begin in it, in the order of the text.
    pub marks: Vec<WordMark>,
    /// What begins and ends in it of clauses whose words' times are not known, in order.
    pub clauses: Vec<ClauseMark>,
    /// How many characters the words that begin in it are charged besides those of the text: by how much readings are
    /// longer than what they replace.
    pub extra_chars: u32,
    /// Where in `samples` the first audible sample of the speech is; only in the chunk that holds it.
    pub first_audible: Option<usize>,
}

/// Where a clause begins or ends in the sound, of a back end that does not know when its words are spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseMark {
    /// Its sound begins.
    Begins {
        /// Where it ends in the text, in Unicode scalar values.
        char_end: u32,
    },
    /// Its sound ends.
    Ends {
        /// When, in milliseconds of the speech, rounded down.
        end_ms: u32,
        /// Where it ends in the text, in Unicode scalar values.
        char_end: u32,
    },
}

/// What a speech gives its listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sound {
    /// A piece of the speech.
    Chunk(Chunk),
    /// All that was said before a flush has been given.
    Flushed,
}

impl Sound {
    /// How many samples it has.
    pub(crate) fn samples(&self) -> usize {
        match self {
            Self::Chunk(chunk) => chunk.samples.len(),
            Self::Flushed => 0,
        }
    }
}

/// How long so many samples last.
pub(crate) fn length(samples: usize) -> Duration {
    Duration::from_nanos(samples as u64 * 1_000_000_000 / u64::from(shruti_lang::SAMPLE_RATE))
}

/// The length of the first chunk, and what each adds to the one before, in milliseconds.
const FIRST_MS: u32 = 20;
/// The length of the longest chunk in milliseconds.
const LONGEST_MS: u32 = 100;
/// The most silence before the first audible sample, in milliseconds.
const LEAD_MS: u32 = 20;

/// Gathers rendered blocks and cuts them into chunks.
#[derive(Debug)]
pub(crate) struct Chunker {
    sample_rate: u32,
    /// Shapes the samples when they are cut: whatever is decided by them before, marks and the silence before the
    /// speech among it, is as without it.
    clarity: Option<ClarityFilter>,
    /// Rendered and not yet cut.
    pending: Vec<i16>,
    /// Samples in the chunks cut so far.
    cut: u64,
    /// The size of the next chunk, in samples.
    size: usize,
    lead: Lead,
    /// How many samples at the end of what has been rendered are not audible.
    quiet: u64,
    marks: VecDeque<TimedMark>,
    clauses: VecDeque<TimedClause>,
    /// Extra characters with the sample from which on they are charged.
    extras: VecDeque<(u64, u32)>,
}

/// A clause whose words' times are not known, in samples of the speech.
#[derive(Debug)]
struct TimedClause {
    begins: u64,
    /// `None` while it is being rendered.
    ends: Option<u64>,
    char_end: u32,
    /// Whether a chunk has said that it begins.
    has_begun: bool,
}

/// Where the silence before the speech stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lead {
    /// Nothing audible yet.
    Silent,
    /// Nothing audible yet, but silence that was asked for, which is not cut.
    Wanted,
    /// The first audible sample is in `pending`, here.
    Sounding(usize),
    /// It has been cut.
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
            lead: Lead::Silent,
            quiet: 0,
            marks: VecDeque::new(),
            clauses: VecDeque::new(),
            extras: VecDeque::new(),
        }
    }

    /// Shapes the sound for whom it is for; 24,000 samples a second.
    pub(crate) fn with_clarity(mut self, clarity: Clarity) -> Self {
        self.clarity = match clarity {
            Clarity::Off => None,
            Clarity::Phone => Some(ClarityFilter::phone()),
            Clarity::Room => Some(ClarityFilter::room()),
        };
        self
    }

    /// How many samples the open chunk still lacks; at least 1.
    pub(crate) fn wanted(&self) -> usize {
        (self.size + self.kept_back()).saturating_sub(self.pending.len()).max(1)
    }

    /// How many samples are kept back when a chunk is cut: one of a clause that is being rendered, so that there is a
    /// chunk to come that can say where it ended.
    fn kept_back(&self) -> usize {
        usize::from(self.clauses.back().is_some_and(|clause| clause.ends.is_none()))
    }

    /// Where the next sample will stand in the speech.
    pub(crate) fn position(&self) -> u64 {
        self.cut + self.pending.len() as u64
    }

    /// Adds marks of what will be rendered next.
    pub(crate) fn announce(&mut self, marks: Vec<TimedMark>) {
        self.marks.extend(marks);
    }

    /// Charges characters besides those of the text with the chunk that holds this sample of what will be rendered.
    pub(crate) fn charge(&mut self, at: u64, extra_chars: u32) {
        if extra_chars > 0 {
            self.extras.push_back((at, extra_chars));
        }
    }

    /// Says that what will be rendered next is a clause whose words' times are not known.
    pub(crate) fn begin_clause(&mut self, char_end: u32) {
        let begins = self.position();
        let clause = TimedClause { begins, ends: None, char_end, has_begun: false };
        self.clauses.push_back(clause);
    }

    /// Says that the clause that was begun last has been rendered, if there is one.
    pub(crate) fn end_clause(&mut self) {
        let ends = self.position();
        if let Some(clause) = self.clauses.back_mut() {
            clause.ends.get_or_insert(ends);
        }
    }

    /// Room for a block of zeros; [`Chunker::keep`] must follow.
    pub(crate) fn room(&mut self, block: usize) -> &mut [i16] {
        let start = self.pending.len();
        self.pending.reserve_exact(block);
        self.pending.resize(start + block, 0);
        &mut self.pending[start..]
    }

    /// Keeps the first `written` samples of the `block` that room was made for.
    pub(crate) fn keep(&mut self, block: usize, written: usize) {
        let surplus = block.saturating_sub(written);
        self.pending.truncate(self.pending.len().saturating_sub(surplus));
        let kept = self.pending.len().saturating_sub(written);
        let block = &self.pending[kept..];
        let silence = block.iter().rev().take_while(|&&sample| !is_audible(sample)).count();
        self.quiet = if silence == block.len() { self.quiet + silence as u64 } else { silence as u64 };
        match self.lead {
            Lead::Silent => self.shorten_lead(),
            Lead::Wanted => {
                if let Some(audible) = block.iter().position(|&sample| is_audible(sample)) {
                    self.lead = Lead::Sounding(kept + audible);
                }
            }
            Lead::Sounding(_) | Lead::Over => {}
        }
    }

    /// How many samples of silence are to follow so that nothing is heard for so many milliseconds.
    pub(crate) fn missing_silence(&self, milliseconds: u32) -> u64 {
        let wanted = u64::from(milliseconds) * u64::from(self.sample_rate) / 1_000;
        wanted.saturating_sub(self.quiet.min(self.position()))
    }

    /// Adds silence that was asked for, up to the end of the open chunk; gives how many samples it was.
    pub(crate) fn rest_for(&mut self, most: u64) -> u64 {
        if self.lead == Lead::Silent {
            self.lead = Lead::Wanted;
        }
        let length = self.wanted().min(usize::try_from(most).unwrap_or(usize::MAX));
        self.room(length);
        self.keep(length, length);
        length as u64
    }

    /// The next chunk, if it is full.
    pub(crate) fn full(&mut self) -> Option<Chunk> {
        (self.lead != Lead::Silent && self.pending.len() >= self.size + self.kept_back())
            .then(|| self.take(self.size))
    }

    /// What is left of a speech that has nothing more to say for now, or (`ended`) at all. Silence that nothing
    /// audible preceded is kept back until the end.
    pub(crate) fn rest(&mut self, ended: bool) -> Option<Chunk> {
        let speaks = ended || self.lead != Lead::Silent;
        (speaks && !self.pending.is_empty()).then(|| self.take(self.pending.len()))
    }

    /// Drops all but the last 20 ms of the silence before the first audible sample.
    fn shorten_lead(&mut self) {
        let audible = self.pending.iter().position(|&sample| is_audible(sample));
        let silence = audible.unwrap_or(self.pending.len());
        let surplus = silence.saturating_sub(samples(LEAD_MS, self.sample_rate));
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
            self.lead = Lead::Sounding(audible - surplus);
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
        let first_audible = match self.lead {
            Lead::Sounding(at) if at < length => {
                self.lead = Lead::Over;
                Some(at)
            }
            Lead::Sounding(at) => {
                self.lead = Lead::Sounding(at - length);
                None
            }
            Lead::Silent | Lead::Wanted | Lead::Over => None,
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

    /// What the sound that has been cut holds of clauses.
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

    /// Chunks of samples given in blocks of these sizes.
    fn cut(all: &[i16], blocks: impl IntoIterator<Item = usize>, marks: Vec<TimedMark>) -> Vec<Chunk> {
        let mut chunker = Chunker::new(RATE);
        chunker.announce(marks);
        let mut rest = all;
        let mut chunks = Vec::new();
        for block in blocks {
            let (now, later) = rest.split_at(block.min(rest.len()));
            chunker.room(block)[..now.len()].copy_from_slice(now);
            chunker.keep(block, now.len());
            rest = later;
            chunks.extend(std::iter::from_fn(|| chunker.full()));
        }
        assert!(rest.is_empty(), "not all was given");
        chunks.extend(chunker.rest(true));
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
    fn chunks_grow_to_a_tenth_of_a_second_and_hold_every_sample_whatever_the_blocks() {
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
    fn silence_before_the_speech_is_cut_to_20_ms_and_its_marks_move_along() {
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
    fn silence_that_is_asked_for_is_kept_and_what_there_is_counts() {
        let mut chunker = Chunker::new(RATE);
        let pause = |chunker: &mut Chunker, milliseconds| {
            let mut missing = chunker.missing_silence(milliseconds);
            while missing > 0 {
                missing -= chunker.rest_for(missing);
            }
        };
        pause(&mut chunker, 100);
        chunker.room(1_000)[200..600].fill(1_000);
        chunker.keep(1_000, 1_000);
        pause(&mut chunker, 10);
        assert_eq!(chunker.position(), 2_400 + 1_000, "400 samples of silence are more than 10 ms");
        pause(&mut chunker, 50);
        pause(&mut chunker, 70);
        let chunks: Vec<Chunk> =
            std::iter::from_fn(|| chunker.full().or_else(|| chunker.rest(true))).collect();
        let all = joined(&chunks);
        assert_eq!(all.len(), 2_400 + 600 + 1_680);
        let heard: Vec<u64> =
            chunks.iter().filter_map(|chunk| Some(chunk.start + chunk.first_audible? as u64)).collect();
        assert_eq!(heard, [2_600]);
        assert_eq!(lengths(&chunks)[..3], [480, 960, 1_440]);
    }

    #[test]
    fn marks_come_with_the_chunk_in_which_their_word_begins() {
        let all = [1000; 3_000];
        let marks = vec![mark(0..400), mark(479..900), mark(480..2_900), mark(2_880..2_999)];
        let chunks = cut(&all, [3_000], marks);
        let starts: Vec<Vec<u32>> =
            chunks.iter().map(|chunk| chunk.marks.iter().map(|mark| mark.start_ms).collect()).collect();
        assert_eq!(starts, [vec![0, 20], vec![20], vec![], vec![120]]);
    }

    #[test]
    fn what_is_left_before_a_pause_comes_at_once_but_silence_alone_waits() {
        let mut chunker = Chunker::new(RATE);
        chunker.room(300);
        chunker.keep(300, 300);
        assert_eq!(chunker.rest(false), None, "300 samples of silence");
        chunker.room(10).fill(1000);
        chunker.keep(10, 10);
        let chunk = chunker.rest(false).unwrap();
        assert_eq!((chunk.samples.len(), chunk.first_audible), (310, Some(300)));
        assert_eq!(chunker.rest(true), None);
        assert_eq!(chunker.wanted(), 960);
    }
}
