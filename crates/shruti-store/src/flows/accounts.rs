//! Accounts.

use async_trait::async_trait;
use futures_util::FutureExt;

use crate::account::{Account, AccountId};
use crate::account_store::{
    AccountChange, AccountCreation, AccountDeletion, AccountOverview, AccountSearch, AccountStore,
    Invitation, OperatorChange, OwnDeletion, PasswordChange, SignIn,
};
use crate::audit::{Actor, Event, NewEntry};
use crate::database::{Database, Tx, params};
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::flows::{account_rows, audit, deletion, key_rows, login_attempts, sessions, tokens};
use crate::hashing::StoredPassword;
use crate::password::{NewPassword, Password};
use crate::secret::SecretHash;
use crate::session::{NewLink, SESSION_IDLE_MS};
use crate::sql::accounts as sql;

async fn create(
    tx: &mut impl Tx,
    email: EmailAddress,
    password: StoredPassword,
    now_ms: i64,
) -> Result<AccountCreation, StoreError> {
    // the operator's address is reserved, even before that account exists
    let is_reserved = email == EmailAddress::operator();
    let created = if is_reserved {
        None
    } else {
        account_rows::insert(tx, &email, Some(&password), false, now_ms).await?
    };
    if let Some(account) = created {
        audit::done(tx, now_ms, &Actor::Visitor, Event::AccountCreated, Some(&account.id), None).await?;
        return Ok(AccountCreation::Created(account));
    }
    // as many rows are written as for a new account, so that the call takes the same time
    let account = account_rows::find_by_email(tx, &email).await?;
    let entry = NewEntry {
        actor: &Actor::Visitor,
        event: Event::AccountCreated,
        account: account.as_ref().map(|account| &account.id),
        subject: None,
        outcome: "exists",
    };
    audit::record(tx, now_ms, &entry).await?;
    Ok(AccountCreation::Exists)
}

async fn invite(
    tx: &mut impl Tx,
    by: Actor,
    email: EmailAddress,
    now_ms: i64,
) -> Result<Invitation, StoreError> {
    if email == EmailAddress::operator() {
        return Ok(Invitation::Exists(account_rows::ensure_operator(tx, now_ms).await?));
    }
    let Some(account) = account_rows::insert(tx, &email, None, false, now_ms).await? else {
        let found = account_rows::find_by_email(tx, &email).await?;
        let found = found.ok_or_else(|| StoreError::Unreadable("an account that exists".to_owned()))?;
        return Ok(Invitation::Exists(found));
    };
    audit::done(tx, now_ms, &by, Event::AccountCreated, Some(&account.id), None).await?;
    let link = sessions::create_link(tx, &account.id, false, now_ms).await?;
    Ok(Invitation::Invited(account, link))
}

async fn can_operator_sign_in(tx: &mut impl Tx, now_ms: i64) -> Result<bool, StoreError> {
    let idle_since_ms = now_ms.saturating_sub(SESSION_IDLE_MS);
    tx.one(&sql::CAN_OPERATOR_SIGN_IN, params![now_ms, idle_since_ms], |row| row.get("found")).await
}

async fn lock(
    tx: &mut impl Tx,
    by: Actor,
    email: EmailAddress,
    now_ms: i64,
) -> Result<AccountChange, StoreError> {
    let Some(account) = account_rows::hold_by_email(tx, &email).await? else {
        return Ok(AccountChange::Unknown);
    };
    if account.locked_ms.is_some() {
        return Ok(AccountChange::Unchanged(account));
    }
    tx.execute(&sql::BLOCK, params![&account.id, now_ms]).await?;
    key_rows::touch_all_of(tx, &account.id).await?;
    sessions::end_all_of(tx, &account.id).await?;
    tokens::delete_all_of_account(tx, &account.id).await?;
    audit::done(tx, now_ms, &by, Event::AccountLocked, Some(&account.id), None).await?;
    Ok(AccountChange::Changed(Account { locked_ms: Some(now_ms), ..account }))
}

