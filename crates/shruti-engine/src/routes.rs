//! Which back end speaks each language of a voice.

use shruti_lang::{Language, VoiceId};
use shruti_text::utterance::Utterance;

/// Which back end speaks each language of a voice; back ends are known by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Routes {
    reader: usize,
    /// In the order of the back ends.
    languages: Vec<LanguageRoute>,
}

/// The back ends that speak a language of a voice.
#[derive(Clone, Debug)]
pub(crate) struct LanguageRoute {
    pub(crate) language: Language,
    speaker: Speaker,
    /// Others, which speak where those before them have no room or are excluded.
    others: Vec<Speaker>,
}

/// A voice as a back end has it.
#[derive(Clone, Debug)]
pub(crate) struct Speaker {
    pub(crate) backend: usize,
    /// The name that the voice has there.
    pub(crate) name: VoiceId,
    /// Whether its pitch can be shifted there.
    pub(crate) pitch: bool,
}

impl LanguageRoute {
    pub(crate) fn new(language: Language, speaker: Speaker) -> Self {
        Self { language, speaker, others: Vec::new() }
    }

    /// Whether a back end is among those that speak it.
    pub(crate) fn has(&self, backend: usize) -> bool {
        std::iter::once(&self.speaker).chain(&self.others).any(|speaker| speaker.backend == backend)
    }

    /// The first whose back end is not excluded, or the first of all where every one is.
    pub(crate) fn speaker(&self, excluded: &[usize]) -> &Speaker {
        let mut speakers = std::iter::once(&self.speaker).chain(&self.others);
        speakers.find(|speaker| !excluded.contains(&speaker.backend)).unwrap_or(&self.speaker)
    }
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

    /// Gives a language to another back end. With `keeps_others` those before speak where that has no room or is excluded.
    /// Returns the back end that spoke it.
    pub(crate) fn replace(&mut self, mut route: LanguageRoute, keeps_others: bool) -> Option<usize> {
        let Some(known) = self.languages.iter_mut().find(|known| known.language == route.language) else {
            self.languages.push(route);
            return None;
        };
        let before = known.speaker.backend;
        if keeps_others {
            route.others = std::iter::once(known.speaker.clone()).chain(known.others.drain(..)).collect();
        }
        *known = route;
        Some(before)
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
    pub(crate) fn of(
        &self,
        utterance: &mut Utterance,
        is_shifted: bool,
        excluded: &[usize],
    ) -> Result<&Speaker, Language> {
        let of_text = self.of_language(utterance.language)?.speaker(excluded);
        let spoken = utterance.spoken_language();
        match self.find(spoken).map(|route| route.speaker(excluded)) {
            Some(of_words) if of_words.backend != of_text.backend && (of_words.pitch || !is_shifted) => {
                utterance.language = spoken;
                Ok(of_words)
            }
            _ => Ok(of_text),
        }
    }
}
