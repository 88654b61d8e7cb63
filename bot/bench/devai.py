"""Reads DevAI's instances and judgments; every defect of the data is noted once, and none ends it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TypeGuard

from bot.errors import UserError
from bot.text import visible
from bot.text.clipping import clip_line

_MOST_BYTES = 5_000_000
_MOST_NAME = 300
CATEGORIES = frozenset(
    (
        "Dataset or Environment",
        "Data preprocessing and postprocessing",
        "Machine Learning Method",
        "Save Trained Model",
        "Visualization",
        "Human Computer Interaction",
        "Performance Metrics",
        "Other",
    )
)


class DefectKind(StrEnum):
    """What may be wrong with the data, in plain words, and what it means for the count."""

    NOT_READ = "the file is not JSON in UTF-8 of at most 5 MB; it is left out"
    OTHER_SCHEMA = "the file has no list of requirements; it is left out"
    KEY_TWICE = "a key stands twice in one object; the last one counts"
    STRAY = "the file is not in judgment/SYSTEM/JUDGE; it is left out"
    NO_INSTANCES = "there are no instances; the tasks are those of the judgments"
    UNKNOWN_TASK = "the judged task is not among the instances; it is left out"
    SECOND_FILE = "a second file for one task, by its `name`; it is left out"
    NO_JUDGMENT = "a task of the instances has no judgment"
    NO_REFERENCE = "the system was not judged by the reference; there is no agreement"
    OTHER_NAME = "`name` is not the name of the file; the file's counts"
    OTHER_COUNT = "the judgment has not as many requirements as the instance; the judgment's count"
    OTHER_CRITERIA = "the requirement is worded differently in the instance"
    OTHER_PREREQUISITES = "the prerequisites are others than in the instance; the judgment's count"
    NO_REQUIREMENT = "a requirement is no object with a whole number as its id; it is left out"
    ID_TWICE = "a requirement stands twice; the first counts"
    NOT_JUDGED = "`satisfied` is neither true nor false; the requirement counts as not judged"
    ODD_PREREQUISITES = "`prerequisites` is no list of whole numbers; the rest of it counts"
    OWN_PREREQUISITE = "a requirement is its own prerequisite; that is passed over"
    NO_SUCH_PREREQUISITE = "a prerequisite does not exist; it counts as not met"
    CYCLE = "requirements are prerequisites of each other"
    NO_CATEGORY = "a requirement has no category"
    OTHER_CATEGORY = "the category is none of DevAI's eight"
    NO_PREFERENCE = "a preference is not judged; preferences are not counted"
    OTHER_FLAG = "`satisfied_all_requirements` contradicts the requirements; these count"


@dataclass(frozen=True, slots=True)
class Defect:
    """One place with a defect: a file relative to the data, and a requirement where it is one's."""

    kind: DefectKind
    file: str
    requirement: int | None = None


@dataclass(frozen=True, slots=True)
class DevaiRequirement:
    """A requirement as one file has it; `satisfied` is None where nobody judged it."""

    id: int
    criteria: str
    prerequisites: tuple[int, ...]
    satisfied: bool | None


@dataclass(frozen=True, slots=True)
class TaskFile:
    """An instance, or what one judge says of what one system made of it."""

    task: str
    requirements: tuple[DevaiRequirement, ...]
    ended_itself: bool | None = None

    @property
    def verdicts(self) -> dict[int, bool]:
        """The requirements that were judged."""
        return {one.id: one.satisfied for one in self.requirements if one.satisfied is not None}

    @property
    def met_with_prerequisites(self) -> int:
        """How many are met, and their direct prerequisites all are, as the paper counts."""
        met = {number for number, satisfied in self.verdicts.items() if satisfied}
        return sum(one.id in met and met.issuperset(one.prerequisites) for one in self.requirements)

    @property
    def is_solved(self) -> bool:
        """Whether every requirement is met; one that is not judged is not."""
        return bool(self.requirements) and all(one.satisfied for one in self.requirements)


@dataclass(frozen=True, slots=True)
class JudgedSystem:
    """All that one judge says of one system, by task."""

    system: str
    judge: str
    tasks: Mapping[str, TaskFile]


