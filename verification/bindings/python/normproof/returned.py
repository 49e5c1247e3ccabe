"""Names, converts and inspects what an implementation returned, and finds inputs that it wrote to."""
from __future__ import annotations

import math
import zlib
from typing import Any, Collection, Mapping, Sequence

import numpy as np

from normproof import names
from normproof.arguments import describe_value
from normproof.corpus import Case
from normproof.dtypes import EIGHT_BITS
from normproof.errors import Unanswered, UsageError
from normproof.frameworks.base import Framework
from normproof.frameworks.loaded_module import Tensor
from normproof.layout import Layout
from normproof.output_policy import IGNORED, MAIN_OUTPUTS, OutputPolicy, is_gradient
from normproof.signature import Signature
from normproof.stored import Stored, read_bytes_as, same_bits

MAX_COPIED = 1 << 24  # elements of an output that are copied whatever its shape
SHAPED_LIKE_X = ("x", "gate", "residual", "grad_y", "grad_sum", "y", "sum", "grad_x", "grad_gate")
OPTIMIZER_STATE = ("parameter", "velocity", "first_moment", "second_moment", "iterations")  # optimizers may write to it


def name_outputs(returned: Any, case: Case, policy: OutputPolicy, signature: Signature) -> dict[str, Tensor]:
    """Assigns the values that a function returned to names of outputs. A value named IGNORED is left out.

    If the first value has the shape of the main output, and nothing else is expected, the others are named IGNORED
    followed by their place: they are statistics, for example. If two parameters receive x, the path of the case chooses
    one of two results.
    Throws Unanswered if the names are ambiguous.
    """
    title = signature.derived.title
    if returned is None:
        raise Unanswered(f"{title} returned nothing; expected {policy.main}")
    if isinstance(returned, dict):
        return {_output_name(name, signature): value for name, value in returned.items()}
    if isinstance(returned, list) and _is_nested_list(returned):
        raise Unanswered(f"{title} returned a list of numbers; expected an array, as np.asarray makes of it")
    if not isinstance(returned, (tuple, list)):
        return {_name_of_single(returned, case, policy, signature): returned}
    if policy.order and len(policy.order) == len(returned):
        return {name: value for name, value in zip(policy.order, returned) if name != IGNORED}
    others = [name for name in names.state_names(case.op) if name in signature.read_names]
    others += [name for name in ("sum", "y_scale") if name in case.outputs]
    others += ["log_sum_exp"] if _has_log_sum_exp(returned, case) else []
    moments = [name for name in OPTIMIZER_STATE[1:-1] if name in case.outputs]
    if policy.main == "parameter" and len(returned) in (1 + len(moments), 2 + len(moments)):
        others = [*moments, "iterations"][:len(returned) - 1]
    if len(returned) == 1 + len(others):
        return dict(zip([policy.main, *others], returned))
    model_outputs = _logits_and_loss(returned, case, policy)
    if model_outputs:
        return model_outputs
    if not policy.order and signature.receives_x_twice and len(returned) == 2 and (
            _shape_of(returned[0]) == _shape_of(returned[1])):
        chosen = zlib.crc32(case.path.encode()) % 2
        return {policy.main: returned[chosen], f"{IGNORED}{1 - chosen}": returned[1 - chosen]}
    if not policy.order and not others and len(returned) > 1 and _has_size_of_main(returned[0], case, policy):
        return {policy.main: returned[0], **{f"{IGNORED}{place}": value for place, value in enumerate(returned) if place}}
    every = [policy.main, *(name for name in case.outputs if name != policy.main and not is_gradient(name))]
    example = f", as outputs='{','.join(every[:len(returned)])}'" if len(every) >= len(returned) else ""
    raise Unanswered(f"{title} returned {len(returned)} values; expected {policy.main} alone, a mapping by the "
                     f"names of outputs, or outputs= that names each of them{example}")


