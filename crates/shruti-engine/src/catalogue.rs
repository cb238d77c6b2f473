//! The voices of an engine, and which back end speaks each of their languages.

use std::collections::HashMap;

use shruti_protocol::{Gender, Language, VoiceId};

use crate::backend::VoiceDescription;

/// A voice as listeners know it. Several back ends may give it, each in languages of its own.
#[derive(Clone, Debug)]
pub struct Voice {
    name: VoiceId,
    gender: Option<Gender>,
    /// The number of a back end for each language, in the order of the back ends.
    routes: Vec<(Language, usize)>,
    /// The back end that begins where the language is still to be found: the first that gives the voice.
    first: usize,
}

impl Voice {
    /// Its name in the canonical spelling.
    pub fn name(&self) -> &VoiceId {
        &self.name
    }

    /// The speaker's gender, where it is known.
    pub fn gender(&self) -> Option<Gender> {
        self.gender
    }

    /// The languages it speaks.
    pub fn languages(&self) -> impl Iterator<Item = Language> {
        self.routes.iter().map(|(language, _)| *language)
    }

    /// The back end for a language, or for one that is still to be found; `Err` if the voice does not speak it.
    pub(crate) fn route(&self, language: Option<Language>) -> Result<usize, Language> {
        let Some(language) = language else { return Ok(self.first) };
        let route = self.routes.iter().find(|(spoken, _)| *spoken == language);
        route.map(|(_, backend)| *backend).ok_or(language)
    }

    /// The back ends that give it, each once.
    pub(crate) fn backends(&self) -> impl Iterator<Item = usize> {
        let others = self.routes.iter().map(|(_, backend)| *backend);
        let mut last = None;
        [self.first].into_iter().chain(others).filter(move |backend| last.replace(*backend) != Some(*backend))
    }
}

/// All voices of an engine; the first one is the default.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    voices: Vec<Voice>,
    /// Places in `voices` by the names in lower case.
    by_name: HashMap<String, usize>,
}

impl Catalogue {
    /// Adds what a back end gives. `Err` with the language that another back end already speaks with that voice.
    pub(crate) fn add(&mut self, given: &VoiceDescription, backend: usize) -> Result<(), Language> {
        let place = *self.by_name.entry(key(given.name.as_str())).or_insert(self.voices.len());
        if place == self.voices.len() {
            let name = given.name.clone();
            self.voices.push(Voice { name, gender: given.gender, routes: Vec::new(), first: backend });
        }
        let voice = &mut self.voices[place];
        voice.gender = voice.gender.or(given.gender);
        for &language in &given.languages {
            if voice.languages().any(|spoken| spoken == language) {
                return Err(language);
            }
            voice.routes.push((language, backend));
        }
        Ok(())
    }

    pub(crate) fn voices(&self) -> &[Voice] {
        &self.voices
    }

    /// The voice of a name, which is matched without regard to case.
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
        VoiceDescription { name: name.into(), gender: None, languages: languages.to_vec() }
    }

    #[test]
    fn a_voice_is_routed_by_its_language() {
        use Language::{Hindi, Tamil, Telugu};
        let mut catalogue = Catalogue::default();
        catalogue.add(&voice("Ananya", &[Hindi, Tamil]), 0).unwrap();
        catalogue.add(&voice("Padmavathi", &[Telugu]), 1).unwrap();
        catalogue.add(&voice("ANANYA", &[Telugu]), 1).unwrap();
        assert_eq!(catalogue.voices().len(), 2);
        let ananya = catalogue.find("aNaNyA").unwrap();
        assert_eq!(ananya.name(), "Ananya");
        assert_eq!(ananya.languages().collect::<Vec<_>>(), [Hindi, Tamil, Telugu]);
        assert_eq!(ananya.backends().collect::<Vec<_>>(), [0, 1]);
        let padmavathi = catalogue.find("padmavathi").unwrap();
        for (voice, language, backend) in [
            (ananya, Some(Tamil), Ok(0)),
            (ananya, Some(Telugu), Ok(1)),
            (ananya, None, Ok(0)),
            (padmavathi, None, Ok(1)),
            (padmavathi, Some(Telugu), Ok(1)),
            (padmavathi, Some(Hindi), Err(Hindi)),
        ] {
            assert_eq!(voice.route(language), backend, "{} {language:?}", voice.name());
        }
        assert!(catalogue.find("Anita").is_none());
    }

    #[test]
    fn no_two_back_ends_speak_a_language_with_one_voice() {
        let mut catalogue = Catalogue::default();
        catalogue.add(&voice("Ananya", &[Language::Hindi]), 0).unwrap();
        let again = catalogue.add(&voice("ananya", &[Language::Odia, Language::Hindi]), 1);
        assert_eq!(again, Err(Language::Hindi));
    }
}
