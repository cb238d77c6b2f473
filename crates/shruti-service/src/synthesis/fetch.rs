//! Signed-URL clips: from the cache or rendered, whole or in part.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::HeaderMap;
use shruti_audio::Format;
use shruti_lang::{Language, VoiceId};
use shruti_protocol::{ApiError, SynthesisRequest};
use shruti_store::{KeyPrefix, KeyRecord};
use tokio::time::timeout;

use super::cached_body::CachedBody;
use super::identity::Identity;
use super::lexicon;
use super::render::{RenderRequest, get_or_start};
use super::speak::{began, find};
use super::writer::AbortReason;
use crate::app::App;
use crate::auth::Caller;
use crate::clips::range::{self, RequestedRange};
use crate::clips::{CachedClip, ChargeDecision, ClipDigest, Facts, Opening};
use crate::http::errors::internal;
use crate::limits::StreamPermit;
use crate::metering::Charge;
use crate::metrics::ApiKind;

/// A request for a signed-URL clip whose signature has been verified.
pub struct ClipRequest {
    /// Caller that signed the URL.
    pub caller: Caller,
    /// Voice.
    pub voice: VoiceId,
    /// Synthesis request; its format is ignored.
    pub request: SynthesisRequest,
    /// Format.
    pub format: Format,
    /// Whether only the head of the response is requested.
    pub is_head: bool,
    /// Time at which the request arrived.
    pub arrived: Duration,
}

/// Result of a request for a signed-URL clip.
pub struct Fetched {
    /// Entity tag; `None` for voices that are not deterministic.
    pub etag: Option<String>,
    /// Metadata of the clip; `None` if it has not been rendered.
    pub facts: Option<Facts>,
    /// Time from the request to the first audible sample; `None` if there is no audio.
    pub first_audio: Option<Duration>,
    /// Response.
    pub answer: FetchedAnswer,
}

/// Response to a request for a signed-URL clip.
pub enum FetchedAnswer {
    /// The client's copy is current: `304`.
    NotModified,
    /// The whole clip, with its length if known: `200`.
    Whole(Body, Option<u64>),
    /// A part of the clip, with its first and last byte (inclusive) and the length of the clip: `206`.
    Part(Body, u64, u64, u64),
    /// The range contains no byte of the clip, whose length is given: `416`.
    RangeNotSatisfiable(u64),
}

/// Fetches a signed-URL clip according to the headers of its request.
///
/// A cached clip is read from the cache. A clip that is not cached is rendered once for all concurrent requests of a
/// key. The rendering completes even if all clients disconnect. A `HEAD` request renders nothing.
pub async fn fetch(
    app: Arc<App>,
    clip_request: ClipRequest,
    headers: &HeaderMap,
) -> Result<Fetched, ApiError> {
    let ClipRequest { caller, voice, request, format, is_head, arrived } = clip_request;
    let cache = app.config.clips.cache.clone();
    let lexicon = lexicon(&request.lexicon, &app.lexicon_of_key(&caller.key).await?)?;
    let is_shared = cache.as_ref().is_some_and(|cache| cache.is_shared());
    let identity = Identity::of(&app.engine, &caller.key, is_shared, &voice, &request, format, &lexicon);
    let digest = identity.digest;
    let etag = identity.is_repeatable().then(|| digest.etag());
    if let Some(etag) = &etag
        && range::is_not_modified(headers, etag)
    {
        let answer = FetchedAnswer::NotModified;
        return Ok(Fetched { etag: Some(etag.clone()), facts: None, first_audio: None, answer });
    }
    let permit = Arc::new(app.streams.admit(&caller.key)?);
    let found = match &cache {
        Some(cache) => find(cache, &identity).await,
        None => None,
    };
    let requested_range = |length: u64| range::requested_range(headers, length, etag.as_deref());
    if let Some(clip) = found {
        let (facts, requested_range) =
            (clip.facts.clone(), if is_head { RequestedRange::Whole } else { requested_range(clip.length) });
        if is_head {
            let answer = FetchedAnswer::Whole(Body::empty(), Some(clip.length));
            return Ok(Fetched { etag, facts: Some(facts), first_audio: None, answer });
        }
        let answer = if requested_range == RequestedRange::Unsatisfiable {
            FetchedAnswer::RangeNotSatisfiable(clip.length)
        } else {
            app.charge(&caller, &digest, &facts).await?;
            read(clip, requested_range, permit)?
        };
        let first_audio =
            Some(began(&app, ApiKind::ClipUrl, arrived, caller.origin.trace().map(|trace| &**trace)));
        return Ok(Fetched { etag, facts: Some(facts), first_audio, answer });
    }
    if is_head {
        // a stream of unknown length, because the length of an empty body would be reported as that of the clip
        let unknown = futures_util::stream::empty::<Result<Bytes, AbortReason>>();
        let answer = FetchedAnswer::Whole(Body::from_stream(unknown), None);
        return Ok(Fetched { etag, facts: None, first_audio: None, answer });
    }
    let wish_permit = Arc::clone(&permit);
    let (key, charged) = (Arc::clone(&caller.key), caller);
    let render_request = RenderRequest {
        app: Arc::clone(&app),
        caller: charged,
        voice,
        request,
        format,
        digest,
        permit: wish_permit,
        arrived,
    };
    let (rendering, is_new) = get_or_start(render_request)?;
    let Opening { facts, first_audio } = rendering.opened().await?;
    if !is_new && app.config.clips.charges_each_time {
        app.charge_key(&key, &facts, false).await?;
    }
    // a range needs the length of the whole clip; without a range, audio is sent while the rest is rendered
    let answer = if range::has_range(headers) {
        let length = rendering.ended().await.map_err(|_| internal())?;
        match requested_range(length) {
            RequestedRange::Unsatisfiable => FetchedAnswer::RangeNotSatisfiable(length),
            RequestedRange::Whole => {
                FetchedAnswer::Whole(Body::from_stream(rendering.read(0, length, permit)), Some(length))
            }
            RequestedRange::Part { first, last } => {
                let body = Body::from_stream(rendering.read(first, last - first + 1, permit));
                FetchedAnswer::Part(body, first, last, length)
            }
        }
    } else {
        // a clip that is rendered quickly gets a length, which caches need to serve ranges
        let ended = timeout(app.config.timeouts.whole_clip, rendering.ended()).await;
        let length = ended.ok().and_then(Result::ok);
        FetchedAnswer::Whole(Body::from_stream(rendering.read(0, u64::MAX, permit)), length)
    };
    Ok(Fetched { etag, facts: Some(facts), first_audio: Some(first_audio), answer })
}