def _has_log_sum_exp(returned: Sequence[Any], case: Case) -> bool:
    """Whether the second of two values is the log-sum-exp of an attention: always in a merge, else by its shape."""
    shape = case.outputs.get("log_sum_exp")
    return shape is not None and len(returned) == 2 and ("o" in case.tensors or _shape_of(returned[1]) == shape)


def _name_of_single(returned: Tensor, case: Case, policy: OutputPolicy, signature: Signature) -> str:
    """Returns the name of the only value that a function returned.

    This is the only output that `outputs=` names, unless that is a gradient that the framework takes of this value.
    """
    title = signature.derived.title
    if policy.named and len(policy.named) == 1:
        by_framework = is_gradient(policy.named[0]) and "grad_y" not in signature.read_names
        if not (by_framework and _shape_of(returned) in ((), _main_shape(case, policy), case.outputs.get(policy.main))):
            return policy.named[0]
    if policy.main == "loss" and _shape_of(returned) == case.outputs.get("logits"):
        raise Unanswered(f"{title} returned one array, of the shape of logits, {[*returned.shape]}; expected loss, "
                         "logits and loss, or outputs='logits'")
    return policy.main


def _is_nested_list(returned: list[Any]) -> bool:
    """Whether a list has the numbers of an array, as tolist() returns them. A list of single numbers may be outputs."""
    return bool(returned) and all(isinstance(row, list) for row in returned)


def _shape_of(value: Any) -> tuple[int, ...]:
    return tuple(getattr(value, "shape", ()))


def _main_shape(case: Case, policy: OutputPolicy) -> tuple[int, ...] | None:
    shape = case.outputs.get(policy.main)
    return () if shape == (1,) and policy.main == "loss" else shape


def _has_size_of_main(value: Any, case: Case, policy: OutputPolicy) -> bool:
    """Whether a value has the shape of the main output, or as many elements as y in another layout."""
    shape, expected = _shape_of(value), _main_shape(case, policy)
    return shape == expected or expected is not None and policy.main == "y" and len(shape) > 1 and (
        math.prod(shape) == math.prod(expected))


def _logits_and_loss(returned: Sequence[Any], case: Case, policy: OutputPolicy) -> dict[str, Tensor] | None:
    """Returns the two values of a model by name, in either order; None if the values are not these.

    The loss is recognized as a single number, and the logits by their shape.
    """
    logits = case.outputs.get("logits")
    for order in (("logits", "loss"), ("loss", "logits")):
        shapes = dict(zip(order, map(_shape_of, returned)))
        if policy.main == "loss" and len(returned) == 2 and shapes["logits"] == logits and shapes["loss"] in ((), (1,)):
            return dict(zip(order, returned))
    return None


def _output_name(name: str, signature: Signature) -> str:
    require_output_name(name)
    if is_gradient(name) or name in MAIN_OUTPUTS:
        return name
    return names.meaning(name, {*signature.known, "mean", "rstd"}) or name


def require_output_name(name: Any) -> None:
    """Throws Unanswered if a name is no text of printable characters."""
    if type(name) is not str:
        raise Unanswered(f"an output has the name {describe_value(name)}; expected a text")
    if not name.isprintable():
        raise Unanswered(f"an output has the name {describe_value(name)}; expected printable characters")


def require_plausible_size(case: Case, name: str, value: Any) -> None:
    """Throws Unanswered for a large tensor with more than twice the elements of every tensor of the case.

    Such a tensor is never copied. It may be a view whose elements do not exist in memory.
    """
    shape = _shape_of(value)
    count = math.prod(shape)
    if count > MAX_COPIED and count > 2 * max((*(stored.data.size for stored in case.tensors.values()),
                                               *map(math.prod, case.outputs.values())), default=0):
        expected = f"expected {[*case.outputs[name]]}" if name in case.outputs else "expected no such output"
        raise Unanswered(f"{name} has shape {[*shape]}; {expected}")


