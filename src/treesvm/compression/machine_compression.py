"""Compress the machines of one region of the space to trees over a few terms."""

from dataclasses import dataclass, replace

import numpy as np

from treesvm.compression.chain import choose_chain
from treesvm.compression.compressed_machine import CompressedMachine
from treesvm.compression.greedy_tree import GrowthOptions, grow_score_tree
from treesvm.compression.path_fit import fit_path, interval_residual, weighted_gram
from treesvm.compression.targets import TARGETS
from treesvm.compression.terms import KernelTerms
from treesvm.compression.tree_builder import chain
from treesvm.kernels.blas_threads import one_blas_thread
from treesvm.machines.voting import predicted_codes

# Sizes below which nodes stop splitting and go on as chains, from all splits to none.
SPLIT_ROWS = (30, 100, None)
_CHAIN_STEPS = 50  # majorization steps of a long chain's last fit
_MANY_ROWS = 2000  # beyond, one fold tells enough
_HEIGHT_FACTOR = 1.5  # the paper's trees are about so much higher than balanced ones


@dataclass(frozen=True)
class CompressionOptions:
    """How machines are compressed.

    Attributes
    ----------
    max_height : int or None
        Most terms on a path; None for as many as the paper's trees have.
    min_rows, n_starts : int
    loss : {"values", "margin"} or None
        What a refit approximates; None is the paper's algorithm, without refit.
    is_scaled : bool
        Without refit: whether columns get scales, or keep the machine's coefficients.
    split_rows : int or "cv"
    prior_rows : float
    is_shared : bool
        Whether one tree serves all machines.
    max_bytes : int
        Most memory for the matrix of terms and its working copy.
    n_folds : int
        Of the choice of `split_rows`.
    """

    max_height: int | None = None
    min_rows: int = 5
    n_starts: int = 5
    loss: str | None = "values"
    is_scaled: bool = True
    split_rows: int | str | None = "cv"
    prior_rows: float = 1.0
    is_shared: bool = True
    max_bytes: int = 500 * 2**20
    n_folds: int = 5


@dataclass(frozen=True, eq=False)
class Source:
    """Machines as sums of terms: what is to be compressed.

    Attributes
    ----------
    terms : KernelTerms or LearnerTerms
        Candidates for the nodes.
    decide : callable
        From rows to the machines' values, (n, n_machines).
    biases : ndarray of shape (n_machines,)
        The part of the values that is no term.
    pairs : ndarray of shape (n_machines, 2)
    n_classes : int
    coefficients : ndarray of shape (n_terms, n_machines), optional
        Of the terms in the machines' values, where they are known.
    """

    terms: object
    decide: object
    biases: np.ndarray
    pairs: np.ndarray
    n_classes: int
    coefficients: np.ndarray | None = None


def machine_source(machine):
    """Return the `Source` of a `KernelMachine`."""
    is_gram = machine.kernel.is_precomputed
    vectors = machine.support if is_gram else machine.vectors
    return Source(
        KernelTerms(machine.kernel, vectors),
        machine.decisions,
        machine.biases,
        machine.pairs,
        machine.n_classes,
        machine.coefficient_matrix,
    )


