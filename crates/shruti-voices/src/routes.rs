//! Routes from voices and languages to packs, as configured by the operator.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use serde::Deserialize;
use shruti_engine::Route;
use shruti_lang::Language;
use shruti_packs::PackVoice;

/// Name of the project's own synthesiser in a route.
const PARAMETRIC: &str = "parametric";

/// Routes from voices and languages to the voices of packs. Empty by default.
///
/// The routes are written as a comma-separated list, `Ananya.te=te-padmavathi/Padmavathi`, or in a file as the table
/// `[voices]`. `*` stands for all languages of the pack's voice; a route for a specific language takes precedence.
/// `parametric` keeps the built-in voice for a language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RawRoutes")]
pub struct VoiceRoutes(Vec<VoiceRoute>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct VoiceRoute {
    voice: String,
    /// Language, or `None` for all languages.
    language: Option<Language>,
    /// ID of the pack and name of its voice, or `None` for the project's own synthesiser.
    speaker: Option<(String, String)>,
}

/// Error in a list of routes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// The text is not a route.
    #[error(
        "'{0}' is not a route; expected VOICE.LANGUAGE=PACK/VOICE, for example Ananya.te=te-padmavathi/Padmavathi"
    )]
    Form(String),
    /// The language is unknown.
    #[error("'{0}': '{1}' is not a language; expected a code, for example te, or *")]
    Language(String, String),
    /// There are two routes for the same voice and language.
    #[error("'{0}' is routed twice")]
    Duplicate(String),
    /// The pack is not installed.
    #[error("'{0}': the pack '{1}' is not installed; `shruti voices` lists the installed packs")]
    UnknownPack(String, String),
    /// The pack does not have the voice.
    #[error("'{0}': the pack '{1}' has no voice '{2}'; it has {3}")]
    UnknownVoice(String, String, String, String),
    /// The voice of the pack does not speak the language.
    #[error("'{0}': '{1}' does not speak {2}")]
    UnsupportedLanguage(String, String, Language),
}

/// Routes as written in a file.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "voices must be a table such as \"Ananya.te\" = \"te-padmavathi/Padmavathi\", or a comma-separated list with ="
)]
enum RawRoutes {
    Table(BTreeMap<String, String>),
    List(String),
}

impl VoiceRoutes {
    /// Resolves the routes to installed packs, which are given by their IDs and voices.
    pub fn resolve(&self, packs: &[(&str, &[PackVoice])]) -> Result<Vec<Route>, RouteError> {
        let mut routes = Vec::new();
        for route in &self.0 {
            let Some((pack, speaker)) = &route.speaker else { continue };
            let key = route.key();
            let found = packs.iter().find(|(id, _)| id == pack);
            let (_, voices) = found.ok_or_else(|| RouteError::UnknownPack(key.clone(), pack.clone()))?;
            let matching = voices.iter().find(|voice| voice.name.eq_ignore_ascii_case(speaker));
            let matching = matching.ok_or_else(|| {
                let names: Vec<&str> = voices.iter().map(|voice| voice.name.as_str()).collect();
                RouteError::UnknownVoice(key.clone(), pack.clone(), speaker.clone(), names.join(", "))
            })?;
            let named = |language: &Language| self.names(&route.voice, *language);
            let languages: Vec<Language> = match route.language {
                Some(language) if matching.languages.contains(&language) => vec![language],
                Some(language) => {
                    return Err(RouteError::UnsupportedLanguage(key, speaker.clone(), language));
                }
                None => matching.languages.iter().copied().filter(|language| !named(language)).collect(),
            };
            routes.extend(languages.into_iter().map(|language| Route {
                voice: route.voice.as_str().into(),
                language,
                backend: pack.clone(),
                speaker: matching.name.as_str().into(),
            }));
        }
        Ok(routes)
    }

    /// Returns the routes without those to one of the given packs.
    #[must_use]
    pub fn without(&self, packs: &[&str]) -> Self {
        let leads_there = |route: &&VoiceRoute| {
            route.speaker.as_ref().is_some_and(|(pack, _)| packs.contains(&pack.as_str()))
        };
        Self(self.0.iter().filter(|route| !leads_there(route)).cloned().collect())
    }

    /// Returns `true` if there is a route for the voice with this specific language, not with `*`.
    fn names(&self, voice: &str, language: Language) -> bool {
        self.0.iter().any(|route| route.voice.eq_ignore_ascii_case(voice) && route.language == Some(language))
    }

    fn of(pairs: impl IntoIterator<Item = (String, String)>) -> Result<Self, RouteError> {
        let routes = pairs.into_iter().map(|(key, speaker)| VoiceRoute::parse(key.trim(), speaker.trim()));
        let routes: Vec<VoiceRoute> = routes.collect::<Result<_, _>>()?;
        let mut seen = BTreeSet::new();
        for route in &routes {
            if !seen.insert(route.key().to_lowercase()) {
                return Err(RouteError::Duplicate(route.key()));
            }
        }
        Ok(Self(routes))
    }
}

