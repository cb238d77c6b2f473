//! Accounts of the server: search, invite, lock, unlock, reset, delete.
//!
//! Email addresses are sent only in bodies, so that they do not appear in the logs of proxies.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use shruti_protocol::fields::invalid_field;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::http::errors::store_error;
use shruti_store::{
    AccessLock, Account, AccountChange, AccountDeletion, AccountOverview, AccountSearch, EmailAddress,
    Invitation, NewLink,
};

use super::super::json_fields::JsonFields;
use super::super::signing_in::{EmptyObject, email};
use super::super::{Answer, verification};
use super::Operator;

/// Maximum number of accounts in a response.
const PAGE: u32 = 50;
/// Maximum length of the search term, which is a part of an email address, in characters.
const MAX_PART_CHARS: usize = 254;
/// Maximum number of monthly characters that can be added in one request.
pub(super) const MAX_CHARS: u64 = 1_000_000_000_000;

/// Account, as presented to operators.
#[derive(Serialize)]
struct AccountEntry {
    id: String,
    email: String,
    /// `open`, `no_code`, `locked` or `operator`.
    state: &'static str,
    has_password: bool,
    /// Whether the email address is verified; `null` if verification does not apply.
    verified: Option<bool>,
    created_ms: i64,
    /// Monthly allowance in characters; `null` if it is unlimited.
    chars_per_month: Option<u64>,
    /// Number of characters in this month whose audio was sent.
    chars_this_month: u64,
    /// Number of usable keys.
    keys: u64,
}

impl AccountEntry {
    fn of(app: &App, AccountOverview { account, chars_this_month, usable_keys }: AccountOverview) -> Self {
        Self {
            id: account.id.to_string(),
            email: account.email.to_string(),
            state: state(&account),
            has_password: account.has_password,
            verified: verification::state(app, &account),
            created_ms: account.created_ms,
            chars_per_month: (!account.is_operator).then_some(account.monthly_chars),
            chars_this_month,
            keys: usable_keys,
        }
    }
}

fn state(account: &Account) -> &'static str {
    match account.access_lock() {
        Some(AccessLock::ByOperator) => "locked",
        Some(AccessLock::NoPromoCode) => "no_code",
        None if account.is_operator => "operator",
        None => "open",
    }
}

#[derive(Serialize)]
pub(super) struct AccountSearchResult {
    /// Accounts in the order of their addresses.
    accounts: Vec<AccountEntry>,
    /// Whether there are more accounts after these.
    more: bool,
}

pub(super) async fn search(
    State(app): State<Arc<App>>,
    _: Operator,
    fields: JsonFields,
) -> Answer<Json<AccountSearchResult>> {
    let part = fields.text("part")?.trim().to_lowercase();
    if part.chars().count() > MAX_PART_CHARS {
        let message = format!("part has at most {MAX_PART_CHARS} characters");
        return Err(invalid_field("part", message).into());
    }
    let after = match fields.text("after")? {
        "" => None,
        text => Some(text.parse().map_err(|wrong| invalid_field("after", format!("the address {wrong}")))?),
    };
    let search = AccountSearch { part, after, limit: PAGE + 1 };
    let found = app.store.search_accounts(search, app.clock.now().wall_ms).await;
    let mut found = found.map_err(|error| store_error(&error))?;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    Ok(Json(AccountSearchResult {
        accounts: found.into_iter().map(|one| AccountEntry::of(&app, one)).collect(),
        more,
    }))
}

/// A single-use sign-in link, relative to the server's address.
#[derive(Serialize)]
pub(super) struct LinkAnswer {
    path: String,
    expires_ms: i64,
}

impl From<NewLink> for LinkAnswer {
    fn from(link: NewLink) -> Self {
        Self { path: format!("/studio/link#{}", link.secret.reveal()), expires_ms: link.expires_ms }
    }
}

