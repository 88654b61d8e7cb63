from tally import format_amount, parse_amount


def test_parse_amount_reads_whole_and_fraction():
    assert parse_amount("12.50") == 1250


def test_parse_amount_fills_a_short_fraction():
    assert parse_amount("12.5") == 1250


def test_format_amount_writes_two_digits():
    assert format_amount(1205) == "12.05"
