"""Questions and answers of an adapter, on descriptors of their own from the import of this module on.

Whoever reads standard input finds its end, and whoever prints to standard output, in Python, C or another process,
prints to standard error. protocol.serve() imports it before the first case; an adapter whose framework prints when it
is imported imports it before that.
"""
import os


def taken(number, mode):
    return os.fdopen(os.dup(number), mode, encoding="utf-8", errors="backslashreplace")


questions, answers = taken(0, "r"), taken(1, "w")
_nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(_nothing, 0)
os.close(_nothing)
os.dup2(2, 1)
