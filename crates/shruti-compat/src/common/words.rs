//! Word timestamps for clients of other services: one time per white-space token of the text.

use shruti_engine::WordMark;

/// White-space token with its time in the turn, in milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TokenTime<'a> {
    /// Exact slice of the text.
    pub(crate) text: &'a str,
    pub(crate) start_ms: f64,
    pub(crate) end_ms: f64,
}

/// Returns the tokens of a mark, usually one. If a mark covers several tokens (`Rs. 1,25,000`), its duration
/// is divided among them in proportion to their lengths.
pub(crate) fn tokens(mark: &WordMark) -> impl Iterator<Item = TokenTime<'_>> {
    let chars = |text: &str| text.chars().count() as f64;
    let all: f64 = mark.text.split_whitespace().map(chars).sum();
    let (start, length) = (f64::from(mark.start_ms), f64::from(mark.end_ms.saturating_sub(mark.start_ms)));
    let mut before = 0.0;
    mark.text.split_whitespace().map(move |text| {
        let at = |chars: f64| start + (length * chars / all).round();
        let start_ms = at(before);
        before += chars(text);
        TokenTime { text, start_ms, end_ms: at(before) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_has_its_own_time() {
        let mark = |text: &str, start_ms, end_ms| WordMark {
            text: text.to_owned(),
            start_ms,
            end_ms,
            char_start: 0,
            char_end: text.chars().count() as u32,
            spoken: None,
        };
        let times = |mark: &WordMark| -> Vec<(String, f64, f64)> {
            tokens(mark).map(|token| (token.text.to_owned(), token.start_ms, token.end_ms)).collect()
        };
        assert_eq!(times(&mark("नमस्ते,", 20, 500)), [("नमस्ते,".to_owned(), 20.0, 500.0)]);
        let shared = times(&mark("Rs. 1,25,000", 100, 1_200));
        assert_eq!(shared, [("Rs.".to_owned(), 100.0, 400.0), ("1,25,000".to_owned(), 400.0, 1_200.0)]);
    }
}
