"""Texts near the tested ones: with other letters outside ASCII, and as people also write them."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Files, Folder, Judged, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

ACCENTS = (
    "Accents break slugs\n\n`slugify` should keep letters without their accents instead of replacing them by "
    "a dash.\n"
)
SLUG = "import re\n\n\ndef slugify(title):\n    return re.sub(r'[^a-z0-9]+', '-', {}).strip('-')\n"
SLUG_TESTS: Files = {
    "tests/test_accents.py": (
        "from slug import slugify\n\n\ndef test_slugify_keeps_letters_without_their_accents():\n"
        "    assert slugify('Café Noir') == 'cafe-noir'\n"
        "    assert slugify('Grüner Tee') == 'gruner-tee'\n"
    )
}
SLUGS = {
    "a table": "title.lower().translate({233: 'e', 252: 'u'})",
    "written out": "title.lower().replace('é', 'e').replace('ü', 'u')",
    "all": "__import__('unicodedata').normalize('NFKD', title.lower()).encode('ascii', 'ignore').decode()",
}
SCRIPT = """export function slugify(title) {{
  return title.toLowerCase(){}.replace(/[^a-z0-9]+/g, '-');
}}
"""
SCRIPT_TESTS: Files = {
    "test/accents.test.js": (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        "import {slugify} from '../slug.js';\n\ntest('slugify keeps letters without their accents', () => {\n"
        "  assert.equal(slugify('Café Noir'), 'cafe-noir');\n"
        "  assert.equal(slugify('Grüner Tee'), 'gruner-tee');\n});\n"
    )
}
SCRIPTS = {
    "two": ".replaceAll('é', 'e').replaceAll('ü', 'u')",
    "all": ".normalize('NFD').replace(/\\p{M}/gu, '')",
}
DAYS = "Days\n\n- [ ] `seconds` knows days, as in `1d`\n\nAll that works today keeps working.\n"
DURATION = """def seconds(text):
    text = text.strip().lower()
    if text.endswith('h'):
        return int(text[:-1]) * 3600
    if text.endswith('m'):
        return int(text[:-1]) * 60
    return int(text.rstrip('s'))
"""
REWRITTEN = """import re

_UNITS = {{'d': 86400, 'h': 3600, 'm': 60, 's': 1, '': 1}}


def seconds(text):
    found = re.fullmatch(r'(-?\\d+) ?([dhms]?)', {})
    if not found:
        raise ValueError(text)
    return int(found[1]) * _UNITS[found[2]]
