//! Back end for the learned voices.

use std::cell::OnceCell;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};
use shruti_backend::{
    Backend, BackendError, Cost, Description, Job, Length, Prepared, Rendered, Style, VoiceDescription,
};
use shruti_lang::{Gender, Language};
use shruti_text::Reader;
use shruti_text::utterance::{Break, Utterance};

use crate::RATE;
use crate::model::{Model, Passage, Settings};
use crate::weights::WeightsError;

const WEIGHTS: &[u8] = include_bytes!("../data/voice.safetensors");

/// Names and genders of the voices, in the order of the model's speaker numbers.
const VOICES: [(&str, Gender); 2] = [("Ananya", Gender::Female), ("Arjun", Gender::Male)];
/// Supported block sizes, in samples: any size up to 100 ms.
const BLOCKS: RangeInclusive<usize> = 1..=2_400;
/// Upper bound for the duration of a step, far above the actual durations.
const LONGEST_STEP: Duration = Duration::from_millis(100);
/// Maximum fraction of the threads' time that rendering may use. The rest is a reserve that keeps the latency low.
const SHARE: f64 = 0.8;
/// Text that is synthesised to measure the cost per sample.
const MEASURED: &str = "आपका ऑर्डर कल शाम तक पहुँच जाएगा।";
/// Number of measurements of the cost per sample.
const MEASUREMENTS: usize = 3;
/// Gain that makes the voices as loud as the parametric voices, about -20 LUFS.
const GAIN: f32 = 0.77;

/// Back end for the voices Ananya and Arjun, which are synthesised by two small neural networks.
#[derive(Debug)]
pub struct LearnedBackend {
    model: Model,
    description: Description,
}

/// State of an utterance while it is rendered.
#[derive(Debug)]
pub struct LearnedRenderState {
    passage: Passage,
    /// Samples of the most recently rendered chunk.
    chunk: Vec<f32>,
    /// Number of samples of `chunk` that have been written to blocks.
    written: usize,
}

impl LearnedBackend {
    /// Loads the embedded weights and measures the cost per sample, which takes less than a second. `threads` is the
    /// number of threads of the back end, at least 1.
    pub fn new(threads: usize) -> Result<Self, WeightsError> {
        let model = Model::new(WEIGHTS)?;
        let threads = threads.max(1);
        let voices = VOICES.map(|(name, gender)| VoiceDescription {
            name: name.into(),
            gender: Some(gender),
            languages: Language::ALL.to_vec(),
            pitch: true,
        });
        let per_sample = in_own_pool(|| seconds_per_sample(&model));
        let mut description = Description {
            name: "learned".to_owned(),
            engine: "learned".to_owned(),
            sample_rate: RATE,
            blocks: BLOCKS,
            cost: Cost {
                prepare_fixed: 0.0,
                prepare_per_symbol: 0.0,
                block_fixed: 0.0,
                block_per_sample: per_sample,
            },
            longest_step: LONGEST_STEP,
            batch: 1,
            threads,
            step_threads: 1,
            max_speeches: 0,
            // the samples are deterministic on one machine, but not across processors
            deterministic: false,
            timestamps: true,
            licence: None,
            voices: voices.to_vec(),
        };
        description.max_speeches = description.sustainable_speeches(SHARE).max(1);
        Ok(Self { model, description })
    }
}

impl Backend for LearnedBackend {
    type RenderState = LearnedRenderState;

    fn description(&self) -> &Description {
        &self.description
    }

    fn prepare(
        &self,
        utterance: &Utterance,
        style: &Style,
    ) -> Result<Prepared<LearnedRenderState>, BackendError> {
        let speaker = VOICES.iter().position(|(name, _)| style.voice == *name);
        let speaker = speaker.ok_or_else(|| BackendError::Unsupported(format!("voice {}", style.voice)))?;
        let closing = utterance.words.last().map_or(Break::None, |word| word.break_after);
        let settings = Settings {
            speaker,
            speed: style.speed,
            pitch: style.pitch,
            pause: pause(closing, style.speed),
            seed: u64::from(utterance.index),
        };
        let passage = in_own_pool(|| self.model.prepare(utterance, &settings));
        let (length, word_times) = (Length::Exact(passage.samples()), passage.words().to_vec());
        let render_state = LearnedRenderState { passage, chunk: Vec::new(), written: 0 };
        Ok(Prepared { render_state, length, word_times })
    }

    fn render(&self, batch: &mut [Job<'_, LearnedRenderState>]) {
        in_own_pool(|| {
            for job in batch {
                job.outcome = Ok(Rendered::Samples(job.render_state.fill(&self.model, job.block)));
            }
        });
    }
}

impl LearnedRenderState {
    /// Fills a block with samples. Returns the number of samples, which is less than the length of the block only at
    /// the end of the audio.
    fn fill(&mut self, model: &Model, block: &mut [i16]) -> usize {
        let mut filled = 0;
        while filled < block.len() {
            if self.written == self.chunk.len() {
                self.chunk.clear();
                self.written = 0;
                if !model.render(&mut self.passage, &mut self.chunk) {
                    break;
                }
                continue;
            }
            let samples = self.chunk[self.written..].iter().zip(&mut block[filled..]);
            let mut count = 0;
            for (sample, place) in samples {
                *place = (sample * GAIN * f32::from(i16::MAX)).round() as i16;
                count += 1;
            }
            self.written += count;
            filled += count;
        }
        filled
    }
}

/// Returns the length of the pause after an utterance that ends with the break `closing`, in samples.
fn pause(closing: Break, speed: f32) -> usize {
    let seconds = match closing {
        Break::None | Break::Phrase => 0.0,
        Break::Group | Break::Breath => 0.12,
        Break::Comma => 0.28,
        Break::Clause => 0.38,
        Break::Sentence => 0.5,
        Break::Paragraph => 0.8,
    };
    (seconds / speed * RATE as f32) as usize
}

/// Returns the time per sample on one core, including planning, in seconds: the minimum of several measurements.
fn seconds_per_sample(model: &Model) -> f64 {
    let mut reader =
        Reader::new(shruti_text::Settings { language: Some(Language::Hindi), ..Default::default() });
    reader.push(MEASURED);
    reader.finish();
    let Some(utterance) = reader.next_utterance() else { return f64::MAX };
    let settings = Settings { speaker: 0, speed: 1.0, pitch: 0.0, pause: 0, seed: 0 };
    let measurements = (0..MEASUREMENTS).map(|_| {
        let began = Instant::now();
        let mut passage = model.prepare(&utterance, &settings);
        let mut samples = Vec::with_capacity(passage.samples());
        while model.render(&mut passage, &mut samples) {}
        began.elapsed().as_secs_f64() / samples.len().max(1) as f64
    });
    measurements.fold(f64::MAX, f64::min)
}

/// Runs `work` in the calling thread's own pool of one thread, so that matrix products use only one core.
fn in_own_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread_local! {
        static POOL: OnceCell<Option<ThreadPool>> = const { OnceCell::new() };
    }
    POOL.with(|pool| match pool.get_or_init(|| ThreadPoolBuilder::new().num_threads(1).build().ok()) {
        Some(pool) => pool.install(work),
        None => work(),
    })
}
