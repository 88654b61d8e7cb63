"""Small sums of money, for invoices."""

from tally.amounts import format_amount, parse_amount
from tally.invoice import discount, split, total

__all__ = ["discount", "format_amount", "parse_amount", "split", "total"]
