"""Tests JAX: jax.vjp under jit, float64 cases, and relations. Skipped if JAX is not installed."""
import pytest

import normproof

jax = pytest.importorskip("jax")
jnp = jax.numpy


def layer_norm(x, scale, bias, epsilon):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + jnp.asarray(epsilon, x.dtype)) * scale + bias


def test_layer_norm_and_its_gradients_pass():
    report = normproof.check(layer_norm, "layer_norm", dtype=["float32", "float64"], only=["random*", "odd*", "exact*"])
    assert report and "scale is gamma" in report.conventions and "grad_gamma" in str(report)


def test_relations_hold_for_jax():
    report = normproof.check(layer_norm, "layer_norm", only="random*", relations="all")
    assert report, str(report)
    assert {result.relation: result.outcome for result in report.relations}["compiled"] == "held"


def test_a_wrong_shape_is_reported_in_a_sentence():
    report = normproof.check(lambda x: jax.nn.relu(x)[:-1], "relu", only="random*")
    assert "y is [2, 5, 6]; expected [3, 5, 6]" in report.failures[0].text
