"""Calls an implementation before it is judged, to learn how it is called: with whose tensors, and with which conventions."""
from __future__ import annotations

import dataclasses
import sys
from typing import Any, Callable, Iterator

import numpy as np

from normproof import frameworks, names
from normproof.corpus import Case
from normproof.errors import NormproofError, NotOffered, Unanswered, UsageError, in_one_line, is_wrong_call
from normproof.invocation import LAYERS_WITH_CHANNELS, Invocation, Sighting
from normproof.isolation import look_once, start_runner
from normproof.layout import has_channels_first, keeps_samples_apart
from normproof.output_policy import MAIN_OUTPUTS
from normproof.packing import Packing
from normproof.returned import OPTIMIZER_STATE
from normproof.signature import EVERYTHING
from normproof.stored import Stored
from normproof.variants import ROWS

# The axes of x that a function may require, in the order in which they are tried: channels first, and axes of positions.
CHANNEL_AXES = ((True, 2), (True, 1), (False, 0), (False, 2), (False, 1))
ROW_AXES = ((False, 0), (False, 1), (False, 2))
# Forms of the number of an optimizer's step, in the order in which they are tried: rules that count from 0 and from 1.
STEP_FORMS = (("steps_before", "step_number"), ("iterations", "step_array"), ("steps_before_scalar", "step_scalar"))
MAX_LOOKS = 3  # failed cases on which another way to call a function is looked for
PROBED_DECAY = 0.75  # the running_decay that tells the weight of the old statistics from that of the new ones


