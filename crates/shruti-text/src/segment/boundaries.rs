//! Rules for the punctuation that ends a segment. The context of a comma, full stop, colon or dash determines its
//! function.

use super::{Close, Decision, LONGEST_CLUSTERS, LONGEST_WORD, Segmenter};
use crate::chars::{is_alphabetic, is_alphanumeric, is_closing_punctuation, is_mark, is_numeric};
use crate::clean_char::{BREAK, SENTENCE_END};
use crate::data::kept_marks;
use crate::data::keywords;

/// Minimum length, in digits, of a number after which a comma does not end the segment if another number follows.
const LISTED_DIGITS: usize = 6;

impl Segmenter {
    /// Decides whether a segment ends with the character at the scan position.
    pub(super) fn look(&mut self, c: char, all: bool) -> Decision {
        let at = self.scanned;
        match c {
            '\n' => return Decision::End(at + 1, Close::Line),
            SENTENCE_END => return Decision::End(at + 1, Close::Sentence),
            BREAK => return Decision::End(at + 1, Close::Break),
            // a danda may separate the numbers of a date or a time of day: ১৭।০৩।২৬
            '।' if self.ends_in_short_number() => {
                return match self.after(at, all) {
                    None => Decision::NeedMore,
                    Some(Some(next)) if is_numeric(next) => Decision::Continue,
                    Some(_) => Decision::End(at + 1, Close::Sentence),
                };
            }
            // a double danda may replace the dot of an abbreviation: ಚಿ॥ ಕಿರಣ್
            '॥' if self.word_has_bars() => return Decision::Continue,
            // an abbreviation may contain several double dandas: చి॥ల॥సౌ॥
            '॥' if kept_marks::begins_with_bars(self.word_alone(), self.language) => {
                return match self.after(at, all) {
                    None => Decision::NeedMore,
                    Some(Some(next)) if is_alphabetic(next) => Decision::Continue,
                    Some(_) => Decision::End(at + 1, close_of(c)),
                };
            }
            // later characters do not matter here, so the segment is spoken immediately if the text pauses
            '।' | '॥' | '۔' | '。' | '…' | '؟' | '？' | '！' | '෴' => {
                return Decision::End(at + 1, close_of(c));
            }
            '?' | '!' if !self.in_address() => return Decision::End(at + 1, close_of(c)),
            ',' | '،' | '、' if !(self.ends_in_digit() || self.is_month() || self.is_day_of_month()) => {
                return Decision::End(at + 1, Close::Comma);
            }
            _ if c.is_whitespace() => return self.white_space(at),
            // the next character does not matter
            _ if !needs_next(c) && self.word_length < LONGEST_WORD => return Decision::Continue,
            _ => {}
        }
        let Some(next) = self.after(at, all) else {
            return Decision::NeedMore;
        };
        let found = match c {
            '?' | '!' if next.is_some_and(is_alphanumeric) => Decision::Continue,
            '?' | '!' => self.sentence(at, close_of(c), all),
            '.' => self.full_stop(at, next, all),
            ',' | '،' | '、' => self.comma(at, next, all),
            ':' if next.is_none_or(char::is_whitespace) => self.colon(at, next, all),
            ';' if next.is_none_or(char::is_whitespace) => Decision::End(at + 1, Close::Clause),
            '—' | '–' | '-' => self.dash(at, c, next, all),
            _ => Decision::Continue,
        };
        match found {
            Decision::Continue if self.word_is_too_long(c, next) => Decision::End(at + 1, Close::Cut),
            found => found,
        }
    }

    /// Returns whether a word without white space must be cut after `c`.
    fn word_is_too_long(&self, c: char, next: Option<char>) -> bool {
        let within_cluster = c == '\u{200d}' || next.is_some_and(continues_cluster);
        self.word_length >= if within_cluster { LONGEST_CLUSTERS } else { LONGEST_WORD }
    }

