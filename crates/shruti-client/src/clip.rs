//! Clip: the audio of one text, received over HTTP.

use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use http::{HeaderMap, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use shruti_lang::{Language, VoiceId};

use crate::Error;

/// Streaming clip: samples arrive as they are synthesised. Dropping it cancels the synthesis on the server.
#[derive(Debug)]
pub struct Clip {
    /// Voice of the clip, in the canonical spelling.
    pub voice: Option<VoiceId>,
    /// Language of the clip.
    pub language: Option<Language>,
    /// Name of the synthesis engine, as in `GET /v1/voices`.
    pub engine: Option<String>,
    /// Number of characters that are charged.
    pub chars: Option<u32>,
    /// Time that the server took, from the last byte of the request to the first audible sample.
    pub server_first_audio: Option<Duration>,
    /// Request ID in the server's log.
    pub request_id: Option<String>,
    body: Incoming,
    /// Buffered bytes: data received before the first call to [`Clip::next`], or half a sample.
    rest: BytesMut,
}

impl Clip {
    pub(crate) async fn new(response: Response<Incoming>) -> Result<Self, Error> {
        let (head, body) = response.into_parts();
        let headers = &head.headers;
        let mut clip = Self {
            voice: text(headers, "x-tts-voice").map(VoiceId::from),
            language: text(headers, "x-tts-language").and_then(|code| code.parse().ok()),
            engine: text(headers, "x-tts-engine").map(str::to_owned),
            chars: text(headers, "x-tts-chars").and_then(|chars| chars.parse().ok()),
            server_first_audio: text(headers, "server-timing").and_then(first_audio),
            request_id: text(headers, "x-request-id").map(str::to_owned),
            body,
            rest: BytesMut::new(),
        };
        if let Some(first) = clip.read().await {
            clip.rest.extend_from_slice(&first?);
        }
        Ok(clip)
    }

    /// Returns the next samples (signed 16-bit little-endian, at least one), or `None` at the end of the clip.
    pub async fn next(&mut self) -> Option<Result<Bytes, Error>> {
        while self.rest.len() < 2 {
            match self.read().await {
                Some(Ok(bytes)) => self.rest.extend_from_slice(&bytes),
                Some(Err(error)) => return Some(Err(error)),
                None => return None,
            }
        }
        let complete = self.rest.len() - self.rest.len() % 2;
        Some(Ok(self.rest.split_to(complete).freeze()))
    }

    /// Returns all remaining samples.
    pub async fn collect(mut self) -> Result<Vec<i16>, Error> {
        let mut samples = Vec::new();
        while let Some(bytes) = self.next().await {
            let mut bytes = bytes?;
            while bytes.has_remaining() {
                samples.push(bytes.get_i16_le());
            }
        }
        Ok(samples)
    }

    async fn read(&mut self) -> Option<Result<Bytes, Error>> {
        loop {
            match self.body.frame().await? {
                Ok(frame) => {
                    if let Ok(bytes) = frame.into_data() {
                        return Some(Ok(bytes));
                    }
                }
                Err(error) => return Some(Err(Error::broken(&error))),
            }
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Returns the time to first audio from the `ttfa;dur=<ms>` part of a `Server-Timing` header.
fn first_audio(timing: &str) -> Option<Duration> {
    let (_, milliseconds) = timing.split_once("ttfa;dur=")?;
    let milliseconds: f64 = milliseconds.split([',', ';']).next()?.trim().parse().ok()?;
    Duration::try_from_secs_f64(milliseconds / 1_000.0).ok()
}
