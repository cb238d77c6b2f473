//! A back end that fails on demand.

use std::time::Duration;

use shruti_backend::{
    Backend, BackendError, Cost, Description, Job, Length, Prepared, Rendered, Style, VoiceDescription,
};
use shruti_lang::{Language, SAMPLE_RATE};
use shruti_text::utterance::Utterance;

/// Number of samples in a block: 100 ms.
const BLOCK: usize = SAMPLE_RATE as usize / 10;

/// Kind and time of the failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulatedFailure {
    /// An error while an utterance is prepared.
    ErrorInPrepare,
    /// A panic while an utterance is prepared.
    PanicInPrepare,
    /// An error instead of the next block after this number of blocks.
    ErrorAfter(usize),
    /// A panic instead of the next block after this number of blocks.
    PanicAfter(usize),
}

/// A back end whose voices have the names of the two embedded voices. It produces a tone until it fails.
#[derive(Debug)]
pub struct FaultyBackend {
    description: Description,
    failure: SimulatedFailure,
}

impl FaultyBackend {
    /// Creates a back end with this failure.
    pub fn new(failure: SimulatedFailure) -> Self {
        let voice = |name: &str| VoiceDescription {
            name: name.into(),
            gender: None,
            languages: Language::ALL.to_vec(),
            pitch: true,
        };
        let description = Description {
            name: "faulty".to_owned(),
            engine: "parametric".to_owned(),
            sample_rate: SAMPLE_RATE,
            blocks: 1..=BLOCK,
            cost: Cost {
                prepare_fixed: 0.0,
                prepare_per_symbol: 0.0,
                block_fixed: 10e-6,
                block_per_sample: 0.0,
            },
            longest_step: Duration::from_millis(10),
            batch: 1,
            step_threads: 1,
            threads: 1,
            max_speeches: 100,
            deterministic: true,
            timestamps: false,
            licence: None,
            voices: ["Ananya", "Arjun"].map(voice).to_vec(),
        };
        Self { description, failure }
    }
}

impl Backend for FaultyBackend {
    /// Number of blocks rendered so far.
    type RenderState = usize;

    fn description(&self) -> &Description {
        &self.description
    }

    fn prepare(&self, _: &Utterance, _: &Style) -> Result<Prepared<usize>, BackendError> {
        match self.failure {
            SimulatedFailure::ErrorInPrepare => Err(BackendError::Failed("simulated failure".to_owned())),
            SimulatedFailure::PanicInPrepare => panic!("simulated panic"),
            SimulatedFailure::ErrorAfter(_) | SimulatedFailure::PanicAfter(_) => Ok(Prepared {
                render_state: 0,
                length: Length::Estimated(100 * BLOCK),
                word_times: Vec::new(),
            }),
        }
    }

    fn render(&self, batch: &mut [Job<'_, usize>]) {
        for job in batch {
            match self.failure {
                SimulatedFailure::ErrorAfter(blocks) if *job.render_state >= blocks => {
                    job.outcome = Err(BackendError::Failed("simulated failure".to_owned()));
                    continue;
                }
                SimulatedFailure::PanicAfter(blocks) if *job.render_state >= blocks => {
                    panic!("simulated panic")
                }
                _ => {}
            }
            for (i, sample) in job.block.iter_mut().enumerate() {
                *sample = if i % 200 < 100 { 4_000 } else { -4_000 };
            }
            *job.render_state += 1;
            job.outcome = Ok(Rendered::Samples(job.block.len()));
        }
    }
}
