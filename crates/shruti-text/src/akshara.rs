//! Parser that splits a word in any Brahmic script into aksharas.
//!
//! An akshara is one unit of writing: consonants joined by viramas, at most one vowel, and the signs on them. The
//! parser represents letters independently of the script, so that the rules of each language are separate from the
//! letter shapes.

use smallvec::{SmallVec, smallvec};

use crate::script::Script;

/// Consonant letter. Most variants have the Unicode name of the Devanagari letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the Unicode standard")]
pub enum Consonant {
    Ka,
    Kha,
    Ga,
    Gha,
    Nga,
    Ca,
    Cha,
    Ja,
    Jha,
    Nya,
    Tta,
    Ttha,
    Dda,
    Ddha,
    Nna,
    Ta,
    Tha,
    Da,
    Dha,
    Na,
    /// Tamil ன, Malayalam ഩ, Devanagari ऩ.
    Nnna,
    Pa,
    Pha,
    Ba,
    Bha,
    Ma,
    Ya,
    Ra,
    /// Tamil ற, Malayalam റ, Telugu ఱ, Devanagari ऱ.
    Rra,
    La,
    Lla,
    /// Tamil ழ, Malayalam ഴ.
    Llla,
    Va,
    Sha,
    Ssa,
    Sa,
    Ha,
    Qa,
    Khha,
    Ghha,
    Za,
    /// ड़.
    Rda,
    /// ढ़.
    Rdha,
    Fa,
    /// Bengali য়, Odia ୟ.
    Yya,
    /// Odia ୱ, Assamese ৱ.
    Wa,
    /// Telugu ౘ.
    Tsa,
    /// Telugu ౙ.
    Dza,
    /// Bengali স়, which is always pronounced s; plain স can be pronounced ʃ.
    DottedSa,
}

/// Vowel, written as a letter or as a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the Unicode standard")]
pub enum Vowel {
    A,
    Aa,
    I,
    Ii,
    U,
    Uu,
    VocalicR,
    VocalicRr,
    VocalicL,
    /// ऍ, ॲ, ॅ.
    CandraE,
    /// Short e of the Dravidian scripts.
    ShortE,
    E,
    Ai,
    /// ऑ, ॉ.
    CandraO,
    /// Short o of the Dravidian scripts.
    ShortO,
    O,
    Au,
}

/// Nucleus of an akshara: its vowel, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nucleus {
    /// No vowel is written. The akshara has the inherent vowel, which the rules of the language may delete.
    Inherent,
    /// A vowel sign, or a vowel letter if there are no consonants.
    Vowel(Vowel),
    /// A virama or a chillu: no vowel.
    None,
}

/// Consonants of an akshara. Up to eight are stored without a heap allocation; few aksharas have more.
pub type Cluster = SmallVec<[Consonant; 8]>;

/// Akshara: one unit of writing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a sign that is written or not")]
pub struct Akshara {
    /// Consonants in spoken order; empty for an independent vowel.
    pub consonants: Cluster,
    /// Vowel of the akshara.
    pub nucleus: Nucleus,
    /// `true` if the akshara has ं or a Gurmukhi tippi.
    pub anusvara: bool,
    /// `true` if the akshara has ँ.
    pub candrabindu: bool,
    /// `true` if the akshara has ः or a Tamil aytham that does not change the sound of the next letter.
    pub visarga: bool,
    /// `true` if the akshara has a Gurmukhi addak: the next consonant is geminate.
    pub addak: bool,
    /// `true` if the vowel is an independent letter (अ आ इ), not a sign on a consonant.
    pub independent: bool,
}

impl Akshara {
    fn new(consonants: Cluster, nucleus: Nucleus) -> Self {
        let independent = consonants.is_empty();
        Self {
            consonants,
            nucleus,
            anusvara: false,
            candrabindu: false,
            visarga: false,
            addak: false,
            independent,
        }
    }
}

