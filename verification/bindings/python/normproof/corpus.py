"""An open corpus and its cases, as Python values. The C interface owns the memory of the tensors."""
from __future__ import annotations

import contextlib
import ctypes as C
import functools
import json
import os
import re
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from normproof import abi, folders
from normproof.errors import CorpusError, NormproofError, UsageError, printable
from normproof.limits import deferred_interrupts
from normproof.stored import NUMPY_DTYPES, Array, Stored

if TYPE_CHECKING:
    from normproof.report import Report

_INTERNAL_NAME = re.compile(r"(^|: )(?:normproof_[a-z_]+|make_tensor): ")
PER_STEP = ("x", "grad_parameter", "grad_y", "valid")  # tensors whose leading axis is the step of a sequence

# Options that are whole numbers. An option of a norm in a model, such as "norm.groups", counts by its last part.
WHOLE_OPTIONS = ("groups", "warmup_iterations", "num_heads", "num_layers", "window_left", "window_right")
TEXT_OPTIONS = ("log_sum_exp_base", "reduction")  # their values are names, also if a name is a number or "none"

LIMITS = ("threshold", "limit")  # options for which no limit is infinity, as libraries have it
KEPT_LIMITS = ("threshold",)  # limits that a function keeps if the case has none


def option_value(name: str, text: str) -> Any:
    """Parses the text of an option: a number, True, False or None. Any other text, and that of TEXT_OPTIONS, is returned unchanged."""
    if name in TEXT_OPTIONS:
        return text
    if text in ("true", "false"):
        return text == "true"
    if text == "none":
        return float("inf") if name in LIMITS else None
    try:
        return int(text) if name.rpartition(".")[2] in WHOLE_OPTIONS else float(text)
    except ValueError:
        return text


def parse_shapes(expected: Mapping[str, str]) -> dict[str, tuple[int, ...]]:
    """Returns the shapes of the outputs in {"y": "float32 [7,16]"}. The low parts, "y_lo", are left out."""
    return {name: tuple(int(extent) for extent in text[text.index("[") + 1:-1].split(",") if extent)
            for name, text in expected.items() if not name.endswith("_lo")}


def without_internal_names(sentence: str) -> str:
    """Returns an error message without the names of internal functions, such as "make_tensor: "."""
    return _INTERNAL_NAME.sub(lambda found: found[1] or "normproof: ", sentence)


class Case:
    """One case of the corpus.

    `case.x`, `case.gamma` and so on are its tensors as NumPy arrays, `case.eps` and so on its options. `case.read`
    collects the names that were read this way. `case.tensors` has the tensors as they are stored, `case.options`
    the options, and `case.outputs` the shape of each output. `case.check(fn)` judges an implementation.
    """

    def __init__(self, path: str, op: str, training: bool, sequence: bool, dtype: str, options: Mapping[str, Any],
                 tensors: Mapping[str, Stored], why: str = "", checker: Callable[..., Report] | None = None,
                 outputs: Mapping[str, tuple[int, ...]] | None = None) -> None:
        self.path, self.op, self.training, self.sequence, self.dtype = path, op, training, sequence, dtype
        self.options, self.tensors, self.why = dict(options), dict(tensors), why
        self.outputs = dict(outputs or {})
        self.read: set[str] = set()
        self._checker = checker

    def __getattr__(self, name: str) -> Any:
        __tracebackhide__ = True
        tensors, options = self.__dict__.get("tensors", {}), self.__dict__.get("options", {})
        if name in tensors:
            self.read.add(name)
            return tensors[name].array()
        if name in options:
            self.read.add(name)
            return options[name]
        raise AttributeError(f"{self.__dict__.get('path', 'a case')} has no {name}; expected one of "
                             f"{', '.join([*tensors, *options])}")

    def __repr__(self) -> str:
        return f"<normproof case {self.path}>"

    def __contains__(self, name: str) -> bool:
        """Whether the case has a tensor or an option of that name."""
        return name in self.tensors or name in self.options

    def get(self, name: str, default: Any = None) -> Any:
        """Returns a tensor or an option, or `default` if the case has none of that name."""
        return getattr(self, name) if name in self else default

    def check(self, fn: Callable[..., Any], **options: Any) -> Report:
        """Judges fn on this case, with the options of normproof.check. Returns the Report of this case alone.

        Throws Mismatch with the verdict if the case fails. Under pytest, skips the test if the case is declined.
        """
        if self._checker is None:
            raise UsageError(f"normproof: {self.path} cannot be checked; expected a case of normproof.case or "
                             "normproof.cases")
        return self._checker(self, fn, **options)

    def watched(self) -> Case:
        """Returns a copy with a set `read` of its own, which collects what is looked up in its tensors and options, too."""
        other = Case(self.path, self.op, self.training, self.sequence, self.dtype, self.options, self.tensors, self.why,
                     self._checker, self.outputs)
        other.options, other.tensors = _Watched(self.options, other.read), _Watched(self.tensors, other.read)
        return other

    def at(self, step: int, state: Mapping[str, Stored]) -> Case:
        """Returns one step of a sequence as a case. Its initial state is the final state of the previous step."""
        tensors = {name: value.like(value.data[step]) if name in PER_STEP else state.get(name, value)
                   for name, value in self.tensors.items()}
        outputs = {name: shape[1:] for name, shape in self.outputs.items()}
        return self.replaced(tensors, sequence=False, outputs=outputs)

    def replaced(self, tensors: Mapping[str, Stored], sequence: bool | None = None,
                 outputs: Mapping[str, tuple[int, ...]] | None = None) -> Case:
        """Returns a copy of the case with other tensors. The two cases share the set `read`."""
        other = Case(self.path, self.op, self.training, self.sequence if sequence is None else sequence, self.dtype,
                     self.options, tensors, self.why, self._checker, self.outputs if outputs is None else outputs)
        other.read = self.read
        return other


