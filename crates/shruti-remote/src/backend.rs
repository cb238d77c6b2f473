//! Implementation of the engine's back-end trait for remote voices.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Uri};
use serde::Serialize;
use shruti_audio::{Resampler, SAMPLE_RATE};
use shruti_backend::{
    Backend, BackendError, Cost, Description, Job, Length, Licence, Prepared, Style, VoiceDescription,
};
use shruti_lang::{Gender, VoiceId};
use shruti_packs::{Commercial, Remote, RemoteManifest, RemoteText, Sex};
use shruti_text::utterance::Utterance;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;
use tower::retry::budget::TpsBudget;

use crate::channel::{Incoming, PIECE, PIECES};
use crate::error::RemoteLoadError;
use crate::exchange::{Upstream, UtteranceRequest};
use crate::spoken_text::spoken;
use crate::transport::{Transport, network};

/// Lower and upper bound for the maximum duration of the audio of an utterance.
const SOUND: (Duration, Duration) = (Duration::from_secs(5), Duration::from_mins(1));
/// Retry budget: a tenth of the requests in the last ten seconds, plus one per second.
const RETRY_WINDOW: Duration = Duration::from_secs(10);
const RETRIES_A_SECOND: u32 = 1;
const RETRY_SHARE: f32 = 0.1;
/// Estimated number of samples per character, at 15 characters per second.
const SAMPLES_A_CHARACTER: usize = SAMPLE_RATE as usize / 15;

/// Engine back end for remote voices.
pub struct RemoteBackend {
    description: Description,
    upstream: Arc<Upstream>,
    runtime: Handle,
    model: String,
    /// Name of each voice on the server.
    names: HashMap<VoiceId, String>,
    text: RemoteText,
    stream: bool,
}

/// An utterance whose audio is being received. Dropping it cancels the request.
#[derive(Debug)]
pub struct RemoteRenderState {
    incoming: Incoming,
}

/// Body of a request, in `OpenAI`'s format.
#[derive(Serialize)]
struct SpeechRequest<'a> {
    model: &'a str,
    voice: &'a str,
    input: &'a str,
    response_format: &'a str,
    speed: f32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stream: bool,
}

impl RemoteBackend {
    /// Creates a back end for the voices of a manifest. Requests run on `runtime`, which must have its network and time
    /// drivers enabled. No request is sent yet, so an unreachable server is not an error.
    pub fn new(manifest: &RemoteManifest, runtime: &Handle) -> Result<Self, RemoteLoadError> {
        Self::with_transport(manifest, runtime, network()?)
    }

    /// Checks whether [`RemoteBackend::new`] would accept a manifest with the environment variables of this
    /// process.
    pub fn check(manifest: &RemoteManifest) -> Result<(), RemoteLoadError> {
        endpoint(&manifest.remote)?;
        manifest.remote.secret_env.as_deref().map(authorization).transpose()?;
        Ok(())
    }

    pub(crate) fn with_transport(
        manifest: &RemoteManifest,
        runtime: &Handle,
        transport: Transport,
    ) -> Result<Self, RemoteLoadError> {
        let remote = &manifest.remote;
        let uri = endpoint(remote)?;
        let authorization = remote.secret_env.as_deref().map(authorization).transpose()?;
        let upstream = Upstream {
            transport,
            uri,
            authorization,
            rate: remote.rate,
            resampler: (remote.rate != SAMPLE_RATE).then(|| Resampler::between(remote.rate, SAMPLE_RATE)),
            first_byte: Duration::from_millis(remote.first_byte_ms),
            next_byte: Duration::from_millis(remote.next_byte_ms),
            breaker: Arc::default(),
            retries: TpsBudget::new(RETRY_WINDOW, RETRIES_A_SECOND, RETRY_SHARE),
        };
        let names = manifest
            .voices
            .iter()
            .map(|voice| (voice.name.as_str().into(), voice.upstream.clone().unwrap_or_default()));
        Ok(Self {
            description: describe(manifest),
            upstream: Arc::new(upstream),
            runtime: runtime.clone(),
            model: remote.model.clone(),
            names: names.collect(),
            text: remote.text,
            stream: remote.stream,
        })
    }

