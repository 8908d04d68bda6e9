"""What must hold of any plan, whatever fails, races, waits for people, is stopped or killed."""

from collections import Counter
from dataclasses import replace

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from core.context import DEPTHS, Depth
from core.plan.schema import Plan, races
from tests.core.plan.lives import ONCE, Life, Lives, Story, stories
from tests.core.plan.world import ENDS

PHASES = [phase for phase in settings.default.phases if phase is not Phase.explain]
"""All but the one that explains: it traces every line of the loop."""
SEEDS = settings(max_examples=60, deadline=None, phases=PHASES)
EVENT = st.integers(1, 40)


def assert_sound(life: Life) -> None:
    """Numbers without gaps; one terminal event, and it is the last, unless the life was cut."""
    assert [event.number for event in life.events] == list(range(1, len(life.events) + 1))
    terminal = [event.terminal for event in life.events]
    whole = life.end != "killed"
    assert terminal == [False] * (len(terminal) - whole) + [True] * whole
    ended = [event.body.id for event in life.events if event.kind in ENDS]  # type: ignore[union-attr]
    assert len(ended) == len(set(ended)), ended


def assert_told(life: Life) -> None:
    """Every node has an end that people saw, unless the run waits for a person."""
    planned = {node for nodes in life.planned for node in nodes}
    missing = planned - set(life.ends)
    assert set(life.ends) <= planned
    assert bool(missing) == (life.end == "suspended"), missing


def assert_in_order(lives: Lives, plans: list[Plan]) -> None:
    """Nothing began before something that stands for each node that it depends on had ended."""
    began = {node: at for node, at in reversed(lives.world.began)}
    over = {node: at for node, at in reversed(lives.world.ended)}
    (plan,) = plans
    groups = {member: ids for ids in races(plan).values() for member in ids}
    for node in plan.nodes:
        for needed in node.depends_on if node.id in began else ():
            ends = [over[one] for one in groups.get(needed, (needed,)) if one in over]
            assert ends and min(ends) <= began[node.id], (node.id, needed)


def assert_no_effect_twice(lives: Lives) -> None:
    """Also over several lives; and none that a person did not allow."""
    plans = (lives.story.plan, lives.story.second)
    tools = {(node.id, node.tool) for plan in plans for node in plan.nodes}
    done = Counter(lives.world.effects)
    for node, count in done.items():
        could = [tool for one, tool in tools if one == node and tool in ONCE]
        if any(tool == "note" for one, tool in tools if one == node):
            continue
        assert count <= len(could), (node, could)
        if could == ["pay"]:
            assert lives.story.yes[node]


@SEEDS
@given(stories())
def test_any_plan_ends_once_in_order_and_without_a_second_effect(story: Story) -> None:
    lives = Lives(story)
    for life in lives.to_the_end():
        assert_sound(life)
        assert_told(life)
        assert life.end in ("done", "suspended")
    assert_no_effect_twice(lives)


@SEEDS
@given(stories())
def test_dependencies_are_respected(story: Story) -> None:
    lives = Lives(replace(story, second=Plan()))
    lives.live()
    assert_in_order(lives, [story.plan])
    assert lives.world.most_at_work <= story.knobs.parallel


@SEEDS
@given(stories(), EVENT, st.sampled_from(DEPTHS))
def test_a_stop_at_any_event_ends_the_run_and_nothing_begins_any_more(
    story: Story, at: int, depth: Depth
) -> None:
    lives = Lives(story)
    life = lives.live(stop_at=at, depth=depth)
    assert_sound(life)
    assert_no_effect_twice(lives)
    assert life.begun_after_stop == []
    if not story.slow and (depth == "now" or life.end not in ("stopped", "killed")):
        # All ended in the moment when the stop came.
        assert depth.startswith("after") or life.stopped_at >= life.times[-1]


@SEEDS
@given(stories(), EVENT)
def test_a_run_killed_at_any_event_goes_on_and_repeats_nothing_that_had_ended(
    story: Story, at: int
) -> None:
    lives = Lives(story)
    first, *others = lives.to_the_end(kill_at=at)
    assert_sound(first)
    for life in others:
        assert_sound(life)
        for step, how in first.ends.items():
            node, _, attempt = step.removeprefix("node:").partition("@")
            if (
                how != "step_dropped"
                and not attempt
                and node not in {one.id for one in story.second.nodes}
            ):
                assert life.calls[node] == 0, (step, life.calls)
    assert_no_effect_twice(lives)
    assert others[-1].end == "done" if others else first.end == "done"


