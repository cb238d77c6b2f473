//! Readings of a romanised word: native words of the lexicon with this romanisation, and new words that the spelling
//! model builds.

use crate::channel::{Channel, IMPOSSIBLE, Letters, Matches};
use crate::code::Word;
use crate::model::Model;
use crate::roman::{MAX_LETTERS, Roman};
use crate::spelling::{Costs, History, KnownContexts, LONGEST_CONTEXT, SHORT_CONTEXT};
use crate::units::{ANUSVARA, EDGE, LAST_VIRAMA, MAX_UNITS, UNITS, Unit, is_vowel};

/// Maximum number of readings per word.
pub const MAX_READINGS: usize = 6;
/// Maximum amount by which the cost of a reading may exceed that of the best reading, in steps.
const MARGIN: u32 = 3 * 16;
/// Beam size per position in the Latin word, by the number of letters that were just omitted.
const BEAM: [usize; MAX_OMITTED + 1] = [8, 5, 2];
/// Estimated minimum cost per remaining Latin letter, in steps.
const REMAINING_LETTER: u32 = 26;
/// Maximum amount by which the cost of a partial word may exceed that of the best one at the same position, in steps.
const BEAM_MARGIN: u32 = 4 * 16;
/// Maximum number of consecutive letters that a romanisation can omit.
const MAX_OMITTED: usize = 2;
/// Maximum amount by which the cost of a new word may exceed that of the best reading, in steps.
const UNKNOWN_MARGIN: u32 = 16;
/// Cost of combining two words of the lexicon, in steps.
const COMPOUND: u32 = 2 * 16;
/// Estimated minimum cost of a word of the lexicon, in steps.
const MIN_PART_COST: u32 = 6 * 16;
/// Minimum length of each of the two words of a compound, in Latin letters.
const SHORTEST_PART: usize = 4;
/// Maximum number of readings of each of the two words that are combined.
const JOINED_READINGS: usize = 3;

/// Possible native word for a romanised word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Letters of the word.
    pub units: Vec<Unit>,
    /// Cost of the word on its own, without the neighbouring words, in sixteenths of a nat.
    pub cost: u32,
    /// `true` if the word is in the lexicon.
    pub is_known: bool,
}

