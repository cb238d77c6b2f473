//! Glottal source: tables that contain one band-limited period of the flow derivative (model of Liljencrants and Fant).
//!
//! The shape has one parameter, Rd (Fant 1995): 0.5 for a pressed voice, 1.0 for the modal voice of men, 1.4 for that
//! of women, 2.5 for a breathy voice. A table contains one period as a sum of harmonics, so there is no aliasing. There
//! is one table for each Rd step and half octave of F0, because a higher voice has fewer harmonics below half the
//! sample rate. The glottis closes at the same position in all tables, so that a change of shape between periods does
//! not change the pitch.

use std::f64::consts::TAU;
use std::sync::LazyLock;

use crate::SAMPLE_RATE;

/// Number of samples per period in a table.
pub(crate) const PERIOD: usize = 1024;
/// Number of samples per period in a table of the flow.
const FLOW: usize = 128;
/// Position of the glottal closure in a table, as a fraction of the period. The glottis is not open for longer in any
/// shape.
const CLOSING: f64 = 0.8;
const RD_STEPS: usize = 16;
const RD_LOW: f32 = 0.4;
const RD_HIGH: f32 = 2.7;
/// Maximum F0 of each level of tables, in Hz.
const LEVELS: [f32; 7] = [78.0, 110.0, 156.0, 220.0, 311.0, 440.0, 640.0];

/// All tables; built once.
pub(crate) struct Glottis {
    tables: Vec<[f32; PERIOD + 1]>,
    flows: Vec<[f32; FLOW]>,
}

static GLOTTIS: LazyLock<Glottis> = LazyLock::new(Glottis::build);

impl Glottis {
    /// Returns the tables. The first call builds them, which takes some milliseconds.
    pub(crate) fn get() -> &'static Self {
        &GLOTTIS
    }

    /// Returns the index of the table for a shape and an F0 in Hz.
    pub(crate) fn table_index(rd: f32, f0: f32) -> usize {
        let level = LEVELS.iter().position(|&highest| f0 <= highest).unwrap_or(LEVELS.len() - 1);
        let place = (rd.clamp(RD_LOW, RD_HIGH) - RD_LOW) * ((RD_STEPS - 1) as f32 / (RD_HIGH - RD_LOW));
        level * RD_STEPS + (place + 0.5) as usize
    }

    /// Returns one period of the flow derivative and the first sample of the next period. The closing peak is -1 before
    /// band-limiting.
    pub(crate) fn table(&self, index: usize) -> &[f32; PERIOD + 1] {
        &self.tables[index]
    }

    /// Returns the flow through the glottis over one period, relative to its root mean square.
    pub(crate) fn flow(&self, index: usize) -> &[f32; FLOW] {
        &self.flows[index % RD_STEPS]
    }

    /// Converts an index in [`Self::table`] to an index in [`Self::flow`].
    pub(crate) const fn flow_index(index: usize) -> usize {
        index * FLOW / PERIOD
    }

    fn build() -> Self {
        let shapes: Vec<Pulse> = (0..RD_STEPS)
            .map(|step| {
                let share = step as f64 / (RD_STEPS - 1) as f64;
                Pulse::new(f64::from(RD_LOW) + share * f64::from(RD_HIGH - RD_LOW))
            })
            .collect();
        let sines: Vec<f64> = (0..PERIOD).map(|i| libm::sin(TAU * i as f64 / PERIOD as f64)).collect();
        let mut tables = vec![[0.0; PERIOD + 1]; LEVELS.len() * RD_STEPS];
        for (step, pulse) in shapes.iter().enumerate() {
            let mut sum = vec![0.0f64; PERIOD];
            let mut harmonic = 1;
            // The level with the highest F0 has the fewest harmonics and is computed first. Each following level adds
            // harmonics to the sum.
            for level in (0..LEVELS.len()).rev() {
                let most = (f64::from(SAMPLE_RATE) * 0.49 / f64::from(LEVELS[level])) as usize;
                while harmonic <= most {
                    let (real, imaginary) = pulse.harmonic(harmonic);
                    for (i, value) in sum.iter_mut().enumerate() {
                        let sine = sines[(harmonic * i) % PERIOD];
                        let cosine = sines[(harmonic * i + PERIOD / 4) % PERIOD];
                        *value += 2.0 * (real * cosine - imaginary * sine);
                    }
                    harmonic += 1;
                }
                let late = ((1.0 + pulse.close - CLOSING) * PERIOD as f64) as usize;
                tables[level * RD_STEPS + step] = std::array::from_fn(|i| sum[(i + late) % PERIOD] as f32);
            }
        }
        let flows = tables[..RD_STEPS].iter().map(|table| flow(table)).collect();
        Self { tables, flows }
    }
}

