"""
A kernel on words, evaluated a few times
========================================

Words are told apart by the order of the letters in them. The kernel counts common
substrings, so it works on text and not on rows of numbers, and it is slow. Trained on
its Gram matrix, a machine needs dozens of kernel values for each new word; a tree of
its vectors needs a handful.
"""

# %%
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np

from treesvm import KernelSVC, SupportVectorTreeClassifier


def substrings(word, length=3):
    """Count the substrings of three letters."""
    return Counter(word[i : i + length] for i in range(len(word) - length + 1))


def spectrum_kernel(A, B):
    """Return the normalised number of common substrings of all pairs of words."""
    left, right = [substrings(a) for a in A], [substrings(b) for b in B]
    K = np.array([[sum(a[s] * b[s] for s in a) for b in right] for a in left], float)
    lengths = [
        np.sqrt([sum(n * n for n in counts.values()) for counts in side])
        for side in (left, right)
    ]
    return K / np.outer(*lengths)


# %%
# Random letters around "babab" in one class, around "cacac" in the other.
def random_words(rng, n_words):
    labels = rng.integers(0, 2, n_words)
    made = []
    for label in labels:
        noise = "".join(rng.choice(list("abcd"), 8))
        place = rng.integers(0, 9)
        made.append(noise[:place] + ("babab", "cacac")[label] + noise[place:])
    return made, labels


rng = np.random.default_rng(0)
train, labels = random_words(rng, 300)
test, wanted = random_words(rng, 200)
print(train[:4], labels[:4])

# %%
machine = KernelSVC(C=10.0, kernel="precomputed")
machine.fit(spectrum_kernel(train, train), labels)
tree = SupportVectorTreeClassifier(
    machine, max_height=8, object_kernel=spectrum_kernel, random_state=0
).fit(train)

gram = spectrum_kernel(test, train)
kernels = tree.kernel_evaluations(test)
print(
    f"machine: {machine.score(gram, wanted):.1%} right, {len(machine.support_)} kernels"
)
print(f"tree: {np.mean(tree.predict(test) == wanted):.1%} right, {kernels.mean():.1f}")

# %%
# The tree approximates the machine's *value*, not only its sign, so ranks are kept.
figure, ax = plt.subplots(figsize=(4.6, 4.4), layout="constrained")
values = machine.decision_function(gram), tree.decision_function(test)
for label, name in enumerate(("babab", "cacac")):
    ax.scatter(*(v[wanted == label] for v in values), s=14, alpha=0.6, label=name)
ax.axline((0, 0), slope=1, color="0.6", lw=1, zorder=0)
ax.set(xlabel=f"the machine's value, {len(machine.support_)} kernels for a word")
ax.set(ylabel=f"the tree's value, {kernels.mean():.1f} kernels for a word")
ax.legend()
plt.show()
