"""What is looked at on both sides, and what it shows: one folder a kind of evidence, listed in `kinds.py`."""
