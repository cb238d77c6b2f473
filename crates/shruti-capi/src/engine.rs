//! Safe implementation of the engine that a handle points to.

use std::ffi::CString;
use std::sync::{Mutex, MutexGuard, PoisonError};

use shruti_lang::{Language, VoiceEngine};
use shruti_screenreader::{Event, PITCH, Punctuation, RATE, ReadError, Settings, Speaker, Stopper, VOLUME};

use crate::guard::Failure;
use crate::types::ShrutiStatus;

/// Engine with its voices and settings.
pub struct ShrutiEngine {
    speaker: Speaker,
    settings: Mutex<Settings>,
    /// Handle that stops the text being read, or `None` if the engine is idle.
    reading: Mutex<Option<Stopper>>,
    voices: Vec<CString>,
}

/// Guard that marks the engine as idle when a reading ends for any reason.
struct Place<'a>(&'a ShrutiEngine);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *locked(&self.0.reading) = None;
    }
}

impl ShrutiEngine {
    pub(crate) fn new(voice_engine: Option<&str>) -> Result<Self, Failure> {
        let voice_engine = voice_engine.map_or(Ok(VoiceEngine::Rules), str::parse);
        let voice_engine = voice_engine.map_err(|error| value(error.to_string()))?;
        let speaker = Speaker::new(voice_engine)
            .map_err(|error| Failure::new(ShrutiStatus::ErrorFailed, error.to_string()))?;
        let voices =
            speaker.voices().iter().filter_map(|voice| CString::new(voice.name().as_str()).ok()).collect();
        Ok(Self { speaker, settings: Mutex::default(), reading: Mutex::default(), voices })
    }

    pub(crate) fn voices(&self) -> &[CString] {
        &self.voices
    }

    pub(crate) fn set_voice(&self, name: Option<&str>) -> Result<(), Failure> {
        let voices = self.speaker.voices();
        let voice = match name {
            Some(name) => {
                let found =
                    voices.find(name).ok_or_else(|| value(format!("voice '{name}' does not exist")))?;
                Some(found.name().clone())
            }
            None => None,
        };
        locked(&self.settings).voice = voice;
        Ok(())
    }

    pub(crate) fn set_language(&self, code: Option<&str>) -> Result<(), Failure> {
        let language = match code {
            Some(code) => {
                let main = code.split(['-', '_']).next().unwrap_or_default();
                Some(
                    Language::from_code(main)
                        .ok_or_else(|| value(format!("language '{code}' is not supported")))?,
                )
            }
            None => None,
        };
        locked(&self.settings).language = language;
        Ok(())
    }

    pub(crate) fn set_rate(&self, rate: f32) -> Result<(), Failure> {
        if !RATE.contains(&rate) {
            return Err(value("the rate is outside the range from 0.5 to 6.0"));
        }
        locked(&self.settings).rate = rate;
        Ok(())
    }

    pub(crate) fn set_pitch(&self, pitch: f32) -> Result<(), Failure> {
        if !PITCH.contains(&pitch) {
            return Err(value("the pitch is outside the range from -6.0 to 6.0"));
        }
        locked(&self.settings).pitch = pitch;
        Ok(())
    }

    pub(crate) fn set_volume(&self, volume: f32) -> Result<(), Failure> {
        if !VOLUME.contains(&volume) {
            return Err(value("the volume is outside the range from 0.0 to 2.0"));
        }
        locked(&self.settings).volume = volume;
        Ok(())
    }

    pub(crate) fn set_punctuation(&self, level: i32) -> Result<(), Failure> {
        let levels = [Punctuation::None, Punctuation::Some, Punctuation::Most, Punctuation::All];
        let level = usize::try_from(level).ok().and_then(|level| levels.get(level));
        let level = level.ok_or_else(|| value("the punctuation level is outside the range from 0 to 3"))?;
        locked(&self.settings).verbosity.punctuation = *level;
        Ok(())
    }

    pub(crate) fn set_spelling(&self, spelling: bool, capitals: bool) {
        let mut settings = locked(&self.settings);
        settings.verbosity.spelling = spelling;
        settings.verbosity.capitals = capitals;
    }

    /// Reads a text and passes its events to `heard`. The reading stops if `heard` returns `false`.
    pub(crate) fn speak(
        &self,
        text: &str,
        mut heard: impl FnMut(Event) -> bool,
    ) -> Result<ShrutiStatus, Failure> {
        let stopper = Stopper::default();
        {
            let mut reading = locked(&self.reading);
            if reading.is_some() {
                return Err(Failure::new(ShrutiStatus::ErrorBusy, "the engine is reading another text"));
            }
            *reading = Some(stopper.clone());
        }
        let _place = Place(self);
        let settings = locked(&self.settings).clone();
        let mut reading = self.speaker.read_until(text, &settings, stopper.clone()).map_err(failed)?;
        while let Some(event) = reading.next_event() {
            if !heard(event.map_err(failed)?) {
                return Ok(ShrutiStatus::Stopped);
            }
        }
        Ok(if stopper.is_stopped() { ShrutiStatus::Stopped } else { ShrutiStatus::Ok })
    }

    pub(crate) fn stop(&self) {
        if let Some(stopper) = locked(&self.reading).as_ref() {
            stopper.stop();
        }
    }
}

/// Locks a mutex and ignores its poison flag: each change is a single step, so the value is consistent even after a
/// panic.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn value(message: impl Into<String>) -> Failure {
    Failure::new(ShrutiStatus::ErrorValue, message)
}

#[expect(clippy::needless_pass_by_value, reason = "it is passed to map_err")]
fn failed(error: ReadError) -> Failure {
    let status = match error {
        ReadError::TooLong => ShrutiStatus::ErrorTooLong,
        ReadError::OutOfRange(_) => ShrutiStatus::ErrorValue,
        ReadError::Refused(_) | ReadError::Fault(_) => ShrutiStatus::ErrorFailed,
    };
    Failure::new(status, error.to_string())
}
