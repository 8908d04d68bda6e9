from pathlib import Path

import pytest

from bot.config import load
from core.errors import WrongConfig
from core.messages import Place

NAMES = ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "THREADMATE_MODEL", "THREADMATE_API_BASE")
NAMES += ("THREADMATE_SMTP_URL", "THREADMATE_WEB_KEY")


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (*NAMES, "THREADMATE_API_KEY", "OTHER_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_every_mistake_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xapp-swapped")
    monkeypatch.setenv("THREADMATE_API_BASE", "localhost:8000")
    Path("threadmate.toml").write_text('time_zone = "Mars/Base"\nlangauge = "zh"\n')
    with pytest.raises(WrongConfig) as caught:
        load()
    lines = caught.value.detail.splitlines()
    assert len(lines) == 4
    assert all(
        any(name in line for line in lines)
        for name in ("SLACK_BOT_TOKEN", "THREADMATE_API_BASE", "time_zone", "langauge")
    )
    assert "swapped" not in caught.value.detail


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[web]\nprovider = "searxng"', "needs a url"),
        ('[web]\nprovider = "api"\nurl = "https://x.example.com/"', "{query}"),
        ('[web]\nprovider = "altavista"', "web.provider"),
        ('[web]\nurl = "search.local"', "web.url"),
        ('[weather]\nforecast_url = "ftp://x"', "weather.forecast_url"),
        ("[mail]\nhost = 1", "mail.host"),
    ],
)
def test_services_that_cannot_work_are_named(text: str, named: str) -> None:
    Path("threadmate.toml").write_text(text)
    with pytest.raises(WrongConfig) as caught:
        load()
    assert named in caught.value.detail


def test_a_mail_server_needs_an_address_to_send_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THREADMATE_SMTP_URL", "smtp://mail.example.com")
    with pytest.raises(WrongConfig, match=r"mail\.sender"):
        load()
    Path("threadmate.toml").write_text('[mail]\nsender = "bot@example.com"\n')
    assert load().outside.sender == "bot@example.com"
    monkeypatch.setenv("THREADMATE_SMTP_URL", "mail.example.com:587")
    with pytest.raises(WrongConfig, match="THREADMATE_SMTP_URL"):
        load()


def test_the_password_of_the_mail_server_is_a_secret_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("THREADMATE_SMTP_URL", "smtps://bot%40example.com:p%40ss-w0rd@m.example.com")
    monkeypatch.setenv("THREADMATE_WEB_KEY", "key-1")
    assert {"p@ss-w0rd", "p%40ss-w0rd", "key-1"} <= set(load().secrets)


def test_only_origins_that_the_operator_named_are_trusted() -> None:
    Path("threadmate.toml").write_text(
        '[web]\nprovider = "searxng"\nurl = "http://10.0.0.5:8888/searx"\n'
        '[weather]\ngeocoding_url = ""\nforecast_url = ""\n'
    )
    assert load().outside.origins == ("http://10.0.0.5:8888",)


def test_one_slack_token_without_the_other_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-1")
    with pytest.raises(WrongConfig, match="SLACK_APP_TOKEN"):
        load()


def test_a_value_that_should_be_json_is_named_and_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("THREADMATE_LIMITS", "THREADMATE_CHANNELS"):
        with monkeypatch.context() as patch, pytest.raises(WrongConfig) as caught:
            patch.setenv(name, "{runs: hush-hush")
            load()
        assert name in caught.value.detail
        assert "hush" not in caught.value.detail


def test_an_env_file_that_is_no_text_is_named() -> None:
    Path(".env").write_bytes(b"THREADMATE_MODEL=\xff\xfe")
    with pytest.raises(WrongConfig, match=r"\.env"):
        load()


