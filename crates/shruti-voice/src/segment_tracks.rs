//! Parameter tracks of the tract and the source over the duration of a phone, given its neighbours.

use shruti_text::phone::{Manner, Phonation, Phone, Place, Symbol};

use crate::plan::{FRAMES_PER_MS, Unit};
use crate::tables::{PeakFrequency, PhoneTables, SourceData, Speaker, Tables};
use crate::track::Track;
use crate::tract::{self, B1, F2, F3, Neighbours, Tract};

/// Parameters of the source at one time.
pub(crate) type Source = [f32; 6];
/// Linear amplitude of the voice; 1 in a vowel.
pub(crate) const VOICE: usize = 0;
/// Spectral tilt of the source: the coefficient of a one-pole low-pass.
pub(crate) const TILT: usize = 1;
/// Shape of the glottal pulse (Rd).
pub(crate) const RD: usize = 2;
/// Linear amplitude of aspiration; 1 in h.
pub(crate) const ASPIRATION: usize = 3;
/// Linear amplitude of frication; 1 in s.
pub(crate) const FRICTION: usize = 4;
/// Pitch perturbation by consonants, in semitones.
pub(crate) const PITCH: usize = 5;

/// Spectrum of frication: four peaks (frequency, bandwidth, amplitude), and the amplitude of the unfiltered noise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spectrum {
    pub(crate) peaks: [[f32; 3]; 4],
    pub(crate) bypass: f32,
}

/// Parameter tracks of one unit.
#[derive(Clone, Debug)]
pub(crate) struct SegmentTracks {
    pub(crate) tract: Track<9>,
    source: Track<6>,
    spectrum: Option<Spectrum>,
    overlap: Overlap,
}

/// Frication of adjacent fricatives that extends into a unit.
#[derive(Clone, Copy, Debug, Default)]
struct Overlap {
    /// Levels of the frication at the start and at the end of the unit.
    levels: [f32; 2],
    /// Number of frames of the unit, and number of frames in which the frication decays.
    length: f32,
    reach: f32,
    /// Spectrum of the following fricative.
    spectrum: Option<Spectrum>,
}

impl Overlap {
    fn at(&self, time: f32) -> f32 {
        let left = |away: f32| (1.0 - away / self.reach).max(0.0);
        let [first, last] = [left(time), left(self.length - time)];
        (self.levels[0] * first * first).max(self.levels[1] * last * last)
    }
}

impl SegmentTracks {
    /// Returns the source at a time; times must not decrease between calls.
    pub(crate) fn source_at(&mut self, time: f32) -> Source {
        let mut source = self.source.at(time, false);
        if self.overlap.reach > 0.0 {
            source[FRICTION] = source[FRICTION].max(self.overlap.at(time));
        }
        source
    }

    /// Returns the frication spectrum at a time; `None` if the preceding spectrum stays in use.
    pub(crate) fn spectrum_at(&self, time: f32) -> Option<&Spectrum> {
        let next = self.overlap.spectrum.as_ref().filter(|_| time > 0.5 * self.overlap.length);
        self.spectrum.as_ref().or(next)
    }
}

fn frames(ms: f32) -> f32 {
    ms * FRAMES_PER_MS
}

fn phonation(unit: Option<Unit>) -> Option<(Symbol, Manner, Phonation)> {
    let symbol = unit?.phone?.symbol;
    Some((symbol, symbol.manner(), symbol.phonation()))
}

/// Returns `true` if a consonant consists only of frication.
fn is_friction(symbol: Symbol) -> bool {
    matches!(symbol.manner(), Manner::Fricative) && !matches!(symbol.place(), Place::Glottal)
}

fn is_voiced(symbol: Symbol) -> bool {
    matches!(symbol.phonation(), Phonation::Voiced | Phonation::Breathy)
}

