"""Models of a whole town: an endpoint on loopback that reads honestly unless a test tells it otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.town import Town, running_town
from tests.endpoint import Asked, Endpoint, Said, model_endpoint
from tests.obedient import Obedient

HONEST = Obedient(obeys=False)
DRAFTING = "You draft the standard"
COMPREHENDING = "You read what was asked"
PLANNING = "You plan how to find out"
JUDGING_PATCH = "You judge one patch as a whole"
"""How the instructions of a role begin."""


@dataclass(slots=True)
class Judges:
    """What is behind the endpoint; `told` are a test's own answers by how the instructions begin."""

    endpoint: Endpoint = field(default_factory=lambda: Endpoint(""))
    told: dict[str, Callable[[Asked], Said]] = field(default_factory=dict)

    def answer(self, asked: Asked) -> Said:
        """What the endpoint says."""
        for words, answer in self.told.items():
            if words in everything(asked, "system"):
                return answer(asked)
        return HONEST.answer(asked)

    def asked(self, words: str, about: str = "") -> list[Asked]:
        """What models with these instructions were asked so far that holds `about`."""
        return [
            one
            for one in list(self.endpoint.asked)
            if words in everything(one, "system") and about in everything(one)
        ]


def everything(asked: Asked, role: str = "") -> str:
    """All texts of a call, or those of one role, tool calls included."""
    chosen = [one for one in asked["messages"] if role in ("", one["role"])]
    return json.dumps(chosen, ensure_ascii=False)


def environment_for(endpoint: Endpoint, **more: str) -> dict[str, str]:
    """What Assay's parts need to know to ask this endpoint, whose model has a price."""
    return {
        "ASSAY_MODEL": "test-model",
        "ASSAY_MODEL_URL": endpoint.url,
        "ASSAY_MODEL_KEY": "key",
        "ASSAY_MODEL_PRICES": '{"test-model": [1, 2]}',
        **more,
    }


@contextmanager
def running_judged_town(folder: Path, **settings: str) -> Iterator[tuple[Town, Judges]]:
    """A whole town with models; `settings` are further environment variables of web and worker."""
    judges = Judges()
    with model_endpoint(judges.answer) as judges.endpoint:
        environment = environment_for(judges.endpoint, **settings)
        with running_town(folder, **environment) as town:
            yield town, judges
