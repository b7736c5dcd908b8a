"""What thetas said of the validation rows of parts, and how good that is."""

import numpy as np

from treesvm.decomposition.calibration import LOG_LOSS_SHARE
from treesvm.model_selection.stacking import HeldOut, slope_and_log_loss


class JudgedTasks:
    """Answers of thetas, task by task, at one ceiling.

    Parameters
    ----------
    tasks : list of LeafTask
    """

    def __init__(self, tasks):
        self.tasks = tasks
        self._said = {}  # theta -> its answers by task, None where it was not asked
        self._losses = {}

    @property
    def thetas(self):
        """Those that have answered somewhere."""
        return list(self._said)

    def note(self, theta, k, answer):
        """Keep what a theta said in a task: evidence, codes or numbers."""
        self._said.setdefault(theta, [None] * len(self.tasks))[k] = answer

    def is_known(self, theta, chosen):
        """Whether the theta has answered all of the chosen tasks."""
        own = self._said.get(theta)
        return own is not None and all(own[k] is not None for k in chosen)

    def known(self, theta):
        """Return the tasks of several classes that the theta has answered."""
        own = enumerate(self._said.get(theta, []))
        return [k for k, said in own if said is not None and self.tasks[k].is_mixed]

    def answers(self, theta, chosen):
        """Return the answers of a theta to the rows of tasks, one after the other."""
        return np.concatenate([self._said[theta][k] for k in chosen])

    def held(self, chosen):
        """Return the rows of tasks, as `answers` has them."""
        tasks = [self.tasks[k] for k in chosen]
        data, rows = tasks[0].data, np.concatenate([t.val_rows for t in tasks])
        plain = HeldOut(data.target[rows], data.weight[rows])
        if data.n_classes is None:
            return plain
        sizes = [len(task.val_rows) for task in tasks]
        masses = np.repeat([_masses(task) for task in tasks], sizes, axis=0)
        certain = np.repeat([not task.is_mixed for task in tasks], sizes)
        return plain._replace(masses=masses, is_certain=certain)

    def loss(self, theta, chosen=None):
        """Return how bad the answers are to the chosen tasks that it has answered.

        For numbers the mean square.  For classes the share of wrong answers plus a
        part of the log loss: where two thetas are wrong equally often, the surer one
        of the right answers is the better.
        """
        known = self.known(theta)  # of parts with one class there is nothing to say
        if chosen is not None:
            known = [k for k in known if k in set(chosen)]
        key = theta, tuple(known)
        if key not in self._losses:
            self._losses[key] = self._loss(theta, known)
        return self._losses[key]

    def _loss(self, theta, known):
        if not known:
            return np.inf
        said, held = self.answers(theta, known), self.held(known)
        if held.weight.sum() <= 0:
            return np.inf
        if held.masses is None:
            return float(np.average((said - held.target) ** 2, weights=held.weight))
        log_loss = slope_and_log_loss(said, held.target, held.weight)[1]
        return self.error(theta, known) + LOG_LOSS_SHARE * log_loss

    def error(self, theta, chosen):
        """Return the share of wrong answers, or the mean square."""
        target, weight = self.held(chosen)[:2]
        return float(np.average(self.errors(theta, chosen, target), weights=weight))

    def spread(self, theta, chosen):
        """Return the root mean square of a regressor's errors."""
        return np.sqrt(self.error(theta, chosen))

    def errors(self, theta, chosen, target):
        """Return whether each answer is wrong, or its square."""
        if self.tasks[0].data.n_classes is None:
            return (self.answers(theta, chosen) - target) ** 2
        codes = [_codes(self._said[theta][k]) for k in chosen]
        return (np.concatenate(codes) != target).astype(float)


def _codes(answer):
    """Return class codes; parts with one class have said them already."""
    return answer if answer.ndim == 1 else answer.argmax(axis=1)


def _masses(task):
    data = task.data
    return np.bincount(
        data.target[task.rows], weights=data.weight[task.rows], minlength=data.n_classes
    )
