//! Downloads of the files of a pack. An interrupted download is resumed, and a file with a wrong length or checksum is
//! removed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, anyhow, bail};
use bytes::Bytes;
use http::header::{self, HeaderMap};
use http::{Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use indicatif::{ProgressBar, ProgressStyle};
use sha2::{Digest, Sha256};
use shruti_packs::{PackFile, RemoteFile};
use tokio::time::timeout;

use super::source::Source;
use crate::runtime::block_on;

/// Name of the folder for incomplete files, inside the folder of packs.
const FOLDER: &str = ".downloads";
/// Age after which incomplete files are removed.
const LIFE: Duration = Duration::from_hours(7 * 24);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time that a server may take to respond, or to send the next bytes.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(30);
/// Base time limit of a file download. Each `SLOWEST` bytes of the file add one second.
const FILE_TIMEOUT: Duration = Duration::from_mins(5);
const SLOWEST: u64 = 16 << 10;
/// Maximum number of attempts to download a file within one command.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);
const REDIRECTIONS: usize = 5;

/// Downloader for the files of a pack.
pub(super) struct Downloader {
    client: Client<HttpsConnector<HttpConnector>, Empty<Bytes>>,
    runtime: tokio::runtime::Runtime,
    /// Folder of incomplete files.
    parts: PathBuf,
    /// Progress bar; hidden without a terminal.
    bar: ProgressBar,
}

/// Reason why an attempt failed.
enum Ended {
    /// The download was interrupted; another attempt can continue it.
    Cut(anyhow::Error),
    /// The received data cannot be written.
    Unwritten(anyhow::Error),
    /// The response is wrong; another attempt would not help.
    Wrong(anyhow::Error),
}

impl Downloader {
    /// Creates a downloader that keeps incomplete files in the folder of packs. `bytes` is the total size of the files.
    pub(super) fn new(packs: &Path, bytes: u64) -> anyhow::Result<Self> {
        let parts = packs.join(FOLDER);
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&parts);
        made.with_context(|| parts.display().to_string())?;
        remove_old(&parts);
        let mut tcp = HttpConnector::new();
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        tcp.enforce_http(false);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(shruti_client::machine_trust()?)
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let bar = ProgressBar::new(bytes);
        if let Ok(style) =
            ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}  {bytes_per_sec}  {msg}")
        {
            bar.set_style(style);
        }
        Ok(Self { client: Client::builder(TokioExecutor::new()).build(connector), runtime, parts, bar })
    }

    /// Downloads a file into a folder, under its name in the pack, and returns the path.
    pub(super) fn fetch(&self, remote: &RemoteFile, folder: &Path) -> anyhow::Result<PathBuf> {
        let RemoteFile { url, file } = remote;
        let target = folder.join(&file.path);
        self.bar.set_message(file.path.clone());
        let before = self.bar.position();
        let part = Part::of(&self.parts, file);
        match Source::parse(url)? {
            Source::File(path) => copy(&path, &part, file)?,
            Source::Server(uri) => {
                let most = FILE_TIMEOUT + Duration::from_secs(file.bytes / SLOWEST);
                let fetched = block_on(&self.runtime, async {
                    let fetching = self.fetch_in_attempts(&uri, &part, file, before);
                    timeout(most, fetching)
                        .await
                        .unwrap_or_else(|_| Err(anyhow!("not complete after {most:?}")))
                });
                fetched.with_context(|| url.clone())?;
            }
        }
        part.check(file).with_context(|| url.clone())?;
        fs::rename(&part.path, &target).with_context(|| target.display().to_string())?;
        part.remove();
        self.bar.set_position(before + file.bytes);
        Ok(target)
    }

    /// Removes the progress bar.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }

    async fn fetch_in_attempts(
        &self,
        uri: &Uri,
        part: &Part,
        file: &PackFile,
        before: u64,
    ) -> anyhow::Result<()> {
        let mut attempt = 1;
        loop {
            match self.attempt(uri, part, file, before).await {
                Ok(()) => return Ok(()),
                Err(Ended::Wrong(error)) => {
                    part.remove();
                    return Err(error);
                }
                Err(Ended::Unwritten(error)) => return Err(error),
                Err(Ended::Cut(error)) if attempt == ATTEMPTS => {
                    let received = part.length();
                    return Err(error.context(format!(
                        "{ATTEMPTS} attempts failed; {received} of {} bytes are kept, and the same command continues \
                         from there",
                        file.bytes
                    )));
                }
                Err(Ended::Cut(_)) => tokio::time::sleep(PAUSE * attempt).await,
            }
            attempt += 1;
        }
    }

    /// Requests the missing part of a file, and writes it as it arrives.
    async fn attempt(&self, uri: &Uri, part: &Part, file: &PackFile, before: u64) -> Result<(), Ended> {
        // without a validator, the rest might belong to another version of the file
        let validator = part.validator().filter(|_| (1..file.bytes).contains(&part.length()));
        let have = if validator.is_some() { part.length() } else { 0 };
        let response = self.ask(uri, have, validator.as_deref()).await?;
        let have = match response.status() {
            StatusCode::PARTIAL_CONTENT => {
                // a server may send a partial response although the file has changed
                let tag = text(response.headers(), header::ETAG);
                let is_same =
                    tag.is_none_or(|tag| validator.as_deref().is_none_or(|validator| validator == tag));
                if have == 0 || !is_same || range_start(response.headers()) != Some(have) {
                    part.remove();
                    return Err(Ended::Cut(anyhow!(
                        "the server sent a different part from the one requested"
                    )));
                }
                have
            }
            StatusCode::OK => {
                part.begin(strong_validator(response.headers())).map_err(Ended::Unwritten)?;
                0
            }
            StatusCode::RANGE_NOT_SATISFIABLE => {
                part.remove();
                return Err(Ended::Cut(anyhow!("the file on the server is now shorter than before")));
            }
            status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                return Err(Ended::Cut(anyhow!("the server responded with {status}")));
            }
            status => return Err(Ended::Wrong(anyhow!("the server responded with {status}"))),
        };
        let length = text(response.headers(), header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
        if let Some(length) = length.filter(|&length: &u64| have.checked_add(length) != Some(file.bytes)) {
            return Err(Ended::Wrong(wrong_length(have.saturating_add(length), file)));
        }
        self.bar.set_position(before + have);
        self.receive(response.into_body(), part, have, file).await
    }

    /// Sends the request, and follows redirects.
    async fn ask(&self, uri: &Uri, from: u64, validator: Option<&str>) -> Result<Response<Incoming>, Ended> {
        let mut uri = uri.clone();
        for _ in 0..=REDIRECTIONS {
            let mut request =
                Request::get(&uri).header(header::USER_AGENT, concat!("shruti/", env!("CARGO_PKG_VERSION")));
            if let Some(validator) = validator {
                request = request
                    .header(header::RANGE, format!("bytes={from}-"))
                    .header(header::IF_RANGE, validator);
            }
            let request = request.body(Empty::new()).map_err(|error| Ended::Wrong(error.into()))?;
            let response = match timeout(SILENCE_TIMEOUT, self.client.request(request)).await {
                Err(_) => return Err(Ended::Cut(anyhow!("no response within {SILENCE_TIMEOUT:?}"))),
                Ok(Err(error)) => return Err(Ended::Cut(error.into())),
                Ok(Ok(response)) => response,
            };
            if !response.status().is_redirection() {
                return Ok(response);
            }
            let location = text(response.headers(), header::LOCATION);
            let location = location
                .ok_or_else(|| Ended::Wrong(anyhow!("the server sent a redirect without a location")))?;
            uri = Source::redirected(&uri, location).map_err(|error| Ended::Wrong(error.into()))?;
        }
        Err(Ended::Wrong(anyhow!("the server redirected more than {REDIRECTIONS} times")))
    }

    async fn receive(
        &self,
        mut body: Incoming,
        part: &Part,
        have: u64,
        file: &PackFile,
    ) -> Result<(), Ended> {
        let mut target = part.open().map_err(Ended::Unwritten)?;
        target.seek(SeekFrom::Start(have)).map_err(|error| Ended::Unwritten(error.into()))?;
        let mut have = have;
        loop {
            let frame = match timeout(SILENCE_TIMEOUT, body.frame()).await {
                Err(_) => return Err(Ended::Cut(anyhow!("no data received for {SILENCE_TIMEOUT:?}"))),
                Ok(None) => break,
                Ok(Some(Err(error))) => return Err(Ended::Cut(error.into())),
                Ok(Some(Ok(frame))) => frame,
            };
            let Ok(bytes) = frame.into_data() else { continue };
            have += bytes.len() as u64;
            if have > file.bytes {
                return Err(Ended::Wrong(anyhow!("more than the {} bytes in the catalogue", file.bytes)));
            }
            // the data written so far is kept, so that the download can continue once there is space
            let path = || part.path.display().to_string();
            target.write_all(&bytes).with_context(path).map_err(Ended::Unwritten)?;
            self.bar.inc(bytes.len() as u64);
        }
        if have < file.bytes {
            return Err(Ended::Cut(anyhow!("the server sent {have} of {} bytes", file.bytes)));
        }
        Ok(())
    }
}

