//! `POST verification` and `POST verify`: verification of an account's email address.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use serde::Serialize;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::http::ClientInfo;
use shruti_service::http::errors::store_error;
use shruti_service::limits::RateClass;
use shruti_service::mails;
use shruti_store::{Account, AddressVerification, EmailAddress, VerificationRequest, VerificationSecret};

use super::json_fields::SmallJsonFields;
use super::session::SignedIn;
use super::signing_in::EmptyObject;
use super::{Answer, admit};

/// Returns whether the address of an account is verified, or `None` if verification does not apply, because the server
/// sends no mail or the account has no real address.
pub(super) fn state(app: &App, account: &Account) -> Option<bool> {
    let is_asked = app.config.mail.is_some() && account.email != EmailAddress::operator();
    is_asked.then_some(account.verified_ms.is_some())
}

/// Returns an error if the operator requires a verified address and the account has none.
pub(super) fn require(app: &App, account: &Account) -> Result<(), ApiError> {
    let is_required = app.config.mail.as_ref().is_some_and(|mail| mail.require_verified);
    if !is_required || account.is_operator || account.verified_ms.is_some() {
        return Ok(());
    }
    let message = "the e-mail address is not confirmed yet; open the link in the mail that was sent there, or \
                   request another one on the page Account";
    Err(ApiError::new(ErrorCode::EmailNotVerified, message))
}

/// Sends another verification link to the owner of the account.
pub(super) async fn send(
    State(app): State<Arc<App>>,
    Extension(client): Extension<ClientInfo>,
    signed_in: SignedIn,
) -> Answer<Json<EmptyObject>> {
    admit(&app, RateClass::SignIn, client)?;
    let Some(mail) = &app.config.mail else {
        return Err(ApiError::new(ErrorCode::NotFound, "this server does not send mail").into());
    };
    let sent = mails::send_verification(&app, mail, signed_in.session.account.email).await;
    match sent.map_err(|error| store_error(&error))? {
        VerificationRequest::Made(_) | VerificationRequest::Verified => Ok(Json(EmptyObject {})),
        VerificationRequest::Wait { retry_in_ms } => {
            let message = "a mail was sent recently; check the inbox and the spam folder";
            Err(ApiError::new(ErrorCode::RateLimited, message).with_retry_after_ms(retry_in_ms).into())
        }
        VerificationRequest::Unreachable => {
            Err(ApiError::new(ErrorCode::NotFound, "this account has no address that mail can be sent to")
                .into())
        }
    }
}

/// Address that was verified.
#[derive(Serialize)]
pub(super) struct Verified {
    email: String,
}

/// Redeems a verification link in a browser where its account is signed in. The link alone does not prove that the
/// reader of the mail created the account, because anybody can sign up with somebody else's address.
pub(super) async fn verify(
    State(app): State<Arc<App>>,
    Extension(client): Extension<ClientInfo>,
    signed_in: Option<SignedIn>,
    SmallJsonFields(fields): SmallJsonFields,
) -> Answer<Json<Verified>> {
    admit(&app, RateClass::SignIn, client)?;
    let invalid = || {
        let message = "the link is unknown, used or older than a day; the page Account shows whether the address is \
                       confirmed and can send another one";
        ApiError::new(ErrorCode::InvalidLink, message)
    };
    let link = VerificationSecret::parse(fields.text("secret")?).ok_or_else(invalid)?;
    let Some(signed_in) = signed_in else {
        let message = "sign in with the password of the account to confirm its address; if somebody else created the \
                       account, or the password is forgotten, set a new one on the page Forgotten password, which \
                       confirms the address, too";
        return Err(ApiError::new(ErrorCode::NotSignedIn, message).into());
    };
    let verified = app.store.verify_address(link.hash(), signed_in.hash, app.clock.now().wall_ms).await;
    match verified.map_err(|error| store_error(&error))? {
        AddressVerification::Verified(account) => Ok(Json(Verified { email: account.email.to_string() })),
        AddressVerification::OtherSession => {
            let message = "the link is for another account than the one that is signed in here; sign out, open the \
                           link again, and sign in to its account";
            Err(ApiError::new(ErrorCode::InvalidLink, message).into())
        }
        AddressVerification::InvalidLink => Err(invalid().into()),
    }
}
