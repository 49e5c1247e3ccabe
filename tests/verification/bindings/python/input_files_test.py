"""Tests files of tensors: what is written is read back."""
import zipfile

import numpy as np
import pytest

import normproof
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