/// Incomplete download: a file with the data received so far, and a file with the validator (`ETag`) that the server
/// sent for this data. Both are named after the checksum of the complete file.
struct Part {
    path: PathBuf,
    validator: PathBuf,
}

impl Part {
    fn of(folder: &Path, file: &PackFile) -> Self {
        let name = |end| folder.join(format!("{}.{end}", file.sha256));
        Self { path: name("part"), validator: name("etag") }
    }

    fn length(&self) -> u64 {
        fs::metadata(&self.path).map_or(0, |found| found.len())
    }

    fn validator(&self) -> Option<String> {
        fs::read_to_string(&self.validator).ok()
    }

    /// Discards the data received so far, and stores the validator of the new response, if it has one.
    fn begin(&self, validator: Option<&str>) -> anyhow::Result<()> {
        self.remove();
        match validator {
            Some(validator) => write_private(&self.validator, validator.as_bytes()),
            None => Ok(()),
        }
    }

    fn open(&self) -> anyhow::Result<File> {
        let opened = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&self.path);
        opened.with_context(|| self.path.display().to_string())
    }

    fn remove(&self) {
        for path in [&self.path, &self.validator] {
            // the files may not exist
            let _ = fs::remove_file(path);
        }
    }

    /// Verifies the length and checksum, and removes the file if either is wrong.
    fn check(&self, file: &PackFile) -> anyhow::Result<()> {
        let length = self.length();
        if length != file.bytes {
            self.remove();
            return Err(wrong_length(length, file));
        }
        let found = checksum(&self.path)?;
        if found != file.sha256 {
            self.remove();
            bail!(
                "{}: the SHA-256 is {found}, but the catalogue has {}; the file was removed",
                file.path,
                file.sha256
            );
        }
        Ok(())
    }
}

