//! Formant targets of phones in the context of their neighbours.
//!
//! All frequencies are those of the reference tract; [`for_speaker`] converts them to those of a speaker.

use shruti_lang::Language;
use shruti_text::phone::{Manner, Phonation, Phone, Place, Symbol};

use crate::plan::{FRAMES_PER_MS, Unit};
use crate::tables::{Speaker, Tables};

/// Resonances of the tract at one time.
pub(crate) type Tract = [f32; 9];
pub(crate) const F1: usize = 0;
pub(crate) const F2: usize = 1;
pub(crate) const F3: usize = 2;
/// Before [`for_speaker`], the shift of F4 on the reference tract, in Hz; after it, the speaker's F4 in Hz.
pub(crate) const F4: usize = 3;
pub(crate) const B1: usize = 4;
pub(crate) const B3: usize = 6;
/// Pole and zero of the nasal cavity: ratios to its resting frequency before [`for_speaker`]; frequencies in Hz after
/// it.
pub(crate) const POLE: usize = 7;
pub(crate) const ZERO: usize = 8;

/// Resting frequency of the reference nasal cavity, in Hz. The data of nasals and laterals refers to this cavity.
const NOSE: f32 = 400.0;

/// A unit and its neighbours; a neighbour is `None` at a pause.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neighbours {
    pub(crate) before: Option<Unit>,
    pub(crate) this: Unit,
    pub(crate) after: Option<Unit>,
    /// The nearest vowels without a pause in between.
    pub(crate) vowel_before: Option<Unit>,
    pub(crate) vowel_after: Option<Unit>,
}

/// Returns the steady state of a vowel in its language; for consonants and pauses, that of the neutral vowel.
fn vowel(unit: Unit) -> Tract {
    let phone = unit.phone.unwrap_or(Phone::new(Symbol::Schwa));
    let data = Tables::get().phones(unit.language).vowel(phone.symbol);
    let mut formants = data.formants;
    if phone.long {
        formants[0] += data.long[0];
        formants[1] += data.long[1];
    }
    let mut tract = [
        formants[0],
        formants[1],
        formants[2],
        0.0,
        data.bandwidths[0],
        data.bandwidths[1],
        data.bandwidths[2],
        1.0,
        1.0,
    ];
    if phone.nasal {
        let data = &Tables::get().source.nasal_vowel;
        tract[POLE] = data.pole;
        tract[ZERO] = data.zero;
        tract[B1] += data.damping;
        // The nasal resonance shifts the first formant towards the middle of its range (Hawkins & Stevens 1985).
        tract[F1] += data.centring * (450.0 - tract[F1]);
    }
    tract
}

fn neutral() -> Tract {
    vowel(Unit::pause(0))
}

/// Returns the target of a consonant next to a vowel.
fn consonant(symbol: Symbol, language: Language, beside: &Tract) -> Tract {
    let tables = Tables::get().phones(language);
    let mut tract = *beside;
    tract[F4] = 0.0;
    let place = tables.place(symbol.place());
    if let Some(data) = tables.sonorant(symbol) {
        for k in 0..3 {
            tract[k] = data.formants[k] + data.slope[k] * (beside[k] - data.formants[k]);
            tract[B1 + k] = data.bandwidths[k];
        }
        tract[F4] = place.f4_shift;
        if let Some(branch) = data.branch {
            tract[POLE] = branch[0] / NOSE;
            tract[ZERO] = branch[1] / NOSE;
        }
        return tract;
    }
    if matches!(symbol.place(), Place::Glottal) {
        tract[B1] += Tables::get().source.glottal.damping;
        return tract;
    }
    let front = ((beside[F2] - 1000.0) / 1000.0).clamp(0.0, 1.0);
    for k in 0..3 {
        let locus = place.back[k] + front * (place.front[k] - place.back[k]);
        tract[k] = locus + place.slope[k] * (beside[k] - locus);
    }
    tract[F4] = place.f4_shift;
    tract[B1] = 80.0;
    tract[B1 + 1] = 110.0;
    tract[B3] = 170.0;
    tract[POLE] = 1.0;
    tract[ZERO] = 1.0;
    tract
}

impl Neighbours {
    /// Returns the steady state of the unit in its context.
    pub(crate) fn target(&self) -> Tract {
        let Some(phone) = self.this.phone else { return neutral() };
        if phone.is_vowel() {
            return vowel(self.this);
        }
        let before = self.vowel_before.map(vowel);
        let after = self.vowel_after.map(vowel);
        match (before, after) {
            (Some(before), Some(after)) => mix(
                &consonant(phone.symbol, self.this.language, &before),
                &consonant(phone.symbol, self.this.language, &after),
                0.6,
            ),
            (Some(beside), None) | (None, Some(beside)) => {
                consonant(phone.symbol, self.this.language, &beside)
            }
            (None, None) => consonant(phone.symbol, self.this.language, &neutral()),
        }
    }

