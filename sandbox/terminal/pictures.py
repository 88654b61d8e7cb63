"""Compares pictures by their pixels, with Pillow where the sandbox has it (Debian's python3-pil)."""

from __future__ import annotations

import io
from dataclasses import dataclass

try:
    from PIL import Image, ImageChops
except ImportError:
    Image = None  # told as what is missing

_MOST_PIXELS = 40_000_000
_SAME_SHADE = 8  # of 255: what re-encoding and anti-aliasing do
_ALIKE_SHARE = 0.02
BY_BROWSER = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
PICTURES = (*BY_BROWSER, ".tif", ".tiff", ".ppm")
"""What pictures end with: those that a browser shows, and all that can be compared."""
_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF", "PPM")


def compare_pictures(wanted: bytes, found: bytes) -> Compared:
    """Equal: no pixel differs by more than a shade (a thin line is few pixels); similar: one in fifty."""
    if Image is None:
        return Compared("undecided", "comparing pictures needs python3-pil in the sandbox")
    try:
        expected, actual = _pixels(wanted), _pixels(found)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        return Compared("unreadable", f"it cannot be read as a picture: {str(error)[:200]}")
    if expected.size != actual.size:
        return Compared("differs", f"expected {expected.size} pixels, found {actual.size}")
    bands = ImageChops.difference(expected, actual).split()
    worst = bands[0]
    for band in bands[1:]:
        worst = ImageChops.lighter(worst, band)
    shades = worst.histogram()
    different = sum(shades[_SAME_SHADE + 1 :])
    share = float(different / max(1, expected.width * expected.height))
    detail = f"{100 * share:.2f} % of the pixels differ"
    if share == 0:
        return Compared("equal", detail)
    return Compared("similar" if share <= _ALIKE_SHARE else "differs", detail)


def _pixels(data: bytes) -> Image.Image:
    with Image.open(io.BytesIO(data), formats=_FORMATS) as picture:
        if picture.width * picture.height > _MOST_PIXELS:
            raise ValueError(f"it has {picture.width} x {picture.height} pixels")
        return picture.convert("RGBA")


# --- what a comparison says of two files ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Compared:
    """`outcome` is a word of `sandbox.values.FileOutcome`; `detail` the first difference, in words."""

    outcome: str
    detail: str = ""
