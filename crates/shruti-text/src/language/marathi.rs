//! Marathi.
//!
//! The phonology follows Dhongde & Wali (2009). Schwa deletion works as in Hindi, but the inherent vowel is spoken
//! after a final cluster (पंख). Vowel length is not contrastive. च ज झ are pronounced ts dz dzʱ; before front vowels
//! and in Sanskrit and English words they are pronounced tʃ dʒ dʒʱ. ं before fricatives and glides is pronounced as a
//! nasal glide, close to ũ.

use std::sync::LazyLock;

use super::{LanguageSpec, Pronouncing, Romanisation};
use crate::akshara::{Akshara, Consonant, Nucleus, Vowel};
use crate::g2p::indo_aryan::{self, Sounds, Word};
use crate::g2p::learned::{Learned, has_learned_letters, is_english};
use crate::g2p::letters::{self, push};
use crate::g2p::morphemes::Morphemes;
use crate::g2p::nasal;
use crate::g2p::schwa::{self, SchwaContext};
use crate::g2p::stems::Stems;
use crate::g2p::vowels::{Vowels, short};
use crate::phone::{Phone, Symbol};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Devanagari,
    pronouncing: Pronouncing::ByRule(|word, _| pronounce(word)),
    stems: Some(|| &STEMS),
    allophones: None,
    tones: None,
    by_position: None,
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::Heaviest },
    name_vowels: &[(Symbol::IShort, Symbol::I), (Symbol::UShort, Symbol::U)],
    romanisation: Romanisation { short_e_and_o: false, final_schwa_falls: true, handicap: 2.0 },
    keywords: None,
};

static MORPHEMES: LazyLock<Morphemes> =
    LazyLock::new(|| Morphemes::read(crate::files::text!("mr/morphemes.toml")));

static STEMS: LazyLock<Stems> = LazyLock::new(|| Stems::read(crate::files::text!("mr/stems.tsv")));

static LEARNED: LazyLock<Learned> = LazyLock::new(|| Learned::read(crate::files::text!("mr/learned.txt")));

const RULES: schwa::Rules =
    schwa::Rules { keeps_final, keeps_inner: keeps_final, deletes, is_ending: is_participle };

const VOWELS: Vowels = Vowels {
    i: short(Symbol::I),
    u: short(Symbol::U),
    vocalic: short(Symbol::U),
    vocalic_long: short(Symbol::U),
    ai: &[short(Symbol::Schwa), short(Symbol::I)],
    au: &[short(Symbol::Schwa), short(Symbol::U)],
    ..indo_aryan::VOWELS
};

fn pronounce(written: &str) -> Vec<Phone> {
    let word = Word::parse(&STEMS.respell_apart(written), &MORPHEMES, &RULES);
    let learned = LEARNED.begins(written).unwrap_or_else(|| is_learned(&word.aksharas));
    let english = word.aksharas.iter().any(|akshara| is_english(akshara.nucleus));
    indo_aryan::phones(&word, &Marathi { learned, english })
}

fn keeps_final(akshara: &Akshara, before: Option<&Akshara>) -> bool {
    use Consonant::{Dda, Fa, Ga, Ha, Ka, La, Na, Pa, Pha, Ra, Sa, Tta, Va, Ya};
    match akshara.consonants.as_slice() {
        // there is no final vowel after य (केलंय) and after English v and sk: सेव्ह, सर्व्ह, डिस्क
        [Ya] | [.., Va, Ha] | [Sa, Ka] => return false,
        // there is no final vowel after English -ing: कोचिंग
        [Ga] if before.is_some_and(is_before_english_g) => return false,
        // there is no final vowel after -ंट, English or native (एजंट, उंट), or after English -ंड and -ंक
        [Tta] if before.is_some_and(|before| before.anusvara) => return false,
        [Dda] if before.is_some_and(is_before_english_d) => return false,
        [Ka] if before.is_some_and(is_before_english_k) => return false,
        // clusters that end in s, and most that end in ṭ and ḍ, are English: फ्रान्स, जेम्स, कोर्ट, पोस्ट
        cluster if schwa::ends_in_loan(cluster) => return false,
        [.., Ra | Sa | Ka | Pa | La | Na | Pha | Fa, Tta | Dda] => return false,
        _ => {}
    }
    if before.is_some_and(|before| is_english(before.nucleus) || is_neuter_particle(before, akshara)) {
        return false;
    }
    akshara.consonants.len() > 1 || before.is_some_and(|before| before.anusvara)
}

