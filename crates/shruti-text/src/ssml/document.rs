//! Where in its elements a document is, and what is in force there.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use shruti_lang::Language;

use super::element::Element;
use super::{Emphasis, LONGEST_READING, MOST_DEPTH, Manner, Marked, Reading, SayAs, Tag, pause, prosody};
use crate::clean::{BREAK, CleanChar, SENTENCE_END};
use crate::phone::{Transcription, to_ipa};

/// What the characters that come next belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Region {
    #[default]
    Text,
    /// Up to `-->`.
    Comment,
    /// Up to `?>`.
    Instruction,
    /// Text in which `<` and `&` are plain, up to `]]>`.
    Cdata,
    /// `<!DOCTYPE …>`, with so many `<` open, and the quotation mark that is.
    Declaration { open: u32, quote: Option<char> },
    /// The rest of a tag that was too long to wait for: in the value that this quotation mark closes, or behind it.
    LongTag { quote: Option<char> },
}

/// A document as far as it has been read.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) region: Region,
    /// The quotation mark that is open where the search for the end of a tag has come to.
    pub(crate) quote: Option<char>,
    /// The place that all characters which are kept now stand for, where they are not the text's own.
    pub(crate) stands_for: Option<Range<u32>>,
    /// The elements that are open, each with what was in force before it.
    open: Vec<(Element, Manner)>,
    /// How many are open that are nested too deep.
    beyond: u32,
    /// How many of those that are open are silent.
    silent: usize,
    manner: Manner,
    /// Whether what is in force has changed since a character was kept.
    changed: bool,
    /// The element whose characters are being gathered.
    gathering: Option<Gathering>,
    /// What holds from which place on, for the characters that have been kept and not yet read.
    marked: VecDeque<Marked>,
    /// The lengths of the breaks among those, in milliseconds.
    pauses: VecDeque<u32>,
    has_begun: bool,
    language: Option<Language>,
    /// The last character that was kept.
    last: Option<char>,
    /// Whether an element that is read as one ends here: what follows is another word.
    parts: bool,
}

/// An element that is read as one, and its characters so far.
#[derive(Debug)]
struct Gathering {
    element: Element,
    as_what: Instead,
    /// Where its opening tag stands.
    tag: Range<u32>,
    characters: Vec<CleanChar>,
}

/// What is read for the characters of an element.
#[derive(Debug)]
enum Instead {
    Reading(Reading),
    Alias(String),
}

/// Text to be read for a part of the text as sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Alias {
    pub(crate) text: String,
    pub(crate) stands_for: Range<u32>,
}

impl Document {
    /// The language that the first `<speak>` names.
    pub(crate) const fn language(&self) -> Option<Language> {
        self.language
    }

    /// The length of the next break that the text has been read up to, in milliseconds.
    pub(crate) fn next_pause(&mut self) -> u32 {
        self.pauses.pop_front().unwrap_or(0)
    }

    /// What is in force in a part of the text that has been kept; nothing where it is nothing out of the ordinary. What
    /// is before it is forgotten.
    pub(crate) fn marked(&mut self, part: Range<u32>) -> Vec<Marked> {
        let first = self.marked.partition_point(|marked| marked.from <= part.start).saturating_sub(1);
        self.marked.drain(..first);
        let within = || self.marked.iter().take_while(|marked| marked.from < part.end);
        if within().all(Marked::is_plain) { Vec::new() } else { within().cloned().collect() }
    }

    /// Keeps a character of the text.
    pub(crate) fn keep(&mut self, mut kept: CleanChar, clean: &mut VecDeque<CleanChar>) {
        if self.silent > 0 {
            return;
        }
        if let Some(place) = &self.stands_for {
            (kept.start, kept.end) = (place.start, place.end);
        }
        match &mut self.gathering {
            Some(gathering) => {
                gathering.characters.push(kept);
                if gathering.characters.len() > LONGEST_READING {
                    self.give_up(clean);
                }
            }
            None => self.place(kept, None, clean),
        }
    }

    /// Reads the characters of an element that does not end here as they stand.
    pub(crate) fn give_up(&mut self, clean: &mut VecDeque<CleanChar>) {
        for kept in self.gathering.take().into_iter().flat_map(|gathering| gathering.characters) {
            self.place(kept, None, clean);
        }
    }

    /// Hands a character on with what is in force.
    fn place(
        &mut self,
        mut kept: CleanChar,
        reading: Option<&Arc<Reading>>,
        clean: &mut VecDeque<CleanChar>,
    ) {
        let blank = kept.c.is_whitespace();
        // white space is one space, however much there is, and lets no markup pile up before a word
        if blank && self.last.is_none_or(char::is_whitespace) {
            return;
        }
        if std::mem::take(&mut self.parts) && kept.c.is_alphanumeric() {
            clean.push_back(CleanChar { c: ' ', end: kept.start, ..kept });
        }
        if !blank && (self.changed || reading.is_some()) {
            let last = self.marked.back();
            let known = reading.is_some_and(|reading| {
                last.and_then(|last| last.reading.as_ref()).is_some_and(|last| Arc::ptr_eq(last, reading))
            });
            if !known {
                let manner = self.manner;
                self.marked.push_back(Marked { from: kept.start, manner, reading: reading.cloned() });
            }
            self.changed = reading.is_some();
        }
        kept.emphasis = matches!(self.manner.emphasis, Some(Emphasis::Strong | Emphasis::Moderate));
        kept.whole = reading.is_some();
        self.last = Some(kept.c);
        clean.push_back(kept);
    }

