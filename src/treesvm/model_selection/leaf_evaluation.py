"""Grid points judged leaf by leaf: in threads of this process, and never twice.

A search asks for jobs, pairs of a leaf and the candidates to judge there. Candidates of
one job share kernels and warm starts, so a job is kept in a checkpoint, and taken from
it, as a whole.
"""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from treesvm.decomposition.checkpointing import Item
from treesvm.decomposition.leaf_backend import sends_leaves_away
from treesvm.kernels.blas_threads import one_blas_thread
from treesvm.model_selection.search_fold import Answer, evaluate_leaf


class Job(NamedTuple):
    """Candidates to judge in one leaf."""

    leaf: int  # number of its task
    candidates: tuple  # numbers of the thetas


class ThreadedLeaves:
    """Judges candidates in threads; other ways to do it have the same signature.

    Parameters
    ----------
    machine : MachineOptions
    n_jobs : int or None
    deadline : Deadline
        After which jobs are left undone.
    """

    def __init__(self, machine, n_jobs, deadline):
        self._machine, self._n_jobs, self._deadline = machine, n_jobs, deadline

    def __call__(self, tasks, thetas, jobs, finished, *, cap, keep):
        """Judge jobs until the deadline; call ``finished(job, answers)`` after each.

        Parameters
        ----------
        tasks : list of LeafTask
        thetas : list of Theta
        jobs : list of Job
        finished : callable
            May be called from any thread, one call for each job.
        cap : int or None
            Cap on the steps of each machine, for each row of the leaf.
        keep : bool
            Whether answers carry the trained parts.
        """
        n_workers = min(effective_n_jobs(self._n_jobs), max(1, len(jobs)))
        inner_jobs = self._n_jobs if n_workers == 1 else 1

        def judge(job):
            if self._deadline.is_over():
                return
            chosen = [thetas[t] for t in job.candidates]
            answers = tasks[job.leaf].evaluate(
                chosen, self._machine, steps_per_row=cap, keep=keep, n_jobs=inner_jobs
            )
            finished(job, answers)

        if n_workers > 1 and sends_leaves_away():
            mixed = [job for job in jobs if tasks[job.leaf].is_mixed]
            found = Parallel(n_jobs=n_workers)(
                delayed(evaluate_leaf)(
                    tasks[job.leaf].loaded(),
                    [thetas[t] for t in job.candidates],
                    self._machine,
                    steps_per_row=cap,
                    keep=keep,
                )
                for job in mixed
            )
            for job, answers in zip(mixed, found, strict=True):
                finished(job, answers)
            jobs = [job for job in jobs if not tasks[job.leaf].is_mixed]
        with one_blas_thread(n_workers > 1):
            Parallel(n_jobs=n_workers, require="sharedmem")(
                delayed(judge)(job) for job in jobs
            )


def judge_all(evaluate, store, ceiling, tasks, thetas, jobs, *, cap, keep):
    """Return {job: answers} from the store or from `evaluate`, all unless time ends."""
    answers, missing = {}, []

    def key_of(job):
        chosen = [theta_text(thetas[t]) for t in job.candidates]
        return f"{ceiling}/{job.leaf}/{','.join(chosen)}/{cap}/{int(keep)}"

    for job in jobs:
        n_rows = len(tasks[job.leaf].val_rows)
        known = _restored(store.get(key_of(job)), job, n_rows, keep)
        if known is None:
            missing.append(job)
        else:
            answers[job] = known
            store.count_restored(tasks[job.leaf].is_mixed * len(job.candidates))

    def finished(job, found):
        answers[job] = found
        store.put(key_of(job), _as_item(found))

    evaluate(tasks, thetas, missing, finished, cap=cap, keep=keep)
    return {job: answers[job] for job in jobs if job in answers}


def theta_text(theta):
    """What tells thetas apart, whatever list they stand in."""
    kernel, gamma = theta.kernel, theta.gamma
    return ":".join(map(str, (theta.C, gamma, theta.gamma_scale, kernel, *theta[4:])))


def _as_item(answers):
    arrays = {
        "predicted": np.stack([answer.predicted for answer in answers]),
        "converged": np.array([answer.converged for answer in answers]),
    }
    parts = tuple(answer.part for answer in answers if answer.part is not None)
    return Item(parts, arrays=arrays, note=str(arrays["predicted"].dtype))


def _restored(item, job, n_rows, keep):
    """Return the answers of an item, None if it is not there or does not fit."""
    if item is None or item.arrays is None or "predicted" not in item.arrays:
        return None
    n = len(job.candidates)
    predicted, parts = item.arrays["predicted"], item.parts
    if predicted.shape != (n, n_rows) or len(parts) != (n if keep else 0):
        return None
    predicted = predicted.astype(item.note)
    parts = parts if keep else (None,) * n
    flags = item.arrays["converged"].astype(bool).tolist()
    return [Answer(*line) for line in zip(predicted, parts, flags, strict=True)]
