//! Division of a long text into turns.

/// Length of a turn, in characters, from which the turn ends at the next line end.
const LINE: usize = 1_000;
/// Length of a turn, in characters, from which the turn ends at the next sentence end.
const SENTENCE: usize = 1_500;
/// Length of a turn, in characters, from which the turn ends at the next white space.
const SPACE: usize = 2_500;
/// Maximum length of a turn, in characters.
const ANYWHERE: usize = 4_000;
/// Minimum number of characters without white space before a full stop that ends a sentence. `Prof.` and `e.g.` have
/// fewer.
const WORD_BEFORE_STOP: usize = 5;

/// Cutter that divides a text into turns. The text arrives in pieces. Their boundaries do not affect the turns:
/// from 1,000 characters on, a turn ends after a line end; from 1,500, also after a sentence; from 2,500, also at
/// white space; and at 4,000, anywhere. The reading of text after a line end does not depend on the preceding text,
/// so a cut there is inaudible.
///
/// White space before a turn is omitted. SSML is cut only after `</speak>`.
///
/// ```
/// use shruti_client::TurnCutter;
///
/// let mut cutter = TurnCutter::default();
/// let text = format!("{}\nThe next chapter.", "A sentence. ".repeat(100));
/// let cut = cutter.take(&text);
/// assert!(cut.ends && cut.text.ends_with(".\u{20}\n"));
/// assert_eq!(cutter.take(cut.rest).text, "The next chapter.");
/// ```
#[derive(Clone, Debug, Default)]
pub struct TurnCutter {
    /// Number of characters of the turn so far.
    chars: usize,
    kind: Kind,
    /// Number of characters since the last white space.
    word: usize,
    /// `true` if following white space would end a sentence.
    sentence_ends: bool,
    never_cuts: bool,
}

/// Result of [`TurnCutter::take`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut<'a> {
    /// Number of characters before `text` that belong to no turn.
    pub skipped: usize,
    /// Text that belongs to the open turn, or to a new one. Empty if the piece is blank and no turn is open.
    pub text: &'a str,
    /// `true` if the turn ends after `text`.
    pub ends: bool,
    /// Rest of the piece; empty unless the turn ends.
    pub rest: &'a str,
}

/// Kind of a turn, determined by its beginning.
#[derive(Clone, Debug)]
enum Kind {
    /// Not known yet; this many bytes of [`DOCUMENT`] have been read.
    Unknown(usize),
    Plain,
    Document(Region),
}

/// Syntactic region of a document at the current position.
#[derive(Clone, Debug, Default)]
enum Region {
    #[default]
    Text,
    /// After a `<`, with the first characters of the tag.
    Tag(String),
    /// In a comment or CDATA section, with its terminator and the number of characters of the terminator that have
    /// been read.
    Within(&'static str, usize),
}

/// Start of SSML; white space, `>` or `/` follows.
const DOCUMENT: &str = "<speak";
/// End tag of SSML, without its `<`; white space or `>` follows.
const DOCUMENT_END: &str = "/speak";
/// Starts of comments and CDATA sections, without their `<`, and their terminators.
const WITHIN: [(&str, &str); 2] = [("!--", "-->"), ("![CDATA[", "]]>")];

impl Default for Kind {
    fn default() -> Self {
        Self::Unknown(0)
    }
}

impl TurnCutter {
    /// Creates a cutter that puts the whole text into a single turn.
    pub fn that_never_cuts() -> Self {
        Self { never_cuts: true, ..Self::default() }
    }

    /// Returns whether no turn is open.
    pub fn is_between_turns(&self) -> bool {
        self.chars == 0
    }

    /// Returns whether the turn is SSML. This is known only after its first seven characters.
    pub fn is_document(&self) -> bool {
        matches!(self.kind, Kind::Document(_))
    }

