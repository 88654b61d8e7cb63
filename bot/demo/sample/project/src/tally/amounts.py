"""Read and write amounts; an amount is a whole number of cents."""


def parse_amount(text):
    """Return the cents that `text` such as "12.50" stands for."""
    whole, _, fraction = text.strip().partition(".")
    return int(whole) * 100 + int(fraction.ljust(2, "0")[:2])


def format_amount(cents):
    """Return `cents` as text: 1250 becomes "12.50"."""
    return f"{cents // 100}.{cents % 100:02d}"
