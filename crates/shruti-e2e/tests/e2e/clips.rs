//! Tests of `GET /v1/clips`: signed URLs, the cache of rendered clips, and its use by `POST /v1/tts`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use http::{HeaderName, Method, StatusCode, header};
use serde_json::json;
use shruti_clock::{Clock, SystemClock};
use shruti_protocol::ErrorCode;
use shruti_service::clips::url::{ClipUrl, MAX_LIFE_S, SigningSecret};
use shruti_service::clips::{CacheLimits, ClipCache};
use shruti_store::{Actor, CreatedKey, KeySpec, SecretKey};
use shruti_testkit::{Client, Reply, TestClock, TestServer};

use crate::metering::usage;

const TEXT: &str = "आपका ऑर्डर भेज दिया गया है।";

/// Opens a cache in a temporary folder. The folder is removed when the returned `TempDir` is dropped.
pub(crate) fn open_cache() -> (Arc<ClipCache>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let limits = CacheLimits { bytes: 10_000_000, clips: 100 };
    (Arc::new(ClipCache::open(folder.path(), limits).unwrap()), folder)
}

/// Starts a server with a cache in a temporary folder. The folder is removed when the returned `TempDir` is
/// dropped.
async fn with_cache() -> (TestServer, Arc<ClipCache>, tempfile::TempDir) {
    let (cache, folder) = open_cache();
    let in_server = Arc::clone(&cache);
    let server = TestServer::builder().config(|config| config.clips.cache = Some(in_server)).start().await;
    (server, cache, folder)
}

fn now_s() -> i64 {
    SystemClock::new().now().wall_ms / 1_000
}

/// Returns the parts of a clip URL for a text. By default, the URL expires after a minute. `others` adds or replaces
/// parameters.
fn url(key: &str, text: &str, others: &[(&str, &str)]) -> ClipUrl {
    let expires = (now_s() + 60).to_string();
    let own = [("text", text), ("expires", &expires), ("key", &key[..11])];
    let parameters = own.into_iter().chain(others.iter().copied());
    ClipUrl {
        voice: "Ananya".to_owned(),
        language: "hi".to_owned(),
        parameters: parameters.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
    }
}

fn sign(key: &str, url: &ClipUrl) -> String {
    url.sign(&SigningSecret::of(&SecretKey::parse(key).unwrap().hash()))
}

fn signed(key: &str, text: &str, others: &[(&str, &str)]) -> String {
    sign(key, &url(key, text, others))
}

async fn ask(client: &Client, method: Method, path: &str, headers: &[(HeaderName, &str)]) -> Reply {
    let mut request = client.with_key(None).request(method, path, Bytes::new());
    for (name, value) in headers {
        request.headers_mut().insert(name.clone(), value.parse().unwrap());
    }
    client.send(request).await
}

async fn get(client: &Client, path: &str) -> Reply {
    ask(client, Method::GET, path, &[]).await
}

