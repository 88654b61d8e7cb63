"""The bubblewrap driver: one fresh set of namespaces for every command."""
