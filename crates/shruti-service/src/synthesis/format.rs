//! Response formats of a clip and content negotiation.

use http::{HeaderMap, HeaderValue};
use shruti_audio::{Encoding, Format, FormatError};
use shruti_lang::SAMPLE_RATE;
use shruti_lang::suggestion::did_you_mean;
use shruti_protocol::fields::{invalid_field, quoted};
use shruti_protocol::{ApiError, ErrorCode};

use super::accept::Range;

/// Default bit rate of MP3, in kbit/s.
const MP3_BIT_RATE: u32 = 64;
/// Default bit rate of Opus, in kbit/s.
const OPUS_BIT_RATE: u32 = 32;
/// Sample rate of `audio/basic` and `audio/x-alaw-basic`, in Hz.
const TELEPHONE_RATE: u32 = 8_000;

/// Format and content type of a clip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Representation {
    /// Format.
    pub format: Format,
    /// Content type of the response.
    pub content_type: HeaderValue,
}

impl From<Format> for Representation {
    fn from(format: Format) -> Self {
        Self { format, content_type: MediaType::L16.content_type(format) }
    }
}

/// Parses the value of the field `output_format`.
pub fn named_format(name: &str) -> Result<Format, ApiError> {
    Format::parse_lenient(name).map_err(|error| {
        let meant = match error {
            FormatError::Name => did_you_mean(name, Format::SHORT_NAMES),
            _ => String::new(),
        };
        invalid_field("output_format", format!("output_format '{}' {error}{meant}", quoted(name)))
    })
}

/// Media type that `Accept` can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaType {
    /// Raw samples, as `audio/L16`.
    L16,
    /// Raw samples, as `audio/pcm`.
    Pcm,
    /// Samples after a WAV header, which contains their number if the clip is short.
    Wav,
    /// MP3.
    Mpeg,
    /// Opus in Ogg.
    Ogg,
    /// µ-law at 8,000 Hz.
    Basic,
    /// A-law at 8,000 Hz.
    ALawBasic,
}

impl MediaType {
    /// All types in order of preference.
    pub const ALL: [Self; 7] =
        [Self::L16, Self::Pcm, Self::Wav, Self::Mpeg, Self::Ogg, Self::Basic, Self::ALawBasic];

    /// Returns the default format of this type.
    pub fn format(self) -> Format {
        self.at(SAMPLE_RATE).or_else(|| self.at(TELEPHONE_RATE)).unwrap_or(Format::NATIVE)
    }

    /// Returns the format of this type at a sample rate, if it supports that rate.
    fn at(self, rate: u32) -> Option<Format> {
        let format = match self {
            Self::L16 | Self::Pcm => Format::raw(Encoding::S16Le, rate),
            Self::Wav => Format::wav(Encoding::S16Le, rate),
            Self::Mpeg => Format::mp3(rate, MP3_BIT_RATE),
            // the rate is ignored, because Opus always has 48,000 Hz; a range with another rate does not match this
            // format
            Self::Ogg => Format::ogg_opus(OPUS_BIT_RATE),
            Self::Basic | Self::ALawBasic if rate != TELEPHONE_RATE => return None,
            Self::Basic => Format::raw(Encoding::MuLaw, rate),
            Self::ALawBasic => Format::raw(Encoding::ALaw, rate),
        };
        format.ok()
    }

    /// Returns the content type of a format that is sent as this type.
    pub fn content_type(self, format: Format) -> HeaderValue {
        let native = format == Format::NATIVE;
        match self {
            Self::L16 if native => HeaderValue::from_static("audio/L16; rate=24000; channels=1"),
            Self::Pcm if native => HeaderValue::from_static("audio/pcm; rate=24000; channels=1"),
            Self::Pcm => visible(&format!("audio/pcm; rate={}; channels=1", format.sample_rate())),
            _ => visible(&format.content_type()),
        }
    }

