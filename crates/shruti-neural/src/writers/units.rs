//! Splits a word into written units with the phones that are pronounced for each.

use shruti_text::akshara::{self, Akshara, Nucleus, Vowel};
use shruti_text::phone::{Manner, Phone, Symbol};

/// Consonants and the following vowel: an akshara with its phones, or phones without corresponding letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Unit {
    /// Consonants before the vowel. A long consonant appears twice.
    pub(super) onset: Vec<Phone>,
    /// Vowel, if one is pronounced.
    pub(super) vowel: Option<Phone>,
    /// Consonants that belong to the vowel: the end of a diphthong or the nasal of an anusvara.
    pub(super) coda: Vec<Phone>,
    /// Letters, if they could be matched with the phones.
    pub(super) akshara: Option<Akshara>,
}

impl Unit {
    /// Returns whether an anusvara (or tippi) is written.
    pub(super) fn has_anusvara(&self) -> bool {
        self.akshara.as_ref().is_some_and(|akshara| akshara.anusvara)
    }

    /// Returns whether a candrabindu is written.
    pub(super) fn has_candrabindu(&self) -> bool {
        self.akshara.as_ref().is_some_and(|akshara| akshara.candrabindu)
    }

    /// Returns the vowel letter or sign that is written, if any.
    pub(super) fn written_vowel(&self) -> Option<Vowel> {
        match self.akshara.as_ref()?.nucleus {
            Nucleus::Vowel(vowel) => Some(vowel),
            _ => None,
        }
    }
}

/// Returns the units of a word: by its letters if they match the phones, otherwise by its phones.
pub(super) fn units(text: &str, phones: &[Phone]) -> Vec<Unit> {
    let phones = split_long(phones);
    of_letters(akshara::parse(text), &phones).unwrap_or_else(|| of_phones(&phones))
}

/// Returns the phones, with each long consonant split in two.
fn split_long(phones: &[Phone]) -> Vec<Phone> {
    let mut split = Vec::with_capacity(phones.len() + 4);
    for &phone in phones {
        if phone.long && !phone.is_vowel() {
            split.push(Phone::new(phone.symbol));
            split.push(Phone::new(phone.symbol));
        } else {
            split.push(phone);
        }
    }
    split
}

fn of_phones(phones: &[Phone]) -> Vec<Unit> {
    let mut units = Vec::with_capacity(phones.len() / 2 + 1);
    let mut unit = Unit::default();
    for &phone in phones {
        if phone.is_vowel() {
            unit.vowel = Some(phone);
            units.push(std::mem::take(&mut unit));
        } else {
            unit.onset.push(phone);
        }
    }
    if !unit.onset.is_empty() {
        units.push(unit);
    }
    units
}

/// Aligns letters and phones. Returns `None` if a vowel has no letter or a written vowel has no phone.
fn of_letters(aksharas: Vec<Akshara>, phones: &[Phone]) -> Option<Vec<Unit>> {
    if aksharas.is_empty() {
        return None;
    }
    let mut rest = phones;
    let mut units: Vec<Unit> = Vec::with_capacity(aksharas.len());
    let count = aksharas.len();
    for (at, akshara) in aksharas.into_iter().enumerate() {
        let mut unit = Unit::default();
        let vocalic = matches!(akshara.nucleus, Nucleus::Vowel(Vowel::VocalicR | Vowel::VocalicRr));
        for _ in 0..akshara.consonants.len() + usize::from(vocalic) {
            match rest {
                [consonant, after @ ..] if !consonant.is_vowel() => {
                    unit.onset.push(*consonant);
                    rest = after;
                }
                _ => break,
            }
        }
        match akshara.nucleus {
            Nucleus::Inherent => {
                if let [vowel, after @ ..] = rest
                    && vowel.is_vowel()
                {
                    unit.vowel = Some(*vowel);
                    rest = after;
                }
            }
            Nucleus::Vowel(written) => {
                // take a glide that is not written
                while let [glide, after @ ..] = rest
                    && !glide.is_vowel()
                {
                    unit.onset.push(*glide);
                    rest = after;
                }
                let [vowel, after @ ..] = rest else { return None };
                unit.vowel = Some(*vowel);
                rest = after;
                if matches!(written, Vowel::Ai | Vowel::Au)
                    && let [end, after @ ..] = rest
                    && is_end_of_diphthong(*end)
                    && !end.long
                {
                    unit.coda.push(*end);
                    rest = after;
                }
            }
            // take the half vowel that Malayalam pronounces after a final consonant
            Nucleus::None => {
                if at + 1 == count
                    && let [vowel] = rest
                    && vowel.is_vowel()
                {
                    unit.vowel = Some(*vowel);
                    rest = &[];
                }
            }
        }
        if (akshara.anusvara || akshara.candrabindu)
            && let [nasal, after @ ..] = rest
            && nasal.symbol.manner() == Manner::Nasal
            && after.first().is_none_or(|phone| !phone.is_vowel())
        {
            unit.coda.push(*nasal);
            rest = after;
        }
        unit.akshara = Some(akshara);
        units.push(unit);
    }
    let last = units.last_mut()?;
    for &phone in rest {
        if phone.is_vowel() {
            return None;
        }
        last.coda.push(phone);
    }
    Some(units)
}

fn is_end_of_diphthong(phone: Phone) -> bool {
    matches!(
        phone.symbol,
        Symbol::Y | Symbol::W | Symbol::V | Symbol::I | Symbol::IShort | Symbol::U | Symbol::UShort
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use shruti_text::phone::{parse_ipa, to_ipa};

    use super::*;

    fn shown(text: &str, ipa: &str) -> String {
        let phones = split_long(&parse_ipa(ipa).unwrap());
        let units = of_letters(akshara::parse(text), &phones);
        let is_spelt = units.is_some();
        let units = units.unwrap_or_else(|| of_phones(&phones));
        let one = |unit: &Unit| {
            let vowel = unit.vowel.map_or("-".to_owned(), |vowel| vowel.to_string());
            format!("{}/{vowel}/{}", to_ipa(&unit.onset), to_ipa(&unit.coda))
        };
        let shown: Vec<String> = units.iter().map(one).collect();
        format!("{}{}", if is_spelt { "" } else { "phones: " }, shown.join(" "))
    }

    #[test]
    fn letters_find_their_phones() {
        for (text, ipa, expected) in [
            ("मसला", "məslaː", "m/ə/ s/-/ l/aː/"),
            ("पक्का", "pəkːaː", "p/ə/ k k/aː/"),
            ("कंकर", "kəŋkəɾ", "k/ə/ŋ k/ə/ ɾ/-/"),
            ("संमान", "səmmaːn", "s/ə/m m/aː/ n/-/"),
            ("कृपा", "kɾɪpaː", "k ɾ/ɪ/ p/aː/"),
            ("ఐదు", "ɐjd̪u", "/ɐ/j d̪/u/"),
            ("വീട്", "ʋiːʈə", "ʋ/iː/ ʈ/ə/"),
            ("meeting", "miːʈɪŋ", "phones: m/iː/ ʈ/ɪ/ ŋ/-/"),
            ("क", "kaːka", "phones: k/aː/ k/a/"),
        ] {
            assert_eq!(shown(text, ipa), expected, "{text}");
        }
    }
}
