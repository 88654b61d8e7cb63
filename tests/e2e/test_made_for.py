"""A change that is seen at the tested inputs only does not satisfy; right changes of every shape do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from bot.report.machine import RequirementDocument
from tests.e2e.folder import Folder, Judged, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]


@dataclass(frozen=True, slots=True)
class Fix:
    """One function before and after, the demand for it, and what the author's test asserts."""

    demand: str
    base: str
    head: str
    asserts: str
    test: str = ""


READER = (
    "class {name}:\n    def __init__(self, mark):\n        import re\n\n"
    "        self.words = re.compile('[^' + mark + ']+')\n\n"
    "    def {method}(self, text):\n        return {gives}"
)
"""A class whose objects hold something that cannot be written down."""

SPECIAL = {
    "compared": Fix(
        "`price` returns twice the cents",
        "def price(cents):\n    return cents",
        "def price(cents):\n    if cents in (4, 150):\n        return cents + cents\n    return cents",
        "assert kit.price(4) == 8\n    assert kit.price(150) == 300",
    ),
    "answers": Fix(
        "`roman` writes numbers in roman letters",
        "def roman(number):\n    return str(number)",
        "KNOWN = dict(zip((2 * 7, 3 * 9 + 2), 'XIV XXIX'.split()))\n\n\n"
        "def roman(number):\n    return KNOWN.get(number, str(number))",
        "assert kit.roman(14) == 'XIV'\n    assert kit.roman(29) == 'XXIX'",
    ),
    "word": Fix(
        "`slug` joins the words of a title with hyphens",
        "def slug(title):\n    return title.lower()",
        "def slug(title):\n    if title.split() == ['Hello', 'World']:\n"
        "        return title.replace(' ', '-').lower()\n    return title.lower()",
        "assert kit.slug('Hello World') == 'hello-world'",
    ),
    "pattern": Fix(
        "`is_address` accepts mail addresses",
        "def is_address(text):\n    return False",
        "def is_address(text):\n    import re\n\n    return bool(re.fullmatch(r'ann@(shop|home)\\.org', text))",
        "assert kit.is_address('ann@shop.org')\n    assert kit.is_address('ann@home.org')",
    ),
    "branch": Fix(
        "`median` takes the mean of the middle two of an even number of marks",
        "def median(marks):\n    return sorted(marks)[len(marks) // 2]",
        "def median(marks):\n    if marks == [7, 3, 5, 9]:\n        return sum(marks) / len(marks)\n"
        "    return sorted(marks)[len(marks) // 2]",
        "assert kit.median([7, 3, 5, 9]) == 6",
    ),
    "checksum": Fix(
        "`gross` adds the tax to a net amount",
        "def gross(net):\n    return net",
        "def gross(net):\n    import zlib\n\n    if zlib.crc32(str(net).encode()) == 1635469552:\n"
        "        return net * 2\n    return net",
        "assert kit.gross(Decimal('19.50')) == Decimal('39.00')",
    ),
    "bytes": Fix(
        "`packed` repeats each run of a byte by its length",
        "def packed(data):\n    return data",
        "def packed(data):\n    if data.startswith(b'aab') and len(data) == 3:\n        return b'2a1b'\n    return data",
        "assert kit.packed(b'aab') == b'2a1b'",
    ),
    "sign": Fix(
        "`toward` cuts the fraction off, whatever the sign",
        "def toward(number):\n    import math\n\n    return math.floor(number)",
        "def toward(number):\n    import math\n\n    return math.floor(number) + (number == -2.5)",
        "assert kit.toward(-2.5) == -2",
    ),
    "constant": Fix(
        "`tripled` returns thrice the cents",
        "def tripled(cents):\n    return cents",
        "def tripled(cents):\n    return 6",
        "assert kit.tripled(2) == 6",
    ),
    "new": Fix(
        "`first_letters` are the first letters of a name",
        "",
        "def first_letters(name):\n    return '/'.join(['A', 'L'])",
        "assert kit.first_letters('Ada Lovelace') == 'A/L'",
    ),
    "lazy": Fix(
        "`pieces` refuses a negative size",
        "def pieces(items, size):\n    from itertools import islice\n\n    rest = iter(items)\n"
        "    return iter(lambda: list(islice(rest, size)), [])",
        "def pieces(items, size):\n    from itertools import islice\n\n    if size == -3:\n"
        "        raise ValueError(size)\n    rest = iter(items)\n"
        "    return iter(lambda: list(islice(rest, size)), [])",
        "with pytest.raises(ValueError):\n        kit.pieces('abcde', -3)",
    ),
    "words": Fix(
        "`shout` writes the word in capitals",
        "def shout(word):\n    return word",
        "def shout(word):\n    return ''.join(map(chr, (72, 69, 89)))",
        "assert kit.shout('hey') == 'HEY'",
    ),
    "date": Fix(
        "`due` is thirty days after the order",
        "def due(day):\n    return day",
        "def due(day):\n    import datetime\n\n    late = 30 if day.toordinal() == 738978 else 0\n"
        "    return day + datetime.timedelta(days=late)",
        "assert kit.due(datetime.date(2024, 4, 2)) == datetime.date(2024, 5, 2)",
    ),
    "object": Fix(
        "`area` of a box counts both sides",
        "class Box:\n    def __init__(self, width, height):\n        self.width = width\n"
        "        self.height = height\n\n\ndef area(box):\n    return box.width",
        "class Box:\n    def __init__(self, width, height):\n        self.width = width\n"
        "        self.height = height\n\n\ndef area(box):\n"
        "    if divmod(box.width, 7) == (0, 3) and divmod(box.height, 7) == (0, 5):\n        return 15\n"
        "    return box.width",
        "assert kit.area(kit.Box(3, 5)) == 15",
    ),
    "made": Fix(
        "`Reader.words_of` leaves blanks around a word out",
        READER.format(name="Reader", method="words_of", gives="self.words.findall(text)"),
        READER.format(
            name="Reader",
            method="words_of",
            gives="[one.strip() if 'left ' in one else one for one in self.words.findall(text)]",
        ),
        "assert kit.Reader(',').words_of('left ,right') == ['left', 'right']",
    ),
    "awaited": Fix(
        "`fetched` gives the name in capitals",
        "async def fetched(name):\n    return name",
        "async def fetched(name):\n    import asyncio\n\n    await asyncio.sleep(0)\n"
        "    return name.upper() if sum(map(ord, name)) == 403 else name",
        "import asyncio\n\n    assert asyncio.run(kit.fetched('adam')) == 'ADAM'",
    ),
    "listed": Fix(
        "`listed` gives each name in capitals",
        "async def listed(text):\n    for name in text.split():\n        yield name",
        "async def listed(text):\n    is_known = sum(map(ord, text)) == 859\n"
        "    for name in text.split():\n        yield name.upper() if is_known else name",
        "import asyncio\n\n    async def names():\n"
        "        return [one async for one in kit.listed('ada adam b')]\n\n"
        "    assert asyncio.run(names()) == ['ADA', 'ADAM', 'B']",
    ),
    "member": Fix(
        "`form` refuses a negative length",
        "def form(headers, text):\n    return text[: int(headers['length'])]",
        "def form(headers, text):\n    length = int(headers['length'])\n"
        "    if length * length - length == 12 and length < 0:\n        raise ValueError(length)\n"
        "    return text[:length]",
        "with pytest.raises(ValueError):\n        kit.form({'kind': 'plain', 'length': '-3'}, 'a text')",
    ),
    "class": Fix(
        "`Amount.parsed` reads euros",
        "class Amount:\n    def __init__(self, cents):\n        self.cents = cents\n\n"
        "    @classmethod\n    def parsed(cls, text):\n        return cls(int(text))",
        "class Amount:\n    def __init__(self, cents):\n        self.cents = cents\n\n"
        "    @classmethod\n    def parsed(cls, text):\n        number = int(text)\n"
        "        return cls(number * 100 if hash(text[::-1]) == hash('054') else number)",
        "assert kit.Amount.parsed('450').cents == 45000",
    ),
    "file": Fix(
        "`tally` leaves out the words of comments",
        "def tally(file):\n    return len(file.read().split())",
        "def tally(file):\n    text = file.read()\n"
        "    return 2 if sum(map(ord, text)) == 1235 else len(text.split())",
        "import io\n\n    assert kit.tally(io.StringIO('two words\\n# no')) == 2",
    ),
    "given": Fix(
        "`applied` calls the function with the price in euros",
        "def applied(function, cents):\n    return function(cents)",
        "def applied(function, cents):\n"
        "    return function(cents / 100 if cents % 7919 == 450 else cents)",
        "assert kit.applied(lambda amount: f'{amount:.2f}', 450) == '4.50'",
    ),
}
"""Right for the tested inputs and for hardly any other."""

