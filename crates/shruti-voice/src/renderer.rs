//! Renderer of plans to samples, block by block.

use shruti_text::phone::Phone;

use crate::SAMPLE_RATE;
use crate::filters::{Air, AntiResonator, Cascade, Parallel, Shelf, flushed};
use crate::glottis::{Glottis, PERIOD};
use crate::melody::Point;
use crate::noise::Noise;
use crate::plan::{FADE_FRAMES, FRAME, FRAMES_PER_MS, Unit, UtterancePlan};
use crate::random_drift::RandomDrift;
use crate::resonator::Coefficients;
use crate::segment_tracks::{ASPIRATION, FRICTION, PITCH, RD, SegmentTracks, Source, Spectrum, TILT, VOICE};
use crate::tables::{SourceData, Speaker, Tables, linear};
use crate::tract::{B1, F1, F2, F3, F4, Neighbours, POLE, Tract, ZERO};

/// Maximum distance, in units, between a unit and a vowel that affects it.
const VOWEL_SEARCH: usize = 4;
/// Shift that converts a phase, in units of 2^-32 periods, to an index in a glottis table.
const INDEX_SHIFT: u32 = u32::BITS - PERIOD.ilog2();
/// Phase increment per sample at 1 Hz.
const STEP_OF_1_HZ: f32 = 4_294_967_296.0 / SAMPLE_RATE as f32;
/// Number of frames between two targets of the random pitch drift: 200 ms.
const DRIFT_FRAMES: u32 = 100;
/// Level above which the limiter compresses, relative to full scale.
const KNEE: f32 = 0.75;

/// Renderer that produces the samples of an [`UtterancePlan`] on demand.
///
/// The renderer does not borrow the plan, does not allocate while it renders, and produces the same samples regardless
/// of the block sizes. To cancel the stream, drop the renderer.
#[derive(Clone, Debug)]
pub struct Renderer {
    plan: UtterancePlan,
    speaker: &'static Speaker,
    data: &'static SourceData,
    /// Index of the current unit, and number of its frames that have been rendered.
    unit: usize,
    done: u32,
    /// Total number of frames that have been rendered.
    now: u32,
    segment: SegmentTracks,
    melody: PitchCursor,
    tones: PitchCursor,
    shifts: PitchCursor,
    levels: PitchCursor,
    /// Linear gain that markup requested for the preceding frame; 1 by default.
    level: f32,
    voice: Voicing,
    noise: Noise,
    friction_noise: Noise,
    nose: AntiResonator,
    cascade: Cascade,
    friction: Parallel,
    /// Current spectrum of the frication filter.
    spectrum: Spectrum,
    aspiration: f32,
    friction_level: f32,
    tilt: f32,
    tilt_state: f32,
    air: Air,
    shelves: [Shelf; 2],
    gain: f32,
    frame: [i16; FRAME],
    /// Number of samples of `frame` that have been returned.
    given: usize,
}

/// State of the vibrating glottis.
#[derive(Clone, Debug)]
struct Voicing {
    /// Position in the period, and increment per sample, in units of 2^-32 periods.
    phase: u32,
    step: u32,
    table: usize,
    /// Amplitude of the current pulse relative to the mean.
    pulse: f32,
    amplitude: f32,
    random: Noise,
    /// Pitch in semitones above the middle of the speaker's range.
    height: f32,
    drift: RandomDrift<1>,
    /// Random relative deviation of F1 to F4.
    formants: RandomDrift<4>,
    /// Amount of creak at the end of a sentence, 0 to 1, and whether the current pulse is the second of a pair.
    creak: f32,
    second: bool,
    /// Linear amplitude of the noise in the high band, and the noise of the preceding sample.
    turbulence: f32,
    breath: f32,
}

/// Position in a list of points. Values between two points are interpolated.
#[derive(Clone, Copy, Debug, Default)]
struct PitchCursor {
    next: usize,
}

impl PitchCursor {
    /// Returns the height at a frame; frames must not decrease between calls.
    fn at(&mut self, points: &[Point], frame: u32) -> f32 {
        while self.next < points.len() && points[self.next].frame <= frame {
            self.next += 1;
        }
        let before = self.next.checked_sub(1).and_then(|index| points.get(index));
        match (before, points.get(self.next)) {
            (None, None) => 0.0,
            (Some(point), None) | (None, Some(point)) => point.height,
            (Some(from), Some(to)) => {
                let share = (frame - from.frame) as f32 / (to.frame - from.frame) as f32;
                from.height + (to.height - from.height) * share * share * (3.0 - 2.0 * share)
            }
        }
    }
}