async fn unlock(
    tx: &mut impl Tx,
    by: Actor,
    email: EmailAddress,
    add_chars: Option<u64>,
    now_ms: i64,
) -> Result<AccountChange, StoreError> {
    let Some(account) = account_rows::hold_by_email(tx, &email).await? else {
        return Ok(AccountChange::Unknown);
    };
    if account.locked_ms.is_none() && add_chars.is_none() {
        return Ok(AccountChange::Unchanged(account));
    }
    tx.execute(&sql::UNBLOCK, params![&account.id]).await?;
    if let Some(chars) = add_chars {
        account_rows::give_access(tx, &account.id, chars, now_ms).await?;
    }
    key_rows::touch_all_of(tx, &account.id).await?;
    audit::done(tx, now_ms, &by, Event::AccountUnlocked, Some(&account.id), None).await?;
    let changed = account_rows::find(tx, &account.id).await?.unwrap_or(account);
    Ok(AccountChange::Changed(changed))
}

/// Removes the password, the sessions, the links and the failed attempts of an account. The caller has locked the row
/// of the account.
async fn end_sign_ins(
    tx: &mut impl Tx,
    by: &Actor,
    account: &Account,
    now_ms: i64,
) -> Result<(), StoreError> {
    account_rows::set_password(tx, &account.id, None).await?;
    sessions::end_all_of(tx, &account.id).await?;
    login_attempts::forget(tx, &account.email).await?;
    audit::done(tx, now_ms, by, Event::PasswordReset, Some(&account.id), None).await
}

async fn reset_password(
    tx: &mut impl Tx,
    by: Actor,
    email: EmailAddress,
    now_ms: i64,
) -> Result<Option<(Account, NewLink)>, StoreError> {
    let Some(account) = account_rows::hold_by_email(tx, &email).await? else { return Ok(None) };
    end_sign_ins(tx, &by, &account, now_ms).await?;
    let link = sessions::create_link(tx, &account.id, false, now_ms).await?;
    Ok(Some((Account { has_password: false, ..account }, link)))
}

async fn set_operator(
    tx: &mut impl Tx,
    by: Actor,
    email: EmailAddress,
    is_operator: bool,
    now_ms: i64,
) -> Result<OperatorChange, StoreError> {
    if email == EmailAddress::operator() && !is_operator {
        return Ok(OperatorChange::IsFirst);
    }
    let Some(account) = account_rows::hold_by_email(tx, &email).await? else {
        return Ok(OperatorChange::Unknown);
    };
    if account.is_operator == is_operator {
        return Ok(OperatorChange::Unchanged(account));
    }
    if !is_operator && let Some(first) = account_rows::hold_by_email(tx, &EmailAddress::operator()).await? {
        // operators may share the first account, so a former operator may know its password
        end_sign_ins(tx, &by, &first, now_ms).await?;
    }
    tx.execute(&sql::SET_OPERATOR, params![&account.id, is_operator]).await?;
    key_rows::touch_all_of(tx, &account.id).await?;
    let event = if is_operator { Event::OperatorAdded } else { Event::OperatorRemoved };
    audit::done(tx, now_ms, &by, event, Some(&account.id), None).await?;
    Ok(OperatorChange::Changed(Account { is_operator, ..account }))
}

async fn create_link(
    tx: &mut impl Tx,
    account: AccountId,
    by: Actor,
    now_ms: i64,
) -> Result<Option<NewLink>, StoreError> {
    if account_rows::hold(tx, &account).await?.is_none_or(|account| account.locked_ms.is_some()) {
        return Ok(None);
    }
    let link = sessions::create_link(tx, &account, false, now_ms).await?;
    audit::done(tx, now_ms, &by, Event::LinkCreated, Some(&account), None).await?;
    Ok(Some(link))
}

