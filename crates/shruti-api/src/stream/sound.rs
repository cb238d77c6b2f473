//! Audio of the current turn, encoded in the format of the connection.

use bytes::Bytes;
use shruti_audio::{Encoder, Format, wav};
use shruti_engine::turn::TurnId;

/// Encoder that converts samples to binary frames. The audio of each turn is a separate stream. The stream begins with
/// the header of the format, if the format has one, and ends with the last bytes of the encoder.
pub(super) struct Sound {
    format: Format,
    /// The turn whose audio is being sent, and its encoder; `None` between turns and for a turn in the native format.
    speaking: Option<(TurnId, Box<dyn Encoder>)>,
}

impl Default for Sound {
    fn default() -> Self {
        Self { format: Format::NATIVE, speaking: None }
    }
}

impl Sound {
    /// Returns the format of the current turn.
    pub(super) fn format(&self) -> Format {
        self.format
    }

    /// Starts the audio of a turn. Returns the header of the format, which may be empty.
    pub(super) fn begin(&mut self, turn: &TurnId, format: Format) -> Bytes {
        self.format = format;
        self.speaking = None;
        if format == Format::NATIVE {
            return Bytes::new();
        }
        let mut encoder = format.message_encoder();
        let header = encoder.header(None);
        self.speaking = Some((turn.clone(), encoder));
        header.into()
    }

    /// Encodes samples. The result may be empty.
    pub(super) fn frame(&mut self, samples: &[i16]) -> Bytes {
        match &mut self.speaking {
            Some((_, encoder)) => encoder.encode(samples).into(),
            None => wav::bytes(samples).into(),
        }
    }

    /// Ends the audio of a turn. Returns the last bytes of the encoder, if there are any.
    pub(super) fn finish(&mut self, turn: &TurnId) -> Bytes {
        self.take(turn).map(|mut encoder| encoder.finish()).unwrap_or_default().into()
    }

    /// Drops the encoder of a failed or cancelled turn, including the bytes that it still holds.
    pub(super) fn drop_turn(&mut self, turn: &TurnId) {
        self.take(turn);
    }

    /// Removes and returns the encoder of a turn, if that turn is the current one.
    fn take(&mut self, turn: &TurnId) -> Option<Box<dyn Encoder>> {
        self.speaking.take_if(|(speaking, _)| speaking == turn).map(|(_, encoder)| encoder)
    }
}
