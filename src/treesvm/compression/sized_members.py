"""Decompositions whose parts are compressed, each to the size that pays.

For every part several machines are tried, counted by their wrong answers on validation
rows; the cheapest choice within a bound on all wrong answers is taken.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from treesvm.compression.machine_compression import machine_source
from treesvm.compression.size_choice import (
    choose_sizes,
    free_machines,
    sized_machines,
    whole_machine,
)
from treesvm.compression.tree_parts import map_parts
from treesvm.decomposition.decomposition import Decomposition
from treesvm.decomposition.part import Part
from treesvm.machines.scaling import composed
from treesvm.machines.voting import predicted_codes
from treesvm.partitions.whole_space import WholeSpace
from treesvm.trees.leaf_rows import rows_by_leaf

_VALIDATION_SHARE = 0.3
_FEW_VECTORS = 100  # chains of support vectors cost no more than free ones


class CompressionRows(NamedTuple):
    """Rows to fit on and rows to validate on, with the codes they should get."""

    fit: object
    fit_codes: np.ndarray
    validation: object
    codes: np.ndarray

    def within(self, fit, validation):
        """Return some of the rows."""
        return CompressionRows(
            self.fit[fit],
            self.fit_codes[fit],
            self.validation[validation],
            self.codes[validation],
        )


class SizeOptions(NamedTuple):
    """What machines may be made of, and how one of them is chosen."""

    most: int | None  # kernels for a row
    tolerance: float  # in the share of wrong answers
    is_free: bool  # whether vectors may move


class SizedMember(NamedTuple):
    """A compressed decomposition, with shares of wrong answers on validation rows."""

    member: Decomposition
    model_loss: float
    loss: float


class _Tried(NamedTuple):
    """What became of one part: other parts to choose from, unless it has no machine."""

    n_wrong: int  # of the part itself
    parts: list
    wrong: np.ndarray  # of each of the parts
    n_asked: int

    @property
    def costs(self):
        return np.array([part.machine.n_evaluations for part in self.parts], float)


def drawn_rows(X, codes, rng):
    """Return `CompressionRows` of which 30 % validate what the others are fitted to."""
    order = rng.permutation(X.shape[0])
    n_validation = int(_VALIDATION_SHARE * X.shape[0])
    rows = CompressionRows(X, codes, X, codes)
    return rows.within(np.sort(order[n_validation:]), np.sort(order[:n_validation]))


def sized_member(member, rows, options, sizes, *, seed, n_jobs=None, verbose=0):
    """Compress every machine of a decomposition.

    Parameters
    ----------
    member : Decomposition
        Of kernel machines.
    rows : CompressionRows
    options : CompressionOptions
        Of machines made of support vectors.
    sizes : SizeOptions
    seed : list of int
    n_jobs, verbose : int

    Returns
    -------
    SizedMember
    """
    # Leaves have been split already; the whole space may gain from it.
    has_trees = isinstance(member.partition, WholeSpace)
    validation = rows_by_leaf(member.apply(rows.validation), len(member.parts))

    def try_sizes(part, own, k):
        region = _Region(part, rows.within(own, validation.rows(k)))
        rng = np.random.default_rng([*seed, k])
        return region.tried(options, sizes, rng, has_trees=has_trees)

    tried = map_parts(try_sizes, member, rows.fit, n_jobs, verbose)
    n_asked, model_wrong = max(1, len(rows.codes)), sum(part.n_wrong for part in tried)
    tables = [part for part in tried if part.parts]
    certain = sum(part.n_wrong for part in tried if not part.parts)
    allowed = model_wrong + sizes.tolerance * n_asked
    chosen = iter(
        choose_sizes(
            [(table.costs, table.wrong, table.n_asked) for table in tables],
            allowed - certain,
        )
    )
    parts, wrong = [], certain
    for part, table in zip(member.parts, tried, strict=True):
        if table.parts:
            k = next(chosen)
            part, wrong = table.parts[k], wrong + int(table.wrong[k])
        parts.append(part)
    made = replace(member, parts=parts)
    return SizedMember(made, model_wrong / n_asked, wrong / n_asked)


class _Region(NamedTuple):
    """One part and the rows that fall into it."""

    part: Part
    rows: CompressionRows

    def tried(self, options, sizes, rng, *, has_trees):
        """Return what other machines would do in place of the part's own."""
        part, codes = self.part, self.rows.codes
        if part.machine is None:
            return _Tried(int((codes != part.code).sum()), [], None, len(codes))
        n_wrong = self._n_wrong(part)
        found = self._machines(options, sizes, n_wrong, rng, has_trees=has_trees)
        parts, wrong = zip(*found, strict=True)
        return _Tried(n_wrong, list(parts), np.array(wrong), len(codes))

    def _n_wrong(self, part):
        """Count validation rows whose answer by a part is not their code."""
        if len(self.rows.codes) == 0:
            return 0
        codes = part.scores(self.rows.validation).argmax(axis=1)
        return int((codes != self.rows.codes).sum())

    def _machines(self, options, sizes, bound, rng, *, has_trees):
        """Return parts with machines of several sizes, and the wrong answers of each.

        Free vectors that answer no worse than `bound` end the search in a leaf.
        """
        machine, most, found = self.part.machine, sizes.most, []
        source = machine_source(machine)
        rows, codes = self._fit_rows(source)
        if sizes.is_free:
            for small in free_machines(
                machine, source, rows, codes, options, most, rng
            ):
                found.append(self._judged(*small))
                if found[-1][1] <= bound:
                    break
        if has_trees or not found or machine.n_vectors <= _FEW_VECTORS:
            others = sized_machines(
                machine, source, rows, options, most, rng, has_trees=has_trees
            )
        else:
            is_allowed = most is None or machine.n_vectors <= most
            others = [whole_machine(machine, source)] if is_allowed else []
        return found + [self._judged(other) for other in others]

    def _judged(self, machine, scaling=None):
        """Return the part with another machine, and its wrong answers.

        `scaling` is the machine's own, after that of the part.
        """
        scaling = composed(self.part.scaling, scaling)
        made = self.part._replace(machine=machine, scaling=scaling)
        return made, self._n_wrong(made)

    def _fit_rows(self, source):
        """Rows as the machine sees them; its own vectors where there are none."""
        if len(self.rows.fit_codes):
            return self.part.seen(self.rows.fit), self.rows.fit_codes
        rows = self.part.machine.vectors
        codes = predicted_codes(source.decide(rows), source.pairs, source.n_classes)
        return rows, codes
