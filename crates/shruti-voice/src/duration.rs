//! Phone durations: multiplicative rules after Klatt (1979), with parameters from the file of the language.

use shruti_lang::Language;
use shruti_text::phone::{Manner, Phonation, Phone, Place};
use shruti_text::utterance::{Break, Stress, Weight};

use crate::tables::{LanguageData, Tables};

/// Context of a phone for the duration rules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings {
    pub(crate) phone: Phone,
    /// Neighbouring phones; `None` at a pause.
    pub(crate) before: Option<Phone>,
    pub(crate) after: Option<Phone>,
    /// Weight of the word.
    pub(crate) weight: Weight,
    pub(crate) stress: Stress,
    pub(crate) syllables: usize,
    /// Break after the word if the phone is the last vowel of the word or comes after it; otherwise [`Break::None`].
    pub(crate) closing: Break,
}

/// Durations of the parts of a phone, in ms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Parts {
    /// Duration until the release, or of the whole phone if it has no release.
    pub(crate) hold: f32,
    /// Duration of the noise of the release: a burst, or the frication of an affricate.
    pub(crate) noise: f32,
    /// Duration of the breath between the noise and the next phone.
    pub(crate) breath: f32,
}

/// Duration of the closure of a voiceless stop or affricate after a pause, in ms. The closure is inaudible and
/// therefore short.
const UNHEARD_CLOSURE_MS: f32 = 4.0;
/// Duration of the voicing before the release of a voiced stop or affricate after a pause, in ms.
const PREVOICING_MS: f32 = 55.0;

/// Returns the durations of the parts of a phone.
pub(crate) fn parts(at: &Surroundings, language: Language, speed: f32) -> Parts {
    let phones = Tables::get().phones(language);
    let language = Tables::get().language(language);
    let phone = at.phone;
    let symbol = phone.symbol;
    if let Manner::Vowel = symbol.manner() {
        return Parts { hold: vowel(at, phones.vowel(symbol).duration, language, speed), ..Parts::default() };
    }
    let mut parts = consonant(at, language);
    if matches!(symbol.manner(), Manner::Stop | Manner::Affricate) {
        let release = &language.release;
        let voiced = matches!(symbol.phonation(), Phonation::Voiced | Phonation::Breathy);
        if at.before.is_none() {
            parts.hold = if voiced { PREVOICING_MS } else { UNHEARD_CLOSURE_MS };
        }
        let affricate = matches!(symbol.manner(), Manner::Affricate);
        parts.noise = if affricate { release.frication } else { phones.noise(symbol).burst_ms.max(4.0) };
        if affricate && voiced {
            parts.noise *= 0.75;
        }
        let velar = matches!(symbol.place(), Place::Velar | Place::Uvular);
        let onset = match symbol.phonation() {
            Phonation::Aspirated => release.aspirated,
            Phonation::Breathy => release.breathy,
            Phonation::Voiced => 0.0,
            Phonation::Voiceless if at.after.is_none() => release.last,
            Phonation::Voiceless if velar => release.velar,
            Phonation::Voiceless => release.plain,
        };
        // There is no release before another stop, affricate or nasal with the same place of articulation.
        let unreleased = at.after.is_some_and(|next| {
            matches!(next.symbol.manner(), Manner::Stop | Manner::Affricate | Manner::Nasal)
                && next.symbol.place() == symbol.place()
        });
        if unreleased {
            parts.noise = 0.0;
        } else if affricate && matches!(symbol.phonation(), Phonation::Aspirated | Phonation::Breathy) {
            parts.breath = onset * 0.6;
        } else if !affricate {
            parts.breath = (onset - parts.noise).max(0.0);
        }
        let slow = libm::powf(speed, 0.35);
        parts.noise /= slow;
        parts.breath /= libm::powf(speed, 0.6);
    }
    if matches!((symbol.manner(), symbol.phonation()), (Manner::Tap, Phonation::Breathy)) {
        parts.breath = language.release.breathy / libm::powf(speed, 0.6);
    }
    parts.hold /= libm::powf(speed, 0.9);
    parts
}

