//! Rules for finite verbs. A verb whose ending is a single consonant ends in a spoken o (করল, করব, করত, করছ, করছিল),
//! unlike nouns with the same spelling pattern (আসল, খারাব, মিছিল). Verbs with other endings also have a raised vowel
//! in the root (লড়বে, হবেন).
//!
//! The endings are the past -il-, the future -ib- and the habitual past -it- (Chatterji 1926). Their lost i has raised
//! the vowel of the root from ɔ to o. The roots are in `data/bn/verbs.txt`.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::RuledVowel;
use crate::akshara::{self, Akshara, Consonant, Nucleus, Vowel};
use crate::files::text;
use crate::phone::Symbol;

/// Returns the file with the verb roots and stems.
fn roots_txt() -> &'static str {
    text!("bn/verbs.txt")
}

/// Consonants and nucleus of an akshara.
type Letters = (akshara::Cluster, Nucleus);

static ROOTS: LazyLock<HashSet<Vec<Letters>>> =
    LazyLock::new(|| listed().filter(|root| !is_long_stem(root)).collect());

/// Stems of causatives, and of other verbs with the same endings.
static CAUSATIVES: LazyLock<HashSet<Vec<Letters>>> =
    LazyLock::new(|| listed().filter(|stem| is_long_stem(stem)).collect());

/// Returns the roots and stems of the file.
fn listed() -> impl Iterator<Item = Vec<Letters>> {
    let lines = roots_txt().lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).map(|root| letters(&akshara::parse(root)))
}

/// Returns whether an entry of the file is a stem in -আ or -ও of at least two syllables (ছড়া, ফুরো), not a root (যা).
fn is_long_stem(stem: &[Letters]) -> bool {
    stem.len() > 1 && stem.last().is_some_and(|last| matches!(last.1, Nucleus::Vowel(Vowel::Aa | Vowel::O)))
}

/// Maximum number of aksharas of a root with a stem vowel.
const LONGEST_ROOT: usize = 4;

/// Finite verb.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verb {
    /// Index of the last akshara, if its inherent vowel is a spoken o.
    last: Option<usize>,
    /// Number of aksharas before the ending; 0 if no inherent vowel is silent before the ending.
    stem: usize,
    /// `true` if an i, written or lost, has raised the first vowel; `false` if the first vowel is that of the root;
    /// `None` if the form does not indicate this.
    raised: Option<bool>,
}

impl Verb {
    /// Returns the verb, if the form of the word indicates that it is one.
    pub(super) fn of(aksharas: &[Akshara]) -> Option<Self> {
        Self::finite(aksharas)
            .or_else(|| Self::perfect(aksharas))
            .or_else(|| Self::negated(aksharas))
            .or_else(|| Self::present(aksharas))
    }

    /// Recognises the third person of the present with -েন: বসেন, চলেন.
    fn present(aksharas: &[Akshara]) -> Option<Self> {
        let [stem @ .., last] = aksharas else { return None };
        let ends = last.consonants[..] == [Consonant::Na] && last.nucleus == Nucleus::Inherent;
        let vowel = stem.last().is_some_and(|before| before.nucleus == Nucleus::Vowel(Vowel::E));
        (ends && vowel && stem.len() == 2 && has_root(stem)).then_some(Self {
            last: None,
            stem: 0,
            raised: Some(false),
        })
    }

    /// Recognises a verb with a written vowel in its ending, followed by না without a space: হবেনা, করছেনা.
    fn negated(aksharas: &[Akshara]) -> Option<Self> {
        let [root @ .., ending, no] = aksharas else { return None };
        let negates = no.consonants[..] == [Consonant::Na] && no.nucleus == Nucleus::Vowel(Vowel::Aa);
        Self::with_vowel(root, ending).filter(|_| negates && !no.anusvara)
    }

    /// Recognises a perfect participle with a suffix: করেছেন, করেছিলেন, করেনি, করেই.
    fn perfect(aksharas: &[Akshara]) -> Option<Self> {
        use Consonant as C;
        let at = aksharas.iter().position(|akshara| akshara.nucleus == Nucleus::Vowel(Vowel::E))?;
        let next = aksharas.get(at + 1)?;
        let is_last = at + 2 == aksharas.len();
        let known = match (next.consonants.as_slice(), next.nucleus) {
            ([C::Cha], _) => true,
            ([C::Na], Nucleus::Vowel(Vowel::I)) | ([], Nucleus::Vowel(Vowel::I | Vowel::O)) => is_last,
            _ => false,
        };
        (known && has_root(&aksharas[..=at])).then_some(Self { last: None, stem: 0, raised: Some(true) })
    }

