"""Every setting of a server, a worker and their commands: `PINSET_<NAME>` in the environment.

Fixed at start, nothing changes one at run time. Each carries the description that README's table shows.
"""

import ipaddress
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from domain.errors import StartupFailure
from domain.quotas import Quotas

PREFIX = "PINSET_"
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
SHORTEST_ADMIN_TOKEN = 16
_LONGEST_DATABASE_NAME = 63


def _split(value: object) -> object:
    """`a, b` from the environment as a list; what is a list already passes."""
    return [item.strip() for item in value.split(",") if item.strip()] if isinstance(value, str) else value


CommaSeparated = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]


class Settings(BaseSettings):
    """The settings; arguments of the constructor, as the command line gives them, win over the environment."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid")

    mongodb_url: SecretStr | None = Field(
        default=None,
        description="URL of a MongoDB 6 or later that runs as a replica set; without it a private MongoDB is "
        "started in the data directory",
    )
    database: str = Field(default="pinset", description="name of the MongoDB database")
    mongodb_timeout_seconds: float = Field(
        default=10.0, gt=0, le=300, description="seconds to wait for MongoDB before it counts as unreachable"
    )
    data_dir: Path = Field(
        default=Path(".pinset"), description="directory of the private MongoDB; unused with `PINSET_MONGODB_URL`"
    )
    mongod: Path | None = Field(
        default=None,
        description="the `mongod` to start; without it the one on `PATH`, then the one of the extra `local`",
    )
    host: str = Field(default="127.0.0.1", description="address or name to listen on")
    port: int = Field(default=8000, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    auth: Literal["tokens", "open"] | None = Field(
        default=None,
        description="`tokens` demands a token of every request, `open` demands none; without it `open` on a "
        "loopback address and `tokens` elsewhere",
    )
    admin_token: SecretStr | None = Field(
        default=None,
        description=f"a token with every right that is never stored; at least {SHORTEST_ADMIN_TOKEN} characters",
    )
    admin_token_file: Path | None = Field(
        default=None, description="file that holds the admin token, in place of `PINSET_ADMIN_TOKEN`"
    )
    allowed_hosts: CommaSeparated = Field(
        default=(),
        description="comma-separated names that a request's `Host` may carry, besides loopback names and the "
        "address listened on; `*` allows all",
    )
    allowed_origins: CommaSeparated = Field(
        default=(),
        description="comma-separated origins (`https://app.example`) whose pages may call, besides the server's own",
    )
    allowed_targets: CommaSeparated = Field(
        default=(),
        description="comma-separated host names, addresses and networks (`10.0.0.0/8`) on private, loopback or "
        "link-local addresses that targets and remote metrics may call",
    )
    trusted_proxies: CommaSeparated = Field(
        default=(),
        description="comma-separated addresses and networks of proxies whose `X-Forwarded-For` and "
        "`X-Forwarded-Proto` are believed; without it nobody's are",
    )
    rate_limit: float | None = Field(
        default=None,
        gt=0,
        description="operations a second that a token may ask of one process in the long run; without it no limit. "
        "In open mode it counts for each address",
    )
    rate_burst: int | None = Field(
        default=None, ge=1, description="operations that a token may ask at once; without it twice `PINSET_RATE_LIMIT`"
    )
    quota_records: int | None = Field(
        default=None, ge=0, description="tasks, tasksets, metrics and jobs that each workspace may hold together"
    )
    quota_bytes: int | None = Field(
        default=None, ge=0, description="bytes of content, revisions and blobs together, that each workspace may hold"
    )
    quota_running_trials: int | None = Field(
        default=None, ge=0, description="trials that each workspace may run at a time"
    )
    worker: bool = Field(default=True, description="whether `pinset serve` runs a worker beside itself")
    introspection: bool = Field(default=True, description="whether clients may read the schema by introspection")
    suggestions: bool = Field(default=True, description="whether errors name similar fields (`Did you mean ...?`)")
    trusted_documents: Path | None = Field(
        default=None, description="directory of GraphQL documents that clients name by `documentId`"
    )
    only_trusted: bool = Field(
        default=False, description="whether documents outside `PINSET_TRUSTED_DOCUMENTS` are refused"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="the least severe log lines to write"
    )
    log_format: Literal["auto", "console", "json"] = Field(
        default="auto", description="form of log lines; `auto` is `console` on a terminal and `json` elsewhere"
    )
    otel_endpoint: str | None = Field(
        default=None, description="URL of an OpenTelemetry collector (OTLP over HTTP); without it no traces"
    )

    @field_validator("database")
    @classmethod
    def _database_name(cls, name: str) -> str:
        if not name or len(name.encode()) > _LONGEST_DATABASE_NAME or set(name) & set('/\\. "$*<>:|?\0'):
            raise ValueError(f'must be 1 to {_LONGEST_DATABASE_NAME} bytes without spaces, dots or any of /\\"$*<>:|?')
        return name

    @field_validator("admin_token")
    @classmethod
    def _long_enough(cls, token: SecretStr | None) -> SecretStr | None:
        if token is not None and len(token.get_secret_value()) < SHORTEST_ADMIN_TOKEN:
            raise ValueError(f"must have at least {SHORTEST_ADMIN_TOKEN} characters")
        return token

    @field_validator("allowed_origins")
    @classmethod
    def _origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_origin(origin) for origin in origins)

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, proxies: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_network(proxy) for proxy in proxies)

    @model_validator(mode="after")
    def _belong_together(self) -> Self:
        if self.admin_token is not None and self.admin_token_file is not None:
            raise ValueError("PINSET_ADMIN_TOKEN and PINSET_ADMIN_TOKEN_FILE exclude each other; set one")
        if self.only_trusted and self.trusted_documents is None:
            raise ValueError("PINSET_ONLY_TRUSTED needs PINSET_TRUSTED_DOCUMENTS, the directory of the documents")
        return self

    @property
    def quotas(self) -> Quotas:
        """The quotas of every workspace."""
        return Quotas(self.quota_records, self.quota_bytes, self.quota_running_trials)

    @property
    def is_local(self) -> bool:
        """Whether the server listens on a loopback address, where only this machine reaches it."""
        if self.host.lower() == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def auth_mode(self) -> Literal["tokens", "open"]:
        """The mode in force: what is set, else open for a local server and tokens for any other."""
        return self.auth or ("open" if self.is_local else "tokens")

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every name that a `Host` header may carry (without its port), `*` standing for all."""
        bound = f"[{self.host}]" if ":" in self.host else self.host
        return tuple(dict.fromkeys(name.lower() for name in (*LOOPBACK_NAMES, bound, *self.allowed_hosts)))


