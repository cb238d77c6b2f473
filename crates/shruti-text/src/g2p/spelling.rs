//! Letter context of a position in a word: the features of the [classifiers](super::linear).

use crate::akshara::{Akshara, Consonant, Nucleus, Vowel};

/// Word in script-independent letters; Devanagari letters represent the letters of all scripts.
#[derive(Debug)]
pub struct Spelling {
    letters: String,
    /// Start of each akshara and of its vowel in `letters`, and the end of the last akshara.
    starts: Vec<(usize, usize)>,
    /// Sounds of the inherent vowels decided so far.
    recorded: Vec<&'static str>,
    /// `true` if the letters indicate that the word is English.
    foreign: bool,
}

impl Spelling {
    /// Names of the features, in the order of their indices.
    pub const FEATURES: [&'static str; 22] = [
        "own",
        "last",
        "vowel",
        "before",
        "before2",
        "cluster_before",
        "next",
        "next_first",
        "next_vowel",
        "next2",
        "next2_vowel",
        "next_width",
        "from_start",
        "from_end",
        "tail",
        "tail1",
        "tail2",
        "head",
        "word_end",
        "foreign",
        "width",
        "head1",
    ];

    /// Creates the spelling of a parsed word.
    pub fn new(aksharas: &[Akshara]) -> Self {
        let mut letters = String::with_capacity(aksharas.len() * 8);
        let mut starts = Vec::with_capacity(aksharas.len() + 1);
        for akshara in aksharas {
            let start = letters.len();
            letters.extend(akshara.consonants.iter().map(|&consonant| letter(consonant)));
            starts.push((start, letters.len()));
            letters.push(sign(akshara.nucleus));
            if akshara.anusvara {
                letters.push('ं');
            }
        }
        starts.push((letters.len(), letters.len()));
        let foreign = aksharas.iter().any(is_foreign);
        Self { letters, starts, recorded: vec![""; aksharas.len()], foreign }
    }

    /// Records the sound of an inherent vowel.
    pub fn record_sound(&mut self, akshara: usize, sound: &'static str) {
        if let Some(recorded) = self.recorded.get_mut(akshara) {
            *recorded = sound;
        }
    }

    /// Returns whether an inherent vowel was recorded as silent.
    pub fn is_silent(&self, akshara: usize) -> bool {
        self.recorded.get(akshara).is_some_and(|&recorded| recorded == "-")
    }

    fn count(&self) -> usize {
        self.recorded.len()
    }

    fn consonants(&self, akshara: Option<usize>) -> &str {
        let Some(i) = akshara.filter(|&i| i < self.count()) else { return "#" };
        let (start, vowel) = self.starts[i];
        &self.letters[start..vowel]
    }

    /// Returns the vowel of an akshara with its signs, or its recorded sound if one was recorded; `#` if there is no
    /// such akshara.
    fn vowel(&self, akshara: Option<usize>) -> &str {
        let Some(i) = akshara.filter(|&i| i < self.count()) else { return "#" };
        if !self.recorded[i].is_empty() {
            return self.recorded[i];
        }
        &self.letters[self.starts[i].1..self.starts[i + 1].0]
    }

    /// Returns the letters of at most `most` aksharas from index `from` on, or `#` if there are none. If `is_whole` is
    /// true and more aksharas follow, returns `~`.
    fn part(&self, from: usize, most: usize, is_whole: bool) -> &str {
        let end = (from + most).min(self.count());
        if is_whole && self.count() > end {
            return "~";
        }
        if from >= end { "#" } else { &self.letters[self.starts[from].0..self.starts[end].0] }
    }

