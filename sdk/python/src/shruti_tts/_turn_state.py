"""State of the turns of a connection, including the messages that can be replayed to another server."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .events import Outcome

#: Maximum number of messages that wait for a connection, and maximum number of messages kept per turn for another
#: server.
MAX_KEPT = 4096


@dataclass
class TurnState:
    """State of a turn."""

    turn_id: str
    text: str = ""
    handed_over: bool = False
    received: int = 0
    bytes_per_ms: float | None = 48.0
    #: Names of the settings of this turn. The server may reject them.
    settings: frozenset[str] = frozenset()
    outcome: Outcome | None = None
    #: Messages to resend if the turn moves to another server. `None` if the turn cannot move: part of its audio was
    #: received, it was cancelled, or it has too many messages.
    kept: list[dict[str, Any]] | None = field(default_factory=list[dict[str, Any]])
    #: Whether the turn waits for another server. No more of its messages are sent to the current server.
    moves: bool = False

    def hand_over(self, message: dict[str, Any]) -> None:
        """Records a message that is sent to the server."""
        self.handed_over, self.moves = True, False
        if self.kept is not None and len(self.kept) < MAX_KEPT:
            self.kept.append(message)
        else:
            self.kept = None

    def sound_ms(self) -> int | None:
        """Returns the milliseconds of audio received; `None` for formats without fixed bytes per millisecond."""
        return int(self.received / self.bytes_per_ms) if self.bytes_per_ms else None


def in_turn_order(messages: Iterable[dict[str, Any]], turn_ids: Iterable[str]) -> list[dict[str, Any]]:
    """Returns messages in the order in which their turns began, except that turns with `preempt` come first.

    A `preempt` later in the order would cancel the turns before it. Messages without a turn precede all others.
    """
    messages = list(messages)
    preempting = {message["turn_id"] for message in messages if message.get("preempt")}
    order = {turn_id: (turn_id not in preempting, place) for place, turn_id in enumerate(turn_ids)}
    return sorted(messages, key=lambda message: order.get(message.get("turn_id", ""), (False, -1)))