    /// Recognises a verb with one of the endings in the module documentation.
    fn finite(aksharas: &[Akshara]) -> Option<Self> {
        use Consonant as C;
        let [stem @ .., last] = aksharas else { return None };
        if last.anusvara {
            return None;
        }
        let (&[ending], Nucleus::Inherent) = (last.consonants.as_slice(), last.nucleus) else {
            return Self::with_vowel(stem, last);
        };
        if let ([root @ .., vowel], C::Ma | C::Na) = (stem, ending) {
            let first_person = ending == C::Ma && matches!(vowel.consonants[..], [C::La | C::Ta]);
            let plain = first_person && vowel.nucleus == Nucleus::Vowel(Vowel::Aa) && is_root(root);
            let verb = plain.then_some(Self { last: None, stem: root.len(), raised: Some(true) });
            return verb.or_else(|| Self::with_vowel(root, vowel));
        }
        let before = stem.last()?;
        let last = Some(aksharas.len() - 1);
        let verb =
            |stem: &[Akshara], raised: bool| Self { last, stem: stem.len(), raised: raised.then_some(true) };
        match (ending, before.nucleus) {
            // -ছিল of the perfect (করেছিল) and of the continuous (করছিল, যাচ্ছিল)
            (C::La, Nucleus::Vowel(Vowel::I)) if before.consonants.last() == Some(&C::Cha) => {
                let root = &stem[..stem.len() - 1];
                let long = before.consonants.len() > 1;
                let perfect = root.last().is_none_or(|last| last.nucleus == Nucleus::Vowel(Vowel::E));
                (long || perfect || is_root(root)).then(|| verb(root, true))
            }
            // -ছ of the perfect: করেছ
            (C::Cha, Nucleus::Vowel(Vowel::E)) => Some(verb(stem, true)),
            (C::La | C::Ba, Nucleus::Inherent) => is_root(stem).then(|| verb(stem, true)),
            (C::Ta | C::Cha, Nucleus::Inherent) => {
                (stem.len() > 1 && is_root(stem)).then(|| verb(stem, true))
            }
            (C::Ba, Nucleus::Vowel(Vowel::Aa)) if is_root(stem) => Some(verb(stem, false)),
            // past, future and habitual past of causatives: জানাল, জানাব, শোনাত
            (C::La | C::Ba | C::Ta, Nucleus::Vowel(Vowel::Aa)) => {
                (has_root(stem) || is_causative(stem)).then(|| verb(stem, false))
            }
            // verbs with a stem in -ও: ফুরোল, ঘুমোত
            (C::La | C::Ba | C::Ta, Nucleus::Vowel(Vowel::O)) => {
                CAUSATIVES.contains(&letters(stem)).then(|| verb(stem, false))
            }
            // in the older literary language, the i is still written (করিল, করিত); চাইল has a root in -ই
            (C::La | C::Ba | C::Ta, Nucleus::Vowel(Vowel::I)) => {
                (has_root(stem) || is_root(stem)).then(|| verb(stem, true))
            }
            _ => None,
        }
    }

    /// Recognises a root and an ending with a written vowel: করলে, করবে, করতে, করছি; also before -ম and -ন: করলাম,
    /// করবেন.
    fn with_vowel(root: &[Akshara], ending: &Akshara) -> Option<Self> {
        use Consonant as C;
        let known = matches!(
            (ending.consonants.as_slice(), ending.nucleus),
            ([C::La | C::Ba | C::Ta | C::Cha], Nucleus::Vowel(Vowel::E))
                // -তি also ends nouns and adjectives with the same vowel: বাড়তি, চলতি
                | ([C::Ba | C::Cha | C::Ta], Nucleus::Vowel(Vowel::I))
                | ([C::La | C::Ba | C::Cha], Nucleus::Vowel(Vowel::O))
                // -চ্ছ- of the continuous after a vowel: হচ্ছে
                | ([C::Ca, C::Cha], Nucleus::Vowel(Vowel::E | Vowel::I | Vowel::O))
        );
        (known && is_root(root)).then_some(Self { last: None, stem: root.len(), raised: Some(true) })
    }

