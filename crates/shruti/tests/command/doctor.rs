//! Tests of `shruti doctor` with working and broken setups.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use rcgen::{CertificateParams, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::Value;
use shruti_http::TlsFiles;
use shruti_store::{Actor, KeyStore, SqliteStore};
use shruti_testkit::{Collector, CollectorMode, SmtpReaction, SmtpServer, TestServer};
use tokio::net::TcpSocket;

use crate::process::{RULES, SHRUTI};

const DAY: Duration = Duration::from_hours(24);

/// Report of the doctor, and whether the command succeeded.
struct Found {
    checks: Vec<Value>,
    success: bool,
}

impl Found {
    fn of(output: &Output) -> Self {
        let read: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        let found =
            Self { checks: read["checks"].as_array().unwrap().clone(), success: output.status.success() };
        let is_bad = found.checks.iter().any(|check| check["verdict"] == "fail");
        assert_eq!((read["verdict"] != "fail", found.success), (!is_bad, !is_bad), "{read}");
        for check in &found.checks {
            assert_eq!(
                check["verdict"] == "ok",
                check["advice"].is_null(),
                "a problem says what to do: {check}"
            );
        }
        found
    }

    /// Panics unless a check has a finding with the given verdict that contains the given words in its description or
    /// advice.
    #[track_caller]
    fn expect(&self, check: &str, verdict: &str, words: &str) {
        let is_it = |found: &&Value| {
            found["check"] == check && found["verdict"] == verdict && found.to_string().contains(words)
        };
        assert!(
            self.checks.iter().any(|found| is_it(&found)),
            "{check} {verdict} {words}: {:#?}",
            self.checks
        );
    }

    /// Returns the checks whose verdict is not `ok`.
    fn problems(&self) -> Vec<&str> {
        let bad = self.checks.iter().filter(|check| check["verdict"] != "ok");
        bad.map(|check| check["check"].as_str().unwrap()).collect()
    }
}

fn doctor(data_dir: &Path, flags: &[&str]) -> Found {
    doctor_in(&[], data_dir, flags)
}