class Prober:
    """Looks for a way to call a function.

    make        returns an invocation, given framework=
    framework   the name of the framework that the user chose, or None
    """

    def __init__(self, make: Callable[[str | None], Invocation], *, framework: str | None, isolate: bool,
                 seconds: float | None) -> None:
        self._make, self._framework, self._isolate, self._seconds = make, framework, isolate, seconds
        self._looks = 0

    def understand(self, invocation: Invocation, case: Case, is_own: bool = False) -> Invocation:
        """Returns the invocation with the conventions that only calls show: the count of steps, the meaning of momentum.

        Calls the function only if its parameters leave such a question open. The cases differ from `case` in their numbers.
        is_own   whether the case has user-supplied tensors, so that its options and heads are those that the user wants
        """
        if invocation.makes_module or EVERYTHING in invocation.read_names or case.dtype.startswith("float8"):
            return invocation
        if "gate" in case.tensors and not {"gate", "grad_gate"} & invocation.read_names and "x" in invocation.read_names:
            invocation = self._find_packed(invocation, case)
            if invocation.packing != Packing() and not invocation.packs_gate:
                raise UsageError(f"normproof: layout= names a layout of x and gate in one tensor of {invocation.title}, whose "
                                 "output is not half as wide; expected no layout=, or a function of such a tensor")
        if invocation.signature.step_parameters and "parameter" in case.tensors:
            invocation = self._find_count(invocation, case)
        if not is_own and set(names.state_names(invocation.op)) & set(case.tensors):
            invocation = self._find_matrix(invocation, case)
        if "momentum" in invocation.signature.tensor_order and "running_decay" in names.option_names(invocation.op):
            invocation = self._find_meaning_of_momentum(invocation, case)
        if not is_own and "unbiased_running_variance" in names.option_names(invocation.op):
            invocation = self._find_running_variance(invocation, case)
        if not is_own and "q" in case.tensors:
            invocation = self._find_mask(invocation, case)
        if not is_own and "cos" in case.tensors:
            invocation = self._find_rotation(invocation, case)
        return invocation

    def look_again(self, invocation: Invocation, case: Case) -> Invocation:
        """Returns the invocation under which a call on this case raises nothing, with the inputs that the function overwrites.

        Other invocations have the tensors of another framework that has been imported, an x of other axes, or other tables of a
        rotation. If none works, the result is `invocation`.
        Throws UsageError if the arguments do not fit the parameters of the function.
        """
        if invocation.makes_module or self._looks >= MAX_LOOKS:
            return invocation
        self._looks += 1
        sighting, error = self._look(invocation, case)
        if isinstance(error, NotOffered):
            return invocation
        if isinstance(error, Exception):
            for other in self._alternatives(invocation, case):
                found, other_error = self._look(other, case)
                if other_error is None and found is not None and _is_plausible(other, case, found):
                    invocation, sighting, error = other, found, None
                    break
        if error is not None and is_wrong_call(error) and _is_of_the_call(error):
            raise UsageError(f"{invocation.title} cannot be called with {invocation.signature.title}: {in_one_line(error)}; "
                             "expected arguments=, which says what its parameters receive")
        if sighting is not None and not sighting.returned and not sighting.written:  # these numbers may change nothing
            sighting, _ = self._look(invocation, with_random_numbers(case))
        return self._with_writes(invocation, case, sighting)

    def _look(self, invocation: Invocation, case: Case) -> tuple[Sighting | None, BaseException | None]:
        """Returns what a call showed, and the exception that it raised, if any. (None, None) if it did not end in time."""
        try:
            return look_once(invocation, case, self._isolate, self._seconds), None
        except KeyboardInterrupt:
            raise
        except NotOffered as error:
            return None, error
        except NormproofError:
            return None, None
        except BaseException as error:  # the case is judged afterwards, and fails with it
            return None, error

    @staticmethod
    def _with_writes(invocation: Invocation, case: Case, sighting: Sighting | None) -> Invocation:
        writes = overwritten_outputs(invocation.op, case, sighting.written) if sighting is not None else {}
        return invocation.with_writes({**writes, **invocation.writes}) if writes else invocation

    def _bases(self, invocation: Invocation) -> Iterator[Invocation]:
        """Yields the invocation, and that with the tensors of each other framework that a function without one may take."""
        yield invocation
        if self._framework is not None or not invocation.framework.name.startswith("NumPy "):
            return
        for name in frameworks.MODULES:
            if name not in ("numpy", "dlpack") and name in sys.modules:
                try:
                    yield self._make(name).like(invocation)
                except UsageError:  # it has no such device or dtype
                    continue

    def _alternatives(self, invocation: Invocation, case: Case) -> Iterator[Invocation]:
        bases = list(self._bases(invocation))
        yield from bases[1:]
        for base in bases:
            variants = [base]
            if "cos" in case.tensors and not base.doubled_tables:  # tables of transformers have one element per feature
                variants.append(dataclasses.replace(base, doubled_tables=True))
                yield variants[-1]
            if "x" not in case.tensors or base.layout.reshapes or base.layout.user_shape is not None or not base.may_reshape:
                continue
            if self._look(base, with_usual_rows(case))[0] is not None:
                continue  # it takes as many axes, so that it raises the exception for another reason
            for channels_first, spatial_axes in CHANNEL_AXES if base.op in LAYERS_WITH_CHANNELS else ROW_AXES:
                if spatial_axes > 0 or not keeps_samples_apart(base.op):
                    yield from (variant.with_axes(channels_first, spatial_axes) for variant in variants)

    def _answer(self, invocation: Invocation, case: Case) -> dict[str, np.ndarray[Any, Any]]:
        """Returns the outputs of a call as arrays of numbers; none of them if it fails."""
        runner = start_runner(invocation, self._isolate, self._seconds)
        try:
            return {name: stored.widened() for name, stored in runner(case).outputs.items()}
        except KeyboardInterrupt:
            raise
        except BaseException:  # the cases are judged afterwards, and fail with it
            return {}
        finally:
            runner.close()

    def _find_packed(self, invocation: Invocation, case: Case) -> Invocation:
        """Returns the invocation with x and gate side by side in one parameter, if the output is then half as wide."""
        for base in self._bases(dataclasses.replace(invocation, packs_gate=True)):
            found, error = self._look(base, with_random_numbers(case))
            if error is None and found is not None and found.shape == base.arrange_like_x(case, "gate").shape:
                return base
        return invocation

    def _find_count(self, invocation: Invocation, case: Case) -> Invocation:
        """Returns the invocation with the number of steps in the form and from the number that the function counts from.

        In the first step, a function that counts from 1 divides by zero if it gets 0.
        """
        case = with_random_numbers(case.at(0, {}) if case.sequence else case)
        case = case.replaced({**case.tensors, "iterations": Stored("int64", np.zeros(1, np.int64))})
        for base in self._bases(invocation):
            for before, number in STEP_FORMS:
                found, error = self._look(base.with_count(before), case)
                if error is None and found is not None and found.finite:
                    return self._with_writes(base.with_count(before), case, found)
                if error is not None and "ZeroDivisionError" not in in_one_line(error):
                    continue
                found, error = self._look(base.with_count(number), case)
                if error is None and found is not None and found.finite:
                    return self._with_writes(base.with_count(number), case, found)
        return invocation

    def _find_matrix(self, invocation: Invocation, case: Case) -> Invocation:
        """Returns the invocation of a function whose x is a matrix: for an x of three axes, its statistics have another shape."""
        state = next(name for name in names.state_names(case.op) if name in case.tensors)
        if not invocation.may_reshape or invocation.layout.reshapes or keeps_samples_apart(case.op) or (
                case.sequence or case.tensors["x"].data.ndim != 3):
            return invocation
        case = with_random_numbers(case)
        case.training = True
        for base in self._bases(invocation):
            found = self._answer(base, case).get(state)
            if found is not None:
                return base if found.shape == case.tensors[state].shape else base.with_axes(False, 0)
        return invocation

    def _find_meaning_of_momentum(self, invocation: Invocation, case: Case) -> Invocation:
        """Returns the invocation with `momentum` as the weight of the old or of the new statistics.

        The weight of the old ones is the change of the result if they change by 1.
        """
        state = next((name for name in names.state_names(case.op) if name in case.tensors), None)
        if state is None:
            return invocation
        case = with_random_numbers(case.at(0, {}) if case.sequence else case)
        case.options, case.training = {**case.options, "running_decay": PROBED_DECAY}, True
        moved = case.replaced({**case.tensors, state: with_added_one(case.tensors[state])})
        if state not in self._answer(invocation, case):
            invocation = self.look_again(invocation, case)
        before, after = self._answer(invocation, case).get(state), self._answer(invocation, moved).get(state)
        if before is None or after is None or before.shape != after.shape:
            return invocation
        weight = float(np.mean(after - before))
        weighs_new = invocation.signature.derived.momentum_is_of_new_values
        if abs(weight - (1 - PROBED_DECAY)) < 0.05:  # what was passed as the old weight was that of the new values
            return invocation.with_momentum(not weighs_new)
        return invocation

    def _find_running_variance(self, invocation: Invocation, case: Case) -> Invocation:
        """Returns the invocation of a function whose running variance is the biased one, as in Keras and flax.

        Functions of frameworks in which it is the unbiased one, as PyTorch, are judged by that one.
        """
        state = ("running_mean", "running_variance")
        if "unbiased_running_variance" in invocation.read_names or not set(state) <= set(case.tensors) or (
                invocation.framework.momentum_weighs_new or "valid" in invocation.read_names):
            return invocation
        case = with_random_numbers(case)
        case.options, case.training = {**case.options, "running_decay": PROBED_DECAY, "unbiased_running_variance": True}, True
        found = self._answer(invocation, case).get("running_variance")
        x, old = case.tensors["x"].widened(), case.tensors["running_variance"].widened()
        if found is None or found.shape != old.shape:
            return invocation
        rows = np.moveaxis(x, 1 if has_channels_first(case) else -1, -1).reshape(-1, old.size).astype(np.float64)
        share = (found - PROBED_DECAY * old) / (1 - PROBED_DECAY) / rows.var(0) - 1
        if len(rows) > 1 and float(np.abs(share).max()) < 0.25 / (len(rows) - 1):
            return invocation.with_known_options({"unbiased_running_variance": False})
        return invocation

    def _find_mask(self, invocation: Invocation, case: Case) -> Invocation:
        """Returns the invocation of a function of attention with the causal mask that it always has, if it has one.

        A function that answers a plain question may raise an exception for other shapes, which are then declined.
        """
        if "valid" in invocation.read_names:
            return self._find_mask_shape(invocation, case)
        square = attention_case(case, 3, 3)
        found = next((base for base in self._bases(invocation) if "y" in self._answer(base, square)), None)
        if found is None:
            return invocation
        invocation = dataclasses.replace(found, declines_shapes=True)
        if "causal" in invocation.read_names:
            return self._without_wrong_corner(invocation, case)
        changed = self._changed_rows(invocation, square, key=2)
        if changed != [False, False, True]:
            return invocation
        wide = self._changed_rows(invocation, attention_case(case, 2, 4), key=2)
        corner = {"mask_corner": "top_left"} if wide and not wide[0] else {}
        return invocation.with_known_options({"causal": True, **corner})

    def _without_wrong_corner(self, invocation: Invocation, case: Case) -> Invocation:
        """Returns the invocation without a known corner of the mask that a call shows to be the other one."""
        wide = attention_case(case, 2, 4)
        wide.options = {**wide.options, "causal": True}
        known = dict(invocation.conventions.options)
        if known.get("mask_corner") != "top_left" or self._changed_rows(invocation, wide, key=2) != [True, True]:
            return invocation
        del known["mask_corner"]
        return dataclasses.replace(invocation, conventions=dataclasses.replace(invocation.conventions, options=known))

    def _find_mask_shape(self, invocation: Invocation, case: Case) -> Invocation:
        """Returns the invocation of a function of attention with a mask, in the first shape in which it raises nothing."""
        masked = attention_case(case, 4, 5, samples=3)
        masked = masked.replaced({**masked.tensors, "valid": Stored("boolean", np.array([[True] * 4 + [False]] * 3))})
        for base in self._bases(invocation):
            for variant in (base, base.with_broadcast_mask()):
                if "y" in self._answer(variant, masked):
                    return dataclasses.replace(variant, declines_shapes=True)
        return invocation

    def _changed_rows(self, invocation: Invocation, case: Case, key: int) -> list[bool]:
        """Returns for each query whether its output changes with a key and its value; [] if the function fails."""
        changed = {name: case.tensors[name].data.copy() for name in ("k", "v")}
        for data in changed.values():
            data[..., key, :] = data[..., 0, ::-1] if data.shape[-1] > 1 else data[..., 0, :]
        other = case.replaced({**case.tensors, **{name: case.tensors[name].like(data) for name, data in changed.items()}})
        a, b = self._answer(invocation, case).get("y"), self._answer(invocation, other).get("y")
        if a is None or b is None or a.shape != b.shape or a.ndim != 4:
            return []
        return [bool(np.any(a[..., row, :] != b[..., row, :])) for row in range(a.shape[-2])]

    def _find_rotation(self, invocation: Invocation, case: Case) -> Invocation:
        """Returns the invocation of a rotation that may decline shapes, if it answers a question about every feature."""
        whole = rotation_case(case)
        for base in self._bases(invocation):
            for variant in (base, dataclasses.replace(base, doubled_tables=True)):
                if "y" in self._answer(variant, whole):
                    return self._find_pairs(dataclasses.replace(variant, declines_shapes=True), whole)
        return invocation

    def _find_pairs(self, invocation: Invocation, case: Case) -> Invocation:
        """Returns the invocation of a function that rotates interleaved pairs, if it takes no option that says so."""
        if "interleaved" in invocation.read_names:
            return invocation
        x = case.tensors["x"]
        first = np.arange(x.shape[-1]) == 0
        x = x.like(np.where(first, x.data, 0).astype(x.data.dtype))
        y = self._answer(invocation, case.replaced({**case.tensors, "x": x}))
        if "y" not in y or y["y"].shape != x.shape:
            return invocation
        reached = np.any(y["y"] != 0, axis=tuple(range(x.data.ndim - 1)))
        return invocation.with_known_options({"interleaved": True}) if list(np.flatnonzero(reached)) == [0, 1] else invocation