enum Sign {
    Consonant(Consonant),
    /// A consonant that never carries a vowel: Malayalam chillu, Bengali ৎ.
    Dead(Consonant),
    Letter(Vowel),
    Matra(Vowel),
    /// Gurmukhi ੲ or ੳ, a letter that only carries a vowel sign.
    Bearer(Vowel),
    Virama,
    Nukta,
    Anusvara,
    Candrabindu,
    Visarga,
    /// Tamil ஃ. Before ப and ஜ it changes their sound; in all other contexts it counts as a visarga.
    Aytham,
    Addak,
    Ignored,
}

#[allow(clippy::enum_glob_use, reason = "a table")]
const CONSONANTS: [Consonant; 37] = {
    use Consonant::*;
    [
        Ka, Kha, Ga, Gha, Nga, Ca, Cha, Ja, Jha, Nya, Tta, Ttha, Dda, Ddha, Nna, Ta, Tha, Da, Dha, Na, Nnna,
        Pa, Pha, Ba, Bha, Ma, Ya, Ra, Rra, La, Lla, Llla, Va, Sha, Ssa, Sa, Ha,
    ]
};

#[allow(clippy::enum_glob_use, reason = "a table")]
const VOWELS: [Vowel; 16] = {
    use Vowel::*;
    [A, Aa, I, Ii, U, Uu, VocalicR, VocalicL, CandraE, ShortE, E, Ai, CandraO, ShortO, O, Au]
};

