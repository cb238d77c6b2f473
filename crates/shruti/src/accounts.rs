//! The `shruti accounts` command, which manages Studio accounts, even while the server is running.

use std::io::{Write, stdout};

use anyhow::bail;
use shruti_store::{
    AccessLock, Account, AccountChange, AccountDeletion, Actor, EmailAddress, Invitation, NewLink,
    OperatorChange, Store,
};

use crate::calendar;
use crate::data_dir::{OnData, block_on};

/// Maximum number of accounts read per query.
const PART: u32 = 500;

pub(crate) type Args = OnData<Action>;

#[derive(clap::Subcommand)]
pub(crate) enum Action {
    /// List all accounts
    List,
    /// Create an account and print a one-time link to set its password
    Create {
        /// Email address of the account
        #[arg(value_parser = address)]
        email: EmailAddress,
    },
    /// Lock an account: end its sessions, and refuse its keys within two seconds
    Lock {
        /// Email address of the account
        #[arg(value_parser = address)]
        email: EmailAddress,
    },
    /// Unlock an account
    Unlock {
        /// Email address of the account
        #[arg(value_parser = address)]
        email: EmailAddress,

        /// Grant access without a promo code, and add N characters to the account's monthly allowance
        #[arg(long, value_name = "N", value_parser = chars)]
        chars: Option<u64>,
    },
    /// Print a one-time sign-in link, valid for an hour; the password and all sessions remain valid
    Link {
        /// Email address of the account
        #[arg(value_parser = address, default_value = "operator@localhost")]
        email: EmailAddress,
    },
    /// Invalidate the password and all sessions, and print a one-time link to set a new password
    ///
    /// The operator's own account is operator@localhost.
    ResetPassword {
        /// Email address of the account
        #[arg(value_parser = address)]
        email: EmailAddress,
    },
    /// Grant or revoke the operator role
    ///
    /// An operator needs no promo code and no allowance, and can open the operator pages of the Studio.
    Operator {
        /// Email address of the account
        #[arg(value_parser = address)]
        email: EmailAddress,

        /// Whether the account is an operator
        #[arg(value_enum)]
        switch: Switch,
    },
    /// Delete an account with its keys, usage and all other data; this cannot be undone
    Delete {
        /// Email address of the account
        #[arg(value_parser = address)]
        email: EmailAddress,

        /// Confirm the deletion; without this flag, the command only reports what would be deleted
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

pub(crate) fn address(text: &str) -> Result<EmailAddress, String> {
    text.parse().map_err(|error| format!("{error}"))
}

/// Parses a number of characters per month. `_` and `,` are ignored.
pub(crate) fn chars(text: &str) -> Result<u64, String> {
    const MOST: u64 = 1_000_000_000_000;
    let number = text.replace(['_', ','], "").parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("must be a number of characters from 1 to {MOST}"))
}

pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let now_ms = calendar::now_ms();
    block_on(async {
        let store = args.data.existing().await?;
        let store = &*store;
        match args.action {
            Action::List => list(store).await,
            Action::Create { email } => create(store, email, now_ms).await,
            Action::Lock { email } => {
                let change = store.lock_account(Actor::Operator, email.clone(), now_ms).await?;
                tell(&email, &change, "is locked", "was already locked")
            }
            Action::Unlock { email, chars } => {
                let change = store.unlock_account(Actor::Operator, email.clone(), chars, now_ms).await?;
                tell(&email, &change, "is unlocked", "was not locked by the operator")
            }
            Action::Link { email } => link(store, &email, now_ms).await,
            Action::ResetPassword { email } => reset(store, email, now_ms).await,
            Action::Operator { email, switch } => {
                let is_operator = matches!(switch, Switch::On);
                set_operator(store, email, is_operator, now_ms).await
            }
            Action::Delete { email, yes } => delete(store, email, yes, now_ms).await,
        }
    })
}

async fn list(store: &dyn Store) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{:8}  {:16}  {:>15}  email", "state", "created (UTC)", "chars per month")?;
    let mut after = None;
    loop {
        let part = store.list_accounts(after, PART).await?;
        let Some(last) = part.last() else { return Ok(()) };
        after = Some(last.email.clone());
        for account in &part {
            let chars = if account.is_operator { "-".to_owned() } else { account.monthly_chars.to_string() };
            writeln!(
                out,
                "{:8}  {:16}  {chars:>15}  {}",
                state(account),
                calendar::show(account.created_ms),
                account.email
            )?;
        }
    }
}

fn state(account: &Account) -> &'static str {
    match account.access_lock() {
        Some(AccessLock::ByOperator) => "locked",
        Some(AccessLock::NoPromoCode) => "no code",
        None if account.is_operator => "operator",
        None => "open",
    }
}

