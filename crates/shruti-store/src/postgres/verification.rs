//! Addresses and the links that verify them, in SQL.

use async_trait::async_trait;

use super::client::Transaction;
use super::rows::{self, Values};
use super::store::PostgresStore;
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

const FIND_LINK_END: &str = "SELECT expires_ms FROM verification_links WHERE account = $1";
const REPLACE_LINK: &str = "INSERT INTO verification_links (account, hash, expires_ms) VALUES ($1, $2, $3)
    ON CONFLICT (account) DO UPDATE SET hash = excluded.hash, expires_ms = excluded.expires_ms";
const FIND_LINK: &str = "SELECT account FROM verification_links WHERE hash = $1 AND expires_ms > $2";
const USE_LINK: &str = "DELETE FROM verification_links WHERE hash = $1 AND expires_ms > $2";
const DROP_OLD_LINKS: &str = "DELETE FROM verification_links WHERE account IN (
        SELECT account FROM verification_links WHERE expires_ms <= $1 FOR UPDATE SKIP LOCKED
    )";
const NOTE_VERIFIED: &str = "UPDATE accounts SET verified_ms = $2 WHERE id = $1 AND verified_ms IS NULL";

/// Notes that mail has reached the holder of an account that is held, and says whether that was not known.
pub(super) async fn note_verified(
    transaction: &Transaction<'_>,
    account: &mut Account,
    now_ms: i64,
) -> Result<bool, StoreError> {
    if rows::execute(transaction, NOTE_VERIFIED, &[&account.id.as_str(), &now_ms]).await? == 0 {
        return Ok(false);
    }
    account.verified_ms = Some(now_ms);
    let actor = Actor::Account(account.id.clone());
    audit::done(transaction, now_ms, &actor, Event::AddressVerified, Some(&account.id), None).await?;
    Ok(true)
}

/// Removes links whose time is over.
pub(super) async fn drop_old(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    rows::execute(transaction, DROP_OLD_LINKS, &[&now_ms]).await?;
    Ok(())
}

async fn request(
    transaction: &Transaction<'_>,
    email: &EmailAddress,
    now_ms: i64,
) -> Result<VerificationRequest, StoreError> {
    let account = account_rows::hold_by_email(transaction, email).await?;
    let last = match &account {
        Some(account) => rows::first(transaction, FIND_LINK_END, &[&account.id.as_str()]).await?,
        None => None,
    };
    let last_end_ms = last.map(|row| row.try_get("expires_ms")).transpose()?;
    let account = match decide_request(account, last_end_ms, now_ms) {
        Decision::Write(account) => account,
        Decision::Answer(answer) => return Ok(answer),
    };
    let secret = VerificationSecret::generate()?;
    let (hash, expires_ms) = (secret.hash(), now_ms.saturating_add(VERIFICATION_LIFE_MS));
    let given: Values<'_> = &[&account.id.as_str(), &hash.0.as_slice(), &expires_ms];
    rows::execute(transaction, REPLACE_LINK, given).await?;
    let actor = Actor::Account(account.id.clone());
    audit::done(transaction, now_ms, &actor, Event::VerificationRequested, Some(&account.id), None).await?;
    Ok(VerificationRequest::Made(NewVerification { email: account.email, secret, expires_ms }))
}

async fn verify(
    transaction: &Transaction<'_>,
    link: SecretHash,
    session: SecretHash,
    now_ms: i64,
) -> Result<AddressVerification, StoreError> {
    let asked: Values<'_> = &[&link.0.as_slice(), &now_ms];
    let Some(row) = rows::first(transaction, FIND_LINK, asked).await? else {
        return Ok(AddressVerification::InvalidLink);
    };
    let of = AccountId(row.try_get("account")?);
    // the account before the link, as everywhere; of several who found the link one removes it
    account_rows::hold(transaction, &of).await?;
    let session = sessions::find(transaction, session, now_ms).await?.map(|(session, _)| session);
    let mut account = match decide_verification(&of, session) {
        Decision::Write(account) => account,
        Decision::Answer(answer) => return Ok(answer),
    };
    if rows::execute(transaction, USE_LINK, asked).await? == 0 {
        return Ok(AddressVerification::InvalidLink);
    }
    note_verified(transaction, &mut account, now_ms).await?;
    Ok(AddressVerification::Verified(account))
}

#[async_trait]
impl VerificationStore for PostgresStore {
    async fn request_verification(
        &self,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<VerificationRequest, StoreError> {
        self.call(async |transaction| request(transaction, &email, now_ms).await).await
    }

    async fn verify_address(
        &self,
        link: SecretHash,
        session: SecretHash,
        now_ms: i64,
    ) -> Result<AddressVerification, StoreError> {
        self.call(async |transaction| verify(transaction, link, session, now_ms).await).await
    }
}
