//! Markdown: emphasis, headings, lists, block quotes, code, links, tables.

use super::{Cleaner, LOOK_AHEAD, Step};
use crate::chars::is_mark;
use crate::script::Script;

/// Maximum length of the language name after a code fence, in characters.
const LONGEST_FENCE_NAME: usize = 24;
/// Maximum number of characters to search for the closing asterisk of emphasis that starts with a digit or `#`.
const LONGEST_NUMBERED_EMPHASIS: usize = 64;

impl Cleaner {
    /// Handles a run of the same markup character, which may be emphasis, a heading, a list, a horizontal rule or
    /// literal text.
    pub(super) fn run(&mut self, sign: char, all: bool) -> Step {
        let mut length = self.searched.max(1);
        let next = loop {
            match self.peek(length, all) {
                None => {
                    self.searched = length;
                    return Step::NeedMore;
                }
                Some(Some(c)) if c == sign && length < LOOK_AHEAD => length += 1,
                Some(next) => break next,
            }
        };
        let space_after = next.is_none_or(char::is_whitespace);
        if self.line_start && Self::begins_line(sign, length, space_after) {
            return Step::Consumed(length);
        }
        match sign {
            '`' if length >= 3 && self.line_start => self.fence(length, all),
            '`' => {
                self.code ^= length == 1;
                Step::Consumed(length)
            }
            '*' | '_' | '~' => self.emphasis_run(sign, length, next, all),
            '-' if length >= 2 => {
                self.emit('—', 0, length);
                Step::Consumed(length)
            }
            _ if length >= 3 => Step::Consumed(length),
            _ => {
                for at in 0..length {
                    self.emit(sign, at, 1);
                }
                Step::Consumed(length)
            }
        }
    }

    /// Returns whether a run at the start of a line marks a heading, a list item, a block quote or a horizontal rule.
    fn begins_line(sign: char, length: usize, space_after: bool) -> bool {
        match sign {
            '#' => length <= 6 && space_after,
            '>' => true,
            '-' | '*' | '+' => space_after && length != 2,
            '_' | '=' | '~' => length >= 3 && space_after,
            _ => false,
        }
    }

    fn emphasis_run(&mut self, sign: char, length: usize, next: Option<char>, all: bool) -> Step {
        let previous = self.previous;
        let space_before = previous.is_whitespace();
        let space_after = next.is_none_or(char::is_whitespace);
        let word_before = previous.is_alphanumeric() || is_mark(previous);
        let word_after = next.is_some_and(char::is_alphanumeric);
        let opens = sign == '*' && self.emphasis == 0 && !word_before;
        if opens && next.is_some_and(|c| c == '#' && length == 1 || c.is_numeric()) {
            match self.is_dialled(length, all) {
                None => return Step::NeedMore,
                Some(true) if length == 1 => return self.literal(sign),
                // more asterisks can only be a mask
                Some(true) => return Step::Consumed(length),
                Some(false) => {}
            }
        }
        let plain = match sign {
            // an underscore in snake_case and a single tilde are not emphasis
            '_' => word_before && word_after && length == 1,
            '~' => length == 1,
            _ => {
                length == 1
                    && self.emphasis == 0
                    && ((space_before && space_after)
                        || (previous.is_numeric() && !next.is_some_and(char::is_alphabetic)))
            }
        };
        if plain {
            return self.literal(sign);
        }
        // in bank messages, an asterisk between a capital and another capital or a digit is not emphasis: PAY*SWIGGY
        let capitals = sign == '*'
            && self.emphasis == 0
            && previous.is_ascii_uppercase()
            && next.is_some_and(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        if (sign == '_' && length >= 2 || capitals) && word_before && word_after {
            self.emit(' ', 0, length);
            return Step::Consumed(length);
        }
        if sign != '~' {
            if self.emphasis > 0 && !space_before {
                self.emphasis = 0;
            } else if !space_after {
                self.emphasis = 1;
            }
        }
        Step::Consumed(length)
    }

    /// Returns whether a run of asterisks of this length before digits is dialled on a telephone or masks digits
    /// (`*86`, `*123#`, `A/c **3618`). Otherwise the run opens emphasis that another asterisk closes soon after.
    /// Returns `None` if more text is needed to decide.
    fn is_dialled(&self, length: usize, all: bool) -> Option<bool> {
        let mut last = '*';
        let mut dials = true;
        for at in length..LONGEST_NUMBERED_EMPHASIS {
            let Some(c) = self.peek(at, all)?.filter(|&c| c != '\n') else { break };
            let closes = !dials && c == '*' && !last.is_whitespace();
            // the second asterisk of *5* closes the emphasis, that of *123*1# does not
            let dialled = c == '*' || c == '#' || c.is_numeric();
            if closes || dials && !dialled && last == '*' {
                return Some(false);
            }
            if c == '*' && last.is_whitespace() && self.peek(at + 1, all)?.is_some_and(|c| !c.is_whitespace()) {
                // other emphasis opens
                return Some(true);
            }
            dials &= dialled;
            last = c;
        }
        Some(last != '*' || !dials)
    }

    /// Handles a code fence. Removes the language name after it.
    fn fence(&mut self, length: usize, all: bool) -> Step {
        let mut at = length;
        loop {
            match self.peek(at, all) {
                None => return Step::NeedMore,
                Some(None | Some('\n')) => return Step::Consumed(at),
                Some(Some(c))
                    if at - length < LONGEST_FENCE_NAME
                        && (c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '_' | '.' | '#' | ' ')) =>
                {
                    at += 1;
                }
                Some(Some(_)) => return Step::Consumed(length),
            }
        }
    }

