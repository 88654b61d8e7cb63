"""One thing that was looked at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sandbox.bubblewrap.selfcheck import as_root


class Weight(StrEnum):
    """Whether Assay cannot work without it."""

    REQUIRED = "required"
    USEFUL = "useful"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was seen of one subject. `remedy` is the command or sentence that mends it."""

    subject: str
    is_well: bool
    seen: str
    remedy: str = ""
    weight: Weight = Weight.REQUIRED

    @property
    def is_fatal(self) -> bool:
        """Whether something required is missing."""
        return not self.is_well and self.weight is Weight.REQUIRED


def installing(*packages: str) -> str:
    """Return the command that installs Debian packages, as this user would type it."""
    return as_root(f"apt-get install {' '.join(packages)}")
