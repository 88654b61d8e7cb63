"""Sends signed webhooks, in order and once: GitHub does not try again, so neither does the forge."""

from __future__ import annotations

import hashlib
import hmac
import json
import queue
import threading
import time
import uuid
from dataclasses import replace

import httpx

from bot.demo.forge.rows import AppRow, DeliveryRow, InstallationRow, RepositoryRow
from bot.demo.forge.shapes import Json, Shapes, node_id
from bot.demo.forge.state import State

RECEIVER_TIMEOUT_S = 30
LARGEST_PAYLOAD_BYTES = 25 * 1024 * 1024
NO_ANSWER = -1
ALWAYS_SENT = frozenset({"installation", "installation_repositories", "ping"})


class Deliveries:
    """One thread that posts what is queued; every delivery stays in the state to look at."""

    def __init__(self, state: State, shapes: Shapes) -> None:
        self._state = state
        self._shapes = shapes
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._client = httpx.Client(timeout=RECEIVER_TIMEOUT_S)
        self._thread = threading.Thread(target=self._run, name="forge-deliveries", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stops after what is being sent now."""
        self._queue.put(None)
        self._thread.join(RECEIVER_TIMEOUT_S + 2)
        self._client.close()

    def wait(self) -> bool:
        """Waits until everything queued so far was sent; says whether that came in 20 seconds."""
        end_s = time.monotonic() + 20.0
        while self._queue.unfinished_tasks and time.monotonic() < end_s:
            time.sleep(0.01)
        return not self._queue.unfinished_tasks

    def emit(
        self, event: str, repository: RepositoryRow, sender: str, body: Json, only_app: int = 0
    ) -> None:
        """Sends an event of a repository to every app that is installed there and wants it."""
        for app in self._state.all(AppRow):
            installation = self._state.installation_for(app, repository)
            if installation is None or installation.suspended:
                continue
            if event not in app.events and event not in ALWAYS_SENT:
                continue
            if not only_app or app.id == only_app:
                payload = {**body, "repository": self._shapes.repository(repository)}
                self.send(
                    event, app, installation, {**payload, "sender": self._shapes.login(sender)}
                )

    def send(
        self, event: str, app: AppRow, installation: InstallationRow | None, body: Json
    ) -> str:
        """Queues one delivery to one app; returns its id."""
        if installation is not None and "installation" not in body:
            identity = {"id": installation.id, "node_id": node_id("Installation", installation.id)}
            body = {**body, "installation": identity}
        text = json.dumps(body)
        row = DeliveryRow(str(uuid.uuid4()), app.id, event, str(body.get("action", "")), text)
        self._state.put(row.id, row)
        if len(text) <= LARGEST_PAYLOAD_BYTES:  # GitHub drops larger ones silently
            self._queue.put(row.id)
        return row.id

    def redeliver(self, delivery: str) -> bool:
        """Sends a stored delivery again under its old id, as a person can on the App's page."""
        known = self._state.get(DeliveryRow, delivery) is not None
        if known:
            self._queue.put(delivery)
        return known

    def _run(self) -> None:
        while (delivery := self._queue.get()) is not None:
            try:
                self._post(delivery)
            finally:
                self._queue.task_done()
        self._queue.task_done()

    def _post(self, delivery: str) -> None:
        row = self._state.get(DeliveryRow, delivery)
        app = self._state.get(AppRow, row.app_id) if row else None
        if row is None or app is None or not app.webhook_url:
            return
        body = row.payload.encode()
        try:
            headers = {
                "Content-Type": "application/json",
                "User-Agent": "GitHub-Hookshot/forge00",
                "X-GitHub-Delivery": row.id,
                "X-GitHub-Event": row.event,
                "X-GitHub-Hook-ID": str(app.id),
                "X-GitHub-Hook-Installation-Target-ID": str(app.id),
                "X-GitHub-Hook-Installation-Target-Type": "integration",
            }
            if app.webhook_secret:
                headers["X-Hub-Signature-256"] = signature_of(app.webhook_secret, body)
            reply = self._client.post(app.webhook_url, content=body, headers=headers)
            status = reply.status_code
        except (httpx.HTTPError, httpx.InvalidURL):
            status = NO_ANSWER
        self._state.put(row.id, replace(row, status=status, attempts=row.attempts + 1))


def signature_of(secret: str, body: bytes) -> str:
    """The signature header of these bytes; written apart from the client's, which it checks."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