def _is_plausible(invocation: Invocation, case: Case, sighting: Sighting) -> bool:
    """Whether a function that takes an x of other axes returned a tensor of the shape of x, where y has that shape."""
    if not invocation.layout.reshapes or sighting.shape is None or case.outputs.get("y") != case.tensors["x"].shape:
        return True
    return sighting.shape == invocation.arrange_like_x(case, "x").shape


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


def _random_like(stored: Stored, generator: np.random.Generator) -> Stored:
    """Returns a tensor with numbers from 0.5 to 1.5. Integers, masks and tensors of 8 bits stay as they are."""
    numbers = generator.uniform(0.5, 1.5, stored.shape)
    if stored.dtype == "bfloat16":
        return stored.like((numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16))
    return stored.like(numbers.astype(stored.data.dtype)) if stored.dtype.startswith("float") and (
        stored.data.dtype.kind == "f") else stored


def with_random_numbers(case: Case) -> Case:
    """Returns a case of the same shapes and options with other numbers, all of them positive."""
    generator = np.random.default_rng(1)
    return case.replaced({name: _random_like(stored, generator) for name, stored in case.tensors.items()})


def with_usual_rows(case: Case) -> Case:
    """Returns a case with as many axes and features, four samples, and four rows along each other axis but one of positions."""
    shape = case.tensors["x"].shape
    kept = 2 if "cos" in case.tensors else 1
    usual = (*(4,) * (len(shape) - kept), *shape[len(shape) - kept:-1]) if len(shape) > kept else shape[:-1]
    if has_channels_first(case):
        usual = (4, shape[1], *(4,) * (len(shape) - 2))
    leading = shape if has_channels_first(case) else shape[:-1]
    tensors = {}
    for name, stored in case.tensors.items():
        if name in ROWS and stored.shape[:len(leading)] == leading:
            filler = np.ones((*usual, *stored.shape[len(leading):]), stored.data.dtype)
            tensors[name] = stored.like(filler)
        else:
            tensors[name] = stored
    return with_random_numbers(case.replaced(tensors))