    /// Reads the next piece of the text, up to the end of a turn.
    pub fn take<'a>(&mut self, piece: &'a str) -> Cut<'a> {
        let mut skipped = 0;
        let mut begin = 0;
        for (at, c) in piece.char_indices() {
            let behind = at + c.len_utf8();
            if self.chars == 0 && c.is_whitespace() {
                (skipped, begin) = (skipped + 1, behind);
                continue;
            }
            self.chars += 1;
            if self.ends_behind(c) {
                self.end_turn();
                return Cut { skipped, text: &piece[begin..behind], ends: true, rest: &piece[behind..] };
            }
        }
        Cut { skipped, text: &piece[begin..], ends: false, rest: "" }
    }

    /// Ends the turn at the current position, for example because it was open for too long.
    pub fn end_turn(&mut self) {
        *self = Self { never_cuts: self.never_cuts, ..Self::default() };
    }

    fn ends_behind(&mut self, c: char) -> bool {
        let ends = match &mut self.kind {
            Kind::Unknown(read) => {
                match DOCUMENT.as_bytes().get(*read) {
                    Some(&wanted) if char::from(wanted) == c => *read += 1,
                    None if c == '>' => self.kind = Kind::Document(Region::Text),
                    // the first tag has not ended
                    None if c.is_whitespace() || c == '/' => {
                        self.kind = Kind::Document(Region::Tag(DOCUMENT[1..].to_owned()));
                    }
                    _ => self.kind = Kind::Plain,
                }
                false
            }
            Kind::Plain => self.ends_plain(c),
            Kind::Document(region) => region.ends_document(c),
        };
        self.follow(c);
        ends && !self.never_cuts
    }

    fn ends_plain(&self, c: char) -> bool {
        match self.chars {
            ANYWHERE.. => true,
            SPACE.. if c.is_whitespace() => true,
            SENTENCE.. if c.is_whitespace() && self.sentence_ends => true,
            LINE.. => c == '\n',
            _ => false,
        }
    }

    /// Tracks words and sentences.
    fn follow(&mut self, c: char) {
        match c {
            '?' | '!' | '…' | '।' | '॥' | '۔' | '؟' => self.sentence_ends = true,
            '.' => self.sentence_ends = self.word >= WORD_BEFORE_STOP,
            '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '*' | '_' => {}
            _ => self.sentence_ends = false,
        }
        self.word = if c.is_whitespace() { 0 } else { self.word + 1 };
    }
}

