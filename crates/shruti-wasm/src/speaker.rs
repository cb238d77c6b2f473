//! Conversion of text in pieces to blocks of samples with word marks.

use std::collections::VecDeque;

use shruti_backend::marks::{TimedMark, Transcript, WordMark};
use shruti_lang::{Language, SAMPLE_RATE};
use shruti_text::utterance::{Spoken, Utterance};
use shruti_text::{Reader, Settings};
use shruti_voice::{Renderer, Style, UtterancePlan};

/// Minimum magnitude of an audible sample. A test checks that it equals the value in `measure/audible.json`.
const AUDIBLE: u16 = 33;
/// Maximum silence before the first audible sample: 20 ms, in samples, as in streams from a server.
const LONGEST_LEAD: usize = SAMPLE_RATE as usize / 50;
/// Number of samples that are rendered at a time: 20 ms.
const STEP: usize = SAMPLE_RATE as usize / 50;

/// State of a speaker after a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// More audio follows.
    More,
    /// No more audio can be rendered until more text is pushed.
    NeedsText,
    /// The text was finished and all of it was spoken.
    Ended,
}

/// A piece of the audio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Samples at 24,000 Hz; may be empty.
    pub samples: Vec<i16>,
    /// Marks of the words that begin in the block, in text order.
    pub marks: Vec<WordMark>,
    /// State after the block.
    pub progress: Progress,
}

/// Speech for one text: text is pushed in pieces, and audio is returned in blocks. Dropping the speaker cancels the
/// rest.
///
/// Samples and words depend neither on how the text is divided nor on the size of the blocks.
pub struct Speaker {
    style: Style,
    reader: Reader,
    transcript: Transcript,
    is_finished: bool,
    rendering: Option<Renderer>,
    /// Number of samples of the current pause that have not been rendered.
    silence: u64,
    /// Samples that are not part of a block yet.
    pending: Vec<i16>,
    /// Number of samples in all blocks so far.
    given: u64,
    /// Whether an audible sample or a pause has been rendered. Earlier silence is shortened to 20 ms.
    has_begun: bool,
    /// Number of rendered samples after the last audible one.
    quiet: u64,
    marks: VecDeque<TimedMark>,
}

impl Speaker {
    /// Creates a speaker for a text in a language. Text that begins with `<speak` is SSML.
    pub fn new(language: Language, style: Style) -> Self {
        Self {
            style,
            reader: Reader::new(Settings { language: Some(language), ..Settings::default() }),
            transcript: Transcript::default(),
            is_finished: false,
            rendering: None,
            silence: 0,
            pending: Vec::new(),
            given: 0,
            has_begun: false,
            quiet: 0,
            marks: VecDeque::new(),
        }
    }

    /// Appends the next piece of the text.
    pub fn push(&mut self, piece: &str) {
        self.transcript.push(piece);
        self.reader.push(piece);
    }

    /// Ends the text.
    pub fn finish(&mut self) {
        self.is_finished = true;
        self.reader.finish();
    }

    /// Sets the speech rate, from 0.5 to 2.0, of the clauses after the current one.
    pub fn set_speed(&mut self, speed: f32) {
        self.style.speed = speed;
    }

    /// Returns the next block, of at most `most` samples. A block is shorter only at the end of the text, or if more
    /// text is needed.
    pub fn block(&mut self, most: usize) -> Block {
        let most = most.max(1);
        loop {
            if self.has_begun && self.pending.len() >= most {
                return self.take(most, Progress::More);
            }
            if self.silence > 0 {
                let length = self.silence.min(STEP as u64);
                self.silence -= length;
                self.has_begun = true;
                self.quiet += length;
                self.pending.resize(self.pending.len() + length as usize, 0);
            } else if self.rendering.is_some() {
                self.render();
            } else {
                match self.reader.next_spoken() {
                    Some(Spoken::Utterance(utterance)) => self.prepare(&utterance),
                    Some(Spoken::Pause(pause)) => self.silence = self.missing_silence(pause.silence_ms),
                    // the text has no audible samples: return the remaining silence
                    None if self.is_finished && !self.has_begun => self.has_begun = true,
                    None if self.is_finished => return self.take(self.pending.len(), Progress::Ended),
                    // keep the leading silence, because it may still be shortened
                    None if !self.has_begun => return self.take(0, Progress::NeedsText),
                    None => return self.take(self.pending.len(), Progress::NeedsText),
                }
            }
        }
    }

    fn prepare(&mut self, utterance: &Utterance) {
        self.transcript.is_ssml = self.reader.is_ssml();
        let plan = UtterancePlan::new(utterance, &self.style);
        let begins = self.position();
        let last = (plan.samples() as u64).saturating_sub(1);
        let times = plan
            .word_times()
            .iter()
            .map(|time| begins + last.min(time.start as u64)..begins + (last + 1).min(time.end as u64));
        self.marks.extend(self.transcript.mark(&utterance.words, utterance.source.end, times));
        self.rendering = Some(Renderer::new(plan));
    }

    fn render(&mut self) {
        let start = self.pending.len();
        self.pending.resize(start + STEP, 0);
        let written =
            self.rendering.as_mut().map_or(0, |renderer| renderer.render(&mut self.pending[start..]));
        self.pending.truncate(start + written);
        if written == 0 {
            self.rendering = None;
            return;
        }
        let silence = self.pending[start..].iter().rev().take_while(|&&sample| !is_audible(sample)).count();
        self.quiet = if silence == written { self.quiet + silence as u64 } else { silence as u64 };
        if !self.has_begun {
            self.shorten_lead();
        }
    }

