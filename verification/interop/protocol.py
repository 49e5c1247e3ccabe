"""One line in, one line out: how `normproof golden check --pipe` talks to an implementation.

An adapter is a script that defines `step(case)` and ends with `serve(step)`, or with `main(...)`. A case that its
framework has no counterpart for is declined: `step` raises NotOffered, the answer is `not_offered`, and
`golden check` counts it apart. Any other exception is the answer `error`, and fails that case alone. Nothing passes
that was not computed. What a library prints goes to standard error, whatever it prints it with.
"""
import dataclasses
import fnmatch
import json
import os
import pathlib
import sys
import traceback

import numpy as np

MOMENTS = ("velocity", "first_moment", "second_moment")  # of optimizers
# The description of each operation: `normproof operations --json`, ref/model/operation_info.hpp.
OPERATIONS = {operation["name"]: operation for operation in
              json.loads(pathlib.Path(__file__).with_name("operations.json").read_text())}
LAYERS = {name: operation for name, operation in OPERATIONS.items() if operation["kind"] == "layer"}


def names_in(field):
    """The names of all layers' `parameters` or `state`, each once."""
    return tuple(dict.fromkeys(entry["name"] for layer in LAYERS.values() for entry in layer[field]))


PARAMETERS = names_in("parameters")
STATE = (*names_in("state"), "parameter", *MOMENTS)
STEPPED = ("x", "grad_parameter", "grad_y", "valid")
# bfloat16 and the formats of 8 bits are float32 here, on their grids: see Case.dtype.
ARRAYS = {"float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": np.float32,
          "int64": np.int64, "int32": np.int32, "uint8": np.uint8, "boolean": np.bool_,
          "float8_e4m3fn": np.float32, "float8_e5m2": np.float32, "float8_e8m0fnu": np.float32}
NARROW = ("bfloat16", "float16")
EIGHT_BITS = ("float8_e4m3fn", "float8_e5m2")  # with scales: numpy_scaled.py
POWERS = "float8_e8m0fnu"  # scales of blocks
# What functions of adapters take (check_taken): each has the names that it heeds.
AFFINE, STATISTICS = ("gamma", "beta"), ("running_mean", "running_variance", "running_decay")
ADD_NORM_TAKES = ("residual", "grad_sum", *AFFINE, "eps")
OPTIMIZER_TAKES = {
    "sgd": ("parameter", "grad_parameter", "iterations", "velocity", "learning_rate", "momentum"),
    "adam": ("parameter", "grad_parameter", "iterations", "*_moment", "learning_rate", "beta[12]", "eps"),
    "adamw": ("parameter", "grad_parameter", "iterations", "*_moment", "learning_rate", "beta[12]", "eps",
              "weight_decay")}
MOST_SAID = 1000  # characters of an error or a reason


def equal_forms(combination):
    """The operations that another one gives by "times_gate" or "of_sum", with the name of that other one."""
    return {name: form["operation"] for name, operation in OPERATIONS.items()
            for form in operation["equal_forms"] if form["combination"] == combination}


def over_rows(op):
    """Whether op is a layer with statistics over several rows: a mask has a meaning."""
    cells = LAYERS[op]["cells"] if op in LAYERS else []
    return any(cell["partition"] not in ("row", "row_group") for cell in cells)


class NotOffered(Exception):
    """The framework has nothing that computes this case; its text, if any, says what is missing."""


class NotRounded(Exception):
    """An output of 16 or 8 bits whose elements have more digits: it was never computed, or stored, in them."""


@dataclasses.dataclass
class Case:
    path: str
    op: str  # "layer_norm"
    training: bool
    sequence: bool  # x, grad_y and valid, or grad_parameter, have a leading axis of steps
    options: dict  # eps and the like: float, bool or str
    dtype: str  # of x, of an encoder's or an optimizer's parameters, or, where that has 8 bits, of y
    tensors: dict  # name: array
    dtypes: dict = dataclasses.field(default_factory=dict)  # name: dtype of that tensor in the corpus

    def __getitem__(self, name):
        return self.tensors[name]

    def __contains__(self, name):
        """Whether case[name] is there; of an option `name in case.options` says so."""
        return name in self.tensors

    def get(self, name, default=None):
        return self.tensors.get(name, default)

    @property
    def masked(self):
        """Whether there is padding."""
        return "valid" in self.tensors and not self["valid"].all()

    @property
    def compute_dtype(self):
        """What kernels compute in: float32 for 16 bits, else the dtype of the case."""
        return np.float64 if self.dtype == "float64" else np.float32

    def at(self, step, state):
        """One step of a sequence, with the state that the steps before left."""
        tensors = {name: value[step] if name in STEPPED else state.get(name, value)
                   for name, value in self.tensors.items()}
        return dataclasses.replace(self, sequence=False, tensors=tensors)


