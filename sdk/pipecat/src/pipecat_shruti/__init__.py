"""Shruti text-to-speech for Pipecat."""

from .mend import mend_context
from .tts import ShrutiTTSService, ShrutiTTSSettings

__version__ = "0.1.0"
__all__ = ["ShrutiTTSService", "ShrutiTTSSettings", "mend_context"]
