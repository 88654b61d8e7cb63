"""Whose configuration counts for what: defaults, the organization's, the repository's own."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from bot.configuration import (
    Configuration,
    Layer,
    NetworkPolicy,
    PolicyContext,
    effective,
    loosened,
)
from bot.configuration.layers import LOOSENESS, OF_THE_BRANCH, ONLY_TRUSTED
from bot.configuration.reading import read
from bot.configuration.schema import UnverifiedPolicy, section_of
from tests.configuration_keys import is_listed


def own(text: str, name: str = "wip") -> Layer:
    return Layer(name, text.encode())


def org(text: str) -> PolicyContext:
    return PolicyContext(Layer("acme/.github at 0123456789ab", text.encode()))


def untrusted(default_branch: str) -> PolicyContext:
    return PolicyContext(None, Layer("main", default_branch.encode()))


def leaves(model: type[BaseModel] = Configuration, prefix: str = "") -> set[str]:
    found: set[str] = set()
    for name, field in model.model_fields.items():
        section, key = section_of(field), f"{prefix}{name}"
        inside = section if section and not is_listed(field) else None
        found |= leaves(inside, f"{key}.") if inside else {key}
    return found


def test_every_key_is_known_to_loosen_or_not():
    """A new key is put into one of the three tables, by what it can let pass."""
    known = {*LOOSENESS, *OF_THE_BRANCH, *ONLY_TRUSTED}
    missing = {k for k in leaves() if k not in known and k.partition(".")[0] not in known}
    assert missing == set()


def test_the_organizations_defaults_stand_below_key_by_key():
    said = "gate: {lint: block, unverified: allow}\nlimits: {minutes: 10}\ntriggers: [command]"
    held = effective(own("gate: {unverified: block}\ntriggers: [opened]"), org(said))
    assert held.configuration.gate.lint == "block"
    assert held.configuration.gate.unverified is UnverifiedPolicy.BLOCK
    assert held.configuration.limits.minutes == 10
    assert held.configuration.triggers == ("opened",)
    assert held.remarks == (
        "Defaults of acme/.github at 0123456789ab hold where this repository says nothing.",
    )


@pytest.mark.parametrize("text", ["gaet: 1", "a: [", "x" * 70_000, "a: &a 1\nb: *a"])
def test_broken_defaults_are_told_and_locks_nobody_out(text):
    held = effective(own("limits: {minutes: 5}"), org(text))
    assert held.configuration == read("limits: {minutes: 5}").configuration
    assert held.remarks[0].startswith("The defaults of acme/.github at 0123456789ab are not used: ")
    assert not held.problem


def test_unreadable_defaults_are_told():
    context = PolicyContext(Layer("acme/.github", None, "they cannot be read now (503)"))
    held = effective(own(""), context)
    told = "The defaults of acme/.github are not used: they cannot be read now (503)."
    assert held.remarks == (told,)


def test_a_broken_file_leaves_the_organizations_defaults():
    held = effective(own("gaet: 1"), org("gate: {lint: block}"))
    assert held.configuration.gate.lint == "block"
    assert "line 1: `gaet` is not a known key" in held.problem


LOOSE = """
gate: {unverified: allow, lint: advise, authors_tests: advise, unjudged: advise, min_score: 0}
judges: {count: 1, canary: false}
rubric: {approvals: 1}
limits: {minutes: 300, interactions: 400, usd: 500, damage: 1}
sandbox: {network: always}
web: {enabled: false}
when: {paths: {exclude: ["**"]}}
"""
STRICT = """
gate: {unverified: block, lint: block, authors_tests: block, unjudged: block, min_score: 2}
judges: {count: 3}
rubric: {approvals: 2}
limits: {minutes: 20, interactions: 20, usd: 1}
sandbox: {network: none}
when: {branches: [main]}
"""


def test_an_unprotected_branch_loosens_nothing():
    held = effective(own(LOOSE), untrusted(STRICT))
    assert held.configuration == read(STRICT).configuration
    (told,) = held.remarks
    for key in (*LOOSENESS, "when"):
        assert f"`{key}`" in told or key in ("gate.scope",), key
    assert "on wip does not count for" in told


def test_the_default_branch_loosens_what_it_wants():
    assert effective(own(LOOSE), PolicyContext()).configuration == read(LOOSE).configuration


def test_an_unprotected_branch_may_tighten_and_describes_its_own_code():
    text = STRICT + "\nsetup: {test: make old-tests}\nrequirements: [{id: X, text: y}]"
    held = effective(own(text), untrusted("gate: {unverified: allow}"))
    assert held.configuration == read(text).configuration.model_copy(
        update={"when": Configuration().when}
    )
    assert held.configuration.sandbox.network is NetworkPolicy.NONE


def test_what_a_branch_leaves_out_is_no_wish():
    held = effective(own("setup: {test: make}"), untrusted(STRICT))
    assert held.remarks == ()
    assert held.configuration.limits.minutes == 20


def test_a_broken_default_branch_lets_no_other_loosen():
    held = effective(own("sandbox: {network: always}"), untrusted("gaet: 1"))
    assert held.configuration.sandbox.network is NetworkPolicy.BUILD
    assert "main cannot be used: line 1: `gaet`" in held.remarks[0]


@pytest.mark.parametrize(
    ("before", "after", "keys"),
    [
        ("", "gate: {unverified: allow}", ("gate.unverified",)),
        ("gate: {unverified: allow}", "", ()),
        ("limits: {minutes: 5}", "", ("limits.minutes",)),
        ("requirements: [{id: X, text: y}]", "requirements: [{id: Z, text: y}]", ("requirements",)),
        ("criteria: plan.json", "", ("criteria",)),
        ("", "when: {drafts: true}", ("when",)),
        ("", "setup: {test: make}\nlimits: {minutes: 5}", ()),
    ],
)
def test_what_a_change_loosens_is_named(before, after, keys):
    assert loosened(read(before).configuration, read(after).configuration) == keys
