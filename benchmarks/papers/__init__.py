"""The five papers, regenerated: ``python -m benchmarks.papers PAPER --data DIR``.

A *run* is a piece of computing with a key (code, data, parameters); its figures are
kept in ``docs/papers/results``. A *cell* is a published figure beside the figure of a
run.
"""
