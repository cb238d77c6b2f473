//! Channel model: the Latin strings that people type for each native letter, depending on the adjacent letters.
//!
//! A row of the table contains the Latin strings for a letter in one context, each with its cost. For each letter, the
//! row of the widest context that the table contains is used. Unlike in back-off models (Katz, 1987), each row is a
//! complete distribution.

use std::cmp::Ordering;

use crate::hashed::Hashed;
use crate::roman::{MAX_LETTERS, Roman};
use crate::units::{EDGE, UNITS, Unit};

/// Number of cost steps per nat. A cost is the negative logarithm of a probability.
pub const STEPS_PER_NAT: f32 = 16.0;
/// Maximum number of letters in a Latin string.
pub(crate) const LONGEST_STRING: usize = 4;
/// Maximum number of Latin strings in a table.
pub(crate) const MAX_STRINGS: usize = 256;

/// Cost of an impossible string or word.
pub(crate) const IMPOSSIBLE: u32 = u32::MAX / 4;

/// Numbers of context letters to the left and to the right of a letter, the widest context first.
pub(crate) const CONTEXTS: [(usize, usize); 4] = [(2, 2), (1, 1), (0, 1), (0, 0)];

/// Index of the widest context in [`CONTEXTS`].
pub(crate) const WIDEST: usize = 0;

/// Returns the key of the context with the index `context` in [`CONTEXTS`]. `around` contains a letter with two letters
/// on each side.
pub(crate) fn context_key(around: [Unit; 5], context: usize) -> u64 {
    let (left, right) = CONTEXTS[context];
    around[2 - left..=2 + right].iter().fold(context as u64 + 1, |key, unit| key << 7 | u64::from(*unit))
}

/// Returns the letter at `at` with two letters on each side.
pub(crate) fn around(units: &[Unit], at: usize) -> [Unit; 5] {
    let unit =
        |place: usize| place.checked_sub(2).and_then(|place| units.get(place)).copied().unwrap_or(EDGE);
    [unit(at), unit(at + 1), unit(at + 2), unit(at + 3), unit(at + 4)]
}

/// Returns the code of a Latin string, which is unique for up to six letters.
pub(crate) fn string_code(letters: &[u8]) -> u32 {
    letters.iter().fold(0, |code, letter| code << 5 | (u32::from(letter - b'a') + 1))
}

/// Maximum context-free cost, in steps, at which a letter is considered for a string.
const MAX_START_COST: u8 = 4 * 16;
/// Offset that stands for a missing row.
const NO_ROW: u32 = u32::MAX;
/// Flag in the offset of a row for a letter with one letter on each side. The flag is set if there are also rows for the
/// same letters with two letters on each side.
const HAS_WIDER: u32 = 1 << 23;

/// Set of letters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Letters(u128);

impl Letters {
    pub(crate) fn add(&mut self, unit: Unit) {
        self.0 |= 1 << (unit & 0x7F);
    }

    pub(crate) fn add_all(&mut self, others: Self) {
        self.0 |= others.0;
    }

    pub(crate) fn has(self, unit: Unit) -> bool {
        self.0 >> (unit & 0x7F) & 1 == 1
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Unit> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let unit = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (unit < 128).then_some(unit as Unit)
        })
    }
}

/// Channel table of a language.
#[derive(Debug)]
pub(crate) struct Channel<'a> {
    /// Codes of the Latin strings, three bytes each, in ascending order; the number of a string is its index.
    strings: &'a [u8],
    /// Offsets of the rows for a letter with two letters on each side.
    wide: Hashed<'a, 3>,
    /// Narrower contexts, in ascending order, [`NARROW`] bytes each: a letter, the following letter, the preceding
    /// letter (either of the last two may be [`ANY`]), and the offset of the row.
    narrow: &'a [u8],
    /// Rows: the number of strings, then the number and the cost of each string, the cheapest first.
    rows: &'a [u8],
    /// Index of `narrow`.
    index: Index,
}

/// Size in bytes of a context with at most one letter on each side.
const NARROW: usize = 6;
/// Wildcard that matches any letter.
const ANY: Unit = 0xFF;

/// Index of the contexts with at most one letter on each side.
#[derive(Debug)]
struct Index {
    /// Compact index of each letter, used for the rows and columns of `before`; 0 for letters without a row.
    places: [u8; 128],
    /// Number of compact indices.
    count: usize,
    /// Offset of the row of each letter without context.
    alone: [u32; 128],
    /// For each letter and following letter, the offset of the row, and the range in `narrow` of the contexts that also
    /// have a preceding letter.
    before: Vec<(u32, (u16, u16))>,
    /// For each string, the letters that can be typed as this string at a cost of at most [`MAX_START_COST`].
    starters: Vec<Letters>,
    /// For each string, all letters that can be typed as this string.
    typed_for: Vec<Letters>,
}