def parse_option(text):
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text


def parse_number(word):
    return float.fromhex(word) if "x" in word else float(word)


def parse_line(line):
    """The case that a line describes."""
    words = line.split()
    path, op, mode = words[:3]
    sequence, options, tensors, dtypes = False, {}, {}, {}
    i = 3
    while i < len(words):
        if words[i] == "sequence":
            sequence = True
        elif ":" not in words[i]:
            name, value = words[i].split("=")
            options[name] = parse_option(value)
        else:
            name, dtypes[name], extents = words[i].split(":")
            if dtypes[name] not in ARRAYS:
                raise NotOffered(f"{name} is of {dtypes[name]}")
            shape = [int(extent) for extent in extents.split("x")] if extents else []
            count = int(np.prod(shape, dtype=np.int64))
            values = [parse_number(word) for word in words[i + 1:i + 1 + count]]
            tensors[name] = np.array(values, np.float64).astype(ARRAYS[dtypes[name]]).reshape(shape)
            i += count
        i += 1
    floats = [name for name in ("x", "parameter", "head.weight", *dtypes)
              if dtypes.get(name) in ("float64", "float32", *NARROW)]
    of_y = path.rsplit("-", 1)[-1]  # which has 8 bits where x need not have them
    dtype = of_y if of_y in EIGHT_BITS else dtypes[floats[0]]
    return Case(path, op, mode == "training", sequence, options, dtype, tensors, dtypes)


def to_bfloat16(values):
    """float32 rounded to 8 digits, ties to even."""
    values = np.asarray(values, np.float32)
    bits = values.view(np.uint32).astype(np.int64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isfinite(values), rounded, values)


def to_eight_bits(values, dtype):
    """float32 rounded to e4m3fn or e5m2, ties to even; the largest number for what is beyond it."""
    digits, least, largest = {"float8_e4m3fn": (4, -6, 448), "float8_e5m2": (3, -14, 57344)}[dtype]
    values = np.asarray(values, np.float64)
    exponents = np.maximum(np.frexp(values)[1] - 1, least)
    units = np.ldexp(1.0, exponents - digits + 1)
    return np.clip(np.rint(values / units) * units, -largest, largest).astype(np.float32)


def stored(values, dtype):
    """What a kernel of that dtype stores."""
    if dtype in EIGHT_BITS:
        return to_eight_bits(values, dtype)
    return to_bfloat16(values) if dtype == "bfloat16" else np.asarray(values).astype(ARRAYS[dtype])


def all_stored(case, outputs):
    """What kernels store in the dtype of the case as they do; the rest as it is."""
    dtypes = {name: kernel_dtype(case, name) for name in outputs}
    return {name: stored(value, dtypes[name]) if dtypes[name] else value for name, value in outputs.items()}


def format_number(value):
    return value.hex() if np.isfinite(value) else str(value)


# Outputs in the dtype of the case; of these a kernel may keep some in float32.
OF_THE_CASE = ("y", "sum", "logits", "attention.weights", "parameter")
OR_FLOAT32 = ("sum", "logits", "attention.weights")
CACHED = ("attention.keys", "attention.values")  # what the names of a cache end with: in the dtype of the case


def kernel_dtype(case, name):
    """The dtype in which a kernel stores an output of the case, and a gradient: that of what it belongs to. Else "".

    In a case of 8 bits: that of y, and e5m2 for a gradient with a scale.
    """
    if case.dtype in EIGHT_BITS:
        if name.endswith("_scale"):
            return POWERS
        scaled = name.startswith("grad_") and f"{name}_scale" in case.tensors
        return case.dtype if name == "y" else "float8_e5m2" if scaled else ""
    if name.startswith("grad_"):
        return case.dtypes.get(name[len("grad_"):], case.dtype)
    return case.dtype if name in OF_THE_CASE or name.endswith(CACHED) else ""


def as_stored(case, name, value):
    """An output, and the dtype that it is said to have.

    NumPy has no bfloat16 and no 8 bits: float32 whose numbers are all of them is taken as that. Nothing is rounded
    here, for then an implementation that knows no 16 bits would look as if it did.
    """
    value = np.asarray(value)
    if value.dtype.name == "bfloat16":  # of ml_dtypes
        return value.astype(np.float32), "bfloat16"
    narrow = kernel_dtype(case, name)
    if narrow == POWERS and (np.frexp(value)[0][np.isfinite(value)] == 0.5).all():
        return value, narrow
    if narrow not in (*NARROW, *EIGHT_BITS) or value.dtype.kind != "f" or value.dtype.name == narrow:
        return value, value.dtype.name
    with np.errstate(all="ignore"):
        rounded = stored(value, narrow).astype(value.dtype)
    finer = np.argwhere(~((rounded == value) | np.isnan(value)))
    if len(finer) and name in OR_FLOAT32:
        return value, value.dtype.name
    if len(finer):
        at = tuple(int(index) for index in finer[0])
        why = "has more digits" if np.isfinite(rounded[at]) else "is too large"
        raise NotRounded(f"{name} is not of {narrow}: {list(at)} = {float(value[at])!r} {why} "
                         f"({value.dtype.name}, {len(finer)} of {value.size} elements)")
    return value, narrow


