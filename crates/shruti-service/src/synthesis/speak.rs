//! One clip, from a request that has been read to a body that streams: admitted, paid for, begun.

use std::sync::Arc;
use std::time::Duration;

use shruti_engine::turn::TurnSettings;
use shruti_lang::{Clarity, Language, VoiceId};
use shruti_protocol::limits::MAX_CHARGED_CHARS;
use shruti_protocol::{ApiError, ErrorCode, SynthesisRequest};
use shruti_text::{Lexicon, Settings, extra_chars};
use tokio::time::timeout;

use super::body::{AudioBody, ClipWriter};
use super::bound::BoundEngine;
use super::clip::{Clip, Opening, SHORT_CHARS};
use super::lexicon;
use super::script::check_script;
use crate::app::App;
use crate::auth::Caller;
use crate::http::errors::{internal, overloaded};
use crate::metering::Charge;
use crate::metrics::SpokenBy;
use crate::traces::TracedEngine;

/// How a clip is sent.
pub struct Delivery {
    /// As which it is counted.
    pub by: SpokenBy,
    /// What writes its body.
    pub writer: Box<dyn ClipWriter>,
    /// Samples a second of what it writes.
    pub sample_rate: u32,
    /// Whether its writer is to be told the words.
    pub words: bool,
    /// Whether a clip is better when its length is known before its first byte.
    pub has_length: bool,
}

/// A clip that has begun to sound.
pub struct Spoken {
    /// It, while it is made.
    pub body: AudioBody,
    /// The voice, in its canonical spelling.
    pub voice: VoiceId,
    /// The language.
    pub language: Language,
    /// The kind of synthesis, as `GET /v1/voices` names it.
    pub engine: String,
    /// What it costs when it is sent whole, in characters.
    pub chars: u32,
    /// From the last byte of the request to the first audible sample.
    pub first_audio: Duration,
}

/// Has a text spoken by a voice of the engine's, for a caller whose request had come whole at `arrived`.
///
/// Everything is checked here: what gives no error gives sound. The caller's token, if it came with one, is used up last.
pub async fn speak(
    app: Arc<App>,
    caller: &Caller,
    voice: VoiceId,
    request: &SynthesisRequest,
    delivery: Delivery,
    arrived: Duration,
) -> Result<Spoken, ApiError> {
    check_script(&request.text, request.language)?;
    let permit = app.streams.admit(&caller.key)?;
    let new_charge = || Charge::new(Arc::clone(&app.metering), Arc::clone(&caller.key), delivery.by);
    let standing = app.standing_lexicon(&caller.key).await?;
    if standing.has_own() || !request.lexicon.is_empty() {
        // pricing reads the whole text: a key that cannot pay for the text alone is refused before
        new_charge().cover(request.chars() as u32).await?;
    }
    let lexicon = lexicon(&request.lexicon, &standing)?;
    let chars = price(request, &lexicon).await?;
    let mut charge = new_charge();
    charge.cover(chars).await?;
    let (engine, clock) = (Arc::new(BoundEngine::new(Arc::clone(&app.engine))), Arc::clone(&app.clock));
    let settings = TurnSettings {
        voice,
        language: request.language,
        speed: request.speed as f32,
        pitch: request.pitch as f32,
        clarity: request.clarity.unwrap_or(Clarity::usual(delivery.sample_rate)),
        lexicon,
        engine: request.engine,
        words: delivery.words,
        // as fast as the reader takes it
        max_lead: None,
    };
    let trace = caller.origin.trace().map(Arc::clone);
    if let Some(trace) = &trace {
        trace.spoken_by(delivery.by.as_str());
    }
    let voices = TracedEngine::of_clip(engine, trace.clone());
    let mut clip = Clip::begin(voices, clock, settings, &request.text, charge);
    let opened = timeout(app.config.timeouts.first_audio, clip.open()).await;
    let mut opening = opened.map_err(|_| overloaded(Duration::from_secs(1)))??;
    let is_short = delivery.has_length && chars <= SHORT_CHARS;
    let is_whole = is_short && clip.complete(&mut opening, app.config.timeouts.whole_clip).await?;
    let Opening { voice, language, engine, pieces } = opening;
    // only now is it sure that there is something to pay for
    app.auth.spend_token(caller).await?;
    let first_audio = app.clock.now().monotonic.saturating_sub(arrived);

    app.metrics.first_audio(delivery.by, first_audio, trace.as_deref());
    if let Some(trace) = &trace {
        trace.first_audio(first_audio);
    }
    let ttfa_us = first_audio.as_micros() as u64;
    tracing::debug!(api = delivery.by.as_str(), chars, language = language.code(), ttfa_us, "speaking");

    let key = Arc::clone(&caller.key);
    let body = AudioBody::new(delivery.writer, pieces, is_whole, clip, permit, app, key);
    Ok(Spoken { body, voice, language, engine, chars, first_audio })
}

/// What a clip costs: the characters of its text, and those by which the readings of the request and its account are longer than the words
/// they replace. The text is read for that, away from the runtime's threads.
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
            "the text has {all} characters or more with its readings in place of the words they are for; the limit \
             is {MAX_CHARGED_CHARS}"
        );
        return Err(ApiError::new(ErrorCode::TextTooLong, message).with_param("lexicon"));
    }
    Ok(all as u32)
}
