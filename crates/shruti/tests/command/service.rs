//! Tests of the real binary: first start, key management while the server runs, graceful shutdown.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::process::{SHRUTI, Service, now_ms};
use http::{HeaderMap, Method};
use serde_json::json;
use shruti_protocol::ErrorCode;
use shruti_store::{LinkSecret, SessionStore, SqliteStore};
use shruti_testkit::server::PATIENCE;
use shruti_testkit::{Client, RawConnection, Reply, raw};

fn keys(data_dir: &Path, arguments: &[&str]) -> Output {
    Command::new(SHRUTI).arg("keys").args(arguments).arg("--data-dir").arg(data_dir).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test]
async fn only_the_first_start_prints_a_key_and_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let mut service = Service::start(&data_dir);
    let (key, link) = (service.printed(), service.printed());
    let letters = key.strip_prefix("sk_").unwrap();
    assert!(letters.len() >= 27 && letters.chars().all(|c| c.is_ascii_alphanumeric()), "at least 160 bits");
    let client = Client::new(service.address, &key);
    client.speak(&json!({"text": "नमस्ते, आप कैसे हैं?"})).await.assert_speech("the first request");
    let base = format!("http://localhost:{}/studio/link#", service.address.port());
    let link = LinkSecret::parse(link.strip_prefix(&base).expect(&link)).unwrap();
    let store = SqliteStore::open(&data_dir).unwrap();
    let session = store.use_sign_in_link(link.hash(), now_ms()).await.unwrap().expect("the link signs in");
    assert!(session.session.account.is_operator);
    service.signal("-TERM");
    assert_eq!(service.end(), (String::new(), Some(0)), "nothing else on standard output");

    let again = Service::start(&data_dir);
    let client = Client::new(again.address, &key);
    client.speak(&json!({"text": "hello again"})).await.assert_speech("the same key");
    again.signal("-INT");
    assert_eq!(again.end(), (String::new(), Some(0)));
}

#[tokio::test]
async fn keys_are_created_and_revoked_while_a_server_runs() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path());
    let pages = ["--origin", "https://b.example", "--origin", "http://localhost:3000"];
    let other = keys(folder.path(), &[&["create", "--name", "pages"][..], &pages[..]].concat());
    assert!(other.status.success(), "{other:?}");
    let made = keys(folder.path(), &["create", "--name", "website", "--rate", "5", "--expires", "30d"]);
    let key = text(&made.stdout).trim_end().to_owned();
    assert!(made.status.success() && key.starts_with("sk_") && !key.contains('\n'), "{made:?}");
    let client = Client::new(service.address, &key);
    let reply = client.post(r#"{"text":"hello"}"#).await;
    assert_eq!((reply.status.as_u16(), reply.header("ratelimit-limit")), (200, "10"), "works at once");

    let listed = text(&keys(folder.path(), &["list"]).stdout);
    let line = listed.lines().find(|line| line.ends_with("website")).unwrap();
    assert!(line.starts_with(&key[..11]) && line.contains("valid") && line.contains("5/10/-"), "{line}");
    assert!(!listed.contains(&key), "a key is shown once");
    let line = listed.lines().find(|line| line.ends_with("pages")).unwrap();
    assert!(line.contains("  http://localhost:3000,https://b.example  "), "{line}");

    assert!(keys(folder.path(), &["revoke", &key[..11]]).status.success());
    let revoked = std::time::Instant::now();
    loop {
        let elapsed = revoked.elapsed();
        let reply = client.post("{}").await;
        if reply.status.as_u16() == 401 {
            reply.assert_error(ErrorCode::RevokedApiKey);
            break;
        }
        // the server must refuse the key within two seconds
        assert!(elapsed.as_millis() < 2_000, "the key still works");
    }
    assert!(text(&keys(folder.path(), &["list"]).stdout).contains("revoked"));
    service.signal("-TERM");
    assert_eq!(service.end().1, Some(0));
}

