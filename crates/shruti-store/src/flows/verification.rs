//! Verification of addresses with links.

use async_trait::async_trait;
use futures_util::FutureExt;

use crate::account::Account;
use crate::audit::{Actor, Event};
use crate::database::{Database, Tx, params};
use crate::decisions::Decision;
use crate::decisions::verification::{decide_request, decide_verification};
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::flows::{account_rows, audit, sessions};
use crate::secret::SecretHash;
use crate::session::VerificationSecret;
use crate::sql::{accounts, verification as sql};
use crate::verification::{
    AddressVerification, NewVerification, VERIFICATION_LIFE_MS, VerificationRequest, VerificationStore,
};

/// Records that the address of an account is verified. Returns `false` if it was already verified. The caller has
/// locked the row of the account.
pub(crate) async fn note_verified(
    tx: &mut impl Tx,
    account: &mut Account,
    now_ms: i64,
) -> Result<bool, StoreError> {
    if tx.execute(&accounts::NOTE_VERIFIED, params![&account.id, now_ms]).await? == 0 {
        return Ok(false);
    }
    account.verified_ms = Some(now_ms);
    let actor = Actor::Account(account.id.clone());
    audit::done(tx, now_ms, &actor, Event::AddressVerified, Some(&account.id), None).await?;
    Ok(true)
}

pub(crate) async fn delete_expired(tx: &mut impl Tx, now_ms: i64) -> Result<(), StoreError> {
    tx.execute(&sql::DELETE_EXPIRED, params![now_ms]).await?;
    Ok(())
}

async fn request(
    tx: &mut impl Tx,
    email: EmailAddress,
    now_ms: i64,
) -> Result<VerificationRequest, StoreError> {
    let account = account_rows::hold_by_email(tx, &email).await?;
    let last_end_ms = match &account {
        Some(account) => {
            tx.first(&sql::FIND_LINK_END, params![&account.id], |row| row.get("expires_ms")).await?
        }
        None => None,
    };
    let account = match decide_request(account, last_end_ms, now_ms) {
        Decision::Write(account) => account,
        Decision::Answer(answer) => return Ok(answer),
    };
    let secret = VerificationSecret::generate()?;
    let expires_ms = now_ms.saturating_add(VERIFICATION_LIFE_MS);
    tx.execute(&sql::REPLACE_LINK, params![&account.id, &secret.hash(), expires_ms]).await?;
    let actor = Actor::Account(account.id.clone());
    audit::done(tx, now_ms, &actor, Event::VerificationRequested, Some(&account.id), None).await?;
    Ok(VerificationRequest::Made(NewVerification { email: account.email, secret, expires_ms }))
}

async fn verify(
    tx: &mut impl Tx,
    link: SecretHash,
    session: SecretHash,
    now_ms: i64,
) -> Result<AddressVerification, StoreError> {
    let found = tx.first(&sql::FIND_LINK, params![&link, now_ms], |row| row.get("account")).await?;
    let Some(of) = found else { return Ok(AddressVerification::InvalidLink) };
    // the account is locked before the link, as in all flows; if several transactions have found the link, only one of
    // them deletes it
    account_rows::lock(tx, &of).await?;
    let session = sessions::find(tx, session, now_ms).await?.map(|(session, _)| session);
    let mut account = match decide_verification(&of, session) {
        Decision::Write(account) => account,
        Decision::Answer(answer) => return Ok(answer),
    };
    if tx.execute(&sql::USE_LINK, params![&link, now_ms]).await? == 0 {
        return Ok(AddressVerification::InvalidLink);
    }
    note_verified(tx, &mut account, now_ms).await?;
    Ok(AddressVerification::Verified(account))
}

#[async_trait]
impl<D: Database> VerificationStore for D {
    async fn request_verification(
        &self,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<VerificationRequest, StoreError> {
        self.write(move |tx| request(tx, email, now_ms).boxed()).await
    }

    async fn verify_address(
        &self,
        link: SecretHash,
        session: SecretHash,
        now_ms: i64,
    ) -> Result<AddressVerification, StoreError> {
        self.write(move |tx| verify(tx, link, session, now_ms).boxed()).await
    }
}
