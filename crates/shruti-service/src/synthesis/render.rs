//! Rendering of signed-URL clips, which continues even if no client reads the clip.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http_body::Body;
use shruti_audio::Format;
use shruti_lang::VoiceId;
use shruti_protocol::{ApiError, SynthesisRequest};

use super::speak::{Delivery, Options, Spoken, SpokenBody, speak_with};
use crate::app::App;
use crate::auth::Caller;
use crate::clips::{ChargeDecision, Claim, ClipDigest, Facts, Opening, Rendering, RenderingName};
use crate::limits::StreamPermit;
use crate::metrics::ApiKind;

/// A request for a signed-URL clip.
pub(crate) struct RenderRequest {
    pub(crate) app: Arc<App>,
    pub(crate) caller: Caller,
    pub(crate) voice: VoiceId,
    pub(crate) request: SynthesisRequest,
    pub(crate) format: Format,
    pub(crate) digest: ClipDigest,
    pub(crate) permit: Arc<StreamPermit>,
    pub(crate) arrived: Duration,
}

/// Returns the rendering of a clip for a key, and whether it is new. If there is none in progress, a new rendering is
/// started.
pub(crate) fn get_or_start(render_request: RenderRequest) -> Result<(Arc<Rendering>, bool), ApiError> {
    let name = (render_request.digest, render_request.caller.key.prefix.clone());
    let (rendering, is_new) = render_request.app.renderings.get_or_insert(&name)?;
    if is_new {
        let (app, rendering) = (Arc::clone(&render_request.app), Arc::clone(&rendering));
        let guard = RenderGuard { app, name, rendering, claim: None };
        tokio::spawn(render(render_request, guard));
    }
    Ok((rendering, is_new))
}

/// Guard that ends a rendering when it is dropped.
struct RenderGuard {
    app: Arc<App>,
    name: RenderingName,
    rendering: Arc<Rendering>,
    /// Claim that is confirmed on success and released on failure.
    claim: Option<Claim>,
}

impl RenderGuard {
    fn finish(&mut self, is_whole: bool) {
        self.app.renderings.remove(&self.name);
        if let Some(claim) = self.claim.take() {
            let ledger = &self.app.config.clips.ledger;
            if is_whole { ledger.confirm(claim) } else { ledger.release(claim) }
        }
        self.rendering.end(is_whole);
    }
}

impl Drop for RenderGuard {
    fn drop(&mut self) {
        self.finish(false);
    }
}

async fn render(render_request: RenderRequest, mut guard: RenderGuard) {
    let RenderRequest { app, caller, voice, request, format, digest, permit, arrived } = render_request;
    let decision = app.charge_decision(&caller.key.prefix, &digest);
    guard.claim = if let ChargeDecision::Charge(claim) = decision { Some(claim) } else { None };
    let options = Options {
        format: Some(format),
        is_paid: decision == ChargeDecision::AlreadyCharged,
        permit: Some(permit),
    };
    let delivery = Delivery::of_format(format, ApiKind::ClipUrl);
    let spoken = speak_with(app, &caller, voice, &request, delivery, arrived, options).await;
    let rendering = Arc::clone(&guard.rendering);
    let mut body = match spoken {
        Ok(Spoken { body, voice, language, engine, chars, first_audio }) => {
            let (voice, language) = (voice.to_string(), language.code().to_owned());
            let facts = Facts { voice, language, engine, chars, samples: 0 };
            rendering.open(Ok(Opening { facts, first_audio }));
            body
        }
        Err(error) => {
            rendering.open(Err(error));
            return;
        }
    };
    let is_whole = drain(&mut body, &rendering).await;
    drop(body);
    // the cache may still be writing the file; until it is complete, a request renders the clip again without a new
    // charge
    guard.finish(is_whole);
}

/// Appends all bytes of a clip to its rendering. Returns whether the clip is complete.
async fn drain(body: &mut SpokenBody, rendering: &Rendering) -> bool {
    loop {
        match poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await {
            Some(Ok(frame)) => {
                if let Ok(bytes) = frame.into_data() {
                    rendering.append(bytes);
                }
            }
            Some(Err(_)) => return false,
            None => return true,
        }
    }
}