#[allow(clippy::enum_glob_use, clippy::match_same_arms, reason = "a table, in the order of the blocks")]
/// Returns the sign that a character represents, or `None` if it is not in a Brahmic block. Patterns with `_` are
/// offsets that have the same meaning in several blocks.
fn sign(c: char) -> Option<Sign> {
    use Sign::*;
    let script = Script::of(c)?;
    let place = (c as u32).checked_sub(script.block()?)? as usize;
    let sign = match (script, place) {
        (Script::Bengali, 0x4E) => Dead(self::Consonant::Ta),
        (Script::Bengali, 0x70) => Consonant(self::Consonant::Ra),
        (Script::Bengali | Script::Odia, 0x71) => Consonant(self::Consonant::Wa),
        (Script::Gurmukhi, 0x70) => Anusvara,
        (Script::Gurmukhi, 0x71) => Addak,
        (Script::Gurmukhi, 0x72) => Bearer(Vowel::I),
        (Script::Gurmukhi, 0x73) => Bearer(Vowel::U),
        (Script::Gurmukhi, 0x75) => Consonant(self::Consonant::Ya),
        (Script::Telugu, 0x58) => Consonant(self::Consonant::Tsa),
        (Script::Telugu, 0x59) => Consonant(self::Consonant::Dza),
        (Script::Kannada, 0x5E) => Consonant(self::Consonant::Llla),
        (Script::Malayalam, 0x4E) => Dead(self::Consonant::Ra),
        (Script::Malayalam, 0x54) => Dead(self::Consonant::Ma),
        (Script::Malayalam, 0x55) => Dead(self::Consonant::Ya),
        (Script::Malayalam, 0x56) => Dead(self::Consonant::Llla),
        (Script::Malayalam, 0x7A) => Dead(self::Consonant::Nna),
        (Script::Malayalam, 0x7B) => Dead(self::Consonant::Na),
        (Script::Malayalam, 0x7C) => Dead(self::Consonant::Ra),
        (Script::Malayalam, 0x7D) => Dead(self::Consonant::La),
        (Script::Malayalam, 0x7E) => Dead(self::Consonant::Lla),
        (Script::Malayalam, 0x7F) => Dead(self::Consonant::Ka),
        (Script::Devanagari, 0x04) => Letter(Vowel::A),
        (Script::Devanagari, 0x72) => Letter(Vowel::CandraE),
        (Script::Devanagari, 0x73 | 0x74) => Letter(Vowel::O),
        (Script::Devanagari, 0x75) => Letter(Vowel::Au),
        (Script::Devanagari, 0x7B) => Consonant(self::Consonant::Ga),
        (Script::Devanagari, 0x7C) => Consonant(self::Consonant::Ja),
        (Script::Devanagari, 0x7E) => Consonant(self::Consonant::Dda),
        (Script::Devanagari, 0x7F) => Consonant(self::Consonant::Ba),
        (Script::Devanagari, 0x00) => Candrabindu,
        (_, 0x01) => Candrabindu,
        (_, 0x02) => Anusvara,
        (Script::Tamil, 0x03) => Aytham,
        (_, 0x03) => Visarga,
        (_, 0x05..=0x14) => Letter(VOWELS[place - 0x05]),
        (_, 0x15..=0x39) => Consonant(CONSONANTS[place - 0x15]),
        (_, 0x3C) => Nukta,
        (_, 0x3E) => Matra(Vowel::Aa),
        (_, 0x3F) => Matra(Vowel::I),
        (_, 0x40) => Matra(Vowel::Ii),
        (_, 0x41) => Matra(Vowel::U),
        (_, 0x42) => Matra(Vowel::Uu),
        (_, 0x43) => Matra(Vowel::VocalicR),
        (_, 0x44) => Matra(Vowel::VocalicRr),
        (_, 0x45) => Matra(Vowel::CandraE),
        (_, 0x46) => Matra(Vowel::ShortE),
        (_, 0x47) => Matra(Vowel::E),
        (_, 0x48) => Matra(Vowel::Ai),
        (_, 0x49) => Matra(Vowel::CandraO),
        (_, 0x4A) => Matra(Vowel::ShortO),
        (_, 0x4B) => Matra(Vowel::O),
        (_, 0x4C | 0x57) => Matra(Vowel::Au),
        (_, 0x4D) => Virama,
        (_, 0x58) => Consonant(self::Consonant::Qa),
        (_, 0x59) => Consonant(self::Consonant::Khha),
        (_, 0x5A) => Consonant(self::Consonant::Ghha),
        (_, 0x5B) => Consonant(self::Consonant::Za),
        (_, 0x5C) => Consonant(self::Consonant::Rda),
        (_, 0x5D) => Consonant(self::Consonant::Rdha),
        (_, 0x5E) => Consonant(self::Consonant::Fa),
        (_, 0x5F) => Consonant(self::Consonant::Yya),
        (_, 0x60) => Letter(Vowel::VocalicRr),
        (_, 0x61) => Letter(Vowel::VocalicL),
        (_, 0x62 | 0x63) => Matra(Vowel::VocalicL),
        _ => Ignored,
    };
    Some(sign)
}

/// Returns the letter with a nukta; letters without a nukta form are returned unchanged.
#[allow(clippy::enum_glob_use, reason = "a table")]
fn with_nukta(consonant: Consonant, script: Script) -> Consonant {
    use Consonant::*;
    match consonant {
        Ka => Qa,
        Kha => Khha,
        Ga => Ghha,
        Ja => Za,
        Dda => Rda,
        Ddha => Rdha,
        Pha => Fa,
        Ya => Yya,
        Na => Nnna,
        Ra => Rra,
        // Gurmukhi writes ਲ਼ and ਸ਼ with the nukta; other scripts have separate letters for these sounds
        La if script == Script::Gurmukhi => Lla,
        Sa if script == Script::Gurmukhi => Sha,
        Sa if script == Script::Bengali => DottedSa,
        Lla => Llla,
        other => other,
    }
}

/// Returns the consonant that a letter represents after an aytham: ஃப represents f, and ஃஜ represents z.
fn with_aytham(consonant: Consonant) -> Consonant {
    match consonant {
        Consonant::Pa => Consonant::Fa,
        Consonant::Ja => Consonant::Za,
        other => other,
    }
}

