//! Surrogate pairs that a client splits between two messages: one half at the end of a text, the other at the start of
//! the next text.

use std::borrow::Cow;

/// Placeholder for the first half until the second half arrives: a word joiner, which is not spoken.
const FIRST_HALF: char = '\u{2060}';

/// Length of an escaped UTF-16 code unit, in bytes: a backslash, `u` and four hexadecimal digits.
const ESCAPE_BYTES: usize = 6;

/// Joins surrogate halves across the messages of one connection.
///
/// JavaScript strings are UTF-16, so a text that is split between two code units may end with half of an emoji. JSON
/// can only write that half as an escape, which is not a valid character. A half without a counterpart becomes U+FFFD.
#[derive(Debug, Default)]
pub(super) struct Surrogates {
    /// First half at the end of a string in an earlier message.
    first: Option<u16>,
}

impl Surrogates {
    /// Returns the message with all surrogate halves joined or replaced, so that every escape is a valid character.
    pub(super) fn join<'a>(&mut self, message: &'a str) -> Cow<'a, str> {
        let mut joined = String::new();
        let (mut copied, mut at) = (0, 0);
        while let Some(place) = message[at..].find('\\').map(|offset| at + offset) {
            let end = place + ESCAPE_BYTES;
            let replacement = match escaped(message, place) {
                Some(0xD800..=0xDBFF) if matches!(escaped(message, end), Some(0xDC00..=0xDFFF)) => {
                    at = end + ESCAPE_BYTES;
                    continue;
                }
                Some(first @ 0xD800..=0xDBFF) if message[end..].starts_with('"') => {
                    self.first = Some(first);
                    FIRST_HALF
                }
                Some(second @ 0xDC00..=0xDFFF) if message[..place].ends_with('"') => {
                    self.first.take().map_or(char::REPLACEMENT_CHARACTER, |first| pair(first, second))
                }
                Some(0xD800..=0xDFFF) => char::REPLACEMENT_CHARACTER,
                _ => {
                    // skips any other escaped character, including a backslash and a quotation mark
                    at = place + 1 + message[place + 1..].chars().next().map_or(0, char::len_utf8);
                    continue;
                }
            };
            joined.push_str(&message[copied..place]);
            joined.push(replacement);
            (copied, at) = (end, end);
        }
        if copied == 0 {
            return Cow::Borrowed(message);
        }
        joined.push_str(&message[copied..]);
        Cow::Owned(joined)
    }
}

/// Returns the UTF-16 code unit of the escape at a position; `None` if there is no such escape.
fn escaped(message: &str, place: usize) -> Option<u16> {
    let digits = message.get(place..place + ESCAPE_BYTES)?.strip_prefix("\\u")?;
    digits
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then(|| u16::from_str_radix(digits, 16).ok())
        .flatten()
}

fn pair(first: u16, second: u16) -> char {
    char::decode_utf16([first, second]).next().and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Joins consecutive messages of one connection.
    fn joined(messages: &[&str]) -> Vec<String> {
        let mut surrogates = Surrogates::default();
        let texts = messages.iter().map(|text| {
            let message = format!(r#"{{"text":"{text}"}}"#);
            let joined = surrogates.join(&message);
            let fields = shruti_protocol::fields::object(joined.as_bytes(), "it").unwrap();
            fields["text"].as_str().unwrap().to_owned()
        });
        texts.collect()
    }

    #[test]
    fn joins_surrogates_across_messages() {
        let cases: [(&[&str], &[&str]); 9] = [
            (&["plain", r"a\n\u0915\\"], &["plain", "a\nक\\"]),
            (&[r"\ud83d\ude00 \uD83D\uDE00"], &["😀 😀"]),
            (&[r"one \ud83d", r"\ude00 two"], &["one \u{2060}", "😀 two"]),
            // one code unit per message, with an empty message in between
            (&[r"\ud83d", "", r"\ude00"], &["\u{2060}", "", "😀"]),
            (&[r"\ud83d", r"\ude00\ud83d", r"\ude01"], &["\u{2060}", "😀\u{2060}", "😁"]),
            // halves that do not form a pair
            (&[r"\ude00 two"], &["\u{FFFD} two"]),
            (&[r"one \ud83d two", r"\ude00"], &["one \u{FFFD} two", "\u{FFFD}"]),
            (&[r"a \ud83d\ud83d\u0041"], &["a \u{FFFD}\u{FFFD}A"]),
            // an escaped backslash does not start an escape
            (&[r"\\ud83d"], &["\\ud83d"]),
        ];
        for (messages, texts) in cases {
            assert_eq!(joined(messages), texts, "{messages:?}");
        }
    }

    #[test]
    fn leaves_invalid_json_unchanged() {
        for message in ["", "\\", "\\u", r#""\ud8"#, r"\ud83", "\\नमस्ते", r#""\u+83d""#, "\\u\u{915}\u{915}"]
        {
            assert_eq!(Surrogates::default().join(message), message);
        }
    }
}
