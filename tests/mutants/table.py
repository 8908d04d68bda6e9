"""The table. What a mutation changes is always a line whose loss a person would feel."""

from __future__ import annotations

from tests.mutants.mutation import Mutation

PLANS = "tests/core/plan/test_execute.py"
EVERY_EVENT = "tests/core/agent/test_every_event.py"
CALLS = "tests/core/tools/test_execute.py"
ROUNDS = "tests/core/tools/test_rounds.py"
LOOP = "tests/core/modes/test_loop.py"
JOURNAL = "tests/core/test_journal.py"
CONTEXT = "tests/core/test_context.py"
LIBRARY = "tests/core/knowledge/test_library.py"

SCOPES = (
    Mutation(
        "words of every channel",
        "core/index/fulltext.py",
        'WHERE passage_words MATCH :match AND rowid BETWEEN :first AND :last\n"""\nTHESE',
        'WHERE passage_words MATCH :match AND :first <= :last\n"""\nTHESE',
        "a search finds words only in the KBs of its run",
        (LIBRARY,),
    ),
    Mutation(
        "pages of any document",
        "core/knowledge/listing.py",
        "WHERE d.id = :document AND d.kb = :kb",
        "WHERE d.id = :document AND :kb = :kb",
        "a document is read only through a KB of the run",
        (LIBRARY,),
    ),
    Mutation(
        "turns of other channels",
        "core/memory/conversation.py",
        "WHERE thread = :thread AND scope = :scope ORDER",
        "WHERE thread = :thread AND :scope = :scope ORDER",
        "a turn is seen only where it was spoken",
        ("tests/core/memory/test_conversation.py",),
    ),
    Mutation(
        "memories of anyone",
        "core/memory/store.py",
        "AND (scope = :here OR scope = :workspace",
        "AND (:here = :here OR scope = :workspace",
        "what was said elsewhere is not recalled here",
        ("tests/core/memory/test_recall.py",),
    ),
    Mutation(
        "tools that nobody named",
        "core/tools/toolbox.py",
        "if (name in line and (reads(maker) or name in effects))",
        "if (name in line and (reads(maker) or name in line))",
        "a tool with effects must be allowed by the channel",
        ("tests/core/tools/test_toolbox.py",),
    ),
)

JOURNALS = (
    Mutation(
        "any owner writes",
        "core/journal.py",
        '    assert_owner(tx, claim)\n    tx.run(\n        "INSERT INTO journal',
        '    tx.run(\n        "INSERT INTO journal',
        "a run that another process took over is written by that one alone",
        (JOURNAL,),
    ),
    Mutation(
        "the epoch stands still",
        "core/journal.py",
        "epoch = run_claim.epoch + 1",
        "epoch = run_claim.epoch",
        "every claim of a run makes older ones worthless",
        (JOURNAL,),
    ),
    Mutation(
        "kept and done again",
        "core/journal.py",
        "        row = await self._read(key)\n        if row is not None:\n"
        "            return adapter.validate_json(row)",
        "        row = await self._read(key)\n        if row is not None and not key:\n"
        "            return adapter.validate_json(row)",
        "a finished step is not done again",
        (JOURNAL,),
    ),
    Mutation(
        "an effect without its intent",
        "core/tools/execute.py",
        '    await ctx.journal.step(key, bool, intend)\n    return ""',
        '    return ""',
        "a call whose process died in the middle is not repeated",
        (EVERY_EVENT, CALLS),
    ),
    Mutation(
        "an intent that nobody reads",
        "core/tools/execute.py",
        "    if await ctx.journal.kept(key, bool):",
        '    if await ctx.journal.kept(f"{key}:", bool):',
        "what may have happened already is said, not done",
        (CALLS, EVERY_EVENT),
    ),
)