/// Returns the amplitude of the voice in the middle of a phone.
fn loudness(unit: &Unit) -> f32 {
    let Some(phone) = unit.phone else { return 0.0 };
    let symbol = phone.symbol;
    if !is_voiced(symbol) {
        return 0.0;
    }
    match symbol.manner() {
        Manner::Vowel => Tables::get().phones(unit.language).vowel(symbol).level * unit.prominence,
        Manner::Stop | Manner::Affricate => Tables::get().source.closure.bar,
        Manner::Fricative if matches!(symbol.place(), Place::Glottal) => Tables::get().source.glottal.voice,
        Manner::Fricative => Tables::get().source.friction.voice,
        _ => {
            Tables::get().phones(unit.language).sonorant(symbol).map_or(0.7, |data| data.level)
                * unit.prominence
        }
    }
}

impl SegmentTracks {
    /// Creates the tracks of a unit for a speaker.
    pub(crate) fn new(near: &Neighbours, speaker: &Speaker) -> Self {
        let mut builder = Builder {
            near,
            speaker,
            length: near.this.frames as f32,
            tract: Track::new(),
            source: Track::new(),
            breath: crate::tables::linear(speaker.breath),
            data: &Tables::get().source,
            phones: Tables::get().phones(near.this.language),
        };
        match near.this.phone {
            None => builder.rest(),
            Some(phone) => builder.phone(phone),
        }
        let spectrum = near.this.phone.and_then(|phone| builder.spectrum(phone.symbol, &near.onset()));
        let overlap = builder.overlap();
        Self { tract: builder.tract, source: builder.source, spectrum, overlap }
    }
}

struct Builder<'a> {
    near: &'a Neighbours,
    speaker: &'a Speaker,
    /// Number of frames of the unit.
    length: f32,
    tract: Track<9>,
    source: Track<6>,
    /// Amplitude of aspiration relative to modal voice.
    breath: f32,
    data: &'static SourceData,
    phones: &'static PhoneTables,
}

