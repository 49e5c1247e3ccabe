"""Variants of a case that relations ask: other shapes, parts of the samples, other memory."""
import inspect

import numpy as np

# What a case has samples of; and what has an axis of them.
WITH_SAMPLES = ("x", "q", "logits")
OF_SAMPLES = ("q", "k", "v", "grad_q", "grad_k", "grad_v", "logits", "targets")
# Whose first axes are those of x.
ROWS = ("x", "residual", "gate", "grad_y", "grad_sum", "y", "sum", "grad_x", "grad_residual", "grad_gate", "valid")
# What arrives beside or in the place of x, with as many axes.
LAID_OUT = ("x", "residual", "gate", "q", "k", "v", "logits", "grad_y", "grad_sum")


def option_texts(case):
    """The options of a case as the texts that the C ABI takes."""
    return {name: str(value).lower() if isinstance(value, bool) or value is None else value if isinstance(value, str)
            else str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(value)
            for name, value in case.options.items()}


def reshaped(case, leading):
    """The rows of a case under other leading extents."""
    shape = case.tensors["x"].shape
    tensors = {}
    for name, stored in case.tensors.items():
        data = stored.data
        if name in ROWS and data.shape[:len(shape) - 1] == shape[:-1]:
            data = data.reshape((*leading, *data.shape[len(shape) - 1:]))
        tensors[name] = stored.like(data)
    return case.replaced(tensors)


def reshaped_back(case, outputs):
    """Answers to a reshaped case in the shapes of the case."""
    shape = case.tensors["x"].shape
    back = {}
    for name, stored in outputs.items():
        if name in ROWS and stored.data.size == int(np.prod(shape)):
            stored = stored.like(stored.data.reshape(shape))
        elif name in (*ROWS, "mean", "rstd") and stored.data.size == int(np.prod(shape[:-1])):
            stored = stored.like(stored.data.reshape(shape[:-1]))
        back[name] = stored
    return back


def samples_in(case):
    """The number of samples of a case, the first extent of its leading tensor; None where it has none."""
    return next((case.tensors[name].shape[0] for name in WITH_SAMPLES if name in case.tensors), None)


def samples_of(case, part):
    """Some of the samples of a case."""
    samples = samples_in(case)
    return case.replaced({name: stored.like(stored.data[part])
                          if name in (*ROWS, *OF_SAMPLES) and stored.shape[:1] == (samples,)
                          else stored for name, stored in case.tensors.items()})


def repeated(case, times):
    """The samples of a case that many times, one after another; of one sample without a copy of it."""
    samples = case.tensors["x"].shape[0]

    def repeat(data):
        if samples == 1:
            return np.broadcast_to(data, (times, *data.shape[1:]))
        return np.tile(data, (times, *[1] * (data.ndim - 1)))
    return case.replaced({name: stored.like(repeat(stored.data)) if name in ROWS and stored.shape[:1] == (samples,)
                          else stored for name, stored in case.tensors.items()})


def copy_of(case, outputs, number, times):
    """The answers to one copy of the samples of a case, of those to all of them."""
    samples = case.tensors["x"].shape[0]
    return {name: stored.like(stored.data[number * samples:(number + 1) * samples])
            if stored.shape[:1] == (times * samples,) else stored for name, stored in outputs.items()}


def with_other_numbers(case):
    """Another question of the same shapes: all elements in reverse order; of attention within their last axis alone, so
    that every query still has a key."""
    axis, moved = (-1, LAID_OUT) if "q" in case.tensors else (None, (*LAID_OUT, "valid"))
    return case.replaced({name: stored.like(np.flip(stored.data, axis).copy()) if name in moved else stored
                          for name, stored in case.tensors.items()})


def empty_like(framework, tensor):
    """A buffer of the shape of a tensor, full of NaN where it can hold them."""
    stored = framework.stored(tensor)
    full = np.full(stored.shape, 0x7FC0 if stored.dtype == "bfloat16" else np.nan).astype(stored.data.dtype)
    return framework.tensor(stored.like(full), framework.device_of(tensor))


def buffer_argument(candidate):
    """ "out", "inplace" or None: what the function has to say where it writes."""
    try:
        parameters = inspect.signature(candidate.fn).parameters
    except (TypeError, ValueError):
        return None
    return next((name for name in ("out", "inplace") if name in parameters), None)


def first_difference(one, other):
    a, b = one.widened(), other.widened()
    differs = (a != b) & ~((a != a) & (b != b))
    if not differs.any():  # signs of zeros
        differs = np.signbit(a) != np.signbit(b)
    return [int(index) for index in np.argwhere(differs)[0]]
