"""Output caps: whatever the chunks, head and tail are kept and memory stays bounded."""

from hypothesis import given
from hypothesis import strategies as st

from sandbox.streams import Capped, HeadTail


@given(chunks=st.lists(st.binary(max_size=50)), cap=st.integers(min_value=0, max_value=60))
def test_head_and_tail_do_not_depend_on_the_chunks(chunks: list[bytes], cap: int) -> None:
    whole = b"".join(chunks)
    kept = HeadTail(cap)
    for chunk in chunks:
        kept.feed(chunk)
    if len(whole) <= cap:
        assert (kept.value(), kept.truncated) == (whole, False)
        return
    head, tail = whole[: cap - cap // 2], whole[len(whole) - cap // 2 :]
    marker = f"\n[... {len(whole) - cap} bytes left out ...]\n".encode()
    assert (kept.value(), kept.truncated) == (head + marker + tail, True)


@given(chunks=st.lists(st.binary(max_size=50)), cap=st.integers(min_value=0, max_value=60))
def test_a_capped_stream_tells_once_that_it_overflows(chunks: list[bytes], cap: int) -> None:
    told: list[bool] = []
    kept = Capped(cap, lambda: told.append(True))
    for chunk in chunks:
        kept.feed(chunk)
    whole = b"".join(chunks)
    assert kept.value() == whole[:cap]
    assert len(told) == (len(whole) > cap)


def test_a_gigabyte_takes_no_gigabyte() -> None:
    kept = HeadTail(1000)
    block = bytes(1 << 20)
    for _ in range(1024):
        kept.feed(block)
    assert len(kept.value()) < 1100