def store_output(framework: Framework, device: str, layout: Layout, case: Case, name: str, value: Any,
                 shape: tuple[int, ...] | None) -> Stored:
    """Returns an output as the corpus stores it. A scalar may stand for an array of one number.

    `shape` is that of x in the case, or None. Throws Unanswered for a name that is no text, for a value that is no tensor
    of numbers, for a tensor on another device, and for a tensor that is much larger than every tensor of the case.
    """
    require_output_name(name)
    require_plausible_size(case, name, value)
    if not framework.is_tensor(value) and isinstance(value, (bool, int, float)):
        value = np.asarray(value)
    elif not framework.is_tensor(value):
        raise Unanswered(f"{name} is a {type(value).__name__}; expected a tensor of {framework.name}")
    if isinstance(value, np.ndarray) and value.dtype.kind not in "fiubV":
        raise Unanswered(f"{name} has a dtype {value.dtype}; expected a tensor of numbers")
    if framework.is_tensor(value):
        where = framework.device_of(value)
        if not device.startswith(where) and not where.startswith(device):
            raise Unanswered(f"{name} is on {where}; expected on {device}")
        try:
            stored = framework.stored(value)
        except UsageError as error:
            raise Unanswered(f"{name} has {error}") from None
    else:
        stored = Stored("float64", np.asarray(value, np.float64))
    expected = case.outputs.get(name)
    stored = read_bytes_as(stored, _narrow_dtype(case, name), expected)
    if expected is not None and stored.shape != expected and (
            name not in SHAPED_LIKE_X or stored.shape == () and expected != shape) and (
            _without_ones(stored.shape) == _without_ones(expected)):
        return stored.like(stored.data.reshape(expected))  # a statistic that keeps its axis, or a scalar
    if layout.describe() and name in ("mean", "rstd") and expected is not None and stored.data.size == math.prod(expected):
        return stored.like(stored.data.reshape(expected))
    return layout.restore(case, stored, shape) if name in SHAPED_LIKE_X and shape else stored


def _narrow_dtype(case: Case, name: str) -> str:
    """Returns the dtype of an output that a kernel may return as bytes: y of 4 bits, or scales of blocks; else ""."""
    if name == "y" and case.dtype == "float4_e2m1fn":
        return case.dtype
    if name == "y_scale" and case.dtype in EIGHT_BITS and "y_scale_group" not in case.tensors:
        return "float8_e4m3fn" if "y_tensor_scale" in case.tensors else "float8_e8m0fnu"
    return ""


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(extent for extent in shape if extent != 1)


def changed_inputs(framework: Framework, before: Mapping[str, Stored], given: Mapping[str, Tensor]) -> list[str]:
    """Returns the names of the tensors that a call changed."""
    return [name for name, stored in before.items()
            if not isinstance(given[name], int) and not _is_unchanged(stored, framework.stored(given[name]))]


def find_written_input(op: str, framework: Framework, before: Mapping[str, Stored], given: Mapping[str, Tensor],
                       writes: Collection[str] = ()) -> str:
    """Returns one sentence about an input that changed during the call, or "" if none did.

    State may change, and the inputs in `writes`.
    """
    for name, stored in before.items():
        if name in names.state_names(op) or name in OPTIMIZER_STATE or name in writes:
            continue
        if isinstance(given[name], int):  # no tensor
            continue
        after = framework.stored(given[name])
        if not _is_unchanged(stored, after):
            a, b = stored.widened().ravel(), after.widened().ravel()
            at = np.unravel_index(int(np.argmax((a != b) & ~((a != a) & (b != b)))), stored.shape)
            return f"it wrote into {name}, at {[int(index) for index in at]}; expected inputs that are unchanged"
    return ""


def _is_unchanged(before: Stored, after: Stored) -> bool:
    """Whether a tensor is unchanged. If the framework stores it in a wider dtype, compares values instead of bits."""
    if before.dtype == after.dtype:
        return same_bits(before, after)
    return before.shape == after.shape and bool(np.array_equal(before.widened(), after.widened(), equal_nan=True))
