"""Decides and talks: web server, GitHub, stages, judges, reports."""