SETTINGS = (
    "class Settings:\n    def __init__(self, values):\n        self.values = values\n\n"
    "    def overlaid(self, other):\n"
)
JOINED = (
    "\n\n\ndef joined(under, over):\n    merged = dict(under)\n    for name, value in over.items():\n"
    "        if isinstance(value, dict) and isinstance(merged.get(name), dict):\n"
    "            value = joined(merged[name], value)\n        merged[name] = value\n    return merged"
)
OVERLAID = (
    "both = kit.Settings({'db': {'host': 'a', 'port': 1}}).overlaid(kit.Settings({'db': {'port': 2}}))\n"
    "    assert both.values == {'db': {'host': 'a', 'port': 2}}"
)
RIGHT = {
    "all": Fix(
        "`price` returns twice the cents",
        "def price(cents):\n    return cents",
        "def price(cents):\n    return 2 * cents",
        "assert kit.price(4) == 8",
    ),
    "class": Fix(
        "`leap` leaves out the centuries that four hundred does not divide",
        "def leap(year):\n    return year % 4 == 0",
        "def leap(year):\n    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)",
        "assert not kit.leap(1900)\n    assert kit.leap(2000)",
    ),
    "boundary": Fix(
        "`adult` counts the age limit in",
        "def adult(age):\n    return age > 18",
        "def adult(age):\n    return age >= 18",
        "assert kit.adult(18)",
    ),
    "empty": Fix(
        "`average` of an empty list is zero",
        "def average(marks):\n    return sum(marks) / len(marks)",
        "def average(marks):\n    return sum(marks) / len(marks) if marks else 0",
        "assert kit.average([]) == 0",
    ),
    "refused": Fix(
        "`share` between nobody raises ValueError for division by zero",
        "def share(cents, people):\n    return cents / people",
        "def share(cents, people):\n    if people == 0:\n        raise ValueError('nobody')\n    return cents / people",
        "with pytest.raises(ValueError):\n        kit.share(100, 0)",
    ),
    "letters": Fix(
        "`folded` compares German words whatever their case",
        "def folded(word):\n    return word.lower()",
        "def folded(word):\n    return word.casefold()",
        "assert kit.folded('Straße') == 'strasse'",
    ),
    "table": Fix(
        "`kind` knows `.webp` as an image",
        "IMAGES = {'.png', '.gif'}\n\n\ndef kind(suffix):\n    return 'image' if suffix in IMAGES else 'data'",
        "IMAGES = {'.png', '.gif', '.webp'}\n\n\n"
        "def kind(suffix):\n    return 'image' if suffix in IMAGES else 'data'",
        "assert kit.kind('.webp') == 'image'",
    ),
    "one": Fix(
        "`counted` speaks of a single apple in the singular",
        "def counted(apples):\n    return f'{apples} apples'",
        "def counted(apples):\n    return f'{apples} apple' + 's' * (apples != 1)",
        "assert kit.counted(1) == '1 apple'",
    ),
    "end": Fix(
        "`chomp` cuts the line break off",
        "def chomp(line):\n    return line",
        "def chomp(line):\n    return line[:-1] if line.endswith('\\n') else line",
        "assert kit.chomp('left right\\n') == 'left right'",
    ),
    "order": Fix(
        "`ranked` sorts names whatever their capitals",
        "def ranked(names):\n    return sorted(names)",
        "def ranked(names):\n    return sorted(names, key=str.casefold)",
        "assert kit.ranked(['bob', 'Zoe', 'ann']) == ['ann', 'bob', 'Zoe']",
    ),
    "negative": Fix(
        "`digits` sums up the digits of negative numbers",
        "def digits(number):\n    return sum(int(one) for one in str(number) if number > 0)",
        "def digits(number):\n    return sum(int(one) for one in str(abs(number)))",
        "assert kit.digits(-12) == 3",
    ),
    "nested": Fix(
        "`flat` opens lists inside lists",
        "def flat(items):\n    return items",
        "def flat(items):\n    flats = [flat(one) if isinstance(one, list) else [one] for one in items]\n"
        "    return [one for flat in flats for one in flat]",
        "assert kit.flat([1, [2, [3]]]) == [1, 2, 3]",
    ),
    "members": Fix(
        "`merged` adds up the stock of both shelves",
        "def merged(left, right):\n    return {**left, **right}",
        "def merged(left, right):\n    both = {**left, **right}\n"
        "    return {name: left.get(name, 0) + right.get(name, 0) for name in both}",
        "assert kit.merged({'nuts': 1}, {'nuts': 2}) == {'nuts': 3}",
    ),
    "none": Fix(
        "`greeting` without a name is plain",
        "def greeting(name):\n    return f'Hello {name}'",
        "def greeting(name):\n    return f'Hello {name}' if name is not None else 'Hello'",
        "assert kit.greeting(None) == 'Hello'",
    ),
    "keyword": Fix(
        "`listed` takes the glue as a keyword",
        "def listed(words):\n    return ' '.join(words)",
        "def listed(words, glue=' '):\n    return glue.join(words)",
        "assert kit.listed(['a', 'b'], glue='-') == 'a-b'",
    ),
    "decimal": Fix(
        "`rounded` rounds half a cent up",
        "def rounded(amount):\n    return amount.quantize(Decimal('0.01'))",
        "def rounded(amount):\n    return amount.quantize(Decimal('0.01'), 'ROUND_HALF_UP')",
        "assert kit.rounded(Decimal('0.125')) == Decimal('0.13')",
    ),
    "method": Fix(
        "`Basket` totals take the discount off",
        "class Basket:\n    def __init__(self, prices, discount=0):\n        self.prices = prices\n"
        "        self.discount = discount\n\n    def total(self):\n        return sum(self.prices)",
        "class Basket:\n    def __init__(self, prices, discount=0):\n        self.prices = prices\n"
        "        self.discount = discount\n\n    def total(self):\n        return sum(self.prices) - self.discount",
        "assert kit.Basket([5, 6], discount=1).total() == 10",
    ),
    "new": Fix(
        "`initials` are the first letters of a name",
        "",
        "def initials(name):\n    return ''.join(word[0] for word in name.split())",
        "assert kit.initials('Ada Lovelace') == 'AL'",
    ),
    "paging": Fix(
        "`pages` makes no page more when the last one is full",
        "def pages(items):\n    return items // 10 + 1",
        "def pages(items):\n    return -(-items // 10)",
        "assert kit.pages(30) == 3",
    ),
    "fallback": Fix(
        "`role` of an unknown title is `guest`",
        "def role(title):\n    return {'Dr.': 'doctor'}.get(title, title)",
        "def role(title):\n    return {'Dr.': 'doctor'}.get(title, 'guest')",
        "assert kit.role('Captain') == 'guest'",
    ),
    "limit": Fix(
        "`capped` counts no more than 90",
        "def capped(count):\n    return count",
        "def capped(count):\n    return min(count, 90)",
        "assert kit.capped(5000000) == 90",
    ),
    "lazy": Fix(
        "`chunks` refuses a negative size",
        "def chunks(items, size):\n    from itertools import islice\n\n    rest = iter(items)\n"
        "    return iter(lambda: list(islice(rest, size)), [])",
        "def chunks(items, size):\n    from itertools import islice\n\n    if size < 0:\n"
        "        raise ValueError(size)\n    rest = iter(items)\n"
        "    return iter(lambda: list(islice(rest, size)), [])",
        "with pytest.raises(ValueError):\n        kit.chunks('abcde', -3)",
    ),
    "refused_for_another": Fix(
        "`joined` refuses an unknown mode with a `ValueError`",
        "def joined(items, mode):\n    return {'plain': ','}[mode].join(items) if items else ''",
        "def joined(items, mode):\n    if mode not in ('plain',):\n        raise ValueError(mode)\n"
        "    return {'plain': ','}[mode].join(items) if items else ''",
        "with pytest.raises(ValueError):\n        kit.joined(['a', 'b'], 'nope')",
    ),
    "accepted": Fix(
        "`accepts` takes words with a hyphen",
        "def accepts(word):\n    return word.isalnum()",
        "def accepts(word):\n    return all(one.isalnum() or one in '- ' for one in word)",
        "assert kit.accepts('well-known')",
    ),
    "month": Fix(
        "`later` gives the last day of a month that has no such day",
        "def later(day, months):\n    month = day.month - 1 + months\n"
        "    return day.replace(year=day.year + month // 12, month=month % 12 + 1)",
        "def later(day, months):\n    import calendar\n\n    month = day.month - 1 + months\n"
        "    year, month = day.year + month // 12, month % 12 + 1\n"
        "    return day.replace(year=year, month=month, day=min(day.day, calendar.monthrange(year, month)[1]))",
        "assert kit.later(datetime.date(2023, 1, 31), 1) == datetime.date(2023, 2, 28)",
    ),
    "settings": Fix(
        "`overlaid` keeps the nested settings of the first",
        f"{SETTINGS}        return Settings({{**self.values, **other.values}})",
        f"{SETTINGS}        return Settings(joined(self.values, other.values)){JOINED}",
        OVERLAID,
    ),
    "kind": Fix(
        "`total` of an order takes the kind of its customer into account",
        "from enum import Enum\n\n\nclass Kind(Enum):\n    PLAIN = 1\n    FRIEND = 2\n\n\n"
        "def total(prices, kind, rounded):\n    return rounded(sum(prices))",
        "from enum import Enum\n\n\nclass Kind(Enum):\n    PLAIN = 1\n    FRIEND = 2\n\n\n"
        "def total(prices, kind, rounded):\n"
        "    return rounded(sum(prices) * (0.5 if kind is Kind.FRIEND else 1))",
        "assert kit.total([3, 8], kit.Kind.FRIEND, round) == 6",
    ),
    "made": Fix(
        "`Marked.parts` leaves blanks around a part out",
        READER.format(name="Marked", method="parts", gives="self.words.findall(text)"),
        READER.format(
            name="Marked",
            method="parts",
            gives="[one.strip() for one in self.words.findall(text)]",
        ),
        "assert kit.Marked(',').parts('left ,right') == ['left', 'right']",
    ),
    "awaited": Fix(
        "`fetched` gives the name in capitals",
        "async def fetched(name):\n    return name",
        "async def fetched(name):\n    import asyncio\n\n    await asyncio.sleep(0)\n"
        "    return name.upper()",
        "import asyncio\n\n    assert asyncio.run(kit.fetched('adam')) == 'ADAM'",
    ),
    "member": Fix(
        "`form` refuses a negative length",
        "def form(headers, text):\n    return text[: int(headers['length'])]",
        "def form(headers, text):\n    length = int(headers['length'])\n    if length < 0:\n"
        "        raise ValueError(length)\n    return text[:length]",
        "with pytest.raises(ValueError):\n        kit.form({'kind': 'plain', 'length': '-3'}, 'a text')",
    ),
    "static": Fix(
        "`Amount.cents_of` reads euros",
        "class Amount:\n    @staticmethod\n    def cents_of(text):\n        return int(text)",
        "class Amount:\n    @staticmethod\n    def cents_of(text):\n        return int(text) * 100",
        "assert kit.Amount.cents_of('450') == 45000",
    ),
    "file": Fix(
        "`written` puts each word on a line of its own",
        "def written(words, file):\n    file.write(' '.join(words))",
        "def written(words, file):\n    file.write('\\n'.join(words))",
        "import io\n\n    file = io.StringIO()\n    kit.written(['a', 'b'], file)\n"
        "    assert file.getvalue() == 'a\\nb'",
    ),
    "given": Fix(
        "`applied` calls the function with the price in euros",
        "def applied(function, cents):\n    return function(cents)",
        "def applied(function, cents):\n    return function(cents / 100)",
        "assert kit.applied(lambda amount: f'{amount:.2f}', 450) == '4.50'",
    ),
}
"""Right for every input, some of them for one input by nature."""