/// Waits until the cache contains `clips` clips. The server stores a clip only after it has sent the response.
pub(crate) async fn until_kept(cache: &ClipCache, clips: usize) {
    let begun = std::time::Instant::now();
    while cache.stats().clips < clips {
        assert!(begun.elapsed() < shruti_testkit::server::PATIENCE, "{:?}", cache.stats());
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_signed_url_is_rendered_once_and_then_cached() {
    let (server, cache, _folder) = with_cache().await;
    let client = server.client();
    for (number, (format, content_type)) in
        [("", "audio/mpeg"), ("wav_8000", "audio/wav"), ("pcm", "audio/L16; rate=24000; channels=1")]
            .into_iter()
            .enumerate()
    {
        let others = [("format", format)];
        let path = signed(&server.key, TEXT, if format.is_empty() { &[] } else { &others });
        let head = ask(&client, Method::HEAD, &path, &[]).await;
        assert_eq!((head.status, head.header("content-length")), (StatusCode::OK, ""), "not rendered yet");
        let first = get(&client, &path).await;
        assert_eq!((first.status, first.header("content-type")), (StatusCode::OK, content_type));
        assert_eq!(first.header("x-tts-voice"), "Ananya");
        until_kept(&cache, number + 1).await;
        let again = get(&client, &path).await;
        assert_eq!(again.header("content-length"), again.body.len().to_string());
        assert_eq!(again.header("etag"), first.header("etag"));
        assert_eq!(again.body.len(), first.body.len());
        // the header of a WAV file may contain its length only in the second response
        let header = if format.starts_with("wav") { 60 } else { 0 };
        assert!(again.body[header..] == first.body[header..]);
        let head = ask(&client, Method::HEAD, &path, &[]).await;
        assert_eq!(head.header("content-length"), again.body.len().to_string());
        assert!(head.body.is_empty());
        let control = again.header("cache-control");
        let age: i64 = control
            .strip_prefix("public, max-age=")
            .unwrap()
            .strip_suffix(", immutable")
            .unwrap()
            .parse()
            .unwrap();
        assert!((1..=60).contains(&age), "{control}");
        let had = ask(&client, Method::GET, &path, &[(header::IF_NONE_MATCH, again.header("etag"))]).await;
        assert_eq!((had.status, had.body.len()), (StatusCode::NOT_MODIFIED, 0));
    }
    assert_eq!(cache.stats().hits, 6);
}

#[tokio::test]
async fn ranges_match_the_bytes_of_the_whole_clip() {
    let (server, cache, _folder) = with_cache().await;
    let client = server.client();
    let path = signed(&server.key, TEXT, &[]);
    let part = async |range: &str| ask(&client, Method::GET, &path, &[(header::RANGE, range)]).await;
    let rendered = part("bytes=100-199").await;
    until_kept(&cache, 1).await;
    let expected = get(&client, &path).await.body;
    let length = expected.len();
    assert_eq!(rendered.status, StatusCode::PARTIAL_CONTENT);
    assert_eq!(rendered.body, expected[100..200]);
    assert_eq!(rendered.header("content-range"), format!("bytes 100-199/{length}"));
    for (range, first, end) in [
        ("bytes=0-0".to_owned(), 0, 1),
        ("bytes=5-".to_owned(), 5, length),
        ("bytes=-7".to_owned(), length - 7, length),
        (format!("bytes={}-99999999999999999999", length - 1), length - 1, length),
    ] {
        let reply = part(&range).await;
        assert_eq!(reply.status, StatusCode::PARTIAL_CONTENT, "{range}");
        assert!(reply.body == expected[first..end], "{range}");
        assert_eq!(reply.header("content-length"), (end - first).to_string());
    }
    for range in [format!("bytes={length}-"), "bytes=-0".to_owned()] {
        let reply = part(&range).await;
        reply.assert_error(ErrorCode::RangeNotSatisfiable);
        assert_eq!(reply.header("content-range"), format!("bytes */{length}"));
    }
    for range in ["bytes=0-0,2-2", "bytes=9-1", "lines=1-2"] {
        let reply = part(range).await;
        assert_eq!((reply.status, reply.body.len()), (StatusCode::OK, length), "{range}");
    }
}

#[tokio::test]
async fn urls_without_a_valid_signature_get_the_same_error() {
    let server = TestServer::start().await;
    let client = server.client();
    let path = signed(&server.key, TEXT, &[]);
    let other = server.create_key(KeySpec::named("other")).await;
    let other = other.secret.reveal();
    let unknown = format!("sk_{}", "0".repeat(40));
    let mut of_other = url(&server.key, TEXT, &[]);
    of_other.parameters.insert("key".to_owned(), other[..11].to_owned());
    let mut messages = std::collections::BTreeSet::new();
    for forged in [
        path.replace("/Ananya/", "/Arjun/"),
        path.replace("/hi?", "/mr?"),
        path.replace("text=", "text=%20"),
        format!("{path}&speed=1.5"),
        path.replace("&sig=", "&sig=A"),
        sign(&server.key, &of_other),
        sign(other, &url(&server.key, TEXT, &[])),
        signed(&unknown, TEXT, &[]),
        // an expired URL with a wrong signature gets the same error, which does not reveal that the URL has expired
        signed(&unknown, TEXT, &[("expires", "1")]),
    ] {
        let reply = get(&client, &forged).await;
        let error = reply.assert_error(ErrorCode::InvalidSignature);
        messages.insert(error["message"].as_str().unwrap().to_owned());
    }
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!(server.engine.stats().completed, 0);
    assert_eq!(get(&client, &path).await.status, StatusCode::OK);
}

#[tokio::test]
async fn invalid_urls_get_specific_errors() {
    let server = TestServer::start().await;
    let client = server.client();
    let key = server.key.as_str();
    let far = (now_s() + MAX_LIFE_S + 100).to_string();
    let long = "क".repeat(1_001);
    for (path, code, param) in [
        (signed(key, TEXT, &[("expires", "1")]), ErrorCode::ExpiredUrl, None),
        (signed(key, TEXT, &[("expires", &far)]), ErrorCode::InvalidField, Some("expires")),
        (signed(key, TEXT, &[("expires", "soon")]), ErrorCode::InvalidField, Some("expires")),
        (signed(key, TEXT, &[("key", key)]), ErrorCode::InvalidApiKey, Some("key")),
        (signed(key, TEXT, &[("speed", "3")]), ErrorCode::InvalidField, Some("speed")),
        (signed(key, TEXT, &[("speed", "1e0")]), ErrorCode::InvalidField, Some("speed")),
        (signed(key, TEXT, &[("format", "flac")]), ErrorCode::InvalidField, Some("format")),
        (signed(key, TEXT, &[("engine", "best")]), ErrorCode::InvalidField, Some("engine")),
        (signed(key, " ", &[]), ErrorCode::EmptyText, Some("text")),
        (signed(key, "🙏", &[]), ErrorCode::EmptyText, Some("text")),
        (signed(key, &long, &[]), ErrorCode::TextTooLong, Some("text")),
        (signed(key, TEXT, &[]).replace("/Ananya/", "/Ananya%2F../"), ErrorCode::InvalidSignature, None),
        (format!("{}&callback=x", signed(key, TEXT, &[])), ErrorCode::InvalidField, Some("callback")),
        (format!("{}&text=x", signed(key, TEXT, &[])), ErrorCode::InvalidField, Some("text")),
        ("/v1/clips/Ananya/hi".to_owned(), ErrorCode::MissingField, Some("text")),
    ] {
        let error = get(&client, &path).await.assert_error(code);
        assert_eq!(error["param"].as_str(), param, "{path}");
        assert!(!error["message"].as_str().unwrap().contains(key), "{path}");
    }
    let mut other = url(key, TEXT, &[]);
    other.voice = "Anita".to_owned();
    get(&client, &sign(key, &other)).await.assert_error(ErrorCode::UnknownVoice);
    other = url(key, TEXT, &[]);
    other.language = "xx".to_owned();
    get(&client, &sign(key, &other)).await.assert_error(ErrorCode::UnsupportedLanguage);
}

#[tokio::test]
async fn a_url_is_invalid_after_its_key_is_revoked_or_loses_the_scope() {
    let clock = Arc::new(TestClock::new());
    let server = TestServer::builder().clock(Arc::clone(&clock) as _).start().await;
    let client = server.client();
    let of = |made: &CreatedKey| {
        let key = made.secret.reveal();
        let expires = (clock.now().wall_ms / 1_000 + 60).to_string();
        signed(key, TEXT, &[("expires", &expires)])
    };
    let made = server.create_key(KeySpec::named("short")).await;
    let path = of(&made);
    assert_eq!(get(&client, &path).await.status, StatusCode::OK);
    server.store.revoke_key(Actor::Operator, made.record.prefix, 1).await.unwrap();
    // a change of a key takes effect after at most this time
    clock.advance(Duration::from_secs(2));
    get(&client, &path).await.assert_error(ErrorCode::RevokedApiKey);
    let scopes = vec![shruti_store::Scope::UsageRead];
    let reader = server.create_key(KeySpec { scopes, ..KeySpec::named("reader") }).await;
    get(&client, &of(&reader)).await.assert_error(ErrorCode::InsufficientScope);
}

#[tokio::test]
async fn a_clip_is_charged_once_per_key_and_month() {
    let (server, cache, _folder) = with_cache().await;
    let account = server.create_account("asha@example.org", 1_000).await;
    let key = server.create_key_of(&account, KeySpec::named("ivr")).await;
    let client = server.client().with_key(Some(key.secret.reveal()));
    let path = signed(key.secret.reveal(), TEXT, &[]);
    let chars = TEXT.chars().count() as u64;
    // the clip is charged only once for concurrent requests, a later request and a range request
    let together = join_all((0..5).map(|_| get(&client, &path))).await;
    assert!(together.iter().all(|reply| reply.status == StatusCode::OK && reply.body == together[0].body));
    until_kept(&cache, 1).await;
    get(&client, &path).await;
    ask(&client, Method::GET, &path, &[(header::RANGE, "bytes=0-9")]).await;
    assert_eq!(server.engine.stats().completed, 1, "rendered once");
    let reported = usage(&client).await;
    assert_eq!((reported.total.chars, reported.allowance.unwrap().used), (chars, chars));
    // another key of the account can get the clip and is charged for it
    let other = server.create_key_of(&account, KeySpec::named("other")).await;
    let path = signed(other.secret.reveal(), TEXT, &[]);
    assert!(get(&client, &path).await.body == together[0].body);
    assert_eq!(server.engine.stats().completed, 1);
    let other = server.client().with_key(Some(other.secret.reveal()));
    assert_eq!(usage(&other).await.total.chars, chars);
}

#[tokio::test]
async fn cached_clips_also_need_allowance() {
    let (server, cache, _folder) = with_cache().await;
    let account = server.create_account("asha@example.org", 1_000).await;
    let rich = server.create_key_of(&account, KeySpec::named("rich")).await;
    let spec = KeySpec { monthly_cap: Some(5), ..KeySpec::named("poor") };
    let poor = server.create_key_of(&account, spec).await;
    let client = server.client();
    get(&client, &signed(rich.secret.reveal(), TEXT, &[])).await;
    until_kept(&cache, 1).await;
    for _ in 0..2 {
        let refused = get(&client, &signed(poor.secret.reveal(), TEXT, &[])).await;
        refused.assert_error(ErrorCode::QuotaExhausted);
    }
}

#[tokio::test]
async fn operators_can_charge_each_request_and_disable_urls() {
    let charging = TestServer::builder().config(|config| config.clips.charges_each_time = true).start().await;
    let client = charging.client();
    for _ in 0..2 {
        assert_eq!(get(&client, &signed(&charging.key, TEXT, &[])).await.status, StatusCode::OK);
    }
    assert_eq!(usage(&client).await.total.chars, 2 * TEXT.chars().count() as u64);
    let off = TestServer::builder().config(|config| config.clips.has_urls = false).start().await;
    get(&off.client(), &signed(&off.key, TEXT, &[])).await.assert_error(ErrorCode::NotFound);
}

#[tokio::test]
async fn a_cached_clip_is_identical_and_needs_no_synthesis() {
    let (server, cache, _folder) = with_cache().await;
    let account = server.create_account("asha@example.org", 10_000).await;
    let key = server.create_key_of(&account, KeySpec::named("a")).await;
    let client = server.client().with_key(Some(key.secret.reveal()));
    let body = json!({"text": TEXT, "language": "hi", "speed": 1.1});
    let first = client.post(body.to_string()).await;
    until_kept(&cache, 1).await;
    assert_eq!(server.engine.stats().completed, 1);
    let again = client.post(body.to_string()).await;
    assert!(again.audio() == first.audio());
    for name in ["content-type", "x-tts-voice", "x-tts-language", "x-tts-engine", "x-tts-chars"] {
        assert_eq!(again.header(name), first.header(name), "{name}");
    }
    assert_eq!((server.engine.stats().completed, cache.stats().hits), (1, 1));
    let reported = usage(&client).await.total;
    assert_eq!(
        (reported.chars, reported.requests),
        (2 * TEXT.chars().count() as u64, 2),
        "charged as before"
    );
    // a change of any parameter that affects the audio creates a different clip
    let others = [
        ("voice", json!("Arjun")),
        ("language", json!("mr")),
        ("speed", json!(1.2)),
        ("pitch", json!(1)),
        ("clarity", json!("phone")),
        ("lexicon", json!({"ऑर्डर": "सामान"})),
        ("output_format", json!("pcm_16000")),
        ("text", json!("आपका ऑर्डर भेज दिया गया है!")),
    ];
    for (number, (name, value)) in others.into_iter().enumerate() {
        let mut other = body.clone();
        other[name] = value;
        let reply = client.post(other.to_string()).await;
        assert!(reply.body != first.body, "{name}");
        until_kept(&cache, number + 2).await;
    }
    assert_eq!(cache.stats().hits, 1);
    // a different account also has its own clip
    let stranger = server.create_account("ravi@example.org", 10_000).await;
    let key = server.create_key_of(&stranger, KeySpec::named("b")).await;
    let client = server.client().with_key(Some(key.secret.reveal()));
    assert!(client.post(body.to_string()).await.audio() == first.audio());
    assert_eq!(cache.stats().hits, 1);
}

#[tokio::test]
async fn operators_can_share_clips_between_accounts() {
    let folder = tempfile::tempdir().unwrap();
    let limits = CacheLimits { bytes: 10_000_000, clips: 100 };
    let cache = Arc::new(ClipCache::open(folder.path(), limits).unwrap().shared(true));
    let in_server = Arc::clone(&cache);
    let server = TestServer::builder().config(|config| config.clips.cache = Some(in_server)).start().await;
    let mut sounds = BTreeMap::new();
    for email in ["asha@example.org", "ravi@example.org"] {
        let account = server.create_account(email, 1_000).await;
        let key = server.create_key_of(&account, KeySpec::named("a")).await;
        let client = server.client().with_key(Some(key.secret.reveal()));
        sounds.insert(email, client.post(json!({"text": TEXT}).to_string()).await.body);
        until_kept(&cache, 1).await;
        assert_eq!(usage(&client).await.total.chars, TEXT.chars().count() as u64);
    }
    assert_eq!((cache.stats().clips, cache.stats().hits), (1, 1));
    assert!(sounds["asha@example.org"] == sounds["ravi@example.org"]);
}

#[tokio::test]
async fn a_damaged_file_is_rendered_again() {
    let (server, cache, folder) = with_cache().await;
    let client = server.client();
    let path = signed(&server.key, TEXT, &[]);
    let first = get(&client, &path).await.body;
    until_kept(&cache, 1).await;
    let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    std::fs::write(&file, bytes).unwrap();
    assert!(get(&client, &path).await.body == first);
    assert_eq!(cache.stats().corrupt, 1);
    let metrics = client.get("/metrics").await;
    let text = String::from_utf8_lossy(&metrics.body).into_owned();
    assert!(text.contains("shruti_clip_cache_corrupt_total 1"), "{text}");
}
