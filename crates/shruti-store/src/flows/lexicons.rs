//! Lexicons of accounts.

use async_trait::async_trait;
use futures_util::FutureExt;

use crate::account::AccountId;
use crate::database::{Database, Tx, params};
use crate::decisions::Decision;
use crate::decisions::lexicon::decide_replacement;
use crate::error::StoreError;
use crate::flows::{account_rows, key_rows};
use crate::lexicon::{AccountLexicon, LexiconReplacement, LexiconStore};
use crate::sql::lexicons as sql;

async fn find(tx: &mut impl Tx, account: &AccountId) -> Result<Option<AccountLexicon>, StoreError> {
    tx.first(&sql::FIND, params![account], |row| {
        Ok(AccountLexicon {
            version: row.get("version")?,
            changed_ms: row.get("changed_ms")?,
            toml: row.get("toml")?,
        })
    })
    .await
}

async fn replace(
    tx: &mut impl Tx,
    account: AccountId,
    toml: String,
    replaced: Option<i64>,
    now_ms: i64,
) -> Result<LexiconReplacement, StoreError> {
    account_rows::lock(tx, &account).await?;
    let lexicon = match decide_replacement(find(tx, &account).await?, toml, replaced, now_ms) {
        Decision::Write(lexicon) => lexicon,
        Decision::Answer(answer) => return Ok(answer),
    };
    let AccountLexicon { version, changed_ms, toml } = &lexicon;
    let row = params![&account, *version, *changed_ms, toml.is_empty(), toml];
    tx.execute(&sql::REPLACE, row).await?;
    key_rows::touch_all_of(tx, &account).await?;
    Ok(LexiconReplacement::Replaced(lexicon))
}

#[async_trait]
impl<D: Database> LexiconStore for D {
    async fn find_lexicon(&self, account: AccountId) -> Result<Option<AccountLexicon>, StoreError> {
        self.read(move |tx| async move { find(tx, &account).await }.boxed()).await
    }

    async fn replace_lexicon(
        &self,
        account: AccountId,
        toml: String,
        replaced: Option<i64>,
        now_ms: i64,
    ) -> Result<LexiconReplacement, StoreError> {
        self.write(move |tx| replace(tx, account, toml, replaced, now_ms).boxed()).await
    }
}