def load_settings(**given: object) -> Settings:
    """The settings from `given` (None: not given), then the environment. Raises StartupFailure with all problems."""
    try:
        settings = Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        raise StartupFailure(_explained(error)) from None
    if settings.admin_token_file is None:
        return settings
    return settings.model_copy(update={"admin_token": _token_in(settings.admin_token_file)})


def _token_in(path: Path) -> SecretStr:
    try:
        token = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StartupFailure(f"PINSET_ADMIN_TOKEN_FILE: {path} cannot be read: {error}") from None
    if len(token) < SHORTEST_ADMIN_TOKEN:
        raise StartupFailure(
            f"PINSET_ADMIN_TOKEN_FILE: the token in {path} must have at least {SHORTEST_ADMIN_TOKEN} characters."
        )
    return SecretStr(token)


def _origin(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/") or parts.query:
        raise ValueError(f"{text!r} is not an origin; write it like https://app.example or http://localhost:3000")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text) if "/" in text else ipaddress.ip_address(text))
    except ValueError:
        raise ValueError(f"{text!r} is neither an address nor a network such as 10.0.0.0/8") from None


def _explained(error: ValidationError) -> str:
    """One message that names every wrong setting; never its value, which may be a secret."""
    lines = []
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        message = problem["msg"].removeprefix("Value error, ")
        name = problem["loc"][0] if problem["loc"] else None
        lines.append(f"{PREFIX}{str(name).upper()}: {message}" if name else message)
    return "Pinset cannot start with these settings:\n" + "\n".join(f"  {line}" for line in lines)
