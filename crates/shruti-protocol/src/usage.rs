//! What `GET /v1/usage` answers.

use serde::{Deserialize, Serialize};
use shruti_lang::{Language, VoiceId};

/// The answer of `GET /v1/usage`: what a key has had spoken. Days and months are those of UTC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UsageAnswer {
    /// The first day that is told, `2026-01-31`.
    #[cfg_attr(feature = "openapi", schema(format = Date))]
    pub from: String,
    /// The last day that is told.
    #[cfg_attr(feature = "openapi", schema(format = Date))]
    pub to: String,
    /// Each day, voice, language and API with which something was spoken, in this order.
    pub days: Vec<UsageDay>,
    /// The sum of the days.
    pub total: UsageAmount,
    /// What the key's account may have spoken each month; absent for keys that draw on no allowance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowance: Option<UsageAllowance>,
}

/// What was spoken on one day in one voice and language by one API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UsageDay {
    /// The day.
    #[cfg_attr(feature = "openapi", schema(format = Date))]
    pub day: String,
    /// The voice.
    pub voice: VoiceId,
    /// The language.
    pub language: Language,
    /// The API that asked for it: `clip` (`POST /v1/tts`), `turn` (`/v1/tts/stream`), or that of another service, such
    /// as `openai`; `unknown` where it was not noted.
    #[serde(default = "unknown_api")]
    pub api: String,
    /// How much.
    #[serde(flatten)]
    pub amount: UsageAmount,
}

/// What servers have noted that did not tell APIs apart.
fn unknown_api() -> String {
    "unknown".to_owned()
}

/// Amounts of speech.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UsageAmount {
    /// Characters whose audio was sent.
    pub chars: u64,
    /// Requests: clips, and turns of conversations, each counted with its first sound.
    pub requests: u64,
    /// Milliseconds of audio that were sent.
    pub audio_ms: u64,
}

/// The allowance of an account, over all of its keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UsageAllowance {
    /// The month that it is of: this one, `2026-01`.
    pub month: String,
    /// Characters a month.
    pub chars: u64,
    /// Characters used in this month.
    pub used: u64,
    /// When the next month begins, in milliseconds since 1970.
    pub renews_ms: i64,
}

impl std::ops::AddAssign for UsageAmount {
    fn add_assign(&mut self, more: Self) {
        self.chars += more.chars;
        self.requests += more.requests;
        self.audio_ms += more.audio_ms;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_the_documented_one() {
        let amount = UsageAmount { chars: 21, requests: 1, audio_ms: 1_500 };
        let mut answer = UsageAnswer {
            from: "2026-01-01".to_owned(),
            to: "2026-01-31".to_owned(),
            days: vec![UsageDay {
                day: "2026-01-31".to_owned(),
                voice: "Arjun".into(),
                language: Language::Odia,
                api: "clip".to_owned(),
                amount,
            }],
            total: amount,
            allowance: None,
        };
        let mut json = serde_json::json!({"from": "2026-01-01", "to": "2026-01-31",
            "days": [{"day": "2026-01-31", "voice": "Arjun", "language": "or", "api": "clip", "chars": 21,
                "requests": 1, "audio_ms": 1_500}],
            "total": {"chars": 21, "requests": 1, "audio_ms": 1_500}});
        assert_eq!(serde_json::to_value(&answer).unwrap(), json);
        assert_eq!(serde_json::from_value::<UsageAnswer>(json.clone()).unwrap(), answer);

        let mut older = json.clone();
        older["days"][0].as_object_mut().unwrap().remove("api");
        assert_eq!(serde_json::from_value::<UsageAnswer>(older).unwrap().days[0].api, "unknown");

        answer.allowance = Some(UsageAllowance {
            month: "2026-01".to_owned(),
            chars: 100_000,
            used: 21,
            renews_ms: 1_769_904_000_000,
        });
        json["allowance"] = serde_json::json!({"month": "2026-01", "chars": 100_000, "used": 21,
            "renews_ms": 1_769_904_000_000_i64});
        assert_eq!(serde_json::to_value(&answer).unwrap(), json);
        assert_eq!(serde_json::from_value::<UsageAnswer>(json).unwrap(), answer);
    }
}
