//! Accounts, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, Transaction, named_params};

use super::store::SqliteStore;
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

const LOCK_ACCOUNT: &str =
    "UPDATE accounts SET locked_ms = :now_ms WHERE id = :account AND locked_ms IS NULL";
const SET_OPERATOR: &str = "UPDATE accounts SET is_operator = :is_operator WHERE id = :account";
const CAN_OPERATOR_SIGN_IN: &str = "SELECT EXISTS (
        SELECT 1 FROM accounts WHERE is_operator = 1 AND locked_ms IS NULL AND (password IS NOT NULL OR EXISTS (
            SELECT 1 FROM sessions
            WHERE account = accounts.id AND ends_ms > :now_ms AND used_ms > :idle_since_ms
        ))
    )";
const UNLOCK_ACCOUNT: &str = "UPDATE accounts SET locked_ms = NULL WHERE id = :account";

fn create(
    connection: &mut Connection,
    email: &EmailAddress,
    password: &StoredPassword,
    now_ms: i64,
) -> Result<AccountCreation, StoreError> {
    let transaction = connection.transaction()?;
    // the operator's address belongs to the operator, also before that account is made
    let is_reserved = *email == EmailAddress::operator();
    let made = if is_reserved {
        None
    } else {
        account_rows::insert(&transaction, email, Some(password), false, now_ms)?
    };
    let creation = if let Some(account) = made {
        audit::done(&transaction, now_ms, &Actor::Visitor, Event::AccountCreated, Some(&account.id), None)?;
        AccountCreation::Created(account)
    } else {
        // as many rows are written as for a new account
        let account = account_rows::find_by_email(&transaction, email)?;
        let entry = NewEntry {
            actor: &Actor::Visitor,
            event: Event::AccountCreated,
            account: account.as_ref().map(|account| &account.id),
            subject: None,
            outcome: "exists",
        };
        audit::record(&transaction, now_ms, &entry)?;
        AccountCreation::Exists
    };
    transaction.commit()?;
    Ok(creation)
}

fn invite(
    connection: &mut Connection,
    by: &Actor,
    email: &EmailAddress,
    now_ms: i64,
) -> Result<Invitation, StoreError> {
    let transaction = connection.transaction()?;
    if *email == EmailAddress::operator() {
        let operator = account_rows::ensure_operator(&transaction, now_ms)?;
        transaction.commit()?;
        return Ok(Invitation::Exists(operator));
    }
    if let Some(account) = account_rows::find_by_email(&transaction, email)? {
        return Ok(Invitation::Exists(account));
    }
    let account = account_rows::insert(&transaction, email, None, false, now_ms)?
        .ok_or_else(|| StoreError::Unreadable("an account that was just made".to_owned()))?;
    audit::done(&transaction, now_ms, by, Event::AccountCreated, Some(&account.id), None)?;
    let link = sessions::make_link(&transaction, &account.id, false, now_ms)?;
    transaction.commit()?;
    Ok(Invitation::Invited(account, link))
}

fn ensure_operator(connection: &mut Connection, now_ms: i64) -> Result<Account, StoreError> {
    let transaction = connection.transaction()?;
    let account = account_rows::ensure_operator(&transaction, now_ms)?;
    transaction.commit()?;
    Ok(account)
}

fn can_operator_sign_in(connection: &Connection, now_ms: i64) -> Result<bool, StoreError> {
    let asked = named_params! {":now_ms": now_ms, ":idle_since_ms": now_ms.saturating_sub(SESSION_IDLE_MS)};
    Ok(connection.query_row(CAN_OPERATOR_SIGN_IN, asked, |row| row.get(0))?)
}

fn lock(
    connection: &mut Connection,
    by: &Actor,
    email: &EmailAddress,
    now_ms: i64,
) -> Result<AccountChange, StoreError> {
    let transaction = connection.transaction()?;
    let Some(account) = account_rows::find_by_email(&transaction, email)? else {
        return Ok(AccountChange::Unknown);
    };
    if account.locked_ms.is_some() {
        return Ok(AccountChange::Unchanged(account));
    }
    transaction.execute(LOCK_ACCOUNT, named_params! {":account": account.id.as_str(), ":now_ms": now_ms})?;
    sessions::end_all_of(&transaction, &account.id)?;
    tokens::drop_all_of_account(&transaction, &account.id)?;
    key_rows::touch_all_of(&transaction, &account.id)?;
    audit::done(&transaction, now_ms, by, Event::AccountLocked, Some(&account.id), None)?;
    transaction.commit()?;
    Ok(AccountChange::Changed(Account { locked_ms: Some(now_ms), ..account }))
}

