//! The whole front end: text in pieces to utterances.

use std::sync::Arc;

use shruti_lang::Language;

use crate::g2p::Detail;
use crate::lexicon::Lexicon;
use crate::normalize::{self, SpokenWord};
use crate::pronounce::pronounce;
use crate::prosody;
use crate::segment::{Close, Segment, Segmenter};
use crate::ssml::{Emphasis, LONGEST_PAUSE_MS};
use crate::text_language::{SpokenLanguage, Tally, language_of};
use crate::utterance::{Break, Contour, Pause, Spoken, Utterance, Weight, Word};

/// What a reader is told of its text.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The language of the text; found from the script of its first segment when not given.
    pub language: Option<Language>,
    /// Readings of words, from whoever asks and from whoever runs this.
    pub lexicon: Arc<Lexicon>,
}

/// Reads a text that arrives in pieces and gives utterances, one at a time and no sooner than asked.
///
/// However the text is cut into pieces, the utterances are the same. A flush holds until [`Self::next_utterance`] gives
/// `None`: take all utterances before pushing on, or what is pushed is let out too.
#[derive(Debug)]
pub struct Reader {
    language: Option<Language>,
    lexicon: Arc<Lexicon>,
    segmenter: Segmenter,
    /// The language that romanised words of a text of English were last in; English where the text was said to be so.
    romanised: Option<Language>,
    spoken: u32,
    /// What tells the language that is spoken.
    tally: Tally,
    /// How many sentences of the paragraph have ended.
    sentences: u32,
    /// Whether a parenthesis is open.
    aside: bool,
    /// How much silence has been asked for since the last word, in milliseconds.
    silence_ms: u32,
    /// A pause that is to be given next.
    pause: Option<Pause>,
    /// A pause before the first word, which has waited for the language, and the utterance behind it.
    first_pause: Option<Pause>,
    waiting: Option<Box<Utterance>>,
    finished: bool,
}

impl Reader {
    /// A reader at the start of a text.
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

    /// Takes the next piece of the text.
    pub fn push(&mut self, piece: &str) {
        self.segmenter.push(piece);
    }

    /// Lets what is held back be spoken; more text may follow.
    pub fn flush(&mut self) {
        self.segmenter.flush();
    }

    /// Lets what ends at white space be spoken; the unfinished last word stays.
    pub fn flush_words(&mut self) {
        self.segmenter.flush_words();
    }

    /// Says that no more text follows.
    pub fn finish(&mut self) {
        self.finished = true;
        self.segmenter.finish();
    }

    /// The language of the text: as told, or as found in its first segment.
    pub fn language(&self) -> Option<Language> {
        self.language
    }

    /// The language that the text is spoken in and the script that it is written in, as far as it has been read; `None` before
    /// the first utterance. A text in Latin letters whose words are mostly Hindi is in the language `en` by
    /// [`Self::language`], which is what its English words and numbers go by, and Hindi in Latin letters here. A language that
    /// was told stays as it was told.
    pub fn spoken_language(&self) -> Option<SpokenLanguage> {
        let language = self.language.filter(|_| self.spoken > 0)?;
        let spoken = self.tally.spoken(language);
        let is_told = self.romanised == Some(Language::English);
        Some(SpokenLanguage { language: if is_told { language } else { spoken.language }, ..spoken })
    }

    /// Whether the text is SSML; known once something of it has been given.
    pub fn is_ssml(&self) -> bool {
        self.segmenter.is_document()
    }

    /// The next utterance, or `None` when nothing (more) is ready to be spoken; pauses are passed over.
    pub fn next_utterance(&mut self) -> Option<Utterance> {
        loop {
            if let Spoken::Utterance(utterance) = self.next_spoken()? {
                return Some(utterance);
            }
        }
    }

