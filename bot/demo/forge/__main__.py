"""Runs a forge: `python -m bot.demo.forge --state DIR --port N`; prints its address, ends on SIGTERM."""

from __future__ import annotations

import argparse
import signal
import threading
from pathlib import Path

from bot.demo.forge.app import RunningForge


def main() -> None:
    """Serves until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="bot.demo.forge", description=__doc__)
    parser.add_argument("--state", type=Path, required=True, help="folder for its data")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    arguments = parser.parse_args()
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    with RunningForge(arguments.state, arguments.port) as forge:
        print(forge.web, flush=True)
        ended.wait()


if __name__ == "__main__":
    main()