impl Builder<'_> {
    fn form(&mut self, time: f32, reference: &Tract) {
        self.tract.put(time, tract::for_speaker(reference, self.speaker));
    }

    /// Returns the source of a vowel or sonorant; the voice of a stressed syllable is more pressed.
    fn modal(&self, voice: f32) -> Source {
        let rd = self.speaker.rd + self.data.phonation.rd_prominence * (1.0 - self.near.this.prominence);
        [voice, 0.0, rd, self.breath * voice, 0.0, 0.0]
    }

    /// Adds the tracks of a pause, in which all sources are silent.
    fn rest(&mut self) {
        let tract = self.near.target();
        self.form(0.0, &tract);
        self.source.put(0.0, [0.0, 0.0, self.speaker.rd, 0.0, 0.0, 0.0]);
    }

    fn phone(&mut self, phone: Phone) {
        match phone.symbol.manner() {
            Manner::Vowel => self.vowel(),
            Manner::Stop | Manner::Affricate => self.plosive(phone.symbol),
            Manner::Fricative if matches!(phone.symbol.place(), Place::Glottal) => self.glottal(phone.symbol),
            Manner::Fricative => self.fricative(phone.symbol),
            Manner::Trill => self.trill(phone),
            Manner::Tap => self.tap(phone.symbol),
            Manner::Nasal | Manner::Lateral | Manner::Approximant => self.sonorant(phone.symbol),
        }
    }

    /// Returns the amplitude of the voice at the boundary with another unit.
    fn edge(&self, other: Option<Unit>) -> f32 {
        let own = loudness(&self.near.this);
        let beside = other.map_or(0.0, |unit| loudness(&unit));
        own.min(beside)
    }

    fn vowel(&mut self) {
        let near = self.near;
        let length = self.length;
        // The tract moves from the preceding locus to the target and on to the following locus.
        let mut target = near.target();
        let (start, end) = (near.at_start(), near.at_end());
        let time_in = match phonation(near.before) {
            None => 0.0,
            Some((_, Manner::Vowel, _)) => frames(45.0),
            Some((symbol, ..)) => {
                let released =
                    near.before.map_or(0.0, |unit| f32::from(unit.breath) + 0.5 * f32::from(unit.noise));
                let glide = if matches!(symbol.manner(), Manner::Approximant) { 1.2 } else { 1.0 };
                (frames(self.phones.place(symbol.place()).cv_ms) * glide - released).max(frames(12.0))
            }
        };
        let time_out = match phonation(near.after) {
            None => 0.0,
            Some((_, Manner::Vowel, _)) => frames(45.0),
            Some((symbol, ..)) => frames(self.phones.place(symbol.place()).vc_ms),
        };
        let moving = time_in + time_out;
        let scale = if moving > 0.85 * length { 0.85 * length / moving } else { 1.0 };
        // If there is too little time, the target is undershot (Lindblom 1963).
        let undershoot = 0.35 * (1.0 - scale);
        for k in 0..3 {
            target[k] += undershoot * (0.5 * (start[k] + end[k]) - target[k]);
        }
        self.form(0.0, &start);
        self.form(time_in * scale, &target);
        // The velum opens early before a nasal.
        let opens = matches!(phonation(near.after), Some((_, Manner::Nasal, _)));
        let out = length - time_out * scale;
        self.form(if opens { out.min(0.6 * length).max(time_in * scale) } else { out }, &target);
        self.form(length, &end);
        self.vowel_source();
    }

    fn vowel_source(&mut self) {
        let near = self.near;
        let length = self.length;
        let full = loudness(&near.this);
        let (edge_in, edge_out) = (self.edge(near.before), self.edge(near.after));
        let mut first = self.modal(edge_in);
        let mut settled = self.modal(full);
        let rise = match phonation(near.before) {
            None => self.data.vowel.rise_ms,
            Some((_, _, Phonation::Voiceless | Phonation::Aspirated)) => self.data.vowel.rise_voiceless_ms,
            Some((_, Manner::Vowel, _)) => 20.0,
            Some(_) => self.data.vowel.rise_voiced_ms,
        };
        let mut settle = 40.0;
        match phonation(near.before) {
            Some((symbol, _, Phonation::Aspirated | Phonation::Breathy) | (symbol @ Symbol::VlH, _, _)) => {
                first[RD] = self.data.vowel.aspirated_rd;
                first[ASPIRATION] = self.data.vowel.aspirated_breath;
                first[PITCH] = if is_voiced(symbol) { -1.8 } else { 0.9 };
                settle = 60.0;
            }
            Some((_, Manner::Stop | Manner::Affricate | Manner::Fricative, Phonation::Voiceless)) => {
                first[PITCH] = 1.2;
                settle = 50.0;
            }
            Some((_, Manner::Stop | Manner::Affricate | Manner::Fricative, Phonation::Voiced)) => {
                first[PITCH] = -1.0;
                settle = 50.0;
            }
            _ => {}
        }
        let rise = frames(rise).min(0.4 * length);
        let settle = frames(settle).clamp(rise, (0.6 * length).max(rise));
        let at_rise = std::array::from_fn(|k| {
            if k == VOICE { full } else { first[k] + (settled[k] - first[k]) * (rise / settle.max(1.0)) }
        });
        let mut last = self.modal(edge_out);
        let fall = match phonation(near.after) {
            None => {
                last[RD] += self.speaker.rd_final;
                last[ASPIRATION] = 1.5 * self.breath;
                self.data.vowel.fall_last_ms.min(length / FRAMES_PER_MS * 0.5)
            }
            Some((_, _, Phonation::Voiceless | Phonation::Aspirated)) => {
                last[RD] += 0.5;
                last[ASPIRATION] = 2.0 * self.breath;
                self.data.vowel.fall_voiceless_ms
            }
            Some((Symbol::H, ..)) => {
                last[RD] = 1.9;
                last[ASPIRATION] = 0.3;
                25.0
            }
            Some(_) => self.data.vowel.fall_ms,
        };
        settled[PITCH] = 0.0;
        let fall = frames(fall).min(0.5 * length);
        self.source.put(0.0, first);
        self.source.put(rise, at_rise);
        self.source.put(settle.min(length - fall), settled);
        self.source.put(length - fall, settled);
        self.source.put(length, last);
    }

    /// Adds the tracks of a stop or an affricate: closure, noise of the release, breath.
    fn plosive(&mut self, symbol: Symbol) {
        let near = self.near;
        let length = self.length;
        let breath_time = f32::from(near.this.breath);
        let noise_time = f32::from(near.this.noise);
        let release = (length - breath_time - noise_time).max(0.0);
        let voiced = is_voiced(symbol);
        // The tract rests at the locus, and is already moving to the vowel when the voice starts.
        let onset = near.onset();
        self.form(0.0, &near.at_start());
        self.form(0.5 * release, &onset);
        self.form(release, &onset);
        let mut end = near.at_end();
        if breath_time > frames(20.0) {
            // The open glottis damps the first formant.
            end[B1] += self.data.release.damping;
        }
        self.form(length, &end);

        let bar = if voiced { self.data.closure.bar } else { 0.0 };
        let edge_in = self.edge(near.before);
        let pitch = if voiced { -1.0 } else { 0.8 };
        // Within speech, no closure is completely silent, because of air leakage and room reverberation.
        let data = &self.data.closure;
        let (leak, hiss) = if near.before.is_some() { (data.leak, data.hiss) } else { (0.0, 0.0) };
        let tilt = if voiced { data.tilt } else { data.leak_tilt };
        let mut closure = [bar, tilt, self.speaker.closure_rd, leak, hiss, pitch];
        let mut first = closure;
        first[VOICE] = edge_in;
        self.source.put(0.0, first);
        let dying = frames(self.data.closure.dying_ms).min(0.4 * release);
        self.source.put(dying, closure);
        // Voicing weakens as pressure builds up behind the closure. The closure loosens before its release.
        closure[VOICE] *= self.data.closure.weakening;
        let data = &self.data.release;
        self.source.put(release - frames(data.approach_ms).min(0.3 * release), closure);
        closure[FRICTION] = closure[FRICTION].max(data.approach * if voiced { data.voiced } else { 1.0 });
        self.source.put(release, closure);
        let affricate = matches!(symbol.manner(), Manner::Affricate);
        let edge_out = if voiced { self.edge(near.after).max(bar) } else { 0.0 };
        let data = &self.data.release;
        let strength = if voiced { data.voiced } else { 1.0 };
        let mut noise = closure;
        if noise_time > 0.0 {
            noise[FRICTION] = strength * if affricate { data.affricate_start } else { data.start };
            noise[TILT] = if voiced { data.voiced_tilt } else { 0.0 };
            self.source.put(release, noise);
            noise[FRICTION] = strength * if affricate { data.affricate_end } else { data.end };
            self.source.put(release + 0.65 * noise_time, noise);
        }
        let breathy = tract::is_breathy(symbol);
        let mut breath = noise;
        breath[FRICTION] = 0.0;
        breath[TILT] = 0.0;
        breath[RD] = if breathy { data.breathy_rd } else { self.speaker.rd };
        breath[ASPIRATION] = match (breathy, voiced) {
            (true, true) => data.breathy_breath,
            (true, false) => data.aspirated_breath,
            (false, _) => data.plain_breath,
        };
        if breath_time > 0.0 {
            breath[VOICE] = if voiced { data.breathy_voice } else { 0.0 };
            self.source.put(release + noise_time + frames(3.0).min(0.3 * breath_time), breath);
            let late = (length - frames(15.0)).max(release + noise_time + 0.5 * breath_time);
            self.source.put(late, breath);
            breath[ASPIRATION] *= if near.after.is_none() { 0.0 } else { 0.5 };
        } else {
            breath[ASPIRATION] = self.breath;
        }
        breath[VOICE] = if breath_time > 0.0 && voiced { edge_out.max(0.4) } else { edge_out };
        if near.after.is_none() {
            breath[VOICE] = 0.0;
        }
        self.source.put(length, breath);
    }

    fn fricative(&mut self, symbol: Symbol) {
        let near = self.near;
        let length = self.length;
        let target = near.target();
        self.form(0.0, &near.at_start());
        self.form(0.5 * length, &target);
        self.form(length, &near.at_end());
        let voiced = is_voiced(symbol);
        let data = &self.data.friction;
        let voice = if voiced { data.voice } else { 0.0 };
        let loud = if voiced { data.voiced } else { 1.0 };
        let pitch = if voiced { -1.0 } else { 1.2 };
        let middle =
            [voice, if voiced { data.voice_tilt } else { 0.0 }, self.speaker.closure_rd, 0.0, loud, pitch];
        let (mut first, mut last) = (middle, middle);
        first[VOICE] = self.edge(near.before);
        first[FRICTION] = if near.before.is_none() { 0.0 } else { data.edge * loud };
        last[VOICE] = self.edge(near.after);
        last[FRICTION] = if near.after.is_none() { 0.0 } else { data.edge * loud };
        self.source.put(0.0, first);
        self.source.put((0.3 * length).min(frames(data.rise_ms)), middle);
        let fall = if near.after.is_none() { data.last_ms } else { data.fall_ms };
        self.source.put(length - (0.3 * length).min(frames(fall)), middle);
        self.source.put(length, last);
    }

    /// Adds the tracks of h: the tract of its neighbours, excited by breath.
    fn glottal(&mut self, symbol: Symbol) {
        let near = self.near;
        let length = self.length;
        self.form(0.0, &near.at_start());
        self.form(length, &near.at_end());
        let voiced = is_voiced(symbol) && near.before.is_some() && near.after.is_some();
        let data = &self.data.glottal;
        let voice = if voiced { data.voice } else { 0.0 };
        let breath = if voiced { data.voiced_breath } else { data.breath };
        let middle = [voice, 0.0, data.rd, breath, 0.0, -1.0];
        let (mut first, mut last) = (middle, middle);
        first[VOICE] = self.edge(near.before);
        last[VOICE] = if voiced { self.edge(near.after) } else { 0.0 };
        first[ASPIRATION] = if near.before.is_none() { 0.05 } else { data.edge };
        last[ASPIRATION] = if near.after.is_none() { 0.0 } else { data.edge };
        self.source.put(0.0, first);
        self.source.put((0.35 * length).min(frames(25.0)), middle);
        self.source.put(length - (0.35 * length).min(frames(20.0)), middle);
        self.source.put(length, last);
    }

    /// Adds the formant transitions of a sonorant; returns their duration.
    fn sonorant_tract(&mut self, symbol: Symbol) -> f32 {
        let near = self.near;
        let into = self.phones.sonorant(symbol).map_or(10.0, |data| data.into_ms);
        let into = frames(into).min(0.4 * self.length);
        let target = near.target();
        let mut start = near.at_start();
        if near.before.is_none() {
            start = target;
        }
        self.form(0.0, &start);
        self.form(into, &target);
        self.form(self.length - into, &target);
        self.form(self.length, &near.at_end());
        into
    }

    fn sonorant(&mut self, symbol: Symbol) {
        let near = self.near;
        let into = self.sonorant_tract(symbol).max(1.0);
        let (middle, first, last) = self.sonorant_levels(symbol);
        let rise = if near.before.is_none() { frames(14.0).min(0.4 * self.length) } else { into };
        let fall = if near.after.is_none() { (0.5 * self.length).min(frames(50.0)) } else { into };
        self.source.put(0.0, first);
        self.source.put(rise, middle);
        self.source.put(self.length - fall, middle);
        self.source.put(self.length, last);
    }

    fn sonorant_levels(&self, symbol: Symbol) -> (Source, Source, Source) {
        let near = self.near;
        let data = self.phones.sonorant(symbol);
        let mut middle = self.modal(loudness(&near.this));
        middle[TILT] = data.map_or(0.0, |data| data.tilt);
        let (mut first, mut last) = (middle, middle);
        first[VOICE] = self.edge(near.before);
        last[VOICE] = self.edge(near.after);
        first[TILT] *= 0.5;
        last[TILT] *= 0.5;
        (middle, first, last)
    }

    /// Adds the tracks of a tap, which has one short contact; a breathy flap ends in breath.
    fn tap(&mut self, symbol: Symbol) {
        let near = self.near;
        self.sonorant_tract(symbol);
        let (mut middle, mut first, mut last) = self.sonorant_levels(symbol);
        let breath_time = f32::from(near.this.breath);
        let contact = self.length - breath_time;
        let open = near.this.prominence;
        first[VOICE] =
            if near.before.is_some() { self.edge(near.before).max(self.data.tap.edge * open) } else { 0.0 };
        self.source.put(0.0, first);
        self.source.put(0.35 * contact, middle);
        self.source.put(0.65 * contact, middle);
        if breath_time > 0.0 {
            middle[VOICE] = 0.6;
            middle[RD] = 2.5;
            middle[ASPIRATION] = 0.6;
            middle[TILT] = 0.0;
            self.source.put(contact, middle);
            self.source.put(self.length - 0.3 * breath_time, middle);
        }
        last[VOICE] = last[VOICE].max(if near.after.is_some() { self.data.tap.edge * open } else { 0.0 });
        self.source.put(self.length, last);
    }

    /// Adds the tracks of a trill: one to four contacts, at about 26 per second (Ladefoged & Maddieson 1996).
    fn trill(&mut self, phone: Phone) {
        let near = self.near;
        self.sonorant_tract(phone.symbol);
        let (middle, first, last) = self.sonorant_levels(phone.symbol);
        let contacts = ((self.length / frames(36.0)) + 0.4).clamp(1.0, 4.0) as usize;
        let period = self.length / contacts as f32;
        let mut closed = middle;
        closed[VOICE] *= self.data.trill.contact;
        closed[TILT] = self.data.trill.tilt;
        self.source.put(0.0, if near.before.is_none() { closed } else { first });
        for contact in 0..contacts {
            let start = contact as f32 * period;
            self.source.put(start + 0.3 * period, closed);
            self.source.put(start + 0.55 * period, closed);
            if contact + 1 < contacts {
                self.source.put(start + 0.9 * period, middle);
            }
        }
        self.source.put(self.length, last);
    }

    /// Returns the frication spectrum of a consonant for the speaker; `None` if the consonant has no frication.
    fn spectrum(&self, symbol: Symbol, onset: &Tract) -> Option<Spectrum> {
        if !matches!(symbol.manner(), Manner::Stop | Manner::Affricate | Manner::Fricative) {
            return None;
        }
        let data = self.phones.noise(symbol);
        let level = crate::tables::linear(self.speaker.frication);
        let onset = tract::for_speaker(onset, self.speaker);
        let peaks = data.peaks.map(|peak| {
            let frequency = match peak.frequency {
                PeakFrequency::Fixed(hertz) => hertz * self.speaker.noise_scale,
                PeakFrequency::F2 => onset[F2],
                PeakFrequency::F3 => onset[F3],
            };
            [frequency, peak.bandwidth, peak.amplitude * level]
        });
        Some(Spectrum { peaks, bypass: data.bypass * level })
    }

    /// Returns the frication of adjacent fricatives that extends into the unit.
    fn overlap(&self) -> Overlap {
        let data = &self.data.friction;
        let fricative = |unit: Option<Unit>| {
            phonation(unit).map(|(symbol, ..)| symbol).filter(|&symbol| is_friction(symbol))
        };
        let own = phonation(Some(self.near.this)).map(|(symbol, ..)| symbol);
        if data.overlap_ms <= 0.0 || own.is_none_or(is_friction) {
            return Overlap::default();
        }
        let level = |symbol: Option<Symbol>| {
            symbol.map_or(0.0, |symbol| data.edge * if is_voiced(symbol) { data.voiced } else { 1.0 })
        };
        let (before, mut after) = (fricative(self.near.before), fricative(self.near.after));
        if own.is_some_and(|symbol| matches!(symbol.manner(), Manner::Stop | Manner::Affricate)) {
            after = None;
        }
        Overlap {
            levels: [level(before), level(after)],
            length: self.length,
            reach: frames(data.overlap_ms).min(0.5 * self.length),
            spectrum: after.and_then(|symbol| self.spectrum(symbol, &self.near.at_end())),
        }
    }
}
