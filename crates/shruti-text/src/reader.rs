//! The whole front end: text in pieces to utterances.

use std::sync::Arc;

use shruti_protocol::Language;

use crate::g2p::Detail;
use crate::lexicon::Lexicon;
use crate::normalize::{self, SpokenWord};
use crate::pronounce::pronounce;
use crate::prosody;
use crate::segment::{Close, Segment, Segmenter};
use crate::text_language::language_of;
use crate::utterance::{Break, Contour, Utterance};

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
    /// How many sentences of the paragraph have ended.
    sentences: u32,
    /// Whether a parenthesis is open.
    aside: bool,
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
            sentences: 0,
            aside: false,
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
        self.segmenter.finish();
    }

    /// The language of the text: as told, or as found in its first segment.
    pub fn language(&self) -> Option<Language> {
        self.language
    }

    /// The next utterance, or `None` when nothing (more) is ready to be spoken.
    pub fn next_utterance(&mut self) -> Option<Utterance> {
        loop {
            let segment = self.segmenter.next_segment()?;
            if let Some(utterance) = self.read(&segment) {
                self.spoken += 1;
                return Some(utterance);
            }
        }
    }

    fn normalize(&mut self, segment: &Segment) -> (Vec<SpokenWord>, Language) {
        let language = *self.language.get_or_insert_with(|| language_of(&segment.text.text));
        (normalize::normalize(segment, language, self.romanised, &self.lexicon), language)
    }

    /// Marks parentheses, which may go on from segment to segment up to the end of their sentence.
    fn enclose(&mut self, words: &mut [SpokenWord], segment: &Segment) {
        let inside = self.aside && !segment.begins_sentence;
        let open = normalize::prosody::enclose(words, inside);
        self.aside = open && matches!(segment.close, Close::Comma | Close::Clause | Close::Cut | Close::Long);
    }

    fn read(&mut self, segment: &Segment) -> Option<Utterance> {
        let (mut normalized, language) = self.normalize(segment);
        self.enclose(&mut normalized, segment);
        let mut words = pronounce(&normalized, language, self.romanised, Detail::Spoken);
        if language == Language::English && self.romanised != Some(Language::English) {
            let other = words.iter().map(|word| word.language).find(|&other| other != language);
            self.romanised = other.or(self.romanised);
        }
        let last = words.last_mut()?;
        last.break_after = break_at(segment.close);
        let source = *segment.text.offsets.first()?..*segment.text.ends.last()?;
        let contour = prosody::mark(&mut words, language, contour_of(segment.close));
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
/// phones.
pub fn extra_chars(text: &str, settings: Settings) -> u32 {
    if !settings.lexicon.has_own() {
        return 0;
    }
    let mut reader = Reader::new(settings);
    reader.push(text);
    reader.finish();
    let mut extra: u32 = 0;
    while let Some(segment) = reader.segmenter.next_segment() {
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

fn break_at(close: Close) -> Break {
    match close {
        Close::Sentence | Close::Question | Close::Exclamation => Break::Sentence,
        Close::Line => Break::Paragraph,
        Close::Clause => Break::Clause,
        Close::Comma => Break::Comma,
        Close::Long => Break::Breath,
        Close::End | Close::Cut => Break::Phrase,
    }
}

fn contour_of(close: Close) -> Contour {
    match close {
        Close::Sentence | Close::Line | Close::End => Contour::Statement,
        Close::Question => Contour::YesNoQuestion,
        Close::Exclamation => Contour::Exclamation,
        Close::Clause | Close::Comma | Close::Long | Close::Cut => Contour::Continuation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Class;

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