class _Watched(dict[str, Any]):
    """A dictionary that collects the keys which are looked up in it."""

    def __init__(self, entries: Mapping[str, Any], read: set[str]) -> None:
        super().__init__(entries)
        self._read = read

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        self._read.add(key)
        return value

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self else default


class ExpectedOutput(NamedTuple):
    """The certified output of a case. The exact value of each element is value + remainder."""
    dtype: str
    shape: tuple[int, ...]
    required: bool
    value: Array
    remainder: Array
    bound: Array


class Verdict(NamedTuple):
    """The verdict on a case: whether it passed, its largest error over the bound, a sentence, and the JSON object."""
    passed: bool
    ratio: float
    text: str
    json: dict[str, Any]


class Corpus:
    """A handle of the C ABI. Close it, or use it in a `with` statement."""

    def __init__(self, folder: str | os.PathLike[str] | None = None, glob: str | None = None) -> None:
        """Opens the cases of a folder whose path matches the glob. Without a folder, the handle has no cases.

        Throws UsageError if nothing matches, CorpusError if the corpus is absent or modified.
        """
        self._lib, self._handle, self._folder = abi.library(), C.c_void_p(), folder
        self._progress: Callable[[int, int], Any] | None = None
        self._selected, self._tensors = -1, dict[str, Stored]()  # the last case, whose tensors are copied only once
        if folder is None:
            status = self._lib.new(C.byref(self._handle))
        else:
            status = self._lib.open(os.fsencode(folder), glob and glob.encode(), C.byref(self._handle))
        self._require(status)

    def __enter__(self) -> Corpus:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        if getattr(self, "_handle", None):
            self._lib.close(self._handle)
            # Not c_void_p(): when the interpreter ends, ctypes may be gone.
            self._handle = None  # type: ignore[assignment]

    def _require(self, status: int) -> None:
        if status == abi.OK:
            return
        sentence = without_internal_names((self._lib.error(self._handle) or b"normproof: memory is exhausted")
                                          .decode(errors="backslashreplace"))
        if status == abi.FILE and self._folder is not None and folders.is_cached(self._folder):
            sentence += f"; {folders.removal(self._folder)}"
        errors: dict[int, type[NormproofError]] = {abi.USAGE: UsageError, abi.FILE: CorpusError}
        raise errors.get(status, NormproofError)(sentence)

    def __len__(self) -> int:
        return int(self._lib.case_count(self._handle))

    def paths(self) -> list[str]:
        return [self._lib.case_path(self._handle, index).decode() for index in range(len(self))]

    def description(self, index: int) -> dict[str, Any]:
        """Returns the entry of a case in manifest.json."""
        return _object(self._lib.case_json(self._handle, index))

    def version(self) -> str:
        return str(self._lib.version_of(self._handle).decode())

    def set(self, name: str, value: str) -> None:
        """Sets an option of the gate, such as "outputs" or "strict"."""
        self._require(self._lib.set(self._handle, name.encode(), value.encode()))

    def select(self, index: int, checker: Callable[..., Report] | None = None) -> Case:
        """Selects the case with this index; the next outputs are judged against it.

        Returns a copy of the case, whose arrays are read-only.
        """
        lent = abi.Case()
        self._require(self._lib.select(self._handle, index, C.byref(lent)))
        tensors = dict(self._tensors) if index == self._selected else {}
        for tensor in () if tensors else lent.inputs[:lent.input_count]:
            dtype = abi.DTYPES[tensor.dtype]
            data: Array = np.frombuffer(C.string_at(tensor.data, tensor.bytes), NUMPY_DTYPES[dtype])
            tensors[tensor.name.decode()] = Stored(dtype, data.reshape(tensor.shape[:tensor.rank]))
        self._selected, self._tensors = index, tensors
        options = {name: option_value(name, text) for name, text in json.loads(lent.options).items()}
        return Case(lent.path.decode(), lent.op.decode(), lent.mode == b"training", bool(lent.is_sequence),
                    abi.DTYPES[lent.dtype], options, tensors, lent.why.decode(), checker,
                    parse_shapes(json.loads(lent.json)["expected"]))

    def expect(self) -> dict[str, ExpectedOutput]:
        """Returns the certified outputs of the selected case, by name."""
        count, lent = C.c_size_t(), C.POINTER(abi.Expected)()
        self._require(self._lib.expect(self._handle, C.byref(count), C.byref(lent)))
        expected = {}
        for entry in lent[:count.value]:
            shape = tuple(entry.shape[:entry.rank])
            value, remainder, bound = (np.ctypeslib.as_array(getattr(entry, name), (entry.count,)).reshape(shape).copy()
                                       for name in ("value", "remainder", "bound"))
            expected[entry.name.decode()] = ExpectedOutput(abi.DTYPES[entry.dtype], shape, bool(entry.required), value,
                                                           remainder, bound)
        return expected

    def answer(self, name: str, stored: Stored) -> None:
        """Passes an output for the selected case to the C interface."""
        data = np.ascontiguousarray(stored.data)
        shape = (C.c_int64 * len(stored.shape))(*stored.shape)
        self._require(self._lib.answer(self._handle, name.encode(), abi.DTYPES.index(stored.dtype), len(stored.shape),
                                       shape, data.ctypes.data))

    def decline(self, reason: str) -> None:
        """Records that the implementation declines the selected case."""
        self._require(self._lib.decline(self._handle, printable(reason).encode()))

    def fail(self, reason: str) -> None:
        """Records that the selected case fails, for a reason other than its numbers."""
        self._require(self._lib.fail(self._handle, printable(reason).encode()))

    def judge(self) -> Verdict:
        """Judges the outputs that were passed for the selected case."""
        verdict, line = abi.Verdict(), C.c_char_p()
        with self._watching():
            self._require(self._lib.judge(self._handle, C.byref(verdict)))
        self._require(self._lib.verdict_json(self._handle, C.byref(line)))
        return Verdict(bool(verdict.passed), verdict.ratio, verdict.text.decode(), _object(line.value))

    def shares(self, output: str) -> Array | None:
        """Returns the ratio of error to bound for each element of a judged output; None if it was not compared."""
        count, lent = C.c_size_t(), C.POINTER(C.c_double)()
        self._require(self._lib.shares(self._handle, output.encode(), C.byref(count), C.byref(lent)))
        return np.ctypeslib.as_array(lent, (count.value,)).copy() if count.value else None

    def report(self, form: str) -> tuple[str, bool]:
        """Returns the report that `normproof golden check` writes in that form, and whether it passes."""
        text, passed = C.c_char_p(), C.c_int32()
        self._require(self._lib.report(self._handle, form.encode(), C.byref(text), C.byref(passed)))
        return (text.value or b"").decode(), bool(passed.value)

    @contextlib.contextmanager
    def watched(self, progress: Callable[[int, int], Any]) -> Iterator[None]:
        """Calls progress(done, total) between blocks of rows while the body certifies or judges a large case.

        An exception of it ends the call of the library, as an interrupt by the keyboard does, and is raised in the body.
        """
        before, self._progress = self._progress, progress
        try:
            yield
        finally:
            self._progress = before

    @contextlib.contextmanager
    def _watching(self) -> Iterator[None]:
        """Watches one call of the library, the body."""
        if self._progress is None:
            yield
            return
        progress: Callable[[int, int], Any] = self._progress
        raised: list[BaseException] = []

        def report_progress(_: Any, path: bytes, done: int, total: int) -> int:
            try:
                progress(done, total)
            except BaseException as error:  # an exception cannot leave a function that C calls
                raised.append(error)
            return len(raised)
        callback = abi.Progress(report_progress)
        self._require(self._lib.watch(self._handle, callback, None))
        try:
            with deferred_interrupts(raised):
                yield
        except NormproofError:
            if not raised:
                raise
        finally:
            self._lib.watch(self._handle, abi.Progress(0), None)  # null: nothing is called
        if raised:
            raise raised[0]

    def certify(self, name: str, op: str, training: bool, options: Mapping[str, str], sequence: bool,
                inputs: Mapping[str, Stored], threads: int, rows: Sequence[int] | None = None) -> int:
        """Certifies a case of user-supplied tensors and adds it. Returns its index.

        With `rows`, the case consists of these rows of x, and its sums over rows are those of all rows.
        """
        kept = {key: np.ascontiguousarray(value.data) for key, value in inputs.items()}
        shapes = {key: (C.c_int64 * data.ndim)(*data.shape) for key, data in kept.items()}
        tensors = (abi.Tensor * len(kept))(*(
            abi.Tensor(key.encode(), abi.DTYPES.index(inputs[key].dtype), data.ndim, shapes[key], data.ctypes.data,
                       data.nbytes) for key, data in kept.items()))
        index = C.c_size_t()
        question = (self._handle, name.encode(), op.encode(), b"training" if training else b"inference",
                    json.dumps(options).encode())
        with self._watching():
            if rows is None:
                self._require(self._lib.certify(*question, int(sequence), len(kept), tensors, threads, C.byref(index)))
            else:
                numbers = (C.c_int64 * len(rows))(*rows)
                self._require(self._lib.certify_rows(*question, len(kept), tensors, len(rows), numbers, threads, C.byref(index)))
        return index.value

    def make(self, folder: str | os.PathLike[str], tiers: str, glob: str,
             progress: Callable[[int, int], bool]) -> None:
        """Makes cases in a folder. progress(done, total) is called between cases; if it returns True, this stops."""
        def report_progress(_: Any, path: bytes, done: int, total: int) -> int:
            return int(bool(progress(done, total)))
        self._require(self._lib.make(self._handle, os.fsencode(folder), tiers.encode(), glob.encode(), 0,
                                     abi.Progress(report_progress), None))

    def layers(self) -> list[dict[str, Any]]:
        """Returns what `normproof operations --json` prints."""
        text = C.c_char_p()
        self._require(self._lib.layers(self._handle, C.byref(text)))
        described: list[dict[str, Any]] = json.loads(text.value or b"[]")
        return described


def _object(line: bytes | None) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(line or b"{}")
    return parsed


def _descriptions(*kinds: str) -> dict[str, dict[str, Any]]:
    with Corpus() as corpus:
        described = corpus.layers()
    if not all("independence" in entry for entry in described):
        raise CorpusError(f"normproof: {abi.library_path()} describes no functions; expected a library as new as this package")
    return {entry["name"]: entry for entry in described if entry["kind"] in kinds}


@functools.lru_cache(maxsize=None)
def layer_descriptions() -> dict[str, dict[str, Any]]:
    """Returns the description of each layer and each function, by name: options, inputs, parameters, state, cells.

    Throws CorpusError if the library is too old to describe functions.
    """
    return _descriptions("layer", "function")


@functools.lru_cache(maxsize=None)
def optimizer_descriptions() -> dict[str, dict[str, Any]]:
    """Returns the description of each optimizer, by name. Throws what layer_descriptions throws."""
    return _descriptions("optimizer")


@functools.lru_cache(maxsize=None)
def ops() -> tuple[str, ...]:
    """Returns the names of the operations that the corpus has cases of, in ascending order."""
    with Corpus(folders.tier_folder("quick")) as corpus:
        return tuple(sorted({path.split("/")[1] for path in corpus.paths()}))
