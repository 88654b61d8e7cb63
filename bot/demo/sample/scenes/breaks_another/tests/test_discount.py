import pytest

from tally import discount


@pytest.mark.parametrize("percent", [-1, 101])
def test_discount_refuses_impossible_percentages(percent):
    with pytest.raises(ValueError, match="0 to 100 percent"):
        discount(1000, percent)
