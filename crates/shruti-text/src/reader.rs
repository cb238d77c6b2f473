//! The complete front end: turns text that arrives in pieces into utterances.

use std::sync::Arc;

use shruti_lang::Language;

use crate::lexicon::Lexicon;
use crate::normalize::{self, SpokenWord};
use crate::phone::PhoneticDetail;
use crate::pronounce::pronounce;
use crate::prosody;
use crate::segment::{Close, Segment, Segmenter};
use crate::ssml::{Emphasis, LONGEST_PAUSE_MS};
use crate::text_language::{SpokenLanguage, Tally, language_of};
use crate::utterance::{Break, Contour, Pause, Spoken, Utterance, Weight, Word};

/// Settings of a [`Reader`].
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Language of the text. If `None`, the language is the one that an SSML document declares, or otherwise the one
    /// that is detected in the first segment.
    pub language: Option<Language>,
    /// Pronunciation dictionary, with the entries of the request and of the server.
    pub lexicon: Arc<Lexicon>,
}

/// Front end for a text that arrives in pieces. It returns utterances on demand, one at a time.
///
/// The utterances do not depend on how the text is split into pieces. A flush stays in effect until
/// [`Self::next_utterance`] returns `None`: read all utterances before you push more text, or the flush also applies to
/// that text.
#[derive(Debug)]
pub struct Reader {
    language: Option<Language>,
    lexicon: Arc<Lexicon>,
    segmenter: Segmenter,
    /// Language of the latest romanised words in an English text; English if the text was declared to be English.
    romanised: Option<Language>,
    spoken: u32,
    /// Counts for the detection of the spoken language.
    tally: Tally,
    /// Number of completed sentences in the paragraph.
    sentences: u32,
    /// `true` while a parenthesis is open.
    aside: bool,
    /// Silence requested since the last word, in milliseconds.
    silence_ms: u32,
    /// Pause to return next.
    pause: Option<Pause>,
    /// Pause to return before `waiting`, held back until the language is known.
    first_pause: Option<Pause>,
    /// Utterance to return after `first_pause`.
    waiting: Option<Box<Utterance>>,
    finished: bool,
}

impl Reader {
    /// Creates a reader at the start of a text.
    pub fn new(settings: Settings) -> Self {
        Self {
            language: settings.language,
            lexicon: settings.lexicon,
            segmenter: Segmenter::new(),
            romanised: settings.language.filter(|&given| given == Language::English),
            spoken: 0,
            tally: Tally::default(),
            sentences: 0,
            aside: false,
            silence_ms: 0,
            pause: None,
            first_pause: None,
            waiting: None,
            finished: false,
        }
    }

    /// Adds the next piece of the text.
    pub fn push(&mut self, piece: &str) {
        self.segmenter.push(piece);
    }

    /// Releases the buffered text; more text may follow.
    pub fn flush(&mut self) {
        self.segmenter.flush();
    }

    /// Releases the buffered text up to the last white space; an unfinished last word stays in the buffer.
    pub fn flush_words(&mut self) {
        self.segmenter.flush_words();
    }

    /// Marks the end of the text.
    pub fn finish(&mut self) {
        self.finished = true;
        self.segmenter.finish();
    }

    /// Returns the language of the text, as declared or as detected in its first segment. Returns `None` until it is
    /// known.
    pub fn language(&self) -> Option<Language> {
        self.language
    }

    /// Returns the spoken language of the text read so far, and its script. Returns `None` before the first utterance.
    ///
    /// For a text in Latin letters whose words are mostly Hindi, [`Self::language`] returns English, the language of
    /// its English words and numbers, and this method returns Hindi in Latin script. A declared language does not
    /// change.
    pub fn spoken_language(&self) -> Option<SpokenLanguage> {
        let language = self.language.filter(|_| self.spoken > 0)?;
        let spoken = self.tally.spoken(language);
        let is_declared = self.romanised == Some(Language::English);
        Some(SpokenLanguage { language: if is_declared { language } else { spoken.language }, ..spoken })
    }

    /// Returns whether the text is SSML. The result is final once the first output has been returned.
    pub fn is_ssml(&self) -> bool {
        self.segmenter.is_document()
    }

    /// Returns the next utterance, skipping pauses, or `None` if no utterance is ready.
    pub fn next_utterance(&mut self) -> Option<Utterance> {
        loop {
            if let Spoken::Utterance(utterance) = self.next_spoken()? {
                return Some(utterance);
            }
        }
    }

