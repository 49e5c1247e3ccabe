"""An open corpus and its cases: what the C ABI lends, as Python values."""
import ctypes as C
import functools
import json
import types

import numpy as np

from normproof import abi, folders
from normproof.errors import CorpusError, NormproofError, UsageError
from normproof.stored import HELD_AS, Stored

STEPPED = ("x", "grad_parameter", "grad_y", "valid")  # have a leading axis of steps in a sequence


# Options that are whole numbers; of a norm in a model, "norm.groups", by what follows the last point.
WHOLE = ("groups", "warmup_iterations", "num_heads", "num_layers")


def option_value(name, text):
    """An option's text as a number, a truth value, None, or as it is."""
    if text in ("true", "false"):
        return text == "true"
    if text == "none":
        return None
    try:
        return int(text) if name.rpartition(".")[2] in WHOLE else float(text)
    except ValueError:
        return text


def shapes_of(expected):
    """The shapes of outputs, without those of what is left of each, of {"y": "float32 [7,16]"}."""
    return {name: tuple(int(extent) for extent in text[text.index("[") + 1:-1].split(",") if extent)
            for name, text in expected.items() if not name.endswith("_lo")}


class Case:
    """One question of the corpus.

    `case.x`, `case.gamma` and so on are its tensors as NumPy arrays, `case.eps` and so on its options; which of
    them were asked for is in `case.read`. `case.tensors` has the tensors as they are stored, `case.options` the
    options, `case.outputs` the shape of each output. `case.check(fn)` judges an implementation.
    """

    def __init__(self, path, op, training, sequence, dtype, options, tensors, why="", checker=None, outputs=None):
        self.path, self.op, self.training, self.sequence, self.dtype = path, op, training, sequence, dtype
        self.options, self.tensors, self.why, self.outputs = options, tensors, why, outputs or {}
        self.read, self._checker = set(), checker

    def __getattr__(self, name):
        tensors, options = self.__dict__.get("tensors", {}), self.__dict__.get("options", {})
        if name in tensors:
            self.read.add(name)
            return tensors[name].array()
        if name in options:
            self.read.add(name)
            return options[name]
        raise AttributeError(f"{self.__dict__.get('path', 'a case')} has no {name}; expected one of "
                             f"{', '.join([*tensors, *options])}")

    def __repr__(self):
        return f"<normproof case {self.path}>"

    def __contains__(self, name):
        """Whether the case has a tensor or an option of that name: what get would not replace."""
        return name in self.tensors or name in self.options

    def get(self, name, default=None):
        """A tensor or an option, or `default` where the case has none of that name."""
        return getattr(self, name) if name in self else default

    def check(self, fn, **options):
        """Judges fn on this case, options as for normproof.check; returns the Report of it alone.

        Throws Mismatch with the verdict where it fails; under pytest, skips where it is declined.
        """
        return self._checker(self, fn, **options)

    def at(self, step, state):
        """One step of a sequence, with the state that the steps before left."""
        tensors = {name: value.like(value.data[step]) if name in STEPPED else state.get(name, value)
                   for name, value in self.tensors.items()}
        step_of_it = self.replaced(tensors, sequence=False)
        step_of_it.outputs = {name: shape[1:] for name, shape in self.outputs.items()}
        return step_of_it

    def replaced(self, tensors, sequence=None):
        """The same question about other tensors."""
        other = Case(self.path, self.op, self.training, self.sequence if sequence is None else sequence, self.dtype,
                     self.options, tensors, self.why, self._checker, self.outputs)
        other.read = self.read
        return other


