"""Tests functions that return or raise what nobody expects: the case fails in one sentence, and no other case is lost."""
import asyncio
import pickle
import threading
import time

import kernels
import numpy as np
import pytest

import normproof
from normproof import corpus

ONLY = {"only": ["random*", "odd*"]}


def texts(report):
    """Returns the verdicts, after every form of the report was written."""
    for text in (str(report), report.json(), report.junit(), report.sarif(), report.markdown(), report.html(),
                 report.repro()):
        assert not any(sign in text for sign in "\x1b\0\u2028") and text.encode()
    return [result.text for result in report.failures]


class Silent(Exception):
    def __str__(self):
        raise RuntimeError("no text")


class Surprising(BaseException):
    pass


NAMELESS = type("Odd\n\x1b[31m", (Exception,), {})


@pytest.mark.parametrize("isolate", [False, True])
@pytest.mark.parametrize("error, sentence", [
    (ValueError("a\udc00\x1b[31m\0\nb"), r"raised ValueError: a\udc00\x1b[31m\x00 b"),
    (Silent(), "raised Silent: its text raises RuntimeError"),
    (NAMELESS("text"), r"raised Odd \x1b[31m: text"),
    (Surprising("text"), "raised Surprising: text"),
    (GeneratorExit(), "raised GeneratorExit"),
    (asyncio.CancelledError(), "raised CancelledError"),
    (SystemExit(3), "raised SystemExit: 3"),
    (normproof.UsageError("\udc00\x1b"), r"raised UsageError: \udc00\x1b"),
    (MemoryError(), "raised MemoryError")])
def test_an_exception_of_any_kind_fails_its_case(error, sentence, isolate):
    def fn(x):
        if x.shape == (3, 5, 6):
            raise error
        return kernels.relu(x)
    report = normproof.check(fn, "relu", isolate=isolate, **ONLY)
    failed, = texts(report)
    assert sentence in failed and len(report.results) == 2


def test_an_isolated_function_prints_no_traceback(capfd):
    def fn(x):
        raise Surprising("text")
    assert "raised Surprising: text" in texts(normproof.check(fn, "relu", isolate=True, **ONLY))[0]
    assert capfd.readouterr().err == ""


def test_a_keyboard_interrupt_ends_the_check():
    def fn(x):
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        normproof.check(fn, "relu", **ONLY)


def test_a_reason_to_decline_may_be_any_text():
    def fn(x):
        raise normproof.NotOffered("a\udc00\x1b[31m\0\nb")
    report = normproof.check(fn, "relu", **ONLY)
    texts(report)
    assert [result.text for result in report.declined] == [r"declined: a\udc00\x1b[31m\x00 b"] * 2


@pytest.mark.parametrize("isolate", [False, True])
@pytest.mark.parametrize("name, sentence", [
    (1, "an output has the name 1; expected a text"), (None, "an output has the name None; expected a text"),
    (("y",), "an output has the name ('y',); expected a text"), (b"y", "an output has the name b'y'; expected a text"),
    ("y\udc00", r"an output has the name 'y\udc00'; expected printable characters"),
    ("y\0z", r"an output has the name 'y\x00z'; expected printable characters"),
    ("y\n\x1b", r"an output has the name 'y\n\x1b'; expected printable characters")])
def test_output_names_that_are_no_text_fail_the_case(name, sentence, isolate):
    def fn(x):
        return {"y": kernels.relu(x), name: x} if x.shape == (3, 5, 6) else {"y": kernels.relu(x)}
    report = normproof.check(fn, "relu", isolate=isolate, **ONLY)
    failed, = texts(report)
    assert sentence in failed and len(report.results) == 2


def test_gradient_names_that_are_no_text_fail_the_case():
    def backward(grad_y, x):
        return {1: grad_y}
    report = normproof.check(kernels.relu, "relu", backward=backward, **ONLY)
    assert "an output has the name 1; expected a text" in texts(report)[0]


SHAPE = (2**20, 2**20, 64)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "bool", "float16"])
@pytest.mark.parametrize("isolate", [False, True])
def test_a_huge_wrong_shape_is_refused_before_it_is_copied(dtype, isolate):
    def fn(x):
        return np.broadcast_to(np.zeros((), dtype), SHAPE) if x.shape == (3, 5, 6) else kernels.relu(x)
    report = normproof.check(fn, "relu", isolate=isolate, **ONLY)
    failed, = texts(report)
    assert "y has shape [1048576, 1048576, 64]; expected [3, 5, 6]" in failed and len(report.results) == 2


@pytest.mark.parametrize("layout", [None, "channels_first"])
def test_a_huge_wrong_shape_is_refused_in_every_framework(layout):
    torch = pytest.importorskip("torch")

    def fn(x, num_groups, weight, bias, eps):
        return torch.zeros(()).expand(SHAPE)
    report = normproof.check(fn, "group_norm", only="random*", layout=layout, outputs="y", framework="torch")
    assert "y has shape [1048576, 1048576, 64]; expected [" in texts(report)[0]


