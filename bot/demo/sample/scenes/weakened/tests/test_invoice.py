import pytest

from tally import discount, split, total


def test_total_adds_lines():
    assert total([("2", "12.50"), ("1", "0.99")]) == 2599


def test_discount_rounds_in_favour_of_the_customer():
    assert discount(999, 10) == 899


@pytest.mark.parametrize("people", [1, 3, 7])
def test_split_adds_up(people):
    shares = split(1000, people)
    assert sum(shares) <= 1000


def test_split_refuses_zero_people():
    with pytest.raises(ValueError, match="at least one person"):
        split(1000, 0)