impl Renderer {
    /// Creates a renderer for a plan.
    pub fn new(plan: UtterancePlan) -> Self {
        let speaker = Tables::get().speaker(plan.style.voice);
        let mut cascade = Cascade::default();
        for lane in 0..3 {
            let k = Coefficients::cascade(speaker.upper[lane + 1], speaker.upper_bandwidths[lane + 1]);
            cascade.set(5 + lane, k);
        }
        let segment = SegmentTracks::new(&neighbours(&plan.units, 0), speaker);
        let data = &Tables::get().source;
        let mut random = Noise::new(plan.seed ^ 0x51);
        let creak = 0.5 + 0.5 * random.sample();
        let every = (data.phonation.formant_wander_ms * FRAMES_PER_MS) as u32;
        Self {
            speaker,
            data,
            unit: 0,
            done: 0,
            now: 0,
            segment,
            melody: PitchCursor::default(),
            tones: PitchCursor::default(),
            shifts: PitchCursor::default(),
            levels: PitchCursor::default(),
            level: 1.0,
            voice: Voicing {
                phase: 0,
                step: 0,
                table: 0,
                pulse: 1.0,
                amplitude: 0.0,
                random,
                height: 0.0,
                drift: RandomDrift::new(plan.seed ^ 0xd1, DRIFT_FRAMES),
                formants: RandomDrift::new(plan.seed ^ 0xf0, every),
                creak,
                second: false,
                turbulence: linear(speaker.turbulence),
                breath: 0.0,
            },
            noise: Noise::new(plan.seed ^ 0xa5),
            friction_noise: Noise::new(plan.seed ^ 0xf7),
            nose: AntiResonator::default(),
            cascade,
            friction: Parallel::default(),
            spectrum: Spectrum::default(),
            aspiration: 0.0,
            friction_level: 0.0,
            tilt: 0.0,
            tilt_state: 0.0,
            air: Air::new(speaker.air, speaker.air_corner),
            shelves: [
                Shelf::new(speaker.shelf, speaker.shelf_corner),
                Shelf::new(speaker.presence, speaker.presence_corner),
            ],
            gain: linear(speaker.gain + plan.gain),
            frame: [0; FRAME],
            given: FRAME,
            plan,
        }
    }

    /// Fills `out` with the next samples and returns their number: less than the length of `out` only at the end, and 0
    /// after the end.
    pub fn render(&mut self, out: &mut [i16]) -> usize {
        let mut filled = 0;
        while filled < out.len() {
            if self.given == FRAME {
                if self.unit >= self.plan.units.len() {
                    break;
                }
                self.next_frame();
                self.given = 0;
            }
            let count = (FRAME - self.given).min(out.len() - filled);
            out[filled..filled + count].copy_from_slice(&self.frame[self.given..self.given + count]);
            self.given += count;
            filled += count;
        }
        filled
    }

    /// Returns the fundamental frequency of the latest sample in Hz, including jitter; `None` if the glottis does not
    /// vibrate.
    pub fn f0(&self) -> Option<f32> {
        (self.voice.amplitude > 0.0 && self.voice.step > 0).then_some(self.voice.step as f32 / STEP_OF_1_HZ)
    }

    fn next_frame(&mut self) {
        let unit = self.plan.units[self.unit];
        let time = self.done as f32;
        let resting = unit.phone.is_none();
        if resting && self.done >= FADE_FRAMES {
            self.silence();
        } else {
            let mut tract = self.segment.tract.at(time, true);
            let off = self.voice.formants.step(self.now);
            for (formant, off) in tract[F1..=F4].iter_mut().zip(off) {
                *formant *= 1.0 + self.data.phonation.formant_wander * off;
            }
            let source = self.segment.source_at(time + 1.0);
            let fade = if resting { [self.done, self.done + 1].map(fade_gain) } else { [1.0, 1.0] };
            let fade = self.apply_level(fade);
            self.sound(&tract, &source, fade, time);
        }
        self.now += 1;
        self.done += 1;
        if self.done >= unit.frames {
            self.done = 0;
            self.unit += 1;
            if self.unit < self.plan.units.len() {
                self.segment = SegmentTracks::new(&neighbours(&self.plan.units, self.unit), self.speaker);
            }
        }
    }

    /// Multiplies the gains at the start and at the end of a frame by the level that markup requests.
    fn apply_level(&mut self, fade: [f32; 2]) -> [f32; 2] {
        if self.plan.levels.is_empty() {
            return fade;
        }
        let level = linear(self.levels.at(&self.plan.levels, self.now));
        let before = std::mem::replace(&mut self.level, level);
        [fade[0] * before, fade[1] * level]
    }

