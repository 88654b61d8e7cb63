"""Pages of the project in a browser, on both sides."""
