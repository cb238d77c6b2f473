//! Settings of a connection: defaults, changes, and conversion to settings for the turn machine.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use shruti_audio::Format;
use shruti_engine::Engine;
use shruti_engine::turn::TurnSettings;
use shruti_lang::Clarity;
use shruti_protocol::ApiError;
use shruti_protocol::stream::{Config, ConfigPatch, DEFAULT_LEAD_MS, Timestamps};
use shruti_text::Lexicon;

use shruti_service::synthesis;

/// Returns the default settings.
pub(super) fn defaults(engine: &Engine) -> Config {
    Config {
        voice: engine.voices().default_voice().name().clone(),
        language: None,
        speed: 1.0,
        pitch: 0.0,
        clarity: None,
        lexicon: BTreeMap::new(),
        engine: engine.voice_engine(),
        timestamps: Timestamps::default(),
        max_lead_ms: DEFAULT_LEAD_MS,
        output_format: Format::NATIVE.to_string(),
    }
}

/// Returns `config` with `patch` applied. Returns an error if the engine does not have the voice or the format is not
/// supported.
pub(super) fn patched(config: &Config, patch: ConfigPatch, engine: &Engine) -> Result<Config, ApiError> {
    let voice = match &patch.voice {
        Some(named) => synthesis::voice(engine, Some(named))?,
        None => config.voice.clone(),
    };
    let format = patch.output_format.as_deref().map(synthesis::named_format).transpose()?;
    Ok(Config {
        voice,
        language: patch.language.unwrap_or(config.language),
        speed: patch.speed.unwrap_or(config.speed),
        pitch: patch.pitch.unwrap_or(config.pitch),
        clarity: patch.clarity.unwrap_or(config.clarity),
        lexicon: patch.lexicon.unwrap_or_else(|| config.lexicon.clone()),
        engine: patch.engine.unwrap_or(config.engine),
        timestamps: patch.timestamps.unwrap_or(config.timestamps),
        max_lead_ms: patch.max_lead_ms.unwrap_or(config.max_lead_ms),
        output_format: format.map_or_else(|| config.output_format.clone(), |format| format.to_string()),
    })
}

/// Converts `config` to settings for the turn machine, with the given lexicon. `format` determines the default clarity.
pub(super) fn for_turns(config: &Config, format: Format, lexicon: Arc<Lexicon>) -> TurnSettings {
    TurnSettings {
        voice: config.voice.clone(),
        language: config.language,
        speed: config.speed as f32,
        pitch: config.pitch as f32,
        clarity: config.clarity.unwrap_or(Clarity::default_for(format.sample_rate())),
        lexicon,
        engine: Some(config.engine),
        words: config.timestamps == Timestamps::Word,
        max_lead: (config.max_lead_ms > 0).then(|| Duration::from_millis(config.max_lead_ms.into())),
    }
}