impl Region {
    /// Reads a character. Returns whether the document ends after it.
    fn ends_document(&mut self, c: char) -> bool {
        match self {
            Self::Text if c == '<' => *self = Self::Tag(String::new()),
            Self::Text => {}
            Self::Tag(tag) if c == '>' => {
                let rest = tag.strip_prefix(DOCUMENT_END);
                let ends = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
                *self = Self::Text;
                return ends;
            }
            Self::Tag(tag) => {
                // this many bytes are enough to recognise the tags of interest
                if tag.len() < "![CDATA[".len() {
                    tag.push(c);
                }
                if let Some((_, end)) = WITHIN.iter().find(|(begin, _)| tag == begin) {
                    *self = Self::Within(end, 0);
                }
            }
            Self::Within(end, seen) => {
                let bytes = end.as_bytes();
                *seen = match c {
                    c if c == char::from(bytes[*seen]) => *seen + 1,
                    // `--->` and `]]]>` are terminators too
                    c if c == char::from(bytes[0]) => *seen,
                    _ => 0,
                };
                if *seen == bytes.len() {
                    *self = Self::Text;
                }
            }
        }
        false
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// Returns the turns of a text that arrives in pieces of `piece` characters.
    fn turns(text: &str, piece: usize) -> Vec<String> {
        let characters: Vec<char> = text.chars().collect();
        let pieces: Vec<String> = characters.chunks(piece).map(|piece| piece.iter().collect()).collect();
        let (mut cutter, mut turns, mut open) = (TurnCutter::default(), Vec::new(), String::new());
        for piece in &pieces {
            let mut rest = piece.as_str();
            while !rest.is_empty() {
                let cut = cutter.take(rest);
                open.push_str(cut.text);
                if cut.ends {
                    turns.push(std::mem::take(&mut open));
                }
                rest = cut.rest;
            }
        }
        turns.extend(Some(open).filter(|open| !open.is_empty()));
        turns
    }

    fn lengths(text: &str) -> Vec<usize> {
        turns(text, usize::MAX).iter().map(|turn| turn.chars().count()).collect()
    }

    #[test]
    fn turns_end_at_natural_pauses() {
        let (line, word) = ("क".repeat(99) + "\n", "क".repeat(9));
        let sentence = format!("{word} {word} {word}। ");
        let cases: [(&str, String, &[usize]); 9] = [
            ("lines, after 1,000", line.repeat(25), &[1_000, 1_000, 500]),
            ("sentences, after 1,500", sentence.repeat(100), &[1_519, 1_519, 62]),
            ("words, after 2,500", format!("{word} ").repeat(600), &[2_500, 2_500, 1_000]),
            ("whatever there is, after 4,000", "क".repeat(9_000), &[4_000, 4_000, 1_000]),
            ("a closing quote", format!("{}वह।” अब", "क ".repeat(750)), &[1_505, 2]),
            ("an abbreviation", format!("{}Prof. Rao came. So", "क ".repeat(750)), &[1_518]),
            ("a number", format!("{}is 3.14159 today. So", "a ".repeat(750)), &[1_518, 2]),
            ("white space is not text", format!("{}a\n", "\n ".repeat(5_000)), &[2]),
            ("short", "नमस्ते!\n\nफिर मिलेंगे।".to_owned(), &[21]),
        ];
        for (case, text, expected) in cases {
            assert_eq!(lengths(&text), expected, "{case}");
        }
    }

    #[test]
    fn turns_are_independent_of_chunks() {
        let text = "वह आया। “कौन?” Prof. Rao said.\n".repeat(300);
        let expected = turns(&text, usize::MAX);
        assert!(expected.len() > 5, "{}", expected.len());
        assert_eq!(expected.concat(), text);
        for piece in [1, 2, 7, 999] {
            assert_eq!(turns(&text, piece), expected, "{piece}");
        }
    }

    #[test]
    fn an_ssml_document_is_split_only_after_its_end() {
        let inside = "<p>One sentence.</p>\n<!-- </speak> --->\n<![CDATA[</speak>]]]>".repeat(200);
        let document = format!("<speak version='1.1'>{inside}</speak>");
        for (text, expected) in [
            (document.clone(), vec![document.clone()]),
            (format!("\n {document}\n{document}"), vec![document.clone(), document.clone()]),
            (format!("<speak/>{document}"), vec![format!("<speak/>{document}")]),
            ("<speak>a</speak\n>b".to_owned(), vec!["<speak>a</speak\n>".to_owned(), "b".to_owned()]),
            ("<speak>a</speaker>b</speak>".to_owned(), vec!["<speak>a</speaker>b</speak>".to_owned()]),
        ] {
            assert_eq!(turns(&text, 3), expected);
        }
        let other = format!("<speaker> {}", "क".repeat(99) + "\n").repeat(20);
        assert!(turns(&other, 7).len() > 1, "no SSML");
    }

    const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/conformance/cuts.json");

    /// Returns the start and the length of each turn of a text, in characters.
    fn places(text: &str, piece: usize) -> Vec<[usize; 2]> {
        let characters: Vec<char> = text.chars().collect();
        let (mut cutter, mut places, mut start, mut length) = (TurnCutter::default(), Vec::new(), 0, 0);
        for piece in characters.chunks(piece) {
            let piece: String = piece.iter().collect();
            let mut rest = piece.as_str();
            while !rest.is_empty() {
                let cut = cutter.take(rest);
                start += cut.skipped;
                length += cut.text.chars().count();
                rest = cut.rest;
                if cut.ends {
                    places.push([start, length]);
                    (start, length) = (start + length, 0);
                }
            }
        }
        places.extend(Some([start, length]).filter(|_| length > 0));
        places
    }

    /// Runs the cases that the TypeScript client also runs.
    ///
    /// `SHRUTI_WRITE_VECTORS=1 cargo test -p shruti-client --lib vectors` replaces the expected turns in the
    /// file with the turns that this implementation produces. To add a case, append its name and text with
    /// empty `turns`, and run that command.
    #[test]
    fn turns_match_the_conformance_vectors() {
        let file = std::fs::read_to_string(VECTORS).unwrap();
        let cases: Vec<serde_json::Value> = serde_json::from_str(&file).unwrap();
        let mut written = Vec::new();
        for case in &cases {
            // pieces of the text, each with its repetition count
            let parts: Vec<(String, usize)> = serde_json::from_value(case["text"].clone()).unwrap();
            let text: String = parts.iter().map(|(part, times)| part.repeat(*times)).collect();
            let found = places(&text, usize::MAX);
            let [name, text_parts] = [&case["name"], &case["text"]];
            written.push(format!(
                "{{\"name\":{name},\"text\":{text_parts},\"turns\":{}}}",
                serde_json::json!(found)
            ));
            if std::env::var_os("SHRUTI_WRITE_VECTORS").is_none() {
                assert_eq!(serde_json::json!(found), case["turns"], "{name}");
            }
            for piece in [1, 7] {
                assert_eq!(places(&text, piece), found, "{name}, in pieces of {piece}");
            }
        }
        if std::env::var_os("SHRUTI_WRITE_VECTORS").is_some() {
            std::fs::write(VECTORS, format!("[\n{}\n]\n", written.join(",\n"))).unwrap();
        }
    }

    #[test]
    fn a_single_turn_can_be_requested() {
        let mut cutter = TurnCutter::that_never_cuts();
        let text = "वह आया।\n".repeat(2_000);
        assert_eq!(cutter.take(&text), Cut { skipped: 0, text: &text, ends: false, rest: "" });
    }
}