fn wrong_length(found: u64, file: &PackFile) -> anyhow::Error {
    anyhow!("{}: {found} bytes, but the catalogue has {}; the file was removed", file.path, file.bytes)
}

fn copy(from: &Path, part: &Part, file: &PackFile) -> anyhow::Result<()> {
    let shown_path = || from.display().to_string();
    anyhow::ensure!(
        fs::metadata(from).with_context(shown_path)?.is_file(),
        "{}: not a plain file",
        from.display()
    );
    let source = File::open(from).with_context(shown_path)?;
    part.remove();
    // one extra byte is read, to detect a file that is too long
    let copied = io::copy(&mut source.take(file.bytes.saturating_add(1)), &mut part.open()?);
    copied.map(drop).inspect_err(|_| part.remove()).with_context(shown_path)
}

fn checksum(path: &Path) -> anyhow::Result<String> {
    let shown_path = || path.display().to_string();
    let mut file = File::open(path).with_context(shown_path)?;
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 64 << 10]);
    loop {
        let read = file.read(&mut buffer).with_context(shown_path)?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
    }
    Ok(hasher.finalize().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}")))
}

fn write_private(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let opened = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(path);
    opened.and_then(|mut file| file.write_all(bytes)).with_context(|| path.display().to_string())
}

/// Removes incomplete files of old downloads.
fn remove_old(parts: &Path) {
    let now = SystemTime::now();
    for entry in fs::read_dir(parts).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|found| found.modified()).ok();
        if age.and_then(|then| now.duration_since(then).ok()).is_some_and(|age| age > LIFE) {
            // another command may have removed the file
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Returns the strong validator of a response, or `None` if the response has no strong validator of at most 200 bytes.
/// A weak validator does not guarantee identical bytes.
fn strong_validator(headers: &HeaderMap) -> Option<&str> {
    text(headers, header::ETAG).filter(|tag| tag.starts_with('"') && tag.len() <= 200)
}

/// Returns the position of the first byte of a partial response: 100 for `bytes 100-199/200`.
fn range_start(headers: &HeaderMap) -> Option<u64> {
    let range = text(headers, header::CONTENT_RANGE)?.strip_prefix("bytes ")?;
    range.split_once('-')?.0.trim().parse().ok()
}