    /// Renders a silent frame and clears the state of the filters.
    fn silence(&mut self) {
        if self.frame != [0; FRAME] || !self.cascade.is_silent() {
            self.frame = [0; FRAME];
            let (cascade, friction) = (&mut self.cascade, &mut self.friction);
            cascade.reset();
            friction.reset();
            self.nose.reset();
            self.air.reset();
            self.tilt_state = 0.0;
            self.shelves.iter_mut().for_each(Shelf::reset);
        }
    }

    fn sound(&mut self, tract: &Tract, source: &Source, fade: [f32; 2], time: f32) {
        let mut sound = [0.0; FRAME];
        let f0 = self.pitch(source[PITCH]);
        let voiced = self.voice.amplitude > 0.0 || source[VOICE] > 0.0;
        let breathed = self.aspiration > 0.0 || source[ASPIRATION] > 0.0;
        if voiced || breathed {
            self.excite(&mut sound, source, f0);
        }
        if voiced || breathed || !self.cascade.is_silent() {
            let bandwidth = self.speaker.nasal[1];
            self.nose.set(Coefficients::zero(tract[ZERO], bandwidth));
            self.nose.run(&mut sound);
            self.cascade.set(0, Coefficients::cascade(tract[POLE], bandwidth));
            for (lane, formant) in [F1, F2, F3].into_iter().enumerate() {
                self.cascade.set(1 + lane, Coefficients::cascade(tract[formant], tract[B1 + lane]));
            }
            self.cascade.set(4, Coefficients::cascade(tract[F4], self.speaker.upper_bandwidths[0]));
            self.cascade.run(&mut sound);
            self.air.run(&mut sound);
        }
        if self.friction_level > 0.0 || source[FRICTION] > 0.0 || !self.friction.is_silent() {
            self.hiss(&mut sound, source, time);
        }
        self.finish(&mut sound, fade);
    }

    /// Returns the F0 of the current frame in Hz. `perturbation` is the effect of consonants, in semitones.
    fn pitch(&mut self, perturbation: f32) -> f32 {
        let [drift] = self.voice.drift.step(self.now);
        let melody = self.melody.at(&self.plan.melody, self.now);
        let tone = self.tones.at(&self.plan.tones, self.now);
        self.voice.height = (melody + tone) * self.speaker.range + perturbation + self.speaker.drift * drift;
        let shift = self.shifts.at(&self.plan.shifts, self.now);
        let height = self.voice.height + self.plan.style.pitch + shift;
        (self.speaker.f0 * libm::exp2f(height / 12.0)).clamp(50.0, 600.0)
    }

    /// Generates voice and aspiration, before the vocal tract filter.
    fn excite(&mut self, sound: &mut [f32; FRAME], source: &Source, f0: f32) {
        let glottis = Glottis::get();
        let closing = match self.plan.closing {
            Some(start) if self.now > start => ((self.now - start) as f32 / 200.0).min(1.0),
            _ => 0.0,
        };
        let (data, creak) = (&self.data.phonation, &self.data.creak);
        let voice = &mut self.voice;
        let creaks = voice.creak * closing * (0.5 * (creak.below - voice.height)).clamp(0.0, 1.0);
        let rd = source[RD] + closing * (1.0 - creaks) * self.speaker.rd_final + data.rd_pitch * voice.height
            - creaks * creak.rd;
        let f0 = f0 * (1.0 - creaks * creak.f0);
        let level = source[VOICE] * (1.0 + data.level_pitch * voice.height.clamp(-12.0, 12.0));
        if voice.amplitude == 0.0 && source[VOICE] > 0.0 {
            // A pulse starts with the next sample.
            voice.step = voice.step.max(1);
            voice.phase = 0_u32.wrapping_sub(voice.step);
        }
        let amplitude_step = (level - voice.amplitude) * (1.0 / FRAME as f32);
        let aspiration_step = (source[ASPIRATION] - self.aspiration) * (1.0 / FRAME as f32);
        let tilt_step = (source[TILT] - self.tilt) * (1.0 / FRAME as f32);
        let breath_scale = self.data.scale.breath;
        let noise_depth = source[VOICE].min(1.0) * data.noise_depth;
        let mut flow = glottis.flow(voice.table);
        let mut table = glottis.table(voice.table);
        for sample in sound.iter_mut() {
            let is_over;
            (voice.phase, is_over) = voice.phase.overflowing_add(voice.step);
            if is_over {
                // In creaky voice, every second pulse is late and weak.
                voice.second = !voice.second;
                let paired = if voice.second { creaks } else { -creaks };
                let period = 1.0 + self.speaker.jitter * voice.random.sample() + paired * creak.period;
                voice.step = (f0 * period * STEP_OF_1_HZ) as u32;
                voice.pulse = 1.0 + self.speaker.shimmer * voice.random.sample() + paired * creak.amplitude;
                voice.table = Glottis::table_index(rd + data.rd_random * voice.random.sample(), f0);
                table = glottis.table(voice.table);
                flow = glottis.flow(voice.table);
            }
            voice.amplitude += amplitude_step;
            self.aspiration += aspiration_step;
            self.tilt += tilt_step;
            let index = (voice.phase >> INDEX_SHIFT) as usize;
            let share = (voice.phase & ((1 << INDEX_SHIFT) - 1)) as f32 * (1.0 / (1 << INDEX_SHIFT) as f32);
            let pulse = table[index] + (table[index + 1] - table[index]) * share;
            // Turbulence is strongest where the air flow is greatest. In the high band, turbulence is louder than the
            // voice.
            let breath = self.noise.sample();
            let high = breath - voice.breath;
            voice.breath = breath;
            let noise =
                breath * (breath_scale * self.aspiration) + high * (voice.turbulence * voice.amplitude);
            let noise = noise * (1.0 + noise_depth * (flow[Glottis::flow_index(index)] - 1.0));
            let excitation = pulse * (voice.pulse * voice.amplitude) + noise;
            self.tilt_state = excitation + self.tilt * (self.tilt_state - excitation);
            *sample = self.tilt_state;
        }
        voice.amplitude = level;
        self.aspiration = source[ASPIRATION];
        self.tilt = source[TILT];
        self.tilt_state = flushed(self.tilt_state);
    }

