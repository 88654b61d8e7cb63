"""Server-sent events: each stage once, the end, and places that are given back."""

from __future__ import annotations

import json
import threading

from bot.errors import Transient
from bot.store import Ended, EvaluationState
from bot.values import Conclusion
from bot.web.api.models import Progress
from bot.web.api.standing import Moment, Streams
from tests.bot.web_api.conftest import ApiClient


def test_stages_are_told_until_the_conclusion(api: ApiClient) -> None:
    identifier = api.posted()

    def go_on() -> None:
        api.records.started(identifier, "observe")
        stream_is_at.wait(60)
        done = Ended(EvaluationState.DONE, Conclusion.SUCCESS, "All met")
        api.records.ended(identifier, done)

    stream_is_at = threading.Event()
    answer = api.get(f"{identifier}/events")
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream")
    worker = threading.Thread(target=go_on)
    told: list[tuple[str, dict[str, object]]] = []
    for chunk in answer.response:
        text = chunk if isinstance(chunk, str) else chunk.decode()
        if text.startswith("event: "):
            name, data = text.strip().split("\n")
            told.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
            if len(told) == 1:
                worker.start()
            if told[-1][1].get("stage") == "observe":
                stream_is_at.set()
    worker.join()
    assert [name for name, _ in told] == ["stage", "stage", "conclusion"]
    assert told[1][1] == {"stage": "observe", "number": 6, "of": 12}
    assert (told[2][1]["conclusion"], told[2][1]["id"]) == ("success", identifier)


def test_places_are_few_and_given_back(api: ApiClient) -> None:
    identifier = api.posted()
    first, second = (api.get(f"{identifier}/events") for _ in range(2))
    full = api.get(f"{identifier}/events")
    assert (full.status_code, full.headers["Retry-After"]) == (503, "10")
    first.close()  # its reader is gone, and it had not begun
    third = api.get(f"{identifier}/events")
    assert third.status_code == 200
    third.close()
    third.close()
    second.close()


def test_a_stream_ends_by_itself_and_outlives_a_database_that_is_away() -> None:
    looks = 0

    def look() -> Moment:
        nonlocal looks
        looks += 1
        if looks == 1:
            raise Transient("the database is away")
        return Moment("stage", Progress(stage="plan", number=5, of=12), is_last=False)

    streams = Streams(1, longest_s=0.2, poll_s=0.02)
    stream = streams.opened(look)
    assert stream is not None
    assert streams.opened(look) is None
    assert [text.partition("\n")[0] for text in stream] == ["retry: 1000", "event: stage"]
    again = streams.opened(look)
    assert again is not None
    assert Streams(0).opened(look) is None
