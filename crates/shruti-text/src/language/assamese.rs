//! Assamese (beta).
//!
//! The phonology follows Mahanta (2012), "Assamese", Journal of the International Phonetic Association 42; Goswami &
//! Tamuli (2003), "Asamiya"; and Kakati (1941), "Assamese, its formation and development". The stops of both written
//! series are alveolar. চ ছ are pronounced s, জ ঝ য are pronounced z, and শ ষ স are pronounced x, but s in clusters.
//! Vowels have no length contrast. The spelling distinguishes অ ɔ, অ' o and ও ʊ. After a vowel, a joined ব or য makes
//! the consonant above it long. Before a consonant with joined য, an i is spoken (Kakati).
//!
//! ɔ ɛ ʊ become o e u before i or u in the next syllable, and before another raised vowel. A single nasal between the
//! two vowels prevents the raising (Mahanta 2007, "Directionality and locality in vowel harmony").
//!
//! The inherent vowel is spoken inside a morpheme. At the end of a morpheme it is silent, except after clusters and in
//! verbs in -ব. Loans with other silent vowels are in `data/as/stems.tsv`.

use std::sync::LazyLock;

use super::position::Positions;
use super::{LanguageSpec, Pronouncing, Romanisation};
use crate::akshara::{Akshara, Consonant, Nucleus, Vowel};
use crate::files::text;
use crate::g2p::indo_aryan::{self, Sounds, Word};
use crate::g2p::letters;
use crate::g2p::morphemes::Morphemes;
use crate::g2p::nasal;
use crate::g2p::schwa;
use crate::g2p::stems::Stems;
use crate::phone::{Phone, Symbol};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Bengali,
    pronouncing: Pronouncing::ByRule(|word, _| pronounce(word)),
    stems: Some(|| &STEMS),
    allophones: None,
    tones: None,
    by_position: Some(|context| POSITIONS.respell(context)),
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::First },
    name_vowels: &[(Symbol::Schwa, Symbol::OpenO), (Symbol::IShort, Symbol::I), (Symbol::UShort, Symbol::U)],
    romanisation: Romanisation { short_e_and_o: false, final_schwa_falls: true, handicap: 0.0 },
    keywords: Some(|| text!("as/keywords.tsv")),
};

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(text!("as/stems.tsv")));

static MORPHEMES: LazyLock<Morphemes> = LazyLock::new(|| Morphemes::read(text!("as/morphemes.toml")));

static POSITIONS: LazyLock<Positions> = LazyLock::new(|| Positions::read(text!("as/position.toml")));

/// Rules for the inherent vowel.
const SCHWA: schwa::Rules = schwa::Rules {
    keeps_final,
    keeps_inner: |own, _| own.consonants.len() > 1,
    deletes: |_| false,
    ..schwa::Rules::PLAIN
};

fn pronounce(word: &str) -> Vec<Phone> {
    let respelled = with_raised_vowels(word);
    let word = Word::parse(&STEMS.respell(&respelled), &MORPHEMES, &SCHWA);
    let raised = raised_vowels(&word);
    indo_aryan::phones(&word, &Assamese { raised })
}

/// Replaces the apostrophe of অ' with the sign of the short o, and that of ে' with the sign of the short e. The akshara
/// parser accepts these signs in any script: ল'ৰা. An apostrophe after another vowel sign has no effect.
fn with_raised_vowels(word: &str) -> String {
    let mut letters = String::with_capacity(word.len());
    for c in word.chars() {
        if !matches!(c, '\'' | '’' | 'ʼ') {
            letters.push(c);
        } else if letters.ends_with('অ') {
            letters.pop();
            letters.push('ऒ');
        } else if letters.ends_with('ে') {
            letters.pop();
            letters.push('ॆ');
        } else if letters.ends_with(crate::akshara::is_letter) {
            letters.push('ॊ');
        }
    }
    letters
}

/// Returns for each akshara whether its vowel is raised by the next syllable.
fn raised_vowels(word: &Word) -> Vec<bool> {
    let count = word.aksharas.len();
    let mut raised = vec![false; count];
    for i in (0..count).rev() {
        let next = (i + 1..count).find(|&next| word.vowel(next).is_some());
        let Some((next, vowel)) = next.and_then(|next| Some((next, word.vowel(next)?))) else { continue };
        let high = has_epenthesis(word, next)
            || matches!(vowel, Vowel::I | Vowel::Ii | Vowel::U | Vowel::Uu | Vowel::VocalicR);
        let nasal = next == i + 1
            && matches!(
                word.aksharas[next].consonants.as_slice(),
                [Consonant::Nga | Consonant::Nya | Consonant::Nna | Consonant::Na | Consonant::Ma]
            );
        // a silent vowel marks the end of a morpheme, which the raising does not cross: ঘৰটি
        let apart = word.silent[i + 1..next].contains(&true);
        raised[i] = matches!(word.vowel(i), Some(Vowel::A | Vowel::E | Vowel::O))
            && (high || raised[next])
            && !nasal
            && !apart;
    }
    raised
}