impl Model<'_> {
    /// Returns the readings of a word, the likeliest first, at most [`MAX_READINGS`]. The result is empty if no
    /// reading matches the letters.
    pub fn readings(&self, roman: &Roman) -> Vec<Reading> {
        let matches = self.channel.matches(roman);
        let mut readings = self.known(roman, &matches, IMPOSSIBLE);
        let best = readings.first().map_or(IMPOSSIBLE, |reading| reading.cost);
        // every new word costs at least the weight for unknown words
        if best > self.weights.unknown {
            for reading in Search::new(self, &matches, best.saturating_add(UNKNOWN_MARGIN)).run() {
                if readings.iter().all(|known| known.units != reading.units) {
                    readings.push(reading);
                }
            }
            let best = readings.iter().map(|reading| reading.cost).min().unwrap_or(IMPOSSIBLE);
            for reading in self.compounds(roman, best.saturating_add(UNKNOWN_MARGIN)) {
                match readings.iter_mut().find(|other| other.units == reading.units) {
                    Some(other) => other.cost = other.cost.min(reading.cost),
                    None => readings.push(reading),
                }
            }
        }
        readings.sort_by_key(|reading| reading.cost);
        readings.truncate(MAX_READINGS);
        readings
    }

    /// Returns words with a cost of less than `most` that consist of two words of the lexicon, for example
    /// `jeevitharekha`.
    fn compounds(&self, roman: &Roman, mut most: u32) -> Vec<Reading> {
        let mut compounds: Vec<Reading> = Vec::new();
        let last = roman.letters().len().saturating_sub(SHORTEST_PART);
        for (typed, second) in (SHORTEST_PART..=last).filter_map(|at| roman.split_at(at)) {
            let Some(left) = most.checked_sub(COMPOUND + MIN_PART_COST) else { break };
            let mut first = self.known(&typed, &self.channel.matches(&typed), left);
            first.retain(|one| may_begin_compound(one, &typed));
            let Some(cheapest) = first.first() else { continue };
            let left = most.saturating_sub(COMPOUND + cheapest.cost);
            let mut second = self.known(&second, &self.channel.matches(&second), left);
            second.retain(|other| other.units.first().is_some_and(|unit| !is_vowel(*unit)));
            let pairs = |one| second.iter().take(JOINED_READINGS).map(move |other: &Reading| (one, other));
            for (one, other) in first.iter().take(JOINED_READINGS).flat_map(pairs) {
                let cost = one.cost + other.cost + COMPOUND;
                let mut units = one.units.clone();
                units.pop_if(|unit| *unit == LAST_VIRAMA);
                units.extend(&other.units);
                let is_new = || compounds.iter().all(|compound| compound.units != units);
                if cost < most && units.len() <= MAX_UNITS && is_new() {
                    compounds.push(Reading { units, cost, is_known: false });
                    most = most.min(cost.saturating_add(UNKNOWN_MARGIN));
                }
            }
        }
        compounds
    }

    /// Returns the cost of the likeliest word of the lexicon with this romanisation, in sixteenths of a nat; `None` if
    /// there is no such word with a cost of at most `most`.
    pub fn known_cost(&self, roman: &Roman, most: u32) -> Option<u32> {
        let matches = self.channel.matches(roman);
        let mut best = None;
        self.for_each_known(roman, &matches, most, |_, cost| {
            best = Some(cost);
            cost.saturating_sub(1)
        });
        best
    }

    /// Returns the words of the lexicon with this romanisation, the likeliest first, at most [`MAX_READINGS`].
    pub fn known_readings(&self, roman: &Roman) -> Vec<Reading> {
        self.known(roman, &self.channel.matches(roman), IMPOSSIBLE)
    }

    /// Returns the likeliest words of the lexicon with this romanisation and a cost of at most `most`. `matches` contains
    /// the string positions of `roman`.
    fn known(&self, roman: &Roman, matches: &Matches, most: u32) -> Vec<Reading> {
        let mut readings: Vec<Reading> = Vec::with_capacity(MAX_READINGS + 1);
        self.for_each_known(roman, matches, most, |word, cost| {
            let place = readings.partition_point(|reading| reading.cost <= cost);
            readings.insert(place, Reading { units: word.units().to_vec(), cost, is_known: true });
            readings.truncate(MAX_READINGS);
            let most = readings[0].cost.saturating_add(MARGIN);
            readings.get(MAX_READINGS - 1).map_or(most, |last| most.min(last.cost))
        });
        readings
    }

    /// Calls `take` for each word of the lexicon with this romanisation and a cost of at most `most`. `take` returns a
    /// new maximum, which applies if it is lower than the current one.
    fn for_each_known(
        &self,
        roman: &Roman,
        matches: &Matches,
        mut most: u32,
        mut take: impl FnMut(&Word, u32) -> u32,
    ) {
        let (mut slot, mut word) = (self.lexicon.slot(roman.skeleton()), Word::EMPTY);
        while let Some(cost) = slot.next(&mut word) {
            // the remaining words are not more frequent
            if cost > most {
                break;
            }
            let most_typed = (most - cost).saturating_mul(64) / self.weights.channel.max(1);
            if let Some(typed) = self.channel.cost(word.units(), matches, most_typed) {
                most = most.min(take(&word, cost + typed * self.weights.channel / 64));
            }
        }
    }
}

/// Returns whether another word can follow a reading within a compound. No word can follow a final anusvara, because
/// compounds drop the anusvara. No word can follow a half vowel that is typed, because a vowel that is typed within a
/// compound is a full vowel.
fn may_begin_compound(reading: &Reading, typed: &Roman) -> bool {
    let ends_in_vowel = typed.letters().last().is_some_and(|letter| b"aeiou".contains(letter));
    match reading.units.last() {
        Some(&ANUSVARA) | None => false,
        Some(&LAST_VIRAMA) => !ends_in_vowel,
        Some(_) => true,
    }
}

/// Partial word; its last letter has not been matched with Latin letters yet.
#[derive(Clone, Copy, Default)]
struct Hypothesis {
    /// Spelling cost of the letters, and channel cost of the letters that have been matched.
    cost: u32,
    /// `cost` plus an estimate of the channel cost of the last letter. Partial words are compared by this sum.
    estimate: u32,
    history: History,
    /// Index in [`Search::prefixes`] of the partial word without the last letter.
    from: u32,
    length: u8,
}

/// Partial word that other partial words extend.
struct Prefix {
    last: Unit,
    from: u32,
    contexts: KnownContexts,
}

/// Index that stands for the empty partial word, before the first letter.
const NO_PREFIX: u32 = u32::MAX;
/// Beam size per position, for all numbers of omitted letters together.
const BEAM_SUM: usize = BEAM[0] + BEAM[1] + BEAM[2];
/// Start of each part of the beam, by the number of letters that were just omitted.
const BEAM_BEGIN: [usize; MAX_OMITTED + 1] = [0, BEAM[0], BEAM[0] + BEAM[1]];

