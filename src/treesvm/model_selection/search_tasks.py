"""Which tasks of a search decide something, fewer rows of them, and how they nest."""

import numpy as np

from treesvm.model_selection.search_fold import LeafTask


def can_differ(task) -> bool:
    """Whether thetas can answer validation rows of a leaf differently."""
    return task.is_mixed and len(task.val_rows) > 0


def cut_task(task, n_rows, rng):
    """Return a task with at most `n_rows` of its training rows, drawn by `rng`."""
    if len(task.rows) <= n_rows:
        return task
    rows = np.sort(rng.choice(task.rows, n_rows, replace=False))
    return LeafTask(task.data, rows, task.val_rows, task.fold)


def finer_tasks(fine, coarse):
    """For each coarse task, the fine tasks whose validation rows it holds."""
    owner = {
        (task.fold, row): b
        for b, task in enumerate(coarse)
        for row in task.val_rows.tolist()
    }
    inside = [[] for _ in coarse]
    for k, task in enumerate(fine):
        if len(task.val_rows):
            inside[owner[task.fold, int(task.val_rows[0])]].append(k)
    return inside


def as_columns(names, lines):
    """Return lines of equal length as a dict of columns that pandas takes."""
    return {
        name: np.array(column)
        for name, column in zip(names, zip(*lines, strict=True), strict=True)
    }
