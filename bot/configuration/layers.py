"""Which configuration is in force: defaults, the organization's, the repository's own.

What loosens counts only from the default branch, a protected branch or the organization's defaults:
the file of any other target branch may tighten, and describes that branch's own code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.configuration.reading import PATH, ConfigurationFile, ConfigurationProblem, read, validated
from bot.configuration.schema import Configuration, NetworkPolicy, UnverifiedPolicy, Weight

_NETWORKS = (NetworkPolicy.NONE, NetworkPolicy.BUILD, NetworkPolicy.ALWAYS)
_Rank = Callable[[Configuration], float]

LOOSENESS: dict[str, _Rank] = {
    "gate.unverified": lambda c: c.gate.unverified is UnverifiedPolicy.ALLOW,
    "gate.lint": lambda c: c.gate.lint is Weight.ADVISE,
    "gate.scope": lambda c: c.gate.scope is Weight.ADVISE,
    "gate.authors_tests": lambda c: c.gate.authors_tests is Weight.ADVISE,
    "gate.unjudged": lambda c: c.gate.unjudged is Weight.ADVISE,
    "gate.min_score": lambda c: -c.gate.min_score,
    "judges.count": lambda c: -c.judges.count,
    "judges.canary": lambda c: not c.judges.canary,
    "rubric.approvals": lambda c: -c.rubric.approvals,
    "limits.minutes": lambda c: c.limits.minutes,
    "limits.interactions": lambda c: c.limits.interactions,
    "limits.usd": lambda c: c.limits.usd,
    "limits.damage": lambda c: -c.limits.damage,
    "sandbox.network": lambda c: _NETWORKS.index(c.sandbox.network),
    "web.enabled": lambda c: not c.web.enabled,
}
"""Key → how loose its value is; more is looser."""
OF_THE_BRANCH = (
    "triggers", "setup", "projects", "requirements", "criteria", "checks", "suggestions", "judges.rounds",
    "web.pages", "agents", "trajectory.path", "trajectory.artifact",
)  # fmt: skip
"""Keys that describe the code of a branch, or cannot let anything pass that was not judged."""
ONLY_TRUSTED = ("when",)
"""Keys that leave pull requests unjudged: nothing of them counts from elsewhere."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One configuration file: what it is called in reports, and its bytes (None: there is none)."""

    name: str
    text: bytes | None = None
    problem: str = ""  # why it could not be read


@dataclass(frozen=True, slots=True)
class PolicyContext:
    """What stands around the target branch's own file.

    `trusted` is the default branch's file where the target branch may only tighten; None: it may loosen.
    `base_is_trusted` says that the target branch's commits are reachable from the default branch or a
    protected one: what is built of them may be used for other evaluations. `can_be_mended` says that a
    change which edits what is broken there is judged without it.
    """

    organization: Layer | None = None
    trusted: Layer | None = None
    can_be_mended: bool = True
    base_is_trusted: bool = False


@dataclass(frozen=True, slots=True)
class Effective:
    """The configuration in force, what a report says of it, and why the own file is not in it."""

    configuration: Configuration
    remarks: tuple[str, ...] = ()
    problem: str = ""


def effective(own: Layer, context: PolicyContext) -> Effective:
    """The target branch's configuration over the organization's; a broken file counts for nothing."""
    remarks: list[str] = []
    defaults: dict[str, object] = {}
    if context.organization is not None:
        theirs, name = reading_of(context.organization), context.organization.name
        defaults = theirs.keys
        if theirs.problems:
            remarks.append(f"The defaults of {name} are not used: {theirs.why()}.")
        elif theirs.keys:
            remarks.append(f"Defaults of {name} hold where this repository says nothing.")
    reading = reading_of(own)
    configuration = _over(defaults, reading, remarks)
    if context.trusted is not None:
        trusted = reading_of(context.trusted)
        if trusted.problems:
            remarks.append(
                f"{PATH} on {context.trusted.name} cannot be used: {trusted.why()}. "
                f"So {own.name} may loosen nothing."
            )
        allowed = _over(defaults, trusted, [])
        loose = _loosening_keys(reading, allowed, configuration)
        configuration = tightened(configuration, allowed)
        if loose:
            named = ", ".join(f"`{key}`" for key in loose)
            remarks.append(
                f"{PATH} on {own.name} does not count for {named}: only the default branch or a "
                f"protected branch may loosen what holds on {context.trusted.name}."
            )
    return Effective(configuration, tuple(remarks), reading.why())


def loosened(before: Configuration, after: Configuration) -> tuple[str, ...]:
    """The keys whose value is looser after than before, and those that leave more unjudged."""
    looser = [key for key, rank in LOOSENESS.items() if rank(after) > rank(before)]
    dropped = {r.id for r in before.requirements} - {r.id for r in after.requirements}
    return (
        *looser,
        *(["requirements"] if dropped else []),
        *(["criteria"] if before.criteria and not after.criteria else []),
        *(["when"] if after.when != before.when else []),
    )


def tightened(wanted: Configuration, allowed: Configuration) -> Configuration:
    """The wanted configuration without anything that is looser than the allowed one."""
    data, bounds = wanted.model_dump(mode="json"), allowed.model_dump(mode="json")
    for key, rank in LOOSENESS.items():
        if rank(wanted) > rank(allowed):
            section, _, name = key.partition(".")
            data[section][name] = bounds[section][name]
    data.update({key: bounds[key] for key in ONLY_TRUSTED})
    return validated(data)


def _loosening_keys(
    own: ConfigurationFile, allowed: Configuration, wanted: Configuration
) -> tuple[str, ...]:
    """What the file itself says that is looser; what it leaves out is no wish."""
    said: list[str] = []
    for key, rank in LOOSENESS.items():
        section, _, name = key.partition(".")
        inside = own.keys.get(section)
        if isinstance(inside, dict) and name in inside and rank(wanted) > rank(allowed):
            said.append(key)
    unjudged = [k for k in ONLY_TRUSTED if k in own.keys and wanted.when != allowed.when]
    return (*said, *unjudged)


def _over(
    defaults: dict[str, object], reading: ConfigurationFile, remarks: list[str]
) -> Configuration:
    try:
        return validated(_merged(defaults, reading.keys))
    except ValueError:  # each is valid, and together they are not
        remarks.append(
            "The organization's defaults are not used: they contradict this repository's own."
        )
        return reading.configuration


def _merged(below: dict[str, object], above: dict[str, object]) -> dict[str, object]:
    """Key by key; a list or a plain value above replaces the one below."""
    both = dict(below)
    for key, value in above.items():
        under = both.get(key)
        is_section = isinstance(value, dict) and isinstance(under, dict)
        both[key] = _merged(under, value) if is_section else value  # type: ignore[arg-type]
    return both


def reading_of(layer: Layer) -> ConfigurationFile:
    """What a layer says; what kept it from being read is its problem."""
    if layer.problem:
        return ConfigurationFile(problems=(ConfigurationProblem(0, layer.problem),))
    return read(layer.text)
