//! Synthesis of one clip, from a parsed request to a streaming body: admission, charge and start.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http_body::{Body, Frame, SizeHint};
use shruti_audio::Format;
use shruti_engine::turn::TurnSettings;
use shruti_lang::{Clarity, Language, VoiceId};
use shruti_protocol::limits::MAX_CHARGED_CHARS;
use shruti_protocol::{ApiError, ErrorCode, SynthesisRequest};
use shruti_text::{Lexicon, Settings, extra_chars};
use tokio::time::timeout;

use super::body::AudioBody;
use super::bound::BoundEngine;
use super::cached_body::CachedBody;
use super::clip::{Clip, Opening, SHORT_CHARS};
use super::identity::Identity;
use super::lexicon;
use super::recorder::{CacheTarget, Recorder};
use super::traced_engine::TracedEngine;
use super::writer::{AbortReason, ClipStart, ClipWriter};
use crate::app::App;
use crate::auth::Caller;
use crate::clips::{CachedClip, ClipCache, Facts};
use crate::http::errors::{internal, overloaded};
use crate::limits::StreamPermit;
use crate::metering::Charge;
use crate::metrics::ApiKind;
use crate::traces::Trace;

/// Delivery options of a clip.
pub struct Delivery {
    /// API under which the clip is counted.
    pub by: ApiKind,
    /// Writer of the body.
    pub writer: Box<dyn ClipWriter>,
    /// Sample rate of the writer's output, in Hz.
    pub sample_rate: u32,
    /// Whether the writer needs word timestamps.
    pub words: bool,
    /// Whether the format can state its length at the start, so that the response waits briefly for the end of a short
    /// clip.
    pub has_length: bool,
}

/// Body of a clip, from synthesis or from the cache.
pub enum SpokenBody {
    /// From synthesis.
    Synthesized(AudioBody),
    /// From the cache.
    Cached(CachedBody),
}

impl Body for SpokenBody {
    type Data = Bytes;
    type Error = AbortReason;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, AbortReason>>> {
        match self.get_mut() {
            Self::Synthesized(body) => Pin::new(body).poll_frame(context),
            Self::Cached(body) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Synthesized(body) => body.is_end_stream(),
            Self::Cached(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Synthesized(body) => body.size_hint(),
            Self::Cached(body) => body.size_hint(),
        }
    }
}

/// A clip whose audio has started.
pub struct Spoken {
    /// Body.
    pub body: SpokenBody,
    /// Voice, in its canonical spelling.
    pub voice: VoiceId,
    /// Language.
    pub language: Language,
    /// Kind of synthesis, as in `GET /v1/voices`.
    pub engine: String,
    /// Cost of the complete clip, in characters.
    pub chars: u32,
    /// Time from the last byte of the request to the first audible sample.
    pub first_audio: Duration,
}

/// Cache, charge and admission options of a clip.
pub(super) struct Options {
    /// Format of the clip if the cache may be used; `None` otherwise. If a format is set, the writer must write this
    /// format and nothing else.
    pub(super) format: Option<Format>,
    /// Whether the clip has already been charged.
    pub(super) is_paid: bool,
    /// Stream permit, if the request has already been admitted.
    pub(super) permit: Option<Arc<StreamPermit>>,
}

/// Synthesises a text for a caller whose request was completely received at the time `arrived`.
///
/// All checks are made here: if this function returns no error, there is audio. The caller's single-use token, if there
/// is one, is consumed last.
pub async fn speak(
    app: Arc<App>,
    caller: &Caller,
    voice: VoiceId,
    request: &SynthesisRequest,
    delivery: Delivery,
    arrived: Duration,
) -> Result<Spoken, ApiError> {
    let options = Options { format: None, is_paid: false, permit: None };
    speak_with(app, caller, voice, request, delivery, arrived, options).await
}

/// Works like [`speak`], with a writer that writes only `format`. A clip that is in the cache is read from there. A new
/// clip is added to the cache, if it can be cached.
pub async fn speak_or_repeat(
    app: Arc<App>,
    caller: &Caller,
    voice: VoiceId,
    request: &SynthesisRequest,
    format: Format,
    by: ApiKind,
    arrived: Duration,
) -> Result<Spoken, ApiError> {
    let options = Options { format: Some(format), is_paid: false, permit: None };
    let delivery = Delivery::of_format(format, by);
    speak_with(app, caller, voice, request, delivery, arrived, options).await
}

impl Delivery {
    /// Returns delivery options for a format without further framing.
    pub(crate) fn of_format(format: Format, by: ApiKind) -> Self {
        Self {
            by,
            writer: Box::new(format.encoder()),
            sample_rate: format.sample_rate(),
            words: false,
            has_length: format.has_length(),
        }
    }
}

/// Works like [`speak`], with options. The future is boxed, so that its code is not generated again for each handler.
pub(super) fn speak_with<'a>(
    app: Arc<App>,
    caller: &'a Caller,
    voice: VoiceId,
    request: &'a SynthesisRequest,
    delivery: Delivery,
    arrived: Duration,
    options: Options,
) -> BoxFuture<'a, Result<Spoken, ApiError>> {
    synthesize(app, caller, voice, request, delivery, arrived, options).boxed()
}

