"""A repository on disk with many branches, judged as `assay judge` does it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from bot.commands.services import judge_once
from bot.judges.model import OpenSession
from bot.report.machine import ReportDocument, read_machine
from bot.settings import Settings
from bot.source.local import LocalOrigin
from bot.store import open_artifacts
from bot.values import EvaluationRequest, Part, Trigger
from tests.layers import share_layers
from tests.sandbox.repositories import Repository

Files = Mapping[str, str | bytes | None]

NOTHING: Files = {}
SECRET = "plain words of the operator"
"""The webhook secret: it has no shape by which it could be known."""
PROJECT: Files = {
    "requirements.txt": "pytest\n",
    "shop.py": "def price(cents):\n    return cents\n\n\ndef name():\n    return 'shop'\n",
    "tests/test_shop.py": "import shop\n\n\ndef test_name():\n    assert shop.name() == 'shop'\n",
}
TASK = "The price is doubled\n\n- [ ] `price` returns twice the cents\n"
FIX: Files = {
    "shop.py": "def price(cents):\n    return 2 * cents\n\n\ndef name():\n    return 'shop'\n",
    "tests/test_price.py": (
        "import shop\n\n\ndef test_price_returns_twice_the_cents():\n"
        "    assert shop.price(4) == 8\n"
    ),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """A finished report: as the machine reads it, and as people do."""

    document: ReportDocument
    markdown: str
    key: str = ""  # of its artifacts

    @classmethod
    def read(cls, out: Path) -> Judged:
        """Read what `assay judge --out` wrote."""
        document = read_machine((out / "report.json").read_bytes())
        return cls(document, (out / "report.md").read_text())

    @property
    def conclusion(self) -> str:
        return self.document.conclusion

    def said(self) -> str:
        """What a maintainer reads first: title, problem, requirements, next steps."""
        document = self.document
        rows = [
            f"{row.id} {row.verdict}: {row.reason} {' '.join(row.tests)}"
            for row in document.requirements
        ]
        reasons = [reason.text for reason in document.reasons]
        parts = [document.title, document.problem, *reasons, *rows, *document.next_steps]
        return "\n".join(parts)


@dataclass(slots=True)
class Folder:
    """One repository for many cases: its environment is built once, its base's tests run once."""

    repository: Repository
    settings: Settings
    used: set[str] = field(default_factory=set)

    def branch(self, name: str, files: Files = NOTHING, start: str = "main") -> str:
        """Commit files on a new branch and return its name."""
        assert name not in self.used
        self.used.add(name)
        self.repository.git("checkout", "--quiet", "-b", name, start)
        self.repository.commit(files)
        return name

    def judge(
        self,
        head: str,
        base: str = "main",
        task: str = TASK,
        models: OpenSession | None = None,
        issue: int = 0,
        *,
        without: tuple[Part, ...] = (),
    ) -> Judged:
        """Judge as `assay judge` does, in this process; `issue` is what the task's text is of."""
        folder = self.repository.folder
        request = EvaluationRequest(
            id=f"local-{secrets.token_hex(8)}",
            repository=str(folder),
            head_sha="",
            base_sha="",
            base_ref=base,
            head_ref=head,
            trigger=Trigger.LOCAL,
            task_text=task,
            issue=issue,
            without=without,
        )
        origin = LocalOrigin(lambda _: None, folder, self.settings.home / "git")
        publication = asyncio.run(judge_once(self.settings, origin, request, models))
        artifacts = open_artifacts(self.settings)
        files = [artifacts.get(publication.report_key, f"report.{end}") for end in ("json", "md")]
        assert files[0] and files[1]
        document = read_machine(files[0])
        assert document.conclusion == publication.conclusion
        return Judged(document, files[1].decode(), publication.report_key)


def open_folder(folder: Path, project: Files = PROJECT, sandbox: str = "bubblewrap") -> Folder:
    """Make the repository with its working project on `main`; no PDF, which has its own tests."""
    folder.chmod(0o755)  # other users of the sandbox come through it
    repository = Repository(folder / "repository")
    repository.commit(project)
    settings = Settings(
        home=folder / "home",
        chromium=str(folder / "none"),
        pdf=False,
        webhook_secret=SecretStr(SECRET),
        sandbox=sandbox,
    )
    return Folder(repository, share_layers(settings, repository.folder))
