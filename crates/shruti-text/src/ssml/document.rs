//! State of an SSML document: its open elements and the speaking style of their text.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use shruti_lang::Language;

use super::element::Element;
use super::{
    Emphasis, LONGEST_READING, MAX_DEPTH, MarkupSpan, Reading, SayAs, SpeakingStyle, Tag, pause, prosody,
};
use crate::clean_char::{BREAK, CleanChar, SENTENCE_END};
use crate::phone::{Transcription, to_ipa};

/// Region of the document that the next characters belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Region {
    #[default]
    Text,
    /// Comment, up to `-->`.
    Comment,
    /// Processing instruction, up to `?>`.
    Instruction,
    /// Text in which `<` and `&` are literal, up to `]]>`.
    Cdata,
    /// `<!DOCTYPE …>`, with the number of open `<` and the open quotation mark.
    Declaration { open: u32, quote: Option<char> },
    /// Remainder of a tag that exceeds the look-ahead. `quote` is the quotation mark that closes the current attribute
    /// value; it is `None` outside a value.
    LongTag { quote: Option<char> },
}

/// State of an SSML document that is being read.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) region: Region,
    /// Quotation mark that is open at the position where the search for the end of a tag stopped.
    pub(crate) quote: Option<char>,
    /// Source range that the next characters replace, if they come from an alias, not from the text.
    pub(crate) source: Option<Range<u32>>,
    /// Open elements, each with the speaking style that applied before it.
    open: Vec<(Element, SpeakingStyle)>,
    /// Number of open elements beyond the maximum depth.
    excess_depth: u32,
    /// Number of open elements whose content is not spoken.
    silent: usize,
    style: SpeakingStyle,
    /// Whether the speaking style has changed since the last character.
    changed: bool,
    /// Element whose characters are being collected.
    gathering: Option<Gathering>,
    /// Markup instructions for the characters that have been kept and not yet read, each with its start.
    marked: VecDeque<MarkupSpan>,
    /// Lengths of the breaks among the kept characters that have not been read, in milliseconds.
    pauses: VecDeque<u32>,
    has_begun: bool,
    language: Option<Language>,
    /// Last character that was kept.
    last: Option<char>,
    /// Whether an element that is read as a unit has just ended. The text that follows is a separate word.
    word_boundary: bool,
}

/// Element that is read as a unit, with the characters collected so far.
#[derive(Debug)]
struct Gathering {
    element: Element,
    replacement: Replacement,
    /// Source range of its opening tag.
    tag: Range<u32>,
    characters: Vec<CleanChar>,
}

/// Replacement for the characters of an element.
#[derive(Debug)]
enum Replacement {
    Reading(Reading),
    Alias(String),
}

/// Text that is read in place of a part of the source text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    pub(crate) text: String,
    pub(crate) source: Range<u32>,
}

impl Document {
    /// Returns the language that the first `<speak>` declares.
    pub(crate) const fn language(&self) -> Option<Language> {
        self.language
    }

    /// Returns the length of the next break that was reached, in milliseconds.
    pub(crate) fn next_pause(&mut self) -> u32 {
        self.pauses.pop_front().unwrap_or(0)
    }

    /// Returns the markup instructions for a part of the cleaned text. Returns an empty list if the part is plain.
    /// Drops the instructions before the part.
    pub(crate) fn marked(&mut self, part: Range<u32>) -> Vec<MarkupSpan> {
        let first = self.marked.partition_point(|marked| marked.from <= part.start).saturating_sub(1);
        self.marked.drain(..first);
        let within = || self.marked.iter().take_while(|marked| marked.from < part.end);
        if within().all(MarkupSpan::is_plain) { Vec::new() } else { within().cloned().collect() }
    }

    /// Adds a character of the text.
    pub(crate) fn keep(&mut self, mut character: CleanChar, clean: &mut VecDeque<CleanChar>) {
        if self.silent > 0 {
            return;
        }
        if let Some(place) = &self.source {
            (character.start, character.end) = (place.start, place.end);
        }
        match &mut self.gathering {
            Some(gathering) => {
                gathering.characters.push(character);
                if gathering.characters.len() > LONGEST_READING {
                    self.release_as_text(clean);
                }
            }
            None => self.place(character, None, clean),
        }
    }

