"""Concludes a kept evaluation again with what people decided since, and answers questions about it.

Nothing is run or judged anew.

Every part may be repeated. Who records a decision concludes again afterwards, and whoever publishes looks
for decisions afterwards: so none is lost, however the two overlap.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import TypeAdapter

from bot.errors import UserError
from bot.evaluation.decisions import decided_here, kept_evaluation
from bot.evaluation.report import keep_report, print_report, publish
from bot.judges.agents import Agents
from bot.judges.model import BudgetSpent, ModelProblem, SessionLimits
from bot.judges.questions import EVIDENCE_CHARS, Known, answer_question
from bot.report.evidence_views import ObservationView
from bot.report.model import ReportView
from bot.report.view import view
from bot.services import Services, evaluation_key
from bot.text import delimiter_of, scrub_tree
from bot.text.clipping import clip_middle
from bot.values import Answered, Evaluation, EvaluationRequest, Publication, Question
from sandbox.values import Checkout

# What the questions about one evaluation cost is kept beside its report; with what the evaluation itself
# cost it may not pass `limits.usd`. Nothing is run.


QUESTIONS_NAME = "questions.json"
MOST_QUESTIONS = 20
_MINUTES = 3.0
_MOST_PIECES = 24
_SPENT = TypeAdapter(dict[int, float])


@dataclass(frozen=True, slots=True)
class KeptVerdicts:
    """The verdicts that were published, for people to decide about."""

    services: Services

    async def evaluation(self, request: EvaluationRequest) -> Evaluation:
        """What was judged, with the decisions until now. Raises UserError when it is gone."""
        kept = await asyncio.to_thread(kept_evaluation, self.services, request)
        if kept is None or kept.judgement is None:
            raise UserError(
                "This commit has no verdict to decide about.", "Comment `/judge` to judge it first."
            )
        return await asyncio.to_thread(decided_here, self.services, kept)

    async def shown(self, request: EvaluationRequest) -> ReportView:
        """The same as people read it: capped, and scrubbed of secrets. Raises UserError as well."""
        evaluation, services = await self.evaluation(request), self.services
        home = services.origin.home(request)
        return await asyncio.to_thread(view, evaluation, services.secrets, home)

    @property
    def has_model(self) -> bool:
        """Whether a model is set that can be asked."""
        return bool(self.services.settings.model)

    async def answer(self, request: EvaluationRequest, question: Question) -> Answered:
        """Ask the model about what was kept. Raises UserError where it is gone, or gives no answer."""
        return await answer(self.services, await self.evaluation(request), question)

    async def conclude_again(self, request: EvaluationRequest) -> Evaluation:
        """Write the report, the comment and the check run anew. Raises UserError when it is gone."""
        evaluation = await self.evaluation(request)
        key = await keep_report(self.services, evaluation)
        await publish(self.services, evaluation, None, key)
        await print_report(self.services, key)
        return evaluation


async def publish_decided(
    services: Services, evaluation: Evaluation, checkout: Checkout | None, report_key: str
) -> Publication:
    """Publish; and once more with what people decided in the meantime."""
    publication = await publish(services, evaluation, checkout, report_key)
    now = await asyncio.to_thread(decided_here, services, evaluation)
    if now == evaluation:
        return publication
    key = await keep_report(services, now)
    return await publish(services, now, None, key)


async def answer(services: Services, evaluation: Evaluation, question: Question) -> Answered:
    """Ask once. Raises UserError where no model is set, the budget is spent, or no answer came."""
    key = evaluation_key(evaluation.request.id)
    stored = await asyncio.to_thread(services.artifacts.get, key, QUESTIONS_NAME)
    spent = _SPENT.validate_json(stored) if stored else {}
    if len(spent.keys() | {question.comment}) > MOST_QUESTIONS:
        raise UserError(
            f"{MOST_QUESTIONS} questions about this evaluation were answered.",
            "`/judge explain R1` goes on answering; a new evaluation takes new questions.",
        )
    deliberation = evaluation.deliberation
    before = sum(one.usd or 0.0 for one in deliberation.usage) if deliberation else 0.0
    limits = SessionLimits(question.usd, _MINUTES, before + sum(spent.values()))
    async with services.open_session(limits) as session:
        if session is None:
            raise UserError("No model is set, so nobody can answer.")
        mark = delimiter_of(services.mark_key, f"{evaluation.base_sha} {evaluation.head_sha}")
        known = _known(await asyncio.to_thread(view, evaluation, services.secrets))
        try:
            reply = await answer_question(Agents(session, mark), question.text, known)
        except BudgetSpent as error:
            raise UserError(
                error.why,
                "`/judge explain R1` costs nothing; `limits.usd` on the base branch says how much there is.",
            ) from error
        except ModelProblem as error:
            raise UserError(f"The model gave no answer: {error.why}") from error
        finally:
            usd = sum(one.usd or 0.0 for one in session.usage)
            spent[question.comment] = spent.get(question.comment, 0.0) + usd
            await asyncio.to_thread(
                services.artifacts.put, key, QUESTIONS_NAME, _SPENT.dump_json(spent)
            )
        models = ", ".join(dict.fromkeys(one.model for one in session.usage))
    told = Answered(tuple(reply.paragraphs), tuple(reply.evidence), models, usd or None)
    return scrub_tree(told, services.secrets)


def _known(shown: ReportView) -> Known:
    """The report as the model reads it."""
    asked = "\n\n".join(f"{one.reference}\n{one.title}\n{one.text}" for one in shown.task_sources)
    verdicts = [f"Conclusion: {shown.conclusion.value}: {shown.title}"]
    for row in shown.requirements:
        verdict = row.verdict
        decided = f"{verdict.outcome.value}, decided by {verdict.decided_by.value}"
        cited = ", ".join(verdict.evidence_ids) or "nothing"
        verdicts.append(
            f"{row.requirement.id} ({row.requirement.shown}): {decided}, by {cited}. {verdict.reason}"
        )
    # The tests that can matter, the worst first.
    for group in shown.tests.shown if shown.tests else ():
        rows = [test.comparison for test in group.tests[:10]]
        verdicts += [f"test {row.id}: {row.change.value}. {row.assertion}" for row in rows]
    cited_ids = {id_ for row in shown.requirements for id_ in row.verdict.evidence_ids}
    pieces = sorted(shown.evidence, key=lambda one: one.id not in cited_ids)[:_MOST_PIECES]
    most = EVIDENCE_CHARS // max(1, len(pieces)) // 3
    evidence = []
    for one in pieces:
        sides = *_side("base", one.base, most), *_side("head", one.head, most)
        head = f"{one.goal} ({one.action.value}): {one.transition.value}"
        evidence.append((one.id, "\n".join((head, *sides))))
    return Known(asked, "\n".join(verdicts), tuple(evidence))


def _side(name: str, seen: ObservationView | None, most_chars: int) -> Iterator[str]:
    if seen is None:
        yield f"{name}: not run"
        return
    yield f"{name}: $ {clip_middle(seen.command, 400)}"
    yield " ".join(filter(None, (f"{name}: {seen.result}.", seen.tests, seen.problem)))
    if seen.output:
        yield clip_middle(seen.output, most_chars)