impl Index {
    fn new(narrow: &[u8]) -> Self {
        let mut index = Self {
            places: [0; 128],
            count: 1,
            alone: [NO_ROW; 128],
            before: Vec::new(),
            starters: vec![Letters::default(); MAX_STRINGS],
            typed_for: vec![Letters::default(); MAX_STRINGS],
        };
        let contexts = || narrow.chunks_exact(NARROW).zip(0..u16::MAX);
        let begin = |context: &[u8]| begin_of([context[3], context[4], context[5]]);
        for (context, _) in contexts().filter(|(context, _)| context[0] < 128 && context[1] == ANY) {
            let unit = usize::from(context[0]);
            if index.alone[unit] == NO_ROW {
                index.places[unit] = index.count as u8;
                index.count += 1;
            }
            index.alone[unit] = begin(context);
        }
        index.before = vec![(NO_ROW, (0, 0)); index.count * index.count];
        for unit in 0..128 {
            for next in 0..128 {
                let place = index.place(unit, next);
                index.before[place].0 = index.alone[usize::from(unit)];
            }
        }
        for (context, number) in contexts().filter(|(context, _)| context[0] < 128 && context[1] < 128) {
            let place = index.place(context[0], context[1]);
            let (alone, wider) = &mut index.before[place];
            if context[2] == ANY {
                *alone = begin(context);
            } else if wider.1 == 0 {
                *wider = (number, number + 1);
            } else {
                wider.1 = number + 1;
            }
        }
        index
    }

    /// Returns the index in `before` of a letter and the following letter.
    fn place(&self, unit: Unit, next: Unit) -> usize {
        let place = |unit: Unit| usize::from(self.places[usize::from(unit) % 128]);
        place(unit) * self.count + place(next)
    }
}

/// Decodes the offset of a row in a table.
fn begin_of([low, middle, high]: [u8; 3]) -> u32 {
    u32::from_le_bytes([low, middle, high, 0])
}

/// Positions of the Latin strings in a word: for each string, a bit set of its start positions.
pub(crate) struct Matches {
    places: [u64; MAX_STRINGS],
    lengths: [u8; MAX_STRINGS],
    /// Number of the string that starts at each position, by the length of the string.
    numbers: [[Option<u8>; LONGEST_STRING + 1]; MAX_LETTERS + 1],
    /// Length of the word, in letters.
    pub(crate) end: usize,
}

impl<'a> Channel<'a> {
    pub(crate) fn new(strings: &'a [u8], wide: &'a [u8], narrow: &'a [u8], rows: &'a [u8]) -> Self {
        let mut channel = Self { strings, wide: Hashed::new(wide), narrow, rows, index: Index::new(narrow) };
        for unit in 0..128 {
            for pair in channel.row_at(channel.index.alone[usize::from(unit)]).chunks_exact(2) {
                let string = usize::from(pair[0]);
                channel.index.typed_for[string].add(unit);
                if pair[1] <= MAX_START_COST {
                    channel.index.starters[string].add(unit);
                }
            }
        }
        channel
    }

    fn string_count(&self) -> usize {
        (self.strings.len() / 3).min(MAX_STRINGS)
    }

