//! Log of `shruti serve`: lines on standard error, written by a separate thread.
//!
//! A log that is not being read, or whose disk is full, must neither stop nor block the server. Lines therefore go into
//! a bounded queue, and a thread writes them. Lines that cannot be queued or written are counted, and the number of
//! lost lines is logged as soon as a line can be written again. `tracing-appender` also has a queue and a thread, but
//! it does not count lines whose write failed, and it reports a flush timeout with `println!`, which may panic.

use std::io::{self, IsTerminal, Write, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};

use crate::settings::LogFormat;

/// Capacity of the queue, in lines. At about 200 bytes per line, a full queue takes about a megabyte.
const WAITING_LINES: usize = 4_096;
/// Maximum time that shutdown waits for the last lines to be written.
const FLUSH: Duration = Duration::from_secs(1);

/// Directive added to every filter. `rustls` warns about each unexpected message of a peer, for example an attempt to
/// renegotiate, so any peer could fill the log.
const PEERS: &str = "rustls=error";

/// Crate that represents the whole server in filter expressions.
const SERVER: &str = "shruti_server";
/// Other crates of the server. A directive for [`SERVER`] also applies to them.
const PARTS: [&str; 4] = ["shruti_service", "shruti_api", "shruti_compat", "shruti_site"];

/// Returns the filter for a level or a filter expression. An expression can override the level of `rustls` or of one of
/// [`PARTS`].
pub(crate) fn filter(filter: Option<&str>) -> anyhow::Result<EnvFilter> {
    let filter = filter.unwrap_or("info");
    // the filter is first parsed alone, so that the error quotes the original text
    EnvFilter::try_new(filter).with_context(|| format!("log: '{filter}' is not a level or filter"))?;
    let of_server = filter.split(',').filter_map(|directive| directive.strip_prefix(SERVER));
    let of_parts = of_server.flat_map(|rest| PARTS.map(|part| format!("{part}{rest}")));
    // if two directives name the same target, the last one wins
    let directives: Vec<_> = of_parts.chain([filter.to_owned()]).collect();
    Ok(EnvFilter::try_new(format!("{PEERS},{}", directives.join(",")))?)
}

/// Starts logging to standard error. Dropping the returned value waits until the lines are written, up to a timeout.
pub(crate) fn start(filter: EnvFilter, format: LogFormat) -> anyhow::Result<Flush> {
    let (lines, flush) = lines_to(stderr(), format)?;
    // write errors are counted, not reported on standard error, because standard error may be the stream that fails
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(lines).log_internal_errors(false);
    match format {
        LogFormat::Text => log.with_ansi(stderr().is_terminal()).init(),
        LogFormat::Json => log.json().init(),
    }
    Ok(flush)
}

/// Creates a queue of lines, and a thread that writes them to `out`.
fn lines_to(out: impl Write + Send + 'static, format: LogFormat) -> io::Result<(Lines, Flush)> {
    let (queue, waiting) = sync_channel(WAITING_LINES);
    let lost = Arc::new(AtomicU64::new(0));
    let lines = Lines { queue: queue.clone(), lost: Arc::clone(&lost) };
    thread::Builder::new()
        .name("shruti-log".to_owned())
        .spawn(move || write_all(&waiting, out, &lost, format))?;
    Ok((lines, Flush(queue)))
}

enum Message {
    Line(Vec<u8>),
    /// Request for a signal when all earlier lines have been written.
    Flush(SyncSender<()>),
}

/// Sending end of the queue. It never blocks, and drops lines that do not fit.
#[derive(Clone)]
struct Lines {
    queue: SyncSender<Message>,
    lost: Arc<AtomicU64>,
}

