"""Runs the tests of a project on either side, by the driver of its runner, and reads what was recorded."""