class Corpus:
    """A handle of the C ABI. Close it, or use it in `with`."""

    def __init__(self, folder=None, glob=None):
        """Opens the cases whose path matches the glob; without a folder there are none.

        Throws UsageError where nothing matches; CorpusError where the corpus is absent or altered.
        """
        self._lib, self._handle = abi.library(), C.c_void_p()
        if folder is None:
            status = self._lib.new(C.byref(self._handle))
        else:
            status = self._lib.open(str(folder).encode(), glob and glob.encode(), C.byref(self._handle))
        self._require(status)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def close(self):
        if getattr(self, "_handle", None):
            self._lib.close(self._handle)
            self._handle = None  # where the interpreter ends, ctypes may be gone

    def _require(self, status):
        if status == abi.OK:
            return
        sentence = (self._lib.error(self._handle) or b"normproof: memory is exhausted").decode()
        raise {abi.USAGE: UsageError, abi.FILE: CorpusError}.get(status, NormproofError)(sentence)

    def __len__(self):
        return self._lib.case_count(self._handle)

    def paths(self):
        return [self._lib.case_path(self._handle, index).decode() for index in range(len(self))]

    def description(self, index):
        """What manifest.json holds of a case, as an object."""
        return json.loads(self._lib.case_json(self._handle, index))

    def version(self):
        return self._lib.version_of(self._handle).decode()

    def set(self, name, value):
        self._require(self._lib.set(self._handle, name.encode(), value.encode()))

    def select(self, index, checker=None):
        """The case of that index, copied: it outlives the handle."""
        lent = abi.Case()
        self._require(self._lib.select(self._handle, index, C.byref(lent)))
        tensors = {}
        for tensor in lent.inputs[:lent.input_count]:
            dtype = abi.DTYPES[tensor.dtype]
            data = np.frombuffer(C.string_at(tensor.data, tensor.bytes), HELD_AS[dtype])
            tensors[tensor.name.decode()] = Stored(dtype, data.reshape(tensor.shape[:tensor.rank]))
        options = {name: option_value(name, text) for name, text in json.loads(lent.options).items()}
        return Case(lent.path.decode(), lent.op.decode(), lent.mode == b"training", bool(lent.is_sequence),
                    abi.DTYPES[lent.dtype], options, tensors, lent.why.decode(), checker,
                    shapes_of(json.loads(lent.json)["expected"]))

    def expect(self):
        """Of each output of the selected case: dtype, shape, required, value, remainder and bound."""
        count, lent = C.c_size_t(), C.POINTER(abi.Expected)()
        self._require(self._lib.expect(self._handle, C.byref(count), C.byref(lent)))
        expected = {}
        for entry in lent[:count.value]:
            shape = tuple(entry.shape[:entry.rank])
            numbers = {name: np.ctypeslib.as_array(getattr(entry, name), (entry.count,)).reshape(shape).copy()
                       for name in ("value", "remainder", "bound")}
            expected[entry.name.decode()] = types.SimpleNamespace(
                dtype=abi.DTYPES[entry.dtype], shape=shape, required=bool(entry.required), **numbers)
        return expected

    def answer(self, name, stored):
        data = np.ascontiguousarray(stored.data)
        shape = (C.c_int64 * len(stored.shape))(*stored.shape)
        self._require(self._lib.answer(self._handle, name.encode(), abi.DTYPES.index(stored.dtype), len(stored.shape),
                                       shape, data.ctypes.data))

    def decline(self, reason):
        self._require(self._lib.decline(self._handle, reason.encode()))

    def fail(self, reason):
        self._require(self._lib.fail(self._handle, reason.encode()))

    def judge(self):
        """Judges the answer: whether it passed, the largest share of the bound, the sentence, and its JSON object."""
        verdict, line = abi.Verdict(), C.c_char_p()
        self._require(self._lib.judge(self._handle, C.byref(verdict)))
        self._require(self._lib.verdict_json(self._handle, C.byref(line)))
        return types.SimpleNamespace(passed=bool(verdict.passed), ratio=verdict.ratio, text=verdict.text.decode(),
                                     json=json.loads(line.value))

    def shares(self, output):
        """The error over the bound of each element of an output of the judged case; None where none was compared."""
        count, lent = C.c_size_t(), C.POINTER(C.c_double)()
        self._require(self._lib.shares(self._handle, output.encode(), C.byref(count), C.byref(lent)))
        return np.ctypeslib.as_array(lent, (count.value,)).copy() if count.value else None

    def report(self, form):
        """What `normproof golden check` writes in that form, and whether it passes."""
        text, passed = C.c_char_p(), C.c_int32()
        self._require(self._lib.report(self._handle, form.encode(), C.byref(text), C.byref(passed)))
        return text.value.decode(), bool(passed.value)

    def certify(self, name, op, training, options, sequence, inputs, threads):
        """Adds a case of the caller's own tensors, {name: Stored}; its index."""
        kept = {key: np.ascontiguousarray(value.data) for key, value in inputs.items()}
        shapes = {key: (C.c_int64 * data.ndim)(*data.shape) for key, data in kept.items()}
        tensors = (abi.Tensor * len(kept))(*(
            abi.Tensor(key.encode(), abi.DTYPES.index(inputs[key].dtype), data.ndim, shapes[key], data.ctypes.data,
                       data.nbytes) for key, data in kept.items()))
        index = C.c_size_t()
        self._require(self._lib.certify(
            self._handle, name.encode(), op.encode(), b"training" if training else b"inference",
            json.dumps(options).encode(), int(sequence), len(kept), tensors, threads, C.byref(index)))
        return index.value

    def make(self, folder, tiers, glob, progress):
        """Makes cases of tiers into a folder; progress(done, of) is called between them, and returns whether to stop."""
        called = abi.Progress(lambda _, path, done, of: int(bool(progress(done, of))))
        self._require(self._lib.make(self._handle, str(folder).encode(), tiers.encode(), glob.encode(), 0, called, None))

    def layers(self):
        text = C.c_char_p()
        self._require(self._lib.layers(self._handle, C.byref(text)))
        return json.loads(text.value)


@functools.lru_cache(maxsize=None)
def layer_descriptions():
    """Of each layer its options with their defaults, cells, parameters and state; of each function its options and inputs.

    Throws CorpusError where the library is too old to describe functions.
    """
    with Corpus() as corpus:
        described = corpus.layers()
    if not all("independence" in entry for entry in described):
        raise CorpusError(f"normproof: {abi.library_path()} describes no functions; expected a library as new as this package")
    return {entry["name"]: entry for entry in described if entry["kind"] in ("layer", "function")}


@functools.lru_cache(maxsize=None)
def ops():
    """The names of the operations that the corpus has cases of, in ascending order."""
    with Corpus(folders.tier_folder("quick")) as corpus:
        return tuple(sorted({path.split("/")[1] for path in corpus.paths()}))
