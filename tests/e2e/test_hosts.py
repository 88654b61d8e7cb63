"""Workers with separate homes on one Postgres: whoever goes on finds, or makes again, what it needs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.hosts import check, open_changes, running_hosts
from tests.postgres import Postgres

pytestmark = [pytest.mark.real, pytest.mark.slow]

EVALUATIONS = int(os.environ.get("ASSAY_TEST_EVALUATIONS", "12"))
"""`make test-hosts` takes 200."""
PATIENCE_S = 900.0


def test_nothing_is_lost_doubled_or_wrong_when_hosts_die(
    postgres: Postgres, tmp_path: Path
) -> None:
    with running_hosts(tmp_path, postgres.database()) as (town, hosts):
        expected = open_changes(town, EVALUATIONS)
        with hosts.dying(seed=7, every_s=10):
            wrong = check(town, expected, PATIENCE_S)
        assert wrong == []
        assert hosts.kills >= 2
        assert "on this host and" in hosts.log(), "nobody took over from another host"
