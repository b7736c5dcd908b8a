"""The child that opens hostile files notices every kind of harm."""

import os
import signal

from benchmarks.limited_child import open_all


def opener(folder):
    """Return what the child of this test does with a path."""

    def act(path, watch):
        name = os.path.basename(path)
        if name == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        while name == "hang":
            pass
        if name == "code":
            exec("1 + 1")
        if name == "memory":
            try:
                bytearray(2**31)
            except MemoryError:
                return "out of memory"
        return "refused"

    return act


def test_harm_is_noticed_and_the_rest_still_opened(tmp_path):
    names = ["fine", "crash", "code", "memory", "hang", "last"]
    target = "tests.benchmarks.test_limited_child:opener"
    answers = open_all(target, [tmp_path / name for name in names], tmp_path)
    found = dict(zip(names, [answer["outcome"] for answer in answers], strict=True))
    assert found["fine"] == found["last"] == "refused"
    assert found["crash"] == f"crash ({-signal.SIGSEGV})"
    assert found["code"].startswith("code ran")
    assert found["memory"] == "out of memory"
    assert found["hang"] == "too slow"
