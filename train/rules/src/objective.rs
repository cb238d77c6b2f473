//! Objective of the search and the reported scores: how well words are recognised.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Result, anyhow};
use shruti_voice::Voice;
use shruti_voice::tuning::Trial;

use crate::conditions::{Babble, Condition};
use crate::data::Data;
use crate::listener::{Listener, distance};
use crate::recogniser::{Mode, Recogniser};
use crate::words::{Word, print, render};

/// Scale of the listener's distance, in nats per unit.
const SHARPNESS: f64 = 12.0;
/// Weight of the distance between a word and its reference, relative to the confusion cost.
const PULL: f64 = 1.0;
/// Number of nearest other words that a word can be confused with.
const RIVALS: usize = 8;
/// Maximum confusion cost of an unrecognisable word, in nats.
const LOST: f64 = 5.0;
/// Conditions in which words are heard, in rotation.
const WORDS_IN: [Condition; 4] = [Condition::Clean, Condition::Telephone, Condition::Clean, Condition::Room];

/// Recogniser for whole sentences.
#[derive(Clone, Copy)]
pub enum Ear {
    /// Recogniser of American English, used for sentences.
    English,
    /// Recogniser of American English, used for digit strings.
    Digits,
    /// Recogniser of Malayalam, trained on human speech.
    People,
}

impl Ear {
    pub const ALL: [Self; 3] = [Self::English, Self::Digits, Self::People];

    const fn script(self) -> &'static str {
        match self {
            Self::English | Self::Digits => "recogniser.py",
            Self::People => "people.py",
        }
    }

    /// Returns the weight of the mean cost of a phone relative to that of a word. A sentence has many phones, so its
    /// mean varies little.
    const fn scale(self) -> f64 {
        match self {
            Self::English | Self::Digits => 2.0,
            Self::People => 1.0,
        }
    }

    /// Returns the weight of all sentences of this recogniser relative to all words.
    const fn share(self) -> f64 {
        match self {
            Self::English => 0.8,
            Self::Digits => 0.3,
            Self::People => 1.2,
        }
    }

    /// Returns the conditions in which the sentences of this recogniser are heard, in rotation.
    const fn conditions(self) -> &'static [Condition] {
        match self {
            Self::English => &[Condition::Clean, Condition::Telephone, Condition::Room],
            Self::Digits => &[Condition::Telephone],
            Self::People => &[Condition::Clean],
        }
    }

    /// Returns the text of a sentence as sent to the recogniser.
    pub fn text(self, sentence: &Word) -> String {
        match self {
            Self::English | Self::Digits => sentence.text.clone(),
            Self::People => sentence.phones(),
        }
    }
}

/// Voices with the warp at which the listener recognises them best.
pub const VOICES: [(Voice, f64); 2] = [(Voice::Ananya, 1.08), (Voice::Arjun, 0.98)];

/// A word or sentence in one voice: the unit that the search scores.
pub struct Item<'a> {
    word: &'a Word,
    voice: usize,
    rivals: Vec<&'a Word>,
    /// For a sentence, its recogniser and the text sent to the recogniser.
    sentence: Option<(Ear, String)>,
    condition: Condition,
    /// Index of the word in its list.
    number: usize,
    weight: f64,
    /// Latest kept score. `print` is the fingerprint of the audio that has this score.
    pub loss: f64,
    print: u64,
}

pub struct Objective<'a> {
    pub items: Vec<Item<'a>>,
    listeners: Vec<Listener>,
    babble: Babble,
    /// Recogniser processes, by the number of the `Ear`; each `Ear` has one process per thread.
    recognisers: Vec<Vec<Mutex<Recogniser>>>,
    threads: usize,
}

/// Paths needed to start the sentence recognisers.
pub struct Ears {
    pub python: PathBuf,
    pub tools: PathBuf,
}

impl Ears {
    pub fn recogniser(&self, ear: Ear, mode: Mode) -> Result<Recogniser> {
        Recogniser::start(&self.python, ear.script(), &self.tools, mode)
    }
}

