"""Reads `.github/assay.yml`; whatever is wrong is one clear error that never repeats a value."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bot.configuration.schema import Configuration, section_of
from bot.errors import UserError
from bot.plain_yaml import PlainYamlError, load_plain_yaml, shown_key

PATH = ".github/assay.yml"
MAX_BYTES = 64 * 1024
MAX_PROBLEMS_TOLD = 5


def read_configuration(text: str | None) -> Configuration:
    """Read `.github/assay.yml`; None or nothing but comments gives the defaults.

    Raises UserError naming every wrong key (at most five), and never a value.
    """
    if text is None:
        return Configuration()
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise _refused(f"it is larger than {MAX_BYTES // 1024} KiB")
    try:
        data = load_plain_yaml(text)
    except PlainYamlError as error:
        raise _refused(str(error)) from None
    if data is None:
        return Configuration()
    if not isinstance(data, dict):
        raise _refused(f"the top level must be a mapping of keys; allowed: {_keys(Configuration)}")
    try:
        return Configuration.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        raise _refused("; ".join(_problems(error))) from None
    except (TypeError, ValueError, RecursionError):
        raise _refused("it holds values that are neither text, number, list nor mapping") from None


# --- errors for people -----------------------------------------------------------------------


def _refused(why: str) -> UserError:
    return UserError(
        f"{PATH} on the base branch cannot be used: {why}.",
        "Correct it on the base branch, then ask again with /judge.",
    )


def _problems(error: ValidationError) -> Iterator[str]:
    details = error.errors(include_url=False, include_input=False, include_context=True)
    for detail in details[:MAX_PROBLEMS_TOLD]:
        yield _problem(detail)
    if len(details) > MAX_PROBLEMS_TOLD:
        yield f"and {len(details) - MAX_PROBLEMS_TOLD} more"


def _problem(detail: ErrorDetails) -> str:
    location = detail["loc"]
    if detail["type"] != "extra_forbidden":
        where = f"`{_dotted(location)}`: " if location else ""
        return f"{where}{_plain_message(detail)}"
    allowed = list(_model_at(location[:-1]).model_fields)
    near = difflib.get_close_matches(str(location[-1]), allowed, n=1)
    hint = f" (did you mean `{near[0]}`?)" if near else ""
    return f"`{_dotted(location)}` is not a known key{hint}; allowed here: {', '.join(allowed)}"


def _plain_message(detail: ErrorDetails) -> str:
    message = detail["msg"].removeprefix("Value error, ")
    message = re.sub(r"^Input should be", "must be", message)
    message = re.sub(
        r"^String should match pattern '\^https.*", "must start with http:// or https://", message
    )
    message = re.sub(r"a valid array$", "a list", message)
    message = re.sub(r"an object$", "a mapping of keys", message)
    return re.sub(r"^Field required", "is required", message)


def _dotted(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{shown_key(part)}"
    return path.lstrip(".")


def _keys(model: type[BaseModel]) -> str:
    return ", ".join(model.model_fields)


def _model_at(location: tuple[int | str, ...]) -> type[BaseModel]:
    model: type[BaseModel] = Configuration
    for part in location:
        if isinstance(part, str):
            model = section_of(model.model_fields[part]) or model
    return model
