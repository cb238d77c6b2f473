//! The `info` event, which lists voices and languages in response to `describe`.

use serde_json::{Value, json};
use shruti_engine::Engine;
use shruti_lang::Language;
use tokio_tungstenite::tungstenite::Message;

use crate::connection::outgoing;

/// Creates the `info` event of an engine.
///
/// Home Assistant sends the name of a voice, but not the language that the user chose it for. Each pair of a language
/// and a voice is therefore listed as a voice of its own: `hi-Ananya`.
pub(crate) fn info(engine: &Engine) -> Message {
    let voices = engine.voices();
    let of_languages = voices.iter().flat_map(|voice| {
        voices.languages_of(voice).map(move |spoken| {
            let name = voice.name();
            let author = spoken.backend.licence.as_ref().map_or("Shruti", |licence| &licence.attribution);
            json!({
                "name": voice_name(spoken.language, name.as_str()),
                "description": name.as_str(),
                "languages": [spoken.language.code()],
                "attribution": attribution(author),
                "installed": true,
                "version": null,
                "speakers": null,
            })
        })
    });
    let program = json!({
        "name": "shruti",
        "description": "Shruti",
        "attribution": attribution("Shruti"),
        "installed": true,
        "version": env!("CARGO_PKG_VERSION"),
        "supports_synthesize_streaming": true,
        "voices": of_languages.collect::<Vec<Value>>(),
    });
    let none = || json!([]);
    let data = json!({
        "tts": [program], "asr": none(), "handle": none(), "intent": none(), "wake": none(), "mic": none(),
        "snd": none(),
    });
    outgoing("info", &data, &[])
}

/// Creates an attribution, which clients require. The URL is empty, because the project has none.
fn attribution(name: &str) -> Value {
    json!({"name": name, "url": ""})
}

fn voice_name(language: Language, voice: &str) -> String {
    format!("{}-{voice}", language.code())
}

/// Splits a voice name from `info` into its language and its voice. Returns `None` if the name has another form.
pub(crate) fn parts_of_voice_name(name: &str) -> Option<(Language, &str)> {
    let (code, voice) = name.split_once('-')?;
    Some((Language::from_code(code)?, voice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voice_names_round_trip() {
        for language in Language::ALL {
            let name = voice_name(language, "Some-Voice");
            assert_eq!(parts_of_voice_name(&name), Some((language, "Some-Voice")));
        }
        for other in ["Ananya", "xx-Ananya", "", "-"] {
            assert_eq!(parts_of_voice_name(other), None, "{other}");
        }
    }
}