CLICKS = (
    Mutation(
        "no click needed",
        "core/tools/execute.py",
        "    if not must_be_allowed(call.tool, call.arguments, ctx.heard.all):",
        "    if must_be_allowed(call.tool, call.arguments, ctx.heard.all):",
        "a call that must be allowed waits for a person",
        (ROUNDS, PLANS),
    ),
    Mutation(
        "a no is a yes",
        "core/tools/execute.py",
        "    if decision is not None and not decision.yes:",
        "    if decision is not None and not decision.at:",
        "what a person refused is not done",
        (ROUNDS, PLANS),
    ),
    Mutation(
        "a click for anything",
        "core/tools/decide.py",
        "        if decision.digest == wanted.digest:",
        "        if decision.digest:",
        "an approval is good for exactly the arguments that were shown",
        ("tests/core/tools/test_decide.py", ROUNDS),
    ),
    Mutation(
        "guessed arguments of an effect",
        "core/tools/arguments.py",
        'if broken or (tool.effect != "read" and (read.repaired or read.cut)):',
        'if broken or (tool.effect == "read" and read.cut and broken):',
        "a call with effects takes nothing that was guessed",
        (CALLS,),
    ),
    Mutation(
        "a doubtful plan acts",
        "core/plan/node.py",
        '        if self.needs_click and tool.effect != "read":',
        '        if self.needs_click and tool.effect == "read":',
        "with a plan that had to be guessed every effect waits for a click",
        (PLANS,),
    ),
    Mutation(
        "effects side by side",
        "core/tools/execute.py",
        "        if groups and call.reads and groups[-1][-1].reads:",
        "        if groups and groups[-1][-1].reads:",
        "calls with effects run alone and in their order",
        (CALLS, ROUNDS),
    ),
)

NEEDS = (
    Mutation(
        "decided twice",
        "core/needs/needs.py",
        "\" WHERE id = :id AND state = 'open'\"\n)\nGIVE_UP",
        '" WHERE id = :id"\n)\nGIVE_UP',
        "a click is good once",
        ("tests/core/needs/test_needs.py",),
    ),
    Mutation(
        "an answer of anyone",
        "core/needs/needs.py",
        "WHERE channel = :channel AND person = :person AND state = 'open' AND what = 'answer'",
        "WHERE channel = :channel AND :person <> '' AND state = 'open' AND what = 'answer'",
        "only the asker's words answer a question of their run",
        ("tests/core/needs/test_needs.py",),
    ),
    Mutation(
        "awake after its end",
        "core/needs/needs.py",
        "    if row is None or row[0] in ENDED:",
        "    if row is None:",
        "nothing wakes a run that has ended",
        ("tests/core/needs/test_needs.py",),
    ),
)

RACES = (
    Mutation(
        "losers run on",
        "core/plan/race.py",
        "        return held, over\n    finally:\n        await ended(*tasks)",
        "        return held, over\n    finally:\n        del tasks",
        "when a race is over, everyone in it is",
        ("tests/core/plan/test_race.py",),
    ),
    Mutation(
        "nothing found wins",
        "core/plan/execute.py",
        '        if result.state != "done" or result.found:',
        '        if result.state != "done" or not result.kind:',
        "in a race, to find nothing is to lose",
        (PLANS,),
    ),
    Mutation(
        "the web does not give way",
        "core/plan/execute.py",
        '        return tool is not None and tool.origin == "web"',
        '        return tool is not None and tool.origin == "world"',
        "documents are preferred to the web when they are hardly slower",
        (PLANS,),
    ),
    Mutation(
        "teammates and effects race",
        "core/plan/schema.py",
        'if node.teammate or (tool and (tool.effect != "read" or tool.needs_approval)):',
        'if node.teammate and (tool and (tool.effect != "read" or tool.needs_approval)):',
        "only tools that read may race, for what a loser did cannot be undone",
        ("tests/core/plan/test_schema.py",),
    ),
    Mutation(
        "a race run twice",
        "core/plan/execute.py",
        "        running = [node for node in nodes if node.id == chosen] or nodes",
        "        running = list(nodes)",
        "a race that was decided is not run again after a restart",
        (PLANS,),
    ),
)

