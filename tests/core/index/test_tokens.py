from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from core.index.stems import stem
from core.index.tokens import MAX_WORD, normal, query_tokens, script, tokens


def test_english_words_meet_in_one_stem() -> None:
    assert tokens("Connections connected") == tokens("connecting CONNECTION")


def test_stems_follow_the_published_examples() -> None:
    words = {
        "caresses": "caress",
        "ponies": "poni",
        "agreed": "agre",
        "hopping": "hop",
        "filing": "file",
        "relational": "relat",
        "electriciti": "electr",
        "adoption": "adopt",
        "controll": "control",
        "generalizations": "gener",
        "sky": "sky",
    }
    assert {word: stem(word) for word in words} == words


def test_chinese_is_found_by_one_character_two_and_a_phrase() -> None:
    assert tokens("请假政策") == ["请", "请假", "假", "假政", "政", "政策", "策"]


def test_names_with_underscores_are_kept_whole_and_split() -> None:
    found = tokens("feature_flag.new_checkout")
    assert {"feature_flag", "new_checkout", "checkout"} <= set(found)


def test_language_names_with_signs_are_words_of_their_own() -> None:
    assert "cplusplus" in tokens("We write C++ here")
    assert "csharp" in tokens("C# 和 F#")
    assert "cplusplus" in tokens("用C++写的服务")
    assert "cplusplus" not in tokens("C is not it")
    assert "dotenv" in tokens("put it in .env please")
    assert "dotenv" in tokens("写在.env里")
    assert "dotenv" not in tokens("os.env")


def test_wide_and_accented_forms_meet_the_plain_ones() -> None:
    assert tokens("ＡＰＩ Café") == tokens("api cafe")


def test_asking_words_are_dropped_from_questions_only() -> None:
    assert query_tokens("什么是年假？") == ["是", "是年", "年", "年假", "假"]
    assert query_tokens("what is the quota") == ["quota"]
    assert query_tokens("什么") == ["什", "什么", "么"]
    assert "what" in tokens("what is the quota")


def test_script_is_that_of_most_of_the_text() -> None:
    assert script("帮我 summarize 一下请假 policy") == "cjk"
    assert script("the 中 word in a long English line") == "latin"
    assert script("123 !?") == ""


@given(st.text(max_size=80))
@settings(max_examples=150, deadline=None)
def test_any_text_gives_tokens_of_word_characters_only(text: str) -> None:
    for token in tokens(text):
        assert token
        assert len(token) <= MAX_WORD + len("plusplus")
        assert not set(token) & set(" \t\n\"'*()-:^+\0")
    assert set(query_tokens(text)) <= set(tokens(text))


mixed = st.text(alphabet="年假政策abXY_9 .，", min_size=1, max_size=12)


@given(mixed, mixed, mixed)
@settings(max_examples=150, deadline=None)
def test_the_tokens_of_a_phrase_stand_in_a_row_in_a_text_that_holds_it(
    before: str, phrase: str, after: str
) -> None:
    inner, outer = tokens(phrase), tokens(f"{before}\n{phrase}\n{after}")
    size = len(inner)
    assert any(outer[at : at + size] == inner for at in range(len(outer) - size + 1))


@given(st.text(alphabet="aeiouybcdlst", max_size=14))
@settings(max_examples=200, deadline=None)
def test_a_stem_is_never_empty_nor_longer_by_more_than_the_e_it_mends(word: str) -> None:
    if word:
        assert 0 < len(stem(word)) <= len(word)


def test_comparing_form_folds_case_and_width() -> None:
    assert normal("ＥＣＯＮＮ") == "econn"