/// Returns whether the last inherent vowel of a word is spoken.
fn keeps_final(own: &Akshara, before: Option<&Akshara>) -> bool {
    use Consonant as C;
    let Some(before) = before else { return true };
    let vowel = before.nucleus;
    let after_i = matches!(vowel, Nucleus::Vowel(Vowel::I | Vowel::Ii));
    // after most consonants, the vowel is spoken if a vocalic r precedes them: মৃত, গৃহ
    let vocalic = matches!(vowel, Nucleus::Vowel(Vowel::VocalicR));
    match own.consonants.as_slice() {
        cluster @ [_, _, ..] => !closes_word(cluster, before),
        // the vowel after ব is spoken in verbs (কৰিব, যাব, হ'ব), but not in nouns (অভাব, চাহাব, জবাব, পঞ্জাব)
        [C::Ba] => match vowel {
            Nucleus::Vowel(Vowel::I | Vowel::ShortO) => true,
            Nucleus::Vowel(Vowel::Aa) => {
                !matches!(before.consonants.as_slice(), [C::Bha | C::Ha | C::Ba | C::Dda] | [_, _, ..])
            }
            _ => vocalic,
        },
        // the vowel after য় is spoken if i precedes it: কিয়, জাতীয়
        [C::Yya] => after_i,
        // the vowel is spoken after these consonants if ং precedes them: অংশ, সিংহ, সংঘ
        [C::Sha | C::Sa | C::Ha | C::Ga | C::Gha | C::Kha] => before.anusvara || vocalic || before.visarga,
        // the vowel is spoken in Sanskrit words (অংক), but not in English words (বেংক, লিংক)
        [C::Ka] if before.anusvara => vowel == Nucleus::Inherent || before.independent,
        // the vowel is spoken after a diphthong: বৈধ, মৌন
        [C::Dha | C::Na | C::Nna] if matches!(vowel, Nucleus::Vowel(Vowel::Ai | Vowel::Au)) => true,
        // the vowel after ঢ় is spoken unless an inherent vowel precedes it: গাঢ়
        [C::Rdha] => vowel != Nucleus::Inherent,
        _ => vocalic || before.visarga,
    }
}

/// Returns whether the inherent vowel after a final cluster is silent, as in English words: টেষ্ট, পাৰ্ক, ছেকেণ্ড. In
/// Sanskrit words, the same clusters follow other vowels: কষ্ট, তৰ্ক, খণ্ড.
fn closes_word(cluster: &[Consonant], before: &Akshara) -> bool {
    use Consonant as C;
    let after = before.nucleus;
    let open = matches!(after, Nucleus::Vowel(Vowel::Aa | Vowel::E | Vowel::ShortO | Vowel::O));
    match cluster {
        [C::Nna | C::Na | C::Ra | C::La | C::Pa | C::Ka | C::Pha | C::Sa | C::Cha, C::Tta]
        | [C::Ra | C::La | C::Na, C::Dda]
        | [C::La | C::Ra, C::Pha | C::Ca | C::Cha]
        | [C::La, C::Ma] => true,
        // silent after আ, এ, ও or an independent vowel letter: ফাণ্ড, ছেকেণ্ড, পাউণ্ড
        [C::Nna, C::Dda] => open || before.independent,
        // silent after আ (চান্দ, বান্ধ), but not after the inherent vowel (আনন্দ, গন্ধ)
        [C::Na, C::Da | C::Dha] => after == Nucleus::Vowel(Vowel::Aa),
        [C::Ssa, C::Tta]
        | [C::Nya, C::Ca]
        | [C::Ra, C::Ma | C::Ka | C::Pa | C::Ja]
        | [C::Ma, C::Pa]
        | [C::Ka, C::Sa | C::Cha] => open,
        [C::Nga, C::Ka] => open || matches!(after, Nucleus::Vowel(Vowel::I)),
        _ => false,
    }
}

/// Pronunciation of one word.
struct Assamese {
    /// `true` for each akshara with a raised vowel.
    raised: Vec<bool>,
}

impl Sounds for Assamese {
    fn consonants(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        let letters = word.aksharas[i].consonants.as_slice();
        if has_epenthesis(word, i) {
            phones.push(Phone::new(Symbol::I));
        }
        let start = phones.len();
        for (place, &letter) in letters.iter().enumerate() {
            match sound(word, i, place, letter) {
                Sound::One(symbol) => push(phones, symbol),
                Sound::Two(symbol, then) => {
                    push(phones, symbol);
                    push(phones, then);
                }
                Sound::Lengthens => lengthen(phones.last_mut()),
                Sound::Silent => {}
            }
        }
        // the visarga doubles the next consonant: দুঃখ
        if i > 0 && word.aksharas[i - 1].visarga {
            lengthen(phones.get_mut(start));
        }
    }

