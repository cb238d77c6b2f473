"""What a conversation tells. Times are in milliseconds of a turn's sound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Union

from .errors import APIError, ShrutiError


@dataclass(frozen=True)
class Started:
    """A turn begins to sound."""

    turn_id: str
    voice: str
    language: str
    #: The format of the turn's `Audio`.
    output_format: str = "pcm_24000"


@dataclass(frozen=True)
class Word:
    """When a word is spoken, and where it stands in the text of the turn or clip (in characters)."""

    text: str
    start_ms: int
    end_ms: int
    char_start: int
    char_end: int
    #: What was said for it, if that is not what was written.
    spoken: str | None = None


def word_of(word: dict[str, Any]) -> Word:
    """A word of a message."""
    return Word(
        word["text"], word["start_ms"], word["end_ms"], word["char_start"], word["char_end"], word.get("spoken")
    )


@dataclass(frozen=True)
class Words:
    """When the words of the sound that follows are spoken."""

    turn_id: str
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Audio:
    """Sound: whole samples of 16 bits, little-endian, 24,000 a second, where no other format was asked for."""

    turn_id: str
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Flushed:
    """The sound of everything before a `flush` has come."""

    turn_id: str | None
    audio_ms: int


@dataclass(frozen=True)
class Done:
    """A turn has come whole; it may still be playing."""

    turn_id: str
    audio_ms: int
    #: Characters that are charged.
    chars: int
    #: Inside the server, from what made the first sound possible to the first audible sample.
    ttfa_ms: float | None
    #: `complete` or `nothing_to_say`.
    reason: str


@dataclass(frozen=True)
class Heard:
    """What a listener can have heard of a turn."""

    ms: int
    #: The turn's text up to the last word that was heard whole.
    text: str
    char_end: int
    #: `played_ms`: from the place the cancel gave; `playhead`: as the server reckons.
    basis: str
    #: `word`, or `clause` where a voice does not know when its words are spoken.
    cut_at: str = "word"


@dataclass(frozen=True)
class Cancelled:
    """A turn was cut off, or had ended before. `heard.text + unheard_text` is the turn's text as it was sent."""

    #: `None` where there was nothing to cancel.
    turn_id: str | None
    #: `cancelled`, `already_done` or `unknown`.
    state: str
    sent_ms: int
    heard: Heard
    unheard_text: str


@dataclass(frozen=True)
class Failed:
    """A turn broke off, or its text was refused."""

    turn_id: str
    error: APIError
    sent_ms: int


@dataclass(frozen=True)
class Lost:
    """A turn ended because the connection did. None of it is sent again."""

    turn_id: str
    #: How much of its sound had come; `None` in a format of which bytes tell no time.
    received_ms: int | None
    error: ShrutiError


@dataclass(frozen=True)
class Reconnected:
    """The connection is there again."""


@dataclass(frozen=True)
class ConfigChanged:
    """The settings now in force."""

    config: dict[str, Any]


@dataclass(frozen=True)
class Warned:
    """Something to know: `late_text` or `turn_abandoned`."""

    code: str
    message: str
    turn_id: str | None = None


@dataclass(frozen=True)
class Rejected:
    """A message was not carried out. Where it was text of a turn, the turn fails instead."""

    error: APIError
    #: The turn that it was for, if it named one.
    turn_id: str | None = None


#: What a turn tells.
TurnEvent = Union[Started, Words, Audio, Flushed, Rejected, Done, Cancelled, Failed, Lost]
#: How a turn ends.
Outcome = Union[Done, Cancelled, Failed, Lost]
#: What a conversation tells.
Event = Union[TurnEvent, Reconnected, ConfigChanged, Warned]
SOUND = (Started, Words, Audio)
