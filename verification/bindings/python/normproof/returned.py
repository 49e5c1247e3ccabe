"""What a function under test gave back, and what it did to its inputs."""
import numpy as np

from normproof import names
from normproof.errors import Unanswered, UsageError
from normproof.stored import Stored, same_bits

SHAPED_AS_X = ("x", "gate", "residual", "grad_y", "grad_sum", "y", "sum", "grad_x", "grad_gate")
MAIN = ("y", "loss", "parameter", "logits")  # the output of a function that returns one: of optimizers, of decoding
STEPPED = ("parameter", "velocity", "first_moment", "second_moment", "iterations")  # that optimizers may write to


def by_names(candidate, returned, case):
    """What a function returned, by the names of outputs. Throws Unanswered where it cannot be told."""
    if returned is None:
        raise Unanswered(f"{candidate.title} returned nothing; expected {candidate.main}")
    if isinstance(returned, dict):
        return {_output_name(candidate, name): value for name, value in returned.items()}
    if not isinstance(returned, (tuple, list)):
        alone = candidate.outputs and len(candidate.outputs) == 1
        if not alone and candidate.main == "loss" and _shape_of(returned) == case.outputs.get("logits"):
            raise Unanswered(f"{candidate.title} returned one array, of the shape of logits, {[*returned.shape]}; expected loss, "
                             "logits and loss, or outputs='logits'")
        return {candidate.outputs[0] if alone else candidate.main: returned}
    if candidate.outputs and len(candidate.outputs) == len(returned):
        return dict(zip(candidate.outputs, returned))
    state = [name for name in names.state_of(case.op) if name in candidate.binding.taken]
    if "sum" in case.outputs:
        state.append("sum")
    if len(returned) == 1 + len(state):
        return dict(zip([candidate.main, *state], returned))
    told = _by_shapes(candidate, returned, case)
    if told:
        return told
    every = [candidate.main, *(name for name in case.outputs if name != candidate.main and not name.startswith("grad_"))]
    such = f", as outputs='{','.join(every[:len(returned)])}'" if len(every) >= len(returned) else ""
    raise Unanswered(f"{candidate.title} returned {len(returned)} values; expected {candidate.main} alone, a mapping by the "
                     f"names of outputs, or outputs= that names each of them{such}")


def _shape_of(value):
    return tuple(getattr(value, "shape", ()))


def _by_shapes(candidate, returned, case):
    """The two values of a model by name, in either order: the loss is one number, the logits have their shape. None where
    they are not these."""
    logits = case.outputs.get("logits")
    for order in (("logits", "loss"), ("loss", "logits")):
        shapes = dict(zip(order, map(_shape_of, returned)))
        if candidate.main == "loss" and len(returned) == 2 and shapes["logits"] == logits and shapes["loss"] in ((), (1,)):
            return dict(zip(order, returned))
    return None


def _output_name(candidate, name):
    if name.startswith("grad_") or name in MAIN:
        return name
    return names.meaning(name, {*candidate.known, "mean", "rstd"}) or name


def stored(candidate, case, name, value, shape):
    """An output as it is stored. Throws Unanswered where it is no tensor, or on another device.

    shape: of x in the case. Where an array of one number is expected, the number is as good.
    """
    if not candidate.framework.is_tensor(value) and isinstance(value, (bool, int, float)):
        value = np.asarray(value)
    elif not candidate.framework.is_tensor(value):
        raise Unanswered(f"{name} is a {type(value).__name__}; expected a tensor of {candidate.framework.NAME}")
    if isinstance(value, np.ndarray) and value.dtype.kind not in "fiubV":
        raise Unanswered(f"{name} has a dtype {value.dtype}; expected a tensor of numbers")
    if candidate.framework.is_tensor(value):
        where = candidate.framework.device_of(value)
        if not candidate.device.startswith(where) and not where.startswith(candidate.device):
            raise Unanswered(f"{name} is on {where}; expected on {candidate.device}")
        try:
            held = candidate.framework.stored(value)
        except UsageError as error:
            raise Unanswered(f"{name} has {error}") from None
    else:
        held = Stored("float64", np.asarray(value, np.float64))
    if held.shape == () and case.outputs.get(name) == (1,):
        return held.like(held.data.reshape(1))
    return candidate.layout.returned(case, held, shape) if name in SHAPED_AS_X and shape else held


def beside(candidate, case, outputs):
    """The names of outputs that a forward returned beside the main one; a state that is as it was is none: a function that
    takes it need not return it."""
    return [name for name, stored in outputs.items()
            if name in case.outputs and name != candidate.main and not name.startswith("grad_")
            and not (name in case.tensors and _stays(case.tensors[name], stored))]


def _stays(before, after):
    """Whether a state is as it was; of a sequence, after every step."""
    if before.shape == after.shape:
        return same_bits(before, after)
    return after.shape[1:] == before.shape and all(same_bits(before, after.like(step)) for step in after.data)


def what_was_written(candidate, placed, given):
    """One sentence on an input that is not as it was; "" where all are."""
    for name, before in placed.items():
        if name in names.state_of(candidate.op) or name in STEPPED:
            continue
        after = candidate.framework.stored(given[name])
        if not _is_unchanged(before, after):
            a, b = before.widened().ravel(), after.widened().ravel()
            at = np.unravel_index(int(np.argmax((a != b) & ~((a != a) & (b != b)))), before.shape)
            return f"it wrote into {name}, at {[int(index) for index in at]}; expected inputs that are unchanged"
    return ""


def _is_unchanged(before, after):
    """Whether a tensor is as it was; one that a framework keeps in a wider dtype is read back in that."""
    if before.dtype == after.dtype:
        return same_bits(before, after)
    return before.shape == after.shape and np.array_equal(before.widened(), after.widened(), equal_nan=True)
