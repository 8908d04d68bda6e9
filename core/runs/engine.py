"""DBOS behind a thin wall: the only module that knows it. It blocks; call it from threads.

Its own asynchronous calls are not used, because they replace the loop's default thread pool by one
that dies with the engine. Workflows run on the engine's loop and hop to ours.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import sqlalchemy as sa
from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, WorkflowStatus
from dbos import error as dbos_error
from sqlalchemy import event
from sqlalchemy.exc import SQLAlchemyError

from core.errors import StoreBusy, StoreError, StoreFull

Work = Callable[[str, str], Coroutine[Any, Any, str]]

QUEUE = "runs"
WORKFLOW = "threadmate.run"
APPLICATION = "threadmate"

VERSION = "1"
"""Ours, not the engine's hash of the code: a run of another version is never picked up, so a hash
would strand every open run at every deploy. Raised only when old payloads can no longer be read."""

POLL_S = 0.2
"""How often the queue is looked at: 0.2 s costs 3.5 % of a core idle, 0.1 s 5.5 %."""

BUSY_MS = 10_000
CHECKPOINT_TRIES = 20
CHECKPOINT_PAUSE_S = 0.05

ENDED = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]

SQL_WAITING = (
    "SELECT s.workflow_uuid FROM workflow_status s"
    " JOIN workflow_input i ON i.workflow_uuid = s.workflow_uuid"
    " WHERE s.queue_name = :queue"
    " AND s.queue_partition_key >= :first AND s.queue_partition_key < :last"
    " AND s.status IN ('ENQUEUED', 'PENDING') AND i.inputs LIKE :holding ESCAPE '!'"
    " ORDER BY s.status DESC, s.priority, s.created_at, s.workflow_uuid"
)
SQL_INPUT = (
    "SELECT s.status, i.inputs FROM workflow_status s"
    " JOIN workflow_input i ON i.workflow_uuid = s.workflow_uuid WHERE s.workflow_uuid = :key"
)
SQL_BLANK = "UPDATE workflow_input SET inputs = :inputs WHERE workflow_uuid = :key"
SQL_HOLDERS = (
    "SELECT DISTINCT executor_id FROM workflow_status"
    " WHERE queue_name = :queue AND status = 'PENDING'"
)
SQL_HELD = (
    "SELECT workflow_uuid FROM workflow_status"
    " WHERE queue_name = :queue AND status = 'PENDING' AND executor_id = :executor"
)


@dataclass(frozen=True)
class Row:
    key: str
    thread: str
    payload: str


class Engine:
    """One launched DBOS on one SQLite file. There is one per process: it is a global inside."""

    def __init__(
        self,
        path: Path,
        executor: str,
        work: Work | None,
        concurrency: int,
    ) -> None:
        """Launch. `work(key, payload)` is called on the engine's loop; None: only enqueue."""
        quiet()
        with engine_errors():
            self._database = database(path)
            DBOS(config=config(path, executor, self._database))
            DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)(workflow(work or refuse))
            if work is None:
                DBOS.listen_queues([])
            DBOS.launch()
            DBOS.register_queue(
                QUEUE,
                worker_concurrency=concurrency,
                partition_concurrency=1,
                polling_interval_sec=POLL_S,
            )

    def put(self, key: str, thread: str, payload: str, rank: int) -> bool:
        """Queue a run in one write; False if its key is known already, finished runs included.

        Within its thread, a lower `rank` (from 1) goes first, then what came first.
        """
        with engine_errors():
            try:
                DBOS.enqueue_workflow_with_options(
                    {
                        "workflow_name": WORKFLOW,
                        "queue_name": QUEUE,
                        "workflow_id": key,
                        "workflow_id_reuse_policy": "reject",
                        "queue_partition_key": thread,
                        "app_version": VERSION,
                        "priority": rank,
                    },
                    key,
                    payload,
                )
            except dbos_error.DBOSWorkflowIDInUseError:
                return False
        return True

    def waiting(self, first: str, last: str, holding: str = "") -> list[str]:
        """Keys of unfinished runs with `first` <= thread < `last`: at work, then in their order.

        With `holding`, only those whose payload may hold that text: reading all would cost a
        run in a busy channel more than its own start.
        """
        values = {"queue": QUEUE, "first": first, "last": last, "holding": like(holding)}
        return [str(row[0]) for row in self._rows(SQL_WAITING, values)]

    def rows(self, keys: list[str]) -> list[Row]:
        """Threads and payloads of runs, in the order of their keys."""
        if not keys:
            return []
        with engine_errors():
            found = DBOS.list_workflows(workflow_ids=keys, load_output=False)
        rows = {status.workflow_id: as_row(status) for status in found}
        # A run may have been forgotten between the two looks.
        return [rows[key] for key in keys if key in rows]

    def holders(self) -> list[str]:
        """Executors that have runs in work."""
        return [str(row[0]) for row in self._rows(SQL_HOLDERS, {"queue": QUEUE})]

    def release(self, executor: str) -> list[str]:
        """Queue the runs of a dead executor again; their keys.

        The caller holds the dead executor's lock, so only one process does this. The queue is
        named because without it a run would leave its thread's order.
        """
        rows = self._rows(SQL_HELD, {"queue": QUEUE, "executor": executor})
        keys = [str(row[0]) for row in rows]
        if keys:
            with engine_errors():
                DBOS.resume_workflows(keys, queue_name=QUEUE)
        return keys

    def forget(self, before: float, limit: int = 500) -> list[str]:
        """Delete runs that ended before the Unix time `before`; at most `limit` keys."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(before))
        with engine_errors():
            found = DBOS.list_workflows(
                status=ENDED,
                completed_before=stamp,
                limit=limit,
                load_input=False,
                load_output=False,
            )
            keys = [status.workflow_id for status in found]
            if keys:
                DBOS.delete_workflows(keys)
        return keys

    def erase(self, keys: list[str]) -> list[str]:
        """Blank the payloads of runs that have ended; the keys of those that hold nothing now.

        The rows stay: by them a platform's late repetition is known for what it is.
        """
        done: list[str] = []
        with engine_errors(), self._database.connect() as connection:
            for key in keys:
                row = connection.execute(sa.text(SQL_INPUT), {"key": key}).first()
                if row is not None and row[0] not in ENDED:
                    continue
                done.append(key)
                if row is not None:
                    values = {"key": key, "inputs": blank(str(row[1]))}
                    connection.execute(sa.text(SQL_BLANK), values)
            connection.commit()
            for _ in range(CHECKPOINT_TRIES):
                cut = connection.execute(sa.text("PRAGMA wal_checkpoint(TRUNCATE)")).first()
                connection.commit()
                if cut is None or not cut[0]:
                    break
                time.sleep(CHECKPOINT_PAUSE_S)
        return done

    def close(self, seconds: float) -> None:
        """Take no more runs, wait up to `seconds` for those at work, then stop."""
        DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=round(seconds))
        self._database.dispose()

    def _rows(self, sql: str, values: dict[str, Any]) -> list[sa.Row[Any]]:
        with engine_errors(), self._database.connect() as connection:
            return list(connection.execute(sa.text(sql), values))


def blank(inputs: str) -> str:
    """The stored arguments of a run with the key alone: its payload says nothing any more."""
    stored = json.loads(inputs)
    arguments = stored.get("positionalArgs") or stored.get("args") or []
    for at in range(1, len(arguments)):
        arguments[at] = ""
    return json.dumps(stored)


def like(text: str) -> str:
    """A pattern for what holds `text`, as it stands in a JSON string."""
    quoted = json.dumps(text, ensure_ascii=False)[1:-1]
    escaped = re.sub("([!%_])", r"!\1", quoted)
    return f"%{escaped}%"


def as_row(status: WorkflowStatus) -> Row:
    arguments = cast(dict[str, Any], status.input or {}).get("args", ())
    return Row(status.workflow_id, status.queue_partition_key or "", str(arguments[1]))


def workflow(work: Work) -> Work:
    """A plain function for the engine, which puts attributes on what it registers."""

    async def run(key: str, payload: str) -> str:
        return await work(key, payload)

    return run


async def refuse(key: str, payload: str) -> str:
    """Stands for the work in a process that only enqueues."""
    del payload
    raise RuntimeError(f"run {key} reached a process that does not work")


def config(path: Path, executor: str, engine: sa.Engine) -> DBOSConfig:
    return DBOSConfig(
        name=APPLICATION,
        system_database_url=f"sqlite:///{path}",
        system_database_engine=engine,
        application_version=VERSION,
        executor_id=executor,
        # The engine's default is pickle: whoever can write the database could run code.
        serializer=DBOSPortableJSONSerializer(),
        enable_otlp=False,
        log_level="ERROR",
        console_log_level="ERROR",
        # No schedules here. The notification listener is idle too, but its pause (1 s) is what
        # closing waits for, so it is left alone.
        scheduler_polling_interval_sec=3600.0,
    )


def database(path: Path) -> sa.Engine:
    """The engine never sets WAL by itself; with it a run costs a fifth."""
    engine = sa.create_engine(f"sqlite:///{path}")

    def settle(connection: Any, record: object) -> None:
        del record
        connection.isolation_level = "IMMEDIATE"
        for pragma in (
            f"busy_timeout={BUSY_MS}",
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "foreign_keys=ON",
            "secure_delete=ON",
        ):
            connection.execute(f"PRAGMA {pragma}")

    event.listen(engine, "connect", settle)
    return engine


def quiet() -> None:
    """Errors go to our log; without a handler the engine would print to the console itself."""
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


@contextmanager
def engine_errors() -> Generator[None]:
    """Turn what the engine or its database refuses into our errors."""
    try:
        yield
    except dbos_error.DBOSWorkflowIDInUseError:
        raise
    except (SQLAlchemyError, dbos_error.DBOSException) as error:
        text = str(error)
        if "database is locked" in text:
            raise StoreBusy(text) from error
        if "disk is full" in text:
            raise StoreFull(text) from error
        # The first line tells; SQLAlchemy adds an address of its own manual.
        raise StoreError(f"runs.db: {text.splitlines()[0]}") from error
