//! Decisions about accounts, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, named_params};

use super::{SqliteStore, audit, guessing, keys, sessions, signed, tokens, unsigned};
use crate::account::{
    Account, AccountChange, AccountCreation, AccountId, AccountStore, Invitation, PasswordChange, SignIn,
};
use crate::audit::{Actor, Event};
use crate::email::EmailAddress;
use crate::hashing::StoredPassword;
use crate::password::{NewPassword, Password};
use crate::secret::SecretHash;
use crate::session::NewLink;
use crate::store::StoreError;

const FIND_ACCOUNT: &str =
    concat!(include_str!("sql/select_account.sql"), include_str!("sql/find_account.sql"));
const FIND_ACCOUNT_BY_EMAIL: &str =
    concat!(include_str!("sql/select_account.sql"), include_str!("sql/find_account_by_email.sql"));
const LIST_ACCOUNTS: &str =
    concat!(include_str!("sql/select_account.sql"), include_str!("sql/list_accounts.sql"));
const INSERT_ACCOUNT: &str = include_str!("sql/insert_account.sql");
const SET_PASSWORD: &str = include_str!("sql/set_password.sql");
const LOCK_ACCOUNT: &str = include_str!("sql/lock_account.sql");
const UNLOCK_ACCOUNT: &str = include_str!("sql/unlock_account.sql");
const GIVE_ACCESS: &str = include_str!("sql/give_access.sql");

pub(super) fn find(connection: &Connection, id: &AccountId) -> Result<Option<Account>, StoreError> {
    let mut statement = connection.prepare_cached(FIND_ACCOUNT)?;
    let found = statement.query_row(named_params! {":id": id.as_str()}, |row| Ok(read(row)));
    found.optional()?.transpose()
}

pub(super) fn find_by_email(
    connection: &Connection,
    email: &EmailAddress,
) -> Result<Option<Account>, StoreError> {
    let mut statement = connection.prepare_cached(FIND_ACCOUNT_BY_EMAIL)?;
    let found = statement.query_row(named_params! {":email": email.as_str()}, |row| Ok(read(row)));
    found.optional()?.transpose()
}

fn list(
    connection: &Connection,
    after: Option<&EmailAddress>,
    limit: u32,
) -> Result<Vec<Account>, StoreError> {
    let mut statement = connection.prepare_cached(LIST_ACCOUNTS)?;
    let asked = named_params! {":after": after.map_or("", EmailAddress::as_str), ":limit": limit};
    let rows = statement.query_map(asked, |row| Ok(read(row)))?;
    rows.map(|row| row?).collect()
}

fn read(row: &Row<'_>) -> Result<Account, StoreError> {
    let email: String = row.get("email")?;
    Ok(Account {
        id: AccountId(row.get("id")?),
        email: email.parse().map_err(|error| StoreError::Unreadable(format!("an e-mail address {error}")))?,
        created_ms: row.get("created_ms")?,
        is_operator: row.get("is_operator")?,
        has_password: row.get("has_password")?,
        access_ms: row.get("access_ms")?,
        locked_ms: row.get("locked_ms")?,
        monthly_chars: unsigned(row.get("monthly_chars")?),
    })
}

/// Makes an account unless its address is taken.
fn insert(
    transaction: &Transaction<'_>,
    email: &EmailAddress,
    password: Option<&StoredPassword>,
    is_operator: bool,
    now_ms: i64,
) -> Result<Option<Account>, StoreError> {
    let id = AccountId::generate()?;
    let made = transaction.execute(
        INSERT_ACCOUNT,
        named_params! {
            ":id": id.as_str(),
            ":email": email.as_str(),
            ":password": password.map(|password| &password.0),
            ":is_operator": is_operator,
            ":now_ms": now_ms,
        },
    )?;
    if made == 0 { Ok(None) } else { find(transaction, &id) }
}