PLAN_ORDER = (
    Mutation(
        "level by level",
        "core/plan/execute.py",
        "await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)",
        "await asyncio.wait(running, return_when=asyncio.ALL_COMPLETED)",
        "a node begins as soon as what it needs is there",
        (PLANS,),
    ),
    Mutation(
        "on a failed ground",
        "core/plan/execute.py",
        "        missing = [other for other in node.depends_on if not self._usable(other)]",
        "        missing = [other for other in node.depends_on if other not in self.results]",
        "what builds on a failure is not run",
        (PLANS,),
    ),
    Mutation(
        "all at once",
        "core/plan/execute.py",
        "        self.slots = asyncio.Semaphore(self.ctx.knobs.parallel)",
        "        self.slots = asyncio.Semaphore(self.ctx.knobs.nodes)",
        "no more nodes are at work than the knob says",
        (PLANS,),
    ),
    Mutation(
        "everything is tried again",
        "core/plan/node.py",
        "retries = self.ctx.knobs.retries if self._repeatable else 0",
        "retries = self.ctx.knobs.retries",
        "only what reads or may be done twice is tried again",
        (PLANS,),
    ),
    Mutation(
        "a failure forgotten",
        "core/plan/node.py",
        '        if result.state != "failed":\n            return result\n',
        '        if result.state != "failed" or not result.kind.startswith("tool"):\n'
        "            return result\n",
        "a node that failed fails after a restart as well",
        (PLANS,),
    ),
    Mutation(
        "done before, done again",
        "core/plan/node.py",
        '        before = self.earlier.get(self.result("done").digest)',
        "        before = self.earlier.get(self.step)",
        "a second plan repeats no finished work",
        (PLANS,),
    ),
    Mutation(
        "one name for two plans",
        "core/plan/execute.py",
        'return f"node:{node}" if attempt == 1 else f"node:{node}@{attempt}"',
        'return f"node:{node}" if attempt else f"node:{node}@{attempt}"',
        "a second plan's nodes do not take the first one's results for theirs",
        (PLANS,),
    ),
    Mutation(
        "a reference pasted as text",
        "core/plan/references.py",
        "whole = REFERENCE.fullmatch(value.strip())\n            if whole:",
        "whole = REFERENCE.fullmatch(value.strip())\n            if whole and not self.results:",
        "a value keeps its type",
        ("tests/core/plan/test_references.py",),
    ),
)

STOPS = (
    Mutation(
        "cancelled and left alone",
        "core/context.py",
        "    while pending := [task for task in tasks if not task.done()]:",
        "    while pending := [task for task in tasks[:0] if not task.done()]:",
        "after a stop nothing is alive",
        (CONTEXT, EVERY_EVENT),
    ),
    Mutation(
        "a number used up",
        "core/agent/channel.py",
        "            await self._queue.put(made)\n"
        "            # Counted after it is in: a sender cancelled while it waits uses no number.\n"
        "            self.number += 1\n",
        "            self.number += 1\n            await self._queue.put(made)\n",
        "event numbers have no gaps",
        ("tests/core/agent/test_channel.py",),
    ),
    Mutation(
        "a stop lets the payment break",
        "core/context.py",
        '    "soon": frozenset({"effect"}),',
        '    "soon": frozenset(),',
        "a stop lets a call with effects come to its end",
        (CONTEXT, EVERY_EVENT),
    ),
    Mutation(
        "no end for a run that waits",
        "core/agent/__init__.py",
        "isinstance(error, NeedsPerson):\n        last = Suspended(needs=error.needs[:MOST_NEEDS])",
        "isinstance(error, LostRun):\n        last = Suspended(needs=())",
        "a run that needs a person ends as suspended, not as failed",
        (EVERY_EVENT,),
    ),
    Mutation(
        "sub-agents speak to people",
        "core/agent/spawn.py",
        "        if not isinstance(body, TextDelta | TextTakenBack):",
        "        if not isinstance(body, TextTakenBack):",
        "what a sub-agent writes is a result, not the answer",
        ("tests/core/agent/test_plans.py",),
    ),
)

LOOPS = (
    Mutation(
        "tools in the last round",
        "core/modes/loop.py",
        "        calls = () if self.limit else self._distinct(said.reply.calls, number)",
        "        calls = self._distinct(said.reply.calls, number)",
        "a call in the last round is not run",
        (LOOP,),
    ),
    Mutation(
        "calls for nothing",
        "core/context.py",
        "        if used.tool_calls + tool_calls > limits.tool_calls:",
        "        if used.tool_calls > limits.tool_calls:",
        "limits are looked at before they are spent",
        (PLANS, LOOP),
    ),
    Mutation(
        "a dangling call",
        "core/model/history.py",
        "    out.extend(_results(open_calls))\n    return tuple(out)",
        "    return tuple(out)",
        "every call in a history has one result",
        ("tests/core/model/test_history.py",),
    ),
    Mutation(
        "marks for nothing",
        "core/tools/sources.py",
        "[mark for mark in group if mark in by_mark]",
        "[mark for mark in group if mark]",
        "marks that stand for nothing are removed",
        ("tests/core/tools/test_sources.py",),
    ),
)

MUTATIONS: tuple[Mutation, ...] = (
    *SCOPES,
    *JOURNALS,
    *CLICKS,
    *NEEDS,
    *RACES,
    *PLAN_ORDER,
    *STOPS,
    *LOOPS,
)