    /// Removes the silence before the first audible sample except its last 20 ms, and shifts the marks accordingly.
    fn shorten_lead(&mut self) {
        let audible = self.pending.iter().position(|&sample| is_audible(sample));
        let surplus = audible.unwrap_or(self.pending.len()).saturating_sub(LONGEST_LEAD);
        self.pending.drain(..surplus);
        for mark in &mut self.marks {
            let shifted = |sample: u64| sample.saturating_sub(surplus as u64);
            mark.samples = shifted(mark.samples.start)..shifted(mark.samples.end);
        }
        self.has_begun = audible.is_some();
    }

    /// Returns the number of samples that extend the current silence to `milliseconds`, or 0 if it is long enough.
    fn missing_silence(&self, milliseconds: u32) -> u64 {
        let wanted = u64::from(milliseconds) * u64::from(SAMPLE_RATE) / 1_000;
        wanted.saturating_sub(self.quiet.min(self.position()))
    }

    /// Returns the position of the next sample in the audio.
    fn position(&self) -> u64 {
        self.given + self.pending.len() as u64
    }

    fn take(&mut self, length: usize, progress: Progress) -> Block {
        let samples: Vec<i16> = self.pending.drain(..length).collect();
        self.given += length as u64;
        let mut marks = Vec::new();
        while let Some(mark) = self.marks.pop_front_if(|mark| mark.samples.start < self.given) {
            marks.push(mark.finish(SAMPLE_RATE));
        }
        Block { samples, marks, progress }
    }
}

const fn is_audible(sample: i16) -> bool {
    sample.unsigned_abs() >= AUDIBLE
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "नमस्ते! मेरा OTP 4582 है, और दाम ₹50। आप कैसे हैं?";

    /// Pushes a text in pieces and renders blocks of at most `most` samples. Returns all samples and words.
    fn spoken(language: Language, pieces: &[&str], most: usize) -> (Vec<i16>, Vec<WordMark>) {
        let mut speaker = Speaker::new(language, Style::default());
        let (mut samples, mut marks) = (Vec::new(), Vec::new());
        let mut take = |speaker: &mut Speaker| loop {
            let block = speaker.block(most);
            assert!(block.samples.len() <= most, "{}", block.samples.len());
            samples.extend(block.samples);
            marks.extend(block.marks);
            if block.progress != Progress::More {
                return block.progress;
            }
        };
        for piece in pieces {
            speaker.push(piece);
            assert_eq!(take(&mut speaker), Progress::NeedsText);
        }
        speaker.finish();
        assert_eq!(take(&mut speaker), Progress::Ended);
        (samples, marks)
    }

    #[test]
    fn output_is_independent_of_chunks_and_blocks() {
        let expected = spoken(Language::Hindi, &[TEXT], 2_400);
        assert!(
            expected.0.len() > 48_000 && expected.1.len() == TEXT.split(' ').count(),
            "{}",
            expected.1.len()
        );
        let pieces: Vec<&str> = TEXT.split_inclusive(' ').collect();
        for most in [1, 128, 480, 10_000] {
            assert!(spoken(Language::Hindi, &pieces, most) == expected, "blocks of {most}");
        }
    }

    #[test]
    fn words_are_marked_with_their_text_positions() {
        let (samples, marks) = spoken(Language::Hindi, &[TEXT], 480);
        let characters: Vec<char> = TEXT.chars().collect();
        for mark in &marks {
            let written: String =
                characters[mark.char_start as usize..mark.char_end as usize].iter().collect();
            assert_eq!(written, mark.text);
            assert!(
                mark.start_ms < mark.end_ms && mark.end_ms as usize * 24 <= samples.len() + 24,
                "{mark:?}"
            );
        }
        let price = marks.iter().find(|mark| mark.text == "₹50।").unwrap();
        assert_eq!(price.spoken.as_deref(), Some("पचास रुपए"));
    }

    #[test]
    fn a_pause_has_the_length_of_the_markup_and_leading_silence_is_trimmed() {
        let quiet = |samples: &[i16]| samples.iter().take_while(|&&sample| !is_audible(sample)).count();
        let (plain, _) = spoken(Language::Hindi, &["नमस्ते।"], 480);
        assert!(quiet(&plain) <= LONGEST_LEAD, "{}", quiet(&plain));
        let (paused, _) = spoken(Language::Hindi, &["<speak><break time='700ms'/>नमस्ते।</speak>"], 480);
        let lead = quiet(&paused);
        assert!((16_800..16_800 + 4_800).contains(&lead), "{lead}");
    }

    #[test]
    fn text_without_words_ends() {
        for text in ["", " ", "।", "<speak></speak>"] {
            assert_eq!(spoken(Language::Tamil, &[text], 480).1, [], "{text:?}");
        }
    }

    #[test]
    fn a_rate_change_applies_to_unrendered_audio() {
        let mut speaker = Speaker::new(Language::Hindi, Style::default());
        speaker.push("पहला वाक्य यहाँ है। दूसरा वाक्य यहाँ है।");
        speaker.finish();
        speaker.block(480);
        speaker.set_speed(2.0);
        let mut marks = Vec::new();
        loop {
            let block = speaker.block(480);
            marks.extend(block.marks);
            if block.progress == Progress::Ended {
                break;
            }
        }
        let length = |mark: &WordMark| mark.end_ms - mark.start_ms;
        let sentences = marks.iter().filter(|mark| mark.text == "यहाँ").map(length).collect::<Vec<_>>();
        assert!(sentences[1] * 3 < sentences[0] * 2, "{sentences:?}");
    }

    #[test]
    fn the_tools_in_other_languages_use_the_same_definition_of_audible() {
        let shared = include_str!("../../../measure/audible.json");
        assert_eq!(shared.trim(), format!("{{\"least_sample\": {AUDIBLE}}}"));
    }
}
