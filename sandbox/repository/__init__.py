"""Both sides of a change on disk: fetched defensively, exported without `.git`, compared."""
