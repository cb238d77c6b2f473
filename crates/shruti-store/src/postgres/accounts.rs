//! Accounts, in SQL.

use async_trait::async_trait;

use super::client::Transaction;
use super::rows;
use super::store::PostgresStore;
use super::{account_rows, audit, deletion, key_rows, login_attempts, sessions, tokens};
use crate::account::{Account, AccountId};
use crate::account_store::{
    AccountChange, AccountCreation, AccountDeletion, AccountOverview, AccountSearch, AccountStore,
    Invitation, OperatorChange, OwnDeletion, PasswordChange, SignIn,
};
use crate::audit::{Actor, Event, NewEntry};
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::hashing::StoredPassword;
use crate::password::{NewPassword, Password};
use crate::secret::SecretHash;
use crate::session::{NewLink, SESSION_IDLE_MS};

const CAN_OPERATOR_SIGN_IN: &str = "SELECT EXISTS (
        SELECT 1 FROM accounts WHERE is_operator AND locked_ms IS NULL AND (password IS NOT NULL OR EXISTS (
            SELECT 1 FROM sessions WHERE account = accounts.id AND ends_ms > $1 AND used_ms > $2
        ))
    ) AS found";
const LOCK_ACCOUNT: &str = "UPDATE accounts SET locked_ms = $2 WHERE id = $1 AND locked_ms IS NULL";
const SET_OPERATOR: &str = "UPDATE accounts SET is_operator = $2 WHERE id = $1";
const UNLOCK_ACCOUNT: &str = "UPDATE accounts SET locked_ms = NULL WHERE id = $1";

async fn create(
    transaction: &Transaction<'_>,
    email: &EmailAddress,
    password: &StoredPassword,
    now_ms: i64,
) -> Result<AccountCreation, StoreError> {
    // the operator's address belongs to the operator, also before that account is made
    let is_reserved = *email == EmailAddress::operator();
    let made = if is_reserved {
        None
    } else {
        account_rows::insert(transaction, email, Some(password), false, now_ms).await?
    };
    if let Some(account) = made {
        audit::done(transaction, now_ms, &Actor::Visitor, Event::AccountCreated, Some(&account.id), None)
            .await?;
        return Ok(AccountCreation::Created(account));
    }
    // as many rows are written as for a new account
    let account = account_rows::find_by_email(transaction, email).await?;
    let entry = NewEntry {
        actor: &Actor::Visitor,
        event: Event::AccountCreated,
        account: account.as_ref().map(|account| &account.id),
        subject: None,
        outcome: "exists",
    };
    audit::record(transaction, now_ms, &entry).await?;
    Ok(AccountCreation::Exists)
}

async fn invite(
    transaction: &Transaction<'_>,
    by: &Actor,
    email: &EmailAddress,
    now_ms: i64,
) -> Result<Invitation, StoreError> {
    if *email == EmailAddress::operator() {
        return Ok(Invitation::Exists(account_rows::ensure_operator(transaction, now_ms).await?));
    }
    let Some(account) = account_rows::insert(transaction, email, None, false, now_ms).await? else {
        let found = account_rows::find_by_email(transaction, email).await?;
        let found = found.ok_or_else(|| StoreError::Unreadable("an account that is there".to_owned()))?;
        return Ok(Invitation::Exists(found));
    };
    audit::done(transaction, now_ms, by, Event::AccountCreated, Some(&account.id), None).await?;
    let link = sessions::make_link(transaction, &account.id, false, now_ms).await?;
    Ok(Invitation::Invited(account, link))
}

async fn lock(
    transaction: &Transaction<'_>,
    by: &Actor,
    email: &EmailAddress,
    now_ms: i64,
) -> Result<AccountChange, StoreError> {
    let Some(account) = account_rows::hold_by_email(transaction, email).await? else {
        return Ok(AccountChange::Unknown);
    };
    if account.locked_ms.is_some() {
        return Ok(AccountChange::Unchanged(account));
    }
    rows::execute(transaction, LOCK_ACCOUNT, &[&account.id.as_str(), &now_ms]).await?;
    key_rows::touch_all_of(transaction, &account.id).await?;
    sessions::end_all_of(transaction, &account.id).await?;
    tokens::drop_all_of_account(transaction, &account.id).await?;
    audit::done(transaction, now_ms, by, Event::AccountLocked, Some(&account.id), None).await?;
    Ok(AccountChange::Changed(Account { locked_ms: Some(now_ms), ..account }))
}