fn unlock(
    connection: &mut Connection,
    by: &Actor,
    email: &EmailAddress,
    add_chars: Option<u64>,
    now_ms: i64,
) -> Result<AccountChange, StoreError> {
    let transaction = connection.transaction()?;
    let Some(account) = account_rows::find_by_email(&transaction, email)? else {
        return Ok(AccountChange::Unknown);
    };
    if account.locked_ms.is_none() && add_chars.is_none() {
        return Ok(AccountChange::Unchanged(account));
    }
    transaction.execute(UNLOCK_ACCOUNT, named_params! {":account": account.id.as_str()})?;
    if let Some(chars) = add_chars {
        account_rows::give_access(&transaction, &account.id, chars, now_ms)?;
    }
    key_rows::touch_all_of(&transaction, &account.id)?;
    audit::done(&transaction, now_ms, by, Event::AccountUnlocked, Some(&account.id), None)?;
    let changed = account_rows::find(&transaction, &account.id)?.unwrap_or(account);
    transaction.commit()?;
    Ok(AccountChange::Changed(changed))
}

/// Ends the password, the sessions and the links of an account, and forgets wrong passwords.
fn end_sign_ins(
    transaction: &Transaction<'_>,
    by: &Actor,
    account: &Account,
    now_ms: i64,
) -> Result<(), StoreError> {
    account_rows::set_password(transaction, &account.id, None)?;
    sessions::end_all_of(transaction, &account.id)?;
    login_attempts::forget(transaction, &account.email)?;
    audit::done(transaction, now_ms, by, Event::PasswordReset, Some(&account.id), None)
}

fn reset_password(
    connection: &mut Connection,
    by: &Actor,
    email: &EmailAddress,
    now_ms: i64,
) -> Result<Option<(Account, NewLink)>, StoreError> {
    let transaction = connection.transaction()?;
    let Some(account) = account_rows::find_by_email(&transaction, email)? else { return Ok(None) };
    end_sign_ins(&transaction, by, &account, now_ms)?;
    let link = sessions::make_link(&transaction, &account.id, false, now_ms)?;
    transaction.commit()?;
    Ok(Some((Account { has_password: false, ..account }, link)))
}

fn set_operator(
    connection: &mut Connection,
    by: &Actor,
    email: &EmailAddress,
    is_operator: bool,
    now_ms: i64,
) -> Result<OperatorChange, StoreError> {
    if *email == EmailAddress::operator() && !is_operator {
        return Ok(OperatorChange::IsFirst);
    }
    let transaction = connection.transaction()?;
    let Some(account) = account_rows::find_by_email(&transaction, email)? else {
        return Ok(OperatorChange::Unknown);
    };
    if account.is_operator == is_operator {
        return Ok(OperatorChange::Unchanged(account));
    }
    if !is_operator && let Some(first) = account_rows::find_by_email(&transaction, &EmailAddress::operator())?
    {
        // which is nobody's own: whoever was an operator may know its password
        end_sign_ins(&transaction, by, &first, now_ms)?;
    }
    let given = named_params! {":account": account.id.as_str(), ":is_operator": is_operator};
    transaction.execute(SET_OPERATOR, given)?;
    key_rows::touch_all_of(&transaction, &account.id)?;
    let event = if is_operator { Event::OperatorAdded } else { Event::OperatorRemoved };
    audit::done(&transaction, now_ms, by, event, Some(&account.id), None)?;
    transaction.commit()?;
    Ok(OperatorChange::Changed(Account { is_operator, ..account }))
}

