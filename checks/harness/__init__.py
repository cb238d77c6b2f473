"""Starts the programs that checks and measurements need on this machine: servers of a release binary, and PostgreSQL.

Python imports it (`sys.path` needs the folder `checks`):

    from harness import running

    with running("target/release/shruti", "--max-streams", "50", SHRUTI_LOG="warn") as server:
        ...  # server.url, server.key, server.data_dir, server.log_text()

Shell scripts source `harness/server.sh`; Node imports `harness/server.mjs`. Both run `harness/serve.py`.
"""

from .postgres import Postgres
from .process import answers, end, free_port, text_of, wait_until
from .server import Server, limited, running

__all__ = ["Postgres", "Server", "answers", "end", "free_port", "limited", "running", "text_of", "wait_until"]
