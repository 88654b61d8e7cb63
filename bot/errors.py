"""The error tree: told to the asker, retried, or a bug."""

from __future__ import annotations


class AssayError(Exception):
    """The root of every error that Assay raises on purpose."""


class UserError(AssayError):
    """Told to the asker: what happened, and what to do next."""

    def __init__(self, what: str, next_step: str = "") -> None:
        super().__init__(f"{what} {next_step}".strip())
        self.what = what
        self.next_step = next_step


class OutOfTime(UserError):
    """The time that the repository's configuration allows is spent; told like any UserError."""


class Transient(AssayError):
    """Worth another try, not before `retry_after_s` seconds; `tries` in all, 0 for as long as it takes."""

    def __init__(self, what: str, retry_after_s: float = 5.0, tries: int = 0) -> None:
        super().__init__(what)
        self.what = what
        self.retry_after_s = retry_after_s
        self.tries = tries


class Superseded(AssayError):
    """A newer head or a person made this evaluation pointless; `by` says what."""

    def __init__(self, by: str) -> None:
        super().__init__(by)
        self.by = by
