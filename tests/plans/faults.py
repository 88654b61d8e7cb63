"""Faults put into complete submissions of two PRDBench tasks, written down before any of them was run.

`breaks` are the plan's items that a fault violates as a person would read them. `needs_a_reader` are
those of them that only prose describes: without a model they cannot be decided, so the fault must
leave them unverified (never satisfied). `also`, written after the first run, is what was rightly found
and not foreseen. Everything else in `breaks` is found.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One edit of one file of the submission; `new` None removes the file."""

    name: str
    file: str
    old: str
    new: str | None
    breaks: tuple[str, ...]
    needs_a_reader: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


HUFFMAN = (
    Fault(
        "an option is missing from the input menu",
        "src/main.py",
        '    "Manual text input",\n',
        "",
        ("1.2",),
    ),
    Fault(
        "the export menu does not offer to return",
        "src/main.py",
        '"Export Huffman tree to JSON", "Return to main menu"]',
        '"Export Huffman tree to JSON"]',
        ("1.3",),  # the input menu prints the same words, on another screen
    ),
    Fault(
        "a single character is accepted and crashes later",
        "src/huffman.py",
        "    if len(table) < 2:\n"
        '        raise ValueError("Input must contain at least two characters to build a Huffman tree.")\n',
        "    if not table:\n        raise ValueError('empty')\n"
        "    if len(table) == 1:\n        return {'frequency': 1}\n",
        ("2.2.1b", "3.3"),
    ),
    Fault(
        "left and right are swapped in the codes",
        "src/huffman.py",
        'prefix + "0")',
        'prefix + "x")',
        ("2.3.1", "3.2"),
        ("2.2.1a",),
    ),
    Fault(
        "level order prints the right child first",
        "src/huffman.py",
        '[(node["left"], "left_child"), (node["right"], "right_child")]',
        '[(node["right"], "right_child"), (node["left"], "left_child")]',
        ("2.3.2a",),
    ),
    Fault(
        "the export says success and writes nothing",
        "src/main.py",
        '    with open(input("File name: ").strip(), "w", newline="", encoding="utf-8") as file:\n'
        "        writer = csv.writer(file)\n"
        '        writer.writerow(["Character", "Huffman Code"])\n'
        '        writer.writerows(state["codes"].items())\n',
        '    input("File name: ")\n',
        ("2.3.1",),
    ),
    Fault(
        "pairs crash on the word done",
        "src/main.py",
        'while (key := input("Key (or done): ").strip()) != "done":',
        'while (key := input("Key (or done): ").strip()):',
        ("2.1.4a",),  # it asks for more than the plan types, and confirms nothing
    ),
    Fault(
        "the heaviest are joined first",
        "src/huffman.py",
        "heapq.heapify(heap)",
        "heap = [(-w, n, c) for w, n, c in heap]; heapq.heapify(heap)",
        ("2.3.1", "2.3.2a", "3.1", "3.2"),
        ("2.2.1a",),
    ),
    Fault(
        "a missing file is not handled, and the text file is not there",
        "src/main.py",
        "    except OSError as error:\n"
        '        print(f"Error: the file cannot be read: {error}")\n        return\n',
        "    except LookupError:\n        return\n    file.seek(0)\n",
        ("2.1.1a",),
    ),
    Fault(
        "random text has the wrong letters",
        "src/main.py",
        '"letters": string.ascii_letters,',
        '"letters": string.digits,',
        ("2.1.2b",),
        ("2.1.2b",),
    ),
    Fault(
        "leaving the program is an error",
        "src/main.py",
        '    print("Goodbye.")\n',
        '    raise SystemExit("Goodbye.")\n',
        (
            "0.1",
            "1.2",
            "1.3",
            "2.1.1a",
            "2.1.2a",
            "2.1.2b",
            "2.1.2c",
            "2.1.2d",
            "2.1.3a",
            "2.1.4a",
            "2.2.1a",
            "2.3.1",
            "2.3.2a",
        ),
        also=("1.1", "2.2.1b"),  # items about errors: the code is the same where there is none
    ),  # fmt: skip
)

SUBWAY = (
    Fault(
        "a boundary belongs to the cheaper tier",
        "src/network.py",
        "if kilometres < limit:",
        "if kilometres <= limit:",
        ("6.1",),
    ),
    Fault(
        "far rides cost one yuan per ten kilometres",
        "src/network.py",
        "(kilometres - 32) / 20",
        "(kilometres - 32) / 10",
        ("6.2",),
    ),
    Fault(
        "the least transfers are not looked for",
        "src/network.py",
        '"least_transfer": 1_000_000',
        '"least_transfer": 0',
        ("2.3",),
    ),
    Fault(
        "the limit of transfers is off by one",
        "src/network.py",
        "transfers + change > max_transfers",
        "transfers + change > max_transfers + 1",
        ("2.4",),
    ),
    Fault(
        "distances count double",
        "src/network.py",
        "self.distance = sum(metres for",
        "self.distance = sum(2 * metres for",
        ("2.3", "9.1", "10.2", "11.1", "11.2"),
        ("3.1b",),
    ),
    Fault(
        "an unknown station crashes",
        "src/cli.py",
        "        if station not in network.stations:\n",
        "        if station in ():\n",
        ("4.2",),
    ),
    Fault(
        "the output file is ignored",
        "src/cli.py",
        "    if options.output_file:\n",
        "    if options.output_file and options.mode == 'never':\n",
        ("11.1", "11.2"),
    ),
    Fault(
        "the end of the input is an error",
        "src/cli.py",
        '        except EOFError:\n            print("\\nGoodbye.")\n            return\n',
        "        except EOFError:\n            sys.exit(3)\n",
        ("1.1", "2.1", "3.1a", "3.1b", "4.1", "4.2", "5.1a", "7.1", "8.1", "11.1", "11.2"),
        also=("0.1",),  # and 4.1, 4.2, 8.1, about errors: the code is the same where there is none
    ),
    Fault(
        "a transfer takes a minute",
        "src/network.py",
        "transfers * 5",
        "transfers * 1",
        ("11.1", "11.2", "12.1"),
    ),
    Fault(
        "the same station twice is answered",
        "src/cli.py",
        "    if parts[0] == parts[1]:\n",
        "    if parts[0] == parts[1] + '?':\n",
        ("8.1",),
        ("8.1",),
    ),
    Fault(
        "a comma is taken for a semicolon",
        "src/cli.py",
        'line.split(";")',
        'line.replace(",", ";").split(";")',
        ("4.1",),
        ("4.1",),
    ),
    Fault(
        "the program ends after one query",
        "src/cli.py",
        "        answer(network, line, options)\n",
        "        answer(network, line, options)\n        return\n",
        ("7.1",),
        ("7.1",),
    ),
)
