"""Runs git with nothing of the host, of the user or of the repository able to start a program.

The environment is built from nothing: no system or user configuration, no prompt, no lazy fetch.
Options that a repository could misuse are set on the command line, which outranks its own
configuration. A token travels in memory only: an anonymous file whose descriptor git's askpass
reads, so it is in no argument, variable, file or message.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import quote

from sandbox.disk import is_said
from sandbox.errors import CheckoutError, CheckoutUnavailable, DiskTrouble, HostTrouble

BIG_FILE_BYTES = 4 * 1024**2
"""Git makes no text diff of larger files."""
_OPTIONS = {
    "safe.directory": "*",  # ownership says nothing here: no repository is believed anyway
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.attributesFile": "/dev/null",
    "core.excludesFile": "/dev/null",
    "core.askPass": "",
    "core.sshCommand": "false",
    "core.pager": "cat",
    "core.quotePath": "false",
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "core.symlinks": "true",
    "core.autocrlf": "false",
    "core.bigFileThreshold": str(BIG_FILE_BYTES),
    "checkout.workers": "2",
    "credential.helper": "",
    "diff.external": "",
    "diff.renameLimit": "1000",
    "fetch.recurseSubmodules": "false",
    "submodule.recurse": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "30",
    "protocol.allow": "never",
}
_PASSED_ON = (
    "PATH", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "TMPDIR",
)  # fmt: skip
_ASKPASS = """#!/bin/sh
# Answers only for the host that the token was made for, whatever git was redirected to.
case "$1" in
  "Username for '$ASSAY_TOKEN_ORIGIN': ") echo x-access-token ;;
  "Password for '$ASSAY_TOKEN_LOGIN': ") cat "/proc/self/fd/$ASSAY_TOKEN_FD" ;;
  *) exit 1 ;;
esac
"""
_STDERR_BYTES = 64_000
_KILLED_TRIES = 5
_MEMORY_BYTES, _PACK_BYTES = 4 << 30, 16 << 30


@dataclass(frozen=True, slots=True)
class GitCall:
    """One git command below the common options; `variables` come on top of the clean environment.

    `inherit` are descriptors that git and its children keep open.
    """

    arguments: tuple[str, ...]
    git_dir: Path | None = None
    stdin: bytes = b""
    variables: tuple[tuple[str, str], ...] = ()
    protocols: tuple[str, ...] = ()
    inherit: tuple[int, ...] = ()
    timeout_s: float = 120.0
    max_output_bytes: int = 64_000_000


@dataclass(frozen=True, slots=True)
class GitResult:
    """What git said. `truncated` means that it was stopped at `max_output_bytes`."""

    exit_code: int
    stdout: bytes
    stderr: str
    truncated: bool = False


def run_git(call: GitCall) -> GitResult:
    """Run git to its end; a failing git is a value, not an exception.

    Raises CheckoutUnavailable when it takes longer than `timeout_s`, CheckoutError without git.
    """
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
        stdin.write(call.stdin)
        stdin.seek(0)
        process = _start(call, stdin, stderr)
        with process, _deadline(process, call.timeout_s) as expired:
            stdout = process.stdout.read(call.max_output_bytes + 1) if process.stdout else b""
            truncated = len(stdout) > call.max_output_bytes
            if truncated:
                _kill(process)
            exit_code = process.wait()
        if expired.is_set():
            raise CheckoutUnavailable(
                f"git {call.arguments[0]} did not end within {call.timeout_s:.0f} s.",
                "Try again; if it stays, the repository or the network is too slow.",
            )
        # Read without moving the place in the file: a child that outlives git still writes at it.
        text = os.pread(stderr.fileno(), _STDERR_BYTES, 0).decode(errors="replace")
    return GitResult(exit_code, stdout[: call.max_output_bytes], text, truncated)


def git_in(folder: Path | str, *arguments: str) -> GitResult:
    """Run git in a folder of this machine; a failing git is a value."""
    return run_git(GitCall(("-C", str(folder), *arguments)))


def as_assay(date: str) -> tuple[tuple[str, str], ...]:
    """Return the variables by which a commit is Assay's own, made on a date."""
    person = {"NAME": "Assay", "EMAIL": "assay@localhost", "DATE": date}
    roles = ("AUTHOR", "COMMITTER")
    return tuple((f"GIT_{role}_{part}", said) for role in roles for part, said in person.items())


def expect(result: GitResult, doing: str) -> GitResult:
    """Return the result of a git that must not fail. Raises CheckoutError; DiskTrouble for a full disk."""
    if result.exit_code:
        if is_said(result.stderr):
            raise DiskTrouble(f"git could not {doing}: {last_line(result.stderr)}.")
        if result.exit_code < 0:
            raise HostTrouble(f"git was killed while it was to {doing}.", _KILLED_TRIES)
        raise CheckoutError(f"git could not {doing}: {last_line(result.stderr)}")
    return result


def last_line(text: str) -> str:
    """Return the last line that says something, capped: git's own reason."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "git gave no reason"


def _start(call: GitCall, stdin: IO[bytes], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    options = [part for name, value in _OPTIONS.items() for part in ("-c", f"{name}={value}")]
    for protocol in call.protocols:
        options += ["-c", f"protocol.{protocol}.allow=always"]
    place = [] if call.git_dir is None else [f"--git-dir={call.git_dir}"]
    try:
        process = subprocess.Popen(
            ["git", *options, *place, *call.arguments],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=clean_environment() | dict(call.variables),
            cwd="/",
            pass_fds=call.inherit,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise CheckoutError("git is not installed on this machine.", "Install git.") from error
    # Objects can be made to inflate: what git and its children take is bounded.
    for limit, most in (
        (resource.RLIMIT_DATA, _MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, _PACK_BYTES),
    ):
        with suppress(ProcessLookupError):
            hard = resource.prlimit(process.pid, limit)[1]
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.prlimit(process.pid, limit, (least, least))
    return process


def clean_environment() -> dict[str, str]:
    """Return the variables that git starts with; of the host's only path, proxy and certificates."""
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return passed | {
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PROTOCOL_FROM_USER": "0",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_ASKPASS": "false",
        "SSH_ASKPASS": "false",
    }


@contextmanager
def _deadline(process: subprocess.Popen[bytes], timeout_s: float) -> Iterator[threading.Event]:
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        _kill(process)

    timer = threading.Timer(timeout_s, expire)
    timer.start()
    try:
        yield expired
    finally:  # whatever ended it: no git outlives its call
        _kill(process)
        timer.cancel()


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class Askpass:
    """What a git call needs to answer with a token: descriptors to inherit, variables to set."""

    inherit: tuple[int, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()


@contextmanager
def askpass(origin: str, token: str) -> Iterator[Askpass]:
    """Lend `token` to git for one `origin` (scheme and host, with port); it never touches the disk."""
    if not token:
        yield Askpass()
        return
    descriptor = os.memfd_create("assay-token")
    try:
        os.write(descriptor, token.encode() + b"\n")
        with tempfile.TemporaryDirectory(prefix="assay-askpass-") as folder:
            script = Path(folder, "askpass")
            script.write_text(_ASKPASS)
            script.chmod(0o700)
            scheme, _, host = origin.partition("://")
            variables = {
                "GIT_ASKPASS": str(script),
                "ASSAY_TOKEN_ORIGIN": origin,
                "ASSAY_TOKEN_LOGIN": f"{scheme}://{quote('x-access-token')}@{host}",
                "ASSAY_TOKEN_FD": str(descriptor),
            }
            yield Askpass((descriptor,), tuple(variables.items()))
    finally:
        os.close(descriptor)
