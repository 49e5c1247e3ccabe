"""Tests files of tensors: what is written is read back."""
import tracemalloc
import zipfile

import numpy as np
import pytest

import normproof
from normproof import input_files
from normproof.input_files import read_inputs, write_inputs
from normproof.stored import Stored


def test_tensors_of_every_dtype_are_read_as_they_were_written(tmp_path):
    inputs = {"x": Stored("float16", np.array([[1.5, -0.0]], np.float16)),
              "gamma": Stored("bfloat16", np.array([1], np.uint16)),
              "valid": Stored("boolean", np.array([True])), "iterations": Stored("int64", np.array(3))}
    file = write_inputs(inputs, tmp_path, "own/power_norm/own-1x2-float16")
    read = read_inputs(file)
    assert file.name.startswith("normproof-power_norm-") and set(read) == set(inputs)
    assert read["gamma"] == inputs["gamma"] and read["iterations"].shape == ()
    assert all(read[name].dtype == inputs[name].data.dtype for name in ("x", "valid", "iterations"))
    assert np.signbit(read["x"][0, 1]) and write_inputs(inputs, tmp_path, "own/power_norm/other") == file


def test_different_numbers_are_written_to_different_files(tmp_path):
    one, other = ({"x": Stored("float32", np.array([[number]], np.float32))} for number in (1, 2))
    assert write_inputs(one, tmp_path, "own/relu/a") != write_inputs(other, tmp_path, "own/relu/a")


def test_a_file_without_tensors_is_rejected_in_one_sentence(tmp_path):
    (tmp_path / "text").write_text("x")
    (tmp_path / "empty.npz").touch()
    (tmp_path / "cut.npz").write_bytes(b"PK\x03\x04")
    np.savez(tmp_path / "none.npz")
    np.save(tmp_path / "one.npy", np.zeros(2))
    with zipfile.ZipFile(tmp_path / "words.npz", "w") as archive:
        archive.writestr("x.txt", "words")
    np.savez(tmp_path / "complex.npz", x=np.zeros(2, complex))
    for name, sentence in (("absent", "cannot be read"), ("text", "text is no archive; expected an .npz file of tensors"),
                           ("empty.npz", "empty.npz is empty; expected an .npz file of tensors"),
                           ("cut.npz", "no archive"), ("none.npz", "has no tensor"), ("one.npy", "no archive"),
                           ("words.npz", "x.txt has dtype"),
                           ("complex.npz", "x has dtype complex128")):
        with pytest.raises(normproof.CorpusError, match=sentence):
            read_inputs(tmp_path / name)


@pytest.mark.parametrize("file", [3, None, ["x.npz"]])
def test_a_file_argument_that_is_no_path_is_rejected_in_one_sentence(file):
    with pytest.raises(normproof.UsageError, match="expected the name of an .npz file of tensors"):
        read_inputs(file)


def write_zeros(file, shape, stored, descr="|u1"):
    """Writes an archive with a tensor of this shape, of which only `stored` bytes are there."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("x.npy", "w", force_zip64=True) as member:
        np.lib.format.write_array_header_1_0(member, {"descr": descr, "fortran_order": False, "shape": shape})
        for begin in range(0, stored, 1 << 20):
            member.write(bytes(min(1 << 20, stored - begin)))
    return file


def test_a_small_archive_of_many_zeros_is_read_within_twice_its_tensor(tmp_path):
    size = 1 << 27
    file = write_zeros(tmp_path / "zeros.npz", (size,), size)
    assert file.stat().st_size < size // 900
    tracemalloc.start()
    try:
        read = read_inputs(file)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert read["x"].shape == (size,) and size <= peak < 2 * size


def test_an_archive_larger_than_the_memory_is_refused_before_it_is_read(tmp_path, monkeypatch):
    file = write_zeros(tmp_path / "zeros.npz", (1 << 20,), 1 << 20)
    assert input_files.available_memory() > 1 << 20
    monkeypatch.setattr(input_files, "available_memory", lambda: 1 << 19)
    monkeypatch.setattr(input_files.np, "load", lambda *_, **__: pytest.fail("it is read"))
    with pytest.raises(normproof.CorpusError, match="zeros.npz has tensors of 1,048,704 bytes; expected at most the available "
                                                    "memory, 524,288 bytes"):
        read_inputs(file)


@pytest.mark.parametrize("shape", [(1 << 50,), (1 << 62,), (1 << 40, 1 << 40), (-1,), (3,)])
def test_an_archive_with_fewer_bytes_than_its_shape_says_is_rejected(tmp_path, shape):
    file = write_zeros(tmp_path / "cut.npz", shape, 16, "<f8")
    with pytest.raises(normproof.CorpusError, match="cut.npz cannot be read: .*; expected an .npz file of tensors"):
        read_inputs(file)
