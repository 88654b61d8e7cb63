"""The forge's refusals, answered as GitHub words them."""

from __future__ import annotations


class Refused(Exception):
    """A reply that is not 2xx; `errors` are GitHub's details of a 422."""

    def __init__(
        self, status: int, message: str, errors: tuple[dict[str, str], ...] = (), hint: str = ""
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors
        self.permissions_hint = hint


def not_found() -> Refused:
    """What GitHub says of all that is not there or not to be seen."""
    return Refused(404, "Not Found")


def invalid(resource: str, field: str, message: str) -> Refused:
    """A 422 that names the field and the reason."""
    detail = {"resource": resource, "field": field, "code": "custom", "message": message}
    return Refused(422, "Validation Failed", (detail,))
