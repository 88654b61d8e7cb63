"""The evaluation, in order."""
