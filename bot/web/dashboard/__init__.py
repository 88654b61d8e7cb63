"""The dashboard: what people who are signed in see of the repositories that they can read at GitHub."""