async fn unlock(
    transaction: &Transaction<'_>,
    by: &Actor,
    email: &EmailAddress,
    add_chars: Option<u64>,
    now_ms: i64,
) -> Result<AccountChange, StoreError> {
    let Some(account) = account_rows::hold_by_email(transaction, email).await? else {
        return Ok(AccountChange::Unknown);
    };
    if account.locked_ms.is_none() && add_chars.is_none() {
        return Ok(AccountChange::Unchanged(account));
    }
    rows::execute(transaction, UNLOCK_ACCOUNT, &[&account.id.as_str()]).await?;
    if let Some(chars) = add_chars {
        account_rows::give_access(transaction, &account.id, chars, now_ms).await?;
    }
    key_rows::touch_all_of(transaction, &account.id).await?;
    audit::done(transaction, now_ms, by, Event::AccountUnlocked, Some(&account.id), None).await?;
    let changed = account_rows::find(transaction, &account.id).await?.unwrap_or(account);
    Ok(AccountChange::Changed(changed))
}

/// Ends the password, the sessions and the links of an account that is held, and forgets wrong passwords.
async fn end_sign_ins(
    transaction: &Transaction<'_>,
    by: &Actor,
    account: &Account,
    now_ms: i64,
) -> Result<(), StoreError> {
    account_rows::set_password(transaction, &account.id, None).await?;
    sessions::end_all_of(transaction, &account.id).await?;
    login_attempts::forget(transaction, &account.email).await?;
    audit::done(transaction, now_ms, by, Event::PasswordReset, Some(&account.id), None).await
}

async fn reset_password(
    transaction: &Transaction<'_>,
    by: &Actor,
    email: &EmailAddress,
    now_ms: i64,
) -> Result<Option<(Account, NewLink)>, StoreError> {
    let Some(account) = account_rows::hold_by_email(transaction, email).await? else { return Ok(None) };
    end_sign_ins(transaction, by, &account, now_ms).await?;
    let link = sessions::make_link(transaction, &account.id, false, now_ms).await?;
    Ok(Some((Account { has_password: false, ..account }, link)))
}

async fn set_operator(
    transaction: &Transaction<'_>,
    by: &Actor,
    email: &EmailAddress,
    is_operator: bool,
    now_ms: i64,
) -> Result<OperatorChange, StoreError> {
    if *email == EmailAddress::operator() && !is_operator {
        return Ok(OperatorChange::IsFirst);
    }
    let Some(account) = account_rows::hold_by_email(transaction, email).await? else {
        return Ok(OperatorChange::Unknown);
    };
    if account.is_operator == is_operator {
        return Ok(OperatorChange::Unchanged(account));
    }
    if !is_operator
        && let Some(first) = account_rows::hold_by_email(transaction, &EmailAddress::operator()).await?
    {
        // which is nobody's own: whoever was an operator may know its password
        end_sign_ins(transaction, by, &first, now_ms).await?;
    }
    rows::execute(transaction, SET_OPERATOR, &[&account.id.as_str(), &is_operator]).await?;
    key_rows::touch_all_of(transaction, &account.id).await?;
    let event = if is_operator { Event::OperatorAdded } else { Event::OperatorRemoved };
    audit::done(transaction, now_ms, by, event, Some(&account.id), None).await?;
    Ok(OperatorChange::Changed(Account { is_operator, ..account }))
}

async fn create_link(
    transaction: &Transaction<'_>,
    account: &AccountId,
    by: &Actor,
    now_ms: i64,
) -> Result<Option<NewLink>, StoreError> {
    if account_rows::hold(transaction, account).await?.is_none_or(|account| account.locked_ms.is_some()) {
        return Ok(None);
    }
    let link = sessions::make_link(transaction, account, false, now_ms).await?;
    audit::done(transaction, now_ms, by, Event::LinkCreated, Some(account), None).await?;
    Ok(Some(link))
}

async fn request_link(
    transaction: &Transaction<'_>,
    email: &EmailAddress,
    now_ms: i64,
) -> Result<Option<NewLink>, StoreError> {
    let found = account_rows::hold_by_email(transaction, email).await?;
    let reachable =
        found.filter(|account| account.locked_ms.is_none() && account.email != EmailAddress::operator());
    let Some(account) = reachable else { return Ok(None) };
    if sessions::has_fresh_link(transaction, &account.id, now_ms).await? {
        return Ok(None);
    }
    let link = sessions::make_link(transaction, &account.id, true, now_ms).await?;
    audit::done(transaction, now_ms, &Actor::Visitor, Event::LinkCreated, Some(&account.id), None).await?;
    Ok(Some(link))
}