/// Returns the flow, relative to its root mean square. `table` contains the derivative of the flow.
fn flow(table: &[f32]) -> [f32; FLOW] {
    let mut sum = 0.0;
    let mut flow = [0.0_f32; FLOW];
    for (index, value) in table[..PERIOD].iter().enumerate() {
        sum += value;
        flow[Glottis::flow_index(index)] = sum;
    }
    let lowest = flow.iter().copied().fold(f32::MAX, f32::min);
    let power = flow.iter().map(|value| (value - lowest) * (value - lowest)).sum::<f32>() / FLOW as f32;
    flow.map(|value| (value - lowest) / power.sqrt())
}

/// The LF model of one period of length 1 with a closing peak of -1.
struct Pulse {
    /// Time of the closing peak.
    close: f64,
    /// Angular frequency, growth rate and scale of the open phase.
    omega: f64,
    alpha: f64,
    scale: f64,
    /// Time constant and decay rate of the return phase.
    ta: f64,
    epsilon: f64,
}

impl Pulse {
    /// Creates the pulse for a shape parameter (Fant 1995, equations 2 to 4).
    fn new(rd: f64) -> Self {
        let ra = ((-1.0 + 4.8 * rd) / 100.0).max(0.003);
        let rk = (22.4 + 11.8 * rd) / 100.0;
        let rg = rk / (4.0 * (0.11 * rd / (0.5 + 1.2 * rk) - ra));
        let peak = 1.0 / (2.0 * rg);
        let close = (peak * (1.0 + rk)).min(0.97);
        let omega = std::f64::consts::PI / peak;
        let ta = ra.min(0.9 * (1.0 - close));
        let rest = 1.0 - close;
        // solve ε·ta = 1 - e^(-ε·rest) by fixed-point iteration from above
        let mut epsilon = 1.0 / ta;
        for _ in 0..200 {
            epsilon = (1.0 - libm::exp(-epsilon * rest)) / ta;
        }
        let decayed = libm::exp(-epsilon * rest);
        let return_area = -((1.0 - decayed) / epsilon - rest * decayed) / (epsilon * ta);
        let open_area = |alpha: f64| {
            let (sine, cosine) = (libm::sin(omega * close), libm::cos(omega * close));
            let growth = libm::exp(alpha * close);
            let area = (growth * (alpha * sine - omega * cosine) + omega) / (alpha * alpha + omega * omega);
            -area / (growth * sine)
        };
        // The integral of the flow derivative over a period must be zero; the open area falls as α grows.
        let (mut low, mut high) = (-60.0, 200.0);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if open_area(middle) + return_area > 0.0 { low = middle } else { high = middle }
        }
        let alpha = 0.5 * (low + high);
        let scale = -1.0 / (libm::exp(alpha * close) * libm::sin(omega * close));
        Self { close, omega, alpha, scale, ta, epsilon }
    }

    /// Returns the Fourier coefficient of a harmonic (real, imaginary), in closed form.
    fn harmonic(&self, number: usize) -> (f64, f64) {
        let w = TAU * number as f64;
        // ∫ e^{(α + i(sω - w))t} over the open phase, for s = ±1; sin = (e^{iω} - e^{-iω}) / 2i
        let open = |sign: f64| {
            let (re, im) = (self.alpha, sign * self.omega - w);
            let growth = libm::exp(re * self.close);
            let top = (growth * libm::cos(im * self.close) - 1.0, growth * libm::sin(im * self.close));
            let norm = re * re + im * im;
            ((top.0 * re + top.1 * im) / norm, (top.1 * re - top.0 * im) / norm)
        };
        let (plus, minus) = (open(1.0), open(-1.0));
        let difference = (plus.0 - minus.0, plus.1 - minus.1);
        // the difference divided by 2i
        let open = (self.scale * difference.1 / 2.0, -self.scale * difference.0 / 2.0);

        let rest = 1.0 - self.close;
        let turn = (libm::cos(w * self.close), -libm::sin(w * self.close));
        // (1 - e^{-(ε + iw)rest}) / (ε + iw)
        let decayed = libm::exp(-self.epsilon * rest);
        let top = (1.0 - decayed * libm::cos(w * rest), decayed * libm::sin(w * rest));
        let norm = self.epsilon * self.epsilon + w * w;
        let decay = ((top.0 * self.epsilon + top.1 * w) / norm, (top.1 * self.epsilon - top.0 * w) / norm);
        let decay = (turn.0 * decay.0 - turn.1 * decay.1, turn.0 * decay.1 + turn.1 * decay.0);
        // ∫ of the constant from the closure to the end: (e^{-iw·close} - 1) / (iw)
        let constant = (decayed * turn.1 / w, -decayed * (turn.0 - 1.0) / w);
        let factor = -1.0 / (self.epsilon * self.ta);
        (open.0 + factor * (decay.0 - constant.0), open.1 + factor * (decay.1 - constant.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the level of a harmonic relative to the first, in dB.
    fn level(rd: f64, number: usize) -> f64 {
        let pulse = Pulse::new(rd);
        let size = |n| {
            let (re, im) = pulse.harmonic(n);
            re.hypot(im)
        };
        20.0 * (size(number) / size(1)).log10()
    }

    #[test]
    fn a_breathier_pulse_falls_off_faster() {
        assert!(level(0.7, 2) > level(1.4, 2) && level(1.4, 2) > level(2.4, 2));
        assert!(level(0.7, 20) > level(1.4, 20) + 5.0, "{} {}", level(0.7, 20), level(1.4, 20));
        // H1-H2 of modal voice is 0 to 10 dB before the vocal tract filter (Hanson 1997).
        assert!((-10.0..2.0).contains(&level(1.0, 2)), "{}", level(1.0, 2));
    }

    #[test]
    fn the_tables_have_no_net_flow_and_one_closing_peak() {
        let glottis = Glottis::get();
        for rd in [0.5, 1.0, 1.5, 2.0, 2.6] {
            let index = Glottis::table_index(rd, 75.0);
            let table = glottis.table(index);
            let sum: f32 = table[..PERIOD].iter().sum();
            assert!(sum.abs() < 0.5, "{rd}: {sum}");
            let (at, lowest) = table.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).unwrap();
            assert!((-1.35..-0.7).contains(lowest), "{rd}: {lowest}");
            assert!((at as f64 / PERIOD as f64 - CLOSING).abs() < 0.02, "{rd}: {at}");
        }
    }

    #[test]
    fn air_flows_while_the_glottis_is_open() {
        let glottis = Glottis::get();
        for rd in [0.5, 1.0, 1.5, 2.0, 2.6] {
            let index = Glottis::table_index(rd, 75.0);
            let flow = glottis.flow(index);
            let power = flow.iter().map(|value| value * value).sum::<f32>() / FLOW as f32;
            assert!((power - 1.0).abs() < 1e-3, "{rd}: {power}");
            let highest = flow.iter().copied().fold(0.0, f32::max);
            let close = (CLOSING * FLOW as f64) as usize;
            let closed = flow[close.midpoint(FLOW)..].iter().copied().fold(0.0, f32::max);
            assert!(closed < 0.2 * highest, "{rd}: {closed} of {highest} while it is closed");
            let (peak, _) = flow.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
            assert!(
                peak > close / 2 && peak < close,
                "{rd}: the flow peaks at {peak}, the glottis closes at {close}"
            );
        }
    }
}
