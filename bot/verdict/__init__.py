"""A verdict for each requirement from its evidence alone, and one conclusion that explains itself: pure."""