    /// Returns the end of a segment if the text pauses after a closing mark. The segment then ends although the next
    /// character is unknown, unless the mark may be part of a number, an abbreviation or an address.
    pub(super) fn end_before_pause(&self) -> Option<(usize, Close)> {
        let mark = self.waiting.get(self.scanned)?.c;
        let close = match mark {
            // because the text pauses, no digit follows the danda directly
            '।' => return Some((self.waiting.len(), Close::Sentence)),
            '.' => Close::Sentence,
            ':' | ';' => Close::Clause,
            ',' => Close::Comma,
            _ => return None,
        };
        let mut rest = self.waiting.iter().skip(self.scanned + 1);
        let abbreviated = self.word_is_abbreviated() && !self.may_end_sentence();
        let decided = self.ends_in_letter() && !abbreviated && !self.in_address();
        (decided && rest.all(|clean| is_closing(clean.c) || clean.c.is_whitespace()))
            .then_some((self.waiting.len(), close))
    }

    /// Ends a sentence, including the punctuation and quotation marks that follow directly.
    fn sentence(&mut self, at: usize, close: Close, all: bool) -> Decision {
        let mut end = at + 1;
        let mut close = close;
        loop {
            match self.after(end - 1, all) {
                None => return Decision::NeedMore,
                Some(Some(c)) if is_closing(c) && end - at < LONGEST_WORD => {
                    if matches!(c, '?' | '؟' | '？') {
                        close = Close::Question;
                    }
                    end += 1;
                }
                Some(_) => return Decision::End(end, close),
            }
        }
    }

    fn full_stop(&mut self, at: usize, next: Option<char>, all: bool) -> Decision {
        match next {
            Some('.') => {
                let found = self.sentence(at, Close::Sentence, all);
                // dots before a number mask its start: A/c ...2345
                let number_follows = match found {
                    Decision::End(end, _) => self.peek(end, all).is_some_and(is_numeric),
                    _ => false,
                };
                return if number_follows { Decision::Continue } else { found };
            }
            Some(c) if !c.is_whitespace() && !is_closing(c) => return Decision::Continue,
            // the dot may belong to an abbreviation in parentheses: অধ্যাপক (ড.) সেন, सीकर (राज.)
            Some(')')
                if self.ends_in_letter() && (self.word_is_abbreviated() || self.is_short_in_brackets()) =>
            {
                return Decision::Continue;
            }
            _ => {}
        }
        if next.is_some_and(char::is_whitespace) {
            match self.sentence_starts_after(at, all) {
                None => return Decision::NeedMore,
                Some(true) => return self.sentence(at, Close::Sentence, all),
                Some(false) => {}
            }
        }
        // the dot after an abbreviation that is also a word ends the sentence, unless the next word shows that it is an
        // abbreviation or one of several initials
        if next.is_some_and(char::is_whitespace) && self.may_end_sentence() {
            let Some(word) = self.word_from(at + 2, all) else { return Decision::NeedMore };
            let Some(after) = self.after(at + 1 + word.chars().count(), all) else {
                return Decision::NeedMore;
            };
            let number = word.is_empty() && after.is_some_and(is_numeric);
            let initial = after == Some('.') && kept_marks::keeps_its_dot(&word, self.language);
            let first = self.previous_word.is_empty();
            let abbreviates = kept_marks::abbreviates_before(self.word_alone(), &word, first, self.language);
            return if number || initial || abbreviates {
                Decision::Continue
            } else {
                self.sentence(at, Close::Sentence, all)
            };
        }
        // only white space or a bracket can follow an abbreviation that does not end the segment: (रजि.) की बैठक
        if next.is_some_and(|c| c.is_whitespace() || matches!(c, ')' | ']')) && self.word_is_abbreviated() {
            return Decision::Continue;
        }
        // a possessive ending may follow the dot: the Govt.'s reply
        if matches!(next, Some('\'' | '’')) && self.word_is_abbreviated() {
            match self.after(at + 1, all) {
                None => return Decision::NeedMore,
                Some(Some(c)) if is_alphabetic(c) => return Decision::Continue,
                Some(_) => {}
            }
        }
        if next.is_some_and(char::is_whitespace) {
            match self.next_word_continues(at, next, all) {
                None => return Decision::NeedMore,
                Some(true) => return Decision::Continue,
                Some(false) => {}
            }
        }
        self.sentence(at, Close::Sentence, all)
    }

