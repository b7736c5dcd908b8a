"""Exported models: the same answers in ONNX and in C, and what they cost.

equality  10,000 rows of six sets, four kinds of models: labels, scores, sizes
speed     a row in C, a batch in onnxruntime, beside `predict` and `predictor()`
"""

from benchmarks.export_cases import equality_case, speed_case

CASES = {"equality": equality_case, "speed": speed_case}