/// Returns the duration of a vowel in ms. `own` is the duration of the vowel relative to the mean of its class (long or
/// short vowels).
fn vowel(at: &Surroundings, own: f32, language: &LanguageData, speed: f32) -> f32 {
    let rhythm = &language.rhythm;
    let mean = if at.phone.long { language.vowel.long } else { language.vowel.short };
    let mut ms = mean * own * rhythm.rate;
    if at.phone.nasal {
        ms *= 1.06;
    }
    if let Some(next) = at.after {
        ms *= match (next.symbol.manner(), next.symbol.phonation()) {
            _ if next.long && !next.is_vowel() => 0.87,
            (Manner::Stop | Manner::Affricate, Phonation::Voiceless | Phonation::Aspirated) => 0.95,
            (Manner::Stop | Manner::Affricate | Manner::Fricative, _) => 1.04,
            _ => 1.0,
        };
    }
    ms *= match at.stress {
        Stress::Primary => rhythm.stressed,
        Stress::Secondary => 1.0,
        Stress::None => rhythm.unstressed,
    };
    ms *= match at.weight {
        Weight::Function => rhythm.function,
        Weight::Content => 1.0,
        Weight::Focus => 1.06,
        Weight::Emphasis => 1.12,
    };
    ms *= (1.0 - rhythm.polysyllabic * at.syllables.saturating_sub(2) as f32).max(0.8);
    ms *= closing_factor(at.closing, language);
    (ms / libm::powf(speed, 1.15)).max(24.0)
}

fn closing_factor(closing: Break, language: &LanguageData) -> f32 {
    match closing {
        Break::None => 1.0,
        Break::Phrase | Break::Group => language.rhythm.phrase,
        Break::Breath => language.rhythm.breath,
        Break::Comma | Break::Clause | Break::Sentence | Break::Paragraph => language.rhythm.last,
    }
}

/// Returns the parts of a consonant at speed 1. Only the duration of the held part is set.
fn consonant(at: &Surroundings, language: &LanguageData) -> Parts {
    let symbol = at.phone.symbol;
    let means = &language.consonant;
    let voiced = matches!(symbol.phonation(), Phonation::Voiced | Phonation::Breathy);
    let mut ms = match symbol.manner() {
        Manner::Stop if voiced => means.voiced_stop,
        Manner::Stop => means.stop,
        Manner::Affricate if voiced => means.affricate * 0.9,
        Manner::Affricate => means.affricate,
        Manner::Fricative if matches!(symbol.place(), Place::Glottal) => means.glottal,
        Manner::Fricative if voiced => means.voiced_fricative,
        Manner::Fricative => means.fricative,
        Manner::Nasal => means.nasal,
        Manner::Lateral => means.lateral,
        Manner::Tap => means.tap,
        Manner::Trill => means.trill,
        Manner::Approximant | Manner::Vowel => means.approximant,
    };
    // Closures are longest for labials and shortest for retroflexes (Ladefoged & Maddieson 1996).
    if matches!(symbol.manner(), Manner::Stop) {
        ms *= match symbol.place() {
            Place::Bilabial => 1.1,
            Place::Retroflex => 0.85,
            _ => 1.0,
        };
    }
    if at.phone.long {
        ms *= if matches!(symbol.manner(), Manner::Tap) { 1.5 } else { means.geminate };
    }
    let beside = |other: Option<Phone>| other.is_some_and(|phone| !phone.is_vowel());
    if !at.phone.long && (beside(at.before) || beside(at.after)) {
        ms *= language.rhythm.cluster;
    }
    if at.after.is_none() {
        ms *= 1.0 + 0.5 * (closing_factor(at.closing, language) - 1.0);
    }
    if matches!(at.weight, Weight::Function) {
        ms *= 0.5 + 0.5 * language.rhythm.function;
    }
    Parts { hold: ms * language.rhythm.rate, ..Parts::default() }
}

/// Returns the duration of the pause for a break in ms, at most 850.
pub(crate) fn pause_ms(closing: Break, language: &LanguageData, speed: f32) -> f32 {
    let pause = &language.pause;
    let ms = match closing {
        Break::None | Break::Phrase => 0.0,
        Break::Group => pause.group,
        Break::Breath => pause.breath,
        Break::Comma => pause.comma,
        Break::Clause => pause.clause,
        Break::Sentence => pause.sentence,
        Break::Paragraph => pause.paragraph,
    };
    (ms / speed).min(850.0)
}
