"""Declares the functions of libnormproof for ctypes. verification/bindings/c/normproof.h documents each of them."""
from __future__ import annotations

import ctypes as C
import functools
import glob
import os
import pathlib
from typing import Any

from normproof.errors import CorpusError

OK, FAILED, USAGE, FILE = range(4)
ABI_VERSION, ABI_MINOR = 1, 3
DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "uint8", "boolean", "float8_e4m3fn",
          "float8_e5m2", "float8_e8m0fnu", "int8", "float4_e2m1fn")


_HANDLE, _TEXT, _SHAPE = C.c_void_p, C.c_char_p, C.POINTER(C.c_int64)


class Tensor(C.Structure):
    """The C struct normproof_tensor."""
    _fields_ = [("name", C.c_char_p), ("dtype", C.c_int32), ("rank", C.c_int32), ("shape", C.POINTER(C.c_int64)),
                ("data", C.c_void_p), ("bytes", C.c_size_t)]


class Case(C.Structure):
    """The C struct normproof_case."""
    _fields_ = [("path", C.c_char_p), ("op", C.c_char_p), ("mode", C.c_char_p), ("options", C.c_char_p),
                ("why", C.c_char_p), ("json", C.c_char_p), ("dtype", C.c_int32), ("is_sequence", C.c_int32),
                ("input_count", C.c_size_t), ("inputs", C.POINTER(Tensor))]


class Verdict(C.Structure):
    """The C struct normproof_verdict."""
    _fields_ = [("passed", C.c_int32), ("ratio", C.c_double), ("text", C.c_char_p)]


class Expected(C.Structure):
    """The C struct normproof_expected."""
    _fields_ = [("name", C.c_char_p), ("dtype", C.c_int32), ("required", C.c_int32), ("rank", C.c_int32),
                ("reserved", C.c_int32), ("shape", C.POINTER(C.c_int64)), ("count", C.c_size_t),
                ("value", C.POINTER(C.c_double)), ("remainder", C.POINTER(C.c_double)),
                ("bound", C.POINTER(C.c_double))]


Progress = C.CFUNCTYPE(C.c_int32, C.c_void_p, C.c_char_p, C.c_size_t, C.c_size_t)
# For each function, the type of its result and the types of its parameters.
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "abi_version": (C.c_int32,),
    "abi_minor": (C.c_int32,),
    "version": (_TEXT,),
    "corpus_version": (_TEXT,),
    "open": (C.c_int32, _TEXT, _TEXT, C.POINTER(_HANDLE)),
    "new": (C.c_int32, C.POINTER(_HANDLE)),
    "close": (None, _HANDLE),
    "error": (_TEXT, _HANDLE),
    "version_of": (_TEXT, _HANDLE),
    "case_count": (C.c_size_t, _HANDLE),
    "case_path": (_TEXT, _HANDLE, C.c_size_t),
    "case_json": (_TEXT, _HANDLE, C.c_size_t),
    "set": (C.c_int32, _HANDLE, _TEXT, _TEXT),
    "select": (C.c_int32, _HANDLE, C.c_size_t, C.POINTER(Case)),
    "expect": (C.c_int32, _HANDLE, C.POINTER(C.c_size_t), C.POINTER(C.POINTER(Expected))),
    "answer": (C.c_int32, _HANDLE, _TEXT, C.c_int32, C.c_int32, _SHAPE, C.c_void_p),
    "decline": (C.c_int32, _HANDLE, _TEXT),
    "fail": (C.c_int32, _HANDLE, _TEXT),
    "judge": (C.c_int32, _HANDLE, C.POINTER(Verdict)),
    "verdict_json": (C.c_int32, _HANDLE, C.POINTER(_TEXT)),
    "shares": (C.c_int32, _HANDLE, _TEXT, C.POINTER(C.c_size_t), C.POINTER(C.POINTER(C.c_double))),
    "report": (C.c_int32, _HANDLE, _TEXT, C.POINTER(_TEXT), C.POINTER(C.c_int32)),
    "certify": (C.c_int32, _HANDLE, _TEXT, _TEXT, _TEXT, _TEXT, C.c_int32, C.c_size_t, C.POINTER(Tensor), C.c_int32,
                C.POINTER(C.c_size_t)),
    "watch": (C.c_int32, _HANDLE, Progress, C.c_void_p),
    "certify_rows": (C.c_int32, _HANDLE, _TEXT, _TEXT, _TEXT, _TEXT, C.c_size_t, C.POINTER(Tensor), C.c_size_t, _SHAPE, C.c_int32,
                     C.POINTER(C.c_size_t)),
    "make": (C.c_int32, _HANDLE, _TEXT, _TEXT, _TEXT, C.c_int32, Progress, C.c_void_p),
    "layers": (C.c_int32, _HANDLE, C.POINTER(_TEXT)),
    "find_name": (_TEXT, _TEXT, _TEXT),
}


def library_path() -> str:
    """Returns the library that NORMPROOF_LIBRARY names, or the one that came with the package.

    Throws CorpusError if there is none.
    """
    named = os.environ.get("NORMPROOF_LIBRARY")
    folder = pathlib.Path(__file__).with_name("_native")
    found = [named] if named else sorted(glob.glob(str(folder / "libnormproof*.so*")))
    if not found or not os.path.exists(found[0]):
        raise CorpusError(f"normproof: {named or folder} has no libnormproof.so; expected an installed wheel, or "
                          "the environment variable NORMPROOF_LIBRARY naming the library of a build")
    return found[0]


class Library:
    """The loaded library. Each attribute is a function: `library().open` is `normproof_open`."""

    def __init__(self, path: str) -> None:
        loaded = C.CDLL(path)
        for name, (result, *parameters) in _FUNCTIONS.items():
            function = getattr(loaded, "normproof_" + name, None)
            if function is None:
                raise CorpusError(f"normproof: {path} has no normproof_{name}; expected a library of version "
                                  f"{ABI_VERSION}.{ABI_MINOR} of normproof.h or later")
            function.restype, function.argtypes = result, parameters
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"libnormproof has no normproof_{name}")


@functools.lru_cache(maxsize=None)
def library() -> Library:
    """Loads the library, once.

    Throws CorpusError if it is absent, cannot be loaded, or is older than this package.
    """
    path = library_path()
    try:
        loaded = Library(path)
    except OSError as error:
        if isinstance(error, CorpusError):
            raise
        raise CorpusError(f"normproof: {path} cannot be loaded: {error}") from error
    found = loaded.abi_version(), loaded.abi_minor()
    if found[0] != ABI_VERSION or found[1] < ABI_MINOR:
        raise CorpusError(f"normproof: {path} has version {found[0]}.{found[1]} of normproof.h; expected "
                          f"{ABI_VERSION}.{ABI_MINOR} or a later one of {ABI_VERSION}")
    return loaded


def version() -> str:
    """Returns the version of the library, such as "0.1.0"."""
    return _text(library().version())


def corpus_version() -> str:
    """Returns the version of the corpus that the library makes, and the first digits of its hash."""
    return _text(library().corpus_version())


def _text(lent: bytes) -> str:
    return lent.decode()


def find_name(kind: str, text: str) -> str | None:
    """Returns the name that a text stands for, such as "layer_norm" for "LayerNorm", or None.

    `kind` is "operation" or "dtype".
    """
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        return None
    found = None if b"\0" in encoded else library().find_name(kind.encode(), encoded)
    return None if found is None else _text(found)
