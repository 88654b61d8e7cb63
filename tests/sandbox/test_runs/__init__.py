"""Tools in the real sandbox, and what they make of bad input."""
