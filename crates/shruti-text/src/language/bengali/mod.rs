//! Bengali.
//!
//! The phonology follows Chatterji (1926), Ferguson & Chowdhury (1960) and Dasgupta (2003). Rules determine the sounds
//! of most letters, including the joined forms of য ব ম, ক্ষ, জ্ঞ, and the glides. The spelling leaves the inherent vowel
//! (ɔ, o or silent), এ (e or æ) and স (ʃ or s) ambiguous. For these letters, [classifiers](crate::g2p::linear) choose
//! the sound from the surrounding letters. The classifiers first find the silent inherent vowels, from the end of the
//! word to its beginning, and then the sounds of the other ambiguous letters, from the beginning to the end.

mod echo;
mod inherent;
mod joined;
mod letters;
mod verbs;

use std::sync::LazyLock;

use serde::Deserialize;

use self::verbs::Verb;
use super::position::Positions;
use super::{LanguageSpec, Pronouncing, Romanisation, WordContext};
use crate::akshara::{self, Akshara};
use crate::files::text;
use crate::g2p::letters::push;
use crate::g2p::linear::Linear;
use crate::g2p::nasal;
use crate::g2p::spelling::Spelling;
use crate::g2p::stems::Stems;
use crate::phone::{Phone, Symbol};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};
use crate::table::Set;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Bengali,
    pronouncing: Pronouncing::ByRule(|word, _| pronounce(word)),
    stems: Some(|| &STEMS),
    allophones: None,
    tones: None,
    by_position: Some(by_position),
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::First },
    name_vowels: &[(Symbol::Schwa, Symbol::OpenO), (Symbol::IShort, Symbol::I), (Symbol::UShort, Symbol::U)],
    romanisation: Romanisation { short_e_and_o: false, final_schwa_falls: true, handicap: 2.0 },
    keywords: None,
};

/// Returns the file with the classifiers for letters whose sound the spelling leaves ambiguous.
fn open_tsv() -> &'static str {
    text!("bn/open.tsv")
}

/// Sound that is recorded for a silent vowel.
const SILENT: &str = "-";

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(text!("bn/stems.tsv")));

static POSITIONS: LazyLock<Positions> = LazyLock::new(|| Positions::read(text!("bn/position.toml")));

static CLASSIFIERS: LazyLock<Open> = LazyLock::new(Open::read);

/// Kind of letter whose sound the spelling leaves ambiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An inherent vowel: silent or spoken. If it is spoken, [`Spoken`](Self::Spoken) determines the sound.
    Inherent,
    /// A spoken inherent vowel: ɔ or o.
    Spoken,
    /// এ: e or æ.
    E,
    /// স: ʃ or s.
    Sa,
}

impl Kind {
    /// Returns the name of the classifier in `bn/open.tsv`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inherent => "inherent",
            Self::Spoken => "heard",
            Self::E => "e",
            Self::Sa => "sa",
        }
    }
}

/// Inherent vowel as determined by a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuledVowel {
    /// A silent vowel.
    Silent,
    /// A spoken vowel, with its sound.
    Spoken(Symbol),
}

impl RuledVowel {
    /// Returns the vowel in IPA, or `-` if it is silent.
    pub const fn ipa(self) -> &'static str {
        match self {
            Self::Silent => SILENT,
            Self::Spoken(vowel) => vowel.ipa(),
        }
    }
}

/// Intermediate form between letters and phones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A sound that the letters determine.
    Phone(Phone),
    /// The inherent vowel of the akshara at this index, as determined by a rule.
    Ruled(usize, RuledVowel),
    /// A letter with an ambiguous sound, in the akshara at this index.
    Ambiguous(usize, Kind),
    /// The preceding vowel is nasal.
    Nasal,
}

/// Classifiers of the ambiguous letters.
struct Open {
    by_kind: [Linear; 4],
}

impl Open {
    fn read() -> Self {
        let mut all = Linear::read(open_tsv());
        let take = |kind: Kind| all.remove(kind.name()).unwrap_or_default();
        Self { by_kind: [Kind::Inherent, Kind::Spoken, Kind::E, Kind::Sa].map(take) }
    }

    /// Marks inherent vowels as silent, by rule or by their classifier. The word is processed from its end, because a
    /// vowel can be silent only before a spoken vowel, so the following vowel must be known first.
    fn silence(&self, pieces: &[Piece], spelling: &mut Spelling) {
        for piece in pieces.iter().rev() {
            match *piece {
                Piece::Ruled(akshara, RuledVowel::Silent) => spelling.record_sound(akshara, SILENT),
                Piece::Ambiguous(akshara, kind @ Kind::Inherent)
                    if self.says(kind, spelling, akshara, SILENT) =>
                {
                    spelling.record_sound(akshara, SILENT);
                }
                _ => {}
            }
        }
    }

    /// Returns whether the classifier for this kind of letter chooses `sound` for the letter.
    fn says(&self, kind: Kind, spelling: &Spelling, akshara: usize, sound: &str) -> bool {
        self.by_kind[kind as usize].decide(spelling, akshara) == sound
    }
}

/// Words that distinguish a finite verb from a participle in a clause; [`verbs::by_position`] describes the difference.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Clause {
    /// Words that follow a finite verb.
    finite_before: Set<String>,
    /// Words that form an adverb with a following participle, in any position.
    participle_after: Set<String>,
}