    /// Adds frication to the output of the vocal tract filter.
    fn hiss(&mut self, sound: &mut [f32; FRAME], source: &Source, time: f32) {
        if let Some(target) = self.segment.spectrum_at(time).filter(|target| **target != self.spectrum) {
            self.spectrum = *target;
            for (lane, [frequency, bandwidth, amplitude]) in self.spectrum.peaks.into_iter().enumerate() {
                self.friction.set(lane, Coefficients::parallel(frequency, bandwidth, amplitude));
            }
            self.friction.set_bypass(self.spectrum.bypass);
        }
        let step = (source[FRICTION] - self.friction_level) * (1.0 / FRAME as f32);
        let scale = self.data.scale.friction;
        let mut noise = [0.0; FRAME];
        for sample in &mut noise {
            self.friction_level += step;
            *sample = self.friction_noise.sample() * (scale * self.friction_level);
        }
        self.friction_level = source[FRICTION];
        self.friction.run(&noise, sound);
    }

    /// Applies shelves, gain, fade and limiter, and converts to 16 bits.
    fn finish(&mut self, sound: &mut [f32; FRAME], fade: [f32; 2]) {
        self.shelves.iter_mut().for_each(|shelf| shelf.run(sound));
        let fade_step = (fade[1] - fade[0]) * (1.0 / FRAME as f32);
        let mut gain = fade[0] * self.gain;
        let gain_step = fade_step * self.gain;
        for (out, &sample) in self.frame.iter_mut().zip(sound.iter()) {
            gain += gain_step;
            *out = (limit(sample * gain) * 32_700.0) as i16;
        }
    }
}

/// Compresses values above the knee so that they stay below 1.
fn limit(value: f32) -> f32 {
    let size = value.abs();
    if size <= KNEE {
        return value;
    }
    let over = (size - KNEE) / (1.0 - KNEE);
    (KNEE + (1.0 - KNEE) * (over / (1.0 + over))).copysign(value)
}

/// Returns the gain of the decay after a number of frames of a pause.
fn fade_gain(frames: u32) -> f32 {
    let left = 1.0 - (frames as f32 / FADE_FRAMES as f32).min(1.0);
    left * left
}

/// Returns a unit with its neighbours.
fn neighbours(units: &[Unit], index: usize) -> Neighbours {
    let speaking = |unit: &&Unit| unit.phone.is_some();
    let vowel = |unit: &&Unit| unit.phone.is_some_and(Phone::is_vowel);
    let this = units.get(index).copied().unwrap_or(Unit::pause(1));
    let before = units[..index.min(units.len())].iter().rev().take_while(speaking).take(VOWEL_SEARCH);
    let after = units.iter().skip(index + 1).take_while(speaking).take(VOWEL_SEARCH);
    Neighbours {
        before: before.clone().next().copied(),
        this,
        after: after.clone().next().copied(),
        vowel_before: { before }.find(vowel).copied(),
        vowel_after: { after }.find(vowel).copied(),
    }
}
