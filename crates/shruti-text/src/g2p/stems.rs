//! Stems whose pronunciation does not follow from their spelling. They are also recognised with endings attached.
//!
//! `data/<code>/stems.tsv` contains beginnings of words, each with a phonetic respelling. The longest match wins, and
//! any endings may follow. An entry with a leading `-` matches anywhere in a word except at its beginning.
//!
//! Some entries need no respelling. Printed text often omits the nukta of ज़ and फ़ and, in loans, the virama of ସ୍କୁଲ୍
//! and ଫୁଟ୍-ବଲ୍. Therefore a stem that is listed with nuktas, and with viramas at its end and before `-`, also matches
//! text without them. Likewise, a Gujarati stem with the signs of the open vowels (ૅ ૉ) matches text with ે and ો.
//! Tamil writes one letter for k, kh, g and gh. Tamil stems distinguish them by superscript digits, as in scholarly
//! transcription: க², க³, க⁴. The vowel of a Tamil ending replaces the virama of a loan, so a stem with a final virama
//! also matches before a vowel sign: டாலர், டாலரில்.

use std::borrow::Cow;

use crate::akshara::{self, Consonant};
use crate::chars::{is_mark, nfc};
use crate::table::{Beginnings, Set};

/// Stems of one language.
#[derive(Debug, Default)]
pub(crate) struct Stems {
    first: Respelled,
    /// Tamil loans without their final virama, which match only before the vowel sign of an ending.
    before_vowel: Respelled,
    /// Stems that match anywhere except at the beginning of a word.
    inner: Respelled,
    /// Endings that can follow a short stem whose respelling ends in a virama. No other endings are accepted, because
    /// many native words begin with the same letters as these stems.
    endings: Set<String>,
}

/// Stems as written, with their respellings.
type Respelled = Beginnings<String>;

/// Returns the end and the respelling of the longest stem at the start of a text for which `fits` returns `true`.
fn longest<'a>(
    stems: &'a Respelled,
    text: &'a str,
    fits: impl Fn(usize, &str) -> bool,
) -> Option<(usize, &'a str)> {
    let found = stems.of(text).filter(|&(end, stem)| joins(text, end) && fits(end, stem)).last();
    found.map(|(end, respelling)| (end, respelling.as_str()))
}

/// Returns whether a text may begin with a stem that ends at `end`. A virama belongs to the preceding letter: தின் does
/// not begin with தின. However, a longer stem can be a loan, whose final consonant has a virama (கணேஷ்).
fn joins(text: &str, end: usize) -> bool {
    match text[end..].chars().next() {
        Some(next) if akshara::is_nukta(next) => false,
        Some(next) if akshara::is_virama(next) => akshara::parse(&text[..end]).len() >= MIN_BEFORE_VIRAMA,
        _ => true,
    }
}

/// Returns whether an ending begins with the velar nasal.
fn begins_with_ng(ending: &str) -> bool {
    let first = ending.chars().next().filter(|&first| akshara::is_letter(first));
    first.is_some_and(|first| {
        let letter = akshara::parse(first.encode_utf8(&mut [0; 4]));
        letter.first().is_some_and(|akshara| akshara.consonants[..] == [Consonant::Nga])
    })
}

/// Minimum number of aksharas of a stem that also matches before a virama.
const MIN_BEFORE_VIRAMA: usize = 3;

/// Minimum number of aksharas of a loan after which any letters may follow.
const MIN_LOAN: usize = 4;

impl Stems {
    /// Parses lines of stems, or of `stem<TAB>respelling`. A leading `+` marks an ending, and `#` begins a comment.
    pub(crate) fn read(table: &str) -> Self {
        let mut stems = Self::default();
        for (stem, respelling) in entries(table) {
            if let Some(ending) = stem.strip_prefix('+') {
                // printed text keeps or omits the nukta of an ending: ଗୁଡ଼ିକ, ଗୁଡିକ
                stems.endings.extend([ending, respelling.trim_start_matches('+')].map(str::to_owned));
                continue;
            }
            if let Some(inner) = stem.strip_prefix('-') {
                let respelling = respelling.strip_prefix('-').unwrap_or(&respelling).to_owned();
                stems.inner.insert(inner.to_owned(), respelling);
                continue;
            }
            if let Some((open, respelled)) = open_form(&stem, &respelling) {
                stems.before_vowel.insert(open.to_owned(), respelled.to_owned());
            }
            stems.first.insert(stem, respelling);
        }
        stems
    }