    /// Returns whether the word after the white space `next` shows that the dot at `at` does not end the sentence, although
    /// the word before it is not a certain abbreviation. Returns `None` if more text is needed.
    fn next_word_continues(&mut self, at: usize, next: Option<char>, all: bool) -> Option<bool> {
        let word = self.word_alone();
        let is_unit = ends_in_digit(&self.previous_word) && kept_marks::is_latin_unit(word);
        let is_no = word.eq_ignore_ascii_case("no");
        // a word for "number", or an abbreviation before a number or a year
        let precedes_number = kept_marks::abbreviates_before_number(word)
            || keywords::is_number_of(&self.previous_word, &self.word)
            || kept_marks::precedes_year(word, self.language);
        let joins = kept_marks::joins_names(&self.previous_word, word, self.language);
        if !(is_unit || is_no || precedes_number || joins) {
            return Some(false);
        }
        let begin = self.after_next(at, next, all)?;
        let is_small = begin.is_some_and(|c| c.is_ascii_lowercase());
        // 5 kg. of rice; Account no. 12345678; Devi v. State
        if is_unit && is_small
            || precedes_number && begin.is_some_and(is_numeric)
            || joins && begin.is_some_and(|c| c.is_ascii_uppercase())
        {
            return Some(true);
        }
        // a word in lower case after "no." does not start a sentence, unless "no" is an answer: your no. is busy
        if !(is_no && is_small) {
            return Some(false);
        }
        let answers = self.previous_word.is_empty() || keywords::precedes_answer(&self.previous_word);
        Some(!answers || keywords::follows_number_sign(&self.word_from(at + 2, all)?))
    }

    /// Returns whether the word before a full stop is an abbreviation, an initial, or the number of a list item.
    pub(super) fn word_is_abbreviated(&self) -> bool {
        let word = self.word.trim_start_matches(|c: char| !is_alphanumeric(c));
        let only_word = self.words == 0 && self.previous_word.is_empty();
        if only_word && self.word_length <= 3 && word.chars().all(is_numeric) {
            return true;
        }
        let after_number = || ends_in_digit(&self.previous_word);
        // an abbreviation may follow a colon without a space: credited:Rs. 1,133.00
        let after_colon = word.rsplit(':').next().filter(|last| last.len() < word.len());
        let keeps_its_dot = |word| kept_marks::keeps_its_dot(word, self.language);
        // a unit may follow its number without a space: 100મી. દોડ
        let unit = word.trim_start_matches(is_numeric);
        let after_digits = unit.len() < word.len() && !unit.is_ascii();
        // after a number, મે. is the month, not the title of a firm: ૫ મે.
        let of_firm = || !after_number() && kept_marks::is_title_of_firm(word, self.language);
        let weekday = || {
            let previous = &self.previous_word;
            let dated = self.words == 0
                || after_number()
                || kept_marks::is_month(previous, self.language)
                || kept_marks::joins_weekdays(previous, self.language);
            dated && kept_marks::is_short_weekday(word, self.language)
        };
        after_colon.is_some_and(keeps_its_dot)
            || keeps_its_dot(word)
            || after_digits && keeps_its_dot(unit)
            || keeps_its_dot(&format!("{} {word}", self.previous_word))
            || after_number() && kept_marks::is_part_of_unit(word, self.language)
            || of_firm()
            || weekday()
    }

    /// Returns whether the word is preceded by a bracket and is an abbreviation if it is alone in brackets.
    fn is_short_in_brackets(&self) -> bool {
        let word = self.word.strip_prefix('(');
        word.is_some_and(|word| kept_marks::is_short_in_brackets(word, self.language))
    }

    /// Returns whether the word is an abbreviation or an initial that is also a word at the end of a sentence. After
    /// another initial, it is an initial, and so is a letter at the start of a sentence.
    fn may_end_sentence(&self) -> bool {
        let word = self.word_alone();
        kept_marks::is_final_word(word, self.language)
            && !self.previous_word.ends_with('.')
            && !(self.previous_word.is_empty() && kept_marks::is_letter(word, self.language))
    }

