"""Sees what one pytest item really does, and joins it with what pytest reports of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandbox.harness import canary, describe, outcome

_CO_COROUTINE = 0x80


class Exceptions:
    """pytest's and unittest's exceptions that are no failure, taken before the tree is loaded."""

    def __init__(self, skipped: tuple[type[BaseException], ...], xfailed: type[BaseException]):
        self._skipped = skipped
        self._xfailed = xfailed

    def outcome_of(self, error: BaseException) -> str:
        """Return what a test that raised this did."""
        if isinstance(error, self._skipped):
            return outcome.SKIPPED
        return outcome.XFAILED if isinstance(error, self._xfailed) else outcome.FAILED


class ItemWatch:
    """One item of one run: what was raised inside, what was reported outside."""

    def __init__(self, item: Any, exceptions: Exceptions, needs_call: bool) -> None:
        self._exceptions = exceptions
        self._needs_call = needs_call
        self._ran = False
        self._called = False
        self._seen = outcome.PASSED
        self._seen_message = ""
        self._reports: list[tuple[str, str, str]] = []  # (phase, outcome, message)
        self._guard(item)

    def _guard(self, item: Any) -> None:
        original = item.runtest

        def runtest() -> Any:
            self._ran, self._called = True, False
            self._seen, self._seen_message = outcome.PASSED, ""
            function = getattr(item, "obj", None)
            if function is not None and self._needs_call:
                item.obj = self._wrap(function)
            try:
                result = original()
            except BaseException as error:  # seen and passed on, whatever a test may raise
                self._saw(error)
                raise
            finally:
                if function is not None and self._needs_call:
                    item.obj = function
            for info in item.__dict__.get("_excinfo") or ():  # where unittest items keep theirs
                self._saw(info.value)
            return result

        item.runtest = runtest

    def _wrap(self, function: Any) -> Callable[..., Any]:
        """Return the function with a witness around it, async when it is async."""

        def call(*args: Any, **keywords: Any) -> Any:
            self._enter()
            try:
                return function(*args, **keywords)
            except BaseException as error:  # seen and passed on, too
                self._saw(error)
                raise

        async def call_async(*args: Any, **keywords: Any) -> Any:
            self._enter()
            try:
                return await function(*args, **keywords)
            except BaseException as error:  # seen and passed on, too
                self._saw(error)
                raise

        code = getattr(getattr(function, "__func__", function), "__code__", None)
        is_async = code is not None and bool(code.co_flags & _CO_COROUTINE)
        wrapper = call_async if is_async else call
        wrapper.__dict__.update(getattr(function, "__dict__", {}))
        wrapper.__name__ = getattr(function, "__name__", "test")
        wrapper.__dict__["__wrapped__"] = function
        return wrapper

    def _enter(self) -> None:
        """Start an attempt: of a test that a plugin repeats, the last attempt counts."""
        self._called = True
        self._seen, self._seen_message = outcome.PASSED, ""

    def _saw(self, error: BaseException) -> None:
        found = self._exceptions.outcome_of(error)
        self._seen = outcome.worse(self._seen, found)
        if found == outcome.FAILED:
            self._seen_message = f"{type(error).__name__}: {_text(error)}"

    def reported(self, phase: str, raised: BaseException | None, report: Any) -> None:
        """Take one report of pytest together with the exception that it was made from."""
        if phase == "setup":
            self._reports = []
        found = _outcome(phase, report)
        message = describe.tail(str(report.longrepr)) if report.longrepr else ""
        if raised is not None and found == outcome.PASSED:
            found = outcome.worse(found, self._exceptions.outcome_of(raised))
            message = f"{type(raised).__name__}: {_text(raised)}\n(its report said: passed)"
        self._reports.append((phase, found, message))

    def seen(self) -> str:
        """Return what the test itself did, whatever was reported; unknown if it never came to it."""
        if not self._ran:
            return canary.UNKNOWN
        return self._seen if self._called or not self._needs_call else outcome.ERROR

    def verdict(self) -> tuple[str, str]:
        """Return (outcome, message) of the last attempt: the worse of seen and reported."""
        found, message = self._reported()
        if found == outcome.XFAILED:
            return found, message
        if found in (outcome.PASSED, outcome.XPASSED):
            if not self._ran or (self._needs_call and not self._called):
                return outcome.ERROR, "This test was reported as passed but its code never ran."
            if self._seen == outcome.SKIPPED:
                return self._seen, self._seen_message
        if self._seen == outcome.FAILED and found not in (outcome.ERROR, outcome.FAILED):
            note = f"{self._seen_message}\n(its report was rewritten to: {found})"
            return outcome.FAILED, describe.tail(note)
        return found, message

    def _reported(self) -> tuple[str, str]:
        """Join the reports: the last of the call, and every failure of any phase."""
        calls = [entry for entry in self._reports if entry[0] == "call"]
        bad = [entry for entry in self._reports if entry[1] in (outcome.FAILED, outcome.ERROR)]
        others = [e for e in self._reports if e[0] != "call" and e[1] != outcome.PASSED]
        if bad:
            _, found, message = max(bad, key=lambda entry: entry[1] == outcome.ERROR)
            return found, message
        if not calls and not others:
            return outcome.ERROR, "pytest reported nothing for this test."
        _, found, message = (calls or others)[-1]
        return found, message


def _outcome(phase: str, report: Any) -> str:
    if report.outcome not in ("passed", "failed", "skipped", "rerun"):
        return outcome.ERROR
    if report.outcome in ("failed", "rerun"):
        return outcome.FAILED if phase == "call" else outcome.ERROR
    if report.outcome == "skipped":
        return outcome.XFAILED if hasattr(report, "wasxfail") else outcome.SKIPPED
    return outcome.XPASSED if phase == "call" and hasattr(report, "wasxfail") else outcome.PASSED


def _text(error: BaseException) -> str:
    """Return the text of a foreign exception, whose own `__str__` may be broken."""
    arguments = error.args
    return ", ".join(part if isinstance(part, str) else type(part).__name__ for part in arguments)
