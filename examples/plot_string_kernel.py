"""A string kernel is slow; a support vector tree evaluates it only a few times.

Words are told apart by the order of the letters in them. The kernel counts common
substrings, so it works on text and not on rows of numbers. Trained on its Gram matrix,
a machine needs some twenty kernel values for each new word; the tree needs eight. The
figure shows the tree's values over the machine's.

    python examples/string_kernel.py
"""

from collections import Counter

import numpy as np

from treesvm import KernelSVC, SupportVectorTreeClassifier

LENGTH = 3


def substrings(word):
    """Count the substrings of three letters."""
    return Counter(word[i : i + LENGTH] for i in range(len(word) - LENGTH + 1))


def spectrum_kernel(A, B):
    """Return the normalised number of common substrings of all pairs of words."""
    left, right = [substrings(a) for a in A], [substrings(b) for b in B]
    K = np.array([[sum(a[s] * b[s] for s in a) for b in right] for a in left], float)
    lengths = [
        np.sqrt([sum(n * n for n in counts.values()) for counts in side])
        for side in (left, right)
    ]
    return K / np.outer(*lengths)


def words(rng, n_words):
    """Random letters around 'babab' in one class, around 'cacac' in the other."""
    labels = rng.integers(0, 2, n_words)
    made = []
    for label in labels:
        noise = "".join(rng.choice(list("abcd"), 8))
        place = rng.integers(0, 9)
        made.append(noise[:place] + ("babab", "cacac")[label] + noise[place:])
    return made, labels


def main():
    rng = np.random.default_rng(0)
    train, labels = words(rng, 300)
    test, wanted = words(rng, 200)
    machine = KernelSVC(C=10.0, kernel="precomputed")
    machine.fit(spectrum_kernel(train, train), labels)
    tree = SupportVectorTreeClassifier(
        machine, max_height=8, object_kernel=spectrum_kernel, random_state=0
    ).fit(train)
    gram = spectrum_kernel(test, train)
    print(f"machine: {machine.score(gram, wanted):.1%} right,", end=" ")
    print(f"{len(machine.support_)} kernels for a word")
    print(f"tree:    {np.mean(tree.predict(test) == wanted):.1%} right,", end=" ")
    print(f"{tree.kernel_evaluations(test).mean():.1f} kernels for a word")
    draw(machine.decision_function(gram), tree.decision_function(test), wanted)


def draw(machine_values, tree_values, wanted):
    """One figure, where matplotlib is installed."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        return
    figure, ax = plt.subplots(figsize=(4, 4), layout="constrained")
    ax.scatter(machine_values, tree_values, c=wanted, s=8)
    ax.set(xlabel="the machine's value", ylabel="the tree's value")
    figure.savefig("string-kernel.png", dpi=100)


if __name__ == "__main__":
    main()
