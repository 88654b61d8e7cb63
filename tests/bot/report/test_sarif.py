"""The SARIF log: what its standard demands, and nothing hostile in it."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import unquote, urlsplit

import pytest

from bot.report.findings import sarif
from bot.report.view import view
from bot.values import Evaluation
from sandbox.values import Finding, Severity, Side
from tests.bot.report.examples import EXAMPLES, regression


def log_of(evaluation: Evaluation) -> dict:
    return json.loads(sarif(view(evaluation)))


def with_findings(*findings: Finding) -> Evaluation:
    evaluation = regression()
    assert evaluation.observed is not None
    observed = replace(evaluation.observed, findings=findings, integrity=())
    return replace(evaluation, observed=observed)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_report_is_a_log_of_the_standard(name: str) -> None:
    """The rules of SARIF 2.1.0 that bind what is written here (3.13 to 3.30)."""
    evaluation = EXAMPLES[name]()
    log = log_of(evaluation)
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    assert log["runs"]
    for run in log["runs"]:
        driver = run["tool"]["driver"]
        assert driver["name"]
        assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"])
        for result in run["results"]:
            assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
            assert result["level"] in {"none", "note", "warning", "error"}
            assert result["message"]["text"]
            place = result["locations"][0]["physicalLocation"]
            assert place["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
            assert not urlsplit(place["artifactLocation"]["uri"]).scheme
            region = place.get("region", {"startLine": 1, "endLine": 1})
            assert 1 <= region["startLine"] <= region["endLine"]
    shown = view(evaluation)
    assert sum(len(run["results"]) for run in log["runs"]) == len(shown.findings + shown.integrity)


def test_weight_place_and_tool_are_kept() -> None:
    broken = Finding("syntax", Severity.BLOCK, "src/a b%.sh", 3, "no end", 4, tool="bash -n")
    nowhere = Finding("", Severity.ADVISE, "Dockerfile", 0, "", side=Side.BASE, tool="hadolint")
    bash, hadolint = log_of(with_findings(broken, nowhere))["runs"]
    assert bash["tool"]["driver"]["name"] == "bash -n"
    result = bash["results"][0]
    assert (result["ruleId"], result["level"]) == ("syntax", "error")
    place = result["locations"][0]["physicalLocation"]
    assert unquote(place["artifactLocation"]["uri"]) == "src/a b%.sh"
    assert " " not in place["artifactLocation"]["uri"]
    assert place["region"] == {"startLine": 3, "endLine": 4}
    assert result["baselineState"] == "new"
    [other] = hadolint["results"]
    assert "region" not in other["locations"][0]["physicalLocation"]
    assert (other["message"]["text"], other["properties"]) == ("remark", {"side": "base"})


def test_hostile_text_is_neither_link_nor_control_nor_secret() -> None:
    token = "ghp_" + "a1B2" * 9
    message = f"see [here](https://evil.example) \x1b[31m\u202e {token}"
    text = sarif(view(with_findings(Finding("r", Severity.ADVISE, "a\u202e.py", 1, message))))
    assert token not in text
    assert "\u202e" not in text and "\\u001b" not in text
    [run] = json.loads(text)["runs"]
    assert r"\[here\](https" in run["results"][0]["message"]["text"]


def test_without_findings_there_is_one_empty_run() -> None:
    [run] = log_of(with_findings())["runs"]
    assert run["results"] == []