/// Partial words to extend, by position in the word and number of letters that were just omitted. Of partial words with
/// the same history, only the best is kept.
struct Agenda {
    states: Vec<Hypothesis>,
    counts: Vec<[u8; MAX_OMITTED + 1]>,
}

impl Agenda {
    fn add(&mut self, at: usize, omitted: usize, state: Hypothesis) {
        let begin = at * BEAM_SUM + BEAM_BEGIN[omitted];
        let count = usize::from(self.counts[at][omitted]);
        let states = &mut self.states[begin..begin + BEAM[omitted]];
        let alike = states[..count].iter_mut().find(|other| other.history == state.history);
        if let Some(alike) = alike {
            if state.estimate < alike.estimate {
                *alike = state;
            }
        } else if count < states.len() {
            states[count] = state;
            self.counts[at][omitted] += 1;
        } else if let Some(worst) = states.iter_mut().max_by_key(|other| other.estimate)
            && state.estimate < worst.estimate
        {
            *worst = state;
        }
    }

    /// Returns the partial words at a position, the cheapest first.
    fn sorted(&mut self, at: usize, omitted: usize) -> &[Hypothesis] {
        let begin = at * BEAM_SUM + BEAM_BEGIN[omitted];
        let states = &mut self.states[begin..begin + usize::from(self.counts[at][omitted])];
        states.sort_unstable_by_key(|state| state.estimate);
        states
    }
}

/// Beam search for words that the letters can spell, whether or not they are in the lexicon.
struct Search<'m, 'a> {
    model: &'m Model<'a>,
    matches: &'m Matches,
    end: usize,
    most: u32,
    /// Spelling costs of letters without context.
    alone: Costs,
    /// Cache of spelling costs after two letters: for each pair of letters, its index in `after_two_letters` plus 1, or
    /// 0 if the costs have not been computed.
    place_of_two: Vec<u8>,
    after_two_letters: Vec<Costs>,
    /// For each position of the word, the letters whose Latin strings can start there; [`EDGE`] at the end of the word.
    starters: [Letters; MAX_LETTERS + 1],
    /// For each position and letter, the minimum channel cost of the letter there without context.
    ahead: Vec<u16>,
    /// Minimum cost of partial words at each position so far.
    best_at: [u32; MAX_LETTERS + 1],
    agenda: Agenda,
    prefixes: Vec<Prefix>,
    done: Vec<(u32, u32)>,
}

impl<'m, 'a> Search<'m, 'a> {
    fn new(model: &'m Model<'a>, matches: &'m Matches, most: u32) -> Self {
        let end = matches.end;
        let mut starters = model.channel.starters(matches);
        starters[end].add(EDGE);
        let ahead = model.channel.least(matches, &starters);
        let agenda = Agenda {
            states: vec![Hypothesis::default(); (end + 1) * BEAM_SUM],
            counts: vec![[0; MAX_OMITTED + 1]; end + 1],
        };
        Self {
            model,
            matches,
            end,
            most,
            alone: model.spelling.alone(),
            place_of_two: vec![0; UNITS * UNITS],
            after_two_letters: Vec::new(),
            starters,
            ahead,
            best_at: [IMPOSSIBLE; MAX_LETTERS + 1],
            agenda,
            prefixes: Vec::new(),
            done: Vec::new(),
        }
    }

    fn run(mut self) -> Vec<Reading> {
        let costs = self.model.spelling.costs(&self.model.spelling.start(), &self.alone, 0..LONGEST_CONTEXT);
        for unit in self.starters[0].iter().filter(|unit| *unit != EDGE) {
            let cost = self.model.weights.unknown + self.spelt(&costs, unit);
            let history = History::START.then(unit);
            let estimate = self.estimate(cost, unit, 0);
            self.agenda.add(0, 0, Hypothesis { cost, estimate, history, from: NO_PREFIX, length: 1 });
        }
        for at in 0..=self.end {
            for omitted in 0..=MAX_OMITTED {
                let mut states = [Hypothesis::default(); BEAM[0]];
                let sorted = self.agenda.sorted(at, omitted);
                let count = sorted.len();
                states[..count].copy_from_slice(sorted);
                for state in &states[..count] {
                    if state.estimate > self.max_cost_at(at) {
                        break;
                    }
                    self.extend(state, at, omitted);
                }
            }
        }
        self.done.sort_unstable();
        self.done.truncate(MAX_READINGS);
        self.done
            .iter()
            .map(|&(cost, last)| Reading { units: self.letters(last), cost, is_known: false })
            .collect()
    }

