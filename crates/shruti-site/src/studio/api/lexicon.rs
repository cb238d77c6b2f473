//! `GET` and `PUT lexicon`, `POST normalize`: the pronunciation dictionary of an account, and the normalised form of a
//! text with that dictionary applied.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use serde::Serialize;
use shruti_lang::Language;
use shruti_protocol::limits::MAX_ACCOUNT_LEXICON_ENTRIES;
use shruti_protocol::{Normalization, SynthesisRequest};
use shruti_service::account_lexicon::save;
use shruti_service::app::App;
use shruti_service::http::ClientInfo;
use shruti_service::http::errors::{draining, store_error};
use shruti_service::limits::RateClass;
use shruti_service::normalization::normalized;
use shruti_store::AccountLexicon;
use shruti_text::Lexicon;
use shruti_text::lexicon::entries;

use super::json_fields::{JsonFields, missing};
use super::session::{SignedIn, not_signed_in};
use super::visitor::Visitor;
use super::{Answer, admit};

#[derive(Serialize)]
pub(super) struct LexiconAnswer {
    /// Version of the dictionary. A request to replace the dictionary must contain this version.
    version: i64,
    /// Maximum number of entries.
    max_entries: usize,
    entries: Vec<EntryAnswer>,
    /// The entries as TOML.
    toml: String,
}

#[derive(Serialize)]
struct EntryAnswer {
    /// Language of the texts that the entry applies to; `null` for all languages.
    language: Option<Language>,
    word: String,
    reading: String,
}

impl From<AccountLexicon> for LexiconAnswer {
    fn from(AccountLexicon { version, toml, .. }: AccountLexicon) -> Self {
        // invalid entries were rejected before they were stored
        let entries = entries(&toml).unwrap_or_default().into_iter();
        let entries = entries.map(|entry| EntryAnswer {
            language: entry.language,
            word: entry.word,
            reading: entry.reading,
        });
        Self { version, max_entries: MAX_ACCOUNT_LEXICON_ENTRIES, entries: entries.collect(), toml }
    }
}

pub(super) async fn show(State(app): State<Arc<App>>, signed_in: SignedIn) -> Answer<Json<LexiconAnswer>> {
    let found = app.store.find_lexicon(signed_in.session.account.id).await;
    let found = found.map_err(|error| store_error(&error))?.ok_or_else(not_signed_in)?;
    Ok(Json(found.into()))
}

pub(super) async fn replace(
    State(app): State<Arc<App>>,
    signed_in: SignedIn,
    fields: JsonFields,
) -> Answer<Json<LexiconAnswer>> {
    let toml = fields.text("toml")?.to_owned();
    let version = fields.number("version", 0..=i64::MAX.unsigned_abs())?;
    let version = version.ok_or_else(|| missing("version", "the number of the version to replace"))?;
    let account = signed_in.session.account.id;
    Ok(Json(save(&app, account, toml, Some(version.cast_signed())).await?.into()))
}

/// Returns the normalised form of a text with the account's dictionary applied. Also available to visitors if the
/// playground is open to them.
pub(super) async fn normalize(
    State(app): State<Arc<App>>,
    Extension(client): Extension<ClientInfo>,
    signed_in: Option<SignedIn>,
    visitor: Visitor,
    fields: JsonFields,
) -> Answer<Json<Normalization>> {
    if app.is_draining() {
        return Err(draining().into());
    }
    let request = SynthesisRequest::from_fields(&fields.0)?;
    let standing = match signed_in {
        Some(signed_in) => {
            let account = signed_in.session.account.id;
            let found = app.store.find_lexicon(account.clone()).await.map_err(|error| store_error(&error))?;
            app.lexicon_of_account(Some((&account, found.unwrap_or_default().version))).await?
        }
        None if visitor.monthly_cap.is_some() => {
            admit(&app, RateClass::Playground, client)?;
            Arc::new(Lexicon::default().with_fallback(app.config.lexicon.current()))
        }
        None => return Err(not_signed_in().into()),
    };
    Ok(Json(normalized(&app, &request, &standing).await?))
}
