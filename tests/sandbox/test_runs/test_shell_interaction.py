"""Items of a test plan in the real sandbox: who types, what ends, which file counts, who misbehaves."""

from __future__ import annotations

import asyncio
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.base import Limits, Sandbox
from sandbox.terminal.shell_interaction import Interaction, TypedCase, WantedFile, interact
from sandbox.terminal.values import FileOutcome
from sandbox.values import Observation, Side

pytestmark = pytest.mark.real

ASKS = """while True:
    answer = input("next> ")
    print("got", answer)
    if answer == "4":
        break
"""
SMALL = Limits(timeout_s=60, memory_mb=1024, processes=64, file_size_mb=200, disk_mb=400)


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return open_sandbox("bubblewrap", tmp_path / "state")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "evaluation").mkdir(parents=True)
    (folder / "asks.py").write_text(ASKS)
    return folder


def item(tree: Path, *cases: TypedCase, **fields: object) -> Interaction:
    wanted = Interaction(Side.HEAD, str(tree), cases, case_limit_s=20, limits=SMALL)
    return replace(wanted, **fields)


def said(seen: Observation) -> list[str]:
    assert seen.item is not None
    return [case.output for case in seen.item.cases]


async def test_somebody_types_when_the_program_waits(sandbox: Sandbox, tree: Path) -> None:
    seen = await interact(sandbox, item(tree, TypedCase("python3 asks.py", "1\nzwei\n4")))
    assert said(seen) == ["next> got 1\nnext> got zwei\nnext> got 4\n"]
    assert (seen.exit_code, seen.problem, seen.timed_out) == (0, "", False)


async def test_the_input_ends_and_the_program_sees_it(sandbox: Sandbox, tree: Path) -> None:
    seen = await interact(sandbox, item(tree, TypedCase("python3 asks.py", "1")))
    assert seen.exit_code == 1
    assert said(seen)[0].rstrip().endswith("EOFError")


async def test_who_asks_for_ever_is_hung_up(sandbox: Sandbox, tree: Path) -> None:
    line = "while :; do read -r x || echo again; done"
    seen = await interact(sandbox, item(tree, TypedCase(line, "a\nb")))
    assert seen.item is not None
    assert seen.item.cases[0].asked_for_more
    assert seen.exit_code == 129
    assert not seen.timed_out


async def test_passwords_shells_and_late_readers_get_their_lines(
    sandbox: Sandbox, tree: Path
) -> None:
    (tree / "login.py").write_text(
        "import getpass, sys\nprint('pw', getpass.getpass('? '))\nprint(sys.stdin.isatty(), input())\n"
    )
    late = 'python3 -c "import time; time.sleep(0.4); print(input()[::-1])"'
    cases = (
        TypedCase("python3 login.py", "secret\nAda"),
        TypedCase('read -r -p "name: " name; echo "[$name]"', "Ada"),
        TypedCase(late, "abc"),
    )
    seen = await interact(sandbox, item(tree, *cases))
    assert "pw secret" in said(seen)[0]
    assert "True Ada" in said(seen)[0]
    assert said(seen)[1:] == ["name: [Ada]\n", "cba\n"]


async def test_keys_by_their_names(sandbox: Sandbox, tree: Path) -> None:
    seen = await interact(
        sandbox, item(tree, TypedCase("cat", "Ctrl+C"), TypedCase("cat", "Ctrl-D"))
    )
    assert seen.item is not None
    assert [case.exit_code for case in seen.item.cases] == [130, 0]


async def test_a_redirected_file_wins_over_who_types(sandbox: Sandbox, tree: Path) -> None:
    (tree / "a b.in").write_text("7\n4\n")
    seen = await interact(sandbox, item(tree, TypedCase("python3 asks.py < 'a b.in'", "9\n4")))
    assert said(seen) == ["next> got 7\nnext> got 4\n"]


async def test_cases_run_in_order_in_one_tree_that_is_thrown_away(
    sandbox: Sandbox, tree: Path
) -> None:
    cases = (TypedCase("echo one > made; cd evaluation && pwd"), TypedCase("cat made; exit 3"))
    seen = await interact(sandbox, item(tree, *cases))
    assert said(seen) == ["/work/tree/evaluation\n", "one\n"]
    assert seen.exit_code == 3
    assert not (tree / "made").exists()


async def test_an_expected_file_counts_only_when_this_run_wrote_it(
    sandbox: Sandbox, tree: Path
) -> None:
    (tree / "evaluation/expected_out.txt").write_text("7\n")
    (tree / "evaluation/out.txt").write_text("7\n")  # of an earlier run
    file = WantedFile(
        "evaluation/expected_out.txt", tree / "evaluation/expected_out.txt", ("evaluation/out.txt",)
    )
    outcomes = []
    for line in ("true", "echo 7 > evaluation/out.txt", "echo 8 > evaluation/out.txt",
                 "rm evaluation/out.txt", "echo 9 > evaluation/expected_out.txt"):  # fmt: skip
        seen = await interact(sandbox, item(tree, TypedCase(line), files=(file,)))
        assert seen.item is not None
        outcomes.append(seen.item.files[0].outcome)
    missing, equal, differs = FileOutcome.MISSING, FileOutcome.EQUAL, FileOutcome.DIFFERS
    assert outcomes == [missing, equal, differs, missing, missing]


