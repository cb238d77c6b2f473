"""What a connection knows of the turns that were begun on it, and what another server can be told of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .events import Outcome

#: Messages that may wait for a connection, and those of a turn that are kept for another server.
MAX_KEPT = 4096


@dataclass
class TurnState:
    """What is known of a turn that was begun."""

    turn_id: str
    text: str = ""
    handed_over: bool = False
    received: int = 0
    bytes_per_ms: float | None = 48.0
    #: Settings of its own, which the server may refuse.
    settings: frozenset[str] = frozenset()
    outcome: Outcome | None = None
    #: What was handed over and another server can be told instead; `None` once a part was heard or it was cancelled.
    kept: list[dict[str, Any]] | None = field(default_factory=list[dict[str, Any]])
    #: It waits for another server: nothing more of it goes to this one.
    moves: bool = False

    def hand_over(self, message: dict[str, Any]) -> None:
        """Takes note of a message that goes to the server."""
        self.handed_over, self.moves = True, False
        if self.kept is not None and len(self.kept) < MAX_KEPT:
            self.kept.append(message)
        else:
            self.kept = None

    def sound_ms(self) -> int | None:
        """How much of its sound has come; `None` in a format of which bytes tell no time."""
        return int(self.received / self.bytes_per_ms) if self.bytes_per_ms else None


def in_turn_order(messages: Iterable[dict[str, Any]], turn_ids: Iterable[str]) -> list[dict[str, Any]]:
    """Messages in the order in which their turns began, but those before them that go before all that wait (`preempt`),
    which would cancel what is said before. First of all is what is of no turn."""
    messages = list(messages)
    preempting = {message["turn_id"] for message in messages if message.get("preempt")}
    order = {turn_id: (turn_id not in preempting, place) for place, turn_id in enumerate(turn_ids)}
    return sorted(messages, key=lambda message: order.get(message.get("turn_id", ""), (False, -1)))
