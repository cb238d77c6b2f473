//! The message `config`: settings of turns that start after it. A `text` message that starts a turn may also contain
//! them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use shruti_lang::{Clarity, Language, VoiceEngine, VoiceId};

use super::{Fields, milliseconds};
use crate::stream::MAX_LEAD_MS;
use crate::{ApiError, fields};

/// A change of settings. An absent setting keeps its value.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ConfigPatch {
    /// Voice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<VoiceId>,
    /// Language. `Some(None)` (null on the wire) selects detection from the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Option<Language>>,
    /// Speaking rate, 0.5 to 2.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// Pitch shift in semitones, -6 to 6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pitch: Option<f64>,
    /// Listening condition that the audio is optimised for. `Some(None)` (null on the wire) selects [the
    /// default](Clarity::default_for) for the format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarity: Option<Option<Clarity>>,
    /// Words and their replacement spellings; replaces the whole previous lexicon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lexicon: Option<BTreeMap<String, String>>,
    /// Kind of synthesis for the built-in voices; can be set only before the first turn begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<VoiceEngine>,
    /// Kind of timestamps to send.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamps: Option<Timestamps>,
    /// Maximum lead of the sent audio over the playhead, in milliseconds; 0 disables pacing, so that audio is sent as
    /// fast as the client reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_lead_ms: Option<u32>,
    /// Name of the format of binary frames, for turns whose audio starts after this message. This crate does not
    /// check that the format exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_format: Option<String>,
}

/// Kind of timestamps to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timestamps {
    /// One timestamp per word.
    #[default]
    Word,
    /// No timestamps.
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
    match fields::field_value(fields, "timestamps") {
        None => Ok(None),
        Some(Value::String(kind)) if kind == "word" => Ok(Some(Timestamps::Word)),
        Some(Value::String(kind)) if kind == "none" => Ok(Some(Timestamps::None)),
        Some(_) => {
            Err(fields::invalid_field("timestamps", "timestamps must be \"word\" or \"none\"".to_owned()))
        }
    }
}
