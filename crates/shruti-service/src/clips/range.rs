//! Byte ranges and preconditions for a body of known length (RFC 9110, sections 13 and 14).

use http::{HeaderMap, header};

/// Requested part of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestedRange {
    /// The whole body: `200`.
    Whole,
    /// The bytes from `first` to `last`, inclusive: `206`.
    Part {
        /// First byte.
        first: u64,
        /// Last byte.
        last: u64,
    },
    /// A range that contains no byte of the body: `416`.
    Unsatisfiable,
}

/// Returns whether a request has a `Range` header; [`requested_range`] evaluates it.
pub fn has_range(headers: &HeaderMap) -> bool {
    headers.contains_key(header::RANGE)
}

/// Evaluates the `Range` of a request for a body of `length` bytes. `etag` is the strong entity tag of the body;
/// without it, every `If-Range` fails.
///
/// Only a single byte range is supported. For multiple ranges, other units, a malformed range or a failed `If-Range`,
/// the result is [`RequestedRange::Whole`], as the RFC allows.
pub fn requested_range(headers: &HeaderMap, length: u64, etag: Option<&str>) -> RequestedRange {
    let mut values = headers.get_all(header::RANGE).iter();
    let (Some(range), None) = (values.next(), values.next()) else { return RequestedRange::Whole };
    if let Some(condition) = headers.get(header::IF_RANGE)
        && etag.is_none_or(|etag| condition != etag)
    {
        return RequestedRange::Whole;
    }
    range.to_str().ok().and_then(|range| read(range, length)).unwrap_or(RequestedRange::Whole)
}

/// Parses a single byte range; returns `None` for anything else.
fn read(range: &str, length: u64) -> Option<RequestedRange> {
    let (unit, range) = range.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let end = length.checked_sub(1);
    match (number(first.trim_end()), number(last.trim_start())) {
        (Some(first), Some(last)) if last < first => None,
        (Some(first), last) if last.is_some() || last_is_open(range) => Some(match end {
            Some(end) if first <= end => RequestedRange::Part { first, last: last.unwrap_or(end).min(end) },
            _ => RequestedRange::Unsatisfiable,
        }),
        (None, Some(suffix)) if first.trim().is_empty() => Some(match end {
            Some(end) if suffix > 0 => {
                RequestedRange::Part { first: length.saturating_sub(suffix), last: end }
            }
            _ => RequestedRange::Unsatisfiable,
        }),
        _ => None,
    }
}

/// Returns whether a range ends with `-`, so that it extends to the end of the body.
fn last_is_open(range: &str) -> bool {
    range.trim_end().ends_with('-')
}

/// Parses a decimal number. A number that overflows is clamped to the maximum.
fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// Returns whether `If-None-Match` matches an entity tag, so that the response is `304`.
pub fn is_not_modified(headers: &HeaderMap, etag: &str) -> bool {
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
    fn serves_single_ranges_only() {
        let part = |first, last| RequestedRange::Part { first, last };
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
            ("bytes=100-", RequestedRange::Unsatisfiable),
            ("bytes=100-200", RequestedRange::Unsatisfiable),
            ("bytes=99999999999999999999-", RequestedRange::Unsatisfiable),
            ("bytes=-0", RequestedRange::Unsatisfiable),
            ("bytes=19-10", RequestedRange::Whole),
            ("bytes=0-0,2-2", RequestedRange::Whole),
            ("bytes=0-0,-1", RequestedRange::Whole),
            ("bytes=-", RequestedRange::Whole),
            ("bytes=", RequestedRange::Whole),
            ("bytes=a-b", RequestedRange::Whole),
            ("bytes=1-b", RequestedRange::Whole),
            ("bytes=a-1", RequestedRange::Whole),
            ("bytes=--1", RequestedRange::Whole),
            ("bytes=1--1", RequestedRange::Whole),
            ("bytes=0x1-2", RequestedRange::Whole),
            ("bytes=+1-2", RequestedRange::Whole),
            ("samples=0-1", RequestedRange::Whole),
            ("0-1", RequestedRange::Whole),
        ] {
            assert_eq!(
                requested_range(&asked(&[(header::RANGE, range)]), 100, Some(ETAG)),
                expected,
                "{range}"
            );
        }
        assert_eq!(requested_range(&HeaderMap::new(), 100, None), RequestedRange::Whole);
        let twice = [(header::RANGE, "bytes=0-1"), (header::RANGE, "bytes=0-1")];
        assert_eq!(requested_range(&asked(&twice), 100, None), RequestedRange::Whole);
        for range in ["bytes=0-", "bytes=-1"] {
            assert_eq!(
                requested_range(&asked(&[(header::RANGE, range)]), 0, None),
                RequestedRange::Unsatisfiable,
                "{range}"
            );
        }
    }

    #[test]
    fn outdated_range_returns_the_whole_body() {
        let of = |condition| asked(&[(header::RANGE, "bytes=1-2"), (header::IF_RANGE, condition)]);
        let part = RequestedRange::Part { first: 1, last: 2 };
        assert_eq!(requested_range(&of(ETAG), 100, Some(ETAG)), part);
        for other in ["\"abd\"", "W/\"abc\"", "Thu, 26 Nov 2026 10:00:00 GMT"] {
            assert_eq!(requested_range(&of(other), 100, Some(ETAG)), RequestedRange::Whole, "{other}");
        }
        assert_eq!(requested_range(&of(ETAG), 100, None), RequestedRange::Whole);
    }

    #[test]
    fn compares_etags_weakly() {
        let had = |tags| is_not_modified(&asked(&[(header::IF_NONE_MATCH, tags)]), ETAG);
        assert!(had(ETAG) && had("W/\"abc\"") && had("\"x\", \"abc\"") && had("*"));
        assert!(!had("\"ab\"") && !had("abc") && !had("") && !is_not_modified(&HeaderMap::new(), ETAG));
    }
}
