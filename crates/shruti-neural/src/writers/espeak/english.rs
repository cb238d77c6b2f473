//! English voices: the phones of Indian English in the notation of the American and British voices.
//!
//! Indian English distinguishes neither v from w nor a dental stop from ð. For these phones, the symbol depends on the
//! spelling.

use shruti_text::phone::{Phone, Symbol};
use shruti_text::utterance::{Stress, Weight, Word};

use super::mark;

pub(super) fn ipa(word: &Word, is_american: bool) -> String {
    let mut out = String::with_capacity(2 * word.phones.len());
    let text = word.text.to_ascii_lowercase();
    // these words are unstressed in running speech
    match text.as_str() {
        "of" => return if is_american { "ʌv" } else { "ɒv" }.to_owned(),
        "to" => return "tə".to_owned(),
        _ => {}
    }
    let is_name = !text.contains("th");
    let mut labials = labials(&text, &word.phones).into_iter();
    let mut at = 0;
    while let Some(&phone) = word.phones.get(at) {
        let rest = &word.phones[at + 1..];
        if phone.is_vowel() {
            let stress = stress(word, at);
            out.push_str(mark(stress));
            if stress == Stress::None
                && let Some(reduced) = reduced(&word.phones, at, is_american)
            {
                out.push_str(reduced);
                at += 1;
                continue;
            }
            at += 1 + vowel(&mut out, phone, rest, stress, at == 0, is_american);
            continue;
        }
        let is_tap = is_american
            && phone.symbol == Symbol::Tt
            && at > 0
            && (word.phones[at - 1].is_vowel() || word.phones[at - 1].symbol == Symbol::Ar)
            && rest.first().is_some_and(|next| next.is_vowel())
            && stress(word, at + 1) == Stress::None;
        let is_ing = phone.symbol == Symbol::Ng
            && rest.iter().map(|phone| phone.symbol).eq([Symbol::G, Symbol::IShort, Symbol::Ng]);
        out.push_str(match phone.symbol {
            _ if is_tap => "ɾ",
            Symbol::Tt | Symbol::Tth | Symbol::T => "t",
            Symbol::Dd | Symbol::Ddh => "d",
            Symbol::D if is_name => "d",
            Symbol::D => "ð",
            Symbol::Th if is_name => "t",
            Symbol::Th => "θ",
            Symbol::V | Symbol::W => labials.next().unwrap_or("v"),
            Symbol::Ar | Symbol::R | Symbol::Rr | Symbol::Rd | Symbol::Rdh => {
                let is_said = is_american || rest.first().is_some_and(|next| next.is_vowel());
                if is_said { "ɹ" } else { "" }
            }
            Symbol::H | Symbol::VlH => "h",
            Symbol::Ph => "p",
            Symbol::Bh => "b",
            Symbol::Kh | Symbol::X | Symbol::Q => "k",
            Symbol::Gh | Symbol::Gamma => "ɡ",
            Symbol::Ch => "tʃ",
            Symbol::Jh => "dʒ",
            Symbol::Nn | Symbol::DentN => "n",
            Symbol::Ll | Symbol::Zr => "l",
            Symbol::Ss => "ʃ",
            symbol => symbol.ipa(),
        });
        // skip the ɡ after the first ŋ of "singing": eSpeak's English has no ɡ there
        at += 1 + usize::from(is_ing);
    }
    out
}

/// Returns the stress of the vowel at a position. Function words of one syllable are unstressed.
fn stress(word: &Word, at: usize) -> Stress {
    let place = word.syllables.partition_point(|syllable| syllable.phones.end <= at);
    if place == word.syllables.len() {
        return Stress::None;
    }
    let is_primary = |at: usize| word.syllables.get(at).is_some_and(|found| found.stress == Stress::Primary);
    let is_light = word.weight == Weight::Function && word.syllables.len() == 1;
    match word.syllables[place].stress {
        _ if is_light => Stress::None,
        // a secondary stress is dropped next to a primary stress
        Stress::Secondary if is_primary(place + 1) || place > 0 && is_primary(place - 1) => Stress::None,
        stress => stress,
    }
}

/// Returns the reduced vowel of an unstressed first or last syllable, or `None` if the vowel is not reduced. Indian
/// English pronounces these vowels in full.
fn reduced(phones: &[Phone], at: usize, is_american: bool) -> Option<&'static str> {
    use Symbol as S;
    let symbol = |at: Option<usize>| at.and_then(|at| phones.get(at)).map(|phone| phone.symbol);
    let is_front = matches!(phones[at].symbol, S::OpenE | S::IShort);
    let ends = |ending: &[S]| phones[at + 1..].iter().map(|phone| phone.symbol).eq(ending.iter().copied());
    let close = if is_american { "ᵻ" } else { "ɪ" };
    match symbol(at.checked_sub(1)) {
        Some(S::Tt | S::Dd) if is_front && ends(&[S::Dd]) => return Some(close),
        Some(before)
            if !before.is_vowel()
                && phones[at].symbol == S::OpenE
                && [&[S::N, S::Tt][..], &[S::N, S::S], &[S::S], &[S::N, S::Tt, S::S]]
                    .iter()
                    .any(|ending| ends(ending)) =>
        {
            return Some("ə");
        }
        _ => {}
    }
    let is_first_vowel = !phones[..at].iter().any(|phone| phone.is_vowel());
    let is_open = !phones.get(at + 1)?.is_vowel() && phones.get(at + 2).is_some_and(|next| next.is_vowel());
    (at > 0 && is_first_vowel && is_open && phones[at].symbol == S::IShort).then_some(close)
}

