"""Steps that an analyst asks for in its own words, and what they can show."""