/// Runs the doctor with environment variables, and with rule-based voices by default.
fn doctor_in(environment: &[(&str, &str)], data_dir: &Path, flags: &[&str]) -> Found {
    let mut command = Command::new(SHRUTI);
    command.envs([RULES]).envs(environment.iter().copied());
    command.args(["doctor", "--json", "--data-dir"]).arg(data_dir).args(flags);
    if !flags.contains(&"--listen") {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    Found::of(&command.output().unwrap())
}

/// Runs the doctor with the data folder and the address of a server that runs in this process.
async fn doctor_beside(server: &TestServer, flags: &[&str]) -> Found {
    let (data_dir, address) = (server.data_dir().to_owned(), server.address.to_string());
    let mut flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
    flags.extend(["--listen".to_owned(), address]);
    let ask = move || doctor(&data_dir, &flags.iter().map(String::as_str).collect::<Vec<_>>());
    tokio::task::spawn_blocking(ask).await.unwrap()
}

/// Creates a store that contains a key.
async fn store(data_dir: &Path) -> SqliteStore {
    let store = SqliteStore::open(data_dir).unwrap();
    store.ensure_first_key(1_795_176_000_000).await.unwrap().unwrap();
    store
}

#[tokio::test(flavor = "multi_thread")]
async fn a_healthy_server_passes_while_it_runs() {
    for is_tls in [false, true] {
        let builder = TestServer::builder();
        let server = if is_tls { builder.tls() } else { builder }.start().await;
        let flags =
            ["--max-streams", "50", if is_tls { "--tls-self-signed" } else { "--tls-self-signed=false" }];
        fs::set_permissions(server.data_dir(), fs::Permissions::from_mode(0o700)).unwrap();
        let found = doctor_beside(&server, &flags).await;
        assert!(found.success && found.problems().is_empty(), "{:#?}", found.checks);
        found.expect("address", "ok", "accepts new work");
        found.expect("metrics", "ok", "tested from 127.0.0.1");
        found.expect("keys", "ok", "one usable key");
        found.expect("speech", "ok", "times as fast");
        if is_tls {
            found.expect("certificate", "ok", "localhost, 127.0.0.1");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_that_differ_from_the_running_server_are_reported() {
    let plain = TestServer::start().await;
    let found = doctor_beside(&plain, &["--metrics-for", "192.0.2.1"]).await;
    found.expect("metrics", "warn", "serves its metrics to 127.0.0.1");
    let folder = tempfile::tempdir().unwrap();
    let files = certificate(folder.path(), 100 * DAY);
    let flags = tls_flags(&files);
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    doctor_beside(&plain, &flags).await.expect("address", "fail", "ss -ltnp");

    let secure = TestServer::builder().tls().start().await;
    doctor_beside(&secure, &[]).await.expect("address", "fail", "uses HTTPS");
    doctor_beside(&secure, &flags).await.expect("address", "warn", "a different certificate");
}

#[test]
fn a_missing_data_folder_is_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let found = doctor(&data_dir, &["--max-streams", "50"]);
    assert!(found.success);
    found.expect("data folder", "warn", "does not exist");
    assert_eq!(found.problems(), ["data folder"]);
    assert!(!data_dir.exists());
    fs::create_dir(&data_dir).unwrap();
    fs::set_permissions(&data_dir, fs::Permissions::from_mode(0o755)).unwrap();
    let found = doctor(&data_dir, &[]);
    found.expect("data folder", "warn", "chmod 700");
    found.expect("database", "warn", "there is no database");
    assert_eq!(fs::read_dir(&data_dir).unwrap().count(), 0);
    let file = folder.path().join("a file");
    fs::write(&file, "").unwrap();
    doctor(&file, &[]).expect("data folder", "fail", "is not a folder");
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_folder_is_reported() {
    // not even root can create files in /proc/self
    let found = doctor(Path::new("/proc/self"), &[]);
    assert!(!found.success);
    found.expect("data folder", "fail", "is not writable");
    doctor(Path::new("/proc/self/data"), &[]).expect(
        "data folder",
        "fail",
        "cannot be created in /proc/self",
    );
}

#[tokio::test]
async fn an_unusable_database_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shruti.db");
    let sound = {
        let other = tempfile::tempdir().unwrap();
        let store = store(other.path()).await;
        let copy = other.path().join("copy.db");
        SqliteStore::backup(other.path(), &copy).unwrap();
        drop(store);
        fs::read(&copy).unwrap()
    };
    fs::write(&file, &sound).unwrap();
    assert!(doctor(folder.path(), &[]).success);
    let mut damaged = sound.clone();
    let half = damaged.len() / 2;
    damaged[half..].fill(0x5a);
    for broken in [&damaged[..], &sound[..sound.len() / 2], &b"this is no database. ".repeat(100)[..]] {
        fs::write(&file, broken).unwrap();
        let found = doctor(folder.path(), &[]);
        found.expect("database", "fail", "restore a backup");
        assert_eq!(fs::read(&file).unwrap(), broken, "nothing is repaired");
    }
    // SQLite stores the schema version in four bytes of the file header
    let mut newer = sound;
    newer[60..64].copy_from_slice(&1_000_u32.to_be_bytes());
    fs::write(&file, newer).unwrap();
    let found = doctor(folder.path(), &[]);
    found.expect("database", "fail", "the version of shruti that wrote it");
}

#[tokio::test]
async fn a_store_without_a_key_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    let key = store.list_keys(Actor::Operator).await.unwrap()[0].prefix.clone();
    store.revoke_key(Actor::Operator, key, 1_795_176_000_000).await.unwrap();
    let found = doctor(folder.path(), &[]);
    assert!(found.success);
    found.expect("keys", "warn", "shruti keys create");
}

/// Creates a certificate for localhost that expires one day before the time that is `left` from now. If `left` is zero,
/// the certificate has already expired.
fn certificate(folder: &Path, left: Duration) -> TlsFiles {
    let mut parameters = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    parameters.not_before = (SystemTime::now() - 10 * DAY).into();
    parameters.not_after = (SystemTime::now() - DAY + left).into();
    let key = KeyPair::generate().unwrap();
    let files = TlsFiles { certificate: folder.join("a.pem"), key: folder.join("a.key") };
    fs::write(&files.certificate, parameters.self_signed(&key).unwrap().pem()).unwrap();
    fs::write(&files.key, key.serialize_pem()).unwrap();
    fs::set_permissions(&files.key, fs::Permissions::from_mode(0o600)).unwrap();
    files
}

fn tls_flags(files: &TlsFiles) -> [String; 4] {
    let [certificate, key] = [&files.certificate, &files.key].map(|file| file.to_str().unwrap().to_owned());
    ["--tls-cert".to_owned(), certificate, "--tls-key".to_owned(), key]
}

#[test]
fn a_certificate_that_clients_reject_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let files = certificate(folder.path(), 100 * DAY);
    let data_dir = folder.path().join("data");
    let look = || {
        let flags = tls_flags(&files);
        doctor(&data_dir, &flags.iter().map(String::as_str).collect::<Vec<_>>())
    };
    look().expect("certificate", "ok", "is for localhost");
    look().expect("certificate", "warn", "is self-signed");
    fs::set_permissions(&files.key, fs::Permissions::from_mode(0o644)).unwrap();
    look().expect("certificate", "warn", "chmod 600");
    certificate(folder.path(), Duration::ZERO);
    look().expect("certificate", "fail", "renew the certificate");
    certificate(folder.path(), 10 * DAY);
    look().expect("certificate", "warn", "renew the certificate");

    let other = tempfile::tempdir().unwrap();
    fs::copy(certificate(other.path(), 100 * DAY).key, &files.key).unwrap();
    look().expect("certificate", "fail", "cannot be used together");
    fs::write(&files.certificate, "nothing").unwrap();
    look().expect("certificate", "fail", "BEGIN CERTIFICATE");
    fs::remove_file(&files.certificate).unwrap();
    let found = look();
    found.expect("certificate", "fail", "a.pem");
    assert!(!found.success);
}

#[test]
fn an_address_in_use_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    for answer in ["SSH-2.0-other\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"] {
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = other.local_addr().unwrap().to_string();
        // the thread serves until the test process ends
        std::thread::spawn(move || {
            for stream in other.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 1_024]).and_then(|_| stream.write_all(answer.as_bytes()));
            }
        });
        let found = doctor(folder.path(), &["--listen", &address]);
        assert!(!found.success);
        found.expect("address", "fail", "another program");
        assert!(!found.checks.iter().any(|check| check["found"].as_str().unwrap().contains("tested from")));
    }
    // this address is reserved for documentation, so no machine has it
    doctor(folder.path(), &["--listen", "192.0.2.1:8080"]).expect(
        "address",
        "fail",
        "choose an address of this machine",
    );
}