/// Splits a word in any Brahmic script into aksharas. Characters of other scripts are skipped.
pub fn parse(word: &str) -> Vec<Akshara> {
    // most aksharas consist of a letter and a sign, each three bytes long
    let mut aksharas: Vec<Akshara> = Vec::with_capacity(word.len().div_ceil(6));
    // `true` if a virama joins the last akshara to the next letter
    let mut joining = false;
    // vowel that was typed before that virama and belongs after the next consonant
    let mut typed_before = None;
    let mut chars = word.chars().peekable();
    // `true` if an aytham precedes the next letter
    let mut aytham = false;
    while let Some(c) = chars.next() {
        if c == '\u{200c}' {
            joining = false;
            continue;
        }
        let Some(sign) = sign(c) else { continue };
        let script = Script::of(c).unwrap_or(Script::Devanagari);
        match sign {
            Sign::Consonant(mut consonant) => {
                if chars.peek().copied().is_some_and(is_nukta) {
                    chars.next();
                    consonant = with_nukta(consonant, script);
                }
                if std::mem::take(&mut aytham) {
                    consonant = with_aytham(consonant);
                }
                match aksharas.last_mut() {
                    Some(last) if joining => {
                        last.consonants.push(consonant);
                        last.nucleus = typed_before.take().unwrap_or(Nucleus::Inherent);
                    }
                    _ => aksharas.push(Akshara::new(smallvec![consonant], Nucleus::Inherent)),
                }
                joining = false;
            }
            Sign::Dead(consonant) => {
                aksharas.push(Akshara::new(smallvec![consonant], Nucleus::None));
                joining = false;
            }
            Sign::Letter(vowel) | Sign::Bearer(vowel) => {
                aksharas.push(Akshara::new(Cluster::new(), Nucleus::Vowel(vowel)));
                joining = false;
            }
            Sign::Matra(vowel) => {
                match aksharas.last_mut() {
                    // a sign after a vowel letter replaces the vowel, as on the Gurmukhi bearers and in অ্যা
                    Some(last) if last.nucleus != Nucleus::None || joining => {
                        last.nucleus = Nucleus::Vowel(vowel);
                    }
                    _ => aksharas.push(Akshara::new(Cluster::new(), Nucleus::Vowel(vowel))),
                }
                joining = false;
            }
            Sign::Virama => {
                // Malayalam ു് spells the samvruthokaram, like a virama alone, and does not join the next letter
                let Some(last) = aksharas.last_mut() else { continue };
                if script == Script::Malayalam && matches!(last.nucleus, Nucleus::Vowel(Vowel::U)) {
                    last.nucleus = Nucleus::None;
                    continue;
                }
                let has_consonant = !last.consonants.is_empty();
                // older keyboards type ਗਿ੍ਰ for ਗ੍ਰਿ
                let i = script == Script::Gurmukhi && last.nucleus == Nucleus::Vowel(Vowel::I);
                typed_before = (i && has_consonant).then_some(last.nucleus);
                if has_consonant {
                    last.nucleus = Nucleus::None;
                }
                // an old-style Malayalam chillu is consonant + virama + zero-width joiner
                let chillu = script == Script::Malayalam && chars.peek() == Some(&'\u{200d}');
                joining = !chillu;
            }
            // older keyboards type the nukta after the vowel sign: ਜਿ਼ for ਜ਼ਿ
            Sign::Nukta => modify(&mut aksharas, |last| {
                if let Some(letter) = last.consonants.last_mut() {
                    *letter = with_nukta(*letter, script);
                }
            }),
            Sign::Ignored => {}
            Sign::Anusvara => modify(&mut aksharas, |last| last.anusvara = true),
            Sign::Candrabindu => modify(&mut aksharas, |last| last.candrabindu = true),
            Sign::Aytham => match chars.peek() {
                Some('ப' | 'ஜ') => aytham = true,
                _ => modify(&mut aksharas, |last| last.visarga = true),
            },
            Sign::Visarga => modify(&mut aksharas, |last| last.visarga = true),
            Sign::Addak => modify(&mut aksharas, |last| last.addak = true),
        }
    }
    aksharas
}

