"""Checks a LayerNorm forward in Python against the corpus, through ctypes.

Usage: layer_norm.py <libnormproof.so> <corpus>
"""

import ctypes as C
import math
import sys
from array import array


class Tensor(C.Structure):
    _fields_ = [("name", C.c_char_p), ("dtype", C.c_int32), ("rank", C.c_int32),
                ("shape", C.POINTER(C.c_int64)), ("data", C.c_void_p), ("bytes", C.c_size_t)]


class Case(C.Structure):
    _fields_ = [(name, C.c_char_p) for name in ("path", "op", "mode", "options", "why", "json")] + [
        ("dtype", C.c_int32), ("is_sequence", C.c_int32), ("input_count", C.c_size_t),
        ("inputs", C.POINTER(Tensor))]


class Verdict(C.Structure):
    _fields_ = [("passed", C.c_int32), ("ratio", C.c_double), ("text", C.c_char_p)]


def load(path):
    lib = C.CDLL(path)
    lib.normproof_error.restype = lib.normproof_option.restype = C.c_char_p
    lib.normproof_case_count.restype = C.c_size_t
    lib.normproof_case_count.argtypes = lib.normproof_error.argtypes = [C.c_void_p]
    lib.normproof_close.argtypes = [C.c_void_p]
    lib.normproof_close.restype = None
    lib.normproof_set.argtypes = [C.c_void_p, C.c_char_p, C.c_char_p]
    lib.normproof_option.argtypes = [C.c_void_p, C.c_char_p]
    lib.normproof_select.argtypes = [C.c_void_p, C.c_size_t, C.POINTER(Case)]
    lib.normproof_answer.argtypes = [C.c_void_p, C.c_char_p, C.c_int32, C.c_int32,
                                     C.POINTER(C.c_int64), C.c_void_p]
    lib.normproof_judge.argtypes = [C.c_void_p, C.POINTER(Verdict)]
    assert lib.normproof_abi_version() == 1
    return lib


def layer_norm(x, gamma, beta, eps, features):
    y = array("d")
    for start in range(0, len(x), features):
        row = x[start:start + features]
        mean = math.fsum(row) / features
        variance = math.fsum((v - mean) ** 2 for v in row) / features
        y.extend(g * ((v - mean) / math.sqrt(variance + eps)) + b for v, g, b in zip(row, gamma, beta))
    return y


def verdicts(lib, golden, kernel):
    """Yields the path and the verdict of every case."""
    corpus, case, verdict = C.c_void_p(), Case(), Verdict()

    def check(status):
        if status != 0:
            raise RuntimeError(lib.normproof_error(corpus).decode())

    try:
        check(lib.normproof_open(golden.encode(), b"quick/layer_norm/*float64*", C.byref(corpus)))
        check(lib.normproof_set(corpus, b"outputs", b"y"))
        for i in range(lib.normproof_case_count(corpus)):
            check(lib.normproof_select(corpus, i, C.byref(case)))
            inputs = {t.name.decode(): t for t in case.inputs[:case.input_count]}
            values = {name: array("d", C.string_at(t.data, t.bytes)) for name, t in inputs.items()}
            x = inputs["x"]
            features = x.shape[x.rank - 1]
            y = kernel(values["x"], values.get("gamma", [1.0] * features),
                       values.get("beta", [0.0] * features),
                       float(lib.normproof_option(corpus, b"eps")), features)
            check(lib.normproof_answer(corpus, b"y", case.dtype, x.rank, x.shape,
                                       y.buffer_info()[0]))
            check(lib.normproof_judge(corpus, C.byref(verdict)))
            yield case.path.decode(), bool(verdict.passed), verdict.ratio, verdict.text.decode()
    finally:
        lib.normproof_close(corpus)


def main():
    lib = load(sys.argv[1])
    found = list(verdicts(lib, sys.argv[2], layer_norm))
    for verdict in found:
        print(*verdict)
    assert len(found) == 5 and all(passed and ratio <= 1 for _, passed, ratio, _ in found), found
    without_beta = lambda x, gamma, beta, eps, n: layer_norm(x, gamma, [0.0] * n, eps, n)
    wrong = {path: text for path, passed, _, text in verdicts(lib, sys.argv[2], without_beta)
             if not passed}
    for path, text in wrong.items():
        print(path, text)
    assert len(wrong) == 4 and all("agrees with 'beta: " in text for text in wrong.values()), wrong
    try:
        list(verdicts(lib, "/nonexistent", layer_norm))
    except RuntimeError as error:
        assert "/nonexistent/manifest.json" in str(error), error
    else:
        raise AssertionError("a corpus that is absent was opened")


main()