fn read(
    clip: CachedClip,
    requested_range: RequestedRange,
    permit: Arc<StreamPermit>,
) -> Result<FetchedAnswer, ApiError> {
    let all = clip.length;
    let (first, length) = match requested_range {
        RequestedRange::Part { first, last } => (first, last - first + 1),
        RequestedRange::Whole | RequestedRange::Unsatisfiable => (0, all),
    };
    let body = CachedBody::part(clip, first, length, permit).map_err(|error| {
        tracing::error!(%error, "a cached clip could not be read");
        internal()
    })?;
    let body = Body::new(body);
    Ok(match requested_range {
        RequestedRange::Part { first, last } => FetchedAnswer::Part(body, first, last, all),
        RequestedRange::Whole | RequestedRange::Unsatisfiable => FetchedAnswer::Whole(body, Some(all)),
    })
}

impl App {
    /// Decides whether a request for a signed-URL clip is charged.
    pub(crate) fn charge_decision(&self, key: &KeyPrefix, clip: &ClipDigest) -> ChargeDecision {
        if self.config.clips.charges_each_time {
            return ChargeDecision::ChargeEachTime;
        }
        self.config.clips.ledger.claim(key, clip, self.clock.now().wall_ms)
    }

    /// Counts a request for a cached clip. Charges the clip if [`charge_decision`](Self::charge_decision) requires it.
    async fn charge(&self, caller: &Caller, clip: &ClipDigest, facts: &Facts) -> Result<(), ApiError> {
        let decision = self.charge_decision(&caller.key.prefix, clip);
        let charged = self.charge_key(&caller.key, facts, decision == ChargeDecision::AlreadyCharged).await;
        if let ChargeDecision::Charge(claim) = decision {
            let ledger = &self.config.clips.ledger;
            if charged.is_ok() { ledger.confirm(claim) } else { ledger.release(claim) }
        }
        charged
    }

    async fn charge_key(&self, key: &Arc<KeyRecord>, facts: &Facts, is_paid: bool) -> Result<(), ApiError> {
        let mut charge =
            Charge::new(Arc::clone(&self.metering), Arc::clone(key), ApiKind::ClipUrl).paid(is_paid);
        charge.cover(facts.chars).await?;
        // always parses: the file was written by this program
        if let Ok(language) = facts.language.parse::<Language>() {
            charge.begins(&VoiceId::from(facts.voice.as_str()), language);
            charge.sent(facts.chars, facts.samples as usize);
        }
        Ok(())
    }
}