fn create_link(
    connection: &mut Connection,
    account: &AccountId,
    by: &Actor,
    now_ms: i64,
) -> Result<Option<NewLink>, StoreError> {
    let transaction = connection.transaction()?;
    if account_rows::find(&transaction, account)?.is_none_or(|account| account.locked_ms.is_some()) {
        return Ok(None);
    }
    let link = sessions::make_link(&transaction, account, false, now_ms)?;
    audit::done(&transaction, now_ms, by, Event::LinkCreated, Some(account), None)?;
    transaction.commit()?;
    Ok(Some(link))
}

fn request_link(
    connection: &mut Connection,
    email: &EmailAddress,
    now_ms: i64,
) -> Result<Option<NewLink>, StoreError> {
    let transaction = connection.transaction()?;
    let found = account_rows::find_by_email(&transaction, email)?;
    let reachable =
        found.filter(|account| account.locked_ms.is_none() && account.email != EmailAddress::operator());
    let Some(account) = reachable else { return Ok(None) };
    if sessions::has_fresh_link(&transaction, &account.id, now_ms)? {
        return Ok(None);
    }
    let link = sessions::make_link(&transaction, &account.id, true, now_ms)?;
    audit::done(&transaction, now_ms, &Actor::Visitor, Event::LinkCreated, Some(&account.id), None)?;
    transaction.commit()?;
    Ok(Some(link))
}

#[async_trait]
impl AccountStore for SqliteStore {
    async fn create_account(
        &self,
        email: EmailAddress,
        password: NewPassword,
        now_ms: i64,
    ) -> Result<AccountCreation, StoreError> {
        // hashed also for an address that is taken
        let password = self.hashing.admit()?.hash(password).await?;
        self.call(move |connection| create(connection, &email, &password, now_ms)).await
    }

    async fn invite_account(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<Invitation, StoreError> {
        self.call(move |connection| invite(connection, &by, &email, now_ms)).await
    }

    async fn ensure_operator(&self, now_ms: i64) -> Result<Account, StoreError> {
        self.call(move |connection| ensure_operator(connection, now_ms)).await
    }

    async fn can_operator_sign_in(&self, now_ms: i64) -> Result<bool, StoreError> {
        self.read(move |connection| can_operator_sign_in(connection, now_ms)).await
    }

    async fn find_account(&self, email: EmailAddress) -> Result<Option<Account>, StoreError> {
        self.read(move |connection| account_rows::find_by_email(connection, &email)).await
    }

    async fn list_accounts(
        &self,
        after: Option<EmailAddress>,
        limit: u32,
    ) -> Result<Vec<Account>, StoreError> {
        self.read(move |connection| account_rows::list(connection, after.as_ref(), limit)).await
    }

    async fn request_link(&self, email: EmailAddress, now_ms: i64) -> Result<Option<NewLink>, StoreError> {
        self.call(move |connection| request_link(connection, &email, now_ms)).await
    }

    async fn search_accounts(
        &self,
        search: AccountSearch,
        now_ms: i64,
    ) -> Result<Vec<AccountOverview>, StoreError> {
        self.read(move |connection| account_rows::search(connection, &search, now_ms)).await
    }

    async fn set_operator(
        &self,
        by: Actor,
        email: EmailAddress,
        is_operator: bool,
        now_ms: i64,
    ) -> Result<OperatorChange, StoreError> {
        self.call(move |connection| set_operator(connection, &by, &email, is_operator, now_ms)).await
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
        self.call(move |connection| lock(connection, &by, &email, now_ms)).await
    }

    async fn unlock_account(
        &self,
        by: Actor,
        email: EmailAddress,
        add_chars: Option<u64>,
        now_ms: i64,
    ) -> Result<AccountChange, StoreError> {
        self.call(move |connection| unlock(connection, &by, &email, add_chars, now_ms)).await
    }

    async fn delete_account(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<AccountDeletion, StoreError> {
        deletion::delete(self, by, email, now_ms).await
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
        self.call(move |connection| reset_password(connection, &by, &email, now_ms)).await
    }

    async fn create_sign_in_link(
        &self,
        account: AccountId,
        by: Actor,
        now_ms: i64,
    ) -> Result<Option<NewLink>, StoreError> {
        self.call(move |connection| create_link(connection, &account, &by, now_ms)).await
    }
}
