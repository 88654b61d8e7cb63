"""An evaluation goes on at another host, or without its files: they are made again, not read as empty."""

from __future__ import annotations

import asyncio
import errno
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from bot.context import EvaluationContext, Planned
from bot.errors import Transient, UserError
from bot.evaluation.configure import check_out, configure
from bot.evaluation.environment import build_environments
from bot.evaluation.on_host import built_here, on_this_host, trees_here
from bot.services import Services
from bot.settings import Settings
from bot.source.local import LocalOrigin
from bot.store import open_artifacts, open_records
from bot.values import EvaluationRequest, Plan, Requirements, Trigger
from sandbox import open_sandbox
from sandbox.base import SandboxError
from sandbox.errors import FilesMissing, HostTrouble
from sandbox.repository.names import TreeReader
from tests.e2e.project import FIX, PROJECT
from tests.sandbox.repositories import Repository

pytestmark = pytest.mark.real
INSTALLS = "setup:\n  install: echo built > /env/deps/mark\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "repository")
    repository.commit({**PROJECT, ".github/assay.yml": INSTALLS})
    repository.git("checkout", "--quiet", "-b", "fix")
    repository.commit(FIX)
    return repository


@contextmanager
def host(home: Path, repository: Repository) -> Iterator[Services]:
    settings = Settings(home=home)
    with closing(open_records(settings)) as store:
        origin = LocalOrigin(lambda _: None, repository.folder, home / "git")
        sandbox = open_sandbox("bubblewrap", home / "sandbox")
        yield Services(settings, sandbox, store, open_artifacts(settings), origin)


def request_about(repository: Repository) -> EvaluationRequest:
    return EvaluationRequest(
        "local-1", str(repository.folder), "", "", "main", Trigger.LOCAL, head_ref="fix"
    )


@pytest.mark.slow
async def test_another_host_makes_trees_and_environments_again(
    repository: Repository, tmp_path: Path
) -> None:
    request = request_about(repository)
    with host(tmp_path / "one", repository) as one, host(tmp_path / "other", repository) as other:
        checkout = await check_out(one, request)
        policy = await configure(one, request, checkout)
        built = await build_environments(one, request, checkout, policy)
        assert not Path(checkout.head_tree).is_absolute()

        there = await trees_here(other, request, checkout)
        assert Path(there.head_tree).is_relative_to(tmp_path / "other")
        assert (Path(there.head_tree) / "test_mean.py").read_text() == FIX["test_mean.py"]
        assert (Path(there.base_tree) / "calc.py").read_text() == PROJECT["calc.py"]

        planned = Planned(Requirements(()), Plan(()))
        case = EvaluationContext(request, there, built, planned, policy)
        moved = await built_here(other, case)
        assert len(moved.main.sides) == 2
        for side in moved.main.sides:
            layer = Path(side.dependencies_layer)
            assert layer.is_relative_to(tmp_path / "other")
            assert (layer / "mark").read_text() == "built\n"
        assert (await configure(other, request, checkout)) == policy


async def test_what_went_on_the_same_host_is_made_again(
    repository: Repository, tmp_path: Path
) -> None:
    request = request_about(repository)
    with host(tmp_path / "one", repository) as one:
        checkout = await check_out(one, request)
        here = await trees_here(one, request, checkout)
        shutil.rmtree(Path(here.head_tree).parent)
        with pytest.raises(FilesMissing):
            TreeReader(Path(here.head_tree))
        again = await trees_here(one, request, checkout)
        assert again == here
        assert (Path(again.head_tree) / "test_mean.py").exists()


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (OSError(errno.ENOSPC, "full"), Transient),
        (OSError(errno.EDQUOT, "quota"), Transient),
        (OSError(errno.EIO, "broken"), Transient),
        (shutil.Error([("a", "b", "[Errno 28] No space left on device: 'b'")]), Transient),
        (shutil.Error([("a", "b", "[Errno 13] Permission denied: 'b'")]), OSError),
        (FilesMissing("/gone"), Transient),
        (HostTrouble("A sandbox was killed.", 3), Transient),
        (SandboxError("no bubblewrap"), UserError),
        (OSError(errno.EACCES, "a bug"), OSError),
    ],
    ids=str,
)
def test_trouble_of_the_machine_is_tried_again(raised: Exception, told: type[Exception]) -> None:
    @on_this_host
    async def stage() -> None:
        raise raised

    with pytest.raises(told):
        asyncio.run(stage())