/// Returns whether an akshara may be the ending -त of a participle.
fn is_participle(akshara: &Akshara) -> bool {
    akshara.consonants[..] == [Consonant::Ta]
}

fn deletes(context: &SchwaContext<'_>) -> bool {
    let simple = context.is_simple()
        || context.own.consonants.len() == 1
            && (is_oblique(context) || context.begins_member() || is_before_english_v(context))
        || is_in_compound(context);
    // the vowel before the adverbial ending -तः is spoken: विशेषतः
    let adverb = context.last && context.after.visarga && context.after.consonants[..] == [Consonant::Ta];
    simple
        && !adverb
        && !is_feminine(context)
        && !is_before_ya(context)
        && (!context.before.anusvara || is_open_after_nasal(context))
}

/// Returns whether the context is the boundary between the members of an English compound, after a cluster: एक्सप्रेस,
/// हार्डवेअर, but not नक्सली and मास्टरने.
fn is_in_compound(context: &SchwaContext<'_>) -> bool {
    use Consonant::{Ka, La, Ma, Ra, Sa, Va, Ya};
    let after = context.after.consonants.as_slice();
    let own = context.own.consonants.as_slice();
    let joins = match own {
        [Ka, Sa] => after.len() == 1 && !matches!(after, [Ra | La | Va | Ya]),
        _ => schwa::ends_in_retroflex(own) && after.len() == 1 && !matches!(after, [Ra | Ma | Ya | Sa]),
    };
    joins || (own == [Ka, Sa] || schwa::ends_in_retroflex(own)) && context.begins_member()
}

/// Returns whether the akshara precedes व्ह with a vowel, which represents the single sound v in English words, and can
/// end a syllable before it: ड्रायव्हर, इनव्हर्टर, but not रिकव्हरी.
fn is_before_english_v(context: &SchwaContext<'_>) -> bool {
    use Consonant::{Ba, Dda, Ha, La, Na, Va, Ya};
    let closes = matches!(context.own.consonants[..], [Ya | Na | Dda | Ba | La]);
    closes && context.after.consonants[..] == [Va, Ha]
}

/// Returns whether the akshara precedes the oblique -yā of a stem: बातम्या, चमच्या, एवढ्या, but not समस्या.
fn is_oblique(context: &SchwaContext<'_>) -> bool {
    use Consonant::{Ca, Dda, Ddha, Ga, Ja, Ka, La, Lla, Ma, Nna, Ra, Rra, Tta, Ttha, Va, Ya};
    let letters = context.after.consonants.as_slice();
    let long_a = context.after.nucleus == Nucleus::Vowel(Vowel::Aa);
    context.last
        && long_a
        && matches!(
            letters,
            [Ca | Dda | Ddha | Ga | Ja | Ka | La | Lla | Ma | Nna | Ra | Rra | Tta | Ttha | Va, Ya]
        )
}

/// Returns whether the context is -ालया-, the oblique of -ालय: कार्यालयाकडे.
fn is_before_ya(context: &SchwaContext<'_>) -> bool {
    let long_a = |akshara: &Akshara| akshara.nucleus == Nucleus::Vowel(Vowel::Aa);
    let letters =
        context.own.consonants[..] == [Consonant::La] && context.after.consonants[..] == [Consonant::Ya];
    letters && long_a(context.before) && long_a(context.after)
}

/// Returns whether an akshara precedes the d of English -end, -land and -ound: ट्रेंड, थायलंड, साउंड, but not दंड.
fn is_before_english_d(akshara: &Akshara) -> bool {
    let land = akshara.consonants[..] == [Consonant::La] && akshara.nucleus == Nucleus::Inherent;
    let front = akshara.nucleus == Nucleus::Vowel(Vowel::E);
    akshara.anusvara && (land || front || akshara.consonants.is_empty())
}

/// Returns whether an akshara precedes the k of English -ink: ड्रिंक, but not अंक.
fn is_before_english_k(akshara: &Akshara) -> bool {
    akshara.anusvara && akshara.nucleus == Nucleus::Vowel(Vowel::I)
}

/// Returns whether an akshara precedes the g of English -ing, in a word other than लिंग.
fn is_before_english_g(akshara: &Akshara) -> bool {
    let short_i = akshara.nucleus == Nucleus::Vowel(Vowel::I);
    akshara.anusvara && short_i && akshara.consonants[..] != [Consonant::La]
}

