"""`/metrics` for Prometheus: what this web server counted, and what the databases know.

Several gunicorn workers count together when PROMETHEUS_MULTIPROC_DIR names a folder before the
process starts (`deploy/gunicorn.conf.py` does so). Evaluations, stages and queues are read from the
databases, so every web process says the same about all workers.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterable, Iterator

from flask import Blueprint, Response, request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from werkzeug.exceptions import NotFound

from bot.errors import Transient
from bot.queue import EngineClient
from bot.store import Store
from bot.values import RoleUsage
from bot.webhook.events import EVENTS, NOTED

_KNOWN = frozenset((*EVENTS, *NOTED))


class WebhookCounters:
    """Counts webhook requests; one registry for each application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "assay_webhooks",
            "Webhook requests by event and outcome.",
            ("event", "outcome"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "assay_webhook_seconds",
            "Seconds from the last byte of a webhook to its answer, the durable write included.",
            registry=self.registry,
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
        )

    def count(self, event: str, outcome: str, seconds: float) -> None:
        """Count one request; unknown events share one label, so that a sender cannot make many."""
        known = event if event in _KNOWN else "other" if event else "none"
        self._requests.labels(known, outcome).inc()
        self._seconds.observe(seconds)


class DatabaseCollector(Collector):
    """Reads the databases at each scrape."""

    def __init__(self, jobs: EngineClient, store: Store) -> None:
        self._jobs = jobs
        self._store = store

    def collect(self) -> Iterator[Metric]:
        """Yield everything, or only that the databases are down."""
        try:
            depth, totals = self._jobs.depth(), self._store.totals()
        except Transient:
            yield GaugeMetricFamily("assay_database_up", "Whether the databases answer.", value=0)
            return
        yield GaugeMetricFamily("assay_database_up", "Whether the databases answer.", value=1)
        jobs = GaugeMetricFamily("assay_jobs", "Jobs queued or running.", labels=("queue",))
        jobs.add_metric(("deliveries",), depth.deliveries)
        jobs.add_metric(("evaluations",), depth.evaluations)
        yield jobs
        ended = GaugeMetricFamily(
            "assay_evaluations", "Evaluations on record.", labels=("state", "conclusion")
        )
        for state, conclusion, number in totals.evaluations:
            ended.add_metric((state, conclusion), number)
        runs = CounterMetricFamily(
            "assay_stage_runs", "How often a stage ended.", labels=("stage",)
        )
        seconds = CounterMetricFamily(
            "assay_stage_seconds", "Seconds in a stage.", labels=("stage",)
        )
        for stage in totals.stages:
            runs.add_metric((stage.stage,), stage.runs)
            seconds.add_metric((stage.stage,), stage.seconds)
        free = GaugeMetricFamily(
            "assay_disk_free_bytes", "Free in a worker's home.", labels=("host",)
        )
        low = GaugeMetricFamily(
            "assay_disk_low", "Whether a worker takes no new evaluation for it.", labels=("host",)
        )
        for host in totals.hosts:
            free.add_metric((host.name,), host.free_bytes)
            low.add_metric((host.name,), host.is_low)
        yield from (ended, runs, seconds, *_model_metrics(totals.models), free, low)


def _model_metrics(models: tuple[RoleUsage, ...]) -> Iterable[Metric]:
    """What models took, by role and model; US dollars only where a price is known."""
    by = ("role", "model")
    calls = CounterMetricFamily("assay_model_calls", "Calls of models.", labels=(*by, "from"))
    tokens = CounterMetricFamily("assay_model_tokens", "Paid tokens.", labels=(*by, "direction"))
    usd = CounterMetricFamily("assay_model_usd", "US dollars for models.", labels=by)
    seconds = CounterMetricFamily("assay_model_seconds", "Seconds in calls of models.", labels=by)
    for one in models:
        names = (one.role.value, one.model)
        calls.add_metric((*names, "endpoint"), one.calls - one.cached)
        calls.add_metric((*names, "memory"), one.cached)
        tokens.add_metric((*names, "in"), one.input_tokens)
        tokens.add_metric((*names, "out"), one.output_tokens)
        seconds.add_metric(names, one.seconds)
        if one.usd is not None:
            usd.add_metric(names, one.usd)
    return (calls, tokens, usd, seconds)


def blueprint(jobs: EngineClient, store: Store, counters: WebhookCounters, token: str) -> Blueprint:
    """Build the one route, for whoever brings the token; it is not there where none is set."""
    routes = Blueprint("metrics", __name__)
    databases = DatabaseCollector(jobs, store)

    @routes.get("/metrics")
    def metrics() -> Response:
        given = request.headers.get("Authorization", "")
        if not token or not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
            raise NotFound
        counted = counters.registry
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:  # all web processes' counts, not this one's
            counted = CollectorRegistry()
            MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
        known = CollectorRegistry()
        known.register(databases)
        page = generate_latest(counted) + generate_latest(known)
        return Response(page, content_type=CONTENT_TYPE_LATEST)

    return routes
