"""One line in, one line out: how `normproof golden check --pipe` talks to an implementation.

An adapter is a script that defines `step(case)` and ends with `serve(step)`, or with `main(...)`. A case that its
framework has no counterpart for is declined: `step` raises NotOffered, the answer is `not_offered`, and
`golden check` counts it apart. Nothing passes that was not computed.
"""
import dataclasses
import json
import pathlib
import sys

import numpy as np

MOMENTS = ("velocity", "first_moment", "second_moment")  # of optimizers
# What each layer is like: `normproof layers --json`, ref/model/norm_layers.hpp.
LAYERS = {layer["name"]: layer
          for layer in json.loads(pathlib.Path(__file__).with_name("layers.json").read_text())}


def names_in(field):
    """The names of all layers' `parameters` or `state`, each once."""
    return tuple(dict.fromkeys(entry["name"] for layer in LAYERS.values() for entry in layer[field]))


PARAMETERS = names_in("parameters")
STATE = (*names_in("state"), "parameter", *MOMENTS)
STEPPED = ("x", "grad_parameter", "grad_y", "valid")
# bfloat16 is float32 here, on the grid of bfloat16: see Case.dtype.
ARRAYS = {"float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": np.float32,
          "int64": np.int64, "int32": np.int32, "uint8": np.uint8, "boolean": np.bool_}


def over_rows(op):
    """Whether op is a layer with statistics over several rows: a mask has a meaning."""
    cells = LAYERS[op]["cells"] if op in LAYERS else []
    return any(cell["partition"] not in ("row", "row_group") for cell in cells)


class NotOffered(Exception):
    """The framework has nothing that computes this case."""


@dataclasses.dataclass
class Case:
    path: str
    op: str  # "layer_norm"
    training: bool
    sequence: bool  # x, grad_y and valid, or grad_parameter, have a leading axis of steps
    options: dict  # eps and the like: float, bool or str
    dtype: str  # of x, or of an encoder's parameters, or of an optimizer's: "float64", "float32", "float16" or "bfloat16"
    tensors: dict  # name: array

    def __getitem__(self, name):
        return self.tensors[name]

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
            shape = [int(extent) for extent in extents.split("x")] if extents else []
            count = int(np.prod(shape, dtype=np.int64))
            values = [parse_number(word) for word in words[i + 1:i + 1 + count]]
            tensors[name] = np.array(values, np.float64).astype(ARRAYS[dtypes[name]]).reshape(shape)
            i += count
        i += 1
    dtype = dtypes.get("x") or dtypes.get("parameter") or dtypes["head.weight"]
    return Case(path, op, mode == "training", sequence, options, dtype, tensors)


def to_bfloat16(values):
    """float32 rounded to 8 digits, ties to even."""
    values = np.asarray(values, np.float32)
    bits = values.view(np.uint32).astype(np.int64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isfinite(values), rounded, values)


def stored(values, dtype):
    """What a kernel of that dtype stores."""
    return to_bfloat16(values) if dtype == "bfloat16" else np.asarray(values).astype(ARRAYS[dtype])


def format_number(value):
    return value.hex() if np.isfinite(value) else str(value)


def format_answer(case, outputs):
    """The answer line; in a case of bfloat16, y and the gradients are on its grid."""
    words = [case.path]
    for name, value in outputs.items():
        value = np.asarray(value)
        narrow = case.dtype == "bfloat16" and (name == "y" or name.startswith("grad_"))
        if narrow:
            value = to_bfloat16(value)
        dtype = "bfloat16" if narrow else value.dtype.name
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


def serve(step, offered=None):
    """Answers each line of standard input on standard output; `offered`: operations, or all that come."""
    for line in sys.stdin:
        case = parse_line(line)
        try:
            if offered is not None and case.op not in offered:
                raise NotOffered
            answer = format_answer(case, run_case(case, step))
        except NotOffered:
            answer = f"{case.path} not_offered"
        print(answer, flush=True)


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


def main(framework, version, rows, step):
    """`--describe`: what the adapter may be asked, as JSON. Else it answers."""
    if sys.argv[1:] == ["--describe"]:
        print(json.dumps({"framework": framework, "version": version, "rows": rows}))
    else:
        serve(step, {row["layer"] for row in rows})
