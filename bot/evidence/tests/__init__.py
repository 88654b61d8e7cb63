"""The project's own tests, four ways: each side's tests on each side's code."""
