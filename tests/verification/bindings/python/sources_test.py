"""Tests the source text of functions, in programs that run without the functions' own file."""
import functools
import linecache
import runpy
import subprocess
import sys

import kernels
import numpy as np
import pytest

import normproof
from normproof.repro import Call
from normproof.sources import SourceWriter
from normproof.titles import title_of

FACTOR = 2.0


def twice(x):
    """Returns the double."""
    return FACTOR * np.asarray(x)


def make_local(power):
    def local(x):
        return kernels.relu(x) ** power
    return local


def make_lambda(power):
    return lambda x, *, added=FACTOR: twice(x) ** power + added


def written(value):
    """Returns the text of a value, and the value that it has in a program of its own."""
    writer = SourceWriter()
    text, variables = writer.text(value, "name"), {}
    assert not writer.undefined, writer.undefined
    for line in (*writer.imports, *writer.definitions):
        exec(line, variables)
    return text, eval(text, variables)


@pytest.fixture
def as_main(monkeypatch):
    """Makes a function of this file that of a script, which cannot be imported."""
    monkeypatch.setattr(twice, "__module__", "__main__")


@pytest.mark.parametrize("fn", [
    lambda x: x * 3, [lambda x: -x, lambda x: x * FACTOR, lambda y: y][1], lambda x: (
        x
        + 1), make_lambda(3), make_local(2), functools.partial(np.multiply, 3), kernels.relu, twice])
def test_the_text_of_a_function_computes_the_same(fn, as_main):
    _, again = written(fn)
    assert np.array_equal(again(np.float32([-1, 2, 3])), fn(np.float32([-1, 2, 3])))


SCRIPT = """
import numpy as np
from normproof.sources import SourceWriter
added = 3
class Layer:
    def __init__(self, width):
        self.width = width
    def __call__(self, x):
        return np.add(x, added) * self.width
writer = SourceWriter()
print("result =", writer.text(Layer, "name") + "(4)(2)")
print(*writer.imports, *writer.definitions, sep="\\n")
"""


def test_a_class_of_a_script_is_repeated(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    text = subprocess.check_output([sys.executable, "script.py"], cwd=tmp_path, text=True)
    last, _, before = text.partition("\n")
    exec(before + last, variables := {})
    assert variables["result"] == 20


def test_plain_values_and_containers_are_repeated():
    value = {"a": [1, 2.5, float("inf")], "b": (None, True, "line\nbreak \x1b \u2028 \ud800 \U0001f600"), "c": (np.float64(2),)}
    assert written(value)[1] == value
    assert written({"eps": lambda case: case.eps})[0] == '{"eps": lambda case: case.eps}'


def test_small_arrays_of_numpy_are_repeated():
    arrays = [np.array([[0.1, -0.0], [np.inf, 1e-45]], np.float32), np.float16([0.1]), np.array(2.5), np.array([True, False]),
              np.int32([[-7]]), np.float32(0.1), np.int64(3), np.bool_(True)]
    for array in arrays:
        text, value = written({"array": array})
        repeated = value["array"]
        assert type(repeated) is type(array) and repeated.dtype == array.dtype and repeated.tobytes() == array.tobytes(), text
    scale = np.array([3.0], np.float32)
    text, fn = written(lambda x: x * scale)
    assert text == "lambda x: x * scale" and fn(np.float32(2)) == 6


def test_values_that_no_text_can_express_are_named_in_a_comment():
    array, long = np.ones(1000), list(range(1000))
    for value in (array, lambda x: x + array, lambda x: x + long, kernels.__spec__):
        writer = SourceWriter()
        name = writer.text(value, "name")
        assert name == "name" or not name.startswith("lambda") and writer.undefined[0].startswith(f"# {name}: ")


@pytest.mark.parametrize("line", ["fn = lambda x: x * {}\n", "def fn(x):\n    return x * {}\n"])
def test_the_source_of_a_changed_file_is_not_repeated(tmp_path, monkeypatch, line):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "changing.py").write_text(line.format(2))
    variables = runpy.run_path(str(tmp_path / "changing.py"))
    assert written(variables["fn"])[1](3) == 6
    (tmp_path / "changing.py").write_text(line.format(33))
    linecache.checkcache()
    writer = SourceWriter()
    assert writer.text(variables["fn"], "fn") == "fn" and writer.undefined


def test_two_functions_of_one_name_are_not_confused():
    first, second = make_local(2), make_local(3)
    writer = SourceWriter()
    assert writer.text(first, "fn") == "local"
    writer.text(second, "backward")
    assert writer.undefined[0].startswith("# local: local of sources_test.py")


def test_the_lines_that_repeat_a_lambda_run(tmp_path):
    report = normproof.check(lambda x: x + FACTOR, "relu", only="random*")
    line = next(line for line in str(report).splitlines() if "repro: " in line).partition("repro: ")[2]
    (tmp_path / "program.py").write_text(report.repro())
    for command in (line, report.facts["command"], "python3 program.py"):
        done = subprocess.run(command.replace("python3", sys.executable), shell=True, capture_output=True, text=True,
                              cwd=tmp_path)
        assert "FAILED: 0 of 1 case passed" in done.stdout and report.worst.path in done.stdout, done.stderr


def test_a_compiled_function_is_named_and_repeated():
    torch = pytest.importorskip("torch")
    if not hasattr(torch, "compile"):
        pytest.skip("this PyTorch has no compiler")
    assert title_of(torch.compile(kernels.relu)) == "torch.compile(kernels.relu)"
    assert title_of(torch.compile(torch.nn.LayerNorm(3))) == "torch.compile(torch.nn.LayerNorm)"
    program = Call(torch.compile(kernels.relu), "relu", {}).program()
    assert {"import torch", "from kernels import relu"} < set(program.splitlines())
    assert 'normproof.check(torch.compile(relu), "relu")' in program


def make_class(scale):
    class Base:
        def scaled(self, x):
            return scale * x

    class Kernel(Base):
        factor = 3

        def __call__(self, x):
            return self.scaled(np.maximum(x, 0)) * self.factor

        @staticmethod
        def double(x):
            return np.asarray(x) * FACTOR

        @classmethod
        def apply(cls, x):
            return cls()(cls.double(x))
    return Kernel


def test_a_local_class_is_repeated_with_its_base_classes():
    x, kernel = np.float32([-1, 2, 3]), make_class(0.5)
    text, again = written(kernel)
    assert text == "Kernel" and again is not kernel and np.array_equal(again()(x), kernel()(x))
    for method in ("double", "apply"):
        assert np.array_equal(getattr(again, method)(x), getattr(kernel, method)(x))
    text, method = written(kernel.apply)
    assert text == "Kernel.apply" and np.array_equal(method(x), kernel.apply(x))


def test_the_lines_of_a_local_class_run():
    program = normproof.check(make_class(0.5), "relu", only="random*").repro()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and "FAILED: 0 of 1 case passed" in done.stdout, done.stderr


def test_a_comment_says_which_object_must_be_defined():
    instance = make_class(0.5)()
    for fn, described in ((instance, "an object of the class Kernel of sources_test.py, line "),
                          (instance.__call__, "Kernel.__call__ of sources_test.py, line ")):
        program = normproof.check(fn, "relu", only="random*").repro()
        assert f"# fn: {described}" in program and "normproof.check(fn, " in program
