from pathlib import Path

from tests.lint.sql import refusal, refused, statements


def test_all_our_sql_is_read_by_the_grammar_of_postgresql() -> None:
    assert refused() == []


def test_sqlite_only_sql_is_refused() -> None:
    assert refusal("INSERT OR REPLACE INTO a (b) VALUES (:b)")
    assert refusal("SELECT a FROM b WHERE c = ?")
    assert not refusal("SELECT a FROM b WHERE c = :c AND d::text = :d")


def test_sql_in_an_f_string_is_refused(tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    module.write_text('def f(x):\n    return f"SELECT a FROM {x}"\n')
    assert [refusal(sql) != "" for _, sql in statements(module)] == [True]