    /// Handles a backslash, which makes a following Markdown character literal.
    pub(super) fn escape(&mut self, all: bool) -> Step {
        match self.peek(1, all) {
            None => Step::NeedMore,
            Some(Some(c))
                if matches!(
                    c,
                    '*' | '_' | '`' | '#' | '[' | ']' | '(' | ')' | '{' | '}' | '~' | '>' | '|'
                ) =>
            {
                self.emit(c, 1, 1);
                Step::Consumed(2)
            }
            Some(_) => self.literal('\\'),
        }
    }

    pub(super) fn exclamation(&mut self, all: bool) -> Step {
        match self.peek(1, all) {
            None => Step::NeedMore,
            Some(Some('[')) => Step::Consumed(1),
            Some(_) => self.literal('!'),
        }
    }

    /// Handles a `[`: removes a footnote reference `[^1]` or a check box `[x]` and keeps anything else.
    pub(super) fn opening_bracket(&mut self, all: bool) -> Step {
        match (self.peek(1, all), self.peek(2, all)) {
            (None, _) | (Some(Some('^' | 'x' | 'X' | ' ')), None) => return Step::NeedMore,
            (Some(Some('x' | 'X' | ' ')), Some(Some(']'))) => return Step::Consumed(3),
            (Some(Some('^')), _) => {
                for at in 2..16 {
                    match self.peek(at, all) {
                        None => return Step::NeedMore,
                        Some(Some(']')) => return Step::Consumed(at + 1),
                        Some(Some(c)) if c.is_alphanumeric() => {}
                        Some(_) => break,
                    }
                }
            }
            _ => {}
        }
        self.brackets += 1;
        self.literal('[')
    }

    /// Handles a `]`: removes the link address that follows it.
    pub(super) fn closing_bracket(&mut self, all: bool) -> Step {
        if self.brackets == 0 {
            return self.literal(']');
        }
        match self.peek(1, all) {
            None => return Step::NeedMore,
            Some(Some('(')) => {}
            Some(_) => {
                self.brackets -= 1;
                return self.literal(']');
            }
        }
        let end = match self.link_end(all) {
            LinkEnd::Waiting => return Step::NeedMore,
            LinkEnd::None => None,
            LinkEnd::At(at) => Some(at),
        };
        self.brackets -= 1;
        self.emit(']', 0, 1);
        Step::Consumed(end.map_or(1, |at| at + 1))
    }

    /// Finds the end of the link address that opens after a `]`.
    fn link_end(&mut self, all: bool) -> LinkEnd {
        let mut depth = 0_u32;
        let mut quoted = false;
        for at in 1..LOOK_AHEAD {
            let c = match self.peek(at, all) {
                None => return LinkEnd::Waiting,
                Some(None | Some('\n')) => return LinkEnd::None,
                Some(Some(c)) => c,
            };
            match c {
                '"' => quoted = !quoted,
                _ if quoted => {}
                '(' => depth += 1,
                ')' if depth <= 1 => return LinkEnd::At(at),
                ')' => depth -= 1,
                // after the address, only a title in quotes may follow
                ' ' if self.peek(at + 1, all) == Some(Some('"')) => {}
                ' ' if self.peek(at + 1, all).is_none() => return LinkEnd::Waiting,
                _ if c.is_whitespace() => return LinkEnd::None,
                _ => {}
            }
        }
        LinkEnd::None
    }

    /// Handles a `|`: the edge of a table cell, or a danda that was typed on a keyboard without that key.
    pub(super) fn bar(&mut self, all: bool) -> Step {
        if self.line_start {
            self.table_row = true;
            return Step::Consumed(1);
        }
        if self.table_row {
            self.emit(',', 0, 1);
            return Step::Consumed(1);
        }
        self.danda(all)
    }

    /// Handles a `|` that is not the edge of a table cell.
    pub(super) fn danda(&mut self, all: bool) -> Step {
        let Some(next) = self.peek(1, all) else { return Step::NeedMore };
        // two bars directly after a word also mark an abbreviation: ಚಿ|| ಕಿರಣ್
        if next == Some('|') && self.after_brahmic() && self.previous == self.last_visible {
            self.emit('॥', 0, 2);
            return Step::Consumed(2);
        }
        let sentence = self.after_brahmic() && next.is_none_or(|c| c.is_whitespace() || c == '|');
        self.literal(if sentence { '।' } else { '|' })
    }

    fn after_brahmic(&self) -> bool {
        Script::of(self.last_visible).is_some_and(|script| script != Script::Latin)
    }
}

enum LinkEnd {
    Waiting,
    None,
    At(usize),
}
