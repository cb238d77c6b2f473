//! Grouping of word timestamps into subtitle cues, with their lines and times.

use shruti_protocol::stream::WordTime;
use unicode_width::UnicodeWidthStr;

/// Maximum width of a line, in columns.
const LINE: usize = 42;
/// Maximum duration of a cue, in milliseconds.
const LONGEST_MS: u32 = 7_000;
/// Minimum duration, in milliseconds, of a cue that is closed at the end of a sentence before the cue is full.
const SENTENCE_MS: u32 = 1_200;
/// Minimum duration of a cue, in milliseconds, unless the next cue starts before then.
const SHORTEST_MS: u32 = 1_000;
/// Minimum duration of a pause that ends a cue, in milliseconds.
const PAUSE_MS: u32 = 1_000;

/// Words that are shown together, on one or two lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cue {
    pub(super) start_ms: u32,
    pub(super) end_ms: u32,
    pub(super) lines: Vec<String>,
}

/// Builder that groups words into cues.
#[derive(Debug, Default)]
pub(super) struct Cues {
    /// Words of the current cue.
    words: Vec<Shown>,
    /// Previous cue. Its end is not final yet, because the start of the next cue limits it.
    last: Option<Cue>,
}

/// Word as it is shown.
#[derive(Clone, Debug)]
struct Shown {
    text: String,
    /// `true` if no white space precedes the word.
    is_joined: bool,
    start_ms: u32,
    end_ms: u32,
    char_end: u32,
}

impl Cues {
    /// Adds the next word, and returns the cues that it completes.
    pub(super) fn push(&mut self, word: &WordTime) -> Vec<Cue> {
        // Markdown marks are not shown
        let text = word.text.trim_matches(['*', '_', '~', '`', '#']).to_owned();
        if text.is_empty() {
            return Vec::new();
        }
        let WordTime { start_ms, end_ms, char_start, char_end, .. } = *word;
        let is_joined = self.words.last().is_some_and(|last| last.char_end == char_start);
        let new = Shown { text, is_joined, start_ms, end_ms, char_end };
        let mut joined = Vec::new();
        if let (Some(first), Some(last)) = (self.words.first(), self.words.last()) {
            let ends = new.start_ms.saturating_sub(last.end_ms) >= PAUSE_MS
                || (ends_with(&last.text, ".?!…।॥۔؟")
                    && last.end_ms.saturating_sub(first.start_ms) >= SENTENCE_MS);
            if ends {
                joined.extend(self.end_behind(self.words.len()));
            }
        }
        self.words.push(new);
        // the remaining words may still not fit after one cue is removed
        while self.words.len() > 1 && !fits(&self.words) {
            joined.extend(self.end_behind(best_end(&self.words)));
        }
        joined
    }

    /// Returns the remaining cues. Call this after all words have been added.
    pub(super) fn finish(mut self) -> Vec<Cue> {
        let mut joined: Vec<Cue> = Vec::new();
        if !self.words.is_empty() {
            joined.extend(self.end_behind(self.words.len()));
        }
        joined.extend(self.last.map(|cue| lengthened(cue, u32::MAX)));
        joined
    }

    /// Combines the first `words` words into a cue, stores that cue in `last`, and returns the previous cue.
    fn end_behind(&mut self, words: usize) -> Option<Cue> {
        let words: Vec<Shown> = self.words.drain(..words).collect();
        let (start_ms, end_ms) = (words.first()?.start_ms, words.last()?.end_ms);
        let before = self.last.replace(Cue { start_ms, end_ms, lines: lines(&words) })?;
        Some(lengthened(before, start_ms))
    }
}

/// Extends a cue to the minimum duration, but not beyond the start of the next cue.
fn lengthened(mut cue: Cue, next_ms: u32) -> Cue {
    let wanted = cue.end_ms.max(cue.start_ms.saturating_add(SHORTEST_MS));
    cue.end_ms = wanted.min(next_ms).max(cue.start_ms);
    cue
}

/// Returns whether words fit into one cue.
fn fits(words: &[Shown]) -> bool {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return true };
    let first_line = longest_line(words);
    last.end_ms.saturating_sub(first.start_ms) <= LONGEST_MS && width(&words[first_line..]) <= LINE
}

/// Returns the maximum number of words that fit on the first line, at least one.
fn longest_line(words: &[Shown]) -> usize {
    (1..=words.len()).take_while(|&end| end == 1 || width(&words[..end]) <= LINE).last().unwrap_or(0)
}

/// Returns the number of words to put into a cue that is full: the words up to the last end of a clause if they are at
/// least half as wide as a line, otherwise all but the last word.
fn best_end(words: &[Shown]) -> usize {
    let most = words.len() - 1;
    let clause = (1..=most).rev().find(|&end| ends_with(&words[end - 1].text, ".?!…।॥۔؟,;:،؛—–"));
    clause.filter(|&end| width(&words[..end]) >= LINE / 2).unwrap_or(most)
}

/// Returns whether a word ends with one of these marks, ignoring closing quotes and brackets.
fn ends_with(word: &str, marks: &str) -> bool {
    let closers = ['"', '\'', '”', '’', '»', ')', ']'];
    word.trim_end_matches(closers).ends_with(|c| marks.contains(c))
}