    /// Returns the value of a feature for the akshara at index `i`.
    pub fn value(&self, feature: u8, i: usize) -> &str {
        const COUNTS: [&str; 5] = ["0", "1", "2", "3", "4"];
        let count = |n: usize| COUNTS[n.min(4)];
        let width = |akshara: Option<usize>| {
            let consonants = self.consonants(akshara);
            if consonants == "#" { "#" } else { count(consonants.chars().count()) }
        };
        match feature {
            0 => self.consonants(Some(i)),
            1 => last_letter(self.consonants(Some(i))),
            2 => self.vowel(Some(i)),
            3 => self.vowel(i.checked_sub(1)),
            4 => self.vowel(i.checked_sub(2)),
            5 => self.consonants(i.checked_sub(1)),
            6 => self.consonants(Some(i + 1)),
            7 => first_letter(self.consonants(Some(i + 1))),
            8 => self.vowel(Some(i + 1)),
            9 => self.consonants(Some(i + 2)),
            10 => self.vowel(Some(i + 2)),
            11 => width(Some(i + 1)),
            12 => count(i),
            13 => count(self.count().saturating_sub(i + 1)),
            14 => self.part(i + 1, 4, true),
            15 => self.part(i + 1, 1, false),
            16 => self.part(i + 1, 2, false),
            17 if i <= 3 => &self.letters[..self.starts[i].0],
            17 => "~",
            18 => self.part(self.count().saturating_sub(1), 1, false),
            19 => {
                if self.foreign {
                    "1"
                } else {
                    "0"
                }
            }
            20 => width(Some(i)),
            21 => match i.checked_sub(1) {
                Some(before) => self.part(before, 1, false),
                None => "#",
            },
            _ => "",
        }
    }

    /// Returns the index of a feature by its name.
    pub(super) fn feature(name: &str) -> Option<u8> {
        Self::FEATURES.iter().position(|&known| known == name).map(|place| place as u8)
    }
}

fn first_letter(text: &str) -> &str {
    text.char_indices().nth(1).map_or(text, |(end, _)| &text[..end])
}

fn last_letter(text: &str) -> &str {
    text.char_indices().next_back().map_or(text, |(start, _)| &text[start..])
}

/// Returns whether an akshara is typical of English words: it begins with ফ or f, it begins with স, ন, র or ল followed
/// by ট or ড, or it ends in ্যা.
fn is_foreign(akshara: &Akshara) -> bool {
    use Consonant as C;
    match akshara.consonants.as_slice() {
        [.., C::Ya] if akshara.nucleus == Nucleus::Vowel(Vowel::Aa) && akshara.consonants.len() > 1 => true,
        [C::Sa | C::Na | C::Ra | C::La, C::Tta | C::Dda, ..] | [C::Pha | C::Fa, ..] => true,
        _ => false,
    }
}

#[allow(clippy::match_same_arms, reason = "a table")]
fn letter(consonant: Consonant) -> char {
    use Consonant as C;
    match consonant {
        C::Ka => 'क',
        C::Kha => 'ख',
        C::Ga => 'ग',
        C::Gha => 'घ',
        C::Nga => 'ङ',
        C::Ca => 'च',
        C::Cha => 'छ',
        C::Ja => 'ज',
        C::Jha => 'झ',
        C::Nya => 'ञ',
        C::Tta => 'ट',
        C::Ttha => 'ठ',
        C::Dda => 'ड',
        C::Ddha => 'ढ',
        C::Nna => 'ण',
        C::Ta => 'त',
        C::Tha => 'थ',
        C::Da => 'द',
        C::Dha => 'ध',
        C::Na | C::Nnna => 'न',
        C::Pa => 'प',
        C::Pha | C::Fa => 'फ',
        C::Ba => 'ब',
        C::Bha => 'भ',
        C::Ma => 'म',
        C::Ya => 'य',
        C::Ra | C::Rra => 'र',
        C::La => 'ल',
        C::Lla | C::Llla => 'ळ',
        C::Va | C::Wa => 'व',
        C::Sha => 'श',
        C::Ssa => 'ष',
        C::Sa | C::DottedSa => 'स',
        C::Ha => 'ह',
        C::Qa => 'क',
        C::Khha => 'ख',
        C::Ghha => 'ग',
        C::Za | C::Dza => 'ज',
        C::Rda => 'ळ',
        C::Rdha => 'ऴ',
        C::Yya => 'ॺ',
        C::Tsa => 'च',
    }
}

#[allow(clippy::match_same_arms, reason = "a table")]
fn sign(nucleus: Nucleus) -> char {
    match nucleus {
        Nucleus::None => '-',
        Nucleus::Inherent | Nucleus::Vowel(Vowel::A) => 'a',
        Nucleus::Vowel(vowel) => match vowel {
            Vowel::A => 'a',
            Vowel::Aa => 'A',
            Vowel::I | Vowel::Ii => 'i',
            Vowel::U | Vowel::Uu => 'u',
            Vowel::VocalicR | Vowel::VocalicRr | Vowel::VocalicL => 'R',
            Vowel::CandraE | Vowel::ShortE | Vowel::E => 'e',
            Vowel::Ai => 'E',
            Vowel::CandraO | Vowel::ShortO | Vowel::O => 'o',
            Vowel::Au => 'O',
        },
    }
}