    fn may_end(&self, stem: &str, respelling: &str, rest: &str) -> bool {
        let ends = |text: &str| text.ends_with(akshara::is_virama);
        let long = ends(stem) || !ends(respelling) || akshara::parse(stem).len() >= MIN_LOAN;
        rest.is_empty() || long || self.endings.contains(rest)
    }

    /// Replaces the stem at the start of the word, and the stems within it, with their respellings. Letters with a
    /// superscript digit become the Devanagari letters with the same sound, which the akshara parser accepts in any
    /// word.
    pub(crate) fn respell<'a>(&self, word: &'a str) -> Cow<'a, str> {
        self.respell_joined(word, false)
    }

    /// Returns the result of [`Self::respell`] with a zero-width non-joiner between a stem that ends in a virama and
    /// its ending, so that they do not form a cluster: पार्कचा.
    pub(crate) fn respell_apart<'a>(&self, word: &'a str) -> Cow<'a, str> {
        self.respell_joined(word, true)
    }

    fn respell_joined<'a>(&self, word: &'a str, apart: bool) -> Cow<'a, str> {
        let fits = |end: usize, stem: &str| self.may_end(&word[..end], stem, &word[end..]);
        let before_sign = |end: usize, _: &str| {
            word[end..].chars().next().is_some_and(|next| is_mark(next) && !akshara::is_virama(next))
        };
        let open = longest(&self.before_vowel, word, before_sign);
        let stem = [open, longest(&self.first, word, fits)].into_iter().flatten().max_by_key(|(end, _)| *end);
        let (mut done, mut respelled) = match stem {
            Some((end, stem)) => (end, stem.to_owned()),
            None => (0, String::new()),
        };
        if !self.inner.is_empty() {
            let mut at = done.max(word.chars().next().map_or(0, char::len_utf8));
            while let Some(c) = word[at..].chars().next() {
                if let Some((end, stem)) = longest(&self.inner, &word[at..], |_, _| true) {
                    respelled.extend([&word[done..at], stem]);
                    at += end;
                    done = at;
                } else {
                    at += c.len_utf8();
                }
            }
        }
        if done == 0 {
            return Cow::Borrowed(word);
        }
        let rest = &word[done..];
        // no syllable begins with ŋ, so the virama before it is removed: ଡାକ୍ତରଙ୍କୁ
        if begins_with_ng(rest) && respelled.ends_with(akshara::is_virama) {
            respelled.pop();
        }
        if apart && respelled.ends_with(akshara::is_virama) && rest.starts_with(akshara::is_letter) {
            respelled.push_str(NON_JOINER);
        }
        respelled.push_str(rest);
        Cow::Owned(respelled)
    }
}

/// Parses the entries of a table: each stem as it appears in text, with its respelling.
fn entries(table: &str) -> impl Iterator<Item = (String, String)> {
    let lines = table.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.flat_map(|line| {
        let pairs: Vec<(&str, Option<&str>)> = match line.split_once('\t') {
            Some((stem, respelling)) => vec![(stem, Some(respelling))],
            None => line.split_whitespace().map(|stem| (stem, None)).collect(),
        };
        pairs.into_iter().flat_map(|(stem, respelling)| match respelling {
            None => {
                let respelled = respell(&without_seams(stem));
                as_printed(stem).into_iter().map(|printed| (printed, respelled.clone())).collect()
            }
            Some(respelling) => vec![(nfc(stem).into_owned(), respell(&nfc(respelling)))],
        })
    })
}

/// Virama of the Tamil script.
const PULLI: char = '்';

/// Minimum number of aksharas of a Tamil loan that also matches before a vowel sign. A loan that ends in a sibilant may
/// have one akshara less, because native words do not contain the letters ஸ and ஷ.
const MIN_BEFORE_VOWEL: usize = 3;

