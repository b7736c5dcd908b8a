"""H-LSVM beside CART and STree; its paper: ``python -m benchmarks.papers hlsvm``.

covtype     class 2 against the rest: error, hyperplanes, time beside CART
official    ijcnn1, shuttle, MNIST 3 with official splits
banana      ten splits
classes     one tree for many classes against one for each pair
stree       training time and accuracy against STree
prediction  batches and single rows
scaling     time, nodes and error against the number of rows (Figure 5)
defaults    λ, ρ and the regularization on training rows of many sets
"""

from benchmarks.hlsvm_binary import banana_case, covtype_case, official_case
from benchmarks.hlsvm_classes import classes_case
from benchmarks.hlsvm_defaults import defaults_case
from benchmarks.hlsvm_speed import prediction_case, scaling_case, stree_case

CASES = {
    "covtype": covtype_case,
    "official": official_case,
    "banana": banana_case,
    "classes": classes_case,
    "stree": stree_case,
    "prediction": prediction_case,
    "scaling": scaling_case,
    "defaults": defaults_case,
}
