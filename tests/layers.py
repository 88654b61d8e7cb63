"""Dependencies are installed once for all repositories of a test run, not once for each.

A layer is named by the digest of all that it is made of, so the second repository finds what the first
one built. Tests of building itself have folders of their own.
"""

from __future__ import annotations

import os
from pathlib import Path

from bot.settings import Settings
from sandbox.toolchains.ecosystem import repository_folder

SHARED = "ASSAY_TEST_LAYERS"
"""The variable that names the folder of this run."""
_DRIVER = "bubblewrap"


def share_layers(settings: Settings, repository: Path) -> Settings:
    """Let `repository` find in the home of `settings` what others have installed; gives the settings."""
    if settings.sandbox != _DRIVER:
        return settings
    own = repository_folder(settings.home.absolute() / "built" / _DRIVER, str(repository))
    own.mkdir(parents=True)
    (own / "dependencies").symlink_to(os.environ[SHARED])
    return settings