    /// Returns the next utterance or pause, or `None` if nothing is ready. A pause before the first word is held back
    /// until the language of the text is known.
    pub fn next_spoken(&mut self) -> Option<Spoken> {
        loop {
            if self.language.is_some() {
                if let Some(pause) = self.first_pause.take() {
                    return Some(Spoken::Pause(pause));
                }
                if let Some(utterance) = self.waiting.take() {
                    return Some(Spoken::Utterance(*utterance));
                }
                if let Some(pause) = self.pause.take() {
                    return Some(Spoken::Pause(pause));
                }
            }
            if let Some(language) = self.language {
                self.segmenter.set_language(language);
            }
            let Some(segment) = self.segmenter.next_segment() else {
                if !self.finished || self.pause.is_none() {
                    return None;
                }
                // the text consists only of pauses
                self.language = Some(language_of(""));
                continue;
            };
            self.take_document_language();
            let utterance = self.read(&segment);
            if utterance.is_some() {
                self.spoken += 1;
                self.silence_ms = 0;
                self.first_pause = self.pause.take();
            }
            self.pause = self.pause_after(&segment).or(self.pause);
            match utterance {
                Some(utterance) if self.first_pause.is_some() => self.waiting = Some(Box::new(utterance)),
                Some(utterance) => return Some(Spoken::Utterance(utterance)),
                None => {}
            }
        }
    }

    /// Sets the language that an SSML document declares, unless a language is already set.
    fn take_document_language(&mut self) {
        if self.language.is_none() {
            self.language = self.segmenter.document_language();
            self.romanised = self.language.filter(|&declared| declared == Language::English);
        }
    }

    /// Returns the pause that the markup requests after a segment, or `None` if the segment adds no silence or the
    /// silence has already reached its maximum.
    fn pause_after(&mut self, segment: &Segment) -> Option<Pause> {
        let silence_ms = self.silence_ms.saturating_add(segment.pause_ms).min(LONGEST_PAUSE_MS);
        let is_longer = silence_ms > self.silence_ms;
        self.silence_ms = silence_ms;
        is_longer.then_some(Pause { silence_ms, char_end: segment.char_end })
    }

    fn normalize(&mut self, segment: &Segment) -> (Vec<SpokenWord>, Language) {
        self.take_document_language();
        let language = *self.language.get_or_insert_with(|| language_of(&segment.text.text));
        (normalize::normalize(segment, language, self.romanised, &self.lexicon), language)
    }

    /// Marks words in parentheses. A parenthesis can continue across segments until its sentence ends.
    fn enclose(&mut self, words: &mut [SpokenWord], segment: &Segment) {
        let inside = self.aside && !segment.begins_sentence;
        let open = normalize::prosody::enclose(words, inside);
        self.aside = open
            && matches!(
                segment.close,
                Close::Comma | Close::Clause | Close::Cut | Close::Long | Close::Break
            );
    }

    fn read(&mut self, segment: &Segment) -> Option<Utterance> {
        if segment.text.text.is_empty() {
            return None;
        }
        let (mut normalized, language) = self.normalize(segment);
        self.enclose(&mut normalized, segment);
        let mut words = pronounce(&normalized, language, self.romanised, PhoneticDetail::Spoken);
        if language == Language::English && self.romanised != Some(Language::English) {
            let other = words.iter().map(|word| word.language).find(|&other| other != language);
            self.romanised = other.or(self.romanised);
        }
        self.tally.add(&segment.text.text, &words);
        let last = words.last_mut()?;
        last.break_after = break_at(segment.close);
        let source = *segment.text.offsets.first()?..*segment.text.ends.last()?;
        let contour = prosody::mark(&mut words, language, contour_of(segment.close));
        deliver(&mut words, segment);
        if segment.begins_line {
            self.sentences = 0;
        } else {
            self.sentences = self.sentences.saturating_add(u32::from(segment.begins_sentence));
        }
        Some(Utterance {
            index: self.spoken,
            language,
            words,
            contour,
            begins_sentence: segment.begins_sentence,
            sentence: self.sentences,
            source,
        })
    }
}

/// Returns the number of characters by which the readings of the lexicon's own entries (not those of its fallback
/// lexicon) exceed the words that they replace. This is the sum of
/// [`Word::extra_chars`](crate::utterance::Word::extra_chars), or slightly more if a word of a reading is not
/// pronounced.
///
/// The text is read without computing phones. Counting stops once the sum exceeds `most`, because long readings also
/// take time.
pub fn extra_chars(text: &str, settings: Settings, most: u32) -> u32 {
    if !settings.lexicon.has_own() {
        return 0;
    }
    let mut reader = Reader::new(settings);
    if let Some(language) = reader.language {
        reader.segmenter.set_language(language);
    }
    reader.push(text);
    reader.finish();
    let mut extra: u32 = 0;
    while extra <= most
        && let Some(segment) = reader.segmenter.next_segment()
    {
        let (words, language) = reader.normalize(&segment);
        reader.segmenter.set_language(language);
        reader.romanised = normalize::romanised_language(&words, language, reader.romanised);
        extra = words.iter().fold(extra, |sum, word| sum.saturating_add(word.extra_chars));
    }
    extra
}

/// Loads every table and model of every finished language, so that the first text is processed as fast as later ones.
/// The tables of a language in beta are loaded with its first text: few servers need them, and they would take several
/// MiB.
pub fn warm_up() {
    crate::english::warm_up();
    // the last sentence is so long that the segmenter looks for the end of a phrase
    let text = format!("aap 5 kg. zxqvute, the use. {}", "ka ".repeat(20));
    for language in Language::FINISHED {
        let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
        reader.push(&text);
        reader.finish();
        while reader.next_utterance().is_some() {}
    }
}