/// Arranges words on one line, or on two lines of similar width, with the break preferably after a clause.
fn lines(words: &[Shown]) -> Vec<String> {
    if width(words) <= LINE {
        return vec![join(words)];
    }
    let cost = |&end: &usize| {
        let (first, second) = (width(&words[..end]), width(&words[end..]));
        let clause_bonus =
            if ends_with(&words[end - 1].text, ".?!…।॥۔؟,;:،؛—–") { 12 } else { 0 };
        let too_wide = first.max(second).saturating_sub(LINE);
        (too_wide, (first.abs_diff(second) + 12).saturating_sub(clause_bonus))
    };
    match (1..words.len()).filter(|&end| !words[end].is_joined).min_by_key(cost) {
        Some(end) => vec![join(&words[..end]), join(&words[end..])],
        None => vec![join(words)],
    }
}

fn join(words: &[Shown]) -> String {
    let mut text = String::new();
    for (number, word) in words.iter().enumerate() {
        if number > 0 && !word.is_joined {
            text.push(' ');
        }
        text.push_str(&word.text);
    }
    text
}

fn width(words: &[Shown]) -> usize {
    join(words).width()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// Returns the cues of words that last 300 ms each; `|` is a pause of two seconds.
    fn cues(text: &str) -> Vec<(u32, u32, String)> {
        let (mut cues, mut words, mut ms, mut chars) = (Cues::default(), Vec::new(), 0, 0);
        for token in text.split(' ') {
            if token == "|" {
                ms += 2_000;
                continue;
            }
            let char_end = chars + token.chars().count() as u32;
            let (start_ms, end_ms, text) = (ms, ms + 300, token.to_owned());
            words.extend(cues.push(&WordTime {
                text,
                start_ms,
                end_ms,
                char_start: chars,
                char_end,
                spoken: None,
            }));
            (ms, chars) = (end_ms, char_end + 1);
        }
        words.extend(cues.finish());
        words.into_iter().map(|cue| (cue.start_ms, cue.end_ms, cue.lines.join(" / "))).collect()
    }

    fn texts(text: &str) -> Vec<String> {
        cues(text).into_iter().map(|(_, _, text)| text).collect()
    }

    #[test]
    fn a_cue_ends_at_a_sentence_a_clause_or_a_pause() {
        #[rustfmt::skip]
        let cases: [(&str, &[&str]); 6] = [
            ("It was late in May. Nobody came to the house.", &["It was late in May.", "Nobody came to the house."]),
            // the first sentence is too short for a cue of its own
            ("Yes. It was so.", &["Yes. It was so."]),
            ("one two | three", &["one two", "three"]),
            ("When the rain had stopped at last, the children of the village ran out into the fields again",
             &["When the rain had stopped at last,", "the children of the village / ran out into the fields again"]),
            ("वह **बहुत** बड़ा था। उसने कहा: “हाँ।” फिर चुप।", &["वह बहुत बड़ा था।", "उसने कहा: “हाँ।” फिर चुप।"]),
            ("Donaudampfschifffahrtsgesellschaftskapitänswitwe sings", &["Donaudampfschifffahrtsgesellschaftskapitänswitwe / sings"]),
        ];
        for (text, expected) in cases {
            assert_eq!(texts(text), expected, "{text}");
        }
    }

    #[test]
    fn lines_are_short_and_cues_are_bounded() {
        let words: Vec<String> = (0..400).map(|n| "क".repeat(1 + n * 7 % 13)).collect();
        let (mut before, mut shown) = (0, Vec::new());
        for (start, end, text) in cues(&words.join(" ")) {
            assert!(
                before <= start && start < end && end - start <= LONGEST_MS,
                "{start} to {end} after {before}"
            );
            let lines: Vec<&str> = text.split(" / ").collect();
            assert!(lines.len() <= 2 && lines.iter().all(|line| line.width() <= LINE), "{text}");
            shown.extend(lines.iter().flat_map(|line| line.split(' ')).map(str::to_owned));
            before = end;
        }
        assert_eq!(shown, words, "each word is shown once");
    }

    #[test]
    fn a_cue_is_long_enough_to_be_read_and_ends_before_the_next() {
        assert_eq!(cues("a"), [(0, 1_000, "a".to_owned())]);
        let both = cues("a | b c");
        assert_eq!(both, [(0, 1_000, "a".to_owned()), (2_300, 3_300, "b c".to_owned())]);
    }

    #[test]
    fn parts_of_a_token_are_joined() {
        let mut cues = Cues::default();
        for (text, char_start, char_end) in [("है।", 0, 3), ("मैं", 3, 6), ("भी", 7, 9)] {
            let (start_ms, end_ms) = (100 * char_start, 100 * char_end);
            cues.push(&WordTime {
                text: text.to_owned(),
                start_ms,
                end_ms,
                char_start,
                char_end,
                spoken: None,
            });
        }
        assert_eq!(cues.finish()[0].lines, ["है।मैं भी"]);
    }
}