/// Returns whether the context is the feminine ending -vatī after ā or a cluster: अमरावती, भाग्यवती, but not पावती and
/// धावती.
fn is_feminine(context: &SchwaContext<'_>) -> bool {
    use Consonant::{Ta, Va};
    let long_a = context.before.nucleus == Nucleus::Vowel(Vowel::Aa);
    let cluster = context.before.nucleus == Nucleus::Inherent && context.before.consonants.len() > 1;
    let ti = context.after.consonants[..] == [Ta] && context.after.nucleus == Nucleus::Vowel(Vowel::Ii);
    context.last && !context.first && (long_a || cluster) && context.own.consonants[..] == [Va] && ti
}

/// Returns whether the vowel can be deleted after a consonant that follows ं, so that the nasal, its stop and the next
/// consonant are adjacent: चांगला, पिंजरा.
fn is_open_after_nasal(context: &SchwaContext<'_>) -> bool {
    use Consonant::{Ga, Ka, Ma, Na, Nna};
    let is_nasal = |akshara: &Akshara| matches!(akshara.consonants.first(), Some(Na | Nna | Ma));
    // the vowel after a nasal consonant is kept: संमती
    if is_nasal(context.own) {
        return false;
    }
    // the vowel between equal consonants is kept: शांतता
    if context.own.consonants == context.after.consonants {
        return false;
    }
    let not_nasal = !is_nasal(context.after);
    // verbs in -ंगणे keep the vowel
    let first = context.own.consonants.first();
    first == Some(&Ka) || not_nasal && (context.last || first == Some(&Ga))
}

/// Returns whether an akshara is the ending -चा or -चं, whose च has the native sound ts even after learned words:
/// राजाचा, राज्याचं.
fn is_genitive(akshara: &Akshara) -> bool {
    let ends = akshara.nucleus == Nucleus::Vowel(Vowel::Aa)
        || akshara.nucleus == Nucleus::Inherent && akshara.anusvara;
    akshara.consonants[..] == [Consonant::Ca] && ends
}

/// Returns whether the last two aksharas of a word are the neuter ending -ं and the particle -च: मुलंच, तसंच, but not
/// सरपंच and रंगमंच. The ं is then silent, as it is at the end of the word without the particle.
fn is_neuter_particle(before: &Akshara, last: &Akshara) -> bool {
    use Consonant::{Ca, Ma, Pa};
    let neuter = before.nucleus == Nucleus::Inherent && before.anusvara;
    let noun = matches!(before.consonants[..], [Pa | Ma]);
    neuter && !noun && last.consonants[..] == [Ca] && last.nucleus == Nucleus::Inherent && !last.anusvara
}

/// Returns whether a word ends in the particle -च after a case ending or English -ing: जनतेलाच, समाजासाठीच, कोचिंगच, but
/// not सँडविच. The particle has the native sound ts even after learned words.
fn ends_in_particle(aksharas: &[Akshara]) -> bool {
    use Consonant::{Ca, La, Lla, Na, Ra, Ttha, Va};
    let [_, .., before, ending, last] = aksharas else { return false };
    let bare = last.nucleus == Nucleus::Inherent && !last.anusvara;
    let vowel = matches!(ending.nucleus, Nucleus::Vowel(Vowel::Aa | Vowel::Ii | Vowel::E));
    let case = vowel && matches!(ending.consonants[..], [Ca | La | Lla | Na | Ttha]);
    let ing = ending.consonants[..] == [Consonant::Ga] && is_before_english_g(before);
    let other = ing || is_neuter_particle(ending, last);
    // the postposition -वर with the particle: -वरच
    let on = before.consonants[..] == [Va] && ending.consonants[..] == [Ra];
    last.consonants[..] == [Ca] && bare && (case || other || on && ending.nucleus == Nucleus::Inherent)
}

/// Returns whether the letters of a word indicate that it is Sanskrit or English.
fn is_learned(aksharas: &[Akshara]) -> bool {
    // a final cluster with y may be an oblique ending, which native words also have: जवळच्या
    has_learned_letters(aksharas, |i| i > 0 && i + 1 == aksharas.len())
}

