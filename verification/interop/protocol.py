"""The protocol of `normproof golden check --pipe`: it writes one question per line and reads one answer per line.

An adapter is a script that defines `step(case)` and ends with `serve(step)`, or with `main(...)`. To decline a case,
`step` raises NotOffered; the answer is `not_offered`, and `golden check` counts such cases separately. Any other
exception becomes the answer `error`, which fails that case only. What a library prints goes to standard error, however
it prints it.
"""
import dataclasses
import fnmatch
import json
import pathlib
import sys
import traceback

import numpy as np

MOMENTS = ("velocity", "first_moment", "second_moment")  # of optimizers
# The description of each operation, from `normproof operations --json` (ref/model/operation_info.hpp).
OPERATIONS = {operation["name"]: operation for operation in
              json.loads(pathlib.Path(__file__).with_name("operations.json").read_text())}
LAYERS = {name: operation for name, operation in OPERATIONS.items() if operation["kind"] == "layer"}


def equal_forms(combination):
    """Returns a dictionary of the operations that combine another one with a gate or a sum, with that one's name."""
    return {name: form["operation"] for name, operation in OPERATIONS.items()
            for form in operation["equal_forms"] if form["combination"] == combination}


def names_in(field):
    """Returns the names of all layers' `parameters` or `state`, each once."""
    return tuple(dict.fromkeys(entry["name"] for layer in LAYERS.values() for entry in layer[field]))


STATE = (*names_in("state"), "parameter", *MOMENTS)
PER_STEP = ("x", "grad_parameter", "grad_y", "valid")  # tensors whose leading axis is the step of a sequence
# How NumPy holds each dtype. Numbers of bfloat16 and of at most 8 bits are held as float32.
ARRAYS = {"float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": np.float32,
          "int64": np.int64, "int32": np.int32, "uint8": np.uint8, "boolean": np.bool_,
          "float8_e4m3fn": np.float32, "float8_e5m2": np.float32, "float8_e8m0fnu": np.float32, "int8": np.float32,
          "float4_e2m1fn": np.float32}
NARROW = ("bfloat16", "float16")
FLOATS = ("float64", "float32", *NARROW)
EIGHT_BITS = ("float8_e4m3fn", "float8_e5m2", "int8", "float4_e2m1fn")  # or fewer: they have scales, see numpy_scaled.py
SCALE_DTYPE = "float8_e8m0fnu"  # powers of two, the scales of blocks
# The inputs and options that functions of adapters read, for check_read.
AFFINE, STATISTICS = ("gamma", "beta"), ("running_mean", "running_variance", "running_decay")
ADD_NORM_TAKES = ("residual", "grad_sum", *AFFINE, "eps")
OPTIMIZER_TAKES = {
    "sgd": ("parameter", "grad_parameter", "iterations", "velocity", "learning_rate", "momentum"),
    "adam": ("parameter", "grad_parameter", "iterations", "*_moment", "learning_rate", "beta[12]", "eps"),
    "adamw": ("parameter", "grad_parameter", "iterations", "*_moment", "learning_rate", "beta[12]", "eps",
              "weight_decay")}
MAX_TEXT_LENGTH = 1000  # characters of an error or a reason


class NotOffered(Exception):
    """Declines a case that the framework cannot compute. The text, if any, says what is missing."""


class NotRounded(Exception):
    """An output claims to have 16 or 8 bits, but its elements have more digits, so it was not rounded to them."""


