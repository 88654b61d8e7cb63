"""`assay mcp` as coding agents meet it: the protocol's own client, a real process, a real sandbox."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult

from bot.evaluation import STAGES
from tests.bot.commands.running import assay, environment, running_assay
from tests.world import git

pytestmark = [pytest.mark.real, pytest.mark.slow]

CODE = "def greet(name):\n    return 'hello'\n"
WRONG = "def greet(name):\n    return f'good day {name}'\n"
RIGHT = "def greet(name):\n    return f'hello {name}'\n"
SLOW = "import time\n\n\ndef greet(name):\n    time.sleep(500)\n    return 'hello'\n"
TASK = 'Greet by name\n\n- [ ] `greet("Ada")` returns "hello Ada"\n'
TEST = """import unittest
from greeting import greet


class TestGreet(unittest.TestCase):
    def test_greet_says_hello(self):
        self.assertIn("hello", greet("Ada"))
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository without dependencies whose work tree greets wrongly; nothing of it is committed."""
    tree = tmp_path / "tree"
    (tree / "tests").mkdir(parents=True)
    git(tree, "init", "--quiet", "--initial-branch=main")
    (tree / "greeting.py").write_text(CODE)
    (tree / "tests" / "__init__.py").touch()
    (tree / "tests" / "test_hello.py").write_text(TEST)
    (tree / "task.md").write_text(TASK)
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "-m", "Start")
    (tree / "greeting.py").write_text(WRONG)
    return tree


@asynccontextmanager
async def stdio(tree: Path, wire: Path) -> AsyncIterator[Client]:
    """A client of a server that it starts itself; all that this says on stdout is kept in `wire`."""
    line = 'exec "$0" -m bot.cli mcp "$1" | tee "$2"'
    server = StdioServerParameters(
        command="bash",
        args=["-c", line, sys.executable, str(tree), str(wire)],
        env=environment(tree / ".assay", {}),
        cwd="/",
    )
    async with Client(server) as client:
        yield client


@pytest.fixture
def server(tree: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with running_assay(tree / ".assay", "mcp", str(tree), "--http", "0") as process:
        assert process.stdout
        lines = (_SERVING.search(line) for line in process.stdout)
        yield process, next(found[1] for found in lines if found)


@pytest.fixture
def address(server: tuple[subprocess.Popen[str], str]) -> str:
    return server[1]


_SERVING = re.compile(r"Serving (http://127\.0\.0\.1:\d+/mcp)$")


def text(result: CallToolResult) -> str:
    (content,) = result.content
    assert content.type == "text"
    return content.text


def verdicts(result: CallToolResult) -> dict[str, str]:
    assert not result.is_error, text(result)
    assert result.structured_content
    return {row["id"]: row["verdict"] for row in result.structured_content["requirements"]}


async def from_faulty_to_repaired(client: Client, tree: Path) -> None:
    """What an agent does: judge, read what is missing and what shows it, repair, judge again."""
    early = await client.call_tool("missing")
    assert early.is_error and "Call `judge` first" in text(early)

    told: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    first = await client.call_tool("judge", {"task_file": "task.md"}, progress_callback=hear)
    found = verdicts(first)
    assert first.structured_content and first.structured_content["conclusion"] == "failure"
    assert (found["B1"], found["B2"]) == ("satisfied", "unsatisfied")
    (asked,) = (id_ for id_ in found if id_.startswith("R"))
    assert found[asked] == "unsatisfied"
    assert f"{asked} unsatisfied" in text(first)
    values = [value for value, _, _ in told]
    assert values == sorted(set(values)) and {total for _, total, _ in told} == {len(STAGES)}
    assert {"checkout", "observe", "judge"} <= {message for _, _, message in told}
    assert any("of 4 runs" in (message or "") for _, _, message in told)

    missing = await client.call_tool("missing")
    assert set(verdicts(missing)) == {"B2", asked}
    assert "What would count: " in text(missing)

    explained = await client.call_tool("explain", {"requirement": "b2"})
    assert explained.structured_content
    (test,) = explained.structured_content["tests"]
    assert (test["base_on_base"], test["base_on_head"]) == ("passed", "failed")
    assert "'hello' not found in 'good day Ada'" in text(explained)

    command = await client.call_tool("command", {"requirement": "B2"})
    assert command.structured_content
    (shown,) = command.structured_content["commands"]
    assert shown["command"] == "python -m unittest"
    assert "test_greet_says_hello: AssertionError" in shown["shows"]

    (tree / "greeting.py").write_text(RIGHT)
    (tree / "tests" / "test_name.py").write_text(TEST.replace('"hello"', '"hello Ada"'))
    second = await client.call_tool("judge", {"task": TASK})
    assert set(verdicts(second).values()) == {"satisfied"}, text(second)
    assert second.structured_content and second.structured_content["conclusion"] == "success"
    assert "Nothing is missing." in text(await client.call_tool("missing"))
    fine = await client.call_tool("command", {"requirement": asked})
    assert fine.is_error and "there is no failure to show" in text(fine)


async def test_over_stdio_from_faulty_to_repaired(tree: Path, tmp_path: Path) -> None:
    before = git(tree, "rev-parse", "HEAD")
    wire = tmp_path / "wire"
    async with stdio(tree, wire) as client:
        tools = {one.name: one for one in (await client.list_tools()).tools}
        assert set(tools) == {"judge", "explain", "missing", "command"}
        assert all(one.output_schema and one.description for one in tools.values())
        await from_faulty_to_repaired(client, tree)

    said = [json.loads(line) for line in wire.read_text().splitlines()]
    assert said and {one["jsonrpc"] for one in said} == {"2.0"}
    assert (tree / "assay-report" / "report.md").exists()
    assert git(tree, "rev-parse", "HEAD") == before
    assert "assay" not in git(tree, "status", "--porcelain")


def test_the_protocols_inspector_lists_and_calls_the_tools(tree: Path, tmp_path: Path) -> None:
    install = ["npm", "install", "--no-audit", "--no-fund", "--silent", "--ignore-scripts"]
    where = ["--prefix", str(tmp_path), "@modelcontextprotocol/inspector-cli@0.15.0"]
    try:
        subprocess.run([*install, *where], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"npm cannot install the inspector here: {error}")
    inspector = tmp_path / "node_modules/@modelcontextprotocol/inspector-cli/build/index.js"
    server = [sys.executable, "-m", "bot.cli", "mcp", str(tree)]

    def inspect(*wishes: str) -> Any:
        line = ["node", str(inspector), *server, "--method", *wishes]
        variables = environment(tree / ".assay", {})
        done = subprocess.run(line, capture_output=True, text=True, env=variables, check=True)
        return json.loads(done.stdout)

    names = {one["name"] for one in inspect("tools/list")["tools"]}
    assert names == {"judge", "explain", "missing", "command"}
    task = ("--tool-name", "judge", "--tool-arg", "task_file=task.md")
    judged = inspect("tools/call", *task)["structuredContent"]
    assert judged["conclusion"] == "failure"
    assert {row["id"] for row in judged["requirements"] if row["verdict"] == "unsatisfied"}


async def test_over_http_from_faulty_to_repaired(tree: Path, address: str) -> None:
    async with Client(address) as client:
        await from_faulty_to_repaired(client, tree)


async def test_a_client_of_the_older_protocol_is_served(tree: Path, address: str) -> None:
    git(tree, "checkout", "--quiet", "-b", "work")
    git(tree, "commit", "--quiet", "--all", "-m", "Be formal")
    async with Client(address, mode="legacy") as client:
        done = await client.call_tool("judge", {"base": "main", "head": "work"})
        assert verdicts(done)["B2"] == "unsatisfied"
        assert done.structured_content and done.structured_content["change"] == "main…work"


def test_a_page_of_the_web_cannot_reach_the_port(address: str) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accepts = {"Accept": "application/json, text/event-stream"}
    for more, status in (
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": address.removesuffix("/mcp").replace("http:", "https:")}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
    ):
        answered = httpx.post(address, json=asked, headers={**accepts, **more})
        assert answered.status_code == status, (more, answered.text)


REFUSED: tuple[tuple[str, dict[str, str], str], ...] = (
    ("judge", {"task_file": "../outside.md"}, "is outside of"),
    ("judge", {"task_file": "link.md"}, "is outside of"),
    ("judge", {"task_file": "tests"}, "is not a file below"),
    ("judge", {"task_file": "a\0b"}, "is not a path"),
    ("judge", {"task_file": "long.md"}, "is longer than"),
    ("judge", {"task": "x", "task_file": "task.md"}, "do not go together"),
    ("judge", {"head": "--upload-pack=touch /tmp/x"}, "names no commit"),
    ("judge", {"base": "nowhere"}, "'nowhere' names no commit"),
    ("judge", {"head": "HEAD"}, "has no new commits to judge"),
    ("explain", {}, "requirement"),
    ("explain", {"requirement": "R1"}, "Nothing was judged here yet"),
    ("missing", {}, "Nothing was judged here yet"),
)


async def test_what_cannot_be_done_is_said(tree: Path, address: str) -> None:
    (tree.parent / "outside.md").write_text("secret")
    (tree / "link.md").symlink_to("../outside.md")
    (tree / "long.md").write_text("x" * 200_001)
    async with Client(address) as client:
        for tool, arguments, said in REFUSED:
            answered = await client.call_tool(tool, arguments)
            assert answered.is_error and said in text(answered), text(answered)
            assert "Traceback" not in text(answered)
        (tree / "assay-report").mkdir(exist_ok=True)
        (tree / "assay-report" / "report.json").write_text("{}")
        answered = await client.call_tool("missing")
        assert "cannot be read. Call `judge` again" in text(answered)


async def test_a_repository_that_is_swapped_for_another_is_not_judged(
    tree: Path, address: str
) -> None:
    secret = tree.with_name("secret")
    git(tree.parent, "clone", "--quiet", str(tree), str(secret))
    (tree / ".git").rename(tree.parent / "kept")
    (tree / ".git").write_text(f"gitdir: {secret}/.git\n")
    async with Client(address) as client:
        answered = await client.call_tool("judge")
    assert answered.is_error and "which is outside of it" in text(answered)


async def test_a_part_of_a_repository_names_the_whole(tree: Path) -> None:
    async with stdio(tree / "tests", tree.parent / "wire") as client:
        answered = await client.call_tool("judge")
    assert answered.is_error and f"Start `assay mcp {tree}`" in text(answered)


@pytest.mark.parametrize("transport", ("stdio", pytest.param("http", marks=pytest.mark.slow)))
async def test_a_cancelled_call_ends_its_processes(
    tree: Path, transport: str, request: pytest.FixtureRequest
) -> None:
    (tree / "greeting.py").write_text(SLOW)
    if transport == "http":
        connected: Any = Client(request.getfixturevalue("address"))
    else:
        connected = stdio(tree, tree.parent / "wire")
    async with connected as client:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "judge", {})
                await _until(lambda: len(sandboxed(tree)) >= 3)
                running = sandboxed(tree)
                scope.cancel()
        await _until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in running))
        assert not sandboxed(tree)
        assert "Nothing was judged here yet" in text(await client.call_tool("missing"))


async def test_a_server_that_is_stopped_ends_what_it_runs(
    tree: Path, server: tuple[subprocess.Popen[str], str]
) -> None:
    (tree / "greeting.py").write_text(SLOW)
    process, address = server
    running: list[int] = []
    with pytest.raises(ExceptionGroup):  # the connection is gone
        async with Client(address) as client, anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "judge", {})
            await _until(lambda: len(sandboxed(tree)) >= 3)
            running = sandboxed(tree)
            process.terminate()
    await _until(lambda: process.poll() is not None)
    await _until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in running))


def test_a_missing_library_names_the_command_that_installs_it(tree: Path) -> None:
    program = "import sys; sys.modules['mcp'] = None; from bot.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "mcp", str(tree)],
        env=environment(tree / ".assay", {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "pip install --no-deps -r deploy/mcp.lock" in done.stderr
    assert "Traceback" not in done.stderr


def sandboxed(tree: Path) -> list[int]:
    """The processes in a sandbox that this repository's server started."""
    parents: dict[int, int] = {}
    lines: dict[int, str] = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            stat = (process / "stat").read_text().rpartition(")")[2].split()
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:  # it has ended
            continue
        parents[int(process.name)], lines[int(process.name)] = int(stat[1]), line
    inside = {pid for pid, line in lines.items() if f"-m bot.cli mcp {tree}" in line}
    for _ in range(6):  # generations
        inside |= {pid for pid, parent in parents.items() if parent in inside}
    return [pid for pid in inside if "/bwrap " in lines[pid] or "harness" in lines[pid]]


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110  of other processes
            await asyncio.sleep(0.05)


def test_a_port_that_is_taken_ends_with_two(tree: Path, address: str) -> None:
    port = address.rpartition(":")[2].removesuffix("/mcp")
    done = assay(tree / ".assay", "mcp", str(tree), "--http", port)
    assert done.returncode == 2
    assert f"Port {port} cannot be served" in done.stderr
    assert "Traceback" not in done.stderr
