"""Whose fault a failing build is: told from what the clients print, replayed by a scripted sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.base import Command, Completed, Killed
from sandbox.toolchains import SetupHints, Toolchain
from sandbox.toolchains.build import build
from sandbox.toolchains.ecosystem import BuildRequest
from sandbox.values import Environment, Side
from tests.sandbox.toolchains.projects import detect, project

REFUSED = """error: Failed to fetch: http://packages.example/simple/attrs/
  cause: error sending request for url (http://packages.example/simple/attrs/)
  cause: client error (Connect)
  cause: tcp connect error
  cause: Connection refused (os error 111)
"""
NO_NAME = """error: Failed to fetch: https://packages.example/simple/attrs/
  cause: error sending request for url (https://packages.example/simple/attrs/)
  cause: client error (Connect)
  cause: dns error
  cause: failed to lookup address information: Name or service not known
"""
GO = """go: example.org/quote@v1.5.2: Get "https://packages.example/example.org/quote/@v/v1.5.2.mod":
dial tcp 192.0.2.7:443: i/o timeout
"""
NPM = """npm error code E503
npm error 503 Service Unavailable - GET https://packages.example/ms
"""
UNSOLVABLE = """error: No solution found when resolving dependencies
  cause: Because attrs was not found in the package registry and you require attrs, we can conclude
"""
ABSENT = """npm warn attempt 1 failed with ETIMEDOUT
npm error code ETARGET
npm error notarget No matching version found for typescript@next.
"""
BACKEND = """error: Failed to build `tally @ file:///work/tree`
  cause: The build backend returned an error
  cause: Call to `setuptools.build_meta:__legacy__.build_editable` failed (exit status: 1)

[stderr]
urllib3.exceptions.NewConnectionError: Connection refused, error sending request
"""


class ScriptedSandbox:
    """Answers each command with the next of its answers, then with success."""

    name = "scripted"

    def __init__(self, *answers: Completed) -> None:
        self.answers = list(answers)
        self.commands: list[Command] = []

    async def run(self, command: Command) -> Completed:
        self.commands.append(command)
        return self.answers.pop(0) if self.answers else Completed(0, b"", b"", 0.1)


async def built(tmp_path: Path, *answers: Completed) -> tuple[Environment, ScriptedSandbox]:
    tree = project(tmp_path / "tree", "hatchling")
    recipe = detect(tree, SetupHints(), Toolchain(python="3.11.2", uv="0.13.9"))
    assert recipe is not None
    state = tmp_path / "state"
    sandbox = ScriptedSandbox(*answers)
    request = BuildRequest(Side.BASE, tree, recipe, "1", "a/b", "sha", state)
    return await build(sandbox, request), sandbox


def failed(stderr: str) -> Completed:
    return Completed(2, b"", stderr.encode(), 0.1)


@pytest.mark.parametrize("text", [REFUSED, NO_NAME, GO, NPM])
async def test_the_networks_failure_is_tried_again_and_proves_nothing(
    tmp_path: Path, text: str
) -> None:
    environment, sandbox = await built(tmp_path, failed(text), failed(text))
    assert environment.failure is not None
    assert "could not be reached" in environment.failure.problem
    assert environment.failure.problem.rpartition("The installer said: ")[2] in text
    assert len(sandbox.commands) == 2


async def test_a_second_try_that_works_is_enough(tmp_path: Path) -> None:
    environment, _ = await built(tmp_path, failed(REFUSED))
    assert environment.failure is None


@pytest.mark.parametrize("text", [UNSOLVABLE, BACKEND, ABSENT])
async def test_the_projects_own_failure_is_not_tried_again(tmp_path: Path, text: str) -> None:
    environment, sandbox = await built(tmp_path, failed(text))
    assert environment.failure is not None
    assert environment.failure.problem == ""
    assert environment.failure.output == text.strip()
    assert len(sandbox.commands) == 1


async def test_a_long_output_keeps_its_end(tmp_path: Path) -> None:
    environment, _ = await built(tmp_path, failed("x" * 100_000 + "the reason"))
    assert environment.failure is not None
    assert environment.failure.truncated
    assert len(environment.failure.output) == 20_000
    assert environment.failure.output.endswith("the reason")


async def test_a_build_without_end_is_said_to_have_timed_out(tmp_path: Path) -> None:
    environment, _ = await built(tmp_path, Completed(None, b"", b"", 600.0, Killed.TIMEOUT))
    assert environment.failure is not None
    assert (environment.failure.exit_code, environment.failure.timed_out) == (None, True)
