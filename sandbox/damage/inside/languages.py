"""How a function is left early, and how a condition is turned round, in each language."""

from __future__ import annotations

import re
from dataclasses import dataclass

FUNCTIONS = frozenset((
    "function_definition", "function_declaration", "function_expression", "function_item", "function",
    "generator_function", "generator_function_declaration", "arrow_function", "method_definition",
    "method_declaration", "constructor_declaration", "method", "singleton_method",
    "local_function_statement", "func_literal",
))  # fmt: skip
"""Nodes that are a function with a body, in any of the grammars."""
CONDITIONED = frozenset((
    "if_statement", "elif_clause", "elseif_statement", "ternary_expression", "if_expression", "if",
    "elsif", "unless", "while_statement", "conditional", "conditional_expression",
))  # fmt: skip
OPERATION = re.compile(
    r"binary|comparison|boolean_operator|augmented|infix|additive|multiplicative|equality|conjunction|disjunction"
    r"|test_command"
)
"""Nodes whose operator may be changed: `<` stands in types and in markup too."""
OPPOSITES = {
    "==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
    "&&": "||", "||": "&&", "and": "or", "or": "and", "+": "-", "-": "+", "*": "+", "/": "*", "%": "*",
    "//": "*", "+=": "-=", "-=": "+=", "is": "is not", "in": "not in", "-eq": "-ne", "-ne": "-eq",
    "-lt": "-ge", "-gt": "-le", "-z": "-n", "-n": "-z", "=~": "!=", "~=": "==", "..": "..",
}  # fmt: skip
BOUNDS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
FLAGS = {"True": "False", "False": "True", "true": "false", "false": "true"}
TEXT = re.compile(
    r"(?:string|template|regex|str|heredoc)_(?:content|fragment|pattern|text|chars|value|literal_content|characters)\Z"
    r"|(?:string|interpreted_string|raw_string)_literal_content\Z|multi_line_str_text\Z|line_str_text\Z"
)
NUMBER = re.compile(r"\d+(?:\.\d+)?\Z")
WORD = re.compile(r"[A-Za-z_]\w+")
IMPORTS = re.compile(
    r"import|use_declaration|using_directive|preproc_include|package_clause|package_dec"
)
NEGATED = {"python": "not ({})", "lua": "not ({})", "ruby": "!({})", "bash": "! {}"}
_PRIMITIVES = re.compile(r"(?:byte|short|int|long|char|float|double)\Z")


@dataclass(frozen=True, slots=True)
class Leaving:
    """What is put in front of a body: to leave it without having done anything, and with an error.

    Empty where the language has no way that compiles for every type.
    """

    empty: str
    error: str


_LEAVING = {
    "python": Leaving("return", 'raise RuntimeError("damaged")'),
    "javascript": Leaving("return;", 'throw new Error("damaged");'),
    "typescript": Leaving("return undefined as any;", 'throw new Error("damaged");'),
    "tsx": Leaving("return undefined as any;", 'throw new Error("damaged");'),
    "go": Leaving("return", 'panic("damaged")'),
    "rust": Leaving("return Default::default();", 'if true { panic!("damaged"); }'),
    "java": Leaving("if (true) return null;", 'if (true) throw new RuntimeException("damaged");'),
    "c": Leaving("return 0;", "__builtin_trap();"),
    "cpp": Leaving("return {};", "__builtin_trap();"),
    "ruby": Leaving("return nil", 'raise "damaged"'),
    "php": Leaving("return null;", 'throw new \\RuntimeException("damaged");'),
    "c_sharp": Leaving(
        "if (true) return default;", 'if (true) throw new System.Exception("damaged");'
    ),
    "bash": Leaving("return 0", "return 97"),
    "kotlin": Leaving("", 'throw RuntimeException("damaged")'),
    "scala": Leaving("", 'throw new RuntimeException("damaged")'),
    "swift": Leaving("", 'fatalError("damaged")'),
    "lua": Leaving("do return end", 'error("damaged")'),
}


def leaving(language: str, result: str) -> Leaving:
    """Return how a function of a result type (as it is written; empty where none is) is left early."""
    plain = _LEAVING[language]
    if language == "go" and result:
        return Leaving(_go_zero(result), plain.error)
    if language == "rust" and result in ("", "()"):
        return Leaving("if true { return; }", plain.error)
    if result == "void" and language in ("c", "cpp", "php", "typescript", "tsx"):
        return Leaving("return;", plain.error)
    if result == "void":
        return Leaving("if (true) return;", plain.error)
    if language == "java" and (result == "boolean" or _PRIMITIVES.match(result)):
        zero = "false" if result == "boolean" else "0"
        return Leaving(f"if (true) return {zero};", plain.error)
    return plain


def _go_zero(result: str) -> str:
    """Zero values for `T`, `(T, error)`; named results are returned as they are."""
    inner = result[1:-1] if result.startswith("(") else result
    kinds = [one.strip() for one in inner.split(",")]
    if any(
        re.match(r"[A-Za-z_]\w*\s+[\w*\[(.]", one)
        and not one.startswith(("func", "map", "chan", "interface", "struct"))
        for one in kinds
    ):
        return "return"
    return "return " + ", ".join(f"*new({one})" for one in kinds)


def negated(language: str, condition: str) -> str:
    """Return the opposite of a condition as it is written, with its parentheses where it has any."""
    if condition.startswith("(") and condition.endswith(")") and language not in NEGATED:
        return f"(!{condition})"
    return NEGATED.get(language, "!({})").format(condition)