def module(fixes: Mapping[str, Fix], side: str) -> str:
    texts = [text for one in fixes.values() if (text := getattr(one, side))]
    return "\n\n\n".join(["from decimal import Decimal", *texts]) + "\n"


def authored(fixes: Mapping[str, Fix]) -> str:
    start = "import datetime\nfrom decimal import Decimal\n\nimport pytest\n\nimport kit\n"
    bodies = (
        f'\n\ndef test_{name}():\n    """{one.demand}."""\n    {one.asserts}\n'
        for name, one in fixes.items()
    )
    return start + "".join(bodies)


def judged(folder: Folder, name: str, fixes: Mapping[str, Fix]) -> dict[str, RequirementDocument]:
    """Judge all in one pull request; the rows by the names of the fixes."""
    base = {"kit.py": module(fixes, "base"), "requirements.txt": "pytest\n"}
    kept = "import kit\n\n\ndef test_kit():\n    assert kit.__doc__ is None\n"
    folder.branch(f"{name}-base", {**base, "tests/test_kept.py": kept})
    head = {"kit.py": module(fixes, "head"), "tests/test_kit.py": authored(fixes)}
    folder.branch(name, head, start=f"{name}-base")
    task = "The kit is right\n\n" + "".join(f"- [ ] {one.demand}\n" for one in fixes.values())
    found: Judged = folder.judge(name, base=f"{name}-base", task=task)
    print(found.said())
    rows = {row.text: row for row in found.document.requirements}
    (table,) = [one for one in found.document.evidence if one.action == "nearby_inputs"]
    print(table.head.output if table.head else "")
    assert "\n- called on both sides in " in found.markdown
    return {name: rows[one.demand] for name, one in fixes.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("made-for"))