#[async_trait]
impl AccountStore for PostgresStore {
    async fn create_account(
        &self,
        email: EmailAddress,
        password: NewPassword,
        now_ms: i64,
    ) -> Result<AccountCreation, StoreError> {
        // hashed also for an address that is taken
        let password = self.hashing.admit()?.hash(password).await?;
        self.call(async |transaction| create(transaction, &email, &password, now_ms).await).await
    }

    async fn invite_account(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<Invitation, StoreError> {
        self.call(async |transaction| invite(transaction, &by, &email, now_ms).await).await
    }

    async fn ensure_operator(&self, now_ms: i64) -> Result<Account, StoreError> {
        self.call(async |transaction| account_rows::ensure_operator(transaction, now_ms).await).await
    }

    async fn can_operator_sign_in(&self, now_ms: i64) -> Result<bool, StoreError> {
        let idle_since_ms = now_ms.saturating_sub(SESSION_IDLE_MS);
        self.read(async |client| {
            let row = rows::one(client, CAN_OPERATOR_SIGN_IN, &[&now_ms, &idle_since_ms]).await?;
            Ok(row.try_get("found")?)
        })
        .await
    }

    async fn find_account(&self, email: EmailAddress) -> Result<Option<Account>, StoreError> {
        self.read(async |client| account_rows::find_by_email(client, &email).await).await
    }

    async fn list_accounts(
        &self,
        after: Option<EmailAddress>,
        limit: u32,
    ) -> Result<Vec<Account>, StoreError> {
        self.read(async |client| account_rows::list(client, after.as_ref(), limit).await).await
    }

    async fn request_link(&self, email: EmailAddress, now_ms: i64) -> Result<Option<NewLink>, StoreError> {
        self.call(async |transaction| request_link(transaction, &email, now_ms).await).await
    }

    async fn search_accounts(
        &self,
        search: AccountSearch,
        now_ms: i64,
    ) -> Result<Vec<AccountOverview>, StoreError> {
        self.read(async |client| account_rows::search(client, &search, now_ms).await).await
    }

    async fn set_operator(
        &self,
        by: Actor,
        email: EmailAddress,
        is_operator: bool,
        now_ms: i64,
    ) -> Result<OperatorChange, StoreError> {
        self.call(async |transaction| set_operator(transaction, &by, &email, is_operator, now_ms).await).await
    }

    async fn sign_in(
        &self,
        email: EmailAddress,
        password: Password,
        now_ms: i64,
    ) -> Result<SignIn, StoreError> {
        login_attempts::sign_in(self, email, password, now_ms).await
    }

    async fn change_password(
        &self,
        session: SecretHash,
        present: Option<Password>,
        new: NewPassword,
        now_ms: i64,
    ) -> Result<PasswordChange, StoreError> {
        login_attempts::change_password(self, session, present, new, now_ms).await
    }

    async fn lock_account(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<AccountChange, StoreError> {
        self.call(async |transaction| lock(transaction, &by, &email, now_ms).await).await
    }

    async fn unlock_account(
        &self,
        by: Actor,
        email: EmailAddress,
        add_chars: Option<u64>,
        now_ms: i64,
    ) -> Result<AccountChange, StoreError> {
        self.call(async |transaction| unlock(transaction, &by, &email, add_chars, now_ms).await).await
    }

    async fn delete_account(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<AccountDeletion, StoreError> {
        self.call(async |transaction| deletion::delete(transaction, &by, &email, now_ms).await).await
    }

    async fn delete_own_account(
        &self,
        session: SecretHash,
        present: Option<Password>,
        now_ms: i64,
    ) -> Result<OwnDeletion, StoreError> {
        deletion::delete_own(self, session, present, now_ms).await
    }

    async fn reset_password(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<Option<(Account, NewLink)>, StoreError> {
        self.call(async |transaction| reset_password(transaction, &by, &email, now_ms).await).await
    }

    async fn create_sign_in_link(
        &self,
        account: AccountId,
        by: Actor,
        now_ms: i64,
    ) -> Result<Option<NewLink>, StoreError> {
        self.call(async |transaction| create_link(transaction, &account, &by, now_ms).await).await
    }
}
