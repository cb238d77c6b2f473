//! Phones to 24 kHz samples: the embedded parametric voice.
//!
//! A source-filter synthesiser in the tradition of Klatt (1980) and Klatt & Klatt (1990): a glottal pulse and noise are
//! shaped by resonators that follow the tract from phone to phone.
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
//! # From utterance to sound
//!
//! - `plan` lays out time: `duration` says how long each phone lasts, `melody` which tones it is spoken on.
//! - `segment_tracks` turns one phone among its neighbours into movement: `tract` knows the formants, the source its
//!   phases.
//! - `renderer` follows the movements in frames of 2 ms through `glottis`, `noise` and the `filters`.
//! - `tables` holds what the files of `data/` say of vowels, places, noises, languages and the two speakers.
//! - `backend` gives all this to an engine, behind [`Backend`](shruti_backend::Backend).
//!
//! # Determinism
//!
//! The same utterance and style give the same samples on every processor: noise comes from generators of its own that
//! are seeded from voice, language and [`Utterance::index`](shruti_text::utterance::Utterance::index), transcendental
//! functions from `libm`, and nothing is fused or reordered.
//!
//! # Threads and speed
//!
//! [`UtterancePlan`] and [`Renderer`] are values without shared state: each speech has its own. Rendering allocates
//! nothing. The tables are built when they are first needed, some milliseconds; [`warm_up`] does it earlier.

mod backend;
mod duration;
mod filters;
mod glottis;
mod melody;
mod noise;
mod plan;
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
mod wander;

pub use backend::ParametricBackend;
pub use plan::UtterancePlan;
pub use renderer::Renderer;
pub use style::Style;
pub use voice::Voice;

pub use shruti_lang::SAMPLE_RATE;

use shruti_lang::Language;
use shruti_text::utterance::Break;

/// The pause behind a word, in samples of [`SAMPLE_RATE`], as these voices make it: for voices that make none of their
/// own. `speed` is 1.0 for the language's usual rate.
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
