"""Adapters whose functions are called by the package normproof: it converts tensors and computes gradients.

An adapter lists its functions as `Piped` and ends with `main`. It answers the questions of
`normproof golden check --pipe` (protocol.py), each by one `normproof.invocation.Invocation`. The functions themselves
are in implementations, beside those of the board.
"""
import dataclasses
import functools
import os
import pathlib
import sys
import typing

import numpy as np

import protocol

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "verification/bindings/python"))
os.environ.setdefault("NORMPROOF_LIBRARY", str(TOP / "build/release/verification/bindings/c/libnormproof.so"))
os.environ.setdefault("NORMPROOF_CORPUS", str(TOP / "verification/golden/data"))

from normproof import abi, names  # noqa: E402, after the path is known
from normproof.corpus import TEXT_OPTIONS, WHOLE_OPTIONS, Case  # noqa: E402
from normproof.errors import NotOffered  # noqa: E402
from normproof.invocation import prepare_invocation  # noqa: E402
from normproof.stored import NUMPY_DTYPES, Stored  # noqa: E402

LAYER_LEAVES = ("x", "gate", "gamma", "beta", "alpha")
ALL_FLOATING = "*"  # as leaves: every floating tensor, except for the state and incoming gradients


@dataclasses.dataclass(frozen=True)
class Piped:
    """One function of an adapter.

    op           the operation that it computes
    fn           a function for normproof.check, which returns its main output or a dictionary of outputs
    dtypes       the dtypes of the cases that it computes
    outputs      the judged outputs, separated by commas; "" for all that a case requires
    leaves       the tensors that gradients are computed for, or ALL_FLOATING
    layout       "channels_first" or "channels_last", as for normproof.check
    uncompiled   dtypes for which the framework cannot compile the function, whose operations then run one by one
    """
    op: str
    fn: typing.Callable
    dtypes: tuple
    outputs: str = ""
    leaves: typing.Any = LAYER_LEAVES
    layout: typing.Optional[str] = None
    uncompiled: tuple = ()


def to_stored(dtype, values):
    """Converts a tensor from the NumPy form of protocol.py to the form in which the package stores it."""
    if dtype == "bfloat16":
        return Stored(dtype, (np.ascontiguousarray(values).view(np.uint32) >> 16).astype(np.uint16))
    return Stored(dtype, values.astype(NUMPY_DTYPES[dtype]))


def parse_option(name, value):
    """Converts an option to the package's form: a whole number becomes an int, and "none" becomes None."""
    if value == "none" and name not in TEXT_OPTIONS:
        return None
    return int(value) if name.rpartition(".")[2] in WHOLE_OPTIONS else value


def is_leaf(name, stored, op, leaves):
    if leaves != ALL_FLOATING:
        return name in leaves
    return stored.dtype in protocol.FLOATS and not name.startswith("grad_") and name not in names.state_names(op)


def to_package_case(case, leaves):
    """Converts a case of protocol.py to a case of the package.

    Its outputs are the main output and the gradients of the leaves.
    """
    tensors = {name: to_stored(case.dtypes[name], values) for name, values in case.tensors.items()}
    outputs = {"grad_" + name: stored.shape for name, stored in tensors.items() if is_leaf(name, stored, case.op, leaves)}
    if "x" in tensors:
        outputs["y"] = tensors["x"].shape
    elif "q" in tensors:
        outputs["y"] = tensors["grad_y"].shape
    elif "o" in tensors:
        outputs["y"], outputs["log_sum_exp"] = tensors["o"].shape[1:], tensors["o"].shape[1:-1]
    elif "targets" in tensors:
        outputs["loss"] = tensors["targets"].shape if case.options.get("reduction") == "none" else (1,)
    elif "parameter" in tensors:
        outputs["parameter"] = tensors["parameter"].shape
    else:
        outputs["logits"] = ()
    if "grad_sum" in tensors:
        outputs["sum"] = tensors["grad_sum"].shape
    options = {name: parse_option(name, value) for name, value in case.options.items()}
    return Case(case.path, case.op, case.training, False, case.dtype, options, tensors, outputs=outputs)


@functools.lru_cache(maxsize=None)
def invocation_of(fn, op, known, framework, layout):
    return prepare_invocation(fn, op, known, framework=framework, layout=layout)


def answer_case(framework, functions, case):
    """Computes the outputs of a case as NumPy arrays, by name. Throws protocol.NotOffered if it is declined."""
    piped = functions.get((case.op, case.dtype))
    if piped is None:
        raise protocol.NotOffered(f"{case.op} in {case.dtype}")
    asked = to_package_case(case, piped.leaves)
    known = frozenset(names.known_names(case.op) | set(asked.tensors) | set(asked.options))
    invocation = invocation_of(piped.fn, piped.op, known, framework, piped.layout)
    invocation = dataclasses.replace(invocation, policy=invocation.policy.for_case(asked))
    try:
        invocation.require_offered(asked)
        answer = run(invocation, asked, case.dtype in piped.uncompiled)
    except NotOffered as reason:
        raise protocol.NotOffered(str(reason)) from None
    if answer.written:
        raise ValueError(answer.written)
    return {name: stored.widened() for name, stored in answer.outputs.items()}


def run(invocation, case, uncompiled):
    if not uncompiled:
        return invocation.answer(case)
    with invocation.framework.uncompiled():
        return invocation.answer(case)


def main(title, version, functions, framework):
    """Describes the adapter, or answers questions, as protocol.main does.

    title, version   what the table calls the library
    functions        a list of Piped
    framework        the package's name of the framework whose tensors the functions take
    """
    abi.library()  # without it, the adapter cannot be described either, and is skipped
    rows = [row for piped in functions for row in protocol.asks((piped.op,), piped.dtypes, piped.outputs)]
    table = {(piped.op, dtype): piped for piped in functions for dtype in piped.dtypes}
    protocol.main(title, version, rows, functools.partial(answer_case, framework, table))