static CLAUSE: LazyLock<Clause> =
    LazyLock::new(|| toml::from_str(text!("bn/clause.toml")).unwrap_or_default());

/// Respells a word whose reading depends on its neighbours: a listed word, or a verb form that can be finite or a
/// participle. The form is finite at the end of a clause.
fn by_position(context: &WordContext<'_>) -> Option<String> {
    if let Some(listed) = POSITIONS.respell(context) {
        return Some(listed);
    }
    if context.before.is_none() && context.after.is_none() {
        return None;
    }
    let has = |words: &Set<String>, word: Option<&str>| word.is_some_and(|word| words.contains(word));
    let ends = context.ends_phrase || has(&CLAUSE.finite_before, context.after);
    verbs::by_position(context.word, ends && !has(&CLAUSE.participle_after, context.before))
}

/// Returns the phones of a word.
fn pronounce(word: &str) -> Vec<Phone> {
    let aksharas = akshara::parse(&STEMS.respell(word));
    let mut spelling = Spelling::new(&aksharas);
    let mut phones = Vec::with_capacity(word.len() / 2);
    let pieces = pieces(&aksharas);
    CLASSIFIERS.silence(&pieces, &mut spelling);
    for piece in pieces {
        match piece {
            Piece::Phone(phone) if phone.is_vowel() => phones.push(phone),
            Piece::Phone(phone) => push(&mut phones, phone.symbol),
            Piece::Nasal => nasal::nasalise_last(&mut phones),
            Piece::Ruled(akshara, ruling) => {
                spelling.record_sound(akshara, ruling.ipa());
                if let RuledVowel::Spoken(vowel) = ruling {
                    phones.push(Phone::new(vowel));
                }
            }
            Piece::Ambiguous(akshara, Kind::Inherent | Kind::Spoken) => {
                if !spelling.is_silent(akshara) {
                    let ruled = inherent::before_suffix(&aksharas, akshara, |i| spelling.is_silent(i));
                    let vowel = ruled.unwrap_or_else(|| {
                        let raised = CLASSIFIERS.says(Kind::Spoken, &spelling, akshara, "o");
                        if raised { Symbol::O } else { Symbol::OpenO }
                    });
                    spelling.record_sound(akshara, vowel.ipa());
                    phones.push(Phone::new(vowel));
                }
            }
            Piece::Ambiguous(akshara, Kind::E) => {
                let open = CLASSIFIERS.says(Kind::E, &spelling, akshara, "æ");
                phones.push(Phone::new(if open { Symbol::Ae } else { Symbol::E }));
            }
            Piece::Ambiguous(akshara, Kind::Sa) => {
                let dental = CLASSIFIERS.says(Kind::Sa, &spelling, akshara, "s");
                push(&mut phones, if dental { Symbol::S } else { Symbol::Sh });
            }
        }
    }
    nasal::assimilate(&mut phones);
    // Bengali has no retroflex nasal
    for phone in phones.iter_mut().filter(|phone| phone.symbol == Symbol::Nn) {
        phone.symbol = Symbol::N;
    }
    phones
}

/// Returns the sounds of a word as far as the letters determine them. Public because the tool that trains the
/// classifiers uses it.
pub fn pieces(aksharas: &[Akshara]) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(aksharas.len() * 3);
    let verb = Verb::of(aksharas);
    let echoes = verb.is_none() && echo::is_echo(aksharas);
    let native_sa = echoes || verbs::ends_in_second_person(aksharas);
    for (i, akshara) in aksharas.iter().enumerate() {
        let before = i.checked_sub(1).map(|before| &aksharas[before]);
        let next = aksharas.get(i + 1);
        letters::consonants(akshara, i, before, next, &mut pieces);
        if native_sa
            && (echoes || next.is_none())
            && let Some(last @ Piece::Ambiguous(_, Kind::Sa)) = pieces.last_mut()
        {
            *last = Piece::Phone(Phone::new(Symbol::Sh));
        }
        letters::vowel(akshara, i, before, next, &mut pieces);
        if let Some(last @ Piece::Ambiguous(_, Kind::Inherent)) = pieces.last_mut() {
            let ruled = if echoes {
                Some(echo::inherent(i))
            } else {
                verb.and_then(|verb| verb.inherent(i)).or_else(|| inherent::by_rule(aksharas, i))
            };
            if let Some(ruling) = ruled {
                *last = Piece::Ruled(i, ruling);
            } else if inherent::is_always_spoken(aksharas, i) {
                *last = Piece::Ambiguous(i, Kind::Spoken);
            }
        }
        if akshara.candrabindu {
            pieces.push(Piece::Nasal);
        }
        if akshara.anusvara {
            pieces.push(Piece::Phone(Phone::new(Symbol::Ng)));
        }
        letters::visarga(akshara, i, next, &mut pieces);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_valid() {
        assert!(toml::from_str::<Clause>(text!("bn/clause.toml")).is_ok());
        let values = open_tsv()
            .lines()
            .filter(|line| !line.starts_with(['[', '@']) && !line.starts_with("# "))
            .count();
        let read: usize = CLASSIFIERS.by_kind.iter().map(Linear::len).sum();
        assert_eq!(read, values, "a line of open.tsv does not read, or two values share a hash");
    }
}