@SEEDS
@given(stories(), st.lists(EVENT, min_size=2, max_size=5))
def test_a_run_killed_again_and_again_comes_to_its_end(story: Story, kills: list[int]) -> None:
    lives = Lives(story)
    for at in kills:
        life = lives.live(kill_at=at)
        if life.end == "suspended":
            lives.decide(life)
    assert lives.to_the_end()[-1].end in ("done", "suspended")
    assert_no_effect_twice(lives)


READS = st.sampled_from(["look", "look", "web", "agent"])


@SEEDS
@given(stories(tools=READS), EVENT)
def test_a_killed_run_without_races_comes_to_the_same_results(story: Story, at: int) -> None:
    plan = Plan(
        nodes=tuple(node.model_copy(update={"race_group": ""}) for node in story.plan.nodes)
    )
    does = {node: replace(one, fails_first=0) for node, one in story.does.items()}
    story = replace(story, plan=plan, second=Plan(), does=does)
    whole, lives = Lives(story).live(), Lives(story)
    last = lives.to_the_end(kill_at=at)[-1]
    assert (last.ends, last.answer) == (whole.ends, whole.answer)


def spans(life: Life) -> dict[str, tuple[float, float]]:
    """Node -> when it began and ended, of those that began."""
    found: dict[str, tuple[float, float]] = {}
    for event, at in zip(life.events, life.times, strict=True):
        if event.kind == "step_started" and event.body.id == event.path:  # type: ignore[union-attr]
            found[event.body.id] = (at, at)  # type: ignore[union-attr]
        elif event.kind in ENDS and event.body.id in found:  # type: ignore[union-attr]
            found[event.body.id] = (found[event.body.id][0], at)  # type: ignore[union-attr]
    return found


def levels(plan: Plan, racing: bool) -> dict[str, int]:
    """Node -> its level; the members of a race stand on one."""
    groups = {member: ids for ids in races(plan).values() for member in ids} if racing else {}
    level: dict[str, int] = {}
    for _ in plan.nodes:
        for node in plan.nodes:
            members = [one for one in plan.nodes if one.id in groups.get(node.id, (node.id,))]
            needs = [need for member in members for need in member.depends_on]
            level[node.id] = 1 + max((level.get(need, 0) for need in needs), default=0)
    return level


@SEEDS
@given(stories())
def test_no_plan_takes_longer_than_it_would_level_by_level(story: Story) -> None:
    """Where there is room for all nodes that could run: with less room no order that does not know
    what is to come is always the best one (Graham's anomalies), and the next test holds."""
    knobs = replace(story.knobs, parallel=20)
    story = replace(story, second=Plan(), slow=0.0)
    life = Lives(story).live(knobs=knobs)
    level = levels(story.plan, knobs.racing)
    longest: dict[int, float] = {}
    for step, (began, over) in spans(life).items():
        at = level[step.removeprefix("node:")]
        longest[at] = max(longest.get(at, 0.0), over - began)
    assert life.times[-1] <= sum(longest.values()) + 1e-6


@SEEDS
@given(stories())
def test_with_little_room_no_slot_stays_empty_while_a_node_could_run(story: Story) -> None:
    """Graham's bound: the longest way plus the share of all work, races aside."""
    nodes = tuple(node.model_copy(update={"race_group": ""}) for node in story.plan.nodes)
    plan = Plan(nodes=nodes)
    life = Lives(replace(story, plan=plan, second=Plan(), slow=0.0)).live()
    took = {step.removeprefix("node:"): over - began for step, (began, over) in spans(life).items()}
    way: dict[str, float] = {}
    for node in plan.nodes:
        before = max((way[need] for need in node.depends_on), default=0.0)
        way[node.id] = before + took.get(node.id, 0.0)
    longest = max(way.values())
    bound = longest + (sum(took.values()) - longest) / story.knobs.parallel
    assert life.times[-1] <= bound + 1e-6
