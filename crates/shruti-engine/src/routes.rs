//! Which back end speaks each language of a voice.

use shruti_protocol::{Language, VoiceId};
use shruti_text::utterance::Utterance;

/// Which back end speaks each language of a voice; back ends are known by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Routes {
    reader: usize,
    /// In the order of the back ends.
    languages: Vec<LanguageRoute>,
}

/// The back end of a language.
#[derive(Clone, Debug)]
pub(crate) struct LanguageRoute {
    pub(crate) language: Language,
    pub(crate) backend: usize,
    /// The name that the voice has there.
    pub(crate) speaker: VoiceId,
    /// Whether its pitch can be shifted there.
    pub(crate) pitch: bool,
    /// The back end and the name there that speak instead where this one has no room.
    pub(crate) instead: Option<(usize, VoiceId)>,
}

impl Routes {
    /// Routes of a voice whose texts a back end reads.
    pub(crate) fn new(reader: usize) -> Self {
        Self { reader, languages: Vec::new() }
    }

    /// Adds a language that is not spoken yet; `Err` if it is.
    pub(crate) fn add(&mut self, route: LanguageRoute) -> Result<(), Language> {
        if self.find(route.language).is_some() {
            return Err(route.language);
        }
        self.languages.push(route);
        Ok(())
    }

    /// Gives a language to another back end. With `or_instead` the one before speaks where that has no room.
    pub(crate) fn replace(&mut self, mut route: LanguageRoute, or_instead: bool) {
        match self.languages.iter_mut().find(|known| known.language == route.language) {
            Some(known) => {
                route.instead = or_instead.then(|| (known.backend, known.speaker.clone()));
                *known = route;
            }
            None => self.languages.push(route),
        }
    }

    /// The back end that reads the texts. It finds the language where none is given, and is not held up by the steps of
    /// another that takes long.
    pub(crate) fn reader(&self) -> usize {
        self.reader
    }

    /// The languages, in the order of the back ends.
    pub(crate) fn languages(&self) -> impl Iterator<Item = &LanguageRoute> {
        self.languages.iter()
    }

    pub(crate) fn find(&self, language: Language) -> Option<&LanguageRoute> {
        self.languages.iter().find(|route| route.language == language)
    }

    /// The route of a language; `Err` if the voice does not speak it.
    pub(crate) fn of_language(&self, language: Language) -> Result<&LanguageRoute, Language> {
        self.find(language).ok_or(language)
    }

    /// The route of an utterance: that of the language of its words, where they agree in one that the voice speaks,
    /// else that of its text. A back end that speaks the words but not the text gets an utterance in the words'
    /// language; one that cannot shift the pitch, where it `is_shifted`, does not. `Err` if the voice does not speak the
    /// text's.
    pub(crate) fn of(&self, utterance: &mut Utterance, is_shifted: bool) -> Result<&LanguageRoute, Language> {
        let of_text = self.of_language(utterance.language)?;
        let spoken = utterance.spoken_language();
        match self.find(spoken) {
            Some(of_words) if of_words.backend != of_text.backend && (of_words.pitch || !is_shifted) => {
                utterance.language = spoken;
                Ok(of_words)
            }
            _ => Ok(of_text),
        }
    }
}