#[test]
fn public_access_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let everybody = ["--listen", "0.0.0.0:0", "--metrics-for", "0.0.0.0/0"];
    let found = doctor(folder.path(), &everybody);
    found.expect("certificate", "warn", "unencrypted");
    found.expect("metrics", "warn", "by everyone");
    let found =
        doctor(folder.path(), &["--listen", "0.0.0.0:0", "--trust-proxy", "--metrics-for", "10.0.0.0/8"]);
    found.expect("certificate", "ok", "behind a proxy");
    found.expect("metrics", "ok", "--metrics-for");
}

#[test]
fn a_low_file_limit_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let limited =
        format!("ulimit -n 256; exec '{SHRUTI}' doctor --json --listen 127.0.0.1:0 --data-dir \"$0\"");
    let output = Command::new("sh").args(["-c", &limited]).arg(folder.path()).output().unwrap();
    Found::of(&output).expect("open files", "fail", "256 at most");
}

#[test]
fn invalid_settings_end_the_check() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shruti.toml");
    for (settings, named) in [("liston = '0.0.0.0:9000'", "liston"), ("log = 'a=b=c'", "a=b=c")] {
        fs::write(&file, settings).unwrap();
        let found = doctor(folder.path(), &["--config", file.to_str().unwrap()]);
        assert!(!found.success);
        found.expect("settings", "fail", named);
        assert_eq!(found.checks.len(), 1, "the settings are unknown");
    }
    fs::write(&file, "max-streams = 7").unwrap();
    let found = doctor(folder.path(), &["--config", file.to_str().unwrap()]);
    found.expect("open files", "ok", "for 7 streams");
}

