//! `POST /v1/tts/timed`: a clip with word timestamps, as a stream of objects.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use shruti_audio::{Encoder, Format, SAMPLE_RATE};
use shruti_engine::WordMark;
use shruti_protocol::stream::WordTime;
use shruti_protocol::{ApiError, SynthesisRequest, TimedMessage};
use shruti_service::metrics::ApiKind;

use super::{ClipAccess, ParsedRequest, openapi};
use crate::words::word_time;
use shruti_service::app::App;
use shruti_service::authorized::Authorized;
use shruti_service::http::{ErrorResponse, RequestBody, RequestId, ServerUrl};
use shruti_service::openapi::headers::RequestHeaders;
use shruti_service::synthesis::{self, ClipStart, ClipWriter, Delivery, Framing, Representation};

/// Speak a text, with word timestamps.
///
/// The response contains the clip of `POST /v1/tts` as a stream of JSON objects, sent during synthesis: `start`, then
/// `audio` objects, each with a piece of the audio and the words that begin in it, then `done`. The objects are lines
/// (NDJSON), or Server-Sent Events if `Accept` prefers them. `output_format` selects the format of the audio; the
/// default is `pcm_24000`.
///
/// Everything is checked before the first byte. If synthesis fails after that, or the key is revoked, the last object
/// is `error` instead of `done`.
#[utoipa::path(
    post, path = "/v1/tts/timed", operation_id = "speak_timed", security(("key" = []), ("token" = [])),
    params(RequestHeaders), request_body = SynthesisRequest, responses(openapi::TimedAnswers)
)]
pub(super) async fn speak_timed(
    State(app): State<Arc<App>>,
    Extension(id): Extension<RequestId>,
    server: Option<Extension<ServerUrl>>,
    Authorized { caller, .. }: Authorized<ClipAccess>,
    Extension(body): Extension<Arc<RequestBody>>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let framing = Framing::negotiate(&headers);
    let ParsedRequest { request, voice, warnings, arrived } =
        ParsedRequest::read(&app, &body, &headers).await?;
    let framing = framing?;
    let format = match &request.output_format {
        Some(name) => synthesis::named_format(name)?,
        None => Format::NATIVE,
    };
    let server = server.map(|Extension(server)| server);
    let delivery = Delivery {
        by: ApiKind::Clip,
        writer: Box::new(TimedWriter::new(framing, format, &request.text, id, server)),
        sample_rate: format.sample_rate(),
        words: true,
        has_length: format.has_length(),
    };
    let spoken = synthesis::speak(app, &caller, voice, &request, delivery, arrived).await?;
    Ok(super::respond(spoken, framing.content_type(), format, warnings))
}

/// Writer that converts a clip to [`TimedMessage`]s.
struct TimedWriter {
    framing: Framing,
    format: Format,
    encoder: Box<dyn Encoder>,
    id: RequestId,
    /// Base URL of this server, for links to its documentation.
    server: Option<ServerUrl>,
    /// Number of leading white-space characters of the text. The positions of word marks do not count them.
    skipped: u32,
    start: Option<TimedMessage>,
    chars: u32,
    /// Header of the format; empty after it has been sent with the first bytes of audio.
    header: Vec<u8>,
    /// Words whose audio the encoder still holds.
    words: Vec<WordTime>,
    /// Number of samples that have been encoded.
    samples: u64,
}

impl TimedWriter {
    fn new(framing: Framing, format: Format, text: &str, id: RequestId, server: Option<ServerUrl>) -> Self {
        let skipped = text.chars().take_while(|c| c.is_whitespace()).count() as u32;
        Self {
            framing,
            format,
            encoder: format.encoder(),
            id,
            server,
            skipped,
            start: None,
            chars: 0,
            header: Vec::new(),
            words: Vec::new(),
            samples: 0,
        }
    }

    fn write(&self, message: &TimedMessage) -> Vec<u8> {
        // serialisation of plain data cannot fail
        let json = serde_json::to_string(message).unwrap_or_default();
        self.framing.write(message.type_name(), &json)
    }

    /// Returns an `audio` object with the pending header, `bytes` and the pending words. Returns no bytes if both the
    /// header and `bytes` are empty.
    fn audio(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut sound = std::mem::take(&mut self.header);
        sound.extend_from_slice(bytes);
        if sound.is_empty() {
            return Vec::new();
        }
        let words = std::mem::take(&mut self.words);
        self.write(&TimedMessage::Audio { audio: STANDARD.encode(&sound), words })
    }
}

impl ClipWriter for TimedWriter {
    fn start(&mut self, clip: ClipStart<'_>) {
        self.chars = clip.chars;
        let content_type = Representation::from(self.format).content_type;
        self.start = Some(TimedMessage::Start {
            voice: clip.voice.clone(),
            language: clip.language,
            engine: clip.engine.to_owned(),
            output_format: self.format.to_string(),
            content_type: content_type.to_str().unwrap_or_default().to_owned(),
            sample_rate: self.format.sample_rate(),
        });
    }