def format_answer(case, outputs):
    """The answer line."""
    words = [case.path]
    for name, value in outputs.items():
        value, dtype = as_stored(case, name, value)
        words.append(f"{name}:{dtype}:{'x'.join(map(str, value.shape))}")
        if value.dtype.kind == "f":
            words += [format_number(float(element)) for element in value.ravel()]
        else:
            words += [str(int(element)) for element in value.ravel()]
    return " ".join(words)


def run_case(case, step):
    """The outputs of step(case), or those of every step on top of each other."""
    if not case.sequence:
        return step(case)
    state, every = {}, []
    stepped = next(name for name in STEPPED if name in case.tensors)
    for index in range(len(case[stepped])):
        every.append(step(case.at(index, state)))
        state = {name: every[-1][name] for name in STATE if name in every[-1]}
    return {name: np.stack([outputs[name] for outputs in every]) for name in every[0]}


def check_taken(case, taken):
    """Declines, by name, what the function of a case does not take.

    That is an input that fits none of the globs `taken`, or an option that fits none and is not as operations.json
    has it where it is left out. x and grad_y are taken always.
    """
    def is_taken(name):
        return any(fnmatch.fnmatchcase(name, glob) for glob in ("x", "grad_y", *taken))

    usual = LAYERS.get(case.op, {}).get("options", {})
    for name, value in case.options.items():
        if not is_taken(name) and (name not in usual or parse_option(usual[name]) != value):
            raise NotOffered(f"{case.op} here takes no option {name}={value}")
    for name in case.tensors:
        if not is_taken(name):
            raise NotOffered(f"{case.op} here takes no input {name}")


def in_one_line(text):
    return " ".join(text.split())[:MOST_SAID]


def answer_to(line, step, offered, takes, eight_bits):
    """The answer to a line, whatever happens; what went wrong is on standard error in full."""
    path, op = line.split()[:2]
    try:
        if offered is not None and op not in offered:
            raise NotOffered(f"{op} is not among its operations")
        case = parse_line(line)
        if case.dtype in EIGHT_BITS and not eight_bits:
            raise NotOffered(f"{case.dtype} with scales")
        if takes is not None:
            check_taken(case, takes.get(op, ()))
        return format_answer(case, run_case(case, step))
    except NotOffered as reason:
        return in_one_line(f"{path} not_offered {reason}")
    except (Exception, SystemExit) as error:  # one case fails, not the adapter
        traceback.print_exc()
        return in_one_line(f"{path} error {traceback.format_exception_only(type(error), error)[-1]}")


def serve(step, offered=None, takes=None, eight_bits=False):
    """Answers each line of standard input on what is standard output at first.

    `offered`: operations, or all that come. `takes`: of each operation globs of the options and inputs that its
    function takes, as check_taken has it; or all are. `eight_bits`: whether it knows tensors of 8 bits and
    their scales; else such cases are declined.
    """
    import streams  # not before: what a test prints is not moved

    for line in streams.questions:
        print(answer_to(line, step, offered, takes, eight_bits), file=streams.answers, flush=True)


def other_bias(new, old, decay, factor):
    """A running variance whose step's own variance is multiplied by factor: n/(n-1) or (n-1)/n.

    In float64, for the framework has one convention and the case the other one.
    """
    kept = decay * old.astype(np.float64)
    return (kept + (new.astype(np.float64) - kept) * factor).astype(new.dtype)


def asks(layers, dtypes, outputs="", cases="*"):
    """Rows of the table: cases of a layer and a dtype, and their outputs (empty: all required ones)."""
    return [{"layer": layer, "dtype": dtype, "outputs": outputs, "glob": f"*/{layer}/{cases}-{dtype}"}
            for layer in layers for dtype in dtypes]


def main(framework, version, rows, step, takes=None, eight_bits=False):
    """`--describe`: what the adapter may be asked, as JSON. Else it answers; the rest is as for serve."""
    if sys.argv[1:] == ["--describe"]:
        out = sys.modules["streams"].answers if "streams" in sys.modules else sys.stdout
        print(json.dumps({"framework": framework, "version": version, "rows": rows}), file=out, flush=True)
    else:
        serve(step, {row["layer"] for row in rows}, takes, eight_bits)
