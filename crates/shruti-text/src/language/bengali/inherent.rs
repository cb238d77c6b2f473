//! Rules for the inherent vowel in contexts that determine its sound. In other contexts, a
//! [classifier](crate::g2p::linear) chooses the sound.

use super::RuledVowel;
use super::joined::begins_ya_stem;
use super::letters::is_final_t;
use crate::akshara::{Akshara, Consonant, Nucleus, Vowel};
use crate::phone::Symbol;

/// Returns the sound of the inherent vowel of the akshara at `i`, or `None` if its context does not determine it.
pub(super) fn by_rule(aksharas: &[Akshara], i: usize) -> Option<RuledVowel> {
    let spoken = spoken_by_rule(aksharas, i).map(RuledVowel::Spoken);
    spoken.or_else(|| is_dropped_at_end(aksharas, i).then_some(RuledVowel::Silent))
}

fn spoken_by_rule(aksharas: &[Akshara], i: usize) -> Option<Symbol> {
    let own = &aksharas[i];
    let before = i.checked_sub(1).map(|before| &aksharas[before]);
    let next = aksharas.get(i + 1);
    match (before, next) {
        // the vowel before র্য is pronounced o: পর্যন্ত, মর্যাদা, সৌন্দর্য
        (_, Some(next)) if !own.anusvara && next.consonants.starts_with(&[Consonant::Ra, Consonant::Ya]) => {
            Some(Symbol::O)
        }
        (_, Some(_)) if precedes_final_glide(aksharas, i) => Some(Symbol::OpenO),
        // the vowel before ওয় is pronounced ɔ: হওয়া, সওয়া
        (None, Some(next)) if is_before_wa(next, aksharas.get(i + 2)) => Some(Symbol::OpenO),
        // অ is pronounced o before a joined য that raises it: অধ্যায়, অভ্যাস
        (None, Some(next)) if is_bare_a(own) && begins_raising_ya(next) => Some(Symbol::O),
        (None, Some(next)) if is_bare_a(own) => {
            let ya_stem = begins_ya_stem(next) && next.nucleus == Nucleus::Vowel(Vowel::Aa);
            (ya_stem || negates_before_high(next, aksharas.get(i + 2))).then_some(Symbol::OpenO)
        }
        (Some(before), Some(next)) if i == 1 && is_bare_a(before) && begins_negated(aksharas) => {
            (!is_high(next.nucleus)).then_some(Symbol::OpenO)
        }
        // the vowel of মনো- is pronounced o: মনোভাব, মনোযোগ
        (None, Some(next)) if is_mono(own, next) && aksharas.len() > 2 => Some(Symbol::O),
        // a joined য raises the first vowel to o: সন্ধ্যা, বন্যা
        (None, Some(next)) if !own.anusvara && is_raised_by_ya(next) => Some(Symbol::O),
        (None, Some(next)) if !is_bare_a(own) && is_raised_by_lost_y(own, next) => Some(Symbol::O),
        (Some(_), Some(next)) if is_raised_by_lost_y(own, next) && is_noun_in_ksha(own, next) => {
            Some(Symbol::O)
        }
        // the vowel with a visarga is pronounced o: পুনঃ, মনঃকষ্ট
        (Some(_), next) if own.visarga && (next.is_some() || aksharas.len() == 2 || is_adverb(own)) => {
            Some(Symbol::O)
        }
        (Some(before), Some(next)) if ends_word(aksharas, i + 1) && is_before_sa(before, own, next) => {
            Some(Symbol::O)
        }
        (Some(before), Some(next)) if i > 1 && ends_adjective(before, own, next) => Some(Symbol::O),
        (Some(_), Some(next)) => before_r(own, next, i + 2 == aksharas.len()).then_some(Symbol::OpenO),
        (Some(before), None) => is_kept_at_end(before, own, i > 1).then_some(Symbol::O),
        _ => None,
    }
}

