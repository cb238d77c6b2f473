//! One text as one HTTP body, in the bytes of a format or as events.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use http::{HeaderName, HeaderValue, header};
use shruti_audio::Format;
use shruti_protocol::{ApiError, ErrorCode, SynthesisRequest, VoiceId};

use super::sound::silence;
use crate::app::App;
use crate::auth::Caller;
use crate::metrics::SpokenBy;
use crate::synthesis::{ClipWriter, Delivery, Spoken, speak};

/// What is asked for, once it has been read.
pub(crate) struct Asked {
    /// The voice, one of the engine's.
    pub(crate) voice: VoiceId,
    /// The text and how it is to be spoken.
    pub(crate) request: SynthesisRequest,
    /// The format of the sound.
    pub(crate) format: Format,
    /// Whether a short clip's header is to tell its length, where it has one.
    pub(crate) has_length: bool,
}

/// Answers with the clip in a format.
pub(crate) async fn answer(
    app: Arc<App>,
    caller: &Caller,
    by: SpokenBy,
    asked: &Asked,
    content_type: HeaderValue,
    arrived: Duration,
) -> Result<Response, ApiError> {
    let delivery = Delivery {
        by,
        writer: Box::new(asked.format.encoder()),
        words: false,
        has_length: asked.has_length && asked.format.has_length(),
    };
    let again = || Box::new(asked.format.encoder()) as Box<dyn ClipWriter>;
    answer_as(app, caller, asked, delivery, again, content_type, arrived).await
}

/// Answers with the clip as a writer writes it; `again` makes another one, for a clip without speech.
///
/// White space alone gives a body without sound; what has nothing that can be spoken gives a tenth of a second of silence.
pub(crate) async fn answer_as(
    app: Arc<App>,
    caller: &Caller,
    asked: &Asked,
    delivery: Delivery,
    again: impl FnOnce() -> Box<dyn ClipWriter>,
    content_type: HeaderValue,
    arrived: Duration,
) -> Result<Response, ApiError> {
    if asked.request.text.trim().is_empty() {
        app.auth.spend_token(caller).await?;
        return Ok(response(Body::from(unspoken(again(), &[])), content_type, &asked.voice, 0));
    }
    let (voice, request) = (asked.voice.clone(), &asked.request);
    let spoken = speak(Arc::clone(&app), caller, voice, request, delivery, arrived).await;
    let Spoken { body, voice, chars, .. } = match spoken {
        Ok(spoken) => spoken,
        Err(error) if error.code == ErrorCode::EmptyText => {
            app.auth.spend_token(caller).await?;
            return Ok(response(Body::from(unspoken(again(), silence())), content_type, &asked.voice, 0));
        }
        Err(error) => return Err(error),
    };
    Ok(response(Body::new(body), content_type, &voice, chars))
}

fn response(body: Body, content_type: HeaderValue, voice: &VoiceId, chars: u32) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(HeaderName::from_static("x-tts-chars"), HeaderValue::from(chars));
    if let Ok(voice) = HeaderValue::from_bytes(voice.as_str().as_bytes()) {
        headers.insert(HeaderName::from_static("x-tts-voice"), voice);
    }
    response
}

/// The body of a clip that is not spoken.
fn unspoken(mut writer: Box<dyn ClipWriter>, samples: &[i16]) -> Vec<u8> {
    let mut bytes = writer.begin(Some(samples.len() as u64));
    bytes.extend(writer.piece(&[], samples));
    bytes.extend(writer.end());
    bytes
}
