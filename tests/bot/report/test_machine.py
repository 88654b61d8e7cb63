"""The machine's door keeps its promise: valid against the published schema, and readable again."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest

import bot.report
from bot.report.machine import machine, read_machine, schema
from bot.report.view import view
from bot.values import Conclusion, TestChange
from tests.bot.report.examples import EXAMPLES, regression

SCHEMA_FILE = Path(bot.report.__file__).parent / "report.schema.json"


def test_the_published_schema_is_the_one_in_force() -> None:
    assert SCHEMA_FILE.read_text() == schema()


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_report_is_valid_and_reads_back(name: str) -> None:
    text = machine(view(EXAMPLES[name]()))
    validator = jsonschema_rs.validator_for(json.loads(SCHEMA_FILE.read_text()))

    assert [error.message for error in validator.iter_errors(json.loads(text))] == []
    assert machine(view(EXAMPLES[name]())) == text
    assert read_machine(text.encode()).conclusion is EXAMPLES[name]().gate.conclusion


def test_the_fields_of_the_design_are_there() -> None:
    document = json.loads(machine(view(regression())))

    assert document["schema"] == 1
    assert document["conclusion"] == Conclusion.FAILURE
    assert [row["verdict"] for row in document["requirements"]].count("unsatisfied") == 1
    assert document["requirements"][1]["evidence"] == ["E1"]
    assert document["evidence"][0]["command"] == "python -m pytest -q tests"
    assert document["tests"]["pass_to_fail"] == [
        "tests/test_slugify.py::test_truncates_at_word_boundary"
    ]
    assert len(document["tests"]["fail_to_pass"]) == 2
    assert len(document["tests"]["pass_to_pass"]) == 12
    assert document["tests"]["other"][TestChange.FLAKY] == ["tests/test_clock.py::test_now"]
    assert {"findings", "integrity", "score", "cost", "seconds", "environment"} <= set(document)


def test_a_document_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="schema"):
        read_machine(b'{"schema": 2}')
