"""Conversion of NVDA's speech sequences to SSML."""

from xml.sax.saxutils import escape, quoteattr

from speech.commands import (
    BreakCommand,
    CharacterModeCommand,
    IndexCommand,
    LangChangeCommand,
    PitchCommand,
    RateCommand,
    VolumeCommand,
)

# control characters that XML does not allow; each is replaced with a space
_CONTROLS = {code: " " for code in range(0x20) if code not in (0x09, 0x0A, 0x0D)}


def ssml(sequence, languages):
    """Returns the SSML of a sequence of texts and commands.

    A change to a language that is not in `languages` selects language detection.
    """
    out = ["<speak>"]
    language, spells = None, False
    factors = {RateCommand: 1.0, PitchCommand: 1.0, VolumeCommand: 1.0}
    for item in sequence:
        if isinstance(item, str):
            out.append(_text(item, language, spells, factors))
        elif isinstance(item, IndexCommand):
            out.append(f"<mark name={quoteattr(str(item.index))}/>")
        elif isinstance(item, CharacterModeCommand):
            spells = item.state
        elif isinstance(item, LangChangeCommand):
            code = (item.lang or "").replace("-", "_").split("_")[0].lower()
            language = code if code in languages else None
        elif isinstance(item, BreakCommand):
            out.append(f'<break time="{int(item.time)}ms"/>')
        elif type(item) in factors:
            factors[type(item)] = item.multiplier
    out.append("</speak>")
    return "".join(out)


def _text(text, language, spells, factors):
    text = escape(text.translate(_CONTROLS))
    if spells:
        text = "".join(f'<say-as interpret-as="characters">{escape(c)}</say-as> ' for c in _characters(text))
    names = {RateCommand: "rate", PitchCommand: "pitch", VolumeCommand: "volume"}
    attributes = ""
    for command, factor in factors.items():
        if factor != 1.0:
            percent = f"{factor * 100:.0f}%" if command is not PitchCommand else f"{(factor - 1) * 100:+.0f}%"
            attributes += f' {names[command]}="{percent}"'
    if attributes:
        text = f"<prosody{attributes}>{text}</prosody>"
    if language:
        text = f'<lang xml:lang="{language}">{text}</lang>'
    return text


def _characters(text):
    """Returns a text with its XML escapes decoded."""
    for escaped, plain in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(escaped, plain)
    return text
