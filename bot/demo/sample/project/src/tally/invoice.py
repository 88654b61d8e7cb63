"""What an invoice needs: totals, discounts, equal shares."""

from tally.amounts import parse_amount


def total(lines):
    """Return the sum in cents of lines such as ("2", "12.50")."""
    return sum(int(count) * parse_amount(price) for count, price in lines)


def discount(cents, percent):
    """Return `cents` less `percent` of it, rounded to whole cents in favour of the customer."""
    return cents - -(-cents * percent // 100)


def split(cents, people):
    """Return `people` shares that differ by one cent at the most and add up to `cents`."""
    share, rest = divmod(cents, people)
    return [share + 1] * rest + [share] * (people - rest)
