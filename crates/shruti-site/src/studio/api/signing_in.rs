//! `POST sign-up`, `sign-in`, `link`, `forgotten-password` and `sign-out`: the start and the end of a session.
//!
//! The store checks passwords and counts wrong ones. It hashes passwords on threads outside the async
//! runtime, at most two at a time, and reuses the memory for hashing. This module limits the number of
//! attempts per address.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use serde::Serialize;
use shruti_protocol::fields::invalid_field;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::auth::access_locked;
use shruti_service::http::ClientInfo;
use shruti_service::http::errors::store_error;
use shruti_service::limits::RateClass;
use shruti_service::mails;
use shruti_store::{
    AccessLock, AccountCreation, EmailAddress, InvalidEmail, LinkSecret, NewPassword, NewSession, Password,
    SignIn,
};

use super::account::AccountAnswer;
use super::browser_name::BrowserName;
use super::json_fields::{JsonFields, SmallJsonFields};
use super::session::{Cookie, SessionCookie, SignedIn};
use super::{Answer, admit};

type SignedInAnswer = (Cookie, Json<AccountAnswer>);

pub(super) async fn sign_up(
    State(app): State<Arc<App>>,
    Extension(client): Extension<ClientInfo>,
    old: SessionCookie,
    browser: BrowserName,
    SmallJsonFields(fields): SmallJsonFields,
) -> Answer<SignedInAnswer> {
    admit(&app, RateClass::SignUp, client)?;
    let email = email(&fields)?;
    let typed = fields.text("password")?;
    let new = NewPassword::choose(typed, &email)
        .map_err(|weak| invalid_field("password", format!("the password {weak}")))?;
    let made = app.store.create_account(email.clone(), new, app.clock.now().wall_ms).await;
    // the response must not reveal whether the account was created: the right password signs in, and a wrong
    // one gets the same response as at sign-in
    let made = made.map_err(|error| store_error(&error))?;
    let begun = try_password(&app, email, typed, old, browser).await;
    if let (AccountCreation::Created(account), Some(mail)) = (made, &app.config.mail)
        && let Err(error) = mails::send_verification(&app, mail, account.email).await
    {
        // the account page can also send a verification link
        tracing::warn!(%error, "could not create a link that verifies an address");
    }
    begun
}

pub(super) async fn sign_in(
    State(app): State<Arc<App>>,
    Extension(client): Extension<ClientInfo>,
    old: SessionCookie,
    browser: BrowserName,
    SmallJsonFields(fields): SmallJsonFields,
) -> Answer<SignedInAnswer> {
    admit(&app, RateClass::SignIn, client)?;
    try_password(&app, email(&fields)?, fields.text("password")?, old, browser).await
}

pub(super) async fn use_link(
    State(app): State<Arc<App>>,
    Extension(client): Extension<ClientInfo>,
    old: SessionCookie,
    browser: BrowserName,
    SmallJsonFields(fields): SmallJsonFields,
) -> Answer<SignedInAnswer> {
    admit(&app, RateClass::SignIn, client)?;
    let invalid = || {
        let again = match app.config.mail {
            Some(_) => "request another one on the page Forgotten password",
            None => "ask the operator for a new one",
        };
        let message = format!("the link is unknown, used or older than an hour; {again}");
        ApiError::new(ErrorCode::InvalidLink, message)
    };
    let link = LinkSecret::parse(fields.text("secret")?).ok_or_else(invalid)?;
    let used = app.store.use_sign_in_link(link.hash(), app.clock.now().wall_ms).await;
    let new = used.map_err(|error| store_error(&error))?.ok_or_else(invalid)?;
    // the cached keys are updated before the response, because the first verification of an address revokes the
    // account's keys
    app.auth.take_over().await;
    begin(&app, new, old, browser).await
}

/// Sends a link to the owner of an email address. The response is the same whether or not the account exists.
pub(super) async fn forgotten_password(
    State(app): State<Arc<App>>,
    Extension(client): Extension<ClientInfo>,
    SmallJsonFields(fields): SmallJsonFields,
) -> Answer<Json<EmptyObject>> {
    admit(&app, RateClass::SignIn, client)?;
    let email = email(&fields)?;
    let Some(mail) = &app.config.mail else {
        let message = "this server does not send mail; ask its operator for a link";
        return Err(ApiError::new(ErrorCode::NotFound, message).into());
    };
    mails::send_link(&app, mail, email);
    Ok(Json(EmptyObject {}))
}

/// An empty object, `{}`.
#[derive(Serialize)]
pub(super) struct EmptyObject {}

pub(super) async fn sign_out(
    State(app): State<Arc<App>>,
    signed_in: SignedIn,
    fields: JsonFields,
) -> Answer<(Cookie, Json<EmptyObject>)> {
    let now_ms = app.clock.now().wall_ms;
    let ended = if fields.flag("everywhere")? {
        app.store.end_all_sessions(signed_in.hash, now_ms).await.map(drop)
    } else {
        app.store.end_session(signed_in.hash, now_ms).await.map(drop)
    };
    ended.map_err(|error| store_error(&error))?;
    Ok((Cookie::Clear, Json(EmptyObject {})))
}

pub(super) fn email(fields: &JsonFields) -> Result<EmailAddress, ApiError> {
    let read = fields.text("email")?.parse();
    read.map_err(|wrong: InvalidEmail| invalid_field("email", format!("the e-mail address {wrong}")))
}

async fn try_password(
    app: &App,
    email: EmailAddress,
    typed: &str,
    old: SessionCookie,
    browser: BrowserName,
) -> Answer<SignedInAnswer> {
    let tried = app.store.sign_in(email, Password::typed(typed), app.clock.now().wall_ms).await;
    match tried.map_err(|error| store_error(&error))? {
        SignIn::SignedIn(new) => begin(app, new, old, browser).await,
        SignIn::Refused => {
            let message = "the e-mail address or the password is wrong";
            Err(ApiError::new(ErrorCode::WrongCredentials, message).into())
        }
        SignIn::LockedByOperator => {
            // reported only after the right password
            Err(access_locked(AccessLock::ByOperator).into())
        }
        SignIn::Wait { retry_in_ms } => Err(wait(retry_in_ms).into()),
    }
}

/// Returns the error while sign-in is blocked after too many wrong passwords.
pub(super) fn wait(retry_in_ms: u64) -> ApiError {
    let message = "there were too many wrong passwords for this account; this attempt was not checked";
    ApiError::new(ErrorCode::RateLimited, message).with_retry_after_ms(retry_in_ms)
}

/// Responds with a new session and ends the old one, so that nobody who knows the old secret stays signed in.
async fn begin(
    app: &App,
    new: NewSession,
    old: SessionCookie,
    browser: BrowserName,
) -> Answer<SignedInAnswer> {
    let now_ms = app.clock.now().wall_ms;
    if let Some(old) = old.0 {
        app.store.end_session(old, now_ms).await.map_err(|error| store_error(&error))?;
    }
    note_browser(app, &new, browser).await;
    let account = AccountAnswer::of(app, &new.session).await?;
    Ok((Cookie::Set(Box::new(new)), Json(account)))
}

/// Stores the name of the browser of a session. A failure is only logged; the session is then listed without a name.
pub(super) async fn note_browser(app: &App, new: &NewSession, browser: BrowserName) {
    let Some(name) = browser.0 else { return };
    if let Err(error) = app.store.note_browser(new.secret.hash(), name).await {
        tracing::warn!(%error, "could not store the browser of a session");
    }
}