async def test_without_a_reference_nothing_is_said(sandbox: Sandbox, tree: Path) -> None:
    file = WantedFile("evaluation/none.txt", None, ("none.txt",))
    wanted = item(tree, TypedCase("echo x > none.txt"), files=(file,), watched=("none.txt", "no"))
    seen = await interact(sandbox, wanted)
    assert seen.item is not None
    assert seen.item.files[0].outcome is FileOutcome.UNDECIDED
    assert seen.item.made == ("none.txt",)


def png(width: int, height: int, shade: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return len(data).to_bytes(4, "big") + checked + zlib.crc32(checked).to_bytes(4, "big")

    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 0, 0, 0, 0])
    lines = zlib.compress((b"\0" + bytes([shade]) * width) * height, shade % 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", lines) + chunk(b"IEND", b"")


async def test_pictures_by_their_pixels(sandbox: Sandbox, tree: Path) -> None:
    if (
        await interact(sandbox, item(tree, TypedCase("/usr/bin/python3 -c 'import PIL'")))
    ).exit_code:
        pytest.skip("the sandbox has no Pillow: apt-get install python3-pil")
    (tree / "want.png").write_bytes(png(40, 30, 100))
    pictures = {
        "nearly.png": png(40, 30, 104),
        "other.png": png(40, 30, 200),
        "small.png": png(30, 30, 100),
        "broken.png": png(40, 30, 100)[:60],
        "huge.png": png(1, 1, 9)[:16] + (10**9).to_bytes(4, "big") * 2 + b"\x08\0\0\0\0",
    }
    for name, content in pictures.items():
        (tree / name).write_bytes(content)
    files = tuple(WantedFile("want.png", tree / "want.png", (name,)) for name in pictures)
    seen = await interact(sandbox, item(tree, files=files))
    assert seen.item is not None
    outcomes = [file.outcome.value for file in seen.item.files]
    assert outcomes == ["equal", "differs", "differs", "unreadable", "unreadable"]


async def test_bad_programs_are_data_and_the_others_go_on(sandbox: Sandbox, tree: Path) -> None:
    bad = {
        "hangs": TypedCase("echo up; sleep 1000"),
        "ignores": TypedCase("trap '' INT TERM HUP; while :; do sleep 1; done"),
        "shouts": TypedCase("yes shout | head -c 100000000"),
        "bombs": TypedCase("bomb() { bomb | bomb & }; bomb; sleep 1000"),
        "daemon": TypedCase("(setsid sleep 1000 &); echo left"),
        "binary": TypedCase(r"printf '\377\000\033[31mred\n'; exit 7"),
        "nothing": TypedCase("no-such-program"),
    }
    wanted = [item(tree, case, case_limit_s=2) for case in bad.values()]
    wanted[2] = replace(wanted[2], case_limit_s=40)
    seen = dict(
        zip(bad, await asyncio.gather(*(interact(sandbox, w) for w in wanted)), strict=True)
    )

    assert (seen["hangs"].exit_code, seen["hangs"].timed_out) == (None, True)
    assert seen["ignores"].timed_out
    assert (seen["shouts"].exit_code, seen["shouts"].truncated) == (0, True)
    assert len(seen["shouts"].output) < 100_000
    assert seen["bombs"].exit_code != 0 or seen["bombs"].timed_out
    assert seen["daemon"].exit_code == 0
    assert seen["binary"].exit_code == 7
    assert seen["nothing"].exit_code == 127


async def test_the_answer_cannot_be_given_by_the_program(sandbox: Sandbox, tree: Path) -> None:
    (tree / "forge.py").write_text(
        "import os, glob\nprint(os.environ.get('ASSAY_CHANNEL_FD'))\nopened = 0\n"
        "for path in glob.glob('/proc/[0-9]*/fd/*') + glob.glob('/proc/[0-9]*/mem'):\n"
        "    if path.startswith((f'/proc/{os.getpid()}/', '/proc/1/')):\n        continue\n"
        "    try:\n        open(path, 'wb').write(b'{}'); opened += 1\n    except OSError:\n        pass\n"
        "print('opened', opened)\nraise SystemExit(5)\n"
    )
    seen = await interact(sandbox, item(tree, TypedCase("python3 forge.py")))
    assert seen.exit_code == 5
    assert said(seen) == ["None\nopened 0\n"]


async def test_characters_that_nobody_can_type(sandbox: Sandbox, tree: Path) -> None:
    for case in (TypedCase("echo \0"), TypedCase("cat", "\ud800")):
        seen = await interact(sandbox, item(tree, case))
        assert "no program can be given" in seen.problem