/// Applies the delivery that the markup requests to the words.
fn deliver(words: &mut [Word], segment: &Segment) {
    if segment.text.marked.is_empty() {
        return;
    }
    for word in words {
        let Some(marked) = segment.text.marked_at(word.source.start) else { continue };
        word.delivery = marked.style.delivery;
        if matches!(marked.style.emphasis, Some(Emphasis::None | Emphasis::Reduced)) {
            word.weight = word.weight.min(Weight::Content);
        }
    }
}

fn break_at(close: Close) -> Break {
    match close {
        Close::Sentence | Close::Question | Close::Exclamation => Break::Sentence,
        Close::Line => Break::Paragraph,
        Close::Clause => Break::Clause,
        Close::Comma => Break::Comma,
        Close::Long => Break::Breath,
        Close::End | Close::Cut | Close::Break => Break::Phrase,
    }
}

fn contour_of(close: Close) -> Contour {
    match close {
        Close::Sentence | Close::Line | Close::End => Contour::Statement,
        Close::Question => Contour::YesNoQuestion,
        Close::Exclamation => Contour::Exclamation,
        Close::Clause | Close::Comma | Close::Long | Close::Cut | Close::Break => Contour::Continuation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Class;
    use crate::script::Script;

    #[test]
    fn end_is_a_statement_and_flush_a_continuation() {
        for language in Language::ALL {
            let contour = |finish: bool| {
                let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
                reader.push("42 ");
                if finish {
                    reader.finish();
                } else {
                    reader.flush();
                }
                reader.next_utterance().map(|utterance| utterance.contour)
            };
            assert_eq!(contour(true), Some(Contour::Statement), "{language}");
            assert_eq!(contour(false), Some(Contour::Continuation), "{language}");
        }
    }

    #[test]
    fn utterance_language_follows_its_words() {
        use Language::{English, Hindi, Telugu};
        let cases = [
            (Hindi, "मैं ठीक हूँ।", Hindi),
            (Hindi, "నేను బాగున్నాను.", Telugu),
            (Hindi, "నా meeting ఉంది.", Telugu),
            (Hindi, "Thank you.", Hindi),
            (Hindi, "నేను और तुम.", Hindi),
            (English, "Thank you.", English),
            (English, "mujhe 500 rupaye bhejo.", Hindi),
        ];
        for (language, text, spoken) in cases {
            let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
            reader.push(text);
            reader.finish();
            let utterance = reader.next_utterance().unwrap();
            assert_eq!((utterance.language, utterance.spoken_language()), (language, spoken), "{text}");
        }
    }

    #[test]
    fn reports_the_spoken_language_with_its_script() {
        let (hindi, english, latin) = (Language::Hindi, Language::English, Script::Latin);
        for (declared, text, language, script) in [
            (None, "aap kaise hain? mera naam Raj hai.", hindi, latin),
            (None, "aapka order deliver ho gaya hai", hindi, latin),
            (None, "The dosa is ready, please come.", english, latin),
            (Some(hindi), "aap kaise hain", hindi, latin),
            (Some(english), "aap kaise hain", english, latin),
            (None, "आप कैसे हैं", hindi, Script::Devanagari),
            (None, "मेरा OTP कहाँ है", hindi, Script::Devanagari),
            (None, "42", english, latin),
        ] {
            let mut reader = Reader::new(Settings { language: declared, ..Settings::default() });
            assert_eq!(reader.spoken_language(), None, "{text}");
            reader.push(text);
            reader.finish();
            while reader.next_utterance().is_some() {}
            assert_eq!(reader.spoken_language(), Some(SpokenLanguage { language, script }), "{text}");
        }
    }

    #[test]
    fn numbers_use_the_language_of_preceding_words() {
        let mut reader = Reader::new(Settings::default());
        reader.push("mujhe 500 rupaye bhejo, 200 kal. And 5 more for me.");
        reader.finish();
        let words = std::iter::from_fn(|| reader.next_utterance()).flat_map(|utterance| utterance.words);
        let numbers: Vec<Language> =
            words.filter(|word| word.class != Class::Word).map(|word| word.language).collect();
        let own = Language::Hindi;
        assert_eq!(numbers, [own, own, own, own, Language::English], "पाँच सौ, दो सौ, five");
    }

    #[test]
    fn romanised_questions_have_native_intonation() {
        let cases = [
            ("आप कैसे हैं?", Contour::WhQuestion),
            ("aap kaise hain?", Contour::WhQuestion),
            ("kya aap theek hain?", Contour::YesNoQuestion),
        ];
        for (text, contour) in cases {
            let mut reader = Reader::new(Settings { language: Some(Language::Hindi), ..Settings::default() });
            reader.push(text);
            reader.finish();
            assert_eq!(reader.next_utterance().map(|utterance| utterance.contour), Some(contour), "{text}");
        }
    }
}