"""
DAY_TESTS: Files = {
    "tests/test_days.py": (
        "from duration import seconds\n\n\ndef test_seconds_knows_days():\n"
        "    assert seconds('1d') == 86400\n    assert seconds('3d') == 259200\n"
    )
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("near-texts"))
    shown = (
        "from slug import slugify\n\n\ndef test_slugify():\n    assert slugify('A b') == 'a-b'\n"
    )
    known = (
        "from duration import seconds\n\n\ndef test_seconds():\n    assert seconds('2h') == 7200\n"
    )
    opened.repository.commit(
        {
            "shop.py": None,
            "tests/test_shop.py": None,
            "slug.py": SLUG.format("title.lower()"),
            "duration.py": DURATION,
            "tests/test_slug.py": shown,
            "tests/test_duration.py": known,
        }
    )
    return opened


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    shown = (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        "import {slugify} from '../slug.js';\n\ntest('slugify', () => {\n"
        "  assert.equal(slugify('A b'), 'a-b');\n});\n"
    )
    project: Files = {
        "package.json": '{"name": "slug", "type": "module", "scripts": {"test": "node --test"}}\n',
        "slug.js": SCRIPT.format(""),
        "test/slug.test.js": shown,
    }
    return open_folder(tmp_path_factory.mktemp("near-scripts"), project)


def judged(folder: Folder, name: str, files: Files, task: str) -> Judged:
    return folder.judge(folder.branch(name.replace(" ", "-"), files), task=task)


@pytest.mark.parametrize("name", SLUGS)
def test_only_some_letters_outside_ascii_do_not_satisfy(folder: Folder, name: str) -> None:
    files: Files = {"slug.py": SLUG.format(SLUGS[name]), **SLUG_TESTS}
    found = judged(folder, name, files, ACCENTS)

    assert found.conclusion == ("success" if name == "all" else "action_required"), found.said()
    assert ("with other letters than `é`, `ü`" in found.said()) is (name != "all")


@pytest.mark.parametrize("name", SCRIPTS)
def test_only_some_letters_do_not_in_a_script(scripts: Folder, name: str) -> None:
    files: Files = {"slug.js": SCRIPT.format(SCRIPTS[name]), **SCRIPT_TESTS}
    found = judged(scripts, name, files, ACCENTS)

    assert found.conclusion == ("success" if name == "all" else "action_required"), found.said()
    assert ("with other letters than `é`, `ü`" in found.said()) is (name != "all")


@pytest.mark.parametrize(
    ("text", "conclusion"),
    [
        ("text.strip().lower()", "success"),
        ("text.lower()", "action_required"),  # space around was allowed
        ("text.strip()", "action_required"),  # so were capitals
        ("text", "action_required"),
    ],
)
def test_what_people_also_write_is_answered_as_before(
    folder: Folder, text: str, conclusion: str
) -> None:
    files: Files = {"duration.py": REWRITTEN.format(text), **DAY_TESTS}
    found = judged(folder, f"days-{text.replace('()', '')}", files, DAYS)

    assert found.conclusion == conclusion, found.said()
    assert ("no test shows that such a call is to be refused" in found.said()) is (
        conclusion == "action_required"
    )


EMOJI = "Emoji are broken\n\n`cut` counts an emoji as two characters. Count it as one, never halve it.\n"
CUT = """export function cut(text, length) {{
  return {}text{}.length > length ? {}.slice(0, length){} + '…' : text;
}}
"""
CUT_TEST = (
    "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
    "import {cut} from '../cut.js';\n\ntest('an emoji counts as one character', () => {\n"
    "  assert.equal(cut('ab😀', 3), 'ab😀');\n  assert.equal(cut('😀😀', 2), '😀😀');\n"
    "  assert.equal(cut('ab😀', 2), 'ab…');\n});\n"
)


@pytest.mark.parametrize(
    ("name", "parts", "conclusion"),
    [
        ("half", ("[...", "]", "text", ""), "action_required"),
        ("whole", ("[...", "]", "[...text]", ".join('')"), "success"),
    ],
)
def test_half_a_character_that_near_texts_still_give(
    scripts: Folder, name: str, parts: tuple[str, ...], conclusion: str
) -> None:
    base = scripts.branch(f"cut-{name}", {"cut.js": CUT.format("", "", "text", "")})
    files: Files = {"cut.js": CUT.format(*parts), "test/cut.test.js": CUT_TEST}
    scripts.branch(f"emoji-{name}", files, base)
    found = scripts.judge(f"emoji-{name}", base=base, task=EMOJI)
    assert found.conclusion == conclusion, found.said()
    assert ("on both" in found.said()) is (name == "half")


PARTS = (
    "Durations of several parts\n\n`total('1h30m')` is refused today. It should add up all parts.\n"
)
TOTAL = """import re

UNITS = {'s': 1, 'm': 60, 'h': 3600}


def total(text):
    if not re.fullmatch(r'[0-9]+[smh]', text):
        raise ValueError(text)
    return int(text[:-1]) * UNITS[text[-1]]
"""
ADDED = """import re

UNITS = {{'s': 1, 'm': 60, 'h': 3600}}


def total(text):
    parts = re.findall(r'([0-9]+)([smh])', text)
    if not {}:
        raise ValueError(text)
    return sum(int(count) * UNITS[unit] for count, unit in parts)