    fn spelt(&self, costs: &Costs, unit: Unit) -> u32 {
        u32::from(costs[usize::from(unit) % costs.len()]) * self.model.weights.spelling / 64
    }

    /// Returns the spelling cost of each letter after a partial word that ends in two letters.
    fn costs(&mut self, last_two: [Unit; 2], contexts: &KnownContexts) -> Costs {
        let spelling = &self.model.spelling;
        let [before, last] = last_two.map(|unit| usize::from(unit) % UNITS);
        let place = &mut self.place_of_two[before * UNITS + last];
        let known = usize::from(*place).checked_sub(1).and_then(|place| self.after_two_letters.get(place));
        let shorter =
            known.copied().unwrap_or_else(|| spelling.costs(contexts, &self.alone, 0..SHORT_CONTEXT));
        if *place == 0
            && let Ok(next) = u8::try_from(self.after_two_letters.len() + 1)
        {
            *place = next;
            self.after_two_letters.push(shorter);
        }
        spelling.costs(contexts, &shorter, SHORT_CONTEXT..LONGEST_CONTEXT)
    }

    /// Returns the cost of a partial word, including an estimate for its last letter, which is typed at position `at`.
    fn estimate(&self, cost: u32, last: Unit, at: usize) -> u32 {
        let ahead = self.ahead[at * UNITS + usize::from(last) % UNITS];
        cost + u32::from(ahead) * self.model.weights.unknown_channel / 64
    }

    /// Returns the maximum estimate of a partial word at a position.
    fn max_cost_at(&self, at: usize) -> u32 {
        let remaining = self.most.saturating_sub((self.end - at).saturating_sub(1) as u32 * REMAINING_LETTER);
        remaining.min(self.best_at[at].saturating_add(BEAM_MARGIN))
    }

    /// Extends a partial word in every way: adds a next letter, and matches the current last letter.
    fn extend(&mut self, state: &Hypothesis, at: usize, omitted: usize) {
        let spelling = &self.model.spelling;
        let [before, last] = state.history.last_two();
        // letters that can follow, for every position at which the last letter can end
        let mut nexts = Letters::default();
        let mut most = 0;
        for length in self.model.channel.lengths(last, self.matches, at) {
            if length > 0 || omitted < MAX_OMITTED {
                nexts.add_all(self.starters[at + length]);
                most = most.max(self.max_cost_at(at + length));
            }
        }
        let contexts = match self.prefixes.get(state.from as usize) {
            Some(prefix) => spelling.then(&prefix.contexts, last),
            None => spelling.then(&spelling.start(), last),
        };
        let costs = self.costs([before, last], &contexts);
        let place = self.prefixes.len() as u32;
        self.prefixes.push(Prefix { last, from: state.from, contexts });
        for unit in nexts.iter() {
            let spelt = state.cost + self.spelt(&costs, unit);
            // assume that the last letter has about the same channel cost in this context as without context
            if spelt + (state.estimate - state.cost) > most
                || usize::from(state.length) == MAX_UNITS && unit != EDGE
            {
                continue;
            }
            let row = self.model.channel.row_between([before, last, unit]);
            for (length, typed) in Channel::typed(row, self.matches, at) {
                let to = at + length;
                let cost = spelt + typed * self.model.weights.unknown_channel / 64;
                if cost > most {
                    break;
                }
                let estimate = if unit == EDGE { cost } else { self.estimate(cost, unit, to) };
                if estimate > self.max_cost_at(to)
                    || length == 0 && omitted == MAX_OMITTED
                    || !self.starters[to].has(unit)
                {
                    continue;
                }
                if unit == EDGE {
                    self.done.push((cost, place));
                    continue;
                }
                self.best_at[to] = self.best_at[to].min(estimate);
                let omitted = if length == 0 { omitted + 1 } else { 0 };
                let history = state.history.then(unit);
                self.agenda.add(
                    to,
                    omitted,
                    Hypothesis { cost, estimate, history, from: place, length: state.length + 1 },
                );
            }
        }
    }

    /// Returns the letters of a partial word.
    fn letters(&self, last: u32) -> Vec<Unit> {
        let mut units = Vec::new();
        let mut at = self.prefixes.get(last as usize);
        while let Some(prefix) = at {
            units.push(prefix.last);
            at = self.prefixes.get(prefix.from as usize);
        }
        units.reverse();
        units
    }
}