    /// Returns the state of the tract at the start of the unit.
    pub(crate) fn at_start(&self) -> Tract {
        match self.before {
            None => self.onset(),
            Some(before) => boundary(&before, &self.this, self.vowel_before, self.vowel_after),
        }
    }

    /// Returns the state of the tract at the end of the unit.
    pub(crate) fn at_end(&self) -> Tract {
        match self.after {
            None => self.target(),
            Some(after) => boundary(&self.this, &after, self.vowel_before, self.vowel_after),
        }
    }

    /// Returns the locus at which a consonant opens into the following phone.
    pub(crate) fn onset(&self) -> Tract {
        let Some(phone) = self.this.phone else { return neutral() };
        if phone.is_vowel() {
            return vowel(self.this);
        }
        let beside = self.vowel_after.or(self.vowel_before).map_or_else(neutral, vowel);
        consonant(phone.symbol, self.this.language, &beside)
    }
}

/// Returns the state of the tract at the boundary of two units. Both units use the same state there.
fn boundary(left: &Unit, right: &Unit, vowel_before: Option<Unit>, vowel_after: Option<Unit>) -> Tract {
    let (Some(before), Some(after)) = (left.phone, right.phone) else { return neutral() };
    match (before.is_vowel(), after.is_vowel()) {
        (true, true) => mix(&vowel(*left), &vowel(*right), 0.5),
        (false, true) => {
            let open = vowel(*right);
            let closed = consonant(before.symbol, left.language, &open);
            let place = Tables::get().phones(left.language).place(before.symbol.place());
            let breath = f32::from(left.breath) + 0.5 * f32::from(left.noise);
            let moved = (breath / (place.cv_ms * FRAMES_PER_MS)).min(0.8);
            let away = 1.0 - hold(before.symbol, left.language);
            with_open_velum(mix(&closed, &open, moved.max(away)), before, after)
        }
        (true, false) => {
            let open = vowel(*left);
            let closed = consonant(after.symbol, right.language, &open);
            with_open_velum(mix(&closed, &open, 1.0 - hold(after.symbol, right.language)), before, after)
        }
        (false, false) => {
            let beside_left = vowel_before.or(vowel_after).map_or_else(neutral, vowel);
            let beside_right = vowel_after.or(vowel_before).map_or_else(neutral, vowel);
            mix(
                &consonant(before.symbol, left.language, &beside_left),
                &consonant(after.symbol, right.language, &beside_right),
                0.5,
            )
        }
    }
}

/// Sets pole and zero at a boundary: next to a nasal the velum is already open, but the mouth is not closed yet.
fn with_open_velum(mut tract: Tract, before: Phone, after: Phone) -> Tract {
    let data = &Tables::get().source.nasal_vowel;
    let nasal = |phone: Phone| matches!(phone.symbol.manner(), Manner::Nasal);
    [tract[POLE], tract[ZERO]] = if before.nasal || after.nasal {
        [data.pole, data.zero]
    } else if nasal(before) || nasal(after) {
        [data.veil_pole, data.veil_zero]
    } else {
        [1.0, 1.0]
    };
    tract
}

fn hold(symbol: Symbol, language: Language) -> f32 {
    Tables::get().phones(language).sonorant(symbol).map_or(1.0, |data| data.hold)
}

pub(crate) fn mix(from: &Tract, to: &Tract, share: f32) -> Tract {
    std::array::from_fn(|k| from[k] + share * (to[k] - from[k]))
}

/// Returns whether the release of a phone is aspirated or breathy-voiced.
pub(crate) fn is_breathy(symbol: Symbol) -> bool {
    matches!(symbol.phonation(), Phonation::Aspirated | Phonation::Breathy)
}

/// Converts the resonances of the reference tract to those of a speaker.
pub(crate) fn for_speaker(reference: &Tract, speaker: &Speaker) -> Tract {
    let mut tract = *reference;
    tract[F1] = scaled(reference[F1], speaker.f1_scale, [280.0, 720.0]);
    tract[F2] = scaled(reference[F2], speaker.f2_scale, [900.0, 1450.0, 2200.0]);
    tract[F3] = scaled(reference[F3], speaker.f3_scale, [2000.0, 2900.0]);
    tract[F4] = speaker.upper[0] * (1.0 + reference[F4] / 3500.0);
    for bandwidth in &mut tract[B1..=B3] {
        *bandwidth *= speaker.bandwidth_scale;
    }
    tract[POLE] *= speaker.nasal[0];
    tract[ZERO] *= speaker.nasal[0];
    tract
}

/// Scales a frequency by a factor that is interpolated between `scales` at the ascending frequencies `at`.
fn scaled<const N: usize>(value: f32, scales: [f32; N], at: [f32; N]) -> f32 {
    let upper = at.iter().skip(1).position(|&end| value < end).map_or(N - 1, |place| place + 1);
    let share = ((value - at[upper - 1]) / (at[upper] - at[upper - 1])).clamp(0.0, 1.0);
    value * (scales[upper - 1] + share * (scales[upper] - scales[upper - 1]))
}