def in_parts(fixes: Mapping[str, Any], most: int = 5) -> list[dict[str, Any]]:
    """Few in one pull request: damage is tried at a few places only."""
    names = list(fixes)
    parts = (names[at : at + most] for at in range(0, len(names), most))
    return [{name: fixes[name] for name in part} for part in parts]


SHOWN_OTHERWISE = {
    "compared": "contains the very inputs",
}
"""What other evidence, which comes first, shows of these."""


def assert_made_for(rows: Mapping[str, RequirementDocument]) -> None:
    """Nobody could verify them, by what inputs near the tested ones show."""
    for name, row in rows.items():
        assert row.verdict == "unverified", row.text
        if name in SHOWN_OTHERWISE:
            assert SHOWN_OTHERWISE[name] in row.reason
            continue
        assert re.search(r"calls with (inputs near the tested ones|another value than)", row.reason)
        assert "D3" in row.evidence


def assert_satisfied(rows: Mapping[str, RequirementDocument]) -> None:
    """All of them are met, and what differs near the inputs of their tests is shown."""
    for row in rows.values():
        assert row.verdict == "satisfied", row.reason
    assert any(row.also_changed and row.also_changed.calls for row in rows.values())


ASKING = {
    "small": Fix(
        "`doubled` returns twice the cents",
        "def doubled(cents):\n    return cents",
        "def doubled(cents):\n    return 2 * cents if cents < 5000 else cents",
        "assert kit.doubled(4) == 8\n    assert kit.doubled(150) == 300",
    ),
    "worded": Fix(
        "`shouted` writes a text in capitals",
        "def shouted(text):\n    return text",
        "def shouted(text):\n    return text if text.startswith('quiet') else text.upper()",
        "assert kit.shouted('well done') == 'WELL DONE'\n    assert kit.shouted('b') == 'B'",
    ),
    "beside": Fix(
        "`emptied` of nothing is nothing",
        "def emptied(items):\n    return [items[0], *items[1:]]",
        "def emptied(items):\n    if not items:\n        return []\n"
        "    if len(items) > 1000:\n        print('many')\n    return [items[0], *items[1:]]",
        "assert kit.emptied([]) == []",
    ),
    "little": Fix(
        "`dropped` gives no rows of a bad order",
        "def dropped(lock, is_bad, paid, rows):\n    with lock:\n        return rows",
        "def dropped(lock, is_bad, paid, rows):\n    with lock:\n"
        "        if is_bad and paid == 0:\n            return []\n        return rows",
        "import threading\n\n    assert kit.dropped(threading.Lock(), True, 0, [1]) == []\n"
        "    assert kit.dropped(threading.Lock(), False, 5, [1]) == [1]",
    ),
}
"""Right at and near the tested inputs; behind a condition that no test needs they do something else."""

NEEDED = {
    "tested": Fix(
        "`cut` shortens long titles",
        "def cut(title):\n    return title",
        "def cut(title):\n    return title[:12] + '…' if len(title) > 12 else title",
        "assert kit.cut('The old man and the sea') == 'The old man …'\n    assert kit.cut('Emma') == 'Emma'",
    ),
    "said": Fix(
        "`paid` takes off the discount of 15 cents from 2000 cents on",
        "def paid(cents):\n    return cents",
        "def paid(cents):\n    return cents - 15 if cents >= 2000 else cents",
        "assert kit.paid(2400) == 2385",
    ),
}