    const fn subtypes(self) -> &'static [&'static str] {
        match self {
            Self::L16 => &["l16"],
            Self::Pcm => &["pcm"],
            Self::Wav => &["wav", "x-wav", "wave", "vnd.wave"],
            Self::Mpeg => &["mpeg", "mp3"],
            Self::Ogg => &["ogg"],
            Self::Basic => &["basic"],
            Self::ALawBasic => &["x-alaw-basic"],
        }
    }
}

/// Converts a content type, which is visible ASCII, to a header value.
fn visible(content_type: &str) -> HeaderValue {
    HeaderValue::from_str(content_type).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}

impl Representation {
    /// Returns the representation that the `Accept` headers prefer, or raw samples at the native rate if there are no
    /// such headers. Returns an error if no supported type is accepted.
    ///
    /// For each type, the most specific matching range applies (RFC 9110, section 12.5.1). Of types with equal quality,
    /// the one that was named more specifically is preferred, then the order of [`MediaType::ALL`].
    pub fn negotiate(headers: &HeaderMap) -> Result<Self, ApiError> {
        let Some(ranges) = Range::of(headers) else { return Ok(Format::NATIVE.into()) };
        let mut best: Option<(f32, u8, MediaType, Format)> = None;
        for media_type in MediaType::ALL {
            let rates = ranges.iter().filter(|range| range.names(media_type)).filter_map(|range| range.rate);
            let mut formats = vec![media_type.format()];
            for format in rates.filter_map(|rate| media_type.at(rate)) {
                // without duplicates, there are few formats even if there are many ranges
                if !formats.contains(&format) {
                    formats.push(format);
                }
            }
            for format in formats {
                let matching = ranges.iter().filter(|range| range.matches_sound(media_type, format));
                let Some(range) = matching.max_by_key(|range| range.specificity()) else { continue };
                let rank = (range.quality, range.specificity());
                let better = best.is_none_or(|(quality, specificity, ..)| rank > (quality, specificity));
                if range.quality > 0.0 && better {
                    best = Some((rank.0, rank.1, media_type, format));
                }
            }
        }
        let Some((.., media_type, format)) = best else {
            let message = "none of the accepted types is supported; accept audio/L16, audio/pcm, audio/wav, \
                           audio/mpeg, audio/ogg, audio/basic or audio/x-alaw-basic (1 channel), or set output_format";
            return Err(ApiError::new(ErrorCode::NotAcceptable, message));
        };
        Ok(Self { format, content_type: media_type.content_type(format) })
    }
}

impl Range {
    fn names(&self, media_type: MediaType) -> bool {
        self.kind == "audio" && media_type.subtypes().contains(&self.subtype.as_str())
    }

    fn matches_sound(&self, media_type: MediaType, format: Format) -> bool {
        let any = self.subtype == "*" && (self.kind == "audio" || self.kind == "*");
        let rate_fits = self.rate.is_none_or(|rate| rate == format.sample_rate());
        self.fits && rate_fits && (any || self.names(media_type))
    }
}

#[cfg(test)]
mod tests {
    use http::header;

    use super::*;

