"""Runs every example of the README unchanged."""

from __future__ import annotations

import pathlib
import re

import pytest

from programs import running
from server import Server

README = pathlib.Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.DOTALL | re.MULTILINE)
AGENT = next(block for block in BLOCKS if "async def agent" in block)


def program(block: str, folder: pathlib.Path, server: Server) -> list[str]:
    filled = block.replace("http://127.0.0.1:8080", server.url).replace("sk_...", server.key)
    (folder / "example.py").write_text(filled, "utf-8")
    return ["example.py"]


def test_the_agent_has_ten_lines() -> None:
    body = AGENT[AGENT.index("async def agent") :]
    assert len([line for line in body.splitlines() if line.strip()]) <= 10


def test_the_agent_is_interrupted(server: Server, tmp_path: pathlib.Path) -> None:
    with running(program(AGENT, tmp_path, server), tmp_path, server) as agent:
        long = "एक दो तीन चार पाँच छह सात आठ नौ दस " * 20
        agent.type(long)
        agent.until_said("heard:")
        agent.until_played(24_000)
        agent.type("बस")
        line = agent.until_said("heard:")
        heard, _, unheard = line.removeprefix("heard: ").partition(" | not heard: ")
        assert unheard.strip()
        assert "आपने कहा: ".startswith(heard) or heard.startswith("आपने कहा: ")
        said = agent.rest()
        assert agent.process.returncode == 0, said
        # the player received the second response, and only a small part of the first one
        assert 48_000 < agent.played() < 480_000


@pytest.mark.parametrize("block", [block for block in BLOCKS if block != AGENT], ids=range(len(BLOCKS) - 1))
def test_example(block: str, server: Server, tmp_path: pathlib.Path) -> None:
    with running(program(block, tmp_path, server), tmp_path, server) as example:
        said = example.rest()
        assert example.process.returncode == 0, said
        assert "Warning" not in said
    if "save(" in block:
        files = [*tmp_path.glob("*.wav"), *tmp_path.glob("*.mp3")]
        assert files
        assert all(file.stat().st_size > 4_800 for file in files)
    if "print" in block:
        assert "एम्स" in said or "Done(" in said
