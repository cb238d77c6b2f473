//! Words, with the features of their recordings and their synthesis with the project's voices.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use shruti_lang::Language;
use shruti_text::phone::{Manner, Symbol};
use shruti_text::utterance::Utterance;
use shruti_text::{Reader, Settings};
use shruti_voice::{Renderer, Style, UtterancePlan, Voice};

use crate::listener::{Frame, WIDTH};

/// Festival's names of vowels.
const VOWELS: [&str; 14] = ["a", "aa", "ih", "iy", "uh", "uw", "eh", "ee", "ay", "oh", "oo", "aw", "@", "ah"];

pub struct Word {
    pub text: String,
    pub language: Language,
    pub utterances: Vec<Utterance>,
    pub reference: Vec<Frame>,
    /// `true` if the dictionary of the recorded voice and that of the project give the word the same number of
    /// syllables.
    pub alike: bool,
}

/// Reads the words of a language from the output of `record.py`.
pub fn read(folder: &Path, language: Language) -> Result<Vec<Word>> {
    let code = language.code();
    let read = |name: String| fs::read(folder.join(&name)).with_context(|| name);
    let texts = String::from_utf8(read(format!("{code}.txt"))?)?;
    let phones = String::from_utf8(read(format!("{code}.seg"))?)?;
    let bytes = read(format!("{code}.bin"))?;
    let mut at = 0;
    texts
        .lines()
        .zip(phones.lines())
        .map(|(text, phones)| {
            let (reference, next) = frames(&bytes, at).with_context(|| format!("{code}.bin ends early"))?;
            at = next;
            let utterances = spoken(text, language);
            let theirs =
                phones.split(' ').filter(|p| VOWELS.contains(&p.split(':').next().unwrap_or(""))).count();
            let ours = utterances.iter().flat_map(|u| &u.words).flat_map(|w| &w.phones);
            let alike = ours.filter(|phone| phone.is_vowel()).count() == theirs;
            Ok(Word { text: text.to_owned(), language, utterances, reference, alike })
        })
        .collect()
}

/// Reads sentences, one per line.
pub fn sentences(list: &Path, language: Language) -> Result<Vec<Word>> {
    let text = fs::read_to_string(list).with_context(|| list.display().to_string())?;
    let sentence = |line: &str| Word {
        text: line.to_owned(),
        language,
        utterances: spoken(line, language),
        reference: Vec::new(),
        alike: true,
    };
    Ok(text.lines().map(sentence).collect())
}

fn frames(bytes: &[u8], at: usize) -> Option<(Vec<Frame>, usize)> {
    const KEPT: usize = 26;
    let number = |at: usize| bytes.get(at..at + 4).map(|b| [b[0], b[1], b[2], b[3]]);
    let count = u32::from_le_bytes(number(at)?) as usize;
    let mut frames = vec![[0.0; WIDTH]; count];
    for (i, frame) in frames.iter_mut().enumerate() {
        for (k, value) in frame[..KEPT].iter_mut().enumerate() {
            *value = f32::from_le_bytes(number(at + 4 + 4 * (i * KEPT + k))?);
        }
    }
    Some((frames, at + 4 + 4 * count * KEPT))
}

pub fn spoken(text: &str, language: Language) -> Vec<Utterance> {
    let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
    reader.push(text);
    reader.finish();
    std::iter::from_fn(|| reader.next_utterance()).collect()
}

/// Synthesises a word without the pause after it. Returns samples at 24 kHz, in -1.0 to 1.0.
pub fn render(word: &Word, voice: Voice) -> Vec<f64> {
    let mut sound = Vec::new();
    for utterance in &word.utterances {
        let plan = UtterancePlan::new(utterance, &Style { voice, ..Style::default() });
        let end = plan.word_times().last().map_or(0, |times| times.end) + 480;
        let mut block = vec![0i16; end];
        let count = Renderer::new(plan).render(&mut block);
        sound.extend(block[..count].iter().map(|&s| f64::from(s) / 32768.0));
    }
    sound
}

/// Returns a fingerprint of audio. Equal fingerprints mean unchanged audio.
pub fn print(sound: &[f64]) -> u64 {
    sound.iter().fold(sound.len() as u64, |print, s| {
        (print ^ s.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
    })
}

impl Word {
    /// Returns the phones in the format of `shruti phones`.
    pub fn phones(&self) -> String {
        let words = self.utterances.iter().flat_map(|u| &u.words);
        words.flat_map(|w| &w.phones).map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    /// Returns whether a row of an acoustic data file can affect the word.
    pub fn needs(&self, file: &str, row: &str) -> bool {
        let (language, row) = row.split_once('/').map_or((None, row), |(code, row)| (Some(code), row));
        if language.is_some_and(|code| {
            self.utterances.iter().flat_map(|u| &u.words).all(|w| w.language.code() != code)
        }) {
            return false;
        }
        let mut symbols =
            self.utterances.iter().flat_map(|u| &u.words).flat_map(|w| &w.phones).map(|p| p.symbol);
        match file {
            "vowels.tsv" => row == "ə" || symbols.any(|s| s.ipa() == row),
            "sonorants.tsv" => symbols.any(|s| s.ipa() == row),
            "places.tsv" => symbols.any(|s| format!("{:?}", s.place()).to_lowercase() == row),
            "noise.tsv" => {
                let Some(named) = Symbol::ALL.iter().find(|s| s.ipa() == row) else { return true };
                let affricate = |s: Symbol| matches!(s.manner(), Manner::Affricate);
                row == "h"
                    || symbols.any(|s| s.place() == named.place() || (affricate(s) && affricate(*named)))
            }
            _ => file.strip_prefix("languages/").is_none_or(|name| name.starts_with(self.language.code())),
        }
    }
}
