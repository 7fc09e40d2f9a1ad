"""The settings: where they come from, what follows from them, and what is refused before anything starts."""

import os
from pathlib import Path

import pytest

from domain.errors import StartupFailure
from server.settings import Settings, load_settings

TOKEN = "0123456789abcdef"


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("PINSET_"):
            monkeypatch.delenv(name)


def test_without_any_setting_it_is_a_local_server_with_its_own_mongodb() -> None:
    settings = load_settings()

    assert settings.mongodb_url is None
    assert (settings.host, settings.port, settings.data_dir) == ("127.0.0.1", 8000, Path(".pinset"))
    assert settings.is_local
    assert settings.auth_mode == "open"


def test_every_setting_is_described() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_the_environment_is_read_and_what_is_given_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINSET_PORT", "9000")
    monkeypatch.setenv("PINSET_HOST", "0.0.0.0")
    monkeypatch.setenv("PINSET_MONGODB_URL", "mongodb://user:secret@host/")

    settings = load_settings(port=9001, host=None)

    assert (settings.host, settings.port) == ("0.0.0.0", 9001)
    assert settings.mongodb_url is not None
    assert settings.mongodb_url.get_secret_value() == "mongodb://user:secret@host/"
    assert "secret@" not in repr(settings)


def test_an_empty_variable_is_an_absent_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINSET_MONGODB_URL", "")
    monkeypatch.setenv("PINSET_AUTH", "")

    assert load_settings().mongodb_url is None
    assert load_settings().auth is None


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost", "LocalHost"])
def test_a_loopback_address_is_local_and_open(host: str) -> None:
    assert load_settings(host=host).is_local
    assert load_settings(host=host).auth_mode == "open"
    assert load_settings(host=host, auth="tokens").auth_mode == "tokens"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "pinset.example", "localhost.example"])
def test_any_other_address_demands_tokens_unless_open_is_written_out(host: str) -> None:
    assert not load_settings(host=host).is_local
    assert load_settings(host=host).auth_mode == "tokens"
    assert load_settings(host=host, auth="open").auth_mode == "open"


def test_lists_are_comma_separated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINSET_ALLOWED_HOSTS", "pinset.example, Other.example ,")
    monkeypatch.setenv("PINSET_ALLOWED_ORIGINS", "https://App.example,http://localhost:3000/")
    monkeypatch.setenv("PINSET_ALLOWED_TARGETS", "10.0.0.0/8")

    settings = load_settings(host="::1")

    assert settings.allowed_hosts == ("pinset.example", "Other.example")
    assert settings.hosts == ("localhost", "127.0.0.1", "[::1]", "pinset.example", "other.example")
    assert settings.allowed_origins == ("https://app.example", "http://localhost:3000")
    assert settings.allowed_targets == ("10.0.0.0/8",)
    assert load_settings(allowed_hosts=["one"]).allowed_hosts == ("one",)


def test_the_address_listened_on_is_an_allowed_host() -> None:
    assert load_settings(host="192.168.1.4").hosts == ("localhost", "127.0.0.1", "[::1]", "192.168.1.4")


def test_the_admin_token_comes_from_the_environment_or_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    from_file = load_settings(admin_token_file=tmp_path / "token").admin_token
    monkeypatch.setenv("PINSET_ADMIN_TOKEN", TOKEN)
    from_environment = load_settings().admin_token

    assert from_file is not None
    assert from_environment is not None
    assert from_file.get_secret_value() == from_environment.get_secret_value() == TOKEN
    assert TOKEN not in repr(load_settings())
    with pytest.raises(StartupFailure, match="exclude each other"):
        load_settings(admin_token_file=tmp_path / "token")


def test_an_admin_token_that_cannot_be_one_is_refused_without_showing_it(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("guess-me\n")
    for given in ({"admin_token": "guess-me"}, {"admin_token_file": tmp_path / "token"}):
        with pytest.raises(StartupFailure, match="at least 16 characters") as refusal:
            load_settings(**given)
        assert "guess-me" not in refusal.value.message
    with pytest.raises(StartupFailure, match=r"PINSET_ADMIN_TOKEN_FILE: .*absent cannot be read"):
        load_settings(admin_token_file=tmp_path / "absent")


def test_all_problems_are_named_in_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINSET_PORT", "eighty")
    monkeypatch.setenv("PINSET_AUTH", "closed")
    monkeypatch.setenv("PINSET_DATABASE", "a.b")

    with pytest.raises(StartupFailure) as refusal:
        load_settings()

    first, *problems = refusal.value.message.splitlines()
    assert first == "Pinset cannot start with these settings:"
    assert [problem.strip().partition(":")[0] for problem in problems] == [
        "PINSET_DATABASE",
        "PINSET_PORT",
        "PINSET_AUTH",
    ]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"database": ""}, "PINSET_DATABASE: must be 1 to 63 bytes"),
        ({"database": "ä" * 32}, "PINSET_DATABASE: must be 1 to 63 bytes"),
        ({"port": 65536}, "PINSET_PORT: "),
        ({"mongodb_timeout_seconds": 0}, "PINSET_MONGODB_TIMEOUT_SECONDS: "),
        ({"allowed_origins": "app.example"}, "PINSET_ALLOWED_ORIGINS: 'app.example' is not an origin"),
        ({"allowed_origins": "https://app.example/page"}, "is not an origin"),
        ({"only_trusted": True}, "PINSET_ONLY_TRUSTED needs PINSET_TRUSTED_DOCUMENTS"),
        ({"unknown": 1}, "PINSET_UNKNOWN: "),
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_name(given: dict[str, object], reason: str) -> None:
    with pytest.raises(StartupFailure) as refusal:
        load_settings(**given)

    assert reason in refusal.value.message
