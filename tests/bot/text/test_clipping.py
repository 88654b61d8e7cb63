"""A clipped text is as short as was asked, and shows that something is missing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.text.clipping import clip, clip_line, clip_middle


@given(st.text(max_size=60), st.integers(min_value=1, max_value=40))
def test_a_text_fits_or_says_that_it_was_cut(text: str, most: int) -> None:
    shown = clip(text, most)
    assert len(shown) <= most
    assert shown == text if len(text) <= most else shown.endswith("…")
    assert "\n" not in clip_line(text, most)


@given(st.text(max_size=60), st.integers(min_value=1, max_value=40))
def test_head_and_tail_stay(text: str, most: int) -> None:
    shown, half = clip_middle(text, most), most // 2
    if len(text) <= most:
        assert shown == text
    else:
        left_out = f"\n… {len(text) - 2 * half} characters left out …\n"
        assert shown == text[:half] + left_out + text[len(text) - half :]
