"""Whatever text comes in, Markdown shows exactly it, and nothing in it acts."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.text import code, fence, scrub, sentence, visible
from tests.bot.report.examples import HOSTILE

MARKDOWN = MarkdownIt("gfm-like")
assert MARKDOWN.linkify is not None
# GitHub links bare domains only after "www.", which BARE_ADDRESS looks for.
MARKDOWN.linkify.set({"fuzzy_link": False})
BARE_ADDRESS = re.compile(r"www\.", re.IGNORECASE)

PIECES = st.sampled_from(
    (
        "<b>", "</details>", "<!--", "-->", "@octocat", "@acme/team", "#12", "a/b#3", "GH-4", "http://",
        "https://e.example/p.png", "www.e.example", "a@e.example", "mailto:a@e.example", "![a](", "[a](b)",
        ")", "|", "\\|", "\\", "`", "``", "```", "~~~", "~~", "**", "_", "__x__", "/judge",
        "\n", "\r\n", "\n\n",
        "# ", "- ", "+ ", "1. ", "1) ", "> ", "---", "===", "&lt;", "&#64;x", "<https://e.example>",
        "$x$", "[^1]",
        "[x]: http://e", "\u202e", "\u200b", "\x1b[31m", "\x00", "\t", "    ", " ", "e", "0", "é",
        "3f2a9c1e7b",
    )
)  # fmt: skip
HOSTILE_TEXT = st.lists(PIECES | st.text(max_size=6), max_size=14).map("".join)
UNQUOTED = HOSTILE_TEXT.map(lambda text: text.replace("`", ""))

PLACES = {
    "paragraph": "before {} after",
    "start": "{}",
    "item": "- {}",
    "numbered": "1. {}",
    "bold": "**before** {}",
    "heading": "## before {}",
    "cell": "| a | b |\n|---|---|\n| {} | last |",
}
OURS = {
    "text", "softbreak", "strong_open", "strong_close", "text_special",
}  # fmt: skip
MENTION = re.compile(r"(?<![\w`])@[A-Za-z0-9]")
REFERENCE = re.compile(r"#\d|\bGH-\d")


def spans(tokens: list[Token]) -> list[Token]:
    return [child for token in tokens for child in (token.children or ())]


def shown(tokens: list[Token]) -> str:
    return "".join(token.content for token in spans(tokens))


def one_line(text: str) -> str:
    return re.sub(r"\s+", " ", scrub(text)).strip()


@pytest.mark.thorough
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@given(text=UNQUOTED)
def test_a_sentence_shows_the_text_and_nothing_else(place: str, text: str) -> None:
    empty = [token.type for token in MARKDOWN.parse(place.format("x"))]
    tokens = MARKDOWN.parse(place.format(sentence(text) or "x"))

    assert [token.type for token in tokens] == empty, "the text opened or closed a block"
    assert {token.type for token in spans(tokens)} <= OURS
    rendered = shown(tokens).replace("\u200b", "")
    assert (one_line(text) or "x") in rendered


@given(text=UNQUOTED)
def test_no_mention_or_reference_survives_in_a_sentence(text: str) -> None:
    rendered = shown(MARKDOWN.parse(f"a {sentence(text)}"))

    assert not MENTION.search(rendered)
    assert not REFERENCE.search(rendered)
    assert not BARE_ADDRESS.search(rendered)
    assert "<" not in sentence(text)
    assert ">" not in sentence(text)


@given(text=HOSTILE_TEXT)
def test_a_sentence_shows_quoted_words_as_code_and_opens_nothing_else(text: str) -> None:
    tokens = MARKDOWN.parse(f"| a | b |\n|---|---|\n| {sentence(text)} | last |")
    tags = [token.content for token in spans(tokens) if token.type == "html_inline"]

    assert tags == ["<code>", "</code>"] * (len(tags) // 2)
    assert {token.type for token in spans(tokens)} <= OURS | {"html_inline"}
    assert sum(token.type == "td_open" for token in tokens) == 2


def test_quoted_words_of_a_sentence_are_code() -> None:
    assert sentence("`a|b` is *gone*, `open") == "<code>a&#124;b</code> is \\*gone\\*, \\`open"


@given(text=HOSTILE_TEXT)
def test_inline_code_keeps_its_cell_and_its_tags(text: str) -> None:
    tokens = MARKDOWN.parse(f"| a | b |\n|---|---|\n| {code(text)} | last |")
    tags = [token.content for token in spans(tokens) if token.type == "html_inline"]

    assert tags == ["<code>", "</code>"]
    assert {token.type for token in spans(tokens)} <= OURS | {"html_inline"}
    assert sum(token.type == "td_open" for token in tokens) == 2


@given(text=HOSTILE_TEXT)
def test_nothing_inside_closes_a_fence_and_it_copies_without_hidden_characters(text: str) -> None:
    tokens = MARKDOWN.parse(f"before\n\n{fence(text, 'text')}\n\nafter")
    blocks = [token.type for token in tokens if token.level == 0]

    assert blocks in (
        ["paragraph_open", "paragraph_close", kind, "paragraph_open", "paragraph_close"]
        for kind in ("fence", "html_block")
    )
    (block,) = [token for token in tokens if token.type in ("fence", "html_block")]
    shown_text = block.content
    if block.type == "html_block":
        first, _, rest = shown_text.partition("<code>")
        assert first == '<pre lang="text">' and "<" not in rest.removesuffix(
            "</code></pre>\n\n"
        ).removesuffix("</code></pre>\n")
        shown_text = html.unescape(rest.rpartition("</code>")[0])
    assert shown_text.rstrip("\n") == scrub(text).strip("\n").rstrip("\n")


@given(text=HOSTILE_TEXT)
def test_no_line_of_a_fence_is_a_command_or_mention_to_a_bot_that_reads_the_raw_text(
    text: str,
) -> None:
    lines = str(fence(text)).splitlines()

    assert not [line for line in lines if re.match(r"\s*/[A-Za-z][\w-]*(\s|$)", line)]
    assert not re.search(r"(?<![A-Za-z0-9_])@[A-Za-z0-9]", "\n".join(lines))


def test_a_decorator_and_a_command_copy_as_they_are() -> None:
    told = str(fence("@pytest.mark.slow\n/judge <all>\nx = 1 & 2", "python"))
    assert told == (
        '<pre lang="python"><code>&#64;pytest.mark.slow\n&#47;judge &lt;all&gt;\nx = 1 &amp; 2\n</code></pre>'
    )
    assert fence("x = `1`", "python") == "```python\nx = `1`\n```"


def test_paths_and_decorated_emails_in_output_stay_as_they_are() -> None:
    assert "/work/tree/a.py:3: error" in fence("/work/tree/a.py:3: error")


@given(text=st.text())
def test_visible_text_can_be_sent_and_hides_nothing(text: str) -> None:
    clean = visible(text + "\ud800\u202e\x1b]8;;https://e.example\x07x\u200b")

    clean.encode()
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]", clean
    )
    assert visible(clean) == clean


def test_terminal_sequences_vanish_and_tricks_are_spelled_out() -> None:
    assert visible("\x1b[1;31mred\x1b[0m \u202egnp.exe a\u200bb\r\nc\x07") == (
        "red ⟨U+202E⟩gnp.exe ab\nc⟨U+0007⟩"
    )


def test_a_hostile_sentence_reads_as_what_it_is() -> None:
    text = sentence(HOSTILE)

    assert "&lt;script&gt;" in text
    assert "\n" not in text
