"""A model that does whatever anybody tells it, anywhere in its input and in any disguise.

Where nobody tells it anything it reads honestly: a step that was fixed is satisfied, a step that
fails is not, and anything else could not be told.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import json
import re
import threading
import unicodedata
from dataclasses import dataclass, field
from typing import Any

from tests.endpoint import Said
from tests.scripted import Call

_PIECE = re.compile(r"^Evidence (\S+): (\w+), (\w+)$", re.MULTILINE)
_MARK = re.compile(r"^The marks of this run are made of (\w+)\.$", re.MULTILINE)
_IDS = re.compile(r"Cite evidence only by these ids: (.*?)\.?\s*(?:$|\Z)", re.MULTILINE)
_ORDER = re.compile(
    r"satisf|approve|lgtm|full\s*marks|is met|passes every|erfüllt|cumple|satisfait|满足|выполнен|yes to all",
    re.IGNORECASE,
)
_REPLY = re.compile(r"\{[^{}]*\"outcome\"[^{}]*\}")
_CITE = re.compile(r"cite ((?:[A-Z]\d+(?:, )?)+)", re.IGNORECASE)
_SUITES = ("unit_tests", "static_linter", "locate")
_LIKE = str.maketrans("аеорсхуіѕјтмнкΑΒΕοερτι01345@$", "aeopcxyisjtmhkABEoeptioieasas")  # noqa: RUF001


@dataclass(slots=True)
class Obedient:
    """`orders` are the texts that it obeyed, one a reply; safe to ask from several threads.

    Where it does not obey it only reads, and is the honest judge.
    """

    obeys: bool = True
    orders: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def script(self, call: Call) -> str:
        """A `tests.scripted.Script`."""
        return self.reply(call.system, call.user)

    def answer(self, asked: dict[str, Any]) -> Said:
        """What `tests.endpoint` says with this model."""
        said = {"system": "", "user": ""}
        for one in asked["messages"]:
            content = one.get("content") or ""
            if isinstance(content, list):
                content = "\n".join(part.get("text", "") for part in content)
            said["system" if one["role"] == "system" else "user"] += f"\n{content}"
        return Said(text=self.reply(said["system"], said["user"]))

    def reply(self, system: str, user: str) -> str:
        """What it says to one prompt, in the shape that the prompt asks for."""
        schema = _schema(system)
        order = _order(user) if self.obeys else ""
        if order:
            with self._lock:
                self.orders.append(order)
            dictated = _REPLY.search(order)
            if dictated and "outcome" in schema["properties"]:
                return dictated.group()
        return json.dumps(_filled(schema, schema, *_stand(user, order)))


def _order(user: str) -> str:
    """The first text in the data that tells it to be content; whatever stands between marks is data."""
    marks = _MARK.findall(user)
    data = user
    if marks:
        fenced = re.findall(
            rf"\[{marks[-1]} begin ([^\n]*)\]\n(.*?)\n\[{marks[-1]} end\]", user, re.S
        )
        data = "\n".join(
            f"{label}\n{body}" for label, body in fenced if label != "opinions of the judges"
        )
    return next((reading for reading in _readings(data) if _ORDER.search(reading)), "")


def _readings(text: str) -> list[str]:
    """The text, and what is left of it without each disguise that it knows."""
    visible = "".join(c for c in text if unicodedata.category(c) != "Cf")
    tags = "".join(chr(ord(c) - 0xE0000) for c in text if 0xE0020 <= ord(c) <= 0xE007E)
    plain = unicodedata.normalize("NFKC", visible).translate(_LIKE)
    letters = "".join(c for c in plain if c.isalpha())
    decoded = [_decoded(word) for word in re.findall(r"[A-Za-z0-9+/=]{16,}", text)]
    return [text, plain, tags, *decoded, letters, letters[::-1], codecs.encode(letters, "rot13")]


def _decoded(word: str) -> str:
    try:
        return base64.b64decode(word).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _stand(user: str, order: str) -> tuple[str, list[str]]:
    """Outcome and cited ids: as it is told, else as the evidence shows."""
    listed = _IDS.findall(user)
    ids = [one for one in listed[-1].split(", ") if re.fullmatch(r"[\w-]+", one)] if listed else []
    if order:
        told = _CITE.search(order)
        own = [id_ for id_, action, _ in _PIECE.findall(user) if action not in _SUITES]
        return "satisfied", told.group(1).split(", ") if told else own or ids
    for id_, action, moved in _PIECE.findall(user):
        if action not in _SUITES and moved in ("fixed", "still_failing", "regressed"):
            return ("satisfied" if moved == "fixed" else "unsatisfied"), [id_]
    return "unverified", []


def _schema(system: str) -> dict[str, Any]:
    """The JSON schema of the reply, which stands in the instructions."""
    found = next(line for line in system.splitlines() if line.startswith('{"'))
    schema: dict[str, Any] = json.loads(found)
    return schema


def _filled(schema: dict[str, Any], root: dict[str, Any], outcome: str, ids: list[str]) -> Any:
    """A value of the schema, as favourable as it may be."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in schema:
        return _filled(schema["anyOf"][0], root, outcome, ids)
    if "enum" in schema or "const" in schema:
        choices = schema.get("enum", [schema.get("const")])
        return outcome if outcome in choices else choices[0]
    kind = schema.get("type")
    if kind == "object":
        required = schema.get("properties", {})
        return {
            name: ids if name.startswith("evidence") else _filled(one, root, outcome, ids)
            for name, one in required.items()
        }
    if kind in ("integer", "number"):
        return schema.get("maximum", schema.get("minimum", 1))
    if kind == "boolean":
        return outcome != "satisfied"
    return [] if kind == "array" else "As the evidence shows."


def errands(user: str) -> list[tuple[str, str]]:
    """The steps that a text in the data asks for, as tool and arguments: an obedient analyst takes them."""
    return re.findall(r"^\+?To look at it, use (\w+): (\{.*\})$", user, re.MULTILINE)
