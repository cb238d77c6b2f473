"""Client of Shruti, streaming text-to-speech for eleven languages of India.

    from shruti_tts import Client

    with Client("http://127.0.0.1:8080", "sk_…") as client:
        client.tts("नमस्ते!", output_format="wav_24000").save("namaste.wav")

`AsyncClient` is the client for asyncio; `connect` opens a conversation that can be interrupted.
"""

from ._options import Clarity, Credential, Engine, Timestamps
from .client import AsyncClient
from .clip import AsyncClipStream, Clip, ClipInfo, ClipStream
from .errors import (
    APIError,
    AuthenticationError,
    ConnectionFailedError,
    ConnectionLostError,
    ConversationClosedError,
    ConversationEndedError,
    InvalidRequestError,
    PermissionDeniedError,
    ProtocolError,
    QuotaError,
    RateLimitError,
    RequestTimeoutError,
    ServerError,
    ShrutiError,
)
from .events import (
    Audio,
    Cancelled,
    ConfigChanged,
    Done,
    Event,
    Failed,
    Flushed,
    Heard,
    Lost,
    Outcome,
    Reconnected,
    Rejected,
    Started,
    TurnEvent,
    Warned,
    Word,
    Words,
)
from .player import AsyncPlayer, Player, PlayerError, ProgressBar
from .session import AsyncSession, AsyncTurn
from .sync import Client, Session, Turn
from .timed import AsyncTimedClipStream, TimedAudio, TimedClipStream

__version__ = "0.1.0"
__all__ = [
    "APIError",
    "AsyncClient",
    "AsyncClipStream",
    "AsyncPlayer",
    "AsyncSession",
    "AsyncTimedClipStream",
    "AsyncTurn",
    "Audio",
    "AuthenticationError",
    "Cancelled",
    "Clarity",
    "Client",
    "Clip",
    "ClipInfo",
    "ClipStream",
    "ConfigChanged",
    "ConnectionFailedError",
    "ConnectionLostError",
    "ConversationClosedError",
    "ConversationEndedError",
    "Credential",
    "Done",
    "Engine",
    "Event",
    "Failed",
    "Flushed",
    "Heard",
    "InvalidRequestError",
    "Lost",
    "Outcome",
    "PermissionDeniedError",
    "Player",
    "PlayerError",
    "ProgressBar",
    "ProtocolError",
    "QuotaError",
    "RateLimitError",
    "Reconnected",
    "Rejected",
    "RequestTimeoutError",
    "ServerError",
    "Session",
    "ShrutiError",
    "Started",
    "TimedAudio",
    "TimedClipStream",
    "Timestamps",
    "Turn",
    "TurnEvent",
    "Warned",
    "Word",
    "Words",
]