impl<'a> Objective<'a> {
    /// Creates an item for each combination of a word of `queries` and a voice. Its rivals are the acoustically nearest
    /// words of `pool` in its language.
    pub fn new(
        queries: &[&'a Word],
        pool: &'a [Word],
        babble: Babble,
        voices: &[usize],
        threads: usize,
    ) -> Self {
        let mut items = Vec::new();
        for (number, &word) in queries.iter().enumerate() {
            let mut others: Vec<(f64, &Word)> = pool
                .iter()
                .filter(|other| other.language == word.language && other.text != word.text)
                // Select rivals from about as many words as a test list contains, not from the whole dictionary.
                .step_by(pool.iter().filter(|other| other.language == word.language).count().div_ceil(120))
                .map(|other| (distance(&word.reference, &other.reference), other))
                .collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0));
            let rivals: Vec<&Word> = others.iter().take(RIVALS).map(|(_, other)| *other).collect();
            for &voice in voices {
                items.push(Item {
                    word,
                    voice,
                    rivals: rivals.clone(),
                    sentence: None,
                    condition: WORDS_IN[number % WORDS_IN.len()],
                    number,
                    weight: 1.0,
                    loss: f64::NAN,
                    print: 0,
                });
            }
        }
        let listeners = VOICES.iter().map(|(_, warp)| Listener::new(*warp)).collect();
        Self { items, listeners, babble, recognisers: Vec::new(), threads }
    }

    /// Adds sentences for a recogniser. Recognisers must be added in the order of [`Ear::ALL`].
    pub fn add(&mut self, ear: Ear, sentences: &[&'a Word], voices: &[usize], ears: &Ears) -> Result<()> {
        self.recognisers.push(
            (0..self.threads)
                .map(|_| ears.recogniser(ear, Mode::Rivals).map(Mutex::new))
                .collect::<Result<_>>()?,
        );
        let words = self.items.iter().filter(|item| item.sentence.is_none()).count().max(1);
        let weight = ear.share() * words as f64 / (sentences.len() * voices.len()) as f64;
        for (number, &word) in sentences.iter().enumerate() {
            for &voice in voices {
                self.items.push(Item {
                    word,
                    voice,
                    rivals: Vec::new(),
                    sentence: Some((ear, ear.text(word))),
                    condition: ear.conditions()[number % ear.conditions().len()],
                    number,
                    weight,
                    loss: f64::NAN,
                    print: 0,
                });
            }
        }
        Ok(())
    }

    /// Scores the items at the given indices with the given data. Returns (index, loss, fingerprint of the audio) for
    /// each item.
    pub fn score(&self, data: &Data, places: &[usize]) -> Result<Vec<(usize, f64, u64)>> {
        let trial = Trial::new(data.texts()).map_err(anyhow::Error::msg)?;
        let scored = thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads)
                .map(|worker| {
                    scope.spawn(move || {
                        trial.apply();
                        let mine = places.iter().skip(worker).step_by(self.threads);
                        mine.map(|&place| self.score_one(place, worker)).collect::<Result<Vec<_>>>()
                    })
                })
                .collect();
            let joined =
                workers.into_iter().map(|worker| worker.join().map_err(|_| anyhow!("a thread panicked")));
            joined.map(|part| part.flatten()).collect::<Result<Vec<_>>>()
        })?;
        let scored = scored.concat();
        Ok(scored)
    }

    fn score_one(&self, place: usize, worker: usize) -> Result<(usize, f64, u64)> {
        let item = &self.items[place];
        let sound = render(item.word, VOICES[item.voice].0);
        let print = print(&sound);
        if print == item.print {
            return Ok((place, item.loss, print));
        }
        if let Some((ear, text)) = &item.sentence {
            let mut recogniser =
                self.recognisers[*ear as usize][worker].lock().unwrap_or_else(PoisonError::into_inner);
            let (cost, phones) = recogniser.hear(text, &sound, item.condition)?;
            return Ok((place, ear.scale() * cost / phones, print));
        }
        let arrives = |sound: &[f64]| self.babble.through(sound, item.condition, item.number);
        let heard = self.listeners[item.voice].hear_through(&sound, arrives);
        let own = distance(&heard, &item.word.reference);
        let confusion: f64 = item
            .rivals
            .iter()
            .map(|rival| (SHARPNESS * (own - distance(&heard, &rival.reference))).exp())
            .sum();
        let lost = (1.0 + confusion).ln();
        // The cost saturates at LOST, so that words with different pronunciations do not dominate the search.
        Ok((place, LOST * (1.0 - (-lost / LOST).exp()) + PULL * own, print))
    }

    /// Stores the results of an accepted trial.
    pub fn keep(&mut self, scored: &[(usize, f64, u64)]) {
        for &(place, loss, print) in scored {
            self.items[place].loss = loss;
            self.items[place].print = print;
        }
    }

    /// Returns whether a fingerprint differs from the one kept for the item.
    pub fn changed(&self, place: usize, print: u64) -> bool {
        self.items[place].print != print
    }

    /// Returns the items that a row of a file can affect.
    pub fn touched(&self, file: &str, row: &str) -> Vec<usize> {
        let speaker = |item: &Item| VOICES[item.voice].0.name().to_lowercase();
        (0..self.items.len())
            .filter(|&place| self.items[place].word.needs(file, row))
            .filter(|&place| file != "voices.toml" || row == speaker(&self.items[place]))
            .collect()
    }

    pub fn mean(&self) -> f64 {
        self.items.iter().map(|item| item.weight * item.loss).sum::<f64>() / self.weight()
    }

    /// Returns the mean loss of the words, followed by the mean loss of the sentences for each recogniser.
    pub fn means(&self) -> [f64; 4] {
        [None, Some(Ear::English), Some(Ear::Digits), Some(Ear::People)].map(|ear| {
            let heard_by = |item: &Item| item.sentence.as_ref().map(|(ear, _)| *ear as usize);
            let of = || self.items.iter().filter(|item| heard_by(item) == ear.map(|ear| ear as usize));
            of().map(|item| item.loss).sum::<f64>() / of().count().max(1) as f64
        })
    }

    /// Returns the decrease of the mean loss if the results of a trial are kept.
    pub fn gain(&self, scored: &[(usize, f64, u64)]) -> f64 {
        let gain = scored.iter().map(|&(place, loss, _)| {
            let item = &self.items[place];
            item.weight * (item.loss - loss)
        });
        gain.sum::<f64>() / self.weight()
    }

    fn weight(&self) -> f64 {
        self.items.iter().map(|item| item.weight).sum()
    }
}

