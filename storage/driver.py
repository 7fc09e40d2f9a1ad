"""The MongoDB driver, and the only door to it.

Motor is past its end of life and PyMongo's own `AsyncMongoClient` takes its place one day: the other modules
of this room name the driver's classes through this one, so that the change stays here. Kept small on purpose.
`motor-types` brings the types that Motor does not carry itself.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from bson import Binary, Int64, ObjectId, encode
from bson.errors import InvalidDocument, InvalidId
from motor.motor_asyncio import (
    AsyncIOMotorChangeStream,
    AsyncIOMotorClient,
    AsyncIOMotorClientSession,
    AsyncIOMotorCollection,
    AsyncIOMotorCursor,
    AsyncIOMotorDatabase,
    AsyncIOMotorGridFSBucket,
)
from pymongo import (
    ASCENDING,
    DESCENDING,
    DeleteMany,
    DeleteOne,
    IndexModel,
    InsertOne,
    ReadPreference,
    ReplaceOne,
    ReturnDocument,
    UpdateMany,
    UpdateOne,
    WriteConcern,
)
from pymongo.client_session import ClientSession
from pymongo.errors import (
    AutoReconnect,
    BulkWriteError,
    ConfigurationError,
    ConnectionFailure,
    DuplicateKeyError,
    InvalidURI,
    NetworkTimeout,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
)
from pymongo.server_type import SERVER_TYPE
from pymongo.synchronous.database import Database as PyMongoDatabase
from pymongo.uri_parser import parse_uri

from domain.errors import StartupFailure
from storage.commands import CommandObserver, CommandWatcher

__all__ = [
    "ASCENDING",
    "DESCENDING",
    "AutoReconnect",
    "Binary",
    "BlockingDatabase",
    "BlockingSession",
    "Bucket",
    "BulkWriteError",
    "ChangeStream",
    "Client",
    "Collection",
    "ConnectionFailure",
    "Cursor",
    "Database",
    "DeleteMany",
    "DeleteOne",
    "Document",
    "DuplicateKeyError",
    "IndexModel",
    "InsertOne",
    "Int64",
    "InvalidDocument",
    "InvalidId",
    "NetworkTimeout",
    "ObjectId",
    "OperationFailure",
    "PyMongoError",
    "ReadPreference",
    "ReplaceOne",
    "ReturnDocument",
    "ServerSelectionTimeoutError",
    "Session",
    "UpdateMany",
    "UpdateOne",
    "WriteConcern",
    "blocking",
    "check_server",
    "connect",
    "encode",
]

Client = AsyncIOMotorClient
Database = AsyncIOMotorDatabase
Collection = AsyncIOMotorCollection
Session = AsyncIOMotorClientSession
Cursor = AsyncIOMotorCursor
ChangeStream = AsyncIOMotorChangeStream
Bucket = AsyncIOMotorGridFSBucket
Document = Mapping[str, Any]
BlockingDatabase: TypeAlias = PyMongoDatabase[dict[str, Any]]
BlockingSession: TypeAlias = ClientSession

OLDEST_SERVER = 6
_AUTHENTICATION_CODES = (13, 18, 8000)
_HOW_TO_START_A_SET = (
    "Start mongod with `--replSet pinset` and run `rs.initiate()` once in mongosh (one node is enough), "
    "or unset PINSET_MONGODB_URL to use the MongoDB that Pinset starts by itself."
)


def blocking(database: Database) -> BlockingDatabase:
    """The same database, over the same connections, for a thread that may wait for each answer.

    It is what Motor itself works with; beside PyMongo's own async client it would be a second client.
    """
    found: Any = database
    beneath: BlockingDatabase = found.delegate
    return beneath


def connect(url: str, *, timeout_seconds: float = 10.0, observer: CommandObserver | None = None) -> Client:
    """A client that nothing has been sent through yet; it belongs to the event loop that first uses it.

    Writes are acknowledged by a majority and reads go to the primary. `timeout_seconds` bounds the search for
    a server and the making of a connection, not an operation; `observer` is told of every command. Raises
    StartupFailure for a malformed URL.
    """
    milliseconds = round(timeout_seconds * 1000)
    try:
        # The client alone would warn of a misspelt option and go on without it.
        parse_uri(url, warn=False)
        return AsyncIOMotorClient(
            url,
            appname="pinset",
            tz_aware=True,
            w="majority",
            readConcernLevel="majority",
            readPreference="primary",
            retryWrites=True,
            retryReads=True,
            serverSelectionTimeoutMS=milliseconds,
            connectTimeoutMS=milliseconds,
            event_listeners=[] if observer is None else [CommandWatcher(observer)],
        )
    except (InvalidURI, ConfigurationError, ValueError) as error:
        raise StartupFailure(f"PINSET_MONGODB_URL is not a usable MongoDB URL: {error}") from error


async def check_server(client: Client) -> None:
    """Make sure that `client` reaches a replica set of MongoDB 6 or later; else raise StartupFailure."""
    try:
        hello = await client.admin.command("hello")
        build = await client.admin.command("buildInfo")
    except ServerSelectionTimeoutError as error:
        raise StartupFailure(_unreachable(client)) from error
    except OperationFailure as error:
        raise StartupFailure(_refused(error)) from error
    except PyMongoError as error:
        raise StartupFailure(f"MongoDB at {_addresses(client)} does not answer: {error}") from error
    _check_topology(hello)
    if build["versionArray"][0] < OLDEST_SERVER:
        raise StartupFailure(
            f"MongoDB at {_addresses(client)} is version {build['version']}; Pinset needs {OLDEST_SERVER}.0 or later."
        )


def _check_topology(hello: Document) -> None:
    if hello.get("msg") == "isdbgrid":
        raise StartupFailure(
            "PINSET_MONGODB_URL leads to a sharded cluster (mongos); Pinset works with a replica set. "
            "Name the members of a replica set instead."
        )
    if hello.get("isreplicaset"):
        raise StartupFailure(f"MongoDB runs as an uninitiated replica set. {_HOW_TO_START_A_SET}")
    if "setName" not in hello:
        raise StartupFailure(
            "PINSET_MONGODB_URL leads to a standalone MongoDB, which has no transactions and no change "
            f"streams; Pinset needs a replica set. {_HOW_TO_START_A_SET}"
        )
    if not hello.get("isWritablePrimary"):
        raise StartupFailure(
            "PINSET_MONGODB_URL leads to a member that cannot be written to; name the set's members "
            "without directConnection=true, so that its primary is found."
        )


def _unreachable(client: Client) -> str:
    servers = client.topology_description.server_descriptions().values()
    timeout = client.options.server_selection_timeout
    if any(server.server_type == SERVER_TYPE.RSGhost for server in servers):
        return f"MongoDB at {_addresses(client)} runs as an uninitiated replica set. {_HOW_TO_START_A_SET}"
    if any(server.server_type != SERVER_TYPE.Unknown for server in servers):
        return f"The replica set at {_addresses(client)} had no primary for {timeout:g} seconds."
    reasons = sorted({str(server.error) for server in servers if server.error})
    return (
        f"MongoDB at {_addresses(client)} cannot be reached within {timeout:g} seconds"
        f"{': ' if reasons else ''}{'; '.join(reasons)}. "
        "Check that it runs and that PINSET_MONGODB_URL is right."
    )


def _refused(error: OperationFailure) -> str:
    if error.code in _AUTHENTICATION_CODES:
        return f"MongoDB refuses the credentials of PINSET_MONGODB_URL: {error}"
    return f"MongoDB refuses to answer: {error}"


def _addresses(client: Client) -> str:
    """The servers by host and port; never the URL, which may carry a password."""
    servers = client.topology_description.server_descriptions()
    return ", ".join(sorted(f"{host}:{port}" if port else host for host, port in servers))
