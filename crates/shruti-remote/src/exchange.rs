//! Exchange for one utterance: the request, with at most one retry, and the received audio.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full};
use shruti_audio::Resampler;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use tower::retry::budget::{Budget, TpsBudget};

use crate::breaker::Breaker;
use crate::channel::{PIECE, Piece};
use crate::decode::Decoder;
use crate::error::RequestError;
use crate::transport::{Body, Transport};

/// Connection settings of a server, shared by all requests.
pub(crate) struct Upstream {
    pub(crate) transport: Transport,
    pub(crate) uri: Uri,
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) rate: u32,
    /// Resampler from the server's rate to 24,000 Hz, in its initial state.
    pub(crate) resampler: Option<Resampler>,
    pub(crate) first_byte: Duration,
    pub(crate) next_byte: Duration,
    pub(crate) breaker: Arc<Breaker>,
    pub(crate) retries: TpsBudget,
}

/// Request for an utterance.
#[derive(Clone, Debug)]
pub(crate) struct UtteranceRequest {
    /// JSON body of the request.
    pub(crate) body: Bytes,
    /// Maximum duration of the audio for the text.
    pub(crate) most: Duration,
}

/// A response whose first audio has been received.
struct StartedResponse {
    body: Body,
    decoder: Decoder,
    first: Vec<i16>,
    waited: Duration,
}

impl Upstream {
    /// Sends the audio of an utterance to a channel. The last message is the result.
    pub(crate) async fn speak(self: Arc<Self>, request: UtteranceRequest, pieces: mpsc::Sender<Piece>) {
        let end = match self.exchange(&request, &pieces).await {
            Ok(()) => Piece::End,
            Err(error) => Piece::Failed(error.into_backend_error()),
        };
        // sending fails only if the receiver was dropped, and then this task is aborted as well
        let _ = pieces.send(end).await;
    }

    async fn exchange(
        &self,
        request: &UtteranceRequest,
        pieces: &mpsc::Sender<Piece>,
    ) -> Result<(), RequestError> {
        self.retries.deposit();
        let deadline = Instant::now() + self.first_byte;
        let attempt = self.breaker.attempt().map_err(RequestError::Open)?;
        let mut started = self.begin(request, deadline).await;
        if started.as_ref().is_err_and(RequestError::is_worth_a_retry) && self.retries.withdraw() {
            started = self.begin(request, deadline).await;
        }
        let spoken = match started {
            Ok(started) => self.read_rest(started, request, pieces).await,
            Err(error) => Err(error),
        };
        match &spoken {
            Err(error) if error.is_outage() => attempt.failed(),
            _ => attempt.succeeded(),
        }
        spoken
    }

    /// Sends the request and waits for the first bytes of audio.
    async fn begin(
        &self,
        request: &UtteranceRequest,
        deadline: Instant,
    ) -> Result<StartedResponse, RequestError> {
        let began = Instant::now();
        let late = |_| RequestError::FirstByte(self.first_byte);
        let response =
            timeout_at(deadline, (self.transport)(self.request(request)?)).await.map_err(late)??;
        check(&response, self.rate)?;
        let mut body = response.into_body();
        let mut decoder = Decoder::new(self.rate, self.resampler.clone(), request.most);
        loop {
            match timeout_at(deadline, next_bytes(&mut body)).await.map_err(late)? {
                Ok(Some(bytes)) if !bytes.is_empty() => {
                    let first = decoder.push(&bytes)?;
                    return Ok(StartedResponse { body, decoder, first, waited: began.elapsed() });
                }
                Ok(Some(_)) => {}
                Ok(None) => return Err(RequestError::Silence),
                Err(cause) => return Err(RequestError::Connection(cause)),
            }
        }
    }

