"""Where a program may have put the file that a plan expects."""

from __future__ import annotations

import pytest

from sandbox.terminal.shell_interaction import candidates, named_paths


@pytest.mark.parametrize(
    ("expected", "named", "first"),
    [
        ("evaluation/expected_codes.csv", (), "evaluation/codes.csv"),
        ("evaluation/expected_codes.csv", ("out/codes.csv",), "out/codes.csv"),
        ("evaluation/expected_outputs/way.txt", (), "evaluation/outputs/way.txt"),
        ("evaluation/expected_README.md", ("notes.txt",), "evaluation/README.md"),
        ("expected/way.json", (), "way.json"),
    ],
)
def test_the_first_place(expected: str, named: tuple[str, ...], first: str) -> None:
    assert candidates(expected, named)[0] == first


def test_the_reference_itself_is_no_candidate() -> None:
    for expected in ("evaluation/way.txt", "out.csv", "./evaluation/expected.txt"):
        assert expected.removeprefix("./") not in candidates(expected, ("evaluation/way.txt",))


def test_a_file_of_another_name_only_when_it_is_the_only_one_of_its_kind() -> None:
    assert "result.csv" in candidates("expected_table.csv", ("result.csv", "log.txt"))
    assert "a.csv" not in candidates("expected_table.csv", ("a.csv", "b.csv"))


def test_paths_in_prose_commands_and_input() -> None:
    texts = [
        "Write `out/a.csv`, e.g. by python src/cli.py --out ../b.csv /etc/passwd.txt.",
        "1\nx.json",
    ]
    assert named_paths(texts) == ("out/a.csv", "src/cli.py", "x.json")