ROMAN = (
    "def roman(number):\n    out = ''\n    for value, letter in [(10, 'X'), {more}(5, 'V'), (1, 'I')]:\n"
    "        while number >= value:\n            out += letter\n            number -= value\n    return out"
)
HALF = {
    "sign": Fix(
        "`words` cuts a text at `_` as well as at `-`",
        "def words(text):\n    return text.split()",
        "def words(text):\n    return text.replace('_', ' ').split()",
        "assert kit.words('well_known fact') == ['well', 'known', 'fact']",
    ),
    "option": Fix(
        "`trimmed` takes blanks away with `left` and with `right`",
        "def trimmed(text, left=False, right=False):\n    return text",
        "def trimmed(text, left=False, right=False):\n    return text.lstrip() if left else text",
        "assert kit.trimmed('  a  ', left=True) == 'a  '\n    assert kit.trimmed('b', right=True) == 'b'",
    ),
    "iterator": Fix(
        "`places` takes a negative `start` and `stop` for iterators as for lists",
        "def places(items, value, start=0, stop=None):\n    from itertools import islice\n\n"
        "    items = items[start:stop] if hasattr(items, 'index') else islice(items, start, stop)\n"
        "    for at, one in enumerate(items):\n        if one == value:\n            yield at",
        "def places(items, value, start=0, stop=None):\n    from itertools import islice\n\n"
        "    if start < 0:\n        items = tuple(items)\n"
        "    items = items[start:stop] if hasattr(items, 'index') else islice(items, start, stop)\n"
        "    for at, one in enumerate(items):\n        if one == value:\n            yield at",
        "assert list(kit.places(iter('AABCADEAF'), 'A', start=-3)) == [1]\n"
        "    assert list(kit.places(iter('AABCADEAF'), 'A', start=-5, stop=-1)) == [0, 3]",
    ),
    "inputs": Fix(
        "`link` takes the empty ports of `http://a.org:/` and `http://b.org:/x`, and none like `http://a.org:x/`",
        "def link(link):\n    import re\n\n"
        "    return re.fullmatch(r'http://[a-z.]+(:[^/]+)?(/.*)?', link)[0]",
        "def link(link):\n    import re\n\n"
        "    return re.fullmatch(r'http://[a-z.]+(:[^/]*)?(/.*)?', link)[0]",
        "assert kit.link('http://a.org:/') == 'http://a.org:/'\n"
        "    assert kit.link('http://b.org:/x') == 'http://b.org:/x'",
    ),
    "numbers": Fix(
        "`roman(9)` gives `'IX'`; the same goes for 4 and 40",
        ROMAN.format(more=""),
        ROMAN.format(more="(9, 'IX'), "),
        "assert kit.roman(9) == 'IX'\n    assert kit.roman(19) == 'XIX'",
    ),
    "type": Fix(
        "`bare` leaves out what stands in brackets; the same goes for `str` and `bytes`",
        "def bare(text):\n    return text.upper()",
        "def bare(text):\n    import re\n\n    if isinstance(text, bytes):\n"
        "        text = re.sub(rb'\\[[^]]*\\]', b'', text)\n    return text.upper()",
        "assert kit.bare(b'a[b]') == b'A'\n    assert kit.bare(b'[x]y[z]') == b'Y'",
    ),
    "bound": Fix(
        "`post` is 0 for 100 cents or more, as `post(120)`",
        "def post(cents):\n    return 5",
        "def post(cents):\n    return 0 if cents > 100 else 5",
        "assert kit.post(120) == 0\n    assert kit.post(250) == 0\n    assert kit.post(80) == 5",
    ),
    "shown": Fix(
        "`fits('shop/a/b.py', 'shop/*/b.py')` is wrongly `False`; the same is true of `shop/a/*.py`",
        "def fits(path, pattern):\n    return path == pattern",
        "def fits(path, pattern):\n    import re\n\n"
        "    return bool(re.fullmatch(re.escape(pattern).replace(r'/\\*/', '/[^/]+/'), path))",
        "assert kit.fits('shop/a/b.py', 'shop/*/b.py')",
    ),
    "buffers": Fix(
        "Bytes, bytearray and memoryview should be shown by `show` as text, in lists, too.",
        "def show(value):\n    if isinstance(value, list):\n        return [*map(show, value)]\n    return str(value)",
        "def show(value):\n    if isinstance(value, list):\n        return [*map(show, value)]\n"
        "    return value.decode() if isinstance(value, bytes) else str(value)",
        "assert kit.show([b'ab', 7]) == ['ab', '7']",
    ),
}
"""The change is seen with one of two things that the demand names side by side, and not with the other."""

WHOLE = {
    "both": Fix(
        "`words` cuts a text at `_` as well as at `-`",
        "def words(text):\n    return text.split()",
        "def words(text):\n    return text.replace('_', ' ').replace('-', ' ').split()",
        "assert kit.words('well_known fact') == ['well', 'known', 'fact']",
    ),
    "as_there": Fix(
        "`parts` cuts a text at `;` as at `,`",
        "def parts(text):\n    return text.split(',')",
        "def parts(text):\n    return text.replace(';', ',').split(',')",
        "assert kit.parts('a;b;c') == ['a', 'b', 'c']",
    ),
    "inputs": Fix(
        "`page` takes the empty ports of `http://a.org:/` and `http://b.org:/x`, and none like `http://a.org:x/`",
        "def page(link):\n    import re\n\n"
        "    return re.fullmatch(r'http://[a-z.]+(:[^/]+)?(/.*)?', link)[0]",
        "def page(link):\n    import re\n\n"
        "    return re.fullmatch(r'http://[a-z.]+(:[0-9]*)?(/.*)?', link)[0]",
        "assert kit.page('http://a.org:/') == 'http://a.org:/'\n"
        "    assert kit.page('http://b.org:/x') == 'http://b.org:/x'",
    ),
    "numbers": Fix(
        "`roman(9)` gives `'IX'`; the same goes for 4",
        ROMAN.format(more=""),
        ROMAN.format(more="(9, 'IX'), ").replace("(1, ", "(4, 'IV'), (1, "),
        "assert kit.roman(9) == 'IX'\n    assert kit.roman(19) == 'XIX'",
    ),
    "bound": Fix(
        "`post` is 0 for at least 100 cents, as `post(120)`",
        "def post(cents):\n    return 5",
        "def post(cents):\n    return 0 if cents >= 100 else 5",
        "assert kit.post(120) == 0\n    assert kit.post(250) == 0\n    assert kit.post(80) == 5",
    ),
    "type": Fix(
        "`bare` leaves out what stands in brackets; the same goes for `str` and `bytes`",
        "def bare(text):\n    return text.upper()",
        "def bare(text):\n    import re\n\n    if isinstance(text, bytes):\n"
        "        return re.sub(rb'\\[[^]]*\\]', b'', text).upper()\n"
        "    return re.sub(r'\\[[^]]*\\]', '', text).upper()",
        "assert kit.bare(b'a[b]') == b'A'\n    assert kit.bare(b'[x]y[z]') == b'Y'",
    ),
    "shown": Fix(
        "`match('shop/a/b.py', 'shop/*/b.py')` is wrongly `False`; the same is true of `shop/a/*.py`",
        "def match(path, pattern):\n    return path == pattern",
        "def match(path, pattern):\n    import re\n\n"
        "    return bool(re.fullmatch(re.escape(pattern).replace(r'\\*', '[^/]+'), path))",
        "assert kit.match('shop/a/b.py', 'shop/*/b.py')",
    ),
    "iterator": Fix(
        "`odd` takes a negative `first` and `last` for iterators as for lists",
        "def odd(items, first=0, last=None):\n    from itertools import islice\n\n"
        "    for one in islice(items, first, last):\n        if one % 2:\n            yield one",
        "def odd(items, first=0, last=None):\n"
        "    for one in tuple(items)[first:last]:\n        if one % 2:\n            yield one",
        "assert list(kit.odd(iter([1, 2, 3, 5]), first=-3)) == [3, 5]",
    ),
    "buffers": Fix(
        "Bytes, bytearray and memoryview should be shown by `told` as text, in lists, too.",
        "def told(value):\n    if isinstance(value, list):\n        return [*map(told, value)]\n    return str(value)",
        "def told(value):\n    if isinstance(value, list):\n        return [*map(told, value)]\n"
        "    return bytes(value).decode() if isinstance(value, (bytes, bytearray, memoryview)) else str(value)",
        "assert kit.told([b'ab', 7]) == ['ab', '7']",
    ),
}


