"""Secrets of real shapes go, and what only looks like one stays."""

from __future__ import annotations

import base64
import random
import string
import time
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.text import redact, scrub

_RANDOM = random.Random(7)  # noqa: S311


def _letters(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(_RANDOM.choices(alphabet, k=count))


HEX = "0123456789abcdef"
SECRETS = {
    "assay": "assay_" + _letters(12, HEX) + "_" + _letters(43),
    "ghp": "ghp_" + _letters(36),
    "gho": "gho_" + _letters(36),
    "ghs": "ghs_" + _letters(36),
    "ghu": "ghu_" + _letters(36),
    "fine-grained": "github_pat_" + _letters(22) + "_" + _letters(59),
    "gitlab": "glpat-" + _letters(20),
    "aws id": "AKIA" + _letters(16, string.ascii_uppercase + string.digits),
    "slack bot": f"xoxb-{_letters(12, string.digits)}-{_letters(24)}",
    "slack app": f"xapp-1-{_letters(11)}-{_letters(40)}",
    "jwt": f"eyJhbGciOiJSUzI1NiJ9.eyJ{_letters(40)}.{_letters(64)}",
    "npm": "npm_" + _letters(36),
    "pypi": "pypi-AgEIcHlwaS5vcmc" + _letters(60),
    "openai": "sk-proj-" + _letters(40) + "9Z",
    "anthropic": "sk-ant-api03-" + _letters(60) + "9Z",
    "stripe": "sk_live_" + _letters(24),
    "google": "AIza" + _letters(35),
    "hugging face": "hf_" + _letters(34),
    "sendgrid": f"SG.{_letters(22)}.{_letters(43)}",
    "digital ocean": "dop_v1_" + _letters(64, HEX),
    "docker": "dckr_pat_" + _letters(27),
}
PLACES = (
    "{}",
    "token: {}",
    '{{"a": "{}"}}',
    "fatal: {} is wrong",
    "https://x.example/?t={}&b=1",
    "`{}`,",
)

PRIVATE_KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "\n".join(_letters(64) for _ in range(12))
    + "\n-----END RSA PRIVATE KEY-----"
)
LINES = {
    "authorization: Bearer abcdef0123456789": "abcdef0123456789",
    '"Authorization": "token 0123456789abcdef"': "0123456789abcdef",
    "> authorization: Basic dXNlcjpwYXNzd29yZA==": "dXNlcjpwYXNzd29yZA==",
    "https://bob:hunter2@git.example/a.git": "hunter2",
    "https://x-access-token:v1.abc@github.com/a/b": "v1.abc",
    "https://0123456789abcdef0123456789abcdef@git.example/a": "0123456789abcdef0123456789abcdef",
    "machine api.example login bob password hunter2!": "hunter2!",
    "MY_SECRET=Zk3qP9xLw2RtY7": "Zk3qP9xLw2RtY7",
    "export AWS_SECRET_ACCESS_KEY='wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY1'": "wJalrXUtnFEMI",
    "api_key: 8f14e45fceea167a5a36dedd4bea2543": "8f14e45fceea167a5a36dedd4bea2543",
    "DB_PASSWORD=correct7Horse9battery": "correct7Horse9battery",
    "Set-Cookie: session=abcdef012345; Path=/": "abcdef012345",
}  # fmt: skip

INNOCENT = (
    "3f2a9c1e7b64d05588aa1290cf3e4d6b7a8190ef",
    str(uuid.UUID(int=_RANDOM.getrandbits(128))),
    base64.b64encode(bytes(range(120))).decode(),
    "sha256:" + _letters(64, HEX),
    "token = tokenizer.next_token()",
    "def authenticate(password: str, secret: bytes) -> Token:",
    "SECRET_KEY = os.environ['SECRET_KEY']",
    "assert token == expected_token_value",
    "the secret: somethingwithoutdigits",
    "sk-learn-compatible-estimators-are-lower-case",
    "https://example.com/@scope/package@1.2.3",
    "git@github.com:acme/slugify.git",
    "tests/test_tokens.py::test_token[bearer-basic] PASSED",
    "pypi-publish and npm_config_registry and hf_hub",
    "Authorization is required",
    "authorization = build_header(user, name)",
    "password: ********",
    "/work/tree/src/secrets/keys.py:12: AssertionError",
    "eyJust a word",
)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", SECRETS)
def test_a_token_goes_wherever_it_stands(name: str, place: str) -> None:
    text = place.format(SECRETS[name])

    assert SECRETS[name][8:] not in redact(text)
    assert "[redacted" in redact(text)


@pytest.mark.parametrize("line", LINES)
def test_a_secret_goes_and_what_stands_before_it_stays(line: str) -> None:
    clean = redact(line)

    assert LINES[line] not in clean
    assert clean.startswith(line[:5])


@pytest.mark.parametrize("text", INNOCENT)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "key", (PRIVATE_KEY, PRIVATE_KEY[:400], PRIVATE_KEY[300:]), ids=("whole", "beginning", "end")
)
def test_a_private_key_goes_also_when_half_of_it_was_cut_off(key: str) -> None:
    clean = redact(f"before\n{key}\nafter")

    assert not any(line in clean for line in key.splitlines()[1:-1] if len(line) == 64)
    assert clean.startswith("before")


def test_exact_secrets_go_whatever_their_shape() -> None:
    assert redact("a swordfish b", ("swordfish",)) == "a [redacted] b"


def test_a_short_known_secret_does_not_blank_out_words() -> None:
    assert redact("a cat", ("a", "")) == "a cat"


def test_an_invisible_character_or_colour_does_not_hide_a_token() -> None:
    token = SECRETS["ghp"]

    assert "[redacted" in scrub(token[:8] + "\u200b" + token[8:])
    assert "[redacted" in scrub(token[:8] + "\x1b[31m" + token[8:])


@given(
    st.lists(st.sampled_from((*SECRETS.values(), *LINES, *INNOCENT, "\n", " ")), max_size=8).map(
        " ".join
    )
)
def test_twice_is_once(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "unit",
    ("a", "token=", "://", "eyJ", "-----BEGIN RSA PRIVATE KEY-----", "authorization: ", "machine ",
     "x_token_",      "A" * 60 + "\n", "cookie:", "https://", ".", "eyJaaaaaaaaa.", "secret" * 9),
)  # fmt: skip
def test_no_text_makes_it_slow(unit: str) -> None:
    text = (unit * (250_000 // len(unit)))[:250_000]
    started = time.process_time()
    redact("token " + text)

    assert time.process_time() - started < 1.9
