"""A new option of a command line has to be needed by a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.folder import Files, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

TASK = "Add a `--shout` flag\n\n`greet NAME --shout` greets in capital letters.\n"
COMMAND = (
    "import argparse\n\n\ndef main(argv=None):\n    parser = argparse.ArgumentParser()\n"
    "    parser.add_argument('name')\n{option}    args = parser.parse_args(argv)\n{body}    return 0\n\n\n"
    "if __name__ == '__main__':\n    main()\n"
)
QUIET = "    print('Hello ' + args.name)\n"
LOUD = "    text = 'Hello ' + args.name\n    print(text.upper() if args.shout else text)\n"
OPTION = "    parser.add_argument('--shout', action='store_true', help='greet loudly')\n"
RUN = (
    "import subprocess\nimport sys\n\n\ndef run(*words):\n    line = [sys.executable, 'greet.py', *words]\n"
    "    return subprocess.run(line, stdout=-1, text=True, check=True).stdout\n\n\n"
    "def test_greets():\n    assert run('you') == 'Hello you\\n'\n"
)
SEES = "\n\ndef test_shout():\n    assert run('you', '--shout') == 'HELLO YOU\\n'\n"
SEES_LITTLE = "\n\ndef test_shout():\n    assert 'you' in run('you', '--shout').lower()\n"


@pytest.mark.parametrize(
    ("body", "test", "is_shown"),
    [(LOUD, SEES, True), (LOUD, SEES_LITTLE, False), (QUIET, SEES_LITTLE, False)],
    ids=["seen", "unseen", "unread"],
)
def test_an_option_that_no_test_needs_is_asked_about(
    tmp_path: Path, body: str, test: str, *, is_shown: bool
) -> None:
    base: Files = {"greet.py": COMMAND.format(option="", body=QUIET), "test_greet.py": RUN}
    folder = open_folder(tmp_path, base)
    head = {"greet.py": COMMAND.format(option=OPTION, body=body), "test_greet.py": RUN + test}
    found = folder.judge(folder.branch("shout", head), task=TASK)
    assert found.conclusion == ("success" if is_shown else "action_required"), found.said()
    assert ("`--shout` changes nothing" in found.said()) is not is_shown, found.said()