impl VoiceRoute {
    fn parse(key: &str, speaker: &str) -> Result<Self, RouteError> {
        let form = || RouteError::Form(format!("{key}={speaker}"));
        let (voice, code) = key.rsplit_once('.').filter(|(voice, _)| !voice.is_empty()).ok_or_else(form)?;
        let language = match code {
            "*" => None,
            code => Some(code.parse().map_err(|_| RouteError::Language(key.to_owned(), code.to_owned()))?),
        };
        let speaker = match speaker.split_once('/') {
            Some((pack, name)) if !pack.is_empty() && !name.is_empty() => {
                Some((pack.to_owned(), name.to_owned()))
            }
            None if speaker == PARAMETRIC => None,
            _ => return Err(form()),
        };
        Ok(Self { voice: voice.to_owned(), language, speaker })
    }

    /// Returns the left side of the route, in the form `VOICE.LANGUAGE`.
    fn key(&self) -> String {
        format!("{}.{}", self.voice, self.language.map_or("*", |language| language.code()))
    }
}

impl FromStr for VoiceRoutes {
    type Err = RouteError;

    fn from_str(list: &str) -> Result<Self, RouteError> {
        let pairs = list.split(',').map(|pair| {
            let split = pair.split_once('=').map(|(key, speaker)| (key.to_owned(), speaker.to_owned()));
            split.ok_or_else(|| RouteError::Form(pair.trim().to_owned()))
        });
        Self::of(pairs.collect::<Result<Vec<_>, _>>()?)
    }
}

impl TryFrom<RawRoutes> for VoiceRoutes {
    type Error = RouteError;

    fn try_from(written: RawRoutes) -> Result<Self, RouteError> {
        match written {
            RawRoutes::Table(table) => Self::of(table),
            RawRoutes::List(list) => list.parse(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns two voices: one for Telugu, one for Telugu and Hindi.
    fn voices() -> Vec<PackVoice> {
        let voices = [("Padmavathi", "'te'"), ("Maya", "'te', 'hi'")];
        voices
            .map(|(name, languages)| {
                toml::from_str(&format!("name = '{name}'\nlanguages = [{languages}]")).unwrap()
            })
            .into()
    }

    fn resolve(list: &str) -> Result<Vec<(String, Language, String)>, RouteError> {
        let routes = list.parse::<VoiceRoutes>()?.resolve(&[("south", &voices())])?;
        let mut routes: Vec<_> = routes
            .into_iter()
            .map(|route| {
                (route.voice.to_string(), route.language, format!("{}/{}", route.backend, route.speaker))
            })
            .collect();
        routes.sort();
        Ok(routes)
    }

    #[test]
    fn a_route_for_one_language_takes_precedence() {
        use Language::{Hindi, Telugu};
        let owned = |voice: &str, language, speaker: &str| (voice.to_owned(), language, speaker.to_owned());
        let (padmavathi, maya) = ("south/Padmavathi", "south/Maya");
        assert_eq!(resolve("Ananya.te=south/padmavathi").unwrap(), [owned("Ananya", Telugu, padmavathi)]);
        let all = [owned("Ananya", Telugu, maya), owned("Ananya", Hindi, maya)];
        let mut all = all.to_vec();
        all.sort();
        assert_eq!(resolve("Ananya.*=south/Maya").unwrap(), all);
        let mut mixed = vec![owned("Ananya", Telugu, padmavathi), owned("Ananya", Hindi, maya)];
        mixed.sort();
        assert_eq!(
            resolve("Ananya.*=south/Maya, ananya.te = south/Padmavathi").map(|routes| routes.len()),
            Ok(2)
        );
        assert_eq!(resolve("Ananya.te=south/Padmavathi,Ananya.*=south/Maya").unwrap(), mixed);
        let rest = [owned("Ananya", Hindi, maya)];
        assert_eq!(resolve("Ananya.*=south/Maya,Ananya.te=parametric,Arjun.*=parametric").unwrap(), rest);
    }

    #[test]
    fn errors_name_the_fault() {
        for (list, named) in [
            ("", "''"),
            ("Ananya=south/Maya", "'Ananya=south/Maya' is not a route"),
            ("Ananya.te=Maya", "is not a route"),
            (".te=south/Maya", "is not a route"),
            ("Ananya.te=south/", "is not a route"),
            ("Ananya.xx=south/Maya", "'xx' is not a language"),
            ("Ananya.te=south/Maya,ANANYA.te=south/Maya", "'ANANYA.te' is routed twice"),
            ("Ananya.te=north/Maya", "the pack 'north' is not installed"),
            ("Ananya.te=south/Anita", "no voice 'Anita'; it has Padmavathi, Maya"),
            ("Ananya.hi=south/Padmavathi", "'Padmavathi' does not speak hi"),
        ] {
            let error = resolve(list).unwrap_err().to_string();
            assert!(error.contains(named), "{list}: {error}");
        }
    }
}
