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


def test_functions_of_jax_have_their_public_names():
    report = normproof.check(jax.nn.softmax, "softmax", only="random*")
    assert str(report).startswith("jax.nn.softmax held against softmax")


def test_attention_of_jax_is_refused_with_the_call_that_is_understood():
    with pytest.raises(normproof.UsageError, match=r"has tensors of \[B,T,H,D\], and attention \[B,H,T,D\]; expected lambda q, k, v"):
        normproof.check(jax.nn.dot_product_attention, "attention")
    report = normproof.check(lambda q, k, v, scale: jax.nn.dot_product_attention(
        q.swapaxes(1, 2), k.swapaxes(1, 2), v.swapaxes(1, 2), scale=scale).swapaxes(1, 2), "attention", only="given_scale*")
    assert report, str(report)


def test_the_report_suggests_to_flush_subnormal_numbers():
    report = normproof.check(jax.nn.gelu, "gelu", only="subnormal*")
    assert not report and "pass flush_subnormals=True" in str(report)
    assert normproof.check(jax.nn.gelu, "gelu", only=["subnormal*", "random*"], flush_subnormals=True)