    /// The next utterance or pause, or `None` when nothing (more) is ready. The language of the text is known with the
    /// first of them: a pause before the first word waits for it.
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
            let Some(segment) = self.segmenter.next_segment() else {
                if !self.finished || self.pause.is_none() {
                    return None;
                }
                // nothing but pauses
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
            self.pause = self.pause_behind(&segment).or(self.pause);
            match utterance {
                Some(utterance) if self.first_pause.is_some() => self.waiting = Some(Box::new(utterance)),
                Some(utterance) => return Some(Spoken::Utterance(utterance)),
                None => {}
            }
        }
    }

    /// The language that an SSML text says it is in, where none was told.
    fn take_document_language(&mut self) {
        if self.language.is_none() {
            self.language = self.segmenter.document_language();
            self.romanised = self.language.filter(|&told| told == Language::English);
        }
    }

    /// The pause that markup asks for behind a segment; none where there has been the longest one already.
    fn pause_behind(&mut self, segment: &Segment) -> Option<Pause> {
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

    /// Marks parentheses, which may go on from segment to segment up to the end of their sentence.
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
        let mut words = pronounce(&normalized, language, self.romanised, Detail::Spoken);
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

/// By how many characters the readings in a text are longer than the words they replace, where the lexicon's own
/// entries (not those beneath it) give them: the sum of [`Word::extra_chars`](crate::utterance::Word::extra_chars), or
/// a little more where a word of a reading is not pronounced. Takes as long as reading the text without finding its
/// phones, but stops where there are more than `most`: a reading takes time by its length, too.
pub fn extra_chars(text: &str, settings: Settings, most: u32) -> u32 {
    if !settings.lexicon.has_own() {
        return 0;
    }
    let mut reader = Reader::new(settings);
    reader.push(text);
    reader.finish();
    let mut extra: u32 = 0;
    while extra <= most
        && let Some(segment) = reader.segmenter.next_segment()
    {
        let (words, language) = reader.normalize(&segment);
        reader.romanised = normalize::romanised_language(&words, language, reader.romanised);
        extra = words.iter().fold(extra, |sum, word| sum.saturating_add(word.extra_chars));
    }
    extra
}

/// Reads every table and model of every language once, so that the first text is as quick as those after it.
pub fn warm_up() {
    for language in Language::ALL {
        let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
        reader.push("aap 5 kg. zxqvute, the use");
        reader.finish();
        while reader.next_utterance().is_some() {}
    }
}

/// Puts on the words what markup asks for.
fn deliver(words: &mut [Word], segment: &Segment) {
    if segment.text.marked.is_empty() {
        return;
    }
    for word in words {
        let Some(marked) = segment.text.marked_at(word.source.start) else { continue };
        word.delivery = marked.manner.delivery;
        if matches!(marked.manner.emphasis, Some(Emphasis::None | Emphasis::Reduced)) {
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
    fn a_text_that_ends_is_a_statement_and_one_that_is_flushed_goes_on() {
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
    fn an_utterance_is_spoken_in_the_language_of_its_words() {
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
    fn the_spoken_language_is_told_with_its_script() {
        let (hindi, english, latin) = (Language::Hindi, Language::English, Script::Latin);
        for (told, text, language, script) in [
            (None, "aap kaise hain? mera naam Raj hai.", hindi, latin),
            (None, "aapka order deliver ho gaya hai", hindi, latin),
            (None, "The dosa is ready, please come.", english, latin),
            (Some(hindi), "aap kaise hain", hindi, latin),
            (Some(english), "aap kaise hain", english, latin),
            (None, "आप कैसे हैं", hindi, Script::Devanagari),
            (None, "मेरा OTP कहाँ है", hindi, Script::Devanagari),
            (None, "42", english, latin),
        ] {
            let mut reader = Reader::new(Settings { language: told, ..Settings::default() });
            assert_eq!(reader.spoken_language(), None, "{text}");
            reader.push(text);
            reader.finish();
            while reader.next_utterance().is_some() {}
            assert_eq!(reader.spoken_language(), Some(SpokenLanguage { language, script }), "{text}");
        }
    }

    #[test]
    fn numbers_go_on_in_the_language_of_the_words_before() {
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
    fn questions_in_latin_letters_have_the_melody_of_their_language() {
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
