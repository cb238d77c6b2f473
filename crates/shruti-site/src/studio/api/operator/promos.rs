//! Promo codes: list, create, end.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use shruti_protocol::fields::invalid_field;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::http::errors::store_error;
use shruti_store::{NamedPromo, PromoDisabling, PromoRecord, PromoSpec};

use super::super::Answer;
use super::super::json_fields::{JsonFields, missing};
use super::Operator;
use super::accounts::MAX_CHARS;

const MAX_USES: u64 = 1_000_000;
const MAX_DAYS: u64 = 3_650;
const MS_PER_DAY: u64 = 86_400_000;

/// Promo code, as presented to operators.
#[derive(Serialize)]
pub(super) struct PromoAnswer {
    /// First four letters of the code. They identify the code.
    beginning: String,
    /// `valid`, `ended`, `expired` or `used_up`.
    state: &'static str,
    /// Number of monthly characters that the code adds.
    chars: u64,
    /// Maximum number of redemptions. `used` is the number of redemptions so far.
    uses: u32,
    used: u32,
    created_ms: i64,
    expires_ms: Option<i64>,
    /// The code itself, only in the response to the request that creates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

impl PromoAnswer {
    fn of(record: &PromoRecord, now_ms: i64) -> Self {
        let state = if record.disabled_ms.is_some() {
            "ended"
        } else if record.spec.expires_ms.is_some_and(|end| end <= now_ms) {
            "expired"
        } else if record.used >= record.spec.uses {
            "used_up"
        } else {
            "valid"
        };
        Self {
            beginning: record.beginning.as_str().to_owned(),
            state,
            chars: record.spec.chars,
            uses: record.spec.uses,
            used: record.used,
            created_ms: record.created_ms,
            expires_ms: record.spec.expires_ms,
            code: None,
        }
    }
}

#[derive(Serialize)]
pub(super) struct Promos {
    /// Promo codes, newest first.
    promos: Vec<PromoAnswer>,
}

pub(super) async fn list(State(app): State<Arc<App>>, _: Operator) -> Answer<Json<Promos>> {
    let listed = app.store.list_promos().await.map_err(|error| store_error(&error))?;
    let now_ms = app.clock.now().wall_ms;
    Ok(Json(Promos { promos: listed.iter().rev().map(|record| PromoAnswer::of(record, now_ms)).collect() }))
}

pub(super) async fn create(
    State(app): State<Arc<App>>,
    operator: Operator,
    fields: JsonFields,
) -> Answer<Json<PromoAnswer>> {
    let now_ms = app.clock.now().wall_ms;
    let chars = fields.number("chars", 1..=MAX_CHARS)?;
    let chars = chars.ok_or_else(|| missing("chars", "the monthly characters that the code adds"))?;
    let uses = fields.number("uses", 1..=MAX_USES)?.unwrap_or(1);
    let days = fields.number("expires_in_days", 1..=MAX_DAYS)?;
    let spec = PromoSpec {
        chars,
        uses: u32::try_from(uses).unwrap_or(u32::MAX),
        expires_ms: days.map(|days| now_ms.saturating_add_unsigned(days * MS_PER_DAY)),
    };
    let made = app.store.create_promo(operator.actor(), spec, now_ms).await;
    let made = made.map_err(|error| store_error(&error))?;
    let answer = PromoAnswer::of(&made.record, now_ms);
    Ok(Json(PromoAnswer { code: Some(made.code.to_string()), ..answer }))
}

pub(super) async fn end(
    State(app): State<Arc<App>>,
    operator: Operator,
    fields: JsonFields,
) -> Answer<Json<PromoAnswer>> {
    let now_ms = app.clock.now().wall_ms;
    let named = NamedPromo::parse(fields.text("code")?);
    let named = named.ok_or_else(|| {
        invalid_field("code", "code must be a promo code or its first four letters".to_owned())
    })?;
    let ended = app.store.disable_promo(operator.actor(), named, now_ms).await;
    match ended.map_err(|error| store_error(&error))? {
        PromoDisabling::Disabled(record) | PromoDisabling::AlreadyDisabled(record) => {
            Ok(Json(PromoAnswer::of(&record, now_ms)))
        }
        PromoDisabling::Unknown => {
            Err(ApiError::new(ErrorCode::NotFound, "there is no such code").with_param("code").into())
        }
        PromoDisabling::Ambiguous => Err(invalid_field(
            "code",
            "several codes begin with these letters; enter the whole code".to_owned(),
        )
        .into()),
    }
}