    /// Returns whether the word before a double danda is an abbreviation that the double danda marks: ಚಿ॥ ಕಿರಣ್,
    /// చి॥ల॥సౌ॥.
    fn word_has_bars(&self) -> bool {
        let word = self.word_alone();
        let last = word.rsplit('॥').next().unwrap_or_default();
        kept_marks::keeps_its_bars(last, self.language)
            || word.contains('॥') && kept_marks::begins_with_bars(word, self.language)
    }

    /// Returns the word without the signs before its first letter or digit.
    pub(super) fn word_alone(&self) -> &str {
        self.word.trim_start_matches(|c: char| !is_alphanumeric(c))
    }

    /// Returns whether the word is a web or email address, which may contain `?` and `!`.
    fn in_address(&self) -> bool {
        self.word.contains("://") || self.word.starts_with("www.") || self.word.contains('@')
    }

    fn ends_in_letter(&self) -> bool {
        self.word.chars().next_back().is_some_and(|c| is_alphabetic(c) || is_mark(c))
    }

    fn ends_in_digit(&self) -> bool {
        ends_in_digit(&self.word)
    }

    /// Returns whether the word ends in a number of one or two digits.
    fn ends_in_short_number(&self) -> bool {
        let digits = self.word.chars().rev().take_while(|&c| is_numeric(c)).count();
        matches!(digits, 1 | 2)
    }

    /// Returns whether the word is the name of a month, after which a comma may precede the year.
    fn is_month(&self) -> bool {
        kept_marks::is_month(&self.word, self.language)
    }

    /// Returns `next`, which is the character after the one at `at`. If `next` is white space, returns the character
    /// after it. The result has the form of [`Self::after`].
    #[allow(clippy::option_option)] // as in `after`
    fn after_next(&mut self, at: usize, next: Option<char>, all: bool) -> Option<Option<char>> {
        match next {
            // the text after the edge of an element does not matter
            Some(SENTENCE_END | BREAK) => Some(None),
            Some(c) if c.is_whitespace() => self.after(at + 1, all),
            _ => Some(next),
        }
    }

    /// Handles a comma. It ends a segment with these exceptions: it is part of `1,000`, `August 15, 1947` or
    /// `15 August, 1947`, or it follows a number at the start of the segment, which is incomplete without the following
    /// text (`14/3, Mathura Road`).
    fn comma(&mut self, at: usize, next: Option<char>, all: bool) -> Decision {
        if self.ends_in_digit() {
            let alone = self.words == 0 && self.previous_word.is_empty() && !has_letter(&self.word);
            let within = next.is_some_and(is_numeric);
            // 0522-2234567, 2234568: the numbers of a list stay together, because each one helps to classify the others
            if !within && self.word.chars().filter(|&c| is_numeric(c)).count() >= LISTED_DIGITS {
                match self.after_next(at, next, all) {
                    None => return Decision::NeedMore,
                    Some(Some(c)) if is_numeric(c) => return Decision::Continue,
                    Some(_) => {}
                }
            }
            return if within || alone || self.is_day_of_month() {
                Decision::Continue
            } else {
                Decision::End(at + 1, Close::Comma)
            };
        }
        match self.after_next(at, next, all) {
            None => Decision::NeedMore,
            Some(Some(c)) if is_numeric(c) => Decision::Continue,
            Some(_) => Decision::End(at + 1, Close::Comma),
        }
    }

    /// Handles a colon. It ends a segment unless it marks an abbreviation or a number follows: `OTP: 4582`.
    fn colon(&mut self, at: usize, next: Option<char>, all: bool) -> Decision {
        let word = self.word.trim_start_matches(|c: char| !is_alphanumeric(c));
        if kept_marks::keeps_its_colon(word, self.language) {
            return Decision::Continue;
        }
        match self.after_next(at, next, all) {
            None => Decision::NeedMore,
            Some(Some(c)) if is_numeric(c) => Decision::Continue,
            Some(_) => Decision::End(at + 1, Close::Clause),
        }
    }

    /// Returns whether the comma is part of `August 15, 1947`.
    fn is_day_of_month(&self) -> bool {
        // only the last day of a range matters: 1st-5th
        let word = self.word.rsplit(['-', '–']).next().unwrap_or_default();
        let digits = word.trim_end_matches(char::is_alphabetic);
        let day = !digits.is_empty() && word.chars().count() <= 4 && digits.chars().all(char::is_numeric);
        day && kept_marks::is_month_or_short(&self.previous_word, self.language)
    }

