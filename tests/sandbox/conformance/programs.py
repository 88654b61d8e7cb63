"""Arguments, environment, input, output, exit codes, the channel."""

import hashlib
import time
from dataclasses import replace

import pytest

from sandbox.base import Command, Killed, Sandbox
from tests.sandbox.conformance.running import SMALL, program, python, shell


class Programs:
    async def test_arguments_arrive_as_they_are(self, sandbox: Sandbox) -> None:
        odd = ("", " ", "a b", "$(id)", "ü\n", "\udcff", "--", "-x")
        script = "import os,sys; print([os.fsencode(a) for a in sys.argv[1:]])"
        done = await program(sandbox, "/usr/bin/python3", "-c", script, *odd)
        wanted = [b"", b" ", b"a b", b"$(id)", "ü\n".encode(), b"\xff", b"--", b"-x"]
        assert done.stdout == f"{wanted}\n".encode()
        assert (done.exit_code, done.killed, done.truncated) == (0, None, False)

    async def test_environment_is_the_given_one_and_plain_defaults(
        self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GITHUB_TOKEN", "ghs_of_the_worker")
        done = await program(sandbox, "env", environment=(("A", "1 2\n3"), ("LANG", "C")))
        lines = done.stdout.decode().splitlines()
        names = {line.partition("=")[0] for line in lines}
        assert names - {"PWD", "HOSTNAME"} == {"A", "3", "HOME", "LANG", "PATH", "TMPDIR"}
        assert "LANG=C" in lines

    async def test_home_and_tmp_can_be_written(self, sandbox: Sandbox) -> None:
        done = await shell(
            sandbox, 'cd "$HOME" && echo a > a && cd "$TMPDIR" && echo b > b && id -un'
        )
        assert (done.exit_code, done.stderr) == (0, b"")

    async def test_input_is_read_and_ends(self, sandbox: Sandbox) -> None:
        data = bytes(range(256)) * 4000
        done = await program(sandbox, "sha256sum", stdin=data)
        again = await program(sandbox, "wc", "-c", stdin=b"")
        assert done.stdout.split()[0].decode() == hashlib.sha256(data).hexdigest()
        assert again.stdout.strip() == b"0"

    async def test_working_folder_is_used(self, sandbox: Sandbox) -> None:
        done = await program(sandbox, "pwd", cwd="/usr/share")
        assert done.stdout == b"/usr/share\n"

    async def test_missing_working_folder_is_the_programs_failure(self, sandbox: Sandbox) -> None:
        done = await program(sandbox, "pwd", cwd="/nowhere")
        assert done.exit_code not in (0, None)

    @pytest.mark.parametrize("script, code", [("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 137)])
    async def test_exit_code_comes_back(self, sandbox: Sandbox, script: str, code: int) -> None:
        assert (await shell(sandbox, script)).exit_code == code

    async def test_missing_program_is_127(self, sandbox: Sandbox) -> None:
        done = await program(sandbox, "/no/such/program")
        assert done.exit_code == 127
        assert b"/no/such/program" in done.stderr

    async def test_nul_is_refused(self, sandbox: Sandbox) -> None:
        with pytest.raises(ValueError, match="NUL"):
            await sandbox.run(Command(("echo", "a\0b")))

    async def test_output_is_bytes(self, sandbox: Sandbox) -> None:
        done = await shell(sandbox, r"printf '\377\000ok'; printf '\376' >&2")
        assert (done.stdout, done.stderr) == (b"\xff\x00ok", b"\xfe")

    async def test_long_output_keeps_head_and_tail(self, sandbox: Sandbox) -> None:
        script = "echo first; yes x | head -c 100000000; echo last; echo quiet >&2"
        done = await shell(sandbox, script, limits=replace(SMALL, output_bytes=2000))
        assert done.stdout.startswith(b"first\nx\n")
        assert done.stdout.endswith(b"x\nlast\n")
        assert len(done.stdout) < 2200
        assert b"bytes left out" in done.stdout
        assert done.truncated
        assert done.stderr == b"quiet\n"

    async def test_a_million_lines_on_both_streams_do_not_block(self, sandbox: Sandbox) -> None:
        done = await shell(sandbox, "seq 1000000; seq 1000000 >&2")
        assert done.stdout.endswith(b"\n999999\n1000000\n")
        assert done.stderr.endswith(b"\n1000000\n")

    async def test_output_at_the_cap_is_whole(self, sandbox: Sandbox) -> None:
        done = await shell(sandbox, "printf 12345", limits=replace(SMALL, output_bytes=5))
        assert (done.stdout, done.truncated) == (b"12345", False)

    async def test_channel_is_private_and_exact(self, sandbox: Sandbox) -> None:
        script = "import os; os.write(int(os.environ['ASSAY_CHANNEL_FD']), b'result')"
        done = await python(sandbox, script, channel_bytes=6)
        assert (done.channel, done.stdout, done.killed) == (b"result", b"", None)

    async def test_overfull_channel_kills(self, sandbox: Sandbox) -> None:
        script = "head -c 1000000 /dev/zero >&$ASSAY_CHANNEL_FD; sleep 60"
        done = await shell(sandbox, script, channel_bytes=1000)
        assert (done.exit_code, done.killed) == (None, Killed.CHANNEL)
        assert done.channel == bytes(1000)

    async def test_a_child_that_holds_the_pipes_does_not_delay_the_end(
        self, sandbox: Sandbox
    ) -> None:
        started = time.monotonic()
        done = await shell(sandbox, "setsid sleep 300 & nohup sleep 300 & echo done")
        assert done.exit_code == 0
        assert b"done" in done.stdout
        assert time.monotonic() - started < 150

    async def test_python_and_a_unicode_name_work(self, sandbox: Sandbox) -> None:
        done = await python(sandbox, "import sys,ssl,sqlite3; print('ä', sys.version_info[0])")
        assert done.stdout == "ä 3\n".encode()