@dataclass(frozen=True, slots=True)
class DevAI:
    """The whole of the data, as far as it can be read."""

    instances: Mapping[str, TaskFile]
    judged: tuple[JudgedSystem, ...]
    defects: tuple[Defect, ...]

    def of(self, system: str, judge: str) -> JudgedSystem | None:
        """Return what a judge says of a system."""
        return next((j for j in self.judged if (j.system, j.judge) == (system, judge)), None)


def read_devai(folder: Path, reference: str) -> DevAI:
    """Read `instances/*.json` and `judgment/SYSTEM/JUDGE…/*.json`.

    Raises UserError where the folder has no judgment at all.
    """
    reader = _Reader(folder)
    instances = {
        found.task: found
        for path in sorted((folder / "instances").glob("*.json"))
        if (found := reader.read(path, is_instance=True))
    }
    if not instances:
        reader.note(DefectKind.NO_INSTANCES, "instances")
    judged = _judged(reader, instances)
    if not judged:
        raise UserError(
            f"{folder} has no judgment that can be read.",
            "Name the folder with `instances` and `judgment` of DevAI.",
        )
    for system in sorted({one.system for one in judged}):
        if not any((one.system, one.judge) == (system, reference) for one in judged):
            reader.note(DefectKind.NO_REFERENCE, f"judgment/{system}/{reference}")
    return DevAI(instances, judged, tuple(reader.defects))


def _judged(reader: _Reader, instances: Mapping[str, TaskFile]) -> tuple[JudgedSystem, ...]:
    """Read every judgment, and note where it differs from the instances."""
    found: dict[tuple[str, str], dict[str, TaskFile]] = {}
    top = reader.folder / "judgment"
    for path in sorted(top.rglob("*.json")):
        system, *judge = map(_plain, path.relative_to(top).parts[:-1] or ("",))
        if not judge:
            reader.note(DefectKind.STRAY, reader.name(path))
            continue
        tasks = found.setdefault((system, "/".join(judge)), {})
        if (task := reader.read(path, is_instance=False, known=instances)) is not None:
            tasks[task.task] = task
            if task.task in instances:
                _compare(reader, path, task, instances[task.task])
    for (system, name), tasks in found.items():
        for missing in sorted(instances.keys() - tasks.keys()):
            reader.note(DefectKind.NO_JUDGMENT, f"judgment/{system}/{name}/{missing}.json")
    return tuple(JudgedSystem(*key, tasks) for key, tasks in found.items() if tasks)