    fn begin(&mut self, samples: Option<u64>) -> Vec<u8> {
        self.header = self.encoder.header(samples);
        self.start.take().map(|start| self.write(&start)).unwrap_or_default()
    }

    fn piece(&mut self, words: &[WordMark], samples: &[i16]) -> Vec<u8> {
        self.samples += samples.len() as u64;
        // the positions of word marks count from the first character that is not white space
        let in_text = |mut word: WordTime| {
            word.char_start += self.skipped;
            word.char_end += self.skipped;
            word
        };
        self.words.extend(words.iter().cloned().map(word_time).map(in_text));
        let bytes = self.encoder.encode(samples);
        self.audio(&bytes)
    }

    fn end(&mut self) -> Vec<u8> {
        let last = self.encoder.finish();
        let mut bytes = self.audio(&last);
        let audio_ms = self.samples * 1_000 / u64::from(SAMPLE_RATE);
        bytes.extend(self.write(&TimedMessage::Done { audio_ms: audio_ms as u32, chars: self.chars }));
        bytes
    }

    fn broken(&mut self, error: ApiError) -> Option<Vec<u8>> {
        let server = self.server.as_ref().map(ServerUrl::as_str);
        let error = error.with_docs_at(server).into_body(self.id.to_string()).error;
        Some(self.write(&TimedMessage::Error { error }))
    }

    fn bytes(&self, _samples: u64) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use shruti_lang::Language;
    use shruti_protocol::ErrorCode;

    use super::*;

    fn mark(text: &str, start_ms: u32, char_start: u32) -> WordMark {
        let char_end = char_start + text.chars().count() as u32;
        WordMark {
            text: text.to_owned(),
            start_ms,
            end_ms: start_ms + 80,
            char_start,
            char_end,
            spoken: None,
        }
    }

    fn writer(format: &str, text: &str) -> TimedWriter {
        let format = synthesis::named_format(format).unwrap();
        let mut writer = TimedWriter::new(Framing::Lines, format, text, RequestId::new(), None);
        let voice = "Arjun".into();
        writer.start(ClipStart { voice: &voice, language: Language::Hindi, engine: "rules", chars: 5 });
        writer
    }

    fn messages(bytes: &[u8]) -> Vec<TimedMessage> {
        let lines = std::str::from_utf8(bytes).unwrap().lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn audio_and_words_arrive_once_and_in_order_in_every_format() {
        let samples: Vec<i16> = (0..9_600_i16).map(|sample| sample % 800).collect();
        for format in ["pcm_24000", "wav_24000", "mulaw_8000", "mp3_24000_64", "opus_48000_32"] {
            let mut expected = synthesis::named_format(format).unwrap().encoder();
            let mut sound = expected.header(None);
            let mut writer = writer(format, "\n ab cd");
            let mut bytes = writer.begin(None);
            for (index, part) in samples.chunks(480).enumerate() {
                sound.extend(expected.encode(part));
                let words = match index {
                    0 => vec![mark("ab", 0, 0)],
                    9 => vec![mark("cd", 190, 3)],
                    _ => Vec::new(),
                };
                bytes.extend(writer.piece(&words, part));
            }
            sound.extend(expected.finish());
            bytes.extend(writer.end());

            let messages = messages(&bytes);
            let [start, pieces @ .., done] = messages.as_slice() else { panic!("{messages:?}") };
            assert!(
                matches!(start, TimedMessage::Start { output_format, .. } if output_format == format),
                "{start:?}"
            );
            assert_eq!(*done, TimedMessage::Done { audio_ms: 400, chars: 5 });
            let (mut received, mut words, mut ms) = (Vec::new(), Vec::new(), 0);
            for piece in pieces {
                let TimedMessage::Audio { audio, words: of_piece } = piece else { panic!("{piece:?}") };
                assert!(!audio.is_empty());
                received.extend(STANDARD.decode(audio).unwrap());
                // audio that the encoder delays may arrive with or after its word, never before it
                assert!(
                    of_piece.iter().all(|word| word.start_ms >= ms),
                    "{format}: {of_piece:?} after {ms} ms"
                );
                if format == "pcm_24000" {
                    ms = (received.len() / 48) as u32;
                }
                words.extend(of_piece.iter().map(|word| (word.text.clone(), word.char_start, word.char_end)));
            }
            assert_eq!(received, sound, "{format}");
            assert_eq!(words, [("ab".to_owned(), 2, 4), ("cd".to_owned(), 5, 7)], "{format}");
        }
    }

    #[test]
    fn an_interrupted_clip_ends_with_its_error() {
        let mut writer = writer("pcm_24000", "a");
        let mut bytes = writer.begin(None);
        bytes.extend(writer.piece(&[], &[1, 2]));
        bytes.extend(writer.broken(ApiError::new(ErrorCode::RevokedApiKey, "revoked")).unwrap());
        let messages = messages(&bytes);
        let TimedMessage::Error { error } = &messages[2] else { panic!("{messages:?}") };
        assert_eq!((error.code, messages.len()), (ErrorCode::RevokedApiKey, 3));
    }
}
