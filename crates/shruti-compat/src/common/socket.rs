//! Opening of a WebSocket for the dialect of a compatible API, and its close codes.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Uri};
use shruti_audio::Format;
use shruti_lang::{Clarity, VoiceEngine};
use shruti_protocol::ApiError;
use shruti_protocol::fields::invalid_field;
use shruti_protocol::stream::{CloseCode, MAX_LEAD_MS};
use shruti_service::app::App;
use shruti_service::auth::{Caller, OTHER_TOKEN_PROTOCOL, offers_token_protocol};
use shruti_service::authorized::Authorized;
use shruti_service::http::errors::internal;
use shruti_service::http::{ErrorResponse, RequestId};
use shruti_service::synthesis::conversation::{Dialect, Pump, Upgrade};
use shruti_text::Lexicon;

use super::query::Query;
use super::sign_in::ToSpeak;

/// Default maximum lead of the sent audio over real time. It limits the charge for audio that is never heard.
const DEFAULT_LEAD: Duration = Duration::from_secs(10);

/// Request to open a conversation, from an authorised caller within its rate limit.
pub(crate) struct Opening {
    pub(crate) app: Arc<App>,
    pub(crate) id: RequestId,
    pub(crate) uri: Uri,
    /// Pronunciation lexicon that applies to the key.
    pub(crate) lexicon: Arc<Lexicon>,
    caller: Caller,
    headers: HeaderMap,
}

impl FromRequestParts<Arc<App>> for Opening {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ErrorResponse> {
        let Authorized { caller, .. } = Authorized::<ToSpeak>::from_request_parts(parts, app).await?;
        // the router adds a request ID to every request
        let id = parts.extensions.get::<RequestId>().copied().ok_or_else(internal)?;
        let (app, uri, headers) = (Arc::clone(app), parts.uri.clone(), parts.headers.clone());
        let lexicon = app.lexicon_of_key(&caller.key).await.map_err(ErrorResponse)?;
        Ok(Self { app, id, uri, lexicon, caller, headers })
    }
}

impl Opening {
    /// Admits the caller and accepts the upgrade. All refusals occur before the upgrade.
    pub(crate) async fn open<D: Dialect>(
        self,
        upgrade: Upgrade,
        dialect: D,
    ) -> Result<Response, ErrorResponse> {
        let offered = offers_token_protocol(&self.headers);
        let protocol = offered.then_some(HeaderValue::from_static(OTHER_TOKEN_PROTOCOL));
        let pump = self.admit(dialect).await?;
        Ok(upgrade.accept(protocol, |socket| pump.run(socket)))
    }

    /// Reserves one of the key's streams, checks the quota, and consumes the token if the caller has one.
    pub(crate) async fn admit<D: Dialect>(self, dialect: D) -> Result<Pump<D>, ApiError> {
        let Self { app, id, caller, .. } = self;
        let permit = app.streams.admit(&caller.key)?;
        app.metering.admit(&caller.key).await?;
        app.auth.spend_token(&caller).await?;
        Ok(Pump::new(app, id, caller, permit, dialect))
    }
}

/// Query parameters for the audio of a WebSocket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoundQuery {
    /// Maximum lead of the sent audio over real time; `None` if unlimited.
    pub(crate) max_lead: Option<Duration>,
    clarity: Option<Clarity>,
    /// Engine of the built-in voices; `None` for the server's setting.
    pub(crate) engine: Option<VoiceEngine>,
}

impl SoundQuery {
    /// Parses `max_lead_ms`, `clarity` and `engine`.
    pub(crate) fn read(uri: &Uri) -> Result<Self, ApiError> {
        let query = Query::of(uri);
        Ok(Self { max_lead: max_lead(uri)?, clarity: query.clarity()?, engine: query.engine()? })
    }

    /// Returns the clarity of audio in a format.
    pub(crate) fn clarity(self, format: Format) -> Clarity {
        self.clarity.unwrap_or(Clarity::default_for(format.sample_rate()))
    }
}

/// Parses `max_lead_ms`, the maximum lead of the sent audio over real time; `None` if unlimited.
fn max_lead(uri: &Uri) -> Result<Option<Duration>, ApiError> {
    let mut pairs = uri.query().unwrap_or_default().split('&');
    let Some(value) = pairs.find_map(|pair| pair.strip_prefix("max_lead_ms=")) else {
        return Ok(Some(DEFAULT_LEAD));
    };
    match value.parse::<u32>() {
        Ok(0) => Ok(None),
        Ok(ms @ 1..=MAX_LEAD_MS) => Ok(Some(Duration::from_millis(ms.into()))),
        _ => {
            let message = format!("max_lead_ms must be a whole number from 0 to {MAX_LEAD_MS}");
            Err(invalid_field("max_lead_ms", message))
        }
    }
}

/// Returns the number of a close code. Clients of other services know only the codes of RFC 6455, and never
/// reconnect after 1008.
pub(crate) const fn close_number(code: CloseCode) -> u16 {
    match code {
        CloseCode::Idle | CloseCode::SessionTooLong => 1000,
        CloseCode::TooManyErrors
        | CloseCode::Unauthorized
        | CloseCode::QuotaExhausted
        | CloseCode::Forbidden
        | CloseCode::KeyRevoked
        | CloseCode::TooManyStreams => 1011,
        code => code.number(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_codes_are_known_to_clients() {
        for &code in CloseCode::ALL {
            let number = close_number(code);
            assert!((1000..1014).contains(&number) && number != 1008, "{code}: {number}");
        }
    }

    #[test]
    fn the_lead_is_a_number_in_the_query() {
        let lead = |query: &str| max_lead(&format!("/s?{query}").parse().unwrap()).ok();
        assert_eq!(lead("a=b"), Some(Some(DEFAULT_LEAD)));
        assert_eq!(lead("a=b&max_lead_ms=250"), Some(Some(Duration::from_millis(250))));
        assert_eq!(lead("max_lead_ms=0"), Some(None));
        for wrong in ["max_lead_ms=", "max_lead_ms=-1", "max_lead_ms=60001", "max_lead_ms=1.5"] {
            assert_eq!(lead(wrong), None, "{wrong}");
        }
    }
}
