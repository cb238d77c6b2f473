//! `config`: settings of turns that start later. A `text` that starts a turn may carry them, too.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use shruti_lang::{Clarity, Language, VoiceEngine, VoiceId};

use super::{Fields, milliseconds};
use crate::stream::MAX_LEAD_MS;
use crate::{ApiError, fields};

/// Settings, each of which may be absent and then stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ConfigPatch {
    /// The voice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<VoiceId>,
    /// The language; `Some(None)`, null on the wire, has it found from the text again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Option<Language>>,
    /// Speaking rate, 0.5 to 2.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// Shift of the pitch in semitones, -6 to 6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pitch: Option<f64>,
    /// For whom the sound is shaped; `Some(None)`, null on the wire, is [as usual](Clarity::usual) for the format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarity: Option<Option<Clarity>>,
    /// Words and the spellings to speak them by; replaces the lexicon before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lexicon: Option<BTreeMap<String, String>>,
    /// Which synthesis speaks for the built-in voices; only before the first turn begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<VoiceEngine>,
    /// Whether word marks are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamps: Option<Timestamps>,
    /// How far sound is sent ahead of the playhead, in milliseconds; 0 for as fast as it is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_lead_ms: Option<u32>,
    /// The name of the format of binary frames, for turns that begin to sound later. Whether there is such a format is not
    /// checked here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_format: Option<String>,
}

/// Which marks are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timestamps {
    /// One for each word.
    #[default]
    Word,
    /// None.
    None,
}

impl ConfigPatch {
    /// Reads and checks the fields of a message.
    pub(super) fn read(fields: &Fields) -> Result<ConfigPatch, ApiError> {
        let automatic = matches!(fields.get("language"), Some(Value::Null));
        let language = fields::language(fields)?;
        let usual = matches!(fields.get("clarity"), Some(Value::Null));
        let clarity = fields::clarity(fields)?;
        Ok(ConfigPatch {
            voice: fields::voice(fields)?,
            language: if automatic { Some(None) } else { language.map(Some) },
            speed: fields::speed(fields)?,
            pitch: fields::pitch(fields)?,
            clarity: if usual { Some(None) } else { clarity.map(Some) },
            lexicon: fields::lexicon(fields)?,
            engine: fields::engine(fields)?,
            timestamps: timestamps(fields)?,
            max_lead_ms: milliseconds(fields, "max_lead_ms", MAX_LEAD_MS)?,
            output_format: fields::output_format(fields)?,
        })
    }
}

fn timestamps(fields: &Fields) -> Result<Option<Timestamps>, ApiError> {
    match fields::given(fields, "timestamps") {
        None => Ok(None),
        Some(Value::String(kind)) if kind == "word" => Ok(Some(Timestamps::Word)),
        Some(Value::String(kind)) if kind == "none" => Ok(Some(Timestamps::None)),
        Some(_) => {
            Err(fields::invalid_field("timestamps", "timestamps must be \"word\" or \"none\"".to_owned()))
        }
    }
}
