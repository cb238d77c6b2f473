//! Writer of the lexicon, with each word in the slots of its likely romanisations.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Pair;
use crate::channel::{Channel, STEPS_PER_NAT};
use crate::code::write::{Coder, Writer};
use crate::lexicon::{COARSE, COST_BITS, END, slot_of, write_slots};
use crate::roman::Roman;
use crate::units::Unit;

/// Parts of a file that contain the lexicon.
pub(super) struct LexiconParts {
    pub(super) slots: Vec<u8>,
    pub(super) codes: Vec<u8>,
    pub(super) words: Vec<u8>,
}

/// Probability mass of a word's romanisations that its slots must cover.
const COVERED: f64 = 0.85;
/// Maximum number of romanisations per word.
const WAYS: usize = 24;
/// Average number of words per slot if each word were in only one slot.
const WORDS_PER_SLOT: usize = 2;

pub(super) fn most_frequent(words: &BTreeMap<Vec<Unit>, f64>, most: usize) -> Vec<(&Vec<Unit>, f64)> {
    let total: f64 = words.values().sum();
    let mut selected: Vec<(&Vec<Unit>, f64)> = words.iter().map(|(units, count)| (units, *count)).collect();
    selected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    selected.truncate(most);
    selected.into_iter().map(|(units, count)| (units, -(count / total).ln())).collect()
}

pub(super) fn write(words: &[(&Vec<Unit>, f64)], channel: &Channel<'_>, pairs: &[Pair]) -> LexiconParts {
    let mut attested: HashMap<&Vec<Unit>, Vec<&str>> = HashMap::new();
    for pair in pairs {
        attested.entry(&pair.units).or_default().push(&pair.roman);
    }
    let count = (words.len() / WORDS_PER_SLOT).max(1);
    let places = |units: &Vec<Unit>| -> BTreeSet<usize> {
        let mut skeletons: BTreeSet<u64> = BTreeSet::new();
        let mut covered = 0.0;
        for (way, cost) in &channel.romanise(units, WAYS) {
            if covered >= COVERED {
                break;
            }
            covered += (-f64::from(*cost) / f64::from(STEPS_PER_NAT)).exp();
            skeletons.extend(Roman::new(way).map(|roman| roman.skeleton()));
        }
        let typed = attested.get(units).into_iter().flatten();
        skeletons.extend(typed.filter_map(|way| Roman::new(way)).map(|roman| roman.skeleton()));
        skeletons.into_iter().map(|skeleton| slot_of(skeleton, count)).collect()
    };
    let part = words.len().div_ceil(std::thread::available_parallelism().map_or(1, usize::from)).max(1);
    let found: Vec<BTreeSet<usize>> = std::thread::scope(|scope| {
        let parts: Vec<_> = words
            .chunks(part)
            .map(|words| scope.spawn(|| words.iter().map(|(units, _)| places(units)).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
    });
    let mut slots: Vec<Vec<(u32, &Vec<Unit>)>> = vec![Vec::new(); count];
    for ((units, cost), places) in words.iter().zip(found) {
        let cost = (cost * f64::from(STEPS_PER_NAT) / f64::from(COARSE))
            .round()
            .clamp(0.0, f64::from(END - 1)) as u32;
        places.into_iter().for_each(|place| slots[place].push((cost, units)));
    }
    slots.iter_mut().for_each(|slot| slot.sort_unstable());
    let coder = Coder::new(slots.iter().flatten().map(|(_, units)| (*units, 1)));
    let (mut begins, mut bytes): (Vec<usize>, Vec<u8>) = Default::default();
    for slot in &slots {
        begins.push(bytes.len());
        let mut writer = Writer::default();
        for (cost, units) in slot {
            writer.number(*cost, COST_BITS);
            coder.word(units, &mut writer);
        }
        writer.end();
        bytes.extend(writer.bytes);
    }
    begins.push(bytes.len());
    let copies = slots.iter().map(Vec::len).sum::<usize>();
    println!("{} words, {copies} places, {} bytes", words.len(), bytes.len());
    LexiconParts { slots: write_slots(&begins), codes: coder.bytes, words: bytes }
}