/// Writes a vowel together with a following r or the end of a diphthong. Returns the number of phones of `rest` that
/// were written.
fn vowel(
    out: &mut String,
    phone: Phone,
    rest: &[Phone],
    stress: Stress,
    is_first: bool,
    is_american: bool,
) -> usize {
    use Symbol as S;
    let pick = |american, british| if is_american { american } else { british };
    let is_before_r = rest.first().is_some_and(|next| next.symbol == S::Ar);
    // an r before a vowel begins the next syllable
    let takes_r = is_before_r && rest.get(1).is_none_or(|next| !next.is_vowel());
    if is_before_r {
        let with_r = match (phone.symbol, phone.long) {
            (S::Schwa, true) | (S::ErLong | S::Caret, _) => Some(("ɜː", "ɜː")),
            (S::Schwa, false) => Some(("ɚ", "ə")),
            (S::OpenO, true) if takes_r => Some(("ɔːɹ", "ɔː")),
            (S::O, true) if takes_r => Some(("oːɹ", "ɔː")),
            (S::I, true) if takes_r => Some(("ɪɹ", "iə")),
            (S::E, true) if takes_r => Some(("ɛɹ", "eə")),
            (S::U, true) if takes_r => Some(("ʊɹ", "ʊə")),
            (S::A, true) if takes_r => Some(("ɑːɹ", "ɑː")),
            _ => None,
        };
        if let Some((american, british)) = with_r {
            out.push_str(pick(american, british));
            return usize::from(takes_r);
        }
    }
    let end = rest.first().filter(|next| !next.long).map(|next| next.symbol);
    let diphthong = match (phone.symbol, end) {
        (S::A | S::BackA, Some(S::IShort)) => Some("aɪ"),
        (S::A | S::BackA, Some(S::UShort)) => Some("aʊ"),
        (S::OpenO, Some(S::IShort)) => Some("ɔɪ"),
        _ => None,
    };
    if let Some(diphthong) = diphthong {
        out.push_str(diphthong);
        return 1;
    }
    let is_before_fricative = matches!(end, Some(S::F | S::S | S::Th));
    let is_last = rest.is_empty();
    out.push_str(match (phone.symbol, phone.long) {
        (S::O, _) => pick("oʊ", "əʊ"),
        (S::E, _) => "eɪ",
        (S::A | S::BackA, _) if is_before_fricative => pick("æ", "ɑː"),
        (S::A | S::BackA, _) => "ɑː",
        (S::RoundA, _) if is_before_fricative || end == Some(S::Ng) => pick("ɔ", "ɒ"),
        (S::RoundA, _) => pick("ɑː", "ɒ"),
        (S::OpenO, false) => "ɔ",
        (S::OpenO, true) => "ɔː",
        (S::Ae, _) => pick("æ", "a"),
        (S::Schwa | S::CentralA, false) if is_first && stress == Stress::None => "ɐ",
        (S::Schwa | S::CentralA, _) if stress == Stress::None => "ə",
        (S::Schwa | S::CentralA | S::Caret, _) => "ʌ",
        (S::ErLong, _) => "ɜː",
        (S::I, true) if stress == Stress::None && (is_last || end.is_some_and(S::is_vowel)) => "i",
        (S::I, true) => "iː",
        (S::U, true) => "uː",
        (S::I | S::Ii, _) => "ɪ",
        (S::U, _) => "ʊ",
        (symbol, _) => symbol.ipa(),
    });
    0
}

/// Returns v or w for each labial glide of a word.
fn labials(text: &str, phones: &[Phone]) -> Vec<&'static str> {
    let count = phones.iter().filter(|phone| matches!(phone.symbol, Symbol::V | Symbol::W)).count();
    if count == 0 {
        return Vec::new();
    }
    let letters = text.as_bytes();
    let is_vowel = |at: usize| letters.get(at).is_some_and(|letter| b"aeiouhy".contains(letter));
    let mut found = Vec::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        match letter {
            b'v' => found.push("v"),
            b'w' if is_vowel(at + 1) => found.push("w"),
            b'u' if before == Some(&b'q') && is_vowel(at + 1) => found.push("w"),
            b'u' if before == Some(&b'g') && is_vowel(at + 1) => found.push("w"),
            _ => {}
        }
    }
    if found.len() != count {
        // "one" and "once" begin with w, "of" ends with v
        let is_w = text.contains('w') || text.starts_with("on") || text.ends_with("one");
        found = vec![if is_w { "w" } else { "v" }; count];
    }
    found
}
