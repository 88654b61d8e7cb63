"""Runs what nobody trusts. Never imports bot."""