def test_a_huge_wrong_shape_is_refused_by_judge_and_agree():
    def fn(x):
        return np.broadcast_to(np.zeros((), x.dtype), SHAPE)
    judged = normproof.judge(fn, "relu", x=np.ones((3, 4), np.float32))
    assert "y has shape [1048576, 1048576, 64]; expected [3, 4]" in texts(judged)[0]
    agreement = normproof.agree(fn, kernels.relu, "relu", only="random*")
    assert "y has shape [1048576, 1048576, 64]; expected [3, 5, 6]" in str(agreement)


def test_a_wrong_rank_is_reported_without_internal_names():
    report = normproof.check(lambda x: x.reshape((1,) * (10 - x.ndim) + x.shape), "relu", **ONLY)
    for text in texts(report):
        assert text == "y has the rank 10; expected 0 to 8"


def test_messages_have_no_names_of_internal_functions():
    given = {"x": np.ones((2, 3), np.float32)}
    for change in ({"name": "Own Name"}, {"x": np.ones((0, 3), np.float32)}, {"x": np.ones((1,) * 9, np.float32)}):
        with pytest.raises(normproof.NormproofError) as caught:
            normproof.judge(kernels.relu, "relu", **{**given, **change})
        text = str(caught.value)
        assert "normproof_" not in text and "make_tensor" not in text, text
    assert corpus.without_internal_names("own/relu/a: make_tensor: no") == "own/relu/a: no"
    assert corpus.without_internal_names("normproof_answer: no") == "normproof: no"


@pytest.mark.parametrize("threads", [-1, 1 << 31, 1 << 32, 1 << 70, 1.5, True, "2", None, 1025])
def test_threads_out_of_range_are_refused(threads):
    with pytest.raises(normproof.UsageError, match="threads=.*; expected a whole number from 0 to 1024"):
        normproof.judge(kernels.relu, "relu", x=np.ones((2, 3), np.float32), threads=threads)


@pytest.mark.parametrize("argument", ["outputs", "only", "xfail", "relations", "accumulation", "formula"])
@pytest.mark.parametrize("text", ["y\udc00", "y\0"])
def test_texts_that_c_cannot_receive_are_refused(argument, text):
    with pytest.raises(normproof.UsageError, match=f"^normproof: {argument}='y.*; expected"):
        normproof.check(kernels.relu, "relu", **{argument: text})
    with pytest.raises(normproof.UsageError, match="^normproof: name='y.*; expected"):
        normproof.judge(kernels.relu, "relu", x=np.ones((2, 3)), name=text)


def test_a_value_whose_repr_raises_is_described():
    class Odd:
        def __repr__(self):
            raise ValueError
    with pytest.raises(normproof.UsageError, match="seconds=a Odd whose repr raises ValueError; expected"):
        normproof.check(kernels.relu, "relu", seconds=Odd())


def test_a_function_that_fails_when_it_is_called_again_breaks_its_relations():
    calls = []

    def fn(x):
        calls.append(x)
        if len(calls) > 1:
            raise Surprising("again")
        return kernels.relu(x)
    report = normproof.check(fn, "relu", only="random*", relations=["repeat", "rank"])
    assert "relation repeat: the case again: fn raised Surprising: again" in texts(report)[0]


@pytest.mark.parametrize("in_main_thread", [True, False])
def test_a_loop_that_catches_everything_fails_its_case(in_main_thread):
    def fn(x):
        while x.shape == (3, 5, 6):
            try:
                time.sleep(0.01)
            except BaseException:
                pass
        return kernels.relu(x)
    reports = []
    thread = threading.Thread(target=lambda: reports.append(normproof.check(fn, "relu", seconds=0.2, **ONLY)))
    (thread.run if in_main_thread else thread.start)()
    if not in_main_thread:
        thread.join(20)
    failed, = texts(reports[0])
    assert failed == "no answer within 0.2 seconds; expected outputs" and len(reports[0].results) == 2


def test_names_of_classes_and_functions_are_shown_in_one_line():
    odd = type("Odd\n\x1b[31m", (), {})
    report = normproof.check(lambda x: odd(), "relu", only="random*")
    assert r"y is a Odd \x1b[31m; expected a tensor of NumPy" in texts(report)[0]
    assert r"y is a Odd \x1b[31m; expected" in str(normproof.agree(lambda x: odd(), kernels.relu, "relu", only="random*"))

    def unknown(x, zzz):
        return x
    unknown.__qualname__ = "f\n\x1b[31m"
    with pytest.raises(normproof.UsageError) as caught:
        normproof.check(unknown, "relu")
    assert str(caught.value).isprintable() and "zzz" in str(caught.value)


def test_the_text_of_a_mismatch_has_lines_of_printable_characters():
    def fn(x):
        raise ValueError("a\n\x1b[31m")
    with pytest.raises(normproof.Mismatch) as caught:
        normproof.case("quick/relu/random-3x5x6-float32").check(fn)
    first, *others = str(caught.value).split("\n")
    assert first.endswith(r"raised ValueError: a \x1b[31m") and others
    assert all(line.isprintable() for line in others)
    assert isinstance(pickle.loads(pickle.dumps(caught.value)), normproof.Mismatch)


def test_agree_reports_exceptions_of_any_kind():
    def fn(x):
        raise Surprising("a\udc00\x1b\nb")
    agreement = normproof.agree(fn, kernels.relu, "relu", **ONLY)
    assert str(agreement).count(r"raised Surprising: a\udc00\x1b b") == 2
    assert "\x1b" not in agreement.html() + agreement.markdown()
