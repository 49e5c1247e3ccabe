"""Moves the questions and answers of an adapter to file descriptors of their own, when this module is imported.

Afterwards, whoever reads standard input finds its end, and whatever is printed to standard output, from Python, C or
another process, goes to standard error. protocol.serve() imports this module before the first case. An adapter whose
framework prints when it is imported must import this module earlier.
"""
import os


def duplicate(number, mode):
    return os.fdopen(os.dup(number), mode, encoding="utf-8", errors="backslashreplace")


questions, answers = duplicate(0, "r"), duplicate(1, "w")
_nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(_nothing, 0)
os.close(_nothing)
os.dup2(2, 1)
