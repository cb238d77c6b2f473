//! The voices of an engine and the back ends that provide them.

use std::collections::HashMap;
use std::sync::Arc;

use shruti_backend::{Description, VoiceDescription};
use shruti_lang::{Gender, Language, VoiceId};

use crate::executors::Executors;
use crate::routes::{LanguageRoute, Routes, Speaker};

/// A voice as listed for clients. Several back ends may provide the voice, each in different languages.
#[derive(Clone, Debug)]
pub struct Voice {
    name: VoiceId,
    gender: Option<Gender>,
    routes: Arc<Routes>,
}

impl Voice {
    /// Returns the name in the canonical spelling.
    pub fn name(&self) -> &VoiceId {
        &self.name
    }

    /// Returns the gender of the speaker, if known.
    pub fn gender(&self) -> Option<Gender> {
        self.gender
    }

    /// Returns the languages of the voice.
    pub fn languages(&self) -> impl Iterator<Item = Language> {
        self.routes.languages().map(|route| route.language)
    }

    /// Returns the language of the voice if it has exactly one.
    pub(crate) fn only_language(&self) -> Option<Language> {
        let mut languages = self.languages();
        languages.next().filter(|_| languages.next().is_none())
    }

    pub(crate) fn routes(&self) -> &Arc<Routes> {
        &self.routes
    }
}

/// A language of a voice.
#[derive(Clone, Copy, Debug)]
pub struct VoiceLanguage<'a> {
    /// Language that the back end speaks.
    pub language: Language,
    /// Description of the back end that speaks the language.
    pub backend: &'a Description,
    /// Whether the back end can shift the pitch of the voice.
    pub pitch: bool,
    /// Whether the back end can speak now; see [`Backend::is_usable`](shruti_backend::Backend::is_usable).
    pub is_usable: bool,
}

/// Snapshot of all voices of an engine and their back ends; the first voice is the default.
pub struct Voices {
    catalogue: Catalogue,
    executors: Arc<Executors>,
}

impl Voices {
    pub(crate) fn new(catalogue: Catalogue, executors: Arc<Executors>) -> Self {
        Self { catalogue, executors }
    }

    /// Returns the voices in the order of the back ends.
    pub fn iter(&self) -> impl Iterator<Item = &Voice> {
        self.catalogue.voices.iter()
    }

    /// Returns the voice with a given name, ignoring case.
    pub fn find(&self, name: &str) -> Option<&Voice> {
        self.catalogue.find(name)
    }

    /// Returns the default voice.
    pub fn default_voice(&self) -> &Voice {
        // an engine has at least one back end, and every back end has at least one voice
        &self.catalogue.voices[0]
    }

    /// Returns the languages of a voice, each with the back end that speaks it.
    pub fn languages_of(&self, voice: &Voice) -> impl Iterator<Item = VoiceLanguage<'_>> {
        voice.routes.languages().map(|route| {
            let speaker = route.speaker(&[]);
            let executor = self.executors.of(speaker.backend);
            VoiceLanguage {
                language: route.language,
                backend: executor.description(),
                pitch: speaker.pitch,
                is_usable: executor.is_usable(),
            }
        })
    }

    pub(crate) fn executors(&self) -> &Arc<Executors> {
        &self.executors
    }
}

impl std::fmt::Debug for Voices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Voices").field(&self.catalogue.voices).finish()
    }
}

/// Error for a voice that is not in the catalogue.
#[derive(Debug)]
pub(crate) struct NoSuchVoice;

/// Voices, indexed by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Catalogue {
    voices: Vec<Voice>,
    /// Indices in `voices` by lower-case name.
    by_name: HashMap<String, usize>,
}

impl Catalogue {
    /// Adds a voice of a back end; if the voice is new, the back end `reader` reads its texts. If another back end
    /// already provides the voice in one of the languages, returns this language as an error.
    pub(crate) fn add(
        &mut self,
        given: &VoiceDescription,
        backend: usize,
        reader: usize,
    ) -> Result<(), Language> {
        let place = *self.by_name.entry(key(given.name.as_str())).or_insert(self.voices.len());
        if place == self.voices.len() {
            let routes = Arc::new(Routes::new(reader));
            self.voices.push(Voice { name: given.name.clone(), gender: given.gender, routes });
        }
        let voice = &mut self.voices[place];
        voice.gender = voice.gender.or(given.gender);
        let routes = Arc::make_mut(&mut voice.routes);
        given.languages.iter().try_for_each(|&language| {
            let speaker = Speaker { backend, name: given.name.clone(), pitch: given.pitch };
            routes.add(LanguageRoute::new(language, speaker))
        })
    }

    /// Routes a language of a voice to another back end and returns the back end that spoke it before, if any. If
    /// `keeps_others` is true, the previous back ends remain as fallbacks for times when the new one has no capacity or
    /// is excluded. Returns an error if the voice does not exist.
    pub(crate) fn replace(
        &mut self,
        voice: &str,
        route: LanguageRoute,
        keeps_others: bool,
    ) -> Result<Option<usize>, NoSuchVoice> {
        let place = *self.by_name.get(&key(voice)).ok_or(NoSuchVoice)?;
        Ok(Arc::make_mut(&mut self.voices[place].routes).replace(route, keeps_others))
    }

    /// Returns the voice with a given name, ignoring case.
    pub(crate) fn find(&self, name: &str) -> Option<&Voice> {
        self.by_name.get(&key(name)).map(|&place| &self.voices[place])
    }
}

fn key(name: &str) -> String {
    name.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voice(name: &str, languages: &[Language]) -> VoiceDescription {
        VoiceDescription { name: name.into(), gender: None, languages: languages.to_vec(), pitch: true }
    }

    #[test]
    fn routes_voices_by_language() {
        use Language::{Hindi, Tamil, Telugu};
        let mut catalogue = Catalogue::default();
        catalogue.add(&voice("Ananya", &[Hindi, Tamil]), 0, 0).unwrap();
        catalogue.add(&voice("Padmavathi", &[Telugu]), 1, 1).unwrap();
        catalogue.add(&voice("ANANYA", &[Telugu]), 1, 1).unwrap();
        assert_eq!(catalogue.voices.len(), 2);
        let ananya = catalogue.find("aNaNyA").unwrap();
        assert_eq!(ananya.name(), "Ananya");
        assert_eq!(ananya.languages().collect::<Vec<_>>(), [Hindi, Tamil, Telugu]);
        let padmavathi = catalogue.find("padmavathi").unwrap();
        for (voice, language, backend) in [
            (ananya, Tamil, Ok(0)),
            (ananya, Telugu, Ok(1)),
            (padmavathi, Telugu, Ok(1)),
            (padmavathi, Hindi, Err(Hindi)),
        ] {
            let route = voice.routes().of_language(language).map(|route| route.speaker(&[]).backend);
            assert_eq!(route, backend, "{} {language:?}", voice.name());
        }
        assert_eq!((ananya.routes().reader(), padmavathi.routes().reader()), (0, 1));
        assert_eq!((ananya.only_language(), padmavathi.only_language()), (None, Some(Telugu)));
        assert!(catalogue.find("Anita").is_none());
    }

    #[test]
    fn rejects_two_back_ends_for_one_voice_and_language() {
        let mut catalogue = Catalogue::default();
        catalogue.add(&voice("Ananya", &[Language::Hindi]), 0, 0).unwrap();
        let again = catalogue.add(&voice("ananya", &[Language::Odia, Language::Hindi]), 1, 0);
        assert_eq!(again, Err(Language::Hindi));
    }
}