impl Write for Lines {
    /// Queues a whole line. The formatter writes each event in one call.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.queue.try_send(Message::Line(line.to_vec())).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Handle that waits for the last lines when it is dropped, up to a timeout in case nothing reads them.
pub(crate) struct Flush(SyncSender<Message>);

impl Flush {
    /// Waits until the queued lines have been written, up to a timeout. Call this before an exit that runs no
    /// destructors.
    pub(crate) fn now(&self) {
        let (written, all_written) = sync_channel(1);
        // if the queue is full, the writer is stuck and waiting is pointless
        if self.0.try_send(Message::Flush(written)).is_ok() {
            let _ = all_written.recv_timeout(FLUSH);
        }
    }
}

impl Drop for Flush {
    fn drop(&mut self) {
        self.now();
    }
}

fn write_all(waiting: &Receiver<Message>, mut out: impl Write, lost: &AtomicU64, format: LogFormat) {
    while let Ok(message) = waiting.recv() {
        match message {
            Message::Line(line) => match out.write_all(&line).and_then(|()| out.flush()) {
                Ok(()) => tell_lost(&mut out, lost, format),
                Err(_) => {
                    lost.fetch_add(1, Ordering::Relaxed);
                }
            },
            Message::Flush(written) => {
                // fails if the receiver has timed out
                let _ = written.try_send(());
            }
        }
    }
}

/// Writes the number of lost lines, if any, after a successful write.
fn tell_lost(out: &mut impl Write, lost: &AtomicU64, format: LogFormat) {
    let lines = lost.swap(0, Ordering::Relaxed);
    if lines > 0 && out.write_all(lost_line(lines, format).as_bytes()).is_err() {
        lost.fetch_add(lines, Ordering::Relaxed);
    }
}

/// Formats the line that reports lost lines, in the format of all other lines. The line is not an event, so no filter
/// can drop it.
fn lost_line(lines: u64, format: LogFormat) -> String {
    let mut time = String::new();
    // the line has no time if the time cannot be formatted
    let _ = SystemTime.format_time(&mut Writer::new(&mut time));
    let message = "log lines were lost because they could not be written";
    match format {
        LogFormat::Text => format!("{time}  WARN shruti::log: {message} lines={lines}\n"),
        LogFormat::Json => {
            let line = serde_json::json!({
                "timestamp": time, "level": "WARN", "fields": {"message": message, "lines": lines},
                "target": "shruti::log",
            });
            format!("{line}\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Mock file. Writes fail while `is_full` is true, and block while its lock is held.
    #[derive(Clone, Default)]
    struct File {
        written: Arc<Mutex<String>>,
        is_full: Arc<Mutex<bool>>,
    }

    impl Write for File {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if *self.is_full.lock().unwrap() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.written.lock().unwrap().push_str(std::str::from_utf8(bytes).unwrap());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl File {
        fn set_full(&self, is_full: bool) {
            *self.is_full.lock().unwrap() = is_full;
        }

        fn lines(&self) -> Vec<String> {
            self.written.lock().unwrap().lines().map(str::to_owned).collect()
        }
    }

    #[test]
    fn tls_errors_of_peers_are_logged_only_if_the_filter_names_them() {
        for (given, is_logged) in [
            (None, false),
            (Some("debug"), false),
            (Some("shruti_server=debug,warn"), false),
            (Some("info,rustls=warn"), true),
        ] {
            let file = File::default();
            let (lines, flush) = lines_to(file.clone(), LogFormat::Text).unwrap();
            let log = tracing_subscriber::fmt().with_env_filter(filter(given).unwrap()).with_writer(lines);
            tracing::subscriber::with_default(log.finish(), || {
                tracing::warn!(target: "rustls::common_state", "renegotiation");
                tracing::error!(target: "rustls::common_state", "a fault");
                tracing::warn!("others");
            });
            drop(flush);
            let written = file.lines();
            let logged = |message: &str| written.iter().any(|line| line.ends_with(message));
            assert_eq!(logged("renegotiation"), is_logged, "{given:?}: {written:?}");
            assert!(logged("a fault") && logged("others"), "{given:?}: {written:?}");
        }
    }

    #[test]
    fn a_server_directive_applies_to_its_other_crates() {
        for (given, is_service_logged, is_compat_logged) in [
            ("info", false, false),
            ("info,shruti_server=debug", true, true),
            ("warn,shruti_server::synthesis=debug", true, false),
            ("info,shruti_server::router=debug", false, false),
            ("info,shruti_service=warn,shruti_server=debug", false, true),
        ] {
            let file = File::default();
            let (lines, flush) = lines_to(file.clone(), LogFormat::Text).unwrap();
            let log =
                tracing_subscriber::fmt().with_env_filter(filter(Some(given)).unwrap()).with_writer(lines);
            tracing::subscriber::with_default(log.finish(), || {
                tracing::debug!(target: "shruti_service::synthesis::speak", "speaking");
                tracing::debug!(target: "shruti_compat::cartesia", "mapping");
                tracing::error!("others");
            });
            drop(flush);
            let written = file.lines();
            let logged = |message: &str| written.iter().any(|line| line.ends_with(message));
            assert_eq!(logged("speaking"), is_service_logged, "{given}: {written:?}");
            assert_eq!(logged("mapping"), is_compat_logged, "{given}: {written:?}");
            assert!(logged("others"), "{given}: {written:?}");
        }
    }

    /// Waits until a write of each queued line has been attempted.
    fn drain(lines: &Lines) {
        let (written, all_written) = sync_channel(1);
        lines.queue.send(Message::Flush(written)).unwrap();
        all_written.recv().unwrap();
    }

    #[test]
    fn lost_lines_are_counted_and_reported_when_writing_succeeds() {
        for format in [LogFormat::Text, LogFormat::Json] {
            let file = File::default();
            let (mut lines, flush) = lines_to(file.clone(), format).unwrap();
            lines.write_all(b"before\n").unwrap();
            drain(&lines);
            file.set_full(true);
            for _ in 0..3 {
                lines.write_all(b"lost\n").unwrap();
            }
            drain(&lines);
            file.set_full(false);
            lines.write_all(b"after\n").unwrap();
            lines.write_all(b"later\n").unwrap();
            drop(flush);
            let written = file.lines();
            assert_eq!([&written[0], &written[1], &written[3]], ["before", "after", "later"], "{written:?}");
            let report = &written[2];
            match format {
                LogFormat::Text => {
                    assert!(report.ends_with("lines=3") && report.contains("WARN"), "{report}");
                }
                LogFormat::Json => {
                    let report: serde_json::Value = serde_json::from_str(report).unwrap();
                    assert_eq!((&report["fields"]["lines"], &report["level"]), (&3.into(), &"WARN".into()));
                }
            }
        }
    }

    #[test]
    fn a_stalled_log_reader_delays_nothing() {
        let file = File::default();
        let (mut lines, flush) = lines_to(file.clone(), LogFormat::Text).unwrap();
        let blocked = file.is_full.lock().unwrap();
        // one line is being written, and the queue holds `WAITING_LINES` more
        for _ in 0..2 * WAITING_LINES {
            lines.write_all(b"x\n").unwrap();
        }
        let lost = lines.lost.load(Ordering::Relaxed);
        let expected = WAITING_LINES as u64 - 1..=WAITING_LINES as u64;
        assert!(expected.contains(&lost), "{lost}");
        drop(blocked);
        drain(&lines);
        drop(flush);
        let written = file.lines();
        assert!(written[1].ends_with(&format!("lines={lost}")), "{:?}", &written[..3]);
        assert_eq!(written.len() as u64, 2 * WAITING_LINES as u64 - lost + 1);
    }
}
