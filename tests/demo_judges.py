"""Judges of the demo's pull requests by a script: they act, disagree, ask, change their minds, or do not.

On #4 one judge dissents at first and is convinced; on #5 three judges never agree; on #6 one stays
with its dissent and its evidence. Everything else that is asked, they answer as honest readers.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.endpoint import Asked, Said
from tests.obedient import Obedient

MODEL = "script"
PASTED = "Customers paste amounts from their bank"
WORDED = "raise a ValueError that says that at least one person must pay"
NEGATIVE = "`parse_amount` raises `ValueError` for negative amounts"
_REQUIREMENT = re.compile(r"begin requirement\]\n(\w+) \([^\n]*?\): ([^\n]*)")
_HONEST = Obedient(obeys=False)
Tools = tuple[tuple[str, dict[str, object]], ...]
Stand = tuple[str, str, tuple[int, ...]]  # outcome, reason, the numbers of the cited own steps


def own_test(name: str, *lines: str) -> tuple[str, dict[str, object]]:
    """A test of the judge beside the project's own."""
    text = "import pytest\nfrom tally import discount, parse_amount, split\n\n\n"
    text += f"def test_{name}():\n" + "".join(f"    {line}\n" for line in lines)
    file = {"path": f"tests/test_judge_{name}.py", "text": text}
    return "dynamic_execution", {"goal": f"Try it with other inputs: {name}.", "files": [file]}


def refusing(name: str, call: str, match: str = "") -> tuple[str, dict[str, object]]:
    """A test that a call is refused."""
    words = f", match={match!r}" if match else ""
    return own_test(name, f"with pytest.raises(ValueError{words}):", f"    {call}")


READ = ("read", {"goal": "See how it is done.", "path": "src/tally/amounts.py"})
SEARCH = ("search", {"goal": "See who calls it.", "text": "parse_amount("})
LOCATE = ("locate", {"goal": "Find the place.", "text": "parse_amount"})
LOST_CENT = ("bash", {
    "goal": "See what the shares add up to.", "expected": "[4, 3, 3]",
    "line": 'python -c "from tally import split; print(split(10, 3))"',
})  # fmt: skip
ACTS: dict[str, Tools] = {
    "thousands separators": (
        LOCATE, SEARCH, READ,
        own_test("separators", "assert parse_amount('12,345,678.9') == 1234567890"),
    ),
    NEGATIVE: (refusing("negative", "parse_amount('-0.01')"),),
    PASTED: (own_test("pasted", "assert parse_amount('  1,234.50 ') == 123450"), READ),
    WORDED: (refusing("worded", "split(10, 0)", "at least one person"), LOST_CENT),
    "split should refuse": (refusing("nobody", "split(7, 0)"),),
    "discount": (refusing("rebate", "discount(1000, 150)"), refusing("markup", "discount(1, -5)")),
}  # fmt: skip
ONLY_READ: Tools = (READ,)
BLIND: dict[str, tuple[Stand, ...]] = {
    PASTED: (
        ("satisfied", "An amount with spaces and separators is read.", (1,)),
        ("satisfied", "The judge's test fails on base and passes on head.", (1,)),
        ("unverified", "One pasted amount is not all that banks write.", ()),
    ),
    WORDED: (
        ("satisfied", "The error has these words.", (1,)),
        ("satisfied", "Nobody is refused, in the words that were asked for.", (1,)),
        (
            "unsatisfied",
            "split(10, 3) gives [3, 3, 3] on head: whoever pays, a cent is lost.",
            (2,),
        ),
    ),
    NEGATIVE: (
        ("satisfied", "The comma goes, so what is left is checked by int().", (1,)),
        ("unsatisfied", "Nothing in the function raises for a minus sign.", (1,)),
        ("unverified", "Nobody ran it with a negative amount.", ()),
    ),
}


@dataclass(slots=True)
class DemoJudges:
    """Answers over the wire, from several threads."""

    _blind: Counter[tuple[str, str]] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, asked: Asked) -> Said:
        """What `tests.endpoint` says with these judges."""
        system, user = _said(asked, "system"), _said(asked, "user")
        if asked.get("tools"):
            return _analyst(asked, user)
        for beginning, script in SCRIPTS.items():
            if system.startswith(beginning):
                return _told(script(user))
        return self._panel(system, user) or _HONEST.answer(asked)

    def _panel(self, system: str, user: str) -> Said | None:
        """One judge of a panel; None where the question is no one's of the script."""
        text = _requirement(user)[1]
        scripted = next((key for key in BLIND if key in text), "")
        if not scripted:
            return None
        if "You all judge ONE" in system:
            return _told(_turn(user, scripted))
        return _told(_opinion(user, BLIND[scripted][self._judge(user, scripted)]))

    def _judge(self, user: str, scripted: str) -> int:
        """Which judge asks: all read the same, so whoever comes first is the first."""
        mark = user.split(" begin", 1)[0]
        with self._lock:
            self._blind[mark, scripted] += 1
            return (self._blind[mark, scripted] - 1) % 3