def with_added_one(stored: Stored) -> Stored:
    """Returns a tensor whose numbers are greater by 1, as float32 if it has 16 bits."""
    dtype = stored.dtype if stored.dtype in ("float64", "float32") else "float32"
    return Stored(dtype, (stored.widened() + 1).astype(dtype))


def attention_case(case: Case, queries: int, keys: int, samples: int = 1) -> Case:
    """Returns a case of attention with heads that are not grouped, four features, and no mask."""
    generator = np.random.default_rng(1)
    lengths = {"q": queries, "k": keys, "v": keys, "grad_y": queries}
    shapes = {name: (samples, 2, length, 4) for name, length in lengths.items()}
    tensors = {name: _random_like(case.tensors["q"].like(np.zeros(shape, case.tensors["q"].data.dtype)), generator)
               for name, shape in shapes.items()}
    outputs = {"y": shapes["q"], **{f"grad_{name}": shapes[name] for name in ("q", "k", "v")}}
    other = case.replaced(tensors, outputs=outputs)
    other.options = {**case.options, "causal": False, "scale": 0.5}
    return other


def rotation_case(case: Case) -> Case:
    """Returns a case of rope in which every feature is rotated, and no table has one column."""
    generator = np.random.default_rng(1)
    shapes = {"x": (1, 2, 3, 8), "grad_y": (1, 2, 3, 8), "cos": (3, 4), "sin": (3, 4)}
    like = {name: case.tensors.get(name, case.tensors["x"]) for name in shapes}
    tensors = {name: _random_like(like[name].like(np.zeros(shape, like[name].data.dtype)), generator)
               for name, shape in shapes.items()}
    return case.replaced(tensors, outputs={"y": shapes["x"], "grad_x": shapes["x"]})
