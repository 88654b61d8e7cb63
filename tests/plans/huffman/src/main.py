"""A menu round Huffman codes."""

import csv
import json
import random
import string

from huffman import build_huffman_tree, frequencies, generate_huffman_codes, level_order, pre_order

MAIN = ["Input Data", "Generate Huffman Tree and Codes", "Export Results", "Exit"]
INPUT = [
    "Read from TXT file",
    "Generate random text",
    "Manual text input",
    "Input key-value pairs",
    "Return to main menu",
]
EXPORT = ["Export Huffman codes to CSV", "Export Huffman tree to JSON", "Return to main menu"]
LETTERS = {
    "digits": string.digits,
    "letters": string.ascii_letters,
    "string": string.ascii_letters + string.digits + string.punctuation,
    "chinese": "".join(map(chr, range(0x4E00, 0x4E80))),
}
state = {"table": {}, "tree": None, "codes": {}}


def choose(title, options):
    print(f"\n=== {title} ===")
    for number, option in enumerate(options, start=1):
        print(f"{number}. {option}")
    return input("Your choice: ").strip()


def keep(text):
    state["table"] = frequencies(text)
    print(f"Frequency table created: {state['table']}")


def read_file():
    name = input("File name: ").strip()
    try:
        with open(name, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        print(f"Error: the file cannot be read: {error}")
        return
    print("File read successfully.")
    keep(text)


def random_text():
    length = int(input("Length: "))
    kind = input("Type (digits, letters, string, chinese): ").strip()
    if kind not in LETTERS:
        print("Error: unknown type.")
        return
    text = "".join(random.choice(LETTERS[kind]) for _ in range(length))
    print(f"Generated text: {text}")
    keep(text)


def pairs():
    table = {}
    while (key := input("Key (or done): ").strip()) != "done":
        table[key] = int(input("Value: "))
    state["table"] = table
    print(f"Frequency table created: {table}")


def input_menu():
    while (choice := choose("Input Data", INPUT)) != "5":
        if choice == "1":
            read_file()
        elif choice == "2":
            random_text()
        elif choice == "3":
            keep(input("Text: "))
        elif choice == "4":
            pairs()
        else:
            print("Invalid option, please try again.")


def generate():
    try:
        state["tree"] = build_huffman_tree(state["table"])
    except ValueError as error:
        print(f"Error: {error}")
        return
    state["codes"] = generate_huffman_codes(state["tree"])
    print("Huffman tree and codes generated successfully.")
    for character, code in state["codes"].items():
        print(f"  {character}: {code}")


def export_csv():
    with open(input("File name: ").strip(), "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["Character", "Huffman Code"])
        writer.writerows(state["codes"].items())
    print("Exported successfully.")


def export_json():
    name = input("File name: ").strip()
    order = input("Order (level, preorder): ").strip()
    rows = level_order(state["tree"]) if order.startswith("level") else pre_order(state["tree"])
    with open(name, "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=4, ensure_ascii=False)
    print("Exported successfully.")


def export_menu():
    if not state["codes"]:
        print("There are no Huffman codes yet, please generate them first.")
        return
    while (choice := choose("Export Results", EXPORT)) != "3":
        if choice == "1":
            export_csv()
        elif choice == "2":
            export_json()
        else:
            print("Invalid option, please try again.")


def main():
    while (choice := choose("Huffman Codes", MAIN)) != "4":
        if choice == "1":
            input_menu()
        elif choice == "2":
            generate()
        elif choice == "3":
            export_menu()
        else:
            print("Invalid option, please try again.")
    print("Goodbye.")


if __name__ == "__main__":
    main()
