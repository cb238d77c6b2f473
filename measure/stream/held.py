#!/usr/bin/env python3
"""Measures the resident memory of an open turn, with a thousand turns of 10,000 characters whose audio is being
received: for plain text, and for the SSML that needs the most memory. Starts a new server for each text.

usage: held.py target/release/shruti [--connections 1000]
"""
import asyncio

from idle import Idle, in_groups
from serving import arguments, read_frame, say, serving

CHARACTERS = 10_000
# maximum number of characters in a message
PIECE = 5_000

# kinds of text: name, opening, and the text that is repeated after the opening
TEXTS = [
    ("plain text", "", "नमस्ते, आपका भुगतान मिल गया है। "),
    ("plain text without an end", "", "नमस्ते "),
    ("plain text in English", "", "your payment has come, thank you. "),
    ("SSML, a paragraph of words", "<speak><p>", "नमस्ते, आपका भुगतान मिल गया है। "),
    ("SSML, every word in its own manner", "<speak>", "<prosody rate='slow' pitch='+1st'>नमस्ते</prosody> "),
    ("SSML, open elements", "<speak>", "<prosody rate='slow'>a "),
    ("SSML, elements alone", "<speak>", "<prosody rate='slow'>"),
    ("SSML, breaks", "<speak>a", "<break time='9s'/>"),
    ("SSML, breaks and words", "<speak>", "a<break time='9s'/>"),
    ("SSML, an open tag", "<speak>a <audio src='", "a"),
    ("SSML, open readings", "<speak>", "<say-as interpret-as='digits'>12 34 56 78 "),
    ("SSML, aliases", "<speak>", "<sub alias='नई दिल्ली शहर'>ND</sub> "),
    ("SSML, a comment", "<speak>a <!--", "- a"),
]


def document(beginning, pattern):
    """Returns `beginning` and as many repetitions of `pattern` as fit into CHARACTERS."""
    return beginning + pattern * ((CHARACTERS - len(beginning)) // len(pattern))


async def measure(server, connections, name, text):
    for _ in range(50):
        warm = await Idle.open(server)
        await warm.speak()
        warm.writer.close()
    idle = await in_groups(Idle.open(server) for _ in range(connections))
    await asyncio.sleep(2)
    before = server.rss_kib()
    for one in idle:
        for at in range(0, len(text), PIECE):
            one.writer.write(say(text=text[at : at + PIECE], turn_id="a"))
    listening = [asyncio.create_task(listen(one)) for one in idle]
    await asyncio.sleep(5)
    each = (server.rss_kib() - before) / connections
    print(f"{name:36} {len(text):6} characters, {len(text.encode()):6} bytes   {each:7.1f} KiB each", flush=True)
    for one in idle:
        one.writer.close()
    await asyncio.gather(*listening)


async def listen(one):
    """Discards the audio; an error message fails the measurement."""
    try:
        while True:
            _, payload = await read_frame(one.reader)
            assert b'"error"' not in payload, payload
    except (asyncio.IncompleteReadError, ConnectionError):
        pass


def main():
    given = arguments(__doc__, connections=1_000)
    for name, beginning, pattern in TEXTS:
        with serving(given.binary) as server:
            asyncio.run(measure(server, given.connections, name, document(beginning, pattern)))


if __name__ == "__main__":
    main()
