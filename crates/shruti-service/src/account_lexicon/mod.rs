//! Validation and storage of account lexicons.

mod check;

use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::{AccountId, AccountLexicon, LexiconReplacement};

use self::check::check;
use crate::app::App;
use crate::http::errors::{lexicon_changed, store_error};

/// Validates a lexicon, stores it for the account and returns it. If `replaced` is given and the stored lexicon has
/// another version, the function stores nothing and returns an error.
pub async fn save(
    app: &App,
    account: AccountId,
    toml: String,
    replaced: Option<i64>,
) -> Result<AccountLexicon, ApiError> {
    let toml = check(toml).await?;
    let now_ms = app.clock.now().wall_ms;
    let outcome = app.store.replace_lexicon(account, toml, replaced, now_ms).await;
    match outcome.map_err(|error| store_error(&error))? {
        LexiconReplacement::Replaced(lexicon) => {
            app.auth.take_over().await;
            Ok(lexicon)
        }
        LexiconReplacement::OtherVersion(held) => Err(lexicon_changed(held.version)),
        LexiconReplacement::NoAccount => Err(no_account()),
        LexiconReplacement::TooLong => {
            Err(ApiError::new(ErrorCode::BodyTooLarge, ErrorCode::BodyTooLarge.meaning()))
        }
    }
}

/// Returns the error for a key that belongs to no account.
pub fn no_account() -> ApiError {
    let message = "the key belongs to no account, and only accounts have lexicons; the server's lexicon is a file, \
                   set with serve --lexicon";
    ApiError::new(ErrorCode::NotFound, message)
}
