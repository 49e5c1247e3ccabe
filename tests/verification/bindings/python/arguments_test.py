"""Tests the rules for plain arguments. No corpus is needed."""
import numpy as np
import pytest

from normproof.arguments import describe_value, require_arguments
from normproof.errors import UsageError


@pytest.mark.parametrize("name, right, wrong, expected", [
    ("fn", [len, int], [7, None, "f"], "a function, or a class of modules or of optimizers"),
    ("engine_b", [len], [np.ones(3)], "a function, or a class of modules or of optimizers"),
    ("backward", [None, len], [3], "a function of grad_y, or None"),
    ("outputs", [None, "y", "y, grad_x", ["y"], ("y", "sum")], [3, [], (), "", "y,", [3], {"y"}],
     "names as 'y,grad_x', a list of them, or None for all"),
    ("arguments", [None, {}, {"w": "gamma", "n": 3}, ["x"]], [3, "x", [], [3], {3: "x"}],
     "a mapping from names of arguments to names, constants or functions of the case, or a list of names"),
    ("only", [None, "a*", ["a*"], []], [3, [3], {"a": "b"}], "a glob or several, or None for all cases"),
    ("xfail", ["", "a*", (), ["a*"]], [3, None, [3]], "a glob or several, of cases that are known to fail"),
    ("relations", ["all", (), ["rank"]], [3, [3], None], "names of normproof.RELATIONS, or 'all'"),
    ("seconds", [None, 1, 0.5, 1e6, np.float32(2), np.int64(2)], [-1, 0, float("nan"), float("inf"), True, "60"],
     "a number above 0 and up to 1e+06, or None for no limit"),
    ("threads", [0, 2, np.int64(2)], [-1, 1.5, "2", True], "a whole number from 0 to 1024"),
    ("name", ["mine"], [3], "a text, the name of the case"),
    ("isolate", [True, False, np.bool_(True)], ["yes", 1, None], "True or False"),
    ("strict", [True], ["yes"], "True or False"),
    ("flush_subnormals", [True], ["yes", 0], "True or False"),
    ("skip_diagnosis", [True], ["yes", 0], "True or False"),
    ("accumulation", ["", "float32"], [3, None], "a text, '' for the default"),
    ("formula", ["", "folded"], [3], "a text, '' for the default")])
def test_every_rule_accepts_valid_values_and_rejects_invalid_ones(name, right, wrong, expected):
    for value in right:
        require_arguments({name: value})
    for value in wrong:
        with pytest.raises(UsageError) as caught:
            require_arguments({name: value})
        assert str(caught.value) == f"normproof: {name}={describe_value(value)}; expected {expected}"


def test_the_first_invalid_argument_is_named_and_unknown_names_are_ignored():
    require_arguments({"call": 3, "x": "anything"})
    with pytest.raises(UsageError, match="^normproof: only=3; "):
        require_arguments({"op": 3, "only": 3, "xfail": 3})


def test_values_are_described_in_one_short_line():
    assert describe_value(np.ones((20, 30), np.float32)) == "ndarray float32 [20, 30]"
    assert describe_value(np.float16(1)) == "float16 float16 []"
    assert describe_value("a\nb") == r"'a\nb'" and describe_value([1, 2]) == "[1, 2]"
    assert len(describe_value("x" * 1000)) == 60 and describe_value("x" * 1000).endswith("...")