/// Pronunciation of one word.
struct Marathi {
    /// `true` if the word is Sanskrit or English, so that its च and ज are palatal before every vowel.
    learned: bool,
    /// `true` if the word has a vowel sign that occurs in English words only, so that its झ is z.
    english: bool,
}

impl Marathi {
    /// Returns whether the akshara at `i` has the palatals of a learned word.
    fn is_learned(&self, word: &Word, i: usize) -> bool {
        let particle = ends_in_particle(&word.aksharas);
        let last = word.aksharas.len() - 1;
        let genitive = i + usize::from(particle) == last && is_genitive(&word.aksharas[i]);
        self.learned && !(i > 1 && (genitive || particle && i == last))
    }
}

impl Sounds for Marathi {
    fn consonants(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        let akshara = &word.aksharas[i];
        // व्ह without a vowel represents English v: ड्राइव्ह, सर्व्ह
        let english_v =
            matches!(akshara.consonants[..], [.., Consonant::Va, Consonant::Ha]) && word.vowel(i).is_none();
        for place in 0..akshara.consonants.len() - usize::from(english_v) {
            if self.english && akshara.consonants[place] == Consonant::Jha {
                push(phones, Symbol::Z);
                continue;
            }
            push(phones, sound(akshara, place, self.is_learned(word, i)));
            // ज्ञ is pronounced d̪nj
            if place > 0 && akshara.consonants[place - 1..=place] == [Consonant::Ja, Consonant::Nya] {
                push(phones, Symbol::Y);
            }
        }
    }

    /// Appends the vowel. A ँ on the inherent vowel can also represent ॅ: बँक.
    fn vowel(&self, word: &Word, i: usize, vowel: Vowel, phones: &mut Vec<Phone>) {
        let open = vowel == Vowel::A && word.aksharas[i].candrabindu;
        indo_aryan::push_vowel(phones, &VOWELS, if open { Vowel::CandraE } else { vowel });
    }

    /// Appends the nasal that ं represents: before a stop, the nasal with the place of articulation that the stop has
    /// in Marathi; before m or n, the same nasal; before other consonants, a nasal glide.
    fn nasal_before(&self, _next: Symbol, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        let next = &word.aksharas[i + 1];
        // ं before a final य is silent: केलंय
        if i + 2 == word.aksharas.len()
            && next.consonants[..] == [Consonant::Ya]
            && next.nucleus == Nucleus::Inherent
        {
            return;
        }
        if i + 2 == word.aksharas.len() && is_neuter_particle(&word.aksharas[i], next) {
            return;
        }
        // ं nasalises ऐ: ऐंशी
        if word.aksharas[i].nucleus == Nucleus::Vowel(Vowel::Ai) {
            return nasal::nasalise_last(phones);
        }
        let symbol = sound(next, 0, self.is_learned(word, i + 1));
        let nasal = match symbol {
            stop if nasal::is_plosive(stop) => Phone::new(nasal::homorganic(stop)),
            Symbol::M | Symbol::N => Phone::new(symbol),
            _ => Phone { nasal: true, ..Phone::new(Symbol::U) },
        };
        phones.push(nasal);
    }

    /// Appends nothing: a final ं is silent and only marks a former nasal vowel: केलं.
    fn final_nasal(&self, _word: &Word, _i: usize, _phones: &mut Vec<Phone>) {}
}

/// Returns the sound of one consonant of an akshara.
fn sound(akshara: &Akshara, place: usize, learned: bool) -> Symbol {
    let front = matches!(
        akshara.nucleus,
        Nucleus::Vowel(Vowel::I | Vowel::Ii | Vowel::E | Vowel::Ai | Vowel::VocalicR | Vowel::CandraE)
    );
    let after = akshara.consonants.get(place + 1);
    // a following य makes च and ज palatal (त्याच्या), but not झ (माझ्या)
    let before_ya = after == Some(&Consonant::Ya) && akshara.consonants[place] != Consonant::Jha;
    let palatal = learned || front || before_ya;
    match akshara.consonants[place] {
        Consonant::Ja if after == Some(&Consonant::Nya) => Symbol::D,
        Consonant::Nya if place > 0 => Symbol::N,
        Consonant::Ca if !palatal => Symbol::Ts,
        Consonant::Ja if !palatal => Symbol::Dz,
        Consonant::Jha if !palatal => Symbol::Dzh,
        Consonant::Rra => Symbol::R,
        letter => letters::consonant(letter),
    }
}
