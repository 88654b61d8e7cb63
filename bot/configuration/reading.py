"""Reads `.github/assay.yml`; whatever is wrong is a clear problem that never repeats a value."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bot.configuration.schema import Configuration, section_of
from bot.errors import UserError
from bot.text.plain_yaml import PlainYaml, PlainYamlError, read_plain_yaml, shown_key

PATH = ".github/assay.yml"
MAX_BYTES = 64 * 1024
MAX_PROBLEMS = 50
MAX_PROBLEMS_TOLD = 5


@dataclass(frozen=True, slots=True)
class ConfigurationProblem:
    """One thing that is wrong: the line (0: the file as a whole) and why."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


@dataclass(frozen=True, slots=True)
class ConfigurationFile:
    """What a file says: its configuration and the keys that it sets; the defaults where it is broken."""

    configuration: Configuration = field(default_factory=Configuration)
    keys: dict[str, object] = field(default_factory=dict)
    problems: tuple[ConfigurationProblem, ...] = ()
    document: PlainYaml = field(default=PlainYaml(None, None), compare=False)

    def line(self, *path: str | int) -> int:
        """Where a key or a list's item stands, else the innermost part of the path that is there."""
        return self.document.line(path)

    def why(self) -> str:
        """The problems in one clause, at most five."""
        told = [str(problem) for problem in self.problems[:MAX_PROBLEMS_TOLD]]
        if len(self.problems) > MAX_PROBLEMS_TOLD:
            told.append(f"and {len(self.problems) - MAX_PROBLEMS_TOLD} more")
        return "; ".join(told)


def refusal(why: str) -> UserError:
    """Say that base's configuration stops the evaluation, and how to get out of that."""
    return UserError(
        f"{PATH} on the base branch cannot be used: {why}.",
        f"Correct {PATH} in a pull request of its own: it is judged with the defaults.",
    )


def read(text: bytes | str | None) -> ConfigurationFile:
    """Read a file, however broken it is; None or nothing but comments gives the defaults."""
    try:
        document = read_plain_yaml(_decoded(text or ""))
    except PlainYamlError as error:
        return ConfigurationFile(problems=(ConfigurationProblem(error.line, error.problem),))
    if document.data is None:
        return ConfigurationFile()
    if not isinstance(document.data, dict):
        why = f"the top level must be a mapping of keys; allowed: {', '.join(Configuration.model_fields)}"
        return ConfigurationFile(problems=(ConfigurationProblem(1, why),))
    try:
        return ConfigurationFile(validated(document.data), document.data, document=document)
    except ValidationError as error:
        return ConfigurationFile(
            problems=tuple(sorted(_problems(error, document), key=lambda problem: problem.line))
        )
    except (TypeError, ValueError, RecursionError):
        why = "it holds values that are neither text, number, list nor mapping"
        return ConfigurationFile(problems=(ConfigurationProblem(0, why),))


def validated(keys: dict[str, object]) -> Configuration:
    """The configuration that these keys make. Raises pydantic's ValidationError, and ValueError."""
    return Configuration.model_validate_json(json.dumps(keys), strict=True)


def _decoded(text: bytes | str) -> str:
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    if len(raw) > MAX_BYTES:
        raise PlainYamlError(f"it is larger than {MAX_BYTES // 1024} KiB")
    if isinstance(text, str):
        return text
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise PlainYamlError("it is not UTF-8 text", line) from None


# --- errors for people -----------------------------------------------------------------------


def _problems(error: ValidationError, document: PlainYaml) -> Iterator[ConfigurationProblem]:
    details = error.errors(include_url=False, include_input=False, include_context=True)
    for detail in details[:MAX_PROBLEMS]:
        location = detail["loc"]
        key = dotted(location)
        if detail["type"] == "extra_forbidden":
            model: type[BaseModel] = Configuration
            for part in location[:-1]:
                if isinstance(part, str):
                    model = section_of(model.model_fields[part]) or model
            allowed = list(model.model_fields)
            near = difflib.get_close_matches(str(location[-1])[:60], allowed, n=1)
            hint = f" (did you mean `{near[0]}`?)" if near else ""
            message = f"`{key}` is not a known key{hint}; allowed here: {', '.join(allowed)}"
        else:
            message = (f"`{key}`: " if location else "") + plain_message(detail)
        yield ConfigurationProblem(document.line(location), message)


def plain_message(detail: ErrorDetails) -> str:
    """What is wrong with one value, in plain words and without the value."""
    message = detail["msg"].removeprefix("Value error, ")
    message = re.sub(r"^Input should be", "must be", message)
    message = re.sub(
        r"^String should match pattern '\^https.*", "must start with http:// or https://", message
    )
    message = re.sub(r"a valid (?:array|tuple)$", "a list", message)
    message = re.sub(r"an object$", "a mapping of keys", message)
    message = re.sub(r"^(?:String|Tuple|List) should have at", "must have at", message)
    return re.sub(r"^Field required", "is required", message)


def dotted(location: tuple[int | str, ...]) -> str:
    """A place in a document as people write it: `cases[2].kind`."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{shown_key(part)}"
    return path.lstrip(".")


def json_schema() -> str:
    """The JSON Schema by which editors complete and check `.github/assay.yml`, as text."""
    schema = Configuration.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Assay configuration"
    return json.dumps(schema, indent=2) + "\n"
