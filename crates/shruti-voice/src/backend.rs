//! The back end of the parametric voices.

use std::num::NonZero;
use std::time::Duration;

use shruti_backend::{
    Backend, BackendError, Cost, Description, Job, Length, Prepared, Rendered, Style, VoiceDescription,
};
use shruti_lang::Language;
use shruti_text::utterance::Utterance;

use crate::{Renderer, UtterancePlan, Voice};

/// Supported block sizes, in samples: any size up to 100 ms.
const BLOCKS: std::ops::RangeInclusive<usize> = 1..=2_400;

/// Cost of rendering a block of 100 ms, in seconds, including text processing and a safety margin. The cost was
/// measured with `benches/engine.rs` of `shruti-engine`.
const BLOCK_COST: f64 = 80e-6;

/// Cost of the steps. The cost of text processing and planning is included in the block cost.
const COST: Cost =
    Cost { prepare_fixed: 0.0, prepare_per_symbol: 0.0, block_fixed: BLOCK_COST, block_per_sample: 0.0 };

/// Upper bound on the duration of a step, far above the actual durations.
const LONGEST_STEP: Duration = Duration::from_millis(10);

/// Maximum fraction of the threads' time that is planned for rendering. The rest is left for text processing and other
/// work.
const SHARE: f64 = 0.5;

/// Back end of the rule-based voices Ananya and Arjun.
#[derive(Debug)]
pub struct ParametricBackend {
    description: Description,
}

impl ParametricBackend {
    /// Creates a back end with one thread per core.
    pub fn new() -> Self {
        Self::with_threads(std::thread::available_parallelism().map_or(1, NonZero::get))
    }

    /// Creates a back end with a number of threads, at least 1.
    pub fn with_threads(threads: usize) -> Self {
        let voices = Voice::ALL.map(|voice| VoiceDescription {
            name: voice.name().into(),
            gender: Some(voice.gender()),
            languages: Language::ALL.to_vec(),
            pitch: true,
        });
        let mut description = Description {
            name: "parametric".to_owned(),
            engine: "parametric".to_owned(),
            sample_rate: crate::SAMPLE_RATE,
            blocks: BLOCKS,
            cost: COST,
            longest_step: LONGEST_STEP,
            batch: 1,
            threads: threads.max(1),
            step_threads: 1,
            max_speeches: 0,
            deterministic: true,
            timestamps: true,
            licence: None,
            voices: voices.to_vec(),
        };
        description.max_speeches = description.sustainable_speeches(SHARE);
        Self { description }
    }
}

impl Default for ParametricBackend {
    fn default() -> Self {
        Self::new()
    }
}

impl Backend for ParametricBackend {
    type RenderState = Renderer;

    fn description(&self) -> &Description {
        &self.description
    }

    fn prepare(&self, utterance: &Utterance, style: &Style) -> Result<Prepared<Renderer>, BackendError> {
        let voice = Voice::named(style.voice.as_str())
            .ok_or_else(|| BackendError::Unsupported(format!("voice {}", style.voice)))?;
        let style = crate::Style { voice, speed: style.speed, pitch: style.pitch };
        let plan = UtterancePlan::new(utterance, &style);
        let length = Length::Exact(plan.samples());
        let word_times = plan.word_times().to_vec();
        Ok(Prepared { render_state: Renderer::new(plan), length, word_times })
    }

    fn render(&self, batch: &mut [Job<'_, Renderer>]) {
        for job in batch {
            let mut written = 0;
            while let Some(rest) = job.block.get_mut(written..).filter(|rest| !rest.is_empty()) {
                match job.render_state.render(rest) {
                    0 => break,
                    samples => written += samples,
                }
            }
            job.outcome = Ok(Rendered::Samples(written));
        }
    }
}