    #[test]
    fn chooses_the_preferred_format() {
        let cases: &[(&[&str], &str, &str)] = &[
            (&[], "pcm_24000", "audio/L16; rate=24000; channels=1"),
            (&[""], "pcm_24000", "audio/L16; rate=24000; channels=1"),
            (&["*/*"], "pcm_24000", "audio/L16; rate=24000; channels=1"),
            (&["audio/*"], "pcm_24000", "audio/L16; rate=24000; channels=1"),
            (&["audio/L16"], "pcm_24000", "audio/L16; rate=24000; channels=1"),
            (&["AUDIO/l16;rate=24000; channels=1"], "pcm_24000", "audio/L16; rate=24000; channels=1"),
            (&["audio/L16;rate=\"24000\""], "pcm_24000", "audio/L16; rate=24000; channels=1"),
            (&["audio/L16;rate=16000"], "pcm_16000", "audio/L16; rate=16000; channels=1"),
            (&["audio/L16;rate=16000, audio/wav;q=0.1"], "pcm_16000", "audio/L16; rate=16000; channels=1"),
            (&["audio/L16;rate=9000, audio/wav;q=0.1"], "wav_24000", "audio/wav"),
            (
                &["audio/L16;rate=16000;q=0.5, audio/L16;rate=8000"],
                "pcm_8000",
                "audio/L16; rate=8000; channels=1",
            ),
            (&["audio/L16;rate=16000;q=0.5, audio/L16"], "pcm_24000", "audio/L16; rate=24000; channels=1"),
            (&["audio/pcm"], "pcm_24000", "audio/pcm; rate=24000; channels=1"),
            (&["audio/pcm;rate=48000"], "pcm_48000", "audio/pcm; rate=48000; channels=1"),
            (&["audio/wav"], "wav_24000", "audio/wav"),
            (&["audio/x-wav"], "wav_24000", "audio/wav"),
            (&["audio/wave, audio/flac"], "wav_24000", "audio/wav"),
            (&["audio/wav, */*"], "wav_24000", "audio/wav"),
            (&["audio/wav, */*;q=0.8"], "wav_24000", "audio/wav"),
            (&["audio/wav;q=0.5, audio/pcm;q=0.6"], "pcm_24000", "audio/pcm; rate=24000; channels=1"),
            (&["audio/wav;q=0.5", "audio/pcm;q=0.6"], "pcm_24000", "audio/pcm; rate=24000; channels=1"),
            (&["audio/L16;q=0, */*"], "pcm_24000", "audio/pcm; rate=24000; channels=1"),
            (&["audio/L16;q=0, audio/pcm;q=0, audio/*"], "wav_24000", "audio/wav"),
            (
                &["text/html, application/xml;q=0.9, */*;q=0.8"],
                "pcm_24000",
                "audio/L16; rate=24000; channels=1",
            ),
            (&["audio/mpeg"], "mp3_24000_64", "audio/mpeg"),
            (&["audio/mp3;rate=44100"], "mp3_44100_64", "audio/mpeg"),
            (&["audio/ogg"], "opus_48000_32", "audio/ogg"),
            (&["audio/ogg; codecs=opus, */*;q=0.1"], "opus_48000_32", "audio/ogg"),
            (&["audio/ogg; codecs=vorbis, audio/mpeg;q=0.1"], "mp3_24000_64", "audio/mpeg"),
            (&["audio/basic"], "mulaw_8000", "audio/basic"),
            (&["audio/x-alaw-basic; rate=8000"], "alaw_8000", "audio/x-alaw-basic"),
            (&["audio/mpeg, audio/wav"], "wav_24000", "audio/wav"),
        ];
        for (accept, format, content_type) in cases {
            let headers: HeaderMap =
                accept.iter().map(|value| (header::ACCEPT, HeaderValue::from_static(value))).collect();
            let chosen = Representation::negotiate(&headers).unwrap();
            assert_eq!(chosen.format.to_string(), *format, "{accept:?}");
            assert_eq!(chosen.content_type, content_type, "{accept:?}");
        }
    }

    #[test]
    fn rejects_unsupported_formats() {
        for accept in [
            "audio/L16;channels=2",
            "audio/L16;rate=9000",
            "audio/basic;rate=16000",
            "audio/ogg;rate=24000",
            "audio/ogg;codecs=vorbis",
            "audio/flac",
            "application/json",
            "*/*;q=0",
            "audio/wav;q=2",
            "nonsense",
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static(accept))]);
            let refused = Representation::negotiate(&headers).unwrap_err();
            assert_eq!(refused.code, ErrorCode::NotAcceptable, "{accept}");
        }
    }

    #[test]
    fn unknown_format_error_lists_formats() {
        let refused = named_format("mp3_24000_192").unwrap_err();
        assert_eq!(
            (refused.code, refused.param.as_deref()),
            (ErrorCode::InvalidField, Some("output_format"))
        );
        let expected = "output_format 'mp3_24000_192' has a bit rate that mp3 does not support at 24000 Hz: 192 kbit/s; \
                        supported rates are 32, 48, 64, 96 and 128";
        assert_eq!(refused.message, expected);
        assert!(named_format("flac").unwrap_err().message.contains("is not a valid audio format"));
    }
}
