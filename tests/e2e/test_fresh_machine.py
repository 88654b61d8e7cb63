"""`make demo` on a Debian that nobody prepared, whose `/dev/net/tun` only root may open."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from tests.docker_engine import NoEngine
from tests.fresh_machine import USER, FreshMachine, fresh_machine

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        os.environ.get("ASSAY_TEST_FRESH") != "1" or os.geteuid() != 0,
        reason="only `make test-fresh`, as root, makes a whole system",
    ),
]

REFUSED = """\
assay: The sandbox does not start: builds have no network, because only root may open /dev/net/tun.
       sudo chmod 0666 /dev/net/tun
"""
DEMO = "make demo || { tail -n 100 /tmp/assay-demo-*/worker.log >&2; exit 1; }"
CLONE = "git clone --quiet /srv/$USER.git assay && cd assay"


@pytest.fixture(scope="module")
def machine() -> Iterator[FreshMachine]:
    try:
        with fresh_machine() as made:
            yield made
    except NoEngine as error:
        pytest.fail(str(error))


def passed(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-9000:]
    assert done.stdout.count("(as expected)") == 4
    assert "warning" not in (done.stdout + done.stderr).lower()


def test_root_needs_one_command(machine: FreshMachine) -> None:
    passed(machine.run(f"{CLONE}; {DEMO}"))


def test_an_ordinary_user_is_told_what_is_missing_before_anything_is_judged(
    machine: FreshMachine,
) -> None:
    machine.checked("git clone --quiet /srv/root.git packages; sh packages/deploy/install.sh run")
    # Spares a second download.
    machine.checked(f"cp -r /root/.cache /home/{USER}/.cache; chown -R {USER}: /home/{USER}/.cache")
    refused = machine.run(f"{CLONE}; make demo", USER)
    assert refused.returncode != 0
    assert REFUSED in refused.stderr, refused.stdout[-3000:] + refused.stderr[-3000:]
    assert "A forge runs" not in refused.stdout
    assert "warning" not in (refused.stdout + refused.stderr).lower()

    passed(machine.run(f"cd assay; {DEMO}", USER, tun_mode="0666"))