@dataclasses.dataclass
class Case:
    """A case of the corpus.

    op         the operation, such as "layer_norm"
    sequence   whether x, grad_y and valid, or grad_parameter, have a leading axis of steps
    options    eps and the like, as float, bool or str
    dtype      the dtype of x, or of the parameters of an encoder or an optimizer; of y, if that has 8 bits
    tensors    arrays by name
    dtypes     the dtype of each tensor in the corpus, by name
    """
    path: str
    op: str
    training: bool
    sequence: bool
    options: dict
    dtype: str
    tensors: dict
    dtypes: dict = dataclasses.field(default_factory=dict)

    def __getitem__(self, name):
        return self.tensors[name]

    def __contains__(self, name):
        """Whether the case has a tensor of that name. For an option, ask `name in case.options`."""
        return name in self.tensors

    def get(self, name, default=None):
        return self.tensors.get(name, default)

    @property
    def compute_dtype(self):
        """The dtype that kernels compute in: float64 for float64, float32 for everything else."""
        return np.float64 if self.dtype == "float64" else np.float32

    def at(self, step, state):
        """Returns one step of a sequence, which starts from the state that the step before it left."""
        tensors = {name: value[step] if name in PER_STEP else state.get(name, value)
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
    """Returns the case that a line describes."""
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
    y_dtype = path.rsplit("-", 1)[-1]  # one of x and y may have 8 bits while the other one has more
    has_eight_bits = y_dtype in EIGHT_BITS or dtypes.get("x") in EIGHT_BITS
    dtype = y_dtype if has_eight_bits else dtypes[floats[0]]
    return Case(path, op, mode == "training", sequence, options, dtype, tensors, dtypes)


def to_bfloat16(values):
    """Rounds float32 to the 8 digits of bfloat16, ties to even."""
    values = np.asarray(values, np.float32)
    bits = values.view(np.uint32).astype(np.int64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isfinite(values), rounded, values)


def to_eight_bits(values, dtype):
    """Rounds float32 to e4m3fn, e5m2, int8 or e2m1fn, ties to even. Numbers out of range become the largest number.

    The numbers of int8 are rounded as subnormal numbers, which are the multiples of 1.
    """
    digits, min_exponent, largest = {"float8_e4m3fn": (4, -6, 448), "float8_e5m2": (3, -14, 57344),
                                     "int8": (8, 7, 127), "float4_e2m1fn": (2, 0, 6)}[dtype]
    values = np.asarray(values, np.float64)
    exponents = np.maximum(np.frexp(values)[1] - 1, min_exponent)
    units = np.ldexp(1.0, exponents - digits + 1)
    return np.clip(np.rint(values / units) * units, -largest, largest).astype(np.float32)


def stored(values, dtype):
    """Rounds values as a kernel of that dtype stores them."""
    if dtype in EIGHT_BITS:
        return to_eight_bits(values, dtype)
    return to_bfloat16(values) if dtype == "bfloat16" else np.asarray(values).astype(ARRAYS[dtype])


def all_stored(case, outputs):
    """Rounds the outputs that kernels store in the dtype of the case. Other outputs stay unchanged."""
    dtypes = {name: kernel_dtype(case, name) for name in outputs}
    return {name: stored(value, dtypes[name]) if dtypes[name] else value for name, value in outputs.items()}


def format_number(value):
    return value.hex() if np.isfinite(value) else str(value)


# Outputs in the dtype of the case. A kernel may keep those of MAY_BE_FLOAT32 in float32.
CASE_DTYPE_OUTPUTS = ("y", "sum", "logits", "attention.weights", "parameter")
MAY_BE_FLOAT32 = ("sum", "logits", "attention.weights")
CACHE_SUFFIXES = ("attention.keys", "attention.values")  # of outputs that are a cache, in the dtype of the case


def kernel_dtype(case, name):
    """Returns the dtype in which a kernel stores an output, or "" if any dtype will do.

    A gradient has the dtype of the tensor that it belongs to. In a case of 8 bits, a gradient with a scale is e5m2.
    """
    if case.dtype in EIGHT_BITS:
        if name == "y_scale" and "y_scale_group" in case.tensors:
            return "float32"
        if name.endswith("_scale"):
            return "float8_e4m3fn" if "y_tensor_scale" in case.tensors else SCALE_DTYPE
        scaled = name.startswith("grad_") and f"{name}_scale" in case.tensors
        return case.dtype if name == "y" else "float8_e5m2" if scaled else ""
    if name.startswith("grad_"):
        dtype = case.dtypes.get(name[len("grad_"):], case.dtype)
        return "" if dtype in EIGHT_BITS else dtype
    return case.dtype if name in CASE_DTYPE_OUTPUTS or name.endswith(CACHE_SUFFIXES) else ""


def as_stored(case, name, value):
    """Returns an output and the dtype that the answer says it has.

    NumPy has no bfloat16 and no 8 bits, so float32 is accepted if bfloat16 holds all its numbers. Nothing is rounded
    here, because an implementation without 16 bits would then look as if it had them. Throws NotRounded.
    """
    value = np.asarray(value)
    if value.dtype.name == "bfloat16":  # of ml_dtypes
        return value.astype(np.float32), "bfloat16"
    narrow = kernel_dtype(case, name)
    if narrow == SCALE_DTYPE and (np.frexp(value)[0][np.isfinite(value)] == 0.5).all():
        return value, narrow
    if narrow not in (*NARROW, *EIGHT_BITS) or value.dtype.kind != "f" or value.dtype.name == narrow:
        return value, value.dtype.name
    with np.errstate(all="ignore"):
        rounded = stored(value, narrow).astype(value.dtype)
    finer = np.argwhere(~((rounded == value) | np.isnan(value)))
    if len(finer) and name in MAY_BE_FLOAT32:
        return value, value.dtype.name
    if len(finer):
        at = tuple(int(index) for index in finer[0])
        why = "has more digits" if np.isfinite(rounded[at]) else "is too large"
        raise NotRounded(f"{name} is not of {narrow}: {list(at)} = {float(value[at])!r} {why} "
                         f"({value.dtype.name}, {len(finer)} of {value.size} elements)")
    return value, narrow


def format_answer(case, outputs):
    """Returns the line that answers a case."""
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
    """Returns the outputs of step(case), or, for a sequence, those of all steps stacked."""
    if not case.sequence:
        return step(case)
    state, every = {}, []
    stepped = next(name for name in PER_STEP if name in case.tensors)
    for index in range(len(case[stepped])):
        every.append(step(case.at(index, state)))
        state = {name: every[-1][name] for name in STATE if name in every[-1]}
    return {name: np.stack([outputs[name] for outputs in every]) for name in every[0]}


def check_read(case, read):
    """Declines a case with an input or an option that the function does not read, and names it.

    `read` are globs of names; x and grad_y are always read. An option that has its default value in operations.json need
    not be read.
    """
    def is_read(name):
        return any(fnmatch.fnmatchcase(name, glob) for glob in ("x", "grad_y", *read))

    usual = LAYERS.get(case.op, {}).get("options", {})
    for name, value in case.options.items():
        if not is_read(name) and (name not in usual or parse_option(usual[name]) != value):
            raise NotOffered(f"{case.op} here takes no option {name}={value}")
    for name in case.tensors:
        if not is_read(name):
            raise NotOffered(f"{case.op} here takes no input {name}")


def in_one_line(text):
    return " ".join(text.split())[:MAX_TEXT_LENGTH]


def answer_line(line, step, offered, takes, eight_bits):
    """Returns the answer to a line. An exception becomes the answer `error`; its traceback goes to standard error."""
    path, op = line.split()[:2]
    try:
        if offered is not None and op not in offered:
            raise NotOffered(f"{op} is not among its operations")
        case = parse_line(line)
        with_scales = [dtype for dtype in (case.dtype, *case.dtypes.values()) if dtype in EIGHT_BITS]
        if with_scales and not eight_bits:
            raise NotOffered(f"{with_scales[0]} with scales")
        if takes is not None:
            check_read(case, takes.get(op, ()))
        return format_answer(case, run_case(case, step))
    except NotOffered as reason:
        return in_one_line(f"{path} not_offered {reason}")
    except (Exception, SystemExit) as error:  # this case fails, and no other
        traceback.print_exc()
        return in_one_line(f"{path} error {traceback.format_exception_only(type(error), error)[-1]}")


def serve(step, offered=None, takes=None, eight_bits=False):
    """Answers each line of standard input on the original standard output.

    offered      the operations; None for all
    takes        for each operation, the globs of the inputs and options that its function reads (check_read);
                 None if every function reads everything
    eight_bits   whether tensors of 8 bits and their scales are known; if not, such cases are declined
    """
    import streams  # not earlier, because it redirects what a test prints

    for line in streams.questions:
        print(answer_line(line, step, offered, takes, eight_bits), file=streams.answers, flush=True)


def asks(layers, dtypes, outputs="", cases="*"):
    """Returns rows of the table, one for each layer and dtype. `outputs` are judged; "" for all required ones."""
    return [{"layer": layer, "dtype": dtype, "outputs": outputs, "glob": f"*/{layer}/{cases}-{dtype}"}
            for layer in layers for dtype in dtypes]


def main(framework, version, rows, step, takes=None, eight_bits=False):
    """With --describe, prints the rows of the adapter as JSON. Otherwise answers questions; see serve."""
    if sys.argv[1:] == ["--describe"]:
        out = sys.modules["streams"].answers if "streams" in sys.modules else sys.stdout
        print(json.dumps({"framework": framework, "version": version, "rows": rows}), file=out, flush=True)
    else:
        serve(step, {row["layer"] for row in rows}, takes, eight_bits)
