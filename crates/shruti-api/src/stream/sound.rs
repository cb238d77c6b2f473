//! The sound of the turn that is spoken, in the format that the connection asks for.

use bytes::Bytes;
use shruti_audio::{Encoder, Format, wav};
use shruti_engine::turn::TurnId;

/// What makes binary frames of samples. Each turn is a stream of its own: it begins with the header of its format, if
/// that has one, and ends with what its encoder held back.
pub(super) struct Sound {
    format: Format,
    /// The turn that sounds, and its encoder where its frames are not the samples themselves.
    speaking: Option<(TurnId, Box<dyn Encoder>)>,
}

impl Default for Sound {
    fn default() -> Self {
        Self { format: Format::NATIVE, speaking: None }
    }
}

impl Sound {
    /// The format of the turn that sounds.
    pub(super) fn format(&self) -> Format {
        self.format
    }

    /// A turn begins to sound: its header, which may be empty.
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

    /// More of it; may be empty.
    pub(super) fn frame(&mut self, samples: &[i16]) -> Bytes {
        match &mut self.speaking {
            Some((_, encoder)) => encoder.encode(samples).into(),
            None => wav::bytes(samples).into(),
        }
    }

    /// A turn is whole: what was held back of it, which may be nothing.
    pub(super) fn finish(&mut self, turn: &TurnId) -> Bytes {
        self.take(turn).map(|mut encoder| encoder.finish()).unwrap_or_default().into()
    }

    /// A turn has broken off; what is held back of it is not sent.
    pub(super) fn drop_turn(&mut self, turn: &TurnId) {
        self.take(turn);
    }

    /// The encoder of a turn, if it is the one that sounds.
    fn take(&mut self, turn: &TurnId) -> Option<Box<dyn Encoder>> {
        self.speaking.take_if(|(speaking, _)| speaking == turn).map(|(_, encoder)| encoder)
    }
}