async fn synthesize(
    app: Arc<App>,
    caller: &Caller,
    voice: VoiceId,
    request: &SynthesisRequest,
    delivery: Delivery,
    arrived: Duration,
    options: Options,
) -> Result<Spoken, ApiError> {
    let Options { format, is_paid, permit } = options;
    let permit = permit.map_or_else(|| app.streams.admit(&caller.key).map(Arc::new), Ok)?;
    let new_charge =
        || Charge::new(Arc::clone(&app.metering), Arc::clone(&caller.key), delivery.by).paid(is_paid);
    let applied = app.lexicon_of_key(&caller.key).await?;
    if applied.has_own() || !request.lexicon.is_empty() {
        // computing the price reads the whole text, so a key whose allowance does not cover the text alone is
        // refused first
        new_charge().cover(request.chars() as u32).await?;
    }
    let lexicon = lexicon(&request.lexicon, &applied)?;
    let cache = app.config.clips.cache.clone();
    let target = cache.zip(format).map(|(cache, format)| {
        let is_shared = cache.is_shared();
        let identity = Identity::of(&app.engine, &caller.key, is_shared, &voice, request, format, &lexicon);
        (cache, format, identity)
    });
    let trace = caller.origin.trace().map(Arc::clone);
    if let Some(trace) = &trace {
        trace.spoken_by(delivery.by.as_str());
    }
    if let Some((cache, _, identity)) = &target
        && let Some(clip) = find(cache, identity).await
        && let Ok(language) = clip.facts.language.parse()
    {
        let Facts { voice, engine, chars, .. } = clip.facts.clone();
        let voice = VoiceId::from(voice.as_str());
        let mut charge = new_charge();
        charge.cover(chars).await?;
        charge.begins(&voice, language);
        app.auth.spend_token(caller).await?;
        let first_audio = began(&app, delivery.by, arrived, trace.as_deref());
        let body = SpokenBody::Cached(CachedBody::charged(clip, charge, permit));
        return Ok(Spoken { body, voice, language, engine, chars, first_audio });
    }
    let chars = price(request, &lexicon).await?;
    let mut charge = new_charge();
    charge.cover(chars).await?;
    let (engine, clock) = (Arc::new(BoundEngine::new(Arc::clone(&app.engine))), Arc::clone(&app.clock));
    let settings = TurnSettings {
        voice,
        language: request.language,
        speed: request.speed as f32,
        pitch: request.pitch as f32,
        clarity: request.clarity.unwrap_or(Clarity::default_for(delivery.sample_rate)),
        lexicon,
        engine: request.engine,
        words: delivery.words,
        // audio is sent as fast as the client reads it
        max_lead: None,
    };
    let voices = TracedEngine::of_clip(engine, trace.clone());
    let mut clip = Clip::begin(voices, clock, settings, &request.text, charge);
    let opened = timeout(app.config.timeouts.first_audio, clip.open()).await;
    let mut opening = opened.map_err(|_| overloaded(Duration::from_secs(1)))??;
    let is_short = delivery.has_length && chars <= SHORT_CHARS;
    let is_whole = is_short && clip.complete(&mut opening, app.config.timeouts.whole_clip).await?;
    let Opening { voice, language, engine, pieces } = opening;
    // the token is consumed only now, because it is now certain that there is audio
    app.auth.spend_token(caller).await?;
    let first_audio = began(&app, delivery.by, arrived, trace.as_deref());
    let ttfa_us = first_audio.as_micros() as u64;
    tracing::debug!(api = delivery.by.as_str(), chars, language = language.code(), ttfa_us, "speaking");

    let mut writer = delivery.writer;
    writer.start(ClipStart { voice: &voice, language, engine: &engine, chars });
    let target = target.filter(|(.., identity)| identity.may_be_kept(&engine));
    let writer = match target {
        Some((cache, format, Identity { digest, .. })) => {
            let facts = Facts {
                voice: voice.to_string(),
                language: language.code().to_owned(),
                engine: engine.clone(),
                chars,
                samples: 0,
            };
            Box::new(Recorder::new(writer, CacheTarget { cache, digest, facts, format }))
        }
        None => writer,
    };
    let key = Arc::clone(&caller.key);
    let body = SpokenBody::Synthesized(AudioBody::new(writer, pieces, is_whole, clip, permit, app, key));
    Ok(Spoken { body, voice, language, engine, chars, first_audio })
}