def rows_within(n_rows, n_terms, options):
    """How many rows of D fit the memory that the options allow, at least 100."""
    # The matrix, a copy whose rows are sorted, and what a refit's paths leave of it.
    copies = 3 if options.loss else 2
    row_bytes = 8 * copies * max(1, n_terms)
    return min(n_rows, max(100, options.max_bytes // row_bytes))


def drawn_within(rows, n_terms, options, rng):
    """Return the rows, or as many of them at random as `rows_within` allows."""
    n_rows = rows.shape[0]
    most = rows_within(n_rows, n_terms, options)
    if most == n_rows:
        return rows
    return rows[np.sort(rng.choice(n_rows, most, replace=False))]


def compress_machines(source, X, options, rng):
    """Return the `CompressedMachine` of a source, grown on the rows `X` of D.

    Where the matrix of terms does not fit ``options.max_bytes``, D is a random sample
    of the rows.
    """
    X = drawn_within(X, source.terms.n_terms, options, rng)
    decisions = source.decide(X)
    K = source.terms.matrix(X)
    n_machines = len(source.pairs)
    outputs = [list(range(n_machines))] if options.is_shared else None
    outputs = outputs or [[m] for m in range(n_machines)]
    lower, upper = targets_of(source, decisions, options.loss)
    trees = []
    for own in outputs:
        scales = None if options.is_scaled else source.coefficients[:, own]
        problem = Problem(K, lower[:, own], upper[:, own], source.biases[own], scales)
        trees.append(problem.grow(_settled(options, len(K)), rng))
    return restricted(source, trees)


def targets_of(source, decisions, loss):
    """Intervals for every machine's values.

    With "margin" a machine of two classes is free in rows that get a third class: it
    has no say there.
    """
    lower, upper = TARGETS[loss or "values"](decisions)
    is_pairwise = len(source.pairs) > 1 and source.pairs[0, 1] >= 0
    if loss == "margin" and is_pairwise:
        codes = predicted_codes(decisions, source.pairs, source.n_classes)
        idle = (codes[:, None, None] != source.pairs[None]).all(axis=2)
        lower = np.where(idle, -np.inf, lower)
        upper = np.where(idle, np.inf, upper)
    return lower, upper


def _settled(options, n_rows):
    """Fill in the height."""
    if options.max_height is not None or not options.loss:
        return options
    height = _HEIGHT_FACTOR * np.log2(max(2.0, n_rows / options.min_rows))
    return replace(options, max_height=max(1, round(height)))


@dataclass(frozen=True, eq=False)
class Problem:
    """One tree's terms and targets."""

    K: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    biases: np.ndarray
    scales: np.ndarray | None = None  # that columns keep

    def grow(self, options, rng):
        seed = int(rng.integers(2**31))
        split_rows = options.split_rows
        if options.loss and split_rows == "cv":
            split_rows = self._choose_split_rows(options, seed)
        rows = np.arange(len(self.K))
        return self._grow_on(rows, options, split_rows, seed)

    def _grow_on(self, rows, options, split_rows, seed):
        """Grow on some rows; `split_rows` None never splits."""
        if split_rows is None and self.lower.shape[1] > 1:
            targets = chain_targets(self.lower[rows], self.upper[rows])
            columns = choose_chain(self.K[rows], targets, options.max_height)
            return self.chain_tree(rows, columns, options)
        growth = GrowthOptions(
            max_height=options.max_height,
            min_rows=options.min_rows,
            n_starts=options.n_starts,
            refit=bool(options.loss),
            split_rows=_never(split_rows, len(rows)),
            prior_rows=options.prior_rows,
        )
        return grow_score_tree(
            self.K[rows],
            self.lower[rows],
            self.upper[rows],
            growth,
            offsets=self.biases,
            scales=self.scales,
            rng=np.random.default_rng(seed),
        )

    @one_blas_thread()
    def chain_tree(self, rows, columns, options):
        """Return a tree that is one chain, its coefficients fitted on some rows."""
        columns = columns if len(columns) else np.zeros(1, np.intp)
        A = self.K[rows][:, columns]
        zero = np.zeros((len(columns), self.lower.shape[1]))
        ridge = weighted_gram(A, options.prior_rows)
        fit = fit_path(
            A, self.lower[rows], self.upper[rows], zero, self.biases, ridge,
            max_iter=_CHAIN_STEPS,
        )  # fmt: skip
        return chain(columns, fit.coefficients, fit.offsets, len(rows))

    def _choose_split_rows(self, options, seed):
        """Return the size with the least loss on held-out rows of D."""
        n_rows = len(self.K)
        sizes = [size for size in SPLIT_ROWS if size is None or size < n_rows]
        if len(sizes) == 1 or n_rows < 2 * options.n_folds:
            return None
        fold = np.random.default_rng(seed).permutation(n_rows) % options.n_folds
        folds = range(1 if n_rows > _MANY_ROWS else options.n_folds)
        losses = np.zeros(len(sizes))
        for k in folds:
            train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            for number, size in enumerate(sizes):
                tree = self._grow_on(train, options, size, seed)
                losses[number] += self.loss(tree, test)
        return sizes[int(losses.argmin())]

    def loss(self, tree, rows):
        """Sum of distances to the targets, values and targets cut off at the margins.

        A few rows far off would otherwise decide between trees and chains.
        """
        values = np.clip(tree.values(self.K[rows]), -1.0, 1.0)
        lower = np.clip(self.lower[rows], -1.0, 1.0)
        upper = np.clip(self.upper[rows], -1.0, 1.0)
        return float(np.abs(interval_residual(values, lower, upper)).sum())


def chain_targets(lower, upper):
    """The point of every interval that is nearest to zero."""
    return np.clip(0.0, lower, upper)


def _never(split_rows, n_rows):
    return n_rows + 1 if split_rows is None else split_rows


def restricted(source, trees):
    """Keep the terms that some node evaluates."""
    used = np.unique(np.concatenate([tree.column for tree in trees]))
    number = np.zeros(source.terms.n_terms, np.int32)
    number[used] = np.arange(len(used))
    return CompressedMachine(
        source.terms.subset(used),
        tuple(tree.with_columns(number) for tree in trees),
        source.pairs,
        source.n_classes,
    )
