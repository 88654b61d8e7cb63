"""The records on both real databases."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from bot.errors import Transient
from bot.settings import Settings
from bot.store import Ended, EvaluationState, Store, open_records
from bot.values import (
    Acceptance,
    AcceptanceKind,
    Conclusion,
    EvaluationRequest,
    KeptRubric,
    Role,
    RoleUsage,
    Rubric,
    Trigger,
)


def request_for(evaluation_id: str, number: int = 7, sha: str = "a" * 40) -> EvaluationRequest:
    return EvaluationRequest(
        evaluation_id, "octo/hello", sha, "b" * 40, "main", Trigger.OPENED, number=number
    )


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.real)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'records.db'}"
    database: str = request.getfixturevalue("postgres").database()
    return database


@pytest.fixture
def records(url: str) -> Iterator[Store]:
    records = Store(url)
    records.migrate()
    yield records
    records.close()


def test_an_evaluation_from_queue_to_end(records: Store) -> None:
    records.queued(request_for("e1"))
    records.started("e1", "checkout")
    records.waiting("e1", "checkout", "GitHub answers 503")
    waiting = records.evaluation("e1")
    assert waiting
    assert (waiting.state, waiting.stage) == (EvaluationState.RUNNING, "checkout")
    assert waiting.problem == "GitHub answers 503"
    records.started("e1", "configure")
    records.check_run("e1", 12, finished=True)
    how = Ended(EvaluationState.DONE, Conclusion.SUCCESS, "2 of 2", report_key="e1", comment=99)
    assert records.ended("e1", how)
    done = records.evaluation("e1")
    assert done
    assert (done.state, done.conclusion, done.title) == (EvaluationState.DONE, "success", "2 of 2")
    assert (done.check_run, done.comment, done.problem) == (12, 99, "")
    assert done.check_run_finished


def test_an_end_is_never_taken_back(records: Store) -> None:
    records.queued(request_for("e1"))
    assert records.ended("e1", Ended(EvaluationState.CANCELLED, problem="a newer head"))
    assert not records.ended("e1", Ended(EvaluationState.DONE, Conclusion.SUCCESS))
    records.started("e1", "publish")
    records.queued(request_for("e1"))
    cancelled = records.evaluation("e1")
    assert cancelled
    assert (cancelled.state, cancelled.problem) == (EvaluationState.CANCELLED, "a newer head")


def test_what_is_open_and_what_is_latest(records: Store) -> None:
    for name in ("e1", "e2", "e3"):
        records.queued(request_for(name))
    records.queued(request_for("other", number=8))
    records.ended("e1", Ended(EvaluationState.DONE, Conclusion.FAILURE))
    assert [record.id for record in records.open_evaluations("octo/hello", 7)] == ["e2", "e3"]
    latest = records.latest("octo/hello", 7)
    assert latest
    assert latest.id == "e3"
    assert records.latest("octo/none", 7) is None
    assert [record.id for record in records.recent(2)] == ["other", "e3"]


def test_what_was_asked_can_be_asked_again(records: Store) -> None:
    asked = replace(request_for("e1", number=0), patch="--- a/\udcff\n", task_text="\0 nul")
    records.queued(asked)
    records.queued(request_for("e2", sha="c" * 40))
    assert records.request("e1") == asked
    assert records.request("none") is None
    assert [found.id for found in records.of_head("octo/hello", "a" * 40)] == ["e1"]
    assert records.of_head("octo/hello", "d" * 40) == ()


def test_a_check_run_left_open_is_found(records: Store) -> None:
    for name in ("open", "closed", "running"):
        records.queued(request_for(name))
        records.check_run(name, 5, finished=name == "closed")
    records.ended("open", Ended(EvaluationState.CANCELLED))
    records.ended("closed", Ended(EvaluationState.CANCELLED))
    assert [record.id for record in records.unfinished_check_runs()] == ["open"]


def test_decisions_belong_to_one_head(records: Store) -> None:
    records.approve_head("octo/hello", (7, "a" * 40), "maintainer")
    records.approve_head("octo/hello", (7, "a" * 40), "maintainer")
    assert records.is_approved("octo/hello", (7, "a" * 40))
    assert not records.is_approved("octo/hello", (7, "c" * 40))
    assert not records.is_approved("octo/other", (7, "a" * 40))


def test_what_people_accepted_is_kept_once_for_its_source(records: Store) -> None:
    given = Acceptance(
        "R1", AcceptanceKind.ACCEPTED, "ben", "seen\0", "a" * 40, "It works.", "comment 1", 1.0
    )
    records.accept("Octo/Hello", 7, given)
    records.accept("octo/hello", 7, replace(given, reason="again", actor="mara"))
    newer = replace(given, source="comment 2", reason="later", places=("a.py",))
    records.accept("octo/hello", 7, newer)
    found = records.acceptances("octo/hello", 7)
    assert [one.reason for one in found] == ["later", "seen⟨U+0000⟩"]
    assert found[0] == newer
    assert records.acceptances("octo/hello", 8) == ()


def test_a_decision_changes_the_conclusion_of_what_is_done_only(records: Store) -> None:
    for name in ("done", "running", "cancelled"):
        records.queued(request_for(name))
    records.ended("done", Ended(EvaluationState.DONE, Conclusion.FAILURE, "no", report_key="k"))
    records.ended("cancelled", Ended(EvaluationState.CANCELLED, Conclusion.CANCELLED))
    before = records.evaluation("done")
    for name in ("done", "running", "cancelled"):
        records.concluded_again(name, Conclusion.SUCCESS, "accepted")
    found = {one.id: one.conclusion for one in records.recent()}
    assert found == {"done": "success", "running": "", "cancelled": "cancelled"}
    assert len(records.of_commit("octo/hello", 7, "a" * 40)) == 3
    assert records.of_commit("octo/hello", 7, "b" * 40) == ()
    after = records.evaluation("done")
    assert before and after and after.updated_s == before.updated_s, "when it was judged stays"


def test_base_results_are_kept_and_replaced(records: Store) -> None:
    assert records.base_result("k") is None
    records.keep_base_result("k", '{"n": 1}')
    records.keep_base_result("k", '{"n": 2}')
    assert records.base_result("k") == '{"n": 2}'


def test_totals_count_by_conclusion_and_stage(records: Store) -> None:
    for name in ("e1", "e2"):
        records.queued(request_for(name))
        records.finished(name, "observe", 1.5)
    records.ended("e1", Ended(EvaluationState.DONE, Conclusion.SUCCESS))
    totals = records.totals()
    assert sorted(totals.evaluations) == [("done", "success", 1), ("queued", "", 1)]
    assert [(one.stage, one.runs, one.seconds) for one in totals.stages] == [("observe", 2, 3.0)]


def test_what_models_took_is_counted_once_an_evaluation(records: Store) -> None:
    panel = RoleUsage(Role.PANEL, "m", 9, 3, 900, 90, 0.5, 2.0)
    free = RoleUsage(Role.ANALYST, "own", 2, 0, 10, 5, None, 1.0)
    for evaluation in ("e1", "e1", "e2"):
        records.used(evaluation, (panel, free))
    summed, unpriced = records.totals().models[1], records.totals().models[0]
    assert summed == RoleUsage(Role.PANEL, "m", 18, 6, 1800, 180, 1.0, 4.0)
    assert (unpriced.role, unpriced.calls, unpriced.usd) == (Role.ANALYST, 4, None)


def test_prune_removes_what_is_old_and_final(records: Store) -> None:
    for name in ("old", "running"):
        records.queued(request_for(name))
    records.ended("old", Ended(EvaluationState.DONE, Conclusion.SUCCESS, report_key="old-key"))
    records.keep_base_result("k", "{}")
    assert records.prune(time.time() - 60) == ()
    assert records.prune(time.time() + 60) == ("old-key",)
    assert records.evaluation("old") is None
    assert records.evaluation("running")
    assert records.base_result("k") is None


def test_a_process_waits_while_another_makes_the_tables(tmp_path: Path) -> None:
    """SQLite refuses to change its journal at once, whatever it was told to wait."""
    file = tmp_path / "new.db"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("begin immediate")
    waiting = threading.Timer(0.5, other.execute, ("commit",))
    waiting.start()
    store = Store(f"sqlite:///{file}")
    store.migrate()
    assert store.evaluation("e1") is None
    waiting.join()
    store.close()
    other.close()


def test_several_processes_may_migrate_and_write_at_once(url: str) -> None:
    stores = [Store(url) for _ in range(4)]
    problems: list[BaseException] = []

    def work(index: int) -> None:
        try:
            stores[index].migrate()
            for turn in range(10):
                stores[index].queued(request_for(f"{index}-{turn}"))
                stores[index].finished(f"{index}-{turn}", "plan", 1.0)
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert stores[0].totals().stages[0].runs == 40
    for store in stores:
        store.close()


def test_a_newer_database_is_refused(url: str, records: Store) -> None:
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(text("update assay_version set version = 99"))
    engine.dispose()
    with pytest.raises(RuntimeError, match="version 99"):
        records.migrate()


def test_an_unreachable_database_is_transient() -> None:
    records = Store("postgresql://assay@127.0.0.1:1/none")
    with pytest.raises(Transient):
        records.check()
    with pytest.raises(Transient):
        records.migrate()


def test_without_a_url_the_records_stand_in_home(tmp_path: Path) -> None:
    with open_records(Settings(home=tmp_path / "state")) as records:
        records.check()
    assert (tmp_path / "state" / "records.db").exists()


def test_a_claim_is_held_by_one_open_evaluation(records: Store) -> None:
    assert records.queued(request_for("e1"), "hello#9@b")
    assert not records.queued(request_for("e2"), "hello#9@b")
    assert records.evaluation("e2") is None
    assert records.queued(request_for("e1"), "hello#9@b"), "handled again after a crash"
    assert records.queued(request_for("e3")), "without a claim nothing is in the way"
    records.ended("e1", Ended(EvaluationState.DONE, Conclusion.SUCCESS))
    assert records.queued(request_for("e2"), "hello#9@b")


def test_what_no_database_stores_is_spelled_out(records: Store) -> None:
    request = replace(
        request_for("e1"), actor="ada\ud800", task_text="half \ud800 of it", patch="\0"
    )
    records.queued(request)
    records.waiting("e1", "checkout", "GitHub said \0 \udcff")
    waiting = records.evaluation("e1")
    assert waiting and waiting.problem == "GitHub said ⟨U+0000⟩ ⟨U+DCFF⟩"
    assert waiting.actor == "ada⟨U+D800⟩"
    assert records.request("e1") == request
    records.ended("e1", Ended(EvaluationState.FAILED, Conclusion.FAILURE, "no \ud800"))
    done = records.evaluation("e1")
    assert done and done.title == "no ⟨U+D800⟩"


def test_rubrics_have_versions_and_each_its_own_approvals(records: Store) -> None:
    first, second = Rubric("a", ("b",)), Rubric("a", ("c",), unacceptable=("\ud800",))
    assert records.rubrics("octo/hello", 7) == ()
    assert records.keep_rubric("octo/hello", 7, first) == KeptRubric(1, first)
    for login in ("Mara", "mara", "ben"):
        records.approve_rubric("octo/hello", 7, 1, login)
    assert records.keep_rubric("Octo/Hello", 7, first).approved_by == ("mara", "ben")
    assert records.keep_rubric("octo/hello", 7, second) == KeptRubric(2, second)
    records.approve_rubric("octo/hello", 7, 2, "ben")
    assert [one.approved_by for one in records.rubrics("octo/hello", 7)] == [
        ("mara", "ben"),
        ("ben",),
    ]
    assert KeptRubric(1, first, ("mara", "ben")).approvals("Ben") == ("mara",)
    assert records.keep_rubric("octo/hello", 7, first).version == 3
    records.prune(time.time() + 60)
    assert len(records.rubrics("octo/hello", 7)) == 3
    assert records.rubrics("octo/hello", 8) == records.rubrics("octo/other", 7) == ()


def test_two_that_keep_the_same_rubric_at_once_keep_one(records: Store, url: str) -> None:
    def keep() -> None:
        with Store(url) as own:
            while True:
                try:
                    own.keep_rubric("octo/hello", 7, Rubric("a", ("b",)))
                    return
                except Transient:  # SQLite lets one write at a time; the caller tries again
                    continue

    threads = [threading.Thread(target=keep) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(records.rubrics("octo/hello", 7)) == 1


def test_a_database_of_the_first_version_gets_the_rubrics(url: str) -> None:
    with Store(url) as records:
        records.migrate()
        records.queued(request_for("e1"))
        engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
        with engine.begin() as connection:
            for table in ("assay_rubric_approvals", "assay_rubrics"):
                connection.execute(text(f"drop table {table}"))
            connection.execute(text("update assay_version set version = 1"))
        engine.dispose()
        records.migrate()
        assert records.keep_rubric("octo/hello", 7, Rubric("a", ("b",))).version == 1
        assert records.evaluation("e1")
