"""The forge as its own process, as the demo runs it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.demo.forge.operator import ForgeOperator, NewRepository

pytestmark = pytest.mark.real


def test_it_serves_until_it_is_told_to_stop_and_remembers(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bot.demo.forge.app", "--state", str(tmp_path / "state")]
    for run in range(2):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            web = process.stdout.readline().strip()
            assert web.startswith("http://127.0.0.1:")
            with ForgeOperator(web, tmp_path / "state") as operator:
                ada = operator.person("ada")
                if run == 0:
                    operator.repository(NewRepository("ada/hello"))
                    operator.issue(ada, "ada/hello", "Kept")
                found = operator.as_person(ada, "GET", "repos/ada/hello/issues/1")
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0
        assert found.text("title") == "Kept"