    /// Emits the collected characters as plain text, for an unclosed element.
    pub(crate) fn release_as_text(&mut self, clean: &mut VecDeque<CleanChar>) {
        for kept in self.gathering.take().into_iter().flat_map(|gathering| gathering.characters) {
            self.place(kept, None, clean);
        }
    }

    /// Emits a character, and records the speaking style or the reading that begins with it.
    fn place(
        &mut self,
        mut kept: CleanChar,
        reading: Option<&Arc<Reading>>,
        clean: &mut VecDeque<CleanChar>,
    ) {
        let blank = kept.c.is_whitespace();
        // collapse white space, so that markup instructions do not accumulate before a word
        if blank && self.last.is_none_or(char::is_whitespace) {
            return;
        }
        if std::mem::take(&mut self.word_boundary) && kept.c.is_alphanumeric() {
            clean.push_back(CleanChar { c: ' ', end: kept.start, ..kept });
        }
        if !blank && (self.changed || reading.is_some()) {
            let last = self.marked.back();
            let is_repeated = reading.is_some_and(|reading| {
                last.and_then(|last| last.reading.as_ref()).is_some_and(|last| Arc::ptr_eq(last, reading))
            });
            if !is_repeated {
                let style = self.style;
                self.marked.push_back(MarkupSpan { from: kept.start, style, reading: reading.cloned() });
            }
            self.changed = reading.is_some();
        }
        kept.emphasis = matches!(self.style.emphasis, Some(Emphasis::Strong | Emphasis::Moderate));
        kept.whole = reading.is_some();
        self.last = Some(kept.c);
        clean.push_back(kept);
    }

    /// Inserts a marker for the segmenter at the start or end of an element.
    fn edge(&mut self, c: char, place: Range<u32>, clean: &mut VecDeque<CleanChar>) {
        let again = c == ' ' && self.last.is_none_or(char::is_whitespace);
        if self.silent > 0 || again {
            return;
        }
        self.last = Some(c);
        self.word_boundary = false;
        clean.push_back(CleanChar { c, start: place.start, end: place.end, emphasis: false, whole: false });
    }

    /// Applies the tag at `place`. If the tag ends a `<sub>` element, returns its alias.
    pub(crate) fn apply(
        &mut self,
        tag: &Tag,
        place: Range<u32>,
        clean: &mut VecDeque<CleanChar>,
    ) -> Option<Alias> {
        let element = Element::named(&tag.name);
        if self.silent == 0 && element != Element::Inline {
            let ends = tag.closes && self.gathering.as_ref().is_some_and(|open| open.element == element);
            if ends {
                return self.end_gathering(place, clean);
            }
            self.release_as_text(clean);
        }
        if tag.closes {
            self.close(element, place, clean);
            return None;
        }
        match element {
            Element::Speak => {
                if !std::mem::replace(&mut self.has_begun, true) {
                    self.language = language(tag);
                }
                self.edge(SENTENCE_END, place, clean);
            }
            Element::Paragraph => self.edge('\n', place, clean),
            Element::Sentence => self.edge(SENTENCE_END, place, clean),
            Element::Break if self.silent == 0 => {
                let milliseconds = pause::milliseconds(tag);
                if milliseconds > 0 {
                    self.pauses.push_back(milliseconds);
                    self.edge(BREAK, place, clean);
                }
            }
            Element::Unknown => self.edge(' ', place, clean),
            element if element.reads() && self.silent == 0 => {
                return self.begin_gathering(element, tag, place, clean);
            }
            _ => {}
        }
        if element.nests() && !tag.is_empty {
            self.open(element, tag);
        }
        None
    }

    fn open(&mut self, element: Element, tag: &Tag) {
        if self.open.len() >= MAX_DEPTH {
            self.excess_depth = self.excess_depth.saturating_add(1);
            return;
        }
        self.open.push((element, self.style));
        let style = &mut self.style;
        match element {
            Element::Prosody => style.delivery = prosody::prosody(tag, style.delivery),
            Element::Emphasis => {
                let level = prosody::emphasis(tag);
                style.emphasis = Some(level);
                style.delivery = prosody::emphasised(level, style.delivery);
            }
            Element::Silent => self.silent += 1,
            Element::Lang | Element::Paragraph | Element::Sentence => {
                style.language = language(tag).or(style.language);
            }
            _ => {}
        }
        self.changed = true;
    }

