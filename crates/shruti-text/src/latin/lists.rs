//! Frequent words of each language with the ways they are romanised: `data/<code>/romanised.tsv`.

use std::collections::HashMap;
use std::sync::OnceLock;

use shruti_protocol::Language;

#[derive(Default)]
struct List {
    exact: HashMap<&'static str, &'static str>,
    folded: HashMap<String, &'static str>,
}

fn source(language: Language) -> &'static str {
    macro_rules! list {
        ($code:literal) => {
            include_str!(concat!("../../data/", $code, "/romanised.tsv"))
        };
    }
    match language {
        Language::Hindi => list!("hi"),
        Language::Bengali => list!("bn"),
        Language::Tamil => list!("ta"),
        Language::Telugu => list!("te"),
        Language::Gujarati => list!("gu"),
        Language::Kannada => list!("kn"),
        Language::Malayalam => list!("ml"),
        Language::Marathi => list!("mr"),
        Language::Punjabi => list!("pa"),
        Language::Odia => list!("or"),
        Language::English => "",
    }
}

/// The place of a language in [`Language::ALL`].
pub(super) fn place(language: Language) -> usize {
    Language::ALL.iter().position(|&other| other == language).unwrap_or(0)
}

fn list(language: Language) -> &'static List {
    static LISTS: [OnceLock<List>; Language::ALL.len()] = [const { OnceLock::new() }; Language::ALL.len()];
    LISTS[place(language)].get_or_init(|| {
        let mut list = List::default();
        for (romanised, native) in entries(source(language)) {
            list.exact.entry(romanised).or_insert(native);
            list.folded.entry(fold(romanised)).or_insert(native);
        }
        list
    })
}

/// The pairs of a language's list.
#[cfg(test)]
pub(super) fn all(language: Language) -> impl Iterator<Item = (&'static str, &'static str)> {
    entries(source(language))
}

/// The pairs of a list, one for each romanisation.
fn entries(source: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    source
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .flat_map(|(romanised, native)| romanised.split(' ').map(move |one| (one, native.trim())))
}

/// A word without what romanisers disagree on: long vowels, doubled consonants, v and w, ph and f.
fn fold(word: &str) -> String {
    let word = word.replace("chh", "ch").replace("cch", "ch").replace("ph", "f").replace('w', "v");
    let word = word.replace("ee", "i").replace("oo", "u");
    let mut folded = String::with_capacity(word.len());
    for c in word.chars() {
        if !folded.ends_with(c) {
            folded.push(c);
        }
    }
    folded
}

/// Whether a word of lower-case letters is listed, as it stands.
pub(super) fn lists_exactly(word: &str, language: Language) -> bool {
    list(language).exact.contains_key(word)
}

/// The native spelling of a word of lower-case letters that is listed, if only in another romanisation.
pub(super) fn native(word: &str, language: Language) -> Option<&'static str> {
    let list = list(language);
    if let Some(native) = list.exact.get(word) {
        return Some(native);
    }
    // short words fall together when they are folded
    if word.len() < 4 || word.len() > super::LONGEST_PART {
        return None;
    }
    list.folded.get(&fold(word)).copied()
}
