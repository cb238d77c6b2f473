//! Addresses and the links that verify them, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::store::SqliteStore;
use super::{account_rows, audit, sessions};
use crate::account::{Account, AccountId};
use crate::audit::{Actor, Event};
use crate::decisions::Decision;
use crate::decisions::verification::{decide_request, decide_verification};
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::secret::SecretHash;
use crate::session::VerificationSecret;
use crate::verification::{
    AddressVerification, NewVerification, VERIFICATION_LIFE_MS, VerificationRequest, VerificationStore,
};

const FIND_LINK_END: &str = "SELECT expires_ms FROM verification_links WHERE account = :account";
const REPLACE_LINK: &str = "INSERT OR REPLACE INTO verification_links (account, hash, expires_ms)
    VALUES (:account, :hash, :expires_ms)";
const FIND_LINK: &str = "SELECT account FROM verification_links WHERE hash = :hash AND expires_ms > :now_ms";
const DROP_LINK: &str = "DELETE FROM verification_links WHERE hash = :hash";
const DROP_OLD_LINKS: &str = "DELETE FROM verification_links WHERE expires_ms <= :now_ms";
const NOTE_VERIFIED: &str =
    "UPDATE accounts SET verified_ms = :now_ms WHERE id = :account AND verified_ms IS NULL";

/// Notes that mail has reached the holder of an account, and says whether that was not known.
pub(super) fn note_verified(
    transaction: &Transaction<'_>,
    account: &mut Account,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let named = named_params! {":account": account.id.as_str(), ":now_ms": now_ms};
    if transaction.execute(NOTE_VERIFIED, named)? == 0 {
        return Ok(false);
    }
    account.verified_ms = Some(now_ms);
    let actor = Actor::Account(account.id.clone());
    audit::done(transaction, now_ms, &actor, Event::AddressVerified, Some(&account.id), None)?;
    Ok(true)
}

/// Removes links whose time is over.
pub(super) fn drop_old(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    transaction.execute(DROP_OLD_LINKS, named_params! {":now_ms": now_ms})?;
    Ok(())
}

fn request(
    connection: &mut Connection,
    email: &EmailAddress,
    now_ms: i64,
) -> Result<VerificationRequest, StoreError> {
    let transaction = connection.transaction()?;
    let account = account_rows::find_by_email(&transaction, email)?;
    let last_end_ms = match &account {
        Some(account) => {
            let asked = named_params! {":account": account.id.as_str()};
            transaction.query_row(FIND_LINK_END, asked, |row| row.get(0)).optional()?
        }
        None => None,
    };
    let account = match decide_request(account, last_end_ms, now_ms) {
        Decision::Write(account) => account,
        Decision::Answer(answer) => return Ok(answer),
    };
    let secret = VerificationSecret::generate()?;
    let expires_ms = now_ms.saturating_add(VERIFICATION_LIFE_MS);
    transaction.execute(
        REPLACE_LINK,
        named_params! {
            ":account": account.id.as_str(),
            ":hash": secret.hash().0.as_slice(),
            ":expires_ms": expires_ms,
        },
    )?;
    let actor = Actor::Account(account.id.clone());
    audit::done(&transaction, now_ms, &actor, Event::VerificationRequested, Some(&account.id), None)?;
    transaction.commit()?;
    Ok(VerificationRequest::Made(NewVerification { email: account.email, secret, expires_ms }))
}

fn verify(
    connection: &mut Connection,
    link: SecretHash,
    session: SecretHash,
    now_ms: i64,
) -> Result<AddressVerification, StoreError> {
    let transaction = connection.transaction()?;
    let asked = named_params! {":hash": link.0.as_slice(), ":now_ms": now_ms};
    let of = transaction.query_row(FIND_LINK, asked, |row| Ok(AccountId(row.get("account")?))).optional()?;
    let Some(of) = of else { return Ok(AddressVerification::InvalidLink) };
    let session = sessions::find(&transaction, session, now_ms)?.map(|(session, _)| session);
    let mut account = match decide_verification(&of, session) {
        Decision::Write(account) => account,
        Decision::Answer(answer) => return Ok(answer),
    };
    transaction.execute(DROP_LINK, named_params! {":hash": link.0.as_slice()})?;
    note_verified(&transaction, &mut account, now_ms)?;
    transaction.commit()?;
    Ok(AddressVerification::Verified(account))
}

#[async_trait]
impl VerificationStore for SqliteStore {
    async fn request_verification(
        &self,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<VerificationRequest, StoreError> {
        self.call(move |connection| request(connection, &email, now_ms)).await
    }

    async fn verify_address(
        &self,
        link: SecretHash,
        session: SecretHash,
        now_ms: i64,
    ) -> Result<AddressVerification, StoreError> {
        self.call(move |connection| verify(connection, link, session, now_ms)).await
    }
}
