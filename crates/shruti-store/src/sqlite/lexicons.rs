//! The lexicons of accounts, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, named_params};

use super::key_rows;
use super::store::SqliteStore;
use crate::account::AccountId;
use crate::decisions::Decision;
use crate::decisions::lexicon::decide_replacement;
use crate::error::StoreError;
use crate::lexicon::{AccountLexicon, LexiconReplacement, LexiconStore};

const FIND_LEXICON: &str = "SELECT coalesce(version, 0) AS version, coalesce(changed_ms, 0) AS changed_ms,
        coalesce(toml, '') AS toml
    FROM accounts LEFT JOIN lexicons ON lexicons.account = accounts.id WHERE accounts.id = :account";
const REPLACE_LEXICON: &str = "INSERT INTO lexicons (account, version, changed_ms, is_empty, toml)
    VALUES (:account, :version, :changed_ms, :toml = '', :toml)
    ON CONFLICT (account) DO UPDATE SET version = excluded.version, changed_ms = excluded.changed_ms,
        is_empty = excluded.is_empty, toml = excluded.toml";

fn find(connection: &Connection, account: &AccountId) -> Result<Option<AccountLexicon>, StoreError> {
    let mut statement = connection.prepare_cached(FIND_LEXICON)?;
    let found = statement.query_row(named_params! {":account": account.as_str()}, |row| {
        Ok(AccountLexicon {
            version: row.get("version")?,
            changed_ms: row.get("changed_ms")?,
            toml: row.get("toml")?,
        })
    });
    Ok(found.optional()?)
}

fn replace(
    connection: &mut Connection,
    account: &AccountId,
    toml: String,
    replaced: Option<i64>,
    now_ms: i64,
) -> Result<LexiconReplacement, StoreError> {
    let transaction = connection.transaction()?;
    let lexicon = match decide_replacement(find(&transaction, account)?, toml, replaced, now_ms) {
        Decision::Write(lexicon) => lexicon,
        Decision::Answer(answer) => return Ok(answer),
    };
    transaction.execute(
        REPLACE_LEXICON,
        named_params! {
            ":account": account.as_str(),
            ":version": lexicon.version,
            ":changed_ms": lexicon.changed_ms,
            ":toml": lexicon.toml,
        },
    )?;
    key_rows::touch_all_of(&transaction, account)?;
    transaction.commit()?;
    Ok(LexiconReplacement::Replaced(lexicon))
}

#[async_trait]
impl LexiconStore for SqliteStore {
    async fn find_lexicon(&self, account: AccountId) -> Result<Option<AccountLexicon>, StoreError> {
        self.read(move |connection| find(connection, &account)).await
    }

    async fn replace_lexicon(
        &self,
        account: AccountId,
        toml: String,
        replaced: Option<i64>,
        now_ms: i64,
    ) -> Result<LexiconReplacement, StoreError> {
        self.call(move |connection| replace(connection, &account, toml, replaced, now_ms)).await
    }
}