fn create(
    connection: &mut Connection,
    email: &EmailAddress,
    password: &StoredPassword,
    now_ms: i64,
) -> Result<AccountCreation, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // the operator's address belongs to the operator, also before that account is made
    let is_reserved = *email == EmailAddress::operator();
    let made = if is_reserved { None } else { insert(&transaction, email, Some(password), false, now_ms)? };
    let creation = if let Some(account) = made {
        audit::done(&transaction, now_ms, &Actor::Visitor, Event::AccountCreated, Some(&account.id), None)?;
        AccountCreation::Created(account)
    } else {
        // as many rows are written as for a new account
        let account = find_by_email(&transaction, email)?;
        let entry = audit::Entry {
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

fn invite(connection: &mut Connection, email: &EmailAddress, now_ms: i64) -> Result<Invitation, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if *email == EmailAddress::operator() {
        return Ok(Invitation::Exists(ensure_operator_in(&transaction, now_ms)?));
    }
    if let Some(account) = find_by_email(&transaction, email)? {
        return Ok(Invitation::Exists(account));
    }
    let account = insert(&transaction, email, None, false, now_ms)?
        .ok_or_else(|| StoreError::Unreadable("an account that was just made".to_owned()))?;
    audit::done(&transaction, now_ms, &Actor::Operator, Event::AccountCreated, Some(&account.id), None)?;
    let link = sessions::make_link(&transaction, &account.id, now_ms)?;
    transaction.commit()?;
    Ok(Invitation::Invited(account, link))
}

fn ensure_operator(connection: &mut Connection, now_ms: i64) -> Result<Account, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let account = ensure_operator_in(&transaction, now_ms)?;
    transaction.commit()?;
    Ok(account)
}

/// The operator's account, made if there is none.
pub(super) fn ensure_operator_in(transaction: &Transaction<'_>, now_ms: i64) -> Result<Account, StoreError> {
    let email = EmailAddress::operator();
    if let Some(account) = insert(transaction, &email, None, true, now_ms)? {
        audit::done(transaction, now_ms, &Actor::Operator, Event::AccountCreated, Some(&account.id), None)?;
        return Ok(account);
    }
    let found = find_by_email(transaction, &email)?;
    found.ok_or_else(|| StoreError::Unreadable("the operator's account".to_owned()))
}

pub(super) fn set_password(
    transaction: &Transaction<'_>,
    account: &AccountId,
    password: Option<&StoredPassword>,
) -> Result<(), StoreError> {
    let given =
        named_params! {":account": account.as_str(), ":password": password.map(|password| &password.0)};
    transaction.execute(SET_PASSWORD, given)?;
    Ok(())
}

/// Gives access to speech and adds to the monthly allowance; servers learn it with the next changes of keys.
pub(super) fn give_access(
    transaction: &Transaction<'_>,
    account: &AccountId,
    chars: u64,
    now_ms: i64,
) -> Result<(), StoreError> {
    let given = named_params! {":account": account.as_str(), ":chars": signed(chars), ":now_ms": now_ms};
    transaction.execute(GIVE_ACCESS, given)?;
    keys::touch_all_of(transaction, account)
}

fn lock(connection: &mut Connection, email: &EmailAddress, now_ms: i64) -> Result<AccountChange, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(account) = find_by_email(&transaction, email)? else { return Ok(AccountChange::Unknown) };
    if account.locked_ms.is_some() {
        return Ok(AccountChange::Unchanged(account));
    }
    transaction.execute(LOCK_ACCOUNT, named_params! {":account": account.id.as_str(), ":now_ms": now_ms})?;
    sessions::end_all_of(&transaction, &account.id)?;
    tokens::drop_all_of_account(&transaction, &account.id)?;
    keys::touch_all_of(&transaction, &account.id)?;
    audit::done(&transaction, now_ms, &Actor::Operator, Event::AccountLocked, Some(&account.id), None)?;
    transaction.commit()?;
    Ok(AccountChange::Changed(Account { locked_ms: Some(now_ms), ..account }))
}