def test_a_secret_may_stand_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bot").write_text("xoxb-from-file\n")
    (tmp_path / "app").write_text("xapp-from-file\n")
    monkeypatch.setenv("SLACK_BOT_TOKEN_FILE", str(tmp_path / "bot"))
    monkeypatch.setenv("SLACK_APP_TOKEN_FILE", str(tmp_path / "app"))
    config = load()
    assert config.has_slack
    assert sorted(config.secrets) == ["xapp-from-file", "xoxb-from-file"]
    assert "from-file" not in repr(config)


def test_the_shells_own_language_variable_is_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "de_DE:de")
    assert load().language == "en"


def test_the_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("threadmate.toml").write_text('language = "zh"\nhosts = ["a.example"]\n')
    assert load().language == "zh"
    monkeypatch.setenv("THREADMATE_LANGUAGE", "en")
    monkeypatch.setenv("THREADMATE_HOSTS", "b.example, c.example")
    config = load()
    assert config.language == "en"
    assert config.hosts == ("b.example", "c.example")


def test_a_channel_can_change_its_settings() -> None:
    Path("threadmate.toml").write_text('[channels."slack:T1/C2"]\ningest = "off"\n')
    place = Place(platform="slack", workspace="slack:T1", channel="slack:T1/C2", thread="t")
    assert load().book.of(place).ingest == "off"
    other = place.model_copy(update={"channel": "slack:T1/C3"})
    assert load().book.of(other).ingest == "auto"


def test_a_wrong_channel_setting_is_named() -> None:
    Path("threadmate.toml").write_text('[channels."slack:T1/C2"]\ningets = "off"\n')
    with pytest.raises(WrongConfig, match=r"slack:T1/C2.*ingets"):
        load()


MODELS = """
[[models]]
name = "openai/main"
protocol = "tags"
[[models]]
name = "openai/other"
api_base = "http://127.0.0.1:8000/v1"
key = "OTHER_KEY"
stream = false
vision = true
"""


def test_models_come_in_order_each_as_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("threadmate.toml").write_text(MODELS)
    monkeypatch.setenv("OTHER_KEY", "sk-other")
    monkeypatch.setenv("THREADMATE_API_KEY", "sk-main")
    config = load()
    assert config.model == "openai/main"
    (main, main_key), (other, other_key) = config.asked_models
    assert (main.name, main.protocol, main.stream, main.api_base) == (
        *("openai/main", "tags", True),
        None,
    )
    assert main_key is not None and main_key.get_secret_value() == "sk-main"
    assert (other.stream, other.vision, other.api_base) == (False, True, "http://127.0.0.1:8000/v1")
    assert other_key is not None and other_key.get_secret_value() == "sk-other"
    assert "sk-other" in config.secrets


def test_the_variable_names_the_first_model(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("threadmate.toml").write_text(MODELS)
    Path(".env").write_text("OTHER_KEY=sk-other\n")
    monkeypatch.setenv("THREADMATE_MODEL", "openai/other")
    monkeypatch.setenv("THREADMATE_API_BASE", "http://127.0.0.1:9/v1")
    config = load()
    assert [spec.name for spec, _ in config.asked_models] == ["openai/other", "openai/main"]
    # An own address stays; who has neither address nor key shares those of the provider.
    assert [spec.api_base for spec, _ in config.asked_models] == [
        "http://127.0.0.1:8000/v1",
        "http://127.0.0.1:9/v1",
    ]
    assert config.asked("openai/of-a-teammate")[0].api_base == "http://127.0.0.1:9/v1"
    assert config.asked("anthropic/x")[0].api_base is None


def test_a_key_that_is_not_set_is_named() -> None:
    Path("threadmate.toml").write_text(MODELS)
    with pytest.raises(WrongConfig, match="OTHER_KEY: not set"):
        load()


def test_a_wrong_protocol_is_named() -> None:
    Path("threadmate.toml").write_text('[[models]]\nname = "x/y"\nprotocol = "xml"\n')
    with pytest.raises(WrongConfig, match="protocol"):
        load()
