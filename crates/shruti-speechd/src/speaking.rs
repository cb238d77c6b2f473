//! Messages in progress.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use shruti_screenreader::{Event, Settings, Speaker, Stopper};

use crate::output::Output;

/// Prefix of the names of the index marks that Speech Dispatcher inserts. A pause takes effect at these marks.
const OWN_MARK: &str = "__spd_";

/// Message in progress. The last event of its thread is `END`, `STOP` or `PAUSE`.
pub(crate) struct Speaking {
    stopper: Stopper,
    /// `true` if the message must end at the next index mark that Speech Dispatcher inserted.
    pauses: Arc<AtomicBool>,
    /// `true` from the moment before the last event is written, because the next message may arrive as soon as Speech
    /// Dispatcher has read that event.
    ended: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<()>>,
}

impl Speaking {
    /// Starts to speak a text on a new thread.
    pub(crate) fn begin(
        speaker: Arc<Speaker>,
        text: String,
        settings: Settings,
        output: Output,
    ) -> io::Result<Self> {
        let stopper = Stopper::default();
        let pauses = Arc::new(AtomicBool::new(false));
        let ended = Arc::new(AtomicBool::new(false));
        let thread = std::thread::Builder::new().name("speaking".to_owned()).spawn({
            let (stopper, pauses, ended) = (stopper.clone(), Arc::clone(&pauses), Arc::clone(&ended));
            move || {
                let speaking = || speak(&speaker, &text, &settings, &output, &stopper, &pauses);
                // the last event is written even after a panic, because Speech Dispatcher would otherwise wait forever
                let last = catch_unwind(AssertUnwindSafe(speaking)).unwrap_or(Ok("703 STOP"));
                ended.store(true, Ordering::SeqCst);
                output.line(last?)
            }
        })?;
        Ok(Self { stopper, pauses, ended, thread })
    }

    pub(crate) fn stop(&self) {
        self.stopper.stop();
    }

    pub(crate) fn pause(&self) {
        self.pauses.store(true, Ordering::SeqCst);
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Waits until the last event has been written.
    pub(crate) fn join(self) -> io::Result<()> {
        self.thread.join().unwrap_or(Ok(()))
    }
}

/// Writes the events of a text except the last one, and returns the last one.
fn speak(
    speaker: &Speaker,
    text: &str,
    settings: &Settings,
    output: &Output,
    stopper: &Stopper,
    pauses: &AtomicBool,
) -> io::Result<&'static str> {
    let mut reading = speaker.read_until(text, settings, stopper.clone());
    output.line("701 BEGIN")?;
    while let Ok(events) = &mut reading
        && let Some(event) = events.next_event()
    {
        match event {
            Ok(Event::Audio(samples, _)) => output.audio(&samples)?,
            Ok(Event::Word { .. }) => {}
            Ok(Event::Mark { name, .. }) => {
                output.mark(&name)?;
                if pauses.load(Ordering::SeqCst) && name.starts_with(OWN_MARK) {
                    return Ok("704 PAUSE");
                }
            }
            Err(error) => {
                // only the error is logged, never the text
                eprintln!("sd_shruti: {error}");
                return Ok("703 STOP");
            }
        }
    }
    if let Err(error) = reading {
        eprintln!("sd_shruti: {error}");
        return Ok("703 STOP");
    }
    Ok(if stopper.is_stopped() { "703 STOP" } else { "702 END" })
}
