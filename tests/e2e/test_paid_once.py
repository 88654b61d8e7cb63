"""kill -9 between two model calls: whoever goes on pays for none of the finished ones again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.report.machine import read_machine
from tests.e2e.folder import Folder, open_folder
from tests.e2e.test_replay import TASK, UNTESTED, answer
from tests.endpoint import Asked, Endpoint, Said, model_endpoint

pytestmark = [pytest.mark.real, pytest.mark.slow]
DEADLY_CALL = 5


@dataclass(slots=True)
class Deadly:
    """Answers as the honest script does, and kills the asker once, at its call of that number."""

    process: subprocess.Popen[bytes] | None = None
    calls: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, asked: Asked) -> Said:
        with self.lock:
            self.calls += 1
            if self.process is not None and self.calls == DEADLY_CALL:
                os.kill(self.process.pid, signal.SIGKILL)
                self.process = None
        return answer(asked)


def started(folder: Folder, home: Path, endpoint: Endpoint, out: Path) -> subprocess.Popen[bytes]:
    """`assay judge` of the branch, with the endpoint's model, one call at a time."""
    task = folder.repository.folder.parent / "task.md"
    task.write_text(TASK)
    environment = {
        "PATH": os.environ["PATH"],
        "ASSAY_HOME": str(home),
        "ASSAY_CHROMIUM": "/nonexistent",
        "ASSAY_MODEL": "test-model",
        "ASSAY_MODEL_URL": endpoint.url,
        "ASSAY_MODEL_KEY": "key",
        "ASSAY_MODEL_CALLS_AT_ONCE": "1",
    }
    argv = [sys.executable, "-m", "bot.cli", "judge", str(folder.repository.folder)]
    argv += ["--base", "main", "--head", "untested", "--task", str(task), "--out", str(out)]
    return subprocess.Popen(argv, env=environment, stderr=subprocess.DEVNULL)


def test_a_killed_run_pays_only_for_the_call_it_died_in(tmp_path: Path) -> None:
    folder = open_folder(tmp_path)
    folder.branch("untested", UNTESTED)
    whole, broken = Deadly(), Deadly()
    with model_endpoint(whole.answer) as endpoint:
        assert started(folder, tmp_path / "whole", endpoint, tmp_path / "a").wait(120) == 0
    with model_endpoint(broken.answer) as endpoint:
        broken.process = killed = started(folder, tmp_path / "home", endpoint, tmp_path / "b")
        assert killed.wait(120) == -signal.SIGKILL
        assert broken.calls == DEADLY_CALL
        assert started(folder, tmp_path / "home", endpoint, tmp_path / "b").wait(120) == 0
    assert whole.calls > DEADLY_CALL
    assert broken.calls == whole.calls + 1, "only the call it died in is asked twice"
    reports = [read_machine((tmp_path / out / "report.json").read_bytes()) for out in ("a", "b")]
    assert reports[0].conclusion == reports[1].conclusion == "success"
    again = sum(one.cached for one in reports[1].usage)
    assert again == DEADLY_CALL - 1