#[tokio::test]
async fn the_log_contains_no_keys_tokens_or_links() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start_at_level(folder.path(), "debug");
    let (key, link) = (service.printed(), service.printed());
    let key = key.as_str();
    let (_, link) = link.split_once('#').unwrap();
    let client = Client::new(service.address, key);
    let (first, second) = (client.token().await, client.token().await);
    for path in [format!("/v1/tts/stream?token={first}"), format!("/v1/tts/stream?token={key}")] {
        let mut connection = RawConnection::open(service.address).await;
        connection.send(raw::upgrade(&path, None)).await;
        let (status, _) = connection.read_head().await;
        assert_eq!(status.as_u16(), if path.contains(key) { 401 } else { 101 });
    }
    let mut connection = RawConnection::open(service.address).await;
    let offer = format!("sec-websocket-protocol: tts.v1, token.{second}");
    connection.send(raw::upgrade_with("/v1/tts/stream", &[offer])).await;
    assert_eq!(connection.read_head().await.0.as_u16(), 101);
    drop(connection);
    for client in [client.clone(), client.over_http2()] {
        client.with_key(Some(&first)).post(r#"{"text":"hello"}"#).await.assert_error(ErrorCode::InvalidToken);
    }
    service.signal("-TERM");
    service.process.wait().unwrap();
    let log = service.log.join().unwrap();
    assert!(log.contains("/v1/tts/stream") && log.contains("/v1/tokens"), "{log}");
    for secret in [key, link, &first, &second] {
        assert!(!log.contains(&secret[11..]), "a secret was logged");
    }
}

#[tokio::test]
async fn the_log_contains_no_sign_ins_or_created_items() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start_at_level(folder.path(), "debug");
    let (_, link) = (service.printed(), service.printed());
    let (_, link) = link.split_once('#').unwrap();
    let client = Client::new(service.address, "").with_key(None);
    let origin = format!("http://{}", service.address);
    let ask = async |path: &str, cookie: &str, body: serde_json::Value| {
        let mut request = client.request(Method::POST, &format!("/studio/api/{path}"), body.to_string());
        let headers = request.headers_mut();
        headers.insert("x-studio", "1".parse().unwrap());
        headers.insert("origin", origin.parse().unwrap());
        headers.insert("cookie", cookie.parse().unwrap());
        client.send(request).await
    };
    let cookie_of = |reply: &Reply| reply.header("set-cookie").split(';').next().unwrap().to_owned();
    let made = ask("sign-up", "", json!({"email": "asha@example.org", "password": "tidal-kettle-9"})).await;
    let asha = cookie_of(&made);
    ask("sign-in", "", json!({"email": "asha@example.org", "password": "wrong-kettle-9"})).await;
    ask("promo", &asha, json!({"code": "7K2M-Q9XD-4TBR-W0E1"})).await;
    let operator = cookie_of(&ask("link", &asha, json!({"secret": link})).await);
    let key = ask("keys", &operator, json!({"name": "shop front", "scopes": ["tts"]})).await.json();
    let token = ask("token", &operator, json!({})).await.json();
    let path = format!("/studio/api/keys/{}", key["secret"].as_str().unwrap());
    client.get(&path).await;
    service.signal("-TERM");
    service.process.wait().unwrap();
    let log = service.log.join().unwrap();
    let logged = ["/studio/api/sign-in", "/studio/api/link", "/studio/api/keys/{prefix}"];
    assert!(logged.iter().all(|path| log.contains(path)), "{log}");
    let (key, token) = (key["secret"].as_str().unwrap(), token["token"].as_str().unwrap());
    for secret in
        ["asha", "example.org", "kettle", "7K2M", "W0E1", "shop front", &asha[24..], &operator[24..], link]
    {
        assert!(!log.contains(secret), "{secret} was logged");
    }
    for secret in [&key[11..], &token[4..]] {
        assert!(!log.contains(secret), "a secret was logged");
    }
}

#[test]
fn invalid_settings_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("nothing here");
    for (arguments, named) in [
        (vec!["serve", "--listen", "here"], "--listen"),
        (vec!["serve", "--max-streams", "0"], "max-streams"),
        (vec!["serve", "--config", "/nowhere.toml"], "/nowhere.toml"),
        (vec!["serve", "--tls-cert", "/nowhere.pem"], "tls-key"),
        (
            vec!["serve", "--listen=127.0.0.1:0", "--tls-cert=/nowhere.pem", "--tls-key=/a.key"],
            "/nowhere.pem",
        ),
        (vec!["serve", "--trust-proxy=proxy.example"], "proxy.example"),
        (vec!["serve", "--open-playground=often"], "--open-playground"),
        (vec!["keys", "create", "--rate=0"], "--rate"),
        (vec!["keys", "create", "--scopes", "all"], "tts and usage:read"),
        (vec!["keys", "create", "--expires", "soon"], "2026-12-31"),
        (vec!["keys", "create", "--origin", "https://a.example/"], "without a path or a trailing slash"),
        (vec!["keys", "create", "--origin", "a.example"], "https://a.example"),
        (vec!["keys", "create", "--origin", "*"], "http://localhost:3000"),
        (vec!["keys", "revoke", "sk_aaaaaaaa", "--data-dir", missing.to_str().unwrap()], "--data-dir"),
    ] {
        let output = Command::new(SHRUTI).args(&arguments).output().unwrap();
        let error = text(&output.stderr);
        assert!(!output.status.success() && error.contains(named), "{arguments:?}: {error}");
    }
    assert!(!missing.exists(), "a mistyped folder is not created");
}

