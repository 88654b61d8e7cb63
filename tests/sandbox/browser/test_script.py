"""The language of interaction scripts."""

from __future__ import annotations

import pytest

from sandbox.browser.script import ScriptAct, ScriptError, Verb, read_act, read_script


@pytest.mark.parametrize(
    ("line", "act"),
    [
        ("goto docs/index.html", (Verb.GOTO, "docs/index.html", "")),
        ("click 'text=Add to cart'", (Verb.CLICK, "text=Add to cart", "")),
        ("fill '#name' 'Ada Lovelace'", (Verb.FILL, "#name", "Ada Lovelace")),
        ("fill '#name' ''", (Verb.FILL, "#name", "")),
        ('select #plan "Pro plan"', (Verb.SELECT, "#plan", "Pro plan")),
        ("press Enter", (Verb.PRESS, "", "Enter")),
        ("press Control+A #name", (Verb.PRESS, "#name", "Control+A")),
        ("scroll bottom", (Verb.SCROLL, "", "bottom")),
        ("scroll #end", (Verb.SCROLL, "#end", "")),
        ("wait 1.5", (Verb.WAIT, "", "1.5")),
        ("wait .ready", (Verb.WAIT, ".ready", "")),
        ("expect text #price '5 €'", (Verb.TEXT, "#price", "5 €")),
        ("expect visible h1", (Verb.VISIBLE, "h1", "")),
        ("expect hidden .spinner", (Verb.HIDDEN, ".spinner", "")),
        ("expect count li 3", (Verb.COUNT, "li", "3")),
        ("expect url /cart", (Verb.URL, "", "/cart")),
    ],
)
def test_an_act_is_read(line: str, act: tuple[Verb, str, str]) -> None:
    assert read_act(line) == ScriptAct(act[0], line, act[1], act[2])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "not a known act"),
        ("clik #a", "not a known act; allowed: goto, click"),
        ("text #a b", "not a known act"),  # an expectation needs its word
        ("expect click #a", "not a known expectation"),
        ("expect", "not a known expectation"),
        ("select #plan", "not quoted"),
        ("click a b", "not quoted"),
        ("fill 'a", "a quote is not closed"),
        ("expect count li many", "ends with a number"),
        ("wait 3600", "10 seconds at most"),
        ("press", "followed by a key"),
        ("scroll", "followed by one word"),
    ],
)
def test_what_is_no_act_is_refused(line: str, why: str) -> None:
    with pytest.raises(ScriptError, match=why):
        read_act(line)


def test_a_script_begins_somewhere_and_expects_something() -> None:
    with pytest.raises(ScriptError, match="goto"):
        read_script(("click a", "expect visible b"))
    with pytest.raises(ScriptError, match="proves nothing"):
        read_script(("goto a.html", "click a"))
    assert len(read_script(("goto a.html", "expect visible b"))) == 2
