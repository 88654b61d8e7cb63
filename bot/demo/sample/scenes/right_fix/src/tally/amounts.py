"""Read and write amounts; an amount is a whole number of cents."""


def parse_amount(text):
    """Return the cents that `text` such as "1,234.50" stands for.

    Raises ValueError for a negative amount.
    """
    plain = text.strip().replace(",", "")
    if plain.startswith("-"):
        raise ValueError(f"an amount cannot be negative: {text!r}")
    whole, _, fraction = plain.partition(".")
    return int(whole) * 100 + int(fraction.ljust(2, "0")[:2])


def format_amount(cents):
    """Return `cents` as text: 1250 becomes "12.50"."""
    return f"{cents // 100}.{cents % 100:02d}"