#[test]
fn no_key_is_created_if_the_port_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let output = Command::new(SHRUTI)
        .args(["serve", "--listen", &listener.local_addr().unwrap().to_string(), "--data-dir"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(!output.status.success() && text(&output.stderr).contains("--listen"), "{output:?}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_pipe_as_certificate_is_rejected_without_blocking() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for (flag, other) in
        [("--tls-cert", "--tls-key"), ("--tls-key", "--tls-cert"), ("--lexicon", "--lexicon")]
    {
        let mut command = Command::new(SHRUTI);
        command.args(["serve", "--listen", "127.0.0.1:0"]).arg(flag).arg(&pipe);
        if flag != other {
            command.arg(other).arg(folder.path().join("nothing"));
        }
        let mut process = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
        let began = std::time::Instant::now();
        while process.try_wait().unwrap().is_none() && began.elapsed() < PATIENCE {
            std::thread::yield_now();
        }
        // has no effect if the process has ended
        process.kill().unwrap();
        let output = process.wait_with_output().unwrap();
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{flag}: {error}");
        assert!(error.contains("pipe: ") || error.contains("nothing: "), "{flag}: {error}");
    }
}

#[tokio::test]
async fn sighup_reloads_the_lexicon_without_interrupting_clips() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lexicon.toml");
    std::fs::write(&file, "[words]\nAIIMS = 'एम्स'\n").unwrap();
    let mut service =
        Service::start_with(&folder.path().join("data"), &["--lexicon", file.to_str().unwrap()]);
    let key = service.printed();
    let client = Client::new(service.address, &key);
    let text = json!({"text": "AIIMS", "language": "hi"});
    let before = client.speak(&text).await;
    let (mut running, headers) = long_clip(&service, &key).await;

    std::fs::write(&file, "[words]\nAIIMS = '/%/'\n").unwrap();
    service.signal("-HUP");
    service.wait_for_log("the lexicon cannot be used; the previous one stays in use");
    assert_eq!(client.speak(&text).await, before, "unusable files change nothing");
    std::fs::write(&file, "[words]\nAIIMS = 'पुस्तकालय'\n").unwrap();
    service.signal("-HUP");
    service.wait_for_log("the lexicon was reloaded");
    assert_ne!(client.speak(&text).await, before);
    let (body, end) = running.read_body(&headers).await;
    assert!(end == raw::End::Whole && body.len() > 1_000_000, "{} bytes", body.len());
    service.signal("-TERM");
    assert_eq!(service.process.wait().unwrap().code(), Some(0));
}

/// Starts a clip that exceeds the socket buffers, so that the clip is not complete before the client reads it.
async fn long_clip(service: &Service, key: &str) -> (RawConnection, HeaderMap) {
    let long = json!({"text": "यह एक लंबा वाक्य है। ".repeat(200)}).to_string();
    let mut running = RawConnection::open_small(service.address).await;
    running.send(raw::post_tts(key, &long)).await;
    let (status, headers) = running.read_head().await;
    assert_eq!(status.as_u16(), 200);
    (running, headers)
}

/// Waits until the server refuses new work.
async fn drained(client: &Client) {
    let drained =
        tokio::time::timeout(PATIENCE, async { while client.get("/readyz").await.status == 200 {} });
    drained.await.expect("the signal does nothing");
}

#[tokio::test]
async fn a_second_signal_ends_the_server_immediately_and_is_logged() {
    let folder = tempfile::tempdir().unwrap();
    // at the level `trace`, log lines are still queued when the server exits
    let mut service = Service::start_at_level(folder.path(), "trace");
    let key = service.printed();
    let _running = long_clip(&service, &key).await;
    service.signal("-TERM");
    drained(&Client::new(service.address, &key)).await;
    service.signal("-TERM");
    assert_eq!(service.process.wait().unwrap().code(), Some(1));
    let log = service.log.join().unwrap();
    assert!(log.contains("stopped immediately by a second signal"), "{log}");
}

#[tokio::test]
async fn sigterm_completes_running_clips_and_rejects_new_work() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path());
    let key = service.printed();
    let key = key.as_str();
    let (mut running, headers) = long_clip(&service, key).await;

    service.signal("-TERM");
    let client = Client::new(service.address, key);
    drained(&client).await;
    client.post(r#"{"text":"hello"}"#).await.assert_error(ErrorCode::Draining);
    let (body, end) = running.read_body(&headers).await;
    assert_eq!(end, raw::End::Whole);
    assert!(body.len() > 1_000_000, "{} bytes", body.len());
    assert_eq!(service.end().1, Some(0));
}

