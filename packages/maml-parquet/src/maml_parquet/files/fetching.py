"""The rows that pass, read row group by row group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from maml_parquet.arrow.masks import mask
from maml_parquet.files.groups import kept
from maml_parquet.files.plans import Plan
from maml_parquet.files.sources import Group, Sources
from maml_parquet.rows.binding import leaves


@dataclass(frozen=True)
class Task:
    """Rows of a row group that are looked at: from `start` to `stop`, counted in the group."""

    group: Group
    start: int
    stop: int

    @property
    def rows(self) -> int:
        """How many rows."""
        return self.stop - self.start

    @property
    def is_whole(self) -> bool:
        """Whether it is the whole group."""
        return self.rows == self.group.rows


@dataclass(frozen=True)
class Piece:
    """Columns of the file, of the rows that pass of one row group."""

    group: Group
    table: pa.Table


class Fetching:
    """Reads columns of the rows that pass a plan's rules; names are those of the file.

    Which rows pass is found once for each row group, and kept in a bit for each row.

    Attributes
    ----------
    tasks
        The row groups in which a row may pass.
    """

    def __init__(self, sources: Sources, plan: Plan) -> None:
        self.sources = sources
        self.plan = plan
        self.tasks = _tasks(sources, plan)
        self._asked = tuple(dict.fromkeys(test.path[0] for rule in plan.rules for test in leaves(rule)))
        self._masks: dict[Task, pa.BooleanArray] = {}
        self._is_hit = False

    def num_rows(self) -> int:
        """Return how many rows pass; the columns that rules name are read where that is not known."""
        if not self.plan.rules:
            return sum(task.rows for task in self.tasks)
        return sum(self._chosen(task).true_count for task in self.tasks)

    def nothing(self, columns: Sequence[str]) -> pa.Table:
        """Return columns without rows."""
        return pa.schema([self.sources.schema.field(name) for name in columns]).empty_table()

    def pieces(self, columns: Sequence[str]) -> Iterator[Piece]:
        """Give the rows that pass, a row group at a time; groups without any are left out."""
        if not self.plan.rules:
            yield from self._all(columns)
            return
        for task in self.tasks:
            table = self._passing(task, columns)
            if table.num_rows:
                yield Piece(task.group, table)

    def batches(self, columns: Sequence[str], batch_size: int) -> Iterator[Piece]:
        """Give the rows that pass in pieces of at most so many rows, of which one after the other is in memory."""
        for task in self.tasks:
            chosen = self._chosen(task) if self.plan.rules else None
            if chosen is not None and not chosen.true_count:
                continue
            for first, table in self._looked_at(task, columns, batch_size):
                piece = table if chosen is None else table.filter(chosen.slice(first, table.num_rows))
                if piece.num_rows:
                    yield Piece(task.group, piece)

    def _looked_at(self, task: Task, columns: Sequence[str], batch_size: int) -> Iterator[tuple[int, pa.Table]]:
        """Give the rows of a task in pieces, each with its first row, counted in the task."""
        position = 0
        for table in self.sources.batches(task.group, columns, batch_size):
            start, stop = max(task.start - position, 0), min(task.stop - position, table.num_rows)
            if start < stop:
                yield position + start - task.start, table.slice(start, stop - start)
            position += table.num_rows
            if position >= task.stop:
                break

    def _all(self, columns: Sequence[str]) -> Iterator[Piece]:
        """Give all rows; the groups of a file that are wanted whole are read at once, which is faster."""
        for (_, whole), tasks in groupby(self.tasks, key=lambda task: (task.group.file, task.is_whole)):
            if not whole:
                for task in tasks:
                    yield Piece(task.group, self._read(task, columns))
                continue
            groups = [task.group for task in tasks]
            table = self.sources.read(groups, columns)
            for group in groups:
                yield Piece(group, table.slice(group.start - groups[0].start, group.rows))

    def _passing(self, task: Task, columns: Sequence[str]) -> pa.Table:
        """Return columns of the rows that pass.

        Columns that no rule names are only read where a row passes. Where rows of the group before passed, they do
        here as a rule, and all columns are read at once, which is faster.
        """
        held = {}
        if task not in self._masks:
            held = _columns(self._read(task, list(dict.fromkeys((*self._asked, *(columns if self._is_hit else ()))))))
            self._masks[task] = self._mask(held)
        chosen = self._masks[task]
        self._is_hit = bool(chosen.true_count)
        if not self._is_hit:
            return self.nothing(columns)
        rest = [name for name in columns if name not in held]
        if rest:
            held.update(_columns(self._read(task, rest)))
        fields = [self.sources.schema.field(name) for name in columns]
        table = pa.Table.from_arrays([held[name] for name in columns], schema=pa.schema(fields))
        return table if chosen.true_count == len(chosen) else table.filter(chosen)

    def _chosen(self, task: Task) -> pa.BooleanArray:
        """Return which rows of a task pass."""
        if task not in self._masks:
            self._masks[task] = self._mask(_columns(self._read(task, self._asked)))
        return self._masks[task]

    def _read(self, task: Task, columns: Sequence[str]) -> pa.Table:
        table = self.sources.read([task.group], columns)
        if task.is_whole:
            return table
        # A few rows of a group do not keep all of it in memory.
        if 2 * task.rows < task.group.rows:
            return table.take(pa.array(np.arange(task.start, task.stop)))
        return table.slice(task.start, task.rows)

    def _mask(self, columns: Mapping[str, pa.ChunkedArray]) -> pa.BooleanArray:
        found = [pc.fill_null(mask(rule, columns), False) for rule in self.plan.rules]
        chosen = found[0]
        for other in found[1:]:
            chosen = pc.and_(chosen, other)
        if isinstance(chosen, pa.ChunkedArray):
            chosen = chosen.combine_chunks()
        return chosen


def _columns(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    return dict(zip(table.column_names, table.columns, strict=True))


def _tasks(sources: Sources, plan: Plan) -> tuple[Task, ...]:
    """Return the row groups in which a row may pass."""
    tasks = []
    may: dict[int, set[int]] = {}
    for group in sources.groups:
        start, stop = max(plan.start - group.start, 0), min(plan.stop - group.start, group.rows)
        if start >= stop:
            continue
        if group.file not in may:
            may[group.file] = _kept(sources, plan, group.file)
        if group.index in may[group.file]:
            tasks.append(Task(group, start, stop))
    return tuple(tasks)


def _kept(sources: Sources, plan: Plan, file: int) -> set[int]:
    metadata = sources.footers[file].metadata
    found = set(range(metadata.num_row_groups))
    unsound = sources.unsound(file) if plan.rules else ()
    for rule in plan.rules:
        found &= set(kept(metadata, rule, unsound))
    return found
