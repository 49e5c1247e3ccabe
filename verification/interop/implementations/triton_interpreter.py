"""Triton's interpreter, so that it takes what a compiled kernel takes.

It has no arithmetic of bfloat16: it rounds by truncation, and reductions work on the bits. Rows hold float32 and float16.
"""
import numpy as np
import triton.language as tl
from triton.runtime import autotuner, interpreter


def tune_nothing():
    """There is no driver to time configurations with: each takes as long as the first, which is taken."""
    autotuner.Autotuner._bench = lambda self, *arguments, config, **named: [1.0, 1.0, 1.0]


def take_floats():
    """A float argument is a scalar of float32 in a compiled kernel. The interpreter of Triton 3.9 leaves it a float of
    Python, which has no `.to`: it is made a scalar here.
    """
    convert = interpreter._implicit_cvt

    def with_floats(argument):
        if type(argument) is float:
            return tl.tensor(interpreter.TensorHandle(np.array([argument], np.float32), tl.float32), tl.float32)
        return convert(argument)
    interpreter._implicit_cvt = with_floats