/// Looks up a clip in the cache. If there may be a file to read, the lookup runs on a blocking thread.
pub(super) async fn find(cache: &Arc<ClipCache>, identity: &Identity) -> Option<CachedClip> {
    if !identity.is_repeatable() || cache.is_missing(&identity.digest) {
        return None;
    }
    let (cache, digest) = (Arc::clone(cache), identity.digest);
    tokio::task::spawn_blocking(move || cache.find(&digest)).await.ok().flatten()
}

/// Records the time to first audio of a clip and returns it.
pub(super) fn began(app: &App, by: ApiKind, arrived: Duration, trace: Option<&Trace>) -> Duration {
    let first_audio = app.clock.now().monotonic.saturating_sub(arrived);
    app.metrics.first_audio(by, first_audio, trace);
    if let Some(trace) = trace {
        trace.first_audio(first_audio);
    }
    first_audio
}

/// Returns the price of a clip: the characters of its text, plus the characters by which lexicon readings of the
/// request and its account are longer than the words that they replace. To count the additional characters, the text is
/// normalised on a blocking thread. Returns an error if the price exceeds [`MAX_CHARGED_CHARS`].
async fn price(request: &SynthesisRequest, lexicon: &Arc<Lexicon>) -> Result<u32, ApiError> {
    let chars = request.chars();
    if !lexicon.has_own() {
        return Ok(chars as u32);
    }
    let settings = Settings { language: request.language, lexicon: Arc::clone(lexicon) };
    let text = request.text.trim().to_owned();
    let most = MAX_CHARGED_CHARS.saturating_sub(chars) as u32;
    let extra = tokio::task::spawn_blocking(move || extra_chars(&text, settings, most)).await;
    let extra = extra.map_err(|_| internal())?;
    let all = chars.saturating_add(extra as usize);
    if extra > most {
        let message = format!(
            "the text has {all} characters or more after words are replaced by their lexicon readings; the limit is \
             {MAX_CHARGED_CHARS}"
        );
        return Err(ApiError::new(ErrorCode::TextTooLong, message).with_param("lexicon"));
    }
    Ok(all as u32)
}