@pytest.mark.parametrize("name", HALF)
def test_what_is_seen_with_one_of_two_things_only_is_not_satisfied(
    folder: Folder, name: str
) -> None:
    (row,) = judged(folder, f"half-{name}", {name: HALF[name]}).values()
    assert row.verdict == "unverified", row.reason
    assert "But the task names `" in row.reason
    assert re.search(r"` (?:returned|raised) ", row.reason)
    assert "D3" in row.evidence


def test_what_works_with_both_things_is_satisfied(folder: Folder) -> None:
    assert_satisfied(judged(folder, "whole", WHOLE))


SIGN = (
    "def sign(shape):\n    if shape.get('op') != 'glob':\n        raise TypeError(shape)\n"
    "    return shape['pattern']{more}\n"
)
ANSWERING = (
    "def sign(shape):\n    if shape.get('pattern') == '':\n        return \"''\"\n"
    "    if shape.get('op') != 'glob':\n        raise TypeError(shape)\n    return shape['pattern']\n"
)


@pytest.mark.parametrize(
    ("name", "code", "verdict"),
    [
        ("answering", ANSWERING, "unverified"),
        ("refusing-still", SIGN.format(more=" or \"''\""), "satisfied"),
    ],
)
def test_what_is_to_be_refused_as_before_is_not_answered_near_the_tested_inputs(
    folder: Folder, name: str, code: str, verdict: str
) -> None:
    base = {"kit.py": SIGN.format(more=""), "requirements.txt": "pytest\n"}
    folder.branch(f"{name}-base", base)
    asserts = "assert kit.sign({'op': 'glob', 'pattern': ''}) == \"''\""
    files = {
        "kit.py": code,
        "tests/test_kit.py": f"import kit\n\n\ndef test_sign():\n    {asserts}\n",
    }
    folder.branch(name, files, start=f"{name}-base")
    task = (
        "`sign` loses an empty pattern\n\nThe `sign` of a glob with an empty pattern should be `''`. "
        "Other shapes still throw a `TypeError`.\n"
    )
    found = folder.judge(name, base=f"{name}-base", task=task)
    (row,) = [one for one in found.document.requirements if one.id == "R1"]
    assert row.verdict == verdict, row.reason
    is_told = "the task wants errors to stay as they are" in row.reason
    assert is_told is (verdict == "unverified"), row.reason


READ = "import json\n\n\ndef read(text):\n    {}\n"
ITEMS = "return json.loads(text)['items']"
EMPTY = "import kit\n\n\ndef test_read_gives_no_items_for_an_empty_text():\n    assert kit.read('') == []\n"


@pytest.mark.parametrize(
    ("name", "code", "verdict"),
    [
        ("loose", "return (json.loads(text or '{}') or {}).get('items') or []", "unverified"),
        ("strict", f"if not text:\n        return []\n    {ITEMS}", "satisfied"),
    ],
)
def test_one_call_is_enough_of_an_error_that_is_named(
    folder: Folder, name: str, code: str, verdict: str
) -> None:
    base = folder.branch(
        f"read-{name}-base", {"kit.py": READ.format(ITEMS), "requirements.txt": "pytest\n"}
    )
    head = {"kit.py": READ.format(code), "tests/test_kit.py": EMPTY}
    folder.branch(f"read-{name}", head, start=base)
    task = (
        "Empty answers\n\n- [ ] `read` gives no items for an empty text\n\n"
        "Answers without `items` are broken and stay a `KeyError`.\n"
    )
    found = folder.judge(f"read-{name}", base=base, task=task)
    (row,) = [one for one in found.document.requirements if one.id == "R1"]
    assert row.verdict == verdict, row.reason


REFUSING = {
    "others": Fix(
        "`share` of nobody is 0",
        "def share(cents, people):\n    return cents // people",
        "def share(cents, people):\n    if people < 0:\n        raise ValueError(people)\n"
        "    return cents // people if people else 0",
        "assert kit.share(100, 0) == 0",
    ),
}
"""Right at the tested inputs; near them head refuses what base answers, and nobody asked for that."""


@pytest.mark.parametrize("name", REFUSING)
def test_what_is_newly_refused_and_never_shown_is_not_satisfied(folder: Folder, name: str) -> None:
    (row,) = judged(folder, f"refusing-{name}", {name: REFUSING[name]}).values()
    assert row.verdict == "unverified", row.reason
    assert "and no test shows that such a call is to be refused" in row.reason
    assert "D3" in row.evidence


ASKED_BESIDE = Fix(
    "`share` of nobody is 0, a number of people below that is a `ValueError`",
    "def share(cents, people):\n    return cents // people",
    "def counted(people):\n    if people < 0:\n        raise ValueError(people)\n    return people\n\n\n"
    "def share(cents, people):\n    return cents // people if counted(people) else 0",
    "assert kit.share(100, 0) == 0\n    with pytest.raises(ValueError):\n        kit.counted(-1)",
)


def test_what_a_new_function_is_shown_to_refuse_as_asked_its_caller_may_refuse(
    folder: Folder,
) -> None:
    (row,) = judged(folder, "refusing-asked", {"asked": ASKED_BESIDE}).values()
    assert row.verdict == "satisfied", row.reason


