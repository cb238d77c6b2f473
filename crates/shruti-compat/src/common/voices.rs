//! Names of voices in requests from clients of other services.

use shruti_engine::{Engine, Voices};
use shruti_lang::VoiceId;
use shruti_protocol::{ApiError, ErrorCode, fields};

use shruti_service::VoiceAliases;

/// Names of OpenAI's voices, each with its replacement, a built-in voice of the same gender. Clients that validate
/// names before sending them accept only these.
pub(crate) const WELL_KNOWN: [(&str, &str); 13] = [
    ("alloy", FEMALE),
    ("ash", MALE),
    ("ballad", FEMALE),
    ("cedar", MALE),
    ("coral", FEMALE),
    ("echo", MALE),
    ("fable", MALE),
    ("marin", FEMALE),
    ("nova", FEMALE),
    ("onyx", MALE),
    ("sage", FEMALE),
    ("shimmer", FEMALE),
    ("verse", MALE),
];
const FEMALE: &str = "Ananya";
const MALE: &str = "Arjun";

/// Returns the voice with a name: a voice of the engine, an alias set by the operator, or the replacement of a
/// well-known voice. `param` is the field that contains the name.
pub(crate) fn find(
    engine: &Engine,
    aliases: &VoiceAliases,
    name: &str,
    param: &str,
) -> Result<VoiceId, ApiError> {
    let name = name.trim();
    let well_known =
        || WELL_KNOWN.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, voice)| *voice);
    let voices = engine.voices();
    let found = voices
        .find(name)
        .or_else(|| aliases.voice(name).and_then(|voice| voices.find(voice)))
        .or_else(|| well_known().and_then(|voice| voices.find(voice)));
    found.map(|voice| voice.name().clone()).ok_or_else(|| unknown(&voices, name, param))
}

/// Returns the voice that [`find`] returns for the name, or the default voice if there is no name.
pub(crate) fn find_or_default(
    engine: &Engine,
    aliases: &VoiceAliases,
    name: Option<&str>,
    param: &str,
) -> Result<VoiceId, ApiError> {
    match name {
        Some(name) => find(engine, aliases, name, param),
        None => Ok(engine.voices().default_voice().name().clone()),
    }
}

fn unknown(voices: &Voices, name: &str, param: &str) -> ApiError {
    let voices: Vec<&str> = voices.iter().map(|voice| voice.name().as_str()).collect();
    let message = format!(
        "voice '{}' does not exist; voices are {}, and the names that the operator maps to them (voice-aliases)",
        fields::quoted(name),
        voices.join(", ")
    );
    ApiError::new(ErrorCode::UnknownVoice, message).with_param(param)
}

#[cfg(test)]
mod tests {
    use shruti_voice::ParametricBackend;

    use super::*;

    #[test]
    fn a_voice_has_its_own_well_known_and_operator_defined_names() {
        let engine = Engine::builder().backend(ParametricBackend::new()).build().unwrap();
        let aliases = "Asha=arjun,nova=Arjun,Ananya=Arjun".parse().unwrap();
        let cases = [
            ("Ananya", Some("Ananya")),
            (" ARJUN ", Some("Arjun")),
            ("asha", Some("Arjun")),
            ("Nova", Some("Arjun")),
            ("shimmer", Some("Ananya")),
            ("ONYX", Some("Arjun")),
            ("", None),
            ("6ccbfb76-1fc6-48f7-b71d-91ac6298247b", None),
        ];
        for (name, voice) in cases {
            let found = find(&engine, &aliases, name, "voice");
            assert_eq!(found.as_ref().map(VoiceId::as_str).ok(), voice, "{name}");
        }
        let error = find(&engine, &aliases, "Anita", "voice").unwrap_err();
        assert_eq!((error.code, error.param.as_deref()), (ErrorCode::UnknownVoice, Some("voice")));
        assert!(error.message.contains("'Anita'") && error.message.contains("Ananya, Arjun"), "{error}");
    }

    #[test]
    fn well_known_names_belong_to_existing_voices() {
        let engine = Engine::builder().backend(ParametricBackend::new()).build().unwrap();
        for (name, voice) in WELL_KNOWN {
            assert!(engine.voices().find(voice).is_some(), "{name}");
        }
    }
}
