"""What comes over the attached stream, however it is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.base import SandboxError
from sandbox.docker.engine import Frames, LaunchOrder, launch_message
from sandbox.docker.entry import Launch as Taken
from sandbox.streams import HeadTail


def packet(stream: int, payload: bytes) -> bytes:
    return bytes([stream, 0, 0, 0]) + len(payload).to_bytes(4, "big") + payload


def frame(kind: bytes, payload: bytes) -> bytes:
    return kind + len(payload).to_bytes(4, "big") + payload


@given(st.lists(st.tuples(st.sampled_from("oe"), st.binary(max_size=40))), st.integers(1, 50))
def test_frames_are_whole_however_the_stream_is_cut(
    parts: list[tuple[str, bytes]], step: int
) -> None:
    frames_in = b"".join(frame(kind.encode(), payload) for kind, payload in parts)
    inner = frames_in + frame(b"x", b"7")
    stream = b"".join(packet(1, inner[at : at + 13]) for at in range(0, len(inner), 13))
    sinks = {b"o": HeadTail(10_000), b"e": HeadTail(10_000)}
    frames = Frames(sinks)
    for at in range(0, len(stream), step):
        frames.feed(stream[at : at + step])
    assert frames.exit_code == 7
    for kind, sink in sinks.items():
        wanted = b"".join(payload for name, payload in parts if name.encode() == kind)
        assert sink.value() == wanted


def test_what_is_no_frame_is_the_sandboxes_failure() -> None:
    with pytest.raises(SandboxError, match="no frames"):
        Frames({}).feed(packet(1, frame(b"?", b"")))


def test_what_the_entry_program_complains_about_is_kept_and_capped() -> None:
    frames = Frames({})
    frames.feed(packet(2, b"no python\n"))
    frames.feed(packet(2, b"x" * 100_000))
    assert frames.said().startswith("no python")
    assert len(frames.said()) <= 4000


ARGUMENT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)


@given(st.lists(ARGUMENT, min_size=1), st.binary(max_size=40), st.binary(max_size=40))
def test_the_entry_program_reads_what_the_worker_wrote(
    argv: list[str], stdin: bytes, program: bytes
) -> None:
    launch = LaunchOrder(argv, {"A": "1=2\n", "B": ""}, stdin, program, True, 9)
    message = launch_message(launch)
    header_bytes, body_bytes = int(message[:6]), int(message[6:16])
    header, body = message[16 : 16 + header_bytes], message[16 + header_bytes :]
    assert len(body) == body_bytes
    taken = Taken(header, body)
    assert taken.argv == [argument.encode() for argument in argv]
    assert taken.environment == {b"A": b"1=2\n", b"B": b""}
    assert (taken.stdin, taken.filter, taken.wants_channel) == (stdin, program, True)
    assert taken.deadline_s == 9