def _compare(reader: _Reader, path: Path, task: TaskFile, instance: TaskFile) -> None:
    file = reader.name(path)
    if len(task.requirements) != len(instance.requirements):
        reader.note(DefectKind.OTHER_COUNT, file)
        return  # what has the same number is another requirement then
    wanted = {one.id: one for one in instance.requirements}
    for one in task.requirements:
        if (other := wanted.get(one.id)) is None:
            continue
        if one.criteria != other.criteria:
            reader.note(DefectKind.OTHER_CRITERIA, file, one.id)
        if one.prerequisites != other.prerequisites:
            reader.note(DefectKind.OTHER_PREREQUISITES, file, one.id)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads files below a folder and collects what is wrong with them."""

    folder: Path
    defects: list[Defect] = field(default_factory=list)

    def name(self, path: Path) -> str:
        return _plain(path.relative_to(self.folder).as_posix())

    def note(self, kind: DefectKind, file: str, requirement: int | None = None) -> None:
        self.defects.append(Defect(kind, file, requirement))

    def read(
        self, path: Path, *, is_instance: bool, known: Mapping[str, TaskFile] | None = None
    ) -> TaskFile | None:
        """Read an instance or a judgment; None where it is left out."""
        file = self.name(path)
        content = self._parse(path, file)
        if content is None:
            return None
        task, listed, name = _plain(path.stem), content.get("requirements"), content.get("name")
        if not isinstance(listed, list):
            self.note(DefectKind.OTHER_SCHEMA, file)
            return None
        if known and task not in known:
            is_second = isinstance(name, str) and name in known
            self.note(DefectKind.SECOND_FILE if is_second else DefectKind.UNKNOWN_TASK, file)
            return None
        if name != task:
            self.note(DefectKind.OTHER_NAME, file)
        requirements = self._requirements(listed, file, is_instance)
        if not is_instance:
            # What the judgment says, or does not say, of the task as a whole.
            preferences = content.get("preferences")
            for one in preferences if isinstance(preferences, list) else ():
                if not isinstance(one, dict) or not isinstance(one.get("satisfied"), bool):
                    self.note(DefectKind.NO_PREFERENCE, file)
            all_met = all(one.satisfied for one in requirements)
            if content.get("satisfied_all_requirements", all_met) is not all_met:
                self.note(DefectKind.OTHER_FLAG, file)
        ended = content.get("executed_successfully")
        return TaskFile(task, requirements, ended if isinstance(ended, bool) else None)

    def _parse(self, path: Path, file: str) -> dict[str, object] | None:
        """Read an object; None, and noted, where there is none."""
        twice: list[str] = []

        def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
            found = dict(pairs)
            if len(found) < len(pairs):
                twice.append(file)
            return found

        try:
            if not path.is_file() or path.stat().st_size > _MOST_BYTES:
                raise ValueError("no file, or too large")
            content = json.loads(path.read_bytes().decode("utf-8-sig"), object_pairs_hook=once)
        except (OSError, ValueError, RecursionError):
            self.note(DefectKind.NOT_READ, file)
            return None
        for name in twice:
            self.note(DefectKind.KEY_TWICE, name)
        if not isinstance(content, dict):
            self.note(DefectKind.OTHER_SCHEMA, file)
            return None
        return content

    def _requirements(
        self, listed: Iterable[object], file: str, is_instance: bool
    ) -> tuple[DevaiRequirement, ...]:
        found: dict[int, DevaiRequirement] = {}
        for one in listed:
            number = one.get("requirement_id") if isinstance(one, dict) else None
            if not isinstance(one, dict) or not _is_whole(number):
                self.note(DefectKind.NO_REQUIREMENT, file)
            elif number in found:
                self.note(DefectKind.ID_TWICE, file, number)
            else:
                found[number] = self._requirement(one, number, file, is_instance)
        for one in found.values():
            if set(one.prerequisites) - found.keys():
                self.note(DefectKind.NO_SUCH_PREREQUISITE, file, one.id)
        try:
            TopologicalSorter({one.id: one.prerequisites for one in found.values()}).prepare()
        except CycleError:
            self.note(DefectKind.CYCLE, file)
        return tuple(found.values())

    def _requirement(
        self, one: dict[str, object], number: int, file: str, is_instance: bool
    ) -> DevaiRequirement:
        def note(kind: DefectKind) -> None:
            self.note(kind, file, number)

        satisfied = one.get("satisfied")
        if not is_instance and not isinstance(satisfied, bool):
            note(DefectKind.NOT_JUDGED)
        category = one.get("category")
        if not category:
            note(DefectKind.NO_CATEGORY)
        elif not isinstance(category, str) or category not in CATEGORIES:
            note(DefectKind.OTHER_CATEGORY)
        criteria = one.get("criteria")
        # The ids that are required; a requirement never requires itself.
        listed = one.get("prerequisites")
        items = listed if isinstance(listed, list) else []
        whole = [item for item in items if _is_whole(item)]
        if not isinstance(listed, list) or len(whole) < len(items):
            note(DefectKind.ODD_PREREQUISITES)
        if number in whole:
            note(DefectKind.OWN_PREREQUISITE)
        return DevaiRequirement(
            id=number,
            criteria=criteria if isinstance(criteria, str) else "",
            prerequisites=tuple(item for item in whole if item != number),
            satisfied=satisfied if isinstance(satisfied, bool) else None,
        )


def _plain(name: str) -> str:
    """Return a file's name as it can be printed: names on disk may hold any byte."""
    return clip_line(visible(name), _MOST_NAME)


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
