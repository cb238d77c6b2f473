//! The lexicons of accounts, in SQL.

use async_trait::async_trait;

use super::client::{Client, Transaction};
use super::rows::{self, Values};
use super::store::PostgresStore;
use super::{account_rows, key_rows};
use crate::account::AccountId;
use crate::decisions::Decision;
use crate::decisions::lexicon::decide_replacement;
use crate::error::StoreError;
use crate::lexicon::{AccountLexicon, LexiconReplacement, LexiconStore};

const FIND_LEXICON: &str = "SELECT coalesce(version, 0) AS version, coalesce(changed_ms, 0) AS changed_ms,
        coalesce(toml, '') AS toml
    FROM accounts LEFT JOIN lexicons ON lexicons.account = accounts.id WHERE accounts.id = $1";
const REPLACE_LEXICON: &str = "INSERT INTO lexicons (account, version, changed_ms, is_empty, toml)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (account) DO UPDATE SET version = excluded.version, changed_ms = excluded.changed_ms,
        is_empty = excluded.is_empty, toml = excluded.toml";

async fn find(client: &impl Client, account: &AccountId) -> Result<Option<AccountLexicon>, StoreError> {
    let found = rows::first(client, FIND_LEXICON, &[&account.as_str()]).await?;
    let Some(row) = found else { return Ok(None) };
    Ok(Some(AccountLexicon {
        version: row.try_get("version")?,
        changed_ms: row.try_get("changed_ms")?,
        toml: row.try_get("toml")?,
    }))
}

async fn replace(
    transaction: &Transaction<'_>,
    account: &AccountId,
    toml: &str,
    replaced: Option<i64>,
    now_ms: i64,
) -> Result<LexiconReplacement, StoreError> {
    account_rows::hold(transaction, account).await?;
    let found = find(transaction, account).await?;
    let lexicon = match decide_replacement(found, toml.to_owned(), replaced, now_ms) {
        Decision::Write(lexicon) => lexicon,
        Decision::Answer(answer) => return Ok(answer),
    };
    let is_empty = lexicon.toml.is_empty();
    let given: Values<'_> =
        &[&account.as_str(), &lexicon.version, &lexicon.changed_ms, &is_empty, &lexicon.toml];
    rows::execute(transaction, REPLACE_LEXICON, given).await?;
    key_rows::touch_all_of(transaction, account).await?;
    Ok(LexiconReplacement::Replaced(lexicon))
}

#[async_trait]
impl LexiconStore for PostgresStore {
    async fn find_lexicon(&self, account: AccountId) -> Result<Option<AccountLexicon>, StoreError> {
        self.read(async |client| find(client, &account).await).await
    }

    async fn replace_lexicon(
        &self,
        account: AccountId,
        toml: String,
        replaced: Option<i64>,
        now_ms: i64,
    ) -> Result<LexiconReplacement, StoreError> {
        self.call(async |transaction| replace(transaction, &account, &toml, replaced, now_ms).await).await
    }
}