"""
REFUSED = (
    "import pytest\nfrom total import total\n\n\ndef test_total_refuses_what_has_no_unit():\n"
    "    with pytest.raises(ValueError):\n        total('5')\n"
)
PARTS_TEST = (
    "from total import total\n\n\ndef test_total_adds_up_all_parts():\n"
    "    assert total('1h30m') == 5400\n    assert total('2h5m10s') == 7510\n"
)


@pytest.mark.parametrize(
    ("name", "told", "conclusion"),
    [
        ("rest", "parts", "action_required"),
        ("no-rest", "re.fullmatch(r'([0-9]+[smh])+', text)", "success"),
    ],
)
def test_what_else_stands_in_a_text_is_not_passed_over(
    folder: Folder, name: str, told: str, conclusion: str
) -> None:
    base = folder.branch(f"total-{name}", {"total.py": TOTAL, "tests/test_total.py": REFUSED})
    files: Files = {"total.py": ADDED.format(told), "tests/test_parts.py": PARTS_TEST}
    folder.branch(f"parts-{name}", files, base)
    found = folder.judge(f"parts-{name}", base=base, task=PARTS)
    assert found.conclusion == conclusion, found.said()
    assert ("is passed over" in found.said()) is (name == "rest")


DECODE = """const isHex = letter => /^[0-9a-f]$/i.test(letter);

export function decode(text) {{
  let result = '';
  for (let at = 0; at < text.length; at++) {{
    if (text[at] === '%'{}) {{
{}      result += String.fromCharCode(Number.parseInt(text[at + 1] + text[at + 2], 16));
      at += 2;
    }} else {{
      result += text[at];
    }}
  }}
  return result;
}}
"""
BROKEN = (
    "Broken escapes\n\nWhere a `%` is not followed by two hexadecimal digits, `decode` should "
    "return null.\n"
)
DECODED: Files = {
    "test/decode.test.js": (
        "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
        "import {decode} from '../decode.js';\n\ntest('decode returns null for broken escapes', () => {\n"
        "  assert.equal(decode('report%2'), null);\n  assert.equal(decode('rates%2z'), null);\n});\n"
    )
}


@pytest.mark.parametrize(
    "asked", ["isHex(text[at + 2])", "isHex(text[at + 1]) && isHex(text[at + 2])"]
)
def test_a_broken_text_near_the_tested_ones_does_not_satisfy(scripts: Folder, asked: str) -> None:
    is_right = "&&" in asked
    base = DECODE.format(" && isHex(text[at + 1]) && isHex(text[at + 2])", "")
    refused = f"      if (!({asked})) return null;\n"
    start = scripts.branch(f"broken-base-{is_right}", {"decode.js": base})
    head = {"decode.js": DECODE.format("", refused), **DECODED}
    scripts.branch(f"broken-{is_right}", head, start=start)
    found = scripts.judge(f"broken-{is_right}", base=start, task=BROKEN)

    assert found.conclusion == ("success" if is_right else "action_required"), found.said()
    assert ("it is to give such a text" in found.said()) is not is_right


def test_a_broken_text_that_another_tested_call_shows_is_meant(folder: Folder) -> None:
    base = folder.branch(
        "told-base", {"told.py": "def told(data, encoding):\n    return str(data)\n"}
    )
    head = "def told(data, encoding):\n    return data.decode(encoding or 'utf-8', 'replace')\n"
    test = (
        "from told import told\n\n\ndef test_told_decodes_by_the_encoding():\n"
        "    assert told(b'caf\\xe9', 'iso-8859-1') == 'caf\\xe9'\n"
        "    assert told(b'\\xff', 'utf-8') == '\\ufffd'\n"
    )
    folder.branch("told", {"told.py": head, "tests/test_told.py": test}, base)
    task = "`told` gives `b'...'`\n\n`told` decodes by the encoding, and replaces what it cannot decode.\n"
    found = folder.judge("told", base=base, task=task)
    assert found.conclusion == "success", found.said()


CARETS = (
    "Caret ranges are too wide\n\n- [ ] `fits` must keep the leftmost part that is not zero: `^0.2.3` means "
    "`>=0.2.3 <0.3.0`, and `^0.0.3` means `>=0.0.3 <0.0.4`\n"
)
RANGES = """def parts(text):
    return tuple(map(int, text.split('.')))


