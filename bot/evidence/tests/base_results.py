"""What base's tests said, kept for the next pull request on the same base."""

from __future__ import annotations

import hashlib
import json

from pydantic import TypeAdapter

from bot.store import Store
from sandbox.test_runs.four_way import Sides
from sandbox.test_runs.unit_tests import HARNESS_VERSION
from sandbox.toolchains.layers import known_as
from sandbox.values import Observation

_OBSERVATION = TypeAdapter(Observation)


class BaseResults:
    """The kept run of one base: found by commit, environment, command, network and harness version."""

    def __init__(self, store: Store, sides: Sides, repository: str) -> None:
        self._store = store
        base, recipe = sides.base, sides.base.recipe
        command = [(call.runner.value, *call.arguments) for call in recipe.calls]
        checkout = sides.checkout
        tree = (checkout.base_sha, *(one.path for one in checkout.missing_submodules))
        layers = (base.digest, known_as(base.dependencies_layer), known_as(base.project_layer))
        where = (repository, tree, *layers, recipe.root)
        parts = (*where, command, sides.network.value, HARNESS_VERSION)
        self._key = "base-tests:" + hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def find(self) -> Observation | None:
        """Return the kept run, or None."""
        text = self._store.base_result(self._key)
        return _OBSERVATION.validate_python(json.loads(text)) if text else None

    def keep(self, observation: Observation) -> None:
        """Keep a run that is complete; one that proves nothing is run again next time."""
        if observation.tests is not None and observation.tests.complete:
            # As ASCII: what tests say may hold halves of surrogate pairs, which no database stores.
            text = json.dumps(_OBSERVATION.dump_python(observation, mode="json"))
            self._store.keep_base_result(self._key, text)
