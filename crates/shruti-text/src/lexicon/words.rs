//! Words of a lexicon, stored as a tree of items. A match requires one walk through the tree, regardless of the number
//! of entries.

use std::collections::HashMap;
use std::fmt;

use super::Reading;
use crate::item::{Item, Kind};
use crate::script::Script;

/// Edge of the tree: whether white space precedes the item, and the key of the item.
type Step = (bool, String);

/// Index of a node in the tree.
type Node = usize;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Words {
    steps: HashMap<Node, HashMap<Step, Node>>,
    /// Words with their readings, by the node at which the word ends.
    readings: HashMap<Node, (String, Reading)>,
    nodes: Node,
}

/// Entry that matches a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Match<'a> {
    /// Number of matched items.
    pub(crate) items: usize,
    /// Reading of the matched items.
    pub(crate) reading: &'a Reading,
    /// Whether the last item is the possessive of the word.
    pub(crate) possessive: bool,
    /// `true` if the entry belongs to the owner of the lexicon; `false` if it is from a fallback of another owner.
    pub(crate) is_own: bool,
}

impl Words {
    pub(super) fn is_empty(&self) -> bool {
        self.readings.is_empty()
    }

    /// Writes one line per word, sorted by word.
    pub(super) fn write_canonical(&self, language: &str, out: &mut impl fmt::Write) -> fmt::Result {
        let mut words: Vec<&(String, Reading)> = self.readings.values().collect();
        words.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        words.into_iter().try_for_each(|(word, reading)| writeln!(out, "{language} {word:?} {reading:?}"))
    }

    /// Adds a word. If the word exists already, returns its existing written form as the error.
    pub(super) fn insert(&mut self, word: &str, items: &[Item<'_>], reading: Reading) -> Result<(), String> {
        let mut node = 0;
        for (place, item) in items.iter().enumerate() {
            let step = (item.spaced && place > 0, key(&item.text));
            let next = self.nodes + 1;
            node = *self.steps.entry(node).or_default().entry(step).or_insert(next);
            self.nodes = self.nodes.max(node);
        }
        if let Some((known, _)) = self.readings.get(&node) {
            return Err(known.clone());
        }
        self.readings.insert(node, (word.to_owned(), reading));
        Ok(())
    }

    /// Returns the longest word at the start of the items from `at` on.
    pub(super) fn find(&self, items: &[Item<'_>], at: usize) -> Option<Match<'_>> {
        let mut found = None;
        let mut node = 0;
        for (place, item) in items.iter().enumerate().skip(at) {
            let Some(steps) = self.steps.get(&node) else { break };
            let spaced = item.spaced && place > at;
            let reading = |node: &Node| self.readings.get(node).map(|(_, reading)| reading);
            let found_here =
                |reading, possessive| Match { items: place + 1 - at, reading, possessive, is_own: true };
            let owner = owner(item).and_then(|owner| steps.get(&(spaced, key(owner)))).and_then(reading);
            if let Some(reading) = owner.filter(|_| stands_alone(items, at, place)) {
                found = Some(found_here(reading, true));
            }
            let Some(&next) = steps.get(&(spaced, key(&item.text))) else { break };
            node = next;
            if let Some(reading) = reading(&node).filter(|_| stands_alone(items, at, place)) {
                found = Some(found_here(reading, false));
            }
        }
        found
    }
}

/// Returns the word without its possessive ending if it has one: `AIIMS` for `AIIMS's`.
fn owner<'a>(item: &'a Item<'_>) -> Option<&'a str> {
    if item.kind == Kind::Word(Some(Script::Latin)) { item.text.strip_suffix("'s") } else { None }
}

/// Returns whether the items from `first` to `last` are not part of a longer number.
fn stands_alone(items: &[Item<'_>], first: usize, last: usize) -> bool {
    let is_number = |at: usize| items.get(at).is_some_and(|item| item.kind == Kind::Number);
    let joined = |at: usize| items.get(at).is_some_and(|item| !item.spaced);
    let sign = |at: usize, signs: &str| {
        items.get(at).is_some_and(|item| matches!(item.kind, Kind::Sign(c) if signs.contains(c)))
    };
    let before = !(is_number(first) && first > 0 && joined(first)) || sign(first - 1, "([{\"'“‘«");
    let closed = sign(last + 1, ".,;:?!)]}\"'”’»।…") && !(joined(last + 2) && is_number(last + 2));
    before && (!is_number(last) || !joined(last + 1) || closed)
}

/// Returns the lookup key of an item's text: lower case, without joiners, and with old chillu sequences replaced by the
/// chillu letters.
fn key(text: &str) -> String {
    const CHILLUS: [(&str, &str); 6] = [
        ("ണ്\u{200d}", "ൺ"),
        ("ന്\u{200d}", "ൻ"),
        ("ര്\u{200d}", "ർ"),
        ("ല്\u{200d}", "ൽ"),
        ("ള്\u{200d}", "ൾ"),
        ("ക്\u{200d}", "ൿ"),
    ];
    let mut lower: String = text.chars().flat_map(char::to_lowercase).collect();
    if lower.contains('\u{200d}') {
        for (old, letter) in CHILLUS {
            lower = lower.replace(old, letter);
        }
    }
    lower.retain(|c| !matches!(c, '\u{200c}' | '\u{200d}'));
    lower
}