    /// Closes the innermost open element of this kind and all elements within it. Does nothing if no such element is
    /// open.
    fn close(&mut self, element: Element, place: Range<u32>, clean: &mut VecDeque<CleanChar>) {
        if element.nests() {
            if self.excess_depth > 0 && element != Element::Speak {
                self.excess_depth -= 1;
            } else if let Some(at) = self.open.iter().rposition(|&(open, _)| open == element) {
                self.style = self.open[at].1;
                let closed = self.open.drain(at..);
                self.silent -= closed.filter(|&(open, _)| open == Element::Silent).count();
                self.changed = true;
                self.excess_depth = 0;
            }
        }
        match element {
            Element::Speak | Element::Sentence => self.edge(SENTENCE_END, place, clean),
            Element::Paragraph => self.edge('\n', place, clean),
            Element::Unknown => self.edge(' ', place, clean),
            _ => {}
        }
    }

    fn begin_gathering(
        &mut self,
        element: Element,
        tag: &Tag,
        place: Range<u32>,
        clean: &mut VecDeque<CleanChar>,
    ) -> Option<Alias> {
        let replacement = match element {
            Element::Sub => tag
                .attribute("alias")
                .filter(|alias| !alias.is_empty())
                .map(|alias| Replacement::Alias(alias.to_owned())),
            Element::Phoneme => phones(tag).map(|phones| Replacement::Reading(Reading::Phones(phones))),
            _ => SayAs::of(tag).map(|say_as| Replacement::Reading(Reading::As(say_as))),
        };
        let gathering =
            Gathering { element, replacement: replacement?, tag: place.clone(), characters: Vec::new() };
        self.gathering = Some(gathering);
        if tag.is_empty { self.end_gathering(place, clean) } else { None }
    }

    /// Ends the element that is read as a unit, whose closing tag is at `place`. Returns the alias of a `<sub>`
    /// element; emits the characters of any other element.
    fn end_gathering(&mut self, place: Range<u32>, clean: &mut VecDeque<CleanChar>) -> Option<Alias> {
        let Gathering { replacement, tag, mut characters, .. } = self.gathering.take()?;
        let visible = |kept: &CleanChar| !kept.c.is_whitespace();
        let first = characters.iter().position(visible);
        let last = characters.iter().rposition(visible);
        let source = match (first, last) {
            (Some(first), Some(last)) => {
                characters.truncate(last + 1);
                characters.drain(..first);
                characters[0].start..characters[characters.len() - 1].end
            }
            _ => tag.start..place.end,
        };
        if self.last.is_some_and(char::is_alphanumeric) {
            let space = CleanChar { c: ' ', start: tag.start, end: tag.end, emphasis: false, whole: false };
            self.place(space, None, clean);
        }
        match replacement {
            Replacement::Alias(text) => {
                self.word_boundary = false;
                Some(Alias { text, source })
            }
            Replacement::Reading(reading) => {
                if first.is_none() {
                    characters = shown(&reading, &source);
                }
                let reading = Arc::new(reading);
                for kept in characters {
                    self.place(kept, Some(&reading), clean);
                }
                self.word_boundary = true;
                None
            }
        }
    }

    /// Marks the end of an alias, so that the text that follows is a separate word.
    pub(crate) fn end_alias(&mut self) {
        self.source = None;
        self.word_boundary = true;
    }
}

/// Returns the characters that represent an element without text: the IPA symbols of its phones, or none if the element
/// has no phones.
fn shown(reading: &Reading, place: &Range<u32>) -> Vec<CleanChar> {
    let Reading::Phones(said) = reading else { return Vec::new() };
    let clean_char = |c| CleanChar { c, start: place.start, end: place.end, emphasis: false, whole: true };
    to_ipa(&said.phones).chars().filter(|c| c.is_alphabetic()).take(LONGEST_READING).map(clean_char).collect()
}

/// Returns the phones of a `<phoneme>` element. Returns `None` if the alphabet is not IPA or if a phone exists in no
/// supported language.
fn phones(tag: &Tag) -> Option<Transcription> {
    tag.attribute("alphabet").is_none_or(|alphabet| alphabet.eq_ignore_ascii_case("ipa")).then_some(())?;
    let transcription = Transcription::from_ipa(tag.attribute("ph")?).ok()?;
    (!transcription.phones.is_empty()).then_some(transcription)
}

/// Returns the language of `xml:lang`; the region is ignored.
fn language(tag: &Tag) -> Option<Language> {
    Language::from_code(tag.attribute("xml:lang")?.split(['-', '_']).next()?)
}
