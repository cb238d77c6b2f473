//! Text normalisation, token by token, without synthesis.

use std::sync::Arc;
use std::time::Duration;

use shruti_protocol::{ApiError, Normalization, NormalizedToken, NormalizedWord, SynthesisRequest};
use shruti_text::explain::{Explanation, Token, Word};
use shruti_text::phone::to_ipa;
use shruti_text::{Lexicon, Settings, explain};
use tokio::time::timeout;

use crate::app::App;
use crate::http::errors::{internal, overloaded};
use crate::synthesis::lexicon;

/// Maximum time that a text waits for a permit.
const PATIENCE: Duration = Duration::from_secs(5);

/// Normalises the text of a request. Entries of the request's own lexicon take precedence over those of `base_lexicon`.
/// Only a few texts are normalised concurrently, on blocking threads, so that normalisation does not delay synthesis.
/// Returns an error if no permit is free within five seconds.
pub async fn normalized(
    app: &App,
    request: &SynthesisRequest,
    base_lexicon: &Arc<Lexicon>,
) -> Result<Normalization, ApiError> {
    let lexicon = lexicon(&request.lexicon, base_lexicon)?;
    let settings = Settings { language: request.language, lexicon };
    let text = request.text.clone();
    let turn = timeout(PATIENCE, Arc::clone(&app.normalizations).acquire_owned()).await;
    let turn = turn.map_err(|_| overloaded(Duration::from_secs(1)))?.map_err(|_| internal())?;
    let read = tokio::task::spawn_blocking(move || {
        let explanation = explain(&text, settings);
        drop(turn);
        explanation
    });
    Ok(to_wire(read.await.map_err(|_| internal())?))
}

fn to_wire(Explanation { language, script, tokens }: Explanation) -> Normalization {
    let script = script.map(|script| script.code().to_owned());
    Normalization { language, script, tokens: tokens.into_iter().map(token_to_wire).collect() }
}

fn token_to_wire(Token { start, end, written, class, rule, words, .. }: Token) -> NormalizedToken {
    let words = words.into_iter().map(word_to_wire).collect();
    NormalizedToken { start, end, written, class: class.name().to_owned(), rule, words }
}

fn word_to_wire(Word { text, language, phones, phones_by, .. }: Word) -> NormalizedWord {
    NormalizedWord { text, language, phones: to_ipa(&phones), phones_by }
}