/// Returns the top-1 and top-5 accuracy, in percent, of words in lists of about `list` words, with the best of the
/// warps for adult speakers in listen.py. If `confusions` is true, prints the confusions.
pub fn identified(words: &[&Word], voice: Voice, list: usize, confusions: bool) -> (f64, f64) {
    let lists = words.len().div_ceil(list);
    let mut best = (0.0, 0.0, Vec::new());
    for warp in [0.92, 1.0, 1.08] {
        let listener = Listener::new(warp);
        let (mut first, mut among) = (0.0, 0.0);
        let mut taken = Vec::new();
        for (number, word) in words.iter().enumerate() {
            let heard = listener.hear(&render(word, voice));
            let own = distance(&heard, &word.reference);
            let rivals = words.iter().enumerate().filter(|(other, _)| other % lists == number % lists);
            let mut nearer: Vec<(f64, &str)> = rivals
                .map(|(_, other)| (distance(&heard, &other.reference), other.text.as_str()))
                .filter(|(far, _)| *far < own)
                .collect();
            nearer.sort_by(|a, b| a.0.total_cmp(&b.0));
            first += f64::from(u8::from(nearer.is_empty()));
            among += f64::from(u8::from(nearer.len() < 5));
            if let Some((far, for_what)) = nearer.first() {
                taken.push(format!(
                    "{} as {for_what} ({:.3} {far:.3}, rank {})",
                    word.text,
                    own,
                    nearer.len()
                ));
            }
        }
        let share = 100.0 / words.len() as f64;
        if (first * share, among * share) > (best.0, best.1) {
            best = (first * share, among * share, taken);
        }
    }
    if confusions {
        best.2.iter().for_each(|line| println!("  {line}"));
    }
    (best.0, best.1)
}
