//! Routes from the languages of a voice to back ends.

use shruti_lang::{Language, VoiceId};
use shruti_text::utterance::Utterance;

/// Routes from the languages of a voice to back ends. The back ends are identified by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Routes {
    reader: usize,
    /// Routes in the order in which they were added.
    languages: Vec<LanguageRoute>,
}

/// The back ends that speak a language of a voice.
#[derive(Clone, Debug)]
pub(crate) struct LanguageRoute {
    pub(crate) language: Language,
    speaker: Speaker,
    /// Fallbacks, in order. Each is used if all back ends before it have no capacity or are excluded.
    others: Vec<Speaker>,
}

/// A voice of a back end.
#[derive(Clone, Debug)]
pub(crate) struct Speaker {
    pub(crate) backend: usize,
    /// Name that the voice has on this back end.
    pub(crate) name: VoiceId,
    /// Whether the back end can shift the pitch of the voice.
    pub(crate) pitch: bool,
}

impl LanguageRoute {
    pub(crate) fn new(language: Language, speaker: Speaker) -> Self {
        Self { language, speaker, others: Vec::new() }
    }

    /// Returns whether a back end is among those that speak the language.
    pub(crate) fn has(&self, backend: usize) -> bool {
        std::iter::once(&self.speaker).chain(&self.others).any(|speaker| speaker.backend == backend)
    }

    /// Returns the first speaker whose back end is not excluded; the first speaker if all of them are excluded.
    pub(crate) fn speaker(&self, excluded: &[usize]) -> &Speaker {
        let mut speakers = std::iter::once(&self.speaker).chain(&self.others);
        speakers.find(|speaker| !excluded.contains(&speaker.backend)).unwrap_or(&self.speaker)
    }
}

impl Routes {
    /// Creates the routes of a voice; the back end with number `reader` reads its texts.
    pub(crate) fn new(reader: usize) -> Self {
        Self { reader, languages: Vec::new() }
    }

    /// Adds a route. Returns an error with the language if the language already has a route.
    pub(crate) fn add(&mut self, route: LanguageRoute) -> Result<(), Language> {
        if self.find(route.language).is_some() {
            return Err(route.language);
        }
        self.languages.push(route);
        Ok(())
    }

    /// Routes a language to another back end and returns the back end that spoke it before, if any. If `keeps_others`
    /// is true, the previous back ends remain as fallbacks for times when the new one has no capacity or is excluded.
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

    /// Returns the back end that reads the texts. This back end also detects the language of a text if none is given.
    pub(crate) fn reader(&self) -> usize {
        self.reader
    }

    /// Returns the routes of all languages, in the order in which they were added.
    pub(crate) fn languages(&self) -> impl Iterator<Item = &LanguageRoute> {
        self.languages.iter()
    }

    pub(crate) fn find(&self, language: Language) -> Option<&LanguageRoute> {
        self.languages.iter().find(|route| route.language == language)
    }

    /// Returns the route of a language. Returns an error with the language if the voice does not speak it.
    pub(crate) fn of_language(&self, language: Language) -> Result<&LanguageRoute, Language> {
        self.find(language).ok_or(language)
    }

    /// Returns the speaker for an utterance: the speaker for the language of its words or, if the voice does not speak
    /// that language, the speaker for the language of the text. If the speakers for the words and for the text have
    /// different back ends, the language of the utterance is changed to that of its words. If `is_shifted` is true and
    /// the speaker for the words cannot shift the pitch, the speaker for the text is returned. Returns an error with
    /// the language of the text if the voice does not speak it.
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