pub(super) async fn invite(
    State(app): State<Arc<App>>,
    operator: Operator,
    fields: JsonFields,
) -> Answer<Json<LinkAnswer>> {
    let email = email(&fields)?;
    let invited = app.store.invite_account(operator.actor(), email, app.clock.now().wall_ms).await;
    match invited.map_err(|error| store_error(&error))? {
        Invitation::Invited(_, link) => Ok(Json(link.into())),
        Invitation::Exists(_) => Err(invalid_field(
            "email",
            "an account with this address already exists; search for it".to_owned(),
        )
        .into()),
    }
}

pub(super) async fn lock(
    State(app): State<Arc<App>>,
    operator: Operator,
    fields: JsonFields,
) -> Answer<Json<EmptyObject>> {
    let email = of_another(&operator, &fields)?;
    let changed = app.store.lock_account(operator.actor(), email, app.clock.now().wall_ms).await;
    // the cached keys are updated before the response, so that the keys of the account no longer work
    app.auth.take_over().await;
    change_answer(&changed.map_err(|error| store_error(&error))?)
}

pub(super) async fn unlock(
    State(app): State<Arc<App>>,
    operator: Operator,
    fields: JsonFields,
) -> Answer<Json<EmptyObject>> {
    let chars = fields.number("chars", 1..=MAX_CHARS)?;
    let email = email(&fields)?;
    let changed = app.store.unlock_account(operator.actor(), email, chars, app.clock.now().wall_ms).await;
    app.auth.take_over().await;
    change_answer(&changed.map_err(|error| store_error(&error))?)
}

pub(super) async fn reset_password(
    State(app): State<Arc<App>>,
    operator: Operator,
    fields: JsonFields,
) -> Answer<Json<LinkAnswer>> {
    let email = of_another(&operator, &fields)?;
    let found = app.store.find_account(email.clone()).await.map_err(|error| store_error(&error))?;
    if found.is_some_and(|account| account.is_operator) {
        // otherwise, operators could reset the password of another operator's account, and sign in to it after
        // losing their own operator role
        let message = "the account is an operator's; only `shruti accounts reset-password` on the command line resets \
                       its password";
        return Err(invalid_field("email", message.to_owned()).into());
    }
    let reset = app.store.reset_password(operator.actor(), email, app.clock.now().wall_ms).await;
    let (_, link) = reset.map_err(|error| store_error(&error))?.ok_or_else(no_account)?;
    Ok(Json(link.into()))
}

pub(super) async fn delete(
    State(app): State<Arc<App>>,
    operator: Operator,
    fields: JsonFields,
) -> Answer<Json<EmptyObject>> {
    let email = of_another(&operator, &fields)?;
    let deleted = app.store.delete_account(operator.actor(), email, app.clock.now().wall_ms).await;
    app.auth.take_over().await;
    match deleted.map_err(|error| store_error(&error))? {
        AccountDeletion::Deleted(_) => Ok(Json(EmptyObject {})),
        AccountDeletion::IsOperator => {
            let message = "the account is an operator's and cannot be deleted; first remove the operator role with \
                           `shruti accounts operator` on the command line";
            Err(invalid_field("email", message.to_owned()).into())
        }
        AccountDeletion::Unknown => Err(no_account().into()),
    }
}

/// Returns the address in a request. Rejects the operator's own address, so that operators cannot lock themselves out.
fn of_another(operator: &Operator, fields: &JsonFields) -> Result<EmailAddress, ApiError> {
    let email = email(fields)?;
    if email == operator.0.email {
        let message = "this is your own account; its password and its sessions are on the page Account";
        return Err(invalid_field("email", message.to_owned()));
    }
    Ok(email)
}

fn change_answer(change: &AccountChange) -> Answer<Json<EmptyObject>> {
    match change {
        AccountChange::Changed(_) | AccountChange::Unchanged(_) => Ok(Json(EmptyObject {})),
        AccountChange::Unknown => Err(no_account().into()),
    }
}

fn no_account() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "no account has this address; it may have been deleted")
}
