"""Reads JUnit's XML as ctest, Maven and many runners write it; refuses documents with a DTD.

There is no standard: `testcase` elements with `name`, `classname`, `time`, and in them `failure`,
`error` or `skipped` are what all dialects share; ctest adds a `status` attribute.
"""

from __future__ import annotations

from xml.parsers import expat

from sandbox.harness import outcome
from sandbox.harness.readers.seen import (
    MESSAGE_CHARS,
    MOST_TESTS,
    NAME_CHARS,
    Reading,
    Seen,
    clipped,
    seconds,
)

_DEPTH = 50
_BAD = {"failure": outcome.FAILED, "error": outcome.ERROR, "skipped": outcome.SKIPPED}
# ctest's words; "notrun" is what could not be started, unless a `skipped` element explains it.
_STATUS = {"fail": outcome.FAILED, "notrun": outcome.ERROR, "disabled": outcome.SKIPPED}


class _Refused(Exception):
    """A document that is not read any further."""


class _JunitDocument:
    def __init__(self) -> None:
        self.tests: list[Seen] = []
        self._depth = 0
        self._case: dict[str, str] | None = None
        self._outcome = ""
        self._text: list[str] = []
        self._room = MESSAGE_CHARS

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEPTH or len(self.tests) >= MOST_TESTS:
            raise _Refused("The document is too deep or has too many tests.")
        if tag == "testcase" and self._case is None:
            self._case, self._text, self._room = attributes, [], MESSAGE_CHARS
            self._outcome = _STATUS.get(attributes.get("status", ""), "")
        elif self._case is not None and tag in _BAD:
            self._outcome = self._worst(_BAD[tag])
            self._say(attributes.get("message", "") + "\n")

    def _worst(self, found: str) -> str:
        if found == outcome.SKIPPED:
            return outcome.SKIPPED if self._outcome in ("", outcome.ERROR) else self._outcome
        return outcome.worse(found, self._outcome or outcome.PASSED)

    def end(self, tag: str) -> None:
        self._depth -= 1
        if tag != "testcase" or self._case is None:
            return
        case, self._case = self._case, None
        self.tests.append(
            Seen(
                case.get("name", "")[:NAME_CHARS],
                self._outcome or outcome.PASSED,
                seconds(case.get("time", "0")),
                clipped("".join(self._text).strip()),
                case.get("classname", "")[:NAME_CHARS],
            )
        )

    def text(self, data: str) -> None:
        if self._case is not None and self._outcome:
            self._say(data)

    def _say(self, text: str) -> None:
        self._text.append(text[: self._room])
        self._room -= len(self._text[-1])


def read(document: bytes) -> Reading:
    """Return every `testcase`; a broken or refused document gives what stood before the break."""
    reader = _JunitDocument()
    parser = expat.ParserCreate()

    def refuse(*_: object) -> None:
        raise _Refused("The document declares a document type, which is not read.")

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(document, True)
    except _Refused as refused:
        return Reading(tuple(reader.tests), str(refused))
    except (expat.ExpatError, ValueError, LookupError) as error:
        return Reading(tuple(reader.tests), f"The results are no XML: {error}."[:300])
    return Reading(tuple(reader.tests))