/// Returns the sound of a spoken inherent vowel, or `None` if the end of its stem does not determine it. `is_silent`
/// returns whether the vowel of an akshara is silent. Usually, ɔ occurs only in the first syllable of a stem or of the
/// second member of a compound, so the vowel before a suffix is pronounced o.
pub(super) fn before_suffix(
    aksharas: &[Akshara],
    i: usize,
    is_silent: impl Fn(usize) -> bool,
) -> Option<Symbol> {
    let before = &aksharas[i.checked_sub(1)?];
    let [own, next] = [&aksharas[i], aksharas.get(i + 1)?];
    let ends_syllable = is_silent(i + 1) || ends_word(aksharas, i + 1);
    let is_o = precedes_suffix(own, next, i + 2 == aksharas.len())
        || ends_syllable && ends_in_k(own, next)
        || (ends_syllable || is_suffix_na(own, next)) && ends_in_n(before, own, next);
    (is_o && !own.anusvara).then_some(Symbol::O)
}

/// Returns whether an akshara is the last one of a word, or the last one before an ending -ে or -ের.
fn ends_word(aksharas: &[Akshara], i: usize) -> bool {
    match aksharas[i].nucleus {
        Nucleus::Inherent => i + 1 == aksharas.len(),
        Nucleus::Vowel(Vowel::E) => match &aksharas[i + 1..] {
            [] => true,
            [last] => last.consonants[..] == [Consonant::Ra] && last.nucleus == Nucleus::Inherent,
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether the suffix -তা of abstract nouns (স্বাধীনতা, সহায়তার), -ত্ব (বেকারত্ব) or -স্থ (অধীনস্থ), or the
/// suffix -ত of adverbs (সাধারণত, বিশেষত) follows. Words in -গত, -রত, -মত and -নত are compounds or participles, in
/// which the vowel is pronounced ɔ.
fn precedes_suffix(own: &Akshara, next: &Akshara, next_is_last: bool) -> bool {
    use Consonant as C;
    match (next.consonants.as_slice(), next.nucleus) {
        ([C::Ta, C::Ba], _) => true,
        ([C::Sa, C::Tha], Nucleus::Inherent) => next_is_last,
        ([C::Ta], Nucleus::Vowel(Vowel::Aa)) => own.consonants[..] != [C::Ga],
        ([C::Ta], Nucleus::Inherent) => {
            next_is_last && matches!(own.consonants[..], [C::Nna | C::Ssa | C::Sha | C::La | C::Ba])
        }
        _ => false,
    }
}

/// Returns whether a stem ends in -ক with the vowel o before it: সূচক, পাঠ্যপুস্তক. After ল, the word may be English: আনলক.
fn ends_in_k(own: &Akshara, next: &Akshara) -> bool {
    use Consonant as C;
    next.consonants[..] == [C::Ka] && !matches!(own.consonants[..], [] | [.., C::La])
}

/// Returns whether the suffix -না of nouns follows (প্ররোচনা), not the compound member -মনা (মুক্তমনা).
fn is_suffix_na(own: &Akshara, next: &Akshara) -> bool {
    next.nucleus == Nucleus::Vowel(Vowel::Aa) && own.consonants[..] != [Consonant::Ma]
}

/// Returns whether a stem ends in -ন or -ণ, or in the suffix -না, with the vowel o before it: জীবন, লোকেশন, প্রয়োজন,
/// প্ররোচনা. After some letters, the ending may be part of the second member of a compound, which has ɔ: -জন, -গণ, -ক্ষণ,
/// -ধন, -ঘন, -পণ. English names have ɔ as well: ওয়াশিংটন.
fn ends_in_n(before: &Akshara, own: &Akshara, next: &Akshara) -> bool {
    use Consonant as C;
    let member = match own.consonants.as_slice() {
        // ও before জন indicates that জন is not the compound member -জন: প্রয়োজন, আয়োজন
        [C::Ja] => before.nucleus != Nucleus::Vowel(Vowel::O),
        // a front vowel before ক্ষণ indicates that ক্ষণ is not the compound member -ক্ষণ: শিক্ষণ, পর্যবেক্ষণ
        [C::Ka, C::Ssa] => !is_front(before.nucleus) && before.nucleus != Nucleus::Vowel(Vowel::E),
        // ঘ before ট does not occur in English words: উদ্ঘাটন, সংঘটন
        [C::Tta] => before.consonants.last() != Some(&C::Gha),
        [C::Ga | C::Dha | C::Gha | C::Pa | C::Dda] => true,
        letters => letters.is_empty(),
    };
    matches!(next.consonants[..], [C::Na | C::Nna]) && !member
}

/// Returns whether the inherent vowel of the akshara at `i` is always spoken: in the first syllable, before ং, before a
/// nasal joined to a stop, and after letters that cannot close a syllable when another consonant follows.
pub(super) fn is_always_spoken(aksharas: &[Akshara], i: usize) -> bool {
    use Consonant as C;
    let own = &aksharas[i];
    let follows = aksharas.get(i + 1).is_some_and(|next| !next.consonants.is_empty());
    let heavy = match own.consonants.as_slice() {
        [C::Ra | C::La | C::Ma, C::Ba] => false,
        [.., _, C::Ya | C::Ra | C::Ba | C::Va | C::Ssa | C::Nya] => true,
        [.., above, below] => above == below,
        _ => false,
    };
    // the vowel is spoken before a nasal joined to a stop: আশঙ্কা, জীবন্ত
    let nasal = aksharas.get(i + 1).is_some_and(|next| begins_with_nasal_and_stop(&next.consonants));
    i == 0 || own.anusvara || nasal || heavy && follows
}

/// Returns whether a cluster begins with a nasal and a stop, which cannot begin a syllable.
fn begins_with_nasal_and_stop(cluster: &[Consonant]) -> bool {
    use Consonant as C;
    let [nasal, stop, ..] = cluster else { return false };
    let sonorant = matches!(stop, C::Ya | C::Ra | C::La | C::Ba | C::Va | C::Ma | C::Na | C::Nna);
    matches!(nasal, C::Nga | C::Nya | C::Nna | C::Na | C::Ma) && !sonorant
}

/// Returns whether the inherent vowel at `i` precedes the final য় of a word, or that য় with an ending: আশ্রয়, অভিনয়ের,
/// সময়ে, জয়টা. Participles of one syllable, such as হয়ে, have o.
fn precedes_final_glide(aksharas: &[Akshara], i: usize) -> bool {
    let own = &aksharas[i];
    // after a joined য, the vowel is æ (ব্যয়), but the য of র্য is a consonant of its own: বিপর্যয়
    let joined_ya = matches!(own.consonants[..], [.., first, Consonant::Ya] if first != Consonant::Ra);
    let nasal = own.anusvara || own.candrabindu;
    let plain = !(joined_ya || own.independent || nasal);
    let Some(glide) = aksharas.get(i + 1).filter(|_| plain) else { return false };
    let before_e = glide.nucleus == Nucleus::Vowel(Vowel::E);
    let ends = ends_word(aksharas, i + 1)
        || (before_e || glide.nucleus == Nucleus::Inherent)
            && aksharas.get(i + 2).is_some_and(begins_noun_ending);
    // -ের is an ending of nouns only
    let noun = aksharas.get(i + 2).is_some_and(|next| next.consonants[..] == [Consonant::Ra]);
    let participle = i == 0 && before_e && !noun;
    let nasal = glide.anusvara || glide.candrabindu;
    glide.consonants[..] == [Consonant::Yya] && ends && !(nasal || participle)
}

/// Returns whether an akshara begins an ending that follows a noun without changing it: -টা, -টি, -টুকু, -কে, -গুলি, -ই,
/// -ও.
fn begins_noun_ending(akshara: &Akshara) -> bool {
    use Consonant as C;
    let Nucleus::Vowel(vowel) = akshara.nucleus else { return false };
    match akshara.consonants.as_slice() {
        [C::Tta] => matches!(vowel, Vowel::Aa | Vowel::I | Vowel::U),
        [C::Ka] => vowel == Vowel::E,
        [C::Ga] => vowel == Vowel::U,
        [] => akshara.independent && matches!(vowel, Vowel::I | Vowel::O),
        _ => false,
    }
}

/// Returns whether the letters after the first akshara are ওয়া or ওয়: হওয়া, সওয়া, রওয়ানা.
fn is_before_wa(next: &Akshara, after: Option<&Akshara>) -> bool {
    next.independent
        && next.consonants.is_empty()
        && next.nucleus == Nucleus::Vowel(Vowel::O)
        && after.is_some_and(|after| after.consonants[..] == [Consonant::Yya])
}

/// Returns whether the akshara has a cluster with joined য that raises the preceding অ. The অ is then not the negative
/// prefix, because no stem after that prefix begins with one of these clusters.
fn begins_raising_ya(next: &Akshara) -> bool {
    use Consonant as C;
    matches!(next.consonants.as_slice(), [C::Ta | C::Da | C::Dha | C::Bha, C::Ya])
}

/// Returns whether অ before a high vowel is the negative prefix, which stays ɔ although a high vowel raises other
/// vowels. অতি- অধি- অনু- অভি- and words such as অগ্নি, অরুণ, অস্থি do not contain the prefix.
fn negates_before_high(next: &Akshara, after: Option<&Akshara>) -> bool {
    use Consonant as C;
    let front = is_front(next.nucleus);
    if !is_high(next.nucleus) {
        return false;
    }
    match next.consonants.as_slice() {
        [C::Ta | C::Dha | C::Bha] => !front,
        // অক্ষি ("eye") does not contain the prefix
        [C::Ka, C::Ssa] => next.nucleus != Nucleus::Vowel(Vowel::I),
        [C::Na | C::Ra | C::Ja | C::Ma]
        | [C::Ka | C::Pa, C::Ra]
        | [C::Da | C::Sa, C::Ba | C::Va]
        | [C::Sha, C::La] => front,
        // অস্থি ("bone") does not contain the prefix, but অস্থির ("restless") does
        [C::Sa, C::Tha] => after.is_some_and(|after| after.consonants.as_slice() == [C::Ra]),
        letters => letters.len() == 1,
    }
}

/// Returns whether the negative prefix অ precedes a stem whose second syllable allows ɔ in the first: অখণ্ড, অসমান,
/// অক্ষয়. অব-, অপ- and অন- are separate prefixes, and after অ, consonants that are not listed here belong to
/// other words (অলস, অধম).
fn begins_negated(aksharas: &[Akshara]) -> bool {
    use Consonant as C;
    let [_, own, next, rest @ ..] = aksharas else { return false };
    let joined_ya = next.consonants.contains(&C::Ya);
    match own.consonants.as_slice() {
        [C::Ka, C::Ssa] => match next.consonants.as_slice() {
            [C::Ta | C::Ra | C::Yya] => next.nucleus == Nucleus::Inherent,
            [C::Ma] => next.nucleus == Nucleus::Vowel(Vowel::Aa) && rest.is_empty(),
            _ => false,
        },
        [C::Ba | C::Pa | C::Na] => false,
        [_] if next.consonants.len() > 1 => !joined_ya,
        [C::Ka | C::Ga | C::Gha | C::Ca | C::Ja | C::Sa] => next.consonants.len() == 1,
        _ => false,
    }
}

/// Returns whether the inherent vowel stays ɔ in a closed syllable: before a reph, which is র joined above a consonant
/// (আন্তর্জাতিক, পর্বত), and before a final র after a cluster (অন্তর, যুগান্তর).
fn before_r(own: &Akshara, next: &Akshara, next_is_last: bool) -> bool {
    use Consonant as C;
    if own.anusvara || is_high(next.nucleus) {
        return false;
    }
    match next.consonants.as_slice() {
        [C::Ra] => {
            next_is_last && next.nucleus == Nucleus::Inherent && own.consonants.len() > 1 && !is_raising(own)
        }
        [C::Ra, rest @ ..] => !rest.contains(&C::Ya),
        _ => false,
    }
}

/// Returns whether a joined য raises the inherent vowel of the preceding first syllable.
fn is_raised_by_ya(next: &Akshara) -> bool {
    use Consonant as C;
    let cluster = next.consonants.as_slice();
    matches!(cluster, [first, .., C::Ya] if !matches!(first, C::Ra | C::Ma))
        && !cluster.starts_with(&[C::Ka, C::Ssa])
}

/// Returns whether ক্ষ or জ্ঞ raises the preceding inherent vowel. Both once had a glide, khy and gy, whose effect
/// remains in Standard Colloquial Bengali (Chatterji 1926): লক্ষ lokkʰo, পক্ষ pokkʰo, যজ্ঞ joggo. The prefixes স- and অ-
/// are not raised.
fn is_raised_by_lost_y(own: &Akshara, next: &Akshara) -> bool {
    use Consonant as C;
    let plain = own.nucleus == Nucleus::Inherent && !own.anusvara && own.consonants[..] != [C::Sa];
    plain && matches!(next.consonants.as_slice(), [C::Ka, C::Ssa, ..] | [C::Ja, C::Nya, ..])
}

/// Returns whether the cluster of `next` belongs to a noun in -ক্ষ or -জ্ঞ within a compound (বিপক্ষ, উপলক্ষে, বিশেষজ্ঞ),
/// and does not begin a second member (রণক্ষেত্র).
fn is_noun_in_ksha(own: &Akshara, next: &Akshara) -> bool {
    use Consonant as C;
    let knowing = next.consonants.starts_with(&[C::Ja, C::Nya]) && next.nucleus != Nucleus::Vowel(Vowel::Aa);
    knowing || matches!(own.consonants.as_slice(), [C::Pa | C::La | C::Ra])
}

/// Returns whether an akshara with a visarga ends an adverb (বিশেষতঃ, ক্রমশঃ); a visarga after other letters is a
/// mistyped colon.
fn is_adverb(own: &Akshara) -> bool {
    matches!(own.consonants[..], [Consonant::Ta | Consonant::Sha])
}

/// Returns whether the final স of a word belongs to Sanskrit -as, whose vowel is spoken (মানস, সাহস), not to an English
/// plural (উইলস).
fn is_before_sa(before: &Akshara, own: &Akshara, next: &Akshara) -> bool {
    use Consonant as C;
    let bare = |akshara: &Akshara| akshara.nucleus == Nucleus::Inherent;
    let open = matches!(before.nucleus, Nucleus::Inherent | Nucleus::Vowel(Vowel::A | Vowel::Aa | Vowel::Ii));
    let english = matches!(before.consonants.last(), Some(C::Tta | C::Dda | C::Ga | C::Yya));
    let sanskrit = match own.consonants.as_slice() {
        [C::Ba] => open || before.consonants[..] == [C::Da],
        [C::Ra] => open && before.consonants.len() == 1,
        [C::Na | C::Ha | C::Yya | C::Ja | C::Dha] | [C::Ka, C::Ssa] => open,
        _ => false,
    };
    sanskrit && !english && bare(own) && next.consonants[..] == [C::Sa]
}

/// Returns whether the য় of an adjective in -ঈয় or -ইয় precedes a suffix: জাতীয়ভাবে, সক্রিয়তা.
fn ends_adjective(before: &Akshara, own: &Akshara, next: &Akshara) -> bool {
    own.consonants[..] == [Consonant::Yya]
        && own.nucleus == Nucleus::Inherent
        && is_front(before.nucleus)
        && !next.consonants.is_empty()
        && matches!(next.nucleus, Nucleus::Vowel(_))
}

/// Returns whether an akshara ends in ra-phala or ya-phala, which raise the following vowel.
fn is_raising(akshara: &Akshara) -> bool {
    matches!(akshara.consonants.as_slice(), [_, .., Consonant::Ra | Consonant::Ya])
}

fn is_mono(own: &Akshara, next: &Akshara) -> bool {
    let [m, n] = [own, next].map(|akshara| akshara.consonants.as_slice());
    m == [Consonant::Ma] && n == [Consonant::Na] && next.nucleus == Nucleus::Vowel(Vowel::O)
}

/// Returns whether the inherent vowel at `i` is the last vowel of the word and is silent. It is silent after a single
/// consonant, unless that consonant is a verb ending or ends a Sanskrit participle, and after English clusters. The
/// last vowel of যেন and কেন is spoken.
fn is_dropped_at_end(aksharas: &[Akshara], i: usize) -> bool {
    use Consonant as C;
    let last = i > 0 && i + 1 == aksharas.len();
    let plain = matches!(
        aksharas[i].consonants.as_slice(),
        [C::Ra | C::La | C::Na | C::Nna | C::Ka | C::Tta | C::Dda | C::Rda | C::Sa | C::Pa | C::Ssa | C::Nga]
    );
    let english = i.checked_sub(1).is_some_and(|before| is_english_end(&aksharas[before], &aksharas[i]));
    let pronoun = aksharas.len() == 2 && aksharas[0].nucleus == Nucleus::Vowel(Vowel::E);
    last && (plain || english) && !aksharas[i].anusvara && !aksharas[i].visarga && !pronoun
}

/// Returns whether the final vowel of the word is kept, in contexts that words from English and Persian do not have:
/// after letters and clusters that only Sanskrit words have, after ৃ (মৃগ), after ং and শ স হ (অংশ, সিংহ), after ঃ
/// (দুঃখ), and in participles of roots in ā (খ্যাত, জ্ঞাত) and adjectives in ঈয় (জাতীয়) and এয় (পাথেয়). `is_long` is true
/// for a word of more than two aksharas.
fn is_kept_at_end(before: &Akshara, own: &Akshara, is_long: bool) -> bool {
    use Consonant as C;
    let vowel = before.nucleus;
    match own.consonants.as_slice() {
        cluster @ [_, _, ..] => is_sanskrit(cluster) && !is_english_end(before, own),
        [C::Sha | C::Ha] if before.anusvara => true,
        // the vowel is kept in মাংস, but not in English plurals: ভাইকিংস
        [C::Sa] if before.anusvara => matches!(vowel, Nucleus::Inherent | Nucleus::Vowel(Vowel::Aa)),
        // the vowel is kept after ৎস: উৎস
        [C::Sa] if is_final_t(before) => true,
        [C::Rdha] => before.consonants.first() != Some(&C::Ssa),
        [C::Ta] if vowel == Nucleus::Vowel(Vowel::Aa) => {
            matches!(
                before.consonants.as_slice(),
                [C::Kha, C::Ya] | [C::Ja, C::Nya] | [C::Gha, C::Ra] | [C::Sa, C::Na]
            )
        }
        [C::Yya] if vowel == Nucleus::Vowel(Vowel::Ii) => true,
        // the vowel is kept in পাথেয়, but not in the verbs দেয় and নেয়, nor in the time expression চারটেয়
        [C::Yya] if vowel == Nucleus::Vowel(Vowel::E) => is_long && before.consonants[..] != [C::Tta],
        _ => vowel == Nucleus::Vowel(Vowel::VocalicR) || before.visarga,
    }
}

/// Returns whether the final cluster occurs after this vowel in English words only: ব্যাঙ্ক and লিঙ্ক, but not অঙ্ক and
/// শশাঙ্ক; রিজার্ভ and টর্চ, but not গর্ভ.
fn is_english_end(before: &Akshara, own: &Akshara) -> bool {
    use Consonant as C;
    let vowel = before.nucleus;
    let is_ae = before.consonants.last() == Some(&C::Ya) && vowel == Nucleus::Vowel(Vowel::Aa);
    match own.consonants.as_slice() {
        [C::Nga, C::Ka] => is_ae || vowel == Nucleus::Vowel(Vowel::I),
        [C::Ra, C::Bha] => vowel == Nucleus::Vowel(Vowel::Aa),
        [C::Ra, C::Ca] | [C::Pa | C::Pha, C::Tta] => true,
        _ => false,
    }
}

/// Returns whether a final cluster has letters or conjuncts that words from English and Persian do not have.
fn is_sanskrit(cluster: &[Consonant]) -> bool {
    use Consonant as C;
    let aspirate = |letter: &C| matches!(letter, C::Gha | C::Jha | C::Dha | C::Bha | C::Ddha | C::Ttha);
    let letters = cluster.iter().any(|letter| matches!(letter, C::Nna | C::Ssa) || aspirate(letter));
    let joined = match cluster {
        [.., C::Ra | C::La | C::Ma, C::Ba] => false,
        [.., C::Ra | C::Ya | C::Ba | C::Nya]
        | [.., C::Ka | C::Pa | C::Na | C::Ta, C::Ta]
        | [.., C::Nga, C::Ka | C::Kha | C::Ga]
        | [C::Ha, C::Na] => true,
        _ => false,
    };
    letters || joined
}

/// Returns whether an akshara is the letter অ without a sign.
pub(super) fn is_bare_a(akshara: &Akshara) -> bool {
    let letter = akshara.independent && akshara.consonants.is_empty();
    letter && akshara.nucleus == Nucleus::Vowel(Vowel::A) && !akshara.anusvara && !akshara.candrabindu
}

pub(super) fn is_high(vowel: Nucleus) -> bool {
    matches!(vowel, Nucleus::Vowel(Vowel::I | Vowel::Ii | Vowel::U | Vowel::Uu))
}

pub(super) fn is_front(vowel: Nucleus) -> bool {
    matches!(vowel, Nucleus::Vowel(Vowel::I | Vowel::Ii))
}