    fn code(&self, number: usize) -> u32 {
        let bytes = self.strings.get(number * 3..).and_then(|rest| rest.first_chunk::<3>());
        bytes.map_or(u32::MAX, |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]))
    }

    fn number(&self, code: u32) -> Option<usize> {
        let (mut low, mut high) = (0, self.string_count());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.code(middle) < code {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.string_count() && self.code(low) == code).then_some(low)
    }

    pub(crate) fn matches(&self, roman: &Roman) -> Matches {
        let letters = roman.letters();
        let mut matches = Matches {
            places: [0; MAX_STRINGS],
            lengths: [0; MAX_STRINGS],
            numbers: [[None; LONGEST_STRING + 1]; MAX_LETTERS + 1],
            end: letters.len(),
        };
        for start in 0..=letters.len() {
            for length in 0..=LONGEST_STRING.min(letters.len() - start) {
                if let Some(number) = self.number(string_code(&letters[start..start + length])) {
                    matches.places[number] |= 1 << start;
                    matches.lengths[number] = length as u8;
                    matches.numbers[start][length] = u8::try_from(number).ok();
                }
            }
        }
        matches
    }

    /// Returns, for each position of a word, the letters that can be typed as a string there at a cost of at most
    /// [`MAX_START_COST`].
    pub(crate) fn starters(&self, matches: &Matches) -> [Letters; MAX_LETTERS + 1] {
        let mut starters = [Letters::default(); MAX_LETTERS + 1];
        for (places, letters) in matches.places.iter().zip(&self.index.starters) {
            let mut left = *places;
            while left != 0 {
                starters[left.trailing_zeros() as usize].add_all(*letters);
                left &= left - 1;
            }
        }
        starters
    }

    /// Returns the minimum cost, without context, of typing each letter of `starters` at each position of a word. The
    /// result contains [`UNITS`] costs per position; the costs of other letters are 0.
    pub(crate) fn least(&self, matches: &Matches, starters: &[Letters]) -> Vec<u16> {
        let mut least = vec![0; (matches.end + 1) * UNITS];
        for (at, letters) in starters.iter().enumerate().take(matches.end + 1) {
            for unit in letters.iter() {
                let row = self.row_at(self.index.alone[usize::from(unit) % UNITS]);
                let typed = Self::typed(row, matches, at).next();
                least[at * UNITS + usize::from(unit) % UNITS] = typed.map_or(0, |(_, cost)| cost as u16);
            }
        }
        least
    }

    /// Returns the possible lengths of the Latin string that represents a letter at a position of a word.
    pub(crate) fn lengths(&self, unit: Unit, matches: &Matches, at: usize) -> impl Iterator<Item = usize> {
        let is_typed = move |number: Option<u8>| {
            number.is_some_and(|number| self.index.typed_for[usize::from(number)].has(unit))
        };
        let numbers = matches.numbers[at].into_iter().enumerate();
        numbers.filter(move |(_, number)| is_typed(*number)).map(|(length, _)| length)
    }

    /// Returns the row of a letter in context: numbers of strings alternating with their costs.
    pub(crate) fn row(&self, around: [Unit; 5]) -> &'a [u8] {
        let begin = self.begin([around[1], around[2], around[3]]);
        let has_wider = begin != NO_ROW && begin & HAS_WIDER != 0;
        let wide = has_wider.then(|| self.wide.get(context_key(around, WIDEST))).flatten();
        self.row_at(wide.map_or(begin, begin_of))
    }

    /// Returns the row of a letter with one letter of context on each side.
    pub(crate) fn row_between(&self, around: [Unit; 3]) -> &'a [u8] {
        self.row_at(self.begin(around))
    }

    fn begin(&self, [before, unit, next]: [Unit; 3]) -> u32 {
        let Some((begin, wider)) = self.index.before.get(self.index.place(unit, next)) else { return NO_ROW };
        let (mut low, mut high) = (usize::from(wider.0), usize::from(wider.1));
        while low < high {
            let middle = usize::midpoint(low, high);
            let Some(context) = self.narrow.get(middle * NARROW..).and_then(<[u8]>::first_chunk::<NARROW>)
            else {
                break;
            };
            match context[2].cmp(&before) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return begin_of([context[3], context[4], context[5]]),
            }
        }
        *begin
    }

    fn row_at(&self, begin: u32) -> &'a [u8] {
        let row = self.rows.get((begin & !HAS_WIDER) as usize..).and_then(<[u8]>::split_first);
        row.and_then(|(count, row)| row.get(..usize::from(*count) * 2)).unwrap_or_default()
    }

    /// Returns the strings of a row that match at a position of the word: their lengths and costs, the cheapest first.
    pub(crate) fn typed<'m>(
        row: &'a [u8],
        matches: &'m Matches,
        at: usize,
    ) -> impl Iterator<Item = (usize, u32)> + use<'a, 'm> {
        row.chunks_exact(2).filter_map(move |pair| {
            let number = usize::from(pair[0]);
            let is_there = matches.places[number] >> at & 1 == 1;
            is_there.then(|| (usize::from(matches.lengths[number]), u32::from(pair[1])))
        })
    }

    /// Returns the minimum cost of typing a native word as the romanised word of `matches`, or `None` if the strings do
    /// not match or the cost exceeds `most`.
    pub(crate) fn cost(&self, units: &[Unit], matches: &Matches, most: u32) -> Option<u32> {
        // minimum cost at each position that the letters so far can reach, those positions as a bit set, and the lowest
        // of the costs
        let (mut costs, mut next) = ([IMPOSSIBLE; MAX_LETTERS + 1], [IMPOSSIBLE; MAX_LETTERS + 1]);
        *costs.first_mut()? = 0;
        let (mut reached, mut least) = (1_u64, 0);
        for at in 0..units.len() {
            let (mut next_reached, mut next_least) = (0, IMPOSSIBLE);
            for pair in self.row(around(units, at)).chunks_exact(2) {
                let (number, cost) = (usize::from(pair[0]), u32::from(pair[1]));
                if least + cost > most {
                    break;
                }
                let mut from = matches.places[number] & reached;
                while from != 0 {
                    let place = from.trailing_zeros() as usize;
                    let to = place + usize::from(matches.lengths[number]);
                    let cost = costs[place] + cost;
                    let is_new = next_reached >> to & 1 == 0;
                    next[to] = if is_new { cost } else { next[to].min(cost) };
                    next_reached |= 1 << to;
                    next_least = next_least.min(cost);
                    from &= from - 1;
                }
            }
            if next_least > most {
                return None;
            }
            std::mem::swap(&mut costs, &mut next);
            (reached, least) = (next_reached, next_least);
        }
        let is_whole = reached >> matches.end & 1 == 1;
        is_whole.then(|| costs[matches.end]).filter(|&cost| cost <= most)
    }
}

