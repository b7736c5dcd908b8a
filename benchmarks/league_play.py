"""Measure the cells of the league that are missing, one after the other."""

import functools
import os
import time
from pathlib import Path

import treesvm
from benchmarks import league_cells, league_tables
from benchmarks.league_methods import FAST_SEARCHED, PLAIN, SEARCHED
from benchmarks.league_store import LeagueStore, code_version

STORE = Path("docs/benchmarks/league.json")
CORE_MINUTES = 120
_QUICK_SETS = ("c_tic_tac_toe", "r_geographicaloriginalofmusic")
_QUICK_METHODS = (FAST_SEARCHED, PLAIN, "LightGBM", "HistGB")
_STARTED = time.monotonic()
# Two threads of our own; with more running, answers count and times do not.
_QUIET_LOAD = 2.5


def played(context, is_regression):
    """Measure what is missing; return all records of one kind.

    Seeds go round in the outer loop, so that a run that ends early has compared all
    tables once before it looks at any of them twice.
    """
    choice, store = context.league, _store(is_kept=not context.quick)
    names = _sets(context, is_regression)
    players = _players(context, is_regression)
    current = {
        m.name: (m.settings_key(), league_cells.version_of(m, _code())) for m in players
    }
    for seed in choice.seeds or range(league_tables.SEEDS):
        for name in names:
            missing = [
                m
                for m in players
                if (not m.core_only or name in league_tables.CORE)
                and seed < m.seeds
                and not _counts(store.find(name, seed, m.name), current[m.name], choice)
            ]
            if missing and not _is_over(choice):
                _play_table(context, store, name, seed, missing, current)
    return _found(store, is_regression, names if context.quick else None)


@functools.cache
def _store(is_kept):
    return LeagueStore(STORE, is_kept)


def _play_table(context, store, name, seed, missing, current):
    """Measure one cut of a table, unless the table has fewer seeds."""
    table = league_tables.load_table(context.data, name)
    if seed not in league_tables.seeds_of(table) and not context.league.seeds:
        return
    rows, plain = league_tables.cut(table, seed), []

    def beside():
        if not plain:
            player = next(m for m in league_cells.PLAYERS if m.name == PLAIN)
            plain.append(
                league_cells.losses_of(player, rows, table.is_regression, seed)
            )
        return plain[0]

    for method in missing:
        if _is_over(context.league):
            return
        settings, version = current[method.name]
        is_busy = os.getloadavg()[0] > _QUIET_LOAD
        figures = league_cells.measure(
            method,
            rows,
            table.is_regression,
            seed,
            beside if method.name in (SEARCHED, FAST_SEARCHED) else None,
            is_busy,
        )
        if figures is None:
            print(f"{name}, seed {seed}, {method.name}: left for a quiet machine")
            continue
        record = {
            "table": name,
            "seed": seed,
            "method": method.name,
            "settings": settings,
            "version": version,
            **figures,
            **({"busy": True} if is_busy else {}),
        }
        print(record, flush=True)
        store.put(record)


def _sets(context, is_regression):
    choice = context.league
    chosen = choice.sets or (league_tables.CORE if choice.core else ())
    if context.quick:
        chosen = chosen or _QUICK_SETS
    names = league_tables.names(context.data)
    return [
        name
        for name in names
        if name.startswith("r_") == is_regression and (not chosen or name in chosen)
    ]


def _players(context, is_regression):
    """Return those who can play, and say who cannot."""
    starts = context.league.methods or (_QUICK_METHODS if context.quick else ())
    found = []
    for method in league_cells.PLAYERS:
        if method.classifies_only and is_regression:
            continue
        if starts and not method.name.startswith(tuple(starts)):
            continue
        if context.quick and not context.league.methods and method.name not in starts:
            continue
        if league_cells.is_there(method):
            found.append(method)
        else:
            print(f"skipped: {method.name}, {method.package} is not installed")
    return found


def _counts(record, current, choice):
    """Whether a record is of the present settings and code."""
    if record is None or record["settings"] != current[0]:
        return False
    return choice.keeps_older or record["version"] == current[1]


def _is_over(choice):
    minutes = choice.minutes
    if minutes is None and choice.core:
        minutes = CORE_MINUTES
    return minutes is not None and time.monotonic() - _STARTED > 60 * minutes


def _found(store, is_regression, names):
    """Return records of present settings; those that older code measured, too."""
    settings = {m.name: m.settings_key() for m in league_cells.PLAYERS}
    return [
        record
        for record in store.records.values()
        if record["table"].startswith("r_") == is_regression
        and (names is None or record["table"] in names)
        and settings.get(record["method"]) == record["settings"]
    ]


@functools.cache
def _code():
    return code_version(Path(treesvm.__file__).parent)
