"""Compile an exported C file with a small main program, and let it answer rows."""

import subprocess
from pathlib import Path
from typing import NamedTuple

import numpy as np

from treesvm.export.c_compiler import compiler

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")
SANITIZED = (*STRICT, "-g", "-O1", "-fsanitize=address,undefined",
             "-fno-sanitize-recover=all")  # fmt: skip

_MAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef REGRESSOR
double predict(const float *row);
#else
int predict(const float *row);
void decision(const float *row, double *scores);
const char *class_name(int code);
#endif

int main(int argc, char **argv)
{
    const long n = atol(argv[1]), width = atol(argv[2]), n_scores = atol(argv[3]);
    const long repeat = atol(argv[4]);
    float *rows = malloc(sizeof *rows * (size_t)(n * width));
    double *found = calloc((size_t)(n * (1 + n_scores)), sizeof *found), best = 1e300;
    FILE *in = fopen(argv[5], "rb"), *out = fopen(argv[6], "wb");
    long i, r;
    if (argc != 7 || !rows || !found || !in || !out)
        return 1;
    if (fread(rows, sizeof *rows, (size_t)(n * width), in) != (size_t)(n * width))
        return 1;
    for (r = 0; r < repeat; r++) {
        const clock_t start = clock();
        double seconds;
        for (i = 0; i < n; i++)
            found[i * (1 + n_scores)] = predict(rows + i * width);
        seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        best = seconds < best ? seconds : best;
    }
#ifndef REGRESSOR
    for (i = 0; i < n; i++)
        decision(rows + i * width, found + i * (1 + n_scores) + 1);
    if (class_name(-1)[0])
        return 1;
#endif
    fwrite(found, sizeof *found, (size_t)(n * (1 + n_scores)), out);
    printf("%.9g\n", best / (double)n);
    fclose(in);
    fclose(out);
    free(rows);
    free(found);
    return 0;
}
"""


class CAnswers(NamedTuple):
    answers: np.ndarray  # codes of classes, or numbers
    scores: np.ndarray  # (n_rows, n_scores)
    seconds: float  # of `predict` for one row, the best of several passes


def answers_in_c(text, X, n_scores, folder, *, flags=(*STRICT, "-O3"), repeat=1):
    """Return what an exported C file says of the rows X.

    Parameters
    ----------
    text : str
        Of the C file.
    X : ndarray of shape (n_rows, n_features)
        Read as float32.
    n_scores : int
        Numbers that `decision` writes; 0 for a regressor.
    folder : path-like
        Where files are made.
    """
    folder = Path(folder)
    (folder / "model.c").write_text(text, encoding="ascii")
    (folder / "main.c").write_text(_MAIN, encoding="ascii")
    (folder / "rows").write_bytes(np.ascontiguousarray(X, np.float32).tobytes())
    program = folder / "program"
    kind = [] if n_scores else ["-DREGRESSOR"]
    sources = [folder / "main.c", folder / "model.c"]
    _run([compiler(), *flags, *kind, *sources, "-o", program, "-lm"])
    numbers = map(str, (*X.shape, n_scores, repeat))
    said = _run([program, *numbers, folder / "rows", folder / "answers"])
    found = np.fromfile(folder / "answers").reshape(len(X), 1 + n_scores)
    return CAnswers(found[:, 0], found[:, 1:], float(said))


def _run(command):
    """Run a command; what it complains about is the error."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{Path(command[0]).name}: {done.stderr[:4000]}")
    return done.stdout
