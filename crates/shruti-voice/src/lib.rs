//! Embedded parametric voices: synthesis of 24 kHz samples from phones.
//!
//! A source-filter synthesiser in the tradition of Klatt (1980) and Klatt & Klatt (1990): a glottal pulse and noise are
//! shaped by resonators whose parameters move from phone to phone.
//!
//! ```
//! use shruti_voice::{Renderer, UtterancePlan, Style};
//! # use shruti_text::{phone::parse_ipa, utterance::*};
//! # let phones = parse_ipa("nəməsteː").unwrap_or_default();
//! # let word = Word {
//! #     text: "नमस्ते".into(), language: shruti_lang::Language::Hindi, syllables: Vec::new(),
//! #     phones, source: 0..6, extra_chars: 0,
//! #     class: shruti_text::Class::Word, weight: Weight::Content, break_after: Break::Sentence, aside: false,
//! #     delivery: Delivery::default(),
//! # };
//! # let utterance = Utterance {
//! #     index: 0, language: shruti_lang::Language::Hindi, words: vec![word], contour: Contour::Statement,
//! #     begins_sentence: true, sentence: 0, source: 0..6,
//! # };
//! let plan = UtterancePlan::new(&utterance, &Style::default());
//! let length = plan.samples();
//! let mut renderer = Renderer::new(plan);
//! let (mut block, mut samples) = ([0; 480], 0);
//! loop {
//!     let count = renderer.render(&mut block);
//!     if count == 0 {
//!         break;
//!     }
//!     samples += count; // … and `block[..count]` goes to the listener
//! }
//! assert_eq!(samples, length);
//! ```
//!
//! # From utterance to audio
//!
//! - `plan` determines the timing and the intonation of an utterance: `duration` computes the duration of each phone,
//!   and `melody` the pitch contour.
//! - `segment_tracks` computes the parameter tracks of a phone in its context: `tract` determines the formants, and the
//!   source parameters follow the phases of the phone.
//! - `renderer` applies the tracks in frames of 2 ms to `glottis`, `noise` and the `filters`.
//! - `tables` contains the data of `data/`: vowels, places of articulation, consonant noises, languages and the two
//!   speakers.
//! - `backend` implements [`Backend`](shruti_backend::Backend) for an engine.
//!
//! # Determinism
//!
//! The same utterance and style produce the same samples on every processor. Noise comes from built-in generators that
//! are seeded with the voice, the language and [`Utterance::index`](shruti_text::utterance::Utterance::index),
//! transcendental functions come from `libm`, and no operations are fused or reordered.
//!
//! # Threads and speed
//!
//! [`UtterancePlan`] and [`Renderer`] are values without shared state; each stream has its own. Rendering does not
//! allocate. The tables are built on first use, which takes some milliseconds; [`warm_up`] builds them in advance.

mod backend;
mod duration;
mod filters;
mod glottis;
mod melody;
mod noise;
mod plan;
mod random_drift;
mod renderer;
mod resonator;
mod segment_tracks;
mod style;
mod tables;
mod track;
mod tract;
#[cfg(feature = "tuning")]
pub mod tuning;
mod variation;
mod voice;

pub use backend::ParametricBackend;
pub use plan::UtterancePlan;
pub use renderer::Renderer;
pub use style::Style;
pub use voice::Voice;

pub use shruti_lang::SAMPLE_RATE;

use shruti_lang::Language;
use shruti_text::utterance::Break;

/// Returns the duration of the pause that these voices insert for a break, in samples at [`SAMPLE_RATE`]. Other back
/// ends can use this duration for voices that do not produce pauses. A `speed` of 1.0 is the normal rate of the
/// language.
pub fn pause_samples(closing: Break, language: Language, speed: f32) -> usize {
    let language = tables::Tables::get().language(language);
    let milliseconds = duration::pause_ms(closing, language, speed);
    (milliseconds * SAMPLE_RATE as f32 / 1_000.0) as usize
}

/// Builds the tables that all voices share, so that the first listener does not wait for them.
pub fn warm_up() {
    tables::Tables::get();
    glottis::Glottis::get();
    resonator::Coefficients::cascade(500.0, 50.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_with_the_break_and_shrink_with_the_speed() {
        for language in Language::ALL {
            let pause = |closing| pause_samples(closing, language, 1.0);
            assert_eq!(pause(Break::None), 0);
            // from 20 ms to a second
            assert!((480..24_000).contains(&pause(Break::Comma)), "{language:?}: {}", pause(Break::Comma));
            assert!(pause(Break::Sentence) > pause(Break::Comma), "{language:?}");
            let fast = pause_samples(Break::Comma, language, 2.0);
            assert_eq!(fast, pause(Break::Comma) / 2, "{language:?}");
        }
    }
}
