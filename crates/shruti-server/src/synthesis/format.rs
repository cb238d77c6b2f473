//! The forms in which a clip can be sent, and the choice between them.

use http::{HeaderMap, HeaderValue, header};
use shruti_audio::Encoder;
use shruti_protocol::{ApiError, ErrorCode, SAMPLE_RATE};

/// A form of the same samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// `audio/L16`: bare samples.
    L16,
    /// `audio/pcm`: bare samples under another name.
    Pcm,
    /// `audio/wav`: the samples behind a header, which knows their number if the clip is short.
    Wav,
}

impl Format {
    /// All forms, the one to prefer first.
    pub(crate) const ALL: [Self; 3] = [Self::L16, Self::Pcm, Self::Wav];

    /// The content type of the answer.
    pub(crate) const fn content_type(self) -> HeaderValue {
        match self {
            Self::L16 => HeaderValue::from_static("audio/L16; rate=24000; channels=1"),
            Self::Pcm => HeaderValue::from_static("audio/pcm; rate=24000; channels=1"),
            Self::Wav => HeaderValue::from_static("audio/wav"),
        }
    }

    /// What makes its bytes.
    pub(crate) fn encoder(self) -> Box<dyn Encoder> {
        match self {
            Self::L16 | Self::Pcm => shruti_audio::Format::NATIVE.encoder(),
            Self::Wav => shruti_audio::Format::NATIVE_WAV.encoder(),
        }
    }

    /// Whether a clip is better when its length is known before its first byte.
    pub(crate) fn has_length(self) -> bool {
        self == Self::Wav
    }

    const fn subtypes(self) -> &'static [&'static str] {
        match self {
            Self::L16 => &["l16"],
            Self::Pcm => &["pcm"],
            Self::Wav => &["wav", "x-wav", "wave", "vnd.wave"],
        }
    }

    /// The form that the `Accept` headers like best; without any, the first.
    ///
    /// For each form the most specific range that matches it counts (RFC 9110, 12.5.1). Among forms of equal
    /// quality the one that was named more precisely wins, then the order of [`Format::ALL`].
    pub(crate) fn negotiate(headers: &HeaderMap) -> Result<Self, ApiError> {
        let mut ranges: Vec<Range> = Vec::new();
        let mut any_given = false;
        for value in headers.get_all(header::ACCEPT) {
            let value = value.to_str().unwrap_or_default();
            any_given |= !value.trim().is_empty();
            ranges.extend(value.split(',').filter_map(Range::parse));
        }
        if !any_given {
            return Ok(Self::L16);
        }
        let mut best: Option<(f32, u8, Self)> = None;
        for format in Self::ALL {
            let matching = ranges.iter().filter(|range| range.matches(format));
            let Some(range) = matching.max_by_key(|range| range.specificity()) else { continue };
            let rank = (range.quality, range.specificity());
            let better = best.is_none_or(|(quality, specificity, _)| rank > (quality, specificity));
            if range.quality > 0.0 && better {
                best = Some((rank.0, rank.1, format));
            }
        }
        best.map(|(_, _, format)| format).ok_or_else(|| {
            let message = "none of the accepted types can be produced; accept audio/L16, audio/pcm or audio/wav \
                           (24000 Hz, 1 channel)";
            ApiError::new(ErrorCode::NotAcceptable, message)
        })
    }
}

/// One range of an `Accept` header, in lower case.
struct Range {
    kind: String,
    subtype: String,
    /// Whether its parameters, if any, are those of our samples.
    fits: bool,
    has_parameters: bool,
    quality: f32,
}

impl Range {
    /// `None` for what is not a media range.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subtype) = parts.next()?.split_once('/')?;
        let mut range = Self {
            kind: kind.trim().to_ascii_lowercase(),
            subtype: subtype.trim().to_ascii_lowercase(),
            fits: true,
            has_parameters: false,
            quality: 1.0,
        };
        for parameter in parts {
            let Some((name, value)) = parameter.split_once('=') else { continue };
            let value = value.trim().trim_matches('"');
            match name.trim().to_ascii_lowercase().as_str() {
                "q" => range.quality = value.parse().ok().filter(|q| (0.0..=1.0).contains(q)).unwrap_or(0.0),
                "rate" => {
                    range.has_parameters = true;
                    range.fits &= value.parse() == Ok(SAMPLE_RATE);
                }
                "channels" => {
                    range.has_parameters = true;
                    range.fits &= value == "1";
                }
                _ => {}
            }
        }
        Some(range)
    }

    fn matches(&self, format: Format) -> bool {
        let named = self.kind == "audio" && format.subtypes().contains(&self.subtype.as_str());
        self.fits && (named || self.subtype == "*" && (self.kind == "audio" || self.kind == "*"))
    }

    fn specificity(&self) -> u8 {
        match (self.kind.as_str(), self.subtype.as_str()) {
            ("*", _) => 0,
            (_, "*") => 1,
            _ => 2 + u8::from(self.has_parameters),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_that_is_liked_best_is_chosen() {
        use Format::{L16, Pcm, Wav};
        let cases: &[(&[&str], Option<Format>)] = &[
            (&[], Some(L16)),
            (&[""], Some(L16)),
            (&["*/*"], Some(L16)),
            (&["audio/*"], Some(L16)),
            (&["audio/L16"], Some(L16)),
            (&["AUDIO/l16;rate=24000; channels=1"], Some(L16)),
            (&["audio/L16;rate=\"24000\""], Some(L16)),
            (&["audio/pcm"], Some(Pcm)),
            (&["audio/wav"], Some(Wav)),
            (&["audio/x-wav"], Some(Wav)),
            (&["audio/wave, audio/mpeg"], Some(Wav)),
            (&["audio/wav, */*"], Some(Wav)),
            (&["audio/wav, */*;q=0.8"], Some(Wav)),
            (&["audio/wav;q=0.5, audio/pcm;q=0.6"], Some(Pcm)),
            (&["audio/wav;q=0.5", "audio/pcm;q=0.6"], Some(Pcm)),
            (&["audio/L16;q=0, */*"], Some(Pcm)),
            (&["audio/L16;q=0, audio/pcm;q=0, audio/*"], Some(Wav)),
            (&["text/html, application/xml;q=0.9, */*;q=0.8"], Some(L16)),
            (&["audio/L16;rate=16000"], None),
            (&["audio/L16;rate=16000, audio/wav;q=0.1"], Some(Wav)),
            (&["audio/L16;channels=2"], None),
            (&["audio/mpeg"], None),
            (&["application/json"], None),
            (&["*/*;q=0"], None),
            (&["audio/wav;q=2"], None),
            (&["nonsense"], None),
        ];
        for (accept, expected) in cases {
            let headers: HeaderMap =
                accept.iter().map(|value| (header::ACCEPT, HeaderValue::from_static(value))).collect();
            let chosen = Format::negotiate(&headers);
            assert_eq!(chosen.as_ref().ok(), expected.as_ref(), "{accept:?}");
            assert!(expected.is_some() || chosen.is_err_and(|e| e.code == ErrorCode::NotAcceptable));
        }
    }
}
