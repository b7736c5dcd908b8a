"""Measured claims of the library: ``python -m benchmarks NAME --data DIR``."""
