//! Request for a clip of one text, and its HTTP response: a body in an audio format, or events.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::response::Response;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Uri, header};
use shruti_audio::Format;
use shruti_engine::Engine;
use shruti_lang::VoiceId;
use shruti_protocol::fields::Fields;
use shruti_protocol::{ApiError, ErrorCode, SynthesisRequest};
use shruti_service::VoiceAliases;
use shruti_service::app::App;
use shruti_service::auth::Caller;
use shruti_service::authorized::Authorized;
use shruti_service::http::errors::internal;
use shruti_service::http::{ErrorResponse, RequestBody, RequestId};
use shruti_service::metrics::ApiKind;
use shruti_service::synthesis::{ClipWriter, Delivery, Spoken, speak};

use super::fields;
use super::query::Query;
use super::sign_in::ToSpeak;
use super::sound::silence;

/// Parsed request.
pub(crate) struct Asked {
    /// Name of the voice in the engine.
    pub(crate) voice: VoiceId,
    /// Text and its settings. If clarity or engine is absent, the value in the query applies.
    pub(crate) request: SynthesisRequest,
    /// Format of the audio.
    pub(crate) format: Format,
    /// Whether the file header of a short clip contains the length of the clip, if the format has a field for it.
    pub(crate) has_length: bool,
}

/// Request for a clip from an authorised caller within its rate limit.
pub(crate) struct ClipRequest {
    app: Arc<App>,
    caller: Caller,
    pub(crate) id: RequestId,
    pub(crate) uri: Uri,
    body: Arc<RequestBody>,
    /// Time at which the body had been received completely.
    arrived: Duration,
}

impl FromRequestParts<Arc<App>> for ClipRequest {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ErrorResponse> {
        let Authorized { caller, .. } = Authorized::<ToSpeak>::from_request_parts(parts, app).await?;
        // the router adds the request ID and the body to every request
        let id = parts.extensions.get::<RequestId>().copied().ok_or_else(internal)?;
        let body = parts.extensions.get::<Arc<RequestBody>>().cloned().ok_or_else(internal)?;
        let arrived = app.clock.now().monotonic;
        Ok(Self { app: Arc::clone(app), caller, id, uri: parts.uri.clone(), body, arrived })
    }
}

impl ClipRequest {
    /// Returns the engine and the aliases that define the available voices.
    pub(crate) fn voices(&self) -> (&Engine, &VoiceAliases) {
        (&self.app.engine, &self.app.config.voice_aliases)
    }

    /// Reads the body. It must not have been read before.
    pub(crate) async fn body(&mut self) -> Result<Bytes, ApiError> {
        let body = self.body.read(self.app.config.timeouts.body).await?;
        self.arrived = self.app.clock.now().monotonic;
        Ok(body)
    }

    /// Reads the body as a JSON object.
    pub(crate) async fn fields(&mut self) -> Result<Fields, ApiError> {
        fields::object(&self.body().await?, "the body")
    }

    /// Returns the response with the clip in the requested format.
    pub(crate) async fn answer(
        self,
        by: ApiKind,
        asked: &Asked,
        content_type: HeaderValue,
    ) -> Result<Response, ErrorResponse> {
        let writer = || Box::new(asked.format.encoder()) as Box<dyn ClipWriter>;
        let has_length = asked.has_length && asked.format.has_length();
        let sample_rate = asked.format.sample_rate();
        let delivery = Delivery { by, writer: writer(), sample_rate, words: false, has_length };
        self.answer_as(asked, delivery, writer, content_type).await
    }

    /// Returns the response with the clip, serialised by the writer of `delivery`. `again` creates another
    /// writer, for a clip without speech.
    ///
    /// A text that consists only of white space results in a body without audio. Any other text that contains
    /// nothing speakable results in a tenth of a second of silence.
    pub(crate) async fn answer_as(
        self,
        asked: &Asked,
        delivery: Delivery,
        again: impl FnOnce() -> Box<dyn ClipWriter>,
        content_type: HeaderValue,
    ) -> Result<Response, ErrorResponse> {
        let Self { app, caller, arrived, uri, .. } = self;
        let query = Query::of(&uri);
        let clarity = asked.request.clarity.or(query.clarity()?);
        let engine = asked.request.engine.or(query.engine()?);
        if asked.request.text.trim().is_empty() {
            app.auth.spend_token(&caller).await?;
            return Ok(response(Body::from(unspoken(again(), &[])), content_type, &asked.voice, 0));
        }
        let request = SynthesisRequest { clarity, engine, ..asked.request.clone() };
        let voice = asked.voice.clone();
        let spoken = speak(Arc::clone(&app), &caller, voice, &request, delivery, arrived).await;
        let Spoken { body, voice, engine, chars, .. } = match spoken {
            Ok(spoken) => spoken,
            Err(error) if error.code == ErrorCode::EmptyText => {
                app.auth.spend_token(&caller).await?;
                return Ok(response(Body::from(unspoken(again(), silence())), content_type, &asked.voice, 0));
            }
            Err(error) => return Err(error.into()),
        };
        let mut response = response(Body::new(body), content_type, &voice, chars);
        if let Ok(engine) = HeaderValue::from_str(&engine) {
            response.headers_mut().insert(HeaderName::from_static("x-tts-engine"), engine);
        }
        Ok(response)
    }
}

/// Returns the content type of a format.
pub(crate) fn content_type(format: Format) -> HeaderValue {
    HeaderValue::from_str(&format.content_type())
        .unwrap_or(HeaderValue::from_static("application/octet-stream"))
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

/// Returns the body of a clip without speech.
fn unspoken(mut writer: Box<dyn ClipWriter>, samples: &[i16]) -> Vec<u8> {
    let mut bytes = writer.begin(Some(samples.len() as u64));
    bytes.extend(writer.piece(&[], samples));
    bytes.extend(writer.end());
    bytes
}
