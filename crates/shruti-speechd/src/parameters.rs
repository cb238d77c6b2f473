//! Parameters of the `SET` command and their conversion to settings.

use shruti_lang::{Gender, Language};
use shruti_screenreader::{Punctuation, Settings, Speaker};

use crate::config::Config;

/// Current values of the parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parameters {
    /// Speech rate, from -100 to 100.
    rate: f32,
    pitch: f32,
    /// Volume, from -100 to 100. `None` selects the normal volume of the voice.
    volume: Option<f32>,
    punctuation: Punctuation,
    spelling: bool,
    capitals: bool,
    /// Symbolic voice type, such as `male1`.
    voice_type: Option<String>,
    /// Name of a voice from the list of voices.
    synthesis_voice: Option<String>,
    language: Option<Language>,
}

impl Parameters {
    /// Sets a parameter. Ignores unknown names and invalid numbers. An unsupported language selects language detection.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        let number = || value.parse::<f32>().ok().filter(|number| (-100.0..=100.0).contains(number));
        let text = || Some(value.to_owned()).filter(|value| value != "NULL" && !value.is_empty());
        match name {
            "rate" => self.rate = number().unwrap_or(self.rate),
            "pitch" => self.pitch = number().unwrap_or(self.pitch),
            "volume" => self.volume = number().or(self.volume),
            "punctuation_mode" => {
                self.punctuation = match value {
                    "none" => Punctuation::None,
                    "some" => Punctuation::Some,
                    "most" => Punctuation::Most,
                    "all" => Punctuation::All,
                    _ => self.punctuation,
                }
            }
            "spelling_mode" => self.spelling = value == "on",
            "cap_let_recogn" => self.capitals = matches!(value, "spell" | "icon"),
            "voice" => self.voice_type = text().map(|voice| voice.to_ascii_lowercase()),
            "synthesis_voice" => self.synthesis_voice = text(),
            "language" => {
                let main = value.split(['-', '_']).next().unwrap_or_default();
                self.language = Language::from_code(&main.to_ascii_lowercase());
            }
            _ => {}
        }
    }

    /// Returns the settings for a text.
    pub(crate) fn settings(&self, config: &Config, speaker: &Speaker) -> Settings {
        let voices = speaker.voices();
        let named = |name: &Option<String>| {
            let voice = name.as_deref().and_then(|name| voices.find(name));
            voice.map(|voice| voice.name().clone())
        };
        let of_type = || {
            let wanted = if self.voice_type.as_ref()?.contains("female")
                || self.voice_type.as_ref()?.contains("child")
            {
                Gender::Female
            } else {
                Gender::Male
            };
            voices.iter().find(|voice| voice.gender() == Some(wanted)).map(|voice| voice.name().clone())
        };
        let mut settings = Settings {
            voice: named(&self.synthesis_voice).or_else(|| named(&config.default_voice)).or_else(of_type),
            language: self.language,
            rate: rate(self.rate, config.max_rate),
            pitch: self.pitch * 6.0 / 100.0,
            volume: self.volume.map_or(1.0, |volume| (volume + 100.0) / 200.0),
            ..Settings::default()
        };
        settings.verbosity.punctuation = self.punctuation;
        settings.verbosity.spelling = self.spelling;
        settings.verbosity.capitals = self.capitals;
        settings
    }
}

/// Returns the speech rate for a parameter from -100 to 100. Negative values give rates from 0.5 to 1, positive values
/// rates from 1 to `greatest`.
fn rate(rate: f32, greatest: f32) -> f32 {
    let base = if rate < 0.0 { 2.0 } else { greatest };
    f32::powf(base, rate / 100.0).clamp(0.5, greatest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_a_geometric_scale() {
        for (given, expected) in [(-100.0, 0.5), (0.0, 1.0), (50.0, 2.449), (100.0, 6.0)] {
            assert!((rate(given, 6.0) - expected).abs() < 0.01, "{given}: {}", rate(given, 6.0));
        }
        assert!((rate(100.0, 3.0) - 3.0).abs() < 0.01);
    }

    #[test]
    fn unknown_parameters_change_nothing() {
        let mut parameters = Parameters::default();
        for (name, value) in
            [("rate", "50"), ("language", "hi-IN"), ("punctuation_mode", "most"), ("voice", "FEMALE1")]
        {
            parameters.set(name, value);
        }
        let before = parameters.clone();
        for (name, value) in
            [("rate", "101"), ("rate", "NaN"), ("punctuation_mode", "NULL"), ("pitch_range", "3")]
        {
            parameters.set(name, value);
        }
        assert_eq!(parameters, before);
        assert_eq!(parameters.language, Some(Language::Hindi));
        parameters.set("language", "fr");
        parameters.set("voice", "NULL");
        assert_eq!((parameters.language, parameters.voice_type), (None, None));
    }
}
