"""Checks `shruti mcp` with the official client library of the protocol (`mcp` on PyPI).

usage: mcp_client.py path/to/shruti SERVER KEY
"""

import asyncio
import base64
import pathlib
import sys
import tempfile
import wave

from mcp import Client, StdioServerParameters, stdio_client

SHRUTI, SERVER, KEY = sys.argv[1:]
ENVIRONMENT = {"SHRUTI_SERVER": SERVER, "SHRUTI_API_KEY": KEY}


def client(*arguments: str) -> Client:
    return Client(stdio_client(StdioServerParameters(command=SHRUTI, args=["mcp", *arguments], env=ENVIRONMENT)))


async def main() -> None:
    async with client() as session:
        tools = {tool.name for tool in (await session.list_tools()).tools}
        assert tools == {"speak", "list_voices", "explain_pronunciation"}, tools
        spoken = await session.call_tool("speak", {"text": "नमस्ते! ₹5 दीजिए।", "voice": "Arjun", "language": "hi"})
        assert not spoken.is_error, spoken
        sound = base64.b64decode(spoken.content[1].data)
        assert sound.startswith(b"RIFF") and len(sound) > 48_000, len(sound)
        voices = await session.call_tool("list_voices", {})
        assert "Ananya" in voices.content[0].text, voices
        read = await session.call_tool("explain_pronunciation", {"text": "₹5", "language": "hi"})
        assert "पाँच" in read.content[0].text, read
        wrong = await session.call_tool("speak", {"text": "a", "voice": "nobody"})
        assert wrong.is_error and "voices are" in wrong.content[0].text, wrong
        calls = [session.call_tool("speak", {"text": "एक वाक्य।"}) for _ in range(4)]
        assert all(not call.is_error for call in await asyncio.gather(*calls))

    with tempfile.TemporaryDirectory() as folder:
        async with client("--folder", folder) as session:
            await session.call_tool("speak", {"text": "नमस्ते"})
        [path] = pathlib.Path(folder).iterdir()
        with wave.open(str(path)) as file:
            seconds = file.getnframes() / file.getframerate()
        assert 0.3 < seconds < 3, seconds
    print(f"mcp: {len(tools)} tools, {len(sound)} bytes of speech inline, {seconds:.1f} s in a file")


asyncio.run(main())
