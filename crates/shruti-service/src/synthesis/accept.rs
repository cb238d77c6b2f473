//! Media ranges of `Accept` headers (RFC 9110, section 12.5.1).

use http::{HeaderMap, header};

/// A media range of an `Accept` header, in lower case.
pub(super) struct Range {
    pub(super) kind: String,
    pub(super) subtype: String,
    /// Sample rate of the range in Hz, if it has one.
    pub(super) rate: Option<u32>,
    /// Whether the rate, if any, is a number and the other parameters match the server's audio.
    pub(super) fits: bool,
    has_parameters: bool,
    pub(super) quality: f32,
}

impl Range {
    /// Returns the media ranges of all `Accept` headers; `None` if there are no such headers or all are empty.
    pub(super) fn of(headers: &HeaderMap) -> Option<Vec<Self>> {
        let mut ranges: Vec<Self> = Vec::new();
        let mut any_given = false;
        for value in headers.get_all(header::ACCEPT) {
            let value = value.to_str().unwrap_or_default();
            any_given |= !value.trim().is_empty();
            ranges.extend(value.split(',').filter_map(Self::parse));
        }
        any_given.then_some(ranges)
    }

    /// Parses a media range; returns `None` if the text is not one.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subtype) = parts.next()?.split_once('/')?;
        let mut range = Self {
            kind: kind.trim().to_ascii_lowercase(),
            subtype: subtype.trim().to_ascii_lowercase(),
            rate: None,
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
                    range.rate = value.parse().ok();
                    range.fits &= range.rate.is_some();
                }
                "channels" => {
                    range.has_parameters = true;
                    range.fits &= value == "1";
                }
                "codecs" if range.subtype == "ogg" => {
                    range.has_parameters = true;
                    range.fits &= value.eq_ignore_ascii_case("opus");
                }
                _ => {}
            }
        }
        Some(range)
    }

    /// Returns how specific the range is: 0 for `*/*`, 1 for `audio/*`, 2 for a full type, 3 for a full type with
    /// parameters.
    pub(super) fn specificity(&self) -> u8 {
        match (self.kind.as_str(), self.subtype.as_str()) {
            ("*", _) => 0,
            (_, "*") => 1,
            _ => 2 + u8::from(self.has_parameters),
        }
    }

    fn matches(&self, media_type: &str) -> bool {
        let is = |own: &str, other| own == "*" || own == other;
        media_type.split_once('/').is_some_and(|(kind, sub)| is(&self.kind, kind) && is(&self.subtype, sub))
    }
}

/// Returns the type that the `Accept` headers prefer. Of two types with equal quality, the one that is named more
/// specifically is preferred, then the first one. Returns the first type if there are no such headers, and `None` if no
/// type is accepted.
pub(super) fn preferred<'a>(
    headers: &HeaderMap,
    mut types: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let Some(ranges) = Range::of(headers) else { return types.next() };
    let mut best: Option<((f32, u8), &str)> = None;
    for media_type in types {
        let matching = ranges.iter().filter(|range| range.matches(media_type));
        let Some(range) = matching.max_by_key(|range| range.specificity()) else { continue };
        let rank = (range.quality, range.specificity());
        if range.quality > 0.0 && best.is_none_or(|(best, _)| rank > best) {
            best = Some((rank, media_type));
        }
    }
    best.map(|(_, media_type)| media_type)
}
