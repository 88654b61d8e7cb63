"""The demo: a forge, the App, and four pull requests with known right answers."""