/// Returns a Tamil stem and its respelling without their final viramas if an ending may begin with a vowel sign after
/// the stem: டாலர், டாலரில். A single stop after a vowel is doubled instead: பட்ஜெட், பட்ஜெட்டில். After a nasal, the
/// vowel would voice the stop.
fn open_form<'a>(stem: &'a str, respelling: &'a str) -> Option<(&'a str, &'a str)> {
    use Consonant::{Ca, Ka, La, Lla, Pa, Ra, Sa, Ssa, Ta, Tta};
    let (open, respelled) = (stem.strip_suffix(PULLI)?, respelling.strip_suffix(PULLI)?);
    let aksharas = akshara::parse(stem);
    let last = aksharas.last()?.consonants.as_slice();
    let sibilant = matches!(last, [.., Sa | Ssa]);
    let joins = match last {
        [.., before, Ka | Ca | Tta | Ta | Pa] => matches!(before, La | Lla | Ra | Sa | Ssa | Consonant::Fa),
        [Ka | Ca | Tta | Ta | Pa] => false,
        _ => true,
    };
    (joins && aksharas.len() + usize::from(sibilant) >= MIN_BEFORE_VOWEL).then_some((open, respelled))
}

/// Superscript digits that distinguish the sounds of a Tamil letter.
pub(crate) const SUPERSCRIPTS: [char; 3] = ['²', '³', '⁴'];

/// Returns the printed forms of a stem: without superscript digits, without nuktas, and without viramas at morpheme
/// boundaries and at the end. Printed text may also omit only some of the nuktas: ਫਰਜ਼ for ਫ਼ਰਜ਼.
fn as_printed(stem: &str) -> Vec<String> {
    let stem = nfc(stem);
    let nuktas = stem.chars().zip(stem.chars().skip(1)).filter(|&(before, c)| is_omitted(c, before)).count();
    let nuktas = if nuktas <= MOST_NUKTAS { nuktas } else { 0 };
    // each set bit marks a nukta that is kept
    let kept = 0..1_u32 << nuktas;
    let plain = kept.clone().map(|kept| printed(&stem, kept, false));
    // the signs of the open vowels may be kept even if a nukta is omitted: ઑફિસ
    let open = kept.filter(|_| nuktas > 0 && stem.contains(OPEN)).map(|kept| printed(&stem, kept, true));
    let mut all: Vec<String> = plain.chain(open).collect();
    all.sort_unstable();
    all.dedup();
    // the stem itself is not a printed form if there are others
    let others = all.len() > 1;
    all.retain(|printed| !others || *printed != stem);
    all
}

/// Letters and signs of the open vowels of Gujarati.
const OPEN: [char; 4] = ['ૅ', 'ૉ', 'ઍ', 'ઑ'];

/// Maximum number of nuktas of a stem for which all combinations of omitted nuktas are listed. If a stem has more
/// nuktas, all of them are omitted.
const MOST_NUKTAS: usize = 3;

/// Returns whether printed text may omit `c` after `before`: a nukta, but not that of য়, ড়, ঢ় or ਸ਼.
fn is_omitted(c: char, before: char) -> bool {
    akshara::is_nukta(c) && !matches!(before, 'য' | 'ড' | 'ঢ' | 'ਸ')
}

/// Returns a printed form of a stem, with the nuktas whose bits are set in `kept`. If `open` is true, the signs of the
/// open vowels are kept.
fn printed(stem: &str, mut kept: u32, open: bool) -> String {
    let mut printed = String::with_capacity(stem.len());
    // printed Tamil keeps its viramas
    let figured = stem.contains(SUPERSCRIPTS);
    for part in parts(stem) {
        let part = if figured { part } else { part.strip_suffix(akshara::is_virama).unwrap_or(part) };
        let mut before = ' ';
        for c in part.chars() {
            let mut silent = SUPERSCRIPTS.contains(&c);
            if is_omitted(c, before) {
                silent = kept & 1 == 0;
                kept >>= 1;
            }
            before = c;
            if silent {
                continue;
            }
            printed.push(match c {
                open_vowel if open => open_vowel,
                'ૅ' => 'ે',
                'ૉ' => 'ો',
                'ઍ' => 'એ',
                'ઑ' => 'ઓ',
                other => other,
            });
        }
    }
    if stem.starts_with('-') { format!("-{printed}") } else { printed }
}

