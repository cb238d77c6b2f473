//! Byte ranges and preconditions for a body of known length (RFC 9110, sections 13 and 14).

use http::{HeaderMap, header};

/// Part of a body that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The whole body: `200`.
    Whole,
    /// The bytes from `first` to `last`, both included: `206`.
    Part {
        /// First byte.
        first: u64,
        /// Last byte.
        last: u64,
    },
    /// A range beyond the body: `416`.
    Nothing,
}

/// Returns whether a request has a `Range` header; [`wanted`] evaluates it.
pub fn is_asked(headers: &HeaderMap) -> bool {
    headers.contains_key(header::RANGE)
}

/// Evaluates the `Range` of a request for a body of `length` bytes with a strong entity tag.
///
/// Only a single byte range is supported. Multiple ranges, other units, malformed ranges and a failed `If-Range` return
/// the whole body, as the RFC allows.
pub fn wanted(headers: &HeaderMap, length: u64, etag: Option<&str>) -> Wanted {
    let mut given = headers.get_all(header::RANGE).iter();
    let (Some(range), None) = (given.next(), given.next()) else { return Wanted::Whole };
    if let Some(condition) = headers.get(header::IF_RANGE)
        && etag.is_none_or(|etag| condition != etag)
    {
        return Wanted::Whole;
    }
    range.to_str().ok().and_then(|range| read(range, length)).unwrap_or(Wanted::Whole)
}

/// Parses a single byte range; returns `None` for anything else.
fn read(range: &str, length: u64) -> Option<Wanted> {
    let (unit, range) = range.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let end = length.checked_sub(1);
    match (number(first.trim_end()), number(last.trim_start())) {
        (Some(first), Some(last)) if last < first => None,
        (Some(first), last) if last.is_some() || last_is_open(range) => Some(match end {
            Some(end) if first <= end => Wanted::Part { first, last: last.unwrap_or(end).min(end) },
            _ => Wanted::Nothing,
        }),
        (None, Some(suffix)) if first.trim().is_empty() => Some(match end {
            Some(end) if suffix > 0 => Wanted::Part { first: length.saturating_sub(suffix), last: end },
            _ => Wanted::Nothing,
        }),
        _ => None,
    }
}

/// Returns whether a range has no last byte.
fn last_is_open(range: &str) -> bool {
    range.trim_end().ends_with('-')
}

/// Parses a decimal number. A number that overflows is clamped to the maximum.
fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// Returns whether `If-None-Match` matches an entity tag, so that the response is `304`.
pub fn is_had(headers: &HeaderMap, etag: &str) -> bool {
    let tags = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    tags.flat_map(|tags| tags.split(','))
        .map(|tag| tag.trim().trim_start_matches("W/"))
        .any(|tag| tag == "*" || tag == etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ETAG: &str = "\"abc\"";

    fn asked(lines: &[(header::HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name.clone(), value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn one_range_is_served_and_all_else_is_the_whole() {
        let part = |first, last| Wanted::Part { first, last };
        for (range, expected) in [
            ("bytes=0-", part(0, 99)),
            ("bytes=0-0", part(0, 0)),
            ("Bytes = 10 - 19 ", part(10, 19)),
            ("bytes=10-1000", part(10, 99)),
            ("bytes=99-99", part(99, 99)),
            ("bytes=10-18446744073709551616", part(10, 99)),
            ("bytes=-1", part(99, 99)),
            ("bytes=-1000", part(0, 99)),
            ("bytes=-99999999999999999999999", part(0, 99)),
            ("bytes=100-", Wanted::Nothing),
            ("bytes=100-200", Wanted::Nothing),
            ("bytes=99999999999999999999-", Wanted::Nothing),
            ("bytes=-0", Wanted::Nothing),
            ("bytes=19-10", Wanted::Whole),
            ("bytes=0-0,2-2", Wanted::Whole),
            ("bytes=0-0,-1", Wanted::Whole),
            ("bytes=-", Wanted::Whole),
            ("bytes=", Wanted::Whole),
            ("bytes=a-b", Wanted::Whole),
            ("bytes=1-b", Wanted::Whole),
            ("bytes=a-1", Wanted::Whole),
            ("bytes=--1", Wanted::Whole),
            ("bytes=1--1", Wanted::Whole),
            ("bytes=0x1-2", Wanted::Whole),
            ("bytes=+1-2", Wanted::Whole),
            ("samples=0-1", Wanted::Whole),
            ("0-1", Wanted::Whole),
        ] {
            assert_eq!(wanted(&asked(&[(header::RANGE, range)]), 100, Some(ETAG)), expected, "{range}");
        }
        assert_eq!(wanted(&HeaderMap::new(), 100, None), Wanted::Whole);
        let twice = [(header::RANGE, "bytes=0-1"), (header::RANGE, "bytes=0-1")];
        assert_eq!(wanted(&asked(&twice), 100, None), Wanted::Whole);
        for range in ["bytes=0-", "bytes=-1"] {
            assert_eq!(wanted(&asked(&[(header::RANGE, range)]), 0, None), Wanted::Nothing, "{range}");
        }
    }

    #[test]
    fn a_range_of_something_older_is_the_whole() {
        let of = |condition| asked(&[(header::RANGE, "bytes=1-2"), (header::IF_RANGE, condition)]);
        let part = Wanted::Part { first: 1, last: 2 };
        assert_eq!(wanted(&of(ETAG), 100, Some(ETAG)), part);
        for other in ["\"abd\"", "W/\"abc\"", "Thu, 26 Nov 2026 10:00:00 GMT"] {
            assert_eq!(wanted(&of(other), 100, Some(ETAG)), Wanted::Whole, "{other}");
        }
        assert_eq!(wanted(&of(ETAG), 100, None), Wanted::Whole);
    }

    #[test]
    fn tags_are_compared_weakly() {
        let had = |tags| is_had(&asked(&[(header::IF_NONE_MATCH, tags)]), ETAG);
        assert!(had(ETAG) && had("W/\"abc\"") && had("\"x\", \"abc\"") && had("*"));
        assert!(!had("\"ab\"") && !had("abc") && !had("") && !is_had(&HeaderMap::new(), ETAG));
    }
}