fn modify(aksharas: &mut [Akshara], change: impl FnOnce(&mut Akshara)) {
    if let Some(last) = aksharas.last_mut() {
        change(last);
    }
}

/// Returns whether a character begins an akshara: a consonant that can carry a vowel, an independent vowel or a
/// Gurmukhi bearer.
pub fn is_letter(c: char) -> bool {
    matches!(sign(c), Some(Sign::Consonant(_) | Sign::Letter(_) | Sign::Bearer(_)))
}

/// Returns whether a character is a virama of any script.
pub fn is_virama(c: char) -> bool {
    matches!(sign(c), Some(Sign::Virama))
}

/// Returns whether a character is a nukta of any script.
pub fn is_nukta(c: char) -> bool {
    matches!(sign(c), Some(Sign::Nukta))
}

#[cfg(test)]
mod tests {
    use super::Consonant::*;
    use super::*;

    fn consonants(word: &str) -> Vec<Vec<Consonant>> {
        parse(word).into_iter().map(|akshara| akshara.consonants.to_vec()).collect()
    }

    #[test]
    fn splits_words_into_aksharas() {
        let cases: [(&str, &[&[Consonant]]); 9] = [
            ("क्षमा", &[&[Ka, Ssa], &[Ma]]),
            ("स्त्री", &[&[Sa, Ta, Ra]]),
            ("लड़का", &[&[La], &[Rda], &[Ka]]),
            ("ल\u{921}\u{93c}का", &[&[La], &[Rda], &[Ka]]),
            ("অক্ষর", &[&[], &[Ka, Ssa], &[Ra]]),
            ("உலகம்", &[&[], &[La], &[Ka], &[Ma]]),
            ("അവൻ", &[&[], &[Va], &[Na]]),
            ("ਪੱਕਾ", &[&[Pa], &[Ka]]),
            ("ਸ਼ਹਿਰ", &[&[Sha], &[Ha], &[Ra]]),
        ];
        for (word, expected) in cases {
            assert_eq!(consonants(word), expected, "{word}");
        }
    }

    #[test]
    fn reorders_signs_typed_too_early() {
        for (typed, meant) in [("ਜਿ\u{a3c}ਲਾ", "ਜ\u{a3c}ਿਲਾ"), ("ਗਿ\u{a4d}ਰਫਤਾਰ", "ਗ\u{a4d}ਰਿਫਤਾਰ")]
        {
            assert_eq!(parse(typed), parse(meant), "{typed}");
        }
    }

    #[test]
    fn distinguishes_vowels_from_signs() {
        let nuclei = |word: &str| parse(word).iter().map(|a| a.nucleus).collect::<Vec<_>>();
        assert_eq!(nuclei("कमल्"), [Nucleus::Inherent, Nucleus::Inherent, Nucleus::None]);
        assert_eq!(nuclei("ਇੱਕ"), [Nucleus::Vowel(Vowel::I), Nucleus::Inherent]);
        assert_eq!(nuclei("ੳੁਹ"), [Nucleus::Vowel(Vowel::U), Nucleus::Inherent]);
        assert_eq!(nuclei("കൊ"), [Nucleus::Vowel(Vowel::ShortO)]);
        assert!(parse("ਇੱਕ")[0].addak && parse("हँस")[0].candrabindu && parse("हंस")[0].anusvara);
    }

    #[test]
    fn accepts_marks_without_letters() {
        assert!(parse("\u{94d}\u{94d}\u{93c}\u{200d}x").is_empty());
        assert_eq!(parse("\u{93e}").len(), 1);
        assert_eq!(parse(&"क्".repeat(1000)).len(), 1);
    }
}
