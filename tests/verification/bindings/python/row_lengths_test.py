"""Tests the sentence about the rows that were not asked."""
import json
import os
import pathlib

import kernels
import pytest

import normproof
from normproof import abi
from normproof.row_lengths import describe_longest_row, row_length


def longest_in_manifest(op, dtype):
    cases = json.loads(pathlib.Path(os.environ["NORMPROOF_CORPUS"], "manifest.json").read_text())["cases"]
    return max(int(case["inputs"]["x"].rstrip("]").rpartition("[")[2].split(",")[-1])
               for case in cases if case["op"] == op and case["dtype"] == dtype)


def test_a_report_says_how_long_the_longest_row_is(monkeypatch, tmp_path):
    monkeypatch.setenv("NORMPROOF_CACHE", str(tmp_path))
    longest = longest_in_manifest("layer_norm", "float32")
    report = normproof.check(kernels.layer_norm, "layer_norm")
    assert report and f"; no row longer than {longest:,}; tier='standard' may have longer rows\n" in str(report)
    assert "no row longer" not in str(normproof.check(kernels.layer_norm, "layer_norm", only="odd*"))


def test_the_rows_of_the_next_tier_are_those_of_its_manifest(monkeypatch, tmp_path):
    monkeypatch.setenv("NORMPROOF_CACHE", str(tmp_path))
    made = tmp_path / abi.corpus_version() / "standard-relu"
    made.mkdir(parents=True)
    cases = [{"op": "relu", "dtype": dtype, "inputs": {"x": f"{dtype} [2,{width}]"}}
             for dtype, width in (("float32", 4097), ("float32", 5), ("float64", 100000))]
    (made / "manifest.json").write_text(json.dumps({"cases": cases}))
    longest = longest_in_manifest("relu", "float32")
    assert f"no row longer than {longest:,}; tier='standard' has 4,097\n" in str(normproof.check(kernels.relu, "relu"))
    (made / "manifest.json").write_text(json.dumps({"cases": cases[1:]}))
    assert f"no row longer than {longest:,}\n" in str(normproof.check(kernels.relu, "relu"))


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b'{"cases": [{"op": "relu"}]}'])
def test_a_damaged_manifest_of_the_next_tier_does_not_matter(monkeypatch, tmp_path, content):
    monkeypatch.setenv("NORMPROOF_CACHE", str(tmp_path))
    made = tmp_path / abi.corpus_version() / "standard-relu"
    made.mkdir(parents=True)
    (made / "manifest.json").write_bytes(content)
    assert "; tier='standard' may have longer rows\n" in str(normproof.check(kernels.relu, "relu"))


def test_the_last_tier_has_no_next_one():
    cases = [{"dtype": "float32", "inputs": {"x": "float32 [2,1048576]"}}]
    assert describe_longest_row(cases, "relu", ["float32"], "full") == "no row longer than 1,048,576"


@pytest.mark.parametrize("inputs, length", [
    ({"logits": "float32 [127,3]", "targets": "int64 [127]"}, 3), ({"x": "float32 []"}, 1),
    ({"q": "float32 [1,1,127,2]", "k": "float32 [1,1,5,2]"}, 5), ({"parameter": "float64 [3,5]"}, 15),
    ({"embedding.weight": "float64 [6,4]"}, None)])
def test_the_row_of_a_case_is_its_last_axis_its_keys_or_its_elements(inputs, length):
    assert row_length({"inputs": inputs}) == length
