"""What a test looks like in each language: how it begins, what it asserts, how it is skipped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.integrity.reading.test_code import Strength


@dataclass(frozen=True, slots=True)
class Language:
    """`start` finds a test and its name (group `name`), its body opens with the next `opens`.

    `skip` marks one test as left out, in its head or body; `module_skip` a whole file; `narrow` runs
    one test and leaves out the others. `assertion` finds the beginning of an assertion.
    """

    suffixes: tuple[str, ...]
    start: re.Pattern[str]
    opens: str
    assertion: re.Pattern[str]
    skip: re.Pattern[str]
    module_skip: re.Pattern[str]
    narrow: re.Pattern[str]
    is_shell: bool = False


_NEVER = re.compile(r"(?!)")
_JS_CALL = r"(?:test|it|specify|Deno\.test|bench)"
SCRIPT = Language(
    (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"),
    re.compile(
        rf"(?<![\w.$])(?P<head>[xf]?{_JS_CALL}(?:\.\w+)*"
        r"(?:\((?:[^()]|\([^()]{0,200}\)){0,2000}\)|`[^`]{0,4000}`)?)\s*\(\s*"
        r"(?P<quote>[\"'`])(?P<name>(?:\\.|(?!(?P=quote)).){0,300})(?P=quote)",
        re.DOTALL,
    ),
    "(",
    re.compile(
        r"(?<![\w$])(?:expect(?:\.\w+)?|assert(?:\.\w{1,60}){0,6}|t\.(?:is|not|deepEqual|notDeepEqual|like|true|false|truthy|"
        r"falsy|throws(?:Async)?|notThrows(?:Async)?|regex|notRegex|snapshot|assert|equal|equals|same|ok|notOk|"
        r"strictEqual|fail|pass)|should\.\w+|sinon\.assert\.\w+)\s*\("
    ),
    re.compile(
        r"\.(?:skip|todo|failing|fails|skipIf|runIf)\b|^x(?:it|test|specify)\b|\bthis\.skip\(|\bt\.skip\(|"
        r"\bskip\s*:\s*(?:true|[\"'`])|\btodo\s*:\s*(?:true|[\"'`])"
    ),
    re.compile(
        r"^[ \t]*(?:xdescribe|(?:describe|suite|context)\.(?:skip|todo))\b[^\n]*", re.MULTILINE
    ),
    re.compile(r"(?<![\w.$])(?:(?:test|it|describe|suite|context|specify)\.only|f(?:it|describe))\b"),
)  # fmt: skip
GO = Language(
    ("_test.go",),
    re.compile(
        r"(?<!\w)func\s+(?P<name>(?:Test|Fuzz|Example)\w*)\s*\([^)]*\)|"
        r"\bt\.Run\(\s*\"(?P<inner>[^\"]+)\"\s*,\s*func\([^)]*\)"
    ),
    "{",
    re.compile(
        r"\b[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\b(?:require|assert|is)\.\w+\s*\("
    ),
    re.compile(r"\bt\.(?:Skip|Skipf|SkipNow)\s*\("),
    re.compile(r"^[ \t]*//(?:go:build|\s*\+build)[^\n]*", re.MULTILINE),
    _NEVER,
)
RUST = Language(
    (".rs",),
    re.compile(
        r"#\[(?:\w+::)*(?:test|rstest|test_case)\b[^\]]{0,200}\](?:\s{0,200}#\[[^\]]{0,200}\]){0,8}\s{0,200}"
        r"(?:pub\s+)?(?:async\s+)?fn\s+(?P<name>\w+)"
    ),
    "{",
    re.compile(
        r"(?<![\w!])(?:debug_)?(?:assert|assert_eq|assert_ne|assert_matches|prop_assert\w*|panic)!\s*[(\[]"
    ),
    re.compile(r"#\[ignore|#\[should_panic|#\[cfg_attr\([^\]]*ignore"),
    _NEVER,
    _NEVER,
)
JAVA = Language(
    (".java", ".kt"),
    re.compile(
        r"@(?:Test|ParameterizedTest|RepeatedTest)\b[^{};]{0,600}?(?:void|fun)\s+(?P<name>\w+|`[^`]+`)\s*\("
    ),
    "{",
    re.compile(
        r"(?<![\w])(?:(?:Assert\w*|Mockito|Truth)\.)?(?:assert\w+|verify\w*|fail|expectThrows)\s*\("
    ),
    re.compile(r"@(?:Disabled|Ignore)\w*|\bassume(?:True|False|That|Not)\w*\s*\("),
    re.compile(r"@(?:Disabled|Ignore)\w*[^{;]{0,600}\bclass\s+\w+"),
    _NEVER,
)
NATIVE = Language(
    (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"),
    re.compile(
        r"(?<!\w)(?:TEST(?:_F|_P|_CASE|_METHOD)?|SCENARIO|START_TEST|BOOST_AUTO_TEST_CASE|Test|MU_TEST)\s*"
        r"\(\s*(?P<macro>[^)]{0,300})\)|(?<!\w)(?:void|int|bool|char\s*\*)\s+\*?(?P<name>(?:test_?\w*|\w+_test))\s*\([^);{]{0,300}\)\s*(?=\{)"
    ),
    "{",
    re.compile(
        r"(?<!\w)(?:assert\w*|(?:EXPECT|ASSERT|CHECK|REQUIRE|TEST_ASSERT|CU_ASSERT|BOOST_\w|mu_assert|ck_assert|cr_assert|"
        r"cr_expect|VERIFY)\w*)\s*\("
    ),
    re.compile(
        r"GTEST_SKIP|DISABLED_|\bTEST_IGNORE|^[ \t]*#\s*if\s+0\b|\[!?(?:hide|mayfail|shouldfail|\.)",
        re.MULTILINE,
    ),
    re.compile(r"^[ \t]*#\s*if\s+0\b[^\n]*", re.MULTILINE),
    _NEVER,
)  # fmt: skip
SHELL = Language(
    (".sh", ".bash", ".bats"),
    re.compile(
        r"^@test\s+(?P<quote>[\"'])(?P<name>.*?)(?P=quote)|"
        r"^[ \t]*(?:function\s+)?(?P<plain>test_?\w+)\s*\(\s*\)",
        re.MULTILINE,
    ),
    "{",
    re.compile(
        r"(?:^|&&|\|\||;|\bif|!)[ \t]*(?:\[\[?\s|test\s|assert\w*|refute\w*|diff\s|cmp\s|"
        r"grep\s|fail\b|exit\s+1)",
        re.MULTILINE,
    ),
    re.compile(r"^[ \t]*skip\b|^[ \t]*return\s+0\s*$", re.MULTILINE),
    _NEVER,
    _NEVER,
    is_shell=True,
)
LANGUAGES = (SCRIPT, GO, RUST, JAVA, NATIVE, SHELL)

_TRIVIAL = re.compile(
    r"expect\(\s*(true|1|'[^']*'|\"[^\"]*\")\s*\)\s*\.(?:toBe|toEqual|toStrictEqual|to\.(?:be|equal|eql))\(?\s*\1"
    r"|expect\(\s*(?:true|1)\s*\)\s*\.(?:toBeTruthy|toBeDefined|to\.be\.(?:true|ok))"
    r"|(?:assert(?:!|\.ok|\.isTrue|True)?|t\.(?:true|truthy|ok|pass|assert)|EXPECT_TRUE|ASSERT_TRUE|CHECK|REQUIRE)"
    r"\s*\(\s*(?:true|1|!0|!false|)\s*[,)]"
    r"|(?:equal|strictEqual|deepEqual|t\.is|assert_eq!|assertEquals|EXPECT_EQ|ASSERT_EQ|Equal)"
    r"\(\s*(?:t\s*,\s*)?(\w+|\"[^\"]*\"|'[^']*')\s*,\s*\2\s*[,)]"
    r"|^(?:\[\[?\s+(?:1\s+-eq\s+1|true|\"?(\w+)\"?\s+={1,2}\s+\"?\3\"?)\s+\]|test\s+1\s*$)"
)
_EXACT = re.compile(
    r"(?i)to(?:strict)?equal|\btoBe\(|deep_?equal|strict_?equal|\.is\(|\.same|assert_eq|_EQ\b|_STREQ\b|equals?\(|"
    r"throw|reject|snapshot|regex|\.eql?\(|-eq\b|==|\bdiff\b|\bcmp\b|calledWith|Errorf?\b|Fatalf?\b"
)
_BOUND = re.compile(
    r"(?i)contain|match|greater|less|closeTo|\.least|\.most|within|_NEAR\b|_(?:GT|LT|GE|LE)\b|include|in_?delta|like|"
    r"\bgrep\b|-(?:ge|le|gt|lt)\b|length"
)
_SOMETHING = re.compile(
    r"(?i)truthy|falsy|defined|not_?null|notNil|toBeNull|_TRUE\b|_FALSE\b|\.ok\(|isTrue|\.exist|anything|\.not\.|"
    r"\bt\.(?:true|false)\b|assertTrue|assertFalse|assertNotNull|\.NoError|\bassert!?\s*\(|-n\b|-z\b"
)


def language_of(path: str) -> Language | None:
    """The language that a test file's tests are read in; None for one that is not known here."""
    name = PurePosixPath(path).name
    return next((known for known in LANGUAGES if name.endswith(known.suffixes)), None)


def strength_of(assertion: str, chain: str) -> Strength:
    """How much an assertion pins down, by the words that its libraries use.

    `chain` is the assertion without what stands inside its calls: what is passed says nothing of it.
    """
    if _TRIVIAL.search(assertion):
        return Strength.NOTHING
    compares = re.search(r"==|-eq\b", assertion)
    if _SOMETHING.search(chain) and not compares:
        return Strength.SOMETHING
    if _BOUND.search(chain):
        return Strength.BOUND
    return Strength.EXACT if compares or _EXACT.search(chain) else Strength.BOUND
