"""Correction of the conversation history after interruptions."""

from __future__ import annotations

from typing import Any

from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    AssistantTurnStoppedMessage,
    LLMAssistantAggregator,
)
from shruti_tts import Cancelled

from .tts import ShrutiTTSService


def mend_context(tts: ShrutiTTSService, aggregator: LLMAssistantAggregator, context: LLMContext) -> None:
    """Replaces an interrupted response in `context` with the part that was heard.

    The aggregator records the text that was sent to the transport; the server knows which part may have been heard.
    """
    heard: list[Cancelled] = []

    @tts.event_handler("on_heard")
    async def _heard(_: ShrutiTTSService, cancelled: Cancelled) -> None:
        heard[:] = [cancelled]

    @aggregator.event_handler("on_assistant_turn_stopped")
    async def _stopped(_: LLMAssistantAggregator, message: AssistantTurnStoppedMessage) -> None:
        if not message.interrupted or not heard:
            heard.clear()
            return
        text = heard.pop().heard.text.strip()
        messages: list[Any] = context.get_messages()
        last = messages[-1] if messages else None
        written = isinstance(last, dict) and last.get("role") == "assistant" and last.get("content") == message.content
        if written and message.content:
            messages = messages[:-1]
        if text:
            messages = [*messages, {"role": "assistant", "content": text}]
        context.set_messages(messages)
