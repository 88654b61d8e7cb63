"""Reads an agent's log of its work, and holds it against the evidence; it decides nothing."""
