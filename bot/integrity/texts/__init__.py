"""Words to AI reviewers, hidden text, and secrets."""
