"""Benchmarks: printed figures, never assertions about time."""
