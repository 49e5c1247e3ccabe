"""Calls an implementation once before it is judged, to learn whose tensors it takes and which inputs it overwrites."""
from __future__ import annotations

import dataclasses
import sys
from typing import Any, Callable

from normproof import frameworks, names
from normproof.corpus import Case
from normproof.errors import NormproofError, UsageError, in_one_line, is_wrong_call
from normproof.invocation import Invocation
from normproof.isolation import probe_once
from normproof.output_policy import MAIN_OUTPUTS
from normproof.returned import OPTIMIZER_STATE


def probe(make: Callable[..., Invocation], case: Case, *, framework: str | None, isolate: bool, seconds: float | None,
          **given: Any) -> Invocation:
    """Returns make(framework=...), with the framework whose tensors the function takes and the inputs that it overwrites.

    A function that seems to take arrays of NumPy, and raises an exception, is called with tensors of each other framework
    that has been imported. `given` are other arguments of `make`.
    Throws UsageError if the arguments do not fit the parameters of the function.
    """
    invocation = make(framework=framework, **given)
    if invocation.makes_module:
        return invocation
    written, error = _call_once(invocation, case, isolate, seconds)
    if isinstance(error, Exception) and framework is None and invocation.framework.name.startswith("NumPy "):
        for name in frameworks.MODULES:
            if name in ("numpy", "dlpack") or name not in sys.modules:
                continue
            other = make(framework=name, **given)
            written, other_error = _call_once(other, case, isolate, seconds)
            if other_error is None:
                invocation, error = other, None
                break
    if isinstance(error, Exception) and "cos" in case.tensors:  # tables of transformers have one element per feature
        other = dataclasses.replace(invocation, doubled_tables=True)
        written, other_error = _call_once(other, case, isolate, seconds)
        if other_error is None:
            invocation, error = other, None
    if error is not None and is_wrong_call(error) and _is_of_the_call(error):
        raise UsageError(f"{invocation.title} cannot be called with {invocation.signature.title}: {in_one_line(error)}; expected "
                         "arguments=, which says what its parameters receive")
    writes = overwritten_outputs(invocation.op, case, written)
    return invocation.with_writes({**writes, **invocation.writes}) if writes else invocation


def _call_once(invocation: Invocation, case: Case, isolate: bool,
               seconds: float | None) -> tuple[list[str], BaseException | None]:
    """Returns the inputs that a call overwrote, and the exception that it raised, if any."""
    try:
        return probe_once(invocation, case, isolate, seconds), None
    except KeyboardInterrupt:
        raise
    except NormproofError:
        return [], None
    except BaseException as error:  # the case is judged afterwards, and fails with it
        return [], error


def _is_of_the_call(error: BaseException) -> bool:
    """Whether an exception was raised by the call of the implementation, and not by its own code."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_globals.get("__name__") == Invocation.__module__


def overwritten_outputs(op: str, case: Case, written: list[str]) -> dict[str, str]:
    """Returns the outputs that a function which returned nothing wrote, by the names of the inputs that it changed."""
    main = next((name for name in MAIN_OUTPUTS if name in case.outputs), "y")
    outputs = {}
    for name in written:
        if name == "x" and main == "y":
            outputs[name] = main
        elif name == "residual" and "sum" in case.outputs:
            outputs[name] = "sum"
        elif name in case.outputs and (name in names.state_names(op) or name in OPTIMIZER_STATE):
            outputs[name] = name
    if "x" in outputs and "sum" in case.outputs and "residual" in case.tensors:
        outputs["residual"] = "sum"  # also if the function left it as it was
    return outputs