fn unlock(
    connection: &mut Connection,
    email: &EmailAddress,
    add_chars: Option<u64>,
    now_ms: i64,
) -> Result<AccountChange, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(account) = find_by_email(&transaction, email)? else { return Ok(AccountChange::Unknown) };
    if account.locked_ms.is_none() && add_chars.is_none() {
        return Ok(AccountChange::Unchanged(account));
    }
    transaction.execute(UNLOCK_ACCOUNT, named_params! {":account": account.id.as_str()})?;
    if let Some(chars) = add_chars {
        give_access(&transaction, &account.id, chars, now_ms)?;
    }
    keys::touch_all_of(&transaction, &account.id)?;
    audit::done(&transaction, now_ms, &Actor::Operator, Event::AccountUnlocked, Some(&account.id), None)?;
    let changed = find(&transaction, &account.id)?.unwrap_or(account);
    transaction.commit()?;
    Ok(AccountChange::Changed(changed))
}

fn reset_password(
    connection: &mut Connection,
    email: &EmailAddress,
    now_ms: i64,
) -> Result<Option<(Account, NewLink)>, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(account) = find_by_email(&transaction, email)? else { return Ok(None) };
    set_password(&transaction, &account.id, None)?;
    sessions::end_all_of(&transaction, &account.id)?;
    guessing::forget(&transaction, email)?;
    let link = sessions::make_link(&transaction, &account.id, now_ms)?;
    audit::done(&transaction, now_ms, &Actor::Operator, Event::PasswordReset, Some(&account.id), None)?;
    transaction.commit()?;
    Ok(Some((Account { has_password: false, ..account }, link)))
}

fn create_link(
    connection: &mut Connection,
    account: &AccountId,
    by: &Actor,
    now_ms: i64,
) -> Result<Option<NewLink>, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if find(&transaction, account)?.is_none_or(|account| account.locked_ms.is_some()) {
        return Ok(None);
    }
    let link = sessions::make_link(&transaction, account, now_ms)?;
    audit::done(&transaction, now_ms, by, Event::LinkCreated, Some(account), None)?;
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

    async fn invite_account(&self, email: EmailAddress, now_ms: i64) -> Result<Invitation, StoreError> {
        self.call(move |connection| invite(connection, &email, now_ms)).await
    }

    async fn ensure_operator(&self, now_ms: i64) -> Result<Account, StoreError> {
        self.call(move |connection| ensure_operator(connection, now_ms)).await
    }

    async fn find_account(&self, email: EmailAddress) -> Result<Option<Account>, StoreError> {
        self.read(move |connection| find_by_email(connection, &email)).await
    }

    async fn list_accounts(
        &self,
        after: Option<EmailAddress>,
        limit: u32,
    ) -> Result<Vec<Account>, StoreError> {
        self.read(move |connection| list(connection, after.as_ref(), limit)).await
    }

    async fn sign_in(
        &self,
        email: EmailAddress,
        password: Password,
        now_ms: i64,
    ) -> Result<SignIn, StoreError> {
        guessing::sign_in(self, email, password, now_ms).await
    }

    async fn change_password(
        &self,
        session: SecretHash,
        present: Option<Password>,
        new: NewPassword,
        now_ms: i64,
    ) -> Result<PasswordChange, StoreError> {
        guessing::change_password(self, session, present, new, now_ms).await
    }

    async fn lock_account(&self, email: EmailAddress, now_ms: i64) -> Result<AccountChange, StoreError> {
        self.call(move |connection| lock(connection, &email, now_ms)).await
    }

    async fn unlock_account(
        &self,
        email: EmailAddress,
        add_chars: Option<u64>,
        now_ms: i64,
    ) -> Result<AccountChange, StoreError> {
        self.call(move |connection| unlock(connection, &email, add_chars, now_ms)).await
    }

    async fn reset_password(
        &self,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<Option<(Account, NewLink)>, StoreError> {
        self.call(move |connection| reset_password(connection, &email, now_ms)).await
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