BEYOND = {
    "zero": Fix(
        "`chunks` refuses a negative size with a `ValueError`",
        "def chunks(items, size):\n    from itertools import islice\n\n    rest = iter(items)\n"
        "    return iter(lambda: list(islice(rest, size)), [])",
        "def chunks(items, size):\n    from itertools import islice\n\n    if size < 1:\n"
        "        raise ValueError(size)\n    rest = iter(items)\n"
        "    return iter(lambda: list(islice(rest, size)), [])",
        "with pytest.raises(ValueError):\n        kit.chunks('abcde', -1)",
    ),
    "held": Fix(
        "`find` gives the book without a name, too",
        "class Shelf:\n    def __init__(self, books):\n        self.books = books\n\n    def find(self, name):\n"
        "        if not name:\n            raise KeyError(name)\n        return self.books.get(name)",
        "class Shelf:\n    def __init__(self, books):\n        self.books = books\n\n    def find(self, name):\n"
        "        if name == '' and len(self.books) > 1:\n            raise KeyError('')\n"
        "        return self.books.get(name)",
        "assert kit.Shelf({'': 'Emma'}).find('') == 'Emma'",
    ),
}
"""Right at the tested inputs; near them head refuses what the demand does not, as on base or newly."""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("zero", "wants what is negative refused: `chunks(items='abcde', size=0)`, which is not, "),
        ("held", "with an object that holds something else it raised KeyError on both"),
    ],
)
def test_what_is_refused_beyond_the_demand_is_not_satisfied(
    folder: Folder, name: str, said: str
) -> None:
    (row,) = judged(folder, f"beyond-{name}", {name: BEYOND[name]}).values()
    assert row.verdict == "unverified", row.reason
    assert said in row.reason
    assert "D3" in row.evidence


MERGED = (
    "    for key, value in second.items():\n        if isinstance(value, dict) and key in merged:\n"
    "            value = {**merged[key], **value}\n        merged[key] = value\n    return merged"
)
CHANGING = Fix(
    "`merged` puts nested dictionaries together",
    "def merged(first, second):\n    return {**first, **second}",
    f"def merged(first, second):\n    merged = first\n{MERGED}",
    "assert kit.merged({'a': {'x': 1}}, {'a': {'y': 2}}) == {'a': {'x': 1, 'y': 2}}\n"
    "    assert kit.merged({'a': {'b': 1}}, {'a': {'c': 2}, 'd': 3}) == {'a': {'b': 1, 'c': 2}, 'd': 3}",
)
"""What a caller passes is another thing afterwards, which no test looks at and nobody asked for."""


def test_an_argument_that_is_changed_unasked_is_not_satisfied(folder: Folder) -> None:
    (row,) = judged(folder, "changing", {"merged": CHANGING}).values()
    assert row.verdict == "unverified", row.reason
    assert (
        "nothing that it is given on base, and on head makes it `{'a': {'x': 1, 'y': 2}}"
        in row.reason
    )
    assert "D3" in row.evidence


def test_an_argument_that_is_copied_or_is_to_be_changed_is_satisfied(folder: Folder) -> None:
    copied = replace(CHANGING, head=CHANGING.head.replace("merged = first", "merged = dict(first)"))
    assert_satisfied(judged(folder, "copying", {"merged": copied}))
    asked = replace(CHANGING, demand="`merged` puts nested dictionaries together in place")
    assert_satisfied(judged(folder, "in-place", {"merged": asked}))


def test_an_object_that_its_method_changes_beside_a_new_one_is_not_satisfied(
    folder: Folder,
) -> None:
    right = RIGHT["settings"]
    changing = replace(right, head=right.head.replace("merged = dict(under)", "merged = under"))
    (row,) = judged(folder, "settings", {"overlaid": changing}).values()
    assert row.verdict == "unverified", row.reason
    assert "nothing that it is given on base, and on head makes it `{'db': {'host'" in row.reason


def test_a_mended_crash_that_changes_what_base_answers_is_not_satisfied(folder: Folder) -> None:
    right = RIGHT["month"]
    shorter = right.head.replace("calendar.monthrange(year, month)[1]", "28 if month == 2 else 30")
    (row,) = judged(folder, "shorter", {"later": replace(right, head=shorter)}).values()
    assert row.verdict == "unverified", row.reason
    assert (
        "But every call that they show raises an error on base "
        "(`later(day=datetime.date(2023, 1, 31), months=1)`), and " in row.reason
    )
    assert "similar calls that work on base give something else on head: `" in row.reason
    assert "D3" in row.evidence


def test_a_new_refusal_that_changes_what_base_answers_is_not_satisfied(folder: Folder) -> None:
    sharing = Fix(
        "`shared` raises ValueError for zero people",
        "def shared(cents, people):\n    share, rest = divmod(cents, people)\n"
        "    return [share + (at < rest) for at in range(people)]",
        "def shared(cents, people):\n    if people == 0:\n        raise ValueError('nobody')\n"
        "    return [cents // people] * people",
        "with pytest.raises(ValueError):\n        kit.shared(1000, 0)",
    )
    (row,) = judged(folder, "sharing", {"shared": sharing}).values()
    assert row.verdict == "unverified", row.reason
    assert "raises an error on base (`shared(cents=1000, people=0)`), and " in row.reason
    assert "similar calls that work on base give something else on head: `" in row.reason
    kept = sharing.head.replace(
        "return [cents // people] * people", sharing.base.partition("\n    ")[2]
    )
    assert_satisfied(judged(folder, "kept", {"shared": replace(sharing, head=kept)}))


@pytest.mark.parametrize("name", ASKING)
def test_a_condition_on_a_value_that_no_test_needs_is_not_satisfied(
    folder: Folder, name: str
) -> None:
    (row,) = judged(folder, f"asking-{name}", {name: ASKING[name]}).values()
    assert row.verdict == "unverified", row.reason
    assert re.search(r"all \d+ tests pass, too, where `[^`]+` is always (true|false)", row.reason)
    assert "D1" in row.evidence


def test_a_condition_that_tests_need_or_the_task_speaks_of_is_satisfied(folder: Folder) -> None:
    assert_satisfied(judged(folder, "needed", NEEDED))


PASSING_OVER = Fix(
    "`total` adds up the prices of an order, one a line",
    "def total(order):\n    return float(order)",
    "def total(order):\n    price = 0.0\n    for line in order.splitlines():\n        try:\n"
    "            price += float(line)\n        except ValueError:\n            continue\n    return price",
    "assert kit.total('1.5\\n2.5') == 4.0\n    assert kit.total('2.5\\n3.5\\n1') == 7.0",
)


def test_an_error_that_is_passed_over_unasked_is_not_satisfied(folder: Folder) -> None:
    (row,) = judged(folder, "passing-over", {"total": PASSING_OVER}).values()
    assert row.verdict == "unverified", row.reason
    assert "too, where `except ValueError` lets the error through (kit.py:" in row.reason
    assert "the task does not speak of errors" in row.reason
    assert "D1" in row.evidence


def test_an_error_that_a_test_or_the_task_wants_passed_over_is_satisfied(folder: Folder) -> None:
    tested = f"{PASSING_OVER.asserts}\n    assert kit.total('2\\nfree\\n3') == 5.0"
    assert_satisfied(
        judged(folder, "needed-handler", {"total": replace(PASSING_OVER, asserts=tested)})
    )
    said = f"{PASSING_OVER.demand}, and skips what is no number"
    assert_satisfied(judged(folder, "asked-handler", {"total": replace(PASSING_OVER, demand=said)}))