    /// Starts the request for the text of an utterance.
    fn start(
        &self,
        text: &str,
        utterance: &Utterance,
        style: &Style,
    ) -> Result<Prepared<RemoteRenderState>, BackendError> {
        if style.pitch != 0.0 {
            return Err(BackendError::Unsupported("a pitch shift".to_owned()));
        }
        let voice = self
            .names
            .get(&style.voice)
            .ok_or_else(|| BackendError::Unsupported(format!("voice {}", style.voice)))?;
        let speed = style.speed_of(utterance);
        let request = SpeechRequest {
            model: &self.model,
            voice,
            input: text,
            response_format: "pcm",
            speed,
            stream: self.stream,
        };
        let body = serde_json::to_vec(&request).map_err(|error| BackendError::Failed(error.to_string()))?;
        let chars = text.chars().count();
        let seconds = chars as f32 / speed;
        let most = Duration::from_secs_f32(seconds.min(3_600.0)).clamp(SOUND.0, SOUND.1);
        let (sender, receiver) = mpsc::channel(PIECES);
        let ask = UtteranceRequest { body: Bytes::from(body), most };
        let task = self.runtime.spawn(Arc::clone(&self.upstream).speak(ask, sender));
        let incoming = Incoming::new(receiver, AbortOnDropHandle::new(task));
        Ok(Prepared {
            render_state: RemoteRenderState { incoming },
            length: Length::Estimated(chars * SAMPLES_A_CHARACTER),
            word_times: Vec::new(),
        })
    }
}

impl Backend for RemoteBackend {
    type RenderState = RemoteRenderState;

    fn description(&self) -> &Description {
        &self.description
    }

    fn prepare(
        &self,
        utterance: &Utterance,
        style: &Style,
    ) -> Result<Prepared<RemoteRenderState>, BackendError> {
        self.start(&spoken(utterance), utterance, style)
    }

    fn prepare_written(
        &self,
        utterance: &Utterance,
        written: &dyn Fn() -> String,
        style: &Style,
    ) -> Result<Prepared<RemoteRenderState>, BackendError> {
        match self.text {
            RemoteText::Raw => self.start(written().trim(), utterance, style),
            RemoteText::Spoken => self.prepare(utterance, style),
        }
    }

    fn is_usable(&self) -> bool {
        self.upstream.breaker.is_closed()
    }

    fn render(&self, batch: &mut [Job<'_, RemoteRenderState>]) {
        for job in batch {
            job.outcome = job.render_state.incoming.fill(job.block, &job.waker);
        }
    }
}

impl std::fmt::Debug for RemoteBackend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteBackend").field("name", &self.description.name).finish_non_exhaustive()
    }
}

/// Returns the URI to which requests are sent.
fn endpoint(remote: &Remote) -> Result<Uri, RemoteLoadError> {
    let url = format!("{}/audio/speech", remote.url.trim_end_matches('/'));
    url.parse().map_err(|error| RemoteLoadError::Address(format!("{error}")))
}

/// Returns the `Authorization` header with the key from an environment variable.
fn authorization(name: &str) -> Result<HeaderValue, RemoteLoadError> {
    let key = std::env::var(name).map_err(|_| RemoteLoadError::MissingSecret(name.to_owned()))?;
    let value = HeaderValue::try_from(format!("Bearer {}", key.trim()));
    let mut value = value.map_err(|_| RemoteLoadError::Secret(name.to_owned()))?;
    value.set_sensitive(true);
    Ok(value)
}

fn describe(manifest: &RemoteManifest) -> Description {
    let gender = |sex| match sex {
        Sex::Female => Gender::Female,
        Sex::Male => Gender::Male,
    };
    let voices = manifest.voices.iter().map(|voice| VoiceDescription {
        name: voice.name.as_str().into(),
        gender: voice.sex.map(gender),
        languages: voice.languages.clone(),
        pitch: false,
    });
    let licence = &manifest.licence;
    let licence = Licence {
        spdx: licence.spdx.clone(),
        attribution: licence.attribution.clone(),
        commercial: match licence.commercial {
            Commercial::Yes => Some(true),
            Commercial::No => Some(false),
            Commercial::Unknown => None,
        },
    };
    Description {
        name: manifest.id.clone(),
        engine: "remote".to_owned(),
        sample_rate: SAMPLE_RATE,
        blocks: 1..=PIECE,
        // the local cost is writing a request and copying samples; the server does the work
        cost: Cost {
            prepare_fixed: 1e-4,
            prepare_per_symbol: 0.0,
            block_fixed: 1e-5,
            block_per_sample: 1e-8,
        },
        longest_step: Duration::from_millis(10),
        batch: 1,
        threads: 1,
        step_threads: 0,
        max_speeches: manifest.remote.max_requests,
        deterministic: false,
        timestamps: false,
        licence: Some(licence),
        voices: voices.collect(),
    }
}