#[test]
fn piped_output_has_no_colour() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(SHRUTI)
        .args(["doctor", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(folder.path().join("data"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("ok    settings     ") && !text.contains('\u{1b}'), "{text}");
    assert!(text.contains("warn  data folder  ") && text.contains("\n                   do: "), "{text}");
}

/// Returns an address of this machine that refuses connections while the returned socket exists. The socket is bound
/// but does not listen.
fn where_nobody_listens() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_server_is_checked_without_sending_mail() {
    let folder = tempfile::tempdir().unwrap();
    let files = certificate(folder.path(), 100 * DAY);
    let trusted = files.certificate.to_str().unwrap();
    let chain = vec![CertificateDer::from_pem_file(&files.certificate).unwrap()];
    let key = PrivateKeyDer::from_pem_file(&files.key).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let tls = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let server = SmtpServer::start_encrypted(tls, [SmtpReaction::Accept, SmtpReaction::RefuseLogin]).await;
    let host = format!("localhost:{}", server.address.port());
    let data_dir = folder.path().join("data");
    let look = |smtp: String, environment: &[(&str, &str)]| {
        let from = ["--smtp-from", "a@example.org", "--public-url", "https://tts.example"];
        let flags = ["--smtp", smtp.as_str()].into_iter().chain(from).collect::<Vec<_>>();
        tokio::task::block_in_place(|| doctor_in(environment, &data_dir, &flags))
    };
    let user = format!("smtps://shruti%40example.org@{host}");
    let with_password = [("SHRUTI_SMTP_PASSWORD", "four small words"), ("SSL_CERT_FILE", trusted)];
    look(user.clone(), &with_password).expect("mail", "ok", "nothing was sent");
    let refused = look(user.clone(), &with_password);
    refused.expect("mail", "fail", "535");
    refused.expect("mail", "fail", "SHRUTI_SMTP_PASSWORD");
    look(user.clone(), &with_password[..1]).expect("mail", "fail", "that the system trusts");
    look(user, &with_password[1..]).expect("mail", "fail", "its password in SHRUTI_SMTP_PASSWORD");
    assert!(!server.has_mail().await);

    let plain = SmtpServer::start([SmtpReaction::RejectConnection, SmtpReaction::SpeakHttp]).await;
    look(plain.url(), &[]).expect("mail", "fail", "own log");
    look(plain.url(), &[]).expect("mail", "fail", "another program may listen there");
    let elsewhere = format!("smtp://shruti@{}", plain.address);
    look(elsewhere, &with_password).expect("mail", "fail", "often 465");
    look(plain.url(), &[]).expect("mail", "ok", "127.0.0.1");
    let (_socket, address) = where_nobody_listens();
    look(format!("smtp://{address}"), &[]).expect("mail", "fail", "587 for smtp://");
    let none = tokio::task::block_in_place(|| doctor(&data_dir, &[]));
    assert!(none.checks.iter().all(|check| check["check"] != "mail"), "not configured");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_collector_is_checked_without_sending_spans() {
    let collector = Collector::start().await;
    let data_dir = tempfile::tempdir().unwrap();
    let look = |environment: &[(&str, &str)], flags: &[&str]| {
        tokio::task::block_in_place(|| doctor_in(environment, data_dir.path(), flags))
    };
    let url = collector.url();
    look(&[], &["--traces-endpoint", &url]).expect("traces", "ok", &url);
    look(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &url)], &[]).expect("traces", "ok", &url);
    assert!(collector.spans().is_empty());
    collector.set_mode(CollectorMode::Refuse);
    look(&[], &["--traces-endpoint", &url]).expect("traces", "warn", "400");
    let (_socket, address) = where_nobody_listens();
    let nobody = format!("http://{address}");
    look(&[], &["--traces-endpoint", &nobody]).expect("traces", "warn", "Connection refused");
    look(&[], &["--traces-sample", "0.5"]).expect("traces", "fail", "traces-endpoint");
    let none = look(&[], &[]);
    assert!(none.checks.iter().all(|check| check["check"] != "traces"), "not configured");
}