#[test]
fn a_health_check_reports_readiness() {
    let folder = tempfile::tempdir().unwrap();
    let ready = |arguments: &[&str]| {
        let mut command = Command::new(SHRUTI);
        command.arg("ready").args(arguments).arg("--data-dir").arg(folder.path());
        let output = command.output().unwrap();
        assert!(output.stdout.is_empty());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for is_tls in [false, true] {
        let tls = if is_tls { "--tls-self-signed" } else { "--tls-self-signed=false" };
        let mut service = Service::start_with(folder.path(), &[tls]);
        let listen = service.address.to_string();
        assert_eq!(ready(&["--listen", &listen, tls]), (Some(0), String::new()));
        let (status, message) = ready(&["--listen", &listen, tls, "--pack", "no such&pack"]);
        assert_eq!(status, Some(1));
        assert!(message.contains("this pack is not loaded on this server (503)"), "{message}");
        let other = if is_tls { "--tls-self-signed=false" } else { "--tls-self-signed" };
        let (status, message) = ready(&["--listen", &listen, other]);
        assert_eq!(status, Some(1), "another protocol: {message}");
        service.process.terminate();
        let (status, message) = ready(&["--listen", &listen, tls]);
        assert!(status == Some(1) && message.contains("does not answer"), "{message}");
    }
}

#[test]
fn the_first_key_is_written_to_the_configured_destination() {
    let folder = tempfile::tempdir().unwrap();
    let (quiet, key_folder) = (folder.path().join("quiet"), folder.path().join("kept"));
    let file = folder.path().join("first-key");
    let printed = |mut service: Service| {
        service.process.terminate();
        let mut printed = String::new();
        service.stdout.read_to_string(&mut printed).unwrap();
        (printed, service.log.join().unwrap())
    };
    assert_eq!(printed(Service::start_with(&quiet, &["--first-key", "none"])).0, "");
    let listed = Command::new(SHRUTI).args(["keys", "list", "--data-dir"]).arg(&quiet).output().unwrap();
    assert!(!String::from_utf8(listed.stdout).unwrap().contains("sk_"), "no key was created");

    let flags = ["--first-key", file.to_str().unwrap()];
    let (on_stdout, log) = printed(Service::start_with(&key_folder, &flags));
    let written = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    assert!(
        lines.len() == 2 && lines[0].starts_with("sk_") && lines[1].contains("/studio/link#"),
        "{lines:?}"
    );
    assert_eq!(on_stdout, "");
    assert!(!log.contains(lines[0]) && log.contains("first-key"), "{log}");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    // a later start neither rewrites the file nor creates an empty one
    printed(Service::start_with(&key_folder, &flags));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written);
    std::fs::remove_file(&file).unwrap();
    printed(Service::start_with(&key_folder, &flags));
    assert!(!file.exists());
    // the store has a key, so the path is not used
    let nowhere = folder.path().join("gone").join("first-key");
    printed(Service::start_with(&key_folder, &["--first-key", nowhere.to_str().unwrap()]));

    // the key file of another store is not accepted
    std::fs::write(&file, &written).unwrap();
    let mut another = Command::new(SHRUTI);
    another.args(["serve", "--listen", "127.0.0.1:0", "--first-key"]).arg(&file);
    let refused = another.arg("--data-dir").arg(folder.path().join("another")).output().unwrap();
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && error.contains("remove the file"), "{error}");
}
