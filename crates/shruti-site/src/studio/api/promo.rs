//! `POST promo`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::http::ClientInfo;
use shruti_service::http::errors::store_error;
use shruti_service::limits::RateClass;
use shruti_store::Redemption;

use super::account::AccountAnswer;
use super::json_fields::JsonFields;
use super::session::{SignedIn, not_signed_in};
use super::{Answer, admit, verification};

pub(super) async fn redeem(
    State(app): State<Arc<App>>,
    Extension(client): Extension<ClientInfo>,
    signed_in: SignedIn,
    fields: JsonFields,
) -> Answer<Json<AccountAnswer>> {
    admit(&app, RateClass::Promo, client)?;
    let typed = fields.text("code")?.to_owned();
    let mut session = signed_in.session;
    verification::require(&app, &session.account)?;
    let redeemed = app.store.redeem_promo(session.account.id.clone(), typed, app.clock.now().wall_ms).await;
    // the cached keys are updated before the response, because the account's keys may have been unlocked
    app.auth.take_over().await;
    let refusal = match redeemed.map_err(|error| store_error(&error))? {
        Redemption::Redeemed { account, .. } => {
            session.account = account;
            return Ok(Json(AccountAnswer::of(&app, &session).await?));
        }
        Redemption::NoAccount => return Err(not_signed_in().into()),
        Redemption::AlreadyRedeemed => {
            ApiError::new(ErrorCode::AlreadyRedeemed, "this account has already redeemed the code")
        }
        Redemption::Expired => ApiError::new(ErrorCode::PromoExpired, "the code has expired"),
        Redemption::Exhausted => {
            let message = "the code has reached its maximum number of redemptions";
            ApiError::new(ErrorCode::PromoExhausted, message)
        }
        Redemption::Unknown { tries_left } => {
            let tries = match tries_left {
                0 => "no attempts are left within the hour".to_owned(),
                1 => "1 attempt is left within the hour".to_owned(),
                more => format!("{more} attempts are left within the hour"),
            };
            let message = format!("there is no such code; {tries}");
            ApiError::new(ErrorCode::NotFound, message)
        }
        Redemption::Wait { retry_in_ms } => {
            let message = "too many unknown codes were tried; this code was not checked";
            ApiError::new(ErrorCode::RateLimited, message).with_retry_after_ms(retry_in_ms)
        }
    };
    Err(refusal.with_param("code").into())
}