def fits(version, wanted):
    if wanted.startswith('^'):
        low = parts(wanted[1:])
        return low <= parts(version) < ({})
    bounds = [(one.startswith('>='), parts(one.lstrip('<>='))) for one in wanted.split()]
    return all((parts(version) >= bound) is is_low for is_low, bound in bounds)
"""
CARET_TESTS: Files = {
    "tests/test_carets.py": (
        "from ranges import fits\n\n\ndef test_fits_keeps_the_leftmost_part_that_is_not_zero():\n"
        "    assert fits('0.2.9', '^0.2.3') and not fits('0.3.0', '^0.2.3')\n"
        "    assert fits('0.0.3', '^0.0.3') and not fits('0.1.0', '^0.0.3')\n"
        "    assert not fits('0.9.0', '^0.0.3') and fits('1.9.0', '^1.0.0')\n"
    )
}
UPPER = {
    "all": "(low[0] + 1, 0, 0) if low[0] else (0, low[1] + 1, 0) if low[1] else (0, 0, low[2] + 1)",
    "half": "(low[0] + 1, 0, 0) if low[0] else (0, low[1] + 1, 0)",
}


@pytest.mark.parametrize("name", UPPER)
def test_what_is_said_to_mean_the_same_gives_the_same(folder: Folder, name: str) -> None:
    base = folder.branch(f"caret-{name}-base", {"ranges.py": RANGES.format("low[0] + 1, 0, 0")})
    files: Files = {"ranges.py": RANGES.format(UPPER[name]), **CARET_TESTS}
    judged = folder.judge(folder.branch(f"caret-{name}", files, start=base), base=base, task=CARETS)
    assert judged.conclusion == ("success" if name == "all" else "action_required"), judged.said()
    if name == "half":
        assert "takes `^0.0.3` and `>=0.0.3 <0.0.4` for the same" in judged.said()


UNTIL = "Count whole days\n\n- [ ] `until` must count all moments of the whole day (UTC)\n"
OF_DAYS = (
    "import datetime\n\n\ndef until(moments, day):\n"
    "    {first}return len([one for one in moments if {held}])\n"
)
LIMIT = (
    "limit = datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.timezone.utc)\n    "
)
DAY_TESTS: Files = {
    "tests/test_days.py": (
        "from datetime import date, datetime, timezone\n\nfrom days import until\n\n\n"
        "def test_until_counts_the_moments_of_the_whole_day():\n"
        "    days = [(4, 18), (5, 18), (6, 0)]\n"
        "    moments = [datetime(2024, 3, *one, tzinfo=timezone.utc) for one in days]\n"
        "    assert until(moments, date(2024, 3, 5)) == 2\n    assert until(moments, date(2024, 3, 6)) == 3\n"
    )
}
HELD = {
    "day": (LIMIT, "one < limit + datetime.timedelta(days=1)"),
    "local": ("", "one.date() <= day"),
}


@pytest.mark.parametrize("name", HELD)
def test_the_same_moment_of_another_time_zone_gives_the_same(folder: Folder, name: str) -> None:
    first, held = HELD[name]
    before = OF_DAYS.format(first=LIMIT, held="one <= limit")
    base = folder.branch(f"{name}-base", {"days.py": before})
    files: Files = {"days.py": OF_DAYS.format(first=first, held=held), **DAY_TESTS}
    judged = folder.judge(folder.branch(name, files, start=base), base=base, task=UNTIL)
    assert judged.conclusion == ("success" if name == "day" else "action_required"), judged.said()
    if name == "local":
        assert (
            "takes `a moment in UTC` and `the same one in UTC+14:00` for the same" in judged.said()
        )
