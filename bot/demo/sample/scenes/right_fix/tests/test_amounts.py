import pytest

from tally import format_amount, parse_amount


def test_parse_amount_reads_whole_and_fraction():
    assert parse_amount("12.50") == 1250


def test_parse_amount_fills_a_short_fraction():
    assert parse_amount("12.5") == 1250


@pytest.mark.parametrize(("text", "cents"), [("1,234.50", 123450), ("1,000,000", 100000000)])
def test_parse_amount_accepts_thousands_separators(text, cents):
    assert parse_amount(text) == cents


def test_parse_amount_refuses_negative_amounts():
    with pytest.raises(ValueError, match="negative"):
        parse_amount("-3.20")


def test_format_amount_writes_two_digits():
    assert format_amount(1205) == "12.05"
