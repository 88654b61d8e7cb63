"""What GitHub does beside what the demo needs: reviews, labels, merges, clicks, and faults on demand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from flask import Flask

from bot.demo.forge.app import HOUR_S, RunningForge
from bot.demo.forge.operator import ForgeOperator, Person
from bot.text.json_reading import Payload
from tests.forge import actions, clicks, labels, manifest, people, pushes, reviews
from tests.forge.faults import Faults

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

ROUTES = (
    actions.routes,
    actions.storage,
    clicks.routes,
    labels.routes,
    manifest.routes,
    manifest.pages,
    people.routes,
    pushes.routes,
    pushes.door,
    reviews.routes,
)


def tested_forge(
    folder: Path,
    token_lifetime_s: float = HOUR_S,
    wrap: Callable[[Flask], WSGIApplication] = lambda app: app,
) -> RunningForge:
    """A forge with all of this; `wrap` puts checks round it, and faults are outermost."""

    def with_faults(app: Flask) -> WSGIApplication:
        app.extensions["forge-faults"] = faults = Faults(app, wrap(app))
        return faults

    return RunningForge(folder, 0, token_lifetime_s, with_faults, ROUTES)


class Operator(ForgeOperator):
    """The owner of such a forge."""

    def fault(self, operation: str, kind: str, **more: object) -> None:
        """Makes the next calls of an operation fail; see `faults.Fault`."""
        self.control("POST", "faults", operation=operation, kind=kind, **more)

    def refresh(self, repository: str) -> int:
        """Has the forge see what was pushed straight into the folder; returns pull requests moved."""
        return self.control("POST", "refresh", repository=repository).integer("moved")

    def deliveries(self) -> tuple[Payload, ...]:
        """Every webhook sent, after waiting for the queue."""
        return self.control("GET", "deliveries").items()

    def comment(self, person: Person, repository: str, number: int, body: str) -> int:
        """Comments on an issue or pull request; returns the comment's id."""
        path = f"repos/{repository}/issues/{number}/comments"
        return self.as_person(person, "POST", path, body=body).integer("id")
