"""The repository's configuration: a closed schema whose errors show the way out."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import jsonschema_rs
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

import bot.configuration
from bot.configuration import (
    Configuration,
    ConfiguredTrigger,
    NetworkPolicy,
    json_schema,
    matches,
    read,
)
from bot.errors import UserError
from tests.bot.configured import read_configuration
from tests.configuration_keys import described_keys

FULL = """
triggers: [opened, synchronize, ready_for_review]   # or [command] for /judge only
setup:   {install: "pip install -e .[test]", test: "pytest -q", serve: "npm run dev",
          url: "http://localhost:5173"}
requirements:
  - {id: R1, text: "Public functions keep their signatures", check: "python tools/api_diff.py"}
criteria: evaluation/detailed_test_plan.json
gate:    {unverified: block, lint: advise, scope: advise, min_score: 0}
judges:  {count: 3, rounds: 4}
limits:  {minutes: 30, interactions: 40, usd: 2.00}
sandbox: {network: build}
web:     {enabled: true}
"""


def refusal(text: str) -> str:
    with pytest.raises(UserError) as caught:
        read_configuration(text)
    assert caught.value.next_step
    return caught.value.what


def test_everything_that_the_design_shows_is_read():
    configuration = read_configuration(FULL)
    assert configuration.setup.test == "pytest -q"
    assert configuration.requirements[0].check == "python tools/api_diff.py"
    assert configuration.limits.usd == 2.0
    assert configuration.sandbox.network is NetworkPolicy.BUILD


@pytest.mark.parametrize("text", [None, "", "# nothing yet\n", "---\n"])
def test_an_absent_or_empty_file_gives_the_defaults(text):
    assert read_configuration(text) == Configuration()


def test_the_defaults_are_those_of_the_design():
    shown = read_configuration(FULL).model_dump(exclude={"setup", "requirements", "criteria"})
    assert Configuration().model_dump(exclude={"setup", "requirements", "criteria"}) == shown


def test_command_alone_is_a_trigger():
    assert read_configuration("triggers: [command]").triggers == (ConfiguredTrigger.COMMAND,)


def test_it_goes_to_json_and_back():
    adapter = TypeAdapter(Configuration)
    configuration = read_configuration(FULL)
    assert adapter.validate_json(adapter.dump_json(configuration)) == configuration


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("gaet: {}", "`gaet` is not a known key (did you mean `gate`?); allowed here: triggers"),
        (
            "gate: {unverifed: allow}",
            "`gate.unverifed` is not a known key (did you mean `unverified`?)",
        ),
        ("requirements: [{id: C1, text: x, chek: y}]", "`requirements[0].chek`"),
        ("requirements: [{id: C1}]", "`requirements[0].text`: is required"),
        ("requirements: [{id: C1, text: a}, {id: C1, text: b}]", "the id C1 appears twice"),
        ("requirements: [{id: B2, text: a}]", "the id B2 is taken by a baseline requirement"),
        ("triggers: command", "`triggers`: must be a list"),
        ("web: {enabled: 'yes'}", "`web.enabled`: must be a valid boolean"),
        ("limits: 3", "`limits`: must be a mapping of keys"),
        ("limits: {minutes: .nan}", "`limits.minutes`: must be a finite number"),
        ("limits: {minutes: 0}", "`limits.minutes`: must be greater than 0"),
        ("gate: {min_score: 5}", "`gate.min_score`: must be less than or equal to 4"),
        ("setup: {url: 'ftp://x'}", "`setup.url`: must start with http:// or https://"),
        ("criteria: ../secrets.json", "`criteria`: must be a path inside the repository"),
        ("criteria: /etc/passwd", "must be a path inside the repository"),
        ("a: 1\na: 2", "line 2: the key a appears twice"),
        ("a: &x [1]\nb: *x", "line 2: aliases (*name) are not allowed"),
        ("a: !!python/object/apply:os.system [ls]", "line 1"),
        ("a: 2020-01-01", "neither text, number, list nor mapping"),
        ("? [a]\n: b", "a key is not text"),
        ("[" * 400, "nested too deeply"),
        ("- 1", "the top level must be a mapping"),
        ("'open", "line 1"),
        ("x: " + "y" * 70_000, "larger than 64 KiB"),
    ],
)
def test_what_is_wrong_is_told_by_its_key(text, told):
    assert told in refusal(text)


@pytest.mark.parametrize("secret", ["ghp_0123456789abcdefghij0123456789abcdef", "sk-live-123"])
@pytest.mark.parametrize(
    "shape", ["gate: {{lint: {0}}}", "{0}: 1", "setup: [{0}]", "judges: {{count: '{0}'}}"]
)
def test_values_and_keys_that_look_secret_are_not_repeated(secret, shape):
    assert secret not in refusal(shape.format(secret))


def test_every_key_is_described():
    described = tuple(described_keys())
    assert {key.path for key in described} >= {
        "triggers",
        "gate.unverified",
        "requirements[].check",
    }
    assert all(len(key.text) > 10 for key in described)


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text):
    try:
        read_configuration(text)
    except UserError as error:
        assert error.next_step


def test_an_interaction_is_a_list_of_acts():
    text = """
