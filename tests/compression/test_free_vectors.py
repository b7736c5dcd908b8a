"""Networks with vectors of their own, and the machines made of them."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from tests import naive_compression as naive
from treesvm import KernelSVC
from treesvm.compression.compressed_machine import Chain
from treesvm.compression.free_vectors import (
    Network,
    NetworkProblem,
    fit_network,
    network_loss,
)
from treesvm.compression.machine_compression import CompressionOptions, machine_source
from treesvm.compression.size_choice import free_machines, network_machine


def squares(rng, n=240):
    """Four fields of a chess-board, and a feature that says nothing."""
    X = rng.uniform(-1.0, 1.0, size=(n, 3))
    return X, np.eye(2)[(X[:, 0] * X[:, 1] > 0).astype(np.intp)]


def scores_of(network, X, gamma):
    rows = X * network.factor
    distances = ((rows[:, None] - network.vectors[None]) ** 2).sum(axis=2)
    return np.exp(-gamma * distances) @ network.weights + network.biases


@pytest.mark.parametrize("n_classes", [2, 4])
def test_loss_and_gradient_match_the_naive_twin(n_classes, rng):
    X, m = rng.normal(size=(25, 3)), 4
    targets = rng.dirichlet(np.ones(n_classes), 25)
    vectors, logs = rng.normal(size=(m, 3)), 0.3 * rng.normal(size=3)
    weights, biases = rng.normal(size=(m, n_classes)), rng.normal(size=n_classes)
    theta = np.concatenate([vectors.ravel(), logs, weights.ravel(), biases])
    problem = NetworkProblem(X, targets, ridge=0.5)
    loss, gradient = network_loss(theta, problem, m)
    twin = naive.network_loss(X, targets, vectors, logs, weights, biases, 0.5)
    assert loss == pytest.approx(twin, rel=1e-10)
    slopes = approx_fprime(theta, lambda t: network_loss(t, problem, m)[0], 1e-6)
    np.testing.assert_allclose(gradient, slopes, atol=1e-5)


def test_single_precision_is_near_double(rng):
    X, targets = squares(rng)
    theta = rng.normal(size=5 * 3 + 3 + 5 * 2 + 2)
    double = network_loss(theta, NetworkProblem(X, targets), 5)
    single = network_loss(theta, NetworkProblem(X.astype(np.float32), targets), 5)
    assert single[0] == pytest.approx(double[0], rel=1e-4)
    np.testing.assert_allclose(single[1], double[1], atol=1e-3)


def test_a_few_vectors_learn_a_chess_board_and_its_features(rng):
    X, targets = squares(rng)
    network = fit_network(X, targets, X[:6], 1.0)
    answers = scores_of(network, X, 1.0).argmax(axis=1)
    assert np.mean(answers == targets.argmax(axis=1)) >= 0.97
    assert network.factor[2] < 0.5 * network.factor[:2].min()


def test_units_of_features_cancel(rng):
    X, targets = squares(rng)
    one = fit_network(X, targets, X[:6], 1.0, max_iter=30)
    far = fit_network(1024 * X, targets, 1024 * X[:6], 2.0**-20, max_iter=30)
    np.testing.assert_allclose(
        scores_of(one, X, 1.0), scores_of(far, 1024 * X, 2.0**-20), atol=1e-6
    )


def test_rows_far_apart_do_no_harm(rng):
    X, targets = squares(rng)
    X[0] = 1e6
    network = fit_network(X, targets, X[:6], 1.0)
    assert all(np.isfinite(part).all() for part in network)


def machine_of(rng, multi_class="ovo"):
    X = rng.normal(size=(150, 2))
    codes = (X[:, 0] > 0).astype(np.intp) + (X[:, 1] > 0)
    svc = KernelSVC(gamma=1.0, multi_class=multi_class).fit(X, codes)
    return X, codes, svc._machine


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_machines_are_differences_of_scores(multi_class, rng):
    X, _, machine = machine_of(rng, multi_class)
    network = Network(
        rng.normal(size=(4, 2)),
        np.array([0.5, 2.0]),
        rng.normal(size=(4, 3)),
        rng.normal(size=3),
    )
    source = machine_source(machine)
    made, scaling = network_machine(network, source, np.arange(3), len(X))
    scores = scores_of(network, X, 1.0)
    decisions = made.reliable_decisions(X, scaling)
    for m, (positive, negative) in enumerate(source.pairs):
        other = scores[:, negative] if negative >= 0 else 0.0
        np.testing.assert_allclose(decisions[:, m], scores[:, positive] - other)
    answers = made.scores(decisions).argmax(axis=1)
    np.testing.assert_array_equal(answers, scores.argmax(axis=1))
    assert (made.evaluations(X) == 4).all()


def test_single_rows_are_answered_by_scores_of_classes(rng):
    X, _, machine = machine_of(rng)
    network = Network(
        rng.normal(size=(4, 2)),
        np.array([0.5, 2.0]),
        rng.normal(size=(4, 3)),
        rng.normal(size=3),
    )
    source = machine_source(machine)
    made, scaling = network_machine(network, source, np.arange(3), len(X))
    decider = made.row_decider(scaling)
    codes = np.array([decider.sure_code(x) for x in X])
    sure = codes >= 0
    assert sure.mean() > 0.99
    expected = scores_of(network, X, 1.0).argmax(axis=1)
    np.testing.assert_array_equal(codes[sure], expected[sure])
    values = np.array([decider.of_array(x) for x in X])
    np.testing.assert_allclose(values, made.reliable_decisions(X, scaling), atol=1e-12)


@pytest.mark.parametrize("n_classes", [3, 5])
def test_chains_know_whether_their_machines_are_differences(n_classes, rng):
    pairs = np.array(list(combinations(range(0, 2 * n_classes, 2), 2)))
    scores = rng.normal(size=(5, 2 * n_classes))  # the last are biases
    weights = scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]]
    chain = Chain(rng.normal(size=(4, 2)), weights[:-1], weights[-1], pairs)
    made = chain.by_class()
    assert made.pairs.tolist() == [[c, -1] for c in range(0, 2 * n_classes, 2)]
    terms = np.column_stack([rng.random((50, 4)), np.ones(50)])
    winners = (terms @ np.vstack([made.coefficients, made.biases])).argmax(axis=1)
    np.testing.assert_array_equal(winners, (terms @ scores[:, ::2]).argmax(axis=1))
    weights[2, 1] += 1e-3
    other = Chain(chain.vectors, weights[:-1], weights[-1], pairs)
    assert other.by_class() is other


def test_sizes_rise_obey_the_cap_and_leave_unknown_classes_out(rng):
    X, codes, machine = machine_of(rng)
    source, options = machine_source(machine), CompressionOptions()
    codes[:5] = -1

    def made(most):
        draw = np.random.default_rng(0)
        free = free_machines(machine, source, X, codes, options, most, draw)
        return [small for small, _ in free]

    sizes = [small.n_vectors for small in made(None)]
    assert sizes == sorted(set(sizes))
    assert sizes[-1] < machine.n_vectors
    assert max(small.n_vectors for small in made(3)) == 3
    assert made(3)[0].trees[0].n_rows[0] == len(X) - 5
