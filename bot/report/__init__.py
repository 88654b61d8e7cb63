"""One view model, rendered to Markdown, HTML, PDF and JSON."""