async fn create(store: &dyn Store, email: EmailAddress, now_ms: i64) -> anyhow::Result<()> {
    match store.invite_account(Actor::Operator, email.clone(), now_ms).await? {
        Invitation::Invited(_, link) => {
            print_link(&link, "the account holder uses it to sign in and choose a password")
        }
        Invitation::Exists(_) => {
            bail!("{email} already has an account; for a new link: shruti accounts reset-password {email}")
        }
    }
}

fn tell(email: &EmailAddress, change: &AccountChange, changed: &str, unchanged: &str) -> anyhow::Result<()> {
    match change {
        AccountChange::Changed(account) => {
            eprintln!("{email} {changed}");
            if account.access_lock() == Some(AccessLock::NoPromoCode) {
                eprintln!(
                    "the account cannot synthesise speech until a promo code is redeemed or access is granted with \
                     --chars N"
                );
            }
        }
        AccountChange::Unchanged(_) => eprintln!("{email} {unchanged}"),
        AccountChange::Unknown => return no_account(email),
    }
    Ok(())
}

fn no_account(email: &EmailAddress) -> anyhow::Result<()> {
    bail!("there is no account {email}; `shruti accounts list` shows all accounts")
}

async fn link(store: &dyn Store, email: &EmailAddress, now_ms: i64) -> anyhow::Result<()> {
    ensure_operator(store, email, now_ms).await?;
    let Some(account) = store.find_account(email.clone()).await? else { return no_account(email) };
    match store.create_sign_in_link(account.id, Actor::Operator, now_ms).await? {
        Some(link) => print_link(&link, "an earlier link of the account no longer works"),
        None => bail!("{email} is locked; `shruti accounts unlock {email}` unlocks it"),
    }
}

/// Creates the operator's account if `email` is its address and the account does not exist. An older store, or a store
/// that no server has used, may lack this account.
async fn ensure_operator(store: &dyn Store, email: &EmailAddress, now_ms: i64) -> anyhow::Result<()> {
    if *email == EmailAddress::operator() {
        store.ensure_operator(now_ms).await?;
    }
    Ok(())
}

async fn reset(store: &dyn Store, email: EmailAddress, now_ms: i64) -> anyhow::Result<()> {
    ensure_operator(store, &email, now_ms).await?;
    match store.reset_password(Actor::Operator, email.clone(), now_ms).await? {
        Some((_, link)) => print_link(&link, "the old password and all sessions no longer work"),
        None => no_account(&email),
    }
}

async fn set_operator(
    store: &dyn Store,
    email: EmailAddress,
    is_operator: bool,
    now_ms: i64,
) -> anyhow::Result<()> {
    match store.set_operator(Actor::Operator, email.clone(), is_operator, now_ms).await? {
        OperatorChange::Changed(_) if is_operator => eprintln!("{email} is now an operator"),
        OperatorChange::Changed(_) => {
            eprintln!("{email} is no longer an operator");
            let first = EmailAddress::operator();
            eprintln!(
                "the password and sessions of {first} no longer work either: `shruti accounts link` signs in to that \
                 account; its keys remain valid: `shruti keys list`"
            );
        }
        OperatorChange::Unchanged(_) if is_operator => eprintln!("{email} was already an operator"),
        OperatorChange::Unchanged(_) => eprintln!("{email} was not an operator"),
        OperatorChange::IsFirst => {
            bail!("{email} was created as operator by the first start and must remain one")
        }
        OperatorChange::Unknown => return no_account(&email),
    }
    Ok(())
}

async fn delete(store: &dyn Store, email: EmailAddress, is_sure: bool, now_ms: i64) -> anyhow::Result<()> {
    if !is_sure {
        let Some(account) = store.find_account(email.clone()).await? else { return no_account(&email) };
        let keys = store.list_keys(Actor::Account(account.id)).await?.len();
        bail!(
            "{email} has {keys} keys; deleting the account also deletes the keys, their usage, its lexicon and its \
             sessions for good: `shruti accounts delete {email} --yes`"
        );
    }
    match store.delete_account(Actor::Operator, email.clone(), now_ms).await? {
        AccountDeletion::Deleted(id) => {
            eprintln!("{email} is deleted; the audit log refers to the account as {id}");
        }
        AccountDeletion::IsOperator => {
            bail!("{email} is an operator; first run: shruti accounts operator {email} off")
        }
        AccountDeletion::Unknown => return no_account(&email),
    }
    Ok(())
}

/// Returns the path of a link, to be appended to the server's address.
pub(crate) fn link_path(link: &NewLink) -> String {
    format!("/studio/link#{}", link.secret.reveal())
}

/// Prints the path of a link, not its URL, because the command does not know the server's address. Instructions go to
/// standard error.
fn print_link(link: &NewLink, more: &str) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{}", link_path(link))?;
    out.flush()?;
    let end = calendar::show(link.expires_ms);
    eprintln!("append this to the server's address; it works once, until {end} UTC; {more}");
    Ok(())
}
