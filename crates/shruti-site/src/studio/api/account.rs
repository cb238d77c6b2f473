//! `GET account`, `POST password` and `POST delete-account`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use serde::Serialize;
use shruti_protocol::ApiError;
use shruti_protocol::fields::invalid_field;
use shruti_service::app::App;
use shruti_service::http::ClientInfo;
use shruti_service::http::errors::store_error;
use shruti_service::limits::RateClass;
use shruti_store::{
    Account, Day, Month, NewPassword, OwnDeletion, Password, PasswordChange, Session, UsageOf,
};

use super::browser_name::BrowserName;
use super::json_fields::JsonFields;
use super::session::{Cookie, SignedIn, not_signed_in};
use super::signing_in::{EmptyObject, note_browser, wait};
use super::{Answer, admit, verification};

/// Account, as presented to its owner.
#[derive(Serialize)]
pub(super) struct AccountAnswer {
    email: String,
    /// Whether the email address is verified; `null` if verification does not apply.
    verified: Option<bool>,
    /// Whether the account can access the pages for operators.
    operator: bool,
    /// Whether the keys of the account may be used for synthesis.
    unlocked: bool,
    /// Monthly allowance in characters; `null` if it is unlimited.
    chars_per_month: Option<u64>,
    /// Number of characters in this month whose audio was sent.
    chars_used: u64,
    month_ends_ms: i64,
    created_ms: i64,
    /// Whether this session may set a password without the current one, because it began with a recent sign-in
    /// link.
    may_set_password: bool,
}

impl AccountAnswer {
    pub(super) async fn of(app: &App, session: &Session) -> Result<Self, ApiError> {
        let now_ms = app.clock.now().wall_ms;
        let account = &session.account;
        let allowance = app.metering.allowance(account.id.clone()).await;
        let allowance = allowance.map_err(|error| store_error(&error))?.ok_or_else(not_signed_in)?;
        let chars_used = match allowance.chars {
            Some(_) => allowance.used,
            // without a limit there is no allowance to deduct from, but usage is still counted
            None => spoken_since(app, account, allowance.month, now_ms).await?,
        };
        Ok(Self {
            email: account.email.to_string(),
            verified: verification::state(app, account),
            operator: account.is_operator,
            unlocked: account.access_lock().is_none(),
            chars_per_month: allowance.chars,
            chars_used,
            month_ends_ms: allowance.renews_ms,
            created_ms: account.created_ms,
            may_set_password: session.sets_password_until_ms.is_some_and(|until| until > now_ms),
        })
    }
}

async fn spoken_since(app: &App, account: &Account, month: Month, now_ms: i64) -> Result<u64, ApiError> {
    let (first, last) = (Day::of(month.start_ms()), Day::of(now_ms));
    let by_day = app.metering.usage(UsageOf::Account(account.id.clone()), first, last).await;
    let by_day = by_day.map_err(|error| store_error(&error))?;
    Ok(by_day.iter().map(|row| row.amount.chars).sum())
}

/// Returns the account, or `null` if nobody is signed in.
pub(super) async fn account(
    State(app): State<Arc<App>>,
    signed_in: Option<SignedIn>,
) -> Answer<Json<Option<AccountAnswer>>> {
    Ok(Json(match signed_in {
        Some(signed_in) => Some(AccountAnswer::of(&app, &signed_in.session).await?),
        None => None,
    }))
}

pub(super) async fn change_password(
    State(app): State<Arc<App>>,
    Extension(client): Extension<ClientInfo>,
    signed_in: SignedIn,
    browser: BrowserName,
    fields: JsonFields,
) -> Answer<(Cookie, Json<EmptyObject>)> {
    admit(&app, RateClass::SignIn, client)?;
    let current = fields.text("current")?;
    let new = NewPassword::choose(fields.text("new")?, &signed_in.session.account.email);
    let new = new.map_err(|weak| invalid_field("new", format!("the new password {weak}")))?;
    // the current password may be empty after a sign-in by link; if the password is required, an empty one is wrong
    let present = (!current.is_empty()).then(|| Password::typed(current));
    let changed = app.store.change_password(signed_in.hash, present, new, app.clock.now().wall_ms).await;
    match changed.map_err(|error| store_error(&error))? {
        PasswordChange::Changed(new) => {
            note_browser(&app, &new, browser).await;
            Ok((Cookie::Set(Box::new(new)), Json(EmptyObject {})))
        }
        PasswordChange::WrongPassword => {
            Err(invalid_field("current", "the current password is wrong".to_owned()).into())
        }
        PasswordChange::Wait { retry_in_ms } => Err(wait(retry_in_ms).with_param("current").into()),
        PasswordChange::NoSession => Err(not_signed_in().into()),
    }
}

/// Deletes the account of the caller with all its data.
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    Extension(client): Extension<ClientInfo>,
    signed_in: SignedIn,
    fields: JsonFields,
) -> Answer<(Cookie, Json<EmptyObject>)> {
    admit(&app, RateClass::SignIn, client)?;
    let typed = fields.text("password")?;
    // the password may be empty after a sign-in by link, as for a password change
    let present = (!typed.is_empty()).then(|| Password::typed(typed));
    let deleted = app.store.delete_own_account(signed_in.hash, present, app.clock.now().wall_ms).await;
    // the cached keys are updated before the response, so that the deleted keys no longer work
    app.auth.take_over().await;
    match deleted.map_err(|error| store_error(&error))? {
        OwnDeletion::Deleted => Ok((Cookie::Clear, Json(EmptyObject {}))),
        OwnDeletion::WrongPassword => {
            Err(invalid_field("password", "the password is wrong".to_owned()).into())
        }
        OwnDeletion::Wait { retry_in_ms } => Err(wait(retry_in_ms).with_param("password").into()),
        OwnDeletion::IsOperator => {
            let message = "the account is an operator's and cannot be deleted; first remove the operator role with \
                           `shruti accounts operator` on the command line";
            Err(invalid_field("password", message.to_owned()).into())
        }
        OwnDeletion::NoSession => Err(not_signed_in().into()),
    }
}
