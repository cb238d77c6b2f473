"""Events of a conversation. Times are in milliseconds of a turn's audio."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Union

from .errors import APIError, ShrutiError


@dataclass(frozen=True)
class Started:
    """The audio of a turn starts."""

    turn_id: str
    voice: str
    language: str
    #: Format of the audio of the turn.
    output_format: str = "pcm_24000"


@dataclass(frozen=True)
class Word:
    """Timestamps of a word, and its position in the text of the turn or clip (in characters)."""

    text: str
    start_ms: int
    end_ms: int
    char_start: int
    char_end: int
    #: Spoken form of the word, if it differs from the text.
    spoken: str | None = None


def word_of(word: dict[str, Any]) -> Word:
    """Converts a word of a message."""
    return Word(
        word["text"], word["start_ms"], word["end_ms"], word["char_start"], word["char_end"], word.get("spoken")
    )


@dataclass(frozen=True)
class Words:
    """Timestamps of the words in the audio that follows."""

    turn_id: str
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Audio:
    """Audio: by default, complete 16-bit little-endian samples at 24,000 Hz."""

    turn_id: str
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Flushed:
    """All audio of the text before a `flush` has arrived."""

    turn_id: str | None
    audio_ms: int


@dataclass(frozen=True)
class Done:
    """All audio of a turn has arrived; it may still be playing."""

    turn_id: str
    audio_ms: int
    #: Number of charged characters.
    chars: int
    #: Server-side latency in milliseconds, from the message that lets synthesis start until the first audible sample.
    ttfa_ms: float | None
    #: `complete` or `nothing_to_say`.
    reason: str


@dataclass(frozen=True)
class Heard:
    """The part of a turn that the listener may have heard."""

    ms: int
    #: Text of the turn up to the last word that was heard completely.
    text: str
    char_end: int
    #: `played_ms`: computed from the position in the cancel. `playhead`: estimated by the server.
    basis: str
    #: Unit at which `text` ends: `word`, or `clause` if the voice has no word timestamps.
    cut_at: str = "word"


@dataclass(frozen=True)
class Cancelled:
    """A turn was cancelled, or had already ended. `heard.text + unheard_text` is the turn's text as sent."""

    #: `None` if there was nothing to cancel.
    turn_id: str | None
    #: `cancelled`, `already_done` or `unknown`.
    state: str
    sent_ms: int
    heard: Heard
    unheard_text: str


@dataclass(frozen=True)
class Failed:
    """A turn failed, or its text was refused."""

    turn_id: str
    error: APIError
    sent_ms: int


@dataclass(frozen=True)
class Lost:
    """A turn ended because its connection was lost. Its text is not sent again."""

    turn_id: str
    #: Length of the received audio, in milliseconds; `None` for formats without a fixed number of bytes per
    #: millisecond.
    received_ms: int | None
    error: ShrutiError


@dataclass(frozen=True)
class Reconnected:
    """The connection was restored."""


@dataclass(frozen=True)
class ConfigChanged:
    """The current settings."""

    config: dict[str, Any]


@dataclass(frozen=True)
class Warned:
    """A warning: `late_text` or `turn_abandoned`."""

    code: str
    message: str
    turn_id: str | None = None


@dataclass(frozen=True)
class Rejected:
    """The server rejected a message. If the message contained text or settings of a turn, the turn fails instead."""

    error: APIError
    #: Turn of the message; `None` if the message belonged to no turn.
    turn_id: str | None = None


#: Events of a turn.
TurnEvent = Union[Started, Words, Audio, Flushed, Rejected, Done, Cancelled, Failed, Lost]
#: Events that end a turn.
Outcome = Union[Done, Cancelled, Failed, Lost]
#: Events of a conversation.
Event = Union[TurnEvent, Reconnected, ConfigChanged, Warned]
SOUND = (Started, Words, Audio)