    /// Returns the inherent vowel of the akshara `i` of the verb, or `None` if the verb form does not determine it.
    pub(super) fn inherent(self, i: usize) -> Option<RuledVowel> {
        if Some(i) == self.last {
            return Some(RuledVowel::Spoken(Symbol::O));
        }
        if let (0, Some(raised)) = (i, self.raised) {
            return Some(RuledVowel::Spoken(if raised { Symbol::O } else { Symbol::OpenO }));
        }
        (i > 0 && i + 1 == self.stem).then_some(RuledVowel::Silent)
    }
}

/// Returns whether the word is a verb in the second person that ends in স (ভুলিস, দেখাস), which is then pronounced ʃ.
pub(super) fn ends_in_second_person(aksharas: &[Akshara]) -> bool {
    let [stem @ .., last] = aksharas else { return false };
    let Some(before) = stem.last() else { return false };
    let plain = last.consonants[..] == [Consonant::Sa] && last.nucleus == Nucleus::Inherent && !last.anusvara;
    plain
        && match before.nucleus {
            Nucleus::Vowel(Vowel::I) => has_root(stem),
            Nucleus::Vowel(Vowel::Aa) => has_root(stem) || is_causative(stem),
            _ => false,
        }
}

/// Respells a form that can be the third person present or the participle (করে, দেখে). The present has the vowel of the
/// root, ɔ or æ, and the participle has the raised vowel, o or e. Returns `None` for any other word.
pub(super) fn by_position(word: &str, is_finite: bool) -> Option<String> {
    if !word.ends_with('ে') {
        return None;
    }
    let aksharas = akshara::parse(word);
    let [first, last] = aksharas.as_slice() else { return None };
    if last.nucleus != Nucleus::Vowel(Vowel::E) || !has_root(&aksharas) {
        return None;
    }
    let signs = match first.nucleus {
        Nucleus::Inherent => ['ॉ', 'ো'],
        Nucleus::Vowel(Vowel::E) => ['ॅ', 'ॆ'],
        _ => return None,
    };
    let sign = if is_finite { signs[0] } else { signs[1] };
    // the first akshara ends before the next letter that is not joined to it by a virama
    let mut joined = false;
    let end = word.char_indices().skip(1).find(|&(_, c)| {
        let begins = akshara::is_letter(c) && !joined;
        joined = akshara::is_virama(c);
        begins
    })?;
    let (first, rest) = word.split_at(end.0);
    Some(format!("{}{sign}{rest}", first.trim_end_matches('ে')))
}

fn is_root(aksharas: &[Akshara]) -> bool {
    aksharas.len() <= LONGEST_ROOT && ROOTS.contains(&letters(aksharas))
}

/// Returns whether the aksharas are a listed root, ignoring the vowel of the last akshara, which may belong to a stem
/// or an ending.
fn has_root(aksharas: &[Akshara]) -> bool {
    if !(2..=LONGEST_ROOT).contains(&aksharas.len()) {
        return false;
    }
    let mut root = letters(aksharas);
    if let Some(last) = root.last_mut() {
        last.1 = Nucleus::Inherent;
    }
    ROOTS.contains(&root)
}

/// Returns whether the aksharas are the stem of a causative: it is listed with its আ (ছড়া), or it is derived from a
/// listed root with a lowered first vowel (শোনা from শুন, ফেরা from ফির).
fn is_causative(aksharas: &[Akshara]) -> bool {
    if !(2..=LONGEST_ROOT).contains(&aksharas.len()) {
        return false;
    }
    let stem = letters(aksharas);
    if CAUSATIVES.contains(&stem) {
        return true;
    }
    let mut root = stem;
    if let Some(last) = root.last_mut() {
        last.1 = Nucleus::Inherent;
    }
    let Some(first) = root.first_mut() else { return false };
    first.1 = match first.1 {
        Nucleus::Vowel(Vowel::O) => Nucleus::Vowel(Vowel::U),
        Nucleus::Vowel(Vowel::E) => Nucleus::Vowel(Vowel::I),
        _ => return false,
    };
    ROOTS.contains(&root)
}

fn letters(aksharas: &[Akshara]) -> Vec<Letters> {
    aksharas.iter().map(|akshara| (akshara.consonants.clone(), akshara.nucleus)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_unique() {
        let lines = roots_txt().lines().filter(|line| !line.starts_with('#'));
        assert_eq!(lines.flat_map(str::split_whitespace).count(), ROOTS.len() + CAUSATIVES.len());
    }
}
