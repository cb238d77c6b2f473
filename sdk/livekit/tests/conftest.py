"""Fixtures that start a server, as in the tests of the Python client."""

import pathlib
import sys
from collections.abc import Iterator

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python/tests"))
from server import Server, serving, serving_two


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def two_servers(tmp_path: pathlib.Path) -> Iterator[tuple[Server, Server]]:
    """Two servers that the test may stop."""
    with serving_two(tmp_path) as servers:
        yield servers
