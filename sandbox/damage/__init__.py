"""Damaged copies of head, and the tests that notice them: the proof that a test proves something."""