    fn vowel(&self, word: &Word, i: usize, vowel: Vowel, phones: &mut Vec<Phone>) {
        let final_letter = i > 0 && i + 1 == word.aksharas.len() && word.aksharas[i].independent;
        let symbols: &[Symbol] = match vowel {
            // a final অ stands for অ', because an apostrophe at the end is not part of the word: ভিডিঅ, ৰেডিঅ
            Vowel::A if final_letter => &[Symbol::O],
            Vowel::A if begins_with_ya(word, i) => &[if self.raised[i] { Symbol::E } else { Symbol::OpenE }],
            Vowel::A if self.raised[i] => &[Symbol::O],
            Vowel::A | Vowel::CandraO => &[Symbol::OpenO],
            Vowel::Aa => &[Symbol::A],
            Vowel::I | Vowel::Ii => &[Symbol::I],
            Vowel::U | Vowel::Uu => &[Symbol::U],
            Vowel::VocalicR | Vowel::VocalicRr => &[Symbol::Ar, Symbol::I],
            Vowel::VocalicL => &[Symbol::L, Symbol::I],
            Vowel::E if self.raised[i] => &[Symbol::E],
            Vowel::E => &[Symbol::OpenE],
            Vowel::ShortE => &[Symbol::E],
            Vowel::CandraE => &[Symbol::Ae],
            Vowel::Ai => &[Symbol::O, Symbol::I],
            Vowel::O if self.raised[i] => &[Symbol::U],
            Vowel::O => &[Symbol::UShort],
            Vowel::ShortO => &[Symbol::O],
            Vowel::Au => &[Symbol::O, Symbol::U],
        };
        phones.extend(symbols.iter().copied().map(Phone::new));
    }

    /// Nasalises the vowel for ঁ, and appends ŋ for ং.
    fn nasal_before(&self, _next: Symbol, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        self.final_nasal(word, i, phones);
    }

    fn final_nasal(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        if word.aksharas[i].candrabindu {
            nasal::nasalise_last(phones);
        }
        if word.aksharas[i].anusvara {
            phones.push(Phone::new(Symbol::Ng));
        }
    }

    /// Appends nothing: the visarga has no sound of its own, but lengthens the next consonant.
    fn visarga(&self, _word: &Word, _i: usize, _phones: &mut Vec<Phone>) {}
}

/// Sound of a consonant letter.
enum Sound {
    /// One phone.
    One(Symbol),
    /// Two phones.
    Two(Symbol, Symbol),
    /// The letter makes the preceding consonant long.
    Lengthens,
    /// No sound.
    Silent,
}

/// Returns the sound of the consonant letter at `place` of the akshara at `i`.
fn sound(word: &Word, i: usize, place: usize, letter: Consonant) -> Sound {
    use Consonant as C;
    let letters = word.aksharas[i].consonants.as_slice();
    let above = place.checked_sub(1).map(|above| letters[above]);
    let below = letters.get(place + 1).copied();
    match letter {
        C::Ka if below == Some(C::Ssa) => Sound::One(Symbol::Kh),
        C::Ssa if above == Some(C::Ka) => {
            let open = matches!(word.vowel(i), Some(Vowel::A | Vowel::Aa | Vowel::CandraO | Vowel::O));
            let last = below.is_none_or(|below| below == C::Ya);
            if open && last { Sound::One(Symbol::Y) } else { Sound::Silent }
        }
        C::Ja if below == Some(C::Nya) => Sound::One(Symbol::G),
        C::Nya if above == Some(C::Ja) => Sound::One(Symbol::Y),
        C::Nya if letters.len() == 1 => Sound::One(Symbol::Y),
        C::Nya => Sound::One(Symbol::N),
        // হ above য is pronounced z: সহ্য
        C::Ha if below == Some(C::Ya) => Sound::One(Symbol::Z),
        C::Ya => joined_ya(word, i, place),
        C::Sha | C::Ssa | C::Sa => {
            Sound::One(if is_alveolar_sibilant(word, i, place) { Symbol::S } else { Symbol::X })
        }
        C::Ba => match above {
            // ব after the prefix উদ্- is pronounced b: উদ্বোধন
            Some(C::Da) if begins_ud(word, i) => Sound::One(Symbol::B),
            None | Some(C::Ma | C::Ba | C::Ra | C::La | C::Dda | C::Ga) => Sound::One(Symbol::B),
            // after a vowel, ব lengthens a single consonant above it (বিশ্ব, মহত্ব); otherwise, ব is silent (স্বাধীন,
            // তত্ত্ব)
            Some(_) if place == 1 && follows_vowel(word, i) => Sound::Lengthens,
            Some(_) => Sound::Silent,
        },
        C::Rdha => Sound::Two(Symbol::Ar, Symbol::H),
        other => Sound::One(plain(other)),
    }
}