    /// Reads the rest of the response. Only the time spent waiting for the server counts towards the time limits, not
    /// the time spent waiting for space in the channel.
    async fn read_rest(
        &self,
        started: StartedResponse,
        request: &UtteranceRequest,
        pieces: &mpsc::Sender<Piece>,
    ) -> Result<(), RequestError> {
        let StartedResponse { mut body, mut decoder, first, mut waited } = started;
        let most_waiting = self.first_byte + request.most;
        if send(pieces, first).await.is_break() {
            return Ok(());
        }
        loop {
            let requested_at = Instant::now();
            let next = timeout_at(requested_at + self.next_byte, next_bytes(&mut body)).await;
            waited += requested_at.elapsed();
            let made = decoder.produced_ms();
            let samples = match next.map_err(|_| RequestError::Stalled(self.next_byte, made))? {
                Ok(Some(bytes)) => decoder.push(&bytes)?,
                Ok(None) => {
                    let rest = decoder.finish()?;
                    let _ = send(pieces, rest).await;
                    return Ok(());
                }
                Err(cause) => return Err(RequestError::Broken(made, cause)),
            };
            if waited > most_waiting {
                return Err(RequestError::Slow(waited, made));
            }
            if send(pieces, samples).await.is_break() {
                return Ok(());
            }
        }
    }

    fn request(&self, request: &UtteranceRequest) -> Result<Request<Full<Bytes>>, RequestError> {
        let mut request = Request::post(self.uri.clone())
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "audio/pcm, audio/wav;q=0.5")
            .header(header::USER_AGENT, concat!("shruti/", env!("CARGO_PKG_VERSION")))
            .body(Full::new(request.body.clone()))
            .map_err(|error| RequestError::Connection(error.to_string()))?;
        if let Some(authorization) = &self.authorization {
            request.headers_mut().insert(header::AUTHORIZATION, authorization.clone());
        }
        Ok(request)
    }
}

/// Sends samples to the channel in pieces, and waits while the channel is full. Returns `Break` if the receiver was
/// dropped.
async fn send(pieces: &mpsc::Sender<Piece>, samples: Vec<i16>) -> ControlFlow<()> {
    for piece in samples.chunks(PIECE) {
        if pieces.send(Piece::Samples(piece.to_vec())).await.is_err() {
            return ControlFlow::Break(());
        }
    }
    ControlFlow::Continue(())
}

/// Returns the next bytes, or `None` at the end.
async fn next_bytes(body: &mut Body) -> Result<Option<Bytes>, String> {
    loop {
        match body.frame().await {
            None => return Ok(None),
            Some(Err(cause)) => return Err(cause),
            Some(Ok(frame)) => {
                if let Ok(bytes) = frame.into_data() {
                    return Ok(Some(bytes));
                }
            }
        }
    }
}

/// Checks by status and headers whether a response can be audio at `rate`.
fn check(response: &Response<Body>, rate: u32) -> Result<(), RequestError> {
    let (status, headers) = (response.status(), response.headers());
    match status {
        StatusCode::OK => {}
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            return Err(RequestError::Busy { status, retry_after: retry_after(headers) });
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            return Err(RequestError::Status(status, "; check the key in `remote.secret_env`"));
        }
        StatusCode::NOT_FOUND => {
            return Err(RequestError::Status(status, "; check `remote.url`, the model and the voice"));
        }
        _ if status.is_redirection() => {
            return Err(RequestError::Status(status, "; redirects are not followed"));
        }
        _ => return Err(RequestError::Status(status, "")),
    }
    if headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        return Err(RequestError::InvalidAudio("audio with a content encoding".to_owned()));
    }
    let Some(content_type) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    let content_type = content_type.to_str().unwrap_or_default().to_ascii_lowercase();
    let mut parts = content_type.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default();
    let sound = ["pcm", "x-pcm", "raw", "l16", "wav", "x-wav", "wave", "vnd.wave"]
        .map(|name| format!("audio/{name}"));
    if !essence.is_empty()
        && essence != "application/octet-stream"
        && !sound.iter().any(|known| known == essence)
    {
        let shown: String = essence.chars().filter(char::is_ascii_graphic).take(60).collect();
        return Err(RequestError::InvalidAudio(shown));
    }
    let found = parts.find_map(|part| part.strip_prefix("rate=")?.parse().ok());
    match found {
        Some(found) if found != rate => Err(RequestError::Rate { found, expected: rate }),
        _ => Ok(()),
    }
}

/// Returns the delay in the header `Retry-After`, if it is given in seconds.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}
