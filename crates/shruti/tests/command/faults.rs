//! Tests of the real binary with a broken log, disk or folder.

use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};

use crate::process::{Running, SHRUTI, Service};
use serde_json::json;
use shruti_store::{Actor, KeySpec, KeyStore, SqliteStore};
use shruti_testkit::{Client, RawConnection};

/// Creates a key in a store before the server starts.
async fn key_in(data_dir: &Path) -> String {
    let store = SqliteStore::open(data_dir).unwrap();
    store
        .create_key(Actor::Operator, KeySpec::named("a"), 1)
        .await
        .unwrap()
        .created()
        .unwrap()
        .secret
        .reveal()
        .to_owned()
}

fn serve(data_dir: &Path, address: &str, level: &str) -> Command {
    let mut command = Command::new(SHRUTI);
    command.args(["serve", "--log", level, "--listen", address, "--data-dir"]).arg(data_dir);
    command.stdout(Stdio::null());
    command
}

/// Returns a free address, for a test that does not read the log and therefore must choose the address of the server.
///
/// The IP address is a loopback address that only this call in this process uses. A free port of 127.0.0.1 could be
/// taken by another test before the server binds it.
fn free_address() -> SocketAddr {
    static CALLS: AtomicU8 = AtomicU8::new(1);
    let [_, _, high, low] = std::process::id().to_be_bytes();
    let own = Ipv4Addr::new(127, CALLS.fetch_add(1, Ordering::Relaxed), high, low.max(1));
    std::net::TcpListener::bind((own, 0)).unwrap().local_addr().unwrap()
}

/// Waits until the server listens.
async fn listening(running: &mut Running, address: SocketAddr) {
    let trying = async {
        while tokio::net::TcpStream::connect(address).await.is_err() {
            assert!(running.try_wait().unwrap().is_none(), "the server exited");
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(shruti_testkit::server::PATIENCE, trying).await.expect("the server does not listen");
}

#[tokio::test]
async fn an_unread_or_full_log_does_not_stop_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let key = key_in(folder.path()).await;
    for way in ["closed", "full", "blocked"] {
        let address = free_address();
        // at the level `trace`, the log lines fill a pipe
        let mut command = serve(folder.path(), &address.to_string(), "trace");
        let mut running = match way {
            "full" => Running(
                command.stderr(File::options().write(true).open("/dev/full").unwrap()).spawn().unwrap(),
            ),
            _ => Running(command.stderr(Stdio::piped()).spawn().unwrap()),
        };
        let mut unread = running.stderr.take();
        if way == "closed" {
            let mut log = BufReader::new(unread.take().unwrap());
            log.read_line(&mut String::new()).unwrap();
            // dropping the reader here closes the pipe
        }
        listening(&mut running, address).await;
        let client = Client::new(address, &key);
        for _ in 0..20 {
            client.speak(&json!({"text": "hello"})).await.assert_speech(way);
        }
        assert_eq!(running.terminate().code(), Some(0), "{way}");
        drop(unread);
    }
}

#[tokio::test]
async fn lost_lines_are_reported_when_the_log_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let key = key_in(folder.path()).await;
    let address = free_address();
    let mut running =
        Running(serve(folder.path(), &address.to_string(), "trace").stderr(Stdio::piped()).spawn().unwrap());
    let mut unread = running.stderr.take().unwrap();
    listening(&mut running, address).await;
    let client = Client::new(address, &key);
    // one log line per request, more than the pipe and the queue can hold
    for _ in 0..6_000 {
        client.get("/healthz").await;
    }
    let reading = std::thread::spawn(move || {
        let mut log = Vec::new();
        unread.read_to_end(&mut log).unwrap();
        String::from_utf8_lossy(&log).into_owned()
    });
    client.speak(&json!({"text": "hello"})).await;
    assert_eq!(running.terminate().code(), Some(0));
    let log = reading.join().unwrap();
    assert!(log.contains("log lines were lost"), "{} bytes", log.len());
}

#[test]
fn an_unread_failure_sets_the_exit_status() {
    let folder = tempfile::tempdir().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = serve(folder.path(), &listener.local_addr().unwrap().to_string(), "info");
    let status = command.stderr(File::options().write(true).open("/dev/full").unwrap()).status().unwrap();
    assert_eq!(status.code(), Some(1));
}

#[tokio::test]
async fn after_a_clean_shutdown_a_copy_of_the_file_is_a_complete_store() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path());
    let key = service.printed();
    Client::new(service.address, &key).speak(&json!({"text": "hello"})).await;
    service.signal("-TERM");
    assert_eq!(service.end().1, Some(0));
    assert!(!folder.path().join("shruti.db-wal").exists());
    let copy = tempfile::tempdir().unwrap();
    fs::copy(folder.path().join("shruti.db"), copy.path().join("shruti.db")).unwrap();
    let copied = Service::start(copy.path());
    Client::new(copied.address, &key)
        .speak(&json!({"text": "hello"}))
        .await
        .assert_speech("the key is known");
    copied.signal("-TERM");
    assert_eq!(copied.end().1, Some(0));
}

#[tokio::test]
async fn all_files_of_a_server_are_private() {
    for (existed, mask) in [(false, "000"), (true, "022")] {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = folder.path().join("data");
        if existed {
            fs::create_dir(&data_dir).unwrap();
            fs::set_permissions(&data_dir, Permissions::from_mode(0o755)).unwrap();
        }
        let command = "umask $0; exec \"$@\"";
        let address = free_address();
        let child = Command::new("sh")
            .args([
                "-c",
                command,
                mask,
                SHRUTI,
                "serve",
                "--tls-self-signed",
                "--listen",
                &address.to_string(),
            ])
            .arg("--data-dir")
            .arg(&data_dir)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut running = Running(child);
        listening(&mut running, address).await;
        // the port is bound before the store is created; a response arrives only when both are ready
        let mut connection = RawConnection::open(address).await;
        connection.send("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
        assert_eq!(connection.read_head().await.0, 400, "the error tells the client to use HTTPS");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&data_dir), 0o700);
        let files: Vec<_> = fs::read_dir(&data_dir).unwrap().map(|file| file.unwrap().path()).collect();
        assert_eq!(files.len(), 7, "{files:?}");
        for file in files {
            let owners = if file.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode(&file), owners, "{}", file.display());
        }
        assert_eq!(running.terminate().code(), Some(0));
    }
}

#[tokio::test]
async fn the_doctor_reports_files_that_others_can_read() {
    let folder = tempfile::tempdir().unwrap();
    drop(key_in(folder.path()).await);
    let look = || {
        let mut doctor = Command::new(SHRUTI);
        doctor.args(["doctor", "--listen", "127.0.0.1:0", "--data-dir"]).arg(folder.path());
        String::from_utf8(doctor.output().unwrap().stdout).unwrap()
    };
    assert!(look().contains("only the owner can read the files in the folder"), "{}", look());
    let file = folder.path().join("shruti.db");
    fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
    let reported = look();
    assert!(
        reported.contains("other users can read files in the folder") && reported.contains("chmod 600"),
        "{reported}"
    );
}
