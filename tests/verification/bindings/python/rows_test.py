"""Tests rows= of normproof.judge: few rows are certified, and are drawn after the function has computed all of them."""
import re

import kernels
import numpy as np
import pytest

import normproof

ROWS, WIDTH = 1000, 24


@pytest.fixture
def given():
    rng = np.random.default_rng(3)
    return {"x": rng.standard_normal((ROWS, WIDTH)).astype(np.float32), "gamma": rng.random(WIDTH).astype(np.float32),
            "beta": rng.random(WIDTH).astype(np.float32), "grad_y": rng.standard_normal((ROWS, WIDTH)).astype(np.float32)}


def layer_norm(x, gamma, beta, eps, grad_y):
    x, grad_y = x.astype(np.float64), grad_y.astype(np.float64)
    d = x - x.mean(-1, keepdims=True)
    r = 1 / np.sqrt((d * d).mean(-1, keepdims=True) + eps)
    g, x_hat = gamma * grad_y, d * r
    outputs = {"y": gamma * x_hat + beta, "grad_gamma": (grad_y * x_hat).reshape(-1, WIDTH).sum(0),
               "grad_x": (g - g.mean(-1, keepdims=True) - x_hat * (g * x_hat).mean(-1, keepdims=True)) * r,
               "grad_beta": grad_y.reshape(-1, WIDTH).sum(0)}
    return {name: values.astype(np.float32) for name, values in outputs.items()}


def wrong_in_row(row, output):
    def layer_norm_wrong_in_a_row(x, gamma, beta, eps, grad_y):
        outputs = layer_norm(x, gamma, beta, eps, grad_y)
        outputs[output][row] *= 1.001
        return outputs
    return layer_norm_wrong_in_a_row


def without_row(row):
    def layer_norm_without_a_row(x, gamma, beta, eps, grad_y):
        grad_y = grad_y.copy()
        right = layer_norm(x, gamma, beta, eps, grad_y)
        grad_y[row] = 0
        return {**right, "grad_beta": layer_norm(x, gamma, beta, eps, grad_y)["grad_beta"]}
    return layer_norm_without_a_row


def listed_rows(report):
    """Returns the rows that a report lists."""
    return [int(row.replace(",", "")) for row in re.search(r"and certified: ([\d, ]+)", str(report))[1].split(", ")]


def test_the_report_names_the_rows_and_their_seed(given):
    report = normproof.judge(layer_norm, "layer_norm", rows=20, **given)
    assert report and report.results[0].path == f"own/layer_norm/own-20x{WIDTH}-float32"
    seed = int(re.search(r"20 of 1,000 rows were drawn after the answer, by seed=(\d+)", str(report))[1])
    rows = listed_rows(report)
    assert len(set(rows)) == 20 and rows == sorted(rows) and rows[-1] < ROWS
    again = normproof.judge(layer_norm, "layer_norm", rows=20, seed=seed, **given)
    assert listed_rows(again) == rows
    assert f"rows=20, seed={seed}" in report.repro()
    assert listed_rows(normproof.judge(layer_norm, "layer_norm", rows=20, seed=seed + 1, **given)) != rows


@pytest.mark.parametrize("output", ["y", "grad_x"])
def test_an_error_in_one_row_is_found_if_the_row_is_drawn(given, output):
    rows = listed_rows(normproof.judge(layer_norm, "layer_norm", rows=20, seed=1, **given))
    report = normproof.judge(wrong_in_row(rows[7], output), "layer_norm", rows=20, seed=1, **given)
    assert not report and f"{output}" in report.failures[0].text and "[7, " in report.failures[0].text
    other = next(row for row in range(ROWS) if row not in rows)
    assert normproof.judge(wrong_in_row(other, output), "layer_norm", rows=20, seed=1, **given)


def test_a_row_that_is_missing_in_a_sum_is_found_whichever_rows_are_drawn(given):
    for seed in range(3):
        report = normproof.judge(without_row(500), "layer_norm", rows=2, seed=seed, **given)
        assert not report and [tensor["name"] for tensor in report.failures[0].tensors if not tensor["passed"]] == ["grad_beta"]


def test_x_of_any_rank_has_rows_along_its_last_axis(given):
    cubes = {name: tensor.reshape(10, 100, WIDTH) if tensor.ndim == 2 else tensor for name, tensor in given.items()}
    report = normproof.judge(layer_norm, "layer_norm", rows=4, seed=2, **cubes)
    assert report and "4 of 1,000 rows" in str(report)
    rows = listed_rows(report)

    def wrong(x, gamma, beta, eps, grad_y):
        assert x.shape == (10, 100, WIDTH)
        outputs = layer_norm(x, gamma, beta, eps, grad_y)
        outputs["y"].reshape(-1, WIDTH)[rows[1]] += 1
        return outputs
    assert not normproof.judge(wrong, "layer_norm", rows=4, seed=2, **cubes)


def test_rows_of_a_function_without_sums_are_drawn(given):
    assert normproof.judge(kernels.relu, "relu", rows=5, x=given["x"])

    def softmax(x):
        e = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
        return (e / e.sum(-1, keepdims=True)).astype(np.float32)
    assert normproof.judge(softmax, "softmax", rows=5000, x=given["x"])


def test_an_output_without_all_rows_fails(given):
    report = normproof.judge(lambda x: np.maximum(x, 0)[:-1], "relu", rows=5, x=given["x"])
    assert not report and "has shape" in report.failures[0].text


def test_an_exception_is_the_verdict(given):
    def fails(x):
        raise ValueError("no such row")
    report = normproof.judge(fails, "relu", rows=5, x=given["x"])
    assert not report and "no such row" in report.failures[0].text


@pytest.mark.parametrize("op, changed, sentence", [
    ("batch_norm", {}, "rows= is given, but batch_norm does not compute each row alone; expected an operation that does"),
    ("group_norm", {}, "group_norm does not compute each row alone"),
    ("relu", {"rows": 0}, "rows=0; expected a whole number from 1, or None for all rows"),
    ("relu", {"rows": 2.5}, "rows=2.5; expected a whole number from 1"),
    ("relu", {"rows": None, "seed": 3}, "seed=3 draws rows, and rows= is absent; expected rows="),
    ("relu", {"seed": -1}, "seed=-1; expected a whole number from 0"),
    ("relu", {"repeat": 2}, "rows= and repeat= are given; expected one of them"),
    ("relu", {"x": np.ones(8, np.float32)}, "x has shape [8]; expected two axes or more, as rows= is given"),
])
def test_rows_that_cannot_be_drawn_are_rejected_in_one_sentence(given, op, changed, sentence):
    with pytest.raises(normproof.UsageError) as refused:
        normproof.judge(kernels.relu, op, **{"x": given["x"], "rows": 3, **changed})
    assert sentence in str(refused.value) and "\n" not in str(refused.value)
