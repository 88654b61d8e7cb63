"""Judges a tiny repository's good and bad change by either driver: both must come to the same."""

from __future__ import annotations

import asyncio
import os
import subprocess
from functools import cache
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.index import host_index_settings
from sandbox.registry import Client, RegistryAnswer, WantedPackage, look_up
from tests.e2e.ecosystems.node_projects import MANAGERS, RUNNERS
from tests.e2e.ecosystems.project import Files, Project
from tests.e2e.ecosystems.projects import NATIVE
from tests.e2e.ecosystems.python_projects import PYTHON
from tests.e2e.folder import Judged, open_folder

PROJECTS = (*NATIVE, *PYTHON, *MANAGERS, *RUNNERS)
_ASKED_FOR = {Client.PIP: "attrs", Client.NPM: "ms"}


def judge_both(place: Path, project: Project, sandbox: str) -> None:
    """Judge the good and the bad change and hold them to what the project says; may skip."""
    if project.registry and not _answers(project.registry, sandbox, place):
        pytest.skip(f"the registry of {project.registry} does not answer in {sandbox}")
    folder = open_folder(place, {**project.start, **_lock(place, project)}, sandbox)
    folder.branch("good", project.good)
    folder.branch("bad", project.bad)

    good = folder.judge("good", task=project.task)
    bad = folder.judge("bad", task=project.task)

    assert good.conclusion == project.at_best, good.said()
    assert changes(good).get(project.proof) == "fixed", good.said()
    assert bad.conclusion == "failure", bad.said()
    assert changes(bad).get(project.broken) == "regressed", bad.said()


def changes(judged: Judged) -> dict[str, str]:
    """What became of each test, and of each requirement that was observed on both sides."""
    document = judged.document
    cited = {one.id: one.transition for one in document.evidence}
    found = {row.id: cited[row.evidence[0]] for row in document.requirements if row.evidence}
    if tests := document.tests:
        found |= dict.fromkeys(tests.fail_to_pass, "fixed")
        found |= dict.fromkeys(tests.pass_to_fail, "regressed")
    return found


@cache
def _asked(client: Client, sandbox: str, state: Path) -> RegistryAnswer:
    wanted = WantedPackage(client, _ASKED_FOR[client])
    return asyncio.run(look_up(open_sandbox(sandbox, state), [wanted]))[wanted]


def _answers(client: Client, sandbox: str, place: Path) -> bool:
    """Tell whether the client's registry answers in that sandbox; asked once in a session."""
    session = place.parent  # pytest's folder of this run
    return _asked(client, sandbox, session / f"registry-{sandbox}") is not RegistryAnswer.UNKNOWN


def _lock(place: Path, project: Project) -> Files:
    """Lock main's dependencies by the project's own tool, which asks what the sandbox asks."""
    if not project.locked_by:
        return {}
    folder = place / "locked"
    folder.mkdir()
    for path, text in project.start.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    asked = {k: v for k, v in host_index_settings().variables if k.startswith("UV_")}
    subprocess.run(project.locked_by, cwd=folder, env={**os.environ, **asked}, check=True)
    locks = [path for path in folder.glob("*.lock") if path.name not in project.start]
    return {path.name: path.read_text() for path in locks}