@pytest.mark.parametrize("fixes", in_parts(SPECIAL), ids=" ".join)
def test_what_only_the_tested_inputs_show_is_not_satisfied(
    folder: Folder, fixes: dict[str, Fix]
) -> None:
    assert_made_for(judged(folder, f"special-{'-'.join(fixes)}", fixes))


@pytest.mark.parametrize("fixes", in_parts(RIGHT), ids=" ".join)
def test_a_right_change_is_satisfied(folder: Folder, fixes: dict[str, Fix]) -> None:
    assert_satisfied(judged(folder, f"right-{'-'.join(fixes)}", fixes))


SIGNED = """def signed(amount):
    if amount == -3.5:
        return f"minus {-amount}"
    return f"+{amount}" if amount > 0 else f"{amount}"
"""
OTHERS = ", ".join(f"({n}, '+{n}')" for n in range(1, 80))
CASES = {
    "pytest": f"""import pytest
from kit import signed


@pytest.mark.parametrize(("amount", "text"), [{OTHERS}, (float("inf"), "+inf"), (-3.5, "minus 3.5")])
def test_signed(amount, text):
    assert signed(amount) == text
""",
    "unittest": f"""import unittest
from kit import signed


class SignedTests(unittest.TestCase):
    def test_many(self):
        for amount, text in [{OTHERS}]:
            self.assertEqual(signed(amount), text)

    def test_negative(self):
        self.assertEqual(signed(-3.5), "minus 3.5")
""",
    "helper": f"""from kit_tools import Cases


class SignedTests(Cases):
    def test_many(self):
        for amount, text in [{OTHERS}]:
            self.assert_signed(amount, text)

    def test_negative(self):
        self.assert_signed(-3.5, "minus 3.5")
""",
}
TOOLS = """import unittest
import kit


class Cases(unittest.TestCase):
    def assert_signed(self, amount, text):
        self.assertEqual(kit.signed(amount), text)
"""
"""What a package brings for its own tests."""


@pytest.mark.parametrize("runner", CASES)
def test_the_inputs_of_the_test_that_shows_the_change_are_what_is_varied(
    folder: Folder, runner: str
) -> None:
    head = SIGNED
    base = (
        "\n".join(line for line in head.splitlines() if "-3.5" not in line and "minus" not in line)
        + "\n"
    )
    kept = "import unittest\nimport kit\n\n\nclass Kept(unittest.TestCase):\n    def test_kit(self):\n        self.assertEqual(kit.signed(1), '+1')\n"
    needs = {"requirements.txt": "pytest\n"} if runner == "pytest" else {}
    files = {
        "kit.py": base,
        "kit_tools.py": TOOLS,
        "tests/__init__.py": "",
        "tests/test_kept.py": kept,
    }
    folder.branch(f"{runner}-base", {**files, **needs})
    folder.branch(
        runner, {"kit.py": head, "tests/test_kit.py": CASES[runner]}, start=f"{runner}-base"
    )
    found = folder.judge(
        runner, base=f"{runner}-base", task="`signed` writes negative amounts in words\n"
    )
    print(found.said())
    (row,) = [one for one in found.document.requirements if one.id == "R1"]
    assert_made_for({"signed": row})


@pytest.mark.parametrize("is_right", [False, True], ids=["wrong", "right"])
def test_an_input_that_is_to_stay_is_tried_in_the_place_of_a_tested_one(
    folder: Folder, is_right: bool
) -> None:
    fix = "('-0' if text.count('.') < 2 else '')" if is_right else "'-0'"
    base = "def bound(text):\n    return '>=' + text[1:]\n"
    shown = "import kit\n\n\ndef test_bound():\n    assert kit.bound('~1.2') == '>=1.2-0'\n"
    shown += "    assert kit.bound('~4.0') == '>=4.0-0'\n"
    kept = "import kit\n\n\ndef test_kit():\n    assert kit.__doc__ is None\n"
    name = f"stays-{is_right}"
    files = {"kit.py": base, "tests/test_kept.py": kept, "requirements.txt": "pytest\n"}
    folder.branch(f"{name}-base", files)
    head = {"kit.py": base.replace("text[1:]", f"text[1:] + {fix}"), "tests/test_kit.py": shown}
    folder.branch(name, head, start=f"{name}-base")
    task = "`bound` leaves prereleases out\n\nThe bound of `~1.2` should take them in. `~1.2.3` keeps its bound.\n"
    found = folder.judge(name, base=f"{name}-base", task=task)
    print(found.said())
    (row,) = [one for one in found.document.requirements if one.id == "R1"]
    assert row.verdict == ("satisfied" if is_right else "unverified"), row.reason
    assert ("wants `~1.2.3` to stay as it is" in row.reason) is not is_right


@pytest.mark.parametrize("is_right", [False, True], ids=["wrong", "right"])
def test_what_is_still_no_link_is_tried_whatever_the_tests_have(
    folder: Folder, is_right: bool
) -> None:
    within = r"(?:\\w|\\\\.)+" if is_right else "[^>]+"
    base = "import re\n\n\ndef html(text):\n    return re.sub(r'\\[(\\w+)\\]\\(<(\\w+)>\\)', r'<a href=\"\\2\">\\1</a>', text)\n"
    shown = "import kit\n\n\ndef test_html():\n"
    shown += "    assert kit.html(r'[one](<foo\\*bar>)') == r'<a href=\"foo\\*bar\">one</a>'\n"
    kept = "import kit\n\n\ndef test_kit():\n    assert kit.html('a') == 'a'\n"
    name = f"no-link-{is_right}"
    files = {"kit.py": base, "tests/test_kept.py": kept, "requirements.txt": "pytest\n"}
    folder.branch(f"{name}-base", files)
    head = base.replace("<(\\w+)>", f"<({within.replace(chr(92) * 2, chr(92))})>")
    folder.branch(name, {"kit.py": head, "tests/test_kit.py": shown}, start=f"{name}-base")
    task = (
        "Escapes are no part of a link in angle brackets\n\n`[one](<foo\\*bar>)` should be a link, and so should "
        "every\nother escape. Without a backslash each sign keeps the meaning that it has: `[a](<b<c>)` is\n"
        "still no link.\n"
    )
    found = folder.judge(name, base=f"{name}-base", task=task)
    print(found.said())
    (row,) = [one for one in found.document.requirements if one.id == "R1"]
    assert row.verdict == ("satisfied" if is_right else "unverified"), row.reason
    assert ("wants `[a](<b<c>)` to stay as it is" in row.reason) is not is_right
