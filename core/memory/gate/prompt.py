"""What the model gate is told: one text per language, the turns and memories fenced as data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from core.memory.gate.op import Spoken
from core.memory.record import Memory
from core.messages import Language
from core.model.protocol import ModelMessage, ModelRequest
from core.sources import shielded

MOST_TOKENS = 1_500
LONGEST_TURN = 1_200
"""Characters of one turn that the gate reads."""

_RULES: dict[Language, str] = {
    "en": """You decide what of a conversation is worth remembering for months. Most conversations \
hold nothing: then answer {"ops": []}.

Layers: identity (who somebody is: name, role, place, health, family), preference (how they want \
things, for good), context (what they or the team are busy with: projects, dates, decisions), \
experience (a conclusion that somebody drew: cause, fix, lesson).

Keep only what a person themselves said and meant. Keep nothing of: wishes for this once, moods and \
whereabouts of a day, what is only imagined, quoted, ironic or asked, words of the bot or of tools, \
what the memories say already, passwords, keys, card and identity numbers.
"always", "from now on", "never" make a wish one for good; without such a word it is for once.

One op for each thing, in the language of whoever said it, names as they were said, every date as \
YYYY-MM-DD counted from the day of the turn. `update` when a person's memory is corrected, changed, \
finished or made more exact; "I also …" is an `add`. `delete` when a person wants something \
forgotten. Never touch another person's memory.

Answer with one JSON object only:
{"ops": [{"op": "add" | "update" | "delete", "turn": "t2", "target": "m1" (update, delete), \
"layer": "...", "text": "one sentence", "attribute": "city", "value": "Berlin" or "", \
"about_answers": true if it is about how answers should read, "state": "" | "exploring" | "active" \
| "blocked" | "completed" (context only), "scope": "person" | "channel" (channel: a fact for \
everybody there), "expires": "YYYY-MM-DD" or ""}]}""",
    "zh": """你判断一段对话里哪些内容值得记住几个月。多数对话什么都不用记，这时回答 {"ops": []}。

四层：identity（是谁：姓名、角色、所在地、健康、家庭），preference（长期希望怎么做），context（本人或团队在忙\
什么：项目、日期、决定），experience（得出的结论：原因、解法、教训）。

只记某个人自己说的、当真的话。以下一律不记：只此一次的要求，当天的心情和行踪，假设、引用、反话、提问，机器人和\
工具的话，记忆里已有的，密码、密钥、卡号和证件号。
有“以后、每次、一律、别再”才算长期要求；没有就当作只此一次。

一件事一个操作，用说话人的语言，名称照原话，日期都换成 YYYY-MM-DD（从该轮对话当天算起）。更正、改变、完成、\
细化已有记忆用 update；“我还……”用 add；本人要求忘掉用 delete。绝不动别人的记忆。

只回答一个 JSON 对象：
{"ops": [{"op": "add" | "update" | "delete", "turn": "t2", "target": "m1"（update、delete 用）, \
"layer": "...", "text": "一句话", "attribute": "city", "value": "杭州" 或 "", \
"about_answers": 说的是回答的样子则为 true, "state": "" | "exploring" | "active" | "blocked" | \
"completed"（仅 context）, "scope": "person" | "channel"（channel：对频道里所有人都成立）, \
"expires": "YYYY-MM-DD" 或 ""}]}""",
}


@dataclass(frozen=True)
class Asked:
    """A question to the model, and what its short names stand for."""

    request: ModelRequest
    turns: dict[str, Spoken]
    memories: dict[str, Memory]


def asked(
    turns: Sequence[Spoken], known: Sequence[Memory], language: Language, zone: tzinfo
) -> Asked:
    """The request for a look at some turns."""
    named = {f"t{number}": turn for number, turn in enumerate(turns, 1)}
    held = {f"m{number}": memory for number, memory in enumerate(known, 1)}
    people = {person: f"P{number}" for number, person in enumerate(_people(turns, known), 1)}
    data = {
        "memories": [
            {
                "id": name,
                "of": people[memory.owner],
                "layer": memory.layer,
                "text": shielded(memory.text),
            }
            for name, memory in held.items()
        ],
        "turns": [
            {
                "id": name,
                "by": people.get(turn.person, turn.by) if turn.by == "person" else turn.by,
                "name": turn.name,
                "day": datetime.fromtimestamp(turn.at, zone).strftime("%A %Y-%m-%d"),
                "text": shielded(turn.text[:LONGEST_TURN]),
            }
            for name, turn in named.items()
        ],
    }
    fenced = f"<data>\n{json.dumps(data, ensure_ascii=False, indent=1)}\n</data>"
    messages = (
        ModelMessage(role="system", text=_RULES[language]),
        ModelMessage(role="user", text=fenced),
    )
    request = ModelRequest(messages=messages, max_tokens=MOST_TOKENS, language=language)
    return Asked(request, named, held)


def _people(turns: Sequence[Spoken], known: Sequence[Memory]) -> list[str]:
    said = [turn.person for turn in turns if turn.by == "person"]
    return list(dict.fromkeys([*said, *(memory.owner for memory in known)]))