fn without_seams(stem: &str) -> String {
    let parts: Vec<_> = parts(&nfc(stem)).map(str::to_owned).collect();
    let joined = parts.join(NON_JOINER);
    if stem.starts_with('-') { format!("-{joined}") } else { joined }
}

/// Splits a listed stem at its morpheme boundaries, which are marked with `-`.
fn parts(stem: &str) -> impl Iterator<Item = &str> {
    stem.split('-').filter(|part| !part.is_empty())
}

/// Zero-width non-joiner, which separates the letters on both sides of a morpheme boundary.
const NON_JOINER: &str = "\u{200c}";

/// Replaces the last stop before a superscript digit with the letter that the pair denotes. A vowel sign may be between
/// them.
pub(crate) fn respell(figured: &str) -> String {
    let mut letters: Vec<char> = Vec::new();
    for c in figured.chars() {
        if !SUPERSCRIPTS.contains(&c) {
            letters.push(c);
            continue;
        }
        if let Some(stop) =
            letters.iter_mut().rev().find(|letter| matches!(letter, 'க' | 'ச' | 'ட' | 'த' | 'ப'))
        {
            *stop = phonetic_letter(*stop, c);
        }
    }
    letters.into_iter().collect()
}

fn phonetic_letter(stop: char, figure: char) -> char {
    match (stop, figure) {
        ('க', '²') => 'ख',
        ('ச', '²') => 'छ',
        ('ட', '²') => 'ठ',
        ('த', '²') => 'थ',
        ('ப', '²') => 'फ',
        ('க', '³') => 'ग',
        ('ச', '³') => 'ज',
        ('ட', '³') => 'ड',
        ('த', '³') => 'द',
        ('ப', '³') => 'ब',
        ('க', '⁴') => 'घ',
        ('ச', '⁴') => 'झ',
        ('ட', '⁴') => 'ढ',
        ('த', '⁴') => 'ध',
        ('ப', '⁴') => 'भ',
        (other, _) => other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::language::tables_named;
    use crate::table::first_two;

    #[test]
    fn every_stem_is_useful_and_unique() {
        for (path, table) in tables_named("stems.tsv") {
            let mut seen = HashSet::new();
            let all: Vec<_> = entries(&table).collect();
            for (stem, respelling) in &all {
                if stem.starts_with('+') {
                    continue;
                }
                assert!(
                    first_two(stem.trim_start_matches('-')).is_some(),
                    "{path}: '{stem}' is one character"
                );
                assert!(!stem.contains(char::is_whitespace), "{path}: a space in '{stem}'");
                // a native stem prevents a shorter loan from matching within the stem
                let shields = |(other, restored): &(String, String)| {
                    other != restored
                        && other.len() < stem.len()
                        && stem.trim_start_matches('-').starts_with(other.trim_start_matches('-'))
                };
                assert!(
                    respelling != stem
                        || table.contains(&format!("\n{stem}\t{stem}\n"))
                        || all.iter().any(shields),
                    "{path}: '{stem}' is respelled without a change"
                );
                assert!(seen.insert(stem), "{path}: '{stem}' is listed twice");
            }
        }
    }

    #[test]
    fn stems_match_without_nuktas() {
        let stems = Stems::read("ज़रूर बाज़ार मेज़ मेजर\n-फ़ोन\nकणेस\tकणॆस\n");
        for (written, read) in [
            ("जरूरत", "ज़रूरत"),
            ("ज़रूरत", "ज़रूरत"),
            ("मेजबान", "मेज़बान"),
            ("मेजर", "मेजर"),
            ("मेज़", "मेज़"),
            ("टेलीफोनों", "टेलीफ़ोनों"),
            ("फोन", "फोन"),
            ("कणेस्", "कणॆस्"),
            ("मेज्", "मेज्"),
            ("", ""),
        ] {
            assert_eq!(stems.respell(written), nfc(read), "{written}");
        }
    }
}