/// Returns the wide and the narrow context tables in the format that [`Channel`] reads. Each context is given by its
/// index in [`CONTEXTS`], its key, and the offset of its row.
#[cfg(feature = "train")]
pub(crate) fn write_contexts(begins: &[(usize, u64, u32)]) -> (Vec<u8>, Vec<u8>) {
    // mask for three letters of seven bits each
    const MIDDLE: u64 = (1 << 21) - 1;
    let place = |begin: u32| -> [u8; 3] { std::array::from_fn(|at| begin.to_le_bytes()[at]) };
    let wide = || begins.iter().filter(|(context, ..)| *context == WIDEST);
    let has_wider: std::collections::BTreeSet<u64> = wide().map(|(_, key, _)| key >> 7 & MIDDLE).collect();
    let narrow = begins.iter().filter(|(context, ..)| *context != WIDEST).map(|&(context, key, begin)| {
        let digit = |digit: usize| (key >> (7 * digit) & 0x7F) as Unit;
        let ([before, unit, next], flag) = match CONTEXTS[context] {
            (1, 1) if has_wider.contains(&(key & MIDDLE)) => ([digit(2), digit(1), digit(0)], HAS_WIDER),
            (1, 1) => ([digit(2), digit(1), digit(0)], 0),
            (0, 1) => ([ANY, digit(1), digit(0)], 0),
            _ => ([ANY, digit(0), ANY], 0),
        };
        let [low, middle, high] = place(begin | flag);
        [unit, next, before, low, middle, high]
    });
    let mut narrow: Vec<[u8; NARROW]> = narrow.collect();
    narrow.sort_unstable();
    (crate::hashed::write(wide().map(|&(_, key, begin)| (key, place(begin)))), narrow.concat())
}

/// Maximum difference in cost, in steps, between the cheapest string of a row and a string that is used to romanise
/// words.
#[cfg(feature = "train")]
const UNLIKELY: u8 = 60;

#[cfg(feature = "train")]
impl Channel<'_> {
    /// Returns up to `most` romanisations of a native word with their costs, the likeliest first.
    pub(crate) fn romanise(&self, units: &[Unit], most: usize) -> Vec<(String, u32)> {
        let mut beam: Vec<(String, u32)> = vec![(String::new(), 0)];
        for at in 0..units.len() {
            let row = self.row(around(units, at));
            let cheapest = row.chunks_exact(2).map(|pair| pair[1]).min().unwrap_or(0);
            let mut next: std::collections::HashMap<String, u32> = std::collections::HashMap::new();
            for pair in row.chunks_exact(2).filter(|pair| pair[1] <= cheapest.saturating_add(UNLIKELY)) {
                let mut code = self.code(usize::from(pair[0]));
                let mut letters = Vec::new();
                while code > 0 {
                    letters.push(char::from(b'a' + (code & 31) as u8 - 1));
                    code >>= 5;
                }
                let letters: String = letters.into_iter().rev().collect();
                for (typed, cost) in &beam {
                    let cost = cost + u32::from(pair[1]);
                    let typed = format!("{typed}{letters}");
                    next.entry(typed).and_modify(|least| *least = cost.min(*least)).or_insert(cost);
                }
            }
            beam = next.into_iter().collect();
            beam.sort_unstable_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
            beam.truncate(most);
        }
        beam.truncate(most);
        beam
    }
}
