"""Tests that demand less than on base: in their text, in what is run, in what checkers say."""