/// Returns the sound of য at `place` of the akshara at `i`. Below a single consonant, য makes that consonant long if a
/// vowel precedes (সত্য xoitːɔ), and only changes the vowel at the beginning of a word (ব্যৱহাৰ bɛwɔɦaɹ).
fn joined_ya(word: &Word, i: usize, place: usize) -> Sound {
    use Consonant as C;
    let letters = word.aksharas[i].consonants.as_slice();
    match letters[..place] {
        [] | [C::Ra] => Sound::One(Symbol::Z),
        // কাৰ্য্য is an older spelling of কাৰ্য
        [.., C::Ra, C::Ya] | [.., C::Ka, C::Ssa] => Sound::Silent,
        [_] if follows_vowel(word, i) => Sound::Lengthens,
        [_] if i == 0 && word.vowel(i) == Some(Vowel::A) => Sound::Silent,
        _ => Sound::One(Symbol::Y),
    }
}

/// Returns whether an i is pronounced before the akshara at `i`, whose joined য was once palatal: অন্য oinːɔ (Kakati
/// 1941).
fn has_epenthesis(word: &Word, i: usize) -> bool {
    let joined = matches!(word.aksharas[i].consonants[..], [above, Consonant::Ya] if above != Consonant::Ra);
    let Some(before) = i.checked_sub(1) else { return false };
    let back = matches!(
        word.vowel(before),
        Some(Vowel::A | Vowel::Aa | Vowel::U | Vowel::Uu | Vowel::O | Vowel::ShortO)
    );
    joined && back && !word.aksharas[before].anusvara
}

/// Returns whether the word begins with a consonant and joined য at `i`, whose inherent vowel is then pronounced ɛ or
/// e.
fn begins_with_ya(word: &Word, i: usize) -> bool {
    i == 0 && matches!(word.aksharas[i].consonants[..], [_, Consonant::Ya])
}

/// Returns the sound of a consonant letter whose sound does not depend on its context.
fn plain(letter: Consonant) -> Symbol {
    use Consonant as C;
    match letter {
        C::Ca | C::Cha | C::DottedSa => Symbol::S,
        C::Ja | C::Jha | C::Za => Symbol::Z,
        C::Ta | C::Tta => Symbol::AlvT,
        C::Da | C::Dda => Symbol::AlvD,
        C::Ttha => Symbol::Th,
        C::Ddha => Symbol::Dh,
        C::Nna => Symbol::N,
        C::Ra | C::Rra | C::Rda => Symbol::Ar,
        C::Va | C::Wa => Symbol::W,
        C::Fa => Symbol::Ph,
        other => letters::consonant(other),
    }
}

/// Returns whether শ ষ স are pronounced s: above another consonant except য, below another consonant except r and l,
/// and after ৎ.
fn is_alveolar_sibilant(word: &Word, i: usize, place: usize) -> bool {
    use Consonant as C;
    let letters = word.aksharas[i].consonants.as_slice();
    let joined_above = letters.get(place + 1).is_some_and(|&below| below != C::Ya);
    let joined_below = place > 0 && !matches!(letters[place - 1], C::Ra | C::La);
    let after_t = place == 0
        && i > 0
        && word.aksharas[i - 1].nucleus == Nucleus::None
        && word.aksharas[i - 1].consonants.last() == Some(&C::Ta);
    joined_above || joined_below || after_t
}

/// Returns whether a vowel directly precedes the akshara at `i`.
fn follows_vowel(word: &Word, i: usize) -> bool {
    i > 0 && word.vowel(i - 1).is_some() && !word.aksharas[i - 1].anusvara
}

/// Returns whether the akshara at `i` ends the prefix উদ্-.
fn begins_ud(word: &Word, i: usize) -> bool {
    i == 1 && word.aksharas[0].consonants.is_empty() && word.vowel(0) == Some(Vowel::U)
}

/// Appends a consonant. A repeated consonant, or an aspirate after its plain stop, becomes one long consonant.
fn push(phones: &mut Vec<Phone>, symbol: Symbol) {
    let plain = match symbol {
        Symbol::Th => Some(Symbol::AlvT),
        Symbol::Dh => Some(Symbol::AlvD),
        _ => None,
    };
    match phones.last_mut() {
        Some(last) if plain == Some(last.symbol) && !last.long => *last = Phone::new(symbol).long(),
        _ => letters::push(phones, symbol),
    }
}

/// Makes a consonant long.
fn lengthen(phone: Option<&mut Phone>) {
    if let Some(phone) = phone
        && !phone.is_vowel()
    {
        phone.long = true;
    }
}