    /// Puts a sign for the segmenter where an element begins or ends.
    fn edge(&mut self, c: char, place: Range<u32>, clean: &mut VecDeque<CleanChar>) {
        let again = c == ' ' && self.last.is_none_or(char::is_whitespace);
        if self.silent > 0 || again {
            return;
        }
        self.last = Some(c);
        self.parts = false;
        clean.push_back(CleanChar { c, start: place.start, end: place.end, emphasis: false, whole: false });
    }

    /// Does what a tag says that stands at `place`. Gives the text that is to be read for an element that ends with it.
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
            self.give_up(clean);
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
        if self.open.len() >= MOST_DEPTH {
            self.beyond = self.beyond.saturating_add(1);
            return;
        }
        self.open.push((element, self.manner));
        let manner = &mut self.manner;
        match element {
            Element::Prosody => manner.delivery = prosody::prosody(tag, manner.delivery),
            Element::Emphasis => {
                let level = prosody::emphasis(tag);
                manner.emphasis = Some(level);
                manner.delivery = prosody::emphasised(level, manner.delivery);
            }
            Element::Silent => self.silent += 1,
            Element::Lang | Element::Paragraph | Element::Sentence => {
                manner.language = language(tag).or(manner.language);
            }
            _ => {}
        }
        self.changed = true;
    }

    /// Closes the innermost element of this kind and all within it; one that is not open closes nothing.
    fn close(&mut self, element: Element, place: Range<u32>, clean: &mut VecDeque<CleanChar>) {
        if element.nests() {
            if self.beyond > 0 && element != Element::Speak {
                self.beyond -= 1;
            } else if let Some(at) = self.open.iter().rposition(|&(open, _)| open == element) {
                self.manner = self.open[at].1;
                let closed = self.open.drain(at..);
                self.silent -= closed.filter(|&(open, _)| open == Element::Silent).count();
                self.changed = true;
                self.beyond = 0;
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
        let as_what = match element {
            Element::Sub => tag
                .attribute("alias")
                .filter(|alias| !alias.is_empty())
                .map(|alias| Instead::Alias(alias.to_owned())),
            Element::Phoneme => phones(tag).map(|phones| Instead::Reading(Reading::Phones(phones))),
            _ => SayAs::of(tag).map(|say_as| Instead::Reading(Reading::As(say_as))),
        };
        let gathering = Gathering { element, as_what: as_what?, tag: place.clone(), characters: Vec::new() };
        self.gathering = Some(gathering);
        if tag.is_empty { self.end_gathering(place, clean) } else { None }
    }

    /// An element that is read as one ends with the tag at `place`.
    fn end_gathering(&mut self, place: Range<u32>, clean: &mut VecDeque<CleanChar>) -> Option<Alias> {
        let Gathering { as_what, tag, mut characters, .. } = self.gathering.take()?;
        let visible = |kept: &CleanChar| !kept.c.is_whitespace();
        let first = characters.iter().position(visible);
        let last = characters.iter().rposition(visible);
        let stands_for = match (first, last) {
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
        match as_what {
            Instead::Alias(text) => {
                self.parts = false;
                Some(Alias { text, stands_for })
            }
            Instead::Reading(reading) => {
                if first.is_none() {
                    characters = shown(&reading, &stands_for);
                }
                let reading = Arc::new(reading);
                for kept in characters {
                    self.place(kept, Some(&reading), clean);
                }
                self.parts = true;
                None
            }
        }
    }

    /// Says that what follows is another word than the alias before it.
    pub(crate) fn end_alias(&mut self) {
        self.stands_for = None;
        self.parts = true;
    }
}

/// What stands for an element without text: its phones.
fn shown(reading: &Reading, place: &Range<u32>) -> Vec<CleanChar> {
    let Reading::Phones(said) = reading else { return Vec::new() };
    let kept = |c| CleanChar { c, start: place.start, end: place.end, emphasis: false, whole: true };
    to_ipa(&said.phones).chars().filter(|c| c.is_alphabetic()).take(LONGEST_READING).map(kept).collect()
}

/// The phones of `<phoneme>`: IPA, or none where it is something else or holds sounds that no language here has.
fn phones(tag: &Tag) -> Option<Transcription> {
    tag.attribute("alphabet").is_none_or(|alphabet| alphabet.eq_ignore_ascii_case("ipa")).then_some(())?;
    let said = Transcription::from_ipa(tag.attribute("ph")?).ok()?;
    (!said.phones.is_empty()).then_some(said)
}

/// The language of `xml:lang`, whatever the country.
fn language(tag: &Tag) -> Option<Language> {
    Language::from_code(tag.attribute("xml:lang")?.split(['-', '_']).next()?)
}
