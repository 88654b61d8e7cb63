"""Whose container it is."""

import time

from sandbox.docker.container import is_abandoned, labels

_UNTIL, _WORKER = "org.assay.until", "org.assay.worker"


def test_a_live_workers_container_is_spared_even_when_it_is_late() -> None:
    assert not is_abandoned(labels(10), time.time() + 10_000)


def test_a_worker_that_is_gone_or_whose_number_another_process_has_leaves_it_behind() -> None:
    own = labels(10)
    namespace, pid, started = own[_WORKER].split(" ")
    for other in (f"{namespace} 4194303 {started}", f"{namespace} {pid} 1"):
        assert is_abandoned({**own, _WORKER: other}, time.time())


def test_a_worker_elsewhere_is_judged_by_the_time_alone() -> None:
    elsewhere = {**labels(10), _WORKER: "another-boot/pid:[1] 1 1"}
    assert not is_abandoned(elsewhere, time.time())
    assert is_abandoned(elsewhere, int(elsewhere[_UNTIL]) + 1)


def test_labels_that_say_nothing_mean_nobody() -> None:
    assert is_abandoned({}, time.time())
