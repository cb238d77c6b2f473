//! Response of `GET /v1/usage`.

use serde::{Deserialize, Serialize};
use shruti_lang::{Language, VoiceId};

/// Response of `GET /v1/usage`: the usage of a key. Days and months are in UTC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UsageAnswer {
    /// First day of the report, such as `2026-01-31`.
    #[cfg_attr(feature = "openapi", schema(format = Date))]
    pub from: String,
    /// Last day of the report.
    #[cfg_attr(feature = "openapi", schema(format = Date))]
    pub to: String,
    /// Usage per day, voice, language and API, in this order.
    pub days: Vec<UsageDay>,
    /// Sum of all days.
    pub total: UsageAmount,
    /// Monthly allowance of the key's account; absent for keys without an allowance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowance: Option<UsageAllowance>,
}

/// Usage on one day for one voice, language and API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UsageDay {
    /// Day.
    #[cfg_attr(feature = "openapi", schema(format = Date))]
    pub day: String,
    /// Voice.
    pub voice: VoiceId,
    /// Language.
    pub language: Language,
    /// API of the requests: `clip` (`POST /v1/tts`), `turn` (`/v1/tts/stream`), or the API of another service, such as
    /// `openai`; `unknown` if it was not recorded.
    #[serde(default = "unknown_api")]
    pub api: String,
    /// Usage in characters, requests and audio duration.
    #[serde(flatten)]
    pub amount: UsageAmount,
}

/// Returns the default value of `api`, for the response of an older server that did not distinguish APIs.
fn unknown_api() -> String {
    "unknown".to_owned()
}

/// Usage in characters, requests and audio duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UsageAmount {
    /// Characters whose audio was sent.
    pub chars: u64,
    /// Number of requests: clips, and turns of conversations. Each is counted when its first audio is sent.
    pub requests: u64,
    /// Duration of the sent audio, in milliseconds.
    pub audio_ms: u64,
}

/// Allowance of an account, shared by all its keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UsageAllowance {
    /// Current month, such as `2026-01`.
    pub month: String,
    /// Allowance per month, in characters.
    pub chars: u64,
    /// Characters used in this month.
    pub used: u64,
    /// Start of the next month, in milliseconds since 1970.
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
    fn answer_matches_the_documentation() {
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
