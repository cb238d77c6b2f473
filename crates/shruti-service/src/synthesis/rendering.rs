//! Signed-URL clips that are being rendered, once for all concurrent requests.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use http_body::Body;
use shruti_audio::Format;
use shruti_lang::VoiceId;
use shruti_protocol::{ApiError, SynthesisRequest};
use shruti_store::KeyPrefix;
use tokio::sync::watch;

use super::body::AbortReason;
use super::speak::{Delivery, Options, Spoken, SpokenBody, speak_with};
use crate::app::App;
use crate::auth::Caller;
use crate::clips::{ChargeDecision, Claim, ClipDigest, Facts};
use crate::http::errors::{internal, overloaded};
use crate::limits::StreamPermit;
use crate::metrics::ApiKind;

/// Maximum number of bytes in all renderings and their readers; above it, no new rendering starts.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Renderings in progress, by clip and by the key that pays.
#[derive(Default)]
pub(crate) struct Renderings {
    running: Mutex<HashMap<(ClipDigest, KeyPrefix), Arc<Rendering>>>,
    bytes: Arc<AtomicU64>,
}

/// A clip that is being rendered or has been rendered. It continues without readers and stores all of its bytes for
/// them.
pub(crate) struct Rendering {
    state: Mutex<State>,
    changed: watch::Sender<()>,
    /// Number of bytes in all renderings.
    bytes: Arc<AtomicU64>,
}

#[derive(Default)]
struct State {
    opening: Option<Result<Opening, ApiError>>,
    chunks: Vec<Bytes>,
    /// Whether the rendering succeeded; `None` until it ends.
    is_whole: Option<bool>,
}

/// Properties of a clip that are known when its audio starts.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// Metadata of the clip, without the number of samples.
    pub(crate) facts: Facts,
    /// Time from the last byte of the first request to the first audible sample.
    pub(crate) first_audio: Duration,
}

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

impl Renderings {
    /// Returns the rendering of a clip for a key, and whether it is new. A rendering in progress is shared.
    pub(crate) fn get_or_start(
        &self,
        render_request: RenderRequest,
    ) -> Result<(Arc<Rendering>, bool), ApiError> {
        let name = (render_request.digest, render_request.caller.key.prefix.clone());
        let mut running = self.running();
        if let Some(rendering) = running.get(&name) {
            return Ok((Arc::clone(rendering), false));
        }
        if self.bytes.load(Ordering::Relaxed) > MAX_BYTES {
            return Err(overloaded(Duration::from_secs(1)));
        }
        let (changed, _) = watch::channel(());
        let bytes = Arc::clone(&self.bytes);
        let rendering = Arc::new(Rendering { state: Mutex::default(), changed, bytes });
        running.insert(name.clone(), Arc::clone(&rendering));
        drop(running);
        let guard = RenderGuard {
            app: Arc::clone(&render_request.app),
            name,
            rendering: Arc::clone(&rendering),
            claim: None,
        };
        tokio::spawn(render(render_request, guard));
        Ok((rendering, true))
    }

    fn running(&self) -> MutexGuard<'_, HashMap<(ClipDigest, KeyPrefix), Arc<Rendering>>> {
        // each insertion or removal is atomic
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Guard that ends a rendering when it is dropped.
struct RenderGuard {
    app: Arc<App>,
    name: (ClipDigest, KeyPrefix),
    rendering: Arc<Rendering>,
    /// Claim that is kept on success and given up on failure.
    claim: Option<Claim>,
}

impl RenderGuard {
    fn finish(&mut self, is_whole: bool) {
        self.app.renderings.running().remove(&self.name);
        if let Some(claim) = self.claim.take() {
            let ledger = &self.app.config.clips.ledger;
            if is_whole { ledger.confirm(claim) } else { ledger.release(claim) }
        }
        self.rendering.change(|state| {
            state.is_whole.get_or_insert(is_whole);
            state.opening.get_or_insert_with(|| Err(internal()));
        });
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
            rendering.change(|state| state.opening = Some(Ok(Opening { facts, first_audio })));
            body
        }
        Err(error) => {
            rendering.change(|state| state.opening = Some(Err(error)));
            return;
        }
    };
    let is_whole = drain(&mut body, &rendering).await;
    drop(body);
    // the file is still being written: a request before it is complete renders the clip again without a new charge
    guard.finish(is_whole);
}

/// Reads a clip to its end. Returns whether it is complete.
async fn drain(body: &mut SpokenBody, rendering: &Rendering) -> bool {
    loop {
        match poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await {
            Some(Ok(frame)) => {
                if let Ok(bytes) = frame.into_data() {
                    rendering.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                    rendering.change(|state| state.chunks.push(bytes));
                }
            }
            Some(Err(_)) => return false,
            None => return true,
        }
    }
}

impl Rendering {
    fn state(&self) -> MutexGuard<'_, State> {
        // each change is a single assignment or push
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.send_replace(());
    }

    /// Waits until `known` returns a value.
    async fn wait<T>(&self, known: impl Fn(&State) -> Option<T>) -> T {
        let mut changes = self.changed.subscribe();
        loop {
            changes.borrow_and_update();
            if let Some(known) = known(&self.state()) {
                return known;
            }
            if changes.changed().await.is_err() {
                // cannot happen: this rendering owns the sender
                std::future::pending::<()>().await;
            }
        }
    }

    /// Waits for the first audio, or returns the error that prevents it.
    pub(crate) async fn opened(&self) -> Result<Opening, ApiError> {
        self.wait(|state| state.opening.clone()).await
    }

    /// Waits for the end. Returns the length of the clip, or an error if it was aborted.
    pub(crate) async fn ended(&self) -> Result<u64, AbortReason> {
        let length = |state: &State| state.chunks.iter().map(|chunk| chunk.len() as u64).sum();
        self.wait(|state| state.is_whole.map(|is_whole| is_whole.then(|| length(state))))
            .await
            .ok_or(AbortReason::Fault)
    }

    /// Streams up to `length` bytes, starting at `first`, as they are rendered.
    pub(crate) fn read(
        self: Arc<Self>,
        first: u64,
        length: u64,
        permit: Arc<StreamPermit>,
    ) -> impl Stream<Item = Result<Bytes, AbortReason>> + Send + 'static {
        unfold((self, permit, 0, first, length), async |(rendering, permit, at, mut skip, mut left)| {
            if left == 0 {
                return None;
            }
            let next = rendering.wait(|state| {
                let chunk = state.chunks.get(at).cloned().map(Ok);
                let end = || {
                    state
                        .is_whole
                        .map(|is_whole| if is_whole { Err(None) } else { Err(Some(AbortReason::Fault)) })
                };
                chunk.or_else(end)
            });
            match next.await {
                Ok(mut chunk) => {
                    let skipped = chunk.split_to(skip.min(chunk.len() as u64) as usize);
                    skip -= skipped.len() as u64;
                    chunk.truncate(left.min(chunk.len() as u64) as usize);
                    left -= chunk.len() as u64;
                    Some((Ok(chunk), (rendering, permit, at + 1, skip, left)))
                }
                Err(None) => None,
                Err(Some(broken)) => Some((Err(broken), (rendering, permit, at, skip, 0))),
            }
        })
    }
}

impl Drop for Rendering {
    fn drop(&mut self) {
        let held = self.state().chunks.iter().map(|chunk| chunk.len() as u64).sum();
        self.bytes.fetch_sub(held, Ordering::Relaxed);
    }
}