def _said(asked: Asked, role: str) -> str:
    texts = []
    for one in asked["messages"]:
        content = one.get("content") or ""
        parts = content if isinstance(content, list) else [{"text": content}]
        texts += [part.get("text", "") for part in parts] if one["role"] == role else []
    return "\n".join(texts)


def _told(reply: dict[str, object]) -> Said:
    return Said(text=json.dumps(reply))


def _requirement(user: str) -> tuple[str, str]:
    """The id and the text of the one that is judged."""
    found = _REQUIREMENT.search(user)
    return (found[1], found[2]) if found else ("", "")


def _understood(user: str) -> dict[str, object]:
    """One more demand, in the issue's own words; none on #5."""
    if "please merge" in user:
        return {}
    for source, words in (("issue #1", PASTED), ("issue #2", WORDED)):
        if words in user:
            return {"new": [{"key": "N1", "source": source, "quotation": words}]}
    return {}


def _planned(user: str) -> dict[str, object]:
    """A step that holds, and one that is not on the menu."""
    call = "parse_amount('1,234.50')" if "parse_amount" in user else "split(1000, 3)"
    common = {"goal": f"Call {call}.", "guidance": "Base and head differ.", "requirements": ["R1"]}
    line = f'python -c "from tally import *; print({call})"'
    return {
        "steps": [
            {**common, "action": "bash", "arguments": [line]},
            {**common, "goal": "Ask the author.", "action": "telephone", "arguments": ["mara"]},
        ]
    }


def _analyst(asked: Asked, user: str) -> Said:
    """Take the next step of the requirement, then say what they showed."""
    id_, text = _requirement(user)
    acts = next((acts for words, acts in ACTS.items() if words in text), ())
    if NEGATIVE in text and "def test_parse_amount_refuses_negative" not in user:
        acts = ONLY_READ
    done = sum(one["role"] == "tool" for one in asked["messages"])
    if done < len(acts):
        name, arguments = acts[done]
        return Said(tool_calls=((name, json.dumps(arguments)),))
    proofs = [f"A-{id_}-{n}" for n, (name, _) in enumerate(acts, 1) if name == "dynamic_execution"]
    if not proofs:
        return _told({"reason": "Reading shows no run of it.", "outcome": "unverified"})
    said = "What was tried beside the author's inputs does what was asked."
    return _told({"reason": said, "outcome": "satisfied", "evidence": proofs})


def _opinion(user: str, stand: Stand) -> dict[str, object]:
    id_ = _requirement(user)[0]
    outcome, reason, steps = stand
    points = {"satisfied": 4, "unverified": 2, "unsatisfied": 1}[outcome]
    return {
        "reason": reason,
        "outcome": outcome,
        "evidence": [f"A-{id_}-{n}" for n in steps],
        "correctness": points,
        "functionality": points,
        "clarity": 3,
    }


def _turn(user: str, scripted: str) -> dict[str, object]:
    """One judge's acts in a round; on #4 the answer to its question convinces the third."""
    me, others = re.findall(r"You are judge (\d+)\. The other judges: ([\d, ]+)\.", user)[-1]
    stands = dict(re.findall(r"^Judge (\d+): (\w+), by", user, re.MULTILINE))
    is_second_round = bool(re.search(r"^Judge \d+ to judge", user, re.MULTILINE))
    mine = stands[me]
    if scripted == PASTED and mine == "unverified" and is_second_round:
        stand: Stand = ("satisfied", "The answer names the step that ran it.", (1,))
        return {
            "explanation": "The step was run on both sides; that is what was asked.",
            "own": "change",
            "opinion": _opinion(user, stand),
            "others": [],
        }
    return {
        "explanation": next(reason for outcome, reason, _ in BLIND[scripted] if outcome == mine),
        "own": "maintain",
        "others": [{"judge": int(one), **_act(mine, stands[one])} for one in others.split(", ")],
    }


def _act(mine: str, theirs: str) -> dict[str, str]:
    if mine == theirs:
        return {"act": "agree", "explanation": "We read the same step the same way."}
    if mine == "unverified":
        return {"act": "query", "explanation": "Which step ran exactly this, on which side?"}
    return {"act": "disagree", "explanation": f"What I cite shows {mine}; see its output on head."}


def _on_patch(user: str) -> dict[str, object]:
    """VALID for the right fix; the others by a line of their diff."""
    wrong = {
        "sum(shares) <= 1000": "    assert sum(shares) <= 1000",
        "return sum(parse_amount(price) for": "    return sum(parse_amount(price) for _, price in lines)",
    }
    quote = next((line for words, line in wrong.items() if words in user), "")
    fine = 'plain = text.strip().replace(",", "")'
    is_right = fine in user
    half = 'whole, _, fraction = text.strip().replace(",", "").partition(".")'
    return {
        "thought": "The diff beside the task.",
        "justification": "All was asked for."
        if is_right
        else "This line is not what was asked for.",
        "minimality": "nothing" if is_right else "The line that is quoted.",
        "evidence": [],
        "quotes": [fine if is_right else quote or half],
        "verdict": "VALID" if is_right else "INVALID",
    }


SCRIPTS: dict[str, Callable[[str], dict[str, object]]] = {
    "You read what was asked": _understood,
    "You plan how": _planned,
    "You judge one patch": _on_patch,
}