    /// Handles a dash. It ends a clause unless it joins words or weekdays, precedes a number, or follows a number at
    /// the start of the segment.
    fn dash(&mut self, at: usize, c: char, next: Option<char>, all: bool) -> Decision {
        let spaced_before = self.word.is_empty();
        let spaced_after = next.is_none_or(char::is_whitespace);
        if c == '-' && !(spaced_before && spaced_after)
            || c == '–' && !spaced_before && !spaced_after
            || self.words == 0 && self.previous_word.is_empty() && spaced_before
        {
            return Decision::Continue;
        }
        if spaced_before && self.words == 1 && !has_letter(&self.previous_word) {
            return Decision::Continue;
        }
        // a dash after a short name of a weekday may join another weekday: सोम - शनि
        if spaced_before && kept_marks::is_short_weekday(&self.previous_word, self.language) {
            return Decision::Continue;
        }
        // a number after the dash continues the clause: `10 - 15`, `9 am - 5 pm`, `OTP - 4582`
        match self.after_next(at, next, all) {
            None => Decision::NeedMore,
            Some(Some(c)) if is_numeric(c) => Decision::Continue,
            Some(_) if spaced_before && spaced_after => match self.joins_days(at + 2, all) {
                None => Decision::NeedMore,
                Some(true) => Decision::Continue,
                Some(false) => Decision::End(at + 1, Close::Clause),
            },
            Some(_) => Decision::End(at + 1, Close::Clause),
        }
    }

    /// Returns whether the word at `at`, after a dash, and the word before the dash are the ends of a span of weekdays
    /// or of times of day: திங்கள் - வெள்ளி, காலை 9.30 - மாலை 5.30. Returns `None` if the word is incomplete.
    fn joins_days(&mut self, at: usize, all: bool) -> Option<bool> {
        let language = self.language;
        let is_day = |word: &str| kept_marks::is_weekday(word, language);
        let of_days = is_day(&self.previous_word);
        if !of_days && !ends_in_digit(&self.previous_word) {
            return Some(false);
        }
        let word = self.word_from(at, all)?;
        Some(if of_days { is_day(&word) } else { kept_marks::is_part_of_day(&word, language) })
    }

    /// Returns the letters of the word at `at`, at most [`LONGEST_DAY`] of them. Returns `None` if the word is
    /// incomplete.
    pub(super) fn word_from(&mut self, at: usize, all: bool) -> Option<String> {
        let mut word = String::new();
        while word.chars().count() < LONGEST_DAY {
            let next = self.after((at + word.chars().count()).saturating_sub(1), all)?;
            let Some(c) = next.filter(|&c| is_alphabetic(c) || is_mark(c)) else { break };
            word.push(c);
        }
        Some(word)
    }
}

/// Maximum number of characters to examine in a following word, such as a weekday or a part of the day.
const LONGEST_DAY: usize = 24;

fn close_of(c: char) -> Close {
    match c {
        '?' | '؟' | '？' => Close::Question,
        '!' | '！' => Close::Exclamation,
        _ => Close::Sentence,
    }
}

/// Returns whether the next character affects whether `c` ends a segment.
fn needs_next(c: char) -> bool {
    matches!(c, '?' | '!' | '.' | ',' | '،' | '、' | ';' | ':' | '—' | '–' | '-')
}

/// Returns whether `c` belongs to the end of the preceding sentence: closing punctuation or a combining mark.
fn is_closing(c: char) -> bool {
    is_closing_punctuation(c) || matches!(c, '؟' | '？' | '！' | '。') || is_mark(c)
}

/// Returns whether a word ends in a digit of any script.
pub(super) fn ends_in_digit(word: &str) -> bool {
    word.chars().next_back().is_some_and(is_numeric)
}

fn has_letter(word: &str) -> bool {
    word.chars().any(is_alphabetic)
}

fn continues_cluster(c: char) -> bool {
    is_mark(c) || matches!(c, '\u{200c}' | '\u{200d}')
}