async fn request_link(
    tx: &mut impl Tx,
    email: EmailAddress,
    now_ms: i64,
) -> Result<Option<NewLink>, StoreError> {
    let found = account_rows::hold_by_email(tx, &email).await?;
    let reachable =
        found.filter(|account| account.locked_ms.is_none() && account.email != EmailAddress::operator());
    let Some(account) = reachable else { return Ok(None) };
    if sessions::has_fresh_link(tx, &account.id, now_ms).await? {
        return Ok(None);
    }
    let link = sessions::create_link(tx, &account.id, true, now_ms).await?;
    audit::done(tx, now_ms, &Actor::Visitor, Event::LinkCreated, Some(&account.id), None).await?;
    Ok(Some(link))
}

#[async_trait]
impl<D: Database> AccountStore for D {
    async fn create_account(
        &self,
        email: EmailAddress,
        password: NewPassword,
        now_ms: i64,
    ) -> Result<AccountCreation, StoreError> {
        // the password is hashed even if the address is taken, so that the call takes the same time
        let password = self.hashing().admit()?.hash(password).await?;
        self.write(move |tx| create(tx, email, password, now_ms).boxed()).await
    }

    async fn invite_account(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<Invitation, StoreError> {
        self.write(move |tx| invite(tx, by, email, now_ms).boxed()).await
    }

    async fn ensure_operator(&self, now_ms: i64) -> Result<Account, StoreError> {
        self.write(move |tx| account_rows::ensure_operator(tx, now_ms).boxed()).await
    }

    async fn can_operator_sign_in(&self, now_ms: i64) -> Result<bool, StoreError> {
        self.read(move |tx| can_operator_sign_in(tx, now_ms).boxed()).await
    }

    async fn find_account(&self, email: EmailAddress) -> Result<Option<Account>, StoreError> {
        self.read(move |tx| async move { account_rows::find_by_email(tx, &email).await }.boxed()).await
    }

    async fn list_accounts(
        &self,
        after: Option<EmailAddress>,
        limit: u32,
    ) -> Result<Vec<Account>, StoreError> {
        self.read(move |tx| account_rows::list(tx, after, limit).boxed()).await
    }

    async fn request_link(&self, email: EmailAddress, now_ms: i64) -> Result<Option<NewLink>, StoreError> {
        self.write(move |tx| request_link(tx, email, now_ms).boxed()).await
    }

    async fn search_accounts(
        &self,
        search: AccountSearch,
        now_ms: i64,
    ) -> Result<Vec<AccountOverview>, StoreError> {
        self.read(move |tx| account_rows::search(tx, search, now_ms).boxed()).await
    }

    async fn set_operator(
        &self,
        by: Actor,
        email: EmailAddress,
        is_operator: bool,
        now_ms: i64,
    ) -> Result<OperatorChange, StoreError> {
        self.write(move |tx| set_operator(tx, by, email, is_operator, now_ms).boxed()).await
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
        self.write(move |tx| lock(tx, by, email, now_ms).boxed()).await
    }

    async fn unlock_account(
        &self,
        by: Actor,
        email: EmailAddress,
        add_chars: Option<u64>,
        now_ms: i64,
    ) -> Result<AccountChange, StoreError> {
        self.write(move |tx| unlock(tx, by, email, add_chars, now_ms).boxed()).await
    }

    async fn delete_account(
        &self,
        by: Actor,
        email: EmailAddress,
        now_ms: i64,
    ) -> Result<AccountDeletion, StoreError> {
        self.write_erasing(move |tx| deletion::delete(tx, by, email, now_ms).boxed()).await
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
        self.write(move |tx| reset_password(tx, by, email, now_ms).boxed()).await
    }

    async fn create_sign_in_link(
        &self,
        account: AccountId,
        by: Actor,
        now_ms: i64,
    ) -> Result<Option<NewLink>, StoreError> {
        self.write(move |tx| create_link(tx, account, by, now_ms).boxed()).await
    }
}