requirements:
  - id: R1
    text: The price shows
    interaction: [goto index.html, 'select "#plan" Pro', 'expect text "#price" "9 €"']
"""
    (requirement,) = read_configuration(text).requirements
    assert requirement.interaction == (
        "goto index.html", 'select "#plan" Pro', 'expect text "#price" "9 €"',
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("interaction: [goto a.html, clik b]", "act 2: not a known act; allowed: goto, click"),
        ("interaction: [goto a.html, 'click b']", "expects something"),
        ("interaction: [expect visible b, goto a.html]", "the first act is `goto PATH`"),
        ("interaction: [goto a.html]", "`requirements[0].interaction`"),
        ("interaction: goto a.html", "must be a list"),
        ("check: 'true', interaction: [goto a.html, expect visible b]", "keep one"),
    ],
)
def test_a_wrong_interaction_is_refused_with_the_way_out(rest, told):
    assert told in refusal(f"requirements: [{{id: R1, text: x, {rest}}}]")


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("*.md", "README.md", True),
        ("*.md", "docs/README.md", False),
        ("**/*.md", "README.md", True),
        ("**/*.md", "a/b/README.md", True),
        ("**/*.md", "a/b/README.mdx", False),
        ("docs/**", "docs/a/b.txt", True),
        ("docs/**", "docs", False),
        ("docs/**", "mydocs/a", False),
        ("a/**/z", "a/z", True),
        ("a/**/z", "a/b/c/z", True),
        ("a/**/z", "abz", False),
        ("a**z", "a/b/z", True),
        ("?.py", "a.py", True),
        ("?.py", "/.py", False),
        ("app/[id]/*.tsx", "app/[id]/page.tsx", True),
        ("app/[id]/*.tsx", "app/i/page.tsx", False),
        ("*[bot]", "dependabot[bot]", True),
        ("*[bot]", "robot", False),
        ("main", "main", True),
        ("main", "Main", False),
        ("a.c", "abc", False),
        ("**", "anything/at/all", True),
    ],
)
def test_patterns(pattern: str, name: str, expected: bool) -> None:
    assert matches(pattern, name) is expected


@pytest.mark.parametrize(
    "pattern", ["*a" * 100, "**/" * 66 + "z", "*?" * 99 + "!", "**a" * 66 + "!"]
)
def test_no_pattern_takes_long(pattern: str) -> None:
    began = time.process_time()
    assert not matches(pattern, "a" * 2_000 + "b" + "/a" * 100)
    assert time.process_time() - began < 7


@given(st.text("ab/*?[", max_size=8), st.text("ab/[", max_size=8))
def test_patterns_mean_what_a_regular_expression_would(pattern: str, name: str) -> None:
    parts = re.findall(r"(?:^|(?<=/))\*\*/+|\*{2,}|\*|.", pattern)
    known = {"*": "[^/]*", "?": "[^/]"}
    expression = "".join(
        "(?:.*/)?"
        if p.startswith("**/")
        else ".*"
        if p.startswith("**")
        else known.get(p) or re.escape(p)
        for p in parts
    )
    assert matches(pattern, name) is bool(re.fullmatch(expression, name, re.DOTALL))


@pytest.mark.parametrize(
    ("text", "line", "key", "told"),
    [
        (b"\n\ngaet: 1\n", 3, "gaet", "did you mean `gate`?"),
        (b"gate:\n  lint: block\n  scop: x\n", 3, "gate.scop", "did you mean `scope`?"),
        (b"limits:\n  minutes: 0\n", 2, "limits.minutes", "greater than 0"),
        (b"requirements:\n- {id: A, text: x}\n- id: C\n", 3, "requirements[1].text", "is required"),
        (b"when:\n  labels: {skip: [a,\n    ''] }\n", 3, "when.labels.skip[1]", "at least 1"),
        ("when: {labels: {skip: ['%s']}}" % ("🚀" * 200), 1, "when.labels.skip[0]", "at most 100"),
        (b"when: {paths: {exclude: [docs/]}}", 1, "when.paths.exclude[0]", "end it with `/**`"),
        (b"when: {paths: {exclude: ['!x']}}", 1, "when.paths.exclude[0]", "begin with `!`"),
        (b"when: {paths: {include: [./x]}}", 1, "when.paths.include[0]", "root of the repository"),
        (b"when: {branches: ['" + b"*" * 201 + b"']}", 1, "when.branches[0]", "at most 200"),
        (b"gate:\n\tlint: block\n", 2, "", "a tab stands where YAML wants spaces"),
        (b"a: 1\nb: 2\na: 3\n", 3, "", "the key a appears twice"),
        (b"a: 1\n\xff\xfe\n", 2, "", "it is not UTF-8 text"),
        ("gate: {}".encode("utf-16"), 1, "", "it is not UTF-8 text"),
        (b"a: \x00\n", 1, "", "a character that YAML does not allow"),
        (b"a: &a [1]\nb: *a\n", 2, "", "aliases"),
        (b"gate: {}\n---\ngate: {}\n", 2, "", "another document"),
        (b"# " + b"x" * 1_000_000, 0, "", "larger than 64 KiB"),
    ],
)  # fmt: skip
def test_each_problem_has_its_line_and_key(text, line, key, told):
    (problem,) = read(text).problems[:1]
    assert problem.line == line and key in problem.message
    assert told in problem.message


@pytest.mark.parametrize("text", [b"\xef\xbb\xbfgate: {lint: block}\n", b"gate: {lint: block}\r\n"])
def test_a_byte_order_mark_and_other_line_ends_are_fine(text):
    assert read(text).configuration.gate.lint == "block"


BOMB = "a: &a [x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)
)
HOSTILE = [
    BOMB,
    "{" * 60_000,
    "? " * 30_000,
    "- " * 30_000,
    "a: [" + "[]," * 20_000 + "]",
    "x: '" + "''" * 32_000,
    "k" * 65_000,
    "\n".join(f"k{i}: 1" for i in range(8_000)),
    "when: {labels: {skip: [" + "a, " * 20_000 + "]}}",
    "!!python/object/apply:os.system [ls]",
    "%YAML 9.9\n---\n" + "a: " * 20_000,
    "&" + "a" * 60_000 + " b",
    "requirements: [" + "{}," * 15_000 + "]",
]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_are_refused_in_good_time(text):
    began = time.monotonic()
    reading = read(text)
    assert reading.problems
    assert len(reading.problems) <= 50
    assert len(reading.why()) < 4_000
    assert time.monotonic() - began < 30


SCHEMA_FILE = Path(bot.configuration.__file__).parent / "assay.schema.json"


def test_the_shipped_schema_is_what_the_model_says():
    """Made by `assay config schema > bot/configuration/assay.schema.json`."""
    assert SCHEMA_FILE.read_text() == json_schema()


@pytest.mark.parametrize(
    ("text", "is_valid"),
    [
        (FULL, True),
        ("when: {paths: {exclude: ['docs/**']}, drafts: true}", True),
        ("gaet: {}", False),
        ("gate: {unverified: never}", False),
        ("limits: {minutes: 0}", False),
        ("when: {labels: {skip: x}}", False),
        ("requirements: [{id: A}]", False),
    ],
)
def test_editors_see_what_assay_sees(text, is_valid):
    validator = jsonschema_rs.validator_for(json.loads(SCHEMA_FILE.read_text()))
    assert validator.is_valid(yaml.safe_load(text)) is is_valid
    assert (not read(text).problems) is is_valid


PACKAGE = "{path: packages/a, setup: {install: pip install -e ., test: pytest}}"


def test_projects_are_listed_with_their_own_setup():
    (one, two) = read_configuration(f"projects: [{PACKAGE}, {{path: ./lib/b/}}]").projects
    assert (one.path, one.setup.install, one.setup.test) == (
        "packages/a",
        "pip install -e .",
        "pytest",
    )
    assert (two.path, two.setup.install) == ("lib/b", None)


@pytest.mark.parametrize(
    ("projects", "said"),
    [
        ("[{path: a}, {path: b}, {path: a/}]", "[2] names the same folder as [0]"),
        ("[{path: a/b}, {path: a}]", "[0] and [1] overlap: one lies inside the other"),
        ("[{path: ../a}]", "must be a path inside the repository"),
        ("[{path: a/../../b}]", "must be a path inside the repository"),
        ("[{path: /etc}]", "must be a path inside the repository"),
        ("[{path: ~/a}]", "must be a path inside the repository"),
        ("[{path: .}]", "must be a folder below the repository's root"),
        ("[{path: ''}]", "at least 1 character"),
        ("[{setup: {}}]", "`projects[0].path`: is required"),
        ("packages/a", "must be a list"),
        ("[{path: a, setup: {serve: x}}]", "`projects[0].setup.serve` is not a known key"),
        ("[{path: a, root: b}]", "`projects[0].root` is not a known key"),
        (
            f"[{', '.join(f'{{path: p{n}}}' for n in range(200))}]",
            "lists 200 projects; 50 is the most",
        ),
    ],
)
def test_a_wrong_list_of_projects_is_refused(projects, said):
    assert said in refusal(f"projects: {projects}")


def test_projects_and_one_line_for_all_tests_exclude_each_other():
    said = refusal(f"setup: {{test: make test}}\nprojects: [{PACKAGE}]")
    assert "both `setup.test` and `projects`" in said
